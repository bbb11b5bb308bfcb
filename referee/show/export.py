"""The standings for programs and other documents: JSON data, CSV, Markdown."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from referee.league.crosstable import PairingSummary, Row
from referee.league.results import FirstFault
from referee.league.schedule import pairing_id
from referee.league.stats import Interval, los
from referee.log import Log
from referee.rulings import KINDS
from referee.show.faults import faults_text, first_fault_text
from referee.show.page import Look, half_width, milliseconds, printable, signed
from referee.show.standings import Sheet, heading, outcomes, remarks, unrated_reasons


def standings_data(sheet: Sheet) -> dict[str, Any]:
    """Everything that is known, as plain JSON; null where nothing is."""
    results, table = sheet.results, sheet.table
    reasons = unrated_reasons(sheet)
    return {
        "game": results.game.name,
        "ruleset": results.game.ruleset,
        "unit": sheet.unit,
        "isolation": sheet.isolation,
        "complete": sheet.complete,
        "confidence": table.confidence,
        "sets": sum(pairing.sets for pairing in table.pairings),
        "voids": results.voids,
        "duplicate_gain": finite(table.duplicate_gain),
        "entrants": [_entrant(sheet, row, reasons.get(row.entrant)) for row in table.rows],
        "crosstable": [
            {"entrant": one, "against": other, "net": _interval(cell.net)}
            | {"significance": cell.significance}
            for (one, other), cell in sorted(table.cells.items())
        ],
        "pairings": [_pairing(pairing) for pairing in table.pairings],
        "notes": [*table.notes, *sheet.notes],
        "logs": [_log(log) for log in sheet.logs],
    }


def _entrant(sheet: Sheet, row: Row, reason: str | None) -> dict[str, Any]:
    notes = sheet.results.notes[row.entrant]
    informative = sum(p.informative for p in sheet.table.pairings if row.entrant in p.pairing)
    return {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "entrant": row.entrant,
        "sets": row.sets,
        "tables": row.tables,
        "deals": notes.deals,
        "informative_sets": informative,
        "net": None if row.unrated else _interval(row.net),
        "rating": finite(row.rating),
        "pairings": [row.pairings_won, row.pairings_drawn, row.pairings_lost],
        "points": notes.points,
        "points_against": finite(notes.points_against),
        "scored_tables": notes.scored,
        "faults": {kind: notes.faults[kind] for kind in KINDS if notes.faults[kind]},
        "first_fault": _first_fault(sheet, notes.first),
        "unplayed_tables": notes.unplayed,
        "decisions": notes.decisions,
        "mean_ms": finite(notes.decision_ms / notes.decisions if notes.decisions else None),
        "worst_ms": finite(notes.worst_ms),
        "not_playable": notes.not_playable,
        "unrated": reason,
    }


def _first_fault(sheet: Sheet, first: FirstFault | None) -> dict[str, Any] | None:
    if first is None:
        return None
    path = sheet.where.log_of(first)
    return {
        "log": None if path is None else str(path),
        "pairing": pairing_id(first.pairing),
        "set": first.set,
        "table": first.table,
        "deal": first.deal,
        "seat": first.blame.seat,
        "kind": first.blame.kind,
        "message": first.blame.message,
    }


def _pairing(pairing: PairingSummary) -> dict[str, Any]:
    difference = pairing.difference
    return {
        "entrants": list(pairing.pairing),
        "sets": pairing.sets,
        "tables": pairing.tables,
        "informative_sets": pairing.informative,
        "difference": None if difference is None else _interval(difference),
        "sets_won": pairing.sets_won,
        "sets_lost": pairing.sets_lost,
        "sign_test": finite(pairing.sign_test),
        "likelihood_of_superiority": None if difference is None else los(difference),
        "duplicate_gain": finite(pairing.duplicate_gain),
        "notes": list(pairing.notes),
    }


def _log(log: Log) -> dict[str, Any]:
    return {
        "path": str(log.path),
        "pairing": log.header.pairing,
        "sets": len(log.sets),
        "complete": log.end is not None,
        "set_aside": log.set_aside,
        "digest": log.digest(),
        "commitments": list(dict.fromkeys(header.commitment for header in log.headers)),
        "entrants": [
            {"id": entrant.id, "version": entrant.version, "digest": entrant.digest}
            for entrant in log.header.entrants
        ],
    }


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "mean": interval.mean,
        "half_width": finite(interval.half_width),
        "low": finite(interval.low),
        "high": finite(interval.high),
        "se": finite(interval.se),
        "sd": finite(interval.sd),
        "df": finite(interval.df),
        "n": interval.n,
        "padded": interval.padded,
    }


def finite(value: float | None) -> float | None:
    """A number as JSON has it; None for what is unknown or infinite."""
    return value if value is not None and math.isfinite(value) else None


# ---- tables for other documents ------------------------------------------------------------------


def cell(text: str) -> str:
    """Foreign text for a table of a spreadsheet, which is to take it for no formula.

    >>> cell("=1+1")
    "'=1+1"
    """
    shown = printable(text)
    return "'" + shown if shown.startswith(("=", "+", "-", "@")) else shown


def standings_csv(sheet: Sheet) -> str:
    """One line for each entrant; empty where nothing is known."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        (
            "rank", "rank_low", "rank_high", "entrant", "sets", "tables", "net", "half_width",
            "low", "high", "se", "df", "informative_sets", "rating", "won", "drawn", "lost",
            "points", "points_against", *KINDS, "unplayed_tables", "decisions",
            "mean_ms", "worst_ms", "unrated",
        )
    )  # fmt: skip
    for entrant in standings_data(sheet)["entrants"]:
        net = entrant["net"] or {}
        writer.writerow(
            (
                *(entrant[name] for name in ("rank", "rank_low", "rank_high")),
                cell(entrant["entrant"]),
                *(entrant[name] for name in ("sets", "tables")),
                *(net.get(name) for name in ("mean", "half_width", "low", "high", "se", "df")),
                *(entrant[name] for name in ("informative_sets", "rating")),
                *entrant["pairings"],
                *(entrant[name] for name in ("points", "points_against")),
                *(entrant["faults"].get(kind, 0) for kind in KINDS),
                entrant["unplayed_tables"],
                *(entrant[name] for name in ("decisions", "mean_ms", "worst_ms", "unrated")),
            )
        )
    return out.getvalue()


def standings_markdown(sheet: Sheet, look: Look) -> str:
    """The page as Markdown: the ranking, the crosstable, and the remarks as a list."""
    rows = []
    for row in sheet.table.rows:
        notes = sheet.results.notes[row.entrant]
        mean = milliseconds(notes.decision_ms / notes.decisions) if notes.decisions else ""
        wide = half_width(row.net.half_width, sheet.decimals)
        net = f"{signed(row.net.mean, sheet.decimals)} {look.plus_minus} {wide}"
        ranks = (row.rank, f"{row.rank_low}-{row.rank_high}")
        rows.append(
            (
                *(("", "") if row.unrated else ranks),
                row.entrant,
                row.sets,
                "unrated" if row.unrated else net,
                "" if row.unrated else outcomes(row),
                faults_text(notes),
                mean,
                milliseconds(notes.worst_ms) if mean else "",
            )
        )
    titles = (
        "#", "range", "entrant", "sets", f"net per {sheet.unit}", "pairings w-d-l", "faults",
        "mean ms", "worst ms",
    )  # fmt: skip
    parts = [f"**{_escaped(heading(sheet))}**", markdown_table(titles, rows, "rlLrrrLrr")]
    if sheet.crossed:
        parts.append(_markdown_crosstable(sheet, look))
    faulty = sorted(item for item in sheet.results.notes.items() if item[1].first is not None)
    lines = [*remarks(sheet), *(first_fault_text(name, notes) for name, notes in faulty)]
    parts.append("\n".join(f"- {_escaped(line)}" for line in lines))
    return "\n\n".join(parts) + "\n"


def _markdown_crosstable(sheet: Sheet, look: Look) -> str:
    names = [row.entrant for row in sheet.table.rows if not row.unrated]
    rows = []
    for one in names:
        line = [one]
        for other in names:
            cell = sheet.table.cells.get((one, other))
            text = ""
            if cell is not None:
                wide = half_width(cell.net.half_width, sheet.decimals)
                mean = signed(cell.net.mean, sheet.decimals)
                text = f"{mean} {look.plus_minus} {wide} {cell.significance}".strip()
            line.append(text)
        rows.append(line)
    return markdown_table(("against", *names), rows, "l" + "r" * len(names))


def markdown_table(titles: Sequence[str], rows: Iterable[Sequence[object]], sides: str) -> str:
    """A table whose columns stand to the `l`eft or `r`ight by `sides`."""

    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(_escaped(str(cell)) for cell in cells) + " |"

    rule = "|" + "|".join("---:" if side == "r" else "---" for side in sides) + "|"
    return "\n".join((line(titles), rule, *map(line, rows)))


def _escaped(text: str) -> str:
    """Text that Markdown takes as it stands."""
    shown = printable(text)
    for mark in "\\|*_`<[":
        shown = shown.replace(mark, "\\" + mark)
    return shown
