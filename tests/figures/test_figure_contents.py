"""The numbers in the figures are those of the comparison, and those of the paper."""

from __future__ import annotations

import copy
import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Annotation, Text

import occstats
from occstats import figures
from occstats.errors import FigureError
from occstats.report.tables import all_tables

from .conftest import boxes, conclusions, decided, extents, note_of, results_frame


def texts(axes):
    return [text.get_text() for text in axes.texts]


def marked_cells(axes):
    """The cells with a frame, and those with bold numbers, by row and column."""
    outlines = next(part for part in axes.collections if not len(part.get_facecolor()))
    frames = {tuple(path.vertices[0, ::-1].astype(int).tolist()) for path in outlines.get_paths()}
    bold = {
        (int(text.get_position()[1]), int(text.get_position()[0]))
        for text in axes.texts
        if text.get_fontweight() == "bold"
    }
    return frames, bold


def test_marks_follow_the_conclusion_and_not_the_p_value(small):
    words = conclusions(np.array([[False, True, False], [True, False, False], [False] * 3]))
    p = lambda pairs: np.where(pairs["conclusion"] == "undecided", 0.0, 1.0)  # noqa: E731
    comparison = decided(small, words, p=p)
    frames, bold = marked_cells(comparison.plot.pairwise())
    assert frames == bold == {(0, 2), (1, 2)}


def test_a_pair_without_a_difference_still_shows_its_decision(small):
    differ = conclusions(np.zeros((2, 2), dtype=bool))
    comparison = decided(small, differ, difference=np.nan, p=0.02)
    axes = comparison.plot.pairwise()
    assert "–\n.020" in texts(axes)
    assert marked_cells(axes)[0] == {(0, 1)}


def test_differences_of_a_matrix_have_one_number_of_decimals():
    frame = results_frame(["p", "q", "r"], [f"d{place}" for place in range(8)], 3)
    frame["auroc"] = (1 - frame["auroc"]) * np.where(frame["descriptor"] == "r", 60, 20)
    frame = frame.rename(columns={"auroc": "rmse"})
    axes = occstats.compare(frame, score="rmse", n_resamples=100).plot.pairwise(width="page")
    differences = [text.partition("\n")[0] for text in texts(axes) if "\n" in text]
    assert len({len(text.partition(".")[2]) for text in differences}) == 1
    assert "column − row" in note_of(axes)
    # There are no ties.
    assert "ties" not in note_of(axes)


@pytest.mark.parametrize("height", [2.6, 6])
def test_labels_of_rows_do_not_overlap_on_the_axes_of_users(height):
    names = [f"{letter}-GradientBoosting-ResNet-variant" for letter in "ABCDEFGHI"]
    frame = results_frame(names, [f"d{place}" for place in range(6)], 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, height), layout="constrained")
    comparison = occstats.compare(frame, n_resamples=100)
    comparison.plot.forest(ax=left)
    comparison.plot.mean_ranks(ax=right)
    figure.canvas.draw()
    for axes in (left, right):
        found = [label.get_window_extent() for label in axes.get_yticklabels()]
        assert not any(one.overlaps(other) for one, other in itertools.pairwise(found))
        # In a higher figure, names take two lines.
        assert any("\n" in label.get_text() for label in axes.get_yticklabels()) == (height > 3)


@pytest.mark.parametrize(("datasets", "kind"), [(5, "Student's"), (8, "bootstrap-t")])
def test_the_kind_of_the_intervals_is_that_of_the_methods(datasets, kind):
    frame = results_frame(["p", "q"], [f"d{place}" for place in range(datasets)], 2)
    comparison = occstats.compare(frame, n_resamples=100)
    figure = comparison.plot.mean_ranks()
    assert kind in note_of(figure)
    assert kind in figures.alt_text(figure)


def test_numbers_on_any_blue_can_be_read(lenz2021):
    axes = lenz2021.plot.kendall()
    for text, ground in zip(axes.texts, axes.collections[1].get_facecolor(), strict=True):
        assert contrast(text.get_color(), ground) >= 4.5, text.get_text()


def contrast(one, other):
    """Contrast of two colours by WCAG 2.1."""
    from matplotlib.colors import to_rgb

    def luminance(colour):
        parts = np.array(to_rgb(colour))
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_bounds_of_strata_are_written_as_in_the_table(other_scale):
    found = re.findall(r"\d: (\S+) to (\S+) \(\d", note_of(other_scale.plot.strata()))
    table = next(table for table in all_tables(other_scale) if table.name == "strata")
    # If lower is better, the figure starts at the easiest stratum.
    told = [tuple(cells[0].split(" to ")) for cells in table.cells()]
    assert sorted(found) == sorted(told)
    assert all(re.fullmatch(r"[\d.]*\d", bound) for bound in itertools.chain(*found))


@pytest.mark.parametrize(
    ("areas", "told"),
    [
        # The table says 82 / 11 / 7 and 99 / 1 / 0.
        ((0.8204, 0.1147, 0.0649), ["82", "11", "7"]),
        ((0.9905, 0.0055, 0.004), ["99", "1", "< 1"]),
    ],
)
def test_posterior_percentages_are_those_of_the_table(small, areas, told):
    names = ["difference_above", "difference_within", "difference_below"]
    changed = copy.copy(small)
    known = dict(zip(names, areas, strict=True))
    vars(changed)["pairwise_full"] = small.pairwise_full.assign(**known)
    axes = changed.plot.posterior("ALP", "SVM")
    above_first = [text.split("\n")[1].removesuffix(" %") for text in texts(axes)][::-1]
    assert above_first == told


def test_one_dataset_has_ranks_without_intervals():
    comparison = occstats.compare(results_frame(["one", "two"], ["only"], 4), n_resamples=100)
    note = note_of(comparison.plot.mean_ranks())
    assert note == "No intervals: too few datasets to resample."
    with pytest.raises(FigureError, match="no regression to draw"):
        comparison.plot.regression()
    assert note_of(comparison.plot.critical_difference()) == "No pair was tested."
    forest = comparison.plot.forest()
    assert note_of(forest) == "No pair was tested."
    assert "p" not in [text.get_text() for text in forest.figure.findobj(Text)]


# -- things close together stay apart --------------------------------------------------------------


@pytest.mark.parametrize(("width", "count"), [("ieee", 14), ("page", 9)])
def test_the_labels_of_a_square_stay_on_the_page(width, count):
    names = [f"{chr(97 + place)}_long_name_of_boosted_neighbours" for place in range(count)]
    comparison = occstats.compare(results_frame(names, list("abcdef"), 1), n_resamples=100)
    for axes in (comparison.plot.pairwise(width=width), comparison.plot.kendall(width=width)):
        assert min(box.x0 for box in boxes(axes, axes.get_yticklabels())) >= 0
        figures.svg_markup(axes)
        tops = [box.y1 for box in boxes(axes, axes.get_xticklabels())]
        assert max(tops) <= axes.figure.get_figheight()


@pytest.mark.parametrize("name", ["ranks", "regression"])
def test_tick_labels_stand_apart(many, name):
    panels = getattr(many.plot, name)(width=2.5, algorithms=8)
    figure = panels[0].figure
    boxes(figure)
    renderer = figure.canvas.get_renderer()
    for axes in panels:
        left, right = axes.get_xlim()
        ticks = [tick for tick in axes.xaxis.get_major_ticks() if left <= tick.get_loc() <= right]
        shown = [tick.label1 for tick in ticks if tick.label1.get_visible()]
        for one, other in itertools.pairwise(extents(figure, shown, renderer)):
            assert one.x1 < other.x0, axes.get_title()


def test_no_two_of_a_drawing_have_one_colour(many):
    chosen = [*many.algorithms[:5], many.algorithms[30]]
    figure = many.plot.profiles(algorithms=chosen)
    colours = {line.get_color() for line in figure.lines}
    assert len(colours) == len(chosen)


def test_a_run_that_diverged_stretches_neither_axis_nor_curve():
    frame = results_frame(["steady", "wild"], [f"d{place}" for place in range(12)], 3)
    frame = frame.rename(columns={"auroc": "score"})
    frame["score"] = 0.6 + 0.3 * np.arange(len(frame)) / len(frame)
    frame.loc[frame["descriptor"].eq("wild").idxmax(), "score"] = -3.0
    comparison = occstats.compare(frame, lower_is_better=False, n_resamples=100)
    figure = comparison.plot.distributions()
    assert figure.get_xlim()[0] > 0.55
    ends = [line.get_xdata().min() for line in figure.lines if len(line.get_xdata()) > 100]
    assert len(ends) == 2
    assert min(ends) > 0.55


def test_names_of_datasets_do_not_cover_each_other(lenz2021):
    figure = lenz2021.plot.scatter(name_datasets=6)
    texts = [text for text in figure.texts if isinstance(text, Annotation)]
    assert len(texts) == 12
    for side in ("left", "right"):
        there = [text for text in texts if text.get_horizontalalignment() == side]
        for one, other in itertools.combinations(boxes(figure, there), 2):
            assert not one.overlaps(other)


def test_intervals_without_limits_reach_the_edges():
    comparison = occstats.compare(results_frame(["p", "q"], list("abc"), 4), n_resamples=100)
    axes = comparison.plot.forest()
    (line,) = [line for line in axes.lines if list(line.get_ydata()) == [0, 0]]
    left, right = axes.get_xlim()
    assert line.get_xdata()[0] < left < right < line.get_xdata()[1]
    assert "without a limit where they reach the edge" in note_of(axes)
