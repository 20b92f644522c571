"""Localised nearest neighbour distance."""

from __future__ import annotations

from occstats_descriptors._kernels import Vector
from occstats_descriptors.neighbours import NeighbourDescriptor, Neighbours, ratio
from occstats_descriptors.sizes import Size, log_multiple


class LNND(NeighbourDescriptor):
    r"""
    Localised nearest neighbour distance: relative to the distance of the neighbour to its own.

    The distance of y to its k-th nearest training row, relative to the distance of that row to its
    own k-th nearest neighbour:

    .. math:: ld_k(y) = \frac{d_k(y)}{d_k(NN_k(y))}, \qquad \text{score} = \frac{1}{1 + ld_k(y)},

    where 0/0 counts as 1.

    Parameters
    ----------
    k : int or rule, default log_multiple(3.4)
        Rank of the neighbour: an integer in [1, n − 1], or a rule.
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
        Threshold on the score, from training scores in which a row is not its own neighbour.

    Notes
    -----
    Among equidistant rows, the k-th neighbour is the one that comes later in the training data: on
    data with many ties, the scores depend on the order of the rows.

    References
    ----------
    D. de Ridder, D. M. J. Tax, R. P. W. Duin (1998). An experimental comparison of one-class
    classification methods. ASCI'98, 213-218.

    D. M. J. Tax, R. P. W. Duin (1998). Outlier detection using classifier instability. SSPR/SPR,
    593-601.

    Examples
    --------
    >>> from occstats.descriptors import LNND
    >>> lnnd = LNND(k=1).fit([[0.0], [1.0], [3.0], [6.0]])
    >>> lnnd.score_samples([[0.0], [7.0], [-3.0]])
    array([1.  , 0.75, 0.25])
    """

    def __init__(
        self,
        *,
        k: Size = log_multiple(3.4),  # noqa: B008 - a frozen value
        metric: str = "manhattan",
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(k=k, metric=metric, n_jobs=n_jobs, contamination=contamination)

    def _fit_neighbours(self) -> None:
        self._local = self._search.training(self.k_).distances[:, -1].copy()

    def _score_neighbours(self, near: Neighbours) -> Vector:
        return ratio(self._local[near.indices[:, -1]], near.distances[:, -1])
