"""Whose doing it is when a decision runs out while the referee itself is late.

A machine that sleeps, is stopped or is busy with something else lets both the referee and the bot
come late, and neither can help it. A bot that keeps all cores busy makes the referee late as well,
and must not win another try by that: one that has had a processor for as long as it may think has
had its time.
"""

import os
import time
from typing import NamedTuple

from referee.roster import OpenAsk, Player
from referee.seats.family import descendants, parent_of, stat_of

RECENT_SECONDS = 1.5
"""A look further before an ask says nothing about it."""

_IDLE_SECONDS = 1.0
"""How old a look at a bot may become that is not thinking."""

_SHARE = 0.05
"""Of a processor may go into looking at a bot, however many processes it has."""

_TICKS = os.sysconf("SC_CLK_TCK")
_USED = slice(11, 15)
"""In what follows the name in /proc/PID/stat: user and system time, its own and of the children
that it has waited for."""


class Look(NamedTuple):
    """What a bot's processes had used at some time; both in seconds."""

    at: float
    used: float


def processor_seconds(pid: int | None) -> float | None:
    """Processor time of a bot's main process and all it has started; None where unknown.

    Counted from its keeper down, which is a child of this process, so that the bot's children are
    found wherever they have moved to.
    """
    if pid is None:
        return None
    try:
        keeper = parent_of(pid)
        if parent_of(keeper) != os.getpid():
            return None  # the keeper is dead, and who inherits its children is no bot
    except OSError:
        return None
    ticks = 0
    for member in (keeper, *descendants(keeper)):
        try:
            ticks += sum(map(int, stat_of(member)[_USED]))
        except OSError:
            pass  # it has ended; its keeper has its time
    return ticks / _TICKS


class Processors:
    """The processor time of a job's bots, looked at now and then while they think."""

    def __init__(self) -> None:
        self._last: dict[Player, Look] = {}
        self._since: dict[Player, dict[int, Look]] = {}
        """For each open ask the look to count from."""
        self._rest: dict[Player, float] = {}
        """Not looked at again before."""

    def look(self, player: Player, now: float) -> None:
        """Look at a bot that is thinking, or has not been looked at for a while."""
        last = self._last.get(player)
        idle = last is not None and not player.open and now - last.at < _IDLE_SECONDS
        if idle or now < self._rest.get(player, 0.0):
            return
        began = time.thread_time()
        used = processor_seconds(player.bot.process.pid)
        self._rest[player] = now + (time.thread_time() - began) / _SHARE
        if used is None:
            return
        look = Look(now, used)
        last = last or look
        before = self._since.get(player, {})
        self._since[player] = {
            number: before.get(number, last if _recent(last, ask) else look)
            for number, ask in player.open.items()
        }
        self._last[player] = look

    def used_ms(self, player: Player, ask: OpenAsk, now: float) -> float:
        """About how long a bot has had a processor since an ask was sent; 0 where unknown.

        Estimated from its share of one since the look nearest to the ask's beginning.
        """
        since = self._since.get(player, {}).get(ask.id) or self._last.get(player)
        used = processor_seconds(player.bot.process.pid)
        if since is None or used is None or now <= since.at or not _recent(since, ask):
            return 0.0
        return (used - since.used) / (now - since.at) * (now - ask.sent) * 1000


def _recent(look: Look, ask: OpenAsk) -> bool:
    return look.at >= ask.sent - RECENT_SECONDS
