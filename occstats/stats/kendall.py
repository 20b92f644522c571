"""Weighted Kendall's τ between the scores of two algorithms."""

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from occstats._checks import check_choice
from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray, IntArray, as_scores, as_vector, round_to_grid
from occstats.stats.clusters import Clusters
from occstats.stats.sample import Sample

Weighting = Literal["product", "sum", "hyperbolic", "plain"]
WEIGHTINGS = ("product", "sum", "hyperbolic", "plain")


def kendall_tau(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    weighting: Weighting = "product",
    tie_tolerance: float = 0.0,
) -> float:
    r"""Compute Kendall's τ between the scores of two algorithms, with clusters of equal weight.

    Parameters
    ----------
    x, y : array_like of shape (n_tasks,)
        Scores of two algorithms on the same tasks. Tasks where either is NaN are left out.
    clusters : array_like of shape (n_tasks,), optional
        Label of the cluster (dataset) of each task; each task weighs one over the number of tasks
        of its cluster that are left. Needed by ``"product"`` and ``"sum"``.
    weighting : {"product", "sum", "hyperbolic", "plain"}
        Weight of a pair of tasks: :math:`w_i w_j`, :math:`w_i + w_j`; hyperbolic in the tasks'
        ranks, so that the highest scores count most (SciPy's default); or 1, plain τ-b.
    tie_tolerance : float
        Scores are rounded to multiples of this number before they are compared.

    Returns
    -------
    float
        From −1 to 1; NaN when it is not defined (one of the two does not vary, or fewer than two
        tasks).

    Notes
    -----
    With :math:`\langle x, y \rangle = \sum_{i<j} \mathrm{sign}(x_i - x_j)\, \mathrm{sign}(y_i -
    y_j)\, w_{ij}`, :math:`\tau = \langle x, y \rangle / \sqrt{\langle x, x \rangle \langle y, y
    \rangle}`: ties are treated as in τ-b, which is the case of equal weights. It is
    computed in O(N log N).

    References
    ----------
    .. [1] S. Vigna (2015). A weighted correlation index for rankings with ties. Proceedings of the
       24th International Conference on World Wide Web, 1166-1176.

    Examples
    --------
    >>> from occstats.stats import kendall_tau
    >>> x, y = [0.9, 0.8, 0.7, 0.6], [0.9, 0.7, 0.8, 0.5]
    >>> round(kendall_tau(x, y, ["iris", "iris", "iris", "wine"]), 4)
    0.8333
    >>> round(kendall_tau(x, y, weighting="plain"), 4)
    0.6667
    """
    check_choice("weighting", weighting, WEIGHTINGS)
    first = as_vector("x", x, allow_nan=True)
    second = as_vector("y", y, allow_nan=True)
    if first.shape != second.shape:
        raise ArgumentError(
            f"x and y must hold the same tasks; got {len(first)} and {len(second)} values."
        )
    codes = Clusters.of(_needed(clusters, weighting, len(first)), len(first)).codes
    both = ~(np.isnan(first) | np.isnan(second))
    return _tau(
        round_to_grid(first[both], tie_tolerance),
        round_to_grid(second[both], tie_tolerance),
        codes[both],
        weighting,
    )


def kendall_matrix(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    weighting: Weighting = "product",
    tie_tolerance: float = 0.0,
) -> FloatArray:
    """Compute Kendall's τ between all pairs of algorithms.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        NaN marks a missing score; each pair uses the tasks both have.
    clusters, weighting, tie_tolerance
        As in :func:`kendall_tau`.

    Returns
    -------
    ndarray of shape (k, k)
        Symmetric; 1 on the diagonal, NaN where τ is not defined.

    Examples
    --------
    >>> from occstats.stats import kendall_matrix
    >>> kendall_matrix([[.9, .8], [.8, .6], [.7, .7]], ["iris", "iris", "wine"]).round(2)
    array([[1. , 0.2],
           [0.2, 1. ]])
    """
    check_choice("weighting", weighting, WEIGHTINGS)
    if not isinstance(scores, Sample) and clusters is None:
        labels = _needed(clusters, weighting, len(as_scores("scores", scores, allow_nan=True)))
        scores = Sample.of(scores, labels, tie_tolerance=tie_tolerance)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    columns = np.ascontiguousarray(sample.rounded.T)
    codes = sample.clusters.codes
    k = len(columns)
    whole = bool(sample.complete.all())
    if weighting != "hyperbolic" and whole and by_definition(sample.n_tasks, k):
        return _all_at_once(columns, task_weights(codes, weighting), weighting == "sum")
    tau = np.full((k, k), np.nan)
    known = ~np.isnan(columns)
    # Ranked once for all pairs, where these have the same tasks.
    ranked = [_Ranked(x, codes, weighting) for x in columns] if whole else []
    for a in range(k):
        present = columns[a][known[a]]
        if len(present) > 1 and (present != present[0]).any():
            tau[a, a] = 1.0
        for b in range(a + 1, k):
            if whole and weighting != "hyperbolic":
                found = _ratio(ranked[a], ranked[b])
            else:
                both = known[a] & known[b]
                found = _tau(columns[a][both], columns[b][both], codes[both], weighting)
            tau[a, b] = tau[b, a] = found
    return tau


def by_definition(n_tasks: int, k: int) -> bool:
    """Return whether to compare all tasks with all others rather than sort them for each pair.

    SciPy's sort costs about a millisecond a pair of algorithms, comparing 5 ns a pair of tasks.
    """
    return n_tasks * (n_tasks - 1) // 2 <= 50_000 * (k - 1)


def task_weights(codes: IntArray, weighting: str) -> FloatArray:
    """Return one over the number of tasks of its cluster, or 1, for each task."""
    return np.ones(len(codes)) if weighting == "plain" else 1.0 / np.bincount(codes)[codes]


def _all_at_once(columns: FloatArray, weights: FloatArray, additive: bool) -> FloatArray:
    """Compute τ of all pairs by its definition, as products of matrices of signs.

    Tasks of equal weight are counted together: sums of signs are whole numbers, the same whatever
    the order in which a processor adds them. So τ is symmetric, and the same on every machine.
    """
    k = len(columns)
    parts = [(columns[:, weights == weight], weight) for weight in np.unique(weights)]
    agreement = np.zeros((k, k))
    for position, (rows, weight) in enumerate(parts):
        for others, other_weight in parts[: position + 1]:
            pair_weight = weight + other_weight if additive else weight * other_weight
            both_ways = 1 if others is rows else 2
            agreement += both_ways * pair_weight * sign_agreement(rows, others)
    spread = np.diag(agreement).copy()
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    with np.errstate(invalid="ignore"):
        tau: FloatArray = agreement / np.sqrt(np.multiply.outer(spread, spread))
    tau[spread == 0] = np.nan
    tau[:, spread == 0] = np.nan
    return np.clip(tau, -1.0, 1.0)


def sign_agreement(
    rows: FloatArray, others: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return concordant minus discordant pairs of tasks of two algorithms.

    ``weights`` of the pairs, rows × others; 1 without.
    """
    k, n_others = others.shape
    agreement = np.zeros((k, k))
    # As many tasks at a time as keep the signs within a few megabytes.
    step = max(1, 1_000_000 // (k * n_others))
    for start in range(0, rows.shape[1], step):
        part = slice(start, start + step)
        signs = np.sign(rows[:, part, None] - others[:, None, :]).reshape(k, -1)
        weighed = signs if weights is None else signs * weights[part].ravel()
        agreement += weighed @ signs.T
    return agreement


def _needed(clusters: npt.ArrayLike | None, weighting: str, n_tasks: int) -> npt.ArrayLike:
    """Return the labels of clusters, which only some weights need."""
    if clusters is None and weighting in ("product", "sum"):
        raise ArgumentError(
            f"clusters must be given for weighting {weighting!r}; "
            "use weighting='plain' for tasks of equal weight."
        )
    return np.arange(n_tasks) if clusters is None else clusters


def _tau(x: FloatArray, y: FloatArray, codes: IntArray, weighting: str) -> float:
    """Return τ of two columns without missing values."""
    if weighting == "hyperbolic":
        from scipy.stats import weightedtau

        varied = all(len(values) > 1 and (values != values[0]).any() for values in (x, y))
        return float(weightedtau(x, y).statistic) if varied else float("nan")
    return _ratio(_Ranked(x, codes, weighting), _Ranked(y, codes, weighting))


def _ratio(x: "_Ranked", y: "_Ranked") -> float:
    if x.untied == 0 or y.untied == 0:
        return float("nan")
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    return float(np.clip(x.agreement(y) / np.sqrt(x.untied * y.untied), -1.0, 1.0))


class _Ranked:
    """The order of tasks by one algorithm, and the weight of the pairs of tasks that it orders."""

    def __init__(self, x: FloatArray, codes: IntArray, weighting: str) -> None:
        self.weights, self.additive = task_weights(codes, weighting), weighting == "sum"
        values, self.rank = np.unique(x, return_inverse=True)
        self.has_ties = len(values) < len(x)
        self.all = self._pairs_within(np.zeros_like(self.rank))
        self.tied = self._pairs_within(self.rank) if len(values) > 1 else self.all
        self.untied = self.all - self.tied

    def agreement(self, other: "_Ranked") -> float:
        """Return the weight of concordant pairs minus that of discordant ones."""
        # Ties are in the order of the other: a pair with a tie is never in disorder.
        order = self._order(other)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        weights, ones = self.weights[order], np.ones(len(order))
        sides = [(weights, ones), (ones, weights)] if self.additive else [(weights, weights)]
        found = place[other._order(self)]
        disorder = math.fsum(_disorder(found, *side) for side in sides)
        return self.untied - (other.tied - self._tied_in_both(other, order)) - 2 * disorder

    def _tied_in_both(self, other: "_Ranked", order: IntArray) -> float:
        if not (self.has_ties and other.has_ties):
            return 0.0
        differs = np.zeros(len(order), dtype=bool)
        for rank in (self.rank[order], other.rank[order]):
            differs[1:] |= rank[1:] != rank[:-1]
        groups = np.empty_like(order)
        groups[order] = np.cumsum(differs)
        return self._pairs_within(groups)

    def _order(self, other: "_Ranked") -> IntArray:
        """Return the tasks from the lowest on, tied ones in the order of the other."""
        if self.has_ties:
            return np.argsort(self.rank * len(self.rank) + other.rank, kind="stable")
        order = np.empty_like(self.rank)
        order[self.rank] = np.arange(len(order))
        return order

    def _pairs_within(self, groups: IntArray) -> float:
        """Return the weight of the pairs of tasks within numbered groups."""
        sums, squares = (np.bincount(groups, w) for w in (self.weights, self.weights**2))
        twice = 2 * sums * (np.bincount(groups) - 1.0) if self.additive else sums**2 - squares
        # Exact sums: the same on every processor.
        return math.fsum(twice[twice != 0]) / 2


def _disorder(rank: IntArray, high: FloatArray, low: FloatArray) -> float:
    """Return Σ high[r] low[q] over all pairs in which a rank r comes before a lower rank q.

    Examples
    --------
    >>> _disorder(np.array([1, 2, 0]), np.ones(3), np.ones(3))
    2.0
    """
    found = []
    for ranks, up in partings(rank):
        passed = np.cumsum(weights_at(ranks, low) * ~up, axis=1)
        later = passed[:, -1:] - passed
        found.append(float(np.sum(weights_at(ranks, high) * up * later)))
    return math.fsum(found)


def partings(rank: IntArray) -> Iterator[tuple[IntArray, npt.NDArray[np.bool_]]]:
    """Part ranks by their bits, the highest first: parts × ranks, and which of them go up.

    Two ranks differ first at one bit, where they are in one part and one goes up: pairs in which
    a higher rank comes before a lower one are counted in O(N log N), like in Knight's merge sort,
    in whole arrays. Ranks are added at the end until their number is a power of two.
    """
    n = len(rank)
    bits = (n - 1).bit_length()
    rank = np.concatenate([rank, np.arange(n, 2**bits)])
    for bit in range(bits - 1, -1, -1):
        up = ((rank >> bit) & 1).astype(bool)
        yield rank.reshape(-1, 2 << bit), up.reshape(-1, 2 << bit)
        parts = [np.compress(way, rank).reshape(-1, 1 << bit) for way in (~up, up)]
        rank = np.concatenate(parts, axis=1).ravel()


def weights_at(ranks: IntArray, weights: FloatArray) -> FloatArray:
    """Return the weights of ranks, by rank; added ranks have none."""
    added = np.zeros(ranks.size - len(weights))
    return np.asarray(np.concatenate([weights, added])[ranks])
