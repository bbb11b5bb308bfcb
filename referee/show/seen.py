"""A logged deal as one of its seats saw it, made of what `deal.view(seat)` said to it.

Nothing is taken from the true state but what the seat did itself, and how the deal ended as all
seats are told: points and totals.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import AnyView
from referee.games.game import Deal, Game, Tally, Unit
from referee.log import SetRecord, SideRecord
from referee.retelling import Retelling, told
from referee.show.story import Dealing, Moment, Story, Trick
from referee.table import PlayRecord


class Own(Struct, frozen=True):
    """A decision of the seat itself, as it stood before it."""

    at: int
    action: str
    view: AnyView
    legal: list[str]


def seen(game: Game, unit: Unit, record: SetRecord, seat: int) -> Iterator[Story]:
    """The deals of a set as a seat saw them; raises LogMismatch as `stories` does."""

    class Looking(Onlooker):
        viewer = seat

    for looker, deal in told(game, unit, record, Looking):
        yield looker.story(deal)


class Onlooker(Retelling):
    """Writes down what one seat sees."""

    viewer = 0

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        super().__init__(game, tally, play, side)
        self.times = {at: ms for owner, at, ms in side.times if owner == self.viewer}
        self.blame = [blame for blame in side.blame if blame.seat == self.viewer]
        self.notes: dict[int, Any] = dict(side.notes)
        self.dealings: list[Dealing] = []
        self.mine: set[int] = set()
        """Places of its own actions in the deal."""
        self._view: AnyView | None = None

    def dealt(self, deal: Deal, cards: list[str]) -> None:
        """Look at the cards."""
        del cards
        view = deal.view(self.viewer)
        hands = [view.hand if seat == self.viewer else [] for seat in range(self.game.seats)]
        self.dealings.append(Dealing(hands=hands, talon=[], moments=[]))
        self._view = view

    def act(self, deal: Deal, at: int, place: int) -> None:
        """Look at what an action has changed."""
        before = self._view
        assert before is not None
        own = None
        if deal.to_act == self.viewer:
            self.mine.add(at)
            names = self.game.actions
            legal = [names[one] for one in deal.legal()]
            own = Own(at, names[place], deal.view(self.viewer), legal)
        deal.apply(place)
        after = self._view = deal.view(self.viewer)
        dealing = self.dealings[-1]
        moments = self._moments(dealing.moments, before, after.history, own)
        if moments and len(moments) > len(dealing.moments):
            moments[-1] = replace(moments[-1], **_outcome(before, after, moments[-1]))
        self.dealings[-1] = replace(
            dealing,
            moments=moments,
            talon=list(getattr(after, "talon", [])) or dealing.talon,
            received=list(getattr(after, "received", [])),
        )

    def _moments(
        self,
        told: Sequence[Moment],
        before: AnyView,
        history: Sequence[tuple[int, str]],
        own: Own | None,
    ) -> list[Moment]:
        """The moments of a history; sealed bids of others come in before what was told already."""
        left = list(told)
        found = []
        for seat, action in history:
            known = next((m for m in left if (m.seat, m.action) == (seat, action)), None)
            if known is not None:
                left.remove(known)
                found.append(known)
            elif own is not None and (seat, action) == (self.viewer, own.action):
                found.append(self._own(own))
            else:
                found.append(
                    Moment(
                        at=-1, seat=seat, action=action, phase=before.phase, hand=[], legal=[],
                        table=list(before.trick), ms=None, note=None, blame=[], trump=None,
                        trick=None,
                    )
                )  # fmt: skip
        return found

    def _own(self, own: Own) -> Moment:
        view = own.view
        return Moment(
            at=own.at, seat=self.viewer, action=own.action, phase=view.phase,
            hand=list(view.hand), legal=own.legal, table=list(view.trick),
            ms=self.times.get(own.at), note=self.notes.get(own.at),
            blame=[blame for blame in self.blame if blame.at == own.at],
            trump=None, trick=None,
        )  # fmt: skip

    def story(self, deal: Deal) -> Story:
        """What has been seen."""
        play, side = self.play, self.side
        summary = deal.summary()
        history = [f"{m.action}" for dealing in self.dealings for m in dealing.moments]
        told = {m.at for dealing in self.dealings for m in dealing.moments}
        return Story(
            play=replace(
                play, cards=[], actions=" ".join(history), nets=None,
                rulings=[ruling for ruling in play.rulings if ruling.seat == self.viewer],
            ),
            side=replace(
                side,
                times=[time for time in side.times if time.seat == self.viewer],
                notes=[(at, note) for at, note in side.notes if at in self.mine],
                blame=self.blame,
                lag_ms=0.0,
                unexpected=[
                    number if seat == self.viewer else 0
                    for seat, number in enumerate(side.unexpected)
                ],
            ),
            dealings=self.dealings,
            before=self.tally.score,
            declarer=summary.declarer,
            contract=summary.contract,
            raw=None,
            blame=[blame for blame in self.blame if blame.at is None or blame.at not in told],
        )  # fmt: skip


def _outcome(before: AnyView, after: AnyView, moment: Moment) -> dict[str, Any]:
    """What a view says of the action that has just been told."""
    changed: dict[str, Any] = {}
    if after.trump != before.trump:
        changed["trump"] = after.trump
    if sum(after.tricks) > sum(before.tricks):
        winner = next(s for s, won in enumerate(after.tricks) if won > before.tricks[s])
        plays = [*before.trick, (moment.seat, moment.action)]
        changed["trick"] = Trick(
            number=sum(after.tricks), plays=plays, winner=winner, points=None
        )
    drawn = list(getattr(after, "drawn", []))[len(getattr(before, "drawn", [])) :]
    if drawn:
        changed["drawn"] = [(after.seat, card) for card in drawn]
    return changed
