"""The standings: own nets only, sets as the unit, the same table whatever the order of the sets."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations, permutations, product
from random import Random

import pytest

from referee.league import crosstable, stats
from referee.league.crosstable import Field, LeagueTable, Played, standings
from referee.league.nets import SetResult
from referee.league.schedule import meetings

SKILL = (1.0, 0.4, -0.2, -1.2)
NAMES = ("aino", "ilmari", "louhi", "sampo")

Nets = tuple[tuple[float, ...], ...]


def league(
    seed: int, k: int, sets: int, play: Callable[[Random, tuple[int, ...]], Nets]
) -> list[SetResult]:
    """All pairings of the four entrants, each with so many sets."""
    rng = Random(seed)
    return [
        SetResult(tuple(NAMES[i] for i in members), number, play(rng, members))
        for members in combinations(range(4), k)
        for number in range(sets)
    ]


def lively(rng: Random, members: tuple[int, ...]) -> Nets:
    """Two sides whose every set has a swing of its own."""
    luck = rng.gauss(0, 12)
    edge = SKILL[members[0]] - SKILL[members[1]] + rng.gauss(0, 4)
    return (edge + luck, -edge - luck), (edge - luck, luck - edge)


def alike(rng: Random, members: tuple[int, ...]) -> Nets:
    """Two sides that play four sets of five alike; the fifth has the whole edge."""
    luck, swing = rng.gauss(0, 12), 0.0
    if rng.random() < 0.2:
        swing = rng.choice((-8, -4, 4, 8)) + 5 * (SKILL[members[0]] - SKILL[members[1]])
    return (swing + luck, -swing - luck), (swing - luck, luck - swing)


def individuals(rng: Random, members: tuple[int, ...]) -> Nets:
    points = [SKILL[i] + rng.gauss(0, 4) for i in members]
    mean = sum(points) / len(points)
    return tuple(tuple(own - mean for own in points) for _ in members)


def exact_field(tables: Iterable[tuple[int, ...]], entrants: int) -> tuple[Field, int]:
    """
    A field whose sets have exactly variance 1: own nets are r_i + e_i minus the table's mean.

    The e of the four seats are the orthogonal columns of all 64 patterns of six signs, scaled to
    sample variance 1. For two sides own net is the difference with variance 1, as D has it.
    """
    signs = list(product((-1, 1), repeat=6))
    scale = math.sqrt((len(signs) - 1) / len(signs))
    played = []
    for members in tables:
        k = len(members)
        skills = [10.0 * (entrants - 1) / 2 - 10.0 * i for i in members]
        sets = []
        for pattern in signs:
            own = [s + scale * e for s, e in zip(skills, pattern[:k], strict=True)]
            if k == 2:
                d = skills[0] - skills[1] + scale * pattern[0]
                own = [d, -d]
            mean = sum(own) / k
            sets.append([tuple(net - mean for net in own)])
        played.append(Played(members, sets))
    return Field(played, entrants, 0.95, None), len(signs)


def develop(base: tuple[int, ...], n: int) -> list[tuple[int, ...]]:
    return [tuple(sorted((x + shift) % n for x in base)) for shift in range(n)]


def rating_variances(field: Field, sets: int) -> tuple[float, float]:
    """Var(r_0) and the only Var(r_i - r_k), for one set and variance 1, out of the table's own."""
    rating = field.ratings()[0]
    assert rating is not None
    factor = (rating / field.averages[0].mean) ** 2 * sets
    pairs = combinations(range(field.entrants), 2)
    found = [field.difference(i, k)[0] ** 2 for i, k in pairs]
    assert max(found) == pytest.approx(min(found))
    return factor * field.averages[0].se ** 2, factor * found[0]


class TestValue36:
    def test_round_robin_of_six(self) -> None:
        single, difference = rating_variances(*exact_field(combinations(range(6), 2), 6))
        assert single == pytest.approx(0.138889, abs=1e-6)
        assert difference == pytest.approx(1 / 3)

    @pytest.mark.parametrize(
        ("tables", "entrants", "variance"),
        [
            (develop((0, 1, 3), 7), 7, 0.857143),
            (develop((0, 1, 2, 4), 7), 7, 0.571429),
            (meetings(13, 4), 13, 0.615385),
            (meetings(6, 4), 6, 0.222222),
        ],
        ids=["fano", "7-4-2", "13-4-1", "all of 6"],
    )
    def test_tables_of_individuals(
        self, tables: list[tuple[int, ...]], entrants: int, variance: float
    ) -> None:
        _, difference = rating_variances(*exact_field(tables, entrants))
        assert difference == pytest.approx(variance, abs=1e-6)


class TestFieldAverage:
    def test_weighs_every_opponent_the_same_whatever_the_sets(self) -> None:
        results = [SetResult(("aino", "louhi"), s, ((3.0, -3.0),)) for s in range(90)]
        results += [SetResult(("aino", "sampo"), s, ((-1.0, 1.0),)) for s in range(10)]
        assert row(standings(results, NAMES, 2), "aino").net.mean == 1.0

    def test_difference_of_two_has_four_times_the_variance_of_their_own_pairing(self) -> None:
        table, field = standings(league(1, 2, 40, lively), NAMES, 2), field_of(40)
        var = {p.pairing: p.difference.se**2 for p in table.pairings if p.difference}
        a, b, c, d = NAMES
        expected = var[a, c] + var[a, d] + var[b, c] + var[b, d] + 4 * var[a, b]
        assert field.difference(0, 1)[0] == pytest.approx(math.sqrt(expected) / 3)

    def test_variance_is_the_mean_of_those_of_the_pairings(self) -> None:
        table = standings(league(1, 2, 40, lively), NAMES, 2)
        expected = math.fsum(table.cells["aino", other].net.se ** 2 for other in NAMES[1:]) / 9
        net = row(table, "aino").net
        assert net.se == pytest.approx(math.sqrt(expected))
        assert net.half_width == pytest.approx(stats.t_quantile(0.975, net.df) * net.se)
        assert 39 < net.df <= 117

    def test_is_padded_when_one_of_its_pairings_is(self) -> None:
        table = standings(league(1, 2, 9, lively), NAMES, 2)
        assert all(r.net.padded for r in table.rows)

    def test_rating_is_its_share_in_a_complete_league(self) -> None:
        for r in standings(league(2, 2, 30, lively), NAMES, 2).rows:
            assert r.rating == pytest.approx(r.net.mean * 3 / 4)


def row(table: LeagueTable, entrant: str) -> crosstable.Row:
    return next(r for r in table.rows if r.entrant == entrant)


def field_of(sets: int) -> Field:
    """The field of `league(1, 2, sets, lively)`."""
    by_pairing: dict[tuple[int, ...], list[Nets]] = {}
    for result in league(1, 2, sets, lively):
        members = tuple(NAMES.index(entrant) for entrant in result.pairing)
        by_pairing.setdefault(members, []).append(result.nets)
    return Field([Played(*item) for item in by_pairing.items()], 4, 0.95, None)


class TestStandings:
    @pytest.mark.parametrize(("k", "play"), [(2, lively), (3, individuals), (4, individuals)])
    def test_do_not_depend_on_the_order_of_anything(
        self, k: int, play: Callable[[Random, tuple[int, ...]], Nets]
    ) -> None:
        results = league(7, k, 12, play)
        expected = standings(results, NAMES, k)
        for seed in range(20):
            rng = Random(seed)
            shuffled = [seated_otherwise(rng, result) for result in results]
            rng.shuffle(shuffled)
            entrants = rng.sample(NAMES, 4)
            assert standings(shuffled, entrants, k) == expected, f"seed {seed}"

    def test_go_from_the_highest_net_down_and_share_ranks_of_equal_nets(self) -> None:
        nets = {("aino", "ilmari"): 0.0, ("aino", "louhi"): 2.0, ("ilmari", "louhi"): 2.0}
        results = [SetResult(pair, s, ((x, -x),)) for pair, x in nets.items() for s in range(12)]
        table = standings(results, NAMES, 2)
        assert [(r.entrant, r.rank) for r in table.rows] == [
            ("aino", 1),
            ("ilmari", 1),
            ("louhi", 3),
            ("sampo", None),
        ]

    def test_list_an_entrant_without_sets_last_and_unrated(self) -> None:
        results = [SetResult(("louhi", "sampo"), s, ((1.0, -1.0),)) for s in range(3)]
        table = standings(results, NAMES, 2)
        assert [r.entrant for r in table.rows] == ["louhi", "sampo", "aino", "ilmari"]
        assert [r.unrated for r in table.rows] == [False, False, True, True]
        assert (table.rows[2].rank, table.rows[2].rating, table.rows[2].sets) == (None, None, 0)
        assert table.rows[2].net == stats.UNKNOWN

    def test_of_nothing_are_unrated(self) -> None:
        table = standings([], NAMES, 2)
        assert all(r.unrated for r in table.rows)
        assert (table.cells, table.pairings, table.notes) == ({}, (), ())
        assert table.duplicate_gain is None

    def test_count_sets_and_tables(self) -> None:
        table = standings(league(1, 3, 5, individuals), NAMES, 3)
        assert [(r.sets, r.tables) for r in table.rows] == [(15, 45)] * 4

    def test_separate_who_is_far_apart(self) -> None:
        table = standings(league(3, 2, 2000, lively), NAMES, 2)
        found = [(r.entrant, r.rank, r.rank_low, r.rank_high) for r in table.rows]
        assert found == [(name, i, i, i) for i, name in enumerate(NAMES, 1)]

    def test_leave_all_ranks_open_after_few_sets(self) -> None:
        table = standings(league(3, 2, 3, lively), NAMES, 2)
        assert [(r.rank_low, r.rank_high) for r in table.rows] == [(1, 4)] * 4

    @pytest.mark.parametrize(
        ("result", "message"),
        [
            (SetResult(("aino",), 0, ((1.0,),)), "pairing aino, set 0: expected 2 different"),
            (SetResult(("aino", "aino"), 0, ((1.0, -1.0),)), "expected 2 different entrants"),
            (SetResult(("aino", "kullervo"), 4, ((1.0, -1.0),)), "set 4: 'kullervo' is no entrant"),
            (SetResult(("aino", "louhi"), 0, ((1.0,),)), "expected tables with 2 nets each"),
            (SetResult(("aino", "louhi"), 0, ()), "expected tables with 2 nets each"),
            (SetResult(("louhi", "aino"), 9, ((1.0, -1.0),)), "two results of this set"),
        ],
    )
    def test_refuse_results_that_cannot_be(self, result: SetResult, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            standings([SetResult(("aino", "louhi"), 9, ((1.0, -1.0),)), result], NAMES, 2)

    def test_refuse_an_id_twice(self) -> None:
        with pytest.raises(ValueError, match="an id of its own"):
            standings([], ("aino", "aino"), 2)


def seated_otherwise(rng: Random, result: SetResult) -> SetResult:
    """The same set with its entrants named in another order."""
    order = rng.sample(range(len(result.pairing)), len(result.pairing))
    return replace(
        result,
        pairing=tuple(result.pairing[i] for i in order),
        nets=tuple(tuple(nets[i] for i in order) for nets in result.nets),
    )


class TestForfeits:
    RESULTS = tuple(
        SetResult(("aino", "louhi"), s, ((2.0, -28.0), (-2.0, 2.0))) for s in range(12)
    )

    def test_cost_the_faulty_side_and_give_the_other_nothing(self) -> None:
        table = standings(self.RESULTS, NAMES, 2)
        assert row(table, "aino").net.mean == table.cells["aino", "louhi"].net.mean == 0.0
        assert row(table, "louhi").net.mean == table.cells["louhi", "aino"].net.mean == -13.0

    def test_decide_who_won_the_pairing(self) -> None:
        table = standings(self.RESULTS, NAMES, 2)
        aino, louhi = row(table, "aino"), row(table, "louhi")
        assert (aino.pairings_won, louhi.pairings_lost) == (1, 1)
        summary = table.pairings[0]
        assert summary.difference is not None
        assert (summary.difference.mean, summary.sets_won, summary.sets_lost) == (6.5, 12, 0)
        assert summary.sign_test == pytest.approx(2 / 2**12)


class TestPairings:
    def test_are_won_drawn_and_lost_by_the_sum_of_their_sets(self) -> None:
        nets = {("aino", "ilmari"): (5, -1, -1), ("ilmari", "louhi"): (2, -1, -1)}
        results = [
            SetResult(pair, s, ((x, -x),))
            for pair, played in nets.items()
            for s, x in enumerate(played)
        ]
        table = standings(results, NAMES, 2)
        found = [(r.entrant, r.pairings_won, r.pairings_drawn, r.pairings_lost) for r in table.rows]
        assert found[:3] == [("aino", 1, 0, 0), ("louhi", 0, 1, 0), ("ilmari", 0, 1, 1)]

    def test_of_individuals_have_one_winner_or_several_who_draw(self) -> None:
        thirds = (1 / 3, 1 / 3, -2 / 3)
        table = standings([SetResult(NAMES[:3], s, (thirds,) * 3) for s in range(7)], NAMES, 3)
        found = [(r.pairings_won, r.pairings_drawn, r.pairings_lost) for r in table.rows[:3]]
        assert found == [(0, 1, 0), (0, 1, 0), (0, 0, 1)]
        assert [r.rank for r in table.rows[:3]] == [1, 1, 3]

    def test_with_fewer_than_ten_sets_that_differ_say_so(self) -> None:
        nets = [3.0] * 9 + [0.0] * 40
        results = [SetResult(("aino", "louhi"), s, ((x, -x),)) for s, x in enumerate(nets)]
        summary = standings(results, NAMES, 2).pairings[0]
        assert (summary.informative, summary.notes) == (9, (crosstable.FEW_INFORMATIVE,))
        more = [*results, SetResult(("aino", "louhi"), 99, ((1.0, -1.0),))]
        assert standings(more, NAMES, 2).pairings[0].notes == ()

    def test_without_a_single_point_in_thirty_sets_play_identically_so_far(self) -> None:
        zeros = ((7.0, -7.0), (-7.0, 7.0))
        results = [SetResult(("aino", "louhi"), s, zeros) for s in range(30)]
        table = standings(results, NAMES, 2)
        assert table.pairings[0].notes == (crosstable.IDENTICAL,)
        assert row(table, "aino").net.half_width == math.inf
        assert standings(results[1:], NAMES, 2).pairings[0].notes == (crosstable.FEW_INFORMATIVE,)
        assert 0 < row(standings(results, NAMES, 2, max_swing=28), "aino").net.half_width < 4

    def test_tell_what_the_replayed_deals_saved(self) -> None:
        table = standings(league(5, 2, 500, lively), NAMES, 2)
        # Luck has variance 144, the rest of a table 16; two tables share both.
        assert table.duplicate_gain == pytest.approx((144 + 16) / (2 * 16), rel=0.1)
        assert all(p.duplicate_gain == pytest.approx(5, rel=0.25) for p in table.pairings)
        assert table.notes == ()

    def test_that_save_nothing_are_a_warning(self) -> None:
        table = standings(league(5, 3, 20, individuals), NAMES, 3)
        assert crosstable.LOW_GAIN in table.notes

    def test_that_leave_entrants_apart_are_a_warning(self) -> None:
        pairs = [("aino", "louhi"), ("ilmari", "sampo")]
        results = [SetResult(pair, s, ((1.0, -1.0),)) for pair in pairs for s in range(3)]
        notes = standings(results, NAMES, 2).notes
        assert notes == (crosstable.NOT_ALL_MET, crosstable.SEPARATE_GROUPS)


class TestCells:
    def test_of_individuals_hold_own_nets_where_the_other_sat_too(self) -> None:
        results = league(8, 3, 6, individuals)
        table = standings(results, NAMES, 3)
        assert set(table.cells) == set(permutations(NAMES, 2))
        own = [
            math.fsum(nets[r.pairing.index("aino")] for nets in r.nets) / 3
            for r in results
            if {"aino", "sampo"} <= set(r.pairing)
        ]
        net = table.cells["aino", "sampo"].net
        assert net.n == 12
        assert net.mean == pytest.approx(math.fsum(own) / 12)

    @pytest.mark.parametrize(("edge", "mark"), [(0.5, ""), (1.1, "*"), (4.0, "**")])
    def test_are_marked_by_how_sure_the_difference_is(self, edge: float, mark: str) -> None:
        results = []
        for pair in combinations(NAMES, 2):
            for s, noise in enumerate((-2.5, 2.5) * 15):
                d = noise + (edge if pair == ("aino", "ilmari") else 0.0)
                results.append(SetResult(pair, s, ((d, -d),)))
        cells = standings(results, NAMES, 2).cells
        assert cells["aino", "ilmari"].significance == mark
        assert cells["ilmari", "aino"].significance == mark
        assert cells["louhi", "sampo"].significance == ""


def coverage(
    k: int, leagues: int, play: Callable[[Random, tuple[int, ...]], Nets]
) -> tuple[float, float]:
    """How often 95 % intervals hold the truth: of field averages, and of pairings of two."""
    averages: list[bool] = []
    pairings: list[bool] = []
    for seed in range(leagues):
        table = standings(league(seed, k, 30, play), NAMES, k)
        for r in table.rows:
            # Own net of one against the whole rest of the field, at tables of k.
            true = SKILL[NAMES.index(r.entrant)] * 4 / 3 * ((k - 1) / k if k > 2 else 1)
            averages.append(r.net.low <= true <= r.net.high)
        for p in table.pairings:
            if p.difference:
                first, second = (SKILL[NAMES.index(entrant)] for entrant in p.pairing)
                pairings.append(p.difference.low <= first - second <= p.difference.high)
    return sum(averages) / len(averages), sum(pairings) / max(1, len(pairings))


class TestValue40:
    """1,000 seeded leagues of four entrants and 30 sets a pairing."""

    def test_intervals_of_lively_sets_hold_the_truth_as_often_as_they_say(self) -> None:
        averages, pairings = coverage(2, 1000, lively)
        assert 0.93 <= averages <= 0.97
        assert 0.93 <= pairings <= 0.97

    def test_intervals_of_mostly_identical_play_hold_it_at_least_as_often(self) -> None:
        averages, pairings = coverage(2, 1000, alike)
        assert averages >= 0.93
        assert pairings >= 0.93

    def test_intervals_of_individuals_hold_it_as_often_as_they_say(self) -> None:
        averages, _ = coverage(3, 500, individuals)
        assert 0.93 <= averages <= 0.97
