"""Playing a deal to its end by a quick policy that sees all hands.

It is no bot: it stands in for every seat of the worlds that the sampler imagines. It is cheap,
since it plays some hundred deals for one decision, and just sensible enough for the points at the
end to tell good actions from bad ones.
"""

from collections.abc import Sequence

from referee.cards import SUITS, runs_of
from referee.games.huutopussi import (
    CARD,
    DISCARD,
    DISCARDING,
    GIVE,
    GIVING,
    PACK,
    RETURNING,
    Deal,
    Huutopussi,
)
from referee.games.tricktaking import ANSWER, PLAY

_LOW = PACK.mask(rank + suit for rank in "6789" for suit in SUITS)
_JACK, _QUEEN, _KING, _TEN, _ACE = (
    PACK.mask(rank + suit for suit in SUITS) for rank in "JQKTA"
)
CHEAP = (_LOW, _JACK, _QUEEN, _KING, _TEN, _ACE)
"""Ranks in the order in which they are thrown away."""
DEAR = (_TEN, _KING, _QUEEN, _JACK, _LOW, _ACE)
"""Ranks in the order in which they go to a trick that is won: an ace wins one of its own."""
LEAD = (_ACE, _TEN, _KING, _QUEEN, _JACK, _LOW)
"""Ranks in the order in which cards are led that nobody can beat."""


def pick(cards: int, order: tuple[int, ...]) -> int:
    """The first card of a mask by this order of ranks, as an action."""
    for rank in order:
        found = cards & rank
        if found:
            break
    return CARD - 1 + (found & -found).bit_length()


class Rollout:
    """The policy, with its tables for one game."""

    def __init__(self, game: Huutopussi) -> None:
        self.game = game
        self.pairs = game.marriages.kings_queens
        self.marriage = game.scorer.marriage
        self.points = [game.scorer.card_points(1 << card) for card in range(PACK.size)]
        sides, seats = game.sides, range(game.seats)
        self.foes = [[s for s in seats if sides[s] != sides[seat]] for seat in seats]
        self.partner = [
            next((s for s in seats if s != seat and sides[s] == sides[seat]), None)
            for seat in seats
        ]
        self.later_foes = [
            [
                [s for s in ((seat + turn) % game.seats for turn in range(1, left + 1))
                 if sides[s] != sides[seat]]
                for left in seats
            ]
            for seat in seats
        ]  # fmt: skip
        """Foes among the seats that follow each seat, by how many those are."""
        self.by_value = sorted(range(4), key=lambda suit: -self.marriage[suit])
        """Suits by the points of their marriages, most first."""
        self.above_all = {0: PACK.full}
        """The cards that beat every card of a mask within one suit."""
        for run in runs_of(PACK.width, 0):
            for cards in run[1:]:
                above = game.trick_rules.above
                mask = sum(1 << card for card in cards)
                beaten = PACK.suits[PACK.suit_of[cards[0]]]
                for card in cards:
                    beaten &= above[card]
                self.above_all[mask] = beaten

    def finish(self, deal: Deal) -> None:
        """Play a deal to its end."""
        follow, lead = self._follow, self._lead
        while deal.to_act is not None:
            if deal.phase != PLAY:
                deal.apply(self._choose(deal))
            elif deal.trick.mask:
                deal.apply(follow(deal, deal.to_act))
            else:
                deal.apply(lead(deal, deal.to_act))

    def _choose(self, deal: Deal) -> int:
        """The action for a seat that plays no card: it passes, and names its bid as contract."""
        legal = deal.legal()
        assert deal.to_act is not None
        hand = deal.hands[deal.to_act]
        if deal.phase == GIVING:
            hand |= deal.chosen
            return max(legal, key=lambda action: self._help(action - GIVE, hand))
        if deal.phase in (RETURNING, DISCARDING):
            first = GIVE if deal.phase == RETURNING else DISCARD
            return min(legal, key=lambda action: self._use(action - first, hand))
        if deal.phase == ANSWER:
            return max(legal, key=lambda action: self.marriage[(action - self.game.named) % 4])
        return legal[0]

    # ---- exchange ----------------------------------------------------------------------------

    def _help(self, card: int, hand: int) -> float:
        """How much a card helps the partner who declares."""
        bit = 1 << card
        if bit & _ACE:
            return 30.0
        suit = PACK.suit_of[card]
        pair = self.pairs[suit]
        if bit & pair:
            return self.marriage[suit] * (0.6 if hand & pair == pair else 0.35)
        return 12.0 if bit & _TEN else self.points[card]

    def _use(self, card: int, hand: int) -> float:
        """How much a card is of use to the declarer."""
        bit = 1 << card
        suit = PACK.suit_of[card]
        value = self.points[card] + 4.0 * (hand & PACK.suits[suit]).bit_count()
        pair = self.pairs[suit]
        if bit & _ACE:
            value += 30
        elif bit & pair:
            value += self.marriage[suit] * (1.0 if hand & pair == pair else 0.2)
        return value

    # ---- tricks ------------------------------------------------------------------------------

    def _guarded(self, deal: Deal, seat: int) -> int:
        """Kings and queens of marriages that the side can still declare."""
        held = deal.hands[seat]
        partner = self.partner[seat]
        if partner is not None:
            held |= deal.hands[partner]
        held &= deal.open_royals
        guarded = 0
        if held & (held - 1):
            for pair in self.pairs:
                if held & pair == pair:
                    guarded |= pair
        return guarded

    def _follow(self, deal: Deal, seat: int) -> int:
        """Win for sure, or help a partner who does; else throw the cheapest."""
        hands, trick, game = deal.hands, deal.trick, self.game
        hand = hands[seat]
        legal = trick.legal(hand)
        if deal.winner < 0 and game.rules.ace_shows and hand & trick.led & _ACE:
            legal = hand & trick.led & _ACE
        if not legal & (legal - 1):
            return CARD - 1 + legal.bit_length()
        left = game.seats - len(trick.plays) - 1
        beats = trick.beats
        later = self.later_foes[seat][left]
        won = game.sides[trick.winner] == game.sides[seat]
        if won:
            for foe in later:
                if trick.legal(hands[foe]) & beats:
                    won = False
                    break
        sure = legal if won else self._sure(hands, deal, legal & beats, later)
        if legal & deal.open_royals:
            guarded = self._guarded(deal, seat)
            legal = legal & ~guarded or legal
            sure = sure & ~guarded or sure
        return pick(sure, DEAR) if sure else pick(legal, CHEAP)

    def _sure(self, hands: Sequence[int], deal: Deal, winners: int, later: list[int]) -> int:
        """Those among the cards that would win now which no later foe can beat."""
        if not winners or not later:
            return winners
        led = deal.trick.led
        ruffs = not winners & led
        trumps = deal.trick.trumps
        against = 0
        for foe in later:
            hand = hands[foe]
            if hand & led:
                if not ruffs:
                    against |= hand & led
            elif hand & trumps:
                if not ruffs:
                    return 0
                against |= hand & trumps
        return winners & self.above_all[against]

    def _lead(self, deal: Deal, seat: int) -> int:
        """Declare or ask; draw trumps, cash what cannot be beaten, else reach for the partner."""
        hands = deal.hands
        hand = hands[seat]
        if deal.window:
            action = self._announce(deal, seat, hand)
            if action:
                return action
        elif deal.winner < 0 and self.game.rules.first_lead != "any":
            hand = sum(1 << action - CARD for action in deal.legal())
        foes = [hands[foe] for foe in self.foes[seat]]
        against = 0
        for foe in foes:
            against |= foe
        trumps = PACK.suits[deal.trump] if deal.trump >= 0 else 0
        drawn = not against & trumps
        partner = self.partner[seat]
        helper = hands[partner] if partner is not None else 0
        sure = reach = 0
        for suit in PACK.suits:
            mine = hand & suit
            if mine:
                if not drawn and suit != trumps and any(
                    foe & trumps and not foe & suit for foe in foes
                ):
                    continue
                above = self.above_all[against & suit]
                sure |= mine & above
                if helper & suit & above:
                    reach |= mine
        if hand & deal.open_royals:
            guarded = self._guarded(deal, seat)
            sure &= ~guarded
            reach &= ~guarded
            hand = hand & ~guarded or hand
        if sure:
            return pick(sure if drawn else sure & trumps or sure, LEAD)
        return pick(reach or hand, CHEAP)

    def _announce(self, deal: Deal, seat: int, hand: int) -> int:
        """The dearest declaration or ask that makes trump; 0 when there is none."""
        game = self.game
        held = hand & deal.open_royals
        if not deal.no_declare >> seat & 1 and held & (held - 1):
            for suit in self.by_value:
                if held & self.pairs[suit] == self.pairs[suit]:
                    return game.declare + suit
        partner = self.partner[seat]
        if partner is None or not deal.open_royals:
            return 0
        other = deal.hands[partner] & deal.open_royals
        for suit in self.by_value:
            pair = self.pairs[suit]
            if other & pair:
                if held & pair and game.rules.ask_half != "none":
                    return game.half + suit
                if (
                    other & pair == pair
                    and game.rules.ask_whole
                    and not deal.no_whole >> seat & 1
                    and hand & (hand - 1)
                ):
                    return game.whole
        return 0
