r"""Weighted Kendall's τ between the scores of two algorithms, with jackknife intervals.

The sum over pairs of tasks without a cluster is the whole sum less the contributions of its tasks,
paired with all tasks and with each other. Contributions are products of sign matrices, shared by
all pairs of algorithms.
"""

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from occstats.stats._arrays import FloatArray, as_scores, mirror, upper_pairs
from occstats.stats.effect_sizes import Effect
from occstats.stats.jackknife import arcsine_limits
from occstats.stats.sample import Sample

# Pairs of tasks × algorithms beyond which SciPy's sorting is faster than comparing all tasks.
_MOST_SIGNS = 100_000_000


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
    clusters : array_like of shape (n_tasks,), optional
        Label of the cluster (dataset) of each task; the weight of a task is one over the number of
        its cluster's tasks without NaN. By default all tasks have equal weight.
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
    \langle y, y \rangle}` [1]_. Equal weights give τ-b.

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
    >>> round(float(kendall_matrix(scores)[0, 1]), 4)
    0.6667
    """
    if not isinstance(scores, Sample) and clusters is None:
        clusters = np.arange(len(as_scores("scores", scores, allow_nan=True)))
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    tau = np.full((sample.n_algorithms, sample.n_algorithms), np.nan)
    for algorithms, part in _complete_parts(sample):
        large = part.n_tasks**2 * part.n_algorithms > _MOST_SIGNS
        whole = _by_sorting(part) if large else _tau(_agreements(part)[0].sum(axis=0))
        tau[np.ix_(algorithms, algorithms)] = whole
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
    estimate, low, high = np.full((3, sample.n_algorithms, sample.n_algorithms), np.nan)
    for algorithms, part in _complete_parts(sample):
        units, k = part.clusters.independent, part.n_algorithms
        with_all, within = _agreements(part)
        whole = with_all.sum(axis=0)
        without = whole - 2 * with_all + within
        place, (first, second) = np.ix_(algorithms, algorithms), upper_pairs(k)
        estimate[place] = _tau(whole)
        spread = np.diagonal(without, axis1=1, axis2=2)
        left_out = _ratio(without[:, first, second], spread[:, first], spread[:, second])
        weights = units.sums(part.clusters.weights[:, None]).repeat(len(first), axis=1)
        limits = arcsine_limits(estimate[place][first, second], left_out, weights, confidence)
        low[place], high[place] = (mirror(limit, limit, k, 1.0) for limit in limits)
    return Effect(estimate, low, high)


def _complete_parts(sample: Sample) -> Iterator[tuple[list[int], Sample]]:
    """Yield algorithms with the tasks that all of them have: pair by pair if scores are missing."""
    k = sample.n_algorithms
    if sample.complete.all():
        yield list(range(k)), sample
        return
    for algorithms in (*combinations(range(k), 2), *((a,) for a in range(k))):
        yield list(algorithms), sample.select(algorithms).complete_cases


def _agreements(part: Sample) -> FloatArray:
    """Return Σ w_s w_t sign(x_s − x_t) sign(y_s − y_t) by unit: 2 × units × k × k.

    First over the tasks s of a unit and all tasks t, then over tasks s and t of the unit. Weights
    are those of datasets; suites, if there are any, are units as a whole.
    """
    units, columns = part.clusters.independent, part.rounded.T
    # In an order of their own, so that the order of the tasks changes no bit.
    order = np.lexsort((*columns, part.clusters.codes, units.codes))
    columns, weights = np.ascontiguousarray(columns[:, order]), part.clusters.weights[order]
    found = np.zeros((2, units.n_clusters, len(columns), len(columns)))
    for unit, (first, last) in enumerate(pairwise(np.append(0, np.cumsum(units.sizes)))):
        for place, others in enumerate((slice(None), slice(first, last))):
            # As many tasks at a time as keep the signs within a few megabytes.
            step = max(1, 1_000_000 // columns[:, others].size)
            for start in range(first, last, step):
                rows = slice(start, min(start + step, last))
                signs = np.sign(columns[:, rows, None] - columns[:, None, others])
                weighted = signs * np.multiply.outer(weights[rows], weights[others])
                found[place, unit] += np.tensordot(weighted, signs, ((1, 2), (1, 2)))
    return (found + found.swapaxes(2, 3)) / 2


def _tau(agreement: FloatArray) -> FloatArray:
    spread = np.diagonal(agreement)
    return _ratio(agreement, *np.broadcast_arrays(spread[:, None], spread))


def _ratio(agreement: FloatArray, spread: FloatArray, other_spread: FloatArray) -> FloatArray:
    """Return τ; NaN where one of the two does not vary."""
    # Residuals of sums from which everything was subtracted are cancellation errors.
    varies = [each > 1e-12 * each.max(initial=0.0) for each in (spread, other_spread)]
    defined = np.logical_and(*varies)
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    root = np.sqrt(np.where(defined, spread * other_spread, 1.0))
    return np.where(defined, np.clip(agreement / root, -1.0, 1.0), np.nan)


def _by_sorting(part: Sample) -> FloatArray:
    from scipy.stats import weightedtau

    weights, first = part.clusters.weights, np.arange(part.n_tasks)
    tau = np.ones((part.n_algorithms, part.n_algorithms))
    for a, b in combinations(range(part.n_algorithms), 2):
        x, y = part.rounded[:, a], part.rounded[:, b]
        found = weightedtau(x, y, rank=first, weigher=weights.__getitem__, additive=False)
        tau[a, b] = tau[b, a] = found.statistic
    return tau
