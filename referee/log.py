"""The log: one JSON object a line, appended and never changed; all else is read from it.

A file holds the sets of one ruleset and pairing. Line kinds: `header` (who, what, how, and the
commitment to the secret that deals the sets after it), `deal`, `void`, `unplayed`, `end`. A deal
line is `{play, side, sha256}`: `play` is canonical bytes, whose digest the line carries; `side`
is times, notes and blame. The lines of a set are appended in one write when its last table ends,
so that an interrupted write is recognised: an incomplete set at the end is set aside.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from protocol.messages import Time
from referee.collecting import collecting_rarely
from referee.errors import LogError
from referee.pieces import Pieces, unreadable
from referee.rulings import MOST_VOIDS, Blame
from referee.table import PlayRecord

FORMAT = 1


class EntrantRecord(Struct, frozen=True, kw_only=True):
    """Who played: what is needed to tell whether it is still the same bot."""

    id: str
    command: list[str]
    version: str = ""
    """As the league file gives it."""
    digest: str = ""
    """SHA-256 over the files that the command names."""


class Line(Struct, frozen=True, tag_field="kind", kw_only=True):
    """What every line has: its `kind`."""


class Header(Line, frozen=True, tag="header", kw_only=True):
    """Everything needed to play the sets that follow again."""

    format: int
    referee: str
    game: str
    ruleset: str
    rules: dict[str, Any]
    """Every option, resolved."""
    unit: Literal["deal", "game"]
    time: Time
    soft_faults: int
    pairing: str
    entrants: list[EntrantRecord]
    """In the order of the pairing's id."""
    seating: str
    """`swap` or `rotate`."""
    tables: int
    """Tables in a set."""
    isolation: str
    """`seat`: a process for each entrant and seat; `entrant`: one for all its seats."""
    commitment: str
    """SHA-256 of the secret that deals the sets after this line."""
    sandbox: str = "basic"
    """What the bots were kept in: `basic`, `linux` or `bwrap`; `+uid` and `+cgroup` may follow."""


class DecisionTime(NamedTuple):
    """Whose decision it was, which action of the deal, and how long it took."""

    seat: int
    at: int
    ms: float


class SideRecord(Struct, frozen=True, kw_only=True):
    """What is worth keeping of a deal but not decided by the rules."""

    times: list[DecisionTime]
    notes: list[tuple[int, Any]]
    """`[action place, note]`."""
    blame: list[Blame]
    started: str
    """Wall clock, for people."""
    lag_ms: float
    """The referee's own worst delay while the deal was played."""
    unexpected: list[int]
    """Unexpected messages, by seat."""


class DealLine(Line, frozen=True, tag="deal", kw_only=True):
    """One finished deal."""

    play: msgspec.Raw
    """A PlayRecord in canonical bytes."""
    side: SideRecord
    sha256: str
    """Of the bytes of `play`."""


class Void(Line, frozen=True, tag="void", kw_only=True):
    """A set that the referee spoilt: played again from the same cards by fresh processes."""

    set: int
    attempt: int
    """1 for the first time; after the third the set is not played."""
    reason: str
    blame: list[Blame] = []


class Unplayed(Line, frozen=True, tag="unplayed", kw_only=True):
    """A table of a set that was not played: nobody's doing, or forfeited without a card dealt."""

    set: int
    table: int
    reason: Literal["not_playable", "forfeited"]
    seats: list[str]
    """Entrant by seat."""
    nets: list[float] | None
    """By side where it was forfeited; null where it was not playable."""
    blame: list[Blame] = []


class End(Line, frozen=True, tag="end", kw_only=True):
    """All planned sets are here; the digest is over the digests of the deals."""

    sets: int
    digest: str


AnyLine = Header | DealLine | Void | Unplayed | End

_encode = msgspec.json.encode
_decode_line = msgspec.json.Decoder(AnyLine).decode
decode_play = msgspec.json.Decoder(PlayRecord).decode


def canonical(play: PlayRecord) -> bytes:
    """The bytes of a play record: the fields in their order, no spaces."""
    return _encode(play)


def deal_line(play: PlayRecord, side: SideRecord) -> DealLine:
    """The line of a finished deal, with the digest of its play."""
    body = canonical(play)
    return DealLine(play=msgspec.Raw(body), side=side, sha256=sha256(body).hexdigest())


def encoded(lines: Iterable[Line]) -> bytes:
    """Lines as they stand in a file."""
    return b"".join(_encode(line) + b"\n" for line in lines)


def append(path: Path, lines: Iterable[Line]) -> None:
    """Append lines in one write."""
    append_bytes(path, encoded(lines))


def append_bytes(path: Path, data: bytes) -> None:
    """Append whole lines in one write; LogError when the file does not take them all."""
    try:
        with path.open("ab", buffering=0) as file:
            before = file.tell()
            written = file.write(data)
            if written != len(data):
                file.truncate(before)
    except OSError as error:
        raise LogError(f"{path}: cannot be written: {error.strerror}") from None
    if written != len(data):
        raise LogError(f"{path}: only {written} of {len(data)} bytes could be written")


def lines_of(data: bytes) -> list[AnyLine]:
    """Whole lines as they stand in a file, decoded; raises msgspec.DecodeError."""
    return [_decode_line(raw) for raw in data.splitlines()]


class Entry(NamedTuple):
    """A line with its place in the file, and the play of a deal's line decoded."""

    number: int
    line: AnyLine
    play: PlayRecord | None = None


def entry_of(number: int, line: AnyLine) -> Entry:
    """A line as an entry; raises msgspec.DecodeError when its play is no play."""
    return Entry(number, line, decode_play(line.play) if isinstance(line, DealLine) else None)


class SetRecord(Struct, frozen=True, kw_only=True):
    """The lines of one complete set: deals of every table, or what stands in their place."""

    set: int
    header: Header
    entries: list[Entry]

    def deals(self) -> Iterator[tuple[int, DealLine, PlayRecord]]:
        """(line number, line, play) of each deal, in the order of the file."""
        for number, line, play in self.entries:
            if isinstance(line, DealLine) and play is not None:
                yield number, line, play

    def digests(self) -> bytes:
        """What the digest of a log takes of this set: those of its deals by (table, deal)."""
        found = sorted((play.table, play.deal, line.sha256) for _, line, play in self.deals())
        return "".join(text for *_, text in found).encode("utf-8", "surrogatepass")


class Log(Struct, kw_only=True):
    """A log as read: complete sets, and what was set aside at its end."""

    path: Path
    headers: list[Header]
    sets: Mapping[int, SetRecord]
    """By number; in a long log each is decoded anew whenever it is asked for."""
    voids: dict[int, int]
    """The last attempt at each set that was voided; where it was played after that, it is in
    `sets` too."""
    unplayable: set[int]
    """Sets in which some table was not playable."""
    twice: set[int] = set()
    """Sets that were there already, and playable: no referee writes such."""
    end: End | None
    good_bytes: int
    """Length of the file up to the last complete set."""
    set_aside: int
    """Lines (and broken ends of lines) after that."""

    @property
    def header(self) -> Header:
        """The newest header."""
        return self.headers[-1]

    def only(self, number: int) -> "Log":
        """One of its sets taken out, to be verified and shown alone."""
        return Log(
            path=self.path, headers=self.headers, sets={number: self.sets[number]}, voids={},
            unplayable=set(), end=None, good_bytes=0, set_aside=0,
        )  # fmt: skip

    def gaps(self) -> list[int]:
        """Sets before the last one that are not there and not given up."""
        return [
            number
            for number in range(max(self.sets, default=0))
            if number not in self.sets and self.voids.get(number, 0) < MOST_VOIDS
        ]

    def digest(self) -> str:
        """The digest of the log: over its deals' digests sorted by (set, table, deal)."""
        total = sha256()
        for number in sorted(self.sets):
            total.update(self.sets[number].digests())
        return total.hexdigest()


def first_header(path: Path) -> Header | None:
    """The header that a log begins with, without reading more; None where it is empty or cut."""
    with path.open("rb") as file:
        raw = file.readline()
    if not raw.endswith(b"\n"):
        return None
    line = _entry(path, 1, raw).line
    if not isinstance(line, Header):
        raise LogError(f"{path}: line 1: expected a header, found {raw[:60]!r}")
    return line


def read(path: Path) -> Log:
    """Read a log; raises LogError when it is not one or a complete part of it is broken."""
    try:
        with path.open("rb") as file:
            return _taken(path, file, None, [])
    except OSError as error:
        raise unreadable(path, error) from None


def read_on(path: Path, offset: int, headers: list[Header]) -> Log:
    """Read what a log has after so many bytes, where these headers stand before it."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return _taken(path, file, None, list(headers))
    except OSError as error:
        raise unreadable(path, error) from None


def parse(path: Path, data: bytes) -> Log:
    """Read a log from bytes: complete sets first, then what is set aside."""
    return _taken(path, BytesIO(data), data, [])


@collecting_rarely()
def _taken(path: Path, file: IO[bytes], data: bytes | None, headers: list[Header]) -> Log:
    position = begun = file.tell()

    def record(number: int, data: bytes, first: int, header: int) -> SetRecord:
        lines = enumerate(data[:-1].split(b"\n"), first)
        entries = [_entry(path, at, raw) for at, raw in lines]
        return SetRecord(set=number, header=headers[header], entries=entries)

    sets = Pieces(path, data, record)
    log = Log(
        path=path, headers=headers, sets=sets, voids={}, unplayable=set(), twice=set(), end=None,
        good_bytes=position, set_aside=0,
    )  # fmt: skip
    pending: list[Entry] = []
    tail = False
    for number, raw in enumerate(file, 1):
        if not raw.endswith(b"\n"):
            tail = True
            break
        position += len(raw)
        entry = _entry(path, number, raw)
        if number == 1 and not begun and not isinstance(entry.line, Header):
            raise LogError(f"{path}: line 1: expected a header, found {raw[:-1][:60]!r}")
        pending.append(entry)
        if _take(log, pending):
            if isinstance(entry.line, DealLine | Unplayed):
                made = SetRecord(set=_set_of(entry), header=headers[-1], entries=pending)
                begin, first = log.good_bytes, pending[0].number
                sets.put(made.set, begin, position - begin, first, len(headers) - 1, made)
            pending = []
            log.good_bytes = position
    log.set_aside = len(pending) + tail
    if not log.headers:
        raise LogError(f"{path}: expected a header as the first complete line, found none")
    return log


def _entry(path: Path, number: int, raw: bytes) -> Entry:
    try:
        return entry_of(number, _decode_line(raw))
    except (msgspec.DecodeError, RecursionError) as error:
        raise LogError(f"{path}: line {number}: not a line of a log: {error}") from None


def _take(log: Log, pending: list[Entry]) -> bool:
    """Add pending lines to a log if they are complete: a header, a void, an end, or a whole set."""
    line = pending[-1].line
    if isinstance(line, DealLine | Unplayed):
        return _take_set(log, pending)
    if len(pending) > 1:
        number = pending[-1].number
        raise LogError(f"{log.path}: line {number}: the set before it is not complete")
    if isinstance(line, Header):
        if line.format != FORMAT:
            raise LogError(f"{log.path}: format {line.format!r}; this referee reads {FORMAT}")
        log.headers.append(line)
        log.end = None
    elif isinstance(line, Void):
        log.voids[line.set] = line.attempt
    else:
        log.end = line
    return True


def _set_of(entry: Entry) -> int:
    """The set that a deal's line, or one in place of a table, belongs to."""
    if entry.play is not None:
        return entry.play.set
    assert isinstance(entry.line, Unplayed)
    return entry.line.set


def _take_set(log: Log, pending: list[Entry]) -> bool:
    done: set[int] = set()
    number = _set_of(pending[0])
    for entry in pending:
        if _set_of(entry) != number:
            text = f"set {number} is not complete before it"
            raise LogError(f"{log.path}: line {entry.number}: {text}")
        if isinstance(entry.line, Unplayed):
            done.add(entry.line.table)
        elif entry.play is not None and entry.play.nets is not None:
            done.add(entry.play.table)
    if len(done) < log.header.tables:
        return False
    if number in log.sets and number not in log.unplayable:
        log.twice.add(number)
    log.unplayable.discard(number)
    if any(isinstance(e.line, Unplayed) and e.line.nets is None for e in pending):
        log.unplayable.add(number)
    return True
