"""S7: the coordinator is killed again and again, and its log cut anywhere; nothing of it shows.

    python -m tests.test_kills FOLDER KILLS FORKED

plays small leagues into FOLDER one after another, kills their coordinators with SIGKILL at random
moments, resumes, and prints as JSON how often each league was killed.
"""

import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from referee.arena import Arena
from referee.errors import LogError
from referee.job import Job, Report, encode_report
from referee.league.config import League
from referee.league.executor import FreshProcesses
from referee.league.nets import SetResult
from referee.league.plan import Pairing, job_plans, pairings_of
from referee.league.results import results_of
from referee.league.runner import Runner, closed_sets
from referee.league.worker import framed, reports_from
from referee.log import Log, Void, encoded, first_header, parse, read
from tests.in_memory import Player, World
from tests.test_runner import Notes, check, digests, league, run

BOTS = ("first_legal", "random_legal", "random_legal")
SETS = 8
KILLS = 50
PR_SET_CHILD_SUBREAPER = 36
SECRET = "7e" * 32


def small(folder: Path, results: str, forked: bool) -> League:
    """Three entrants, or two where every bot is a process."""
    return league(folder, *BOTS[: 2 + forked], sets=SETS, results=results)


class Forked(ThreadPoolExecutor):
    """Plays each job in a fork of the coordinator, with bots in memory: quick to start and kill."""

    def __init__(self, listener: Callable[[Job, Report], None]) -> None:
        super().__init__(2)
        self.listener = listener

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        return super().submit(self.play, *args)

    def play(self, work: Job) -> list[Report]:
        readable, writable = os.pipe()
        if not (pid := os.fork()):
            os.close(readable)
            play_in_memory(work, lambda report: write(writable, framed(encode_report(report))))
        os.close(writable)
        with os.fdopen(readable, "rb") as stream:
            for report in reports_from(stream):
                self.listener(work, report)
        os.waitpid(pid, 0)
        return []


def write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
    time.sleep(0.003)


def play_in_memory(work: Job, report: Callable[[Report], None]) -> None:
    """Play a job as a worker does, but with bots in memory; ends this process."""
    try:
        world = World({sys.executable: Moody})
        with world._instead_of_the_real_one():
            Arena(work, report).run()
    finally:
        os._exit(0)  # also where the coordinator is gone: the pipe is broken then


class Moody(Player):
    """Plays differently in different positions, and always the same."""

    def __init__(self) -> None:
        super().__init__(lambda ask: ask.legal[len(ask.view.history) * 7 % len(ask.legal)])


def resume(work: League, forked: bool) -> None:
    """One coordinator, as the command starts it; never returns where it is killed first."""
    secret = work.folder / "secret"
    runner = Runner(work, Notes(), secret=None if secret.exists() else SECRET)

    def executor_for(listener: Callable[[Job, Report], None]) -> Executor:
        return Forked(listener) if forked else FreshProcesses(2, listener, runner.folder.errors)

    runner.run(executor_for, lambda: 0)


def chain_of_kills(folder: Path, kills: int, forked: bool) -> Iterator[int]:
    """Play leagues to their ends, killing so often in all; how often each was killed."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chance = random.Random(7)
    for number in count():
        work = small(folder, f"league{number}", forked)
        killed = 0
        complete = False
        while not complete:
            pid = os.fork()
            if not pid:
                try:
                    resume(work, forked)
                finally:
                    os._exit(0 if (work.folder / "revealed.json").exists() else 1)
            if kills and chance.random() < 0.9:
                time.sleep(chance.uniform(0.0, 0.2 if forked else 1.5))
                os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            if os.WIFSIGNALED(status):
                killed += 1
                kills -= 1
            else:
                assert os.WEXITSTATUS(status) == 0, "a coordinator has failed by itself"
                complete = True
            wait_for_orphans()
        yield killed
        if not kills:
            return


def wait_for_orphans() -> None:
    """Workers whose coordinator was killed end by themselves, and their bots."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        return


def tables(log: Log) -> list[tuple[int, int, int]]:
    """(set, table, deal) of every deal in a log, as they stand there."""
    return [
        (play.set, play.table, play.deal)
        for record in log.sets.values()
        for _, _, play in record.deals()
    ]


def rows(work: League) -> dict[str, list[SetResult]]:
    """What standings are made of: all nets, by log."""
    found = {}
    for path in sorted((work.folder / "logs").glob("*.jsonl")):
        results = results_of(work.games[0], [entrant.id for entrant in work.entrants])
        log = read(path)
        members = [entrant.id for entrant in log.header.entrants]
        for number in sorted(log.sets):
            results.add(members, number, log.sets[number].entries)
        found[path.name] = list(results.results)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="adopts the orphans of those it kills")
@pytest.mark.parametrize(("kills", "forked"), [(KILLS - 6, True), (6, False)])
def test_s07_fifty_kills_leave_the_league_that_nobody_disturbed(
    kills: int, forked: bool, tmp_path: Path
) -> None:
    """Most with workers that start quickly, some with workers and bots as they are."""
    words = [sys.executable, "-m", "tests.test_kills", str(tmp_path)]
    calm = [*words, "0", str(int(forked))]
    assert subprocess.run(calm, capture_output=True, text=True, timeout=60).stdout == "[0]\n"
    (tmp_path / "league0").rename(tmp_path / "undisturbed")
    undisturbed = small(tmp_path, "undisturbed", forked)
    done = subprocess.run(
        [*words, str(kills), str(int(forked))], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    killed = json.loads(done.stdout)
    assert sum(killed) == kills
    planned = [(number, table, 0) for number in range(SETS) for table in range(2)]
    for number in range(len(killed)):
        work = small(tmp_path, f"league{number}", forked)
        check(work)
        assert digests(work) == digests(undisturbed)
        assert rows(work) == rows(undisturbed)
        for path in (work.folder / "logs").glob("*.jsonl"):
            log = read(path)
            assert sorted(tables(log)) == planned
            assert len(path.read_bytes().splitlines()) == len(planned) + len(log.headers) + 1
            assert (log.twice, log.voids, log.set_aside) == (set(), {}, 0)
            assert log.end is not None
        assert not (work.folder / "secret").exists()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[League, Pairing, Path]:
    """A league of one pairing whose log has a void in its middle."""
    folder = tmp_path_factory.mktemp("played")
    work = league(folder, "first_legal", "random_legal", sets=3)
    run(work)
    (path,) = (work.folder / "logs").glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    void = encoded([Void(set=2, attempt=1, reason="late")])
    path.write_bytes(b"".join([*lines[:5], void, *lines[5:]]))
    (pairing,) = pairings_of(work)
    return work, pairing, path


def test_s07_plan_minus_log_is_right_wherever_the_log_is_cut(
    played: tuple[League, Pairing, Path],
) -> None:
    """At every byte: what is kept and what is planned again are the planned sets, each once."""
    _, pairing, path = played
    data = path.read_bytes()
    ends = [0, *(place + 1 for place, byte in enumerate(data) if byte == ord("\n"))]
    header_end = ends[1]
    sets_at = {0: 0, header_end: 0}
    for before, end in pairwise(ends[1:]):
        sets_at[end] = len(parse(path, data[:end]).sets)
        assert sets_at[end] >= sets_at[before]
    assert sets_at[len(data)] == 3
    good = [end for end in ends if end in (0, header_end) or not parse(path, data[:end]).set_aside]
    for cut in range(len(data) + 1):
        if cut < header_end:
            with pytest.raises(LogError):
                parse(path, data[:cut])
            continue
        log = parse(path, data[:cut])
        assert log.good_bytes == max(end for end in good if end <= cut), cut
        assert bool(log.set_aside) == (log.good_bytes != cut), cut
        kept = sorted(closed_sets(log, retry=False))
        assert len(kept) == sets_at[log.good_bytes], cut
        jobs = job_plans([pairing], {pairing.key: set(range(3)) - set(kept)})
        assert sorted([*kept, *(number for plan in jobs for number in plan.sets)]) == [0, 1, 2]
        assert log.voids == ({2: 1} if b'"kind":"void"' in data[: log.good_bytes] else {}), cut


@pytest.mark.slow
def test_s07_a_log_cut_within_its_header_is_begun_anew(
    played: tuple[League, Pairing, Path],
) -> None:
    """Resumed for real, where a kill may leave a file: in the header, in a line, between two."""
    work, _, path = played
    data = path.read_bytes()
    whole = read(path).digest()
    lines = [len(line) for line in data.splitlines(keepends=True)]
    cuts = [lines[0] - 1, lines[0] + 1, sum(lines[:2]), sum(lines[:5]) + 20]
    for cut in cuts:
        path.write_bytes(data[:cut])
        (work.folder / "revealed.json").unlink()
        if cut < lines[0]:
            assert first_header(path) is None
        assert run(work).complete
        log = read(path)
        assert log.digest() == whole, cut
        assert sorted(tables(log)) == [(n, t, 0) for n in range(3) for t in range(2)]
        assert len(log.headers) == 1
        check(work)


if __name__ == "__main__":
    folder, kills, forked = sys.argv[1:]
    print(json.dumps(list(chain_of_kills(Path(folder), int(kills), forked == "1"))))
