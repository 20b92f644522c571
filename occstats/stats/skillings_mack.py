"""The Skillings-Mack test: Friedman's test where some algorithms lack some tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from occstats.errors import ArgumentError
from occstats.stats.arrays import midranks

__all__ = ["SkillingsMackResult", "skillings_mack"]


@dataclass(frozen=True)
class SkillingsMackResult:
    """Outcome of :func:`skillings_mack`.

    Attributes
    ----------
    statistic : float
        The statistic, asymptotically chi-squared; Friedman's where nothing is missing and nothing
        ties.
    df : int
        Its degrees of freedom.
    p : float
        The p-value.
    sums : ndarray
        The weighted sum of centred ranks of each algorithm; more is better.
    n_tasks : int
        The tasks with two scores or more, which alone say something.
    """

    statistic: float
    df: int
    p: float
    sums: npt.NDArray[np.float64]
    n_tasks: int


def skillings_mack(scores: npt.ArrayLike) -> SkillingsMackResult:
    r"""Test whether algorithms differ, with missing cells.

    Parameters
    ----------
    scores : array-like, shape (n_tasks, n_algorithms)
        The scores, higher is better; NaN where an algorithm has none. Tasks count as independent.

    Returns
    -------
    SkillingsMackResult
        Statistic, degrees of freedom and p-value.

    Notes
    -----
    With :math:`r_{ij}` the rank of algorithm j among the :math:`k_i` that have a score on task i
    (ties share their mean rank, a missing cell has the mean :math:`(k_i + 1) / 2`),

    .. math:: A_j = \sum_i \sqrt{12 / (k_i + 1)} \, (r_{ij} - (k_i + 1) / 2), \qquad
        T = A^\top \Sigma^- A,

    where :math:`-\Sigma_{jl}` counts the tasks that j and l share. T has asymptotically a
    chi-squared distribution with rank(Σ) degrees of freedom [1]_.

    References
    ----------
    .. [1] J. H. Skillings and G. A. Mack, "On the use of a Friedman-type statistic in balanced and
       unbalanced block designs", Technometrics 23 (1981), 171-177.

    Examples
    --------
    >>> import numpy as np
    >>> result = skillings_mack([[1, 2, 3], [2, 1, 3], [1, 2, np.nan], [1, np.nan, 2]])
    >>> round(result.statistic, 4), result.df
    (4.2499, 2)
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2:
        raise ArgumentError(
            f"scores must have a row per task and two columns or more; got the shape {values.shape}"
        )
    if np.isinf(values).any():
        raise ArgumentError("scores must be finite or NaN; got an infinite one")
    values = values[(~np.isnan(values)).sum(axis=1) >= 2]
    if not len(values):
        raise ArgumentError("scores must have a task with two scores or more; got none")
    present = ~np.isnan(values)
    k = present.sum(axis=1, keepdims=True)
    # What is missing comes last, and then not at all.
    ranks = midranks(np.where(present, values, np.inf))
    centred = np.where(present, ranks - (k + 1) / 2, 0.0)
    sums = (np.sqrt(12 / (k + 1)) * centred).sum(axis=0)
    shared = present.T.astype(np.float64) @ present
    covariance = -shared
    np.fill_diagonal(covariance, 0.0)
    np.fill_diagonal(covariance, -covariance.sum(axis=1))
    statistic = float(sums @ np.linalg.pinv(covariance, hermitian=True) @ sums)
    df = int(np.linalg.matrix_rank(covariance, hermitian=True))
    return SkillingsMackResult(
        statistic, df, float(special.chdtrc(df, statistic)), sums, len(values)
    )
