"""
Between a ZeroMQ bot and the worker: lives in the bot's own sandbox, and speaks lines outwards.

The bot connects to it as to a referee; every message becomes a line on a pipe, every line of the
worker a message. So no libzmq endpoint of the referee is within reach of a bot, and what kills or
fills libzmq hits only the relay of the bot that did it.

A line is the message itself. One that no line can carry as it is (several frames, nothing at all)
is `\\x01`, the number of its frames, a space, and its beginning; no valid message begins so.
"""

import os
import socket
import time
from collections.abc import Callable

import zmq
import zmq.backend

MARK = b"\x01"
"""Begins a line that tells of a message instead of being it."""

MESSAGE_BYTES = 65_536
CUT_BYTES = 16 * MESSAGE_BYTES
"""As at the worker's own endpoints: over the first a message is a fault, over the second its
connection is cut."""

EXCERPT_BYTES = 300
_CHUNK = 1 << 16
_MOST = 64
"""Messages carried before the other direction is looked at."""

_DRAIN_SECONDS = 0.1
"""For the last words of a bot that has ended to come off its connection."""

_NOW, _MORE, _READABLE = int(zmq.NOBLOCK), int(zmq.SNDMORE), int(zmq.POLLIN)


def _option(socket: "zmq.Socket[bytes]", option: int) -> int:
    # The front's `getsockopt` takes twice as long, at every message.
    return int(zmq.backend.Socket.get(socket, option))


class Relay:
    """Carries messages between one bot and the worker until the bot has ended."""

    def __init__(
        self, listener: socket.socket, endpoint: str, from_worker: int, to_worker: int
    ) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        listener.setblocking(False)
        for option, value in (
            (zmq.LINGER, 200),
            (zmq.ROUTER_MANDATORY, 1),
            (zmq.MAXMSGSIZE, CUT_BYTES),
            (zmq.RCVHWM, 16),
            (zmq.SNDHWM, 8192),
            (zmq.HANDSHAKE_IVL, 5000),
            (zmq.USE_FD, listener.detach()),
        ):
            self._socket.setsockopt(option, value)
        self._monitor = self._context.socket(zmq.PAIR)
        self._monitor.setsockopt(zmq.RCVHWM, 0)
        self._socket.monitor("inproc://monitor", zmq.EVENT_DISCONNECTED)
        self._monitor.connect("inproc://monitor")
        self._socket.bind(endpoint)
        self._from_worker, self._to_worker = from_worker, to_worker
        self._unfinished = b""
        self._stranger, self._stranger_fd = b"", -1
        """Who sent the last message before the worker has answered."""
        self._peer: bytes | None = None
        """Who the worker speaks with: whoever it answered first."""
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        self._poller.register(from_worker, zmq.POLLIN)

    def carry(self, wake: int, has_ended: Callable[[], bool]) -> None:
        """Carry until `has_ended`, which is asked whenever `wake` can be read."""
        self._poller.register(wake, zmq.POLLIN)
        while True:
            ready = dict(self._poller.poll())
            if self._from_worker in ready:
                self._take_lines()
            if self._socket in ready:
                self._take_messages()
            if self._monitor in ready:
                self._take_events()
            if wake in ready and has_ended():
                break
        self._drain()

    def _take_lines(self) -> None:
        chunk = os.read(self._from_worker, _CHUNK)
        if not chunk:  # the worker has said its last word
            self._poller.unregister(self._from_worker)
            return
        if self._peer is None:
            self._peer = self._stranger
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        for line in lines:
            try:
                self._socket.send(self._peer, _NOW | _MORE)
                self._socket.send(line, _NOW)
            except zmq.ZMQError as error:
                if error.errno != zmq.EAGAIN:  # EAGAIN is a bot that does not read
                    self._hang_up()
                    return

    def _take_messages(self) -> None:
        for _ in range(_MOST):
            if not _option(self._socket, zmq.EVENTS) & _READABLE:
                return
            sender = self._socket.recv()
            if self._peer is None:
                frame = self._socket.recv(copy=False)
                first = frame.bytes
                self._stranger, self._stranger_fd = sender, frame.get(zmq.SRCFD)
            else:
                first = self._socket.recv()
            frames = 1
            while _option(self._socket, zmq.RCVMORE):
                self._socket.recv()
                frames += 1
            if self._peer is None or sender == self._peer:
                self._tell(first, frames)

    def _tell(self, data: bytes, frames: int) -> None:
        """Write a message to the worker, as one line."""
        # Outside of strings a line break is a space to JSON, and inside it is not allowed.
        text = data[: 2 * MESSAGE_BYTES].replace(b"\n", b" ").replace(b"\r", b" ")
        if frames != 1 or not text.strip() or text.startswith(MARK):
            text = MARK + b"%d " % frames + text[:EXCERPT_BYTES]
        line = text + b"\n"
        try:
            while line and self._to_worker >= 0:
                line = line[os.write(self._to_worker, line) :]
        except OSError:  # the worker has gone, and the keeper ends everything
            self._hang_up()

    def _take_events(self) -> None:
        """Hang up when the bot has closed the connection that it was answered on."""
        while _option(self._monitor, zmq.EVENTS) & _READABLE:
            event = self._monitor.recv_multipart()[0]
            if self._peer is not None and int.from_bytes(event[2:6], "little") == self._stranger_fd:
                self._take_messages()
                self._hang_up()

    def _hang_up(self) -> None:
        """End what the worker reads: the bot cannot be reached any more."""
        if self._to_worker >= 0:
            os.close(self._to_worker)
            self._to_worker = -1

    def _drain(self) -> None:
        """The bot has ended: what it sent before is still carried."""
        deadline = time.monotonic() + _DRAIN_SECONDS
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        while self._to_worker >= 0 and (left := deadline - time.monotonic()) > 0:
            ready = dict(self._poller.poll(int(left * 1000) + 1))
            if self._socket in ready:
                self._take_messages()
            elif self._monitor in ready:
                self._take_events()
