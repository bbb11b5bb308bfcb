"""Quick policies for Tuppi and Minnesota Whist; they see all hands (rollout.py)."""

from collections.abc import Sequence

from protocol.messages import AnyView, TuppiView
from referee.games.tricktaking import PLAY
from referee.games.tuppi import DISCARDING, OFFER, RETURNING, Tuppi
from referee.games.tuppi import Deal as TuppiDeal
from referee.games.whist import BIDDING, PACK, WhistDeal, WhistGame
from sample_bots.python.rollout import Rollout, rank_masks
from sample_bots.python.sooli import caught

STRENGTH = {"A": 8, "K": 8, "Q": 6, "J": 2, "T": 1, "9": 1, "5": -1, "4": -1, "3": -1, "2": -1}
"""What a card says for taking tricks rather than losing them."""
BID_HIGH = 29
"""The strength of a hand that bids to take tricks."""
SOOLI = 0.25
"""The danger up to which a hand is played alone."""

FLATTERED = 1.0
"""The tricks by which those who bid to take them do better here than at a table."""


class WhistRollout(Rollout[WhistGame, WhistDeal]):
    """Bids, tricks to take and tricks to lose."""

    times = {**Rollout.times, "bid": 6, "sooli": 6}

    def __init__(self, game: WhistGame, grand_points: int) -> None:
        """`grand_points` are those for a trick of a side that bid to take tricks."""
        super().__init__(game, game.trick_rules)
        self.low_first = rank_masks(PACK, "23456789TJQKA")
        self.high_first = self.low_first[::-1]
        self.strength = [
            (mask, STRENGTH[rank])
            for rank, mask in zip(PACK.ranks, self.low_first, strict=True)
            if rank in STRENGTH
        ]
        self.alone = game.sooli_rules if isinstance(game, Tuppi) else game.trick_rules
        self.flattered = FLATTERED * grand_points
        ace_low = self.alone.above[PACK.index["AS"]] != 0
        self.low_alone = rank_masks(PACK, "A23456789TJQK" if ace_low else PACK.ranks)
        self.high_alone = self.low_alone[::-1]

    def worth(self, _card: int) -> int:
        """A trick is a trick, whatever is in it."""
        return 0

    def value(self, deal: WhistDeal, side: int) -> float:
        """The net, with what those who take tricks owe to seeing all hands taken off."""
        value = super().value(deal, side)
        if deal.contract == self.game.high and deal.declarer is not None:
            ours = self.game.sides[deal.declarer] == side
            value += -self.flattered if ours else self.flattered
        return value

    def above(self, view: AnyView) -> Sequence[int]:
        """The order of sooli, where one is played."""
        alone = isinstance(view, TuppiView) and view.soloist is not None
        return self.alone.above if alone else super().above(view)

    def finish(self, deal: WhistDeal) -> None:
        """Play a deal to its end."""
        apply = deal.apply
        while deal.phase != PLAY:
            seat = deal.to_act
            if seat is None:
                return
            apply(self._choose(deal, seat))
        if isinstance(deal, TuppiDeal) and deal.soloist is not None:
            self._finish_sooli(deal, deal.soloist)
            return
        low = deal.contract == self.game.low
        lead = self._lead_low if low else self._lead_high
        follow = self._duck if low else self._take
        while (seat := deal.to_act) is not None:
            apply((follow if deal.trick.mask else lead)(deal, seat))

    # ---- bids and exchange -------------------------------------------------------------------

    def _choose(self, deal: WhistDeal, seat: int) -> int:
        """The action for a seat that plays no card."""
        hand = deal.hands[seat]
        legal = deal.legal()
        if deal.phase == BIDDING:
            if self._strength(hand) < BID_HIGH:
                return legal[0]
            return next(action for action in legal if action >= self.game.high_bid)
        if deal.phase == OFFER:
            return legal[-1] if self.danger(hand) <= SOOLI else legal[0]
        if deal.phase in (RETURNING, DISCARDING):
            card = self._worst(hand)
        else:
            card = self.pick(hand, self.low_alone) - self.first
        return legal[PACK.cards(hand).index(card)]

    def _strength(self, hand: int) -> int:
        """How much more a hand is for taking tricks than for losing them."""
        strength = sum((hand & mask).bit_count() * count for mask, count in self.strength)
        return strength - sum(max(0, (hand & suit).bit_count() - 4) for suit in PACK.suits)

    def danger(self, hand: int) -> float:
        """How likely a sooli fails with this hand, its worst card aside."""
        dangers = [danger for danger, _ in self._dangers(hand)]
        return sum(dangers) - max(dangers)

    def _worst(self, hand: int) -> int:
        """The card that most probably wins a trick in sooli."""
        return max(self._dangers(hand))[1]

    def _dangers(self, hand: int) -> list[tuple[float, int]]:
        """(danger, card) of the worst card in each suit of a hand."""
        found: list[tuple[float, int]] = []
        for suit in PACK.suits:
            own = 0
            worst = (0.0, 0)
            for rank, mask in enumerate(self.low_alone):
                card = hand & suit & mask
                if card:
                    danger = caught(rank - own, own + 1)
                    own += 1
                    worst = max(worst, (danger, card.bit_length() - 1))
            if own:
                found.append(worst)
        return found

    # ---- to take tricks ----------------------------------------------------------------------

    def _take(self, deal: WhistDeal, seat: int) -> int:
        """Win with the lowest card that nobody can beat, unless the partner wins; else the lowest.

        Cards of one suit rise with their rank, so the lowest is the lowest bit.
        """
        hands, trick = deal.hands, deal.trick
        hand = hands[seat]
        led = trick.led
        same = hand & led
        if not same:
            return self._discard(deal, seat, hand)
        first = self.first - 1
        if same & (same - 1):
            against = 0
            for foe in self.later_foes[seat][3 - len(trick.plays)]:
                against |= hands[foe] & led
            beats = trick.beats
            ours = (trick.winner - seat) & 1 == 0
            if not ours or against & beats:
                sure = same & beats & self.above_all[against]
                if sure:
                    return first + (sure & -sure).bit_length()
        return first + (same & -same).bit_length()

    def _discard(self, deal: WhistDeal, seat: int, hand: int) -> int:
        """The lowest card, of a suit in which nothing is won if there is one."""
        foes = self.foes[seat]
        against = deal.hands[foes[0]] | deal.hands[foes[1]]
        poor = 0
        for suit in PACK.suits:
            mine = hand & suit
            if mine and not mine & self.above_all[against & suit]:
                poor |= mine
        return self.pick(poor or hand, self.low_first)

    def _lead_high(self, deal: WhistDeal, seat: int) -> int:
        """What nobody beats, the longest suit first; else low where the partner wins, else low."""
        hands = deal.hands
        hand = hands[seat]
        foes = self.foes[seat]
        against = hands[foes[0]] | hands[foes[1]]
        other = hands[(seat + 2) & 3]
        first = self.first - 1
        reach = best = longest = 0
        for suit in PACK.suits:
            mine = hand & suit
            if mine:
                above = self.above_all[against & suit]
                sure = mine & above
                if sure and mine.bit_count() > longest:
                    longest = mine.bit_count()
                    best = sure
                elif other & suit & above:
                    reach |= mine
        if best:
            return first + best.bit_length()
        return self.pick(reach or hand, self.low_first)

    # ---- to lose tricks ----------------------------------------------------------------------

    def _duck(self, deal: WhistDeal, seat: int) -> int:
        """The highest card below a foe's; what wins is thrown when it costs nothing."""
        trick = deal.trick
        hand = deal.hands[seat]
        same = hand & trick.led
        if not same:
            return self.pick(hand, self.high_first)
        first = self.first - 1
        if same & (same - 1):
            left = 3 - len(trick.plays)
            ours = (trick.winner - seat) & 1 == 0
            if not left:
                under = 0 if ours else same & ~trick.beats
                return first + (under or same).bit_length()
            under = same & ~trick.beats
            if under:
                return first + under.bit_length()
            against = 0
            for foe in self.later_foes[seat][left]:
                against |= deal.hands[foe] & trick.led
            if against < same & -same:
                # No foe can take it any more, so the trick may as well cost the highest card.
                return first + same.bit_length()
        return first + (same & -same).bit_length()

    def _lead_low(self, deal: WhistDeal, seat: int) -> int:
        """A low card where foes have the fewest lower ones, but some that are higher."""
        hands = deal.hands
        hand = hands[seat]
        foes = self.foes[seat]
        against = hands[foes[0]] | hands[foes[1]]
        best, risk = 0, 99
        for suit in PACK.suits:
            mine = hand & suit
            if mine:
                low = mine & -mine
                theirs = against & suit
                lower = (theirs & (low - 1)).bit_count()
                this = 2 * lower - (theirs.bit_count() - lower) if theirs > low else 50 + lower
                if this < risk:
                    best, risk = low, this
        return self.first - 1 + best.bit_length()

    # ---- sooli -------------------------------------------------------------------------------

    def _finish_sooli(self, deal: TuppiDeal, soloist: int) -> None:
        """The opponents stay as low as they can, the soloist just below them."""
        hands = deal.hands
        while (seat := deal.to_act) is not None:
            hand = hands[seat]
            trick = deal.trick
            if not trick.mask:
                action = self._lead_against(hand, hands[(seat + 2) % 4], hands[soloist])
            elif not hand & trick.led:
                action = self.pick(hand, self.high_alone)
            elif seat == soloist:
                under = hand & trick.led & ~trick.beats
                action = (
                    self.pick(under, self.high_alone)
                    if under
                    else self.pick(hand & trick.led, self.low_alone)
                )
            else:
                action = self.pick(hand & trick.led, self.low_alone)
            deal.apply(action)

    def _lead_against(self, hand: int, other: int, solo: int) -> int:
        """A card that the soloist must take; else the lowest of a suit that it holds."""
        held = 0
        for suit in PACK.suits:
            theirs, mine = solo & suit, hand & suit
            if theirs and mine:
                held |= mine
                below = mine & ~self._from(theirs)
                if below and (not other & suit or other & suit & ~self._from(theirs)):
                    return self.pick(below, self.low_alone)
        return self.pick(held or hand, self.low_alone)

    def _from(self, cards: int) -> int:
        """The cards of a suit from the lowest of these upwards."""
        for rank in self.low_alone:
            if cards & rank:
                low = cards & rank
                return low | self.alone.above[low.bit_length() - 1]
        return 0
