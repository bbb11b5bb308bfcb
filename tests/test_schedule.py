"""Who meets whom, in which seats and in which order: tables as published, designs by counting."""

from collections import Counter
from itertools import combinations, permutations, product
from random import Random

import pytest

from referee.league import schedule
from referee.league.schedule import (
    berger,
    cyclic_order,
    job_ranges,
    meetings,
    pairing_id,
    rounds,
    seatings,
)

PUBLISHED = {
    4: "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
    6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
    8: (
        "1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | "
        "3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4 | 4-8 5-3 6-2 7-1"
    ),
    10: (
        "1-10 2-9 3-8 4-7 5-6 | 10-6 7-5 8-4 9-3 1-2 | 2-10 3-1 4-9 5-8 6-7 | "
        "10-7 8-6 9-5 1-4 2-3 | 3-10 4-2 5-1 6-9 7-8 | 10-8 9-7 1-6 2-5 3-4 | "
        "4-10 5-3 6-2 7-1 8-9 | 10-9 1-8 2-7 3-6 4-5 | 5-10 6-4 7-3 8-2 9-1"
    ),
}


def met(blocks: list[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    return Counter(pair for block in blocks for pair in combinations(sorted(block), 2))


def until_all_met(blocks: list[tuple[int, ...]], n: int) -> int:
    seen: set[tuple[int, int]] = set()
    for played, block in enumerate(blocks, 1):
        seen.update(combinations(sorted(block), 2))
        if len(seen) == n * (n - 1) // 2:
            return played
    raise AssertionError(f"{n} entrants never all met")


class TestBerger:
    @pytest.mark.parametrize("n", PUBLISHED)
    def test_value_35_is_the_published_table(self, n: int) -> None:
        ours = [" ".join(f"{a + 1}-{b + 1}" for a, b in played) for played in berger(n)]
        assert " | ".join(ours) == PUBLISHED[n]

    @pytest.mark.parametrize("n", range(2, 31))
    def test_lets_everyone_meet_everyone_exactly_once(self, n: int) -> None:
        counts = Counter(tuple(sorted(pair)) for played in berger(n) for pair in played)
        assert counts == Counter(combinations(range(n), 2))

    @pytest.mark.parametrize("n", range(2, 31))
    def test_gives_nobody_two_meetings_in_a_round_and_an_odd_field_one_rest_each(
        self, n: int
    ) -> None:
        rests: Counter[int] = Counter()
        for played in berger(n):
            busy = [entrant for pair in played for entrant in pair]
            assert len(set(busy)) == len(busy)
            rests.update(set(range(n)) - set(busy))
        assert rests == Counter(range(n) if n % 2 else ())

    def test_needs_two_entrants(self) -> None:
        with pytest.raises(ValueError, match="at least 2 entrants, not 1"):
            berger(1)


class TestMeetings:
    def test_of_two_are_the_berger_rounds_one_after_another(self) -> None:
        assert meetings(4, 2) == [(0, 3), (1, 2), (3, 2), (0, 1), (1, 3), (2, 0)]

    @pytest.mark.parametrize(("n", "k"), [(3, 3), (6, 3), (11, 3), (4, 4), (5, 4), (10, 4)])
    def test_of_individuals_are_all_combinations_up_to_210(self, n: int, k: int) -> None:
        assert sorted(meetings(n, k)) == list(combinations(range(n), k))

    @pytest.mark.parametrize(
        ("n", "k", "tables", "times"),
        [
            (12, 3, 44, 2),
            (13, 3, 26, 1),
            (16, 3, 80, 2),
            (11, 4, 55, 6),
            (12, 4, 33, 3),
            (13, 4, 13, 1),
        ],
    )
    def test_value_37_a_design_lets_every_pair_meet_equally_often(
        self, n: int, k: int, tables: int, times: int
    ) -> None:
        blocks = meetings(n, k)
        assert len(set(blocks)) == len(blocks) == tables
        assert met(blocks) == dict.fromkeys(combinations(range(n), 2), times)

    @pytest.mark.parametrize(("n", "k"), [(14, 3), (15, 3), (23, 3), (14, 4), (17, 4), (30, 4)])
    def test_without_a_design_every_pair_meets_about_twice(self, n: int, k: int) -> None:
        blocks = meetings(n, k)
        assert len(set(blocks)) == len(blocks)
        assert all(len(set(block)) == k and list(block) == sorted(block) for block in blocks)
        counts = met(blocks)
        assert len(counts) == n * (n - 1) // 2
        assert min(counts.values()) == schedule.GREEDY_MEETINGS
        assert max(counts.values()) <= 2 * schedule.GREEDY_MEETINGS

    @pytest.mark.parametrize(
        ("n", "k", "tables"),
        [(7, 3, 8), (8, 3, 11), (11, 3, 21), (5, 4, 3), (8, 4, 7), (10, 4, 10)],
    )
    def test_everyone_has_soon_met_everyone(self, n: int, k: int, tables: int) -> None:
        assert until_all_met(meetings(n, k), n) <= tables

    @pytest.mark.parametrize(("n", "k"), [(9, 2), (9, 3), (13, 3), (20, 3), (12, 4), (20, 4)])
    def test_are_the_same_every_time(self, n: int, k: int) -> None:
        assert meetings(n, k) == meetings(n, k)

    @pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 3), (3, 4), (0, 2)])
    def test_say_how_many_entrants_are_needed(self, n: int, k: int) -> None:
        with pytest.raises(ValueError, match=f"at least {k} entrants .* not {n}"):
            meetings(n, k)

    def test_of_five_at_a_time_do_not_exist(self) -> None:
        with pytest.raises(ValueError, match="2, 3 or 4 entrants meet at a time, not 5"):
            meetings(9, 5)


class TestPairingId:
    def test_is_the_sorted_ids_whatever_the_order(self) -> None:
        ids = {pairing_id(order) for order in permutations(["pekka", "aino", "ukko"])}
        assert ids == {"aino+pekka+ukko"}

    def test_stays_when_an_entrant_is_added(self) -> None:
        names = ["ukko", "aino", "pekka", "sampo", "louhi"]
        before = {pairing_id(names[i] for i in block) for block in meetings(4, 3)}
        after = {pairing_id(names[i] for i in block) for block in meetings(5, 3)}
        assert before < after


class TestSeatings:
    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    @pytest.mark.parametrize("sides", [(0, 1), (0, 1, 0, 1)])
    def test_swapped_no_entrant_holds_a_hand_twice(
        self, sides: tuple[int, ...], order: tuple[int, ...]
    ) -> None:
        tables = seatings("swap", len(sides), sides, order)
        assert len(tables) == 2
        held = [(entrant, seat) for table in tables for seat, entrant in enumerate(table)]
        assert sorted(held) == sorted(product(range(2), range(len(sides))))

    @pytest.mark.parametrize("k", [2, 3, 4])
    def test_rotated_everyone_holds_every_hand_exactly_once(self, k: int) -> None:
        for order in permutations(range(k)):
            tables = seatings("rotate", k, range(k), order)
            held = [(entrant, seat) for table in tables for seat, entrant in enumerate(table)]
            assert sorted(held) == sorted(product(range(k), range(k)))

    def test_partners_are_one_entrant_in_both_seats_of_a_side(self) -> None:
        assert seatings("swap", 4, (0, 1, 0, 1), (1, 0)) == [(1, 0, 1, 0), (0, 1, 0, 1)]

    def test_rotation_moves_the_players_round_the_order(self) -> None:
        assert seatings("rotate", 3, (0, 1, 2), (2, 0, 1)) == [(2, 0, 1), (0, 1, 2), (1, 2, 0)]

    def test_refuses_sides_that_do_not_fit(self) -> None:
        with pytest.raises(ValueError, match=r"'swap' needs sides 0\.\.1"):
            seatings("swap", 3, (0, 1, 2), (0, 1))
        with pytest.raises(ValueError, match=r"'rotate' needs sides 0\.\.3"):
            seatings("rotate", 4, (0, 1, 0, 1), (0, 1, 2, 3))
        with pytest.raises(ValueError, match="4 seats need 4 sides"):
            seatings("swap", 4, (0, 1), (0, 1))
        with pytest.raises(ValueError, match="order of 2 entrants"):
            seatings("swap", 2, (0, 1), (1, 1))


class TestCyclicOrder:
    @pytest.mark.parametrize("k", [2, 3, 4])
    def test_reaches_every_order_once_over_all_draws(self, k: int) -> None:
        sizes = range(k, 1, -1)
        orders = [
            cyclic_order(k, dict(zip(sizes, drawn, strict=True)).__getitem__)
            for drawn in product(*map(range, sizes))
        ]
        assert sorted(orders) == sorted(permutations(range(k)))

    def test_is_decided_by_the_draws_alone(self) -> None:
        assert cyclic_order(4, Random(5).randrange) == cyclic_order(4, Random(5).randrange)

    def test_refuses_a_draw_out_of_range(self) -> None:
        with pytest.raises(ValueError, match=r"draw\(3\) should give 0\.\.2, not 3"):
            cyclic_order(3, lambda n: n)


class TestJobs:
    def test_grow_from_the_first_to_the_cap(self) -> None:
        sizes = [len(job) for job in job_ranges(200, first=4, growth=2, cap=50)]
        assert sizes == [4, 8, 16, 32, 50, 50, 40]

    @pytest.mark.parametrize("growth", [1, 1.3, 2, 7.5])
    @pytest.mark.parametrize("sets", [0, 1, 3, 4, 57, 500])
    def test_cover_every_set_once_in_order(self, sets: int, growth: float) -> None:
        jobs = job_ranges(sets, first=3, growth=growth, cap=40)
        assert [number for job in jobs for number in job] == list(range(sets))
        assert all(1 <= len(job) <= 40 for job in jobs)

    def test_grow_by_fractions_too(self) -> None:
        assert [len(job) for job in job_ranges(12, first=1, growth=1.5, cap=5)] == [1, 1, 2, 3, 5]

    @pytest.mark.parametrize("wrong", [(-1, 1, 1, 1), (9, 0, 1, 1), (9, 1, 0.5, 1), (9, 4, 1, 3)])
    def test_refuse_sizes_that_never_end(self, wrong: tuple[int, int, float, int]) -> None:
        with pytest.raises(ValueError, match="jobs need"):
            job_ranges(*wrong)

    def test_come_in_rounds_over_all_pairings(self) -> None:
        played = rounds(["a+b", "c+d", "a+c"], sets=5, first=2, growth=2, cap=4)
        first, second = range(2), range(2, 5)
        assert played == [
            [("a+b", first), ("c+d", first), ("a+c", first)],
            [("a+b", second), ("c+d", second), ("a+c", second)],
        ]
