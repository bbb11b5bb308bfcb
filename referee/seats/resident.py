"""Memory that processes hold together. Standard library only."""

import os
from collections.abc import Iterable


def resident_bytes(pids: Iterable[int], enough: float) -> int:
    """
    Memory that these processes hold together, looked at closely only from `enough` on.

    What several share is counted once for each at a first glance, and once in all at the second.
    """
    found = list(pids)
    glance = sum(_resident(pid) for pid in found)
    return glance if glance <= enough else sum(_proportional(pid) for pid in found)


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        return 0  # gone, or hidden: one of ours
    return 0
