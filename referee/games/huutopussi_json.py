"""A seat's view of Huutopussi as JSON: the same text as the encoded struct, much faster.

A view is written for every decision, so this is the referee's hottest path. Most of a view stays as
it is: what stays is written once for each seat and deal, the history grows by what is new, and the
rest is put together from texts made in advance.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from protocol.messages import LastDeal, encode
from referee.cards import SUITS, Pack, runs_of
from referee.games.game import Tally
from referee.games.tricktaking import ANSWER, PLAY, marriage_pack
from referee.tricks import Trick

Events = tuple[tuple[str, ...], ...]
"""For each seat, for each action, `,[seat,"action"]`."""


class Stories(NamedTuple):
    """Every event of a game as it stands in a history, behind a comma."""

    to: tuple[Events, ...]
    """As each seat is told; empty where it is told nothing."""
    public: Events
    """As all are told who did not act."""


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

    own, others = events(actions.__getitem__), events(told)
    to = tuple(
        tuple((own if who == seat else others)[who] for who in range(seats))
        for seat in range(seats)
    )
    return Stories(to, others)


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


@cache
def _moment(seats: int, cards: int, leader: int, played: int) -> str:
    """What stands between a hand and the cards of a trick: the fields `counts` and `leader`.

    `cards` are held by those who have not played to it; `played` from the leader on have.
    """
    counts = tuple(cards - ((seat - leader) % seats < played) for seat in range(seats))
    return f'],"counts":{numbers(counts)},"leader":{leader},"trick":['


def quoted(texts: Sequence[str]) -> str:
    """A list of short texts, such as cards."""
    return '["' + '","'.join(texts) + '"]' if texts else "[]"


_PACK = marriage_pack(36)
_HANDS = Hands(_PACK)
_BEHIND_COMMA = {1 << card: f',"{name}"' for card, name in enumerate(_PACK.names)}
"""Each card as it stands in a hand."""
_EVENT = len(',[0,"TH"]')
"""How long a card played is as it stands in a history."""
_TRUMPS = {-1: "null"} | {number: f'"{suit}"' for number, suit in enumerate(SUITS)}

_NOTHING_AGREED = ',"declarer":null,"bid":null,"contract":null,"talon":[],"chosen":'
_NOTHING_GIVEN = ',"given":[],"received":[],"discarded":[]'


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

    __slots__ = (
        "before", "cards", "hand", "head", "history", "phase", "score", "seen", "start", "tail",
    )  # fmt: skip

    def __init__(self, seat: int, tally: Tally, redeals: Sequence[int]) -> None:
        """What is known when the cards are dealt."""
        self.start = (
            f'{{"game":"huutopussi","seat":{seat},"deal":{tally.deals},"dealer":{tally.dealer},'
            f'"redeals":{encode(redeals).decode()},"phase":"'
        )
        self.score = f'","score":{encode(tally.score).decode()}'
        self.history = ""
        """What has been told of the deal's history, up to where it is the same for all."""
        self.seen = 0
        """So many events of the deal's own history are in that."""
        self.hand = 0
        self.cards = ""
        """The cards of that hand, each behind a comma."""
        self.phase = -1
        """The phase that the rest is written for; -1 where that may change within the phase."""
        self.head = ""
        """Everything before the cards of the hand."""
        self.before = ""
        """Everything from the last deal to what is chosen."""
        self.tail = ""
        """Everything from there to the declarations. Once cards are played nothing is chosen, and
        this has all from the last deal on."""


class Writer:
    """What is written of one deal's views."""

    __slots__ = (
        "_auction", "_events", "_pages", "_public", "_stories", "_tricks", "_tricks_from", "_won",
    )  # fmt: skip

    def __init__(self, deal: Told) -> None:
        self._pages = [Page(seat, deal.tally, deal.redeals) for seat in range(len(deal.hands))]
        self._stories = deal.game.stories
        self._auction = ""
        """The fields of the auction, once it is over."""
        self._tricks_from: int | None = None
        """Where the part of the history begins that is written once for all: with the trick in
        which cards were first looked at while they were played. None until then."""
        self._public = ""
        """That part, behind a comma."""
        self._events = 0
        """So many events of the deal's history are before the end of that."""
        self._won: list[int] = []
        """Tricks won by seat when last looked at."""
        self._tricks = ""
        """Those as JSON."""

    def view(self, deal: Told, seat: int) -> str:
        """`encode(deal.view(seat))` as text."""
        page = self._pages[seat]
        hands = deal.hands
        plays = deal.trick.plays
        if self._events != len(deal.history):
            self._tell_all(deal)
        if deal.phase != page.phase:
            self._settle(deal, page, seat)
        if deal.phase == PLAY:
            leader: Any = plays[0][0] if plays else deal.to_act
            held = hands[leader].bit_count() + (1 if plays else 0)
            moment = _moment(len(hands), held, leader, len(plays))
            tail = page.tail
        else:
            self._tell(page, deal, seat)
            counts = numbers(tuple(map(int.bit_count, hands)))
            asker = deal.asked[-1][0] if deal.phase == ANSWER else "null"
            moment = f'],"counts":{counts},"leader":{asker},"trick":['
            chosen = deal.chosen if seat == deal.to_act else 0
            tail = f"{page.before}{_HANDS.text(chosen)}{page.tail}"
        # The end of the history: nothing else happens while a trick is played.
        trick = (self._public or page.history)[1 - _EVENT * len(plays) :] if plays else ""
        if deal.tricks != self._won:
            self._won = deal.tricks.copy()
            self._tricks = numbers(tuple(self._won))
        hand = hands[seat]
        if hand != page.hand:
            # Mostly one card less than in the view before.
            played = None if hand & ~page.hand else _BEHIND_COMMA.get(page.hand ^ hand)
            page.cards = page.cards.replace(played, "") if played else _HANDS.cards(hand)
            page.hand = hand
        return (
            f'{page.head}{page.cards[1:]}{moment}{trick}'
            f'],"history":[{page.history}{self._public}],"trump":{_TRUMPS[deal.trump]},'
            f'"tricks":{self._tricks}{tail}'
            f'{_marriages(deal) if deal.declared or deal.asked else _NO_MARRIAGES}'
        )

    def _settle(self, deal: Told, page: Page, seat: int) -> None:
        """Write what stays as it is for a seat as long as the phase does; the auction changes."""
        playing = deal.phase == PLAY
        page.head = f'{page.start}{deal.phase_for(seat)}{page.score},"hand":['
        page.before, page.tail = self._agreed(deal, seat)
        if playing:
            page.tail = f"{page.before}[]{page.tail}"
            self._tell(page, deal, seat)
        page.phase = deal.phase if playing or deal.declarer is not None else -1

    def _tell_all(self, deal: Told) -> None:
        """Tell all seats what has happened since: in the tricks nothing is hidden."""
        history = deal.history
        if self._tricks_from is None:
            if deal.phase != PLAY:
                return
            self._tricks_from = self._events = len(history) - len(deal.trick.plays)
        public = self._stories.public
        for who, act in history[self._events :]:
            self._public += public[who][act]
        self._events = len(history)

    def _tell(self, page: Page, deal: Told, seat: int) -> None:
        """Tell a seat what has happened since, up to the tricks, as far as it may know it."""
        told = self._stories.to[seat]
        fresh = deal.history[page.seen : self._tricks_from]
        text = "".join([told[who][act] for who, act in fresh])
        page.history += text if page.history else text[1:]
        page.seen += len(fresh)

    def _agreed(self, deal: Told, seat: int) -> tuple[str, str]:
        """The fields from `last` to `discarded`, auction and exchange, around what is chosen."""
        declarer = deal.declarer
        if declarer is None:
            return _auction(deal) + _NOTHING_AGREED, _NOTHING_GIVEN
        if not self._auction:
            bid = deal.game.bids[deal.high]
            self._auction = f'{_auction(deal)},"declarer":{declarer},"bid":{bid},"contract":'
        given, received = deal.exchanged(seat)
        shown = deal.talon and (seat == declarer or deal.game.rules.talon_public)
        return (
            f'{self._auction}{"null" if deal.contract is None else deal.contract},'
            f'"talon":{quoted([_PACK.names[card] for card in deal.talon]) if shown else "[]"},'
            '"chosen":',
            f',"given":{quoted(given)},"received":{quoted(received)},'
            f'"discarded":{_HANDS.text(deal.discards if seat == declarer else 0)}',
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
