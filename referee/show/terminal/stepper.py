"""Stepping through deals: what each key does, and what is to be seen after it. No I/O."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from rich.text import Text

from referee.games.game import Game
from referee.log import Header
from referee.show.deal import Scene
from referee.show.page import WIDTH, Look, printable
from referee.show.story import Story
from referee.show.terminal.card_table import Sight, table_lines
from referee.show.terminal.films import Film

KEYS = (
    "right, n, space    the next position        left, p    the one before",
    "down, ]            the next deal            up, [      the deal before",
    "home, end          where the deal begins, and how it ended",
    "f, F               the next fault, the fault before",
    "g                  go to a deal: SET, SET.TABLE or SET.TABLE.DEAL",
    "digits, Enter      go to a decision of this deal by its number",
    "v, a               look from the next seat, see everything",
    "?                  these keys                q          quit",
)
"""Help, a line each."""

HINT = "n next  p back  ] [ deal  f fault  g go  0-9 decision  v seat  ? keys  q quit"


class Place(NamedTuple):
    """A deal of a log."""

    set: int
    table: int
    deal: int

    def __str__(self) -> str:
        return f"{self.set}.{self.table}.{self.deal}"


class Source(Protocol):
    """Where deals come from, read when they are wanted."""

    @property
    def game(self) -> Game: ...

    @property
    def header(self) -> Header: ...

    def film(self, place: Place) -> Film:
        """A deal with its positions."""
        ...

    def seen(self, place: Place, seat: int) -> Story:
        """The deal as a seat saw it."""
        ...

    def faulty(self, place: Place) -> bool:
        """Whether anything went wrong in a deal; quick."""
        ...


class Stepper:
    """Stands at one position of one deal."""

    def __init__(
        self, source: Source, places: Sequence[Place], look: Look, viewer: int | None = None
    ) -> None:
        self.source = source
        self.places = places
        """The deals, at least one, in order."""
        self.look = look
        self.viewer = viewer
        """The seat that looks on; None sees everything."""
        self.over = False
        self.number = 0
        """Which deal, from 0."""
        self.at = 0
        """Which position of it."""
        self.says = ""
        """The answer to the last key, where it needs one."""
        self._prompt: tuple[str, str] | None = None
        """What is being asked for, and what has been typed."""
        self._help = False
        self._film = source.film(places[0])
        self._stops = self._film.stops(viewer)

    # ---- keys --------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Do what a key says: a letter, or a name such as `right`, `enter`, `escape`."""
        self.says = ""
        if self._prompt is not None:
            self._type(key)
            return
        if self._help and key != "q":
            self._help = False
            return
        what = _ACTIONS.get(key)
        if what is not None:
            what(self)
        elif len(key) == 1 and key.isdecimal():
            self._prompt = ("decision", key)

    def forward(self) -> None:
        """The next position; after the last one the next deal."""
        place = bisect_right(self._stops, self.at)
        if place < len(self._stops):
            self.at = self._stops[place]
        else:
            self.to_deal(self.number + 1)

    def back(self) -> None:
        """The position before; before the first one the end of the deal before."""
        place = bisect_left(self._stops, self.at) - 1
        if place >= 0:
            self.at = self._stops[place]
        elif self.to_deal(self.number - 1):
            self.to_end()

    def to_start(self) -> None:
        """Where the deal begins."""
        self.at = 0

    def to_end(self) -> None:
        """How the deal ended."""
        self.at = self._stops[-1]

    def to_deal(self, number: int) -> bool:
        """The beginning of a deal; False where there is none."""
        if not 0 <= number < len(self.places):
            self.says = "that was the last deal" if number > 0 else "that was the first deal"
            return False
        self.number = number
        self._film = self.source.film(self.places[number])
        self._stops = self._film.stops(self.viewer)
        self.at = 0
        return True

    def to_fault(self, step: int) -> None:
        """The next fault (or with -1 the one before), in this deal or further on."""
        number, beyond = self.number, self.at
        while 0 <= number < len(self.places):
            place = self.places[number]
            if number == self.number or self.source.faulty(place):
                faults = self.source.film(place).faults(self.viewer)
                later = [at for at in faults if (at - beyond) * step > 0]
                if later:
                    found = later[0] if step > 0 else later[-1]
                    if number != self.number:
                        self.to_deal(number)
                    self.at = self._near(found)
                    return
            number += step
            beyond = -1 if step > 0 else 1 << 30
        self.says = "no fault after this" if step > 0 else "no fault before this"

    def look_from(self, viewer: int | None) -> None:
        """Look from a seat, or see everything."""
        self.viewer = viewer
        self._stops = self._film.stops(viewer)
        self.at = self._near(self.at)

    def next_seat(self) -> None:
        """Look from the next seat."""
        self.look_from(0 if self.viewer is None else (self.viewer + 1) % self.source.game.seats)

    def _near(self, at: int) -> int:
        """The last stop up to a position."""
        return self._stops[max(bisect_right(self._stops, at) - 1, 0)]

    def _quit(self) -> None:
        self.over = True

    def _ask_deal(self) -> None:
        self._prompt = ("deal", "")

    def _show_help(self) -> None:
        self._help = True

    def _type(self, key: str) -> None:
        assert self._prompt is not None
        what, typed = self._prompt
        if key == "escape":
            self._prompt = None
        elif key == "backspace":
            self._prompt = (what, typed[:-1])
        elif key == "enter":
            self._prompt = None
            if what == "deal":
                self._go_to_deal(typed)
            else:
                self._go_to_decision(typed)
        elif key.isdecimal() or (key == "." and what == "deal"):
            self._prompt = (what, (typed + key)[:20])

    def _go_to_deal(self, typed: str) -> None:
        wanted = [int(part) for part in typed.split(".") if part]
        if not wanted:
            return
        for number, place in enumerate(self.places):
            if list(place[: len(wanted)]) == wanted:
                self.to_deal(number)
                return
        self.says = f"deal {typed} is not here; from {self.places[0]} to {self.places[-1]}"

    def _go_to_decision(self, typed: str) -> None:
        last = len(self._film.positions) - 1
        if not typed:
            return
        if int(typed) > last:
            self.says = f"the deal has decisions 0 to {last - 1}"
            return
        self.at = self._near(int(typed))

    # ---- the page ----------------------------------------------------------------------------

    def lines(self, width: int, height: int) -> list[Text]:
        """The screen: exactly so many lines, none wider."""
        width = min(width, WIDTH)
        body = [Text(line) for line in KEYS] if self._help else self._table(width)
        room = height - 2
        if len(body) > room:
            body = [*body[: room - 1], Text(self.look.ellipsis, "dim")]
        page = [self._title(width), *body, *[Text()] * (room - len(body)), self._foot()]
        for line in page:
            line.truncate(width, overflow="ellipsis" if self.look.unicode else "crop")
        return page[:height]

    def _title(self, width: int) -> Text:
        header, place = self.source.header, self.places[self.number]
        where = f"set {place.set}, table {place.table}, deal {place.deal}"
        who = "" if self.viewer is None else f" as seat {self.viewer}"
        right = f"{self.number + 1:,}/{len(self.places):,}{who}"
        left = f"{where}   {header.game} {printable(header.ruleset)}, {printable(header.pairing)}"
        title = Text(left, "bold")
        title.truncate(max(width - len(right) - 2, 0), overflow="crop", pad=True)
        return title + Text("  ") + Text(right, "bold")

    def _table(self, width: int) -> list[Text]:
        story, moments = self._film.story, self._film.moments()
        if self.viewer is not None:
            story = self.source.seen(self.places[self.number], self.viewer)
            moments = [moment for dealing in story.dealings for moment in dealing.moments]
        scene = Scene(
            game=self.source.game,
            header=self.source.header,
            story=story,
            look=self.look,
            width=width,
        )
        sight = Sight(
            scene=scene,
            position=self._film.positions[self.at],
            at=self.at,
            moment=next((moment for moment in moments if moment.at == self.at), None),
            viewer=self.viewer,
            width=width,
        )
        return table_lines(sight)

    def _foot(self) -> Text:
        if self._prompt is not None:
            return Text("{}: {}_".format(*self._prompt), "bold")
        if self.says:
            return Text(self.says, "yellow")
        return Text(HINT, "dim")


_ACTIONS: dict[str, Callable[[Stepper], object]] = {
    **dict.fromkeys(("right", "n", " ", "enter"), Stepper.forward),
    **dict.fromkeys(("left", "p", "backspace"), Stepper.back),
    **dict.fromkeys(("down", "page down", "]"), lambda it: it.to_deal(it.number + 1)),
    **dict.fromkeys(("up", "page up", "["), lambda it: it.to_deal(it.number - 1)),
    "home": Stepper.to_start,
    "end": Stepper.to_end,
    "f": lambda it: it.to_fault(1),
    "F": lambda it: it.to_fault(-1),
    "g": Stepper._ask_deal,
    "v": Stepper.next_seat,
    "a": lambda it: it.look_from(None),
    "?": Stepper._show_help,
    "q": Stepper._quit,
}
