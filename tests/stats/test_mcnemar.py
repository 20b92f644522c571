"""Clustered McNemar tests against R's clust.bin.pair, statsmodels and hand-worked cases.

The reference values are those of clust.bin.pair 0.1.2 on R 4.2.2, with its own data::

    library(clust.bin.pair)
    for (m in c("obuchowski", "durkalski", "eliasziw", "mcnemar"))
      print(with(psychiatry, clust.bin.pair(ah, bh, ch, dh, method = m)), digits = 12)
    tc <- nested.to.contingency(thyroids$x.pet, thyroids$x.spect)
    # ... clust.bin.pair(tc$ak, tc$bk, tc$ck, tc$dk, method = m)
    oc <- with(obfuscation, paired.to.contingency(list(subject), control, treatment))
    # ... clust.bin.pair(oc$ak, oc$bk, oc$ck, oc$dk, method = m)
"""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats import clustered_mcnemar
from occstats.stats.mcnemar import is_binary

# Both, only the first, only the second, neither: one row per cluster.
# Donner and Petryshen (1989), Obuchowski (1998), Gopstein et al. (2017).
PSYCHIATRY = """1042 1122 3130 2121 2011 0330 0302 0323 0121 0043 1020 1140 1033 2022 2012 1030
    2013 1022 0301 2100 1103 0220 1012 0020 0021 0002 0002 1011 0010"""
THYROIDS = """0021 2010 3000 1000 2010 4000 3000 2000 1100 1000 2001 2000 3000 2000 0020 2001 2001
    2010 2000 1000 2000"""
OBFUSCATION = """1222 4021 0024 1114 0024 7000 5020 7000 7000 5001 7000 7000 5010 6010 6000 4030
    2131"""
REFERENCES = {
    PSYCHIATRY: (7.18584070796, 7.54226687048, 10.225896207, 11.8450704225),
    THYROIDS: (2.85714285714, 2.31506849315, 3.66158604802, 4.5),
    OBFUSCATION: (6.83111954459, 7.3195458232, 4.42271497633, 9.78260869565),
}
P_VALUES = {PSYCHIATRY: (0.00734811146828, 0.00602681705857, 0.00138482436494, 0.000578141889603)}
NAMES = ("obuchowski", "durkalski", "eliasziw_donner", "mcnemar")


def tasks(table):
    counts = np.array([[int(digit) for digit in row] for row in table.split()])
    cells = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    scores = np.concatenate([np.repeat(cells, row, axis=0) for row in counts])
    return scores, np.repeat(np.arange(len(counts)), counts.sum(axis=1))


@pytest.mark.parametrize("table", REFERENCES)
def test_statistics_are_those_of_r(table):
    found = clustered_mcnemar(*tasks(table))
    for name, expected in zip(NAMES, REFERENCES[table], strict=True):
        assert found[f"chi_squared_{name}"][0] == pytest.approx(expected, rel=1e-11)
    for name, expected in zip(NAMES, P_VALUES.get(table, ()), strict=False):
        assert found[f"p_{name}"][0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("table", REFERENCES)
def test_the_standard_error_is_that_of_least_squares_with_clusters(table):
    scores, clusters = tasks(table)
    difference = scores[:, 0] - scores[:, 1]
    fit = sm.OLS(difference, np.ones(len(difference)))
    clustered = fit.fit(cov_type="cluster", cov_kwds={"groups": clusters})
    found = clustered_mcnemar(scores, clusters)
    row = found.iloc[0]
    assert row["share_difference"] == pytest.approx(clustered.params[0])
    assert row["standard_error"] == pytest.approx(clustered.bse[0])
    effect = clustered.bse[0] ** 2 / fit.fit().bse[0] ** 2
    assert row["design_effect"] == pytest.approx(effect)
    limits = row["share_difference_ci_low"], row["share_difference_ci_high"]
    assert limits[0] < row["share_difference"] < limits[1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_errors_count_as_scores_turned_round_and_pairs_as_columns_turned_round(seed):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(8, size=60)
    scores = (rng.uniform(size=(60, 3)) < rng.uniform(size=(8, 1))[clusters]).astype(float)
    scores[rng.uniform(size=scores.shape) < 0.05] = np.nan
    if not is_binary(scores):
        return
    found, loss = clustered_mcnemar(scores, clusters), clustered_mcnemar(-(1 - scores), clusters)
    turned = clustered_mcnemar(scores[:, ::-1], clusters)
    statistics = [f"chi_squared_{name}" for name in NAMES]
    np.testing.assert_allclose(found[statistics], loss[statistics])
    np.testing.assert_allclose(found[statistics], turned[statistics][::-1])
    np.testing.assert_allclose(found["share_difference"], -turned["share_difference"][::-1])
    low, high = found["share_difference_ci_low"], turned["share_difference_ci_high"]
    np.testing.assert_allclose(low, -high[::-1])


def test_single_tasks_are_mcnemars_and_equal_columns_do_not_differ():
    rng = np.random.default_rng(0)
    scores = rng.integers(2, size=(50, 2))
    found = clustered_mcnemar(scores, np.arange(50))
    mcnemar = found["chi_squared_mcnemar"][0]
    assert found["chi_squared_durkalski"][0] == pytest.approx(mcnemar)
    assert found["chi_squared_obuchowski"][0] == pytest.approx(49 / 50 * mcnemar)
    assert found["chi_squared_eliasziw_donner"][0] == pytest.approx(mcnemar)
    assert found["design_effect"][0] == pytest.approx(1)
    same = clustered_mcnemar(scores[:, [0, 0]], np.arange(50) // 5)
    assert [same[f"p_{name}"][0] for name in NAMES] == [1, 1, 1, 1]


def test_scores_are_binary_if_both_values_occur():
    assert is_binary([[0.0, 1.0]])
    assert not is_binary([[0.0, 0.5]])
    assert not is_binary([[1.0, 1.0]])
