"""Bondtolva: the naive second implementation that the engine is compared with.

It is slow on purpose. A deal is one generator, written in the order in which the rules are
told; it hands out a question (a seat and its legal actions) and receives one action. Every
call replays the whole deal from the dealt cards, with strings, lists and sets. Each action
of a history is checked against the question it answers; a history that could not have
happened raises ValueError. It shares nothing with the Marjapussi oracle, whose two-player
game must agree with it.

"Section" means a section of the rules file, "decision" a numbered decision of the page that
is read first (it overrides the file).

CHOICES: places where the texts leave something open, and what is done here.

 C1  The window is asked after a trick while the stock is not empty, before drawing, if some
     suit is open: also with nothing to declare, and also with no card left in hand (a
     one-card game). After the last trick of phase 2 there is none.
 C2  "While the stock lasts" is decided when a trick is led: trump_in_phase1 and the freedom
     of the reply both go by it.
 C3  Phase 2, trumps led: the reply must beat within trumps, if it can.
 C4  An item that is not credited has happened all the same: a trump marriage makes trump,
     the suit is declared, and it counts in points().
 C5  immediate: every item is entered alone with its own overshoot ("no_score" is then
     "skip_item"; "bounce" never goes below 0). In a game, reaching the target with the last
     trick leaves no matador item.
 C6  deal_end with skip_item: items are added one by one, one that would pass the target is
     left out, a later smaller one may still count.
 C7  deal_end, both on the target (at_least: on or above it): "draw" is a draw also with
     unequal totals, "first_there" walks the items.
 C8  Matadors 4-4 and equal eyes, or mates_tie "none": there is no such item.
 C9  At max_deals the higher total wins, equal totals draw; a target reached goes before.
 C10 Neither deck nor hand size is checked, only that no card occurs twice, that both hands
     are equal and that the stock is even. next_dealer concerns no single deal.
"""

from collections.abc import Generator, Mapping, Sequence

Options = Mapping[str, object]
Hands = Sequence[Sequence[str]]
History = Sequence[tuple[int, str]]
Question = tuple[int, set[str]]
Table = Generator[Question, str, None]
Item = tuple[int, int]  # whose, points

SUITS = "SHDC"
LOW_TO_HIGH = "6789JQKTA"

# Sections 2.3 and 2.4, with the names of the first page.
PRESETS: dict[str, dict[str, object]] = {
    "bondtolva": {
        "deck": 24,
        "hand": 6,
        "target": 12,
        "target_mode": "exact",
        "overshoot": "skip_item",
        "timing": "immediate",
        "tie": "first_there",
        "declare_in_phase2": False,
        "trump_in_phase1": True,
        "trump_points": 2,
        "little_points": 1,
        "last_trick_points": 1,
        "mates_points": 1,
        "mates_tie": "eyes",
        "ten_eyes": 0,
        "first_dealer": "by_set",
        "next_dealer": "alternate",
        "max_deals": 200,
    }
}


# ------------------------------------------------------------------ options


def whole_number(options: Options, name: str) -> int:
    value = options[name]
    if isinstance(value, int):
        return value
    raise ValueError(f"option {name} is {value!r}, not a number")


def yes(options: Options, name: str) -> bool:
    value = options[name]
    if isinstance(value, bool):
        return value
    raise ValueError(f"option {name} is {value!r}, not yes or no")


def is_set_to(options: Options, name: str, wanted: str, *others: str) -> bool:
    """Is the option this word? Any word but these is a mistake."""
    value = options[name]
    if value != wanted and value not in others:
        raise ValueError(f"option {name} is {value!r}, not one of {(wanted, *others)}")
    return value == wanted


def at_least(options: Options) -> bool:
    return is_set_to(options, "target_mode", "at_least", "exact")


def immediate(options: Options) -> bool:
    return is_set_to(options, "timing", "immediate", "deal_end")


# ------------------------------------------------------------------ cards


def value(card: str) -> int:
    return LOW_TO_HIGH.index(card[0])


def reply_wins(lead: str, reply: str, trump: str | None) -> bool:
    """The highest trump takes the trick, else the highest card of the led suit."""
    if reply[1] == lead[1]:
        return value(reply) > value(lead)
    return reply[1] == trump


def strict_replies(hand: Sequence[str], lead: str, trump: str | None) -> list[str]:
    """Phase 2: follow and beat; else follow; else trump; else anything."""
    follow_and_beat = [c for c in hand if c[1] == lead[1] and value(c) > value(lead)]
    follow = [c for c in hand if c[1] == lead[1]]
    trumps = [c for c in hand if c[1] == trump]
    for choice in (follow_and_beat, follow, trumps):
        if choice:
            return choice
    return list(hand)


# ------------------------------------------------------------------ scores


def there(options: Options, total: int) -> bool:
    target = whole_number(options, "target")
    return total >= target if at_least(options) else total == target


def add(options: Options, old: int, gain: int) -> int:
    """Section 1.7, overshoot, for one gain."""
    target = whole_number(options, "target")
    if at_least(options) or old + gain <= target:
        return old + gain
    if is_set_to(options, "overshoot", "bounce", "reset", "skip_item", "no_score"):
        return max(0, 2 * target - (old + gain))
    if is_set_to(options, "overshoot", "reset", "bounce", "skip_item", "no_score"):
        return 0
    return old


# ------------------------------------------------------------------ one deal


class Deal:
    def __init__(
        self,
        options: Options,
        hands: Hands,
        stock: Sequence[str],
        dealer: int,
        score: Sequence[int],
        unit: str,
    ) -> None:
        if len(hands) != 2 or len(score) != 2 or dealer not in (0, 1):
            raise ValueError("Bondtolva is for two")
        if unit not in ("deal", "game"):
            raise ValueError(f"unit {unit!r}")
        cards = [*hands[0], *hands[1], *stock]
        if len(set(cards)) != len(cards):
            raise ValueError("a card occurs twice")
        if len(hands[0]) != len(hands[1]) or len(stock) % 2 == 1:
            raise ValueError("hands or stock of a wrong size")

        self.options = options
        self.hands = [list(hands[0]), list(hands[1])]
        self.stock = list(stock)
        self.dealer = dealer
        self.may_end_early = unit == "game" and immediate(options)

        self.trump: str | None = None
        self.declared: set[str] = set()
        self.seen: set[str] = set()
        self.taken: list[list[str]] = [[], []]
        self.items: list[Item] = []
        self.total = list(score)
        self.game_winner: int | None = None
        self.over = False


def score_item(deal: Deal, player: int, name: str) -> None:
    worth = whole_number(deal.options, name)
    deal.items.append((player, worth))
    if deal.may_end_early:
        deal.total[player] = add(deal.options, deal.total[player], worth)
        if there(deal.options, deal.total[player]):
            deal.game_winner = player


def open_suits(deal: Deal) -> list[str]:
    """Decision 1."""
    return [
        suit
        for suit in SUITS
        if suit not in deal.declared and not {"K" + suit, "Q" + suit} & deal.seen
    ]


def window(deal: Deal, player: int) -> Table:
    """Decision 2: its own question, one for each trick won."""
    suits = open_suits(deal)
    if not suits:
        return
    hand = deal.hands[player]
    possible = [suit for suit in suits if "K" + suit in hand and "Q" + suit in hand]
    answer = yield player, {"pass", *("declare:" + suit for suit in possible)}
    if answer == "pass":
        return
    suit = answer[-1]
    deal.declared.add(suit)
    if deal.trump is None:
        deal.trump = suit
        score_item(deal, player, "trump_points")
    else:
        score_item(deal, player, "little_points")


def one_trick(deal: Deal, leader: int, stock_open: bool) -> Generator[Question, str, int]:
    """Returns who won it."""
    follower = 1 - leader
    lead = yield leader, set(deal.hands[leader])
    deal.hands[leader].remove(lead)

    if stock_open:
        choice = deal.hands[follower]
    else:
        choice = strict_replies(deal.hands[follower], lead, deal.trump)
    reply = yield follower, set(choice)
    deal.hands[follower].remove(reply)

    trump = deal.trump
    if stock_open and not yes(deal.options, "trump_in_phase1"):
        trump = None
    winner = follower if reply_wins(lead, reply, trump) else leader
    deal.taken[winner] += [lead, reply]
    deal.seen |= {lead, reply}
    return winner


def whole_deal(deal: Deal) -> Table:
    player = 1 - deal.dealer

    # Phase 1.
    while deal.stock:
        player = yield from one_trick(deal, player, stock_open=True)
        yield from window(deal, player)
        if deal.game_winner is not None:
            deal.over = True
            return
        deal.hands[player].append(deal.stock.pop(0))
        deal.hands[1 - player].append(deal.stock.pop(0))

    # Phase 2.
    while deal.hands[player]:
        player = yield from one_trick(deal, player, stock_open=False)
        if deal.hands[player] and yes(deal.options, "declare_in_phase2"):
            yield from window(deal, player)
            if deal.game_winner is not None:
                deal.over = True
                return

    # Section 2.3: the last trick, then the matadors.
    score_item(deal, player, "last_trick_points")
    if deal.game_winner is None:
        matador = matador_player(deal.options, deal.taken)
        if matador is not None:
            score_item(deal, matador, "mates_points")
    deal.over = True


def matador_player(options: Options, taken: Sequence[Sequence[str]]) -> int | None:
    matadors = [sum(card[0] in "AT" for card in cards) for cards in taken]
    if matadors[0] != matadors[1]:
        return matadors.index(max(matadors))
    if is_set_to(options, "mates_tie", "none", "eyes"):
        return None
    eyes = [count_eyes(options, cards) for cards in taken]
    if eyes[0] != eyes[1]:
        return eyes.index(max(eyes))
    return None


def count_eyes(options: Options, cards: Sequence[str]) -> int:
    worth = {"A": 4, "K": 3, "Q": 2, "J": 1, "T": whole_number(options, "ten_eyes")}
    return sum(worth.get(card[0], 0) for card in cards)


# ------------------------------------------------------------------ the end of a deal


def enter_together(
    options: Options, score: Sequence[int], items: Sequence[Item]
) -> tuple[list[int], tuple[int, ...]]:
    """timing "deal_end": the new totals, and who has won."""
    new: list[int] = []
    reached_at: dict[int, int] = {}  # player on the target -> the item that brought him there
    by_item = not at_least(options) and is_set_to(
        options, "overshoot", "skip_item", "no_score", "bounce", "reset"
    )
    for player in (0, 1):
        own = [(at, worth) for at, (whose, worth) in enumerate(items) if whose == player]
        if by_item:
            total = score[player]
            for _, worth in own:
                total = add(options, total, worth)
        else:
            total = add(options, score[player], sum(worth for _, worth in own))
        new.append(total)
        if there(options, total):
            way = score[player]
            for at, worth in own:
                if by_item and way + worth > whole_number(options, "target"):
                    continue
                way += worth
                if there(options, way):
                    reached_at[player] = at
                    break
    if len(reached_at) == 2 and is_set_to(options, "tie", "first_there", "draw"):
        return new, (min(reached_at, key=lambda player: reached_at[player]),)
    return new, tuple(sorted(reached_at))


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
    """What each player earned in the finished deal, credited or not."""
    deal, _ = replay(options, hands, stock, dealer, score, history, unit)
    if not deal.over:
        raise ValueError("the deal is not over")
    return [sum(worth for whose, worth in deal.items if whose == p) for p in (0, 1)]


def after(
    options: Options,
    hands: Hands,
    stock: Sequence[str],
    dealer: int,
    score: Sequence[int],
    history: History,
    deals: int,
) -> tuple[list[int], tuple[int, ...]]:
    """The totals of a game after this finished deal, and who has won (both: a draw)."""
    deal, _ = replay(options, hands, stock, dealer, score, history, "game")
    if not deal.over:
        raise ValueError("the deal is not over")
    winners: tuple[int, ...]
    if immediate(options):
        new = deal.total
        winners = () if deal.game_winner is None else (deal.game_winner,)
    else:
        new, winners = enter_together(options, score, deal.items)
    if not winners and deals + 1 >= whole_number(options, "max_deals"):
        winners = tuple(player for player in (0, 1) if new[player] == max(new))
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
    return sum(
        count(options, hands, stock, dealer, score, [*history, (seat, action)], unit)
        for action in actions
    )
