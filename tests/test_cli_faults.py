"""Faults as the command line tells them: the first of each bot, where it stands, what followed."""

import json
import shlex
from pathlib import Path

from msgspec.structs import replace

from referee.judge import last_words
from referee.log import DealLine, Log, Unplayed, encoded, read
from referee.rulings import Blame
from tests.test_cli import referee
from tests.test_cli_leagues import WRONG, Place
from tests.test_show import deal_text, league, told, written


def forfeited(log: Log, table: int) -> Unplayed:
    """The line of a table of set 0 that `aapo` forfeits, unplayed."""
    (play,) = (play for _, _, play in log.sets[0].deals() if play.table == table)
    seat = play.seats.index("aapo")
    blame = Blame(kind="flood", seat=seat, ruling="forfeit", message="after 3 hard faults")
    nets = [-880.0 if side == seat % 2 else 0.0 for side in range(2)]
    return Unplayed(
        set=0, table=table, reason="forfeited", seats=play.seats, nets=nets, blame=[blame]
    )


class TestStandings:
    def test_say_of_each_faulty_entrant_what_went_wrong_first(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3), {5: "illegal"})
        first = next(
            (play.table, play.seats[line.side.blame[0].seat], line.side.blame[0].seat)
            for _, line, play in read(path).sets[0].deals()
            if line.side.blame
        )
        table, name, seat = first
        stderr = tmp_path / "stderr" / path.stem
        stderr.mkdir(parents=True)
        for file in (f"{name}.seat-{seat}.set-0.3.txt", f"{name}.seat-{seat}.set-2.3.txt"):
            (stderr / file).write_text("oh\n", encoding="utf-8")
        shown = referee("standings", tmp_path).stdout
        assert f"illegal; first in set 0 table {table} seat {seat}: [red]\\x1b[2Jboo" in shown
        assert f"its stderr: {stderr}/{name}.seat-{seat}.set-0.3.txt\n" in shown
        (see,) = {
            line for line in shown.splitlines() if line.endswith(f"--set 0 --table {table}")
        }  # fmt: skip
        words = shlex.split(see.removeprefix("  see: "))
        assert "illegal" in referee(*words[1:]).stdout
        data = json.loads(referee("standings", tmp_path, "--json").stdout)
        found = {entrant["entrant"]: entrant["first_fault"] for entrant in data["entrants"]}
        assert found[name]["log"] == str(path)
        assert (found[name]["set"], found[name]["kind"]) == (0, "illegal")
        assert "first in set 0" in referee("standings", tmp_path, "--markdown").stdout

    def test_a_table_not_played_is_blamed_on_the_last_hard_fault(self, tmp_path: Path) -> None:
        place = Place(tmp_path)
        zoo = Path(__file__).parent / "bad_bots" / "zoo.py"
        found = place.referee(
            "match", "first_legal", f"python {zoo} flood", "--sets", "3", "--workers", "1",
            "--rules", "wikibooks-2", "--results", "r", "--json",
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        entrants = json.loads(found.stdout)["standings"]["entrants"]
        (bad,) = (entrant for entrant in entrants if entrant["entrant"] == "zoo")
        (log,) = (tmp_path / "r" / "logs").iterdir()
        lines = [e.line for record in read(log).sets.values() for e in record.entries]
        unplayed = [line for line in lines if isinstance(line, Unplayed)]
        assert {blame.kind for line in unplayed for blame in line.blame} <= {"flood"}
        assert bad["unplayed_tables"] == len(unplayed)
        assert bad["faults"] == {"flood": 6 - len(unplayed)}
        assert bad["first_fault"]["deal"] == 0


class TestReplay:
    def test_says_which_table_was_not_played_and_why(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        header, first, _ = path.read_bytes().splitlines(keepends=True)
        unplayed = forfeited(read(path), table=1)
        path.write_bytes(header + first + encoded([unplayed]))
        why = "aapo: flood: after 3 hard faults"
        assert why in " ".join(referee("replay", path).stdout.split())
        whole, alone = referee("replay", path, "--set", "0"), referee(
            "replay", path, "--set", "0", "--table", "1"
        )  # fmt: skip
        line = f"set 0, table 1 was not played, forfeited: {why}\n"
        assert whole.stdout.startswith(line)
        assert "result " in whole.stdout
        assert (alone.exit_code, alone.stdout) == (0, line)
        data = json.loads(referee("replay", path, "--set", "0", "--json").stdout)
        assert data["unplayed"] == [line.strip()]
        shown = json.loads(referee("standings", path, "--json").stdout)["entrants"]
        (aapo,) = (entrant for entrant in shown if entrant["entrant"] == "aapo")
        assert (aapo["faults"], aapo["unplayed_tables"]) == ({}, 1)
        assert "unplayed 1; first in set 0 table 1, not played" in referee("standings", path).stdout

    def test_a_forfeit_stands_where_the_seat_was_wanted(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1), {24: "crashed"})
        log = read(path)
        line = log.sets[0].entries[0].line
        assert isinstance(line, DealLine)
        (blame,) = line.side.blame
        side = replace(line.side, blame=[replace(blame, at=None)])
        entry = log.sets[0].entries[0]
        log.sets[0].entries[0] = entry._replace(line=replace(line, side=side))
        scene = told(log, 0)[0]
        assert scene.story.blame == []
        assert [m.at for d in scene.story.dealings for m in d.moments if m.blame] == [24]

    def test_stray_messages_of_a_seat_are_told_in_one_line(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        scene = told(read(path), 0)[0]
        stray = [
            Blame(kind="protocol", seat=seat, ruling="none", message=f"no ask {number}")
            for number in range(5)
            for seat in (1, 2)
        ]
        shown = deal_text(replace(scene, story=replace(scene.story, blame=stray)))
        assert shown.count("  fault ") == 2
        assert shown.count("no ask 0; and 4 more of this kind; nothing is changed") == 2
        assert "no ask 1" not in shown

    def test_a_timeout_names_its_time_once_and_a_crash_its_error(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        scene = told(read(path), 0)[0]
        late = Blame(
            kind="timeout", seat=0, ruling="substitute", message="no answer within 250 ms",
            limit_ms=250.0, took_ms=285.0,
        )  # fmt: skip
        crash = Blame(
            kind="crashed", seat=1, ruling="forfeit", message="exit code 1", exit_code=1,
            stderr_last=("TypeError: x", "    at Error.f (bot.js:1)", "", "Node.js v20.20.2"),
        )  # fmt: skip
        shown = deal_text(replace(scene, story=replace(scene.story, blame=[late, crash])))
        assert "285" not in shown
        assert "last words: TypeError: x;" in shown


class TestMatch:
    def test_a_changed_bot_is_told_of_the_results_folder(self, tmp_path: Path) -> None:
        place = Place(tmp_path)
        place.file("mine.py", WRONG)
        words = ("match", "first_legal", "mine.py", "--sets", "1", "--results", "r")
        assert place.referee(*words).returncode == 0
        place.file("mine.py", WRONG + "\n# better\n")
        found = place.referee(*words)
        assert found.returncode == 2
        assert "entrant 'mine' has changed" in found.stderr
        assert "name another folder by --results" in found.stderr
        assert " id" not in found.stderr.split("has changed")[1]
        found = place.referee(*words, "--decision-ms", "500")
        assert "the match now has" in found.stderr
        assert "league" not in found.stderr


def test_the_last_words_are_the_line_that_speaks_of_an_error() -> None:
    node = ("Error: Cannot find module 'zeromq'", "    at Error.load (a.js:1)", "Node.js v20.20.2")
    assert last_words((), node) == node[0]
    assert last_words(node, ("}", "Node.js v20.20.2")) == node[0]
    assert last_words((), ("one", "two")) == "two"
    assert last_words((), ()) == ""
