"""One-class support vector machine."""

from __future__ import annotations

import warnings

import numpy as np

from occstats_descriptors._kernels import Array, Matrix, Vector
from occstats_descriptors._kernels.gaussian_kernel import bounded, kernel_times
from occstats_descriptors._kernels.threads import thread_count
from occstats_descriptors.base import Descriptor, positive_number
from occstats_descriptors.sizes import Width, dimension_multiple

# Rows below which LIBSVM takes less time than loading the compiled solver, which is faster at any
# size.
NATIVE_FROM = 500


class SVM(Descriptor):
    r"""
    Support vector machine: distance to a margin around the target class, Gaussian kernel.

    The signed distance to the hyperplane that separates the target rows from the origin of the
    kernel's feature space with the largest margin is
    :math:`d(y) = \sum_i \alpha_i k(x_i, y) - \rho`, where a share of about :math:`\nu` of the rows
    may be on the wrong side:

    .. math::

        \min_\alpha \tfrac{1}{2} \sum_{i,j} \alpha_i \alpha_j k(x_i, x_j), \quad
        0 \le \alpha_i \le \tfrac{1}{\nu n}, \quad \sum_i \alpha_i = 1, \qquad
        k(x, y) = e^{-\lVert x - y \rVert^2 / c}.

    The score is :math:`\frac{1}{2}\left(\frac{d(y)}{|d(y)| + 1} + 1\right)`; rows on the hyperplane
    have score ½. LIBSVM's decision value is :math:`\nu n\, d(y)`. Scale the attributes first: the
    kernel has the same width for all of them. `fit` warns if no row is similar to another,
    or all are alike.

    Parameters
    ----------
    nu : float, default 0.2
        Approximate share of target rows outside the boundary, in (0, 1].
    c : float or callable, default dimension_multiple(0.25)
        Kernel width: a positive number, or a rule that is called with the number of attributes.
    tol : float, default 0.001
        Tolerance of the solver, as in LIBSVM.
    solver : {"auto", "libsvm", "native"}, default 'auto'
        LIBSVM (through scikit-learn), or the solver of this package, which reaches the same
        solution to the tolerance and is faster beyond a few hundred rows; "auto" chooses by the
        number of rows.
    n_jobs : int or None, default None
        Number of threads; −1 and None for all cores. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    support_ : ndarray of int
        Indices of the support vectors.
    support_vectors_ : ndarray of shape (n_support, n_features)
        The support vectors.
    alpha_ : ndarray of shape (n_support,)
        Weights of the support vectors, which sum to 1.
    rho_ : float
        Distance of the hyperplane to the origin.
    objective_ : float
        Value of the objective above.
    c_ : float
        Kernel width used.
    offset_ : float
        Threshold on the score, from the plain scores of the training rows: leave-one-out scores
        would take n further fits.

    References
    ----------
    B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson (2001). Estimating the
    support of a high-dimensional distribution. Neural Computation 13, 1443–1471.

    R.-E. Fan, P.-H. Chen, C.-J. Lin (2005). Working set selection using second order information
    for training support vector machines. Journal of Machine Learning Research 6, 1889–1918.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.descriptors import SVM
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> SVM().fit(rows).score_samples([[0.0, 0.0], [6.0, 6.0]]).round(3)
    array([0.5..., 0.4...])
    """

    def __init__(
        self,
        *,
        nu: float = 0.20,
        c: Width = dimension_multiple(0.25),  # noqa: B008 - a frozen value
        tol: float = 1e-3,
        solver: str = "auto",
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(contamination=contamination)
        self.nu = nu
        self.c = c
        self.tol = tol
        self.solver = solver
        self.n_jobs = n_jobs

    def _fit(self, X: Matrix) -> None:
        if positive_number(self.nu, "nu") > 1:
            raise ValueError(f"nu must be a number in (0, 1], got nu={self.nu!r}.")
        positive_number(self.tol, "tol")
        if self.solver not in ("auto", "libsvm", "native"):
            raise ValueError(
                f'solver must be "auto", "libsvm" or "native", got solver={self.solver!r}.'
            )
        c = self.c(X.shape[1]) if callable(self.c) else self.c
        self.c_ = positive_number(c, "c")
        rows = bounded(X)
        self._center = rows.mean(axis=0)
        rows = rows - self._center
        # With ν = 1, all weights are at their bound, and LIBSVM has no finite offset.
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
        # The objective is 1 / 2n if no row is similar to another, and 1 / 2 if all rows are alike.
        seen, remedy = "", "increase"
        if self.nu < 1 and 2 * len(X) * self.objective_ < 1.01:
            seen = "no similarity between training rows"
        elif 1 - 2 * self.objective_ < 1e-9 and rows.any():
            seen, remedy = "no difference between training rows", "decrease"
        if seen:
            warnings.warn(
                f"SVM sees {seen} with c={self.c_:g}: scale the attributes first, for example with "
                f"RobustScaler, or {remedy} c.",
                stacklevel=3,
            )

    def _fit_native(self, rows: Matrix) -> Vector:
        from occstats_descriptors._kernels.smo import OneClassProblem

        solution = OneClassProblem(
            rows, 1 / self.c_, tolerance=self.tol, threads=thread_count(self.n_jobs)
        ).solve(self.nu)
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


def signed_distance_score(distance: Array) -> Array:
    """Map signed distances to [0, 1], and 0 to ½."""
    return np.asarray((distance / (np.abs(distance) + 1) + 1) / 2)
