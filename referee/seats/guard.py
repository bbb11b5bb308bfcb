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
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from referee.seats.bot import BotSeat
from referee.seats.family import descendants
from referee.seats.held import Heaps
from referee.seats.peers import Connection, connections, keeper_above
from referee.seats.suspects import Pauses, Scene, Suspect, Watched, owned, signal_all
from referee.seats.zeromq import MESSAGE_BYTES, WAITING_MESSAGES, ZeroMQLink

MB = 1 << 20

UNFINISHED_BYTES = 16 * MB
"""What may have come and not be delivered. From here on, whoever evidently goes on sending is cut
off at once: one look later it may be three times as much."""

_ACT_BYTES = 48 * MB
"""From here on everybody is suspected who delivers nothing."""

MOST_CONNECTIONS = 256
"""What one bot may hold; fewer where the system gives a process few descriptors."""

MOST_STRAYS = 1000
"""Messages of one bot over connections that gave no hello."""

LOOK_SECONDS = 0.02

_STEP = 4 * MB
"""So much more memory in use, and what is held of it for bots is looked at."""

_LOOKS = 50
"""After so many it is looked at anyway: memory that was free may have been used for it."""

_PROOF_BYTES = 8 * MB
"""Freed by cutting connections, at least, and a quarter of the growth."""

_PROOF_SECONDS = 0.4

_SETTLE_SECONDS = 0.05
"""Nothing more is freed for so long, and all is that will be."""

_MOST_SETTLE_SECONDS = 2.0
"""It is awaited no longer than this."""

_ROOM = 64
_DESCRIPTORS_STEP = 32


class Overrun(Exception):
    """A job cannot go on, and no bot is to blame for it."""


class Verdict(NamedTuple):
    """What the guard has done to a bot, which explains what happens to the bot then."""

    guilty: bool
    """Otherwise it was cut off without need, and nobody may be blamed for what follows."""
    text: str


Outcome = Literal["nobody", "tried", "proven"]
"""Whether anybody was suspected, and whether it was proven that one of them did it."""


class Guard:
    """Watches one job's bots from a thread of its own."""

    def __init__(self, bots: Callable[[], Sequence[tuple[BotSeat, bool]]]) -> None:
        self._bots = bots
        """All bots that are not buried, and whether an answer of each is waited for."""
        self._lock = threading.Lock()
        self._verdicts: dict[BotSeat, Verdict] = {}
        self._to_end: deque[BotSeat] = deque()
        """Found guilty, and not ended yet."""
        self._pauses = Pauses()
        self._strays: Counter[BotSeat] = Counter()
        self._failure = ""
        self._heaps: Heaps | None = None
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, if any bot can connect to this process; what is used now is what is normal."""
        watched = self._watched()
        if sys.platform != "linux" or not watched:
            return
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._limit = _ACT_BYTES + len(watched) * WAITING_MESSAGES * MESSAGE_BYTES
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

    def stood_still(self, bot: BotSeat, since: float) -> float:
        """How long a bot's processes were made to stand still since then, in seconds."""
        return self._pauses.seconds(bot, since)

    def check(self) -> None:
        """End the bots that were found guilty; raise Overrun where nobody watches any more.

        They are ended here, in the thread that frees their handles.
        """
        while self._to_end:
            self._to_end.popleft().process.kill()
        if self._failure:
            raise Overrun(self._failure)

    def _run(self) -> None:
        try:
            with suppress(OSError):
                self._heaps = Heaps()
            self._base = self._held()
            self._look_again_at = self._resident() + _STEP
            self._looks = 0
            while not self._ending.wait(LOOK_SECONDS):
                with self._lock, suppress(OSError):  # no descriptor was left to look with
                    self._look()
        except Exception as error:
            self._failure = f"what bots send could not be watched any more: {error!r}"

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
        watched = self._watched()
        for one in watched:
            if one.link.strays:
                self._count_strays(one.link.take_strays(), watched)
        resident = self._resident()
        self._looks += 1
        if resident > self._look_again_at or self._looks >= _LOOKS:
            self._looks = 0
            self._find(watched)
            self._look_again_at = self._resident() + _STEP
        else:
            self._look_again_at = min(self._look_again_at, resident + _STEP)

    def _resident(self) -> int:
        """Memory that this process has in use."""
        return int(os.pread(self._statm, 100, 0).split()[1]) * resource.getpagesize()

    def _held(self) -> int:
        """What libzmq holds of it; all there is where the C library does not tell them apart."""
        if self._heaps is not None:
            return self._heaps.bytes()
        _trim()
        return self._resident()

    # ---- connections -------------------------------------------------------------------------

    def _count_connections(self) -> None:
        """Cut off a bot that holds too many connections, to whomever."""
        watched = self._watched()
        found = connections({one.link.endpoint for one in watched})
        try:
            whose = owned(found, watched)
            main = Scene(found, watched).is_main
            for owner, count in Counter(whose).items():
                if count <= self._most:
                    continue
                _cut(
                    end
                    for end, bot in zip(found, whose, strict=True)
                    if bot is owner and (owner is not None or not main(end))
                )
                if owner is not None:
                    text = f"it held {count} connections to the referee, the limit is {self._most}"
                    self._blame(owner, text)
        finally:
            _close(found)

    def _count_strays(self, strays: dict[int, int], watched: Sequence[Watched]) -> None:
        """End a bot that floods an endpoint over connections that gave no hello.

        Whose a process is, is seen at once: its number may soon be another one's.
        """
        by_keeper = {one.bot.process.keeper_pid: one.bot for one in watched}
        for pid, count in strays.items():
            keeper = keeper_above(pid, by_keeper)
            if keeper is None:
                continue
            bot = by_keeper[keeper]
            self._strays[bot] += count
            if self._strays[bot] > MOST_STRAYS:
                text = (
                    f"it sent {self._strays[bot]} messages over connections that gave no hello, "
                    f"the limit is {MOST_STRAYS}"
                )
                self._blame(bot, text)

    def _blame(self, bot: BotSeat, text: str) -> None:
        """Have a bot ended; its end is then known to be its own doing."""
        known = self._verdicts.get(bot)
        if known is None or not known.guilty:
            self._verdicts[bot] = Verdict(True, text)
            # Until then it does no more.
            signal_all(descendants(bot.process.keeper_pid), signal.SIGSTOP)
            self._to_end.append(bot)

    # ---- memory ------------------------------------------------------------------------------

    def _find(self, watched: Sequence[Watched]) -> None:
        """Find out whose messages fill this process, if any do, and cut that bot off."""
        growth = self._held() - self._base
        if growth <= UNFINISHED_BYTES:
            return
        found = connections({one.link.endpoint for one in watched})
        try:
            outcome = self._try_suspects(Scene(found, watched), growth)
        finally:
            _close(found)
        _trim()
        if self._heaps is None:
            # What nobody evidently sends is the tables' own.
            if outcome == "nobody":
                self._base = self._held()
        elif outcome != "proven" and self._held() - self._base > self._limit:
            self._base = self._held()  # everybody was cut off, so it is nobody's

    def _try_suspects(self, scene: Scene, growth: int) -> Outcome:
        """Cut connections, the likeliest first, until it is proven whose they were.

        Below the limit only those over which more and more comes; above it all that deliver
        nothing, first those that no bot plays over. What is left after a proof may be the same
        bot's, so who else may be to blame is for another look.
        """
        urgent = self._held() + UNFINISHED_BYTES
        sent = scene.endless(lambda: self._held() > urgent)
        everybody = self._heaps is not None and growth > self._limit
        left = scene.suspects(sent, everybody=everybody)
        outcome: Outcome = "tried" if left else "nobody"
        while left and self._held() - self._base > UNFINISHED_BYTES:
            suspect = left.pop(0)
            if suspect.harmed and any(map(scene.delivers, suspect.ends)):
                continue
            # What others send meanwhile would hide what is freed.
            others = {one.bot for one in left if one.bot is not None and one.sent}
            with self._pauses.paused(others - {suspect.bot}):
                if self._try(suspect):
                    return "proven"
        return outcome

    def _try(self, suspect: Suspect) -> bool:
        """Cut a bot's connections: they were it if that frees what has grown. Whether it does."""
        bot = suspect.bot
        before = self._held()
        growth = before - self._base
        _cut(suspect.ends)
        end = time.monotonic() + _PROOF_SECONDS
        while True:
            freed = before - self._held()
            proven = freed >= max(_PROOF_BYTES, growth // 4)
            if proven or time.monotonic() > end:
                break
            time.sleep(0.005)
        if bot is not None and proven:
            text = (
                f"its messages made the referee grow by {growth // MB} MB (cutting it off has "
                f"freed {freed // MB} MB), the limit is {UNFINISHED_BYTES // MB} MB"
            )
            self._blame(bot, text)
        elif bot is not None and suspect.harmed:
            text = "the worker had grown too much, and a bot was cut off that had not done it"
            self._verdicts.setdefault(bot, Verdict(False, text))
        if proven:
            self._settle()
        return proven

    def _settle(self) -> None:
        """Wait until all is freed that is being freed, so that none is taken for another's."""
        lowest = self._held()
        began = fell = time.monotonic()
        while time.monotonic() < min(fell + _SETTLE_SECONDS, began + _MOST_SETTLE_SECONDS):
            time.sleep(0.005)
            held = self._held()
            if held <= lowest - MB:
                lowest, fell = held, time.monotonic()


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
