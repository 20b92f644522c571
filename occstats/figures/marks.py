"""Marks that several figures use, drawn by seaborn: intervals, weighted points, lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from occstats.figures._style import SeriesStyle

__all__ = ["intervals", "lines", "plain_rows", "points", "quantiles", "row_height", "unnamed"]


@contextmanager
def unnamed(axes: Axes) -> Iterator[None]:
    """Keep seaborn from naming the axes after columns: it would make every tick label to do so."""
    axes.set(xlabel=" ", ylabel=" ")
    yield
    axes.set(xlabel="", ylabel="")


def quantiles(values: ArrayLike, weights: ArrayLike, at: ArrayLike) -> NDArray[np.float64]:
    """Return weighted quantiles: the smallest value whose cumulative weight reaches each share.

    >>> quantiles([1.0, 2.0, 3.0], [1, 1, 2], [0.5, 1.0]).tolist()
    [2.0, 3.0]
    """
    return np.asarray(
        np.quantile(
            np.asarray(values, dtype=float),
            np.asarray(at, dtype=float),
            weights=np.asarray(weights, dtype=float),
            method="inverted_cdf",
        ),
        dtype=float,
    )


def points(
    axes: Axes,
    x: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike,
    *,
    largest: float,
    colours: ArrayLike,
    **options: Any,
) -> None:
    """Draw points whose area follows their weight, in eight steps.

    Points of one step share a shape, which makes an SVG a tenth as large as points of any size.
    """
    table = pd.DataFrame({"x": x, "y": y, "weight": weights, "colour": colours})
    step = largest / 8
    share = np.sqrt(table["weight"] / table["weight"].max())
    table["step"] = np.maximum(np.round(largest * share / step), 1)
    with unnamed(axes):
        for size, part in table.groupby("step"):
            sns.scatterplot(
                part,
                x="x",
                y="y",
                hue="colour",
                palette={colour: colour for colour in part["colour"]},
                s=(float(str(size)) * step) ** 2,
                linewidth=0,
                legend=False,
                ax=axes,
                **options,
            )


def intervals(
    axes: Axes,
    table: pd.DataFrame,
    columns: tuple[str, str, str],
    looks: Sequence[SeriesStyle],
    *,
    size: float = 5.0,
) -> None:
    """Draw an estimate with its interval in each row of a table, the first row at the top.

    Parameters
    ----------
    axes
        Where to draw.
    table
        One row each.
    columns
        The columns of the estimate and of the ends of its interval (missing: none is drawn).
    looks
        Colour and marker of each row.
    size
        Size of the markers in points.
    """
    long = pd.DataFrame(
        {
            "value": table[list(columns)].to_numpy(dtype=float).ravel(),
            "row": np.repeat(np.arange(len(table)), 3),
        }
    ).dropna()
    with unnamed(axes):
        for look in dict.fromkeys(looks):
            # The ends are known, not found from the values: what is to be drawn are the values.
            sns.pointplot(
                long[long["row"].map(lambda row, look=look: looks[row] == look)],
                x="value",
                y="row",
                orient="h",
                native_scale=True,
                estimator=lambda values: values.iloc[0],
                errorbar=lambda values: values.iloc[1:] if len(values) == 3 else (np.nan, np.nan),
                color=look.color,
                marker=look.marker,
                markersize=size,
                markeredgewidth=0.8,
                err_kws={"linewidth": 1.4, "solid_capstyle": "butt"},
                linestyle="none",
                ax=axes,
            )


def lines(
    axes: Axes,
    table: pd.DataFrame,
    x: str,
    y: str,
    series: str,
    looks: Mapping[str, SeriesStyle],
    **options: Any,
) -> None:
    """Draw one line for each series of a tidy table, in the order and with the looks given."""
    order = list(looks)
    with unnamed(axes):
        sns.lineplot(
            table,
            x=x,
            y=y,
            hue=series,
            hue_order=order,
            style=series,
            style_order=order,
            palette={name: look.color for name, look in looks.items()},
            dashes={name: look.dashes for name, look in looks.items()},
            legend=False,
            ax=axes,
            **{
                "markers": {name: look.marker for name, look in looks.items()},
                "errorbar": None,
                "markeredgewidth": 0,
                **options,
            },
        )


def row_height(drawn: Sequence[str]) -> float:
    """Return the inches that a row needs, by the lines of its name.

    >>> row_height(["one line"]), row_height(["two\\nlines"])
    (0.196, 0.26)
    """
    return 0.26 if any("\n" in text for text in drawn) else 0.196


def plain_rows(axes: Axes, count: int) -> None:
    """Furnish axes whose rows are algorithms: the first at the top, a grid for the values."""
    axes.set_ylim(count - 0.5, -0.7)
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
