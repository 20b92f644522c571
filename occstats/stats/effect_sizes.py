r"""Effect sizes of every pair of algorithms over clustered tasks.

For the differences :math:`x_{ij}` of task j in dataset i (a minus b, higher is better):

* wins, ties and losses: numbers of tasks;
* matched rank-biserial correlation [1]_: the sum of the signed ranks over the sum of the ranks,
  without zeros, from −1 (b always better) to 1 (a always better), with equal weight for each task;
* probability of improvement on a new task: wins + ties / 2, with equal weight for each dataset
  (in rliable [2]_ for independent runs);
* probability of improvement on a new dataset: the share of datasets on which a has the higher
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

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from occstats.stats._arrays import FloatArray, mirror
from occstats.stats.clusters import effective_units, means_without
from occstats.stats.jackknife import arcsine_limits, rank_biserial_limits, wilson
from occstats.stats.sample import PairBlock, Sample


@dataclass(frozen=True, eq=False)
class Effect:
    """One effect size of all pairs, k × k, with the limits of its confidence interval."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class PairEffects:
    """The effect sizes of all pairs of algorithms; [a, b] is a against b.

    Attributes
    ----------
    rank_biserial, prob_improvement_task, prob_improvement_dataset : Effect
        With confidence intervals: the jackknife over datasets on the arcsine scale for the
        correlation and the task; Wilson's for the dataset, and where one algorithm always
        wins. Chosen for their coverage in simulations (``benchmarks/interval_coverage.md``).
    wins, ties, losses : ndarray
        Numbers of tasks.
    """

    rank_biserial: Effect
    prob_improvement_task: Effect
    prob_improvement_dataset: Effect
    wins: FloatArray
    ties: FloatArray
    losses: FloatArray


def pair_effects(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
    confidence: float = 0.95,
) -> PairEffects:
    """Return effect sizes of every pair of columns of `scores`, with intervals.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        Higher is better; a NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The dataset of each task.
    tie_tolerance : float
        Differences are rounded to multiples of it.
    confidence : float
        Level of the intervals.

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.7, 0.7], [0.8, 0.6], [0.9, 0.5]]
    >>> effects = pair_effects(scores, ["a", "a", "b", "c"], tie_tolerance=1e-9)
    >>> [int(tasks[0, 1]) for tasks in (effects.wins, effects.ties, effects.losses)]
    [3, 1, 0]
    >>> float(effects.prob_improvement_dataset.estimate[0, 1])
    1.0
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, units = sample.n_algorithms, sample.clusters.independent
    parts = [
        (
            *_mean_effects(block, confidence, sample.tie_tolerance),
            np.vstack(rank_biserial_limits(block.grid, units, confidence)),
        )
        for block in sample.blocks()
    ]
    task, dataset, counts, biserial = (
        np.concatenate(rows, axis=1) for rows in zip(*parts, strict=True)
    )
    won, tied, lost = counts
    return PairEffects(
        rank_biserial=_effect(biserial, k, 0.0),
        prob_improvement_task=_effect(task, k, 1.0),
        prob_improvement_dataset=_effect(dataset, k, 1.0),
        wins=mirror(won, lost, k, 0.0),
        ties=mirror(tied, tied, k, 0.0),
        losses=mirror(lost, won, k, 0.0),
    )


def _mean_effects(
    block: PairBlock, confidence: float, tie_tolerance: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the effects that are means over datasets, and numbers of tasks."""
    grid, grouping, suites = block.grid, block.clusters, block.clusters.suites
    known = ~np.isnan(grid)
    balance = means_without(grouping.means(np.sign(grid)), suites)
    present = (grouping.sums(known) > 0).astype(float)
    sizes = present if suites is None else suites.sums(present)
    limits = arcsine_limits(balance[0], balance[1:], sizes, confidence)
    means = _dataset_means(block)
    # Means within rounding error of zero are ties.
    sign = np.sign(np.where(np.abs(means) <= max(tie_tolerance / 2, 1e-15), 0.0, means))
    n_clusters = (~np.isnan(means)).sum(axis=0)
    points = np.nansum(0.5 + 0.5 * sign, axis=0)
    ahead = np.divide(points, n_clusters, out=np.full_like(points, np.nan), where=n_clusters > 0)
    won, tied, lost = ((np.sign(grid) == sign).sum(axis=0) for sign in (1, 0, -1))
    return (
        0.5 + 0.5 * np.vstack([balance[:1], limits]),
        np.stack([ahead, *wilson(ahead, effective_units(means, suites), confidence)]),
        np.stack([won, tied, lost]),
    )


def _dataset_means(block: PairBlock) -> FloatArray:
    """Return mean differences; infinite where one algorithm fails more often than the other."""
    means, infinite, grouping = block.cluster_means, np.isinf(block.differences), block.clusters
    if not infinite.any():
        return means
    balance = grouping.sums(np.where(infinite, np.sign(block.differences), 0.0))
    means = np.where(np.isnan(means) & (grouping.sums(infinite) > 0), 0.0, means)
    return np.where(balance != 0, np.copysign(np.inf, balance), means)


def _effect(limits: FloatArray, k: int, whole: float) -> Effect:
    """Return the effect of all pairs; those of (a, b) and (b, a) add up to the whole."""
    estimate, low, high = limits
    ends = ((estimate, estimate), (low, high), (high, low))
    return Effect(*(mirror(one, whole - other, k, whole / 2) for one, other in ends))
