"""
What a bot is kept in: the levels, what a bot may use, and what it still sees of the machine.

`basic` is a process like any other of this user. `linux` takes rights away that no bot needs, by
means that every user has: no new privileges, no capabilities, seccomp, Landlock. `bwrap` puts each
bot into a box of its own by bubblewrap: no network, no other process, a file system of its own. To
either is added what this machine allows: a uid for each bot, and limits by control groups.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Annotated, Any, Literal, NamedTuple, get_args

from msgspec import Meta, Struct

from protocol.messages import ENDPOINT_VARIABLE
from referee.seats import sandbox_inside
from referee.seats.sandbox_box import box
from referee.seats.sandbox_paths import (
    SYSTEM,
    below,
    interpreter_folders,
    own_folders,
    program_folders,
    without,
)
from referee.seats.sandbox_relay import MESSAGE_BYTES

BareLevel = Literal["basic", "linux", "bwrap"]

LEVELS: tuple[BareLevel, ...] = ("basic", "linux", "bwrap")
"""From the lowest."""

Level = Literal[
    "basic", "linux", "linux+uid", "linux+cgroup", "linux+uid+cgroup",
    "bwrap", "bwrap+uid", "bwrap+cgroup", "bwrap+uid+cgroup",
]  # fmt: skip
"""A level, and what is added to it."""

ADDITIONS = ("uid", "cgroup")
"""A uid of its own for each bot; a control group for each, with limits that the kernel counts."""

Relayed = Literal["ipc", "tcp"]

MB = 1 << 20


def bare(level: Level) -> BareLevel:
    """
    The level without what is added to it.

    >>> bare("bwrap+uid")
    'bwrap'
    """
    return next(one for one in LEVELS if one == level.partition("+")[0])


def additions(level: Level) -> tuple[str, ...]:
    """
    What is added to a level.

    >>> additions("linux+uid+cgroup")
    ('uid', 'cgroup')
    """
    return tuple(level.split("+")[1:])


def with_additions(level: Level, added: Iterable[str]) -> Level:
    """
    A level with these additions and no others.

    >>> with_additions("linux", {"cgroup", "uid"})
    'linux+uid+cgroup'
    """
    name = "+".join([bare(level), *(one for one in ADDITIONS if one in set(added))])
    found: Level
    for found in get_args(Level):
        if found == name:
            return found
    raise ValueError(f"nothing can be added to {level}")


class Allowance(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[entrants.limits]`: what one bot process of an entrant, with all it starts, may use."""

    memory_mb: Annotated[int, Meta(ge=16, le=1 << 20)] = 4096
    """Data in each process, and memory of all processes together."""
    processes: Annotated[int, Meta(ge=1, le=10_000)] = 32
    """At once, itself included; threads do not count."""
    open_files: Annotated[int, Meta(ge=16, le=1 << 20)] = 256
    """In each process."""
    disk_mb: Annotated[int, Meta(ge=1, le=1 << 20)] = 64
    """The longest file; in a box of bubblewrap, all files together."""
    stderr_kb: Annotated[int, Meta(ge=1, le=1024)] = 64
    """Of standard error that are kept, the first and the last half; the rest is thrown away."""
    message_bytes: Annotated[int, Meta(ge=1024, le=MESSAGE_BYTES)] = MESSAGE_BYTES
    """The longest message."""
    unexpected_messages: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """The unexpected message in one turn that is a flood; the job's own number when not given."""


class Confinement(NamedTuple):
    """What the keeper is told of a sandbox; crosses as a JSON object."""

    level: Level
    readable: Sequence[str]
    listable: Sequence[str]
    """Folders of which only the names of what is in them are seen."""
    writable: Sequence[str]
    box: Sequence[str]
    """The command that builds the box around the one inside; empty at level linux."""
    scratch: str
    uid: int | None
    """The bot's own, where it has one."""
    relay: dict[str, Any] | None


def confinement(
    level: Level, *, argv: Sequence[str], cwd: str, scratch: str, room: int,
    readable: Iterable[str], hidden: Iterable[str], relay: Relayed | None, uid: int | None,
) -> dict[str, Any] | None:  # fmt: skip
    """
    What one bot is kept in, as the keeper reads it; None at level basic.

    `scratch` is the folder that it may write in, up to `room` bytes in a box.
    """
    if level == "basic":
        return None
    secret = [os.path.realpath(path) for path in hidden]
    wanted = [*program_folders(argv, cwd), *map(os.path.abspath, readable)]
    boxed = bare(level) == "bwrap"
    inside = [*interpreter_folders(argv, cwd), *own_folders()]
    if relay is not None or boxed:
        inside += relay_folders()
    seen = _distinct([*inside, *(path for path in wanted if not below(path, secret))])
    command: list[str] = []
    listable: list[str] = []
    if boxed:
        entry = [sys.executable, "-I", "-S", os.path.abspath(sandbox_inside.__file__)]
        command = box(
            seen, secret, cwd=cwd, scratch=scratch, room=room, entry=entry,
            own_uid=uid is not None,
        )  # fmt: skip
    else:
        seen, listable = without(seen, secret)
        listable += own_parents()
    told = Confinement(
        level=level,
        readable=[*SYSTEM, *seen],
        listable=listable,
        writable=[scratch, "/dev/null", "/dev/zero", "/dev/full"],
        box=command,
        scratch=scratch,
        uid=uid,
        relay=None if relay is None else {
            "transport": relay, "variable": ENDPOINT_VARIABLE, "folder": scratch,
            "path": [_above_zmq()],
        },
    )  # fmt: skip
    return told._asdict()


def own_parents() -> list[str]:
    """Where our packages lie in a checkout: a path entry that an import lists."""
    parents = {os.path.dirname(folder) for folder in own_folders()}
    return sorted(parents - {_above_zmq()})


def relay_folders() -> list[str]:
    """What the relay needs to be read: this interpreter, and pyzmq with its libraries."""
    site = _above_zmq()
    libraries = [os.path.join(site, name) for name in ("zmq", "pyzmq.libs")]
    return [*interpreter_folders([sys.executable], "/"), *libraries]


def _above_zmq() -> str:
    spec = find_spec("zmq")
    assert spec is not None
    assert spec.origin is not None
    return os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))


def _distinct(paths: Iterable[str]) -> list[str]:
    """Each existing path once, and none that lies in another."""
    found: list[str] = []
    for path in sorted({path for path in paths if os.path.exists(path)}):
        if not below(path, found):
            found.append(path)
    return found
