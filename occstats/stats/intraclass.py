"""Intraclass correlation of values in clusters, by analysis of variance."""

import numpy as np

from occstats.stats._arrays import FloatArray


def intraclass_correlation(
    between: FloatArray,
    squares: FloatArray,
    total: FloatArray,
    squared_sizes: FloatArray,
    n: FloatArray,
    m: FloatArray,
) -> FloatArray:
    r"""Return ρ from sums: not below 0, NaN where it is not defined.

    :math:`\sigma_b^2 / (\sigma_b^2 + MSW)` with :math:`\sigma_b^2 = (MSB - MSW)/g_0` and
    :math:`g_0 = (N - \sum g_i^2/N)/(m - 1)`; not defined for fewer than two clusters, or if no
    cluster has two values.

    Parameters
    ----------
    between : ndarray
        Sum over clusters of their squared sum over their size.
    squares, total : ndarray
        Sum of the squared values, and of the values.
    squared_sizes, n, m : ndarray
        Sum of the squared sizes of the clusters, number of values, number of clusters.

    References
    ----------
    .. [1] A. Donner (1986). A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model. International Statistical Review 54, 67-82.

    Examples
    --------
    Two clusters with the values 1, 2 and 4, 5:

    >>> sums = (3**2 / 2 + 9**2 / 2, 1 + 4 + 16 + 25, 12.0, 8.0, 4.0, 2.0)
    >>> float(intraclass_correlation(*(np.array([value]) for value in sums))[0].round(4))
    0.8947
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_square_between = (between - total**2 / n) / (m - 1)
        mean_square_within = np.maximum(0.0, squares - between) / (n - m)
        typical_size = (n - squared_sizes / n) / (m - 1)
        spread = (mean_square_between - mean_square_within) / typical_size
        rho = np.clip(spread / (spread + mean_square_within), 0.0, 1.0)
    return np.where((m < 2) | (n == m), np.nan, rho)
