"""Dependence within clusters: intraclass correlation, design effect, informative size."""

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import stdtr

from occstats.stats._arrays import FloatArray, midranks
from occstats.stats.clusters import intraclass_correlation
from occstats.stats.sample import PairBlock, Sample
from occstats.stats.signed_rank import TESTS
from occstats.stats.signed_rank.rosner_glynn_lee import size_inflation


def cluster_diagnostics(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
) -> pd.DataFrame:
    r"""Measure the dependence of differences within clusters for every pair of algorithms.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        NaN marks a missing score; each pair uses the tasks both have.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    tie_tolerance : float
        Differences are rounded to multiples of this number.

    Returns
    -------
    DataFrame
        One row per pair a < b of columns, in order: ρ of the signed ranks (zeros dropped), as the
        Rosner-Glynn-Lee test estimates it before its bias correction (``icc``); ρ of the
        differences themselves, zeros kept (``icc_differences``); the tasks that both algorithms
        have over the effective ones (``design_effect``); the number of independent tasks with the
        same information (``effective_tasks``); Spearman's correlation, over clusters, between the
        number of tasks and the mean of a minus b, and its two-sided p-value
        (``size_correlation``, ``size_p``): a small one indicates informative cluster size. They
        are NaN if all clusters have the same size.

    Notes
    -----
    ρ is the analysis of variance estimator :math:`\sigma_b^2 / (\sigma_b^2 + MSW)` with
    :math:`\sigma_b^2 = (MSB - MSW)/g_0`, :math:`g_0 = (N - \sum g_i^2/N)/(m - 1)` [3]_, truncated
    at 0; NaN if no cluster has two tasks or nothing varies.

    A cluster of :math:`g_i` tasks with correlation ρ has the information of
    :math:`g_i / (1 + (g_i - 1) \rho)` independent tasks. The effective number of tasks is the sum
    over clusters, with the bias-corrected ρ of the Rosner-Glynn-Lee weights [1]_. If all sizes are
    g, the design effect is :math:`1 + (g - 1) \rho` [2]_; it is 1 if no cluster has two tasks.

    References
    ----------
    .. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
       comparisons of clustered data. Biometrics 62(1), 185-192.
    .. [2] L. Kish (1965). Survey Sampling. Wiley, section 5.4.
    .. [3] A. Donner (1986). A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model. International Statistical Review 54, 67-82.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import cluster_diagnostics
    >>> scores = np.array([[.9, .8], [.8, .6], [.7, .8], [.5, .7], [.6, .5], [.9, .6]])
    >>> found = cluster_diagnostics(scores, [1, 1, 2, 2, 3, 3], tie_tolerance=1e-9)
    >>> found[["icc", "effective_tasks", "design_effect"]].round(2)
        icc  effective_tasks  design_effect
    0  0.74              3.0            2.0

    With three clusters the corrected ρ is 1: six tasks are worth as much as three.
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    parts = [
        _diagnose(block, prepared.observed.correlation)
        for block, prepared in zip(sample.blocks(), TESTS["rgl"].blocks(sample), strict=True)
    ]
    columns = [
        "icc", "icc_differences", "design_effect", "effective_tasks", "size_correlation", "size_p",
    ]  # fmt: skip
    return pd.DataFrame(np.hstack([np.empty((6, 0)), *parts]).T, columns=columns)


def _diagnose(block: PairBlock, icc: FloatArray) -> FloatArray:
    """Return the diagnostics of some pairs, 6 × pairs, given that of their signed ranks."""
    known = ~np.isnan(block.grid)
    clusters = block.clusters.independent
    sizes = clusters.sums(known)
    n, m, squared = sizes.sum(axis=0), (sizes > 0).sum(axis=0), (sizes**2).sum(axis=0)
    x = np.where(known, block.grid, 0.0)
    sums = clusters.sums(x)
    # Centred first: a small spread would lose its digits.
    x = np.where(known, x - x.sum(axis=0) / np.maximum(n, 1), 0.0)
    between = (clusters.sums(x) ** 2 / np.maximum(sizes, 1)).sum(axis=0)
    total = np.zeros(len(n))
    rho = intraclass_correlation(between, (x**2).sum(axis=0), total, squared, n, m)
    differing = (clusters.sums(known & (block.grid != 0)) > 0).sum(axis=0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        inflation = np.where(sizes <= 1, 1.0, size_inflation(icc, sizes, differing))
        # With two clusters the correction can make ρ negative.
        effective = np.minimum(np.where(inflation > 0, sizes / inflation, np.nan).sum(axis=0), n)
    effective[n == 0] = np.nan
    return np.array([icc, rho, n / effective, effective, *_size_correlation(sums, sizes)])


def _size_correlation(sums: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Spearman's correlation of cluster size and mean for each column, and its p-value."""
    present = sizes > 0
    means = sums / np.maximum(sizes, 1)
    m = present.sum(axis=0)

    def centred_ranks(values: FloatArray) -> FloatArray:
        # Absent clusters are ranked last, and then removed.
        ranks = midranks(np.ascontiguousarray(np.where(present, values, np.inf).T)).T
        return np.where(present, ranks - (m + 1) / 2, 0.0)

    of_size, of_mean = centred_ranks(sizes), centred_ranks(means)
    squares = (of_size**2).sum(axis=0) * (of_mean**2).sum(axis=0)
    defined = (m >= 3) & (squares > 0)
    root = np.sqrt(np.where(defined, squares, 1.0))
    correlation = np.clip((of_size * of_mean).sum(axis=0) / root, -1.0, 1.0)
    df = np.maximum(m - 2, 1)
    with np.errstate(divide="ignore"):
        t = correlation * np.sqrt(df / ((1 + correlation) * (1 - correlation)))
    p = 2 * stdtr(df, -np.abs(t))
    return np.where(defined, correlation, np.nan), np.where(defined, p, np.nan)
