"""Huutopussi, what each option of scoring and of the end of a game changes."""

import pytest

from referee.games.game import Tally
from tests.helpers import finished, game, tally

ALL = "S* H* D* C*"


def test_card_points_and_last_trick_points_count_as_set() -> None:
    for values, last, total in (("classic", 20, 140), ("simple", 20, 160), ("simple", 10, 150)):
        table = game("helsinki", card_points=values, last_trick_points=last)
        assert finished(table, ALL, "", contract=50, tricks=(9, 0, 0, 0)).raw() == (total, 0)


@pytest.mark.parametrize(
    ("rounding", "points"),
    [
        ("none", (-150, 30, 30, 12)),
        ("nearest5", (-150, 30, 30, 10)),
        ("nearest5_before_test", (150, 30, 30, 10)),
    ],
)
def test_rounding_before_the_test_can_make_a_contract(
    rounding: str, points: tuple[int, ...]
) -> None:
    table = game("wikibooks-4", rounding=rounding)
    won = ("H* AC KC QC", "D*", "S*", "TC JC 9C 8C 7C 6C")
    deal = finished(table, *won, contract=150, tricks=(2, 2, 2, 2), declared="0:H")
    assert deal.raw()[0] == 148
    assert deal.points() == points


def test_rounding_before_the_test_can_lose_a_contract() -> None:
    # 152 points do for 152 where bids may be that, so take 137 against 140: 137 rounds to 135.
    table = game("wikibooks-4", rounding="nearest5_before_test")
    won = ("H* KC QC", "D*", "S*", "AC TC JC 9C 8C 7C 6C")
    deal = finished(table, *won, contract=140, tricks=(2, 2, 2, 2), declared="0:H")
    assert deal.raw()[0] == 137
    assert deal.points()[0] == -140


@pytest.mark.parametrize(
    ("penalty", "lost"), [("none", 0), ("contract", -120), ("bid", -90), (65, -65)]
)
def test_no_trick_penalty_in_all_its_forms(penalty: object, lost: int) -> None:
    table = game("wikibooks-3", no_trick_penalty=penalty)
    won = ("S* H* D* QC JC 9C 8C 7C 6C", "AC TC KC", "")
    deal = finished(table, *won, contract=120, bid=90, tricks=(10, 1, 0))
    assert deal.points() == (-120, 25, lost)


def test_no_trick_penalty_is_judged_by_the_side_and_not_the_seat() -> None:
    table = game("helsinki", no_trick_penalty="contract")
    won = ("S* H* D*", "C*")
    assert finished(table, *won, contract=100, tricks=(8, 1, 0, 0)).points() == (100, 35)
    assert finished(table, ALL, "", contract=100, tricks=(5, 0, 4, 0)).points() == (100, -100)


def test_no_trick_penalty_spares_the_declaring_side_and_a_deal_without_contract() -> None:
    table = game("german", no_trick_penalty=50)
    assert finished(table, ALL, "", contract=None, tricks=(9, 0, 0, 0)).points() == (140, 0)
    deal = finished(table, "", ALL, contract=120, tricks=(0, 9, 0, 0), last=1)
    assert deal.points() == (-120, 140)


@pytest.mark.parametrize(
    ("no_trick", "takes_all", "lost"),
    [
        (50, "contract", -100),
        (150, "contract", -150),
        ("bid", "contract", -100),
        ("contract", "double_contract", -200),
        ("bid", "none", -80),
    ],
)
def test_of_several_penalties_the_largest_counts(
    no_trick: object, takes_all: str, lost: int
) -> None:
    table = game("wikibooks-3", no_trick_penalty=no_trick, takes_all_penalty=takes_all)
    deal = finished(table, ALL, "", "", contract=100, bid=80, tricks=(11, 0, 0))
    assert deal.points() == (100, lost, lost)


def test_takes_all_penalty_needs_every_trick() -> None:
    table = game("wikibooks-3", takes_all_penalty="double_contract")
    deal = finished(table, "S* H* D*", "C*", "", contract=90, tricks=(10, 1, 0))
    assert deal.points() == (90, 30, 0)


def test_takes_all_requires_made_spares_the_others_where_the_contract_is_lost() -> None:
    for requires, lost in ((False, -200), (True, 0)):
        table = game("wikibooks-3", takes_all_penalty="contract", takes_all_requires_made=requires)
        deal = finished(table, ALL, "", "", contract=200, tricks=(11, 0, 0))
        assert deal.points() == (-200, lost, lost)


def test_declarer_no_trick_multiplier_doubles_only_a_loss_without_a_trick() -> None:
    table = game("helsinki", declarer_no_trick_multiplier=2)
    assert finished(table, "", ALL, contract=100, tricks=(0, 9, 0, 0), last=1).points()[0] == -200
    won = ("6S 7S 8S 9S", "JS QS KS TS AS H* D* C*")
    assert finished(table, *won, contract=100, tricks=(1, 8, 0, 0), last=1).points()[0] == -100


def test_zero_card_points_fails_only_without_the_last_tricks_bonus() -> None:
    won = ("6S 7S 8S 9S", "JS QS KS TS AS H* D* C*")
    for last_trick, last, made in ((20, 1, False), (20, 0, True), (0, 0, False)):
        table = game("helsinki", last_trick_points=last_trick)
        deal = finished(table, *won, contract=60, tricks=(1, 8, 0, 0), declared="0:H", last=last)
        assert deal.points()[0] == (60 if made else -60)


@pytest.mark.parametrize(
    ("counts", "with_trick", "without"),
    [
        ("none", (90, 9, 0), (0, 99, 0)),
        ("declarer", (111, 9, 0), (21, 99, 0)),
        ("declarer_if_trick", (111, 9, 0), (0, 99, 0)),
    ],
)
def test_discards_count_says_when_the_declarer_scores_his_discards(
    counts: str, with_trick: tuple[int, ...], without: tuple[int, ...]
) -> None:
    table = game("wikibooks-3", discards_count=counts)
    rest = "KH QH JH 9H 8H 7H 6H"
    deal = finished(
        table, "S* D* C*", rest, "", contract=95, tricks=(10, 1, 0), discards="AH TH 6C"
    )
    assert deal.raw() == with_trick
    assert deal.points() == ((95 if counts != "none" else -95), 9, 0)
    deal = finished(
        table, "", f"S* D* C* {rest}", "", contract=95, tricks=(0, 11, 0), discards="AH TH 6C"
    )
    assert deal.raw() == without


def test_counted_discards_can_make_a_contract_without_a_trick() -> None:
    table = game("wikibooks-3", discards_count="declarer", min_bid=20)
    deal = finished(
        table, "", "S* D* C*", "", contract=20, tricks=(0, 11, 0), discards="AH TH 6H", last=1
    )
    assert deal.points() == (20, 90, 0)


# ---- the end of a game ---------------------------------------------------------------------


def test_target_can_be_another_number() -> None:
    for target, winners in ((300, (0,)), (305, ())):
        table = game("helsinki", target=target)
        assert table.after(Tally(score=(200, 0), dealer=0), (100, 60)).winners == winners


def test_target_mode_more_than_needs_a_point_above_it() -> None:
    table = game("helsinki", target_mode="more_than")
    assert table.after(Tally(score=(400, 0), dealer=0), (100, 60)).winners == ()
    assert table.after(Tally(score=(405, 0), dealer=0), (100, 60)).winners == (0,)


def test_tie_play_on_repeats_until_the_totals_differ() -> None:
    stage = Tally(score=(460, 475), dealer=0)
    table = game("helsinki", tie="play_on")
    for points, winners in (((60, 45), ()), ((60, 60), ()), ((60, 60), ()), ((60, 45), (0,))):
        stage = table.after(stage, points)
        assert (stage.winners, stage.extra) == (winners, False)


def test_tie_below_the_top_decides_nothing() -> None:
    table = game("wikibooks-3", tie="extra_deal")
    assert table.after(Tally(score=(500, 400, 400), dealer=0), (50, 0, 0)).winners == (0,)
    tied = table.after(Tally(score=(450, 500, 400), dealer=0), (50, 0, 0))
    assert (tied.winners, tied.extra) == ((), True)


@pytest.mark.parametrize(("score", "winners"), [((100, 40), (0,)), ((40, 40), (0, 1))])
def test_max_deals_gives_the_game_to_the_higher_score(
    score: tuple[int, int], winners: tuple[int, ...]
) -> None:
    table = game("helsinki", max_deals=3)
    stage = table.first(0)
    for points in ((0, 0), (0, 0)):
        stage = table.after(stage, points)
        assert stage.winners == ()
    assert table.after(stage, score).winners == winners


def test_max_deals_leaves_no_room_for_an_extra_deal() -> None:
    table = game("helsinki", max_deals=1)
    after = table.after(tally(table, score=(500, 500)), (50, 50))
    assert (after.winners, after.extra) == ((0, 1), False)
