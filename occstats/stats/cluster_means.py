"""The mean of the clusters' means, and its standard error.

Every cluster has equal weight. Both follow from counts of the clusters, one row per resample, as
matrix products ``counts @ means``.
"""

import numpy as np

from occstats.stats._arrays import FloatArray as Array
from occstats.stats.clusters import Clusters

# So few clusters resemble each other by chance: their resamples say too little about their spread.
FEW_CLUSTERS = 6


def weighted_means(means: Array, counts: Array) -> Array:
    """Return the mean of cluster means for each row of counts; missing clusters have no weight.

    Examples
    --------
    >>> weighted_means(np.array([[1.0], [3.0]]), np.array([[1.0, 1.0], [2.0, 0.0]])).ravel()
    array([2., 1.])
    """
    present = ~np.isnan(means)
    if present.all() and counts.any(axis=1).all():
        return np.asarray(counts @ means / counts.sum(axis=1, keepdims=True))
    weights = counts @ present.astype(float)
    sums = counts @ np.where(present, means, 0.0)
    means_of: Array = np.divide(sums, weights, out=np.full_like(sums, np.nan), where=weights > 0)
    return means_of


def means_without(means: Array, suites: Clusters | None = None) -> Array:
    """Return the mean of cluster means: of all in the first row, then without each in turn.

    Totals minus own, not a sum for each cluster; clusters without a mean do not count. Where
    clusters come in suites, without each suite.

    Examples
    --------
    >>> means = np.array([[1.0], [3.0], [5.0]])
    >>> means_without(means).ravel().tolist()
    [3.0, 4.0, 3.0, 2.0]
    >>> means_without(means, Clusters.of(["uci", "uci", "mnist"])).ravel().tolist()  # mnist first
    [3.0, 2.0, 5.0]
    """
    present = ~np.isnan(means)
    values = np.where(present, means, 0.0)
    sums, counts = values.sum(axis=0), present.sum(axis=0)
    own, own_counts = (values, present) if suites is None else map(suites.sums, (values, present))
    tops = np.vstack([sums, sums - own])
    bottoms = np.vstack([counts, counts - own_counts])
    unknown = np.full(tops.shape, np.nan)
    return np.asarray(np.divide(tops, bottoms, out=unknown, where=bottoms > 0))


def effective_units(means: Array, suites: Clusters | None = None) -> Array:
    """Return the number of independent units of equal size that the clusters are worth.

    Clusters that come in suites of sizes n are worth (Σn)² / Σn² suites (Kish 1965).

    Examples
    --------
    >>> means = np.array([[0.1], [0.3], [0.2], [0.4]])
    >>> effective_units(means), effective_units(means, Clusters.of(list("aaab")))
    (array([4.]), array([1.6]))
    """
    present = (~np.isnan(means)).astype(float)
    if suites is None:
        return np.asarray(present.sum(axis=0))
    sizes = suites.sums(present)
    squares = (sizes**2).sum(axis=0)
    whole = sizes.sum(axis=0) ** 2
    return np.asarray(np.divide(whole, squares, out=np.zeros_like(squares), where=squares > 0))


def mean_errors(means: Array, counts: Array, suites: Clusters | None = None) -> Array:
    r"""Return the standard error of the mean of cluster means for each row of counts.

    With M clusters it is :math:`\sqrt{\sum_i (x_i - \bar x)^2 / (M (M - 1))}`. Where N of them come
    in M suites f, that of a ratio:
    :math:`\sqrt{M / (M - 1) \sum_f (\sum_{i \in f} (x_i - \bar x))^2} / N`.

    Examples
    --------
    >>> means, once = np.array([[1.0], [3.0], [5.0]]), np.ones((1, 3))
    >>> mean_errors(means, once).round(3), mean_errors(means, once, Clusters.of(list("aab")))
    (array([[1.155]]), array([[1.33333333]]))
    """
    present = (~np.isnan(means)).astype(float)
    weights = counts @ present
    # Centred first: the difference of squares would lose the digits of a small spread.
    known = present.sum(axis=0)
    centre = np.divide(
        np.nansum(means, axis=0), known, out=np.zeros(means.shape[1]), where=known > 0
    )
    deviations = np.where(present > 0, means - centre, 0.0)
    units = weights
    with np.errstate(invalid="ignore", divide="ignore"):
        first = counts @ deviations / weights
        if suites is None:
            second = counts @ deviations**2 / weights
            variance = np.maximum(second - first**2, 0.0) / (weights - 1)
        else:
            # Clusters of a suite come equally often.
            counts = counts[:, np.unique(suites.codes, return_index=True)[1]]
            sizes, sums = suites.sums(present), suites.sums(deviations)
            units = counts @ (sizes > 0)
            crossed = counts @ (sums * sizes)
            squares = counts @ sums**2 - 2 * first * crossed + first**2 * (counts @ sizes**2)
            variance = np.maximum(squares, 0.0) * units / (units - 1) / weights**2
        tiny = variance <= 1e-30 + 1e-24 * np.max(deviations**2, axis=0)
    return np.asarray(np.where(units >= 2, np.where(tiny, 0.0, np.sqrt(variance)), np.nan))


def observed_errors(means: Array, suites: Clusters | None = None) -> Array:
    """Return the standard error of each mean; NaN where few clusters do not differ at all.

    Three means that agree by rounding would otherwise have an interval of zero width: with nine
    algorithms, three datasets and tied scores all simultaneous intervals held in 88 % of samples.

    Examples
    --------
    >>> observed_errors(np.array([[1.0, 0.1], [3.0, 0.1], [5.0, 0.1]])).round(3)
    array([1.155,   nan])
    """
    error = mean_errors(means, np.ones((1, len(means))), suites)[0]
    return np.where((error == 0) & (effective_units(means, suites) < FEW_CLUSTERS), np.nan, error)
