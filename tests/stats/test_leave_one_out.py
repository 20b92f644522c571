"""Leaving out datasets and algorithms is the analysis of what remains."""

import numpy as np
import pytest

from occstats.stats import (
    Sample,
    adjust_pairs,
    mean_differences,
    mean_tests,
    pairwise_tests,
)
from occstats.stats.clusters import Clusters
from occstats.stats.leave_one_out import leave_one_algorithm_out, leave_one_cluster_out

OFF = ~np.eye(4, dtype=bool)


def example(seed=0, k=4):
    rng = np.random.default_rng(seed)
    clusters = np.array([f"d{i}" for i in np.concatenate([np.arange(9), rng.integers(9, size=31)])])
    scores = rng.uniform(size=(40, 1)) + 0.1 * np.arange(k) + rng.normal(0, 0.25, (40, k))
    return scores.round(2), clusters


def significant(z, p):
    with np.errstate(invalid="ignore"):
        return (z > 0) & (p <= 0.1)


def holm(family, alpha=0.2, control=None):
    """Return a function that concludes from one-sided tests."""

    def conclude(_, p, without=None):
        corrected = adjust_pairs(p, family, control=control, alternative="greater")
        with np.errstate(invalid="ignore"):
            return corrected <= alpha

    return conclude


def single_tests(sample, estimand, alternative, test="rgl"):
    """Statistics and p-values of the whole analysis."""
    if estimand == "mean":
        found = mean_tests(sample, null="asymptotic", simultaneous=False, alternative=alternative)
        return found.statistic, found.p_unadjusted
    found = pairwise_tests(sample, test=test, alternative=alternative)
    return found.z, found.p


@pytest.mark.parametrize(
    ("estimand", "test"),
    [("typical", "rgl"), ("typical", "ds"), ("mean", "")],
)
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("suites", [False, True])
def test_without_a_dataset(estimand, test, alternative, suites, monkeypatch):
    if suites:
        monkeypatch.setattr("occstats.stats._arrays.COUNTED_ELEMENTS", 40)
    scores, clusters = example()
    # Equal but for one dataset, without which there is no difference at all.
    scores[:, 3] = scores[:, 0] + 0.1 * (clusters == "d2")
    # A pair that lacks a dataset has fewer degrees of freedom.
    scores[clusters == "d5", 1] = np.nan
    names = np.array([f"s{int(label[1:]) // 2}" for label in clusters])
    units = names if suites else clusters

    def sample(kept):
        groups = Clusters.of(clusters[kept])
        groups = Clusters.nested(names[kept], clusters[kept]) if suites else groups
        return Sample.of(scores[kept], groups, tie_tolerance=1e-9)

    seen = []

    def conclude(z, p):
        seen.append((z, p))
        return significant(z, p)

    options = {"estimand": estimand, "test": test or "rgl", "alternative": alternative}
    found = leave_one_cluster_out(sample(np.full(40, True)), None, conclude, **options)
    assert found.labels.tolist() == sorted(set(units))
    everything = np.full(40, True)
    for i, label in enumerate([None, *found.labels]):
        kept = everything if label is None else units != label
        z, p = single_tests(sample(kept), estimand, alternative, test)
        np.testing.assert_allclose(seen[i][0][OFF], z[OFF], atol=1e-10)
        # Equal scores have a p-value of 1, as a statistic of zero has in two-sided tests only.
        tested = OFF & (z != 0)
        np.testing.assert_allclose(seen[i][1][tested], p[tested], atol=1e-10)
        better = found.all_better if label is None else found.better[i - 1]
        np.testing.assert_array_equal(better, significant(z, p))
        if label is None:
            continue
        expected = mean_differences(sample(kept))
        np.testing.assert_allclose(found.mean_difference[i - 1], expected, atol=1e-12)
        whole = sample(kept).complete_cases
        values = whole.ranks if estimand == "typical" else -whole.scores
        standing = whole.clusters.means(values).mean(axis=0)
        if estimand == "typical":
            np.testing.assert_allclose(found.standing[i - 1], standing)


def test_a_constant_mean_difference_stays_certain():
    rng = np.random.default_rng(0)
    base = rng.uniform(size=8)
    scores = np.column_stack([base + 0.1, base])
    seen = []
    leave_one_cluster_out(
        scores, np.arange(8), lambda z, p: seen.append(p[0, 1]) or p <= 0.05, estimand="mean"
    )
    np.testing.assert_allclose(seen, [2.0**-7] + [2.0**-6] * 8)


def test_known_p_values_take_the_place_of_asymptotic_ones():
    scores, clusters = example(2)
    asymptotic = pairwise_tests(scores, clusters, tie_tolerance=1e-9)
    seen = {}
    for known in (None, asymptotic.p, np.minimum(1, 2 * asymptotic.p)):
        seen[known is None or known[0, 1]] = values = []
        leave_one_cluster_out(
            scores,
            clusters,
            lambda z, p, values=values: values.append(p) or significant(z, p),
            tie_tolerance=1e-9,
            p=known,
        )
    plain, same, doubled = (np.array(values)[:, OFF] for values in seen.values())
    np.testing.assert_allclose(same, plain, atol=1e-12)
    np.testing.assert_allclose(doubled[0], np.minimum(1, 2 * plain[0]))
    assert (doubled >= plain - 1e-12).mean() > 0.9


def test_the_driver_is_the_outlying_dataset():
    scores, clusters = example(1)
    scores[clusters == "d4", 2] += 3.0
    found = leave_one_cluster_out(scores, clusters, significant)
    assert found.labels[found.drivers[2, 0]] == "d4"
    assert (found.drivers[2] == found.drivers[:, 2]).all()
    assert found.changed.shape == (9, 4, 4)
    assert (found.changed == found.changed.transpose(0, 2, 1)).all()


@pytest.mark.parametrize("family", ["row", "all"])
@pytest.mark.parametrize("estimand", ["typical", "mean"])
def test_without_an_algorithm(family, estimand):
    scores, clusters = example(2)
    sample = Sample.of(scores, clusters, tie_tolerance=1e-9)
    z, p = single_tests(sample, estimand, "greater")
    decide = holm(family)
    found = leave_one_algorithm_out(z, p, sample, None, decide, estimand=estimand)
    whole = decide(z, p)
    of_datasets = np.array([scores[clusters == label].mean(axis=0) for label in set(clusters)])
    for c in range(4):
        others = [a for a in range(4) if a != c]
        square = np.ix_(others, others)
        without = decide(z[square], p[square])
        assert (found.better[c][square] == without).all()
        different = whole[square] != without
        assert (found.changed[c][square] == (different | different.T)).all()
        assert not found.changed[c][c].any()
        expected = -of_datasets.mean(axis=0)[others]
        if estimand == "typical":
            rest = Sample.of(scores[:, others], clusters, tie_tolerance=1e-9)
            expected = rest.clusters.means(rest.ranks).mean(axis=0)
        assert found.standing[c, others] == pytest.approx(expected)
        assert np.isnan(found.standing[c, c])


@pytest.mark.parametrize("estimand", ["typical", "mean"])
def test_two_datasets_leave_one_without_a_test(estimand):
    scores = [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]]
    found = leave_one_cluster_out(scores, ["a", "a", "b"], significant, estimand=estimand)
    assert np.isnan(found.z[:, 0, 1]).all()
    assert not found.better.any()
    assert found.mean_difference[:, 0, 1] == pytest.approx([0.4, 0.7])
