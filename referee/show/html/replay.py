"""A log as one HTML file: every deal to be stepped through, also as one seat saw it.

The list of deals is unpacked when the page opens, the deals themselves block by block when one
of them is looked at.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from referee.games.game import Deal, Game
from referee.log import Log, SetRecord, Unplayed
from referee.retelling import told
from referee.rulings import KINDS, Blame
from referee.show.filters import made
from referee.show.html.document import document, packed, shipped
from referee.show.html.frames import Dealing, Filming, TrickEnd
from referee.show.listing import unplayed_lines
from referee.show.page import milliseconds, printable, signed
from referee.show.story import ranks_of
from referee.table import PlayRecord

BLOCK = 50
"""Deals that are unpacked together: a few hundredths of a second in a browser."""

SCRIPTS = ("decode.js", "draw.js", "filter.js", "list.js", "page.js")
STYLES = ("page.css",)


class Row(Struct, kw_only=True, array_like=True):
    """A line of the list: a deal, or a table that was not played."""

    set: int
    table: int
    deal: int | None
    seats: list[str]
    dealer: int | None = None
    declarer: int | None = None
    contract: int | str | None = None
    made: bool | None = None
    """Whether the declaring side made its contract; null where there was none."""
    points: list[int] | None = None
    """By side."""
    score: list[int] | None = None
    """Totals by side after the deal."""
    nets: list[float] | None = None
    """By side."""
    nets_shown: list[str] | None = None
    """The same with the digits that the terminal shows."""
    declared: list[tuple[int, str]] = []
    """(seat, suit) of every marriage or trump."""
    worst_ms: list[float] = []
    """The slowest decision of each seat; 0 where it decided nothing."""
    faults: list[tuple[str, int]] = []
    """(kind, seat) of every fault that was ruled on."""
    unplayed: str | None = None
    """Why the table was not played."""


class DealData(Struct, kw_only=True, omit_defaults=True):
    """One deal, to be stepped through."""

    dealings: list[Dealing]
    tricks: list[TrickEnd]
    before: list[int]
    """Totals by side before the deal."""
    raw: list[int] | None = None
    """Points won by side, before contract and penalties."""
    ms: list[float | None]
    """How long each decision took, in the digits that the terminal shows."""
    notes: dict[int, Any] = {}
    """By the place of the action in the deal."""
    blame: dict[int, list[dict[str, Any]]] = {}
    """By the place of the action in the deal."""
    loose: list[dict[str, Any]] = []
    """What went wrong at no decision in particular."""
    forfeits: dict[int, int] = {}
    """Where the referee began to play on for a seat."""
    started: str = ""
    lag_ms: float = 0.0
    unexpected: list[int] = []


def replay_html(game: Game, log: Log, sets: Iterable[int] | None = None) -> str:
    """The file for a log whose sets have been verified; raises LogMismatch as a replay does."""
    header = log.header
    names = [entrant.id for entrant in header.entrants]
    title = f"{header.game} {header.ruleset}: {' : '.join(names)}"
    rows: list[Row] = []
    blocks: list[str] = []
    waiting: list[DealData] = []
    fields: tuple[str, ...] = ()
    for number in sorted(log.sets if sets is None else sets):
        for row, data, its_fields in _of_set(game, log.sets[number]):
            rows.append(row)
            fields = its_fields or fields
            if data is not None:
                waiting.append(data)
            if len(waiting) == BLOCK:
                blocks.append(packed(waiting))
                waiting = []
    if waiting:
        blocks.append(packed(waiting))
    index = {
        "title": title,
        "game": header.game,
        "unit": header.unit,
        "entrants": names,
        "sides": game.sides,
        "kinds": KINDS,
        "ranks": ranks_of(game),
        "rest": "talon" if hasattr(game, "talon_size") else "stock",
        "decision_ms": header.time.decision_ms,
        "set_aside": log.set_aside,
        "block": BLOCK,
        "fields": fields,
        "row": Row.__struct_fields__,
        "rows": rows,
    }
    elements = [("index", packed(index))]
    elements += [(f"block-{number}", block) for number, block in enumerate(blocks)]
    # What happens to the title in a browser's own surfaces is out of the page's hands.
    return document(
        f"Replay of {printable(title, 200)}",
        shipped("page.html"), shipped(*STYLES), shipped(*SCRIPTS), elements,
    )  # fmt: skip


def _of_set(
    game: Game, record: SetRecord
) -> Iterator[tuple[Row, DealData | None, tuple[str, ...]]]:
    """The lines of a set in their order, each with what is to be seen of it."""
    unit = record.header.unit
    found: list[tuple[Row, DealData | None, tuple[str, ...]]] = []
    for film, deal in told(game, unit, record, Filming):
        found.append((_row(film, deal, unit), _data(film), film.fields))
    for line in (entry.line for entry in record.entries):
        if isinstance(line, Unplayed):
            row = Row(
                set=line.set, table=line.table, deal=None, seats=line.seats, nets=line.nets,
                nets_shown=_shown(line.nets, unit), faults=[(b.kind, b.seat) for b in line.blame],
                unplayed=" ".join(unplayed_lines(record, line.table)),
            )  # fmt: skip
            found.append((row, None, ()))
    return iter(sorted(found, key=lambda item: (item[0].table, item[0].deal or 0)))


def _row(film: Filming, deal: Deal, unit: str) -> Row:
    """The line of a deal that has been played out."""
    play, summary = film.play, deal.summary()
    worst = [0.0] * film.game.seats
    for seat, _, ms in film.side.times:
        worst[seat] = max(worst[seat], ms)
    return Row(
        set=play.set, table=play.table, deal=play.deal, seats=play.seats, dealer=play.dealer,
        declarer=summary.declarer, contract=summary.contract,
        made=made(summary.declarer, summary.contract, play.points, film.game.sides),
        points=play.points, score=play.score, nets=play.nets, nets_shown=_shown(play.nets, unit),
        declared=list(getattr(deal.view(0), "declared", [])), worst_ms=worst,
        faults=[(b.kind, b.seat) for b in film.side.blame if b.ruling != "none"],
    )  # fmt: skip


def _shown(nets: list[float] | None, unit: str) -> list[str] | None:
    return None if nets is None else [signed(net, 1 if unit == "deal" else 3) for net in nets]


def _data(film: Filming) -> DealData:
    play, side = film.play, film.side
    times: list[float | None] = [None] * len(play.actions.split(" "))
    for _, at, ms in side.times:
        if at < len(times):
            times[at] = float(milliseconds(ms))
    blame, loose = placed(play, side.blame)
    return DealData(
        dealings=film.dealings,
        tricks=film.tricks,
        before=list(film.tally.score),
        raw=film.raw(),
        ms=times,
        notes=dict(side.notes),
        blame={at: list(map(_told, found)) for at, found in blame.items()},
        loose=list(map(_told, loose)),
        forfeits={r.seat: r.at for r in play.rulings if r.ruling == "forfeit"},
        started=side.started,
        lag_ms=side.lag_ms,
        unexpected=side.unexpected if any(side.unexpected) else [],
    )


def placed(
    play: PlayRecord, blame: Iterable[Blame]
) -> tuple[dict[int, list[Blame]], list[Blame]]:
    """Faults by the action at which they happened, and those at none in particular.

    A bot that had gone before it was asked is blamed where its seat was wanted.
    """
    forfeits = {(r.seat, r.kind): r.at for r in play.rulings if r.ruling == "forfeit"}
    length = len(play.actions.split(" "))
    there: dict[int, list[Blame]] = {}
    loose: list[Blame] = []
    for one in blame:
        at = one.at
        if at is None and one.ruling == "forfeit":
            at = forfeits.get((one.seat, one.kind))
        if at is None or at >= length:
            loose.append(one)
        else:
            there.setdefault(at, []).append(one)
    return there, loose


def _told(blame: Blame) -> dict[str, Any]:
    """A fault without what is not known of it."""
    facts: dict[str, Any] = msgspec.to_builtins(blame)
    if not blame.lag_ms:
        del facts["lag_ms"]
    return {name: fact for name, fact in facts.items() if fact not in (None, "", [], ())}
