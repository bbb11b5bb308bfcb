"""What every game offers to the table, and what the points of a deal come to for each side."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, Protocol, Self

from msgspec import Struct

from protocol.messages import AnyView, LastDeal
from referee.cards import Pack

Unit = Literal["deal", "game"]
"""`deal`: every deal from nought, the rated mode; `game`: deals up to the target."""


class Tally(Struct, frozen=True, kw_only=True):
    """Where a game of several deals stands between two deals."""

    score: tuple[int, ...]
    """Totals by side."""
    dealer: int
    """Who deals next."""
    unit: Unit = "deal"
    """A deal by itself knows no target, so nothing that one brings with it."""
    deals: int = 0
    """Deals scored so far."""
    extra: bool = False
    """The next deal is the one that breaks a tie."""
    winners: tuple[int, ...] = ()
    """The sides with the top score once the game is over; several share a draw."""


class Deal(Protocol):
    """One distribution and its play, in progress. Mutable; nothing outside changes it but apply."""

    to_act: int | None
    """The seat whose decision is wanted, or None when the deal is over."""
    redealer: int | None
    """The seat that demanded new cards: this deal ends and the next redeal begins."""
    history: list[tuple[int, int]]
    """(seat, action) of everything since the cards were dealt, nothing hidden."""

    def legal(self) -> Sequence[int]:
        """Every legal action of the seat to act: complete, never empty, rising."""
        ...

    def dictated(self) -> bool:
        """Whether the rules dictate the answer wanted, so that nobody is asked."""
        ...

    def apply(self, action: int) -> None:
        """Play an action that is legal here; the caller has checked that."""
        ...

    def view(self, seat: int) -> AnyView:
        """All that a seat may know, enough for a bot without memory."""
        ...

    def view_json(self, seat: int) -> str:
        """The view as it is sent. Equal to `encode(view(seat))` as text, letter for letter."""
        ...

    def points(self) -> tuple[int, ...]:
        """Points by side, once the deal is over."""
        ...

    def summary(self) -> LastDeal:
        """What the next deal's views say of this one, once it is over."""
        ...

    def after(self) -> Tally:
        """Where its game stands once this deal is over and its points are entered."""
        ...

    def floor(self, side: int) -> float:
        """A net that no continuation from here takes this side below (forfeits cost it)."""
        ...

    def copy(self) -> Self:
        """An independent copy, for bots that search."""
        ...


class Game(Protocol):
    """A game with its options: how deals are made, which actions exist, when a game ends."""

    @property
    def name(self) -> str: ...

    @property
    def ruleset(self) -> str: ...

    @property
    def rules(self) -> Struct:
        """The options, all resolved."""
        ...

    @property
    def pack(self) -> Pack: ...

    @property
    def seats(self) -> int: ...

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """The finite alphabet, in the order of every `legal` list."""
        ...

    @property
    def index(self) -> Mapping[str, int]:
        """Place of each action in the alphabet."""
        ...

    def first(self, set_number: int, unit: Unit = "deal") -> Tally:
        """The start of a game or rated deal of a set: who deals first."""
        ...

    def deal(
        self,
        cards: Sequence[int],
        tally: Tally,
        redeals: tuple[int, ...] = (),
        last: LastDeal | None = None,
    ) -> Deal:
        """A deal of these cards (in dealing order) at this stage of a game."""
        ...

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        ...


def named(actions: Sequence[str], places: Sequence[int]) -> Sequence[str]:
    """The actions at these places of an alphabet; there must be some.

    >>> named(("pass", "bid:50", "bid:55"), [1, 2])
    ('bid:50', 'bid:55')
    """
    if len(places) == 1:
        return (actions[places[0]],)
    names: Sequence[str] = itemgetter(*places)(actions)
    return names


class Option(Struct, frozen=True, kw_only=True):
    """One option of a game, for people and programs that list them."""

    name: str
    default: Any
    values: str
    meaning: str


def net(points: Sequence[float], side: int) -> float:
    """Own minus opponents' points for two sides, own minus the table's mean for more."""
    own = points[side]
    if len(points) == 2:
        return float(own - points[1 - side])
    return own - sum(points) / len(points)


def nets(points: Sequence[float]) -> list[float]:
    """The net of every side."""
    return [net(points, side) for side in range(len(points))]


def game_nets(winners: Sequence[int], sides: int) -> list[float]:
    """Nets of a whole game: 1 for the winner and -1/(k-1) for each other; a shared top splits."""
    share = 1 / len(winners) - (len(winners) - 1) / (len(winners) * (sides - 1))
    loss = -1 / (sides - 1)
    return [share if side in winners else loss for side in range(sides)]
