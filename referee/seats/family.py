"""Which processes stand below and above another. Standard library only."""

import os
import sys
from collections.abc import Callable


def descendants(root: int) -> list[int]:
    """The processes below `root`, zombies included; out of date at once where a tree forks."""
    if sys.platform != "linux":
        return []
    below = _children if lists_children() else _family()
    found: list[int] = []
    waiting = [root]
    while waiting:
        new = below(waiting.pop())
        found += new
        waiting += new
    return found


def stat_of(pid: int) -> list[bytes]:
    """What /proc tells of a process behind its name, the state first; OSError where it is gone."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name before the last bracket may hold spaces and brackets.
        return file.read().rpartition(b")")[2].split()


def parent_of(pid: int) -> int:
    """The process above another; OSError where that is gone."""
    return int(stat_of(pid)[1])


def lists_children() -> bool:
    """Whether the kernel keeps a list of children, so that `descendants` is cheap."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:  # it ended while being read
        pass
    return found


def _family() -> Callable[[int], list[int]]:
    """The same for kernels that keep no list of children: ask every process for its parent."""
    family: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            family.setdefault(parent_of(int(name)), []).append(int(name))
        except OSError:
            pass
    return lambda pid: family.get(pid, [])
