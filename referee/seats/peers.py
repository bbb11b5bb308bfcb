"""Whose a connection to this process is: the kernel knows, and no bot can tell it otherwise.

A Unix socket keeps the number of the process that connected it; the other end of a TCP connection
on this machine is found by its inode. A process is a bot's when that bot's keeper is above it.
"""

import fcntl
import os
import socket
import struct
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from referee.seats.family import descendants, parent_of

_WAITING = 0x541B  # FIONREAD
_CREDENTIALS = struct.Struct("3i")
_DEEPEST = 1000
"""Generations of processes above one another that are looked through."""


class Connection(NamedTuple):
    """One accepted connection, held by a descriptor of its own while it is looked at."""

    number: int
    """The descriptor that libzmq uses."""
    end: socket.socket
    endpoint: str
    """What was connected to."""

    def waiting(self) -> int:
        """Bytes that have come and are not read yet."""
        try:
            return int(struct.unpack("i", fcntl.ioctl(self.end, _WAITING, bytes(4)))[0])
        except OSError:
            return 0

    def cut(self) -> None:
        """End it; libzmq forgets what came over it and is no whole message."""
        try:
            self.end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended by itself


def connections(endpoints: Collection[str]) -> list[Connection]:
    """The connections of this process that came in at some of its endpoints; to be closed."""
    found: list[Connection] = []
    ours: set[int] = set()
    for number in map(int, os.listdir("/proc/self/fd")):
        # A copy may have got the number that the list itself was read by.
        end = _socket(number) if number not in ours else None
        if end is None:
            continue
        endpoint = _endpoint(end)
        if endpoint in endpoints:
            found.append(Connection(number, end, endpoint))
            ours.add(end.fileno())
        else:
            end.close()
    return found


def _socket(number: int) -> socket.socket | None:
    try:
        copy = os.dup(number)
    except OSError:
        return None  # closed meanwhile
    try:
        return socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        return None


def _endpoint(end: socket.socket) -> str:
    """What an accepted connection was made to; empty for everything else."""
    try:
        if end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return ""
        name = end.getsockname()
    except OSError:
        return ""
    if end.family == socket.AF_UNIX:
        return f"ipc://{name}" if isinstance(name, str) else ""
    return f"tcp://{name[0]}:{name[1]}" if end.family == socket.AF_INET else ""


def keeper_above(pid: int, keepers: Collection[int]) -> int | None:
    """The one of these processes that is an ancestor of a process, itself included."""
    for _ in range(_DEEPEST):
        if pid in keepers:
            return pid
        try:
            pid = parent_of(pid)
        except OSError:
            return None
        if pid <= 1:
            return None
    return None


def owners(found: Sequence[Connection], keepers: Collection[int]) -> list[int | None]:
    """For each connection the keeper of the bot that has the other end; None where unknown."""
    inodes: dict[int, int] | None = None
    above: dict[int, int | None] = {}
    whose: list[int | None] = []
    for one in found:
        if one.end.family == socket.AF_UNIX:
            pid = _connector(one.end)
            if pid not in above:
                above[pid] = keeper_above(pid, keepers)
            whose.append(above[pid])
        else:
            if inodes is None:
                inodes = _sockets_below(keepers)
            whose.append(inodes.get(_other_end(one.end)))
    return whose


def is_below(peer_address: str, number: int, keeper: int) -> bool:
    """Whether a message came from a process of a bot.

    `peer_address` and `number` are what libzmq says of a message: where it came from, and the
    descriptor it came over, which may have been closed since.
    """
    pid = connector(peer_address)
    if pid is not None:
        return keeper_above(pid, (keeper,)) is not None
    end = _socket(number) if sys.platform == "linux" else None
    if end is None:
        return False
    with end:
        if end.family != socket.AF_INET:
            return False
        inode = _other_end(end)
    return inode in _sockets_below((keeper,))


def connector(peer_address: str) -> int | None:
    """The process that made a connection over a Unix socket, as libzmq names it.

    >>> connector("localhost:1000:1000:4711"), connector("127.0.0.1")
    (4711, None)
    """
    *_, pid = peer_address.split(":")
    return int(pid) if ":" in peer_address and pid.isdecimal() else None


def _connector(end: socket.socket) -> int:
    try:
        found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    except OSError:
        return 0
    return int(_CREDENTIALS.unpack(found)[0])


def _other_end(end: socket.socket) -> int:
    """The inode of the other end of a TCP connection within this machine; 0 where unknown."""
    try:
        wanted = (_in_hex(end.getpeername()), _in_hex(end.getsockname()))
        with open("/proc/net/tcp", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if (fields[1], fields[2]) == wanted:
                    return int(fields[9])
    except OSError:
        pass
    return 0


def _in_hex(address: tuple[str, int]) -> str:
    """An address as /proc/net/tcp has it."""
    (number,) = struct.unpack("=I", socket.inet_aton(address[0]))
    return f"{number:08X}:{address[1]:04X}"


def _sockets_below(keepers: Collection[int]) -> dict[int, int]:
    """The keeper of each socket's holder, by the socket's inode; 0 is nobody's."""
    found: dict[int, int] = {}
    for keeper in keepers:
        for pid in (keeper, *descendants(keeper)):
            found |= dict.fromkeys(_sockets_of(pid), keeper)
    return found


def _sockets_of(pid: int) -> Iterator[int]:
    try:
        with os.scandir(f"/proc/{pid}/fd") as entries:
            for entry in entries:
                target = os.readlink(entry.path)
                if target.startswith("socket:["):
                    yield int(target[8:-1])
    except OSError:
        return  # it ended while being looked at
