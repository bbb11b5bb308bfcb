"""The link for any program: JSON lines on its standard input and output, read by the worker itself.

The same messages as over ZeroMQ, one object a line. Nothing blocks: what the bot does not read is
kept up to a limit, and what it writes is taken in pieces of a bounded size.
"""

import os
import select
from collections import deque

import zmq

from protocol.messages import STDIO
from referee.seats.zeromq import MESSAGE_BYTES, Received

UNREAD_BYTES = 1 << 20
"""A bot that leaves more than this unread counts as gone."""

_CHUNK = 1 << 16
_CHUNKS_A_TURN = 8
"""A bot that writes without end is read in turn with the others."""

_READ, _WRITE = int(zmq.POLLIN), int(zmq.POLLOUT)


class StdioLink:
    """The referee's end of a bot's standard input and output."""

    endpoint = STDIO

    def __init__(self) -> None:
        bot_input, self._to_bot = os.pipe()
        self._from_bot, bot_output = os.pipe()
        self.bot_ends: tuple[int, int] | None = (bot_input, bot_output)
        """What becomes the bot's standard input and output; closed here by `handed_over`."""
        for fd in (self._to_bot, self._from_bot):
            os.set_blocking(fd, False)
        self._poller: zmq.Poller | None = None
        self._unsent = bytearray()
        self._line = bytearray()
        """A line that has no end yet."""
        self._skipping = False
        """Whether the rest of a line that was too long is being thrown away."""
        self._lines: deque[Received] = deque()
        self._ended = False
        self._told = False
        self._broken = False
        self.heard = 0
        """Bytes that the bot has written since `new_turn`."""

    def handed_over(self) -> None:
        """The bot has been given its ends."""
        for fd in self.bot_ends or ():
            os.close(fd)
        self.bot_ends = None

    @property
    def sources(self) -> tuple[int, ...]:
        """What a poller reports when something can be done here."""
        return self._from_bot, self._to_bot

    def watch(self, poller: zmq.Poller) -> None:
        """Have a poller wait for the bot."""
        self._poller = poller
        poller.register(self._from_bot, _READ)

    def unwatch(self, poller: zmq.Poller) -> None:
        """Stop that."""
        self._poller = None
        for fd in self.sources:
            if fd in poller:
                poller.unregister(fd)

    def _look_again(self, wanted: bool) -> None:
        """Be called again as soon as the bot's input has room: to write, or for lines read."""
        poller = self._poller
        if poller is None or wanted == (self._to_bot in poller):
            return
        if wanted:
            poller.register(self._to_bot, _WRITE)
        else:
            poller.unregister(self._to_bot)

    # ---- receiving ---------------------------------------------------------------------------

    def await_message(self) -> bool:
        """Nothing: a poll over pipes is cheap."""
        return False

    def receive(self, most: int) -> list[Received]:
        """Take up to `most` lines; empty ones are left out."""
        self._flush()
        for _ in range(_CHUNKS_A_TURN):
            if self._ended or len(self._lines) >= most:
                break
            if not self._read():
                break
        found = [self._lines.popleft() for _ in range(min(most, len(self._lines)))]
        self._look_again(bool(self._unsent) or bool(self._lines))
        return found

    def _read(self) -> bool:
        """Take one piece of what the bot has written; False when there is no more now."""
        try:
            chunk = os.read(self._from_bot, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self._end()
            return False
        self.heard += len(chunk)
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._finish(line)
        if self._skipping:
            return True
        self._line += rest
        if len(self._line) > MESSAGE_BYTES:
            self._lines.append(Received(bytes(self._line), 1))
            self._line.clear()
            self._skipping = True
        return True

    def _finish(self, line: bytes) -> None:
        """A line has come to its end."""
        if self._skipping:
            self._skipping = False
            return
        whole = bytes(self._line) + line
        self._line.clear()
        whole = whole.removesuffix(b"\r")
        if whole.strip():
            self._lines.append(Received(whole, 1))

    def _end(self) -> None:
        self._ended = True
        if self._line:
            self._finish(b"")
        if self._poller is not None and self._from_bot in self._poller:
            self._poller.unregister(self._from_bot)

    def accept(self) -> None:
        """The bot has been recognised; there is nobody else on a pipe."""

    @property
    def unfinished(self) -> int:
        """Bytes of a line that has no end yet."""
        return len(self._line)

    def new_turn(self) -> None:
        """The bot is asked something: what it writes from now on is counted."""
        self.heard = 0

    # ---- sending -----------------------------------------------------------------------------

    def send(self, data: bytes) -> bool:
        """Hand a message over without waiting; False when the bot cannot be reached any more."""
        if self._broken or self._ended:
            return False
        self._unsent += data
        self._unsent += b"\n"
        self._flush()
        if len(self._unsent) > UNREAD_BYTES:
            self._broken = True
        self._look_again(bool(self._unsent) or bool(self._lines))
        return not self._broken

    def _flush(self) -> None:
        """Write what the pipe has room for."""
        while self._unsent and not self._broken:
            try:
                written = os.write(self._to_bot, self._unsent[:_CHUNK])
            except BlockingIOError:
                return
            except OSError:
                self._broken = True
                self._unsent.clear()
                return
            del self._unsent[:written]

    def hang_up(self) -> None:
        """Close the bot's input, which tells it that the referee is done with it."""
        self._flush()
        if self._to_bot >= 0:
            if self._poller is not None and self._to_bot in self._poller:
                self._poller.unregister(self._to_bot)
            os.close(self._to_bot)
            self._to_bot = -1
        self._broken = True
        self._unsent.clear()

    # ---- the connection ----------------------------------------------------------------------

    def await_drop(self, seconds: float) -> None:
        """Wait, not long, until something can be read: what a dead bot wrote is here by then."""
        if not self._ended:
            waiting = select.poll()
            waiting.register(self._from_bot, select.POLLIN)
            waiting.poll(int(seconds * 1000))

    def connection_dropped(self) -> bool:
        """Whether the bot closed its output, or its input broke, since the last call."""
        dropped = (self._ended or self._broken) and not self._told
        self._told = self._told or dropped
        return dropped

    def close(self) -> None:
        """Close both pipes."""
        self.handed_over()
        self.hang_up()
        if self._from_bot >= 0:
            os.close(self._from_bot)
            self._from_bot = -1
