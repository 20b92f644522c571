r"""Weighted Kendall's τ between the scores of two algorithms, with jackknife intervals.

The sum over pairs of tasks without a cluster is the whole sum less the contributions of its tasks,
paired with all tasks and with each other. Contributions come from sorting or, for few tasks, from
products of sign matrices shared by all pairs.
"""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from occstats.stats._arrays import (
    FloatArray,
    IntArray,
    as_scores,
    upper_pairs,
)
from occstats.stats.effect_sizes import Effect
from occstats.stats.jackknife import arcsine_limits
from occstats.stats.sample import Sample

# Clusters × algorithms × algorithms in memory at a time; beyond that, pair by pair.
MOST_ELEMENTS = 10_000_000


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
    columns, codes = np.ascontiguousarray(sample.rounded.T), sample.clusters.codes
    k = len(columns)
    if sample.complete.all() and by_definition(sample.n_tasks, k):
        return _all_at_once(columns, _task_weights(codes))
    tau = np.full((k, k), np.nan)
    known = ~np.isnan(columns)
    for a in range(k):
        tau[a, a] = 1.0 if _varies(columns[a][known[a]]) else np.nan
        for b in range(a + 1, k):
            both = known[a] & known[b]
            x, y = columns[a][both], columns[b][both]
            tau[a, b] = tau[b, a] = _tau(x, y, codes[both])
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
    columns, units = np.ascontiguousarray(sample.rounded.T), sample.clusters.independent
    # Weights are those of datasets; suites, if there are any, are left out as a whole.
    datasets, codes = sample.clusters.codes, units.codes
    k, m = len(columns), units.n_clusters
    first, second = upper_pairs(k)
    limits = np.empty((2, len(first)))
    if sample.complete.all() and by_definition(sample.n_tasks, k) and m * k**2 <= MOST_ELEMENTS:
        weights = _task_weights(datasets)
        agreement = _all_left_out(columns, codes, weights)
        spread = np.diagonal(agreement, axis1=1, axis2=2)
        left_out = _ratio(agreement[:, first, second], spread[:, first], spread[:, second])
        counted = np.repeat(units.sums(weights)[:, None], len(first), axis=1)
        limits = arcsine_limits(estimate[first, second], left_out, counted, confidence)
    else:
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            known = ~np.isnan(columns[a] + columns[b])
            own = codes[known]
            x, y = (_ranked(columns[place][known]) for place in (a, b))
            weights = _task_weights(datasets[known])
            agreement, of_x, of_y = (
                _left_out(*two, own, weights, m) for two in ((x, y), (x, x), (y, y))
            )
            left_out = _ratio(agreement, of_x, of_y)[:, None]
            counted = np.bincount(own, weights, m)[:, None].astype(float)
            limits[:, [pair]] = arcsine_limits(estimate[[a], [b]], left_out, counted, confidence)
    low, high = np.ones((k, k)), np.ones((k, k))
    for matrix, limit in zip((low, high), limits, strict=True):
        matrix[first, second] = matrix[second, first] = limit
    return Effect(estimate, low, high)


def by_definition(n_tasks: int, k: int) -> bool:
    """Return whether to compare all pairs of tasks rather than to sort tasks per pair of columns.

    Sorting costs about a millisecond per pair of algorithms, comparing 5 ns per pair of tasks.
    """
    return n_tasks * (n_tasks - 1) // 2 <= 50_000 * (k - 1)


def _task_weights(codes: IntArray) -> FloatArray:
    return np.asarray(1.0 / np.bincount(codes)[codes])


def _varies(x: FloatArray) -> bool:
    return len(x) > 1 and bool((x != x[0]).any())


def _ranked(x: npt.NDArray[np.generic]) -> IntArray:
    """Return dense ranks from 0."""
    return np.asarray(np.unique(x, return_inverse=True)[1], dtype=np.intp)


def _tau(x: FloatArray, y: FloatArray, codes: IntArray) -> float:
    """Return τ of two columns without missing values."""
    if not (_varies(x) and _varies(y)):
        return float("nan")
    weights, one, other = _task_weights(codes), _ranked(x), _ranked(y)
    agreement, spread, other_spread = (
        _by_task(*two, weights).sum(keepdims=True)
        for two in ((one, other), (one, one), (other, other))
    )
    return float(_ratio(agreement, spread, other_spread)[0])


def _ratio(agreement: FloatArray, spread: FloatArray, other_spread: FloatArray) -> FloatArray:
    """Return τ; NaN where one of the two does not vary."""
    # Residuals of sums from which everything was subtracted are cancellation errors.
    varies = [each > 1e-12 * each.max(initial=0.0) for each in (spread, other_spread)]
    defined = np.logical_and(*varies)
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    root = np.sqrt(np.where(defined, spread * other_spread, 1.0))
    return np.where(defined, np.clip(agreement / root, -1.0, 1.0), np.nan)


def _sign_agreement(
    rows: FloatArray, others: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return concordant minus discordant pairs of tasks, weighted (rows × others) or not."""
    k, n_others = others.shape
    agreement = np.zeros((k, k))
    # As many tasks at a time as keep the signs within a few megabytes.
    step = max(1, 1_000_000 // (k * n_others))
    for start in range(0, rows.shape[1], step):
        part = slice(start, start + step)
        signs = np.sign(rows[:, part, None] - others[:, None, :]).reshape(k, -1)
        weighted = signs if weights is None else signs * weights[part].ravel()
        agreement += weighted @ signs.T
    return agreement


def _all_at_once(columns: FloatArray, weights: FloatArray) -> FloatArray:
    """Compute τ of all pairs of algorithms from its definition.

    Tasks of equal weight are counted together: sums of signs are whole numbers, independent of the
    order in which a processor adds them, so that τ is symmetric and the same on every machine.
    """
    k = len(columns)
    parts = [(columns[:, weights == weight], weight) for weight in np.unique(weights)]
    agreement = np.zeros((k, k))
    for position, (rows, weight) in enumerate(parts):
        for others, other_weight in parts[: position + 1]:
            both_ways = 1 if others is rows else 2
            agreement += both_ways * (weight * other_weight) * _sign_agreement(rows, others)
    spread = np.diag(agreement)
    square = np.multiply.outer(spread, spread)
    root = np.sqrt(np.where(square > 0, square, np.nan))
    return np.clip(agreement / root, -1.0, 1.0)


def _all_left_out(columns: FloatArray, codes: IntArray, weights: FloatArray) -> FloatArray:
    """Return the same sums without each cluster: clusters × algorithms × algorithms."""
    order = np.argsort(codes, kind="stable")
    columns, weights = columns[:, order], weights[order]
    edges = np.append(0, np.cumsum(np.bincount(codes)))
    parts = [slice(*edge) for edge in pairwise(edges)]

    def agreement(rows: slice, others: slice) -> FloatArray:
        together = np.multiply.outer(weights[rows], weights[others])
        return _sign_agreement(columns[:, rows], columns[:, others], together)

    with_all = np.array([agreement(part, slice(None)) for part in parts])
    within = np.array([agreement(part, part) for part in parts])
    return np.asarray(with_all.sum(axis=0) - 2 * with_all + within)


def _left_out(x: IntArray, y: IntArray, codes: IntArray, weights: FloatArray, m: int) -> FloatArray:
    """Return Σ w_s w_t sign(x_s − x_t) sign(y_s − y_t) over all pairs without each cluster."""
    # Ordered by cluster first, two tasks of different clusters always agree.
    by_x, by_y = (_ranked(codes * len(x) + z) for z in (x, y))
    others = weights * (weights.sum() - np.bincount(codes, weights, m)[codes])
    within = np.bincount(codes, _by_task(by_x, by_y, weights) - others, m)
    with_all = np.bincount(codes, _by_task(x, y, weights), m)
    return np.asarray(with_all.sum() - 2 * with_all + within)


def _by_task(x: IntArray, y: IntArray, weights: FloatArray) -> FloatArray:
    """Return Σ_t w_s w_t sign(x_s − x_t) sign(y_s − y_t) for each task s, from dense ranks.

    Discordant pairs are found as in Knight's merge sort, in whole arrays: ranks are parted by their
    bits, the highest first; two ranks differ first at one bit, where one of them goes up.
    """
    n = len(x)
    untied: FloatArray = weights.sum() - _tied(x, weights)
    if np.array_equal(x, y):
        return weights * untied
    # Ties in one are in the order of the other: a pair with a tie is never discordant.
    order = np.argsort(x * n + y, kind="stable")
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n)
    bits = (n - 1).bit_length()
    # Padded with ranks without weight until their number is a power of two.
    padded = np.concatenate([weights[order], np.zeros(2**bits - n)])
    rank = np.concatenate([place[np.argsort(y * n + x, kind="stable")], np.arange(n, 2**bits)])
    against = np.zeros(2**bits)
    for bit in range(bits - 1, -1, -1):
        up = ((rank >> bit) & 1).astype(bool)
        ranks, goes_up = rank.reshape(-1, 2 << bit), up.reshape(-1, 2 << bit)
        held = padded[ranks]
        passed = np.cumsum(held * ~goes_up, axis=1)
        lower = np.cumsum(held * goes_up, axis=1)
        against[ranks] += np.where(goes_up, passed[:, -1:] - passed, lower)
        parts = [np.compress(way, rank).reshape(-1, 1 << bit) for way in (~up, up)]
        rank = np.concatenate(parts, axis=1).ravel()
    tied_in_both = _tied(_ranked(x * n + y), weights)
    signs = untied - _tied(y, weights) + tied_in_both - 2 * against[place]
    return np.asarray(weights * signs)


def _tied(ranks: IntArray, weights: FloatArray) -> FloatArray:
    """Return for each task the weight of the tasks with the same rank, itself included."""
    return np.asarray(np.bincount(ranks, weights)[ranks])
