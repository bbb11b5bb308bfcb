"""
Shared memory with a name, which outlives the processes of a bot: whose it is, and its removal.

Standard library only. Nothing tells who made a file in /dev/shm, so only that is taken for a bot's
which was not there when the bot started, belongs to its user, was held open or mapped by one of its
processes at a look, and is held by nobody else at the end. A System V segment says which process
made it; that process must have been seen alive as the bot's.
"""

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence

FOLDER = "/dev/shm"
SEGMENTS = "/proc/sysvipc/shm"
IPC_RMID = 0
MOST = 1000  # entries that are looked at


class Leavings:
    """What one bot has made, as far as it has been seen."""

    def __init__(self) -> None:
        # Whatever name it has later: a file may be renamed by whoever may remove it.
        self._inodes_before = {inode for _, inode in _files()}
        self._segments_before = {number for number, _ in _segments()}
        # Of more than are looked at nobody knows which were there before.
        self._all_known = max(len(self._inodes_before), len(self._segments_before)) < MOST
        self._files: set[tuple[str, int]] = set()
        self._segments: set[tuple[int, int]] = set()

    def look(self, family: Sequence[int]) -> None:
        """See what the processes of the bot, which live now, have; cheap where nothing is new."""
        if not self._all_known:
            return
        for number, maker in _segments():
            if number not in self._segments_before and maker in family:
                self._segments.add((number, maker))
        new = {one for one in _files() if one[1] not in self._inodes_before} - self._files
        if new:
            for pid in family:
                user = _owner(pid)
                self._files |= {one for one in new.intersection(_held(pid)) if _user(one) == user}

    def remove(self) -> None:
        """Remove what nobody else holds; when all processes of the bot are gone."""
        left = self._files & set(_files())
        if left:
            for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
                left -= set(_held(pid))
        for name, _ in left:
            try:
                os.unlink(f"{FOLDER}/{name}")
            except OSError:
                pass
        segments = self._segments & set(_segments())
        if segments:
            # Imported only where it is wanted: every keeper would pay for it at its start.
            from ctypes import CDLL  # noqa: PLC0415

            for number, _ in segments:
                CDLL(None).shmctl(number, IPC_RMID, None)


def _files() -> Iterator[tuple[str, int]]:
    """Regular files in the folder, with their inodes."""
    if sys.platform != "linux":
        return
    try:
        with os.scandir(FOLDER) as entries:
            for entry, _ in zip(entries, range(MOST), strict=False):
                yield entry.name, entry.inode()
    except OSError:
        return


def _segments() -> Iterator[tuple[int, int]]:
    """Segments of System V, with the processes that made them."""
    try:
        with open(SEGMENTS, encoding="ascii") as file:
            names = file.readline().split()
            number, maker = names.index("shmid"), names.index("cpid")
            for line, _ in zip(file, range(MOST), strict=False):
                fields = line.split()
                yield int(fields[number]), int(fields[maker])
    except (OSError, ValueError, IndexError):
        return


def _held(pid: int) -> Iterator[tuple[str, int]]:
    """What a process has open or mapped in the folder."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                if FOLDER in line:
                    yield from _inside(line.rstrip("\n").split(None, 5)[5])
        for name in os.listdir(f"/proc/{pid}/fd"):
            yield from _inside(os.readlink(f"/proc/{pid}/fd/{name}"))
    except (OSError, IndexError):
        return  # it ended while being looked at, or is another user's


def _inside(path: str) -> Iterable[tuple[str, int]]:
    """A path as an entry of the folder, if it is one and is still there."""
    folder, _, name = path.rpartition("/")
    if folder != FOLDER:
        return []
    try:
        found = os.lstat(path)
    except OSError:
        return []
    return [(name, found.st_ino)] if stat.S_ISREG(found.st_mode) else []


def _owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


def _user(entry: tuple[str, int]) -> int | None:
    try:
        return os.lstat(f"{FOLDER}/{entry[0]}").st_uid
    except OSError:
        return None
