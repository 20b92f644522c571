"""How much the clusters matter: intraclass correlation, design effect, informative sizes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr
from scipy.stats import rankdata

from occstats.stats.arrays import FloatArray, IntArray, as_scores, cluster_codes, round_to_grid
from occstats.stats.rosner_glynn_lee import signed_rank_sums
from occstats.stats.sorted_differences import sort_differences


@dataclass(frozen=True, eq=False)
class ClusterDiagnostics:
    """Diagnostics of the differences of all pairs: arrays of shape (k, k).

    The diagonal is NaN (0 for counts).

    Attributes
    ----------
    n_tasks, n_clusters : ndarray of int
        Tasks and clusters that both algorithms have.
    intraclass_correlation : ndarray
        ρ of the signed ranks (zeros dropped), as the Rosner-Glynn-Lee test estimates it.
    intraclass_correlation_differences : ndarray
        ρ of the differences themselves (zeros kept), by the same estimator.
    design_effect : ndarray
        1 + (ḡ − 1) ρ: by how much clustering inflates the variance of a mean over tasks.
    effective_tasks : ndarray
        `n_tasks` over `design_effect`: independent tasks with the same information.
    size_correlation, size_p : ndarray
        Spearman's correlation, over clusters, between the number of tasks and the mean of a minus
        b (so ``[b, a]`` has the opposite sign), and its two-sided p-value. If the size of a
        cluster is informative, prefer the Datta-Satten test. NaN if all clusters have the same
        size.
    """

    n_tasks: IntArray
    n_clusters: IntArray
    intraclass_correlation: FloatArray
    intraclass_correlation_differences: FloatArray
    design_effect: FloatArray
    effective_tasks: FloatArray
    size_correlation: FloatArray
    size_p: FloatArray


def cluster_diagnostics(
    scores: npt.ArrayLike, clusters: npt.ArrayLike, *, tie_tolerance: float = 0.0
) -> ClusterDiagnostics:
    r"""Measure, for every pair of algorithms, how much their differences depend on the cluster.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        NaN marks a missing score; each pair uses the tasks both have.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (data set) of each task.
    tie_tolerance : float
        Differences are rounded to multiples of this number.

    Returns
    -------
    ClusterDiagnostics

    Notes
    -----
    ρ is the analysis of variance estimator :math:`\sigma_b^2 / (\sigma_b^2 + MSW)` with
    :math:`\sigma_b^2 = (MSB - MSW)/g_0`, :math:`g_0 = (N - \sum g_i^2/N)/(m - 1)`, set to 0 where
    it is negative; NaN if no cluster has two tasks or nothing varies.

    The variance of the mean of N differences in clusters of sizes :math:`g_i`, when any two of a
    cluster correlate by ρ, is :math:`\sigma^2/N` times :math:`1 + (\bar g - 1) \rho` with
    :math:`\bar g = \sum g_i^2 / N`, the mean size of the cluster of a task [1]_. That is the
    design effect reported, with ρ of the signed ranks; it is the common :math:`1 + (g - 1) \rho`
    if all sizes are g, and 1 if no cluster has two tasks.

    References
    ----------
    .. [1] L. Kish (1965). Survey Sampling. Wiley, section 5.4.
    .. [2] A. Donner (1986). A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model. International Statistical Review 54, 67-82.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import cluster_diagnostics
    >>> scores = np.array([[.9, .8], [.8, .6], [.7, .8], [.5, .7], [.6, .5], [.9, .6]])
    >>> found = cluster_diagnostics(scores, [1, 1, 2, 2, 3, 3], tie_tolerance=1e-9)
    >>> round(float(found.intraclass_correlation[0, 1]), 3)
    0.74
    >>> round(float(found.effective_tasks[0, 1]), 2)
    3.45
    """
    table = as_scores("scores", scores, allow_nan=True)
    codes, labels = cluster_codes(clusters, len(table))
    n_clusters = len(labels)
    k = table.shape[1]
    n_tasks, clusters_left = (np.zeros((k, k), dtype=np.intp) for _ in range(2))
    rho_ranks, rho, effect, effective, size_correlation, size_p = (
        np.full((k, k), np.nan) for _ in range(6)
    )
    for a in range(k):
        for b in range(a + 1, k):
            differences = table[:, a] - table[:, b]
            both = ~np.isnan(differences)
            differences = round_to_grid(differences[both], tie_tolerance)
            used = codes[both]
            sizes = np.bincount(used, minlength=n_clusters)
            n, m = len(differences), int(np.count_nonzero(sizes))
            sums = signed_rank_sums(sort_differences(differences, used, n_clusters))
            both_ways = (a, b), (b, a)
            pair_rho = sums.correlation
            pair_effect = _design_effect(sizes, pair_rho)
            pair_rho_raw = intraclass_correlation_of(differences, used)
            correlation, p = _size_correlation(differences, used, sizes)
            for sign, place in zip((1, -1), both_ways, strict=True):
                n_tasks[place], clusters_left[place] = n, m
                rho_ranks[place] = pair_rho
                rho[place] = pair_rho_raw
                effect[place] = pair_effect
                effective[place] = n / pair_effect
                size_correlation[place], size_p[place] = sign * correlation, p
    return ClusterDiagnostics(
        n_tasks=n_tasks,
        n_clusters=clusters_left,
        intraclass_correlation=rho_ranks,
        intraclass_correlation_differences=rho,
        design_effect=effect,
        effective_tasks=effective,
        size_correlation=size_correlation,
        size_p=size_p,
    )


def intraclass_correlation_of(values: FloatArray, codes: IntArray) -> float:
    """ρ of values in numbered clusters by analysis of variance, not below 0."""
    n = len(values)
    sizes = np.bincount(codes)
    m = int(np.count_nonzero(sizes))
    if m < 2 or n == m or (values == values[0]).all():
        return float("nan")
    centred = values - values.mean()
    sums, sizes = np.bincount(codes, weights=centred)[sizes > 0], sizes[sizes > 0]
    between = float((sums**2 / sizes).sum())
    within = max(0.0, float(centred @ centred) - between)
    typical_size = (n - (sizes**2).sum() / n) / (m - 1)
    mean_square_within = within / (n - m)
    variance_between = (between / (m - 1) - mean_square_within) / typical_size
    return float(max(0.0, variance_between / (variance_between + mean_square_within)))


def _design_effect(sizes: IntArray, rho: float) -> float:
    if sizes.max(initial=0) <= 1:
        return 1.0
    mean_size_of_a_task = float((sizes.astype(np.float64) ** 2).sum() / sizes.sum())
    return 1 + (mean_size_of_a_task - 1) * rho


def _size_correlation(
    differences: FloatArray, codes: IntArray, sizes: IntArray
) -> tuple[float, float]:
    present = sizes > 0
    sums = np.bincount(codes, weights=differences, minlength=len(sizes))[present]
    sizes = sizes[present]
    means = sums / sizes
    if len(sizes) < 3 or (sizes == sizes[0]).all() or (means == means[0]).all():
        return float("nan"), float("nan")
    # As scipy.stats.spearmanr, which takes a millisecond: too long for thousands of pairs.
    ranks = rankdata([sizes, means], axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    squares = (ranks**2).sum(axis=1)
    correlation = float(np.clip(ranks[0] @ ranks[1] / np.sqrt(squares.prod()), -1.0, 1.0))
    df = len(sizes) - 2
    with np.errstate(divide="ignore"):
        t = correlation * np.sqrt(df / np.float64((1 + correlation) * (1 - correlation)))
    return correlation, float(2 * stdtr(df, -abs(t)))
