"""The HTML of the report's parts: everything foreign goes through `text`."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from referee.log import Log
from referee.show.page import printable


class Cell(Struct, frozen=True, kw_only=True):
    """A cell whose ground says something, too."""

    html: str
    kind: str = ""
    """A class of the style."""


def text(value: object) -> str:
    """Foreign text as HTML, all on one line."""
    return escape(printable(str(value)))


def link(href: str, html: str) -> str:
    """A link; the address is a place in the page, or a file beside it and a place in that."""
    return f'<a href="{escape(href)}">{html}</a>'


def table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str | Cell]],
    sides: str,
    *,
    wide: bool = False,
    short: Sequence[str] = (),
) -> str:
    """A table: headings are text, cells HTML; `sides` has `l` or `r` for each column.

    The first cell of a row is its heading. A wide one becomes a list of cards on a narrow screen,
    where every cell carries the heading of its column; it says of itself what it is, because
    style takes that away from readers of screens. `short` headings stand above the columns.
    """
    kinds = ['class="l"' if side == "l" else "" for side in sides]

    def role(name: str) -> str:
        return f' role="{name}"' if wide else ""

    def cell(place: int, what: str | Cell) -> str:
        html, kind = (what.html, what.kind) if isinstance(what, Cell) else (what, "")
        if sides[place] == "l":
            kind = f"{kind} l".strip()
        mark = f' class="{kind}"' if kind else ""
        if place == 0:
            return f'<th scope="row"{role("rowheader")}{mark}>{html}</th>'
        of = f' data-of="{text(heads[place])}"' if wide else ""
        return f"<td{role('cell')}{of}{mark}>{html}</td>"

    head = "".join(
        f'<th scope="col"{role("columnheader")} {kind}>{text(name)}</th>'.replace(" >", ">")
        if name
        else f"<td{role('cell')}></td>"
        for name, kind in zip(short or heads, kinds, strict=True)
    )
    body = "".join(
        f"<tr{role('row')}>{''.join(cell(place, one) for place, one in enumerate(row))}</tr>\n"
        for row in rows
    )
    mark = ' class="wide"' if wide else ""
    return (
        f"<table{mark}{role('table')}><caption>{text(caption)}</caption>\n"
        f"<thead{role('rowgroup')}><tr{role('row')}>{head}</tr></thead>\n"
        f"<tbody{role('rowgroup')}>\n{body}</tbody></table>\n"
    )


def across(caption: str, html: str) -> str:
    """A table that may be wider than any page: it moves sideways on its own, also by keyboard."""
    mark = f'class="across" tabindex="0" role="region" aria-label="{text(caption)}"'
    return f"<div {mark}>{html}</div>\n"


def folded(summary: str, html: str) -> str:
    """Something that opens on demand."""
    return f"<details><summary>{text(summary)}</summary>\n{html}</details>\n"


def listed(lines: Iterable[str]) -> str:
    """Lines of HTML as a list; nothing of none."""
    items = "".join(f"<li>{line}</li>\n" for line in lines)
    return f"<ul>\n{items}</ul>\n" if items else ""


def figures(pictures: Iterable[tuple[str, str]]) -> str:
    """Pictures side by side where there is room, each below its name."""
    shown = "".join(
        f"<figure><figcaption>{text(name)}</figcaption>{svg}</figure>\n" for name, svg in pictures
    )
    return f'<div class="many">\n{shown}</div>\n'


class Replays(Struct, frozen=True, kw_only=True):
    """The HTML replays that lie beside a report."""

    names: Mapping[Path, str] = {}
    """File name by log."""

    def of(self, log: Path | None, number: int, place: int, deal: int | None = None) -> str | None:
        """The address of a table's replay, or of one deal of it; null where there is none."""
        name = self.names.get(log) if log is not None else None
        if name is None:
            return None
        return f"{quote(name)}#{number}.{place}" + (f".{deal}" if deal else "")


def replays_beside(page: Path, logs: Iterable[Log], games: int) -> Replays:
    """Look for replays: `replay-LOG.html`, called like the log, or `replay-PAIRING.html`.

    With several games the name of a pairing does not say which of them it is.
    """
    found: dict[Path, str] = {}
    for log in logs:
        stems = [log.path.stem, *([log.header.pairing] if games == 1 else [])]
        for name in (f"replay-{stem}.html" for stem in stems):
            # A log may have been forged, and its pairing be a path.
            if Path(name).name == name and (page.parent / name).is_file():
                found[log.path] = name
                break
    return Replays(names=found)
