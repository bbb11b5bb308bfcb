"""Huutopussi, what each option of auction, exchange, tricks and asks changes."""

import pytest

from referee.games.huutopussi import BID, REDEAL, Deal
from referee.games.tricktaking import PLAY
from tests.helpers import (
    at_trick,
    auction,
    cards,
    dealt,
    game,
    legal,
    options,
    play,
    to_first_lead,
)

THREE_SIXES = "6H 6D 6C 7S 8S 9S JH QD AC"


# ---- auction -------------------------------------------------------------------------------


def test_bid_step_10_bids_and_contracts_are_multiples_of_ten() -> None:
    deal = dealt(game("helsinki", bid_step=10))
    assert legal(deal) == [f"bid:{n}" for n in range(50, 441, 10)]
    play(deal, "0:bid:80 1:pass 2:pass 3:pass 2:give:6D 2:give:7D 2:give:8D")
    assert legal(deal) == [f"contract:{n}" for n in range(80, 441, 10)]


def test_min_and_max_bid_bound_the_auction_and_the_contract() -> None:
    deal = dealt(game("wikibooks-3", min_bid=80, max_bid=100))
    assert legal(deal) == [f"bid:{n}" for n in range(80, 101, 5)]
    play(deal, "0:bid:95 1:bid:100")
    assert (deal.declarer, deal.phase == BID) == (1, False)


def test_bid_bar_at_or_below_bars_the_score_itself() -> None:
    for bar, barred in (("below", False), ("at_or_below", True), ("none", False)):
        deal = dealt(game("helsinki", bid_bar=bar), score=(-500, 0))
        assert (legal(deal) == ["bid:50"]) == barred, bar


def test_bar_at_moves_the_bar() -> None:
    assert legal(dealt(game("helsinki", bar_at=-250), score=(-255, 0))) == ["bid:50"]
    assert len(legal(dealt(game("helsinki", bar_at=-250), score=(-250, 0)))) > 1


def test_bar_may_raise_off_binds_a_barred_declarer_to_the_opening_bid() -> None:
    for score, raises in (((-505, 0), False), ((-500, 0), True)):
        deal = auction(dealt(game("helsinki", bar_may_raise=False), score=score), 50)
        play(deal, "2:give:6D 2:give:7D 2:give:8D")
        assert (len(legal(deal)) > 1) == raises
        assert legal(deal)[0] == "contract:50"


def test_bar_may_raise_off_does_not_bind_the_other_side() -> None:
    deal = dealt(game("helsinki", bar_may_raise=False), score=(-505, 0))
    play(deal, "0:bid:50 1:bid:55 2:pass 3:pass 0:pass 3:give:6C 3:give:7C 3:give:8C")
    assert legal(deal) == [f"contract:{n}" for n in range(55, 441, 5)]


def test_opening_forced_in_german_binds_the_forehand_only() -> None:
    deal = dealt(game("german", opening_forced=True, bar_may_open=True))
    assert "pass" not in legal(deal)
    play(deal, "0:bid:120")
    assert legal(deal)[0] == "pass"


def test_first_dealer_can_be_a_seat() -> None:
    table = game("helsinki", first_dealer=2)
    assert [table.first(number).dealer for number in range(5)] == [2] * 5


# ---- redeal --------------------------------------------------------------------------------


def test_redeal_can_be_switched_on_and_off_in_any_ruleset() -> None:
    assert dealt(game("helsinki", redeal="none"), THREE_SIXES).phase == BID
    assert dealt(game("erlangen", redeal="three_sixes"), THREE_SIXES).phase == REDEAL
    deal = dealt(game("wikibooks-3", redeal="three_sixes"), "6H 6D 6C")
    assert legal(deal) == ["keep", "redeal"]


def test_redeal_for_nothing_above_a_jack_can_be_asked_before_the_bidding() -> None:
    table = game("helsinki", redeal="three_sixes_or_nothing_above_jack")
    assert legal(dealt(table, "6H 6D 7H 7D 8C 8S 9H JC JS")) == ["keep", "redeal"]
    assert dealt(table, "6H 6D 7H 7D 8C 8S 9H JC QS").phase == BID


def test_redeal_window_at_the_first_turn_makes_it_an_action_of_the_auction() -> None:
    deal = dealt(game("helsinki", redeal_window="first_bid_turn"), THREE_SIXES)
    assert deal.phase == BID
    assert legal(deal)[-1] == "redeal"
    assert "keep" not in legal(deal)


# ---- exchange ------------------------------------------------------------------------------


def test_exchange_count_four_moves_four_cards_each_way() -> None:
    deal = auction(dealt(game("helsinki", exchange_count=4)), 50)
    to_first_lead(deal)
    assert (len(deal.view(0).given), len(deal.view(0).received)) == (4, 4)
    assert deal.view(0).counts == [9] * 4


def test_talon_public_off_shows_the_talon_to_the_declarer_alone() -> None:
    deal = dealt(game("wikibooks-3", talon_public=False), talon="9S 6S 8H")
    auction(deal, 50)
    assert [deal.view(seat).talon for seat in range(3)] == [["9S", "6S", "8H"], [], []]


def test_discard_rule_no_aces_tens_keeps_them_in_the_hand() -> None:
    deal = auction(
        dealt(game("wikibooks-4", discard_rule="no_aces_tens"), "AH AD AC AS TH TD TC 6S",
              talon="TS 7S KS QS"), 60,
    )  # fmt: skip
    assert legal(deal) == ["discard:6S", "discard:7S", "discard:QS", "discard:KS"]
    free = dealt(game("wikibooks-4"), "AH AD AC AS TH TD TC 6S", talon="TS 7S KS QS")
    assert len(legal(auction(free, 60))) == 12


def phases(deal: Deal) -> list[str]:
    """The phases between auction and first trick."""
    found: list[str] = []
    while deal.phase != PLAY:
        phase = deal.view(0).phase
        if not found or found[-1] != phase:
            found.append(phase)
        play(deal, [f"{deal.to_act}:{legal(deal)[0]}"])
    return found


def test_raise_timing_names_the_contract_before_or_after_cards_leave_the_hand() -> None:
    def order(ruleset: str, timing: str, bid: int) -> list[str]:
        return phases(auction(dealt(game(ruleset, raise_timing=timing)), bid))

    assert order("wikibooks-3", "after_exchange", 50) == ["discard", "contract"]
    assert order("wikibooks-3", "before_return", 50) == ["contract", "discard"]
    assert order("helsinki", "after_exchange", 50) == ["give", "return", "contract"]
    assert order("helsinki", "before_return", 50) == ["give", "contract", "return"]


def test_raise_timing_before_the_discards_lets_the_declarer_see_the_talon_first() -> None:
    table = game("wikibooks-3", raise_timing="before_return")
    deal = auction(dealt(table, talon="9S 6S 8H"), 50)
    assert deal.view(0).phase == "contract"
    assert len(deal.view(0).hand) == 14
    play(deal, "0:contract:75 0:discard:8H 0:discard:6S 0:discard:9S")
    assert (deal.phase, deal.view(2).contract) == (PLAY, 75)


# ---- cards ---------------------------------------------------------------------------------


def test_first_lead_ace_binds_only_who_has_one() -> None:
    table = game("helsinki", first_lead="ace")
    assert cards(at_trick(table, "AC AH 9S KD", first=True)) == "AH AC"
    assert cards(at_trick(table, "9S KD", first=True)) == "9S KD"
    assert cards(at_trick(table, "AC 9S KD")) == "9S KD AC"


def test_ace_shows_in_the_first_trick_whatever_may_be_led() -> None:
    table = game("helsinki", ace_shows=True, must_head=False)
    assert cards(at_trick(table, "AS TS 7S", lead="9S", first=True)) == "AS"
    assert cards(at_trick(table, "AS TS 7S", lead="9S")) == "7S TS AS"


@pytest.mark.parametrize(
    ("changed", "lead", "hand", "expected"),
    [
        ({"must_head": False}, "8H", "7H AH", "7H AH"),
        ({"head_lapses_when_ruffed": False}, "8H 7S", "7H AH 9S", "AH"),
        ({"must_head": False, "head_lapses_when_ruffed": False}, "8H 7S", "7H AH", "7H AH"),
        ({"must_trump": False}, "8H", "7S AC", "7S AC"),
        ({"must_trump": False}, "8H 8S", "7S 9S AC", "7S 9S AC"),
        ({"must_overtrump": False}, "8H 8S", "7S 9S AC", "7S 9S"),
        ({"rank_order": "plain"}, "KH", "TH QH 6C", "TH QH"),
        ({"rank_order": "plain"}, "8H KS", "TS AS 6C", "AS"),
    ],
)
def test_every_duty_of_a_follower_is_an_option(
    changed: dict[str, object], lead: str, hand: str, expected: str
) -> None:
    deal = at_trick(game("helsinki", **changed), hand, lead=lead, declared="S")
    assert cards(deal) == expected


@pytest.mark.parametrize(
    ("right", "led", "not_led", "later"),
    [
        ("won", True, True, True),
        ("won_and_led", True, False, False),
        ("first_won_and_led", True, False, True),
    ],
)
def test_trump_right_gives_partners_their_asks_by_the_same_rule(
    right: str, led: bool, not_led: bool, later: bool
) -> None:
    table = game("helsinki", trump_right=right)
    hands = ("AH KD", "6H 6C", "7H 7C", "8H 8C")
    deal = play(at_trick(table, *hands), "0:AH 1:6H 2:7H 3:8H")
    assert ("half:D" in options(deal)) == led
    deal = play(at_trick(table, *hands, lead="6H 7H 8H"), "0:AH")
    assert ("half:D" in options(deal)) == not_led
    deal = play(at_trick(table, *hands, lead="6H 7H 8H", declared="S"), "0:AH")
    assert ("half:D" in options(deal)) == later


# ---- asks ----------------------------------------------------------------------------------


def asked(lockout: str, question: str, partner: str = "AS KS TS 9S TD") -> Deal:
    """Seat 0 has asked in vain, led and won; it may declare hearts and ask on."""
    hands = ("AC KD KH QH 6S", "6C 8C 9C JD 9D", partner, "7C TC JC 8D 7D")
    deal = at_trick(game("helsinki", ask_lockout=lockout), *hands, window=True)
    return play(deal, f"0:{question} 0:AC 1:6C 2:TS 3:7C")


def won_by_partner(deal: Deal) -> Deal:
    """The same once the partner has won the next trick; it holds the king of spades."""
    return play(deal, "0:6S 1:8C 2:AS 3:TC")


def test_ask_lockout_none_forbids_nothing() -> None:
    for question in ("whole", "half:D"):
        deal = asked("none", question)
        assert options(deal) == ["declare:H", "half:D", "whole"]
        assert options(won_by_partner(deal)) == ["half:S", "whole"]


def test_ask_lockout_pagat_bars_declaring_and_the_partners_whole_after_a_whole() -> None:
    deal = asked("pagat", "whole")
    assert options(deal) == ["half:D", "whole"]
    assert options(won_by_partner(deal)) == ["half:S"]


def test_ask_lockout_pagat_forbids_nothing_after_a_half() -> None:
    deal = asked("pagat", "half:D")
    assert options(deal) == ["declare:H", "half:D", "whole"]
    assert options(won_by_partner(deal)) == ["half:S", "whole"]


def test_ask_lockout_illisoft_bars_declaring_after_a_whole() -> None:
    deal = asked("illisoft", "whole")
    assert options(deal) == ["half:D", "whole"]
    assert options(won_by_partner(deal)) == ["half:S", "whole"]


def test_ask_lockout_illisoft_leaves_both_partners_halves_only_after_a_half() -> None:
    deal = asked("illisoft", "half:D")
    assert options(deal) == ["half:D"]
    assert options(won_by_partner(deal)) == ["half:S"]


@pytest.mark.parametrize(
    ("lockout", "question", "offered"),
    [
        ("none", "0:whole 2:name:H", ["declare:S", "whole"]),
        ("none", "0:half:D", ["declare:S", "declare:H", "whole"]),
        ("pagat", "0:whole 2:name:H", ["declare:S"]),
        ("pagat", "0:half:D", ["declare:S", "declare:H", "whole"]),
        ("illisoft", "0:whole 2:name:H", ["declare:S", "whole"]),
        ("illisoft", "0:half:D", []),
    ],
)
def test_ask_lockout_and_the_declarations_of_an_askers_partner(
    lockout: str, question: str, offered: list[str]
) -> None:
    hands = ("AC KD 6S", "6C 8C 9C", "AS KS QS KH QH", "7C TC JC")
    deal = at_trick(game("helsinki", ask_lockout=lockout), *hands, window=True)
    play(deal, f"{question} 0:6S 1:6C 2:AS 3:7C")
    assert options(deal) == offered


def test_ask_whole_and_ask_half_can_be_switched_off() -> None:
    def offered(**changed: object) -> list[str]:
        return options(at_trick(game("helsinki", **changed), "KD 6S", window=True))

    assert offered() == ["half:D", "whole"]
    assert offered(ask_whole=False) == ["half:D"]
    assert offered(ask_half="none") == ["whole"]
    assert offered(ask_half="any") == ["half:S", "half:H", "half:D", "half:C", "whole"]
