"""The parts of a report that come of single deals: contracts, times, seats, and lists of sets."""

from collections.abc import Sequence
from heapq import nsmallest
from itertools import combinations
from pathlib import Path

from referee.league.schedule import pairing_id
from referee.show.page import count, milliseconds, signed
from referee.show.report import svg
from referee.show.report.data import BIN_EDGES, Contracts, Facts, Means, SetLine, Tried
from referee.show.report.markup import Replays, figures, folded, link, listed, table, text
from referee.show.tour import title

LISTED = 6_000
"""Sets that a page lists at most, shared among the pairings of a game."""
_FEWEST = 20
"""Sets of a pairing that are listed in any case."""


# ---- contracts -----------------------------------------------------------------------------------


def contracts(key: str, facts: Facts) -> str:
    """What was declared and how it ended; nothing in games that know no contract."""
    found = facts.contracts
    if facts.words and found.words:
        return _words(key, facts)
    if not found.points:
        return ""
    levels = found.levels()
    rows = [(name, tried.made, tried.failed) for name, tried in levels]
    drawn = svg.outcomes(f"{key}-ct", "Contracts made and failed, by size", rows)
    shown = table(
        "Contracts by size", ["contract", "deals", "made", "failed", "made %"],
        [[text(name), *tried_cells(tried)] for name, tried in levels], "lrrrr",
    )  # fmt: skip
    heads, lines = by_entrant(facts)
    own = table("Contracts by declarer", heads, [[text(c) for c in line] for line in lines],
                "l" + "r" * (len(heads) - 1), wide=True)  # fmt: skip
    passed = f"<p>Nobody declared in {count(found.passed, 'deal')}.</p>\n" if found.passed else ""
    made = "<p>By what was named in the end: made (filled) + failed (hollow).</p>\n"
    return made + drawn + passed + own + folded("The numbers by size", shown)


def tried_cells(tried: Tried) -> list[str]:
    """Tries, made, failed, and the share of what was made."""
    percent = tried.percent
    share = "" if percent is None else f"{percent:.1f}"
    return [f"{tried.tries:,}", f"{tried.made:,}", f"{tried.failed:,}", share]


def by_entrant(facts: Facts) -> tuple[list[str], list[list[str]]]:
    """Headings and lines: contracts of points by who declared them."""
    found: Contracts = facts.contracts
    heads = ["declarer", "contracts", "made", "failed", "made %", "mean contract"]
    lines = []
    for row in facts.sheet.table.rows:
        tried = found.by_entrant.get(row.entrant)
        if tried is not None:
            mean = found.declared[row.entrant] / tried.tries
            lines.append([row.entrant, *tried_cells(tried), f"{mean:.1f}"])
    return heads, lines


def by_word(facts: Facts) -> tuple[list[str], list[list[str]]]:
    """Headings and lines: outcomes of each word by entrant."""
    heads = ["entrant"]
    for word in facts.words:
        heads += [f"{word} won-lost", f"{word} %"]
    lines = []
    for row in facts.sheet.table.rows:
        tries = [facts.contracts.words.get((row.entrant, word), Tried()) for word in facts.words]
        if any(tried.tries for tried in tries):
            cells = [cell for tried in tries for cell in _won_lost(tried)]
            lines.append([row.entrant, *cells])
    return heads, lines


def _won_lost(tried: Tried) -> tuple[str, str]:
    if not tried.tries:
        return "", ""
    return f"{tried.made:,}-{tried.failed:,}", f"{tried.percent:.1f}"


def words_told(words: Sequence[str]) -> str:
    """What is counted."""
    high, low, *alone = words
    told = f"{high}: by the entrant that bid it. {low}: deals in which all bid it, by each side."
    return told + (f" {alone[0]}: by the entrant that played it alone." if alone else "")


def _words(key: str, facts: Facts) -> str:
    pictures = []
    for place, word in enumerate(facts.words):
        rows = [
            (row.entrant, tried.made, tried.failed)
            for row in facts.sheet.table.rows
            if (tried := facts.contracts.words.get((row.entrant, word))) is not None
        ]
        if rows:
            drawn = svg.outcomes(f"{key}-w{place}", f"{word} won and lost", rows)
            pictures.append((f"{word}, won (filled) + lost (hollow)", drawn))
    heads, lines = by_word(facts)
    shown = table(
        words_told(facts.words), heads, [[text(cell) for cell in line] for line in lines],
        "l" + "r" * (len(heads) - 1), wide=True,
    )  # fmt: skip
    return figures(pictures) + shown


# ---- times ---------------------------------------------------------------------------------------


def times(key: str, facts: Facts) -> str:
    """How long decisions took: their distribution, drawn and in numbers."""
    if not facts.spent:
        return ""
    used = [place for spent in facts.spent.values() for place, n in enumerate(spent.bins) if n]
    first, last = min(used), max(used)
    begins = [0.0, *BIN_EDGES]
    pictures = []
    for place, (entrant, spent) in enumerate(facts.spent.items()):
        bins = [(_edge(begins[at]), spent.bins[at]) for at in range(first, last + 1)]
        told = (
            f"{spent.decisions:,} decisions: half within {milliseconds(spent.median)} ms, 95 % "
            f"within {milliseconds(spent.p95)} ms, the longest {milliseconds(spent.worst)} ms"
        )
        drawn = svg.histogram(f"{key}-ti{place}", f"Decision times of {entrant}", told, bins)
        pictures.append((entrant, drawn))
    heads, lines = time_lines(facts)
    shown = table(
        "Milliseconds", heads, [[text(cell) for cell in line] for line in lines],
        "l" + "r" * (len(heads) - 1), wide=True,
    )  # fmt: skip
    told = "<p>Decisions by how long they took, in milliseconds; every bar is a share.</p>\n"
    return told + figures(pictures) + shown


def _edge(ms: float) -> str:
    return f"{ms:g}" if ms < 1000 else f"{ms / 1000:g} s"


def time_lines(facts: Facts) -> tuple[list[str], list[list[str]]]:
    """Headings and lines: the times of each entrant."""
    heads = ["entrant", "decisions", "mean", "median", "95 %", "99 %", "worst"]
    lines = [
        [entrant, f"{spent.decisions:,}",
         *map(milliseconds, (spent.mean, spent.median, spent.p95, spent.p99, spent.worst))]
        for entrant, spent in facts.spent.items()
    ]  # fmt: skip
    return heads, lines


# ---- seats ---------------------------------------------------------------------------------------


def seats(facts: Facts) -> str:
    """Nets of a deal by seat, and by how far from the dealer somebody sat."""
    parts = []
    for caption, heads, lines in seat_lines(facts):
        rows = [[text(cell) for cell in line] for line in lines]
        parts.append(table(caption, heads, rows, "l" + "r" * (len(heads) - 1), wide=True))
    return "".join(parts)


def seat_lines(facts: Facts) -> list[tuple[str, list[str], list[list[str]]]]:
    """Caption, headings and lines of each table of seats; nothing without a deal."""
    number = facts.sheet.results.game.seats
    seat_names = [f"seat {seat}" for seat in range(number)]
    left = ["dealer", *(f"{place}. to the left" for place in range(1, number))]
    found = []
    for caption, names, means in (
        ("Mean net of a deal by seat", seat_names, facts.seats.by_seat),
        ("Mean net of a deal by place from the dealer", left, facts.seats.from_dealer),
    ):
        lines = []
        for who in (None, *(row.entrant for row in facts.sheet.table.rows)):
            cells = [means.get((who, seat), Means()).mean for seat in range(number)]
            if any(cell is not None for cell in cells):
                shown = ["" if cell is None else signed(cell, 1) for cell in cells]
                lines.append([who or "everybody", *shown])
        if lines:
            found.append((caption, ["entrant", *names], lines))
    return found


# ---- sets ----------------------------------------------------------------------------------------


def sets(key: str, facts: Facts, replays: Replays) -> str:
    """The sets of each pairing, with links to their replays where these lie beside the page."""
    if not facts.sets:
        return ""
    most = max(_FEWEST, LISTED // len(facts.sets))
    logs = {log.header.pairing: log for log in facts.sheet.logs}
    parts = []
    if facts.sheet.results.sides > 2:
        parts.append(_meetings(key, facts))
    for place, (pairing, lines) in enumerate(facts.sets.items()):
        name = f"{key}-p{place}"
        shown: Sequence[SetLine] = lines
        if len(lines) > most:
            shown = sorted(nsmallest(most, lines, key=lambda line: -line.spread), key=_number)
        log = logs.get(pairing)
        path = None if log is None else log.path
        parts.append(f'<h4 id="{name}">{text(pairing.replace("+", " : "))}</h4>\n')
        if len(shown) < len(lines):
            parts.append(
                f"<p>The {len(shown):,} of {count(len(lines), 'set')} in which the entrants are "
                "farthest apart.</p>\n"
            )
        rows = [_set_row(facts, line, replays, path) for line in shown]
        tables = len(lines[0].nets)
        heads = ["set", *(f"table {number}" for number in range(tables)), "mean net"]
        caption = f"Nets of {pairing.replace('+', ' : ')}, in that order"
        label = text(f"{caption}, {title(facts.sheet.results.game)}")
        parts.append(
            f'<div class="long" tabindex="0" role="region" aria-label="{label}">\n'
            + table(caption, heads, rows, "r" * len(heads), wide=True)
            + "</div>\n"
        )
    return "".join(parts)


def _number(line: SetLine) -> int:
    return line.number


def _set_row(facts: Facts, line: SetLine, replays: Replays, path: Path | None) -> list[str]:
    decimals = facts.sheet.decimals
    cells = []
    for place, row in enumerate(line.nets):
        shown = nets_text(row, decimals)
        href = replays.of(path, line.number, place)
        cells.append(link(href, shown) if href else shown)
    return [str(line.number), *cells, nets_text(line.means, decimals)]


def nets_text(values: Sequence[float], decimals: int) -> str:
    """Nets of a table, one for each entrant."""
    return " : ".join(signed(value, decimals) for value in values)


def _meetings(key: str, facts: Facts) -> str:
    """For every two entrants the pairings in which both sat."""
    places = {pairing: place for place, pairing in enumerate(facts.sets)}
    members = {tuple(p.pairing): places[pairing_id(p.pairing)] for p in facts.sheet.table.pairings}
    parts = []
    for number, pair in enumerate(combinations(sorted(facts.sheet.results.entrants), 2)):
        links = [
            link(f"#{key}-p{place}", text(" : ".join(names)))
            for names, place in members.items()
            if set(pair) <= set(names)
        ]
        if links:
            parts.append(f'<h4 id="{key}-m{number}">{text(" and ".join(pair))}</h4>\n')
            parts.append(listed(links))
    return "".join(parts)
