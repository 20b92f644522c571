r"""Mean differences of all pairs at once: simultaneous intervals, posterior, equivalence.

The differences are means over data sets of means over their tasks. Simultaneous limits are
:math:`\bar x \pm c\,s/\sqrt m` with the same c for all pairs: the quantile of the largest
:math:`|t^*|` of all pairs over resamples of whole data sets.

References
----------
.. [1] R. Beran (1988). Balanced simultaneous confidence sets. JASA 83(403), 679-686.
.. [2] D. B. Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.
.. [3] D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure and the power
   approach. Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats.checks import check_choice, check_fraction, check_number
from occstats.stats.arrays import FloatArray, round_to_grid
from occstats.stats.bayes import BayesianPairs
from occstats.stats.bootstrap import studentised_means
from occstats.stats.cluster_means import (
    FEW_CLUSTERS,
    effective_units,
    mean_errors,
    observed_errors,
    weighted_means,
)
from occstats.stats.clusters import Clusters
from occstats.stats.draws import Counts, PosteriorWeights, over_rows
from occstats.stats.effect_sizes import Effect
from occstats.stats.multiplicity import adjust_pairs
from occstats.stats.pairs import antisymmetric, mirror, upper_pairs
from occstats.stats.sample import Sample
from occstats.stats.tests.null import RandomState, repeatable
from occstats.stats.tests.registry import TESTS

__all__ = ["Equivalence", "difference_posterior", "equivalence", "simultaneous_intervals"]


def simultaneous_intervals(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    control: int | None = None,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> Effect:
    """Intervals of all mean differences that hold together with the given confidence.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k), or Sample
        Higher is better; NaN marks a missing score.
    clusters : array_like of shape (n_tasks,)
        The data set of each task.
    confidence : float
        Of all intervals together.
    control : int, optional
        Only the differences from this column; the others are NaN.
    n_resamples, random_state
        Resamples of whole data sets, and their seed. A pair with fewer than six data sets has
        Student's interval with Bonferroni's correction instead, and none where they do not differ
        at all.

    Returns
    -------
    Effect
        With one pair, the studentised interval.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 3)) + [1.0, 0.0, 0.0]
    >>> found = simultaneous_intervals(scores, np.arange(30) // 2, random_state=0)
    >>> bool(found.low[0, 1] > 0), bool(found.low[1, 2] < 0 < found.high[1, 2])
    (True, True)
    """
    check_fraction("confidence", confidence)
    sample = Sample.of(scores, clusters)
    k = sample.n_algorithms
    first, second = upper_pairs(k)
    used = np.arange(len(first))
    if control is not None:
        used = used[(first == control) | (second == control)]
    blocks = [sample.clusters.means(block.differences) for block in sample.blocks()]
    cluster_means = np.concatenate(blocks, axis=1)
    means = cluster_means[:, used]
    counts, suites = Counts.of(sample.clusters, n_resamples, random_state), sample.clusters.suites
    limits = np.full((3, len(first)), np.nan)
    limits[0] = weighted_means(cluster_means, np.ones((1, sample.n_clusters)))[0]
    if len(used) == 1:
        found = studentised_means(means, counts, confidence, suites)
        limits[1:, used] = found.low, found.high
    elif n_resamples:
        half = _critical(means, counts, confidence, suites) * observed_errors(means, suites)
        limits[1:, used] = limits[0, used] - half, limits[0, used] + half
    return Effect(
        antisymmetric(limits[0], k),
        mirror(limits[1], -limits[2], k, 0.0),
        mirror(limits[2], -limits[1], k, 0.0),
    )


def _critical(
    means: FloatArray, counts: Counts, confidence: float, suites: Clusters | None
) -> FloatArray:
    """What the standard error of each column is multiplied by."""
    estimate = weighted_means(means, np.ones((1, len(means))))[0]
    units = effective_units(means, suites)
    few = units < FEW_CLUSTERS

    def largest(rows: FloatArray) -> FloatArray:
        errors = mean_errors(means, rows, suites)
        # A resample that repeats one cluster has no spread; its ratio would be infinite.
        with np.errstate(invalid="ignore", divide="ignore"):
            pivots = np.abs((weighted_means(means, rows) - estimate) / errors)
        known = (errors > 0) & np.isfinite(pivots) & ~few
        return np.asarray(np.where(known, pivots, 0.0).max(axis=1))

    single = 1 - (1 - confidence) / means.shape[1]
    student = special.stdtrit(np.maximum(units - 1, 1.0), (1 + single) / 2)
    return np.asarray(np.where(few, student, np.quantile(over_rows(largest, counts), confidence)))


def difference_posterior(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    rope: float = 0.01,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> BayesianPairs:
    """Posterior of the mean difference: above, within and below a region of equivalence.

    Dirichlet weights over data sets (the Bayesian bootstrap), whose tasks share their weight.

    Parameters
    ----------
    scores, clusters
        As in `simultaneous_intervals`.
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


@dataclass(frozen=True, eq=False)
class Equivalence:
    """Tests that two algorithms differ by less than a margin, k × k.

    Attributes
    ----------
    p_not_worse : ndarray
        Of "a is not worse than b by the margin or more", not corrected.
    p_equivalent : ndarray
        Of "a and b differ by less than the margin": both such tests, corrected over the pairs.
    """

    p_not_worse: FloatArray
    p_equivalent: FloatArray


def equivalence(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    margin: float,
    test: str = "rgl",
    tie_tolerance: float = 0.0,
    control: int | None = None,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> Equivalence:
    """Two one-sided tests at plus and minus a margin, by flipping signs of whole data sets.

    Parameters
    ----------
    scores, clusters
        As in `simultaneous_intervals`.
    margin : float
        The difference that would matter.
    test, tie_tolerance
        The test of the differences, moved by the margin.
    control : int, optional
        Correct only over the pairs with this column.
    n_resamples, random_state
        Flips (all of them where they are no more than that), and their seed.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = 0.8 + 0.01 * rng.normal(size=(40, 2))
    >>> found = equivalence(scores, np.arange(40) // 2, margin=0.02, random_state=0)
    >>> bool(found.p_equivalent[0, 1] < 0.05)
    True
    """
    check_choice("test", test, TESTS)
    check_number("margin", margin, least=0)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, seed = sample.n_algorithms, repeatable(random_state)
    one_sided = np.full((2, sample.n_pairs), np.nan)
    done = 0
    for block in sample.blocks():
        for place, moved in enumerate((block.differences + margin, margin - block.differences)):
            grid = round_to_grid(moved, sample.tie_tolerance)
            prepared = TESTS[test].engine.sample(moved, grid, sample.clusters, sample.tie_tolerance)
            for pair in range(len(block.a)):
                tails = prepared.evaluate(pair, "permutation", n_resamples, seed).tails
                if tails is not None:
                    one_sided[place, done + pair] = tails.greater
        done += len(block.a)
    not_worse = mirror(one_sided[0], one_sided[1], k, np.nan)
    both = np.maximum(not_worse, not_worse.T)
    adjusted = adjust_pairs(
        both, "all" if control is None else "control", "holm", control, alternative="two-sided"
    )
    return Equivalence(not_worse, adjusted.clipped)
