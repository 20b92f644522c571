"""Corrections against statsmodels and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from occstats.stats import adjust, adjust_pairs

STATSMODELS = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini-hochberg": "fdr_bh",
    "benjamini-yekutieli": "fdr_by",
    "bonferroni": "bonferroni",
}
probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=20)


# Few examples: statsmodels calls the garbage collector in each Holm correction.
@pytest.mark.parametrize(("ours", "theirs"), STATSMODELS.items())
@settings(max_examples=6, deadline=None)
@given(p=probabilities)
def test_values_are_those_of_statsmodels(ours, theirs, p):
    expected = multipletests(p, method=theirs)[1]
    np.testing.assert_array_equal(adjust(p, ours), expected)


@settings(max_examples=50, deadline=None)
@given(p=probabilities, data=st.data())
def test_order_does_not_matter_and_no_correction_lowers_p(p, data):
    order = data.draw(st.permutations(range(len(p))))
    values = np.array(p)
    for method in (*STATSMODELS, "none"):
        adjusted = adjust(values, method)
        np.testing.assert_allclose(adjust(values[order], method), adjusted[order], rtol=1e-12)
        assert (adjusted >= values * (1 - 1e-12)).all()


def test_no_test_does_not_count():
    nan = float("nan")
    np.testing.assert_allclose(adjust([0.01, nan, 0.02]), [0.02, nan, 0.02])
    assert np.isnan(adjust([nan, nan])).all()
    assert len(adjust([])) == 0


@pytest.fixture
def p_matrix():
    p = np.random.default_rng(0).uniform(size=(4, 4))
    np.fill_diagonal(p, np.nan)
    return p


def test_one_family_of_all_pairs(p_matrix):
    off = ~np.eye(4, dtype=bool)
    adjusted = adjust_pairs(p_matrix, family="all", alternative="greater")
    np.testing.assert_array_equal(adjusted[off], adjust(p_matrix[off]))
    assert np.isnan(np.diagonal(adjusted)).all()
    p, upper = np.triu(p_matrix, 1) + np.triu(p_matrix, 1).T, np.triu_indices(4, 1)
    adjusted = adjust_pairs(p, family="all", alternative="two-sided")
    np.testing.assert_array_equal(adjusted[upper], adjust(p[upper]))
    np.testing.assert_array_equal(adjusted, adjusted.T)


@pytest.mark.parametrize("correction", ["holm", "benjamini-hochberg"])
def test_a_family_for_each_row(p_matrix, correction):
    p_matrix[0, 1] = np.nan
    adjusted = adjust_pairs(p_matrix, "row", correction, alternative="greater")
    for row, found in zip(p_matrix, adjusted, strict=True):
        np.testing.assert_array_equal(found, adjust(row, correction))


def test_family_of_the_control(p_matrix):
    adjusted = adjust_pairs(p_matrix, family="control", control=1, alternative="greater")
    others = [0, 2, 3]
    np.testing.assert_array_equal(adjusted[1, others], adjust(p_matrix[1, others]))
    np.testing.assert_array_equal(adjusted[others, 1], adjust(p_matrix[others, 1]))
    assert np.isnan(adjusted[np.ix_(others, others)]).all()
    both = adjust_pairs((p_matrix + p_matrix.T) / 2, family="control", control=1, correction="none")
    np.testing.assert_array_equal(both[1], both[:, 1])
