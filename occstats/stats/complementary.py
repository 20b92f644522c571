"""Complementary pairs of algorithms, scored by the better of the two on each task."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ArgumentError
from occstats.stats._arrays import as_scores, count_tied
from occstats.stats.sample import Sample


def complementary_pairs(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
) -> pd.DataFrame:
    r"""Score every pair of algorithms by the better of the two on each task.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better; no NaN.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task; every cluster has equal weight.
    tie_tolerance : float
        Scores are rounded to multiples of this number before they are compared.

    Returns
    -------
    DataFrame
        One row per pair, columns ``a`` < ``b`` of the scores: the weighted mean of the higher of
        the two scores (``mean_best_score``), and of its rank among all pairs (``mean_rank``; 1 is
        best). Sorted by both.

    Notes
    -----
    An oracle that picks the better of two algorithms for each task reaches this score: an upper
    bound. If t algorithms are strictly better than one in a task and u share its score (itself
    included), the :math:`\binom{k - t}{2} - \binom{k - t - u}{2}` pairs of which it is the better
    share the ranks after the first :math:`\binom{k}{2} - \binom{k - t}{2}`, so that no table of
    tasks × pairs is needed.

    By the plain mean over tasks, in which datasets with many classes weigh more, the five pairs
    listed by Lenz, Peralta and Cornelis (2021) are the first five if SVM is left out.

    Examples
    --------
    >>> from occstats.stats import complementary_pairs
    >>> pairs = complementary_pairs([[.9, .5, .6], [.4, .8, .6]], ["iris", "wine"])
    >>> pairs.round(2)
       a  b  mean_best_score  mean_rank
    0  0  1             0.85       1.50
    1  0  2             0.75       2.25
    2  1  2             0.70       2.25
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    table, k = as_scores("scores", sample.scores), sample.n_algorithms
    if k < 2:
        raise ArgumentError(f"scores must have at least two columns to make pairs; got {k}.")
    weights = sample.clusters.weights
    # The rank, among all pairs, of the pairs in which each algorithm is the better one.
    tied = count_tied(sample.rounded)
    below = k - sample.ranks + (tied + 1) / 2
    left, rest = below * (below - 1) / 2, (below - tied) * (below - tied - 1) / 2
    ranks = k * (k - 1) / 2 - left + (left - rest + 1) / 2
    a, b = np.triu_indices(k, 1)
    score_means, rank_means = [], []
    for first in range(k - 1):
        score_means.append(weights @ np.maximum(table[:, [first]], table[:, first + 1 :]))
        rank_means.append(weights @ np.minimum(ranks[:, [first]], ranks[:, first + 1 :]))
    mean_best_score, mean_rank = np.concatenate(score_means), np.concatenate(rank_means)
    # Rounding errors must not decide the order.
    order = np.lexsort((b, a, mean_rank.round(12), -mean_best_score.round(12)))
    columns = {"a": a, "b": b, "mean_best_score": mean_best_score, "mean_rank": mean_rank}
    return pd.DataFrame({name: values[order] for name, values in columns.items()})
