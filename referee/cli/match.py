"""`referee match`: let bots play each other without a league file."""

import re
import shlex
import tomllib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from referee.cli.levels import sandbox_options, settled
from referee.cli.playing import Order, play, read_secret
from referee.errors import ConfigError
from referee.league.config import LeagueConfig, league_of
from referee.seats.bot import Transport

_INTERPRETERS = frozenset(("python", "python3", "node", "java", "ruby", "perl", "bash", "sh"))


@click.command(
    epilog='\b\nExample: referee match greedy "python mybot.py" --sets 50',
    short_help="Let bots play each other.",
)
@click.argument("bots", metavar="BOT BOT...", nargs=-1, required=True)
@click.option("--game", default="huutopussi", show_default=True, help="The game.")
@click.option("--rules", help="A ruleset of the game.")
@click.option(
    "--option", "options", metavar="NAME=VALUE", multiple=True,
    help="One option on top of it; may be given several times.",
)  # fmt: skip
@click.option(
    "--sets", type=click.IntRange(1, 10_000_000), default=100, show_default=True,
    help="Sets for each pairing.",
)  # fmt: skip
@click.option(
    "--unit", type=click.Choice(["deal", "game"]), default="deal", show_default=True,
    help="Single deals, or whole games up to the target.",
)  # fmt: skip
@click.option("--decision-ms", type=click.IntRange(20, 86_400_000), help="Limit for a decision.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes at once.")
@click.option("--results", metavar="DIR", help="Results folder; goes on with what is in it.")
@click.option("--dry-run", is_flag=True, help="Show the plan and touch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Standings as JSON; the rest on stderr.")
@click.option("--secret-file", metavar="FILE", help="Take the secret from here (64 hex digits).")
@sandbox_options
@click.pass_context
def match(ctx: click.Context, /, bots: Sequence[str], **flags: Any) -> None:
    """Let bots play each other.

    A BOT is a sample bot's name, a path to a program or to a folder with a bot.toml, or a quoted
    command line; `stdio:` before it makes any program a bot that reads and writes JSON lines. With
    more bots than sit at a table, everybody meets everybody.

    Logs go into a new folder below the current one, results/match-BOTS-TIME, which stays there;
    --results names another one.
    """
    if len(bots) < 2:
        raise click.UsageError("a match needs two bots at least")
    ids = bot_ids(bots)
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = flags["results"] or f"results/match-{'-'.join(ids)[:60]}-{stamp}"
    values = {
        "name": "match",
        "game": flags["game"],
        "rules": flags["rules"],
        "options": dict(map(option_value, flags["options"])),
        "unit": flags["unit"],
        "sets": flags["sets"],
        "time": {"decision_ms": flags["decision_ms"]} if flags["decision_ms"] else {},
        "workers": flags["workers"] or 0,
        "results": folder,
        "entrants": [{"id": name, "bot": bot} for name, bot in zip(ids, bots, strict=True)],
    }
    try:
        config = msgspec.convert(values, LeagueConfig)
    except msgspec.ValidationError as error:
        raise ConfigError(f"match: {error}") from None
    league = league_of(config, Path())
    secret = read_secret(flags["secret_file"])
    try:
        if not flags["dry_run"]:
            league = settled(
                league, flags["sandbox"], required=flags["sandbox_required"],
                as_json=flags["as_json"], secret_file=flags["secret_file"],
            )  # fmt: skip
        order = Order(
            league=league, resume=_resume(bots, flags, folder), secret=secret,
            dry_run=flags["dry_run"], as_json=flags["as_json"],
        )  # fmt: skip
        code = play(order)
    except ConfigError as error:
        raise ConfigError(_for_a_match(str(error))) from None
    ctx.exit(code)


def _for_a_match(message: str) -> str:
    """A message about a league in the words of a match, which has no file to change.

    >>> _for_a_match("x.jsonl: other rules; give the league another results folder")
    'x.jsonl: other rules; name another folder by --results, or none for a new one'
    """
    what, advice, _ = message.replace("the league now says", "the match now has").partition(
        "; give the "
    )
    return f"{what}; name another folder by --results, or none for a new one" if advice else what


def bot_ids(bots: Sequence[str]) -> list[str]:
    """Entrant ids from bots: the program's name, made unique.

    >>> bot_ids(["greedy", "python bots/Mine.py --fast", "greedy", "stdio:./greedy.sh"])
    ['greedy', 'mine', 'greedy-2', 'greedy-3']
    """
    ids: list[str] = []
    for bot in bots:
        name = _name(bot)
        unique, number = name, 2
        while unique in ids:
            unique, number = f"{name}-{number}", number + 1
        ids.append(unique)
    return ids


def _name(bot: str) -> str:
    prefix, _, rest = bot.partition(":")
    bot = rest if prefix in get_args(Transport) else bot
    try:
        words = shlex.split(bot)
    except ValueError:
        words = bot.split()
    if words and Path(words[0]).name in _INTERPRETERS:
        words = [word for word in words[1:] if not word.startswith("-")] or words
    stem = Path(words[0]).stem if words else ""
    return re.sub(r"[^a-z0-9_.-]+", "-", stem.lower()).strip("-_.")[:30] or "bot"


def option_value(text: str) -> tuple[str, Any]:
    """`name=value` of `--option`: true, false, a number or a word.

    >>> option_value("bid_step=10"), option_value("teams=false"), option_value("tie=draw")
    (('bid_step', 10), ('teams', False), ('tie', 'draw'))
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ConfigError(f"--option {text!r}: expected NAME=VALUE, such as bid_step=10")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def _resume(bots: Sequence[str], flags: dict[str, Any], folder: str) -> list[str]:
    """The command that goes on with this match."""
    command = ["referee", "match", *bots]
    for name in ("game", "rules", "sets", "unit", "decision_ms", "workers", "sandbox"):
        if flags[name] is not None:
            command += ["--" + name.replace("_", "-"), str(flags[name])]
    if flags["sandbox_required"]:
        command.append("--sandbox-required")
    for option in flags["options"]:
        command += ["--option", option]
    return [*command, "--results", folder]
