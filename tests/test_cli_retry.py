"""`referee retry`: logged decisions put to a bot again."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import commands
from referee.games.rulesets import game_from
from referee.log import Log, read
from referee.retry import Asked, tables_of

WHO = [sys.executable, "-m", "referee.cli.main"]

HIGH = """
from protocol.bot import Bot

class High(Bot):
    def decide(self, ask):
        return ask.legal[-1] if ask.view.phase == "play" else ask.legal[0]

if __name__ == "__main__":
    High("high", tables=64).run()
"""

SEES = """
import json, os
from protocol.bot import Bot
from protocol.messages import encode

class Sees(Bot):
    def started(self, start):
        self.put("start", start.seed)

    def decide(self, ask):
        self.put("ask", encode(ask.view).decode(), ask.legal)
        return ask.legal[0]

    def ended(self, end):
        self.put("end", end.points, end.over)

    def put(self, *words):
        with open(os.environ["SEEN"], "a") as file:
            file.write(json.dumps(words) + "\\n")

if __name__ == "__main__":
    Sees("sees").run()
"""


def referee(*words: object) -> Result:
    return CliRunner().invoke(commands, [str(word) for word in words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of a game to its target, and one of single deals."""
    path = tmp_path_factory.mktemp("retry")
    for name, text in (("high.py", HIGH), ("sees.py", SEES)):
        (path / name).write_text(text, encoding="utf-8")
    for words in (
        ["--sets", "2", "--results", path / "deals"],
        ["--sets", "1", "--game", "bondtolva", "--unit", "game", "--results", path / "games"],
    ):
        done = referee("match", "first_legal", f"{sys.executable} {path / 'high.py'}", *words)
        assert done.exit_code == 0, done.output
    return path


def log_of(folder: Path) -> Path:
    (found,) = (folder / "logs").glob("*.jsonl")
    return found


def asked_in(log: Log, number: int) -> list[Asked]:
    header = log.header
    game = game_from(header.game, header.ruleset, header.rules)
    return [
        asked
        for table in tables_of(game, log.sets[number])
        for _, asks in table.deals
        for asked in asks
    ]


def test_the_same_bot_decides_the_same(folder: Path) -> None:
    log = log_of(folder / "deals")
    for asked in asked_in(read(log), 1)[::9]:
        if asked.entrant != "first_legal":
            continue
        done = referee("retry", f"{log}#1.{asked.table}.{asked.at}", "--bot", "first_legal")
        assert done.exit_code == 0, done.output
        assert f"seat {asked.seat} (first_legal)" in done.output
        assert f"now     {asked.action}, the same" in done.output


def test_another_bot_is_shown_beside_the_logged_answer(folder: Path) -> None:
    log = log_of(folder / "deals")
    asked = next(a for a in asked_in(read(log), 0) if a.action != a.legal[0])
    place = f"{log}#0.{asked.table}.{asked.at}"
    done = referee("retry", place, "--bot", "first_legal", "--json")
    assert done.exit_code == 1
    data = json.loads(done.output)
    assert (data["logged"], data["now"], data["changed"]) == (asked.action, asked.legal[0], True)
    assert data["view"] == json.loads(asked.view)
    assert data["now_ms"] >= 0


def test_all_reports_every_decision_that_changed(folder: Path) -> None:
    log = log_of(folder / "deals")
    everything = [asked for n in (0, 1) for asked in asked_in(read(log), n)]
    done = referee("retry", log, "--all", "--bot", "first_legal", "--json")
    assert done.exit_code == 1
    data = json.loads(done.output)
    assert data["decisions"] == len(everything)
    found = {(each["set"], each["table"], each["at"]) for each in data["changed"]}
    assert found == {(a.set, a.table, a.at) for a in everything if a.action != a.legal[0]}


def test_all_of_one_entrant_may_change_nothing(folder: Path) -> None:
    words = ("--all", "--bot", "first_legal", "--entrant", "first_legal", "--sets", 1)
    done = referee("retry", log_of(folder / "deals"), *words)
    assert (done.exit_code, "0 of " in done.output) == (0, True), done.output


def test_a_deal_in_the_middle_of_a_game_is_reached_through_those_before(folder: Path) -> None:
    log = log_of(folder / "games")
    asked = next(a for a in asked_in(read(log), 0) if a.deal == 1 and a.entrant == "first_legal")
    place = f"{log}#0.{asked.table}.1.{asked.at}"
    assert referee("retry", place, "--bot", "first_legal").exit_code == 0


def test_the_bot_sees_exactly_what_the_seat_saw(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = log_of(folder / "games")
    asks = [a for a in asked_in(read(log), 0) if (a.table, a.seat) == (0, 0)]
    last = [a for a in asks if a.deal == 1][2]
    words = [*WHO, "retry", f"{log}#0.0.1.{last.at}", "--bot"]
    seen = tmp_path / "seen"
    command = f"env SEEN={seen} {sys.executable} {folder / 'sees.py'}"
    done = referee(*words[3:], command)
    assert done.exit_code in (0, 1), done.output
    told = [json.loads(line) for line in seen.read_text().splitlines()]
    assert told[0][0] == "start"
    assert told[0][1] > 0  # the secret is revealed, so the seed is known
    until = asks[: asks.index(last) + 1]
    assert [words[1] for words in told if words[0] == "ask"] == [a.view for a in until]
    assert [words[0] for words in told].index("end") == 1 + sum(a.deal == 0 for a in until)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("{log}", "expected LOG#SET.TABLE.DECISION"),
        ("{log}#7.0.3", "set 7 is not in it"),
        ("{log}#0.5.3", "set 0 has no table 5"),
        ("{log}#0.0.999", "nobody was asked for decision 999"),
        ("nowhere.jsonl#0.0.3", "there is no such log"),
    ],
)
def test_a_place_that_is_not_there_is_named(folder: Path, place: str, message: str) -> None:
    words = ("retry", place.format(log=log_of(folder / "deals")), "--bot", "first_legal")
    done = referee(*words)
    assert done.exit_code == 2
    assert message in done.output


def test_a_bot_that_does_not_start_or_ends_is_told(folder: Path) -> None:
    log = log_of(folder / "deals")
    asked = asked_in(read(log), 0)[5]
    place = f"{log}#0.{asked.table}.{asked.at}"
    done = referee("retry", place, "--bot", "false")
    assert done.exit_code == 2
    assert "ended before its hello: exit code 1" in done.output
    done = referee("retry", log, "--all", "--entrant", "nobody", "--bot", "first_legal")
    assert done.exit_code == 2
    assert "no entrant 'nobody'; expected one of: first_legal, high" in done.output
