"""Tuppi: take the most tricks (rami) or the fewest (nolo); an opponent may try sooli alone.

Sources: see tuppi_options.py, which has every option with its meaning; whist.py has the bidding.
"""

from collections.abc import Sequence
from typing import ClassVar

from protocol.messages import LastDeal, TuppiView
from referee.cards import lister
from referee.games.game import Tally, net
from referee.games.tricktaking import Cards, Last, Redeals
from referee.games.tuppi_options import Rules, check
from referee.games.whist import (
    BIDDING,
    BLACK,
    MAJORITY,
    PACK,
    RED,
    WhistDeal,
    WhistGame,
    trick_rules,
)
from referee.tricks import Trick

OFFER, GIVING, RETURNING, DISCARDING = range(4, 8)
PASS = 0

_BARRED = PACK.mask(rank + suit for rank in "2JQK" for suit in "SHDC")
"""Cards that no bid may be shown with."""

_LEAD_TURNS = {"left_of_soloist": 1, "right_of_soloist": 3}


class Tuppi(WhistGame):
    """Tuppi with its options."""

    name = "tuppi"
    low = "nolo"
    high = "rami"
    low_cards = BLACK & ~_BARRED
    high_cards = RED & ~_BARRED

    def __init__(self, rules: Rules, ruleset: str = "custom") -> None:
        """Raises ConfigError when options do not go together."""
        check(rules)
        self.rules = rules
        self.ruleset = ruleset
        self.sooli_rules = trick_rules("ace_low" if rules.sooli_ace == "low" else "plain")
        if not rules.sooli:
            self.lay_table(rules)
            return
        moves: list[str] = []
        if rules.sooli_exchange != "none":
            moves += [f"give:{card}" for card in PACK.names]
        if rules.sooli_exchange == "discard_then_receive":
            moves += [f"discard:{card}" for card in PACK.names]
        self.lay_table(rules, first=("pass",), moves=moves, last=("sooli",))
        self.give = self.cards_end
        self.discard = self.give + PACK.size
        self.gives = lister(PACK.width, self.give)
        self.discards = lister(PACK.width, self.discard)
        self.sooli = self.index["sooli"]

    def deal(self, cards: Cards, tally: Tally, _: Redeals = (), last: Last = None) -> "Deal":
        """A deal of these cards, in dealing order."""
        return Deal(self, cards, tally, last)

    def lowest_net(self) -> float:
        """The floor where no card has been dealt."""
        rules = self.rules
        trick = max(rules.grand_points, rules.grand_set_points, rules.low_points)
        return -float(max(7 * trick, rules.sooli_points if rules.sooli else 0))


class Deal(WhistDeal):
    """One deal of Tuppi in progress."""

    __slots__ = ("discarded", "given", "refused", "returned", "soloist")

    PHASES: ClassVar[tuple[str, ...]] = (
        "play", "answer", "over", "bid", "sooli", "give", "return", "discard",
    )  # fmt: skip

    game: Tuppi

    def __init__(
        self, game: Tuppi, cards: Sequence[int], tally: Tally, last: LastDeal | None
    ) -> None:
        super().__init__(game, cards, tally, last)
        self.refused = 0
        """How many opponents of the declarer have passed on sooli."""
        self.soloist: int | None = None
        self.given = 0
        """The card (a mask) that the soloist got."""
        self.returned = 0
        self.discarded = 0
        self.ends_early = game.rules.stop_when_decided and any(tally.score)

    # ---- sooli -------------------------------------------------------------------------------

    def high_is_bid(self, declarer: int) -> None:
        """A rami is bid: its opponents may play sooli against it."""
        if not self.game.rules.sooli:
            super().high_is_bid(declarer)
            return
        turns = (1, 3) if self.game.rules.sooli_order == "left_first" else (3, 1)
        if self.refused == 2:
            super().high_is_bid(declarer)
        else:
            self.phase = OFFER
            self.to_act = (declarer + turns[self.refused]) % 4

    def choices(self, seat: int) -> Sequence[int]:
        """Sooli or not; any card to give, return or lay away."""
        game = self.game
        if self.phase == OFFER:
            return (PASS, game.sooli)
        listed = game.discards if self.phase == DISCARDING else game.gives
        return listed(self.hands[seat])

    def choose(self, seat: int, action: int) -> None:
        """Offer, exchange, or the first lead of a sooli."""
        game = self.game
        if self.phase == OFFER:
            if action == PASS:
                self.refused += 1
                assert self.declarer is not None
                self.high_is_bid(self.declarer)
                return
            self.soloist = seat
            self.contract = "sooli"
            self.trick = Trick(game.sooli_rules, 0)
            exchange = game.rules.sooli_exchange
            if exchange == "none":
                self._lead_sooli()
            elif exchange == "discard_then_receive":
                self._turn_to(DISCARDING, seat)
            else:
                self._turn_to(GIVING, (seat + 2) % 4)
            return
        partner = (seat + 2) % 4
        bit = 1 << action - (game.discard if self.phase == DISCARDING else game.give)
        self.hands[seat] ^= bit
        if self.phase == DISCARDING:
            self.discarded = bit
            self._turn_to(GIVING, partner)
            return
        self.hands[partner] |= bit
        if self.phase == GIVING:
            self.given = bit
            if not self.discarded:
                self._turn_to(RETURNING, partner)
                return
        else:
            self.returned = bit
        self._lead_sooli()

    def _turn_to(self, phase: int, seat: int) -> None:
        self.phase = phase
        self.to_act = seat

    def _lead_sooli(self) -> None:
        """The first trick of a sooli."""
        soloist, declarer = self.soloist, self.declarer
        assert soloist is not None
        assert declarer is not None
        turns = _LEAD_TURNS.get(self.game.rules.sooli_first_lead)
        self.players = 3
        self.ends_early = True
        self.lead_by(declarer if turns is None else (soloist + turns) % 4)

    def lead_by(self, seat: int) -> None:
        """A seat leads the next trick; never the soloist, for whom the first leader does.

        In sooli the other opponent plays next, then the soloist, always last.
        """
        soloist = self.soloist
        if soloist is None:
            super().lead_by(seat)
        elif seat == soloist:
            self._lead_sooli()
        else:
            super().lead_by(seat)
            self.following = tuple(
                (seat + 2) % 4 if player == seat else soloist for player in range(4)
            )

    def decided(self) -> bool:
        """Whether a sooli is lost, or the side that has points must lose the deal."""
        rules = self.game.rules
        soloist = self.soloist
        lost = soloist is not None and self.tricks[soloist] > 0
        if lost and rules.sooli_stop:
            return True
        if not rules.stop_when_decided or not any(self.tally.score):
            return False
        rising = 0 if self.tally.score[0] else 1
        if soloist is not None:
            return lost and self.game.sides[soloist] == rising
        won = self.side_tricks()
        if self.contract == self.game.low:
            return won[rising] >= MAJORITY
        return won[1 - rising] >= MAJORITY

    # ---- results and views -------------------------------------------------------------------

    def points(self) -> tuple[int, ...]:
        """What the deal earns each side, once it is over: nothing for one of them."""
        return self._earned(self.side_tricks())

    def _earned(self, won: Sequence[int]) -> tuple[int, ...]:
        """Points by side for so many tricks of each side."""
        rules = self.game.rules
        sides = self.game.sides
        if self.soloist is not None:
            side = sides[self.soloist]
            earner = 1 - side if self.tricks[self.soloist] else side
            gain = rules.sooli_points
        elif self.declarer is None:
            earner = 0 if won[0] < won[1] else 1
            gain = rules.low_points * (MAJORITY - won[earner])
        else:
            side = sides[self.declarer]
            made = won[side] >= MAJORITY
            earner = side if made else 1 - side
            each = rules.grand_points if made else rules.grand_set_points
            gain = each * (won[earner] - MAJORITY + 1)
        return (gain, 0) if earner == 0 else (0, gain)

    def after(self) -> Tally:
        """Where the game stands: one side has earned points, and the others may lose theirs."""
        rules = self.game.rules
        tally = self.tally
        points = self.points()
        earner = 0 if points[0] else 1
        score = list(tally.score)
        reset = score[1 - earner] > 0 and rules.reset_mode != "off"
        if reset:
            score[1 - earner] = 0
        if reset and rules.reset_mode == "both_zero":
            score[earner] = 0
        else:
            score[earner] += points[earner]
        return self.game.entered(tally, score, rules.target, rules.max_deals)

    def floor(self, side: int) -> float:
        """A net that no continuation takes this side below."""
        if self.to_act is None:
            return net(self.points(), side)
        if self.phase == BIDDING:
            return self.game.lowest_net()
        sooli = -float(self.game.rules.sooli_points)
        if self.soloist is None:
            worst = net(self._earned(self.worst(side)), side)
            return min(worst, sooli) if self.phase == OFFER else worst
        return net(self.points(), side) if self.tricks[self.soloist] else sooli

    def shown(self, place: int) -> str | None:
        """How another's action is told: what is given or laid away as `?`."""
        action = self.history[place][1]
        game = self.game
        if game.rules.sooli and game.give <= action < game.high_bid:
            return "give:?" if action < game.discard else "discard:?"
        return super().shown(place)

    def view(self, seat: int) -> TuppiView:
        """All that a seat may know."""
        given = received = discarded = 0
        if seat == self.soloist:
            given, received, discarded = self.returned, self.given, self.discarded
        elif self.soloist is not None and (seat - self.soloist) % 4 == 2:
            given, received = self.given, self.returned
        return TuppiView(
            **self.seen(seat),
            soloist=self.soloist,
            given=PACK.texts(given),
            received=PACK.texts(received),
            discarded=PACK.texts(discarded),
        )

