"""The parts of a report that say who is how good: standings, crosstable, progress, faults."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from referee.league.crosstable import Cell as Against
from referee.league.crosstable import Row
from referee.league.schedule import pairing_id
from referee.rulings import KINDS
from referee.show.faults import faults_text, first_fault_text
from referee.show.page import half_width, milliseconds, signed
from referee.show.report import svg
from referee.show.report.data import Facts, Point
from referee.show.report.markup import (
    Cell,
    Replays,
    across,
    figures,
    folded,
    link,
    listed,
    table,
    text,
)
from referee.show.standings import heading, outcomes, remarks

_ABREAST = 8
"""Columns of a crosstable that have room on any page that is not shown as cards."""
_SHADES = 4
"""Grounds of the heat map on each side of nought."""


def interval_text(mean: float, wide: float, decimals: int) -> str:
    """A mean with its half-width."""
    return f"{signed(mean, decimals)} ± {half_width(wide, decimals)}"


def rank_range(row: Row) -> str:
    """The ranks that an entrant may really have."""
    if row.rank_low == row.rank_high:
        return "" if row.rank_low is None else str(row.rank_low)
    return f"{row.rank_low}-{row.rank_high}"


def ranked(row: Row) -> str:
    """An entrant behind its rank."""
    return row.entrant if row.rank is None else f"{row.rank}. {row.entrant}"


def ranking(key: str, facts: Facts, bars: Sequence[svg.Bar]) -> str:
    """The standings: drawn, as a table, and what has to be said of them."""
    sheet = facts.sheet
    rows = []
    for row in sheet.table.rows:
        notes = sheet.results.notes[row.entrant]
        mean = milliseconds(notes.decision_ms / notes.decisions) if notes.decisions else ""
        rows.append([
            text(ranked(row)),
            rank_range(row),
            f"{row.sets:,}",
            "unrated"
            if row.unrated
            else interval_text(row.net.mean, row.net.half_width, sheet.decimals),
            "" if row.unrated else outcomes(row),
            text(faults_text(notes)),
            mean,
            milliseconds(notes.worst_ms) if mean else "",
        ])  # fmt: skip
    heads = [
        "entrant", "range", "sets", f"net per {sheet.unit}", "pairings w-d-l", "faults",
        "mean ms", "worst ms",
    ]  # fmt: skip
    drawn = ""
    if bars:
        drawn = svg.intervals(f"{key}-iv", "Standings", bars, f"net per {sheet.unit}")
    return (
        f"<p>{text(heading(sheet))}</p>\n{drawn}\n"
        + table("Standings, from the highest net down", heads, rows, "lrrrrlrr", wide=True)
        + listed(map(text, remarks(sheet)))
    )


def crosstable(key: str, facts: Facts) -> str:
    """Own nets of rows against columns, the ground by the size of the net."""
    sheet = facts.sheet
    rated = [row for row in sheet.table.rows if not row.unrated]
    names = [row.entrant for row in rated]
    if len(names) < 2:
        return ""
    most = max((abs(cell.net.mean) for cell in sheet.table.cells.values()), default=0.0)
    rows: list[list[str | Cell]] = []
    for place, row in enumerate(rated):
        line: list[str | Cell] = [text(f"{place + 1}. {row.entrant}")]
        for other in names:
            cell = sheet.table.cells.get((row.entrant, other))
            shown = "" if cell is None else _heat(key, facts, (row.entrant, other), cell, most)
            line.append(shown)
        rows.append(line)
    caption = (
        "Rows against columns: mean own net with its half-width, each a link to its sets; "
        "* differs by this comparison alone, ** also when all comparisons are to be right at once."
    )
    heads = ["", *(f"against {name}" for name in names)]
    short = ["", *(f"{place + 1}." for place in range(len(names)))]
    html = table(caption, heads, rows, "l" + "r" * len(names), wide=True, short=short)
    return across("Who against whom", html) if len(names) > _ABREAST else html


def _heat(key: str, facts: Facts, who: tuple[str, str], cell: Against, most: float) -> Cell:
    decimals = facts.sheet.decimals
    shown = interval_text(cell.net.mean, cell.net.half_width, decimals)
    shown = f"{shown} {cell.significance}".strip()
    shade = math.ceil(_SHADES * abs(cell.net.mean) / most) if most else 0
    kind = f"{'p' if cell.net.mean > 0 else 'n'}{shade}" if shade else ""
    return Cell(html=link(f"#{meeting(key, facts, who)}", shown), kind=kind)


def meeting(key: str, facts: Facts, who: tuple[str, str]) -> str:
    """The place in the page where the sets of two entrants stand."""
    one, other = sorted(who)
    if facts.sheet.results.sides == 2:
        return f"{key}-p{list(facts.sets).index(pairing_id((one, other)))}"
    pairs = combinations(sorted(facts.sheet.results.entrants), 2)
    return f"{key}-m{list(pairs).index((one, other))}"


def progress(key: str, facts: Facts) -> str:
    """Nets after more and more sets, a picture for each entrant, all on one scale."""
    runs = {
        row.entrant: facts.progress[row.entrant]
        for row in facts.sheet.table.rows
        if not row.unrated
    }
    if not runs or max(len(points) for points in runs.values()) < 2:
        return ""
    means = [point.net.mean for points in runs.values() for point in points]
    # The first few sets say so little that their bands would leave no room for the rest.
    settled = [
        point.net.mean + sign * point.net.half_width
        for points in runs.values()
        for point in points[len(points) // 3 :]
        for sign in (-1, 1)
        if math.isfinite(point.net.half_width)
    ]
    scale = svg.scale_over([*means, *settled], 0, 1)
    drawn = figures(
        (
            name,
            svg.progress(
                f"{key}-pr{place}",
                f"Progress of {name}",
                [(p.sets, p.net.mean, p.net.half_width) for p in points],
                (scale.low, scale.high),
            ),
        )
        for place, (name, points) in enumerate(runs.items())
    )
    return (
        "<p>The net over the first sets of every pairing, with its 95 % interval as a band.</p>\n"
        + drawn
        + folded("The numbers", _progress_numbers(runs, facts.sheet.decimals))
    )


def _progress_numbers(runs: Mapping[str, Sequence[Point]], decimals: int) -> str:
    """What the pictures of progress show, in numbers."""
    steps = sorted({point.sets for points in runs.values() for point in points})
    by_step = {name: {p.sets: p.net for p in points} for name, points in runs.items()}
    rows = [
        [
            f"{sets:,}",
            *(
                interval_text(net.mean, net.half_width, decimals)
                if (net := by_step[name].get(sets))
                else ""
                for name in runs
            ),
        ]
        for sets in steps
    ]
    return table(
        "Net after so many sets of each pairing", ["sets", *runs], rows, "r" * (len(runs) + 1),
        wide=True,
    )  # fmt: skip


def faults(facts: Facts, replays: Replays) -> str:
    """Faults by kind and entrant, and the first of each entrant."""
    notes = facts.sheet.results.notes
    kinds = [kind for kind in KINDS if any(its.faults[kind] for its in notes.values())]
    unplayed = any(its.unplayed for its in notes.values())
    if not kinds and not unplayed:
        return "<p>None.</p>\n"
    most = max((its.faults[kind] for its in notes.values() for kind in kinds), default=1)
    rows: list[list[str | Cell]] = []
    first = []
    for row in facts.sheet.table.rows:
        its = notes[row.entrant]
        if not its.unplayed and not any(its.faults.values()):
            continue
        shades = [math.ceil(_SHADES * its.faults[kind] / most) for kind in kinds]
        cells: list[str | Cell] = [
            Cell(html=f"{its.faults[kind]:,}" if shade else "", kind=f"n{shade}" if shade else "")
            for kind, shade in zip(kinds, shades, strict=True)
        ]
        rows.append([text(row.entrant), *cells, *([f"{its.unplayed:,}"] if unplayed else [])])
        if its.first is not None:
            line = text(first_fault_text(row.entrant, its))
            path = facts.sheet.where.log_of(its.first)
            href = _replay_of(replays, path, its.first.set, its.first.table, its.first.deal)
            first.append(line + (f" {link(href, 'replay')}" if href else ""))
    heads = ["entrant", *kinds, *(["unplayed tables"] if unplayed else [])]
    return table(
        "Faults by kind", heads, rows, "l" + "r" * (len(heads) - 1), wide=True
    ) + listed(first)


def _replay_of(
    replays: Replays, path: Path | None, number: int, place: int, deal: int | None
) -> str | None:
    return None if deal is None else replays.of(path, number, place, deal)


def pairings(key: str, facts: Facts) -> str:
    """What is known of each pairing, with the duplicate gain."""
    sheet = facts.sheet
    two = sheet.results.sides == 2
    rows = []
    for pairing in sheet.table.pairings:
        name = pairing_id(pairing.pairing)
        anchor = f"#{key}-p{list(facts.sets).index(name)}"
        cells = [link(anchor, text(" : ".join(pairing.pairing))), f"{pairing.sets:,}",
                 f"{pairing.informative:,}"]  # fmt: skip
        if two:
            gap = pairing.difference
            assert gap is not None
            chance = pairing.sign_test
            cells += [
                interval_text(gap.mean, gap.half_width, sheet.decimals),
                f"{pairing.sets_won}-{pairing.sets_lost}",
                "" if chance is None else f"{chance:.3f}",
            ]
        rows.append([*cells, gain_text(pairing.duplicate_gain), text("; ".join(pairing.notes))])
    heads = ["pairing", "sets", "informative"]
    heads += ["difference", "sets won-lost", "sign test"] if two else []
    heads += ["duplicate gain", "notes"]
    caption = (
        "Informative: sets in which the nets differ. Duplicate gain: how many separate deals a "
        "deal is worth that is played at all its tables."
    )
    if two:
        caption += " Difference: half the gap of the nets, first entrant minus second."
    return table(caption, heads, rows, "l" + "r" * (len(heads) - 2) + "l", wide=True)


def gain_text(gain: float | None) -> str:
    """A duplicate gain; empty where it cannot be said."""
    return f"{gain:.2f}" if gain is not None and math.isfinite(gain) else ""
