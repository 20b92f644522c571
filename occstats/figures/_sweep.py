"""Mean score over the hyperparameters: curves and heat maps (a figure of Lenz et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from occstats._format import listing
from occstats.errors import FigureError
from occstats.figures._base import (
    LINE_SPACING,
    ROWS,
    Plot,
    keep_tick_style,
    require_columns,
)
from occstats.figures._labels import clean, label
from occstats.figures._style import ArtistOptions, Palette, Width, paper

_RESERVED = ("descriptor", "metric", "score", "smoothed")
# Title, rows and hyperparameters of a panel.
Panel = tuple[str, pd.DataFrame, list[str]]


def sweep(
    frame: pd.DataFrame,
    *,
    parameters: Sequence[str] | None = None,
    score_name: str = "AUROC",
    axis_labels: dict[str, str] | None = None,
    palette: Palette | None = None,
    figure: FigureBase | None = None,
    width: Width = "page",
    note: bool = True,
) -> NDArray[Any]:
    """Draw the weighted mean score of each descriptor over its hyperparameters.

    A descriptor with one hyperparameter gets curves, one per metric: faint as measured, strong as
    smoothed by the rolling mean. One with two gets a heat map with contours. A symbol marks the
    maximum of the smoothed score.

    Parameters
    ----------
    frame : DataFrame
        Tidy, one row per descriptor × metric × combination of hyperparameter values:

        ``descriptor``
            Name of the descriptor: one panel each, in order of appearance.
        ``metric``
            Optional. Dissimilarity (``"manhattan"``, ``"euclidean"``) or missing. With two
            hyperparameters, each metric has its own panel.
        *one column per hyperparameter*
            Numbers; missing for descriptors without it. Names are free (``k``, ``a``, ``nu`` …).
            A descriptor may have one or two of them.
        ``score``
            Weighted mean score: mean over tasks within a dataset, then over datasets.
        ``smoothed``
            Optional. The score after the centred rolling mean, missing where its window is
            incomplete; without the column `score` is drawn alone.
    parameters : sequence of str, optional
        The hyperparameter columns; by default all numeric columns but ``score`` and ``smoothed``.
    score_name : str
        What to call the score.
    axis_labels : dict, optional
        What to write at the axis of a hyperparameter, such as ``{"a": "a (k = a log n)"}``.
    palette : optional
        Colours of the metrics; see `occstats.figures`.
    figure, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Returns
    -------
    ndarray of Axes
        One for each panel.

    Examples
    --------
    >>> import pandas as pd
    >>> from occstats import figures
    >>> frame = pd.DataFrame({"descriptor": "NND", "metric": "manhattan", "k": [1, 2, 3],
    ...                       "score": [0.81, 0.80, 0.79], "smoothed": [0.805, 0.80, 0.795]})
    >>> figures.alt_text(figures.sweep(frame))
    'Mean AUROC over hyperparameters. NND: highest 0.805 at k = 1 (manhattan).'
    """
    with Plot(figure, width, note) as plot:
        table = _prepared(frame)
        numbers = table.select_dtypes(["number", "bool"]).columns.map(str)
        columns = [name for name in numbers if name not in _RESERVED]
        if parameters is not None:
            require_columns(table, parameters, "sweep")
            columns = [*parameters]
        panels = _panels(table, columns)
        shown = panels[:ROWS]
        if len(shown) < len(panels):
            plot.note(f"The first {len(shown)} of {len(panels)} panels.", notice=True)
        metrics = list(
            dict.fromkeys(m for _, part, used in shown if len(used) == 1 for m in part["metric"])
        )
        plot.style(metrics, palette=palette)
        across = min(len(shown), 2 if plot.inches < 4.5 else 3)
        down = math.ceil(len(shown) / across)
        whole = plot.figure(down * (1.33 if across < 3 else 1.8) + 0.25)
        # Rows of their own, so that colour bars do not squeeze the curves above.
        rows = [shown[place : place + across] for place in range(0, len(shown), across)]
        strips = whole.subfigures(down, 1, squeeze=False).flat
        drawn: list[Axes] = []
        for strip, row in zip(strips, rows, strict=True):
            beside = strip.subplots(1, len(row), squeeze=False).flat
            for axes, (name, part, used) in zip(beside, row, strict=True):
                keep_tick_style(axes)
                drawn.append(axes)
                if len(used) == 2:
                    _heat_map(strip, axes, part, used)
                else:
                    _curves(axes, plot, part, used[0])
                title = plot.labels([name], 0.8 * plot.inches / across, lines=2)[0]
                axes.set_title(title, linespacing=LINE_SPACING)
                names = [(axis_labels or {}).get(column, column) for column in used]
                axes.set_xlabel(label(names[0], 24))
                axes.set_ylabel(label(names[1] if len(used) == 2 else score_name, 24))
        if len(metrics) > 1:
            plot.legend(whole, metrics)
        return plot.finish_panels(drawn, _alternative_text(shown, score_name))


def _prepared(frame: pd.DataFrame) -> pd.DataFrame:
    require_columns(frame, ("descriptor", "score"), "sweep")
    table = frame.assign(descriptor=frame["descriptor"].astype(str))
    metric = frame["metric"].astype(object) if "metric" in frame else pd.Series("", frame.index)
    table["metric"] = metric.where(metric.notna(), "").astype(str)
    if "smoothed" not in table:
        table["smoothed"] = table["score"]
    # Without any complete window, the score itself is used.
    without = table.groupby("descriptor")["smoothed"].transform("count") == 0
    table["smoothed"] = table["smoothed"].where(~without, table["score"])
    table = table.dropna(subset=["score"])
    if table.empty:
        raise FigureError("sweep has no score that is a number: there is nothing to draw")
    return table


def _panels(table: pd.DataFrame, columns: list[str]) -> list[Panel]:
    panels = []
    for name, rows in table.groupby("descriptor", sort=False):
        used = [column for column in columns if rows[column].notna().any()]
        # A hyperparameter that was held fixed needs no axis.
        used = [column for column in used if rows[column].nunique() > 1] or used[:1]
        if not 1 <= len(used) <= 2:
            raise FigureError(
                f"sweep draws one or two hyperparameters per descriptor; {str(name)!r} has "
                f"{len(used)} ({listing(used) or 'no numeric column'}): choose some with"
                " parameters=…"
            )
        part = rows.dropna(subset=used)
        metrics = list(dict.fromkeys(part["metric"]))
        if len(used) == 2 and len(metrics) > 1:
            panels += [
                (f"{name} ({metric})", part[part["metric"] == metric], used) for metric in metrics
            ]
        else:
            panels.append((str(name), part, used))
    return panels


def _curves(axes: Axes, plot: Plot, part: pd.DataFrame, parameter: str) -> None:
    for metric, rows in part.groupby("metric", sort=False):
        look, best = plot.look(str(metric)), _best(rows)
        means = rows.groupby(parameter)[["score", "smoothed"]].mean()
        line: ArtistOptions = {"color": look.color, "ls": look.linestyle}
        axes.plot(means.index, means["score"], lw=0.5, alpha=0.35, **line)
        axes.plot(means.index, means["smoothed"], **line)
        mark: ArtistOptions = {"color": look.color, "mec": paper(), "mew": 0.6, "ms": 5}
        axes.plot(best[parameter], best["smoothed"], look.marker, zorder=5, **mark)
    axes.xaxis.set_major_locator(_ticks(part[parameter]))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.grid()


def _ticks(values: pd.Series) -> MaxNLocator:
    """Return whole numbers as ticks for a parameter whose values are whole, such as k."""
    return MaxNLocator(5, integer=bool((values.dropna() % 1 == 0).all()))


def _best(part: pd.DataFrame) -> pd.Series:
    return part.iloc[int(np.nanargmax(part["smoothed"].to_numpy(dtype=float)))]


def _heat_map(strip: FigureBase, axes: Axes, part: pd.DataFrame, used: list[str]) -> None:
    grid = part.pivot_table(index=used[1], columns=used[0], values="smoothed", aggfunc="mean")
    x, y = grid.columns.to_numpy(float), grid.index.to_numpy(float)
    values = np.ma.masked_invalid(grid.to_numpy(float))
    mesh = axes.pcolormesh(x, y, values, cmap="cividis", shading="nearest")
    mesh.set_rasterized(values.size > 400)
    # Most scores are near the maximum: contours at quantiles show the shape better.
    levels = np.unique(np.quantile(values.compressed(), [0.2, 0.4, 0.6, 0.8, 0.9, 0.97]))
    if min(values.shape) > 1 and len(levels) > 1 and np.ptp(values.compressed()) > 1e-12:
        axes.contour(x, y, values, levels=levels, colors="white", linewidths=0.5)
    best = _best(part)
    edge: ArtistOptions = {"markeredgecolor": "black", "markeredgewidth": 0.6}
    axes.plot(best[used[0]], best[used[1]], "*", color="white", markersize=8, **edge)
    axes.spines[:].set_visible(False)
    axes.xaxis.set_major_locator(_ticks(part[used[0]]))
    axes.yaxis.set_major_locator(_ticks(part[used[1]]))
    bar = strip.colorbar(mesh, ax=axes, pad=0.02, aspect=25)
    bar.outline.set_visible(False)
    bar.locator = MaxNLocator(4)
    bar.ax.tick_params(length=1.5, pad=1.5, labelsize="small")


def _alternative_text(shown: list[Panel], score_name: str) -> str:
    parts = []
    for title, part, used in shown:
        best = _best(part)
        where = " and ".join(f"{clean(column)} = {best[column]:.4g}" for column in used)
        metric = f" ({clean(best['metric'])})" if best["metric"] and len(used) == 1 else ""
        parts.append(f"{clean(title)}: highest {best['smoothed']:.3f} at {where}{metric}.")
    return f"Mean {clean(score_name)} over hyperparameters. {' '.join(parts)}"
