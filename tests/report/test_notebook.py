"""A comparison in a notebook: its verdict and its sections."""

import copy
import re

import pytest

import occstats
from tests.report.making import compared, scores

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM", "NND"], n_resamples=100)


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
    shown = comparison.classical._repr_html_()
    assert "Friedman" in shown
    # 0.065, 1.104 …: one number of decimals for each column.
    (differences,) = {column for column in comparison.classical.pairs if "difference" in column}
    place = list(comparison.classical.pairs).index(differences)
    rows = re.findall(r"<tr>(.*?)</tr>", shown.partition("<summary>Pairs")[2], re.DOTALL)
    cells = [re.findall(r"<td>(.*?)</td>", row)[place] for row in rows]
    assert len({len(cell.rpartition(".")[2]) for cell in cells}) == 1
    found = compared(scores("abcd", [HOSTILE, "ok"]))
    for section in (found.stability, found.design, found.classical):
        assert "<img" not in section._repr_html_()
    assert "&lt;img" in found.stability._repr_html_()
