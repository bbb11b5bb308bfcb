"""`referee replay`: read deals of a log, card by card."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct
from rich.console import Console, Group
from rich.text import Text

from referee.cli.stepping import Reel, on_terminal, step_through
from referee.errors import ConfigError
from referee.games.game import Game
from referee.games.rulesets import game_from
from referee.league.folder import Folder, the_log
from referee.league.plan import logged_seatings
from referee.log import Header, Log, SetRecord
from referee.replay import verify
from referee.show.deal import Scene, deal_page, hand_lines, heading, loose_faults, result_lines
from referee.show.filters import KEYS, Filter, parsed
from referee.show.html.replay import replay_html
from referee.show.listing import lines_of, list_data, list_page, unplayed_lines
from referee.show.moments import actions_line, actions_page, moment_lines
from referee.show.page import console_on, count, json_text, look_of, put
from referee.show.seen import seen
from referee.show.story import Story, stories
from referee.show.terminal.stepper import Place

KEYS_HELP = "\n".join((
    "Conditions of --where stand between blanks, as in \"seat=greedy made=no points<-50\"; a",
    "comma means or. seat= and entrant= say whose deal is looked at, the others speak of it:",
    "",
    "\b",
    *(f"{key:<9} {meaning}" for key, meaning in KEYS.items()),
))  # fmt: skip


@click.command(
    epilog=f"{KEYS_HELP}\n\n\b\nExample: referee replay LOG.jsonl --set 0 --table 0",
    short_help="Read deals of a log, card by card.",
)
@click.argument("log", metavar="LOG")
@click.option("--set", "set_number", type=click.IntRange(0), help="A set of the log.")
@click.option("--table", type=click.IntRange(0), help="One table of the set.")
@click.option("--deal", type=click.IntRange(0), help="One deal of the tables.")
@click.option("--where", metavar="CONDITIONS", help="Only deals that fulfil them all; see below.")
@click.option(
    "--as-seat", type=click.IntRange(0), help="Only what this seat knew, by the game's own view."
)
@click.option("--step", is_flag=True, help="Decision by decision, Enter after each.")
@click.option("--actions", is_flag=True, help="All actions of a deal on one line.")
@click.option("--decisions", is_flag=True, help="Every action with its time and the bot's note.")
@click.option("--plain", is_flag=True, help="Text also on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option(
    "--html", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="Write one page for a browser, all deals in it (or those of --set, or of --sets).",
)
@click.option(
    "--sets", "most", type=click.IntRange(1), help="With --html: only so many sets, the first."
)
def replay(
    log: str,
    set_number: int | None,
    where: str | None,
    html: Path | None,
    most: int | None,
    **how: Any,
) -> None:
    """Read deals of a log: hands, auction, exchange, tricks, faults at their place, points.

    On a terminal a card table to be stepped through; press ? there for its keys. Elsewhere (or
    with --plain) text: with --set whole deals, without it a list, a line for each deal.
    """
    found, folder = the_log(Path(log))
    if html is not None:
        others = [value for value in how.values() if value is not None and value is not False]
        if where is not None or others:
            raise click.UsageError("--html goes with --set and --sets alone")
        _write_html(found, folder, html, set_number, most)
        return
    if most is not None:
        raise click.UsageError("--sets needs --html")
    header = found.header
    game = game_from(header.game, header.ruleset, header.rules)
    asked = Asked(
        game=game,
        set=None if set_number is None else _the_set(found, set_number).set,
        where=None if where is None else parsed(where, game, header),
        **how,
    )
    asked.check()
    if asked.interactive() and (places := _places(found, folder, asked)):
        step_through(Reel(game, found, folder), places, asked.as_seat)
    elif asked.set is None and not asked.detailed():
        if asked.as_json:
            click.echo(json_text(list_data(game, found, asked.where)))
        else:
            put(console_on(sys.stdout), list_page(game, found, asked.where))
    else:
        _print_deals(found, folder, asked)


class Asked(Struct, frozen=True, kw_only=True):
    """Which deals are wanted, and how they are to be shown."""

    game: Game
    set: int | None
    table: int | None
    deal: int | None
    where: Filter | None
    as_seat: int | None
    step: bool
    actions: bool
    decisions: bool
    plain: bool
    as_json: bool

    def check(self) -> None:
        """Raises UsageError where flags do not go together."""
        if sum((self.step, self.actions, self.decisions, self.as_json)) > 1:
            raise click.UsageError("--step, --actions, --decisions and --json exclude each other")
        if self.as_seat is not None and self.as_seat >= self.game.seats:
            raise click.UsageError(f"--as-seat: the seats are 0 to {self.game.seats - 1}")
        if self.interactive():
            return
        if self.set is None and (self.table is not None or self.deal is not None):
            raise click.UsageError("--table and --deal need --set")
        if self.set is None and self.where is None and self.detailed() and not self.actions:
            raise click.UsageError("--step, --decisions and --as-seat need --set or --where")

    def detailed(self) -> bool:
        """Whether more than a list is wanted."""
        return self.step or self.actions or self.decisions or self.as_seat is not None

    def interactive(self) -> bool:
        """Whether the card table is shown."""
        text = self.actions or self.decisions or self.plain or self.as_json
        return not text and on_terminal()

    def wants(self, table: int, deal: int) -> bool:
        """Whether a deal of the sets is among those asked for by number."""
        return self.table in (None, table) and self.deal in (None, deal)


def _places(log: Log, folder: Folder, asked: Asked) -> list[Place]:
    """The deals to step through."""
    sets = sorted(log.sets) if asked.set is None else [asked.set]
    places = Reel(asked.game, log, folder).places(sets)
    if asked.where is not None:
        lines = (
            line for number in sets for line in lines_of(asked.game, log.only(number), asked.where)
        )
        fitting = {(line.set, line.table, line.deal) for line in lines}
        places = [place for place in places if place in fitting]
    return [place for place in places if asked.wants(place.table, place.deal)]


def _print_deals(log: Log, folder: Folder, asked: Asked) -> None:
    """Print deals as text or JSON."""
    header = log.header
    told: Iterable[Story]
    unplayed: list[str] = []
    if asked.set is None:
        sets = sorted({place.set for place in _places(log, folder, asked)})
        told = (story for number in sets for story in _chosen(log, folder, number, asked))
    else:
        told = list(_chosen(log, folder, asked.set, asked))
        if not asked.deal and asked.where is None:
            unplayed = unplayed_lines(log.sets[asked.set], asked.table)
    if asked.as_json:
        click.echo(json_text({**_data(header, list(told)), "unplayed": unplayed}))
        return
    for line in unplayed:
        click.echo(line)
    console = console_on(sys.stdout)
    gap = bool(unplayed)
    for story in told:
        if gap and not asked.actions:
            click.echo("")
        gap = True
        scene = Scene(game=asked.game, header=header, story=story, look=look_of(console))
        if asked.actions:
            click.echo(actions_line(story))
        elif asked.step:
            if not _step_through(scene, console, asked.as_seat):
                return
        else:
            put(console, actions_page(scene) if asked.decisions else Group(*deal_page(scene)))


def _the_set(log: Log, number: int) -> SetRecord:
    """A set that must be there."""
    record = log.sets.get(number)
    if record is None:
        there = f"0 to {max(log.sets)}" if log.sets else "none"
        raise ConfigError(f"{log.path}: set {number} is not in it; sets in it: {there}")
    return record


def _write_html(log: Log, folder: Folder, to: Path, number: int | None, most: int | None) -> None:
    """Write the page of a log, or of some of its sets, once they have been verified."""
    if to.exists() and to.samefile(log.path):
        raise ConfigError(f"{to}: that is the log itself; name another file for the page")
    sets = [_the_set(log, number).set] if number is not None else sorted(log.sets)[:most]
    if not sets:
        raise ConfigError(f"{log.path}: nothing has been played yet")
    if len(sets) == len(log.sets):
        verify(log, folder.revealed(), logged_seatings)
    else:
        for one in sets:
            verify(log.only(one), folder.revealed(), logged_seatings)
    header = log.header
    text = replay_html(game_from(header.game, header.ruleset, header.rules), log, sets)
    try:
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{to}: cannot be written: {error.strerror}") from None
    deals = sum(1 for one in sets for _ in log.sets[one].deals())
    click.echo(
        f"{to}: {count(deals, 'deal')} of {count(len(sets), 'set')}, {len(text) / 1e6:.1f} MB; "
        "open it in a browser"
    )


def _chosen(log: Log, folder: Folder, number: int, asked: Asked) -> Iterator[Story]:
    """The stories asked for, once the set has been verified."""
    record = _the_set(log, number)
    verify(log.only(number), folder.revealed(), logged_seatings)
    fitting = None
    if asked.where is not None:
        lines = lines_of(asked.game, log.only(number), asked.where)
        fitting = {(line.table, line.deal) for line in lines}
    unit = log.header.unit
    if asked.as_seat is None:
        found = stories(asked.game, unit, record)
    else:
        found = seen(asked.game, unit, record, asked.as_seat)
    empty = True
    for story in found:
        place = (story.play.table, story.play.deal)
        if asked.wants(*place) and (fitting is None or place in fitting):
            empty = False
            yield story
    if empty and (asked.deal or not unplayed_lines(record, asked.table)):
        raise ConfigError(f"{log.path}: set {number} has no such deal")


def _step_through(scene: Scene, console: Console, viewer: int | None) -> bool:
    """Show decision by decision; False when there is nobody to press Enter."""
    hint = [Text("Enter shows the next decision, Ctrl-C stops")] if sys.stdin.isatty() else []
    put(console, Group(*heading(scene), *hint))
    for dealing in scene.story.dealings:
        put(console, Group(Text(""), *hand_lines(scene, dealing.hands, dealing.talon)))
        for moment in dealing.moments:
            if viewer is None or moment.seat == viewer:
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
