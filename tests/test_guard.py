"""What bots can fill at level basic: who did it is proven, or nobody is blamed."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
import zmq
from msgspec import structs

from referee.arena import Arena
from referee.job import Job, Report
from referee.seats import guard, suspects
from referee.seats.bot import BotCommand, BotSeat
from referee.seats.zeromq import ZeroMQLink
from tests.arena_help import Outcome, bot, job, play

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not tell")


def bad(mode: str) -> BotCommand:
    """A bot that misbehaves on seat 0 alone."""
    return bot("bad", f"zoo:{mode}", ZOO_SEAT="0")


def work(folder: Path, *entrants: BotCommand) -> Job:
    return job(folder, entrants, decision_ms=20_000, start_ms=20_000)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["endless_parts_much", "parts_elsewhere"])
def test_whoever_is_not_seen_sending_is_found_by_what_cutting_frees(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspects, "sending", lambda found: [0] * len(found))
    outcome = play(work(tmp_path, bad(mode), bot("good", "first_legal")))
    assert outcome.voided == []
    (blame,) = outcome.blame("bad")
    assert (blame.kind, blame.ruling) == ("flood", "forfeit")
    assert "made the referee grow by" in blame.message
    assert outcome.blame("good") == []


@pytest.mark.parametrize(("at_once", "later"), [(60, 17), (20, 57), (17, 0)])
def test_what_is_freed_late_is_no_proof_against_the_next(
    at_once: int, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """libzmq frees what a cut connection held bit by bit; meanwhile nobody else is tried."""
    freed_from: list[float] = []
    blamed: list[object] = []
    cut: list[object] = []

    def held(self: guard.Guard) -> int:
        left = at_once + later
        if freed_from:
            left -= at_once
            left -= min(later, int((time.monotonic() - freed_from[0]) * 200))
        return left * guard.MB

    def cut_off(ends: Iterable[object]) -> None:
        cut.extend(ends)
        freed_from[:] = freed_from or [time.monotonic()]

    monkeypatch.setattr(guard.Guard, "_held", held)
    monkeypatch.setattr(guard, "_cut", cut_off)
    monkeypatch.setattr(guard.Guard, "_blame", lambda self, bot, text: blamed.append(bot))
    made = [suspects.Suspect(3, BotSeat.__new__(BotSeat)) for _ in range(2)]
    for suspect in made:
        suspect.ends = [suspect]  # type: ignore[list-item]
        suspect.harmed = True
    scene = SimpleNamespace(
        endless=lambda urgent: [0, 0],
        suspects=lambda sent, everybody: [*made],
        delivers=lambda end: False,
    )
    watch = guard.Guard(list)
    watch._base, watch._limit = 0, 48 * guard.MB
    began = time.monotonic()
    assert watch._try_suspects(scene, held(watch)) == "proven"  # type: ignore[arg-type]
    assert blamed == [made[0].bot]
    assert cut == [made[0]]
    assert held(watch) == 0, "it goes on before all is freed"
    assert time.monotonic() - began < 5


@pytest.mark.slow
def test_a_bot_that_is_cut_off_without_proof_is_not_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_PROOF_BYTES", 1 << 40)
    monkeypatch.setattr(guard, "_PROOF_SECONDS", 0.05)
    outcome = play(work(tmp_path, bad("endless_parts_much"), bot("good", "first_legal")))
    (void,) = outcome.voided
    assert (void.set, void.blame) == (0, [])
    assert outcome.sets == {}
    assert outcome.unstartable == []


def no_heaps() -> None:
    raise OSError("another C library")


@pytest.fixture(params=["heaps", "no heaps"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the C library tells its heaps apart."""
    if request.param == "no heaps":
        monkeypatch.setattr(guard, "Heaps", no_heaps)


@pytest.mark.usefixtures("library")
def test_a_worker_that_grows_by_itself_plays_on(tmp_path: Path) -> None:
    held: list[bytes] = []
    reports: list[Report] = []

    def report(message: Report) -> None:
        reports.append(message)
        if not held:
            held.append(os.urandom(100 * guard.MB))

    pair = [bad("late_once"), bot("good", "first_legal")]
    Arena(work(tmp_path, *pair), report).run()
    outcome = Outcome(reports)
    assert outcome.voided == []
    assert list(outcome.sets) == [0]
    assert outcome.blame("bad") == outcome.blame("good") == []


NOTING = """
from protocol.bot import Bot
from protocol.messages import Act
class Noting(Bot):
    def decide(self, ask):
        return Act(id=ask.id, action=ask.legal[0], note={"v": ["x" * 20] * 80})
Noting("noting", tables=64, batch=False).run()
"""


@pytest.mark.usefixtures("library")
def test_bots_that_answer_much_at_once_are_not_cut_off_for_what_tables_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their answers wait in the kernel while the worker is busy and grows by notes and lines."""
    looked: list[int] = []
    cut: list[object] = []
    resident = guard.Guard._resident

    def look(self: guard.Guard) -> int:
        looked.append(resident(self))
        return looked[-1]

    monkeypatch.setattr(guard.Guard, "_resident", look)
    monkeypatch.setattr(guard, "_cut", cut.extend)
    entrants = [
        BotCommand(entrant=name, argv=[sys.executable, "-c", NOTING]) for name in ("one", "two")
    ]
    outcome = play(
        job(tmp_path, entrants, sets=30, unit="game", decision_ms=20_000, start_ms=20_000)
    )
    assert max(looked) - looked[0] > guard.UNFINISHED_BYTES, "it has not grown: more notes"
    assert cut == []
    assert outcome.voided == []
    assert sorted(outcome.sets) == list(range(30))


@pytest.mark.slow
def test_a_message_without_an_end_is_found_where_no_heaps_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "Heaps", no_heaps)
    outcome = play(work(tmp_path, bad("endless_parts_much"), bot("good", "first_legal")))
    assert outcome.voided == []
    (blame,) = outcome.blame("bad")
    assert (blame.kind, blame.ruling) == ("flood", "forfeit")
    assert "made the referee grow by" in blame.message
    assert outcome.blame("good") == []


def test_a_guard_that_fails_says_so_and_blames_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: guard.Guard) -> None:
        raise ValueError("no such number")

    monkeypatch.setattr(guard.Guard, "_look", fail)
    outcome = play(work(tmp_path, bot("one", "first_legal"), bot("good", "zoo:always_slow")))
    (void,) = outcome.voided
    assert void.blame == []
    assert void.reason == (
        "what bots send could not be watched any more: ValueError('no such number')"
    )


def test_time_in_which_a_bot_was_made_to_stand_still_is_not_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrants = [bad("late_once"), bot("good", "first_legal")]

    def limits() -> set[str]:
        outcome = play(job(tmp_path, entrants, decision_ms=400))
        return {blame.kind for blame in outcome.blame("bad")}

    assert "timeout" in limits()
    monkeypatch.setattr(guard.Guard, "stood_still", lambda self, bot, since: 30.0)
    assert "timeout" not in limits()


def test_pauses_are_counted_from_when_one_asks_also_while_they_last() -> None:
    pauses = suspects.Pauses()
    process = subprocess.Popen(["sleep", "20"])
    seat = BotSeat.__new__(BotSeat)
    seat.process = SimpleNamespace(keeper_pid=os.getpid())  # type: ignore[assignment]
    try:
        before = time.monotonic()
        with pauses.paused([seat]):
            time.sleep(0.05)
            assert state(process.pid) == "T"
            assert 0.05 <= pauses.seconds(seat, before) <= time.monotonic() - before
            assert pauses.seconds(seat, time.monotonic() + 100) == 0
        whole = pauses.seconds(seat, before)
        assert pauses.seconds(seat, before) == whole >= 0.05
        assert pauses.seconds(seat, time.monotonic()) == 0
        assert state(process.pid) != "T"
    finally:
        process.kill()
        process.wait()


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


class Keeper:
    """A bot as the guard sees it, whose processes are below a given one."""

    def __init__(self, pid: int) -> None:
        self.kills = 0
        self.keeper_pid = pid
        self.link = ZeroMQLink.__new__(ZeroMQLink)
        self.link.strays = {}
        self.process = self

    def kill(self) -> None:
        self.kills += 1


def watching(*bots: Keeper) -> tuple[guard.Guard, list[suspects.Watched]]:
    made = guard.Guard(list)
    return made, [suspects.Watched(one, one.link, False) for one in bots]  # type: ignore[arg-type]


def test_strays_are_counted_for_bots_and_not_for_numbers_of_processes() -> None:
    """The number of a process that has ended may be the next one's."""
    with subprocess.Popen(["sleep", "20"]) as process:
        later = Keeper(process.pid)
        made, watched = watching()
        made._count_strays({process.pid: guard.MOST_STRAYS}, watched)  # somebody's who has gone
        made, watched = watching(later)
        made._count_strays({process.pid: 1}, watched)
        made.check()
        assert later.kills == 0
        made._count_strays({process.pid: guard.MOST_STRAYS}, watched)
        assert later.kills == 0, "only the thread that frees its handle may use it"
        made.check()
        made.check()
        assert later.kills == 1
        process.kill()


def test_the_guard_ends_with_the_job_and_watches_nobody_that_cannot_connect(
    tmp_path: Path,
) -> None:
    seen: list[list[str]] = []

    def report(message: Report) -> None:
        seen.append([thread.name for thread in threading.enumerate()])

    pair = [bot("one", "first_legal"), bot("two", "first_legal")]
    Arena(work(tmp_path, *pair), report).run()
    assert any("guard" in names for names in seen)
    assert "guard" not in [thread.name for thread in threading.enumerate()]
    seen.clear()
    mode = [structs.replace(one, argv=[*one.argv], transport="stdio") for one in pair]
    Arena(work(tmp_path, *mode), report).run()
    assert not any("guard" in names for names in seen)


def test_what_strangers_break_off_before_hello_is_not_kept(tmp_path: Path) -> None:
    """Each broken connection is an event that takes memory until it is read."""
    context = zmq.Context[zmq.Socket[bytes]]()
    seat = BotSeat.__new__(BotSeat)
    seat.state, seat._silent_since = "starting", None
    seat.link = link = ZeroMQLink(context, f"ipc://{tmp_path}/a")
    for _ in range(50):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(f"{tmp_path}/a")
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
    assert link._monitor.poll(10_000)
    deadline = time.monotonic() + 10
    while link._monitor.poll(300) and time.monotonic() < deadline:
        seat.tick(0.0)
    assert not link._monitor.poll(0)
    link.close()
    context.term()
