"""Tasks grouped by cluster, with vectorised sums over clusters.

Clusters (datasets) may be grouped in suites. Each dataset keeps its weight, shared by its tasks,
but only suites are independent: signs of whole suites are flipped, and whole suites are resampled
and left out.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, IntArray, cluster_codes

# Tasks × columns that are copied at once: half a megabyte.
_CACHED_ELEMENTS = 64_000


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which task belongs to which cluster.

    Clusters are numbered in the sorted order of their labels, so that nothing that is computed
    from them (seeded resampling included) depends on the order of the rows.

    Attributes
    ----------
    labels : ndarray
        The distinct labels, sorted.
    codes : ndarray of int
        For each task, the position of its cluster in `labels`.
    suites : Clusters or None
        Which cluster belongs to which suite; None where clusters are independent.

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
        values = np.asarray(values)
        if values.ndim == 1 or values.flags.c_contiguous:
            return np.asarray(self._members @ values.astype(float, copy=False))
        # scipy copies what is not row by row in memory: a few columns at a time stay in the cache.
        step = max(1, _CACHED_ELEMENTS // max(1, len(values)))
        found = np.empty((self.n_clusters, values.shape[1]))
        for start in range(0, values.shape[1], step):
            part = slice(start, start + step)
            found[:, part] = self._members @ values[:, part].astype(float, copy=False)
        return found

    def means(self, values: ArrayLike) -> FloatArray:
        """Average the rows of each cluster without NaN; NaN where all are missing."""
        values = np.asarray(values, dtype=float)
        present = ~np.isnan(values)
        counts = self.sums(present)
        sums = self.sums(np.where(present, values, 0.0))
        return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)

    def keep(self, tasks: NDArray[np.bool_] | IntArray) -> "Clusters":
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
