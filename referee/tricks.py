"""A trick: who is winning it, and which cards of a hand may be played to it.

Everything is set algebra on masks of cards. A trick does not know how many play to it nor who is
next: that is the game's business.
"""

from functools import cache
from typing import Literal, Self

from referee.cards import Pack

RankOrder = Literal["ace_ten", "plain", "ace_low"]

RANK_ORDERS: dict[RankOrder, str] = {
    "ace_ten": "23456789JQKTA",
    "plain": "23456789TJQKA",
    "ace_low": "A23456789TJQK",
}
"""Ranks from low to high."""

_MOST_SEATS = 4


class TrickRules:
    """The rank order and the duties of a game, turned into masks."""

    __slots__ = (
        "above", "head_lapses", "must_head", "must_overtrump", "must_trump", "pack", "plays",
        "suit",
    )  # fmt: skip

    def __init__(
        self,
        pack: Pack,
        rank_order: RankOrder,
        *,
        must_head: bool,
        head_lapses_when_ruffed: bool,
        must_trump: bool,
        must_overtrump: bool,
    ) -> None:
        self.pack = pack
        order = RANK_ORDERS[rank_order]
        self.above = tuple(
            pack.mask(rank + name[1] for rank in pack.ranks if order.index(rank) > at)
            for name in pack.names
            for at in (order.index(name[0]),)
        )
        """For each card the cards of its suit that beat it."""
        self.suit = tuple(pack.suits[suit] for suit in pack.suit_of)
        """For each card all cards of its suit."""
        self.plays = _plays(pack)
        self.must_head = must_head
        self.head_lapses = head_lapses_when_ruffed
        self.must_trump = must_trump
        self.must_overtrump = must_overtrump


@cache
def _plays(pack: Pack) -> tuple[tuple[tuple[int, int], ...], ...]:
    """(seat, card) of every seat and card: made once, since every card played is one of them."""
    return tuple(tuple((seat, card) for card in range(pack.size)) for seat in range(_MOST_SEATS))


class Trick:
    """The cards played so far to one trick, and the duties of whoever plays next."""

    __slots__ = (
        "beats", "head", "led", "mask", "over", "plays", "ruff", "rules", "trumps", "winner",
    )  # fmt: skip

    def __init__(self, rules: TrickRules, trumps: int) -> None:
        self.rules = rules
        self.plays: list[tuple[int, int]] = []
        """(seat, card) in playing order."""
        self.mask = 0
        self.led = 0
        """The suit that was led."""
        self.head = 0
        """Cards of that suit that beat all its cards here; 0 when there is no duty to head."""
        self.trumps = trumps
        """The trump suit, 0 without one; also 0 once it was itself led."""
        self.ruff = trumps if rules.must_trump else 0
        """The trumps that a seat without the led suit must choose from."""
        self.over = 0
        """Trumps that beat the best trump here; 0 when there is no duty to overtrump."""
        self.beats = 0
        """The cards that would win the trick now."""
        self.winner = -1

    def legal(self, hand: int) -> int:
        """The cards of a hand that may be played: follow and head, else trump and overtrump."""
        same = hand & self.led
        if same:
            return same & self.head or same
        trumps = hand & self.ruff
        return trumps & self.over or trumps or hand

    def legal_unbeaten(self, hand: int) -> int:
        """The same without the duties to head and overtrump."""
        return hand & self.led or hand & self.ruff or hand

    def lead(self, seat: int, card: int) -> None:
        """Play the first card."""
        rules = self.rules
        self.plays.append(rules.plays[seat][card])
        self.mask = rules.pack.bits[card]
        self.winner = seat
        self.led = led = rules.suit[card]
        above = rules.above[card]
        if rules.must_head:
            self.head = above
        if led == self.trumps:
            self.trumps = self.ruff = 0
        self.beats = above | self.trumps

    def follow(self, seat: int, card: int) -> None:
        """Play a further card."""
        rules = self.rules
        self.plays.append(rules.plays[seat][card])
        bit = rules.pack.bits[card]
        self.mask |= bit
        if bit & self.beats:
            self.winner = seat
            above = rules.above[card]
            if bit & self.led:
                self.beats = above | self.trumps
            else:
                self.beats = above
                if rules.must_overtrump:
                    self.over = above
                if rules.head_lapses:
                    self.head = 0
        if bit & self.head:
            self.head = rules.above[card]

    def excluded(self, card: int) -> int:
        """Cards that a seat which follows with `card` cannot hold: it did not meet those duties."""
        bit = 1 << card
        if bit & self.led:
            return 0 if bit & self.head else self.head
        if bit & self.ruff:
            return self.led | (0 if bit & self.over else self.over)
        return self.led | self.ruff

    def copy(self) -> Self:
        """An independent copy."""
        twin = object.__new__(type(self))
        twin.rules = self.rules
        twin.plays = self.plays.copy()
        twin.mask = self.mask
        twin.led = self.led
        twin.head = self.head
        twin.trumps = self.trumps
        twin.ruff = self.ruff
        twin.over = self.over
        twin.beats = self.beats
        twin.winner = self.winner
        return twin
