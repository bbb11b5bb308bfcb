"""Shared memory with a name: what is a bot's goes with it, what is anybody else's stays."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL
from pathlib import Path

import pytest

from referee.seats import leavings
from referee.seats.leavings import Leavings
from tests.bad_bots.deeds import mapped, segment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/dev/shm and /proc are Linux's")

HOLDER = """
import mmap, sys
files = [open(path, "rb+") for path in sys.argv[1:]]
held = [mmap.mmap(file.fileno(), 4096) for file in files]
for file in files: file.close()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path() -> Iterator[Path]:
    found = Path(f"/dev/shm/leavings-{os.getpid()}")
    yield found
    for one in found.parent.glob(f"{found.name}*"):
        one.unlink()


@contextmanager
def holder(*paths: Path) -> Iterator[int]:
    """A process that has these files mapped."""
    command = [sys.executable, "-c", HOLDER, *map(str, paths)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process.pid
        process.kill()


def made(path: Path) -> Path:
    mapped(str(path)).close()
    return path


def test_a_new_file_that_a_bot_held_is_removed(path: Path) -> None:
    seen = Leavings()
    with holder(made(path)) as pid:
        seen.look([pid])
        assert path.exists()
    seen.remove()
    assert not path.exists()


def test_a_file_that_somebody_else_still_holds_stays(path: Path) -> None:
    seen = Leavings()
    with holder(made(path)):
        with holder(path) as pid:
            seen.look([pid])
        seen.remove()
        assert path.exists()


def test_a_file_that_was_there_before_stays_whatever_it_is_called_now(path: Path) -> None:
    renamed = path.with_name(f"{path.name}-renamed")
    made(path)
    seen = Leavings()
    path.rename(renamed)
    with holder(renamed) as pid:
        seen.look([pid])
    seen.remove()
    assert renamed.exists()


def test_a_new_file_that_a_bot_was_not_seen_to_hold_stays(path: Path) -> None:
    seen = Leavings()
    with holder() as pid:
        made(path)
        seen.look([pid])
    seen.remove()
    assert path.exists()


def test_a_file_that_took_the_place_of_the_bots_stays(path: Path) -> None:
    seen = Leavings()
    with holder(made(path)) as pid:
        seen.look([pid])
        made(path.with_name(f"{path.name}-new")).replace(path)
    seen.remove()
    assert path.exists()


def test_a_file_of_another_user_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leavings, "_owner", lambda pid: 4711)
    seen = Leavings()
    with holder(made(path)) as pid:
        seen.look([pid])
    seen.remove()
    assert path.exists()


def test_segments_go_with_the_process_that_made_them_and_no_other() -> None:
    own = segment(4096)
    try:
        seen = Leavings()
        other = segment(4096)
        seen.look([os.getpid() + 1])
        seen.remove()
        assert {own, other} <= {number for number, _ in leavings._segments()}
        seen.look([os.getpid()])
        seen.remove()
        left = {number for number, _ in leavings._segments()}
        assert (own in left, other in left) == (True, False)
    finally:
        CDLL(None).shmctl(own, leavings.IPC_RMID, None)
