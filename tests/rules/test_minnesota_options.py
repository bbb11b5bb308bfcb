"""Minnesota Whist, what each option changes, and the checks on a configuration."""

from typing import Any

import pytest
from msgspec import to_builtins

from referee.errors import ConfigError
from referee.games.minnesota_options import Rules, check
from referee.games.rulesets import game_named
from tests.rules.whist_help import dealt, ended, finish, legal, minnesota, play


def test_target_is_what_ends_a_game() -> None:
    for target, winners in ((5, (0,)), (6, ()), (13, ())):
        after = ended(minnesota(target=target), "high", 0, (11, 2)).after()
        assert (after.score, after.winners) == ((5, 0), winners)


def test_target_reached_by_both_goes_to_the_higher_score() -> None:
    game = minnesota(target=5, low_mode="more_lose", high_fail="bidders_lose")
    assert ended(game, "high", 0, (7, 6), score=(5, 7)).after().winners == (1,)
    assert ended(game, "high", 0, (7, 6), score=(5, 6)).after().winners == ()
    assert ended(game, "high", 0, (8, 5), score=(5, 6)).after().winners == (0,)


def test_bid_mode_sealed_asks_all_and_shows_each_its_own() -> None:
    deal = dealt(minnesota(bid_mode="sealed"))
    play(deal, "0:high 1:low")
    assert (deal.to_act, deal.contract) == (2, None)
    assert [deal.view(seat).bids for seat in range(4)] == [[(0, "high")], [(1, "low")], [], []]
    assert [len(deal.view(seat).history) for seat in range(4)] == [1, 1, 0, 0]
    play(deal, "2:low 3:high")
    assert (deal.declarer, deal.to_act) == (0, 3)
    shown = [(0, "high")]
    assert [deal.view(seat).bids for seat in range(4)] == [
        shown, [*shown, (1, "low")], [*shown, (2, "low")], [*shown, (3, "high")],
    ]  # fmt: skip


def test_bid_mode_sequential_asks_nobody_after_the_first_high() -> None:
    deal = play(dealt(minnesota(bid_mode="sequential")), "0:high")
    assert (deal.declarer, deal.phase) == (0, 0)


def test_bid_cards_black_are_high_and_red_are_low() -> None:
    game = minnesota(bid_cards="hand_cards")
    deal = dealt(game, "2S AS JC QC 3C KC 2H JH QD KD AD 9D 4H")
    assert legal(deal) == [
        "low:2H", "low:4H", "low:JH", "low:9D", "low:QD", "low:KD", "low:AD",
        "high:2S", "high:AS", "high:3C", "high:JC", "high:QC", "high:KC",
    ]  # fmt: skip
    play(deal, "0:low:2H")
    assert deal.view(2).history == [(0, "low:2H")]
    assert deal.view(2).bids == [(0, "low:2H")]
    assert "2H" in deal.view(0).hand


def test_bid_cards_leave_the_word_where_no_card_says_it() -> None:
    game = minnesota(bid_cards="hand_cards")
    black = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"
    red = black.replace("S", "H")
    assert legal(dealt(game, black))[0] == "low"
    assert all(action.startswith("high:") for action in legal(dealt(game, black))[1:])
    assert legal(dealt(game, red))[-1] == "high"
    assert len(legal(dealt(game, red))) == 14


def test_grand_points_are_for_a_high_that_is_made() -> None:
    game = minnesota(grand_points=3)
    assert ended(game, "high", 0, (9, 4)).points() == (9, 0)
    assert ended(game, "high", 1, (9, 4)).points() == (6, 0)


def test_grand_set_points_are_for_a_high_that_fails() -> None:
    game = minnesota(grand_set_points=3)
    assert ended(game, "high", 1, (9, 4)).points() == (9, 0)
    assert ended(game, "high", 0, (9, 4)).points() == (3, 0)
    loses = minnesota(grand_set_points=3, high_fail="bidders_lose")
    assert ended(loses, "high", 1, (9, 4)).points() == (0, -9)


def test_low_points_are_for_a_low() -> None:
    assert ended(minnesota(low_points=3), "low", None, (9, 4)).points() == (0, 9)
    game = minnesota(low_points=3, low_mode="more_lose")
    assert ended(game, "low", None, (9, 4)).points() == (-9, 0)


@pytest.mark.parametrize(
    ("mode", "points"), [("opponents_score", (0, 4)), ("bidders_lose", (-4, 0))]
)
def test_high_fail_says_whose_points_change(mode: str, points: tuple[int, int]) -> None:
    game = minnesota(high_fail=mode)
    assert ended(game, "high", 0, (5, 8)).points() == points
    assert ended(game, "high", 1, (8, 5)).points() == points[::-1]
    assert ended(game, "high", 0, (8, 5)).points() == (2, 0)


@pytest.mark.parametrize(("mode", "points"), [("fewer_gain", (2, 0)), ("more_lose", (0, -2))])
def test_low_mode_says_whose_points_change(mode: str, points: tuple[int, int]) -> None:
    game = minnesota(low_mode=mode)
    assert ended(game, "low", None, (5, 8)).points() == points
    assert ended(game, "low", None, (8, 5)).points() == points[::-1]


def test_low_mode_more_lose_has_no_floor() -> None:
    game = minnesota(low_mode="more_lose")
    assert ended(game, "low", None, (0, 13), score=(3, -5)).after().score == (3, -12)


def test_grand_lead_says_who_leads_to_a_high() -> None:
    for lead, seat in (("right_of_declarer", 0), ("left_of_declarer", 2)):
        deal = play(dealt(minnesota(grand_lead=lead)), "0:low 1:high")
        assert (deal.to_act, deal.view(3).leader) == (seat, seat)
        low = play(dealt(minnesota(grand_lead=lead)), "0:low 1:low 2:low 3:low")
        assert low.to_act == 0


def test_first_dealer_is_the_sets_or_a_seat() -> None:
    assert [minnesota().first(number).dealer for number in range(6)] == [0, 1, 2, 3, 0, 1]
    assert minnesota(first_dealer=1).first(3, "game").dealer == 1


def test_max_deals_end_a_game_by_its_score() -> None:
    game = minnesota(max_deals=2)
    assert ended(game, "high", 0, (7, 6), score=(1, 5), deals=0).after().winners == ()
    assert ended(game, "high", 0, (7, 6), score=(1, 5), deals=1).after().winners == (1,)
    assert ended(game, "high", 0, (7, 6), score=(4, 5), deals=1).after().winners == (0, 1)
    assert minnesota().rules.max_deals == 200


def test_ace_is_high_in_a_low_deal_too() -> None:
    deal = play(dealt(minnesota(), "2S", "AS", "KS", "3S"), "0:low 1:low 2:low 3:low")
    assert play(deal, "0:2S 1:AS 2:KS 3:3S").winner == 1


def test_the_next_dealer_is_on_the_left() -> None:
    for dealer in range(4):
        deal = finish(dealt(minnesota(), dealer=dealer, unit="game"))
        assert deal.after().dealer == (dealer + 1) % 4


# ---- checks --------------------------------------------------------------------------------


def test_check_a_dealer_whom_the_table_has_not() -> None:
    with pytest.raises(ConfigError) as caught:
        check(Rules(first_dealer=4))
    assert str(caught.value) == "first_dealer = 4: expected by_set or a seat below 4"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("target", 0, "target = 0: expected a whole number 1 to 500 (points that end a game)"),
        ("high_fail", "both", "high_fail = 'both': expected bidders_lose, opponents_score"),
        ("low_mode", "both", "low_mode = 'both': expected fewer_gain, more_lose"),
        ("grand_points", 101, "grand_points = 101: expected a whole number 1 to 100"),
        ("first_dealer", -1, "first_dealer = -1: expected"),
        ("sooli", True, "minnesota has no option 'sooli'"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_refused_by_name(
    option: str, value: object, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        game_named("minnesota", "minnesota", {option: value})
    assert str(caught.value).startswith(message)


def test_the_rulesets_differ_where_they_should() -> None:
    base: dict[str, Any] = to_builtins(minnesota().rules)
    differences = {
        ruleset: {
            name: value
            for name, value in to_builtins(minnesota(ruleset).rules).items()
            if value != base[name]
        }
        for ruleset in ("minnesota", "minnesota-pagat", "south-dakota")
    }
    pagat = {"grand_set_points": 1, "low_mode": "more_lose"}
    assert differences == {
        "minnesota": {},
        "minnesota-pagat": pagat,
        "south-dakota": pagat | {"high_fail": "bidders_lose", "target": 11},
    }


def test_every_option_has_its_test() -> None:
    tests = [name for name in globals() if name.startswith("test_")]
    for option in Rules.__struct_fields__:
        assert any(name.startswith(f"test_{option}_") for name in tests), option
