"""Rules of thumb for Marjapussi and Bondtolva: marriages first, then mates and the last trick.

Points are few here: 2 and 1 for marriages, 1 each for the last trick and for most mates. They are
put on the scale of card points, on which greedy_marriages.py weighs cards.
"""

from protocol.messages import BondtolvaView, MarjapussiView, Start
from sample_bots.python.greedy_marriages import CARD_POINTS, OTHER_HALF, MarriageMind
from sample_bots.python.reading import ACE_TEN, SUITS

POINT = 40
"""What a point of the game is on the scale of card points."""
MATES = {"A": 10, "T": 10}
"""An ace or ten, on that scale: it takes some of them to turn the majority."""


class ItemMind(MarriageMind):
    """One ask of Marjapussi without a stock, thought about."""

    def __init__(self, view: MarjapussiView | BondtolvaView, start: Start) -> None:
        rules = start.rules
        super().__init__(view, start, ACE_TEN, rules["deck"])
        self.view = view
        by_points = rules.get("mates_by") == "card_points"
        points = CARD_POINTS[rules["card_points"]] if by_points else MATES
        self.points = {card: points.get(card[0], 0) for card in self.pack}
        worth = rules["little_points"] if view.declared else rules["trump_points"]
        self.marriage = {suit: POINT * worth + self.support(suit) for suit in SUITS}

    def support(self, suit: str) -> int:
        """What else a hand holds of a suit that may become trump."""
        return 2 * self.length(suit) + 3 * ("A" + suit in self.hand)

    def decide(self, legal: list[str]) -> str:
        """The best action by the rule of thumb for this phase."""
        if self.view.phase == "answer":
            return max(legal, key=lambda action: self.marriage.get(action[-1], 0))
        cards = [action for action in legal if action in self.strength]
        return self.announcement(legal) or (self.card(cards) if cards else legal[0])

    def our_trump(self) -> bool:
        """Whether one's own side has made the first marriage, which is trump."""
        return self.trump is not None and self.ours(self.declared[0][0])


class StockMind(ItemMind):
    """One ask of Bondtolva, or of Marjapussi for two: while the stock lasts any card may follow."""

    def card(self, cards: list[str]) -> str:
        """The card to play."""
        if not self.view.stock or len(cards) == 1:
            return super().card(cards)
        cheap = [card for card in cards if not self.kept(card)] or cards
        return self.answer_open(cheap) if self.trick else self.lead_open(cheap)

    def kept(self, card: str) -> bool:
        """Whether a card is half of a marriage that can still be declared."""
        return card[0] in OTHER_HALF and card[1] in self.open and self.pair(card[1])

    def wants_trick(self) -> bool:
        """Whether there is a marriage to be declared after the next trick won."""
        return any(self.pair(suit) for suit in self.open)

    def sure(self, card: str) -> bool:
        """Whether no card that may be out wins a trick led with this one."""
        trumped = self.trump and self.trump != card[1]
        ruffs = trumped and any(other[1] == self.trump for other in self.unseen)
        return not ruffs and self.master(card)

    def lead_open(self, cards: list[str]) -> str:
        """Win at once to declare; bring mates home that nobody can beat; else the cheapest."""
        sure = [card for card in cards if self.sure(card)]
        if sure and self.wants_trick():
            return min(sure, key=self.price)
        mates = [card for card in sure if self.points[card]]
        return mates[0] if mates else min(cards, key=self.price)

    def answer_open(self, cards: list[str]) -> str:
        """Win mates, and any trick that is cheap or lets a marriage be declared."""
        led = self.trick[0][1]
        winners = [card for card in cards if self.beats(card, led)]
        if winners:
            best = max(winners, key=self.smeared)
            if self.points[led] or self.wants_trick() or self.points[best]:
                return best
            cheapest = min(winners, key=self.price)
            if self.price(cheapest) <= min(map(self.price, cards)) + 4:
                return cheapest
        return min(cards, key=self.price)
