"""What a seat of Huutopussi can tell from its view: talon, exchange, redeals, and the play."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from msgspec.structs import replace

from protocol.messages import HuutopussiView
from referee.cards import SUITS
from referee.games import game as games
from referee.games.game import Unit
from referee.games.huutopussi import (
    BID,
    DISCARD,
    GIVE,
    KEEP,
    PACK,
    PHASES,
    REDEAL,
    Deal,
    Huutopussi,
)
from referee.games.worlds_marriages import MarriageKnowledge
from referee.tricks import Trick

_SIXES = PACK.mask("6" + suit for suit in SUITS)
_ACES_TENS = PACK.mask(rank + suit for rank in "AT" for suit in SUITS)


class HuutopussiKnowledge(MarriageKnowledge):
    """What a seat of Huutopussi can tell from its view."""

    game: Huutopussi
    view: HuutopussiView

    def __init__(self, game: Huutopussi, view: HuutopussiView, unit: Unit) -> None:
        self.moves = Counter(
            seat for seat, action in view.history if action.startswith(("give:", "discard:"))
        )
        """Cards that each seat has given or discarded."""
        super().__init__(game, view, unit, game.rules.first_lead)
        if unit == "game" and self._breaks_a_tie():
            self.tally = replace(self.tally, extra=True)
        self.waits = self._waits()
        self._know_exchange()
        self.watch_play(game.trick_rules)

    def laid_away(self) -> int:
        """Cards that this seat has chosen to give or discard, and still knows to lie aside."""
        return PACK.mask([*self.view.chosen, *self.view.discarded])

    def aside_size(self) -> int:
        """How many cards lie aside that this seat does not know: talon, discards, gives."""
        declarer = self.view.declarer
        if declarer is None:
            return self.game.talon_size
        if self.game.talon_size:
            return 0 if declarer == self.seat else self.moves[declarer]
        count = self.game.rules.exchange_count
        return sum(n % count for seat, n in self.moves.items() if seat != self.seat)

    def _breaks_a_tie(self) -> bool:
        """Whether this is the extra deal of a game: several sides have reached the target."""
        rules = self.game.rules
        top = max(self.view.score)
        reached = top >= rules.target if rules.target_mode == "at_least" else top > rules.target
        return reached and rules.tie == "extra_deal" and self.view.score.count(top) > 1

    # ---- what the history tells --------------------------------------------------------------

    def _know_exchange(self) -> None:
        """Learn from the talon and from the cards that moved between this seat and its partner."""
        view = self.view
        declarer = view.declarer
        if declarer is None:
            return
        given, received = PACK.mask(view.given), PACK.mask(view.received)
        aside = 1 << self.aside
        if self.seat == declarer:
            self.restrict(given, 1 << (declarer + 2) % 4)
        else:
            self.restrict(PACK.mask(view.talon) | given & ~received, 1 << declarer | aside)
        if self.game.rules.discard_rule == "no_aces_tens":
            self.restrict(_ACES_TENS, ~aside)

    def unmet(self, trick: Trick, first: bool, seat: int, card: int) -> int:
        """Cards that a seat cannot hold which follows with this one."""
        lacks = super().unmet(trick, first, seat, card)
        if first and self.game.rules.ace_shows and not 1 << card & self.aces:
            lacks |= trick.led & self.aces
        return lacks

    # ---- redeals -----------------------------------------------------------------------------

    def other_choices(self) -> list[dict[int, int]]:
        """The ways in which another seat can have the redeal that it is offered or took."""
        sixes = [card for card in self.fits if 1 << card & _SIXES]
        above = [card for card in self.fits if 1 << card & self.game.above_jack]
        found: list[dict[int, int]] = []
        for seat in self._redealers():
            found += [dict.fromkeys(three, 1 << seat) for three in combinations(sixes, 3)]
            if self.game.rules.redeal == "three_sixes_or_nothing_above_jack":
                found.append(dict.fromkeys(above, ~(1 << seat)))
        return found or [{}]

    def _redealers(self) -> list[int]:
        """Other seats of which one must be offered a redeal now, or has demanded it."""
        demanded = [seat for seat, action in self.script if action == self.game.redeal]
        if demanded or not self.waits:
            return [seat for seat in demanded if seat != self.seat]
        first = self.game.left[self.view.dealer]
        turns = (self.seat - first) % self.game.seats
        return [(first + turn) % self.game.seats for turn in range(turns)]

    def _waits(self) -> bool:
        """Whether this seat is still to be offered a redeal, after one that is offered it now."""
        rules = self.game.rules
        early = rules.redeal != "none" and rules.redeal_window == "before_bidding"
        if not early or self.script or self.view.phase != PHASES[BID]:
            return False
        weak = rules.redeal == "three_sixes_or_nothing_above_jack"
        weak = weak and not self.hand & self.game.above_jack
        return weak or (self.hand & _SIXES).bit_count() >= 3

    # ---- back to the deal --------------------------------------------------------------------

    def world(self, laid: Sequence[int], rng: Random) -> games.Deal | None:
        """The deal in which the unseen cards lie so, at the view's moment; None if it cannot be."""
        hands = self.hands(laid)
        if not self.wholes_are_ruled_out(hands):
            return None
        aside = laid[self.aside] | self.laid_away()
        declarer = self.view.declarer
        if declarer is None:
            return self.replayed(hands, PACK.cards(aside))
        if not self.game.talon_size:
            return self.replayed(hands, (), self._take_back(hands, aside, declarer, rng))
        hands[declarer] |= aside
        talon = tuple(PACK.index[card] for card in self.view.talon)
        if not talon:
            talon = tuple(rng.sample(PACK.cards(hands[declarer]), self.game.talon_size))
        hands[declarer] &= ~sum(1 << card for card in talon)
        discards = [DISCARD + card for card in PACK.cards(aside)]
        return self.replayed(hands, talon, {declarer: iter(discards)})

    def _take_back(
        self, hands: list[int], aside: int, declarer: int, rng: Random
    ) -> dict[int, Iterator[int]]:
        """Undo the exchange between partners, the return first; the gives of each seat."""
        count = self.game.rules.exchange_count
        partner = (declarer + 2) % 4
        gives: dict[int, Iterator[int]] = {}
        for giver, receiver in ((declarer, partner), (partner, declarer)):
            moved = aside
            if self.moves[giver] == count:
                known = self.view.given if giver == self.seat else self.view.received
                moved = PACK.mask(known)
                if not moved:
                    moved = sum(1 << c for c in rng.sample(PACK.cards(hands[receiver]), count))
                hands[receiver] &= ~moved
            if self.moves[giver]:
                hands[giver] |= moved
                gives[giver] = iter([GIVE + card for card in PACK.cards(moved)])
        return gives

    def pass_over(self, deal: games.Deal) -> bool:
        """Another seat keeps its cards, of which nobody is told."""
        assert isinstance(deal, Deal)
        if deal.phase != REDEAL or deal.to_act == self.seat:
            return False
        deal.apply(KEEP)
        return True

    def catch_up(self, deal: games.Deal) -> None:
        """Other seats have kept their cards, unless this one is still to be asked after them."""
        while not self.waits and self.pass_over(deal):
            pass
