r"""Simultaneous tests of mean differences: bootstrap-t over the datasets' mean differences.

The difference of a pair is the mean over datasets of the mean over their tasks. Resamples of whole
datasets give the distribution of :math:`t^* = (\bar x^* - \bar x)/s^*` [2]_. One pair has the
equal-tailed interval; several pairs share one critical value, the quantile of the largest
:math:`|t^*|` over all pairs [1]_. P-values and limits are never more optimistic than those of
Student's t over datasets, which replaces the bootstrap, with Bonferroni's correction, for pairs
with fewer than six datasets.

No method learns from m datasets about failures that affect fewer than about 3 in m datasets [3]_.

References
----------
.. [1] J. P. Romano, M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis
   testing. Journal of the American Statistical Association 100(469), 94-108.
.. [2] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application, section 5.
.. [3] R. R. Bahadur, L. J. Savage (1956). The nonexistence of certain statistical procedures in
   nonparametric problems. Annals of Mathematical Statistics 27(4), 1115-1122.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_choice, check_fraction, check_integer, check_number
from occstats.errors import ArgumentError
from occstats.stats._arrays import BoolArray, FloatArray, antisymmetric, mirror
from occstats.stats.bayes import BayesianPairs
from occstats.stats.bootstrap import Counts, PosteriorWeights, over_rows, studentised
from occstats.stats.clusters import (
    FEW_CLUSTERS,
    Clusters,
    effective_units,
    mean_errors,
    weighted_means,
)
from occstats.stats.max_t import (
    Limits,
    PairTests,
    Positions,
    critical_value,
    family_of,
)
from occstats.stats.sample import Sample
from occstats.stats.signed_rank import ALTERNATIVES
from occstats.stats.signed_rank.null import SAME_Z, RandomState

# Resamples × pairs in memory at a time.
_CHUNK_ELEMENTS = 4_000_000


def mean_tests(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    control: int | None = None,
    family: BoolArray | None = None,
    alpha: float = 0.05,
    simultaneous: bool = True,
    null: str = "bootstrap",
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> PairTests:
    """Test whether one algorithm has the higher mean score, averaged over datasets, for all pairs.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k), or Sample
        Higher is better; NaN marks a missing score.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    control : int, optional
        Test only this column against the others.
    family : ndarray of bool, optional
        Test only these of the pairs a < b.
    alpha : float
        Joint level of all intervals if `simultaneous`, else the level of each.
    simultaneous : bool
        Correct for all pairs by max-T; else ``p`` is the two-sided p-value of the single test.
        Asymptotic p-values are never corrected; see :func:`adjust_pairs`.
    null : {"bootstrap", "asymptotic"}
        Bootstrap-t, or Student's t.
    alternative : {"two-sided", "greater", "less"}
        Alternative of ``p_unadjusted``: row greater than column. Intervals are two-sided.
    n_resamples, random_state
        Resamples of whole datasets, and their seed.

    Examples
    --------
    >>> from occstats.stats import mean_tests
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 3)) + [1.5, 0.0, 0.0]
    >>> found = mean_tests(scores, np.arange(30) // 2, random_state=0)
    >>> bool(found.low[0, 1] > 0), bool(found.p[0, 1] <= 0.05)
    (True, True)
    >>> bool(found.low[1, 2] < 0 < found.high[1, 2]), bool(found.p[1, 2] <= 0.05)
    (True, False)
    """
    check_choice("null", null, ("bootstrap", "asymptotic"))
    check_choice("alternative", alternative, ALTERNATIVES)
    check_fraction("alpha", alpha)
    check_integer("n_resamples", n_resamples, least=1)
    sample = Sample.of(scores, clusters)
    if np.isinf(sample.scores).any():
        raise ArgumentError("scores must be finite for a mean; give failed runs a score first.")
    k, suites = sample.n_algorithms, sample.clusters.suites
    family = family_of(k, control, family)
    means = dataset_means(sample)[:, family]
    once = np.ones((1, len(means)))
    estimate, error = weighted_means(means, once)[0], mean_errors(means, once, suites)[0]
    units = effective_units(means, suites)
    few = units < FEW_CLUSTERS
    # Rounding errors are no spread.
    rounding = 1e-12 * np.nanmax(np.abs(sample.scores))
    constant = (error <= rounding) & (units >= 2)
    error = np.where(constant, 0.0, error)
    estimate = np.where(constant & (np.abs(estimate) <= rounding), 0.0, estimate)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(error > 0, estimate / error, np.nan)
    n_tests = means.shape[1] if simultaneous else 1
    tails = _student(t, units, alpha)
    if null == "bootstrap":
        counts = Counts.of(sample.clusters, n_resamples, random_state)
        together = ~few & ~constant if n_tests > 1 else None
        found = _bootstrap(means, counts, suites, t, alpha, together)
        # Neither p-values nor critical values are below Student's.
        tails = np.fmax(tails, found)
    tails = np.where(few, _student(t, units, alpha, n_tests), tails)
    tails = np.where(constant, _constant(estimate, units, alpha), tails)
    p, greater, less, upper, lower = tails
    single = np.minimum(1.0, 2 * np.minimum(greater, less))
    p = p if n_tests > 1 else single
    with np.errstate(invalid="ignore"):
        low, high = estimate - upper * error, estimate + lower * error
    # A constant difference on few datasets has infinite limits.
    rejected = p <= alpha
    unknown = constant & (estimate != 0) & ~rejected
    low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    # Rounding must not put a limit on the other side of 0 than p does.
    low = np.where(rejected & (estimate > 0), np.maximum(low, 0.0), low)
    high = np.where(rejected & (estimate < 0), np.minimum(high, 0.0), high)
    low, high = (
        np.where(rejected, limit, toward(limit, 0.0))
        for limit, toward in ((low, np.minimum), (high, np.maximum))
    )
    t = np.where(constant, certain_statistic(estimate, units), t)
    sides = {"two-sided": (single, single), "greater": (greater, less), "less": (less, greater)}

    def whole(values: FloatArray) -> FloatArray:
        filled = np.full(len(family), np.nan)
        filled[family] = values
        return filled

    def square(values: FloatArray, mirrored: FloatArray, diagonal: float = np.nan) -> FloatArray:
        return mirror(whole(values), whole(mirrored), k, diagonal) + 0.0

    return PairTests(
        difference=square(estimate, -estimate, 0.0),
        statistic=square(t, -t, 0.0),
        p=square(p, p),
        critical=square(upper, lower),
        n_resamples=n_resamples if null == "bootstrap" else 0,
        exact=False,
        pair_limits=partial(_select, whole(low), whole(high)),
        single_p=square(*sides[alternative]).copy,
    )


def _select(low: FloatArray, high: FloatArray, pairs: Positions) -> Limits:
    return low[pairs], high[pairs]


def certain_statistic(estimate: FloatArray, units: FloatArray) -> FloatArray:
    """Return the normal quantile of p = 2^(1 − m), for equal differences on all m datasets."""
    return np.asarray(-np.sign(estimate) * special.ndtri(0.5**units))


def mean_differences(scores: ArrayLike | Sample, clusters: ArrayLike | None = None) -> FloatArray:
    """Return the mean over datasets of the mean difference on their tasks, for all pairs.

    Examples
    --------
    >>> scores = [[0.9, 0.7], [0.8, 0.6], [0.7, 0.6]]
    >>> mean_differences(scores, ["iris", "iris", "wine"]).round(6).tolist()
    [[0.0, 0.15], [-0.15, 0.0]]
    """
    sample = Sample.of(scores, clusters)
    means = dataset_means(sample)
    return antisymmetric(weighted_means(means, np.ones((1, len(means))))[0], sample.n_algorithms)


def dataset_means(sample: Sample) -> FloatArray:
    """Return the mean differences of all pairs: datasets × pairs."""
    blocks = [block.cluster_means for block in sample.blocks()]
    return np.concatenate([np.zeros((sample.n_clusters, 0)), *blocks], axis=1)


def _student(t: FloatArray, units: FloatArray, alpha: float, n_tests: int = 1) -> FloatArray:
    """Return p-values (Bonferroni, greater, less) and critical values (twice) of Student's t."""
    freedom = np.where(units >= 2, np.maximum(units - 1, 1.0), np.nan)
    greater, less = special.stdtr(freedom, -t), special.stdtr(freedom, t)
    p = np.minimum(1.0, n_tests * 2 * special.stdtr(freedom, -np.abs(t)))
    critical = special.stdtrit(freedom, 1 - alpha / n_tests / 2)
    return np.stack([p, greater, less, critical, critical])


def _constant(estimate: FloatArray, units: FloatArray, alpha: float) -> FloatArray:
    """Return the same for equal differences on all datasets, by the sign test."""
    p = np.where(estimate == 0, 1.0, 2.0 ** (1 - units))
    half = np.where(estimate == 0, 1.0, p / 2)
    greater, less = np.where(estimate < 0, 1.0, half), np.where(estimate > 0, 1.0, half)
    critical = np.full(len(p), special.ndtri(1 - alpha / 2) - 2 * SAME_Z)
    return np.stack([p, greater, less, critical, critical])


def _bootstrap(
    means: FloatArray,
    counts: Counts,
    suites: Clusters | None,
    t: FloatArray,
    alpha: float,
    together: BoolArray | None,
) -> FloatArray:
    """Return the same by bootstrap-t: of each pair separately, or by the largest pivot of some."""
    once = np.ones((1, len(means)))
    estimate, error = weighted_means(means, once)[0], mean_errors(means, once, suites)[0]

    def pivots(rows: FloatArray, columns: slice) -> FloatArray:
        return studentised(means[:, columns], rows, suites, estimate[columns], error[columns])[1]

    p, greater, less, upper, lower = tails = np.zeros((5, len(t)))
    n = len(counts)
    largest = np.zeros((n, 1))
    step = max(1, _CHUNK_ELEMENTS // n)
    for start in range(0, len(t), step):
        part = slice(start, start + step)
        values = over_rows(partial(pivots, columns=part), counts)
        greater[part] = (1 + np.count_nonzero(values >= t[part] - SAME_Z, axis=0)) / (n + 1)
        less[part] = (1 + np.count_nonzero(values <= t[part] + SAME_Z, axis=0)) / (n + 1)
        if together is None:
            upper[part] = critical_value(values, alpha / 2)
            lower[part] = critical_value(-values, alpha / 2)
        else:
            sizes = np.abs(values[:, together[part]])
            largest = np.maximum(largest, sizes.max(axis=1, keepdims=True, initial=0.0))
    if together is not None:
        reached = n - np.searchsorted(np.sort(largest[:, 0]), np.abs(t) - SAME_Z)
        p[:] = (1 + reached) / (n + 1)
        upper[:] = lower[:] = critical_value(largest, alpha)
    return tails


def difference_posterior(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    rope: float = 0.01,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> BayesianPairs:
    """Compute the posterior of the mean difference: above, within and below a ROPE.

    Uses the Bayesian bootstrap [1]_, with Dirichlet weights over datasets.

    Parameters
    ----------
    scores, clusters
        As in `mean_tests`.
    rope : float
        Half-width of the region of practical equivalence.
    n_resamples, random_state
        Draws and their seed.

    References
    ----------
    .. [1] D. B. Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.7], [0.8, 0.6], [0.9, 0.6], [0.7, 0.69], [0.8, 0.5]])
    >>> found = difference_posterior(scores, list("aabcd"), random_state=0)
    >>> bool(found.better[0, 1] > 0.95), bool(found.better[0, 1] == found.worse[1, 0])
    (True, True)
    """
    check_number("rope", rope, least=0)
    sample = Sample.of(scores, clusters)
    k = sample.n_algorithms
    draws = PosteriorWeights.of(sample.clusters, n_resamples, random_state)
    parts = []
    for block in sample.blocks(per_pair=2 * n_resamples):
        found = over_rows(partial(weighted_means, block.cluster_means), draws)
        above, below = (found > rope).mean(axis=0), (found < -rope).mean(axis=0)
        unknown = np.isnan(found).all(axis=0)
        within = np.maximum(1 - above - below, 0)
        parts.append(np.where(unknown, np.nan, np.stack([above, within, below])))
    better, equivalent, worse = np.concatenate(parts, axis=1)
    return BayesianPairs(
        better=mirror(better, worse, k, 0.0),
        equivalent=mirror(equivalent, equivalent, k, 1.0),
        worse=mirror(worse, better, k, 0.0),
    )
