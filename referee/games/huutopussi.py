"""Huutopussi ("bid bag"): bid, exchange, raise, then win tricks and declare marriages.

Sources: see huutopussi_options.py, which has every option with its meaning. The phases below are
in playing order: redeal, auction, exchange and raise, tricks with declarations, scoring.
"""

from collections.abc import Sequence
from typing import Self

from protocol.messages import HuutopussiView, LastDeal, Play, encode
from referee.cards import SUITS, Pack, members, runs_of
from referee.games.game import Tally
from referee.games.huutopussi_json import Lasting, events_of, numbers
from referee.games.huutopussi_options import (
    CARD_POINTS,
    MARRIAGE_POINTS,
    Rules,
    check,
    highest_bid,
)
from referee.games.huutopussi_scoring import Scorer
from referee.games.marriages import Marriages
from referee.tricks import Trick, TrickRules

PACK = Pack("6789TJQKA")

# Places in the alphabet (rules of order: harmless actions first, cards in pack order).
PASS, KEEP, NO = 0, 1, 2
CARD = 3
GIVE = CARD + PACK.size
DISCARD = GIVE + PACK.size
CONTRACT = DISCARD + PACK.size

_CARDS = runs_of(PACK.width, CARD)
_GIVES = runs_of(PACK.width, GIVE)
_DISCARDS = runs_of(PACK.width, DISCARD)
_ONE_SUIT = {
    subset << PACK.width * suit: run[subset]
    for suit, run in enumerate(_CARDS)
    for subset in range(1, 1 << PACK.width)
}
"""The cards of a mask within one suit, as actions: most duties leave no more than that."""

_NAMES = tuple(
    tuple(tuple(PACK.names[card] for card in cards) for cards in run)
    for run in runs_of(PACK.width, 0)
)
"""The card strings of every subset of each suit."""

_QUOTED = tuple(tuple(tuple(f'"{name}"' for name in names) for names in run) for run in _NAMES)
_PLAYED = tuple(tuple(f'[{seat},"{name}"]' for name in PACK.names) for seat in range(4))
_TRUMPS = (*(f'"{suit}"' for suit in SUITS), "null")
"""By suit; the last one is for no trump, which is suit -1."""

_Settled = tuple[
    list[int], list[int], list[tuple[int, int]], int | None,
    list[str], list[str], list[str], list[str],
]  # fmt: skip

_SIXES = PACK.mask("6" + suit for suit in SUITS)
_ACES = PACK.mask("A" + suit for suit in SUITS)
_ACES_TENS = _ACES | PACK.mask("T" + suit for suit in SUITS)
_SPADES = PACK.suits[0]

REDEAL, BID, GIVING, RETURNING, DISCARDING, NAMING, ANSWER, PLAY, OVER = range(9)
PHASES = (
    "redeal", "bid", "give", "return", "discard", "contract", "answer", "play", "over",
)  # fmt: skip


class Huutopussi:
    """Huutopussi with its options: tables of what the rules say, shared by all its deals."""

    name = "huutopussi"
    pack = PACK

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        self.rules = rules
        self.ruleset = ruleset
        self.seats: int = rules.players
        self.sides = (0, 1, 0, 1) if rules.teams else tuple(range(self.seats))
        self.side_count = 2 if rules.teams else self.seats
        self.left = tuple((seat + 1) % self.seats for seat in range(self.seats))
        self.hand_size = PACK.size // self.seats if rules.teams else (36 - self.seats) // self.seats
        self.talon_size = PACK.size - self.hand_size * self.seats

        self.bids = tuple(range(rules.min_bid, highest_bid(rules) + 1, rules.bid_step))
        self.bid = CONTRACT + len(self.bids)
        self.declare = self.bid + len(self.bids)
        self.named = self.declare + 4
        self.half = self.named + 4
        self.whole = self.half + 4
        self.yes = self.whole + 1
        self.redeal = self.yes + 1
        self.actions = (
            "pass", "keep", "no", *PACK.names,
            *(f"give:{card}" for card in PACK.names),
            *(f"discard:{card}" for card in PACK.names),
            *(f"contract:{n}" for n in self.bids),
            *(f"bid:{n}" for n in self.bids),
            *(f"{verb}:{suit}" for verb in ("declare", "name", "half") for suit in SUITS),
            "whole", "yes", "redeal",
        )  # fmt: skip
        self.events = events_of(self.actions, self.seats)
        self.index = {action: place for place, action in enumerate(self.actions)}

        self.trick_rules = TrickRules(
            PACK,
            rules.rank_order,
            must_head=rules.must_head,
            head_lapses_when_ruffed=rules.head_lapses_when_ruffed,
            must_trump=rules.must_trump,
            must_overtrump=rules.must_overtrump,
        )
        self.above_jack = sum(self.trick_rules.above[PACK.index["J" + suit]] for suit in SUITS)
        self.marriages = Marriages(PACK, ask_whole=rules.ask_whole, ask_half=rules.ask_half)
        self.scorer = Scorer(
            rules,
            self.sides,
            [
                (PACK.mask(rank + suit for suit in SUITS), points)
                for rank, points in CARD_POINTS[rules.card_points].items()
            ],
            MARRIAGE_POINTS[rules.marriage_points],
            self.marriages.kings_queens,
        )
        self.stages = self._stages()
        self.lead_options: dict[tuple[int, int, int], tuple[int, ...]] = {}
        """What may be declared or asked, by (royals held, royals open, permissions); filled in."""

    def _stages(self) -> tuple[int, ...]:
        """The phases between the auction and the first trick, in order."""
        early = self.rules.raise_timing == "before_return"
        if self.rules.exchange == "talon":
            return (NAMING, DISCARDING) if early else (DISCARDING, NAMING)
        return (GIVING, NAMING, RETURNING) if early else (GIVING, RETURNING, NAMING)

    def first(self, set_number: int) -> Tally:
        """The dealer of a set's first deal: seat `set mod seats`, or the option's."""
        option = self.rules.first_dealer
        dealer = set_number % self.seats if option == "by_set" else option
        return Tally(score=(0,) * self.side_count, dealer=dealer)

    def deal(
        self,
        cards: Sequence[int],
        tally: Tally,
        redeals: tuple[int, ...] = (),
        last: LastDeal | None = None,
    ) -> "Deal":
        """A deal of these 36 cards, one at a time from the dealer's left; the rest is the talon."""
        return Deal(self, cards, tally, redeals, last)

    def dealing_order(self, hands: Sequence[int], talon: Sequence[int], dealer: int) -> list[int]:
        """The order of cards that deals these hands (masks) and this talon."""
        piles = [iter(PACK.cards(hand)) for hand in hands]
        first = self.left[dealer]
        dealt = self.hand_size * self.seats
        return [next(piles[(first + k) % self.seats]) for k in range(dealt)] + list(talon)

    def after(self, tally: Tally, points: Sequence[int]) -> Tally:
        """Add a deal's points; a game ends at the target, at `max_deals` or after a tie-break."""
        rules = self.rules
        score = tuple(a + b for a, b in zip(tally.score, points, strict=True))
        deals = tally.deals + 1
        top = max(score)
        best = tuple(side for side, total in enumerate(score) if total == top)
        reached = top >= rules.target if rules.target_mode == "at_least" else top > rules.target
        over = tally.extra or deals >= rules.max_deals
        extra = False
        if reached and not over:
            tied = len(best) > 1
            extra = tied and rules.tie == "extra_deal"
            over = not tied or rules.tie == "draw"
        return Tally(
            score=score,
            dealer=self.left[tally.dealer],
            deals=deals,
            extra=extra,
            winners=best if over else (),
        )

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        return self.scorer.floor_before_bidding()


class Deal:
    """One deal of Huutopussi in progress."""

    __slots__ = (
        "_fixed", "_lasting", "_seen", "_shown", "answers", "asked", "bidder", "chosen",
        "contract", "declared",
        "declarer", "discards", "game", "given", "hands", "high", "history", "last", "no_declare",
        "no_whole", "open_royals", "passed", "phase", "question", "redealer", "redeals",
        "seats_asked", "stage", "taken", "tally", "talon", "to_act", "trick", "tricks", "trump",
        "window", "winner",
    )  # fmt: skip

    def __init__(
        self,
        game: Huutopussi,
        cards: Sequence[int],
        tally: Tally,
        redeals: tuple[int, ...],
        last: LastDeal | None,
    ) -> None:
        self.game = game
        self.tally = tally
        self.redeals = redeals
        self.last = last
        seats = game.seats
        first = game.left[tally.dealer]
        dealt = game.hand_size * seats
        hands = [0] * seats
        for start in range(seats):
            hand = 0
            for card in cards[start:dealt:seats]:
                hand |= 1 << card
            hands[(first + start) % seats] = hand
        self.hands = hands
        self.talon = tuple(cards[dealt:])
        self.history: list[tuple[int, int]] = []
        self.redealer: int | None = None

        self.high = -1
        """Place of the highest bid in `game.bids`; -1 before the first."""
        self.bidder = -1
        self.passed = 0
        """Seats that have passed, as bits."""
        self.seats_asked = 0
        """Seats that have had their first turn to bid, as bits."""
        self.declarer: int | None = None
        self.contract: int | None = None
        self.stage = -1
        self.chosen = 0
        self.given: list[int] = []
        """What the declarer's partner gave (a mask), then what the declarer returned."""
        self.discards = 0

        self.trick = Trick(game.trick_rules, 0)
        self.tricks = [0] * seats
        self.taken = [0] * game.side_count
        """Cards each side has won."""
        self.winner = -1
        """Who won the last trick."""
        self.window = False
        """Whether the leader may declare or ask."""
        self.declared: list[tuple[int, int]] = []
        self.trump = -1
        self.open_royals = game.marriages.royals
        self.asked: list[tuple[int, int]] = []
        """(seat, action) of every ask."""
        self.answers: list[int] = []
        self.question = -1
        self.no_declare = 0
        """Seats that may no longer declare, as bits (`ask_lockout`)."""
        self.no_whole = 0
        self._shown: list[list[Play]] | None = None
        self._seen = [0] * seats
        self._fixed: list[_Settled | None] = [None] * seats
        self._lasting: list[Lasting | None] = [None] * seats

        self.to_act: int | None = first
        self.phase = BID
        if game.rules.redeal != "none" and game.rules.redeal_window == "before_bidding":
            self._ask_redeal(first, 0)

    # ---- redeal ------------------------------------------------------------------------------

    def _eligible(self, seat: int) -> bool:
        """Whether a seat's hand may demand new cards."""
        hand = self.hands[seat]
        if (hand & _SIXES).bit_count() >= 3:
            return True
        rule = self.game.rules.redeal
        return rule == "three_sixes_or_nothing_above_jack" and not hand & self.game.above_jack

    def _ask_redeal(self, first: int, skipped: int) -> None:
        """Ask the next eligible seat from the forehand on; after the last one, bidding starts."""
        seats = self.game.seats
        for turn in range(skipped, seats):
            seat = (first + turn) % seats
            if self._eligible(seat):
                self.phase = REDEAL
                self.to_act = seat
                return
        self.phase = BID
        self.to_act = first

    def _apply_redeal(self, seat: int, action: int) -> None:
        if action == self.game.redeal:
            self.redealer = seat
            self.to_act = None
            self.phase = OVER
            return
        first = self.game.left[self.tally.dealer]
        self._ask_redeal(first, (seat - first) % self.game.seats + 1)

    # ---- auction -----------------------------------------------------------------------------

    def _barred(self, seat: int) -> bool:
        rules = self.game.rules
        score = self.tally.score[self.game.sides[seat]]
        if rules.bid_bar == "below":
            return score < rules.bar_at
        return rules.bid_bar == "at_or_below" and score <= rules.bar_at

    def _legal_bid(self) -> tuple[int, ...]:
        game = self.game
        rules = game.rules
        seat = self.to_act
        assert seat is not None
        must_open = self.high < 0 and rules.opening_forced
        legal: tuple[int, ...]
        if self._barred(seat):
            legal = (game.bid,) if must_open else (PASS,)
        else:
            bids = tuple(range(game.bid + self.high + 1, game.declare))
            legal = bids if must_open else (PASS, *bids)
        if (
            rules.redeal_window == "first_bid_turn"
            and rules.redeal != "none"
            and not self.seats_asked >> seat & 1
            and self._eligible(seat)
        ):
            legal = (*legal, game.redeal)
        return legal

    def _apply_bid(self, seat: int, action: int) -> None:
        game = self.game
        if action == game.redeal:
            self._apply_redeal(seat, action)
            return
        self.seats_asked |= 1 << seat
        if action == PASS:
            self.passed |= 1 << seat
        else:
            self.high = action - game.bid
            self.bidder = seat
        out = self.passed.bit_count()
        if self.high >= 0 and (out == game.seats - 1 or self.high == len(game.bids) - 1):
            self.declarer = self.bidder
            self._next_stage()
        elif out == game.seats:
            self.phase = PLAY
            self.to_act = game.left[self.tally.dealer]
        else:
            left = game.left[seat]
            while self.passed >> left & 1:
                left = game.left[left]
            self.to_act = left

    # ---- exchange and raise ------------------------------------------------------------------

    def _next_stage(self) -> None:
        """Enter the next phase between auction and first trick, or the first trick."""
        game = self.game
        declarer = self.declarer
        assert declarer is not None
        self.stage += 1
        if self.stage == 0 and game.talon_size:
            for card in self.talon:
                self.hands[declarer] |= 1 << card
        if self.stage == len(game.stages):
            self.phase = PLAY
            self.to_act = declarer
            return
        self.phase = game.stages[self.stage]
        self.to_act = (declarer + 2) % 4 if self.phase == GIVING else declarer

    def _apply_give(self, seat: int, action: int) -> None:
        bit = 1 << action - GIVE
        self.hands[seat] ^= bit
        self.chosen |= bit
        if self.chosen.bit_count() == self.game.rules.exchange_count:
            self.given.append(self.chosen)
            self.hands[(seat + 2) % 4] |= self.chosen
            self.chosen = 0
            self._next_stage()

    def _legal_discard(self) -> tuple[int, ...]:
        assert self.to_act is not None
        hand = self.hands[self.to_act]
        if self.game.rules.discard_rule == "no_aces_tens":
            hand &= ~_ACES_TENS
        return members(hand, _DISCARDS, PACK.width)

    def _apply_discard(self, seat: int, action: int) -> None:
        bit = 1 << action - DISCARD
        self.hands[seat] ^= bit
        self.chosen |= bit
        if self.chosen.bit_count() == self.game.talon_size:
            self.discards = self.chosen
            self.chosen = 0
            self._next_stage()

    def _legal_contract(self) -> tuple[int, ...]:
        assert self.to_act is not None
        lowest = CONTRACT + self.high
        if self._barred(self.to_act) and not self.game.rules.bar_may_raise:
            return (lowest,)
        return tuple(range(lowest, self.game.bid))

    def _apply_contract(self, _seat: int, action: int) -> None:
        self.contract = self.game.bids[action - CONTRACT]
        self._next_stage()

    # ---- tricks and declarations -------------------------------------------------------------

    def legal(self) -> Sequence[int]:
        """Every legal action of the seat to act, rising; empty once the deal is over."""
        seat = self.to_act
        if self.phase == PLAY:
            assert seat is not None
            hand = self.hands[seat]
            trick = self.trick
            if not trick.mask:
                return self._legal_lead(seat, hand)
            if self.winner < 0 and self.game.rules.ace_shows and hand & trick.led & _ACES:
                return _ONE_SUIT[hand & trick.led & _ACES]
            mask = trick.legal(hand)
            one_suit = _ONE_SUIT.get(mask)
            return one_suit if one_suit is not None else members(mask, _CARDS, 9)
        if self.phase == BID:
            return self._legal_bid()
        if self.phase in (GIVING, RETURNING):
            assert seat is not None
            return members(self.hands[seat], _GIVES, PACK.width)
        if self.phase == DISCARDING:
            return self._legal_discard()
        if self.phase == NAMING:
            return self._legal_contract()
        if self.phase == REDEAL:
            return (KEEP, self.game.redeal)
        return self._legal_answer() if self.phase == ANSWER else ()

    def _legal_lead(self, seat: int, hand: int) -> tuple[int, ...]:
        """The cards that may be led, then what may be declared or asked instead first."""
        if self.window:
            game = self.game
            permissions = (self.no_declare >> seat & 1) | (self.no_whole >> seat & 1) << 1
            if not hand & (hand - 1):
                permissions |= 4
            key = (hand & self.open_royals, self.open_royals, permissions)
            options = game.lead_options.get(key)
            if options is None:
                options = game.lead_options[key] = self._options(hand, *key)
            return members(hand, _CARDS, 9) + options
        if self.winner < 0 and self.game.rules.first_lead != "any":
            if hand & _ACES:
                hand &= _ACES
            elif self.game.rules.first_lead == "ace_then_spade" and hand & _SPADES:
                hand &= _SPADES
        return members(hand, _CARDS, 9)

    def _options(self, hand: int, held: int, open_royals: int, barred: int) -> tuple[int, ...]:
        """Declarations and asks, as actions."""
        game = self.game
        marriages = game.marriages
        found: list[int] = []
        if not barred & 1:
            found += [game.declare + suit for suit in marriages.whole(held, open_royals)]
        found += [game.half + suit for suit in marriages.halves(held, open_royals)]
        if not barred & 2 and marriages.may_ask_whole(hand, open_royals):
            found.append(game.whole)
        return tuple(found)

    def apply(self, action: int) -> None:
        """Play a legal action of the seat to act."""
        seat = self.to_act
        assert seat is not None
        self.history.append((seat, action))
        if self.phase != PLAY:
            _APPLY[self.phase](self, seat, action)
        elif action < GIVE:
            card = action - CARD
            bit = 1 << card
            self.hands[seat] ^= bit
            if bit & self.open_royals:
                suit = self.game.marriages.suit_of_royal[bit]
                self.open_royals &= ~self.game.marriages.kings_queens[suit]
            trick = self.trick
            if not trick.mask:
                trick.lead(seat, card)
                self.window = False
                self.to_act = self.game.left[seat]
            else:
                trick.follow(seat, card)
                if len(trick.plays) == self.game.seats:
                    self._end_trick()
                else:
                    self.to_act = self.game.left[seat]
        else:
            self._apply_declaration(seat, action)

    def _end_trick(self) -> None:
        game = self.game
        trick = self.trick
        self.winner = winner = trick.winner
        self.tricks[winner] += 1
        self.taken[game.sides[winner]] |= trick.mask
        if not self.hands[winner]:
            self.phase = OVER
            self.to_act = None
            return
        right = game.rules.trump_right
        self.window = (
            right == "won"
            or trick.plays[0][0] == winner
            or (right == "first_won_and_led" and bool(self.declared))
        )
        self.trick = Trick(game.trick_rules, PACK.suits[self.trump] if self.trump >= 0 else 0)
        self.to_act = winner

    def _apply_declaration(self, seat: int, action: int) -> None:
        """A declaration makes trump; an ask goes to the partner. Either uses up the window."""
        game = self.game
        self.window = False
        if action < game.named:
            self._make_trump(seat, action - game.declare)
            return
        self.asked.append((seat, action))
        partner = (seat + 2) % 4
        pair = 1 << seat | 1 << partner
        lockout = game.rules.ask_lockout
        if lockout == "pagat" and action == game.whole:
            self.no_declare |= 1 << seat
            self.no_whole |= 1 << partner
        elif lockout == "illisoft":
            self.no_declare |= 1 << seat
            if action != game.whole:
                self.no_declare |= pair
                self.no_whole |= pair
        self.question = action
        self.phase = ANSWER
        self.to_act = partner

    def _legal_answer(self) -> tuple[int, ...]:
        """What the rules let a partner say: the truth; a choice only between several marriages."""
        game = self.game
        assert self.to_act is not None
        hand = self.hands[self.to_act]
        if self.question == game.whole:
            suits = game.marriages.whole(hand, self.open_royals)
            return tuple(game.named + suit for suit in suits) or (NO,)
        return (game.yes,) if game.marriages.answer_half(hand, self.question - game.half) else (NO,)

    def dictated(self) -> bool:
        """Whether the answer wanted is dictated by the rules, so that nobody is asked."""
        return self.phase == ANSWER and len(self._legal_answer()) == 1

    def _apply_answer(self, partner: int, action: int) -> None:
        game = self.game
        asker = (partner + 2) % 4
        self.answers.append(action)
        self.phase = PLAY
        self.to_act = asker
        if action == game.yes:
            suit = self.question - game.half
            if game.marriages.joined(self.hands[asker], self.hands[partner], suit):
                self._make_trump(asker, suit)
        elif action != NO:
            self._make_trump(asker, action - game.named)

    def _make_trump(self, seat: int, suit: int) -> None:
        """The suit is trump at once; its points are the declaring side's for good."""
        self.declared.append((seat, suit))
        self.open_royals &= ~self.game.marriages.kings_queens[suit]
        self.trump = suit
        self.trick = Trick(self.game.trick_rules, PACK.suits[suit])

    # ---- scoring -----------------------------------------------------------------------------

    def raw(self) -> tuple[int, ...]:
        """Points that each side has won so far: cards, marriages, last trick, counted discards."""
        return tuple(self.game.scorer.raw(self))

    def points(self) -> tuple[int, ...]:
        """The deal's points by side, once it is over."""
        return self.game.scorer.points(self)

    def summary(self) -> LastDeal:
        """What the next deal's views say of this one, once it is over."""
        return LastDeal(
            points=list(self.points()), declarer=self.declarer, contract=self.contract
        )

    def floor(self, side: int) -> float:
        """A net that no continuation takes this side below."""
        return self.game.scorer.floor(self, side)

    # ---- views -------------------------------------------------------------------------------

    def _history(self, viewer: int) -> list[Play]:
        """The history as a seat may know it: others' gives and discards as `?`, no `keep`."""
        if self._shown is None:
            self._shown = [[] for _ in self.hands]
        shown = self._shown[viewer]
        actions = self.game.actions
        for seat, action in self.history[self._seen[viewer] :]:
            if seat != viewer and action < CONTRACT:
                if action >= DISCARD:
                    shown.append((seat, "discard:?"))
                    continue
                if action >= GIVE:
                    shown.append((seat, "give:?"))
                    continue
                if action == KEEP:
                    continue
            shown.append((seat, actions[action]))
        self._seen[viewer] = len(self.history)
        return shown.copy()

    def view(self, seat: int) -> HuutopussiView:
        """All that a seat may know."""
        phase = self.phase
        mine = seat == self.to_act
        trick = self.trick
        if phase == PLAY:
            fixed = self._fixed[seat]
            if fixed is None:
                fixed = self._fixed[seat] = self._settled(seat)
            leader = trick.plays[0][0] if trick.mask else self.to_act
        else:
            fixed = self._settled(seat)
            leader = self.asked[-1][0] if phase == ANSWER else None
            if phase == REDEAL and not mine:
                phase = BID  # that a seat may demand a redeal is its own secret
        redeals, score, bids, bid, talon, given, received, discarded = fixed
        names = PACK.names
        return HuutopussiView(
            seat=seat,
            deal=self.tally.deals,
            dealer=self.tally.dealer,
            redeals=redeals,
            phase=PHASES[phase],
            score=score,
            hand=list(members(self.hands[seat], _NAMES, 9)),
            counts=[hand.bit_count() for hand in self.hands],
            leader=leader,
            trick=[(player, names[card]) for player, card in trick.plays],
            history=self._history(seat),
            trump=SUITS[self.trump] if self.trump >= 0 else None,
            tricks=self.tricks.copy(),
            last=self.last,
            bids=bids,
            declarer=self.declarer,
            bid=bid,
            contract=self.contract,
            talon=talon,
            chosen=PACK.texts(self.chosen) if mine and self.chosen else [],
            given=given,
            received=received,
            discarded=discarded,
            declared=[(player, SUITS[suit]) for player, suit in self.declared],
            asked=self._asked() if self.asked else [],
        )

    def view_json(self, seat: int) -> bytes:
        """`encode(view(seat))`, faster while cards are played."""
        if self.phase != PLAY:
            return encode(self.view(seat))
        lasting = self._lasting[seat]
        if lasting is None:
            lasting = self._lasting[seat] = Lasting(self.view(seat), len(self.history))
        elif lasting.seen < len(self.history):
            events = self.game.events
            # Everything since the exchange is public.
            new = "".join([events[who][act] for who, act in self.history[lasting.seen :]])
            lasting.history = lasting.history + new if lasting.history else new[1:]
            lasting.seen = len(self.history)
        plays = self.trick.plays
        trick = ",".join([_PLAYED[who][card] for who, card in plays])
        text = (
            f'{lasting.head},"hand":[{",".join(members(self.hands[seat], _QUOTED, 9))}],'
            f'"counts":{numbers(tuple([hand.bit_count() for hand in self.hands]))},'
            f'"leader":{plays[0][0] if plays else self.to_act},"trick":[{trick}],'
            f'"history":[{lasting.history}],"trump":{_TRUMPS[self.trump]},'
            f'"tricks":{numbers(tuple(self.tricks))}{lasting.tail},"declared":'
        )
        declared = [(player, SUITS[suit]) for player, suit in self.declared]
        rest = f"{encode(declared).decode() if declared else '[]'}," + (
            f'"asked":{encode(self._asked()).decode() if self.asked else "[]"}}}'
        )
        return (text + rest).encode("ascii")

    def _settled(self, seat: int) -> _Settled:
        """What no longer changes once cards are played: computed once for a seat then."""
        game = self.game
        declarer = self.declarer
        first, end = game.bid, game.declare
        given, received = self._exchanged(seat)
        talon_seen = declarer is not None and (game.rules.talon_public or seat == declarer)
        return (
            list(self.redeals),
            list(self.tally.score),
            [(player, game.bids[a - first]) for player, a in self.history if first <= a < end],
            game.bids[self.high] if declarer is not None else None,
            [PACK.names[card] for card in self.talon] if talon_seen else [],
            given,
            received,
            PACK.texts(self.discards) if seat == declarer else [],
        )

    def _asked(self) -> list[tuple[int, str, str]]:
        """Every ask with its answer, as public as both are."""
        actions = self.game.actions
        answers = [*self.answers, -1]
        return [
            (player, actions[ask], actions[answer] if answer >= 0 else "")
            for (player, ask), answer in zip(self.asked, answers, strict=False)
        ]

    def _exchanged(self, seat: int) -> tuple[list[str], list[str]]:
        """What a seat has given to its partner and received from it."""
        if self.declarer is None or not self.given:
            return [], []
        to_declarer = PACK.texts(self.given[0])
        returned = PACK.texts(self.given[1]) if len(self.given) > 1 else []
        if seat == self.declarer:
            return returned, to_declarer
        if seat == (self.declarer + 2) % 4:
            return to_declarer, returned
        return [], []

    def copy(self) -> Self:
        """An independent copy, for bots that search."""
        twin = object.__new__(type(self))
        for slot in _SHARED_SLOTS:
            setattr(twin, slot, getattr(self, slot))
        for slot in _LIST_SLOTS:
            setattr(twin, slot, getattr(self, slot).copy())
        twin._shown = None
        twin._seen = [0] * len(self.hands)
        twin._fixed = [None] * len(self.hands)
        twin._lasting = [None] * len(self.hands)
        return twin


_LIST_SLOTS = (
    "answers", "asked", "declared", "given", "hands", "history", "taken", "trick", "tricks",
)  # fmt: skip
_SHARED_SLOTS = tuple(
    slot for slot in Deal.__slots__ if slot not in _LIST_SLOTS and not slot.startswith("_")
)

_APPLY = {
    REDEAL: Deal._apply_redeal,
    BID: Deal._apply_bid,
    GIVING: Deal._apply_give,
    RETURNING: Deal._apply_give,
    DISCARDING: Deal._apply_discard,
    NAMING: Deal._apply_contract,
    ANSWER: Deal._apply_answer,
}
