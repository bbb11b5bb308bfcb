"""What bots can fill at level basic: who did it is proven, or nobody is blamed."""

import os
import re
import socket
import sys
import threading
import time
from pathlib import Path

import pytest
import zmq
from msgspec import structs

from referee.arena import Arena
from referee.job import Job, Report
from referee.seats import guard
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
    monkeypatch.setattr(guard, "_sending", lambda found: [0] * len(found))
    outcome = play(work(tmp_path, bad(mode), bot("good", "first_legal")))
    assert outcome.voided == []
    (blame,) = outcome.blame("bad")
    assert (blame.kind, blame.ruling) == ("flood", "forfeit")
    assert "made the referee grow by" in blame.message
    assert outcome.blame("good") == []


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


def test_a_worker_that_grows_by_itself_blames_nobody(tmp_path: Path) -> None:
    held: list[bytes] = []
    reports: list[Report] = []

    def report(message: Report) -> None:
        reports.append(message)
        if not held:
            held.append(os.urandom(100 * guard.MB))

    slow = structs.replace(bot("good", "zoo:always_slow"))
    Arena(work(tmp_path, bot("one", "first_legal"), slow), report).run()
    outcome = Outcome(reports)
    (void,) = outcome.voided
    assert void.blame == []
    assert re.search(
        r"^the worker (had grown too much, and a bot was cut off that had not done it|"
        r"has grown by \d+ MB, the limit is 64 MB, and no bot is known to have done it)$",
        void.reason,
    ), void.reason
    assert outcome.sets == {}


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
