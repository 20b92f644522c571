"""Friedman, Iman-Davenport and Nemenyi against SciPy and scikit-posthocs."""

import numpy as np
import pytest
from scipy import stats

from occstats.errors import ArgumentError
from occstats.stats.friedman import critical_difference, friedman, nemenyi

SCORES = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_friedman_agrees_with_scipy():
    found = friedman(SCORES)
    theirs = stats.friedmanchisquare(*SCORES.T)
    assert found.chi_squared == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue)
    assert (found.n, found.df) == (14, 3)
    # Iman and Davenport, as in Demšar (2006), section 3.2.2.
    chi_squared = found.chi_squared
    assert found.iman_davenport == pytest.approx(13 * chi_squared / (14 * 3 - chi_squared))
    assert found.p_iman_davenport == pytest.approx(stats.f.sf(found.iman_davenport, 3, 39))


@pytest.mark.parametrize(("k", "n", "alpha"), [(2, 10, 0.05), (9, 50, 0.01), (40, 246, 0.1)])
def test_critical_differences_agree_with_scipy(k, n, alpha):
    q = stats.studentized_range.ppf(1 - alpha, k, np.inf)
    expected = q * np.sqrt(k * (k + 1) / (12 * n))
    assert critical_difference(k, n, alpha) == pytest.approx(expected, rel=1e-8)


def test_a_critical_difference_needs_a_level_between_0_and_1():
    with pytest.raises(ArgumentError, match="alpha must be strictly between 0 and 1; got 5"):
        critical_difference(4, 14, 5)


def test_nemenyi_agrees_with_scikit_posthocs():
    # scikit-posthocs 0.17.1: posthoc_nemenyi_friedman(SCORES)
    assert nemenyi(SCORES)[0] == pytest.approx(
        [1.0, 0.08867270928888271, 0.9716864713022134, 0.06168325891240056]
    )


def test_symmetric_and_indifferent_to_order():
    found = nemenyi(SCORES)
    assert found == pytest.approx(found.T)
    rows, columns = np.random.default_rng(0).permutation(14), [2, 0, 3, 1]
    again = nemenyi(SCORES[rows][:, columns])
    assert again == pytest.approx(found[np.ix_(columns, columns)])
    assert nemenyi(np.exp(SCORES)) == pytest.approx(found)


def test_all_equal_and_all_agreeing():
    equal = np.ones((5, 3))
    assert (friedman(equal).chi_squared, friedman(equal).p) == (0, 1)
    agreeing = np.tile([0.9, 0.5, 0.1], (6, 1))
    found = friedman(agreeing)
    assert found.iman_davenport == np.inf
    assert found.p_iman_davenport == 0


def test_rows_with_missing_scores_are_left_out():
    holes = np.vstack([SCORES, [[np.nan, 0.1, 0.2, 0.3]]])
    assert friedman(holes).chi_squared == pytest.approx(friedman(SCORES).chi_squared)
