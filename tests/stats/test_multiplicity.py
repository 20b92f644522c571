"""Corrections against statsmodels, by hand, and on the paper's table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from occstats.errors import ArgumentError
from occstats.stats import (
    adjust,
    adjust_pairs,
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    hochberg,
    holm,
    pairwise_tests,
)

REFERENCE = Path(__file__).parents[1] / "reference"
ALGORITHMS = ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]
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
@settings(max_examples=15, deadline=None)
@given(p=probabilities)
def test_clipped_values_are_those_of_statsmodels(ours, theirs, p):
    expected = multipletests(p, method=theirs)[1]
    np.testing.assert_allclose(np.minimum(adjust(p, ours), 1), expected, rtol=1e-12, atol=1e-300)


@settings(max_examples=50, deadline=None)
@given(p=probabilities, data=st.data())
def test_order_does_not_matter_and_no_correction_lowers_p(p, data):
    order = data.draw(st.permutations(range(len(p))))
    values = np.array(p)
    for method in (*STATSMODELS, "none"):
        adjusted = adjust(values, method)
        np.testing.assert_allclose(adjust(values[order], method), adjusted[order], rtol=1e-12)
        assert (adjusted >= values * (1 - 1e-12)).all()


def test_functions_are_the_named_methods():
    p = [0.01, 0.02, 0.5, 0.9]
    for function, method in (
        (holm, "holm"),
        (hochberg, "hochberg"),
        (benjamini_hochberg, "benjamini-hochberg"),
        (benjamini_yekutieli, "benjamini-yekutieli"),
        (bonferroni, "bonferroni"),
    ):
        np.testing.assert_array_equal(function(p), adjust(p, method))
    np.testing.assert_array_equal(adjust(p, "none"), p)


def test_holm_by_hand_is_not_clipped():
    # ascending 0.3, 0.4, 0.9 with factors 3, 2, 1: 0.9, 0.8 → 0.9, 0.9; and 0.5, 0.6: 1.0, 1.0
    np.testing.assert_allclose(holm([0.4, 0.9, 0.3]), [0.9, 0.9, 0.9])
    np.testing.assert_allclose(holm([0.8, 0.6]), [1.2, 1.2])


def test_no_test_does_not_count():
    nan = float("nan")
    np.testing.assert_allclose(holm([0.01, nan, 0.02]), [0.02, nan, 0.02])
    assert np.isnan(holm([nan, nan])).all()
    assert len(holm([])) == 0


def test_corrected_row_of_alp():
    # Lenz et al. (2021), from unrounded scores: 0.14, 0.018, <0.0001, 0.035, 0.035, 0.00076,
    # <0.0001, <0.0001; these from the published scores.
    table = pd.read_csv(REFERENCE / "auroc.csv", keep_default_na=False)
    tests = pairwise_tests(
        table[ALGORITHMS].to_numpy(),
        table["dataset"].to_numpy(),
        alternative="greater",
        tie_tolerance=1e-9,
    )
    adjusted = adjust_pairs(tests.p, family="row", correction="holm", alternative="greater")
    row = dict(zip(ALGORITHMS, adjusted.unclipped[ALGORITHMS.index("ALP")], strict=True))
    expected = {
        "SVM": 0.16713,
        "NND": 0.01967,
        "LOF": 0.00001,
        "MD": 0.03472,
        "IF": 0.04342,
        "EIF": 0.00071,
        "SAE": 0.00001,
    }
    for name, value in expected.items():
        assert row[name] == pytest.approx(value, abs=0.5e-5), name
    assert row["LNND"] < 1e-5
    assert adjusted.family_sizes == (8,) * 9
    assert "not controlled" in adjusted.notes[0]

    raw = pairwise_tests(
        table[ALGORITHMS].to_numpy(), table["dataset"].to_numpy(), alternative="greater"
    )
    unrounded = adjust_pairs(raw.p).unclipped
    alp, svm = ALGORITHMS.index("ALP"), ALGORITHMS.index("SVM")
    assert unrounded[alp, svm] == pytest.approx(0.16814, abs=0.5e-5)


@pytest.fixture
def p_matrix():
    p = np.random.default_rng(0).uniform(size=(4, 4))
    np.fill_diagonal(p, np.nan)
    return p


def test_one_family_of_all_ordered_pairs(p_matrix):
    off = ~np.eye(4, dtype=bool)
    adjusted = adjust_pairs(p_matrix, family="all", alternative="greater")
    np.testing.assert_allclose(adjusted.unclipped[off], holm(p_matrix[off]))
    np.testing.assert_array_equal(adjusted.clipped[off], np.minimum(adjusted.unclipped[off], 1))
    assert adjusted.family_sizes == (12,)
    assert adjusted.notes == ()


def test_one_family_of_all_unordered_pairs(p_matrix):
    p = np.triu(p_matrix, 1) + np.triu(p_matrix, 1).T
    adjusted = adjust_pairs(p, family="all", alternative="two-sided")
    upper = np.triu_indices(4, 1)
    np.testing.assert_allclose(adjusted.unclipped[upper], holm(p[upper]))
    np.testing.assert_array_equal(adjusted.unclipped, adjusted.unclipped.T)
    assert adjusted.family_sizes == (6,)


def test_family_of_the_control(p_matrix):
    adjusted = adjust_pairs(p_matrix, family="control", control=1)
    others = [0, 2, 3]
    np.testing.assert_allclose(adjusted.unclipped[1, others], holm(p_matrix[1, others]))
    np.testing.assert_allclose(adjusted.unclipped[others, 1], holm(p_matrix[others, 1]))
    assert np.isnan(adjusted.unclipped[0, 2])
    assert adjusted.family_sizes == (3, 3)


def test_pairs_without_a_test_are_counted(p_matrix):
    p_matrix[0, 1] = p_matrix[1, 0] = np.nan
    adjusted = adjust_pairs(p_matrix)
    assert adjusted.family_sizes == (2, 2, 3, 3)
    assert np.isnan(adjusted.unclipped[0, 1])
    assert "2 ordered pairs have no test" in adjusted.notes[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "column"}, "family must be one of"),
        ({"correction": "sidak"}, "correction must be one of"),
        ({"alternative": "both"}, "alternative must be one of"),
        ({"family": "control"}, "control must be the column of an algorithm \\(0 to 3\\)"),
        ({"family": "control", "control": 4}, "got 4"),
        ({"p_matrix": np.zeros((2, 3))}, "p_matrix must be square"),
    ],
)
def test_refusals_of_pairs(p_matrix, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        adjust_pairs(**{"p_matrix": p_matrix, **arguments})


def test_refusals():
    with pytest.raises(ArgumentError, match="values from 0 to 1"):
        holm([0.5, 1.5])
    with pytest.raises(ArgumentError, match="one dimension"):
        holm([[0.5]])
