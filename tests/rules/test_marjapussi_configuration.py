"""Marjapussi: the checks on a configuration, and what its rulesets are."""

from typing import Any

import pytest

from referee.errors import ConfigError
from referee.games.marjapussi_options import PRESETS
from referee.games.rulesets import game_named
from tests.rules.marriage_help import actions, at_trick, cards, marja, options, play, winner_at


@pytest.mark.parametrize(
    ("ruleset", "changed", "message"),
    [
        (
            "marjapussi-3p", {"deck": 32},
            "deck = 32: does not divide by 3 players; expected 24 or 36",
        ),
        (
            "marjapussi-3p", {"deck": 28},
            "deck = 28: does not divide by 3 players; expected 24 or 36",
        ),
        *(
            (f"marjapussi-{players}p", {option: value},
             f"{option} = {value!r}: needs partners (players = 4, not {players})")
            for players in (2, 3)
            for option, value in (
                ("ask_whole", True), ("spare_partner", True), ("ask_only_without_own", True),
                ("ask_half", "own_half"), ("ask_half", "any"),
            )
        ),
        (
            "marjapussi-korttipeli", {"ask_whole": False, "ask_half": "none"},
            "ask_only_without_own = True: nothing may be asked, so nothing is left to bar",
        ),
        (
            "marjapussi-2p", {"first_lead": "ace"},
            "first_lead = 'ace': with a stock any card may be led; expected any",
        ),
        (
            "marjapussi-2p", {"declare_must_lead_marriage": True},
            "declare_must_lead_marriage = True: with a stock any card may be led",
        ),
        (
            "marjapussi-2p", {"first_trick_must_beat": False},
            "first_trick_must_beat = False: with a stock the first trick has no duties",
        ),
        *(
            (ruleset, {option: value},
             f"{option} = {value!r}: needs a stock (players = 2, not {players})")
            for ruleset, players in (("marjapussi", 4), ("marjapussi-3p", 3))
            for option, value in (("declare_in_phase2", True), ("trump_in_phase1", False))
        ),
        (
            "marjapussi-3p", {"first_dealer": 3},
            "first_dealer = 3: expected by_set or a seat below 3",
        ),
        (
            "marjapussi-2p", {"first_dealer": 2},
            "first_dealer = 2: expected by_set or a seat below 2",
        ),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(
    ruleset: str, changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        game_named("marjapussi", ruleset, changed)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("target", 4), ("target", 51), ("max_deals", 0), ("players", 5), ("deck", 40),
        ("trump_points", 11), ("little_points", -1), ("ten_eyes", 5), ("overshoot", "lose"),
        ("first_lead", "spade"), ("ask_half", "own"), ("must_head", "no"), ("first_dealer", 4),
    ],
)  # fmt: skip
def test_a_value_out_of_range_is_refused_by_name_value_and_what_is_expected(
    option: str, value: object
) -> None:
    with pytest.raises(ConfigError) as raised:
        game_named("marjapussi", "marjapussi", {option: value})
    assert str(raised.value).startswith(f"{option} = {value!r}: expected ")


def test_every_ruleset_can_be_played() -> None:
    for ruleset in PRESETS:
        table = game_named("marjapussi", ruleset)
        assert (table.ruleset, table.rules) == (ruleset, PRESETS[ruleset])


def test_korttipeli_asks_only_without_a_marriage_and_beats_nothing() -> None:
    table = marja("marjapussi-korttipeli")
    hands = ("KS QS KD 9H TC", "7S 8S 7H 8H", "9S JS JH TH", "7D 8D 9D JD")
    assert options(winner_at(table, *hands)) == ["declare:S"]
    assert cards(at_trick(table, "KH AH 9H", "QH")) == {"KH", "AH", "9H"}
    deal = play(winner_at(table, "KD 9H", "7S 8S", "QD TH", "8D 9D"), "0:half:D")
    assert actions(deal)[-1] == "2:yes"
