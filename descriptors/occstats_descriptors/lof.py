"""Local outlier factor."""

from __future__ import annotations

import numpy as np

from occstats_descriptors._kernels import Matrix, Vector
from occstats_descriptors.neighbours import NeighbourDescriptor, Neighbours
from occstats_descriptors.sizes import Size, log_multiple


class LOF(NeighbourDescriptor):
    r"""
    Local outlier factor: the density around a row, relative to the density around its neighbours.

    With the reachability distance :math:`rd_k(y, x) = \max(d(y, x), d_k(x))` and the local
    reachability density :math:`lrd_k(y) = 1 / \frac{1}{k}\sum_{i \le k} rd_k(y, NN_i(y))`,

    .. math:: lof_k(y) = \frac{1}{k} \sum_{j \le k} \frac{lrd_k(NN_j(y))}{lrd_k(y)},
       \qquad \text{score} = \frac{1}{1 + lof_k(y)}.

    A ratio of two infinite densities (a point among at least k duplicates) counts as 1.

    Parameters
    ----------
    k : int or rule, default log_multiple(2.5)
        Number of neighbours: an integer in [1, n − 1], or a rule.
    metric : {"manhattan", "euclidean"}, default 'manhattan'
        Distance metric.
    n_jobs : int or None, default None
        Number of threads; −1 for all cores, None for two. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    k_ : int
        The number of neighbours used.
    n_neighbours_ : int
        Number of neighbours that a score needs.
    offset_ : float
        Threshold on the score, from training scores in which a row is not its own neighbour.

    Notes
    -----
    Among equidistant rows, those that come first in the training data are the nearest.

    References
    ----------
    M. M. Breunig, H.-P. Kriegel, R. T. Ng, J. Sander (2000). LOF: identifying density-based local
    outliers. SIGMOD 2000, 93-104.

    Examples
    --------
    >>> from occstats.descriptors import LOF
    >>> lof = LOF(k=2).fit([[0.0], [1.0], [2.0], [4.0]])
    >>> lof.score_samples([[1.0], [9.0]]).round(3)
    array([0.533, 0.238])
    """

    def __init__(
        self,
        *,
        k: Size = log_multiple(2.5),  # noqa: B008 - a frozen value
        metric: str = "manhattan",
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(k=k, metric=metric, n_jobs=n_jobs, contamination=contamination)

    def _fit_neighbours(self) -> None:
        training = self._search.training(self.k_)
        self._reach = training.distances[:, -1].copy()
        self._mean_reachability = self._mean_reachability_of(training)

    def _mean_reachability_of(self, near: Neighbours) -> Vector:
        reachability: Matrix = np.maximum(near.distances, self._reach[near.indices])
        # divided first, so that the sum of distances near the largest number is finite
        mean: Vector = (reachability / self.k_).sum(axis=1)
        return mean

    def _score_neighbours(self, near: Neighbours) -> Vector:
        own = self._mean_reachability_of(near)[:, None]
        local = self._mean_reachability[near.indices]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            factors = own / local
        factors[np.isnan(factors)] = 1
        scores: Vector = 1 / (1 + factors.mean(axis=1))
        return scores
