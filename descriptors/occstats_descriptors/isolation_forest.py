"""Isolation forest."""

from __future__ import annotations

import numpy as np

from occstats_descriptors._parameters import integer
from occstats_descriptors.base import Descriptor, Matrix, Vector

__all__ = ["IF"]


class IF(Descriptor):
    r"""
    Isolation forest: how many random splits along attributes it takes to isolate a row.

    Each of t trees splits a random subsample of :math:`\psi` target rows at random values of random
    attributes, to a height of at most :math:`\lceil\log_2 \psi\rceil`. With :math:`h_T(y)` the
    length of the path of y in tree T, plus :math:`c(j)` for the j rows left in its leaf, the score
    is

    .. math::

        1 - s(y), \qquad s(y) = 2^{-\frac{1}{t} \sum_T h_T(y) / c(\psi)}, \qquad
        c(i) = 2 H_{i - 1} - 2 (i - 1) / i,

    with :math:`H` the harmonic numbers. The forest is that of scikit-learn, which with
    ``random_state=0`` gives the published values of Lenz et al. (2021) on most of their tasks.

    Parameters
    ----------
    n_trees : int, default 100
        Number t of trees.
    subsample : int, default 256
        Number :math:`\psi` of target rows per tree; all of them if there are fewer.
    random_state : int, RandomState or None, default 0
        Seed. The default is fixed, so that a description is the same each time.
    n_jobs : int or None, default None
        Threads for building the trees, as in scikit-learn; the scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`.

    Attributes
    ----------
    forest_ : sklearn.ensemble.IsolationForest
        The fitted forest.
    offset_ : float
        Threshold on the score. A forest gives no score of a row without itself (with at most
        :math:`\psi` rows, each row is in each tree), so it is taken from the plain scores.

    References
    ----------
    F. T. Liu, K. M. Ting, Z.-H. Zhou (2008). Isolation Forest. Eighth IEEE International Conference
    on Data Mining, 413–422.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats_descriptors import IF
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> inside, outside = IF().fit(rows).score_samples([[0.0, 0.0], [6.0, 6.0]])
    >>> bool(inside > 0.5 > outside)
    True
    """

    _minimum_rows = 2

    def __init__(
        self,
        *,
        n_trees: int = 100,
        subsample: int = 256,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        self.n_trees = n_trees
        self.subsample = subsample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.contamination = contamination

    def _fit(self, X: Matrix) -> None:
        from sklearn.ensemble import IsolationForest

        self.forest_ = IsolationForest(
            n_estimators=integer(self.n_trees, "n_trees"),
            max_samples=min(integer(self.subsample, "subsample", 2), len(X)),
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(_bounded(X))
        self._rows = X

    def _score(self, X: Matrix) -> Vector:
        return np.asarray(np.clip(1.0 + self.forest_.score_samples(_bounded(X)), 0.0, 1.0))

    def _training_scores(self) -> Vector:
        return self._score(self._rows)


def _bounded(rows: Matrix) -> Matrix:
    """Keep rows within single precision, in which scikit-learn's trees compare."""
    return np.clip(rows, -1e38, 1e38)
