"""Bondtolva: both phases and declarations (B-01 to B-07), the whole deal B-G1."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from protocol.messages import BondtolvaView
from referee.table import Table
from tests.rules.marriage_help import (
    AnyDeal,
    at_trick,
    bond,
    cards,
    dealt,
    legal,
    order,
    play,
    trump,
)
from tests.rules.whole_deals import Story


def test_B_01_while_the_stock_lasts_anything_may_be_played() -> None:
    hand = "KH 9S JD TC QC KC"
    assert cards(at_trick(bond(), hand, "AH", trump="S")) == set(hand.split())


@pytest.mark.parametrize(("trump", "winner"), [("", 0), ("D", 1)])
def test_B_02_a_discard_loses_and_a_trump_wins(trump: str, winner: int) -> None:
    deal = at_trick(bond(), "AD KS", "9C", trump=trump)
    play(deal, "1:AD")
    assert deal.winner == winner


@pytest.mark.parametrize(
    ("row", "trump", "lead", "hand", "expected"),
    [
        ("B-03", "S", "QH", "KH 9H AS", "KH"),
        ("B-04", "", "AH", "KH 9H AS", "KH 9H"),
        ("B-04", "S", "AH", "KH 9H AS", "KH 9H"),
        ("B-04", "H", "AH", "KH 9H AS", "KH 9H"),
        ("B-05", "S", "QH", "9S JS AD", "9S JS"),
        ("B-06", "", "QH", "9S JS AD", "9S JS AD"),
    ],
)
def test_B_03_to_B_06_without_a_stock_suit_is_followed_and_beaten(
    row: str, trump: str, lead: str, hand: str, expected: str
) -> None:
    deal = at_trick(bond(), hand, lead, trump=trump, stock_gone=True)
    assert cards(deal) == set(expected.split()), row
    loose = at_trick(bond(), hand, lead, trump=trump)
    assert cards(loose) == set(hand.split()), row


def b_07() -> AnyDeal:
    """Seat 0 has won two tricks and holds two marriages."""
    deal = dealt(bond(), "KS QS KD QD 9C AS", "9S JS 9H JH 9D JD", stock="AH TH AC TC AD TD")
    return play(deal, "0:AS 1:9S 0:pass 0:AH 1:9H")


def test_B_07_one_marriage_is_declared_for_each_trick_won() -> None:
    deal = b_07()
    assert deal.view(0).hand == ["QS", "KS", "QD", "KD", "9C"]
    assert deal.view(0).phase == "declare"
    assert legal(deal) == ["pass", "declare:S", "declare:D"]
    play(deal, "0:declare:S")
    assert (trump(deal), deal.points(), deal.view(0).phase) == ("S", (2, 0), "play")
    play(deal, "0:AC 1:9D")
    assert legal(deal) == ["pass", "declare:D"]
    play(deal, "0:declare:D")
    assert (trump(deal), deal.points()) == ("S", (3, 0))


def test_B_07_after_a_pass_the_marriages_can_be_declared_later() -> None:
    deal = play(b_07(), "0:pass 0:AC 1:9D")
    assert legal(deal) == ["pass", "declare:S", "declare:D"]


def test_a_marriage_with_a_card_that_was_played_cannot_be_declared() -> None:
    deal = play(b_07(), "0:pass 0:KS 1:TH")
    assert legal(deal) == ["pass", "declare:D"]


def test_only_the_winner_of_the_trick_may_declare() -> None:
    hands = ("9S JS 9H JH 9D JD", "AS KS QS KD QD AD")
    deal = play(dealt(bond(), *hands), "0:9S 1:AS")
    assert deal.to_act == 1
    assert legal(deal) == ["pass", "declare:S", "declare:D"]
    lost = play(dealt(bond(), *hands), "0:9S 1:KD")
    assert lost.to_act == 0
    assert legal(lost) == ["pass"]


def test_when_no_suit_is_open_nobody_is_asked() -> None:
    hands = ("KS KH KD KC AS AH", "9S JS 9H JH 9D JD")
    deal = dealt(bond(), *hands)
    for card in ("KS 1:9S", "KH 1:9H", "KD 1:9D"):
        play(deal, [f"0:{card.split()[0]}", card.split()[1], "0:pass"])
    play(deal, "0:KC 1:JS")
    assert (deal.to_act, deal.view(0).phase) == (0, "play")


# ---- B-G1 ----------------------------------------------------------------------------------


class Row(NamedTuple):
    """A trick: its two cards, its winner, what the winner says, what seats 0 and 1 then draw."""

    led: str
    reply: str
    winner: int
    says: str = ""
    draws: str = ""


HANDS = ("AS 9H AC TC KC 9C", "JH TD KD QD JD JC")
STOCK = "QH 9S KH AH KS AD QS JS QC 9D TS TH"
B_G1 = (
    Row("0:9C", "1:TD", 0, "pass", "QH 9S"),
    Row("0:QH", "1:JD", 0, "pass", "KH AH"),
    Row("0:AS", "1:9S", 0, "pass", "KS AD"),
    Row("0:KH", "1:JC", 0, "pass", "QS JS"),
    Row("0:TC", "1:JH", 0, "declare:S", "QC 9D"),
    Row("0:QS", "1:QD", 0, "declare:C", "TS TH"),
    Row("0:KS", "1:JS", 0),
    Row("0:TS", "1:KD", 0),
    Row("0:9H", "1:AH", 1),
    Row("1:AD", "0:QC", 1),
    Row("1:9D", "0:KC", 1),
    Row("1:TH", "0:AC", 1),
)


def script() -> list[str]:
    """Everything that is asked."""
    steps = []
    for row in B_G1:
        steps += [row.led, row.reply] + ([f"{row.winner}:{row.says}"] if row.says else [])
    return steps


def trick_by_trick(deal: AnyDeal) -> Iterator[int]:
    """Play the printed deal and compare; yields the number of every trick before its lead."""
    drawn: list[list[str]] = [[], []]
    for number, row in enumerate(B_G1, 1):
        yield number
        play(deal, [row.led, row.reply])
        assert deal.winner == row.winner, f"winner of trick {number}"
        if row.says:
            play(deal, [f"{row.winner}:{row.says}"])
        for seat, card in enumerate(row.draws.split()):
            drawn[seat].append(card)
        for seat in (0, 1):
            view = deal.view(seat)
            assert isinstance(view, BondtolvaView)
            assert view.drawn == drawn[seat], f"trick {number}"
    assert deal.to_act is None


def test_B_G1_trick_by_trick() -> None:
    table = bond()
    deal = dealt(table, *HANDS, stock=STOCK)
    trumps = [trump(deal) for _ in trick_by_trick(deal)]
    assert trumps == [None] * 5 + ["S"] * 7
    story = Story(table, dealt(table, *HANDS, stock=STOCK), deal)
    assert story.items() == "trump0 little0 last1 mates-"
    assert (story.mates(), story.eyes()) == ([4, 4], [23, 17])
    view = deal.view(1)
    assert isinstance(view, BondtolvaView)
    assert view.declared == [(0, "S"), (0, "C")]
    assert deal.points() == (4, 1)


def test_B_G1_hands_and_stock_before_every_trick() -> None:
    deal = dealt(bond(), *HANDS, stock=STOCK)
    for number in trick_by_trick(deal):
        view = deal.view(0)
        assert isinstance(view, BondtolvaView)
        assert view.counts == [min(6, 13 - number)] * 2
        assert view.stock == max(0, 14 - 2 * number)


def test_B_G1_what_the_winners_could_declare() -> None:
    deal = dealt(bond(), *HANDS, stock=STOCK)
    offers = []
    for step in script():
        if deal.view(0).phase == "declare":
            offers.append(legal(deal))
        play(deal, [step])
    assert offers == [
        ["pass"], ["pass"], ["pass"], ["pass"],
        ["pass", "declare:S"], ["pass", "declare:C"],
    ]  # fmt: skip


def test_B_G1_at_a_table() -> None:
    table = bond()
    dealing = order(table, *HANDS, stock=STOCK)
    seated = Table(table, "deal", set_number=1, cards=lambda deal, redeal: dealing)
    for step in script():
        seat, _, action = step.partition(":")
        decision = seated.ask()
        assert decision is not None
        assert decision.seat == int(seat), step
        seated.submit(table.index[action])
    assert seated.over
    [record] = seated.records
    assert record.actions.split() == [step.partition(":")[2] for step in script()]
    assert (record.dealer, record.points, record.nets) == (1, [4, 1], [3, -3])
