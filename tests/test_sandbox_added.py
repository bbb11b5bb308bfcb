"""What is added to the levels: numbers that nobody else has, control groups, who has which."""

import errno
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.main import commands
from referee.log import read
from referee.seats import groups, sandbox_choice, slots
from referee.seats.bot import BotCommand
from referee.seats.groups import Group, GroupError, Limits, Place, place_among
from referee.seats.process import BotProcess, LaunchSpec
from referee.seats.sandbox import MB, Level, additions
from referee.seats.sandbox_choice import addition_troubles, chosen
from referee.seats.strangers import closed_to_strangers, strangers_halt_at
from tests.sandbox_help import need, open_to_all
from tests.test_sandbox import Ran, run_python, started

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
SECONDS = 20.0  # a safety limit, never a measure
GROUPED: tuple[Level, ...] = ("linux+cgroup", "bwrap+cgroup")


@pytest.fixture
def locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of this test's own for locks."""
    folder = tmp_path / "locks"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(slots, "_folder", lambda: str(folder))
    return folder


def until(holds: Callable[[], object], what: str) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def number_of(process: BotProcess) -> int | None:
    process.poll()
    return process.pid


class TestSlots:
    def test_a_number_is_held_once(self, locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(slots, "UIDS", range(60_710, 60_713))
        held = [slots.take(own_uid=False) for _ in range(3)]
        assert sorted(slot.number for slot in held) == [60_710, 60_711, 60_712]
        with pytest.raises(OSError, match="all 3 numbers"):
            slots.take(own_uid=False)
        held[1].close()
        assert slots.take(own_uid=False).number == held[1].number

    def test_a_container_with_few_users_has_numbers_all_the_same(
        self, locks: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(slots, "_end_of_uids", lambda: 1)
        slots.take(own_uid=False).close()
        with pytest.raises(OSError, match="there are only 1"):
            slots.take(own_uid=True)

    def test_root_without_the_right_to_it_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(*_: object) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(sandbox_choice, "_plain_trouble", lambda level: "")
        monkeypatch.setattr(os, "chown", refused)
        found = sandbox_choice.try_level("linux+uid")
        assert not found.works
        assert found.why.startswith("Operation not permitted")

    def test_one_process_holds_it_against_another_and_gives_it_back_in_dying(
        self, locks: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(slots, "UIDS", range(60_710, 60_711))
        slot = slots.take(own_uid=False)
        with subprocess.Popen(["sleep", "20"], pass_fds=[slot.fd]) as other:
            slot.close()
            with pytest.raises(OSError, match="all 1 numbers"):
                slots.take(own_uid=False)
            other.kill()
        slots.take(own_uid=False).close()

    def test_a_number_with_an_entry_is_nobodys(self) -> None:
        assert slots.has_entry(0)
        assert not any(slots.has_entry(number) for number in slots.UIDS[:20])

    @root
    def test_a_number_that_something_runs_as_is_passed_over(
        self, locks: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(slots, "UIDS", range(60_710, 60_712))
        with subprocess.Popen(["sleep", "20"], user=60_710, cwd="/") as stranger:
            until(lambda: slots.processes_of(60_710), "it did not start")
            slot = slots.take(own_uid=True)
            assert slot.number == 60_711
            with pytest.raises(OSError, match="all 2 numbers"):
                slots.take(own_uid=True)
            assert stranger.poll() is None  # a stranger's processes are left alone
            stranger.kill()
        slots.take(own_uid=True).close()
        slot.close()

    @root
    def test_what_a_dead_referee_has_left_is_ended(
        self, locks: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(slots, "UIDS", range(60_710, 60_711))
        slot = slots.take(own_uid=True)
        slot.note([])
        left = Path(f"/tmp/rf-left-{os.getpid()}")
        (left / "in" / "it").mkdir(parents=True)
        os.chown(left, 60_710, 60_710)
        with subprocess.Popen(["sleep", "20"], user=60_710, cwd="/") as orphan:
            slots.sweep()
            assert orphan.poll() is None  # somebody still holds it
            slot.close()
            slots.sweep()
            assert orphan.wait(SECONDS) == -signal.SIGKILL
        assert not left.exists()
        assert (locks / "60710").read_bytes() == b""

    def test_a_folder_that_others_can_write_in_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(os, "access", lambda *_: False)
        path = Path(f"/tmp/referee-seats-{os.geteuid()}")
        if path.exists():
            pytest.skip(f"{path} is in use")
        path.symlink_to(tmp_path)
        try:
            with pytest.raises(OSError, match="not a folder of this user alone"):
                slots.take(own_uid=False)
        finally:
            path.unlink()


class TestOwnUid:
    @pytest.fixture(params=["linux+uid", "bwrap+uid"])
    def level(self, request: pytest.FixtureRequest) -> Level:
        found: Level = request.param
        need(found)
        return found

    def test_each_process_is_a_user_and_a_group_of_its_own_and_no_other(
        self, level: Level
    ) -> None:
        code = "import os; print(*os.getresuid(), *os.getresgid(), *os.getgroups())"
        said = [started(LaunchSpec(argv=(sys.executable, "-c", code), level=level)) for _ in "ab"]
        users = []
        for process, output in said:
            with output as file:
                assert process.wait_gone(SECONDS)
                numbers = set(map(int, file.read().split()))
            process.close()
            users.append(numbers)
        assert [len(numbers) for numbers in users] == [1, 1]
        assert users[0] != users[1]
        assert all(next(iter(numbers)) in slots.UIDS for numbers in users)

    def test_another_seat_can_neither_be_signalled_nor_read(self, level: Level) -> None:
        code = "import os, time; print(os.environ['HOME'], flush=True); time.sleep(20)"
        process, output = started(LaunchSpec(argv=(sys.executable, "-c", code), level=level))
        with output as file:
            home = file.readline().decode().strip()
            until(lambda: number_of(process) is not None, "its number did not come")
            look = f"""
import os
for what in (lambda: os.listdir({home!r}), lambda: os.kill({process.pid}, 0)):
    try: what(); print("open")
    except OSError: print("closed")
"""
            assert run_python(level, look).printed == "closed\nclosed\n"
            process.close()

    def test_what_reopens_its_standard_error_is_allowed_to(self) -> None:
        need("bwrap+uid")
        ran = Ran(LaunchSpec(argv=("/bin/sh", "-c", "echo words >/dev/stderr"), level="bwrap+uid"))
        assert ran.process.exit is not None
        assert ran.process.exit.stderr_first == ("words",)

    def test_dies_with_its_keeper(self, level: Level) -> None:
        code = "import time; print('up', flush=True); time.sleep(20)"
        process, output = started(LaunchSpec(argv=(sys.executable, "-c", code), level=level))
        with output as file:
            assert file.readline() == b"up\n"
            process._keeper.kill()
            # The pipe comes to its end: nobody anywhere holds its other side.
            assert select.select([file], [], [], SECONDS)[0]
            assert file.read() == b""
        process.close()


class TestGroups:
    @pytest.fixture
    def here(self) -> Place:
        try:
            return groups.place()
        except GroupError as error:
            pytest.skip(f"no control groups here: {error}")

    @pytest.fixture
    def limits(self, here: Place) -> Iterator[Limits]:
        name = f"{groups.PREFIX}test-{os.getpid()}"
        memory, pids = (os.path.join(folder, name) for folder in (here.memory, here.pids))
        found = Limits(here.version, memory, pids, 64 * MB, processes=3, threads=2)
        yield found
        for folder in groups.folders(found):
            assert groups.end_group(folder, time.monotonic() + SECONDS)
            assert not os.path.exists(folder)

    @staticmethod
    def inside(group: Group, code: str) -> str:
        """What a program in a group prints."""
        entrances = group.entrances()
        program = f"from referee.seats.groups import enter\nenter({entrances})\n{code}"
        found = subprocess.run(
            [sys.executable, "-c", program], pass_fds=entrances, capture_output=True, text=True,
            timeout=60,
        )  # fmt: skip
        for fd in entrances:
            os.close(fd)
        return found.stdout

    def test_bound_a_fork_bomb_at_once(self, limits: Limits) -> None:
        group = Group(limits)
        code = """
import os, time
count = 0
try:
    while count < 200:
        if os.fork() == 0: os.closerange(0, 3); time.sleep(20); os._exit(0)
        count += 1
except OSError: pass
print(count, flush=True)
os._exit(0)
"""
        assert group.exceeded() == ""
        assert self.inside(group, code) == "4\n"
        words = "it ran 5 processes and threads at once, the limit is 3 processes and 2 threads"
        assert group.exceeded() == words

    def test_count_memory_that_no_process_has(self, limits: Limits) -> None:
        group = Group(limits)
        code = """
import os
for _ in range(40): os.write(os.memfd_create("held"), bytes(4 << 20))
print("held")
"""
        assert self.inside(group, code) == ""
        assert "more than 64 MB of memory, the limit is 64 MB" in group.exceeded()

    def test_say_nothing_of_a_program_within_its_limits(self, limits: Limits) -> None:
        group = Group(limits)
        assert self.inside(group, "print(len(bytes(8 << 20)))") == f"{8 << 20}\n"
        assert group.exceeded() == ""

    def test_of_somebody_who_was_killed_are_taken_over(self, limits: Limits) -> None:
        with subprocess.Popen(["sleep", "20"]) as left:
            for fd in Group(limits).entrances():
                os.write(fd, b"%d" % left.pid)
                os.close(fd)
            Group(limits)
            assert left.wait(SECONDS) == -signal.SIGKILL

    def test_of_version_2_are_killed_as_a_whole(self) -> None:
        lines = Path("/proc/self/mounts").read_text().splitlines()
        points = [line.split()[1] for line in lines if line.split()[2] == "cgroup2"]
        if not points or not os.access(points[0], os.W_OK):
            pytest.skip("no writable tree of version 2 here")
        folder = os.path.join(points[0], f"{groups.PREFIX}test-{os.getpid()}")
        os.mkdir(folder)
        if not os.path.exists(os.path.join(folder, "cgroup.kill")):
            os.rmdir(folder)
            pytest.skip("this kernel has no cgroup.kill")
        with subprocess.Popen(["sleep", "20"]) as left:
            Path(folder, "cgroup.procs").write_text(str(left.pid))
            assert groups.end_group(folder, time.monotonic() + SECONDS)
            assert left.wait(SECONDS) == -signal.SIGKILL
        assert not os.path.exists(folder)

    @pytest.mark.parametrize("level", GROUPED)
    def test_leave_nothing_behind(self, level: Level, here: Place) -> None:
        need(level)
        ran = run_python(level, "print(open('/proc/self/cgroup').read())", memory_bytes=256 * MB)
        slot = ran.process._slot
        assert slot is not None
        name = f"{groups.PREFIX}{os.geteuid()}-{slot.number}"
        if level == "bwrap+cgroup":  # at level linux there is no /proc
            assert name in ran.printed
        for folder in (here.memory, here.pids):
            assert name not in os.listdir(folder)

    @pytest.mark.parametrize("level", GROUPED)
    def test_do_not_count_a_relay(self, level: Level, here: Place) -> None:
        """Only the bot is in it, and whatever it starts."""
        need(level)
        code = "import time; print('up', flush=True); time.sleep(20)"
        spec = LaunchSpec(argv=(sys.executable, "-c", code), level=level, processes=4)
        process, output = started(spec)
        with output as file:
            assert file.readline() == b"up\n"
            name = f"{groups.PREFIX}{os.geteuid()}-{process._slot.number}"  # type: ignore[union-attr]
            members = Path(here.pids, name, "cgroup.procs").read_text().split()
            assert len(members) == 1
            process.close()


class TestWhereGroupsAre:
    """Both versions, as folders that look like the kernel's."""

    OWN_2 = [["0", "", "/user/scope"]]

    def version_2(self, top: Path, *, controllers: str, switched: str, members: str) -> Path:
        own = top / "user" / "scope"
        own.mkdir(parents=True)
        (own / "cgroup.controllers").write_text(controllers)
        (own / "cgroup.subtree_control").write_text(switched)
        (own / "cgroup.procs").write_text(members)
        return own

    def test_version_1_has_a_tree_for_each(self, tmp_path: Path) -> None:
        for name in ("memory/of/this", "pids"):
            (tmp_path / name).mkdir(parents=True)
        mounts = [["cgroup", str(tmp_path / n), "cgroup", f"rw,{n}"] for n in ("memory", "pids")]
        own = [["8", "pids", "/not/seen/in/a/container"], ["4", "memory", "/of/this"]]
        found = place_among(mounts, own)
        assert found == Place(1, str(tmp_path / "memory/of/this"), str(tmp_path / "pids"))

    def test_version_2_has_one(self, tmp_path: Path) -> None:
        own = self.version_2(tmp_path, controllers="cpu memory pids", switched="memory pids",
                             members="")  # fmt: skip
        mounts = [["cgroup2", str(tmp_path), "cgroup2", "rw"]]
        assert place_among(mounts, self.OWN_2) == Place(2, str(own), str(own))

    def test_version_2_without_the_controllers_says_so(self, tmp_path: Path) -> None:
        self.version_2(tmp_path, controllers="cpu pids", switched="", members="")
        mounts = [["cgroup2", str(tmp_path), "cgroup2", "rw"]]
        with pytest.raises(GroupError, match="has no controller for memory"):
            place_among(mounts, self.OWN_2)

    def test_version_2_among_others_says_how_to_be_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def busy(folder: str) -> None:
            raise OSError(16, "Device or resource busy")

        monkeypatch.setattr(groups, "_switch_on", busy)
        members = f"{os.getpid()}\n1\n"
        self.version_2(tmp_path, controllers="memory pids", switched="", members=members)
        mounts = [["cgroup2", str(tmp_path), "cgroup2", "rw"]]
        with pytest.raises(GroupError, match=r"systemd-run( --user)? --scope"):
            place_among(mounts, self.OWN_2)

    def test_without_any_mounted(self) -> None:
        with pytest.raises(GroupError, match="no control groups are mounted"):
            place_among([], [])

    @pytest.mark.parametrize(
        ("version", "files", "words"),
        [
            (1, {"memory.oom_control": "under_oom 0\noom_kill 1\n",
                 "memory.max_usage_in_bytes": "67108864"}, "64 MB of memory"),
            # The machine's memory ran out, or that of the container around.
            (1, {"memory.oom_control": "under_oom 0\noom_kill 1\n",
                 "memory.max_usage_in_bytes": "20000000"}, ""),
            (1, {"pids.events": "max 3\n", "pids.peak": "5"}, "5 processes and threads"),
            (1, {"pids.events": "max 3\n", "pids.peak": "2"}, ""),
            (1, {"pids.events": "max 3\n", "pids.current": "5"}, "5 processes and threads"),
            (2, {"memory.events": "max 9\noom 1\noom_kill 2\n"}, "64 MB of memory"),
            (2, {"memory.events": "max 9\noom 0\noom_kill 1\n"}, ""),
            (2, {"pids.events": "max 0\n", "pids.peak": "5"}, ""),
            (2, {}, ""),
        ],
    )  # fmt: skip
    def test_only_its_own_limit_counts(
        self, version: int, files: dict[str, str], words: str, tmp_path: Path
    ) -> None:
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        group = Group.__new__(Group)
        folder = str(tmp_path)
        group._limits = Limits(version, folder, folder, 64 * MB, processes=3, threads=2)
        found = group.exceeded()
        assert words in found
        assert bool(found) == bool(words)

    def test_version_2_limits_for_real(self) -> None:
        try:
            found = groups.place()
        except GroupError as error:
            pytest.skip(f"no control groups here: {error}")
        if found.version != 2:
            pytest.skip("the controllers are those of version 1 here")
        assert "cgroup" in additions(chosen("linux", required=True)[0])


class TestStrangers:
    def test_the_way_to_a_file_can_be_closed(self, tmp_path: Path) -> None:
        inner = tmp_path / "a" / "b"
        inner.mkdir(parents=True)
        open_to_all(tmp_path)
        assert strangers_halt_at(str(inner)) == ""
        (tmp_path / "a").chmod(0o700)
        assert strangers_halt_at(str(inner)) == str(tmp_path / "a")

    @pytest.mark.parametrize("level", ["linux", "bwrap"])
    def test_a_file_of_a_bot_can_be_closed(self, level: Level, tmp_path: Path) -> None:
        open_to_all(tmp_path)
        (tmp_path / "deep" / "er").mkdir(parents=True)
        for name in ("bot", "deep/er/weights", "secret"):
            (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / "bot").chmod(0o755)
        argv, hidden = [str(tmp_path / "bot")], [str(tmp_path / "secret")]
        before = closed_to_strangers(level, argv, str(tmp_path), (), hidden)
        if level == "bwrap":  # at level linux this interpreter may be closed itself
            assert before == ""
        (tmp_path / "secret").chmod(0o600)
        assert closed_to_strangers(level, argv, str(tmp_path), (), hidden) == before
        (tmp_path / "deep" / "er" / "weights").chmod(0o600)
        found = closed_to_strangers(level, argv, str(tmp_path), (), hidden)
        assert found == (before or str(tmp_path / "deep" / "er" / "weights"))
        (tmp_path / "deep" / "er" / "weights").chmod(0o644)
        (tmp_path / "bot").chmod(0o744)  # for its owner to run, and for others to read
        found = closed_to_strangers(level, argv, str(tmp_path), (), hidden)
        assert found == (before or str(tmp_path / "bot"))

    def test_a_private_home_is_closed_at_linux_and_open_in_a_box(self, tmp_path: Path) -> None:
        open_to_all(tmp_path)
        home = tmp_path / "home"
        (home / "bots").mkdir(parents=True)
        (home / "bots" / "bot").write_text("#!/bin/sh\n")
        (home / "bots" / "bot").chmod(0o755)
        home.chmod(0o700)
        argv = [str(home / "bots" / "bot")]
        assert closed_to_strangers("linux", argv, None, (), ()) != ""
        assert closed_to_strangers("bwrap", argv, None, (), ()) == ""


LEAGUE = """
name = "added"
game = "huutopussi"
sets = 1
[[entrants]]
id = "greedy"
[[entrants]]
id = "other"
bot = "{bot}"
"""


def begun() -> list[str]:
    """Play a league at level linux in the current folder; the command that plays it on."""
    Path("l.toml").write_text(LEAGUE.format(bot="first_legal"))
    run = [sys.executable, "-m", "referee.cli.main", "run", "l.toml", "--sandbox", "linux"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return run


class TestWhoHasWhich:
    @root
    def test_one_closed_entrant_takes_the_uid_from_all_and_nobody_a_set(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        need("bwrap+uid")
        open_to_all(tmp_path)
        program = tmp_path / "bots" / "mine.py"
        program.parent.mkdir()
        source = Path(__file__).parent.parent / "sample_bots" / "python" / "first_legal.py"
        program.write_text(source.read_text())
        command = BotCommand(entrant="m", argv=[sys.executable, str(program)], cwd=str(tmp_path))
        assert "uid" in additions(chosen("bwrap", required=True, commands=[command])[0])
        program.chmod(0o600)
        level, line = chosen("bwrap", required=True, commands=[command])
        assert "uid" not in additions(level)
        assert f"; no own uid per seat: {program} is closed to other users" in line

        monkeypatch.chdir(tmp_path)
        text = LEAGUE.format(bot=f"{sys.executable} {program}")
        Path("l.toml").write_text(text)
        words = ["-m", "referee.cli.main", "run", "l.toml", "--sandbox", "bwrap"]
        found = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60)
        assert found.returncode == 0, found.stderr
        assert found.stdout.startswith(line + "\n")
        (path,) = Path("results/added/logs").glob("*.jsonl")
        log = read(path)
        assert log.header.sandbox == level
        assert len(log.sets) == 1

    def test_a_results_folder_is_played_on_with_what_it_was_begun_with(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        need("linux")
        monkeypatch.chdir(tmp_path)
        run = begun()
        (path,) = Path("results/added/logs").glob("*.jsonl")
        (found,) = {header.sandbox for header in read(path).headers}

        # As a log from before there were additions.
        text = path.read_text()
        path.write_text(text.replace(f'"sandbox":"{found}"', '"sandbox":"linux"'))
        again = subprocess.run([*run, "--sets", "2"], capture_output=True, text=True, timeout=60)
        assert again.returncode == 0, again.stderr
        assert again.stdout.startswith("sandbox: linux (seccomp, ")
        assert not any(name in again.stdout for name in sandbox_choice.NAMED.values())
        assert {header.sandbox for header in read(path).headers} == {"linux"}

    def test_what_is_not_there_any_more_is_not_done_without(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        need("linux+cgroup")
        monkeypatch.chdir(tmp_path)
        run = begun()
        troubles = dict.fromkeys(("uid", "cgroup"), "gone away")
        monkeypatch.setattr(sandbox_choice, "addition_troubles", lambda *_: troubles)
        refused = CliRunner().invoke(commands, [*run[3:], "--sets", "2"])
        assert refused.exit_code == 2
        assert "was played with sandbox = 'linux+" in refused.stderr
        assert "now it would be 'linux' (sandbox: linux" in refused.stderr
        assert "give the league another results folder" in refused.stderr

    @root
    def test_bots_whose_own_folders_would_lie_in_a_closed_one_have_no_uid(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        need("linux")
        (open_to_all(tmp_path) / "closed").mkdir(mode=0o700)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "closed"))
        trouble = addition_troubles("linux")["uid"]
        assert trouble == f"{tmp_path / 'closed'} is closed to other users"

    def test_an_ordinary_user_is_not_told_what_only_root_can_have(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        need("linux")
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        assert addition_troubles("linux")["uid"].startswith("only root")
        assert "own uid" not in chosen("linux", required=True)[1]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["linux+cgroup", "linux+uid+cgroup", "bwrap+uid+cgroup"])
def test_a_referee_killed_with_its_keepers_leaves_nothing_for_the_next(
    level: Level, tmp_path: Path
) -> None:
    need(level)
    folder = open_to_all(tmp_path) / "sockets"  # as a worker's, which the next one sweeps up
    folder.mkdir(mode=0o700)
    code = f"""
import os, signal, sys
from tests.test_sandbox import started
from referee.seats.process import LaunchSpec
program = "import time; print('up', flush=True); time.sleep(60)"
argv = (sys.executable, "-c", program)
spec = LaunchSpec(argv=argv, level={level!r}, processes=4, scratch_parent={str(folder)!r})
process, output = started(spec)
output.readline()
print(process._slot.number, flush=True)
os.kill(process._keeper.pid, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.returncode == -signal.SIGKILL
    number = int(found.stdout)
    here = groups.place()
    name = f"{groups.PREFIX}{os.geteuid()}-{number}"
    assert os.path.exists(os.path.join(here.pids, name))  # nobody was there to remove it
    slots.sweep()
    assert not os.path.exists(os.path.join(here.pids, name))
    assert not os.path.exists(os.path.join(here.memory, name))
    assert slots.processes_of(number) == []


@pytest.mark.slow
@root
def test_an_own_uid_at_level_linux_where_only_this_python_is_in_a_private_home(
    tmp_path: Path,
) -> None:
    """Where this Python is closed to others, the one of the system takes its place."""
    if not addition_troubles("linux")["uid"]:
        pytest.skip("this Python can be read by all, so the other tests have shown it")
    system = "/usr/bin/python3"
    packages = [path for path in sys.path if path.endswith("site-packages")]
    env = {"PYTHONPATH": os.pathsep.join([os.getcwd(), *packages]), "PATH": os.environ["PATH"]}
    code = """
import sys
from referee.seats.sandbox_choice import finding
from referee.seats.process import LaunchSpec
from tests.test_sandbox import run_python
found = finding("linux+uid")
print(found.works, found.why, found.done.get("same_user"))
print(run_python("linux+uid", "import os; print(os.getuid())").printed)
"""
    try:
        found = subprocess.run(
            [system, "-c", code], env=env, capture_output=True, text=True, timeout=60
        )
    except OSError as error:
        pytest.skip(str(error))
    if "ModuleNotFoundError" in found.stderr or "ImportError" in found.stderr:
        pytest.skip(f"{system} cannot use this Python's packages: {found.stderr[-200:]}")
    works, user = found.stdout.split("\n")[:2]
    assert works.startswith("True  its own user is "), found.stderr
    assert int(user) in slots.UIDS
