r"""Jackknife intervals of shares and rank-biserial correlations over clusters.

An estimate r in −1 … 1 (for a share p, r = 2p − 1) is transformed to :math:`\arcsin r`, which
stabilises its variance. With the jackknife standard error s on that scale, the limits are
:math:`\sin(\arcsin r \pm t\,s)`, where t is the quantile of Student's distribution with
:math:`G^* - 1` degrees of freedom and :math:`G^* = (\sum n_i)^2 / \sum n_i^2` is the effective
number of clusters with weights :math:`n_i` [3]_.

References
----------
.. [1] J. W. Tukey (1958). Bias and confidence in not-quite large samples. Annals of Mathematical
   Statistics 29, 614.
.. [2] R. G. Miller (1974). The jackknife: a review. Biometrika 61(1), 1-15.
.. [3] L. Kish (1965). Survey Sampling. Wiley.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from occstats._checks import check_fraction
from occstats.stats._arrays import LARGEST, BoolArray, FloatArray, IntArray
from occstats.stats.clusters import Clusters

# Differences that are sorted at a time: few enough to stay in the cache.
BLOCK_ELEMENTS = 200_000


def arcsine_limits(
    estimate: FloatArray, left_out: FloatArray, weights: FloatArray, confidence: float
) -> FloatArray:
    """Return limits of estimates in −1 … 1, 2 × columns; NaN with fewer than two clusters.

    `left_out` are the estimates without each cluster in turn, ignored where its weight is 0 (both
    clusters × columns). Estimates of −1 and 1 have Wilson's interval.

    Examples
    --------
    >>> means = np.array([[0.2], [0.6], [0.1], [0.5], [0.3]])
    >>> left_out = (means.sum() - means) / 4
    >>> arcsine_limits(means.mean(axis=0), left_out, np.ones((5, 1)), 0.95).ravel().round(2)
    array([0.07, 0.58])
    """
    check_fraction("confidence", confidence)
    present = weights > 0
    m = present.sum(axis=0)
    angles = np.where(present, np.arcsin(np.clip(left_out, -1.0, 1.0)), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations = np.where(present, angles - angles.sum(axis=0) / m, 0.0)
        error = np.sqrt((m - 1) / m * (deviations**2).sum(axis=0))
        worth = weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0)
    t = special.stdtrit(np.maximum(np.nan_to_num(worth) - 1, 1.0), (1 + confidence) / 2)
    angle = np.arcsin(np.clip(estimate, -1.0, 1.0))
    half_turn = np.pi / 2
    limits = np.sin(
        np.clip(np.stack([angle - t * error, angle + t * error]), -half_turn, half_turn)
    )
    # At the extremes nothing varies, which is no evidence of certainty.
    extreme = np.abs(estimate) >= 1 - 1e-12
    certain = 2 * np.stack(wilson((1 + estimate) / 2, np.nan_to_num(worth), confidence)) - 1
    return np.where(m >= 2, np.where(extreme, certain, limits), np.nan)


def rank_biserial_limits(
    x: FloatArray, clusters: Clusters, confidence: float
) -> tuple[FloatArray, FloatArray]:
    r"""Return the rank-biserial correlation of each column, and its limits: 2 × columns.

    The sum of the signed ranks is that of :math:`\mathrm{sign}(x_s + x_t)` over all
    :math:`s \le t`, so that the contribution of a cluster follows from two sorts, without ranking
    again. Zeros and NaN among the differences `x` (tasks × columns) are dropped.

    Examples
    --------
    >>> x = np.array([[3.0], [1.0], [-2.0], [4.0], [5.0]])
    >>> r, limits = rank_biserial_limits(x, Clusters.of(list("aabcd")), 0.95)
    >>> r.round(2), limits.ravel().round(2)
    (array([0.73]), array([-1.,  1.]))
    """
    step = max(1, BLOCK_ELEMENTS // max(1, len(x)))
    parts = [
        _left_out_sums(x[:, start : start + step], clusters) for start in range(0, x.shape[1], step)
    ]
    nothing = np.zeros((clusters.n_clusters, 0))
    sums, others, sizes = (
        np.concatenate(part, axis=1)
        for part in zip((nothing[:1], nothing, nothing), *parts, strict=True)
    )
    n = sizes.sum(axis=0)
    estimate, left_out = (
        np.divide(top, k * (k + 1), out=np.zeros_like(top), where=k > 0)
        for top, k in ((sums[0], n), (others, n - sizes))
    )
    return estimate, arcsine_limits(estimate, left_out, sizes, confidence)


def _left_out_sums(x: FloatArray, clusters: Clusters) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return twice the sums of signed ranks, the same without each cluster, and sizes."""
    used = ~np.isnan(x) & (x != 0)
    # Unused differences are larger than all others and have no sign: they add nothing to any sum.
    magnitude = np.ascontiguousarray(np.where(used, np.minimum(np.abs(x), LARGEST), np.inf).T)
    sign = np.sign(np.where(used, x, 0.0))
    order = np.argsort(magnitude, axis=1)
    # Small integers are sorted in linear time.
    codes = clusters.codes.astype(np.min_scalar_type(clusters.n_clusters))
    by_cluster = np.argsort(codes[order], axis=1, kind="stable")
    grouped = np.take_along_axis(order, by_cluster, axis=1)
    flat = np.ascontiguousarray(sign.T)
    with_all = clusters.sums(_sign_sums(magnitude, flat, order, np.zeros_like(codes)).T)
    within = clusters.sums(_sign_sums(magnitude, flat, grouped, codes).T)
    signs, sizes = clusters.sums(sign), clusters.sums(used)
    sums = (with_all + signs).sum(axis=0, keepdims=True)
    return sums, sums - 2 * with_all + within - signs, sizes


def _sign_sums(
    magnitude: FloatArray, sign: FloatArray, order: IntArray, codes: NDArray[Any]
) -> FloatArray:
    """Return Σ sign(x_s + x_t) over the group of each value of each row, itself included.

    The larger of two magnitudes decides; of two equal ones the signs, if they agree. `order` sorts
    each row by group, and by magnitude within groups.
    """
    rows, n = order.shape
    places = (order + n * np.arange(rows)[:, None]).ravel()
    ordered, signs = magnitude.ravel()[places], sign.ravel()[places]
    group = codes[order].ravel()
    new_group = np.ones(rows * n, dtype=bool)
    new_group[1:] = group[1:] != group[:-1]
    new_group[::n] = True
    new_run = new_group.copy()
    new_run[1:] |= ordered[1:] != ordered[:-1]
    start_of_group, end_of_group = _edges(new_group)
    start, end = _edges(new_run)
    cumulated = np.append(0.0, np.cumsum(signs))
    below = signs * (start - start_of_group)
    above = cumulated[end_of_group] - cumulated[end]
    agreeing = (signs * (end - start) + cumulated[end] - cumulated[start]) / 2
    sums = np.empty(rows * n)
    sums[places] = below + above + agreeing
    return sums.reshape(rows, n)


def _edges(new: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the start and end of the run of each element, from the starts of runs."""
    starts = np.flatnonzero(new)
    lengths = np.diff(starts, append=len(new))
    return np.repeat(starts, lengths), np.repeat(starts + lengths, lengths)


def wilson(share: FloatArray, n: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's score interval of a share out of n."""
    z = special.ndtri((1 + confidence) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    empty = n == 0
    low = np.where(empty, np.nan, np.clip(centre - half, 0.0, 1.0))
    high = np.where(empty, np.nan, np.clip(centre + half, 0.0, 1.0))
    # Rounding must not leave the estimate outside its interval.
    return np.minimum(low, share), np.maximum(high, share)
