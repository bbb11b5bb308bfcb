"""One bot at the referee's side: its process, its link, and the handshake between them.

Whatever a bot sends is hostile until it has been decoded; what comes out of here is either a valid
message or a Trouble that says what was wrong. Which table or ask it concerns is not known here.
"""

import hmac
import os
import secrets
from collections.abc import Sequence
from typing import Literal

import msgspec
import zmq
from msgspec import Struct

from protocol.messages import (
    ENDPOINT_VARIABLE,
    PROTOCOL_VERSION,
    TOKEN_VARIABLE,
    VERSION_VARIABLE,
    Act,
    BotBatch,
    Bye,
    Hello,
    Limits,
    Ping,
    Pong,
    ToBot,
    Welcome,
    decode_from_bot,
    encode,
)
from referee.seats.process import BotProcess, ExitReport, LaunchSpec
from referee.seats.sandbox import MB, Allowance, Level, Relayed
from referee.seats.sandbox_link import RelayLink
from referee.seats.stdio import StdioLink
from referee.seats.trouble import (
    PRINT_TO_STDERR,
    NoHellos,
    Trouble,
    malformed,
    quoted,
    unheard,
    unreadable,
    unsuitable,
)
from referee.seats.zeromq import MESSAGE_BYTES, Received, SocketFolder, ZeroMQLink

State = Literal["starting", "ready", "gone"]

Transport = Literal["zeromq", "tcp", "stdio"]
"""ZeroMQ over a Unix socket, ZeroMQ over TCP on this machine, or JSON lines on standard input and
output."""

_WELCOME_AGAIN_SECONDS = 2.0
"""A bot that is silent this long after hello gets a second welcome: a lost wake-up in its binding
would otherwise leave it asleep."""

_PROBE_SECONDS = 0.25
"""How long a dropped connection waits for the process's exit, which explains it better."""

_SETTLE_SECONDS = 0.08
"""How long the last words of a process that has ended may be on their way; less than a lag."""


class BotCommand(Struct, frozen=True, kw_only=True):
    """What to start for an entrant, and what the bot is told about itself."""

    entrant: str
    argv: list[str]
    cwd: str | None = None
    env: dict[str, str] = {}
    transport: Transport = "zeromq"
    allowance: Allowance = Allowance()
    """What each of its processes may use."""
    readable: tuple[str, ...] = ()
    """Files and folders that it may read in a sandbox, besides those that its command names."""


def _link(
    context: "zmq.Context[zmq.Socket[bytes]]", folder: SocketFolder, transport: Transport,
    level: Level,
) -> ZeroMQLink | StdioLink:  # fmt: skip
    if transport == "stdio":
        return StdioLink()
    if level != "basic":
        return RelayLink()
    return ZeroMQLink(context, "tcp://127.0.0.1:*" if transport == "tcp" else folder.endpoint())


class BotSeat:
    """A bot process on one seat, from its start to its end."""

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        folder: SocketFolder,
        command: BotCommand,
        *,
        seat: int | None,
        game: str,
        tables: int,
        limits: Limits,
        referee: str,
        stderr_path: str,
        level: Level = "basic",
        hidden: Sequence[str] = (),
    ) -> None:
        self.level = level
        """What it is kept in."""
        self._hidden = tuple(hidden)
        self.command = command
        self.seat = seat
        self.game = game
        self.tables = tables
        """Tables that will be in play at once, at most."""
        self.limits = limits
        self.referee = referee
        self.state: State = "starting"
        self.hello: Hello | None = None
        self.link = _link(context, folder, command.transport, level)
        self._prints = command.transport == "stdio"
        """Whether what it prints arrives among its messages."""
        self._junk = b""
        """The first line that a bot over stdio has printed without meaning a message."""
        self._stderr_path = stderr_path
        self._token = secrets.token_hex(16)
        self._no_hellos = NoHellos()
        self._silent_since: float | None = None
        self._unreachable = False
        self._dropped_at: float | None = None
        self._pings = 0
        """Pings of the bot in this turn."""
        self._next_ping = 0
        self._pinged: set[int] = set()
        """Pings to the bot that have no pong yet."""
        self.process = BotProcess.start(self._launch(folder))
        if isinstance(self.link, StdioLink):
            self.link.handed_over()

    def _launch(self, folder: SocketFolder) -> LaunchSpec:
        command, allowed = self.command, self.command.allowance
        relay: Relayed | None = None
        if isinstance(self.link, RelayLink):
            relay = "tcp" if command.transport == "tcp" else "ipc"
        return LaunchSpec(
            argv=tuple(command.argv),
            cwd=command.cwd,
            env=command.env
            | {
                ENDPOINT_VARIABLE: self.link.endpoint,
                TOKEN_VARIABLE: self._token,
                VERSION_VARIABLE: str(PROTOCOL_VERSION),
            },
            stderr_path=self._stderr_path,
            stderr_cap=allowed.stderr_kb * 1024,
            file_bytes=allowed.disk_mb * MB,
            open_files=allowed.open_files,
            memory_bytes=allowed.memory_mb * MB,
            processes=allowed.processes,
            level=self.level,
            readable=command.readable,
            hidden=self._hidden,
            relay=relay,
            scratch_parent=folder.path,
            stdio=self.link.bot_ends if isinstance(self.link, StdioLink) else None,
        )

    # ---- receiving ---------------------------------------------------------------------------

    def receive(self, most: int) -> Sequence[Act | Trouble]:
        """Take up to `most` waiting messages: answers and troubles, in the order they came."""
        found: list[Act | Trouble] = []
        longest = self.limits.message_bytes
        for received in self.link.receive(most):
            if self.state == "starting":
                trouble = self._greet(received)
                if trouble is not None:
                    found.append(trouble)
                continue
            self._silent_since = None
            if self._prints and self._is_junk(received):
                found.append(self._printed(received.data))
            elif received.frames == 1 and len(received.data) <= longest:
                try:
                    message = decode_from_bot(received.data)
                except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                    found.append(malformed(received.data, str(error)))
                    continue
                if isinstance(message, Act):
                    found.append(message)
                elif isinstance(message, BotBatch) and self.batch:
                    found += self._batch(message, received.data)
                else:
                    trouble = self._other(message, received.data)
                    if trouble is not None:
                        found.append(trouble)
            elif received.frames == 1:
                text = f"a message of {len(received.data)} bytes; the limit is {longest}"
                found.append(Trouble("flood", text, received.data, None))
            else:
                found.append(unreadable(received))
        return found

    def _greet(self, received: Received) -> Trouble | None:
        """Take a first message: only a valid hello with this process's token is believed."""
        data = received.data
        if self._prints and self._is_junk(received):
            return self._no_hellos.printed(self._printed(data))
        try:
            message = decode_from_bot(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            return self._bad_hello(data, str(error))
        if received.frames != 1 or len(data) > MESSAGE_BYTES or not isinstance(message, Hello):
            text = f"the first message must be hello, one frame of up to {MESSAGE_BYTES} bytes"
            return self._bad_hello(data, text)
        if not hmac.compare_digest(message.token.encode(), self._token.encode()):
            return self._bad_hello(data, f"hello.token is not the value of {TOKEN_VARIABLE}")
        if (reason := unsuitable(message, self.game)) is not None:
            return Trouble("start_failed", reason, b"", None)
        self.hello = message
        self.link.accept()
        self.state = "ready"
        return None

    def _is_junk(self, received: Received) -> bool:
        """Whether a line on standard output is a stray print and no attempt at a message."""
        return received.data.lstrip()[:1] != b"{" and len(received.data) <= MESSAGE_BYTES

    def _printed(self, data: bytes) -> Trouble:
        self._junk = self._junk or data
        text = f"on standard output it has printed {quoted(data)}; {PRINT_TO_STDERR}"
        return Trouble("protocol", text, data, None)

    def silence(self) -> str:
        """What may explain that a bot has not answered, as a continuation of the sentence."""
        link = self.link
        if not isinstance(link, StdioLink) or isinstance(link, RelayLink):
            return self.said_by_others() if self.state == "starting" else ""
        junk = self._junk if self.state == "starting" else b""
        return unheard(junk, link.unfinished, link.heard)

    def said_by_others(self) -> str:
        """What came to the bot's address from elsewhere, as a continuation of the sentence."""
        return self._no_hellos.of_others()

    def _bad_hello(self, data: bytes, reason: str) -> Trouble | None:
        """What is no valid hello, whoever may have sent it."""
        if isinstance(self.link, StdioLink) or self.link.is_from(self.process.keeper_pid):
            return self._no_hellos.own(data, reason)
        self.link.count_stray()
        self._no_hellos.anothers(data, reason)
        return None

    def _batch(self, batch: BotBatch, data: bytes) -> list[Act | Trouble]:
        if {*map(type, batch.messages)} == {Act}:
            return list(batch.messages)  # type: ignore[arg-type]  # as nearly always
        found: list[Act | Trouble] = []
        for message in batch.messages:
            if isinstance(message, Act):
                found.append(message)
            elif (trouble := self._other(message, data)) is not None:
                found.append(trouble)
        return found

    def _other(self, message: Hello | BotBatch | Ping | Pong, data: bytes) -> Trouble | None:
        if isinstance(message, Ping):
            self._pings += 1
            if self._pings <= self.limits.unexpected_messages:
                self.send(Pong(id=message.id))
                return None
            return Trouble("protocol", "more pings than a turn allows", data, None)
        if isinstance(message, Pong):
            if message.id in self._pinged:
                self._pinged.discard(message.id)
                return None
            return Trouble("protocol", f"pong {message.id} answers no ping", data, None)
        if isinstance(message, BotBatch):
            first = message.messages[0].id
            return Trouble("protocol", "a batch without batch in the handshake", data, first)
        return Trouble("protocol", "a second hello", data, None)

    def new_turn(self) -> None:
        """The bot is asked something: counts that hold for one turn start again."""
        self._pings = 0
        if isinstance(self.link, StdioLink):
            self.link.new_turn()

    # ---- sending -----------------------------------------------------------------------------

    @property
    def batch(self) -> bool:
        """Whether both sides said `batch`."""
        return self.hello is not None and self.hello.batch

    def welcome(self, now: float) -> None:
        """Answer hello."""
        self._silent_since = now
        self.send(
            Welcome(
                protocol=PROTOCOL_VERSION,
                referee=self.referee,
                entrant=self.command.entrant,
                seat=self.seat,
                tables=min(self.tables, self.hello.tables if self.hello else 1),
                batch=self.batch,
                limits=self.limits,
            )
        )

    def send(self, message: ToBot) -> bool:
        """Send a message; False when the bot's connection is gone."""
        return self.send_encoded(encode(message))

    def send_encoded(self, data: bytes) -> bool:
        """The same for a message that is encoded already."""
        sent = self.link.send(data)
        if not sent and self.state == "ready":
            self._unreachable = True
        return sent

    # ---- watching ----------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """What is done now and then: a second welcome to a silent bot, a probe of its link."""
        if self._silent_since is not None and now - self._silent_since > _WELCOME_AGAIN_SECONDS:
            self.welcome(now)
            self._silent_since = None
        if self.state == "starting":
            if not isinstance(self.link, StdioLink):
                self.link.connection_dropped()  # strangers': not to be kept until hello
            return
        if self.state == "ready" and (self.link.connection_dropped() or self._unreachable):
            self._unreachable = False
            if self._dropped_at is None:
                self._dropped_at = now

    def settle(self) -> None:
        """The process has ended: let what it sent before come off the wire, if there is any."""
        if self._dropped_at is None:
            self.link.await_drop(_SETTLE_SECONDS)

    def disconnected(self, now: float) -> bool:
        """Whether the bot closed its connection and is still alive."""
        if self._dropped_at is None or self.exit is not None:
            return False
        if now - self._dropped_at < _PROBE_SECONDS:
            return False
        self._next_ping += 1
        if self.send(Ping(id=self._next_ping)):
            self._pinged.add(self._next_ping)
            self._dropped_at = None
            return False
        return True

    @property
    def suspicious(self) -> bool:
        """Whether a dropped connection is being looked at, so that the next tick should be soon."""
        return self._dropped_at is not None

    @property
    def exit(self) -> ExitReport | None:
        """How the process ended, once it has."""
        return self.process.exit

    @property
    def start_failure(self) -> str | None:
        """Why the program could not be started at all."""
        return self.process.start_failure

    # ---- ending ------------------------------------------------------------------------------

    def stop(self, reason: str, grace: float) -> None:
        """Say bye, and end the process and all it started after a grace in seconds."""
        if self.state == "ready":
            self.send(Bye(reason=reason))
        self.link.hang_up()
        self.state = "gone"
        self.process.stop(grace)

    def kill(self) -> None:
        """End the process and all it started, now."""
        self.state = "gone"
        self.process.kill()

    def close(self) -> None:
        """Free the socket and the process's handle; after the process is gone."""
        self.link.close()
        self.process.close()
        try:
            if not os.path.getsize(self._stderr_path):
                os.unlink(self._stderr_path)
        except OSError:
            pass  # nothing was ever written there
