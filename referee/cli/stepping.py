"""The terminal replay: the card table on the screen, keys from the keyboard."""

import sys
from collections.abc import Sequence
from functools import lru_cache

from rich.console import Console, Group
from rich.live import Live

from referee.cli.keys import keyboard
from referee.games.game import Game
from referee.league.folder import Folder
from referee.league.plan import logged_seatings
from referee.log import Header, Log
from referee.replay import verify
from referee.show.page import look_of
from referee.show.seen import seen
from referee.show.story import Story
from referee.show.terminal.films import Film, films
from referee.show.terminal.stepper import Place, Stepper

_SETS_KEPT = 8
"""Sets kept in memory: going back and forth between neighbours is quick then."""

_LOOK_SECONDS = 0.25
"""How often the size of the terminal is looked at while no key comes."""


class Reel:
    """The deals of a log; each set is verified before any of it is shown."""

    def __init__(self, game: Game, log: Log, folder: Folder) -> None:
        self.game = game
        self.header: Header = log.header
        self._log = log
        self._secrets = folder.revealed()
        self._films = lru_cache(_SETS_KEPT)(self._filmed)
        self._stories = lru_cache(_SETS_KEPT)(self._seen)
        self._faulty: set[Place] | None = None

    def places(self, sets: Sequence[int]) -> list[Place]:
        """The deals of some sets, in order."""
        return sorted(
            Place(play.set, play.table, play.deal)
            for number in sets
            for _, _, play in self._log.sets[number].deals()
        )

    def film(self, place: Place) -> Film:
        """A deal with its positions; LogMismatch when its set does not verify."""
        return self._films(place.set)[place]

    def seen(self, place: Place, seat: int) -> Story:
        """The deal as a seat saw it."""
        return self._stories(place.set, seat)[place]

    def faulty(self, place: Place) -> bool:
        """Whether its line in the log has any blame."""
        if self._faulty is None:
            self._faulty = {
                Place(play.set, play.table, play.deal)
                for record in self._log.sets.values()
                for _, line, play in record.deals()
                if line.side.blame
            }
        return place in self._faulty

    def _filmed(self, number: int) -> dict[Place, Film]:
        log = self._log.only(number)
        verify(log, self._secrets, logged_seatings)
        found = films(self.game, self.header.unit, log.sets[number])
        return {_place(film.story): film for film in found}

    def _seen(self, number: int, seat: int) -> dict[Place, Story]:
        found = seen(self.game, self.header.unit, self._log.sets[number], seat)
        return {_place(story): story for story in found}


def _place(story: Story) -> Place:
    return Place(story.play.set, story.play.table, story.play.deal)


def on_terminal() -> bool:
    """Whether there is a keyboard and a screen that can be drawn on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return not Console(file=sys.stdout).is_dumb_terminal


def step_through(reel: Reel, places: Sequence[Place], viewer: int | None) -> None:
    """Show deals position by position until the user quits."""
    console = Console(file=sys.stdout, markup=False, emoji=False, highlight=False)
    stepper = Stepper(reel, places, look_of(console), viewer)
    with (
        keyboard(sys.stdin.fileno()) as keys,
        Live(console=console, screen=True, auto_refresh=False) as screen,
    ):
        size = None
        while not stepper.over and not keys.closed:
            if size != console.size:
                size = console.size
                screen.update(Group(*stepper.lines(*size)), refresh=True)
            key = keys.next(_LOOK_SECONDS)
            if key:
                stepper.press(key)
                size = None
