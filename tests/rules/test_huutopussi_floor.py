"""Huutopussi, the net that a side cannot fall below any more."""

from collections.abc import Sequence

import pytest

from referee.games.game import nets
from referee.games.huutopussi import Deal, Huutopussi
from tests.helpers import actions, dealt, finished, game, legal, play
from tests.rules.test_huutopussi_deals import (
    D1,
    D1_BEFORE,
    D1_HANDS,
    S19,
    S19_BEFORE,
    S19_HANDS,
    Row,
)


def script(before: str, rows: Sequence[Row]) -> list[str]:
    """A printed deal as one script."""
    steps = before.split()
    for played, _, winner, _, action, _ in rows:
        steps += [*played.split(), *([f"{winner}:{action}"] if action else [])]
    return steps


def floors(deal: Deal, steps: Sequence[str]) -> list[list[float]]:
    """The floors of every side before each step and at the end."""
    found = []
    for step in steps:
        found.append([deal.floor(side) for side in range(deal.game.side_count)])
        play(deal, [step])
    assert deal.to_act is None
    return [*found, [deal.floor(side) for side in range(deal.game.side_count)]]


def check(table: Huutopussi, hands: Sequence[str], talon: str, steps: Sequence[str]) -> None:
    """No floor on the way is above the net in the end."""
    deal = dealt(table, *hands, talon=talon)
    found = floors(deal, steps)
    ends = nets(deal.points())
    assert found[0] == [table.lowest_net()] * table.side_count
    assert found[-1] == ends
    for place, now in enumerate(found):
        assert all(a <= b for a, b in zip(now, ends, strict=True)), steps[:place]


def test_a_marriage_settles_no_contract_while_the_tricks_hold_no_card_points() -> None:
    check(game("helsinki"), S19_HANDS, "", script(S19_BEFORE, S19))


@pytest.mark.parametrize("rounding", ["none", "nearest5", "nearest5_before_test"])
def test_the_floor_of_a_printed_deal_is_never_above_its_end(rounding: str) -> None:
    check(game("helsinki", rounding=rounding), D1_HANDS, "", script(D1_BEFORE, D1))


@pytest.mark.parametrize(
    "changed",
    [
        {"takes_all_penalty": "double_contract"},
        {"takes_all_penalty": "contract"},
        {"no_trick_penalty": "contract"},
        {"no_trick_penalty": "bid"},
        {"no_trick_penalty": 1000},
    ],
)
def test_a_side_without_a_trick_may_still_be_fined(changed: dict[str, object]) -> None:
    table = game("wikibooks-3", **changed)
    hands = (
        "AH TH KH QH AD TD KD QD AC TC AS",
        "JH 9H 8H 7H JD 9D KC QC JC JS 9S",
        "6H 8D 7D 6D 9C 8C 7C 6C 8S 7S 6S",
    )
    deal = dealt(table, *hands, talon="TS KS QS")
    play(deal, "0:bid:60 1:pass 2:pass 0:discard:TS 0:discard:KS 0:discard:QS 0:contract:60")
    for card in ["AH", "TH", "KH", "QH", "AD", "TD", "KD", "QD", "AC", "TC", "AS"]:
        play(deal, f"0:{card}")
        for seat in (1, 2):
            play(deal, f"{seat}:{legal(deal)[0]}")
    assert deal.points()[1] == deal.points()[2] < 0
    check(table, hands, "TS KS QS", actions(deal))


def test_a_made_contract_is_the_floor_of_the_declaring_side() -> None:
    deal = dealt(game("helsinki"), *D1_HANDS)
    steps = script(D1_BEFORE, D1)
    play(deal, steps[:-1])
    assert deal.contract == 60
    # Before the last card side 0 has its 60 points, and 25 are still to be won.
    assert deal.raw() == (60, 215)
    assert deal.floor(0) == 60 - (215 + 25)


def test_the_floor_of_a_finished_deal_is_its_net() -> None:
    table = game("wikibooks-3")
    won = ("H* D* JC", "S*", "AC TC KC QC 9C 8C 7C 6C")
    deal = finished(table, *won, contract=80, tricks=(5, 3, 3))
    assert deal.points() == (-80, 30, 28)
    assert [deal.floor(side) for side in range(3)] == nets((-80, 30, 28))
