"""One table over several games: every entrant's mean of its standard scores in them.

Net points of different games cannot be added: a deal of Huutopussi moves hundreds of points, one of
Minnesota Whist a few. In each game an entrant's standard score is its net less the mean of all
nets there, in standard deviations of those nets; the scores of a game have mean 0 and standard
deviation 1, so each game weighs the same.
"""

import math
from collections.abc import Sequence
from statistics import fmean, pstdev

from msgspec import Struct

from referee.league import stats
from referee.league.crosstable import LeagueTable


class OverallRow(Struct, frozen=True, kw_only=True):
    """One entrant's line."""

    rank: int | None
    """None for an entrant that has no net in some game."""
    entrant: str
    score: float | None
    """Mean of its standard scores in the games."""
    half_width: float
    """Of the 95 % interval that comes of the nets' own, their spread taken as known."""
    games: tuple[float | None, ...]
    """Its standard score in each game."""


def overall(tables: Sequence[LeagueTable], confidence: float = 0.95) -> list[OverallRow]:
    """The rows by rank, those without one last and by id."""
    scores: dict[str, list[float | None]] = {}
    variances: dict[str, list[tuple[float, float]]] = {}
    for place, table in enumerate(tables):
        rated = [row for row in table.rows if not row.unrated]
        spread = pstdev([row.net.mean for row in rated]) if rated else 0.0
        centre = fmean(row.net.mean for row in rated) if rated else 0.0
        for row in table.rows:
            own = scores.setdefault(row.entrant, [None] * len(tables))
            if row.unrated:
                continue
            own[place] = (row.net.mean - centre) / spread if spread > stats.ZERO else 0.0
            error = row.net.se / spread if spread > stats.ZERO else 0.0
            weighted = (error / len(tables)) ** 2
            variances.setdefault(row.entrant, []).append((weighted, row.net.df))
    rows = []
    for entrant, own in scores.items():
        known = [score for score in own if score is not None]
        if len(known) < len(tables):
            wide, score = math.inf, None
        else:
            wide, score = _half_width(variances[entrant], confidence), fmean(known)
        rows.append((entrant, score, wide, tuple(own)))
    full = [score for _, score, _, _ in rows if score is not None]
    rows.sort(key=lambda row: (row[1] is None, -(row[1] or 0.0), row[0]))
    return [
        OverallRow(
            rank=None if score is None else 1 + sum(other > score + stats.ZERO for other in full),
            entrant=entrant,
            score=score,
            half_width=wide,
            games=own,
        )
        for entrant, score, wide, own in rows
    ]


def _half_width(parts: Sequence[tuple[float, float]], confidence: float) -> float:
    """Half of the interval around a mean whose parts have these variances and freedoms."""
    if not all(math.isfinite(variance) for variance, _ in parts):
        return math.inf
    se, df = stats.sum_of_means(parts)
    return stats.half_width(se, df, confidence)
