"""`referee export`: logs as tables for databases and spreadsheets."""

from collections.abc import Sequence
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.league.rows import log_files, rows_of
from referee.show.export_rows import TABLES, export, targets_of
from referee.show.page import count
from referee.show.queries import QUERIES

_FILES = (
    ".csv makes two files (results.deals.csv, results.decisions.csv), .parquet two as well, "
    ".sqlite and .duckdb one file with two tables."
)


def _epilog() -> str:
    """The columns of both tables, one a line."""
    lines = []
    for table, columns in TABLES.items():
        lines.append(f"\b\nColumns of {table}:")
        lines += [f"  {column.name:<12} {column.meaning}" for column in columns]
        lines.append("")
    lines.append("\b\nExample: referee export results/quickstart --to results.sqlite")
    return "\n".join(lines)


def _show_queries(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo("\n".join(f"-- {query.question}\n{query.sql}" for query in QUERIES), nl=False)
        ctx.exit()


@click.command(
    "export", epilog=_epilog(), short_help="Logs as tables: a row a deal, a row a decision."
)
@click.argument("paths", metavar="FOLDER|LOG...", nargs=-1, required=True)
@click.option(
    "--to", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), required=True,
    help="Where to write; its ending says the form. " + _FILES,
)  # fmt: skip
@click.option(
    "--queries", is_flag=True, is_eager=True, expose_value=False, callback=_show_queries,
    help="Print worked queries for SQLite and DuckDB, and leave.",
)  # fmt: skip
def export_logs(paths: Sequence[str], to: Path) -> None:
    """Write what logs say as two tables: one row for each deal, one for each decision.

    Deals are played again to say what was declared and what was legal. Incomplete sets are left
    out, as in the standings. Parquet and DuckDB need an extra: pip install 'card-referee[parquet]'
    or 'card-referee[duckdb]'.
    """
    logs = log_files(map(Path, paths))
    sources = {log.resolve() for log in logs}
    for target in targets_of(to):
        if target.resolve() in sources:
            raise ConfigError(f"{target}: that is a log itself; name another file")
    written = export(rows_of(logs), to)
    files = ", ".join(map(str, written.files))
    rows = f"{count(written.deals, 'row')} of deals, {count(written.decisions, 'row')} of decisions"
    click.echo(f"{files}: {rows}")
