"""The Python client: connects, keeps the protocol, and calls your `decide` for every ask.

    from protocol.bot import Bot

    class Mine(Bot):
        def decide(self, ask):
            return ask.legal[0]

    if __name__ == "__main__":
        Mine("mine").run()
"""

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import zmq

from protocol.messages import (
    ENDPOINT_VARIABLE,
    PROTOCOL_VERSION,
    STDIO,
    TOKEN_VARIABLE,
    Act,
    Ask,
    BotBatch,
    Bye,
    End,
    Fault,
    Hello,
    Ping,
    Pong,
    Sealed,
    SealedAsk,
    SealedBatch,
    Start,
    Welcome,
    decode_sealed,
    encode,
)

Send = Callable[[bytes], object]

WELCOME_SECONDS = 10.0
"""How long to wait for the referee's answer to hello."""


class _Parts(msgspec.Struct, tag_field="type", tag="batch"):
    """A batch whose messages are not looked into yet."""

    messages: list[msgspec.Raw]


_decode_parts = msgspec.json.Decoder(_Parts).decode


class Bot:
    """A bot. Override `decide`; override `started`, `ended` and `faulted` where it helps."""

    def __init__(
        self,
        name: str,
        *,
        version: str = "1",
        games: Sequence[str] = (),
        tables: int = 1,
        batch: bool = False,
    ) -> None:
        self.hello = Hello(
            protocol=[PROTOCOL_VERSION],
            token=os.environ.get(TOKEN_VARIABLE, ""),
            name=name,
            version=version,
            games=list(games),
            tables=tables,
            batch=batch,
        )
        self.welcome: Welcome | None = None
        self.starts: dict[int, Start] = {}
        """The start of every table in play, by its number."""

    def decide(self, ask: Ask) -> str | Act:
        """The action to play: one of `ask.legal` (or an Act, to add a note)."""
        raise NotImplementedError

    def started(self, start: Start) -> None:
        """A table begins."""

    def ended(self, end: End) -> None:
        """A deal has ended; with `end.over` its table too."""

    def faulted(self, fault: Fault) -> None:
        """The referee found fault with this bot; by default its words go to stderr."""
        print(f"{fault.kind}: {fault.message}", file=sys.stderr)

    def random(self, ask: Ask) -> random.Random:
        """Randomness for one decision: the same whenever this table is played again."""
        view = ask.view
        seed = self.starts[ask.table].seed
        return random.Random(f"{seed} {view.deal} {len(view.redeals)} {len(view.history)}")

    def run(self) -> None:
        """Connect to REFEREE_ENDPOINT and play until the referee says bye or goes away."""
        endpoint = os.environ.get(ENDPOINT_VARIABLE)
        if not endpoint:
            sys.exit(f"{ENDPOINT_VARIABLE} is not set: this bot is started by a referee")
        if endpoint == STDIO:
            self._run_on_lines()
            return
        threading.Thread(target=_leave_with_referee, daemon=True).start()
        context = zmq.Context()
        socket = context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 200)
        socket.setsockopt(zmq.MAXMSGSIZE, 1 << 24)
        socket.connect(endpoint)
        try:
            socket.send(encode(self.hello))
            if not socket.poll(int(WELCOME_SECONDS * 1000)):
                sys.exit("the referee did not answer hello")
            while self._take(socket.send, socket.recv()):
                pass
        finally:
            socket.close()
            context.term()

    def _run_on_lines(self) -> None:
        """The same over standard input and output, one message a line.

        What the bot prints goes to standard error from now on: standard output is for messages.
        """
        out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)

        def send(data: bytes) -> None:
            out.write(data + b"\n")
            out.flush()

        send(encode(self.hello))
        for line in sys.stdin.buffer:
            if line.strip() and not self._take(send, line):
                return

    def _take(self, send: Send, data: bytes) -> bool:
        """Act on one message; False when it was the last."""
        try:
            message = decode_sealed(data)
        except msgspec.ValidationError as error:
            return self._take_apart(send, data, error)
        if type(message) is SealedAsk:
            send(encode(self._answer(message)))
        elif isinstance(message, SealedBatch):
            replies = [
                reply
                for one in message.messages
                if (reply := self._answer(one) if type(one) is SealedAsk else self._reply(one))
            ]
            if len(replies) > 1:
                send(encode(BotBatch(messages=replies)))
            elif replies:
                send(encode(replies[0]))
        elif isinstance(message, Bye):
            return False
        elif reply := self._reply(message):
            send(encode(reply))
        return True

    def _take_apart(self, send: Send, data: bytes, error: msgspec.ValidationError) -> bool:
        """Act on what is known in a batch; pass over a message of a later version, aloud."""
        try:
            parts = _decode_parts(data).messages
        except msgspec.ValidationError:
            parts = []
        if not parts:
            print(f"passed over a message: {error}", file=sys.stderr)
        more = True
        for part in parts:
            more = self._take(send, bytes(part)) and more
        return more

    def _reply(self, message: Sealed) -> Act | Pong | None:
        """What a message is answered with, if with anything."""
        if isinstance(message, SealedAsk):
            return self._answer(message)
        if isinstance(message, Ping):
            return Pong(id=message.id)
        if isinstance(message, Start):
            self.starts[message.table] = message
            self.started(message)
        elif isinstance(message, End):
            self.ended(message)
            if message.over:
                self.starts.pop(message.table, None)
        elif isinstance(message, Welcome):
            self.welcome = message
        elif isinstance(message, Fault):
            self.faulted(message)
        return None

    def _answer(self, ask: Any) -> Act:
        # A SealedAsk is an Ask to whoever reads it; no type can say so.
        decision = self.decide(ask)
        return decision if isinstance(decision, Act) else Act(id=ask.id, action=decision)


def _leave_with_referee() -> None:
    """End the process when stdin does: the referee holds it open for as long as it lives."""
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        return
    # After `bye` the referee closes stdin at once; let the main thread finish by itself.
    time.sleep(1.0)
    os._exit(0)
