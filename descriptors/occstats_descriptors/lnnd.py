"""Localised nearest neighbour distance."""

from __future__ import annotations

from occstats_descriptors.base import Vector, parameter
from occstats_descriptors.neighbour_descriptor import NEIGHBOURS, NeighbourDescriptor, ratio
from occstats_descriptors.neighbours import Neighbours
from occstats_descriptors.sizes import Size, log_multiple

__all__ = ["LNND"]


class LNND(NeighbourDescriptor):
    r"""
    Localised nearest neighbour distance: that distance relative to the neighbour's own.

    The distance of y to its k-th nearest training row, relative to the distance of that row to its
    own k-th nearest neighbour:

    .. math:: ld_k(y) = \frac{d_k(y)}{d_k(NN_k(y))}, \qquad \text{score} = \frac{1}{1 + ld_k(y)},

    where 0/0 counts as 1.

    Notes
    -----
    Among equidistant rows, the k-th neighbour is the one that comes later in the training data: on
    data with many ties the scores depend on the order of the rows.

    References
    ----------
    D. de Ridder, D. M. J. Tax, R. P. W. Duin (1998). An experimental comparison of one-class
    classification methods. ASCI'98, 213-218.

    D. M. J. Tax, R. P. W. Duin (1998). Outlier detection using classifier instability. SSPR/SPR,
    593-601.

    Examples
    --------
    >>> from occstats_descriptors import LNND
    >>> lnnd = LNND(k=1).fit([[0.0], [1.0], [3.0], [6.0]])
    >>> lnnd.score_samples([[0.0], [7.0], [-3.0]])
    array([1.  , 0.75, 0.25])
    """

    k: Size = parameter(
        default=log_multiple(3.4),
        kind="int or rule",
        meaning="Which neighbour: an integer in [1, n − 1], or a rule.",
        scales=NEIGHBOURS,
    )

    def _fit_neighbours(self) -> None:
        self._local = self._search.training(self.k_).distances[:, -1].copy()

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return ratio(self._local[near.indices[:, -1]], near.distances[:, -1])
