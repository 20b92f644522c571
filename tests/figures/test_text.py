"""Any name becomes a label: literal, bounded, distinct, and never mathematics."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from occstats.figures.svg import svg_markup
from occstats.figures.text import clean, display_width, label, labels, shorten, wrap

ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)


@given(ANY_TEXT)
def test_clean_leaves_nothing_invisible(name):
    text = clean(name)
    kinds = {unicodedata.category(sign) for sign in text} - {"Cf"}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}
    text.encode("utf-8")


@given(ANY_TEXT, st.integers(3, 30))
def test_a_label_is_no_wider_than_its_limit(name, limit):
    assert display_width(label(name, limit).replace(r"\$", "$")) <= limit


@given(st.lists(ANY_TEXT, unique_by=clean, max_size=12), st.integers(8, 20))
def test_labels_stay_distinct(names, limit):
    assert len(set(labels(names, limit))) == len(names)


@given(st.lists(st.text("xy", min_size=100, max_size=100), unique=True, min_size=2, max_size=6))
def test_names_that_differ_in_the_middle_are_numbered(names):
    drawn = labels(names, 10)
    assert len(set(drawn)) == len(names)
    assert all(display_width(text) <= 11 for text in drawn)


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


def test_wide_letters_count_twice():
    assert display_width("近傍 a") == 6
    assert shorten("近傍法の平均局所近接度", 9) == "近傍…度"


def test_a_mark_never_loses_its_letter():
    assert "\u0301" not in shorten("abcdefgh" + "e\u0301" * 8, 6).split("…")[1][:1]


def test_wrapped_prose_keeps_its_words():
    text = "one two three four five six seven eight nine ten"
    assert wrap(text, 1.0, 8).split() == text.split()
    assert max(map(len, wrap(text, 1.0, 8).splitlines())) <= 16
