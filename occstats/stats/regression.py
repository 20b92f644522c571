"""Weighted least squares with cluster-robust inference."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import linalg, special

from occstats._checks import check_choice, check_fraction
from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, IntArray, as_scores, as_vector, cluster_codes

Inference = Literal["cr1", "cr2"]

#: Columns with a smaller share that earlier columns do not explain are linearly dependent.
_RANK_TOLERANCE = 1e-12
#: Smaller eigenvalues belong to directions that the fit absorbs completely.
_NULL_EIGENVALUE = 1e-12


def weighted_regression(
    y: npt.ArrayLike,
    design: npt.ArrayLike,
    terms: Sequence[str],
    *,
    clusters: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    inference: Inference = "cr2",
    confidence: float = 0.95,
) -> pd.DataFrame:
    r"""Regress ``y`` on the columns of ``design`` by weighted least squares, with robust inference.

    Parameters
    ----------
    y : array_like of shape (n,)
        Response, such as an algorithm's rank in each task.
    design : array_like of shape (n, n_terms)
        Columns of the model, including the intercept.
    terms : sequence of str
        Names of the columns.
    clusters : array_like of shape (n,)
        Labels of the clusters.
    weights : array_like of shape (n,), optional
        Weights of the observations, as from :func:`cluster_weights`, on any scale.
    inference : {"cr1", "cr2"}
        ``"cr1"``: cluster-robust with the factor G/(G − 1) · (N − 1)/(N − K) (CR1S, Stata's) and t
        with G − 1 degrees of freedom. ``"cr2"``: cluster-robust, corrected for the leverage of
        each cluster [1]_, and t with Satterthwaite's degrees of freedom [2]_; better with few or
        unequal clusters.
    confidence : float
        Level of the intervals.

    Returns
    -------
    DataFrame
        One row per term: estimate (``coefficient``), standard error (``se``), degrees of freedom of
        t (``df``), t (``statistic``), two-sided p-value (``p``) and confidence limits (``ci_low``,
        ``ci_high``). Its ``attrs`` have the ``residual_sd``, the root of the weighted residual sum
        of squares (weights of mean 1) over N − K, and the ``reason`` for NaN if columns are
        linearly dependent, if observations do not outnumber the terms, or if clusters are too few.

    Notes
    -----
    The weighted problem is solved on an orthonormal basis of the columns (Householder QR of
    :math:`W^{1/2} X`, never normal equations); the covariance CR1S is that of statsmodels.
    With residuals :math:`e` and bread :math:`M = (X' W X)^{-1}`,

    .. math:: V = M \left( \sum_g X_g' W_g A_g e_g e_g' A_g' W_g X_g \right) M

    with :math:`A_g` a multiple of the identity for CR1S, and for CR2 :math:`A_g = (I - H)_g (I -
    H)_g'` to the power −1/2, which makes V unbiased if errors are independent with equal variance
    (the default of R's clubSandwich for weighted ``lm``).

    References
    ----------
    .. [1] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for linear
       regression with multi-stage samples. Survey Methodology 28, 169-181.
    .. [2] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust variance
       estimation and hypothesis testing in fixed effects models. Journal of Business & Economic
       Statistics 36, 672-683.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import weighted_regression
    >>> x = np.array([1.0, 2, 3, 4, 5, 6])
    >>> y = np.array([1.1, 1.9, 3.2, 3.9, 5.2, 5.9])
    >>> fit = weighted_regression(
    ...     y, np.column_stack([np.ones(6), x]), ("intercept", "x"), clusters=[1, 1, 2, 2, 3, 3]
    ... )
    >>> fit[["coefficient", "se", "df"]].round(2)
               coefficient    se    df
    intercept         0.07  0.11  1.11
    x                 0.99  0.02  1.24
    """
    check_choice("inference", inference, get_args(Inference))
    check_fraction("confidence", confidence)
    response, columns = as_vector("y", y), as_scores("design", design)
    n, k = columns.shape
    if len(response) != n or len(terms) != k:
        raise ArgumentError(
            f"design must have a row for each of the {len(response)} values of y and a column for "
            f"each of the {len(terms)} terms; got shape {columns.shape}."
        )
    mass = np.ones(n) if weights is None else as_vector("weights", weights)
    if len(mass) != n or (mass <= 0).any():
        raise ArgumentError(
            f"weights must hold one positive weight per observation ({n}); got {len(mass)}, "
            f"of which {np.count_nonzero(mass <= 0)} are not positive."
        )
    mass = mass / mass.mean()
    codes, labels = cluster_codes(clusters, n)
    n_clusters = len(labels)

    def result(
        coefficient: FloatArray,
        covariance: FloatArray,
        df: FloatArray,
        residual_sd: float,
        reason: str | None = None,
    ) -> pd.DataFrame:
        # Rounding can make the variance of a perfect fit negative.
        se = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where((coefficient == 0) & (se == 0), 0.0, coefficient / se)
            half_width = special.stdtrit(df, (1 + confidence) / 2) * se
        columns = {
            "coefficient": coefficient,
            "se": se,
            "df": df,
            "statistic": statistic,
            "p": 2 * special.stdtr(df, -np.abs(statistic)),
            "ci_low": coefficient - half_width,
            "ci_high": coefficient + half_width,
        }
        frame = pd.DataFrame(columns, index=pd.Index(list(terms), dtype="object"))
        frame.attrs = {"residual_sd": residual_sd, "reason": reason}
        return frame

    unknown, no_covariance = np.full(k, np.nan), np.full((k, k), np.nan)
    found = _orthonormal(columns, mass, terms)
    if isinstance(found, str):
        return result(unknown, no_covariance, unknown, float("nan"), found)
    basis, inverse_r = found
    # The columns of the basis are orthonormal: each coefficient is a sum.
    params = basis.T @ (mass * response)
    residuals = response - basis @ params
    coefficients = inverse_r @ params
    # A perfect fit leaves rounding errors alone, which differ between processors.
    rounding = _RANK_TOLERANCE * np.sqrt(mass @ response**2)
    if np.sqrt(mass @ residuals**2) <= rounding:
        residuals = np.zeros(n)
        lengths = np.sqrt(mass @ columns**2)
        coefficients = np.where(np.abs(coefficients) * lengths <= rounding, 0.0, coefficients)
    residual_sd = float(np.sqrt(mass @ residuals**2 / (n - k)))
    if n_clusters <= k:
        reason = (
            f"{n_clusters} cluster{'s' * (n_clusters > 1)} for {k} terms: cluster-robust "
            "inference needs more clusters than terms"
        )
        return result(coefficients, no_covariance, unknown, residual_sd, reason)
    if inference == "cr2":
        covariance, df = _cr2(residuals, mass, basis, inverse_r, codes, n_clusters)
        return result(coefficients, covariance, df, residual_sd)
    from statsmodels.regression.linear_model import WLS

    fit = WLS(response, basis, weights=mass).fit(
        method="qr", cov_type="cluster", cov_kwds={"groups": codes}
    )
    covariance = inverse_r @ fit.cov_params() @ inverse_r.T
    return result(coefficients, covariance, np.full(k, n_clusters - 1.0), residual_sd)


def _orthonormal(
    design: FloatArray, weights: FloatArray, terms: Sequence[str]
) -> tuple[FloatArray, FloatArray] | str:
    """Return U and R⁻¹ with X = U R and U'WU = I, or the reason why there is no fit."""
    n, k = design.shape
    if n <= k:
        return f"{n} observations for {k} terms: there must be more observations than terms"
    roots, lengths = np.sqrt(weights), np.sqrt(weights @ design**2)
    zero = [term for term, length in zip(terms, lengths, strict=True) if length == 0]
    if zero:
        return f"{', '.join(zero)} is zero in all tasks: remove it"
    # Columns of unit length: the precision does not depend on the units of the terms.
    q, r = linalg.qr(roots[:, None] * (design / lengths), mode="economic")
    pivots = zip(terms, np.abs(np.diag(r)), strict=True)
    dependent = [term for term, pivot in pivots if pivot < _RANK_TOLERANCE]
    if dependent:
        return (
            f"{', '.join(dependent)} cannot be separated from the terms before it "
            "(the columns are linearly dependent): remove it"
        )
    return q / roots[:, None], linalg.solve_triangular(r, np.eye(k)) / lengths[:, None]


def _cr2(
    residuals: FloatArray,
    weights: FloatArray,
    basis: FloatArray,
    inverse_r: FloatArray,
    codes: IntArray,
    n_clusters: int,
) -> tuple[FloatArray, FloatArray]:
    r"""Return Bell and McCaffrey's covariance and Satterthwaite's degrees of freedom.

    The working model is independent errors of equal variance. With U'WU = I,
    :math:`B_{gh} = (I - H)_g (I - H)_h' = \delta_{gh} I - U_g U_h' W_h - W_g U_g U_h' + U_g \Omega
    U_h'`, :math:`\Omega = U' W^2 U`, has low rank apart from the identity, so each
    :math:`B_{gg}^{-1/2}` follows from an eigenproblem of at most 2K dimensions, and the degrees of
    freedom from sums over clusters: nothing of the size of the sample squared.
    """
    k = basis.shape[1]
    omega = (basis * (weights**2)[:, None]).T @ basis
    core = np.block([[omega, -np.eye(k)], [-np.eye(k), np.zeros((k, k))]])

    sums, own = np.zeros((n_clusters, k)), np.zeros((n_clusters, k))
    factors = np.zeros((n_clusters, 2 * k, k))
    order = np.argsort(codes, kind="stable")
    edges = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=n_clusters))))
    sizes = np.diff(edges)
    for size in np.unique(sizes[sizes > 0]):
        # All clusters of one size together: clusters × tasks × columns.
        g = np.flatnonzero(sizes == size)
        rows = order[edges[g][:, None] + np.arange(size)]
        weighted = weights[rows][..., None] * basis[rows]
        both = np.concatenate([basis[rows], weighted], axis=2)
        adjusted = _times_inverse_root(both, core, weighted)
        sums[g] = np.einsum("gtk,gt->gk", adjusted, residuals[rows])
        q = adjusted @ inverse_r.T  # A_g W_g X_g M c for every coefficient c, in columns
        own[g] = (q**2).sum(axis=1)
        factors[g] = both.transpose(0, 2, 1) @ q

    df = np.empty(k)
    for c in range(k):
        # The estimate is a quadratic form Σ (p_g'e)² with p_g'p_h = δ own_g + f_g' core f_h.
        f = factors[:, :, c]
        low_rank = np.einsum("gi,ij,gj->g", f, core, f)
        gram = core @ (f.T @ f)
        squares = (own[:, c] ** 2 + 2 * own[:, c] * low_rank).sum() + np.trace(gram @ gram)
        df[c] = (own[:, c] + low_rank).sum() ** 2 / squares
    scaled = sums @ inverse_r.T
    return scaled.T @ scaled, df


def _times_inverse_root(factor: FloatArray, core: FloatArray, columns: FloatArray) -> FloatArray:
    """Return (I + factor · core · factor')^(−1/2) · columns of stacks, without null directions."""
    q, r = np.linalg.qr(factor)
    eigenvalues, vectors = np.linalg.eigh(r @ core @ r.transpose(0, 2, 1))
    eigenvalues = 1 + eigenvalues
    kept = eigenvalues > _NULL_EIGENVALUE
    roots = np.where(kept, 1 / np.sqrt(np.where(kept, eigenvalues, 1.0)), 0.0)
    directions = q @ vectors
    turned = (roots - 1)[..., None] * (directions.transpose(0, 2, 1) @ columns)
    return np.asarray(columns + directions @ turned)
