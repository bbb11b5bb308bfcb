"""Rules of thumb for Tuppi and Minnesota Whist: to take tricks, to lose them, or to lose them all.

`rami` and `high` are bid with high cards, `nolo` and `low` with the others; sooli is for hands
that can stay below everything that is led.
"""

from protocol.messages import MinnesotaView, Start, TuppiView
from sample_bots.python.reading import ACE_LOW, PLAIN, SUITS, Reading
from sample_bots.python.sooli import caught

LOW_WORDS = ("nolo", "low")
PACK_SIZE = 52
STRENGTH = {"A": 8, "K": 8, "Q": 6, "J": 2, "T": 1, "9": 1, "5": -1, "4": -1, "3": -1, "2": -1}
"""What a card says for taking tricks rather than losing them; fits some thousand deals."""
BID_HIGH = 29
"""The strength from which a hand bids to take tricks: an average hand has 22."""
CASH = 8
"""With so many cards in hand sure tricks are led; before that a long suit is worked out."""
SOOLI = 0.25
"""The danger up to which a hand is played alone: it is wrong about so often."""


class WhistMind(Reading):
    """One ask of Tuppi or Minnesota Whist, thought about."""

    def __init__(self, view: TuppiView | MinnesotaView, start: Start) -> None:
        self.view = view
        self.soloist = view.soloist if isinstance(view, TuppiView) else None
        self.alone = self.soloist == view.seat
        solo = self.soloist is not None or view.phase == "sooli"
        low = solo and start.rules["sooli_ace"] == "low"
        self.exchange = solo and start.rules["sooli_exchange"] != "none"
        super().__init__(view, start, ACE_LOW if low else PLAIN, PACK_SIZE)
        if isinstance(view, TuppiView):
            self.unseen -= {*view.given, *view.discarded}

    def decide(self, legal: list[str]) -> str:
        """The best action by the rule of thumb for this phase."""
        phase = self.view.phase
        if phase == "bid":
            return self.bid(legal)
        if phase == "sooli":
            return "sooli" if self.danger() <= SOOLI else "pass"
        if phase == "give":
            return min(legal, key=lambda action: (self.strength[action[-2:]], action))
        if phase in ("return", "discard"):
            return max(legal, key=lambda action: (self.relief(action[-2:]), action))
        if len(legal) == 1:
            return legal[0]
        if self.soloist is not None:
            return self.play_alone(legal) if self.alone else self.play_against(legal)
        return self.duck(legal) if self.view.contract in LOW_WORDS else self.take(legal)

    # ---- what a hand is worth ----------------------------------------------------------------

    def high_strength(self) -> int:
        """How much more the hand is for taking tricks; a long suit has low cards to hide behind."""
        longer = sum(max(0, self.length(suit) - 4) for suit in SUITS)
        return sum(STRENGTH.get(card[0], 0) for card in self.hand) - longer

    def bid(self, legal: list[str]) -> str:
        """To take tricks with a strong hand; a bid that is shown by a card shows the lowest."""
        low = [action for action in legal if action.startswith(LOW_WORDS)]
        high = [action for action in legal if action not in low]
        return (high if self.high_strength() >= BID_HIGH else low)[0]

    def risk(self, suit: str, without: str = "") -> float:
        """How likely the soloist is caught in a suit, by the worst card that it holds there."""
        own = [card for card in self.hand if card[1] == suit and card != without]
        own.sort(key=self.strength.__getitem__)
        chances = [caught(self.below(card), place) for place, card in enumerate(own, 1)]
        return max(chances, default=0.0)

    def relief(self, card: str) -> float:
        """How much safer the hand is in sooli without a card."""
        return self.risk(card[1]) - self.risk(card[1], card)

    def danger(self) -> float:
        """How likely a sooli fails once the worst card is gone, if there is an exchange."""
        spared = max(map(self.relief, self.hand)) if self.exchange else 0.0
        return sum(map(self.risk, SUITS)) - spared

    # ---- tricks ------------------------------------------------------------------------------

    def above(self, card: str) -> int:
        """Unseen cards of its suit that beat a card."""
        return sum(self.beats(other, card) for other in self.unseen if other[1] == card[1])

    def below(self, card: str) -> int:
        """Unseen cards of its suit that a card beats."""
        return sum(other[1] == card[1] for other in self.unseen) - self.above(card)

    def lowest(self, cards: list[str]) -> str:
        """The lowest card, of the longest suit among equals."""
        return min(cards, key=lambda card: (self.strength[card], -self.length(card[1])))

    def highest(self, cards: list[str]) -> str:
        """The highest card."""
        return max(cards, key=lambda card: self.strength[card])

    def take(self, cards: list[str]) -> str:
        """Low from a long suit, later what cannot be beaten; follow with the cheapest winner."""
        if not self.trick:
            masters = [card for card in cards if self.master(card)]
            others = [card for card in cards if card not in masters]
            if masters and (len(cards) <= CASH or not others):
                return max(masters, key=lambda card: self.length(card[1]))
            return max(others, key=lambda card: (self.length(card[1]), -self.strength[card]))
        best_seat, best = self.winning()
        winners = [card for card in cards if self.beats(card, best)]
        turn = len(self.trick)
        safe = self.ours(best_seat) and (turn == 3 or not self.above(best))
        if not winners or safe or turn == 1:
            return self.lowest(cards)
        sure = [card for card in winners if turn == 3 or self.master(card)]
        if sure:
            return self.lowest(sure)
        if turn == 2 and self.above(best):
            return self.highest(winners)
        return self.lowest(cards)

    def duck(self, cards: list[str]) -> str:
        """Stay below the best card, as high as possible; get rid of what will win."""
        if not self.trick:
            return min(cards, key=self.lead_risk)
        _, best = self.winning()
        if not self.follows(cards):
            return max(cards, key=lambda card: (self.below(card), self.strength[card]))
        under = [card for card in cards if not self.beats(card, best)]
        if len(self.trick) == 3:
            return self.last_duck(cards, under)
        return self.highest(under) if under else self.lowest(cards)

    def last_duck(self, cards: list[str], under: list[str]) -> str:
        """The last card of a trick: the highest one, unless it takes the trick from a foe."""
        best_seat, _ = self.winning()
        if self.ours(best_seat) or not under:
            return self.highest(cards)
        return self.highest(under)

    def lead_risk(self, card: str) -> tuple[float, int]:
        """How likely a card that is led wins the trick, and how little it rids one of."""
        above, below = self.above(card), self.below(card)
        return (below + 1) / (above + below + 1), -self.strength[card]

    # ---- sooli -------------------------------------------------------------------------------

    def play_alone(self, cards: list[str]) -> str:
        """The soloist plays last: the highest card that does not win, else the most dangerous."""
        if not self.follows(cards):
            return max(cards, key=lambda card: (self.relief(card), self.strength[card]))
        _, best = self.winning()
        under = [card for card in cards if not self.beats(card, best)]
        return self.highest(under) if under else self.lowest(cards)

    def play_against(self, cards: list[str]) -> str:
        """Stay low, so that the soloist must take it; throw away what is high."""
        if not self.trick:
            return min(cards, key=lambda card: (self.below(card) - self.above(card), card))
        if not self.follows(cards):
            return self.highest(cards)
        return self.lowest(cards)
