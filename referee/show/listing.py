"""What is in a log: a line for each deal."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from rich.console import RenderableType
from rich.text import Text

from referee.games.game import Game
from referee.log import Log, SetRecord, Unplayed
from referee.rulings import KINDS
from referee.show.filters import Facts, Filter
from referee.show.page import grid, printable, signed, stacked
from referee.show.story import Brief, briefs


class Line(Struct, frozen=True, kw_only=True):
    """One deal, or a table that was not played."""

    set: int
    table: int
    deal: int | None
    seats: list[str]
    dealer: int | None = None
    declarer: int | None = None
    contract: int | str | None = None
    points: list[int] | None = None
    nets: list[float] | None = None
    faults: dict[str, int] = {}
    unplayed: str | None = None
    """`not_playable` or `forfeited`."""
    why: list[str] = []
    """Why it was not played: for each entrant to blame its fault."""


def lines_of(game: Game, log: Log, where: Filter | None = None) -> Iterator[Line]:
    """The lines of a log that are wanted, by set, table and deal."""
    for number in sorted(log.sets):
        record = log.sets[number]
        found = [
            _played(brief)
            for brief in briefs(game, log.header.unit, record)
            if where is None or where.fits(_facts(game, brief))
        ]
        found += [
            line
            for line, facts in _unplayed(record)
            if where is None or where.fits(facts)
        ]
        yield from sorted(found, key=lambda line: (line.table, line.deal or 0))


def _facts(game: Game, brief: Brief) -> Facts:
    """What conditions may ask of a deal."""
    play, side = brief.play, brief.side
    worst = [0.0] * game.seats
    for seat, _, ms in side.times:
        worst[seat] = max(worst[seat], ms)
    return Facts(
        set=play.set, table=play.table, deal=play.deal, seats=play.seats, dealer=play.dealer,
        declarer=brief.declarer, contract=brief.contract, points=play.points, nets=play.nets,
        declared=brief.declared, worst_ms=worst,
        faults=[(blame.seat, blame.kind) for blame in side.blame if blame.ruling != "none"],
    )  # fmt: skip


def _played(brief: Brief) -> Line:
    play = brief.play
    kinds = [blame.kind for blame in brief.side.blame if blame.ruling != "none"]
    return Line(
        set=play.set,
        table=play.table,
        deal=play.deal,
        seats=play.seats,
        dealer=play.dealer,
        declarer=brief.declarer,
        contract=brief.contract,
        points=play.points,
        nets=play.nets,
        faults={kind: kinds.count(kind) for kind in KINDS if kind in kinds},
    )


def _unplayed(record: SetRecord) -> Iterator[tuple[Line, Facts]]:
    lines = [line for _, line, _ in record.entries if isinstance(line, Unplayed)]
    # A set that was not playable has its blame at its first table.
    shared = [why for line in lines if line.nets is None for why in _reasons(line)]
    for line in lines:
        told = Line(
            set=line.set,
            table=line.table,
            deal=None,
            seats=line.seats,
            nets=line.nets,
            unplayed=line.reason,
            why=_reasons(line) or shared,
        )
        faults = [(blame.seat, blame.kind) for blame in line.blame]
        yield told, Facts(
            set=line.set, table=line.table, deal=None, seats=line.seats, nets=line.nets,
            faults=faults,
        )  # fmt: skip


def _reasons(line: Unplayed) -> list[str]:
    found = [f"{line.seats[blame.seat]}: {blame.kind}: {blame.message}" for blame in line.blame]
    return list(dict.fromkeys(found))


def unplayed_lines(record: SetRecord, table: int | None) -> list[str]:
    """Which tables of a set were not played, and why."""
    return [
        f"set {line.set}, table {line.table} was not played, "
        f"{str(line.unplayed).replace('_', ' ')}: {printable('; '.join(line.why), 400)}"
        for line, _ in sorted(_unplayed(record), key=lambda found: found[0].table)
        if table in (None, line.table)
    ]


def list_page(game: Game, log: Log, where: Filter | None = None) -> RenderableType:
    """The list, with points and nets in the order of the pairing's entrants."""
    header = log.header
    names = [entrant.id for entrant in header.entrants]
    title = f"{header.game} {printable(header.ruleset)}: {' : '.join(map(printable, names))}"
    table = grid(
        ("deal", "left"), ("declarer", "left"), ("contract", "right"), ("points", "right"),
        ("nets", "right"), ("faults", "fold"),
    )  # fmt: skip
    many = len(names) > 2  # then there is room for little else than points and nets
    decimals = 1 if header.unit == "deal" else 3
    for line in lines_of(game, log, where):
        order = [game.sides[line.seats.index(name)] for name in names if name in line.seats]
        declarer, faults = "", ", ".join(f"{n} {kind}" for kind, n in line.faults.items())
        if many and line.faults:
            faults = str(sum(line.faults.values()))
        if line.why:
            faults = printable("; ".join(line.why), 60 if many else 90)
        if line.declarer is not None:
            declarer = f"{line.declarer} {printable(line.seats[line.declarer], 9 if many else 20)}"
        place = f"{line.set}.{line.table}" + ("" if line.deal is None else f".{line.deal}")
        table.add_row(
            Text(place),
            Text(declarer if line.unplayed is None else line.unplayed.replace("_", " ")),
            Text("" if line.contract is None else str(line.contract)),
            Text(" : ".join(str(line.points[side]) for side in order) if line.points else ""),
            Text(
                " : ".join(signed(line.nets[side], decimals) for side in order) if line.nets else ""
            ),
            Text(faults, "red"),
        )
    parts: list[RenderableType] = [Text(title, "bold"), table]
    if log.set_aside:
        parts.append(Text(f"{log.set_aside} lines of an incomplete set at the end set aside"))
    return stacked(parts)


def list_data(game: Game, log: Log, where: Filter | None = None) -> dict[str, Any]:
    """The same for programs."""
    header = log.header
    return {
        "game": header.game,
        "ruleset": header.ruleset,
        "unit": header.unit,
        "pairing": header.pairing,
        "set_aside": log.set_aside,
        "deals": [
            {field: getattr(line, field) for field in line.__struct_fields__}
            for line in lines_of(game, log, where)
        ],
    }
