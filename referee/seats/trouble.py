"""What came from a bot and is no usable message, in words for its author."""

from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from protocol.messages import Id
from referee.seats.zeromq import MESSAGE_BYTES, Received


class Trouble(NamedTuple):
    """Something from the bot that is not a usable message."""

    kind: Literal["start_failed", "malformed", "protocol", "flood"]
    message: str
    received: bytes
    id: int | None
    """The id in it, where one could be read."""


class _OnlyId(Struct):
    id: Id | None = None


_decode_id = msgspec.json.Decoder(_OnlyId).decode


PRINT_TO_STDERR = "standard output is for messages alone, print to standard error"


def quoted(data: bytes) -> str:
    """The beginning of a line, printable."""
    text = data[:60].decode("utf-8", "backslashreplace")
    return repr(text) + ("…" if len(data) > 60 else "")


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
