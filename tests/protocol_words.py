"""What PROTOCOL.md says of chance and of the floor, from its words and not from our code."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from referee.games.huutopussi import Deal
from referee.games.huutopussi_options import CARD_POINTS, MARRIAGE_POINTS
from tests.protocol_page import blocks


def packs() -> dict[int, list[str]]:
    """Section 8.1: the cards of each pack in pack order, by their number."""
    found = {}
    for line in blocks("text", "packs")[0].splitlines():
        size, ranks = line.split(":")
        found[int(size)] = [rank + suit for suit in "SHDC" for rank in ranks.split()]
    return found


class Draws:
    """Section 15.2, written from its words."""

    def __init__(self, text: str) -> None:
        seed = sha256(text.encode()).digest()
        stream = b"".join(sha256(seed + bytes([0, 0, 0, i])).digest() for i in range(100))
        self.stream: Iterator[int] = iter(stream)

    def below(self, n: int) -> int:
        while (b := next(self.stream)) >= 256 - 256 % n:
            pass
        return b % n


def dealt(game: Any, cards: list[int], dealer: int) -> list[set[str]]:
    """Section 8.3: the hands of cards in dealing order; also what a hand's size is, by game."""
    n, names = game.seats, [game.pack.names[card] for card in cards]
    hands: list[set[str]] = [set() for _ in range(n)]
    if game.name == "bondtolva" or (game.name == "marjapussi" and n == 2):
        for packet, seat in enumerate([1 - dealer, dealer, 1 - dealer, dealer]):
            hands[seat] |= set(names[3 * packet : 3 * packet + 3])
        return hands
    size = len(cards) // n
    if game.name == "huutopussi" and not game.rules.teams:
        size = {2: 17, 3: 11, 4: 8}[n]
    for k in range(size * n):
        hands[(dealer + 1 + k) % n].add(names[k])
    return hands


def key_of(line: dict[str, Any]) -> str:
    names = ("secret", "game", "ruleset", "pairing", "set", "deal", "redeal")
    return "|".join(str(line[name]) for name in names)


def chance(line: dict[str, Any]) -> dict[str, Any]:
    """A line about chance with everything worked out that follows from its key."""
    if line["kind"] == "commitment":
        return line | {"commitment": sha256(line["secret"].encode()).hexdigest()}
    if line["kind"] == "deal":
        order, draws = packs()[len(line["cards"].split())], Draws(key_of(line))
        for last in range(len(order) - 1, 0, -1):
            place = draws.below(last + 1)
            order[last], order[place] = order[place], order[last]
        return line | {"cards": " ".join(order)}
    if line["kind"] == "seed":
        text = f"seed|{key_of(line)}|{line['table']}|{line['seat']}"
        return line | {"seed": int(sha256(text.encode()).hexdigest()[:16], 16) >> 11}
    members = sorted(line["pairing"].split("+"))
    if len(members) == 2:
        seats = range(len(line["tables"][0]))
        return line | {"tables": [[members[(s + g) % 2] for s in seats] for g in (0, 1)]}
    parts = [str(line[name]) for name in ("secret", "game", "ruleset", "pairing", "set")]
    draws, n, cycle = Draws("|".join(["order", *parts])), len(members), list(range(len(members)))
    for m in range(n, 1, -1):
        place = draws.below(m)
        cycle[place], cycle[m - 1] = cycle[m - 1], cycle[place]
    tables = [[members[cycle[(s + g) % n]] for s in range(n)] for g in range(n)]
    return line | {"order": cycle, "tables": tables}


def penalties(rules: Any, contract: int, bid: int) -> tuple[int, int]:
    """What `no_trick_penalty` and `takes_all_penalty` cost."""
    no_trick = {"none": 0, "contract": contract, "bid": bid}.get(
        str(rules.no_trick_penalty), rules.no_trick_penalty
    )
    takes_all = {"none": 0, "contract": contract, "double_contract": 2 * contract}
    return int(no_trick), takes_all[rules.takes_all_penalty]


def net(points: list[int]) -> float:
    if len(points) == 2:
        return points[0] - points[1]
    return points[0] - sum(points) / len(points)


def floor(deal: Any, side: int) -> float:
    """The floor of a deal of any game."""
    floors: dict[str, Callable[[Any, int], float]] = {
        "huutopussi": huutopussi, "marjapussi": items, "bondtolva": items,
        "tuppi": tuppi, "minnesota": minnesota,
    }  # fmt: skip
    return floors[deal.game.name](deal, side)


def lowest(game: Any) -> float:
    """The lowest net, which stands with each ruleset."""
    cards = list(range(game.pack.size))
    if game.name in ("marjapussi", "bondtolva"):
        rules = game.rules
        worst = rules.last_trick_points + rules.mates_points + 3 * rules.little_points
        worst += max(rules.trump_points, rules.little_points)
        return net([0, worst, *[0] * (game.side_count - 2)])
    return floor(game.deal(cards, game.first(0)), 0)


def at_most(rules: Any, n: int, x: int) -> int:
    """The most that n sides can get for x raw points."""
    if n == 0 or rules.rounding == "none":
        return x if n else 0
    return max(points for points in range(x + 2 * n + 1) if points % 5 == 0)


def against(k: int, own: int, others: int) -> float:
    """The net of a side against what all others have together."""
    return net([own, others, *[0] * (k - 2)])


def huutopussi(deal: Deal, side: int) -> float:
    """Section 18.8, written from its words."""
    game, rules, k = deal.game, deal.game.rules, deal.game.side_count
    pack = 4 * sum(CARD_POINTS[rules.card_points].values())
    everything = pack + rules.last_trick_points
    everything += sum(MARRIAGE_POINTS[rules.marriage_points])
    high, multiplier = game.bids[-1], rules.declarer_no_trick_multiplier
    margin = 2 if rules.rounding == "nearest5_before_test" else 0
    playing = deal.PHASES[deal.phase] in ("play", "answer")
    if deal.contract is not None or (deal.declarer is None and playing):
        return in_play(deal, side, margin)
    declaring = against(k, -high * multiplier, at_most(rules, k - 1, everything))
    bid = high if deal.declarer is None else game.bids[deal.high]
    rest = at_most(rules, k - 2, max(0, everything - high + margin))
    defending = against(k, -max(penalties(rules, high, bid)), high + rest)
    if deal.declarer is None:
        return min(declaring, defending)
    return declaring if game.sides[deal.declarer] == side else defending


def in_play(deal: Deal, side: int, margin: int) -> float:
    """The same once the contract is named, or where there is none."""
    game, rules, k = deal.game, deal.game.rules, deal.game.side_count
    values = CARD_POINTS[rules.card_points]
    piles = [game.pack.texts(mask) for mask in deal.taken]
    cards = [sum(values.get(card[0], 0) for card in pile) for pile in piles]
    tricks = [sum(n for at, n in zip(game.sides, deal.tricks, strict=True) if at == each)
              for each in range(k)]  # fmt: skip
    raw = cards.copy()
    for seat, suit in deal.declared:
        raw[game.sides[seat]] += MARRIAGE_POINTS[rules.marriage_points][suit]
    laid = sum(values.get(card[0], 0) for card in game.pack.texts(deal.discards))
    left = 4 * sum(values.values()) - sum(cards) - laid + rules.last_trick_points
    others = [other for other in range(k) if other != side]
    theirs = sum(raw[other] + marriages_left(deal, other) for other in others) + left
    if deal.declarer is None or deal.contract is None:
        return against(k, at_most(rules, 1, raw[side]), at_most(rules, k - 1, theirs))
    declaring, contract = game.sides[deal.declarer], deal.contract
    count = rules.discards_count
    if count == "declarer" or (count == "declarer_if_trick" and tricks[declaring]):
        raw[declaring] += laid
        theirs += laid if declaring != side else 0
    made_already = raw[declaring] + margin >= contract
    made_already &= bool(cards[declaring]) or not rules.zero_card_points_fails
    if declaring == side:
        lost = contract * (1 if tricks[side] else rules.declarer_no_trick_multiplier)
        return against(k, contract if made_already else -lost, at_most(rules, k - 1, theirs))
    g = left + marriages_left(deal, declaring)
    g += laid if count == "declarer_if_trick" and not tricks[declaring] else 0
    d = max(0, contract - raw[declaring] - margin)
    s = theirs - raw[declaring] - marriages_left(deal, declaring)
    nets = []
    for made in [True] * (g >= d) + [False] * (not made_already):
        no_trick, takes_all = penalties(rules, contract, game.bids[deal.high])
        if tricks[declaring] < sum(tricks) or (rules.takes_all_requires_made and not made):
            takes_all = 0
        own = at_most(rules, 1, raw[side]) if tricks[side] else -max(no_trick, takes_all)
        x = min(s, s - left + g - d) if made else s
        most = (contract if made else -contract) + at_most(rules, k - 2, x)
        nets.append(against(k, own, most))
    return min(nets)


def marriages_left(deal: Deal, side: int) -> int:
    """What a side may still make marriages for."""
    game, rules = deal.game, deal.game.rules
    held = {card for seat, hand in enumerate(deal.hands) if game.sides[seat] == side
            for card in game.pack.texts(hand)}  # fmt: skip
    if deal.declarer is not None and game.sides[deal.declarer] == side:
        held |= set(game.pack.texts(deal.chosen))
    made = [suit for _, suit in deal.declared]
    worth = [points for suit, points in enumerate(MARRIAGE_POINTS[rules.marriage_points])
             if {"K" + "SHDC"[suit], "Q" + "SHDC"[suit]} <= held and suit not in made]  # fmt: skip
    largest = max(hand.bit_count() for hand in deal.hands)
    t = largest - (2 if rules.ask_half == "none" else 1) + announces(deal, side)
    return sum(sorted(worth, reverse=True)[: max(0, t)])


def announces(deal: Any, side: int) -> bool:
    """Whether a seat of a side may declare or ask now, or is being answered."""
    game = deal.game
    if deal.PHASES[deal.phase] == "answer":
        return bool(game.sides[deal.asked[-1][0]] == side)
    if deal.PHASES[deal.phase] == "declare":
        return bool(game.sides[deal.to_act] == side)
    return bool(deal.window and game.sides[deal.to_act] == side)


def items(deal: Any, side: int) -> float:
    """Section 19.8, written from its words; for Marjapussi and Bondtolva."""
    game = deal.game
    rules, k = game.rules, game.side_count
    points = [0] * k
    for declaring, worth in marriages(deal):
        points[declaring] += worth
    others = [other for other in range(k) if other != side]
    to_add = rules.last_trick_points
    now, most = mates_now(deal), mates_at_most(deal)
    if any(all(most[o] > now[rest] for rest in range(k) if rest != o) for o in others):
        to_add += rules.mates_points
    cut_short = deal.tally.unit == "game" and rules.timing == "immediate"
    if all(most[o] < now[side] for o in others) and not cut_short:
        points[side] += rules.mates_points
    may = [still_to_make(deal, each) for each in range(k)]
    c, little, first = sum(may) - may[side], rules.little_points, rules.trump_points
    ways = [(0, c * little)]
    if c and not deal.declared:
        ways = [(0, first + (c - 1) * little)] + [(first, c * little)] * bool(may[side])
    return min(
        against(k, points[side] + own, sum(points[o] for o in others) + to_add + more)
        for own, more in ways
    )


def mates_now(deal: Any) -> list[list[int]]:
    """What each side's tricks hold towards the most mates, and with `eyes` their eyes after it."""
    return [[counted(deal, side, counts) for counts in compared(deal.game.rules)]
            for side in range(deal.game.side_count)]  # fmt: skip


def mates_at_most(deal: Any) -> list[list[int]]:
    """The same for each side with everything that nobody has won."""
    whole = [sum(counts.get(card[0], 0) for card in deal.game.pack.names)
             for counts in compared(deal.game.rules)]  # fmt: skip
    now = mates_now(deal)
    won = [sum(each) for each in zip(*now, strict=True)]
    return [[a + b - c for a, b, c in zip(side, whole, won, strict=True)] for side in now]


def compared(rules: Any) -> list[dict[str, int]]:
    """What decides who has the most mates, in order."""
    eyes = {"A": 4, "K": 3, "Q": 2, "J": 1, "T": rules.ten_eyes}
    return [mates(rules), eyes][: 2 if rules.mates_tie == "eyes" else 1]


def still_to_make(deal: Any, side: int) -> int:
    """How many marriages a side may still make."""
    game, rules = deal.game, deal.game.rules
    stock = [game.pack.names[card] for card in deal.stock[len(deal.drawn) :]] if (
        hasattr(deal, "stock")) else []  # fmt: skip
    held = [set(game.pack.texts(hand)) for hand in deal.hands]
    there = set(stock).union(*held)
    open_suits = [suit for at, suit in enumerate("SHDC") if {"K" + suit, "Q" + suit} <= there
                  and at not in [declared for _, declared in deal.declared]]  # fmt: skip
    half = getattr(rules, "ask_half", "none") != "none"
    hands = [hand.union(stock) for at, hand in enumerate(held) if game.sides[at] == side]
    if half or getattr(rules, "ask_whole", False):
        hands = [set().union(*hands)]
    tricks = max(map(len, held)) - (1 if half else 2)
    if hasattr(deal, "stock"):
        if stock:
            tricks = 6 - 2
        tricks = max(0, tricks) if rules.declare_in_phase2 else 0
        # The two cards for the next trick are not drawn yet while one may declare.
        tricks += len(stock) // 2 - (deal.PHASES[deal.phase] == "declare" and bool(stock))
    found = sum({"K" + suit, "Q" + suit} <= hand for suit in open_suits for hand in hands)
    return min(found, max(0, tricks + announces(deal, side)))


def marriages(deal: Any) -> list[tuple[int, int]]:
    """(side, points) of every marriage made."""
    rules, sides = deal.game.rules, deal.game.sides
    return [(sides[seat], rules.little_points if number else rules.trump_points)
            for number, (seat, _) in enumerate(deal.declared)]  # fmt: skip


def mates(rules: Any) -> dict[str, int]:
    """What each rank counts towards the most mates."""
    if getattr(rules, "mates_by", "count") == "card_points":
        return dict(CARD_POINTS[rules.card_points])
    return {"A": 1, "T": 1}


def counted(deal: Any, side: int, counts: dict[str, int]) -> int:
    """What a side's tricks hold of something that cards count for."""
    return sum(counts.get(card[0], 0) for card in deal.game.pack.texts(deal.taken[side]))


def all_items(deal: Any) -> list[tuple[int, int]]:
    """(side, points) of every item of a deal that was played out: the table of 19.6 and 20.6."""
    rules, k = deal.game.rules, deal.game.side_count
    found = [*marriages(deal), (deal.game.sides[deal.winner], rules.last_trick_points)]
    best = list(range(k))
    for counts in compared(rules):
        most = max(counted(deal, side, counts) for side in best)
        best = [side for side in best if counted(deal, side, counts) == most]
    return found + [(side, rules.mates_points) for side in best if len(best) == 1]


def entered(rules: Any, old: int, gain: int) -> int:
    """What is old + gain, or what `overshoot` makes of it."""
    if old + gain <= rules.target or rules.target_mode == "at_least":
        return old + gain
    bounced: int = max(0, 2 * rules.target - (old + gain))
    return {"no_score": old, "bounce": bounced, "reset": 0, "skip_item": old}[rules.overshoot]


def after_items(deal: Any, won: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The scores after a deal with these items, and who has won the game: 19.6 and 20.6."""
    rules, score = deal.game.rules, list(deal.tally.score)
    if rules.timing == "immediate":
        for side, points in won:
            score[side] = entered(rules, score[side], points)
            if score[side] >= rules.target:
                return score, [side]
        return score, []
    if rules.overshoot == "skip_item":
        for side, points in won:
            score[side] = entered(rules, score[side], points)
    else:
        gains = [sum(p for each, p in won if each == side) for side in range(len(score))]
        score = [entered(rules, *each) for each in zip(score, gains, strict=True)]
    there = [side for side, total in enumerate(score) if total >= rules.target]
    if len(there) > 1 and rules.tie == "first_there":
        walked = list(deal.tally.score)
        for side, points in won:
            if walked[side] + points <= rules.target or rules.target_mode == "at_least":
                walked[side] += points
            if walked[side] >= rules.target and side in there:
                return score, [side]
    return score, there


# ---- Tuppi and Minnesota Whist ---------------------------------------------------------------


def if_lost(deal: Any, side: int, high: str) -> list[int]:
    """Tricks by side if all that are left go against a side: 21.8 and 22.8."""
    won = tricks_of(deal)
    won[1 - side if deal.contract == high else side] += 13 - sum(won)
    return won


def tricks_of(deal: Any) -> list[int]:
    return [deal.tricks[0] + deal.tricks[2], deal.tricks[1] + deal.tricks[3]]


def tuppi(deal: Any, side: int) -> float:
    """Section 21.8, written from its words."""
    rules = deal.game.rules
    if deal.PHASES[deal.phase] == "bid":
        each = max(rules.grand_points, rules.grand_set_points, rules.low_points)
        return float(-max(7 * each, rules.sooli_points * rules.sooli))
    if deal.soloist is not None and not deal.tricks[deal.soloist]:
        return float(-rules.sooli_points)
    points = earned(deal, if_lost(deal, side, "rami"))
    chosen_still = deal.PHASES[deal.phase] == "sooli"
    worst = points[side] - points[1 - side]
    return min(worst, -rules.sooli_points) if chosen_still else worst


def earned(deal: Any, tricks: list[int]) -> list[int]:
    """The table of section 21.6."""
    rules, points = deal.game.rules, [0, 0]
    most = 0 if tricks[0] >= 7 else 1
    if deal.soloist is not None:
        side = deal.soloist % 2
        points[1 - side if deal.tricks[deal.soloist] else side] = rules.sooli_points
    elif deal.contract == "nolo":
        points[1 - most] = rules.low_points * (7 - tricks[1 - most])
    elif deal.declarer % 2 == most:
        points[most] = rules.grand_points * (tricks[most] - 6)
    else:
        points[most] = rules.grand_set_points * (tricks[most] - 6)
    return points


def after_tuppi(deal: Any, points: list[int]) -> list[int]:
    """The scores after a deal, with what `reset_mode` does: section 21.6."""
    mode, score = deal.game.rules.reset_mode, list(deal.tally.score)
    earner = 0 if points[0] else 1
    if mode == "both_zero" and score[1 - earner]:
        return [0, 0]
    if mode == "transfer":
        score[1 - earner] = 0
    score[earner] += points[earner]
    return score


def minnesota(deal: Any, side: int) -> float:
    """Section 22.8, written from its words."""
    rules = deal.game.rules
    if deal.PHASES[deal.phase] != "play":
        return float(-7 * max(rules.grand_points, rules.grand_set_points, rules.low_points))
    points = gained(deal, if_lost(deal, side, "high"))
    return points[side] - points[1 - side]


def gained(deal: Any, tricks: list[int]) -> list[int]:
    """The table of section 22.6."""
    rules, points = deal.game.rules, [0, 0]
    most = 0 if tricks[0] >= 7 else 1
    m = tricks[most]
    if deal.contract == "low":
        if rules.low_mode == "fewer_gain":
            points[1 - most] = rules.low_points * (m - 6)
        else:
            points[most] = -rules.low_points * (m - 6)
    elif deal.declarer % 2 == most:
        points[most] = rules.grand_points * (m - 6)
    elif rules.high_fail == "opponents_score":
        points[most] = rules.grand_set_points * (m - 6)
    else:
        points[1 - most] = -rules.grand_set_points * (m - 6)
    return points


# ---- tricks, from the view alone -------------------------------------------------------------

ORDERS = {"ace_ten": "6789JQKTA", "plain": "23456789TJQKA", "ace_low": "A23456789TJQK"}


def height(game: Any, view: Any) -> Callable[[str], int]:
    """How high a card ranks in its suit: section 8.4."""
    order = {"huutopussi": getattr(game.rules, "rank_order", ""), "marjapussi": "ace_ten",
             "bondtolva": "ace_ten"}.get(game.name, "plain")  # fmt: skip
    if game.name == "tuppi" and view.contract == "sooli" and game.rules.sooli_ace == "low":
        order = "ace_low"
    return lambda card: ORDERS[order].index(card[0])


def winner(game: Any, view: Any, plays: Any, trump: str | None) -> int:
    """Who wins a trick, or is winning it."""
    suit = trump if any(card[1] == trump for _, card in plays) else plays[0][1][1]
    rank = height(game, view)
    return int(max((rank(card), seat) for seat, card in plays if card[1] == suit)[1])


def playable(game: Any, view: Any) -> list[str]:
    """What may be done in the phase `play`: sections 8.4, 8.5 and those of the game."""
    rules, first = game.rules, not any(view.tricks)
    if not view.trick:
        return leads(game, view, first) + declarations(game, view, first)
    if getattr(view, "stock", 0):
        return list(view.hand)
    strict, rank = game.name == "bondtolva", height(game, view)
    beat = getattr(rules, "first_trick_must_beat", True) or not first
    spared = getattr(rules, "spare_partner", False)
    if spared and (view.seat - winner(game, view, view.trick, view.trump)) % 4 == 2:
        beat = False
    led = view.trick[0][1][1]
    cards = [card for _, card in view.trick]
    trumped = view.trump != led and any(card[1] == view.trump for card in cards)
    own, suit = [card for card in view.hand if card[1] == led], led
    must = getattr(rules, "must_head", strict) and beat
    if trumped and getattr(rules, "head_lapses_when_ruffed", True):
        must = False
    if own and first and getattr(rules, "ace_shows", False) and "A" + led in own:
        return ["A" + led]
    if not own and getattr(rules, "must_trump", strict):
        own, suit = [card for card in view.hand if card[1] == view.trump], view.trump
        must = getattr(rules, "must_overtrump", strict) and beat
    best = max((rank(card) for card in cards if card[1] == suit), default=-1)
    higher = [card for card in own if rank(card) > best] if must else []
    return higher or own or list(view.hand)


def last_play(game: Any, view: Any) -> int:
    """The place in the history of the last card played, or -1."""
    plays = [at for at, (_, action) in enumerate(view.history) if action in game.pack.index]
    return plays[-1] if plays else -1


def leads(game: Any, view: Any, first: bool) -> list[str]:
    """The cards that may be led."""
    hand, first_lead = list(view.hand), getattr(game.rules, "first_lead", "any")
    since = view.history[last_play(game, view) + 1 :]
    if getattr(game.rules, "declare_must_lead_marriage", False) and not first and since:
        suits = [action[-1] for _, action in since if ":" in action]
        made = [suit for _, suit in view.declared if suit in suits]
        hand = [card for card in hand if card[0] in "KQ" and card[1] in made] or hand
    if first and first_lead != "any":
        spades = [card for card in hand if card[1] == "S"]
        aces = [card for card in hand if card[0] == "A"]
        return aces or (spades if first_lead == "ace_then_spade" else []) or hand
    return hand


def declarations(game: Any, view: Any, first: bool) -> list[str]:
    """What the winner of a trick may declare or ask."""
    rules, hand = game.rules, view.hand
    last = last_play(game, view)
    stock = game.name == "bondtolva" or (game.name == "marjapussi" and game.seats == 2)
    if first or stock or not hasattr(view, "asked") or last < len(view.history) - 1:
        return []
    plays = [play for play in view.history if play[1] in game.pack.index]
    right = getattr(rules, "trump_right", "won")
    needed = right == "won_and_led" or (right == "first_won_and_led" and not view.declared)
    if needed and plays[-game.seats][0] != view.seat:
        return []
    gone = {card[1] for _, card in plays if card[0] in "KQ"} | {suit for _, suit in view.declared}
    held = {suit: [rank for rank in "KQ" if rank + suit in hand] for suit in "SHDC"}
    suits = [suit for suit in "SHDC" if suit not in gone]
    may_declare, may_ask_whole = lockout(game, view)
    found = [f"declare:{suit}" for suit in suits if len(held[suit]) == 2]
    if getattr(rules, "ask_only_without_own", False) and found:
        return found
    if not may_declare:
        found = []
    enough = {"none": (), "own_half": (1,), "any": (0, 1)}[rules.ask_half]
    found += [f"half:{suit}" for suit in suits if len(held[suit]) in enough]
    if rules.ask_whole and suits and len(hand) > 1:
        found += ["whole"] * may_ask_whole
    return found


def lockout(game: Any, view: Any) -> tuple[bool, bool]:
    """Whether `ask_lockout` leaves a seat the right to declare, and to ask for a whole."""
    partner = (view.seat + 2) % 4
    whole = {seat for seat, question, _ in view.asked if question == "whole"}
    half = {seat for seat, question, _ in view.asked if question != "whole"}
    by_half = view.seat in half or partner in half
    return {
        "none": (True, True),
        "pagat": (view.seat not in whole, partner not in whole),
        "illisoft": (view.seat not in whole and not by_half, not by_half),
    }[getattr(game.rules, "ask_lockout", "none")]
