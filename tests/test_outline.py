"""`plan.json`: what a running league will have played, for `watch`, `standings` and `serve`."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.cli.watch import Following
from referee.errors import LogError
from referee.league.folder import Folder
from referee.league.outline import outline_of, read_outline, write_outline
from referee.log import End, append, read
from referee.show.newest import Watched
from referee.show.page import Look
from referee.show.standings import sheet_from
from referee.show.tour import tour_from, tour_page
from tests.test_runner import SECRET, league, run
from tests.test_show import league as shown
from tests.test_show import text, written

NAMES = ("aapo", "bertta", "cecilia")


def planned(folder: Path, entrants: list[str], **games: int) -> None:
    """A plan of games of two sides."""
    pairings = len(entrants) * (len(entrants) - 1) // 2
    found = [
        {"game": "huutopussi", "ruleset": name, "pairings": pairings, "sets": sets}
        for name, sets in games.items()
    ]
    (folder / "plan.json").write_text(json.dumps({"games": found, "entrants": entrants}))


def ruleset_of(folder: Path) -> str:
    return read(Folder(folder).log_paths()[0]).header.ruleset


def test_a_run_writes_what_it_plans_and_nothing_secret(tmp_path: Path) -> None:
    work = league(tmp_path, "first_legal", "first_legal", "first_legal", sets=2)
    run(work, interrupted=lambda: 2)
    folder = Folder(work.folder)
    found = read_outline(folder)
    assert found == outline_of(work)
    assert found.sets == 6
    assert found.entrants == [entrant.id for entrant in work.entrants]
    said = folder.plan.read_text()
    assert SECRET not in said
    assert set(json.loads(said)) == {"games", "entrants"}
    assert set(json.loads(said)["games"][0]) == {"game", "ruleset", "pairings", "sets"}
    assert not folder.plan.with_suffix(".new").exists()
    before = folder.plan.stat().st_mtime_ns
    write_outline(folder, work)
    assert folder.plan.stat().st_mtime_ns == before
    more = replace(work, config=replace(work.config, sets=3))
    write_outline(folder, more)
    assert read_outline(folder) == outline_of(more) != found


def test_a_folder_without_a_plan_has_none_and_a_broken_one_is_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert read_outline(folder) is None
    for broken in ("", "{", "[]", '{"games": 3, "entrants": []}', "[" * 100_000):
        folder.plan.write_text(broken)
        with pytest.raises(LogError, match=r"plan\.json: not a plan of a league"):
            read_outline(folder)


def test_watch_knows_from_the_folder_how_far_it_is(tmp_path: Path) -> None:
    written(shown(tmp_path, NAMES, sets=2))
    following = Following(Folder(tmp_path))
    following.poll(0.0)
    assert following.line(0.0).startswith("6 sets, ")
    planned(tmp_path, list(NAMES), **{ruleset_of(tmp_path): 4})
    following.poll(1.0)
    assert following.line(1.0).startswith("6/12 sets (50 %), ")
    # One of the entrants is taken out, and fewer sets are wanted: what does not count is left out.
    planned(tmp_path, list(NAMES[:2]), **{ruleset_of(tmp_path): 1})
    following.poll(2.0)
    assert following.line(2.0).startswith("1/1 sets (100 %), ")
    again = Following(Folder(tmp_path))
    again.poll(0.0)
    assert again.line(0.0) == following.line(2.0)


def test_standings_say_how_many_of_the_planned_sets_are_there(tmp_path: Path) -> None:
    paths = written(shown(tmp_path, NAMES, sets=2))
    logs = [read(path) for path in paths]
    assert "6 sets of 2 tables; not complete\n" in text(tour_page(tour_from(logs), Look()))
    planned(tmp_path, list(NAMES), **{ruleset_of(tmp_path): 400})
    page = text(tour_page(tour_from(logs), Look()))
    assert "; not complete: 6 of 1,200 planned sets\n" in page
    assert sheet_from(logs[:1]).planned == (2, 400)  # of single logs what is planned of them
    assert "6 of 1,200 planned sets" in Watched(Folder(tmp_path)).newest().html
    for log in logs:
        append(log.path, [End(sets=2, digest=log.digest())])
    assert "planned" not in text(tour_page(tour_from([read(path) for path in paths]), Look()))


def test_a_plan_of_something_else_beside_a_single_log_is_not_read(tmp_path: Path) -> None:
    (path,) = written(shown(tmp_path / "r", NAMES[:2], sets=2))
    (tmp_path / "plan.json").write_text("my plans")
    (tmp_path / "mine").mkdir()
    copy = tmp_path / "mine" / path.name
    copy.write_bytes(path.read_bytes())
    assert sheet_from([read(copy)]).planned is None
