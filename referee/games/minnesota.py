"""Minnesota Whist: take the most tricks (high) or the fewest (low).

Sources: see minnesota_options.py, which has every option with its meaning; whist.py has the
bidding and the tricks.
"""

from collections.abc import Sequence

from protocol.messages import MinnesotaView
from referee.games.game import Tally, net
from referee.games.minnesota_options import Rules, check
from referee.games.tricktaking import PLAY, Cards, Last, Redeals
from referee.games.whist import BLACK, MAJORITY, RED, WhistDeal, WhistGame


class Minnesota(WhistGame):
    """Minnesota Whist with its options."""

    name = "minnesota"
    low = "low"
    high = "high"
    low_cards = RED
    high_cards = BLACK

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        self.rules = rules
        self.ruleset = ruleset
        self.lay_table(rules)

    def deal(self, cards: Cards, tally: Tally, _: Redeals = (), last: Last = None) -> "Deal":
        """A deal of these cards, in dealing order."""
        return Deal(self, cards, tally, last)

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        rules = self.rules
        return -7.0 * max(rules.grand_points, rules.grand_set_points, rules.low_points)


class Deal(WhistDeal):
    """One deal of Minnesota Whist in progress."""

    __slots__ = ()

    game: Minnesota

    def points(self) -> tuple[int, ...]:
        """What the deal brings or costs each side, once it is over."""
        return self._scored(self.side_tricks())

    def _scored(self, won: Sequence[int]) -> tuple[int, ...]:
        """Points by side for so many tricks of each side."""
        rules = self.game.rules
        more = 0 if won[0] > won[1] else 1
        over = won[more] - MAJORITY + 1
        points = [0, 0]
        if self.declarer is None:
            if rules.low_mode == "more_lose":
                points[more] = -rules.low_points * over
            else:
                points[1 - more] = rules.low_points * over
        elif self.game.sides[self.declarer] == more:
            points[more] = rules.grand_points * over
        elif rules.high_fail == "bidders_lose":
            points[1 - more] = -rules.grand_set_points * over
        else:
            points[more] = rules.grand_set_points * over
        return tuple(points)

    def after(self) -> Tally:
        """Where the game stands once this deal's points are entered."""
        rules = self.game.rules
        score = [a + b for a, b in zip(self.tally.score, self.points(), strict=True)]
        return self.game.entered(self.tally, score, rules.target, rules.max_deals)

    def floor(self, side: int) -> float:
        """A net that no continuation takes this side below."""
        if self.to_act is None:
            return net(self.points(), side)
        if self.phase != PLAY:
            return self.game.lowest_net()
        return net(self._scored(self.worst(side)), side)

    def view(self, seat: int) -> MinnesotaView:
        """All that a seat may know."""
        return MinnesotaView(**self.seen(seat))
