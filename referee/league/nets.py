"""The nets of finished sets, kept as bare numbers: eight bytes each, and sixteen for a set."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import overload

Tables = tuple[tuple[float, ...], ...]
"""A set: a row of own nets for each table."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """One finished set: a row of own nets for each table, in the order of `pairing`."""

    pairing: tuple[str, ...]
    set: int
    nets: Tables


class PairingNets(Sequence[Tables]):
    """The sets of one pairing, its entrants in sorted order; as a sequence, the nets of each."""

    def __init__(self, width: int) -> None:
        self.width = width
        """Entrants at a table."""
        self.numbers = array("q")
        """Of each set."""
        self._nets = array("d")
        self._ends = array("q")
        """For each set: where its nets end."""

    def add(self, number: int, nets: Sequence[Sequence[float]]) -> None:
        """One set more."""
        self.numbers.append(number)
        self._nets.extend(chain.from_iterable(nets))
        self._ends.append(len(self._nets))

    def by_number(self) -> "PairingNets":
        """The same in the order of the sets' numbers; ValueError where one is there twice."""
        numbers, found = self.numbers, self
        if any(one >= other for one, other in pairwise(numbers)):
            found = PairingNets(self.width)
            for place in sorted(range(len(numbers)), key=numbers.__getitem__):
                found.add(numbers[place], self[place])
        for one, other in pairwise(found.numbers):
            if one == other:
                raise ValueError(f"set {one}: there are two results of this set")
        return found

    def below(self, number: int) -> "PairingNets":
        """Only the sets before this one."""
        sets, found = self.by_number(), PairingNets(self.width)
        end = bisect_left(sets.numbers, number)
        found.numbers, found._ends = sets.numbers[:end], sets._ends[:end]
        found._nets = sets._nets[: found._ends[-1] if end else 0]
        return found

    def largest(self) -> float:
        """The largest net either way."""
        return max(max(self._nets), -min(self._nets)) if self._nets else 0.0

    @overload
    def __getitem__(self, place: int) -> Tables: ...
    @overload
    def __getitem__(self, place: slice) -> list[Tables]: ...

    def __getitem__(self, place: int | slice) -> Tables | list[Tables]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        end = self._ends[place]
        place %= len(self)
        nets = self._nets[self._ends[place - 1] if place else 0 : end]
        return tuple(
            tuple(nets[start : start + self.width]) for start in range(0, len(nets), self.width)
        )

    def __len__(self) -> int:
        return len(self.numbers)


class Nets:
    """The nets of all sets of a league, by pairing."""

    def __init__(self) -> None:
        self.by_pairing: dict[tuple[str, ...], PairingNets] = {}

    def add(self, result: SetResult) -> None:
        """One set more; ValueError where its rows are not of its pairing."""
        pairing = result.pairing
        if not result.nets or any(len(nets) != len(pairing) for nets in result.nets):
            raise ValueError(
                f"pairing {'+'.join(pairing)}, set {result.set}: expected tables with "
                f"{len(pairing)} nets each, not {result.nets!r}"
            )
        order = sorted(range(len(pairing)), key=pairing.__getitem__)
        key = tuple(pairing[place] for place in order)
        sets = self.by_pairing.get(key)
        if sets is None:
            sets = self.by_pairing[key] = PairingNets(len(key))
        sets.add(result.set, [[nets[place] for place in order] for nets in result.nets])

    def below(self, number: int) -> "Nets":
        """Only the sets before this one, of every pairing."""
        found = Nets()
        for pairing, sets in self.by_pairing.items():
            if some := sets.below(number):
                found.by_pairing[pairing] = some
        return found

    def largest(self) -> float:
        """The largest net either way; 0 of none."""
        return max((sets.largest() for sets in self.by_pairing.values()), default=0.0)

    def __iter__(self) -> Iterator[SetResult]:
        for pairing, sets in self.by_pairing.items():
            for number, nets in zip(sets.numbers, sets, strict=True):
                yield SetResult(pairing, number, nets)

    def __len__(self) -> int:
        return sum(map(len, self.by_pairing.values()))
