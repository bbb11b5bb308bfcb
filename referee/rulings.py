"""What can go wrong is a closed list; what follows from it is a pure function.

A fault is what a bot did (`Kind`), a ruling what the referee does about it. Soft faults are
answered by the first legal action until a seat has used up its allowance at that table; hard
faults, and the soft fault that uses it up, forfeit.
"""

from typing import Literal

from msgspec import Struct

Kind = Literal[
    "start_failed",
    "start_timeout",
    "timeout",
    "crashed",
    "disconnected",
    "malformed",
    "protocol",
    "illegal",
    "flood",
    "resource",
    "infrastructure",
]

SOFT: frozenset[Kind] = frozenset(("illegal", "malformed", "protocol", "timeout"))
"""Faults that cost one decision; all others end the seat's play at the table."""

KINDS: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]

Ruling = Literal["substitute", "forfeit", "none"]
"""Play `legal[0]` once; play it to the end and score the floor; nothing but a count."""

SOFT_FAULTS = 3
"""The soft fault of one seat at one table that forfeits, where nothing else is configured."""

UNEXPECTED_MESSAGES = 8
"""The unexpected message in one turn that is a flood."""

HARD: frozenset[Kind] = frozenset(("crashed", "disconnected", "flood", "resource"))
"""Faults that end the seat's play at a table that has begun."""

UNSEATED: frozenset[Kind] = HARD | {"start_failed", "start_timeout"}
"""Faults that end a process before its first table; nothing is ruled on them, but they count."""

MOST_VOIDS = 3
"""A set that the referee spoilt so often is not played again in this run."""

CRASHES = 3
"""After so many hard faults in a job, the rest of an entrant's tables there is unplayed."""


class Blame(Struct, frozen=True, kw_only=True):
    """Everything known about one fault; kept in the log beside the play."""

    kind: Kind
    seat: int
    ruling: Ruling
    message: str
    """One sentence for people."""
    at: int | None = None
    """Place in the deal's actions of the decision concerned."""
    ask: int | None = None
    """Id of the ask concerned."""
    limit_ms: float | None = None
    took_ms: float | None = None
    """How long the decision had run when the fault was found."""
    lag_ms: float = 0.0
    """The referee's own worst delay within that time."""
    exit_code: int | None = None
    signal: int | None = None
    received: str | None = None
    """What the bot sent, escaped and cut."""
    stderr_first: tuple[str, ...] = ()
    stderr_last: tuple[str, ...] = ()


def rule(kind: Kind, earlier: int, allowed: int) -> Ruling:
    """The ruling on a fault that concerns an open ask.

    `earlier` is the number of soft faults of this seat at this table before, `allowed` the
    number of soft faults that forfeits.
    """
    if kind in SOFT and earlier + 1 < allowed:
        return "substitute"
    return "forfeit"


def escaped(data: bytes | str, limit: int = 300) -> str:
    """What a bot sent, as printable ASCII, safe for any log and terminal; cut off with `…`."""
    if isinstance(data, bytes):
        data = data[: limit + 1].decode("utf-8", "backslashreplace")
    text = data[: limit + 1].encode("unicode_escape").decode("ascii")
    return text if len(text) <= limit else text[:limit] + "…"


class Substitution(Struct, frozen=True, kw_only=True):
    """A ruling as it stands in a play record: it decides the play, so it is verified."""

    at: int
    """Place of the decision in the deal's actions."""
    seat: int
    kind: Kind
    ruling: Literal["substitute", "forfeit"]
