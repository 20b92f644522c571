"""Ranks of the algorithms within each task: means, frequencies, and means by stratum."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._checks import check_integer
from occstats.errors import ArgumentError
from occstats.stats._arrays import (
    BoolArray,
    FloatArray,
    as_scores,
    as_vector,
    count_tied,
    midranks,
    round_to_grid,
)
from occstats.stats.bootstrap import cluster_bootstrap
from occstats.stats.clusters import Clusters, cluster_weights


def task_ranks(scores: npt.ArrayLike, *, tie_tolerance: float = 0.0) -> FloatArray:
    """Rank the algorithms within each task: 1 for the highest score, the average for ties.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better; no NaN.
    tie_tolerance : float
        Scores are rounded to multiples of this number before they are compared, so that
        0.1 + 0.2 and 0.3 tie; 0 compares the unrounded floats.

    Examples
    --------
    >>> from occstats.stats import task_ranks
    >>> task_ranks([[0.9, 0.7, 0.9], [0.1 + 0.2, 0.3, 0.5]], tie_tolerance=1e-9)
    array([[1.5, 3. , 1.5],
           [2.5, 2.5, 1. ]])
    """
    return midranks(-round_to_grid(as_scores("scores", scores), tie_tolerance))


def mean_ranks(ranks: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """Return the weighted mean of each column.

    Parameters
    ----------
    ranks : array_like of shape (n_tasks, k)
        Ranks or scores.
    weights : array_like of shape (n_tasks,)
        Weights of the tasks, as from :func:`cluster_weights`; normalised to sum to 1.

    Examples
    --------
    >>> from occstats.stats import mean_ranks
    >>> mean_ranks([[1, 2], [2, 1]], [0.75, 0.25])
    array([1.25, 1.75])
    """
    table, shares = as_scores("ranks", ranks), _normalised(weights, ranks)
    return np.asarray(shares @ table)


def rank_frequencies(ranks: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """Return the weighted share of the tasks in which each algorithm reaches each rank.

    If g algorithms tie over the ranks r … r + g − 1, each of them gets 1/g at each of those ranks.

    Parameters
    ----------
    ranks : array_like of shape (n_tasks, k)
        Average ranks, as from :func:`task_ranks`.
    weights : array_like of shape (n_tasks,)
        Weights of the tasks; normalised to sum to 1.

    Returns
    -------
    ndarray of shape (k, k)
        Element ``[a, r]`` is the share in which algorithm a has rank r + 1.

    Examples
    --------
    >>> from occstats.stats import rank_frequencies
    >>> rank_frequencies([[1.5, 1.5], [1, 2]], [0.5, 0.5])
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    table, shares = as_scores("ranks", ranks), _normalised(weights, ranks)
    k = table.shape[1]
    tied = count_tied(table)
    first = np.rint(table - (tied - 1) / 2).astype(np.intp) - 1
    # Spread 1/g from the first to the last tied rank: differences, then a cumulative sum.
    steps = np.zeros((k, k + 1))
    columns = np.broadcast_to(np.arange(k), table.shape)
    mass = shares[:, None] / tied
    np.add.at(steps, (columns, first), mass)
    np.add.at(steps, (columns, (first + tied).astype(np.intp)), -mass)
    frequencies: FloatArray = np.cumsum(steps, axis=1)[:, :k]
    # The residual is floating-point cancellation error.
    frequencies[np.abs(frequencies) < 1e-15] = 0.0
    return frequencies


def _normalised(weights: npt.ArrayLike, table: npt.ArrayLike) -> FloatArray:
    shares = np.asarray(weights, dtype=np.float64)
    n_tasks = len(np.asarray(table))
    if shares.shape != (n_tasks,):
        raise ArgumentError(
            f"weights must hold one weight per task ({n_tasks}); got shape {shares.shape}."
        )
    if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
        raise ArgumentError("weights must be finite, not negative, and not all zero.")
    return np.asarray(shares / shares.sum())


def rank_strata(
    ranks: npt.ArrayLike,
    trait: npt.ArrayLike,
    clusters: npt.ArrayLike | Clusters,
    *,
    n_strata: int = 5,
) -> pd.DataFrame:
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

    Returns
    -------
    DataFrame
        One row per stratum and algorithm (column of `ranks`): ``stratum`` from 1 on; its edges
        ``low`` and ``high``, the latter part of the last stratum only; its number of tasks and
        their share of the total weight; and the mean rank, NaN without tasks.

    Examples
    --------
    >>> from occstats.stats import rank_strata
    >>> ranks = [[1, 2], [1, 2], [2, 1], [1.5, 1.5]]
    >>> strata = rank_strata(ranks, [0.5, 0.6, 0.9, 0.8], [1, 2, 3, 4], n_strata=2)
    >>> strata[["stratum", "algorithm", "mean_rank"]]
       stratum  algorithm  mean_rank
    0        1          0       1.00
    1        1          1       2.00
    2        2          0       1.75
    3        2          1       1.25
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
    n, k = mean_ranks.shape
    of_stratum = {
        "stratum": np.arange(1, n + 1),
        "low": limits[:-1],
        "high": limits[1:],
        "n_tasks": member.sum(axis=0),
        "weight": mass,
    }
    return pd.DataFrame(
        {
            **{name: np.repeat(values, k) for name, values in of_stratum.items()},
            "algorithm": np.tile(np.arange(k), n),
            "mean_rank": mean_ranks.ravel(),
        }
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
