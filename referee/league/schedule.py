"""
Who meets whom, in which seats, and in which order the sets are played.

Entrants are numbered 0..n-1 in the order of the league file. Everything here depends on counts
only, so the same file always gives the same schedule; the one random thing, the cyclic order of
individuals, comes from a source of integers that the caller derives from the league's secret.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Literal, TypeVar

Kind = Literal["swap", "rotate"]
Meeting = tuple[int, ...]
T = TypeVar("T")

MAX_ALL = 210
"""Up to so many combinations of individuals are all played."""

GREEDY_MEETINGS = 2
"""Where no design is listed, every two entrants meet at least so often, in different company."""

# Balanced incomplete block designs, (k, n) -> (modulus, base blocks): add 1 to every member, modulo
# the modulus, until the block returns; a member equal to the modulus stays as it is. Only the
# sizes that are too many for MAX_ALL are listed.
DESIGNS: dict[tuple[int, int], tuple[int, tuple[Meeting, ...]]] = {
    (3, 12): (11, ((11, 0, 1), (0, 1, 4), (0, 2, 5), (0, 2, 6))),
    (3, 13): (13, ((0, 1, 4), (0, 2, 7))),
    (3, 16): (16, ((0, 1, 2), (0, 2, 6), (0, 3, 8), (0, 3, 9), (0, 4, 9))),
    (4, 11): (11, ((0, 1, 2, 3), (0, 1, 3, 6), (0, 1, 4, 7), (0, 1, 5, 7), (0, 2, 4, 7))),
    (4, 12): (11, ((11, 0, 1, 2), (0, 1, 4, 7), (0, 2, 5, 7))),
    (4, 13): (13, ((0, 1, 3, 9),)),
}


def pairing_id(entrants: Iterable[str]) -> str:
    """
    The name of a pairing in logs and in the shuffle; it never depends on who else is entered.

    >>> pairing_id(["sisu", "aapo"])
    'aapo+sisu'
    """
    return "+".join(sorted(entrants))


def berger(n: int) -> list[list[tuple[int, int]]]:
    """
    Rounds in which n entrants all meet once, by the Berger table, counted from 0.

    With an odd number a ghost takes the last place, and whoever would meet it rests that round.

    >>> berger(3)
    [[(1, 2)], [(0, 1)], [(2, 0)]]
    """
    if n < 2:
        raise ValueError(f"a round robin needs at least 2 entrants, not {n}")
    even = n + n % 2
    circle, last = even - 1, even - 1
    table = []
    for number in range(circle):
        leader = number // 2 if number % 2 == 0 else even // 2 + (number - 1) // 2
        first = (leader, last) if number % 2 == 0 else (last, leader)
        others = [((leader + k) % circle, (leader - k) % circle) for k in range(1, even // 2)]
        table.append([pair for pair in (first, *others) if max(pair) < n])
    return table


def meetings(n: int, k: int) -> list[Meeting]:
    """
    The pairings of a league of n entrants, k of whom meet at a time, in the order of playing.

    Two at a time (k == 2, also for two sides of partners) is the Berger table, flattened. Tables
    of 3 or 4 individuals are all combinations while these are at most `MAX_ALL`, then a listed
    design in which every two meet equally often, else a greedy choice. They are ordered so that
    everyone has met everyone as early as possible. No two meetings have the same members.

    An entrant more can change which meetings there are, but never the id of one that remains.
    """
    if k not in (2, 3, 4):
        raise ValueError(f"2, 3 or 4 entrants meet at a time, not {k}")
    if n < k:
        raise ValueError(f"at least {k} entrants are needed to fill a pairing of {k}, not {n}")
    if k == 2:
        return [pair for played in berger(n) for pair in played]
    blocks = list(combinations(range(n), k))
    if len(blocks) <= MAX_ALL:
        return _met_early(blocks, n)
    if (k, n) in DESIGNS:
        return _met_early(_developed(*DESIGNS[k, n]), n)
    return _greedy(n, k)


def _developed(modulus: int, base_blocks: Sequence[Meeting]) -> list[Meeting]:
    return [
        tuple(sorted(x if x == modulus else (x + shift) % modulus for x in block))
        for block in base_blocks
        for shift in range(modulus)
    ]


def _met_early(blocks: Sequence[Meeting], n: int) -> list[Meeting]:
    """The same blocks, each time one with the most pairs that have met least often."""
    counts = dict.fromkeys(combinations(range(n), 2), 0)
    left, ordered = sorted(blocks), []
    while left:
        rarest = min(counts.values())

        def urgency(block: Meeting, rarest: int = rarest) -> tuple[int, int, Meeting]:
            met = [counts[pair] for pair in combinations(block, 2)]
            return -met.count(rarest), sum(met), block

        best = min(left, key=urgency)
        left.remove(best)
        ordered.append(best)
        for pair in combinations(best, 2):
            counts[pair] += 1
    return ordered


def _greedy(n: int, k: int) -> list[Meeting]:
    """
    Meetings built around the pair that has met least, until all met `GREEDY_MEETINGS` times.

    The pair is filled up with those who have met the ones already seated least often, then with
    those who have the fewest meetings so far; ties go to the lower number.
    """
    met = [[0] * n for _ in range(n)]
    meetings_of = [0] * n
    chosen: dict[Meeting, None] = {}
    pairs = list(combinations(range(n), 2))
    while True:
        pair = min(pairs, key=lambda p: (met[p[0]][p[1]], meetings_of[p[0]] + meetings_of[p[1]], p))
        if met[pair[0]][pair[1]] >= GREEDY_MEETINGS:
            return list(chosen)
        members: Meeting = pair
        while len(members) < k:
            joined = [tuple(sorted((*members, x))) for x in range(n) if x not in members]
            fresh = [block for block in joined if block not in chosen]
            members = min(fresh, key=lambda block: _familiarity(block, met, meetings_of))
        chosen[members] = None
        for x in members:
            meetings_of[x] += 1
        for x, y in combinations(members, 2):
            met[x][y] += 1
            met[y][x] += 1


def _familiarity(
    block: Meeting, met: Sequence[Sequence[int]], meetings_of: Sequence[int]
) -> tuple[int, int, Meeting]:
    together = sum(met[x][y] for x, y in combinations(block, 2))
    return together, sum(meetings_of[x] for x in block), block


def cyclic_order(k: int, draw: Callable[[int], int]) -> Meeting:
    """
    In which order k entrants sit around the table in one set, each order equally likely.

    `draw(n)` gives an integer from 0 to n-1. It is asked for n = k, k-1, ..., 2, and the entrant
    it points at changes places with the one at n-1 (Fisher and Yates).
    """
    order = list(range(k))
    for n in range(k, 1, -1):
        picked = draw(n)
        if not 0 <= picked < n:
            raise ValueError(f"draw({n}) should give 0..{n - 1}, not {picked}")
        order[picked], order[n - 1] = order[n - 1], order[picked]
    return tuple(order)


def seatings(kind: Kind, seats: int, sides: Sequence[int], order: Sequence[int]) -> list[Meeting]:
    """
    The tables of one set: for each, which entrant of the pairing sits in which seat.

    "swap": two sides, two tables; `order[0]` has side 0 at the first table and side 1 at the
    second, in all seats of the side. "rotate": individuals, as many tables as seats; table g
    puts `order[(s + g) % seats]` into seat s. So no entrant holds the same hand twice.

    >>> seatings("swap", 4, (0, 1, 0, 1), (0, 1))
    [(0, 1, 0, 1), (1, 0, 1, 0)]
    >>> seatings("rotate", 3, (0, 1, 2), (0, 2, 1))
    [(0, 2, 1), (2, 1, 0), (1, 0, 2)]
    """
    if len(sides) != seats:
        raise ValueError(f"{seats} seats need {seats} sides, not {tuple(sides)!r}")
    entrants = 2 if kind == "swap" else seats
    if sorted(set(sides)) != list(range(entrants)):
        raise ValueError(f"{kind!r} needs sides 0..{entrants - 1}, not {tuple(sides)!r}")
    if sorted(order) != list(range(entrants)):
        raise ValueError(f"{kind!r} needs an order of {entrants} entrants, not {tuple(order)!r}")
    if kind == "swap":
        return [tuple(order[(side + table) % 2] for side in sides) for table in range(2)]
    return [tuple(order[(s + table) % seats] for s in range(seats)) for table in range(seats)]


def job_ranges(sets: int, first: int, growth: float, cap: int) -> list[range]:
    """
    One pairing's sets 0..sets-1 cut into jobs: `first` sets, then `growth` times more up to `cap`.

    >>> job_ranges(20, first=2, growth=2, cap=8)
    [range(0, 2), range(2, 6), range(6, 14), range(14, 20)]
    """
    if sets < 0 or first < 1 or growth < 1 or cap < first:
        raise ValueError(
            "jobs need sets >= 0, first >= 1, growth >= 1 and cap >= first, "
            f"not {sets}, {first}, {growth} and {cap}"
        )
    jobs, start, size = [], 0, float(first)
    while start < sets:
        stop = min(sets, start + int(size))
        jobs.append(range(start, stop))
        start, size = stop, min(size * growth, float(cap))
    return jobs


def rounds(
    pairings: Sequence[T], sets: int, first: int, growth: float, cap: int
) -> list[list[tuple[T, range]]]:
    """
    The jobs of a league, round by round: every pairing's first job comes before any second one.

    With small first jobs everyone has soon met everyone, and each pairing of the meetings keeps
    its place in every round.
    """
    jobs = job_ranges(sets, first, growth, cap)
    return [[(pairing, job) for pairing in pairings] for job in jobs]
