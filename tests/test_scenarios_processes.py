"""Scenarios with real bot processes: S1, S2, S4, S5's first half, S6, S8, S11, S14."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.job import Job
from referee.league.config import LeagueConfig, TimeConfig, league_of
from referee.league.entrants import EntrantConfig
from referee.log import canonical, read
from referee.seats.bot import BotCommand
from tests.arena_help import bot, job, play
from tests.test_cli_leagues import Place
from tests.test_runner import alive, check, league, run, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, sends signals")

NO_CLOCK = 600_000
"""Milliseconds: what a decision may take where no clock is set."""

WAITING = """
import os, time
from protocol.bot import Bot

class Waiting(Bot):
    def decide(self, ask):
        if len(ask.view.history) >= 6:
            with open(os.environ["PIDS"], "a") as file:
                file.write(f"{os.getpid()}\\n")
            time.sleep(60)
        return ask.legal[0]

Waiting("waiting").run()
"""


def program(folder: Path, name: str, text: str) -> list[str]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path)]


def against_good(folder: Path, bad: BotCommand, **options: Any) -> Job:
    return job(folder, [bad, bot("good", "first_legal")], **options)


def nothing_left(folder: Path) -> bool:
    """Whether no process is left that was started for a folder's bots."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if str(folder) in (entry / "cmdline").read_bytes().decode(errors="replace"):
                    return False
            except OSError:
                continue
    return True


# ---- S1: killed while thinking, no clock --------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "kind", "phrase"),
    [
        ("kill_self", "crashed", "SIGKILL"),
        ("exit_zero", "crashed", "exit code 0"),
        ("segfault", "crashed", "SIGSEGV"),
        ("close", "disconnected", "connection is closed"),
    ],
)
def test_s01_an_end_is_noticed_without_any_clock(
    mode: str, kind: str, phrase: str, tmp_path: Path
) -> None:
    work = job(tmp_path, [bot("bad", f"zoo:{mode}"), bot("good", "first_legal")],
               rules="helsinki", decision_ms=NO_CLOCK)  # fmt: skip
    outcome = play(work)
    assert len(outcome.plays) == 2, "the tables go on to their end"
    blame = outcome.blame("bad")
    assert {b.kind for b in blame} == {kind}
    assert phrase in blame[0].message
    assert outcome.blame("good") == []
    assert all(b.took_ms is not None and b.took_ms < 0.05 * NO_CLOCK for b in blame if b.at)


def test_s01_a_kill_from_outside_is_noticed_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    command = BotCommand(
        entrant="bad", argv=program(tmp_path, "waiting.py", WAITING), env={"PIDS": str(pids)}
    )
    killed: set[int] = set()

    def kill() -> None:
        deadline = time.monotonic() + 30
        while len(killed) < 2 and time.monotonic() < deadline:
            for text in pids.read_text().split() if pids.exists() else []:
                if int(text) not in killed:
                    killed.add(int(text))
                    os.kill(int(text), signal.SIGKILL)
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    outcome = play(against_good(tmp_path, command, decision_ms=NO_CLOCK))
    thread.join()
    assert [(b.kind, b.signal, b.ruling) for b in outcome.blame("bad")] == [
        ("crashed", signal.SIGKILL, "forfeit")
    ] * 2
    assert outcome.blame("good") == []
    assert len(outcome.plays) == 2


# ---- S2: slow and silent starters ---------------------------------------------------------------


@pytest.mark.slow
def test_s02_starters_that_fail_cost_nobody_a_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quick one, one that takes longer than a move may, one that never speaks, one that dies."""
    work = league(
        tmp_path, "first_legal", "zoo:slow_start", "zoo:silent_start", "zoo:exit_at_start",
        time=TimeConfig(decision_ms=1000, start_ms=5000), workers=2,
    )  # fmt: skip
    outcome = run(work)
    results = outcome.state.results[0]
    quick, slow, silent, dying = (f"e{place}" for place in range(4))
    unstartable = {name[:2]: blame for (_, name), blame in outcome.state.unstartable.items()}
    assert set(unstartable) == {silent, dying}
    assert unstartable[silent].kind == "start_timeout"
    assert "no valid hello within 5000 ms" in unstartable[silent].message
    assert unstartable[dying].kind == "start_failed"
    assert "cannot find my opening book" in unstartable[dying].message
    assert outcome.complete
    assert {result.pairing for result in results.results} == {
        ("e0-first-legal", "e1-slow-start")
    }, "only sets that need no bad bot are scored"
    assert outcome.not_playable == 5 * 2
    for name, notes in results.notes.items():
        assert name[:2] not in (quick, slow) or not notes.faults
    rows = {row.entrant[:2]: row for row in results.table().rows}
    assert [rows[name].unrated for name in (quick, slow, silent, dying)] == [
        False, False, True, True,
    ]  # fmt: skip
    check(work)


# ---- S4: the flood ------------------------------------------------------------------------------

FLOODING = """
import json, os, sys, time
import zmq
from protocol.bot import Bot
from protocol.messages import Act

what = sys.argv[1]

class Flooding(Bot):
    asks = 0

    def decide(self, ask):
        self.asks += 1
        if self.asks == 3:
            if what == "stderr":
                for _ in range(4096):
                    os.write(2, b"e" * 65536)
            elif what == "stdout":
                for _ in range(4096):
                    os.write(1, b"o" * 65536)
        return ask.legal[0]

if what in ("stderr", "stdout"):
    Flooding("flooding").run()
    sys.exit()

class Lines:
    def send_json(self, message):
        os.write(1, json.dumps(message).encode() + b"\\n")

    def recv(self):
        return sys.stdin.readline()

if what == "one line":
    socket = Lines()
else:
    socket = zmq.Context().socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(os.environ["REFEREE_ENDPOINT"])
socket.send_json({
    "type": "hello", "protocol": [1], "token": os.environ["REFEREE_TOKEN"], "name": "f",
    "version": "1", "games": [], "tables": 1, "batch": False,
})
asks = 0
while True:
    message = json.loads(socket.recv())
    if message["type"] == "bye":
        break
    if message["type"] != "ask":
        continue
    asks += 1
    if asks == 3 and what == "unasked":
        for number in range(100_000):
            socket.send_json({"type": "act", "id": 10**6 + number, "action": "pass"})
    elif asks == 3 and what == "one message":
        socket.send(b'{"type":"act","id":3,"action":"' + b"x" * 100_000_000 + b'"}')
    elif asks == 3 and what == "one line":
        for _ in range(4096):
            os.write(1, b"o" * 65536)
    elif asks == 3 and what == "deaf":
        time.sleep(60)
    socket.send_json({"type": "act", "id": message["id"], "action": message["legal"][0]})
"""

GROWTH_BYTES = 64 << 20


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "transport", "kinds", "ruling"),
    [
        ("stderr", "zeromq", set(), None),
        ("stdout", "zeromq", set(), None),
        ("stdout", "stdio", set(), None),
        ("one line", "stdio", {"flood"}, "forfeit"),
        ("unasked", "zeromq", {"flood"}, "forfeit"),
        ("one message", "zeromq", {"flood", "disconnected"}, "forfeit"),
        ("deaf", "zeromq", {"timeout"}, "substitute"),
    ],
)
def test_s04_a_flood_drowns_only_who_pours_it(
    what: str, transport: Any, kinds: set[str], ruling: str | None, tmp_path: Path
) -> None:
    """256 MB where they can be poured; the referee grows by 64 MB at most, others play as ever."""
    argv = [*program(tmp_path, "flooding.py", FLOODING), what]
    command = BotCommand(entrant="bad", argv=argv, transport=transport)
    decision_ms = 400 if what == "deaf" else 20_000
    before = resident_bytes()
    outcome = play(against_good(tmp_path, command, decision_ms=decision_ms))
    assert resident_bytes() - before < GROWTH_BYTES
    assert len(outcome.plays) == 2
    assert outcome.blame("good") == []
    ruled = [blame for blame in outcome.blame("bad") if blame.ruling != "none"]
    if ruling is None:
        assert ruled == []
    else:
        assert {blame.kind for blame in ruled} <= kinds
        assert {play.seats.index("bad") for play in outcome.plays} == {b.seat for b in ruled}
        assert ruling in {blame.ruling for blame in ruled}
    for path in tmp_path.glob("*.txt"):
        assert path.stat().st_size < 200_000, "what is kept of standard error is cut"
    assert nothing_left(tmp_path)


# ---- S5: all fail together (a machine that sleeps is in test_infrastructure.py) ------------------


def test_s05_when_no_bot_can_start_the_run_halts_with_one_message(tmp_path: Path) -> None:
    """The interpreter they share is gone; of 30 pairings only the first few are tried."""
    place = Place(tmp_path)
    (tmp_path / "python").symlink_to(sys.executable)
    place.file("mine.py", SLOW)
    place.league({f"bot{n}": f"./python mine.py {n}" for n in range(6)}, sets=5)
    (tmp_path / "python").unlink()
    (tmp_path / "python").write_text("#!/nowhere/python\n")
    (tmp_path / "python").chmod(0o755)
    found = place.run()
    assert found.returncode == 1
    assert found.stderr.startswith("error: nothing could be played, nothing was scored: bot0 ")
    assert "cannot be started" in found.stderr
    assert "Traceback" not in found.stderr
    assert place.sets() == 0
    assert place.processes() == []


# ---- S6: Ctrl-C ---------------------------------------------------------------------------------

SLOW = """
import time
from protocol.bot import Bot

class Slow(Bot):
    def decide(self, ask):
        time.sleep(0.004)
        return ask.legal[0]

Slow("slow").run()
"""


def whole_group(process: Any, number: int) -> None:
    os.killpg(process.pid, number)


def alone(process: Any, number: int) -> None:
    process.send_signal(number)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "send"),
    [
        (signal.SIGINT, whole_group),
        (signal.SIGTERM, alone),
        (signal.SIGHUP, whole_group),
    ],
)
def test_s06_one_signal_drains_and_none_reaches_a_bot(
    number: signal.Signals, send: Callable[[Any, int], None], tmp_path: Path
) -> None:
    place = Place(tmp_path)
    place.file("slow.py", SLOW)
    place.league({"one": "slow.py", "two": "python slow.py"}, sets=6)
    process = start(place)
    place.wait_for_sets(1)
    send(process, number)
    out, err = process.communicate(timeout=30)
    assert err == ""
    assert process.returncode == 128 + number
    assert "to go on: referee run league.toml" in out
    assert place.processes() == []
    assert 1 <= place.sets() < 6
    assert set(faults(place).values()) == {0}
    found = place.referee("run", "league.toml")
    assert found.returncode == 0, found.stderr
    assert place.sets() == 6
    assert set(faults(place).values()) == {0}


@pytest.mark.slow
def test_s06_two_signals_abort_and_nothing_in_flight_is_recorded(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.file("slow.py", SLOW.replace("0.004", "0.3"))
    place.league({"one": "slow.py", "two": "python slow.py"}, sets=2)
    process = start(place)
    assert wait_for(lambda: sum("slow.py" in c for c in place.processes()) >= 8, 30)
    for _ in range(2):
        whole_group(process, signal.SIGINT)
        time.sleep(0.3)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, "")
    assert "to go on: referee run league.toml" in out
    assert wait_for(lambda: place.processes() == [], 5)
    assert place.sets() == 0


def start(place: Place) -> Any:
    """Start a league in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "referee.cli.main", "run", "league.toml", "--secret-file", "secret"],
        cwd=place.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        # These tests may themselves run under nohup, which would be handed on.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )  # fmt: skip


def faults(place: Place) -> dict[str, int]:
    """Rulings by entrant, from the logs."""
    found = {"one": 0, "two": 0}
    for path in (place.results / "logs").iterdir():
        for record in read(path).sets.values():
            for _, line, played in record.deals():
                for blame in line.side.blame:
                    found[played.seats[blame.seat]] += blame.ruling != "none"
    return found


# ---- S8: will not die ---------------------------------------------------------------------------

UNDYING = """
import os, signal, subprocess, sys, time
from protocol.bot import Bot

signal.signal(signal.SIGTERM, signal.SIG_IGN)
CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(120)"
folder = sys.argv[1]

class Undying(Bot):
    asks = 0

    def decide(self, ask):
        self.asks += 1
        if self.asks == 2:
            children = [
                subprocess.Popen([sys.executable, "-c", CHILD], start_new_session=own)
                for own in (False, False, True)
            ]
            numbers = [os.getpid(), *(child.pid for child in children)]
            with open(f"{folder}/pids-{os.getpid()}", "w") as file:
                file.write(" ".join(map(str, numbers)))
        return ask.legal[0]

try:
    Undying("undying").run()
finally:
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(120)
"""


@pytest.mark.slow
def test_s08_what_will_not_die_is_gone_when_its_job_is(tmp_path: Path) -> None:
    """It ignores SIGTERM, stops itself upon bye, and leaves children, one in its own session."""
    argv = [*program(tmp_path, "undying.py", UNDYING), str(tmp_path)]
    outcome = play(against_good(tmp_path, BotCommand(entrant="bad", argv=argv), sets=2,
                                decision_ms=20_000))  # fmt: skip
    assert len(outcome.plays) == 4
    assert outcome.blame("bad") == outcome.blame("good") == []
    pids = [int(pid) for path in tmp_path.glob("pids-*") for pid in path.read_text().split()]
    assert len(pids) == 2 * 4
    assert not [pid for pid in pids if alive(pid)]


# ---- S11: the last moment -----------------------------------------------------------------------

LAST = """
import os, sys
from protocol.bot import Bot

when, folder = sys.argv[1:]

class Last(Bot):
    def decide(self, ask):
        return ask.legal[0]

    def ended(self, end):
        if when == "end":
            os._exit(3)

bot = Last("last")
bot.run()
open(f"{folder}/bye-{os.getpid()}", "w").close()
if when == "bye":
    os._exit(3)
"""


def calm_plays(folder: Path) -> list[bytes]:
    entrants = [bot("bad", "first_legal"), bot("good", "first_legal")]
    return [canonical(record) for record in play(job(folder, entrants)).plays]


@pytest.mark.parametrize("mode", ["answer_and_exit", "crash_on_end"])
def test_s11_a_result_stands_however_its_bot_ends_after_it(mode: str, tmp_path: Path) -> None:
    outcome = play(against_good(tmp_path, bot("bad", f"zoo:{mode}"), decision_ms=5000))
    assert [canonical(record) for record in outcome.plays] == calm_plays(tmp_path)
    assert outcome.blame("bad") == outcome.blame("good") == []


@pytest.mark.parametrize("when", ["end", "bye", "never"])
def test_s11_everybody_hears_bye_before_the_end(when: str, tmp_path: Path) -> None:
    last = program(tmp_path, "last.py", LAST)
    entrants = [
        BotCommand(entrant="bad", argv=[*last, when, str(tmp_path)]),
        BotCommand(entrant="good", argv=[*last, "never", str(tmp_path)]),
    ]
    outcome = play(job(tmp_path, entrants, decision_ms=5000))
    assert [canonical(record) for record in outcome.plays] == calm_plays(tmp_path)
    assert outcome.blame("bad") == outcome.blame("good") == []
    assert len(list(tmp_path.glob("bye-*"))) == (2 if when == "end" else 4)


# ---- S14: same names, same code -----------------------------------------------------------------

NAMED = """
import os, sys
from protocol.bot import Bot

class Named(Bot):
    def decide(self, ask):
        with open(os.environ["SEEN"], "a") as file:
            file.write(f"{os.getpid()} {os.getcwd()}\\n")
        return ask.legal[0 if sys.argv[1:] == ["first"] else -1]

Named(os.environ["NAME"]).run()
"""

NAMES = ["/dev/null", "../\N{GRINNING FACE}\x1b[2J", "x" * 200, "same", "same"]


@pytest.mark.slow
def test_s14_an_entrant_is_its_id_whatever_its_bot_calls_itself(tmp_path: Path) -> None:
    """The same program five times, with other options and names; two have the same name."""
    program(tmp_path, "named.py", NAMED)
    config = LeagueConfig(
        name="names", rules="wikibooks-2", sets=1, results="out", workers=2,
        entrants=[
            EntrantConfig(
                id=f"id-{place}",
                bot="python named.py " + ("first" if place % 2 else "last"),
                env={"NAME": name, "SEEN": str(tmp_path / f"seen-{place}")},
            )
            for place, name in enumerate(NAMES)
        ],
    )  # fmt: skip
    work = league_of(config, tmp_path)
    outcome = run(work)
    assert outcome.complete
    results = outcome.state.results[0]
    ids = {f"id-{place}" for place in range(len(NAMES))}
    assert set(results.notes) == ids
    assert all(notes.tables == 2 * 4 for notes in results.notes.values()), "not merged"
    assert all(not notes.faults for notes in results.notes.values())
    seen = [set((tmp_path / f"seen-{place}").read_text().split("\n")) - {""}
            for place in range(len(NAMES))]  # fmt: skip
    assert all(len(lines) == 2 * 4 for lines in seen), "a process for each seat and job"
    assert len(set.union(*seen)) == 2 * 4 * len(NAMES), "none is shared"
    for path in [*(work.folder / "logs").iterdir(), *work.folder.iterdir()]:
        assert set(path.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789.+-_"), path
    assert len(list((work.folder / "logs").iterdir())) == 10
    check(work)


def test_s14_a_name_too_long_for_a_hello_is_told_so(tmp_path: Path) -> None:
    command = BotCommand(
        entrant="bad", argv=program(tmp_path, "named.py", NAMED), env={"NAME": "x" * 300}
    )
    (report,) = play(against_good(tmp_path, command)).unstartable
    assert (report.entrant, report.blame.kind) == ("bad", "start_failed")
    assert "length <= 200 - at `$.name`" in report.blame.message


def test_s14_one_bot_in_all_seats_is_as_many_processes(tmp_path: Path) -> None:
    program(tmp_path, "named.py", NAMED)
    argv = [sys.executable, str(tmp_path / "named.py"), "first"]
    entrants = [
        BotCommand(
            entrant=name, argv=argv, env={"NAME": "same", "SEEN": str(tmp_path / f"seen-{name}")}
        )
        for name in ("one", "two")
    ]
    outcome = play(job(tmp_path, entrants, rules="helsinki", decision_ms=5000))
    assert len(outcome.plays) == 2
    assert outcome.blame("one") == outcome.blame("two") == []
    seen = [set((tmp_path / f"seen-{name}").read_text().splitlines()) for name in ("one", "two")]
    assert [len({line.split()[0] for line in lines}) for lines in seen] == [4, 4]
    assert len(set.union(*seen)) == 8, "each with a folder of its own"
