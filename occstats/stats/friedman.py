r"""The classical tests for several algorithms on several tasks: Friedman, Nemenyi, Conover.

All three treat the rows as **independent**. Tasks of one dataset are not, so that these tests are
overconfident on tasks; on dataset means (one row per dataset) they are valid.

References
----------
.. [1] J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7,
   1-30.
.. [2] R. L. Iman, J. M. Davenport (1980). Approximations of the critical region of the Friedman
   statistic. Communications in Statistics A 9(6), 571-595.
.. [3] P. B. Nemenyi (1963). Distribution-free multiple comparisons. PhD thesis, Princeton.
.. [4] W. J. Conover (1999). Practical Nonparametric Statistics, 3rd edition, section 5.8.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, as_scores, mirror, upper_pairs
from occstats.stats.ranks import task_ranks


@dataclass(frozen=True, eq=False)
class FriedmanResult:
    """Friedman's test and Iman and Davenport's less conservative version of it.

    Attributes
    ----------
    statistic, df, pvalue : float
        Friedman's χ² with the correction for ties.
    f_statistic, df_between, df_within, f_pvalue : float
        Iman and Davenport's F.
    ranks : ndarray, rows × algorithms
        1 is best.
    mean_ranks : ndarray
        Of the algorithms.
    n_blocks : int
        Rows (tasks or datasets).
    """

    statistic: float
    df: float
    pvalue: float
    f_statistic: float
    df_between: float
    df_within: float
    f_pvalue: float
    ranks: FloatArray
    mean_ranks: FloatArray
    n_blocks: int


def friedman(scores: ArrayLike, *, tie_tolerance: float = 0.0) -> FriedmanResult:
    r"""Test by Friedman's ranks that all algorithms are equal, with Iman and Davenport's F.

    .. math:: F = \frac{(n-1)\chi^2}{n(k-1) - \chi^2}

    with k − 1 and (k − 1)(n − 1) degrees of freedom.

    Parameters
    ----------
    scores : array_like, rows × algorithms
        Higher is better; rows with a missing value are left out. Rows are taken for independent.
    tie_tolerance : float
        Scores are rounded to multiples of it.

    Returns
    -------
    FriedmanResult
        p is 1 where all algorithms tie in all rows.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.65], [0.9, 0.7, 0.8]]
    >>> result = friedman(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 4), round(result.f_pvalue, 4)
    (6.0, 0.0498, 0.0156)
    """
    ranks = _ranks(scores, tie_tolerance)
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    spread = float(np.sum((ranks - (k + 1) / 2) ** 2)) / (n * (k - 1))
    statistic = n * float(np.sum((means - (k + 1) / 2) ** 2)) / spread if spread > 0 else 0.0
    rest = n * (k - 1) - statistic
    # Perfect agreement: the F statistic is infinite, and its p-value zero.
    f = (n - 1) * statistic / rest if rest > 1e-12 * n * k else np.inf
    between, within = float(k - 1), float((k - 1) * (n - 1))
    f_pvalue = float(special.fdtrc(between, within, f)) if np.isfinite(f) else 0.0
    return FriedmanResult(
        statistic=statistic,
        df=between,
        pvalue=float(special.chdtrc(between, statistic)),
        f_statistic=f,
        df_between=between,
        df_within=within,
        f_pvalue=f_pvalue if within > 0 else float("nan"),
        ranks=ranks,
        mean_ranks=means,
        n_blocks=n,
    )


def nemenyi(scores: ArrayLike | FriedmanResult, *, tie_tolerance: float = 0.0) -> FloatArray:
    r"""Return Nemenyi's two-sided p-values of all pairs, k × k, after Friedman's test.

    :math:`q = \sqrt2\,|\bar R_a - \bar R_b| / \sqrt{k(k+1)/(6n)}` against the studentised range of
    k means with infinitely many degrees of freedom, which already covers all pairs. Instead of the
    scores, Friedman's test of them will do, whose ranks are then taken.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.65], [0.9, 0.7, 0.8]]
    >>> nemenyi(scores)[0].round(4)
    array([1.    , 0.0855, 0.0855])
    """
    ranks = _ranks(scores, tie_tolerance)
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    first, second = upper_pairs(k)
    q = np.sqrt(2) * np.abs(means[first] - means[second]) / np.sqrt(k * (k + 1) / (6 * n))
    distinct, place = np.unique(q, return_inverse=True)
    p = np.clip(range_exceeded(distinct, k), 0.0, 1.0)[place]
    return mirror(p, p, k, 1.0)


def critical_difference(n_algorithms: int, n_blocks: int, alpha: float = 0.05) -> float:
    r"""Return Nemenyi's critical difference of mean ranks.

    :math:`q_\alpha / \sqrt2 \cdot \sqrt{k(k+1)/(6n)}`.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demšar (2006), section 3.2.2: 1.25
    1.25
    """
    low, high = 0.0, 40.0
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        exceeded = range_exceeded(np.array([middle]), n_algorithms)[0] > alpha
        low, high = (middle, high) if exceeded else (low, middle)
    return (low + high) / 2 * float(np.sqrt(n_algorithms * (n_algorithms + 1) / (12 * n_blocks)))


def range_exceeded(q: FloatArray, k: int) -> FloatArray:
    """Return P(range of k standard normal variables > q), with small ones to full precision.

    `scipy.stats.studentized_range` with infinitely many degrees of freedom, whose import takes
    longer than most comparisons: k ∫ φ(z) [Φ(z)ᵏ⁻¹ − (Φ(z) − Φ(z − q))ᵏ⁻¹] dz, z being the largest
    of them, by the trapezoidal rule, which is exact to the last digits for a function like that.

    Examples
    --------
    >>> range_exceeded(np.array([3.3144931554]), 3).round(9)
    array([0.05])
    """
    z, below, density = _largest(k)
    shares = (special.ndtr(z - width) / below for width in q)
    # 1 − (1 − share)ᵏ⁻¹, which keeps its digits where the share is small; it may be 1.
    with np.errstate(divide="ignore"):
        return np.array([-density @ np.expm1((k - 1) * np.log1p(-share)) for share in shares])


@lru_cache(maxsize=1)
def _largest(k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return some z, Φ(z), and the probability that the largest of k variables is about z."""
    step = 0.02
    z = np.arange(-12.0, 12.0 + step, step)
    below = special.ndtr(z)
    density = k * step * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * below ** (k - 1)
    # The larger z, the likelier the range exceeds anything: below these, nothing that counts.
    used = np.cumsum(density) > 1e-18
    return z[used], below[used], density[used]


def conover(scores: ArrayLike | FriedmanResult, *, tie_tolerance: float = 0.0) -> FloatArray:
    r"""Return Conover's two-sided p-values of all pairs after Friedman's test, not corrected.

    .. math:: t = \frac{|R_a - R_b|}{\sqrt{2 (n A - \sum_j R_j^2) / ((n-1)(k-1))}}

    with rank sums R, the sum A of all squared ranks, and (n − 1)(k − 1) degrees of freedom. Instead
    of the scores, Friedman's test of them will do, whose ranks are then taken.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.65], [0.9, 0.7, 0.8]]
    >>> conover(scores)[0].round(4)
    array([1.    , 0.0104, 0.0104])
    """
    ranks = _ranks(scores, tie_tolerance)
    n, k = ranks.shape
    sums = ranks.sum(axis=0)
    df = (n - 1) * (k - 1)
    first, second = upper_pairs(k)
    difference = np.abs(sums[first] - sums[second])
    rest = max(0.0, n * float(np.sum(ranks**2)) - float(np.sum(sums**2)))
    if df == 0:
        p = np.full(len(first), np.nan)
    elif rest <= 1e-12 * n * float(np.sum(ranks**2)):
        # All rows agree: any difference at all is beyond chance.
        p = np.where(difference > 0, 0.0, 1.0)
    else:
        p = 2 * special.stdtr(df, -difference / np.sqrt(2 * rest / df))
    return mirror(p, p, k, 1.0)


def _ranks(scores: ArrayLike | FriedmanResult, tie_tolerance: float) -> FloatArray:
    if isinstance(scores, FriedmanResult):
        return scores.ranks
    table = as_scores("scores", scores, allow_nan=True)
    complete = table[~np.isnan(table).any(axis=1)]
    if table.shape[1] < 2 or len(complete) < 1:
        raise ArgumentError(
            "scores must have at least two algorithms and one complete row; got "
            f"{table.shape[1]} algorithms and {len(complete)} complete rows."
        )
    return task_ranks(complete, tie_tolerance=tie_tolerance)
