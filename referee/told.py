"""What a seat is told of a deal by the rules: facts in their order, and nothing else.

This stands apart from the views and says once more what they are to show: a seat knows its own
cards and actions, what it receives and draws, and all that happens in the open. Hidden are other
hands, what others give, lay away and draw, a `keep`, bids that are still sealed, and the order of
what lies face down. Two deals with the same facts must look the same to the seat.
"""

from typing import Protocol

from referee.games.game import Deal
from referee.games.huutopussi import Deal as HuutopussiDeal
from referee.games.stock import StockDeal
from referee.games.tricktaking import TrickGame
from referee.games.whist import WhistDeal

Fact = tuple[object, ...]
"""`(seat, action)` of what is heard, or a word with what else has become known."""


class Position(Deal, Protocol):
    """A deal of any game here, with the cards that its seats hold."""

    game: TrickGame
    hands: list[int]
    """By seat, as masks."""


class Listener:
    """What one seat is told of a deal, from the dealt hand on."""

    __slots__ = ("_drawn", "_talon", "deal", "facts", "seat")

    def __init__(self, deal: Position, seat: int) -> None:
        self.deal = deal
        """A deal in which nothing has been played."""
        self.seat = seat
        self.facts: list[Fact] = [("dealt", deal.hands[seat])]
        self._drawn = 0
        self._talon = isinstance(deal, HuutopussiDeal) and bool(deal.talon)

    def hear(self) -> None:
        """Take in the action that was played last."""
        deal = self.deal
        place = len(deal.history) - 1
        actor, action = deal.history[place]
        text = deal.game.actions[action]
        verb = text.partition(":")[0]
        if actor == self.seat:
            self.facts.append((actor, text))
        elif verb in ("give", "discard"):
            self.facts.append((actor, f"{verb}:?"))
        elif verb != "keep" and not sealed(deal, place):
            self.facts.append((actor, text))
        if verb == "give" and actor != self.seat:
            self._received(actor)
        elif verb == "yes":
            self._joined(actor, place)
        elif sealed(deal, place) and place == deal.game.seats - 1:
            self._reveal()
        self._lift_cards()

    def _received(self, giver: int) -> None:
        """The partner learns the cards once all of them are given, but not their order."""
        deal = self.deal
        if (giver - self.seat) % 4 != 2:
            return
        wanted = deal.game.rules.exchange_count if isinstance(deal, HuutopussiDeal) else 1
        actions = deal.game.actions
        given = [actions[action] for seat, action in deal.history if seat == giver]
        cards = [text for text in given if text.startswith("give:")]
        if len(cards) == wanted:
            self.facts.append(("received", *sorted(cards)))

    def _joined(self, partner: int, place: int) -> None:
        """After a yes all hear whether it made trump: whether each holds just one of the two."""
        deal = self.deal
        suit = deal.game.actions[deal.history[place - 1][1]][-1]
        pair = deal.game.pack.mask(("K" + suit, "Q" + suit))
        held = [deal.hands[seat] & pair for seat in (partner, (partner + 2) % 4)]
        self.facts.append(("made", [cards.bit_count() for cards in held] == [1, 1]))

    def _reveal(self) -> None:
        """Sealed bids are shown in turn, up to the first to take tricks."""
        deal = self.deal
        assert isinstance(deal, WhistDeal)
        for bidder, bid in deal.history:
            text = deal.game.actions[bid]
            self.facts.append(("shown", bidder, text))
            if text.partition(":")[0] == deal.game.high:
                return

    def _lift_cards(self) -> None:
        """The talon is shown to whom it concerns; a card from the stock to who draws it."""
        deal = self.deal
        if self._talon and isinstance(deal, HuutopussiDeal) and deal.declarer is not None:
            self._talon = False
            if deal.game.rules.talon_public or deal.declarer == self.seat:
                self.facts.append(("talon", *deal.talon))
        if isinstance(deal, StockDeal):
            new = deal.drawn[self._drawn :]
            self.facts += [("drawn", card) for seat, card in new if seat == self.seat]
            self._drawn = len(deal.drawn)


def sealed(deal: Position, place: int) -> bool:
    """Whether the action at this place of a deal's history is a bid that others do not see."""
    return isinstance(deal, WhistDeal) and deal.game.sealed and place < deal.game.seats
