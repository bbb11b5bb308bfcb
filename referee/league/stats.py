"""
How sure a result is: Student t over sets, tests, ratings by least squares, ranges of ranks.

The set is the unit everywhere. Its tables replay one deal and are strongly correlated, so they are
averaged first and never counted as independent. All values are net points per table; nothing here
knows entrants by name, does any I/O or depends on the order of its input.
"""

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import NormalDist

MIN_INFORMATIVE = 10
"""With fewer non-zero sets than this the t interval is too narrow and is padded."""

ZERO = 1e-9
"""Nets this small are rounding: a third of a point is lost and found when tables are averaged."""

_NORMAL = NormalDist()


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), from its continued fraction."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    # The fraction converges fast below the mean of the distribution; above, its mirror image does.
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - beta_cdf(1.0 - x, b, a)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(scale + a * math.log(x) + b * math.log1p(-x)) / (a * _beta_fraction(x, a, b))


def _beta_fraction(x: float, a: float, b: float) -> float:
    """1 + d1/(1 + d2/(1 + ...)), from the front, as a product of ratios (Lentz's method)."""
    tiny = 1e-300
    value, numerator, denominator = 1.0, 1.0, 0.0
    for term in range(1, 100_000):
        m = term // 2
        if term % 2 == 0:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        denominator = 1.0 / ((1.0 + d * denominator) or tiny)
        numerator = (1.0 + d / numerator) or tiny
        ratio = numerator * denominator
        value *= ratio
        if abs(ratio - 1.0) < 1e-15:
            return value
    raise ArithmeticError(f"I_x(a, b) does not converge for x={x!r}, a={a!r}, b={b!r}")


def t_cdf(t: float, df: float) -> float:
    """The chance that Student's t with df degrees of freedom is at most t."""
    if t * t < 1.0:
        middle = 0.5 * beta_cdf(t * t / (df + t * t), 0.5, df / 2.0)
        return 0.5 + math.copysign(middle, t)
    tail = 0.5 * beta_cdf(df / (df + t * t), df / 2.0, 0.5)
    return 1.0 - tail if t > 0.0 else tail


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """Where `t_cdf` reaches p, for 0 < p < 1 and df > 0."""
    if not 0.0 < p < 1.0 or not df > 0.0:
        raise ValueError(f"t_quantile needs 0 < p < 1 and df > 0, not p={p!r}, df={df!r}")
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    # The normal quantile lies below, and the cdf is concave from there on: Newton's steps rise
    # towards the answer and never pass it.
    t = _NORMAL.inv_cdf(p)
    for _ in range(200):
        density = math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))
        step = (t_cdf(-t, df) - (1.0 - p)) / density
        t += step
        if step <= 1e-12 * t:
            break
    return t


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the half-width of its confidence interval, in net points per table."""

    mean: float
    half_width: float
    n: int
    """The number of sets behind it."""
    sd: float
    """Standard deviation of one set; infinite where nothing is known about it."""
    df: float
    """Degrees of freedom of the t interval; 0 with a single set or none."""
    padded: bool
    """Whether few sets were informative, so that pretended swings made the interval wider."""

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(self.n) if self.n else math.inf


UNKNOWN = Interval(mean=0.0, half_width=math.inf, n=0, sd=math.inf, df=0.0, padded=False)
"""The interval of no sets at all."""


def mean_interval(
    values: Sequence[float], confidence: float = 0.95, max_swing: float | None = None
) -> Interval:
    """
    Student t interval over sets, one value a set, padded when few sets are informative.

    `max_swing` is the largest set value that the rules allow or the event has seen. If it is given
    and fewer than `MIN_INFORMATIVE` values are non-zero, the variance is at least that of the
    values with one pretended set at +max_swing and one at -max_swing. Without it nothing is padded.

    No value: mean 0, half-width infinite. One value: infinite too, unless it can be padded, which
    gives a wide interval with 1 degree of freedom. A `max_swing` of 0 says that nothing but zeros
    was ever seen anywhere, so there is no scale to judge by: infinite.
    """
    n = len(values)
    if n == 0:
        return UNKNOWN
    mean = math.fsum(values) / n
    sd, df = math.inf, 0.0
    if n > 1:
        sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
        df = n - 1.0
    padded = False
    if max_swing is not None and sum(abs(value) > ZERO for value in values) < MIN_INFORMATIVE:
        wide = _padded_sd(values, max_swing)
        if n == 1 or wide > sd:
            sd, df, padded = wide, max(df, 1.0), True
    return Interval(mean, half_width(sd / math.sqrt(n), df, confidence), n, sd, df, padded)


def _padded_sd(values: Sequence[float], max_swing: float) -> float:
    """Standard deviation of a set when sets at +max_swing and -max_swing are pretended."""
    swing = max(max_swing, max(abs(value) for value in values))
    if swing <= ZERO:
        return math.inf
    count = len(values) + 2
    square = (math.fsum(value * value for value in values) + 2.0 * swing * swing) / count
    return math.sqrt(square - (math.fsum(values) / count) ** 2)


def half_width(se: float, df: float, confidence: float) -> float:
    """Half of a two-sided t interval around a mean with this standard error."""
    if math.isinf(se) or df <= 0.0:
        return math.inf
    return t_quantile(0.5 + confidence / 2.0, df) * se


def sum_of_means(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """
    Standard error and degrees of freedom of a sum of independent means.

    Each part is (variance of the mean, its degrees of freedom). By Welch and Satterthwaite, and
    not by the smallest n - 1: pairings of a running league have very different numbers of sets,
    and one that has just begun must not blow up an average in which it carries little variance.
    """
    listed = list(parts)
    variance = math.fsum(part for part, _ in listed)
    if math.isinf(variance):
        return math.inf, 0.0
    if variance == 0.0:
        return 0.0, math.fsum(df for _, df in listed)
    df = 1.0 / math.fsum((part / variance) ** 2 / df for part, df in listed if part > 0.0)
    return math.sqrt(variance), df


def los(difference: Interval) -> float:
    """Likelihood of superiority: how probable a true mean above 0 is, by Student t."""
    if difference.se > 0.0 and difference.df > 0.0:
        return t_cdf(difference.mean / difference.se, difference.df)
    if difference.df == 0.0 or difference.mean == 0.0:
        return 0.5
    return 1.0 if difference.mean > 0.0 else 0.0


def sign_test(wins: int, losses: int) -> float:
    """
    The exact two-sided sign test over sets: how often as lopsided a result is mere chance.

    Drawn sets are left out by the caller. The binomial tail is an incomplete beta function.

    >>> round(sign_test(8, 2), 6)
    0.109375
    """
    fewer, more = sorted((wins, losses))
    if fewer == more:
        return 1.0
    return min(1.0, 2.0 * beta_cdf(0.5, more, fewer + 1))


def sets_needed(sd: float, edge: float, power: float = 0.8, confidence: float = 0.95) -> int:
    """
    How many sets show a true edge, in net points per table, with this power.

    `sd` is the standard deviation of a set. Normal approximation: add two sets to a small answer.
    """
    if edge == 0.0 or sd < 0.0:
        raise ValueError(f"sets_needed takes sd >= 0 and an edge that is not 0, not {sd}, {edge}")
    z = _NORMAL.inv_cdf(0.5 + confidence / 2.0) + _NORMAL.inv_cdf(power)
    return max(2, math.ceil((z * sd / edge) ** 2))


def duplicate_gain(per_table_nets: Sequence[Sequence[float]]) -> float | None:
    """
    How many times more tables the same certainty would take without replaying deals.

    One row a set, one net a table, all of one entrant: Var(net of a table) / (G * Var(mean of a
    set)) with G tables a set. Near 1 says that the replayed deals cancel nothing. None while it
    cannot be said: fewer than two sets, or all sets alike.
    """
    return pooled_gain([per_table_nets])


def pooled_gain(groups: Iterable[Iterable[Sequence[float]]]) -> float | None:
    """`duplicate_gain` over several entrants or pairings, whose means may differ."""
    single, whole = [], []
    for sets in groups:
        flat, means = array("d"), array("d")
        sizes: set[int] = set()
        for nets in sets:
            sizes.add(len(nets))
            flat.extend(nets)
            means.append(math.fsum(nets) / max(len(nets), 1))
        if len(means) < 2:
            continue
        if len(sizes) > 1 or 0 in sizes:
            raise ValueError(f"every set needs the same number of tables, not {sorted(sizes)}")
        single.append(_variance(flat))
        whole.append(sizes.pop() * _variance(means))
    expected = math.fsum(whole)
    return math.fsum(single) / expected if expected > ZERO**2 else None


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def rank_ranges(
    means: Sequence[float],
    se_of_difference: Callable[[int, int], float],
    critical: Callable[[int, int], float],
) -> list[tuple[int, int]]:
    """
    The ranks that each entrant can still have: best, worst.

    Of two, one is significantly better if the difference of their means is more than `critical`
    standard errors of that difference. The best rank left is 1 + the number of significantly
    better ones, the worst is m - the number of significantly worse ones. With `bonferroni`
    critical values all ranges hold at once.
    """
    m = len(means)
    best, worst = [1] * m, [m] * m
    for i, k in combinations(range(m), 2):
        gap = means[i] - means[k]
        if abs(gap) > critical(i, k) * se_of_difference(i, k):
            better, worse = (i, k) if gap > 0 else (k, i)
            best[worse] += 1
            worst[better] -= 1
    return list(zip(best, worst, strict=True))


def bonferroni(entrants: int, df: float, confidence: float = 0.95) -> float:
    """The critical |t| at which all comparisons of two among the entrants are right at once."""
    comparisons = max(1, entrants * (entrants - 1) // 2)
    return t_quantile(1.0 - (1.0 - confidence) / (2.0 * comparisons), df)


def ratings(
    entrants: int,
    pairings: Sequence[tuple[int, ...]],
    own_means: Sequence[Sequence[float]],
    sets: Sequence[int],
) -> list[float | None]:
    """
    Ratings in net points per table by least squares; a difference of two predicts their net.

    `own_means[p]` has the mean own net of each member of `pairings[p]`, which played `sets[p]`
    sets. The model: for two sides, net = own rating - the other's; for individuals, net = own
    rating - mean rating of the table. Pairings weigh the same if everyone has met everyone equally
    often (then for two sides a rating is the field average * (m-1)/m), and by their sets otherwise.

    Entrants that no chain of pairings connects are rated in separate groups, each around 0; one
    without a pairing gets None. Where forfeits cost net that nobody gains, a group's mean rating
    falls below 0 by as much as makes that factor hold for it, too.
    """
    met = dict.fromkeys(combinations(range(entrants), 2), 0)
    for members in pairings:
        for pair in combinations(sorted(members), 2):
            met[pair] += 1
    balanced = len(set(met.values())) == 1
    found: list[float | None] = [None] * entrants
    for group in connected_groups(entrants, pairings):
        at = {entrant: row for row, entrant in enumerate(group)}
        laplacian = [[0.0] * len(group) for _ in group]
        right = [0.0] * len(group)
        for members, means, count in zip(pairings, own_means, sets, strict=True):
            if members[0] not in at:
                continue
            weight = 1.0 if balanced else float(count)
            share = weight if len(members) == 2 else weight / len(members)
            for i, mean in zip(members, means, strict=True):
                right[at[i]] += weight * mean
                for j in members:
                    if i != j:
                        laplacian[at[i]][at[i]] += share
                        laplacian[at[i]][at[j]] -= share
        for entrant, rating in zip(group, _solved_around_zero(laplacian, right), strict=True):
            found[entrant] = rating
    return found


def connected_groups(entrants: int, pairings: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Groups of entrants that a chain of pairings connects, without those who have none."""
    group_of = list(range(entrants))
    for members in pairings:
        merged = {group_of[member] for member in members}
        group_of = [min(merged) if group in merged else group for group in group_of]
    playing = {member for members in pairings for member in members}
    groups: dict[int, list[int]] = {}
    for entrant in sorted(playing):
        groups.setdefault(group_of[entrant], []).append(entrant)
    return list(groups.values())


def _solved_around_zero(laplacian: list[list[float]], right: list[float]) -> list[float]:
    """
    The solution of a connected Laplacian system, which leaves the mean open.

    A constant matrix settles the mean; its size is the average eigenvalue, so that a right side
    that does not sum to zero shifts the mean as a complete round robin would.
    """
    m = len(right)
    settle = math.fsum(laplacian[i][i] for i in range(m)) / (m - 1) / m
    return solve([[cell + settle for cell in row] for row in laplacian], right)


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution x of matrix * x = right, by Gaussian elimination with partial pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    m = len(rows)
    for column in range(m):
        pivot = max(range(column, m), key=lambda row: abs(rows[row][column]))
        if rows[pivot][column] == 0.0:
            raise ValueError(f"the matrix is singular, found in column {column}")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in rows[column + 1 :]:
            factor = row[column] / rows[column][column]
            if factor:
                for c in range(column, m + 1):
                    row[c] -= factor * rows[column][c]
    answer = [0.0] * m
    for r in reversed(range(m)):
        known = math.fsum(rows[r][c] * answer[c] for c in range(r + 1, m))
        answer[r] = (rows[r][m] - known) / rows[r][r]
    return answer
