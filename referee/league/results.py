"""What logs say of a league: results of sets, faults, times, and the standings made of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from referee.errors import LogError
from referee.games.game import Game
from referee.games.rulesets import game_from
from referee.league.crosstable import LeagueTable, standings
from referee.league.nets import Nets, SetResult
from referee.log import DealLine, Entry, Log, Unplayed
from referee.rulings import UNSEATED, Blame, Kind
from referee.table import PlayRecord


class FirstFault(Struct, frozen=True, kw_only=True):
    """Where an entrant went wrong first."""

    pairing: tuple[str, ...]
    set: int
    table: int
    deal: int | None
    """Null for a table that was not played."""
    blame: Blame

    @property
    def order(self) -> tuple[bool, int, tuple[str, ...], int]:
        """Sorts the first to the front; a forfeited table is but a consequence."""
        consequence = self.deal is None and self.blame.ruling == "forfeit"
        return consequence, self.set, self.pairing, self.table


class EntrantNotes(Struct, kw_only=True):
    """What is worth knowing of an entrant besides its points."""

    deals: int = 0
    tables: int = 0
    faults: Counter[Kind] = Counter()
    unplayed: int = 0
    """Tables forfeited unplayed, after too many hard faults."""
    first: FirstFault | None = None
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
    results: Nets
    notes: dict[str, EntrantNotes]
    voids: int = 0

    def add(self, pairing: Sequence[str], number: int, entries: Iterable[Entry]) -> None:
        """Add the lines of a complete set."""
        nets: dict[int, tuple[float, ...]] = {}
        playable = True
        for _, line, play in entries:
            if isinstance(line, DealLine) and play is not None:
                self._count(pairing, play, line)
                if play.nets is not None:
                    self._add_totals(play.seats, play.score)
                    nets[play.table] = self._by_entrant(pairing, play.seats, play.nets)
            elif isinstance(line, Unplayed):
                self._count_unplayed(pairing, line)
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
        self.results.add(SetResult(pairing=tuple(pairing), set=number, nets=rows))

    def add_log(self, log: Log) -> None:
        """Add the sets of a log, one after another; LogError where one does not fit its header."""
        for number in sorted(log.sets):
            record = log.sets[number]
            pairing = [entrant.id for entrant in record.header.entrants]
            try:
                self.add(pairing, number, record.entries)
            except (LookupError, ValueError, OverflowError) as error:
                raise LogError(
                    f"{log.path}: set {number}: its lines do not fit its header: {error!r}"
                ) from None
        self.voids += sum(log.voids.values())

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

    def _count(self, pairing: Sequence[str], play: PlayRecord, line: DealLine) -> None:
        seats = play.seats
        for entrant in set(seats):
            self.notes[entrant].deals += 1
        for blame in line.side.blame:
            if blame.ruling != "none" or blame.kind in UNSEATED:
                self.notes[seats[blame.seat]].faults[blame.kind] += 1
                place = (play.set, play.table, play.deal)
                self._keep_first(seats[blame.seat], pairing, place, blame)
        for seat, _, ms in line.side.times:
            notes = self.notes[seats[seat]]
            notes.decisions += 1
            notes.decision_ms += ms
            notes.worst_ms = max(notes.worst_ms, ms)

    def _count_unplayed(self, pairing: Sequence[str], line: Unplayed) -> None:
        """A forfeited table follows from faults that have been counted; others have not been."""
        for blame in line.blame:
            entrant = line.seats[blame.seat]
            if line.reason == "not_playable" or blame.ruling == "none":
                self.notes[entrant].faults[blame.kind] += 1
            self._keep_first(entrant, pairing, (line.set, line.table, None), blame)
        if line.reason == "forfeited":
            for entrant in {line.seats[b.seat] for b in line.blame if b.ruling == "forfeit"}:
                self.notes[entrant].unplayed += 1

    def _keep_first(
        self,
        entrant: str,
        pairing: Sequence[str],
        place: tuple[int, int, int | None],
        blame: Blame,
    ) -> None:
        number, table, deal = place
        found = FirstFault(pairing=tuple(pairing), set=number, table=table, deal=deal, blame=blame)
        notes = self.notes[entrant]
        if notes.first is None or found.order < notes.first.order:
            notes.first = found

    def table(self, confidence: float = 0.95) -> LeagueTable:
        """The standings."""
        return standings(
            self.results,
            self.entrants,
            self.sides,
            confidence,
            max_swing=self.results.largest() or abs(self.game.lowest_net()),
        )


def results_of(game: Game, entrants: Sequence[str]) -> LeagueResults:
    """Results with nothing played yet."""
    return LeagueResults(
        game=game,
        sides=max(game.sides) + 1,
        entrants=list(entrants),
        results=Nets(),
        notes={entrant: EntrantNotes(faults=Counter()) for entrant in entrants},
    )


def results_from(logs: Sequence[Log]) -> LeagueResults:
    """Read the results of a league off its logs, which are all of one game and ruleset."""
    header = logs[0].header
    game = game_from(header.game, header.ruleset, header.rules)
    names = sorted({entrant.id for log in logs for entrant in log.header.entrants})
    found = results_of(game, names)
    for log in logs:
        found.add_log(log)
    return found
