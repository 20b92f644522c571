r"""Classical tests of several algorithms on several tasks: Friedman and Nemenyi.

Both treat the rows as **independent**. Tasks of one dataset are not, so that these tests are
overconfident on tasks; on dataset means (one row per dataset) they are valid.

References
----------
.. [1] J. Demšar (2006). Statistical comparisons of classifiers over multiple data sets. JMLR 7,
   1-30.
.. [2] R. L. Iman, J. M. Davenport (1980). Approximations of the critical region of the Friedman
   statistic. Communications in Statistics A 9(6), 571-595.
.. [3] P. B. Nemenyi (1963). Distribution-free multiple comparisons. PhD thesis, Princeton.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_fraction, check_integer
from occstats._format import Section
from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, as_scores, mirror, upper_pairs
from occstats.stats.ranks import task_ranks
from occstats.stats.sample import Sample

_ASSUMPTIONS = {
    "tasks": "treats all tasks as independent, which tasks of one dataset are not",
    "dataset means": "treats datasets as independent: valid",
    "suite means": "treats suites as independent: valid",
}


class FriedmanResult(NamedTuple):
    """Friedman's test of n rows, and Iman and Davenport's less conservative version of it.

    `chi_squared`, corrected for ties, has `df` degrees of freedom; `iman_davenport` is an F with
    `df_between` and `df_within`.
    """

    n: int
    chi_squared: float
    df: float
    p: float
    iman_davenport: float
    df_between: float
    df_within: float
    p_iman_davenport: float


def friedman(scores: ArrayLike, *, tie_tolerance: float = 0.0) -> FriedmanResult:
    r"""Run Friedman's test that all algorithms are equal, with Iman and Davenport's F.

    .. math:: F = \frac{(n-1)\chi^2}{n(k-1) - \chi^2}

    with k − 1 and (k − 1)(n − 1) degrees of freedom.

    Parameters
    ----------
    scores : array_like, rows × algorithms
        Higher is better; rows with a missing value are dropped. Rows are treated as independent.
    tie_tolerance : float
        Scores are rounded to multiples of it.

    Returns
    -------
    FriedmanResult
        p is 1 if all algorithms tie in all rows.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.6, 0.65], [0.9, 0.7, 0.8]]
    >>> result = friedman(scores)
    >>> round(result.chi_squared, 4), round(result.p, 4), round(result.p_iman_davenport, 4)
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
    p_f = float(special.fdtrc(between, within, f)) if np.isfinite(f) else 0.0
    p = float(special.chdtrc(between, statistic))
    p_f = p_f if within > 0 else float("nan")
    return FriedmanResult(n, statistic, between, p, f, between, within, p_f)


def nemenyi(scores: ArrayLike, *, tie_tolerance: float = 0.0) -> FloatArray:
    r"""Return Nemenyi's two-sided p-values of all pairs, k × k, after Friedman's test.

    :math:`q = \sqrt2\,|\bar R_a - \bar R_b| / \sqrt{k(k+1)/(6n)}` against the studentised range of
    k means with infinitely many degrees of freedom, which corrects for all pairs.

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
    check_integer("n_algorithms", n_algorithms, least=2)
    check_integer("n_blocks", n_blocks)
    check_fraction("alpha", alpha)
    low, high = 0.0, 40.0
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        exceeded = range_exceeded(np.array([middle]), n_algorithms)[0] > alpha
        low, high = (middle, high) if exceeded else (low, middle)
    return (low + high) / 2 * float(np.sqrt(n_algorithms * (n_algorithms + 1) / (12 * n_blocks)))


def range_exceeded(q: FloatArray, k: int) -> FloatArray:
    """Return P(range of k standard normal variables > q), small ones to full precision.

    k ∫ φ(z) [Φ(z)ᵏ⁻¹ − (Φ(z) − Φ(z − q))ᵏ⁻¹] dz over the largest variable z, by the trapezoidal
    rule, which is exact to the last digits here. Replaces `scipy.stats.studentized_range`, whose
    import takes longer than most comparisons.
    """
    z, below, density = _largest(k)
    shares = (special.ndtr(z - width) / below for width in q)
    # 1 − (1 − share)ᵏ⁻¹, which keeps its digits where the share is small; it may be 1.
    with np.errstate(divide="ignore"):
        return np.array([-density @ np.expm1((k - 1) * np.log1p(-share)) for share in shares])


@lru_cache(maxsize=1)
def _largest(k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points z, Φ(z), and the probability that the largest of k variables is near z."""
    step = 0.02
    z = np.arange(-12.0, 12.0 + step, step)
    below = special.ndtr(z)
    density = k * step * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * below ** (k - 1)
    # Smaller z contribute nothing.
    used = np.cumsum(density) > 1e-18
    return z[used], below[used], density[used]


def _ranks(scores: ArrayLike, tie_tolerance: float) -> FloatArray:
    table = as_scores("scores", scores, allow_nan=True)
    complete = table[~np.isnan(table).any(axis=1)]
    if table.shape[1] < 2 or len(complete) < 1:
        raise ArgumentError(
            "scores must have at least two algorithms and one complete row; got "
            f"{table.shape[1]} algorithms and {len(complete)} complete rows."
        )
    return task_ranks(complete, tie_tolerance=tie_tolerance)


@dataclass(frozen=True, eq=False, repr=False)
class Classical(Section):
    """Friedman's test and Nemenyi's, on tasks and on dataset (or suite) means.

    Attributes
    ----------
    friedman : DataFrame
        One row per unit: Friedman's χ², Iman and Davenport's F, Nemenyi's critical difference, and
        the assumption.
    pairs : DataFrame
        One row per unit and unordered pair: Nemenyi's two-sided p-values, which are corrected for
        all pairs by construction.
    """

    friedman: pd.DataFrame
    pairs: pd.DataFrame


def classical_tests(sample: Sample, names: Sequence[str], *, alpha: float = 0.05) -> Classical:
    """Run Friedman's test, and Nemenyi's, on tasks and on dataset (or suite) means.

    Tasks with a missing score are dropped; `alpha` is the level of the critical difference.
    """
    whole = sample.complete_cases
    means, suites = whole.clusters.means(whole.scores), whole.clusters.suites
    averaged = ("dataset means", means) if suites is None else ("suite means", suites.means(means))
    tests, pairs = [], []
    first, second = upper_pairs(len(names))
    for unit, table in (("tasks", whole.scores), averaged):
        if len(table) < 2:
            continue
        found = friedman(table, tie_tolerance=sample.tie_tolerance)
        tests.append(
            {
                "unit": unit,
                **found._asdict(),
                "critical_difference": critical_difference(len(names), found.n, alpha),
                "valid": unit != "tasks",
                "assumption": _ASSUMPTIONS[unit],
            }
        )
        means = _ranks(table, sample.tie_tolerance).mean(axis=0)
        of_pairs = {
            "unit": unit,
            "a": [names[place] for place in first],
            "b": [names[place] for place in second],
            "mean_rank_difference": means[first] - means[second],
            "p_nemenyi": nemenyi(table, tie_tolerance=sample.tie_tolerance)[first, second],
        }
        pairs.append(pd.DataFrame(of_pairs))
    return Classical(
        friedman=pd.DataFrame(tests),
        pairs=pd.concat(pairs, ignore_index=True) if pairs else pd.DataFrame(),
    )
