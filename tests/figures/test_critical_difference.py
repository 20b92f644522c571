"""Groups with no significant difference: the bars of the diagram and its rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from occstats import figures
from occstats.figures._base import PairDecisions, pair_decisions
from occstats.figures._critical_difference import (
    BAR_WIDTH,
    BRIDGE_WIDTH,
    MOST_BARS,
    covering_groups,
    groups,
    maximal_cliques,
)
from occstats.figures._style import recall

from .conftest import boxes, conclusions, decided, note_of


def graph(size, pairs):
    adjacent = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        adjacent[i, j] = adjacent[j, i] = True
    return adjacent


@st.composite
def graphs(draw, least=1, most=7):
    size = draw(st.integers(least, most))
    pairs = list(itertools.combinations(range(size), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return graph(size, chosen)


def decisions_of(alike):
    numbers = np.full(alike.shape, np.nan)
    names = tuple(map(str, range(len(alike))))
    return PairDecisions(names, conclusions(alike), numbers, numbers, "")


def cliques_by_trying_all(adjacent):
    cliques = [
        set(members)
        for count in range(1, len(adjacent) + 1)
        for members in itertools.combinations(range(len(adjacent)), count)
        if all(adjacent[i, j] for i, j in itertools.combinations(members, 2))
    ]
    maximal = [clique for clique in cliques if not any(clique < other for other in cliques)]
    return sorted(tuple(sorted(clique)) for clique in maximal)


def pairs_in(everyone):
    return {pair for group in everyone for pair in itertools.combinations(group, 2)}


# -- groups ----------------------------------------------------------------------------------------


@given(graphs())
def test_groups_are_all_maximal_cliques_of_two_or_more(alike):
    expected = [clique for clique in cliques_by_trying_all(alike) if len(clique) > 1]
    assert groups(decisions_of(alike)) == expected


@given(graphs())
def test_a_covering_selection_keeps_every_pair(alike):
    everyone = groups(decisions_of(alike))
    chosen = covering_groups(everyone)
    assert set(chosen) <= set(everyone)
    assert pairs_in(chosen) == pairs_in(everyone)
    assert pairs_in(everyone) == {(i, j) for i, j in np.argwhere(np.triu(alike, 1)).tolist()}


# -- the diagram -----------------------------------------------------------------------------------


def stems_of(axes):
    return [line for line in axes.lines if line.get_linewidth() in (0.7, 1.1)]


def bars_of(axes):
    """The members of each bar, and the stretches of its line, by what is drawn."""
    feet = np.array([stem.get_xdata()[1] for stem in stems_of(axes)])
    lines = [line for line in axes.lines if line.get_linewidth() == BAR_WIDTH]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    found = []
    for line, marks in zip(lines, dots, strict=True):
        assert set(line.get_ydata()) == set(marks.get_ydata())
        assert len(set(line.get_ydata())) == 1
        members = tuple(int(np.flatnonzero(feet == x)[0]) for x in marks.get_xdata())
        x = line.get_xdata()
        parts = np.split(x, np.flatnonzero(np.isnan(x)))
        stretches = [tuple(part[~np.isnan(part)]) for part in parts]
        found.append((members, stretches))
    return feet, found


def check_bars(axes, expected):
    """Dots are exactly the members; the line covers what is between them and has gaps elsewhere."""
    feet, drawn = bars_of(axes)
    assert (np.diff(feet) > 0).all()
    assert sorted(members for members, _ in drawn) == expected
    # Each group has a level of its own.
    levels = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert len(set(levels)) == len(levels)
    for members, stretches in drawn:
        covered = {
            place
            for place, foot in enumerate(feet)
            if any(low <= foot <= high for low, high in stretches)
        }
        assert covered == set(members)
        for one, other in itertools.pairwise(members):
            whole = any(low <= feet[one] and feet[other] <= high for low, high in stretches)
            assert whole == (other == one + 1)
    n_gaps = sum(len(stretches) - 1 for _, stretches in drawn)
    bridges = [line for line in axes.lines if line.get_linewidth() == BRIDGE_WIDTH]
    assert len(bridges) == n_gaps
    assert ("A gap in a bar marks" in note_of(axes)) == (n_gaps > 0)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(alike=graphs(2, 12), data=st.data())
def test_each_bar_is_a_maximal_clique_with_gaps_at_non_members(small, alike, data):
    ranks = data.draw(
        st.lists(st.floats(1, len(alike)), min_size=len(alike), max_size=len(alike)).map(sorted)
    )
    comparison = decided(small, conclusions(alike), mean_rank=ranks)
    expected = [clique for clique in maximal_cliques(alike) if len(clique) > 1]
    check_bars(comparison.plot.critical_difference(width="page"), expected)


LONG = [
    "GradientBoosting-ResNet",
    "MiniRocketWithKernels (10k)",
    "HIVE-COTE 2.0",
    "RandomIntervalSpectralEnsemble",
    "Average Localised Proximity",
    "Nearest-neighbour distance",
]


@pytest.mark.parametrize("width", ["column", "ieee", "page"])
@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("count", [9, 30])
def test_nothing_in_a_diagram_overlaps_a_name(small, count, length, width):
    # Neighbours within half of the places, less a few pairs, as tests of pairs find them.
    places = np.arange(count)
    apart = np.abs(places[:, None] - places)
    alike = (apart <= count // 2) & (apart > 0) & ((places[:, None] + places) % 29 > 0)
    names = [
        f"A{place}" if length == "short" else f"{LONG[place % 6]} {place}" for place in range(count)
    ]
    ranks = 1 + (count - 1) * (0.3 + 0.4 * (places / count) ** 2)
    axes = decided(small, conclusions(alike), names, ranks).plot.critical_difference(width=width)
    figure = axes.figure
    if (count, length) == (30, "long") and width != "page":
        assert "the names are too long for a diagram" in recall(figure, "notices", ())[0]
        return
    assert len(stems_of(axes)) == count
    texts = boxes(figure, axes.texts)
    marks = [line for line in axes.lines if line.get_lw() == BAR_WIDTH or line.get_marker() == "o"]
    bars = boxes(figure, marks)
    # The box of a text has room for letters above and below that it may not have.
    slack = 0.012
    for one, other in itertools.combinations(texts, 2):
        assert one.x1 < other.x0 or other.x1 < one.x0 or (
            one.y1 - slack <= other.y0 or other.y1 - slack <= one.y0
        )  # fmt: skip
    for text, bar in itertools.product(texts, bars):
        assert text.x1 <= bar.x0 or bar.x1 <= text.x0 or text.y1 <= bar.y0 or bar.y1 <= text.y0
    edges = [value for box in texts for value in (box.x0, box.x1)]
    assert min(edges) >= -0.005
    assert max(edges) <= figure.get_figwidth() + 0.005


# -- rows ------------------------------------------------------------------------------------------


def test_more_than_thirty_algorithms_become_rows_and_a_notice_says_so(many):
    axes = many.plot.critical_difference(width="page", algorithms=31)
    assert recall(axes.figure, "notices", ()) == ("Drawn as rows: more than 30 algorithms.",)
    # Rows with a dot in one column are exactly the pairs with no significant difference.
    columns = [line.get_ydata().tolist() for line in axes.lines if line.get_marker() == "o"]
    alike = pair_decisions(many, many.algorithms).alike
    assert pairs_in(columns) == {(i, j) for i, j in np.argwhere(np.triu(alike)).tolist()}
    numbers = [text for text in axes.texts if "." in text.get_text()]
    names = max(box.x1 for box in boxes(axes, axes.get_yticklabels()))
    assert len(numbers) == 31
    assert min(box.x0 for box in boxes(axes, numbers)) > names


def test_of_very_many_groups_a_selection_holds_all_pairs(small):
    # All but the pairs (0, 1), (2, 3) … are alike: 2^10 groups.
    alike = ~np.eye(20, dtype=bool)
    for place in range(0, 20, 2):
        alike[place, place + 1] = alike[place + 1, place] = False
    axes = decided(small, conclusions(alike)).plot.critical_difference(width="page")
    bars = [members for members, _ in bars_of(axes)[1]]
    assert len(bars) <= MOST_BARS
    assert pairs_in(bars) == {(i, j) for i, j in np.argwhere(np.triu(alike)).tolist()}


def test_where_groups_do_not_fit_rows_show_the_ranks_left_open(small):
    # Each algorithm differs from the next but one: more groups than columns fit.
    places = np.arange(60)
    alike = np.abs(places[:, None] - places) == 1
    axes = decided(small, conclusions(alike)).plot.critical_difference(algorithms=60)
    [ranges] = [one.get_segments() for one in axes.collections]
    found = [segment[:, 0].tolist() for segment in ranges]
    assert found == [[max(place, 1), min(place + 2, 60)] for place in range(60)]
    assert "Lines: ranks that the tests leave open" in note_of(axes)


# -- notes -----------------------------------------------------------------------------------------


def test_a_diagram_without_groups_says_so(small):
    two = decided(small, conclusions(graph(2, [])))
    assert note_of(two.plot.critical_difference()).startswith("The two algorithms differ signific")
    three = decided(small, conclusions(graph(3, [])))
    assert note_of(three.plot.critical_difference()).startswith("All tested pairs differ signific")
    untested = decided(small, np.full((3, 3), None))
    assert note_of(untested.plot.critical_difference()) == "No pair was tested."


@pytest.mark.parametrize("count", [5, 31])
def test_with_a_control_one_bar_joins_it_and_those_that_do_not_differ_from_it(small, count):
    # Only pairs with algorithm 1 are tested; it does not differ from 0 and 3.
    tested = graph(count, [(1, other) for other in range(count) if other != 1])
    alike = graph(count, [(0, 1), (1, 3)])
    comparison = decided(small, conclusions(alike, tested))
    axes = comparison.plot.critical_difference(algorithms=count, width="page")
    [dots] = [line for line in axes.lines if line.get_marker() == "o"]
    [diamond] = [line for line in axes.lines if line.get_marker() == "D"]
    if count == 5:
        check_bars(axes, [(0, 1, 3)])
        assert diamond.get_xdata()[0] == stems_of(axes)[1].get_xdata()[1]
    else:
        assert dots.get_ydata().tolist() == [0, 1, 3]
        assert diamond.get_ydata()[0] == 1
    assert "Dots: no significant difference from A1 (diamond) at α" in note_of(axes)
    assert "Other pairs were not tested." in note_of(axes)
    assert "No significant difference from A1: A0 and A3." in figures.alt_text(axes)


# -- ranks and p-values of other tests -------------------------------------------------------------


def test_a_diagram_of_own_ranks_and_p_values_is_that_of_the_comparison(default):
    mean = default.summary.set_index("algorithm")["mean_rank"]
    # The order of the ranks does not matter, and one triangle is enough.
    square = default.p_values.to_numpy()
    half = default.p_values.where(np.triu(np.ones_like(square, dtype=bool)))
    ours = default.plot.critical_difference()
    for p_values in (default.p_values, half):
        axes = figures.critical_difference_from(mean[::-1], p_values)
        assert [str(text) for text in axes.texts] == [str(text) for text in ours.texts]
        for one, other in zip(axes.lines, ours.lines, strict=True):
            np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
    assert note_of(axes).startswith("Bars join algorithms (dots) with no significant difference at")
    strict = figures.critical_difference_from(mean, square, alpha=1e-9, highlight="ALP")
    assert len([line for line in strict.lines if line.get_lw() == BAR_WIDTH]) == 1
    with pytest.raises(figures.FigureError, match=r'set_index\("algorithm"\)'):
        figures.critical_difference_from(default.ranks, square)
