"""Tests of typical differences: by hand, by listing all flips, and by what must always hold."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from occstats.stats import (
    Sample,
    clustered_wilcoxon,
    typical_shifts,
    typical_tests,
)
from occstats.stats.clusters import Clusters
from occstats.stats.max_t import allowed_exceedances, critical_value
from occstats.stats.signed_rank import TESTS
from tests.stats.rank_reference import typical_reference

INFINITY = float("inf")


@st.composite
def tables(draw, failures=False):
    """Tables with ties, unequal sizes, missing scores; some of one task per dataset."""
    m, k = draw(st.integers(2, 7)), draw(st.integers(2, 3))
    most = draw(st.sampled_from([1, 3]))
    sizes = [draw(st.integers(1, most)) for _ in range(m)]
    clusters = np.repeat(np.arange(m), sizes)
    reach = draw(st.sampled_from([1, 3, 50]))
    special = [np.nan] * draw(st.integers(0, 1)) + [-INFINITY] * failures
    score = st.integers(-reach, reach).map(float)
    score = st.one_of(*[score] * 8, st.sampled_from(special)) if special else score
    rows = draw(st.lists(score, min_size=len(clusters) * k, max_size=len(clusters) * k))
    scores = np.array(rows).reshape(len(clusters), k)
    return scores + draw(st.sampled_from([0, 1, 3])) * np.arange(k), clusters


def differences(x, clusters=None):
    """Return a table of two algorithms with these differences; infinite ones are failures."""
    x = np.array(x, dtype=float)
    scores = np.column_stack([np.clip(x, -np.inf, 99), np.where(x == INFINITY, -INFINITY, 0.0)])
    return scores, np.arange(len(x)) if clusters is None else np.array(clusters)


def sample_of(scores, clusters, tie_tolerance=1.0):
    """Failures are allowed in prepared samples only."""
    return Sample(scores, Clusters.of(clusters), tie_tolerance)


def unbalanced(seed, n_clusters=7, k=3, effect=0.0):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 5, n_clusters))
    scores = rng.normal(size=(n_clusters, k))[clusters] + rng.normal(size=(len(clusters), k))
    return np.round(10 * (scores + effect * np.arange(k))), clusters


# The definition


def test_six_datasets_by_hand():
    # Differences 1, 2, 3, 4, 5, −6 are their own ranks: T = 9, Σ R² = 91, Z = 9/√91. Signs of
    # 1 … 6 sum to 9 or more in 14 of 64 ways (T⁺ ≥ 15 in Wilcoxon's table), to −9 or less in 14.
    # Of 21 Walsh averages ten lie below 2.5 and nine above. Less 2.5, the differences are −1.5,
    # −0.5, 0.5, 1.5, 2.5 and −8.5.
    x = np.array([1.0, 2, 3, 4, 5, -6])
    found = typical_tests(np.column_stack([x, 0 * x]), np.arange(6))
    assert found.exact
    assert found.n_resamples == 32
    assert found.statistic[0, 1] == pytest.approx(9 / np.sqrt(91))
    assert found.difference[0, 1] == 2.5
    signs = np.array(list(product((1, -1), repeat=5)))
    assert len(signs) == 32
    largest = [
        np.abs(np.column_stack([signs, np.ones(32)]) @ ranks) / np.sqrt(ranks @ ranks)
        for ranks in (np.arange(1.0, 7.0), np.array([3.5, 1.5, 1.5, 3.5, 5, 6]))
    ]
    as_they_are, centred = (np.mean(values >= 9 / np.sqrt(91) - 1e-10) for values in largest)
    assert as_they_are == 28 / 64
    assert found.p[0, 1] == max(as_they_are, centred)
    # At 5 % one of 32 flips may reach Z, at 7 % two.
    for alpha, place in ((0.05, -2), (0.07, -3)):
        critical = typical_tests(np.column_stack([x, 0 * x]), np.arange(6), alpha=alpha).critical
        assert critical[0, 1] == pytest.approx(max(np.sort(values)[place] for values in largest))


@pytest.mark.parametrize("test", ["rgl", "ds"])
@settings(max_examples=25)
@given(table=tables(failures=True), alpha=st.sampled_from([0.05, 0.15, 0.4]))
@example(table=differences([1, -1, -1, -1]), alpha=0.05)  # less their shift: 2, 0, 0, 0
@example(table=differences([1] * 19, [0] * 10 + [*range(1, 10)]), alpha=0.05)  # equal wins
@example(
    table=differences([-1] + [1] * 49, [0] * 30 + [1] * 14 + [*range(2, 8)]), alpha=0.05
)  # nearly
@example(table=differences([1] * 5), alpha=0.05)  # too few datasets for any decision
@example(table=differences([INFINITY] * 8), alpha=0.05)  # one that only fails
@example(table=differences([INFINITY] * 4 + [1] * 4), alpha=0.2)  # only the upper limit is infinite
@example(table=differences([1, 2, 3, 4, INFINITY, -INFINITY]), alpha=0.4)  # failures cancel
def test_is_brute_force_with_ties_gaps_and_failures(test, table, alpha):
    scores, clusters = table
    expected, critical = typical_reference(scores, clusters, test, alpha)
    found = typical_tests(sample_of(scores, clusters), test=test, alpha=alpha)
    for pair in combinations(range(scores.shape[1]), 2):
        if pair not in expected:
            assert np.isnan(found.critical[pair])
            continue
        one = expected[pair]
        assert found.statistic[pair] == pytest.approx(one["z"], abs=1e-9)
        assert found.p[pair] == pytest.approx(one["p"], abs=1e-12)
        if np.isfinite(found.critical[pair]):
            assert found.critical[pair] == pytest.approx(critical, abs=1e-9)
        np.testing.assert_equal(found.difference[pair], one["shift"])
        # Z need not fall throughout: it may pass the critical value more than once.
        if one["once"]:
            assert (found.low[pair], found.high[pair]) == (one["low"], one["high"])


# Z exceeds the critical value between 0 and the shift, though not at 0.
RISING = (
    np.array([[6.0, 0], [0, -INFINITY], [6, -INFINITY], [-1, 0], [6, 0], [-1, 0], [-4, 0], [2, 0],
              [4, 0]]),
    np.array([0, 1, 1, 2, 2, 3, 4, 4, 4]),
)  # fmt: skip


@settings(max_examples=60)
@given(
    table=tables(failures=True),
    alpha=st.sampled_from([0.05, 0.2, 0.5]),
    simultaneous=st.booleans(),
    null=st.sampled_from(["flips", "asymptotic"]),
    n_resamples=st.sampled_from([9, 10_000]),
    suites=st.booleans(),
    test=st.sampled_from(["rgl", "ds"]),
)
@example(RISING, 0.2, True, "flips", 10_000, False, "ds")
def test_p_and_interval_agree(table, alpha, simultaneous, null, n_resamples, suites, test):
    scores, clusters = table
    groups = Clusters.nested(clusters // 2, clusters) if suites else Clusters.of(clusters)
    found = typical_tests(
        Sample(scores, groups, 1.0),
        alpha=alpha,
        simultaneous=simultaneous,
        null=null,
        n_resamples=n_resamples,
        test=test,
        random_state=0,
    )
    known = ~np.isnan(found.p)
    assert (known == known.T).all()
    z, p, low, high = (part[known] for part in (found.statistic, found.p, found.low, found.high))
    rejected = p <= alpha
    assert (low <= high).all()
    assert (np.where(rejected & (z > 0), low, 0.0) >= 0).all()
    assert (np.where(rejected & (z < 0), high, 0.0) <= 0).all()
    assert ((low <= 0) & (high >= 0))[~rejected].all()
    # Zero lies on a limit only where ties put it there.
    shift = found.difference[known]
    assert ((low <= shift) & (shift <= high) | np.isnan(shift)).all()
    with np.errstate(invalid="ignore"):
        exceeds = np.abs(found.statistic) > found.critical + 1e-10
    assert (exceeds == (found.p <= alpha)).all()
    for matrix in (found.difference, found.statistic, found.low, found.high):
        assert not (np.signbit(matrix) & (matrix == 0)).any()


@settings(max_examples=40)
@given(x=st.lists(st.integers(-40, 40).filter(bool), min_size=3, max_size=25))
def test_shift_of_independent_differences_is_the_median_of_walsh_averages(x):
    x = np.array(x, dtype=float)
    walsh = (np.add.outer(x, x) / 2)[np.triu_indices(len(x))]
    scores = np.column_stack([x, np.zeros(len(x))])
    assert typical_shifts(scores, np.arange(len(x)))[0, 1] == np.median(walsh)
    # By any unit: in raw floats, and in multiples of a tolerance.
    for unit, tolerance in ((0.001, 0.0), (0.001, 1e-9), (1e7, 1e-2)):
        shift = typical_shifts(unit * scores, np.arange(len(x)), tie_tolerance=tolerance)
        assert shift[0, 1] == pytest.approx(unit * np.median(walsh), rel=1e-9, abs=1e-12 * unit)


# One pair, several pairs, a control


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("null", ["flips", "asymptotic"])
@pytest.mark.parametrize("n_clusters", [7, 20])
def test_unadjusted_p_values_are_those_of_single_tests(alternative, null, n_clusters):
    scores, clusters = unbalanced(4, n_clusters, effect=0.4)
    options = {"alternative": alternative, "n_resamples": 500, "random_state": 3}
    found = typical_tests(scores, clusters, null=null, shifts=False, **options)
    of_one = "permutation" if null == "flips" else null
    for a, b in permutations(range(3), 2):
        single = clustered_wilcoxon(scores[:, a] - scores[:, b], clusters, null=of_one, **options)
        assert found.p_unadjusted[a, b] == pytest.approx(single.pvalue, abs=1e-12)
    if null == "asymptotic":
        assert found.critical[0, 1] == pytest.approx(1.959964, abs=1e-6)
    # Flips of centred differences can only add to them.
    both = typical_tests(scores, clusters, null=null, **options)
    assert (both.p_unadjusted >= found.p_unadjusted)[~np.eye(3, dtype=bool)].all()


@pytest.mark.parametrize("test", ["rgl", "ds"])
@pytest.mark.parametrize("n_clusters", [7, 30])
def test_a_floor_below_the_critical_value_changes_no_decision(test, n_clusters):
    scores, clusters = unbalanced(6, n_clusters, k=5, effect=0.2)
    options = {"test": test, "n_resamples": 700, "random_state": 2}
    whole = typical_tests(scores, clusters, **options)
    floor = 0.95 * whole.critical[0, 1]
    found = typical_tests(scores, clusters, floor=floor, **options)
    np.testing.assert_array_equal(found.critical, whole.critical)
    high = np.abs(whole.statistic) > floor
    np.testing.assert_array_equal(found.p[high], whole.p[high])
    assert (found.p[~high & ~np.eye(5, dtype=bool)] == 1).all()


@pytest.mark.parametrize("alpha", [0.004, 0.05, 0.3, 0.99])
@pytest.mark.parametrize("n", [3, 40, 300])
def test_critical_values_agree_with_p_values(alpha, n):
    values = np.random.default_rng(n).integers(0, 30, n).astype(float)
    critical = critical_value(values[:, None], alpha)[0]
    for observed in np.arange(-0.5, 31, 0.5):
        p = (np.count_nonzero(values >= observed) + 1) / (n + 1)
        assert (p <= alpha) == (observed > critical)
    assert allowed_exceedances(0.05, 20, exact=True) == 1


def test_random_flips_give_no_smaller_p_than_all_flips():
    # Four of 40 datasets differ: one of eight flips reaches the statistic, or none of few random.
    scores = np.zeros((40, 2))
    scores[:4, 0] = [1.0, 2.0, 3.0, 4.0]
    for seed in range(20):
        found = typical_tests(scores, np.arange(40), n_resamples=9, random_state=seed)
        assert not found.exact
        assert found.p[0, 1] >= 1 / 8
        assert (found.low[0, 1], found.high[0, 1]) == (-INFINITY, INFINITY)
        one_sided = typical_tests(
            scores, np.arange(40), n_resamples=30, random_state=seed, alternative="greater"
        )
        assert one_sided.p_unadjusted[0, 1] >= 1 / 16


# Dominance, equal scores, failures


@pytest.mark.parametrize("test", ["rgl", "ds"])
@pytest.mark.parametrize("null", ["flips", "asymptotic"])
def test_equal_scores_have_a_difference_of_zero(test, null):
    scores, clusters = unbalanced(6, k=3)
    scores[:, 1] = scores[:, 0]
    found = typical_tests(scores, clusters, test=test, null=null, random_state=0)
    for a, b in ((0, 1), (1, 0)):
        parts = found.difference, found.low, found.high, found.statistic
        assert [part[a, b] for part in parts] == [0, 0, 0, 0]
        assert not any(np.signbit(part[a, b]) for part in parts)
        assert found.p[a, b] == found.p_unadjusted[a, b] == 1
    # Such a pair leaves the others alone.
    rest = typical_tests(scores[:, 1:], clusters, test=test, null=null, random_state=0)
    assert found.p[1, 2] == rest.p[0, 1]


def test_a_pair_that_differs_in_one_dataset_has_no_statistic():
    scores, clusters = unbalanced(6, k=3)
    scores[:, 1] = scores[:, 0] + (clusters == 0)
    scores[clusters > 0, 2] = np.nan
    found = typical_tests(scores, clusters)
    assert found.p[0, 1] == 1
    assert (found.low[0, 1], found.high[0, 1]) == (-INFINITY, INFINITY)
    assert np.isnan(found.statistic[0, 1])
    # No scores in a second dataset: no test.
    for matrix in (found.p, found.low, found.high, found.statistic):
        assert np.isnan(matrix[0, 2])


def test_a_pair_of_two_datasets_does_not_decide_about_the_others():
    # With two datasets of unequal size, some flips leave no valid weights.
    scores, clusters = unbalanced(3, n_clusters=10, k=4, effect=3.0)
    scores[~np.isin(clusters, (0, 1)), 3] = np.nan
    found = typical_tests(scores, clusters)
    rest = typical_tests(scores[:, :3], clusters)
    assert np.isfinite(found.critical[0, 1])
    assert (found.p[:3, :3] <= 0.05).sum() == (rest.p <= 0.05).sum() > 0


# Blocks


def test_many_pairs_are_computed_in_blocks(monkeypatch):
    scores, clusters = unbalanced(7, n_clusters=20, k=6, effect=0.2)
    options = {"n_resamples": 300, "random_state": 0, "control": 4}
    whole = typical_tests(scores, clusters, **options)
    monkeypatch.setattr("occstats.stats.sample.BLOCK_ELEMENTS", 300)
    monkeypatch.setattr("occstats.stats.sample.Sample.blocks.__defaults__", (300,))
    parts = typical_tests(scores, clusters, **options)
    for name in ("p", "difference", "low", "high", "critical"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), atol=1e-12)


# Many pairs


@pytest.mark.parametrize("test", ["rgl", "ds"])
@pytest.mark.parametrize(("n_clusters", "decimals"), [(3, 1), (5, 0), (9, 6), (25, 1), (25, 6)])
def test_the_largest_statistics_are_those_of_all_pairs(test, n_clusters, decimals):
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 6, n_clusters))
    scores = rng.normal(size=(len(clusters), 12)).round(decimals)
    [prepared] = TESTS[test].blocks(Sample.of(scores, clusters, tie_tolerance=1e-9))
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), size=(200, n_clusters))
    every = np.arange(66)
    z = np.array([prepared.flipped(every, np.tile(row, (66, 1))) for row in signs])
    expected = np.fmax.reduce(np.abs(z), axis=1)
    known = np.full(200, 0.5)
    found = prepared.largest(every, signs, known)
    np.testing.assert_allclose(found, np.maximum(expected, 0.5), rtol=1e-12)
