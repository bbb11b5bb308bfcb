"""Other worlds: ways in which a deal may have gone that one seat cannot tell from the true one.

A walk from the true deal: swap a few cards that the seat has not seen, make some of the others'
hidden choices anew, play the whole history again, and stay there if it is legal and the seat was
told just the same. Few swaps of cards that are still unplayed keep most of what had to be so, so
worlds are found late in a deal too; where the walk is bounded some of them may be missed.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal, NamedTuple, cast

from msgspec import Struct

from protocol.messages import LastDeal
from referee.games.game import Game, Tally
from referee.games.tricktaking import TrickGame
from referee.told import Fact, Listener, Position, sealed

TRIES_PER_WORLD = 12
"""Other deals played again for each world wanted, before the search is given up."""

IDLE_TRIES = 5
"""Proposals for each of those: many can be seen at once to change nothing, or to be impossible."""

ANEW = -1
"""In place of a hidden choice: any that is legal."""

_ASIDE = -1
"""The place of a card that no seat holds or has played."""


class Dealing(Struct, frozen=True, kw_only=True):
    """Cards as they were dealt once, with all that was played with them."""

    game: Game
    tally: Tally
    cards: Sequence[int]
    """In dealing order."""
    actions: Sequence[int]
    redeals: tuple[int, ...] = ()
    last: LastDeal | None = None
    before: int = 0
    """Actions of the deal's earlier dealings."""

    def begin(self, cards: Sequence[int]) -> Position:
        """A fresh deal of such cards at the same stage."""
        return cast(Position, self.game.deal(cards, self.tally, self.redeals, self.last))


class World(NamedTuple):
    """One way in which a deal may have gone: its cards, and the choices that a seat did not see."""

    cards: tuple[int, ...]
    hidden: tuple[int, ...]
    """Others' gives, discards and sealed bids, as actions in their order."""


class Memory:
    """All that one seat is told of a dealing, and what was hidden from it."""

    def __init__(self, dealing: Dealing, seat: int) -> None:
        self.dealing = dealing
        self.seat = seat
        deal = dealing.begin(dealing.cards)
        ear = Listener(deal, seat)
        self.known = [len(ear.facts)]
        """How many facts the seat knows after so many actions."""
        hidden = []
        for action in dealing.actions:
            if deal.to_act != seat and _hidden(deal, deal.legal()) not in (None, "keep"):
                hidden.append(action)
            deal.apply(action)
            ear.hear()
            self.known.append(len(ear.facts))
        self.facts = ear.facts
        self.truth = World(tuple(dealing.cards), tuple(hidden))


class Replay(NamedTuple):
    """A world played again, as far as the seat's memory of the true deal lets it."""

    world: World
    """With the hidden choices that were made."""
    script: list[int]
    """Every action up to here."""
    known: int
    """Facts that the seat has been told by now, all the same as in the true deal."""
    ended: Literal["there", "seat", "no"]
    """`there`: at the moment wanted; `seat`: earlier, at a decision that this seat has here and
    not there, or the other way round; `no`: something else was not as the seat remembers it."""
    places: list[int]
    """Who holds or has played each card."""


class Search:
    """Other worlds of a seat at one moment."""

    def __init__(self, memory: Memory, until: int, rng: Random) -> None:
        """`until` is the number of facts that the seat knows at the moment."""
        self.memory = memory
        self.until = until
        self.rng = rng
        facts = memory.facts[:until]
        index = memory.dealing.game.pack.index
        self.played = {
            index[str(what)]: who
            for who, what, *_ in (fact for fact in facts if len(fact) == 2)
            if isinstance(who, int) and what in index
        }
        """Who has played each card by then."""
        self.shown = {fact[1]: str(fact[2]) for fact in facts if fact[0] == "shown"}
        """Sealed bids that have been revealed."""
        self.unseen = self._unseen(facts)
        self.unplayed = [card for card in self.unseen if card not in self.played]
        game, truth = memory.dealing.game, memory.truth
        assert isinstance(game, TrickGame)
        self._stay = not truth.hidden and game.hand_size * game.seats == game.pack.size
        """Whether every card stays in the hand that it was dealt to until it is played."""

    def _unseen(self, facts: Sequence[Fact]) -> list[int]:
        """Cards of which the seat does not know where they lay at first."""
        pack = self.memory.dealing.game.pack
        known = 0
        for what, *cards in facts:
            if what == "dealt":
                known |= int(str(cards[0]))
            elif what in ("talon", "drawn"):
                known |= sum(1 << int(str(card)) for card in cards)
            elif what == "received":
                names = [str(text).partition(":")[2] for text in cards]
                known |= pack.mask(names)
        return list(pack.cards(pack.full & ~known))

    def worlds(self, wanted: int) -> Iterator[Replay]:
        """Different worlds, at most so many, the true one not among them."""
        here = self.replay(self.memory.truth)
        assert here.ended == "there", here
        seen = {self._key(here.world)}
        tries = wanted * TRIES_PER_WORLD
        idle = tries * IDLE_TRIES
        if not self._open(here):
            return
        while wanted and tries and idle:
            idle -= 1
            world = self._proposal(here)
            if world is None or (ANEW not in world.hidden and self._key(world) in seen):
                continue
            tries -= 1
            found = self.replay(world)
            key = self._key(found.world)
            if found.ended == "no" or key in seen:
                continue
            seen.add(key)
            if found.ended == "there":
                here = found
            wanted -= 1
            yield found

    def _open(self, here: Replay) -> bool:
        """Whether anything may lie elsewhere or may have been chosen otherwise."""
        if self._stay:
            return len({here.places[card] for card in self.unplayed}) > 1
        return bool(self.unseen)

    def _key(self, world: World) -> tuple[object, ...]:
        """What makes two worlds the same: the order within a hand does not matter."""
        game = self.memory.dealing.game
        assert isinstance(game, TrickGame)
        hands = game.dealt_hands(world.cards, self.memory.dealing.tally.dealer)
        return (*hands, world.cards[game.hand_size * game.seats :], world.hidden)

    # ---- proposals ---------------------------------------------------------------------------

    def _proposal(self, here: Replay) -> World | None:
        """A world near this one; None where it cannot be one."""
        rng = self.rng
        cards, hidden = list(here.world.cards), list(here.world.hidden)
        places = here.places
        changed = False
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            if hidden and rng.random() < 0.3:
                self._choose_anew(hidden)
                changed = True
                continue
            pool = self.unplayed if self._stay or rng.random() < 0.8 else self.unseen
            pool = pool or self.unseen
            one, two = rng.choice(pool), rng.choice(pool)
            if one == two or (self._stay and places[one] == places[two]):
                continue
            for card, place in ((one, places[two]), (two, places[one])):
                if card in self.played and self.played[card] != place:
                    break  # it would be played out of another hand
            else:
                self._swap(cards, hidden, one, two)
                changed = True
        return World(tuple(cards), tuple(hidden)) if changed else None

    def _swap(self, cards: list[int], hidden: list[int], one: int, two: int) -> None:
        """Swap two cards wherever they were dealt, given or laid away."""
        at, other = cards.index(one), cards.index(two)
        cards[at], cards[other] = two, one
        game = self.memory.dealing.game
        names = game.pack.names
        renamed = {names[one]: names[two], names[two]: names[one]}
        for place, action in enumerate(hidden):
            verb, _, card = game.actions[action].partition(":") if action != ANEW else ("", "", "")
            if card in renamed:
                hidden[place] = game.index.get(f"{verb}:{renamed[card]}", ANEW)

    def _choose_anew(self, hidden: list[int]) -> None:
        """Make one of the others' choices anew, or exchange the order of two."""
        rng = self.rng
        if len(hidden) > 1 and rng.random() < 0.3:
            one, two = rng.sample(range(len(hidden)), 2)
            hidden[one], hidden[two] = hidden[two], hidden[one]
        else:
            hidden[rng.randrange(len(hidden))] = ANEW

    # ---- playing again -----------------------------------------------------------------------

    def replay(self, world: World) -> Replay:
        """Play the history again in another world, as far as the seat is told just the same."""
        facts, seat = self.memory.facts, self.memory.seat
        deal = self.memory.dealing.begin(world.cards)
        ear = Listener(deal, seat)
        choices = iter(world.hidden)
        made: list[int] = []
        known = len(ear.facts)
        ended: Literal["there", "seat", "no"] = "there" if ear.facts == facts[:known] else "no"
        done = 0
        while ended == "there" and deal.to_act is not None:
            legal = deal.legal()
            expected = facts[known] if known < len(facts) else ()
            hidden = _hidden(deal, legal) if deal.to_act != seat else None
            # What the rules dictate is played at once, and so is what is hidden and comes before
            # the seat's own next decision: until then nothing rests.
            on = (hidden is not None and expected[:1] == (seat,)) or deal.dictated()
            if known >= self.until and not on:
                ended = "no" if self._comes_first(deal, expected) else "there"
                break
            action = self._next(deal, legal, hidden, expected, choices)
            if action is None:
                ended = self._why(deal, hidden, expected)
                break
            if hidden is not None and hidden != "keep":
                made.append(action)
            deal.apply(action)
            ear.hear()
            if ear.facts[known:] != facts[known : len(ear.facts)]:
                ended = "no"
            else:
                known = len(ear.facts)
                done += 1
        if known < self.until and ended == "there":
            ended = "seat"  # it is over here, and not there
        script = [action for _, action in deal.history[:done]]
        world = World(world.cards, (*made, *world.hidden[len(made) :]))
        return Replay(world, script, known, ended, self._places(deal))

    def _next(
        self,
        deal: Position,
        legal: Sequence[int],
        hidden: str | None,
        expected: Fact,
        choices: Iterator[int],
    ) -> int | None:
        """What is played next if the seat is to be told what it was told; None if it cannot be."""
        index = deal.game.index
        actor = deal.to_act
        action = index.get(str(expected[1])) if len(expected) == 2 else None
        if hidden is None:
            return action if expected[:1] == (actor,) and action in legal else None
        if hidden == "keep":
            return action if expected == (actor, "redeal") else legal[0]
        planned = next(choices, ANEW)
        if hidden == "bid":
            shown = self.shown.get(actor)
            if shown is not None:
                return index[shown] if index[shown] in legal else None
            return planned if planned in legal else self.rng.choice(legal)
        if expected != (actor, f"{hidden}:?"):
            return None
        if planned == ANEW:
            return self._any_card(deal, hidden, legal)
        return planned if planned in legal else None

    def _any_card(self, deal: Position, word: str, legal: Sequence[int]) -> int | None:
        """Any card to give or lay away that nobody plays later from elsewhere."""
        game = deal.game
        assert deal.to_act is not None
        receivers = {None, (deal.to_act + 2) % 4} if word == "give" else {None}
        cards = [
            action
            for action in legal
            if self.played.get(game.pack.index[game.actions[action][-2:]]) in receivers
        ]
        return self.rng.choice(cards) if cards else None

    def _why(
        self, deal: Position, hidden: str | None, expected: Fact
    ) -> Literal["seat", "no"]:
        """Why the history does not go on: whether this seat would notice it by its own asks.

        Whose turn it is all can see, so only two things are noticed by one seat alone: that it
        is asked, and what it may answer.
        """
        seat = self.memory.seat
        if hidden is not None or seat not in (deal.to_act, *expected[:1]):
            return "no"
        return "no" if self._comes_first(deal, expected) else "seat"

    def _comes_first(self, deal: Position, expected: Fact) -> bool:
        """Whether the seat is asked here, and there a redeal was demanded before it was.

        Until then it has waited there, which only a clock could tell it.
        """
        seat = self.memory.seat
        return deal.to_act == seat and expected[1:] == ("redeal",) and expected[0] != seat

    def _places(self, deal: Position) -> list[int]:
        places = [_ASIDE] * deal.game.pack.size
        for seat, hand in enumerate(deal.hands):
            for card in deal.game.pack.cards(hand):
                places[card] = seat
        for card, seat in self.played.items():
            places[card] = seat
        return places


def _hidden(deal: Position, legal: Sequence[int]) -> str | None:
    """What the others do not see of an action now: `give`, `discard`, `bid`, `keep` or nothing."""
    if sealed(deal, len(deal.history)):
        return "bid"
    word = deal.game.actions[legal[0]].partition(":")[0]
    return word if word in ("give", "discard", "keep") else None
