"""Bots that crash, flood, hide and refuse to die: what the keeper reports, and that it wins."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from referee.seats import family
from referee.seats.process import BotProcess, LaunchSpec, remove_folder

SECONDS = 8.0  # a safety limit, never a measure
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")

# What every bot begins with: an end of its own, and a pipe that its whole tree holds open.
PRELUDE = """
import os, signal, sys, time
signal.alarm(20)
pipe = os.open(sys.argv[1], os.O_WRONLY)
def say(word): os.write(pipe, f"{word}\\n".encode())
def deaf():
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
def child(): return os.fork() == 0 and signal.alarm(20) == 0
def daemon(): return child() and (os.setsid() or child() or os._exit(0))
def linger(): time.sleep(30)
def end(): sys.stdin.read() if sys.argv[2] == "stay" else os._exit(0)
"""

TREES = {
    "a deaf child in its own session": "if child(): os.setsid(); deaf(); say('up'); linger()",
    "a double-forked daemon": "if daemon(): deaf(); say('up'); linger()",
    "a stopped child": """
if child():
    if child(): time.sleep(15); os.kill(os.getppid(), signal.SIGCONT)  # or it outlives its alarm
    say("up"); os.kill(os.getpid(), signal.SIGSTOP); linger()
""",
    "a flood on stderr": """
if child():
    say("up")
    while True: os.write(2, bytes(65536))
""",
    "a subreaper of its own": """
import ctypes
if child():
    ctypes.CDLL(None).prctl(36, ctypes.c_ulong(1), 0, 0, 0)
    if daemon(): os.setsid(); deaf(); say("up"); linger()
    deaf(); linger()
""",
    "a racer that forks and exits": """
if child():
    say("up"); end_at = time.monotonic() + 15
    while time.monotonic() < end_at:
        if os.fork(): os._exit(0)
        os.setsid()
    os._exit(0)
""",
    "a bomb of 300 sessions": """
if child():
    for n in range(300):
        if child(): os.setsid(); deaf(); linger()
        if n == 20: say("up")
    linger()
""",
}


class Tree:
    """Hears the processes of one bot, and knows when the last has died: each holds the pipe."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        os.mkfifo(path)
        self.fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._heard, self._ended = b"", False

    def word(self) -> str:
        until(lambda: b"\n" in self._hear())
        word, _, self._heard = self._heard.partition(b"\n")
        return word.decode()

    def is_dead(self) -> bool:
        self._hear()
        return self._ended

    def _hear(self) -> bytes:
        try:
            while heard := os.read(self.fd, 4096):
                self._heard += heard
            self._ended = True
        except BlockingIOError:
            self._ended = False
        return self._heard


def until(is_so: Callable[[], bool], bot: BotProcess | None = None) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
        if bot:
            bot.poll()


def ended(bot: BotProcess) -> str:
    assert bot.wait_gone(SECONDS)
    assert bot.exit is not None
    return bot.exit.describe()


def running(bot: BotProcess) -> int:
    until(lambda: bot.started, bot)
    assert bot.pid is not None
    return bot.pid


def status(pid: int, field: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(field)))


class Bots:
    """Starts bots from their source, and closes them in the end."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.scratch = folder, folder / "scratch"
        self.scratch.mkdir()
        self.tree = Tree(folder / "pipe")
        self._started: list[BotProcess] = []

    def order(self, source: str, mode: str = "stay", **options: object) -> LaunchSpec:
        path = self.folder / "bot.py"
        path.write_text(PRELUDE + source)
        argv = (sys.executable, "-I", "-S", str(path), self.tree.path, mode)
        order = {"argv": argv, "scratch_parent": str(self.scratch)} | options
        return msgspec.convert(order, LaunchSpec)

    def run(self, source: str, mode: str = "stay", **options: object) -> BotProcess:
        self._started.append(BotProcess.start(self.order(source, mode, **options)))
        return self._started[-1]

    def close(self) -> None:
        for bot in self._started:
            bot.close()
        os.close(self.tree.fd)


@pytest.fixture
def bots(tmp_path: Path) -> Iterator[Bots]:
    made = Bots(tmp_path)
    yield made
    made.close()


class TestStart:
    def test_reports_the_pid(self, bots: Bots) -> None:
        bot = bots.run("say(os.getpid()); end()")
        assert running(bot) == int(bots.tree.word())
        assert (bot.exit, bot.start_failure) == (None, None)

    @pytest.mark.parametrize(
        ("content", "mode", "reason"),
        [
            (None, 0, "No such file or directory"),
            ("#!/bin/sh\n", 0o600, "Permission denied"),
            ("#!/no/such/interpreter\n", 0o700, "the interpreter in its first line is missing"),
            ("legal[0]\n", 0o700, "neither a program nor a script that begins with #!"),
        ],
    )
    def test_a_program_that_cannot_run_is_named_with_step_and_reason(
        self, bots: Bots, content: str | None, mode: int, reason: str
    ) -> None:
        program = bots.folder / "program"
        if content:
            program.write_text(content)
            program.chmod(mode)
        bot = bots.run("", argv=(str(program),))
        assert bot.wait_gone(SECONDS)
        assert bot.start_failure == f"cannot run {str(program)!r}: {reason} (step exec)"
        assert (bot.failed_step, bot.started, bot.exit) == ("exec", False, None)

    def test_a_missing_folder_is_another_step(self, bots: Bots) -> None:
        bot = bots.run("end()", cwd="/no/folder")
        assert bot.wait_gone(SECONDS)
        assert str(bot.start_failure).startswith("cannot enter '/no/folder': No such file")

    def test_the_environment_is_exactly_what_is_documented(
        self, bots: Bots, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SECRET", "do not tell")
        source = "import json; say(json.dumps([dict(os.environ), os.getcwd()])); end()"
        bot = bots.run(source, env={"REFEREE_TOKEN": "cafe"})
        environment, cwd = json.loads(bots.tree.word())
        built = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}
        built |= {"HOME": bot.scratch, "TMPDIR": bot.scratch}
        assert environment == built | {"REFEREE_TOKEN": "cafe"}
        assert cwd == os.path.realpath(bot.scratch)
        assert os.stat(bot.scratch).st_mode & 0o777 == 0o700

    @linux
    def test_nothing_is_inherited_but_three_descriptors(self, bots: Bots) -> None:
        source = """
        ls=$(ls -m /proc/self/fd)
        sig=$(grep -E 'Sig(Blk|Ign)|Umask' /proc/self/status | tr -d '\\n\\t')
        echo "$ls;$sig;$(ulimit -c);$(ulimit -n);$(ulimit -f);$(readlink /proc/$$/fd/1)" > $1
        """
        bots.run("", argv=("/bin/sh", "-c", source, "-", bots.tree.path), file_bytes=1 << 20)
        opened, status, core, files, blocks, stdout = bots.tree.word().split(";")
        assert opened == "0, 1, 2, 3"  # the last is how ls reads the folder
        assert status == "Umask:0077SigBlk:0000000000000000SigIgn:0000000000000000"
        assert (core, files, stdout) == ("0", "256", "/dev/null")
        assert int(blocks) * 512 == 1 << 20


class TestExit:
    @pytest.mark.parametrize(
        ("source", "described"),
        [
            ("sys.exit(0)", "exit code 0"),
            ("sys.exit(3)", "exit code 3"),
            ("os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL (9)"),
            ("os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV (11)"),
            ("os.kill(os.getpid(), 40)", "killed by signal 40"),
        ],
    )
    def test_is_reported_at_once(self, bots: Bots, source: str, described: str) -> None:
        bot = bots.run(source)
        until(lambda: bot.exit is not None, bot)
        assert (bot.started, ended(bot)) == (True, described)

    def test_brings_the_last_words(self, bots: Bots) -> None:
        bot = bots.run("sys.stderr.write('thinking\\n'); raise ValueError('\\x1b[2J\\u202e')")
        assert ended(bot) == "exit code 1"
        assert bot.exit is not None
        first, last = bot.exit.stderr_first, bot.exit.stderr_last
        assert (first[0], first[-1], last) == ("thinking", "ValueError: \\x1b[2J\\u202e", ())


class TestStderr:
    def test_keeps_both_ends_of_a_flood_and_counts_the_rest(self, bots: Bots) -> None:
        source = """
lines = ["the first line"] + ["x" * 1023] * 5000 + ["the last line", ""]
sys.stderr.write("\\n".join(lines)); say("written"); end()
"""
        total = 15 + 5000 * 1024 + 14
        path = bots.folder / "stderr.txt"
        bot = bots.run(source, stderr_path=str(path))
        assert bots.tree.word() == "written"
        bot.ask_stderr()
        until(lambda: bot.stderr is not None, bot)
        assert bot.stderr is not None
        first, last = bot.stderr.stderr_first, bot.stderr.stderr_last
        assert (first[0], last[-1]) == ("the first line", "the last line")
        assert (len(first), len(last), max(map(len, first + last))) == (20, 20, 400)
        if sys.platform == "linux":
            assert status(status(running(bot), "PPid"), "VmHWM") < 64 * 1024
        bot.stop(SECONDS)
        assert bot.wait_gone(SECONDS)
        marker = f"\n[... {total - 65536} bytes cut here ...]\n"
        head, tail = path.read_text().split(marker)
        assert (len(head), len(tail)) == (32768, 32768)
        assert (head[:15], tail[-14:]) == ("the first line\n", "the last line\n")
        assert path.stat().st_mode & 0o777 == 0o600

    @linux
    def test_costs_nothing_when_closed_early(self, bots: Bots) -> None:
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        bot = bots.run("os.close(0); os.close(1); os.close(2); time.sleep(1)")
        assert bot.wait_gone(SECONDS)
        bot.close()
        assert sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before < 0.5


class TestStop:
    def test_closes_stdin_first(self, bots: Bots) -> None:
        bot = bots.run("sys.stdin.read(); sys.exit(7)")
        bot.stop(SECONDS)
        assert ended(bot) == "exit code 7"

    def test_then_asks_once_with_sigterm(self, bots: Bots) -> None:
        source = """
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
while not (say("up") or asked): time.sleep(0.01)
time.sleep(0.2); sys.exit(len(asked))
"""
        bot = bots.run(source)
        bots.tree.word()
        bot.stop(0.1)
        assert ended(bot) == "exit code 1"

    def test_then_kills(self, bots: Bots) -> None:
        bot = bots.run("deaf(); say('up'); linger()")
        bots.tree.word()
        bot.stop(0)
        assert ended(bot) == "killed by SIGKILL (9)"


@linux
@pytest.mark.parametrize("source", TREES.values(), ids=TREES.keys())
class TestTree:
    @pytest.mark.parametrize("way", ["stop", "kill", "close"])
    def test_dies_with_the_bot(self, bots: Bots, source: str, way: str) -> None:
        bot = bots.run(source + "\nend()")
        bots.tree.word()
        {"stop": lambda: bot.stop(SECONDS), "kill": bot.kill, "close": bot.close}[way]()
        assert bot.wait_gone(SECONDS)
        assert (bots.tree.is_dead(), bot.left) == (True, ())

    def test_dies_when_the_bot_itself_exits(self, bots: Bots, source: str) -> None:
        bot = bots.run(source + "\nend()", mode="leave")
        assert ended(bot) == "exit code 0"
        assert bots.tree.is_dead()

    def test_dies_when_its_owner_is_killed(self, bots: Bots, source: str) -> None:
        order = bots.order(f"deaf()\n{source}\nlinger()")
        owner = f"""
import signal, time; signal.alarm(20)
from referee.seats.process import BotProcess, LaunchSpec
bot = BotProcess.start({order}); time.sleep(20)
"""
        with subprocess.Popen([sys.executable, "-c", owner], cwd=Path(__file__).parents[1]) as run:
            bots.tree.word()
            run.kill()
        until(bots.tree.is_dead)


@linux
class TestKeeper:
    def test_that_is_killed_takes_the_bot_with_it_at_once(self, bots: Bots) -> None:
        bot = bots.run("say('up'); linger()")
        bots.tree.word()
        os.kill(status(running(bot), "PPid"), signal.SIGKILL)
        until(bots.tree.is_dead)
        assert ended(bot) == "its keeper died, and the bot with it"

    def test_that_is_killed_takes_the_group_when_the_worker_looks(self, bots: Bots) -> None:
        bot = bots.run("if child(): deaf(); say('up'); linger()\nlinger()")
        bots.tree.word()
        os.kill(status(running(bot), "PPid"), signal.SIGKILL)
        until(bots.tree.is_dead, bot)

    def test_that_is_stopped_by_its_bot_still_kills(self, bots: Bots) -> None:
        bot = bots.run("deaf(); os.kill(os.getppid(), signal.SIGSTOP); say('up'); linger()")
        bots.tree.word()
        bot.kill()
        assert ended(bot) == "killed by SIGKILL (9)"

    def test_that_stays_stopped_dies(self, bots: Bots, monkeypatch: pytest.MonkeyPatch) -> None:
        bot = bots.run("if child(): os.setsid(); deaf(); say('up'); linger()\nlinger()")
        bots.tree.word()
        monkeypatch.setattr(bot, "kill", lambda: os.kill(status(running(bot), "PPid"), 19))
        bot.close(0.5)
        until(bots.tree.is_dead)

    def test_finds_children_also_where_the_kernel_lists_none(self, bots: Bots) -> None:
        pid = running(bots.run("end()"))
        assert family._family()(status(pid, "PPid")) == [pid]


class TestClose:
    def test_leaves_no_descriptor_and_no_zombie(self, bots: Bots) -> None:
        before = os.listdir("/dev/fd"), family.descendants(os.getpid())
        for _ in range(20):
            bots.run("end()").close()
        assert (os.listdir("/dev/fd"), family.descendants(os.getpid())) == before
        assert os.listdir(bots.scratch) == []

    def test_deletes_what_the_bot_wrote(self, bots: Bots) -> None:
        keep = bots.folder / "keep"
        keep.write_text("mine")
        source = f"""
os.symlink({str(keep.parent)!r}, "link"); os.mkfifo("fifo")
os.mkdir("closed"); os.mkdir("closed/below"); os.chmod("closed", 0)
open(b"\\xff\\n-rf", "w").close(); os.chmod(".", 0); say("done"); end()
"""
        bot = bots.run(source)
        bots.tree.word()
        bot.close()
        assert os.listdir(bots.scratch) == []
        assert not bot.scratch_left
        assert keep.read_text() == "mine"

    def test_deletes_folders_deeper_than_any_path(self, tmp_path: Path) -> None:
        with contextlib.chdir(tmp_path):
            for _ in range(40):
                os.mkdir("deep" * 50)
                os.chdir("deep" * 50)
            os.chdir(tmp_path)
            assert not remove_folder("deep" * 50, -1.0)
            assert remove_folder("deep" * 50, SECONDS)
            assert os.listdir() == []
