"""The report as Markdown, for a repository's README: the standings, and tables of the deals."""

from collections.abc import Sequence

from referee.show.export import markdown_table
from referee.show.page import Look
from referee.show.report.data import Facts
from referee.show.report.deals import (
    by_entrant,
    by_word,
    seat_lines,
    time_lines,
    tried_cells,
    words_told,
)
from referee.show.tour import Tour, title, tour_markdown


def report_markdown(tour: Tour, games: Sequence[Facts], look: Look) -> str:
    """The whole text; `games` are the facts of the tour's sheets that have a finished set."""
    parts = [tour_markdown(tour, look).rstrip()]
    for facts in games:
        name = f"{title(facts.sheet.results.game)}: " if len(games) > 1 else ""
        parts += [
            f"**{name}{caption}**\n\n{markdown_table(heads, lines, 'l' + 'r' * (len(heads) - 1))}"
            for caption, heads, lines in _tables(facts)
        ]
    return "\n\n".join(parts) + "\n"


def _tables(facts: Facts) -> list[tuple[str, list[str], list[list[str]]]]:
    found = []
    if facts.words and facts.contracts.words:
        found.append((words_told(facts.words), *by_word(facts)))
    elif facts.contracts.points:
        levels = [[name, *tried_cells(tried)] for name, tried in facts.contracts.levels()]
        found.append(("Contracts by declarer", *by_entrant(facts)))
        found.append((
            "Contracts by size", ["contract", "deals", "made", "failed", "made %"], levels,
        ))  # fmt: skip
    if facts.spent:
        found.append(("Decision times in milliseconds", *time_lines(facts)))
    return [*found, *seat_lines(facts)]
