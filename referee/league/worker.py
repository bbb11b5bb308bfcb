"""A worker: one fresh process that plays one job and then ends.

    python -m referee.league.worker

It reads a job from its standard input and writes reports to its standard output, each a msgpack
message behind its length. After the job, standard input carries at most one word: the coordinator
asks it to finish the sets in flight; when it is closed, everything ends at once.
"""

import gc
import os
import resource
import signal
import struct
import sys
from collections.abc import Iterator
from typing import IO

from referee.arena import Aborted, Arena
from referee.job import Job, Report, decode_job, decode_report, encode_job, encode_report

_LENGTH = struct.Struct(">I")

OPEN_FILES = 1 << 16
"""Descriptors of a worker, where the system allows so many; some kernels are slow with more."""

ABORTED = 3
"""Exit code of a worker whose coordinator went away or wanted it to end."""


def framed(data: bytes) -> bytes:
    """A message behind its length."""
    return _LENGTH.pack(len(data)) + data


def reports_from(stream: IO[bytes]) -> Iterator[Report]:
    """The reports that a worker writes, until it ends."""
    while len(head := stream.read(_LENGTH.size)) == _LENGTH.size:
        (size,) = _LENGTH.unpack(head)
        data = stream.read(size)
        if len(data) < size:
            return
        yield decode_report(data)


def job_frame(job: Job) -> bytes:
    """A job as a worker reads it."""
    return framed(encode_job(job))


def play_job(job: Job) -> list[Report]:
    """Play a job in this process and return all its reports: for executors on other machines."""
    reports: list[Report] = []
    Arena(job, reports.append).run()
    return reports


def main() -> int:
    """Play the job on standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _raise_open_files()
    job = decode_job(_read(_LENGTH.unpack(_read(_LENGTH.size))[0]))
    # Reports go out on a descriptor of their own, so that a stray print cannot spoil them.
    out = os.dup(1)
    os.dup2(2, 1)

    def report(message: Report) -> None:
        data = memoryview(framed(encode_report(message)))
        while data:
            data = data[os.write(out, data) :]

    arena = Arena(job, report, control=0)
    gc.freeze()
    try:
        arena.run()
    except (Aborted, BrokenPipeError):
        return ABORTED
    return 0


def _raise_open_files() -> None:
    """Allow this process what it may allow itself: at the last descriptor libzmq ends it."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(most, OPEN_FILES)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _read(size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            sys.exit(ABORTED)
        data += piece
    return data


if __name__ == "__main__":
    sys.exit(main())
