"""The bars of the critical-difference diagram: valid, complete, and honest about their limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import occstats
from occstats import figures
from occstats.figures.cliques import PairVerdicts, bars, maximal_cliques, pair_verdicts

from .conftest import results_frame


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 7))
    pairs = list(itertools.combinations(range(size), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    adjacent = np.zeros((size, size), dtype=bool)
    for i, j in chosen:
        adjacent[i, j] = adjacent[j, i] = True
    return adjacent


def is_clique(adjacent, members):
    return all(adjacent[i, j] for i, j in itertools.combinations(members, 2))


@given(graphs())
def test_maximal_cliques_equal_those_found_by_trying_all(adjacent):
    size = len(adjacent)
    cliques = [
        set(members)
        for count in range(1, size + 1)
        for members in itertools.combinations(range(size), count)
        if is_clique(adjacent, members)
    ]
    maximal = [clique for clique in cliques if not any(clique < other for other in cliques)]
    assert maximal_cliques(adjacent) == sorted(tuple(sorted(clique)) for clique in maximal)


@given(graphs())
def test_bars_join_exactly_the_pairs_that_do_not_differ(alike):
    tested = ~np.eye(len(alike), dtype=bool)
    verdicts = PairVerdicts(tuple(map(str, range(len(alike)))), tested, tested & ~alike)
    groups = bars(verdicts)
    joined = {pair for group in groups for pair in itertools.combinations(group, 2)}
    assert joined == {(i, j) for i, j in np.argwhere(np.triu(alike, 1)).tolist()}


def test_lenz2021_by_the_corrected_clustered_tests(lenz2021):
    names = list(lenz2021.summary["algorithm"])
    verdicts = pair_verdicts(lenz2021, names)
    groups = [[names[i] for i in group] for group in bars(verdicts)]
    # Only SVM is not told apart from ALP (p = 0.17): the paper's main result.
    assert [group for group in groups if "ALP" in group] == [["ALP", "SVM"]]
    assert verdicts.differ[names.index("LOF"), names.index("EIF")]


def test_a_bar_that_would_contradict_a_test_is_starred(lenz2021):
    figure = lenz2021.plot.critical_difference()
    stars = [text for text in figure.axes[0].texts if text.get_text() == "*"]
    assert len(stars) == 1
    note = figure._supxlabel.get_text().replace("\n", " ")
    assert "would contradict the test of LOF–EIF" in note
    assert "LOF and EIF" in figures.alt_text(figure)


def test_a_control_leaves_the_other_pairs_untested():
    frame = results_frame(["a", "b", "c", "d"], list("uvwxyz"), 2)
    comparison = occstats.compare(frame, control="b", family="control", n_resamples=100)
    names = list(comparison.summary["algorithm"])
    verdicts = pair_verdicts(comparison, names)
    assert np.triu(verdicts.tested, 1).sum() == 3
    assert all(names.index("b") in group for group in bars(verdicts))
    note = comparison.plot.critical_difference()._supxlabel.get_text().replace("\n", " ")
    assert "3 pairs without a test" in note


@pytest.mark.parametrize("alpha", [0.001, 0.5])
def test_the_level_is_that_of_the_comparison(alpha):
    comparison = occstats.compare("lenz2021", alpha=alpha, n_resamples=100)
    names = list(comparison.summary["algorithm"])
    p = comparison.matrix("p_adjusted").to_numpy()
    expected = np.nan_to_num(np.fmin(p, p.T), nan=1) < alpha
    assert (pair_verdicts(comparison, names).differ == expected).all()
