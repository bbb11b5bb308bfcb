"""Minnesota Whist: the naive second implementation that the engine is compared with.

It is slow on purpose, and keeps no state at all: whatever is asked is worked out afresh from
the dealt hands and the list of actions (first the bids, then the cards in fours). Every
action of a history is checked against what was legal before it; a history that could not
have happened raises ValueError. It has no code in common with the other games, so that
"tuppi without sooli and reset is four times this game" is a real comparison.

"Section", "W-01" and "W4" mean the rules file, "decision" a numbered decision of the page
that is read first (it overrides the file).

CHOICES: places where the texts leave something open, and what is done here.

 C1  A bid card goes back to the hand and binds nothing; every rank will do. A colour the
     hand lacks is bid by the word, a colour it has is not. Sealed bids are the same
     question as open ones.
 C2  The target is tested before max_deals. Both sides at the target: the higher score wins,
     equal scores play on, except at max_deals, where they are a draw.
 C3  The test of the target looks at both totals after every deal, whoever gained or lost.
 C4  Neither the size of the hands nor the pack is checked, only that the hands are equally
     long and no card occurs twice, so shorter deals can be tried too; `points` raises
     ValueError where no side has seven tricks.
 C5  The unit makes no difference within a deal: this game has no early end.
     first_dealer is no matter of one deal.
 C6  `norwegian` is left out (decision 9).
"""

from collections.abc import Mapping, Sequence

Action = tuple[int, str]

# Presets: sections 4.2, 4.3 and 4.4.
PRESETS: dict[str, dict[str, object]] = {
    "minnesota": {
        "target": 13,
        "grand_points": 1,
        "grand_set_points": 2,
        "low_points": 1,
        "high_fail": "opponents_score",
        "low_mode": "fewer_gain",
        "grand_lead": "right_of_declarer",
        "bid_mode": "sequential",
        "bid_cards": "none",
        "first_dealer": "by_set",
        "max_deals": 200,
    },
    "minnesota-pagat": {
        "target": 13,
        "grand_points": 1,
        "grand_set_points": 1,
        "low_points": 1,
        "high_fail": "opponents_score",
        "low_mode": "more_lose",
        "grand_lead": "right_of_declarer",
        "bid_mode": "sequential",
        "bid_cards": "none",
        "first_dealer": "by_set",
        "max_deals": 200,
    },
    "south-dakota": {
        "target": 11,
        "grand_points": 1,
        "grand_set_points": 1,
        "low_points": 1,
        "high_fail": "bidders_lose",
        "low_mode": "more_lose",
        "grand_lead": "right_of_declarer",
        "bid_mode": "sequential",
        "bid_cards": "none",
        "first_dealer": "by_set",
        "max_deals": 200,
    },
}

# How high a card is within its suit: always ace high (W5).
HEIGHT = {
    "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
    "T": 10, "J": 11, "Q": 12, "K": 13, "A": 14,
}  # fmt: skip


def setting(options: Mapping[str, object], name: str, allowed: list[str]) -> str:
    value = options[name]
    if value not in allowed:
        raise ValueError(f"{name} = {value!r} is none of {allowed}")
    return str(value)


def amount(options: Mapping[str, object], name: str) -> int:
    value = options[name]
    if type(value) is not int:
        raise ValueError(f"{name} = {value!r} is no number")
    return value


# ------------------------------------------------------------------ the bids


def is_bid(action: str) -> bool:
    return action.startswith(("low", "high"))


def bids_in(history: Sequence[Action]) -> list[Action]:
    return [(seat, action) for seat, action in history if is_bid(action)]


def cards_in(history: Sequence[Action]) -> list[Action]:
    return [(seat, action) for seat, action in history if not is_bid(action)]


def high_bids(history: Sequence[Action]) -> list[int]:
    """The seats that bid high, in the order of the bidding."""
    return [seat for seat, action in bids_in(history) if action.startswith("high")]


def bidding_is_over(options: Mapping[str, object], history: Sequence[Action]) -> bool:
    if len(bids_in(history)) == 4:
        return True
    if setting(options, "bid_mode", ["sequential", "sealed"]) == "sealed":
        return False
    return high_bids(history) != []


def grander(history: Sequence[Action]) -> int | None:
    """Once the bidding is over: the first one in turn who bid high; None in a low deal."""
    seats = high_bids(history)
    return seats[0] if seats else None


def possible_bids(options: Mapping[str, object], hand: Sequence[str]) -> set[str]:
    if setting(options, "bid_cards", ["none", "hand_cards"]) == "none":
        return {"low", "high"}
    low = {f"low:{card}" for card in hand if card[1] in ("H", "D")}
    high = {f"high:{card}" for card in hand if card[1] in ("S", "C")}
    return (low if low else {"low"}) | (high if high else {"high"})


# ------------------------------------------------------------------ the tricks


def fours(history: Sequence[Action]) -> list[list[Action]]:
    """The cards played, trick by trick; the last trick may be incomplete."""
    plays = cards_in(history)
    return [plays[at : at + 4] for at in range(0, len(plays), 4)]


def trick_winner(trick: Sequence[Action]) -> int:
    """No trump: the highest card of the suit that was led."""
    led = trick[0][1][1]
    in_suit = [(HEIGHT[card[0]], seat) for seat, card in trick if card[1] == led]
    return max(in_suit)[1]


def trick_winners(history: Sequence[Action]) -> list[int]:
    return [trick_winner(trick) for trick in fours(history) if len(trick) == 4]


def first_leader(options: Mapping[str, object], dealer: int, history: Sequence[Action]) -> int:
    """Section 4.2, LEAD 1."""
    seat = grander(history)
    if seat is None:
        return (dealer + 1) % 4
    rule = setting(options, "grand_lead", ["right_of_declarer", "left_of_declarer"])
    return (seat - 1) % 4 if rule == "right_of_declarer" else (seat + 1) % 4


def ask(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    dealer: int,
    history: Sequence[Action],
) -> tuple[int | None, set[str]]:
    """Who is asked what after a history, which is taken to be a possible one."""
    if not bidding_is_over(options, history):
        seat = (dealer + 1 + len(bids_in(history))) % 4
        return seat, possible_bids(options, hands[seat])

    plays = cards_in(history)
    gone = {card for _, card in plays}
    if len(plays) == sum(len(hand) for hand in hands):
        return None, set()

    if len(plays) % 4 == 0:
        leader = trick_winners(history)[-1] if plays else first_leader(options, dealer, history)
        return leader, {card for card in hands[leader] if card not in gone}

    trick = fours(history)[-1]
    seat = (trick[-1][0] + 1) % 4
    left = [card for card in hands[seat] if card not in gone]
    same_suit = [card for card in left if card[1] == trick[0][1][1]]
    return seat, set(same_suit) if same_suit else set(left)


def check(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    stock: Sequence[str],
    dealer: int,
    history: Sequence[Action],
    unit: str,
) -> None:
    """ValueError for a deal or a history that cannot be."""
    if unit != "deal" and unit != "game":
        raise ValueError(f"no such unit: {unit!r}")
    if len(hands) != 4 or len(stock) != 0:
        raise ValueError("Minnesota Whist has four hands and no stock")
    for hand in hands:
        if len(hand) != len(hands[0]):
            raise ValueError("hands of different length")
    cards = [card for hand in hands for card in hand]
    for card in cards:
        if cards.count(card) != 1:
            raise ValueError(f"{card} occurs twice")
    for at, (seat, action) in enumerate(history):
        who, what = ask(options, hands, dealer, history[:at])
        if seat != who or action not in what:
            raise ValueError(f"action {at}: {seat} {action}, but {who} has {sorted(what)}")


# ------------------------------------------------------------------ the questions


def legal(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: Sequence[Action],
    unit: str = "deal",
) -> tuple[int | None, set[str]]:
    """The seat to act and its legal actions; (None, empty) when the deal is over."""
    check(options, hands, stock, dealer, history, unit)
    return ask(options, hands, dealer, history)


def points(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: Sequence[Action],
    unit: str = "deal",
) -> list[int]:
    """Sections 4.2 and 4.3: what each side earned (or lost) in the finished deal."""
    seat, _ = legal(options, hands, stock, dealer, score, history, unit)
    if seat is not None:
        raise ValueError("the deal is not over")

    taken = {0: 0, 1: 0}
    for winner in trick_winners(history):
        taken[winner % 2] += 1
    if taken[0] < 7 and taken[1] < 7:
        raise ValueError("no side has seven tricks")

    result = [0, 0]
    high = grander(history)
    if high is not None:
        bidders = high % 2
        others = 1 - bidders
        if taken[bidders] >= 7:
            result[bidders] = amount(options, "grand_points") * (taken[bidders] - 6)
        elif setting(options, "high_fail", ["opponents_score", "bidders_lose"]) == "bidders_lose":
            result[bidders] = -amount(options, "grand_set_points") * (7 - taken[bidders])
        else:
            result[others] = amount(options, "grand_set_points") * (taken[others] - 6)
    else:
        fewer = 0 if taken[0] < taken[1] else 1
        more = 1 - fewer
        if setting(options, "low_mode", ["fewer_gain", "more_lose"]) == "more_lose":
            result[more] = -amount(options, "low_points") * (taken[more] - 6)
        else:
            result[fewer] = amount(options, "low_points") * (7 - taken[fewer])
    return result


def after(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: Sequence[Action],
    deals: int,
) -> tuple[list[int], tuple[int, ...]]:
    """The new totals of a game, and its winners if it is over (both: a draw)."""
    change = points(options, hands, stock, dealer, score, history, "game")
    new = [score[0] + change[0], score[1] + change[1]]

    there = max(new) >= amount(options, "target")
    last = deals + 1 >= amount(options, "max_deals")
    if there or last:
        if new[0] > new[1]:
            return new, (0,)
        if new[0] < new[1]:
            return new, (1,)
        if last:
            return new, (0, 1)
    return new, ()


def count(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: Sequence[Action],
    unit: str = "deal",
) -> int:
    """In how many ways the deal can go on to its end."""
    check(options, hands, stock, dealer, history, unit)
    return leaves(options, hands, dealer, list(history))


def leaves(
    options: Mapping[str, object],
    hands: Sequence[Sequence[str]],
    dealer: int,
    history: list[Action],
) -> int:
    seat, actions = ask(options, hands, dealer, history)
    if seat is None:
        return 1
    return sum(leaves(options, hands, dealer, [*history, (seat, action)]) for action in actions)
