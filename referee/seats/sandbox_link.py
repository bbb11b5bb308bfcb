"""The worker's end of a relay: a ZeroMQ bot in a sandbox, whose messages arrive as lines."""

from referee.seats.sandbox_relay import EXCERPT_BYTES, MARK
from referee.seats.stdio import StdioLink
from referee.seats.zeromq import Received


class RelayLink(StdioLink):
    """Pipes to the relay that a bot in a sandbox is connected to."""

    endpoint = ""
    """Known inside the sandbox alone."""

    def receive(self, most: int) -> list[Received]:
        """Take up to `most` messages of the bot, as they came off its connection."""
        return [_unwrapped(received) for received in super().receive(most)]


def _unwrapped(received: Received) -> Received:
    """A message from its line.

    >>> _unwrapped(Received(b"\\x013 first frame", 1))
    Received(data=b'first frame', frames=3)
    """
    data = received.data
    if not data.startswith(MARK) or len(data) > 2 * EXCERPT_BYTES:
        return received
    number, _, first = data[len(MARK) :].partition(b" ")
    if not number.isdigit():  # not from our relay: the bot has taken its place
        return received
    return Received(first, int(number[:9]))
