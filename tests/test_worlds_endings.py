"""Near the end of a deal the worlds are just those that trying every layout of the cards finds.

What is tried here knows of no rule but that the history must be legal and the view the same.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, permutations
from typing import Any

import pytest

from protocol.messages import encode
from referee.games.worlds import worlds

from .test_worlds import VARIANTS, Variant, positions

SAMPLES = 30
"""Worlds drawn for each one that there is: by chance one in 10^13 is missed."""

ALL_NINE = 1680
"""Ways to deal nine cards to three seats."""

OPEN = [
    "marjapussi marjapussi",
    "marjapussi marjapussi-24",
    "marjapussi marjapussi-korttipeli",
    "marjapussi marjapussi-3p",
    "any half",
    "asks without own",
    "first trick free",
    "minnesota minnesota",
    "whist shown",
    "tuppi tuppi-competition",
    "no exchange",
]
"""Variants in which all that is hidden near the end is who holds which card."""


def splits(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Every way to split cards into piles (masks) of these sizes."""
    if not sizes:
        yield []
        return
    for pile in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in pile]
        for others in splits(rest, sizes[1:]):
            yield [sum(1 << card for card in pile), *others]


def replayed(deal: Any, cards: Sequence[int], actions: Sequence[int]) -> Any:
    """The deal of these cards played by these actions; None where one of them is not legal."""
    other = deal.game.deal(cards, deal.tally, deal.redeals, deal.last)
    for (seat, _), action in zip(deal.history, actions, strict=True):
        if other.to_act != seat or action not in other.legal():
            return None
        other.apply(action)
    return other


def played_cards(deal: Any) -> list[int]:
    """The cards that each seat has played."""
    game = deal.game
    found = [0] * game.seats
    for seat, action in deal.history:
        if game.first_card <= action < game.cards_end:
            found[seat] |= 1 << action - game.first_card
    return found


def layouts(deal: Any, seat: int) -> set[tuple[int, ...]]:
    """Hands that the seats may hold now, found by trying each way to deal what is hidden."""
    game = deal.game
    others = [s for s in range(game.seats) if s != seat]
    hidden = game.pack.cards(sum(deal.hands[s] for s in others))
    was_played = played_cards(deal)
    actions = [action for _, action in deal.history]
    view = encode(deal.view(seat))
    found = set()
    for piles in splits(hidden, [deal.hands[s].bit_count() for s in others]):
        hands = list(deal.hands)
        for other, pile in zip(others, piles, strict=True):
            hands[other] = pile
        first = [now | before for now, before in zip(hands, was_played, strict=True)]
        world = replayed(deal, game.dealing_order(first, (), deal.tally.dealer), actions)
        if world is not None and encode(world.view(seat)) == view:
            found.add(tuple(hands))
    return found


def even(counts: Counter[Any]) -> bool:
    """Whether counts of equally likely things look like it (chi square, five deviations)."""
    total, kinds = sum(counts.values()), len(counts)
    mean = total / kinds
    square = sum((count - mean) ** 2 / mean for count in counts.values())
    return bool(square <= kinds - 1 + 5 * (2 * kinds) ** 0.5)


def endings(variant: Variant, seeds: range, *, left: int) -> Iterator[tuple[Any, int]]:
    """(deal, seat): positions in which nobody holds more than so many cards, for all seats."""
    game = variant.make()
    for seed in seeds:
        for deal in positions(variant, game, seed, 1.0):
            sizes = [hand.bit_count() for hand in deal.hands]
            # The partner of a soloist keeps its cards: too many ways to try them all.
            if max(sizes) == left and sum(sizes) > len(sizes) * (left - 1):
                for seat in range(game.seats):
                    yield deal, seat


@pytest.mark.parametrize("name", OPEN)
def test_worlds_are_all_the_layouts_that_there_are(name: str) -> None:
    variant = VARIANTS[name]
    sizes = set()
    for deal, seat in islice(endings(variant, range(20), left=2), 12):
        wanted = layouts(deal, seat)
        found = Counter(
            tuple(world.hands)
            for world in islice(
                worlds(deal.game, deal.view(seat), random.Random(len(wanted)), variant.unit),
                SAMPLES * len(wanted),
            )
        )
        assert set(found) == wanted, (seat, deal.view(seat).history)
        assert even(found), (seat, found)
        sizes.add(len(wanted))
    assert len(sizes) > 2


def test_asks_leave_just_the_layouts_that_answer_them() -> None:
    """Three cards each: kings and queens that were asked for are still in the hands."""
    asked = 0
    for name in ("marjapussi marjapussi", "any half", "asks without own"):
        few = 0
        for deal, seat in endings(VARIANTS[name], range(40, 60), left=3):
            view = deal.view(seat)
            if not view.asked or not deal.open_royals or seat != deal.to_act:
                continue
            wanted = layouts(deal, seat)
            sample = islice(worlds(deal.game, view, random.Random(1)), 4 * len(wanted))
            found = {tuple(world.hands) for world in sample}
            assert found <= wanted, (name, view.history)
            assert len(found) > 0.94 * len(wanted), (name, view.history)
            asked += len(wanted) < ALL_NINE
            few += 1
            if few == 2:
                break
    assert asked > 3


def test_huutopussi_hides_hands_and_discards() -> None:
    """The talon is public here: whoever does not declare knows not which cards were laid away."""
    variant = VARIANTS["huutopussi wikibooks-3"]
    tried = 0
    for deal, seat in islice(endings(variant, range(4), left=2), 16):
        if seat == deal.declarer:
            continue
        tried += 1
        wanted = with_discards(deal, seat)
        found = Counter(
            (*world.hands, world.discards)
            for world in islice(
                worlds(deal.game, deal.view(seat), random.Random(tried)), SAMPLES * len(wanted)
            )
        )
        assert set(found) == wanted, (seat, deal.view(seat).history)
        assert even(found), (seat, found)
    assert tried > 9


def with_discards(deal: Any, seat: int) -> set[tuple[int, ...]]:
    """Hands and discards that may be, found by trying each way to deal what is hidden."""
    game = deal.game
    others = [s for s in range(game.seats) if s != seat]
    hidden = game.pack.cards(sum(deal.hands[s] for s in others) | deal.discards)
    was_played = played_cards(deal)
    view = encode(deal.view(seat))
    found = set()
    sizes = [*(deal.hands[s].bit_count() for s in others), deal.discards.bit_count()]
    for *piles, discards in splits(hidden, sizes):
        hands = list(deal.hands)
        for other, pile in zip(others, piles, strict=True):
            hands[other] = pile
        first = [now | before for now, before in zip(hands, was_played, strict=True)]
        first[deal.declarer] |= discards
        first[deal.declarer] &= ~sum(1 << card for card in deal.talon)
        if {hand.bit_count() for hand in first} != {game.hand_size}:
            continue  # a card of the talon lies where it cannot
        laid = iter(game.pack.texts(discards))
        actions = [
            game.index[f"discard:{next(laid)}"] if text.startswith("discard:") else action
            for _, action in deal.history
            for text in (game.actions[action],)
        ]
        world = replayed(deal, game.dealing_order(first, deal.talon, deal.tally.dealer), actions)
        if world is not None and encode(world.view(seat)) == view:
            found.add((*hands, discards))
    return found


# ---- stock ---------------------------------------------------------------------------------------

STOCKED = [
    Variant("bondtolva"),
    Variant("marjapussi", "marjapussi-2p", {"deck": 24, "declare_in_phase2": True}),
]


def moved(deal: Any, moves: dict[int, int]) -> Any:
    """The deal with cards in each other's places; None where it could not have gone so."""
    game = deal.game
    first = [now | before for now, before in zip(deal.hands, played_cards(deal), strict=True)]
    for seat, card in deal.drawn:
        first[seat] &= ~(1 << card)
    order = game.dealing_order(first, deal.stock, deal.tally.dealer)
    cards = [moves.get(card, card) for card in order]
    return replayed(deal, cards, [action for _, action in deal.history])


@pytest.mark.parametrize("variant", STOCKED, ids=lambda variant: variant.game)
def test_the_other_player_and_the_stock_share_the_unseen_cards_in_every_way(
    variant: Variant,
) -> None:
    """With two cards left in the stock: any two of the unseen, but none that was declared."""
    game = variant.make()
    kinds = set()
    for seed in range(60):
        for deal in positions(variant, game, seed, 1.0):
            if len(deal.stock) - len(deal.drawn) != 2 or len(deal.trick.plays) != 1:
                continue
            seat = deal.to_act
            declared = any(player != seat for player, _ in deal.declared)
            if seed > 3 and not declared:
                continue
            hidden = game.pack.cards(deal.hands[1 - seat]) + deal.stock[-2:]
            view = encode(deal.view(seat))
            wanted = set()
            for rest in permutations(hidden, 2):
                others = [card for card in hidden if card not in rest]
                # In some order, for what was declared was in hand in time.
                for hand in permutations(others):
                    moves = dict(zip(hidden, (*hand, *rest), strict=True))
                    world = moved(deal, moves)
                    if world is not None and encode(world.view(seat)) == view:
                        wanted.add(world.stock[-2:])
                        break
            found = Counter(
                world.stock[-2:]
                for world in islice(
                    worlds(game, deal.view(seat), random.Random(1)), SAMPLES * len(wanted)
                )
            )
            assert set(found) == wanted, (seed, view)
            assert even(found), (seed, found)
            kinds.add(len(wanted))
        if len(kinds) > 1 and seed > 3:
            break
    assert max(kinds) == 7 * 6
    assert min(kinds) <= 5 * 4  # a marriage was declared and is still in hand


@pytest.mark.parametrize("variant", STOCKED, ids=lambda variant: variant.game)
def test_the_other_player_may_have_drawn_whatever_it_had_not_yet_played(variant: Variant) -> None:
    """Every card is drawn in some world at every turn at which two or three swaps put it there."""
    game = variant.make()
    for seed in range(3):
        *_, deal = positions(variant, game, seed, 1.0)
        seat = seed % 2
        turns = len(deal.drawn) // 2
        others = [
            card for card in range(game.pack.size) if played_cards(deal)[1 - seat] >> card & 1
        ]
        view = encode(deal.view(seat))
        wanted = set()
        for count in (2, 3):
            for cycle in permutations(others, count):
                if count == 2 or min(cycle) == cycle[0]:
                    world = moved(deal, dict(zip(cycle, (*cycle[1:], cycle[0]), strict=True)))
                    if world is not None and encode(world.view(seat)) == view:
                        wanted |= draws(world, 1 - seat)
        last: Counter[int] = Counter()
        found = set()
        for world in islice(worlds(game, deal.view(seat), random.Random(seed)), 1200):
            drawn = draws(world, 1 - seat)
            found |= drawn
            last[max(drawn)[1]] += 1
        assert found >= wanted, (seed, view)
        # What is in hand after the last draw may have been it, save what was just declared.
        assert set(last) == {card for turn, card in wanted if turn == turns - 1}
        assert even(last)


def draws(deal: Any, seat: int) -> set[tuple[int, int]]:
    """(turn, card) of all that a seat has drawn."""
    mine = [card for player, card in deal.drawn if player == seat]
    return set(enumerate(mine))
