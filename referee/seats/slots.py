"""
Numbers for bots in sandboxes: each is one process's alone on this machine while that lives.

With a number go a uid and the name of a cgroup. It is held by the lock on a file, which the worker
and the keeper of a bot both hold and nobody has to give back: the kernel takes it from the dead. In
the file stands what there could be left of the bot, so that whoever finds it unlocked can end that.
Standard library only: keepers use it.
"""

import fcntl
import grp
import os
import pwd
import secrets
import signal
import stat
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.seats.groups import end_group
from referee.seats.scratch import remove_folder

UIDS: Sequence[int] = (*range(60_706, 61_184), *range(70_000, 74_000))
"""Given to nobody by the lists of Debian and of systemd. The first are below 65536, where many
containers end."""

SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")
"""Where any user may leave something."""

_FIRST = 478
"""Of the numbers, where the search begins: so many are enough almost always."""

_CLEAR_SECONDS = 2.0
_PAUSE_SECONDS = 0.005
_REMOVAL_SECONDS = 0.5


class Slot(NamedTuple):
    """A number that is held."""

    number: int
    fd: int
    """Of the locked file; whoever has it open holds the number."""
    uid: int | None
    """The number, where it is the uid of the bot too."""

    def note(self, folders: Iterable[str]) -> None:
        """Write down what could be left of the bot, before there is any of it."""
        text = "\n".join(["own uid" if self.uid is not None else "no uid", *folders])
        os.ftruncate(self.fd, 0)
        os.pwrite(self.fd, text.encode(), 0)

    def clear(self, seconds: float = _CLEAR_SECONDS) -> bool:
        """End and remove what is left of the bot, and say whether that has come to an end."""
        first, *folders = os.pread(self.fd, 1 << 16, 0).decode().split("\n")
        deadline = time.monotonic() + seconds
        clear = True
        for folder in folders:
            clear = end_group(folder, deadline) and clear
        if first == "own uid":
            clear = _end_processes(self.number, deadline) and clear
            _remove_files(self.number)
        if clear:
            os.ftruncate(self.fd, 0)
        return clear

    def close(self) -> None:
        """Let go of the number."""
        os.close(self.fd)


def take(*, own_uid: bool) -> Slot:
    """Hold a number that nobody holds, and whose uid is nobody's; raises OSError without one."""
    folder = _folder()
    end = _end_of_uids() if own_uid else UIDS[-1] + 1
    usable = [number for number in UIDS if number < end]
    if not usable:
        raise OSError(f"no user of {UIDS[0]} or more can be had here: there are only {end}")
    start = secrets.randbelow(min(len(usable), _FIRST))
    for number in (*usable[start:], *usable[:start]):
        slot = _locked(folder, number, own_uid=own_uid)
        if slot is None:
            continue
        if (os.fstat(slot.fd).st_size == 0 or slot.clear()) and not (
            own_uid and (has_entry(number) or processes_of(number))
        ):
            return slot
        slot.close()
    raise OSError(f"all {len(usable)} numbers for bots in sandboxes are taken ({folder})")


def sweep() -> None:
    """End and remove what referees have left that were killed with all their keepers."""
    folder = _folder()
    for name in filter(str.isdecimal, os.listdir(folder)):
        slot = _locked(folder, int(name), own_uid=False)
        if slot is not None:
            if os.fstat(slot.fd).st_size:
                slot.clear()
            slot.close()


def _end_of_uids() -> int:
    """The first number that is no user's any more: in a container there are fewer."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            return max(int(first) + int(count) for first, _, count in map(str.split, file))
    except (OSError, ValueError):
        return 1 << 16


def _folder() -> str:
    """Where the locks are: a folder of this user's that nobody else can write in."""
    base = "/run" if os.access("/run", os.W_OK | os.X_OK) else "/tmp"
    path = os.path.join(base, f"referee-seats-{os.geteuid()}")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o77:
            raise OSError(f"{path}: is not a folder of this user alone") from None
    return path


def _locked(folder: str, number: int, *, own_uid: bool) -> Slot | None:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(os.path.join(folder, str(number)), flags, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return Slot(number, fd, number if own_uid else None)


def has_entry(number: int) -> bool:
    """Whether this machine knows a user or a group of this number."""
    for known in (pwd.getpwuid, grp.getgrgid):
        try:
            known(number)
        except KeyError:
            continue
        return True
    return False


def processes_of(uid: int) -> list[int]:
    """The processes that are any of a user's, zombies left out."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/status", "rb") as file:
                lines = dict(line.split(b":", 1) for line in file if b":" in line)
        except OSError:  # it has ended
            continue
        if lines.get(b"State", b"").split()[:1] == [b"Z"]:
            continue
        if b"%d" % uid in lines.get(b"Uid", b"").split():
            found.append(int(name))
    return found


def _end_processes(uid: int, deadline: float) -> bool:
    while found := processes_of(uid):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_SECONDS)
    return True


def _remove_files(uid: int) -> None:
    """Remove what a user has left where everybody may write; nobody of it is alive any more."""
    for folder in SHARED_FOLDERS:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name)
            try:
                found = os.lstat(path)
                if found.st_uid != uid:
                    continue
                if stat.S_ISDIR(found.st_mode):
                    remove_folder(path, _REMOVAL_SECONDS)
                else:
                    os.unlink(path)
            except OSError:  # somebody else has removed it
                pass
