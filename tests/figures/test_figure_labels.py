"""Labels from arbitrary names: literal, bounded, distinct, and never mathematics."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from rich.cells import cell_len

from occstats.figures import svg_markup
from occstats.figures._labels import clean, fitted, label, measure, wrap

ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)


@given(ANY_TEXT)
def test_clean_leaves_nothing_invisible(name):
    text = clean(name)
    kinds = {unicodedata.category(sign) for sign in text} - {"Cf"}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    text.encode("utf-8")


@given(ANY_TEXT, st.integers(3, 30))
def test_a_label_is_no_wider_than_its_limit(name, limit):
    assert cell_len(label(name, limit).replace(r"\$", "$")) <= limit


@settings(max_examples=50, deadline=None)
@given(st.lists(ANY_TEXT, unique_by=clean, max_size=8), st.floats(0.3, 2), st.integers(1, 3))
def test_labels_fit_and_stay_distinct(names, inches, lines):
    names = [clean(name) for name in names]
    drawn = fitted(names, inches, size=8, lines=lines)
    widest = max((measure(line, 8) for text in drawn for line in text.split("\n")), default=0)
    assert widest <= inches
    assert len(set(drawn)) == len(names)
    assert all(text.count("\n") < lines for text in drawn)
    for name, text in zip(names, drawn, strict=True):
        whole = "".join(text.split()) == "".join(name.split())
        assert whole or "…" in text


def test_a_long_name_is_wrapped_at_its_joints():
    names = ["Deep SVDD (soft boundary)", "IsolationForestWithExtendedSplits", "short"]
    drawn = fitted(names, 1.2, size=8, lines=2)
    assert drawn == ["Deep SVDD (soft\nboundary)", "IsolationForestWith\nExtendedSplits", "short"]


def test_a_long_name_loses_whole_words():
    assert label("boosted_nearest-neighbour_001", 20) == "boosted_nearest…001"
    assert label("RandomIntervalSpectralEnsemble", 20) == "Random…Ensemble"
    # Single letters are cut where words would leave too little.
    assert label("a_veryveryverylongword_b", 14) == "a_veryve…ord_b"
    drawn = fitted(["boosted_nearest-neighbour_001", "v2_LightGBM_007"], 0.85, size=8, lines=2)
    assert drawn == ["boosted…\nneighbour_001", "v2_LightGBM_\n007"]


def test_names_that_differ_in_their_middle_stay_distinct():
    drawn = fitted(["x" * 40 + middle + "x" * 40 for middle in "abc"], 1, size=8)
    assert [text[-5:] for text in drawn[1:]] == ["x…(2)", "x…(3)"]


@settings(max_examples=25, deadline=None)
@given(ANY_TEXT)
def test_any_label_draws_literally_in_valid_xml(name):
    figure = Figure(figsize=(2, 1))
    figure.text(0, 0, label(name, 200))
    root = ElementTree.fromstring(svg_markup(figure, title=name))
    drawn = "".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert drawn.split() == clean(name).split()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cost $", r"cost \$"),
        ("$a$", r"\$a\$"),
        (r"\$", r"\\$"),
        ("a_b^c", "a_b^c"),
        ("line\nbreak", r"line\nbreak"),
        ("reverse\u202etxt", r"reverse\u202etxt"),
        ("\ufffe", "\ufffd"),
    ],
)
def test_known_troubles(name, expected):
    assert label(name) == expected


def test_wide_letters_count_twice_and_a_mark_keeps_its_letter():
    assert label("近傍法の平均局所近接度", 9) == "近傍法…度"
    assert "\u0301" not in label("abcdefgh" + "e\u0301" * 8, 6).split("…")[1][:1]


def test_prose_is_wrapped_between_words_and_not_at_hyphens():
    text = "one two three four five six seven eight nine ten"
    assert wrap(text, 1.0, 8).split() == text.split()
    assert max(map(len, wrap(text, 1.0, 8).splitlines())) <= 16
    names = wrap("the boosted and nearest-neighbour", 1.2, 8)
    assert names.splitlines() == ["the boosted and", "nearest-neighbour"]
