"""A seat's view of Huutopussi as JSON: the same text as the encoded struct, much faster.

A view is written for every decision, so this is the referee's hottest path. Most of a view stays as
it is: what stays is written once for each seat and deal, the history grows by what is new, and the
rest is put together from texts made in advance.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, Protocol

from protocol.messages import LastDeal, encode
from referee.cards import SUITS, Pack, runs_of
from referee.games.game import Tally
from referee.games.tricktaking import ANSWER, PLAY, marriage_pack
from referee.tricks import Trick

Events = tuple[tuple[str, ...], ...]
"""For each seat, for each action, `,[seat,"action"]`."""


class Stories(NamedTuple):
    """Every event of a game as it stands in a history, behind a comma."""

    own: Events
    """As the seat that acts is told."""
    others: Events
    """As the others are told; empty where they are told nothing."""


def stories_of(
    actions: Sequence[str], seats: int, told: Callable[[int], str | None]
) -> Stories:
    """`told` is how an action is told to those who did not make it."""

    def events(text: Callable[[int], str | None]) -> Events:
        return tuple(
            tuple(
                "" if (words := text(action)) is None else f',[{seat},"{words}"]'
                for action in range(len(actions))
            )
            for seat in range(seats)
        )

    return Stories(events(actions.__getitem__), events(told))


class Hands:
    """Hands of a pack as lists of JSON."""

    def __init__(self, pack: Pack) -> None:
        self._width = pack.width
        self._suits = tuple(
            tuple("".join([f',"{pack.names[card]}"' for card in cards]) for cards in run)
            for run in runs_of(pack.width, 0)
        )
        """For each suit, for each subset of it, its cards, each behind a comma."""

    def cards(self, hand: int) -> str:
        """The cards of a mask in pack order, each behind a comma."""
        width = self._width
        one = (1 << width) - 1
        spades, hearts, diamonds, clubs = self._suits
        return (
            spades[hand & one]
            + hearts[hand >> width & one]
            + diamonds[hand >> 2 * width & one]
            + clubs[hand >> 3 * width]
        )

    def text(self, hand: int) -> str:
        """The cards of a mask in pack order."""
        return f"[{self.cards(hand)[1:]}]" if hand else "[]"


@cache
def numbers(values: tuple[int, ...]) -> str:
    """A list of small numbers, such as cards held or tricks won by seat."""
    return "[" + ",".join(map(str, values)) + "]"


def quoted(texts: Sequence[str]) -> str:
    """A list of short texts, such as cards."""
    return '["' + '","'.join(texts) + '"]' if texts else "[]"


_PACK = marriage_pack(36)
_HANDS = Hands(_PACK)
_BEHIND_COMMA = {1 << card: f',"{name}"' for card, name in enumerate(_PACK.names)}
"""Each card as it stands in a hand."""
_LEADERS: dict[int | None, str] = {None: "null", 0: "0", 1: "1", 2: "2", 3: "3"}
_EVENT = len(',[0,"TH"]')
"""How long a card played is as it stands in a history."""
_TRUMPS = (*(f'"{suit}"' for suit in SUITS), "null")
"""By suit; the last one is for no trump, which is suit -1."""

_NOTHING_AGREED = (
    ',"declarer":null,"bid":null,"contract":null,"talon":[],"chosen":[],"given":[],"received":[],'
    '"discarded":[]'
)


class _Rules(Protocol):
    @property
    def talon_public(self) -> bool: ...


class _Game(Protocol):
    bid: int
    declare: int
    bids: tuple[int, ...]

    @property
    def rules(self) -> _Rules: ...

    @property
    def stories(self) -> Stories: ...


class Told(Protocol):
    """What is read of a deal of Huutopussi."""

    to_act: int | None
    phase: int
    hands: list[int]
    history: list[tuple[int, int]]
    trick: Trick
    trump: int
    tricks: list[int]
    talon: tuple[int, ...]
    high: int
    declarer: int | None
    contract: int | None
    chosen: int
    discards: int
    declared: list[tuple[int, int]]
    asked: list[tuple[int, int]]
    tally: Tally
    redeals: tuple[int, ...]
    last: LastDeal | None

    @property
    def game(self) -> _Game: ...

    def phase_for(self, seat: int) -> str: ...

    def exchanged(self, seat: int) -> tuple[list[str], list[str]]: ...

    def asked_suits(self) -> list[tuple[int, str, str]]: ...


class Page:
    """One seat's view of a deal as far as it is written."""

    __slots__ = ("cards", "hand", "head", "history", "score", "seen", "start", "tail")

    def __init__(self, seat: int, tally: Tally, redeals: Sequence[int]) -> None:
        """What is known when the cards are dealt."""
        self.start = (
            f'{{"game":"huutopussi","seat":{seat},"deal":{tally.deals},"dealer":{tally.dealer},'
            f'"redeals":{encode(redeals).decode()},"phase":"'
        )
        self.score = f'","score":{encode(tally.score).decode()}'
        self.history = ""
        """What has been told of the deal's history before the tricks, behind a comma."""
        self.seen = 0
        """So many events of the deal's own history are in that."""
        self.hand = 0
        self.cards = ""
        """The cards of that hand, each behind a comma."""
        self.head = ""
        """Everything before the cards of the hand, once cards are played."""
        self.tail = ""
        """Everything from the last deal to the declarations, once cards are played."""


class Writer:
    """What is written of one deal's views."""

    __slots__ = ("_auction", "_events", "_pages", "_public", "_stories", "_tricks_from")

    def __init__(self, deal: Told) -> None:
        self._pages = [Page(seat, deal.tally, deal.redeals) for seat in range(len(deal.hands))]
        self._stories = deal.game.stories
        self._auction = ""
        """The fields of the auction, once it is over."""
        self._tricks_from: int | None = None
        """Where the part of the history begins that is the same for all; None before the tricks."""
        self._public = ""
        """That part, behind a comma."""
        self._events = 0
        """So many events of the deal's history are before the end of that."""

    def view(self, deal: Told, seat: int) -> str:
        """`encode(deal.view(seat))` as text."""
        page = self._pages[seat]
        if deal.phase == PLAY:
            if not page.head:
                self._settle(deal, page, seat)
            head, tail = page.head, page.tail
            leader = _LEADERS[deal.to_act]
        else:
            self._tell(page, deal, seat, self._tricks_from)
            head = f'{page.start}{deal.phase_for(seat)}{page.score},"hand":['
            tail = self._agreed(deal, seat)
            leader = _LEADERS[deal.asked[-1][0] if deal.phase == ANSWER else None]
        if self._events != len(deal.history) and self._tricks_from is not None:
            self._tell_all(deal.history)
        history = page.history + self._public
        trick = ""
        plays = deal.trick.plays
        if plays:
            # The end of the history: nothing else happens while a trick is played.
            trick = history[1 - _EVENT * len(plays) :]
            if deal.phase == PLAY:
                leader = _LEADERS[plays[0][0]]
        hand = deal.hands[seat]
        if hand != page.hand:
            # Mostly one card less than in the view before.
            played = None if hand & ~page.hand else _BEHIND_COMMA.get(page.hand ^ hand)
            page.cards = page.cards.replace(played, "") if played else _HANDS.cards(hand)
            page.hand = hand
        return (
            f'{head}{page.cards[1:]}],"counts":{numbers(tuple(map(int.bit_count, deal.hands)))},'
            f'"leader":{leader},"trick":[{trick}],'
            f'"history":[{history[1:]}],"trump":{_TRUMPS[deal.trump]},'
            f'"tricks":{numbers(tuple(deal.tricks))}{tail}'
            f'{_marriages(deal) if deal.declared or deal.asked else _NO_MARRIAGES}'
        )

    def _settle(self, deal: Told, page: Page, seat: int) -> None:
        """Write what stays as it is for a seat from now on: cards are played."""
        page.head = f'{page.start}play{page.score},"hand":['
        page.tail = self._agreed(deal, seat)
        if self._tricks_from is None:
            self._tricks_from = self._events = len(deal.history)
        self._tell(page, deal, seat, self._tricks_from)

    def _tell(self, page: Page, deal: Told, seat: int, end: int | None) -> None:
        """Tell a seat of the history up to an event, or to its end, as far as it may know it."""
        own, others = self._stories
        for who, act in deal.history[page.seen : end]:
            page.history += (own if who == seat else others)[who][act]
            page.seen += 1

    def _tell_all(self, history: list[tuple[int, int]]) -> None:
        """Tell all seats what has happened since: in the tricks nothing is hidden."""
        others = self._stories.others
        for who, act in history[self._events :]:
            self._public += others[who][act]
        self._events = len(history)

    def _agreed(self, deal: Told, seat: int) -> str:
        """The fields from `last` to `discarded`: auction and exchange."""
        declarer = deal.declarer
        if declarer is None:
            return _auction(deal) + _NOTHING_AGREED
        if not self._auction:
            bid = deal.game.bids[deal.high]
            self._auction = f'{_auction(deal)},"declarer":{declarer},"bid":{bid},"contract":'
        given, received = deal.exchanged(seat)
        shown = deal.talon and (seat == declarer or deal.game.rules.talon_public)
        return (
            f'{self._auction}{"null" if deal.contract is None else deal.contract},'
            f'"talon":{quoted([_PACK.names[card] for card in deal.talon]) if shown else "[]"},'
            f'"chosen":{_HANDS.text(deal.chosen if seat == deal.to_act else 0)},'
            f'"given":{quoted(given)},"received":{quoted(received)},'
            f'"discarded":{_HANDS.text(deal.discards if seat == declarer else 0)}'
        )


_NO_MARRIAGES = ',"declared":[],"asked":[]}'


def _marriages(deal: Told) -> str:
    """The end of a view: marriages made, and asks for them."""
    declared = ",".join([f'[{who},"{SUITS[suit]}"]' for who, suit in deal.declared])
    return f',"declared":[{declared}],"asked":{encode(deal.asked_suits()).decode()}}}'


def _auction(deal: Told) -> str:
    game = deal.game
    first, end = game.bid, game.declare
    bids = [f"[{who},{game.bids[act - first]}]" for who, act in deal.history if first <= act < end]
    last = "null" if deal.last is None else encode(deal.last).decode()
    return f',"last":{last},"bids":[{",".join(bids)}]'
