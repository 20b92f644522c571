"""Coefficients of the regression of ranks on the tasks' traits, with intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from occstats._format import listing
from occstats.figures.drawing import drawing
from occstats.figures.frames import confidence_intervals, records
from occstats.figures.marks import intervals, plain_rows
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import fence
from occstats.figures._style import BLUE, ORANGE, FigureError, SeriesStyle
from occstats.figures._labels import abreast, clean, label

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["regression"]

MOST_ALGORITHMS = 25
_TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}


@drawing("figure", [name for name in SERIES if name not in ("hue", "palette")])
def regression(pen: Pen, comparison: Comparison) -> None:
    """Draw a forest plot: the effect of each trait of a task on the rank of each algorithm.

    To the left of zero the trait improves the rank, to the right it makes it worse. Triangles
    have an interval that excludes zero; the intervals are not corrected for their number.

    Parameters
    ----------
    comparison : Comparison
        Its frame `regression` is drawn, without the intercepts.
    {options}

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
            "datasets for them (give trait columns such as n, m, sparsity)"
        )
    names = pen.series(comparison, MOST_ALGORITHMS)
    terms = [str(term) for term in dict.fromkeys(table["term"])]
    columns = min(len(terms), 2 if pen.inches < 4.5 else 4)
    rows = math.ceil(len(terms) / columns)
    sheet = pen.sheet(rows * (0.42 + 0.125 * len(names)))
    panels = list(sheet.subplots(rows, columns, sharey=True, squeeze=False).flat)
    for axes, term in zip(panels, terms, strict=False):
        part = table[table["term"] == term].set_index("algorithm").reindex(names)
        # What the names leave is shared by the columns, with air between them.
        _panel(axes, pen, part, 0.45 * pen.inches / columns)
        axes.set_title(_TERMS.get(term, label(term, 20)))
    for axes in panels[len(terms) :]:
        axes.remove()
    # Shared axes share the ticks and the direction.
    pen.write_rows(panels[0], names, pen.row_names(names, roomy=False))
    pen.note(
        "Change in rank per unit of the trait (← better, worse →) with "
        f"{confidence_intervals(comparison)}."
    )
    pen.describe(_words(table, names, terms))


def _panel(axes: Axes, pen: Pen, part: pd.DataFrame, inches: float) -> None:
    axes.axvline(0, color=pen.faded, lw=0.7, zorder=0)
    looks = [_look(pen, row.ci_low, row.ci_high) for row in records(part)]
    intervals(axes, part, ("coefficient", "ci_low", "ci_high"), looks, size=4)
    _limit(axes, part)
    reach = max(map(abs, axes.get_xlim()))
    ticks = min(abreast(f"−{reach:.2g}", inches, matplotlib.rcParams["xtick.labelsize"]), 4)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, steps=[1, 2, 3, 5, 10]))
    plain_rows(axes, len(part))


def _look(pen: Pen, low: float, high: float) -> SeriesStyle:
    if high < 0:
        return SeriesStyle(BLUE, "<", "-")
    return SeriesStyle(ORANGE, ">", "-") if low > 0 else SeriesStyle(pen.ink, ".", "-")


def _limit(axes: Axes, part: pd.DataFrame) -> None:
    """One interval that is very wide must not make points of the others: it leaves the panel."""
    ends = part[["ci_low", "ci_high"]].to_numpy(dtype=float)
    low, high = fence(ends)
    low, high = min(low, 0.0), max(high, 0.0)
    if low > np.nanmin(ends) or high < np.nanmax(ends):
        margin = 0.05 * (high - low)
        axes.set_xlim(low - margin, high + margin)


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
