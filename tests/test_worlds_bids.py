"""Worlds of games with bids: cards exchanged unseen in sooli, bids shown by cards, sealed bids."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pytest

from protocol.messages import encode
from referee.games.rulesets import game_named
from referee.games.tricktaking import PLAY
from referee.games.whist import BIDDING
from referee.games.worlds import worlds

from .test_worlds import VARIANTS, Variant, played, positions
from .test_worlds_endings import even, played_cards, replayed

EXCHANGES = ["played out", "discard first", "bids shown", "sealed, shown",
             "sealed, shown, discard first"]  # fmt: skip


def soolis(variant: Variant, seeds: range) -> Iterator[Any]:
    """Deals in which sooli was played to the last trick."""
    game = variant.make()
    for seed in seeds:
        *_, deal = positions(variant, game, seed, 1.0)
        if deal.soloist is not None and sum(deal.tricks) == 13:
            yield deal


def exchanges(deal: Any, seat: int) -> set[tuple[int, int, int]]:
    """(given, returned, discarded) that may be, found by trying all of them."""
    game = deal.game
    soloist = deal.soloist
    partner = (soloist + 2) % 4
    now = [hand | before for hand, before in zip(deal.hands, played_cards(deal), strict=True)]
    view = encode(deal.view(seat))
    found = set()
    whole = now[partner] | deal.discarded
    for card in game.pack.cards(whole):
        back = 1 << card
        for other in game.pack.cards(now[soloist] | (0 if deal.discarded else back)):
            given = 1 << other
            hands = list(now)
            hands[partner] = whole & ~back | given
            hands[soloist] = (now[soloist] | back) & ~given
            swap = (given, 0, back) if deal.discarded else (given, back, 0)
            world = replayed_sooli(deal, hands, swap, seat)
            if world is not None and encode(world.view(seat)) == view:
                found.add(swap)
    return found


def replayed_sooli(deal: Any, hands: Sequence[int], swap: tuple[int, int, int], viewer: int) -> Any:
    """The deal with these hands dealt and these cards exchanged; hidden bids are any legal ones."""
    game = deal.game
    given, returned, discarded = (cards.bit_length() - 1 for cards in swap)
    told = [seat for seat, _ in deal.view(viewer).bids]
    actions = []
    for at, (seat, action) in enumerate(deal.history):
        text = game.actions[action]
        if text.startswith("give:"):
            action = game.give + (returned if seat == deal.soloist else given)
        elif text.startswith("discard:"):
            action = game.discard + discarded
        elif at < deal.bids and seat not in told:
            action = game.bids_of(hands[seat])[0]
        actions.append(action)
    return replayed(deal, game.dealing_order(hands, (), deal.tally.dealer), actions)


def swapped(deal: Any) -> tuple[int, int, int]:
    """The cards that changed hands: given, returned, discarded."""
    return deal.given, deal.returned, deal.discarded


@pytest.mark.parametrize("name", EXCHANGES)
def test_sooli_may_have_exchanged_whatever_could_be_dealt_and_bid(name: str) -> None:
    tried = Counter[str]()
    for deal in soolis(VARIANTS[name], range(12)):
        for seat in range(4):
            view = deal.view(seat)
            sample = worlds(deal.game, view, random.Random(seat))
            if seat % 2 == deal.soloist % 2:
                kept = {swapped(world)[:2] for world in islice(sample, 20)}
                assert kept == {swapped(deal)[:2]}
                tried["side"] += 1
                continue
            wanted = exchanges(deal, seat)
            if tried["others"] < 4:
                found = Counter(map(swapped, islice(sample, 12 * len(wanted))))
                assert set(found) == wanted, (seat, view.history)
                assert even(found), (seat, found)
            tried["others"] += 1
        if tried["others"] >= 4:
            break
    assert tried["others"] >= 4


def test_the_soloist_may_keep_the_card_or_return_it_as_likely_as_any_other() -> None:
    """Right after the exchange one card in fourteen has gone there and back."""
    game = VARIANTS["played out"].make()
    deal = game.deal(list(range(52)), game.first(0))
    while deal.soloist is None:
        deal.apply(game.index["sooli"] if game.index["sooli"] in deal.legal() else deal.legal()[-1])
    while deal.phase != PLAY:
        deal.apply(deal.legal()[0])
    view = deal.view((deal.soloist + 1) % 4)
    sample: list[Any] = list(islice(worlds(game, view, random.Random(2)), 14 * 200))
    back = sum(world.given == world.returned for world in sample)
    assert abs(back - 200) < 5 * 200**0.5


@pytest.mark.parametrize("name", ["bids shown", "sealed, shown, discard first"])
def test_a_word_alone_says_that_no_card_would_have_shown_it(name: str) -> None:
    """The soloist had no card to bid nolo with: at most the card it was given is one."""
    game = VARIANTS[name].make()
    rng = random.Random(8)
    tried = 0
    for soloist in (1, 3):
        barred = game.pack.cards(game.pack.full & ~game.low_cards)
        hand = rng.sample(barred, 13)
        rest = [card for card in range(52) if card not in hand]
        rng.shuffle(rest)
        piles = iter([rest[:13], rest[13:26], rest[26:]])
        hands = [
            sum(1 << card for card in (hand if seat == soloist else next(piles)))
            for seat in range(4)
        ]
        dealer = (soloist - 1) % 4
        deal = game.deal(game.dealing_order(hands, (), dealer), game.first(dealer))
        for bid in ("nolo", "rami", "nolo", "nolo"):
            if deal.phase == BIDDING:
                deal.apply(next(a for a in deal.legal() if game.actions[a].startswith(bid)))
        while deal.soloist is None:
            wanted = "sooli" if deal.to_act == soloist else "pass"
            deal.apply(game.index[wanted])
        for position in played(deal, rng, 0.3):
            view = position.view((soloist + 1) % 4)
            found: list[Any] = list(islice(worlds(game, view, rng), 20))
            assert len(found) == 20, view.history
            for world in found:
                first = dealt_to(world, soloist)
                assert not first & game.low_cards
                tried += 1
        if sum(deal.tricks) == 13:
            sample: Any = islice(worlds(game, view, rng), 2500)
            assert set(map(swapped, sample)) == exchanges(deal, view.seat)
    assert tried > 100


def test_the_card_that_a_soloist_bid_with_may_have_been_returned() -> None:
    game = VARIANTS["bids shown"].make()
    deal = game.deal(list(range(52)), game.first(3))
    shown = game.index["nolo:AS"]
    assert shown in deal.legal()
    deal.apply(shown)
    rami = [action for action in deal.legal() if action >= game.high_bid]
    for action in (rami[0], game.index["pass"], game.index["sooli"]):
        deal.apply(action)
    assert deal.soloist == 0
    deal.apply(deal.legal()[0])
    deal.apply(game.index["give:AS"])
    at_partner = set()
    for position in played(deal, random.Random(4), 0.5):
        view = position.view(1)
        sample: list[Any] = list(islice(worlds(game, view, random.Random(3)), 60))
        at_partner |= {(len(view.history), world.hands[2] & deal.returned) for world in sample}
    assert {(turn, deal.returned) for turn, _ in at_partner} <= at_partner
    assert sum(deal.tricks) == 13
    ended: Any = islice(worlds(game, view, random.Random(3)), 300)
    assert set(map(swapped, ended)) == exchanges(deal, 1)


def dealt_to(deal: Any, seat: int) -> int:
    """The cards that a soloist was dealt."""
    now = deal.hands[seat] | played_cards(deal)[seat]
    returned: int = (now | deal.returned) & ~deal.given | deal.discarded
    return returned


# ---- sealed bids ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["whist sealed", "whist sealed, shown"])
def test_sealed_bids_of_others_are_any_that_are_legal(name: str) -> None:
    game = VARIANTS[name].make()
    high = set()
    for seed in range(12):
        deal = next(positions(VARIANTS[name], game, seed, 1.0))
        rng = random.Random(seed)
        while deal.phase == BIDDING:
            deal.apply(rng.choice(deal.legal()))
            seat = deal.to_act
            view = deal.view(seat)
            told = dict(view.bids)
            sample: list[Any] = list(islice(worlds(game, view, rng), 200))
            for place, (bidder, bid) in enumerate(deal.history[: deal.bids]):
                bids = Counter(world.history[place][1] >= game.high_bid for world in sample)
                if bidder in told:
                    assert bids == {bid >= game.high_bid: 200}
                else:
                    assert min(bids[False], bids[True]) > 50, (seed, bids)
                    high.add((deal.phase, place))
            for world in sample[:20]:
                for bidder, bid in world.history[: world.bids]:
                    first = world.hands[bidder] | played_cards(world)[bidder]
                    assert bid in game.bids_of(first)
    # Hidden while they are made, and in the play those after the first high one.
    assert {place for phase, place in high if phase == BIDDING} == {0, 1, 2}
    assert {place for phase, place in high if phase != BIDDING} == {1, 2, 3}


def test_a_game_that_all_bid_low_hides_no_bid() -> None:
    game = game_named("minnesota", None, {"bid_mode": "sealed"})
    deal: Any = game.deal(list(range(52)), game.first(0))
    for _ in range(4):
        deal.apply(game.index["low"])
    for world in islice(worlds(game, deal.view(2), random.Random(1)), 30):
        assert world.history == deal.history
