"""What a view says about the cards: which are out, which beat which, who is winning the trick.

Rules of thumb for all games (greedy.py) rest on it. It looks at one ask alone.
"""

from protocol.messages import AnyView, Start

SUITS = "SHDC"
ACE_TEN = "23456789JQKTA"
PLAIN = "23456789TJQKA"
ACE_LOW = "A23456789TJQK"
"""Ranks from low to high."""


class Reading:
    """One ask, read."""

    def __init__(self, view: AnyView, start: Start, order: str, size: int) -> None:
        """`order` has the ranks from low to high; the pack has `size` cards, from the ace down."""
        self.seat = view.seat
        self.hand = view.hand
        self.trick = view.trick
        self.trump = view.trump
        self.sides = start.sides
        self.side = start.sides[view.seat]
        self.partners = start.sides.count(self.side) > 1
        ranks = PLAIN[-size // 4 :]
        self.pack = [rank + suit for suit in SUITS for rank in ranks]
        steps = [rank for rank in order if rank in ranks]
        self.strength = {card: steps.index(card[0]) for card in self.pack}
        self.played = {action for _, action in view.history if action in self.strength}
        self.unseen = set(self.pack) - self.played - {*view.hand}
        """Cards that may be in other hands."""

    def length(self, suit: str) -> int:
        """Cards of a suit in hand."""
        return sum(card[1] == suit for card in self.hand)

    def count(self, ranks: str) -> int:
        """Cards of these ranks in hand."""
        return sum(card[0] in ranks for card in self.hand)

    def beats(self, card: str, other: str) -> bool:
        """Whether a card beats another that was played before it."""
        if card[1] == other[1]:
            return self.strength[card] > self.strength[other]
        return card[1] == self.trump

    def master(self, card: str) -> bool:
        """Whether no unseen card of its suit beats this one."""
        return not any(self.beats(other, card) for other in self.unseen if other[1] == card[1])

    def winning(self) -> tuple[int, str]:
        """(seat, card) of who is winning the trick; there must be one."""
        best_seat, best = self.trick[0]
        for seat, card in self.trick[1:]:
            if self.beats(card, best):
                best_seat, best = seat, card
        return best_seat, best

    def follows(self, cards: list[str]) -> bool:
        """Whether these legal cards are of the suit that was led; there must be a trick."""
        led = self.trick[0][1][1]
        return cards[0][1] == led

    def ours(self, seat: int) -> bool:
        """Whether a seat is of one's own side."""
        return self.sides[seat] == self.side
