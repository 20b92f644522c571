"""Every pair in one matrix: differences, p-values and wins/ties/losses; or p-values alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from numpy.typing import ArrayLike, NDArray

from occstats._format import decimals, minus_signs, p_writer
from occstats.comparison import Comparison
from occstats.comparison.settings import ESTIMANDS
from occstats.figures._base import (
    NUMBER_CELL,
    Order,
    PairDecisions,
    Plot,
    fence,
    matrix_limit,
    pair_decisions,
    pair_square,
    score_label,
)
from occstats.figures._labels import clean, measure
from occstats.figures._style import BLUE, ArtistOptions, Width, ink, ink_on, paper

# Steps of p below the level, each with a darker colour.
_STEPS = (0.01, 0.001)
_SHARES = (("wins", BLUE, ""), ("ties", "#C8C8C8", ""), ("losses", "#E69F00", "//////"))


def pairwise(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool | None = None,
) -> Axes:
    """Draw every pair of algorithms as one matrix that is legible in a single column.

    Above the diagonal: the difference of row minus column (positive: the row is better) and the
    p-value that decides, bold and framed where the difference is significant. Below the diagonal:
    the shares of tasks that the row wins, ties and loses against the column. If there is no room
    for numbers, only colours are drawn.

    Parameters
    ----------
    comparison : Comparison
        Its frames `pairwise` and `summary` are drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.pairwise(width="acm")
    """
    with Plot(ax, width, note) as plot:
        limit = matrix_limit(plot.inches)
        names = plot.algorithms(comparison, limit, algorithms, order, labels, highlight)
        axes, cell = _frame(plot, names)
        decisions = pair_decisions(comparison, names)
        reach = _strongest(decisions)
        # Without the strongest colours, black numbers stay legible on all cells. With many ties
        # there is no shift; the decision is drawn all the same.
        shares = np.clip(np.nan_to_num(decisions.difference) / (2.2 * reach), -1, 1)
        colours = matplotlib.colormaps["PuOr"](0.5 + shares / 2)
        write_p, numbers = p_writer(comparison.settings), cell >= 0.999 * NUMBER_CELL
        known = np.triu(decisions.tested | np.isfinite(decisions.difference), 1)
        texts = {
            (row, column): f"{_signed(decisions.difference[row, column])}\n"
            f"{_short(write_p(decisions.p[row, column]))}"
            for row, column in np.argwhere(known).tolist()
        }
        _draw_cells(axes, decisions, colours, texts, written=numbers)
        rows, columns = np.nonzero(known & decisions.differ)
        edges = [ink_on(colour) for colour in colours[rows, columns]]
        frames: ArtistOptions = {"facecolors": "none", "edgecolors": edges, "linewidths": 0.7}
        _rectangles(axes, columns + 0.04, rows + 0.04, 0.92, 0.92, **frames)
        form = _draw_shares(axes, comparison, names, cell)
        value = ", and p" if numbers else f" (strongest colour: ±{reach:.2g})"
        plot.note(
            f"Above: {ESTIMANDS[comparison.settings.estimand or 'typical']} in "
            f"{score_label(comparison)}, row − column{value}; framed: significant "
            f"{decisions.basis}. Below: row wins (solid), ties (pale), loses (hatched)"
            + (f"; {form} in % of the tasks." if form else ".")
        )
        return plot.finish(axes, _alternative_text(decisions, "difference, wins and p-value"))


def p_values(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool | None = None,
) -> Axes:
    """Draw the deciding p-values of all pairs as a heat map, as `sign_plot` of scikit-posthocs.

    Significant pairs are coloured in steps of the p-value: blue if the row is better, orange if
    the column is. Grey pairs have no significant difference, and pairs without a test are empty.

    Parameters
    ----------
    comparison : Comparison
        Its frames `pairwise` and `summary` are drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.p_values()
    """
    with Plot(ax, width, note) as plot:
        limit = matrix_limit(plot.inches)
        names = plot.algorithms(comparison, limit, algorithms, order, labels, highlight)
        axes, cell = _frame(plot, names)
        decisions = pair_decisions(comparison, names)
        depth = 0.25 + 0.2 * np.sum([decisions.p <= step for step in _STEPS], axis=0)
        better = (decisions.conclusion == "better")[..., None]
        maps = matplotlib.colormaps["Blues"], matplotlib.colormaps["Oranges"]
        significant = np.where(better, *(colours(depth) for colours in maps))
        colours = np.where(decisions.differ[..., None], significant, to_rgba("#F7F7F7"))
        write_p = p_writer(comparison.settings)
        texts = {
            (row, column): _short(write_p(decisions.p[row, column]))
            for row, column in np.argwhere(decisions.tested).tolist()
        }
        widest = max((measure(text, _number_size()) for text in texts.values()), default=0.0)
        _draw_cells(axes, decisions, colours, texts, written=widest <= 0.92 * cell)
        plot.note(
            f"Blue: row better, orange: column better, darker from p ≤ {_STEPS[0]:g} and "
            f"{_STEPS[1]:g}; grey: no significant difference {decisions.basis}."
        )
        return plot.finish(axes, _alternative_text(decisions, "p-value"))


def _frame(plot: Plot, names: list[str]) -> tuple[Axes, float]:
    """Return axes with a cell for each pair, and the size of a cell in inches."""
    rows, columns, cell, top, angle = plot.matrix_labels(names)
    count = len(names)
    axes = plot.axes(cell * count + top + 0.1)
    axes.set(xlim=(0, count), ylim=(count, 0), aspect="equal")
    axes.set_yticks(np.arange(count) + 0.5, rows, fontsize="small")
    axes.set_xticks(np.arange(count) + 0.5, columns, rotation=angle, fontsize="small")
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    plot.emphasise(axes.get_yticklabels(), names)
    plot.emphasise(axes.get_xticklabels(), names)
    axes.grid(visible=False)
    axes.tick_params(length=0, pad=2)
    axes.spines[:].set_visible(False)
    diagonal = np.arange(count)
    _rectangles(axes, diagonal, diagonal, 1, 1, facecolors="#EFEFEF", linewidths=0)
    return axes, cell


def _rectangles(
    axes: Axes, x: ArrayLike, y: ArrayLike, width: ArrayLike, height: float, **style: Any
) -> None:
    """Draw rectangles as one collection, which takes a tenth of the time of single patches."""
    left, top, right = np.broadcast_arrays(x, y, np.add(x, width))
    bottom = top + height
    corners = np.stack([left, top, right, top, right, bottom, left, bottom], axis=-1)
    axes.add_collection(PolyCollection(list(corners.reshape(-1, 4, 2)), **style), autolim=False)


def _strongest(decisions: PairDecisions) -> float:
    """Return the difference with the strongest colour."""
    upper = np.abs(decisions.difference[np.triu_indices(len(decisions.names), 1)])
    # One outlying algorithm must not give all others the same colour.
    return fence(np.concatenate([-upper, upper]))[1] or 1.0


def _draw_cells(
    axes: Axes,
    decisions: PairDecisions,
    colours: NDArray[np.float64],
    texts: Mapping[tuple[int, int], str],
    *,
    written: bool,
) -> None:
    """Draw the cells of some pairs; the numbers of those that differ significantly are bold."""
    if not texts:
        return
    rows, columns = np.transpose([*texts])
    colour = colours[rows, columns]
    _rectangles(axes, columns, rows, 1, 1, facecolors=colour, edgecolors=paper(), linewidths=0.6)
    strong, on_cell = decisions.differ[rows, columns], [ink_on(one) for one in colour]
    if written:
        for (row, column), one, bold in zip(texts, on_cell, strong, strict=True):
            text, weight = texts[row, column], "bold" if bold else "normal"
            _write(axes, column, row + 0.5, text, color=one, weight=weight, linespacing=1.25)


def _draw_shares(axes: Axes, comparison: Comparison, names: list[str], inches: float) -> str:
    """Draw the cells below the diagonal; return which of their numbers fit."""
    kinds = [kind for kind, _, _ in _SHARES]
    squares = np.array([pair_square(comparison, names, kind) for kind in kinds], dtype=float)
    squares = squares / squares.sum(axis=0)
    rows, columns = np.nonzero(np.tril(np.isfinite(squares).all(axis=0), -1))
    shares = squares[:, rows, columns]
    forms = {
        "wins/ties/losses": [_three(share) for share in shares.T],
        "wins:losses": [f"{100 * share[0]:.0f}:{100 * share[2]:.0f}" for share in shares.T],
    }
    written = ""
    for form, texts in forms.items():
        if max((measure(text, _number_size()) for text in texts), default=0) <= 0.96 * inches:
            written = form
            break
    left, height = columns + 0.07, 0.3 if written else 0.72
    for part, (_, colour, hatch) in zip(0.86 * shares, _SHARES, strict=True):
        style: ArtistOptions = {"facecolors": colour, "edgecolors": paper(), "linewidths": 0}
        _rectangles(axes, left, rows + 0.14, part, height, hatch=hatch, **style)
        left = left + part
    for row, column, text in zip(
        rows.tolist(), columns.tolist(), forms.get(written, ()), strict=bool(written)
    ):
        _write(axes, column, row + 0.72, text, color=ink())
    return written


def _write(axes: Axes, column: int, y: float, text: str, **style: Any) -> None:
    centre: ArtistOptions = {"ha": "center", "va": "center", "fontsize": _number_size()}
    axes.text(column + 0.5, y, text, in_layout=False, **centre, **style)


def _three(share: NDArray[np.float64]) -> str:
    """Return wins, ties and losses in per cent, rounded so that they add up to 100."""
    wins, losses = round(100 * share[0]), round(100 * share[2])
    return f"{wins}/{max(100 - wins - losses, 0)}/{losses}"


def _number_size() -> float:
    return max(float(matplotlib.rcParams["font.size"]) - 2.0, 6.0)


def _signed(value: float) -> str:
    digits = 3 if not abs(value) >= 1 else (1 if abs(value) < 100 else 0)
    return _short(decimals(digits, signed=True)(value))


def _short(number: str) -> str:
    """Write a number without its leading zero.

    >>> _short("-0.021"), _short("<0.001"), _short("10.5")
    ('−.021', '<.001', '10.5')
    """
    return minus_signs(re.sub(r"(?<!\d)0\.", ".", number))


def _alternative_text(decisions: PairDecisions, content: str) -> str:
    names, difference = decisions.names, decisions.difference
    differ = int(np.triu(decisions.differ, 1).sum())
    tested = int(np.triu(decisions.tested, 1).sum())
    text = (
        f"Matrix of all pairs of {len(names)} algorithms with {content}. "
        f"{differ} of {tested} tested pairs differ significantly {decisions.basis}."
    )
    upper = np.where(np.triu(np.ones_like(difference, dtype=bool), 1), np.abs(difference), np.nan)
    if np.isfinite(upper).any():
        row, column = np.unravel_index(np.nanargmax(upper), upper.shape)
        text += (
            f" The largest difference is {difference[row, column]:.3f}, "
            f"{clean(names[row])} minus {clean(names[column])}."
        )
    return text
