"""Tuppi, the whole hands T-G1 to T-G4 card by card, and at a table."""

import pytest

from referee.errors import IllegalAction
from tests.rules.whist_help import (
    T_G1,
    T_G3,
    T_G4,
    TUPPI_HANDS,
    Hand,
    at_table,
    dealt,
    legal,
    play,
    tuppi,
)

every_hand = pytest.mark.parametrize("hand", TUPPI_HANDS.values(), ids=list(TUPPI_HANDS))


@every_hand
def test_a_printed_hand_trick_by_trick(hand: Hand) -> None:
    deal = play(dealt(tuppi(), *hand.hands, dealer=hand.dealer), hand.before)
    for number, (script, winner) in enumerate(hand.rows(), 1):
        before = sum(deal.tricks)
        play(deal, script)
        assert (deal.winner, sum(deal.tricks)) == (winner, before + 1), f"trick {number}"
    assert deal.to_act is None
    assert tuple(deal.side_tricks()) == hand.tricks
    assert deal.points() == hand.points


@every_hand
def test_a_printed_hand_at_a_table(hand: Hand) -> None:
    table = at_table(tuppi(), hand, hand.script())
    assert table.over
    [record] = table.records
    assert tuple(record.points) == hand.points
    assert record.dealer == hand.dealer
    assert record.nets == [hand.points[0] - hand.points[1], hand.points[1] - hand.points[0]]
    assert record.actions == " ".join(step.partition(":")[2] for step in hand.script().split())


def test_TG1_may_be_reached_from_any_dealer_before_whom_others_bid_nolo() -> None:
    for dealer, bids in ((0, "1:nolo 2:rami"), (1, "2:rami"), (3, "0:nolo 1:nolo 2:rami")):
        deal = play(dealt(tuppi(), *T_G1.hands, dealer=dealer), bids + " 3:pass 1:pass")
        for script, winner in T_G1.rows():
            assert play(deal, script).winner == winner
        assert deal.points() == T_G1.points


def test_TG3_the_exchange_is_seen_by_the_soloist_and_the_partner_alone() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0), "1:rami 2:pass 0:sooli 2:give:AS")
    assert (deal.view(0).received, deal.view(0).given) == (["AS"], [])
    assert deal.view(2).given == ["AS"]
    assert deal.view(0).phase == "return"
    assert deal.view(0).history[-1] == (2, "give:?")
    assert deal.view(2).history[-1] == (2, "give:AS")
    play(deal, "0:give:QS")
    soloist, partner = deal.view(0), deal.view(2)
    assert (soloist.given, soloist.received) == (["QS"], ["AS"])
    assert (partner.given, partner.received) == (["AS"], ["QS"])
    assert "AS" in soloist.hand
    assert "QS" in partner.hand
    for seat in (1, 3):
        view = deal.view(seat)
        assert (view.given, view.received, view.discarded) == ([], [], [])
        assert view.history[-2:] == [(2, "give:?"), (0, "give:?")]
        assert (view.soloist, view.contract, view.declarer) == (0, "sooli", 1)
        assert view.hand == sorted(T_G3.hands[seat].split(), key=tuppi().pack.index.__getitem__)


def test_TG3_the_partner_sits_out_with_thirteen_cards() -> None:
    deal = play(dealt(tuppi(), *T_G3.hands, dealer=0), T_G3.script())
    assert [hand.bit_count() for hand in deal.hands] == [0, 0, 13, 0]
    assert 2 not in [seat for seat, _ in deal.history[5:]]


def test_TG4_a_lost_sooli_stops_at_once() -> None:
    deal = play(dealt(tuppi(), *T_G4.hands, dealer=0), T_G4.before)
    rows = T_G4.rows()
    for script, _ in rows[:-1]:
        assert play(deal, script).to_act is not None
    play(deal, rows[-1][0])
    assert (deal.to_act, legal(deal)) == (None, [])
    assert [hand.bit_count() for hand in deal.hands] == [9, 9, 13, 9]


def test_TG4_a_table_ends_with_the_lost_trick() -> None:
    table = at_table(tuppi(), T_G4, T_G4.script())
    assert table.ask() is None
    assert table.records[0].points == [0, 24]


def test_a_card_out_of_turn_is_refused_at_a_table() -> None:
    table = at_table(tuppi(), T_G1, T_G1.before)
    with pytest.raises(IllegalAction, match="'QH' is not legal for seat 1"):
        table.submit(tuppi().index["QH"])
