"""Huutopussi in random play, and what is left of a deal when only its history is believed."""

from collections.abc import Iterator
from random import Random

import pytest

from referee.games.game import Tally
from referee.games.huutopussi import PACK, Deal, Huutopussi
from referee.games.huutopussi_options import PRESETS
from referee.tricks import RANK_ORDERS
from tests.helpers import game

TABLES = [game(ruleset) for ruleset in PRESETS]
DEALS = 200

every_ruleset = pytest.mark.parametrize("table", TABLES, ids=list(PRESETS))


def start(table: Huutopussi, seed: int) -> Deal:
    """A deal at a random stage of a game; a quarter of the sides are barred where that exists."""
    random = Random(f"{table.ruleset} {seed}")
    cards = random.sample(range(36), 36)
    score = tuple(5 * random.randint(-140, 99) for _ in range(table.side_count))
    return table.deal(cards, Tally(score=score, dealer=random.randrange(table.seats)))


def steps(table: Huutopussi, seed: int) -> Iterator[Deal]:
    """A random deal at every decision, and once more when it is over."""
    deal = start(table, seed)
    random = Random(seed)
    while deal.to_act is not None:
        yield deal
        legal = deal.legal()
        rare = [each for each in legal if each == 0 or table.declare <= each < table.redeal]
        deal.apply(random.choice(rare if rare and random.random() < 0.5 else legal))
    yield deal


def over(table: Huutopussi) -> Iterator[tuple[int, Deal, "Story"]]:
    """Random deals that were played to the end, each with its seed and story."""
    for seed in range(DEALS):
        *_, deal = steps(table, seed)
        if deal.redealer is None:
            yield seed, deal, Story(table, start(table, seed), deal)


class Story:
    """A finished deal retold from the cards dealt and the history alone."""

    def __init__(self, table: Huutopussi, dealt: Deal, deal: Deal) -> None:
        self.table = table
        self.dealt = [set(PACK.texts(hand)) for hand in dealt.hands]
        self.talon = [PACK.names[card] for card in dealt.talon]
        self.forehand = (deal.tally.dealer + 1) % table.seats
        self.bids: list[tuple[int, int | None]] = []
        self.gives: list[tuple[int, str]] = []
        self.discards: list[str] = []
        self.contract: int | None = None
        self.plays: list[tuple[int, str]] = []
        self.made: list[tuple[int, int, str]] = []
        """(cards played before, seat, suit) of every trump made."""
        self.asks = 0
        asked = (0, "")
        for seat, action in deal.history:
            word, _, what = table.actions[action].partition(":")
            if word in ("bid", "pass"):
                self.bids.append((seat, int(what) if what else None))
            elif word == "give":
                self.gives.append((seat, what))
            elif word == "discard":
                self.discards.append(what)
            elif word == "contract":
                self.contract = int(what)
            elif word in ("half", "whole"):
                self.asks += 1
                asked = (seat, what)
            elif word == "declare":
                self.made.append((len(self.plays), seat, what))
            elif word == "name":
                self.made.append((len(self.plays), asked[0], what))
            elif word == "yes" and self._joined(deal, *asked):
                self.made.append((len(self.plays), *asked))
            elif word in PACK.index:
                self.plays.append((seat, word))
        size = table.seats
        self.tricks = [self.plays[at : at + size] for at in range(0, len(self.plays), size)]

    def _joined(self, deal: Deal, asker: int, suit: str) -> bool:
        """Whether asker and partner play king and queen of the suit, one each, later on."""
        played = {self.table.actions[action]: seat for seat, action in deal.history}
        return {played["K" + suit], played["Q" + suit]} == {asker, (asker + 2) % 4}

    def trump(self, number: int) -> str | None:
        """The trump suit in a trick."""
        before = [suit for at, _, suit in self.made if at <= number * self.table.seats]
        return before[-1] if before else None

    def winner(self, number: int) -> int:
        """Who won a trick."""
        order = RANK_ORDERS[self.table.rules.rank_order]
        trick, trump = self.tricks[number], self.trump(number)
        suit = trump if any(card[1] == trump for _, card in trick) else trick[0][1][1]
        return max((order.index(card[0]), seat) for seat, card in trick if card[1] == suit)[1]

    def hands(self, declarer: int | None) -> list[set[str]]:
        """The hands with which the first trick is played."""
        hands = [set(hand) for hand in self.dealt]
        if declarer is not None:
            hands[declarer] |= set(self.talon)
            hands[declarer] -= set(self.discards)
        for seat, card in self.gives:
            hands[seat].remove(card)
            hands[(seat + 2) % 4].add(card)
        return hands
