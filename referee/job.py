"""What one worker is given to do, and what it reports back. Both cross a pipe as msgpack."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from protocol.messages import Time
from referee.rulings import CRASHES, SOFT_FAULTS, UNEXPECTED_MESSAGES, Blame
from referee.seats.bot import BotCommand
from referee.seats.sandbox import Level

START_MS = 30_000
"""How long a bot may take from its start to its hello, where nothing else is configured."""

Isolation = Literal["seat", "entrant"]


class SetPlan(Struct, frozen=True, kw_only=True):
    """One set: who sits where at each of its tables."""

    number: int
    seatings: list[list[int]]
    """For each table, for each seat, the entrant's place in the job."""


class Job(Struct, frozen=True, kw_only=True):
    """A range of a pairing's sets for one worker: everything it needs to play them."""

    game: str
    ruleset: str
    rules: dict[str, Any]
    unit: Literal["deal", "game"]
    time: Time
    start_ms: int = START_MS
    soft_faults: int = SOFT_FAULTS
    unexpected_messages: int = UNEXPECTED_MESSAGES
    crashes: int = CRASHES
    isolation: Isolation = "seat"
    tables: int = 64
    """Tables in flight at most; fewer where a bot plays fewer at once."""
    pairing: str
    entrants: list[BotCommand]
    started: list[str] = []
    """Entrants that have started before in this run: they can, so not starting is their fault."""
    failed: dict[str, list[Blame]] = {}
    """Starts of these entrants that failed in a job before, to be logged with their next table."""
    secret: str
    sets: list[SetPlan]
    stderr_folder: str
    sandbox: Level = "basic"
    """What the bots are kept in."""
    hidden: list[str] = []
    """Folders that no bot in a sandbox may read, whatever else it may: results, the secret."""


class Played(Struct, frozen=True, tag="played", kw_only=True):
    """A set is complete: its lines as they go into the log."""

    set: int
    lines: bytes


class Voided(Struct, frozen=True, tag="voided", kw_only=True):
    """The referee spoilt a set; the job has stopped."""

    set: int
    reason: str
    blame: list[Blame]


class Unstartable(Struct, frozen=True, tag="unstartable", kw_only=True):
    """An entrant's bot cannot be started; the job has stopped before a card was dealt."""

    entrant: str
    blame: Blame


class Progress(Struct, frozen=True, tag="progress", kw_only=True):
    """How the work goes, now and then."""

    decisions: int
    """Since the last such report."""
    tables: int
    """In flight."""
    lag_ms: float
    """The referee's worst delay since the last such report."""


Report = Played | Voided | Unstartable | Progress

encode_report = msgspec.msgpack.Encoder().encode
decode_report = msgspec.msgpack.Decoder(Report).decode
encode_job = msgspec.msgpack.Encoder().encode
decode_job = msgspec.msgpack.Decoder(Job).decode
