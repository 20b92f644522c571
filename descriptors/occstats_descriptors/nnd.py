"""Nearest neighbour distance."""

from __future__ import annotations

from typing import ClassVar

from occstats_descriptors.base import Vector, parameter
from occstats_descriptors.neighbour_descriptor import NEIGHBOURS, NeighbourDescriptor
from occstats_descriptors.neighbours import Neighbours
from occstats_descriptors.sizes import Size, resolve

__all__ = ["NND"]


class NND(NeighbourDescriptor):
    r"""
    Nearest neighbour distance: how far the k-th nearest target row is.

    With :math:`d_k(y)` the distance of y to its k-th nearest training row, the score is

    .. math:: \frac{1}{1 + d_k(y)}.

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

    k: Size = parameter(
        default=1,
        kind="int or rule",
        meaning="Which neighbour: an integer in [1, n], or a rule such as ``log_multiple(0.5)``.",
        scales=NEIGHBOURS,
    )

    _attributes: ClassVar[dict[str, str]] = {
        "offset_ : float": "Threshold on the score. A training row is not its own neighbour in the "
        "training scores behind it; a row scored as a new one that equals a training row has a "
        "neighbour at distance 0, so that with k = 1 all training rows are accepted."
    }

    def training_neighbours(self, n: int) -> int:
        """Say how many neighbours of each of n training rows `fit` needs: none."""
        return 0

    def query_neighbours(self, n: int) -> int:
        """Say how many neighbours among n training rows a score needs: k, which may be n."""
        return resolve(self.k, n, maximum=n)

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return 1 / (1 + near.distances[:, -1])
