"""Marjapussi: items, the exact target and what passing it does (M-21 to M-25).

M-20 and M-26 are whole deals.
"""

import pytest

from referee.games.game import Tally
from tests.rules.marriage_help import finished, marja
from tests.rules.whole_deals import again, with_items

TABLE = marja()
ACES_TENS = "AS AH AD AC TS TH TD TC"


def result(tally: Tally) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tally.score, tally.winners


def test_M_21_without_a_marriage_only_last_trick_and_mates_count() -> None:
    found = with_items(TABLE, "last0 mates1", mates=(2, 6))
    deal = again(TABLE, found)
    assert deal.points() == (1, 1)
    assert result(deal.after()) == ((1, 1), ())


def test_M_22_twelve_exactly_wins() -> None:
    deal = again(TABLE, with_items(TABLE, "trump0 last1 mates1"), (10, 9))
    assert deal.points() == (2, 2)
    assert result(deal.after()) == ((12, 11), (0,))


@pytest.mark.parametrize(
    ("changed", "score", "winners"),
    [
        ({"overshoot": "no_score"}, (10, 1), ()),
        ({"overshoot": "bounce"}, (11, 1), ()),
        ({"overshoot": "reset"}, (0, 1), ()),
        ({"overshoot": "skip_item"}, (12, 1), (0,)),
        ({"target_mode": "at_least"}, (13, 1), (0,)),
    ],
)
def test_M_23_passing_twelve(
    changed: dict[str, str], score: tuple[int, int], winners: tuple[int, ...]
) -> None:
    deal = again(marja(**changed), with_items(TABLE, "trump0 last0 mates1"), (10, 0))
    assert deal.points() == (3, 1)
    assert result(deal.after()) == (score, winners)


def test_M_23_with_immediate_timing_the_marriage_ends_the_game() -> None:
    deal = again(marja(timing="immediate"), with_items(TABLE, "trump0 last0 mates1"), (10, 0))
    assert any(deal.hands)
    assert deal.points() == (2, 0)
    assert result(deal.after()) == ((12, 0), (0,))


@pytest.mark.parametrize(("tie", "winners"), [("first_there", (1,)), ("draw", (0, 1))])
def test_M_24_both_on_twelve_the_first_there_wins(tie: str, winners: tuple[int, ...]) -> None:
    found = with_items(TABLE, "trump0 little1 last0 mates-")
    deal = again(marja(tie=tie), found, (9, 11))
    assert deal.points() == (3, 1)
    assert result(deal.after()) == ((12, 12), winners)


@pytest.mark.parametrize(
    ("overshoot", "score"),
    [("no_score", (11, 12)), ("bounce", (10, 12)), ("reset", (0, 12)), ("skip_item", (12, 12))],
)
def test_M_25_a_side_that_passes_twelve_is_not_there(
    overshoot: str, score: tuple[int, int]
) -> None:
    found = with_items(TABLE, "trump0 last1 mates0")
    deal = again(marja(overshoot=overshoot), found, (11, 11))
    assert deal.points() == (3, 1)
    assert result(deal.after()) == (score, (1,))


def test_an_exact_target_is_met_by_every_kind_of_item() -> None:
    for items, score in (
        ("trump0 last1 mates1", (10, 0)),
        ("last0 mates1", (11, 0)),
        ("last1 mates0", (11, 0)),
    ):
        after = again(TABLE, with_items(TABLE, items), score).after()
        assert (after.score[0], after.winners) == (12, (0,)), items


def test_a_bounce_never_falls_below_nought() -> None:
    table = marja(overshoot="bounce", target=5, trump_points=10)
    deal = again(table, with_items(TABLE, "trump0 last0 mates1"), (4, 0))
    assert deal.points() == (11, 1)
    assert deal.after().score == (0, 1)


def test_the_next_dealer_sits_on_the_left_and_the_deals_are_counted() -> None:
    found = with_items(TABLE, "last0 mates1")
    after = again(TABLE, found, deals=4).after()
    assert after.dealer == (found.dealer + 1) % 4
    assert (after.deals, after.unit) == (5, "game")


def test_equal_mates_score_nothing_and_one_more_than_half_scores() -> None:
    rest = TABLE.pack.full & ~TABLE.pack.mask(ACES_TENS.split())
    others = " ".join(TABLE.pack.texts(rest))
    for mine, points in ((4, (1, 0)), (5, (2, 0)), (3, (1, 1))):
        mates = ACES_TENS.split()
        own, theirs = " ".join(mates[:mine]), " ".join(mates[mine:])
        deal = finished(TABLE, f"{own} {others}", theirs)
        assert deal.points() == points


def test_alone_mates_go_to_the_one_player_with_strictly_most() -> None:
    table = marja("marjapussi-3p")
    for taken, points in (
        (("AS AH AD", "AC TS TH", "TD TC"), (0, 0, 1)),
        (("AS AH AD", "AC TS", "TH TD TC"), (0, 0, 1)),
        (("AS AH AD", "AC TS TH TD", "TC"), (0, 1, 1)),
        (("AS AH AD AC TS TH TD TC", "", ""), (1, 0, 1)),
    ):
        assert finished(table, *taken, last=2).points() == points
