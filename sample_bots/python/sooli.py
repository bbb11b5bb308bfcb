"""How likely a card is caught in sooli: both opponents stay below it, so it must take the trick."""

from functools import cache
from math import comb

PLACES = 3
"""Unseen cards lie with the two opponents or, out of play, with the partner."""


@cache
def caught(lower: int, need: int) -> float:
    """The chance that both opponents hold `need` or more of so many unseen lower cards of a suit.

    The lowest card of a suit needs to fear one lower card of each opponent, the next one two, for
    they spend one on every lead of the suit.
    """
    ways = sum(
        comb(lower, one) * comb(lower - one, other)
        for one in range(need, lower + 1)
        for other in range(need, lower - one + 1)
    )
    return float(ways) / float(PLACES**lower)
