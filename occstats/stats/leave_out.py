"""Would the conclusions hold with one data set, or one algorithm, less?

Leaving out a data set changes the tests themselves; leaving out an algorithm changes only the
number of tests that are corrected for, and the ranks. Tests are the asymptotic ones, computed for
all left-out data sets at once by the engine of the main run (`occstats.stats.tests`).

References
----------
.. [1] R. D. Cook (1977). Detection of influential observation in linear regression. Technometrics
   19(1), 15-18 (influence by leaving out).
.. [2] B. Efron (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.cluster_means import means_without
from occstats.stats.pairs import antisymmetric
from occstats.stats.sample import Sample
from occstats.stats.tests.null import tail
from occstats.stats.tests.registry import TESTS

Conclude = Callable[[Array, Array], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class LeaveOneClusterOut:
    """What the analysis says without each cluster in turn.

    Attributes
    ----------
    labels : ndarray
        The cluster that is left out, sorted.
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
    mean_ranks : ndarray, clusters × k
        The weighted mean ranks without each cluster (tasks that all algorithms have).
    all_mean_ranks : ndarray, k
        The weighted mean ranks with all clusters.
    """

    labels: NDArray[Any]
    better: NDArray[np.bool_]
    all_better: NDArray[np.bool_]
    z: Array = field(repr=False)
    all_z: Array = field(repr=False)
    mean_difference: Array = field(repr=False)
    all_mean_difference: Array = field(repr=False)
    mean_ranks: Array = field(repr=False)
    all_mean_ranks: Array = field(repr=False)

    @property
    def changed(self) -> NDArray[np.bool_]:
        """[i, a, b]: without cluster i the conclusion about a and b is another."""
        different = self.better != self.all_better
        return np.asarray(different | different.transpose(0, 2, 1))

    @property
    def drivers(self) -> NDArray[np.intp]:
        """[a, b]: the cluster whose absence moves the mean difference most."""
        shift = np.abs(self.all_mean_difference - self.mean_difference)
        return np.asarray(np.argmax(np.nan_to_num(shift, nan=-1.0), axis=0))


@dataclass(frozen=True, eq=False)
class LeaveOneAlgorithmOut:
    """What the analysis says about the others without each algorithm in turn.

    Attributes
    ----------
    better : ndarray of bool, k × k × k
        [c, a, b]: without algorithm c, a is significantly better than b.
    all_better : ndarray of bool, k × k
        The same with all algorithms.
    mean_ranks : ndarray, k × k
        [c, a]: the mean rank of a without c; NaN on the diagonal.
    """

    better: NDArray[np.bool_]
    all_better: NDArray[np.bool_]
    mean_ranks: Array

    @property
    def changed(self) -> NDArray[np.bool_]:
        """[c, a, b]: without algorithm c the conclusion about the others a and b is another."""
        different = self.better != self.all_better
        own = np.arange(len(different))
        different[own, own], different[own, :, own] = False, False
        return np.asarray(different | different.transpose(0, 2, 1))


def leave_one_cluster_out(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None,
    conclude: Conclude,
    *,
    test: str = "rgl",
    alternative: str = "greater",
    tie_tolerance: float = 0.0,
) -> LeaveOneClusterOut:
    """Repeat the tests of all pairs without each cluster in turn.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        Higher is better; NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The cluster of each task.
    conclude : callable
        From matrices (p, z) to the matrix of conclusions, such as a partial
        `occstats.stats.decisions.conclude`.
    test, alternative, tie_tolerance
        The asymptotic test to repeat.

    Returns
    -------
    LeaveOneClusterOut

    Examples
    --------
    >>> from functools import partial
    >>> from occstats.stats.decisions import conclude
    >>> scores = [[0.9, 0.8], [0.8, 0.6], [0.7, 0.6], [0.3, 0.7], [0.8, 0.5], [0.9, 0.4]]
    >>> found = leave_one_cluster_out(scores, list("abcdef"), partial(conclude, alpha=0.05))
    >>> found.all_better[0, 1], found.labels[found.changed[:, 0, 1]].tolist()
    (np.False_, ['d'])
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, units, suites = sample.n_algorithms, sample.clusters.independent, sample.clusters.suites
    m = units.n_clusters
    z, means = np.empty((m + 1, sample.n_pairs)), np.empty((m + 1, sample.n_pairs))
    done = 0
    for block, prepared in zip(sample.blocks(), TESTS[test].prepare(sample), strict=True):
        pairs = slice(done, done + len(block.a))
        done = pairs.stop
        z[0, pairs] = np.where(prepared.all_zero, 0.0, prepared.observed.z)
        for i in range(len(block.a)):
            z[1:, pairs.start + i] = prepared.left_out(i)
        means[:, pairs] = means_without(sample.clusters.means(block.differences), suites)
    squares = np.array([antisymmetric(column, k) for column in z])
    conclusions = np.array([conclude(_p(square, alternative), square) for square in squares])
    mean_squares = np.array([antisymmetric(row, k) for row in means])
    mean_ranks = means_without(sample.clusters.means(sample.ranks), suites)
    return LeaveOneClusterOut(
        labels=units.labels,
        better=conclusions[1:],
        all_better=conclusions[0],
        z=squares[1:],
        all_z=squares[0],
        mean_difference=mean_squares[1:],
        all_mean_difference=mean_squares[0],
        mean_ranks=mean_ranks[1:],
        all_mean_ranks=mean_ranks[0],
    )


def leave_one_algorithm_out(
    p: ArrayLike,
    z: ArrayLike,
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None,
    conclude: Conclude,
    *,
    tie_tolerance: float = 0.0,
) -> LeaveOneAlgorithmOut:
    """Correct the given tests again, and rank again, without each algorithm in turn.

    Parameters
    ----------
    p, z : array_like, k × k
        The tests of all pairs, which do not depend on other algorithms.
    scores, clusters
        As in `leave_one_cluster_out`, for the ranks.
    conclude : callable
        From matrices (p, z) to the matrix of conclusions.
    tie_tolerance : float
        For the ranks.

    Returns
    -------
    LeaveOneAlgorithmOut

    Examples
    --------
    >>> from occstats.stats.decisions import conclude
    >>> p = np.array([[np.nan, 0.03, 0.4], [0.97, np.nan, 0.9], [0.6, 0.1, np.nan]])
    >>> scores = [[0.9, 0.7, 0.8], [0.8, 0.7, 0.9]]
    >>> found = leave_one_algorithm_out(p, np.sign(0.5 - p), scores, ["a", "b"], conclude)
    >>> found.changed[2, 0, 1], found.changed[1, 0, 2]  # 0.03 is significant in a family of one
    (np.True_, np.False_)
    """
    p, z = np.asarray(p, dtype=float), np.asarray(z, dtype=float)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k = len(p)
    everything = conclude(p, z)
    better = np.zeros((k, k, k), dtype=bool)
    ranks = np.full((k, k), np.nan)
    for c in range(k):
        others = np.delete(np.arange(k), c)
        # Tests that are not there do not count in the size of a family.
        absent = p.copy()
        absent[c], absent[:, c] = np.nan, np.nan
        better[c] = conclude(absent, z)
        without = sample.select(others)
        ranks[c, others] = means_without(sample.clusters.means(without.ranks))[0]
    return LeaveOneAlgorithmOut(better, everything, ranks)


def _p(z: Array, alternative: str) -> Array:
    p = tail(z, alternative)
    np.fill_diagonal(p, np.nan)
    return p
