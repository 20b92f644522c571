r"""Jackknife intervals of Kendall's τ between algorithms, over clusters.

τ sums the concordance of pairs of tasks. Without a cluster it lacks what the cluster's tasks add,
with all tasks and among themselves; both follow from sorting, or for few tasks from products of
matrices of signs that are shared by all pairs of algorithms. Nothing is resampled. The limits are
those of the rank-biserial correlation, which is of the same kind (`occstats.stats.jackknife`).

References
----------
.. [1] S. Vigna (2015). A weighted correlation index for rankings with ties. WWW '15, 1166-1176.
"""

from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from occstats._checks import check_choice
from occstats.stats._arrays import FloatArray, IntArray
from occstats.stats.effect_sizes import Effect
from occstats.stats.jackknife import arcsine_limits
from occstats.stats.kendall import (
    by_definition,
    kendall_matrix,
    partings,
    sign_agreement,
    task_weights,
    weights_at,
)
from occstats.stats.pairs import upper_pairs
from occstats.stats.sample import Sample

WEIGHTINGS = ("product", "sum", "plain")
# Clusters × algorithms × algorithms that are held at once; beyond, one pair after the other.
MOST_ELEMENTS = 10_000_000


def kendall_jackknife(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    weighting: Literal["product", "sum", "plain"] = "product",
    tie_tolerance: float = 0.0,
    confidence: float = 0.95,
) -> Effect:
    r"""Compute weighted Kendall's τ of every pair of columns, with intervals.

    .. math:: \tau = \frac{\sum_{s,t} w_{st}\,\mathrm{sign}(x_s - x_t)\,\mathrm{sign}(y_s - y_t)}
        {\sqrt{\sum w_{st} 1[x_s \ne x_t] \, \sum w_{st} 1[y_s \ne y_t]}}

    with :math:`w_{st} = w_s w_t`, :math:`w_s + w_t` or 1, and :math:`w_s` one over the number of
    tasks in the dataset of s.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The dataset of each task.
    weighting : {"product", "sum", "plain"}
        Weight of a pair of tasks.
    tie_tolerance : float
        Scores are rounded to multiples of it.
    confidence : float
        Level of the intervals: of the jackknife over datasets, on the arcsine scale.

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
    check_choice("weighting", weighting, WEIGHTINGS)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    estimate = kendall_matrix(sample, weighting=weighting)
    columns, units = np.ascontiguousarray(sample.rounded.T), sample.clusters.independent
    # Datasets have weights; suites are left out where there are any.
    datasets, codes = sample.clusters.codes, units.codes
    k, m = len(columns), units.n_clusters
    first, second = upper_pairs(k)
    limits = np.empty((2, len(first)))
    additive = weighting == "sum"
    if sample.complete.all() and by_definition(sample.n_tasks, k) and m * k**2 <= MOST_ELEMENTS:
        weights = task_weights(datasets, weighting)
        agreement = _all_left_out(columns, codes, weights, additive)
        spread = np.diagonal(agreement, axis1=1, axis2=2)
        left_out = _ratio(agreement[:, first, second], spread[:, first], spread[:, second])
        counted = np.repeat(_counts(codes, weights, additive, m)[:, None], len(first), axis=1)
        limits = arcsine_limits(estimate[first, second], left_out, counted, confidence)
    else:
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            known = ~np.isnan(columns[a] + columns[b])
            x, y, own = columns[a][known], columns[b][known], codes[known]
            weights = task_weights(datasets[known], weighting)
            agreement, of_x, of_y = (
                _left_out(*two, own, weights, additive, m) for two in ((x, y), (x, x), (y, y))
            )
            left_out = _ratio(agreement, of_x, of_y)[:, None]
            counted = _counts(own, weights, additive, m)[:, None]
            limits[:, [pair]] = arcsine_limits(estimate[[a], [b]], left_out, counted, confidence)
    low, high = np.ones((k, k)), np.ones((k, k))
    for matrix, limit in zip((low, high), limits, strict=True):
        matrix[first, second] = matrix[second, first] = limit
    return Effect(estimate, low, high)


def _ratio(agreement: FloatArray, spread: FloatArray, other_spread: FloatArray) -> FloatArray:
    """Return τ; NaN where one of the two does not vary."""
    # What is left of a sum after all of it was taken away is rounding.
    varies = [each > 1e-12 * each.max(initial=0.0) for each in (spread, other_spread)]
    defined = np.logical_and(*varies)
    root = np.sqrt(np.where(defined, spread * other_spread, 1.0))
    return np.where(defined, np.clip(agreement / root, -1.0, 1.0), np.nan)


def _counts(codes: IntArray, weights: FloatArray, additive: bool, m: int) -> FloatArray:
    """Return the weight of each cluster: that of its tasks' pairs with all tasks."""
    alone = len(codes) * weights + weights.sum() if additive else weights
    return np.asarray(np.bincount(codes, alone, m), dtype=float)


def _left_out(
    x: FloatArray, y: FloatArray, codes: IntArray, weights: FloatArray, additive: bool, m: int
) -> FloatArray:
    """Return Σ w_st sign(x_s − x_t) sign(y_s − y_t) over all pairs without each cluster."""

    def by_task(x: FloatArray, y: FloatArray) -> FloatArray:
        weighed = _signed(x, y, weights)
        return weights * _signed(x, y, np.ones(len(x))) + weighed if additive else weights * weighed

    # Ordered by cluster first, two tasks agree unless they are of one cluster.
    place = codes * float(len(x))
    by_cluster = (np.asarray(place + np.unique(z, return_inverse=True)[1], float) for z in (x, y))
    own_weight, size = np.bincount(codes, weights, m)[codes], np.bincount(codes, minlength=m)[codes]
    other_weight = weights.sum() - own_weight
    others = weights * (len(x) - size) + other_weight if additive else weights * other_weight
    within = np.bincount(codes, by_task(*by_cluster) - others, m)
    with_all = np.bincount(codes, by_task(x, y), m)
    return np.asarray(with_all.sum() - 2 * with_all + within)


def _signed(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Σ w_t sign(x_s − x_t) sign(y_s − y_t) over all tasks t, for each task s."""
    n = len(x)
    one, other = (np.unique(z, return_inverse=True)[1] for z in (x, y))
    untied: FloatArray = weights.sum() - _tied(one, weights)
    if np.array_equal(one, other):
        return untied
    # Ties are in the order of the other: a pair with a tie is never in disorder.
    by_one, by_other = one * n + other, other * n + one
    order = np.argsort(by_one, kind="stable")
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    against = np.zeros(1 << (n - 1).bit_length())
    for ranks, up in partings(place[np.argsort(by_other, kind="stable")]):
        held = weights_at(ranks, weights[order])
        passed = np.cumsum(held * ~up, axis=1)
        against[ranks] += np.where(up, passed[:, -1:] - passed, np.cumsum(held * up, axis=1))
    return np.asarray(untied - _tied(other, weights) + _tied(by_one, weights) - 2 * against[place])


def _tied(values: IntArray, weights: FloatArray) -> FloatArray:
    """Return for each task the weight of those with the same value, itself included."""
    _, group = np.unique(values, return_inverse=True)
    return np.asarray(np.bincount(group, weights)[group])


def _all_left_out(
    columns: FloatArray, codes: IntArray, weights: FloatArray, additive: bool
) -> FloatArray:
    """Return the same for all pairs of algorithms: clusters × algorithms × algorithms."""
    order = np.argsort(codes, kind="stable")
    columns, weights = columns[:, order], weights[order]
    edges = np.append(0, np.cumsum(np.bincount(codes)))
    parts = [slice(*edge) for edge in pairwise(edges)]

    def agreement(rows: slice, others: slice) -> FloatArray:
        combine = np.add if additive else np.multiply
        together = combine.outer(weights[rows], weights[others])
        return sign_agreement(columns[:, rows], columns[:, others], together)

    with_all = np.array([agreement(part, slice(None)) for part in parts])
    within = np.array([agreement(part, part) for part in parts])
    return np.asarray(with_all.sum(axis=0) - 2 * with_all + within)
