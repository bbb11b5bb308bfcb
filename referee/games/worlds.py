"""Worlds consistent with a view: whole deals that look exactly the same to its seat.

A seat knows its own cards and what it gave, received and laid away; it sees the talon and every
play. It also knows what others cannot hold: they would have had to follow, head or trump, they
answered an ask, they were asked about a redeal or were not. What remains open is dealt out at
random, each way as likely as another, and the history is played again on the result.

    for deal in islice(worlds(game, ask.view, rng), 20):
        ...  # deal.view(ask.view.seat) == ask.view

Nothing but the view is read, so whatever can be found out from these worlds the seat may know.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, product
from random import Random

from protocol.messages import HuutopussiView, encode
from referee.cards import SUITS
from referee.games.game import Tally
from referee.games.huutopussi import (
    BID,
    DISCARD,
    GIVE,
    KEEP,
    PACK,
    PHASES,
    REDEAL,
    Deal,
    Huutopussi,
)
from referee.games.layout import Layout
from referee.tricks import Trick

ATTEMPTS = 200
"""Deals that are tried for one world before the search is given up."""

_SIXES = PACK.mask("6" + suit for suit in SUITS)
_ACES = PACK.mask("A" + suit for suit in SUITS)
_ACES_TENS = _ACES | PACK.mask("T" + suit for suit in SUITS)


def worlds(
    game: Huutopussi, view: HuutopussiView, rng: Random, attempts: int = ATTEMPTS
) -> Iterator[Deal]:
    """Deals at the moment of the view that give its seat this very view; endlessly many.

    Each is a new deal with its whole history, free to be played on. The iterator ends when so
    many attempts in a row have failed, and at once when the view contradicts itself.

    Where a view does not say who is to act, since others may be asked about a redeal, nobody is
    unless the seat itself must still be asked after them.
    """
    knowledge = Knowledge(game, view)
    layouts = [layout for layout in knowledge.layouts() if layout.ways]
    weights = list(accumulate(layout.ways for layout in layouts))
    failed = 0 if layouts else attempts
    while failed < attempts:
        layout = layouts[0]
        if len(layouts) > 1:
            layout = rng.choices(layouts, cum_weights=weights)[0]
        deal = knowledge.world(layout.deal_out(rng), rng)
        if deal is None:
            failed += 1
        else:
            failed = 0
            yield deal


class Knowledge:
    """What a seat can tell from its view about the cards that it does not see."""

    def __init__(self, game: Huutopussi, view: HuutopussiView) -> None:
        self.game = game
        self.view = view
        self.seat = view.seat
        self.aside = game.seats
        """The place of cards that lie face down: the talon, discards, an unfinished give."""
        self.hand = PACK.mask(view.hand)
        self.laid_away = PACK.mask([*view.chosen, *view.discarded])
        """Cards that this seat has chosen to give or discard, and still knows to lie aside."""
        self.played = [0] * game.seats
        """Cards that each seat has played."""
        self.moves = Counter(
            seat for seat, action in view.history if action.startswith(("give:", "discard:"))
        )
        """Cards that each seat has given or discarded."""
        self.encoded = encode(view)
        self.script = [(seat, game.index.get(action, -1)) for seat, action in view.history]
        for seat, action in view.history:
            if action in PACK.index:
                self.played[seat] |= 1 << PACK.index[action]
        self.room = (*self._hand_sizes(), self._aside_size())
        unseen = PACK.full & ~(self.hand | self.laid_away)
        for cards in self.played:
            unseen &= ~cards
        everywhere = sum(1 << place for place, size in enumerate(self.room) if size)
        self.fits = dict.fromkeys(PACK.cards(unseen), everywhere)
        """The places where each unseen card can lie, as bits."""
        self.asks: dict[int, list[tuple[int, str, bool]]] = {}
        """(asker, answer, whether it made trump) of every ask for a half, by suit."""
        self.no_whole: list[tuple[int, int]] = []
        """(seat, royals open then) of every seat that had no marriage to name."""
        self.waits = self._waits()
        self._know_exchange()
        self._watch_play()

    def _hand_sizes(self) -> list[int]:
        return [0 if s == self.seat else size for s, size in enumerate(self.view.counts)]

    def _aside_size(self) -> int:
        """How many cards lie aside that this seat does not know."""
        declarer = self.view.declarer
        if declarer is None:
            return self.game.talon_size
        if self.game.talon_size:
            return 0 if declarer == self.seat else self.moves[declarer]
        count = self.game.rules.exchange_count
        return sum(n % count for seat, n in self.moves.items() if seat != self.seat)

    def _restrict(self, cards: int, places: int) -> None:
        """Unseen cards of this mask lie in these places (bits) or in none other."""
        for card in PACK.cards(cards):
            if card in self.fits:
                self.fits[card] &= places

    # ---- what the history tells --------------------------------------------------------------

    def _know_exchange(self) -> None:
        """Learn from the talon and from the cards that moved between this seat and its partner."""
        view = self.view
        declarer = view.declarer
        if declarer is None:
            return
        given, received = PACK.mask(view.given), PACK.mask(view.received)
        aside = 1 << self.aside
        if self.seat == declarer:
            self._restrict(given, 1 << (declarer + 2) % 4)
        else:
            self._restrict(PACK.mask(view.talon) | given & ~received, 1 << declarer | aside)
        if self.game.rules.discard_rule == "no_aces_tens":
            self._restrict(_ACES_TENS, ~aside)

    def _watch_play(self) -> None:
        """Learn from declarations, asks and answers, and from every card played."""
        game = self.game
        marriages = game.marriages
        trick = Trick(game.trick_rules, 0)
        trumps = 0
        first = True
        open_royals = marriages.royals
        for at, (seat, action) in enumerate(self.view.history):
            verb, _, argument = action.partition(":")
            suit = SUITS.find(argument or "?")
            made = False
            if action in PACK.index:
                card = PACK.index[action]
                self._watch_card(trick, first, seat, card)
                if 1 << card & open_royals:
                    open_royals &= ~marriages.kings_queens[PACK.suit_of[card]]
                if len(trick.plays) == game.seats:
                    trick = Trick(game.trick_rules, trumps)
                    first = False
            elif verb == "half":
                answer = self._answer(at)
                made = answer == "yes" and self._joined(seat, argument)
                self.asks.setdefault(suit, []).append((seat, answer, made))
            elif verb == "whole" and self._answer(at) == "no":
                self.no_whole.append(((seat + 2) % 4, open_royals))
            elif verb in ("declare", "name"):
                made = True
                self._restrict(marriages.kings_queens[suit], 1 << seat)
            if suit >= 0 and made:
                trumps = PACK.suits[suit]
                trick = Trick(game.trick_rules, trumps)
                open_royals &= ~marriages.kings_queens[suit]

    def _answer(self, at: int) -> str:
        """The answer to the ask at this place of the history, "" while there is none."""
        after = self.view.history[at + 1 : at + 2]
        return after[0][1] if after else ""

    def _joined(self, asker: int, suit: str) -> bool:
        """Whether a yes to a half made trump: the suit was declared, and in no other way."""
        others = (f"declare:{suit}", f"name:{suit}")
        return (asker, suit) in self.view.declared and not any(
            action in others for _, action in self.view.history
        )

    def _watch_card(self, trick: Trick, first: bool, seat: int, card: int) -> None:
        """Play a card to a trick; what the seat should have played instead it does not hold."""
        rules = self.game.rules
        bit = 1 << card
        if trick.mask:
            lacks = trick.excluded(card)
            if first and rules.ace_shows and not bit & _ACES:
                lacks |= trick.led & _ACES
            trick.follow(seat, card)
        else:
            lacks = 0
            if first and rules.first_lead != "any" and not bit & _ACES:
                lacks = _ACES
                if rules.first_lead == "ace_then_spade" and not bit & PACK.suits[0]:
                    lacks |= PACK.suits[0]
            trick.lead(seat, card)
        if lacks and seat != self.seat:
            self._restrict(lacks, ~(1 << seat))

    # ---- what remains open -------------------------------------------------------------------

    def layouts(self) -> Iterator[Layout]:
        """The layouts of the unseen cards, one for each way to resolve what is either-or."""
        either_or = [self._halves(suit, asks) for suit, asks in self.asks.items()]
        for choice in product(*either_or, self._redeal_hands()):
            fits = dict(self.fits)
            for restriction in choice:
                for card, places in restriction.items():
                    fits[card] &= places
            if all(fits.values()):
                yield Layout(fits, self.room)

    def _halves(self, suit: int, asks: list[tuple[int, str, bool]]) -> list[dict[int, int]]:
        """Where the king and queen of a suit can lie, after what was asked and answered."""
        king, queen = sorted(PACK.cards(self.game.marriages.kings_queens[suit]))
        any_half = self.game.rules.ask_half == "any"
        return [
            {card: 1 << owner for card, owner in zip((king, queen), pair, strict=True)
             if card in self.fits}
            for pair in product(self._owners(king), self._owners(queen))
            if all(_tallies(pair, *ask, any_half=any_half) for ask in asks)
        ]  # fmt: skip

    def _owners(self, card: int) -> list[int]:
        """Who can have held a king or queen when the play began."""
        if card in self.fits:
            return [place for place in range(self.aside + 1) if self.fits[card] >> place & 1]
        bit = 1 << card
        return [s for s, cards in enumerate(self.played) if cards & bit] or [self.seat]

    def _redeal_hands(self) -> list[dict[int, int]]:
        """The ways in which another seat can have the redeal that it is offered or took."""
        sixes = [card for card in self.fits if 1 << card & _SIXES]
        above = [card for card in self.fits if 1 << card & self.game.above_jack]
        found: list[dict[int, int]] = []
        for seat in self._redealers():
            found += [dict.fromkeys(three, 1 << seat) for three in combinations(sixes, 3)]
            if self.game.rules.redeal == "three_sixes_or_nothing_above_jack":
                found.append(dict.fromkeys(above, ~(1 << seat)))
        return found or [{}]

    def _redealers(self) -> list[int]:
        """Other seats of which one must be offered a redeal now, or has demanded it."""
        demanded = [seat for seat, action in self.script if action == self.game.redeal]
        if demanded or not self.waits:
            return [seat for seat in demanded if seat != self.seat]
        first = self.game.left[self.view.dealer]
        turns = (self.seat - first) % self.game.seats
        return [(first + turn) % self.game.seats for turn in range(turns)]

    def _waits(self) -> bool:
        """Whether this seat is still to be offered a redeal, after one that is offered it now."""
        rules = self.game.rules
        early = rules.redeal != "none" and rules.redeal_window == "before_bidding"
        if not early or self.script or self.view.phase != PHASES[BID]:
            return False
        weak = rules.redeal == "three_sixes_or_nothing_above_jack"
        weak = weak and not self.hand & self.game.above_jack
        return weak or (self.hand & _SIXES).bit_count() >= 3

    # ---- back to the deal --------------------------------------------------------------------

    def world(self, laid: Sequence[int], rng: Random) -> Deal | None:
        """The deal in which the unseen cards lie so, at the view's moment; None if it cannot be."""
        hands = [cards | played for cards, played in zip(laid, self.played, strict=False)]
        hands[self.seat] |= self.hand
        pairs = self.game.marriages.kings_queens
        for seat, open_royals in self.no_whole:
            if any(pair & open_royals and not pair & ~hands[seat] for pair in pairs):
                return None
        aside = laid[self.aside] | self.laid_away
        declarer = self.view.declarer
        if declarer is None:
            return self._replayed(hands, PACK.cards(aside), {})
        if not self.game.talon_size:
            return self._replayed(hands, (), self._take_back(hands, aside, declarer, rng))
        hands[declarer] |= aside
        talon = tuple(PACK.index[card] for card in self.view.talon)
        if not talon:
            talon = tuple(rng.sample(PACK.cards(hands[declarer]), self.game.talon_size))
        hands[declarer] &= ~sum(1 << card for card in talon)
        discards = [DISCARD + card for card in PACK.cards(aside)]
        return self._replayed(hands, talon, {declarer: iter(discards)})

    def _take_back(
        self, hands: list[int], aside: int, declarer: int, rng: Random
    ) -> dict[int, Iterator[int]]:
        """Undo the exchange between partners, the return first; the gives of each seat."""
        count = self.game.rules.exchange_count
        partner = (declarer + 2) % 4
        gives: dict[int, Iterator[int]] = {}
        for giver, receiver in ((declarer, partner), (partner, declarer)):
            moved = aside
            if self.moves[giver] == count:
                known = self.view.given if giver == self.seat else self.view.received
                moved = PACK.mask(known)
                if not moved:
                    moved = sum(1 << c for c in rng.sample(PACK.cards(hands[receiver]), count))
                hands[receiver] &= ~moved
            if self.moves[giver]:
                hands[giver] |= moved
                gives[giver] = iter([GIVE + card for card in PACK.cards(moved)])
        return gives

    def _replayed(
        self, hands: Sequence[int], talon: Sequence[int], hidden: dict[int, Iterator[int]]
    ) -> Deal | None:
        """Play the history on a deal of these cards, with the hidden actions of each seat."""
        view = self.view
        deal = self.game.deal(
            self.game.dealing_order(hands, talon, view.dealer),
            Tally(score=tuple(view.score), dealer=view.dealer, deals=view.deal),
            tuple(view.redeals),
            view.last,
        )
        for seat, known in self.script:
            action = known if known >= 0 else next(hidden[seat])
            while deal.phase == REDEAL and (deal.to_act != seat or action not in deal.legal()):
                if deal.to_act == self.seat:
                    return None
                deal.apply(KEEP)
            if deal.to_act != seat or action not in deal.legal():
                return None
            deal.apply(action)
        while deal.phase == REDEAL and deal.to_act != self.seat and not self.waits:
            deal.apply(KEEP)
        return deal if encode(deal.view(self.seat)) == self.encoded else None


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
