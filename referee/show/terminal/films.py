"""A logged deal as a row of positions, each with what every seat saw of it."""

from collections.abc import Iterator

from msgspec import Struct

from protocol.messages import AnyView
from referee.games.game import Deal, Game, Tally, Unit
from referee.log import SetRecord, SideRecord
from referee.retelling import told
from referee.show.story import Moment, Story, Teller
from referee.table import PlayRecord


class Position(Struct, frozen=True, kw_only=True):
    """Where a deal stands before one of its actions, or at its end."""

    dealing: int
    """Which dealing of the cards this is, from 0."""
    views: list[AnyView]
    """By seat."""
    to_act: int | None


class Film(Struct, frozen=True, kw_only=True):
    """A deal to be stepped through."""

    story: Story
    positions: list[Position]
    """One before each action of the deal, and one at its end."""

    def moments(self) -> list[Moment]:
        """Every action of the deal in order."""
        return [moment for dealing in self.story.dealings for moment in dealing.moments]

    def stops(self, viewer: int | None) -> list[int]:
        """Positions worth stopping at: all, or those at which a seat sees or does something."""
        last = len(self.positions) - 1
        if viewer is None:
            return list(range(last + 1))
        found = [0]
        for at in range(1, last + 1):
            position = self.positions[at]
            news = position.views[viewer] != self.positions[at - 1].views[viewer]
            if news or position.to_act == viewer or at == last:
                found.append(at)
        return found

    def faults(self, viewer: int | None) -> list[int]:
        """Positions at which something went wrong; at the end for what belongs to no decision."""
        found = [
            moment.at
            for moment in self.moments()
            if any(viewer in (None, blame.seat) for blame in moment.blame)
        ]
        loose = [blame for blame in self.story.blame if viewer in (None, blame.seat)]
        return found + ([len(self.positions) - 1] if loose else [])


class _Projector(Teller):
    """Keeps every position beside the story."""

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        super().__init__(game, tally, play, side)
        self.positions: list[Position] = []

    def act(self, deal: Deal, at: int, place: int) -> None:
        """Keep the position, then play the action."""
        self.keep(deal)
        super().act(deal, at, place)

    def keep(self, deal: Deal) -> None:
        """Keep the position as it is."""
        views = [deal.view(seat) for seat in range(self.game.seats)]
        dealing = len(self.dealings) - 1
        self.positions.append(Position(dealing=dealing, views=views, to_act=deal.to_act))


def films(game: Game, unit: Unit, record: SetRecord) -> Iterator[Film]:
    """The deals of a set by table and deal; raises LogMismatch where the rules do not allow one."""
    for projector, deal in told(game, unit, record, _Projector):
        projector.keep(deal)
        yield Film(story=projector.story(deal), positions=projector.positions)
