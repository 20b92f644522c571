"""Isolation forest."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from occstats_descriptors._forest import Forest, Tree
from occstats_descriptors.base import Matrix, Vector, parameter

__all__ = ["IF"]

_SAMPLINGS = ("scikit-learn", "scikit-learn-0.22")


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

    with :math:`H` the harmonic numbers, taken as :math:`H_i = \ln i + \gamma` and exact up to
    :math:`H_1`. The trees, and so the scores, are those of scikit-learn for the same seed, bit
    for bit, in a fraction of its time.

    Notes
    -----
    Like scikit-learn, the trees compare attributes in single precision, take an attribute for
    constant where it varies by at most 1e-7, and do not split rows whose random targets agree.

    References
    ----------
    F. T. Liu, K. M. Ting, Z.-H. Zhou (2008). Isolation Forest. Eighth IEEE International Conference
    on Data Mining, 413–422.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from occstats_descriptors import IF
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> inside, outside = IF().fit(rows).score_samples([[0.0, 0.0], [6.0, 6.0]])
    >>> bool(inside > 0.5 > outside)
    True
    >>> forest = IsolationForest(random_state=0).fit(rows)
    >>> np.array_equal(IF().fit(rows).score_samples(rows), 1 + forest.score_samples(rows))
    True
    """

    sampling: str = parameter(
        default="scikit-learn",
        kind='{"scikit-learn", "scikit-learn-0.22"}',
        meaning="Whose trees are grown: those of scikit-learn since 0.23, or those of 0.22 and "
        "before, with which Lenz et al. (2021) made their table. Then one stream of random numbers "
        "gave the seed of a tree and after it its rows, where now each has the stream from its "
        "start, and a node was not split if its random targets had a variance of at most 1e-7, "
        "where now it is the machine epsilon.",
    )

    _attributes: ClassVar[dict[str, str]] = {
        "forest_ : sklearn.ensemble.IsolationForest": "The same forest as scikit-learn grows it, "
        'made when it is first asked for; with ``sampling="scikit-learn"`` only.'
    }

    def _fit(self, X: Matrix) -> None:
        if self.sampling not in _SAMPLINGS:
            raise ValueError(
                f"sampling must be one of {', '.join(_SAMPLINGS)}, got {self.sampling!r}."
            )
        super()._fit(X)

    def _grower(self, X: Matrix) -> Callable[[int], Tree]:
        from occstats_descriptors._kernels.isolation_trees import average_paths, grow

        rows = _single(X)
        old = self.sampling == "scikit-learn-0.22"
        purity = 1e-7 if old else float(np.finfo(np.float64).eps)
        if isinstance(self.random_state, int | np.integer):
            self._start: Any = self.random_state
        else:
            self._start = deepcopy(check_random_state(self.random_state))
        # As scikit-learn does: a seed begins anew for the second draw, a generator goes on.
        target = check_random_state(self.random_state).uniform(size=len(X))
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_trees)
        paths = average_paths(self.subsample_)
        self._scale = self.n_trees * paths[self.subsample_ :]
        most = self.subsample_ - 1

        def grown(tree: int) -> Tree:
            attributes, thresholds = np.empty(most, np.int64), np.empty(most)
            children, leaves = np.empty((most, 2), np.int64), np.empty(most + 1)
            count = grow(
                rows, target, seeds[tree], old, purity, self.subsample_, self._height, paths,
                attributes, thresholds, children, leaves,
            )  # fmt: skip
            return attributes[:count], thresholds[:count], children[:count], leaves[: count + 1]

        return grown

    def _add_paths(self, X: NDArray[Any], *forest_and_result: NDArray[Any]) -> None:
        from occstats_descriptors._kernels.isolation_trees import sum_of_paths

        sum_of_paths(X, *forest_and_result)

    def _score(self, X: Matrix) -> Vector:
        # The order of scikit-learn's operations: other orders differ in the last digit.
        return np.clip(1.0 - 2 ** -(self._paths(_single(X)) / self._scale), 0.0, 1.0)

    @property
    def forest_(self) -> Any:
        """The same forest as scikit-learn grows it; see the class."""
        if self.sampling != "scikit-learn" or "_start" not in vars(self):
            raise AttributeError(
                'forest_ is there after fitting with sampling="scikit-learn", '
                f"got sampling={self.sampling!r}."
            )
        from sklearn.ensemble import IsolationForest

        return IsolationForest(
            n_estimators=self.n_trees,
            max_samples=self.subsample_,
            random_state=deepcopy(self._start),
            n_jobs=self.n_jobs,
        ).fit(_single(self._rows))


def _single(rows: Matrix) -> NDArray[np.float32]:
    """Round to single precision, in which scikit-learn's trees compare, and stay within it."""
    return np.clip(rows, -1e38, 1e38).astype(np.float32)
