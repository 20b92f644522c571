"""Leaving out data sets and algorithms is the analysis of what remains."""

from functools import partial

import numpy as np
import pytest

from occstats.stats import pairwise_tests
from occstats.stats.decisions import conclude
from occstats.stats.leave_out import leave_one_algorithm_out, leave_one_cluster_out
from occstats.stats.ranks import summarise_ranks


def example(seed=0, k=4):
    rng = np.random.default_rng(seed)
    clusters = np.array([f"d{i}" for i in np.concatenate([np.arange(9), rng.integers(9, size=31)])])
    scores = rng.uniform(size=(40, 1)) + 0.1 * np.arange(k) + rng.normal(0, 0.25, (40, k))
    return scores.round(2), clusters


@pytest.mark.parametrize("method", ["rgl", "ds"])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_without_a_cluster(method, alternative):
    scores, clusters = example()
    # Equal but for one data set, without which there is no difference at all.
    scores[:, 3] = scores[:, 0] + 0.1 * (clusters == "d2")
    decide = partial(conclude, alternative=alternative, alpha=0.1)
    found = leave_one_cluster_out(
        scores, clusters, decide, test=method, alternative=alternative, tie_tolerance=1e-9
    )
    options = {"test": method, "alternative": alternative, "tie_tolerance": 1e-9}
    whole = pairwise_tests(scores, clusters, **options)
    assert (found.all_better == decide(whole.p, whole.z)).all()
    for i, label in enumerate(found.labels):
        kept = clusters != label
        part = pairwise_tests(scores[kept], clusters[kept], **options)
        off = ~np.eye(4, dtype=bool)
        assert found.z[i][off] == pytest.approx(part.z[off], nan_ok=True)
        assert (found.better[i] == decide(part.p, part.z)).all()
        ranks = summarise_ranks(scores[kept], clusters[kept], tie_tolerance=1e-9)
        assert found.mean_ranks[i] == pytest.approx(ranks.mean_ranks)
        means = [
            np.mean([(scores[clusters == c, 0] - scores[clusters == c, 1]).mean()])
            for c in found.labels
            if c != label
        ]
        assert found.mean_difference[i, 0, 1] == pytest.approx(np.mean(means))


def test_the_driver_is_the_outlying_data_set():
    scores, clusters = example(1)
    scores[clusters == "d4", 2] += 3.0
    found = leave_one_cluster_out(scores, clusters, conclude)
    assert found.labels[found.drivers[2, 0]] == "d4"
    assert (found.drivers[2] == found.drivers[:, 2]).all()
    assert found.changed.shape == (9, 4, 4)
    assert (found.changed == found.changed.transpose(0, 2, 1)).all()


@pytest.mark.parametrize("family", ["row", "all"])
def test_without_an_algorithm(family):
    scores, clusters = example(2)
    tests = pairwise_tests(scores, clusters, alternative="greater", tie_tolerance=1e-9)
    decide = partial(conclude, family=family, alpha=0.2)
    found = leave_one_algorithm_out(tests.p, tests.z, scores, clusters, decide, tie_tolerance=1e-9)
    whole = decide(tests.p, tests.z)
    for c in range(4):
        others = [a for a in range(4) if a != c]
        square = np.ix_(others, others)
        without = decide(tests.p[square], tests.z[square])
        assert (found.better[c][square] == without).all()
        different = whole[square] != without
        assert (found.changed[c][square] == (different | different.T)).all()
        assert not found.changed[c][c].any()
        ranks = summarise_ranks(scores[:, others], clusters, tie_tolerance=1e-9).mean_ranks
        assert found.mean_ranks[c, others] == pytest.approx(ranks)
        assert np.isnan(found.mean_ranks[c, c])


def test_without_the_control_nothing_is_concluded():
    scores, clusters = example(3)
    tests = pairwise_tests(scores, clusters, alternative="greater")
    decide = partial(conclude, family="control", control=3, alpha=0.3)
    found = leave_one_algorithm_out(tests.p, tests.z, scores, clusters, decide)
    assert not found.better[3].any()


def test_two_clusters_leave_one_without_a_test():
    found = leave_one_cluster_out([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], ["a", "a", "b"], conclude)
    assert np.isnan(found.z[:, 0, 1]).all()
    assert not found.better.any()
    assert found.mean_difference[:, 0, 1] == pytest.approx([0.4, 0.7])


def test_a_cluster_that_a_pair_lacks_changes_nothing():
    scores, clusters = example(4, k=3)
    scores[clusters == "d2", 0] = np.nan
    found = leave_one_cluster_out(scores, clusters, conclude)
    position = found.labels.tolist().index("d2")
    assert found.z[position, 0, 1] == pytest.approx(found.all_z[0, 1])
    assert found.mean_difference[position, 0, 1] == pytest.approx(found.all_mean_difference[0, 1])


def test_conclusions_by_alternative():
    p = np.array([[np.nan, 0.001], [0.999, np.nan]])
    z = np.array([[0.0, 3.0], [-3.0, 0.0]])
    assert conclude(p, z)[0, 1]
    assert conclude(p.T, z, alternative="less")[0, 1]
    both = np.array([[np.nan, 0.002], [0.002, np.nan]])
    assert conclude(both, z, alternative="two-sided").tolist() == [[False, True], [False, False]]
    assert not conclude(np.full((2, 2), np.nan), z).any()
