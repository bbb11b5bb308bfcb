"""`referee standings`: the table of a league, from its logs and nothing else."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from referee.league.folder import logs_at
from referee.show.export import standings_csv, standings_data, standings_markdown
from referee.show.page import console_on, look_of, put
from referee.show.standings import sheet_from, standings_page


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

    They are made from results folders or single logs, as long as these are of one league.
    """
    sheet = sheet_from([log for log, _ in logs_at(map(Path, paths))])
    console = console_on(sys.stdout)
    if form == "json":
        click.echo(msgspec.json.encode(standings_data(sheet)))
    elif form == "csv":
        click.echo(standings_csv(sheet), nl=False)
    elif form == "markdown":
        click.echo(standings_markdown(sheet, look_of(console)), nl=False)
    else:
        put(console, standings_page(sheet, look_of(console)))
        if faults := sheet.fault_lines():
            click.echo("\n".join(["", *faults]))
