"""The clustered Hodges-Lehmann shift against R, brute force and its symmetries."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from occstats.stats import clustered_wilcoxon
from occstats.stats.hodges_lehmann import hodges_lehmann_pairs, hodges_lehmann_shift

X = [0.11, -0.07, 0.23, 0.31, 0.05, 0.42, -0.13, 0.19, 0.27, 0.36]


@pytest.mark.parametrize(
    ("confidence", "limits"),
    # R 4.2.2: wilcox.test(x, conf.int=TRUE, exact=TRUE, conf.level=…)$conf.int
    [(0.95, (0.05, 0.31)), (0.8, (0.09, 0.27))],
)
def test_single_tasks_agree_with_r(confidence: float, limits: tuple[float, float]) -> None:
    found = hodges_lehmann_shift(X, range(10), confidence=confidence, tie_tolerance=1e-9)
    assert found.estimate == pytest.approx(0.18)  # the pseudomedian of the same call
    assert (found.low, found.high) == pytest.approx(limits)


def cluster_sums(x: np.ndarray, codes: np.ndarray, mu: float) -> np.ndarray:
    shifted = np.round(x - mu, 9)
    return np.bincount(codes, weights=np.sign(shifted) * rankdata(np.abs(shifted)))


def p_greater(x: np.ndarray, codes: np.ndarray, mu: float) -> float:
    sums = cluster_sums(x, codes, mu)
    flips = np.array(list(itertools.product([0, 1], repeat=len(sums))))
    return float(np.mean(flips @ sums <= 0))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=8, max_size=16), st.integers(0, 1000), st.integers(6, 8)
)
def test_limits_are_where_the_enumerated_test_stops_rejecting(
    values: list[int], seed: int, m: int
) -> None:
    x = np.array(values) / 10
    codes = np.concatenate(
        [np.arange(m), np.random.default_rng(seed).integers(m, size=max(0, len(x) - m))]
    )[: len(x)]
    codes = np.unique(codes, return_inverse=True)[1]
    found = hodges_lehmann_shift(x, codes, tie_tolerance=1e-9)
    walsh = np.add.outer(x, x)[np.triu_indices(len(x))] / 2
    assert found.estimate == pytest.approx(np.median(walsh))
    step = 1e-3
    assert p_greater(x, codes, found.low - step) <= 0.025 < p_greater(x, codes, found.low + step)
    upper = p_greater(-x, codes, -found.high - step), p_greater(-x, codes, -found.high + step)
    assert upper[0] <= 0.025 < upper[1]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12), st.integers(0, 99))
def test_every_cluster_sum_falls_as_the_shift_grows(values: list[float], seed: int) -> None:
    x = np.round(values, 3)
    codes = np.random.default_rng(seed).integers(3, size=len(x))
    codes = np.unique(codes, return_inverse=True)[1]
    sums = np.array([cluster_sums(x, codes, mu) for mu in np.linspace(-1.1, 1.1, 67) + 1e-5])
    assert (np.diff(sums, axis=0) <= 1e-9).all()


def test_interval_holds_the_shifts_that_the_exact_test_accepts_with_many_clusters() -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(30), rng.integers(1, 6, 30))
    x = np.round(rng.normal(0.02, 0.05, len(clusters)) + rng.normal(0, 0.05, 30)[clusters], 3)
    found = hodges_lehmann_shift(
        x, clusters, tie_tolerance=1e-9, n_resamples=50_000, random_state=0
    )
    for mu, rejected in (
        (found.low - 0.004, True),
        (found.low + 0.004, False),
        (found.high - 0.004, False),
        (found.high + 0.004, True),
    ):
        test = clustered_wilcoxon(x, clusters, mu=mu, null="exact", alternative="two-sided")
        assert (test.pvalue < 0.05) == rejected


def test_shift_and_scale_carry_over() -> None:
    clusters = list("aabbccddeeffgghh")
    x = np.round(np.random.default_rng(0).normal(size=16), 3)
    plain = hodges_lehmann_shift(x, clusters, tie_tolerance=1e-9)
    moved = hodges_lehmann_shift(0.25 + 2 * x, clusters, tie_tolerance=1e-9)
    for name in ("estimate", "low", "high"):
        assert getattr(moved, name) == pytest.approx(0.25 + 2 * getattr(plain, name))


def test_pairs_are_antisymmetric_and_do_not_depend_on_order() -> None:
    rng = np.random.default_rng(1)
    scores = rng.uniform(size=(40, 3)).round(3)
    clusters = np.array([f"d{i}" for i in rng.integers(18, size=40)])
    found = hodges_lehmann_pairs(scores, clusters, tie_tolerance=1e-9, random_state=5)
    assert found.estimate == pytest.approx(-found.estimate.T)
    assert found.low == pytest.approx(-found.high.T)
    rows, columns = rng.permutation(40), [2, 0, 1]
    again = hodges_lehmann_pairs(
        scores[rows][:, columns], clusters[rows], tie_tolerance=1e-9, random_state=5
    )
    assert again.low == pytest.approx(found.low[np.ix_(columns, columns)])
    assert again.high == pytest.approx(found.high[np.ix_(columns, columns)])


def test_too_few_clusters_bound_nothing() -> None:
    found = hodges_lehmann_shift([0.1, 0.2, 0.3, 0.2, 0.1], list("abcde"))
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert found.estimate == pytest.approx(0.2)
    enough = hodges_lehmann_shift([0.1, 0.2, 0.3, 0.2, 0.1], list("abcde"), confidence=0.9)
    assert (enough.low, enough.high) == pytest.approx((0.1, 0.3))


@pytest.mark.parametrize("m", [1, 2, 8, 20])
def test_equal_algorithms(m: int) -> None:
    found = hodges_lehmann_shift(np.zeros(2 * m), np.repeat(np.arange(m), 2), tie_tolerance=1e-9)
    assert found.estimate == 0
    expected = (0.0, 0.0) if m >= 6 else (-np.inf, np.inf)
    assert (found.low, found.high) == expected


def test_missing_tasks_are_left_out() -> None:
    x = np.array([*X, np.nan, np.nan])
    found = hodges_lehmann_shift(x, [*range(10), 3, 11], tie_tolerance=1e-9)
    assert (found.low, found.n_clusters, found.n_observations) == (pytest.approx(0.05), 10, 10)
    nothing = hodges_lehmann_shift([np.nan, np.nan], ["a", "b"])
    assert np.isnan(nothing.estimate)
    assert nothing.n_observations == 0


def test_the_seed_decides() -> None:
    rng = np.random.default_rng(0)
    x, clusters = rng.normal(size=60), np.arange(60) // 2
    first = hodges_lehmann_shift(x, clusters, n_resamples=300, random_state=1)
    assert first == hodges_lehmann_shift(x, clusters, n_resamples=300, random_state=1)
    assert first != hodges_lehmann_shift(x, clusters, n_resamples=300, random_state=2)
