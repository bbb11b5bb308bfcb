"""Marjapussi ("bag of berries"): win tricks, declare marriages, score exactly twelve.

Sources: see marjapussi_options.py, which has every option with its meaning. Two pairs or three
single players play here; for two players with a stock the machine of Bondtolva is used.
"""

from collections.abc import Sequence

from protocol.messages import LastDeal, MarjapussiView
from referee.cards import SUITS, Pack
from referee.games.game import Tally
from referee.games.items import ItemScorer
from referee.games.marjapussi_options import Rules, check
from referee.games.marriages import MarriageDeal, MarriageGame, Marriages
from referee.games.stock import StockDeal, StockGame
from referee.games.tricktaking import (
    ANSWER,
    CLASSIC,
    MATES,
    PLAY,
    SIMPLE,
    Cards,
    Last,
    Redeals,
    last_deal,
    marriage_pack,
)
from referee.tricks import Trick, TrickRules


def majority_of(rules: Rules) -> dict[str, int]:
    """What each rank counts towards the item `mates`."""
    if rules.mates_by == "count":
        return MATES
    return CLASSIC if rules.card_points == "classic" else SIMPLE


def duties(pack: Pack, rules: Rules, *, beat: bool) -> TrickRules:
    """The duties of a trick; without `beat` nobody must head or overtrump."""
    return TrickRules(
        pack,
        "ace_ten",
        must_head=rules.must_head and beat,
        head_lapses_when_ruffed=rules.head_lapses_when_ruffed,
        must_trump=rules.must_trump,
        must_overtrump=rules.must_overtrump and beat,
    )


class Marjapussi(MarriageGame):
    """Marjapussi for two pairs or three single players, with its options."""

    name = "marjapussi"

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        self.rules = rules
        self.ruleset = ruleset
        self.pack = pack = marriage_pack(rules.deck)
        players = rules.players
        self.seat_players(players, teams=players == 4, hand_size=rules.deck // players)
        self.first_dealer = rules.first_dealer
        self.trump_stays = True
        self.trick_rules = duties(pack, rules, beat=True)
        self.first_trick_rules = duties(pack, rules, beat=rules.first_trick_must_beat)
        self.marriages = Marriages(
            pack,
            ask_whole=rules.ask_whole,
            ask_half=rules.ask_half,
            ask_only_without_own=rules.ask_only_without_own,
        )
        asks = rules.ask_whole or rules.ask_half != "none"
        first, more = (("no",), self.ASKS) if asks else ((), ())
        self.publish((*first, *pack.names, *self.DECLARATIONS, *more))
        self.scorer = ItemScorer(self, rules, majority_of(rules))
        self.aces = pack.mask("A" + suit for suit in SUITS)

    def deal(self, cards: Cards, tally: Tally, _: Redeals = (), last: Last = None) -> "Deal":
        """A deal of these cards, in dealing order."""
        return Deal(self, cards, tally, last)

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        return self.scorer.lowest()


class Deal(MarriageDeal):
    """One deal of Marjapussi in progress."""

    __slots__ = ("made",)

    game: Marjapussi

    def __init__(
        self, game: Marjapussi, cards: Sequence[int], tally: Tally, last: LastDeal | None
    ) -> None:
        super().__init__(game, game.dealt_hands(cards, tally.dealer), tally, last)
        self.trick = Trick(game.first_trick_rules, 0)
        self.made = 0
        """King and queen of the marriage made since the last trick."""

    def legal(self) -> Sequence[int]:
        """Every legal action of the seat to act, rising; empty once the deal is over."""
        seat = self.to_act
        if seat is None:
            return ()
        if self.phase != PLAY:
            return self.legal_answer()
        game = self.game
        hand = self.hands[seat]
        trick = self.trick
        if trick.mask:
            spared = game.rules.spare_partner and (seat - trick.winner) % 4 == 2
            return game.cards.of(trick.legal_unbeaten(hand) if spared else trick.legal(hand))
        if self.window:
            return game.cards.of(hand) + self.announcements(seat)
        return game.cards.of(self._leads(hand))

    def _leads(self, hand: int) -> int:
        """The cards that may be led where nothing may be declared."""
        rules = self.game.rules
        if self.made and rules.declare_must_lead_marriage:
            return hand & self.made or hand
        if self.winner < 0 and rules.first_lead != "any":
            spades = self.game.pack.suits[0] if rules.first_lead == "ace_then_spade" else 0
            return hand & self.game.aces or hand & spades or hand
        return hand

    def trick_is_over(self) -> None:
        """The winner leads the next trick and may declare before that."""
        if not self.hands[self.winner]:
            self.end()
            return
        self.window = True
        self.made = 0
        self.trick = Trick(self.game.trick_rules, 0)
        self.lead_by(self.winner)

    def make_marriage(self, seat: int, suit: int) -> None:
        """A marriage is made; with `timing = "immediate"` it may end the game."""
        super().make_marriage(seat, suit)
        self.made = self.game.marriages.kings_queens[suit]
        if self.game.scorer.reached(self):
            self.end()

    # ---- results and views -------------------------------------------------------------------

    def points(self) -> tuple[int, ...]:
        """What each side's items are worth, once the deal is over."""
        return self.game.scorer.points(self)

    def after(self) -> Tally:
        """Where the game stands once this deal's items are entered."""
        return self.game.scorer.after(self, self.game.left[self.tally.dealer])

    def summary(self) -> LastDeal:
        """What the next deal's views say of this one, once it is over."""
        return last_deal(self.points())

    def floor(self, side: int) -> float:
        """A net that no continuation takes this side below."""
        game = self.game
        ask_half = game.marriages.ask_half != "none"
        # A trick must be won with both halves in hand still, or one where a half can be asked.
        tricks = max(hand.bit_count() for hand in self.hands) - (1 if ask_half else 2)
        leader = self.leader() if self.window or self.phase == ANSWER else None
        declarable = [0] * game.side_count
        for other in range(game.side_count):
            hands = [self.hands[seat] for seat in range(game.seats) if game.sides[seat] == other]
            if ask_half or game.marriages.ask_whole:
                hands = [hands[0] | hands[-1]]
            held = sum(len(game.marriages.whole(hand, self.open_royals)) for hand in hands)
            now = leader is not None and game.sides[leader] == other
            declarable[other] = min(held, max(0, tricks + (1 if now else 0)))
        return game.scorer.floor(self, side, declarable)

    def view(self, seat: int) -> MarjapussiView:
        """All that a seat may know."""
        fields = self.common(seat)
        fields["trump"] = SUITS[self.trump] if self.trump >= 0 else None
        return MarjapussiView(
            **fields, declared=self.declared_suits(), asked=self.asked_suits(), stock=0, drawn=[]
        )


class ForTwo(StockGame):
    """Marjapussi for two players with a stock, and its options."""

    name = "marjapussi"
    rules: Rules

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        pack = marriage_pack(rules.deck)
        self.lay_table(rules, ruleset, duties(pack, rules, beat=True), majority_of(rules))

    def deal(self, cards: Cards, tally: Tally, _: Redeals = (), last: Last = None) -> "DealForTwo":
        """A deal of these cards, in dealing order."""
        return DealForTwo(self, cards, tally, last)


class DealForTwo(StockDeal):
    """One deal of Marjapussi for two in progress."""

    __slots__ = ()

    def view(self, seat: int) -> MarjapussiView:
        """All that a seat may know."""
        return MarjapussiView(**self.seen(seat), asked=[])


def marjapussi(rules: Rules, ruleset: str = "custom") -> Marjapussi | ForTwo:
    """The game for as many players as the options say.

    Raises ConfigError when options do not go together.
    """
    return ForTwo(rules, ruleset) if rules.players == 2 else Marjapussi(rules, ruleset)
