"""Marjapussi, whole deals card by card (M-G1, M-G2, M-26), M-19 and M-20."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from referee.games.marjapussi import Marjapussi
from referee.table import Table
from tests.rules.marriage_help import (
    AnyDeal,
    actions,
    dealt,
    legal,
    marja,
    options,
    order,
    play,
    stage,
    trump,
)
from tests.rules.whole_deals import Story


class Row(NamedTuple):
    """What the leader says before a trick, with the answer; trump in it; its cards; its winner."""

    says: str
    answer: str
    trump: str
    played: str
    winner: int


class Printed(NamedTuple):
    """A printed deal: seat 0 leads."""

    hands: tuple[str, ...]
    rows: tuple[Row, ...]
    mates: tuple[int, int]
    items: str
    """In order, numbers being sides."""
    points: tuple[int, int]

    def script(self) -> str:
        """Everything that is asked."""
        return " ".join(f"{row.says} {row.played}" for row in self.rows)


M_G1 = Printed(
    hands=(
        "KS JH 9H 6H 6D AC TC KC 8C", "AS JS 6S 7H KD QD 8D 7C 6C",
        "TS QS 9S 7S AH TD JD JC 9C", "8S TH KH QH 8H AD 9D 7D QC",
    ),
    rows=(
        Row("", "", "-", "0:AC 1:6C 2:9C 3:QC", 0),
        Row("0:half:S", "2:yes", "S", "0:8C 1:7C 2:JC 3:8S", 3),
        Row("3:declare:H", "", "S", "3:QH 0:6H 1:7H 2:AH", 2),
        Row("2:whole", "0:no", "S", "2:9S 3:7D 0:KS 1:AS", 1),
        Row("", "", "S", "1:6S 2:TS 3:KH 0:KC", 2),
        Row("2:whole", "0:no", "S", "2:TD 3:AD 0:6D 1:8D", 3),
        Row("3:whole", "1:name:D", "S", "3:8H 0:9H 1:JS 2:QS", 2),
        Row("", "", "S", "2:7S 3:9D 0:TC 1:QD", 2),
        Row("", "", "S", "2:JD 3:TH 0:JH 1:KD", 1),
    ),
    mates=(4, 4),
    items="trump0 little1 little1 last1 mates-",
    points=(2, 3),
)  # fmt: skip

M_G2 = Printed(
    hands=(
        "TH KH QH 9H 8H JD AC TC 6C", "KS JS 8S AD 7D KC QC 9C 7C",
        "TS JH 7H 6H TD KD QD 8D 8C", "AS QS 9S 7S 6S AH 9D 6D JC",
    ),
    rows=(
        Row("", "", "-", "0:AC 1:7C 2:8C 3:JC", 0),
        Row("0:declare:H", "", "H", "0:TC 1:9C 2:7H 3:AH", 3),
        Row("3:half:S", "1:yes", "H", "3:7S 0:QH 1:8S 2:TS", 0),
        Row("0:whole", "2:name:D", "H", "0:TH 1:JS 2:6H 3:9D", 0),
        Row("0:whole", "2:no", "H", "0:JD 1:AD 2:8D 3:6D", 1),
        Row("1:declare:C", "", "H", "1:KS 2:JH 3:6S 0:KH", 0),
        Row("", "", "H", "0:6C 1:QC 2:TD 3:AS", 1),
        Row("", "", "H", "1:7D 2:KD 3:9S 0:9H", 0),
        Row("", "", "H", "0:8H 1:KC 2:QD 3:QS", 0),
    ),
    mates=(3, 5),
    items="trump0 little1 little0 little1 last0 mates1",
    points=(4, 3),
)  # fmt: skip

M_26 = Printed(
    hands=(
        "AS KS QS AH KH QH AD KD QD", "JS 9S 8S JH 9H 9D 8D 9C 8C",
        "TS AC TC KC QC JC TH TD JD", "7S 6S 8H 7H 6H 7D 6D 7C 6C",
    ),
    rows=(
        Row("", "", "-", "0:AS 1:JS 2:TS 3:7S", 0),
        Row("0:declare:S", "", "S", "0:AH 1:JH 2:TH 3:8H", 0),
        Row("0:declare:H", "", "S", "0:AD 1:9D 2:JD 3:7D", 0),
        Row("0:declare:D", "", "S", "0:KS 1:9S 2:JC 3:6S", 0),
        Row("0:whole", "2:name:C", "S", "0:QS 1:8S 2:TC 3:7H", 0),
        Row("", "", "S", "0:QD 1:8D 2:TD 3:6D", 2),
        Row("", "", "S", "2:AC 3:7C 0:QH 1:9C", 2),
        Row("", "", "S", "2:KC 3:6C 0:KH 1:8C", 2),
        Row("", "", "S", "2:QC 3:6H 0:KD 1:9H", 2),
    ),
    mates=(8, 0),
    items="trump0 little0 little0 little0 last0 mates0",
    points=(7, 0),
)  # fmt: skip

every_deal = pytest.mark.parametrize(
    "printed", [M_G1, M_G2, M_26], ids=["M_G1", "M_G2", "M_26"]
)


def trick_by_trick(printed: Printed, deal: AnyDeal) -> Iterator[int]:
    """Play a printed deal and compare; yields the number of every trick before its lead."""
    for number, row in enumerate(printed.rows, 1):
        yield number
        if row.says:
            play(deal, row.says)
            said = actions(deal)
            assert said[-2:] == [row.says, row.answer] or said[-1] == row.says, number
            assert bool(row.answer) == (said[-1] == row.answer), number
        assert (trump(deal) or "-") == row.trump, f"trump in trick {number}"
        play(deal, row.played)
        assert deal.winner == row.winner, f"winner of trick {number}"
    assert deal.to_act is None


@every_deal
def test_a_printed_deal_trick_by_trick(printed: Printed) -> None:
    table = marja()
    deal = dealt(table, *printed.hands)
    assert len(list(trick_by_trick(printed, deal))) == 9
    story = Story(table, dealt(table, *printed.hands), deal)
    assert story.winners == [row.winner for row in printed.rows]
    assert story.items() == printed.items
    assert tuple(story.mates()) == printed.mates
    mates = [(taken & table.pack.mask(f"{r}{s}" for r in "AT" for s in "SHDC")).bit_count()
             for taken in deal.taken]  # fmt: skip
    assert tuple(mates) == printed.mates
    assert deal.points() == printed.points


@every_deal
@pytest.mark.parametrize("ruleset", ["marjapussi", "marjapussi-pagat10", "marjapussi-friendly"])
def test_a_printed_deal_is_legal_where_duties_are_the_same_or_fewer(
    printed: Printed, ruleset: str
) -> None:
    deal = play(dealt(marja(ruleset), *printed.hands), printed.script())
    assert deal.to_act is None
    assert deal.side_tricks() == [
        sum(row.winner % 2 == side for row in printed.rows) for side in (0, 1)
    ]


@every_deal
def test_a_printed_deal_at_a_table(printed: Printed) -> None:
    table = marja()
    cards = order(table, *printed.hands)
    seated = Table(table, "deal", set_number=3, cards=lambda deal, redeal: cards)
    for step in printed.script().split():
        seat, _, action = step.partition(":")
        decision = seated.ask()
        assert decision is not None
        assert decision.seat == int(seat), step
        seated.submit(table.index[action])
    assert seated.over
    [record] = seated.records
    said = " ".join(f"{row.says} {row.answer} {row.played}" for row in printed.rows)
    assert record.actions.split() == [step.partition(":")[2] for step in said.split()]
    assert (record.dealer, record.points) == (3, list(printed.points))
    assert record.score == list(printed.points)
    ahead = printed.points[0] - printed.points[1]
    assert record.nets == [ahead, -ahead]


def test_M_G1_what_each_winner_could_declare_or_ask() -> None:
    deal = dealt(marja(), *M_G1.hands)
    offers = [options(deal) for _ in trick_by_trick(M_G1, deal)]
    assert offers == [
        [],
        ["half:S", "whole"],
        ["declare:H", "whole"],
        ["whole"],
        ["declare:D", "whole"],
        ["whole"],
        ["whole"],
        [],
        [],
    ]


def test_M_19_with_all_suits_declared_there_are_only_cards() -> None:
    deal = dealt(marja(), *M_G2.hands)
    for number in trick_by_trick(M_G2, deal):
        if number >= 7:
            assert options(deal) == []
            assert legal(deal) == deal.view(deal.winner).hand
    assert len(deal.declared) == 4


def test_M_20_marriages_last_trick_and_equal_mates() -> None:
    table = marja()
    tally = stage(table, unit="game")
    deal = play(table.deal(order(table, *M_G1.hands), tally), M_G1.script())
    assert deal.points() == (2, 3)
    assert (deal.after().score, deal.after().winners) == ((2, 3), ())


def test_M_26_the_largest_deal_wins_from_five_all() -> None:
    table: Marjapussi = marja()
    tally = stage(table, score=(5, 5), unit="game")
    deal = play(table.deal(order(table, *M_26.hands), tally), M_26.script())
    assert deal.points() == (7, 0)
    assert (deal.after().score, deal.after().winners) == ((12, 5), (0,))
