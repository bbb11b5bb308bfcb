"""What a seat of Minnesota Whist or Tuppi can tell from its view: bids, and suits that ran out."""

from collections.abc import Sequence
from random import Random
from typing import Protocol

from protocol.messages import MinnesotaView, TuppiView
from referee.games.game import Deal, Unit
from referee.games.worlds_knowledge import DealtGame, Knowledge


class BidGame(DealtGame, Protocol):
    """A game of this kind: its words and the cards that stand for them."""

    low: str
    low_cards: int
    high_cards: int
    with_cards: bool
    sealed: bool
    left: tuple[int, ...]

    def bids_of(self, hand: int) -> tuple[int, ...]:
        """What a hand may bid."""
        ...


class WhistKnowledge(Knowledge):
    """What a seat can tell from its view where two pairs bid to take tricks or to lose them."""

    game: BidGame
    view: MinnesotaView | TuppiView

    def __init__(self, game: BidGame, view: MinnesotaView | TuppiView, unit: Unit) -> None:
        super().__init__(game, view, unit)
        self.sealed: list[int] = []
        """Other seats that have bid and whose bids are not revealed."""
        if game.sealed:
            self._seal()
        self.know_exchange()
        self._know_bids()
        self._watch_play()

    # ---- what the history tells --------------------------------------------------------------

    def _seal(self) -> None:
        """Put the bids that this seat was not told into the script."""
        view = self.view
        told = self.script[: len(view.bids)]
        bids = dict(told)
        first = self.game.left[view.dealer]
        made = 4
        if view.phase == "bid":
            made = (self.seat - first) % 4 + len(told)
        seats = [(first + turn) % 4 for turn in range(made)]
        self.sealed = [seat for seat in seats if seat not in bids]
        self.script[: len(told)] = [(seat, bids.get(seat, -1)) for seat in seats]

    def know_exchange(self) -> None:
        """Learn from cards that changed hands; here none do."""

    def dealt(self, seat: int) -> int:
        """The places (bits) of cards that were dealt to a seat."""
        return 1 << seat

    def holds(self, seat: int) -> int:
        """The places (bits) of cards that a seat has held in the play."""
        return 1 << seat

    def _know_bids(self) -> None:
        """A card that was shown with a bid was dealt to its seat; a word alone: none that fits."""
        game = self.game
        for seat, bid in self.view.bids:
            word, _, card = bid.partition(":")
            if seat == self.seat:
                continue
            if card:
                self.restrict_dealt(game.pack.mask([card]), self.dealt(seat))
            elif game.with_cards:
                cards = game.low_cards if word == game.low else game.high_cards
                self.restrict_dealt(cards, ~self.dealt(seat))

    def restrict_dealt(self, cards: int, places: int) -> None:
        """Cards of this mask were dealt to where these places (bits) come from."""
        self.restrict(cards, places)

    def _watch_play(self) -> None:
        """Who does not follow has no card of the suit."""
        pack = self.game.pack
        players = 3 if any(action == "sooli" for _, action in self.view.history) else 4
        led = 0
        turn = 0
        for seat, action in self.view.history:
            card = pack.index.get(action)
            if card is None:
                continue
            suit = pack.suits[pack.suit_of[card]]
            if turn == 0:
                led = suit
            elif suit != led and seat != self.seat:
                self.restrict(led, ~self.holds(seat))
            turn = (turn + 1) % players

    # ---- back to the deal --------------------------------------------------------------------

    def world(self, laid: Sequence[int], rng: Random) -> Deal | None:
        """The deal in which the unseen cards lie so, at the view's moment; None if it cannot be."""
        hands = self.hands(laid)
        moves = self.take_back(hands, laid)
        hidden = {seat: [rng.choice(self.game.bids_of(hands[seat]))] for seat in self.sealed}
        for seat, actions in moves.items():
            hidden[seat] = hidden.get(seat, []) + actions
        return self.replayed(hands, (), {seat: iter(hidden[seat]) for seat in hidden})

    def take_back(self, _hands: list[int], _laid: Sequence[int]) -> dict[int, list[int]]:
        """Undo an exchange: make of the hands those that were dealt; its actions by seat."""
        return {}
