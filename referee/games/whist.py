"""Two pairs, 52 cards, no trump: what Tuppi and Minnesota Whist play alike.

Each seat in turn bids to take tricks (`rami`, `high`) or to lose them (`nolo`, `low`); the first
bid to take ends the bidding. Sources: a game site's text on Tuppi; Wikipedia and pagat.com on
both games; tuppiliitto.com for the cards that bids are shown with.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from protocol.messages import LastDeal, Play
from referee.cards import SUITS, Pack
from referee.games.game import Tally
from referee.games.tricktaking import PLAY, TrickDeal, TrickGame, ended, last_deal, says
from referee.tricks import RankOrder, Trick, TrickRules

BIDDING = 3

PACK = Pack("23456789TJQKA")
BLACK = PACK.suits[SUITS.index("S")] | PACK.suits[SUITS.index("C")]
RED = PACK.suits[SUITS.index("H")] | PACK.suits[SUITS.index("D")]
TRICKS = 13
MAJORITY = 7


class WhistRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of both games; each game's own struct has its defaults."""

    target: Annotated[int, Meta(ge=1, le=500, description="points that end a game")]
    bid_mode: Annotated[
        Literal["sequential", "sealed"],
        says("bids are heard one by one, or all are chosen first and then shown in turn"),
    ] = "sequential"
    bid_cards: Annotated[
        Literal["none", "hand_cards"],
        says("bids are words, or cards of the hand that are shown: their colour is the bid"),
    ] = "none"
    grand_points: Annotated[
        int, Meta(ge=1, le=100, description="points for each trick over six of those who bid it")
    ]
    grand_set_points: Annotated[
        int, Meta(ge=1, le=100, description="points for each trick over six of the others")
    ]
    low_points: Annotated[
        int, Meta(ge=1, le=100, description="points for each trick under seven when all bid low")
    ]
    grand_lead: Annotated[
        Literal["right_of_declarer", "left_of_declarer"],
        says("who leads first when somebody bid to take tricks"),
    ] = "right_of_declarer"
    first_dealer: Literal["by_set"] | Annotated[
        int, Meta(ge=0, le=3, description="by_set: seat s mod 4 deals first in set s; or a seat")
    ] = "by_set"


class WhistGame(TrickGame):
    """A game of this kind: its two words, the colours that stand for them, its alphabet."""

    pack = PACK
    low: str
    high: str
    low_cards: int
    """The cards that bid low (`bid_cards = "hand_cards"`)."""
    high_cards: int
    trick_rules: TrickRules
    low_bid: int
    high_bid: int

    def lay_table(
        self,
        rules: WhistRules,
        *,
        first: Sequence[str] = (),
        moves: Sequence[str] = (),
        last: Sequence[str] = (),
    ) -> None:
        """Set what follows from the options, and the alphabet with what else the game has in it.

        `first`, `moves` and `last` stand before the low bids, after the cards, and at the end.
        """
        self.seat_players(4, teams=True, hand_size=TRICKS)
        self.first_dealer = rules.first_dealer
        self.with_cards = rules.bid_cards == "hand_cards"
        self.sealed = rules.bid_mode == "sealed"
        self.grand_lead = rules.grand_lead
        self.trick_rules = trick_rules("plain")
        self.publish((
            *first, *self._bids(self.low, self.low_cards),
            *PACK.names, *moves,
            *self._bids(self.high, self.high_cards), *last,
        ))  # fmt: skip
        self.low_bid = self.index[self.low]
        self.high_bid = self.index[self.high]
        self.words = (self.low_bid, self.high_bid)

    def entered(self, tally: Tally, score: Sequence[int], target: int, most: int) -> Tally:
        """The next stage of a game with this score: over at the target or after `most` deals."""
        deals = tally.deals + 1
        top = max(score)
        best = [side for side, total in enumerate(score) if total == top]
        return Tally(
            score=tuple(score),
            dealer=self.left[tally.dealer],
            unit=tally.unit,
            deals=deals,
            winners=ended(deals, most, score, best if top >= target and len(best) == 1 else ()),
        )

    def _bids(self, word: str, cards: int) -> tuple[str, ...]:
        """A word and, right after it, the word with each card that may be shown for it."""
        shown = PACK.texts(cards) if self.with_cards else []
        return (word, *(f"{word}:{card}" for card in shown))

    def bids_of(self, hand: int) -> tuple[int, ...]:
        """What a hand may bid: with cards the word alone only where no card says it."""
        if not self.with_cards:
            return self.words
        found: list[int] = []
        for word, cards in ((self.low, self.low_cards), (self.high, self.high_cards)):
            suitable = PACK.texts(hand & cards)
            found += [self.index[f"{word}:{card}"] for card in suitable] or [self.index[word]]
        return tuple(found)


def trick_rules(order: RankOrder) -> TrickRules:
    """Follow suit, and nothing else."""
    return TrickRules(
        PACK, order, must_head=False, head_lapses_when_ruffed=False,
        must_trump=False, must_overtrump=False,
    )  # fmt: skip


class WhistDeal(TrickDeal):
    """A deal with its bidding and its tricks; each game says what they are worth."""

    __slots__ = ("bids", "contract", "declarer", "ends_early", "following", "players")

    PHASES: ClassVar[tuple[str, ...]] = ("play", "answer", "over", "bid")

    game: WhistGame

    def __init__(
        self, game: WhistGame, cards: Sequence[int], tally: Tally, last: LastDeal | None
    ) -> None:
        super().__init__(
            game, game.dealt_hands(cards, tally.dealer), tally, game.trick_rules, last
        )
        self.phase = BIDDING
        self.bids = 0
        """Bids made, the first actions of the history."""
        self.declarer: int | None = None
        """Who bid to take tricks."""
        self.contract: str | None = None
        self.players = 4
        """How many play to each trick."""
        self.following = game.left
        """Who plays after each seat."""
        self.ends_early = False
        """Whether the deal may be over before its last trick."""

    def legal(self) -> Sequence[int]:
        """Every legal action of the seat to act, rising; empty once the deal is over."""
        seat = self.to_act
        if seat is None:
            return ()
        hand = self.hands[seat]
        if self.phase == PLAY:
            cards = self.game.cards
            same = hand & self.trick.led
            return cards.one_suit[same] if same else cards.of(hand)
        return self.game.bids_of(hand) if self.phase == BIDDING else self.choices(seat)

    def choices(self, seat: int) -> Sequence[int]:
        """What may be done in a phase of the game's own."""
        raise NotImplementedError

    def choose(self, seat: int, action: int) -> None:
        """Play an action of such a phase."""
        raise NotImplementedError

    def apply(self, action: int) -> None:
        """Play a legal action of the seat to act."""
        seat = self.to_act
        assert seat is not None
        self.history.append((seat, action))
        if self.phase != PLAY:
            if self.phase == BIDDING:
                self._bid(seat, action)
            else:
                self.choose(seat, action)
            return
        card = action - self.game.first_card
        self.hands[seat] ^= self.game.pack.bits[card]
        trick = self.trick
        if not trick.led:
            trick.lead(seat, card)
            self.to_act = self.following[seat]
            return
        trick.follow(seat, card)
        if len(trick.plays) < self.players:
            self.to_act = self.following[seat]
            return
        self.winner = winner = trick.winner
        self.tricks[winner] += 1
        if not self.hands[winner] or (self.ends_early and self.decided()):
            self.end()
        else:
            self.lead_by(winner)

    def lead_by(self, seat: int) -> None:
        """A seat leads the next trick."""
        self.trick = Trick(self.trick.rules, 0)
        self.phase = PLAY
        self.to_act = seat

    def decided(self) -> bool:
        """Whether the deal ends before its last trick, where it may."""
        raise NotImplementedError

    # ---- bidding -----------------------------------------------------------------------------

    def _bid(self, seat: int, action: int) -> None:
        game = self.game
        self.bids += 1
        self.to_act = game.left[seat]
        if self.bids == game.seats:
            high = [bidder for bidder, bid in self.history if bid >= game.high_bid]
            self._settle(high[0] if high else None)
        elif action >= game.high_bid and not game.sealed:
            self._settle(seat)

    def _settle(self, declarer: int | None) -> None:
        self.declarer = declarer
        game = self.game
        if declarer is None:
            self.contract = game.low
            self.lead_by(game.left[self.tally.dealer])
        else:
            self.contract = game.high
            self.high_is_bid(declarer)

    def high_is_bid(self, declarer: int) -> None:
        """A seat has bid to take tricks, and the first trick is led."""
        turns = 1 if self.game.grand_lead == "left_of_declarer" else 3
        self.lead_by((declarer + turns) % 4)

    # ---- results -----------------------------------------------------------------------------

    def summary(self) -> LastDeal:
        """What the next deal's views say of this one, once it is over."""
        return last_deal(self.points(), self.declarer, self.contract)

    def worst(self, side: int) -> list[int]:
        """The tricks by side when all that is left goes against a side."""
        won = self.side_tricks()
        left = TRICKS - sum(won)
        to_take = self.contract == self.game.high
        won[1 - side if to_take else side] += left
        return won

    # ---- views -------------------------------------------------------------------------------

    def _revealed(self) -> int:
        """How many bids all seats know: sealed ones are shown up to the first to take tricks."""
        if not self.game.sealed:
            return self.bids
        if self.phase == BIDDING:
            return 0
        first = self.game.left[self.tally.dealer]
        return 4 if self.declarer is None else (self.declarer - first) % 4 + 1

    def shown(self, place: int) -> str | None:
        """How another's action is told: a sealed bid not at all until it is revealed."""
        if self._revealed() <= place < self.bids:
            return None
        return super().shown(place)

    def _history(self, viewer: int) -> list[Play]:
        """The history as a seat may know it; sealed bids of others come in when revealed."""
        if self.phase == BIDDING and self.game.sealed:
            actions = self.game.actions
            return [(seat, actions[bid]) for seat, bid in self.history if seat == viewer]
        return super()._history(viewer)

    def seen(self, seat: int) -> dict[str, Any]:
        """The fields of a view that both games have."""
        actions = self.game.actions
        fields = self.common(seat)
        revealed = self._revealed()
        fields["bids"] = [
            (bidder, actions[bid])
            for place, (bidder, bid) in enumerate(self.history[: self.bids])
            if place < revealed or bidder == seat
        ]
        fields["declarer"] = self.declarer
        fields["contract"] = self.contract
        return fields

