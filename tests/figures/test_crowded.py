"""What stands close together in a figure stays apart: names, numbers, ticks, colours."""

from __future__ import annotations

import itertools

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation

import occstats
from occstats.figures._labels import wrap
from tests.figures.conftest import results_frame


def boxes(figure, texts):
    """Where texts stand, in inches, when the figure is drawn."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    with matplotlib.rc_context(figure.settings):
        drawn = [text.get_window_extent(canvas.get_renderer()) for text in texts]
    return [box.transformed(figure.dpi_scale_trans.inverted()) for box in drawn]


@pytest.mark.parametrize("name", ["ranks", "regression"])
def test_numbers_of_an_axis_stand_apart(many, name):
    figure = getattr(many.plot, name)(width=2.5)
    FigureCanvasAgg(figure).draw()
    for axes in figure.axes:
        left, right = axes.get_xlim()
        ticks = [tick for tick in axes.xaxis.get_major_ticks() if left <= tick.get_loc() <= right]
        shown = [tick.label1 for tick in ticks if tick.label1.get_visible()]
        for one, other in itertools.pairwise(boxes(figure, shown)):
            assert one.x1 < other.x0, axes.get_title()


@pytest.mark.parametrize(("name", "count"), [("small", 3), ("lenz2021", 9), ("many", 31)])
def test_numbers_of_mean_ranks_are_a_column_at_the_right(request, name, count):
    figure = request.getfixturevalue(name).plot.mean_ranks()
    axes = figure.axes[0]
    numbers = [text for text in axes.texts if "." in text.get_text()]
    assert len(numbers) == count
    right = axes.get_position().x1 * figure.get_figwidth()
    placed = boxes(figure, numbers)
    assert min(box.x0 for box in placed) > right
    assert max(box.x1 for box in placed) <= figure.get_figwidth()


def test_the_lines_of_a_wrapped_name_do_not_touch(small):
    names = {"ALP": "gradient_gradient_ gradient_boosted", "SVM": "gradient_gradient_"}
    figure = small.plot.mean_ranks(labels=names)
    two, one, *_ = boxes(figure, figure.axes[0].get_yticklabels())
    assert two.height > 1.98 * one.height


def test_no_two_of_a_drawing_have_one_colour(many):
    chosen = [*many.algorithms[:5], many.algorithms[30]]
    figure = many.plot.profiles(algorithms=chosen)
    colours = {line.get_color() for line in figure.axes[0].lines}
    assert len(colours) == len(chosen)


def test_who_differs_from_everyone_has_a_letter_of_his_own():
    frame = results_frame(["best", "middle", "worst"], [f"d{place}" for place in range(20)], 2)
    frame["auroc"] -= frame["descriptor"].map({"best": 0, "middle": 0.2, "worst": 0.4})
    figure = occstats.compare(frame, n_resamples=100).plot.letters()
    written = [text.get_text() for text in figure.axes[0].texts]
    assert [text for text in written if text.isalpha()] == ["a", "b", "c"]


def test_a_run_that_diverged_stretches_neither_axis_nor_curve():
    frame = results_frame(["steady", "wild"], [f"d{place}" for place in range(12)], 3)
    frame = frame.rename(columns={"auroc": "score"})
    frame["score"] = 0.6 + 0.3 * np.arange(len(frame)) / len(frame)
    frame.loc[frame["descriptor"].eq("wild").idxmax(), "score"] = -3.0
    comparison = occstats.compare(frame, lower_is_better=False, n_resamples=100)
    figure = comparison.plot.distributions()
    assert figure.axes[0].get_xlim()[0] > 0.55
    curves = [curve for strip in figure.axes[0].child_axes for curve in strip.collections]
    ends = [curve.get_paths()[0].vertices[:, 0].min() for curve in curves]
    assert len(ends) == 2
    assert min(ends) > 0.55


def test_names_of_data_sets_do_not_cover_each_other(lenz2021):
    figure = lenz2021.plot.scatter(name_data_sets=6)
    texts = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
    assert len(texts) == 12
    for side in ("left", "right"):
        there = [text for text in texts if text.get_horizontalalignment() == side]
        for one, other in itertools.combinations(boxes(figure, there), 2):
            assert not one.overlaps(other)


def test_a_name_in_the_key_is_not_broken_at_its_hyphens():
    text = wrap("[1] boosted [2] nearest-neighbour", 1.2, 8)
    assert text.splitlines() == ["[1] boosted [2]", "nearest-neighbour"]
