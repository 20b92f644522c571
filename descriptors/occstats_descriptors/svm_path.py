"""Support vector machines for one kernel width and many shares ν, from one set of kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from occstats_descriptors._parameters import positive_number
from occstats_descriptors._svm_kernel import bounded, kernel_times
from occstats_descriptors._threads import thread_count
from occstats_descriptors.base import Matrix
from occstats_descriptors.sizes import Width, dimension_multiple, resolve_width
from occstats_descriptors.svm import check_share, signed_distance_score

__all__ = ["SupportVectorPath"]

_QUARTER_OF_DIMENSION = dimension_multiple(0.25)


class SupportVectorPath:
    r"""
    The one-class support vector machine along :math:`\nu`, for one kernel width.

    Each :math:`\nu` is solved from the solution of the next smaller one: the weight that is added
    goes to the rows furthest out, and the gradient is brought up to date by the columns that
    changed. Up to 4,000 training rows, their kernel matrix is evaluated once for all. Rows are
    scored for all :math:`\nu` with one evaluation of the kernel.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Target rows.
    c : float or callable, default ``dimension_multiple(0.25)``
        Kernel width, as in `SVM`.
    tol : float, default 1e-3
        Tolerance of the solver, as in `SVM`.
    n_jobs : int or None, default None
        Threads; None and −1 for all cores. The scores do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats_descriptors import SVM
    >>> from occstats_descriptors.svm_path import SupportVectorPath
    >>> rng = np.random.default_rng(0)
    >>> rows, queries = rng.normal(size=(300, 2)), rng.normal(size=(5, 2))
    >>> scores = SupportVectorPath(rows).scores([0.1, 0.2, 0.5], queries)
    >>> scores.shape
    (5, 3)
    >>> alone = SVM(nu=0.2, solver="native").fit(rows).score_samples(queries)
    >>> bool(np.abs(scores[:, 1] - alone).max() < 1e-4)
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        c: Width = _QUARTER_OF_DIMENSION,
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        from occstats_descriptors._svm_solver import OneClassProblem

        rows = bounded(check_array(X, dtype=np.float64, order="C", ensure_min_samples=2))
        self.c = resolve_width(c, rows.shape[1])
        self._center = rows.mean(axis=0)
        self._threads = thread_count(n_jobs)
        self._problem = OneClassProblem(
            rows - self._center,
            1 / self.c,
            tolerance=positive_number(tol, "tol"),
            threads=self._threads,
        )

    def scores(self, nus: Sequence[float], queries: ArrayLike) -> Matrix:
        """
        Score rows for several shares ν.

        Parameters
        ----------
        nus : sequence of float
            Shares in (0, 1], in any order.
        queries : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, len(nus))
            Column i has the scores of ``SVM(nu=nus[i], c=c)``, to the tolerance of the solver.
        """
        for nu in nus:
            check_share(nu)
        rows = bounded(check_array(queries, dtype=np.float64, order="C"))
        solutions, last = {}, None
        for nu in sorted(set(nus)):
            last = self._problem.solve(nu, start=last)
            solutions[nu] = last
        alphas = np.stack([solutions[nu].alpha for nu in nus], axis=1)
        offsets = np.array([solutions[nu].rho for nu in nus])
        support = alphas.any(axis=1)
        values = kernel_times(
            rows - self._center,
            self._problem.rows[support],
            alphas[support],
            1 / self.c,
            threads=self._threads,
        )
        return signed_distance_score(values - offsets)
