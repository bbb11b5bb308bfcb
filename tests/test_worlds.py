"""Worlds look exactly like the view they come from, and nothing but what is hidden varies."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.structs import replace

from protocol.messages import AnyView, encode
from referee.games.game import Unit
from referee.games.huutopussi import PACK
from referee.games.rulesets import KINDS, game_named
from referee.games.tricktaking import TrickGame
from referee.games.worlds import knowledge_of, worlds
from referee.games.worlds_knowledge import Knowledge
from referee.games.worlds_tuppi import BOTH, GIVEN, RETURNED, TuppiKnowledge

from . import helpers


class Variant(NamedTuple):
    """A ruleset with options that none of the rulesets need have."""

    game: str
    ruleset: str | None = None
    options: dict[str, object] = {}
    unit: Unit = "deal"

    def make(self) -> Any:
        return game_named(self.game, self.ruleset, self.options)


def bids(**options: object) -> dict[str, object]:
    """Options of Tuppi: sooli is played to its end, whatever else is said."""
    return {"sooli_stop": False, **options}


LONG = {"ask_half": "any", "ask_only_without_own": True, "declare_must_lead_marriage": True}

VARIANTS: dict[str, Variant] = {
    **{
        f"{kind.name} {ruleset}": Variant(kind.name, ruleset)
        for kind in KINDS.values()
        for ruleset in kind.presets
    },
    "closed talon": Variant(
        "huutopussi", "wikibooks-3", {"talon_public": False, "discard_rule": "no_aces_tens"}
    ),
    "nothing above jack": Variant(
        "huutopussi", "helsinki", {"redeal": "three_sixes_or_nothing_above_jack"}
    ),
    "lockout, ace led": Variant(
        "huutopussi", "erlangen", {"ask_lockout": "illisoft", "first_lead": "ace"}
    ),
    "no duties": Variant(
        "huutopussi", "helsinki", {"must_trump": False, "must_head": False, "ask_half": "any"}
    ),
    "any half": Variant("marjapussi", "marjapussi-28", {"ask_half": "any"}),
    "asks without own": Variant("marjapussi", "marjapussi-32", LONG),
    "first trick free": Variant(
        "marjapussi", "marjapussi-friendly", {"first_trick_must_beat": False, "must_trump": False}
    ),
    "items at once": Variant(
        "marjapussi", "marjapussi", {"timing": "immediate", "overshoot": "skip_item"}, "game"
    ),
    "declared late": Variant(
        "marjapussi", "marjapussi-2p", {"declare_in_phase2": True, "trump_in_phase1": False}
    ),
    "long stock": Variant("bondtolva", None, {"deck": 36, "declare_in_phase2": True}, "game"),
    "twelve at once": Variant("bondtolva", None, {"overshoot": "no_score"}, "game"),
    "played out": Variant("tuppi", None, bids()),
    "no exchange": Variant("tuppi", None, bids(sooli_exchange="none", sooli_order="right_first")),
    "discard first": Variant("tuppi", None, bids(sooli_exchange="discard_then_receive")),
    "bids shown": Variant("tuppi", None, bids(bid_cards="hand_cards")),
    "sealed": Variant("tuppi", None, bids(bid_mode="sealed")),
    "sealed, shown": Variant("tuppi", None, bids(bid_mode="sealed", bid_cards="hand_cards")),
    "sealed, shown, discard first": Variant(
        "tuppi",
        None,
        bids(bid_mode="sealed", bid_cards="hand_cards", sooli_exchange="discard_then_receive"),
    ),
    "stops when decided": Variant("tuppi", None, {"stop_when_decided": True}, "game"),
    "whist shown": Variant("minnesota", None, {"bid_cards": "hand_cards"}),
    "whist sealed": Variant("minnesota", None, {"bid_mode": "sealed"}),
    "whist sealed, shown": Variant(
        "minnesota", None, {"bid_mode": "sealed", "bid_cards": "hand_cards"}
    ),
}
"""Every ruleset, and options that none of them has."""


def choice(deal: Any, rng: random.Random) -> int:
    """Any action, but auctions that end and asks that are made more often than by pure chance."""
    legal: list[int] = list(deal.legal())
    actions = deal.game.actions
    if deal.game.name == "huutopussi" and deal.PHASES[deal.phase] == "bid" and rng.random() < 0.9:
        return legal[0]
    told = [a for a in legal if actions[a].startswith(("declare", "half", "whole", "sooli"))]
    if told and rng.random() < 0.6:
        return rng.choice(told)
    return rng.choice(legal)


def dealt(game: Any, seed: int, unit: Unit = "deal") -> Any:
    """A deal of any cards; in a whole game with some score on both sides of the middle."""
    rng = random.Random(seed)
    cards = list(range(game.pack.size))
    rng.shuffle(cards)
    tally = game.first(seed, unit)
    if unit == "game":
        score = [rng.randrange(game.rules.target) for _ in tally.score]
        if game.name == "tuppi":
            score[seed % 2] = 0
        tally = replace(tally, score=tuple(score), deals=3)
    return game.deal(cards, tally)


def played(deal: Any, rng: random.Random, share: float = 1.0) -> Iterator[Any]:
    """Some of the positions as a deal is played at random, its end among them."""
    while deal.to_act is not None:
        if rng.random() < share:
            yield deal
        deal.apply(choice(deal, rng))
    yield deal


def positions(variant: Variant, game: Any, seed: int, share: float) -> Iterator[Any]:
    """Some positions of a deal played at random, its end among them."""
    return played(dealt(game, seed, variant.unit), random.Random(seed), share)


def sent(view: AnyView) -> AnyView:
    """A view as a bot has it."""
    found: AnyView = msgspec.json.decode(encode(view), type=AnyView)
    return found


def place(deal: Any, knowledge: Knowledge, card: int) -> int:
    """Where a card really is, as the knowledge of a seat counts places."""
    bit = 1 << card
    if isinstance(knowledge, TuppiKnowledge) and knowledge.rooms != [knowledge.room]:
        if bit & deal.given:
            return BOTH if bit & deal.returned else GIVEN
        if bit & deal.returned:
            return RETURNED
    held = zip(deal.hands, knowledge.played, strict=True)
    holders = [seat for seat, cards in enumerate(held) if (cards[0] | cards[1]) & bit]
    return holders[0] if holders else knowledge.aside


def places(deal: Any) -> tuple[object, ...]:
    """Where all cards lie that may be hidden from somebody, and how they came there."""
    hidden = ("discards", "given", "returned", "discarded", "stock")
    return (*deal.hands, *(str(getattr(deal, slot, None)) for slot in hidden))


@pytest.mark.parametrize("name", VARIANTS)
class TestWorlds:
    def test_give_the_seat_the_very_view_they_come_from(self, name: str) -> None:
        game = VARIANTS[name].make()
        for seed in range(5):
            for deal in positions(VARIANTS[name], game, seed, 0.15):
                for seat in range(game.seats):
                    view = sent(deal.view(seat))
                    found = worlds(game, view, random.Random(seed), VARIANTS[name].unit)
                    for world in islice(found, 3):
                        assert encode(world.view(seat)) == encode(view), (seed, view.history)

    def test_put_the_seat_that_is_asked_before_the_same_choice(self, name: str) -> None:
        game = VARIANTS[name].make()
        for seed in range(5):
            for deal in positions(VARIANTS[name], game, seed, 0.3):
                if deal.to_act is not None:
                    view = sent(deal.view(deal.to_act))
                    found = worlds(game, view, random.Random(seed), VARIANTS[name].unit)
                    world = next(found)
                    assert world.to_act == deal.to_act, (seed, view.history)
                    assert list(world.legal()) == list(deal.legal()), (seed, view.history)

    def test_are_found_for_every_view(self, name: str) -> None:
        game = VARIANTS[name].make()
        unit = VARIANTS[name].unit
        lost = [
            (seed, seat, deal.view(seat).history)
            for seed in range(12, 20)
            for deal in positions(VARIANTS[name], game, seed, 0.15)
            for seat in range(game.seats)
            if not list(islice(worlds(game, deal.view(seat), random.Random(seed), unit), 2))
        ]
        assert lost == []

    def test_allow_for_where_the_cards_really_are(self, name: str) -> None:
        game = VARIANTS[name].make()
        for seed in range(32, 40):
            for deal in positions(VARIANTS[name], game, seed, 0.2):
                for seat in range(game.seats):
                    knowledge = knowledge_of(game, deal.view(seat), VARIANTS[name].unit)
                    for card, fits in knowledge.fits.items():
                        at = place(deal, knowledge, card)
                        assert fits >> at & 1, (seed, seat, game.pack.names[card])

    def test_vary_in_what_the_seat_cannot_see(self, name: str) -> None:
        game = VARIANTS[name].make()
        deal = next(positions(VARIANTS[name], game, 1, 1.0))
        view = deal.view(0)
        found: list[Any] = list(
            islice(worlds(game, view, random.Random(1), VARIANTS[name].unit), 20)
        )
        assert len({places(world) for world in found}) > 10
        assert {world.hands[0] for world in found} == {deal.hands[0]}

    def test_can_be_played_on_to_the_end(self, name: str) -> None:
        game = VARIANTS[name].make()
        rng = random.Random(5)
        for deal in positions(VARIANTS[name], game, 50, 0.2):
            if deal.to_act is None:
                break
            view = sent(deal.view(deal.to_act))
            world = next(worlds(game, view, rng, VARIANTS[name].unit))
            *_, end = played(world, rng)
            if end.redealer is None:
                assert len(end.points()) == game.side_count
                assert end.after().deals == deal.tally.deals + 1


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
        variant = VARIANTS["huutopussi helsinki"]
        game = helpers.game()
        found = 0
        for seed in range(40):
            for deal in positions(variant, game, seed, 0.1):
                view = deal.view(0)
                for asker, question, answer in view.asked[-1:]:
                    if (question, answer) == ("whole", "no") and view.history[-1][1] == "no":
                        found += 1
                        for world in islice(worlds(game, view, random.Random(seed)), 20):
                            hand = world.hands[(asker + 2) % 4]
                            assert not game.marriages.whole(hand, world.open_royals), seed
        assert found

    def test_of_an_extra_deal_ends_the_game_with_it(self) -> None:
        game = helpers.game()
        target = game.rules.target
        tally = replace(game.first(0, "game"), score=(target, target), deals=9, extra=True)
        deal = game.deal(list(range(PACK.size)), tally)
        view = deal.view(1)
        assert next(worlds(game, view, random.Random(1), "game")).tally == tally
        assert not next(worlds(game, view, random.Random(1))).tally.extra


class TestWithoutAnyWorld:
    def test_the_iterator_ends_when_the_view_contradicts_itself(self) -> None:
        for name in ("huutopussi helsinki", "bondtolva bondtolva", "tuppi tuppi"):
            game = VARIANTS[name].make()
            view = dealt(game, 1).view(0)
            counts = [*view.counts[:-1], view.counts[-1] - 1]
            broken = replace(view, counts=counts)
            assert list(worlds(game, broken, random.Random(1))) == []

    def test_the_iterator_ends_after_so_many_attempts(self) -> None:
        game = helpers.game()
        view = replace(helpers.dealt(game).view(0), tricks=[1, 0, 0, 0])
        assert list(worlds(game, view, random.Random(1), attempts=5)) == []

    def test_a_view_of_another_game_is_refused(self) -> None:
        view = dealt(game_named("tuppi"), 1).view(0)
        with pytest.raises(TypeError, match="TuppiView is no view of minnesota"):
            worlds(game_named("minnesota"), view, random.Random(1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_random_numbers_give_the_same_worlds(kind: str) -> None:
    game = game_named(kind)
    assert isinstance(game, TrickGame)
    view = dealt(game, 1).view(0)
    first, again = (
        [places(deal) for deal in islice(worlds(game, view, random.Random(7)), 5)] for _ in range(2)
    )
    assert first == again
