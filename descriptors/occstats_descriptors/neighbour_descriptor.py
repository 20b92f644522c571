"""What the four descriptors that look at nearest neighbours have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from occstats_descriptors.base import Descriptor, Matrix, Vector
from occstats_descriptors.neighbours import Neighbours, NeighbourSearch

__all__ = ["NeighbourDescriptor"]


class NeighbourDescriptor(Descriptor):
    """
    Base of NND, LNND, LOF and ALP: scores are functions of nearest neighbours.

    A subclass has the parameters `metric`, `p`, `n_jobs` and `contamination`, and implements

    - ``_resolve(n)``: set its sizes for n training rows as attributes, after checking them;
    - ``_fit_neighbours()``: take what it needs from ``self._search.training``;
    - ``_score_neighbours(near)``: scores from at least ``n_neighbours_`` neighbours of each row;
    - ``_training_scores()``;
    - ``training_neighbours(n)`` and ``query_neighbours(n)``: the widest searches it needs.
    """

    metric: str
    p: float
    n_jobs: int | None
    n_neighbours_: int
    _minimum_rows = 2
    _search: NeighbourSearch

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
        if neighbours is not None and not neighbours.matches(checked, self.metric, self.p):
            raise ValueError(
                f"neighbours must be a search over the rows of X with metric={self.metric!r}, "
                f"got {neighbours!r}."
            )
        self._prepared = neighbours
        self._fit(checked)
        del self._prepared
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

    @abstractmethod
    def training_neighbours(self, n: int) -> int:
        """Say how many neighbours of each of n training rows `fit` needs (0: none)."""

    @abstractmethod
    def query_neighbours(self, n: int) -> int:
        """Say how many neighbours among n training rows a score needs."""

    @abstractmethod
    def _fit_neighbours(self) -> None: ...

    @abstractmethod
    def _score_neighbours(self, near: Neighbours) -> Vector: ...

    def _fit(self, X: Matrix) -> None:
        search = self._prepared
        self.n_neighbours_ = self.query_neighbours(len(X))
        if search is None:
            search = NeighbourSearch(X, metric=self.metric, p=self.p, n_jobs=self.n_jobs)
        self._search = search
        self._fit_neighbours()

    def _score(self, X: Matrix) -> Vector:
        return self._score_neighbours(self._search.query(X, self.n_neighbours_))


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
