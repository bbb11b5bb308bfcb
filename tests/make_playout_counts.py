"""Write tests/playout_counts.json: endings, and in how many ways each can be played out.

    python -m tests.make_playout_counts

Like perft in chess: one number that is wrong as soon as one legal list, one next seat or one end
of a deal is. The engine only looks for endings of a good size; the numbers are counted by the slow
second implementations in tests/oracle, one replay of the whole deal for each position.
"""

import json
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from msgspec import Struct, to_builtins

from referee.games.game import Deal, Tally, Unit
from referee.games.rulesets import KINDS, game_named
from referee.games.tricktaking import PLAY
from tests.oracle import bondtolva, huutopussi, marjapussi, minnesota, tuppi

FILE = Path(__file__).parent / "playout_counts.json"
ABOUT = (
    "Endings of deals: cards in dealing order, the dealer (seats from 0), the score and unit of "
    "the game, and every action since the cards were dealt (seat:action, dictated answers too). "
    "`continuations` is the number of different complete sequences of actions from there to the "
    "end of the deal; a dictated answer is an action with no alternative. `rulesets` has every "
    "option of each ruleset."
)
LEAST, MOST = 1000, 3000
"""Continuations of an ending that is taken."""

ORACLES: dict[str, ModuleType] = {
    "huutopussi": huutopussi,
    "marjapussi": marjapussi,
    "bondtolva": bondtolva,
    "tuppi": tuppi,
    "minnesota": minnesota,
}


class Ending(Struct, frozen=True, kw_only=True):
    """A position late in a deal, and the number of its continuations."""

    game: str
    ruleset: str
    scene: str
    """What the position was chosen for."""
    unit: Unit
    score: list[int]
    dealer: int
    cards: str
    """In dealing order."""
    history: str
    """`seat:action` of everything since the cards were dealt."""
    continuations: int


def count(deal: Deal, most: int | None = None) -> int:
    """In how many ways a deal can be played to its end; more than `most` is not looked into."""
    if deal.to_act is None:
        return 1
    total = 0
    for action in deal.legal():
        after = deal.copy()
        after.apply(action)
        total += count(after, most)
        if most is not None and total > most:
            break
    return total


# ---- which endings -------------------------------------------------------------------------


def offers(words: set[str], deal: Any) -> bool:
    """The seat to act may do one of these, whatever the suit."""
    names = deal.game.actions
    return any(names[action].partition(":")[0] in words for action in deal.legal())


def trump_made(deal: Any) -> bool:
    """There is a trump, and a card is wanted."""
    return bool(deal.phase == PLAY and deal.view(0).trump is not None)


def last_stock(deal: Any) -> bool:
    """The last two cards are still to be drawn."""
    return bool(0 < deal.view(0).stock <= 2)


def stock_gone(deal: Any) -> bool:
    """There is a trump, and no stock any more."""
    return not deal.view(0).stock and trump_made(deal)


def under(contract: str, deal: Any) -> bool:
    """A card is wanted under this contract."""
    return bool(deal.phase == PLAY and deal.contract == contract)


def scenes(game: Any) -> dict[str, Callable[[Any], bool]]:
    """What the endings of a game are to show, each with its test."""
    if game.name in ("tuppi", "minnesota"):
        words = [game.high, game.low]
        if game.name == "tuppi" and game.rules.sooli:
            words.append("sooli")
        return {word: partial(under, word) for word in words}
    if game.pack.size > game.seats * game.hand_size and game.name != "huutopussi":
        return {"last of the stock": last_stock, "stock gone, trump made": stock_gone}
    found: dict[str, Callable[[Any], bool]] = {"trump made": trump_made}
    if game.side_count < game.seats:
        found["ask open"] = partial(offers, {"half", "whole"})
    else:
        found["marriage open"] = partial(offers, {"declare"})
    return found


def dealt(game: Any, scene: str, random: Random) -> list[int]:
    """Cards in dealing order; for a sooli the first bidder gets low ones, to succeed."""
    cards = random.sample(range(game.pack.size), game.pack.size)
    if scene != "sooli":
        return cards
    low = [card for card in cards if game.pack.names[card][0] in "A234567"]
    places = [cards.index(card) for card in low[: game.hand_size]]
    for turn, place in enumerate(places):
        at = turn * game.seats
        cards[at], cards[place] = cards[place], cards[at]
        places = [place if other == at else other for other in places]
    return cards


def choose(deal: Any, scene: str, random: Random) -> int:
    """Any action but a redeal; kings and queens late, since they close their suits."""
    legal = deal.legal()
    names = deal.game.actions
    if names[legal[-1]] == "redeal":
        return int(legal[0])
    first_bidder = deal.game.left[deal.tally.dealer]
    if scene == "sooli" and names[legal[-1]] in ("rami", "sooli"):
        return int(legal[(names[legal[-1]] == "sooli") == (deal.to_act == first_bidder)])
    if scene == "sooli" and deal.to_act == deal.soloist and deal.phase == PLAY:
        first = deal.game.first_card
        losing = [action for action in legal if not 1 << action - first & deal.trick.beats]
        return int((losing or legal)[-1])
    small = [action for action in legal if names[action][0] not in "KQ"]
    if small and random.random() < 0.8:
        return int(random.choice(small))
    return int(random.choice(legal))


def ending(game: Any, scene: str, seed: int) -> tuple[Tally, list[int], Any] | None:
    """A position of a random deal that shows a scene and has a good size, if it has one."""
    random = Random(f"{game.name} {game.ruleset} {scene} {seed}")
    cards = dealt(game, scene, random)
    tally = Tally(score=(0,) * game.side_count, dealer=random.randrange(game.seats))
    deal = game.deal(cards, tally)
    shows = scenes(game)[scene]
    most_cards = 4 if game.seats > 2 else 7
    while deal.to_act is not None:
        if 3 <= deal.hands[deal.to_act].bit_count() <= most_cards and shows(deal):
            found = count(deal, MOST)
            if found < LEAST:
                return None
            if found <= MOST:
                return tally, cards, deal
        deal.apply(choose(deal, scene, random))
    return None


# ---- counting ------------------------------------------------------------------------------


def continuations(
    game: Any,
    tally: Tally,
    hands: list[list[str]],
    rest: list[str],
    history: list[tuple[int, str]],
) -> int:
    """The number of continuations by the oracle."""
    oracle = ORACLES[game.name]
    position = (to_builtins(game.rules), hands, rest, tally.dealer, list(tally.score), history)
    counted = oracle.playouts if game.name == "huutopussi" else oracle.count
    return int(counted(*position))


def found(name: str, ruleset: str, scene: str) -> Ending:
    """The first ending for a scene, counted."""
    game: Any = game_named(name, ruleset)
    seed = 0
    while (position := ending(game, scene, seed)) is None:
        seed += 1
    tally, cards, deal = position
    names = game.pack.names
    start = game.deal(cards, tally)
    hands = [game.pack.texts(hand) for hand in start.hands]
    rest = [names[card] for card in cards[game.seats * game.hand_size :]]
    history = [(seat, game.actions[action]) for seat, action in deal.history]
    return Ending(
        game=name, ruleset=ruleset, scene=scene, unit=tally.unit, score=list(tally.score),
        dealer=tally.dealer, cards=" ".join(names[card] for card in cards),
        history=" ".join(f"{seat}:{action}" for seat, action in history),
        continuations=continuations(game, tally, hands, rest, history),
    )  # fmt: skip


def main() -> None:
    """Find the endings, have them counted, and write the file."""
    jobs = [
        (kind.name, ruleset, scene)
        for kind in KINDS.values()
        for ruleset in kind.presets
        for scene in scenes(game_named(kind.name, ruleset))
    ]
    with get_context("spawn").Pool(2) as pool:
        endings = pool.starmap(found, jobs, chunksize=1)
    rulesets = {
        kind.name: {ruleset: to_builtins(rules) for ruleset, rules in kind.presets.items()}
        for kind in KINDS.values()
    }
    text = json.dumps(
        {"about": ABOUT, "rulesets": rulesets, "endings": to_builtins(endings)}, indent=1
    )
    FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
