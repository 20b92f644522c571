"""A comparison in a notebook: its verdict and its sections."""

import copy

import pytest

import occstats
from occstats.comparison.text.verdict import tally_sentence
from occstats.report.tables import comparison_table
from tests.report.making import compared, scores

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM", "NND"], n_resamples=100)


def test_a_notebook_shows_the_verdict_and_its_table(comparison):
    html = comparison._repr_html_()
    first = html.partition("<details>")[0]
    table = comparison_table(comparison)
    assert first.startswith('<div class="occstats"><p><strong>ALP has the best mean rank')
    assert first.count("<table") == 1
    for row in table.cells():
        for cell in row:
            assert cell.replace("-", "−") in first
    assert '<th scope="colgroup" colspan="2">typical difference</th>' in first
    assert "<li>not distinguishable from SVM" in first
    assert tally_sentence(comparison) in first
    assert "\x1b" not in html
    assert "\x1b" not in str(comparison)
    headline = "lenz2021: 3 algorithms, 246 tasks in 50 datasets, AUROC"
    assert str(comparison).startswith(headline)
    assert repr(comparison).startswith(f"<Comparison of {headline}")
    for shown in (comparison, comparison.plot, comparison.plot.ranks):
        assert "\n" not in repr(shown)


def test_attributes_that_are_near_are_proposed(comparison):
    with pytest.raises(AttributeError, match=r"no attribute 'pvalues' \(did you mean 'p_values'"):
        comparison.pvalues  # noqa: B018
    with pytest.raises(AttributeError, match=r"\(see \.results\.scores\)"):
        comparison.scores  # noqa: B018
    assert copy.copy(comparison).algorithms == comparison.algorithms


def test_a_notebook_shows_two_algorithms_in_sentences():
    two = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
    first = two._repr_html_().partition("<details>")[0]
    assert "<table" not in first
    assert "The typical difference ALP − SVM is" in first


def test_sections_show_as_html(comparison):
    assert "Leave one dataset out" in comparison.stability._repr_html_()
    assert "Smallest p" in comparison.design._repr_html_()
    assert "Friedman" in comparison.classical._repr_html_()
    found = compared(scores("abcd", [HOSTILE, "ok"]))
    for section in (found.stability, found.design, found.classical):
        assert "<img" not in section._repr_html_()
    assert "&lt;img" in found.stability._repr_html_()
