"""What a bot may use: each limit holds, and a bot that ends of it is told which, with numbers."""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.job import Job
from referee.seats.bot import BotCommand
from referee.seats.process import BotProcess, ExitReport, LaunchSpec
from referee.seats.resident import resident_bytes
from referee.seats.sandbox import LEVELS, MB, Allowance, Level
from tests.arena_help import bot, job, play
from tests.sandbox_help import need

SECONDS = 20.0  # a safety limit, never a measure

MEMORY = "import signal; signal.alarm(15); held = [b'x' * (1 << 20) for _ in range(400)]"
CHILDREN = """
import os, signal, time
for _ in range(4):
    if os.fork() == 0:
        signal.alarm(15); held = bytearray(b"x") * (40 << 20); time.sleep(15); os._exit(0)
time.sleep(10)
"""
SHARED = """
import mmap, os, signal, time
signal.alarm(15)
held = mmap.mmap(-1, 150 << 20)
for at in range(0, len(held), 4096): held[at] = 1
time.sleep(10)
"""
PROCESSES = """
import os, signal, time
for _ in range(20):
    if os.fork() == 0:
        signal.alarm(15); time.sleep(15); os._exit(0)
time.sleep(10)
"""
DISK = """
import os
with open(os.path.join(os.environ["HOME"], "large"), "wb", buffering=0) as file:
    for _ in range(64): file.write(bytes(1 << 20))
"""
MANY_FILES = """
import os
os.chdir(os.environ["HOME"])
for number in range(64):
    with open(str(number), "wb") as file: file.write(bytes(1 << 20))
"""
OPEN_FILES = """
import os
held = []
try:
    while len(held) < 5000: held.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    raise SystemExit(100 + (40 < len(held) < 64) + 2 * (error.errno == 24))
"""


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest) -> Level:
    found: Level = request.param
    if found != "basic":
        need(found)
    return found


@pytest.fixture
def folder() -> Iterator[str]:
    path = tempfile.mkdtemp(prefix="rf-limits-", dir="/tmp")
    yield path
    shutil.rmtree(path)


def ended(level: Level, folder: str, code: str, **limits: int) -> ExitReport:
    """How a Python program ended that was kept to these limits."""
    spec = LaunchSpec(argv=(sys.executable, "-c", code), level=level, scratch_parent=folder)
    process = BotProcess.start(replace(spec, **limits))
    try:
        assert process.wait_gone(SECONDS)
    finally:
        process.close()
    assert process.exit is not None, process.start_failure
    return process.exit


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\d+", text)]


def test_memory_of_one_process(level: Level, folder: str) -> None:
    found = ended(level, folder, MEMORY, memory_bytes=100 * MB)
    assert found.code != 0
    assert "MB of memory, the limit is 100 MB" in found.excess
    used, _ = numbers(found.excess)
    assert 90 < used < 200


def test_memory_of_all_processes_together(level: Level, folder: str) -> None:
    found = ended(level, folder, CHILDREN, memory_bytes=100 * MB)
    assert found.signal == 9
    assert "MB of memory, the limit is 100 MB" in found.excess
    assert numbers(found.excess)[0] > 100


def test_memory_that_no_limit_of_the_kernel_counts(level: Level, folder: str) -> None:
    found = ended(level, folder, SHARED, memory_bytes=100 * MB)
    assert found.signal == 9
    assert "MB of memory, the limit is 100 MB" in found.excess


def test_memory_that_is_shared_counts_once(level: Level, folder: str) -> None:
    code = """
import os, time
held = bytearray(b"x") * (40 << 20)
for _ in range(4):
    if os.fork() == 0: time.sleep(1.5); os._exit(0)
time.sleep(1)
"""
    found = ended(level, folder, code, memory_bytes=120 * MB)
    assert (found.code, found.excess) == (0, "")


def test_processes(level: Level, folder: str) -> None:
    found = ended(level, folder, PROCESSES, processes=10)
    assert found.signal == 9
    count, limit = numbers(found.excess)
    assert 10 < count <= 21
    assert found.excess == f"it ran {count} processes at once, the limit is {limit}"
    assert limit == 10
    assert found.describe() == f"killed by SIGKILL (9); {found.excess}"


def test_as_many_processes_as_are_allowed(level: Level, folder: str) -> None:
    code = PROCESSES.replace("time.sleep(10)", "time.sleep(0.8)")
    found = ended(level, folder, code, processes=21)
    assert (found.code, found.excess) == (0, "")


def test_one_long_file(level: Level, folder: str) -> None:
    found = ended(level, folder, DISK, file_bytes=8 * MB)
    assert found.code == 1
    assert found.excess == "it wrote more than the 8 MB of disk that it may use"
    assert any("large" in line or "OSError" in line for line in found.stderr_first)


def test_many_files_in_a_box(folder: str) -> None:
    need("bwrap")
    found = ended("bwrap", folder, MANY_FILES, file_bytes=8 * MB)
    assert found.excess == "it wrote more than the 8 MB of disk that it may use"


def test_open_files_run_out_in_the_bot_alone(level: Level, folder: str) -> None:
    found = ended(level, folder, OPEN_FILES, open_files=64)
    assert (found.code, found.excess) == (103, "")


def test_a_crash_of_another_kind_is_no_excess(level: Level, folder: str) -> None:
    limits = {"memory_bytes": 200 * MB, "processes": 8, "file_bytes": 8 * MB}
    found = ended(level, folder, "raise SystemExit(4)", **limits)
    assert (found.code, found.excess) == (4, "")


def test_what_is_kept_of_standard_error(level: Level, folder: str) -> None:
    code = "import sys\nfor number in range(3000): print('line', number, file=sys.stderr)"
    found = ended(level, folder, code, stderr_cap=2048)
    assert found.stderr_bytes == sum(len(f"line {number}\n") for number in range(3000))
    assert found.stderr_first[0] == "line 0"
    assert found.stderr_last[-1] == "line 2999"
    assert sum(map(len, found.stderr_first + found.stderr_last)) < 2048


def limited(name: str, mode: str, **limits: int) -> BotCommand:
    command = bot(name, f"zoo:{mode}", ZOO_SEAT="0")
    tests = str(Path(__file__).parent)
    return replace(command, allowance=Allowance(**limits), readable=(tests,))


def work(folder: Path, level: Level, command: BotCommand) -> Job:
    made = job(folder, [command, bot("good", "first_legal")], decision_ms=4000, start_ms=15_000)
    return replace(made, sandbox=level)


def test_an_entrant_over_its_memory_is_blamed_for_that(level: Level, tmp_path: Path) -> None:
    outcome = play(work(tmp_path, level, limited("bad", "memory", memory_mb=128)))
    (blame,) = outcome.blame("bad")
    assert (blame.kind, blame.ruling, blame.seat) == ("resource", "forfeit", 0)
    assert "MB of memory, the limit is 128 MB" in blame.message
    assert outcome.blame("good") == []


def test_an_entrant_with_its_own_longest_message(level: Level, tmp_path: Path) -> None:
    command = limited("bad", "long_note", message_bytes=1024)
    outcome = play(work(tmp_path, level, command))
    blame = outcome.blame("bad")[0]
    assert (blame.kind, blame.ruling) == ("flood", "forfeit")
    size, limit = numbers(blame.message)
    assert (size > 1024, limit) == (True, 1024)
    assert blame.message.endswith(" bytes; the limit is 1024")


def test_an_entrant_with_its_own_number_of_unexpected_messages(
    level: Level, tmp_path: Path
) -> None:
    outcome = play(work(tmp_path, level, limited("bad", "flood", unexpected_messages=3)))
    blame = outcome.blame("bad")[-1]
    assert (blame.kind, blame.ruling) == ("flood", "forfeit")
    assert blame.message.startswith("3 unexpected messages in one turn; ")


def test_memory_is_looked_at_closely_only_where_it_is_much() -> None:
    at_a_glance = resident_bytes([1, 1], 1 << 60)
    assert at_a_glance == 2 * resident_bytes([1], 1 << 60) > 0
    assert resident_bytes([999_999_999], 0) == 0
