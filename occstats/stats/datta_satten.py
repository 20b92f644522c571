"""The statistic of Datta and Satten, from one sort of the absolute differences."""

from dataclasses import dataclass

import numpy as np

from occstats.stats._checks import FloatArray, IntArray
from occstats.stats.rosner_glynn_lee import midranks_of_sorted


@dataclass(frozen=True)
class ClusterContributions:
    """What each cluster adds to the statistic, and the terms whose squares make its variance."""

    statistic_terms: FloatArray
    variance_terms: FloatArray

    @property
    def n_clusters(self) -> int:
        return len(self.statistic_terms)


def cluster_contributions(
    differences: FloatArray, codes: IntArray, n_clusters: int
) -> ClusterContributions:
    """Terms of the Datta-Satten statistic in O(N log N); zeros stay, with sign 0.

    F_i(x) = (#{|x_ij| ≤ x} + #{|x_ij| < x}) / (2 g_i) is, at an observation, a midrank minus one
    half: within the cluster for F_i, over all observations for the pooled F; and the sum of all
    F_k is the same with each observation counting 1/g_k.
    """
    present = np.bincount(codes, minlength=n_clusters)
    if (present == 0).any():  # all tasks of a cluster are missing from this pair
        codes = (np.cumsum(present > 0) - 1)[codes]
        present = present[present > 0]
    sizes = present.astype(np.float64)
    m, n = len(sizes), len(differences)

    order = np.argsort(np.abs(differences))
    codes = codes[order]
    signs = np.sign(differences[order])
    magnitudes = np.abs(differences[order])

    pooled = midranks_of_sorted(magnitudes) - 0.5
    own = _midranks_within(magnitudes, codes) - 0.5
    all_distributions = _cumulated_to_the_middle(magnitudes, 1.0 / sizes[codes])
    other_distributions = all_distributions - own / sizes[codes]

    balance = np.bincount(codes, weights=signs, minlength=m)
    statistic_terms = (
        balance + np.bincount(codes, weights=signs * other_distributions, minlength=m)
    ) / sizes
    # Integers until the last division, so that a variance of zero is exactly zero.
    variance_terms = (
        n * balance + (m - 1) * np.bincount(codes, weights=signs * pooled, minlength=m)
    ) / (n * sizes)
    return ClusterContributions(statistic_terms, variance_terms)


def _midranks_within(magnitudes: FloatArray, codes: IntArray) -> FloatArray:
    """Midranks within each cluster of values in ascending order."""
    # A stable sort of small integers is a radix sort in numpy.
    narrow = codes.astype(np.uint16) if codes.max(initial=0) < 2**16 else codes
    by_cluster = np.argsort(narrow, kind="stable")
    values, groups = magnitudes[by_cluster], codes[by_cluster]
    n = len(values)
    new_cluster = np.concatenate(([True], groups[1:] != groups[:-1]))
    new_value = new_cluster.copy()
    new_value[1:] |= values[1:] != values[:-1]
    edges = np.append(np.flatnonzero(new_value), n)
    middle = np.repeat((edges[:-1] + edges[1:] + 1) / 2, np.diff(edges))
    cluster_edges = np.append(np.flatnonzero(new_cluster), n)
    offset = np.repeat(cluster_edges[:-1], np.diff(cluster_edges))
    ranks = np.empty(n)
    ranks[by_cluster] = middle - offset
    return ranks


def _cumulated_to_the_middle(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weight below each of the ascending values plus half the weight tied with it."""
    edges = np.concatenate(([0], np.flatnonzero(values[1:] != values[:-1]) + 1, [len(values)]))
    cumulated = np.concatenate(([0.0], np.cumsum(weights)))
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
