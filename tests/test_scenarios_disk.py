"""A disk that is full or turns read-only in mid-run: a clean stop, nothing goes on unlogged."""

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from referee.log import read
from tests.test_cli_leagues import REFEREE, Place
from tests.test_runner import wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="limits, mounts and namespaces of Linux"),
]

SLOW = """
import time
from protocol.bot import Bot

class Slow(Bot):
    def decide(self, ask):
        time.sleep(0.003)
        return ask.legal[0]

Slow("slow").run()
"""

SETS = 10
COMMAND = [*REFEREE, "run", "league.toml", "--secret-file", "secret", "--workers", "1"]


def place_in(folder: Path) -> Place:
    place = Place(folder)
    place.file("slow.py", SLOW)
    place.league({"one": "first_legal", "two": "slow.py"}, SETS, 'rules = "wikibooks-2"')
    return place


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], int]:
    """Digests of the league on a good disk, and the size of its log in bytes."""
    place = place_in(tmp_path_factory.mktemp("undisturbed"))
    assert place.run().returncode == 0
    (path,) = (place.results / "logs").iterdir()
    return place.digests(), path.stat().st_size


def limited(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return limit


def stopped_cleanly(place: Place, done: "subprocess.CompletedProcess[str]", why: str) -> None:
    """One message that says what to do, whole sets in the log, nothing running."""
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert re.search(
        rf"(cannot be written: {why}|only \d+ of \d+ bytes could be written); the run has stopped, "
        "and what is not in the logs does not count\n", done.stderr,
    )  # fmt: skip
    assert done.stderr.endswith("to go on: referee run league.toml --workers 1\n")
    assert "Traceback" not in done.stderr
    assert "net per deal" not in done.stdout, "nothing is scored that might not be in the logs"
    assert place.processes() == []
    (path,) = (place.results / "logs").glob("*.jsonl")
    log = read(path)
    assert log.set_aside == 0
    assert 0 < len(log.sets) < SETS
    assert (place.results / "secret").exists()
    assert not (place.results / "revealed.json").exists()


def test_a_full_disk_stops_the_run_and_the_same_command_goes_on(
    tmp_path: Path, undisturbed: tuple[dict[str, str], int]
) -> None:
    """No file may become longer than half of the log."""
    digests, size = undisturbed
    place = place_in(tmp_path)
    room = size // 2
    done = subprocess.run(
        COMMAND, cwd=place.path, capture_output=True, text=True, timeout=60,
        preexec_fn=limited(room),
    )  # fmt: skip
    stopped_cleanly(place, done, "File too large")
    (path,) = (place.results / "logs").glob("*.jsonl")
    assert room - size // SETS * 2 < path.stat().st_size <= room
    assert place.run().returncode == 0
    assert place.digests() == digests


def test_a_full_file_system_does_too(
    tmp_path: Path, undisturbed: tuple[dict[str, str], int]
) -> None:
    """On a file system of its own, which is then made larger."""
    digests, size = undisturbed
    place = place_in(tmp_path)
    place.results.mkdir()
    kilobytes = (size // 2 + 4096) // 1024
    command = " ".join(f"'{word}'" for word in COMMAND)
    script = f"""
        mount -t tmpfs -o size={kilobytes}k tmpfs results || exit 77
        {command} > out 2> err; echo $? > code
        mkdir kept && cp -r results/. kept
        mount -o remount,size=64m results
        {command} > out2 2> err2; echo $? > code2
        cp -r results kept2
    """
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], cwd=place.path, timeout=90, text=True,
        capture_output=True,
    )  # fmt: skip
    if done.returncode in (1, 77) and not (place.path / "code").exists():
        pytest.skip(f"no mounts here: {done.stderr.strip()}")

    def text(name: str) -> str:
        return (place.path / name).read_text()

    place.results.rmdir()
    (place.path / "kept").rename(place.results)
    stopped_cleanly(
        place,
        subprocess.CompletedProcess(COMMAND, int(text("code")), text("out"), text("err")),
        "No space left on device",
    )
    shutil.rmtree(place.results)
    (place.path / "kept2").rename(place.results)
    assert (text("code2"), text("err2")) == ("0\n", "")
    assert place.digests() == digests


def without_privileges() -> Sequence[str]:
    """Words before a command that take root's right to write everywhere from it."""
    if os.geteuid():
        return []
    words = ["unshare", "--user"]
    tried = subprocess.run([*words, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"root may write anywhere, and {tried.stderr.strip()}")
    return words


def test_a_folder_that_turns_read_only_stops_the_run(
    tmp_path: Path, undisturbed: tuple[dict[str, str], int]
) -> None:
    digests, _ = undisturbed
    place = place_in(tmp_path)
    process = subprocess.Popen(
        [*without_privileges(), *COMMAND], cwd=place.path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert wait_for(lambda: place.results.exists() and place.sets() >= 1, 30)
    below = [path for path in sorted(place.results.rglob("*")) if path.name != "secret"]
    modes = {path: path.stat().st_mode for path in [place.results, *below]}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    out, err = process.communicate(timeout=30)
    for path, mode in modes.items():
        if path.exists():
            path.chmod(mode)
    stopped_cleanly(
        place, subprocess.CompletedProcess(COMMAND, process.returncode, out, err),
        "Permission denied",
    )  # fmt: skip
    assert place.run().returncode == 0
    assert place.digests() == digests
