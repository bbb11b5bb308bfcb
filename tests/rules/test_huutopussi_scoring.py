"""Huutopussi, what a deal scores and when a game ends (rows S1-S18, r5, G1-G6)."""

from collections.abc import Sequence

import pytest

from referee.games.game import Tally
from referee.games.huutopussi import Huutopussi
from referee.games.huutopussi_scoring import nearest5
from tests.helpers import finished, game

ALL = "S* H* D* C*"
THREE_WON = ("H* D* JC", "S*", "AC TC KC QC 9C 8C 7C 6C")
"""62, 30 and 28 classic points."""


@pytest.mark.parametrize(
    ("points", "rounded"), [(112, 110), (113, 115), (137, 135), (138, 140), (2, 0), (3, 5), (0, 0)]
)
def test_r5_points_are_rounded_to_the_nearest_five(points: int, rounded: int) -> None:
    assert nearest5(points) == rounded


# ---- the points of a deal ------------------------------------------------------------------


def test_S1_a_made_contract_scores_the_contract_and_the_others_their_points() -> None:
    deal = finished(game("wikibooks-3"), *THREE_WON, contract=100, tricks=(5, 3, 3), declared="0:C")
    assert deal.raw() == (122, 30, 28)
    assert deal.points() == (100, 30, 28)


def test_S2_the_points_of_the_others_may_be_rounded() -> None:
    table = game("wikibooks-3", rounding="nearest5")
    deal = finished(table, *THREE_WON, contract=100, tricks=(5, 3, 3), declared="0:C")
    assert deal.points() == (100, 30, 30)


def test_S3_exactly_the_contract_is_enough() -> None:
    won = ("H* TC TD", "AD KD QD JD 9D 8D 7D 6D", "S*", "AC KC QC JC 9C 8C 7C 6C")
    deal = finished(game("wikibooks-4"), *won, contract=150, tricks=(2, 2, 2, 2), declared="0:H")
    assert deal.raw() == (150, 20, 30, 20)
    assert deal.points() == (150, 20, 30, 20)


def test_S4_the_contract_is_tested_with_points_that_are_not_rounded() -> None:
    table = game("wikibooks-4", rounding="nearest5")
    won = ("H* AC KC QC", "D*", "S*", "TC JC 9C 8C 7C 6C")
    deal = finished(table, *won, contract=150, tricks=(2, 2, 2, 2), declared="0:H")
    assert deal.raw() == (148, 30, 30, 12)
    assert deal.points() == (-150, 30, 30, 10)


def test_S5_all_tricks_may_cost_the_others_the_contract() -> None:
    table = game("wikibooks-3", takes_all_penalty="contract")
    deal = finished(table, ALL, "", "", contract=150, tricks=(11, 0, 0), declared="0:C")
    assert deal.raw() == (180, 0, 0)
    assert deal.points() == (150, -150, -150)


def test_S6_penalties_are_not_added_to_each_other() -> None:
    table = game("wikibooks-3", takes_all_penalty="contract", no_trick_penalty="contract")
    deal = finished(table, ALL, "", "", contract=150, tricks=(11, 0, 0), declared="0:C")
    assert deal.points() == (150, -150, -150)


def test_S7_all_tricks_cost_the_others_even_when_the_contract_is_lost() -> None:
    table = game("wikibooks-3", takes_all_penalty="contract")
    deal = finished(table, ALL, "", "", contract=150, tricks=(11, 0, 0))
    assert deal.raw() == (120, 0, 0)
    assert deal.points() == (-150, -150, -150)


def test_S8_a_player_without_a_trick_may_lose_the_contract() -> None:
    table = game("wikibooks-3", no_trick_penalty="contract")
    won = ("S* H* D* QC JC 9C 8C 7C 6C", "AC TC KC", "")
    deal = finished(table, *won, contract=90, tricks=(10, 1, 0))
    assert deal.raw() == (95, 25, 0)
    assert deal.points() == (90, 25, -90)


def test_S9_the_last_trick_and_marriages_count_for_the_contract() -> None:
    won = ("H* D* JC", "S* AC TC KC QC 9C 8C 7C 6C")
    deal = finished(game("helsinki"), *won, contract=120, tricks=(5, 2, 0, 2), declared="2:S")
    assert deal.raw() == (135, 65)
    assert deal.points() == (120, 65)


def test_S10_a_side_without_a_trick_loses_the_contract_once() -> None:
    deal = finished(game("helsinki"), "", ALL, contract=100, tricks=(0, 5, 0, 4), last=1)
    assert deal.raw() == (0, 160)
    assert deal.points() == (-100, 160)


def test_S11_all_tricks_score_no_more_than_the_contract() -> None:
    deal = finished(game("helsinki"), ALL, "", contract=200, tricks=(5, 0, 4, 0), declared="0:D")
    assert deal.raw() == (240, 0)
    assert deal.points() == (200, 0)


def test_S12_the_others_points_are_rounded_down_to_the_nearest_five() -> None:
    won = ("H* D* KC KS", "AC TC QC JC 9C 8C 7C 6C AS TS QS JS 9S 8S 7S 6S")
    deal = finished(game("german"), *won, contract=150, tricks=(3, 3, 2, 1), declared="1:C")
    assert deal.raw() == (88, 112)
    assert deal.points() == (-150, 110)


def test_S13_the_others_points_are_rounded_up_to_the_nearest_five() -> None:
    won = ("H* D* KC QC", "AC TC JC 9C 8C 7C 6C S*")
    deal = finished(game("german"), *won, contract=120, tricks=(3, 3, 2, 1), declared="0:H 3:C")
    assert deal.raw() == (187, 113)
    assert deal.points() == (120, 115)


def test_S14_one_point_short_of_the_contract_loses_it() -> None:
    won = ("H* D* AC TC QC", "KC JC 9C 8C 7C 6C S*")
    deal = finished(game("german"), *won, contract=205, tricks=(4, 2, 2, 1), declared="2:H")
    assert deal.raw()[0] == 204
    assert deal.points() == (-205, 35)


def test_S15_without_a_contract_both_sides_score_rounded_points() -> None:
    won = ("H* AD TD KD JD AC JC TS QS", "QD TC KC QC AS KS JS")
    deal = finished(game("german"), *won, contract=None, tricks=(5, 2, 0, 2), declared="0:H")
    assert deal.raw() == (203, 37)
    assert deal.points() == (205, 35)


def test_S16_a_made_contract_with_all_tricks_costs_twice_the_contract_in_erlangen() -> None:
    deal = finished(game("erlangen"), ALL, "", contract=200, tricks=(9, 0, 0, 0), declared="0:D")
    assert deal.raw() == (220, 0)
    assert deal.points() == (200, -400)


def test_S17_a_lost_contract_with_all_tricks_costs_the_others_nothing_in_erlangen() -> None:
    deal = finished(game("erlangen"), ALL, "", contract=250, tricks=(9, 0, 0, 0), declared="0:H")
    assert deal.raw() == (240, 0)
    assert deal.points() == (-250, 0)


def test_S18_a_contract_lost_without_a_trick_counts_twice_in_erlangen() -> None:
    deal = finished(game("erlangen"), "", ALL, contract=150, tricks=(0, 9, 0, 0), last=1)
    assert deal.raw() == (0, 140)
    assert deal.points() == (-300, 140)


@pytest.mark.parametrize("ruleset", ["german", "erlangen"])
def test_a_side_without_a_trick_scores_nought_where_there_is_no_contract(ruleset: str) -> None:
    deal = finished(game(ruleset), ALL, "", contract=None, tricks=(5, 0, 4, 0))
    assert deal.points() == (140, 0)


# ---- the end of a game ---------------------------------------------------------------------


def reach(table: Huutopussi, totals: Sequence[int], points: Sequence[int]) -> Tally:
    """What follows a deal of these points that brings the sides to these totals."""
    before = tuple(total - new for total, new in zip(totals, points, strict=True))
    return table.after(Tally(score=before, dealer=0), points)


def test_G1_the_highest_total_wins_whoever_declared() -> None:
    after = reach(game("wikibooks-3"), (505, 510, 120), (100, 30, 28))
    assert (after.score, after.winners) == ((505, 510, 120), (1,))


def test_G2_reaching_the_target_exactly_ends_the_game() -> None:
    assert reach(game("wikibooks-3"), (500, 480, 0), (100, 30, 28)).winners == (0,)


def test_G3_below_the_target_the_game_goes_on_with_the_next_dealer() -> None:
    after = reach(game("wikibooks-3"), (495, 495, 495), (100, 30, 28))
    assert (after.winners, after.dealer, after.deals) == ((), 1, 1)


def test_G4_the_higher_total_wins_though_the_other_side_made_its_contract() -> None:
    assert reach(game("helsinki"), (515, 540), (100, 60)).winners == (1,)


def test_G5_equal_totals_can_be_a_draw() -> None:
    after = reach(game("helsinki", tie="draw"), (520, 520), (60, 45))
    assert (after.winners, after.extra) == ((0, 1), False)


def test_G5_equal_totals_are_followed_by_exactly_one_more_deal() -> None:
    table = game("helsinki")
    tied = reach(table, (520, 520), (60, 45))
    assert (tied.winners, tied.extra) == ((), True)
    won = table.after(tied, (60, 45))
    assert (won.score, won.winners) == ((580, 565), (0,))
    drawn = table.after(tied, (60, 60))
    assert (drawn.score, drawn.winners) == ((580, 580), (0, 1))


def test_G5_the_extra_deal_decides_even_below_the_target() -> None:
    table = game("helsinki")
    tied = reach(table, (500, 500), (60, 45))
    assert table.after(tied, (-150, 80)).winners == (1,)


def test_G6_a_lost_contract_can_hand_the_game_to_the_others() -> None:
    after = reach(game("helsinki"), (330, 510), (-150, 40))
    assert (after.score, after.winners) == ((330, 510), (1,))


def test_the_first_dealer_of_a_set_is_its_number_modulo_the_seats() -> None:
    for ruleset, seats in (("wikibooks-2", 2), ("wikibooks-3", 3), ("helsinki", 4)):
        table = game(ruleset)
        assert [table.first(number).dealer for number in range(5)] == [
            number % seats for number in range(5)
        ]
        assert set(table.first(3).score) == {0}


def test_the_deal_passes_clockwise() -> None:
    table = game("wikibooks-3")
    stage = table.first(1)
    dealers = []
    for _ in range(4):
        dealers.append(stage.dealer)
        stage = table.after(stage, (50, 0, 0))
    assert dealers == [1, 2, 0, 1]
