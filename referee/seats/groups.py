"""
Control groups: what all processes of one bot may use together, counted by the kernel.

A thin adapter over both versions. Version 1 has a tree of folders for each controller, version 2
one tree for all. A bot's group lies below that of the referee, so whatever limits the referee has
hold for the bot too. Standard library only: keepers use it.
"""

import errno
import functools
import os
import signal
import time
from collections.abc import Iterator
from typing import NamedTuple

MB = 1 << 20
PREFIX = "referee-seat-"
_MAIN = "referee-main"
"""Where the referee itself goes: a group of version 2 that has groups with limits in it holds no
process."""

_NEARLY = 0.9
"""Of a limit: what ran out beneath that was another one."""

_CONTROLLERS = ("memory", "pids")
_END_SECONDS, _PAUSE_SECONDS = 1.0, 0.005


class GroupError(Exception):
    """There can be no groups with limits here; says why."""


class Place(NamedTuple):
    """Where groups can be made."""

    version: int
    memory: str
    """The folder for groups that limit memory."""
    pids: str
    """That for groups that limit processes; in version 2 the same."""


class Limits(NamedTuple):
    """What a group may use; crosses to the keeper as a JSON object."""

    version: int
    memory: str
    pids: str
    """Its two folders, as in `Place`."""
    memory_bytes: int | None
    """Shared memory, temporary files in memory and the kernel's own for it included."""
    processes: int | None
    threads: int
    """Besides the first of each process."""


def folders(limits: Limits) -> list[str]:
    """The folders of a group, each once."""
    return sorted({limits.memory, limits.pids})


class Group:
    """The group of one bot, from the making to the removal."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        for folder in folders(limits):
            end_group(folder, time.monotonic() + _END_SECONDS)  # left by somebody who was killed
            os.mkdir(folder, 0o755)
        for path, value in self._settings():
            try:
                _write(path, value)
            except OSError as error:
                if error.errno != errno.ENOENT or not path.endswith(_OPTIONAL):
                    raise
            else:
                _check(path, value)

    def entrances(self) -> list[int]:
        """Descriptors to give to `enter`, for a process that could not open them itself."""
        return [
            os.open(os.path.join(folder, "cgroup.procs"), os.O_WRONLY | os.O_CLOEXEC)
            for folder in folders(self._limits)
        ]

    def exceeded(self) -> str:
        """The limit that the bot ran into, with numbers; empty where it has not."""
        limits = self._limits
        if limits.memory_bytes and self._memory_ran_out(limits.memory_bytes):
            room = limits.memory_bytes // MB
            return (
                f"it wanted more than {room} MB of memory, the limit is {room} MB, "
                "shared memory included"
            )
        if limits.processes and self._forks_failed(most := limits.processes + limits.threads):
            return (
                f"it ran {most} processes and threads at once, the limit is {limits.processes} "
                f"processes and {limits.threads} threads"
            )
        return ""

    def _memory_ran_out(self, room: int) -> bool:
        """Whether the kernel killed for memory here, and that of this group's own limit."""
        folder = self._limits.memory
        if self._limits.version == 2:
            path = os.path.join(folder, "memory.events")
            return _counter(path, "oom_kill") > 0 and _counter(path, "oom") > 0
        # Counted also where all of the machine's memory, or that of a group above, ran out.
        killed = _counter(os.path.join(folder, "memory.oom_control"), "oom_kill")
        return killed > 0 and _number(folder, "memory.max_usage_in_bytes") >= room * _NEARLY

    def _forks_failed(self, most: int) -> bool:
        """Whether a fork failed here, and that for this group's own limit."""
        folder = self._limits.pids
        if not _counter(os.path.join(folder, "pids.events"), "max"):
            return False
        # Counted also where a group above was full. Kernels before 6.6 do not keep the peak.
        peak = max(_number(folder, "pids.peak"), _number(folder, "pids.current"))
        return peak >= most * _NEARLY

    def _settings(self) -> Iterator[tuple[str, int]]:
        limits = self._limits
        if limits.processes is not None:
            yield os.path.join(limits.pids, "pids.max"), limits.processes + limits.threads
        if limits.memory_bytes is None:
            return
        # Whole pages, as the kernel counts.
        room = limits.memory_bytes // os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PAGE_SIZE")
        if limits.version == 1:
            yield os.path.join(limits.memory, "memory.limit_in_bytes"), room
            yield os.path.join(limits.memory, "memory.memsw.limit_in_bytes"), room
        else:
            yield os.path.join(limits.memory, "memory.max"), room
            yield os.path.join(limits.memory, "memory.swap.max"), 0
            yield os.path.join(limits.memory, "memory.oom.group"), 1


_OPTIONAL = ("memory.memsw.limit_in_bytes", "memory.swap.max", "memory.oom.group")
"""Not there in kernels without swap, or older ones."""


def enter(entrances: list[int]) -> None:
    """Put this process into the group that they lead to, and close them."""
    for fd in entrances:
        os.write(fd, b"0")
        os.close(fd)


def end_group(folder: str, deadline: float) -> bool:
    """Kill what is in a group and remove it, and say whether it is gone."""
    while True:
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            return True
        except OSError:  # busy: somebody is in it, or has just left
            _kill(folder)
        else:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)


def _kill(folder: str) -> None:
    try:
        _write(os.path.join(folder, "cgroup.kill"), 1)
        return
    except OSError:  # version 1, or a kernel before 5.14
        pass
    try:
        with open(os.path.join(folder, "cgroup.procs"), "rb") as file:
            found = [int(line) for line in file]
    except OSError:
        return
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def _counter(path: str, name: str) -> int:
    try:
        with open(path, encoding="ascii") as file:
            lines = (line.split() for line in file)
            return next((int(line[1]) for line in lines if line[:1] == [name]), 0)
    except (OSError, ValueError, IndexError):
        return 0


def _number(folder: str, name: str) -> int:
    try:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def _write(path: str, value: int) -> None:
    # Not by a file object: that would only fail when it is closed.
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, b"%d" % value)
    finally:
        os.close(fd)


def _check(path: str, value: int) -> None:
    """That a setting has been taken, and not only accepted."""
    with open(path, encoding="ascii") as file:
        found = file.read().strip()
    if found != str(value):
        raise OSError(f"{path}: was set to {value}, and says {found}")


# ---- where there can be groups -------------------------------------------------------------------


@functools.cache
def place() -> Place:
    """Where groups with limits can be made; raises GroupError where they cannot."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        own = [line.rstrip("\n").split(":", 2) for line in file]
    return place_among(mounts, own)


def place_among(mounts: list[list[str]], own: list[list[str]]) -> Place:
    """The same for the lines of the two files that tell of it, in their fields."""
    parents = {}
    for name in _CONTROLLERS:
        for _, point, kind, options, *_ in mounts:
            if kind == "cgroup" and name in options.split(","):
                inside = next((path for _, names, path in own if name in names.split(",")), "/")
                parents[name] = _below(point, inside)
    if len(parents) == len(_CONTROLLERS):
        for folder in parents.values():
            _see_writable(folder)
        return Place(1, parents["memory"], parents["pids"])
    for _, point, kind, *_ in mounts:
        if kind == "cgroup2":
            inside = next((path for number, _, path in own if number == "0"), "/")
            folder = _version_2(_below(point, inside))
            return Place(2, folder, folder)
    raise GroupError("no control groups are mounted")


def _below(point: str, inside: str) -> str:
    folder = os.path.normpath(os.path.join(point, inside.lstrip("/")))
    # In a container the path may be one of the machine outside.
    return folder if os.path.isdir(folder) else point


def _see_writable(folder: str) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise GroupError(f"{folder} is not writable")


def _version_2(own: str) -> str:
    """The folder for groups below the referee's own, with the controllers switched on."""
    folder = os.path.dirname(own) if os.path.basename(own) == _MAIN else own
    with open(os.path.join(folder, "cgroup.controllers"), encoding="ascii") as file:
        missing = set(_CONTROLLERS) - set(file.read().split())
    if missing:
        raise GroupError(f"{folder} has no controller for {' and '.join(sorted(missing))}")
    _see_writable(folder)
    try:
        _switch_on(folder)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise GroupError(f"{folder}: {error.strerror}") from None
        _move_aside(folder)
    return folder


def _switch_on(folder: str) -> None:
    path = os.path.join(folder, "cgroup.subtree_control")
    with open(path, encoding="ascii") as file:
        if set(_CONTROLLERS) <= set(file.read().split()):
            return
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, " ".join(f"+{name}" for name in _CONTROLLERS).encode())
    finally:
        os.close(fd)


def _move_aside(folder: str) -> None:
    """Make room: the referee goes into a group of its own, where it was the only one."""
    with open(os.path.join(folder, "cgroup.procs"), encoding="ascii") as file:
        others = [line.strip() for line in file if line.strip() != str(os.getpid())]
    if others:
        user = "" if os.geteuid() == 0 else " --user"
        raise GroupError(
            f"other processes are in {folder}; "
            f"`systemd-run{user} --scope -p Delegate=yes` starts the referee in a group of its own"
        )
    try:
        aside = os.path.join(folder, _MAIN)
        os.makedirs(aside, exist_ok=True)
        _write(os.path.join(aside, "cgroup.procs"), os.getpid())
        _switch_on(folder)
    except OSError as error:
        raise GroupError(f"{folder}: {error.strerror}") from None
