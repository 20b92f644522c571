"""Average localised proximity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._threads import over_threads
from occstats_descriptors.base import Vector
from occstats_descriptors.neighbour_descriptor import NeighbourDescriptor
from occstats_descriptors.neighbours import Neighbours
from occstats_descriptors.sizes import Size, log_multiple, resolve
from occstats_descriptors.weights import Weights, resolve_weights

__all__ = ["ALP"]

CHUNK = 512


class ALP(NeighbourDescriptor):
    r"""
    Average localised proximity.

    The i-th neighbour distance of y is compared with the local i-th neighbour distance, a weighted
    mean over the l nearest training rows of y; the proximities at the k scales are combined
    by an ordered weighted average, a soft maximum:

    .. math::

       D_i(y) = \sum_{j \le l} w^l_j \, d_i(NN_j(y)), \qquad
       lp_i(y) = \frac{D_i(y)}{D_i(y) + d_i(y)}, \qquad
       \text{score} = \sum_{i \le k} w^k_i \, lp_{(i)}(y),

    where :math:`lp_{(i)}` is the i-th largest of the localised proximities and 0/0 counts as ½.

    Parameters
    ----------
    k : int or rule, default log_multiple(5.5)
        Number of scales: an integer in [1, n − 1], or a rule.
    l : int or rule, default log_multiple(6.0)
        Number of neighbours that localise: an integer in [1, n], or a rule.
    weights : {"linear", "equal"}, callable or array-like
        Weights :math:`w^k` of the ordered proximities, from the largest on. A callable is given
        the length. They must not increase, and sum to 1.
    local_weights : {"linear", "equal"}, callable or array-like
        Weights :math:`w^l` of the neighbours, from the nearest on.
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
    k_, l_ : int
        The sizes used.
    n_neighbours_ : int
        Number of neighbours that a score needs: the larger of them.
    offset_ : float
        Threshold on the score; a training row is not its own neighbour in the training scores
        behind it. With l = n, these lack the last neighbour, and the weights of the others are
        scaled to sum to 1.

    Notes
    -----
    With k = l = 1, ALP is LNND with k = 1. With k = 1, l = n and equal weights, it orders rows as
    NND with k = 1.

    References
    ----------
    O. U. Lenz, D. Peralta, C. Cornelis (2021). Average Localised Proximity: A new data descriptor
    with good default one-class classification performance. Pattern Recognition 118, 107991.

    Examples
    --------
    >>> from occstats_descriptors import ALP
    >>> ALP().fit([[0.0], [1.0], [3.0], [6.0]])
    ALP()
    >>> alp = ALP(k=3, l=2).fit([[0.0], [1.0], [3.0], [6.0]])
    >>> alp.score_samples([[2.0], [20.0]]).round(3)
    array([0.673, 0.199])
    """

    def __init__(
        self,
        *,
        k: Size = log_multiple(5.5),  # noqa: B008 - a frozen value
        l: Size = log_multiple(6.0),  # noqa: B008, E741 - the paper's name
        weights: Weights = "linear",
        local_weights: Weights = "linear",
        metric: str = "manhattan",
        p: float = 2.0,
        contamination: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.l = l
        self.weights = weights
        self.local_weights = local_weights
        self.metric = metric
        self.p = p
        self.contamination = contamination
        self.n_jobs = n_jobs

    def training_neighbours(self, n: int) -> int:
        """Say how many neighbours of each of n training rows `fit` needs: k."""
        return resolve(self.k, n)

    def query_neighbours(self, n: int) -> int:
        """Say how many neighbours among n training rows a score needs: the larger of k and l."""
        return max(resolve(self.k, n), resolve(self.l, n, name="l", maximum=n))

    def _fit_neighbours(self) -> None:
        n = self._search.n
        self.k_ = resolve(self.k, n)
        self.l_ = resolve(self.l, n, name="l", maximum=n)
        self._weights = resolve_weights(self.weights, self.k_)
        self._local_weights = resolve_weights(self.local_weights, self.l_, name="local_weights")
        self._search.training(self.k_)

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return self._proximities(near, self._local_weights)

    def _proximities(self, near: Neighbours, local_weights: Vector) -> Vector:
        from occstats_descriptors._alp_kernel import average_localised_proximity

        scores = np.empty(len(near.distances))
        training = self._search.training(self.k_).distances

        def work(rows: NDArray[np.int64]) -> None:
            part = slice(rows[0], rows[-1] + 1)
            average_localised_proximity(
                near.distances[part], near.indices[part], training, self._weights, local_weights,
                scores[part],
            )  # fmt: skip

        over_threads(work, np.arange(len(scores)), CHUNK, self._search.threads)
        return scores

    def _training_scores(self) -> Vector:
        n = self._search.n
        local_weights = self._local_weights[: n - 1]
        near = self._search.training(min(self.n_neighbours_, n - 1))
        return self._proximities(near, local_weights / local_weights.sum())
