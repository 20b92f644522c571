"""Tasks grouped by cluster: sums and means over clusters, standard errors, ICC.

Clusters (datasets) may be grouped in suites. Datasets keep their equal weights, but only suites are
independent: sign flips, resampling and the jackknife treat a suite as a whole.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from occstats.errors import ArgumentError
from occstats.stats._arrays import BoolArray, FloatArray, IntArray, cluster_codes

# With fewer clusters resamples tell too little about their spread.
FEW_CLUSTERS = 6


@dataclass(frozen=True, eq=False)
class Clusters:
    """Assignment of tasks to clusters, numbered in the sorted order of their labels.

    Attributes
    ----------
    labels : ndarray
        The distinct labels, sorted.
    codes : ndarray of int
        For each task, the position of its cluster in `labels`.
    suites : Clusters or None
        Assignment of clusters to suites; None where clusters are independent.

    Examples
    --------
    >>> clusters = Clusters.of(["iris", "wine", "iris"])
    >>> clusters.labels.tolist(), clusters.sizes.tolist()
    (['iris', 'wine'], [2, 1])
    >>> clusters.means([[1.0], [5.0], [2.0]]).ravel().tolist()
    [1.5, 5.0]
    """

    labels: NDArray[Any]
    codes: IntArray
    suites: "Clusters | None" = None

    @classmethod
    def of(cls, clusters: "ArrayLike | Clusters", n_tasks: int | None = None) -> "Clusters":
        """Group tasks by their labels; return clusters unchanged."""
        if isinstance(clusters, Clusters):
            return clusters
        codes, labels = cluster_codes(clusters, n_tasks)
        return cls(labels, codes)

    @classmethod
    def nested(cls, suites: ArrayLike, clusters: ArrayLike) -> "Clusters":
        """Group tasks by their clusters, and these by their suites.

        Examples
        --------
        >>> nested = Clusters.nested(["uci", "uci", "uci", "mnist"], ["iris", "iris", "wine", "0"])
        >>> nested.n_clusters, nested.independent.n_clusters, nested.weights.round(2).tolist()
        (3, 2, [0.17, 0.17, 0.33, 0.33])
        >>> Clusters.nested(["a", "b"], ["iris", "iris"])
        Traceback (most recent call last):
        ...
        occstats.errors.ArgumentError: clusters must lie within one suite each; 'iris' is in 'a' \
and 'b'.
        """
        found = cls.of(clusters)
        outer = cls.of(suites, len(found.codes))
        of_cluster = np.zeros(found.n_clusters, dtype=np.intp)
        of_cluster[found.codes] = outer.codes
        astray = np.flatnonzero(of_cluster[found.codes] != outer.codes)
        if len(astray):
            cluster = found.codes[astray[0]]
            both = outer.labels[[outer.codes[astray[0]], of_cluster[cluster]]]
            raise ArgumentError(
                f"clusters must lie within one suite each; {found.labels[cluster]!r} is in "
                f"{both[0]!r} and {both[1]!r}."
            )
        return replace(found, suites=cls(outer.labels, of_cluster))

    @cached_property
    def independent(self) -> "Clusters":
        """Tasks grouped by independent units: by suite, or else by cluster."""
        if self.suites is None:
            return self
        return Clusters(self.suites.labels, self.suites.codes[self.codes])

    @cached_property
    def units(self) -> "Clusters":
        """Clusters grouped by independent units: by suite, or each on its own."""
        return self.suites or Clusters(self.labels, np.arange(self.n_clusters))

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.labels)

    @cached_property
    def sizes(self) -> IntArray:
        """Tasks per cluster."""
        return np.bincount(self.codes, minlength=self.n_clusters)

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each task when all clusters have equal weight; they sum to 1."""
        return np.asarray(1.0 / (self.n_clusters * self.sizes[self.codes]))

    @cached_property
    def _members(self) -> sparse.csr_array:
        """Clusters × tasks: 1 where the task belongs to the cluster."""
        order = np.argsort(self.codes, kind="stable")
        ends = np.concatenate([[0], np.cumsum(self.sizes)])
        shape = (self.n_clusters, len(order))
        return sparse.csr_array((np.ones(len(order)), order, ends), shape=shape)

    def sums(self, values: ArrayLike) -> FloatArray:
        """Sum the rows of `values` within each cluster: clusters × columns."""
        return np.asarray(self._members @ np.asarray(values, dtype=float))

    def means(self, values: ArrayLike) -> FloatArray:
        """Average the rows of each cluster without NaN; NaN where all are missing."""
        values = np.asarray(values, dtype=float)
        present = ~np.isnan(values)
        counts = self.sums(present)
        sums = self.sums(np.where(present, values, 0.0))
        return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)

    def keep(self, tasks: BoolArray | IntArray) -> "Clusters":
        """Select some tasks, with the clusters (and suites) that they come from."""
        present, codes = np.unique(self.codes[tasks], return_inverse=True)
        suites = None if self.suites is None else self.suites.keep(present)
        return Clusters(self.labels[present], codes.astype(np.intp, copy=False), suites)


def cluster_weights(clusters: ArrayLike | Clusters) -> FloatArray:
    r"""Return the weight of each task when all clusters have equal weight.

    A cluster's weight is shared equally by its tasks, and all weights sum to 1:

    .. math:: w_t = \frac{1}{m \, g_{i(t)}}

    with :math:`m` clusters and :math:`g_i` tasks in cluster :math:`i`. A mean with these weights
    is the mean of the clusters' means.

    Parameters
    ----------
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.

    Returns
    -------
    ndarray of shape (n_tasks,)
        Weights that sum to 1.

    Examples
    --------
    >>> from occstats.stats import cluster_weights
    >>> cluster_weights(["iris", "iris", "wine", "iris", "iris"]).tolist()
    [0.125, 0.125, 0.5, 0.125, 0.125]
    """
    found = Clusters.of(clusters)
    if found.n_clusters == 0:
        raise ArgumentError("clusters must hold at least one task; got none.")
    return found.weights


def weighted_means(means: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the mean of cluster means for each row of counts; missing clusters have no weight."""
    present = ~np.isnan(means)
    if present.all() and counts.any(axis=1).all():
        return np.asarray(counts @ means / counts.sum(axis=1, keepdims=True))
    weights = counts @ present.astype(float)
    sums = counts @ np.where(present, means, 0.0)
    return np.asarray(np.divide(sums, weights, out=np.full_like(sums, np.nan), where=weights > 0))


def means_without(means: FloatArray, suites: Clusters | None = None) -> FloatArray:
    """Return the mean of all cluster means, then the mean without each cluster (or suite)."""
    present = ~np.isnan(means)
    values = np.where(present, means, 0.0)
    sums, counts = values.sum(axis=0), present.sum(axis=0)
    own, own_counts = (values, present) if suites is None else map(suites.sums, (values, present))
    tops = np.vstack([sums, sums - own])
    bottoms = np.vstack([counts, counts - own_counts])
    unknown = np.full(tops.shape, np.nan)
    return np.asarray(np.divide(tops, bottoms, out=unknown, where=bottoms > 0))


def effective_units(means: FloatArray, suites: Clusters | None = None) -> FloatArray:
    """Return the number of independent units of equal size that carry the same information.

    Clusters in suites of sizes n are worth (Σn)² / Σn² suites (Kish 1965).
    """
    present = (~np.isnan(means)).astype(float)
    if suites is None:
        return np.asarray(present.sum(axis=0))
    sizes = suites.sums(present)
    squares = (sizes**2).sum(axis=0)
    whole = sizes.sum(axis=0) ** 2
    return np.asarray(np.divide(whole, squares, out=np.zeros_like(squares), where=squares > 0))


def mean_errors(
    means: FloatArray, counts: FloatArray, suites: Clusters | None = None
) -> FloatArray:
    r"""Return the standard error of the mean of cluster means for each row of counts.

    With M clusters it is :math:`\sqrt{\sum_i (x_i - \bar x)^2 / (M (M - 1))}`; with N clusters in
    M suites f it is that of a ratio,
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
            # Clusters in the same suite have the same count.
            counts = counts[:, np.unique(suites.codes, return_index=True)[1]]
            sizes, sums = suites.sums(present), suites.sums(deviations)
            units = counts @ (sizes > 0)
            crossed = counts @ (sums * sizes)
            squares = counts @ sums**2 - 2 * first * crossed + first**2 * (counts @ sizes**2)
            variance = np.maximum(squares, 0.0) * units / (units - 1) / weights**2
        tiny = variance <= 1e-30 + 1e-24 * np.max(deviations**2, axis=0)
    return np.asarray(np.where(units >= 2, np.where(tiny, 0.0, np.sqrt(variance)), np.nan))


def intraclass_correlation(
    between: FloatArray,
    squares: FloatArray,
    total: FloatArray,
    squared_sizes: FloatArray,
    n: FloatArray,
    m: FloatArray,
) -> FloatArray:
    r"""Return the intraclass correlation ρ from sums; NaN where it is not defined.

    The analysis-of-variance estimator (Donner 1986), truncated at 0: :math:`\sigma_b^2 /
    (\sigma_b^2 + MSW)` with :math:`\sigma_b^2 = (MSB - MSW)/g_0` and :math:`g_0 = (N - \sum
    g_i^2/N)/(m - 1)`. It needs two clusters, one with two values. `between` is the sum over
    clusters of the squared sum divided by the size.

    Examples
    --------
    Two clusters with the values 1, 2 and 4, 5:

    >>> sums = (3**2 / 2 + 9**2 / 2, 1 + 4 + 16 + 25, 12.0, 8.0, 4.0, 2.0)
    >>> float(intraclass_correlation(*(np.array([value]) for value in sums))[0].round(4))
    0.8947
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_square_between = (between - total**2 / n) / (m - 1)
        mean_square_within = np.maximum(0.0, squares - between) / (n - m)
        typical_size = (n - squared_sizes / n) / (m - 1)
        spread = (mean_square_between - mean_square_within) / typical_size
        rho = np.clip(spread / (spread + mean_square_within), 0.0, 1.0)
    return np.where((m < 2) | (n == m), np.nan, rho)
