"""Pareto front of score against cost, and its uncertainty."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ArgumentError
from occstats.stats._arrays import BoolArray, FloatArray, as_scores
from occstats.stats.bootstrap import cluster_bootstrap
from occstats.stats.clusters import Clusters, weighted_means


def pareto_front(
    scores: npt.ArrayLike,
    costs: npt.ArrayLike,
    clusters: npt.ArrayLike | Clusters,
    *,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int | np.random.Generator | None = None,
) -> pd.DataFrame:
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

    Returns
    -------
    DataFrame
        One row per algorithm: its mean score and its geometric mean cost, with equal weight for
        each cluster and percentile intervals (``score``, ``score_low``, ``score_high``, ``cost``,
        ``cost_low``, ``cost_high``); whether no other algorithm has at least its score at no more
        cost, one of them strictly (``on_front``); and the share of the resamples in which it is on
        the front (``probability``).

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
    whole = found.estimate[None]
    return pd.DataFrame(
        {
            "score": found.estimate[:k],
            "score_low": found.low[:k],
            "score_high": found.high[:k],
            "cost": np.exp(found.estimate[k:]),
            "cost_low": np.exp(found.low[k:]),
            "cost_high": np.exp(found.high[k:]),
            "on_front": _undominated(whole[:, :k], whole[:, k:])[0],
            "probability": drawn.mean(axis=0) if len(drawn) else np.nan,
        }
    )


def _undominated(scores: FloatArray, costs: FloatArray) -> BoolArray:
    """Mark the columns of each row that are on the front of that row."""
    free = np.ones(scores.shape, dtype=bool)
    for other in range(scores.shape[1]):
        score, cost = scores[:, [other]], costs[:, [other]]
        strictly = (score > scores) | (cost < costs)
        free &= ~((score >= scores) & (cost <= costs) & strictly)
    return free
