"""Differences in ascending order of their size: the one sort that all signed-rank sums share."""

from dataclasses import dataclass

import numpy as np

from occstats.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class SortedDifferences:
    """Magnitudes in ascending order, with the sign and the cluster of each.

    Attributes
    ----------
    magnitudes, signs : ndarray of shape (n,)
        Absolute values, and −1, 0 or 1.
    codes : ndarray of int of shape (n,)
        Number of the cluster of each.
    n_clusters : int
        Cluster numbers are below this; some may not occur.
    n_zeros : int
        Number of magnitudes that are zero; they come first.
    """

    magnitudes: FloatArray
    signs: FloatArray
    codes: IntArray
    n_clusters: int
    n_zeros: int


def sort_differences(
    differences: FloatArray, codes: IntArray, n_clusters: int
) -> SortedDifferences:
    """Sort by absolute value; ties in any order, since nothing may depend on it."""
    magnitudes = np.abs(differences)
    order = np.argsort(magnitudes)
    magnitudes = magnitudes[order]
    return SortedDifferences(
        magnitudes=magnitudes,
        signs=np.sign(differences[order]),
        codes=codes[order],
        n_clusters=n_clusters,
        n_zeros=int(np.searchsorted(magnitudes, 0.0, side="right")),
    )


def group_edges(ascending: FloatArray) -> IntArray:
    """Where each run of equal values starts, and the length at the end."""
    starts = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    return np.concatenate(([0], starts, [len(ascending)])).astype(np.intp, copy=False)


def midranks(ascending: FloatArray) -> FloatArray:
    """Average ranks 1 … n of values in ascending order."""
    n = len(ascending)
    edges = group_edges(ascending)
    if len(edges) == n + 1 or n == 0:
        return np.arange(1.0, n + 1.0)
    return np.repeat((edges[:-1] + edges[1:] + 1) / 2, np.diff(edges))
