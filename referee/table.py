"""A table: one seating playing one deal or one game, without any I/O.

The table asks, a driver answers: `ask()` is the one decision wanted, `submit` plays it. Bots, a
replay, a test or a search drive the same object.

    table = Table(game, "deal", set_number=0, cards=cards)
    while decision := table.ask():
        table.submit(pick(decision))
    print(table.records[-1].points)
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from protocol.messages import LastDeal
from referee.errors import IllegalAction
from referee.games.game import Deal, Game, Unit, game_nets, named, nets
from referee.rulings import SOFT_FAULTS, Kind, Ruling, Substitution, rule

CardSource = Callable[[int, int], Sequence[int]]
"""The cards, in dealing order, of (deal, redeal)."""


_action = itemgetter(1)
"""Of an entry of a deal's history."""


class Decision(NamedTuple):
    """The one decision that a table waits for."""

    seat: int
    legal: Sequence[int]
    """Places in `game.actions`, rising."""


class PlayRecord(Struct, frozen=True, kw_only=True):
    """What rules, cards and rulings decide of one deal: the `play` of a log line."""

    set: int
    table: int
    deal: int
    seats: list[str]
    """The entrant in each seat."""
    dealer: int
    cards: list[str]
    """The cards in dealing order, once for each dealing (redeals included)."""
    actions: str
    """Every action of the deal in order, separated by spaces."""
    rulings: list[Substitution]
    points: list[int]
    """Points by side."""
    score: list[int]
    """Totals by side after the deal."""
    nets: list[float] | None
    """Net by side; null for the deals of a game but its last."""


class Table:
    """One seating playing a deal (`unit = "deal"`) or a game; knows no socket and no clock."""

    __slots__ = (
        "_before",
        "allowed",
        "cards",
        "deal",
        "dealt",
        "entrants",
        "floors",
        "forfeited",
        "game",
        "last",
        "number",
        "records",
        "redeals",
        "rulings",
        "set_number",
        "soft",
        "tally",
        "unit",
    )  # fmt: skip

    def __init__(
        self,
        game: Game,
        unit: Unit,
        *,
        set_number: int,
        cards: CardSource,
        number: int = 0,
        entrants: Sequence[str] = (),
        soft_faults: int = SOFT_FAULTS,
    ) -> None:
        self.game = game
        self.unit = unit
        self.set_number = set_number
        self.number = number
        """The table's place in its set."""
        self.entrants = list(entrants)
        """The entrant in each seat, for the record."""
        self.cards = cards
        self.allowed = soft_faults
        self.tally = game.first(set_number, unit)
        self.soft = [0] * game.seats
        """Soft faults so far, by seat."""
        self.forfeited = 0
        """Seats that the referee plays on for, as bits."""
        self.floors: dict[int, float] = {}
        """What a forfeited side scores, by side."""
        self.records: list[PlayRecord] = []
        """Finished deals."""
        self.last: LastDeal | None = None
        self._begin_deal()

    def _begin_deal(self) -> None:
        self.redeals: tuple[int, ...] = ()
        self.dealt: list[Sequence[int]] = []
        self._before: list[int] = []
        """Actions of this deal's earlier dealings."""
        self.rulings: list[Substitution] = []
        self._deal_cards()

    def _deal_cards(self) -> None:
        cards = self.cards(self.tally.deals, len(self.redeals))
        self.dealt.append(cards)
        self.deal: Deal = self.game.deal(cards, self.tally, self.redeals, self.last)

    @property
    def over(self) -> bool:
        """Whether the table has nothing more to play."""
        return self.deal.to_act is None

    @property
    def at(self) -> int:
        """The place of the decision wanted in the deal's actions."""
        return len(self._before) + len(self.deal.history)

    def ask(self) -> Decision | None:
        """The decision wanted, or None when the table is over."""
        seat = self.deal.to_act
        return None if seat is None else Decision(seat, self.deal.legal())

    def submit(self, action: int) -> None:
        """Play the action of the seat to act; raises IllegalAction and changes nothing if it may
        not be played."""
        deal = self.deal
        legal = deal.legal()
        if action not in legal:
            raise IllegalAction(self.refusal(action))
        deal.apply(action)
        self._go_on()

    def play(self, action: int) -> None:
        """Play an action that `ask` has shown to be legal."""
        deal = self.deal
        deal.apply(action)
        if deal.to_act is None or self.forfeited or deal.dictated():
            self._go_on()

    def retrace(self, actions: Sequence[str], until: int) -> None:
        """Play logged actions of the current deal up to a place in it, or to the deal's end.

        What the table plays by itself is passed over. Raises IllegalAction at the first action
        that is not legal, and when there are too few.
        """
        index = self.game.index
        done = len(self.records)
        deal = self.deal
        at = self.at
        while at < until:
            action = actions[at] if at < len(actions) else ""
            place = index.get(action, -1)
            if place not in deal.legal():
                raise IllegalAction(f"actions[{at}]: {self.refusal(action)}")
            deal.apply(place)
            at += 1
            if deal.to_act is None or self.forfeited or deal.dictated():
                self._go_on()
                if len(self.records) > done:
                    return
                deal = self.deal
                at = self.at

    def refusal(self, action: int | str) -> str:
        """Why an action is refused, for people."""
        text = self.game.actions[action] if isinstance(action, int) else action
        legal = ", ".join(self.game.actions[place] for place in self.deal.legal())
        return f"{text!r} is not legal for seat {self.deal.to_act}; legal: {legal}"

    def fault(self, kind: Kind) -> Ruling:
        """Rule on a fault of the seat to act: play `legal[0]` for it, once or from now on."""
        seat = self.deal.to_act
        assert seat is not None
        ruling = rule(kind, self.soft[seat], self.allowed)
        if ruling == "substitute":
            self.soft[seat] += 1
            self.rulings.append(Substitution(at=self.at, seat=seat, kind=kind, ruling=ruling))
            self.play(self.deal.legal()[0])
        else:
            self.forfeit(seat, kind)
        return ruling

    def forfeit(self, seat: int, kind: Kind) -> None:
        """Play on for a seat by `legal[0]`; its side's net is now the floor of this position."""
        if self.over or self.forfeited >> seat & 1:
            return
        self.rulings.append(Substitution(at=self.at, seat=seat, kind=kind, ruling="forfeit"))
        self.forfeited |= 1 << seat
        side = self.game.sides[seat]
        floor = -1.0 if self.unit == "game" else self.deal.floor(side)
        self.floors[side] = min(floor, self.floors.get(side, floor))
        self._go_on()

    def _go_on(self) -> None:
        """Play what nobody is asked: dictated answers, forfeited seats, new dealings and deals."""
        deal = self.deal
        while True:
            seat = deal.to_act
            if seat is None:
                if not self._next_dealing():
                    return
                deal = self.deal
            elif (self.forfeited and self.forfeited >> seat & 1) or deal.dictated():
                deal.apply(deal.legal()[0])
            else:
                return

    def _next_dealing(self) -> bool:
        """Deal again after a redeal or a finished deal; False when the table is over."""
        deal = self.deal
        if deal.redealer is not None:
            self._before += map(_action, deal.history)
            self.redeals = (*self.redeals, deal.redealer)
            self._deal_cards()
            return True
        points = deal.points()
        after = deal.after()
        over = self.unit == "deal" or bool(after.winners)
        self.records.append(self._record(points, after.score, after.winners if over else None))
        if over:
            return False
        self.last = deal.summary()
        self.tally = after
        self._begin_deal()
        return True

    def _record(
        self, points: Sequence[int], score: Sequence[int], winners: Sequence[int] | None
    ) -> PlayRecord:
        game = self.game
        names = game.pack.names
        history = self.deal.history
        own: list[float] | None = None
        if winners is not None:
            own = nets(points) if self.unit == "deal" else game_nets(winners, len(points))
            for side, floor in self.floors.items():
                own[side] = floor
        return PlayRecord(
            set=self.set_number,
            table=self.number,
            deal=self.tally.deals,
            seats=self.entrants,
            dealer=self.tally.dealer,
            cards=[" ".join(named(names, cards)) for cards in self.dealt],
            actions=" ".join(named(game.actions, [*self._before, *map(_action, history)])),
            rulings=self.rulings,
            points=list(points),
            score=list(score),
            nets=own,
        )
