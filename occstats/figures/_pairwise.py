"""Every pair in one matrix: difference and p-value above, wins/ties/losses below."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from occstats._checks import check_choice
from occstats._format import decimals, minus_signs, p_writer
from occstats.comparison import Comparison
from occstats.comparison.choices import ESTIMANDS
from occstats.figures._base import (
    Order,
    PairDecisions,
    Plot,
    fence,
    matrix_limit,
    pair_decisions,
    score_label,
)
from occstats.figures._labels import clean, measure
from occstats.figures._style import BLUE, ArtistOptions, Theme, Width, ink, ink_on, paper

# Inches in which two lines of 6 points still fit.
_LEAST_CELL = 0.29
# Steps of p below the level, each with a darker colour.
_STEPS = (0.01, 0.001)
_SHARES = (("wins", BLUE, ""), ("ties", "#C8C8C8", ""), ("losses", "#E69F00", "//////"))


def pairwise(
    comparison: Comparison,
    *,
    cells: Literal["difference", "p"] = "difference",
    algorithms: Sequence[str] | None = None,
    order: Order = "rank",
    show: int | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    height: float | None = None,
    theme: Theme = "house",
    title: str | None = None,
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
    cells : {"difference", "p"}
        Colour the cells above the diagonal by the difference; or by the p-value, in steps, and
        print it alone, as `sign_plot` of scikit-posthocs does.
    algorithms, order, show, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, height, theme, title, note : optional
        Where to draw, size, style, title and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.pairwise(width="acm")
    """
    with Plot(ax, width, height, theme, title, note) as plot:
        check_choice("cells", cells, ("difference", "p"))
        limit = matrix_limit(plot.inches)
        names = plot.algorithms(comparison, limit, algorithms, order, show, labels, highlight)
        rows, columns, cell, top, angle = plot.matrix_labels(names)
        numbers = cell >= _LEAST_CELL
        axes = plot.axes(cell * len(names) + top + 0.1)
        _frame(axes, plot, names, rows, columns, angle)
        decisions = pair_decisions(comparison, names)
        colours = (_colours_of_p if cells == "p" else _colours_of_differences)(decisions)
        write_p = p_writer(comparison.settings)
        _draw_cells(axes, decisions, colours, write_p if numbers else None, alone=cells == "p")
        shares = _shares(axes, comparison, names, cell)
        plot.note(_note(comparison, decisions, cells, numbers, shares))
        return plot.finish(_alternative_text(decisions))


def _frame(
    axes: Axes, plot: Plot, names: list[str], rows: list[str], columns: list[str], angle: int
) -> None:
    count = len(names)
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
    for place in range(count):
        axes.add_patch(Rectangle((place, place), 1, 1, facecolor="#EFEFEF", lw=0))


def _strongest(decisions: PairDecisions) -> float:
    """Return the difference with the strongest colour."""
    upper = np.abs(decisions.difference[np.triu_indices(len(decisions.names), 1)])
    # One outlying algorithm must not give all others the same colour.
    return fence(np.concatenate([-upper, upper]))[1] or 1.0


def _colours_of_differences(decisions: PairDecisions) -> NDArray[np.float64]:
    # Without the strongest colours, black numbers stay legible on all cells.
    reach = 2.2 * _strongest(decisions)
    # With many ties there is no shift; the decision is drawn all the same.
    shares = np.clip(np.nan_to_num(decisions.difference) / reach, -1, 1)
    return np.asarray(matplotlib.colormaps["PuOr"](0.5 + shares / 2))


def _colours_of_p(decisions: PairDecisions) -> NDArray[np.float64]:
    """Colour the significant pairs by p in three steps: blue, or orange if the row is worse."""
    depth = 0.25 + 0.2 * np.sum([decisions.p <= step for step in _STEPS], axis=0)
    better = (decisions.conclusion == "better")[..., None]
    maps = matplotlib.colormaps["Blues"], matplotlib.colormaps["Oranges"]
    significant = np.where(better, *(colours(depth) for colours in maps))
    return np.where(decisions.differ[..., None], significant, to_rgba("#F4F4F4"))


def _draw_cells(
    axes: Axes,
    decisions: PairDecisions,
    colours: NDArray[np.float64],
    write_p: Callable[[float], str] | None,
    *,
    alone: bool,
) -> None:
    """Draw the cells above the diagonal, with the difference and p, or p alone, if they fit."""
    known = decisions.tested | np.isfinite(decisions.difference)
    for row, column in np.argwhere(np.triu(known, 1)):
        colour = colours[row, column]
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=colour, edgecolor=paper(), lw=0.6))
        strong, on_cell = bool(decisions.differ[row, column]), ink_on(colour)
        if strong:
            corner = (column + 0.04, row + 0.04)
            axes.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=on_cell, lw=0.7))
        if write_p is not None:
            p = _short(write_p(decisions.p[row, column]))
            text = p if alone else f"{_signed(decisions.difference[row, column])}\n{p}"
            weight = "bold" if strong else "normal"
            _write(axes, column, row + 0.5, text, color=on_cell, weight=weight, linespacing=1.25)


def _shares(axes: Axes, comparison: Comparison, names: list[str], inches: float) -> str:
    """Draw the cells below the diagonal; return which of their numbers fit."""
    squares = np.array(
        [comparison.matrix(kind).loc[names, names].to_numpy(dtype=float) for kind, _, _ in _SHARES]
    )
    squares = squares / squares.sum(axis=0)
    below = np.tril(np.isfinite(squares).all(axis=0), -1)
    cells = {(row, column): squares[:, row, column] for row, column in np.argwhere(below).tolist()}
    size = _number_size()
    forms = {
        "wins/ties/losses": {place: _three(share) for place, share in cells.items()},
        "wins:losses": {
            place: f"{100 * share[0]:.0f}:{100 * share[2]:.0f}" for place, share in cells.items()
        },
    }
    written, texts = "", dict.fromkeys(cells, "")
    for form, candidates in forms.items():
        widest = max((measure(text, size) for text in candidates.values()), default=0)
        if widest <= 0.96 * inches:
            written, texts = form, candidates
            break
    for (row, column), share in cells.items():
        left, top, height = column + 0.07, row + 0.14, 0.3 if written else 0.72
        for part, (_, colour, hatch) in zip(share, _SHARES, strict=True):
            style: ArtistOptions = {
                "facecolor": colour,
                "edgecolor": paper(),
                "hatch": hatch,
                "lw": 0,
            }
            axes.add_patch(Rectangle((left, top), 0.86 * part, height, **style))
            left += 0.86 * part
        if written:
            _write(axes, column, row + 0.72, texts[row, column], color=ink())
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


def _note(
    comparison: Comparison, decisions: PairDecisions, cells: str, numbers: bool, shares: str
) -> str:
    estimand = ESTIMANDS[comparison.settings.estimand or "typical"]
    if cells == "p":
        steps = f"{_STEPS[0]:g}, {_STEPS[1]:g} (darker)"
        above = f"p; blue: row better, orange: column better, shades from {steps}"
    else:
        value = ", and p" if numbers else f" (strongest colour: ±{_strongest(decisions):.2g})"
        above = f"{estimand} in {score_label(comparison)}, row − column{value}"
    unit = f"; {shares} in % of the tasks." if shares else "."
    return (
        f"Above: {above}; framed: significant {decisions.basis}. "
        f"Below: row wins (solid), ties (pale), loses (hatched){unit}"
    )


def _alternative_text(decisions: PairDecisions) -> str:
    names, difference = decisions.names, decisions.difference
    differ = int(np.triu(decisions.differ, 1).sum())
    tested = int(np.triu(decisions.tested, 1).sum())
    text = (
        f"Matrix of all pairs of {len(names)} algorithms with difference, p-value and wins, ties "
        f"and losses. {differ} of {tested} tested pairs differ significantly "
        f"{decisions.basis}."
    )
    upper = np.where(np.triu(np.ones_like(difference, dtype=bool), 1), np.abs(difference), np.nan)
    if np.isfinite(upper).any():
        row, column = np.unravel_index(np.nanargmax(upper), upper.shape)
        text += (
            f" The largest difference is {difference[row, column]:.3f}, "
            f"{clean(names[row])} minus {clean(names[column])}."
        )
    return text
