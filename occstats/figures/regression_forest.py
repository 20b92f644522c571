"""Coefficients of the regression of ranks on the tasks' traits, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.ticker import MaxNLocator

from occstats.figures.canvas import describe, drawn_on, note, whole_figure
from occstats.figures.frames import records
from occstats.figures.selection import chosen_algorithms
from occstats.figures.style import INK, MUTED, FigureError, Preset, preset
from occstats.figures.text import clean, label, labels
from occstats.text import listing

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["regression"]

MOST_ALGORITHMS = 25
_TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}


def regression(
    comparison: Comparison,
    *,
    algorithms: Sequence[str] | None = None,
    figure: FigureBase | None = None,
    width: str | float | Preset = "column",
) -> FigureBase:
    """Draw a forest plot: the effect of each trait of a task on the rank of each algorithm.

    To the left of zero the trait improves the rank, to the right it makes it worse. Filled symbols
    have an interval that excludes zero; the intervals are not corrected for their number.

    Parameters
    ----------
    comparison : Comparison
        Its frame `regression` is drawn, without the intercepts.
    algorithms : sequence of str, optional
        Which algorithms to draw; by default the best 25.
    figure : Figure or SubFigure, optional
        Where to draw; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.

    Returns
    -------
    Figure or SubFigure

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> figure = comparison.plot.regression(width="springer-wide")
    >>> [axes.get_title() for axes in figure.axes]
    ['log n', 'log m', 'sparsity', 'median score']
    """
    table = comparison.regression
    table = table[table["term"] != "intercept"] if len(table) else table
    if not table["ci_low"].notna().any():
        raise FigureError(
            "there is no regression to draw: the results have no traits of the tasks, or too few "
            "data sets for them (give trait columns such as n, m, sparsity)"
        )
    ranked = [str(name) for name in comparison.summary["algorithm"]]
    names = chosen_algorithms(algorithms, ranked, MOST_ALGORITHMS)
    terms = list(dict.fromkeys(table["term"]))
    columns = min(len(terms), 2 if preset(width).width < 4.5 else 4)
    rows = math.ceil(len(terms) / columns)
    height = rows * (0.42 + 0.125 * len(names)) + 0.3
    with whole_figure(figure, width, height) as sheet:
        grid = sheet.subplots(rows, columns, sharey=True, squeeze=False)
        panels = list(grid.flat)
        for axes, term in zip(panels, terms, strict=False):
            part = table[table["term"] == term].set_index("algorithm").reindex(names)
            _panel(axes, part)
            axes.set_title(_TERMS.get(str(term), label(term, 20)))
        for axes in panels[len(terms) :]:
            axes.remove()
        # Shared axes share the ticks and the direction, which must be turned once.
        panels[0].set_yticks(np.arange(len(names)), labels(names, limit=16))
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        level = getattr(comparison.settings, "confidence", 0.95)
        text = (
            f"Change in rank per unit of the trait (← better, worse →) with {level:.0%} intervals."
        )
        if algorithms is None and len(names) < len(ranked):
            text += f" The best {len(names)} of {len(ranked)} algorithms."
        note(sheet, text)
        describe(sheet, _words(table, names, terms))
        return drawn_on(sheet, figure)  # type: ignore[no-any-return]


def _panel(axes: Axes, part: pd.DataFrame) -> None:
    axes.axvline(0, color=MUTED, lw=0.7, zorder=0)
    for place, row in enumerate(records(part)):
        if not np.isfinite(row.coefficient):
            continue
        clear = row.ci_low > 0 or row.ci_high < 0
        colour = INK if not clear else ("#0072B2" if row.coefficient < 0 else "#D55E00")
        axes.plot([row.ci_low, row.ci_high], [place] * 2, color=colour, lw=1.0)
        marker = "o" if not clear else ("<" if row.coefficient < 0 else ">")
        axes.plot(
            row.coefficient,
            place,
            marker=marker,
            markersize=4,
            markerfacecolor=colour if clear else "white",
            markeredgecolor=colour,
            markeredgewidth=0.8,
        )
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _words(table: pd.DataFrame, names: list[str], terms: list[str]) -> str:
    table = table[table["algorithm"].isin(names)]
    parts = []
    for term in terms:
        part = table[table["term"] == term]
        better = [clean(name) for name in part.loc[part["ci_high"] < 0, "algorithm"]]
        worse = [clean(name) for name in part.loc[part["ci_low"] > 0, "algorithm"]]
        found = [
            f"{word} the rank of {listing(which, 8)}"
            for word, which in (("improves", better), ("worsens", worse))
            if which
        ]
        name = clean(_TERMS.get(str(term), term))
        parts.append(f"{name} {' and '.join(found)}" if found else f"{name} has no clear effect")
    return (
        f"Forest plot of regression coefficients of the rank of {len(names)} algorithms. "
        f"By intervals that exclude zero: {'; '.join(parts)}."
    )
