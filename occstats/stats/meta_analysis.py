r"""Random-effects analysis of a difference over datasets, and the prediction for a new dataset.

The mean difference of dataset i is :math:`y_i = \mu + u_i + e_i` with the heterogeneity
:math:`u_i \sim N(0, \tau^2)` and the error :math:`e_i \sim N(0, v_i)`. :math:`\tau^2` is the
estimate of Paule and Mandel [1]_, which solves
:math:`Q(\tau^2) = \sum_i (y_i - \hat\mu)^2 / (\tau^2 + v_i) = m - 1`. With it the factor of Hartung
and Knapp is 1, and it is not allowed to fall below 1.

The prediction for a new dataset takes :math:`\tau^2` from its confidence distribution, that of
:math:`Q(\tau^2) \sim \chi^2_{m-1}`, and :math:`\mu` from its distribution given :math:`\tau^2`
[3]_; so does the interval of the probability that the new difference is positive. Without errors
both are exact. The interval :math:`\hat\mu \pm t_{m-1} \sqrt{\hat\tau^2 + SE^2}` of Higgins et
al. [2]_ treats :math:`\hat\tau^2` as known and is too narrow where errors are large.

References
----------
.. [1] R. C. Paule, J. Mandel (1982). Consensus values and weighting factors. Journal of Research of
   the National Bureau of Standards 87(5), 377-385.
.. [2] J. P. T. Higgins, S. G. Thompson, D. J. Spiegelhalter (2009). A re-evaluation of
   random-effects meta-analysis. Journal of the Royal Statistical Society A 172(1), 137-159.
.. [3] K. Nagashima, H. Noma, T. A. Furukawa (2019). Prediction intervals for random-effects
   meta-analysis: a confidence distribution approach. Statistical Methods in Medical Research 28(6),
   1689-1702.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_fraction
from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray
from occstats.stats.clusters import Clusters

# Quantiles of the confidence distribution of τ², and halvings of an interval of z.
_NODES, _HALVINGS = 200, 50


def random_effects(
    effects: ArrayLike,
    variances: ArrayLike = 0.0,
    *,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimate heterogeneity, and predict the effect on a new dataset.

    Parameters
    ----------
    effects : array_like of shape (n_datasets,) or (n_datasets, n_pairs)
        Effect on each dataset, such as a mean difference; NaN where it is missing.
    variances : array_like
        Squared standard error of each effect. With 0 the prediction is for the effect as it will
        be observed, errors included.
    confidence : float
        Level of the intervals.

    Returns
    -------
    DataFrame
        One row per column of effects: the number of datasets with an effect (``n_datasets``), the
        random-effects mean and its standard error (``mean``, ``standard_error``), the standard
        deviation of the true effects between datasets (``tau``), the share of the variance that is
        heterogeneity rather than error (``i_squared``), the prediction interval of the true effect
        on a new dataset (``low``, ``high``), and the probability that this effect is positive, with
        its confidence interval (``probability``, ``probability_low``, ``probability_high``). NaN
        with fewer than two effects.

    Examples
    --------
    >>> found = random_effects([0.10, 0.30, 0.35, 0.65], [0.03, 0.03, 0.05, 0.01])
    >>> found[["mean", "tau", "i_squared", "low", "high", "probability"]].round(2)
       mean   tau  i_squared   low  high  probability
    0  0.38  0.18       0.57 -0.42  1.14          0.9
    """
    check_fraction("confidence", confidence)
    y = np.asarray(effects, dtype=float)
    y = y[:, None] if y.ndim == 1 else y
    if y.ndim != 2 or np.isinf(y).any():
        raise ArgumentError("effects must be a finite vector, or a matrix of datasets × pairs.")
    v = np.asarray(variances, dtype=float)
    v = v[:, None] if v.ndim == 1 else v
    if v.shape not in ((), y.shape, (len(y), 1)):
        raise ArgumentError(
            f"variances must be a number, or have the shape of effects, {y.shape}; got {v.shape}."
        )
    v = np.broadcast_to(v, y.shape)
    present = ~np.isnan(y)
    if not (v[present] >= 0).all():
        raise ArgumentError("variances must be at least 0 and not missing.")
    y, v, m = np.where(present, y, 0.0), np.where(present, v, 1.0), present.sum(axis=0)
    df = np.maximum(m - 1, 1)
    # Relative to the spread of the effects, weights of 1/0 become large numbers.
    centre = y.sum(axis=0) / np.maximum(m, 1)
    scale = np.where(present, (y - centre) ** 2, 0.0).sum(axis=0) / df
    rounding = (1e-12 * np.abs(y).max(axis=0, initial=0.0)) ** 2
    constant = scale <= rounding
    unit = np.where(constant, 1.0, scale)

    def fit(tau2: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        weights = np.where(present, 1 / np.maximum(tau2 + v, 1e-14 * unit), 0.0)
        total = np.where(m > 0, weights.sum(axis=0), 1.0)
        mean = (weights * y).sum(axis=0) / total
        q = (weights * (y - mean) ** 2).sum(axis=0)
        slope = (weights**2 * (y - mean) ** 2).sum(axis=0)
        return mean, 1 / np.sqrt(total), q, slope

    tau2 = _solve(fit, df, unit, np.zeros_like(unit))
    mean, error, *_ = fit(tau2)
    tau2, error = (np.where(constant & (v == 0).all(axis=0), 0.0, x) for x in (tau2, error))
    # The typical error variance of Higgins and Thompson (2002), of harmonic weights.
    with np.errstate(divide="ignore", invalid="ignore"):
        harmonic = np.where(present, 1 / np.maximum(v, 1e-14 * unit), 0.0)
        total = harmonic.sum(axis=0)
        typical = df * total / (total**2 - (harmonic**2).sum(axis=0))
        typical = np.where((v * present).any(axis=0), typical, 0.0)
        i_squared = np.where(tau2 > 0, tau2 / (tau2 + typical), 0.0)
    certain = (tau2 == 0) & (error == 0)
    drawn, start = [], np.zeros_like(unit)
    for level in (np.arange(_NODES) + 0.5) / _NODES:
        # From large quantiles of Q on, which have a small τ².
        start = _solve(fit, special.chdtri(df, level), unit, start)
        drawn.append((np.sqrt(start), *fit(start)[:2]))
    nodes = _Nodes(*map(np.stack, zip(*drawn, strict=True)))
    ends = (1 - confidence) / 2, (1 + confidence) / 2
    spreads = np.sqrt(nodes.tau**2 + nodes.error**2)
    reach = 10 * special.stdtrit(df, ends[1]) * np.sqrt(unit + tau2 + error**2)
    low, high = (
        _quantile(lambda x: (x - nodes.mean) / spreads, end, mean - reach, mean + reach)
        for end in ends
    )
    probability = special.ndtr(nodes.mean / spreads).mean(axis=0)
    widest = np.full_like(unit, 40.0)
    chance_low, chance_high = (
        special.ndtr(
            _quantile(lambda z: (nodes.tau * z - nodes.mean) / nodes.error, end, -widest, widest)
        )
        for end in ends
    )
    if certain.any():
        low, high = np.where(certain, mean, low), np.where(certain, mean, high)
        probability = np.where(certain, (np.sign(mean) + 1) / 2, probability)
    found = {
        "mean": mean,
        "standard_error": error,
        "tau": np.sqrt(tau2),
        "i_squared": i_squared,
        "low": low,
        "high": high,
        "probability": probability,
        "probability_low": np.minimum(chance_low, probability),
        "probability_high": np.maximum(chance_high, probability),
    }
    frame = pd.DataFrame(found)
    frame.loc[m < 2] = np.nan
    frame.insert(0, "n_datasets", m)
    return frame


Fit = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray, FloatArray]]


class _Nodes(NamedTuple):
    """Equally likely values of τ by its confidence distribution, with the mean given each."""

    tau: FloatArray
    mean: FloatArray
    error: FloatArray


def _quantile(
    z: Callable[[FloatArray], FloatArray], share: float, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return where the mean of Φ(z) over nodes, which rises, reaches the share."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = special.ndtr(z(middle)).mean(axis=0) < share
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)


def _solve(fit: Fit, target: FloatArray, unit: FloatArray, start: FloatArray) -> FloatArray:
    """Return the τ² at which Q is the target, or the start where Q is below it there."""
    tau2 = start
    # Q is convex and decreasing: Newton's method approaches the solution from below.
    for _ in range(200):
        _, _, q, slope = fit(tau2)
        step = np.where(slope > 0, (q - target) / np.where(slope > 0, slope, 1.0), 0.0)
        step = np.where(q > target, step, 0.0)
        tau2 = tau2 + step
        if not (step > 1e-15 * unit + 1e-12 * tau2).any():
            break
    return tau2


def cluster_effects(
    values: ArrayLike, clusters: ArrayLike | Clusters
) -> tuple[FloatArray, FloatArray]:
    r"""Return the mean of each cluster, and its squared standard error :math:`s^2/g_i`.

    The variance s² within clusters is pooled, as that of two or three tasks is hardly known. It is
    0 if no cluster has two values.

    Parameters
    ----------
    values : array_like of shape (n_tasks,) or (n_tasks, n_pairs)
        Differences, NaN where they are missing.
    clusters : array_like of shape (n_tasks,)
        The dataset of each task.

    Examples
    --------
    >>> means, variances = cluster_effects([1.0, 3.0, 5.0], ["iris", "iris", "wine"])
    >>> means.ravel(), variances.ravel()
    (array([2., 5.]), array([1., 2.]))
    """
    x = np.asarray(values, dtype=float)
    x = x[:, None] if x.ndim == 1 else x
    groups = Clusters.of(clusters, len(x))
    present = ~np.isnan(x)
    sizes, means = groups.sums(present), groups.means(x)
    squares = np.where(present, (x - means[groups.codes]) ** 2, 0.0).sum(axis=0)
    df = np.maximum(sizes - 1, 0).sum(axis=0)
    pooled = np.divide(squares, df, out=np.zeros_like(squares), where=df > 0)
    return means, pooled / np.maximum(sizes, 1)
