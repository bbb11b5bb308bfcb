"""Marriages: a king and a queen of one suit, the three ways to make trump with them.

A suit is *open* while it is undeclared and neither its king nor its queen has been played: public
facts, so what may be asked gives nothing away. Source: the Russian text "Hutopusi" on the three
ways (declare, ask for a whole, ask for a half).
"""

from typing import Any, ClassVar, Literal

from protocol.messages import LastDeal
from referee.cards import SUITS, Pack
from referee.games.game import Tally
from referee.games.tricktaking import ANSWER, PLAY, TrickDeal, TrickGame
from referee.tricks import Trick, TrickRules

AskHalf = Literal["none", "own_half", "any"]


class Marriages:
    """The kings and queens of a pack as masks, and who may declare or ask what."""

    __slots__ = (
        "ask_half", "ask_only_without_own", "ask_whole", "kings_queens", "royals", "suit_of_royal",
    )  # fmt: skip

    def __init__(
        self,
        pack: Pack,
        *,
        ask_whole: bool,
        ask_half: AskHalf,
        ask_only_without_own: bool = False,
    ) -> None:
        self.ask_whole = ask_whole
        self.ask_half = ask_half
        self.ask_only_without_own = ask_only_without_own
        self.kings_queens = tuple(pack.mask(("K" + suit, "Q" + suit)) for suit in "SHDC")
        """King and queen of each suit, in the order S H D C."""
        self.royals = sum(self.kings_queens)
        self.suit_of_royal = {
            1 << card: pack.suit_of[card] for card in pack.cards(self.royals)
        }
        """The suit of a king's or queen's bit."""

    def whole(self, hand: int, open_royals: int) -> list[int]:
        """Open suits of which the hand holds both: they can be declared."""
        held = hand & open_royals
        return [suit for suit, pair in enumerate(self.kings_queens) if held & pair == pair]

    def halves(self, hand: int, open_royals: int) -> list[int]:
        """Open suits whose missing half the hand's seat may ask its partner for."""
        held = hand & open_royals
        if self.ask_half == "none" or self._own_bars(held):
            return []
        anything = self.ask_half == "any"
        return [
            suit
            for suit, pair in enumerate(self.kings_queens)
            if open_royals & pair and held & pair != pair and (anything or held & pair)
        ]

    def may_ask_whole(self, hand: int, open_royals: int) -> bool:
        """Whether a whole may be asked for: some suit is open and two cards are left."""
        if not self.ask_whole or not open_royals or not hand & (hand - 1):
            return False
        return not self._own_bars(hand & open_royals)

    def _own_bars(self, held: int) -> bool:
        """Whether a marriage of one's own bars one from asking."""
        return self.ask_only_without_own and any(
            held & pair == pair for pair in self.kings_queens
        )

    def answer_half(self, partner: int, suit: int) -> bool:
        """What the partner's hand makes it say: it holds the king or the queen, or both."""
        return partner & self.kings_queens[suit] != 0

    def joined(self, asker: int, partner: int, suit: int) -> bool:
        """Whether asker and partner hold one half each, which makes trump at once."""
        pair = self.kings_queens[suit]
        one = asker & pair
        other = partner & pair
        return one != 0 and other != 0 and one | other == pair and one & other == 0


class MarriageGame(TrickGame):
    """A game in which marriages make trump: where its alphabet has them."""

    marriages: Marriages
    trick_rules: TrickRules
    no: int
    declare: int
    named: int
    half: int
    whole: int
    yes: int
    trump_stays: bool
    """Whether the first trump of a deal is its last."""
    lead_options: dict[tuple[int, int, int], tuple[int, ...]]
    """What may be declared or asked, by (royals held, royals open, permissions); filled in."""

    ASKS: ClassVar = (
        *(f"{verb}:{suit}" for verb in ("name", "half") for suit in SUITS), "whole", "yes",
    )  # fmt: skip
    DECLARATIONS: ClassVar = tuple(f"declare:{suit}" for suit in SUITS)

    def publish(self, actions: tuple[str, ...]) -> None:
        """Set the alphabet, which has DECLARATIONS and, right after them, ASKS if there are any."""
        super().publish(actions)
        self.no = self.index.get("no", -1)
        self.declare = self.index[self.DECLARATIONS[0]]
        self.named = self.declare + 4
        self.half = self.named + 4
        self.whole = self.half + 4
        self.yes = self.whole + 1
        self.lead_options = {}


class MarriageDeal(TrickDeal):
    """A deal with tricks, declarations, asks and answers; each game says what they are worth."""

    __slots__ = (
        "answers", "asked", "declared", "open_royals", "question", "taken", "trump", "window",
    )  # fmt: skip

    LISTS: ClassVar[tuple[str, ...]] = ("answers", "asked", "declared", "taken")

    game: MarriageGame

    def __init__(
        self,
        game: MarriageGame,
        hands: list[int],
        tally: Tally,
        last: LastDeal | None,
        redeals: tuple[int, ...] = (),
    ) -> None:
        super().__init__(game, hands, tally, game.trick_rules, last, redeals)
        self.taken = [0] * game.side_count
        """Cards each side has won."""
        self.window = False
        """Whether the leader may declare or ask."""
        self.declared: list[tuple[int, int]] = []
        """(seat, suit) of every marriage made."""
        self.trump = -1
        self.open_royals = game.marriages.royals
        self.asked: list[tuple[int, int]] = []
        """(seat, action) of every ask."""
        self.answers: list[int] = []
        self.question = -1

    def trick_is_over(self) -> None:
        """All have played to the trick; its winner has been told."""
        raise NotImplementedError

    def choose(self, seat: int, action: int) -> None:
        """Play an action outside the tricks: here, an answer."""
        self.answer(seat, action)

    def apply(self, action: int) -> None:
        """Play a legal action of the seat to act."""
        seat: Any = self.to_act  # somebody's turn, as the action is legal
        game = self.game
        self.history.append(game.moves[seat][action])
        if self.phase != PLAY:
            self.choose(seat, action)
            return
        if action >= game.cards_end:
            self._announce(seat, action)
            return
        card = action - game.first_card
        bit = game.pack.bits[card]
        self.hands[seat] ^= bit
        if bit & self.open_royals:
            marriages = game.marriages
            self.open_royals &= ~marriages.kings_queens[marriages.suit_of_royal[bit]]
        trick = self.trick
        if trick.led:
            trick.follow(seat, card)
            if len(trick.plays) == game.seats:
                self.winner = winner = trick.winner
                self.tricks[winner] += 1
                self.taken[game.sides[winner]] |= trick.mask
                self.trick_is_over()
                return
        else:
            trick.lead(seat, card)
            self.window = False
        self.to_act = game.left[seat]

    def lead_by(self, winner: int) -> None:
        """The winner of a trick is to lead the next one."""
        trick = self.trick
        trumps = trick.rules.pack.suits[self.trump] if self.trump >= 0 else 0
        self.trick = Trick(trick.rules, trumps)
        self.to_act = winner

    # ---- declarations ------------------------------------------------------------------------

    def announcements(self, seat: int, barred: int = 0) -> tuple[int, ...]:
        """What the leader may declare or ask before leading, as actions.

        Bit 0 of `barred` bars declarations, bit 1 bars asking for a whole.
        """
        royals = self.open_royals
        if not royals:
            return ()
        game = self.game
        hand = self.hands[seat]
        key = (hand & royals, royals, barred if hand & (hand - 1) else barred | 4)
        options = game.lead_options.get(key)
        if options is None:
            options = game.lead_options[key] = self._announcements(hand, barred)
        return options

    def _announcements(self, hand: int, barred: int) -> tuple[int, ...]:
        game = self.game
        marriages = game.marriages
        royals = self.open_royals
        found: list[int] = []
        if not barred & 1:
            found += [game.declare + suit for suit in marriages.whole(hand, royals)]
        found += [game.half + suit for suit in marriages.halves(hand, royals)]
        if not barred & 2 and marriages.may_ask_whole(hand, royals):
            found.append(game.whole)
        return tuple(found)

    def _announce(self, seat: int, action: int) -> None:
        """A declaration makes trump; an ask goes to the partner. Either uses up the window."""
        game = self.game
        self.window = False
        if action < game.named:
            self.make_marriage(seat, action - game.declare)
            return
        self.asked.append((seat, action))
        self.was_asked(seat, action)
        self.question = action
        self.phase = ANSWER
        self.to_act = (seat + 2) % 4

    def was_asked(self, seat: int, action: int) -> None:
        """A seat has asked its partner, which some rules hold against both."""

    def legal_answer(self) -> tuple[int, ...]:
        """What the rules let a partner say: the truth; a choice only between several marriages."""
        game = self.game
        assert self.to_act is not None
        hand = self.hands[self.to_act]
        if self.question == game.whole:
            suits = game.marriages.whole(hand, self.open_royals)
            return tuple(game.named + suit for suit in suits) or (game.no,)
        holds = game.marriages.answer_half(hand, self.question - game.half)
        return (game.yes,) if holds else (game.no,)

    def dictated(self) -> bool:
        """Whether the answer wanted is dictated by the rules, so that nobody is asked."""
        return self.phase == ANSWER and len(self.legal_answer()) == 1

    def answer(self, partner: int, action: int) -> None:
        game = self.game
        asker = (partner + 2) % 4
        self.answers.append(action)
        self.phase = PLAY
        self.to_act = asker
        if action == game.yes:
            suit = self.question - game.half
            if game.marriages.joined(self.hands[asker], self.hands[partner], suit):
                self.make_marriage(asker, suit)
        elif action != game.no:
            self.make_marriage(asker, action - game.named)

    def make_marriage(self, seat: int, suit: int) -> None:
        """A marriage is made, and its suit is trump at once unless an earlier one stays."""
        game = self.game
        self.declared.append((seat, suit))
        self.open_royals &= ~game.marriages.kings_queens[suit]
        if self.trump < 0 or not game.trump_stays:
            self.trump = suit
            self.trick = Trick(self.trick.rules, game.pack.suits[suit])

    def leader(self) -> int | None:
        """Who led, or leads, the current trick: while a partner answers, the asker."""
        return self.asked[-1][0] if self.phase == ANSWER else super().leader()

    def declared_suits(self) -> list[tuple[int, str]]:
        """Every marriage made, as seats are told."""
        return [(player, SUITS[suit]) for player, suit in self.declared]

    def asked_suits(self) -> list[tuple[int, str, str]]:
        """Every ask with its answer, as public as both are."""
        actions = self.game.actions
        answers = [*self.answers, -1]
        return [
            (player, actions[ask], actions[answer] if answer >= 0 else "")
            for (player, ask), answer in zip(self.asked, answers, strict=False)
        ]
