"""Extended isolation forest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from occstats_descriptors._kernels import Matrix, Vector
from occstats_descriptors.base import integer, seed_of
from occstats_descriptors.isolation_forest import Forest, Tree


class EIF(Forest):
    r"""
    Extended isolation forest: isolation by random hyperplanes instead of single attributes.

    Each of t trees splits a random subsample of :math:`\psi` target rows by hyperplanes
    :math:`(x - p) \cdot w < 0`, with w drawn from :math:`N(0, 1)^m` and p uniformly from the
    bounding box of the rows of the node, to a height of at most :math:`\lceil\log_2\psi\rceil`.
    With :math:`h_T(y)` the length of the path of y in tree T, plus :math:`c(j)` for the j rows left
    in its leaf, the score is

    .. math::

        1 - s(y), \qquad s(y) = 2^{-\frac{1}{t} \sum_T h_T(y) / c(\psi)}, \qquad
        c(i) = 2 H_{i - 1} - 2 (i - 1) / i,

    where, as in the authors' package, the harmonic number :math:`H_i` is taken as
    :math:`\ln i + 0.5772156649`.

    Parameters
    ----------
    extension : int or None, default None
        Number of attributes that a hyperplane may depend on, minus one; 0 splits along attributes,
        None is full extension, m − 1.
    n_trees : int, default 100
        Number t of trees.
    subsample : int, default 256
        Number :math:`\psi` of target rows per tree; all of them if there are fewer.
    random_state : int, RandomState or None, default 0
        Seed. An integer s gives the trees of the authors' package `eif` with that seed (as built
        with the GNU C++ library of GCC 11 or later). Tree i has the seed s + i, so two forests have
        no tree in common if their seeds are at least `n_trees` apart. The default is fixed, so that
        repeated fits are equal.
    n_jobs : int or None, default None
        Number of threads; −1 and None for all cores. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    subsample_ : int
        Number of rows per tree.
    offset_ : float
        Threshold on the score, from the plain scores of the training rows: a forest has no
        leave-one-out scores (with at most :math:`\psi` rows, each row is in each tree).

    References
    ----------
    S. Hariri, M. Carrasco Kind, R. J. Brunner (2021). Extended Isolation Forest. IEEE Transactions
    on Knowledge and Data Engineering 33, 1479–1489. Code: https://github.com/sahandha/eif

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.descriptors import EIF
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> inside, outside = EIF().fit(rows).score_samples([[0.0, 0.0], [6.0, 6.0]])
    >>> bool(inside > 0.5 > outside)
    True
    """

    def __init__(
        self,
        *,
        extension: int | None = None,
        n_trees: int = 100,
        subsample: int = 256,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(
            n_trees=n_trees,
            subsample=subsample,
            random_state=random_state,
            n_jobs=n_jobs,
            contamination=contamination,
        )
        self.extension = extension

    def _grower(self, X: Matrix) -> Callable[[int], Tree]:
        from occstats_descriptors._kernels.extended_isolation_trees import grow

        X = _writeable(X)
        m = X.shape[1]
        extension = m - 1 if self.extension is None else integer(self.extension, "extension", 0)
        if extension > m - 1:
            raise ValueError(
                f"extension must be at most {m - 1} for {m} attributes, got extension={extension}."
            )
        seed = seed_of(self.random_state)
        return lambda tree: grow(X, self.subsample_, self._height, extension, seed + tree)

    def _score(self, X: Matrix) -> Vector:
        from occstats_descriptors._kernels.extended_isolation_trees import (
            average_path,
            sum_of_paths,
        )

        mean_path = self._paths(_writeable(X), sum_of_paths) / self.n_trees
        return np.asarray(1.0 - 2.0 ** (-mean_path / average_path(self.subsample_)))


def _writeable(rows: Matrix) -> Matrix:
    """Copy read-only rows, for which the kernels would be compiled a second time."""
    return rows if rows.flags.writeable else rows.copy()
