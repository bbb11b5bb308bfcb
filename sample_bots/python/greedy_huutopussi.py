"""Rules of thumb for Huutopussi: the auction and the exchange; greedy_marriages.py has the rest."""

from protocol.messages import HuutopussiView, Start
from sample_bots.python.greedy_marriages import CARD_POINTS, OTHER_HALF, MarriageMind
from sample_bots.python.reading import ACE_TEN, PLAIN, SUITS

RANKS = {"ace_ten": ACE_TEN, "plain": PLAIN}
MARRIAGES = {
    "hearts_high": {"H": 100, "D": 80, "C": 60, "S": 40},
    "spades_high": {"S": 100, "H": 80, "D": 60, "C": 40},
    "none": {"S": 0, "H": 0, "D": 0, "C": 0},
}
PACK_SIZE = 36


class HuutopussiMind(MarriageMind):
    """One ask of Huutopussi, thought about."""

    def __init__(self, view: HuutopussiView, start: Start) -> None:
        rules = start.rules
        super().__init__(view, start, RANKS[rules["rank_order"]], PACK_SIZE)
        self.view = view
        self.unseen -= {*view.chosen, *view.discarded}
        points = CARD_POINTS[rules["card_points"]]
        self.points = {card: points.get(card[0], 0) for card in self.pack}
        self.marriage = MARRIAGES[rules["marriage_points"]]

    def decide(self, legal: list[str]) -> str:
        """The best action by the rule of thumb for this phase."""
        phase = self.view.phase
        if phase in ("redeal", "bid"):
            return self.bid(legal)
        if phase == "contract":
            return self.contract(legal)
        if phase == "give":
            return max(legal, key=lambda action: self.help(action[-2:]))
        if phase in ("return", "discard"):
            return min(legal, key=lambda action: self.use(action[-2:]))
        if phase == "answer":
            return max(legal, key=lambda action: self.marriage.get(action[-1], 0))
        return self.announcement(legal) or self.card([a for a in legal if a in self.strength])

    def our_trump(self) -> bool:
        """Whether one's own side has made the last trump."""
        return self.trump is not None and self.ours(self.declared[-1][0])

    # ---- what a hand is worth ----------------------------------------------------------------

    def royal_points(self, halves: int) -> int:
        """Points of the open marriages of which this many cards are in hand."""
        return sum(
            self.marriage[suit]
            for suit in self.open
            if ("K" + suit in self.hand) + ("Q" + suit in self.hand) == halves
        )

    def promise(self) -> float:
        """Points that the hand can be expected to win if it declares, before the exchange.

        These numbers and those of `worth` fit what this bot won in some thousand deals.
        """
        expected = 16.0 * self.count("A") + 6 * self.count("T") + 0.95 * self.royal_points(2)
        return expected + (60 + 0.2 * self.royal_points(1) if self.partners else 20)

    def worth(self) -> float:
        """Points that the declarer's hand can be expected to win, with the cards it got."""
        covered = sum({"A" + suit, "T" + suit} <= {*self.hand} for suit in SUITS)
        length = sum(max(0, self.length(suit) - 3) for suit in SUITS)
        expected = 22.0 * self.count("A") + 8 * covered + 5 * length + self.royal_points(2)
        return expected + (12 if self.partners else -12)

    def bid(self, legal: list[str]) -> str:
        """The lowest bid, far below what the hand promises; a redeal with a weak hand.

        Declaring pays with very good hands only: a contract earns no more than its number, while
        those who defend keep every point that they win.
        """
        promise = self.promise()
        if "redeal" in legal and promise < 100:
            return "redeal"
        bids = [action for action in legal if action.startswith("bid:")]
        ours = self.view.bids and self.ours(self.view.bids[-1][0])
        most = promise - (130 if self.partners else 45)
        return bids[0] if bids and not ours and int(bids[0][4:]) <= most else legal[0]

    def contract(self, legal: list[str]) -> str:
        """The contract that pays best: below the worth, since a lost one costs as much."""
        most = 0.85 * self.worth() - 15
        good = [action for action in legal if int(action[9:]) <= most]
        return good[-1] if good else legal[0]

    # ---- exchange ----------------------------------------------------------------------------

    def help(self, card: str) -> float:
        """How much a card helps the partner who declares: sure tricks and marriages."""
        rank, suit = card[0], card[1]
        if rank in OTHER_HALF:
            pair = OTHER_HALF[rank] + suit in [*self.hand, *self.view.chosen]
            return self.marriage[suit] * (0.6 if pair else 0.35)
        return {"A": 30.0, "T": 12.0}.get(rank, 0.0) + self.length(suit) / 10

    def use(self, card: str) -> float:
        """How much a card is of use to its holder, with the length of its suit."""
        rank, suit = card[0], card[1]
        value = self.points[card] + self.strength[card] + 3.0 * self.length(suit)
        if rank == "A":
            value += 20
        if rank in OTHER_HALF:
            half = 0.3 if self.partners else 0.0
            value += self.marriage[suit] * (1.0 if self.pair(suit) else half)
        return value
