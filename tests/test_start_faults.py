"""Every process that does not come to its first table is on record, also when another takes over.

A bot that has started in one seat, or in a job before, can start. When it then fails to in another
seat, a fresh process takes its place and the set is played; the fault is logged and counted.
"""

import sys
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from referee.games.rulesets import game_named
from referee.job import Job, Unstartable
from referee.league.results import EntrantNotes, results_of
from referee.log import Log, encoded, parse, read
from referee.rulings import Blame
from referee.seats.bot import BotCommand
from referee.show.faults import faults_text
from tests.arena_help import Outcome, bot, job, play
from tests.in_memory import Player, World
from tests.test_replay import header
from tests.test_runner import check, league, run

FLAKY = """
import fcntl, os, sys, time
from protocol.bot import Bot

with open(os.environ["STARTS"], "a+") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    file.seek(0)
    before = len(file.readlines())
    file.write("one more\\n")
plan = os.environ["PLAN"].split()
what = plan[min(before, len(plan) - 1)]

class Flaky(Bot):
    def decide(self, ask):
        return ask.legal[0]

    def _take(self, send, data):
        if what == "leave":
            os._exit(4)
        return super()._take(send, data)

if what == "exit":
    sys.exit("no opening book")
if what == "silent":
    time.sleep(60)
if what == "slow":
    time.sleep(2)
Flaky("flaky").run()
"""
"""What each start does is a word of PLAN, the last for all that follow."""


def flaky(folder: Path, entrant: str, plan: str) -> BotCommand:
    program = folder / "flaky.py"
    program.write_text(FLAKY, encoding="utf-8")
    env = {"STARTS": str(folder / f"starts-{entrant}"), "PLAN": plan}
    return BotCommand(entrant=entrant, argv=[sys.executable, str(program)], env=env)


def notes_of(outcome: Outcome) -> dict[str, EntrantNotes]:
    """What standings say of the entrants."""
    results = results_of(game_named("huutopussi", "wikibooks-2"), ["bad", "good"])
    results.add_log(log_of(outcome))
    return results.notes


def log_of(outcome: Outcome) -> Log:
    first = header(game_named("huutopussi", "wikibooks-2"))
    entrants = [type(e)(id=name, command=e.command)
                for e, name in zip(first.entrants, ("bad", "good"), strict=True)]  # fmt: skip
    first = type(first)(**{f: getattr(first, f) for f in first.__struct_fields__} | {
        "entrants": entrants, "pairing": "bad+good",
    })  # fmt: skip
    lines = [line for number in sorted(outcome.sets) for line in outcome.sets[number]]
    return parse(Path("a.jsonl"), encoded([first, *lines]))


@pytest.mark.parametrize(
    ("plan", "kind", "phrase"),
    [
        ("exit run", "start_failed", "exit code 1; its last words: no opening book"),
        ("silent run", "start_timeout", "no valid hello within 5000 ms"),
        ("leave run", "crashed", "exit code 4"),
    ],
)
@pytest.mark.parametrize("isolation", ["seat", "entrant"])
def test_a_process_that_is_replaced_before_its_first_table_is_on_record(
    plan: str, kind: str, phrase: str, isolation: str, tmp_path: Path
) -> None:
    # One that leaves after its hello is to have left before all others are ready.
    good = flaky(tmp_path, "good", "slow") if plan == "leave run" else bot("good", "first_legal")
    entrants = [flaky(tmp_path, "bad", plan), good]
    start_ms = 5000 if plan == "silent run" else 20_000
    outcome = play(
        job(tmp_path, entrants, start_ms=start_ms, decision_ms=5000, started=["bad"],
            isolation=isolation)  # type: ignore[arg-type]
    )  # fmt: skip
    assert len(outcome.plays) == 2
    assert not [*outcome.unstartable, *outcome.unplayed, *outcome.blame("good")]
    (blame,) = outcome.blame("bad")
    assert (blame.kind, blame.ruling) == (kind, "none")
    assert blame.message.startswith("before this table: ")
    assert phrase in blame.message
    assert blame.exit_code == (None if plan.startswith("silent") else int(plan == "exit run") or 4)
    assert all(not play.rulings for play in outcome.plays)
    notes = notes_of(outcome)
    assert dict(+notes["bad"].faults) == {kind: 1}
    assert not +notes["good"].faults
    first = notes["bad"].first
    assert first is not None
    assert first.blame == blame


def test_each_of_them_is_counted_where_the_rest_is_not_played_for_it(tmp_path: Path) -> None:
    entrants = [flaky(tmp_path, "bad", "exit"), bot("good", "first_legal")]
    outcome = play(job(tmp_path, entrants, sets=2, started=["bad"]))
    assert [line.reason for line in outcome.unplayed] == ["forfeited"] * 4
    found: list[Blame] = [blame for line in outcome.unplayed for blame in line.blame]
    assert [blame.ruling for blame in found].count("none") == 3
    assert {blame.kind for blame in found} == {"start_failed"}
    assert all(line.seats[b.seat] == "bad" for line in outcome.unplayed for b in line.blame)
    notes = notes_of(outcome)
    assert faults_text(notes["bad"]) == "3 start_failed, unplayed 4"
    assert faults_text(notes["good"]) == ""


class Failing(Executor):
    """Plays jobs in memory, but its second job ends with a start that failed, the third dies."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    @property
    def twice(self) -> str:
        """Who plays in the first two jobs."""
        one, other = ({entrant.entrant for entrant in job.entrants} for job in self.jobs[:2])
        (name,) = one & other
        return name

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        self.jobs.append(args[0])
        future: Future[Any] = Future()
        if len(self.jobs) == 2:
            blame = Blame(kind="start_timeout", seat=1, ruling="none", message="no hello")
            failed = Unstartable(entrant=self.twice, blame=blame)
            future.set_result([failed])
        elif len(self.jobs) == 3:
            future.set_exception(OSError("the worker died"))
        else:
            future.set_result(World({sys.executable: Player}).play(args[0]).reports)
        return future


def test_a_failed_start_of_one_that_has_played_elsewhere_is_logged_by_the_next_job(
    tmp_path: Path,
) -> None:
    """It was not known to be able to start when its job began, and was by the time it failed."""
    work = league(tmp_path, "first_legal", "first_legal", "first_legal", sets=1, workers=1)
    executor = Failing()
    outcome = run(work, executor=lambda _: executor)
    assert outcome.complete
    assert outcome.state.unstartable == {}
    name = executor.twice
    assert [sorted(job.failed) for job in executor.jobs] == [[], [], [name], [name], []]
    notes = outcome.state.results[0].notes
    assert {name: dict(+its.faults) for name, its in notes.items()} == {
        entrant.id: {"start_timeout": 1} if entrant.id == name else {} for entrant in work.entrants
    }
    check(work)
    (blame,) = [
        blame
        for path in (work.folder / "logs").iterdir()
        for record in read(path).sets.values()
        for _, line, _ in record.deals()
        for blame in line.side.blame
    ]
    assert (blame.kind, blame.seat, blame.ruling) == ("start_timeout", 1, "none")
    assert blame.message == "before this table: no hello"
