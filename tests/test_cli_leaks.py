"""`referee leak-check`: logs in which nothing leaks, games that leak, and what is refused."""

import json
import os
import pty
import subprocess
from pathlib import Path

import click
import pytest

from referee.cli.leak_check import marked
from referee.games import huutopussi, minnesota
from referee.games.tricktaking import TrickDeal
from referee.log import read
from tests.test_cli import referee, refused
from tests.test_cli_leagues import REFEREE
from tests.test_show import Faults, league, written


def log_of(folder: Path, *, faults: Faults | None = None, **options: object) -> Path:
    """A log of deals played at random."""
    chosen: dict[str, object] = {"sets": 1, **options}
    (path,) = written(league(folder, **chosen), faults)  # type: ignore[arg-type]
    return path


def tell_everything(deal: huutopussi.Deal, place: int) -> str:
    """A history in which nothing is hidden."""
    return deal.game.actions[deal.history[place][1]]


class TestNothing:
    def test_leaks_from_a_log_of_honest_games(self, tmp_path: Path) -> None:
        path = log_of(tmp_path)
        found = referee("leak-check", path, "--worlds", "5")
        assert found.exit_code == 0
        first, second, *_ = found.stdout.splitlines()
        assert first == f"nothing leaks: {path}"
        data = json.loads(referee("leak-check", path, "--worlds", "5", "--json").stdout)
        assert (data["ok"], data["leak"]) == (True, None)
        assert data["dealings"] >= 2
        assert 5 * (data["moments"] - data["few"]) <= data["worlds"] <= 5 * data["moments"]
        assert f"  {data['worlds']:,} worlds compared at {data['moments']} moments" in second

    def test_leaks_from_whole_games_and_from_faulty_bots(self, tmp_path: Path) -> None:
        path = log_of(
            tmp_path, game="bondtolva", rules=None, unit="game",
            faults={2: "illegal", 5: "timeout", 8: "crashed"},
        )  # fmt: skip
        (record,) = read(path).sets.values()
        assert any(play.rulings for _, _, play in record.deals())
        found = json.loads(referee("leak-check", path, "--worlds", "4", "--json").stdout)
        assert found["ok"]
        assert found["dealings"] == len(list(record.deals())) > 2

    def test_is_found_where_nothing_has_been_played(self, tmp_path: Path) -> None:
        path = log_of(tmp_path)
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
        found = referee("leak-check", path)
        assert (found.exit_code, found.stdout) == (0, f"{path}: nothing has been played yet\n")

    def test_is_drawn_where_nobody_looks_and_a_bar_on_a_terminal(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, game="minnesota", rules=None)
        words = [*REFEREE, "leak-check", str(path), "--worlds", "2"]
        quiet = subprocess.run(words, capture_output=True, timeout=60)
        assert (quiet.returncode, quiet.stderr) == (0, b"")
        screen, end = pty.openpty()
        shown = subprocess.run(words, stdout=subprocess.PIPE, stderr=end, timeout=60)
        os.close(end)
        assert b"deals" in os.read(screen, 100_000)
        os.close(screen)
        assert shown.stdout == quiet.stdout


class TestALeak:
    def test_is_shown_with_its_place_and_the_bytes_that_differ(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = log_of(tmp_path, rules="wikibooks-team")
        monkeypatch.setattr(huutopussi.Deal, "shown", tell_everything)
        monkeypatch.setattr(huutopussi.Deal, "view_json", TrickDeal.view_json)
        found = referee("leak-check", path)
        assert found.exit_code == 1
        lines = found.stdout.splitlines()
        assert lines[0] == f"LEAK: {path}"
        assert lines[1].startswith("  set 0, table 0, deal 0, seat ")
        played, other = (line[14:].split(">>")[1].split("<<")[0] for line in lines[2:4])
        assert played != other
        assert referee("leak-check", path).stdout == found.stdout
        leak = json.loads(referee("leak-check", path, "--json").stdout)["leak"]
        assert f"seat {leak['seat']}, decision {leak['decision']}: " in lines[1]
        assert leak["played"] != leak["other"]
        assert lines[4] == f"  the other world: {' '.join(leak['cards'])}"
        assert sorted(leak["cards"]) == sorted(huutopussi.PACK.names)

    def test_in_another_set_is_not_looked_for(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = log_of(tmp_path, game="minnesota", rules=None, sets=2)
        view = minnesota.Deal.view_json

        def leaky(deal: minnesota.Deal, seat: int) -> str:
            if deal.tally.dealer == 0:  # set 0
                return view(deal, seat)
            return view(deal, seat) + f"{deal.hands[seat - 1]}"

        monkeypatch.setattr(minnesota.Deal, "view_json", leaky)
        few = ("--worlds", "3")
        assert referee("leak-check", path, "--set", "0", *few).exit_code == 0
        found = referee("leak-check", path, "--set", "1", *few)
        assert found.exit_code == 1
        assert found.stdout.splitlines()[1].startswith("  set 1, table 0, deal 0, seat 0, ")
        assert referee("leak-check", path, *few).stdout.splitlines()[1:-1] == (
            found.stdout.splitlines()[1:-1]
        )


class TestRefused:
    def test_a_file_that_is_no_log(self, tmp_path: Path) -> None:
        assert "there is no such log" in refused("leak-check", tmp_path / "gone.jsonl")
        path = tmp_path / "text.jsonl"
        path.write_text("hello\n", encoding="ascii")
        assert "line 1" in refused("leak-check", path)

    def test_a_set_that_is_not_there(self, tmp_path: Path) -> None:
        path = log_of(tmp_path)
        assert "sets in it: 0 to 0" in refused("leak-check", path, "--set", "7")

    def test_a_folder_of_several_logs(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("aapo", "bertta", "cecilia"), sets=1))
        assert str(paths[1]) in refused("leak-check", tmp_path)

    def test_a_log_that_does_not_verify(self, tmp_path: Path) -> None:
        path = log_of(tmp_path)
        data = path.read_bytes()
        at = data.index(b'"points":[') + len(b'"points":[')
        path.write_bytes(data[:at] + b"9" + data[at:])
        assert "sha256" in refused("leak-check", path)

    def test_no_worlds(self, tmp_path: Path) -> None:
        assert referee("leak-check", log_of(tmp_path), "--worlds", "0").exit_code == 2


class TestMarked:
    def test_shows_the_part_that_differs_with_what_stands_around_it(self) -> None:
        one, other = "a" * 100 + "12" + "b" * 100, "a" * 100 + "3" + "b" * 100
        assert marked(one, other) == (
            f"...{'a' * 60}>>12<<{'b' * 60}...",
            f"...{'a' * 60}>>3<<{'b' * 60}...",
        )

    def test_shows_what_one_has_more(self) -> None:
        assert marked("[1]", "[1,1]") == ("[1>><<]", "[1>>,1<<]")

    def test_says_where_nothing_was_sent(self) -> None:
        assert marked("", "[1]") == ("(nothing)", "[1]")


def test_help_has_an_example() -> None:
    shown = referee("leak-check", "--help").stdout
    assert "Example: referee leak-check " in click.unstyle(shown)
