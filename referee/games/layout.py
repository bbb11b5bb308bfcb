"""Ways to lay unseen cards into the places where they can be, and one of them at random."""

from collections.abc import Iterator, Sequence
from math import comb
from random import Random


class Layout:
    """Ways to lay unseen cards into places of known size, where some cards fit some places only.

    A place is the hand of another seat, or one of the game's own such as cards that lie aside
    face down. Cards that fit the same places are a group; the groups are split over their places
    one by one, those with the least choice first, each split as often as it can be completed, so
    that every way is equally likely.
    """

    def __init__(self, fits: dict[int, int], room: tuple[int, ...]) -> None:
        """`fits` has the places of every card, as bits."""
        groups: dict[int, list[int]] = {}
        for card, places in fits.items():
            groups.setdefault(places, []).append(1 << card)
        self.groups = [
            ([place for place in range(len(room)) if places >> place & 1], bits)
            for places, bits in sorted(
                groups.items(), key=lambda item: (item[0].bit_count(), len(item[1]))
            )
        ]
        """(places, bits of the cards) of each group."""
        self.room = room
        self._known: dict[tuple[int, tuple[int, ...]], _Splits] = {}
        self._first = self._from(0, room)
        self.ways = self._first.ways

    def _from(self, at: int, room: tuple[int, ...]) -> "_Splits":
        """The splits of a group and of those after it into the room that is left."""
        known = self._known.get((at, room))
        if known is None:
            known = self._known[at, room] = _Splits()
            if at == len(self.groups):
                known.ways = 0 if any(room) else 1
            else:
                places, bits = self.groups[at]
                for share, left, ways in _shares(len(bits), places, room):
                    then = self._from(at + 1, left)
                    if then.ways:
                        known.add(share, then, ways * then.ways)
        return known

    def deal_out(self, rng: Random) -> list[int]:
        """One way at random, as a mask of cards for each place."""
        laid = [0] * len(self.room)
        splits = self._first
        for places, bits in self.groups:
            share, splits = splits.choose(rng)
            if len(places) == 1:
                laid[places[0]] |= sum(bits)
                continue
            rest = bits.copy()
            rng.shuffle(rest)
            start = 0
            for place, count in zip(places, share, strict=True):
                if count:
                    laid[place] |= sum(rest[start : start + count])
                    start += count
        return laid


class _Splits:
    """The splits of one group over its places, each with the number of ways that it opens."""

    __slots__ = ("cumulated", "found", "ways")

    def __init__(self) -> None:
        self.found: list[tuple[tuple[int, ...], _Splits]] = []
        """(cards for each place of the group, the splits of the next group then)."""
        self.cumulated: list[int] = []
        self.ways = 0

    def add(self, share: tuple[int, ...], then: "_Splits", ways: int) -> None:
        self.ways += ways
        self.found.append((share, then))
        self.cumulated.append(self.ways)

    def choose(self, rng: Random) -> "tuple[tuple[int, ...], _Splits]":
        if len(self.found) == 1:
            return self.found[0]
        return rng.choices(self.found, cum_weights=self.cumulated)[0]


def _shares(
    count: int, places: Sequence[int], room: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Every split of so many cards over places: (share of each, room left, ways to choose)."""
    if not places:
        if not count:
            yield (), room, 1
        return
    place, *others = places
    most = min(count, room[place])
    least = max(0, count - sum([room[other] for other in others]))
    for share in range(least, most + 1):
        left = (*room[:place], room[place] - share, *room[place + 1 :])
        for shares, rest, ways in _shares(count - share, others, left):
            yield (share, *shares), rest, ways * comb(count, share)
