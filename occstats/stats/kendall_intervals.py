"""Cluster-bootstrap intervals of Kendall's τ between every two algorithms.

τ sums the concordance of pairs of tasks, so each resample of the data sets is a quadratic form in
their counts (`occstats.stats.forms`): 10,000 resamples of 36 pairs cost a fraction of a second.

References
----------
.. [1] S. Vigna (2015). A weighted correlation index for rankings with ties. WWW '15, 1166-1176.
.. [2] C. A. Field, A. H. Welsh (2007). Bootstrapping clustered data. JRSS B 69(3), 369-390.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from occstats.checks import check_choice
from occstats.stats.arrays import FloatArray as Array
from occstats.stats.bootstrap import cluster_bootstrap
from occstats.stats.clusters import Clusters
from occstats.stats.effect_sizes import Effect
from occstats.stats.forms import Form, is_dense, quadratic_forms
from occstats.stats.pairs import mirror, upper_pairs
from occstats.stats.sample import Sample

WEIGHTINGS = ("product", "sum", "plain")
# Pairs of tasks, and of tasks with data sets for all pairs of algorithms, that are held at once.
BLOCK_ELEMENTS = 1_000_000


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
    k = grid.shape[1]
    form, first, second = concordance_forms(grid, grouping, weighting)
    n_pairs = len(first)

    def statistic(counts: Array) -> Array:
        values = form(counts)
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
        grouping,
        method=method,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    return Effect(*(mirror(v, v, k, 1.0) for v in (interval.estimate, interval.low, interval.high)))


def concordance_forms(
    grid: Array, grouping: Clusters, weighting: str
) -> tuple[Form, NDArray[np.intp], NDArray[np.intp]]:
    """Concordance of all pairs of algorithms, then of untied tasks, for weights of clusters.

    The positions of what belongs to the two algorithms of each pair come with it.
    """
    k, m = grid.shape[1], grouping.n_clusters
    pairs = np.column_stack(upper_pairs(k))
    complete = not np.isnan(grid).any()
    where = (pairs if complete else np.arange(2 * len(pairs)).reshape(-1, 2)) + len(pairs)
    n_forms = len(pairs) + (k if complete else 2 * len(pairs))
    blocks = _Concordance(grid, grouping, weighting)
    if is_dense(grouping):
        forms = np.zeros((n_forms, m, m))
        for clusters, part in blocks:
            forms[:, clusters] += part

        def form(rows: Array) -> Array:
            return quadratic_forms(rows, forms)
    else:

        def form(rows: Array) -> Array:
            values = np.zeros((len(rows), n_forms))
            for clusters, part in blocks:
                for position, matrix in enumerate(part):
                    below = rows @ matrix.T
                    values[:, position] += np.einsum("bi,bi->b", below, rows[:, clusters])
            return values

    return form, where[:, 0].astype(np.intp), where[:, 1].astype(np.intp)


class _Concordance:
    """Matrices clusters × clusters of the sums over their tasks, some rows of them at a time."""

    def __init__(self, grid: Array, grouping: Clusters, weighting: str) -> None:
        order = np.argsort(grouping.codes, kind="stable")
        self.columns = np.ascontiguousarray(grid[order].T)
        self.known = ~np.isnan(self.columns)
        self.codes, self.weighting = grouping.codes[order], weighting
        self.starts = np.concatenate([[0], np.cumsum(grouping.sizes)[:-1]])
        self.pairs = list(zip(*(p.tolist() for p in upper_pairs(len(self.columns))), strict=True))

    def __iter__(self) -> Iterator[tuple[slice, Array]]:
        k, n = self.columns.shape
        m = len(self.starts)
        step = max(1, BLOCK_ELEMENTS // (n + m * (k + len(self.pairs))))
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            codes = self.codes[rows]
            yield slice(codes[0], codes[-1] + 1), np.array(list(self._forms(rows)))

    def _forms(self, rows: slice) -> Iterator[Array]:
        """Those of the concordance, then of untied tasks, of some tasks with all others."""
        signs = []
        for x in self.columns:
            own = x[rows, None]
            signs.append((own > x).astype(np.int8) - (own < x).astype(np.int8))
        for a, b in self.pairs:
            yield self._gather(signs[a] * signs[b], rows, self.known[a] & self.known[b])
        if self.known.all():
            for sign, known in zip(signs, self.known, strict=True):
                yield self._gather(np.abs(sign), rows, known)
            return
        for a, b in self.pairs:
            both = self.known[a] & self.known[b]
            for sign in (signs[a], signs[b]):
                yield self._gather(np.abs(sign) * both[rows, None] * both, rows, both)

    def _gather(self, kernel: NDArray[np.int8], rows: slice, known: NDArray[np.bool_]) -> Array:
        """Sum whole numbers, then give each data set its weight."""
        codes = self.codes[rows]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        by_row = np.add.reduceat(kernel, starts, axis=0, dtype=np.int32)
        sums = np.add.reduceat(by_row, self.starts, axis=1, dtype=np.float64)
        if self.weighting == "plain":
            return np.asarray(sums)
        share = 1 / np.maximum(np.add.reduceat(known, self.starts, dtype=np.float64), 1.0)
        own = share[codes[starts], None]
        return np.asarray(sums * (own * share if self.weighting == "product" else own + share))
