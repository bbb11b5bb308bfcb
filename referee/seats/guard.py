"""Watches what no option of libzmq bounds: how much memory and how many descriptors bots take here.

At level basic bots talk to sockets of the worker itself. A message that never ends is kept by
libzmq without a limit and seen by nobody; connections without end take its descriptors, and at the
last one libzmq ends the process. So a thread looks often, and cuts connections before that. Who did
it is proven, not guessed: by whose connection it is, and by the memory that cutting it frees.
"""

import os
import resource
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from referee.seats.bot import BotSeat
from referee.seats.keeper import descendants
from referee.seats.peers import Connection, connections, keeper_above, owners
from referee.seats.zeromq import ZeroMQLink

MB = 1 << 20

GROWTH_BYTES = 64 * MB
"""What bots may make the worker grow altogether, beside what its tables need."""

_ACT_BYTES = 48 * MB
"""From here on everybody is suspected: the rest is for what comes meanwhile."""

UNFINISHED_BYTES = 16 * MB
"""From here on, whoever evidently goes on sending is cut off at once: one look later it may be
three times as much."""

MOST_CONNECTIONS = 256
"""What one bot may hold; fewer where the system gives a process few descriptors."""

MOST_STRAYS = 1000
"""Messages of one bot over connections that gave no hello."""

LOOK_SECONDS = 0.02

_TABLE_BYTES = 128 * 1024
_STEP = 4 * MB
"""So much more growth, and the connections are looked at again."""

_PROOF_BYTES = 8 * MB
"""Freed by cutting connections, at least, and a quarter of the growth."""

_PROOF_SECONDS = 0.4
_SAMPLES, _SAMPLE_SECONDS, _SAMPLE_BYTES = 8, 0.001, 1024
_ROOM = 64
_DESCRIPTORS_STEP = 32


class Overrun(Exception):
    """A job cannot go on: the worker has grown too much, and nobody is known to have done it."""


class Verdict(NamedTuple):
    """What the guard has done to a bot, which explains what happens to the bot then."""

    guilty: bool
    """Otherwise it was cut off without need, and nobody may be blamed for what follows."""
    text: str


class Suspect:
    """Connections of one bot, or of nobody known, that may be what fills this process."""

    def __init__(self, rank: int, bot: BotSeat | None) -> None:
        self.rank = rank
        """The lower, the likelier."""
        self.bot = bot
        self.ends: list[Connection] = []
        self.sent = 0
        self.harmed = False
        """Whether the bot is harmed by cutting them."""


class Watched(NamedTuple):
    """A bot with its link."""

    bot: BotSeat
    link: ZeroMQLink
    busy: bool
    """Whether an answer of it is waited for."""


class Guard:
    """Watches one job's bots from a thread of its own."""

    def __init__(self, bots: Callable[[], Sequence[tuple[BotSeat, bool]]], tables: int) -> None:
        self._bots = bots
        """All bots that are not buried, and whether an answer of each is waited for."""
        self._limit = _ACT_BYTES + tables * _TABLE_BYTES
        self._lock = threading.Lock()
        self._verdicts: dict[BotSeat, Verdict] = {}
        self._excess = ""
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, if any bot can connect to this process; what is used now is what is normal."""
        watched = self._watched()
        if sys.platform != "linux" or not watched:
            return
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._base = self._resident()
        self._look_again_at = UNFINISHED_BYTES
        normal = _descriptors() + 2 * len(watched)
        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        share = (allowed - normal) // (2 * len(watched))
        self._most = max(16, min(MOST_CONNECTIONS, share))
        self._normal = self._enough = normal + min(_ROOM, self._most)
        self._thread = threading.Thread(target=self._run, name="guard", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            os.close(self._statm)

    def verdict(self, bot: BotSeat) -> Verdict | None:
        """What was done to a bot; waits, not long, while something is being done."""
        with self._lock:
            return self._verdicts.get(bot)

    def check(self) -> None:
        """Raise Overrun where the worker has grown too much and nobody is known to have done it."""
        if self._excess:
            raise Overrun(self._excess)

    def _run(self) -> None:
        while not self._ending.wait(LOOK_SECONDS):
            with self._lock, suppress(OSError):  # no descriptor was left to look with
                self._look()

    def _watched(self) -> list[Watched]:
        return [
            Watched(bot, bot.link, busy)
            for bot, busy in self._bots()
            if isinstance(bot.link, ZeroMQLink)
        ]

    def _look(self) -> None:
        count = _descriptors()
        if count > self._enough:
            self._count_connections()
            count = _descriptors()
        self._enough = max(self._normal, min(self._enough, count + _DESCRIPTORS_STEP))
        if count >= self._enough:
            self._enough = count + _DESCRIPTORS_STEP
        for one in self._watched():
            if one.link.strays:
                self._count_strays(list(one.link.strays.items()))
        if not self._excess and self._resident() - self._base > self._look_again_at:
            self._find()

    def _resident(self) -> int:
        """Memory that this process has in use."""
        return int(os.pread(self._statm, 100, 0).split()[1]) * resource.getpagesize()

    # ---- connections -------------------------------------------------------------------------

    def _count_connections(self) -> None:
        """Cut off a bot that holds too many connections, to whomever."""
        watched = self._watched()
        found = connections({one.link.endpoint for one in watched})
        try:
            whose = self._owners(found, watched)
            for owner, count in Counter(whose).items():
                if count <= self._most:
                    continue
                _cut(
                    end
                    for end, bot in zip(found, whose, strict=True)
                    if bot is owner and (owner is not None or not _is_main(end, watched))
                )
                if owner is not None:
                    text = f"it held {count} connections to the referee, the limit is {self._most}"
                    self._blame(owner, text)
        finally:
            _close(found)

    def _count_strays(self, strays: list[tuple[int, int]]) -> None:
        """Cut off a bot that floods an endpoint over connections that gave no hello."""
        for pid, count in strays:
            if count <= MOST_STRAYS:
                continue
            by_keeper = {one.bot.process.keeper_pid: one.bot for one in self._watched()}
            keeper = keeper_above(pid, by_keeper)
            if keeper is not None:
                text = (
                    f"it sent {count} messages over connections that gave no hello, the limit "
                    f"is {MOST_STRAYS}"
                )
                self._blame(by_keeper[keeper], text)

    def _owners(
        self, found: Sequence[Connection], watched: Iterable[Watched]
    ) -> list[BotSeat | None]:
        by_keeper = {one.bot.process.keeper_pid: one.bot for one in watched}
        return [by_keeper.get(keeper or 0) for keeper in owners(found, by_keeper)]

    def _blame(self, bot: BotSeat, text: str) -> None:
        """End a bot; its end is then known to be its own doing."""
        known = self._verdicts.get(bot)
        if known is None or not known.guilty:
            self._verdicts[bot] = Verdict(True, text)
            bot.process.kill()

    # ---- memory ------------------------------------------------------------------------------

    def _find(self) -> None:
        """Find out whose messages fill this process, and cut that bot off."""
        _trim()
        growth = self._resident() - self._base
        if growth > UNFINISHED_BYTES:
            watched = self._watched()
            found = connections({one.link.endpoint for one in watched})
            try:
                self._try_suspects(found, watched, growth)
            finally:
                _close(found)
            growth = self._resident() - self._base
            if growth > self._limit:
                self._excess = (
                    f"the worker has grown by {growth // MB} MB, the limit is "
                    f"{GROWTH_BYTES // MB} MB, and no bot is known to have done it"
                )
        self._look_again_at = max(UNFINISHED_BYTES, growth + _STEP)
        if growth < self._limit:
            self._look_again_at = min(self._look_again_at, self._limit)

    def _try_suspects(
        self, found: Sequence[Connection], watched: Sequence[Watched], growth: int
    ) -> None:
        """Cut connections, the likeliest first, until this process has room again.

        Below the limit only those over which more and more comes; above it all of them, first
        those that no bot plays over.
        """
        whose = self._owners(found, watched)
        thinking = {one.bot for one in watched if one.busy or one.bot.state == "starting"}
        suspects: dict[tuple[int, BotSeat | None], Suspect] = {}
        for end, bot, sent in zip(found, whose, _sending(found), strict=True):
            if sent:
                rank = 0
            elif growth <= self._limit:
                continue
            elif not _is_main(end, watched):
                rank = 1
            else:
                rank = 2 if bot in thinking else 3
            suspect = suspects.setdefault((rank, bot), Suspect(rank, bot))
            suspect.sent += sent
            suspect.ends.append(end)
            suspect.harmed = suspect.harmed or _is_main(end, watched)
        left = sorted(suspects.values(), key=lambda one: (one.rank, -one.sent))
        while left and self._resident() - self._base > UNFINISHED_BYTES:
            suspect = left.pop(0)
            # What others send meanwhile would hide what is freed.
            with _paused({one.bot for one in left if one.sent} - {suspect.bot, None}):
                self._try(suspect)

    def _try(self, suspect: Suspect) -> None:
        """Cut a bot's connections: they were it if that frees what has grown."""
        bot = suspect.bot
        before = self._resident()
        growth = before - self._base
        _cut(suspect.ends)
        end = time.monotonic() + _PROOF_SECONDS
        while True:
            _trim()
            freed = before - self._resident()
            proven = freed >= max(_PROOF_BYTES, growth // 4)
            if proven or time.monotonic() > end:
                break
            time.sleep(0.005)
        if bot is None:
            return
        if proven:
            text = (
                f"its messages made the referee grow by {growth // MB} MB (cutting it off has "
                f"freed {freed // MB} MB), the limit is {UNFINISHED_BYTES // MB} MB"
            )
            self._blame(bot, text)
        elif suspect.harmed:
            text = "the worker had grown too much, and a bot was cut off that had not done it"
            self._verdicts.setdefault(bot, Verdict(False, text))


def _sending(found: Sequence[Connection]) -> list[int]:
    """How much waits at connections where more comes than is read, each time or nearly; else 0."""
    looks: list[list[int]] = []
    for _ in range(_SAMPLES):
        looks.append([end.waiting() for end in found])
        time.sleep(_SAMPLE_SECONDS)
    return [
        sum(waiting) if 2 * sum(one >= _SAMPLE_BYTES for one in waiting) >= _SAMPLES else 0
        for waiting in zip(*looks, strict=True)
    ]


@contextmanager
def _paused(bots: Iterable[BotSeat | None]) -> Iterator[None]:
    """Bots whose processes stand still meanwhile, which is not long."""
    pids = [pid for bot in bots if bot for pid in descendants(bot.process.keeper_pid)]
    _signal(pids, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(pids, signal.SIGCONT)


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _is_main(end: Connection, watched: Iterable[Watched]) -> bool:
    """Whether a bot plays over a connection, or may be about to say hello over it."""
    for one in watched:
        if one.link.endpoint == end.endpoint:
            return one.bot.state == "starting" or one.link.descriptor == end.number
    return False


def _cut(ends: Iterable[Connection]) -> None:
    for end in ends:
        end.cut()


def _close(ends: Iterable[Connection]) -> None:
    for end in ends:
        end.end.close()


def _descriptors() -> int:
    """How many descriptors this process has open; newer kernels count them themselves."""
    return os.stat("/proc/self/fd").st_size or len(os.listdir("/proc/self/fd"))


def _trim() -> None:
    """Give back to the system what is free, so that what is in use can be seen."""
    # Imported only when something has grown: it takes memory itself.
    from ctypes import CDLL  # noqa: PLC0415

    trim = getattr(CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
