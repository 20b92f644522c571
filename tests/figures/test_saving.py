"""Files: the same bytes, text as text, words for those who do not see, nothing half written."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure
from PIL import Image

from occstats import figures
from occstats.errors import OutputError
from occstats.figures.saving import MissingGlyphWarning
from occstats.figures._style import FigureError

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("kendall", "pdf"), ("pairwise", "svg"), ("distributions", "png"), ("regression", "svg")],
)
def test_bytes_are_the_same_in_any_style(lenz2021, tmp_path, name, kind):
    first = figures.save(getattr(lenz2021.plot, name)(), tmp_path / f"a.{kind}", title="t")
    other = {"font.size": 20, "axes.unicode_minus": False, "svg.fonttype": "path"}
    with matplotlib.rc_context(other):
        figure = getattr(lenz2021.plot, name)()
        second = figures.save(figure, tmp_path / f"b.{kind}", title="t")
        third = figures.save(figure, tmp_path / f"c.{kind}", title="t")
    assert first[0].read_bytes() == second[0].read_bytes() == third[0].read_bytes()


def test_the_users_theme_is_followed_on_request(lenz2021):
    import seaborn as sns

    before = dict(matplotlib.rcParams)
    try:
        sns.set_theme(style="darkgrid", palette="deep", font_scale=1.2)
        house, users = lenz2021.plot.strata(), lenz2021.plot.strata(theme="user")
        sizes = matplotlib.rcParams["axes.labelsize"]
        colours = [matplotlib.colors.to_hex(colour) for colour in sns.color_palette("deep")]
    finally:
        matplotlib.rcParams.update(before)
    assert users.axes[0].get_facecolor() != house.axes[0].get_facecolor()
    assert users.axes[0].xaxis.label.get_fontsize() == pytest.approx(sizes)
    assert [line.get_color() for line in users.axes[0].lines[:6]] == colours[:6]
    assert house.axes[0].lines[0].get_color() == "#0072b2"
    # Drawn later, under other settings, it still looks as it was made.
    assert users.settings["axes.facecolor"] == "#EAEAF2"


@pytest.mark.parametrize("theme", ["house", "user"])
def test_a_figure_is_laid_out_and_drawn_once_for_a_file(lenz2021, tmp_path, monkeypatch, theme):
    draws = []
    drawn = Figure.draw
    monkeypatch.setattr(Figure, "draw", lambda *given: (draws.append(1), drawn(*given)))
    with matplotlib.rc_context({"figure.autolayout": True}):
        figure = lenz2021.plot.mean_ranks(theme=theme)
        figures.save(figure, tmp_path / "figure.svg")
    assert len(draws) == 1
    assert figure.get_layout_engine() is None


def test_svg_has_title_description_and_text(lenz2021, tmp_path):
    figure = lenz2021.plot.kendall()
    (path,) = figures.save(figure, tmp_path / "tau.svg", title="Correlation")
    root = ElementTree.fromstring(path.read_bytes())
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == "title description"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root.find(f"{SVG}title").text == "Correlation"
    assert root.find(f"{SVG}desc").text == figures.alt_text(figure)
    drawn = {element.text for element in root.iter(f"{SVG}text")}
    assert {"ALP", "SVM", ".92"} <= drawn
    assert "<dc:date>" not in path.read_text()


def test_pdf_has_subject_and_embedded_truetype(lenz2021, tmp_path):
    (path,) = figures.save(lenz2021.plot.kendall(), tmp_path / "tau.pdf")
    data = path.read_bytes()
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    assert b"CreationDate" not in data
    assert b"Heat map of weighted Kendall" in data


def test_png_has_its_description_and_resolution(lenz2021, tmp_path):
    figure = lenz2021.plot.mean_ranks(width="ieee")
    (path,) = figures.save(figure, tmp_path / "ranks.png", dpi=200)
    with Image.open(path) as image:
        assert image.text["Description"] == figures.alt_text(figure)
        assert image.width == 700


def test_figures_in_one_page_have_identifiers_of_their_own(lenz2021):
    figure = lenz2021.plot.scatter()
    pages = [figures.svg_markup(figure, identity=name, title="t") for name in ("one", "two")]
    identifiers = [set(re.findall(r'\bid="([^"]+)"', page)) for page in pages]
    assert identifiers[0]
    assert not identifiers[0] & identifiers[1]
    for page, own in zip(pages, identifiers, strict=True):
        references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
        assert references
        assert references <= own
        assert set(re.search(r'aria-labelledby="([^"]+)"', page)[1].split()) <= own
        assert not page.startswith("<?xml")


def test_svg_needs_no_styles_of_its_page(lenz2021):
    for name in ("pairwise", "distributions", "regression"):
        root = ElementTree.fromstring(figures.svg_markup(getattr(lenz2021.plot, name)()))
        assert not list(root.iter(f"{SVG}style"))
        assert not [element for element in root.iter() if "style" in element.attrib]
        texts = list(root.iter(f"{SVG}text"))
        assert texts
        assert all(element.get("font-size", "").endswith("px") for element in texts)
        assert root.get("stroke-linejoin") == "round"


def test_an_identity_cannot_leave_its_attribute(lenz2021):
    markup = figures.svg_markup(lenz2021.plot.kendall(), identity='"><script>', title="<&\x00")
    root = ElementTree.fromstring(markup)
    assert not list(root.iter(f"{SVG}script"))
    assert root.find(f"{SVG}title").text == "<&\\x00"


def test_hostile_names_stay_text_in_svg(hostile):
    markup = figures.svg_markup(hostile.plot.mean_ranks(), title="t")
    root = ElementTree.fromstring(markup)
    drawn = [element.text for element in root.iter(f"{SVG}text")]
    assert "$" in drawn
    assert "a_b^c{" in drawn
    assert r"\input{/etc/passwd}" in drawn
    assert "近傍法の平均局所近接度" in drawn
    assert r"two\nlines" in drawn
    assert not list(root.iter(f"{SVG}script"))


def test_letters_without_a_font_are_named_once(hostile, tmp_path, monkeypatch):
    figure = hostile.plot.mean_ranks()
    monkeypatch.setattr("occstats.figures.saving.missing_glyphs", lambda _: ["近", "傍"])
    with pytest.warns(MissingGlyphWarning, match="no installed font has 近 傍") as caught:
        figures.save(figure, tmp_path / "ranks", formats=["pdf", "png", "svg"])
    assert len(caught) == 1
    assert caught[0].message.characters == ("近", "傍")
    # An SVG takes letters from where it is shown: no warning (which would be an error here).
    figures.save(figure, tmp_path / "ranks.svg")


def test_formats_and_names_of_files(tmp_path):
    figure = figures.alp_diagram()
    written = figures.save(figure, tmp_path / "new" / "alp.v2", formats=["SVG", ".png", "svg"])
    assert [path.name for path in written] == ["alp.v2.svg", "alp.v2.png"]
    assert sorted(path.name for path in written[0].parent.iterdir()) == ["alp.v2.png", "alp.v2.svg"]


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("x.gif", {}, "one of pdf, svg, png, pgf; got 'gif'"),
        ("x", {}, "got ''"),
        ("x", {"formats": []}, "no format was given"),
        ("x", {"formats": ["jpeg"]}, "got 'jpeg'"),
        ("x.png", {"dpi": 0}, "dpi must be between 10 and 2400; got 0"),
    ],
)
def test_bad_requests_are_refused(tmp_path, path, options, message):
    with pytest.raises(FigureError, match=re.escape(message)):
        figures.save(figures.alp_diagram(), tmp_path / path, **options)


def test_only_figures_can_be_saved(tmp_path):
    with pytest.raises(FigureError, match="figure or axes; got str"):
        figures.save("picture", tmp_path / "x.svg")


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("old")
    with pytest.raises(OutputError, match=r"file.x\.svg.*cannot be written"):
        figures.save(figures.alp_diagram(), blocked / "x.svg")
    folder = tmp_path / "x.svg"
    folder.mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        figures.save(figures.alp_diagram(), folder)
    assert blocked.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "x.svg"]


def test_a_foreign_figure_can_be_saved_too(tmp_path):
    figure = Figure()
    figure.add_subplot().plot([1, 2])
    (path,) = figures.save(figure, tmp_path / "own.svg")
    root = ElementTree.fromstring(path.read_bytes())
    assert root.get("aria-labelledby") == "title"
    assert figures.alt_text(figure) == ""


def test_save_all_writes_every_figure_of_a_comparison(small, tmp_path):
    written = small.plot.save_all(tmp_path, formats=["svg"], width="acm")
    expected = [name for name, entry in figures.FIGURES.items() if entry.feeds_on == "comparison"]
    assert [path.stem for path in written] == expected
