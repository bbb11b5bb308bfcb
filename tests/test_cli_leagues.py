"""The command line with real bots: leagues played, interrupted, resumed, extended and refused."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.league.folder import Folder
from referee.log import read

SECRET = "cd" * 32

SLOW = """
import time
from protocol.bot import Bot

class Slow(Bot):
    def decide(self, ask):
        time.sleep(0.004)
        return ask.legal[0]

if __name__ == "__main__":
    Slow("slow").run()
"""

WRONG = """
from protocol.bot import Bot

class Wrong(Bot):
    def decide(self, ask):
        if len(ask.view.history) % 9 == 4:
            return "XX"
        return ask.legal[0]

if __name__ == "__main__":
    Wrong("wrong", tables=64, batch=True).run()
"""

REFEREE = [sys.executable, "-m", "referee.cli.main"]


class Place:
    """A folder with a league file, bots of its own and a secret."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results = path / "results"
        (path / "secret").write_text(SECRET + "\n", encoding="ascii")

    def file(self, name: str, text: str) -> None:
        """Write a file."""
        (self.path / name).write_text(text, encoding="utf-8")

    def league(self, entrants: dict[str, str], sets: int = 2, more: str = "") -> None:
        """Write the league file; entrants are ids with bots."""
        text = f'name = "league"\nsets = {sets}\nresults = "results"\n{more}\n'
        for name, bot in entrants.items():
            text += f'[[entrants]]\nid = "{name}"\nbot = {json.dumps(bot)}\n'
        self.file("league.toml", text)

    def referee(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            [*REFEREE, *words], cwd=self.path, capture_output=True, text=True, timeout=60
        )

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run the league to its end, with the secret."""
        return self.referee("run", "league.toml", "--secret-file", "secret", *words)

    def start(self) -> "subprocess.Popen[str]":
        """Start the league."""
        return subprocess.Popen(
            [*REFEREE, "run", "league.toml", "--secret-file", "secret"],
            cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def digests(self) -> dict[str, str]:
        """Digest of each log, all of which verify."""
        found = self.referee("verify", "results", "--json")
        assert found.returncode == 0, found.stdout
        data = json.loads(found.stdout)
        return {Path(log["path"]).name: log["digest"] for log in data["logs"]}

    def sets(self) -> int:
        """Complete sets in the logs."""
        paths = (self.results / "logs").glob("*.jsonl")
        return sum(len(read(path).sets) for path in paths if path.stat().st_size)

    def wait_for_sets(self, number: int) -> None:
        """Wait until a running league has so many sets."""
        deadline = time.monotonic() + 30
        while self.sets() < number:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def processes(self) -> list[str]:
        """Commands of running processes that were started for this place."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    command = (entry / "cmdline").read_bytes().decode(errors="replace")
                    where = os.readlink(entry / "cwd")
                except OSError:
                    continue
                if str(self.path) in command or where == str(self.path):
                    found.append(command.replace("\0", " "))
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty place."""
    return Place(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A league of three that has been played; tests only read it."""
    found = Place(tmp_path_factory.mktemp("finished"))
    found.file("wrong.py", WRONG)
    found.league({"first": "first_legal", "random": "random_legal", "wrong": "wrong.py"})
    found.file("out.txt", found.run().stdout)
    yield found
    assert found.processes() == []


class TestRun:
    def test_says_the_plan_the_commitment_the_standings_and_what_to_do_next(
        self, finished: Place
    ) -> None:
        shown = (finished.path / "out.txt").read_text(encoding="utf-8")
        assert "3 entrants, 3 pairings of 2 sets" in shown
        assert shown.index("commitment to the secret") < shown.index("net per deal")
        assert "illegal" in shown
        assert "logs: results/logs" in shown
        lines = shown.split("next:")[0].splitlines()
        assert max(len(line) for line in lines if not line.startswith("  see: ")) <= 100
        assert "wrong: " in shown
        assert "'XX' is not legal for seat" in shown
        replay = shown.split("next:\n")[1].splitlines()[0].strip()
        assert f"  see: {replay}\n" in shown
        assert "wrong: illegal" in " ".join(
            finished.referee(*shlex.split(replay)[1:]).stdout.split()
        )
        for line in shown.split("next:\n")[1].splitlines():
            program, *words = shlex.split(line)
            assert program == "referee"
            assert finished.referee(*words).returncode == 0

    def test_the_secret_is_revealed_and_verifies(self, finished: Place) -> None:
        assert list(Folder(finished.results).revealed().values()) == [SECRET]
        found = finished.referee("verify", "results")
        assert found.stdout.count("cards from the revealed secret") == 3

    def test_standings_and_replays_come_from_the_logs(self, finished: Place) -> None:
        data = json.loads(finished.referee("standings", "results", "--json").stdout)
        assert data["complete"] is True
        faults = {entrant["entrant"]: entrant["faults"] for entrant in data["entrants"]}
        assert faults["first"] == faults["random"] == {}
        assert faults["wrong"]["illegal"] > 0
        log = "results/logs/huutopussi.helsinki.first+wrong.jsonl"
        shown = finished.referee("replay", log, "--set", "0").stdout
        assert "wrong: illegal: 'XX' is not legal" in " ".join(shown.split())

    def test_again_plays_nothing(self, finished: Place) -> None:
        before = {p: p.read_bytes() for p in (finished.results / "logs").iterdir()}
        found = finished.referee("run", "league.toml")
        assert found.returncode == 0
        assert "nothing was left to play" in found.stdout
        assert "commitment" not in found.stdout
        assert {p: p.read_bytes() for p in (finished.results / "logs").iterdir()} == before

    def test_as_json_prints_json_only(self, finished: Place) -> None:
        found = finished.referee("run", "league.toml", "--json")
        data = json.loads(found.stdout)
        assert data["complete"] is True
        assert data["planned"] == data["done"] == 6
        assert len(data["standings"]["entrants"]) == 3

    def test_a_secret_that_has_been_revealed_is_refused(self, finished: Place) -> None:
        found = finished.run("--sets", "3")
        assert found.returncode == 2
        assert "has been revealed" in found.stderr


ENTRANTS = {"first": "first_legal", "slow": "slow.py", "slow2": "python slow.py"}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Digests of a league of slow bots when nobody interrupts it."""
    place = Place(tmp_path_factory.mktemp("undisturbed"))
    place.file("slow.py", SLOW)
    place.league(ENTRANTS, sets=4)
    assert place.run("--workers", "1").returncode == 0
    return place.digests()


class TestInterrupts:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_once_ends_the_sets_in_flight_and_the_same_command_resumes(
        self, place: Place, undisturbed: dict[str, str], number: signal.Signals
    ) -> None:
        place.file("slow.py", SLOW)
        place.league(ENTRANTS, sets=4)
        with place.start() as process:
            place.wait_for_sets(1)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        assert err == ""
        assert process.returncode == 128 + number
        assert place.processes() == []
        assert "finishing the sets in flight" in out
        resume = next(line for line in out.splitlines() if line.startswith("to go on: "))
        words = shlex.split(resume.removeprefix("to go on: "))
        assert words == ["referee", "run", "league.toml"]
        assert 1 <= place.sets() < 12
        assert "cards as logged" in place.referee("verify", "results").stdout
        found = place.referee(*words[1:])
        assert found.returncode == 0
        assert "had been played: resumed" in found.stdout
        assert place.digests() == undisturbed

    def test_twice_stops_at_once_and_leaves_nothing_running(
        self, place: Place, undisturbed: dict[str, str]
    ) -> None:
        place.file("slow.py", SLOW.replace("0.004", "0.5"))
        place.league(ENTRANTS, sets=4)
        with place.start() as process:
            deadline = time.monotonic() + 20
            while sum("slow.py" in command for command in place.processes()) < 12:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            time.sleep(0.4)
            assert process.poll() is None
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10)
        assert time.monotonic() - began < 3
        assert process.returncode == 130
        assert err == ""
        assert "to go on: referee run league.toml" in out
        assert place.processes() == []
        assert place.sets() == 0
        place.file("slow.py", SLOW)
        place.league(ENTRANTS, sets=4)
        found = place.referee("run", "league.toml")
        assert found.returncode == 2
        assert "has changed" in found.stderr

    def test_nothing_is_lost_when_the_coordinator_is_killed(
        self, place: Place, undisturbed: dict[str, str]
    ) -> None:
        place.file("slow.py", SLOW)
        place.league(ENTRANTS, sets=4)
        with place.start() as process:
            place.wait_for_sets(2)
            process.kill()
        deadline = time.monotonic() + 10
        while place.processes():
            assert time.monotonic() < deadline, place.processes()
            time.sleep(0.05)
        assert place.sets() >= 2
        assert place.referee("run", "league.toml").returncode == 0
        assert place.digests() == undisturbed


class TestLeagues:
    def test_an_entrant_more_plays_only_the_missing_pairings(self, place: Place) -> None:
        two = {"first": "first_legal", "random": "random_legal"}
        place.league(two)
        assert place.run().returncode == 0
        (log,) = (place.results / "logs").iterdir()
        before = log.read_bytes()
        place.league({**two, "more": "first_legal"})
        plan = json.loads(place.referee("run", "league.toml", "--dry-run", "--json").stdout)
        assert {pairing["id"]: pairing["left"] for pairing in plan["pairings"]} == {
            "first+random": 0, "first+more": 2, "more+random": 2,
        }  # fmt: skip
        assert place.referee("run", "league.toml").returncode == 0
        assert log.read_bytes() == before
        assert place.sets() == 6
        assert len(Folder(place.results).revealed()) == 2
        assert len(place.digests()) == 3

    def test_a_changed_entrant_is_refused_with_advice(self, place: Place) -> None:
        place.file("mine.py", WRONG)
        place.league({"first": "first_legal", "mine": "mine.py"}, sets=1)
        assert place.run().returncode == 0
        place.file("mine.py", WRONG + "\n# better\n")
        found = place.referee("run", "league.toml", "--sets", "2")
        assert found.returncode == 2
        assert "entrant 'mine' has changed" in found.stderr
        assert "give the new one another id" in found.stderr
        place.file("mine.py", WRONG)
        place.league({"first": "first_legal", "mine": "mine.py"}, 2, "soft_faults = 2")
        found = place.referee("run", "league.toml")
        assert found.returncode == 2
        assert "soft_faults = 3, the league now says 2" in found.stderr

    def test_a_second_referee_on_the_same_folder_is_refused(self, place: Place) -> None:
        place.league({"first": "first_legal", "random": "random_legal"})
        folder = Folder(place.results)
        folder.open_for_writing()
        found = place.run()
        folder.close()
        assert found.returncode == 2
        assert "another referee is writing there" in found.stderr
        assert "Traceback" not in found.stderr

    def test_a_bot_that_never_starts_is_unrated_and_the_league_goes_on(self, place: Place) -> None:
        place.file("broken.py", "import sys; sys.exit('no such luck')")
        place.league({"first": "first_legal", "random": "random_legal", "zero": "broken.py"}, 1)
        found = place.run()
        assert found.returncode == 1
        assert "zero is unrated" in found.stdout
        assert "2 sets could not be played" in found.stdout
        assert "referee run league.toml --retry" in found.stdout
        assert "no such luck" in found.stdout
        assert "  its stderr: results/stderr/huutopussi.helsinki." in found.stdout
        assert place.referee("verify", "results").returncode == 0
        data = json.loads(place.referee("standings", "results", "--json").stdout)
        assert [entrant["rank"] for entrant in data["entrants"]] == [1, 2, None]

    def test_and_nobody_else_is_blamed_for_it(self, place: Place) -> None:
        place.file("broken.py", "import sys; sys.exit('no such luck')")
        place.league({"first": "first_legal", "random": "random_legal", "zero": "broken.py"}, 1)
        assert "zero is unrated: could not be started (start_failed)" in place.run().stdout
        data = json.loads(place.referee("standings", "results", "--json").stdout)
        faults = {entrant["entrant"]: entrant["faults"] for entrant in data["entrants"]}
        assert faults == {"first": {}, "random": {}, "zero": {"start_failed": 2}}

    def test_when_nothing_starts_there_is_one_clear_message(self, place: Place) -> None:
        place.file("broken.py", "import sys; sys.exit('no such luck')")
        place.league({"one": "broken.py", "two": "python broken.py"}, 1)
        found = place.run()
        assert found.returncode == 1
        assert "error: nothing could be played, nothing was scored: one cannot" in found.stderr
        assert "Traceback" not in found.stderr
        assert "\ntheir standard error: results/stderr/" in found.stderr


class TestMatch:
    def test_two_bots_play_without_a_league_file(self, place: Place) -> None:
        place.file("mine.py", WRONG)
        found = place.referee(
            "match", "first_legal", "python mine.py", "--sets", "2", "--json",
            "--rules", "wikibooks-2", "--decision-ms", "2000",
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        data = json.loads(found.stdout)
        assert data["results"].startswith("results/match-first_legal-mine-2")
        assert data["standings"]["ruleset"] == "wikibooks-2"
        assert {entrant["entrant"] for entrant in data["standings"]["entrants"]} == {
            "first_legal", "mine",
        }  # fmt: skip
        again = place.referee(*shlex.split(data["resume"])[1:])
        assert again.returncode == 0
        assert "nothing was left to play" in again.stdout

    def test_three_play_a_game_for_three_to_its_end(self, place: Place) -> None:
        found = place.referee(
            "match", "first_legal", "first_legal", "random_legal", "--rules", "wikibooks-3",
            "--sets", "1", "--unit", "game", "--option", "target=100", "--results", "r",
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        assert "net per game" in found.stdout
        assert "first_legal-2" in found.stdout
        assert place.referee("verify", "r").returncode == 0
