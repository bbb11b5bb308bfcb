"""Logs as rows for databases and spreadsheets: one for each deal, one for each decision.

A log is read set by set, so that one of a million deals takes hardly more memory than a short one.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from referee.errors import ConfigError, LogError
from referee.games.game import Deal, Game, Tally
from referee.games.rulesets import game_from
from referee.league.folder import Folder
from referee.log import Header, SetRecord, SideRecord, Unplayed, read
from referee.retelling import Retelling, told
from referee.table import PlayRecord

SIDES = 4
"""Sides at a table at most; with fewer the columns of the others are empty."""

Value = str | int | float | None
Row = tuple[Value, ...]


class Column(NamedTuple):
    """A column of both tables: its name, its kind of value, what it says."""

    name: str
    kind: Literal["text", "integer", "real"]
    meaning: str


def _by_side(
    name: str, kind: Literal["text", "integer", "real"], meaning: str
) -> tuple[Column, ...]:
    return tuple(
        Column(f"{name}_{side}", kind, meaning if side == 0 else f"the same of side {side}")
        for side in range(SIDES)
    )


_PLACE = (
    Column("log", "text", "file name of the log"),
    Column("game", "text", "the game"),
    Column("ruleset", "text", "its ruleset"),
    Column("pairing", "text", "the entrants' ids, joined by +"),
    Column("set_no", "integer", "the set, from 0"),
    Column("table_no", "integer", "the table of the set, from 0"),
)

DEALS: tuple[Column, ...] = (
    *_PLACE,
    Column("deal_no", "integer", "the deal of the table, from 0; empty: the table was not played"),
    Column("unit", "text", "deal or game: what a table plays"),
    Column("unplayed", "text", "why the table was not played: not_playable or forfeited"),
    *_by_side("entrant", "text", "entrant of side 0, in seat 0 (and its partner's)"),
    Column("dealer", "integer", "seat that dealt"),
    Column("redeals", "integer", "how often cards were dealt again"),
    Column("declarer", "integer", "seat that named or bid the contract"),
    Column("declared_by", "text", "its entrant"),
    Column("contract", "text", "points to make, or the word for what was played"),
    Column("soloist", "integer", "seat that played sooli"),
    Column("made", "integer", "1: declarer or soloist made the contract, 0: did not"),
    *_by_side("points", "integer", "points of side 0 in the deal"),
    *_by_side("score", "integer", "total of side 0 after the deal"),
    *_by_side("net", "real", "net of side 0; only in the last deal of a table"),
    Column("decisions", "integer", "decisions that bots were asked for"),
    Column("ms", "real", "how long they took together, in milliseconds"),
    Column("worst_ms", "real", "the longest of them"),
    Column("faults", "integer", "faults that were ruled on"),
    Column("lag_ms", "real", "the referee's own worst delay"),
    Column("started", "text", "wall clock when the deal began"),
)

DECISIONS: tuple[Column, ...] = (
    *_PLACE,
    Column("deal_no", "integer", "the deal of the table, from 0"),
    Column("action_no", "integer", "place of the action in the deal, from 0"),
    Column("seat", "integer", "seat that acted"),
    Column("side", "integer", "its side"),
    Column("entrant", "text", "its entrant"),
    Column("phase", "text", "phase of the deal, as its view calls it"),
    Column("legal", "integer", "how many actions were legal"),
    Column("action", "text", "what was played"),
    Column("played_by", "text", "bot, referee (for a fault or a forfeit) or rules (dictated)"),
    Column("ms", "real", "how long the bot took; empty where it gave no answer"),
    Column("fault", "text", "kind of the fault that was ruled on here"),
    Column("ruling", "text", "substitute or forfeit, from here on"),
    Column("note", "text", "the bot's note, as JSON"),
)


# ---- contracts -----------------------------------------------------------------------------------


@runtime_checkable
class Alone(Protocol):
    """A deal that one seat may play alone."""

    soloist: int | None


class Contract(Struct, frozen=True, kw_only=True):
    """What a deal was played for, and how that went."""

    declarer: int | None
    """Seat; null where nobody declares, as when all bid low."""
    contract: int | str | None
    soloist: int | None
    made: bool | None
    """Whether the soloist, or else the declaring side, made the contract; null without either."""


def contract_of(game: Game, deal: Deal, points: Sequence[int]) -> Contract:
    """The contract of a deal that is over, from its points by side."""
    summary = deal.summary()
    soloist = deal.soloist if isinstance(deal, Alone) else None
    player = summary.declarer if soloist is None else soloist
    made = None
    if player is not None and summary.contract is not None:
        own = points[game.sides[player]]
        # A made contract of so many points scores exactly these, a word for one scores anything.
        made = own == summary.contract if isinstance(summary.contract, int) else own > 0
    return Contract(
        declarer=summary.declarer, contract=summary.contract, soloist=soloist, made=made
    )


# ---- reading -------------------------------------------------------------------------------------


def log_files(paths: Iterable[Path]) -> list[Path]:
    """The logs that paths name, each once: log files, or those of results folders."""
    found: dict[Path, Path] = {}
    for path in paths:
        if not path.exists():
            raise ConfigError(f"{path}: there is no such log or folder")
        files = Folder(path).log_paths() if path.is_dir() else [path]
        if not files:
            raise ConfigError(f"{path}: no logs in it; expected a results folder")
        for file in files:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def sets_of(path: Path) -> Iterator[SetRecord]:
    """The complete sets of a log in the order of the file; of one written again, the last."""
    yield from read(path).sets.values()


# ---- rows ----------------------------------------------------------------------------------------


class SetRows(NamedTuple):
    """The rows of one set."""

    deals: list[Row]
    decisions: list[Row]


def rows_of(paths: Iterable[Path]) -> Iterator[SetRows]:
    """The rows of logs, set by set; raises LogError, and LogMismatch where the rules say no."""
    games: dict[bytes, Game] = {}
    for path in paths:
        for record in sets_of(path):
            yield _rows(games, path, record)


def _rows(games: dict[bytes, Game], path: Path, record: SetRecord) -> SetRows:
    header = record.header
    key = msgspec.json.encode((header.game, header.ruleset, header.rules))
    game = games.get(key)
    if game is None:
        game = games[key] = game_from(header.game, header.ruleset, header.rules)
    rows = SetRows([], [])
    try:
        for teller, deal in told(game, header.unit, record, _Teller):
            rows.deals.append(_deal_row(path, header, teller, deal))
            place = _place(path, header, teller.play.set, teller.play.table)
            rows.decisions.extend(
                (*place, teller.play.deal, *decision) for decision in teller.decisions()
            )
        for line in (entry.line for entry in record.entries):
            if isinstance(line, Unplayed):
                rows.deals.append(_unplayed_row(path, header, game, line))
    except LookupError as error:
        raise LogError(
            f"{path}: set {record.set}: its lines do not fit its header: {error!r}"
        ) from None
    return rows


class _Teller(Retelling):
    """Writes down what each decision was about."""

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        super().__init__(game, tally, play, side)
        self.moments: list[tuple[int, int, str, int, str]] = []
        """(place, seat, phase, legal actions, action)."""

    def act(self, deal: Deal, at: int, place: int) -> None:
        seat = deal.to_act
        assert seat is not None
        phase, legal = deal.view(seat).phase, len(deal.legal())
        self.moments.append((at, seat, phase, legal, self.game.actions[place]))
        deal.apply(place)

    def decisions(self) -> Iterator[Row]:
        """What the decisions table has of each action, after the deal's place."""
        times = {at: ms for _, at, ms in self.side.times}
        notes = dict(self.side.notes)
        open_rulings = list(self.play.rulings)
        forfeited: set[int] = set()
        for at, seat, phase, legal, action in self.moments:
            ruling = next((r for r in open_rulings if r.seat == seat and r.at <= at), None)
            if ruling is not None:
                open_rulings.remove(ruling)
                if ruling.ruling == "forfeit":
                    forfeited.add(seat)
            if ruling is not None or seat in forfeited:
                who = "referee"
            else:
                who = "bot" if at in times else "rules"
            yield (
                at, seat, self.game.sides[seat], self.play.seats[seat], phase, legal, action, who,
                times.get(at),
                None if ruling is None else ruling.kind,
                None if ruling is None else ruling.ruling,
                msgspec.json.encode(notes[at]).decode() if at in notes else None,
            )  # fmt: skip


def _place(path: Path, header: Header, number: int, table: int) -> Row:
    return path.name, header.game, header.ruleset, header.pairing, number, table


def _deal_row(path: Path, header: Header, teller: _Teller, deal: Deal) -> Row:
    game, play, side = teller.game, teller.play, teller.side
    contract = contract_of(game, deal, play.points)
    declarer = contract.declarer
    times = [ms for _, _, ms in side.times]
    return (
        *_place(path, header, play.set, play.table),
        play.deal,
        header.unit,
        None,
        *_sides(play.seats[: max(game.sides) + 1]),
        play.dealer,
        len(play.cards) - 1,
        declarer,
        None if declarer is None else play.seats[declarer],
        None if contract.contract is None else str(contract.contract),
        contract.soloist,
        None if contract.made is None else int(contract.made),
        *_sides(play.points),
        *_sides(play.score),
        *_sides(play.nets or ()),
        len(times),
        sum(times),
        max(times, default=None),
        sum(blame.ruling != "none" for blame in side.blame),
        side.lag_ms,
        side.started or None,
    )


def _unplayed_row(path: Path, header: Header, game: Game, line: Unplayed) -> Row:
    row: dict[str, Value] = dict.fromkeys(column.name for column in DEALS)
    place = zip(_PLACE, _place(path, header, line.set, line.table), strict=True)
    row |= {column.name: value for column, value in place}
    # What a forfeited table follows from has been counted where it happened.
    faults = len(line.blame) if line.reason == "not_playable" else 0
    row |= {"unit": header.unit, "unplayed": line.reason, "faults": faults}
    for side in range(max(game.sides) + 1):
        row[f"entrant_{side}"] = line.seats[side]
        row[f"net_{side}"] = None if line.nets is None else line.nets[side]
    return tuple(row.values())


def _sides(values: Sequence[Value]) -> Row:
    return (*values, *[None] * (SIDES - len(values)))
