"""Nearest neighbour distance."""

from __future__ import annotations

from occstats_descriptors.base import Vector
from occstats_descriptors.neighbour_descriptor import NeighbourDescriptor
from occstats_descriptors.neighbours import Neighbours
from occstats_descriptors.sizes import Size, resolve

__all__ = ["NND"]


class NND(NeighbourDescriptor):
    r"""
    Nearest neighbour distance.

    With :math:`d_k(y)` the distance of y to its k-th nearest training row, the score is

    .. math:: \frac{1}{1 + d_k(y)}.

    Parameters
    ----------
    k : int or rule, default 1
        Which neighbour: an integer in [1, n], or a rule such as ``log_multiple(0.5)``.
    metric : {"manhattan", "euclidean", "minkowski"}
        Metric.
    p : float, default 2
        Exponent of the Minkowski metric.
    contamination : float, default 0.1
        Share of the training rows below the threshold ``offset_``.
    n_jobs : int, optional
        Number of threads; by default two. Scores do not depend on it.

    Attributes
    ----------
    k_ : int
        The neighbour used.
    n_neighbours_ : int
        Number of neighbours that a score needs.
    offset_ : float
        Threshold on the score. A training row is not its own neighbour in the training scores
        behind it; a row scored as a new one that equals a training row has a neighbour
        at distance 0, so that with k = 1 all training rows are accepted.

    References
    ----------
    E. M. Knorr, R. T. Ng (1997). A unified notion of outliers: properties and computation. KDD-97,
    219-222.

    Examples
    --------
    >>> from occstats_descriptors import NND
    >>> nnd = NND().fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> nnd.score_samples([[0.0, 0.0], [1.0, 1.0], [3.0, 1.0]])
    array([1.  , 0.5 , 0.25])
    """

    def __init__(
        self,
        *,
        k: Size = 1,
        metric: str = "manhattan",
        p: float = 2.0,
        contamination: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.metric = metric
        self.p = p
        self.contamination = contamination
        self.n_jobs = n_jobs

    def training_neighbours(self, n: int) -> int:
        """Say how many neighbours of each of n training rows `fit` needs: none."""
        return 0

    def query_neighbours(self, n: int) -> int:
        """Say how many neighbours among n training rows a score needs: k."""
        return resolve(self.k, n, maximum=n)

    def _fit_neighbours(self) -> None:
        self.k_ = self.n_neighbours_

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return 1 / (1 + near.distances[:, self.k_ - 1])

    def _training_scores(self) -> Vector:
        k = min(self.k_, self._search.n - 1)
        return 1 / (1 + self._search.training(k).distances[:, k - 1])
