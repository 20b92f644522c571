"""Exact and Monte Carlo null distributions against enumeration of all sign flips.

``clusrank_cases.json``: ``clusrank::clusWilcox.test(..., paired = TRUE, method = "rgl",
exact = TRUE)`` of clusrank 1.0-4 on R 4.2.2.
"""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from occstats.stats import clustered_wilcoxon
from occstats.stats._arrays import signed_ranks
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank import null as sign_flip
from occstats.stats.signed_rank.null import exact_tails

CASES = json.loads((Path(__file__).parents[1] / "reference" / "clusrank_cases.json").read_text())
EXACT = [case for case in CASES if case["exact"]]


def sums_of(x, clusters):
    return Clusters.of(clusters).sums(signed_ranks(np.asarray(x, float)[:, None])[0])[:, 0]


def enumerate_tails(rank_sums):
    """P(T* ≤ T) and P(T* ≥ T) over all 2^m sign flips, in whole numbers."""
    doubled = np.rint(2 * np.asarray(rank_sums)).astype(np.int64)
    totals = np.zeros(1, dtype=np.int64)
    for step in doubled:
        totals = np.concatenate([totals - step, totals + step])
    observed = doubled.sum()
    return (totals <= observed).mean(), (totals >= observed).mean()


@pytest.fixture(params=["convolved", "listed"])
def way(request, monkeypatch):
    """Compute the exact distribution by convolution, or by listing."""
    monkeypatch.setattr(sign_flip, "_LISTED_CLUSTERS", 0 if request.param == "convolved" else 20)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("case", EXACT, ids=lambda case: case["id"])
def test_reference_cases_by_enumeration(case):
    x = np.array(case["x"]) - case["mu"]
    rank_sums = sums_of(x, case["cluster"])
    less, greater = enumerate_tails(rank_sums)
    expected = {"less": less, "greater": greater, "two.sided": min(1, 2 * min(less, greater))}
    result = clustered_wilcoxon(
        case["x"],
        case["cluster"],
        mu=case["mu"],
        null="exact",
        alternative=case["alternative"].replace(".", "-"),
    )
    assert result.pvalue == pytest.approx(expected[case["alternative"]], rel=1e-12)
    assert result.statistic == rank_sums.sum()
    if "error" not in case:
        assert result.statistic == case["statistic"]
        # clusrank's "greater" is P(T* > T), and it is wrong wherever some |R_i| ≤ 1.
        if case["alternative"] == "less" and (np.abs(rank_sums) > 1).all():
            assert result.pvalue == pytest.approx(case["p_value"], rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-40, 40), min_size=2, max_size=14))
def test_convolution_is_enumeration(doubled):
    rank_sums = np.array(doubled) / 2
    tails = exact_tails(rank_sums)
    less, greater = enumerate_tails(rank_sums)
    assert tails["less"] == pytest.approx(less, rel=1e-13)
    assert tails["greater"] == pytest.approx(greater, rel=1e-13)
    assert tails["two-sided"] == pytest.approx(min(1, 2 * min(less, greater)), rel=1e-13)


def test_exact_is_scipys_exact_for_clusters_of_one():
    x = np.random.default_rng(3).normal(0.3, 1, 25)
    for alternative in ("less", "greater", "two-sided"):
        expected = stats.wilcoxon(x, alternative=alternative, method="exact").pvalue
        result = clustered_wilcoxon(x, np.arange(25), null="exact", alternative=alternative)
        assert result.pvalue == pytest.approx(expected, rel=1e-12)


def test_extreme_sample_keeps_its_tiny_tail():
    # All R_i positive: only the sample itself is as extreme, P = 2^-m, which 1 - P would lose.
    x = np.arange(1.0, 121.0)
    clusters = np.repeat(np.arange(60), 2)
    result = clustered_wilcoxon(x, clusters, null="exact", alternative="greater")
    assert result.pvalue == pytest.approx(2.0**-60, rel=1e-12)
    assert clustered_wilcoxon(x, clusters, null="exact", alternative="less").pvalue == 1


def test_a_distribution_that_is_too_large_is_sampled_with_a_note(monkeypatch):
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(30), 3)
    x = rng.normal(0.2, 1, 90)
    complete = clustered_wilcoxon(x, clusters, null="exact")
    monkeypatch.setattr(sign_flip, "EXACT_STEP_LIMIT", 1000)
    sampled = clustered_wilcoxon(x, clusters, null="exact", n_resamples=20_000, random_state=1)
    assert "random sign flips" in sampled.notes[0]
    assert sampled.statistic == complete.statistic
    assert sampled.pvalue == pytest.approx(complete.pvalue, abs=0.015)


@pytest.mark.parametrize("method", ["rgl", "ds"])
@pytest.mark.parametrize("sizes", [[1, 2, 3, 4, 1, 2, 3], [2] * 7])
def test_monte_carlo_recomputes_the_statistic(method, sizes):
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(7), sizes)
    x = rng.normal(0.3, 1, len(clusters))
    observed = clustered_wilcoxon(x, clusters, test=method)
    values = []
    for signs in itertools.product([1, -1], repeat=7):
        flipped = clustered_wilcoxon(x * np.array(signs)[clusters], clusters, test=method)
        values.append(flipped.zstatistic)
    values, z = np.array(values), observed.zstatistic
    shares = {"greater": (values >= z - 1e-9).mean(), "less": (values <= z + 1e-9).mean(),
              "two-sided": (np.abs(values) >= abs(z) - 1e-9).mean()}  # fmt: skip
    for alternative, share in shares.items():
        options = {"test": method, "null": "permutation", "alternative": alternative}
        sampled = clustered_wilcoxon(x, clusters, **options, n_resamples=63, random_state=2)
        assert sampled.statistic == observed.statistic
        assert sampled.pvalue == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 63))
        # All flips, up to a common sign, are no more than 64: they are listed.
        assert clustered_wilcoxon(x, clusters, **options, n_resamples=64).pvalue == share


def test_monte_carlo_counts_the_sample_itself():
    # The largest of all possible values: b counts only the draws of the very same signs.
    x, clusters = np.arange(1.0, 41.0), np.arange(40)
    result = clustered_wilcoxon(
        x, clusters, null="permutation", alternative="greater", n_resamples=99, random_state=0
    )
    assert result.pvalue == 1 / 100


def test_monte_carlo_is_repeatable_and_chunks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 12, 40)
    x = rng.normal(0.2, 1, 40)

    def p(seed):
        return clustered_wilcoxon(
            x, clusters, null="permutation", n_resamples=500, random_state=seed
        ).pvalue

    first = p(7)
    assert p(7) == first
    assert len({p(seed) for seed in range(5)}) > 1
    assert p(np.random.default_rng(7)) == p(np.random.default_rng(7))
    monkeypatch.setattr(sign_flip, "_CHUNK_ELEMENTS", 64)
    assert p(7) == first
