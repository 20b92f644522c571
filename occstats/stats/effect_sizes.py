r"""How much better: effect sizes of every pair of algorithms over clustered tasks.

For the differences :math:`x_{ij}` of task j in data set i (a minus b, higher is better):

* weighted mean difference: the mean over data sets of the mean over their tasks;
* wins, ties and losses: weighted shares of tasks, which sum to 1;
* matched rank-biserial correlation [1]_: the sum of the signed ranks over the sum of the ranks,
  zeros left out, from −1 (b always better) to 1 (a always better); all tasks count alike;
* probability of improvement on a new task of a known data set: wins + ties / 2, a data set being
  drawn first and one of its tasks then (rliable [2]_ has it for independent runs);
* probability of improvement on a new data set: the share of data sets on which a has the higher
  mean, ties counting one half.

References
----------
.. [1] D. S. Kerby (2014). The simple difference formula: an approach to teaching nonparametric
   correlation. Comprehensive Psychology 3, 11.IT.3.1.
.. [2] R. Agarwal et al. (2021). Deep reinforcement learning at the edge of the statistical
   precipice. NeurIPS 34.
.. [3] E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
   JASA 22(158), 209-212.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.arrays import as_vector, round_to_grid
from occstats.stats.bootstrap import (
    cluster_bootstrap,
    means_without,
    studentised_means,
    weighted_means,
)
from occstats.stats.clusters import Clusters
from occstats.stats.draws import Counts
from occstats.stats.forms import is_dense, walsh_forms
from occstats.stats.pairs import antisymmetric, mirror
from occstats.stats.sample import PairBlock, Sample
from occstats.stats.tests.ranking import signed_ranks


@dataclass(frozen=True, eq=False)
class Effect:
    """One effect size of all pairs, k × k, with the limits of its confidence interval."""

    estimate: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class PairEffects:
    """The effect sizes of all pairs of algorithms; [a, b] is a against b.

    Attributes
    ----------
    mean_difference, rank_biserial, prob_improvement_task, prob_improvement_dataset : Effect
        With intervals: the cluster bootstrap, studentised for the difference, percentile for the
        correlation, BCa for the task; Wilson's for the data set, and for the task where one of the
        two wins always. Which of them covers best was found by simulation
        (`benchmarks/interval_coverage.md` in the repository).
    wins, ties, losses : ndarray
        Weighted shares of tasks.
    n_tasks, n_clusters : ndarray of int
        Tasks that both algorithms have, and the data sets that these come from.
    """

    mean_difference: Effect
    rank_biserial: Effect
    prob_improvement_task: Effect
    prob_improvement_dataset: Effect
    wins: Array
    ties: Array
    losses: Array
    n_tasks: Array
    n_clusters: Array


def pair_effects(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    n_rank_resamples: int | None = None,
    random_state: int | None = None,
) -> PairEffects:
    """Effect sizes of every pair of columns of `scores`, with cluster-bootstrap intervals.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        Higher is better; a NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The data set of each task.
    tie_tolerance : float
        Differences are rounded to multiples of it.
    confidence, n_resamples, random_state
        Level of the intervals; the same resamples serve all pairs and all effects. With 0 resamples
        there are estimates and Wilson's intervals only.
    n_rank_resamples : int, optional
        At most so many resamples of the rank-biserial correlation, whose cost grows with the square
        of the number of data sets.

    Returns
    -------
    PairEffects

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.7, 0.7], [0.8, 0.6], [0.9, 0.5]]
    >>> effects = pair_effects(scores, ["a", "a", "b", "c"], tie_tolerance=1e-9, random_state=0)
    >>> round(float(effects.mean_difference.estimate[0, 1]), 4)
    0.2167
    >>> [round(float(share[0, 1]), 4) for share in (effects.wins, effects.ties, effects.losses)]
    [0.8333, 0.1667, 0.0]
    >>> float(effects.prob_improvement_dataset.estimate[0, 1])
    1.0
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    m, k = sample.n_clusters, sample.n_algorithms
    counts = Counts.of(m, n_resamples, random_state)
    rank_counts = counts.first(n_resamples if n_rank_resamples is None else n_rank_resamples)
    held = n_resamples + (m**2 if is_dense(sample.clusters) else sample.n_tasks)
    parts = [
        (
            *_mean_effects(block, counts, confidence, sample.tie_tolerance),
            _rank_effects(block.grid, sample.clusters, rank_counts, confidence),
        )
        for block in sample.blocks(per_pair=held)
    ]
    mean, task, dataset, shares, biserial = (
        np.concatenate(rows, axis=1) for rows in zip(*parts, strict=True)
    )
    won, lost, n_tasks, n_clusters = shares
    return PairEffects(
        mean_difference=_signed(mean, k),
        rank_biserial=_signed(biserial, k),
        prob_improvement_task=_probability(task, k),
        prob_improvement_dataset=_probability(dataset, k),
        wins=mirror(won, lost, k, 0.0),
        ties=mirror(1 - won - lost, 1 - won - lost, k, 1.0),
        losses=mirror(lost, won, k, 0.0),
        n_tasks=mirror(n_tasks, n_tasks, k, 0.0),
        n_clusters=mirror(n_clusters, n_clusters, k, 0.0),
    )


def _mean_effects(
    block: PairBlock, counts: Counts, confidence: float, tie_tolerance: float
) -> tuple[Array, Array, Array, Array]:
    """Effects that are means over data sets: difference, both probabilities, shares and sizes."""
    differences, grid, grouping = block.differences, block.grid, block.clusters
    m = grouping.n_clusters
    known = ~np.isnan(grid)
    means = grouping.means(differences)
    wins = grouping.means(np.where(known, grid > 0, np.nan))
    losses = grouping.means(np.where(known, grid < 0, np.nan))
    everything = np.ones((1, m))
    won, lost = (weighted_means(share, everything)[0] for share in (wins, losses))
    ahead, n_clusters = _ahead(means, tie_tolerance)
    studentised = studentised_means(means, counts, confidence)
    return (
        np.stack([studentised.estimate, studentised.low, studentised.high]),
        _improvement(wins, losses, n_clusters, counts, confidence),
        np.stack([ahead, *wilson(ahead, n_clusters, confidence)]),
        np.stack([won, lost, known.sum(axis=0), n_clusters]),
    )


def _improvement(
    wins: Array, losses: Array, n_clusters: Array, counts: Counts, confidence: float
) -> Array:
    """Probability of improvement on a task; Wilson's interval where nothing but wins was seen."""
    balance = wins - losses
    bounds = cluster_bootstrap(
        lambda c: 0.5 + 0.5 * weighted_means(balance, c),
        len(wins),
        confidence=confidence,
        counts=counts,
        left_out=0.5 + 0.5 * means_without(balance)[1:],
    )
    found = np.stack([bounds.estimate, bounds.low, bounds.high])
    # There all resamples are alike, which is no evidence that data sets are.
    extreme = np.abs(found[0] - 0.5) >= 0.5 - 1e-12
    found[1:] = np.where(extreme, wilson(found[0], n_clusters, confidence), found[1:])
    return found


def _rank_effects(grid: Array, grouping: Clusters, counts: Counts, confidence: float) -> Array:
    if len(counts) == 0:
        signed, _ = signed_ranks(grid)
        total = np.abs(signed).sum(axis=0)
        estimates = np.divide(signed.sum(axis=0), total, out=np.zeros(len(total)), where=total > 0)
        return np.stack([estimates, *np.full((2, len(estimates)), np.nan)])
    found = cluster_bootstrap(
        rank_biserial_statistic(grid, grouping),
        grouping.n_clusters,
        method="percentile",
        confidence=confidence,
        counts=counts,
    )
    return np.stack([found.estimate, found.low, found.high])


def rank_biserial(x: ArrayLike, *, tie_tolerance: float = 0.0) -> float:
    """Matched rank-biserial correlation of differences `x`; zeros and NaN are left out.

    0 when all differences are zero.

    Examples
    --------
    >>> round(rank_biserial([0.1, 0.2, -0.1, 0.4], tie_tolerance=1e-9), 2)
    0.7
    """
    ranks, _ = signed_ranks(round_to_grid(as_vector("x", x, allow_nan=True), tie_tolerance))
    total = float(np.abs(ranks).sum())
    return float(ranks.sum() / total) if total else 0.0


def rank_biserial_statistic(x: Array, grouping: Clusters) -> Callable[[Array], Array]:
    r"""Rank-biserial correlation of each column of x as a function of cluster counts.

    The sum of signed ranks is :math:`\sum_{s \le t} \mathrm{sign}(x_s + x_t)`, so that the value
    for a resample is exactly what ranking the resampled tasks anew would give.
    """
    used = ~np.isnan(x) & (x != 0)
    sizes, signs = grouping.sums(used), grouping.sums(np.where(used, np.sign(x), 0.0))
    positive = walsh_forms(x, grouping, 0.0, used.astype(float))

    def statistic(counts: Array) -> Array:
        total = counts @ sizes
        doubled = 2 * positive(counts) - total**2 + counts @ signs
        return np.divide(doubled, total * (total + 1), out=np.zeros_like(total), where=total > 0)

    return statistic


def wilson(share: Array, n: Array, confidence: float) -> tuple[Array, Array]:
    """Wilson's score interval of a share out of n, also at 0 and 1, where a bootstrap has no width.

    Examples
    --------
    >>> low, high = wilson(np.array([1.0]), np.array([10.0]), 0.95)
    >>> round(float(low[0]), 3), float(high[0])
    (0.722, 1.0)
    """
    z = special.ndtri((1 + confidence) / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    empty = n == 0
    low = np.where(empty, np.nan, np.clip(centre - half, 0.0, 1.0))
    high = np.where(empty, np.nan, np.clip(centre + half, 0.0, 1.0))
    # Rounding must not leave the estimate outside its interval.
    return np.minimum(low, share), np.maximum(high, share)


def _ahead(means: Array, tie_tolerance: float) -> tuple[Array, Array]:
    """Share of data sets with a positive mean difference (ties one half), and their number."""
    present = ~np.isnan(means)
    # A mean of rounded differences can miss zero by a rounding error only.
    sign = np.sign(np.where(np.abs(means) <= max(tie_tolerance / 2, 1e-15), 0.0, means))
    n = present.sum(axis=0).astype(float)
    points = np.where(present, 0.5 + 0.5 * sign, 0.0).sum(axis=0)
    return np.divide(points, n, out=np.full(n.shape, np.nan), where=n > 0), n


def _signed(limits: Array, k: int) -> Effect:
    estimate, low, high = limits
    return Effect(
        antisymmetric(estimate, k),
        mirror(low, -high, k, 0.0),
        mirror(high, -low, k, 0.0),
    )


def _probability(limits: Array, k: int) -> Effect:
    estimate, low, high = limits
    return Effect(
        mirror(estimate, 1 - estimate, k, 0.5),
        mirror(low, 1 - high, k, 0.5),
        mirror(high, 1 - low, k, 0.5),
    )
