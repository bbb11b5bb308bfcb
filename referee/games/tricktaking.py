"""What all the trick-taking games do alike: who deals, what a deal keeps, what a seat is shown.

Nothing here is a rule that differs between games; those stand in each game's own module.
"""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from protocol.messages import AnyView, LastDeal, Play, encode
from referee.cards import Pack, lister, runs_of
from referee.errors import ConfigError
from referee.games.game import Tally, Unit
from referee.tricks import Trick, TrickRules

PLAY, ANSWER, OVER = range(3)
"""Phases that several games have; each game's own are numbered from 3."""

FirstDealer = Literal["by_set"] | int


class CardActions:
    """The actions that play a card, or do something else with one, in their alphabet.

    `any_suit` lists those of any mask; `one_suit` has the lists of masks within one suit, since
    most duties leave no more than that.
    """

    __slots__ = ("any_suit", "one_suit")

    def __init__(self, pack: Pack, first: int) -> None:
        self.any_suit = lister(pack.width, first)
        self.one_suit = {
            subset << pack.width * suit: run[subset]
            for suit, run in enumerate(runs_of(pack.width, first))
            for subset in range(1, 1 << pack.width)
        }

    def of(self, mask: int) -> tuple[int, ...]:
        """The actions with the cards of a mask, rising."""
        found = self.one_suit.get(mask)
        if found is not None:
            return found
        listed = self.any_suit  # called as a method it would take twice as long
        return listed(mask)


card_actions = cache(CardActions)
"""The tables of a pack are large and shared by all its games."""


@cache
def marriage_pack(size: int) -> Pack:
    """The pack of the marriage games in its sizes: 24, 28, 32 or 36 cards, from the ace down."""
    return Pack("6789TJQKA"[-size // 4 :])


MATES = {"A": 1, "T": 1}
"""Aces and tens, counted."""
CLASSIC = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
SIMPLE = {"A": 10, "T": 10, "K": 5, "Q": 5, "J": 5}

def says(meaning: str) -> Meta:
    """What an option means, for people."""
    return Meta(description=meaning)


Cards = Sequence[int]
"""Cards in dealing order."""
Redeals = tuple[int, ...]
"""Seats that demanded new cards, in order."""
Last = LastDeal | None
"""How the deal before this one ended, where there was one."""

# Options that several games have; each game's own struct says with which default.
FirstLead = Annotated[
    Literal["any", "ace", "ace_then_spade"],
    says("what must be led to the first trick: anything, an ace if held, else a spade"),
]
MustHead = Annotated[bool, says("beat the cards of the led suit if you can")]
HeadLapses = Annotated[bool, says("no duty to head a trick that has been trumped")]
MustTrump = Annotated[bool, says("without the led suit a trump must be played")]
MustOvertrump = Annotated[bool, says("beat the trumps in the trick if you can")]
CardPoints = Annotated[
    Literal["classic", "simple"], says("A T K Q J count 11 10 4 3 2, or 10 10 5 5 5")
]
AskWhole = Annotated[bool, says("one may ask the partner for a whole marriage")]
AskHalfOption = Annotated[
    Literal["none", "own_half", "any"],
    says("one may ask for a half: never, holding the other half, or in any open suit"),
]

Conflicts = Sequence[tuple[str, str]]
"""(option, why its value does not go with the others)."""


def check_dealer(first_dealer: FirstDealer, seats: int) -> Conflicts:
    """The conflict of an option that names a dealer whom the table has not, if it does."""
    if first_dealer == "by_set" or first_dealer < seats:
        return ()
    return (("first_dealer", f"expected by_set or a seat below {seats}"),)


def refuse(rules: object, conflicts: Conflicts) -> None:
    """Raise ConfigError for the first (option, reason), naming its value."""
    for option, reason in conflicts:
        raise ConfigError(f"{option} = {getattr(rules, option)!r}: {reason}")


class TrickGame:
    """A game with its seats, sides and alphabet; each game's own class adds its rules."""

    name: str
    ruleset: str
    pack: Pack
    seats: int
    sides: tuple[int, ...]
    side_count: int
    left: tuple[int, ...]
    hand_size: int
    actions: tuple[str, ...]
    index: dict[str, int]
    cards: CardActions
    first_card: int
    """The place in the alphabet of the first card."""
    moves: tuple[tuple[tuple[int, int], ...], ...]
    """What the history has of each seat's actions: the same pairs for all deals."""
    cards_end: int
    """The place in the alphabet after the last card."""
    first_dealer: FirstDealer

    def seat_players(self, seats: int, *, teams: bool, hand_size: int) -> None:
        """Set the table: who is whose partner and who sits on whose left."""
        self.seats = seats
        self.sides = (0, 1, 0, 1) if teams else tuple(range(seats))
        self.side_count = 2 if teams else seats
        self.left = tuple((seat + 1) % seats for seat in range(seats))
        self.hand_size = hand_size

    def publish(self, actions: tuple[str, ...]) -> None:
        """Set the alphabet; the pack must be known."""
        self.actions = actions
        self.index = {action: place for place, action in enumerate(actions)}
        self.first_card = self.index[self.pack.names[0]]
        self.cards = card_actions(self.pack, self.first_card)
        self.cards_end = self.first_card + self.pack.size
        self.moves = tuple(
            tuple((seat, action) for action in range(len(actions))) for seat in range(self.seats)
        )

    def first(self, set_number: int, unit: Unit = "deal") -> Tally:
        """The dealer of a set's first deal: seat `set mod seats`, or the option's."""
        option = self.first_dealer
        dealer = set_number % self.seats if option == "by_set" else option
        return Tally(score=(0,) * self.side_count, dealer=dealer, unit=unit)

    def dealt_hands(self, cards: Sequence[int], dealer: int) -> list[int]:
        """Hands (masks) of cards that are dealt one at a time from the dealer's left."""
        seats = self.seats
        first = self.left[dealer]
        dealt = self.hand_size * seats
        hands = [0] * seats
        bit_of = self.pack.bits.__getitem__
        for start in range(seats):
            hands[(first + start) % seats] = sum(map(bit_of, cards[start:dealt:seats]))
        return hands

    def dealing_order(self, hands: Sequence[int], rest: Sequence[int], dealer: int) -> list[int]:
        """The order of cards that deals these hands (masks), with the rest after them."""
        piles = [iter(self.pack.cards(hand)) for hand in hands]
        first = self.left[dealer]
        dealt = self.hand_size * self.seats
        return [next(piles[(first + k) % self.seats]) for k in range(dealt)] + list(rest)


class TrickDeal:
    """One deal in progress: what is kept whatever the game, how it is shown and copied."""

    __slots__ = (
        "_seen", "_shown", "game", "hands", "history", "last", "phase", "redealer", "redeals",
        "tally", "to_act", "trick", "tricks", "winner",
    )  # fmt: skip

    LISTS: ClassVar[tuple[str, ...]] = ("hands", "history", "trick", "tricks")
    """Slots that a copy must not share."""
    PHASES: ClassVar[tuple[str, ...]] = ("play", "answer", "over")

    _lists: ClassVar[tuple[str, ...]] = ()
    _plain: ClassVar[tuple[str, ...]] = ()

    game: TrickGame
    to_act: int | None
    redealer: int | None

    def __init_subclass__(cls) -> None:
        """Work out once which slots a copy takes as they are and which it copies."""
        slots = [slot for kind in reversed(cls.__mro__) for slot in vars(kind).get("__slots__", ())]
        cls._lists = tuple(
            name for kind in reversed(cls.__mro__) for name in vars(kind).get("LISTS", ())
        )
        cls._plain = tuple(
            slot for slot in slots if slot not in cls._lists and not slot.startswith("_")
        )

    def __init__(
        self,
        game: TrickGame,
        hands: list[int],
        tally: Tally,
        rules: TrickRules,
        last: LastDeal | None,
        redeals: tuple[int, ...] = (),
    ) -> None:
        self.game = game
        self.hands = hands
        self.tally = tally
        self.redeals = redeals
        self.last = last
        self.history: list[tuple[int, int]] = []
        self.redealer = None
        self.phase = PLAY
        self.to_act = game.left[tally.dealer]
        self.trick = Trick(rules, 0)
        self.tricks = [0] * len(hands)
        """Tricks won, by seat."""
        self.winner = -1
        """Who won the last trick."""
        self._shown: list[list[Play]] | None = None
        self._seen = [0] * len(hands)

    def points(self) -> tuple[int, ...]:
        """Points by side, once the deal is over."""
        raise NotImplementedError

    def view(self, seat: int) -> AnyView:
        """All that a seat may know."""
        raise NotImplementedError

    def dictated(self) -> bool:
        """Whether the rules dictate the answer wanted, so that nobody is asked."""
        return False

    def view_json(self, seat: int) -> str:
        """The view encoded, as text."""
        return encode(self.view(seat)).decode()

    def shown(self, place: int) -> str | None:
        """How another's action, at this place of the history, is told; None where it is not."""
        return self.game.actions[self.history[place][1]]

    def _history(self, viewer: int) -> list[Play]:
        """The history as a seat may know it."""
        if self._shown is None:
            self._shown = [[] for _ in self.hands]
        shown = self._shown[viewer]
        actions = self.game.actions
        for place in range(self._seen[viewer], len(self.history)):
            seat, action = self.history[place]
            text = actions[action] if seat == viewer else self.shown(place)
            if text is not None:
                shown.append((seat, text))
        self._seen[viewer] = len(self.history)
        return shown.copy()

    def common(self, seat: int) -> dict[str, Any]:
        """The fields that the views of all games have."""
        plays = self.trick.plays
        pack = self.game.pack
        return {
            "seat": seat,
            "deal": self.tally.deals,
            "dealer": self.tally.dealer,
            "redeals": list(self.redeals),
            "phase": self.PHASES[self.phase],
            "score": list(self.tally.score),
            "hand": pack.texts(self.hands[seat]),
            "counts": [hand.bit_count() for hand in self.hands],
            "leader": self.leader(),
            "trick": [(player, pack.names[card]) for player, card in plays],
            "history": self._history(seat),
            "trump": None,
            "tricks": self.tricks.copy(),
            "last": self.last,
        }

    def leader(self) -> int | None:
        """Who led, or leads, the current trick; None before the play of cards."""
        if self.trick.plays:
            return self.trick.plays[0][0]
        return self.to_act if self.phase == PLAY else None

    def side_tricks(self) -> list[int]:
        """Tricks won, by side."""
        won = [0] * self.game.side_count
        for seat, count in enumerate(self.tricks):
            won[self.game.sides[seat]] += count
        return won

    def end(self) -> None:
        """The deal is over."""
        self.phase = OVER
        self.to_act = None

    def copy(self) -> Self:
        """An independent copy, for bots that search."""
        twin = object.__new__(type(self))
        for slot in self._plain:
            setattr(twin, slot, getattr(self, slot))
        for slot in self._lists:
            setattr(twin, slot, getattr(self, slot).copy())
        twin._shown = None
        twin._seen = [0] * len(self.hands)
        return twin


def last_deal(
    points: Sequence[int], declarer: int | None = None, contract: int | str | None = None
) -> LastDeal:
    """What the next deal's views say of a finished deal."""
    return LastDeal(points=list(points), declarer=declarer, contract=contract)


def ended(
    deals: int, max_deals: int, score: Sequence[int], winners: Sequence[int]
) -> tuple[int, ...]:
    """The winners of a game, by its last deal too: the highest score wins, equal ones draw."""
    if winners or deals < max_deals:
        return tuple(winners)
    top = max(score)
    return tuple(side for side, total in enumerate(score) if total == top)

