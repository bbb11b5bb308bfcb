"""What all pages share: their width, symbols for the terminal at hand, numbers, foreign text."""

import math
from collections.abc import Sequence
from typing import TextIO

import msgspec
from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from referee.live import legible

WIDTH = 100
"""Columns of a page, also where a terminal has more or nothing is known about it."""

_SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_COLOURS = {"S": "", "H": "red", "D": "red", "C": ""}


class Look(Struct, frozen=True, kw_only=True):
    """How things are written on the terminal (or file) at hand."""

    unicode: bool = True
    """Whether it takes more than ASCII."""

    @property
    def plus_minus(self) -> str:
        """The sign before a half-width."""
        return "±" if self.unicode else "+-"

    @property
    def ellipsis(self) -> str:
        """What stands for text that was cut."""
        return "…" if self.unicode else "..."

    def suit(self, suit: str) -> Text:
        """A suit as its symbol."""
        return Text(_SYMBOLS[suit] if self.unicode else suit, _COLOURS[suit])

    def card(self, card: str) -> Text:
        """A card: rank, then suit."""
        return Text(card[0], _COLOURS[card[1]]) + self.suit(card[1])


def console_on(file: TextIO) -> Console:
    """A console on a stream: at most as wide as a page, no markup, nothing guessed to colour."""
    console = Console(file=file, markup=False, emoji=False, highlight=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console


def look_of(console: Console) -> Look:
    """How to write on a console."""
    return Look(unicode=console.encoding.startswith("utf"))


def printable(text: str, limit: int = 0) -> str:
    """Foreign text on one line, with everything that could steer a terminal escaped.

    >>> printable("gr\\x1b[2Jeedy")
    'gr\\\\x1b[2Jeedy'
    """
    shown = legible(text)
    return shown if not limit or len(shown) <= limit else shown[:limit] + "…"


def json_text(data: object) -> str:
    """Data as one line of JSON, with everything that could steer a terminal escaped.

    >>> json_text({"note": "\u009b2J"})
    '{"note":"\\\\u009b2J"}'
    """
    text = msgspec.json.encode(data).decode()
    return text if text.isprintable() else "".join(map(_json_escaped, text))


def _json_escaped(letter: str) -> str:
    if letter.isprintable():
        return letter
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def joined(*parts: Text) -> Text:
    """Texts side by side, each in its own style: `+` would give the first one's to all of them."""
    line = Text()
    for part in parts:
        line.append_text(part)
    return line


def signed(value: float, decimals: int) -> str:
    """A number with its sign; nought has none.

    >>> signed(12.34, 1), signed(-0.04, 1), signed(-3, 1)
    ('+12.3', '0.0', '-3.0')
    """
    text = f"{value:+.{decimals}f}"
    return text if float(text) else text[1:]


def half_width(value: float, decimals: int) -> str:
    """A half-width; a question mark where nothing is known."""
    return f"{value:.{decimals}f}" if math.isfinite(value) else "?"


def milliseconds(value: float) -> str:
    """A time in the digits that matter.

    >>> milliseconds(0.034), milliseconds(12.3), milliseconds(1234.5)
    ('0.03', '12.3', '1234')
    """
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(7.2), duration(125), duration(7300)
    ('7 s', '2 min 05 s', '2 h 01 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "set"), count(2000, "set")
    ('1 set', '2,000 sets')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def grid(*columns: tuple[str, str], expand: bool = False) -> Table:
    """A plain table: (heading, `left`, `right` or `fold`) for each column."""
    table = Table(
        box=None, padding=(0, 2, 0, 0), pad_edge=False, expand=expand, header_style="bold"
    )
    for heading, kind in columns:
        if kind == "fold":
            table.add_column(heading, overflow="fold")
        else:
            table.add_column(heading, justify="right" if kind == "right" else "left", no_wrap=True)
    return table


def put(console: Console, page: RenderableType) -> None:
    """Print a page; without the blanks at line ends where it goes into a file."""
    if console.is_terminal:
        console.print(page)
        return
    with console.capture() as captured:
        console.print(page)
    text = "".join(line.rstrip() + "\n" for line in captured.get().splitlines())
    console.file.write(text)
    console.file.flush()


def stacked(parts: Sequence[RenderableType]) -> Group:
    """Parts of a page one below the other, an empty line between them."""
    spaced: list[RenderableType] = []
    for part in parts:
        if spaced:
            spaced.append(Text(""))
        spaced.append(part)
    return Group(*spaced)
