r"""Weighted Kendall's τ between the scores of two algorithms, with jackknife intervals.

The signs of all pairs of tasks are compared, in products of matrices shared by all algorithms. The
sum without a cluster is the whole sum less the pairs of its tasks with all tasks.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from occstats.stats._arrays import FloatArray, IntArray, upper_pairs
from occstats.stats.clusters import Clusters
from occstats.stats.effect_sizes import Effect
from occstats.stats.jackknife import arcsine_limits
from occstats.stats.sample import Sample

# Signs of pairs of tasks in memory at a time.
_SIGNS_AT_ONCE = 1_000_000
# Beyond this many tasks sorting is faster.
MOST_COMPARED = 5_000


def kendall_matrix(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
) -> FloatArray:
    r"""Compute Kendall's τ between all pairs of algorithms, with clusters of equal weight.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        NaN marks a missing score; each pair uses the tasks both have.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task; the weight of a task is one over the number of
        its cluster's tasks without NaN.
    tie_tolerance : float
        Scores are rounded to multiples of this number before they are compared.

    Returns
    -------
    ndarray of shape (k, k)
        Symmetric; 1 on the diagonal, NaN where one of the two does not vary or there are fewer
        than two tasks.

    Notes
    -----
    With :math:`\langle x, y \rangle = \sum_{s<t} w_s w_t\, \mathrm{sign}(x_s - x_t)\,
    \mathrm{sign}(y_s - y_t)`, :math:`\tau = \langle x, y \rangle / \sqrt{\langle x, x \rangle
    \langle y, y \rangle}` [1]_. If every task is a cluster, this is τ-b.

    References
    ----------
    .. [1] S. Vigna (2015). A weighted correlation index for rankings with ties. Proceedings of the
       24th International Conference on World Wide Web, 1166-1176.

    Examples
    --------
    >>> from occstats.stats import kendall_matrix
    >>> scores = [[0.9, 0.9], [0.8, 0.7], [0.7, 0.8], [0.6, 0.5]]
    >>> round(float(kendall_matrix(scores, ["iris", "iris", "iris", "wine"])[0, 1]), 4)
    0.8333
    >>> round(float(kendall_matrix(scores, range(4))[0, 1]), 4)
    0.6667
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    tau = np.full((sample.n_algorithms, sample.n_algorithms), np.nan)
    for columns, ranks, kept in _columns(sample):
        tau[np.ix_(columns, columns)] = _tau(ranks, _weights(kept))
    for a, column in enumerate(sample.rounded.T):
        known = column[~np.isnan(column)]
        tau[a, a] = 1.0 if (known != known[:1]).any() else np.nan
    return tau


def kendall_jackknife(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
    confidence: float = 0.95,
) -> Effect:
    """Compute weighted Kendall's τ of every pair of columns, with confidence intervals.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The dataset of each task.
    tie_tolerance : float
        Scores are rounded to multiples of it.
    confidence : float
        Level of the intervals, by the jackknife over datasets on the arcsine scale.

    Returns
    -------
    Effect
        Symmetric k × k matrices; 1 on the diagonal. Limits are NaN with fewer than two datasets,
        and where τ is not defined without one of them.

    Examples
    --------
    >>> scores = [[9, 8], [7, 7], [8, 6], [5, 4], [3, 3], [2, 1], [1, 2]]
    >>> tau = kendall_jackknife(scores, list("abcdefg"))
    >>> [round(float(value[0, 1]), 4) for value in (tau.estimate, tau.low, tau.high)]
    [0.8095, 0.2717, 1.0]
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    estimate = kendall_matrix(sample)
    low, high = np.ones((2, *estimate.shape))
    for columns, ranks, kept in _columns(sample):
        # Weights are those of datasets; suites, if there are any, are left out as a whole.
        weights, codes = _weights(kept), kept.independent.codes
        order = np.argsort(codes, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(codes))[:-1])
        with_all = np.array([_agreement(ranks, own, order, weights) for own in members])
        within = np.array([_agreement(ranks, own, own, weights) for own in members])
        agreement = with_all.sum(axis=0) - 2 * with_all + within
        first, second = upper_pairs(len(columns))
        left_out = _ratio(agreement)[:, first, second]
        counted = np.repeat(kept.independent.sums(weights)[:, None], len(first), axis=1)
        a, b = columns[first], columns[second]
        limits = arcsine_limits(estimate[a, b], left_out, counted, confidence)
        for matrix, limit in zip((low, high), limits, strict=True):
            matrix[a, b] = matrix[b, a] = limit
    return Effect(estimate, low, high)


def _columns(sample: Sample) -> Iterator[tuple[IntArray, FloatArray, Clusters]]:
    """Yield columns that share their tasks, their dense ranks, and the clusters of the tasks."""
    every = np.arange(sample.n_algorithms)
    groups = [every] if sample.complete.all() else map(np.array, combinations(every, 2))
    for columns in groups:
        table = sample.rounded[:, columns]
        (known,) = np.nonzero(~np.isnan(table).any(axis=1))
        ranks = [np.unique(column, return_inverse=True)[1] for column in table[known].T]
        yield columns, np.array(ranks, dtype=np.float64), sample.clusters.keep(known)


def _weights(clusters: Clusters) -> FloatArray:
    return np.asarray(1.0 / clusters.sizes[clusters.codes])


def _tau(ranks: FloatArray, weights: FloatArray) -> FloatArray:
    """Return τ of all pairs of columns.

    Tasks of equal weight are counted together: sums of signs are whole numbers, independent of the
    order in which a processor adds them, so that τ is symmetric and the same on every machine.
    """
    k, n = ranks.shape
    if n <= MOST_COMPARED:
        agreement = np.zeros((k, k))
        parts = [(np.flatnonzero(weights == weight), weight) for weight in np.unique(weights)]
        for position, (own, weight) in enumerate(parts):
            for other, other_weight in parts[: position + 1]:
                both_ways = 1 if other is own else 2
                agreement += both_ways * (weight * other_weight) * _agreement(ranks, own, other)
        return _ratio(agreement)
    from scipy.stats import weightedtau

    tau = np.full((len(ranks), len(ranks)), np.nan)
    for a, b in combinations(np.flatnonzero(ranks.any(axis=1)), 2):
        found = weightedtau(
            ranks[a], ranks[b], rank=False, weigher=weights.__getitem__, additive=False
        )
        tau[a, b] = tau[b, a] = found.statistic
    return tau


def _ratio(agreement: FloatArray) -> FloatArray:
    """Return τ from sums over pairs of tasks; NaN where one of the two does not vary."""
    spread = np.diagonal(agreement, axis1=-2, axis2=-1)
    # Residuals of sums from which everything was subtracted are cancellation errors.
    largest = spread.max(axis=0, initial=0.0) if agreement.ndim > 2 else 0.0
    spread = np.where(spread > 1e-12 * largest, spread, np.nan)
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    root = np.sqrt(spread[..., :, None] * spread[..., None, :])
    return np.clip(agreement / root, -1.0, 1.0)


def _agreement(
    ranks: FloatArray, rows: IntArray, others: IntArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return concordant minus discordant pairs of tasks, weighted (rows × others) or not."""
    k, agreement = len(ranks), np.zeros((len(ranks), len(ranks)))
    step = max(1, _SIGNS_AT_ONCE // (k * len(others)))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        signs = np.sign(ranks[:, part, None] - ranks[:, None, others]).reshape(k, -1)
        weighted = signs
        if weights is not None:
            weighted = signs * np.multiply.outer(weights[part], weights[others]).ravel()
        agreement += weighted @ signs.T
    return agreement
