"""Cluster-bootstrap intervals of Kendall's τ between every two algorithms.

τ sums the concordance of pairs of tasks, so each resample of the data sets is a quadratic form in
their counts (`occstats.stats.forms`): 10,000 resamples of 36 pairs cost a fraction of a second.

References
----------
.. [1] S. Vigna (2015). A weighted correlation index for rankings with ties. WWW '15, 1166-1176.
.. [2] C. A. Field, A. H. Welsh (2007). Bootstrapping clustered data. JRSS B 69(3), 369-390.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from occstats.checks import check_choice
from occstats.stats.arrays import FloatArray as Array
from occstats.stats.bootstrap import cluster_bootstrap, resample_counts
from occstats.stats.clusters import Clusters
from occstats.stats.effect_sizes import Effect
from occstats.stats.forms import gather, order_signs, quadratic_forms
from occstats.stats.pairs import mirror, upper_pairs
from occstats.stats.sample import Sample

WEIGHTINGS = ("product", "sum", "plain")


def kendall_bootstrap(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    weighting: Literal["product", "sum", "plain"] = "product",
    tie_tolerance: float = 0.0,
    method: Literal["percentile", "bca"] = "percentile",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> Effect:
    r"""Weighted Kendall's τ of every pair of columns, with a cluster-bootstrap interval.

    .. math:: \tau = \frac{\sum_{s,t} w_{st}\,\mathrm{sign}(x_s - x_t)\,\mathrm{sign}(y_s - y_t)}
        {\sqrt{\sum w_{st} 1[x_s \ne x_t] \, \sum w_{st} 1[y_s \ne y_t]}}

    with :math:`w_{st} = w_s w_t`, :math:`w_s + w_t` or 1, and :math:`w_s` one over the number of
    tasks in the data set of s.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The data set of each task.
    weighting : {"product", "sum", "plain"}
        Weight of a pair of tasks.
    tie_tolerance : float
        Scores are rounded to multiples of it.
    method, confidence, n_resamples, random_state
        As in `occstats.stats.bootstrap.cluster_bootstrap`.

    Returns
    -------
    Effect
        Symmetric k × k matrices; 1 on the diagonal.

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.7, 0.7], [0.8, 0.6], [0.5, 0.4]]
    >>> tau = kendall_bootstrap(scores, ["a", "b", "c", "d"], random_state=0)
    >>> round(float(tau.estimate[0, 1]), 4)
    0.6667
    """
    check_choice("weighting", weighting, WEIGHTINGS)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    grid, grouping = sample.rounded, sample.clusters
    k, m = grid.shape[1], grouping.n_clusters
    forms, first, second = _concordance_forms(grid, grouping, weighting)
    n_pairs = len(first)

    def statistic(counts: Array) -> Array:
        values = quadratic_forms(counts, forms)
        untied = values[:, first] * values[:, second]
        tau = np.divide(
            values[:, :n_pairs],
            np.sqrt(untied),
            out=np.full(untied.shape, np.nan),
            where=untied > 0,
        )
        return np.asarray(np.clip(tau, -1.0, 1.0))

    interval = cluster_bootstrap(
        statistic,
        m,
        method=method,
        confidence=confidence,
        counts=resample_counts(m, n_resamples, random_state),
    )
    return Effect(*(mirror(v, v, k, 1.0) for v in (interval.estimate, interval.low, interval.high)))


def _concordance_forms(
    grid: Array, grouping: Clusters, weighting: str
) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
    """Matrices of all pairs' concordance, then those of untied tasks, and whose are whose."""
    present = ~np.isnan(grid)
    complete = bool(present.all())
    pairs = list(zip(*upper_pairs(grid.shape[1]), strict=True))
    signs = [order_signs(x, known) for x, known in zip(grid.T, present.T, strict=True)]
    concordance: list[Array] = []
    untied: list[Array] = []
    weights = 1 / grouping.sizes[grouping.codes]
    if complete:
        untied = [gather(np.abs(sign), grouping, weights, weighting) for sign in signs]
    for a, b in pairs:
        known = present[:, a] & present[:, b]
        sizes = np.maximum(grouping.sums(known), 1.0)
        weights = np.where(known, 1 / sizes[grouping.codes], 0.0)
        concordance.append(gather(signs[a] * signs[b], grouping, weights, weighting))
        if not complete:
            both = np.outer(known, known).astype(np.int8)
            kernels = [np.abs(signs[algorithm]) * both for algorithm in (a, b)]
            untied += [gather(kernel, grouping, weights, weighting) for kernel in kernels]
    where = np.array(pairs) if complete else np.arange(2 * len(pairs))
    where = where.reshape(-1, 2).astype(np.intp) + len(pairs)
    return np.array(concordance + untied), where[:, 0], where[:, 1]
