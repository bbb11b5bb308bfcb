"""The levels: what a bot cannot do in each, that its own things still work, who chooses one."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from referee.cli.main import commands
from referee.league.config import read_league
from referee.league.plan import header_of, job_of, job_plans, pairings_of
from referee.log import read
from referee.seats import sandbox_choice, sandbox_kernel
from referee.seats.process import BotProcess, LaunchSpec
from referee.seats.sandbox import ADDITIONS, LEVELS, BareLevel, Level, additions, bare
from referee.seats.sandbox_choice import (
    NAMED,
    AskedLevel,
    SandboxError,
    addition_troubles,
    chosen,
    finding,
    try_level,
)
from referee.seats.sandbox_kernel import seccomp_program
from referee.seats.sandbox_paths import interpreter_folders, program_folders, without
from referee.seats.sandbox_probe import LIMITS, NAMES
from referee.seats.zeromq import ZeroMQLink
from tests.arena_help import bot, job, play
from tests.sandbox_help import SANDBOXES, need, open_to_all


def closed(level: Level) -> set[str]:
    """What the probe must not be able to do at a level."""
    if bare(level) == "bwrap":
        # What stays open in a box harms nobody: its process group ends with it.
        still = {"leave_process_group", "same_user"}
    else:
        # A Unix socket whose path is known stays open: Landlock learns of it in its ninth version.
        still = {"unix_socket", "same_user"}
    return set(NAMES) - (still - {"unix_socket", "same_user"} if "uid" in level else still)


SECONDS = 20.0  # a safety limit, never a measure

JAVA = """
import java.nio.file.*;
class A {
    public static void main(String[] a) throws Exception {
        System.out.println(Files.readString(Path.of("words")));
    }
}
"""


@pytest.fixture(params=SANDBOXES)
def level(request: pytest.FixtureRequest) -> Level:
    found: Level = request.param
    need(found)
    return found


def started(spec: LaunchSpec) -> tuple[BotProcess, IO[bytes]]:
    """A program at its start, and what it will print."""
    output, written = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        process = BotProcess.start(replace(spec, stdio=(nothing, written)))
    finally:
        os.close(written)
        os.close(nothing)
    return process, os.fdopen(output, "rb")


class Ran:
    """A program that was run at a level, what it printed and how it ended."""

    def __init__(self, spec: LaunchSpec) -> None:
        self.process, output = started(spec)
        with output as file:
            gone = self.process.wait_gone(SECONDS)
            self.process.close()
            self.printed = file.read().decode()
        assert gone
        assert self.process.left == ()


def run_python(level: Level, code: str, **spec: object) -> Ran:
    argv = (sys.executable, "-c", code)
    return Ran(replace(LaunchSpec(argv=argv, level=level, processes=16), **spec))


class TestWhatABotCannotDo:
    def test_the_probe_finds_everything_open_that_no_sandbox_closes(self) -> None:
        found = try_level("basic")
        assert found.works
        could = {name for name, text in found.done.items() if text == "yes"}
        assert {"read_secret", "write_outside", "see_referee", "signal_referee", "udp_loopback",
                "tcp_loopback", "unix_socket", "abstract_socket", "write_tmp"} <= could  # fmt: skip

    def test_the_probe_finds_closed_what_is_promised(self, level: Level) -> None:
        found = finding(level)
        if bare(level) == "linux" and sandbox_kernel.landlock_version() < 6:
            pytest.skip("this kernel's Landlock does not know signals or abstract sockets")
        assert set(found.done) == set(NAMES)
        could = {name for name, text in found.done.items() if text == "yes"}
        assert not could & closed(level), found.done

    @pytest.mark.parametrize("limit", sorted(LIMITS))
    def test_the_probe_gets_no_more_than_its_share(self, level: Level, limit: str) -> None:
        text = try_level(level, limit).done[limit]
        if limit == "shared_memory" and "cgroup" not in additions(level):
            assert text == "yes"  # not promised: it belongs to no process
            return
        assert text != "yes"
        assert any(digit in text for digit in "123456789")  # with the number in it

    def test_root_in_a_box_writes_in_none_of_the_files_it_owns(self, tmp_path: Path) -> None:
        need("bwrap")
        owned = tmp_path / "owned"
        owned.write_text("before")
        code = f"""
import os
for path in ({str(owned)!r}, "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname"):
    try:
        os.close(os.open(path, os.O_WRONLY)); print("open", path)
    except OSError as error:
        print("closed")
"""
        ran = run_python("bwrap", code, readable=(str(tmp_path),))
        assert ran.printed.split("\n") == ["closed"] * 3 + [""]
        assert owned.read_text() == "before"

    def test_two_seats_of_one_entrant_share_no_place_to_leave_something(
        self, level: Level
    ) -> None:
        mark = f"rf-test-{os.getpid()}-{time.monotonic_ns()}"
        places = [f"/tmp/{mark}", f"/dev/shm/{mark}", f"/var/tmp/{mark}"]
        leave = f"""
for path in {places}:
    try: open(path, "w").write("the ace of spades")
    except OSError: pass
"""
        look = f"import os; print([path for path in {places} if os.path.exists(path)])"
        run_python(level, leave)
        assert [path for path in places if os.path.exists(path)] == []
        assert run_python(level, look).printed == "[]\n"

    def test_a_hidden_folder_is_hidden_in_a_folder_that_may_be_read(
        self, level: Level, tmp_path: Path
    ) -> None:
        open_to_all(tmp_path)
        (tmp_path / "results" / "logs").mkdir(parents=True)
        (tmp_path / "results" / "secret").write_text("the secret")
        (tmp_path / "results" / "logs" / "a.jsonl").write_text("a log")
        (tmp_path / "weights").write_text("fine")
        (tmp_path / "neighbour.py").write_text("words = 'imported'")
        (tmp_path / "own-secret").write_text("the secret")
        program = tmp_path / "bot.py"
        program.write_text("""
import neighbour
print(neighbour.words, open("weights").read())
for path in ("results/secret", "results/logs/a.jsonl", "own-secret"):
    try: print(open(path).read() or "hidden")
    except OSError: print("hidden")
""")
        argv = (sys.executable, str(program))
        spec = LaunchSpec(argv=argv, cwd=str(tmp_path), level=level)
        hidden = (str(tmp_path / "results"), str(tmp_path / "own-secret"))
        ran = Ran(replace(spec, hidden=hidden))
        assert ran.printed == "imported fine\nhidden\nhidden\nhidden\n"
        assert "the secret" in Ran(spec).printed  # it was the hiding that hid it

    def test_nothing_is_left_of_a_tree_that_defends_itself(self, level: Level) -> None:
        code = """
import os, signal, sys, time
signal.alarm(15)
for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        signal.alarm(15)
        try: os.setsid()
        except OSError: pass
        if os.fork() == 0: signal.alarm(15)
        while True: time.sleep(1)
print("up", flush=True)
while True: time.sleep(1)
"""
        argv = (sys.executable, "-c", code)
        process, output = started(LaunchSpec(argv=argv, level=level))
        with output as file:
            assert file.readline() == b"up\n"
            process.kill()
            assert process.wait_gone(SECONDS)
            # The pipe is at its end: nobody anywhere holds its other side.
            assert file.read() == b""
        assert process.left == ()
        process.close()

    def test_a_box_killed_while_it_is_built_leaves_nothing(self) -> None:
        need("bwrap")
        for number in range(12):
            process, output = started(LaunchSpec(argv=("/bin/sleep", "20"), level="bwrap"))
            time.sleep(number * 0.004)
            process.kill()
            assert process.wait_gone(SECONDS)
            with output as file:
                assert file.read() == b""
            assert process.left == ()
            process.close()


class TestWhatStillWorks:
    def test_a_sample_bot_plays_the_same_at_every_level(self, tmp_path: Path) -> None:
        plays = {}
        for level in LEVELS:
            if level != "basic" and not finding(level).works:
                continue
            for transport in ("zeromq", "tcp"):
                entrants = [bot("a", "greedy"), bot("b", "first_legal")]
                work = job(tmp_path, [replace(e, transport=transport) for e in entrants])
                calm = replace(work.time, decision_ms=5000)
                outcome = play(replace(work, sandbox=level, time=calm))
                assert [line.side.blame for line in outcome.lines] == [[], []]
                plays[level, transport] = [play.actions for play in outcome.plays]
        assert len(plays) >= 2
        assert all(found == plays["basic", "zeromq"] for found in plays.values())

    def test_no_endpoint_of_the_worker_is_within_reach(
        self, level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opened: list[object] = []
        really = ZeroMQLink.__init__

        def count(link: ZeroMQLink, *arguments: Any) -> None:
            opened.append(link)
            really(link, *arguments)

        monkeypatch.setattr(ZeroMQLink, "__init__", count)
        work = job(tmp_path, [bot("a", "first_legal"), bot("b", "first_legal")], start_ms=15_000)
        calm = replace(work.time, decision_ms=5000)
        assert len(play(replace(work, sandbox=level, time=calm)).plays) == 2
        assert opened == []
        assert len(play(replace(work, time=calm)).plays) == 2
        assert len(opened) == 4  # so they are counted

    def test_a_bot_keeps_its_home_its_arguments_and_its_ending(self, level: Level) -> None:
        code = """
import os, sys
path = os.path.join(os.environ["HOME"], "notes")
open(path, "w").write("kept")
print(open(path).read(), os.environ["TMPDIR"] == os.environ["HOME"], os.getcwd() != "/")
print("words", file=sys.stderr); sys.exit(7)
"""
        ran = run_python(level, code)
        assert ran.printed == "kept True True\n"
        assert ran.process.exit is not None
        assert (ran.process.exit.code, ran.process.exit.stderr_first) == (7, ("words",))

    def test_an_end_right_after_the_start_is_seen(self, level: Level) -> None:
        """Before the one inside listens for it: which comes first is chance, so there are many."""
        spec = LaunchSpec(argv=("/bin/sh", "-c", "exit 7"), level=level)
        many = [started(spec) for _ in range(16)]
        for process, output in many:
            with output:
                assert process.wait_gone(SECONDS)
                process.close()
            assert process.exit is not None
            assert process.exit.code == 7

    def test_a_signal_that_ends_a_bot_is_told_from_an_exit_code(self, level: Level) -> None:
        ran = run_python(level, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
        assert ran.process.exit is not None
        assert ran.process.exit.describe() == "killed by SIGSEGV (11)"

    def test_a_program_that_does_not_exist_is_named(self, level: Level) -> None:
        ran = Ran(LaunchSpec(argv=("/nowhere/at/all",), level=level))
        failure = "cannot run '/nowhere/at/all': No such file or directory (step exec)"
        assert (ran.process.start_failure, ran.process.exit) == (failure, None)
        assert ran.process.failed_step == "exec"

    def test_a_bot_is_asked_to_end_before_it_is_made_to(self, level: Level) -> None:
        code = """
import signal, sys, time
def end(*_): print("asked"); sys.exit(5)
signal.signal(signal.SIGTERM, end)
print("up", flush=True); time.sleep(15)
"""
        argv = (sys.executable, "-c", code)
        process, output = started(LaunchSpec(argv=argv, level=level))
        with output as file:
            assert file.readline() == b"up\n"
            process.stop(0.0)
            assert process.wait_gone(SECONDS)
            assert file.read() == b"asked\n"
        assert process.exit is not None
        assert process.exit.code == 5
        process.close()

    @pytest.mark.parametrize("program", ["node", "java"])
    def test_other_runtimes_start(self, level: Level, program: str, tmp_path: Path) -> None:
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"{program} is not installed")
        (open_to_all(tmp_path) / "words").write_text("alive")
        if program == "node":
            source = tmp_path / "a.js"
            source.write_text("console.log(String(require('fs').readFileSync('words')))")
            options = []
        else:
            source = tmp_path / "A.java"
            source.write_text(JAVA)
            options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        argv = (found, *options, str(source))
        spec = LaunchSpec(argv=argv, cwd=str(tmp_path), level=level, memory_bytes=2 << 30)
        assert Ran(spec).printed == "alive\n"


class TestWhichFilesItSees:
    def test_the_folder_of_a_named_file_and_not_the_one_it_is_started_from(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "bots" / "mine").mkdir(parents=True)
        (tmp_path / "bots" / "mine" / "bot.py").touch()
        argv = [sys.executable, "bots/mine/bot.py", "--level", "3"]
        assert set(program_folders(argv, str(tmp_path))) == {str(tmp_path / "bots" / "mine")}

    def test_the_folder_it_is_started_from_where_nothing_is_named(self, tmp_path: Path) -> None:
        found = program_folders([sys.executable, "-m", "mybot"], str(tmp_path))
        assert set(found) == {str(tmp_path)}

    def test_never_a_home_or_the_root(self) -> None:
        assert program_folders([sys.executable, "-m", "mybot"], os.path.expanduser("~")) == []
        assert program_folders([sys.executable, "/"], "/") == []

    def test_an_environment_and_what_it_was_made_from(self, tmp_path: Path) -> None:
        (tmp_path / "env" / "bin").mkdir(parents=True)
        (tmp_path / "base" / "bin").mkdir(parents=True)
        (tmp_path / "base" / "bin" / "python3").touch()
        (tmp_path / "env" / "bin" / "python").symlink_to(tmp_path / "base" / "bin" / "python3")
        config = tmp_path / "env" / "pyvenv.cfg"
        config.write_text(f"home = {tmp_path / 'base' / 'bin'}\nversion = 3.12\n")
        found = interpreter_folders([str(tmp_path / "env" / "bin" / "python")], "/")
        assert set(found) == {str(tmp_path / "env"), str(tmp_path / "base")}

    def test_the_interpreter_that_a_script_names(self, tmp_path: Path) -> None:
        (tmp_path / "tool" / "bin").mkdir(parents=True)
        interpreter = tmp_path / "tool" / "bin" / "run"
        interpreter.touch()
        script = tmp_path / "bots" / "bot"
        script.parent.mkdir()
        script.write_text(f"#!{interpreter} -x\n")
        found = interpreter_folders([str(script)], "/")
        assert set(found) == {str(tmp_path / "bots"), str(tmp_path / "tool")}

    def test_a_folder_around_a_hidden_one_is_taken_apart(self, tmp_path: Path) -> None:
        for name in ("a", "b/hidden", "b/c"):
            (tmp_path / name).mkdir(parents=True)
        readable, listable = without([str(tmp_path)], [str(tmp_path / "b" / "hidden")])
        assert set(readable) == {str(tmp_path / "a"), str(tmp_path / "b" / "c")}
        assert set(listable) == {str(tmp_path), str(tmp_path / "b")}


class TestSeccomp:
    """The filter as the kernel's virtual machine runs it, for machines that are not this one."""

    @staticmethod
    def run(program: bytes, number: int, architecture: int, *arguments: int) -> int:
        data = number.to_bytes(4, "little") + architecture.to_bytes(4, "little") + bytes(8)
        data += b"".join(argument.to_bytes(8, "little") for argument in (*arguments, 0, 0, 0))
        steps = [program[at : at + 8] for at in range(0, len(program), 8)]
        at = value = 0
        while True:
            code, yes, no = int.from_bytes(steps[at][:2], "little"), steps[at][2], steps[at][3]
            operand = int.from_bytes(steps[at][4:], "little")
            at += 1
            if code == 0x20:
                value = int.from_bytes(data[operand : operand + 4], "little")
            elif code == 0x54:
                value &= operand
            elif code == 0x06:
                return operand
            else:
                holds: Callable[[int, int], bool] = {
                    0x15: int.__eq__, 0x35: int.__ge__, 0x45: lambda a, b: bool(a & b),
                }[code]  # fmt: skip
                at += yes if holds(value, operand) else no

    @pytest.mark.parametrize(
        ("machine", "architecture", "read", "ptrace", "setsid", "clone", "socket"),
        [("x86_64", 0xC000003E, 0, 101, 112, 56, 41),
         ("aarch64", 0xC00000B7, 63, 117, 157, 220, 198)],
    )  # fmt: skip
    def test_refuses_what_it_says(
        self, machine: str, architecture: int, read: int, ptrace: int, setsid: int, clone: int,
        socket: int,
    ) -> None:  # fmt: skip
        allow, refused = 0x7FFF0000, 0x00050000

        def answers(number: int, *arguments: int, inet: str = "none", group: bool = True) -> int:
            program = seccomp_program(machine, keep_group=group, inet=inet)
            return self.run(program, number, architecture, *arguments)

        assert answers(read) == allow
        assert answers(ptrace) == refused | 1
        assert answers(setsid) == refused | 1
        assert answers(setsid, group=False) == allow
        assert answers(435) == answers(425) == answers(0x40000000 + read) == refused | 38
        assert answers(clone, 0x11) == allow
        assert answers(clone, 0x10000011) == refused | 1
        assert answers(socket, 1, 1) == allow
        assert answers(socket, 2, 1) == answers(socket, 16, 3) == refused | 97
        assert answers(socket, 2, 1, inet="tcp") == allow
        assert answers(socket, 10, 0x80801, 6, inet="tcp") == allow
        assert answers(socket, 2, 2, inet="tcp") == refused | 97
        assert answers(socket, 2, 1, 262, inet="tcp") == refused | 97
        assert answers(socket, 2, 2, inet="any") == allow
        assert answers(socket, 40, 1, inet="any") == refused | 97
        other = seccomp_program(machine, keep_group=True, inet="none")
        assert self.run(other, read, 0x40000003) == refused | 38

    def test_a_machine_without_a_table_is_refused(self) -> None:
        with pytest.raises(OSError, match="riscv64"):
            seccomp_program("riscv64", keep_group=True, inet="none")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where no box can be built and no filter be set."""
    found = {
        level: sandbox_choice.Finding(level, level == "basic", f"no {level}", {})
        for level in LEVELS
    }
    monkeypatch.setattr(sandbox_choice, "finding", found.__getitem__)


class TestChoosing:
    def test_auto_is_the_highest_that_works(self) -> None:
        works = [level for level in LEVELS if level == "basic" or finding(level).works]
        level, line = chosen("auto", required=False)
        assert bare(level) == works[-1]
        troubles = addition_troubles(works[-1]) if works[-1] != "basic" else {}
        assert additions(level) == tuple(one for one in troubles if not troubles[one])
        for one, why in troubles.items():
            assert (f"; no {NAMED[one]}: {why}" in line) == bool(why and os.geteuid() == 0)
            assert (f", {NAMED[one]}" in line) == (one in additions(level))

    @pytest.mark.usefixtures("broken")
    def test_a_level_that_does_not_work_gives_way_and_says_so(self) -> None:
        level, line = chosen("bwrap", required=False)
        assert level == "basic"
        assert line.startswith("sandbox: basic (bots have the rights of this user); ")
        assert "; bwrap does not work here: no bwrap; linux does not work here: no linux" in line

    @pytest.mark.usefixtures("broken")
    @pytest.mark.parametrize("asked", ["auto", "linux", "bwrap"])
    def test_a_required_level_is_refused_where_it_is_missing(self, asked: AskedLevel) -> None:
        with pytest.raises(SandboxError, match="linux does not work here: no linux"):
            chosen(asked, required=True)

    @pytest.mark.usefixtures("broken")
    def test_basic_is_never_refused(self) -> None:
        assert chosen("basic", required=True)[0] == "basic"

    def test_without_bubblewrap_there_is_no_box(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        found = try_level("bwrap")
        assert (found.works, found.why) == (False, "bubblewrap (bwrap) is not installed")

    def test_a_bubblewrap_that_fails_is_no_box(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        false = tmp_path / "bwrap"
        false.write_text("#!/bin/sh\necho 'bwrap: No permissions to create' >&2\nexit 1\n")
        false.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        found = try_level("bwrap")
        assert not found.works
        assert "No permissions to create" in found.why


LEAGUE = """
name = "boxed"
game = "huutopussi"
sets = 1
sandbox = "{level}"
[[entrants]]
id = "greedy"
[[entrants]]
id = "first_legal"
"""


class TestCommands:
    @pytest.mark.parametrize("asked", LEVELS[1:])
    def test_a_league_says_and_logs_its_level(
        self, asked: BareLevel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        need(asked)
        monkeypatch.chdir(tmp_path)
        level, line = chosen(asked, required=True)
        Path("l.toml").write_text(LEAGUE.format(level=asked))
        # In a process of its own, which hides its memory.
        words = [sys.executable, "-m", "referee.cli.main", "run", "l.toml", "--sandbox-required"]
        found = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert found.returncode == 0, found.stderr
        assert found.stdout.startswith(f"{line}\n")
        (path,) = Path("results/boxed/logs").glob("*.jsonl")
        assert {header.sandbox for header in read(path).headers} == {level}

        other = CliRunner().invoke(commands, ["run", "l.toml", "--sets", "2", "--sandbox", "basic"])
        assert other.exit_code == 2
        assert f"was played with sandbox = {level!r}, now it would be 'basic'" in other.stderr

    def test_a_log_without_a_level_was_played_at_basic(self, tmp_path: Path) -> None:
        path = tmp_path / "l.toml"
        path.write_text(LEAGUE.format(level="basic"))
        league = read_league(path)
        (pairing,) = pairings_of(league)
        header = header_of(league, pairing, "0" * 64, "test")
        line = json.loads(msgspec.json.encode(header))
        assert line.pop("sandbox") == "basic"
        old = msgspec.convert(line, type(header))
        assert old == header

    def test_the_job_hides_the_results(self, tmp_path: Path) -> None:
        path = tmp_path / "l.toml"
        path.write_text(LEAGUE.format(level="basic") + '[entrants.limits]\nmemory_mb = 300\n')
        league = read_league(path)
        pairings = pairings_of(league)
        plan = job_plans(pairings, {pairing.key: {0} for pairing in pairings})[0]
        work = job_of(league, plan, "ab" * 32, [], str(tmp_path))
        assert work.hidden == [str(Path("results/boxed").absolute())]
        assert {e.entrant: e.allowance.memory_mb for e in work.entrants} == {
            "first_legal": 300, "greedy": 4096,
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "words"),
        [("memory = 3", "unknown key 'memory'"), ("memory_mb = 1", "memory_mb = 1: Expected"),
         ("message_bytes = 999999", "message_bytes = 999999: Expected")],
    )  # fmt: skip
    def test_a_wrong_limit_is_named(self, tmp_path: Path, text: str, words: str) -> None:
        path = tmp_path / "l.toml"
        path.write_text(LEAGUE.format(level="basic") + f"[entrants.limits]\n{text}\n")
        found = CliRunner().invoke(commands, ["run", str(path), "--dry-run"])
        assert found.exit_code == 2
        assert words in found.stderr

    @pytest.mark.parametrize("level", LEVELS[1:])
    def test_the_doctor_prints_what_a_bot_could_do(self, level: BareLevel) -> None:
        need(level)
        found = CliRunner().invoke(commands, ["doctor", "--sandbox", level])
        assert found.exit_code == 0, found.output
        assert f"{level:6} works here" in found.stdout
        kept, _ = chosen(level, required=True)
        assert f"a bot at level {kept}:" in found.stdout
        for one in ADDITIONS:
            word = "works" if one in additions(kept) else "does not work"
            assert f"       with {NAMED[one]}: {word} here" in found.stdout
        assert "cannot  read a file of the referee's, as the secret" in found.stdout
        as_json = CliRunner().invoke(commands, ["doctor", "--sandbox", level, "--json"])
        told = json.loads(as_json.stdout)
        assert (told["level"], told["works"]) == (kept, True)
        assert set(told["attempts"]) == {*NAMES, *LIMITS}
        assert told["attempts"]["read_secret"]["could"] is False

    def test_the_doctor_says_what_an_unprotected_bot_can_do(self) -> None:
        found = CliRunner().invoke(commands, ["doctor", "--sandbox", "basic"])
        assert found.exit_code == 0, found.output
        assert "can     read a file of the referee's, as the secret" in found.stdout
