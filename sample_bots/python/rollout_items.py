"""Quick policies for Marjapussi and Bondtolva; they see all hands (rollout.py)."""

from typing import TypeVar

from referee.games.game import net
from referee.games.items import ItemScorer, worth
from referee.games.marjapussi import Deal as MarjapussiDeal
from referee.games.marjapussi import Marjapussi
from referee.games.marriages import MarriageDeal, MarriageGame
from referee.games.stock import DECLARING, PASS, StockDeal, StockGame
from sample_bots.python.rollout_marriages import MarriageRollout

ItemGame = TypeVar("ItemGame", bound=MarriageGame)
ItemDeal = TypeVar("ItemDeal", bound=MarriageDeal)

MAJORITY = 0.4
"""The weight beside the net of the share of mates that is won: the majority may hang on it."""


class ItemRollout(MarriageRollout[ItemGame, ItemDeal]):
    """What both games count: marriages, mates, the last trick."""

    def __init__(self, game: ItemGame, scorer: ItemScorer) -> None:
        super().__init__(game)
        self.majority = scorer.majority
        self.mates = sum(mask for mask, _ in self.majority)
        self.all_mates = self.worth_of(game.pack.full)

    def worth_of(self, cards: int) -> int:
        """What the cards of a mask count towards most mates."""
        return worth(cards, self.majority)

    def worth(self, card: int) -> int:
        """What a card counts towards most mates."""
        return self.worth_of(1 << card)

    def value(self, deal: ItemDeal, side: int) -> float:
        """The net, and a little for every mate."""
        mates = net([self.worth_of(cards) for cards in deal.taken], side)
        return net(deal.points(), side) + MAJORITY * mates / self.all_mates


class MarjapussiRollout(ItemRollout[Marjapussi, MarjapussiDeal]):
    """Marjapussi without a stock."""

    def allowed(self, deal: MarjapussiDeal, hand: int) -> int:
        """The duties of the trick, lighter in some rulesets while the partner is winning."""
        trick = deal.trick
        if self.game.rules.spare_partner and self.partner[trick.winner] == deal.to_act:
            return trick.legal_unbeaten(hand)
        return trick.legal(hand)

    def leads(self, deal: MarjapussiDeal, hand: int) -> int:
        """Any card, but to the first trick, or after a declaration in some rulesets."""
        if deal.winner < 0 or deal.made:
            return sum(1 << action - self.first for action in deal.legal())
        return hand


class StockRollout(ItemRollout[StockGame, StockDeal]):
    """Two players; while the stock lasts any card may be played."""

    def leads(self, _deal: StockDeal, hand: int) -> int:
        """Any card."""
        return hand

    def choose(self, deal: StockDeal, seat: int) -> int:
        """Declare whatever there is, the longest suit first."""
        if deal.phase != DECLARING:
            return super().choose(deal, seat)
        return self.announce(deal, seat, deal.hands[seat]) or PASS

    def follow(self, deal: StockDeal, seat: int) -> int:
        """While the stock lasts: win mates, and what lets a marriage be declared or bars one."""
        trick = deal.trick
        if trick.rules is self.game.trick_rules:
            return super().follow(deal, seat)
        hand = deal.hands[seat]
        free = hand & ~self.guarded(deal, seat) or hand
        winners = free & trick.beats
        if winners:
            trumps = trick.trumps
            plain = winners & ~trumps
            if plain & self.mates:
                return self.pick(plain & self.mates, self.dear)
            if trick.mask & self.mates or self.hopes(deal):
                return self.pick(plain or winners, self.cheap)
        return self.pick(free, self.cheap)

    def lead(self, deal: StockDeal, seat: int) -> int:
        """While the stock lasts: mates that nobody beats, and what lets a marriage be declared."""
        if deal.trick.rules is self.game.trick_rules:
            return super().lead(deal, seat)
        hand = deal.hands[seat]
        foe = deal.hands[1 - seat]
        free = hand & ~self.guarded(deal, seat) or hand
        trumps = deal.trick.trumps
        sure = 0
        for suit in self.suits:
            if free & suit and (suit == trumps or not foe & trumps):
                sure |= free & suit & self.above_all[foe & suit]
        if sure & self.mates & ~trumps:
            return self.pick(sure & self.mates & ~trumps, self.dear)
        if sure and self.hopes(deal):
            return self.pick(sure & ~trumps or sure, self.cheap)
        return self.pick(free, self.cheap)

    def hopes(self, deal: StockDeal) -> bool:
        """Whether either player holds a marriage that the next trick may let it declare."""
        return any(
            hand & deal.open_royals & pair == pair for pair in self.pairs for hand in deal.hands
        )
