"""The command line on logs and files: what it prints, what it refuses, with which exit code."""

import json
import shlex
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from referee import __version__
from referee.cli.main import commands
from referee.cli.match import bot_ids, option_value
from referee.cli.playing import read_secret
from referee.errors import ConfigError
from referee.league.folder import Folder
from referee.log import AnyLine, DealLine, End, append, encoded, read
from referee.show.page import WIDTH
from tests.test_show import SECRET, league, written


def referee(*words: str | Path, stdin: str = "") -> Result:
    """Run a command in this process."""
    found = CliRunner().invoke(commands, list(map(str, words)), input=stdin)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found


def refused(*words: str | Path) -> str:
    """The message of a command that is refused."""
    found = referee(*words)
    assert found.exit_code == 2, found.output
    assert found.stdout == ""
    assert found.stderr.startswith("error: ")
    return found.stderr


def completed(folder: Path, paths: Iterable[Path]) -> None:
    """End logs and reveal the secret, as a league does that is complete."""
    for path in paths:
        log = read(path)
        append(path, [End(sets=len(log.sets), digest=log.digest())])
    Folder(folder).reveal(SECRET)


def sheet(folder: Path, text: str) -> Path:
    """A league file."""
    path = folder / "league.toml"
    path.write_text(text, encoding="utf-8")
    return path


TWO = '[[entrants]]\nid = "first_legal"\n[[entrants]]\nid = "random_legal"\n'


class TestHelp:
    @pytest.mark.parametrize("name", sorted(commands.commands))
    def test_ends_with_an_example_that_parses(self, name: str) -> None:
        shown = referee(name, "--help").stdout
        example = shown.strip().splitlines()[-1].strip()
        assert example.startswith("Example: referee ")
        program, verb, *words = shlex.split(example.removeprefix("Example: "))
        assert (program, verb) == ("referee", name)
        command = commands.commands[name]
        assert isinstance(command.make_context(name, words), click.Context)

    def test_of_the_whole_has_an_example_too(self) -> None:
        shown = referee("--help").stdout
        assert "Example: referee match greedy first_legal" in shown
        assert max(map(len, shown.splitlines())) <= WIDTH

    def test_version(self) -> None:
        assert referee("--version").stdout == f"referee, version {__version__}\n"

    def test_a_wrong_command_is_answered_with_the_nearest(self) -> None:
        found = referee("replya")
        assert found.exit_code == 2
        assert "replay" in found.stderr


class TestLeagueFile:
    def test_a_typo_names_file_line_key_and_the_nearest_name(self, tmp_path: Path) -> None:
        path = sheet(tmp_path, 'name = "l"\n\nsest = 3\n' + TWO)
        message = refused("run", path)
        assert f"{path}: line 3: unknown key 'sest'; did you mean 'sets'?" in message

    def test_a_typo_in_a_table_is_named_with_that_tables_keys(self, tmp_path: Path) -> None:
        path = sheet(tmp_path, 'name = "l"\n' + TWO + "[time]\ndecision = 20\n")
        assert "unknown key 'decision'; did you mean 'decision_ms'?" in refused("run", path)

    def test_an_unknown_bot_is_answered_with_the_nearest(self, tmp_path: Path) -> None:
        path = sheet(tmp_path, 'name = "l"\n' + TWO.replace("first_legal", "first_leagl"))
        assert "did you mean 'first_legal'?" in refused("run", path)

    def test_an_unknown_option_is_answered_with_the_nearest(self, tmp_path: Path) -> None:
        path = sheet(tmp_path, 'name = "l"\n[options]\nbid_stepp = 10\n' + TWO)
        assert "did you mean 'bid_step'?" in refused("run", path)

    def test_what_is_not_there_or_no_toml_is_refused(self, tmp_path: Path) -> None:
        assert "cannot be read" in refused("run", tmp_path / "none.toml")
        assert "not TOML" in refused("run", sheet(tmp_path, "name = \n"))

    def test_a_secret_has_64_hexadecimal_digits(self, tmp_path: Path) -> None:
        path = tmp_path / "secret"
        path.write_text(SECRET + "\n", encoding="ascii")
        assert read_secret(str(path)) == SECRET
        for wrong in (SECRET[1:], SECRET.upper(), "ä" * 64, ""):
            path.write_text(wrong, encoding="utf-8")
            with pytest.raises(ConfigError, match="64 digits"):
                read_secret(str(path))
        league_file = sheet(tmp_path, 'name = "l"\n' + TWO)
        assert "cannot be read" in refused("run", league_file, "--secret-file", tmp_path / "no")


class TestDryRun:
    def test_shows_pairings_sets_jobs_and_processes_and_touches_nothing(
        self, tmp_path: Path
    ) -> None:
        path = sheet(
            tmp_path, 'name = "l"\nresults = "r"\n' + TWO + '[[entrants]]\nid = "greedy"\n'
        )
        before = sorted(tmp_path.rglob("*"))
        found = referee("run", path, "--dry-run", "--workers", "3", "--sets", "20")
        assert found.exit_code == 0
        shown = " ".join(found.stdout.split())
        assert "3 entrants, 3 pairings of 20 sets" in shown
        assert "left to play: 60 sets of 60, 120 tables" in shown
        assert "24 bot processes at once (3 workers x 8)" in shown
        assert sorted(tmp_path.rglob("*")) == before

    def test_as_json(self, tmp_path: Path) -> None:
        path = sheet(tmp_path, 'name = "l"\nresults = "r"\nrules = "wikibooks-2"\n' + TWO)
        data = json.loads(referee("run", path, "--dry-run", "--json").stdout)
        assert data["processes_a_worker"] == 4
        assert data["sets_left"] == 100
        assert not (tmp_path / "r").exists()

    def test_of_a_match(self, tmp_path: Path) -> None:
        folder = tmp_path / "r"
        found = referee(
            "match", "first_legal", "random_legal", "--dry-run", "--json", "--results", folder,
            "--option", "bid_step=10", "--rules", "german", "--unit", "game",
        )  # fmt: skip
        data = json.loads(found.stdout)
        assert data["games"][0]["ruleset"] == "german[bid_step=10]"
        assert data["unit"] == "game"
        assert not folder.exists()


class TestMatchArguments:
    def test_ids_come_from_the_program_and_are_unique(self) -> None:
        assert bot_ids(["greedy", "python a/Mine.py -x", "greedy", "./greedy", "node bot.js"]) == [
            "greedy", "mine", "greedy-2", "greedy-3", "bot",
        ]  # fmt: skip
        assert bot_ids(["'", "ÄÖ"]) == ["bot", "bot-2"]

    def test_options_are_numbers_truths_or_words(self) -> None:
        assert option_value("a=1") == ("a", 1)
        assert option_value("a=true") == ("a", True)
        assert option_value("a=draw") == ("a", "draw")
        with pytest.raises(ConfigError, match="NAME=VALUE"):
            option_value("a")

    def test_help_says_where_results_go_and_that_options_may_be_repeated(self) -> None:
        shown = " ".join(referee("match", "--help").stdout.split())
        assert "results/match-BOTS-TIME" in shown
        assert "may be given several times" in shown

    def test_one_bot_or_none_is_too_few(self) -> None:
        assert referee("match").exit_code == 2
        assert "two bots" in referee("match", "first_legal").stderr
        assert "played by 3 entrants" in refused(
            "match", "greedy", "greedy", "--rules", "wikibooks-3"
        )


class TestVerify:
    def test_an_untouched_log_is_verified_from_the_cards_it_holds(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3), {4: "illegal", 30: "timeout"})
        found = referee("verify", path)
        assert found.exit_code == 0
        assert "3 sets, 6 deals, cards as logged (their secret is not revealed yet)" in found.stdout
        assert read(path).digest() in found.stdout

    def test_and_from_the_secret_once_it_is_revealed(self, tmp_path: Path) -> None:
        completed(tmp_path, written(league(tmp_path, ("a", "b", "c"), sets=2)))
        found = referee("verify", tmp_path)
        assert found.exit_code == 0
        assert found.stdout.count("2 sets, 4 deals, cards from the revealed secret") == 3
        assert "all logs verified" in found.stdout

    def test_a_secret_that_is_not_the_one_committed_to_fails(self, tmp_path: Path) -> None:
        written(league(tmp_path, sets=1))
        Folder(tmp_path).reveal(SECRET)
        revealed = tmp_path / "revealed.json"
        text = revealed.read_text(encoding="ascii").replace(SECRET, "cd" * 32)
        revealed.write_text(text, encoding="ascii")
        found = referee("verify", tmp_path)
        assert found.exit_code == 1
        assert "another digest" in found.stdout

    @pytest.mark.parametrize("revealed", [False, True])
    def test_any_byte_of_a_play_that_is_changed_fails(self, tmp_path: Path, revealed: bool) -> None:
        (path,) = written(league(tmp_path, sets=2), {6: "illegal"})
        if revealed:
            completed(tmp_path, [path])
        good = path.read_bytes()
        for number, line in enumerate(good.split(b"\n")[:-1], 1):
            start = good.index(line)
            if not line.startswith(b'{"kind":"deal"'):
                continue
            first, last = line.index(b'"play":') + 8, line.index(b',"side":')
            for at in range(first, last, 41):
                bad = bytearray(good)
                bad[start + at] ^= 1
                path.write_bytes(bad)
                found = referee("verify", path)
                assert found.exit_code == 1, (at, line[at - 20 : at + 5])
                assert found.stdout.startswith(f"NOT VERIFIED: {path}: line {number}: ")
        path.write_bytes(good)
        assert referee("verify", path).exit_code == 0

    def test_a_forged_digest_is_found_out_by_the_rules(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        data = path.read_bytes()
        line = read(path).sets[0].entries[0].line
        forged = encoded([_with_points(line)])
        path.write_bytes(data.replace(encoded([line]), forged))
        found = referee("verify", path)
        assert found.exit_code == 1
        assert "line 2: play.points: log says [999," in found.stdout

    def test_a_line_cut_off_is_set_aside_with_its_set(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3))
        path.write_bytes(path.read_bytes()[:-100])
        found = referee("verify", path)
        assert found.exit_code == 0
        assert "2 sets, 4 deals" in found.stdout
        assert "2 lines of an incomplete set at the end set aside" in found.stdout

    def test_logs_without_a_set_say_that_nothing_has_been_played(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("a", "b", "c"), sets=1))
        for path in paths:
            path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")
        one, all_of_them = referee("verify", paths[0]), referee("verify", tmp_path)
        assert one.exit_code == all_of_them.exit_code == 0
        assert "nothing has been played yet" in one.stdout
        assert all_of_them.stdout.endswith("\nnothing has been played yet\n")
        assert "verified" not in one.stdout + all_of_them.stdout

    def test_one_bad_log_does_not_hide_the_others(self, tmp_path: Path) -> None:
        paths = written(league(tmp_path, ("a", "b", "c"), sets=1))
        paths[0].write_bytes(paths[0].read_bytes().replace(b'"points":[', b'"points":[1'))
        data = json.loads(referee("verify", tmp_path, "--json").stdout)
        assert data["ok"] is False
        assert [log["ok"] for log in data["logs"]].count(True) == 2

    def test_what_is_not_there_is_refused(self, tmp_path: Path) -> None:
        assert "there is no such log or folder" in refused("verify", tmp_path / "none")
        assert "no logs in it" in refused("verify", tmp_path)


def _with_points(line: AnyLine) -> DealLine:
    """A deal line with other points and the digest to match."""
    assert isinstance(line, DealLine)
    play = msgspec.json.decode(line.play)
    play["points"][0] = 999
    body = msgspec.json.encode(play)
    return msgspec.structs.replace(line, play=msgspec.Raw(body), sha256=sha256(body).hexdigest())


class TestReplay:
    def test_lists_the_deals_of_a_log(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=3), {5: "malformed"})
        shown = referee("replay", path).stdout
        assert shown.count("1 malformed") == 6
        assert "2.1.0" in shown
        data = json.loads(referee("replay", path, "--json").stdout)
        assert len(data["deals"]) == 6
        assert data["deals"][0]["faults"] == {"malformed": 1}

    def test_tells_one_deal_or_a_whole_set(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=2), {5: "illegal"})
        one = referee("replay", path, "--set", "1", "--table", "0")
        assert one.exit_code == 0
        assert "\x1b" not in one.stdout
        assert "illegal: [red]\\x1b[2Jboo\\nbar[/red]" in " ".join(one.stdout.split())
        both = referee("replay", tmp_path, "--set", "1").stdout
        assert both.count("\nresult ") == 2
        assert one.stdout in both

    def test_as_json_has_every_moment(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1), {5: "illegal"}, note="why not")
        data = json.loads(referee("replay", path, "--set", "0", "--table", "1", "--json").stdout)
        (deal,) = data["deals"]
        moments = deal["dealings"][0]["moments"]
        assert " ".join(moment["action"] for moment in moments) == deal["play"]["actions"]
        assert moments[5]["blame"][0]["kind"] == "illegal"
        assert moments[4]["note"] == "why not"

    def test_steps_from_decision_to_decision(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        words = ("replay", path, "--set", "0", "--table", "0")
        three = referee(*words, "--step", stdin="\n\n").stdout
        assert three.count("  plays ") == 3
        assert "result " not in three
        full = referee(*words, "--step", stdin="\n" * 200).stdout
        assert full.count("\ntrick ") == 9
        assert "result " in full

    def test_shows_actions_with_notes(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1), note="because\x07")
        shown = referee("replay", path, "--set", "0", "--table", "0", "--decisions").stdout
        assert "because\\x07" in shown

    def test_says_what_is_not_there(self, tmp_path: Path) -> None:
        (path, *_) = written(league(tmp_path, ("a", "b", "c"), sets=2))
        assert "set 7 is not in it; sets in it: 0 to 1" in refused("replay", path, "--set", "7")
        assert "no such deal" in refused("replay", path, "--set", "0", "--table", "5")
        assert "3 logs in it" in refused("replay", tmp_path)
        assert referee("replay", path, "--table", "0").exit_code == 2

    def test_a_log_that_breaks_the_rules_is_refused(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        path.write_bytes(path.read_bytes().replace(b'"dealer":0', b'"dealer":1'))
        assert "line 2: sha256" in refused("replay", path, "--set", "0")


class TestStandings:
    def test_come_in_four_forms(self, tmp_path: Path) -> None:
        written(league(tmp_path, ("a", "b", "c"), sets=2), {5: "illegal"})
        shown = referee("standings", tmp_path)
        assert shown.exit_code == 0
        lines = shown.stdout.splitlines()
        assert max(len(line) for line in lines if not line.startswith("  see: ")) <= WIDTH
        assert not any(line != line.rstrip() for line in shown.stdout.splitlines())
        assert json.loads(referee("standings", tmp_path, "--json").stdout)["sets"] == 6
        assert referee("standings", tmp_path, "--csv").stdout.startswith("rank,rank_low,")
        assert "|---:|" in referee("standings", tmp_path, "--markdown").stdout

    def test_two_folders_of_different_rules_are_refused(self, tmp_path: Path) -> None:
        written(league(tmp_path / "a"))
        written(league(tmp_path / "b", rules="german"))
        message = refused("standings", tmp_path / "a", tmp_path / "b")
        assert "different leagues" in message

    def test_a_file_that_is_no_log_is_refused(self, tmp_path: Path) -> None:
        path = sheet(tmp_path, "name = 1\n")
        assert "line 1" in refused("standings", path)

    def test_a_log_without_a_complete_set_lists_everybody(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        path.write_bytes(path.read_bytes()[:-10])
        shown = referee("standings", path).stdout
        assert shown.count("has not finished a set yet") == 2
        assert "neither a net nor a rank" in shown


class TestGames:
    def test_lists_games_and_rulesets(self) -> None:
        shown = referee("games").stdout
        assert "helsinki" in shown
        assert "wikibooks-3" in shown

    def test_every_option_has_a_meaning_and_a_value(self) -> None:
        shown = referee("games", "huutopussi", "--rules", "german").stdout
        assert max(map(len, shown.splitlines())) <= WIDTH
        data = json.loads(referee("games", "huutopussi", "--rules", "german", "--json").stdout)
        assert {option["name"] for option in data["options"]} == set(data["rules"])
        for option in data["options"]:
            assert option["meaning"]
            assert option["name"] in shown
            assert option["default"] == data["rules"][option["name"]]
        assert data["actions"][:3] == ["pass", "keep", "no"]
        assert len(data["pack"]) == 36
        assert data["sides"] == [0, 1, 0, 1]

    def test_misspelt_names_are_answered_with_the_nearest(self) -> None:
        assert "did you mean 'huutopussi'?" in refused("games", "hutopussi")
        assert "did you mean 'helsinki'?" in refused("games", "huutopussi", "--rules", "helsinky")
        assert referee("games", "--rules", "german").exit_code == 2


def test_appending_to_a_log_by_hand_is_noticed(tmp_path: Path) -> None:
    (path,) = written(league(tmp_path, sets=1))
    append(path, [read(path).sets[0].entries[0].line])
    found = referee("verify", path)
    assert "1 line of an incomplete set at the end set aside" in found.stdout
