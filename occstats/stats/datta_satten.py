"""The statistic of Datta and Satten, from one sort of the absolute differences."""

from dataclasses import dataclass

import numpy as np

from occstats.stats.arrays import FloatArray, IntArray
from occstats.stats.sorted_differences import SortedDifferences, group_edges, midranks


@dataclass(frozen=True)
class ClusterContributions:
    """What each cluster adds to the statistic, and the terms whose squares make its variance."""

    statistic_terms: FloatArray
    variance_terms: FloatArray

    @property
    def n_clusters(self) -> int:
        return len(self.statistic_terms)


def cluster_contributions(data: SortedDifferences) -> ClusterContributions:
    """Terms of the Datta-Satten statistic in O(N log N); zeros stay, with sign 0.

    F_i(x) = (#{|x_ij| ≤ x} + #{|x_ij| < x}) / (2 g_i) is, at an observation, a midrank minus one
    half: within the cluster for F_i, over all observations for the pooled F; and the sum of all
    F_k is the same with each observation counting 1/g_k.
    """
    codes, signs = data.codes, data.signs
    counts = np.bincount(codes, minlength=data.n_clusters)
    if (counts == 0).any():  # all tasks of a cluster are missing from this pair
        codes = (np.cumsum(counts > 0) - 1)[codes]
        counts = counts[counts > 0]
    sizes = counts.astype(np.float64)
    m, n = len(sizes), len(codes)

    pooled = midranks(data.magnitudes) - 0.5
    own = _midranks_within(data.magnitudes, codes, counts) - 0.5
    shares = (1.0 / sizes)[codes]
    other_distributions = _cumulated_to_the_middle(data.magnitudes, shares) - own * shares

    balance = np.bincount(codes, weights=signs, minlength=m)
    statistic_terms = (
        balance + np.bincount(codes, weights=signs * other_distributions, minlength=m)
    ) / sizes
    # Multiples of one half until the last division: a variance of zero is exactly zero.
    variance_terms = (
        n * balance + (m - 1) * np.bincount(codes, weights=signs * pooled, minlength=m)
    ) / (n * sizes)
    return ClusterContributions(statistic_terms, variance_terms)


def _midranks_within(magnitudes: FloatArray, codes: IntArray, counts: IntArray) -> FloatArray:
    """Midranks within each cluster of values in ascending order."""
    # A stable sort of small integers is a radix sort in numpy.
    narrow = codes.astype(np.uint16) if len(counts) <= 2**16 else codes
    by_cluster = np.argsort(narrow, kind="stable")
    values = magnitudes[by_cluster]
    first_of_cluster = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.intp)
    starts_run = np.concatenate(([True], values[1:] != values[:-1]))
    starts_run[first_of_cluster] = True
    edges = np.append(np.flatnonzero(starts_run), len(values))
    if len(edges) == len(values) + 1:
        positions = np.arange(1.0, len(values) + 1.0)
    else:
        positions = np.repeat((edges[:-1] + edges[1:] + 1) / 2, np.diff(edges))
    ranks = np.empty(len(values))
    ranks[by_cluster] = positions
    return ranks - first_of_cluster[codes]


def _cumulated_to_the_middle(ascending: FloatArray, weights: FloatArray) -> FloatArray:
    """Weight below each of the values plus half the weight tied with it."""
    edges = group_edges(ascending)
    cumulated = np.concatenate(([0.0], np.cumsum(weights)))
    if len(edges) == len(ascending) + 1:
        return cumulated[1:] - weights / 2
    middle = (cumulated[edges[:-1]] + cumulated[edges[1:]]) / 2
    return np.repeat(middle, np.diff(edges))


def statistic_and_variance(contributions: ClusterContributions) -> tuple[float, float, str | None]:
    """TS, its variance, and why there is no test (None when there is one)."""
    m = contributions.n_clusters
    if m < 2:
        counted = f"{m} cluster{'' if m == 1 else 's'}"
        return float("nan"), float("nan"), f"{counted}: the test needs at least two"
    total = float(contributions.statistic_terms.sum())
    variance = float(contributions.variance_terms @ contributions.variance_terms)
    if variance == 0:
        return total, variance, "the signs cancel within every cluster: no variance is left"
    return total, variance, None


def flipped_z(contributions: ClusterContributions, signs: FloatArray) -> FloatArray:
    """Z after whole clusters changed sign: absolute values, so also F and V, stay as they are."""
    scale = np.sqrt(contributions.variance_terms @ contributions.variance_terms)
    z: FloatArray = signs @ contributions.statistic_terms / scale
    return z
