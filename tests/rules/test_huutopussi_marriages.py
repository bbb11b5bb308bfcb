"""Huutopussi, how trump is made: declarations, asks and their answers (rows M1-M9)."""

import pytest

from referee.games.huutopussi import Deal
from referee.games.tricktaking import ANSWER
from tests.helpers import (
    WIKIBOOKS,
    actions,
    answer,
    at_trick,
    cards,
    game,
    legal,
    options,
    play,
    trump,
)

TEAMS = (
    "wikibooks-team", "helsinki", "helsinki-ru", "helsinki-pagat", "helsinki-classic",
    "german", "erlangen",
)  # fmt: skip


def won_from_seat_1(
    ruleset: str, hand: str = "AH KD QD", declared: str = "", **changed: object
) -> Deal:
    """Seat 1 led hearts, seat 0 has just won the trick with the ace, the others hold clubs."""
    table = game(ruleset, **changed)
    lead = " ".join(["6H", "7H", "8H"][: table.seats - 1])
    deal = at_trick(table, hand, "7C 6C", "9C 8C", "JC TC", lead=lead, declared=declared)
    return play(deal, "0:AH")


def after_winning(
    ruleset: str, asker: str, partner: str, *, declared: str = "", **changed: object
) -> Deal:
    """Seat 0 has won a trick that it led itself, and holds `asker`; seat 2 holds `partner`."""
    table = game(ruleset, **changed)
    return at_trick(table, asker, "7C 6C", partner, "JC TC", declared=declared, window=True)


@pytest.mark.parametrize("ruleset", WIKIBOOKS)
def test_M1_the_winner_of_a_trick_may_declare_though_another_led_it(ruleset: str) -> None:
    deal = won_from_seat_1(ruleset)
    assert legal(deal) == ["QD", "KD", "declare:D"]
    play(deal, "0:declare:D")
    assert trump(deal) == "D"
    assert legal(deal) == ["QD", "KD"]


@pytest.mark.parametrize("ruleset", WIKIBOOKS)
@pytest.mark.parametrize("right", ["won_and_led", "first_won_and_led"])
def test_M1_the_first_trump_may_need_a_trick_won_and_led(ruleset: str, right: str) -> None:
    assert legal(won_from_seat_1(ruleset, trump_right=right)) == ["QD", "KD"]


@pytest.mark.parametrize("ruleset", WIKIBOOKS)
def test_M1_a_later_trump_needs_no_led_trick_where_only_the_first_does(ruleset: str) -> None:
    later = won_from_seat_1(ruleset, declared="S", trump_right="first_won_and_led")
    assert legal(later) == ["QD", "KD", "declare:D"]
    strict = won_from_seat_1(ruleset, declared="S", trump_right="won_and_led")
    assert legal(strict) == ["QD", "KD"]


@pytest.mark.parametrize("right", ["won", "won_and_led", "first_won_and_led"])
def test_M1_a_trick_won_and_led_always_gives_the_right(right: str) -> None:
    table = game("wikibooks-3", trump_right=right)
    deal = play(at_trick(table, "AH KD QD", "6H 7C", "7H 8C"), "0:AH 1:6H 2:7H")
    assert options(deal) == ["declare:D"]


@pytest.mark.parametrize("ruleset", TEAMS)
def test_M2_a_declared_suit_is_neither_declared_nor_asked_for_again(ruleset: str) -> None:
    for hand in ("AH KD QD", "AH KD 6D", "AH QD 6D"):
        for declared in ("D", "D S"):
            deal = after_winning(ruleset, hand, "6S 7S", declared=declared)
            assert "declare:D" not in legal(deal)
            assert "half:D" not in legal(deal)


def test_M3_one_window_makes_one_suit_trump() -> None:
    deal = after_winning("helsinki", "AC KH QH KS QS", "6D 7D 8D 9D JD")
    assert options(deal) == ["declare:S", "declare:H", "whole"]
    play(deal, "0:declare:H")
    assert options(deal) == []
    play(deal, "0:AC 1:6C 2:6D 3:TC")
    assert options(deal) == ["declare:S", "whole"]
    play(deal, "0:declare:S")
    assert [suit for _, suit in deal.view(0).declared] == ["H", "S"]
    assert (trump(deal), deal.raw()[0]) == ("S", 140 + 20)


def test_M3_a_suit_whose_queen_was_played_is_lost() -> None:
    deal = after_winning("helsinki", "AC QS KS KH QH", "6D 7D 8D 9D JD")
    play(deal, "0:declare:H 0:QS 1:7C 2:6D 3:JC")
    assert deal.winner == 0
    assert options(deal) == ["whole"]


@pytest.mark.parametrize("ruleset", TEAMS)
@pytest.mark.parametrize(("mine", "partners"), [("KD", "QD"), ("QD", "KD")])
def test_M4_two_halves_make_a_marriage(ruleset: str, mine: str, partners: str) -> None:
    deal = after_winning(ruleset, f"AC {mine}", f"{partners} 6S")
    play(deal, "0:half:D")
    assert actions(deal) == ["0:half:D", "2:yes"]
    assert (trump(deal), deal.raw()[0], deal.to_act) == ("D", 80, 0)
    assert legal(deal) == [mine, "AC"]
    assert deal.view(1).asked == [(0, "half:D", "yes")]
    assert deal.view(1).declared == [(0, "D")]


@pytest.mark.parametrize("ruleset", TEAMS)
def test_M5_a_half_that_an_opponent_holds_is_answered_no(ruleset: str) -> None:
    deal = after_winning(ruleset, "AC KD QH 6S", "6D 7D 8D 9S", declared="S")
    deal.hands[1] |= 1 << deal.game.pack.index["QD"]
    play(deal, "0:half:D")
    assert actions(deal) == ["0:half:D", "2:no"]
    assert (trump(deal), deal.raw()[0], deal.to_act) == ("S", 0, 0)
    assert legal(deal) == ["6S", "QH", "KD", "AC"]
    play(deal, "0:AC 1:6C 2:9S 3:TC")
    assert deal.to_act == 2


def test_M5_another_half_may_be_asked_for_after_the_next_trick_won() -> None:
    deal = after_winning("helsinki", "AC KD QH", "6D 7D 8D")
    play(deal, "0:half:D 0:AC 1:6C 2:6D 3:TC")
    assert options(deal) == ["half:H", "half:D", "whole"]


def test_M5_a_half_that_was_played_cannot_be_asked_for() -> None:
    deal = at_trick(game("helsinki"), "AD KD 6S", "7C 6C", "9C 8C", "JC TC", lead="QD JD 9D")
    play(deal, "0:AD")
    assert "half:D" not in legal(deal)
    assert options(deal) == ["whole"]


@pytest.mark.parametrize("ruleset", [name for name in TEAMS if name != "erlangen"])
def test_M6_who_asks_for_a_half_holds_exactly_the_other(ruleset: str) -> None:
    assert "half:D" not in legal(after_winning(ruleset, "AC AS", "KD QD"))
    assert "half:D" not in legal(after_winning(ruleset, "KD QD", "AC AS"))


def test_M6_in_erlangen_a_half_may_be_asked_for_without_holding_one() -> None:
    deal = after_winning("erlangen", "AC AS", "KD 6S")
    assert options(deal) == ["half:S", "half:H", "half:D", "half:C", "whole"]
    play(deal, "0:half:D")
    assert deal.view(3).asked == [(0, "half:D", "yes")]
    assert (trump(deal), deal.view(3).declared, deal.raw()[0]) == (None, [], 0)
    assert legal(deal) == ["AS", "AC"]


def test_M6_in_erlangen_a_partner_with_both_says_yes_and_nothing_is_declared() -> None:
    deal = play(after_winning("erlangen", "AC AS", "KD QD"), "0:half:D")
    assert actions(deal) == ["0:half:D", "2:yes"]
    assert trump(deal) is None


def test_M6_in_erlangen_who_holds_both_declares_and_does_not_ask() -> None:
    assert options(after_winning("erlangen", "KD QD AS", "AC 6S 7S")) == [
        "declare:D", "half:S", "half:H", "half:C", "whole",
    ]  # fmt: skip


@pytest.mark.parametrize("ruleset", TEAMS)
def test_M7_the_only_whole_marriage_of_the_partner_is_declared_at_once(ruleset: str) -> None:
    deal = after_winning(ruleset, "AC AS", "KC QC KS QS", declared="S")
    play(deal, "0:whole")
    assert actions(deal) == ["0:whole", "2:name:C"]
    assert (trump(deal), deal.raw()[0], deal.to_act) == ("C", 60, 0)
    assert deal.view(1).asked == [(0, "whole", "name:C")]


@pytest.mark.parametrize("ruleset", TEAMS)
def test_M7_a_partner_with_several_marriages_chooses_and_may_not_refuse(ruleset: str) -> None:
    deal = after_winning(ruleset, "AC AS", "KC QC KS QS")
    play(deal, "0:whole")
    assert (deal.to_act, deal.phase, deal.dictated()) == (2, ANSWER, False)
    assert legal(deal) == ["name:S", "name:C"]
    assert deal.view(2).asked == [(0, "whole", "")]
    play(deal, "2:name:C")
    assert (trump(deal), deal.to_act) == ("C", 0)
    assert deal.view(1).declared == [(0, "C")]


def test_M7_a_whole_that_the_partner_lacks_is_answered_no() -> None:
    deal = play(after_winning("helsinki", "AC AS", "KC QD"), "0:whole")
    assert actions(deal) == ["0:whole", "2:no"]
    assert (trump(deal), legal(deal)) == (None, ["AS", "AC"])


def test_M7_a_partners_marriage_of_which_a_card_was_played_does_not_count() -> None:
    deal = at_trick(game("helsinki"), "AC AD 6D", "7H 6H", "KC QC JC", "7S 6S", window=True)
    play(deal, "0:AC 1:6H 2:QC 3:6S 0:whole")
    assert actions(deal)[-2:] == ["0:whole", "2:no"]


def test_M8_a_half_may_be_asked_for_with_one_card_left_but_no_whole() -> None:
    for ruleset in TEAMS:
        deal = at_trick(game(ruleset), "KS", "6H", "QS", "7H", window=True)
        assert "half:S" in options(deal)
        assert "whole" not in options(deal)
        play(deal, "0:half:S")
        assert (trump(deal), deal.raw()[0]) == ("S", 40)


def test_M8_a_whole_may_be_asked_for_with_two_cards_left_in_the_same_game() -> None:
    table = game("helsinki")
    for hand in ("KS 6H", "KS", "KS 6H"):
        deal = at_trick(table, hand, "7H 8H", "QS 9H", "JH TH", window=True)
        assert options(deal) == (["half:S", "whole"] if hand == "KS 6H" else ["half:S"])


def test_M8_after_the_last_trick_nothing_can_be_declared() -> None:
    deal = play(at_trick(game("helsinki"), "KS", "6H", "QS", "7H"), "0:KS 1:6H 2:QS 3:7H")
    assert (deal.to_act, list(deal.legal())) == (None, [])


def test_M9_marriages_may_make_trump_for_nothing() -> None:
    deal = after_winning("helsinki", "AC KD", "QD 6S", marriage_points="none")
    play(deal, "0:half:D")
    assert (trump(deal), deal.raw()) == ("D", (0, 0))


def test_M9_spades_may_be_the_dearest_marriage() -> None:
    deal = after_winning("helsinki", "AC KD", "QD 6S", marriage_points="spades_high")
    assert play(deal, "0:half:D").raw() == (60, 0)
    deal = at_trick(
        game("helsinki", marriage_points="spades_high"), "KS", "6H", "QS", "7H", window=True
    )
    assert play(deal, "0:half:S").raw() == (100, 0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("hearts_high", {"H": 100, "D": 80, "C": 60, "S": 40}),
        ("spades_high", {"S": 100, "H": 80, "D": 60, "C": 40}),
        ("none", {"S": 0, "H": 0, "D": 0, "C": 0}),
    ],
)
def test_marriages_are_worth_what_the_table_says(values: str, expected: dict[str, int]) -> None:
    for suit, points in expected.items():
        deal = after_winning("helsinki", f"K{suit} Q{suit}", "6S 7S", marriage_points=values)
        assert play(deal, f"0:declare:{suit}").raw() == (points, 0)


@pytest.mark.parametrize("ruleset", WIKIBOOKS)
def test_single_players_ask_nobody(ruleset: str) -> None:
    assert options(won_from_seat_1(ruleset, "AH KD QS 6S")) == []


def test_a_declarer_need_not_lead_from_the_marriage() -> None:
    deal = play(after_winning("helsinki", "AC KD QD 6S", "7S 8S 9S JS"), "0:declare:D")
    assert cards(deal) == "6S QD KD AC"


def test_nothing_is_declared_before_the_first_trick() -> None:
    deal = at_trick(game("helsinki"), "KD QD AC", first=True)
    assert options(deal) == []


def test_a_failed_ask_leaves_the_trump_as_it_was() -> None:
    deal = after_winning("helsinki", "AC KD", "6S 7S", declared="H")
    play(deal, "0:half:D")
    assert trump(deal) == "H"
    play(deal, "0:AC 1:6C 2:6S")
    assert deal.trick.trumps == deal.game.pack.suits[1]


def test_answers_are_dictated_only_where_there_is_no_choice() -> None:
    deal = after_winning("helsinki", "AC AS", "KC QC")
    deal.apply(deal.game.index["whole"])
    assert (deal.dictated(), legal(deal)) == (True, ["name:C"])
    answer(deal)
    assert not deal.dictated()
