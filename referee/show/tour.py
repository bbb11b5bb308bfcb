"""The standings of a league that plays several games: one table over all, then one for each."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from referee.games.game import Game, Unit
from referee.league.overall import OverallRow, overall
from referee.league.results import LeagueResults
from referee.log import Log
from referee.show.export import (
    cell,
    finite,
    markdown_table,
    standings_csv,
    standings_data,
    standings_markdown,
)
from referee.show.page import Look, count, grid, half_width, printable, signed, stacked
from referee.show.standings import Sheet, not_complete, sheet_from, sheet_of, standings_page

DECIMALS = 2
"""Digits that standard scores are shown with."""


class Tour(Struct, frozen=True, kw_only=True):
    """The standings of a league: a sheet for each game, and the overall table of several."""

    sheets: tuple[Sheet, ...]
    rows: tuple[OverallRow, ...]
    """Empty where there is one game."""

    def fault_lines(self) -> list[str]:
        """For each entrant with faults the first of them in each game."""
        lines = []
        for sheet in self.sheets:
            found = sheet.fault_lines()
            if found and len(self.sheets) > 1:
                lines.append(f"{title(sheet.results.game)}:")
            lines += found
        return lines


def title(game: Game) -> str:
    """A game and its ruleset, said once where the ruleset says it."""
    ruleset = printable(game.ruleset)
    return ruleset if ruleset.startswith(game.name) else f"{game.name} {ruleset}"


def tour_of(
    results: Sequence[LeagueResults],
    unit: Unit,
    isolation: str,
    complete: bool,
    paths: Sequence[Mapping[str, Path]],
) -> Tour:
    """The standings of a league that has just been played; its logs by pairing for each game."""
    return _tour([
        sheet_of(found, unit, isolation, complete, logs)
        for found, logs in zip(results, paths, strict=True)
    ])  # fmt: skip


def tour_from(logs: Sequence[Log]) -> Tour:
    """The standings that logs make; ConfigError when they do not belong to one league.

    Logs of several games belong together when they lie in one folder.
    """
    groups: dict[tuple[str, str], list[Log]] = {}
    if len({log.path.resolve().parent for log in logs}) == 1:
        for log in logs:
            groups.setdefault((log.header.game, log.header.ruleset), []).append(log)
        return _tour([sheet_from(group) for group in groups.values()])
    return _tour([sheet_from(logs)])


def _tour(sheets: Sequence[Sheet]) -> Tour:
    several = len(sheets) > 1
    rows = overall([sheet.table for sheet in sheets]) if several else []
    return Tour(sheets=tuple(sheets), rows=tuple(rows))


# ---- the page ------------------------------------------------------------------------------------


def tour_page(tour: Tour, look: Look) -> RenderableType:
    """The whole page; of one game, its standings."""
    if not tour.rows:
        return standings_page(tour.sheets[0], look)
    pages = [standings_page(sheet, look) for sheet in tour.sheets if sheet.results.results]
    remarks = Group(
        Text(
            "Score: the mean over the games of an entrant's standard score, its net less the mean "
            "of all nets there in their standard deviations; 95 % intervals."
        )
    )
    top: list[RenderableType] = [Text(heading(tour), "bold"), overall_table(tour, look), remarks]
    return stacked([*top, *pages])


def heading(tour: Tour) -> str:
    """What was played, in one line."""
    sets = sum(pairing.sets for sheet in tour.sheets for pairing in sheet.table.pairings)
    text = f"{count(len(tour.sheets), 'game')}, {count(sets, 'set')}"
    missing = any(sheet.complete is False for sheet in tour.sheets)
    return text + (not_complete(tour.sheets) if missing else "")


def overall_table(tour: Tour, look: Look) -> Table:
    """Rank, entrant, score with its interval, and the standard score in each game."""
    games = [(title(sheet.results.game), "right") for sheet in tour.sheets]
    table = grid(("#", "right"), ("entrant", "fold"), ("score", "right"), *games)
    for row in tour.rows:
        table.add_row(*map(Text, _cells(row, look)))
    return table


def _cells(row: OverallRow, look: Look) -> list[str]:
    return [
        "" if row.rank is None else str(row.rank),
        printable(row.entrant),
        _score(row, look),
        *("-" if score is None else signed(score, DECIMALS) for score in row.games),
    ]


def _score(row: OverallRow, look: Look) -> str:
    if row.score is None:
        return "unrated"
    wide = half_width(row.half_width, DECIMALS)
    return f"{signed(row.score, DECIMALS)} {look.plus_minus} {wide}"


# ---- for programs and other documents ------------------------------------------------------------


def tour_data(tour: Tour) -> dict[str, Any]:
    """The standings as plain JSON: of one game as they are, else `overall` and `games`."""
    sheets = [standings_data(sheet) for sheet in tour.sheets]
    if not tour.rows:
        return sheets[0]
    names = [f"{sheet['game']} {sheet['ruleset']}" for sheet in sheets]
    return {
        "overall": [
            {
                "rank": row.rank,
                "entrant": row.entrant,
                "score": row.score,
                "half_width": finite(row.half_width),
                "games": dict(zip(names, row.games, strict=True)),
            }
            for row in tour.rows
        ],
        "games": sheets,
    }


def tour_csv(tour: Tour) -> str:
    """One line for each entrant in each game; of several games, two columns say which."""
    if not tour.rows:
        return standings_csv(tour.sheets[0])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for place, sheet in enumerate(tour.sheets):
        lines = list(csv.reader(io.StringIO(standings_csv(sheet))))
        game = (sheet.results.game.name, cell(sheet.results.game.ruleset))
        if place == 0:
            writer.writerow(("game", "ruleset", *lines[0]))
        writer.writerows((*game, *line) for line in lines[1:])
    return out.getvalue()


def tour_markdown(tour: Tour, look: Look) -> str:
    """The page as Markdown."""
    pages = [standings_markdown(sheet, look) for sheet in tour.sheets]
    if not tour.rows:
        return pages[0]
    titles = ("#", "entrant", "score", *(title(sheet.results.game) for sheet in tour.sheets))
    rows = [_cells(row, look) for row in tour.rows]
    table = markdown_table(titles, rows, "rl" + "r" * (len(titles) - 2))
    return "\n\n".join([f"**{heading(tour)}**", table, *pages])
