"""One-class support vector machines for a grid of kernel widths and shares ν."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from occstats_descriptors._kernels import Matrix, Vector
from occstats_descriptors._kernels.exponentials import SquaredDistances, kernel_times_weights
from occstats_descriptors._kernels.gaussian_kernel import bounded
from occstats_descriptors._kernels.smo import OneClassProblem
from occstats_descriptors._kernels.threads import single_threaded_blas
from occstats_descriptors.svm import signed_distance_score

# Distinct rows up to which all their distances are stored (8 GB).
MOST_KEPT = 45_000


class SupportVectorGrid:
    r"""
    One-class support vector machine for many kernel widths and many :math:`\nu`.

    Equal rows are merged into one that may have the weight of all of them, and the distances of the
    rows are computed once. For each width, a :math:`\nu` is solved from the solution of the next
    smaller one, changed as it changed for the width before. `X` are the target rows, and `queries`
    those to be scored.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.descriptors import SVM
    >>> from occstats_descriptors.svm_grid import SupportVectorGrid
    >>> rng = np.random.default_rng(0)
    >>> rows, queries = rng.normal(size=(300, 2)), rng.normal(size=(5, 2))
    >>> grid = SupportVectorGrid(rows, queries)
    >>> scores = grid.scores([0.1, 0.2, 0.5], 0.5)
    >>> alone = SVM(nu=0.2, c=0.5).fit(rows).score_samples(queries)
    >>> bool(np.abs(scores[:, 1] - alone).max() < 1e-4)
    True
    """

    def __init__(self, X: ArrayLike, queries: ArrayLike) -> None:
        rows = bounded(check_array(X, dtype=np.float64, order="C", ensure_min_samples=2))
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        center = rows.mean(axis=0)
        self._rows = distinct - center
        self._counts = counts.astype(np.float64)
        asked, self._places = np.unique(
            bounded(check_array(queries, dtype=np.float64, order="C")), axis=0, return_inverse=True
        )
        self._queries = asked - center
        self._distances: SquaredDistances | None = None
        if len(distinct) <= MOST_KEPT:
            self._distances = SquaredDistances(self._rows)
        # Shares of the last width, and the weights of their solutions.
        self._last: tuple[list[float], list[Vector]] = [], []

    @property
    def n_distinct(self) -> int:
        """Return the number of distinct training rows."""
        return len(self._rows)

    @single_threaded_blas()
    def scores(self, nus: Sequence[float], c: float) -> Matrix:
        """
        Score the queries for one kernel width and several shares ν, in any order.

        Column i has the scores of ``SVM(nu=nus[i], c=c)``, up to the tolerance of the solver.
        """
        gamma = 1 / c
        problem = OneClassProblem(self._rows, gamma, counts=self._counts, distances=self._distances)
        ordered = sorted(set(nus))
        path = problem.follow(ordered, self._last[1] if self._last[0] == ordered else [])
        self._last = ordered, [solution.weight for solution in path]
        solutions = dict(zip(ordered, path, strict=True))
        alphas = np.stack([solutions[nu].alpha for nu in nus], axis=1)
        offsets = np.array([solutions[nu].rho for nu in nus])
        support = alphas.any(axis=1)
        values = kernel_times_weights(self._queries, self._rows[support], alphas[support], gamma)
        return signed_distance_score(values - offsets)[self._places.reshape(-1)]
