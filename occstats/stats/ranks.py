"""Ranks of the algorithms within each task, and their frequencies."""

import numpy as np
import numpy.typing as npt

from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, as_scores, count_tied, midranks, round_to_grid


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
