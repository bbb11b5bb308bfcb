"""Damaged messages by the hundred thousand: each is a valid message or one fault, nothing else."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from protocol.messages import Act, BotBatch, Limits, Ping, decode_from_bot
from referee.arena import Arena
from referee.cards import commitment
from referee.job import Job, Played
from referee.judge import CannotStart, Judge
from referee.league.plan import logged_seatings
from referee.log import FORMAT, End, EntrantRecord, Header, append, append_bytes, read
from referee.replay import verify
from referee.roster import OpenAsk, Player, Roster
from referee.seats.bot import BotCommand, BotSeat
from referee.seats.trouble import Trouble
from referee.seats.zeromq import MESSAGE_BYTES, Received, SocketFolder
from tests import arena_help, in_memory
from tests.bad_bots.harm import steering
from tests.in_memory import Link, World

HELLOS, ACTS, BATCHES = 62_000, 38_000, 4_000
NEVER = 10**9
"""So many faults do no more than one."""

SEED = 20_240_607

NUMBERS = (
    b"0 -0 1 -1 1.0 1.5 1e0 1e400 -1e400 1e-400 01 +1 0x10 NaN Infinity -Infinity 9007199254740991 "
    b"9007199254740992 9223372036854775807 9223372036854775808 18446744073709551616"
).split()
OTHERS = [
    *b'null true false "" [] {} [[]] [1] ["pass"] {"a":1} "pass" "act" nul tru "'.split(),
    b"9" * 400, b"9" * 5000, b"1e" + b"9" * 50, b"-" * 9, b"[" * 3000, b'{"a":' * 3000,
    b"[" * 900 + b"]" * 900, b'{"a":' * 900 + b"1" + b"}" * 900, b'"' + b"x" * 3000 + b'"',
    b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\ud83d\\ude00"', b'"\\u0000"', b'"\\u001b[2J"',
    b'"\\u202e"', b'"\\u12"', b'"\\x41"', b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\x80"',
    b'"\xf4\x90\x80\x80"', b'"\x00"', b'"\x1b"', '"\u202eevil\u009b\u0410"'.encode(),
]  # fmt: skip
AROUND = [
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b" ", b"\n", b"\r\n", b"\t", b"\x0c", b"{", b"}", b"[",
    b"]", b",", b"{}", b"\xc2\xa0", b"/**/", b"#", b")]}',\n",
]  # fmt: skip
KEYS = [
    b"id", b"type", b"action", b"note", b"token", b"protocol", b"games", b"tables", b"batch",
    b"name", b"messages", b"__class__", b"", b"ID", b"\\u0069d", b"\xff", b"a" * 300,
]  # fmt: skip

Fields = list[tuple[bytes, bytes]]
"""Keys and values of a message, both as JSON, keys without their quotes."""


def joined(fields: Fields) -> bytes:
    """A message as bytes."""
    return b"{" + b",".join(b'"' + key + b'":' + value for key, value in fields) + b"}"


# ---- damage --------------------------------------------------------------------------------------


def any_value(rng: Random) -> bytes:
    """Some JSON value, or what looks like one."""
    return rng.choice(NUMBERS if rng.random() < 0.5 else OTHERS)


def change_fields(rng: Random, fields: Fields) -> Fields:
    """Replace, drop, double, add or mix fields."""
    fields = list(fields)
    place = rng.randrange(len(fields))
    key, value = fields[place]
    match rng.randrange(6):
        case 0 | 1:
            fields[place] = key, any_value(rng)
        case 2:
            del fields[place]
        case 3:
            fields.insert(rng.randrange(len(fields) + 1), (key, any_value(rng)))
        case 4:
            fields.append((rng.choice(KEYS), any_value(rng)))
        case _:
            rng.shuffle(fields)
    return fields or [(key, value)]


def flip(rng: Random, data: bytes) -> bytes:
    """Turn a few bits around."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8)) if data else 0):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def cut(rng: Random, data: bytes) -> bytes:
    """Take out a piece, often the end."""
    first = rng.randrange(len(data) + 1)
    last = len(data) if rng.random() < 0.6 else rng.randrange(first, len(data) + 1)
    return data[:first] + data[last:]


def splice(rng: Random, data: bytes) -> bytes:
    """Join the beginning of it with some end of it."""
    return data[: rng.randrange(len(data) + 1)] + data[rng.randrange(len(data) + 1) :]


def insert(rng: Random, data: bytes) -> bytes:
    """Put random bytes, or a value, somewhere into it."""
    place = rng.randrange(len(data) + 1)
    extra = rng.randbytes(rng.randrange(1, 9)) if rng.random() < 0.5 else any_value(rng)
    return data[:place] + extra + data[place:]


def surround(rng: Random, data: bytes) -> bytes:
    """Put something before or behind it."""
    extra = rng.choice(AROUND)
    return extra + data if rng.random() < 0.5 else data + extra


def spell(rng: Random, data: bytes) -> bytes:
    """Write some letters as escapes, which changes nothing."""
    return b"".join(
        b"\\u%04x" % byte if rng.random() < 0.1 and chr(byte).isalnum() else bytes((byte,))
        for byte in data
    )


def otherwise(rng: Random, data: bytes) -> bytes:
    """The same text in another encoding."""
    text = data.decode("utf-8", "replace")
    return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "utf-8-sig")))


DAMAGES: list[Callable[[Random, bytes], bytes]] = [
    flip, flip, cut, cut, splice, insert, insert, surround, spell, otherwise,
]  # fmt: skip


def damaged(rng: Random, fields: Fields) -> bytes:
    """A message that may be broken in one place, in several, or not at all."""
    while rng.random() < 0.6:
        fields = change_fields(rng, fields)
    data = joined(fields)
    while rng.random() < 0.35:
        data = rng.choice(DAMAGES)(rng, data)
    return data[: MESSAGE_BYTES - 1]


# ---- a second opinion ----------------------------------------------------------------------------


class Doubtful(Exception):
    """A key stands twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Doubtful
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise ValueError(name)


def plain(data: bytes, errors: str) -> dict[str, Any]:
    """What the json module reads in a message; empty where that is no object.

    The referee does not look into fields that it does not know, so what is no text there is no
    fault; `errors` is what is done about it here.
    """
    try:
        text = data.decode("utf-8", errors)
        found = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant,
            parse_int=lambda digits: int(digits[:100]),
            parse_float=_finite if errors == "strict" else float,
        )  # fmt: skip
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _finite(digits: str) -> float:
    if math.isinf(float(digits)):
        raise ValueError(digits)
    return float(digits)


def is_int(value: object) -> bool:
    """Whether it is a whole number; in Python `True` is one."""
    return type(value) is int


def greets(data: bytes, token: str, errors: str = "strict") -> bool:
    """Whether this is a hello that has to be accepted."""
    found = plain(data, errors)
    texts = [found.get(name, "") for name in ("name", "version")]
    games, versions = found.get("games", []), found.get("protocol")
    return (
        found.get("type") == "hello"
        and found.get("token") == token
        and isinstance(versions, list)
        and all(map(is_int, versions))
        and 1 in versions
        and isinstance(games, list)
        and all(isinstance(game, str) for game in games)
        and (not games or "huutopussi" in games)
        and all(isinstance(text, str) and len(text) <= 200 for text in texts)
        and is_int(found.get("tables", 1))
        and 1 <= found.get("tables", 1) <= 4096
        and isinstance(found.get("batch", False), bool)
    )


def answers(data: bytes, number: int, errors: str = "strict") -> str | None:
    """The action that this gives for an ask; None where it is no answer to it."""
    found = plain(data, errors)
    note, action = found.get("note"), found.get("action")
    if found.get("type") != "act" or not is_int(found.get("id")) or found.get("id") != number:
        return None
    if not isinstance(action, str) or not isinstance(note, str | dict | None):
        return None
    return action if len(action) <= 64 and (note is None or len(note) <= 2000) else None


# ---- hello ---------------------------------------------------------------------------------------


@contextmanager
def one_seat() -> Iterator[tuple[World, Callable[[], BotSeat]]]:
    """A way to make seats whose bots are still to say hello."""
    world = World({"bad": in_memory.Player})
    limits = Limits(message_bytes=MESSAGE_BYTES, unexpected_messages=8, soft_faults=3)
    command = BotCommand(entrant="bad", argv=["bad"])
    folder = SocketFolder()

    def make() -> BotSeat:
        world.links.clear()
        return BotSeat(
            None, folder, command, seat=0, game="huutopussi", tables=8,  # type: ignore[arg-type]
            limits=limits, referee="test", stderr_path="",
        )  # fmt: skip

    try:
        with world._instead_of_the_real_one():
            yield world, make
    finally:
        folder.close()


def hello_fields(rng: Random) -> Fields:
    """A valid hello."""
    return [
        (b"type", b'"hello"'),
        (b"protocol", rng.choice((b"[1]", b"[1,2]", b"[3,1]"))),
        (b"token", b'"' + in_memory.TOKEN.encode() + b'"'),
        (b"name", rng.choice((b'"example"', b'""', '"\u202eevil\u0410"'.encode()))),
        (b"version", b'"1.0"'),
        (b"games", rng.choice((b"[]", b'["huutopussi"]', b'["tuppi","huutopussi"]'))),
        (b"tables", rng.choice((b"1", b"64", b"4096"))),
        (b"batch", rng.choice((b"true", b"false"))),
    ]


@pytest.mark.slow
def test_a_damaged_hello_is_accepted_or_one_fault() -> None:
    rng = Random(SEED)
    seen: Counter[str] = Counter()
    with one_seat() as (world, make):
        for _ in range(HELLOS):
            data = damaged(rng, hello_fields(rng))
            seat = make()
            (link,) = world.links
            seen[greeted(seat, link, data)] += 1
            assert not link.outbox, data
    assert min(seen[what] for what in ("accepted", "refused", "refused later")) > HELLOS // 50, seen


def greeted(seat: BotSeat, link: Link, data: bytes) -> str:
    """Send a first message, and again while the seat waits for a better one; what came of it."""
    found: list[Act | Trouble] = []
    attempts = 0
    while not found and seat.state == "starting":
        assert attempts < 3, data
        assert not attempts or not data.startswith(b"{"), data
        link.inbox.append(Received(data, 1))
        found = list(seat.receive(16))
        attempts += 1
    errors = "replace" if seat.state == "ready" else "strict"
    try:
        valid = greets(data, in_memory.TOKEN, errors)
    except Doubtful:
        valid = seat.state == "ready"
    if seat.state == "ready":
        assert valid, data
        assert found == []
        assert seat.hello is not None
        assert seat.hello.token == in_memory.TOKEN
        return "accepted"
    (trouble,) = found
    assert isinstance(trouble, Trouble)
    assert trouble.kind == "start_failed"
    assert (seat.state, seat.hello) == ("starting", None)
    # Half a character, and much of what is long, the json module takes and the referee does not.
    assert not valid or len(data) > 2000 or b"\\ud" in data, data
    return "refused later" if attempts > 1 else "refused"


# ---- act -----------------------------------------------------------------------------------------


class State(NamedTuple):
    """What a message must not change by the way."""

    at: int
    records: int
    rulings: int
    forfeited: int
    open: dict[int, list[int]]
    """Ids of open asks, by place of the player."""
    flying: int


class Bench:
    """An arena whose bots send what they are told to."""

    def __init__(self, work: Job, *, batch: bool = False) -> None:
        self.world = World({one.entrant: in_memory.Player for one in work.entrants})
        self.work = work
        self.batch = batch
        self.played: list[Played] = []

    @contextmanager
    def open(self) -> Iterator[None]:
        """Start all bots, and ask the first of them."""
        with self.world._instead_of_the_real_one():
            self.arena = Arena(self.work, self._report)
            self.arena.roster = Roster(self.work, self.world.now)
            self.arena.judge = Judge(self.work, self.arena.roster, self.arena._go_on)
            for player in self.players:
                hello = {"type": "hello", "protocol": [1], "token": in_memory.TOKEN}
                self.tell(player, json.dumps(hello | {"batch": self.batch}).encode())
            try:
                self.go_on()
                yield
            finally:
                self.arena.roster.close(kill=True, seconds=1.0)

    def _report(self, report: object) -> None:
        if isinstance(report, Played):
            self.played.append(report)

    @property
    def players(self) -> list[Player]:
        return list(self.arena.roster.players.values())

    def go_on(self) -> None:
        """Begin what there is room for, and hand over the asks that are due."""
        self.arena._begin_tables(self.world.now)
        self.arena._flush()

    def asked(self, place: int) -> tuple[Player, OpenAsk]:
        """One of the players that have something to answer."""
        found = [(player, ask) for player in self.players for ask in player.open.values()]
        return found[place % len(found)]

    def tell(self, player: Player, data: bytes) -> list[dict[str, Any]]:
        """Have a player send something; what it is told at once."""
        link = player.bot.link
        assert isinstance(link, Link)
        link.outbox.clear()
        link.inbox.append(Received(data, 1))
        self.arena.judge.take(player)
        told = [json.loads(one) for one in link.outbox]
        assert not link.inbox
        return told

    def state(self, ask: OpenAsk) -> State:
        """Everything at the table of an ask, and all open asks."""
        table = ask.live.table
        return State(
            table.at,
            len(table.records),
            len(table.rulings),
            table.forfeited,
            {place: sorted(player.open) for place, player in enumerate(self.players)},
            len(self.arena.in_flight),
        )


def work_of(sets: int) -> Job:
    """Sets enough, in which no number of faults is too many."""
    entrants = [BotCommand(entrant=name, argv=[name]) for name in ("bad", "good")]
    work = arena_help.job(Path("/nowhere"), entrants, sets=sets, crashes=NEVER)
    return Job(**{name: getattr(work, name) for name in work.__struct_fields__} | {
        "soft_faults": NEVER, "unexpected_messages": NEVER, "tables": 2,
    })  # fmt: skip


def act_fields(rng: Random, ask: OpenAsk) -> Fields:
    """A valid answer."""
    fields = [
        (b"type", b'"act"'),
        (b"id", str(ask.id).encode()),
        (b"action", json.dumps(rng.choice(ask.names)).encode()),
    ]
    if rng.random() < 0.3:
        fields.append((b"note", rng.choice((b'"sure"', b'{"p":0.5,"why":["x",{"y":null}]}'))))
    return fields


def effect(bench: Bench, player: Player, ask: OpenAsk, data: bytes) -> str:
    """Send one message in place of an answer; what it did, which is one thing."""
    before, deal = bench.state(ask), ask.live.table.deal
    actions, history = ask.live.table.game.actions, len(deal.history)
    told = bench.tell(player, data)
    faults = [message for message in told if message["type"] == "fault"]
    others = [message["type"] for message in told if message["type"] != "fault"]
    after = bench.state(ask)
    if len(deal.history) > history:
        # It was answered, by the bot or for it, and then that player or the other one is asked.
        seat, place = deal.history[history]
        assert seat == ask.seat
        first = actions[place]
        assert ask.id not in player.open
        assert others == []
        if not faults:
            assert before.rulings == after.rulings or after.records > before.records
            return f"answered {first}"
        (fault,) = faults
        assert (fault["id"], fault["played"], first) == (ask.id, ask.names[0], ask.names[0]), data
        assert fault["kind"] in ("malformed", "illegal", "protocol")
        return str(fault["kind"])
    assert before == after, data
    if others:
        assert (others, faults) == (["pong"], []), data
        return "ping"
    (fault,) = faults
    assert (fault["table"], fault["played"]) == (None, None)
    assert fault["kind"] in ("malformed", "protocol")
    return "stray"


def agrees(data: bytes, ask: OpenAsk, what: str) -> bool:
    """Whether the json module sees an answer where the referee does."""
    read = what == "illegal" or what.startswith("answered ")
    try:
        action = answers(data, ask.id, "replace" if read else "strict")
    except Doubtful:
        return True
    if read:
        assert action is not None
        return what == (f"answered {action}" if action in ask.names else "illegal")
    # Half a character, and much of what is long, the json module takes and the referee does not.
    return action is None or b"\\ud" in data or len(data) > 1000


@pytest.mark.slow
def test_a_damaged_act_is_played_or_one_fault(tmp_path: Path) -> None:
    rng = Random(SEED + 1)
    seen: Counter[str] = Counter()
    work = work_of(sets=ACTS // 40)
    bench = Bench(work)
    with bench.open():
        for _ in range(ACTS):
            player, ask = bench.asked(rng.randrange(8))
            data = damaged(rng, act_fields(rng, ask))
            what = effect(bench, player, ask, data)
            assert agrees(data, ask, what), (data, what)
            seen[what.split()[0]] += 1
            bench.go_on()
    common = ("answered", "malformed", "illegal", "stray")
    assert min(seen[what] for what in common) > ACTS // 200, seen
    check_log(tmp_path / "log.jsonl", work, bench.played)


def check_log(path: Path, work: Job, played: list[Played]) -> None:
    """What was written of all this is a log that verifies and steers no terminal."""
    header = Header(
        format=FORMAT, referee="test", game=work.game, ruleset=work.ruleset, rules=work.rules,
        unit=work.unit, time=work.time, soft_faults=work.soft_faults, pairing=work.pairing,
        entrants=[EntrantRecord(id=one.entrant, command=[]) for one in work.entrants],
        seating="swap", tables=2, isolation="seat", commitment=commitment(arena_help.SECRET),
    )  # fmt: skip
    append(path, [header])
    for report in sorted(played, key=lambda report: report.set):
        append_bytes(path, report.lines)
    log = read(path)
    append(path, [End(sets=len(log.sets), digest=log.digest())])
    checked = verify(read(path), {header.commitment: arena_help.SECRET}, logged_seatings)
    assert checked.deals == 2 * len(played) > ACTS // 100
    assert steering(path.read_text(encoding="utf-8")) == set()


@pytest.mark.slow
def test_a_damaged_batch_does_what_its_messages_do() -> None:
    rng = Random(SEED + 2)
    seen: Counter[int] = Counter()
    bench = Bench(work_of(sets=BATCHES), batch=True)
    with bench.open():
        for _ in range(BATCHES):
            player, ask = bench.asked(rng.randrange(8))
            inner = [joined(act_fields(rng, ask)), b'{"type":"ping","id":7}']
            if rng.random() < 0.5:
                inner.append(damaged(rng, act_fields(rng, ask)))
            batch: Fields = [(b"type", b'"batch"'), (b"messages", b"[" + b",".join(inner) + b"]")]
            data = damaged(rng, batch) if rng.random() < 0.8 else joined(batch)
            wanted = 1
            try:
                message = decode_from_bot(data)
            except (ValueError, RecursionError):
                message = None
            if isinstance(message, BotBatch):
                wanted = len(message.messages)
            before = len(ask.live.table.deal.history)
            deal = ask.live.table.deal
            told = bench.tell(player, data)
            answered = len(deal.history) > before
            substituted = any(one.get("played") is not None for one in told)
            # Each message is an answer, a pong or a fault; a substitution is a fault already.
            assert len(told) + (answered and not substituted) == wanted, data
            seen[wanted] += 1
            bench.go_on()
    assert min(seen[1], seen[2], seen[3]) > BATCHES // 50, seen


@pytest.mark.slow
def test_a_damaged_hello_stops_the_job_or_starts_the_bot() -> None:
    rng = Random(SEED + 3)
    seen: Counter[str] = Counter()
    work = work_of(sets=1)
    for _ in range(500):
        data = damaged(rng, hello_fields(rng))
        world = World({one.entrant: in_memory.Player for one in work.entrants})
        with world._instead_of_the_real_one():
            roster = Roster(work, world.now)
            judge = Judge(work, roster, lambda live: None)
            player = next(iter(roster.players.values()))
            link = world.links[0]
            link.inbox.append(Received(data, 1))
            report = None
            try:
                judge.take(player)
            except CannotStart as stopped:
                report = stopped.report
            told = [json.loads(one)["type"] for one in link.outbox]
            assert told == (["welcome"] if player.bot.state == "ready" else [])
            seen["stopped" if report else player.bot.state] += 1
            if report is not None:
                assert report.entrant == player.bot.command.entrant
                assert report.blame.kind == "start_failed"
                assert steering(report.blame.message) == set()
            roster.close(kill=True, seconds=1.0)
    assert min(seen[what] for what in ("stopped", "ready", "starting")) > 10, seen


def test_valid_messages_are_read_as_they_were_written() -> None:
    rng = Random(SEED + 4)
    for _ in range(200):
        data = spell(rng, b"").join((joined(hello_fields(rng)), b""))
        assert greets(data, in_memory.TOKEN)
    assert isinstance(decode_from_bot(b'{"type":"act","id":1,"action":"pass"}'), Act)
    assert isinstance(decode_from_bot(b'{"type":"ping","id":1}'), Ping)
