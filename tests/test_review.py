"""What once went wrong, or nearly: forged logs, odd deaths, full queues, folders in a bad state."""

import os
import resource
import socket
import sys
import time
from collections.abc import Callable
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
from referee.errors import ConfigError, LogError, LogMismatch
from referee.games.rulesets import game_named
from referee.job import Job, Played, Report, Unstartable
from referee.league.config import EntrantConfig, LeagueConfig, league_of
from referee.league.folder import Folder
from referee.league.plan import logged_seatings
from referee.league.runner import Runner
from referee.live import LiveTable
from referee.log import (
    DealLine,
    End,
    Line,
    Unplayed,
    Void,
    append_bytes,
    deal_line,
    encoded,
    lines_of,
    parse,
    read,
)
from referee.replay import Verified, verify
from referee.rulings import Blame, Substitution
from referee.seats.bot import BotSeat
from referee.seats.zeromq import SocketFolder, ZeroMQLink
from tests.arena_help import bot, job, play
from tests.test_replay import REVEALED, SIDE, header, log_of, played
from tests.test_runner import SECRET, Here, Notes, league, run

# ---- forged logs -------------------------------------------------------------------------------

TWO = game_named("huutopussi", "wikibooks-2")
THREE = game_named("huutopussi", "wikibooks-3")


def checked(lines: list[Any], secrets: dict[str, str] | None = None) -> Verified:
    log = parse(Path("a.jsonl"), encoded(lines))
    return verify(log, REVEALED if secrets is None else secrets, logged_seatings)


def ended(lines: list[Any]) -> list[Any]:
    """Lines with a fitting end line behind them, as a forger would write it."""
    log = parse(Path("a.jsonl"), encoded(lines))
    return [*lines, End(sets=len(log.sets), digest=log.digest())]


def good(sets: int = 2) -> list[Any]:
    return [header(TWO), *(line for number in range(sets) for line in played(TWO, number))]


def changed(line: DealLine, **fields: object) -> DealLine:
    play = msgspec.json.decode(line.play, type=__import__("referee.table").table.PlayRecord)
    return deal_line(msgspec.structs.replace(play, **fields), SIDE)


def forfeited(number: int, table: int, nets: list[float] | None, **more: Any) -> Unplayed:
    seats = [["e0", "e1"], ["e1", "e0"]][table]
    blame = [Blame(kind="crashed", seat=0, ruling="forfeit", message="three hard faults")]
    fields = {"reason": "forfeited", "seats": seats, "blame": blame} | more
    return Unplayed(set=number, table=table, nets=nets, **fields)


LOW = TWO.lowest_net()


def test_an_honest_log_is_verified() -> None:
    assert checked(ended(good())).sets == 2
    lines = [*good(1), forfeited(1, 0, [LOW, 0.0]), forfeited(1, 1, [LOW, 0.0])]
    assert checked(ended(lines)).unplayed == 2


@pytest.mark.parametrize(
    "line",
    [
        forfeited(1, 0, [0.0, 0.0]),
        forfeited(1, 0, [0.0, LOW]),
        forfeited(1, 0, [-1.0, 0.0]),
        forfeited(1, 0, [LOW]),
        forfeited(1, 0, []),
        forfeited(1, 0, None),
        forfeited(1, 0, [LOW, 0.0], blame=[]),
        forfeited(1, 0, [LOW, 0.0], reason="not_playable"),
        forfeited(1, 0, [LOW, 0.0], seats=["e1", "e0"]),
        forfeited(1, 0, [LOW, 0.0], seats=["e0"]),
    ],
)
def test_a_forged_unplayed_line_is_caught(line: Unplayed) -> None:
    with pytest.raises(LogMismatch, match="line 4"):
        checked(ended([*good(1), line, forfeited(1, 1, [LOW, 0.0])]))


def test_an_unplayed_line_beside_the_deal_of_the_same_table_is_caught() -> None:
    lines = good(1)
    for forged in (
        [lines[0], lines[1], forfeited(0, 0, [LOW, 0.0]), lines[2]],
        [lines[0], forfeited(0, 0, [LOW, 0.0]), lines[1], lines[2]],
    ):
        with pytest.raises(LogMismatch, match="table 0"):
            checked(ended(forged))


def test_a_set_is_not_playable_as_a_whole_or_not_at_all() -> None:
    line = forfeited(0, 1, None, reason="not_playable", blame=[])
    with pytest.raises(LogMismatch, match="not playable"):
        checked(ended([*good(1)[:2], line]))


@pytest.mark.parametrize("table", [-1, 2, 5])
def test_tables_that_no_set_has_are_caught(table: int) -> None:
    lines = good(1)
    forged = [lines[0], lines[1], changed(lines[2], table=table)]
    with pytest.raises(LogMismatch, match="line 3"):
        checked(ended(forged))
    with pytest.raises(LogMismatch, match="line 3"):
        checked([*lines[:2], forfeited(0, 1, [LOW, 0.0], table=table)] if False else forged, {})


def test_a_deal_after_the_last_one_of_its_table_is_caught() -> None:
    lines = good(1)
    for extra in (lines[1], changed(lines[1], deal=1)):
        with pytest.raises(LogMismatch, match="line 3"):
            checked(ended([lines[0], lines[1], extra, lines[2]]))


@pytest.mark.parametrize(
    "ruling",
    [
        Substitution(at=0, seat=0, kind="infrastructure", ruling="forfeit"),
        Substitution(at=0, seat=0, kind="start_failed", ruling="forfeit"),
        Substitution(at=0, seat=7, kind="crashed", ruling="forfeit"),
        Substitution(at=0, seat=-1, kind="crashed", ruling="forfeit"),
    ],
)
def test_a_ruling_that_no_referee_gives_is_caught(ruling: Substitution) -> None:
    lines = good(1)
    with pytest.raises(LogMismatch, match=r"line 2.*rulings"):
        checked(ended([lines[0], changed(lines[1], rulings=[ruling]), lines[2]]))


def test_a_set_that_is_there_twice_is_caught() -> None:
    lines = good(2)
    with pytest.raises(LogMismatch, match="set 0"):
        checked(ended([*lines, *lines[1:3]]))
    unplayable = [
        forfeited(0, table, None, reason="not_playable", blame=[]) for table in (0, 1)
    ]
    assert checked(ended([lines[0], *unplayable, *lines[1:]])).sets == 2  # played on a retry


def test_a_missing_set_is_caught_where_all_should_be_there() -> None:
    lines = good(3)
    gap = [*lines[:3], *lines[5:]]
    with pytest.raises(LogMismatch, match="set 1"):
        checked(ended(gap))
    void = [Void(set=1, attempt=attempt, reason="late") for attempt in (1, 2, 3)]
    assert checked(ended([*lines[:3], *void, *lines[5:]])).sets == 2


def test_an_end_line_must_fit_and_be_there_once_the_secret_is_out() -> None:
    lines = ended(good(2))
    end = lines[-1]
    with pytest.raises(LogMismatch, match="end line: sets"):
        checked([*lines[:-1], End(sets=3, digest=end.digest)])
    with pytest.raises(LogMismatch, match="end line: digest"):
        checked([*lines[:-1], End(sets=2, digest="0" * 64)])
    with pytest.raises(LogMismatch, match="no end line"):
        checked(lines[:-1])
    assert checked(lines[:-1], {}).sets == 2


@pytest.mark.parametrize(
    ("fields", "phrase"),
    [
        ({"tables": 1}, "tables"),
        ({"seating": "rotate"}, "seating"),
        ({"pairing": "e0+e2"}, "pairing"),
        ({"ruleset": "nowhere"}, "ruleset"),
        ({"ruleset": "wikibooks-2[bid_step=10]"}, "rules"),
        ({"rules": {}}, "rules"),
    ],
)
def test_an_edited_header_is_caught(fields: dict[str, Any], phrase: str) -> None:
    first, *rest = good(2)
    if fields.get("rules") == {}:
        fields = {"rules": dict(first.rules) | {"max_bid": 100}}
    with pytest.raises(LogMismatch, match=phrase):
        checked([msgspec.structs.replace(first, **fields), *rest], {})


def test_entrants_turned_around_with_all_their_seats_are_caught() -> None:
    first, *rest = good(2)
    turned = msgspec.structs.replace(first, entrants=first.entrants[::-1])
    swapped = [
        changed(line, seats=["e1", "e0"] if place % 2 == 0 else ["e0", "e1"])
        for place, line in enumerate(rest)
    ]
    with pytest.raises(LogMismatch, match="entrants"):
        checked(ended([turned, *swapped]))


def test_a_second_header_of_another_league_is_caught() -> None:
    lines = good(2)
    other = msgspec.structs.replace(lines[0], soft_faults=9, commitment=commitment("0f" * 32))
    with pytest.raises(LogMismatch, match="soft_faults"):
        checked([*lines[:3], other, *lines[3:]], {})


@pytest.mark.parametrize("seats", [["e0", "e0", "e0"], ["x", "y", "z"], ["e1", "e0"]])
def test_seats_of_individuals_are_checked_before_the_secret_is_out(seats: list[str]) -> None:
    lines = [header(THREE), *played(THREE, 0)]
    assert checked(lines, {}).deals == 3
    for place in (1, 2, 3):
        forged = [*lines[:place], changed(lines[place], seats=seats), *lines[place + 1 :]]
        with pytest.raises(LogMismatch, match="seats"):
            checked(forged, {})
    turned = [*lines[:2], changed(lines[2], seats=_seats(lines[1])), lines[3]]
    with pytest.raises(LogMismatch, match="seats"):
        checked(turned, {})


def _seats(line: DealLine) -> list[str]:
    found = msgspec.json.decode(line.play)["seats"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    "text", ["nonsense", '{"x": "\\u00e4"}', '{"x": 5}', "\u00e4", "[]", '{"x": "' + "0B" * 32 + '"}']
)
def test_a_broken_file_of_secrets_is_one_message(text: str, tmp_path: Path) -> None:
    (tmp_path / "revealed.json").write_text(text, encoding="utf-8")
    with pytest.raises(LogError, match="revealed"):
        Folder(tmp_path).revealed()


# ---- the results folder ------------------------------------------------------------------------


def test_a_secret_cut_off_by_a_kill_does_not_stop_the_next_run(tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=1)
    work.folder.mkdir()
    (work.folder / "secret").write_text("")
    assert run(work, executor=lambda listener: Here()).complete
    (work.folder / "secret").write_text("\u00e4", encoding="utf-8")
    with pytest.raises(ConfigError, match="secret"):
        run(league(tmp_path, "first_legal", "random_legal", sets=2), secret=None)


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
    from tests.test_runner import Spoiling

    small = league(tmp_path, "first_legal", "random_legal", sets=2)
    assert run(small, executor=lambda listener: Spoiling(3)).voided == 1
    grown = league(tmp_path, "first_legal", "random_legal", sets=3)
    assert run(grown, secret=None, executor=lambda listener: Here()).voided == 1
    (path,) = (small.folder / "logs").iterdir()
    assert sorted(read(path).sets) == [1, 2]
    again = run(grown, secret=None, executor=lambda listener: Here())
    assert again.state.before == 3
    assert again.state.results.voids == 3
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
        if self.first and not self.first[0].done():
            blame = Blame(kind="start_timeout", seat=0, ruling="none", message="slow today")
            name = self.first[1].entrants[0].entrant
            self.first[0].set_result([Unstartable(entrant=name, blame=blame)])
        return future


def test_an_entrant_that_has_played_in_this_run_is_not_called_unable_to_start(
    tmp_path: Path,
) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=6, workers=2)
    outcome = run(work, executor=lambda listener: Late())
    assert outcome.complete
    assert outcome.not_playable == 0
    assert len(outcome.state.results.results) == 6


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
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[3:7]]))  # as two workers may leave it
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


def test_what_bots_have_written_is_removed_however_deep_it_is() -> None:
    folder = SocketFolder()
    here = os.getcwd()
    os.chdir(folder.path)
    try:
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
    finally:
        os.chdir(here)
    folder.close()
    assert not os.path.exists(folder.path)


def test_a_note_as_deep_as_can_be_read_spoils_no_log(tmp_path: Path) -> None:
    """What a worker can still write, the coordinator and later readers must be able to read."""
    live = LiveTable.__new__(LiveTable)
    live._times, live._notes = [], []
    note: dict[str, Any] = {}
    for _ in range(900):
        note = {"a": note}
    live.decided(0, 0, 1.0, note)
    line = msgspec.json.encode(live._notes)
    assert len(line) < 200
    live.decided(0, 0, 1.0, {"a": [{"b": [1, 2, {"c": None}]}]})
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

    def late(self: Arena) -> None:
        if any(ask.id == 3 and "bad" in p.bot.command.entrant for p in self._to_ask
               for ask in p.asks):  # fmt: skip
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

    class Socket:
        def send(self, data: bytes) -> None:
            sent.append(data)

    data = b'{"type":"batch","messages":[{"type":"news","of":1},{"type":"ping","id":4}]}'
    assert First("f")._take(Socket(), data)  # type: ignore[arg-type]
    assert sent == [b'{"type":"pong","id":4}']
