"""The clustered signed-rank test against clusrank, against enumeration, and by its symmetries.

Reference values: ``clusrank_cases.json`` and ``clusrank_paper.csv`` hold what
``clusrank::clusWilcox.test(x, cluster = c, paired = TRUE, mu = , alternative = , method = ,
exact = )`` of clusrank 1.0-4 on R 4.2.2 returned.
"""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from occstats.stats import clustered_wilcoxon, pairwise_tests
from tests.stats.paper import ALGORITHMS, DATASETS, REFERENCE, SCORES

CASES = json.loads((REFERENCE / "clusrank_cases.json").read_text())
ASYMPTOTIC = [case for case in CASES if not case["exact"] and "error" not in case]
OFFERED = {"rgl": ["asymptotic", "exact", "permutation"], "ds": ["asymptotic", "permutation"]}


def identifier(case):
    return case["id"]


@pytest.mark.parametrize("case", ASYMPTOTIC, ids=identifier)
def test_agrees_with_clusrank(case):
    result = clustered_wilcoxon(
        case["x"],
        case["cluster"],
        mu=case["mu"],
        test=case["method"],
        alternative=case["alternative"].replace(".", "-"),
    )
    assert result.zstatistic == pytest.approx(case["statistic"], rel=1e-10, abs=1e-10)
    assert result.pvalue == pytest.approx(case["p_value"], rel=1e-10, abs=1e-10)
    assert result.variance == pytest.approx(case["var_T"], rel=1e-10)
    assert (result.n_observations, result.n_clusters) == (case["nobs"], case["nclus"])
    if case["T"] is not None:
        assert result.statistic == pytest.approx(case["T"], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("method", ["rgl", "ds"])
@pytest.mark.parametrize(("differences", "tolerance"), [("raw", 0.0), ("rounded9", 1e-9)])
def test_agrees_with_clusrank_on_the_paper(method, differences, tolerance):
    expected = pd.read_csv(REFERENCE / "clusrank_paper.csv", keep_default_na=False)
    rows = expected[(expected["method"] == method) & (expected["differences"] == differences)]
    assert len(rows) == 72
    tests = pairwise_tests(
        SCORES,
        DATASETS,
        test=method,
        alternative="greater",
        tie_tolerance=tolerance,
    )
    a = rows["a"].map(ALGORITHMS.index)
    b = rows["b"].map(ALGORITHMS.index)
    np.testing.assert_allclose(tests.z[a, b], rows["Z"], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(tests.p[a, b], rows["p"], rtol=1e-10, atol=0)
    np.testing.assert_array_equal(tests.n_observations[a, b], rows["nobs"])
    np.testing.assert_array_equal(tests.n_clusters[a, b], rows["nclus"])


# Two tasks to a cluster, by hand: |x| = 1 2 3 4, S = (1, −2), (3, 4), R = (−1, 7), T = 6,
# Var = 1 + 49 = 50.
def test_balanced_by_hand():
    result = clustered_wilcoxon([1, -2, 3, 4], ["a", "a", "b", "b"])
    assert (result.statistic, result.variance) == (6, 50)
    assert result.zstatistic == pytest.approx(6 / np.sqrt(50))
    assert result.pvalue == pytest.approx(2 * stats.norm.sf(6 / np.sqrt(50)))


def test_datta_satten_by_its_definition():
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(5), [1, 3, 2, 4, 2])
    x = rng.integers(-4, 6, 12).astype(float)
    result = clustered_wilcoxon(x, clusters, test="ds")
    magnitudes = np.abs(x)

    def distribution(values, at):
        return ((values <= at).sum() + (values < at).sum()) / (2 * len(values))

    total, variance = 0.0, 0.0
    for i in range(5):
        own = x[clusters == i]
        term, square = 0.0, 0.0
        for value in own:
            others = sum(
                distribution(magnitudes[clusters == k], abs(value)) for k in range(5) if k != i
            )
            term += np.sign(value) * (1 + others) / len(own)
            pooled = distribution(magnitudes, abs(value))
            square += np.sign(value) * (1 + 4 * pooled) / len(own)
        total += term
        variance += square**2
    assert result.statistic == pytest.approx(total, rel=1e-12)
    assert result.variance == pytest.approx(variance, rel=1e-12)
    assert result.n_observations == 12


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_clusters_of_one_are_the_plain_test(alternative):
    x = np.random.default_rng(1).normal(0.2, 1, 40).round(1)
    expected = stats.wilcoxon(x, alternative=alternative, correction=False, method="asymptotic")
    result = clustered_wilcoxon(x, np.arange(40), alternative=alternative)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert np.isnan(result.intraclass_correlation)


def test_far_tail_keeps_its_digits():
    x = np.arange(1.0, 1801.0)
    result = clustered_wilcoxon(x, np.arange(1800), alternative="greater")
    assert result.zstatistic > 36
    assert 0 < result.pvalue < 1e-290
    assert result.pvalue == pytest.approx(np.exp(stats.norm.logsf(result.zstatistic)), rel=1e-9)


def test_tolerance_makes_ties():
    x = [0.3 - 0.2, 0.2 - 0.1, -0.4, 1e-12]
    clusters = [1, 1, 2, 3]
    raw = clustered_wilcoxon(x, clusters)
    rounded = clustered_wilcoxon(x, clusters, tie_tolerance=1e-9)
    assert raw.n_observations == 4
    assert rounded.n_observations == 3
    by_hand = clustered_wilcoxon([1, 1, -4], [1, 1, 2])
    assert rounded.zstatistic == by_hand.zstatistic


@pytest.mark.parametrize(
    ("method", "null"),
    [(method, null) for method, nulls in OFFERED.items() for null in nulls],
)
def test_all_differences_zero(method, null):
    result = clustered_wilcoxon([0.0] * 5, [1, 1, 2, 2, 3], test=method, null=null)
    assert result.pvalue == 1
    assert result.reason is None
    assert result.notes == ("all differences are zero",)
    assert (result.statistic, result.zstatistic) == (0, 0)


@pytest.mark.parametrize(
    ("x", "clusters", "method", "reason"),
    [
        ([1.0, 2.0, -3.0], ["a", "a", "a"], "rgl", "1 cluster with"),
        ([1.0, 2.0, 0.0], ["a", "a", "b"], "rgl", "1 cluster with"),
        ([1.0, 2.0, -3.0], ["a", "a", "a"], "ds", "1 cluster:"),
        ([], [], "rgl", "0 clusters"),
        ([1, -1, 1, -1], [1, 1, 2, 2], "rgl", "cancel within every cluster"),
        ([1, -1, 1, -1, 0], [1, 1, 2, 2, 2], "ds", "cancel within every cluster"),
    ],
)
def test_no_test_with_a_reason(x, clusters, method, reason):
    for null in ["asymptotic"] if "cancel" in reason else OFFERED[method]:
        result = clustered_wilcoxon(x, clusters, test=method, null=null)
        assert result.pvalue is None, null
        assert reason in result.reason, null


@pytest.mark.parametrize("sizes", [[2, 1], [3, 3, 3], [10, 1, 1, 1, 1, 1, 1, 1, 1, 1]])
@pytest.mark.parametrize("sign", [1, -1])
def test_equal_signed_ranks_count_one_per_cluster(sizes, sign):
    # clusrank divides by a variance of zero here.
    m = len(sizes)
    clusters = np.repeat(np.arange(m), sizes)
    result = clustered_wilcoxon(np.full(len(clusters), 0.3 * sign), clusters)
    assert result.zstatistic == pytest.approx(sign * np.sqrt(m))
    assert result.intraclass_correlation == 1
    for null in ("exact", "permutation"):
        exact = clustered_wilcoxon(np.full(len(clusters), 0.3 * sign), clusters, null=null)
        assert exact.pvalue == 2.0 ** (1 - m)
    # Of many arrangements of signs, flips and resamples meet this one, too.
    flipped = clustered_wilcoxon(np.where(clusters == 0, -0.3, 0.3), clusters, null="permutation")
    assert 2.0 ** (1 - m) < flipped.pvalue <= 1


def test_two_clusters_whose_corrected_correlation_is_negative():
    # ρ between 0 and 0.7 with m = 2 gives ρ_c = ρ (2ρ² − 1) < 0 and, in large clusters, weights
    # below zero: a statistic that would point the wrong way.
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(50):
        x = rng.normal(size=41) + np.repeat(rng.normal(size=2), [1, 40])
        result = clustered_wilcoxon(x, np.repeat([0, 1], [1, 40]))
        if result.pvalue is None:
            refused += 1
            assert "two clusters" in result.reason
    assert refused > 0


@st.composite
def samples(draw, max_clusters=6):
    n = draw(st.integers(3, 25))
    x = draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    clusters = draw(st.lists(st.integers(0, max_clusters - 1), min_size=n, max_size=n))
    return np.array(x, dtype=float), np.array(clusters)


@settings(max_examples=80, deadline=None)
@given(
    samples(),
    st.sampled_from([("rgl", "asymptotic"), ("ds", "asymptotic"), ("rgl", "exact")]),
    st.sampled_from([1e-6, 0.125, 3.0, 1e9]),
    st.randoms(use_true_random=False),
)
def test_invariance(sample, test, factor, random):
    x, clusters = sample
    order = list(range(len(x)))
    random.shuffle(order)
    names = np.array(["wine", "iris", "NA", "001", "True", "é"])[clusters]

    def p(x, clusters, alternative="two-sided"):
        method, null = test
        found = clustered_wilcoxon(x, clusters, test=method, null=null, alternative=alternative)
        return np.nan if found.pvalue is None else found.pvalue

    # Only order and sign of the differences count, not the order or the names of the clusters.
    for same in (p(x[order], names[order]), p(-x, clusters), p(factor * x, clusters),
                 p(x**3, clusters)):  # fmt: skip
        assert same == pytest.approx(p(x, clusters), rel=1e-9, abs=1e-12, nan_ok=True)
    mirrored, greater = p(-x, clusters, "less"), p(x, clusters, "greater")
    assert mirrored == pytest.approx(greater, rel=1e-9, abs=1e-12, nan_ok=True)
