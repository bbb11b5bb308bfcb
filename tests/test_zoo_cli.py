"""Bad bots on the command line: exit codes, what is told, and what lies in the results folder."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from referee.log import read
from tests.arena_help import ZOO
from tests.bad_bots.harm import steering
from tests.test_cli_leagues import REFEREE, Place


def match(place: Place, mode: str, *words: str) -> tuple[int, str, str]:
    """A match of a good bot with a bad one: exit code, standard output, standard error."""
    bad = shlex.join([sys.executable, str(ZOO), mode])
    found = place.referee(
        "match", "first_legal", bad, "--sets", "1", "--workers", "1", "--rules", "wikibooks-2",
        "--results", "r", *words,
    )  # fmt: skip
    assert steering(found.stdout) == steering(found.stderr) == set()
    assert "Traceback" not in found.stderr
    return found.returncode, found.stdout, found.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("steering_action", "2 illegal"),
        ("steering_type", "2 malformed"),
        ("stderr_steering", "2 crashed"),
        ("steering_note", "logs: "),
        ("name_path", "logs: "),
    ],
)
def test_a_match_with_a_bad_bot_ends_well_and_tells_what_it_did(
    mode: str, told: str, tmp_path: Path
) -> None:
    place = Place(tmp_path)
    code, shown, _ = match(place, mode)
    assert code == 0
    assert told in shown
    assert place.referee("verify", "r").returncode == 0
    (log,) = (tmp_path / "r" / "logs").iterdir()
    found = place.referee("replay", str(log), "--set", "0", "--decisions")
    assert found.returncode == 0
    assert steering(found.stdout) == set()
    for path in (tmp_path / "r").rglob("*"):
        assert path.is_dir() or steering(path.read_text(encoding="utf-8")) == set(), path
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r", "secret"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "why"),
    [("exit_at_start", "cannot find my opening book"), ("name_300", "`$.name`")],
)
def test_a_match_with_a_bot_that_does_not_start_says_so_and_exits_with_1(
    mode: str, why: str, tmp_path: Path
) -> None:
    code, shown, errors = match(Place(tmp_path), mode)
    assert code == 1
    assert f"zoo cannot be started: {'no valid' if mode == 'name_300' else 'ended'}" in errors
    assert why in errors
    assert errors.startswith("error: nothing could be played, nothing was scored")
    assert "rank" not in shown


@pytest.mark.slow
def test_a_bot_that_ends_its_worker_costs_its_own_pairings_alone(tmp_path: Path) -> None:
    """With so few descriptors libzmq's listener ends the process before the guard looks, mostly."""
    place = Place(tmp_path)
    bad = shlex.join([sys.executable, str(ZOO), "connections"])
    place.league(
        {"bad": bad, "good": "first_legal", "other": "greedy"},
        sets=1,
        more='rules = "wikibooks-2"\nworkers = 1',
    )
    found = subprocess.run(
        ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", *REFEREE, "run", "league.toml"],
        cwd=tmp_path, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert "Traceback" not in found.stderr
    assert "a worker died over bad+" in found.stdout, found.stdout + found.stderr
    logs = {path.name.split(".")[2]: read(path) for path in place.results.glob("logs/*.jsonl")}
    ends = {name: (log.voids, list(log.sets)) for name, log in logs.items()}
    assert ends.pop("good+other") == ({}, [0])
    assert all(end in (({0: 3}, []), ({}, [0])) for end in ends.values())
    given_up = sum(end == ({0: 3}, []) for end in ends.values())
    assert found.stdout.count("it is not tried again") == given_up
    assert found.returncode == bool(given_up)
    standings = json.loads(place.referee("standings", "results", "--json").stdout)
    kinds = {one["entrant"]: set(one["faults"]) for one in standings["entrants"]}
    assert kinds["good"] == kinds["other"] == set()
    assert kinds["bad"] <= {"flood"}
    assert place.referee("verify", "results").returncode == 0
    assert place.processes() == []


@pytest.mark.slow
def test_faults_of_a_bad_bot_are_data_too(tmp_path: Path) -> None:
    code, shown, _ = match(Place(tmp_path), "sql", "--json")
    assert code == 0
    (bad,) = (
        one for one in json.loads(shown)["standings"]["entrants"] if one["entrant"] == "zoo"
    )
    assert bad["faults"] == {"illegal": 2}
    assert "DROP TABLE" in bad["first_fault"]["message"]
