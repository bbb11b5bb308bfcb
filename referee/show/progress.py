"""A running league on the screen: a small table with a progress bar, or one plain line."""

from collections import deque

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from referee.games.game import Unit
from referee.league.crosstable import LeagueTable
from referee.league.overall import overall
from referee.league.runner import LeagueState
from referee.show.faults import faults_text
from referee.show.page import Look, count, duration, grid, half_width, printable, signed
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
    tables: list[LeagueTable]
    """By game, as of a moment ago: they take longer to make than to show."""
    unit: Unit
    pace: Pace
    now: float

    @property
    def decimals(self) -> int:
        """Digits that nets are shown with."""
        return 1 if self.unit == "deal" else 3


def live_page(board: Scoreboard, look: Look, rows: int) -> RenderableType:
    """The ranking so far, at most so many rows of it, and how far the league is."""
    if len(board.tables) > 1:
        table, entrants = _overall(board, look, rows)
    else:
        table, entrants = _ranking(board, look, rows), len(board.tables[0].rows)
    more = [Text(f"and {count(entrants - rows, 'more entrant')}")] if entrants > rows else []
    return Group(table, *more, _bar(board), Text(_pace_text(board)))


def _overall(board: Scoreboard, look: Look, rows: int) -> tuple[Table, int]:
    """The ranking over several games: scores once there is a set in each of them."""
    ranked = overall(board.tables)
    table = grid(("#", "right"), ("entrant", "fold"), ("score", "right"), ("faults", "fold"))
    for row in ranked[:rows]:
        wide = half_width(row.half_width, 2)
        score = row.score
        faults = (faults_text(results.notes[row.entrant]) for results in board.state.results)
        table.add_row(
            Text("" if row.rank is None else str(row.rank)),
            Text(printable(row.entrant)),
            Text("-" if score is None else f"{signed(score, 2)} {look.plus_minus} {wide}"),
            Text(", ".join(filter(None, faults)), "red"),
        )
    return table, len(ranked)


def _ranking(board: Scoreboard, look: Look, rows: int) -> Table:
    """The ranking of one game."""
    table = grid(
        ("#", "right"), ("entrant", "fold"), (f"net per {board.unit}", "right"),
        ("sets", "right"), ("faults", "fold"),
    )  # fmt: skip
    for row in board.tables[0].rows[:rows]:
        notes = board.state.results[0].notes[row.entrant]
        table.add_row(
            Text("" if row.rank is None else str(row.rank)),
            Text(printable(row.entrant)),
            net_text(row, board.decimals, look) if not row.unrated else Text("-"),
            Text(f"{row.sets:,}"),
            Text(faults_text(notes), "red"),
        )
    return table


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
    return text + _first(board)


def _first(board: Scoreboard) -> str:
    """Who leads the table, if anybody does yet."""
    if len(board.tables) > 1:
        leader = overall(board.tables)[0]
        if leader.score is None:
            return ""
        return f"; first: {printable(leader.entrant)} {signed(leader.score, 2)}"
    first = board.tables[0].rows[0]
    if first.unrated:
        return ""
    return f"; first: {printable(first.entrant)} {signed(first.net.mean, board.decimals)}"
