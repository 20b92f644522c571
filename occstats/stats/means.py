r"""Mean differences of all pairs at once: bootstrap-t over the datasets' mean differences.

The difference of a pair is the mean over datasets of the mean over their tasks. Resamples of whole
datasets give the distribution of :math:`t^* = (\bar x^* - \bar x)/s^*`. One pair has the
equal-tailed interval; several pairs share one critical value, the quantile of the largest
:math:`|t^*|` over all pairs [1]_. Neither p-values nor limits are ever more optimistic than those
of Student's t with one degree of freedom less than there are datasets, which alone serves, with
Bonferroni's correction, where a pair has fewer than six datasets.

No method learns from m datasets about failures that hit fewer than about 3 in m of all datasets
[3]_.

References
----------
.. [1] J. P. Romano, M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis
   testing. Journal of the American Statistical Association 100(469), 94-108.
.. [2] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application, section 5.
.. [3] R. R. Bahadur, L. J. Savage (1956). The nonexistence of certain statistical procedures in
   nonparametric problems. Annals of Mathematical Statistics 27(4), 1115-1122.
.. [4] D. B. Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats.checks import check_choice, check_fraction, check_integer, check_number
from occstats.stats.arrays import FloatArray, IntArray
from occstats.stats.bayes import BayesianPairs
from occstats.stats.cluster_means import (
    FEW_CLUSTERS,
    effective_units,
    mean_errors,
    weighted_means,
)
from occstats.stats.clusters import Clusters
from occstats.stats.draws import Counts, PosteriorWeights, over_rows
from occstats.stats.max_t import PairTests, critical_value, in_family, largest_of
from occstats.stats.pairs import antisymmetric, mirror
from occstats.stats.sample import Sample
from occstats.stats.tests.null import SAME_Z, RandomState
from occstats.stats.tests.registry import ALTERNATIVES

__all__ = ["difference_posterior", "mean_differences", "mean_tests"]

# Resamples × pairs that are held at once.
_CHUNK_ELEMENTS = 4_000_000


def mean_tests(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    control: int | None = None,
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
    alpha : float
        Level of the intervals: of all together if `simultaneous`, else of each.
    simultaneous : bool
        Correct for all pairs; else ``p`` is the two-sided p-value of the single test.
    null : {"bootstrap", "asymptotic"}
        Bootstrap-t, or Student's t.
    alternative : {"two-sided", "greater", "less"}
        Of ``p_unadjusted``: row greater than column. Intervals are two-sided throughout.
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
    k, suites = sample.n_algorithms, sample.clusters.suites
    family = in_family(k, control)
    blocks = [sample.clusters.means(block.differences) for block in sample.blocks()]
    means = np.concatenate(blocks, axis=1)[:, family]
    once = np.ones((1, len(means)))
    estimate, error = weighted_means(means, once)[0], mean_errors(means, once, suites)[0]
    # A spread of the size of rounding errors is none.
    error = np.where(error <= 1e-12 * np.nanmax(np.abs(sample.scores)), 0.0, error)
    units = effective_units(means, suites)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(error > 0, estimate / error, np.nan)
    n_tests = means.shape[1] if simultaneous else 1
    student = _Student(t, units, alpha)
    upper, lower = student.critical, student.critical
    p, greater, less = student.two_sided, student.greater, student.less
    critical = np.zeros(k + 1)
    if null == "bootstrap":
        counts = Counts.of(sample.clusters, n_resamples, random_state)
        largest = np.zeros((n_resamples, k + 1)) if n_tests > 1 else None
        found = _bootstrap(means, counts, suites, t, alpha, np.flatnonzero(family), largest)
        upper, lower, greater, less = (
            np.fmax(*both) for both in zip(found, (upper, lower, greater, less), strict=True)
        )
        if largest is not None:
            critical = critical_value(largest, alpha, exact=False)
            upper, lower = np.fmax(critical[0], upper), np.fmax(critical[0], lower)
            ordered = np.sort(largest[:, 0])
            reached = n_resamples - np.searchsorted(ordered, np.abs(t) - SAME_Z, side="left")
            p = np.fmax((1 + reached) / (n_resamples + 1), p)
    single = np.minimum(1.0, 2 * np.minimum(greater, less))
    # Few datasets say too little about their spread for resamples of them: Bonferroni's correction.
    few = units < FEW_CLUSTERS
    strict = _Student(t, units, alpha / n_tests).critical
    upper, lower = np.where(few, strict, upper), np.where(few, strict, lower)
    greater, less = np.where(few, student.greater, greater), np.where(few, student.less, less)
    single = np.where(few, student.two_sided, single)
    p = np.where(few, np.minimum(1.0, n_tests * student.two_sided), p) if n_tests > 1 else single
    with np.errstate(invalid="ignore"):
        low, high = estimate - upper * error, estimate + lower * error
    # Equal differences on all datasets are as certain as equal signs.
    still = (error == 0) & (units >= 2)
    certain = np.where(estimate == 0, 1.0, 2.0 ** (1 - units))
    p, single = np.where(still, certain, p), np.where(still, certain, single)
    half = np.where(estimate == 0, 1.0, certain / 2)
    greater = np.where(still, np.where(estimate < 0, 1.0, half), greater)
    less = np.where(still, np.where(estimate > 0, 1.0, half), less)
    shown = np.where((certain <= alpha) | (estimate == 0), estimate, np.nan)
    low, high = np.where(still, shown, low), np.where(still, shown, high)
    t = np.where(still, certain_statistic(estimate, units), t)
    normal = special.ndtri(1 - alpha / 2) - SAME_Z
    upper, lower = np.where(still, normal, upper), np.where(still, normal, lower)
    # Only rounding puts a limit on the other side of 0 than p does.
    rejected = p <= alpha
    low = np.where(rejected & (estimate > 0), np.maximum(low, 0.0), low)
    low = np.where(~rejected, np.minimum(low, 0.0), low)
    high = np.where(rejected & (estimate < 0), np.minimum(high, 0.0), high)
    high = np.where(~rejected, np.maximum(high, 0.0), high)
    n_left = max(1, k - 2 if control is not None else (k - 1) * (k - 2) // 2)
    floor = np.where(few, _Student(t, units, alpha / n_left).critical, student.critical)
    floor = np.where(still, normal, floor)

    def whole(values: FloatArray) -> FloatArray:
        filled = np.full(len(family), np.nan)
        filled[family] = values
        return filled

    estimate, t, low, high, p, upper, lower, floor = map(
        whole, (estimate, t, low, high, p, upper, lower, floor)
    )
    sides = (single, single) if alternative == "two-sided" else (greater, less)
    sides = sides[::-1] if alternative == "less" else sides
    return PairTests(
        difference=antisymmetric(estimate, k) + 0.0,
        statistic=antisymmetric(t, k) + 0.0,
        low=mirror(low, -high, k, np.nan) + 0.0,
        high=mirror(high, -low, k, np.nan) + 0.0,
        p=mirror(p, p, k, np.nan),
        p_unadjusted=mirror(whole(sides[0]), whole(sides[1]), k, np.nan),
        critical=mirror(upper, lower, k, np.nan),
        critical_without=critical[1:],
        floor=mirror(floor, floor, k, np.nan),
        n_resamples=n_resamples if null == "bootstrap" else 0,
        exact=False,
        smallest_p=1 / (n_resamples + 1) if null == "bootstrap" else 0.0,
    )


def certain_statistic(estimate: FloatArray, units: FloatArray) -> FloatArray:
    r"""Return the normal quantile of p = 2^(1 − m), for equal differences on all m datasets.

    Examples
    --------
    >>> certain_statistic(np.array([0.1, 0.0, -0.2]), np.array([6.0, 6.0, 10.0])).round(2)
    array([ 2.15,  0.  , -3.1 ])
    """
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
    blocks = [sample.clusters.means(block.differences) for block in sample.blocks()]
    means = np.concatenate(blocks, axis=1)
    return antisymmetric(weighted_means(means, np.ones((1, len(means))))[0], sample.n_algorithms)


class _Student:
    """P-values and critical value of Student's t."""

    def __init__(self, t: FloatArray, units: FloatArray, alpha: float) -> None:
        freedom = np.where(units >= 2, np.maximum(units - 1, 1.0), np.nan)
        self.critical = special.stdtrit(freedom, 1 - alpha / 2)
        self.greater, self.less = special.stdtr(freedom, -t), special.stdtr(freedom, t)
        self.two_sided = 2 * special.stdtr(freedom, -np.abs(t))


def _bootstrap(
    means: FloatArray,
    counts: Counts,
    suites: Clusters | None,
    t: FloatArray,
    alpha: float,
    pairs: IntArray,
    largest: FloatArray | None,
) -> tuple[FloatArray, ...]:
    """Return the critical values of either side, and the p-values greater and less.

    ``largest`` collects the largest pivots of all pairs, and without each algorithm, in place of
    critical values.
    """
    estimate = weighted_means(means, np.ones((1, len(means))))[0]
    few = effective_units(means, suites) < FEW_CLUSTERS
    n_pairs = means.shape[1]
    greater, less = np.ones(n_pairs), np.ones(n_pairs)

    def pivots(rows: FloatArray, columns: slice) -> FloatArray:
        errors = mean_errors(means[:, columns], rows, suites)
        # A resample that repeats one dataset has no spread; its ratio would be infinite.
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (weighted_means(means[:, columns], rows) - estimate[columns]) / errors
        return np.asarray(np.where((errors > 0) & np.isfinite(found), found, 0.0))

    upper, lower = np.zeros((2, n_pairs))
    step = max(1, _CHUNK_ELEMENTS // len(counts))
    for start in range(0, n_pairs, step):
        part = slice(start, start + step)
        values = over_rows(partial(pivots, columns=part), counts)
        greater[part] += np.count_nonzero(values >= t[part] - SAME_Z, axis=0)
        less[part] += np.count_nonzero(values <= t[part] + SAME_Z, axis=0)
        if largest is None:
            upper[part] = critical_value(values, alpha / 2, exact=False)
            lower[part] = critical_value(-values, alpha / 2, exact=False)
        else:
            values[:, few[part]] = 0.0
            own = largest_of(np.abs(values), pairs[part], largest.shape[1] - 1)
            np.maximum(largest, own, out=largest)
    return upper, lower, greater / (len(counts) + 1), less / (len(counts) + 1)


def difference_posterior(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    rope: float = 0.01,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> BayesianPairs:
    """Posterior of the mean difference: above, within and below a region of equivalence.

    Dirichlet weights over datasets (the Bayesian bootstrap), whose tasks share their weight.

    Parameters
    ----------
    scores, clusters
        As in `mean_tests`.
    rope : float
        Half-width of the region of practical equivalence.
    n_resamples, random_state
        Draws and their seed.

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
        means = sample.clusters.means(block.differences)
        found = over_rows(partial(weighted_means, means), draws)
        above, below = (found > rope).mean(axis=0), (found < -rope).mean(axis=0)
        unknown = np.isnan(found).all(axis=0)
        parts.append(np.where(unknown, np.nan, np.stack([above, 1 - above - below, below])))
    better, equivalent, worse = np.concatenate(parts, axis=1)
    return BayesianPairs(
        better=mirror(better, worse, k, 0.0),
        equivalent=mirror(equivalent, equivalent, k, 1.0),
        worse=mirror(worse, better, k, 0.0),
    )
