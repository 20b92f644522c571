"""Weighted Kendall's τ: how alike two algorithms order the tasks."""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from occstats.checks import check_choice
from occstats.errors import ArgumentError
from occstats.stats.arrays import FloatArray, IntArray, as_scores, as_vector, round_to_grid
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
    r"""Kendall's τ between two algorithms' scores, with every cluster weighing the same.

    Parameters
    ----------
    x, y : array_like of shape (n_tasks,)
        Scores of two algorithms on the same tasks. Tasks where either is NaN are left out.
    clusters : array_like of shape (n_tasks,), optional
        Label of the cluster (data set) of each task; each task weighs one over the number of tasks
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
    return _tau(
        round_to_grid(first, tie_tolerance),
        round_to_grid(second, tie_tolerance),
        codes,
        weighting,
        {},
    )


def kendall_matrix(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    weighting: Weighting = "product",
    tie_tolerance: float = 0.0,
) -> FloatArray:
    """Kendall's τ between all pairs of algorithms.

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
    if weighting != "hyperbolic" and whole and few_tasks(sample.n_tasks, k):
        return _all_at_once(columns, task_weights(codes, weighting), weighting == "sum")
    tau = np.full((k, k), np.nan)
    spreads: dict[int, float] = {}
    for a in range(k):
        present = columns[a][~np.isnan(columns[a])]
        if len(present) > 1 and (present != present[0]).any():
            tau[a, a] = 1.0
        for b in range(a + 1, k):
            tau[a, b] = tau[b, a] = _tau(
                columns[a], columns[b], codes, weighting, spreads if whole else {}, (a, b)
            )
    return tau


def few_tasks(n_tasks: int, k: int) -> bool:
    """Whether to compare all tasks with all others rather than sort them once for each pair.

    SciPy's sort costs about a millisecond a pair of algorithms, comparing 5 ns a pair of tasks.
    """
    return n_tasks * (n_tasks - 1) // 2 <= 50_000 * (k - 1)


def task_weights(codes: IntArray, weighting: str) -> FloatArray:
    """One over the tasks of its cluster, or 1."""
    return np.ones(len(codes)) if weighting == "plain" else 1.0 / np.bincount(codes)[codes]


def _all_at_once(columns: FloatArray, weights: FloatArray, additive: bool) -> FloatArray:
    """The definition itself for all pairs of algorithms, as products of matrices of signs.

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
    """Pairs of tasks that two algorithms order alike, less those they order oppositely.

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
    """Labels of clusters, which only some weights need."""
    if clusters is None and weighting in ("product", "sum"):
        raise ArgumentError(
            f"clusters must be given for weighting {weighting!r}; "
            "use weighting='plain' for tasks of equal weight."
        )
    return np.arange(n_tasks) if clusters is None else clusters


def _tau(
    x: FloatArray,
    y: FloatArray,
    codes: IntArray,
    weighting: str,
    spreads: dict[int, float],
    names: tuple[int, int] = (0, 1),
) -> float:
    """τ of two columns; how far each spreads is remembered by its name in ``spreads``."""
    both = ~(np.isnan(x) | np.isnan(y))
    if not both.all():
        x, y, codes = x[both], y[both], codes[both]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    if weighting == "hyperbolic":
        from scipy.stats import weightedtau

        return float(weightedtau(x, y).statistic)
    for name, column in zip(names, (x, y), strict=True):
        if name not in spreads:
            spreads[name] = _agreement(column, column, codes, weighting)
    found = _agreement(x, y, codes, weighting)
    return _ratio(found, *(spreads[name] for name in names))


def _ratio(agreement: float, spread: float, other_spread: float) -> float:
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    return float(np.clip(agreement / np.sqrt(spread * other_spread), -1.0, 1.0))


def _agreement(x: FloatArray, y: FloatArray, codes: IntArray, weighting: str) -> float:
    """Σ w_st sign(x_s − x_t) sign(y_s − y_t) over all pairs of tasks."""
    weights = task_weights(codes, weighting)
    # Exact sums: the same on every processor.
    if weighting != "sum":
        return math.fsum(weights * signed_below(x, y, weights))
    alike, weighed = (signed_below(x, y, w) for w in (np.ones(len(x)), weights))
    return math.fsum(weights * alike + weighed)


def signed_below(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """For each task, the weight of those below it in x that are below it in y, less of those above.

    Tasks in the order of y are parted by the bits of their rank in x, the highest first; at each
    bit those that go up are compared with those of the same part that stay down: O(N log N), like
    Knight's merge sort, in whole arrays.

    Examples
    --------
    >>> signed_below(np.array([1.0, 2, 3]), np.array([1.0, 3, 2]), np.ones(3))
    array([0., 1., 0.])
    """
    order = np.argsort(y, kind="stable")
    _, rank = np.unique(x, return_inverse=True)
    found = np.zeros(len(x))
    for bit in range(int(rank.max(initial=0)).bit_length() - 1, -1, -1):
        part, value = (rank >> (bit + 1))[order], y[order]
        down = ((rank[order] >> bit) & 1) == 0
        below = np.concatenate([[0.0], np.cumsum(np.where(down, weights[order], 0.0))])
        new_part = np.concatenate([[True], part[1:] != part[:-1]])
        starts, ends = _edges(new_part)
        first, last = _edges(new_part | np.concatenate([[True], value[1:] != value[:-1]]))
        gain = (below[first] - below[starts]) - (below[ends] - below[last])
        found[order] += np.where(down, 0.0, gain)
        # The next bit down: within each part those that stay down first, else as before.
        passed = np.concatenate([[0], np.cumsum(down)])
        before = passed[:-1] - passed[starts]
        up = passed[ends] - passed[starts] + np.arange(len(x)) - starts - before
        parted = np.empty_like(order)
        parted[starts + np.where(down, before, up)] = order
        order = parted
    return found


def _edges(starts_run: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """For each place, where its run starts and where the next one does."""
    edges = np.append(np.flatnonzero(starts_run), len(starts_run))
    lengths = np.diff(edges)
    return np.repeat(edges[:-1], lengths), np.repeat(edges[1:], lengths)
