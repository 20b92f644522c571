r"""Variance components of nested groups, by restricted maximum likelihood (REML).

The model of a value in group i, subgroup j … is :math:`y_{ij\ldots k} = \mu + a_i + b_{ij} + \ldots
+ e_{ij\ldots k}` with independent normal effects [1]_. Values of a group that are independent given
its effect are summarised by their precision-weighted mean, level by level, so that the likelihood
takes one pass over the data.

References
----------
.. [1] S. R. Searle, G. Casella, C. E. McCulloch (1992). Variance Components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, IntArray, as_vector, cluster_codes


def variance_components(values: ArrayLike, *levels: ArrayLike) -> FloatArray:
    """Estimate the variance of each level of grouping, and the residual variance.

    Parameters
    ----------
    values : array_like
        Values, such as differences of scores by task and fold.
    *levels : array_like
        The group of each value, from the outermost level (dataset) to the innermost (task). Labels
        of an inner level need to be unique only within its group.

    Returns
    -------
    ndarray
        The variance of each level, then the residual variance; 0 for a level that adds nothing.

    Examples
    --------
    >>> values = [1.0, 1.2, 3.0, 3.2, 2.1, 1.9]
    >>> variance_components(values, list("aabbcc")).round(3).tolist()
    [0.993, 0.02]
    """
    y = as_vector("values", values)
    if len(y) < 3 or not levels:
        raise ArgumentError("variance_components needs three values and one level of groups.")
    codes: list[IntArray] = []
    for level in levels:
        found = cluster_codes(level, len(y))[0]
        if codes:
            found = np.unique(codes[-1] * (found.max() + 1) + found, return_inverse=True)[1]
        codes.append(found)
    if codes[-1].max() + 1 == len(y):
        raise ArgumentError("levels: no group has two values, so the innermost is the residual.")
    if codes[0].max() < 1:
        raise ArgumentError("levels: the outermost level must have at least two groups.")
    y = y - y.mean()
    total = float(y.var())
    if total <= 1e-24:
        return np.zeros(len(levels) + 1)

    def deviance(sds: FloatArray) -> float:
        means, spread, found = y / np.sqrt(total), np.full(len(y), sds[-1] ** 2), 0.0
        inner = np.arange(len(y))
        for position in range(len(codes) - 1, -2, -1):
            # The last pass gathers the outermost groups into one.
            first = np.unique(inner, return_index=True)[1]
            group = codes[position][first] if position >= 0 else np.zeros(len(first), dtype=int)
            weights = 1 / spread
            sums = np.bincount(group, weights)
            centres = np.bincount(group, weights * means) / sums
            found += float(
                np.log(spread).sum()
                + (weights * (means - centres[group]) ** 2).sum()
                + np.log(sums).sum()
            )
            if position >= 0:
                inner, means, spread = codes[position], centres, 1 / sums + sds[position] ** 2
        return found

    k = len(levels) + 1
    starts = (np.full(k, 1 / np.sqrt(k)), np.array([0.1] * (k - 1) + [1.0]))
    bounds = [(0.0, 10.0)] * (k - 1) + [(1e-6, 10.0)]
    options: Any = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4_000, "maxfev": 8_000}
    fits = [
        optimize.minimize(deviance, start, method="Nelder-Mead", bounds=bounds, options=options)
        for start in starts
    ]
    best = min(fits, key=lambda fit: float(fit.fun))
    return np.asarray(np.where(best.x < 1e-5, 0.0, best.x) ** 2 * total)
