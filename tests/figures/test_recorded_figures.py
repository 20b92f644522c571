"""Every figure draws what was recorded: texts, lines, bars, cells, colours, notes.

After an intended change, record again, and read the difference:

    OCCSTATS_RECORD=1 python -m pytest tests/figures/test_recorded_figures.py
"""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex, to_rgb
from matplotlib.contour import ContourSet
from matplotlib.ticker import FixedFormatter

import occstats
from occstats import figures
from occstats.figures import FIGURES
from occstats.figures._style import note_of, root_figure

from .conftest import results_frame

RECORD = bool(os.environ.get("OCCSTATS_RECORD"))
RECORDED = Path(__file__).parents[1] / "reference" / "recorded" / "figures.json"
# Stems and bars of the diagram are spread by the widths of letters, which differ a little between
# versions of FreeType.
LOOSE = {"critical_difference": 0.02}
OF_COMPARISON = [name for name, entry in FIGURES.items() if entry.needs == ("comparison",)]
CASES = [("few", name) for name in FIGURES]
CASES += [(case, name) for case in ("many", "loss") for name in OF_COMPARISON]
# Options of the loss, where a figure takes them.
OPTIONS = {"order": "similarity", "highlight": "A1", "labels": {"A3": "Machine"}, "width": "page"}


@pytest.fixture(scope="module")
def sources(unbalanced, times_frame, sweep_frame):
    names = [f"algorithm {place}" for place in range(20)]
    few = occstats.compare(unbalanced, n_resamples=100)
    many = occstats.compare(results_frame(names, list("abcdefgh"), 2), n_resamples=100)
    loss = unbalanced.assign(reward=-unbalanced["reward"])
    told = {"lower_is_better": True, "estimand": "mean", "margin": 0.06, "control": "A2"}
    loss = occstats.compare(loss, **told, n_resamples=100)
    times = times_frame.replace({"descriptor": {"NND": "A0", "SVM": "A1", "IF": "A2"}})
    return {"few": few, "many": many, "loss": loss, "times": times, "sweep": sweep_frame}


@pytest.fixture(scope="module")
def recorded():
    if not RECORD:
        yield json.loads(RECORDED.read_text(encoding="utf-8"))
        return
    found = {}
    yield found
    lines = [f"{json.dumps(key)}: {json.dumps(found[key])}" for key in sorted(found)]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


@pytest.mark.parametrize(("case", "name"), CASES)
def test_every_figure_draws_what_was_recorded(sources, recorded, case, name):
    given = [sources[case if need == "comparison" else need] for need in FIGURES[name].needs]
    draw = getattr(figures, name)
    taken = OPTIONS.keys() & inspect.signature(draw).parameters if case == "loss" else ()
    drawn = draw(*given, **{option: OPTIONS[option] for option in taken})
    found = json.loads(json.dumps(contents(drawn)))
    if RECORD:
        recorded[f"{case} {name}"] = found
    assert f"{case} {name}" in recorded, "not recorded yet; see `make record`"
    check_same(found, recorded[f"{case} {name}"], LOOSE.get(name, 1e-6), f"{case} {name}")


def check_same(found, expected, tolerance, place):
    """Compare nested lists and dictionaries; colours may differ by rounding."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), place
        for key, value in expected.items():
            check_same(found[key], value, tolerance, f"{place}, {key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for number, value in enumerate(expected):
            check_same(found[number], value, tolerance, f"{place}, {number}")
    elif isinstance(expected, str) and expected.startswith("#"):
        assert to_rgb(found) == pytest.approx(to_rgb(expected), abs=0.02), place
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), place
    else:
        assert found == expected, place


# -- what is drawn ---------------------------------------------------------------------------------


def contents(drawn):
    figure = root_figure(drawn)
    return {
        "note": note_of(figure),
        "alternative": figures.alt_text(drawn),
        "axes": [axes_contents(axes) for axes in figure.axes],
        "legends": [legend_contents(legend) for legend in figure.legends],
    }


def axes_contents(axes):
    found = {
        "labels": [flat(text) for text in (axes.get_title(), axes.get_xlabel(), axes.get_ylabel())],
        "scales": [axes.get_xscale(), axes.get_yscale()],
        "inverted": [bool(axis.get_inverted()) for axis in (axes.xaxis, axes.yaxis)],
        "ticks": [fixed_labels(axes.xaxis), fixed_labels(axes.yaxis)],
        "texts": [
            [flat(text.get_text()), text.get_fontweight(), *numbers(place_of(text, axes))]
            for text in axes.texts
        ],
        "lines": [line_contents(line) for line in axes.lines],
        "patches": [
            [to_hex(patch.get_facecolor()), patch.get_hatch(), *numbers(patch.get_bbox())]
            for patch in axes.patches
            if hasattr(patch, "get_bbox")
        ],
        "collections": [collection_contents(one) for one in axes.collections],
        "legend": legend_contents(axes.get_legend()),
    }
    return {key: value for key, value in found.items() if value}


def line_contents(line):
    style = [to_hex(line.get_color()), line.get_marker(), str(line.get_linestyle())]
    return [*style, *numbers(line.get_xydata())]


def collection_contents(one):
    colours = [to_hex(colour) for colour in one.get_facecolor()]
    found = [type(one).__name__, one.get_hatch(), colours]
    # Contours depend on the library that computes them.
    if isinstance(one, QuadMesh | ContourSet):
        return [*found[:2], numbers(one.get_array())]
    paths = [path.vertices for path in one.get_paths()]
    offsets = np.asarray(one.get_offsets(), dtype=float)
    if len(offsets) > 1 or offsets.any():
        return [*found, numbers(offsets), numbers(one.get_sizes())]
    return [*found, numbers(np.concatenate(paths) if paths else [])]


def legend_contents(legend):
    if legend is None:
        return []
    entries = zip(legend.legend_handles, legend.get_texts(), strict=True)
    return [[flat(text.get_text()), *line_contents(handle)] for handle, text in entries]


def fixed_labels(axis):
    formatter = axis.get_major_formatter()
    return [flat(text) for text in formatter.seq] if isinstance(formatter, FixedFormatter) else []


def place_of(text, axes):
    if hasattr(text, "xy"):
        return text.xy
    return text.get_position() if text.get_transform() == axes.transData else ()


def flat(text):
    """Return a text on one line: where it is wrapped depends on the widths of letters."""
    return " ".join(text.split())


def numbers(values):
    """Return numbers with six digits; many of them as their count and two weighted sums."""
    found = np.asarray(values, dtype=float).ravel()
    if len(found) > 60:
        known = np.nan_to_num(found)
        ramp = np.cos(np.arange(len(known)))
        found = np.array([len(known), known.mean(), known @ ramp])
    return [float(f"{value:.6g}") if np.isfinite(value) else str(value) for value in found]
