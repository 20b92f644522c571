"""Bayesian comparisons against baycomp, the definition, and their symmetries."""

import numpy as np
import pytest

from occstats.stats import bayes
from occstats.stats.bayes import bayesian_signed_rank, correlated_t, probability_best
from occstats.stats.bootstrap import PosteriorWeights

X = np.array([0.799, 0.905, 0.874, 0.872, 0.962, 0.679, 0.737, 0.668, 0.789, 0.9, 0.798, 0.85])
Y = np.array([0.752, 0.919, 0.857, 0.935, 0.999, 0.717, 0.745, 0.696, 0.819, 0.9, 0.793, 0.857])
FOLDS = [
    [-0.0021, -0.0019, 0.0043, -0.0046, 0.0253, -0.0219, 0.0265, -0.0025, -0.0009, -0.017],
    [0.0071, 0.005, 0.0138, -0.0007, 0.0119, 0.0464, 0.0182, -0.0015, 0.0291, 0.0074],
    [0.0219, 0.0223, 0.0022, -0.0286, 0.003, 0.021, 0.0024, 0.0188, 0.0296, -0.0009],
]

# baycomp 1.0.3: SignedRankTest.probs(X, Y, rope, prior=prior, nsamples=200000, random_state=1)
# No sum of two differences is at the edge of the region, where baycomp leaves it to rounding errors
# on which side a sum falls.
BAYCOMP = {
    (1.0, 0.01025): (0.01646, 0.19154, 0.792),
    (1.0, 0.0): (0.051405, 0.0, 0.948595),
    (0.5, 0.01025): (0.0197, 0.15772, 0.82258),
    (0.5, 0.0): (0.052765, 0.0, 0.947235),
}


@pytest.mark.parametrize(("prior", "rope"), BAYCOMP)
def test_single_tasks_agree_with_recorded_baycomp(prior, rope):
    found = bayesian_signed_rank(
        np.column_stack([Y, X]),
        np.arange(12),
        rope=rope,
        prior_weight=prior,
        tie_tolerance=1e-9,
        n_resamples=40_000,
        random_state=0,
    )
    ours = [found.worse[0, 1], found.equivalent[0, 1], found.better[0, 1]]
    # Samples of 40,000 and 200,000: four standard errors are below 0.009.
    assert ours == pytest.approx(BAYCOMP[prior, rope], abs=0.009)


# Few datasets share the products of their weights, many have a matrix of their own or are counted.
@pytest.mark.parametrize("constant", [None, "_SHARED_CLUSTERS", "DENSE_ELEMENTS"])
def test_clustered_draws_by_the_definition(constant, monkeypatch):
    if constant:
        monkeypatch.setattr(bayes, "_SHARED_CLUSTERS", 0)
        monkeypatch.setattr(bayes, constant, 0)
    rng = np.random.default_rng(0)
    clusters = np.array([0, 0, 0, 1, 2, 2, 3])
    x = rng.integers(-4, 5, 7) / 100
    weights = PosteriorWeights.of(4, 400, random_state=2)
    draws = np.column_stack([weights.prior(1.0), weights.array()])
    tally = np.zeros(3)
    for row in draws:
        share = row / row.sum()
        sizes = np.bincount(clusters)
        weights = np.concatenate([share[:1], share[1:][clusters] / sizes[clusters]])
        sums = np.round(np.add.outer(np.append(0, x), np.append(0, x)), 9)
        products = np.outer(weights, weights)
        better = np.sum(products * np.heaviside(sums - 0.02, 0.5))
        worse = np.sum(products * np.heaviside(-sums - 0.02, 0.5))
        tally[np.argmax([better, 1 - better - worse, worse])] += 1
    found = bayesian_signed_rank(
        np.column_stack([x, np.zeros(7)]),
        clusters,
        tie_tolerance=1e-9,
        n_resamples=400,
        random_state=2,
    )
    ours = [found.better[0, 1], found.equivalent[0, 1], found.worse[0, 1]]
    assert ours == pytest.approx(tally / 400)
    # ... while a test of independent tasks would grow more certain.


def test_symmetry_and_sum():
    rng = np.random.default_rng(3)
    scores, clusters = rng.uniform(0.7, 0.8, (30, 4)).round(3), rng.integers(8, size=30)
    found = bayesian_signed_rank(scores, clusters, n_resamples=500, random_state=1)
    assert found.better + found.equivalent + found.worse == pytest.approx(np.ones((4, 4)))
    assert found.better == pytest.approx(found.worse.T)


@pytest.mark.parametrize(("rope", "expected"), [(0.01, (0, 1, 0)), (0.0, (0.5, 0, 0.5))])
def test_equal_algorithms(rope, expected):
    scores = np.repeat(X[:, None], 2, axis=1)
    found = bayesian_signed_rank(scores, np.arange(12) // 2, rope=rope, n_resamples=100)
    assert (found.better[0, 1], found.equivalent[0, 1], found.worse[0, 1]) == expected


def test_missing_tasks_and_pairs_without_common_tasks():
    scores = np.column_stack([Y, X, X, X])
    scores[[2, 5], 2] = np.nan
    scores[:6, 3], scores[6:, 2] = np.nan, np.nan
    found = bayesian_signed_rank(scores, np.arange(12), n_resamples=20_000, random_state=0)
    kept = [0, 1, 3, 4]
    part = bayesian_signed_rank(scores[kept], np.arange(4), n_resamples=20_000, random_state=1)
    assert found.better[0, 2] == pytest.approx(part.better[0, 2], abs=0.02)
    assert np.isnan(found.better[2, 3])


# baycomp 1.0.3: CorrelatedTTest.probs(np.zeros(10), row, 0.01, runs=runs) for row in FOLDS
CORRELATED = {
    1: [
        (0.08690607004649754, 0.8051191763231421, 0.10797475363036035),
        (0.003255698440161191, 0.2959682262363432, 0.7007760753234956),
        (0.01887472651786228, 0.5219300849996494, 0.4591951884824883),
    ],
    2: [
        (0.14047220789870032, 0.695388435218923, 0.16413935688237669),
        (0.011534782971456686, 0.3292544293183901, 0.6592107877101532),
        (0.045656603903683445, 0.4860599936553298, 0.46828340244098676),
    ],
}


@pytest.mark.parametrize("runs", CORRELATED)
def test_correlated_t_agrees_with_baycomp(runs):
    found = correlated_t(FOLDS, rope=0.01, test_share=runs / 10)
    ours = np.column_stack([found.worse, found.equivalent, found.better])
    assert ours == pytest.approx(np.array(CORRELATED[runs]), abs=1e-12)
    if runs == 1:
        assert correlated_t(FOLDS).better.tolist() == pytest.approx(found.better.tolist())


def test_correlated_t_without_spread_or_without_folds():
    found = correlated_t(
        [[0.02] * 3, [0.0] * 3, [-0.02] * 3, [0.5, np.nan, np.nan], [0.1, 0.2, np.nan]]
    )
    assert found.better[:3].tolist() == pytest.approx([1, 0, 0])
    assert found.equivalent[:3].tolist() == pytest.approx([0, 1, 0])
    assert np.isnan(found.better[3])
    assert found.degrees_of_freedom[4] == 1


def test_probability_best():
    rng = np.random.default_rng(0)
    values = rng.normal([0.0, 0.2, -0.5], 1.0, (30, 3))
    clusters = rng.integers(10, size=30)
    found = probability_best(values, clusters, n_resamples=4000, random_state=1)
    assert found.sum() == pytest.approx(1)
    assert found[1] > found[0] > found[2]
    columns = [2, 0, 1]
    again = probability_best(values[:, columns], clusters, n_resamples=4000, random_state=1)
    assert again == pytest.approx(found[columns])
    tied = probability_best(np.ones((6, 4)), np.arange(6), n_resamples=50)
    assert tied == pytest.approx(np.full(4, 0.25))
