"""Average localised proximity, and the weights of its averages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from occstats_descriptors._kernels import Vector
from occstats_descriptors._kernels.threads import for_each_block
from occstats_descriptors.neighbours import NeighbourDescriptor, Neighbours
from occstats_descriptors.sizes import Size, log_multiple, resolve

Weights = str | Callable[[int], ArrayLike] | ArrayLike
CHUNK = 512


class ALP(NeighbourDescriptor):
    r"""
    Average localised proximity: neighbour distances relative to local ones, over k scales.

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
    l : int or rule, default log_multiple(6)
        Number of neighbours that localise: an integer in [1, n], or a rule.
    weights : {"linear", "equal"}, callable or array-like, default 'linear'
        Weights :math:`w^k` of the proximities, in decreasing order of proximity. A callable takes
        the number of weights. Weights must not increase, and must sum to 1.
    local_weights : {"linear", "equal"}, callable or array-like, default 'linear'
        Weights :math:`w^l` of the neighbours, from nearest to farthest.
    metric : {"manhattan", "euclidean"}, default 'manhattan'
        Distance metric.
    n_jobs : int or None, default None
        Number of threads; −1 for all cores, None for two. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    k_ : int
        The number of scales used.
    l_ : int
        The number of localising neighbours used.
    n_neighbours_ : int
        Number of neighbours that a score needs: the larger of the two.
    offset_ : float
        Threshold on the score, from training scores in which a row is not its own neighbour. With
        l = n, these lack the last neighbour, and the other weights are scaled to sum to 1.

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
    >>> from occstats.descriptors import ALP
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
        l: Size = log_multiple(6.0),  # noqa: B008, E741 - a frozen value; the paper's name
        weights: Weights = "linear",
        local_weights: Weights = "linear",
        metric: str = "manhattan",
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(k=k, metric=metric, n_jobs=n_jobs, contamination=contamination)
        self.l = l
        self.weights = weights
        self.local_weights = local_weights

    def query_neighbours(self, n: int) -> int:
        """Return the number of neighbours that a score needs: the larger of k and l."""
        return max(resolve(self.k, n), resolve(self.l, n, name="l", maximum=n))

    def _fit_neighbours(self) -> None:
        n = self._search.n
        self.l_ = resolve(self.l, n, name="l", maximum=n)
        self._weights = resolve_weights(self.weights, self.k_)
        self._local_weights = resolve_weights(self.local_weights, self.l_, name="local_weights")
        self._search.training(self.k_)

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return self._proximities(near, self._local_weights)

    def _proximities(self, near: Neighbours, local_weights: Vector) -> Vector:
        from occstats_descriptors._kernels.localised_proximity import average_localised_proximity

        scores = np.empty(len(near.distances))
        training = self._search.training(self.k_).distances

        def work(part: slice) -> None:
            average_localised_proximity(
                near.distances[part], near.indices[part], training, self._weights, local_weights,
                scores[part],
            )  # fmt: skip

        for_each_block(work, len(scores), CHUNK, self._search.threads)
        return scores

    def _training_scores(self) -> Vector:
        n = self._search.n
        local_weights = self._local_weights[: n - 1]
        near = self._search.training(min(self.n_neighbours_, n - 1))
        return self._proximities(near, local_weights / local_weights.sum())


def linear_weights(length: int) -> Vector:
    r"""
    Return linearly decreasing weights :math:`\frac{p}{p(p+1)/2}, \frac{p-1}{p(p+1)/2}, \dots`.
    """
    return np.arange(length, 0, -1) / (length * (length + 1) / 2)


def equal_weights(length: int) -> Vector:
    r"""Return equal weights :math:`\frac{1}{p}`."""
    return np.full(length, 1 / length)


_NAMED_WEIGHTS = {"linear": linear_weights, "equal": equal_weights}


def resolve_weights(weights: Weights, length: int, *, name: str = "weights") -> Vector:
    """Return weights as a vector; check that they are in [0, 1], do not increase and sum to 1."""
    if isinstance(weights, str):
        if weights not in _NAMED_WEIGHTS:
            raise ValueError(
                f"{name} must be one of {', '.join(_NAMED_WEIGHTS)}, a function of the length "
                f"or a vector, got {weights!r}."
            )
        return _NAMED_WEIGHTS[weights](length)
    given = weights(length) if callable(weights) else weights
    vector = np.array(given, dtype=np.float64)
    if vector.shape != (length,):
        raise ValueError(f"{name} must have the length {length}, got the shape {vector.shape}.")
    # written so that NaN fails
    valid = bool((vector >= 0).all()) and abs(vector.sum() - 1) < 1e-9
    if not valid or bool((np.diff(vector) > 1e-12).any()):
        raise ValueError(
            f"{name} must be in [0, 1], not increase, and sum to 1, got {vector.tolist()}."
        )
    return vector
