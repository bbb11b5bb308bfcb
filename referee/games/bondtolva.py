"""Bondtolva ("farmer's dozen"): two players, a stock, marriages, exactly twelve points.

Sources: see bondtolva_options.py, which has every option with its meaning; stock.py has the play.
"""


from protocol.messages import BondtolvaView
from referee.games.bondtolva_options import Rules, check
from referee.games.game import Tally
from referee.games.stock import StockDeal, StockGame
from referee.games.tricktaking import (
    MATES,
    Cards,
    Last,
    Redeals,
    marriage_pack,
)
from referee.tricks import TrickRules


class Bondtolva(StockGame):
    """Bondtolva with its options."""

    name = "bondtolva"
    rules: Rules

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        duties = TrickRules(
            marriage_pack(rules.deck), "ace_ten", must_head=True, head_lapses_when_ruffed=True,
            must_trump=True, must_overtrump=True,
        )  # fmt: skip
        self.lay_table(rules, ruleset, duties, MATES)

    def deal(self, cards: Cards, tally: Tally, _: Redeals = (), last: Last = None) -> "Deal":
        """A deal of these cards, in dealing order."""
        return Deal(self, cards, tally, last)

    def next_dealer(self, deal: StockDeal) -> int:
        """Who deals next, by the option."""
        points = deal.points()
        if self.rules.next_dealer == "alternate" or points[0] == points[1]:
            return super().next_dealer(deal)
        winner = points.index(max(points))
        return winner if self.rules.next_dealer == "winner" else 1 - winner


class Deal(StockDeal):
    """One deal of Bondtolva in progress."""

    __slots__ = ()

    def view(self, seat: int) -> BondtolvaView:
        """All that a seat may know."""
        return BondtolvaView(**self.seen(seat))
