r"""Tasks, data sets or precision as weights: does the conclusion depend on what counts alike?

With the mean signed rank :math:`\bar S_i` of cluster i (zeros dropped), :math:`g_i` tasks and the
intraclass correlation :math:`\rho` of the signed ranks, all three statistics are
:math:`Z = \sum_i w_i \bar S_i / \sqrt{\sum_i w_i^2 \bar S_i^2}` with

* *task*: :math:`w_i = g_i`, every task counts alike (the sum of all signed ranks);
* *dataset*: :math:`w_i = 1`, every data set does;
* *precision*: :math:`w_i = g_i / (1 + (g_i - 1) \rho)`, which is Rosner, Glynn and Lee's.

p-values are those of max-T: the signs of whole data sets are flipped for all pairs at once, with
the weights as they are. Where data sets come in suites, i is a suite; only with *dataset* what it
adds is the sum of its data sets' :math:`\bar S`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from occstats.checks import check_integer
from occstats.stats.arrays import FloatArray
from occstats.stats.pairs import antisymmetric, mirror, upper_pairs
from occstats.stats.sample import PairBlock, Sample
from occstats.stats.tests.null import SAME_Z, all_signs, can_list, random_signs
from occstats.stats.tests.registry import TESTS

__all__ = ["WEIGHTINGS", "WeightedTests", "weighted_tests"]

WEIGHTINGS = ("task", "dataset", "precision")
# Flips × pairs that are held at once.
_CHUNK_ELEMENTS = 4_000_000


@dataclass(frozen=True, eq=False)
class WeightedTests:
    """All pairs under one weighting, k × k; [a, b] is a minus b.

    Attributes
    ----------
    difference : ndarray
        The mean difference of the scores with these weights.
    z, p : ndarray
        Statistic, and two-sided p-value corrected for all pairs; NaN where there is no test.
    """

    difference: FloatArray
    z: FloatArray
    p: FloatArray


def weighted_tests(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    tie_tolerance: float = 0.0,
    control: int | None = None,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> dict[str, WeightedTests]:
    """Test all pairs of columns with tasks, with data sets, and with precision as weights.

    Parameters
    ----------
    scores, clusters, tie_tolerance, control, n_resamples, random_state
        As in `max_t`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(loc=[1.0, 0.0], size=(40, 2))
    >>> found = weighted_tests(scores, np.arange(40) % 9 % 7, random_state=0)
    >>> list(found), bool(found["dataset"].p[0, 1] < 0.1)
    (['task', 'dataset', 'precision'], True)
    """
    check_integer("n_resamples", n_resamples, least=1)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, n_signs = sample.n_algorithms, sample.clusters.independent.n_clusters
    first, second = upper_pairs(k)
    tests = zip(sample.blocks(), TESTS["rgl"].prepare(sample), strict=True)
    parts = [_block(block, prepared.observed.correlation) for block, prepared in tests]
    differences, terms = (np.concatenate(rows, axis=2) for rows in zip(*parts, strict=True))
    if control is not None:
        terms[:, :, (first != control) & (second != control)] = 0.0
    found = {}
    for name, own, values in zip(WEIGHTINGS, differences[:, 0], terms, strict=True):
        z, p = _max_t(values, n_signs, n_resamples, random_state)
        found[name] = WeightedTests(
            antisymmetric(own, k), antisymmetric(z, k), mirror(p, p, k, np.nan)
        )
    return found


def _block(block: PairBlock, correlation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean differences (3 × 1 × pairs), and what each unit adds (3 × units × pairs)."""
    clusters, units = block.clusters, block.clusters.independent
    differences, (signed, ranked) = block.differences, block.signed_ranks
    rho = np.nan_to_num(correlation)
    m = (units.sums(ranked) > 0).sum(axis=0)
    # The correction of the correlation for few clusters, as Rosner, Glynn and Lee have it.
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = np.clip(rho * (1 + (1 - rho**2) / (m - 2.5)), 0.0, 1.0)
    estimates, terms = [], []
    for weighting in WEIGHTINGS:
        alike = clusters if weighting == "dataset" else units
        sums, sizes = alike.sums(signed), alike.sums(ranked)
        means = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
        term = _weights(weighting, sizes, rho) * means
        terms.append(clusters.units.sums(term) if alike is not units else term)
        weights = _weights(weighting, alike.sums(~np.isnan(differences)), rho)
        own = np.nan_to_num(alike.means(differences))
        with np.errstate(divide="ignore", invalid="ignore"):
            estimates.append((weights * own).sum(axis=0, keepdims=True) / weights.sum(axis=0))
    return np.stack(estimates), np.stack(terms)


def _weights(weighting: str, sizes: FloatArray, rho: FloatArray) -> FloatArray:
    """Weights of the means of clusters (or suites) of such sizes: clusters × pairs."""
    if weighting == "task":
        return sizes
    if weighting == "dataset":
        return (sizes > 0).astype(float)
    return np.asarray(sizes / (1 + np.maximum(sizes - 1, 0) * rho))


def _max_t(
    terms: FloatArray, n_signs: int, n_resamples: int, random_state: int | None
) -> tuple[FloatArray, FloatArray]:
    """Statistics, and p-values by the step-down of Westfall and Young, one per column."""
    scale = np.sqrt((terms**2).sum(axis=0))
    tested = (scale > 0) & ((terms != 0).sum(axis=0) > 1)
    z = np.where(tested, terms.sum(axis=0) / np.where(tested, scale, 1.0), np.nan)
    order = np.flatnonzero(tested)[np.argsort(-np.abs(z[tested]), kind="stable")]
    unit, observed = terms[:, order] / scale[order], np.abs(z[order])
    exact = can_list(n_signs, n_resamples)
    chunk = max(1, _CHUNK_ELEMENTS // max(len(order), n_signs))
    rng = np.random.default_rng(random_state)
    flips = all_signs(n_signs, chunk) if exact else random_signs(n_signs, n_resamples, chunk, rng)
    counts, n_flips = np.zeros(len(order)), 0
    for signs in flips:
        values = np.abs(signs @ unit)
        largest = np.maximum.accumulate(values[:, ::-1], axis=1)[:, ::-1]
        counts += np.count_nonzero(largest >= observed - SAME_Z, axis=0)
        n_flips += len(signs)
    shares = counts / n_flips if exact else (counts + 1) / (n_flips + 1)
    p = np.full(len(z), np.nan)
    p[order] = np.maximum.accumulate(shares)
    return z, p
