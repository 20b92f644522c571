"""Matrices of pairs of algorithms: labels, sizes, coloured cells and their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import ArrayLike, NDArray

from occstats._format import listing, minus_signs
from occstats.errors import FigureError
from occstats.figures._base import LINE_SPACING, ROWS, Plot
from occstats.figures._labels import escape, measure
from occstats.figures._style import ArtistOptions, ink_on, paper

# Inches: the largest cell, one for two lines of 6 points, one for a number, and the smallest,
# with a number of two digits above it.
_LARGEST_CELL, NUMBER_CELL, _SMALL_CELL, _LEAST_CELL = 0.62, 0.29, 0.25, 10 / 72


def matrix_limit(inches: float, cell: float = _LEAST_CELL) -> int:
    """Return how many algorithms fit a matrix of a width; names take less of it in large cells.

    >>> matrix_limit(3.5), matrix_limit(7.0), matrix_limit(3.5, NUMBER_CELL)
    (15, 30, 9)
    """
    room = (0.67 if cell < NUMBER_CELL else 0.8) * inches - 0.15
    return max(min(ROWS, int(room / cell)), 2)


def matrix_axes(
    plot: Plot, names: list[str], *, enough: float = _SMALL_CELL, top: bool = True
) -> tuple[Axes, float]:
    """Return axes with a cell for each pair, and the size of a cell in inches.

    Names take no more than cells in which the numbers fit, `enough` inches wide, leave.
    """
    count = len(names)
    if count < 2:
        raise FigureError(f"a matrix of pairs needs two algorithms; got {listing(names)}")
    rows, columns, cell, heading, angle = _labels(plot, names, enough)
    axes = plot.axes(cell * count + heading + 0.1)
    axes.set(xlim=(0, count), ylim=(count, 0), aspect="equal")
    if cell < _LARGEST_CELL:
        # In the centre of its room, a large matrix would push the names over the edge.
        axes.set_anchor("NW")
    axes.set_yticks(np.arange(count) + 0.5, rows, fontsize="small", linespacing=LINE_SPACING)
    axes.set_xticks(np.arange(count) + 0.5, columns, rotation=angle, fontsize="small")
    if top:
        axes.xaxis.tick_top()
    plot.emphasise(axes.get_yticklabels(), names)
    plot.emphasise(axes.get_xticklabels(), names)
    axes.grid(visible=False)
    axes.tick_params(length=0, pad=2)
    axes.spines[:].set_visible(False)
    diagonal = np.arange(count)
    draw_rectangles(axes, diagonal, diagonal, 1, 1, facecolors="#EFEFEF", linewidths=0)
    return axes, cell


def _labels(
    plot: Plot, names: list[str], enough: float
) -> tuple[list[str], list[str], float, float, int]:
    """Return labels of rows and columns, sizes of cells and headings, and the headings' angle.

    Columns carry numbers, which the rows explain, if a name is too long for a column.
    """
    called, whole = [plot.called(name) for name in names], plot.inches
    widest = max(measure(text, "small") for text in called)
    numbered = widest > min(0.3 * whole, 1.1)
    columns = rows = [escape(text) for text in called]
    if numbered:
        columns = [str(place) for place in range(1, len(names) + 1)]
        # Names take two fifths of the width: more if a matrix of few algorithms leaves it, less if
        # numbers then fit into the cells, and a third if these would not fit in any case.
        left = whole - 0.15 - enough * len(names)
        room = max(0.4 * whole, whole - 0.15 - _LARGEST_CELL * len(names))
        room = min(room, left) if left > 0.2 * whole else 0.33 * whole
        lines = 2 if whole - 0.15 - room > 0.215 * len(names) else 1
        room -= measure(f" ({columns[-1]})", "small")
        rows = plot.labels(names, room, size="small", lines=lines)
        rows = [f"{row} ({place})" for row, place in zip(rows, columns, strict=True)]
        widest = max(measure(row, "small") for row in rows)
    cell = min((whole - widest - 0.15) / len(names), _LARGEST_CELL)
    upright = not numbered and widest > 0.9 * cell
    return rows, columns, cell, widest if upright else 0.11, 90 if upright else 0


def draw_rectangles(
    axes: Axes, x: ArrayLike, y: ArrayLike, width: ArrayLike, height: ArrayLike, **style: Any
) -> None:
    """Draw rectangles as one collection, which takes a tenth of the time of single patches."""
    left, top, right, bottom = np.broadcast_arrays(x, y, np.add(x, width), np.add(y, height))
    corners = np.stack([left, top, right, top, right, bottom, left, bottom], axis=-1)
    axes.add_collection(PolyCollection(list(corners.reshape(-1, 4, 2)), **style), autolim=False)


def draw_cells(
    axes: Axes,
    colours: NDArray[np.float64],
    texts: Mapping[tuple[int, int], str],
    *,
    bold: NDArray[np.bool_] | None = None,
    written: bool = True,
) -> None:
    """Draw the cells with a text, by row and column, each in its colour."""
    if not texts:
        return
    rows, columns = np.transpose([*texts])
    fills = colours[rows, columns]
    draw_rectangles(axes, columns, rows, 1, 1, facecolors=fills, edgecolors=paper(), linewidths=0.6)
    for (row, column), fill in zip(texts if written else (), fills, strict=written):
        weight = "bold" if bold is not None and bold[row, column] else "normal"
        style: ArtistOptions = {"color": ink_on(fill), "weight": weight, "linespacing": 1.25}
        write_number(axes, column, row + 0.5, texts[row, column], **style)


def write_number(axes: Axes, column: int, y: float, text: str, **style: Any) -> None:
    """Write a number at the middle of a column."""
    centre: ArtistOptions = {"ha": "center", "va": "center", "fontsize": _number_size()}
    axes.text(column + 0.5, y, text, in_layout=False, **centre, **style)


def numbers_fit(texts: Iterable[str], cell: float, share: float = 0.8) -> bool:
    """Return whether all numbers fit a share of the width of a cell."""
    return all(measure(text, _number_size()) <= share * cell for text in texts)


def _number_size() -> float:
    return max(float(matplotlib.rcParams["font.size"]) - 2.0, 6.0)


def short(number: str) -> str:
    """Write a number without its leading zero.

    >>> short("-0.021"), short("<0.001"), short("10.5")
    ('−.021', '<.001', '10.5')
    """
    return minus_signs(re.sub(r"(?<!\d)0\.", ".", number))
