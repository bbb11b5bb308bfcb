"""Rules of thumb for games in which marriages make trump: declarations, asks and tricks."""

from protocol.messages import BondtolvaView, HuutopussiView, MarjapussiView, Start
from sample_bots.python.reading import SUITS, Reading

CARD_POINTS = {
    "classic": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2},
    "simple": {"A": 10, "T": 10, "K": 5, "Q": 5, "J": 5},
}
OTHER_HALF = {"K": "Q", "Q": "K"}


class MarriageMind(Reading):
    """One ask of such a game, thought about."""

    points: dict[str, int]
    """What each card counts in a trick."""
    marriage: dict[str, int]
    """What a marriage of each suit is worth, on the scale of `points`."""

    def __init__(
        self,
        view: HuutopussiView | MarjapussiView | BondtolvaView,
        start: Start,
        order: str,
        size: int,
    ) -> None:
        super().__init__(view, start, order, size)
        self.declared = view.declared
        asked = [] if isinstance(view, BondtolvaView) else view.asked
        self.refused = {ask for seat, ask, answer in asked if (seat, answer) == (self.seat, "no")}
        """What this seat has asked for in vain."""
        gone = {card[1] for card in self.played if card[0] in OTHER_HALF}
        gone |= {suit for _, suit in view.declared}
        self.open = [suit for suit in SUITS if suit not in gone]
        """Suits that can still be declared."""

    # ---- declarations ------------------------------------------------------------------------

    def announcement(self, legal: list[str]) -> str | None:
        """The dearest marriage in hand, else the dearest half, else a whole that may be there."""
        declarations = [action for action in legal if action.startswith("declare:")]
        halves = [action for action in legal if self.hopeful(action)]
        for choices in (declarations, halves):
            if choices:
                return max(choices, key=lambda action: self.marriage[action[-1]])
        hope = "whole" in legal and "whole" not in self.refused and self.maybe_whole()
        return "whole" if hope else None

    def hopeful(self, action: str) -> bool:
        """Whether this is an ask for a half that was not refused and completes a marriage."""
        if not action.startswith("half:") or action in self.refused:
            return False
        suit = action[-1]
        held = [rank + suit for rank in "KQ" if rank + suit in self.hand]
        return len(held) == 1

    def pair(self, suit: str) -> bool:
        """Whether king and queen of a suit are in hand."""
        return "K" + suit in self.hand and "Q" + suit in self.hand

    def maybe_whole(self) -> bool:
        """Whether the partner can hold a marriage."""
        return any({"K" + suit, "Q" + suit} <= self.unseen for suit in self.open)

    # ---- tricks ------------------------------------------------------------------------------

    def price(self, card: str) -> float:
        """What is lost with a card when somebody else wins it."""
        rank, suit = card[0], card[1]
        price = 2.0 * self.points[card] + self.strength[card] / 2
        if suit == self.trump:
            price += 8
        if rank in OTHER_HALF and suit in self.open:
            half = 0.25 if self.partners else 0.0
            price += self.marriage[suit] * (0.8 if self.pair(suit) else half)
        return price

    def card(self, cards: list[str]) -> str:
        """The card to play."""
        if len(cards) == 1:
            return cards[0]
        return self.follow(cards) if self.trick else self.lead(cards)

    def lead(self, cards: list[str]) -> str:
        """Draw trumps from the top, cash what cannot be beaten, else give up the cheapest."""
        trump = self.trump
        masters = [card for card in cards if self.master(card)]
        out = any(card[1] == trump for card in self.unseen)
        draw = [card for card in masters if card[1] == trump and out and self.our_trump()]
        sure = draw or [card for card in masters if card[1] != trump or not out]
        if sure and min(self.price(card) for card in sure) < 60:
            return max(sure, key=lambda card: (self.price(card) < 60, self.points[card]))
        return min(cards, key=self.price)

    def our_trump(self) -> bool:
        """Whether one's own side has made trump."""
        raise NotImplementedError

    def follow(self, cards: list[str]) -> str:
        """Win cheaply, smear points to a partner who wins, else throw the cheapest."""
        best_seat, best = self.winning()
        last = len(self.trick) == len(self.sides) - 1
        if self.ours(best_seat) and (last or self.master(best)):
            return max(cards, key=self.smeared)
        winners = [card for card in cards if self.beats(card, best)]
        if winners and last:
            return max(winners, key=self.smeared)
        sure = [card for card in winners if self.master(card)]
        return min(sure or cards, key=self.price)

    def smeared(self, card: str) -> float:
        """What a card adds to a trick that one's own side wins, less what it is worth in hand."""
        return 2.5 * self.points[card] - self.price(card)
