"""What is nobody's fault: a stopped, late or busy machine. And what only looks like it.

Such a set is void and played again from the same cards by fresh processes, so the end is that of a
league which nothing has disturbed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from itertools import chain, count, repeat
from pathlib import Path
from typing import Any

import pytest
import zmq

from referee import lateness
from referee.arena import Arena
from referee.job import Job
from referee.lateness import processor_seconds
from referee.league.config import TimeConfig
from referee.league.runner import cores
from referee.log import Void, lines_of
from referee.roster import OpenAsk
from referee.rulings import MOST_VOIDS
from referee.seats.bot import BotCommand
from referee.seats.family import descendants
from referee.seats.zeromq import ALONE_SECONDS
from referee.show.plan import crowding
from tests.arena_help import bot, job, play
from tests.in_memory import Link, Player, World
from tests.test_cli_leagues import Place
from tests.test_runner import check, digests, league, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="stops processes found in /proc")

STEADY = """
import os, time
from protocol.bot import Bot

class Steady(Bot):
    def decide(self, ask):
        slices = 1
        if "PONDERS" in os.environ and len(ask.view.history) == 6:
            open(os.environ["PONDERS"], "a").close()
            slices = 150
        for _ in range(slices):
            time.sleep(0.002)
        return ask.legal[-1]

Steady("steady").run()
"""

SPINNING = """
import os, sys, time
from protocol.bot import Bot

class Spinning(Bot):
    def decide(self, ask):
        end = time.monotonic() + float(sys.argv[2])
        children = []
        for _ in range(int(sys.argv[1])):
            child = os.fork()
            if not child:
                while time.monotonic() < end:
                    pass
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        return ask.legal[0]

Spinning("spinning").run()
"""

CLOCK = "workers = 2\n[time]\ndecision_ms = 600\n"


def steady_league(place: Place, ponders: bool, sets: int = 4) -> None:
    """A league of two steady bots, one of which ponders once in each deal."""
    place.file("steady.py", STEADY)
    env = f'env = {{PONDERS = {json.dumps(str(place.path / "pondering"))}}}\n'
    text = (
        f'name = "league"\nsets = {sets}\nresults = "results"\nrules = "wikibooks-2"\n{CLOCK}'
        f'[[entrants]]\nid = "one"\nbot = "steady.py"\n{env * ponders}'
        '[[entrants]]\nid = "two"\nbot = "first_legal"\n'
    )
    place.file("league.toml", text)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Digests of the steady league when nothing disturbs it; pondering does not change play."""
    place = Place(tmp_path_factory.mktemp("calm"))
    steady_league(place, ponders=False)
    found = place.run()
    assert found.returncode == 0, found.stderr
    return place.digests()


def workers_of(pid: int) -> list[int]:
    found = []
    for child in descendants(pid):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"referee.league.worker" in command:
            found.append(child)
    return found


@contextmanager
def stopped(pids: list[int]) -> Iterator[None]:
    """Processes that stand still meanwhile."""
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        if number == signal.SIGSTOP:
            yield


def standings(place: Place) -> Any:
    return json.loads(place.referee("standings", "results", "--json").stdout)


def faults(place: Place) -> dict[str, Any]:
    return {entry["entrant"]: entry["faults"] for entry in standings(place)["entrants"]}


def voids(place: Place) -> list[Void]:
    lines = [
        line
        for path in (place.results / "logs").glob("*.jsonl")
        for line in lines_of(path.read_bytes())
    ]
    return [line for line in lines if isinstance(line, Void)]


# ---- stopped ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_referee_that_was_stopped_for_three_seconds_blames_nobody(
    tmp_path: Path, calm: dict[str, str]
) -> None:
    """Coordinator and workers stand still, the bots do not: their answers are waiting."""
    place = Place(tmp_path)
    steady_league(place, ponders=False)
    with place.start() as process:
        place.wait_for_sets(1)
        with stopped([process.pid, *workers_of(process.pid)]):
            time.sleep(3)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, ""), out
    assert faults(place) == {"one": {}, "two": {}}
    assert place.digests() == calm
    assert standings(place)["voids"] == len(voids(place))


@pytest.mark.slow
def test_s05_a_machine_that_slept_costs_nobody_a_game(
    tmp_path: Path, calm: dict[str, str]
) -> None:
    """Everything stands still while a bot ponders: the decision runs out, the set is void."""
    place = Place(tmp_path)
    steady_league(place, ponders=True)
    with place.start() as process:
        deadline = time.monotonic() + 30
        while not (place.path / "pondering").exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        with stopped([process.pid, *descendants(process.pid)]):
            time.sleep(3)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, ""), out
    assert faults(place) == {"one": {}, "two": {}}
    spoilt = voids(place)
    assert 1 <= len(spoilt) <= 2, "one for each worker at most"
    assert all(void.blame[0].kind == "infrastructure" for void in spoilt)
    assert all(void.blame[0].lag_ms > 2000 for void in spoilt)
    assert "is void (1): a decision ran out while the referee itself was late by" in out
    assert standings(place)["voids"] == len(spoilt)
    assert place.digests() == calm


# ---- lag in the poll loop -----------------------------------------------------------------------


class Always(dict[int, float]):
    """The same delay for every ask that has none of its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def get(self, number: int, default: Any = None) -> Any:
        return super().get(number, self.seconds)


def test_a_moment_spent_on_one_bot_alone_makes_nobody_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def thinking() -> Player:
        player = Player()
        player.late = dict.fromkeys(range(1, 6), 0.6)
        return player

    world = World({"a": thinking, "b": Player})

    def moment(link: Link) -> bool:
        world.now += ALONE_SECONDS
        return bool(link.inbox)

    monkeypatch.setattr(Link, "await_message", moment)
    entrants = [BotCommand(entrant=name, argv=[name]) for name in ("a", "b")]
    outcome = world.play(job(tmp_path, entrants, tables=1, decision_ms=2000))
    sides = [line.side for line in outcome.lines]
    assert max(time.ms for side in sides for time in side.times) > 600
    assert [side.lag_ms for side in sides] == [0.0] * len(sides)


def test_a_standstill_in_such_a_moment_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World({"a": Player, "b": Player})
    moments: list[float] = []
    delays: list[float] = []
    lagged = Arena._lagged

    def moment(link: Link) -> bool:
        world._let_bots_play()
        world._arrived()
        moments.append(world.now)
        if len(moments) == 20:
            world.now += 0.5
        return bool(link.inbox)

    def counted(arena: Arena, lag: float, now: float) -> None:
        delays.append(lag)
        lagged(arena, lag, now)

    monkeypatch.setattr(Link, "await_message", moment)
    monkeypatch.setattr(Arena, "_lagged", counted)
    entrants = [BotCommand(entrant=name, argv=[name]) for name in ("a", "b")]
    outcome = world.play(job(tmp_path, entrants, tables=1, decision_ms=200, bank_ms=3000))
    assert len(moments) > 20
    assert len([lag for lag in delays if lag > 0.1]) == 1
    slow = [time for line in outcome.lines for time in line.side.times if time.ms > 100]
    assert len(slow) == 1


class Sleepy(World):
    """A machine that stands still, bots and all, at given turns of the poll loop."""

    def __init__(
        self, player: Callable[[], Player], seconds: float, turns: Sequence[int] = ()
    ) -> None:
        super().__init__(dict.fromkeys((sys.executable, "one", "two"), player))
        self.seconds = seconds
        self.turns = turns
        self.turn = 0

    def poll(self, milliseconds: float) -> list[tuple[Any, int]]:
        if milliseconds:
            self.turn += 1
            if self.turn in self.turns:
                self._let_bots_play()
                for link in self.links:
                    link.pending = [(due + self.seconds, data) for due, data in link.pending]
                self.now += self.seconds
                return []
        return super().poll(milliseconds)


class InMemory(Executor):
    """Plays each job in a world of its own; some of them sleep."""

    def __init__(self, worlds: Iterator[World]) -> None:
        self.worlds = worlds
        self.jobs: list[Job] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        (work,) = args
        self.jobs.append(work)
        future: Future[Any] = Future()
        future.set_result(next(self.worlds).play(work).reports)
        return future


def busy() -> Player:
    """Thinks two milliseconds about everything, sixteen tables at a time."""
    player = Player(lambda ask: ask.legal[-1], tables=16)
    player.late = Always(0.002)
    return player


def test_s09_a_late_referee_takes_no_game_from_anyone(tmp_path: Path) -> None:
    """32 tables on a machine that stands still for 300 ms, again and again; 50 ms a decision."""
    options: dict[str, Any] = {"sets": 16, "time": TimeConfig(decision_ms=50)}
    still = league(tmp_path, "first_legal", "random_legal", results="still", **options)
    run(still, executor=lambda _: InMemory(Sleepy(busy, 0.3) for _ in count()))
    late = league(tmp_path, "first_legal", "random_legal", results="late", **options)
    turns = chain([[5], [20], [35], [10], [28], [8]], repeat([]))
    executor = InMemory(Sleepy(busy, 0.3, now) for now in turns)
    outcome = run(late, executor=lambda _: executor)
    results = outcome.state.results[0]
    assert outcome.complete
    assert not outcome.voided
    assert 4 <= results.voids <= 6, "one for each job in which decisions were open meanwhile"
    assert [notes.faults for notes in results.notes.values()] == [{}, {}]
    assert digests(late) == digests(still)
    check(late)
    (path,) = (late.folder / "logs").iterdir()
    spoilt = [line for line in lines_of(path.read_bytes()) if isinstance(line, Void)]
    assert len(spoilt) == results.voids
    for void in spoilt:
        (blame,) = void.blame
        assert blame.kind == "infrastructure"
        assert blame.lag_ms == pytest.approx(300, abs=110)
        assert blame.took_ms is not None
        assert blame.limit_ms == 100 < blame.took_ms


def test_a_set_that_is_spoilt_each_time_is_given_up_after_three(tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "random_legal", sets=1, time=TimeConfig(decision_ms=50))
    executor = InMemory(Sleepy(busy, 0.3, [30]) for _ in count())
    outcome = run(work, executor=lambda _: executor)
    assert len(executor.jobs) == MOST_VOIDS
    assert (outcome.complete, outcome.voided) == (True, 1)
    assert outcome.state.results[0].voids == MOST_VOIDS
    assert not outcome.state.results[0].results


def test_a_start_does_not_run_out_while_the_referee_stands_still(tmp_path: Path) -> None:
    class Slow(Player):
        def greet(self, token: str) -> tuple[float, bytes]:
            return 4.0, super().greet(token)[1]

    entrants = [BotCommand(entrant=name, argv=[name]) for name in ("one", "two")]
    work = job(tmp_path, entrants, start_ms=5000)
    outcome = Sleepy(Slow, 3.0, [2]).play(work)
    assert outcome.unstartable == []
    assert len(outcome.plays) == 2


def test_an_answer_that_came_while_the_referee_stood_still_is_read_before_the_clock(
    tmp_path: Path,
) -> None:
    """The bots go on meanwhile: nothing is void, nobody is blamed."""

    class Absent(Sleepy):
        def poll(self, milliseconds: float) -> list[tuple[Any, int]]:
            if milliseconds and self.turn + 1 in self.turns:
                self.turn += 1
                self._let_bots_play()
                self.now += self.seconds
                return []
            return super().poll(milliseconds)

    entrants = [BotCommand(entrant=name, argv=[name]) for name in ("one", "two")]
    world = Absent(busy, 3.0, range(8, 36, 4))
    outcome = world.play(job(tmp_path, entrants, decision_ms=50))
    assert world.turn > 36
    assert outcome.voided == []
    assert outcome.blame("one") == outcome.blame("two") == []
    assert len(outcome.plays) == 2


# ---- busy ---------------------------------------------------------------------------------------


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    processes = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(number)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_an_overloaded_machine_is_nobodys_fault(tmp_path: Path, calm: dict[str, str]) -> None:
    place = Place(tmp_path)
    steady_league(place, ponders=False)
    with busy_processes(3 * cores()):
        found = place.run()
    assert (found.returncode, found.stderr) == (0, "")
    assert faults(place) == {"one": {}, "two": {}}
    assert place.digests() == calm


def spinning(folder: Path, children: int, seconds: float) -> BotCommand:
    program = folder / "spinning.py"
    program.write_text(SPINNING, encoding="utf-8")
    return BotCommand(
        entrant="bad", argv=[sys.executable, str(program), str(children), str(seconds)]
    )


@pytest.mark.slow
def test_a_bot_that_spins_on_all_cores_is_too_late_and_voids_nothing(tmp_path: Path) -> None:
    entrants = [spinning(tmp_path, 4 * cores(), 0.4), bot("good", "first_legal")]
    outcome = play(job(tmp_path, entrants, sets=2, decision_ms=150))
    assert outcome.voided == []
    assert len(outcome.plays) == 4
    for record in outcome.plays:
        assert [ruling.kind for ruling in record.rulings] == ["timeout"] * 3
        assert record.rulings[-1].ruling == "forfeit"
        assert record.nets is not None
        assert record.nets[record.seats.index("bad")] < 0
    assert outcome.blame("good") == []


@pytest.mark.parametrize(("busy_cores", "excused"), [(0.0, True), (0.1, True), (2.0, False)])
def test_who_has_had_the_processor_is_not_excused_by_a_late_referee(
    busy_cores: float, excused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee oversleeps while the ask of a silent bot is open; how busy that is, is given."""
    open_asks: list[OpenAsk] = []
    poll, flush = zmq.Poller.poll, Arena._flush

    def noticing(self: Arena) -> None:
        flush(self)
        open_asks[:] = [
            ask for player in self.roster.players.values() for ask in player.open.values()
            if player.bot.command.entrant == "bad" and ask.id == 3
        ]  # fmt: skip

    def oversleeping(self: zmq.Poller, timeout: int | None = None) -> list[tuple[Any, int]]:
        if timeout and any(not ask.lag for ask in open_asks):
            time.sleep(0.6)
        return poll(self, timeout)

    monkeypatch.setattr(Arena, "_flush", noticing)
    monkeypatch.setattr(zmq.Poller, "poll", oversleeping)
    monkeypatch.setattr(
        lateness, "processor_seconds", lambda pid: busy_cores * time.monotonic() if pid else None
    )
    work = job(tmp_path, [bot("bad", "zoo:silent"), bot("good", "first_legal")], tables=1)
    outcome = play(work)
    assert outcome.blame("good") == []
    if excused:
        (void,) = outcome.voided
        assert void.blame[0].kind == "infrastructure"
        assert f"its bot had used {'0' if not busy_cores else ''}" in void.reason
    else:
        assert outcome.voided == []
        found = [blame for blame in outcome.blame("bad") if blame.ruling != "none"]
        assert [blame.kind for blame in found] == ["timeout"] * 2
        assert "the referee was late by" in found[0].message
        assert "but the bot has used" in found[0].message
        assert found[0].lag_ms > 300


def test_processor_time_counts_children_and_those_that_have_ended() -> None:
    code = (
        "import os, time\n"
        "def spin():\n"
        "    while time.process_time() < 0.25: pass\n"
        "for left in range(2):\n"
        "    if not os.fork():\n"
        "        spin(); os._exit(0) if left else time.sleep(60)\n"
        "os.wait(); print('ready', flush=True); time.sleep(60)\n"
    )
    keeper = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    with subprocess.Popen([sys.executable, "-c", keeper], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        (main, *children) = descendants(process.pid)
        assert len(children) == 1
        deadline = time.monotonic() + 20
        # The kernel counts in ticks, and rounds each process's time down.
        while (used := processor_seconds(main)) is not None and used < 0.45:
            assert time.monotonic() < deadline, used
            time.sleep(0.05)
        assert used is not None
        for pid in (process.pid, main, *children):
            os.kill(pid, signal.SIGKILL)
    assert processor_seconds(main) is None
    assert processor_seconds(None) is None


# ---- the warning --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "workers", "options", "thinking"),
    [
        ("wikibooks-2", 3, {"tables": 1}, None),
        ("wikibooks-2", 5, {"tables": 1}, 5),
        ("wikibooks-2", 1, {}, None),
        ("wikibooks-2", 2, {}, 8),
        ("helsinki", 1, {}, 8),
        ("helsinki", 1, {"isolation": "entrant"}, None),
        ("wikibooks-3", 2, {"tables": 3}, 6),
        ("wikibooks-3", 1, {"tables": 3}, None),
    ],
)
def test_more_bots_thinking_at_once_than_cores_are_warned_of(
    rules: str, workers: int, options: dict[str, Any], thinking: int | None, tmp_path: Path
) -> None:
    clock = TimeConfig(decision_ms=1000)
    bots = ["first_legal"] * 3
    warned = crowding(league(tmp_path, *bots, rules=rules, time=clock, **options), workers, 4)
    assert warned == (
        [f"warning: up to {thinking} bots may think at once on 4 cores: "
         "their clocks run while they wait for one"] if thinking else []
    )  # fmt: skip
    assert crowding(league(tmp_path, *bots, rules=rules, **options), workers, 4) == []


def test_the_warning_comes_before_the_start(tmp_path: Path) -> None:
    place = Place(tmp_path)
    steady_league(place, ponders=False, sets=2 * cores())
    found = place.run("--workers", str(2 * cores()), "--dry-run")
    warning = f"warning: up to {8 * cores()} bots may think at once on "
    assert warning in found.stdout
    assert not place.results.exists()
    place.file("steady.py", "import sys; sys.exit(1)")
    found = place.run("--workers", str(2 * cores()))
    assert found.stdout.index(warning) < found.stdout.index("commitment to the secret")
