"""What logs say of a league: results of sets, faults, times, and the standings made of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from referee.errors import LogError
from referee.games.game import Game
from referee.games.rulesets import game_from
from referee.league.crosstable import LeagueTable, SetResult, standings
from referee.log import DealLine, Entry, Log, SetRecord, Unplayed
from referee.rulings import Kind


class EntrantNotes(Struct, kw_only=True):
    """What is worth knowing of an entrant besides its points."""

    deals: int = 0
    tables: int = 0
    faults: Counter[Kind] = Counter()
    decisions: int = 0
    decision_ms: float = 0.0
    """All decisions together."""
    worst_ms: float = 0.0
    not_playable: int = 0
    """Sets that were not playable."""
    scored: int = 0
    """Tables that were played to their end."""
    points: int = 0
    """Own totals at the ends of those tables."""
    points_against: float = 0.0
    """The others' mean totals there."""


class LeagueResults(Struct, kw_only=True):
    """All that logs say of one game's league, added up."""

    game: Game
    sides: int
    entrants: list[str]
    results: list[SetResult]
    notes: dict[str, EntrantNotes]
    voids: int = 0

    def add(self, pairing: Sequence[str], number: int, entries: Iterable[Entry]) -> None:
        """Add the lines of a complete set."""
        nets: dict[int, tuple[float, ...]] = {}
        playable = True
        for _, line, play in entries:
            if isinstance(line, DealLine) and play is not None:
                self._count(play.seats, line)
                if play.nets is not None:
                    self._add_totals(play.seats, play.score)
                    nets[play.table] = self._by_entrant(pairing, play.seats, play.nets)
            elif isinstance(line, Unplayed):
                for blame in line.blame:
                    self.notes[line.seats[blame.seat]].faults[blame.kind] += 1
                if line.nets is None:
                    playable = False
                else:
                    nets[line.table] = self._by_entrant(pairing, line.seats, line.nets)
        if not playable:
            for entrant in pairing:
                self.notes[entrant].not_playable += 1
            return
        for entrant in pairing:
            self.notes[entrant].tables += len(nets)
        rows = tuple(nets[table] for table in sorted(nets))
        self.results.append(SetResult(pairing=tuple(pairing), set=number, nets=rows))

    def _by_entrant(
        self, pairing: Sequence[str], seats: Sequence[str], nets: Sequence[float]
    ) -> tuple[float, ...]:
        """Nets by side turned into nets in the order of the pairing."""
        side = {entrant: self.game.sides[seat] for seat, entrant in enumerate(seats)}
        return tuple(nets[side[entrant]] for entrant in pairing)

    def _add_totals(self, seats: Sequence[str], score: Sequence[int]) -> None:
        """Add the totals at the end of a table."""
        for entrant, side in {e: self.game.sides[seat] for seat, e in enumerate(seats)}.items():
            notes = self.notes[entrant]
            notes.scored += 1
            notes.points += score[side]
            notes.points_against += (sum(score) - score[side]) / (len(score) - 1)

    def _count(self, seats: Sequence[str], line: DealLine) -> None:
        for entrant in set(seats):
            self.notes[entrant].deals += 1
        for blame in line.side.blame:
            if blame.ruling != "none":
                self.notes[seats[blame.seat]].faults[blame.kind] += 1
        for seat, _, ms in line.side.times:
            notes = self.notes[seats[seat]]
            notes.decisions += 1
            notes.decision_ms += ms
            notes.worst_ms = max(notes.worst_ms, ms)

    def table(self, confidence: float = 0.95) -> LeagueTable:
        """The standings."""
        seen = max((abs(net) for r in self.results for row in r.nets for net in row), default=0.0)
        return standings(
            self.results,
            self.entrants,
            self.sides,
            confidence,
            max_swing=seen or abs(self.game.lowest_net()),
        )


def results_of(game: Game, entrants: Sequence[str]) -> LeagueResults:
    """Results with nothing played yet."""
    return LeagueResults(
        game=game,
        sides=max(game.sides) + 1,
        entrants=list(entrants),
        results=[],
        notes={entrant: EntrantNotes(faults=Counter()) for entrant in entrants},
    )


def results_from(logs: Sequence[Log]) -> LeagueResults:
    """Read the results of a league off its logs, which are all of one game and ruleset."""
    header = logs[0].header
    game = game_from(header.game, header.ruleset, header.rules)
    names = sorted({entrant.id for log in logs for entrant in log.header.entrants})
    found = results_of(game, names)
    for log in logs:
        for number in sorted(log.sets):
            record: SetRecord = log.sets[number]
            pairing = [entrant.id for entrant in record.header.entrants]
            try:
                found.add(pairing, number, record.entries)
            except LookupError as error:
                raise LogError(
                    f"{log.path}: set {number}: its lines do not fit its header: {error!r}"
                ) from None
        found.voids += sum(log.voids.values())
    return found
