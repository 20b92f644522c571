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
from occstats.errors import OccstatsError
from occstats.figures import FIGURES
from occstats.figures._style import root_figure
from occstats.figures.registry import draw_figures

from .conftest import words

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
        with pytest.raises(OccstatsError, match="algorithms must be an integer of at least 1"):
            getattr(small.plot, name)(algorithms=0)


def test_misspelt_options_and_palettes_are_answered_with_the_nearest(small):
    with pytest.raises(TypeError, match=r"'highlite' \(did you mean 'highlight'\?\)"):
        small.plot.kendall(highlite="ALP")
    # Also for figures without colours of algorithms.
    with pytest.raises(figures.FigureError, match=r"got 'deeep' \(did you mean 'deep'\?\)"):
        list(draw_figures(small, palette="deeep"))
    with pytest.raises(figures.FigureError, match="palette must be"):
        list(draw_figures(small, palette={"ALP": "rad"}))


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
    with pytest.raises(OccstatsError, match="order must be one of rank, name, similarity; got 'x'"):
        small.plot.kendall(order="x")


def test_similar_algorithms_are_neighbours_by_similarity(lenz2021):
    axes = lenz2021.plot.kendall(order="similarity")
    order = [label.get_text() for label in axes.get_xticklabels()]
    assert abs(order.index("IF") - order.index("EIF")) == 1
    assert len(order) == 9


# -- what holds for each figure --------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
def test_text_is_legible_and_on_the_page(lenz2021, sweep_frame, times_frame, name):
    sources = {"comparison": lenz2021, "sweep": sweep_frame, "times": times_frame}
    drawn = getattr(figures, name)(*(sources[need] for need in FIGURES[name].needs))
    figure = root_figure(drawn)
    assert plt.get_fignums() == [figure.number]
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            assert text.get_fontsize() >= 6, text.get_text()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    inked = figure.get_tightbbox(canvas.get_renderer())
    width, height = figure.get_size_inches()
    assert min(inked.x0, inked.y0, width - inked.x1, height - inked.y1) >= -0.02
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


def test_what_is_no_axes_and_no_figure_is_refused(small):
    with pytest.raises(figures.FigureError, match=r"^ax must be Matplotlib axes.*; got 3$"):
        small.plot.mean_ranks(ax=3)
    with pytest.raises(figures.FigureError, match=r"^figure must be a Matplotlib"):
        small.plot.ranks(figure=Figure().add_subplot())


def test_axes_in_a_style_of_the_user_keep_it(lenz2021):
    with matplotlib.rc_context({"font.size": 14}):
        axes = Figure(layout="constrained").add_subplot()
        lenz2021.plot.kendall(ax=axes)
    assert [*{text.get_fontsize() for text in axes.texts}] == [14 - 2]


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


# The other figures of many algorithms are drawn in the tests of their contents.
@pytest.mark.parametrize("name", ["mean_ranks", "pairwise", "kendall", "strata"])
def test_of_many_algorithms_the_best_are_drawn_and_the_note_says_so(many, name):
    drawn = getattr(many.plot, name)()
    shown = " ".join(words(drawn))
    best = re.search(r"The best (\d+) of 31 algorithms", shown)
    # One rule for all figures but matrices, which have to fit the width.
    assert int(best[1]) == {"pairwise": 9, "kendall": 15}.get(name, 30)
    assert root_figure(drawn).get_figheight() < 11


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", OF_COMPARISON)
def test_hostile_names_are_drawn(hostile, name):
    figure = root_figure(getattr(hostile.plot, name)())
    figure.set_layout_engine("none")
    FigureCanvasAgg(figure).draw()


def test_results_where_lower_is_better_put_the_better_first(lenz2021):
    frame = lenz2021.results.to_frame()
    frame["auroc"] = 1 - frame["auroc"]
    flipped = occstats.compare(frame, lower_is_better=True, n_resamples=100)
    for comparison in (flipped, lenz2021):
        text = figures.alt_text(comparison.plot.scatter("ALP", "SVM"))
        assert "By dataset means, ALP is better on 30, SVM on 20" in text
    assert np.isclose(flipped.summary["mean_rank"][0], lenz2021.summary["mean_rank"][0])

    def intervals(comparison):
        (bars,) = comparison.plot.strata(algorithms=["IF"])[0].collections
        return [segment[:, 1] for segment in bars.get_segments()]

    # From the easiest stratum to the hardest.
    np.testing.assert_allclose(intervals(flipped)[::-1], intervals(lenz2021), rtol=1e-9)
