"""Pareto front of score against cost, and its uncertainty."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from occstats.errors import ArgumentError
from occstats.stats._arrays import BoolArray, FloatArray, as_scores
from occstats.stats.bootstrap import cluster_bootstrap
from occstats.stats.clusters import Clusters, weighted_means


@dataclass(frozen=True, eq=False)
class ParetoFront:
    """Mean score and mean cost of k algorithms, and their Pareto front.

    Attributes
    ----------
    score, score_low, score_high : ndarray of shape (k,)
        Mean score with equal weight for each cluster, and its percentile interval.
    cost, cost_low, cost_high : ndarray of shape (k,)
        Geometric mean cost with equal weight for each cluster, and its percentile interval.
    on_front : ndarray of bool of shape (k,)
        Whether no other algorithm has at least its score at no more cost, one of them strictly.
    probability : ndarray of shape (k,)
        Share of the bootstrap resamples in which it is on the front.
    """

    score: FloatArray
    score_low: FloatArray
    score_high: FloatArray
    cost: FloatArray
    cost_low: FloatArray
    cost_high: FloatArray
    on_front: BoolArray
    probability: FloatArray


def pareto_front(
    scores: npt.ArrayLike,
    costs: npt.ArrayLike,
    clusters: npt.ArrayLike | Clusters,
    *,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int | np.random.Generator | None = None,
) -> ParetoFront:
    """Find the algorithms on the Pareto front of score against cost, resampling clusters.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better; no NaN.
    costs : array_like of shape (n_tasks, k)
        Positive, such as seconds; no NaN.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    confidence : float
        Level of the intervals.
    n_resamples : int
        Resamples of whole clusters, the same for scores and costs.
    random_state : int, Generator or None
        Seed of the resampling.

    Examples
    --------
    >>> from occstats.stats import pareto_front
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.7], [0.9, 0.7, 0.6]]
    >>> costs = [[9, 1, 2], [7, 1, 2], [8, 1, 3]]
    >>> found = pareto_front(scores, costs, list("abc"), n_resamples=100, random_state=0)
    >>> found.on_front.tolist(), found.probability.tolist()
    ([True, True, False], [1.0, 1.0, 0.0])
    """
    table, prices = as_scores("scores", scores), as_scores("costs", costs)
    if table.shape != prices.shape:
        raise ArgumentError(
            f"costs must have the shape of scores, {table.shape}; got {prices.shape}."
        )
    if not (prices > 0).all():
        raise ArgumentError(f"costs must be positive; got {prices.min():g}.")
    grouping, k = Clusters.of(clusters, len(table)), table.shape[1]
    means = grouping.means(np.hstack([table, np.log(prices)]))
    found = cluster_bootstrap(
        lambda counts: weighted_means(means, counts),
        grouping,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    drawn = _undominated(found.replicates[:, :k], found.replicates[:, k:])
    cost, cost_low, cost_high = (
        np.exp(ends[k:]) for ends in (found.estimate, found.low, found.high)
    )
    return ParetoFront(
        score=found.estimate[:k],
        score_low=found.low[:k],
        score_high=found.high[:k],
        cost=cost,
        cost_low=cost_low,
        cost_high=cost_high,
        on_front=_undominated(found.estimate[None, :k], found.estimate[None, k:])[0],
        probability=drawn.mean(axis=0) if len(drawn) else np.full(k, np.nan),
    )


def _undominated(scores: FloatArray, costs: FloatArray) -> BoolArray:
    """Mark the columns of each row that are on the front of that row."""
    free = np.ones(scores.shape, dtype=bool)
    for other in range(scores.shape[1]):
        score, cost = scores[:, [other]], costs[:, [other]]
        strictly = (score > scores) | (cost < costs)
        free &= ~((score >= scores) & (cost <= costs) & strictly)
    return free
