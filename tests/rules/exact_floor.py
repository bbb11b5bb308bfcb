"""The least net that a side can still come out with, by search; and who plays for it."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from referee.games.game import Deal, Game, nets
from tests.test_contract import choose, finish, random_deal

LEFT = 3
"""Cards in every hand of an ending."""


class Exact(NamedTuple):
    """What search finds in a position, by side."""

    least: list[float]
    """The lowest net of any continuation: every seat plays against the side, its own too."""
    best: list[float]
    """The net if the side plays best with all cards open and the others play against it."""


def exact(deal: Deal, known: dict[tuple[object, ...], Exact] | None = None) -> Exact:
    """Search the whole tree under a position; `known` has what the same deal led to before."""
    if deal.to_act is None:
        ends = nets(deal.points())
        return Exact(ends, ends)
    known = {} if known is None else known
    key = state(deal)
    if key not in known:
        found = []
        for action in deal.legal():
            after = deal.copy()
            after.apply(action)
            found.append(exact(after, known))
        own = sides_of(deal)[deal.to_act]
        least = zip(*(each.least for each in found), strict=True)
        best = zip(*(each.best for each in found), strict=True)
        known[key] = Exact(
            [min(ends) for ends in least],
            [(max if side == own else min)(ends) for side, ends in enumerate(best)],
        )
    return known[key]


def exact_unaided(deal: Deal) -> Exact:
    """The same without remembering any position."""
    if deal.to_act is None:
        return exact(deal)
    least: list[list[float]] = []
    best: list[list[float]] = []
    for action in deal.legal():
        after = deal.copy()
        after.apply(action)
        found = exact_unaided(after)
        least.append(found.least)
        best.append(found.best)
    own = sides_of(deal)[deal.to_act]
    return Exact(
        [min(ends) for ends in zip(*least, strict=True)],
        [
            max(ends) if side == own else min(ends)
            for side, ends in enumerate(zip(*best, strict=True))
        ],
    )


def sides_of(deal: Any) -> tuple[int, ...]:
    """The side of each seat of a deal."""
    sides: tuple[int, ...] = deal.game.sides
    return sides


def state(deal: Any) -> tuple[object, ...]:
    """All that the continuation and the points of one deal depend on while cards are played."""
    common = (deal.to_act, deal.phase, deal.winner, *deal.hands, *deal.tricks, *deal.trick.plays)
    if not hasattr(deal, "open_royals"):
        return common
    trumps = (deal.trump, deal.open_royals, deal.window, deal.question)
    duties = [getattr(deal, name, 0) for name in ("made", "no_declare", "no_whole")]
    return (*common, *trumps, *duties, *deal.taken, *deal.declared)


def endings(game: Game, seeds: int) -> Iterator[tuple[int, Any]]:
    """The three-card endings that random deals come to, each with its seed.

    In half of them the players hold on to their kings and queens, so that some are left.
    """
    for seed in range(seeds):
        random = Random(f"ending {seed}")
        deal: Any = game.deal(*random_deal(game, seed))
        while deal.to_act is not None and not _is_ending(deal):
            legal = deal.legal()
            spared = _without_royals(deal, legal) if seed % 2 and random.random() < 0.8 else ()
            deal.apply(choose(game, random, spared or legal))
        if deal.to_act is not None:
            yield seed, deal


def _is_ending(deal: Any) -> bool:
    """Whether a trick is about to begin with three cards in each hand that plays."""
    if deal.trick.plays or not any(deal.tricks) or deal.PHASES[deal.phase] == "answer":
        return False
    soloist = getattr(deal, "soloist", None)
    return all(
        hand.bit_count() == LEFT
        for seat, hand in enumerate(deal.hands)
        if soloist is None or seat != (soloist + 2) % 4
    )


def _without_royals(deal: Any, legal: Sequence[int]) -> list[int]:
    """The plays among these of cards that are in no open marriage."""
    first, end = deal.game.first_card, deal.game.cards_end
    royals = getattr(deal, "open_royals", 0)
    return [
        action for action in legal if first <= action < end and not royals >> action - first & 1
    ]


def marriage_left(deal: Any) -> bool:
    """Whether some side holds both halves of a marriage that nobody has made."""
    if not hasattr(deal, "open_royals"):
        return False
    sides = sides_of(deal)
    held = [0] * len(sides)
    for seat, hand in enumerate(deal.hands):
        held[sides[seat]] |= hand
    return any(deal.game.marriages.whole(hand, deal.open_royals) for hand in held)


def attacked(game: Game, deal: Deal, side: int, random: Random, own: str) -> Deal:
    """A deal played on by others who want this side's net low.

    Whoever attacks tries up to three actions, each with one random continuation, and plays the
    one that ended worst for the side. `own` says how the side itself plays: `first` as the
    referee plays for who forfeits, `random`, or `hurt` like the others.
    """
    while deal.to_act is not None:
        legal = deal.legal()
        if game.sides[deal.to_act] == side and own != "hurt":
            deal.apply(legal[0] if own == "first" else choose(game, random, legal))
            continue
        tried = random.sample(list(legal), min(3, len(legal)))
        if len(tried) > 1:
            seed = random.random()
            tried.sort(key=lambda action: _end(game, deal, action, side, Random(seed)))
        deal.apply(tried[0])
    return deal


def _end(game: Game, deal: Deal, action: int, side: int, random: Random) -> float:
    """The net of a side after an action and a random continuation; 0 where cards are redealt."""
    after = deal.copy()
    after.apply(action)
    finish(game, after, random)
    return nets(after.points())[side] if after.redealer is None else 0.0
