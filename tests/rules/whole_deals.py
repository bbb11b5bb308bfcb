"""Marjapussi and Bondtolva retold from the cards and the history alone, and found by their items.

Nothing of the engine's scoring or trick-taking is used here: cards are texts, hands are sets.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

from referee.games.game import Tally, Unit
from tests.rules.marriage_help import AnyDeal, AnyGame, chosen

ORDER = "6789JQKTA"
EYES = {"A": 4, "K": 3, "Q": 2, "J": 1}


class Made(NamedTuple):
    """A marriage that was made."""

    after: int
    """Tricks played before."""
    seat: int
    suit: str
    holders: tuple[int, ...]
    """The seats that held its king and its queen."""


class Story:
    """A deal, finished or not, retold from the hands dealt, the stock and the history."""

    def __init__(self, table: AnyGame, dealt: AnyDeal, deal: AnyDeal) -> None:
        self.table = table
        self.hands = [set(table.pack.texts(hand)) for hand in dealt.hands]
        """What each seat holds at the end of the history."""
        self.dealt = [hand.copy() for hand in self.hands]
        self.stock: list[str] = []
        if table.seats == 2:
            self.stock = [table.pack.names[card] for card in getattr(dealt, "stock", ())]
        self.tricks: list[list[tuple[int, str]]] = []
        self.winners: list[int] = []
        self.trumps: list[str | None] = []
        """The trump suit in every trick."""
        self.made: list[Made] = []
        self.events: list[tuple[int, int]] = []
        """(tricks before, seat) of every declaration and ask."""
        self.drawn: list[tuple[int, str]] = []
        self.to_hands: list[list[set[str]]] = []
        """The hands before each trick."""
        self.side_of = table.sides
        self.undrawn = False
        self.question = (0, "")
        for seat, action in deal.history:
            self._tell(seat, table.actions[action])
        if deal.to_act is not None and deal.view(deal.to_act).phase != "declare":
            self._draw()

    @property
    def trump(self) -> str | None:
        return self.made[0].suit if self.made else None

    def _tell(self, seat: int, action: str) -> None:
        word, _, suit = action.partition(":")
        if word in self.table.pack.index:
            self._card(seat, word)
        elif word == "declare":
            self.events.append((len(self.tricks), seat))
            self._make(seat, suit)
        elif word in ("half", "whole"):
            self.events.append((len(self.tricks), seat))
            self.question = (seat, suit)
        elif word == "name":
            self._make(self.question[0], suit)
        elif word == "yes":
            asker, suit = self.question
            held = [len({"K" + suit, "Q" + suit} & self.hands[each]) for each in (asker, seat)]
            if held == [1, 1]:
                self._make(asker, suit)
        else:
            assert word in ("no", "pass"), action

    def _make(self, seat: int, suit: str) -> None:
        holders = tuple(
            who for rank in "KQ" for who, hand in enumerate(self.hands) if rank + suit in hand
        )
        self.made.append(Made(len(self.tricks), seat, suit, holders))

    def _card(self, seat: int, card: str) -> None:
        if not self.tricks or len(self.tricks[-1]) == self.table.seats:
            self._draw()
            self.tricks.append([])
            self.trumps.append(self.trump)
            self.to_hands.append([hand.copy() for hand in self.hands])
        trick = self.tricks[-1]
        trick.append((seat, card))
        self.hands[seat].remove(card)
        if len(trick) == self.table.seats:
            self.winners.append(self._best(trick, self.trump_in(len(self.tricks) - 1)))
            self.undrawn = True

    def _draw(self) -> None:
        """The winner draws, then the loser, as long as there is a stock."""
        if self.undrawn and len(self.drawn) < len(self.stock):
            for seat in (self.winners[-1], 1 - self.winners[-1]):
                card = self.stock[len(self.drawn)]
                self.drawn.append((seat, card))
                self.hands[seat].add(card)
        self.undrawn = False

    def trump_in(self, number: int) -> str | None:
        """The suit that wins tricks as trump in a trick."""
        lasts = 2 * number < len(self.stock)
        return None if lasts and not self.table.rules.trump_in_phase1 else self.trumps[number]

    @staticmethod
    def _best(trick: Sequence[tuple[int, str]], trump: str | None) -> int:
        suit = trump if any(card[1] == trump for _, card in trick) else trick[0][1][1]
        return max((ORDER.index(card[0]), seat) for seat, card in trick if card[1] == suit)[1]

    def won(self, side: int) -> list[str]:
        """The cards that a side has won."""
        return [
            card
            for trick, winner in zip(self.tricks, self.winners, strict=False)
            if self.side_of[winner] == side
            for _, card in trick
        ]

    def mates(self) -> list[int]:
        """Aces and tens won, by side."""
        sides = range(self.table.side_count)
        return [sum(card[0] in "AT" for card in self.won(side)) for side in sides]

    def eyes(self) -> list[int]:
        """Eyes won, by side, tens for nothing."""
        sides = range(self.table.side_count)
        return [sum(EYES.get(card[0], 0) for card in self.won(side)) for side in sides]

    def items(self) -> str:
        """The items of a deal played out: `trump0 little1 last0 mates1`, numbers being sides.

        Mates by count; a shared lead is `-`.
        """
        words = [
            f"{'little' if turn else 'trump'}{self.side_of[made.seat]}"
            for turn, made in enumerate(self.made)
        ]
        mates = self.mates()
        most = max(mates)
        who = str(mates.index(most)) if mates.count(most) == 1 else "-"
        return " ".join([*words, f"last{self.side_of[self.winners[-1]]}", f"mates{who}"])


def allowed(table: AnyGame, dealt: AnyDeal, deal: AnyDeal) -> set[str]:
    """The cards that the seat to act may add to a trick, found step by step from the rules."""
    story = Story(table, dealt, deal)
    rules = table.rules
    seat = deal.to_act
    assert seat is not None
    number = len(story.tricks) - 1
    trick, hand = story.tricks[-1], story.hands[seat]
    if 2 * number < len(story.stock):
        return hand
    led, trump = trick[0][1][1], story.trump_in(number)
    following = {card for card in hand if card[1] == led}
    trumps = {card for card in hand if card[1] == trump}
    base = following
    must_beat = _option(rules, "must_head")
    if not following:
        if not trumps or not _option(rules, "must_trump"):
            return hand
        base, must_beat = trumps, _option(rules, "must_overtrump")
    leading = Story._best(trick, trump)
    if number == 0 and not _option(rules, "first_trick_must_beat"):
        must_beat = False
    if _option(rules, "spare_partner", default=False) and (leading - seat) % 4 == 2:
        must_beat = False
    if not must_beat:
        return base
    best = next(card for player, card in trick if player == leading)
    up = {c for c in base if c[1] == best[1] and ORDER.index(c[0]) > ORDER.index(best[0])}
    if base is trumps and best[1] != trump:
        up = base
    return up or base


def _option(rules: object, name: str, *, default: bool = True) -> bool:
    return bool(getattr(rules, name, default))


# ---- random play -------------------------------------------------------------------------------


def start(
    table: AnyGame, seed: int, *, score: Sequence[int] = (), unit: Unit = "deal"
) -> AnyDeal:
    """A random deal."""
    random = Random(f"{table.name} {table.rules.deck} {table.seats} {seed}")
    cards = random.sample(range(table.pack.size), table.pack.size)
    total = tuple(score) or (0,) * table.side_count
    return table.deal(cards, Tally(score=total, dealer=random.randrange(table.seats), unit=unit))


def steps(
    table: AnyGame, seed: int, *, score: Sequence[int] = (), unit: Unit = "deal"
) -> Iterator[AnyDeal]:
    """A random deal at every decision, and once more when it is over."""
    deal = start(table, seed, score=score, unit=unit)
    random = Random(seed)
    while deal.to_act is not None:
        yield deal
        deal.apply(chosen(deal, random))
    yield deal


def over(table: AnyGame, deals: int) -> Iterator[tuple[int, AnyDeal, Story]]:
    """Random deals that were played to the end, each with its seed and story."""
    for seed in range(deals):
        *_, deal = steps(table, seed)
        yield seed, deal, Story(table, start(table, seed), deal)


# ---- deals by their items ----------------------------------------------------------------------


class Found(NamedTuple):
    """A deal that was played out: what is needed to play it once more."""

    cards: tuple[int, ...]
    dealer: int
    history: tuple[int, ...]
    story: Story


TRIES = 60_000


@cache
def with_items(table: AnyGame, items: str, mates: tuple[int, ...] = (), eyes: str = "") -> Found:
    """A randomly dealt and played deal with just these items (see `Story.items`), in this order.

    `mates` are those of each side, `eyes` is `A-B` for two sides: both only if given.
    """
    for seed in range(TRIES):
        random = Random(seed)
        cards = random.sample(range(table.pack.size), table.pack.size)
        stage = Tally(score=(0,) * table.side_count, dealer=random.randrange(table.seats))
        deal = table.deal(cards, stage)
        wanted = items.split()
        while deal.to_act is not None:
            deal.apply(chosen(deal, random, eager=0.9 if "little" in items else 0.4))
            if len(deal.declared) > len(wanted) - 2 or not _begins(table, deal, wanted):
                break
        if deal.to_act is not None:
            continue
        story = Story(table, table.deal(cards, stage), deal)
        fits = (not mates or story.mates() == list(mates)) and (
            not eyes or "-".join(map(str, story.eyes())) == eyes
        )
        if story.items() == items and fits:
            history = tuple(action for _, action in deal.history)
            return Found(tuple(cards), stage.dealer, history, story)
    raise AssertionError(f"no deal with {items} in {TRIES}")


def _begins(table: AnyGame, deal: AnyDeal, wanted: Sequence[str]) -> bool:
    """Whether the marriages so far are those of the sides that are wanted."""
    return all(
        wanted[turn][-1] == str(table.sides[seat]) for turn, (seat, _) in enumerate(deal.declared)
    )


def again(
    table: AnyGame, found: Found, score: Sequence[int] = (), *, unit: Unit = "game", deals: int = 0
) -> AnyDeal:
    """The same cards and actions under this table's rules, up to the end that those rules see."""
    total = tuple(score) or (0,) * table.side_count
    tally = Tally(score=total, dealer=found.dealer, unit=unit, deals=deals)
    deal = table.deal(found.cards, tally)
    for action in found.history:
        if deal.to_act is None:
            break
        assert action in deal.legal()
        deal.apply(action)
    assert deal.to_act is None
    return deal
