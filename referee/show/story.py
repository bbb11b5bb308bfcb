"""A logged deal told again: every position, action and trick, as the rules make them."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from referee.cards import SUITS
from referee.games.game import Deal, Game, Tally, Unit
from referee.games.marriages import MarriageGame
from referee.log import SetRecord, SideRecord
from referee.retelling import Retelling, told
from referee.rulings import Blame
from referee.table import PlayRecord


@runtime_checkable
class Drawing(Protocol):
    """A deal with a stock."""

    drawn: list[tuple[int, int]]
    """(seat, card) of every card drawn."""


@runtime_checkable
class Counting(Protocol):
    """A deal that can say what each side has won so far."""

    def raw(self) -> tuple[int, ...]:
        """Points by side."""
        ...


class Trick(Struct, frozen=True, kw_only=True):
    """A finished trick."""

    number: int
    plays: list[tuple[int, str]]
    """`[seat, card]` in playing order."""
    winner: int
    points: int | None
    """What it brought its winner; null in games that do not count so."""


class Moment(Struct, frozen=True, kw_only=True):
    """One action with the position in which it was played."""

    at: int
    """Its place in the deal's actions."""
    seat: int
    action: str
    phase: str
    hand: list[str]
    legal: list[str]
    table: list[tuple[int, str]]
    """Cards of the trick so far."""
    ms: float | None
    """How long its bot took; null where nobody was asked."""
    note: Any
    """What the bot noted for its author."""
    blame: list[Blame]
    """What went wrong at this decision."""
    trump: str | None
    """The suit that this action made trump."""
    trick: Trick | None
    """The trick that this action ended."""
    drawn: list[tuple[int, str]] = []
    """`[seat, card]` of what was then drawn from the stock, in order."""


class Dealing(Struct, frozen=True, kw_only=True):
    """Cards as they were dealt, and what was played with them."""

    hands: list[list[str]]
    """By seat; empty where a seat that looks on may not know them."""
    talon: list[str]
    moments: list[Moment]
    received: list[str] = []
    """What the seat that looks on got from its partner; empty where everything is told."""


class Story(Struct, frozen=True, kw_only=True):
    """One deal from its cards to its points."""

    play: PlayRecord
    side: SideRecord
    dealings: list[Dealing]
    """The last one was played out; before each other one somebody demanded new cards."""
    before: tuple[int, ...]
    """Totals by side before the deal."""
    declarer: int | None
    contract: int | str | None
    raw: tuple[int, ...] | None
    """Points won by side, before contract and penalties."""
    blame: list[Blame]
    """What went wrong at no decision in particular."""

    @property
    def forfeits(self) -> dict[int, int]:
        """Where the referee began to play on for a seat: seat to place in the actions."""
        return {r.seat: r.at for r in self.play.rulings if r.ruling == "forfeit"}


class Brief(Struct, frozen=True, kw_only=True):
    """One deal in a line."""

    play: PlayRecord
    side: SideRecord
    declarer: int | None
    contract: int | str | None
    declared: list[tuple[int, str]]
    """`[seat, suit]` of every marriage or trump; empty in games without."""


def stories(game: Game, unit: Unit, record: SetRecord) -> Iterator[Story]:
    """The deals of a set by table and deal; raises LogMismatch where the rules do not allow one."""
    for teller, deal in told(game, unit, record, Teller):
        yield teller.story(deal)


def briefs(game: Game, unit: Unit, record: SetRecord) -> Iterator[Brief]:
    """The same in short, and much faster."""
    for player, deal in told(game, unit, record, Retelling):
        summary = deal.summary()
        yield Brief(
            play=player.play,
            side=player.side,
            declarer=summary.declarer,
            contract=summary.contract,
            declared=list(getattr(deal.view(0), "declared", [])),
        )


class Teller(Retelling):
    """Writes down what happens."""

    def __init__(self, game: Game, tally: Tally, play: PlayRecord, side: SideRecord) -> None:
        super().__init__(game, tally, play, side)
        self.times = {at: ms for _, at, ms in side.times}
        self.notes = dict(side.notes)
        self.blame: dict[int, list[Blame]] = {}
        self.elsewhere: list[Blame] = []
        self.dealings: list[Dealing] = []
        forfeits = {(r.seat, r.kind): r.at for r in play.rulings if r.ruling == "forfeit"}
        for blame in side.blame:
            # A bot that had gone before it was asked is blamed where its seat was wanted.
            at = forfeits.get((blame.seat, blame.kind)) if blame.at is None else blame.at
            if at is None or (blame.at is None and blame.ruling != "forfeit"):
                self.elsewhere.append(blame)
            else:
                self.blame.setdefault(at, []).append(blame)

    def dealt(self, deal: Deal, cards: list[str]) -> None:
        """Lay out the hands."""
        hands = [list(deal.view(seat).hand) for seat in range(self.game.seats)]
        held = {card for hand in hands for card in hand}
        talon = [card for card in cards if card not in held]
        self.dealings.append(Dealing(hands=hands, talon=talon, moments=[]))

    def act(self, deal: Deal, at: int, place: int) -> None:
        """Play one action and keep the moment."""
        seat = deal.to_act
        assert seat is not None
        names = self.game.actions
        legal = [names[one] for one in deal.legal()]
        view = deal.view(seat)
        raw = deal.raw() if isinstance(deal, Counting) else None
        before = len(deal.drawn) if isinstance(deal, Drawing) else 0
        deal.apply(place)
        drawn = deal.drawn[before:] if isinstance(deal, Drawing) else []
        after = deal.view(seat)
        trick = None
        if sum(after.tricks) > sum(view.tricks):
            winner = next(s for s, won in enumerate(after.tricks) if won > view.tricks[s])
            points = None
            if raw is not None and isinstance(deal, Counting):
                side = self.game.sides[winner]
                points = deal.raw()[side] - raw[side]
            plays = [*view.trick, (seat, names[place])]
            trick = Trick(number=sum(after.tricks), plays=plays, winner=winner, points=points)
        self.dealings[-1].moments.append(
            Moment(
                at=at,
                seat=seat,
                action=names[place],
                phase=view.phase,
                hand=list(view.hand),
                legal=legal,
                table=list(view.trick),
                ms=self.times.get(at),
                note=self.notes.get(at),
                blame=self.blame.pop(at, []),
                trump=after.trump if after.trump != view.trump else None,
                trick=trick,
                drawn=[(player, self.game.pack.names[card]) for player, card in drawn],
            )
        )

    def story(self, deal: Deal) -> Story:
        """What has been told."""
        summary = deal.summary()
        left = [blame for at in sorted(self.blame) for blame in self.blame[at]]
        return Story(
            play=self.play,
            side=self.side,
            dealings=self.dealings,
            before=self.tally.score,
            declarer=summary.declarer,
            contract=summary.contract,
            raw=tuple(deal.raw()) if isinstance(deal, Counting) else None,
            blame=self.elsewhere + left,
        )


def ranks_of(game: Game) -> str:
    """The ranks of a game's pack from the highest down, where its rules say so."""
    order = "".join(reversed(game.pack.ranks))
    # Only Huutopussi has a choice; the other marriage games have the ten below the ace.
    marriages = "ace_ten" if isinstance(game, MarriageGame) else "plain"
    if getattr(game.rules, "rank_order", marriages) == "ace_ten":
        order = "AT" + order.replace("A", "").replace("T", "")
    return order


def by_suit(cards: Sequence[str], ranks: str) -> list[tuple[str, str]]:
    """Cards as (suit, ranks from the highest down), the suits in the order S H D C.

    >>> by_suit(["7S", "AS", "KD"], "AKQJT9876")
    [('S', 'A7'), ('H', ''), ('D', 'K'), ('C', '')]
    """
    return [
        (suit, "".join(sorted((c[0] for c in cards if c[1] == suit), key=ranks.index)))
        for suit in SUITS
    ]
