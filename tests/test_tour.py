"""A league of several games: one table for each and one over all of them."""

import csv
import json
import math
import re
from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner

from referee.cli.main import commands
from referee.errors import ConfigError
from referee.league.config import League, LeagueConfig, TimeConfig, read_league
from referee.league.crosstable import LeagueTable, standings
from referee.league.entrants import EntrantConfig
from referee.league.executor import FreshProcesses
from referee.league.nets import SetResult
from referee.league.overall import overall
from referee.league.plan import job_plans, pairings_of
from referee.league.runner import Runner
from referee.log import read
from referee.show.tour import tour_data, tour_from
from tests.test_runner import SECRET, Notes, check, digests, run

ROOT = Path(__file__).parent.parent

TOUR = """
name = "tour"
sets = 2
results = "out"
{games}
[[entrants]]
id = "aapo"
bot = "first_legal"
[[entrants]]
id = "sisu"
bot = "random_legal"
{more}
"""
GAMES = ("minnesota", "bondtolva", "marjapussi")
THIRD = '[[entrants]]\nid = "zorro"\nbot = "random_legal"\n'


def written(folder: Path, *games: str, more: str = "") -> Path:
    """A league file; a game may bring a further line after its name, behind `|`."""
    text = ""
    for game in games:
        name, _, line = game.partition("|")
        text += f'[[games]]\ngame = "{name}"\n{line}\n'
    path = folder / "tour.toml"
    path.write_text(TOUR.format(games=text, more=more), encoding="utf-8")
    return path


@pytest.fixture
def work(tmp_path: Path) -> League:
    return read_league(written(tmp_path, *GAMES))


def test_everybody_plays_every_game(work: League) -> None:
    outcome = run(work)
    assert outcome.complete
    assert [results.game.name for results in outcome.state.results] == list(GAMES)
    for results in outcome.state.results:
        assert {row.entrant: row.sets for row in results.table().rows} == {"aapo": 2, "sisu": 2}
    check(work)
    assert sorted(digests(work)) == [
        "bondtolva.bondtolva.aapo+sisu.jsonl",
        "marjapussi.marjapussi.aapo+sisu.jsonl",
        "minnesota.minnesota.aapo+sisu.jsonl",
    ]


def test_the_first_jobs_are_of_all_games(work: League) -> None:
    pairings = pairings_of(work)
    plans = job_plans(pairings, {pairing.key: {0, 1, 2, 3} for pairing in pairings})
    assert [plan.pairing.game for plan in plans[:3]] == [0, 1, 2]


def test_a_game_may_have_its_own_number_of_sets(tmp_path: Path) -> None:
    league = read_league(written(tmp_path, "minnesota", "bondtolva|sets = 5"))
    assert [league.sets(0), league.sets(1)] == [2, 5]
    assert [league.with_sets(3).sets(place) for place in (0, 1)] == [3, 3]
    assert run(league).state.planned == 7


def test_an_interrupted_tour_goes_on_where_it_stopped(work: League, tmp_path: Path) -> None:
    stopped = run(work, workers=1, interrupted=lambda: 1 if digests_of(work) else 0)
    assert not stopped.complete
    again = run(work)
    assert again.complete
    assert again.state.before > 0
    other = read_league(written(tmp_path, *GAMES)).with_sets(2)
    assert digests(other) == digests(work)
    check(work)


def digests_of(work: League) -> list[Path]:
    """Logs with a finished set."""
    paths = (work.folder / "logs").glob("*.jsonl")
    return [path for path in paths if read(path).sets]


def test_another_game_can_be_added_and_plays_alone(tmp_path: Path) -> None:
    run(read_league(written(tmp_path, "minnesota")))
    league = read_league(written(tmp_path, "minnesota", "bondtolva"))
    runner = Runner(league, Notes())
    outcome = runner.run(
        lambda listener: FreshProcesses(2, listener, league.folder / "errors"), lambda: 0
    )
    assert (outcome.state.before, outcome.state.planned, outcome.complete) == (2, 4, True)


def test_a_game_taken_out_is_refused(work: League, tmp_path: Path) -> None:
    run(work)
    with pytest.raises(ConfigError, match=r'bondtolva\S* was played with game = "bondtolva"'):
        run(read_league(written(tmp_path, "minnesota", "marjapussi")))


def test_changed_rules_of_one_game_are_refused(work: League, tmp_path: Path) -> None:
    run(work)
    changed = written(tmp_path, "minnesota", "marjapussi", "bondtolva|options = { target = 11 }")
    with pytest.raises(ConfigError, match="was played with ruleset"):
        run(read_league(changed))


BOT = """
import sys
from protocol.bot import Bot

class Picky(Bot):
    def decide(self, ask):
        return ask.legal[0]

if __name__ == "__main__":
    Picky("picky", games=["bondtolva"], tables=8).run()
"""


def test_a_bot_that_knows_one_of_the_games_plays_that_one(tmp_path: Path) -> None:
    (tmp_path / "picky.py").write_text(BOT, encoding="utf-8")
    more = '[[entrants]]\nid = "picky"\nbot = "picky.py"\n'
    outcome = run(read_league(written(tmp_path, "minnesota", "bondtolva", more=more)))
    minnesota, bondtolva = (
        {row.entrant: row.sets for row in results.table().rows}
        for results in outcome.state.results
    )
    assert minnesota == {"aapo": 2, "sisu": 2, "picky": 0}
    assert bondtolva == {"aapo": 4, "sisu": 4, "picky": 4}
    rows = {row.entrant: row for row in overall([r.table() for r in outcome.state.results])}
    assert rows["picky"].rank is None
    assert rows["picky"].score is None


# ---- mistakes in the file --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("games", "more", "message"),
    [
        (("tuppi", "tuppi"), "", "games: tuppi tuppi is given twice"),
        (("tupi",), "", "no game is called 'tupi'; did you mean 'tuppi'"),
        (("huutopussi|rules = 'wikibooks-3'",), "", "is played by 3 entrants at a table"),
        (("tuppi|rule = 'tuppi'",), "", "unknown key 'rule'; did you mean 'rules'"),
    ],
)
def test_a_mistake_in_the_games_is_named(
    games: tuple[str, ...], more: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_league(written(tmp_path, *games, more=more))


def test_a_game_of_its_own_beside_the_games_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "tuppi")
    path.write_text('game = "minnesota"\n' + path.read_text(), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"game = 'minnesota': with \[\[games\]\]"):
        read_league(path)


# ---- the overall table -----------------------------------------------------------------------


def table(*means: float) -> LeagueTable:
    """The standings of entrants a, b, c … whose nets in every set lie around these."""
    names = "abcdef"[: len(means)]
    found = []
    for one in range(len(means)):
        for other in range(one + 1, len(means)):
            gap = (means[one] - means[other]) / 2
            for number in range(12):
                net = gap + (number % 3 - 1) * 0.1
                pairing = (names[one], names[other])
                found.append(SetResult(pairing=pairing, set=number, nets=((net, -net),)))
    return standings(found, list(names), 2, 0.95, max_swing=10.0)


def test_scores_of_a_game_have_mean_nought_and_deviation_one() -> None:
    rows = overall([table(3.0, 1.0, 0.0, -7.0)])
    scores = [row.games[0] for row in rows if row.games[0] is not None]
    assert fmean(scores) == pytest.approx(0.0, abs=1e-12)
    assert math.sqrt(fmean(score**2 for score in scores)) == pytest.approx(1.0)
    assert [row.entrant for row in rows] == ["a", "b", "c", "d"]
    assert [row.rank for row in rows] == [1, 2, 3, 4]


def test_the_scale_of_a_game_does_not_matter() -> None:
    small, large = table(3.0, 1.0, -4.0), table(300.0, 100.0, -400.0)
    for row in overall([small, large]):
        assert row.games[0] == pytest.approx(row.games[1], abs=1e-9)
        assert row.score == pytest.approx(row.games[0], abs=1e-9)


def test_the_score_is_the_mean_over_the_games() -> None:
    for row in overall([table(3.0, 1.0, -4.0), table(-2.0, 1.0, 1.0)]):
        assert row.games[0] is not None
        assert row.games[1] is not None
        assert row.score == pytest.approx((row.games[0] + row.games[1]) / 2)


def test_the_interval_comes_of_those_of_the_games() -> None:
    one, other = table(3.0, 1.0, -4.0), table(2.0, 1.0, -3.0)
    alone = {row.entrant: row.half_width for row in overall([one])}
    both = {row.entrant: row.half_width for row in overall([one, other])}
    for entrant, wide in both.items():
        assert 0.0 < wide < alone[entrant]


def test_who_ties_shares_a_rank() -> None:
    assert [row.rank for row in overall([table(1.0, 1.0, -2.0)])] == [1, 1, 3]


# ---- the command line ------------------------------------------------------------------------


def test_standings_have_a_table_over_all_and_one_for_each_game(work: League) -> None:
    run(work)
    folder = str(work.folder)
    page = CliRunner().invoke(commands, ["standings", folder]).output
    assert page.startswith("3 games, 6 sets")
    for game in GAMES:
        assert f"\n{game} {game}, 2 sets" in page
    assert max(map(len, page.splitlines())) <= 100
    data = json.loads(CliRunner().invoke(commands, ["standings", folder, "--json"]).output)
    assert {each["game"] for each in data["games"]} == set(GAMES)
    assert data["overall"][0]["rank"] == 1
    assert {row["entrant"] for row in data["overall"]} == {"aapo", "sisu"}
    text = CliRunner().invoke(commands, ["standings", folder, "--csv"]).output
    lines = list(csv.DictReader(text.splitlines()))
    assert len(lines) == 6
    assert {line["game"] for line in lines} == set(GAMES)
    markdown = CliRunner().invoke(commands, ["standings", folder, "--markdown"]).output
    assert markdown.startswith("**3 games, 6 sets**")
    assert markdown.count("| --") + markdown.count("|---") > 3


def test_logs_and_results_of_a_run_say_the_same(work: League) -> None:
    outcome = run(work)
    told = tour_data(tour_from([read(path) for path in (work.folder / "logs").glob("*.jsonl")]))
    nets = {
        game["game"]: {row["entrant"]: row["net"]["mean"] for row in game["entrants"]}
        for game in told["games"]
    }
    assert nets == {
        results.game.name: {row.entrant: row.net.mean for row in results.table().rows}
        for results in outcome.state.results
    }


def test_run_shows_the_plan_and_the_end_of_a_tour(tmp_path: Path) -> None:
    path = written(tmp_path, "minnesota", "bondtolva")
    plan = CliRunner().invoke(commands, ["run", str(path), "--dry-run"]).output
    assert "tour: 2 games, 2 entrants" in plan
    assert "bondtolva bondtolva, 1 pairing of 2 sets, 2 tables a set" in plan
    shown = CliRunner().invoke(commands, ["run", str(path), "--dry-run", "--json"]).output
    data = json.loads(shown)
    assert [game["game"] for game in data["games"]] == ["minnesota", "bondtolva"]
    assert data["tables_left"] == 8
    (tmp_path / "secret").write_text(SECRET, encoding="ascii")
    words = ["run", str(path), "--secret-file", str(tmp_path / "secret")]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0, done.output
    assert "2 games, 4 sets" in done.output
    assert "referee replay" in done.output


READY = sorted((ROOT / "tournaments").glob("*.toml"))


@pytest.mark.parametrize("path", READY, ids=[path.stem for path in READY])
def test_a_ready_league_can_be_read(path: Path) -> None:
    league = read_league(path)
    assert league.config.name == path.stem
    assert "greedy" in {entrant.id for entrant in league.entrants}


def test_whole_games_of_exact_targets_and_resets_are_played_and_verified(tmp_path: Path) -> None:
    path = written(tmp_path, "marjapussi", "tuppi")
    path.write_text('unit = "game"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")
    work = read_league(path)
    outcome = run(work)
    assert outcome.complete
    check(work)
    marjapussi, tuppi = (
        [play for record in log.sets.values() for _, _, play in record.deals()]
        for log in (read(path) for path in sorted((work.folder / "logs").glob("*.jsonl")))
    )
    ends = [play.score for play in marjapussi if play.nets is not None]
    assert len(ends) == 4
    assert all(max(score) == 12 for score in ends)
    assert all(max(play.score) < 12 for play in marjapussi if play.nets is None)
    assert any(play.score == [0, 0] for play in tuppi)
    assert all(0 in play.score for play in tuppi)
    assert all(max(play.score) >= 52 for play in tuppi if play.nets is not None)
    for results in outcome.state.results:
        nets = {row.entrant: row.net.mean for row in results.table().rows}
        assert sum(nets.values()) == pytest.approx(0.0)
        assert results.notes["aapo"].deals > results.notes["aapo"].tables == 4


def test_the_quickstart_file_explains_every_key() -> None:
    text = (ROOT / "tournaments" / "quickstart.toml").read_text(encoding="utf-8")
    for kind in (LeagueConfig, EntrantConfig, TimeConfig):
        for key in kind.__struct_fields__:
            assert re.search(rf"^(# )?(\[+)?{key}\b|`\[\[{key}\]\]`", text, re.M), key
