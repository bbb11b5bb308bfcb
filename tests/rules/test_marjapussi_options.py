"""Marjapussi: what every option does."""

from itertools import product

import pytest
from msgspec.structs import fields

from referee.errors import ConfigError
from referee.games.marjapussi import ForTwo, Marjapussi
from referee.games.marjapussi_options import Rules
from referee.games.rulesets import game_named
from tests.rules.marriage_help import (
    actions,
    at_trick,
    cards,
    dealt,
    finished,
    for_two,
    legal,
    marja,
    options,
    play,
    trump,
    winner_at,
)
from tests.rules.whole_deals import again, with_items

TABLE = marja()


def test_every_option_has_a_test() -> None:
    tests = [name for name in globals() if name.startswith("test_option_")]
    bare = {
        option.name
        for option in fields(Rules)
        if not any(name.startswith(f"test_option_{option.name}_") for name in tests)
    }
    assert not bare


# ---- the table ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "sides", "hand"), [(4, (0, 1, 0, 1), 9), (3, (0, 1, 2), 12), (2, (0, 1), 6)]
)
def test_option_players_sets_seats_and_sides(
    players: int, sides: tuple[int, ...], hand: int
) -> None:
    ruleset = {4: "marjapussi", 3: "marjapussi-3p", 2: "marjapussi-2p"}[players]
    table = game_named("marjapussi", ruleset)
    assert (table.seats, table.sides) == (players, sides)
    assert isinstance(table, ForTwo if players == 2 else Marjapussi)
    deal = dealt(table)
    assert deal.view(0).counts == [hand] * players
    assert ("whole" in table.actions) == (players == 4)
    assert ("pass" in table.actions) == (players == 2)


@pytest.mark.parametrize(
    ("ruleset", "deck", "hand", "low"),
    [
        ("marjapussi", 36, 9, "6"), ("marjapussi-32", 32, 8, "7"), ("marjapussi-28", 28, 7, "8"),
        ("marjapussi-24", 24, 6, "9"),
    ],
)  # fmt: skip
def test_option_deck_leaves_out_the_low_cards(
    ruleset: str, deck: int, hand: int, low: str
) -> None:
    table = marja(ruleset)
    assert (table.pack.size, table.pack.names[0]) == (deck, low + "S")
    assert dealt(table).view(0).counts == [hand] * 4


def test_option_hand_is_six_with_a_stock() -> None:
    for deck in (24, 28, 32, 36):
        view = dealt(for_two(deck=deck)).view(0)
        assert view.counts == [6, 6]
        assert getattr(view, "stock", None) == deck - 12
    with pytest.raises(ConfigError, match="hand = 7: expected 6"):
        game_named("marjapussi", "marjapussi-2p", {"hand": 7})


def test_option_first_dealer_is_by_set_or_a_seat() -> None:
    assert [TABLE.first(number).dealer for number in range(6)] == [0, 1, 2, 3, 0, 1]
    assert [marja(first_dealer=2).first(number).dealer for number in range(4)] == [2] * 4
    three = marja("marjapussi-3p")
    assert [three.first(number).dealer for number in range(4)] == [0, 1, 2, 0]


# ---- tricks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first_lead", "hand", "expected"),
    [
        ("ace", "AH 9S 9D", "AH"), ("ace", "KH 9S 9D", "KH 9S 9D"),
        ("ace_then_spade", "AH 9S 9D", "AH"), ("ace_then_spade", "KH 9S 9D", "9S"),
        ("ace_then_spade", "KH 9D", "KH 9D"), ("any", "AH 9S 9D", "AH 9S 9D"),
    ],
)  # fmt: skip
def test_option_first_lead_says_what_is_led(first_lead: str, hand: str, expected: str) -> None:
    table = marja(first_lead=first_lead)
    assert cards(at_trick(table, hand, first=True)) == set(expected.split())
    assert cards(at_trick(table, hand)) == set(hand.split()), "later leads are free"


def test_option_must_head_makes_seats_beat_the_led_suit() -> None:
    for must_head, expected in ((True, {"KH", "AH"}), (False, {"KH", "AH", "9H"})):
        table = marja(must_head=must_head)
        assert cards(at_trick(table, "KH AH 9H AS", "QH")) == expected
    table = marja(must_head=False)
    assert cards(at_trick(table, "KS 9S", "9D JS", trump="S")) == {"KS"}


def test_option_head_lapses_when_ruffed_frees_a_trumped_trick() -> None:
    for lapses, expected in ((True, {"AD", "6D"}), (False, {"AD"})):
        table = marja(head_lapses_when_ruffed=lapses)
        assert cards(at_trick(table, "AD 6D KS", "9D QS", trump="S")) == expected
        assert cards(at_trick(table, "AD 6D KS", "9D QH", trump="S")) == {"AD"}


def test_option_must_trump_makes_void_seats_trump() -> None:
    for must_trump, expected in ((True, {"9S", "JS"}), (False, {"9S", "JS", "AH"})):
        table = marja(must_trump=must_trump)
        assert cards(at_trick(table, "9S JS AH", "9D", trump="S")) == expected


def test_option_must_overtrump_makes_seats_beat_trumps() -> None:
    for must_overtrump, expected in ((True, {"KS"}), (False, {"KS", "9S"})):
        table = marja(must_overtrump=must_overtrump)
        assert cards(at_trick(table, "KS 9S AH", "9D QS", trump="S")) == expected
        assert cards(at_trick(table, "KS 9S AH", "QS", trump="S")) == {"KS"}, "suit is headed"


def test_option_spare_partner_frees_who_follows_a_winning_partner() -> None:
    for spare, expected in ((False, {"AH"}), (True, {"AH", "9H"})):
        table = marja(spare_partner=spare)
        assert cards(at_trick(table, "AH 9H", "KH 6H")) == expected
        assert cards(at_trick(table, "AH 9H", "6H KH")) == {"AH"}
        over = {"AS", "9S"} if spare else {"AS"}
        assert cards(at_trick(table, "AS 9S", "6H JS 7H", trump="S")) == over
        assert cards(at_trick(table, "9S 8D", "KH 6H", trump="S")) == {"9S"}, "trump is due"


def test_option_first_trick_must_beat_frees_the_first_trick_alone() -> None:
    for must_beat, expected in ((True, {"AH"}), (False, {"AH", "9H"})):
        table = marja(first_trick_must_beat=must_beat)
        assert cards(at_trick(table, "AH 9H AS", "KH", first=True)) == expected
        assert cards(at_trick(table, "AH 9H AS", "KH")) == {"AH"}
    hands = ("KH 6S 7S 8S 6C 7C 8C 6D 7D", "AH 9H JS 9C JC 9D JD TC TD")
    free = dealt(marja(first_trick_must_beat=False), *hands)
    assert cards(play(free, "0:KH")) == {"AH", "9H"}
    dealt_out = ("KH QH 7S 8S 6C 7C 8C 6D 7D", "AH 9H 8H 9C JC 9D JD TC TD", "7H", "6H JH TH")
    later = dealt(marja(first_trick_must_beat=False), *dealt_out)
    assert cards(play(later, "0:KH 1:9H 2:7H 3:6H 0:QH")) == {"AH"}


# ---- marriages ---------------------------------------------------------------------------------

LEFT = ("KS QS KD 9H TC 6C", "6S 7S 8S 6H 7H 8H", "9S JS TS JH TH 6D", "7D 8D 9D JD TD 7C")


@pytest.mark.parametrize(("ask_whole", "expected"), [(True, ["whole"]), (False, [])])
def test_option_ask_whole_offers_the_ask(ask_whole: bool, expected: list[str]) -> None:
    table = marja(ask_whole=ask_whole)
    assert options(winner_at(table, *LEFT)) == ["declare:S", "half:D", *expected]
    neither = marja(ask_whole=ask_whole, ask_half="none")
    assert options(winner_at(neither, *LEFT)) == ["declare:S", *expected]
    assert ("yes" in neither.actions) == ask_whole


@pytest.mark.parametrize(
    ("ask_half", "expected"),
    [("none", []), ("own_half", ["half:D"]), ("any", ["half:H", "half:D", "half:C"])],
)
def test_option_ask_half_says_for_which_suits(ask_half: str, expected: list[str]) -> None:
    table = marja(ask_half=ask_half)
    assert options(winner_at(table, *LEFT)) == ["declare:S", *expected, "whole"]
    closed = winner_at(table, *LEFT, trump="H")
    assert options(closed) == ["declare:S", *(x for x in expected if x != "half:H"), "whole"]


def test_option_ask_only_without_own_bars_holders_of_a_marriage() -> None:
    table = marja(ask_only_without_own=True)
    assert options(winner_at(table, *LEFT)) == ["declare:S"]
    none_left = ("KS KD 9H TC 6C", *(hand[3:] for hand in LEFT[1:]))
    assert options(winner_at(table, *none_left)) == ["half:S", "half:D", "whole"]
    declared = winner_at(table, *LEFT, trump="S")
    assert options(declared) == ["half:D", "whole"], "what is declared bars nobody"


def test_option_declare_must_lead_marriage_after_each_way_to_declare() -> None:
    hands = ("KS QS KD 9H", "6S 7S 8S 6H", "QD KC QC JH", "7D 8D 9D JD")
    leads = {"0:declare:S": "QS KS", "0:half:D": "KD", "0:whole": "QS KS 9H KD"}
    for must, (action, expected) in product((True, False), leads.items()):
        deal = play(winner_at(marja(declare_must_lead_marriage=must), *hands), action)
        assert trump(deal) is not None, action
        assert cards(deal) == set((expected if must else "QS KS 9H KD").split()), action


def test_option_declare_must_lead_marriage_binds_one_trick_and_no_failed_ask() -> None:
    table = marja(declare_must_lead_marriage=True)
    hands = ("KS QS AS KD 9H", "6S 7S 8S 6H QD", "9S JS TS JH 6D", "7D 8D 9D JD TD")
    failed = play(winner_at(table, *hands), "0:half:D")
    assert cards(failed) == {"QS", "KS", "AS", "KD", "9H"}
    deal = play(winner_at(table, "KS QS AS", "6S 7S 8S", "9S JS 6D", "7D 8D 9D"), "0:declare:S")
    play(deal, "0:KS 1:6S 2:9S 3:7D 0:whole")
    assert actions(deal)[-1] == "2:no"
    assert cards(deal) == {"QS", "AS"}
    other = winner_at(table, "KS QS AS", "6S 7S 8S", "9S JS 6D", "7D 8D 9D")
    play(other, "0:declare:S 0:QS 1:6S 2:9S 3:7D 0:whole")
    assert cards(other) == {"KS", "AS"}


def test_option_declare_in_phase2_keeps_the_window_open() -> None:
    for late, expected in ((False, ["9C", "KS", "QS"]), (True, ["pass", "declare:S"])):
        deal = winner_at(for_two(declare_in_phase2=late), "KS QS 9C", "9S JS 9H")
        assert sorted(legal(deal)) == sorted(expected)
    deal = winner_at(for_two(declare_in_phase2=True), "KS QS 9C", "9S JS 9H")
    play(deal, "0:declare:S")
    assert (trump(deal), deal.points(), cards(deal)) == ("S", (2, 0), {"KS", "QS", "9C"})


def test_option_trump_in_phase1_lets_trumps_win_while_the_stock_lasts() -> None:
    for wins, winner in ((True, 1), (False, 0)):
        table = for_two(trump_in_phase1=wins)
        deal = at_trick(table, "6S KH", "9D", trump="S")
        play(deal, "1:6S")
        assert deal.winner == winner
        gone = at_trick(table, "6S KH", "9D", trump="S", stock_gone=True)
        assert cards(gone) == {"6S"}
        gone.hands[0] = table.pack.mask(["7D"])
        play(gone, "1:6S")
        assert gone.winner == 1


# ---- items -------------------------------------------------------------------------------------


ITEMS = "trump0 little1 last0 mates-"


def test_option_trump_points_count_for_the_first_marriage() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(TABLE, found, unit="deal").points() == (3, 1)
    assert again(marja(trump_points=8), found, unit="deal").points() == (9, 1)


def test_option_little_points_count_for_later_marriages() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(TABLE, found, unit="deal").points() == (3, 1)
    assert again(marja(little_points=7), found, unit="deal").points() == (3, 7)


def test_option_last_trick_points_count_for_the_last_trick() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(TABLE, found, unit="deal").points() == (3, 1)
    assert again(marja(last_trick_points=7), found, unit="deal").points() == (9, 1)


def test_option_mates_points_count_for_most_mates() -> None:
    found = with_items(TABLE, "last0 mates1")
    assert again(marja(mates_points=7), found, unit="deal").points() == (1, 7)
    assert again(marja(mates_points=0), found, unit="deal").points() == (1, 0)


FOUR_EACH = ("AS AH AD TC 9S", "AC TS TH TD KS KH KD")
"""Equal mates; eyes 12 and 13, or with a ten worth ten 22 and 43."""


def test_option_mates_tie_lets_eyes_decide() -> None:
    assert finished(TABLE, *FOUR_EACH).points() == (1, 0)
    assert finished(marja(mates_tie="eyes"), *FOUR_EACH).points() == (1, 1)
    equal = (FOUR_EACH[0] + " JS", FOUR_EACH[1])
    assert finished(marja(mates_tie="eyes"), *equal).points() == (1, 0)


def test_option_ten_eyes_count_in_a_tie() -> None:
    ahead = (FOUR_EACH[0] + " KC", FOUR_EACH[1])
    assert finished(marja(mates_tie="eyes"), *ahead).points() == (2, 0)
    assert finished(marja(mates_tie="eyes", ten_eyes=10), *ahead).points() == (1, 1)


def test_option_mates_by_counts_all_cards() -> None:
    most_mates = ("TS TH TD TC AS", "AH AD AC KS KH KD KC QS QH QD QC")
    assert finished(TABLE, *most_mates).points() == (2, 0)
    assert finished(marja(mates_by="card_points"), *most_mates).points() == (1, 1)


def test_option_card_points_are_classic_or_simple() -> None:
    taken = ("AS AH AD TS QS JS", "TH TD TC KS KH JH JD JC QH")
    values = {"classic": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}}
    values["simple"] = {"A": 10, "T": 10, "K": 5, "Q": 5, "J": 5}
    for counted, points in (("classic", (2, 0)), ("simple", (1, 1))):
        sums = [sum(values[counted][card[0]] for card in side.split()) for side in taken]
        assert (sums[0] > sums[1]) == (points == (2, 0))
        table = marja(mates_by="card_points", card_points=counted)
        assert finished(table, *taken).points() == points


# ---- games -------------------------------------------------------------------------------------


def test_option_target_ends_the_game() -> None:
    found = with_items(TABLE, "last0 mates1")
    for target, winners in ((10, (0,)), (12, ())):
        after = again(marja(target=target), found, (9, 0)).after()
        assert (after.score, after.winners) == ((10, 1), winners)


@pytest.mark.parametrize(
    ("mode", "score", "winners"), [("exact", (11, 1), ()), ("at_least", (14, 1), (0,))]
)
def test_option_target_mode_is_exact_or_at_least(
    mode: str, score: tuple[int, int], winners: tuple[int, ...]
) -> None:
    found = with_items(TABLE, "trump0 last0 mates1")
    after = again(marja(target_mode=mode), found, (11, 0)).after()
    assert (after.score, after.winners) == (score, winners)


@pytest.mark.parametrize(
    ("overshoot", "score"), [("no_score", 11), ("skip_item", 12), ("bounce", 10), ("reset", 0)]
)
def test_option_overshoot_says_what_passing_does(overshoot: str, score: int) -> None:
    found = with_items(TABLE, "trump0 last0 mates1")
    after = again(marja(overshoot=overshoot), found, (11, 0)).after()
    assert after.score == (score, 1)
    assert after.winners == ((0,) if score == 12 else ())


def test_option_timing_immediate_ends_a_game_in_mid_deal() -> None:
    found = with_items(TABLE, "trump0 last1 mates1")
    at_end = again(TABLE, found, (10, 10)).after()
    assert (at_end.score, at_end.winners) == ((12, 12), (0,))
    deal = again(marja(timing="immediate"), found, (10, 10))
    assert (deal.points(), any(deal.hands)) == ((2, 0), True)
    assert (deal.after().score, deal.after().winners) == ((12, 10), (0,))


def test_option_timing_immediate_passes_over_single_items() -> None:
    found = with_items(TABLE, "trump0 last0 mates1")
    for overshoot in ("no_score", "skip_item"):
        after = again(marja(timing="immediate", overshoot=overshoot), found, (11, 0)).after()
        assert (after.score, after.winners) == ((12, 0), (0,)), overshoot


def test_option_tie_is_won_by_the_first_there_or_drawn() -> None:
    found = with_items(TABLE, "trump0 last1 mates1")
    for tie, winners in (("first_there", (0,)), ("draw", (0, 1))):
        after = again(marja(tie=tie), found, (10, 10)).after()
        assert (after.score, after.winners) == ((12, 12), winners)


def test_option_max_deals_ends_a_game_by_the_higher_score() -> None:
    found = with_items(TABLE, "last0 mates1")
    table = marja(max_deals=7)
    assert again(table, found, (5, 3), deals=5).after().winners == ()
    assert again(table, found, (5, 3), deals=6).after().winners == (0,)
    assert again(table, found, (3, 5), deals=6).after().winners == (1,)
    assert again(table, found, (4, 4), deals=6).after().winners == (0, 1)
