"""`referee standings`: the table of a league, from its logs and nothing else."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from referee.league.folder import logs_at
from referee.show.page import console_on, json_text, look_of, put
from referee.show.tour import tour_csv, tour_data, tour_from, tour_markdown, tour_page


@click.command(
    epilog="\b\nExample: referee standings results/quickstart --markdown",
    short_help="The table of a league, from its logs.",
)
@click.argument("paths", metavar="FOLDER|LOG...", nargs=-1, required=True)
@click.option("--json", "form", flag_value="json", help="Everything, as JSON.")
@click.option("--csv", "form", flag_value="csv", help="One line for each entrant.")
@click.option("--markdown", "form", flag_value="markdown", help="For documents and web pages.")
def standings(paths: Sequence[str], form: str | None) -> None:
    """Show the standings of a league: nets with 95 % intervals over sets, crosstable, faults.

    They are made from results folders or single logs, as long as these are of one league. A league
    of several games has a table for each and one over all of them.
    """
    tour = tour_from([log for log, _ in logs_at(map(Path, paths))])
    console = console_on(sys.stdout)
    if form == "json":
        click.echo(json_text(tour_data(tour)))
    elif form == "csv":
        click.echo(tour_csv(tour), nl=False)
    elif form == "markdown":
        click.echo(tour_markdown(tour, look_of(console)), nl=False)
    else:
        put(console, tour_page(tour, look_of(console)))
        if faults := tour.fault_lines():
            click.echo("\n".join(["", *faults]))
