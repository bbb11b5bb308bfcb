"""Marjapussi: the naive second implementation that the engine is compared with.

It is slow on purpose. A deal is one generator, written in the order in which the rules are
told; it hands out a question (a seat and its legal actions) and receives one action. Every
call replays the whole deal from the dealt cards, with strings, lists and sets. Each action
of a history is checked against the question it answers; a history that could not have
happened raises ValueError.

"Section" means a section of the rules file, "decision" a numbered decision of the page that
is read first (it overrides the file), "source" one of the source texts.

CHOICES: places where the texts leave something open, and what is done here.

 C1  Heading is asked of a card of the led suit (also when trumps are led), overtrumping of
     a trump that is played on another suit. With head_lapses_when_ruffed off, a card of the
     led suit must still beat the led-suit cards of a ruffed trick (as in Huutopussi).
 C2  must_trump off: who cannot follow owes nothing, whatever must_overtrump says.
 C3  spare_partner and first_trick_must_beat lift the duties to head and to overtrump, never
     those to follow and to trump. "The partner is winning" is judged by the cards that lie
     in the trick when the seat is to play.
 C4  `whole` is legal while some suit is open and the partner holds two cards or more, also
     when the asker holds a half of every open suit. Repeating an ask that was answered with
     no, after a later trick, is legal.
 C5  ask_half "any": the answer is yes when the partner holds king or queen or both; the
     suit is declared only if asker and partner hold one half each.
 C6  Asks exist only with four players, whatever ask_whole and ask_half say.
 C7  ask_only_without_own: an own marriage counts only while its suit is open. It hinders
     `half` in every suit, not only in that of the marriage.
 C8  declare_must_lead_marriage holds with two players too: after the draw the declarer
     leads king or queen of the marriage. It does not bind after `whole`.
 C9  First leads: the ace (or spade) duty of first_lead holds with any number of players.
 C10 Two players: the window is asked after a trick while the stock is not empty, before
     drawing, also with no card left in hand. must_head and its kin rule the tricks that are
     led with the stock empty; in the others any card may be played.
 C11 mates: the side with strictly most. With a tie for most, mates_tie "eyes" compares the
     eyes of the tied sides alone; equal eyes: nobody. That holds for both mates_by values.
     With "nobody" there is no such item.
 C12 deal_end, tie "draw": all sides that stand on the target (at_least: on or above it)
     draw, also with unequal totals. "first_there" walks the items for these sides only.
 C13 deal_end, overshoot "skip_item": items are added one by one, one that would pass the
     target is left out, a later smaller one may still count. "bounce" never goes below 0.
 C14 immediate: every item is entered alone, with its own overshoot; "no_score" is then
     "skip_item". An item that is not credited still makes trump.
 C15 immediate, unit "game": when the last trick reaches the target there is no mates item.
 C16 At max_deals the highest total wins; sides with the same highest total draw. A target
     reached in the last deal goes before that.
 C17 Neither deck nor hand size is checked, only that no card occurs twice, that all hands
     are equal, and that a stock is even and exists with two players alone.
"""

from collections.abc import Generator, Mapping, Sequence

Options = Mapping[str, object]
Hands = Sequence[Sequence[str]]
History = Sequence[tuple[int, str]]
Question = tuple[int, set[str]]
Table = Generator[Question, str, None]

SUITS = ["S", "H", "D", "C"]

# Section 0.2, "ten_high", low to high; source 003.
RANKS = ["6", "7", "8", "9", "J", "Q", "K", "T", "A"]

# Section 1.6 and the first page: only used with mates_by = card_points.
CARD_POINTS = {
    "classic": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2},
    "simple": {"A": 10, "T": 10, "K": 5, "Q": 5, "J": 5},
}

# Section 2.1; the ten is the option ten_eyes.
EYES = {"A": 4, "K": 3, "Q": 2, "J": 1}


# ------------------------------------------------------------------ sections 1.6, 1.7: presets

_MARJAPUSSI: dict[str, object] = {
    "players": 4,
    "deck": 36,
    "hand": 6,
    "target": 12,
    "target_mode": "exact",
    "overshoot": "no_score",
    "timing": "deal_end",
    "tie": "first_there",
    "first_lead": "ace",
    "must_trump": True,
    "must_head": True,
    "head_lapses_when_ruffed": True,
    "must_overtrump": True,
    "spare_partner": False,
    "first_trick_must_beat": True,
    "ask_whole": True,
    "ask_half": "own_half",
    "ask_only_without_own": False,
    "declare_must_lead_marriage": False,
    "declare_in_phase2": False,
    "trump_in_phase1": True,
    "trump_points": 2,
    "little_points": 1,
    "last_trick_points": 1,
    "mates_points": 1,
    "mates_by": "count",
    "card_points": "classic",
    "mates_tie": "none",
    "ten_eyes": 0,
    "first_dealer": "by_set",
    "max_deals": 200,
}

PRESETS: dict[str, dict[str, object]] = {
    "marjapussi": _MARJAPUSSI,
    "marjapussi-32": {**_MARJAPUSSI, "deck": 32},
    "marjapussi-28": {**_MARJAPUSSI, "deck": 28},
    "marjapussi-24": {**_MARJAPUSSI, "deck": 24},
    "marjapussi-korttipeli": {
        **_MARJAPUSSI,
        "deck": 32,
        "first_lead": "ace_then_spade",
        "must_head": False,
        "must_overtrump": False,
        "ask_only_without_own": True,
    },
    "marjapussi-pagat10": {
        **_MARJAPUSSI,
        "target": 10,
        "first_lead": "any",
        "mates_by": "card_points",
    },
    "marjapussi-friendly": {**_MARJAPUSSI, "spare_partner": True},
    "marjapussi-3p": {
        **_MARJAPUSSI,
        "players": 3,
        "ask_whole": False,
        "ask_half": "none",
    },
    "marjapussi-2p": {
        **_MARJAPUSSI,
        "players": 2,
        "first_lead": "any",
        "ask_whole": False,
        "ask_half": "none",
    },
}


# ------------------------------------------------------------------ options and cards


def number(options: Options, name: str) -> int:
    value = options[name]
    if not isinstance(value, int):
        raise ValueError(f"option {name} is {value!r}, not a number")
    return value


def word(options: Options, name: str, *known: str) -> str:
    value = options[name]
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"option {name} is {value!r}, not one of {known}")
    return value


def flag(options: Options, name: str) -> bool:
    value = options[name]
    if not isinstance(value, bool):
        raise ValueError(f"option {name} is {value!r}, not yes or no")
    return value


def suit_of(card: str) -> str:
    return card[1]


def higher(card: str, other: str) -> bool:
    """Both cards are of one suit."""
    return RANKS.index(card[0]) > RANKS.index(other[0])


def side_of(options: Options, seat: int) -> int:
    """Section 0.1: seats 0 and 2 against 1 and 3; two or three players: each his own."""
    return seat % 2 if number(options, "players") == 4 else seat


def number_of_sides(options: Options) -> int:
    players = number(options, "players")
    return 2 if players == 4 else players


# ------------------------------------------------------------------ scores (1.5, 1.7)


def has_reached(options: Options, total: int) -> bool:
    target = number(options, "target")
    if word(options, "target_mode", "exact", "at_least") == "exact":
        return total == target
    return total >= target


def entered(options: Options, old: int, gain: int) -> int:
    """One gain entered on one score; section 1.7, the definitions of overshoot."""
    target = number(options, "target")
    new = old + gain
    if word(options, "target_mode", "exact", "at_least") == "at_least" or new <= target:
        return new
    overshoot = word(options, "overshoot", "no_score", "skip_item", "bounce", "reset")
    if overshoot == "bounce":
        return max(0, target - (new - target))
    if overshoot == "reset":
        return 0
    return old  # no_score, and an item that is skipped


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
        self.options = options
        self.seats = number(options, "players")
        self.hands: list[list[str]] = [list(hand) for hand in hands]
        self.stock: list[str] = list(stock)
        self.dealer = dealer

        everything = [card for hand in self.hands for card in hand] + self.stock
        if len(everything) != len(set(everything)):
            raise ValueError("a card occurs twice")
        if self.seats not in (2, 3, 4) or len(self.hands) != self.seats:
            raise ValueError("the number of hands is not the number of players")
        if len({len(hand) for hand in self.hands}) != 1:
            raise ValueError("the hands are not equally large")
        if self.stock and (self.seats != 2 or len(self.stock) % 2 != 0):
            raise ValueError("this stock cannot be")
        if len(score) != number_of_sides(options):
            raise ValueError("one score for each side")
        if unit not in ("deal", "game"):
            raise ValueError(f"unit {unit!r}")

        # Only a game that is scored at once has a score that moves during the deal.
        timing = word(options, "timing", "deal_end", "immediate")
        self.at_once = unit == "game" and timing == "immediate"
        self.running: list[int] = list(score)
        self.won_by: int | None = None  # a side; the game is over, and the deal with it

        self.trump: str | None = None
        self.declared: list[str] = []
        self.played: list[str] = []
        self.piles: list[list[str]] = [[] for _ in range(number_of_sides(options))]
        self.last_winner: int | None = None
        self.items: list[tuple[str, int, int]] = []  # kind, side, points: the item order
        self.finished = False

    def seats_from(self, first: int) -> list[int]:
        return [(first + k) % self.seats for k in range(self.seats)]

    def forehand(self) -> int:
        return (self.dealer + 1) % self.seats

    def is_partner(self, seat: int, other: int) -> bool:
        return self.seats == 4 and seat != other and seat % 2 == other % 2


def add_item(deal: Deal, kind: str, side: int) -> None:
    """Section 1.4; with timing "immediate" it is entered when it happens."""
    points = number(deal.options, f"{kind}_points")
    deal.items.append((kind, side, points))
    if deal.at_once:
        deal.running[side] = entered(deal.options, deal.running[side], points)
        if has_reached(deal.options, deal.running[side]):
            deal.won_by = side


def whole_deal(deal: Deal) -> Table:
    if deal.seats == 2:
        yield from two_player_tricks(deal)
    else:
        yield from tricks(deal)
    if deal.won_by is None:
        items_at_the_end(deal)
    deal.finished = True


# ------------------------------------------------------------------ cards (source 003; 0.3)


def legal_leads(options: Options, hand: Sequence[str], first_trick: bool) -> list[str]:
    rule = word(options, "first_lead", "any", "ace", "ace_then_spade")
    if first_trick and rule != "any":
        aces = [card for card in hand if card[0] == "A"]
        if aces:
            return aces
        spades = [card for card in hand if suit_of(card) == "S"]
        if rule == "ace_then_spade" and spades:
            return spades
    return list(hand)


def legal_follow(
    options: Options,
    hand: Sequence[str],
    trick: Sequence[str],
    trump: str | None,
    first_trick: bool = False,
    partner_winning: bool = False,
) -> list[str]:
    """Follow; else trump; within that, beat."""
    led = suit_of(trick[0])
    # C3: these two lift the duties to beat.
    spared = partner_winning and flag(options, "spare_partner")
    spared = spared or (first_trick and not flag(options, "first_trick_must_beat"))

    led_cards = [card for card in trick if suit_of(card) == led]
    trumps_on_it = [card for card in trick if suit_of(card) == trump and led != trump]

    following = [card for card in hand if suit_of(card) == led]
    if following:
        if spared or not flag(options, "must_head"):
            return following
        if trumps_on_it and flag(options, "head_lapses_when_ruffed"):
            return following
        heading = [card for card in following if all(higher(card, c) for c in led_cards)]
        return heading or following

    trumping = [card for card in hand if suit_of(card) == trump]
    if trumping and flag(options, "must_trump"):
        if spared or not flag(options, "must_overtrump"):
            return trumping
        over = [card for card in trumping if all(higher(card, c) for c in trumps_on_it)]
        return over or trumping

    return list(hand)


def winning_place(trick: Sequence[str], trump: str | None) -> int:
    """Which card of the trick wins it: the highest trump, else the highest of the led suit."""
    strong = [card for card in trick if suit_of(card) == trump]
    if not strong:
        strong = [card for card in trick if suit_of(card) == suit_of(trick[0])]
    best = strong[0]
    for card in strong:
        if higher(card, best):
            best = card
    return trick.index(best)


def take_trick(deal: Deal, winner: int, trick: Sequence[str]) -> None:
    deal.piles[side_of(deal.options, winner)].extend(trick)
    deal.last_winner = winner


# ------------------------------------------------------------------ declarations (1.3)


def holds_both(deal: Deal, seat: int, suit: str) -> bool:
    return "K" + suit in deal.hands[seat] and "Q" + suit in deal.hands[seat]


def holds_any(deal: Deal, seat: int, suit: str) -> bool:
    return "K" + suit in deal.hands[seat] or "Q" + suit in deal.hands[seat]


def holds_one(deal: Deal, seat: int, suit: str) -> bool:
    return holds_any(deal, seat, suit) and not holds_both(deal, seat, suit)


def open_suits(deal: Deal) -> list[str]:
    """Decision 1: public facts alone."""
    result = []
    for suit in SUITS:
        if suit in deal.declared:
            continue
        if "K" + suit in deal.played or "Q" + suit in deal.played:
            continue
        result.append(suit)
    return result


def own_marriages(deal: Deal, seat: int) -> list[str]:
    return [suit for suit in open_suits(deal) if holds_both(deal, seat, suit)]


def declare(deal: Deal, seat: int, suit: str) -> None:
    """The first one makes trump; later ones only score (source 003)."""
    kind = "little" if deal.declared else "trump"
    if kind == "trump":
        deal.trump = suit
    deal.declared.append(suit)
    add_item(deal, kind, side_of(deal.options, seat))


def window_actions(deal: Deal, seat: int) -> list[str]:
    """What the winner of a trick may do instead of leading at once."""
    options = deal.options
    own = own_marriages(deal, seat)
    actions = [f"declare:{suit}" for suit in own]

    if deal.seats != 4:
        return actions
    if flag(options, "ask_only_without_own") and own:
        return actions

    partner = (seat + 2) % 4
    if flag(options, "ask_whole") and open_suits(deal) and len(deal.hands[partner]) >= 2:
        actions.append("whole")

    rule = word(options, "ask_half", "none", "own_half", "any")
    for suit in open_suits(deal):
        if rule == "own_half" and holds_one(deal, seat, suit):
            actions.append(f"half:{suit}")
        if rule == "any" and not holds_both(deal, seat, suit):
            actions.append(f"half:{suit}")
    return actions


def carry_out(deal: Deal, seat: int, action: str) -> Table:
    kind, _, suit = action.partition(":")
    partner = (seat + 2) % 4

    if kind == "declare":
        declare(deal, seat, suit)

    elif kind == "half":
        yield partner, {"yes"} if holds_any(deal, partner, suit) else {"no"}
        if holds_one(deal, seat, suit) and holds_one(deal, partner, suit):
            declare(deal, seat, suit)

    elif kind == "whole":
        marriages = own_marriages(deal, partner)
        if not marriages:
            yield partner, {"no"}
        else:
            answer = yield partner, {f"name:{s}" for s in marriages}
            declare(deal, seat, answer.removeprefix("name:"))

    else:
        raise AssertionError(action)


def leads_after(deal: Deal, seat: int, action: str, declared_before: int) -> list[str]:
    """The lead after an action of the window."""
    hand = deal.hands[seat]
    kind, _, suit = action.partition(":")
    success = len(deal.declared) > declared_before
    if flag(deal.options, "declare_must_lead_marriage") and success and kind != "whole":
        return [card for card in ("K" + suit, "Q" + suit) if card in hand]
    return list(hand)


# ------------------------------------------------------------------ three and four players


def tricks(deal: Deal) -> Table:
    options = deal.options
    leader = deal.forehand()
    first_trick = True

    while deal.hands[leader]:
        order = deal.seats_from(leader)
        trick: list[str] = []

        for seat in order:
            hand = deal.hands[seat]
            if not trick:
                cards = legal_leads(options, hand, first_trick)
                offered = list(cards)
                if not first_trick:
                    offered += window_actions(deal, seat)
                action = yield seat, set(offered)
                if action not in cards:
                    before = len(deal.declared)
                    yield from carry_out(deal, seat, action)
                    if deal.won_by is not None:
                        return
                    cards = leads_after(deal, seat, action, before)
                    action = yield seat, set(cards)
            else:
                best = order[winning_place(trick, deal.trump)]
                partner_winning = deal.is_partner(seat, best)
                cards = legal_follow(options, hand, trick, deal.trump, first_trick, partner_winning)
                action = yield seat, set(cards)
            hand.remove(action)
            trick.append(action)
            deal.played.append(action)

        leader = order[winning_place(trick, deal.trump)]
        take_trick(deal, leader, trick)
        first_trick = False


# ------------------------------------------------------------------ two players (section 2)


def two_player_tricks(deal: Deal) -> Table:
    options = deal.options
    leader = deal.forehand()
    leads: list[str] = legal_leads(options, deal.hands[leader], True)
    first_trick = True

    while deal.hands[leader]:
        other = 1 - leader
        stock_lasts = len(deal.stock) > 0

        led = yield leader, set(leads)
        deal.hands[leader].remove(led)
        deal.played.append(led)

        if stock_lasts:
            replies = list(deal.hands[other])
        else:
            replies = legal_follow(options, deal.hands[other], [led], deal.trump, first_trick)
        reply = yield other, set(replies)
        deal.hands[other].remove(reply)
        deal.played.append(reply)

        trump = deal.trump
        if stock_lasts and not flag(options, "trump_in_phase1"):
            trump = None
        winner = [leader, other][winning_place([led, reply], trump)]
        take_trick(deal, winner, [led, reply])

        # The window, before drawing.
        action = "pass"
        before = len(deal.declared)
        has_window = stock_lasts
        if not stock_lasts and deal.hands[winner]:
            has_window = flag(options, "declare_in_phase2")
        if has_window and open_suits(deal):
            actions = {"pass"} | {f"declare:{suit}" for suit in own_marriages(deal, winner)}
            action = yield winner, actions
            if action != "pass":
                declare(deal, winner, action.removeprefix("declare:"))
                if deal.won_by is not None:
                    return

        # The draw.
        if stock_lasts:
            deal.hands[winner].append(deal.stock.pop(0))
            deal.hands[1 - winner].append(deal.stock.pop(0))

        leader = winner
        leads = leads_after(deal, leader, action, before)
        first_trick = False


# ------------------------------------------------------------------ the last two items (1.4)


def eyes(options: Options, cards: Sequence[str]) -> int:
    total = 0
    for card in cards:
        total += number(options, "ten_eyes") if card[0] == "T" else EYES.get(card[0], 0)
    return total


def sides_with_most(measure: Sequence[int], among: Sequence[int]) -> list[int]:
    most = max(measure[side] for side in among)
    return [side for side in among if measure[side] == most]


def mates_side(options: Options, piles: Sequence[Sequence[str]]) -> int | None:
    """Who has the mates; `piles` are the cards in the tricks of each side (C11)."""
    if word(options, "mates_by", "count", "card_points") == "count":
        measure = [len([card for card in pile if card[0] in "AT"]) for pile in piles]
    else:
        table = CARD_POINTS[word(options, "card_points", "classic", "simple")]
        measure = [sum(table.get(card[0], 0) for card in pile) for pile in piles]

    best = sides_with_most(measure, range(len(piles)))
    if len(best) > 1 and word(options, "mates_tie", "none", "eyes") == "eyes":
        best = sides_with_most([eyes(options, pile) for pile in piles], best)
    return best[0] if len(best) == 1 else None


def items_at_the_end(deal: Deal) -> None:
    if deal.last_winner is not None:
        add_item(deal, "last_trick", side_of(deal.options, deal.last_winner))
    if deal.won_by is None:
        side = mates_side(deal.options, deal.piles)
        if side is not None:
            add_item(deal, "mates", side)


# ------------------------------------------------------------------ the end of a game (1.5)


def gains(items: Sequence[tuple[str, int, int]], sides: int) -> list[int]:
    return [sum(points for _, s, points in items if s == side) for side in range(sides)]


def totals_at_deal_end(
    options: Options, score: Sequence[int], items: Sequence[tuple[str, int, int]]
) -> list[int]:
    new = list(score)
    overshoot = word(options, "overshoot", "no_score", "skip_item", "bounce", "reset")
    if overshoot == "skip_item":
        for _, side, points in items:
            new[side] = entered(options, new[side], points)
        return new
    for side, gain in enumerate(gains(items, len(score))):
        new[side] = entered(options, score[side], gain)
    return new


def first_there(
    options: Options,
    score: Sequence[int],
    items: Sequence[tuple[str, int, int]],
    standing: Sequence[int],
) -> int:
    """A8: the items one after another, from the old scores, for the sides on the target."""
    exact = word(options, "target_mode", "exact", "at_least") == "exact"
    walk = list(score)
    for _, side, points in items:
        if side in standing:
            if exact and walk[side] + points > number(options, "target"):
                continue  # only skip_item comes here: the others stand on their exact sum
            walk[side] += points
            if has_reached(options, walk[side]):
                return side
    raise AssertionError("one of them gets there")


def deal_end_result(
    options: Options, score: Sequence[int], items: Sequence[tuple[str, int, int]]
) -> tuple[list[int], tuple[int, ...]]:
    """Totals and winners when a deal's items are entered together."""
    new = totals_at_deal_end(options, score, items)
    standing = [side for side, total in enumerate(new) if has_reached(options, total)]
    if len(standing) > 1:
        if word(options, "tie", "first_there", "draw") == "first_there":
            standing = [first_there(options, score, items, standing)]
    return new, tuple(standing)


# ------------------------------------------------------------------ the four questions


def replay(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    unit: str,
) -> tuple[Deal, Question | None]:
    """The deal after the whole history, and the question that is open then."""
    deal = Deal(options, hands, stock, dealer, score, unit)
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


def finished(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    unit: str,
) -> Deal:
    deal, _ = replay(options, hands, stock, dealer, score, history, unit)
    if not deal.finished:
        raise ValueError("the deal is not over")
    return deal


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
    """What each side earned in the finished deal, credited or not."""
    deal = finished(options, hands, stock, dealer, score, history, unit)
    return gains(deal.items, number_of_sides(options))


def after(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    deals: int,
) -> tuple[list[int], tuple[int, ...]]:
    """The totals of a game after this finished deal, and who has won (several: a draw)."""
    deal = finished(options, hands, stock, dealer, score, history, "game")
    if deal.at_once:
        new = deal.running
        winners: tuple[int, ...] = () if deal.won_by is None else (deal.won_by,)
    else:
        new, winners = deal_end_result(options, score, deal.items)
    if not winners and deals + 1 >= number(options, "max_deals"):
        winners = tuple(sides_with_most(new, range(len(new))))
    return new, winners


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
