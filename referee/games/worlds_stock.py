"""What a player can tell who plays against one other with a stock: Bondtolva, Marjapussi for two.

While the stock lasts a reply means nothing, and once it is gone all that is unseen is the other's
hand. So only declarations tell something, and what was played or declared before a draw was not
drawn then.
"""

from collections.abc import Sequence
from random import Random
from typing import Protocol

from protocol.messages import BondtolvaView, MarjapussiView
from referee.cards import SUITS
from referee.games.game import Deal, Unit
from referee.games.marriages import Marriages
from referee.games.worlds_knowledge import DealtGame, Knowledge


class StockedGame(DealtGame, Protocol):
    """A game for two players with a stock and marriages."""

    marriages: Marriages


class StockKnowledge(Knowledge):
    """What a player can tell from its view: unseen cards are the other's or in the stock."""

    game: StockedGame
    view: MarjapussiView | BondtolvaView

    def __init__(self, game: StockedGame, view: MarjapussiView | BondtolvaView, unit: Unit) -> None:
        super().__init__(game, view, unit)
        self.other = 1 - self.seat
        self.own_draws = [game.pack.index[card] for card in view.drawn]
        self.had = [0] * len(self.own_draws)
        """For each draw the cards that the other is known to have had before it."""
        self.winners: list[int] = []
        """Who won each trick after which cards were drawn."""
        self._watch()

    def aside_size(self) -> int:
        """How many cards are left in the stock."""
        return self.view.stock

    def _watch(self) -> None:
        """Learn from declarations, and when the other must have had each of its cards."""
        pack = self.game.pack
        leaders: list[int | None] = []
        played = 0
        for seat, action in self.view.history:
            over = played // 2
            verb, _, suit = action.partition(":")
            if action in pack.index:
                if played % 2 == 0:
                    leaders.append(seat)
                played += 1
                if seat == self.other:
                    self._had_before(1 << pack.index[action], over)
            elif verb == "declare" and seat == self.other:
                pair = self.game.marriages.kings_queens[SUITS.index(suit)]
                self.restrict(pair, 1 << seat)
                # The cards that follow the trick just over are drawn after the declaration.
                self._had_before(pair, over - 1)
        if played % 2 == 0:
            leaders.append(self.view.leader)
        self.winners = [seat for seat in leaders[1:] if seat is not None]
        del self.winners[len(self.own_draws) :]

    def _had_before(self, cards: int, draw: int) -> None:
        """The other had these cards before this draw and those after it."""
        for later in range(draw, len(self.had)):
            self.had[later] |= cards

    def world(self, laid: Sequence[int], rng: Random) -> Deal | None:
        """The deal in which the unseen cards lie so, at the view's moment; None if it cannot be.

        What the other drew is chosen from the last draw to the first: whatever it can have drawn
        late it can have drawn early too, so every way has the same number of choices.
        """
        hands = self.hands(laid)
        for card in self.own_draws:
            hands[self.seat] &= ~(1 << card)
        rest = list(self.game.pack.cards(laid[self.aside]))
        rng.shuffle(rest)
        draws: list[int] = []
        for at in reversed(range(len(self.winners))):
            drawable = self.game.pack.cards(hands[self.other] & ~self.had[at])
            if not drawable:
                return None
            card = rng.choice(drawable)
            hands[self.other] ^= 1 << card
            pair = (self.own_draws[at], card)
            draws += pair if self.winners[at] == self.other else reversed(pair)
        draws.reverse()
        return self.replayed(hands, draws + rest)
