"""`referee check` and `referee retry` with a bot in a sandbox: the same launch as in a league."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import commands
from referee.games.rulesets import game_from
from referee.log import read
from referee.retry import tables_of
from referee.seats.sandbox import Level
from tests.sandbox_help import need

SANDBOXES: tuple[Level, ...] = ("linux", "bwrap")
"""What can be asked for; what the machine allows is added to it."""

SHORT = ["--game", "marjapussi", "--rules", "marjapussi-24"]
LAST = [word for step in (17, 18, 19, 20) for word in ("--step", str(step))]

NOSY = """
import os, subprocess, sys
from protocol.bot import Bot

log, out, leaves = sys.argv[1:4]
try:
    open(out, "a").write("written\\n")
except OSError:
    pass
try:
    print("read", len(open(log).read()), file=sys.stderr)
    open(out, "a").write("read\\n")
except OSError:
    pass
if leaves == "leaves":
    subprocess.Popen(["sleep", "30"])  # `setsid` fails in a sandbox

class Nosy(Bot):
    def decide(self, ask):
        return ask.legal[0]

Nosy("nosy").run()
"""
"""Tries to write to a file outside, and to read the log."""


def referee(*words: object) -> Result:
    return CliRunner().invoke(commands, [str(word) for word in words])


def outcomes(done: Result) -> dict[str, str]:
    return {step["key"]: step["outcome"] for step in json.loads(done.stdout)["steps"]}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "results"
    words = ["match", "first_legal", "greedy", "--rules", "wikibooks-2", "--sets", "1"]
    assert referee(*words, "--results", folder).exit_code == 0
    (found,) = (folder / "logs").glob("*.jsonl")
    return found


@pytest.fixture
def nosy(tmp_path: Path) -> Path:
    program = tmp_path / "program" / "nosy.py"
    program.parent.mkdir()
    program.write_text(NOSY, encoding="utf-8")
    return program


@pytest.mark.parametrize("transport", ["", "tcp:", "stdio:"])
@pytest.mark.parametrize("level", SANDBOXES)
def test_a_check_of_a_good_bot_passes_in_a_sandbox(level: Level, transport: str) -> None:
    need(level)
    done = referee("check", f"{transport}first_legal", *SHORT, *LAST, "--sandbox", level, "--json")
    assert done.exit_code == 0, done.output
    assert f"sandbox: {level}" in done.stderr
    found = outcomes(done)
    failed = {key: outcome for key, outcome in found.items() if outcome == "failed"}
    assert not failed
    assert found["bye"] == "passed"


@pytest.mark.parametrize("level", ["basic", *SANDBOXES])
def test_a_check_keeps_its_bot_in_the_sandbox_that_was_asked_for(
    level: Level, nosy: Path, log: Path, tmp_path: Path
) -> None:
    if level != "basic":
        need(level)
    out = tmp_path / "out"
    bot = f"{sys.executable} {nosy} {tmp_path / 'nothing'} {out} stays"
    done = referee("check", bot, *SHORT, "--step", "18", "--sandbox", level, "--json")
    assert done.exit_code == 0, done.output
    assert out.exists() is (level == "basic")


@pytest.mark.parametrize("level", ["basic", *SANDBOXES])
def test_a_process_that_outlives_its_bot_is_found_where_it_can_be(
    level: Level, nosy: Path, tmp_path: Path
) -> None:
    if level != "basic":
        need(level)
    bot = f"{sys.executable} {nosy} nothing {tmp_path / 'out'} leaves"
    done = referee("check", bot, *SHORT, "--step", "19", "--sandbox", level, "--json")
    (step,) = [step for step in json.loads(done.stdout)["steps"] if step["key"] == "processes"]
    if level == "bwrap":
        assert (step["outcome"], done.exit_code) == ("skipped", 0)
        assert "its box ends with it" in step["detail"]
    else:
        assert (step["outcome"], done.exit_code) == ("failed", 1)
        assert "sleep 30" in step["detail"]


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("level", ["basic", *SANDBOXES])
def test_a_retry_keeps_its_bot_in_the_sandbox_and_from_the_log(
    level: Level, everything: bool, nosy: Path, log: Path, tmp_path: Path
) -> None:
    if level != "basic":
        need(level)
    out = tmp_path / "out"
    bot = f"{sys.executable} {nosy} {log} {out} stays"
    found = read(log)
    header = found.header
    game = game_from(header.game, header.ruleset, header.rules)
    (asked, *_) = tables_of(game, found.sets[0])[0].deals[0][1]
    place = ["--all", log] if everything else [f"{log}#0.0.{asked.at}"]
    done = referee("retry", *place, "--bot", bot, "--sandbox", level, "--json")
    assert done.exit_code in (0, 1), done.output
    assert f"sandbox: {level}" in done.stderr
    data = json.loads(done.stdout)
    assert (data["decisions"] > 20) if everything else (data["now"] == asked.legal[0])
    assert out.exists() is (level == "basic")
    if level == "basic":
        assert set(out.read_text().split()) == {"written", "read"}


def test_without_the_flag_nothing_is_said_and_a_level_that_is_missing_is_refused(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "sandbox" not in referee("check", "first_legal", *SHORT, "--step", "18").output
    monkeypatch.setattr("referee.seats.sandbox_choice.program", lambda: None)
    monkeypatch.setattr(
        "referee.seats.sandbox_choice.finding",
        __import__("referee.seats.sandbox_choice", fromlist=["try_level"]).try_level,
    )
    for words in (
        ["check", "first_legal"], ["retry", log, "--all", "--bot", "first_legal"],
    ):  # fmt: skip
        done = referee(*words, "--sandbox", "bwrap", "--sandbox-required")
        assert done.exit_code == 2
        assert "bubblewrap (bwrap) is not installed" in done.output
