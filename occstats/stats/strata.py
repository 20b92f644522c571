"""Mean ranks within strata of a trait of the tasks, such as difficulty."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from occstats._checks import check_integer
from occstats.errors import ArgumentError
from occstats.stats._arrays import BoolArray, FloatArray, IntArray, as_scores, as_vector
from occstats.stats.bootstrap import cluster_bootstrap
from occstats.stats.clusters import Clusters, cluster_weights


@dataclass(frozen=True, eq=False)
class Strata:
    """Weighted mean ranks within strata.

    Attributes
    ----------
    low, high : ndarray of shape (n_strata,)
        Edges: a task belongs to a stratum if ``low <= trait < high`` (``<=`` in the last).
    n_tasks : ndarray of int of shape (n_strata,)
    weight : ndarray of shape (n_strata,)
        Share of the total weight of the tasks.
    mean_ranks : ndarray of shape (n_strata, k)
        Weighted mean rank of each algorithm; NaN in a stratum without tasks.
    """

    low: FloatArray
    high: FloatArray
    n_tasks: IntArray
    weight: FloatArray
    mean_ranks: FloatArray


def rank_strata(
    ranks: npt.ArrayLike,
    trait: npt.ArrayLike,
    clusters: npt.ArrayLike | Clusters,
    *,
    n_strata: int = 5,
) -> Strata:
    """Average ranks within strata of equal width.

    Tasks keep their weights in the whole sample (clusters have equal weight), so that the weighted
    mean over strata is the overall mean rank.

    Parameters
    ----------
    ranks : array_like of shape (n_tasks, k)
        As from :func:`task_ranks`.
    trait : array_like of shape (n_tasks,)
        Trait of each task to stratify by, such as its median score.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    n_strata : int
        Number of strata; a constant trait has one.

    Examples
    --------
    >>> from occstats.stats import rank_strata
    >>> ranks = [[1, 2], [1, 2], [2, 1], [1.5, 1.5]]
    >>> strata = rank_strata(ranks, [0.5, 0.6, 0.9, 0.8], [1, 2, 3, 4], n_strata=2)
    >>> strata.mean_ranks
    array([[1.  , 2.  ],
           [1.75, 1.25]])
    """
    table, values = as_scores("ranks", ranks), as_vector("trait", trait)
    weights = cluster_weights(clusters)
    if not len(table) == len(values) == len(weights):
        raise ArgumentError(
            "ranks, trait and clusters must hold the same tasks; "
            f"got {len(table)}, {len(values)} and {len(weights)}."
        )
    check_integer("n_strata", n_strata)
    low, high = values.min(), values.max()
    limits = np.linspace(low, high, 1 + (n_strata if low < high else 1))
    member = _members(limits, values)
    mass = weights @ member
    with np.errstate(invalid="ignore"):
        mean_ranks = (member * weights[:, None]).T @ table / mass[:, None]
    return Strata(
        low=limits[:-1],
        high=limits[1:],
        n_tasks=member.sum(axis=0),
        weight=mass,
        mean_ranks=mean_ranks,
    )


def strata_intervals(
    ranks: npt.ArrayLike,
    trait: npt.ArrayLike,
    clusters: npt.ArrayLike | Clusters,
    edges: Sequence[float],
    *,
    confidence: float = 0.95,
    n_resamples: int = 2_000,
    random_state: int | np.random.Generator | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute percentile intervals of the mean ranks of `rank_strata`, resampling clusters.

    A stratum ignores resamples without any of its tasks; limits, strata × k, are NaN with tasks of
    fewer than two clusters.

    Examples
    --------
    >>> ranks = [[1, 2], [1, 2], [2, 1], [1, 2]]
    >>> low, high = strata_intervals(ranks, [1, 1, 1, 1], list("abcd"), [0, 2], random_state=0)
    >>> low.tolist(), high.tolist()
    ([[1.0, 1.25]], [[1.75, 2.0]])
    """
    table, values = as_scores("ranks", ranks), as_vector("trait", trait)
    grouping = Clusters.of(clusters, len(table))
    limits = as_vector("edges", edges)
    inside = grouping.weights[:, None] * _members(limits, values)
    mass = grouping.sums(inside)
    total = grouping.sums((inside[:, :, None] * table[:, None, :]).reshape(len(table), -1))
    shape = (mass.shape[1], table.shape[1])

    def means(counts: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (counts @ total).reshape(-1, *shape) / (counts @ mass)[:, :, None]
        return np.asarray(found.reshape(len(counts), -1))

    found = cluster_bootstrap(
        means,
        grouping,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    few = np.repeat((grouping.units.sums(mass) > 0).sum(axis=0) < 2, shape[1])
    low, high = (np.where(few, np.nan, end).reshape(shape) for end in (found.low, found.high))
    return low, high


def _members(limits: FloatArray, values: FloatArray) -> BoolArray:
    """Mark the stratum of each task: tasks × strata."""
    # The last stratum includes its upper edge.
    index = np.clip(np.searchsorted(limits, values, side="right") - 1, 0, len(limits) - 2)
    return np.asarray(index[:, None] == np.arange(len(limits) - 1))
