r"""Simultaneous tests of all pairs of algorithms by the largest statistic under flipped signs.

One vector of signs, one sign per data set, flips the differences of *all* pairs at once, so that
the dependence between the pairs is that of the data. With the pairs in descending order of
:math:`|Z|`, the corrected p-value of the j-th is

.. math:: \tilde p_{(j)} = \max_{i \le j} P\left(\max_{l \ge i} |Z^*_{(l)}| \ge |Z_{(i)}|\right),

the step-down procedure of Westfall and Young in the form of Romano and Wolf. It controls the
probability of any false conclusion about any pair: the law of some pairs under flipped signs
depends on those pairs alone.

References
----------
.. [1] P. H. Westfall, S. S. Young (1993). Resampling-Based Multiple Testing. Wiley.
.. [2] J. P. Romano, M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis
   testing. Journal of the American Statistical Association 100(469), 94-108.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from occstats.checks import check_choice, check_integer
from occstats.stats.arrays import FloatArray
from occstats.stats.pairs import upper_pairs
from occstats.stats.sample import Sample
from occstats.stats.tests.null import (
    SAME_Z,
    RandomState,
    all_signs,
    can_list,
    random_signs,
    repeatable,
)
from occstats.stats.tests.registry import TESTS

#: Flips × pairs that are held at once.
_CHUNK_ELEMENTS = 4_000_000


@dataclass(frozen=True, eq=False)
class MaxT:
    r"""Two-sided p-values of all pairs, corrected for all of them together.

    Attributes
    ----------
    z, p : ndarray of shape (k, k)
        Statistic of row minus column, and corrected p-value; NaN where there is no test.
    n_flips : int
        How many vectors of signs the p-values rest on.
    exact : bool
        Whether these are all there are (a vector and its negative count as one).
    smallest_p : float
        The smallest p-value that so many data sets can give.
    critical : ndarray
        What \|Z\| has to exceed while 1, 2, 3 … pairs are in question; empty without a level.
    """

    z: FloatArray
    p: FloatArray
    n_flips: int
    exact: bool
    smallest_p: float
    critical: FloatArray

    def better(self, z: FloatArray) -> npt.NDArray[np.bool_]:
        r"""Which rows are better than which columns, for statistics that may differ from these.

        The pairs are passed in descending order of \|Z\| as long as each exceeds the critical value
        for those that are left. Of the sample itself this is p ≤ α; without a data set or an
        algorithm it takes the critical values for those of the new sample.
        """
        return step_down(z, self.critical)


def max_t(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    test: str = "rgl",
    tie_tolerance: float = 0.0,
    control: int | None = None,
    alpha: float | None = None,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> MaxT:
    r"""Test all pairs of columns at once, two-sided.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k), or Sample
        Higher is better; NaN marks a missing score.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (data set) of each task.
    test : {"rgl", "ds", "dataset-means", "wilcoxon"}
        The statistic Z of a pair. The plain test flips the signs of single tasks.
    tie_tolerance : float
        Differences are rounded to multiples of it.
    control : int, optional
        Test this column against the others only.
    alpha : float, optional
        Level at which critical values are wanted.
    n_resamples : int
        Random vectors of signs; all :math:`2^{m-1}` are listed where they are no more than that.
    random_state : int, Generator or None
        Seed of the random signs.

    Examples
    --------
    >>> from occstats.stats import max_t
    >>> scores = [[9, 8, 5], [8, 7, 6], [9, 6, 3], [7, 6, 4], [8, 6, 2], [6, 7, 5]]
    >>> found = max_t(scores, list("abcdef"), tie_tolerance=1e-9)
    >>> found.exact, found.n_flips, found.smallest_p
    (True, 32, 0.03125)
    >>> found.p.round(3)
    array([[  nan, 0.156, 0.062],
           [0.156,   nan, 0.062],
           [0.062, 0.062,   nan]])
    """
    check_choice("test", test, TESTS)
    check_integer("n_resamples", n_resamples, least=1)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    prepared = list(TESTS[test].prepare(sample))
    z = np.concatenate([np.where(part.all_zero, 0.0, part.observed.z) for part in prepared])
    ends = np.cumsum([len(part.all_zero) for part in prepared])
    # Those without any difference are certain, and those without a test are no hypothesis.
    first, second = upper_pairs(sample.n_algorithms)
    if control is not None:
        z[(first != control) & (second != control)] = np.nan
    tested = np.flatnonzero(~np.isnan(z) & (z != 0))
    order = tested[np.argsort(-np.abs(z[tested]), kind="stable")]
    n_signs = prepared[0].n_units
    exact = can_list(n_signs, n_resamples)
    counts, n_flips = np.zeros(len(order), dtype=np.int64), 0
    maxima = []
    observed = np.abs(z[order])
    chunk = max(1, _CHUNK_ELEMENTS // max(len(order), n_signs))
    generator = np.random.default_rng(repeatable(random_state))
    random = random_signs(n_signs, n_resamples, chunk, generator)
    for signs in all_signs(n_signs, chunk) if exact else random:
        values = np.empty((len(signs), len(order)))
        for part, end in zip(prepared, ends, strict=True):
            start = end - len(part.all_zero)
            mine = np.flatnonzero((order >= start) & (order < end))
            values[:, mine] = np.abs(part.flipped_together(order[mine] - start, signs))
        # An arrangement without a statistic counts as extreme.
        values[np.isnan(values)] = np.inf
        largest = np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
        counts += np.count_nonzero(largest >= observed - SAME_Z, axis=0)
        n_flips += len(signs)
        if alpha is not None:
            maxima.append(largest)
    p = np.where(np.isnan(z), np.nan, 1.0)
    # The arrangement that was observed is one of all, and is added to random ones.
    shares = counts / n_flips if exact else (counts + 1) / (n_flips + 1)
    p[order] = np.maximum.accumulate(shares)
    return MaxT(
        z=_square(z, sample.n_algorithms, -1.0),
        p=_square(p, sample.n_algorithms, 1.0),
        n_flips=n_flips,
        exact=exact,
        smallest_p=2.0 ** (1 - n_signs) if exact else 1 / (n_resamples + 1),
        critical=_critical(maxima, alpha, exact),
    )


def step_down(z: FloatArray, critical: FloatArray) -> npt.NDArray[np.bool_]:
    """Matrix [a, b]: whether a is better than b by critical values for 1, 2, 3 … pairs.

    Examples
    --------
    >>> z = np.array([[0.0, 2.5, 2.2], [-2.5, 0.0, 1.0], [-2.2, -1.0, 0.0]])
    >>> step_down(z, np.array([1.96, 2.24, 2.39])).tolist()
    [[False, True, False], [False, False, False], [False, False, False]]
    """
    first, second = upper_pairs(len(z))
    upper = z[first, second]
    tested = np.flatnonzero(~np.isnan(upper) & (upper != 0))
    order = tested[np.argsort(-np.abs(upper[tested]), kind="stable")]
    # Pairs that were equal in the sample of the critical values have none of their own.
    sizes = np.minimum(np.arange(len(order), 0, -1), len(critical))
    better = np.zeros(z.shape, dtype=bool)
    if len(critical):
        passed = np.abs(upper[order]) - SAME_Z > critical[sizes - 1]
        found = order[np.logical_and.accumulate(passed)]
        positive = upper[found] > 0
        better[first[found], second[found]] = positive
        better[second[found], first[found]] = ~positive
    return better


def _critical(maxima: list[FloatArray], alpha: float | None, exact: bool) -> FloatArray:
    """The largest value at which p still exceeds α, for the last 1, 2, 3 … pairs in order."""
    if alpha is None or not maxima:
        return np.zeros(0)
    values = np.concatenate(maxima)[:, ::-1]
    n = len(values)
    # So many flips may reach the statistic; the observed one counts among random ones.
    allowed = (
        int(np.floor(alpha * n + 1e-9)) if exact else int(np.floor(alpha * (n + 1) + 1e-9)) - 1
    )
    if allowed < 0:
        return np.full(values.shape[1], np.inf)
    place = n - 1 - allowed
    if place < 0:
        return np.full(values.shape[1], -np.inf)
    return np.asarray(np.partition(values, place, axis=0)[place])


def _square(values: FloatArray, k: int, mirrored: float) -> FloatArray:
    square = np.full((k, k), np.nan)
    a, b = upper_pairs(k)
    square[a, b] = values
    square[b, a] = mirrored * values
    return square
