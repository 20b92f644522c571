"""Average localised proximity."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from occstats_descriptors._kernels.threads import for_each_block
from occstats_descriptors.base import Vector, parameter
from occstats_descriptors.neighbour_descriptor import NEIGHBOURS, NeighbourDescriptor
from occstats_descriptors.neighbours import Neighbours
from occstats_descriptors.sizes import Size, log_multiple, resolve
from occstats_descriptors.weights import Weights, resolve_weights

__all__ = ["ALP"]

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

    k: Size = parameter(
        default=log_multiple(5.5),
        kind="int or rule",
        meaning="Number of scales: an integer in [1, n − 1], or a rule.",
        scales=NEIGHBOURS,
    )
    l: Size = parameter(  # noqa: E741 - the paper's name
        default=log_multiple(6.0),
        kind="int or rule",
        meaning="Number of neighbours that localise: an integer in [1, n], or a rule.",
        scales={"l": "count", "b": "log"},
    )
    weights: Weights = parameter(
        default="linear",
        kind='{"linear", "equal"}, callable or array-like',
        meaning="Weights :math:`w^k` of the ordered proximities, from the largest on. A callable "
        "is given the length. They must not increase, and sum to 1.",
    )
    local_weights: Weights = parameter(
        default="linear",
        kind='{"linear", "equal"}, callable or array-like',
        meaning="Weights :math:`w^l` of the neighbours, from the nearest on.",
    )

    _attributes: ClassVar[dict[str, str]] = {
        "k_ : int": "The number of scales used.",
        "l_ : int": "The number of neighbours that localise.",
        "n_neighbours_ : int": "Number of neighbours that a score needs: the larger of them.",
        "offset_ : float": "Threshold on the score; a training row is not its own neighbour in the "
        "training scores behind it. With l = n, these lack the last neighbour, and the weights of "
        "the others are scaled to sum to 1.",
    }

    def query_neighbours(self, n: int) -> int:
        """Say how many neighbours among n training rows a score needs: the larger of k and l."""
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
