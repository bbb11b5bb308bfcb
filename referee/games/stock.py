"""Two players with a stock: the machine of Bondtolva and of Marjapussi for two.

While the stock lasts there is no duty to follow; the winner of each trick may declare a marriage,
then both draw, the winner first. Once it is gone the duties are strict. Sources: the Swedish
pages on Bondtolva (kortspelsregler.com, casinon.nu, a page by R. Holmberg).
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from protocol.messages import LastDeal
from referee.cards import SUITS
from referee.games.game import Tally
from referee.games.items import ItemRules, ItemScorer
from referee.games.marriages import MarriageDeal, MarriageGame, Marriages
from referee.games.tricktaking import PLAY, last_deal
from referee.tricks import Trick, TrickRules

DECLARING = 3
PASS = 0

HAND = 6
"""Cards in each hand while the stock lasts."""
PACKET = 3
"""Cards are dealt so many at a time, the first to the player who does not deal."""


class StockGame(MarriageGame):
    """A game for two players with a stock, and its options."""

    scorer: ItemScorer
    open_rules: TrickRules
    """The rules of a trick while the stock lasts: nothing must be followed."""
    rules: ItemRules

    def lay_table(
        self, rules: ItemRules, ruleset: str, trick_rules: TrickRules, majority: dict[str, int]
    ) -> None:
        """Set what follows from the options and the rules of a trick without a stock."""
        self.rules = rules
        self.ruleset = ruleset
        self.pack = trick_rules.pack
        self.trick_rules = trick_rules
        self.seat_players(2, teams=False, hand_size=HAND)
        self.first_dealer = rules.first_dealer
        self.trump_stays = True
        self.marriages = Marriages(self.pack, ask_whole=False, ask_half="none")
        self.open_rules = TrickRules(
            self.pack, "ace_ten", must_head=False, head_lapses_when_ruffed=False,
            must_trump=False, must_overtrump=False,
        )  # fmt: skip
        self.publish(("pass", *self.pack.names, *self.DECLARATIONS))
        self.scorer = ItemScorer(self, rules, majority)

    def dealt_hands(self, cards: Sequence[int], dealer: int) -> list[int]:
        """Hands (masks): three cards to the other player, three to the dealer, and so again."""
        hands = [0, 0]
        for start in range(0, 2 * HAND, PACKET):
            seat = 1 - dealer if start // PACKET % 2 == 0 else dealer
            for card in cards[start : start + PACKET]:
                hands[seat] |= 1 << card
        return hands

    def dealing_order(self, hands: Sequence[int], rest: Sequence[int], dealer: int) -> list[int]:
        """The order of cards that deals these hands (masks) and this stock, top first."""
        other, own = (self.pack.cards(hands[seat]) for seat in (1 - dealer, dealer))
        return [*other[:3], *own[:3], *other[3:], *own[3:], *rest]

    def next_dealer(self, deal: "StockDeal") -> int:
        """Who deals next: the other player."""
        return 1 - deal.tally.dealer

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        return self.scorer.lowest()


class StockDeal(MarriageDeal):
    """One deal for two players with a stock, in progress."""

    __slots__ = ("drawn", "stock")

    LISTS: ClassVar[tuple[str, ...]] = ("drawn",)
    PHASES = ("play", "answer", "over", "declare")

    game: StockGame

    def __init__(
        self, game: StockGame, cards: Sequence[int], tally: Tally, last: LastDeal | None
    ) -> None:
        super().__init__(game, game.dealt_hands(cards, tally.dealer), tally, last)
        self.stock = tuple(cards[2 * HAND :])
        """All of the stock, top first."""
        self.drawn: list[tuple[int, int]] = []
        """(seat, card) of every card drawn."""
        self.lead_by(self.game.left[tally.dealer])

    def legal(self) -> Sequence[int]:
        """Every legal action of the seat to act, rising; empty once the deal is over."""
        seat = self.to_act
        if seat is None:
            return ()
        game = self.game
        hand = self.hands[seat]
        if self.phase == DECLARING:
            return (PASS, *self.announcements(seat))
        trick = self.trick
        if trick.mask and trick.rules is game.trick_rules:
            hand = trick.legal(hand)
        return game.cards.of(hand)

    def lead_by(self, winner: int) -> None:
        """The winner of a trick leads the next one, by the rules of its phase."""
        game = self.game
        lasts = len(self.drawn) < len(self.stock)
        trumps = self.trump >= 0 and (not lasts or game.rules.trump_in_phase1)
        self.trick = Trick(
            game.open_rules if lasts else game.trick_rules,
            game.pack.suits[self.trump] if trumps else 0,
        )
        self.phase = PLAY
        self.to_act = winner

    def trick_is_over(self) -> None:
        """The winner may declare; then both draw while there is a stock."""
        lasts = len(self.drawn) < len(self.stock)
        if not lasts and not any(self.hands):
            self.end()
        elif self.open_royals and (lasts or self.game.rules.declare_in_phase2):
            self.lead_by(self.winner)
            self.phase = DECLARING
        else:
            self._draw()

    def choose(self, seat: int, action: int) -> None:
        """Declare a marriage or pass."""
        if action != PASS:
            self.make_marriage(seat, action - self.game.declare)
            if self.game.scorer.reached(self):
                self.end()
                return
        self._draw()

    def _draw(self) -> None:
        """Winner and loser draw a card each, if there are any left; the winner leads."""
        drawn = self.drawn
        if len(drawn) < len(self.stock):
            for seat in (self.winner, 1 - self.winner):
                card = self.stock[len(drawn)]
                self.hands[seat] |= 1 << card
                drawn.append((seat, card))
        self.lead_by(self.winner)

    # ---- results and views -------------------------------------------------------------------

    def points(self) -> tuple[int, ...]:
        """What each side's items are worth, once the deal is over."""
        return self.game.scorer.points(self)

    def after(self) -> Tally:
        """Where the game stands once this deal's items are entered."""
        return self.game.scorer.after(self, self.game.next_dealer(self))

    def summary(self) -> LastDeal:
        """What the next deal's views say of this one, once it is over."""
        return last_deal(self.points())

    def floor(self, side: int) -> float:
        """A net that no continuation takes this side below."""
        left = self.stock[len(self.drawn) :]
        undrawn = sum(1 << card for card in left)
        declaring = self.phase == DECLARING
        # How many tricks may still be won with both halves in hand and the right to declare.
        tricks = 0
        if self.game.rules.declare_in_phase2:
            cards = HAND if left else max(hand.bit_count() for hand in self.hands)
            tricks = max(0, cards - 2)
        if left:
            tricks += len(left) // 2 - declaring
        declarable = [
            min(
                len(self.game.marriages.whole(hand | undrawn, self.open_royals)),
                tricks + (declaring and seat == self.winner),
            )
            for seat, hand in enumerate(self.hands)
        ]
        return self.game.scorer.floor(self, side, declarable)

    def seen(self, seat: int) -> dict[str, Any]:
        """The fields of a view that both games have."""
        names = self.game.pack.names
        fields = self.common(seat)
        fields["trump"] = SUITS[self.trump] if self.trump >= 0 else None
        fields["declared"] = self.declared_suits()
        fields["stock"] = len(self.stock) - len(self.drawn)
        fields["drawn"] = [names[card] for player, card in self.drawn if player == seat]
        return fields

    def leader(self) -> int | None:
        """Who led, or leads, the current trick: while its winner may declare, that winner."""
        return self.winner if self.phase == DECLARING else super().leader()
