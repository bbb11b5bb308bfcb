"""`referee replay --where`: which deals conditions pick, and what is said of wrong ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.errors import ConfigError
from referee.games.rulesets import game_named
from referee.log import Header, Unplayed, append, read
from referee.rulings import Blame
from referee.show.filters import KEYS, Facts, made, parsed
from referee.show.listing import Line, lines_of
from referee.show.story import stories
from tests.test_cli import referee, refused
from tests.test_show import league, written

GAME = game_named("huutopussi", "helsinki")
NAMES = ("greedy", "sampler")


@pytest.fixture
def header(tmp_path: Path) -> Header:
    """Of a log of two pairs."""
    (path,) = written(league(tmp_path, NAMES, sets=1))
    return read(path).header


def facts(**changed: Any) -> Facts:
    """A deal: seat 1 of sampler plays for 70, makes it, and its partner in seat 3 was late."""
    return msgspec.structs.replace(
        Facts(
            set=3, table=1, deal=0, seats=["greedy", "sampler", "greedy", "sampler"], dealer=0,
            declarer=1, contract=70, points=[-20, 70], nets=[-90.0, 90.0],
            declared=[(1, "H"), (0, "C")], faults=[(3, "timeout")],
            worst_ms=[5.0, 700.0, 12.5, 30.0],
        ),
        **changed,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "", "set=3", "set=1-5", "set=1,3", "set>2 set<=3", "table=1 deal=0", "seat=1",
        "seat=greedy",
        "entrant=sampler", "seat=1 entrant=sampler", "dealer=0", "dealer=greedy",
        "contract=70", "contract=50-70", "contract>=70", "contract=any", "seat=1 contract=70",
        "entrant=sampler made=yes", "made=yes,no", "declared=H", "declared=D,C", "declared=any",
        "seat=sampler declared=h", "fault=timeout", "fault=crashed,timeout", "fault=any",
        "entrant=greedy fault=none", "seat=3 fault=timeout", "points>60", "points=-20", "net<-50",
        "net=-100--50", "entrant=greedy net<0", "ms>600", "seat=0 ms<10", "seat=3 points=70",
        "entrant=greedy contract=none", "entrant=sampler made=yes fault=timeout points>0",
        "entrant=greedy,sampler fault=timeout",
    ],
)  # fmt: skip
def test_conditions_that_hold(header: Header, text: str) -> None:
    assert parsed(text, GAME, header).fits(facts())


@pytest.mark.parametrize(
    "text",
    [
        "set=4", "set=4-9", "set<3", "table=0", "deal>0", "seat=1 entrant=greedy", "dealer=sampler",
        "contract=75", "contract<70", "seat=3 contract=70", "entrant=greedy made=yes", "made=no",
        "declared=S", "entrant=greedy declared=H", "declared=none", "fault=none", "fault=crashed",
        "entrant=greedy fault=any", "seat=1 fault=timeout", "points>70", "entrant=greedy points>0",
        "net>90", "seat=0 ms>10", "contract=none", "seat=1 contract=none",
        "net<0 made=yes",  # both hold of some side, but not of one
    ],
)  # fmt: skip
def test_conditions_that_do_not_hold(header: Header, text: str) -> None:
    assert not parsed(text, GAME, header).fits(facts())


def test_a_table_that_was_not_played_has_no_contract_and_no_points(header: Header) -> None:
    unplayed = Facts(
        set=3, table=1, deal=None, seats=facts().seats, nets=[-400.0, 0.0],
        faults=[(0, "crashed")],
    )  # fmt: skip
    for text in ("set=3", "entrant=greedy fault=crashed", "net<-300"):
        assert parsed(text, GAME, header).fits(unplayed)
    for text in ("deal=0", "made=no", "contract=none", "points<0", "dealer=0", "ms>0"):
        assert not parsed(text, GAME, header).fits(unplayed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sead=1", "there is no key 'sead'; did you mean 'seat'?"),
        ("what", "expected KEY=VALUE"),
        ("=3", "there is no key ''"),
        ("set=", "expected a value after ="),
        ("entrant=greddy", "there is no entrant 'greddy'; did you mean 'greedy'?"),
        ("seat=4", "there is no seat or entrant '4'"),
        ("entrant=1", "there is no entrant '1'"),
        ("fault=timout", "'timout' is not known; did you mean 'timeout'?"),
        ("fault=any,timeout", "'any' stands alone"),
        ("made=often", "expected one of: yes, no"),
        ("declared=X", "'X' is not known"),
        ("points=many", "expected a number or a range such as 3-7, found 'many'"),
        ("points>3-7", "expected a number after >, found '3-7'"),
        ("set=7-3", "the range '7-3' begins above its end"),
        ("contract=rami", "expected a number or a range such as 3-7, any, none, found 'rami'"),
        ("fault>timeout", "fault has no order; expected fault=..."),
        ("seat>1", "seat has no order"),
    ],
)
def test_what_is_wrong_is_named_with_the_nearest(header: Header, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parsed(text, GAME, header)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("game", "words", "unknown"),
    [("tuppi", ("rami", "nolo", "sooli"), "high"), ("minnesota", ("high", "low"), "rami")],
)
def test_contracts_are_words_in_games_of_whist(
    header: Header, game: str, words: tuple[str, ...], unknown: str
) -> None:
    kind = game_named(game)
    for word in words:
        found = parsed(f"contract={word}", kind, header)
        assert found.fits(facts(contract=word))
        assert not found.fits(facts(contract="other"))
    with pytest.raises(ConfigError, match="expected one of"):
        parsed(f"contract={unknown}x9", kind, header)
    with pytest.raises(ConfigError, match="are words"):
        parsed("contract>50", kind, header)


def test_a_contract_is_made_when_it_is_scored_and_a_word_when_anything_is() -> None:
    sides = (0, 1, 0, 1)
    assert made(1, 70, [0, 70], sides) is True
    assert made(1, 70, [0, -70], sides) is False
    assert made(2, "rami", [8, 0], sides) is True
    assert made(2, "rami", [0, 8], sides) is False
    assert made(None, None, [8, 0], sides) is None


PICKED: dict[str, Callable[[Line], bool]] = {
    "set=1-2": lambda line: line.set in (1, 2),
    "seat=0 entrant=bertta": lambda line: line.seats[0] == "bertta",
    "contract>300": lambda line: isinstance(line.contract, int) and line.contract > 300,
    "fault=timeout": lambda line: "timeout" in line.faults,
    "entrant=aapo net>0": lambda line: (
        line.nets is not None and line.nets[line.seats.index("aapo")] > 0
    ),
}


@pytest.mark.parametrize("text", PICKED)
def test_the_list_has_the_deals_that_a_look_at_every_line_picks(tmp_path: Path, text: str) -> None:
    made_league = league(tmp_path, sets=6)
    (path,) = written(made_league, {20: "timeout"})
    log = read(path)
    game = made_league.games[0]
    lines = list(lines_of(game, log))
    wanted = [line for line in lines if PICKED[text](line)]
    assert list(lines_of(game, log, parsed(text, game, log.header))) == wanted
    assert wanted


def test_declared_suits_are_those_of_the_play(tmp_path: Path) -> None:
    made_league = league(tmp_path, game="bondtolva", rules=None, sets=20)
    (path,) = written(made_league)
    log, game = read(path), made_league.games[0]
    declared = 0
    for suit in "SHDC":
        lines = lines_of(game, log, parsed(f"declared={suit}", game, log.header))
        wanted = [
            (story.play.set, story.play.table)
            for number in log.sets
            for story in stories(game, "deal", log.sets[number])
            if f"declare:{suit}" in story.play.actions.split()
        ]
        assert [(line.set, line.table) for line in lines] == wanted
        declared += len(wanted)
    assert declared > 4


class TestOnTheCommandLine:
    def test_lists_and_tells_the_deals_picked(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=4))
        listed = referee("replay", path, "--where", "set=2-3 table=1").stdout
        assert [line.split()[0] for line in listed.splitlines()[3:]] == ["2.1.0", "3.1.0"]
        lines = referee("replay", path, "--where", "set=2-3 table=1", "--actions").stdout
        assert [line.split()[0] for line in lines.splitlines()] == ["2.1.0", "3.1.0"]
        one = referee("replay", path, "--set", "2", "--where", "table=1").stdout
        assert one == referee("replay", path, "--set", "2", "--table", "1").stdout

    def test_every_key_is_in_the_help(self) -> None:
        shown = referee("replay", "--help").stdout
        for key in KEYS:
            assert f"\n  {key:<9} " in shown

    def test_a_wrong_one_is_refused(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        assert "did you mean 'fault'" in refused("replay", path, "--where", "fautl=any")

    def test_finds_tables_that_were_not_played(self, tmp_path: Path) -> None:
        (path,) = written(league(tmp_path, sets=1))
        blame = Blame(kind="crashed", seat=0, ruling="forfeit", message="gone")
        seats = ["aapo", "bertta", "aapo", "bertta"]
        append(path, [
            Unplayed(set=1, table=table, reason="forfeited", seats=seats, nets=[-9.0, 0.0],
                     blame=[blame])
            for table in range(2)
        ])  # fmt: skip
        shown = referee("replay", path, "--where", "entrant=aapo fault=crashed").stdout
        assert shown.count("forfeited") == 2
