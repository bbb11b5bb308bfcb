"""What came from a bot and is no usable message, in words for its author."""

from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from protocol.messages import PROTOCOL_VERSION, Hello, Id
from referee.seats.zeromq import MESSAGE_BYTES, Received


class Trouble(NamedTuple):
    """Something from the bot that is not a usable message."""

    kind: Literal["start_failed", "malformed", "protocol", "flood"]
    message: str
    received: bytes
    id: int | None
    """The id in it, where one could be read."""


_BAD_HELLOS = 3
"""So many messages that are no valid hello, and the bot has failed to start."""

_JUNK_BEFORE_HELLO = 8
"""So many lines on standard output that are no message, and the bot has failed to start."""


class _OnlyId(Struct):
    id: Id | None = None


_decode_id = msgspec.json.Decoder(_OnlyId).decode


PRINT_TO_STDERR = "standard output is for messages alone, print to standard error"


def quoted(data: bytes) -> str:
    """The beginning of a line, printable."""
    text = data[:60].decode("utf-8", "backslashreplace")
    return repr(text) + ("…" if len(data) > 60 else "")


class NoHellos:
    """What came to a bot's address before its hello and is none.

    Anybody who finds the address can speak there. Only what is known to come from the bot itself
    is held against it; for the rest it has until its time to start is up.
    """

    def __init__(self) -> None:
        self._own = 0
        self._others = 0
        self._first_other = ""

    def own(self, data: bytes, reason: str) -> Trouble | None:
        """The bot's own: what looks like a message, or the third time, is a failure to start."""
        self._own += 1
        if self._own < _BAD_HELLOS and not data.startswith(b"{"):
            return None
        return Trouble("start_failed", f"no valid hello: {reason}", data, None)

    def printed(self, trouble: Trouble) -> Trouble | None:
        """A line on the bot's standard output that is not meant as a message."""
        self._own += 1
        if self._own < _JUNK_BEFORE_HELLO:
            return None
        return trouble._replace(kind="start_failed", message=f"no hello: {trouble.message}")

    def anothers(self, data: bytes, reason: str) -> None:
        """From a process that is not known to be the bot's."""
        self._others += 1
        self._first_other = self._first_other or f"{quoted(data)} ({reason})"

    def of_others(self) -> str:
        """Those, as a continuation of a sentence about the bot; they may explain its failure."""
        if not self._others:
            return ""
        count = f"{self._others} messages" if self._others > 1 else "a message"
        return (
            f"; {count} without a valid hello came to its address, from no process that is "
            f"known to be the bot's: {self._first_other}"
        )


def unsuitable(hello: Hello, game: str) -> str | None:
    """Why a bot with this hello cannot play here, if it cannot."""
    if PROTOCOL_VERSION not in hello.protocol:
        return f"hello.protocol is {hello.protocol}; this referee speaks {PROTOCOL_VERSION}"
    if hello.games and game not in hello.games:
        return f"hello.games is {hello.games}, without {game!r}"
    return None


def malformed(data: bytes, reason: str) -> Trouble:
    """Bytes that are no valid message."""
    try:
        number = _decode_id(data).id
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        number = None
    return Trouble("malformed", f"not a valid message: {reason}", data, number)


def unreadable(received: Received) -> Trouble:
    """A message of several frames or over the limit."""
    if received.frames != 1:
        text = f"a message of {received.frames} frames; each message is one frame"
        return Trouble("malformed", text, received.data, None)
    size = len(received.data)
    text = f"a message of {size} bytes; the limit is {MESSAGE_BYTES}"
    return Trouble("flood", text, received.data, None)


def unheard(junk: bytes, unfinished: int, heard: int) -> str:
    """What standard output says of a bot's silence, as a continuation of the sentence.

    `junk` is what it has printed before any message, `unfinished` the bytes of a line without an
    end, `heard` all bytes.
    """
    if junk:
        return f"; it has printed {quoted(junk)}: {PRINT_TO_STDERR}"
    if unfinished:
        return f"; its last {unfinished} bytes of standard output have no end of line"
    if not heard:
        return (
            "; it has written nothing to standard output: "
            "if it prints, its output is buffered; flush it after every line"
        )
    return ""
