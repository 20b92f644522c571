"""Nearest neighbour distance."""

from __future__ import annotations

from occstats_descriptors._kernels import Vector
from occstats_descriptors.neighbours import NeighbourDescriptor, Neighbours
from occstats_descriptors.sizes import resolve


class NND(NeighbourDescriptor):
    r"""
    Nearest neighbour distance: the distance to the k-th nearest target row.

    With :math:`d_k(y)` the distance of y to its k-th nearest training row, the score is

    .. math:: \frac{1}{1 + d_k(y)}.

    Parameters
    ----------
    k : int or rule, default 1
        Rank of the neighbour: an integer in [1, n], or a rule such as ``log_multiple(0.5)``.
    metric : {"manhattan", "euclidean"}, default 'manhattan'
        Distance metric.
    n_jobs : int or None, default None
        Number of threads; −1 for all cores, None for two. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    k_ : int
        The rank used.
    n_neighbours_ : int
        Number of neighbours that a score needs.
    offset_ : float
        Threshold on the score, from training scores in which a row is not its own neighbour. A new
        row that equals a training row has a neighbour at distance 0, so that with k = 1 all
        training rows are accepted.

    References
    ----------
    E. M. Knorr, R. T. Ng (1997). A unified notion of outliers: properties and computation. KDD-97,
    219-222.

    Examples
    --------
    >>> from occstats.descriptors import NND
    >>> nnd = NND().fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> nnd.score_samples([[0.0, 0.0], [1.0, 1.0], [3.0, 1.0]])
    array([1.  , 0.5 , 0.25])
    """

    def training_neighbours(self, n: int) -> int:
        """Return the number of neighbours of each of n training rows that `fit` needs: none."""
        return 0

    def query_neighbours(self, n: int) -> int:
        """Return the number of neighbours that a score needs: k, which may be n."""
        return resolve(self.k, n, maximum=n)

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return 1 / (1 + near.distances[:, -1])
