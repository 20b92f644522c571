"""Sizes, colours, and files with the same bytes every time."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from occstats import figures
from occstats.errors import OutputError
from occstats.figures._style import MissingGlyphWarning, preset, series_styles

SVG = "{http://www.w3.org/2000/svg}"

# -- sizes and colours -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "inches"),
    [
        ("ieee", 252 / 72.27),
        ("IEEE-wide", 516 / 72.27),
        (5, 5.0),
        ("90mm", 90 / 25.4),
        ("12.2 cm", 122 / 25.4),
    ],
)
def test_presets_and_lengths(width, inches):
    assert preset(width).width == pytest.approx(inches)


def test_series_differ_in_colour_or_marker_and_neighbours_in_all():
    looks = list(series_styles(map(str, range(72))).values())
    assert len({(look.color, look.marker) for look in looks}) == 72
    for one, other in itertools.pairwise(looks):
        assert one.color != other.color
        assert one.marker != other.marker
        assert one.linestyle != other.linestyle


# Matrices for full deficiency: Machado, Oliveira and Fernandes (2009), table 1, severity 1.0.
SEEN = {
    "none": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


@pytest.mark.parametrize("deficiency", SEEN)
def test_colours_can_be_told_apart(deficiency):
    colours = [to_rgb(look.color) for look in series_styles(map(str, range(8))).values()]
    linear = np.power(colours, 2.2) @ np.transpose(SEEN[deficiency])
    seen = np.clip(linear, 0, 1) ** (1 / 2.2)
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.18


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"), [("kendall", "pdf"), ("pairwise", "svg"), ("ranks", "png")]
)
def test_bytes_are_the_same_in_any_style(small, tmp_path, name, kind):
    draw = getattr(small.plot, name)
    first = figures.save(draw(), tmp_path / f"a.{kind}", title="t")
    other = {
        "font.size": 20, "axes.unicode_minus": False, "svg.fonttype": "path",
        "font.sans-serif": ["DejaVu Serif"], "xtick.major.pad": 9, "figure.autolayout": True,
    }  # fmt: skip
    with matplotlib.rc_context(other):
        drawn = draw()
        second = figures.save(drawn, tmp_path / f"b.{kind}", title="t")
    third = figures.save(drawn, tmp_path / f"c.{kind}", title="t")
    assert first[0].read_bytes() == second[0].read_bytes() == third[0].read_bytes()


@pytest.fixture(scope="module")
def saved(lenz2021, tmp_path_factory):
    """A figure, and its files by format."""
    axes = lenz2021.plot.kendall(width="ieee")
    path = tmp_path_factory.mktemp("saved") / "tau"
    files = figures.save(axes, path, formats=["SVG", ".pdf", "png", "svg"], title="Tau", dpi=200)
    assert [file.name for file in files] == ["tau.svg", "tau.pdf", "tau.png"]
    return axes, {file.suffix[1:]: file for file in files}


def test_files_have_title_description_and_text(saved):
    axes, files = saved
    markup, data = files["svg"].read_text(), files["pdf"].read_bytes()
    root = ElementTree.fromstring(markup)
    assert root.find(f"{SVG}title").text == "Tau"
    assert figures.alt_text(axes) in "".join(root.itertext())
    assert {"ALP", "SVM", ".92"} <= {element.text for element in root.iter(f"{SVG}text")}
    assert "<dc:date>" not in markup
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    assert b"CreationDate" not in data
    assert b"Heat map of weighted Kendall" in data
    with Image.open(files["png"]) as image:
        assert image.text["Description"] == figures.alt_text(axes)
        assert image.width == 697


def test_markup_for_a_page_has_its_own_identifiers_and_no_styles(saved):
    axes, _ = saved
    pages = [figures.svg_markup(axes, identity=name, title="t") for name in ("one", "two")]
    identifiers = [set(re.findall(r'\bid="([^"]+)"', page)) for page in pages]
    assert not identifiers[0] & identifiers[1]
    for page, own in zip(pages, identifiers, strict=True):
        references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', page))
        assert references
        assert references <= own
        root = ElementTree.fromstring(page)
        assert page.startswith("<svg")
        assert not [e for e in root.iter() if e.tag == f"{SVG}style" or "style" in e.attrib]
        assert all(e.get("font-size", "").endswith("px") for e in root.iter(f"{SVG}text"))
        assert root.get("stroke-linejoin") == "round"
        assert set(root.get("aria-labelledby").split()) <= own
        assert root.find(f"{SVG}desc").text == figures.alt_text(axes)


def test_hostile_names_stay_text(hostile):
    axes = hostile.plot.mean_ranks()
    markup = figures.svg_markup(axes, identity='"><script>', title="<&\x00")
    root = ElementTree.fromstring(markup)
    assert root.find(f"{SVG}title").text == "<&\\x00"
    drawn = [element.text for element in root.iter(f"{SVG}text")]
    names = {"$", "a_b^c{", r"\input{/etc/passwd}", "近傍法の平均局所近接度", r"two\nlines"}
    assert names <= set(drawn)
    assert not list(root.iter(f"{SVG}script"))


def test_letters_without_a_font_are_named_in_one_warning(small, tmp_path):
    axes = small.plot.mean_ranks(labels={"ALP": "𓀀 𓀁"})
    with pytest.warns(MissingGlyphWarning, match="no installed font has 𓀀 𓀁") as caught:
        figures.save(axes, tmp_path / "ranks", formats=["png", "svg"], dpi=50)
    assert len(caught) == 1
    # An SVG uses the fonts of its viewer: no warning (which would be an error here).
    figures.save(axes, tmp_path / "ranks.svg")


def test_names_of_files(tmp_path):
    (written,) = figures.save(figures.alp_diagram(), tmp_path / "new" / "alp.v2", formats="svg")
    assert written == tmp_path / "new" / "alp.v2.svg"
    assert [path.name for path in written.parent.iterdir()] == ["alp.v2.svg"]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path):
    blocked, folder = tmp_path / "file", tmp_path / "x.svg"
    blocked.write_text("old")
    folder.mkdir()
    with pytest.raises(OutputError, match=r"file.x\.svg.*cannot be written"):
        figures.save(Figure(), blocked / "x.svg")
    with pytest.raises(OutputError, match="cannot be written"):
        figures.save(Figure(), folder)
    assert blocked.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "x.svg"]


def test_any_figure_can_be_saved(tmp_path):
    figure = Figure()
    figure.add_subplot().plot([1, 2])
    (path,) = figures.save(figure, tmp_path / "own.svg")
    assert ElementTree.fromstring(path.read_bytes()).find(f"{SVG}title").text == "own"
    assert figures.alt_text(figure) == ""
