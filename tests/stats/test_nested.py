"""Datasets that come in suites: each keeps its weight, and suites are independent."""

from functools import partial

import numpy as np
import pytest

from occstats.stats import (
    bayesian_signed_rank,
    cluster_diagnostics,
    clustered_mcnemar,
    clustered_wilcoxon,
    difference_posterior,
    kendall_jackknife,
    mean_tests,
    pair_effects,
    pairwise_tests,
    typical_tests,
)
from occstats.stats._arrays import mirror
from occstats.stats.bootstrap import Counts, bootstrap_means
from occstats.stats.clusters import Clusters
from occstats.stats.ranks import strata_intervals
from occstats.stats.sample import Sample
from occstats.stats.signed_rank import TESTS
from tests.stats.rank_reference import typical_reference


def benchmark(seed=0, n_suites=6, k=3, effect=0.5):
    """Scores, suites and datasets; names sort otherwise than their suites do."""
    rng = np.random.default_rng(seed)
    suites, datasets, scores = [], [], []
    for suite in range(n_suites):
        common = rng.normal(size=k)
        for dataset in range(1 + suite % 3):
            own = common + rng.normal(size=k)
            for _ in range(rng.integers(1, 4)):
                suites.append(f"s{suite}")
                datasets.append(f"d{9 - dataset}{suite}")
                scores.append(own + rng.normal(size=k) + effect * np.arange(k))
    return np.round(scores, 1), np.array(suites), np.array(datasets)


def squares(found):
    """Yield the names and arrays of a result."""
    if isinstance(found, dict):
        parts = found.items()
    elif isinstance(found, tuple):
        parts = enumerate(found)
    else:
        parts = vars(found).items()
    for name, value in parts:
        if isinstance(value, np.ndarray) and value.dtype.kind in "fib":
            yield name, value.astype(float)
        elif hasattr(value, "__dataclass_fields__") or isinstance(value, dict):
            for inner, array in squares(value):
                yield f"{name} {inner}", array


SEEDED = {"n_resamples": 300, "random_state": 1}


STATISTICS = {
    "typical differences": lambda sample: typical_tests(sample, alpha=0.1, **SEEDED),
    "typical differences, ds": lambda sample: typical_tests(sample, test="ds", **SEEDED),
    "mean differences": lambda sample: mean_tests(sample, **SEEDED),
    **{f"{name}, asymptotic": partial(pairwise_tests, test=name) for name in TESTS},
    "effect sizes": pair_effects,
    "posterior": lambda sample: difference_posterior(sample, rope=0.1, **SEEDED),
    "signed ranks": lambda sample: bayesian_signed_rank(sample, rope=0.1, **SEEDED),
    "Kendall": kendall_jackknife,
    "diagnostics": lambda sample: {
        name: mirror(*((x, -x) if name == "size_correlation" else (x, x)), sample.n_algorithms, 0.0)
        for name, x in cluster_diagnostics(sample).items()
    },
    "strata": lambda sample: strata_intervals(
        sample.ranks, sample.scores[:, 0], sample.clusters, [-9, 0, 9], **SEEDED
    ),
    "means": lambda sample: bootstrap_means(sample.ranks, sample.clusters, **SEEDED),
    "right and wrong": lambda sample: tuple(
        clustered_mcnemar(
            Sample(np.where(np.isnan(sample.scores), np.nan, sample.scores > 0), sample.clusters)
        )
        .to_numpy(dtype=float)
        .T
    ),
}


# Those of a pair that depend on no other pair and no random number.
PAIRED = ("effect sizes", "Kendall", "diagnostics", "rgl, asymptotic", "ds, asymptotic")


@pytest.mark.parametrize("name", STATISTICS)
def test_suites_of_one_dataset_change_nothing(name):
    scores, _, datasets = benchmark(seed=3)
    # Suites in the order of their datasets, so that the same random signs and counts meet them.
    nested = Clusters.nested([f"suite of {dataset}" for dataset in datasets], datasets)
    plain = Sample.of(scores, datasets, tie_tolerance=1e-9)
    known = dict(squares(STATISTICS[name](plain)))
    found = dict(squares(STATISTICS[name](Sample.of(scores, nested, tie_tolerance=1e-9))))
    assert known
    assert known.keys() == found.keys()
    for part, value in known.items():
        # Sums are taken in another order: their last digits.
        np.testing.assert_allclose(found[part], value, rtol=1e-11, atol=1e-13, err_msg=part)


@pytest.mark.parametrize("name", STATISTICS)
def test_order_of_rows_and_algorithms_does_not_matter(name):
    scores, suites, datasets = benchmark(seed=5, n_suites=7, k=4)
    rows, columns = np.random.default_rng(0).permutation(len(scores)), [2, 0, 3, 1]

    def found(rows, columns):
        nested = Clusters.nested(suites[rows], datasets[rows])
        sample = Sample.of(scores[rows][:, columns], nested, tie_tolerance=1e-9)
        return dict(squares(STATISTICS[name](sample)))

    known = found(np.arange(len(scores)), np.arange(4))
    for part, value in found(rows, np.arange(4)).items():
        np.testing.assert_allclose(value, known[part], rtol=1e-9, atol=1e-11, err_msg=part)
    for part, value in found(rows, columns).items():
        if value.shape[-2:] == (4, 4):
            expected = known[part][..., columns, :][..., columns]
            np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-11, err_msg=part)


@pytest.mark.parametrize("name", [*PAIRED, "right and wrong"])
def test_pairs_use_the_tasks_that_both_have(name):
    scores, _, datasets = benchmark(seed=7, n_suites=8)
    holes = scores.copy()
    holes[::5, 2] = np.nan
    holes[np.isin(datasets, datasets[:3]), 2] = np.nan  # whole datasets
    kept = ~np.isnan(holes[:, 2])
    part = Sample.of(scores[kept][:, [0, 2]], datasets[kept], tie_tolerance=1e-9)
    found = dict(squares(STATISTICS[name](Sample.of(holes, datasets, tie_tolerance=1e-9))))
    for label, value in squares(STATISTICS[name](part)):
        pair = ((0, 2), (0, 1)) if value.ndim > 1 else (1, 0)
        one, other = found[label][pair[0]], value[pair[1]]
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=label)


def test_signed_ranks_are_summed_by_suite():
    # |x| are their ranks. Suite a: 1 − 2 + 3 = 2, suite b: 4 + 5 − 6 = 3, three tasks each:
    # T = 2 + 3, variance = 2² + 3².
    x = np.array([1.0, -2, 3, 4, 5, -6])
    nested = Clusters.nested(list("aaabbb"), ["d1", "d1", "d2", "d3", "d4", "d4"])
    found = clustered_wilcoxon(x, nested)
    assert (found.statistic, found.variance) == (5, 13)
    assert found.n_clusters == 2
    # By dataset: −1, 3, 4, −1 from sizes 2, 1, 1, 2: another test.
    assert clustered_wilcoxon(x, nested.labels[nested.codes]).statistic != 5
    # Exactly: the sums ±2 ± 3 reach 5 in one of four ways.
    exact = clustered_wilcoxon(x, nested, null="exact", alternative="greater")
    assert exact.pvalue == 0.25


@pytest.mark.parametrize("method", ["rgl", "ds"])
def test_flips_of_suites_are_brute_force(method):
    scores, suites, datasets = benchmark()
    scores = np.round(10 * scores)
    expected, _ = typical_reference(scores, suites, method, alpha=0.1)
    found = typical_tests(
        Sample.of(scores, Clusters.nested(suites, datasets)), test=method, alpha=0.1
    )
    assert found.exact
    assert found.n_resamples == 2**5
    assert len(expected) == 3
    for pair, one in expected.items():
        assert found.p[pair] == pytest.approx(one["p"], rel=1e-12)
        assert found.difference[pair] == one["shift"]
        if one["once"]:
            assert (found.low[pair], found.high[pair]) == (one["low"], one["high"])


def test_resamples_draw_whole_suites():
    rng = np.random.default_rng(4)
    suites = np.repeat(["a", "b", "c", "d"], [1, 2, 3, 1])
    datasets = np.array([f"d{i}" for i in range(7)])
    x = rng.normal(size=7)
    nested = Clusters.nested(suites, datasets)
    found = bootstrap_means(x, nested, n_resamples=50, random_state=2)
    drawn = Counts.of(4, 50, 2).array()
    for replicate, counts in zip(found.replicates[:, 0], drawn, strict=True):
        own = np.concatenate(
            [np.tile(x[suites == s], int(c)) for s, c in zip("abcd", counts, strict=True)]
        )
        assert replicate == pytest.approx(own.mean(), rel=1e-12)
    assert Counts.of(nested, 50, 2).array().shape == (50, 7)


def test_only_some_tasks_leave_their_datasets_and_suites():
    nested = Clusters.nested(list("ccabb"), ["w", "x", "v", "y", "z"])
    kept = nested.keep(np.array([True, False, False, True, True]))
    assert kept.labels.tolist() == ["w", "y", "z"]
    assert kept.suites.labels.tolist() == ["b", "c"]
    assert kept.independent.codes.tolist() == [1, 0, 0]
    np.testing.assert_allclose(kept.weights, [1 / 3] * 3)
