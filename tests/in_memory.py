"""The real arena with bots in memory: no processes, no sockets, no waiting, always the same.

Everything from the bytes of a message inwards is the product: seats, judge, tables, clocks. Only
the poller, the link, the process and the clock of the world are played here.
"""

import json
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import zmq

from protocol.bot import Bot
from protocol.messages import ENDPOINT_VARIABLE, TOKEN_VARIABLE, Act, Ask, Hello, encode
from referee import roster
from referee.arena import Arena
from referee.job import Job
from referee.seats import bot as seat
from referee.seats.process import ExitReport, LaunchSpec, StderrLines
from referee.seats.zeromq import Received
from tests.arena_help import Outcome

TOKEN = "5eed" * 8
EXCHANGE_SECONDS = 0.001
"""What a message there and its answer take."""

Answer = Callable[[Ask], str | Act]
Reply = tuple[float, bytes]
"""(seconds until it is sent, what is sent)."""


def first(ask: Ask) -> str:
    """The first legal action."""
    return ask.legal[0]


class Player(Bot):
    """A bot with a function for its decisions, made of the client that bots use."""

    def __init__(self, answer: Answer = first, *, tables: int = 1, batch: bool = False) -> None:
        super().__init__("example", tables=tables, batch=batch)
        self.answer = answer
        self.late: Mapping[int, float] = {}
        """Seconds by which the answers to these asks are held back."""
        self.instead: Mapping[int, bytes] = {}
        """What is sent in place of the answers to these asks."""
        self.greeting: bytes | None = None
        """What is sent in place of hello."""

    def decide(self, ask: Ask) -> str | Act:
        return self.answer(ask)

    def faulted(self, fault: object) -> None:
        pass

    def greet(self, token: str) -> Reply:
        """The first thing that it sends."""
        hello = Hello(
            protocol=self.hello.protocol,
            token=token,
            name=self.hello.name,
            version=self.hello.version,
            tables=self.hello.tables,
            batch=self.hello.batch,
        )
        if self.greeting is not None:
            return 0.0, self.greeting.replace(b"TOKEN", token.encode())
        return 0.0, encode(hello)

    def take(self, data: bytes) -> list[Reply]:
        """What it answers to one message."""
        return [self._changed(reply) for reply in replies_of(self, data)]

    def _changed(self, reply: bytes) -> Reply:
        number = json.loads(reply).get("id", 0)
        return self.late.get(number, 0.0), self.instead.get(number, reply)


def replies_of(bot: Bot, data: bytes) -> list[bytes]:
    """What the client sends when it receives one message."""
    sent: list[bytes] = []
    bot._take(sent.append, data)
    return sent


@dataclass(eq=False)
class Link:
    """In place of a socket: what has been sent in each direction."""

    endpoint: str
    inbox: deque[Received] = field(default_factory=deque)
    outbox: deque[bytes] = field(default_factory=deque)
    pending: list[Reply] = field(default_factory=list)
    """(time, data) of what the bot has sent and the referee has not received."""
    heard: list[tuple[str, bytes]] = field(default_factory=list)
    """("referee" or "bot", data) of everything, in the order in which it was received."""
    player: Player | None = None

    @property
    def sources(self) -> "tuple[Link]":
        return (self,)

    def watch(self, poller: Any) -> None:
        poller.register(self, 1)

    def unwatch(self, poller: Any) -> None:
        poller.unregister(self)

    def hang_up(self) -> None:
        pass

    def await_message(self) -> bool:
        return False

    def receive(self, most: int) -> list[Received]:
        return [self.inbox.popleft() for _ in range(min(most, len(self.inbox)))]

    def accept(self) -> None:
        pass

    def is_from(self, keeper: int) -> bool:
        return True

    def send(self, data: bytes) -> bool:
        self.outbox.append(data)
        return True

    def connection_dropped(self) -> bool:
        return False

    def close(self) -> None:
        pass


@dataclass(eq=False)
class Process:
    """In place of a bot's process: it never ends by itself."""

    number: int
    pid: int | None = None
    keeper_pid: int = 0
    exit: ExitReport | None = None
    start_failure: str | None = None
    stderr: StderrLines | None = None
    gone: bool = False

    def ask_stderr(self) -> None:
        """It has said nothing."""

    def fileno(self) -> int:
        return self.number

    def poll(self) -> None:
        pass

    def stop(self, grace: float) -> None:
        self.gone = grace >= 0

    def kill(self) -> None:
        self.gone = True

    def wait_gone(self, seconds: float) -> bool:
        return seconds >= 0

    def close(self) -> None:
        pass


class World:
    """The clock, and the bots of one job by their entrant; in place of a `zmq.Poller`."""

    def __init__(self, cast: Mapping[str, Callable[[], Player]]) -> None:
        self.cast = cast
        self.links: list[Link] = []
        """In the order of starting: entrant by entrant, seat by seat."""
        self.now = 1000.0

    def link(self, _context: object, endpoint: str) -> Link:
        self.links.append(Link(endpoint))
        return self.links[-1]

    def start(self, spec: LaunchSpec) -> Process:
        link = next(one for one in self.links if one.endpoint == spec.env[ENDPOINT_VARIABLE])
        link.player = self.cast[spec.argv[0]]()
        delay, hello = link.player.greet(spec.env[TOKEN_VARIABLE])
        link.pending.append((self.now + delay, hello))
        return Process(10_000 + len(self.links))

    def register(self, source: object, flags: int) -> None:
        pass

    def unregister(self, source: object) -> None:
        pass

    def poll(self, milliseconds: float) -> list[tuple[Link, int]]:
        self._let_bots_play()
        ready = self._arrived()
        if ready:
            self.now += EXCHANGE_SECONDS
        else:
            times = [due for link in self.links for due, _ in link.pending]
            self.now = max(self.now, min([self.now + milliseconds / 1000, *times]))
            ready = self._arrived()
        return [(link, zmq.POLLIN) for link in ready]

    def _let_bots_play(self) -> None:
        for link in self.links:
            while link.outbox:
                data = link.outbox.popleft()
                link.heard.append(("referee", data))
                assert link.player is not None
                for delay, reply in link.player.take(data):
                    # One thing after another: what follows a late answer is late too.
                    busy = max((due for due, _ in link.pending), default=self.now)
                    link.pending.append((max(busy, self.now + delay), reply))

    def _arrived(self) -> list[Link]:
        for link in self.links:
            for due, data in [entry for entry in link.pending if entry[0] <= self.now]:
                link.pending.remove((due, data))
                link.heard.append(("bot", data))
                link.inbox.append(Received(data, 1))
        return [link for link in self.links if link.inbox]

    @contextmanager
    def _instead_of_the_real_one(self) -> Iterator[None]:
        with (
            patch.object(zmq, "Poller", lambda: self),
            patch.object(seat, "ZeroMQLink", self.link),
            patch.object(seat, "BotProcess", self),
            patch.object(secrets, "token_hex", lambda size: TOKEN[: 2 * size]),
            patch.object(roster, "__version__", "1"),
            patch.object(time, "monotonic", lambda: self.now),
        ):
            yield

    def play(self, job: Job) -> Outcome:
        """Play a job in this world."""
        outcome = Outcome()
        with self._instead_of_the_real_one():
            Arena(job, outcome.reports.append).run()
            self._let_bots_play()
        return outcome


def conversation(link: Link) -> Sequence[dict[str, Any]]:
    """What was said on a link, as the lines of a vector."""
    return [{"from": who, "message": json.loads(data)} for who, data in link.heard]
