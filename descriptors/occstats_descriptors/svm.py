"""One-class support vector machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._blocks import thread_count
from occstats_descriptors._parameters import positive_number
from occstats_descriptors._svm_kernel import bounded, kernel_times
from occstats_descriptors.base import Descriptor, Matrix, Vector

__all__ = ["SVM", "DimensionMultiple", "dimension_multiple", "kernel_width"]

# The solver of this package is faster at any size, but below this LIBSVM takes so few milliseconds
# that loading the compiled solver would cost more.
NATIVE_FROM = 500


@dataclass(frozen=True, repr=False)
class DimensionMultiple:
    """The kernel width c = c′·m; see `dimension_multiple`."""

    factor: float

    def __call__(self, m: int) -> float:
        """Resolve the width for `m` attributes."""
        return self.factor * m

    def __repr__(self) -> str:
        return f"dimension_multiple({self.factor:g})"


Width = float | DimensionMultiple | Callable[[int], float]


def dimension_multiple(factor: float) -> DimensionMultiple:
    """
    Make the kernel width c = c′·m, with m the number of attributes.

    Parameters
    ----------
    factor : float
        The factor c′, positive and finite.

    Returns
    -------
    DimensionMultiple
        A frozen value that prints as it was written and can be called with m.

    Examples
    --------
    >>> from occstats_descriptors.svm import dimension_multiple
    >>> width = dimension_multiple(0.25)
    >>> width
    dimension_multiple(0.25)
    >>> width(10)
    2.5
    """
    return DimensionMultiple(positive_number(factor, "The factor of dimension_multiple"))


_QUARTER_OF_DIMENSION = DimensionMultiple(0.25)


class SVM(Descriptor):
    r"""
    One-class support vector machine with Gaussian kernel.

    Among the functions :math:`d(y) = \sum_i \alpha_i k(x_i, y) - \rho` it takes the signed distance
    to the hyperplane that separates the target rows from the origin of the kernel's space with the
    largest margin, where a share of about :math:`\nu` of the rows may be on the wrong side:

    .. math::

        \min_\alpha \tfrac{1}{2} \sum_{i,j} \alpha_i \alpha_j k(x_i, x_j), \quad
        0 \le \alpha_i \le \tfrac{1}{\nu n}, \quad \sum_i \alpha_i = 1, \qquad
        k(x, y) = e^{-\lVert x - y \rVert^2 / c}.

    The score is :math:`\frac{1}{2}\left(\frac{d(y)}{|d(y)| + 1} + 1\right)`; rows on the hyperplane
    have score ½. LIBSVM's decision value is :math:`\nu n\, d(y)`.

    Parameters
    ----------
    nu : float, default 0.20
        Share of target rows outside, in (0, 1].
    c : float or callable, default ``dimension_multiple(0.25)``
        Kernel width: a positive number, or a rule that is called with the number of attributes.
    tol : float, default 1e-3
        Tolerance of the solver, as in LIBSVM.
    solver : {"auto", "libsvm", "native"}, default "auto"
        LIBSVM (through scikit-learn), or the solver of this package, which reaches the same
        solution to the tolerance and is faster from a few hundred rows on; "auto" chooses
        by the number of rows.
    n_jobs : int or None, default None
        Threads; None and −1 for all cores. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`.

    Attributes
    ----------
    support_ : ndarray of int
        Indices of the support vectors.
    support_vectors_ : ndarray of shape (n_support, n_features)
    alpha_ : ndarray of shape (n_support,)
        Their weights; the sum is 1.
    rho_ : float
        Distance of the hyperplane to the origin.
    objective_ : float
        Value of the objective above.
    c_ : float
        Kernel width used.
    offset_ : float
        Threshold on the score. The solution is not defined row by row, and to leave each row out
        would take n further fits, so it is taken from the plain scores of the training rows.

    References
    ----------
    B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson (2001). Estimating the
    support of a high-dimensional distribution. Neural Computation 13, 1443–1471.

    R.-E. Fan, P.-H. Chen, C.-J. Lin (2005). Working set selection using second order information
    for training support vector machines. Journal of Machine Learning Research 6, 1889–1918.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats_descriptors import SVM
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> SVM().fit(rows).score_samples([[0.0, 0.0], [6.0, 6.0]]).round(3)
    array([0.5..., 0.4...])
    """

    _minimum_rows = 2

    def __init__(
        self,
        *,
        nu: float = 0.20,
        c: Width = _QUARTER_OF_DIMENSION,
        tol: float = 1e-3,
        solver: str = "auto",
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        self.nu = nu
        self.c = c
        self.tol = tol
        self.solver = solver
        self.n_jobs = n_jobs
        self.contamination = contamination

    def _fit(self, X: Matrix) -> None:
        self._check_parameters()
        self.c_ = kernel_width(self.c, X.shape[1])
        rows = bounded(X)
        self._center = rows.mean(axis=0)
        rows = rows - self._center
        # With ν = 1 all weights are at their bound, and LIBSVM has no finite offset.
        native = (
            self.solver == "native"
            or self.nu == 1
            or (self.solver == "auto" and len(X) >= NATIVE_FROM)
        )
        weights = self._fit_native(rows) if native else self._fit_libsvm(rows)
        self.support_ = np.flatnonzero(weights)
        self.alpha_ = weights[self.support_]
        self.support_vectors_ = X[self.support_]
        self._centred_support = rows[self.support_]
        self._rows = X

    def _fit_native(self, rows: Matrix) -> Vector:
        from occstats_descriptors._svm_solver import OneClassProblem

        problem = OneClassProblem(
            rows, 1 / self.c_, tolerance=self.tol, threads=thread_count(self.n_jobs)
        )
        solution = problem.solve(self.nu)
        self.rho_ = solution.rho
        self.objective_ = solution.objective
        return solution.alpha

    def _fit_libsvm(self, rows: Matrix) -> Vector:
        from sklearn.svm import OneClassSVM

        machine = OneClassSVM(kernel="rbf", gamma=1 / self.c_, nu=self.nu, tol=self.tol).fit(rows)
        scale = self.nu * len(rows)
        weights = np.zeros(len(rows))
        weights[machine.support_] = machine.dual_coef_[0] / scale
        self.rho_ = float(machine.offset_[0]) / scale
        values = machine.decision_function(rows[machine.support_]) / scale + self.rho_
        self.objective_ = float(weights[machine.support_] @ values) / 2
        return weights

    def _score(self, X: Matrix) -> Vector:
        values = kernel_times(
            bounded(X) - self._center,
            self._centred_support,
            self.alpha_,
            1 / self.c_,
            threads=thread_count(self.n_jobs),
        )
        return signed_distance_score(values - self.rho_)

    def _training_scores(self) -> Vector:
        return self._score(self._rows)

    def _check_parameters(self) -> None:
        if positive_number(self.nu, "nu") > 1:
            raise ValueError(f"nu must be a number in (0, 1], got nu={self.nu!r}.")
        positive_number(self.tol, "tol")
        if self.solver not in ("auto", "libsvm", "native"):
            raise ValueError(
                f'solver must be "auto", "libsvm" or "native", got solver={self.solver!r}.'
            )


def kernel_width(c: Width, m: int) -> float:
    """Turn a width or a rule for it into a number, for `m` attributes."""
    return positive_number(c(m) if callable(c) else c, "c")


def signed_distance_score(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map a signed distance to [0, 1], 0 to ½."""
    return np.asarray((distance / (np.abs(distance) + 1) + 1) / 2)
