"""Every message between referee and bot, version 1. PROTOCOL.md explains them; this is the code.

A message is one JSON object; `type` says which. Bots ignore fields and referee messages that they
do not know. Within a version fields and messages are only ever added.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

PROTOCOL_VERSION = 1

ENDPOINT_VARIABLE = "REFEREE_ENDPOINT"
TOKEN_VARIABLE = "REFEREE_TOKEN"
VERSION_VARIABLE = "REFEREE_PROTOCOL"

STDIO = "stdio"
"""The endpoint of a bot that reads and writes lines on its standard input and output."""

Id = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Name = Annotated[str, Meta(max_length=200)]
Play = tuple[int, str]
"""`[seat, action]`."""


class Message(Struct, frozen=True, tag_field="type", kw_only=True):
    """What every message has: its `type`."""


# ---- from the bot ----------------------------------------------------------------------------


class Hello(Message, tag="hello", frozen=True):
    """The bot is ready to play; the first thing it sends."""

    protocol: Annotated[list[int], Meta(min_length=1, max_length=32)]
    """Versions of this protocol that it speaks."""
    token: Name
    """The value of REFEREE_TOKEN."""
    name: Name = ""
    version: Name = ""
    games: Annotated[list[Name], Meta(max_length=64)] = []
    """Games that it knows; empty means all."""
    tables: Annotated[int, Meta(ge=1, le=4096)] = 1
    """Tables that it can play at the same time."""
    batch: bool = False
    """Whether it takes and sends several messages as one `batch`."""


class Act(Message, tag="act", frozen=True, omit_defaults=True):
    """The answer to one ask."""

    id: Id
    action: Annotated[str, Meta(max_length=64)]
    note: Annotated[str, Meta(max_length=2000)] | dict[str, Any] | None = None
    """Kept in the log for the bot's author, sent to nobody."""


class Ping(Message, tag="ping", frozen=True):
    """Are you there? Either side may ask."""

    id: Id


class Pong(Message, tag="pong", frozen=True):
    """Yes; `id` is the ping's."""

    id: Id


# ---- what a seat sees ------------------------------------------------------------------------


class LastDeal(Struct, frozen=True, kw_only=True):
    """How the deal before this one ended; only in games of several deals."""

    points: list[int]
    """Points of that deal, by side."""
    declarer: int | None
    contract: int | str | None


class View(Struct, frozen=True, tag_field="game", kw_only=True):
    """All that one seat may know of a deal: enough for a bot without memory.

    Seats count from 0 clockwise, sides from 0. Lists that hold cards are in pack order unless
    they say otherwise.
    """

    seat: int
    """Whose view this is."""
    deal: int
    """Which deal of the table this is, from 0."""
    dealer: int
    redeals: list[int]
    """Seats that demanded a redeal of this deal, in order."""
    phase: str
    score: list[int]
    """Totals by side before this deal; all 0 in rated deals."""
    hand: list[str]
    counts: list[int]
    """Cards in hand, by seat."""
    leader: int | None
    """Who led, or leads, the current trick; null before the play of cards."""
    trick: list[Play]
    """Cards of the current trick in playing order."""
    history: list[Play]
    """Everything since the cards were dealt, with what this seat may not know as `?`."""
    trump: str | None
    tricks: list[int]
    """Tricks won, by seat."""
    last: LastDeal | None


class HuutopussiView(View, tag="huutopussi", frozen=True, kw_only=True):
    """A seat's view of Huutopussi."""

    bids: list[tuple[int, int]]
    """`[seat, bid]` of the auction, without the passes."""
    declarer: int | None
    bid: int | None
    """The bid that won the auction."""
    contract: int | None
    """The bid after the declarer's raise."""
    talon: list[str]
    """The talon once it has been shown to this seat, as it lay."""
    chosen: list[str]
    """Cards that this seat has chosen so far in a give or discard that is not finished."""
    given: list[str]
    """Cards that this seat gave its partner."""
    received: list[str]
    """Cards that this seat got from its partner."""
    discarded: list[str]
    """Cards that this seat laid away."""
    declared: list[tuple[int, str]]
    """`[seat, suit]` of every trump made; the last one is trump."""
    asked: list[tuple[int, str, str]]
    """`[seat, question, answer]`, such as `[1, "half:D", "no"]`; the answer is "" while open."""


class MarjapussiView(View, tag="marjapussi", frozen=True, kw_only=True):
    """A seat's view of Marjapussi."""

    declared: list[tuple[int, str]]
    """`[seat, suit]` of every marriage made; the first one is trump."""
    asked: list[tuple[int, str, str]]
    """`[seat, question, answer]`, such as `[1, "half:D", "no"]`; the answer is "" while open."""
    stock: int
    """Cards that are still to be drawn; 0 where all are dealt."""
    drawn: list[str]
    """Cards that this seat has drawn from the stock, in order."""


class BondtolvaView(View, tag="bondtolva", frozen=True, kw_only=True):
    """A seat's view of Bondtolva."""

    declared: list[tuple[int, str]]
    """`[seat, suit]` of every marriage made; the first one is trump."""
    stock: int
    """Cards that are still to be drawn."""
    drawn: list[str]
    """Cards that this seat has drawn from the stock, in order."""


class TuppiView(View, tag="tuppi", frozen=True, kw_only=True):
    """A seat's view of Tuppi."""

    bids: list[Play]
    """`[seat, bid]` of every bid that this seat knows, its own sealed one too."""
    declarer: int | None
    """Whose rami stands."""
    contract: str | None
    """`rami`, `nolo` or `sooli` once it is settled."""
    soloist: int | None
    """Who plays sooli."""
    given: list[str]
    """The card that this seat gave its partner."""
    received: list[str]
    """The card that this seat got from its partner."""
    discarded: list[str]
    """The card that this seat laid away."""


class MinnesotaView(View, tag="minnesota", frozen=True, kw_only=True):
    """A seat's view of Minnesota Whist."""

    bids: list[Play]
    """`[seat, bid]` of every bid that this seat knows, its own sealed one too."""
    declarer: int | None
    """Whose high bid stands."""
    contract: str | None
    """`high` or `low` once it is settled."""


AnyView = HuutopussiView | MarjapussiView | BondtolvaView | TuppiView | MinnesotaView
"""The views of all games; decoded by their `game`."""


# ---- from the referee ------------------------------------------------------------------------


class Limits(Struct, frozen=True, kw_only=True):
    """What a bot must stay within."""

    message_bytes: int
    """Longest message from the bot."""
    unexpected_messages: int
    """So many unexpected messages in one turn are a flood."""
    soft_faults: int
    """So many soft faults at one table forfeit it."""


class Time(Struct, frozen=True, kw_only=True):
    """The clock of a table, in milliseconds. A decision may take `decision_ms` plus the bank."""

    decision_ms: int
    bank_ms: int
    increment_ms: int
    """Added to the bank after each decision."""


class Welcome(Message, tag="welcome", frozen=True):
    """The answer to `hello`; it may come twice."""

    protocol: int
    referee: str
    entrant: str
    seat: int | None
    """The seat of all its tables; null where one process plays all seats of its entrant."""
    tables: int
    """Tables that will be in play at once, at most."""
    batch: bool
    """Whether `batch` messages will be sent, and may be."""
    limits: Limits


class Start(Message, tag="start", frozen=True):
    """A table begins. Owes no answer."""

    table: Id
    game: str
    rules: dict[str, Any]
    """Every option, resolved."""
    ruleset: str
    seat: int
    sides: list[int]
    """The side of each seat."""
    unit: str
    """`deal` or `game`."""
    time: Time
    seed: int
    """For the bot's own randomness: the same whenever this table is played again."""


class Ask(Message, tag="ask", frozen=True):
    """One decision is wanted."""

    table: Id
    id: Id
    view: AnyView
    legal: list[str]
    """Every legal action, in the order of the game's alphabet; never empty."""
    time_ms: int
    bank_ms: int


class SealedAsk(Message, tag="ask", frozen=True, dict=True):
    """An Ask whose view is decoded when it is first looked at: what the Python client receives.

    Decoding the view is most of what an ask costs a bot that answers at once.
    """

    table: Id
    id: Id
    sealed: msgspec.Raw = msgspec.field(name="view")
    legal: list[str]
    time_ms: int
    bank_ms: int

    @cached_property
    def view(self) -> AnyView:
        """Raises msgspec.ValidationError where it is not a view of this version."""
        return _decode_view(self.sealed)


class EncodedAsk(Message, tag="ask", frozen=True):
    """An Ask whose view is JSON already."""

    table: int
    id: int
    view: msgspec.Raw
    legal: list[str]
    time_ms: int
    bank_ms: int


class Fault(Message, tag="fault", frozen=True):
    """The bot did something wrong; the referee tells it what, and what was played instead."""

    table: Id | None
    id: Id | None
    kind: str
    message: str
    played: str | None
    """The action that the referee played for the seat; null when nothing was."""


class End(Message, tag="end", frozen=True):
    """A deal is over."""

    table: Id
    deal: int
    points: list[int]
    """Points of the deal, by side."""
    score: list[int]
    """Totals by side."""
    over: bool
    """Whether the table is over too."""


class Bye(Message, tag="bye", frozen=True):
    """The bot is done: exit now."""

    reason: str


class BotBatch(Message, tag="batch", frozen=True):
    """Several messages of a bot as one, in any order; only where both sides said `batch`."""

    messages: Annotated[Sequence[Act | Ping | Pong], Meta(min_length=1, max_length=4096)]


class RefereeBatch(Message, tag="batch", frozen=True):
    """Several messages of the referee as one, to be taken in their order."""

    messages: Sequence[Start | Ask | Fault | End | Ping | Pong]


class SealedBatch(Message, tag="batch", frozen=True):
    """A RefereeBatch as the Python client receives it."""

    messages: Sequence[Start | SealedAsk | Fault | End | Ping | Pong]


FromBot = Hello | Act | BotBatch | Ping | Pong
ToBot = Welcome | Start | EncodedAsk | Fault | End | Bye | Ping | Pong
"""What the referee encodes."""

FromReferee = Welcome | Start | Ask | Fault | End | Bye | Ping | Pong | RefereeBatch
Sealed = Welcome | Start | SealedAsk | Fault | End | Bye | Ping | Pong | SealedBatch
"""The same with views still encoded."""

_encoder = msgspec.json.Encoder()
encode = _encoder.encode
"""A message as bytes: UTF-8 JSON without spaces, fields in the order above."""


def ask_head(table: int) -> str:
    """The beginning of an ask's text, the same for all asks at a table."""
    return f'{{"type":"ask","table":{table},"id":'


def ask_tail(time_ms: int, bank_ms: int) -> str:
    """The end of an ask's text."""
    return f'"],"time_ms":{time_ms},"bank_ms":{bank_ms}}}'


def ask_text(head: str, number: int, view: str, legal: Sequence[str], tail: str) -> str:
    """`encode(EncodedAsk(...))` as text, faster: for actions, which need no escapes in JSON."""
    actions = '","'.join(legal)
    return f'{head}{number},"view":{view},"legal":["{actions}{tail}'


def batch_of(messages: Sequence[str]) -> str:
    """A RefereeBatch of messages that are JSON already."""
    return f'{{"type":"batch","messages":[{",".join(messages)}]}}'


decode_from_bot = msgspec.json.Decoder(FromBot).decode
"""Raises msgspec.DecodeError (ValidationError too) or RecursionError on anything else."""

decode_from_referee = msgspec.json.Decoder(FromReferee).decode

decode_sealed = msgspec.json.Decoder(Sealed).decode
_decode_view = msgspec.json.Decoder(AnyView).decode
