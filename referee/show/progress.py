"""A running league on the screen: a small table with a progress bar, or one plain line."""

from collections import deque

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from referee.games.game import Unit
from referee.league.crosstable import LeagueTable
from referee.league.runner import LeagueState
from referee.show.faults import faults_text
from referee.show.page import Look, count, duration, grid, printable, signed
from referee.show.standings import net_text

_WINDOW_SECONDS = 5.0
"""How far back the rate of decisions looks."""


class Pace:
    """How fast a league goes, from its state seen now and then."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def saw(self, now: float, state: LeagueState) -> None:
        """Take note of the state at a time (monotonic seconds)."""
        self._seen.append((now, state.decisions))
        while now - self._seen[0][0] > _WINDOW_SECONDS and len(self._seen) > 2:
            self._seen.popleft()

    def decisions_a_second(self) -> float:
        """Over the last few seconds."""
        if len(self._seen) < 2:
            return 0.0
        (start, few), (end, many) = self._seen[0], self._seen[-1]
        return (many - few) / (end - start) if end > start else 0.0

    @staticmethod
    def seconds_left(now: float, state: LeagueState) -> float | None:
        """At the pace of this run; None before its first set."""
        played = state.done - state.before
        if not played:
            return None
        return (now - state.began) * (state.planned - state.done) / played


class Scoreboard(Struct, kw_only=True):
    """What the screen shows between two looks at the state."""

    state: LeagueState
    table: LeagueTable
    """As of a moment ago: it takes longer to make than to show."""
    unit: Unit
    pace: Pace
    now: float

    @property
    def decimals(self) -> int:
        """Digits that nets are shown with."""
        return 1 if self.unit == "deal" else 3


def live_page(board: Scoreboard, look: Look, rows: int) -> RenderableType:
    """The ranking so far, at most so many rows of it, and how far the league is."""
    table = grid(
        ("#", "right"), ("entrant", "fold"), (f"net per {board.unit}", "right"),
        ("sets", "right"), ("faults", "fold"),
    )  # fmt: skip
    for row in board.table.rows[:rows]:
        notes = board.state.results.notes[row.entrant]
        table.add_row(
            Text("" if row.rank is None else str(row.rank)),
            Text(printable(row.entrant)),
            net_text(row, board.decimals, look) if not row.unrated else Text("-"),
            Text(f"{row.sets:,}"),
            Text(faults_text(notes), "red"),
        )
    hidden = len(board.table.rows) - rows
    more = [Text(f"and {count(hidden, 'more entrant')}")] if hidden > 0 else []
    return Group(table, *more, _bar(board), Text(_pace_text(board)))


def _bar(board: Scoreboard) -> Table:
    state = board.state
    line = Table.grid(padding=(0, 2, 0, 0))
    line.add_row(
        ProgressBar(total=max(state.planned, 1), completed=state.done, width=40),
        Text(f"{state.done:,}/{state.planned:,} sets"),
        Text(_left_text(board)),
    )
    return line


def _left_text(board: Scoreboard) -> str:
    left = board.pace.seconds_left(board.now, board.state)
    return "" if left is None else f"about {duration(left)} left"


def _pace_text(board: Scoreboard) -> str:
    state = board.state
    if not state.decisions and not state.tables and state.done == state.before:
        return f"starting bots, waiting for their hello for {duration(board.now - state.began)}"
    return (
        f"{board.pace.decisions_a_second():,.0f} decisions a second, "
        f"{count(state.tables, 'table')} in flight, referee lag {state.lag_ms:.0f} ms at worst"
    )


def progress_line(board: Scoreboard) -> str:
    """The same in one line."""
    state = board.state
    percent = 100 * state.done // max(state.planned, 1)
    text = f"{state.done:,}/{state.planned:,} sets ({percent} %), {_pace_text(board)}"
    if left := _left_text(board):
        text += f", {left}"
    first = board.table.rows[0]
    if not first.unrated:
        net = signed(first.net.mean, board.decimals)
        text += f"; first: {printable(first.entrant)} {net}"
    return text
