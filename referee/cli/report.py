"""`referee report`: a league as one page for a browser, as Markdown, or as a picture."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.league.folder import logs_at
from referee.log import Log
from referee.show.page import console_on, look_of
from referee.show.report.data import facts_of
from referee.show.report.markdown import report_markdown
from referee.show.report.markup import replays_beside
from referee.show.report.page import report_page, standings_picture
from referee.show.tour import tour_from


@click.command(
    epilog="\b\nExample: referee report results/quickstart",
    short_help="A league as a page for a browser.",
)
@click.argument("paths", metavar="FOLDER|LOG...", nargs=-1, required=True)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the page; FOLDER/report.html when left out.",
)  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print the report as Markdown instead.")
@click.option(
    "--svg", "picture", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="Write a picture of the standings; the page only if -o asks for it, too.",
)  # fmt: skip
def report(
    paths: Sequence[str], output: Path | None, markdown: bool, picture: Path | None
) -> None:
    """Write a league as one page for a browser: it needs no network and runs no script.

    Standings with their intervals, who against whom, progress, faults, decision times, contracts,
    seats, and every set. Where the replay of a log lies beside the page (as `referee replay LOG
    --html replay-LOG.html` writes it, or replay-PAIRING.html in a league of one game), its deals
    are linked.
    """
    logs = [log for log, _ in logs_at(map(Path, paths))]
    tour = tour_from(logs)
    games = [facts_of(sheet) for sheet in tour.sheets if sheet.results.results]
    if not games:
        raise ConfigError(f"{paths[0]}: no set is finished yet, so there is nothing to report")
    if picture is not None:
        _write(picture, standings_picture(tour, games), logs)
        click.echo(f"{picture}: the standings", err=markdown)
    if output is not None or not (markdown or picture):
        page = output if output is not None else _beside(Path(paths[0]))
        html = report_page(tour, games, replays_beside(page, logs, len(tour.sheets)))
        _write(page, html, logs)
        size = f"{len(html.encode()) / 1e6:.1f} MB"
        click.echo(f"{page}: {size}; open it in a browser", err=markdown)
    if markdown:
        text = report_markdown(tour, games, look_of(console_on(sys.stdout)))
        click.echo(text, nl=False)


def _beside(path: Path) -> Path:
    """Where the page of a folder is written."""
    if not path.is_dir():
        raise ConfigError(f"{path}: of single logs a report needs -o FILE to say where to write it")
    return path / "report.html"


def _write(path: Path, text: str, logs: Iterable[Log]) -> None:
    if any(path.exists() and path.samefile(log.path) for log in logs):
        raise ConfigError(f"{path}: that is a log itself; name another file")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
