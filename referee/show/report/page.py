"""A league as one page for a browser: no script, no request, everything in one file."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from referee.show.page import half_width, signed
from referee.show.report import svg
from referee.show.report.data import Facts
from referee.show.report.deals import contracts, seats, sets, times
from referee.show.report.league import crosstable, faults, pairings, progress, ranking
from referee.show.report.markup import Replays, link, table, text
from referee.show.tour import DECIMALS, Tour, heading, title


def report_page(tour: Tour, games: Sequence[Facts], replays: Replays) -> str:
    """The file's text; `games` are the facts of the tour's sheets that have a finished set."""
    name = title(games[0].sheet.results.game) if len(games) == 1 else heading(tour)
    parts = [f"<h1>Report: {text(name)}</h1>\n"]
    if len(games) > 1:
        parts.append(_contents(games))
    if tour.rows:
        parts.append(_overall(tour))
    for place, facts in enumerate(games):
        parts += _game(f"g{place}", facts, replays, alone=len(games) == 1)
    return document(f"Report: {name}", "".join(parts))


def document(name: str, body: str) -> str:
    """A page around a body of HTML; its policy lets no script run and nothing be fetched."""
    style = svg.style() + files("referee.show.report").joinpath("page.css").read_text("utf-8")
    digest = b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = "; ".join((
        "default-src 'none'", f"style-src 'sha256-{digest}'", "img-src data:",
        "base-uri 'none'", "form-action 'none'",
    ))  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{text(name)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"{body}</main>\n</body>\n</html>\n"
    )


def standings_picture(tour: Tour, games: Sequence[Facts]) -> str:
    """The standings as a picture that stands alone; of several games, the scores over all."""
    if tour.rows:
        return svg.alone(svg.intervals("s", "Standings over all games", _scores(tour), "score"))
    sheet = games[0].sheet
    name = f"Standings: {title(sheet.results.game)}"
    return svg.alone(svg.intervals("s", name, bars_of(games[0]), f"net per {sheet.unit}"))


def bars_of(facts: Facts) -> list[svg.Bar]:
    """The nets of those who have one, from the highest down."""
    sheet = facts.sheet
    return [
        svg.Bar(
            name=f"{row.rank}. {row.entrant}",
            value=f"{signed(row.net.mean, sheet.decimals)} ± "
            f"{half_width(row.net.half_width, sheet.decimals)}",
            mean=row.net.mean,
            half_width=row.net.half_width,
        )
        for row in sheet.table.rows
        if not row.unrated
    ]


def _scores(tour: Tour) -> list[svg.Bar]:
    return [
        svg.Bar(
            name=f"{row.rank}. {row.entrant}",
            value=f"{signed(row.score, DECIMALS)} ± {half_width(row.half_width, DECIMALS)}",
            mean=row.score,
            half_width=row.half_width,
        )
        for row in tour.rows
        if row.score is not None
    ]


def _contents(games: Sequence[Facts]) -> str:
    items = "".join(
        f"<li>{link(f'#g{place}', text(title(facts.sheet.results.game)))}</li>"
        for place, facts in enumerate(games)
    )
    return f'<nav aria-label="Games"><ul>{items}</ul></nav>\n'


def _overall(tour: Tour) -> str:
    """The table over all games."""
    heads = ["entrant", "score", *(title(sheet.results.game) for sheet in tour.sheets)]
    rows = [
        [
            text(row.entrant if row.rank is None else f"{row.rank}. {row.entrant}"),
            "unrated"
            if row.score is None
            else f"{signed(row.score, DECIMALS)} ± {half_width(row.half_width, DECIMALS)}",
            *("-" if score is None else signed(score, DECIMALS) for score in row.games),
        ]
        for row in tour.rows
    ]
    caption = (
        "Score: the mean over the games of an entrant's standard score, its net less the mean of "
        "all nets there in their standard deviations; 95 % intervals."
    )
    drawn = ""
    if bars := _scores(tour):
        drawn = svg.intervals("all", "Standings over all games", bars, "score")
    return (
        f'<h2 id="overall">All games</h2>\n<p>{text(heading(tour))}</p>\n{drawn}\n'
        + table(caption, heads, rows, "l" + "r" * (len(heads) - 1), wide=True)
    )


def _game(key: str, facts: Facts, replays: Replays, alone: bool) -> Iterator[str]:
    """The parts of one game."""
    sheet = facts.sheet
    if not alone:
        yield f'<h2 id="{key}">{text(title(sheet.results.game))}</h2>\n'
    sections = [
        ("standings", "Standings", ranking(key, facts, bars_of(facts))),
        ("crosstable", "Who against whom", crosstable(key, facts)),
        ("progress", "Progress", progress(key, facts)),
        ("contracts", "Contracts", contracts(key, facts)),
        ("faults", "Faults", faults(facts, replays)),
        ("times", "Decision times", times(key, facts)),
        ("seats", "Seats", seats(facts)),
        ("pairings", "Pairings and duplicate gain", pairings(key, facts)),
        ("sets", "Sets", sets(key, facts, replays)),
    ]
    sections = [section for section in sections if section[2]]
    items = "".join(f"<li>{link(f'#{key}-{s[0]}', text(s[1]))}</li>" for s in sections)
    label = f"Parts of {title(sheet.results.game)}"
    yield f'<nav aria-label="{text(label)}"><ul>{items}</ul></nav>\n'
    level = "h2" if alone else "h3"
    for name, heading_, html in sections:
        yield f'<{level} id="{key}-{name}">{text(heading_)}</{level}>\n{html}'
