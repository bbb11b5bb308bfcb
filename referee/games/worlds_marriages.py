"""What play, declarations and asks tell of the cards: for all games with marriages and no stock."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Protocol

from protocol.messages import HuutopussiView, MarjapussiView
from referee.cards import SUITS
from referee.games.game import Unit
from referee.games.layout import Layout
from referee.games.marriages import Marriages
from referee.games.worlds_knowledge import DealtGame, Knowledge
from referee.tricks import Trick, TrickRules

Ask = tuple[int, str, bool]
"""(asker, answer, whether it made a marriage) of an ask for a half."""


class AskingGame(DealtGame, Protocol):
    """A game with marriages that may be asked for."""

    marriages: Marriages
    trick_rules: TrickRules
    trump_stays: bool


class MarriageKnowledge(Knowledge):
    """What a seat can tell in a game with marriages, all of whose cards are dealt out."""

    game: AskingGame
    view: HuutopussiView | MarjapussiView

    def __init__(
        self,
        game: AskingGame,
        view: HuutopussiView | MarjapussiView,
        unit: Unit,
        first_lead: str,
    ) -> None:
        super().__init__(game, view, unit)
        pack = game.pack
        self.first_lead = first_lead
        self.aces = pack.mask("A" + suit for suit in SUITS)
        self.asks: dict[int, list[Ask]] = {}
        """Every ask for a half, by suit."""
        self.no_whole: list[tuple[int, int]] = []
        """(seat, royals open then) of every other seat that could have no marriage then."""

    # ---- what the history tells --------------------------------------------------------------

    def watch_play(self, first_rules: TrickRules) -> None:
        """Learn from declarations, asks and answers, and from every card played.

        `first_rules` has the duties of the first trick.
        """
        game = self.game
        pack = game.pack
        marriages = game.marriages
        trick = Trick(first_rules, 0)
        trumps = 0
        first = True
        made = 0
        open_royals = marriages.royals
        for at, (seat, action) in enumerate(self.view.history):
            if action in pack.index:
                card = pack.index[action]
                self._watch_card(trick, first, made, seat, card)
                if 1 << card & open_royals:
                    open_royals &= ~marriages.kings_queens[pack.suit_of[card]]
                if len(trick.plays) == game.seats:
                    trick = Trick(game.trick_rules, trumps)
                    first = False
                    made = 0
            elif (suit := self._watch_word(at, open_royals)) is not None:
                made = marriages.kings_queens[suit]
                open_royals &= ~made
                if not trumps or not game.trump_stays:
                    trumps = pack.suits[suit]
                    trick = Trick(game.trick_rules, trumps)

    def _watch_word(self, at: int, open_royals: int) -> int | None:
        """Learn from what is no card; the suit of the marriage that it made, if it did."""
        marriages = self.game.marriages
        seat, action = self.view.history[at]
        verb, _, argument = action.partition(":")
        suit = SUITS.find(argument or "?")
        if verb in ("declare", "name"):
            self.restrict(marriages.kings_queens[suit], 1 << seat)
            return suit
        if verb not in ("half", "whole"):
            return None
        if marriages.ask_only_without_own:
            self._has_no_whole(seat, open_royals)
        answer = self._answer(at)
        if verb == "half":
            made = answer == "yes" and self._joined(seat, argument)
            self.asks.setdefault(suit, []).append((seat, answer, made))
            return suit if made else None
        if answer == "no":
            self._has_no_whole((seat + 2) % 4, open_royals)
        return None

    def _has_no_whole(self, seat: int, open_royals: int) -> None:
        if seat != self.seat:
            self.no_whole.append((seat, open_royals))

    def _answer(self, at: int) -> str:
        """The answer to the ask at this place of the history, "" while there is none."""
        after = self.view.history[at + 1 : at + 2]
        return after[0][1] if after else ""

    def _joined(self, asker: int, suit: str) -> bool:
        """Whether a yes to a half made a marriage: it is declared, and came in no other way."""
        others = (f"declare:{suit}", f"name:{suit}")
        return (asker, suit) in self.view.declared and not any(
            action in others for _, action in self.view.history
        )

    def _watch_card(self, trick: Trick, first: bool, made: int, seat: int, card: int) -> None:
        """Play a card to a trick; what the seat should have played instead it does not hold."""
        if trick.mask:
            lacks = self.unmet(trick, first, seat, card)
            trick.follow(seat, card)
        else:
            lacks = self.unmet_lead(first, made, 1 << card)
            trick.lead(seat, card)
        if lacks and seat != self.seat:
            self.restrict(lacks, ~(1 << seat))

    def unmet(self, trick: Trick, _first: bool, _seat: int, card: int) -> int:
        """Cards that a seat cannot hold which follows with this one."""
        return trick.excluded(card)

    def unmet_lead(self, first: bool, _made: int, bit: int) -> int:
        """Cards that a seat cannot hold which leads this one (a bit).

        `made` has the king and queen of the marriage made since the last trick.
        """
        if not first or self.first_lead == "any" or bit & self.aces:
            return 0
        spades = self.game.pack.suits[0]
        if self.first_lead == "ace_then_spade" and not bit & spades:
            return self.aces | spades
        return self.aces

    # ---- what remains open -------------------------------------------------------------------

    def layouts(self) -> Iterator[Layout]:
        """The layouts of the unseen cards, one for each way to resolve what is either-or."""
        either_or = [self._halves(suit, asks) for suit, asks in self.asks.items()]
        for choice in product(*either_or, self.other_choices()):
            fits = dict(self.fits)
            for restriction in choice:
                for card, places in restriction.items():
                    fits[card] &= places
            if all(fits.values()):
                yield Layout(fits, self.room)

    def other_choices(self) -> list[dict[int, int]]:
        """Ways to resolve what else is either-or: the places of some cards, as bits."""
        return [{}]

    def _halves(self, suit: int, asks: list[Ask]) -> list[dict[int, int]]:
        """Where the king and queen of a suit can lie, after what was asked and answered.

        Owners of the king for which the queen can lie in the same places are one choice.
        """
        marriages = self.game.marriages
        king, queen = self.game.pack.cards(marriages.kings_queens[suit])
        any_half = marriages.ask_half == "any"
        choices: dict[int, int] = {}
        for owner in self._owners(king):
            queens = sum(
                1 << other
                for other in self._owners(queen)
                if all(_tallies((owner, other), *ask, any_half=any_half) for ask in asks)
            )
            if queens:
                choices[queens] = choices.get(queens, 0) | 1 << owner
        return [
            {card: places for card, places in ((king, kings), (queen, queens)) if card in self.fits}
            for queens, kings in choices.items()
        ]

    def _owners(self, card: int) -> list[int]:
        """Who can have held a king or queen when the play began."""
        if card in self.fits:
            return [place for place in range(len(self.room)) if self.fits[card] >> place & 1]
        bit = 1 << card
        return [s for s, cards in enumerate(self.played) if cards & bit] or [self.seat]

    def wholes_are_ruled_out(self, hands: Sequence[int]) -> bool:
        """Whether nobody holds a marriage who could have none; hands with the cards played."""
        pairs = self.game.marriages.kings_queens
        return not any(
            pair & open_royals and not pair & ~hands[seat]
            for seat, open_royals in self.no_whole
            for pair in pairs
        )


def _tallies(
    owners: tuple[int, int], asker: int, answer: str, made: bool, *, any_half: bool
) -> bool:
    """Whether an ask for a half fits these owners of king and queen."""
    asked = owners.count(asker)
    partner = owners.count((asker + 2) % 4)
    if asked == 2 or (asked == 0 and not any_half):
        return False
    if answer == "yes":
        return partner > 0 and made == (asked == partner == 1)
    return answer != "no" or partner == 0
