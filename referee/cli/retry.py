"""`referee retry`: put logged decisions to a bot again."""

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import click
import msgspec
from msgspec import Struct
from rich.progress import Progress

from referee.cli.levels import level_for, sandbox_options
from referee.errors import ConfigError
from referee.games.game import Game
from referee.games.rulesets import game_from
from referee.league.entrants import EntrantConfig, entrant_of
from referee.league.folder import of_log
from referee.league.plan import logged_seatings
from referee.log import Log, SetRecord, read
from referee.replay import verify
from referee.retry import Retried, Retry, tables_of
from referee.seats.bot import BotCommand
from referee.seats.dialogue import Dialogue, NoStart
from referee.seats.sandbox import Level
from referee.seats.sandbox_choice import AskedLevel
from referee.show.page import console_on, count, json_text, milliseconds, printable

_PLACE = re.compile(r"(.+)#(\d+)\.(\d+)(?:\.(\d+))?\.(\d+)")


class _Where(Struct, frozen=True):
    """One decision: `LOG#set.table.decision`, with the deal between in games of several."""

    log: Path
    set: int
    table: int
    deal: int
    at: int


@click.command(
    epilog="\b\nExample: referee retry logs/huutopussi.helsinki.a+b.jsonl#3.0.25 --bot ./mybot",
    short_help="Put logged decisions to a bot again.",
)
@click.argument("place", metavar="LOG[#SET.TABLE[.DEAL].DECISION]")
@click.option("--bot", required=True, metavar="BOT", help="The bot, as in `referee match`.")
@click.option("--all", "everything", is_flag=True, help="Every decision of the log.")
@click.option("--entrant", metavar="ID", help="With --all: only where this entrant was asked.")
@click.option("--sets", type=click.IntRange(1), help="With --all: only the first so many sets.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@sandbox_options
@click.pass_context
def retry(
    ctx: click.Context,
    place: str,
    bot: str,
    everything: bool,
    entrant: str | None,
    sets: int | None,
    as_json: bool,
    sandbox: AskedLevel | None,
    sandbox_required: bool,
) -> None:
    """Give a bot exactly what a seat saw up to a logged decision; compare its answer.

    A decision's number is its place among the deal's actions, as `referee replay --decisions`
    shows it. Exit code 0 when the bot decides as logged, 1 when it does not (with --all: when any
    decision has changed), 2 when the place or the bot is wrong.
    """
    command = entrant_of(EntrantConfig(id="bot", bot=bot), Path()).command
    if (entrant or sets) and not everything:
        raise click.UsageError("--entrant and --sets go with --all")
    where = None if everything else _where(place)
    path = Path(place.partition("#")[0]) if where is None else where.log
    hidden = _kept_from_bots(path)
    level = level_for(command, sandbox, required=sandbox_required, hidden=hidden)
    with tempfile.TemporaryDirectory(prefix="retry-") as folder:
        bots = Seats(command, folder, level, hidden)
        try:
            with bots:
                if where is None:
                    same = _all(path, bots, entrant, sets, as_json)
                else:
                    same = _one(where, bots, as_json)
        except NoStart as error:
            raise ConfigError(f"{bot}: {error}") from None
    ctx.exit(0 if same else 1)


def _kept_from_bots(log: Path) -> list[str]:
    """What no bot in a sandbox may read: the log, and the results folder where it lies in one."""
    log = log.absolute()
    return [str(log.parent.parent if log.parent.name == "logs" else log)]


def _where(place: str) -> _Where:
    found = _PLACE.fullmatch(place)
    if found is None:
        raise ConfigError(
            f"{place!r}: expected LOG#SET.TABLE.DECISION, such as a+b.jsonl#3.0.25 (in games of "
            "several deals LOG#SET.TABLE.DEAL.DECISION), or --all"
        )
    log, *numbers = found.groups()
    number, table, deal, at = (int(each or 0) for each in numbers)
    return _Where(Path(log), number, table, deal, at)


def _opened(path: Path) -> tuple[Log, dict[str, str]]:
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such log")
    return read(path), of_log(path).revealed()


def _game(record: SetRecord) -> Game:
    header = record.header
    return game_from(header.game, header.ruleset, header.rules)


def _checked(log: Log, record: SetRecord, secrets: dict[str, str]) -> SetRecord:
    """A set whose plays are what the rules make of them."""
    verify(log.only(record.set), secrets, logged_seatings)
    return record


# ---- one decision ----------------------------------------------------------------------------


def _one(where: _Where, bots: "Seats", as_json: bool) -> bool:
    log, secrets = _opened(where.log)
    record = log.sets.get(where.set)
    if record is None:
        raise ConfigError(f"{where.log}: set {where.set} is not in it")
    game = _game(_checked(log, record, secrets))
    table = next((t for t in tables_of(game, record) if t.number == where.table), None)
    if table is None:
        raise ConfigError(f"{where.log}: set {where.set} has no table {where.table}")
    asked = next(
        (
            each
            for _, asks in table.deals
            for each in asks
            if (each.deal, each.at) == (where.deal, where.at)
        ),
        None,
    )
    if asked is None:
        raise ConfigError(
            f"{where.log}: nobody was asked for decision {where.at} of deal {where.deal} in set "
            f"{where.set}, table {where.table}; `referee replay {where.log} --set {where.set} "
            f"--table {where.table} --decisions` lists them"
        )
    secret = secrets.get(record.header.commitment)
    playing = bots.at(asked.seat, game, record, secret)
    *_, last = playing.table(table, asked.seat, deal=where.deal, at=where.at)
    if (last.asked.deal, last.asked.at) != (where.deal, where.at):
        raise ConfigError(f"the bot did not get that far: {last.problem}")
    if as_json:
        click.echo(json_text(_data(last)))
    else:
        click.echo("\n".join(_lines(last)))
    return not last.changed


def _lines(retried: Retried) -> list[str]:
    asked = retried.asked
    view = msgspec.json.decode(asked.view)
    trick = "  ".join(f"{seat} {card}" for seat, card in view["trick"])
    return [
        f"set {asked.set}, table {asked.table}, deal {asked.deal}, decision {asked.at}: "
        f"seat {asked.seat} ({printable(asked.entrant)}), {view['phase']}",
        f"  hand    {' '.join(view['hand'])}",
        *([f"  trick   {trick}"] if trick else []),
        f"  legal   {' '.join(asked.legal)}",
        f"  logged  {asked.action}   ({milliseconds(asked.ms)} ms)",
        f"  now     {_now(retried)}   ({milliseconds(retried.ms)} ms)",
    ]


def _now(retried: Retried) -> str:
    if retried.problem:
        return printable(retried.problem, 200)
    return f"{retried.action}{'' if retried.changed else ', the same'}"


def _data(retried: Retried) -> dict[str, Any]:
    asked = retried.asked
    return {
        "set": asked.set,
        "table": asked.table,
        "deal": asked.deal,
        "at": asked.at,
        "seat": asked.seat,
        "entrant": asked.entrant,
        "view": msgspec.Raw(asked.view),
        "legal": asked.legal,
        "logged": asked.action,
        "logged_ms": asked.ms,
        "now": retried.action,
        "now_ms": round(retried.ms, 2),
        "problem": retried.problem,
        "changed": retried.changed,
    }


# ---- every decision --------------------------------------------------------------------------


def _all(
    path: Path, bots: "Seats", entrant: str | None, sets: int | None, as_json: bool
) -> bool:
    log, secrets = _opened(path)
    known = sorted({entry.id for entry in log.header.entrants})
    if entrant is not None and entrant not in known:
        raise ConfigError(f"{path}: no entrant {entrant!r}; expected one of: {', '.join(known)}")
    numbers = sorted(log.sets)[:sets]
    console = console_on(sys.stderr)
    changed: list[Retried] = []
    done = 0
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("sets", total=len(numbers))
        for number in numbers:
            record = _checked(log, log.sets[number], secrets)
            for retried in _of_set(record, bots, entrant, secrets):
                done += 1
                if retried.changed:
                    changed.append(retried)
                    if not as_json:
                        console.print(_change(retried), markup=False, highlight=False)
            bar.advance(task)
    if as_json:
        data = {"decisions": done, "changed": [_data(each) for each in changed]}
        click.echo(json_text(data))
    else:
        click.echo(f"{len(changed):,} of {count(done, 'decision')} changed")
    return not changed


def _change(retried: Retried) -> str:
    asked = retried.asked
    deal = f".{asked.deal}" if asked.deal else ""
    return (
        f"#{asked.set}.{asked.table}{deal}.{asked.at} seat {asked.seat} "
        f"({printable(asked.entrant)}): logged {asked.action}, now {_now(retried)}"
    )


class Seats:
    """A bot process for each seat, as in a league: started when wanted, anew when it has ended."""

    def __init__(
        self, command: BotCommand, folder: str, level: Level, hidden: Sequence[str]
    ) -> None:
        self._command = command
        self._folder = folder
        self._level = level
        self._hidden = hidden
        self._playing: dict[int, Retry] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for retry in self._playing.values():
            retry.dialogue.close()

    def at(self, seat: int, game: Game, record: SetRecord, secret: str | None) -> Retry:
        """The one of a seat; raises NoStart where it does not start."""
        found = self._playing.get(seat)
        if found is not None and found.dialogue.bot.exit is not None:
            self._playing.pop(seat).dialogue.close()
            found = None
        if found is None:
            dialogue = Dialogue(
                self._command, game=game.name, seat=seat, stderr_folder=self._folder,
                level=self._level, hidden=self._hidden,
            )  # fmt: skip
            found = self._playing[seat] = Retry(dialogue, game, record.header, secret)
            dialogue.begin()
        found.header, found.secret = record.header, secret
        return found


def _of_set(
    record: SetRecord, bots: Seats, entrant: str | None, secrets: dict[str, str]
) -> Iterator[Retried]:
    """The decisions of a set."""
    game = _game(record)
    secret = secrets.get(record.header.commitment)
    for table in tables_of(game, record):
        for seat, name in enumerate(table.deals[0][0].seats):
            if entrant in (None, name):
                yield from bots.at(seat, game, record, secret).table(table, seat)
