"""What the misbehaving bots stand on: three ways to talk, and a loop that answers `legal[0]`.

Standard library and pyzmq only, without the project's client: some of what is done here it would
not allow.
"""

import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any, Protocol

import zmq

Ask = dict[str, Any]

MORE, LONG, COMMAND = 1, 2, 4
"""Flags of a ZMTP frame."""

GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" * 32
READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"


class Link(Protocol):
    """How a bot talks."""

    def send(self, data: bytes) -> None:
        """Send one message."""

    def receive(self) -> bytes:
        """Wait for one."""

    def close(self) -> None:
        """Hang up."""


class Dealer:
    """The documented way: a DEALER of libzmq."""

    def __init__(self) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 500)
        self.socket.connect(os.environ["REFEREE_ENDPOINT"])

    def send(self, data: bytes) -> None:
        self.socket.send(data)

    def receive(self) -> bytes:
        return self.socket.recv()

    def close(self) -> None:
        self.socket.close(500)
        self.context.term()


class Lines:
    """Lines on standard input and output."""

    def send(self, data: bytes) -> None:
        self.write(data + b"\n")

    def write(self, data: bytes) -> None:
        """Write bytes as they are, all of them."""
        while data:
            data = data[os.write(1, data) :]

    def receive(self) -> bytes:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        return line

    def close(self) -> None:
        os.close(1)


class Wire:
    """ZMTP 3.0 byte by byte on a bare socket, so that every byte can be a wrong one."""

    def __init__(self, endpoint: str = "", *, greet: bool = True) -> None:
        address = endpoint or os.environ["REFEREE_ENDPOINT"]
        if address.startswith("tcp://"):
            host, port = address.removeprefix("tcp://").split(":")
            self.socket = socket.create_connection((host, int(port)))
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address.removeprefix("ipc://"))
        if greet:
            self.socket.sendall(GREETING)
            self._exactly(64)
            self.frame(READY, COMMAND)

    def frame(self, body: bytes, flags: int = 0) -> None:
        """Send one frame."""
        self.socket.sendall(framed(body, flags))

    def send(self, data: bytes) -> None:
        self.frame(data)

    def receive(self) -> bytes:
        while True:
            flags, body = self._next()
            if not flags & COMMAND:
                return body

    def skip(self) -> None:
        """Read one frame and forget it."""
        self._next()

    def _next(self) -> tuple[int, bytes]:
        flags = self._exactly(1)[0]
        size = int.from_bytes(self._exactly(8 if flags & LONG else 1), "big")
        return flags, self._exactly(size)

    def close(self) -> None:
        self.socket.close()

    def _exactly(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            chunk = self.socket.recv(size - len(found))
            if not chunk:
                sys.exit(0)
            found += chunk
        return found


def framed(body: bytes, flags: int = 0) -> bytes:
    """A ZMTP frame as bytes."""
    if len(body) < 256:
        return bytes((flags, len(body))) + body
    return bytes((flags | LONG,)) + len(body).to_bytes(8, "big") + body


class Zoo:
    """A bot that answers `legal[0]`, except where its mode wants otherwise."""

    def __init__(self, link: Link, misbehave: Callable[["Zoo", Ask], bool]) -> None:
        self.link = link
        self.misbehave = misbehave
        """Does what its mode does at an ask; False where it is to be answered as usual."""
        self.asks = 0
        self.seat = -1
        self.before_bye: Callable[[], object] = lambda: None
        self.at_end: Callable[[], object] = lambda: None

    def send(self, **message: object) -> None:
        """Send a message as JSON."""
        self.link.send(json.dumps(message).encode())

    def act(self, ask: Ask, action: object = None) -> None:
        """Answer an ask."""
        self.send(type="act", id=ask["id"], action=ask["legal"][0] if action is None else action)

    def run(self) -> None:
        """Play until bye."""
        while True:
            message = json.loads(self.link.receive())
            kind = message["type"]
            if kind == "bye":
                self.before_bye()
                return
            if kind == "ping":
                self.send(type="pong", id=message["id"])
            elif kind == "start":
                self.seat = message["seat"]
            elif kind == "end":
                self.at_end()
            elif kind == "ask":
                self.asks += 1
                if not self.misbehave(self, message):
                    self.act(message)
