"""
The standings of a league and its crosstable, from the nets of finished sets and nothing else.

Every mean is one of own nets: after a forfeit the nets of a table need not sum to zero, and nobody
gains by another's fault. An entrant's net is its field average, the mean over its pairings with
equal weight, however many sets each has. The same code serves pairings of two sides and of three
or four individuals, because the variance of a difference is always taken from the difference
within each set: for two sides that is 2 D, where D = (own net - the other's) / 2.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Literal

from referee.league import stats
from referee.league.nets import Nets, PairingNets, SetResult
from referee.league.stats import Interval

Significance = Literal["", "*", "**"]

IDENTICAL_SETS = 30
"""So many sets without a single net point say that a pairing plays identically."""

FEW_INFORMATIVE = "few informative deals"
IDENTICAL = "identical play so far"
NOT_ALL_MET = "not everyone has met everyone yet: nets are against different fields"
SEPARATE_GROUPS = "no pairings connect all entrants: ratings compare within a group only"
LOW_GAIN = "the duplicate gain is below 1.1: replaying the deals cancels almost nothing"


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's line. An unrated one, without a single set, has no ranks and no rating."""

    rank: int | None
    """1 + the number of entrants with a higher net."""
    rank_low: int | None
    """The best rank it can still have; all ranges hold at once."""
    rank_high: int | None
    entrant: str
    sets: int
    tables: int
    net: Interval
    """Field average, net points per table; its `sd` is its standard error * sqrt(sets)."""
    rating: float | None
    """Least squares, net points per table, around 0; see `stats.ratings`."""
    pairings_won: int
    pairings_drawn: int
    pairings_lost: int
    unrated: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """
    Own nets of one entrant over the sets in which another sat at the table, too.

    `*`: one of the two has the higher mean net by this comparison alone; `**`: also when all
    comparisons of the table are to be right at once.
    """

    net: Interval
    significance: Significance


@dataclass(frozen=True, slots=True)
class PairingSummary:
    """What is known of one pairing: entrants in sorted order."""

    pairing: tuple[str, ...]
    sets: int
    tables: int
    informative: int
    """Sets in which the nets of the entrants differ."""
    difference: Interval | None
    """Two sides: D, half the difference of the nets, first entrant minus second."""
    sets_won: int | None
    """Two sides: sets in which the first entrant has the higher net."""
    sets_lost: int | None
    sign_test: float | None
    """Two sides: exact two-sided sign test over the sets that were won or lost."""
    duplicate_gain: float | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeagueTable:
    """Rows from the highest net down, the unrated last; cells by (entrant, other)."""

    rows: tuple[Row, ...]
    cells: dict[tuple[str, str], Cell]
    pairings: tuple[PairingSummary, ...]
    duplicate_gain: float | None
    notes: tuple[str, ...]
    confidence: float


def standings(
    results: Iterable[SetResult],
    entrants: Sequence[str],
    k: int,
    confidence: float = 0.95,
    max_swing: float | None = None,
) -> LeagueTable:
    """
    The table of a league in which k entrants meet at a time (2 also for two sides of partners).

    `max_swing` is the largest net of a set that the rules allow; without it the largest that the
    league has seen pads the intervals of pairings with few informative deals. The order of
    `results` and `entrants` makes no difference. Sets that miss a table are the caller's to leave
    out; an entrant with no set at all is listed last, unrated.
    """
    if len(set(entrants)) != len(entrants):
        raise ValueError(f"every entrant needs an id of its own, not {sorted(entrants)!r}")
    by_pairing = _gathered(results, frozenset(entrants), k)
    rated = sorted({entrant for pairing in by_pairing for entrant in pairing})
    number = {entrant: i for i, entrant in enumerate(rated)}
    played = [Played(tuple(number[e] for e in p), sets) for p, sets in by_pairing.items()]
    field = Field(played, len(rated), confidence, max_swing)
    idle = sorted(set(entrants) - set(rated))
    gain = stats.pooled_gain(column for pairing in played for column in pairing.columns)
    return LeagueTable(
        rows=(*_rows(field, rated), *map(_unrated_row, idle)),
        cells={
            (rated[i], rated[j]): Cell(field.against(i, j), field.significance(i, j))
            for i, j in permutations(range(len(rated)), 2)
            if field.shared(i, j)
        },
        pairings=tuple(_summary(field, p, tuple(rated[i] for i in p.members)) for p in played),
        duplicate_gain=gain,
        notes=_notes(field, gain),
        confidence=confidence,
    )


class Played:
    """The sets of one pairing, in the order of their numbers."""

    def __init__(self, members: tuple[int, ...], sets: Sequence[Sequence[Sequence[float]]]) -> None:
        self.members = members
        self._sets = sets
        self.sets = len(sets)
        self.tables = sum(len(tables) for tables in sets)
        own = [array("d") for _ in members]
        for tables in sets:
            for values, column in zip(own, zip(*tables, strict=True), strict=True):
                values.append(_unrounded(math.fsum(column) / len(column)))
        self.own = dict(zip(members, own, strict=True))
        """Per member: per set: mean own net, the number that all statistics start from."""

    @property
    def columns(self) -> Iterator[Iterator[list[float]]]:
        """Per member: per set: own net at each table."""
        for place in range(len(self.members)):
            yield ([nets[place] for nets in tables] for tables in self._sets)

    @cached_property
    def spreads(self) -> "array[float]":
        """Per set: how far apart the best and the worst net are."""
        columns = zip(*self.own.values(), strict=True)
        return array("d", (max(nets) - min(nets) for nets in columns))

    def difference(self, i: int, j: int) -> "array[float]":
        """Per set: own net of i minus own net of j; 2 D for two sides."""
        pairs = zip(self.own[i], self.own[j], strict=True)
        return array("d", (_unrounded(a - b) for a, b in pairs))


def _unrounded(net: float) -> float:
    return 0.0 if abs(net) <= stats.ZERO else net


class Field:
    """The means of own nets of every entrant, 0..entrants-1, and how they compare."""

    def __init__(
        self,
        pairings: Sequence[Played],
        entrants: int,
        confidence: float,
        max_swing: float | None,
    ) -> None:
        self.pairings = pairings
        self.entrants = entrants
        self.confidence = confidence
        seen = (abs(net) for p in pairings for nets in p.own.values() for net in nets)
        self.swing = max(max_swing or 0.0, max(seen, default=0.0))
        self.pairings_of = [[p for p in pairings if i in p.own] for i in range(entrants)]
        self._own = {(i, p.members): self._mean(p.own[i]) for p in pairings for i in p.members}
        self.averages = [self._average(i) for i in range(entrants)]

    def _mean(self, values: Sequence[float], scale: float = 1.0) -> Interval:
        return stats.mean_interval(values, self.confidence, self.swing * scale)

    def own(self, i: int, pairing: Played) -> Interval:
        """Own nets of i in one of its pairings."""
        return self._own[i, pairing.members]

    def _average(self, i: int) -> Interval:
        """
        Field average of i: the mean over its pairings, equal weight, with its t interval.

        Pairings have their own deals, so the variance of the sum is the sum of variances.
        """
        parts = [self.own(i, p) for p in self.pairings_of[i]]
        total, df = stats.sum_of_means((part.se**2, part.df) for part in parts)
        se, sets = total / len(parts), sum(part.n for part in parts)
        return Interval(
            mean=math.fsum(part.mean for part in parts) / len(parts),
            half_width=stats.half_width(se, df, self.confidence),
            n=sets,
            sd=se * math.sqrt(sets),
            df=df,
            padded=any(part.padded for part in parts),
        )

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """
        Standard error of the difference of two field averages, with its degrees of freedom.

        Pairings of only one of the two add their variance. Where both sit, their nets hang
        together, and the variance is that of the weighted difference within each set. With two
        sides and equal weights 1/(m-1) this comes to 4 Var(mean D) / (m-1)^2.
        """
        a, b = 1.0 / len(self.pairings_of[i]), 1.0 / len(self.pairings_of[j])
        shared = self.shared(i, j)
        parts = []
        for entrant, weight in ((i, a), (j, b)):
            apart = (p for p in self.pairings_of[entrant] if i not in p.own or j not in p.own)
            parts += [(self.own(entrant, p), weight) for p in apart]
        for p in shared:
            pairs = zip(p.own[i], p.own[j], strict=True)
            gaps = array("d", (_unrounded(a * x - b * y) for x, y in pairs))
            parts.append((self._mean(gaps, a + b), 1.0))
        return stats.sum_of_means(((weight * part.se) ** 2, part.df) for part, weight in parts)

    def shared(self, i: int, j: int) -> list[Played]:
        """The pairings in which both sit."""
        return [p for p in self.pairings_of[i] if j in p.own]

    def against(self, i: int, j: int) -> Interval:
        """Own nets of i over all sets in which j sat at the table, too."""
        shared = self.shared(i, j)
        if len(shared) == 1:
            return self.own(i, shared[0])
        return self._mean(array("d", (net for p in shared for net in p.own[i])))

    def significance(self, i: int, j: int) -> Significance:
        """Whether the nets of i and j in the sets they shared differ by more than chance."""
        gaps = (gap for p in self.shared(i, j) for gap in p.difference(i, j))
        gap = self._mean(array("d", gaps), 2.0)
        if gap.df <= 0.0 or math.isinf(gap.se):
            return ""
        if abs(gap.mean) > stats.bonferroni(self.entrants, gap.df, self.confidence) * gap.se:
            return "**"
        return "*" if abs(gap.mean) > gap.half_width else ""

    def rank_ranges(self) -> list[tuple[int, int]]:
        """Ranks of field averages that hold all at once, by Bonferroni's critical values."""
        pairs = combinations(range(self.entrants), 2)
        found = {pair: self.difference(*pair) for pair in pairs}

        def critical(i: int, j: int) -> float:
            df = found[i, j][1]
            return stats.bonferroni(self.entrants, df, self.confidence) if df > 0.0 else math.inf

        means = [average.mean for average in self.averages]
        return stats.rank_ranges(means, lambda i, j: found[i, j][0], critical)

    def ratings(self) -> list[float | None]:
        """Least squares over all pairings, see `stats.ratings`."""
        return stats.ratings(
            self.entrants,
            [p.members for p in self.pairings],
            [[self.own(i, p).mean for i in p.members] for p in self.pairings],
            [p.sets for p in self.pairings],
        )


def _gathered(
    results: Iterable[SetResult], entrants: frozenset[str], k: int
) -> dict[tuple[str, ...], PairingNets]:
    """Sorted pairing -> its sets in the order of their numbers."""
    nets = results
    if not isinstance(nets, Nets):
        nets = Nets()
        for result in results:
            _check_pairing(result.pairing, result.set, entrants, k)
            nets.add(result)
    found = {}
    for pairing, sets in sorted(nets.by_pairing.items()):
        _check_pairing(pairing, sets.numbers[0], entrants, k)
        try:
            found[pairing] = sets.by_number()
        except ValueError as error:
            raise ValueError(f"pairing {'+'.join(pairing)}, {error}") from None
    return found


def _check_pairing(
    pairing: tuple[str, ...], number: int, entrants: frozenset[str], k: int
) -> None:
    where = f"pairing {'+'.join(pairing)}, set {number}"
    if len(set(pairing)) != k or len(pairing) != k:
        raise ValueError(f"{where}: expected {k} different entrants")
    if unknown := sorted(set(pairing) - entrants):
        raise ValueError(f"{where}: {unknown[0]!r} is no entrant of the league")


def _rows(field: Field, rated: Sequence[str]) -> list[Row]:
    """Rows of the entrants that played, the highest net first, equal nets by id."""
    ranges, ratings = field.rank_ranges(), field.ratings()
    # Thirds of a point are averaged along different ways: equal nets may differ by rounding.
    means = [round(average.mean, 9) for average in field.averages]
    rows = []
    for i in sorted(range(len(rated)), key=lambda i: (-means[i], rated[i])):
        outcomes = [_outcome(pairing, i) for pairing in field.pairings_of[i]]
        rows.append(
            Row(
                rank=1 + sum(mean > means[i] for mean in means),
                rank_low=ranges[i][0],
                rank_high=ranges[i][1],
                entrant=rated[i],
                sets=sum(pairing.sets for pairing in field.pairings_of[i]),
                tables=sum(pairing.tables for pairing in field.pairings_of[i]),
                net=field.averages[i],
                rating=ratings[i],
                pairings_won=outcomes.count("won"),
                pairings_drawn=outcomes.count("drawn"),
                pairings_lost=outcomes.count("lost"),
                unrated=False,
            )
        )
    return rows


def _unrated_row(entrant: str) -> Row:
    return Row(None, None, None, entrant, 0, 0, stats.UNKNOWN, None, 0, 0, 0, unrated=True)


def _outcome(pairing: Played, i: int) -> Literal["won", "drawn", "lost"]:
    """A pairing is won by the one with the highest net over its sets, and drawn by several."""
    margin = min(math.fsum(pairing.difference(i, j)) for j in pairing.members if j != i)
    if abs(margin) <= stats.ZERO * pairing.sets:
        return "drawn"
    return "won" if margin > 0.0 else "lost"


def _summary(field: Field, pairing: Played, names: tuple[str, ...]) -> PairingSummary:
    informative = sum(spread > stats.ZERO for spread in pairing.spreads)
    difference = won = lost = chance = None
    if len(names) == 2:
        halves = array("d", (gap / 2.0 for gap in pairing.difference(*pairing.members)))
        difference = stats.mean_interval(halves, field.confidence, field.swing)
        won, lost = sum(half > 0.0 for half in halves), sum(half < 0.0 for half in halves)
        chance = stats.sign_test(won, lost)
    notes: tuple[str, ...] = ()
    if pairing.sets >= IDENTICAL_SETS and not any(map(any, pairing.own.values())):
        notes = (IDENTICAL,)
    elif informative < stats.MIN_INFORMATIVE:
        notes = (FEW_INFORMATIVE,)
    return PairingSummary(
        pairing=names,
        sets=pairing.sets,
        tables=pairing.tables,
        informative=informative,
        difference=difference,
        sets_won=won,
        sets_lost=lost,
        sign_test=chance,
        duplicate_gain=stats.pooled_gain(pairing.columns),
        notes=notes,
    )


def _notes(field: Field, gain: float | None) -> tuple[str, ...]:
    """What a reader of the whole table has to know."""
    notes = []
    if not all(field.shared(i, j) for i, j in combinations(range(field.entrants), 2)):
        notes.append(NOT_ALL_MET)
    groups = stats.connected_groups(field.entrants, [p.members for p in field.pairings])
    if len(groups) > 1:
        notes.append(SEPARATE_GROUPS)
    if gain is not None and gain < 1.1 and sum(p.sets for p in field.pairings) >= IDENTICAL_SETS:
        notes.append(LOW_GAIN)
    return tuple(notes)
