"""S12: a big league, with scripted bots, on counts rather than times."""

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from referee.cards import commitment
from referee.job import Job, Played, Report
from referee.league.config import League
from referee.league.folder import Folder, logs_at
from referee.league.plan import LARGEST_JOB, header_of, job_plans, pairings_of
from referee.league.runner import LeagueState, Runner
from referee.log import DealLine, End, SideRecord, deal_line, decode_play, encoded, lines_of
from referee.show.tour import tour_data, tour_from
from tests.in_memory import Player, World
from tests.test_runner import SECRET, Notes, league, run

ENTRANTS = 40
PAIRINGS = ENTRANTS * (ENTRANTS - 1) // 2
SETS = 64
"""Of each pairing: 99,840 deals in all."""
WORKERS = 3

BYTES_A_SET = 512
"""What may be kept of a finished set: its nets, its number, where it lies in its log, and room to
work with them. As decoded lines it takes some thousand bytes."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> list[DealLine]:
    """The deals of one set, played in memory."""
    work = league(tmp_path_factory.mktemp("template"), "first_legal", "first_legal", sets=1)

    class Here(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
            future: Future[Any] = Future()
            future.set_result(World({sys.executable: Player}).play(args[0]).reports)
            return future

    run(work, executor=lambda _: Here(1))
    (path,) = (work.folder / "logs").iterdir()
    return [line for line in lines_of(path.read_bytes()) if isinstance(line, DealLine)]


class Telling(ThreadPoolExecutor):
    """Reports the sets of a job as if they had been played; counts what the coordinator does."""

    def __init__(self, template: list[DealLine], windows: dict[int, str]) -> None:
        super().__init__(16)
        self.plays = [
            # Nothing here replays them, and short lines are as many lines.
            structs.replace(decode_play(line.play), cards=[], actions="")
            for line in template
        ]
        self.side = SideRecord(
            times=[], notes=[], blame=[], started="", lag_ms=0.0, unexpected=[0, 0]
        )
        self.lock = threading.Lock()
        self.windows = windows
        """Names of stretches of work to be counted, by the number of jobs at their beginning."""
        self.jobs = 0
        self.sets = 0
        self.running = self.most_running = 0
        self.met: set[tuple[str, ...]] = set()
        self.all_met_after = 0
        self.calls: dict[str, int] = {}
        self.resident: dict[str, int] = {}
        self._window = ""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        (work,) = args
        if self.jobs in self.windows:
            sys.setprofile(None)
            self._window = self.windows[self.jobs]
            self.resident[self._window] = resident_bytes()
            self.calls[self._window] = 0
            if "counted" in self._window:
                sys.setprofile(self._count)
        self.jobs += 1
        self.sets += len(work.sets)
        self.met.add(tuple(entrant.entrant for entrant in work.entrants))
        if len(self.met) == PAIRINGS and not self.all_met_after:
            self.all_met_after = self.jobs
        with self.lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
        return super().submit(self.told, work)

    def _count(self, frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            self.calls[self._window] += 1

    def told(self, work: Job) -> list[Report]:
        ids = [entrant.entrant for entrant in work.entrants]
        reports: list[Report] = [
            Played(set=plan.number, lines=self.lines(ids, plan.number)) for plan in work.sets
        ]
        with self.lock:
            self.running -= 1
        return reports

    def lines(self, ids: list[str], number: int) -> bytes:
        return encoded(
            deal_line(
                structs.replace(play, set=number, seats=[ids[table], ids[1 - table]]), self.side
            )
            for table, play in enumerate(self.plays)
        )


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def big(folder: Path, sets: int) -> League:
    return league(folder, *(["first_legal"] * ENTRANTS), sets=sets, workers=WORKERS)


def test_s12_a_million_sets_are_planned_so_that_everyone_soon_has_met_everyone(
    tmp_path: Path,
) -> None:
    work = big(tmp_path, 1283)
    pairings = pairings_of(work)
    assert len(pairings) == PAIRINGS
    everything = set(range(1283))
    plans = job_plans(pairings, {pairing.key: everything for pairing in pairings})
    assert sum(len(plan.sets) for plan in plans) == PAIRINGS * 1283 > 1_000_000
    first = {plan.pairing.entrants for plan in plans[:PAIRINGS]}
    assert first == {tuple(sorted(pair)) for pair in combinations(
        (entrant.id for entrant in work.entrants), 2
    )}  # fmt: skip
    assert sum(len(plan.sets) for plan in plans[:PAIRINGS]) == 2 * PAIRINGS
    assert max(len(plan.sets) for plan in plans) == LARGEST_JOB


@pytest.fixture(scope="module")
def played(
    template: list[DealLine], tmp_path_factory: pytest.TempPathFactory
) -> tuple[League, Telling, LeagueState]:
    """The league, what the coordinator did, and how it stood in the end."""
    work = big(tmp_path_factory.mktemp("big"), SETS)
    # The first and the last jobs are of two sets each, so that they can be compared.
    jobs = 6 * PAIRINGS
    windows = {
        20: "early, counted", 220: "", 1000: "thousand", 3 * PAIRINGS: "tenth",
        jobs - 220: "late, counted", jobs - 20: "end",
    }  # fmt: skip
    executor = Telling(template, windows)
    runner = Runner(work, Notes(), secret=SECRET)
    try:
        outcome = runner.run(lambda _: executor, lambda: 0)
    finally:
        sys.setprofile(None)
    assert outcome.complete
    return work, executor, outcome.state


@pytest.mark.slow
def test_s12_no_step_costs_more_the_more_has_been_played(
    played: tuple[League, Telling, LeagueState],
) -> None:
    _, executor, state = played
    assert executor.jobs == 6 * PAIRINGS
    assert executor.sets == state.done == state.planned == PAIRINGS * SETS
    early, late = executor.calls["early, counted"], executor.calls["late, counted"]
    assert early > 1000
    assert late == pytest.approx(early, rel=0.1)


@pytest.mark.slow
def test_s12_workers_stay_within_their_number_and_everyone_soon_has_met_everyone(
    played: tuple[League, Telling, LeagueState],
) -> None:
    _, executor, _ = played
    assert 1 <= executor.most_running <= WORKERS
    assert executor.all_met_after == PAIRINGS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_s12_memory_grows_by_the_results_of_sets_and_nothing_else(
    played: tuple[League, Telling, LeagueState],
) -> None:
    _, executor, _ = played
    resident = executor.resident
    assert resident["tenth"] < 1.1 * resident["thousand"]
    tenth = sum(SETS_OF_ROUND[:3]) * PAIRINGS
    assert (resident["end"] - resident["tenth"]) / (executor.sets - tenth) < BYTES_A_SET


SETS_OF_ROUND = (2, 4, 8, 16, 32, 2)


@pytest.mark.slow
def test_s12_standings_come_from_a_hundred_thousand_lines(
    played: tuple[League, Telling, LeagueState],
) -> None:
    work, _, state = played
    paths = sorted((work.folder / "logs").iterdir())
    assert len(paths) == PAIRINGS
    assert sum(path.read_bytes().count(b"\n") for path in paths) >= 100_000
    tour = tour_from([log for log, _ in logs_at([work.folder])])
    data = tour_data(tour)
    rows = {row.entrant: row for row in state.results[0].table().rows}
    assert len(data["entrants"]) == len(rows) == ENTRANTS
    assert all(entry["sets"] == (ENTRANTS - 1) * SETS for entry in data["entrants"])


_MEASURED = """
import re, sys
from pathlib import Path
from referee.cli.main import main
try:
    main()
finally:
    # Not ru_maxrss, which begins with that of the process that started this one.
    most = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
    print(int(most[1]) * 1024, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "command", [["standings", "--json"], ["watch"]], ids=lambda words: words[0]
)
def test_s12_standings_of_ten_times_as_many_lines_take_little_more_memory(
    command: list[str], template: list[DealLine], tmp_path: Path
) -> None:
    few, many = 5_000, 50_000
    peaks = {}
    for sets in (few, many):
        folder = one_log(tmp_path / str(sets), template, sets)
        words = [sys.executable, "-c", _MEASURED, *command, str(folder)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        if command[0] == "standings":
            entrants = json.loads(done.stdout)["entrants"]
            assert [entry["sets"] for entry in entrants] == [sets, sets]
        else:
            assert f"{sets:,} sets" in done.stdout
        peaks[sets] = int(done.stderr.split()[-1])
    assert (peaks[many] - peaks[few]) / (many - few) < BYTES_A_SET


def one_log(folder: Path, template: list[DealLine], sets: int) -> Path:
    """A results folder with so many sets of one pairing, two lines each, all of them complete."""
    work = league(folder, "first_legal", "first_legal", sets=sets)
    (pairing,) = pairings_of(work)
    game = work.games[0]
    path = Folder(work.folder).log_path(game.name, game.ruleset, pairing.id)
    path.parent.mkdir(parents=True)
    told = Telling(template, {})
    with path.open("wb") as file:
        file.write(encoded([header_of(work, pairing, commitment(SECRET), "1")]))
        for number in range(sets):
            file.write(told.lines(list(pairing.entrants), number))
        file.write(encoded([End(sets=sets, digest="")]))
    return work.folder
