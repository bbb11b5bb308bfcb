"""Which connections may be what fills this process: seen from outside, before any is cut.

A message without an end is never delivered, however much of it comes. So a connection is suspected
where more comes all the time and nothing arrives; one that delivers a message meanwhile is not.
"""

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from referee.seats.bot import BotSeat
from referee.seats.family import descendants
from referee.seats.peers import Connection, owners
from referee.seats.zeromq import ZeroMQLink

_SAMPLES, _SAMPLE_SECONDS, _SAMPLE_BYTES = 8, 0.001, 1024

_DOUBT_SECONDS = 0.05
"""So long whoever plays has to deliver a message: the thread that takes them may be busy."""


class Watched(NamedTuple):
    """A bot with its link."""

    bot: BotSeat
    link: ZeroMQLink
    busy: bool
    """Whether an answer of it is waited for."""


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


class Scene:
    """The connections to a job's bots' endpoints, and what is seen of them from now on."""

    def __init__(self, found: Sequence[Connection], watched: Sequence[Watched]) -> None:
        self.found = found
        self._at = {one.link.endpoint: one for one in watched}
        self._watched = watched
        self._delivered = {one.bot: one.link.delivered for one in watched}
        self.owners = owned(found, watched)

    def is_main(self, end: Connection) -> bool:
        """Whether a bot plays over a connection, or may be about to say hello over it."""
        one = self._at.get(end.endpoint)
        if one is None:
            return False
        return one.bot.state == "starting" or one.link.descriptor == end.number

    def delivers(self, end: Connection) -> bool:
        """Whether a whole message of the bot has come over a connection since the beginning."""
        one = self._at.get(end.endpoint)
        if one is None or not self.is_main(end):
            return False
        return one.link.delivered != self._delivered[one.bot]

    def sending(self) -> list[int]:
        """How much waits at each connection over which more and more comes, none of it whole."""
        return [
            0 if waiting and self.delivers(end) else waiting
            for end, waiting in zip(self.found, sending(self.found), strict=True)
        ]

    def endless(self, urgent: Callable[[], bool]) -> list[int]:
        """The same, seen for as long as a bot that plays may be wronged by it, if there is time."""
        end = time.monotonic() + _DOUBT_SECONDS
        while True:
            sent = self.sending()
            playing = (
                self.is_main(one) for one, waiting in zip(self.found, sent, strict=True) if waiting
            )
            if not any(playing) or time.monotonic() > end or urgent():
                return sent

    def suspects(self, sent: Sequence[int], *, everybody: bool) -> list[Suspect]:
        """Those over whose connections more and more comes, or everybody; the likeliest first."""
        busy = {one.bot for one in self._watched if one.busy or one.bot.state == "starting"}
        found: dict[tuple[int, BotSeat | None], Suspect] = {}
        for end, bot, waiting in zip(self.found, self.owners, sent, strict=True):
            harmed = self.is_main(end)
            if waiting:
                rank = 1 if harmed else 0
            elif not everybody or self.delivers(end):
                continue
            elif not harmed:
                rank = 2
            else:
                rank = 3 if bot in busy else 4
            suspect = found.setdefault((rank, bot), Suspect(rank, bot))
            suspect.sent += waiting
            suspect.ends.append(end)
            suspect.harmed = harmed
        return sorted(found.values(), key=lambda one: (one.rank, -one.sent))


def owned(found: Sequence[Connection], watched: Iterable[Watched]) -> list[BotSeat | None]:
    """For each connection the bot that has the other end; None where unknown."""
    by_keeper = {one.bot.process.keeper_pid: one.bot for one in watched}
    return [by_keeper.get(keeper or 0) for keeper in owners(found, by_keeper)]


def sending(found: Sequence[Connection]) -> list[int]:
    """How much waits at connections where more comes than is read, each time or nearly; else 0."""
    looks: list[list[int]] = []
    for _ in range(_SAMPLES):
        looks.append([end.waiting() for end in found])
        time.sleep(_SAMPLE_SECONDS)
    return [
        sum(waiting) if 2 * sum(one >= _SAMPLE_BYTES for one in waiting) >= _SAMPLES else 0
        for waiting in zip(*looks, strict=True)
    ]


class Pauses:
    """When bots' processes were made to stand still, for which they must not lose time."""

    def __init__(self) -> None:
        self._stops: dict[BotSeat, list[list[float]]] = {}
        """[begin, end] each; no end while it lasts."""

    @contextmanager
    def paused(self, bots: Collection[BotSeat]) -> Iterator[None]:
        """Bots whose processes stand still meanwhile, which is not long."""
        stops = [self._stops.setdefault(bot, []) for bot in bots]
        for one in stops:
            one.append([time.monotonic()])
        pids = [pid for bot in bots for pid in descendants(bot.process.keeper_pid)]
        signal_all(pids, signal.SIGSTOP)
        try:
            yield
        finally:
            signal_all(pids, signal.SIGCONT)
            now = time.monotonic()
            for one in stops:
                one[-1].append(now)

    def seconds(self, bot: BotSeat, since: float) -> float:
        """How long a bot stood still since then; to be asked from any thread."""
        now = time.monotonic()
        total = 0.0
        for stop in list(self._stops.get(bot, ())):
            end = stop[1] if len(stop) > 1 else now
            total += max(0.0, end - max(stop[0], since))
        return total


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send a signal to processes, as far as they are there and ours."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
