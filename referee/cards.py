"""Cards, packs and the shuffle.

Outside the engine a card is a string, rank then suit (`TH` is the ten of hearts). Inside it is a
small int, its place in its pack, and a hand is an int bit mask of such places. A pack runs through
the suits S H D C and in each from 2 up to the ace, whatever order the ranks have in a trick: that
is also the order of cards in every `legal` list.
"""

from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from typing import NamedTuple

SUITS = "SHDC"
RANKS = "23456789TJQKA"


class Pack:
    """The cards that a game is played with: one of each given rank in every suit."""

    __slots__ = (
        "bits", "cards", "full", "index", "names", "ranks", "size", "suit_of", "suits", "width",
    )  # fmt: skip

    def __init__(self, ranks: str) -> None:
        self.ranks = ranks
        self.width = len(ranks)
        """Cards in one suit."""
        self.names = tuple(rank + suit for suit in SUITS for rank in ranks)
        self.index = {name: card for card, name in enumerate(self.names)}
        self.size = len(self.names)
        self.bits = tuple(1 << card for card in range(self.size))
        """The mask of each card: a look-up costs less than a shift."""
        self.full = (1 << self.size) - 1
        one = (1 << self.width) - 1
        self.suits = tuple(one << self.width * suit for suit in range(4))
        """The mask of each suit, in the order of SUITS."""
        self.suit_of = tuple(card // self.width for card in range(self.size))
        self.cards = lister(self.width, 0)
        """The cards of a mask, rising."""

    def texts(self, mask: int) -> list[str]:
        """The card strings of a mask, in pack order."""
        names = self.names
        return [names[card] for card in self.cards(mask)]

    def mask(self, names: Iterable[str]) -> int:
        """The mask of card strings; KeyError when one is not in the pack."""
        mask = 0
        for name in names:
            mask |= 1 << self.index[name]
        return mask


@cache
def runs_of(width: int, offset: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
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


Lister = Callable[[int], tuple[int, ...]]
"""Lists what a mask stands for, rising."""


@cache
def lister(width: int, offset: int) -> Lister:
    """What lists the members of a mask, all moved up by `offset`.

    A function of its own for each pack and offset, since hardly anything is called as often.
    """
    spades, hearts, diamonds, clubs = runs_of(width, offset)
    one, two, three = (1 << width) - 1, 2 * width, 3 * width

    def members(mask: int) -> tuple[int, ...]:
        return (
            spades[mask & one]
            + hearts[mask >> width & one]
            + diamonds[mask >> two & one]
            + clubs[mask >> three]
        )

    return members


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
        fair = _FAIR[count]
        while True:
            if self._at == len(self._stream):
                self._stream = sha256(self._seed + self._block.to_bytes(4, "big")).digest()
                self._at = 0
                self._block += 1
            byte = self._stream[self._at]
            self._at += 1
            if byte < fair:
                return byte % count


_FAIR = (256, *(256 - 256 % count for count in range(1, 257)))
"""For each count the bytes below which all its numbers are equally likely."""


def shuffled(key: DealKey, size: int) -> list[int]:
    """The pack of `size` cards in the order in which it is dealt.

    A Fisher-Yates shuffle from the top place down, whose numbers are the bytes of SHA-256 in
    counter mode over the hashed key; bytes that would favour some cards are passed over.

    >>> [len(shuffled(DealKey("", "", "", "", 0, 0, 0), size)) for size in (0, 1, 2, 36, 52)]
    [0, 1, 2, 36, 52]
    """
    # What `Draws.below` does, without a call for each card.
    seed = sha256(key.text().encode("ascii")).digest()
    order = list(range(size))
    left = size
    block = 0
    while left > 1:
        for byte in sha256(seed + block.to_bytes(4, "big")).digest():
            if byte < _FAIR[left]:
                place = byte % left
                left -= 1
                order[left], order[place] = order[place], order[left]
                if left == 1:
                    break
        block += 1
    return order


def commitment(secret: str) -> str:
    """What is published before the first card: the SHA-256 of the secret's hexadecimal text."""
    return sha256(secret.encode("ascii")).hexdigest()


def seed_for(key: DealKey, table: int, seat: int) -> int:
    """A bot's own random seed at one table: another branch of the secret, 53 bits."""
    text = f"seed|{key.text()}|{table}|{seat}"
    return int.from_bytes(sha256(text.encode("ascii")).digest()[:8], "big") >> 11
