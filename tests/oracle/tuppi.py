"""Tuppi: the naive second implementation that the engine is compared with.

It is slow on purpose. A deal is one generator that is written in the order in which the
rules are told (bids, sooli, exchange, tricks); it hands out a question, a seat and the set
of its legal actions, and receives one action. Every call replays the whole deal from the
dealt cards. Each action of a history is checked against the question it answers; a history
that could not have happened raises ValueError.

"Section", "T-01" and "T4" mean the rules file, "decision" a numbered decision of the page
that is read first (it overrides the file), "source" the source text 004.

CHOICES: places where the texts leave something open, and what is done here.

 C1  A soloist's trick with sooli_stop off: the source says only that the soloist always
     plays last, so he never leads; the seat that sooli_first_lead names leads again.
 C2  sooli_stop is part of the game and holds in both units; stop_when_decided is an early
     end and holds in unit "game" alone, with reset_mode both_zero and one side above 0. In
     every other case it is without effect (no error). Both look at complete tricks only.
 C3  stop_when_decided never ends a sooli that is played against the rising side.
 C4  "Earn any points" (source) means more than nothing: where an option of points is 0 the
     deal changes no score, and nothing is reset or transferred.
 C5  transfer: the other side falls to 0, the earner adds the whole of the deal and may win.
 C6  The target is tested before max_deals: a side at the target wins the last deal too.
     Only the side that earned can reach it.
 C7  A bid card goes back to the hand and binds nothing. A colour without a suitable card
     is bid by the word, a colour with one is not, each colour for itself. Aces are
     suitable (T13). Sealed bids are the same question as open ones.
 C8  discard_then_receive: the card laid aside is in nobody's tricks and is not seen again;
     the partner chooses among all his cards. In every exchange the sitting-out partner's
     cards never appear.
 C9  sooli_ace low ranks the ace below the two for all three players of the sooli, and for
     nothing else (bid cards, rami, nolo).
 C10 Neither the size of the hands nor the pack is checked, only that the hands are equally
     long and no card occurs twice, so shorter deals can be tried too. Where the points
     depend on seven tricks and nobody has seven, `points` raises ValueError.
 C11 `after` reads the history as one of unit "game"; first_dealer is no matter of one deal.
"""

from collections.abc import Generator, Mapping, Sequence

Options = Mapping[str, object]
Hands = Sequence[Sequence[str]]
History = Sequence[tuple[int, str]]
Question = tuple[int, set[str]]
Table = Generator[Question, str, None]
TableForSeat = Generator[Question, str, int | None]

# Section 0.2, low to high.
ACE_HIGH = "23456789TJQKA"
ACE_LOW = "A23456789TJQK"


# ------------------------------------------------------------------ presets (3.4, 3.5)

_TUPPI: dict[str, object] = {
    "target": 52,
    "bid_mode": "sequential",
    "bid_cards": "none",
    "sooli": True,
    "sooli_order": "left_first",
    "sooli_exchange": "receive_then_return",
    "sooli_first_lead": "left_of_soloist",
    "sooli_ace": "low",
    "sooli_stop": True,
    "sooli_points": 24,
    "grand_points": 4,
    "grand_set_points": 8,
    "low_points": 4,
    "reset_mode": "both_zero",
    "stop_when_decided": False,
    "grand_lead": "right_of_declarer",
    "first_dealer": "by_set",
    "max_deals": 500,
}

PRESETS: dict[str, dict[str, object]] = {
    "tuppi": _TUPPI,
    "tuppi-competition": {**_TUPPI, "sooli": False},
    "tuppi-transfer": {**_TUPPI, "reset_mode": "transfer"},
    "tuppi-minnesota-score": {**_TUPPI, "reset_mode": "off", "sooli": False},
}


# ------------------------------------------------------------------ small helpers


def number(options: Options, name: str) -> int:
    value = options[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"option {name} is {value!r}, not a number")
    return value


def flag(options: Options, name: str) -> bool:
    value = options[name]
    if not isinstance(value, bool):
        raise ValueError(f"option {name} is {value!r}, not yes or no")
    return value


def one_of(options: Options, name: str, *values: str) -> str:
    value = options[name]
    if not isinstance(value, str) or value not in values:
        raise ValueError(f"option {name} is {value!r}, not one of {values}")
    return value


def left_of(seat: int) -> int:
    return (seat + 1) % 4


def right_of(seat: int) -> int:
    return (seat + 3) % 4


def partner_of(seat: int) -> int:
    return (seat + 2) % 4


def side_of(seat: int) -> int:
    """Seats 0 and 2 are side 0, seats 1 and 3 side 1."""
    return seat % 2


# ------------------------------------------------------------------ one deal


class Deal:
    """What has happened so far in one deal."""

    def __init__(
        self,
        options: Options,
        hands: Hands,
        stock: Sequence[str],
        dealer: int,
        score: Sequence[int],
        unit: str,
    ) -> None:
        if unit not in ("deal", "game"):
            raise ValueError(f"the unit is {unit!r}, neither deal nor game")
        if len(hands) != 4 or stock:
            raise ValueError("Tuppi has four hands and no stock")
        if len({len(hand) for hand in hands}) != 1:
            raise ValueError("the hands are not equally long")
        everything = [card for hand in hands for card in hand]
        if len(set(everything)) != len(everything):
            raise ValueError("a card occurs twice")

        self.options = options
        self.hands: list[list[str]] = [list(hand) for hand in hands]
        self.dealer = dealer
        self.score: list[int] = list(score)
        self.unit = unit

        self.bids: list[tuple[int, str]] = []  # (seat, "rami" or "nolo")
        self.declarer: int | None = None  # None in a nolo
        self.soloist: int | None = None
        self.laid_aside: list[str] = []
        self.tricks: list[list[tuple[int, str]]] = []
        self.winners: list[int] = []  # of the tricks, seat by seat
        self.finished = False

    def tricks_of_side(self, side: int) -> int:
        return len([seat for seat in self.winners if side_of(seat) == side])

    def soloist_took_a_trick(self) -> bool:
        return self.soloist is not None and self.soloist in self.winners


def whole_deal(deal: Deal) -> Table:
    """Section 3.2, from the first bid to the last trick."""
    deal.declarer = yield from bidding(deal)

    if deal.declarer is None:
        # Source: in nolo the player to the dealer's left leads.
        yield from four_handed_tricks(deal, left_of(deal.dealer))
        deal.finished = True
        return

    if flag(deal.options, "sooli"):
        deal.soloist = yield from sooli_questions(deal, deal.declarer)

    if deal.soloist is None:
        # Source: the player to the right of the bidder leads.
        leader = right_of(deal.declarer)
        rule = one_of(deal.options, "grand_lead", "right_of_declarer", "left_of_declarer")
        if rule == "left_of_declarer":
            leader = left_of(deal.declarer)
        yield from four_handed_tricks(deal, leader)
    else:
        yield from exchange(deal, deal.soloist)
        yield from sooli_tricks(deal, deal.soloist, deal.declarer)
    deal.finished = True


# ------------------------------------------------------------------ bids


def bid_actions(options: Options, hand: Sequence[str]) -> set[str]:
    """Section 3.5, bid_cards; C7."""
    if one_of(options, "bid_cards", "none", "hand_cards") == "none":
        return {"nolo", "rami"}
    suitable = [card for card in hand if card[0] not in "2JQK"]
    red = [card for card in suitable if card[1] in "HD"]
    black = [card for card in suitable if card[1] in "SC"]
    result: set[str] = set()
    if red:
        result |= {"rami:" + card for card in red}
    else:
        result.add("rami")
    if black:
        result |= {"nolo:" + card for card in black}
    else:
        result.add("nolo")
    return result


def bidding(deal: Deal) -> TableForSeat:
    """The declarer, or None after four nolos."""
    mode = one_of(deal.options, "bid_mode", "sequential", "sealed")
    seat = left_of(deal.dealer)
    for _ in range(4):
        action = yield seat, bid_actions(deal.options, deal.hands[seat])
        bid = action[:4]
        deal.bids.append((seat, bid))
        if mode == "sequential" and bid == "rami":
            return seat
        seat = left_of(seat)
    # Sealed: all four have chosen; the first rami in that order stands.
    for seat, bid in deal.bids:
        if bid == "rami":
            return seat
    return None


# ------------------------------------------------------------------ sooli


def sooli_questions(deal: Deal, declarer: int) -> TableForSeat:
    """The two opponents of the declarer; the first sooli ends it."""
    asked = [left_of(declarer), right_of(declarer)]
    if one_of(deal.options, "sooli_order", "left_first", "right_first") == "right_first":
        asked.reverse()
    for seat in asked:
        action = yield seat, {"pass", "sooli"}
        if action == "sooli":
            return seat
    return None


def exchange(deal: Deal, soloist: int) -> Table:
    """T3 and its options. A card given is in the receiver's hand at once."""
    rule = one_of(
        deal.options, "sooli_exchange", "receive_then_return", "discard_then_receive", "none"
    )
    partner = partner_of(soloist)

    if rule == "discard_then_receive":
        action = yield soloist, {"discard:" + card for card in deal.hands[soloist]}
        card = action.removeprefix("discard:")
        deal.hands[soloist].remove(card)
        deal.laid_aside.append(card)

    if rule != "none":
        action = yield partner, {"give:" + card for card in deal.hands[partner]}
        card = action.removeprefix("give:")
        deal.hands[partner].remove(card)
        deal.hands[soloist].append(card)

    if rule == "receive_then_return":
        # Any card of the hand, the received one included (T11).
        action = yield soloist, {"give:" + card for card in deal.hands[soloist]}
        card = action.removeprefix("give:")
        deal.hands[soloist].remove(card)
        deal.hands[partner].append(card)


# ------------------------------------------------------------------ tricks


def playable(hand: Sequence[str], trick: Sequence[tuple[int, str]]) -> set[str]:
    """Source: you must follow suit. Nothing else is a duty."""
    if not trick:
        return set(hand)
    led = trick[0][1][1]
    following = {card for card in hand if card[1] == led}
    return following or set(hand)


def taker(trick: Sequence[tuple[int, str]], ranks: str) -> int:
    """Source: no trump; the highest card of the suit led. `ranks` goes from low to high."""
    best_seat, best_card = trick[0]
    for seat, card in trick[1:]:
        if card[1] == best_card[1] and ranks.index(card[0]) > ranks.index(best_card[0]):
            best_seat, best_card = seat, card
    return best_seat


def one_trick(deal: Deal, order: Sequence[int], ranks: str) -> Table:
    trick: list[tuple[int, str]] = []
    for seat in order:
        card = yield seat, playable(deal.hands[seat], trick)
        deal.hands[seat].remove(card)
        trick.append((seat, card))
    deal.tricks.append(trick)
    deal.winners.append(taker(trick, ranks))


def four_handed_tricks(deal: Deal, leader: int) -> Table:
    """Rami and nolo: clockwise; the taker of a trick leads the next."""
    while deal.hands[leader]:
        order = [leader]
        while len(order) < 4:
            order.append(left_of(order[-1]))
        yield from one_trick(deal, order, ACE_HIGH)
        if rising_side_must_lose(deal):
            return
        leader = deal.winners[-1]


def sooli_tricks(deal: Deal, soloist: int, declarer: int) -> Table:
    """Three players; the soloist is the last one in every trick (source, T4)."""
    options = deal.options
    low = one_of(options, "sooli_ace", "low", "high") == "low"
    ranks = ACE_LOW if low else ACE_HIGH
    rule = one_of(options, "sooli_first_lead", "left_of_soloist", "right_of_soloist", "declarer")
    if rule == "left_of_soloist":
        first_leader = left_of(soloist)
    elif rule == "right_of_soloist":
        first_leader = right_of(soloist)
    else:
        first_leader = declarer

    leader = first_leader
    while deal.hands[soloist]:
        yield from one_trick(deal, [leader, partner_of(leader), soloist], ranks)
        if deal.soloist_took_a_trick() and flag(options, "sooli_stop"):
            return
        if rising_side_must_lose(deal):
            return
        leader = deal.winners[-1]
        if leader == soloist:
            leader = first_leader  # C1


def rising_side_must_lose(deal: Deal) -> bool:
    """stop_when_decided: C2, C3."""
    if not flag(deal.options, "stop_when_decided") or deal.unit != "game":
        return False
    if reset_mode(deal.options) != "both_zero":
        return False
    above = [side for side in (0, 1) if deal.score[side] > 0]
    if len(above) != 1:
        return False
    rising = above[0]
    if deal.soloist is not None:
        return side_of(deal.soloist) == rising and deal.soloist_took_a_trick()
    if deal.declarer is not None:
        return deal.tricks_of_side(1 - rising) >= 7
    return deal.tricks_of_side(rising) >= 7


# ------------------------------------------------------------------ scoring (3.3)


def reset_mode(options: Options) -> str:
    return one_of(options, "reset_mode", "both_zero", "transfer", "off")


def earned(deal: Deal) -> list[int]:
    """By side; exactly one of them earns something."""
    options = deal.options
    result = [0, 0]

    if deal.soloist is not None:
        side = side_of(deal.soloist)
        if deal.soloist_took_a_trick():
            result[1 - side] = number(options, "sooli_points")
        else:
            result[side] = number(options, "sooli_points")
        return result

    tricks = [deal.tricks_of_side(0), deal.tricks_of_side(1)]
    if max(tricks) < 7:
        raise ValueError("no side has taken seven tricks")
    more = tricks.index(max(tricks))
    fewer = 1 - more

    if deal.declarer is None:
        # Source: 4 points for each trick under 7.
        result[fewer] = number(options, "low_points") * (7 - tricks[fewer])
    elif side_of(deal.declarer) == more:
        # Source: 4 points for each trick over 6.
        result[more] = number(options, "grand_points") * (tricks[more] - 6)
    else:
        # Source: 8 points for each trick over 6.
        result[more] = number(options, "grand_set_points") * (tricks[more] - 6)
    return result


# ------------------------------------------------------------------ the questions


def replay(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    unit: str = "deal",
) -> tuple[Deal, Question | None]:
    """The deal after the whole history, and the question that is open then."""
    deal = Deal(options, hands, stock, dealer, score, unit)
    table = whole_deal(deal)
    question: Question | None = next(table)
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
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    unit: str = "deal",
) -> tuple[int | None, set[str]]:
    """The seat to act and its legal actions; (None, empty) when the deal is over."""
    _, question = replay(options, hands, stock, dealer, score, history, unit)
    if question is None:
        return None, set()
    return question


def points(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    unit: str = "deal",
) -> list[int]:
    """What each side earned in the finished deal, before any reset."""
    deal, _ = replay(options, hands, stock, dealer, score, history, unit)
    if not deal.finished:
        raise ValueError("the deal is not over")
    return earned(deal)


def after(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    deals: int,
) -> tuple[list[int], tuple[int, ...]]:
    """The new totals of a game, and its winners if it is over (both: a draw)."""
    gain = points(options, hands, stock, dealer, score, history, "game")
    new = [score[0], score[1]]
    mode = reset_mode(options)

    for earner in (0, 1):
        if gain[earner] <= 0:
            continue  # C4
        other = 1 - earner
        if mode == "both_zero" and score[other] > 0:
            # T5, T-16: the earner's points are lost too.
            new = [0, 0]
            continue
        if mode == "transfer":
            new[other] = 0
        new[earner] += gain[earner]
        if new[earner] >= number(options, "target"):
            return new, (earner,)

    if deals + 1 >= number(options, "max_deals"):
        if new[0] > new[1]:
            return new, (0,)
        if new[1] > new[0]:
            return new, (1,)
        return new, (0, 1)
    return new, ()


def count(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    unit: str = "deal",
) -> int:
    """In how many ways the deal can go on to its end."""
    seat, actions = legal(options, hands, stock, dealer, score, history, unit)
    if seat is None:
        return 1
    total = 0
    for action in actions:
        longer = [*history, (seat, action)]
        total += count(options, hands, stock, dealer, score, longer, unit)
    return total
