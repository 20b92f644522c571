"""What a user may ask of each figure: it changes what it says, and nothing by default."""

from __future__ import annotations

import inspect

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from occstats import figures
from occstats.figures import FIGURES

OF_COMPARISON = [name for name, entry in FIGURES.items() if entry.feeds_on == "comparison"]


def taking(option):
    return [
        name
        for name in OF_COMPARISON
        if option in inspect.signature(getattr(figures, name)).parameters
    ]


def words(drawn):
    return [text.get_text().replace("\n", " ") for text in drawn.findobj(Text) if text.get_text()]


def markup(drawn):
    return figures.svg_markup(drawn)


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_defaults_give_the_same_bytes_and_so_do_they_when_written_out(small, name):
    draw = getattr(small.plot, name)
    usual = {
        option: parameter.default
        for option, parameter in inspect.signature(draw).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    assert markup(draw()) == markup(draw(**usual))


@pytest.mark.parametrize("name", taking("labels"))
def test_labels_replace_names(small, name):
    shown = " ".join(words(getattr(small.plot, name)(labels={"SVM": "Machine"})))
    assert "Machine" in shown
    assert "SVM" not in shown


@pytest.mark.parametrize("name", taking("algorithms"))
def test_only_the_algorithms_named_are_drawn(small, name):
    if name == "scatter":
        return
    drawn = getattr(small.plot, name)(algorithms=["LOF", "ALP"])
    shown = " ".join(words(drawn))
    assert "LOF" in shown
    assert "SVM" not in shown


@pytest.mark.parametrize("name", taking("show"))
def test_so_many_are_shown_and_the_note_says_so(lenz2021, name):
    shown = " ".join(words(getattr(lenz2021.plot, name)(show=3)))
    assert "The best 3 of 9 algorithms." in shown
    assert "LNND" not in shown


@pytest.mark.parametrize("name", taking("order"))
def test_the_order_is_the_users(small, name):
    def places(**options):
        shown = words(getattr(small.plot, name)(**options))
        return [shown.index(one) for one in ("LOF", "SVM", "ALP")]

    given = places(order=["LOF", "SVM", "ALP"])
    by_name = places(order="name")
    # ALP, LOF, SVM by name.
    assert (given[0] < given[2]) != (by_name[0] < by_name[2]) or given != by_name


@pytest.mark.parametrize("name", taking("highlight"))
def test_who_stands_out_changes_the_picture(small, name):
    draw = getattr(small.plot, name)
    assert markup(draw(highlight="SVM")) != markup(draw())
    with pytest.raises(figures.FigureError, match="highlight 'nobody'"):
        draw(highlight="nobody")


@pytest.mark.parametrize("name", taking("palette"))
def test_colours_are_the_users(small, name):
    draw = getattr(small.plot, name)
    text = markup(draw(palette={"ALP": "#123456", "SVM": "#654321"}))
    assert to_hex("#123456") in text or to_hex("#654321") in text
    with pytest.raises(figures.FigureError, match="palette: 'nobody'"):
        draw(palette={"nobody": "red"})


@pytest.mark.parametrize("option", ["hue", "palette", "highlight"])
def test_many_algorithms_keep_their_colours(many, option):
    asked = {
        "hue": dict.fromkeys(many.algorithms[::2], "even"),
        "palette": {many.algorithms[1]: "#123456"},
        "highlight": many.algorithms[1],
    }
    plain, coloured = (
        {to_hex(line.get_color()) for line in axes.lines}
        for axes in (
            many.plot.critical_difference().axes[0],
            many.plot.critical_difference(**{option: asked[option]}).axes[0],
        )
    )
    assert coloured > plain


def test_cells_of_a_matrix_have_a_colour_map(small):
    assert markup(small.plot.kendall(cmap="Greens")) != markup(small.plot.kendall())
    with pytest.raises(figures.FigureError, match="cmap must be the name of a colour map"):
        small.plot.kendall(cmap="nothing")


# -- every option of every figure ------------------------------------------------------------------

ASKED = {
    "order": ["LOF", "SVM", "ALP"],
    "labels": {"SVM": "Machine"},
    "highlight": "LOF",
    "hue": {"ALP": "near", "LOF": "near", "SVM": "kernel"},
    "palette": ["#123456", "#654321", "#abcdef"],
    "title": "Mine",
    "note": False,
    "height": 4.5,
    "algorithms": ["ALP", "LOF"],
    "show": 2,
    "width": "90mm",
}
# The place of an algorithm is its mean rank; two algorithms have axes of their own; cells of a
# matrix are not coloured by algorithm.
MEANINGLESS = {
    ("critical_difference", "order"),
    *((name, "hue") for name in ("kendall", "pairwise", "regression", "scatter")),
    *((name, "palette") for name in ("kendall", "pairwise", "regression", "scatter")),
    *(("scatter", option) for option in ("order", "highlight", "algorithms", "show")),
}


@pytest.fixture(scope="module")
def usual(small):
    return {name: markup(getattr(small.plot, name)()) for name in OF_COMPARISON}


@pytest.mark.parametrize("option", ASKED)
@pytest.mark.parametrize("name", OF_COMPARISON)
def test_an_option_changes_the_picture_or_does_not_exist(small, usual, name, option):
    draw = getattr(small.plot, name)
    taken = option in inspect.signature(draw).parameters
    assert taken == ((name, option) not in MEANINGLESS)
    if not taken:
        with pytest.raises(TypeError, match=option):
            draw(**{option: ASKED[option]})
        return
    before, more = usual[name], {}
    if option == "note" and "show" in inspect.signature(draw).parameters:
        # Some have something to say only where algorithms were left out.
        more = {"show": 2}
        before = markup(draw(**more))
    assert markup(draw(**more, **{option: ASKED[option]})) != before


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_a_figure_is_drawn_where_the_user_says(small, name):
    draw = getattr(small.plot, name)
    sheet = Figure(figsize=(5, 4))
    if "ax" in inspect.signature(draw).parameters:
        axes = sheet.add_subplot()
        assert draw(ax=axes) is axes
        assert axes.has_data() or axes.texts
    else:
        assert draw(figure=sheet) is sheet
        assert sheet.axes


@pytest.mark.parametrize("name", taking("hue"))
def test_families_share_a_colour_and_have_a_key(small, name):
    families = {"ALP": "near", "LOF": "near", "SVM": "kernel"}
    shown = words(getattr(small.plot, name)(hue=families))
    assert {"near", "kernel"} <= set(shown)


@pytest.mark.parametrize("name", OF_COMPARISON)
def test_title_height_and_no_note(small, name):
    draw = getattr(small.plot, name)
    figure = draw(title="Mine & yours", height=4.5, note=False)
    assert "Mine & yours" in words(figure)
    assert figure.get_figheight() == 4.5
    notes = set(words(draw())) - set(words(draw(note=False)))
    assert all(len(note) > 15 for note in notes)
    with pytest.raises(figures.FigureError, match="height must be between"):
        draw(height=400)


# -- several comparisons ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["critical_difference", "ranks"])
def test_panels_have_their_titles_and_all_words(small, lenz2021, name):
    figure = figures.side_by_side({"three": small, "nine": lenz2021}, name)
    shown = words(figure)
    assert {"three", "nine"} <= set(shown)
    assert "LNND" in " ".join(shown)
    text = figures.alt_text(figure)
    assert text.startswith("three: ")
    assert " nine: " in text
    assert figure.get_figwidth() == pytest.approx(figures.PRESETS["page"].width)


def test_each_panel_names_its_own_test(small, lenz2021):
    assert small.basis != lenz2021.basis
    figure = figures.side_by_side({"three": small, "nine": lenz2021}, "critical_difference")
    notes = [part._supxlabel.get_text().replace("\n", " ") for part in figure.subfigs]
    assert small.basis in notes[0]
    assert lenz2021.basis in notes[1]


def test_panels_in_rows(small):
    four = figures.side_by_side(dict.fromkeys("abcd", small), "mean_ranks", columns=2)
    one = figures.side_by_side({"a": small, "b": small}, "mean_ranks")
    assert four.get_figheight() == pytest.approx(2 * one.get_figheight())
    with pytest.raises(figures.FigureError, match="at least one comparison"):
        figures.side_by_side({}, "mean_ranks")
