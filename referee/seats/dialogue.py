"""One bot, spoken with step by step: where nothing else goes on, as in a check or a retry.

The same process, link and decoding as at a table; only the loop differs, which waits for this one
bot, always with a deadline, and ends too when the bot does.
"""

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import msgspec
import zmq

from protocol.messages import (
    Act,
    Bye,
    EncodedAsk,
    Hello,
    Limits,
    Ping,
    ToBot,
    Welcome,
    decode_from_bot,
)
from referee import __version__
from referee.errors import RefereeError
from referee.seats.bot import BotCommand, BotSeat
from referee.seats.family import descendants, stat_of
from referee.seats.process import ExitReport
from referee.seats.sandbox import Level, bare
from referee.seats.trouble import Trouble
from referee.seats.zeromq import MESSAGE_BYTES, Received, SocketFolder

_TICK_SECONDS = 0.25
_MOST = 64
"""Messages taken at once."""

_LEAVING_SECONDS = 0.3
"""What a bot has started may take so long to end after it."""

_LOOK_SECONDS = 0.005
"""Between two looks at a process that is about to end."""


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


class Parting(NamedTuple):
    """How a bot left after bye."""

    exit: ExitReport | None
    """None where it did not."""
    took_ms: float
    left: list[str] | None
    """The command lines of processes that it left behind; None where nobody can see them."""


class _HeardSeat(BotSeat):
    """A seat that keeps what came before a valid hello, pings, and can be given to any game."""

    first_words: list[Received]
    """Everything up to the hello, the hello included."""
    any_game = False
    """Whether a hello is taken whatever games it names."""
    dress: Callable[[Welcome], bytes] | None = None
    """What is sent for a welcome, where it is not the plain one."""

    def _greet(self, received: Received) -> Trouble | None:
        self.first_words.append(received)
        if self.any_game:
            try:
                message = decode_from_bot(received.data)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                message = None
            if isinstance(message, Hello) and message.games:
                self.game = message.games[0]
        return super()._greet(received)

    def send(self, message: ToBot) -> bool:
        """Send a message, a welcome as it is to look."""
        if isinstance(message, Welcome) and self.dress is not None:
            return self.link.send(self.dress(message))
        return super().send(message)

    def ping(self) -> int:
        """Send a ping; its id."""
        self._next_ping += 1
        self._pinged.add(self._next_ping)
        self.send(Ping(id=self._next_ping))
        return self._next_ping

    def unanswered(self, ping: int) -> bool:
        """Whether a ping has no pong yet."""
        return ping in self._pinged

    def forget(self, ping: int) -> None:
        """Wait for no pong any more."""
        self._pinged.discard(ping)


class Dialogue:
    """A bot process from its start to its end; a context manager, which kills it."""

    def __init__(
        self,
        command: BotCommand,
        *,
        game: str | None,
        seat: int | None = 0,
        tables: int = 1,
        start_seconds: float = 30.0,
        stderr_folder: str,
        welcome: Callable[[Welcome], bytes] | None = None,
        level: Level = "basic",
        hidden: Sequence[str] = (),
    ) -> None:
        """Start the bot for a game, or, where that is None, for whichever it names first.

        `welcome` makes the bytes of a welcome that is not the plain one, `level` is what the bot is
        kept in, `hidden` what it may not read there.
        """
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._folder = SocketFolder()
        self._start_seconds = start_seconds
        self._waiting: deque[Act | Trouble] = deque()
        self._poller = zmq.Poller()
        limits = Limits(message_bytes=MESSAGE_BYTES, unexpected_messages=8, soft_faults=3)
        self.stderr_path = os.path.join(stderr_folder, f"{command.entrant}.txt")
        self.bot = _HeardSeat(
            self._context, self._folder, command, seat=seat, game=game or "", tables=tables,
            limits=limits, referee=f"referee {__version__}", stderr_path=self.stderr_path,
            level=level, hidden=hidden,
        )  # fmt: skip
        self.bot.first_words = []
        self.bot.any_game = game is None
        self.bot.dress = welcome
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

    @property
    def first_words(self) -> list[Received]:
        """Everything that the bot sent up to its hello, the hello included."""
        return self.bot.first_words

    def ping(self, seconds: float) -> float | None:
        """Ping, and wait so long for the pong; after how many milliseconds, None if never."""
        began = time.monotonic()
        number = self.bot.ping()
        while self.bot.unanswered(number):
            left = began + seconds - time.monotonic()
            if left <= 0 or self.bot.exit is not None:
                self.bot.forget(number)
                return None
            self._take(min(left, _TICK_SECONDS))
        return (time.monotonic() - began) * 1000

    def disconnected(self) -> bool:
        """Whether the bot has closed its connection and is still alive."""
        until = time.monotonic() + 2 * _TICK_SECONDS
        while self.bot.exit is None and time.monotonic() < until:
            self._take(_LOOK_SECONDS)
            self.bot.tick(time.monotonic())
            if not self.bot.suspicious:
                return False
            if self.bot.disconnected(time.monotonic()):
                return True
        return False

    # ---- the end -----------------------------------------------------------------------------

    def farewell(self, reason: str, seconds: float) -> ExitReport | None:
        """Say bye and wait so long for the bot to leave by itself; None where it did not."""
        self.bot.link.unwatch(self._poller)
        self.bot.stop(reason, seconds + 60.0)
        return self._ended(seconds)

    def vanish(self, seconds: float) -> ExitReport | None:
        """Close the bot's standard input without a bye, as when the referee is gone.

        Waits so long for the bot to leave by itself; None where it did not.
        """
        self.bot.state = "gone"
        return self.farewell("", seconds)

    def part(self, reason: str, seconds: float) -> Parting:
        """Say bye alone, wait so long for the bot to leave, and look what it leaves behind.

        What a bot leaves is ended as soon as its keeper has seen it go, so the keeper is held
        meanwhile. Elsewhere than on Linux nothing can be said about what is left, nor about a box,
        which ends with its bot and all that is in it.
        """
        began = time.monotonic()
        pid = self.bot.process.pid
        if pid is None or sys.platform != "linux" or bare(self.bot.level) == "bwrap":
            ended = self.farewell(reason, seconds)
            return Parting(ended, (time.monotonic() - began) * 1000, None)
        keeper = _status(pid)[1]
        left: list[int] = []
        os.kill(keeper, signal.SIGSTOP)
        try:
            self.bot.send(Bye(reason=reason))
            while _lives(pid) and time.monotonic() - began < seconds:
                if self.bot.link.receive(_MOST):  # words after bye are nobody's business
                    continue
                time.sleep(_LOOK_SECONDS)
            took = (time.monotonic() - began) * 1000
            until = time.monotonic() + _LEAVING_SECONDS
            while not _lives(pid):
                left = [each for each in descendants(keeper) if _lives(each)]
                if not left or time.monotonic() > until:
                    break
                time.sleep(_LOOK_SECONDS)
            words = [_command(each) for each in left]
            alive = _lives(pid)
        finally:
            os.kill(keeper, signal.SIGCONT)
        return Parting(None if alive else self._ended(2.0), took, words)

    def _ended(self, seconds: float) -> ExitReport | None:
        """Wait so long for the process to end, and hear nothing it says."""
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


def _status(pid: int) -> tuple[str, int]:
    """State and parent of a process; as of a dead one where it is not there any more."""
    try:
        state, parent = stat_of(pid)[:2]
    except OSError:
        return "X", 0
    return state.decode(), int(parent)


def _lives(pid: int) -> bool:
    """Whether a process has not ended; a first thread that has gone before others has not."""
    try:
        threads = len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return False
    return threads > 1 or _status(pid)[0] not in "ZX"


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().rstrip(b"\0").split(b"\0")
    except OSError:
        words = []
    return b" ".join(words).decode("utf-8", "backslashreplace") or f"process {pid}"
