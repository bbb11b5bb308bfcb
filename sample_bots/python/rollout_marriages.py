"""Quick policies for the games in which marriages make trump; they see all hands (rollout.py)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from protocol.messages import AnyView, HuutopussiView
from referee.games.game import net
from referee.games.huutopussi import (
    DISCARD,
    DISCARDING,
    GIVE,
    GIVING,
    RETURNING,
    Huutopussi,
)
from referee.games.huutopussi import Deal as HuutopussiDeal
from referee.games.marriages import MarriageDeal, MarriageGame
from referee.games.tricktaking import ANSWER, PLAY
from sample_bots.python.rollout import Rollout, rank_masks

GameKind = TypeVar("GameKind", bound=MarriageGame)
DealKind = TypeVar("DealKind", bound=MarriageDeal)

LOW = "6789"
"""Ranks that count nothing and make no difference to these policies."""
SPARE = 0.3
"""The weight of points beside the net, so that contracts are made with something to spare."""
EARNED = 0.5
"""The part of its points that a declarer is taken to earn while no contract is named."""


class MarriageRollout(Rollout[GameKind, DealKind]):
    """Tricks, declarations and asks, alike in all these games."""

    royals = True

    def __init__(self, game: GameKind) -> None:
        super().__init__(game, game.trick_rules)
        pack = game.pack
        self.suits = pack.suits
        self.pairs = game.marriages.kings_queens
        self.cheap = rank_masks(pack, (LOW, *"JQKTA"))
        """Ranks in the order in which they are thrown away."""
        self.dear = rank_masks(pack, (*"TKQJ", LOW, "A"))
        """Ranks in the order in which they go to a trick that is won: an ace wins its own."""
        self.high = rank_masks(pack, (*"ATKQJ", LOW))
        """Ranks in the order in which cards are led that nobody can beat."""
        self.asks_half = game.marriages.ask_half != "none"
        self.asks_whole = game.marriages.ask_whole
        self.asks = self.asks_half or self.asks_whole

    def finish(self, deal: DealKind) -> None:
        """Play a deal to its end."""
        follow, lead, apply = self.follow, self.lead, deal.apply
        while (seat := deal.to_act) is not None:
            if deal.phase != PLAY:
                apply(self.choose(deal, seat))
            elif deal.trick.mask:
                apply(follow(deal, seat))
            else:
                apply(lead(deal, seat))

    def choose(self, deal: DealKind, seat: int) -> int:
        """The action for a seat that plays no card: here, which marriage it names."""
        order = self.suit_order(deal.hands[seat])
        named = self.game.named
        return min(deal.legal_answer(), key=lambda action: order.index((action - named) % 4))

    def suit_order(self, hand: int) -> Sequence[int]:
        """Suits in the order in which a seat with this hand would have them as trump."""
        suits = self.suits
        return sorted(range(4), key=lambda suit: -(hand & suits[suit]).bit_count())

    def allowed(self, deal: DealKind, hand: int) -> int:
        """The cards of a hand that may be played to a trick that has begun."""
        return deal.trick.legal(hand)

    def leads(self, deal: DealKind, hand: int) -> int:
        """The cards of a hand that may be led."""
        raise NotImplementedError

    def barred(self, _deal: DealKind, _seat: int) -> int:
        """1 when a seat may not declare, 2 when it may not ask for a whole, or both added."""
        return 0

    # ---- tricks ------------------------------------------------------------------------------

    def guarded(self, deal: DealKind, seat: int) -> int:
        """Kings and queens of marriages that the side can still declare."""
        held = deal.hands[seat]
        partner = self.partner[seat]
        if partner is not None and self.asks:
            held |= deal.hands[partner]
        held &= deal.open_royals
        guarded = 0
        if held & (held - 1):
            for pair in self.pairs:
                if held & pair == pair:
                    guarded |= pair
        return guarded

    def follow(self, deal: DealKind, seat: int) -> int:
        """Win for sure, or help a partner who does; else throw the cheapest."""
        hands, trick, game = deal.hands, deal.trick, self.game
        legal = self.allowed(deal, hands[seat])
        if not legal & (legal - 1):
            return self.first - 1 + legal.bit_length()
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
            guarded = self.guarded(deal, seat)
            legal = legal & ~guarded or legal
            sure = sure & ~guarded or sure
        return self.pick(sure, self.dear) if sure else self.pick(legal, self.cheap)

    def _sure(self, hands: Sequence[int], deal: DealKind, winners: int, later: list[int]) -> int:
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

    def lead(self, deal: DealKind, seat: int) -> int:
        """Declare or ask; draw trumps, cash what cannot be beaten, else reach for the partner."""
        hands = deal.hands
        hand = hands[seat]
        if deal.window:
            action = self.announce(deal, seat, hand)
            if action:
                return action
        else:
            hand = self.leads(deal, hand)
        foes = [hands[foe] for foe in self.foes[seat]]
        against = 0
        for foe in foes:
            against |= foe
        trumps = self.suits[deal.trump] if deal.trump >= 0 else 0
        drawn = not against & trumps
        partner = self.partner[seat]
        other = hands[partner] if partner is not None else 0
        sure = reach = 0
        for suit in self.suits:
            mine = hand & suit
            if mine:
                if not drawn and suit != trumps and any(
                    foe & trumps and not foe & suit for foe in foes
                ):
                    continue
                above = self.above_all[against & suit]
                sure |= mine & above
                if other & suit & above:
                    reach |= mine
        if hand & deal.open_royals:
            guarded = self.guarded(deal, seat)
            sure &= ~guarded
            reach &= ~guarded
            hand = hand & ~guarded or hand
        if sure:
            return self.pick(sure if drawn else sure & trumps or sure, self.high)
        return self.pick(reach or hand, self.cheap)

    def announce(self, deal: DealKind, seat: int, hand: int) -> int:
        """The dearest declaration or ask that makes a marriage; 0 when there is none."""
        if not deal.open_royals:
            return 0
        game = self.game
        held = hand & deal.open_royals
        barred = self.barred(deal, seat)
        order = self.suit_order(hand)
        if not barred & 1 and held & (held - 1):
            for suit in order:
                if held & self.pairs[suit] == self.pairs[suit]:
                    return game.declare + suit
        partner = self.partner[seat]
        if partner is None or not self.asks:
            return 0
        other = deal.hands[partner] & deal.open_royals
        for suit in order:
            pair = self.pairs[suit]
            if other & pair:
                if held & pair and self.asks_half:
                    return game.half + suit
                if (
                    other & pair == pair
                    and self.asks_whole
                    and not barred & 2
                    and hand & (hand - 1)
                ):
                    return game.whole
        return 0


class HuutopussiRollout(MarriageRollout[Huutopussi, HuutopussiDeal]):
    """Huutopussi: the exchange too; in the auction everybody passes."""

    def __init__(self, game: Huutopussi) -> None:
        super().__init__(game)
        self.marriage = game.scorer.marriage
        self.points = [self.worth(card) for card in range(game.pack.size)]
        self.by_value = sorted(range(4), key=lambda suit: -self.marriage[suit])
        """Suits by the points of their marriages, most first."""
        self.aces, self.tens = rank_masks(game.pack, "AT")

    def worth(self, card: int) -> int:
        """The card's points."""
        return self.game.scorer.card_points(1 << card)

    def suit_order(self, _hand: int) -> Sequence[int]:
        """Suits by the points of their marriages."""
        return self.by_value

    def choose(self, deal: HuutopussiDeal, seat: int) -> int:
        """The action for a seat that plays no card: it passes, and names its bid as contract."""
        legal = deal.legal()
        hand = deal.hands[seat]
        if deal.phase == GIVING:
            hand |= deal.chosen
            return max(legal, key=lambda action: self._help(action - GIVE, hand))
        if deal.phase in (RETURNING, DISCARDING):
            first = GIVE if deal.phase == RETURNING else DISCARD
            return min(legal, key=lambda action: self._use(action - first, hand))
        if deal.phase == ANSWER:
            return max(legal, key=lambda action: self.marriage[(action - self.game.named) % 4])
        return legal[0]

    def allowed(self, deal: HuutopussiDeal, hand: int) -> int:
        """The duties of the trick; with `ace_shows` the first one takes the ace of its suit."""
        trick = deal.trick
        if deal.winner < 0 and self.game.rules.ace_shows and hand & trick.led & self.aces:
            return hand & trick.led & self.aces
        return trick.legal(hand)

    def leads(self, deal: HuutopussiDeal, hand: int) -> int:
        """Any card, but to the first trick of some rulesets."""
        if deal.winner < 0 and self.game.rules.first_lead != "any":
            return sum(1 << action - self.first for action in deal.legal())
        return hand

    def barred(self, deal: HuutopussiDeal, seat: int) -> int:
        """What an ask has cost the seat, in some rulesets."""
        return (deal.no_declare >> seat & 1) + 2 * (deal.no_whole >> seat & 1)

    def value(self, deal: HuutopussiDeal, side: int) -> float:
        """The net, and a little for every point won beyond what counts."""
        return net(deal.points(), side) + SPARE * net(deal.raw(), side)

    def measure(self, view: AnyView) -> Callable[[HuutopussiDeal, int], float]:
        """In the auction and until the contract is named, what a sensible one would earn."""
        assert isinstance(view, HuutopussiView)
        auction = view.phase == "bid"
        unnamed = view.contract is None and view.declarer is not None
        return expected_net if auction or unnamed else self.value

    def candidates(self, view: AnyView, legal: Sequence[str]) -> list[str]:
        """In the auction, to pass or to bid the least; a redeal whenever it is offered."""
        if "redeal" in legal:
            return ["redeal"]
        if view.phase != "bid":
            return super().candidates(view, legal)
        bids = [action for action in legal if action.startswith("bid:")]
        return ["pass", bids[0]] if bids and "pass" in legal else [legal[0]]

    # ---- exchange ----------------------------------------------------------------------------

    def _help(self, card: int, hand: int) -> float:
        """How much a card helps the partner who declares."""
        bit = 1 << card
        if bit & self.aces:
            return 30.0
        suit = self.game.pack.suit_of[card]
        pair = self.pairs[suit]
        if bit & pair:
            return self.marriage[suit] * (0.6 if hand & pair == pair else 0.35)
        return 12.0 if bit & self.tens else self.points[card]

    def _use(self, card: int, hand: int) -> float:
        """How much a card is of use to the declarer."""
        bit = 1 << card
        suit = self.game.pack.suit_of[card]
        value = self.points[card] + 4.0 * (hand & self.suits[suit]).bit_count()
        pair = self.pairs[suit]
        if bit & self.aces:
            value += 30
        elif bit & pair:
            value += self.marriage[suit] * (1.0 if hand & pair == pair else 0.2)
        return value


def expected_net(deal: HuutopussiDeal, side: int) -> float:
    """The net of a finished deal whose contract is still to be named by the declarer."""
    points: list[float] = list(deal.raw())
    if deal.declarer is not None:
        declaring = deal.game.sides[deal.declarer]
        raw, bid = points[declaring], deal.game.bids[deal.high]
        points[declaring] = max(EARNED * raw, bid) if raw >= bid else -bid
    return net(points, side)
