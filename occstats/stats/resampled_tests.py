r"""The clustered signed-rank tests on many resamples of the clusters at once.

A resample gives each cluster a multiplicity c (0 leaves it out, 2 takes it twice). The rank of a
difference within a resample is linear in the multiplicities,

.. math:: r_s(c) = \tfrac12 + \sum_k c_k \left(\#\{t \in k: |x_t| < |x_s|\}
          + \tfrac12 \#\{t \in k: |x_t| = |x_s|\}\right),

so that the ranks of all tasks in all resamples are one matrix product. Leaving out every data set
in turn, and thousands of simulated benchmarks, then cost milliseconds per pair of algorithms.

References
----------
.. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
.. [2] S. Datta, G. A. Satten (2008). A signed-rank test for clustered data. Biometrics 64(2),
   501-507.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats.checks import check_choice
from occstats.stats.arrays import FloatArray as Array
from occstats.stats.arrays import as_vector, round_to_grid
from occstats.stats.clusters import Clusters

Test = Literal["rgl", "ds", "dataset-means", "wilcoxon"]
TESTS = ("rgl", "ds", "dataset-means", "wilcoxon")


def resampled_z(
    x: ArrayLike,
    clusters: ArrayLike,
    counts: ArrayLike,
    *,
    test: str = "rgl",
    tie_tolerance: float = 0.0,
) -> Array:
    """Z of a signed-rank test for every row of cluster multiplicities.

    Parameters
    ----------
    x : array_like
        Differences, one per task; NaN is left out.
    clusters : array_like
        The cluster of each task.
    counts : array_like, resamples × clusters
        Multiplicities, clusters in the sorted order of their labels.
    test : {"rgl", "ds", "dataset-means", "wilcoxon"}
        Rosner-Glynn-Lee, Datta-Satten, the plain test on the clusters' means, the plain test.
    tie_tolerance : float
        Differences (means of clusters) are rounded to multiples of it.

    Returns
    -------
    ndarray
        One Z per row, positive where x tends to be positive; 0 where all differences are zero, NaN
        where there is no test (fewer than two clusters, no variance).

    Examples
    --------
    >>> x, clusters = [0.1, 0.2, -0.3, 0.4, 0.5], ["a", "a", "b", "c", "d"]
    >>> resampled_z(x, clusters, [[1, 1, 1, 1], [1, 0, 1, 1]], tie_tolerance=1e-9).round(4)
    array([1.0376, 1.6283])
    """
    check_choice("test", test, TESTS)
    values = as_vector("x", x, allow_nan=True)
    grouping = Clusters.of(clusters)
    weights = np.asarray(counts, dtype=float)
    if test == "dataset-means":
        values = grouping.means(values[:, None])[:, 0]
        grouping = Clusters.of(np.arange(grouping.n_clusters))
    grid = round_to_grid(values, tie_tolerance)
    if test == "ds":
        return _datta_satten(grid, grouping, weights)
    if test == "wilcoxon":
        # Every task is a cluster of its own, drawn as often as its data set.
        return _rosner_glynn_lee(
            grid, Clusters.of(np.arange(len(grid))), weights[:, grouping.codes]
        )
    return _rosner_glynn_lee(grid, grouping, weights)


def tail(z: Array, alternative: str) -> Array:
    """Normal p-value of z under an alternative.

    Examples
    --------
    >>> tail(np.array([1.959964]), "two-sided").round(6)
    array([0.05])
    """
    if alternative == "two-sided":
        return np.asarray(2 * special.ndtr(-np.abs(z)))
    return np.asarray(special.ndtr(-z if alternative == "greater" else z))


def _magnitude_counts(x: Array, grouping: Clusters, weights: Array) -> Array:
    """For each value, the weight in each cluster below its magnitude plus half of that at it."""
    magnitudes = np.abs(x)
    order = np.argsort(magnitudes, kind="stable")
    cumulative = np.zeros((len(x) + 1, grouping.n_clusters))
    cumulative[np.arange(1, len(x) + 1), grouping.codes[order]] = weights[order]
    np.cumsum(cumulative, axis=0, out=cumulative)
    ordered = magnitudes[order]
    left = np.searchsorted(ordered, magnitudes, side="left")
    right = np.searchsorted(ordered, magnitudes, side="right")
    return np.asarray(0.5 * (cumulative[left] + cumulative[right]))


def _restricted(
    x: Array, grouping: Clusters, counts: Array, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[Array, Clusters, Array]:
    """Only the kept tasks, in the order of their clusters, and the clusters that they come from."""
    rows = np.flatnonzero(kept)
    rows = rows[np.argsort(grouping.codes[rows], kind="stable")]
    part = Clusters.of(grouping.codes[rows])
    return x[rows], part, counts[:, part.labels.astype(np.intp)]


def _rosner_glynn_lee(x: Array, grouping: Clusters, counts: Array) -> Array:
    kept = ~np.isnan(x) & (x != 0)
    known = counts @ grouping.sums(~np.isnan(x))
    if not kept.any():
        return np.where(known > 0, 0.0, np.nan)
    x, part, c = _restricted(x, grouping, counts, kept)
    sizes = part.sizes.astype(float)
    ranks = 0.5 + c @ _magnitude_counts(x, part, np.ones(len(x))).T
    starts = np.concatenate([[0], np.cumsum(part.sizes)[:-1]])
    sums = np.add.reduceat(ranks * np.sign(x), starts, axis=1)
    squares = np.einsum("bs,bs->b", ranks * ranks, c[:, part.codes])
    n, m = c @ sizes, c.sum(axis=1)
    total = np.einsum("bi,bi->b", c, sums)
    present = c > 0
    largest = np.where(present, sizes, -np.inf).max(axis=1)
    smallest = np.where(present, sizes, np.inf).min(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        between_raw = np.einsum("bi,bi->b", c, sums**2 / sizes)
        between = (between_raw - total**2 / n) / (m - 1)
        within = np.maximum(0.0, squares - between_raw) / (n - m)
        typical = (n - c @ sizes**2 / n) / (m - 1)
        spread = (between - within) / typical
        rho = np.clip(spread / (spread + within), 0.0, 1.0)
        rho = np.minimum(1.0, rho * (1 + (1 - rho**2) / (m - 2.5)))
        inflation = 1 + (sizes - 1) * np.where(largest == smallest, 0.0, rho)[:, None]
        parts = np.where(present, sums / inflation, 0.0)
        variance = np.einsum("bi,bi->b", c, parts**2)
        z = np.einsum("bi,bi->b", c, parts) / np.sqrt(variance)
    constant = squares - total**2 / np.where(n > 0, n, 1.0) <= 1e-9 * squares
    broken = (m < 2) | ~(variance > 0) | (np.where(present, inflation, 1.0) <= 0).any(axis=1)
    broken |= (largest != smallest) & constant
    return np.asarray(np.where((n == 0) & (known > 0), 0.0, np.where(broken, np.nan, z)))


def _datta_satten(x: Array, grouping: Clusters, counts: Array) -> Array:
    kept = ~np.isnan(x)
    if not kept.any():
        return np.full(len(counts), np.nan)
    x, part, c = _restricted(x, grouping, counts, kept)
    sizes = part.sizes.astype(float)
    signs = np.sign(x)
    below = _magnitude_counts(x, part, np.ones(len(x)))
    signed = part.sums(signs[:, None] * below) / sizes[:, None]
    balance = part.sums(signs) / sizes
    m, n = c.sum(axis=1), c @ sizes
    # F_k averaged with the signs of cluster i; a further copy of i is another cluster.
    distributions = signed / sizes
    own = np.diag(distributions)
    statistic = np.einsum("bi,bi->b", c, balance + c @ distributions.T - own)
    with np.errstate(invalid="ignore", divide="ignore"):
        terms = balance + ((m - 1) / n)[:, None] * (c @ signed.T)
        variance = np.einsum("bi,bi->b", c, terms**2)
        z = statistic / np.sqrt(variance)
    empty = np.all(x == 0)
    # All-zero differences in the clusters of a resample: no evidence either way.
    zero = (c @ part.sums(x != 0)) == 0
    z = np.where(variance > 1e-24 * np.maximum(m, 1.0) ** 2, z, np.nan)
    z = np.where(zero | empty, 0.0, z)
    return np.asarray(np.where(m < 2, np.nan, z))
