"""Which deals of a log are wanted: conditions such as `seat=greedy made=no points<-50`.

`seat=` and `entrant=` say whose deal is looked at; every other condition then speaks of it: its
contract, its points, its faults. Where neither is given, any side of the table will do, but one
side must fulfil all conditions.
"""

import operator
import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from referee.errors import ConfigError
from referee.games.game import Game
from referee.games.rulesets import nearest
from referee.log import Header
from referee.rulings import KINDS

KEYS = {
    "seat": "a seat, by its number or by who sits there: seat=2, seat=greedy",
    "entrant": "the same by name alone",
    "set": "the set: set=3, set=3-7, set>100",
    "table": "the table of the set",
    "deal": "the deal of the table",
    "dealer": "who deals, by seat or name",
    "contract": "what the seat plays for: contract=70, contract>=100, contract=rami, any, none",
    "made": "whether the seat's side made its contract: yes or no",
    "declared": "a suit that the seat made trump or declared: S, H, D, C, any, none",
    "fault": "a fault of the seat by kind: fault=timeout,crashed, any, none",
    "points": "points of the deal for the seat's side: points>100",
    "net": "net points for the seat's side: net<-50",
    "ms": "the seat's slowest decision in milliseconds: ms>500",
}
"""Every key with its meaning."""

_WORDS = {"tuppi": ("rami", "nolo", "sooli"), "minnesota": ("high", "low")}
"""Contracts that are words, by game."""

_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_CONDITION = re.compile(r"([^<>=]*)(<=|>=|=|<|>)(.*)")
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})(?:-({_NUMBER}))?")


class Facts(Struct, frozen=True, kw_only=True):
    """What conditions look at: a deal, or a table that was not played."""

    set: int
    table: int
    deal: int | None
    seats: Sequence[str]
    """Entrant by seat."""
    dealer: int | None = None
    declarer: int | None = None
    contract: int | str | None = None
    points: Sequence[int] | None = None
    """By side."""
    nets: Sequence[float] | None = None
    """By side."""
    declared: Sequence[tuple[int, str]] = ()
    """`(seat, suit)` of every marriage or trump."""
    faults: Sequence[tuple[int, str]] = ()
    """`(seat, kind)` of every fault that was ruled on."""
    worst_ms: Sequence[float] = ()
    """The slowest decision of each seat; 0 where it decided nothing."""


def made(
    declarer: int | None, contract: int | str | None, points: Sequence[int], sides: Sequence[int]
) -> bool | None:
    """Whether a contract was made; None where there was none.

    A number is made when it is what the declarer's side scores, a word when that side scores
    anything; a sooli is the other side's.
    """
    if declarer is None or contract is None:
        return None
    scored = points[sides[declarer]]
    if contract == "sooli":
        return scored <= 0
    return scored > 0 if isinstance(contract, str) else scored == contract


Test = Callable[[Facts, Sequence[int]], bool]
"""Whether something holds for these seats of a table."""


class Filter(Struct, frozen=True, kw_only=True):
    """Conditions that must all hold."""

    sides: tuple[int, ...]
    """The side of each seat."""
    who: tuple[Callable[[int, str], bool], ...] = ()
    """Which (seat, entrant) is looked at."""
    whole: tuple[Test, ...] = ()
    """About all seats looked at together."""
    side: tuple[Test, ...] = ()
    """About one side of them."""

    def fits(self, facts: Facts) -> bool:
        """Whether a deal is wanted."""
        looked = [
            seat
            for seat, entrant in enumerate(facts.seats)
            if all(wanted(seat, entrant) for wanted in self.who)
        ]
        if not looked or not all(test(facts, looked) for test in self.whole):
            return False
        groups = [
            [seat for seat in looked if self.sides[seat] == side] for side in set(self.sides)
        ]
        return any(group and all(test(facts, group) for test in self.side) for group in groups)


def parsed(text: str, game: Game, header: Header) -> Filter:
    """The filter that a text describes: conditions `KEY=VALUE`, `KEY<N` ... between blanks.

    Several values with commas between them mean any of them. Raises ConfigError that names an
    unknown key or value and the nearest known one.
    """
    names = tuple(entrant.id for entrant in header.entrants)
    reader = _Reader(game, names)
    for word in text.split():
        found = _CONDITION.fullmatch(word)
        if found is None:
            raise ConfigError(f"{word!r}: expected KEY=VALUE, or KEY<N, KEY>N of a number")
        reader.take(word, *found.groups())
    return Filter(
        sides=game.sides,
        who=tuple(reader.who),
        whole=tuple(reader.whole),
        side=tuple(reader.side),
    )


class _Reader:
    """Turns conditions into tests."""

    def __init__(self, game: Game, names: tuple[str, ...]) -> None:
        self.game = game
        self.names = names
        self.who: list[Callable[[int, str], bool]] = []
        self.whole: list[Test] = []
        self.side: list[Test] = []

    def take(self, word: str, key: str, sign: str, value: str) -> None:
        """Add one condition."""
        if key not in KEYS:
            raise ConfigError(f"{word!r}: there is no key {key!r}{nearest(key, tuple(KEYS))}")
        if not value:
            raise ConfigError(f"{word!r}: expected a value after {sign}")
        if sign != "=" and key not in ("set", "table", "deal", "contract", "points", "net", "ms"):
            raise ConfigError(f"{word!r}: {key} has no order; expected {key}=...")
        if key in ("seat", "entrant", "dealer"):
            self._person(word, key, value)
        elif key in ("set", "table", "deal"):
            holds = _numbers(word, sign, value)
            self.whole.append(lambda facts, _: _holds(holds, getattr(facts, key)))
        elif key in ("points", "net"):
            self._score(key, _numbers(word, sign, value))
        elif key == "ms":
            slow = _numbers(word, sign, value)
            self.side.append(
                lambda facts, seats: any(slow(facts.worst_ms[s]) for s in seats if facts.worst_ms)
            )
        elif key == "contract":
            self._contract(word, sign, value)
        elif key == "made":
            self._made(_one_of(word, value, ("yes", "no")))
        elif key == "declared":
            suits = tuple("SHDC")
            self._happened("declared", _one_of(word, value.upper(), suits, ("ANY", "NONE")))
        else:
            self._happened("faults", _one_of(word, value, KINDS, ("any", "none")))

    def _person(self, word: str, key: str, value: str) -> None:
        wanted = set(value.split(","))
        numbers = [str(seat) for seat in range(self.game.seats)] if key != "entrant" else []
        known = (*self.names, *numbers)
        for name in wanted:
            if name not in known:
                what = "entrant" if key == "entrant" else "seat or entrant"
                hint = nearest(name, known) if self.names else ""
                raise ConfigError(f"{word!r}: there is no {what} {name!r}{hint}")
        seated = {int(name) for name in wanted if name in numbers and name not in self.names}
        if key == "dealer":
            self.whole.append(
                lambda facts, _: facts.dealer is not None
                and (facts.dealer in seated or facts.seats[facts.dealer] in wanted)
            )
        else:
            self.who.append(lambda seat, entrant: seat in seated or entrant in wanted)

    def _score(self, key: str, holds: Callable[[float], bool]) -> None:
        sides = self.game.sides

        def test(facts: Facts, seats: Sequence[int]) -> bool:
            values = facts.points if key == "points" else facts.nets
            return values is not None and holds(values[sides[seats[0]]])

        self.side.append(test)

    def _contract(self, word: str, sign: str, value: str) -> None:
        if value == "none":
            self.whole.append(
                lambda facts, seats: facts.deal is not None and not _plays(facts, seats)
            )
            return
        words = _WORDS.get(self.game.name)
        if value == "any":
            self.side.append(_plays)
        elif words is not None:
            if sign != "=":
                raise ConfigError(f"{word!r}: contracts of {self.game.name} are words")
            wanted = _one_of(word, value, words, ("any", "none"))
            self.side.append(lambda facts, seats: _plays(facts, seats) and facts.contract in wanted)
        else:
            holds = _numbers(word, sign, value, ("any", "none"))
            self.side.append(
                lambda facts, seats: _plays(facts, seats) and _holds(holds, facts.contract)
            )

    def _made(self, wanted: frozenset[str]) -> None:
        sides = self.game.sides

        def test(facts: Facts, seats: Sequence[int]) -> bool:
            if facts.points is None or not _plays(facts, seats):
                return False
            done = made(facts.declarer, facts.contract, facts.points, sides)
            return done is not None and ("yes" if done else "no") in wanted

        self.side.append(test)

    def _happened(self, field: str, wanted: frozenset[str]) -> None:
        """Suits that were declared, faults: (seat, which) each."""

        def which(facts: Facts, seats: Sequence[int]) -> set[str]:
            return {what for seat, what in getattr(facts, field) if seat in seats}

        if wanted & {"none", "NONE"}:
            self.whole.append(lambda facts, seats: not which(facts, seats))
        elif wanted & {"any", "ANY"}:
            self.side.append(lambda facts, seats: bool(which(facts, seats)))
        else:
            self.side.append(lambda facts, seats: bool(which(facts, seats) & wanted))


def _plays(facts: Facts, seats: Sequence[int]) -> bool:
    """Whether the contract is one of theirs."""
    return facts.contract is not None and facts.declarer in seats


def _holds(holds: Callable[[float], bool], value: int | str | None) -> bool:
    return isinstance(value, int) and holds(value)


def _one_of(
    word: str, value: str, known: Sequence[str], alone: Sequence[str] = ()
) -> frozenset[str]:
    """Values with commas between them, all of them known; some stand only by themselves."""
    values = value.split(",")
    for one in values:
        if one not in known and one not in alone:
            raise ConfigError(f"{word!r}: {one!r} is not known{nearest(one, (*known, *alone))}")
        if one in alone and len(values) > 1:
            raise ConfigError(f"{word!r}: {one!r} stands alone")
    return frozenset(values)


def _numbers(
    word: str, sign: str, value: str, words: Sequence[str] = ()
) -> Callable[[float], bool]:
    """The test of a number: below or above one, or one of several numbers and ranges."""
    if sign != "=":
        if not re.fullmatch(_NUMBER, value):
            raise ConfigError(f"{word!r}: expected a number after {sign}, found {value!r}")
        order, limit = _ORDERS[sign], float(value)
        return lambda number: order(number, limit)
    ranges: list[tuple[float, float]] = []
    for part in value.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            more = "".join(f", {one}" for one in words)
            raise ConfigError(
                f"{word!r}: expected a number or a range such as 3-7{more}, found {part!r}"
            )
        low = float(found[1])
        ranges.append((low, low if found[2] is None else float(found[2])))
        if ranges[-1][0] > ranges[-1][1]:
            raise ConfigError(f"{word!r}: the range {part!r} begins above its end")
    return lambda number: any(low <= number <= high for low, high in ranges)
