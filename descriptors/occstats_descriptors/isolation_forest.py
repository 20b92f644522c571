"""Isolation forest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from occstats_descriptors._forest import Forest
from occstats_descriptors.base import Matrix, Vector

__all__ = ["IF"]


class IF(Forest):
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

    _attributes: ClassVar[dict[str, str]] = {
        "forest_ : sklearn.ensemble.IsolationForest": "The fitted forest."
    }

    def _grow(self, X: Matrix) -> None:
        from sklearn.ensemble import IsolationForest

        self.forest_ = IsolationForest(
            n_estimators=self.n_trees,
            max_samples=self.subsample_,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(_bounded(X))

    def _score(self, X: Matrix) -> Vector:
        return np.asarray(np.clip(1.0 + self.forest_.score_samples(_bounded(X)), 0.0, 1.0))


def _bounded(rows: Matrix) -> Matrix:
    """Keep rows within single precision, in which scikit-learn's trees compare."""
    return np.clip(rows, -1e38, 1e38)
