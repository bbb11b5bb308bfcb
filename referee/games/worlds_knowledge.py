"""What a seat can tell from its view, whatever the game: the part that all worlds share.

Each unseen card lies in a place: the hand of another seat, or some place of the game's own. A
game's class narrows down where each card fits, and says how a deal follows from where they lie.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Protocol

from protocol.messages import AnyView, encode
from referee.games.game import Deal, Game, Tally, Unit
from referee.games.layout import Layout


class DealtGame(Game, Protocol):
    """A game whose deals can be made from hands."""

    def dealing_order(self, hands: Sequence[int], rest: Sequence[int], dealer: int) -> list[int]:
        """The order of cards that deals these hands (masks), with the rest after them."""
        ...


class Knowledge:
    """What a seat can tell from its view about the cards that it does not see."""

    game: DealtGame
    view: AnyView

    def __init__(self, game: DealtGame, view: AnyView, unit: Unit) -> None:
        pack = game.pack
        self.game = game
        self.view = view
        self.seat = view.seat
        self.aside = game.seats
        """The place of cards that lie face down on the table."""
        self.hand = pack.mask(view.hand)
        self.played = [0] * game.seats
        """Cards that each seat has played."""
        self.encoded = encode(view)
        self.script = [(seat, game.index.get(action, -1)) for seat, action in view.history]
        """(seat, action) of the history, -1 for an action that this seat was not told."""
        self.tally = Tally(score=tuple(view.score), dealer=view.dealer, unit=unit, deals=view.deal)
        seen = self.hand
        for seat, action in view.history:
            if action in pack.index:
                self.played[seat] |= 1 << pack.index[action]
        for cards in self.played:
            seen |= cards
        self.unseen = pack.full & ~(seen | self.laid_away())
        """Cards of which this seat does not know where they are."""
        sizes = (0 if s == self.seat else size for s, size in enumerate(view.counts))
        self.room = (*sizes, self.aside_size())
        """How many unseen cards each place has."""
        everywhere = sum(1 << place for place, size in enumerate(self.room) if size)
        self.fits = dict.fromkeys(pack.cards(self.unseen), everywhere)
        """The places where each unseen card can lie, as bits."""

    def laid_away(self) -> int:
        """Cards that this seat has put down and still knows to lie there."""
        return 0

    def aside_size(self) -> int:
        """How many unseen cards lie aside."""
        return 0

    def restrict(self, cards: int, places: int) -> None:
        """Unseen cards of this mask lie in these places (bits) or in none other."""
        for card in self.game.pack.cards(cards & self.unseen):
            self.fits[card] &= places

    def layouts(self) -> Iterator[Layout]:
        """The layouts of the unseen cards, one for each way to resolve what is either-or."""
        yield Layout(self.fits, self.room)

    def world(self, laid: Sequence[int], rng: Random) -> Deal | None:
        """The deal in which the unseen cards lie so, at the view's moment; None if it cannot be."""
        raise NotImplementedError

    def hands(self, laid: Sequence[int]) -> list[int]:
        """Each seat's cards when the unseen ones lie so, with those that it has played."""
        hands = [cards | played for cards, played in zip(laid, self.played, strict=False)]
        hands[self.seat] |= self.hand
        return hands

    def replayed(
        self,
        hands: Sequence[int],
        rest: Sequence[int] = (),
        hidden: Mapping[int, Iterator[int]] | None = None,
    ) -> Deal | None:
        """Play the history on a deal of these hands and of the cards that come after them.

        `hidden` has, by seat, the actions that this seat was not told. None when the deal does
        not allow for the history, or shows the seat anything else than its view.
        """
        view = self.view
        deal = self.game.deal(
            self.game.dealing_order(hands, rest, view.dealer),
            self.tally,
            tuple(view.redeals),
            view.last,
        )
        for seat, known in self.script:
            action = known if known >= 0 or not hidden else next(hidden[seat])
            while deal.to_act != seat or action not in deal.legal():
                if not self.pass_over(deal):
                    return None
            deal.apply(action)
        self.catch_up(deal)
        return deal if encode(deal.view(self.seat)) == self.encoded else None

    def pass_over(self, _deal: Deal) -> bool:
        """Play what the history may leave out before its next action; False when it cannot."""
        return False

    def catch_up(self, deal: Deal) -> None:
        """Play what the history may leave out at its end."""
