"""Marriages: a king and a queen of one suit, the three ways to make trump with them.

A suit is *open* while it is undeclared and neither its king nor its queen has been played: public
facts, so what may be asked gives nothing away.
"""

from typing import Literal

from referee.cards import Pack

AskHalf = Literal["none", "own_half", "any"]


class Marriages:
    """The kings and queens of a pack as masks, and who may declare or ask what."""

    __slots__ = ("ask_half", "ask_whole", "kings_queens", "royals", "suit_of_royal")

    def __init__(self, pack: Pack, *, ask_whole: bool, ask_half: AskHalf) -> None:
        self.ask_whole = ask_whole
        self.ask_half = ask_half
        self.kings_queens = tuple(pack.mask(("K" + suit, "Q" + suit)) for suit in "SHDC")
        """King and queen of each suit, in the order S H D C."""
        self.royals = sum(self.kings_queens)
        self.suit_of_royal = {
            1 << card: pack.suit_of[card] for card in pack.cards(self.royals)
        }
        """The suit of a king's or queen's bit."""

    def whole(self, hand: int, open_royals: int) -> list[int]:
        """Open suits of which the hand holds both: they can be declared."""
        held = hand & open_royals
        return [suit for suit, pair in enumerate(self.kings_queens) if held & pair == pair]

    def halves(self, hand: int, open_royals: int) -> list[int]:
        """Open suits whose missing half the hand's seat may ask its partner for."""
        if self.ask_half == "none":
            return []
        held = hand & open_royals
        anything = self.ask_half == "any"
        return [
            suit
            for suit, pair in enumerate(self.kings_queens)
            if open_royals & pair and held & pair != pair and (anything or held & pair)
        ]

    def may_ask_whole(self, hand: int, open_royals: int) -> bool:
        """Whether a whole may be asked for: some suit is open and two cards are left."""
        return self.ask_whole and open_royals != 0 and hand & (hand - 1) != 0

    def answer_half(self, partner: int, suit: int) -> bool:
        """What the partner's hand makes it say: it holds the king or the queen, or both."""
        return partner & self.kings_queens[suit] != 0

    def joined(self, asker: int, partner: int, suit: int) -> bool:
        """Whether asker and partner hold one half each, which makes trump at once."""
        pair = self.kings_queens[suit]
        one = asker & pair
        other = partner & pair
        return one != 0 and other != 0 and one | other == pair and one & other == 0
