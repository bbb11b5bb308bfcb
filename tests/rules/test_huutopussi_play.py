"""Huutopussi, the cards that may be played and who wins the trick (rows L1-L16, W1-W2)."""

import pytest

from referee.cards import SUITS
from referee.games.huutopussi import PACK
from referee.tricks import Trick
from tests.helpers import HEADING, WIKIBOOKS, at_trick, cards, game

NO_OVERTRUMP = (*WIKIBOOKS, "wikibooks-team")
EVERY = (*NO_OVERTRUMP, *HEADING, "helsinki-ru")


def playable(ruleset: str, trump: str, lead: str, hand: str, *, first: bool = False) -> set[str]:
    """What a hand may play after the cards of `lead`, in the first trick or a later one."""
    deal = at_trick(game(ruleset), hand, lead=lead, declared=trump, first=first)
    return set(cards(deal).split())


def check(trump: str, lead: str, hand: str, wikibooks: str, heading: str, russian: str) -> None:
    """Compare with the three columns of the table, in every ruleset of each."""
    for ruleset in NO_OVERTRUMP:
        assert playable(ruleset, trump, lead, hand) == set(wikibooks.split()), ruleset
    for ruleset in HEADING:
        assert playable(ruleset, trump, lead, hand) == set(heading.split()), ruleset
    assert playable("helsinki-ru", trump, lead, hand) == set(russian.split())


def test_L1_the_suit_that_was_led_is_followed() -> None:
    check("", "8H", "7H JC", "7H", "7H", "7H")


def test_L2_a_follower_heads_the_trick_if_he_can() -> None:
    check("", "8H JH", "9H QH JC", "QH", "QH", "9H QH")


def test_L3_without_the_led_suit_a_trump_is_played() -> None:
    check("D", "JS", "7H KD JC", "KD", "KD", "KD")


def test_L4_heading_after_a_ruff() -> None:
    check("S", "8H 7S", "7H AH 9S", "AH", "7H AH", "7H AH")


def test_L5_a_trump_is_overtrumped_where_that_is_a_duty() -> None:
    check("S", "8H 9S", "7S JS AC", "7S JS", "JS", "7S JS")


def test_L6_who_cannot_overtrump_still_trumps() -> None:
    check("S", "8H TS", "7S KS AC", "7S KS", "7S KS", "7S KS")


def test_L7_the_ten_ranks_above_the_king() -> None:
    check("", "KH", "TH QH 6C", "TH", "TH", "TH QH")


def test_L8_a_trump_lead_is_followed_and_headed() -> None:
    check("S", "9S", "8S QS AH", "QS", "QS", "8S QS")


def test_L9_anything_goes_without_the_suit_and_without_trump() -> None:
    check("", "8H", "AC 6D", "AC 6D", "AC 6D", "AC 6D")


def test_L10_anything_goes_without_the_suit_and_without_a_trump_in_hand() -> None:
    check("S", "8H", "AC 6D", "AC 6D", "AC 6D", "AC 6D")


def test_L11_who_cannot_head_plays_any_card_of_the_suit() -> None:
    check("", "AH KH", "TH 6H 9C", "TH 6H", "TH 6H", "TH 6H")


def test_L12_the_leader_plays_any_card() -> None:
    check("D", "", "7H KD", "7H KD", "7H KD", "7H KD")


def test_L13_the_first_lead_in_erlangen_is_an_ace() -> None:
    assert playable("erlangen", "", "", "AC 9S KD", first=True) == {"AC"}


def test_L14_the_first_lead_in_erlangen_without_an_ace_is_a_spade() -> None:
    assert playable("erlangen", "", "", "9S KD", first=True) == {"9S"}


def test_L15_the_first_lead_in_erlangen_without_ace_and_spade_is_free() -> None:
    assert playable("erlangen", "", "", "KD 7C", first=True) == {"KD", "7C"}


def test_L16_in_erlangen_the_ace_of_the_suit_led_first_shows() -> None:
    assert playable("erlangen", "", "9S", "AS TS 7S", first=True) == {"AS"}
    assert playable("german", "", "9S", "AS TS 7S", first=True) == {"AS", "TS"}


def test_only_the_first_trick_binds_the_lead_and_shows_the_ace() -> None:
    assert playable("erlangen", "", "", "AC 9S KD") == {"AC", "9S", "KD"}
    assert playable("erlangen", "", "9S", "AS TS 7S") == {"AS", "TS"}


@pytest.mark.parametrize("ruleset", [name for name in EVERY if name != "erlangen"])
def test_the_first_lead_is_free_except_in_erlangen(ruleset: str) -> None:
    assert playable(ruleset, "", "", "AC 9S KD", first=True) == {"AC", "9S", "KD"}


def test_a_partner_who_is_winning_is_headed_too() -> None:
    # Seats 1, 2 and 3 have played: the king is the partner's.
    assert playable("helsinki", "", "7H KH 6H", "AH 8H") == {"AH"}


def winner(ruleset: str, trick: str, trump: str) -> str:
    """The card that wins."""
    trumps = PACK.suits[SUITS.index(trump)] if trump else 0
    played = Trick(game(ruleset).trick_rules, trumps)
    names = trick.split()
    for place, card in enumerate(names):
        put = played.follow if place else played.lead
        put(place, PACK.index[card])
    return names[played.winner]


@pytest.mark.parametrize("ruleset", EVERY)
def test_W1_the_highest_trump_wins_or_else_the_highest_of_the_led_suit(ruleset: str) -> None:
    trick = "8H AC KH 6S"
    assert winner(ruleset, trick, "") == "KH"
    assert winner(ruleset, trick, "S") == "6S"
    assert winner(ruleset, trick, "C") == "AC"
    assert winner(ruleset, trick, "D") == "KH"


@pytest.mark.parametrize("ruleset", EVERY)
def test_W2_the_ten_beats_the_king_except_in_plain_order(ruleset: str) -> None:
    expected = "KH" if ruleset == "helsinki-ru" else "TH"
    assert winner(ruleset, "KH TH", "") == expected
    assert winner(ruleset, "TH KH", "") == expected
