"""The standings as a page: the table with its error bars, who beat whom, and what to know of it."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from referee.errors import ConfigError
from referee.games.game import Unit
from referee.league.crosstable import FEW_INFORMATIVE, Cell, LeagueTable, Row
from referee.league.folder import Folder, of_log
from referee.league.outline import read_outline
from referee.league.results import EntrantNotes, LeagueResults, results_from
from referee.league.stats import MIN_INFORMATIVE, ZERO, los, sets_needed
from referee.log import Log
from referee.show.faults import Whereabouts, fault_lines, faults_text
from referee.show.page import (
    WIDTH,
    Look,
    count,
    grid,
    half_width,
    milliseconds,
    printable,
    signed,
    stacked,
)


class Sheet(Struct, frozen=True, kw_only=True):
    """Everything that a page of standings is made of."""

    results: LeagueResults
    table: LeagueTable
    unit: Unit
    isolation: str
    complete: bool | None
    """Whether every planned set is there; None where the logs do not say."""
    planned: tuple[int, int] | None = None
    """Sets that are there of those that are planned, where the folder of the logs says so."""
    logs: tuple[Log, ...] = ()
    paths: Mapping[str, Path] = {}
    """Logs by pairing, where they are not at hand."""
    notes: tuple[str, ...] = ()
    """What else a reader has to know."""

    @property
    def decimals(self) -> int:
        """Digits that nets are shown with."""
        return 1 if self.unit == "deal" else 3

    @property
    def crossed(self) -> bool:
        """Whether a crosstable says more than the ranking."""
        return len(self.table.pairings) > 1 and len(self.table.cells) > 2

    @property
    def where(self) -> Whereabouts:
        """Where the logs lie."""
        return Whereabouts(logs=self.logs, paths=self.paths)

    def fault_lines(self) -> list[str]:
        """For each entrant with faults the first of them; commands may be wider than a page."""
        return fault_lines(self.results.notes, self.where)


def sheet_of(
    results: LeagueResults, unit: Unit, isolation: str, complete: bool, paths: Mapping[str, Path]
) -> Sheet:
    """The sheet of a league that has just been played; its logs by pairing."""
    return Sheet(
        results=results, table=results.table(), unit=unit, isolation=isolation,
        complete=complete, paths=paths,
    )  # fmt: skip


def sheet_from(logs: Sequence[Log]) -> Sheet:
    """The sheet that logs make; ConfigError when they do not belong to one league."""
    distinct = tuple({log.path.resolve(): log for log in logs}.values())
    _check_together(distinct)
    results = results_from(distinct)
    header = distinct[0].header
    levels = sorted({log.header.isolation for log in distinct})
    return Sheet(
        results=results,
        table=results.table(),
        unit=header.unit,
        isolation="/".join(levels),
        complete=all(log.end is not None for log in distinct),
        planned=_planned(distinct),
        logs=distinct,
        notes=_changed_entrants(distinct),
    )


def _check_together(logs: Sequence[Log]) -> None:
    first = logs[0]
    seen: dict[str, list[Log]] = {}
    for log in logs:
        for field in ("game", "ruleset", "rules", "unit"):
            one, other = getattr(first.header, field), getattr(log.header, field)
            if one != other:
                what = f"{field} {one!r} and {other!r}" if field != "rules" else "other rules"
                raise ConfigError(
                    f"{first.path} and {log.path} are of different leagues ({what}); "
                    "name the logs that belong together"
                )
        twins = seen.setdefault(log.header.pairing, [])
        for twin in twins:
            for number in log.sets:
                if number in twin.sets:
                    raise ConfigError(
                        f"set {number} of {log.header.pairing} is in {twin.path} and in "
                        f"{log.path}; name one of them"
                    )
        twins.append(log)


def _planned(logs: Sequence[Log]) -> tuple[int, int] | None:
    """How many sets of these logs are there, and how many are to be in the end."""
    folders = {of_log(log.path).path for log in logs if log.path.parent.name == "logs"}
    outline = read_outline(Folder(folders.pop())) if len(folders) == 1 else None
    if outline is None:
        return None
    there = wanted = 0
    for log in logs:
        most = outline.of_log(log.header)
        there += sum(number < most for number in log.sets)
        wanted += most
    return there, wanted


def _changed_entrants(logs: Sequence[Log]) -> tuple[str, ...]:
    known: dict[str, set[str]] = {}
    for log in logs:
        for header in log.headers:
            for entrant in header.entrants:
                mark = f"{entrant.version} {entrant.digest} {entrant.command}"
                known.setdefault(entrant.id, set()).add(mark)
    return tuple(
        f"{printable(name)}: command, version or program differ between logs"
        for name, marks in sorted(known.items())
        if len(marks) > 1
    )


# ---- the page ------------------------------------------------------------------------------------


def standings_page(sheet: Sheet, look: Look) -> RenderableType:
    """The whole page."""
    parts: list[RenderableType] = [Text(heading(sheet), "bold"), ranking(sheet, look)]
    if sheet.crossed:
        parts.append(crosstable(sheet, look))
    parts.append(Group(*(Text(line) for line in remarks(sheet))))
    return stacked(parts)


def heading(sheet: Sheet) -> str:
    """What was played, in one line."""
    results = sheet.results
    sets = sum(pairing.sets for pairing in sheet.table.pairings)
    text = f"{results.game.name} {printable(results.game.ruleset)}, {count(sets, 'set')} of "
    text += f"{count(results.sides, 'table') if results.sides > 2 else '2 tables'}"
    return text + (not_complete([sheet]) if sheet.complete is False else "")


def not_complete(sheets: Sequence[Sheet]) -> str:
    """That sets are missing, and how many where that is known."""
    known = [sheet.planned for sheet in sheets if sheet.planned is not None]
    there, wanted = sum(one[0] for one in known), sum(one[1] for one in known)
    if len(known) < len(sheets) or there >= wanted:
        return "; not complete"
    return f"; not complete: {there:,} of {count(wanted, 'planned set')}"


def ranking(sheet: Sheet, look: Look) -> Table:
    """Rank, range of ranks, entrant, sets, net, pairings, faults and times."""
    totals = sheet.unit == "game"
    table = grid(
        ("#", "right"),
        ("range", "left"),
        ("entrant", "fold"),
        ("sets", "right"),
        (f"net per {sheet.unit}", "right"),
        *([("points", "right")] if totals else []),
        ("pairings\nw-d-l", "right"),
        ("faults", "fold"),
        ("mean ms", "right"),
        ("worst", "right"),
    )
    for row in sheet.table.rows:
        notes = sheet.results.notes[row.entrant]
        mean = notes.decision_ms / notes.decisions if notes.decisions else None
        table.add_row(
            Text("" if row.rank is None else str(row.rank)),
            Text(_range(row)),
            Text(printable(row.entrant)),
            Text(f"{row.sets:,}"),
            net_text(row, sheet.decimals, look),
            *([Text(_totals(notes))] if totals else []),
            Text("" if row.unrated else outcomes(row)),
            Text(faults_text(notes), "red"),
            Text("" if mean is None else milliseconds(mean)),
            Text("" if mean is None else milliseconds(notes.worst_ms)),
        )
    return table


def net_text(row: Row, decimals: int, look: Look) -> Text:
    """The net with its interval."""
    if row.unrated:
        return Text("unrated")
    wide = half_width(row.net.half_width, decimals)
    return Text(f"{signed(row.net.mean, decimals)} {look.plus_minus} {wide}")


def outcomes(row: Row) -> str:
    """Pairings won, drawn and lost."""
    return f"{row.pairings_won}-{row.pairings_drawn}-{row.pairings_lost}"


def _range(row: Row) -> str:
    if row.rank_low is None or row.rank_high is None:
        return ""
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}-{row.rank_high}"


def _totals(notes: EntrantNotes) -> str:
    """Mean totals of a game, own and the others'."""
    if not notes.scored:
        return ""
    games = notes.scored
    return f"{notes.points / games:.0f} : {notes.points_against / games:.0f}"


def crosstable(sheet: Sheet, look: Look) -> RenderableType:
    """Who did how well against whom; in as many blocks of columns as the page's width asks for."""
    rated = [row for row in sheet.table.rows if not row.unrated]
    texts = {pair: _cell(cell, sheet.decimals, look) for pair, cell in sheet.table.cells.items()}
    width = max(max(map(len, texts.values())), 5) + 2
    label = max(min(max(len(printable(row.entrant)) for row in rated), 22) + 5, 8)
    across = max((WIDTH - label) // width, 1)
    parts: list[RenderableType] = []
    for start in range(0, len(rated), across):
        columns = range(start, min(start + across, len(rated)))
        table = grid(("against", "left"), *((f"{number + 1}.", "right") for number in columns))
        for place, row in enumerate(rated):
            cells = [
                "" if place == number else texts.get((row.entrant, rated[number].entrant), "-")
                for number in columns
            ]
            name = printable(row.entrant)
            name = name if len(name) <= 22 else name[:21] + look.ellipsis[:1]
            table.add_row(Text(f"{place + 1:>2}. {name}"), *map(Text, cells))
        parts.append(table)
    return stacked(parts)


def _cell(cell: Cell, decimals: int, look: Look) -> str:
    mean, wide = signed(cell.net.mean, decimals), half_width(cell.net.half_width, decimals)
    return f"{mean}{look.plus_minus}{wide}{cell.significance:<2}"


def remarks(sheet: Sheet) -> list[str]:
    """What has to be said below the tables."""
    table, lines = sheet.table, []
    if sheet.crossed:
        lines.append(
            "Rows against columns: own net with its half-width; * differs by this comparison "
            "alone, ** also when all comparisons are to be right at once."
        )
    percent = f"{100 * table.confidence:.0f} %"
    lines.append(
        f"Intervals: {percent}, Student t over sets. Range: the ranks an entrant may really have, "
        f"{percent} sure for all of them at once."
    )
    if table.duplicate_gain is not None and math.isfinite(table.duplicate_gain):
        lines.append(
            f"Measured duplicate gain: {table.duplicate_gain:.2f} (a deal played at all its tables "
            "is worth that many times as many separate deals)."
        )
    lines += _superiority(sheet)
    lines += _pairing_notes(sheet)
    lines += [note[0].upper() + note[1:] + "." for note in table.notes]
    lines += [note + "." for note in sheet.notes]
    if reasons := unrated_reasons(sheet):
        lines.append("Unrated: without a finished set there is neither a net nor a rank.")
    lines += [reason + "." for reason in reasons.values()]
    lines += _trouble(sheet)
    return lines


def _superiority(sheet: Sheet) -> list[str]:
    """Of two entrants alone: how sure the better one is, and else how many sets would show it."""
    pairings = sheet.table.pairings
    alone = len(pairings) == 1 and len(sheet.table.rows) == 2
    found = pairings[0].difference if alone else None
    if found is None or abs(found.mean) <= ZERO or math.isinf(found.half_width):
        return []
    better, other = map(printable, pairings[0].pairing)
    chance = los(found)
    if found.mean < 0:
        better, other, chance = other, better, 1 - chance
    sure = f"{100 * chance:.1f} %" if chance < 0.9995 else "more than 99.9 %"
    lines = [f"Likelihood of superiority: {sure} that {better} is better than {other}."]
    if abs(found.mean) <= found.half_width:
        # Two more than by the normal approximation.
        sets = 2 + sets_needed(found.sd, found.mean, confidence=sheet.table.confidence)
        many = f"{sets:,}" if sets <= 1_000_000 else "more than a million"
        lines.append(
            f"If the true edge is as large as this one, {many} sets show it four times out of "
            "five."
        )
    return lines


_MEANT = {
    FEW_INFORMATIVE: f" (fewer than {MIN_INFORMATIVE} sets told the entrants apart, so their "
    "intervals are made wider)"
}
"""What notes on pairings mean, where they do not say so themselves."""


def _pairing_notes(sheet: Sheet) -> list[str]:
    found: dict[str, list[str]] = {}
    for pairing in sheet.table.pairings:
        for note in pairing.notes:
            found.setdefault(note, []).append(printable("+".join(pairing.pairing)))
    lines = []
    for note, names in found.items():
        shown = ", ".join(names[:3])
        more = f" and {len(names) - 3} more pairings" if len(names) > 3 else ""
        lines.append(f"{note[0].upper()}{note[1:]}{_MEANT.get(note, '')}: {shown}{more}.")
    return lines


def _trouble(sheet: Sheet) -> list[str]:
    lines = []
    missing = unplayable_sets(sheet.results)
    if missing:
        lines.append(
            f"{count(missing, 'set')} could not be played: a bot did not start. Nobody gains by it."
        )
    if sheet.results.voids:
        times = count(sheet.results.voids, "time")
        lines.append(f"The referee spoilt a set {times}; such sets are played again.")
    if sheet.isolation != "seat":
        lines.append(
            f'Isolation "{sheet.isolation}": bots were not kept apart seat by seat '
            "(one process held several hands)."
        )
    return lines


def unplayable_sets(results: LeagueResults) -> int:
    """Sets that were not playable."""
    return sum(notes.not_playable for notes in results.notes.values()) // results.sides


def unrated_reasons(sheet: Sheet) -> dict[str, str]:
    """Why entrants at the end of the table have no rank."""
    reasons = {}
    for row in sheet.table.rows:
        if not row.unrated:
            continue
        notes, name = sheet.results.notes[row.entrant], printable(row.entrant)
        starts = [kind for kind in ("start_failed", "start_timeout") if notes.faults[kind]]
        if starts:
            why = f"could not be started ({', '.join(starts)})"
        elif notes.not_playable:
            why = "none of its sets could be played, because others did not start"
        else:
            why = "has not finished a set yet"
        reasons[row.entrant] = f"{name} is unrated: {why}"
    return reasons
