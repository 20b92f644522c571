"""Options of figures: each changes what is drawn; and properties of all figures."""

from __future__ import annotations

import functools
import inspect
import itertools
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

import occstats
from occstats import figures
from occstats.figures import FIGURES
from occstats.figures._style import root_figure
from occstats.figures.registry import draw_figures

from .conftest import results_frame, words

OF_COMPARISON = [name for name, entry in FIGURES.items() if entry.needs == ("comparison",)]


def taken_by(name):
    return inspect.signature(getattr(figures, name)).parameters


def artists(drawn):
    """Return what is drawn, without rendering it: texts, lines, patches, collections, size."""
    figure = root_figure(drawn)
    found = [tuple(figure.get_size_inches())]
    for artist in figure.findobj():
        if isinstance(artist, Text):
            found.append((artist.get_text(), artist.get_fontweight(), artist.get_position()))
        elif hasattr(artist, "get_xydata"):
            found.append((artist.get_xydata().tobytes(), to_hex(artist.get_color())))
        elif hasattr(artist, "get_facecolor") and not isinstance(artist, Figure):
            found.append((np.asarray(artist.get_facecolor()).tobytes(), artist.get_label()))
        if hasattr(artist, "get_cmap"):
            found.append(artist.get_cmap().name)
    return found


# -- every option of every figure ------------------------------------------------------------------

GIVEN = {
    "order": ["LOF", "SVM", "ALP"],
    "labels": {"SVM": "Machine"},
    "highlight": "SVM",
    "palette": ["#123456", "#654321", "#abcdef"],
    "note": False,
    "algorithms": ["ALP", "LOF"],
    "width": "90mm",
}
PAIR = ("scatter", "posterior", "dataset_effects")
# Positions are mean ranks, two algorithms have axes of their own, and colours mean something else.
MEANINGLESS = {
    ("critical_difference", "order"),
    ("profiles", "order"),
    ("forest", "highlight"),
    *((n, "palette") for n in OF_COMPARISON if n != "profiles"),
    *itertools.product(PAIR, ("order", "highlight", "algorithms")),
}


# Words that appear, and those that do not, with an option.
WORDS = {
    "labels": (["Machine"], ["SVM"]),
    "algorithms": (["LOF"], ["SVM"]),
}


def check_meaning(drawn, option):
    """An option does what it says."""
    shown, figure = " ".join(words(drawn)), root_figure(drawn)
    there, absent = WORDS.get(option, ([], []))
    assert all(word in shown for word in there)
    assert not any(word in shown for word in absent)
    if option == "width":
        assert figure.get_figwidth() == pytest.approx(90 / 25.4)
    elif option == "palette":
        getters = [
            getattr(artist, "get_color", getattr(artist, "get_facecolor", None))
            for artist in figure.findobj()
        ]
        colours = [getter() for getter in getters if getter is not None]
        assert {to_hex(c) for c in colours if np.size(c) in (1, 3, 4)} & set(GIVEN["palette"])


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_every_option_changes_the_figure_or_does_not_exist(small, name):
    draw = getattr(small.plot, name)
    default = artists(draw())
    for option, value in GIVEN.items():
        taken = option in taken_by(name)
        assert taken == ((name, option) not in MEANINGLESS)
        if not taken:
            with pytest.raises(TypeError, match=option):
                draw(**{option: value})
            continue
        # Some have a note only if algorithms are left out.
        fewer = option == "note" and "algorithms" in taken_by(name)
        more = {"algorithms": 2} if fewer else {}
        before = artists(draw(**more)) if more else default
        drawn = draw(**more, **{option: value})
        assert artists(drawn) != before, option
        check_meaning(drawn, option)
        plt.close("all")


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_values_that_make_no_sense_are_refused(small, name):
    wrong = {"palette": {"nobody": "red"}, "highlight": "nobody"}
    for option in wrong.keys() & taken_by(name).keys():
        with pytest.raises(figures.FigureError, match=f"{option}:? 'nobody'"):
            getattr(small.plot, name)(**{option: wrong[option]})
    if "algorithms" in taken_by(name):
        assert "The best 2 of 3 algorithms." in " ".join(
            words(getattr(small.plot, name)(algorithms=2))
        )


def test_a_table_that_no_figure_can_be_drawn_from_is_refused(small, times_frame):
    with pytest.raises(figures.FigureError, match="table of times cannot be drawn: times lacks"):
        list(draw_figures(times=times_frame.drop(columns="n")))
    # Run times of each task make one figure, and those over n the other.
    wide = small.results.scores.reset_index()[["dataset", "class"]]
    wide = wide.assign(time_ALP=1.0, time_SVM=2.0)
    drawn = {one.entry.name: one.reason for one in draw_figures(small, times=wide)}
    assert drawn["times"]
    assert not drawn["trade_off"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [("name", ["ALP", "LOF", "SVM"]), (["LOF", "SVM"], ["LOF", "SVM", "ALP"])],
)
def test_order_of_the_algorithms(small, order, expected):
    axes = small.plot.mean_ranks(order=order)
    assert [label.get_text() for label in axes.get_yticklabels()] == expected


# -- what holds for each figure --------------------------------------------------------------------


def check_on_page(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    inked = figure.get_tightbbox(canvas.get_renderer())
    width, height = figure.get_size_inches()
    assert min(inked.x0, inked.y0, width - inked.x1, height - inked.y1) >= -0.02


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_long_names_stay_on_the_page_for_any_scale(other_scale, name):
    check_on_page(root_figure(getattr(figures, name)(other_scale)))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("letters", range(2, 24, 3))
def test_the_label_of_a_forest_stays_on_the_page_for_any_measure(letters, lower):
    frame = results_frame(["InceptionTime-ensemble", "a name that is rather long"], [*"abcdefg"], 1)
    measure = "m" * letters
    comparison = occstats.compare(
        frame.rename(columns={"auroc": measure}), score=measure, lower_is_better=lower
    )
    check_on_page(root_figure(figures.forest(comparison)))


@pytest.mark.parametrize("name", FIGURES)
def test_text_is_legible_and_on_the_page(lenz2021, sweep_frame, times_frame, name):
    sources = {"comparison": lenz2021, "sweep": sweep_frame, "times": times_frame}
    drawn = getattr(figures, name)(*(sources[need] for need in FIGURES[name].needs))
    figure = root_figure(drawn)
    assert plt.get_fignums() == [figure.number]
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            assert text.get_fontsize() >= 6, text.get_text()
    check_on_page(figure)
    alternative = figures.alt_text(drawn)
    assert re.fullmatch(r"(?!.*nan).{60,}\.", alternative)
    assert figures.alt_text(figure) == alternative


def test_the_backend_of_a_notebook_keeps_its_settings(small, monkeypatch):
    # When it is loaded, it switches to interactive mode, in which figures are shown.
    with matplotlib.rc_context():
        load = lambda: matplotlib.rcParams.update({"interactive": True})  # noqa: E731
        monkeypatch.setattr(plt, "draw_if_interactive", load)
        small.plot.mean_ranks()
        assert plt.isinteractive()


@pytest.mark.parametrize("name", FIGURES)
def test_draws_on_axes_or_a_subfigure_of_the_user(lenz2021, sweep_frame, times_frame, name):
    sources = {"comparison": lenz2021, "sweep": sweep_frame, "times": times_frame}
    draw = functools.partial(
        getattr(figures, name), *(sources[need] for need in FIGURES[name].needs)
    )
    figure, before = Figure(figsize=(8, 4), layout="constrained"), plt.get_fignums()
    if "ax" in taken_by(name):
        left, right = figure.subplots(1, 2)
        drawn = draw(ax=right)
        assert drawn is right
        assert not left.has_data()
        assert figure.axes == [left, right]
        # Nothing lies outside the axes but their own labels and a legend: no note, no title.
        inside = [text for text in right.texts if text.get_in_layout()]
        FigureCanvasAgg(figure).draw()
        for text in inside:
            box = text.get_window_extent()
            assert box.y0 >= right.bbox.y0 - 1, text.get_text()
    else:
        left, right = figure.subfigures(1, 2)
        drawn = draw(figure=right)
        assert {axes.get_figure(root=True) for axes in drawn} == {figure}
        assert not left.axes
    assert figure._supxlabel is None
    assert figure._suptitle is None
    assert getattr(right, "_supxlabel", None) is None
    assert figures.alt_text(figure) == figures.alt_text(right) == figures.alt_text(drawn) != ""
    assert plt.get_fignums() == before


def test_global_settings_and_inputs_do_not_change(small, sweep_frame, times_frame, tmp_path):
    copies = times_frame.copy(), sweep_frame.copy()
    settings = {"font.size": 17.5, "axes.grid": True, "text.color": "red", "lines.linewidth": 9}
    with matplotlib.rc_context(settings):
        before = dict(matplotlib.rcParams)
        small.plot.pairwise()
        figures.save(figures.sweep(sweep_frame), tmp_path / "sweep.svg")
        figures.save(figures.times(times_frame), tmp_path / "times.pdf")
        assert dict(matplotlib.rcParams) == before
    assert times_frame.equals(copies[0])
    assert sweep_frame.equals(copies[1])


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", OF_COMPARISON)
def test_hostile_names_are_drawn(hostile, name):
    figure = root_figure(getattr(hostile.plot, name)())
    figure.set_layout_engine("none")
    FigureCanvasAgg(figure).draw()
