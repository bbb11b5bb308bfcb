"""Tuppi, the worked examples T-01 to T-20."""

import pytest

from tests.rules.whist_help import (
    ONE_SUIT_EACH,
    T_G3,
    T_G4,
    dealt,
    ended,
    finish,
    legal,
    play,
    set_hands,
    tuppi,
)

NOLO = "0:nolo 1:nolo 2:nolo 3:nolo"
SOOLI_BY_0 = T_G3.before


def test_T01_the_seat_on_the_dealers_left_bids_first() -> None:
    deal = play(dealt(tuppi(), dealer=2), "3:nolo 0:nolo 1:nolo 2:nolo")
    assert deal.contract == "nolo"


def test_T02_the_first_rami_ends_the_bidding_and_sooli_is_offered_clockwise() -> None:
    deal = dealt(tuppi(), dealer=3)
    assert legal(deal) == ["nolo", "rami"]
    play(deal, "0:nolo 1:rami")
    assert (deal.declarer, deal.to_act) == (1, 2)
    assert legal(deal) == ["pass", "sooli"]
    play(deal, "2:pass")
    assert deal.to_act == 0
    assert legal(deal) == ["pass", "sooli"]
    play(deal, "0:pass")
    assert (deal.contract, deal.to_act, deal.view(3).leader) == ("rami", 0, 0)


def test_T03_four_nolos_are_a_nolo_and_the_dealers_left_leads() -> None:
    deal = play(dealt(tuppi(), dealer=1), "2:nolo 3:nolo 0:nolo 1:nolo")
    assert (deal.contract, deal.declarer, deal.view(0).leader) == ("nolo", None, 2)
    assert len(legal(deal)) == 13


def test_T04_the_dealer_may_bid_the_rami_last() -> None:
    deal = play(dealt(tuppi(), dealer=0), "1:nolo 2:nolo 3:nolo 0:rami 1:pass 3:pass")
    assert (deal.declarer, deal.view(1).leader) == (0, 3)


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        pytest.param("KH 3H AS", ["3H", "KH"], id="T05"),
        pytest.param("KS 3D AS", ["KS", "AS", "3D"], id="T06"),
    ],
)
def test_T05_T06_the_suit_led_is_followed_and_without_it_any_card_goes(
    hand: str, expected: list[str]
) -> None:
    deal = set_hands(play(dealt(tuppi()), NOLO), "5H 2C 2D", hand, "4H 4C 4D", "6H 6C 6D")
    assert legal(play(deal, "0:5H")) == expected


def test_T07_the_highest_card_of_the_suit_led_wins() -> None:
    deal = play(dealt(tuppi(), dealer=0), "1:nolo 2:nolo 3:nolo 0:nolo")
    set_hands(deal, "KS 2S", "7C 3S", "AH 4S", "QC 5S")
    play(deal, "1:7C 2:AH 3:QC 0:KS")
    assert (deal.winner, deal.to_act, deal.tricks) == (3, 3, [0, 0, 0, 1])


def test_T08_in_a_sooli_the_ace_is_below_the_two_and_a_trick_of_the_soloist_loses() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0), SOOLI_BY_0)
    set_hands(deal, "3C 4C", "2C 5S", "9H 9D", "AC 6S")
    play(deal, "1:2C 3:AC 0:3C")
    assert (deal.winner, deal.to_act) == (0, None)
    assert deal.points() == (0, 24)


def test_T09_an_ace_loses_in_sooli_and_wins_in_rami() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0), SOOLI_BY_0)
    play(set_hands(deal, "AC 4C", "5C 5S", "9H 9D", "KC 6S"), "1:5C 3:KC 0:AC")
    assert (deal.winner, deal.to_act) == (3, 3)
    deal = play(dealt(tuppi(), dealer=0), "1:nolo 2:rami 3:pass 1:pass")
    play(set_hands(deal, "AC 4C", "5C 5S", "2C 9D", "KC 6S"), "1:5C 2:2C 3:KC 0:AC")
    assert deal.winner == 0


def test_T10_a_rami_with_nine_tricks_earns_twelve() -> None:
    deal = ended(tuppi(), "rami", 0, (9, 4))
    assert deal.points() == (12, 0)
    assert deal.after().score == (12, 0)


def test_T11_seven_tricks_of_the_defenders_earn_them_eight() -> None:
    assert ended(tuppi(), "rami", 0, (6, 7)).points() == (0, 8)
    assert ended(tuppi(), "rami", 1, (7, 6)).points() == (8, 0)


def test_T12_a_rami_without_a_trick_is_fifty_six_and_the_game() -> None:
    deal = play(dealt(tuppi(), *ONE_SUIT_EACH, unit="game"), "0:rami 1:pass 3:pass")
    assert deal.to_act == 3
    finish(deal)
    assert (deal.tricks, deal.points()) == ([0, 0, 0, 13], (0, 56))
    after = deal.after()
    assert (after.score, after.winners) == ((0, 56), (1,))


def test_T13_a_nolo_earns_the_side_with_fewer_tricks_four_for_each_below_seven() -> None:
    assert ended(tuppi(), "nolo", None, (4, 9)).points() == (12, 0)
    assert ended(tuppi(), "nolo", None, (6, 7)).points() == (4, 0)
    assert ended(tuppi(), "nolo", None, (9, 4)).points() == (0, 12)
    deal = finish(play(dealt(tuppi(), *ONE_SUIT_EACH), NOLO))
    assert (deal.tricks, deal.points()) == ([13, 0, 0, 0], (0, 28))


def test_T14_points_earned_against_the_rising_side_bring_both_to_nought() -> None:
    after = ended(tuppi(), "rami", 0, (6, 7), score=(36, 0)).after()
    assert (after.score, after.winners) == ((0, 0), ())


def test_T15_fifty_two_points_win_and_fewer_do_not() -> None:
    after = ended(tuppi(), "rami", 0, (9, 4), score=(40, 0)).after()
    assert (after.score, after.winners) == ((52, 0), (0,))
    after = ended(tuppi(), "rami", 0, (8, 5), score=(40, 0)).after()
    assert (after.score, after.winners) == ((48, 0), ())


def test_T16_even_fifty_six_points_only_wipe_out_four() -> None:
    after = ended(tuppi(), "rami", 0, (0, 13), score=(4, 0)).after()
    assert (after.score, after.winners) == ((0, 0), ())
    after = ended(tuppi("tuppi-transfer"), "rami", 0, (0, 13), score=(4, 0)).after()
    assert (after.score, after.winners) == ((0, 56), (1,))


def test_T17_a_sooli_brings_its_side_twenty_four_or_the_others() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0, score=(28, 0), unit="game"), T_G3.script())
    assert (deal.points(), deal.after().score, deal.after().winners) == ((24, 0), (52, 0), (0,))
    deal = play(dealt(tuppi(), *T_G4.hands, dealer=0, score=(28, 0), unit="game"), T_G4.script())
    assert (deal.points(), deal.after().score, deal.after().winners) == ((0, 24), (0, 0), ())


def test_T18_the_soloist_always_plays_last() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0), SOOLI_BY_0)
    play(deal, "1:AH 3:3H 0:2H")
    assert (deal.winner, deal.to_act) == (3, 3)
    play(deal, "3:2D 1:KD 0:7D")
    assert deal.to_act == 1


def test_T19_the_soloist_returns_any_of_fourteen_cards_and_all_hold_thirteen_again() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0), "1:rami 2:pass 0:sooli")
    assert (deal.to_act, len(legal(deal))) == (2, 13)
    play(deal, "2:give:AS")
    assert deal.to_act == 0
    expected = {f"give:{card}" for card in T_G3.hands[0].split()} | {"give:AS"}
    assert set(legal(deal)) == expected
    assert len(legal(deal)) == 14
    assert deal.view(1).counts == [14, 13, 12, 13]
    back = play(deal.copy(), "0:give:AS")
    assert "AS" in back.view(2).hand
    play(deal, "0:give:QS")
    assert deal.view(3).counts == [13] * 4


def test_T20_the_competition_knows_no_sooli() -> None:
    game = tuppi("tuppi-competition")
    deal = play(dealt(game, dealer=0), "1:nolo 2:rami")
    assert (deal.to_act, deal.contract) == (1, "rami")
    assert len(legal(deal)) == 13
    assert not {"pass", "sooli"} & set(game.actions)
