"""Random play-outs beside OpenSpiel's from Python, on its nearest game with 52 cards: hearts.

OpenSpiel is optional (`pip install open_spiel`); its engine is C++ behind Python calls, ours is
Python. Both are asked for the legal actions and told one at every decision.
"""

import importlib
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from referee.games.rulesets import game_named

DEALS = 400
"""Play-outs of one measurement."""

OURS = ("tuppi", "tuppi-competition"), ("tuppi", "tuppi"), ("minnesota", "minnesota")


def library() -> Any:
    """The module, or None where it is not installed."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        return None


def _rate(playout: Callable[[], int], deals: int) -> float:
    """Decisions a second."""
    began = time.perf_counter()
    count = sum(playout() for _ in range(deals))
    return count / (time.perf_counter() - began)


def theirs(spiel: Any, deals: int) -> tuple[float, float]:
    """Decisions a second with dealing, and from copies of a dealt state."""
    game = spiel.load_game("hearts")
    chance, choice = random.random, random.choice

    def play(state: Any) -> int:
        count = 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(choice(state.chance_outcomes())[0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(chance() * len(legal))])
                count += 1
        state.returns()
        return count

    dealt = game.new_initial_state()
    while dealt.is_chance_node():
        dealt.apply_action(choice(dealt.chance_outcomes())[0])
    return (
        _rate(lambda: play(game.new_initial_state()), deals),
        _rate(lambda: play(dealt.clone()), deals),
    )


def ours(name: str, ruleset: str, deals: int) -> tuple[float, float]:
    """The same for a game of ours."""
    game = game_named(name, ruleset)
    chance = random.random
    size = game.pack.size
    first = game.first(0)

    def play(deal: Any) -> int:
        count = 0
        while deal.to_act is not None:
            legal = deal.legal()
            deal.apply(legal[int(chance() * len(legal))])
            count += 1
        deal.points()
        return count

    def dealt() -> Any:
        keys = [chance() for _ in range(size)]
        return game.deal(sorted(range(size), key=keys.__getitem__), first)

    position = dealt()
    return _rate(lambda: play(dealt()), deals), _rate(lambda: play(position.copy()), deals)


def compared(deals: int) -> Iterator[tuple[str, float, float, float, float]]:
    """For each of our games: its rates, with dealing and from copies, and their ratios to hearts.

    Hearts is measured right before each of them.
    """
    spiel = library()
    for name, ruleset in OURS:
        dealing, copies = theirs(spiel, deals)
        own_dealing, own_copies = ours(name, ruleset, deals)
        yield ruleset, own_dealing, own_dealing / dealing, own_copies, own_copies / copies
