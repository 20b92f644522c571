"""The table of analyses: its members are the tests they claim to be, and it finds agreement."""

import numpy as np
import pytest
from scipy import stats

from occstats.stats import pairwise_tests
from occstats.stats.decisions import conclude
from occstats.stats.sample import Sample
from occstats.stats.specification import CORRECTIONS, specify
from occstats.stats.specification_tests import N_TESTS, Analysis, reasonable_tests


def example(seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    clusters = np.concatenate([np.arange(14), rng.integers(14, size=26)])
    scores = rng.uniform(size=(40, 3)).round(2) + np.array([shift, 0, 0])
    return scores, clusters


def decide(p, z, correction):
    return conclude(p, z, correction=correction)


def all_tests(scores, clusters, alternative="greater"):
    sample = Sample.of(scores, clusters, tie_tolerance=1e-9)
    found = reasonable_tests(sample, alternative, 4000, 0)
    return {tested.analysis: tested for tested in found}


def test_every_analysis_is_there_once():
    tests = all_tests(*example())
    assert len(tests) == N_TESTS
    assert {analysis.zeros for analysis in tests} == {"dropped", "kept"}
    assert {analysis.weighting for analysis in tests} == {"precision", "dataset", "task"}
    assert {analysis.null for analysis in tests} == {"asymptotic", "permutation", "exact"}


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_members_are_what_they_claim(alternative):
    scores, clusters = example(1)
    tests = all_tests(scores, clusters, alternative)
    means = np.array([scores[clusters == c].mean(axis=0) for c in range(14)])
    x = means[:, 0] - means[:, 1]
    student = stats.ttest_1samp(x, 0, alternative=alternative).pvalue
    assert tests[Analysis("mean", "asymptotic", "dataset", "kept")].p[0, 1] == pytest.approx(
        student
    )
    wilcoxon = stats.wilcoxon(
        np.round(x, 9), alternative=alternative, method="asymptotic", correction=False
    ).pvalue
    found = tests[Analysis("dataset-means", "asymptotic", "dataset", "dropped")].p[0, 1]
    assert found == pytest.approx(wilcoxon, rel=1e-6)
    permuted = stats.permutation_test(
        (x,),
        np.mean,
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    ).pvalue
    found = tests[Analysis("mean", "permutation", "dataset", "kept")].p[0, 1]
    assert found == pytest.approx(permuted, abs=0.035)
    exact = tests[Analysis("rank-sum", "exact", "task", "dropped")].p[0, 1]
    asymptotic = tests[Analysis("rank-sum", "asymptotic", "task", "dropped")].p[0, 1]
    assert asymptotic == pytest.approx(exact, abs=0.05)


def test_both_directions_of_a_pair_belong_together():
    for tested in all_tests(*example(2)).values():
        assert tested.z == pytest.approx(-tested.z.T, nan_ok=True)
        if tested.analysis.null == "asymptotic":
            off = ~np.eye(3, dtype=bool)
            assert (tested.p + tested.p.T)[off] == pytest.approx(np.ones(6))


def test_agreement_on_a_clear_difference_and_on_none():
    scores, clusters = example(3, shift=2.0)
    found = specify(scores, clusters, decide, n_resamples=500, random_state=0)
    assert len(found.analyses) == N_TESTS * len(CORRECTIONS)
    assert found.share_better[0, 1] == found.share_better[0, 2] == 1.0
    assert found.share_better[1, 0] == 0.0
    tests = pairwise_tests(scores, clusters, alternative="greater")
    agreement = found.agreement(conclude(tests.p, tests.z))
    assert agreement[0, 1] == 1.0
    assert agreement == pytest.approx(agreement.T)
    same = np.repeat(scores[:, :1], 2, axis=1)
    equal = specify(same, clusters, decide, n_resamples=200, random_state=0)
    assert not equal.better.any()


def test_order_of_rows_and_seed():
    scores, clusters = example(4, shift=0.15)
    order = np.random.default_rng(0).permutation(40)
    one = specify(scores, clusters, decide, tie_tolerance=1e-9, n_resamples=300, random_state=5)
    two = specify(
        scores[order], clusters[order], decide, tie_tolerance=1e-9, n_resamples=300, random_state=5
    )
    assert (one.better == two.better).all()


def test_progress_sees_every_analysis():
    seen = []

    def watch(tests):
        for tested in tests:
            seen.append(tested.analysis)
            yield tested

    specify(*example(5), decide, n_resamples=100, random_state=0, watch=watch)
    assert len(seen) == N_TESTS


def test_few_clusters_and_missing_tasks():
    scores, clusters = example(6)
    scores[:5, 0] = np.nan
    scores[clusters == 3, 1] = np.nan
    found = specify(scores, clusters, decide, n_resamples=100, random_state=0)
    assert found.better.shape == (80, 3, 3)
    two = specify(scores[:, 1:], clusters % 2, decide, n_resamples=100, random_state=0)
    assert not two.better[np.array([a.null == "exact" for a, _ in two.analyses])].any()
