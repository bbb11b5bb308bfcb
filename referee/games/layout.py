"""Ways to lay unseen cards into the places where they can be, and one of them at random."""

from collections.abc import Iterator, Sequence
from math import comb
from random import Random


class Layout:
    """Ways to lay unseen cards into places of known size, where some cards fit some places only.

    A place is the hand of another seat, or the last one: cards that lie aside face down. Cards
    that fit the same places are a group; the groups are split over their places one by one, each
    split as often as it can be completed, so that every way is equally likely.
    """

    def __init__(self, fits: dict[int, int], room: tuple[int, ...]) -> None:
        """`fits` has the places of every card, as bits."""
        groups: dict[int, list[int]] = {}
        for card, places in fits.items():
            groups.setdefault(places, []).append(card)
        self.groups = [
            ([place for place in range(len(room)) if places >> place & 1], cards)
            for places, cards in sorted(groups.items(), key=lambda item: len(item[1]))
        ]
        self.room = room
        self._splits: dict[tuple[int, tuple[int, ...]], _Splits] = {}
        self.ways = self._from(0, room).ways

    def _from(self, at: int, room: tuple[int, ...]) -> "_Splits":
        """The splits of a group and of those after it into the room that is left."""
        known = self._splits.get((at, room))
        if known is None:
            known = self._splits[at, room] = _Splits()
            if at == len(self.groups):
                known.ways = 0 if any(room) else 1
            else:
                places, cards = self.groups[at]
                for share, left, ways in _shares(len(cards), places, room):
                    ways *= self._from(at + 1, left).ways
                    if ways:
                        known.add(share, left, ways)
        return known

    def deal_out(self, rng: Random) -> list[int]:
        """One way at random, as a mask of cards for each place."""
        laid = [0] * len(self.room)
        room = self.room
        for at, (places, cards) in enumerate(self.groups):
            share, room = self._splits[at, room].choose(rng)
            rest = cards
            if len(places) > 1:
                rest = cards.copy()
                rng.shuffle(rest)
            end = 0
            for place, count in zip(places, share, strict=True):
                start, end = end, end + count
                for card in rest[start:end]:
                    laid[place] |= 1 << card
        return laid


class _Splits:
    """The splits of one group over its places, each with the number of ways that it opens."""

    __slots__ = ("cumulated", "found", "ways")

    def __init__(self) -> None:
        self.found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        """(cards for each place of the group, room left in all places)."""
        self.cumulated: list[int] = []
        self.ways = 0

    def add(self, share: tuple[int, ...], left: tuple[int, ...], ways: int) -> None:
        self.ways += ways
        self.found.append((share, left))
        self.cumulated.append(self.ways)

    def choose(self, rng: Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
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
