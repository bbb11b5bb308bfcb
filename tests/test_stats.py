"""Distributions, intervals and tests against published values; ratings against their equations."""

import math
from itertools import combinations
from random import Random

import pytest

from referee.league.stats import (
    UNKNOWN,
    beta_cdf,
    bonferroni,
    connected_groups,
    duplicate_gain,
    los,
    mean_interval,
    pooled_gain,
    rank_ranges,
    ratings,
    sets_needed,
    sign_test,
    solve,
    sum_of_means,
    t_cdf,
    t_quantile,
)

SLEEP = (1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4)
TEN_SETS = (4.0, 0.0, -2.0, 6.0, 0.0, 2.0, 8.0, -4.0, 0.0, 6.0)


def near(value: float, digits: int = 6) -> object:
    return pytest.approx(value, abs=0.5000001 * 10**-digits)


class TestStudentT:
    @pytest.mark.parametrize(
        ("df", "t"),
        [
            (1, 12.7062),
            (2, 4.30265),
            (5, 2.57058),
            (9, 2.26216),
            (10, 2.22814),
            (19, 2.09302),
            (29, 2.04523),
            (30, 2.04227),
            (49, 2.00958),
            (99, 1.98422),
            (1000, 1.96234),
        ],
    )
    def test_value_27_quantiles(self, df: int, t: float) -> None:
        assert t_quantile(0.975, df) == near(t, 4 if df == 1 else 5)

    @pytest.mark.parametrize("t", [-40.0, -2.5, -0.3, 0.0, 1e-9, 0.7, 1.9, 300.0])
    def test_cdf_has_the_closed_forms_of_one_and_two_degrees(self, t: float) -> None:
        assert t_cdf(t, 1) == pytest.approx(0.5 + math.atan(t) / math.pi, abs=1e-12)
        assert t_cdf(t, 2) == pytest.approx(0.5 + t / (2 * math.sqrt(2 + t * t)), abs=1e-12)

    def test_quantile_turns_the_cdf_round(self) -> None:
        for df in (1.0, 1.7, 4.0, 33.3, 5000.0):
            for p in (1e-6, 0.01, 0.3, 0.5, 0.8, 0.99999):
                assert t_cdf(t_quantile(p, df), df) == pytest.approx(p, rel=1e-9), (df, p)

    def test_comes_to_the_normal_with_many_degrees(self) -> None:
        assert t_quantile(0.975, 1e6) == pytest.approx(1.959963984540054, abs=1e-5)

    @pytest.mark.parametrize(("p", "df"), [(0.0, 3), (1.0, 3), (0.5, 0), (0.5, math.nan)])
    def test_refuses_what_has_no_quantile(self, p: float, df: float) -> None:
        with pytest.raises(ValueError, match="t_quantile needs"):
            t_quantile(p, df)

    def test_incomplete_beta_is_a_binomial_tail(self) -> None:
        tail = sum(math.comb(12, i) * 0.3**i * 0.7 ** (12 - i) for i in range(4, 13))
        assert beta_cdf(0.3, 4, 9) == pytest.approx(tail, rel=1e-12)
        assert (beta_cdf(0.0, 2, 3), beta_cdf(1.0, 2, 3)) == (0.0, 1.0)


class TestMeanInterval:
    def test_value_28_students_sleep_differences(self) -> None:
        found = mean_interval(SLEEP)
        assert (found.mean, found.se) == (near(1.58), near(0.388959))
        assert (found.low, found.high) == (near(0.700114), near(2.459886))
        assert found.mean / found.se == near(4.062128)

    def test_value_29_ten_sets(self) -> None:
        found = mean_interval(TEN_SETS)
        assert (found.mean, found.sd, found.se) == (2.0, near(3.887301), near(1.229273))
        assert (found.low, found.high) == (near(-0.780808), near(4.780808))
        assert found.mean / found.se == near(1.626978)
        assert los(found) == near(0.930908)
        assert 2 * (1 - los(found)) == near(0.138185)

    def test_value_29_seven_non_zero_sets_are_few(self) -> None:
        padded = mean_interval(TEN_SETS, max_swing=28)
        assert padded.padded
        assert padded.half_width > mean_interval(TEN_SETS).half_width

    @pytest.mark.parametrize(
        ("values", "mean", "half_width"),
        [([0.0] * 20, 0.0, 3.951126), ([4.0, -4.0, 8.0] + [0.0] * 17, 0.4, 4.066723)],
    )
    def test_value_30_padded_intervals(
        self, values: list[float], mean: float, half_width: float
    ) -> None:
        found = mean_interval(values, max_swing=28)
        assert (found.mean, found.half_width, found.padded) == (near(mean), near(half_width), True)

    def test_is_not_padded_with_ten_non_zero_sets(self) -> None:
        values = [3.0, -1.0] * 5 + [0.0] * 10
        assert mean_interval(values, max_swing=28) == mean_interval(values)

    def test_never_becomes_narrower_by_padding(self) -> None:
        values = [50.0, -50.0, 50.0]
        assert mean_interval(values, max_swing=1).half_width >= mean_interval(values).half_width

    def test_pads_with_the_largest_value_where_that_is_more_than_the_swing(self) -> None:
        values = [9.0, 0.0, 0.0]
        assert mean_interval(values, max_swing=2) == mean_interval(values, max_swing=9)

    def test_of_no_set_knows_nothing(self) -> None:
        assert mean_interval([], max_swing=28) == UNKNOWN
        assert (UNKNOWN.low, UNKNOWN.high, UNKNOWN.se) == (-math.inf, math.inf, math.inf)

    def test_of_one_set_is_infinite_unless_padded(self) -> None:
        alone = mean_interval([4.0])
        assert (alone.mean, alone.half_width, alone.df) == (4.0, math.inf, 0.0)
        padded = mean_interval([4.0], max_swing=28)
        assert (padded.mean, padded.df, padded.padded) == (4.0, 1.0, True)
        assert 28 < padded.half_width < math.inf

    def test_has_no_scale_where_nothing_but_zeros_was_seen(self) -> None:
        assert mean_interval([0.0] * 50, max_swing=0).half_width == math.inf

    def test_ignores_the_order_of_sets(self) -> None:
        values = [Random(seed).gauss(0, 1e6) * 10 ** (-seed % 9) for seed in range(40)]
        assert mean_interval(values) == mean_interval(sorted(values))


class TestSumOfMeans:
    def test_adds_the_degrees_of_equal_parts(self) -> None:
        assert sum_of_means([(4.0, 29.0)] * 4) == (4.0, near(116))

    def test_leaves_the_degrees_to_the_parts_that_vary(self) -> None:
        assert sum_of_means([(4.0, 9.0), (0.0, 99.0)]) == (2.0, near(9))

    def test_a_young_pairing_costs_as_much_as_its_share(self) -> None:
        _, df = sum_of_means([(1.0, 199.0)] * 5 + [(0.1, 1.0)])
        assert 199 < df < 1000

    def test_knows_nothing_if_one_part_is_unknown(self) -> None:
        assert sum_of_means([(1.0, 5.0), (math.inf, 0.0)]) == (math.inf, 0.0)


class TestSecondOpinions:
    @pytest.mark.parametrize(
        ("wins", "losses", "p"),
        [(8, 2, 0.109375), (9, 1, 0.021484), (15, 5, 0.041389), (60, 40, 0.056888)],
    )
    def test_value_31_sign_test(self, wins: int, losses: int, p: float) -> None:
        assert sign_test(wins, losses) == sign_test(losses, wins) == near(p)

    def test_sign_test_of_nothing_or_as_many_says_nothing(self) -> None:
        assert sign_test(0, 0) == sign_test(7, 7) == 1.0

    def test_value_32_sets_needed(self) -> None:
        assert sets_needed(sd=5, edge=1) == 197
        assert sets_needed(sd=1000, edge=1) / 1e6 == near(7.848880)
        assert sets_needed(sd=1000, edge=-1, power=0.9) / 1e6 == near(10.5074, 4)

    def test_no_number_of_sets_shows_no_edge(self) -> None:
        with pytest.raises(ValueError, match="an edge that is not 0"):
            sets_needed(sd=5, edge=0)

    def test_los_is_even_where_nothing_is_known(self) -> None:
        assert los(UNKNOWN) == los(mean_interval([3.0])) == los(mean_interval([0.0, 0.0])) == 0.5

    def test_los_is_certain_without_any_spread(self) -> None:
        assert (los(mean_interval([2.0, 2.0])), los(mean_interval([-2.0, -2.0]))) == (1.0, 0.0)


class TestDuplicateGain:
    def test_is_the_share_of_luck_that_the_swap_cancels(self) -> None:
        rng = Random(1)
        luck = [rng.gauss(0, 12) for _ in range(20_000)]
        sets = [(x + rng.gauss(0, 6), -x + rng.gauss(0, 6)) for x in luck]
        # A correlation of 144 / 180 = 0.8 between the tables saves five times.
        assert duplicate_gain(sets) == pytest.approx(5.0, rel=0.05)

    def test_is_near_one_where_tables_have_nothing_in_common(self) -> None:
        rng = Random(2)
        sets = [[rng.gauss(0, 5) for _ in range(3)] for _ in range(20_000)]
        assert duplicate_gain(sets) == pytest.approx(1.0, rel=0.05)

    def test_cannot_be_said_of_one_set_or_of_equal_ones(self) -> None:
        assert duplicate_gain([]) is duplicate_gain([(3.0, 1.0)]) is None
        assert duplicate_gain([(4.0, -4.0), (2.0, -2.0)]) is None

    def test_pooled_leaves_out_how_far_apart_the_groups_are(self) -> None:
        sets = [(1.0, -2.0), (3.0, 0.0), (-1.0, 2.0)]
        moved = [tuple(net + 100 for net in nets) for nets in sets]
        assert pooled_gain([sets, moved]) == pytest.approx(duplicate_gain(sets))

    def test_refuses_sets_with_a_table_missing(self) -> None:
        with pytest.raises(ValueError, match=r"same number of tables, not \[1, 2\]"):
            duplicate_gain([(1.0, 2.0), (1.0,)])


class TestRankRanges:
    def test_count_who_is_significantly_better_and_worse(self) -> None:
        ranges = rank_ranges([5.0, 4.5, 1.0, -9.0], lambda *_: 1.0, lambda *_: 2.0)
        assert ranges == [(1, 2), (1, 2), (3, 3), (4, 4)]

    def test_separate_nobody_where_nothing_is_known(self) -> None:
        assert rank_ranges([9.0, 0.0], lambda *_: math.inf, lambda *_: 2.0) == [(1, 2)] * 2

    def test_need_more_than_the_critical_difference(self) -> None:
        assert rank_ranges([2.0, 0.0], lambda *_: 1.0, lambda *_: 2.0) == [(1, 2)] * 2

    def test_critical_value_shares_the_risk_among_all_pairs(self) -> None:
        assert bonferroni(2, 29) == t_quantile(0.975, 29)
        assert bonferroni(6, 29) == pytest.approx(t_quantile(1 - 0.05 / 30, 29))


class TestRatings:
    def test_of_a_complete_round_robin_are_field_averages_times_m_minus_1_over_m(self) -> None:
        rng, m = Random(3), 5
        pairs = list(combinations(range(m), 2))
        # Own nets of the two need not sum to zero, and the sets differ: neither changes the rule.
        means = [(rng.gauss(0, 3), rng.gauss(0, 3)) for _ in pairs]
        found = ratings(m, pairs, means, [rng.randrange(1, 90) for _ in pairs])
        for i in range(m):
            own = [net[p.index(i)] for p, net in zip(pairs, means, strict=True) if i in p]
            assert found[i] == pytest.approx(sum(own) / (m - 1) * (m - 1) / m)

    def test_add_up_along_a_chain(self) -> None:
        found = ratings(3, [(0, 1), (1, 2)], [(4.0, -4.0), (1.0, -1.0)], [10, 500])
        assert found == pytest.approx([3.0, -1.0, -2.0])

    def test_of_an_incomplete_schedule_weigh_pairings_by_their_sets(self) -> None:
        pairs, counts, d = [(0, 1), (1, 2), (0, 2), (2, 3)], [30, 10, 20, 5], [3.0, 2.0, 1.0, 7.0]
        found = ratings(4, pairs, [(x, -x) for x in d], counts)
        rated = [rating for rating in found if rating is not None]
        assert math.fsum(rated) == pytest.approx(0)
        for i in range(4):
            slope = [
                n * (x - rated[a] + rated[b]) * ((i == a) - (i == b))
                for (a, b), n, x in zip(pairs, counts, d, strict=True)
            ]
            assert math.fsum(slope) == pytest.approx(0), f"not the least squares for entrant {i}"

    @pytest.mark.parametrize("k", [3, 4])
    @pytest.mark.parametrize("dropped", [0, 7])
    def test_of_individuals_come_out_again_from_their_own_nets(self, k: int, dropped: int) -> None:
        true = [3.0, 1.0, 0.5, -0.5, -1.0, -3.0]
        tables = list(combinations(range(6), k))[dropped:]
        means = [[true[i] - sum(true[j] for j in table) / k for i in table] for table in tables]
        found = ratings(6, tables, means, list(range(20, 20 + len(tables))))
        assert found == pytest.approx(true)

    def test_of_groups_that_never_met_are_each_around_zero(self) -> None:
        found = ratings(5, [(3, 0), (2, 4)], [(6.0, -6.0), (1.0, -1.0)], [9, 9])
        assert found == [pytest.approx(-3.0), None, *map(pytest.approx, (0.5, 3.0, -0.5))]
        assert connected_groups(5, [(3, 0), (2, 4)]) == [[0, 3], [2, 4]]

    def test_equations_are_solved(self) -> None:
        rng = Random(4)
        matrix = [[0.0 if i == j else rng.gauss(0, 1) for j in range(7)] for i in range(7)]
        right = [rng.gauss(0, 1) for _ in range(7)]
        x = solve(matrix, right)
        products = [sum(a * b for a, b in zip(row, x, strict=True)) for row in matrix]
        assert products == pytest.approx(right)

    def test_equations_without_one_answer_are_refused(self) -> None:
        with pytest.raises(ValueError, match="singular"):
            solve([[1.0, 1.0], [1.0, 1.0]], [1.0, 2.0])
