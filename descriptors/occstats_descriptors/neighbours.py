"""Nearest neighbours, shared by the descriptors that are functions of them, and their base."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from occstats_descriptors._kernels import Integers, Matrix, Vector
from occstats_descriptors._kernels.threads import for_each_block, thread_count
from occstats_descriptors.base import Descriptor
from occstats_descriptors.sizes import Size, resolve

METRICS = ("manhattan", "euclidean")
BLOCK = 4_000_000  # distances held at a time
# Pairs of rows up to which sorting all distances takes at most milliseconds; the compiled search
# takes seconds to compile. It inserts neighbours one by one, which is slow if there are many.
FEW_PAIRS, MANY_NEIGHBOURS = 20_000, 300


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    """
    The k nearest training rows of some rows, nearest first, ties in the order of the training rows.

    Attributes
    ----------
    distances : ndarray of shape (rows, k)
        Distances to the neighbours.
    indices : ndarray of shape (rows, k)
        Row indices of the neighbours in the training data.
    """

    distances: Matrix
    indices: Integers

    @property
    def k(self) -> int:
        """Return the number of neighbours per row."""
        return int(self.distances.shape[1])

    def first(self, k: int) -> Neighbours:
        """Return the k nearest of the neighbours, without a copy."""
        if not 1 <= k <= self.k:
            raise ValueError(f"k must be in [1, {self.k}], the neighbours searched for, got k={k}.")
        return Neighbours(self.distances[:, :k], self.indices[:, :k])

    def __repr__(self) -> str:
        return f"Neighbours({len(self.distances)} rows, k={self.k})"


class NeighbourSearch:
    """
    Exact nearest neighbours among training rows, to be shared by descriptors and sizes.

    Neighbours are ordered by (distance, row), so that the k nearest are the first k of a search for
    more. A training row is excluded from its own neighbours by its index, and its duplicates are
    not. Distances are sums in the order of the attributes: bitwise the same for the same pair of
    rows, for any number of rows, queries or threads.

    Parameters
    ----------
    X : array-like of shape (n, m)
        Training rows, at least two.
    metric : {"manhattan", "euclidean"}, default 'manhattan'
        Distance metric.
    n_jobs : int, optional
        Number of threads; −1 means all cores. By default two, or one if there is only one core.
        Results do not depend on it.

    Examples
    --------
    >>> from occstats.descriptors import NeighbourSearch
    >>> search = NeighbourSearch([[0.0], [1.0], [3.0], [3.0]])
    >>> search.training(2).indices
    array([[1, 2], [0, 2], [3, 1], [2, 1]])
    >>> search.query([[2.5]], 3).distances
    array([[0.5, 0.5, 1.5]])

    Several descriptors from one search on each side:

    >>> from occstats.descriptors import ALP, NND
    >>> X = [[0.0], [1.0], [3.0], [3.5]]
    >>> search = NeighbourSearch(X)
    >>> near = search.query([[2.0]], 2)
    >>> nnd = NND(k=1).fit(X, neighbours=search)
    >>> alp = ALP(k=2, l=2).fit(X, neighbours=search)
    >>> nnd.score_neighbours(near), alp.score_neighbours(near).round(3)
    (array([0.5]), array([0.596]))
    """

    def __init__(
        self, X: ArrayLike, *, metric: str = "manhattan", n_jobs: int | None = None
    ) -> None:
        if metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}.")
        self.X: Matrix = check_array(
            X, dtype=np.float64, order="C", ensure_min_samples=2, copy=True
        )
        self.metric = metric
        self.threads = thread_count(n_jobs, at_most=2)
        self._blocks: Any = None
        self._training: Neighbours | None = None

    @property
    def n(self) -> int:
        """Return the number of training rows."""
        return len(self.X)

    def training(self, k: int) -> Neighbours:
        """
        Find the neighbours of the training rows among each other.

        The widest search so far is stored, and narrower ones are taken from it.

        Parameters
        ----------
        k : int
            Number of neighbours in [1, n − 1].
        """
        self._check_k(k, self.n - 1)
        if self._training is None or self._training.k < k:
            self._training = self._search(self.X, k, np.arange(self.n))
        return self._training.first(k)

    def query(self, Y: ArrayLike, k: int) -> Neighbours:
        """
        Find the training neighbours of new rows.

        Parameters
        ----------
        Y : array-like of shape (rows, m)
            New rows; one that equals a training row has it as a neighbour at distance 0.
        k : int
            Number of neighbours in [1, n].
        """
        self._check_k(k, self.n)
        checked: Matrix = check_array(Y, dtype=np.float64, order="C")
        if checked.shape[1] != self.X.shape[1]:
            raise ValueError(
                f"Y has {checked.shape[1]} features, but NeighbourSearch is expecting "
                f"{self.X.shape[1]} features as input."
            )
        return self._search(checked, k, np.full(len(checked), -1))

    def _search(self, queries: Matrix, k: int, excluded: Integers) -> Neighbours:
        squared = self.metric == "euclidean"
        if self.n * len(queries) <= FEW_PAIRS or k > MANY_NEIGHBOURS:
            distances, indices = _by_sorting(self.X, squared, queries, k, excluded, self.threads)
        else:
            if self._blocks is None:
                # Imported here, so that importing the package does not import numba.
                from occstats_descriptors._kernels.block_search import BlockSearch

                self._blocks = BlockSearch(self.X, squared=squared, threads=self.threads)
            distances, indices = self._blocks.search(queries, k, excluded)
        if squared:
            np.sqrt(distances, out=distances)
        return Neighbours(distances, indices)

    @staticmethod
    def _check_k(k: int, limit: int) -> None:
        if not 1 <= k <= limit:
            raise ValueError(f"k must be in [1, {limit}] here, got k={k}.")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_blocks": None}

    def __repr__(self) -> str:
        n, m = self.X.shape
        return f"NeighbourSearch({n} × {m}, metric={self.metric!r})"


def _by_sorting(
    X: Matrix, squared: bool, queries: Matrix, k: int, excluded: Integers, threads: int
) -> tuple[Matrix, Integers]:
    """Find the k nearest rows of each query, except for the row `excluded` (−1: none)."""
    distances = np.empty((len(queries), k))
    indices = np.empty((len(queries), k), dtype=np.int64)

    def work(rows: slice) -> None:
        # The terms in the order of the attributes: the same bits as the compiled search.
        every = np.zeros((len(queries[rows]), len(X)))
        with np.errstate(over="ignore"):
            for attribute in range(X.shape[1]):
                gap = queries[rows, attribute, None] - X[:, attribute]
                every += gap * gap if squared else np.abs(gap)
        own = np.flatnonzero(excluded[rows] >= 0)
        every[own, excluded[rows][own]] = np.nan  # sorts after infinity
        # A stable sort keeps equal distances in the order of rows.
        indices[rows] = np.argsort(every, axis=1, kind="stable")[:, :k]
        distances[rows] = np.take_along_axis(every, indices[rows], axis=1)

    for_each_block(work, len(queries), max(1, BLOCK // len(X)), threads)
    return distances, indices


class NeighbourDescriptor(Descriptor):
    """
    Base of NND, LNND, LOF and ALP: scores are functions of nearest neighbours.

    A subclass implements ``_score_neighbours(near)``, which returns scores from the
    ``n_neighbours_`` nearest training rows of each row. It may override

    - ``training_neighbours(n)`` and ``query_neighbours(n)``, the widest searches that it needs;
    - ``_fit_neighbours()``, which stores functions of ``self._search.training``;
    - ``_training_scores()``.

    Its parameters are documented in the subclasses.
    """

    def __init__(
        self,
        *,
        k: Size = 1,
        metric: str = "manhattan",
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(contamination=contamination)
        self.k = k
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: object = None, *, neighbours: NeighbourSearch | None = None
    ) -> Self:
        """
        Describe the target class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Target rows; finite numbers, at least two rows.
        y : array-like of shape (n_samples,), optional
            Labels, which are ignored: a `MixedClassesWarning` is issued if they differ.
        neighbours : NeighbourSearch, optional
            A search over the same rows with the same metric, to be shared with other descriptors.

        Returns
        -------
        self
        """
        checked = self._checked_training(X, y)
        if neighbours is None:
            self._fit(checked)
        elif neighbours.metric == self.metric and np.array_equal(neighbours.X, checked):
            self._fit_search(neighbours)
        else:
            raise ValueError(
                f"neighbours must be a search over the rows of X with metric={self.metric!r}, "
                f"got {neighbours!r}."
            )
        return self

    def score_neighbours(self, near: Neighbours) -> Vector:
        """
        Score rows whose neighbours among the training rows are known.

        Parameters
        ----------
        near : Neighbours
            Result of ``NeighbourSearch.query`` for at least ``n_neighbours_`` neighbours.

        Returns
        -------
        ndarray of shape (rows,)
            Scores in [0, 1], equal to those of `score_samples`.
        """
        check_is_fitted(self)
        return self._score_neighbours(near.first(self.n_neighbours_))

    def training_neighbours(self, n: int) -> int:
        """Return the number of neighbours of each of n training rows that `fit` needs."""
        return resolve(self.k, n)

    def query_neighbours(self, n: int) -> int:
        """Return the number of neighbours among n training rows that a score needs."""
        return resolve(self.k, n)

    @abstractmethod
    def _score_neighbours(self, near: Neighbours) -> Vector: ...

    def _fit_neighbours(self) -> None:
        """Store what scores need of the neighbours of the training rows: nothing by default."""

    def _fit(self, X: Matrix) -> None:
        self._fit_search(NeighbourSearch(X, metric=self.metric, n_jobs=self.n_jobs))

    def _fit_search(self, search: NeighbourSearch) -> None:
        self.n_neighbours_ = self.query_neighbours(search.n)
        self.k_ = resolve(self.k, search.n, maximum=self.n_neighbours_)
        self._search = search
        self._fit_neighbours()

    def _score(self, X: Matrix) -> Vector:
        return self._score_neighbours(self._search.query(X, self.n_neighbours_))

    def _training_scores(self) -> Vector:
        k = min(self.n_neighbours_, self._search.n - 1)
        return self._score_neighbours(self._search.training(k))


def ratio(local: Matrix, distance: Matrix) -> Matrix:
    """
    Return the proximity ``local / (local + distance)``, which is 1/(1 + z) of z = distance / local.

    A ratio 0/0 or ∞/∞ counts as 1, so that the proximity is ½.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        local, distance = local / 2, distance / 2  # so that the sum is finite
        proximity: Matrix = local / (local + distance)
    return np.where(np.isnan(proximity), 0.5, proximity)
