"""`referee new-bot`: a project that plays at once, in every language."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli.main import commands
from referee.cli.new_bot import copy_sample, samples
from referee.league.manifest import read_manifest


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def referee(*words: str) -> Result:
    return CliRunner().invoke(commands, list(words))


def test_a_new_bot_plays_without_a_fault(here: Path) -> None:
    made = referee("new-bot", "mybot")
    assert made.exit_code == 0, made.output
    assert "referee check mybot" in made.output
    assert "referee match mybot greedy --sets 20" in made.output
    for game in ("huutopussi", "tuppi", "bondtolva"):
        words = ("mybot", "first_legal", "--game", game, "--sets", "2", "--results", game)
        done = referee("match", *words, "--json")
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)["standings"]["entrants"]
        assert {row["entrant"]: row["faults"] for row in found} == {"mybot": {}, "first_legal": {}}


@pytest.mark.parametrize("language", sorted(samples()))
def test_a_sample_is_copied_whole_under_its_new_name(language: str, here: Path) -> None:
    sample = samples()[language]
    old = read_manifest(sample).name
    made = referee("new-bot", "my-own", "--language", language)
    assert made.exit_code == 0, made.output
    folder = here / "my-own"
    assert read_manifest(folder).name == "my-own"
    assert (folder / "README.md").exists()
    for path in folder.rglob("*"):
        if path.is_file() and path.parent.name != "vectors":
            assert (sample / path.relative_to(folder)).exists()
            text = path.read_text(encoding="utf-8")
            assert old not in text
            assert "../../protocol" not in text
    build = read_manifest(folder).build
    assert not build or build in made.output


def test_what_a_build_has_left_is_not_copied(here: Path) -> None:
    sample = here / "sample"
    (sample / "target" / "debug").mkdir(parents=True)
    (sample / "target" / "debug" / "bot").write_bytes(b"\x7fELF")
    (sample / "node_modules").mkdir()
    (sample / "node_modules" / "a.js").write_text("")
    (sample / "out.bin").write_bytes(b"\0")
    (sample / ".gitignore").write_text("/out.bin\n")
    (sample / "bot.toml").write_text('name = "old"\nrun = "./bot"\n')
    copy_sample(sample, here / "new", "new")
    assert {str(p.relative_to(here / "new")) for p in (here / "new").rglob("*")} == {
        ".gitignore", "bot.toml",
    }  # fmt: skip


def test_the_languages_are_listed_with_what_to_install() -> None:
    shown = referee("new-bot", "--list").output
    assert [line.split()[0] for line in shown.splitlines()] == list(samples())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mybot", "--language", "cobol"), "--language 'cobol': no sample"),
        (("mybot", "--language", "pyton"), "did you mean 'python'"),
        (("My Bot",), "expected a name of a-z, 0-9, _ and -"),
        (("../mybot",), "expected a name of a-z, 0-9, _ and -"),
    ],
)
def test_a_mistake_is_named(words: tuple[str, ...], message: str) -> None:
    done = referee("new-bot", *words)
    assert done.exit_code == 2
    assert message in done.output


def test_nothing_that_is_there_is_overwritten(here: Path) -> None:
    (here / "mybot").mkdir()
    done = referee("new-bot", "mybot")
    assert done.exit_code == 2
    assert "mybot: is there already" in done.output
    assert list((here / "mybot").iterdir()) == []
