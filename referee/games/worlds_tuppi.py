"""What a seat of Tuppi can tell from its view: the cards that change hands in sooli, too."""

from collections.abc import Iterator, Sequence

from protocol.messages import TuppiView
from referee.games.game import Unit
from referee.games.layout import Layout
from referee.games.tuppi import Tuppi
from referee.games.worlds_whist import WhistKnowledge

GIVEN, RETURNED, BOTH = 5, 6, 7
"""Places, for who has not seen them, of the card given to the soloist and kept, of the one that
came back from the soloist's own, and of one that went there and back."""


class TuppiKnowledge(WhistKnowledge):
    """What a seat of Tuppi can tell from its view."""

    game: Tuppi
    view: TuppiView

    def __init__(self, game: Tuppi, view: TuppiView, unit: Unit) -> None:
        self.soloist = -1
        """Who plays sooli and exchanges cards with its partner; -1 without that."""
        self.partner = -1
        self.given = self.returned = 0
        """The cards (masks) that the soloist got and gave back, where this seat knows them."""
        self.rooms: list[tuple[int, ...]] = []
        super().__init__(game, view, unit)

    def laid_away(self) -> int:
        """The card that this seat has laid away."""
        return self.game.pack.mask(self.view.discarded)

    def aside_size(self) -> int:
        """How many cards another seat has laid away."""
        return sum(
            seat != self.seat and action.startswith("discard:")
            for seat, action in self.view.history
        )

    # ---- the exchange ------------------------------------------------------------------------

    def know_exchange(self) -> None:
        """Learn which cards the soloist and its partner have exchanged, or where they can be."""
        view = self.view
        self.room = (*self.room, 0, 0, 0)
        self.rooms = [self.room]
        if view.soloist is None or self.game.rules.sooli_exchange == "none":
            return
        self.soloist = soloist = view.soloist
        self.partner = partner = (soloist + 2) % 4
        mask = self.game.pack.mask
        if self.seat == soloist:
            self.given, self.returned = mask(view.received), mask(view.given)
            self.restrict(self.returned, 1 << partner)
        elif self.seat == partner:
            self.given, self.returned = mask(view.given), mask(view.received)
            self.restrict(self.given, 1 << soloist)
        else:
            givers = [seat for seat, action in view.history if action.startswith("give:")]
            if partner in givers:
                self._open_exchange(returned=soloist in givers)

    def _open_exchange(self, *, returned: bool) -> None:
        """Make places for cards that were exchanged unseen; the soloist may have played one."""
        soloist, partner = self.soloist, self.partner
        played = self.game.pack.cards(self.played[soloist])
        room = list(self.room)
        room[soloist] += len(played)
        more = 1 << GIVEN
        self.rooms = []
        if returned:
            more |= 1 << RETURNED | 1 << BOTH
            room[partner] -= 1
            room[BOTH] = 1
            self.rooms.append(tuple(room))
            room[BOTH] = 0
            room[RETURNED] = 1
        room[GIVEN] = 1
        room[soloist] -= 1
        self.rooms.append(tuple(room))
        for card in self.fits:
            self.fits[card] |= more
        self.fits |= dict.fromkeys(played, 1 << soloist | 1 << GIVEN)

    def dealt(self, seat: int) -> int:
        """The places (bits) of cards that were dealt to a seat."""
        if seat == self.soloist:
            return 1 << seat | 1 << self.aside | 1 << RETURNED
        return 1 << seat | 1 << GIVEN | 1 << BOTH if seat == self.partner else 1 << seat

    def holds(self, seat: int) -> int:
        """The places (bits) of cards that a seat has held in the play."""
        return 1 << seat | 1 << GIVEN if seat == self.soloist else 1 << seat

    def restrict_dealt(self, cards: int, places: int) -> None:
        """Cards of this mask were dealt to where these places (bits) come from.

        The soloist and its partner know of two cards that they did not stay there.
        """
        for card in self.game.pack.cards(cards & ~(self.given | self.returned)):
            if card in self.fits:
                self.fits[card] &= places

    def layouts(self) -> Iterator[Layout]:
        """The layouts of the unseen cards, with a card that only went there and back or without."""
        for room in self.rooms:
            places = sum(1 << place for place, size in enumerate(room) if size)
            yield Layout({card: fits & places for card, fits in self.fits.items()}, room)

    def take_back(self, hands: list[int], laid: Sequence[int]) -> dict[int, list[int]]:
        """Undo the exchange: make of the hands those that were dealt; its actions by seat."""
        soloist, partner = self.soloist, self.partner
        if soloist < 0:
            return {}
        game = self.game
        given = self.given or laid[GIVEN] | laid[BOTH]
        returned = self.returned or laid[RETURNED] | laid[BOTH]
        discarded = laid[self.aside] | self.laid_away()
        hands[soloist] = (hands[soloist] | returned) & ~given | discarded
        hands[partner] = hands[partner] & ~returned | given
        return {
            soloist: [
                first + card
                for first, cards in ((game.discard, discarded), (game.give, returned))
                for card in game.pack.cards(cards)
            ],
            partner: [game.give + card for card in game.pack.cards(given)],
        }
