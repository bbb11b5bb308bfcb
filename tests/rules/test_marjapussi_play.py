"""Marjapussi: the first lead, following, who wins a trick (M-01 to M-12)."""

import pytest

from tests.rules.marriage_help import at_trick, cards, dealt, legal, marja, play

HEADING_OFF = {"must_head": False, "must_overtrump": False}

NINE_WITH_ACES = "AS AD KH QH 7H 9C 8C 6C 6D"
NINE_WITHOUT = "TS 9S KH QH 7H 9C 8C 6C 6D"


def test_M_01_an_ace_is_led_first() -> None:
    assert legal(dealt(marja(), NINE_WITH_ACES)) == ["AS", "AD"]
    assert cards(dealt(marja(first_lead="any"), NINE_WITH_ACES)) == set(NINE_WITH_ACES.split())
    spade = dealt(marja(first_lead="ace_then_spade"), NINE_WITH_ACES)
    assert legal(spade) == ["AS", "AD"]


def test_M_02_without_an_ace_anything_is_led_first_or_a_spade() -> None:
    everything = set(NINE_WITHOUT.split())
    assert cards(dealt(marja(), NINE_WITHOUT)) == everything
    assert legal(dealt(marja(first_lead="ace_then_spade"), NINE_WITHOUT)) == ["9S", "TS"]
    no_spade = "TD JD KH QH 7H 9C 8C 6C 6D"
    free = dealt(marja(first_lead="ace_then_spade"), no_spade)
    assert cards(free) == set(no_spade.split())


def test_M_03_the_ten_outranks_the_king() -> None:
    hands = ("9H 6S 7S 8S 6C 7C 8C 6D 7D", "KH 9S JS 9C JC 9D JD TC TD", "AH TH QH 6H AS")
    deal = play(dealt(marja(), *hands), "0:9H 1:KH")
    assert legal(deal) == ["TH", "AH"]
    assert cards(at_trick(marja(), "AH TH QH 6H AS", "9H KH")) == {"AH", "TH"}


def test_M_04_suit_is_followed_even_where_nothing_beats_the_ace() -> None:
    hands = ("AH 9H 8H 7H", "TH KH 6H 9S 6S 6C 7C 6D 7D", "JH QH")
    deal = play(dealt(marja(), *hands), "0:AH")
    assert cards(deal) == {"TH", "KH", "6H"}


@pytest.mark.parametrize(
    ("row", "lead", "hand", "expected"),
    [
        ("M-05", "9D", "JS 7S AH TC", "JS 7S"),
        ("M-06", "9D QS", "KS TS 8S AH", "KS TS"),
        ("M-07", "9D QS", "JS 7S AH TC", "JS 7S"),
        ("M-08", "9D QS", "AD 6D KS", "AD 6D"),
        ("M-10", "9D", "KH QH 6C", "KH QH 6C"),
    ],
)
def test_M_05_to_M_08_and_M_10_with_spades_as_trump(
    row: str, lead: str, hand: str, expected: str
) -> None:
    assert cards(at_trick(marja(), hand, lead, trump="S")) == set(expected.split()), row


def test_M_09_without_trump_and_suit_anything_is_played() -> None:
    assert cards(at_trick(marja(), "AS KS QH 6C", "9D TD")) == {"AS", "KS", "QH", "6C"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, "AH"), ({"spare_partner": True}, "AH 8H"), (HEADING_OFF, "AH 8H")],
)
def test_M_11_the_partner_must_be_beaten_too(options: dict[str, bool], expected: str) -> None:
    hands = (
        "KH 6S 7S 8S 6C 7C 8C 6D 7D", "7H 9S JS 9C JC 9D JD TC TD", "AH 8H AS TS KS QS AC KC QC"
    )  # fmt: skip
    deal = play(dealt(marja(**options), *hands), "0:KH 1:7H")
    assert cards(deal) == set(expected.split())


def test_M_11_an_opponent_who_is_winning_is_beaten_in_friendly_play_too() -> None:
    friendly = marja("marjapussi-friendly")
    assert cards(at_trick(friendly, "AH 8H", "9H KH")) == {"AH"}
    assert cards(at_trick(friendly, "AH 8H", "KH 9H")) == {"AH", "8H"}
    assert cards(at_trick(friendly, "KS 8S", "9D 6D", trump="S")) == {"KS", "8S"}
    assert cards(at_trick(friendly, "KS 8S", "9D JS 6D", trump="S")) == {"KS", "8S"}
    assert cards(at_trick(friendly, "KS 8S", "9D 6D JS", trump="S")) == {"KS"}


@pytest.mark.parametrize(("trump", "winner"), [("", 1), ("H", 0)])
def test_M_12_the_highest_of_the_suit_wins_or_a_trump(trump: str, winner: int) -> None:
    deal = at_trick(marja(), "AC", "7C TC KH", trump=trump, leader=2)
    deal.hands = [deal.hands[1]] * 4
    play(deal, "1:AC")
    assert deal.winner == winner
