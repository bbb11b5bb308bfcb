"""Huutopussi, whole deals card by card (D1-D3, S19)."""

from collections.abc import Mapping, Sequence

import pytest

from referee.games.huutopussi import Deal
from tests.helpers import auction, cards, dealt, game, legal, options, play, trump

Row = tuple[str, str, int, int, str, str]
"""Cards of a trick, trump in it, winner, points of its cards, action afterwards, its answer."""


def check(deal: Deal, rows: Sequence[Row], last_points: int, forced: Mapping[str, str]) -> None:
    """Play a printed deal; `forced` has what seats could play, as `trick:seat`."""
    forced = dict(forced)
    for number, (played, trumps, winner, points, action, reply) in enumerate(rows, 1):
        assert (trump(deal) or "-") == trumps, f"trump in trick {number}"
        before = sum(deal.raw())
        for step in played.split():
            expected = forced.pop(f"{number}:{step[0]}", None)
            if expected is not None:
                assert set(cards(deal).split()) == set(expected.split()), f"{number}:{step}"
            play(deal, step)
        bonus = last_points if number == len(rows) else 0
        assert (deal.winner, sum(deal.raw()) - before) == (winner, points + bonus), number
        if action:
            play(deal, f"{winner}:{action}")
            said = [deal.game.actions[a] for _, a in deal.history[-1:]]
            assert said == [reply or action], f"answer after trick {number}"
    assert deal.to_act is None
    assert not forced


# ---- D1 ------------------------------------------------------------------------------------

D1_HANDS = (
    "8H AD 9D 7D TC JC 9C 8C TS",
    "TH JH 6H QD AC 6C AS QS JS",
    "AH 7H TD KD 8D 6D QC 7C 8S",
    "KH QH 9H JD KC KS 9S 7S 6S",
)
D1_BEFORE = (
    "0:bid:50 1:pass 2:pass 3:pass 2:give:7C 2:give:8D 2:give:QC 0:contract:60 "
    "0:give:7C 0:give:8C 0:give:8D"
)
# The asks that the table prints after tricks 4 and 7 are about suits that are no longer open.
D1: list[Row] = [
    ("0:TC 1:AC 2:7C 3:KC", "-", 1, 25, "half:D", "no"),
    ("1:6C 2:8C 3:9H 0:JC", "-", 0, 5, "", ""),
    ("0:AD 1:QD 2:KD 3:JD", "-", 0, 25, "whole", "no"),
    ("0:9C 1:JS 2:6D 3:9S", "-", 0, 5, "", ""),
    ("0:TS 1:AS 2:8S 3:7S", "-", 1, 20, "half:S", "yes"),
    ("1:QS 2:TD 3:KS 0:QC", "S", 3, 25, "declare:H", ""),
    ("3:KH 0:8H 1:TH 2:AH", "H", 2, 25, "", ""),
    ("2:7H 3:QH 0:9D 1:6H", "H", 3, 5, "", ""),
    ("3:6S 0:7D 1:JH 2:8D", "H", 1, 5, "", ""),
]
D1_FORCED = {
    "1:1": "AC", "5:1": "AS", "6:3": "KS", "7:1": "TH", "7:2": "AH", "8:1": "JH 6H", "9:1": "JH",
}  # fmt: skip


def d1(ruleset: str = "helsinki", upto: int = 0) -> Deal:
    """The deal D1, up to and including a trick with what follows it."""
    deal = play(dealt(game(ruleset), *D1_HANDS), D1_BEFORE)
    for played, _, winner, _, action, _ in D1[:upto]:
        play(deal, played)
        if action:
            play(deal, f"{winner}:{action}")
    return deal


def test_D1_helsinki_trick_by_trick() -> None:
    deal = d1()
    assert deal.view(0).contract == 60
    check(deal, D1, 20, D1_FORCED)
    assert deal.raw() == (60, 240)
    assert sum(deal.raw()) == 160 + 140
    assert deal.points() == (60, 240)


def test_D1_the_hands_after_the_exchange() -> None:
    deal = d1()
    assert " ".join(deal.view(0).hand) == "TS 8H 7D 9D AD 9C TC JC QC"
    assert " ".join(deal.view(2).hand) == "8S 7H AH 6D 8D TD KD 7C 8C"


def test_D1_a_suit_whose_king_or_queen_was_played_cannot_be_asked_for() -> None:
    deal = play(d1(upto=3), "0:9C 1:JS 2:6D 3:9S")
    assert options(deal) == ["whole"]
    deal = play(d1(upto=6), "3:KH 0:8H 1:TH 2:AH")
    assert options(deal) == []


def test_D1_what_the_winners_could_declare_or_ask() -> None:
    offers = []
    for number, (played, _, winner, _, _, _) in enumerate(D1[:6]):
        deal = play(d1(upto=number), played)
        offers.append((winner, options(deal)))
    assert offers == [
        (1, ["half:S", "half:D", "whole"]),
        (0, ["whole"]),
        (0, ["whole"]),
        (0, ["whole"]),
        (1, ["half:S", "whole"]),
        (3, ["declare:H", "whole"]),
    ]


def test_D1_helsinki_pagat_lets_nobody_declare_after_a_trick_he_did_not_lead() -> None:
    deal = play(dealt(game("helsinki-pagat"), *D1_HANDS), D1_BEFORE)
    offers = []
    for played, *_ in D1[:6]:
        play(deal, played)
        offers.append((deal.winner, options(deal)))
    led_and_won = (0, ["whole"])
    assert offers == [(1, []), (0, []), led_and_won, led_and_won, (1, []), (3, [])]


# ---- D2 ------------------------------------------------------------------------------------

D2_HANDS = (
    "KH JH 9H JD 9D 6D KC 6C TS 8S 7S",
    "QH AD TD KD QD JC 8C 7C AS KS QS",
    "AH TH 7H 6H 8D 7D AC TC QC 9C JS",
)
D2: list[Row] = [
    ("0:6C 1:7C 2:AC", "-", 2, 11, "", ""),
    ("2:9C 0:KC 1:8C", "-", 0, 4, "", ""),
    ("0:TS 1:AS 2:JS", "-", 1, 23, "declare:S", ""),
    ("1:JC 2:TC 0:6S", "S", 0, 12, "", ""),
    ("0:9H 1:QH 2:AH", "S", 2, 14, "", ""),
    ("2:8D 0:JD 1:AD", "S", 1, 13, "declare:D", ""),
    ("1:KS 2:7D 0:9S", "D", 2, 4, "", ""),
    ("2:6H 0:8H 1:QD", "D", 1, 3, "", ""),
    ("1:KD 2:QC 0:9D", "D", 1, 7, "", ""),
    ("1:TD 2:7H 0:6D", "D", 1, 10, "", ""),
    ("1:QS 2:TH 0:JH", "D", 1, 15, "", ""),
]
D2_FORCED = {"4:0": "9S 6S", "7:2": "7D", "7:0": "9S"}


def d2(**changed: object) -> Deal:
    """The deal D2 up to the first lead."""
    deal = auction(dealt(game("wikibooks-3", **changed), *D2_HANDS, talon="9S 6S 8H"), 50)
    assert [deal.view(seat).talon for seat in range(3)] == [["9S", "6S", "8H"]] * 3
    return play(deal, "0:discard:7S 0:discard:8S 0:discard:KH 0:contract:60")


def test_D2_wikibooks_3_trick_by_trick() -> None:
    deal = d2()
    check(deal, D2, 0, D2_FORCED)
    assert deal.raw() == (16, 191, 29)
    assert sum(deal.raw()) == 120 - 4 + 120
    assert deal.points() == (-60, 191, 29)


def test_D2_with_rounding() -> None:
    deal = d2(rounding="nearest5")
    check(deal, D2, 0, D2_FORCED)
    assert deal.points() == (-60, 190, 30)


@pytest.mark.parametrize("right", ["first_won_and_led", "won_and_led"])
def test_D2_seat_1_cannot_declare_after_a_trick_that_seat_0_led(right: str) -> None:
    deal = d2(trump_right=right)
    for played, *_ in D2[:3]:
        play(deal, played)
    assert deal.to_act == 1
    assert options(deal) == []
    free = d2()
    for played, *_ in D2[:3]:
        play(free, played)
    assert options(free) == ["declare:S", "declare:D"]


# ---- D3 ------------------------------------------------------------------------------------

D3_HANDS = (
    "KH QH JH QD AC 7C AS KS QS",
    "7H 6H KD JD 7D TC KC 8S 6S",
    "TH 8H 9D 8D 6D QC JC 9C 7S",
    "AH 9H AD TD 8C 6C TS JS 9S",
)
# The asks that the table prints after tricks 7 and 8 are about a suit that is no longer open.
D3: list[Row] = [
    ("0:KS 1:6S 2:7S 3:TS", "-", 3, 14, "whole", "no"),
    ("3:6C 0:AC 1:KC 2:9C", "-", 0, 15, "declare:H", ""),
    ("0:7C 1:TC 2:QC 3:8C", "H", 1, 13, "whole", "no"),
    ("1:7H 2:TH 3:AH 0:QH", "H", 3, 24, "", ""),
    ("3:JS 0:AS 1:8S 2:8H", "H", 2, 13, "", ""),
    ("2:9D 3:TD 0:QD 1:JD", "H", 3, 15, "", ""),
    ("3:9H 0:KH 1:6H 2:8D", "H", 0, 4, "", ""),
    ("0:JH 1:KD 2:6D 3:AD", "H", 0, 17, "", ""),
    ("0:QS 1:7D 2:JC 3:9S", "H", 0, 5, "", ""),
]


def test_D3_german_without_a_contract_trick_by_trick() -> None:
    deal = play(dealt(game("german"), *D3_HANDS), "0:pass 1:pass 2:pass 3:pass")
    check(deal, D3, 20, {})
    assert deal.raw() == (174, 66)
    assert sum(deal.raw()) == 140 + 100
    assert deal.points() == (175, 65)


def test_D3_spades_cannot_be_asked_for_once_the_king_was_played() -> None:
    deal = play(dealt(game("german"), *D3_HANDS), "0:pass 1:pass 2:pass 3:pass")
    for number, (played, _, winner, _, action, _) in enumerate(D3[:8], 1):
        play(deal, played)
        if number >= 7:
            assert options(deal) == []
        if action:
            play(deal, f"{winner}:{action}")


def test_D3_in_erlangen_the_first_lead_would_be_an_ace() -> None:
    deal = play(dealt(game("erlangen"), *D3_HANDS), "0:pass 1:pass 2:pass 3:pass")
    assert legal(deal) == ["AS", "AC"]


# ---- S19 -----------------------------------------------------------------------------------

S19_HANDS = (
    "KH KD 9D 8D 7D 9S 6H 9C 7C",
    "TH AD TD QD 6D JS TS TC KC",
    "QH 9H 8H 7H JD 8S 7S 6S 6C",
    "AH JH AS KS QS AC QC JC 8C",
)
# What is given comes back, so that the printed hands are played.
S19_BEFORE = (
    "0:bid:50 1:pass 2:pass 3:pass 2:give:8S 2:give:7S 2:give:6S 0:contract:60 "
    "0:give:8S 0:give:7S 0:give:6S"
)
S19: list[Row] = [
    ("0:KD 1:AD 2:JD 3:JC", "-", 1, 25, "", ""),
    ("1:TD 2:8H 3:JH 0:7D", "-", 1, 15, "", ""),
    ("1:QD 2:7H 3:KS 0:8D", "-", 1, 10, "", ""),
    ("1:JS 2:8S 3:AS 0:9S", "-", 3, 15, "", ""),
    ("3:QC 0:7C 1:TC 2:6C", "-", 1, 15, "", ""),
    ("1:KC 2:9H 3:AC 0:9C", "-", 3, 15, "", ""),
    ("3:QS 0:6H 1:TS 2:6S", "-", 1, 15, "", ""),
    ("1:6D 2:7S 3:8C 0:9D", "-", 0, 0, "half:H", "yes"),
    ("0:KH 1:TH 2:QH 3:AH", "H", 3, 30, "", ""),
]


@pytest.mark.parametrize(("fails", "points"), [(True, (-60, 160)), (False, (60, 160))])
def test_S19_a_side_without_card_points_loses_its_contract_despite_marriages(
    fails: bool, points: tuple[int, int]
) -> None:
    deal = play(dealt(game("helsinki", zero_card_points_fails=fails), *S19_HANDS), S19_BEFORE)
    check(deal, S19, 20, {})
    assert deal.raw() == (100, 160)
    assert deal.points() == points
