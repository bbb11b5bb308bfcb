"""Marjapussi, Bondtolva, Tuppi and Minnesota Whist against slow second implementations."""

from collections.abc import Iterator, Sequence
from random import Random
from types import ModuleType
from typing import Any

import pytest
from msgspec import to_builtins

from referee.errors import ConfigError
from referee.games.game import Deal, Game, Tally, Unit
from referee.games.rulesets import KINDS, game_named
from tests.oracle import bondtolva, marjapussi, minnesota, tuppi

DECISIONS = 20_000
"""Compared for each ruleset, at least."""
MIXTURES = 150
"""Random combinations of options for each game."""

ORACLES: dict[str, ModuleType] = {
    "marjapussi": marjapussi,
    "bondtolva": bondtolva,
    "tuppi": tuppi,
    "minnesota": minnesota,
}
RULESETS = [(name, ruleset) for name in ORACLES for ruleset in KINDS[name].presets]

every_ruleset = pytest.mark.parametrize(
    ("name", "ruleset"), RULESETS, ids=["/".join(each) for each in RULESETS]
)


@every_ruleset
def test_both_have_the_same_options(name: str, ruleset: str) -> None:
    ours: dict[str, Any] = to_builtins(KINDS[name].presets[ruleset])
    assert dict(ORACLES[name].PRESETS[ruleset]) == ours


@pytest.mark.parametrize("name", ORACLES)
def test_both_have_rulesets_of_the_same_names(name: str) -> None:
    assert set(ORACLES[name].PRESETS) == set(KINDS[name].presets)


def choose(game: Game, random: Random, legal: Sequence[int]) -> int:
    """Mostly random; marriages are declared and bids vary, so that all phases are reached."""
    words = [game.actions[action].partition(":")[0] for action in legal]
    rare = [
        action
        for action, word in zip(legal, words, strict=True)
        if word in ("declare", "half", "whole", "sooli")
    ]
    if rare and random.random() < 0.6:
        return random.choice(rare)
    return random.choice(legal)


def stock_of(game: Game, cards: Sequence[int]) -> list[str]:
    """What is left of the dealt cards for the stock."""
    return [game.pack.names[card] for card in cards[12:]] if game.seats == 2 else []


def score_of(game: Game, random: Random) -> tuple[int, ...]:
    """A score at which a game of this kind can stand between two deals."""
    rules: Any = game.rules
    top = rules.target - 1
    if game.name in ("tuppi", "minnesota"):
        step = rules.low_points
        one = random.randrange(0, top + 1, step)
        if game.name == "tuppi" and rules.reset_mode != "off":
            return random.choice(((one, 0), (0, one), (0, 0)))
        return one, random.randrange(0, top + 1, step)
    low = random.choice((0, max(0, top - 4)))
    return tuple(random.randint(low, top) for _ in set(game.sides))


def compare(game: Game, options: dict[str, Any], random: Random) -> int:
    """Play one deal with both; how many decisions were compared."""
    oracle = ORACLES[game.name]
    unit: Unit = random.choice(("deal", "game"))
    score = score_of(game, random) if unit == "game" else (0,) * len(set(game.sides))
    deals = random.choice((0, 3, options["max_deals"] - 1))
    stage = Tally(score=score, dealer=random.randrange(game.seats), unit=unit, deals=deals)
    cards = random.sample(range(game.pack.size), game.pack.size)
    deal = game.deal(cards, stage)
    hands = [game.pack.texts(hand) for hand in deal.hands]  # type: ignore[attr-defined]
    position = (options, hands, stock_of(game, cards), stage.dealer, list(score))
    history: list[tuple[int, str]] = []
    while True:
        seat, expected = oracle.legal(*position, history, unit)
        legal = list(deal.legal())
        assert deal.to_act == seat, (position, history)
        assert {game.actions[action] for action in legal} == expected, (position, history)
        if seat is None:
            break
        action = choose(game, random, legal)
        history.append((seat, game.actions[action]))
        deal.apply(action)
    assert list(deal.points()) == oracle.points(*position, history, unit), (position, history)
    if unit == "game":
        compare_end(deal, oracle, position, history, deals)
    return len(history)


def compare_end(
    deal: Deal, oracle: ModuleType, position: Any, history: Any, deals: int
) -> None:
    """The totals after the deal, and who has won."""
    after = deal.after()
    expected, winners = oracle.after(*position, history, deals)
    assert list(after.score) == expected, (position, history)
    assert set(after.winners) == set(winners), (position, history)


@every_ruleset
def test_engine_and_oracle_agree_on_every_decision_and_result(name: str, ruleset: str) -> None:
    game = game_named(name, ruleset)
    compared = seed = 0
    while compared < DECISIONS:
        compared += compare(game, ORACLES[name].PRESETS[ruleset], Random(f"{ruleset} {seed}"))
        seed += 1


ITEMS: dict[str, tuple[Any, ...]] = {
    "target": (5, 10, 12),
    "target_mode": ("exact", "exact", "at_least"),
    "overshoot": ("no_score", "skip_item", "bounce", "reset"),
    "timing": ("deal_end", "immediate"),
    "tie": ("first_there", "draw"),
    "trump_points": (0, 2, 3),
    "little_points": (1, 2),
    "last_trick_points": (0, 1),
    "mates_points": (1, 2),
    "mates_tie": ("none", "eyes"),
    "ten_eyes": (0, 10),
    "deck": (24, 28, 32, 36),
    "declare_in_phase2": (False, True),
    "trump_in_phase1": (True, False),
}
WHIST: dict[str, tuple[Any, ...]] = {
    "bid_mode": ("sequential", "sealed"),
    "bid_cards": ("none", "hand_cards"),
    "grand_points": (1, 4),
    "grand_set_points": (2, 8),
    "low_points": (1, 4),
    "grand_lead": ("right_of_declarer", "left_of_declarer"),
}
CHOICES: dict[str, dict[str, tuple[Any, ...]]] = {
    "marjapussi": ITEMS
    | {
        "players": (4, 4, 3, 2),
        "first_lead": ("any", "ace", "ace_then_spade"),
        "must_head": (True, True, False),
        "head_lapses_when_ruffed": (True, False),
        "must_trump": (True, True, False),
        "must_overtrump": (True, False),
        "spare_partner": (False, False, True),
        "first_trick_must_beat": (True, False),
        "ask_whole": (True, False),
        "ask_half": ("none", "own_half", "any"),
        "ask_only_without_own": (False, False, True),
        "declare_must_lead_marriage": (False, False, True),
        "mates_by": ("count", "card_points"),
        "card_points": ("classic", "simple"),
    },
    "bondtolva": ITEMS | {"next_dealer": ("alternate", "winner", "loser")},
    "tuppi": WHIST
    | {
        "target": (12, 52),
        "sooli": (True, True, False),
        "sooli_order": ("left_first", "right_first"),
        "sooli_exchange": ("receive_then_return", "discard_then_receive", "none"),
        "sooli_first_lead": ("left_of_soloist", "right_of_soloist", "declarer"),
        "sooli_ace": ("low", "high"),
        "sooli_stop": (True, False),
        "sooli_points": (24, 10),
        "reset_mode": ("both_zero", "both_zero", "transfer", "off"),
        "stop_when_decided": (False, True),
    },
    "minnesota": WHIST
    | {
        "target": (5, 13),
        "high_fail": ("opponents_score", "bidders_lose"),
        "low_mode": ("fewer_gain", "more_lose"),
    },
}
ALONE: dict[str, Any] = {
    "ask_whole": False,
    "ask_half": "none",
    "ask_only_without_own": False,
    "spare_partner": False,
}
PLAYERS: dict[int, dict[str, Any]] = {
    2: ALONE
    | {"first_lead": "any", "declare_must_lead_marriage": False, "first_trick_must_beat": True},
    3: ALONE | {"declare_in_phase2": False, "trump_in_phase1": True},
    4: {"declare_in_phase2": False, "trump_in_phase1": True},
}
"""What Marjapussi for so many players cannot have otherwise."""


def mixtures(name: str) -> Iterator[Game]:
    """Games with random options that go together, each drawn on its own."""
    random = Random(name)
    found = 0
    while found < MIXTURES:
        options = {option: random.choice(values) for option, values in CHOICES[name].items()}
        options |= PLAYERS.get(options.get("players", 0), {})
        try:
            game = game_named(name, None, options)
        except ConfigError:
            continue
        found += 1
        yield game


@pytest.mark.parametrize("name", ORACLES)
def test_engine_and_oracle_agree_under_any_options(name: str) -> None:
    for number, game in enumerate(mixtures(name)):
        options = to_builtins(game.rules)
        for seed in range(3):
            compare(game, options, Random(f"{number} {seed}"))


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in ORACLES for option in CHOICES[name]]
)
def test_the_mixtures_have_every_value_of_every_option(name: str, option: str) -> None:
    found = {getattr(game.rules, option) for game in mixtures(name)}
    assert found == set(CHOICES[name][option])
