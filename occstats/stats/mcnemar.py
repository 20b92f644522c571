r"""Comparison of two algorithms with scores of 0 and 1 on clustered tasks.

For task j of cluster i let :math:`x_{ij}` be 1 where only a is right, −1 where only b is, and 0
where both or neither are; :math:`d_i = \sum_j x_{ij}`, :math:`n_i` tasks in cluster i, N in all,
K clusters. With equal weights of all tasks, :math:`\Delta = \sum_i d_i / N` has the variance

.. math:: s^2 = \frac{K}{K - 1} \frac{\sum_i (d_i - n_i \Delta)^2}{N^2},

which is that of least squares with clusters [1]_. McNemar's test treats tasks as independent; these
tests do not:

* Obuchowski [2]_: :math:`\frac{K-1}{K} (\sum d_i)^2 / \sum d_i^2`;
* Durkalski et al. [3]_: :math:`(\sum d_i / n_i)^2 / \sum (d_i / n_i)^2`, with equal weights;
* Eliasziw and Donner [4]_: McNemar's statistic over :math:`1 + (n_c - 1) \tilde\rho`, with the
  intraclass correlation of disagreements :math:`\tilde\rho`.

All are compared with χ² of one degree of freedom.

References
----------
.. [1] E. Miller (2024). Adding error bars to evals: a statistical approach to language model
   evaluations. arXiv 2411.00640.
.. [2] N. A. Obuchowski (1998). On the comparison of correlated proportions for clustered data.
   Statistics in Medicine 17(13), 1495-1507.
.. [3] V. L. Durkalski, Y. Y. Palesch, S. R. Lipsitz, P. F. Rust (2003). Analysis of clustered
   matched-pair data. Statistics in Medicine 22(15), 2417-2428.
.. [4] M. Eliasziw, A. Donner (1991). Application of the McNemar test to non-independent matched
   pair data. Statistics in Medicine 10(12), 1981-1991.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_fraction
from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray
from occstats.stats.jackknife import arcsine_limits
from occstats.stats.power import minimal_detectable_difference
from occstats.stats.sample import Sample


def is_binary(scores: ArrayLike) -> bool:
    """Return whether all known scores are 0 or 1, and both occur.

    Examples
    --------
    >>> is_binary([[1, 0], [0, float("nan")]]), is_binary([[1, 0.5]])
    (True, False)
    """
    values = np.asarray(scores, dtype=float)
    known = values[~np.isnan(values)]
    ones, zeros = np.count_nonzero(known == 1), np.count_nonzero(known == 0)
    return bool(ones + zeros == known.size and ones and zeros)


def clustered_mcnemar(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Compute clustered standard errors and McNemar tests of every pair of columns.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k), or Sample
        1 for a task that was solved, 0 for one that was not; NaN marks a missing score.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster of each task: the passage, template or subject of a question.
    confidence : float
        Level of the intervals.
    alpha : float
        Two-sided level for the detectable difference.

    Returns
    -------
    DataFrame
        One row per pair a < b of columns, in order: the share of tasks that a solves minus that of
        b (``share_difference``), its clustered standard error and confidence limits (jackknife over
        clusters, arcsine scale); two-sided p-value and χ² of each test; tasks solved by only one of
        the two; ``design_effect``, the clustered variance over that of independent tasks; the
        minimal detectable difference at a power of 80 %; tasks and clusters of the pair.

    Examples
    --------
    >>> a, b = [1, 1, 1, 0, 1, 1, 1, 0], [0, 0, 1, 1, 0, 1, 0, 0]
    >>> found = clustered_mcnemar(np.column_stack([a, b]), list("ppqqrrss"))
    >>> found[["share_difference", "p_obuchowski"]].round(3)
       share_difference  p_obuchowski
    0             0.375         0.326
    """
    check_fraction("alpha", alpha)
    sample = Sample.of(scores, clusters)
    right = sample.scores - np.nanmin(sample.scores)  # a loss has the values −1 and 0
    if not is_binary(right):
        raise ArgumentError("scores must be 0 or 1, and both must occur; got other values.")
    units, parts = sample.clusters.independent, []
    for block in sample.blocks():
        a, b = right[:, block.a], right[:, block.b]
        cells = ((1, 1), (1, 0), (0, 1), (0, 0))
        parts.append([units.sums((a == one) & (b == other)) for one, other in cells])
    # both, only a, only b and neither × clusters × pairs
    counts = np.concatenate(parts, axis=2)
    only_a, only_b = counts[1], counts[2]
    sums, sizes, apart = only_a - only_b, counts.sum(axis=0), (only_a + only_b).sum(axis=0)
    n, total, k = sizes.sum(axis=0), sums.sum(axis=0), (sizes > 0).sum(axis=0)
    shares = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = total / n
        clustered = k / (k - 1) * ((sums - sizes * difference) ** 2).sum(axis=0) / n**2
        independent = (apart / n - difference**2) / (n - 1)
        mcnemar = total**2 / apart
        statistic = {
            "obuchowski": (k - 1) / k * total**2 / (sums**2).sum(axis=0),
            "durkalski": shares.sum(axis=0) ** 2 / (shares**2).sum(axis=0),
            "eliasziw_donner": mcnemar / _inflation(counts),
            "mcnemar": mcnemar,
        }
        effect = np.where(k > 1, clustered / independent, np.nan)
        error = np.sqrt(np.where(k > 1, clustered, np.nan))
    # Without any disagreement the two cannot be distinguished.
    statistic = {name: np.where(apart == 0, 0.0, value) for name, value in statistic.items()}
    left_out = (total - sums) / np.maximum(n - sizes, 1)
    low, high = arcsine_limits(difference, left_out, sizes, confidence)
    detectable = minimal_detectable_difference(
        error * np.sqrt(k), k, alpha=alpha, alternative="two-sided"
    )
    return pd.DataFrame(
        {
            "share_difference": difference,
            "standard_error": error,
            "share_difference_ci_low": low,
            "share_difference_ci_high": high,
            **{f"p_{name}": special.chdtrc(1, value) for name, value in statistic.items()},
            **{f"chi_squared_{name}": value for name, value in statistic.items()},
            "only_a": only_a.sum(axis=0).astype(int),
            "only_b": only_b.sum(axis=0).astype(int),
            "design_effect": effect,
            "minimal_detectable": detectable,
            "n_tasks": n.astype(int),
            "n_clusters": k,
        }
    )


def _inflation(counts: FloatArray) -> FloatArray:
    """Return Eliasziw and Donner's correction of McNemar's statistic for each pair.

    Counts are of tasks that both, only a, only b and neither solve: 4 × clusters × pairs.
    """
    sizes = counts.sum(axis=0)
    there = sizes > 0
    k, n = there.sum(axis=0), sizes.sum(axis=0)
    mean_size = n / k
    unevenness = (np.where(there, sizes - mean_size, 0.0) ** 2).sum(axis=0)
    n0 = mean_size - unevenness / (k * (k - 1) * mean_size)
    shares = counts.sum(axis=1) / n
    inverse = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=there)
    between = (((counts - sizes * shares[:, None]) ** 2) * inverse).sum(axis=(0, 1)) / k
    within = (counts * (sizes - counts) * inverse).sum(axis=(0, 1)) / (k * (mean_size - 1))
    rho = (between - within) / (between + (n0 - 1) * within)
    disagreement = shares[1] + shares[2]
    rho_of_disagreements = rho / (rho + disagreement * (1 - rho))
    apart = counts[1] + counts[2]
    clusters_apart = (apart > 0).sum(axis=0)
    mean_apart = apart.sum(axis=0) / clusters_apart
    spread = (np.where(apart > 0, apart - mean_apart, 0.0) ** 2).sum(axis=0)
    s0 = mean_apart - spread / (clusters_apart * (clusters_apart - 1) * mean_apart)
    factor = 1 + (s0 + clusters_apart * (mean_apart - s0) - 1) * rho_of_disagreements
    # Clusters of one task each are independent.
    factor = np.where(mean_size == 1, 1.0, factor)
    return np.asarray(np.where(factor > 0, factor, np.nan))
