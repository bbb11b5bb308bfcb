"""Huutopussi ("bid bag"): bid, exchange, raise, then win tricks and declare marriages.

Sources: see huutopussi_options.py, which has every option with its meaning. The phases below are
in playing order: redeal, auction, exchange and raise, tricks with declarations, scoring.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from protocol.messages import HuutopussiView, LastDeal
from referee.cards import SUITS, lister
from referee.games.game import Tally
from referee.games.huutopussi_json import Stories, Writer, stories_of
from referee.games.huutopussi_options import (
    CARD_POINTS,
    MARRIAGE_POINTS,
    Rules,
    check,
    highest_bid,
)
from referee.games.huutopussi_scoring import Scorer
from referee.games.marriages import MarriageDeal, MarriageGame, Marriages
from referee.games.tricktaking import ANSWER, PLAY, last_deal, marriage_pack
from referee.tricks import TrickRules

PACK = marriage_pack(36)

# Places in the alphabet (rules of order: harmless actions first, cards in pack order).
PASS, KEEP = 0, 1
CARD = 3
GIVE = CARD + PACK.size
DISCARD = GIVE + PACK.size
CONTRACT = DISCARD + PACK.size

_gives = lister(PACK.width, GIVE)
_discards = lister(PACK.width, DISCARD)

_Settled = tuple[
    list[int], list[int], list[tuple[int, int]], int | None,
    list[str], list[str], list[str], list[str],
]  # fmt: skip

_SIXES = PACK.mask("6" + suit for suit in SUITS)
_ACES = PACK.mask("A" + suit for suit in SUITS)
_ACES_TENS = _ACES | PACK.mask("T" + suit for suit in SUITS)
_SPADES = PACK.suits[0]

REDEAL, BID, GIVING, RETURNING, DISCARDING, NAMING = range(3, 9)
PHASES = (
    "play", "answer", "over", "redeal", "bid", "give", "return", "discard", "contract",
)  # fmt: skip


class Huutopussi(MarriageGame):
    """Huutopussi with its options: tables of what the rules say, shared by all its deals."""

    name = "huutopussi"
    pack = PACK

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        self.rules = rules
        self.ruleset = ruleset
        players = rules.players
        hand_size = PACK.size // players if rules.teams else (36 - players) // players
        self.seat_players(players, teams=rules.teams, hand_size=hand_size)
        self.first_dealer = rules.first_dealer
        self.talon_size = PACK.size - self.hand_size * self.seats

        self.bids = tuple(range(rules.min_bid, highest_bid(rules) + 1, rules.bid_step))
        self.bid = CONTRACT + len(self.bids)
        self.publish((
            "pass", "keep", "no", *PACK.names,
            *(f"give:{card}" for card in PACK.names),
            *(f"discard:{card}" for card in PACK.names),
            *(f"contract:{n}" for n in self.bids),
            *(f"bid:{n}" for n in self.bids),
            *self.DECLARATIONS, *self.ASKS, "redeal",
        ))  # fmt: skip
        self.redeal = self.index["redeal"]
        self.raises = tuple(range(self.bid, self.declare))
        """Every bid, as actions."""
        self.trump_stays = False

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

    def _stages(self) -> tuple[int, ...]:
        """The phases between the auction and the first trick, in order."""
        early = self.rules.raise_timing == "before_return"
        if self.rules.exchange == "talon":
            return (NAMING, DISCARDING) if early else (DISCARDING, NAMING)
        return (GIVING, NAMING, RETURNING) if early else (GIVING, RETURNING, NAMING)

    def deal(
        self,
        cards: Sequence[int],
        tally: Tally,
        redeals: tuple[int, ...] = (),
        last: LastDeal | None = None,
    ) -> "Deal":
        """A deal of these 36 cards, one at a time from the dealer's left; the rest is the talon."""
        return Deal(self, cards, tally, redeals, last)

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
            unit=tally.unit,
            deals=deals,
            extra=extra,
            winners=best if over else (),
        )

    @cached_property
    def stories(self) -> Stories:
        """Every event as it is told; only for views."""
        return stories_of(self.actions, self.seats, self.told)

    def told(self, action: int) -> str | None:
        """Others' gives and discards are told as `?`, their `keep` not at all."""
        if action >= CONTRACT or CARD <= action < GIVE:
            return self.actions[action]
        if action >= GIVE:
            return "discard:?" if action >= DISCARD else "give:?"
        return None if action == KEEP else self.actions[action]

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        return self.scorer.floor_before_bidding()


class Deal(MarriageDeal):
    """One deal of Huutopussi in progress."""

    __slots__ = (
        "_fixed", "_writer", "bidder", "chosen", "contract", "declarer", "discards", "given",
        "high", "no_declare", "no_whole", "passed", "seats_asked", "stage", "talon",
    )  # fmt: skip

    LISTS: ClassVar[tuple[str, ...]] = ("given",)
    PHASES = PHASES

    game: Huutopussi

    def __init__(
        self,
        game: Huutopussi,
        cards: Sequence[int],
        tally: Tally,
        redeals: tuple[int, ...],
        last: LastDeal | None,
    ) -> None:
        super().__init__(game, game.dealt_hands(cards, tally.dealer), tally, last, redeals)
        self.talon = tuple(cards[game.hand_size * game.seats :])

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

        self.no_declare = 0
        """Seats that may no longer declare, as bits (`ask_lockout`)."""
        self.no_whole = 0
        self._fixed: list[_Settled | None] = [None] * game.seats
        self._writer: Writer | None = None

        self.phase = BID
        if game.rules.redeal != "none" and game.rules.redeal_window == "before_bidding":
            self._ask_redeal(game.left[tally.dealer], 0)

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
            self.end()
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
        if rules.bid_bar != "none" and self._barred(seat):
            legal = (game.bid,) if must_open else (PASS,)
        else:
            bids = game.raises[self.high + 1 :]
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
        return _discards(hand)

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
        seat: Any = self.to_act
        if self.phase == PLAY:
            hand = self.hands[seat]
            trick = self.trick
            if not trick.led:
                return self._legal_lead(seat, hand)
            cards = self.game.cards
            mask = trick.legal(hand) if self.winner >= 0 else self._first_follow(hand)
            found = cards.one_suit.get(mask)
            if found is None:
                listed = cards.any_suit
                found = listed(mask)
            return found
        if self.phase == BID:
            return self._legal_bid()
        if self.phase in (GIVING, RETURNING):
            return _gives(self.hands[seat])
        if self.phase == DISCARDING:
            return self._legal_discard()
        if self.phase == NAMING:
            return self._legal_contract()
        if self.phase == REDEAL:
            return (KEEP, self.game.redeal)
        return self.legal_answer() if self.phase == ANSWER else ()

    def _legal_lead(self, seat: int, hand: int) -> tuple[int, ...]:
        """The cards that may be led, then what may be declared or asked instead first."""
        listed = self.game.cards.any_suit
        if self.window:
            barred = 0
            if self.no_declare or self.no_whole:
                barred = (self.no_declare >> seat & 1) | (self.no_whole >> seat & 1) << 1
            return listed(hand) + self.announcements(seat, barred)
        if self.winner < 0 and self.game.rules.first_lead != "any":
            if hand & _ACES:
                hand &= _ACES
            elif self.game.rules.first_lead == "ace_then_spade" and hand & _SPADES:
                hand &= _SPADES
        return listed(hand)

    def _first_follow(self, hand: int) -> int:
        """The cards of a hand that may be played to the first trick, once it has been led."""
        trick = self.trick
        shown = hand & trick.led & _ACES if self.game.rules.ace_shows else 0
        return shown or trick.legal(hand)

    def choose(self, seat: int, action: int) -> None:
        """Play an action outside the tricks."""
        _APPLY[self.phase](self, seat, action)

    def trick_is_over(self) -> None:
        """The winner leads the next trick, and may declare if this was the trick for it."""
        winner = self.winner
        if not self.hands[winner]:
            self.end()
            return
        right = self.game.rules.trump_right
        self.window = (
            right == "won"
            or self.trick.plays[0][0] == winner
            or (right == "first_won_and_led" and bool(self.declared))
        )
        self.lead_by(winner)

    def was_asked(self, seat: int, action: int) -> None:
        """What an ask forbids to the asker and its partner from now on (`ask_lockout`)."""
        partner = (seat + 2) % 4
        whole = action == self.game.whole
        lockout = self.game.rules.ask_lockout
        if lockout == "pagat" and whole:
            self.no_declare |= 1 << seat
            self.no_whole |= 1 << partner
        elif lockout == "illisoft":
            self.no_declare |= 1 << seat
            if not whole:
                pair = 1 << seat | 1 << partner
                self.no_declare |= pair
                self.no_whole |= pair

    # ---- scoring -----------------------------------------------------------------------------

    def raw(self) -> tuple[int, ...]:
        """Points that each side has won so far: cards, marriages, last trick, counted discards."""
        return tuple(self.game.scorer.raw(self))

    def points(self) -> tuple[int, ...]:
        """The deal's points by side, once it is over."""
        return self.game.scorer.points(self)

    def summary(self) -> LastDeal:
        """What the next deal's views say of this one, once it is over."""
        return last_deal(self.points(), self.declarer, self.contract)

    def after(self) -> Tally:
        """Where the game stands once this deal's points are entered."""
        return self.game.after(self.tally, self.points())

    def floor(self, side: int) -> float:
        """A net that no continuation takes this side below."""
        return self.game.scorer.floor(self, side)

    # ---- views -------------------------------------------------------------------------------

    def shown(self, place: int) -> str | None:
        """As the game tells it to the others."""
        return self.game.told(self.history[place][1])

    def phase_for(self, seat: int) -> str:
        """The phase as a seat is told; that a seat may demand a redeal is its own secret."""
        secret = self.phase == REDEAL and seat != self.to_act
        return PHASES[BID if secret else self.phase]

    def view(self, seat: int) -> HuutopussiView:
        """All that a seat may know."""
        mine = seat == self.to_act
        trick = self.trick
        if self.phase == PLAY:
            fixed = self._fixed[seat]
            if fixed is None:
                fixed = self._fixed[seat] = self._settled(seat)
            leader = trick.plays[0][0] if trick.mask else self.to_act
        else:
            fixed = self._settled(seat)
            leader = self.asked[-1][0] if self.phase == ANSWER else None
        redeals, score, bids, bid, talon, given, received, discarded = fixed
        names = PACK.names
        return HuutopussiView(
            seat=seat,
            deal=self.tally.deals,
            dealer=self.tally.dealer,
            redeals=redeals,
            phase=self.phase_for(seat),
            score=score,
            hand=PACK.texts(self.hands[seat]),
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
            declared=self.declared_suits(),
            asked=self.asked_suits() if self.asked else [],
        )

    def view_json(self, seat: int) -> str:
        """`encode(view(seat))` as text, faster."""
        writer = self._writer
        if writer is None:
            writer = self._writer = Writer(self)
        return writer.view(self, seat)

    def _settled(self, seat: int) -> _Settled:
        """What no longer changes once cards are played: computed once for a seat then."""
        game = self.game
        declarer = self.declarer
        first, end = game.bid, game.declare
        given, received = self.exchanged(seat)
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

    def exchanged(self, seat: int) -> tuple[list[str], list[str]]:
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
        twin = super().copy()
        twin._fixed = [None] * len(self.hands)
        twin._writer = None
        return twin


_APPLY = {
    REDEAL: Deal._apply_redeal,
    BID: Deal._apply_bid,
    GIVING: Deal._apply_give,
    RETURNING: Deal._apply_give,
    DISCARDING: Deal._apply_discard,
    NAMING: Deal._apply_contract,
    ANSWER: MarriageDeal.answer,
}
