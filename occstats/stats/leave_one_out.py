"""Conclusions without each dataset, and without each algorithm, in turn.

Leaving out a dataset changes the statistics, which are computed for all left-out datasets together;
leaving out an algorithm changes only the ranks and the number of tests to correct for.

References
----------
.. [1] R. D. Cook (1977). Detection of influential observation in linear regression. Technometrics
   19(1), 15-18 (influence by leaving out).
.. [2] B. Efron (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from occstats.stats._arrays import BoolArray, FloatArray, IntArray, antisymmetric, mirror
from occstats.stats._resampling import Counts
from occstats.stats.clusters import Clusters, mean_errors, means_without
from occstats.stats.means import certain_statistic
from occstats.stats.sample import Sample
from occstats.stats.signed_rank import TESTS

Conclude = Callable[[FloatArray, FloatArray], BoolArray]
ConcludeWithout = Callable[[FloatArray, FloatArray, int | None], BoolArray]


@dataclass(frozen=True, eq=False)
class LeaveOneClusterOut:
    """Results of leaving out each cluster in turn.

    Attributes
    ----------
    labels : ndarray
        The clusters, sorted.
    better : ndarray of bool, clusters × k × k
        [i, a, b]: without cluster i, a is significantly better than b.
    all_better : ndarray of bool, k × k
        The same with all clusters.
    z : ndarray, clusters × k × k
        The test statistics without each cluster.
    all_z : ndarray, k × k
        The test statistics with all clusters.
    mean_difference : ndarray, clusters × k × k
        The weighted mean differences without each cluster.
    all_mean_difference : ndarray, k × k
        The weighted mean differences with all clusters.
    standing : ndarray, clusters × k
        Mean ranks, or negative mean scores, without each cluster (on the tasks that all algorithms
        have).
    all_standing : ndarray, k
        The same with all clusters.
    """

    labels: NDArray[Any]
    better: BoolArray
    all_better: BoolArray
    z: FloatArray = field(repr=False)
    all_z: FloatArray = field(repr=False)
    mean_difference: FloatArray = field(repr=False)
    all_mean_difference: FloatArray = field(repr=False)
    standing: FloatArray = field(repr=False)
    all_standing: FloatArray = field(repr=False)

    @property
    def changed(self) -> BoolArray:
        """[i, a, b]: the conclusion about a and b changes without cluster i."""
        different = self.better != self.all_better
        return np.asarray(different | different.transpose(0, 2, 1))

    @property
    def drivers(self) -> IntArray:
        """[a, b]: the cluster whose absence moves the mean difference most."""
        shift = np.abs(self.all_mean_difference - self.mean_difference)
        return np.asarray(np.argmax(np.nan_to_num(shift, nan=-1.0), axis=0))


@dataclass(frozen=True, eq=False)
class LeaveOneAlgorithmOut:
    """Results of leaving out each algorithm in turn.

    Attributes
    ----------
    better : ndarray of bool, k × k × k
        [c, a, b]: without algorithm c, a is significantly better than b.
    all_better : ndarray of bool, k × k
        The same with all algorithms.
    standing : ndarray, k × k
        [c, a]: the mean rank, or negative mean score, of a without c; NaN on the diagonal.
    """

    better: BoolArray
    all_better: BoolArray
    standing: FloatArray

    @property
    def changed(self) -> BoolArray:
        """[c, a, b]: the conclusion about a and b changes without algorithm c."""
        different = self.better != self.all_better
        own = np.arange(len(different))
        different[own, own], different[own, :, own] = False, False
        return np.asarray(different | different.transpose(0, 2, 1))


def leave_one_cluster_out(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None,
    conclude: Conclude,
    *,
    estimand: str = "typical",
    test: str = "rgl",
    alternative: str = "two-sided",
    tie_tolerance: float = 0.0,
    p: ArrayLike | None = None,
) -> LeaveOneClusterOut:
    """Repeat the tests of all pairs without each cluster in turn.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        Higher is better; NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The cluster of each task.
    conclude : callable
        Maps matrices (statistic, p) to the matrix "a is better than b".
    estimand : {"typical", "mean"}
        Signed-rank statistics, or Student's t of the clusters' mean differences.
    test, alternative, tie_tolerance
        The signed-rank test, and the alternative of the p-values.
    p : array_like, k × k, optional
        P-values with all clusters, if not from the asymptotic null distribution. P-values
        without a cluster are shifted accordingly on the normal scale.

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.8, 0.6], [0.7, 0.6], [0.3, 0.7], [0.8, 0.5], [0.9, 0.4]]
    >>> found = leave_one_cluster_out(scores, list("abcdef"), lambda z, p: (z > 0) & (p <= 0.05))
    >>> found.all_better[0, 1], found.labels[found.changed[:, 0, 1]].tolist()
    (np.False_, ['d'])
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, units, suites = sample.n_algorithms, sample.clusters.independent, sample.clusters.suites
    statistic, means, freedom = np.full((3, units.n_clusters + 1, sample.n_pairs), np.inf)
    done = 0
    prepared = TESTS[test].blocks(sample) if estimand == "typical" else repeat(None)
    for block, tests in zip(sample.blocks(), prepared, strict=False):
        pairs = slice(done, done + len(block.a))
        done = pairs.stop
        own = block.cluster_means
        means[:, pairs] = means_without(own, suites)
        if tests is None:
            rounding = 1e-12 * np.nanmax(np.abs(sample.scores))
            statistic[:, pairs], freedom[:, pairs] = _t_without(
                own, means[:, pairs], sample.clusters, rounding
            )
            continue
        statistic[0, pairs] = np.where(tests.observed.all_zero, 0.0, tests.observed.z)
        statistic[1:, pairs] = tests.left_out()
    squares = np.array([antisymmetric(row, k) for row in statistic])
    p_values = _p(squares, alternative, np.array([mirror(row, row, k, np.nan) for row in freedom]))
    if p is not None:
        p_values = _calibrated(p_values, np.asarray(p, dtype=float), squares, alternative)
    conclusions = np.array([conclude(*both) for both in zip(squares, p_values, strict=True)])
    mean_squares = np.array([antisymmetric(row, k) for row in means])
    values = sample.ranks if estimand == "typical" else -sample.scores
    standing = means_without(sample.clusters.means(values), suites)
    return LeaveOneClusterOut(
        labels=units.labels,
        better=conclusions[1:],
        all_better=conclusions[0],
        z=squares[1:],
        all_z=squares[0],
        mean_difference=mean_squares[1:],
        all_mean_difference=mean_squares[0],
        standing=standing[1:],
        all_standing=standing[0],
    )


def _t_without(
    own: FloatArray, means: FloatArray, clusters: Clusters, rounding: float
) -> tuple[FloatArray, FloatArray]:
    """Return t of the mean difference of all clusters, then without each, and its freedom.

    Constant differences have a normal quantile in place of t, with infinite freedom.
    """
    suites = clusters.suites
    rows = chain([np.ones((1, len(own)))], Counts.of(clusters, 0).without_each())
    errors = np.concatenate([mean_errors(own, counts, suites) for counts in rows])
    present = (~np.isnan(own)).astype(float)
    sizes = present if suites is None else suites.sums(present)
    total, squares = (
        np.vstack([values.sum(axis=0), values.sum(axis=0) - values]) for values in (sizes, sizes**2)
    )
    units = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    constant = (errors <= rounding) & (units >= 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(constant, certain_statistic(means, units), means / errors)
    freedom = np.where(units >= 2, np.maximum(units - 1, 1.0), np.nan)
    return t, np.where(constant, np.inf, freedom)


def leave_one_algorithm_out(
    statistic: ArrayLike,
    p: ArrayLike,
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None,
    conclude: ConcludeWithout,
    *,
    estimand: str = "typical",
    tie_tolerance: float = 0.0,
) -> LeaveOneAlgorithmOut:
    """Correct the given tests again, and rank again, without each algorithm in turn.

    Parameters
    ----------
    statistic, p : array_like, k × k
        The tests of all pairs, which do not depend on other algorithms.
    scores, clusters
        As in `leave_one_cluster_out`, for the ranks.
    conclude : callable
        Maps matrices (statistic, p) and the omitted algorithm, or None, to the matrix "a
        is better than b".
    estimand : {"typical", "mean"}
        Order algorithms by mean ranks or by mean scores.
    tie_tolerance : float
        Scores are rounded to multiples of it.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.03, 0.4], [0.03, np.nan, 0.1], [0.4, 0.1, np.nan]])
    >>> z = np.array([[0.0, 2.2, 0.8], [-2.2, 0.0, -1.6], [-0.8, 1.6, 0.0]])
    >>> scores = [[0.9, 0.7, 0.8], [0.8, 0.7, 0.9]]
    >>> def bonferroni(z, p, without):
    ...     tests = np.count_nonzero(~np.isnan(p)) / 2
    ...     return (z > 0) & (tests * p <= 0.05)
    >>> found = leave_one_algorithm_out(z, p, scores, ["a", "b"], bonferroni)
    >>> found.changed[2, 0, 1], found.changed[1, 0, 2]  # 0.03 is significant in a family of one
    (np.True_, np.False_)
    """
    p, statistic = np.asarray(p, dtype=float), np.asarray(statistic, dtype=float)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k = len(p)
    everything = conclude(statistic, p, None)
    better = np.zeros((k, k, k), dtype=bool)
    standing = np.full((k, k), np.nan)
    for c in range(k):
        others = np.delete(np.arange(k), c)
        # Missing tests do not count in the size of a family.
        absent = p.copy()
        absent[c], absent[:, c] = np.nan, np.nan
        better[c] = conclude(statistic, absent, c)
        without = sample.select(others)
        values = without.ranks if estimand == "typical" else -without.scores
        standing[c, others] = means_without(sample.clusters.means(values))[0]
    return LeaveOneAlgorithmOut(better, everything, standing)


def _calibrated(
    p: FloatArray, known: FloatArray, statistics: FloatArray, alternative: str
) -> FloatArray:
    """Shift p-values on the normal scale so that the first of them equal the known ones."""
    two_sided = alternative == "two-sided"
    sides = np.sign(statistics) if two_sided else np.ones_like(statistics)

    def normal(values: FloatArray, sides: FloatArray) -> FloatArray:
        return np.asarray(-sides * special.ndtri(values / 2 if two_sided else values))

    with np.errstate(invalid="ignore"):
        z = normal(p, sides)
        shift = normal(known, sides[0]) - z[0]
        z += np.where(np.isfinite(shift), shift, 0.0)
        found = 2 * special.ndtr(-np.abs(z)) if two_sided else special.ndtr(-z)
    found[0] = known
    # A pair that loses its statistic stays in the family.
    found[np.isnan(found)] = 1.0
    return np.where(np.isnan(known), np.nan, found)


def _p(statistics: FloatArray, alternative: str, freedom: FloatArray) -> FloatArray:
    """Return p-values of squares of statistics, by the normal or Student's distribution."""
    normal = np.isinf(freedom)
    with np.errstate(invalid="ignore"):
        upper, lower = (
            np.where(normal, special.ndtr(t), special.stdtr(np.where(normal, 1.0, freedom), t))
            for t in (-statistics, statistics)
        )
    sides = {"greater": upper, "less": lower, "two-sided": 2 * np.minimum(upper, lower)}
    p = sides[alternative]
    own = np.arange(p.shape[-1])
    p[..., own, own] = np.nan
    return np.asarray(p)
