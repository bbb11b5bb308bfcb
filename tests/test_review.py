"""Odd deaths, full queues, late referees, and results folders in a bad state."""

import os
import resource
import socket
import sys
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from protocol.bot import Bot
from protocol.messages import Ask
from referee.arena import Arena
from referee.cards import commitment
from referee.errors import ConfigError, LogError
from referee.job import Job, Unstartable
from referee.league.config import LeagueConfig, league_of
from referee.league.entrants import EntrantConfig
from referee.league.folder import Folder
from referee.live import LiveTable
from referee.log import (
    DealLine,
    End,
    append_bytes,
    decode_play,
    encoded,
    lines_of,
    read,
)
from referee.rulings import Blame
from referee.seats.zeromq import SocketFolder, ZeroMQLink
from tests.arena_help import bot, job, play
from tests.test_runner import SECRET, Here, Notes, Spoiling, league, run

# ---- the results folder ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["nonsense", '{"x": "\\u00e4"}', '{"x": 5}', "\u00e4", "[]", '{"x": "' + "0B" * 32 + '"}'],
)
def test_a_broken_file_of_secrets_is_one_message(text: str, tmp_path: Path) -> None:
    (tmp_path / "revealed.json").write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match="revealed"):
        Folder(tmp_path).revealed()


def test_a_secret_cut_off_by_a_kill_does_not_stop_the_next_run(tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=1)
    work.folder.mkdir()
    (work.folder / "secret").write_text("")
    assert run(work, executor=lambda listener: Here()).complete
    (work.folder / "secret").write_text("\u00e4", encoding="utf-8")
    with pytest.raises(ConfigError, match="secret"):
        run(league(tmp_path, "first_legal", "random_legal", sets=2), secret=None)


def test_a_secret_that_is_out_deals_no_more_sets(tmp_path: Path) -> None:
    """A kill may come between the publication of a secret and the removal of its file."""
    one = league(tmp_path, "first_legal", "random_legal", sets=1)
    run(one, executor=lambda listener: Here())
    (one.folder / "secret").write_text(SECRET)
    assert run(one, secret=None, executor=lambda listener: Here()).complete
    (one.folder / "secret").write_text(SECRET)
    two = league(tmp_path, "first_legal", "random_legal", sets=2)
    assert run(two, secret=None, executor=lambda listener: Here()).commitment != commitment(SECRET)


def test_a_league_with_many_options_still_has_a_file_name(tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=1)
    folder = Folder(work.folder)
    one = folder.log_path("huutopussi", "r[" + "x" * 300 + "]", "a+b")
    other = folder.log_path("huutopussi", "r[" + "x" * 301 + "]", "a+b")
    assert not one.exists()
    assert one != other


def test_a_write_that_does_not_fit_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"x" * 1000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, hard))
    try:
        with pytest.raises(LogError, match="written"):
            append_bytes(path, b"y" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"x" * 1000


def test_a_changed_program_is_noticed_wherever_the_referee_runs(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    config = LeagueConfig(
        name="t", rules="wikibooks-2",
        entrants=[EntrantConfig(id="mine", bot="python mine.py"), EntrantConfig(id="first_legal")],
    )  # fmt: skip
    program.write_text("one")
    before = league_of(config, tmp_path).entrants[1].record
    program.write_text("other")
    after = league_of(config, tmp_path).entrants[1].record
    assert before.id == "mine"
    assert before.digest != after.digest


# ---- runs --------------------------------------------------------------------------------------


def test_a_set_void_three_times_stays_so_when_the_league_grows(tmp_path: Path) -> None:
    small = league(tmp_path, "first_legal", "random_legal", sets=2)
    assert run(small, executor=lambda listener: Spoiling(3)).voided == 1
    grown = league(tmp_path, "first_legal", "random_legal", sets=3)
    assert run(grown, secret=None, executor=lambda listener: Here()).voided == 1
    (path,) = (small.folder / "logs").iterdir()
    assert sorted(read(path).sets) == [1, 2]
    again = run(grown, secret=None, executor=lambda listener: Here())
    assert again.state.before == 3
    assert again.state.results[0].voids == 3
    retried = run(grown, secret=None, retry=True, executor=lambda listener: Here())
    assert retried.voided == 0
    assert run(grown, secret=None, executor=lambda listener: Here()).voided == 0
    assert sorted(read(path).sets) == [0, 1, 2]


class Late(Executor):
    """Says of its first job that a bot cannot start, after another job has been played."""

    def __init__(self) -> None:
        self.first: tuple[Future[Any], Job] | None = None
        self.jobs = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self.jobs += 1
        if self.jobs == 1:
            self.first = future, args[0]
            return future
        future.set_result(fn(*args, **kwargs))
        if self.first and self.jobs == 3:
            blame = Blame(kind="start_timeout", seat=0, ruling="none", message="slow today")
            name = self.first[1].entrants[0].entrant
            self.first[0].set_result([Unstartable(entrant=name, blame=blame)])
        return future


def test_an_entrant_that_has_played_in_this_run_is_not_called_unable_to_start(
    tmp_path: Path,
) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=7, workers=2)
    outcome = run(work, executor=lambda listener: Late())
    assert outcome.complete
    assert outcome.not_playable == 0
    assert len(outcome.state.results[0].results) == 7


def test_a_log_that_cannot_be_written_is_not_a_dead_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise LogError("the disk is full")

    monkeypatch.setattr("referee.league.runner.append_bytes", full)
    notes = Notes()
    with pytest.raises(LogError, match="the disk is full"):
        run(league(tmp_path, "first_legal", "random_legal"), notes=notes,
            executor=lambda listener: Here())  # fmt: skip
    assert not any("died" in text for text in notes.said)


def test_fewer_sets_than_there_are_with_a_gap_are_refused(tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=3)
    run(work, executor=lambda listener: Here())
    (path,) = (work.folder / "logs").iterdir()
    lines = lines_of(path.read_bytes())
    ends = [line for line in lines if isinstance(line, End)]
    gap = [line for line in lines if isinstance(line, DealLine) and decode_play(line.play).set == 1]
    left = [line for line in lines if line not in ends + gap]  # as two workers may leave it
    path.write_bytes(encoded(left))
    (work.folder / "revealed.json").unlink()
    (work.folder / "secret").write_text(SECRET)
    with pytest.raises(ConfigError, match="sets"):
        run(league(tmp_path, "first_legal", "random_legal", sets=1), secret=None,
            executor=lambda listener: Here())  # fmt: skip


# ---- bots --------------------------------------------------------------------------------------


def test_a_crowd_of_connections_stops_nobody(tmp_path: Path) -> None:
    """Each broken connection is an event; a full queue of them must not stop libzmq's thread."""
    context, other = zmq.Context[zmq.Socket[bytes]](), zmq.Context[zmq.Socket[bytes]]()
    crowded = ZeroMQLink(context, f"ipc://{tmp_path}/a")
    link = ZeroMQLink(context, f"ipc://{tmp_path}/b")
    dealer = other.socket(zmq.DEALER)
    dealer.connect(f"ipc://{tmp_path}/b")
    made, until = 0, time.monotonic() + 20
    while made < 2300 and time.monotonic() < until:
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.settimeout(0.1)
            try:
                stranger.connect(f"{tmp_path}/a")
                stranger.sendall(b"\xff" + b"\0" * 8 + b"\x7f" + b"\0" * 60)
            except OSError:
                continue
            made += 1
    assert made == 2300
    dealer.send(b"still there")
    assert link.socket.poll(5000)
    assert link.receive(1)[0].data == b"still there"
    crowded.close()
    link.close()
    dealer.close(0)
    other.term()
    context.term()


def test_what_a_process_sent_before_it_ended_is_waited_for(tmp_path: Path) -> None:
    context, other = zmq.Context[zmq.Socket[bytes]](), zmq.Context[zmq.Socket[bytes]]()
    link = ZeroMQLink(context, f"ipc://{tmp_path}/a")
    dealer = other.socket(zmq.DEALER)
    dealer.connect(f"ipc://{tmp_path}/a")
    dealer.send(b"the answer")
    dealer.close(2000)
    other.term()
    link.await_drop(5)
    assert [received.data for received in link.receive(5)] == [b"the answer"]
    link.close()
    context.term()


def test_what_bots_have_written_is_removed_however_deep_it_is() -> None:
    folder = SocketFolder()
    here, limit = os.getcwd(), sys.getrecursionlimit()
    os.chdir(folder.path)
    try:
        for _ in range(200):
            os.mkdir("d")
            os.chdir("d")
        os.chdir(here)
        sys.setrecursionlimit(200)
        folder.close()
    finally:
        os.chdir(here)
        sys.setrecursionlimit(limit)
    assert not os.path.exists(folder.path)


def test_a_note_as_deep_as_can_be_read_spoils_no_log(tmp_path: Path) -> None:
    """What a worker can still write, the coordinator and later readers must be able to read."""
    live = LiveTable.__new__(LiveTable)
    live._notes = []
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    live.noted(0, {"a": deep})
    line = msgspec.json.encode(live._notes)
    assert len(line) < 200
    live.noted(0, {"a": [{"b": [1, 2, {"c": None}]}]})
    assert b'"c":null' in msgspec.json.encode(live._notes)


def test_a_keeper_that_cannot_work_is_not_the_bots_fault(tmp_path: Path) -> None:
    entrants = [bot("one", "first_legal"), bot("two", "first_legal")]
    with pytest.raises(RuntimeError, match="step keeper"):
        play(job(tmp_path / "nowhere", entrants))


def test_a_closed_connection_is_no_timeout_however_short_the_clock(tmp_path: Path) -> None:
    entrants = [bot("bad", "zoo:close"), bot("good", "first_legal")]
    outcome = play(job(tmp_path, entrants, decision_ms=100))
    assert [b.kind for b in outcome.blame("bad")] == ["disconnected"] * 2


def test_the_referee_being_late_before_an_ask_excuses_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = Arena._flush
    slept: list[bool] = []

    def late(self: Arena) -> None:
        due = [p for p in self._to_ask if p.bot.command.entrant == "bad" and p.unsent[0].id == 3]
        if due and not slept:
            slept.append(True)
            time.sleep(0.3)
        flush(self)

    monkeypatch.setattr(Arena, "_flush", late)
    entrants = [bot("bad", "zoo:silent"), bot("good", "first_legal")]
    outcome = play(job(tmp_path, entrants))
    assert outcome.voided == []
    assert [b.kind for b in outcome.blame("bad")] == ["timeout"] * 2


def test_the_client_passes_over_what_it_does_not_know_in_a_batch_too() -> None:
    class First(Bot):
        def decide(self, ask: Ask) -> str:
            return ask.legal[0]

    sent: list[bytes] = []

    data = b'{"type":"batch","messages":[{"type":"news","of":1},{"type":"ping","id":4}]}'
    assert First("f")._take(sent.append, data)
    assert sent == [b'{"type":"pong","id":4}']
