"""The cluster-weighted variance of Datta and Satten's test, by its definition and by its error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats import max_t, pairwise_tests
from occstats.stats.clusters import Clusters
from occstats.stats.tests.registry import TESTS


def by_definition(x, codes):
    """Z from the formulas, cluster by cluster."""
    groups = [x[codes == i] for i in np.unique(codes)]
    m = len(groups)

    def share(group, at):
        sizes = np.abs(group)
        return (np.mean(sizes <= at) + np.mean(sizes < at)) / 2

    terms, roots = [], []
    for i, group in enumerate(groups):
        balance = np.mean(np.sign(group))
        others = [
            sum(share(other, abs(value)) for k, other in enumerate(groups) if k != i)
            for value in group
        ]
        everyone = [np.mean([share(other, abs(value)) for other in groups]) for value in group]
        terms.append(balance + np.mean(np.sign(group) * others))
        roots.append(balance + (m - 1) * np.mean(np.sign(group) * everyone))
    return sum(terms) / np.sqrt(np.sum(np.square(roots)))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_z_is_that_of_the_definition_also_without_clusters_and_with_repeated_ones(seed, tied):
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(6), rng.integers(6, size=14))
    x = rng.integers(-3, 4, 20).astype(float) if tied else rng.normal(size=20)
    x[codes == 0] = 1.0  # never without variance
    prepared = TESTS["ds-weighted"].engine.single(x, Clusters.of(codes), 0.0)
    assert prepared.observed.z[0] == pytest.approx(by_definition(x, codes), abs=1e-14)
    without = [by_definition(x[codes != i], codes[codes != i]) for i in range(1, 6)]
    # Sums that cancel to zero do so up to a few units of rounding.
    np.testing.assert_allclose(prepared.left_out(0)[1:], without, atol=1e-14)
    counts = np.array([[2.0, 1, 1, 3, 1, 1]])
    twice = np.concatenate([np.flatnonzero(codes == i) for i in (0, 0, 1, 2, 3, 3, 3, 4, 5)])
    labels = np.concatenate(
        [np.full(np.sum(codes == i), k) for k, i in enumerate((0, 0, 1, 2, 3, 3, 3, 4, 5))]
    )
    repeated = prepared.resampled(0, counts)[0]
    assert repeated == pytest.approx(by_definition(x[twice], labels), abs=1e-14)


def test_clusters_of_one_size_have_nearly_the_published_variance():
    # With equal sizes the pooled and the cluster-weighted distribution are the same.
    rng = np.random.default_rng(2)
    scores, codes = rng.normal(size=(40, 2)), np.arange(40) // 4
    published, weighted = (pairwise_tests(scores, codes, test=t).z for t in ("ds", "ds-weighted"))
    np.testing.assert_allclose(weighted, published)


def test_it_holds_its_level_where_the_spread_goes_with_the_size():
    # 400 samples: 5 % ± 2.2 (two standard errors). In 4,000 of them the published variance rejects
    # in 23 %; with a spread of one over the size, in 1.5 %; the weighted one in 5 % of either.
    rng = np.random.default_rng(7)
    sizes = np.tile([1, 2, 3, 20], 12)
    codes = np.repeat(np.arange(48), sizes)
    x = rng.normal(size=(48, 400))[codes] + rng.normal(size=(len(codes), 400))
    x *= sizes[codes, None]
    rejected = {}
    for test in ("ds", "ds-weighted"):
        z = TESTS[test].engine.sample(x, x, Clusters.of(codes), 0.0).observed.z
        rejected[test] = np.mean(np.abs(z) > 1.959964)
    assert rejected["ds-weighted"] < 0.05 + 0.022
    assert rejected["ds"] > 0.1


def test_max_t_flips_it():
    rng = np.random.default_rng(1)
    scores = rng.normal(loc=[1.5, 0, 0], size=(30, 3))
    found = max_t(scores, np.arange(30) // 3, test="ds-weighted", random_state=0)
    assert found.p[0, 1] < 0.05
    assert found.exact
