"""What `run` and `match` share: play a league, watch it, stop when asked, say what came of it."""

import shlex
import signal
import string
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Self

import click
from msgspec import Struct
from rich.text import Text

from referee.cli.watchers import LiveScreen, PlainLines
from referee.errors import ConfigError
from referee.job import Job, Report
from referee.league.config import League
from referee.league.executor import FreshProcesses
from referee.league.runner import CannotWrite, NothingStarts, Outcome, Runner, cores
from referee.league.schedule import pairing_id
from referee.log import read
from referee.show.faults import replay_command
from referee.show.page import console_on, count, json_text, look_of, put
from referee.show.plan import headline, outlook, plan_data, plan_page
from referee.show.standings import Sheet, unplayable_sets
from referee.show.tour import Tour, tour_data, tour_from, tour_of, tour_page


class Order(Struct, frozen=True, kw_only=True):
    """A league to play, and how."""

    league: League
    resume: Sequence[str]
    """The command that goes on with it."""
    secret: str | None = None
    retry: bool = False
    dry_run: bool = False
    as_json: bool = False

    @property
    def workers(self) -> int:
        """Worker processes at once."""
        return self.league.config.workers or cores()


def read_secret(path: str | None) -> str | None:
    """A league secret from a file: 64 lowercase hexadecimal digits."""
    if path is None:
        return None
    try:
        text = Path(path).read_text(encoding="ascii").strip()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        text = ""
    if len(text) != 64 or set(text) - set(string.hexdigits.lower()):
        raise ConfigError(f"{path}: a secret is 64 digits of 0-9a-f, nothing else")
    return text


class Interrupts:
    """Counts how often the user has asked to stop, by Ctrl-C, SIGTERM or a hang-up."""

    def __init__(self) -> None:
        self.times = 0
        self.first: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Under nohup a hang-up is nothing.
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._asked)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _asked(self, number: int, _: FrameType | None) -> None:
        self.times += 1
        self.first = self.first or number


def play(order: Order) -> int:
    """Play (or show the plan of) a league; the exit code."""
    if order.dry_run:
        view = outlook(order.league, order.workers, retry=order.retry)
        if order.as_json:
            click.echo(json_text(plan_data(view)))
        else:
            put(console_on(sys.stdout), plan_page(view))
        return 0
    stream = sys.stderr if order.as_json else sys.stdout
    console = console_on(stream)
    put(console, Text("\n".join([*order.league.left_out, *headline(order.league, order.workers)])))
    watch = LiveScreen if console.is_terminal else PlainLines
    watcher = watch(console, order.league.config.unit)
    with Interrupts() as interrupts:
        runner = Runner(order.league, watcher, secret=order.secret, retry=order.retry)

        def executor_for(listener: Callable[[Job, Report], None]) -> FreshProcesses:
            return FreshProcesses(order.workers, listener, runner.folder.errors)

        try:
            outcome = runner.run(executor_for, lambda: interrupts.times)
        except NothingStarts as error:
            raise NothingStarts(f"{error}{_stderr_hint(runner)}") from None
        except CannotWrite as error:
            raise CannotWrite(f"{error}\nto go on: {shlex.join(order.resume)}") from None
        finally:
            watcher.close()
        code = _exit_code(outcome, interrupts)
        try:
            _finish(order, outcome, runner)
        except OSError:
            if not interrupts.times:
                raise  # otherwise the terminal has gone with the hang-up
    return code


def _stderr_hint(runner: Runner) -> str:
    """Where to read what bots wrote to standard error, if they did."""
    files = sorted(path for path in runner.folder.stderr.rglob("*.txt") if path.stat().st_size)
    return f"\ntheir standard error: {files[0].parent}" if files else ""


def _exit_code(outcome: Outcome, interrupts: Interrupts) -> int:
    if not outcome.complete:
        return 128 + interrupts.first if interrupts.first else 1
    return 1 if outcome.voided or _not_playable(outcome) else 0


def _not_playable(outcome: Outcome) -> int:
    return sum(map(unplayable_sets, outcome.state.results))


def _finish(order: Order, outcome: Outcome, runner: Runner) -> None:
    """Say what came of it."""
    if order.as_json:
        click.echo(json_text(_data(order, outcome, runner)))
        return
    console = console_on(sys.stdout)
    state = outcome.state
    if state.before:
        what = "nothing was left to play" if state.before == state.planned else "resumed"
        click.echo(f"{state.before:,} of {count(state.planned, 'set')} had been played: {what}")
    click.echo("")
    config = order.league.config
    paths = _log_paths(order, runner)
    tour = tour_of(state.results, config.unit, config.isolation, outcome.complete, paths)
    if any(results.results for results in state.results):
        put(console, tour_page(tour, look_of(console)))
    else:
        click.echo("no set was finished")
    click.echo("")
    if faults := tour.fault_lines():
        click.echo("\n".join([*faults, ""]))
    for line in _closing_lines(order, outcome, runner, tour):
        click.echo(line)


def _closing_lines(order: Order, outcome: Outcome, runner: Runner, tour: Tour) -> list[str]:
    """What is still to be done, where everything lies, and what to try next."""
    state = outcome.state
    lines = []
    if not outcome.complete:
        how = "interrupted" if outcome.interrupted else "not complete"
        lines.append(f"{how}: {state.done:,} of {count(state.planned, 'set')} are in the logs")
        lines.append(f"to go on: {shlex.join(order.resume)}")
    elif outcome.voided or _not_playable(outcome):
        retry = [*order.resume, *([] if "--retry" in order.resume else ["--retry"])]
        lines.append(f"to try void and not playable sets again: {shlex.join(retry)}")
    lines.append(f"logs: {runner.folder.logs}")
    logs = _log_paths(order, runner)
    played = [
        (sheet, paths)
        for sheet, paths in zip(tour.sheets, logs, strict=True)
        if sheet.results.results
    ]
    if played:
        lines += ["next:", *("  " + shlex.join(command) for command in _next(runner, played))]
    return lines


def _next(runner: Runner, played: Sequence[tuple[Sheet, dict[str, Path]]]) -> list[list[str]]:
    """Commands worth trying now; the deal to read has a fault, or is one between the best."""
    faulty = [
        each
        for each in played
        if any(notes.first is not None for notes in each[0].results.notes.values())
    ]
    return [
        _replay(*(faulty or played)[0]),
        ["referee", "verify", str(runner.folder.path)],
        ["referee", "standings", str(runner.folder.path), "--markdown"],
    ]


def _replay(sheet: Sheet, paths: dict[str, Path]) -> list[str]:
    faults = [notes.first for notes in sheet.results.notes.values() if notes.first is not None]
    if faults:
        first = min(faults, key=lambda fault: fault.order)
        return replay_command(paths[pairing_id(first.pairing)], first)
    places = {row.entrant: place for place, row in enumerate(sheet.table.rows)}
    best = min(
        sheet.results.results,
        key=lambda result: (result.set, sum(places[entrant] for entrant in result.pairing)),
    )
    log = paths[pairing_id(best.pairing)]
    return ["referee", "replay", str(log), "--set", str(best.set), "--table", "0"]


def _log_paths(order: Order, runner: Runner) -> list[dict[str, Path]]:
    """For each game the log of every pairing."""
    return [
        {
            pairing.id: runner.folder.log_path(game.name, game.ruleset, pairing.id)
            for pairing in runner.pairings
            if pairing.game == place
        }
        for place, game in enumerate(order.league.games)
    ]


def _data(order: Order, outcome: Outcome, runner: Runner) -> dict[str, Any]:
    """The end of a run for programs: standings and how it ended."""
    paths = [path for logs in _log_paths(order, runner) for path in logs.values()]
    tour = tour_from([read(path) for path in paths if path.exists()])
    return {
        "complete": outcome.complete,
        "interrupted": outcome.interrupted,
        "planned": outcome.state.planned,
        "done": outcome.state.done,
        "void": outcome.voided,
        "not_playable": _not_playable(outcome),
        "commitment": outcome.commitment,
        "results": str(runner.folder.path),
        "resume": shlex.join(order.resume),
        "standings": tour_data(tour),
    }
