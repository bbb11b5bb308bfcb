"""The order to start a bot, as a worker gives it and as its keeper reads it."""

import json
import os

import msgspec

from referee.seats import groups
from referee.seats.sandbox import Level, Relayed, additions, bare, confinement
from referee.seats.slots import Slot

TASKS = 64  # threads that a process may well have
THREADS = 512
"""And all processes of a bot together, where a control group counts them."""

_OURS = 8
"""Processes and threads of ours that run as a bot with a uid of its own."""


class LaunchSpec(msgspec.Struct, frozen=True):
    """What to start, and within which limits."""

    argv: tuple[str, ...]
    """Program and arguments, never a shell line; relative paths are seen from `cwd`."""
    env: dict[str, str] = {}
    """Added to what every bot gets: PATH, LANG, HOME, TMPDIR, PYTHONUNBUFFERED."""
    cwd: str | None = None
    """The scratch folder when not given."""
    stderr_path: str | None = None
    """A file of the referee's, in a folder where bots do not write; none when not given."""
    stderr_cap: int = 64 * 1024
    """Half of it for the first bytes, half for the last ones."""
    file_bytes: int = 64 * 1024 * 1024
    """No file may grow longer; in a box, all its files together."""
    open_files: int = 256
    memory_bytes: int | None = None
    """For data, in each process and in all together; not limited when not given."""
    processes: int | None = None
    """At once; not limited when not given."""
    level: Level = "basic"
    """What it is kept in; above basic it reads nothing but the system, its interpreter, the folders
    of the files that its command names, and `readable`."""
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    """Folders that it must not read although they lie in one that it may."""
    relay: Relayed | None = None
    """The bot talks ZeroMQ with a relay in its sandbox, whose own two ends are `stdio`."""
    stdio: tuple[int, int] | None = None
    """Descriptors that become its standard input and output; /dev/null when not given."""
    scratch_parent: str | None = None
    """Where the scratch folder is made; the system's temporary folder when not given."""


def written(spec: LaunchSpec, scratch: str, slot: Slot | None) -> bytes:
    """The order as it crosses to the keeper, which has the file of the slot open as we have it."""
    built = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": scratch,
        "TMPDIR": scratch,
        "PYTHONUNBUFFERED": "1",
    }
    cwd = os.path.abspath(spec.cwd) if spec.cwd else scratch
    limits = {"core": 0, "nofile": spec.open_files, "fsize": spec.file_bytes}
    if spec.memory_bytes is not None:
        limits["data"] = spec.memory_bytes
    uid = slot.uid if slot else None
    if (bare(spec.level) == "bwrap" or uid is not None) and spec.processes is not None:
        # Counted for the box or the uid alone, where one user's processes elsewhere would count
        # too; threads count here, so it only bounds what may happen between two looks of the
        # keeper.
        limits["nproc"] = spec.processes * TASKS + _OURS
    order = {
        "argv": spec.argv,
        "env": built | spec.env,
        "cwd": cwd,
        "limits": limits,
        "watch": {"memory": spec.memory_bytes, "processes": spec.processes},
        "scratch": scratch,
        "sandbox": confinement(
            spec.level, argv=spec.argv, cwd=cwd, scratch=scratch, room=spec.file_bytes,
            readable=spec.readable, hidden=spec.hidden, relay=spec.relay, uid=uid,
        ),
        "slot": [slot.number, slot.fd] if slot else None,
        "group": _group(spec, slot),
        "stderr_cap": spec.stderr_cap,
        "stderr_path": os.path.abspath(spec.stderr_path) if spec.stderr_path else None,
        "stdio": spec.stdio,
    }
    # The json module: unlike msgspec it carries file names that are not valid UTF-8.
    return json.dumps(order).encode() + b"\n"


def _group(spec: LaunchSpec, slot: Slot | None) -> dict[str, object] | None:
    """The control group that the keeper is to make, and its limits."""
    if slot is None or "cgroup" not in additions(spec.level):
        return None
    place, name = groups.place(), f"{groups.PREFIX}{os.geteuid()}-{slot.number}"
    return groups.Limits(
        version=place.version,
        memory=os.path.join(place.memory, name),
        pids=os.path.join(place.pids, name),
        memory_bytes=spec.memory_bytes,
        processes=spec.processes,
        threads=THREADS,
    )._asdict()


def keeper_environment() -> dict[str, str]:
    """All that a keeper is told of the referee's environment."""
    # An interpreter with a shared library of its own may need to be told where that is.
    kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {"LANG": "C.UTF-8"} | {name: os.environ[name] for name in kept if name in os.environ}
