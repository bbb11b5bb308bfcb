"""One bot, spoken with step by step: where nothing else goes on, as in a check or a retry.

The same process, link and decoding as at a table; only the loop differs, which waits for this one
bot, always with a deadline, and ends too when the bot does.
"""

import os
import time
from collections import deque
from typing import NamedTuple, Self

import zmq

from protocol.messages import Act, EncodedAsk, Hello, Limits, ToBot
from referee import __version__
from referee.errors import RefereeError
from referee.seats.bot import BotCommand, BotSeat
from referee.seats.process import ExitReport
from referee.seats.trouble import Trouble
from referee.seats.zeromq import MESSAGE_BYTES, SocketFolder

_TICK_SECONDS = 0.25
_MOST = 64
"""Messages taken at once."""


class NoStart(RefereeError):
    """The bot did not get as far as a valid hello; says why."""

    def __init__(self, kind: str, message: str, received: bytes = b"") -> None:
        super().__init__(message)
        self.kind = kind
        self.received = received


class Answer(NamedTuple):
    """What came of an ask."""

    act: Act | None
    """None where there was no answer in time."""
    took_ms: float
    troubles: list[Trouble]
    """Everything else that came meanwhile and is no usable message."""
    strays: list[Act]
    """Answers that carry another id."""
    exit: ExitReport | None
    """How the process ended, if it did."""


class Dialogue:
    """A bot process from its start to its end; a context manager, which kills it."""

    def __init__(
        self,
        command: BotCommand,
        *,
        game: str,
        seat: int | None = 0,
        tables: int = 1,
        start_seconds: float = 30.0,
        stderr_folder: str,
    ) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._folder = SocketFolder()
        self._start_seconds = start_seconds
        self._waiting: deque[Act | Trouble] = deque()
        self._poller = zmq.Poller()
        limits = Limits(message_bytes=MESSAGE_BYTES, unexpected_messages=8, soft_faults=3)
        self.stderr_path = os.path.join(stderr_folder, f"{command.entrant}.txt")
        self.bot = BotSeat(
            self._context, self._folder, command, seat=seat, game=game, tables=tables,
            limits=limits, referee=f"referee {__version__}", stderr_path=self.stderr_path,
        )  # fmt: skip
        self.bot.link.watch(self._poller)
        self._poller.register(self.bot.process.fileno(), zmq.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- the start ---------------------------------------------------------------------------

    def begin(self) -> tuple[Hello, float]:
        """Wait for a valid hello and answer it; the hello, and after how many milliseconds.

        Raises NoStart where none comes in time, or something else does.
        """
        began = time.monotonic()
        deadline = began + self._start_seconds
        while self.bot.state == "starting":
            left = deadline - time.monotonic()
            self._take(min(left, _TICK_SECONDS))
            failed = next((t for t in self._waiting if isinstance(t, Trouble)), None)
            if failed is not None and failed.kind == "start_failed":
                raise NoStart("start_failed", failed.message, failed.received)
            if self.bot.start_failure is not None:
                raise NoStart("start_failed", self.bot.start_failure)
            if self.bot.state == "starting" and self.bot.exit is not None:
                raise NoStart("start_failed", f"ended before its hello: {ending(self.bot.exit)}")
            if self.bot.state == "starting" and left <= 0:
                text = f"no valid hello within {self._start_seconds:g} s{self.bot.silence()}"
                raise NoStart("start_timeout", text)
        took = (time.monotonic() - began) * 1000
        self.bot.welcome(time.monotonic())
        hello = self.bot.hello
        assert hello is not None
        return hello, took

    # ---- speaking and listening --------------------------------------------------------------

    def send(self, message: ToBot) -> None:
        """Hand a message over."""
        self.bot.send(message)

    def send_raw(self, data: bytes) -> None:
        """Hand over bytes as they are."""
        self.bot.link.send(data)

    def hear(self, seconds: float) -> Act | Trouble | None:
        """The next message, None where none comes in time or the bot has ended."""
        deadline = time.monotonic() + seconds
        while not self._waiting:
            left = deadline - time.monotonic()
            if left <= 0 or self.bot.exit is not None:
                return None
            self._take(min(left, _TICK_SECONDS))
        return self._waiting.popleft()

    def ask(self, ask: EncodedAsk, seconds: float) -> Answer:
        """Ask, and wait so long for the answer."""
        self.bot.new_turn()
        began = time.monotonic()
        self.send(ask)
        return self.answer(ask.id, began + seconds, began)

    def answer(self, number: int, deadline: float, began: float) -> Answer:
        """Wait for the answer to an ask that was sent at a time (monotonic seconds)."""
        troubles: list[Trouble] = []
        strays: list[Act] = []
        act: Act | None = None
        while act is None:
            message = self.hear(deadline - time.monotonic())
            if message is None:
                break
            if isinstance(message, Trouble):
                troubles.append(message)
                if message.kind in ("flood", "malformed") and message.id in (None, number):
                    break
            elif message.id == number:
                act = message
            else:
                strays.append(message)
        took = (time.monotonic() - began) * 1000
        return Answer(act, took, troubles, strays, self.bot.exit)

    def _take(self, seconds: float) -> None:
        """Wait for the bot, its link or its process, and take what is there."""
        self._poller.poll(max(0, int(seconds * 1000)))
        self.bot.process.poll()
        if self.bot.exit is not None:
            self.bot.settle()
        if self.bot.state != "gone":
            self._waiting += self.bot.receive(_MOST)
            if self.bot.state == "ready":
                self.bot.tick(time.monotonic())

    # ---- the end -----------------------------------------------------------------------------

    def farewell(self, reason: str, seconds: float) -> ExitReport | None:
        """Say bye and wait so long for the bot to leave by itself; None where it did not."""
        self.bot.link.unwatch(self._poller)
        self.bot.stop(reason, seconds + 60.0)
        deadline = time.monotonic() + seconds
        while self.bot.exit is None and (left := deadline - time.monotonic()) > 0:
            self._poller.poll(int(min(left, _TICK_SECONDS) * 1000) + 1)
            self.bot.process.poll()
        return self.bot.exit

    def close(self) -> None:
        """End the process and all it started, and free everything."""
        self.bot.kill()
        self.bot.process.wait_gone(5.0)
        self.bot.close()
        self._context.destroy(linger=0)
        self._folder.close()


def ending(report: ExitReport) -> str:
    """How a process ended, with its last words."""
    words = [*report.stderr_first, *report.stderr_last]
    return report.describe() + (f"; its last words: {words[-1]}" if words else "")
