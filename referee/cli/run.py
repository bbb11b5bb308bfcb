"""`referee run`: play a league from its file, or go on with it."""

from pathlib import Path

import click
from msgspec.structs import replace

from referee.cli.levels import sandbox_options, settled
from referee.cli.playing import Order, play, read_secret
from referee.errors import ConfigError
from referee.league.config import read_league
from referee.seats.sandbox_choice import AskedLevel


@click.command(
    epilog="\b\nExample: referee run tournaments/quickstart.toml --workers 2",
    short_help="Play a league, or go on with it.",
)
@click.argument("league", metavar="LEAGUE.toml")
@click.option("--dry-run", is_flag=True, help="Show the plan and touch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Standings as JSON; the rest on stderr.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes at once.")
@click.option("--sets", type=click.IntRange(1, 10_000_000), help="Sets for each pairing.")
@click.option("--secret-file", metavar="FILE", help="Take the secret from here (64 hex digits).")
@click.option("--all-entrants", is_flag=True, help="Refuse to leave optional entrants out.")
@click.option("--retry", is_flag=True, help="Play void and not playable sets again.")
@sandbox_options
@click.pass_context
def run(
    ctx: click.Context,
    league: str,
    dry_run: bool,
    as_json: bool,
    workers: int | None,
    sets: int | None,
    secret_file: str | None,
    all_entrants: bool,
    retry: bool,
    sandbox: AskedLevel | None,
    sandbox_required: bool,
) -> None:
    """Play a league, or go on with it.

    Sets that are in the logs are not played again: the same command resumes a league that was
    interrupted, and an entrant added to the file plays only the pairings that are missing. Ctrl-C
    finishes the sets in flight, a second one stops at once.
    """
    resume = ["referee", "run", league]
    found = read_league(Path(league))
    if all_entrants and found.left_out:
        raise ConfigError(f"{league}: {'; '.join(found.left_out)}")
    if workers is not None:
        found = replace(found, config=replace(found.config, workers=workers))
        resume += ["--workers", str(workers)]
    if sets is not None:
        found = found.with_sets(sets)
        resume += ["--sets", str(sets)]
    if retry:
        resume.append("--retry")
    if sandbox is not None:
        resume += ["--sandbox", sandbox]
    if sandbox_required:
        resume.append("--sandbox-required")
    secret = read_secret(secret_file)
    if not dry_run:
        found = settled(
            found, sandbox, required=sandbox_required, as_json=as_json, secret_file=secret_file
        )
    order = Order(
        league=found,
        resume=resume,
        secret=secret,
        retry=retry,
        dry_run=dry_run,
        as_json=as_json,
    )
    ctx.exit(play(order))
