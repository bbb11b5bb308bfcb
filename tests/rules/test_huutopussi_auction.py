"""Huutopussi before the first trick: auction, redeal and exchange (rows B1-B8, R1-R3, X1-X2)."""

import pytest

from referee.cards import Pack
from referee.games.huutopussi import BID, REDEAL
from referee.games.tricktaking import OVER, PLAY
from tests.helpers import auction, dealt, game, legal, play, tally, to_first_lead

THREE_SIXES = "6H 6D 6C 7S 8S 9S JH QD AC"
NOTHING_ABOVE_A_JACK = "6H 6D 7H 7D 8C 8S 9H JC JS"


def bids(lowest: int, highest: int) -> list[str]:
    return [f"bid:{n}" for n in range(lowest, highest + 1, 5)]


def contracts(lowest: int, highest: int) -> list[str]:
    return [f"contract:{n}" for n in range(lowest, highest + 1, 5)]


# ---- auction -------------------------------------------------------------------------------


def test_B1_the_forehand_opens_with_any_multiple_of_five_from_the_minimum() -> None:
    deal = dealt(game("wikibooks-3"))
    assert deal.to_act == 0
    assert legal(deal) == bids(50, 400)
    for action in ("pass", "bid:45", "bid:57", "bid:405"):
        assert action not in legal(deal)


def test_B2_later_bids_are_higher_and_the_last_bidder_declares() -> None:
    deal = play(dealt(game("wikibooks-3")), "0:bid:50 1:bid:55 2:pass")
    assert deal.to_act == 0
    assert legal(deal) == ["pass", *bids(60, 400)]
    play(deal, "0:bid:60 1:pass")
    view = deal.view(0)
    assert (view.declarer, view.bid, view.phase) == (0, 60, "discard")


def test_B3_the_highest_bid_ends_the_auction_and_is_the_only_contract() -> None:
    deal = play(dealt(game("helsinki")), "0:bid:50 1:bid:440")
    assert (deal.declarer, deal.view(0).phase, deal.to_act) == (1, "give", 3)
    for _ in range(3):
        play(deal, [f"3:{legal(deal)[0]}"])
    assert deal.to_act == 1
    assert legal(deal) == ["contract:440"]


def test_B4_a_barred_forehand_opens_at_the_minimum_and_its_partner_only_passes() -> None:
    deal = dealt(game("helsinki"), score=(-505, 0))
    assert legal(deal) == ["bid:50"]
    play(deal, "0:bid:50")
    assert legal(deal) == ["pass", *bids(55, 440)]
    play(deal, "1:pass")
    assert legal(deal) == ["pass"]


def test_B4_a_barred_forehand_who_has_opened_only_passes_later() -> None:
    deal = play(dealt(game("helsinki"), score=(-505, 0)), "0:bid:50 1:bid:55 2:pass 3:pass")
    assert legal(deal) == ["pass"]


def test_B5_a_side_at_the_bar_is_not_barred() -> None:
    assert legal(dealt(game("helsinki"), score=(-500, 0))) == bids(50, 440)


def test_B6_with_both_sides_barred_the_forehand_declares_and_may_raise() -> None:
    deal = play(dealt(game("helsinki"), score=(-510, -600)), "0:bid:50 1:pass 2:pass 3:pass")
    assert deal.declarer == 0
    while deal.view(0).phase == "give":
        play(deal, [f"2:{legal(deal)[0]}"])
    assert legal(deal) == contracts(50, 440)


@pytest.mark.parametrize("ruleset", ["german", "erlangen"])
def test_B7_four_passes_make_a_deal_without_a_contract(ruleset: str) -> None:
    deal = dealt(game(ruleset), forehand=2)
    hands = list(deal.hands)
    play(deal, "2:pass 3:pass 0:pass 1:pass")
    assert (deal.declarer, deal.contract, deal.phase) == (None, None, PLAY)
    assert deal.to_act == 2
    assert deal.hands == hands


@pytest.mark.parametrize("ruleset", ["german", "erlangen"])
def test_B8_after_three_passes_the_fourth_may_pass_or_declare_at_once(ruleset: str) -> None:
    deal = play(dealt(game(ruleset)), "0:pass 1:pass 2:pass")
    assert legal(deal) == ["pass", *bids(120, 420)]
    play(deal, "3:bid:120")
    view = deal.view(3)
    assert (view.declarer, view.bid, view.phase, deal.to_act) == (3, 120, "give", 1)


def test_the_german_forehand_may_pass() -> None:
    assert legal(dealt(game("german"))) == ["pass", *bids(120, 420)]


def test_a_barred_german_side_only_passes() -> None:
    deal = dealt(game("german"), score=(-505, 0))
    assert legal(deal) == ["pass"]
    play(deal, "0:pass 1:pass")
    assert legal(deal) == ["pass"]


@pytest.mark.parametrize("ruleset", ["wikibooks-2", "wikibooks-3", "wikibooks-4", "wikibooks-team"])
def test_no_score_bars_anybody_in_wikibooks(ruleset: str) -> None:
    table = game(ruleset)
    deal = dealt(table, score=(-900,) * table.side_count)
    assert legal(deal) == bids(table.rules.min_bid, 400)


def test_who_has_passed_is_not_asked_again() -> None:
    deal = play(dealt(game("helsinki")), "0:bid:50 1:pass 2:bid:55 3:pass 0:bid:60")
    assert deal.to_act == 2


# ---- redeal --------------------------------------------------------------------------------


def test_R1_three_sixes_may_demand_new_cards_from_the_same_dealer() -> None:
    table = game("helsinki")
    deal = dealt(table, THREE_SIXES, score=(120, -40))
    assert (deal.to_act, deal.phase) == (0, REDEAL)
    assert legal(deal) == ["keep", "redeal"]
    play(deal, "0:redeal")
    assert (deal.to_act, deal.redealer, deal.phase) == (None, 0, OVER)
    again = table.deal(range(36), deal.tally, redeals=(0,))
    view = again.view(1)
    assert (view.dealer, view.score, view.redeals, view.history) == (3, [120, -40], [0], [])


def test_R1_a_kept_hand_is_played_and_only_its_seat_knows() -> None:
    deal = play(dealt(game("helsinki"), THREE_SIXES), "0:keep")
    assert (deal.to_act, deal.phase) == (0, BID)
    assert deal.view(0).history == [(0, "keep")]
    assert deal.view(1).history == []


def test_R1_every_seat_with_three_sixes_is_asked_from_the_forehand_on() -> None:
    # Only one seat of four can hold three sixes, so the last in turn may be the one asked.
    deal = dealt(game("helsinki"), "AH KH QH JH TH 9H 8H 7H AS", THREE_SIXES, forehand=2)
    assert (deal.to_act, deal.phase) == (1, REDEAL)
    play(deal, "1:keep")
    assert (deal.to_act, deal.phase) == (2, BID)


def test_R2_a_hand_without_a_card_above_the_jack() -> None:
    assert dealt(game("helsinki"), NOTHING_ABOVE_A_JACK).phase == BID
    deal = dealt(game("helsinki-pagat"), NOTHING_ABOVE_A_JACK)
    assert deal.phase == BID
    assert legal(deal) == [*bids(50, 440), "redeal"]
    play(deal, "0:redeal")
    assert (deal.to_act, deal.redealer) == (None, 0)


def test_R2_only_the_first_turn_to_bid_offers_the_redeal() -> None:
    deal = dealt(game("helsinki-pagat"), "AH KH QH JH TH 9D 8H 7S AS", NOTHING_ABOVE_A_JACK)
    assert "redeal" not in legal(deal)
    play(deal, "0:bid:50")
    assert legal(deal) == ["pass", *bids(55, 440), "redeal"]
    play(deal, "1:bid:55 2:pass 3:pass 0:bid:60")
    assert legal(deal) == ["pass", *bids(65, 440)]


def test_R2_a_barred_seat_may_still_demand_the_redeal() -> None:
    deal = dealt(game("helsinki-pagat"), NOTHING_ABOVE_A_JACK, score=(-505, 0))
    assert legal(deal) == ["bid:50", "redeal"]
    deal = dealt(game("helsinki-pagat"), "", NOTHING_ABOVE_A_JACK, score=(0, -505))
    play(deal, "0:bid:50")
    assert legal(deal) == ["pass", "redeal"]


def test_R2_above_the_jack_is_told_by_the_rank_order() -> None:
    hand = "6H 6D 7H 7D 8C 8S 9H JC TS"
    assert "redeal" not in legal(dealt(game("helsinki-pagat"), hand))
    assert "redeal" in legal(dealt(game("helsinki-pagat", rank_order="plain"), hand))


@pytest.mark.parametrize("ruleset", ["helsinki", "helsinki-ru", "helsinki-classic", "german"])
def test_R3_four_sixes_count_as_three(ruleset: str) -> None:
    deal = dealt(game(ruleset), "6H 6D 6C 6S 8S 9S JH QD AC")
    assert legal(deal) == ["keep", "redeal"]


@pytest.mark.parametrize(
    "ruleset", ["wikibooks-2", "wikibooks-3", "wikibooks-4", "wikibooks-team", "erlangen"]
)
def test_R3_some_rulesets_have_no_redeal(ruleset: str) -> None:
    deal = dealt(game(ruleset), "6H 6D 6C 6S")
    assert deal.phase == BID
    assert "redeal" not in legal(deal)


# ---- exchange ------------------------------------------------------------------------------


def test_X1_the_declarer_may_return_cards_that_he_just_received() -> None:
    hands = (
        "8H AD 9D 7D TC JC 9C 8C TS",
        "TH JH 6H QD AC 6C AS QS JS",
        "AH 7H TD KD 8D 6D QC 7C 8S",
        "KH QH 9H JD KC KS 9S 7S 6S",
    )
    deal = play(dealt(game("helsinki"), *hands), "0:bid:50 1:pass 2:pass 3:pass")
    play(deal, "2:give:7C 2:give:8D 2:give:QC 0:contract:60")
    assert " ".join(legal(deal)).replace("give:", "") == "TS 8H 7D 8D 9D AD 7C 8C 9C TC JC QC"
    play(deal, "0:give:7C 0:give:8C 0:give:8D")
    assert " ".join(deal.view(0).hand) == "TS 8H 7D 9D AD 9C TC JC QC"
    assert " ".join(deal.view(2).hand) == "8S 7H AH 6D 8D TD KD 7C 8C"
    for seat, given, received in ((0, "8D 7C 8C", "8D 7C QC"), (2, "8D 7C QC", "8D 7C 8C")):
        assert deal.view(seat).given == given.split()
        assert deal.view(seat).received == received.split()
    assert (deal.view(1).given, deal.view(3).received) == ([], [])


@pytest.mark.parametrize(("ruleset", "count"), [("helsinki", 3), ("german", 4), ("erlangen", 4)])
def test_the_partner_gives_first_and_as_many_come_back(ruleset: str, count: int) -> None:
    table = game(ruleset)
    deal = auction(dealt(table), table.rules.min_bid)
    early = table.rules.raise_timing == "before_return"
    phases = []
    while deal.phase != PLAY:
        phases.append((deal.to_act, deal.view(0).phase))
        play(deal, [f"{deal.to_act}:{legal(deal)[0]}"])
    give, back = [(2, "give")] * count, [(0, "return")] * count
    named = [(0, "contract")]
    assert phases == ([*give, *named, *back] if early else [*give, *back, *named])
    assert deal.to_act == 0


def test_X2_any_cards_may_be_discarded_and_leave_the_deal() -> None:
    deal = auction(dealt(game("wikibooks-3"), "AH TH 6C"), 50)
    play(deal, "0:discard:AH 0:discard:TH 0:discard:6C 0:contract:50")
    while deal.to_act is not None:
        play(deal, [f"{deal.to_act}:{legal(deal)[0]}"])
    assert sum(deal.raw()) == 120 - 21


def test_the_talon_is_shown_to_all_and_may_be_discarded() -> None:
    deal = dealt(game("wikibooks-3"), talon="9S 6S 8H")
    assert [deal.view(seat).talon for seat in range(3)] == [[], [], []]
    auction(deal, 50)
    assert [deal.view(seat).talon for seat in range(3)] == [["9S", "6S", "8H"]] * 3
    assert len(legal(deal)) == 14
    play(deal, "0:discard:8H")
    assert len(legal(deal)) == 13
    play(deal, "0:discard:6S 0:discard:9S")
    assert legal(deal) == contracts(50, 400)
    assert [deal.view(seat).discarded for seat in range(3)] == [["6S", "9S", "8H"], [], []]
    assert deal.view(1).history[-1] == (0, "discard:?")


@pytest.mark.parametrize(
    ("ruleset", "hand", "talon"),
    [("wikibooks-2", 17, 2), ("wikibooks-3", 11, 3), ("wikibooks-4", 8, 4), ("helsinki", 9, 0)],
)
def test_cards_are_dealt_one_at_a_time_from_the_dealers_left(
    ruleset: str, hand: int, talon: int
) -> None:
    table = game(ruleset)
    names = Pack("6789TJQKA").names
    deal = table.deal(range(36), tally(table, forehand=1))
    assert [len(deal.view(seat).hand) for seat in range(table.seats)] == [hand] * table.seats
    assert deal.view(1).hand == list(names[0 : hand * table.seats : table.seats])
    assert deal.view(0).hand == list(names[table.seats - 1 : hand * table.seats : table.seats])
    assert deal.talon == tuple(range(36 - talon, 36))


def test_the_declarer_leads_with_no_trump() -> None:
    deal = play(dealt(game("helsinki")), "0:bid:50 1:bid:55 2:pass 3:pass 0:pass")
    to_first_lead(deal)
    view = deal.view(0)
    assert (view.leader, view.trump, deal.to_act) == (1, None, 1)
