"""`referee check`: does a bot keep the protocol?"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from referee.check.run import OPTIONAL, Check, all_games
from referee.check.steps import NUMBERS
from referee.cli.levels import level_for, sandbox_options
from referee.errors import ConfigError
from referee.league.entrants import EntrantConfig, entrant_of
from referee.seats.sandbox_choice import AskedLevel
from referee.show.check import check_json, check_junit, check_page
from referee.show.page import console_on, json_text, look_of, printable, put


@click.command(
    epilog='\b\nExample: referee check "python mybot.py" --game tuppi',
    short_help="Test whether a bot keeps the protocol.",
)
@click.argument("bot", metavar="BOT")
@click.option("--game", "games", multiple=True, help="Only this game; may be given several times.")
@click.option("--rules", multiple=True, help="Only this ruleset; may be given several times.")
@click.option(
    "--decision-ms", type=click.IntRange(20, 600_000), default=2000, show_default=True,
    help="Limit for a decision.",
)  # fmt: skip
@click.option(
    "--start-ms", type=click.IntRange(100, 600_000), default=30_000, show_default=True,
    help="Limit for the start.",
)  # fmt: skip
@click.option(
    "--step", "numbers", type=int, multiple=True, metavar="N",
    help="Besides the first nine only this step; may be given several times.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@sandbox_options
@click.option("--junit", metavar="FILE", help="Write JUnit XML to this file, too.")
@click.pass_context
def check(
    ctx: click.Context,
    bot: str,
    games: tuple[str, ...],
    rules: tuple[str, ...],
    decision_ms: int,
    start_ms: int,
    numbers: tuple[int, ...],
    as_json: bool,
    junit: str | None,
    sandbox: AskedLevel | None,
    sandbox_required: bool,
) -> None:
    """Start a bot, play with it, and say of each step whether it keeps the protocol.

    A BOT is what `referee match` takes. All rulesets of all games that it says it knows are
    played, one deal each, the other seats by chance. Exit code 0 when all steps passed or were
    skipped, 1 when one failed, 2 when the bot or a flag is wrong.
    """
    command = entrant_of(EntrantConfig(id="bot", bot=bot), Path()).command
    chosen = all_games(games, rules)
    wanted = _steps(numbers)
    level = level_for(command, sandbox, required=sandbox_required)
    with _progress() as show:
        report = Check(
            command, chosen, bot=bot, decision_ms=decision_ms, start_ms=start_ms,
            steps=wanted, level=level, show=show,
        ).run()  # fmt: skip
    if junit is not None:
        try:
            Path(junit).write_bytes(check_junit(report))
        except OSError as error:
            raise ConfigError(f"{junit}: cannot be written: {error.strerror}") from None
    if as_json:
        click.echo(json_text(check_json(report)))
    else:
        console = console_on(sys.stdout)
        put(console, check_page(report, look_of(console)))
    ctx.exit(1 if report.failed else 0)


def _steps(numbers: Iterable[int]) -> list[str]:
    """The keys of steps named by their numbers."""
    known = {NUMBERS[key]: key for key in OPTIONAL}
    for number in numbers:
        if number not in known:
            first, last = min(known), max(known)
            raise ConfigError(f"--step {number}: expected one of {first} to {last}")
    return [known[number] for number in numbers]


@contextmanager
def _progress() -> Iterator[Callable[[str], object]]:
    """A line on the terminal that says what is under way; nothing elsewhere."""
    console = console_on(sys.stderr)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("starting", spinner="line") as status:
        yield lambda text: status.update(printable(text, 90))
