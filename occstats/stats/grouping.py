"""Tasks gathered by cluster, so that sums over clusters are one vectorised call."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from occstats.stats._checks import FloatArray, as_scores, cluster_codes, round_to_grid

Array = FloatArray


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which task belongs to which cluster.

    Clusters are numbered in the sorted order of their labels, so that nothing that is computed
    from a `Grouping` (seeded resampling included) depends on the order of the rows.

    Attributes
    ----------
    labels : ndarray
        The distinct labels, sorted.
    codes : ndarray of int
        For each task, the position of its cluster in `labels`.
    sizes : ndarray of int
        Tasks per cluster.
    """

    labels: NDArray[Any]
    codes: NDArray[np.intp]
    sizes: NDArray[np.intp]
    _order: NDArray[np.intp]
    _starts: NDArray[np.intp]

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.labels)

    def sums(self, values: ArrayLike) -> Array:
        """Sum the rows of `values` within each cluster: clusters × columns."""
        return np.add.reduceat(np.asarray(values, dtype=float)[self._order], self._starts, axis=0)

    def means(self, values: ArrayLike) -> Array:
        """Mean of each cluster's rows, without the missing ones; NaN where all are missing."""
        values = np.asarray(values, dtype=float)
        present = ~np.isnan(values)
        counts = self.sums(present)
        sums = self.sums(np.where(present, values, 0.0))
        return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def group(clusters: ArrayLike) -> Grouping:
    """Gather tasks by their cluster labels.

    Examples
    --------
    >>> grouping = group(["iris", "wine", "iris"])
    >>> grouping.labels.tolist(), grouping.sizes.tolist()
    (['iris', 'wine'], [2, 1])
    >>> grouping.means([[1.0], [5.0], [2.0]]).ravel().tolist()
    [1.5, 5.0]
    """
    names = np.asarray(clusters)
    codes, n_clusters = cluster_codes(names, len(names))
    sizes = np.bincount(codes, minlength=n_clusters)
    first = np.full(n_clusters, len(names))
    np.minimum.at(first, codes, np.arange(len(names)))
    labels = names[first]
    return Grouping(
        labels=labels,
        codes=codes,
        sizes=sizes,
        _order=np.argsort(codes, kind="stable"),
        _starts=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp),
    )


def upper_pairs(n_algorithms: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Positions (a, b), a < b, of all pairs of algorithms.

    Examples
    --------
    >>> [list(map(int, positions)) for positions in upper_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(n_algorithms, 1)
    return first, second


def pair_differences(scores: ArrayLike, tie_tolerance: float = 0.0) -> tuple[Array, Array]:
    """Differences of all pairs a < b, tasks × pairs: as they are, and in units of the tolerance.

    0.3 − 0.2 and 0.2 − 0.1 differ in their last bit; in whole units of `tie_tolerance` they are
    equal. With 0 both are the raw differences.

    Examples
    --------
    >>> _, x = pair_differences([[0.3, 0.2], [0.2, 0.1]], tie_tolerance=1e-9)
    >>> bool(x[0, 0] == x[1, 0])
    True
    """
    columns = as_scores("scores", scores, allow_nan=True)
    first, second = upper_pairs(columns.shape[1])
    differences = columns[:, first] - columns[:, second]
    return differences, round_to_grid(differences, tie_tolerance)


def antisymmetric(upper: Array, n_algorithms: int) -> Array:
    """Matrix [a, b] from the values of the pairs a < b: value above, minus value below."""
    return mirror(upper, -upper, n_algorithms, 0.0)


def mirror(upper: Array, lower: Array, n_algorithms: int, diagonal: float) -> Array:
    """Matrix [a, b] from the values of the pairs (a, b) and of the same pairs turned round."""
    matrix = np.full((n_algorithms, n_algorithms), diagonal, dtype=float)
    first, second = upper_pairs(n_algorithms)
    matrix[first, second] = upper
    matrix[second, first] = lower
    return matrix
