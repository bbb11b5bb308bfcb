"""Positions in which the sensible move is plain: greedy and the sampler both find it."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from protocol.bot import Bot
from protocol.messages import Ask
from referee.games.game import Tally
from referee.games.rulesets import game_named
from sample_bots.python.greedy import Greedy
from sample_bots.python.sampler import Sampler

from .test_sample_bots import start

BOTS: dict[str, Callable[[], Bot]] = {
    "greedy": lambda: Greedy("greedy"),
    "sampler": lambda: Sampler(samples=20),
}


@pytest.fixture(params=BOTS)
def bot(request: pytest.FixtureRequest) -> Bot:
    return BOTS[request.param]()


def dealt(game: Any, dealer: int, hands: Mapping[int, str], no_more: str = "") -> Any:
    """A deal in which some seats hold these cards; what is missing comes as chance will have it.

    The seat with the most cards given gets no others of the suits `no_more`.
    """
    names = {seat: text.split() for seat, text in hands.items()}
    taken = {card for cards in names.values() for card in cards}
    rest = [card for card in game.pack.names if card not in taken]
    random.Random(3).shuffle(rest)
    for seat in sorted(range(game.seats), key=lambda seat: -len(names.get(seat, ()))):
        own = names.setdefault(seat, [])
        fitting = [card for card in rest if card[1] not in no_more]
        no_more = ""
        own += fitting[: game.hand_size - len(own)]
        rest = [card for card in rest if card not in own]
    full = [game.pack.mask(names[seat]) for seat in range(game.seats)]
    stock = [game.pack.index[card] for card in rest]
    sides = len(set(game.sides))
    return game.deal(
        game.dealing_order(full, stock, dealer), Tally(score=(0,) * sides, dealer=dealer)
    )


def play(game: Any, deal: Any, actions: str) -> None:
    """Play these actions; `*` is the first legal one."""
    for action in actions.split():
        place = deal.legal()[0] if action == "*" else game.index[action]
        assert place in deal.legal(), action
        deal.apply(place)


def answer(bot: Bot, game: Any, deal: Any) -> str:
    """What a bot plays here."""
    seat = deal.to_act
    bot.starts[1] = start(game, seat, 5, "deal")
    legal = [game.actions[place] for place in deal.legal()]
    ask = Ask(table=1, id=1, view=deal.view(seat), legal=legal, time_ms=1000, bank_ms=0)
    action = bot.decide(ask)
    assert isinstance(action, str)
    assert action in legal
    return action


LOW, HIGH = "low low low low", "low low low high"


def last_in_a_trick(bot: Bot, bids: str, trick: str, hand: str) -> str:
    """What seat 3 plays, whose clubs are these, after a trick of clubs by seats 0, 1 and 2."""
    game: Any = game_named("minnesota", None, {"grand_lead": "left_of_declarer"})
    hands = dict(enumerate(trick.split())) | {3: hand}
    deal = dealt(game, 3, hands, "C")
    play(game, deal, f"{bids} {trick}")
    assert deal.to_act == 3
    return answer(bot, game, deal)


def test_ducks_a_foe_as_high_as_can_be_when_all_bid_low(bot: Bot) -> None:
    assert last_in_a_trick(bot, LOW, "7C 9C QC", "KC JC 2C") == "JC"


def test_leaves_a_trick_to_the_partner_who_takes_it(bot: Bot) -> None:
    assert last_in_a_trick(bot, HIGH, "7C KC 3C", "AC 2C") == "2C"


def test_greedy_wins_with_the_lowest_card_that_does() -> None:
    assert last_in_a_trick(BOTS["greedy"](), HIGH, "7C 2C QC", "AC KC 3C") == "KC"


def test_greedy_puts_its_highest_on_a_low_trick_that_is_lost_anyway() -> None:
    assert last_in_a_trick(BOTS["greedy"](), LOW, "7C QC 9C", "KC JC 2C") == "KC"


def test_who_need_not_follow_when_all_bid_low_throws_an_ace(bot: Bot) -> None:
    game: Any = game_named("minnesota")
    hand = "AS 2S 3S 4S 2H 3H 4H 2D 3D 4D 5D 6D 5H"
    deal = dealt(game, 3, {0: "7C", 1: "9C", 2: "QC", 3: hand})
    play(game, deal, f"{LOW} 7C 9C QC")
    assert answer(bot, game, deal) == "AS"


HOPELESS = "AS KS QS JS AH KH QH JH TD KD QD KC QC"
HARMLESS = "AS 2S 3S 5S AH 2H 4H AD 2D 3D 2C 4C KC"


@pytest.mark.parametrize(("hand", "expected"), [(HOPELESS, "pass"), (HARMLESS, "sooli")])
def test_sooli_is_for_low_hands(bot: Bot, hand: str, expected: str) -> None:
    game: Any = game_named("tuppi")
    deal = dealt(game, 3, {1: hand})
    play(game, deal, "rami")
    assert answer(bot, game, deal) == expected


def test_in_sooli_the_king_is_returned(bot: Bot) -> None:
    game: Any = game_named("tuppi")
    deal = dealt(game, 3, {1: HARMLESS, 3: "AC 7C"})
    play(game, deal, "rami sooli give:AC")
    assert answer(bot, game, deal) == "give:KC"


def test_the_soloist_stays_below(bot: Bot) -> None:
    game: Any = game_named("tuppi")
    hand = "AS 2S 3S 5S AH 2H TH AD 2D 3D 2C 4C KC"
    deal = dealt(game, 3, {0: "9H 6S", 1: hand, 2: "7H 8S", 3: "AC 7C"})
    play(game, deal, "rami sooli give:AC give:KC 7H 9H")
    assert answer(bot, game, deal) in {"AH", "2H"}


@pytest.mark.parametrize(
    ("kind", "hand", "expected"), [("tuppi", HOPELESS, "rami"), ("minnesota", HARMLESS, "low")]
)
def test_bids_by_high_cards(bot: Bot, kind: str, hand: str, expected: str) -> None:
    game: Any = game_named(kind)
    assert answer(bot, game, dealt(game, 3, {0: hand})) == expected


DECLARING = "KS QS AH TC 9D JD"


@pytest.mark.parametrize(
    ("kind", "ruleset"), [("bondtolva", "bondtolva"), ("marjapussi", "marjapussi-2p")]
)
def test_with_a_stock_a_marriage_is_declared_at_once(bot: Bot, kind: str, ruleset: str) -> None:
    game: Any = game_named(kind, ruleset)
    deal = dealt(game, 1, {0: DECLARING})
    play(game, deal, "AH *")
    assert answer(bot, game, deal) == "declare:S"


@pytest.mark.parametrize("ruleset", ["marjapussi", "marjapussi-3p"])
def test_greedy_declares_after_its_first_trick(ruleset: str) -> None:
    game: Any = game_named("marjapussi", ruleset)
    deal = dealt(game, game.seats - 1, {0: DECLARING})
    play(game, deal, "AH" + " *" * (game.seats - 1))
    assert deal.to_act == 0
    assert answer(BOTS["greedy"](), game, deal) == "declare:S"


class TestBondtolva:
    def test_a_marriage_in_hand_is_kept(self, bot: Bot) -> None:
        game: Any = game_named("bondtolva")
        deal = dealt(game, 1, {0: "9D", 1: "KS QS 9H JH 9C JC"})
        play(game, deal, "9D")
        assert answer(bot, game, deal) not in {"KS", "QS"}

    def test_a_ten_is_won_with_the_ace(self, bot: Bot) -> None:
        game: Any = game_named("bondtolva")
        deal = dealt(game, 1, {0: "TD", 1: "AD KS 9H JH 9C JC"})
        play(game, deal, "TD")
        assert answer(bot, game, deal) == "AD"


class TestMarjapussi:
    def test_the_other_half_is_asked_for(self, bot: Bot) -> None:
        game: Any = game_named("marjapussi")
        deal = dealt(game, 3, {0: "KS AH 9S 8S 7S 6S 9H 8D 7C", 2: "QS"})
        play(game, deal, "AH * * *")
        assert answer(bot, game, deal) in {"half:S", "whole"}
