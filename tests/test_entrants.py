"""What a BOT means: sample bots, programs, folders with a bot.toml, ways to talk."""

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.main import commands
from referee.errors import ConfigError
from referee.league.config import LeagueConfig, league_of, read_league
from referee.league.entrants import EntrantConfig, entrant_of, launch_of, sample_bots
from referee.league.manifest import MissingTool, read_manifest

MANIFEST = """
name = "mine"
run = "./bot.sh --fast"
transport = "stdio"
needs = ["sh"]
build = "make"
install = "a shell"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder that is ready to run."""
    place = tmp_path / "mine"
    place.mkdir()
    (place / "bot.toml").write_text(MANIFEST, encoding="utf-8")
    script = place / "bot.sh"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o755)
    return place


def changed(folder: Path, old: str, new: str) -> Path:
    path = folder / "bot.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def test_a_folder_says_how_its_bot_is_run_and_talks(folder: Path) -> None:
    launch = launch_of(f"{folder.name} --more", folder.parent)
    assert launch.argv == [str(folder / "bot.sh"), "--fast", "--more"]
    assert (launch.cwd, launch.transport) == (folder, "stdio")


def test_a_prefix_says_how_a_bot_talks(tmp_path: Path) -> None:
    for prefix in ("stdio", "tcp", "zeromq"):
        launch = launch_of(f"{prefix}:first_legal", tmp_path)
        assert launch.transport == prefix
        assert launch.argv == [sys.executable, str(sample_bots()["first_legal"])]
    assert launch_of("first_legal", tmp_path).transport is None


def test_the_interpreter_of_a_virtual_environment_stays_one(tmp_path: Path) -> None:
    python = tmp_path / "venv-python"
    os.symlink(sys.executable, python)
    assert launch_of("./venv-python bot.py", tmp_path).argv[0] == str(python)


def test_an_entrant_may_say_how_it_talks(tmp_path: Path) -> None:
    entry = EntrantConfig(id="a", bot="first_legal", transport="tcp")
    assert entrant_of(entry, tmp_path).command.transport == "tcp"
    assert entrant_of(EntrantConfig(id="a", bot="first_legal"), tmp_path).command.transport == (
        "zeromq"
    )


def test_two_ways_to_talk_are_refused(folder: Path) -> None:
    entry = EntrantConfig(id="a", bot=str(folder), transport="tcp")
    with pytest.raises(ConfigError, match="transport = 'tcp', but its bot says 'stdio'"):
        entrant_of(entry, folder.parent)


def test_another_way_to_talk_is_another_entrant(tmp_path: Path) -> None:
    plain, lines = (
        entrant_of(EntrantConfig(id="a", bot=bot), tmp_path).record.digest
        for bot in ("first_legal", "stdio:first_legal")
    )
    assert plain != lines


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("transport", "transprt", "unknown key 'transprt'; did you mean 'transport'"),
        ('"stdio"', '"carrier pigeon"', "Invalid enum value 'carrier pigeon'"),
        ('run = "./bot.sh --fast"', "", "missing required field `run`"),
        ('run = "./bot.sh --fast"', 'run = ""', "run = '': expected a command line"),
        ('name = "mine"', 'name = "mine', "not TOML"),
    ],
)
def test_a_mistake_in_a_manifest_is_named(
    folder: Path, old: str, new: str, message: str
) -> None:
    changed(folder, old, new)
    with pytest.raises(ConfigError, match=message) as caught:
        launch_of(str(folder), folder)
    assert "bot.toml" in str(caught.value)


def test_a_folder_without_a_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"bot.toml: cannot be read: No such file"):
        launch_of(".", tmp_path)


def test_a_missing_tool_says_what_to_install(folder: Path) -> None:
    changed(folder, '["sh"]', '["no-such-tool"]')
    with pytest.raises(MissingTool, match="no-such-tool is not installed; install a shell"):
        launch_of(str(folder), folder)


def test_a_bot_that_is_not_built_says_how_to_build_it(folder: Path) -> None:
    (folder / "bot.sh").unlink()
    with pytest.raises(MissingTool, match=r"\./bot.sh is not there; build it: \(cd .* && make\)"):
        launch_of(str(folder), folder)


def test_what_a_build_makes_may_be_named(folder: Path) -> None:
    changed(folder, 'build = "make"', 'build = "make"\nbuilt = "node_modules"')
    with pytest.raises(MissingTool, match="node_modules is not there; build it"):
        launch_of(str(folder), folder)
    (folder / "node_modules").mkdir()
    assert launch_of(str(folder), folder).argv


def test_an_optional_entrant_is_left_out_with_the_reason(folder: Path) -> None:
    changed(folder, '["sh"]', '["no-such-tool"]')
    entrants = [
        EntrantConfig(id="first_legal"),
        EntrantConfig(id="random_legal"),
        EntrantConfig(id="mine", bot="mine", optional=True),
    ]
    league = league_of(LeagueConfig(name="t", entrants=entrants), folder.parent)
    assert [entrant.id for entrant in league.entrants] == ["first_legal", "random_legal"]
    (line,) = league.left_out
    assert line.startswith("mine is left out: ")
    assert line.endswith("no-such-tool is not installed; install a shell")
    with pytest.raises(MissingTool):
        league_of(
            LeagueConfig(name="t", entrants=[*entrants[:2], EntrantConfig(id="mine")]),
            folder.parent,
        )


def test_run_says_who_is_left_out_and_can_insist_on_all(folder: Path) -> None:
    changed(folder, '["sh"]', '["no-such-tool"]')
    path = folder.parent / "league.toml"
    path.write_text(
        'name = "t"\nsets = 1\nresults = "out"\n'
        '[[entrants]]\nid = "first_legal"\n[[entrants]]\nid = "random_legal"\n'
        '[[entrants]]\nid = "mine"\nbot = "mine"\noptional = true\n',
        encoding="utf-8",
    )
    assert read_league(path).left_out
    done = CliRunner().invoke(commands, ["run", str(path), "--dry-run"])
    assert (done.exit_code, "mine is left out" in done.output) == (0, True)
    done = CliRunner().invoke(commands, ["run", str(path), "--all-entrants", "--dry-run"])
    assert done.exit_code == 2
    assert "no-such-tool is not installed" in done.output


def test_a_change_in_any_module_of_the_sample_bots_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("smart.py", "thoughts.py"):
        (tmp_path / name).write_text('if __name__ == "__main__":\n    pass\n', encoding="utf-8")
    bots = {"smart": tmp_path / "smart.py"}
    monkeypatch.setattr("referee.league.entrants.sample_bots", lambda: bots)
    before = entrant_of(EntrantConfig(id="smart"), tmp_path).record.digest
    (tmp_path / "thoughts.py").write_text("DEEP = True\n", encoding="utf-8")
    assert entrant_of(EntrantConfig(id="smart"), tmp_path).record.digest != before


def test_the_manifest_has_what_a_build_script_needs(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert (manifest.name, manifest.build, manifest.needs) == ("mine", "make", ["sh"])
    assert (manifest.lint, manifest.test) == ("", "")
