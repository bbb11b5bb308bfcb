"""What a report shows besides the standings, read off the deals of the same logs.

Standings, crosstable, faults and duplicate gain are the sheet's own; what is added here comes of
one pass over the deals, each played again by the rules.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import overload

from msgspec import Struct, field
from msgspec.structs import replace

from referee.games.game import Deal, Game, Unit, nets
from referee.games.rulesets import game_from
from referee.games.whist import WhistGame
from referee.league.nets import PairingNets
from referee.league.results import LeagueResults
from referee.league.rows import Contract, contract_of
from referee.league.schedule import pairing_id
from referee.league.stats import Interval
from referee.log import SideRecord
from referee.retelling import Retelling, told
from referee.show.standings import Sheet
from referee.table import PlayRecord

CHECKPOINTS = 24
"""So many times within a league its nets are worked out anew to draw their progress."""
BIN_EDGES: tuple[float, ...] = tuple(
    round(step * 10.0**power, 9) for power in range(-2, 6) for step in (1, 2, 5)
)
"""Where the bins of decision times begin, in milliseconds; before the first is one more."""
LEVELS = 16
"""Rows that contracts of points are shown in at most; where there are more, they are grouped."""


class Point(Struct, frozen=True, kw_only=True):
    """An entrant's net when every pairing had so many sets at most."""

    sets: int
    net: Interval


class Spent(Struct, frozen=True, kw_only=True):
    """How long an entrant's decisions took, in milliseconds."""

    decisions: int
    mean: float
    median: float
    p95: float
    p99: float
    worst: float
    bins: tuple[int, ...]
    """Decisions before the first of `BIN_EDGES`, between them, and after the last."""


class Means(Struct, kw_only=True):
    """A mean in the making."""

    number: int = 0
    total: float = 0.0

    def add(self, value: float) -> None:
        """One value more."""
        self.number += 1
        self.total += value

    @property
    def mean(self) -> float | None:
        """The mean; null of nothing."""
        return self.total / self.number if self.number else None


class Tried(Struct, kw_only=True):
    """How often something was tried, and came off."""

    made: int = 0
    failed: int = 0

    def add(self, made: bool) -> None:
        """One try more."""
        if made:
            self.made += 1
        else:
            self.failed += 1

    @property
    def tries(self) -> int:
        """All of them."""
        return self.made + self.failed

    @property
    def percent(self) -> float | None:
        """The share that came off; null of no try."""
        return 100 * self.made / self.tries if self.tries else None


class Seats(Struct, kw_only=True):
    """Mean net of a deal by who sat where."""

    by_seat: dict[tuple[str | None, int], Means] = {}
    """(entrant, or null for everybody, seat)."""
    from_dealer: dict[tuple[str | None, int], Means] = {}
    """(entrant or null, places to the left of the dealer)."""

    def add(self, play: PlayRecord, by_side: Sequence[float], sides: Sequence[int]) -> None:
        """One deal more."""
        for seat, entrant in enumerate(play.seats):
            place = (seat - play.dealer) % len(play.seats)
            for who in (entrant, None):
                net = by_side[sides[seat]]
                self.by_seat.setdefault((who, seat), Means()).add(net)
                self.from_dealer.setdefault((who, place), Means()).add(net)


class Contracts(Struct, kw_only=True):
    """What was declared, and how it ended."""

    points: dict[int, Tried] = {}
    """Contracts of points, by their size."""
    by_entrant: dict[str, Tried] = {}
    """The same by who declared."""
    declared: Counter[str] = field(default_factory=Counter)
    """Points of all contracts of an entrant together."""
    words: dict[tuple[str, str], Tried] = {}
    """(entrant, word): takers by who bid, `sooli` by who played it, losers for everybody."""
    passed: int = 0
    """Deals in which nobody declared, where contracts are of points."""

    def add(self, game: Game, play: PlayRecord, contract: Contract, net: Sequence[float]) -> None:
        """One deal more."""
        player = contract.declarer if contract.soloist is None else contract.soloist
        if contract.contract is None:
            self.passed += 1
        elif player is None:
            for entrant, side in {e: game.sides[s] for s, e in enumerate(play.seats)}.items():
                self._word(entrant, str(contract.contract)).add(net[side] > 0)
        elif isinstance(contract.contract, int):
            assert contract.made is not None
            entrant = play.seats[player]
            self.points.setdefault(contract.contract, Tried()).add(contract.made)
            self.by_entrant.setdefault(entrant, Tried()).add(contract.made)
            self.declared[entrant] += contract.contract
        else:
            self._word(play.seats[player], contract.contract).add(contract.made is True)

    def _word(self, entrant: str, word: str) -> Tried:
        return self.words.setdefault((entrant, word), Tried())

    def levels(self) -> list[tuple[str, Tried]]:
        """Contracts of points from the lowest up, grouped where there are too many sizes."""
        width, sizes = 1, sorted(self.points)
        for width in (1, 10, 20, 50, 100):
            if len({size // width for size in sizes}) <= LEVELS:
                break
        found: dict[int, Tried] = {}
        for size in sizes:
            group = found.setdefault(size // width, Tried())
            group.made += self.points[size].made
            group.failed += self.points[size].failed
        names = {g: str(g) if width == 1 else f"{g * width}-{g * width + width - 1}" for g in found}
        return [(names[group], tried) for group, tried in found.items()]


class SetLine(Struct, frozen=True, kw_only=True):
    """A set of a pairing."""

    number: int
    nets: tuple[tuple[float, ...], ...]
    """By table: nets in the order of the pairing's entrants."""

    @property
    def means(self) -> tuple[float, ...]:
        """Mean net of each entrant."""
        columns = zip(*self.nets, strict=True)
        return tuple(math.fsum(column) / len(self.nets) for column in columns)

    @property
    def spread(self) -> float:
        """How far apart the best and the worst entrant are."""
        return max(self.means) - min(self.means)


class SetLines(Sequence[SetLine]):
    """The sets of a pairing in the order of their numbers, each line made when it is wanted."""

    def __init__(self, nets: PairingNets) -> None:
        self._nets = nets.by_number()

    @overload
    def __getitem__(self, place: int) -> SetLine: ...
    @overload
    def __getitem__(self, place: slice) -> list[SetLine]: ...

    def __getitem__(self, place: int | slice) -> SetLine | list[SetLine]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return SetLine(number=self._nets.numbers[place], nets=self._nets[place])

    def __len__(self) -> int:
        return len(self._nets)


class Facts(Struct, frozen=True, kw_only=True):
    """Everything that a report shows of one game."""

    sheet: Sheet
    words: tuple[str, ...]
    """What may be declared where it is a word, takers first."""
    progress: dict[str, list[Point]]
    """By entrant."""
    spent: dict[str, Spent]
    """By entrant, in the order of the standings."""
    seats: Seats
    contracts: Contracts
    sets: dict[str, SetLines]
    """By pairing."""


def facts_of(sheet: Sheet) -> Facts:
    """Read everything off a sheet's logs; raises LogMismatch where the rules do not allow one."""
    results = sheet.results
    game = results.game
    seats, contracts = Seats(), Contracts()
    times: dict[str, Counter[float]] = {}
    for play, side, contract in _deals(sheet):
        by_side = play.nets if play.nets is not None and sheet.unit == "deal" else nets(play.points)
        seats.add(play, by_side, game.sides)
        contracts.add(game, play, contract, nets(play.points))
        for seat, _, ms in side.times:
            times.setdefault(play.seats[seat], Counter())[ms] += 1
    nets_of = results.results.by_pairing
    sets = {
        pairing_id(pairing): SetLines(nets_of[pairing])
        for pairing in sorted(nets_of, key=lambda pairing: min(nets_of[pairing].numbers))
    }
    return Facts(
        sheet=sheet,
        words=_words(game),
        progress=_progress(results),
        spent={
            row.entrant: _spent(times[row.entrant])
            for row in sheet.table.rows
            if row.entrant in times
        },
        seats=seats,
        contracts=contracts,
        sets=sets,
    )


def _words(game: Game) -> tuple[str, ...]:
    if not isinstance(game, WhistGame):
        return ()
    return (game.high, game.low, *(["sooli"] if "sooli" in game.index else []))


def _deals(sheet: Sheet) -> Iterable[tuple[PlayRecord, SideRecord, Contract]]:
    """Every deal of the logs with its contract."""
    for log in sheet.logs:
        games: dict[int, Game] = {}
        for number in sorted(log.sets):
            header = log.sets[number].header
            game = games.get(id(header))
            if game is None:
                game = game_from(header.game, header.ruleset, header.rules)
                games[id(header)] = game
            unit: Unit = header.unit
            teller: Retelling
            deal: Deal
            for teller, deal in told(game, unit, log.sets[number], Retelling):
                yield teller.play, teller.side, contract_of(game, deal, teller.play.points)


def _progress(results: LeagueResults) -> dict[str, list[Point]]:
    """Nets by entrant after more and more sets, worked out as in the standings."""
    sets_of = results.results.by_pairing.values()
    last = max((max(nets.numbers) for nets in sets_of), default=-1) + 1
    steps = sorted({math.ceil(last * step / CHECKPOINTS) for step in range(1, CHECKPOINTS + 1)})
    found: dict[str, list[Point]] = {}
    for sets in steps:
        for row in replace(results, results=results.results.below(sets)).table().rows:
            if not row.unrated:
                found.setdefault(row.entrant, []).append(Point(sets=sets, net=row.net))
    return found


def _spent(times: Counter[float]) -> Spent:
    """Of times that are rounded, so that there are far fewer of them than decisions."""
    ordered = sorted(times)
    decisions = times.total()
    bins = [0] * (len(BIN_EDGES) + 1)
    for ms in ordered:
        bins[bisect_right(BIN_EDGES, ms)] += times[ms]
    up_to = list(accumulate(times[ms] for ms in ordered))

    def quantile(share: float) -> float:
        return ordered[bisect_left(up_to, max(math.ceil(share * decisions), 1))]

    total = math.fsum(ms * times[ms] for ms in ordered)
    return Spent(
        decisions=decisions, mean=total / decisions, median=quantile(0.5),
        p95=quantile(0.95), p99=quantile(0.99), worst=ordered[-1], bins=tuple(bins),
    )  # fmt: skip
