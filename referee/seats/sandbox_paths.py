"""Which files a bot needs to be started: its system, its interpreter, its own folder."""

import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

_SYSTEM_PATTERNS = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
    "/etc/alternatives", "/etc/ca-certificates*", "/etc/hosts", "/etc/java*", "/etc/ld.so.*",
    "/etc/localtime", "/etc/mime.types", "/etc/node*", "/etc/nsswitch.conf", "/etc/pki",
    "/etc/ssl", "/etc/timezone", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
    "/dev/urandom",
)  # fmt: skip

SYSTEM = tuple(sorted(path for pattern in _SYSTEM_PATTERNS for path in glob.glob(pattern)))
"""Readable for every bot at level linux; what a distribution installs, and a few settings."""

_OWN = ("protocol", "sample_bots", "referee")
_BIN = frozenset(("bin", "sbin", "Scripts", "shims"))


def below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these folders, or in one."""
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _too_wide(folder: str) -> bool:
    """Folders that hold all and everything, so that only a file in them can be meant."""
    wide = {"/", "/home", "/root", "/tmp", "/var/tmp", "/dev/shm", "/opt", "/srv", "/var", "/etc"}
    return folder in wide | {os.path.expanduser("~"), tempfile.gettempdir()}


def own_folders() -> list[str]:
    """The packages of this project: the client, the sample bots, and what runs inside."""
    found = []
    for name in _OWN:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            found += [os.path.abspath(path) for path in spec.submodule_search_locations]
    return found


def interpreter_folders(argv: Sequence[str], cwd: str) -> list[str]:
    """Where the program that `argv` starts is installed, and what it builds upon."""
    return [folder for path in executed(argv, cwd) for folder in _installation(path)]


def executed(argv: Sequence[str], cwd: str) -> list[str]:
    """The files that are run when `argv` is: the program, what it is a link to, interpreters."""
    found: list[str] = []
    waiting = [_whole(argv[0], cwd)] if argv else []
    while waiting:
        path = waiting.pop()
        if path in found or not os.path.isfile(path):
            continue
        found.append(path)
        waiting += [os.path.realpath(path), *_next_link(path), *_first_line(path)]
    return found


def _whole(program: str, cwd: str) -> str:
    if os.path.dirname(program):
        return os.path.abspath(os.path.join(cwd, program))
    return shutil.which(program) or os.path.join(cwd, program)


def _next_link(path: str) -> list[str]:
    if not os.path.islink(path):
        return []
    return [os.path.abspath(os.path.join(os.path.dirname(path), os.readlink(path)))]


def _first_line(path: str) -> list[str]:
    """The interpreter that a script names."""
    try:
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return []
    words = line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") else []
    if len(words) > 1 and os.path.basename(words[0]) == "env":
        named = next((word for word in words[1:] if not word.startswith("-")), "")
        return [found] if (found := shutil.which(named)) else []
    return words[:1]


def _installation(path: str) -> list[str]:
    """The folder that a program was installed in; the system's is readable anyway."""
    folder = os.path.dirname(path)
    prefix = os.path.dirname(folder)
    if os.path.basename(folder) not in _BIN:
        return [path] if _too_wide(folder) else [folder]
    if prefix == "/" or below(prefix, ["/usr"]):
        return []
    if _too_wide(prefix) or os.path.basename(prefix) == ".local":
        return [folder, os.path.join(prefix, "lib")]
    return [prefix, *_base_of_environment(prefix)]


def _base_of_environment(prefix: str) -> list[str]:
    """What a virtual environment of Python was made from."""
    try:
        with open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8") as file:
            pairs = [line.partition("=") for line in file]
    except OSError:
        return []
    homes = [value.strip() for key, _, value in pairs if key.strip() == "home"]
    return [os.path.dirname(home) for home in homes if not below(home, ["/usr", "/bin"])]


def program_folders(argv: Sequence[str], cwd: str) -> list[str]:
    """The folders of the files that a command names; where it names none, the one it runs in."""
    found: list[str] = []
    for word in argv[1:]:
        for part in word.rpartition("=")[2].split(os.pathsep):
            path = os.path.abspath(os.path.join(cwd, part))
            if not part or not os.path.exists(path):
                continue
            if os.path.isdir(path):
                found += [] if _too_wide(path) else [path]
            else:
                folder = os.path.dirname(path)
                found.append(path if _too_wide(folder) else folder)
    if not found and not _too_wide(cwd):
        found.append(cwd)
    return [*found, *(os.path.realpath(path) for path in found)]


def without(paths: Sequence[str], hidden: Sequence[str]) -> tuple[list[str], list[str]]:
    """
    The same files and folders without the hidden folders in them: what to read, what to list.

    A folder around a hidden one is taken apart into what it holds, and can then only be listed.
    """
    readable: list[str] = []
    listable: list[str] = []
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        if below(path, hidden):
            continue
        if not any(below(folder, [os.path.realpath(path)]) for folder in hidden):
            readable.append(path)
            continue
        listable.append(path)
        with os.scandir(path) as entries:
            waiting += [entry.path for entry in entries]
    return readable, listable
