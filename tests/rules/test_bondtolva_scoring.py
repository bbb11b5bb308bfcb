"""Bondtolva: matadors and eyes, the exact target, the end of a game (B-08 to B-11)."""

import pytest

from referee.games.game import Tally
from tests.rules.marriage_help import AnyDeal, bond, trump
from tests.rules.whole_deals import again, steps, with_items

TABLE = bond()


def result(tally: Tally) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tally.score, tally.winners


def test_B_08_with_equal_matadors_more_eyes_score() -> None:
    more = with_items(TABLE, "trump0 last0 mates-", eyes="23-17")
    assert again(TABLE, more).points() == (4, 0)
    fewer = with_items(TABLE, "last0 mates-", eyes="17-23")
    assert again(TABLE, fewer).points() == (1, 1)
    equal = with_items(TABLE, "last0 mates-", eyes="20-20")
    assert again(TABLE, equal).points() == (1, 0)


def test_B_08_eyes_only_matter_with_equal_matadors() -> None:
    found = next(
        found
        for eyes in ("17-23", "18-22", "19-21")
        for found in [with_items(TABLE, "last1 mates0", mates=(5, 3), eyes=eyes)]
    )
    assert again(TABLE, found).points() == (1, 1)


@pytest.mark.parametrize(
    ("changed", "score", "winners"),
    [
        ({}, (11, 2), ()),
        ({"overshoot": "no_score"}, (11, 2), ()),
        ({"overshoot": "bounce"}, (11, 2), ()),
        ({"overshoot": "reset"}, (0, 2), ()),
        ({"target_mode": "at_least"}, (13, 0), (0,)),
    ],
)
def test_B_09_a_marriage_that_passes_twelve_makes_trump_without_points(
    changed: dict[str, str], score: tuple[int, int], winners: tuple[int, ...]
) -> None:
    found = with_items(TABLE, "trump0 last1 mates1")
    deal = again(bond(**changed), found, (11, 0))
    assert trump(deal) == found.story.trump
    assert bool(winners) == any(deal.hands)
    assert result(deal.after()) == (score, winners)


def test_B_10_the_last_trick_counts_before_the_matadors() -> None:
    deal = again(TABLE, with_items(TABLE, "last0 mates1"), (11, 11))
    assert not any(deal.hands)
    assert deal.points() == (1, 0)
    assert result(deal.after()) == ((12, 11), (0,))
    other = again(TABLE, with_items(TABLE, "last0 mates1"), (10, 11))
    assert result(other.after()) == ((11, 12), (1,))


def ended_at_once() -> AnyDeal:
    """A random deal from ten all whose first marriage comes after trick 4."""
    for seed in range(2000):
        *_, deal = steps(TABLE, seed, score=(10, 10), unit="game")
        if deal.declared and sum(deal.tricks) == 4:
            return deal
    raise AssertionError("no deal with a marriage after trick 4")


def test_B_11_reaching_twelve_ends_the_game_in_mid_deal() -> None:
    deal = ended_at_once()
    assert deal.to_act is None
    assert [hand.bit_count() for hand in deal.hands] == [5, 5]
    [(seat, _)] = deal.declared
    gain = (2, 0) if seat == 0 else (0, 2)
    assert deal.points() == gain
    after = deal.after()
    assert result(after) == ((10 + gain[0], 10 + gain[1]), (seat,))


def test_B_11_a_deal_by_itself_knows_no_target() -> None:
    found = with_items(TABLE, "trump0 last1 mates1")
    low = bond(target=5, trump_points=5)
    in_game = again(low, found)
    assert (in_game.points(), any(in_game.hands)) == ((5, 0), True)
    alone = again(low, found, unit="deal")
    assert (alone.points(), any(alone.hands)) == ((5, 2), False)
