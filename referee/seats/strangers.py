"""
What a user without any rights of its own can read here, as a bot with a uid of its own would be.

Told by the permission bits of files, before anything is started: a bot that cannot be read would
lose its match for what is no fault of its own.
"""

import os
import stat
from collections.abc import Collection, Iterable, Sequence

from referee.seats.sandbox import Level, bare, relay_folders
from referee.seats.sandbox_paths import (
    SYSTEM,
    below,
    executed,
    interpreter_folders,
    own_folders,
    program_folders,
)

_DEEP, _SHALLOW = 64, 2
_MOST = 20_000
"""Files looked at below one folder."""

_NEEDLESS = frozenset(("__pycache__", ".git"))
"""Folders that programs can do without."""

_ENTER, _READ = stat.S_IXOTH, stat.S_IROTH


def strangers_halt_at(path: str) -> str:
    """The first folder on the way to a path, itself included, that is closed to strangers."""
    path = os.path.realpath(path)
    way = [path]
    while way[-1] != "/":
        way.append(os.path.dirname(way[-1]))
    return next((one for one in reversed(way) if not _open_to_strangers(one, _ENTER)), "")


def closed_to_strangers(
    level: Level, argv: Sequence[str], cwd: str | None, readable: Iterable[str],
    hidden: Iterable[str],
) -> str:  # fmt: skip
    """
    A file or folder that a command needs and a stranger could not read; empty where there is none.

    In a box only what is put into it counts, wherever it lies outside.
    """
    folder = os.path.abspath(cwd) if cwd else "/"
    secret = [os.path.realpath(path) for path in hidden]
    programs = [*interpreter_folders(argv, folder), *relay_folders()]
    own = [*program_folders(argv, folder), *map(os.path.abspath, readable), *own_folders()]
    own = [path for path in own if os.path.exists(path) and not below(path, secret)]
    programs = [path for path in programs if os.path.exists(path) and not below(path, SYSTEM)]
    run = executed(argv, folder)
    if bare(level) != "bwrap":
        for path in [*programs, *own, *run]:
            if halt := strangers_halt_at(path if os.path.isdir(path) else os.path.dirname(path)):
                return halt
    for path in run:
        if not _open_to_strangers(path, _READ | _ENTER):
            return path
    for paths, depth in ((programs, _SHALLOW), (own, _DEEP)):
        for path in dict.fromkeys(map(os.path.realpath, paths)):
            if found := _closed_below(path, depth, secret):
                return found
    return ""


def _closed_below(path: str, depth: int, secret: Collection[str]) -> str:
    """The first file or folder in a folder that a stranger could not read, to some depth."""
    waiting = [(path, depth)]
    looked_at = 0
    while waiting:
        path, depth = waiting.pop()
        if below(path, secret):
            continue
        looked_at += 1
        if looked_at > _MOST:
            return ""
        folder = os.path.isdir(path)
        if not _open_to_strangers(path, _READ | _ENTER if _is_for_entering(path) else _READ):
            return path
        if folder and depth:
            try:
                with os.scandir(path) as entries:
                    # What a link leads to is looked at where it lies.
                    waiting += [
                        (entry.path, depth - 1)
                        for entry in entries
                        if entry.name not in _NEEDLESS and not entry.is_symlink()
                    ]
            except OSError:  # not even this user may look into it
                return path
    return ""


def _is_for_entering(path: str) -> bool:
    """Whether it is a folder, or a file that its owner may run."""
    try:
        return bool(os.stat(path).st_mode & stat.S_IXUSR)
    except OSError:
        return False


def _open_to_strangers(path: str, rights: int) -> bool:
    try:
        return os.stat(path).st_mode & rights == rights
    except OSError:  # it has gone, and others will say so
        return True
