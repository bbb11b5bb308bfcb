"""The flags `--sandbox` and `--sandbox-required`, and what follows from them."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

import click
from msgspec.structs import replace

from referee.errors import ConfigError
from referee.league.config import League
from referee.league.folder import Folder
from referee.log import first_header
from referee.seats import slots
from referee.seats.bot import BotCommand
from referee.seats.sandbox import ADDITIONS, Level, additions, bare
from referee.seats.sandbox_choice import AskedLevel, chosen
from referee.seats.sandbox_kernel import hide_memory

Command = TypeVar("Command", bound=Callable[..., Any])


def sandbox_options(command: Command) -> Command:
    """Give a command the two flags."""
    command = click.option(
        "--sandbox-required", is_flag=True,
        help="Refuse to start below the level asked for.",
    )(command)  # fmt: skip
    return click.option(
        "--sandbox", type=click.Choice(get_args(AskedLevel)),
        help="What bots are kept in; see `referee doctor`.",
    )(command)  # fmt: skip


def level_for(
    command: BotCommand, asked: AskedLevel | None, *, required: bool, hidden: Sequence[str] = ()
) -> Level:
    """The level that one bot is kept in, said on standard error where one was asked for.

    Raises SandboxError where the level is required and missing.
    """
    level, line = chosen(asked or "basic", required=required, commands=[command], hidden=hidden)
    if asked is not None or required:
        click.echo(line, err=True)
    _prepare(level)
    return level


def _prepare(level: Level) -> None:
    """What has to be done before the first bot of a level starts."""
    if level != "basic" and sys.platform == "linux":
        hide_memory()
    if additions(level):
        slots.sweep()


def settled(
    league: League, asked: AskedLevel | None, *, required: bool, as_json: bool,
    secret_file: str | None,
) -> League:  # fmt: skip
    """
    The league with the level that its bots will be kept in, which is printed.

    Sets of a pairing are all played at one level: with `auto` that of the logs that are there.
    Nothing is added to it that was not there before.
    Raises ConfigError where another was asked for, or where the level is required and missing.
    """
    wanted = asked or league.config.sandbox
    recorded = _recorded(league)
    if wanted == "auto" and len(recorded) == 1:
        (wanted,) = map(bare, recorded)
        required = True
    hidden = (os.path.abspath(secret_file),) if secret_file else ()
    level, line = chosen(
        wanted, required=required, commands=[entrant.command for entrant in league.entrants],
        hidden=(str(league.folder.absolute()), *hidden),
        allowed=additions(*recorded) if len(recorded) == 1 else ADDITIONS,
    )  # fmt: skip
    if recorded - {level}:
        found = ", ".join(sorted(recorded - {level}))
        raise ConfigError(
            f"{league.folder}: was played with sandbox = {found!r}, now it would be {level!r} "
            f"({line}); give the league another results folder"
        )
    click.echo(line, err=as_json)
    _prepare(level)
    return replace(league, level=level, hidden=hidden)


def _recorded(league: League) -> set[Level]:
    """The levels that the logs of a results folder were played at."""
    headers = [first_header(path) for path in Folder(league.folder).log_paths()]
    found = {header.sandbox for header in headers if header is not None}
    return {level for level in get_args(Level) if level in found}
