"""What the four descriptors that look at nearest neighbours have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from occstats_descriptors.base import Descriptor, Matrix, Vector, parameter
from occstats_descriptors.neighbours import Neighbours, NeighbourSearch
from occstats_descriptors.sizes import Size, resolve

__all__ = ["NeighbourDescriptor"]

NEIGHBOURS = {"k": "count", "a": "log"}
"""The scales in which a number of neighbours is tuned."""


class NeighbourDescriptor(Descriptor):
    """
    Base of NND, LNND, LOF and ALP: scores are functions of nearest neighbours.

    A subclass declares its size `k` and implements ``_score_neighbours(near)``, the scores from the
    ``n_neighbours_`` nearest training rows of each row. Where needed it overrides

    - ``training_neighbours(n)`` and ``query_neighbours(n)``, the widest searches it needs;
    - ``_fit_neighbours()``, which takes what it needs from ``self._search.training``;
    - ``_training_scores()``.
    """

    k: Size = parameter(
        default=1, kind="int or rule", meaning="Number of neighbours.", scales=NEIGHBOURS
    )
    metric: str = parameter(
        default="manhattan", kind='{"manhattan", "euclidean", "minkowski"}', meaning="Metric."
    )
    p: float = parameter(
        default=2.0,
        kind="float",
        meaning="Exponent of the Minkowski metric, at least 1; the others do not use it.",
    )
    n_jobs: int | None = parameter(
        default=None,
        kind="int or None",
        meaning="Number of threads; by default two. Scores do not depend on it.",
    )

    _minimum_rows = 2
    _attributes: ClassVar[dict[str, str]] = {
        "k_ : int": "The size used.",
        "n_neighbours_ : int": "Number of neighbours that a score needs.",
        "offset_ : float": "Threshold on the score; a training row is not its own neighbour in the "
        "training scores behind it.",
    }

    def fit(
        self, X: ArrayLike, y: object = None, *, neighbours: NeighbourSearch | None = None
    ) -> Self:
        """
        Describe the target class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Target rows; finite numbers, at least two rows.
        y : ignored
            Present for the API.
        neighbours : NeighbourSearch, optional
            A search over the same rows with the same metric, to be shared with other descriptors.

        Returns
        -------
        self
        """
        checked = self._checked_training(X)
        if neighbours is None:
            self._fit(checked)
        elif neighbours.matches(checked, self.metric, self.p):
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
            What `score_samples` gives for these rows.
        """
        check_is_fitted(self)
        return self._score_neighbours(near.first(self.n_neighbours_))

    def training_neighbours(self, n: int) -> int:
        """Say how many neighbours of each of n training rows `fit` needs (0: none)."""
        return resolve(self.k, n)

    def query_neighbours(self, n: int) -> int:
        """Say how many neighbours among n training rows a score needs."""
        return resolve(self.k, n)

    @abstractmethod
    def _score_neighbours(self, near: Neighbours) -> Vector: ...

    def _fit_neighbours(self) -> None:
        """Take what scores need from the neighbours of the training rows: nothing."""

    def _fit(self, X: Matrix) -> None:
        self._fit_search(NeighbourSearch(X, metric=self.metric, p=self.p, n_jobs=self.n_jobs))

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
    Proximity ``local / (local + distance)``: the map 1/(1 + z) of the localised distance z.

    0/0 counts as the localised distance 1, that is the proximity ½; so do two distances beyond the
    largest number.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        local, distance = local / 2, distance / 2  # the sum stays finite
        proximity: Matrix = local / (local + distance)
    return np.where(np.isnan(proximity), 0.5, proximity)
