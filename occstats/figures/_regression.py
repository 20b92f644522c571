"""Forest plot of the regression of ranks on the tasks' traits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.font_manager import FontProperties
from numpy.typing import NDArray

from occstats._format import listing
from occstats.comparison import Comparison
from occstats.errors import FigureError
from occstats.figures._base import (
    LINE_SPACING,
    ROWS,
    Order,
    Plot,
    confidence_intervals,
    draw_intervals,
    fence,
    limit_ticks,
)
from occstats.figures._labels import clean, escape, fitted, measure
from occstats.figures._style import BLUE, FADED, ORANGE, Width, ink

_TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}


def regression(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    figure: FigureBase | None = None,
    width: Width = "column",
    note: bool = True,
) -> NDArray[Any]:
    """Draw a forest plot: the effect of each trait of a task on the rank of each algorithm.

    Left of zero the trait improves the rank, right of zero it worsens it. Triangles mark intervals
    that exclude zero; the intervals are not corrected for multiplicity.

    Parameters
    ----------
    comparison : Comparison
        Its frame `regression` is drawn, without the intercepts.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    figure, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Returns
    -------
    ndarray of Axes
        One for each panel.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> axes = comparison.plot.regression(width="springer-wide")
    >>> [panel.get_title() for panel in axes]
    ['log n', 'log m', 'sparsity', 'median score']
    """
    with Plot(figure, width, note) as plot:
        table = comparison.regression
        table = table[table["term"] != "intercept"] if len(table) else table
        # Ranks of two algorithms that never change have effects of 1e-16.
        table = table.round(9)
        if not table["ci_low"].notna().any():
            raise FigureError(
                "there is no regression to draw: the results have no traits of the tasks, or too "
                "few datasets for them (give trait columns such as n, m, sparsity)"
            )
        names = plot.algorithms(comparison, ROWS, algorithms, order, labels, highlight)
        terms = [str(term) for term in dict.fromkeys(table["term"])]
        columns = min(len(terms), 2 if plot.inches < 4.5 and len(terms) > 3 else 4)
        rows = math.ceil(len(terms) / columns)
        letters = FontProperties(size=matplotlib.rcParams["ytick.labelsize"])
        drawn = plot.row_labels(names, lines=1 if len(names) > 25 else 2)
        row = (2.3 if any("\n" in text for text in drawn) else 1.29) / 72
        row *= letters.get_size_in_points()
        # The columns share what the names leave, with space between them.
        widest = max(measure(text, matplotlib.rcParams["ytick.labelsize"]) for text in drawn)
        room = (0.95 * plot.inches - widest) / columns - 0.12
        called = [clean(_TERMS.get(term, term)) for term in terms]
        titles = fitted(called, room, size="medium", lines=2)
        heading = 0.55 if any("\n" in title for title in titles) else 0.42
        _, panels = plot.subplots(
            rows * (heading + row * (len(names) + 0.5)), rows, columns, sharey=True
        )
        for axes, term, title in zip(panels, terms, titles, strict=False):
            part = table[table["term"] == term].set_index("algorithm").reindex(names)
            _panel(axes, part, room)
            axes.set_title(escape(title), linespacing=LINE_SPACING)
        for axes in panels[len(terms) :]:
            axes.remove()
        # Shared axes share the ticks and the direction.
        plot.label_rows(panels[0], names, drawn)
        plot.note(
            "Change in rank per unit of the trait (←\u00a0better, worse\u00a0→) with "
            f"{confidence_intervals(comparison)}, not corrected for multiple testing. Triangles: "
            "intervals that exclude 0."
        )
        return plot.finish_panels(panels[: len(terms)], _alternative_text(table, names, terms))


def _panel(axes: Axes, part: pd.DataFrame, inches: float) -> None:
    axes.axvline(0, color=FADED, lw=0.7, zorder=0)
    ends = part[["ci_low", "ci_high"]].to_numpy(dtype=float)
    looks = [
        (BLUE, "<") if high < 0 else (ORANGE, ">") if low > 0 else (ink(), ".")
        for low, high in ends
    ]
    draw_intervals(axes, part, ("coefficient", "ci_low", "ci_high"), looks, size=4)
    # A very wide interval, which would make the others look like points, is clipped.
    low, high = fence(ends)
    low, high = min(low, 0.0), max(high, 0.0)
    if low > np.nanmin(ends) or high < np.nanmax(ends):
        margin = 0.05 * (high - low)
        axes.set_xlim(low - margin, high + margin)
    limit_ticks(axes, inches, 4)


def _alternative_text(table: pd.DataFrame, names: list[str], terms: list[str]) -> str:
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
