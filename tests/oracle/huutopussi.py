"""Huutopussi: the naive second implementation that the engine is compared with.

It is slow on purpose. A deal is one generator that is written in the order in which the
rules are told (redeal, auction, exchange, tricks); it hands out a question, a seat and the
set of its legal actions, and receives one action. Every call replays the whole deal from
the dealt cards, with strings, lists and sets. Each action of a history is checked against
the question it answers; a history that could not have happened raises ValueError.

"Section" means a section of the rules file, "decision" a numbered decision of the page
that is read first (it overrides the file), "source" one of the source texts.

CHOICES: places where the texts leave something open, and what is done here.

 C1  Cap. Reaching it ends the auction in every preset (AMB-6 says so without naming one;
     A2 and B2 only say "when one bidder remains"). Nobody is asked to pass against it.
     "The cap is reached" means: no higher legal bid exists. That is the same as "the bid
     equals the cap" whenever the cap is a multiple of bid_step.
 C2  auto = pack + last trick + marriage values, rounded down to a multiple of 5. Bids and
     contracts are multiples of bid_step between min_bid (the contract: the bid) and the
     cap; a raise is any such number above the current bid.
 C3  The auction also ends when the only seat still in it is the one that holds the bid, so
     the fourth seat that bids after three passes is the declarer at once (section 2.E).
 C4  A barred forehand that must open, with bar_may_open off: it may only pass; the duty to
     open does not move to the next seat. If nobody bids, and all_pass is "none", the
     options describe no deal: ValueError. bar_may_open has no effect where
     opening_forced is off (its row in section 3 says "when opening_forced").
 C5  A seat's "first turn to bid" is the first question of the auction put to it. Seats
     that the auction never reaches (cap bid early) have no redeal.
 C6  "Nothing above a jack" follows the rank order in force: with ace_ten neither queen,
     king, ten nor ace; with plain order tens are allowed.
 C7  With exchange "talon" the contract always follows the discards (source 000), whatever
     raise_timing says: it only orders the partner exchange.
 C8  The discards number as many as the talon held. Under no_aces_tens the declarer
     always has enough other cards (at least 11 / 6 / 4 of 19 / 14 / 12).
 C9  No window (trump_right) means no declaration and no ask: the winner is offered cards
     only. "A suit has been declared" in first_won_and_led means by anybody.
 C10 An ask of any kind that is answered with no, or with a yes that joins nothing, uses
     the window up; the same ask may be repeated after a later trick (AMB-24).
 C11 `whole` is legal also for an asker that holds a half of every open suit himself.
 C12 ask_half "any": the answer is yes when the partner holds king or queen or both; the
     suit is declared only if asker and partner hold one half each. An asker that holds
     exactly one half and gets no, or that holds none and gets yes, declares nothing.
 C13 Lockout "pagat": any `whole`, successful or not, bars that seat from `declare` and its
     partner from `whole`, for the rest of the deal; everything else stays allowed, also a
     second `whole` by the same seat. Lockout "illisoft": any ask bars that seat from
     `declare`; a `half` by either partner bars both from `declare` and `whole`.
 C14 zero_card_points_fails: "points in tricks equal to zero" (source 001) means card
     points in the side's tricks plus the last-trick points it won. With last_trick_points
     = 0 a side that took the last trick with blanks only fails too. Discards that count
     for the declarer are not in his tricks.
 C15 The contract lost under C14 counts as not made everywhere (takes_all_requires_made,
     declarer_no_trick_multiplier).
 C16 discards_count "declarer" / "declarer_if_trick" add to the raw points of the declaring
     side, so a contract can be made without a trick; then it is +contract.
 C17 Penalties (no_trick_penalty, takes_all_penalty) hit non-declaring sides only and never
     a contractless deal, an integer penalty included (2.E, E6: "no penalties"). They are
     not rounded. The declaring side without a trick has only its multiplier.
 C18 rounding: raw_points are never rounded. nearest5_before_test rounds each side's raw
     points for the contract test and for the deltas of the non-declaring sides.
 C19 Scores enter a deal only through the bar; a deal does not know the target.
 C20 Where the table prints a dash (or "moot") the presets hold: exchange_count 0,
     talon_public False, discard_rule any, discards_count none, redeal_window
     before_bidding, all_pass none, head_lapses_when_ruffed False, ask_whole False,
     ask_half none, ask_lockout none, bar_at -500, bar_may_open and bar_may_raise True.
     max_deals is 200 (the overriding page; the table prints none).
 C21 Neither deck nor hand size is checked, only that no card occurs twice, so shorter
     deals can be tried too; a talon or a partner exchange is whatever the arguments say.
"""

from collections.abc import Generator, Mapping, Sequence

Options = Mapping[str, object]
Hands = Sequence[Sequence[str]]
History = Sequence[tuple[int, str]]
Question = tuple[int, frozenset[str]]
Table = Generator[Question, str, None]

SUITS = ["S", "H", "D", "C"]

# Section 1.2, low to high.
RANKS = {
    "ace_ten": ["6", "7", "8", "9", "J", "Q", "K", "T", "A"],
    "plain": ["6", "7", "8", "9", "T", "J", "Q", "K", "A"],
}

# Section 1.3.
CARD_POINTS = {
    "classic": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0, "6": 0},
    "simple": {"A": 10, "T": 10, "K": 5, "Q": 5, "J": 5, "9": 0, "8": 0, "7": 0, "6": 0},
}

# Section 1.4.
MARRIAGE_POINTS = {
    "hearts_high": {"H": 100, "D": 80, "C": 60, "S": 40},
    "spades_high": {"S": 100, "H": 80, "D": 60, "C": 40},
    "none": {"H": 0, "D": 0, "C": 0, "S": 0},
}


# ------------------------------------------------------------------ section 3: presets

_WIKIBOOKS_3: dict[str, object] = {
    "players": 3,
    "teams": False,
    "rank_order": "ace_ten",
    "card_points": "classic",
    "last_trick_points": 0,
    "marriage_points": "hearts_high",
    "min_bid": 50,
    "max_bid": "auto",
    "bid_step": 5,
    "opening_forced": True,
    "all_pass": "none",
    "redeal": "none",
    "redeal_window": "before_bidding",
    "exchange": "talon",
    "exchange_count": 0,
    "talon_public": True,
    "discard_rule": "any",
    "discards_count": "none",
    "raise_timing": "after_exchange",
    "first_lead": "any",
    "ace_shows": False,
    "must_head": True,
    "head_lapses_when_ruffed": False,
    "must_trump": True,
    "must_overtrump": False,
    "trump_right": "won",
    "zero_card_points_fails": False,
    "first_dealer": "by_set",
    "ask_whole": False,
    "ask_half": "none",
    "ask_lockout": "none",
    "rounding": "none",
    "no_trick_penalty": "none",
    "declarer_no_trick_multiplier": 1,
    "takes_all_penalty": "none",
    "takes_all_requires_made": False,
    "target": 500,
    "target_mode": "at_least",
    "tie": "draw",
    "bid_bar": "none",
    "bar_at": -500,
    "bar_may_open": True,
    "bar_may_raise": True,
    "max_deals": 200,
}

_WIKIBOOKS_TEAM: dict[str, object] = {
    **_WIKIBOOKS_3,
    "players": 4,
    "teams": True,
    "exchange": "partner",
    "exchange_count": 3,
    "talon_public": False,
    "ask_whole": True,
    "ask_half": "own_half",
}

_HELSINKI: dict[str, object] = {
    "players": 4,
    "teams": True,
    "rank_order": "ace_ten",
    "card_points": "simple",
    "last_trick_points": 20,
    "marriage_points": "hearts_high",
    "min_bid": 50,
    "max_bid": "auto",
    "bid_step": 5,
    "opening_forced": True,
    "all_pass": "none",
    "redeal": "three_sixes",
    "redeal_window": "before_bidding",
    "exchange": "partner",
    "exchange_count": 3,
    "talon_public": False,
    "discard_rule": "any",
    "discards_count": "none",
    "raise_timing": "before_return",
    "first_lead": "any",
    "ace_shows": False,
    "must_head": True,
    "head_lapses_when_ruffed": True,
    "must_trump": True,
    "must_overtrump": True,
    "trump_right": "won",
    "zero_card_points_fails": True,
    "first_dealer": "by_set",
    "ask_whole": True,
    "ask_half": "own_half",
    "ask_lockout": "none",
    "rounding": "none",
    "no_trick_penalty": "none",
    "declarer_no_trick_multiplier": 1,
    "takes_all_penalty": "none",
    "takes_all_requires_made": False,
    "target": 500,
    "target_mode": "at_least",
    "tie": "extra_deal",
    "bid_bar": "below",
    "bar_at": -500,
    "bar_may_open": True,
    "bar_may_raise": True,
    "max_deals": 200,
}

_HELSINKI_RU: dict[str, object] = {
    **_HELSINKI,
    "rank_order": "plain",
    "must_head": False,
    "head_lapses_when_ruffed": False,
    "must_overtrump": False,
}

_HELSINKI_PAGAT: dict[str, object] = {
    **_HELSINKI,
    "redeal": "three_sixes_or_nothing_above_jack",
    "redeal_window": "first_bid_turn",
    "trump_right": "won_and_led",
    "ask_lockout": "pagat",
}

_GERMAN: dict[str, object] = {
    **_HELSINKI,
    "card_points": "classic",
    "min_bid": 120,
    "opening_forced": False,
    "all_pass": "contractless",
    "exchange_count": 4,
    "rounding": "nearest5",
    "bar_may_open": False,
}

_ERLANGEN: dict[str, object] = {
    **_GERMAN,
    "redeal": "none",
    "raise_timing": "after_exchange",
    "first_lead": "ace_then_spade",
    "ace_shows": True,
    "zero_card_points_fails": False,
    "ask_half": "any",
    "declarer_no_trick_multiplier": 2,
    "takes_all_penalty": "double_contract",
    "takes_all_requires_made": True,
    "bid_bar": "none",
    "bar_may_open": True,
}

PRESETS: dict[str, dict[str, object]] = {
    "wikibooks-2": {**_WIKIBOOKS_3, "players": 2, "min_bid": 40},
    "wikibooks-3": _WIKIBOOKS_3,
    "wikibooks-4": {**_WIKIBOOKS_3, "players": 4, "min_bid": 60},
    "wikibooks-team": _WIKIBOOKS_TEAM,
    "helsinki": _HELSINKI,
    "helsinki-ru": _HELSINKI_RU,
    "helsinki-pagat": _HELSINKI_PAGAT,
    "helsinki-classic": {**_HELSINKI, "card_points": "classic", "last_trick_points": 10},
    "german": _GERMAN,
    "erlangen": _ERLANGEN,
}


# ------------------------------------------------------------------ small helpers


def number(options: Options, name: str) -> int:
    value = options[name]
    if not isinstance(value, int):
        raise ValueError(f"option {name} is {value!r}, not a number")
    return value


def word(options: Options, name: str) -> str:
    value = options[name]
    if not isinstance(value, str):
        raise ValueError(f"option {name} is {value!r}, not a word")
    return value


def flag(options: Options, name: str) -> bool:
    value = options[name]
    if not isinstance(value, bool):
        raise ValueError(f"option {name} is {value!r}, not yes or no")
    return value


def suit_of(card: str) -> str:
    return card[1]


def height(options: Options, card: str) -> int:
    """How high the card ranks within its suit (section 1.2)."""
    return RANKS[word(options, "rank_order")].index(card[0])


def card_points(options: Options, cards: Sequence[str]) -> int:
    """Section 1.3."""
    table = CARD_POINTS[word(options, "card_points")]
    return sum(table[card[0]] for card in cards)


def marriage_value(options: Options, suit: str) -> int:
    """Section 1.4."""
    return MARRIAGE_POINTS[word(options, "marriage_points")][suit]


def side_of(options: Options, seat: int) -> int:
    """Section 1.1: in team games {0, 2} are side 0 and {1, 3} side 1, else each seat."""
    return seat % 2 if flag(options, "teams") else seat


def number_of_sides(options: Options) -> int:
    return 2 if flag(options, "teams") else number(options, "players")


def partner_of(seat: int) -> int:
    return (seat + 2) % 4


def cap(options: Options) -> int:
    """The highest bid; "auto" is everything obtainable (section 3, C2)."""
    if options["max_bid"] != "auto":
        return number(options, "max_bid")
    pack = [rank + suit for rank in RANKS["plain"] for suit in SUITS]
    obtainable = card_points(options, pack)
    obtainable += number(options, "last_trick_points")
    for suit in SUITS:
        obtainable += marriage_value(options, suit)
    return obtainable // 5 * 5


def amounts(options: Options, lowest: int) -> list[int]:
    """Every amount that can be named, from the lowest to the cap (C2)."""
    step = number(options, "bid_step")
    return [n for n in range(lowest, cap(options) + 1) if n % step == 0]


def rounded(points: int) -> int:
    """Section 1.9, r5: to the nearest multiple of 5."""
    return (points + 2) // 5 * 5


# ------------------------------------------------------------------ one deal


class Deal:
    """What has happened so far in one deal."""

    def __init__(
        self,
        options: Options,
        hands: Hands,
        talon: Sequence[str],
        dealer: int,
        score: Sequence[int],
    ) -> None:
        self.options = options
        self.seats = number(options, "players")
        self.dealt: list[list[str]] = [list(hand) for hand in hands]
        self.hands: list[list[str]] = [list(hand) for hand in hands]
        self.talon: list[str] = list(talon)
        self.dealer = dealer
        self.score: list[int] = list(score)

        everything = [card for hand in self.hands for card in hand] + self.talon
        if len(everything) != len(set(everything)):
            raise ValueError("a card occurs twice")
        if len(self.hands) != self.seats:
            raise ValueError("the number of hands is not the number of players")

        self.redealt = False
        self.finished = False

        self.declarer: int | None = None
        self.bid = 0
        self.contract = 0
        self.discards: list[str] = []

        self.played: list[str] = []
        self.trump: str | None = None
        self.declared: list[tuple[int, str]] = []  # (seat whose declaration it is, suit)
        self.asked_whole: set[int] = set()
        self.asked_half: set[int] = set()

        self.piles: list[list[str]] = [[] for _ in range(self.seats)]
        self.tricks_won: list[int] = [0 for _ in range(self.seats)]
        self.last_trick_winner: int | None = None

    def left_of(self, seat: int) -> int:
        return (seat + 1) % self.seats

    def forehand(self) -> int:
        return self.left_of(self.dealer)

    def seats_from(self, first: int) -> list[int]:
        return [(first + k) % self.seats for k in range(self.seats)]


def whole_deal(deal: Deal) -> Table:
    """Sections 2.A, 2.B, 2.C and 2.E, phase after phase."""
    yield from redeal_before_bidding(deal)
    if deal.redealt:
        return
    yield from auction(deal)
    if deal.redealt:
        return
    if deal.declarer is not None:
        if word(deal.options, "exchange") == "talon":
            yield from talon_exchange(deal, deal.declarer)
        else:
            yield from partner_exchange(deal, deal.declarer)
    # else E3: contractless, no exchange and no contract
    yield from tricks(deal)
    deal.finished = True


# ------------------------------------------------------------------ redeal (C2, AMB-17)


def may_demand_redeal(deal: Deal, seat: int) -> bool:
    rule = word(deal.options, "redeal")
    hand = deal.dealt[seat]
    if rule == "none":
        return False
    sixes = [card for card in hand if card[0] == "6"]
    if len(sixes) >= 3:
        return True
    if rule == "three_sixes_or_nothing_above_jack":
        ranks = RANKS[word(deal.options, "rank_order")]
        above_jack = ranks[ranks.index("J") + 1 :]
        return not any(card[0] in above_jack for card in hand)
    return False


def redeal_before_bidding(deal: Deal) -> Table:
    """Phase C2: each eligible seat in order from forehand; decision 3."""
    if word(deal.options, "redeal_window") != "before_bidding":
        return
    for seat in deal.seats_from(deal.forehand()):
        if may_demand_redeal(deal, seat):
            action = yield seat, frozenset(["redeal", "keep"])
            if action == "redeal":
                deal.redealt = True
                return


# ------------------------------------------------------------------ auction (A2, B2, C3, E2)


def is_barred(deal: Deal, seat: int) -> bool:
    """AMB-18; source 001: a side below -500 may not take part in the auction."""
    total = deal.score[side_of(deal.options, seat)]
    bar = word(deal.options, "bid_bar")
    if bar == "below":
        return total < number(deal.options, "bar_at")
    if bar == "at_or_below":
        return total <= number(deal.options, "bar_at")
    return False


def auction_actions(deal: Deal, seat: int, highest: int | None) -> list[str]:
    options = deal.options
    min_bid = number(options, "min_bid")
    must_open = (
        flag(options, "opening_forced") and seat == deal.forehand() and highest is None
    )
    if is_barred(deal, seat):
        # Source 001: "except for the first bet in 50 points"; otherwise only pass. See C4.
        if must_open and flag(options, "bar_may_open"):
            return [f"bid:{min_bid}"]
        return ["pass"]
    lowest = min_bid if highest is None else highest + 1
    bids = [f"bid:{n}" for n in amounts(options, lowest)]
    if must_open:
        return bids
    return ["pass", *bids]


def auction(deal: Deal) -> Table:
    options = deal.options
    highest: int | None = None
    bidder: int | None = None
    passed: list[int] = []
    had_a_turn: list[int] = []
    seat = deal.forehand()

    while True:
        if highest is not None and bidder is not None:
            others = [s for s in range(deal.seats) if s not in passed and s != bidder]
            # One bidder is left (C3), or the cap was bid (AMB-6, C1).
            if not others or not amounts(options, highest + 1):
                deal.declarer = bidder
                deal.bid = highest
                return
        if len(passed) == deal.seats:
            # E3; without a contractless deal the options describe nothing (C4).
            if word(options, "all_pass") != "contractless":
                raise ValueError("everybody passed, and all_pass is none")
            return
        if seat in passed:
            seat = deal.left_of(seat)
            continue

        legal_here = auction_actions(deal, seat, highest)
        if (
            word(options, "redeal_window") == "first_bid_turn"
            and seat not in had_a_turn
            and may_demand_redeal(deal, seat)
        ):
            # Section 2.C: one more legal action at an eligible seat's first turn (C5).
            legal_here.append("redeal")
        action = yield seat, frozenset(legal_here)

        had_a_turn.append(seat)
        if action == "redeal":
            deal.redealt = True
            return
        if action == "pass":
            passed.append(seat)
        else:
            highest = int(action.removeprefix("bid:"))
            bidder = seat
        seat = deal.left_of(seat)


# ------------------------------------------------------------------ exchange and raise


def announce_contract(deal: Deal, declarer: int) -> Table:
    """A5, B5, C5: a multiple of the step from the bid to the cap, the bid included."""
    legal_here = amounts(deal.options, deal.bid)
    if is_barred(deal, declarer) and not flag(deal.options, "bar_may_raise"):
        legal_here = [deal.bid]
    action = yield declarer, frozenset(f"contract:{n}" for n in legal_here)
    deal.contract = int(action.removeprefix("contract:"))


def talon_exchange(deal: Deal, declarer: int) -> Table:
    """A3, A4, A5: talon into the hand, as many cards out of it, then the raise (C7)."""
    hand = deal.hands[declarer]
    hand.extend(deal.talon)
    for _ in range(len(deal.talon)):
        discardable = list(hand)
        if word(deal.options, "discard_rule") == "no_aces_tens":
            discardable = [card for card in hand if card[0] not in ("A", "T")]
        action = yield declarer, frozenset(f"discard:{card}" for card in discardable)
        card = action.removeprefix("discard:")
        hand.remove(card)
        deal.discards.append(card)
    yield from announce_contract(deal, declarer)


def give_cards(deal: Deal, giver: int, receiver: int) -> Table:
    """B3, B4, C4, C6; decision 3: one card at a time, received when all are given."""
    on_the_way: list[str] = []
    for _ in range(number(deal.options, "exchange_count")):
        action = yield giver, frozenset(f"give:{card}" for card in deal.hands[giver])
        card = action.removeprefix("give:")
        deal.hands[giver].remove(card)
        on_the_way.append(card)
    deal.hands[receiver].extend(on_the_way)


def partner_exchange(deal: Deal, declarer: int) -> Table:
    partner = partner_of(declarer)
    yield from give_cards(deal, partner, declarer)
    if word(deal.options, "raise_timing") == "before_return":  # AMB-9, source 001
        yield from announce_contract(deal, declarer)
        yield from give_cards(deal, declarer, partner)
    else:  # source 000
        yield from give_cards(deal, declarer, partner)
        yield from announce_contract(deal, declarer)


# ------------------------------------------------------------------ cards (1.6, 1.7)


def legal_cards(
    options: Options,
    hand: Sequence[str],
    trick: Sequence[str],
    trump: str | None,
    first_trick: bool,
) -> list[str]:
    """Section 1.6."""
    if not trick:
        return legal_leads(options, hand, first_trick)

    led = suit_of(trick[0])
    if first_trick and flag(options, "ace_shows") and "A" + led in hand:
        return ["A" + led]

    # Follow suit.
    same_suit = [card for card in hand if suit_of(card) == led]
    if same_suit:
        if not flag(options, "must_head"):
            return same_suit
        ruffed = led != trump and any(suit_of(card) == trump for card in trick)
        if ruffed and flag(options, "head_lapses_when_ruffed"):
            return same_suit
        # Head the trick: beat every card of the led suit that lies in it.
        led_cards = [card for card in trick if suit_of(card) == led]
        heading = [
            card
            for card in same_suit
            if all(height(options, card) > height(options, other) for other in led_cards)
        ]
        return heading if heading else same_suit

    # Must trump.
    if flag(options, "must_trump") and trump is not None:
        trumps = [card for card in hand if suit_of(card) == trump]
        if trumps:
            trumps_in_trick = [card for card in trick if suit_of(card) == trump]
            over = [
                card
                for card in trumps
                if all(
                    height(options, card) > height(options, other)
                    for other in trumps_in_trick
                )
            ]
            if flag(options, "must_overtrump") and over:
                return over
            return trumps

    # Anything.
    return list(hand)


def legal_leads(options: Options, hand: Sequence[str], first_trick: bool) -> list[str]:
    """Section 1.6, step 1; source 003 for the ace."""
    rule = word(options, "first_lead")
    if first_trick and rule in ("ace", "ace_then_spade"):
        aces = [card for card in hand if card[0] == "A"]
        if aces:
            return aces
    if first_trick and rule == "ace_then_spade":
        spades = [card for card in hand if suit_of(card) == "S"]
        if spades:
            return spades
    return list(hand)


def winning_card(options: Options, trick: Sequence[str], trump: str | None) -> str:
    """Section 1.7: the highest trump, else the highest card of the led suit."""
    trumps = [card for card in trick if suit_of(card) == trump]
    led_cards = [card for card in trick if suit_of(card) == suit_of(trick[0])]
    candidates = trumps if trumps else led_cards
    for card in candidates:
        if all(height(options, card) >= height(options, other) for other in candidates):
            return card
    raise AssertionError("some card is the highest")


# ------------------------------------------------------------------ declarations (1.8)


def holds(deal: Deal, seat: int, card: str) -> bool:
    return card in deal.hands[seat]


def holds_whole(deal: Deal, seat: int, suit: str) -> bool:
    return holds(deal, seat, "K" + suit) and holds(deal, seat, "Q" + suit)


def holds_exactly_one_half(deal: Deal, seat: int, suit: str) -> bool:
    return holds(deal, seat, "K" + suit) != holds(deal, seat, "Q" + suit)


def open_suits(deal: Deal) -> list[str]:
    """Decision 1: undeclared, and neither king nor queen has been played."""
    already_declared = [suit for _, suit in deal.declared]
    return [
        suit
        for suit in SUITS
        if suit not in already_declared
        and "K" + suit not in deal.played
        and "Q" + suit not in deal.played
    ]


def has_window(deal: Deal, winner: int, led_by: int) -> bool:
    """Section 1.8, trump_right; source 000 gives the three readings."""
    right = word(deal.options, "trump_right")
    if right == "won_and_led":
        return led_by == winner
    if right == "first_won_and_led" and not deal.declared:
        return led_by == winner
    return True


def may_declare(deal: Deal, seat: int) -> bool:
    """Section 1.8, ask_lockout (C13)."""
    lockout = word(deal.options, "ask_lockout")
    if lockout == "pagat":
        return seat not in deal.asked_whole
    if lockout == "illisoft":
        if seat in deal.asked_whole or seat in deal.asked_half:
            return False
        return partner_of(seat) not in deal.asked_half
    return True


def may_ask_whole(deal: Deal, seat: int) -> bool:
    """Section 1.8, ask_lockout (C13)."""
    lockout = word(deal.options, "ask_lockout")
    if lockout == "pagat":
        return partner_of(seat) not in deal.asked_whole
    if lockout == "illisoft":
        return seat not in deal.asked_half and partner_of(seat) not in deal.asked_half
    return True


def window_actions(deal: Deal, seat: int) -> list[str]:
    """Section 1.8, actions in a window, read with decisions 1 and 2."""
    options = deal.options
    actions: list[str] = []

    for suit in open_suits(deal):
        if holds_whole(deal, seat, suit) and may_declare(deal, seat):
            actions.append(f"declare:{suit}")

    if not flag(options, "teams"):
        return actions

    if (
        flag(options, "ask_whole")
        and len(deal.hands[seat]) >= 2
        and open_suits(deal)
        and may_ask_whole(deal, seat)
    ):
        actions.append("whole")

    ask_half = word(options, "ask_half")
    for suit in open_suits(deal):
        if ask_half == "own_half" and holds_exactly_one_half(deal, seat, suit):
            actions.append(f"half:{suit}")
        if ask_half == "any" and not holds_whole(deal, seat, suit):
            actions.append(f"half:{suit}")
    return actions


def make_trump(deal: Deal, seat: int, suit: str) -> None:
    """The suit becomes trump at once; its points belong to the side of that seat."""
    deal.trump = suit
    deal.declared.append((seat, suit))


def carry_out(deal: Deal, seat: int, action: str) -> Table:
    """A declaration or an ask of the winner of a trick, with its answer."""
    kind, _, suit = action.partition(":")
    partner = partner_of(seat)

    if kind == "declare":
        make_trump(deal, seat, suit)

    elif kind == "half":
        deal.asked_half.add(seat)
        partner_has_any = holds(deal, partner, "K" + suit) or holds(deal, partner, "Q" + suit)
        yield partner, frozenset(["yes" if partner_has_any else "no"])
        king_here_queen_there = holds(deal, seat, "K" + suit) and holds(
            deal, partner, "Q" + suit
        )
        queen_here_king_there = holds(deal, seat, "Q" + suit) and holds(
            deal, partner, "K" + suit
        )
        if king_here_queen_there or queen_here_king_there:
            make_trump(deal, seat, suit)  # decision 7: declares at once

    elif kind == "whole":
        deal.asked_whole.add(seat)
        wholes = [s for s in open_suits(deal) if holds_whole(deal, partner, s)]
        if not wholes:
            yield partner, frozenset(["no"])
        else:
            # One name: dictated. Several: the partner chooses and may not refuse.
            answer = yield partner, frozenset(f"name:{s}" for s in wholes)
            make_trump(deal, seat, answer.removeprefix("name:"))

    else:
        raise AssertionError(action)


# ------------------------------------------------------------------ tricks (A6, A7, C7, C8)


def tricks(deal: Deal) -> Table:
    options = deal.options
    # The declarer leads; in a contractless deal forehand does (AMB-28).
    leader = deal.declarer if deal.declarer is not None else deal.forehand()
    first_trick = True
    previous_leader: int | None = None

    while deal.hands[leader]:
        trick: list[str] = []
        order = deal.seats_from(leader)

        for seat in order:
            hand = deal.hands[seat]
            cards = legal_cards(options, hand, trick, deal.trump, first_trick)
            offered = list(cards)
            if seat == leader and previous_leader is not None:
                # Decision 2: cards, declarations and asks are one question.
                if has_window(deal, leader, previous_leader):
                    offered += window_actions(deal, leader)
            action = yield seat, frozenset(offered)
            if action not in cards:
                yield from carry_out(deal, seat, action)
                # Decision 2: asked again, for the lead alone.
                action = yield seat, frozenset(cards)
            hand.remove(action)
            trick.append(action)
            deal.played.append(action)

        winner = order[trick.index(winning_card(options, trick, deal.trump))]
        deal.piles[winner].extend(trick)
        deal.tricks_won[winner] += 1
        deal.last_trick_winner = winner
        previous_leader = leader
        leader = winner
        first_trick = False


# ------------------------------------------------------------------ scoring (1.9)


def side_trick_points(deal: Deal) -> list[int]:
    """Per side: card points in its tricks, plus the last-trick points it won."""
    options = deal.options
    result = [0 for _ in range(number_of_sides(options))]
    for seat in range(deal.seats):
        result[side_of(options, seat)] += card_points(options, deal.piles[seat])
    if deal.last_trick_winner is not None:
        last_side = side_of(options, deal.last_trick_winner)
        result[last_side] += number(options, "last_trick_points")
    return result


def side_tricks_won(deal: Deal) -> list[int]:
    result = [0 for _ in range(number_of_sides(deal.options))]
    for seat in range(deal.seats):
        result[side_of(deal.options, seat)] += deal.tricks_won[seat]
    return result


def side_raw(deal: Deal) -> list[int]:
    """Section 1.9, raw."""
    options = deal.options
    raw = side_trick_points(deal)
    for seat, suit in deal.declared:
        raw[side_of(options, seat)] += marriage_value(options, suit)
    if deal.declarer is not None:
        declaring = side_of(options, deal.declarer)
        rule = word(options, "discards_count")
        has_trick = side_tricks_won(deal)[declaring] > 0
        if rule == "declarer" or (rule == "declarer_if_trick" and has_trick):
            raw[declaring] += card_points(options, deal.discards)
    return raw


def deltas(
    options: Options,
    declaring: int | None,
    bid: int,
    contract: int,
    raw: Sequence[int],
    tricks_won: Sequence[int],
    trick_points: Sequence[int],
) -> list[int]:
    """Section 1.9: what every side scores. `declaring` is a side, None if contractless."""
    rounding = word(options, "rounding")

    def own_points(side: int) -> int:
        return raw[side] if rounding == "none" else rounded(raw[side])

    if declaring is None:
        # E6: both sides score their points; no penalties (C17).
        return [own_points(side) for side in range(len(raw))]

    # The contract test is unrounded, except with nearest5_before_test.
    tested = raw[declaring]
    if rounding == "nearest5_before_test":
        tested = rounded(tested)
    made = tested >= contract
    # Decision 5; source 001: no points in the tricks loses the contract (C14).
    if flag(options, "zero_card_points_fails") and trick_points[declaring] == 0:
        made = False

    result: list[int] = []
    for side in range(len(raw)):
        if side == declaring:
            if made:
                result.append(contract)
            elif tricks_won[side] == 0:
                result.append(-contract * number(options, "declarer_no_trick_multiplier"))
            else:
                result.append(-contract)
            continue

        penalties: list[int] = []
        no_trick = options["no_trick_penalty"]
        if tricks_won[side] == 0 and no_trick != "none":
            if no_trick == "contract":
                penalties.append(contract)
            elif no_trick == "bid":
                penalties.append(bid)
            else:
                penalties.append(number(options, "no_trick_penalty"))

        takes_all = word(options, "takes_all_penalty")
        all_tricks = tricks_won[declaring] == sum(tricks_won)
        if takes_all != "none" and all_tricks:
            if made or not flag(options, "takes_all_requires_made"):
                penalties.append(contract if takes_all == "contract" else 2 * contract)

        # A penalty replaces the points; of several only the largest counts.
        result.append(-max(penalties) if penalties else own_points(side))
    return result


# ------------------------------------------------------------------ the four questions


def replay(
    options: Options,
    hands: Hands,
    talon: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
) -> tuple[Deal, Question | None]:
    """The deal after the whole history, and the question that is open then."""
    deal = Deal(options, hands, talon, dealer, score)
    table = whole_deal(deal)
    question: Question | None = next(table, None)
    for at, (seat, action) in enumerate(history):
        if question is None:
            raise ValueError(f"action {at} ({seat} {action}) after the end")
        if seat != question[0] or action not in question[1]:
            raise ValueError(
                f"action {at} ({seat} {action}) is not legal: "
                f"seat {question[0]} has {sorted(question[1])}"
            )
        try:
            question = table.send(action)
        except StopIteration:
            question = None
    return deal, question


def legal(
    options: Options,
    hands: Hands,
    talon: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
) -> tuple[int | None, frozenset[str]]:
    """The seat to act and its legal actions; (None, empty) at the end or after a redeal."""
    _, question = replay(options, hands, talon, dealer, score, history)
    if question is None:
        return None, frozenset()
    return question


def raw_points(
    options: Options,
    hands: Hands,
    talon: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
) -> list[int]:
    """The raw points per side of a finished deal."""
    deal, _ = replay(options, hands, talon, dealer, score, history)
    if not deal.finished:
        raise ValueError("the deal is not over")
    return side_raw(deal)


def points(
    options: Options,
    hands: Hands,
    talon: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
) -> list[int]:
    """What each side scores for a finished deal."""
    deal, _ = replay(options, hands, talon, dealer, score, history)
    if not deal.finished:
        raise ValueError("the deal is not over")
    declaring = None if deal.declarer is None else side_of(options, deal.declarer)
    return deltas(
        options,
        declaring,
        deal.bid,
        deal.contract,
        side_raw(deal),
        side_tricks_won(deal),
        side_trick_points(deal),
    )


def playouts(
    options: Options,
    hands: Hands,
    talon: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
) -> int:
    """In how many ways the deal can go on to its end; a redeal is an end too."""
    seat, actions = legal(options, hands, talon, dealer, score, history)
    if seat is None:
        return 1
    total = 0
    for action in actions:
        longer = [*history, (seat, action)]
        total += playouts(options, hands, talon, dealer, score, longer)
    return total
