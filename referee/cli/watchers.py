"""Two ways to watch a running league: a live table on a terminal, plain lines anywhere else."""

import time

from rich.console import Console
from rich.live import Live
from rich.text import Text

from referee.games.game import Unit
from referee.league.runner import LeagueState
from referee.show.page import look_of, printable
from referee.show.progress import Pace, Scoreboard, live_page, progress_line

LINE_SECONDS = 5.0
"""Between two plain lines."""

_LEAST_SHARE = 0.05
"""So much of the time may go into making standings while a league runs."""


class Watcher:
    """What both have: the pace, and standings that are made anew only now and then."""

    def __init__(self, console: Console, unit: Unit) -> None:
        self.console = console
        self.look = look_of(console)
        self.unit = unit
        self.pace = Pace()
        self._board: Scoreboard | None = None
        self._made_until = 0.0

    def board(self, state: LeagueState) -> Scoreboard:
        """What is to be shown now."""
        now = time.monotonic()
        self.pace.saw(now, state)
        board = self._board
        if board is None or now >= self._made_until:
            tables = [results.table() for results in state.results]
            took = time.monotonic() - now
            self._made_until = now + max(0.5, took / _LEAST_SHARE)
            board = Scoreboard(state=state, tables=tables, unit=self.unit, pace=self.pace, now=now)
            self._board = board
        board.now = now
        return board

    def show(self, state: LeagueState) -> None:
        """Called a few times a second."""

    def say(self, text: str) -> None:
        """Something that happened, in one line."""
        try:
            self.console.print(Text(printable(text)), soft_wrap=True)
        except OSError:
            pass  # the terminal has gone; the league goes on to where it can stop

    def close(self) -> None:
        """Nothing more to watch."""


class LiveScreen(Watcher):
    """A table and a progress bar that stay in place."""

    def __init__(self, console: Console, unit: Unit) -> None:
        super().__init__(console, unit)
        self.live: Live | None = None

    def show(self, state: LeagueState) -> None:
        """Draw the table again."""
        try:
            if self.live is None:
                self.live = Live(console=self.console, auto_refresh=False, transient=True)
                self.live.start()
            page = live_page(self.board(state), self.look, max(self.console.height - 6, 3))
            self.live.update(page, refresh=True)
        except OSError:
            pass

    def close(self) -> None:
        """Leave the screen to the standings."""
        if self.live is not None:
            try:
                self.live.stop()
            except OSError:
                pass


class PlainLines(Watcher):
    """One line every few seconds, for files and pipes."""

    def __init__(self, console: Console, unit: Unit) -> None:
        super().__init__(console, unit)
        self._next = time.monotonic() + LINE_SECONDS

    def show(self, state: LeagueState) -> None:
        """Print a line when it is time for one."""
        now = time.monotonic()
        if now < self._next:
            self.pace.saw(now, state)
            return
        self._next = now + LINE_SECONDS
        self.say(progress_line(self.board(state)))
