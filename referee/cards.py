"""Cards, packs and the shuffle.

Outside the engine a card is a string, rank then suit (`TH` is the ten of hearts). Inside it is a
small int, its place in its pack, and a hand is an int bit mask of such places. A pack runs through
the suits S H D C and in each from 2 up to the ace, whatever order the ranks have in a trick: that
is also the order of cards in every `legal` list.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import NamedTuple, TypeVar

SUITS = "SHDC"
RANKS = "23456789TJQKA"


class Pack:
    """The cards that a game is played with: one of each given rank in every suit."""

    __slots__ = ("_runs", "full", "index", "names", "ranks", "size", "suit_of", "suits", "width")

    def __init__(self, ranks: str) -> None:
        self.ranks = ranks
        self.width = len(ranks)
        """Cards in one suit."""
        self.names = tuple(rank + suit for suit in SUITS for rank in ranks)
        self.index = {name: card for card, name in enumerate(self.names)}
        self.size = len(self.names)
        self.full = (1 << self.size) - 1
        one = (1 << self.width) - 1
        self.suits = tuple(one << self.width * suit for suit in range(4))
        """The mask of each suit, in the order of SUITS."""
        self.suit_of = tuple(card // self.width for card in range(self.size))
        self._runs = runs_of(self.width, 0)

    def cards(self, mask: int) -> tuple[int, ...]:
        """The cards of a mask, rising."""
        return members(mask, self._runs, self.width)

    def texts(self, mask: int) -> list[str]:
        """The card strings of a mask, in pack order."""
        names = self.names
        return [names[card] for card in members(mask, self._runs, self.width)]

    def mask(self, names: Iterable[str]) -> int:
        """The mask of card strings; KeyError when one is not in the pack."""
        mask = 0
        for name in names:
            mask |= 1 << self.index[name]
        return mask


Member = TypeVar("Member")
Runs = tuple[tuple[tuple[Member, ...], ...], ...]


@cache
def runs_of(width: int, offset: int) -> Runs[int]:
    """For each suit, for each subset of it, its members as rising ints, all moved up by `offset`.

    Listing the members of a hand is four look-ups, or one when the suit is known.
    """
    return tuple(
        tuple(
            tuple(offset + suit * width + bit for bit in range(width) if subset >> bit & 1)
            for subset in range(1 << width)
        )
        for suit in range(4)
    )


def members(mask: int, runs: Runs[Member], width: int) -> tuple[Member, ...]:
    """The members of a mask, rising, by tables such as those of `runs_of`."""
    one = (1 << width) - 1
    spades, hearts, diamonds, clubs = runs
    return (
        spades[mask & one]
        + hearts[mask >> width & one]
        + diamonds[mask >> 2 * width & one]
        + clubs[mask >> 3 * width]
    )


class DealKey(NamedTuple):
    """What decides the cards of a deal, and nothing else does (PROTOCOL.md, "The shuffle")."""

    secret: str
    """The league secret: 64 lowercase hexadecimal digits."""
    game: str
    ruleset: str
    pairing: str
    set: int
    deal: int
    redeal: int

    def text(self) -> str:
        """The key as the text that is hashed."""
        secret, game, ruleset, pairing, number, deal, redeal = self
        return f"{secret}|{game}|{ruleset}|{pairing}|{number}|{deal}|{redeal}"


class Draws:
    """Fair numbers from a text: the same bytes in the same way as the shuffle."""

    __slots__ = ("_at", "_block", "_seed", "_stream")

    def __init__(self, text: str) -> None:
        self._seed = sha256(text.encode("ascii")).digest()
        self._stream = b""
        self._at = 0
        self._block = 0

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1, for counts up to 256."""
        fair = 256 - 256 % count
        while True:
            if self._at == len(self._stream):
                self._stream = sha256(self._seed + self._block.to_bytes(4, "big")).digest()
                self._at = 0
                self._block += 1
            byte = self._stream[self._at]
            self._at += 1
            if byte < fair:
                return byte % count


def shuffled(key: DealKey, size: int) -> list[int]:
    """The pack of `size` cards in the order in which it is dealt.

    A Fisher-Yates shuffle from the top place down, whose numbers are the bytes of SHA-256 in
    counter mode over the hashed key; bytes that would favour some cards are passed over.
    """
    below = Draws(key.text()).below
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        place = below(last + 1)
        order[last], order[place] = order[place], order[last]
    return order


def commitment(secret: str) -> str:
    """What is published before the first card: the SHA-256 of the secret's hexadecimal text."""
    return sha256(secret.encode("ascii")).hexdigest()


def seed_for(key: DealKey, table: int, seat: int) -> int:
    """A bot's own random seed at one table: another branch of the secret, 53 bits."""
    text = f"seed|{key.text()}|{table}|{seat}"
    return int.from_bytes(sha256(text.encode("ascii")).digest()[:8], "big") >> 11
