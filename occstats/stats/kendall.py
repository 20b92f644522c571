"""Weighted Kendall's τ: how alike two algorithms order the tasks."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from occstats.errors import ArgumentError
from occstats.stats._checks import (
    FloatArray,
    IntArray,
    as_scores,
    as_vector,
    check_choice,
    cluster_codes,
    round_to_grid,
)

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
    \rangle}`: ties are treated as in τ-b, which is the case of equal weights. SciPy computes it by
    merge sort, in O(N log N).

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
    codes = _codes(clusters, len(first), weighting)
    return _tau(
        round_to_grid(first, tie_tolerance),
        round_to_grid(second, tie_tolerance),
        codes,
        weighting,
    )


def kendall_matrix(
    scores: npt.ArrayLike,
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
    table = round_to_grid(as_scores("scores", scores, allow_nan=True), tie_tolerance)
    columns = np.ascontiguousarray(table.T)
    codes = _codes(clusters, len(table), weighting)
    k = len(columns)
    if weighting != "hyperbolic" and not np.isnan(columns).any() and _few_tasks(len(table), k):
        return _all_at_once(columns, _task_weights(codes, len(table)), weighting == "sum")
    tau = np.full((k, k), np.nan)
    for a in range(k):
        present = columns[a][~np.isnan(columns[a])]
        if len(present) > 1 and (present != present[0]).any():
            tau[a, a] = 1.0
        for b in range(a + 1, k):
            tau[a, b] = tau[b, a] = _tau(columns[a], columns[b], codes, weighting)
    return tau


def _codes(clusters: npt.ArrayLike | None, n_tasks: int, weighting: str) -> IntArray | None:
    if weighting not in ("product", "sum"):
        return None
    if clusters is None:
        raise ArgumentError(
            f"clusters must be given for weighting {weighting!r}; "
            "use weighting='plain' for tasks of equal weight."
        )
    return cluster_codes(clusters, n_tasks)[0]


def _few_tasks(n_tasks: int, k: int) -> bool:
    """Whether to compare all tasks with all others rather than sort them once for each pair.

    SciPy's sort costs about a millisecond a pair of algorithms, comparing 5 ns a pair of tasks.
    """
    return n_tasks * (n_tasks - 1) // 2 <= 50_000 * (k - 1)


def _task_weights(codes: IntArray | None, n_tasks: int) -> FloatArray:
    if codes is None:
        return np.ones(n_tasks)
    weights: FloatArray = 1.0 / np.bincount(codes)[codes]
    return weights


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
            agreement += both_ways * pair_weight * _sign_agreement(rows, others)
    spread = np.diag(agreement).copy()
    # The root of the product, not the product of the roots: equal rankings give exactly 1.
    with np.errstate(invalid="ignore"):
        tau: FloatArray = agreement / np.sqrt(np.multiply.outer(spread, spread))
    tau[spread == 0] = np.nan
    tau[:, spread == 0] = np.nan
    return np.clip(tau, -1.0, 1.0)


def _sign_agreement(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Pairs of tasks that two algorithms order alike, less those they order oppositely."""
    k, n_others = others.shape
    agreement = np.zeros((k, k))
    # As many tasks at a time as keep the signs within a few megabytes.
    step = max(1, 1_000_000 // (k * n_others))
    for start in range(0, rows.shape[1], step):
        block = rows[:, start : start + step, None]
        signs = np.sign(block - others[:, None, :]).reshape(k, -1)
        agreement += signs @ signs.T
    return agreement


def _tau(x: FloatArray, y: FloatArray, codes: IntArray | None, weighting: str) -> float:
    both = ~(np.isnan(x) | np.isnan(y))
    if not both.all():
        x, y = x[both], y[both]
        codes = None if codes is None else codes[both]
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    if weighting == "plain":
        return float(stats.kendalltau(x, y, variant="b").statistic)
    if codes is None:
        return float(stats.weightedtau(x, y).statistic)
    # A list, because SciPy asks for one Python float at a time.
    weights = (1.0 / np.bincount(codes)[codes]).tolist()
    tau = stats.weightedtau(
        x, y, rank=np.arange(len(x)), weigher=weights.__getitem__, additive=weighting == "sum"
    ).statistic
    return float(np.clip(tau, -1.0, 1.0))
