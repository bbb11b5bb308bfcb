"""The positions of a deal as each seat saw them, small enough for ten thousand deals in a page.

Every position is the engine's own `deal.view(seat)`. What a reader of the history would expect
after an action (it is appended; a card leaves its hand for the trick) is left out, everything
else that changed is written down, so that any view can be made again exactly: `expected`, then
the changes. The page does the same in its script.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from referee.cards import SUITS
from referee.games.game import Deal, Game, Tally
from referee.log import SideRecord
from referee.retelling import Retelling
from referee.show.story import Counting
from referee.table import PlayRecord

Values = Sequence[Any]
"""The fields of a view, in the order of its class."""
Change = list[Any]
"""`[value]`, or of a list `[how many items stay, the items after them]`."""
Changes = dict[int, Change]
"""What a view has otherwise than expected, by the place of the field."""


class Dealing(Struct, kw_only=True):
    """The positions between dealing the cards and the last action with them."""

    rest: str
    """Cards in no hand at first, in dealing order: the talon or stock."""
    views: list[Any]
    """At first: seat 0's values, then for each other seat its changes to them."""
    to_act: str = ""
    """The seat wanted in each position, one digit each; `-` where the deal is over."""
    actions: list[str] = []
    changes: dict[int, list[Changes]] = {}
    """By the action (its place in this dealing) before: one for all seats, or one for each."""


class TrickEnd(Struct, array_like=True):
    """A trick that an action ended."""

    at: int
    """Place of that action in the deal."""
    winner: int
    points: int | None
    """What it brought; null in games that do not count so."""


class Filming(Retelling):
    """Plays a deal again and writes down every position of every seat."""

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        super().__init__(game, tally, play, side)
        self.dealings: list[Dealing] = []
        self.tricks: list[TrickEnd] = []
        self.fields: tuple[str, ...] = ()
        """Names of the values of a view."""
        self._views: list[Values] = []
        self._layout: Layout | None = None
        self._counting: Counting | None = None
        """The deal, where it can say what has been won so far."""

    def dealt(self, deal: Deal, cards: list[str]) -> None:
        """The first positions."""
        views = [deal.view(seat) for seat in range(self.game.seats)]
        self.fields = views[0].__struct_fields__
        self._layout = Layout(self.fields)
        held = {card for view in views for card in view.hand}
        self._views = [astuple(view) for view in views]
        self._counting = deal if isinstance(deal, Counting) else None
        first = self._views[0]
        self.dealings.append(
            Dealing(
                rest=" ".join(card for card in cards if card not in held),
                views=[first, *(changes(first, values) for values in self._views[1:])],
                to_act=_wanted(deal),
            )
        )

    def act(self, deal: Deal, at: int, place: int) -> None:
        """Play one action and write down what it changed for each seat."""
        actor = deal.to_act
        layout = self._layout
        assert actor is not None
        assert layout is not None
        action = self.game.actions[place]
        raw = self._counting.raw() if self._counting is not None else ()
        won = self._views[actor][layout.tricks]
        deal.apply(place)
        dealing = self.dealings[-1]
        found: list[Changes] = []
        for seat, before in enumerate(self._views):
            values = astuple(deal.view(seat))
            found.append(changes(layout.expected(before, seat, actor, action), values))
            self._views[seat] = values
        if any(found):
            alike = all(found[0] == other for other in found)
            dealing.changes[len(dealing.actions)] = found[:1] if alike else found
        dealing.actions.append(action)
        dealing.to_act += _wanted(deal)
        self._end_trick(at, won, raw)

    def _end_trick(self, at: int, before: Sequence[int], raw: Sequence[int]) -> None:
        assert self._layout is not None
        after = self._views[0][self._layout.tricks]
        for seat, (then, now) in enumerate(zip(before, after, strict=True)):
            if now > then:
                points = None
                if self._counting is not None:
                    side = self.game.sides[seat]
                    points = self._counting.raw()[side] - raw[side]
                self.tricks.append(TrickEnd(at, seat, points))


    def raw(self) -> list[int] | None:
        """Points won so far by side, before contract and penalties; None where none are."""
        return None if self._counting is None else list(self._counting.raw())


class Layout:
    """Where the fields stand that an action is expected to change."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.hand = fields.index("hand")
        self.counts = fields.index("counts")
        self.leader = fields.index("leader")
        self.trick = fields.index("trick")
        self.history = fields.index("history")
        self.tricks = fields.index("tricks")

    def expected(self, before: Values, viewer: int, actor: int, action: str) -> Values:
        """The values of a view after an action, by its text alone: no rule of any game."""
        values = list(before)
        values[self.history] = [*before[self.history], (actor, action)]
        if len(action) == 2 and action[1] in SUITS:
            if viewer == actor:
                values[self.hand] = [card for card in before[self.hand] if card != action]
            counts = list(before[self.counts])
            counts[actor] -= 1
            values[self.counts] = counts
            trick = [*before[self.trick], (actor, action)]
            values[self.trick] = trick
            values[self.leader] = trick[0][0]
        return tuple(values)


def changes(expected: Values, values: Values) -> Changes:
    """What must be changed to come from the expected values to the true ones.

    >>> changes([1, ["a", "b"], "x"], [1, ["a", "c"], "y"])
    {1: [1, ['c']], 2: ['y']}
    """
    if expected == values:
        return {}
    return {
        place: _change(old, new)
        for place, (old, new) in enumerate(zip(expected, values, strict=True))
        if old != new
    }


def _change(old: Any, new: Any) -> Change:
    if not isinstance(old, list) or not isinstance(new, list):
        return [new]
    stay = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        stay += 1
    return [stay, new[stay:]]


def _wanted(deal: Deal) -> str:
    return "-" if deal.to_act is None else str(deal.to_act)
