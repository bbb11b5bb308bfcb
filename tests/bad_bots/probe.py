"""Attacks on libzmq itself, for bots in sandboxes: `probe.py MODE`, on seat 0 at the third ask.

Outside of a sandbox they would hit the worker; here they hit a relay of the bot's own. Each is
bounded in time, and in what it sends.
"""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bad_bots.client import COMMAND, GREETING, MORE, READY, Ask, Wire, Zoo

SECONDS = 20
MEGABYTES, CHILDREN, CONNECTIONS = 400, 4, 180


class AnyWire(Wire):
    """ZMTP byte by byte, over TCP too."""

    def __init__(self) -> None:
        endpoint = os.environ["REFEREE_ENDPOINT"]
        if endpoint.startswith("ipc://"):
            super().__init__(endpoint)
            return
        host, port = endpoint.removeprefix("tcp://").split(":")
        self.socket = socket.create_connection((host, int(port)))
        self.socket.sendall(GREETING)
        self._exactly(64)
        self.frame(READY, COMMAND)


def endless_parts(bot: Zoo) -> None:
    """Part after part of one message that never ends."""
    wire = bot.link
    assert isinstance(wire, AnyWire)
    for _ in range(MEGABYTES):
        wire.frame(bytes(1 << 20 >> 1), MORE)
        wire.frame(bytes(1 << 20 >> 1), MORE)


def connections(bot: Zoo) -> None:
    """Connections, more than a process may have, by several."""
    for _ in range(CHILDREN):
        if os.fork() == 0:
            signal.alarm(SECONDS)
            held = []
            for _ in range(CONNECTIONS):
                try:
                    held.append(AnyWire())
                except OSError:
                    break
            time.sleep(SECONDS)
            os._exit(0)
    time.sleep(SECONDS)


MODES = {"endless_parts": endless_parts, "connections": connections}


def misbehave(bot: Zoo, ask: Ask) -> bool:
    """At the third ask on seat 0."""
    if bot.seat != 0 or bot.asks != 3:
        return False
    MODES[sys.argv[1]](bot)
    return True


def main() -> None:
    """Say hello, and play as the mode wants."""
    signal.alarm(SECONDS)
    bot = Zoo(AnyWire(), misbehave)
    hello = {"type": "hello", "protocol": [1], "token": os.environ["REFEREE_TOKEN"], "name": "p"}
    bot.link.send(json.dumps(hello).encode())
    bot.run()


if __name__ == "__main__":
    main()
