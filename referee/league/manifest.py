"""`bot.toml`: how a bot's folder says what it needs, how it is built and how it is run."""

import shlex
import shutil
import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.errors import ConfigError
from referee.games.rulesets import nearest
from referee.seats.bot import Transport

FILE = "bot.toml"


class Manifest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bot's folder, described; commands are run in that folder."""

    name: str
    run: str
    """The command line that plays."""
    language: str = ""
    needs: list[str] = []
    """Programs that must be there to build and run it."""
    install: str = ""
    """What to install when they are not, in one line."""
    build: str = ""
    """A shell line that builds it; empty where nothing is to be built."""
    built: str = ""
    """A path that the build makes, where `run` does not name one."""
    transport: Transport = "zeromq"
    lint: str = ""
    """A shell line with the language's formatter and linter."""
    test: str = ""
    """A shell line with the bot's own tests."""


class MissingTool(ConfigError):
    """A bot cannot run here: a program that it needs is not installed, or it is not built."""


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a bot's folder; ConfigError with the file and the key that is wrong."""
    path = folder / FILE
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    known = Manifest.__struct_fields__
    for key in values:
        if key not in known:
            raise ConfigError(f"{path}: unknown key {key!r}{nearest(key, known)}")
    try:
        return msgspec.convert(values, Manifest)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}") from None


def run_command(manifest: Manifest, folder: Path) -> list[str]:
    """The command that plays; MissingTool, with what to do, where it cannot run yet."""
    missing = [name for name in manifest.needs if shutil.which(name) is None]
    if missing:
        how = f"; install {manifest.install}" if manifest.install else ""
        raise MissingTool(f"{folder}: {', '.join(missing)} is not installed{how}")
    words = shlex.split(manifest.run)
    if not words:
        raise ConfigError(f"{folder / FILE}: run = {manifest.run!r}: expected a command line")
    paths = [word for word in words if "/" in word]
    paths += [manifest.built] if manifest.built else []
    unbuilt = [path for path in paths if not (folder / path).exists()]
    if unbuilt:
        hint = f"; build it: (cd {folder} && {manifest.build})" if manifest.build else ""
        raise MissingTool(f"{folder}: {unbuilt[0]} is not there{hint}")
    return words
