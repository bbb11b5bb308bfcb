"""Minnesota Whist, the worked examples W-01 to W-09."""

import pytest

from tests.rules.whist_help import (
    ONE_SUIT_EACH,
    T_G1,
    T_G2,
    dealt,
    ended,
    finish,
    legal,
    minnesota,
    play,
    set_hands,
)

LOW = "0:low 1:low 2:low 3:low"


def test_W01_the_first_high_ends_the_bidding_and_its_right_leads() -> None:
    deal = dealt(minnesota(), dealer=3)
    assert legal(deal) == ["low", "high"]
    play(deal, "0:low 1:high")
    assert (deal.declarer, deal.contract, deal.to_act) == (1, "high", 0)
    assert len(legal(deal)) == 13
    assert deal.view(2).bids == [(0, "low"), (1, "high")]


def test_W01_sealed_bids_after_the_first_high_are_never_shown() -> None:
    deal = play(dealt(minnesota(bid_mode="sealed")), "0:low 1:high 2:high 3:low")
    assert (deal.declarer, deal.to_act) == (1, 0)
    finish(deal)
    shown = [(0, "low"), (1, "high")]
    assert [deal.view(seat).bids for seat in (0, 1)] == [shown, shown]
    assert deal.view(2).bids == [*shown, (2, "high")]
    assert deal.view(3).bids == [*shown, (3, "low")]


def test_W02_when_all_bid_low_the_dealers_left_leads() -> None:
    deal = play(dealt(minnesota(), dealer=2), "3:low 0:low 1:low 2:low")
    assert (deal.contract, deal.declarer, deal.to_act) == ("low", None, 3)


def test_W03_eleven_tricks_of_a_high_are_five_points() -> None:
    deal = play(dealt(minnesota(), *T_G1.hands, dealer=0), "1:low 2:high")
    for script, winner in T_G1.rows():
        assert play(deal, script).winner == winner
    assert tuple(deal.side_tricks()) == (11, 2)
    assert deal.points() == (5, 0)


@pytest.mark.parametrize(
    ("ruleset", "points"),
    [("minnesota", (0, 4)), ("minnesota-pagat", (0, 2)), ("south-dakota", (-2, 0))],
)
def test_W04_a_high_that_takes_five_tricks(ruleset: str, points: tuple[int, int]) -> None:
    deal = ended(minnesota(ruleset), "high", 0, (5, 8))
    assert deal.points() == points
    assert deal.after().score == points


@pytest.mark.parametrize(
    ("ruleset", "points"),
    [("minnesota", (1, 0)), ("minnesota-pagat", (0, -1)), ("south-dakota", (0, -1))],
)
def test_W05_a_low_of_six_and_seven_tricks(ruleset: str, points: tuple[int, int]) -> None:
    deal = play(dealt(minnesota(ruleset), *T_G2.hands, dealer=3), LOW)
    for script, winner in T_G2.rows():
        assert play(deal, script).winner == winner
    assert tuple(deal.side_tricks()) == (6, 7)
    assert deal.points() == points


@pytest.mark.parametrize(
    ("ruleset", "points"),
    [("minnesota", (0, 7)), ("minnesota-pagat", (-7, 0)), ("south-dakota", (-7, 0))],
)
def test_W06_a_low_in_which_one_side_takes_all(ruleset: str, points: tuple[int, int]) -> None:
    deal = finish(play(dealt(minnesota(ruleset), *ONE_SUIT_EACH), LOW))
    assert deal.tricks == [13, 0, 0, 0]
    assert deal.points() == points


def test_W07_thirteen_points_win() -> None:
    after = ended(minnesota(), "high", 0, (7, 6), score=(12, 0)).after()
    assert (after.score, after.winners) == ((13, 0), (0,))
    after = ended(minnesota(), "high", 0, (7, 6), score=(11, 12)).after()
    assert (after.score, after.winners) == ((12, 12), ())


def test_W08_the_suit_led_is_followed_without_a_duty_to_win() -> None:
    deal = set_hands(play(dealt(minnesota()), LOW), "9D 3D", "AD 2D KS", "4D 5D", "6D 7D")
    assert legal(play(deal, "0:9D")) == ["2D", "AD"]


def test_W09_points_of_the_others_stay_unlike_in_tuppi() -> None:
    after = ended(minnesota(), "high", 0, (6, 7), score=(10, 9)).after()
    assert (after.score, after.winners) == ((10, 11), ())
