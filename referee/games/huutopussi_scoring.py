"""Huutopussi: what a finished deal scores, and the least that a side can still come out with.

raw(side) = points of the cards it won + marriages it made + the last trick (+ counted discards).
A made contract scores exactly the contract, a lost one costs it; every other side scores its raw.
"""

from collections.abc import Sequence, Set
from functools import cache
from typing import Protocol

from referee.games.game import net
from referee.games.huutopussi_options import Rules, highest_bid
from referee.games.tricktaking import ANSWER, PLAY


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
    phase: int
    chosen: int
    """Cards that the declaring side is about to give or to discard, in no hand now."""
    window: bool

    def leader(self) -> int | None: ...

    @property
    def game(self) -> "Bids": ...


class Bids(Protocol):
    """What scoring reads of a game."""

    bids: tuple[int, ...]


def nearest5(points: int) -> int:
    """The nearest multiple of five; whole points are never halfway."""
    return (points + 2) // 5 * 5


_WIDTH = 9
"""Cards in a suit."""
_SUIT = (1 << _WIDTH) - 1


@cache
def _worth(values: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Points of every subset of a suit: all suits count alike."""
    cards = [sum(points for mask, points in values if mask >> card & 1) for card in range(_WIDTH)]
    return tuple(
        sum(points for card, points in enumerate(cards) if subset >> card & 1)
        for subset in range(1 << _WIDTH)
    )


class Scorer:
    """The scoring of one set of options."""

    __slots__ = ("_pack", "_royals", "_worth", "marriage", "rules", "sides")

    def __init__(
        self,
        rules: Rules,
        sides: tuple[int, ...],
        values: list[tuple[int, int]],
        marriage: tuple[int, int, int, int],
        kings_queens: tuple[int, ...],
    ) -> None:
        """`values` is (mask, points) of every rank that counts."""
        self.rules = rules
        self.sides = sides
        self._worth = _worth(tuple(values))
        self.marriage = marriage
        """Points of a marriage by suit."""
        self._royals = tuple(zip(kings_queens, marriage, strict=True))
        self._pack = sum(points * mask.bit_count() for mask, points in values)

    def card_points(self, mask: int) -> int:
        """Points of the cards in a mask."""
        worth = self._worth
        black = worth[mask & _SUIT] + worth[mask >> _WIDTH & _SUIT]
        return black + worth[mask >> 2 * _WIDTH & _SUIT] + worth[mask >> 3 * _WIDTH]

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
        highest = highest_bid(self.rules)
        defending = self._worst_defending(highest, self._most_fined(highest, highest))
        return min(self._worst_declaring(highest), defending)

    def floor(self, deal: Played, side: int) -> float:
        """A net that no continuation takes a side below: all that is left is taken by others.

        Until the auction is over it is the least net of any deal, then that of a declaring or a
        defending side with the highest contract. Once the contract is named, what has been won
        and what can still be won may settle it and the fines.
        """
        if deal.to_act is None and deal.redealer is None:
            return net(self.points(deal), side)
        declarer, contract = deal.declarer, deal.contract
        if declarer is None:
            if deal.phase in (PLAY, ANSWER):
                return self._without_contract(deal, side)
            return self.floor_before_bidding()
        declaring = self.sides[declarer]
        if contract is None:
            highest = highest_bid(self.rules)
            if declaring == side:
                return self._worst_declaring(highest)
            fine = self._most_fined(highest, deal.game.bids[deal.high])
            return self._worst_defending(highest, fine)
        if declaring == side:
            return self._declaring(deal, side, contract)
        return self._defending(deal, side, declaring, contract)

    def _most_fined(self, contract: int, bid: int) -> int:
        """The most that a side without a trick may be fined."""
        return max(self._no_trick(contract, bid), self._takes_all(contract))

    def _all_points(self) -> int:
        """Every point of a deal."""
        return self._pack + self.rules.last_trick_points + sum(self.marriage)

    def _worst_declaring(self, contract: int) -> float:
        """The contract is lost without a trick, and the others have won everything."""
        others = max(self.sides)
        lost = contract * self.rules.declarer_no_trick_multiplier
        return self._net(-lost, self._entered(self._all_points(), others))

    def _worst_defending(self, contract: int, fine: int) -> float:
        """The contract is made, the side fined, and the rest of all points won by others still."""
        rest = max(0, self._all_points() - contract + self._margin())
        return self._net(-fine, contract + self._entered(rest, max(self.sides) - 1))

    def _without_contract(self, deal: Played, side: int) -> float:
        raw = self.raw(deal)
        won = sum(raw) - raw[side] + self._cards_left(deal) + self._marriages_left(deal, {side})
        return self._net(self._entered(raw[side], 1), self._entered(won, len(raw) - 1))

    def _declaring(self, deal: Played, side: int, contract: int) -> float:
        """The contract is lost unless it is made already; the others win all that is left."""
        raw = self.raw(deal)
        won = sum(raw) - raw[side] + self._cards_left(deal) + self._marriages_left(deal, {side})
        own = contract
        if not self._settled(deal, raw, side, contract):
            trick = self._tricks(deal)[side]
            own = -contract * (1 if trick else self.rules.declarer_no_trick_multiplier)
        return self._net(own, self._entered(won, len(raw) - 1))

    def _defending(self, deal: Played, side: int, declaring: int, contract: int) -> float:
        """The worse of a contract made and lost, as far as either can still be.

        What the declaring side needs of the points left to make it, no other side can win.
        """
        rules = self.rules
        raw = self.raw(deal)
        tricks = self._tricks(deal)
        cards = self._cards_left(deal)
        bystanders = len(raw) - 2
        won = sum(raw) - raw[side] - raw[declaring]
        theirs = self._marriages_left(deal, {side, declaring})
        own = self._marriages_left(deal, set(range(len(raw))) - {declaring})
        if rules.discards_count == "declarer_if_trick" and not tricks[declaring]:
            own += self.card_points(deal.discards)
        need = max(0, contract - self._margin() - raw[declaring])
        fined = -self._no_trick(contract, deal.game.bids[deal.high])
        swept = min(fined, -self._takes_all(contract))
        if tricks[side]:
            fined = swept = self._entered(raw[side], 1)
        elif tricks[declaring] < sum(tricks):
            swept = fined
        nets = []
        if cards + own >= need:
            rest = min(cards + theirs, cards + own + theirs - need)
            made = contract + self._entered(won + rest, bystanders)
            nets.append(self._net(swept, made))
        if not self._settled(deal, raw, declaring, contract):
            lost = self._entered(won + cards + theirs, bystanders) - contract
            nets.append(self._net(fined if rules.takes_all_requires_made else swept, lost))
        return min(nets)

    def _net(self, own: int, others: int) -> float:
        """The net of a side against the points of all others together."""
        return net([own, others, *[0] * (max(self.sides) - 1)], 0)

    def _margin(self) -> int:
        """So much short of its contract a side may be and make it."""
        return 2 if self.rules.rounding == "nearest5_before_test" else 0

    def _entered(self, points: int, sides: int) -> int:
        """The most that so many sides can be given for raw points that they share."""
        if not sides or self.rules.rounding == "none":
            return points if sides else 0
        return (points + 2 * sides) // 5 * 5

    def _settled(self, deal: Played, raw: Sequence[int], side: int, contract: int) -> bool:
        """Whether the declaring side has made its contract, whatever comes."""
        safe = not self.rules.zero_card_points_fails or self.card_points(deal.taken[side]) > 0
        return safe and raw[side] + self._margin() >= contract

    def _declares(self, deal: Played, side: int) -> bool:
        return deal.declarer is not None and self.sides[deal.declarer] == side

    def _cards_left(self, deal: Played) -> int:
        """Points of the cards that nobody has won yet, and of the last trick."""
        won = deal.discards
        for cards in deal.taken:
            won |= cards
        return self._pack - self.card_points(won) + self.rules.last_trick_points

    def _marriages_left(self, deal: Played, without: Set[int]) -> int:
        """The most that all sides but these can still make marriages for.

        A side must hold both halves, and win a trick with cards left for each marriage: one, or
        two where no partner can be asked for a half. The leader may be about to make one.
        """
        least = 1 if self.rules.ask_half != "none" else 2
        tricks = max(hand.bit_count() for hand in deal.hands) - least
        leader = deal.leader()
        total = 0
        for side in set(self.sides) - without:
            held = deal.chosen & deal.open_royals if self._declares(deal, side) else 0
            for seat, hand in enumerate(deal.hands):
                if self.sides[seat] == side:
                    held |= hand & deal.open_royals
            worth = sorted([points for pair, points in self._royals if held & pair == pair])
            announcing = deal.window or deal.phase == ANSWER
            now = announcing and leader is not None and self.sides[leader] == side
            turns = max(0, tricks + (1 if now else 0))
            total += sum(worth[-turns:]) if turns else 0
        return total
