"""The README says what is true: its commands, its example bot, its files."""

import re
import shlex
import sys
from pathlib import Path

from click.testing import CliRunner

from referee.cli.main import commands
from referee.seats.bot import BotCommand
from referee.show.queries import QUERIES
from tests.arena_help import bot as sample
from tests.arena_help import job, play

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    (command,) = [line for block in blocks("sh") for line in block.splitlines() if "pytest" in line]
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_every_file_it_links_to_is_there() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists(), link


def test_every_command_it_shows_exists_with_its_options() -> None:
    runner = CliRunner()
    for line in "\n".join(blocks("sh")).splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "referee":
            found = runner.invoke(commands, [words[1], "--help"])
            assert found.exit_code == 0, line
            for word in words[2:]:
                if word.startswith("--"):
                    assert word in found.output, line


def test_its_bot_plays_a_set_without_a_fault(tmp_path: Path) -> None:
    (code,) = [block for block in blocks("python") if "class Mine" in block]
    program = tmp_path / "mybot.py"
    program.write_text(code, encoding="utf-8")
    mine = BotCommand(entrant="mine", argv=[sys.executable, str(program)])
    outcome = play(job(tmp_path, [mine, sample("other", "greedy")], rules="helsinki"))
    assert len(outcome.plays) == 2
    assert outcome.blame("mine") == outcome.blame("other") == []


def test_its_queries_are_those_that_export_prints() -> None:
    (shown,) = blocks("sql")
    for query in QUERIES:
        assert query.question in shown
        assert query.sql in shown
