"""A seat's view of Huutopussi as JSON, the same bytes as the encoded struct, in half the time.

While cards are played most of a view stays as it is. What stays is written once for each seat and
deal; the rest is put together from texts made in advance. A view is written for every decision,
so this is the referee's hottest path.
"""

from functools import cache

from protocol.messages import HuutopussiView, encode

Events = tuple[tuple[str, ...], ...]
"""For each seat, for each action, `,[seat,"action"]`."""


@cache
def events_of(actions: tuple[str, ...], seats: int) -> Events:
    """Every event of a game as it stands in a history, behind a comma."""
    return tuple(tuple(f',[{seat},"{action}"]' for action in actions) for seat in range(seats))


@cache
def numbers(values: tuple[int, ...]) -> str:
    """A list of small numbers, such as cards held or tricks won by seat."""
    return "[" + ",".join(map(str, values)) + "]"


class Lasting:
    """What stays of one seat's view while cards are played, and its history so far."""

    __slots__ = ("head", "history", "seen", "tail")

    def __init__(self, view: HuutopussiView, events: int) -> None:
        """`events` is the length of the deal's own history at this view."""
        before = ("seat", "deal", "dealer", "redeals", "phase", "score")
        after = (
            "last", "bids", "declarer", "bid", "contract", "talon", "chosen", "given", "received",
            "discarded",
        )  # fmt: skip
        self.head = '{"game":"huutopussi"' + _written(view, before)
        self.tail = _written(view, after)
        self.history = encode(view.history).decode()[1:-1]
        self.seen = events


def _written(view: HuutopussiView, names: tuple[str, ...]) -> str:
    """Some fields of a view as they stand in JSON, each behind a comma."""
    return "".join([f',"{name}":{encode(getattr(view, name)).decode()}' for name in names])
