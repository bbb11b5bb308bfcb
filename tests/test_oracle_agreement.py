"""The engine against a slow second implementation of Huutopussi, written from the rules alone."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from msgspec import to_builtins

from referee.errors import ConfigError
from referee.games.game import Tally
from referee.games.huutopussi import CONTRACT, PACK, Huutopussi
from referee.games.huutopussi_options import PRESETS, Rules, check
from tests.oracle import huutopussi as oracle

ALL = range(36)
DECISIONS = 20_000
"""Compared for each ruleset, at least."""
MIXTURES = 120
"""Random combinations of options."""

INERT: dict[str, Callable[[Rules], bool]] = {
    "exchange_count": lambda rules: rules.exchange != "partner",
    "talon_public": lambda rules: rules.exchange != "talon",
    "discard_rule": lambda rules: rules.exchange != "talon",
    "discards_count": lambda rules: rules.exchange != "talon",
    "redeal_window": lambda rules: rules.redeal == "none",
    "head_lapses_when_ruffed": lambda rules: not rules.must_head,
    "ask_lockout": lambda rules: not rules.teams,
    "bar_at": lambda rules: rules.bid_bar == "none",
    "bar_may_open": lambda rules: rules.bid_bar == "none" or not rules.opening_forced,
    "bar_may_raise": lambda rules: rules.bid_bar == "none" or not rules.opening_forced,
}
"""Where the table of rulesets leaves an option open, since nothing can depend on it."""


@pytest.mark.parametrize("ruleset", PRESETS)
def test_both_have_the_same_rulesets(ruleset: str) -> None:
    rules = PRESETS[ruleset]
    ours: dict[str, Any] = to_builtins(rules)
    theirs = dict(oracle.PRESETS[ruleset])
    assert set(theirs) == set(ours)
    differ = {option for option in ours if ours[option] != theirs[option]}
    assert {option for option in differ if option not in INERT or not INERT[option](rules)} == set()


def test_both_have_rulesets_of_the_same_names() -> None:
    assert set(oracle.PRESETS) == set(PRESETS)


def choose(game: Huutopussi, random: Random, legal: list[int], hasty: float) -> int:
    """Mostly random, but low bids and contracts, passes by `hasty`, marriages where possible."""
    last = legal[-1]
    if last >= game.declare and random.random() < 0.7:
        return random.choice([action for action in legal if action >= game.declare])
    if last >= CONTRACT and random.random() < 0.8:
        return legal[0] if last < game.bid or random.random() < hasty else random.choice(legal[:4])
    return random.choice(legal)


def lopsided(game: Huutopussi, random: Random, dealer: int) -> list[int]:
    """Cards that give one side nearly all that is high, so that a side may stay without a trick."""
    strong = random.randrange(game.side_count)
    order = sorted(ALL, key=lambda card: "AKQTJ9876".index(PACK.names[card][0]) + random.random())
    for _ in range(random.choice((0, 0, 1, 4))):
        one, two = random.sample(ALL, 2)
        order[one], order[two] = order[two], order[one]
    places = [seat for seat in range(game.seats) if game.sides[seat] == strong] * game.hand_size
    weak = [seat for seat in range(game.seats) if game.sides[seat] != strong] * game.hand_size
    hands = [0] * game.seats
    for seat, card in zip(places + weak, order, strict=False):
        hands[seat] |= 1 << card
    return game.dealing_order(hands, order[game.hand_size * game.seats :], dealer)


def compare(game: Huutopussi, options: dict[str, object], random: Random) -> int:
    """Play one deal with both; how many decisions were compared."""
    dealer = random.randrange(game.seats)
    cards = lopsided(game, random, dealer) if random.random() < 0.3 else random.sample(ALL, 36)
    score = tuple(random.choice((0, -505, -500, -250, 5, 480)) for _ in range(game.side_count))
    stage = Tally(score=score, dealer=dealer)
    hasty = random.choice((0.0, 0.5, 1.0))
    deal = game.deal(cards, stage)
    hands = [PACK.texts(hand) for hand in deal.hands]
    talon = [PACK.names[card] for card in deal.talon]
    position = (options, hands, talon, stage.dealer, list(score))
    history: list[tuple[int, str]] = []
    while True:
        seat, expected = oracle.legal(*position, history)
        legal = list(deal.legal())
        found = {game.actions[action] for action in legal}
        assert deal.to_act == seat, (position, history)
        assert found == expected, (position, history)
        if seat is None:
            break
        action = choose(game, random, legal, hasty)
        history.append((seat, game.actions[action]))
        deal.apply(action)
    if deal.redealer is None:
        expected_raw = oracle.raw_points(*position, history)
        assert list(deal.raw()) == expected_raw, (position, history)
        expected_points = oracle.points(*position, history)
        assert list(deal.points()) == expected_points, (position, history)
    return len(history)


@pytest.mark.parametrize("ruleset", PRESETS)
def test_engine_and_oracle_agree_on_every_decision_and_result(ruleset: str) -> None:
    game = Huutopussi(PRESETS[ruleset], ruleset)
    compared = seed = 0
    while compared < DECISIONS:
        compared += compare(game, oracle.PRESETS[ruleset], Random(f"{ruleset} {seed}"))
        seed += 1


CHOICES: dict[str, tuple[object, ...]] = {
    "rank_order": ("ace_ten", "plain"),
    "card_points": ("classic", "simple"),
    "last_trick_points": (0, 7, 10, 20),
    "marriage_points": ("hearts_high", "spades_high", "none"),
    "min_bid": (20, 40, 50, 120),
    "max_bid": ("auto", "auto", 120, 200),
    "bid_step": (5, 10, 20),
    "opening_forced": (True, False),
    "all_pass": ("none", "contractless"),
    "redeal": ("none", "three_sixes", "three_sixes_or_nothing_above_jack"),
    "redeal_window": ("before_bidding", "first_bid_turn"),
    "exchange_count": (3, 4),
    "talon_public": (True, False),
    "discard_rule": ("any", "no_aces_tens"),
    "discards_count": ("none", "declarer", "declarer_if_trick"),
    "raise_timing": ("before_return", "after_exchange"),
    "first_lead": ("any", "ace", "ace_then_spade"),
    "ace_shows": (True, False),
    "must_head": (True, True, False),
    "head_lapses_when_ruffed": (True, False),
    "must_trump": (True, True, False),
    "must_overtrump": (True, False),
    "trump_right": ("won", "won_and_led", "first_won_and_led"),
    "zero_card_points_fails": (True, False),
    "ask_whole": (True, False),
    "ask_half": ("none", "own_half", "any"),
    "ask_lockout": ("none", "pagat", "illisoft"),
    "rounding": ("none", "nearest5", "nearest5_before_test"),
    "no_trick_penalty": ("none", "contract", "bid", 35, 52),
    "declarer_no_trick_multiplier": (1, 2),
    "takes_all_penalty": ("none", "contract", "double_contract"),
    "takes_all_requires_made": (True, False),
    "bid_bar": ("none", "below", "at_or_below"),
    "bar_at": (-500, -250, 0),
    "bar_may_open": (True, False),
    "bar_may_raise": (True, False),
}
SEATING: tuple[dict[str, object], ...] = (
    {"players": 4, "teams": True, "exchange": "partner"},
    {"players": 4, "teams": False, "exchange": "talon"},
    {"players": 3, "teams": False, "exchange": "talon"},
    {"players": 2, "teams": False, "exchange": "talon"},
)


def mixtures() -> Iterator[dict[str, object]]:
    """Random options that go together, each drawn on its own."""
    random = Random("mixtures")
    found = 0
    while found < MIXTURES:
        options: dict[str, object] = to_builtins(Rules())
        options |= {option: random.choice(values) for option, values in CHOICES.items()}
        options |= SEATING[random.choice((0, 0, 0, 1, 2, 3))]
        if not options["teams"]:
            # Single players ask nobody. The oracle knows a raise before the return of cards to a
            # partner only; the engine has one before the discards too.
            options |= {"ask_whole": False, "ask_half": "none", "raise_timing": "after_exchange"}
        try:
            check(Rules(**options))  # type: ignore[arg-type]
        except ConfigError:
            continue
        found += 1
        yield options


def test_engine_and_oracle_agree_under_any_options() -> None:
    compared = 0
    for number, options in enumerate(mixtures()):
        game = Huutopussi(Rules(**options))  # type: ignore[arg-type]
        for seed in range(2):
            compared += compare(game, options, Random(f"mixture {number} {seed}"))
    assert compared > 6_000


@pytest.mark.parametrize("option", CHOICES)
def test_the_mixtures_have_every_value_of_every_option(option: str) -> None:
    assert {options[option] for options in mixtures()} == set(CHOICES[option])
