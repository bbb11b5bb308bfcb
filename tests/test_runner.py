"""Runs of a league: resume, voids, dying workers, complete leagues, other executors."""

import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
import zmq

from referee.arena import Arena
from referee.cards import commitment
from referee.errors import ConfigError, RefereeError
from referee.job import Job, Played, Report, Voided
from referee.league.config import League, LeagueConfig, TimeConfig, league_of
from referee.league.entrants import EntrantConfig
from referee.league.executor import FreshProcesses, WorkerDied
from referee.league.plan import logged_seatings
from referee.league.runner import LeagueState, NothingStarts, Outcome, Runner
from referee.log import Void, lines_of, read
from referee.replay import verify
from referee.rulings import Blame
from tests.arena_help import ZOO

SECRET = "7e" * 32


class Notes:
    """Keeps what a run says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def show(self, state: LeagueState) -> None:
        assert state.done <= state.planned

    def say(self, text: str) -> None:
        self.said.append(text)


def league(folder: Path, *bots: str, sets: int = 2, **options: Any) -> League:
    entrants = [
        EntrantConfig(
            id=f"e{place}-{bot.split(':')[-1].replace('_', '-')}",
            bot=f"python {ZOO} {bot[4:]}" if bot.startswith("zoo:") else bot,
        )
        for place, bot in enumerate(bots)
    ]
    options = {"rules": "wikibooks-2", "results": "out"} | options
    return league_of(LeagueConfig(name="t", sets=sets, entrants=entrants, **options), folder)


def run(
    work: League,
    *,
    secret: str | None = SECRET,
    workers: int = 2,
    executor: Callable[[Callable[[Job, Report], None]], Executor] | None = None,
    interrupted: Callable[[], int] = lambda: 0,
    retry: bool = False,
    notes: Notes | None = None,
) -> Outcome:
    runner = Runner(work, notes or Notes(), secret=secret, retry=retry)
    return runner.run(
        executor or (lambda listener: FreshProcesses(workers, listener, work.folder / "errors")),
        interrupted,
    )


def digests(work: League) -> dict[str, str]:
    return {
        path.name: read(path).digest() for path in sorted((work.folder / "logs").glob("*.jsonl"))
    }


def check(work: League) -> None:
    for path in (work.folder / "logs").glob("*.jsonl"):
        verify(read(path), {commitment(SECRET): SECRET}, logged_seatings)


class Here(Executor):
    """An executor of another kind: plays in this process and returns all reports at the end."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def work(tmp_path: Path) -> League:
    return league(tmp_path, "first_legal", "random_legal", "random_legal", sets=3)


def test_the_digests_do_not_depend_on_workers_or_executor(work: League, tmp_path: Path) -> None:
    run(work, workers=1)
    check(work)
    one = digests(work)
    for place, executor in enumerate((None, lambda listener: Here())):
        other = league(tmp_path, "first_legal", "random_legal", "random_legal", sets=3,
                       results=f"other{place}")  # fmt: skip
        assert run(other, workers=3, executor=executor).complete
        assert digests(other) == one
    assert len(one) == 3


def test_the_secret_is_hidden_until_the_league_is_complete(work: League) -> None:
    counts = itertools.count()
    outcome = run(work, workers=1, interrupted=lambda: int(next(counts) > 2))
    if not outcome.complete:
        secret = work.folder / "secret"
        assert secret.read_text().strip() == SECRET
        assert secret.stat().st_mode & 0o777 == 0o600
        assert not (work.folder / "revealed.json").exists()
    outcome = run(work)
    assert outcome.complete
    assert not (work.folder / "secret").exists()
    assert SECRET in (work.folder / "revealed.json").read_text()
    assert outcome.commitment == commitment(SECRET)


@pytest.mark.parametrize("after", range(6))
def test_a_stop_may_come_at_any_moment(after: int, tmp_path: Path) -> None:
    """Also between a worker's start and its job: the word must not get in before the job."""
    work = league(tmp_path, "random_legal", "random_legal", sets=4)
    counts = itertools.count()
    began = time.monotonic()
    run(work, workers=2, interrupted=lambda: int(next(counts) >= after))
    assert time.monotonic() - began < 60
    assert run(work).complete
    check(work)


class Slow(FreshProcesses):
    """Asks to drain as soon as a worker runs, before it has its job."""

    def _play(self, job: Job) -> list[Report]:
        threading.Timer(0.0, self.drain).start()
        return super()._play(job)


def test_a_drain_that_overtakes_the_job_does_not_garble_it(tmp_path: Path) -> None:
    work = league(tmp_path, "random_legal", "random_legal", sets=2)
    for _ in range(3):
        runner = Runner(work, Notes(), secret=SECRET)
        began = time.monotonic()
        runner.run(lambda listener: Slow(1, listener, work.folder / "errors"), lambda: 1)
        assert time.monotonic() - began < 60


def test_a_complete_league_is_not_played_again(work: League) -> None:
    run(work)
    before = {p: p.read_bytes() for p in (work.folder / "logs").iterdir()}
    again = run(work, secret=None)
    assert again.complete
    assert again.state.before == again.state.planned == 9
    assert before == {p: p.read_bytes() for p in (work.folder / "logs").iterdir()}


def test_more_sets_after_the_reveal_get_a_new_secret(work: League, tmp_path: Path) -> None:
    run(work)
    more = league(tmp_path, "first_legal", "random_legal", "random_legal", sets=4)
    with pytest.raises(ConfigError, match="revealed"):
        run(more, secret=SECRET)
    assert run(more, secret=None).complete
    logs = [read(path) for path in (work.folder / "logs").glob("*.jsonl")]
    for log in logs:
        assert len(log.headers) == 2
        assert log.headers[0].commitment != log.headers[1].commitment
        assert sorted(log.sets) == [0, 1, 2, 3]


def test_a_new_entrant_plays_only_the_missing_pairings(work: League, tmp_path: Path) -> None:
    run(work)
    before = digests(work)
    more = league(
        tmp_path, "first_legal", "random_legal", "random_legal", "first_legal", sets=3
    )
    outcome = run(more, secret=None)
    assert outcome.state.before == 9
    assert outcome.state.planned == 18
    after = digests(more)
    assert {name: after[name] for name in before} == before
    assert len(after) == 6


def test_a_cut_off_log_is_played_to_the_same_end(work: League) -> None:
    run(work)
    whole = digests(work)
    path = sorted((work.folder / "logs").glob("*.jsonl"))[0]
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    (work.folder / "revealed.json").unlink()
    for cut in (len(lines[0]), len(lines[0]) + 10, sum(map(len, lines[:2])), len(data) - 400):
        path.write_bytes(data[:cut])
        run(work)
        (work.folder / "revealed.json").unlink()
        assert digests(work) == whole, cut
        check(work)


@pytest.mark.parametrize(
    ("change", "phrase"),
    [
        ({"rules": "wikibooks-3"}, "entrants"),
        ({"options": {"min_bid": 50}}, "ruleset"),
        ({"unit": "game"}, "unit"),
        ({"soft_faults": 5}, "soft_faults"),
        ({"isolation": "entrant"}, "isolation"),
    ],
)
def test_a_changed_league_is_refused(
    change: dict[str, Any], phrase: str, tmp_path: Path
) -> None:
    run(league(tmp_path, "first_legal", "random_legal", sets=1))
    with pytest.raises(ConfigError, match=phrase):
        run(league(tmp_path, "first_legal", "random_legal", sets=2, **change), secret=None)


def test_a_changed_bot_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text("from sample_bots.python.first_legal import FirstLegal\n"
                       "FirstLegal('mine').run()\n")  # fmt: skip
    mine = LeagueConfig(
        name="t", rules="wikibooks-2", sets=1, results="out",
        entrants=[EntrantConfig(id="mine", bot="mine.py"), EntrantConfig(id="first_legal")],
    )  # fmt: skip
    assert run(league_of(mine, tmp_path)).complete
    program.write_text(program.read_text() + "# better now\n")
    with pytest.raises(ConfigError, match="'mine' has changed"):
        run(league_of(mine, tmp_path), secret=None)


def test_a_second_referee_on_the_folder_refuses(work: League) -> None:
    runner = Runner(work, Notes())
    runner.folder.open_for_writing()
    try:
        with pytest.raises(ConfigError, match="another referee"):
            run(work)
    finally:
        runner.folder.close()


def test_a_bot_that_never_starts_leaves_its_sets_unplayed_and_nobody_gains(
    tmp_path: Path,
) -> None:
    work = league(tmp_path, "first_legal", "random_legal", "zoo:exit_at_start")
    outcome = run(work)
    assert outcome.complete
    assert outcome.not_playable == 4
    rows = {row.entrant: row for row in outcome.state.results[0].table().rows}
    assert rows["e2-exit-at-start"].unrated
    assert rows["e0-first_legal".replace("_", "-")].sets == 2
    check(work)
    again = run(work, secret=None)
    assert again.state.before == again.state.planned
    retried = run(work, secret=None, retry=True)
    assert retried.not_playable == 4


def test_when_nobody_can_start_the_run_stops_and_scores_nothing(tmp_path: Path) -> None:
    work = league(tmp_path, "zoo:exit_at_start", "zoo:exit_at_start")
    with pytest.raises(NothingStarts, match="opening book"):
        run(work)
    assert not read(next((work.folder / "logs").iterdir())).sets


class Spoiling(Executor):
    """Voids the first sets that it is given, then plays."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.here = Here()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        job: Job = args[0]
        if self.times and job.sets[0].number == 0:
            self.times -= 1
            blame = Blame(kind="infrastructure", seat=0, ruling="none", message="late")
            future: Future[list[Report]] = Future()
            future.set_result([Voided(set=0, reason="late", blame=[blame])])
            return future
        return self.here.submit(fn, *args, **kwargs)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_spoilt_set_is_played_again_at_most_three_times(times: int, tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "random_legal")
    outcome = run(work, executor=lambda listener: Spoiling(times))
    (path,) = (work.folder / "logs").iterdir()
    log = read(path)
    assert outcome.complete
    assert outcome.voided == (times == 3)
    assert sorted(log.sets) == ([1] if times == 3 else [0, 1])
    assert log.voids == {0: times}
    assert outcome.state.results[0].voids == times
    check(work)


def test_a_decision_that_runs_out_while_the_referee_is_late_is_nobodys_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee sleeps for a second while the third ask of a silent bot is open, once."""
    due: list[bool] = []
    slept: list[bool] = []
    poll, flush = zmq.Poller.poll, Arena._flush

    def noticing(self: Arena) -> None:
        flush(self)
        for player in self.roster.players.values():
            if 3 in player.open and player.bot.command.entrant.endswith("silent"):
                due.append(True)

    def sleepy(self: zmq.Poller, timeout: int | None = None) -> list[tuple[Any, int]]:
        if due and not slept:
            slept.append(True)
            time.sleep(1.0)
        return poll(self, timeout)

    monkeypatch.setattr(Arena, "_flush", noticing)
    monkeypatch.setattr(zmq.Poller, "poll", sleepy)
    work = league(tmp_path, "first_legal", "zoo:silent", time=TimeConfig(decision_ms=700))
    outcome = run(work, executor=lambda listener: Here())
    assert outcome.complete
    assert outcome.state.results[0].voids == 1
    (path,) = (work.folder / "logs").iterdir()
    (void,) = [line for line in lines_of(path.read_bytes()) if isinstance(line, Void)]
    assert void.blame[0].kind == "infrastructure"
    assert void.blame[0].lag_ms > 250
    assert outcome.state.results[0].notes["e1-silent"].faults == {"timeout": 2}


class Dying(FreshProcesses):
    """Kills the first worker at its first finished set."""

    killed = 0

    def _play(self, job: Job) -> list[Report]:
        original = self._listener

        def listen(work: Job, report: Report) -> None:
            original(work, report)
            if isinstance(report, Played) and not Dying.killed:
                Dying.killed += 1
                for process in list(self._running):
                    process.kill()

        self._listener = listen
        try:
            return super()._play(job)
        finally:
            self._listener = original


def test_a_dying_worker_loses_no_finished_set(tmp_path: Path) -> None:
    Dying.killed = 0
    work = league(tmp_path, "random_legal", "random_legal", sets=8)
    notes = Notes()
    outcome = run(
        work, notes=notes, executor=lambda listener: Dying(1, listener, work.folder / "errors")
    )
    assert outcome.complete
    assert Dying.killed == 1
    assert any("worker died" in text for text in notes.said)
    other = league(tmp_path, "random_legal", "random_legal", sets=8, results="other")
    run(other)
    assert digests(work) == digests(other)


def test_a_worker_that_always_dies_stops_the_run(tmp_path: Path) -> None:
    work = league(tmp_path, "random_legal", "random_legal")

    class Broken(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
            future: Future[Any] = Future()
            future.set_exception(OSError("no worker to be had"))
            return future

    with pytest.raises(RefereeError, match="workers died"):
        run(work, executor=lambda listener: Broken())
    assert not any(read(path).voids for path in (work.folder / "logs").iterdir())


class Cursed(FreshProcesses):
    """No worker survives one pairing."""

    def _play(self, job: Job) -> list[Report]:
        if job.pairing == "e0-first-legal+e1-random-legal":
            raise WorkerDied(-6)
        return super()._play(job)


def test_a_pairing_that_no_worker_survives_costs_the_others_nothing(tmp_path: Path) -> None:
    bots = ("first_legal", "random_legal", "random_legal")
    work = league(tmp_path, *bots)
    notes = Notes()
    outcome = run(
        work, notes=notes, executor=lambda listener: Cursed(1, listener, work.folder / "errors")
    )
    assert (outcome.complete, outcome.voided, outcome.not_playable) == (True, 2, 0)
    assert sum("a worker died over" in text for text in notes.said) == 3
    assert any("it is not tried again" in text for text in notes.said)
    (path,) = (work.folder / "logs").glob("*.e0-first-legal+e1-random-legal.jsonl")
    cursed = read(path)
    assert cursed.voids == {0: 3, 1: 3}
    assert cursed.sets == {}
    other = league(tmp_path, *bots, results="other")
    run(other)
    found, whole = digests(work), digests(other)
    assert found.keys() == whole.keys()
    assert [name for name in whole if found[name] != whole[name]] == [path.name]
    again = run(work, secret=None, retry=True)
    assert (again.complete, again.voided) == (True, 0)
    assert sorted(read(path).sets) == [0, 1]


def test_workers_that_die_over_different_jobs_of_a_pairing_cost_it_nothing(tmp_path: Path) -> None:
    work = league(tmp_path, "random_legal", "first_legal", sets=20, workers=4)
    died: set[int] = set()

    class Unlucky(FreshProcesses):
        def _play(self, job: Job) -> list[Report]:
            first = job.sets[0].number
            if first not in died:
                died.add(first)
                raise WorkerDied(-9)
            return super()._play(job)

    outcome = run(work, executor=lambda listener: Unlucky(4, listener, work.folder / "errors"))
    assert len(died) > 3
    assert (outcome.complete, outcome.voided) == (True, 0)


def test_a_run_ends_where_no_pairing_can_be_played(tmp_path: Path) -> None:
    work = league(tmp_path, *["random_legal"] * 4, workers=1)

    class Dead(FreshProcesses):
        tried = 0

        def _play(self, job: Job) -> list[Report]:
            Dead.tried += 1
            raise WorkerDied(-6)

    with pytest.raises(RefereeError, match="3 workers died over each of e"):
        run(work, executor=lambda listener: Dead(1, listener, work.folder / "errors"))
    assert Dead.tried == 9
    assert not any(read(path).voids for path in (work.folder / "logs").iterdir())


# ---- nothing is left behind --------------------------------------------------------------------


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def marked(folder: Path, mark: Path, mode: str) -> League:
    config = LeagueConfig(
        name="t", rules="wikibooks-2", sets=400, results="out",
        entrants=[
            EntrantConfig(id="forks", bot=f"python {ZOO} {mode}", env={"ZOO_MARK": str(mark)}),
            EntrantConfig(id="first_legal"),
        ],
    )  # fmt: skip
    return league_of(config, folder)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_a_bot_forked_is_gone_when_its_job_ends(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    work = marked(tmp_path, mark, "fine")
    counts = itertools.count()
    run(work, interrupted=lambda: int(mark.exists() and next(counts) > 1))
    child = int(mark.read_text())
    assert wait_for(lambda: not alive(child))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("victim", ["worker", "coordinator"])
def test_what_a_bot_forked_is_gone_when_the_referee_is_killed(
    victim: str, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    code = (
        "import sys; from pathlib import Path; from tests.test_runner import marked, run; "
        f"run(marked(Path({str(tmp_path)!r}), Path({str(mark)!r}), 'always_slow'), workers=1)"
    )
    pid = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", code])
    try:
        assert wait_for(lambda: mark.exists() and mark.read_text() != "")
        child = int(mark.read_text())
        assert alive(child)
        if victim == "worker":
            target = _worker_of(pid)
            os.kill(target, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: not alive(child))
        if victim == "coordinator":
            assert wait_for(lambda: not _processes_naming(str(mark)))
    finally:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert wait_for(lambda: not _processes_naming(str(tmp_path)))


def _worker_of(parent: int) -> int:
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path(f"/proc/{entry}/cmdline").read_bytes()
                stat = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if b"referee.league.worker" in text and int(stat[1]) == parent:
                return int(entry)
    raise AssertionError("no worker found")


def _processes_naming(text: str) -> list[int]:
    """Living processes with a text in their environment or command line."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid() and alive(int(entry)):
            try:
                data = Path(f"/proc/{entry}/environ").read_bytes()
                data += Path(f"/proc/{entry}/cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in data:
                found.append(int(entry))
    return found
