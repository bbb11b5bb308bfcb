"""The documented link: one ROUTER for each bot process, to which the bot connects a DEALER.

The referee binds first, so there is no race for a port; one socket each means that closing it cuts
a bot off and that nobody else's connection can disturb it; a ROUTER tells who is talking.
"""

import fcntl
import math
import os
import struct
import tempfile
import time

import zmq
import zmq.backend
from msgspec import Struct

from referee.seats.peers import connector, is_below
from referee.seats.process import remove_folder

MESSAGE_BYTES = 65_536
"""The longest message that a bot may send."""

CUT_BYTES = 16 * MESSAGE_BYTES
"""libzmq itself cuts the connection of a bot whose frame is longer than this. Between the two a
message is still read, so that the fault can be named with its size."""

WAITING_MESSAGES = 16
"""So many whole messages of a connection are kept until they are read; the rest waits outside."""

_PREFIX = "rf-"
_LOCK = ".lock"

_REMOVAL_SECONDS = 2.0
"""For removing what bots have left in a folder; the rest stays for the next sweep."""

_MOST_STRANGERS = 1000
"""So many processes are told apart that speak at an endpoint without having said hello."""

_PATH_LIMIT = 100
"""Unix socket paths end at 107 bytes."""


_option = zmq.backend.Socket.get
"""An integer option of a socket. The front's `getsockopt` takes twice as long, at every message."""


_send = zmq.backend.Socket.send
"""The same for sending: the front's looks for options that no message here has."""

ALONE_SECONDS = 0.005
"""How long `await_message` sleeps at most."""

_LOOKS = 50
"""How often it looks for a message before it sleeps: for 0.1 to 0.2 ms."""

_WANTED_SECONDS = 15e-6
"""Giving way takes longer than this where another process wants the core."""

# Plain numbers: joining the enumeration's members costs more than the call they are for.
_NOW = int(zmq.NOBLOCK)
_NOW_MORE = int(zmq.NOBLOCK | zmq.SNDMORE)
_READABLE = int(zmq.POLLIN)

_EVENT = struct.Struct("=Hi")
"""What a monitor tells first: the event, and a descriptor."""


class Received(Struct, frozen=True):
    """One message as it came off the socket."""

    data: bytes
    frames: int
    """1 in every well-formed message."""


class SocketFolder:
    """A private folder for the sockets and bots' scratch folders of one worker.

    It is removed on close; what workers left that were killed is swept up by the next one.
    """

    def __init__(self) -> None:
        base = os.environ.get("XDG_RUNTIME_DIR", "")
        if not base or len(base) > _PATH_LIMIT - 30 or not os.access(base, os.W_OK | os.X_OK):
            base = "/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir()
        _sweep(base)
        self.path = os.path.join(base, _PREFIX + os.urandom(6).hex())
        # Locked before the folder exists, so that a folder without a locked lock is a dead one's.
        self._lock = open(self.path + _LOCK, "xb")  # noqa: SIM115
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.mkdir(self.path, 0o700)
        self._count = 0

    def endpoint(self) -> str:
        """A fresh `ipc://` address in this folder."""
        self._count += 1
        return f"ipc://{self.path}/{self._count}"

    def close(self) -> None:
        """Remove the folder and what is left in it."""
        if remove_folder(self.path, _REMOVAL_SECONDS):
            os.unlink(self._lock.name)
        self._lock.close()


def _sweep(base: str) -> None:
    """Remove folders whose owner is dead: nobody holds their lock."""
    for name in os.listdir(base):
        path = os.path.join(base, name)
        if not name.startswith(_PREFIX) or not os.path.isdir(path) or os.path.islink(path):
            continue
        try:
            with open(path + _LOCK, "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if remove_folder(path, _REMOVAL_SECONDS):
                    os.unlink(lock.name)
        except OSError:
            pass  # somebody else's, or in use


class ZeroMQLink:
    """The referee's end of one bot's connection."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", endpoint: str) -> None:
        self.socket = context.socket(zmq.ROUTER)
        for option, value in (
            (zmq.LINGER, 0),
            (zmq.ROUTER_MANDATORY, 1),
            (zmq.MAXMSGSIZE, CUT_BYTES),
            (zmq.RCVHWM, WAITING_MESSAGES),
            (zmq.SNDHWM, 8192),
            (zmq.HANDSHAKE_IVL, 5000),
            (zmq.BACKLOG, 2),
            (zmq.RCVTIMEO, round(ALONE_SECONDS * 1000)),
        ):
            self.socket.setsockopt(option, value)
        self.socket.bind(endpoint)
        self.endpoint = self.socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self._monitor = context.socket(zmq.PAIR)
        # Without a limit: libzmq would wait for room, and all bots of this context with it.
        self._monitor.setsockopt(zmq.RCVHWM, 0)
        address = f"inproc://{os.urandom(8).hex()}"
        self.socket.monitor(address, zmq.EVENT_DISCONNECTED)
        self._monitor.connect(address)
        self._peer: bytes | None = None
        self._begun: bytes | None = None
        """The sender of a message of which nothing more has been read yet."""
        self._sender = b""
        self._origin: tuple[str, int] | None = None
        """Whence the last message came, where libzmq knows it: an address and a descriptor."""
        self._closed: set[int] = set()
        """Descriptors closed while a message that came over one of them may be waiting here."""
        self._outlived = False
        """Whether that may be so of the last message: the descriptor may be another's by now."""
        self.descriptor = -1
        """What libzmq reads the bot's connection from, once that is known."""
        self.delivered = 0
        """Whole messages of the bot since then; read by another thread."""
        self.strays: dict[int, int] = {}
        """Messages that were no bot's of this link and not taken yet, by the process that made
        the connection."""

    @property
    def sources(self) -> "tuple[zmq.Socket[bytes], ...]":
        """What a poller reports when something can be done here."""
        return (self.socket,)

    def watch(self, poller: zmq.Poller) -> None:
        """Have a poller wait for the bot."""
        poller.register(self.socket, zmq.POLLIN)

    def unwatch(self, poller: zmq.Poller) -> None:
        """Stop that."""
        poller.unregister(self.socket)

    def hang_up(self) -> None:
        """Nothing: `bye` has been said, and the connection is closed with the socket."""

    def await_message(self) -> bool:
        """
        Wait a moment for a message on this connection alone; whether there is one to `receive`.

        Where only this bot has something to say it spares the poll over everybody's sockets.
        A bot that answers at once is waited for awake, as long as nobody else wants this core: to
        be woken from another core takes longer than such an answer.
        """
        socket = self.socket
        for _ in range(_LOOKS):
            if int(_option(socket, zmq.EVENTS)) & _READABLE:
                break
            before = time.monotonic()
            os.sched_yield()
            if time.monotonic() - before > _WANTED_SECONDS:
                break
        try:
            self._begun = socket.recv()
        except zmq.Again:
            return False
        return True

    def receive(self, most: int) -> list[Received]:
        """Take up to `most` waiting messages of the bot.

        Once it has been accepted, messages of any other connection are thrown away; they count
        among `most`, so that they hold nobody up.
        """
        peer = self._peer
        if peer is None:
            return self._receive_first()
        found: list[Received] = []
        socket = self.socket
        for _ in range(most):
            if self._begun is not None:
                sender, self._begun = self._begun, None
            else:
                try:
                    sender = socket.recv(_NOW)
                except zmq.Again:
                    break
            if sender == peer:
                data = socket.recv()  # a ROUTER always has a frame behind the sender's name
                frames = 1
                while _option(socket, zmq.RCVMORE):
                    socket.recv()
                    frames += 1
                found.append(Received(data, frames))
            else:
                self._throw_away()
            if not int(_option(socket, zmq.EVENTS)) & _READABLE:
                break
        self.delivered += len(found)
        return found

    def _receive_first(self) -> list[Received]:
        """Take one message of whoever it may be, as nobody has been accepted yet."""
        try:
            self._sender = self.socket.recv(_NOW)
        except zmq.Again:
            return []
        first = self._rest()
        self._take_drops()
        self._outlived = self._origin is not None and self._origin[1] in self._closed
        self._forget_closed()
        return [first]

    def _forget_closed(self) -> None:
        if not int(_option(self.socket, zmq.EVENTS)) & _READABLE:
            self._closed.clear()  # what comes from now on has come over connections made since

    def _rest(self) -> Received:
        """Take a message behind its sender's name, and see where it came from."""
        frame = self.socket.recv(copy=False)
        frames = 1
        while _option(self.socket, zmq.RCVMORE):
            self.socket.recv()
            frames += 1
        try:
            self._origin = (str(frame.get("Peer-Address")), int(frame.get("__fd")))
        except (zmq.ZMQError, ValueError):
            self._origin = None  # libzmq has seen no handshake
        return Received(frame.bytes, frames)

    def _throw_away(self) -> None:
        self._rest()
        self.count_stray()

    def count_stray(self) -> None:
        """The last message was no bot's of this link: count it for whoever has sent it."""
        pid = connector(self._origin[0]) if self._origin else None
        if pid is not None and (pid in self.strays or len(self.strays) < _MOST_STRANGERS):
            self.strays[pid] = self.strays.get(pid, 0) + 1

    def take_strays(self) -> dict[int, int]:
        """What has been counted since the last call; for another thread."""
        strays, self.strays = self.strays, {}
        return strays

    def is_from(self, keeper: int) -> bool:
        """Whether the last message before `accept` came from a process below a bot's keeper.

        The kernel says so of a Unix socket, and the tables of sockets of a TCP connection. False
        where they do not: the bot may be the one who speaks, but so may anybody.
        """
        if self._origin is None:
            return False
        found = is_below(*self._origin, keeper)
        if found and connector(self._origin[0]) is None:
            # Found by its descriptor, which may have been given out again at any time until now.
            self._take_drops()
            return not self._outlived and self._origin[1] not in self._closed
        return found

    def accept(self) -> None:
        """Whoever sent the last message is the bot, from now on."""
        self._peer = self._sender
        self.descriptor = self._origin[1] if self._origin else -1

    def send(self, data: bytes) -> bool:
        """Hand a message over without waiting; False when the bot's connection is gone."""
        if self._peer is None:
            return False
        try:
            _send(self.socket, self._peer, _NOW_MORE)
            _send(self.socket, data, _NOW)
        except zmq.ZMQError as error:
            # A full queue is a bot that does not read: its clock deals with that.
            return error.errno == zmq.EAGAIN
        return True

    def await_drop(self, seconds: float) -> None:
        """Wait, not long, until a connection is closed: what came over it is here by then."""
        self._monitor.poll(math.ceil(seconds * 1000))

    def connection_dropped(self) -> bool:
        """Whether some connection was closed since the last call; a probe tells whose."""
        dropped = self._take_drops() > 0
        if self._closed:
            self._forget_closed()
        return dropped

    def _take_drops(self) -> int:
        """Take in which descriptors have been closed; how many since the last call."""
        count = 0
        while int(self._monitor.getsockopt(zmq.EVENTS)) & zmq.POLLIN:
            event = self._monitor.recv_multipart()
            count += 1
            if self._peer is None:  # afterwards nobody asks whose a message is
                self._closed.add(_EVENT.unpack_from(event[0])[1])
        return count

    def close(self) -> None:
        """Cut the connection and free the address."""
        self.socket.monitor(None, 0)
        self._monitor.close(0)
        self.socket.close(0)
        path = self.endpoint.removeprefix("ipc://")
        if path != self.endpoint:
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass
