"""Weights that let every cluster count the same, however many tasks it has."""

import numpy as np
import numpy.typing as npt

from occstats.errors import ArgumentError
from occstats.stats._checks import FloatArray, cluster_codes


def cluster_weights(clusters: npt.ArrayLike) -> FloatArray:
    r"""Weight of each task when all clusters weigh the same.

    A cluster's weight is shared equally by its tasks, and all weights sum to 1:

    .. math:: w_t = \frac{1}{m \, g_{i(t)}}

    with :math:`m` clusters and :math:`g_i` tasks in cluster :math:`i`. A mean with these weights
    is the mean of the clusters' means.

    Parameters
    ----------
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (data set) of each task.

    Returns
    -------
    ndarray of shape (n_tasks,)
        Weights that sum to 1.

    Examples
    --------
    >>> from occstats.stats import cluster_weights
    >>> cluster_weights(["iris", "iris", "wine", "iris", "iris"]).tolist()
    [0.125, 0.125, 0.5, 0.125, 0.125]
    """
    codes, n_clusters = cluster_codes(clusters)
    if n_clusters == 0:
        raise ArgumentError("clusters must hold at least one task; got none.")
    sizes = np.bincount(codes, minlength=n_clusters)
    weights: FloatArray = 1.0 / (n_clusters * sizes[codes])
    return weights
