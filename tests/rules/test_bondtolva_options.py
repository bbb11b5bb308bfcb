"""Bondtolva: what every option does, and the checks on a configuration."""

import pytest
from msgspec.structs import fields

from referee.errors import ConfigError
from referee.games.bondtolva_options import PRESETS, Rules
from referee.games.rulesets import game_named
from tests.rules.marriage_help import (
    at_trick,
    bond,
    cards,
    dealt,
    finished,
    legal,
    play,
    trump,
    winner_at,
)
from tests.rules.whole_deals import again, with_items

TABLE = bond()


def test_every_option_has_a_test() -> None:
    tests = [name for name in globals() if name.startswith("test_option_")]
    bare = {
        option.name
        for option in fields(Rules)
        if not any(name.startswith(f"test_option_{option.name}_") for name in tests)
    }
    assert not bare


# ---- the table ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("deck", "low"), [(24, "9"), (28, "8"), (32, "7"), (36, "6")])
def test_option_deck_makes_the_stock_longer(deck: int, low: str) -> None:
    table = bond(deck=deck)
    assert (table.pack.size, table.pack.names[0]) == (deck, low + "S")
    view = dealt(table).view(0)
    assert (view.counts, getattr(view, "stock", None)) == ([6, 6], deck - 12)


def test_option_hand_is_six() -> None:
    assert dealt(TABLE).view(0).counts == [6, 6]
    with pytest.raises(ConfigError, match="hand = 5: expected 6"):
        game_named("bondtolva", "bondtolva", {"hand": 5})


def test_cards_are_dealt_in_packets_of_three_the_other_player_first() -> None:
    names = TABLE.pack.names
    deal = TABLE.deal(list(range(24)), TABLE.first(0))
    assert deal.view(1).hand == [*names[0:3], *names[6:9]]
    assert deal.view(0).hand == [*names[3:6], *names[9:12]]
    assert deal.to_act == 1


def test_option_first_dealer_is_by_set_or_a_seat() -> None:
    assert [TABLE.first(number).dealer for number in range(4)] == [0, 1, 0, 1]
    assert [bond(first_dealer=1).first(number).dealer for number in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("option", "ahead", "behind"), [("alternate", 1, 1), ("winner", 0, 1), ("loser", 1, 0)]
)
def test_option_next_dealer_is_the_other_or_who_won_or_lost(
    option: str, ahead: int, behind: int
) -> None:
    table = bond(next_dealer=option)
    aces = "AS AH AD AC TS"
    for last, taken, dealer in ((0, (aces, ""), ahead), (1, ("", aces), behind)):
        deal = finished(table, *taken, last=last)
        assert deal.points() == ((2, 0), (0, 2))[last]
        assert deal.tally.dealer == 1
        expected = 0 if option == "alternate" else dealer
        assert deal.after().dealer == expected
    level = finished(table, aces, "", last=1)
    assert level.points() == (1, 1)
    assert level.after().dealer == 0


# ---- play --------------------------------------------------------------------------------------


def test_option_declare_in_phase2_keeps_the_window_open() -> None:
    assert legal(winner_at(TABLE, "KS QS 9C", "9S JS 9H")) == ["QS", "KS", "9C"]
    deal = winner_at(bond(declare_in_phase2=True), "KS QS 9C", "9S JS 9H")
    assert legal(deal) == ["pass", "declare:S"]
    play(deal, "0:declare:S")
    assert (trump(deal), deal.points()) == ("S", (2, 0))
    play(deal, "0:9C 1:9S")
    assert (deal.winner, legal(deal)) == (1, ["pass"])
    play(deal, "1:pass")
    assert legal(deal) == ["JS", "9H"]


def test_option_trump_in_phase1_lets_trumps_win_while_the_stock_lasts() -> None:
    for wins, winner in ((True, 1), (False, 0)):
        table = bond(trump_in_phase1=wins)
        deal = at_trick(table, "9S KH", "9D", trump="S")
        play(deal, "1:9S")
        assert deal.winner == winner
        assert cards(at_trick(table, "9S KH", "9D", trump="S", stock_gone=True)) == {"9S"}


def test_option_trump_in_phase1_off_still_scores_and_rules_the_second_phase() -> None:
    hands = ("AS KS QS 9H 9D 9C", "JS JH JD JC TH TD")
    deal = play(dealt(bond(trump_in_phase1=False), *hands), "0:AS 1:JS 0:declare:S")
    assert (trump(deal), deal.points()) == ("S", (2, 0))
    play(deal, "0:9H 1:JH")
    assert deal.winner == 1


# ---- items -------------------------------------------------------------------------------------

ITEMS = "trump0 little1 last0 mates1"


def test_option_trump_points_count_for_the_first_marriage() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(TABLE, found, unit="deal").points() == (3, 2)
    assert again(bond(trump_points=5), found, unit="deal").points() == (6, 2)


def test_option_little_points_count_for_later_marriages() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(bond(little_points=5), found, unit="deal").points() == (3, 6)


def test_option_last_trick_points_count_for_the_last_trick() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(bond(last_trick_points=5), found, unit="deal").points() == (7, 2)


def test_option_mates_points_count_for_most_mates() -> None:
    found = with_items(TABLE, ITEMS)
    assert again(bond(mates_points=5), found, unit="deal").points() == (3, 6)


FOUR_EACH = ("AS AH AD TC", "AC TS TH TD KS KH KD")
"""Equal matadors; eyes 12 and 13."""


def test_option_mates_tie_lets_eyes_decide_or_nobody() -> None:
    assert finished(TABLE, *FOUR_EACH).points() == (1, 1)
    assert finished(bond(mates_tie="none"), *FOUR_EACH).points() == (1, 0)


def test_option_ten_eyes_count_in_a_tie() -> None:
    ahead = (FOUR_EACH[0] + " KC", FOUR_EACH[1])
    assert finished(TABLE, *ahead).points() == (2, 0)
    assert finished(bond(ten_eyes=10), *ahead).points() == (1, 1)


# ---- games -------------------------------------------------------------------------------------


def test_option_target_ends_the_game() -> None:
    found = with_items(TABLE, "last0 mates1")
    for target, winners in ((10, (0,)), (12, ())):
        after = again(bond(target=target), found, (9, 0)).after()
        assert (after.score[0], after.winners) == (10, winners)


@pytest.mark.parametrize(
    ("mode", "score", "winners"), [("exact", (12, 0), (0,)), ("at_least", (13, 0), (0,))]
)
def test_option_target_mode_is_exact_or_at_least(
    mode: str, score: tuple[int, int], winners: tuple[int, ...]
) -> None:
    deal = again(bond(target_mode=mode), with_items(TABLE, "trump0 last0 mates1"), (11, 0))
    assert any(deal.hands) == (mode == "at_least")
    assert (deal.after().score, deal.after().winners) == (score, winners)


@pytest.mark.parametrize(
    ("overshoot", "at_once", "at_end"),
    [("skip_item", 12, 12), ("no_score", 12, 11), ("bounce", 12, 10), ("reset", 1, 0)],
)
def test_option_overshoot_says_what_passing_does(
    overshoot: str, at_once: int, at_end: int
) -> None:
    found = with_items(TABLE, "trump0 last0 mates1")
    for timing, score in (("immediate", at_once), ("deal_end", at_end)):
        after = again(bond(overshoot=overshoot, timing=timing), found, (11, 0)).after()
        assert after.score[0] == score, timing
        assert after.winners == ((0,) if score == 12 else ()), timing


def test_option_timing_deal_end_plays_the_deal_out() -> None:
    found = with_items(TABLE, "trump0 last1 mates1")
    at_once = again(TABLE, found, (10, 0))
    assert (at_once.points(), any(at_once.hands)) == ((2, 0), True)
    assert at_once.after().score == (12, 0)
    at_end = again(bond(timing="deal_end"), found, (10, 0))
    assert (at_end.points(), any(at_end.hands)) == ((2, 2), False)
    assert (at_end.after().score, at_end.after().winners) == ((12, 2), (0,))


def test_option_tie_is_won_by_the_first_there_or_drawn_at_the_end_of_a_deal() -> None:
    found = with_items(TABLE, "trump0 last1 mates1")
    for tie, winners in (("first_there", (0,)), ("draw", (0, 1))):
        after = again(bond(timing="deal_end", tie=tie), found, (10, 10)).after()
        assert (after.score, after.winners) == ((12, 12), winners)


def test_option_max_deals_ends_a_game_by_the_higher_score() -> None:
    found = with_items(TABLE, "last0 mates1")
    table = bond(max_deals=7)
    assert again(table, found, (5, 3), deals=5).after().winners == ()
    assert again(table, found, (5, 3), deals=6).after().winners == (0,)
    assert again(table, found, (3, 5), deals=6).after().winners == (1,)
    assert again(table, found, (4, 4), deals=6).after().winners == (0, 1)


# ---- checks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("first_dealer", 2, "first_dealer = 2: expected by_set or a seat below 2"),
        ("first_dealer", 3, "first_dealer = 3: expected by_set or a seat below 2"),
    ],
)
def test_a_dealer_whom_the_table_has_not_is_refused(
    option: str, value: int, message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        game_named("bondtolva", "bondtolva", {option: value})
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("target", 4), ("target", 51), ("max_deals", 10_001), ("deck", 26), ("hand", 7),
        ("trump_points", 11), ("ten_eyes", 4), ("next_dealer", "left"), ("timing", "later"),
        ("mates_tie", "both"), ("overshoot", "lose"), ("first_dealer", "random"),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_refused_by_name_value_and_what_is_expected(
    option: str, value: object
) -> None:
    with pytest.raises(ConfigError) as raised:
        game_named("bondtolva", "bondtolva", {option: value})
    assert str(raised.value).startswith(f"{option} = {value!r}: expected ")


def test_the_ruleset_has_the_defaults() -> None:
    assert game_named("bondtolva").rules == PRESETS["bondtolva"] == Rules()
