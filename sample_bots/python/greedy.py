"""A bot by rules of thumb: it looks at its cards and at what has been played, never ahead.

It plays every ruleset of Huutopussi, and has no memory: whatever it needs is in the ask.
"""


from protocol.bot import Bot
from protocol.messages import Ask, HuutopussiView, Start

RANKS = {"ace_ten": "6789JQKTA", "plain": "6789TJQKA"}
"""From low to high."""
CARD_POINTS = {
    "classic": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2},
    "simple": {"A": 10, "T": 10, "K": 5, "Q": 5, "J": 5},
}
MARRIAGES = {
    "hearts_high": {"H": 100, "D": 80, "C": 60, "S": 40},
    "spades_high": {"S": 100, "H": 80, "D": 60, "C": 40},
    "none": {"S": 0, "H": 0, "D": 0, "C": 0},
}
PACK = [rank + suit for suit in "SHDC" for rank in "6789TJQKA"]
OTHER_HALF = {"K": "Q", "Q": "K"}


class Greedy(Bot):
    """Bids what its hand is worth, declares what it can, wins what it can win cheaply."""

    def decide(self, ask: Ask) -> str:
        """The best action by the rule of thumb for this phase."""
        legal = ask.legal
        phase = ask.view.phase
        assert isinstance(ask.view, HuutopussiView)
        mind = Mind(ask.view, self.starts[ask.table])
        if phase in ("redeal", "bid"):
            return mind.bid(legal)
        if phase == "contract":
            return mind.contract(legal)
        if phase == "give":
            return max(legal, key=lambda action: mind.help(action[-2:]))
        if phase in ("return", "discard"):
            return min(legal, key=lambda action: mind.use(action[-2:]))
        if phase == "answer":
            return max(legal, key=lambda action: mind.marriage.get(action[-1], 0))
        return mind.announcement(legal) or mind.card([a for a in legal if a in PACK])


class Mind:
    """One ask, thought about."""

    def __init__(self, view: HuutopussiView, start: Start) -> None:
        rules = start.rules
        self.view = view
        self.hand = view.hand
        self.sides = start.sides
        self.side = start.sides[view.seat]
        self.partners = start.sides.count(self.side) > 1
        order = RANKS[rules["rank_order"]]
        self.strength = {card: order.index(card[0]) for card in PACK}
        self.points = {card: CARD_POINTS[rules["card_points"]].get(card[0], 0) for card in PACK}
        self.marriage = MARRIAGES[rules["marriage_points"]]
        played = {action for _, action in view.history if action in self.points}
        self.unseen = set(PACK) - played - {*view.hand, *view.chosen, *view.discarded}
        gone = {card[1] for card in played if card[0] in OTHER_HALF}
        gone |= {suit for _, suit in view.declared}
        self.open = [suit for suit in "SHDC" if suit not in gone]
        """Suits that can still be declared."""

    # ---- what a hand is worth ----------------------------------------------------------------

    def length(self, suit: str) -> int:
        """Cards of a suit in hand."""
        return sum(card[1] == suit for card in self.hand)

    def count(self, ranks: str) -> int:
        """Cards of these ranks in hand."""
        return sum(card[0] in ranks for card in self.hand)

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
        covered = sum({"A" + suit, "T" + suit} <= {*self.hand} for suit in "SHDC")
        length = sum(max(0, self.length(suit) - 3) for suit in "SHDC")
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
        ours = self.view.bids and self.sides[self.view.bids[-1][0]] == self.side
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
            pair = OTHER_HALF[rank] + suit in self.hand
            value += self.marriage[suit] * (1.0 if pair else 0.3 if self.partners else 0.0)
        return value

    # ---- declarations ------------------------------------------------------------------------

    def announcement(self, legal: list[str]) -> str | None:
        """The dearest marriage in hand, else the dearest half, else a whole that may be there."""
        declarations = [action for action in legal if action.startswith("declare:")]
        halves = [action for action in legal if self.hopeful(action)]
        for choices in (declarations, halves):
            if choices:
                return max(choices, key=lambda action: self.marriage[action[-1]])
        refused = (self.view.seat, "whole", "no") in self.view.asked
        return "whole" if "whole" in legal and not refused and self.maybe_whole() else None

    def hopeful(self, action: str) -> bool:
        """Whether this is an ask for a half that was not refused and completes a marriage."""
        if not action.startswith("half:") or (self.view.seat, action, "no") in self.view.asked:
            return False
        suit = action[-1]
        held = [rank + suit for rank in "KQ" if rank + suit in self.hand]
        return len(held) == 1

    def maybe_whole(self) -> bool:
        """Whether the partner can hold a marriage."""
        return any({"K" + suit, "Q" + suit} <= self.unseen for suit in self.open)

    # ---- tricks ------------------------------------------------------------------------------

    def beats(self, card: str, other: str) -> bool:
        """Whether a card beats another that was played before it."""
        if card[1] == other[1]:
            return self.strength[card] > self.strength[other]
        return card[1] == self.view.trump

    def master(self, card: str) -> bool:
        """Whether no unseen card of its suit beats this one."""
        return not any(self.beats(other, card) for other in self.unseen if other[1] == card[1])

    def price(self, card: str) -> float:
        """What is lost with a card when somebody else wins it."""
        rank, suit = card[0], card[1]
        price = 2.0 * self.points[card] + self.strength[card] / 2
        if suit == self.view.trump:
            price += 8
        if rank in OTHER_HALF and suit in self.open:
            pair = OTHER_HALF[rank] + suit in self.hand
            price += self.marriage[suit] * (0.8 if pair else 0.25 if self.partners else 0.0)
        return price

    def card(self, cards: list[str]) -> str:
        """The card to play."""
        if len(cards) == 1:
            return cards[0]
        return self.follow(cards) if self.view.trick else self.lead(cards)

    def lead(self, cards: list[str]) -> str:
        """Draw trumps from the top, cash what cannot be beaten, else give up the cheapest."""
        trump = self.view.trump
        masters = [card for card in cards if self.master(card)]
        out = any(card[1] == trump for card in self.unseen)
        ours = trump and self.sides[self.view.declared[-1][0]] == self.side
        draw = [card for card in masters if card[1] == trump and out and ours]
        sure = draw or [card for card in masters if card[1] != trump or not out]
        if sure and min(self.price(card) for card in sure) < 60:
            return max(sure, key=lambda card: (self.price(card) < 60, self.points[card]))
        return min(cards, key=self.price)

    def follow(self, cards: list[str]) -> str:
        """Win cheaply, smear points to a partner who wins, else throw the cheapest."""
        trick = self.view.trick
        best_seat, best = trick[0]
        for seat, card in trick[1:]:
            if self.beats(card, best):
                best_seat, best = seat, card
        last = len(trick) == len(self.sides) - 1
        if self.sides[best_seat] == self.side and (last or self.master(best)):
            return max(cards, key=lambda card: 2.5 * self.points[card] - self.price(card))
        winners = [card for card in cards if self.beats(card, best)]
        if winners and last:
            return max(winners, key=lambda card: 2.5 * self.points[card] - self.price(card))
        sure = [card for card in winners if self.master(card)]
        if sure:
            return min(sure, key=self.price)
        return min(cards, key=self.price)


if __name__ == "__main__":
    Greedy("greedy", games=["huutopussi"], tables=256, batch=True).run()
