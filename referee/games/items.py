"""Points in items, and the exact target: what Marjapussi and Bondtolva score alike.

A deal's items are, in the order in which they arise: the first marriage (`trump`), each later one
(`little`), the last trick, and the most mates. A mate is an ace or a ten; there are eight.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from referee.cards import SUITS, Pack
from referee.games.game import Tally, net
from referee.games.marriages import MarriageDeal, MarriageGame
from referee.games.tricktaking import ended, says

Points = Annotated[int, Meta(ge=0, le=10)]


class ItemRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of both games; each game's own struct has its defaults."""

    target: Annotated[int, Meta(ge=5, le=50, description="points that end a game")] = 12
    target_mode: Annotated[
        Literal["exact", "at_least"], says("the target must be met exactly, or reached")
    ] = "exact"
    overshoot: Annotated[
        Literal["no_score", "skip_item", "bounce", "reset"],
        says(
            "what passing an exact target does: the deal's points are lost, only the items that "
            "pass it are, the surplus is taken back, or the score is nought"
        ),
    ] = "no_score"
    timing: Annotated[
        Literal["deal_end", "immediate"],
        says("items are entered after the deal, or at once: then the target ends the game"),
    ] = "deal_end"
    tie: Annotated[
        Literal["first_there", "draw"],
        says("several sides at the target: the one whose items came first wins, or a draw"),
    ] = "first_there"
    trump_points: Annotated[Points, says("points for the first marriage of a deal")] = 2
    little_points: Annotated[Points, says("points for each later marriage")] = 1
    last_trick_points: Annotated[Points, says("points for winning the last trick")] = 1
    mates_points: Annotated[Points, says("points for the most aces and tens")] = 1
    mates_tie: Annotated[
        Literal["none", "eyes"],
        says("equal mates: nobody scores, or whoever has more eyes (A K Q J count 4 3 2 1)"),
    ] = "none"
    ten_eyes: Annotated[Literal[0, 10], says("eyes of a ten")] = 0
    declare_in_phase2: Annotated[
        bool, says("marriages may be declared after the stock is gone too")
    ] = False
    trump_in_phase1: Annotated[bool, says("trumps win tricks while the stock lasts")] = True
    first_dealer: Literal["by_set"] | Annotated[
        int, Meta(ge=0, le=3, description="by_set: seat s mod n deals first in set s; or a seat")
    ] = "by_set"
    max_deals: Annotated[
        int, Meta(ge=1, le=10000, description="a game ends here; the higher score wins")
    ] = 200


Values = tuple[tuple[int, int], ...]
"""(mask, points) of every rank that counts."""


def values_of(pack: Pack, points: dict[str, int]) -> Values:
    """Points by rank as masks of a pack."""
    return tuple(
        (pack.mask(rank + suit for suit in SUITS), worth)
        for rank, worth in points.items()
        if rank in pack.ranks
    )


def worth(cards: int, values: Values) -> int:
    """The points of the cards of a mask."""
    return sum((cards & mask).bit_count() * points for mask, points in values)


class ItemScorer:
    """The scoring of one set of options."""

    __slots__ = ("eyes", "game", "majority", "rules")

    def __init__(self, game: MarriageGame, rules: ItemRules, majority: dict[str, int]) -> None:
        """`majority` has what each rank counts towards the item `mates`."""
        self.game = game
        self.rules = rules
        self.majority = values_of(game.pack, majority)
        self.eyes = values_of(game.pack, {"A": 4, "K": 3, "Q": 2, "J": 1, "T": rules.ten_eyes})

    # ---- a deal ------------------------------------------------------------------------------

    def items(self, deal: MarriageDeal) -> list[tuple[int, int]]:
        """(side, points) of every item so far, in the order in which they arose."""
        rules = self.rules
        sides = self.game.sides
        found = [
            (sides[seat], rules.little_points if turn else rules.trump_points)
            for turn, (seat, _) in enumerate(deal.declared)
        ]
        if deal.to_act is None and not any(deal.hands):
            found.append((sides[deal.winner], rules.last_trick_points))
            side = self.most_mates(deal.taken)
            if side is not None and not self._over(deal.tally, found):
                found.append((side, rules.mates_points))
        return found

    def most_mates(self, taken: Sequence[int]) -> int | None:
        """The side that has strictly the most mates, or the most eyes of those that have."""
        best = _top([worth(cards, self.majority) for cards in taken], range(len(taken)))
        if len(best) > 1 and self.rules.mates_tie == "eyes":
            best = _top([worth(cards, self.eyes) for cards in taken], best)
        return best[0] if len(best) == 1 else None

    def points(self, deal: MarriageDeal) -> tuple[int, ...]:
        """What each side's items are worth, whatever the target makes of them."""
        return tuple(_totals(self.items(deal), self.game.side_count))

    # ---- a game ------------------------------------------------------------------------------

    def reached(self, deal: MarriageDeal) -> bool:
        """Whether an item just scored has ended the game (`timing = "immediate"`)."""
        return self._over(deal.tally, self.items(deal))

    def _over(self, tally: Tally, items: Sequence[tuple[int, int]]) -> bool:
        if self.rules.timing != "immediate" or tally.unit == "deal":
            return False
        return bool(self._one_by_one(tally.score, items)[1])

    def after(self, deal: MarriageDeal, dealer: int) -> Tally:
        """Where the game stands once the items of a finished deal are entered."""
        rules = self.rules
        tally = deal.tally
        items = self.items(deal)
        if tally.unit == "deal":
            won = _totals(items, len(tally.score))
            total = tuple(a + b for a, b in zip(tally.score, won, strict=True))
            return Tally(score=total, dealer=dealer, deals=tally.deals + 1)
        score, there = self._one_by_one(tally.score, items)
        if rules.timing == "deal_end":
            if rules.overshoot != "skip_item" and rules.target_mode == "exact":
                gains = _totals(items, len(score))
                score = [self._entered(*each) for each in zip(tally.score, gains, strict=True)]
            there = self._arrivals(tally.score, items, score)
            there = sorted(there) if rules.tie == "draw" else there[:1]
        deals = tally.deals + 1
        return Tally(
            score=tuple(score),
            dealer=dealer,
            unit=tally.unit,
            deals=deals,
            winners=ended(deals, rules.max_deals, score, there),
        )

    def _entered(self, old: int, gain: int) -> int:
        """The score that a gain makes of an old one."""
        rules = self.rules
        new = old + gain
        if new <= rules.target or rules.target_mode == "at_least":
            return new
        if rules.overshoot == "bounce":
            return max(0, 2 * rules.target - new)
        return 0 if rules.overshoot == "reset" else old

    def _one_by_one(
        self, old: Sequence[int], items: Sequence[tuple[int, int]]
    ) -> tuple[list[int], list[int]]:
        """Enter the items as they come; the scores, and who reached the target first.

        With `timing = "immediate"` nothing counts after that.
        """
        score = list(old)
        for side, points in items:
            score[side] = self._entered(score[side], points)
            if self.rules.timing == "immediate" and score[side] >= self.rules.target:
                return score, [side]
        return score, []

    def _arrivals(
        self, old: Sequence[int], items: Sequence[tuple[int, int]], new: Sequence[int]
    ) -> list[int]:
        """The sides that stand at the target, in the order in which their items reached it."""
        target = self.rules.target
        there: list[int] = []
        score = list(old)
        for side, points in items:
            step = score[side] + points
            if step <= target or self.rules.target_mode == "at_least":
                score[side] = step
            if side not in there and score[side] >= target and new[side] >= target:
                there.append(side)
        return there

    # ---- floors ------------------------------------------------------------------------------

    def floor(self, deal: MarriageDeal, side: int, declarable: Sequence[int]) -> float:
        """A net that no continuation takes a side below: whatever is left goes to one opponent.

        `declarable` has for each side how many marriages it may still make.
        """
        if deal.to_act is None:
            return net(self.points(deal), side)
        rules = self.rules
        sure, open_still = self._mates(deal, side)
        # A game that is won at once ends before the mates are counted.
        if sure and (deal.tally.unit == "deal" or rules.timing == "deal_end"):
            kept = rules.mates_points
        else:
            kept = 0
        lost = rules.last_trick_points + (rules.mates_points if open_still else 0)
        theirs = sum(declarable) - declarable[side]
        little = rules.little_points
        gains = [(kept, lost + theirs * little)]
        if theirs and not deal.declared:
            gains = [(kept, lost + rules.trump_points + (theirs - 1) * little)]
            if declarable[side]:
                # The first marriage may be worth so little that making it harms the side.
                gains.append((kept + rules.trump_points, lost + theirs * little))
        nets = []
        other = 1 if side == 0 else 0
        for own, others in gains:
            points = list(self.points(deal))
            points[side] += own
            points[other] += others
            nets.append(net(points, side))
        return min(nets)

    def _mates(self, deal: MarriageDeal, side: int) -> tuple[bool, bool]:
        """Whether a side is sure to have the most mates, and whether another may have them yet.

        Equal mates go by eyes where the options say so.
        """
        values = [self.majority, self.eyes][: 2 if self.rules.mates_tie == "eyes" else 1]
        now = [[worth(cards, each) for each in values] for cards in deal.taken]
        left = [worth(self.game.pack.full & ~sum(deal.taken), each) for each in values]
        most = [[a + b for a, b in zip(count, left, strict=True)] for count in now]
        sure, open_still = True, False
        for other in range(len(now)):
            if other != side:
                sure = sure and most[other] < now[side]
                rivals = [count for each, count in enumerate(now) if each != other]
                open_still = open_still or most[other] > max(rivals)
        return sure, open_still

    def lowest(self) -> float:
        """The least net of any deal: all items to one opponent."""
        rules = self.rules
        worst = rules.last_trick_points + rules.mates_points
        worst += max(rules.trump_points, rules.little_points) + 3 * rules.little_points
        return net([0, worst, *([0] * (self.game.side_count - 2))], 0)


def _totals(items: Sequence[tuple[int, int]], sides: int) -> list[int]:
    points = [0] * sides
    for side, gain in items:
        points[side] += gain
    return points


def _top(counts: Sequence[int], among: Sequence[int]) -> list[int]:
    """Those with the highest count."""
    most = max(counts[each] for each in among)
    return [each for each in among if counts[each] == most]
