"""Worlds look exactly like the view they come from, and nothing but what is hidden varies."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest
from msgspec.structs import replace

from protocol.messages import encode
from referee.games.huutopussi import BID, PACK, Deal, Huutopussi
from referee.games.huutopussi_options import PRESETS
from referee.games.tricktaking import PLAY
from referee.games.worlds import Knowledge, worlds

from . import helpers

VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in PRESETS},
    "closed talon": ("wikibooks-3", {"talon_public": False, "discard_rule": "no_aces_tens"}),
    "nothing above jack": ("helsinki", {"redeal": "three_sixes_or_nothing_above_jack"}),
    "lockout, ace led": ("erlangen", {"ask_lockout": "illisoft", "first_lead": "ace"}),
    "no duties": ("helsinki", {"must_trump": False, "must_head": False, "ask_half": "any"}),
}
"""Every ruleset, and options that none of them has."""


def choice(deal: Deal, rng: random.Random) -> int:
    """Any action, but auctions that end and asks that are made more often than by pure chance."""
    legal = deal.legal()
    if deal.phase == BID and rng.random() < 0.9:
        return legal[0]
    told = [action for action in legal if action >= deal.game.declare]
    if deal.phase == PLAY and told and rng.random() < 0.6:
        return rng.choice(told)
    return rng.choice(legal)


def positions(game: Huutopussi, seed: int, share: float) -> Iterator[Deal]:
    """Some positions of a deal played at random, its end among them."""
    rng = random.Random(seed)
    cards = list(range(PACK.size))
    rng.shuffle(cards)
    deal = game.deal(cards, game.first(seed))
    while deal.to_act is not None:
        if rng.random() < share:
            yield deal
        deal.apply(choice(deal, rng))
    yield deal


def make(variant: str) -> Huutopussi:
    ruleset, options = VARIANTS[variant]
    return helpers.game(ruleset, **options)


def places(deal: Deal) -> tuple[int, ...]:
    """Where all cards lie that are still hidden from somebody."""
    return (*deal.hands, deal.discards, *deal.given)


@pytest.mark.parametrize("variant", VARIANTS)
class TestWorlds:
    def test_give_the_seat_the_very_view_they_come_from(self, variant: str) -> None:
        game = make(variant)
        for seed in range(12):
            for deal in positions(game, seed, 0.2):
                for seat in range(game.seats):
                    view = deal.view(seat)
                    for world in islice(worlds(game, view, random.Random(seed)), 3):
                        assert encode(world.view(seat)) == encode(view), (seed, view.history)

    def test_put_the_seat_that_is_asked_before_the_same_choice(self, variant: str) -> None:
        game = make(variant)
        for seed in range(12):
            for deal in positions(game, seed, 0.3):
                if deal.to_act is not None:
                    view = deal.view(deal.to_act)
                    world = next(worlds(game, view, random.Random(seed)))
                    assert world.to_act == deal.to_act, (seed, view.history)
                    assert list(world.legal()) == list(deal.legal()), (seed, view.history)

    def test_are_found_for_every_view(self, variant: str) -> None:
        game = make(variant)
        lost = [
            (seed, seat, deal.view(seat).history)
            for seed in range(12, 32)
            for deal in positions(game, seed, 0.2)
            for seat in range(game.seats)
            if not list(islice(worlds(game, deal.view(seat), random.Random(seed)), 2))
        ]
        assert lost == []

    def test_allow_for_where_the_cards_really_are(self, variant: str) -> None:
        game = make(variant)
        for seed in range(32, 44):
            for deal in positions(game, seed, 0.2):
                for seat in range(game.seats):
                    knowledge = Knowledge(game, deal.view(seat))
                    for card, fits in knowledge.fits.items():
                        holders = [s for s in range(game.seats) if deal.hands[s] >> card & 1]
                        place = holders[0] if holders else knowledge.aside
                        assert fits >> place & 1, (seed, seat, PACK.names[card])

    def test_vary_in_what_the_seat_cannot_see(self, variant: str) -> None:
        game = make(variant)
        deal = next(positions(game, 1, 1.0))
        view = deal.view(0)
        found = list(islice(worlds(game, view, random.Random(1)), 20))
        assert len({places(world) for world in found}) > 10
        assert {world.hands[0] for world in found} == {deal.hands[0]}


class TestKnowledge:
    def test_of_a_failed_duty_bars_the_cards_that_would_have_met_it(self) -> None:
        deal = helpers.to_first_lead(helpers.auction(helpers.dealt(helpers.game()), 50))
        seat = deal.to_act
        assert seat is not None
        lead = helpers.legal(deal)[0]
        helpers.play(deal, [f"{seat}:{lead}"])
        follower = deal.to_act
        assert follower is not None
        card = deal.legal()[0] - 3
        lacks = deal.trick.excluded(card)
        helpers.play(deal, [f"{follower}:{PACK.names[card]}"])
        for world in islice(worlds(deal.game, deal.view(seat), random.Random(3)), 50):
            assert not world.hands[follower] & lacks

    def test_of_a_no_to_whole_leaves_no_marriage_with_the_partner(self) -> None:
        game = helpers.game()
        found = 0
        for seed in range(40):
            for deal in positions(game, seed, 0.1):
                view = deal.view(0)
                for asker, question, answer in view.asked[-1:]:
                    if (question, answer) == ("whole", "no") and view.history[-1][1] == "no":
                        found += 1
                        for world in islice(worlds(game, view, random.Random(seed)), 20):
                            hand = world.hands[(asker + 2) % 4]
                            assert not game.marriages.whole(hand, world.open_royals), seed
        assert found


class TestWithoutAnyWorld:
    def test_the_iterator_ends_when_the_view_contradicts_itself(self) -> None:
        game = helpers.game()
        view = helpers.dealt(game).view(0)
        counts = [*view.counts[:-1], view.counts[-1] - 1]
        broken = replace(view, counts=counts)
        assert list(worlds(game, broken, random.Random(1))) == []

    def test_the_iterator_ends_after_so_many_attempts(self) -> None:
        game = helpers.game()
        view = replace(helpers.dealt(game).view(0), tricks=[1, 0, 0, 0])
        assert list(worlds(game, view, random.Random(1), attempts=5)) == []

    def test_the_same_random_numbers_give_the_same_worlds(self) -> None:
        game = helpers.game()
        view = helpers.dealt(game).view(0)
        first, again = (
            [places(deal) for deal in islice(worlds(game, view, random.Random(7)), 5)]
            for _ in range(2)
        )
        assert first == again
