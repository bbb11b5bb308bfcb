"""Pictures for the report, drawn by hand as SVG: no script, no library, no font of their own.

They are 340 units wide, so that their letters stay readable on a telephone, and take their colours
from classes, so that the page's style (or the one inside a picture that stands alone) decides.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from msgspec import Struct

from referee.show.page import printable, signed

WIDTH = 340
_LEFT = 8
_RIGHT = WIDTH - 8
_CLIP = 26
"""Letters of a name that fit beside a value."""


class Bar(Struct, frozen=True, kw_only=True):
    """One line of a picture of intervals."""

    name: str
    value: str
    """The number as text."""
    mean: float
    half_width: float
    """Infinite where nothing is known."""


def style() -> str:
    """The colours of all pictures, for light and dark."""
    return files("referee.show.report").joinpath("chart.css").read_text(encoding="utf-8")


def picture(key: str, height: float, title: str, told: str, parts: Iterable[str]) -> str:
    """A picture with its title and what it tells, for those who do not see it.

    `key` makes the ids of both; it must be unique in a page.
    """
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {_n(height)}" role="img" '
        f'aria-labelledby="{key}-t {key}-d" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{key}-t">{_t(title)}</title><desc id="{key}-d">{_t(told)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def alone(svg: str) -> str:
    """A picture as a file of its own, with its style and a ground to stand on."""
    end = svg.index(">") + 1
    ground = f'<style>{style()}</style><rect class="ground" width="100%" height="100%"/>'
    head = svg[:end].replace("<svg ", '<svg width="680" ', 1)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{ground}{svg[end:]}\n'


# ---- scales --------------------------------------------------------------------------------------


class Scale(Struct, frozen=True, kw_only=True):
    """Numbers turned into places of a picture."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value; what lies outside is at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def scale_over(values: Iterable[float], start: float, end: float) -> Scale:
    """A scale that has room for nought and all values that are finite."""
    known = [0.0, *(value for value in values if math.isfinite(value))]
    low, high = min(known), max(known)
    room = (high - low) * 0.04 or 1.0
    return Scale(low=low - room, high=high + room, start=start, end=end)


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers between two others, `most` of them at most.

    >>> ticks(-23, 61)
    [-20.0, 0.0, 20.0, 40.0, 60.0]
    """
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step *= next(m for m in (1, 2, 5, 10, 20) if (high - low) / (step * m) <= most)
    first = math.ceil(low / step)
    return [round(n * step, 10) for n in range(first, math.floor(high / step) + 1)]


def tick_text(value: float) -> str:
    """A number at an axis, without digits that say nothing."""
    return f"{value:g}"


# ---- pictures ------------------------------------------------------------------------------------


def intervals(key: str, title: str, bars: Sequence[Bar], unit: str) -> str:
    """Means with their intervals, one below the other, over one axis."""
    ends = [bar.mean + sign * bar.half_width for bar in bars for sign in (-1, 0, 1)
            if math.isfinite(bar.half_width) or sign == 0]  # fmt: skip
    scale = scale_over([*ends, *(bar.mean for bar in bars)], _LEFT + 4, _RIGHT - 4)
    top, step = 8, 34
    bottom = top + step * len(bars)
    parts = [_grid(scale, top, bottom)]
    for place, bar in enumerate(bars):
        y = top + place * step
        middle = y + 24
        name = printable(bar.name)
        name = name if len(name) <= _CLIP else name[: _CLIP - 1] + "…"
        parts.append(_text(_LEFT, y + 13, name, "name"))
        parts.append(_text(_RIGHT, y + 13, bar.value, "value end"))
        wide = bar.half_width if math.isfinite(bar.half_width) else math.inf
        x0, x1 = scale.at(bar.mean - wide), scale.at(bar.mean + wide)
        kind = "bar" if math.isfinite(bar.half_width) else "bar unsure"
        parts.append(_line(x0, middle, x1, middle, kind))
        if math.isfinite(bar.half_width):
            parts += [_line(x, middle - 4, x, middle + 4, "bar") for x in (x0, x1)]
        parts.append(
            f'<circle class="dot" cx="{_n(scale.at(bar.mean))}" cy="{_n(middle)}" r="4"/>'
        )
    parts.append(_text((_LEFT + _RIGHT) / 2, bottom + 30, unit, "tick middle"))
    told = "; ".join(f"{printable(bar.name)} {bar.value}" for bar in bars)
    return picture(key, bottom + 36, title, f"{unit}: {told}", parts)


def progress(
    key: str, title: str, points: Sequence[tuple[float, float, float]], span: tuple[float, float]
) -> str:
    """A line of (sets, mean, half-width) with its band; `span` is what is shown of the values."""
    across = Scale(low=0, high=max(points[-1][0], 1), start=34, end=_RIGHT)
    up = Scale(low=span[0], high=span[1], start=104, end=8)
    parts = []
    for tick in ticks(*span, most=5):
        y = up.at(tick)
        kind = "zero" if tick == 0 else "grid"
        parts.append(_line(across.start, y, across.end, y, kind))
        parts.append(_text(30, y + 3, tick_text(tick), "tick end"))
    known = [point for point in points if math.isfinite(point[2])]
    if known:
        upper = [(across.at(n), up.at(mean + wide)) for n, mean, wide in known]
        lower = [(across.at(n), up.at(mean - wide)) for n, mean, wide in reversed(known)]
        parts.append(f'<polygon class="band" points="{_points([*upper, *lower])}"/>')
    line = [(across.at(n), up.at(mean)) for n, mean, _ in points]
    parts.append(f'<polyline class="run" points="{_points(line)}"/>')
    parts.append(f'<circle class="dot" cx="{_n(line[-1][0])}" cy="{_n(line[-1][1])}" r="3"/>')
    parts.append(_text(across.start, 118, "0", "tick"))
    parts.append(_text(_RIGHT, 118, f"{points[-1][0]:,.0f} sets", "tick end"))
    told = "; ".join(
        f"after {n:,.0f} sets {signed(mean, 2)}" + (f" ± {wide:.2f}" if math.isfinite(wide) else "")
        for n, mean, wide in points[-1:]
    )
    return picture(key, 122, title, told, parts)


def histogram(key: str, title: str, told: str, bins: Sequence[tuple[str, int]]) -> str:
    """Shares in bins: (where a bin begins, how many); labels stand below every third."""
    most = max(number for _, number in bins) or 1
    wide = (_RIGHT - _LEFT) / len(bins)
    parts = []
    for place, (name, number) in enumerate(bins):
        x = _LEFT + place * wide
        height = 54 * number / most
        if number:
            height = max(height, 1.0)
            parts.append(_rect(x + 0.5, 60 - height, wide - 1, height, "fill"))
        if place % 3 == 0:
            parts.append(_text(x, 73, name, "tick"))
    parts.append(_line(_LEFT, 60, _RIGHT, 60, "axis"))
    return picture(key, 78, title, told, parts)


def outcomes(key: str, title: str, rows: Sequence[tuple[str, int, int]]) -> str:
    """(label, made, failed) as bars that share one scale; failed ones are hollow."""
    most = max(made + failed for _, made, failed in rows) or 1
    start, room = 92, _RIGHT - 92 - 62
    parts = []
    for place, (name, made, failed) in enumerate(rows):
        y = 6 + place * 20
        shown = name if len(name) <= 13 else name[:12] + "…"
        parts.append(_text(start - 6, y + 12, shown, "name end"))
        width = room * made / most
        if made:
            parts.append(_rect(start, y, width, 14, "made"))
        if failed:
            parts.append(_rect(start + width, y, room * failed / most, 14, "failed"))
        x = start + room * (made + failed) / most + 5
        parts.append(_text(x, y + 12, f"{made} + {failed}", "value"))
    told = "; ".join(f"{name}: {made} made, {failed} failed" for name, made, failed in rows)
    return picture(key, 10 + 20 * len(rows), title, told, parts)


# ---- elements ------------------------------------------------------------------------------------


def _grid(scale: Scale, top: float, bottom: float) -> str:
    parts = []
    for tick in ticks(scale.low, scale.high):
        x = scale.at(tick)
        parts.append(_line(x, top, x, bottom + 2, "zero" if tick == 0 else "grid"))
        parts.append(_text(x, bottom + 15, tick_text(tick), "tick middle"))
    return "".join(parts)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _t(text: str) -> str:
    return escape(printable(text))


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _line(x0: float, y0: float, x1: float, y1: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{_n(x0)}" y1="{_n(y0)}" x2="{_n(x1)}" y2="{_n(y1)}"/>'


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>'
    )


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}">{_t(text)}</text>'
