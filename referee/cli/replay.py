"""`referee replay`: read deals of a log, card by card."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from rich.console import Console, Group
from rich.text import Text

from referee.errors import ConfigError
from referee.games.game import Game
from referee.games.rulesets import game_from
from referee.league.folder import Folder, logs_at
from referee.league.plan import logged_seatings
from referee.log import Header, Log
from referee.replay import verify
from referee.show.deal import Scene, deal_page, hand_lines, heading, loose_faults, result_lines
from referee.show.listing import list_data, list_page, unplayed_lines
from referee.show.moments import actions_page, moment_lines
from referee.show.page import console_on, look_of, put
from referee.show.story import Story, stories


@click.command(
    epilog="\b\nExample: referee replay LOG.jsonl --set 0 --table 0",
    short_help="Read deals of a log, card by card.",
)
@click.argument("log", metavar="LOG")
@click.option("--set", "set_number", type=click.IntRange(0), help="A set of the log.")
@click.option("--table", type=click.IntRange(0), help="One table of the set.")
@click.option("--deal", type=click.IntRange(0), help="One deal of the tables.")
@click.option("--step", is_flag=True, help="Decision by decision, Enter after each.")
@click.option("--actions", is_flag=True, help="Every action with its time and the bot's note.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def replay(
    log: str,
    set_number: int | None,
    table: int | None,
    deal: int | None,
    step: bool,
    actions: bool,
    as_json: bool,
) -> None:
    """Read deals of a log: hands, auction, exchange, tricks, faults at their place, points.

    Without --set, a list of everything in the log, a line for each deal.
    """
    found, folder = _the_log(Path(log))
    header = found.header
    game = game_from(header.game, header.ruleset, header.rules)
    console = console_on(sys.stdout)
    if set_number is None:
        if table is not None or deal is not None or step or actions:
            raise click.UsageError("--table, --deal, --step and --actions need --set")
        if as_json:
            click.echo(msgspec.json.encode(list_data(game, found)))
        else:
            put(console, list_page(game, found))
        return
    told = list(_chosen(game, found, folder, set_number, table, deal))
    unplayed = unplayed_lines(found.sets[set_number], table) if not deal else []
    if as_json:
        click.echo(msgspec.json.encode({**_data(header, told), "unplayed": unplayed}))
        return
    for line in unplayed:
        click.echo(line)
    if told and unplayed:
        click.echo("")
    for number, story in enumerate(told):
        if number:
            click.echo("")
        scene = Scene(game=game, header=header, story=story, look=look_of(console))
        if step:
            if not _step_through(scene, console):
                return
        else:
            put(console, actions_page(scene) if actions else Group(*deal_page(scene)))


def _the_log(path: Path) -> tuple[Log, Folder]:
    """The one log that a path names."""
    found = logs_at([path])
    if len(found) > 1:
        names = "\n".join(f"  {log.path}" for log, _ in found)
        raise ConfigError(f"{path}: there are {len(found)} logs in it; name one of them:\n{names}")
    return found[0]


def _chosen(
    game: Game, log: Log, folder: Folder, number: int, table: int | None, deal: int | None
) -> Iterator[Story]:
    """The stories asked for, once the set has been verified."""
    record = log.sets.get(number)
    if record is None:
        there = f"0 to {max(log.sets)}" if log.sets else "none"
        raise ConfigError(f"{log.path}: set {number} is not in it; sets in it: {there}")
    verify(log.only(number), folder.revealed(), logged_seatings)
    empty = True
    for story in stories(game, log.header.unit, record):
        if table in (None, story.play.table) and deal in (None, story.play.deal):
            empty = False
            yield story
    if empty and (deal or not unplayed_lines(record, table)):
        raise ConfigError(f"{log.path}: set {number} has no such deal")


def _step_through(scene: Scene, console: Console) -> bool:
    """Show decision by decision; False when there is nobody to press Enter."""
    hint = [Text("Enter shows the next decision, Ctrl-C stops")] if sys.stdin.isatty() else []
    put(console, Group(*heading(scene), *hint))
    for dealing in scene.story.dealings:
        put(console, Group(Text(""), *hand_lines(scene, dealing.hands, dealing.talon)))
        for moment in dealing.moments:
            put(console, Group(*moment_lines(scene, moment)))
            if not sys.stdin.readline():
                return False
    put(console, Group(*loose_faults(scene), *result_lines(scene)))
    return True


def _data(header: Header, told: list[Story]) -> dict[str, object]:
    return {
        "game": header.game,
        "ruleset": header.ruleset,
        "unit": header.unit,
        "pairing": header.pairing,
        "deals": [msgspec.to_builtins(story) for story in told],
    }
