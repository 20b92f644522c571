"""What holds for each figure: size, legibility, no global state, alternative text."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from occstats import figures
from occstats.figures import FIGURES, PRESETS

OF_COMPARISON = [name for name, entry in FIGURES.items() if entry.feeds_on == "comparison"]
ONE_AXES = [
    name for name in OF_COMPARISON if "ax" in inspect.signature(getattr(figures, name)).parameters
]
SEVERAL_AXES = [name for name in OF_COMPARISON if name not in ONE_AXES]


def shown_texts(figure):
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text.get_alpha() != 0
    ]


def draw(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return canvas.get_renderer()


@pytest.mark.parametrize("name", FIGURES)
def test_letters_have_six_points_and_stay_on_the_paper(drawn, name):
    figure = drawn[name]
    renderer = draw(figure)
    for text in shown_texts(figure):
        assert text.get_fontsize() >= 6, text.get_text()
    inked = figure.get_tightbbox(renderer)
    width, height = figure.get_size_inches()
    assert inked.x0 >= -0.02
    assert inked.y0 >= -0.02
    assert inked.x1 <= width + 0.02
    assert inked.y1 <= height + 0.02


@pytest.mark.parametrize("name", FIGURES)
def test_alternative_text_is_a_sentence(drawn, name):
    words = figures.alt_text(drawn[name])
    assert len(words) > 60
    assert words.endswith(".")
    assert "nan" not in words
    assert "\n" not in words


@pytest.mark.parametrize("name", OF_COMPARISON)
@pytest.mark.parametrize("width", ["ieee", "springer-wide"])
def test_final_width_is_the_venues(small, name, width):
    figure = getattr(small.plot, name)(width=width)
    assert isinstance(figure, Figure)
    assert figure.get_figwidth() == pytest.approx(PRESETS[width].width)


@pytest.mark.parametrize("name", ONE_AXES)
def test_draws_on_axes_that_are_given(small, name):
    figure = Figure(figsize=(7, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    assert getattr(small.plot, name)(ax=right) is right
    assert not left.has_data()
    draw(figure)
    assert figures.alt_text(right)
    assert figures.alt_text(figure) == figures.alt_text(right)


@pytest.mark.parametrize("name", SEVERAL_AXES)
def test_draws_on_a_subfigure_that_is_given(small, name):
    figure = Figure(figsize=(7, 4), layout="constrained")
    left, right = figure.subfigures(1, 2)
    assert getattr(small.plot, name)(figure=right) is right
    assert not left.axes
    draw(figure)
    assert figures.alt_text(figure) == figures.alt_text(right) != ""


def test_no_global_state_changes(small, sweep_frame, times_frame, tmp_path):
    import matplotlib.pyplot as plt

    settings = {"font.size": 17.5, "axes.grid": True, "text.color": "red", "lines.linewidth": 9}
    with matplotlib.rc_context(settings):
        before = dict(matplotlib.rcParams)
        backend = matplotlib.get_backend()
        for name in OF_COMPARISON:
            figures.save(getattr(small.plot, name)(), tmp_path / f"{name}.svg")
        figures.save(figures.sweep(sweep_frame), tmp_path / "sweep.pdf")
        figures.save(figures.times(times_frame), tmp_path / "times.png")
        assert dict(matplotlib.rcParams) == before
        assert matplotlib.get_backend() == backend
    assert plt.get_fignums() == []


def test_input_is_not_changed(times_frame, sweep_frame):
    copies = times_frame.copy(), sweep_frame.copy()
    figures.times(times_frame)
    figures.sweep(sweep_frame)
    assert times_frame.equals(copies[0])
    assert sweep_frame.equals(copies[1])


def test_notebook_shows_the_picture_with_its_words(lenz2021):
    markup = lenz2021.plot.mean_ranks()._repr_html_()
    assert markup.startswith('<img alt="Weighted mean ranks of 9 algorithms')
    assert "data:image/webp;base64," in markup


def test_notebook_words_cannot_close_their_attribute(hostile):
    markup = hostile.plot.mean_ranks()._repr_html_()
    assert markup.count("<") == 1
    assert "&lt;script&gt;" in markup


def test_matplotlib_waits_until_a_figure_is_drawn():
    code = (
        "import sys, occstats.cli.compare_commands, occstats.figures; "
        "from occstats.figures import FIGURES, Plotter; dir(Plotter(None)); "
        "print('matplotlib' in sys.modules, 'seaborn' in sys.modules, len(FIGURES))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "False", str(len(FIGURES))]


def test_the_door_lists_every_figure():
    for name in FIGURES:
        assert name in figures.__all__
        assert callable(getattr(figures, name))
    with pytest.raises(AttributeError, match="nonsense"):
        figures.nonsense  # noqa: B018


def test_the_accessor_offers_every_figure_of_a_comparison(small):
    assert set(OF_COMPARISON) <= set(dir(small.plot))
    assert "times" not in dir(small.plot)
    with pytest.raises(AttributeError, match=r"no figure 'kendal' \(did you mean 'kendall'"):
        small.plot.kendal  # noqa: B018


@pytest.mark.parametrize("name", FIGURES)
def test_the_docstring_documents_every_parameter_and_no_other(small, name):
    plain = getattr(figures, name)
    drawers = [plain] if name not in OF_COMPARISON else [plain, getattr(small.plot, name)]
    for draw in drawers:
        parameters = list(inspect.signature(draw).parameters)
        documented = draw.__doc__.split("Parameters\n")[1].split("Returns\n")[0]
        entries = re.findall(r"^(\w[\w, ]*) : ", documented, flags=re.MULTILINE)
        assert [part for entry in entries for part in entry.split(", ")] == parameters
        assert "{" + "options}" not in draw.__doc__
    if name in OF_COMPARISON:
        assert next(iter(inspect.signature(plain).parameters)) == "comparison"
        assert "comparison" not in parameters


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_many_algorithms_degrade_to_a_part_and_say_so(many, name):
    figure = getattr(many.plot, name)()
    draw(figure)
    if name == "scatter":
        return
    notes = " ".join(text.get_text().replace("\n", " ") for text in shown_texts(figure))
    shown = re.search(r"The best (\d+) of 31 algorithms", notes)
    # All of them, or at least a fifth left out and said so.
    assert int(shown[1]) <= 0.8 * 31 if shown else "algorithm 30" in notes
    assert figure.get_figheight() < 9


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_hostile_names_draw(hostile, name):
    draw(getattr(hostile.plot, name)())


def test_axes_in_a_users_style_keep_that_style(lenz2021):
    with matplotlib.rc_context({"font.size": 14}):
        axes = Figure(layout="constrained").add_subplot()
        lenz2021.plot.kendall(ax=axes)
    sizes = {text.get_fontsize() for text in axes.texts}
    assert [*sizes] == pytest.approx([14 * 0.833])
    assert isinstance(axes, Axes)


def test_results_where_lower_is_better_put_the_better_first(lenz2021):
    import occstats

    frame = lenz2021.results.to_frame()
    frame["auroc"] = 1 - frame["auroc"]
    flipped = occstats.compare(frame, lower_is_better=True, n_resamples=100)
    words = figures.alt_text(flipped.plot.scatter("ALP", "SVM"))
    assert "ALP is better on 30, SVM on 20" in words
    assert (
        figures.alt_text(lenz2021.plot.scatter("ALP", "SVM"))
        .split("By dataset")[1]
        .startswith(" means, ALP is better on 30, SVM on 20")
    )
    assert np.isclose(flipped.summary["mean_rank"][0], lenz2021.summary["mean_rank"][0])
