"""A table in play: who sits there, their clocks, and the side of its record."""

from collections.abc import Sequence
from datetime import UTC, datetime
from json import dumps
from typing import Any, cast

from msgspec import Raw
from msgspec.json import encode as encode_note

from protocol.messages import Time, ask_head
from referee.clock import SeatClock
from referee.log import DealLine, DecisionTime, SideRecord, deal_line
from referee.rulings import Blame
from referee.table import Table

_MOST_NOTED = 32
"""Stray messages described in a deal's record; more are only counted."""


NOTE_BYTES = 4096
"""A longer note, as JSON, is left out of the log."""

NOTE_DEPTH = 64
"""So is one nested deeper: whoever reads the log has a stack too."""


def legible(text: str) -> str:
    """Text that a bot had a hand in, with everything that could steer a terminal escaped.

    >>> legible("gr\\x1b[2Jeedy")
    'gr\\\\x1b[2Jeedy'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def _kept(note: object) -> object:
    """A note as it goes into the log: already encoded, so that no note can spoil a record.

    What could steer the terminal of somebody who looks at the file is escaped as JSON has it.
    """
    if _deeper(note, NOTE_DEPTH):
        return "(a note nested too deeply was left out)"
    data = encode_note(note)
    if len(data) > NOTE_BYTES:
        return f"(a note of {len(data)} bytes was left out)"
    return Raw("".join(one if one.isprintable() else dumps(one)[1:-1] for one in data.decode()))


def _deeper(note: object, levels: int) -> bool:
    """Whether lists and objects are nested in a note beyond so many levels."""
    inner = note.values() if isinstance(note, dict) else note if isinstance(note, list) else ()
    return bool(inner) and (levels == 0 or any(_deeper(one, levels - 1) for one in inner))


class LiveTable:
    """A Table with everything that is kept beside its play."""

    __slots__ = (
        "_blame",
        "_notes",
        "_started",
        "_unexpected",
        "clocks",
        "heads",
        "lag_ms",
        "lines",
        "numbers",
        "players",
        "table",
        "times",
    )

    def __init__(
        self, table: Table, players: Sequence[Any], numbers: Sequence[int], time: Time
    ) -> None:
        self.table = table
        self.players = players
        """The player in each seat."""
        self.numbers = numbers
        """The number by which each seat's bot knows this table."""
        self.heads = [ask_head(number) for number in numbers]
        """How the asks of each seat begin."""
        self.clocks = [SeatClock(time) for _ in players]
        self.lines: list[DealLine] = []
        """Finished deals."""
        self._begin()

    def seats(self) -> dict[Any, list[int]]:
        """The seats of each player, in order: more than one where a process has them all."""
        found: dict[Any, list[int]] = {}
        for seat, player in enumerate(self.players):
            found.setdefault(player, []).append(seat)
        return found

    def _begin(self) -> None:
        self.lag_ms = 0.0
        self.times: list[tuple[int, int, float]] = []
        """(seat, place in the deal, milliseconds) of every decision of the deal."""
        self._notes: list[tuple[int, Any]] = []
        self._blame: list[Blame] = []
        self._unexpected = [0] * len(self.players)
        self._started = datetime.now(UTC).isoformat(timespec="seconds")

    def noted(self, at: int, note: object) -> None:
        """Keep a bot's note on a decision."""
        self._notes.append((at, _kept(note)))

    def blamed(self, blame: Blame) -> None:
        """Keep a blame record; of those that change nothing only a deal's first."""
        if blame.ruling != "none" or len(self._blame) < _MOST_NOTED:
            self._blame.append(blame)

    def surprised(self, seat: int) -> None:
        """Count an unexpected message of a seat's bot."""
        self._unexpected[seat] += 1

    def close_deals(self) -> int:
        """Turn deals that have finished since the last call into lines; how many."""
        records = self.table.records
        new = records[len(self.lines) :]
        for record in new:
            # Plain tuples are written alike; so many are made that making them otherwise shows.
            times = [(seat, at, int(ms * 100 + 0.5) / 100) for seat, at, ms in self.times]
            side = SideRecord(
                times=cast(list[DecisionTime], times),
                notes=self._notes,
                blame=self._blame,
                started=self._started,
                lag_ms=round(self.lag_ms, 1),
                unexpected=self._unexpected,
            )
            self.lines.append(deal_line(record, side))
            self._begin()
        return len(new)
