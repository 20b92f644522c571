"""Every pair in one matrix: differences, p-values and wins/ties/losses; or p-values alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from occstats._format import decimals, listing, p_writer
from occstats.comparison import Comparison
from occstats.comparison.settings import ESTIMANDS
from occstats.comparison.text.verdict import difference_of
from occstats.figures._base import (
    Order,
    PairDecisions,
    Plot,
    fence,
    pair_decisions,
    score_label,
)
from occstats.figures._labels import clean
from occstats.figures._matrix import (
    NUMBER_CELL,
    draw_cells,
    draw_rectangles,
    matrix_axes,
    matrix_limit,
    numbers_fit,
    short,
    write_number,
)
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
    note: bool = True,
) -> Axes:
    """Draw every pair of algorithms as one matrix that is legible in a single column.

    Above the diagonal: the difference of row and column, positive if the row is better, and the
    p-value that decides, bold and framed where the difference is significant. Below the diagonal:
    the shares of tasks that the row wins, ties and loses against the column. By default as many
    algorithms are drawn as leave room for numbers; with more, only colours are drawn.

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
        limit = matrix_limit(plot.inches, NUMBER_CELL)
        names = plot.algorithms(comparison, limit, algorithms, order, labels, highlight)
        axes, cell = matrix_axes(plot, names, enough=NUMBER_CELL)
        decisions = pair_decisions(comparison, names)
        upper = np.abs(decisions.difference[np.triu_indices(len(names), 1)])
        # One outlying algorithm must not give all others the same colour.
        reach = fence(np.concatenate([-upper, upper]))[1] or 1.0
        # Without the strongest colours, black numbers stay legible on all cells. With many ties
        # there is no shift; the decision is drawn all the same.
        shares = np.clip(np.nan_to_num(decisions.difference) / (2.2 * reach), -1, 1)
        colours = matplotlib.colormaps["PuOr"](0.5 + shares / 2)
        largest = np.nan_to_num(upper).max(initial=0)
        signed = decimals(3 if largest < 1 else 1 if largest < 100 else 0, signed=True)
        write_p, numbers = p_writer(comparison.settings), cell >= 0.999 * NUMBER_CELL
        known = np.triu(decisions.tested | np.isfinite(decisions.difference), 1)
        texts = {
            (row, column): f"{short(signed(decisions.difference[row, column]))}\n"
            f"{short(write_p(decisions.p[row, column]))}"
            for row, column in np.argwhere(known).tolist()
        }
        # In small cells, bold numbers would touch the frames.
        bold = decisions.differ if cell > 0.33 else None
        draw_cells(axes, colours, texts, bold=bold, written=numbers)
        rows, columns = np.nonzero(known & decisions.differ)
        edges = [ink_on(colour) for colour in colours[rows, columns]]
        frames: ArtistOptions = {"facecolors": "none", "edgecolors": edges, "linewidths": 0.7}
        draw_rectangles(axes, columns + 0.04, rows + 0.04, 0.92, 0.92, **frames)
        tied = bool((comparison.matrix("ties").loc[names, names] > 0).any(axis=None))
        form = _draw_shares(axes, comparison, names, cell)
        value = ", and p" if numbers else f" (strongest colour: ±{reach:.2g})"
        plot.note(
            f"Above: {ESTIMANDS[comparison.settings.estimand or 'typical']} in "
            f"{score_label(comparison)}, "
            f"{difference_of(comparison.results, 'row', 'column')}{value}; framed: significant "
            f"{decisions.basis}. Below: row wins (solid), {'ties (pale), ' * tied}loses (hatched)"
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
    note: bool = True,
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
        axes, cell = matrix_axes(plot, names)
        decisions = pair_decisions(comparison, names)
        depth = 0.25 + 0.2 * np.sum([decisions.p <= step for step in _STEPS], axis=0)
        better = (decisions.conclusion == "better")[..., None]
        maps = matplotlib.colormaps["Blues"], matplotlib.colormaps["Oranges"]
        significant = np.where(better, *(colours(depth) for colours in maps))
        colours = np.where(decisions.differ[..., None], significant, to_rgba("#E3E3E3"))
        write_p = p_writer(comparison.settings)
        texts = {
            (row, column): short(write_p(decisions.p[row, column]))
            for row, column in np.argwhere(decisions.tested).tolist()
        }
        written = numbers_fit(texts.values(), cell)
        draw_cells(axes, colours, texts, bold=decisions.differ, written=written)
        plot.note(
            f"Blue: row better; orange: column better; darker at p ≤ {_STEPS[0]:g} and "
            f"p ≤ {_STEPS[1]:g}; grey: no significant difference {decisions.basis}."
        )
        return plot.finish(axes, _alternative_text(decisions, "p-value"))


def _draw_shares(axes: Axes, comparison: Comparison, names: list[str], inches: float) -> str:
    """Draw the cells below the diagonal; return which of their numbers fit."""
    tables = [comparison.matrix(kind).loc[names, names] for kind, _, _ in _SHARES]
    squares = np.array(tables, dtype=float)
    squares = squares / squares.sum(axis=0)
    rows, columns = np.nonzero(np.tril(np.isfinite(squares).all(axis=0), -1))
    shares = squares[:, rows, columns]
    wins, _, losses = np.round(100 * shares).astype(int)
    # The numbers of a cell add up to 100.
    counts = [*zip(wins, np.maximum(100 - wins - losses, 0), losses, strict=True)]
    forms = {
        "wins/ties/losses": [f"{won}/{tied}/{lost}" for won, tied, lost in counts],
        "wins/losses": [f"{won}/{lost}" for won, _, lost in counts],
    }
    if not shares[1].any():
        del forms["wins/ties/losses"]
    fit = (form for form, texts in forms.items() if numbers_fit(texts, inches, 0.96))
    written = next(fit, "")
    left, height = columns + 0.07, 0.3 if written else 0.72
    for part, (_, colour, hatch) in zip(0.86 * shares, _SHARES, strict=True):
        style: ArtistOptions = {"facecolors": colour, "edgecolors": paper(), "linewidths": 0}
        draw_rectangles(axes, left, rows + 0.14, part, height, hatch=hatch, **style)
        left = left + part
    for row, column, text in zip(
        rows.tolist(), columns.tolist(), forms.get(written, ()), strict=bool(written)
    ):
        write_number(axes, column, row + 0.72, text, color=ink())
    return written


def _alternative_text(decisions: PairDecisions, content: str) -> str:
    differ, tested = (int(np.triu(part, 1).sum()) for part in (decisions.differ, decisions.tested))
    names = listing([clean(name) for name in decisions.names], 20)
    return (
        f"Matrix of all pairs of {names} with {content}. "
        f"{differ} of {tested} tested pairs differ significantly {decisions.basis}."
    )
