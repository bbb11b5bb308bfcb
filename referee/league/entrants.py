"""Entrants of a league: what a league file says of a bot, and the program that this means."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, get_args

from msgspec import Meta, Struct

from referee.errors import ConfigError
from referee.games.rulesets import nearest
from referee.league.manifest import read_manifest, run_command
from referee.log import EntrantRecord
from referee.seats.bot import BotCommand, Transport
from referee.seats.sandbox import Allowance

Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_.-]{0,39}\Z")]


class EntrantConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[entrants]]`: one bot as entered in the league."""

    id: Name
    bot: Annotated[str, Meta(min_length=1)] | None = None
    """A sample bot's name, a path to a program or to a folder with a bot.toml, or a command line;
    the id where it is left out. `stdio:` or `tcp:` before it says how it talks."""
    transport: Transport | None = None
    """How it talks, where neither `bot` nor its bot.toml says so."""
    optional: bool = False
    """Leave it out, and say so, where its tools are missing or it is not built."""
    version: str = ""
    """A note of yours; a changed version is another entrant."""
    env: dict[str, str] = {}
    """Environment variables that the bot gets besides the documented ones."""
    limits: Allowance = Allowance()
    """What each of its processes may use."""
    readable: list[Annotated[str, Meta(min_length=1)]] = []
    """Files and folders that it needs to read in a sandbox, besides its own folder."""


class Entrant(Struct, frozen=True, kw_only=True):
    """An entrant ready to be started."""

    id: str
    command: BotCommand
    record: EntrantRecord


def entrant_of(entry: EntrantConfig, base: Path) -> Entrant:
    """An entrant with the command that starts its bot; raises as `launch_of` does."""
    launch = launch_of(entry.bot if entry.bot is not None else entry.id, base)
    transport = launch.transport or entry.transport or "zeromq"
    if launch.transport and entry.transport and launch.transport != entry.transport:
        raise ConfigError(
            f"entrants: {entry.id}: transport = {entry.transport!r}, but its bot says "
            f"{launch.transport!r}"
        )
    command = BotCommand(
        entrant=entry.id, argv=launch.argv, cwd=str(launch.cwd), env=entry.env,
        transport=transport, allowance=entry.limits,
        readable=(*launch.readable, *(os.path.abspath(base / path) for path in entry.readable)),
    )  # fmt: skip
    digest = _program_digest(launch, entry.env, transport)
    record = EntrantRecord(
        id=entry.id, command=launch.argv, version=entry.version, digest=digest
    )
    return Entrant(id=entry.id, command=command, record=record)


def sample_bots() -> dict[str, Path]:
    """The sample bots that can be named without a path."""
    spec = find_spec("sample_bots.python")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    return {
        path.stem: path
        for path in sorted(folder.glob("*.py"))
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }


class Launch(Struct, frozen=True, kw_only=True):
    """What a BOT means: how its program is started, and how it talks."""

    argv: list[str]
    cwd: Path
    transport: Transport | None = None
    """None where nothing says so."""
    readable: tuple[str, ...] = ()
    """Its own folder, where it has one."""


def launch_of(bot: str, base: Path) -> Launch:
    """What a BOT means, seen from a folder.

    A BOT is a sample bot's name, a path to a program or to a folder with a `bot.toml`, or a command
    line; `stdio:` or `tcp:` before it says how it talks. Raises ConfigError when there is no such
    program, MissingTool when its folder says that it cannot run yet. `python` is this interpreter,
    so that a Python bot finds the client.
    """
    transport: Transport | None = None
    command = bot
    prefix, colon, rest = bot.partition(":")
    if colon and prefix in get_args(Transport):
        transport, command = prefix, rest  # type: ignore[assignment]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"bot = {bot!r}: not a command line: {error}") from None
    if not words:
        raise ConfigError(f"bot = {bot!r}: expected a sample bot, a program or a command line")
    folder = (base / words[0]).resolve()
    if folder.is_dir():
        return _of_folder(folder, words[1:], transport)
    return Launch(argv=_argv(bot, words, base), cwd=base.resolve(), transport=transport)


def _of_folder(folder: Path, options: list[str], transport: Transport | None) -> Launch:
    manifest = read_manifest(folder)
    words = run_command(manifest, folder)
    argv = _argv(manifest.run, words, folder)
    return Launch(
        argv=[*argv, *options], cwd=folder, transport=transport or manifest.transport,
        readable=(str(folder),),
    )  # fmt: skip


def _argv(bot: str, words: list[str], base: Path) -> list[str]:
    """The program and its arguments, with the program's whole path."""
    samples = sample_bots()
    program, rest = words[0], words[1:]
    if program in samples:
        return [sys.executable, str(samples[program]), *rest]
    if program in ("python", "python3"):
        return [sys.executable, *rest]
    # Links stay as they are: the interpreter of a virtual environment is one.
    path = Path(os.path.abspath(base / program))
    if path.is_file():
        if path.suffix == ".py":
            return [sys.executable, str(path), *rest]
        if path.stat().st_mode & 0o111:
            return [str(path), *rest]
        raise ConfigError(f"bot = {bot!r}: {path} is not executable; chmod +x it")
    found = shutil.which(program) if "/" not in program else None
    if found is None:
        hint = nearest(program, samples) if "/" not in program else ""
        raise ConfigError(
            f"bot = {bot!r}: there is no sample bot, file or program called {program!r}{hint}"
        )
    return [found, *rest]


def _program_digest(launch: Launch, env: Mapping[str, str], transport: Transport) -> str:
    """SHA-256 over the files that a command names, without the interpreter, and its variables."""
    total = sha256()
    if transport != "zeromq":
        total.update(f"transport={transport}\0".encode())
    for name in sorted(env):
        total.update(f"{name}={env[name]}\0".encode())
    # As the bot sees them; without this interpreter, which is no part of a bot.
    named = [launch.cwd / word for word in launch.argv if word != sys.executable]
    samples = {path.parent for path in sample_bots().values()}
    for folder in samples & {path.parent for path in named}:
        named += sorted(folder.glob("*.py"))  # they are written of several modules
    for path in named:
        try:
            if path.is_file():
                total.update(path.read_bytes())
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    return total.hexdigest()
