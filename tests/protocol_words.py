"""What PROTOCOL.md says of chance and of the floor, from its words and not from our code."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from referee.games.huutopussi import Deal, Huutopussi
from referee.games.huutopussi_options import CARD_POINTS, MARRIAGE_POINTS
from tests.protocol_page import blocks


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


def key_of(line: dict[str, Any]) -> str:
    names = ("secret", "game", "ruleset", "pairing", "set", "deal", "redeal")
    return "|".join(str(line[name]) for name in names)


def chance(line: dict[str, Any]) -> dict[str, Any]:
    """A line about chance with everything worked out that follows from its key."""
    if line["kind"] == "commitment":
        return line | {"commitment": sha256(line["secret"].encode()).hexdigest()}
    if line["kind"] == "deal":
        order, draws = blocks("text", "pack")[0].split(), Draws(key_of(line))
        for last in range(35, 0, -1):
            place = draws.below(last + 1)
            order[last], order[place] = order[place], order[last]
        return line | {"cards": " ".join(order)}
    if line["kind"] == "seed":
        text = f"seed|{key_of(line)}|{line['table']}|{line['seat']}"
        return line | {"seed": int(sha256(text.encode()).hexdigest()[:16], 16) >> 11}
    members = sorted(line["pairing"].split("+"))
    if len(members) == 2:
        return line | {"tables": [members, members[::-1]]}
    parts = [str(line[name]) for name in ("secret", "game", "ruleset", "pairing", "set")]
    draws, n, cycle = Draws("|".join(["order", *parts])), len(members), list(range(len(members)))
    for m in range(n, 1, -1):
        place = draws.below(m)
        cycle[place], cycle[m - 1] = cycle[m - 1], cycle[place]
    tables = [[members[cycle[(s + g) % n]] for s in range(n)] for g in range(n)]
    return line | {"order": cycle, "tables": tables}


def penalty(game: Huutopussi, contract: int, bid: int) -> int:
    rules = game.rules
    no_trick = {"none": 0, "contract": contract, "bid": bid}.get(
        str(rules.no_trick_penalty), rules.no_trick_penalty
    )
    takes_all = {"none": 0, "contract": contract, "double_contract": 2 * contract}
    return max(int(no_trick), takes_all[rules.takes_all_penalty])


def net(points: list[int]) -> float:
    if len(points) == 2:
        return points[0] - points[1]
    return points[0] - sum(points) / len(points)


def floor(game: Huutopussi, deal: Deal, side: int) -> float:
    """Section 11.1, written from its words."""
    rules, k = game.rules, game.side_count
    values, marriages = CARD_POINTS[rules.card_points], MARRIAGE_POINTS[rules.marriage_points]
    pack, last = 4 * sum(values.values()), rules.last_trick_points
    slack = 2 if rules.rounding != "none" else 0
    multiplier = rules.declarer_no_trick_multiplier
    won = [game.pack.texts(mask) for mask in deal.taken]
    if deal.contract is None and not any(won):
        high = game.bids[-1]
        everything = pack + last + sum(marriages) + slack * k
        declaring = [-high * multiplier, everything] + [0] * (k - 2)
        defending = [-penalty(game, high, high), high] + [everything] * (k > 2) + [0] * (k - 3)
        return min(net(declaring), net(defending))
    cards = [sum(values.get(card[0], 0) for card in pile) for pile in won]
    raw = cards.copy()
    for declarer, suit in deal.declared:
        raw[game.sides[declarer]] += marriages[suit]
    laid = sum(values.get(card[0], 0) for card in game.pack.texts(deal.discards))
    if deal.declarer is not None and laid:
        own = game.sides[deal.declarer]
        counts = {"none": False, "declarer": True, "declarer_if_trick": bool(won[own])}
        raw[own] += laid * counts[rules.discards_count]
    royals = zip(game.marriages.kings_queens, marriages, strict=True)
    left = pack - sum(cards) - laid + last
    left += sum(points for pair, points in royals if deal.open_royals & pair)
    least, most = [max(points - slack, 0) for points in raw], [points + slack for points in raw]
    declaring_side = None
    if deal.contract is not None and deal.declarer is not None:
        contract, declaring_side = deal.contract, game.sides[deal.declarer]
        tested = raw[declaring_side] - slack * (rules.rounding == "nearest5_before_test")
        safe = tested >= contract and (cards[declaring_side] or not rules.zero_card_points_fails)
        counted = laid if rules.discards_count != "none" else 0
        reached = raw[declaring_side] + left + slack + counted >= contract
        times = 1 if won[declaring_side] else multiplier
        least[declaring_side] = contract if safe else -contract * times
        most[declaring_side] = contract if reached else -contract
        for other in range(k):
            if other != declaring_side and not won[other]:
                cost = -penalty(game, contract, game.bids[deal.high])
                least[other] = min(least[other], cost)
    others = [other for other in range(k) if other != side]
    for other in [o for o in others if o != declaring_side][:1]:
        most[other] += left
    return net([least[side], *[most[other] for other in others]])
