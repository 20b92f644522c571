"""The bars of the critical-difference diagram: valid, complete, and honest about their limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import occstats
from occstats import figures
from occstats.figures.cliques import (
    PairVerdicts,
    bars,
    contiguous,
    maximal_cliques,
    packed,
    pair_verdicts,
)

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


@given(graphs())
def test_bars_of_one_row_never_touch(alike):
    tested = ~np.eye(len(alike), dtype=bool)
    groups = bars(PairVerdicts(tuple(map(str, range(len(alike)))), tested, tested & ~alike))
    rows = packed(groups)
    for (one, row), (other, level) in itertools.combinations(zip(groups, rows, strict=True), 2):
        assert row != level or one[-1] < other[0] or other[-1] < one[0]


def test_lenz2021_by_the_corrected_clustered_tests(lenz2021):
    names = list(lenz2021.summary["algorithm"])
    verdicts = pair_verdicts(lenz2021, names)
    groups = [[names[i] for i in group] for group in bars(verdicts)]
    # Only SVM is not told apart from ALP (p = 0.17): the paper's main result.
    assert [group for group in groups if "ALP" in group] == [["ALP", "SVM"]]
    assert verdicts.differ[names.index("LOF"), names.index("EIF")]


def bars_of(axes):
    """The bars and the stems of a diagram, as they are drawn."""
    drawn = [line for line in axes.lines if line.get_linewidth() == 2.4]
    stems = [line for line in axes.lines if line.get_linewidth() == 0.7]
    return drawn, stems


def test_a_bar_covers_the_stems_of_its_members_and_of_no_one_else(lenz2021):
    names = list(lenz2021.summary["algorithm"])
    groups = {group for group in bars(pair_verdicts(lenz2021, names)) if contiguous(group)}
    drawn, stems = bars_of(lenz2021.plot.critical_difference().axes[0])
    feet = [stem.get_xdata()[1] for stem in stems]
    covered = set()
    for bar in drawn:
        low, high = bar.get_xdata()
        covered.add(tuple(i for i, foot in enumerate(feet) if low <= foot <= high))
    # MD (4.685) and LOF (4.686) nearly coincide; the bar SVM-NND-MD must end before LOF.
    assert covered == groups
    assert tuple(map(names.index, ["SVM", "NND", "MD"])) in covered


def test_stems_start_at_their_rank_and_stand_apart(lenz2021):
    axes = lenz2021.plot.critical_difference().axes[0]
    _, stems = bars_of(axes)
    starts = [stem.get_xdata()[0] for stem in stems]
    assert starts == pytest.approx(lenz2021.summary["mean_rank"].tolist())
    left, right = axes.get_xlim()
    apart = np.diff([stem.get_xdata()[1] for stem in stems]) / (right - left) * 3.5
    assert apart.min() == pytest.approx(0.07)


def test_a_group_that_is_no_stretch_of_the_line_has_a_letter(lenz2021):
    names = list(lenz2021.summary["algorithm"])
    apart = [group for group in bars(pair_verdicts(lenz2021, names)) if not contiguous(group)]
    assert [[names[i] for i in group] for group in apart] == [["MD", "IF", "EIF"]]
    figure = lenz2021.plot.critical_difference()
    letters = [text for text in figure.axes[0].texts if text.get_text() == "a"]
    assert len(letters) == 3
    assert "share a letter" in figure._supxlabel.get_text().replace("\n", " ")
    assert "MD, IF and EIF" in figures.alt_text(figure)


def test_the_diagram_names_its_axis_and_its_direction(lenz2021):
    label = lenz2021.plot.critical_difference().axes[0].get_xlabel()
    assert label.startswith("← better")
    assert "mean rank" in label


def test_many_algorithms_become_a_letter_display(many):
    figure = many.plot.critical_difference()
    assert figures.alt_text(figure).startswith("Letter display")


def test_a_letter_display_shows_exactly_the_pairs_that_do_not_differ(many):
    names = list(many.summary["algorithm"])
    axes = many.plot.letters(width=12).axes[0]
    shared = {}
    for text in axes.texts:
        column, row = text.get_position()
        if column >= 0:
            shared.setdefault(row, set()).add(text.get_text())
    alike = pair_verdicts(many, names)
    for i, j in itertools.combinations(range(len(names)), 2):
        common = shared.get(i, set()) & shared.get(j, set())
        assert bool(common) == bool(alike.tested[i, j] and not alike.differ[i, j])


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
    comparison = occstats.compare("lenz2021", preset="paper", alpha=alpha, n_resamples=100)
    names = list(comparison.summary["algorithm"])
    p = comparison.matrix("p_adjusted").to_numpy()
    expected = np.nan_to_num(np.fmin(p, p.T), nan=1) < alpha
    assert (pair_verdicts(comparison, names).differ == expected).all()
