"""Power of a benchmark: smallest p-value, minimal detectable difference, power of max-T."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_choice, check_fraction
from occstats.stats._arrays import FloatArray
from occstats.stats.means import mean_tests
from occstats.stats.signed_rank import ALTERNATIVES

#: From here on, bootstrap-t and Student's t over datasets have nearly the same critical values.
FEW_FOR_BOOTSTRAP = 60


def smallest_p(
    n_clusters: ArrayLike, *, null: str = "exact", alternative: str = "greater"
) -> FloatArray:
    r"""Return the smallest p-value that a test over this number of clusters can give.

    The :math:`2^m` sign flips of m clusters give :math:`p \ge 2^{-m}` [1]_; asymptotically,
    :math:`Z = \sum R_i / \sqrt{\sum R_i^2} \le \sqrt m` gives :math:`p \ge \Phi(-\sqrt m)`. Both
    double for a two-sided test.

    Parameters
    ----------
    n_clusters : int or array_like
        Clusters with a difference other than zero.
    null : {"exact", "permutation", "asymptotic"}
        "permutation" has the bound of "exact", and is also at least 1/(B + 1).
    alternative : {"greater", "less", "two-sided"}
        Alternative.

    References
    ----------
    .. [1] P. Good (2005). Permutation, Parametric and Bootstrap Tests of Hypotheses, 3rd edition.

    Examples
    --------
    >>> smallest_p([0, 5], alternative="two-sided").tolist(), float(smallest_p(5))
    ([1.0, 0.0625], 0.03125)
    >>> round(float(smallest_p(5, null="asymptotic")), 4)
    0.0127
    """
    check_choice("null", null, ("exact", "permutation", "asymptotic"))
    check_choice("alternative", alternative, ALTERNATIVES)
    m = np.asarray(n_clusters, dtype=float)
    p = special.ndtr(-np.sqrt(m)) if null == "asymptotic" else 0.5**m
    return np.asarray(np.minimum(1.0, p * (2 if alternative == "two-sided" else 1)))


def minimal_detectable_difference(
    standard_deviation: ArrayLike,
    n_clusters: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: str = "greater",
) -> FloatArray:
    r"""Return the smallest mean difference that m datasets detect with the given power.

    .. math:: \delta = (t_{1-\alpha, m-1} + t_{power, m-1})\, s / \sqrt m

    with the standard deviation s of the datasets' mean differences [1]_ (α/2 if two-sided); NaN
    with fewer than two datasets.

    References
    ----------
    .. [1] H. S. Bloom (1995). Minimum detectable effects. Evaluation Review 19(5), 547-556.

    Examples
    --------
    >>> round(float(minimal_detectable_difference(0.05, 50)), 4)
    0.0179
    """
    check_fraction("alpha", alpha)
    check_fraction("power", power)
    check_choice("alternative", alternative, ALTERNATIVES)
    sd, m = np.asarray(standard_deviation, dtype=float), np.asarray(n_clusters, dtype=float)
    df = np.where(m >= 2, m - 1, np.nan)
    level = alpha / 2 if alternative == "two-sided" else alpha
    multiplier = special.stdtrit(df, 1 - level) + special.stdtrit(df, power)
    return np.asarray(multiplier * sd / np.sqrt(np.where(m >= 2, m, np.nan)))


@cache
def _studentised_range(alpha: float, k: int, df: int) -> float:
    # Takes a quarter of a second.
    from scipy import stats

    return float(stats.studentized_range.isf(alpha, k, df))


@cache
def _bootstrap_critical(alpha: float, k: int, m: int, many_to_one: bool) -> float:
    """Return the median critical value of bootstrap-t tests of normal samples."""
    rng, repeats = np.random.default_rng(0), max(3, min(20, 2_000 // k**2))
    found = [
        mean_tests(
            rng.normal(size=(m, k)),
            np.arange(m),
            control=0 if many_to_one else None,
            alpha=alpha,
            n_resamples=999,
            random_state=seed,
        ).critical[0, 1]
        for seed in range(repeats)
    ]
    return float(np.median(found))


def mean_power(
    difference: float,
    standard_deviation: float,
    n_clusters: int,
    *,
    alpha: float = 0.05,
    n_algorithms: int = 2,
    many_to_one: bool = False,
    estimand: str = "mean",
) -> float:
    r"""Return the power to find one pair different among all pairs, by max-T.

    With normal mean differences of datasets the statistic is noncentral t; its critical value is
    that of Tukey's studentised range for all pairs, and Bonferroni's for comparisons with one
    control. With fewer than 60 datasets the test of means is stricter: its critical value is the
    median of those of bootstrap-t tests of normal samples. The signed-rank test needs
    :math:`\pi/3` times as many datasets [1]_, and enough of them for its smallest p-value.

    Parameters
    ----------
    difference, standard_deviation : float
        True mean difference, and the standard deviation of the datasets' mean differences.
    n_clusters : int
        Datasets.
    alpha, n_algorithms, many_to_one
        Joint level of all pairs of this number of algorithms, or of those with one control.
    estimand : {"mean", "typical"}
        The test of means, or the signed-rank test.

    References
    ----------
    .. [1] E. L. Lehmann (1975). Nonparametrics: Statistical Methods Based on Ranks, section 4.2.

    Examples
    --------
    >>> round(mean_power(0.5, 1.0, 34), 2), round(mean_power(0.5, 1.0, 34, n_algorithms=9), 2)
    (0.79, 0.31)
    >>> [round(mean_power(1.0, 1.0, m, estimand="typical"), 2) for m in (5, 6, 20)]
    [0.0, 0.49, 0.99]
    """
    check_choice("estimand", estimand, ("mean", "typical"))
    if n_clusters < 2 or (estimand == "typical" and 2.0 ** (1 - n_clusters) > alpha):
        return 0.0
    df, size = n_clusters - 1, n_algorithms - 1
    if many_to_one or n_algorithms == 2:
        critical = float(special.stdtrit(df, 1 - alpha / 2 / size))
    else:
        critical = _studentised_range(alpha, n_algorithms, df) / np.sqrt(2)
    if estimand == "mean" and n_clusters < FEW_FOR_BOOTSTRAP:
        critical = max(critical, _bootstrap_critical(alpha, n_algorithms, n_clusters, many_to_one))
    useful = n_clusters if estimand == "mean" else 3 / np.pi * n_clusters
    shift = abs(difference) / max(standard_deviation, 1e-300) * np.sqrt(useful)
    return 1.0 if shift > 30 else float(1 - special.nctdtr(df, shift, critical))
