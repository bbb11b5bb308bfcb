"""Huutopussi: what a finished deal scores, and the least that a side can still come out with.

raw(side) = points of the cards it won + marriages it made + the last trick (+ counted discards).
A made contract scores exactly the contract, a lost one costs it; every other side scores its raw.
"""

from collections.abc import Sequence
from typing import Protocol

from referee.games.game import net
from referee.games.huutopussi_options import Rules, highest_bid


class Played(Protocol):
    """What scoring reads of a deal."""

    hands: list[int]
    taken: list[int]
    """Cards each side has won."""
    tricks: list[int]
    discards: int
    high: int
    declarer: int | None
    contract: int | None
    declared: list[tuple[int, int]]
    open_royals: int
    winner: int
    to_act: int | None
    redealer: int | None

    @property
    def game(self) -> "Bids": ...


class Bids(Protocol):
    """What scoring reads of a game."""

    bids: tuple[int, ...]


def nearest5(points: int) -> int:
    """The nearest multiple of five; whole points are never halfway."""
    return (points + 2) // 5 * 5


class Scorer:
    """The scoring of one set of options."""

    __slots__ = ("_pack", "_royals", "marriage", "rules", "sides", "values")

    def __init__(
        self,
        rules: Rules,
        sides: tuple[int, ...],
        values: list[tuple[int, int]],
        marriage: tuple[int, int, int, int],
        kings_queens: tuple[int, ...],
    ) -> None:
        self.rules = rules
        self.sides = sides
        self.values = values
        """(mask, points) of every rank that counts."""
        self.marriage = marriage
        """Points of a marriage by suit."""
        self._royals = tuple(zip(kings_queens, marriage, strict=True))
        self._pack = sum(points * mask.bit_count() for mask, points in values)

    def card_points(self, mask: int) -> int:
        """Points of the cards in a mask."""
        total = 0
        for cards, points in self.values:
            total += (mask & cards).bit_count() * points
        return total

    def raw(self, deal: Played) -> list[int]:
        """Points that each side has won so far."""
        sides = self.sides
        raw = [self.card_points(cards) for cards in deal.taken]
        for seat, suit in deal.declared:
            raw[sides[seat]] += self.marriage[suit]
        if deal.to_act is None and deal.winner >= 0:
            raw[sides[deal.winner]] += self.rules.last_trick_points
        if deal.discards and self.rules.discards_count != "none":
            declarer = deal.declarer
            assert declarer is not None
            if self.rules.discards_count == "declarer" or self._tricks(deal)[sides[declarer]]:
                raw[sides[declarer]] += self.card_points(deal.discards)
        return raw

    def points(self, deal: Played) -> tuple[int, ...]:
        """Points by side of a finished deal."""
        rules = self.rules
        raw = self.raw(deal)
        rounded = raw if rules.rounding == "none" else [nearest5(points) for points in raw]
        declarer, contract = deal.declarer, deal.contract
        if declarer is None or contract is None:
            return tuple(rounded)
        side = self.sides[declarer]
        tested = rounded if rules.rounding == "nearest5_before_test" else raw
        made = tested[side] >= contract and not self._without_points(deal, side)
        tricks = self._tricks(deal)
        points = list(rounded)
        for other in range(len(points)):
            penalty = self._penalty(deal, contract, made, other, side, tricks)
            if other != side and penalty:
                points[other] = -penalty
        lost = contract if tricks[side] else contract * rules.declarer_no_trick_multiplier
        points[side] = contract if made else -lost
        return tuple(points)

    def _without_points(self, deal: Played, side: int) -> bool:
        """`zero_card_points_fails`: no card points in the tricks, nor the last trick's bonus."""
        rules = self.rules
        if not rules.zero_card_points_fails or self.card_points(deal.taken[side]):
            return False
        return not (rules.last_trick_points and self.sides[deal.winner] == side)

    def _tricks(self, deal: Played) -> list[int]:
        """Tricks won by side."""
        tricks = [0] * (max(self.sides) + 1)
        for seat, won in enumerate(deal.tricks):
            tricks[self.sides[seat]] += won
        return tricks

    def _penalty(
        self, deal: Played, contract: int, made: bool, other: int, side: int, tricks: list[int]
    ) -> int:
        """The largest penalty that applies to a side that does not declare; 0 without one."""
        rules = self.rules
        if tricks[other]:
            return 0
        penalty = self._no_trick(contract, deal.game.bids[deal.high])
        all_won = tricks[side] == sum(tricks)
        if all_won and (made or not rules.takes_all_requires_made):
            penalty = max(penalty, self._takes_all(contract))
        return penalty

    def _no_trick(self, contract: int, bid: int) -> int:
        option = self.rules.no_trick_penalty
        if option == "none":
            return 0
        if option == "contract":
            return contract
        return bid if option == "bid" else option

    def _takes_all(self, contract: int) -> int:
        return {"none": 0, "contract": contract, "double_contract": 2 * contract}[
            self.rules.takes_all_penalty
        ]

    # ---- floors ------------------------------------------------------------------------------

    def floor_before_bidding(self) -> float:
        """The least net that a deal can bring."""
        rules = self.rules
        highest = highest_bid(rules)
        sides = max(self.sides) + 1
        all_points = self._pack + rules.last_trick_points + sum(self.marriage)
        if rules.rounding != "none":
            all_points += 2 * sides
        declaring = [-highest * rules.declarer_no_trick_multiplier, all_points] + [0] * (sides - 2)
        penalty = max(self._no_trick(highest, highest), self._takes_all(highest))
        defending = [-penalty, highest, *([all_points] if sides > 2 else []), *([0] * (sides - 3))]
        return min(net(declaring, 0), net(defending, 0))

    def floor(self, deal: Played, side: int) -> float:
        """A net that no continuation takes a side below: its least points, the others' most.

        Until the contract is named it is the least net of any deal. Then the declaring side is
        taken to lose its contract, and a side that defends to win nothing more, unless the points
        already won settle it; what is still to be won goes to the opponents.
        """
        if deal.to_act is None and deal.redealer is None:
            return net(self.points(deal), side)
        rules = self.rules
        contract, declarer = deal.contract, deal.declarer
        if contract is None and deal.tricks == [0] * len(deal.tricks) and deal.winner < 0:
            return self.floor_before_bidding()
        raw = self.raw(deal)
        slack = 2 if rules.rounding != "none" else 0
        left = self._still_to_win(deal)
        others = [other for other in range(len(raw)) if other != side]
        most = [raw[other] + slack for other in others]
        least: int = max(raw[side] - slack, 0)
        if contract is not None and declarer is not None:
            declaring = self.sides[declarer]
            tricks = self._tricks(deal)
            settled = self._settled(deal, raw, declaring, contract)
            if declaring == side:
                lost = contract * (1 if tricks[side] else rules.declarer_no_trick_multiplier)
                least = contract if settled else -lost
            else:
                place = others.index(declaring)
                bonus = self.card_points(deal.discards) if rules.discards_count != "none" else 0
                can_make = raw[declaring] + left + bonus + slack >= contract
                most[place] = contract if can_make else -contract
                if not tricks[side]:
                    penalty = self._no_trick(contract, deal.game.bids[deal.high])
                    least = min(least, -max(penalty, self._takes_all(contract)))
        spare = [place for place, other in enumerate(others) if not self._declares(deal, other)]
        if spare:
            most[spare[0]] += left
        return net([least, *most], 0)

    def _declares(self, deal: Played, side: int) -> bool:
        return deal.declarer is not None and self.sides[deal.declarer] == side

    def _settled(self, deal: Played, raw: Sequence[int], side: int, contract: int) -> bool:
        """Whether the declaring side has made its contract, whatever comes."""
        safe = not self.rules.zero_card_points_fails or self.card_points(deal.taken[side]) > 0
        slack = 2 if self.rules.rounding == "nearest5_before_test" else 0
        return safe and raw[side] - slack >= contract

    def _still_to_win(self, deal: Played) -> int:
        """Points that nobody has won yet: cards in play, the last trick, open marriages."""
        won = deal.discards
        for cards in deal.taken:
            won |= cards
        left = self._pack - self.card_points(won) + self.rules.last_trick_points
        return left + sum(points for pair, points in self._royals if deal.open_royals & pair)
