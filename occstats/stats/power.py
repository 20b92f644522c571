"""Power of a benchmark: smallest p-value, minimal detectable difference, datasets needed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_choice, check_fraction
from occstats.stats._arrays import FloatArray, as_vector
from occstats.stats.clusters import Clusters, mean_errors, weighted_means
from occstats.stats.signed_rank import TESTS
from occstats.stats.signed_rank.null import tail


@dataclass(frozen=True)
class DatasetsNeeded:
    """Datasets needed for a pair, if the observed datasets are representative.

    Attributes
    ----------
    n_clusters : int
        Number of datasets.
    power_now : float
        Share of simulated benchmarks of the present size in which the test is significant.
    needed : float
        Datasets for the desired power; infinity if more than `limit`.
    limit : int
        Largest number tried.
    """

    n_clusters: int
    power_now: float
    needed: float
    limit: int


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
    >>> float(smallest_p(5)), float(smallest_p(5, alternative="two-sided"))
    (0.03125, 0.0625)
    >>> round(float(smallest_p(5, null="asymptotic")), 4)
    0.0127
    """
    check_choice("null", null, ("exact", "permutation", "asymptotic"))
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
    sd, m = np.asarray(standard_deviation, dtype=float), np.asarray(n_clusters, dtype=float)
    df = np.where(m >= 2, m - 1, np.nan)
    level = alpha / 2 if alternative == "two-sided" else alpha
    multiplier = special.stdtrit(df, 1 - level) + special.stdtrit(df, power)
    return np.asarray(multiplier * sd / np.sqrt(np.where(m >= 2, m, np.nan)))


def datasets_needed(
    x: ArrayLike,
    clusters: ArrayLike | Clusters,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: str = "greater",
    estimand: str = "typical",
    test: str = "rgl",
    tie_tolerance: float = 0.0,
    n_resamples: int = 1_000,
    limit: int | None = None,
    random_state: int | None = None,
) -> DatasetsNeeded:
    """Estimate by simulation how many datasets (not tasks) give the desired power.

    Benchmarks of M datasets [1]_ are drawn from the observed ones, with all their tasks, and
    tested; M is doubled and then bisected until the share of significant benchmarks reaches the
    power. The observed difference is assumed to be the true one.

    Parameters
    ----------
    x : array_like
        Differences, one per task; "greater" tests for a positive difference, "less" a negative one.
    clusters : array_like
        The dataset of each task.
    power, alpha, alternative
        Desired power, and level and alternative of the test.
    estimand : {"typical", "mean"}
        The signed-rank `test`, or Student's t of the datasets' mean differences.
    test, tie_tolerance
        The signed-rank test and its ties.
    n_resamples : int
        Simulated benchmarks per size.
    limit : int, optional
        Largest M tried; by default 20 times the present number.
    random_state : int or None
        Seed.

    References
    ----------
    .. [1] A. Donner, N. Klar (2000). Design and Analysis of Cluster Randomization Trials in Health
       Research (power is limited by clusters, not by units).

    Examples
    --------
    >>> x = np.tile([0.3, 0.1, -0.1, 0.2], 5)
    >>> found = datasets_needed(x, np.arange(20), random_state=0, n_resamples=500)
    >>> bool(found.power_now > 0.8), bool(5 < found.needed < 20)
    (True, True)
    """
    check_fraction("alpha", alpha)
    check_fraction("power", power)
    values = as_vector("x", x, allow_nan=True)
    check_choice("test", test, TESTS)
    check_choice("estimand", estimand, ("typical", "mean"))
    known = ~np.isnan(values)
    observed = Clusters.of(clusters, len(values)).keep(known)
    m = observed.independent.n_clusters
    largest = limit or max(20 * m, 2)
    if m < 2:
        return DatasetsNeeded(m, float("nan"), float("inf"), largest)
    sample = TESTS[test].single(values[known], observed, tie_tolerance)
    means = observed.means(values[known][:, None])

    def p_values(counts: FloatArray, size: int) -> FloatArray:
        if estimand == "typical":
            return tail(sample.resampled(0, counts), alternative)
        counts = counts if observed.suites is None else counts[:, observed.suites.codes]
        errors = mean_errors(means, counts, observed.suites)[:, 0]
        t = weighted_means(means, counts)[:, 0] / errors
        side = {"two-sided": -np.abs(t), "greater": -t, "less": t}[alternative]
        return np.asarray((2 if alternative == "two-sided" else 1) * special.stdtr(size - 1, side))

    def share(size: int) -> float:
        # One stream per size, so that the answer does not depend on the path of the search.
        rng = np.random.default_rng([random_state or 0, size])
        counts = rng.multinomial(size, np.full(m, 1 / m), size=n_resamples).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(np.mean(p_values(counts, size) <= alpha))

    return DatasetsNeeded(m, share(m), _first(share, power, m, largest), largest)


def _first(share: Callable[[int], float], power: float, start: int, limit: int) -> float:
    """Find the smallest size with at least this share, by doubling or halving and bisection."""
    low, high = 1, start
    while share(high) < power:
        if high >= limit:
            return float("inf")
        low, high = high, min(2 * high, limit)
    while low > 1 and share(low) >= power:
        low //= 2
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if share(middle) >= power else (middle, high)
    return float(high)


@cache
def _studentised_range(alpha: float, k: int, df: int) -> float:
    # Takes a quarter of a second.
    from scipy import stats

    return float(stats.studentized_range.isf(alpha, k, df))


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
    control. The signed-rank test needs :math:`\pi/3` times as many datasets [1]_, and enough of
    them for its smallest p-value.

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
    (0.81, 0.36)
    """
    check_choice("estimand", estimand, ("mean", "typical"))
    if n_clusters < 2 or (estimand == "typical" and 2.0 ** (1 - n_clusters) > alpha):
        return 0.0
    df, size = n_clusters - 1, n_algorithms - 1
    if many_to_one or n_algorithms == 2:
        critical = float(special.stdtrit(df, 1 - alpha / 2 / size))
    else:
        critical = _studentised_range(alpha, n_algorithms, df) / np.sqrt(2)
    useful = n_clusters if estimand == "mean" else 3 / np.pi * n_clusters
    shift = abs(difference) / max(standard_deviation, 1e-300) * np.sqrt(useful)
    return 1.0 if shift > 30 else float(1 - special.nctdtr(df, shift, critical))
