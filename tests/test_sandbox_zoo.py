"""Bad bots inside sandboxes: the same faults as outside, and whatever they do hits them alone."""

import os
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.rulings import Blame
from referee.seats.sandbox import Level
from referee.table import PlayRecord
from tests.arena_help import Outcome, bot, job, play
from tests.bad_bots.table import (
    CONTAINED,
    GROUPED,
    LIFE,
    NAMES,
    PROCESSES,
    RESOURCES,
    ROWS,
    STDIO,
    TRANSPORT,
    Row,
)
from tests.sandbox_help import need
from tests.test_zoo import check_play, check_start, peak_kb, survivors, work_of

GROWTH_KB = 16 * 1024
"""What one bad bot may make the worker grow: it has no libzmq that a bot could fill."""

PROBE = Path(__file__).parent / "bad_bots" / "probe.py"

# The parent of a bot is here the one inside its sandbox, with which it only stops itself.
ELSEWHERE = {"kills_keeper", "stops_keeper"}

_OTHERWISE = {(row.mode, row.transport): row for row in CONTAINED}
LINUX = [
    _OTHERWISE.get((row.mode, row.transport), row)
    for row in [*LIFE, *TRANSPORT, *PROCESSES, *RESOURCES, *STDIO]
    if not row.alone and row.mode not in ELSEWHERE
]
BOX = [
    row for row in [*LIFE[:8], *PROCESSES, *RESOURCES, *NAMES[:2]]
    if not row.alone and row.mode not in ELSEWHERE
]  # fmt: skip
# What is added to a level shows in what a bot does with processes, memory and files.
ADDED = [
    row for row in [*LIFE[:3], *PROCESSES, *RESOURCES, *STDIO[:1], *GROUPED]
    if not row.alone and row.mode not in ELSEWHERE
]  # fmt: skip
CASES: list[tuple[Level, Row]] = [
    *(("linux", row) for row in LINUX),
    *(("linux+cgroup", row) for row in GROUPED),
    *(("linux+uid+cgroup", row) for row in ADDED),
    *(("bwrap", row) for row in BOX),
    *(("bwrap+uid+cgroup", row) for row in ADDED),
]


def played(level: Level, row: Row, folder: Path) -> Outcome:
    """Play a row's set in sandboxes; again where the machine was too busy, as a league would."""
    for attempt in range(3):
        run = f"{os.getpid()}-{time.monotonic_ns()}"
        work = work_of(row, folder, run)
        bad, good = work.entrants
        seen = (str(Path(__file__).parent), str(folder))
        outcome = play(
            replace(work, sandbox=level, entrants=[replace(bad, readable=seen), good])
        )
        assert survivors(run) == []
        if not outcome.voided:
            break
        assert attempt < 2, outcome.voided
    return outcome


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PlayRecord]:
    """The same set without a bad bot: the play of each table, by the entrant on seat 0."""
    folder = tmp_path_factory.mktemp("clean")
    outcome = play(job(folder, [bot("bad", "first_legal"), bot("good", "first_legal")]))
    return {record.seats[0]: record for record in outcome.plays}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "row"), CASES,
    ids=[f"{level}-{row.area}-{row.mode}-{row.transport}" for level, row in CASES],
)  # fmt: skip
def test_a_misbehaviour_in_a_sandbox_is_ruled_on_as_outside(
    level: Level, row: Row, clean: dict[str, PlayRecord], tmp_path: Path
) -> None:
    need(level)
    start = peak_kb()
    start = peak_kb()
    outcome = played(level, row, tmp_path)
    assert peak_kb() - start < GROWTH_KB
    if row.playable:
        check_play(row, outcome, clean)
    else:
        check_start(row, outcome)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["linux", "bwrap", "linux+uid+cgroup", "bwrap+uid+cgroup"])
@pytest.mark.parametrize("mode", sorted(ELSEWHERE))
def test_a_bot_that_attacks_its_parent_stops_itself(
    level: Level, mode: str, clean: dict[str, PlayRecord], tmp_path: Path
) -> None:
    need(level)
    row = next(row for row in ROWS if row.mode == mode)._replace(decision_ms=400)
    outcome = played(level, row, tmp_path)
    blame = outcome.blame("bad")
    assert {one.seat for one in blame} == {0}
    assert {one.kind for one in blame} <= {"crashed", "timeout"}
    assert outcome.blame("good") == []
    other = next(play for play in outcome.plays if play.seats[0] == "good")
    assert other.actions == clean["good"].actions


def attacked(level: Level, mode: str, folder: Path, transport: str = "zeromq") -> Blame:
    """How a bot was ruled on that attacks its relay at its third ask."""
    command = bot("bad", "first_legal", ZOO_SEAT="0")
    argv = [sys.executable, str(PROBE), mode]
    bad = replace(
        command, argv=argv, transport=transport, readable=(str(Path(__file__).parent),)
    )
    work = job(folder, [bad, bot("good", "first_legal")], decision_ms=6000, start_ms=15_000)
    start = peak_kb()
    start = peak_kb()
    outcome = play(replace(work, sandbox=level))
    assert peak_kb() - start < GROWTH_KB
    assert outcome.blame("good") == []
    assert outcome.voided == []
    assert len(outcome.plays) == 2
    blame = outcome.blame("bad")
    assert {one.seat for one in blame} == {0}
    return blame[-1]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["linux", "bwrap", "bwrap+uid+cgroup"])
@pytest.mark.parametrize("transport", ["zeromq", "tcp"])
def test_a_message_without_end_fills_the_relay_of_its_bot(
    level: Level, transport: str, tmp_path: Path
) -> None:
    need(level)
    blame = attacked(level, "endless_parts", tmp_path, transport)
    assert (blame.kind, blame.ruling) == ("resource", "forfeit")
    assert "128 MB of messages and 512 connections" in blame.message


@pytest.mark.slow
def test_connections_without_end_are_the_end_of_the_relay_of_their_bot(tmp_path: Path) -> None:
    need("linux")
    blame = attacked("linux", "connections", tmp_path)
    assert (blame.kind, blame.ruling) == ("resource", "forfeit")
    assert "128 MB of messages and 512 connections" in blame.message
