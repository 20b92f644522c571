"""Two algorithms against each other, task by task, with the weights of tasks and data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from occstats.figures.canvas import describe, drawn_on, note, one_axes
from occstats.figures.selection import known_algorithm, score_label
from occstats.figures.style import INK, FigureError, Preset, bounded
from occstats.figures.text import clean, label
from occstats.figures.weighted import points

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["scatter"]

MOST_SPOKES = 3000
_BETTER = {"a": ("#0072B2", "o"), "b": ("#D55E00", "s"), "equal": ("#7F7F7F", "D")}


def scatter(
    comparison: Comparison,
    a: str | None = None,
    b: str | None = None,
    *,
    ax: Axes | None = None,
    width: str | float | Preset = "column",
    name_data_sets: int = 2,
) -> Figure | Axes:
    """Draw the scores of two algorithms on every task, and the mean of every data set.

    Small grey points are tasks, their area proportional to their weight; a thin spoke ties each
    to the mean of its data set. Larger symbols are the data sets, all of the same weight: circles
    where `a` is better, squares where `b` is. The data sets furthest from the diagonal are named.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    a, b : str, optional
        The algorithms on the vertical and on the horizontal axis; by default the best two.
    ax : Axes, optional
        Axes to draw on; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.
    name_data_sets : int
        How many data sets to name on either side of the diagonal.

    Returns
    -------
    Figure or Axes

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.scatter("ALP", "LOF")
    """
    ranked = [str(name) for name in comparison.summary["algorithm"]]
    first = known_algorithm(a, ranked) if a is not None else next(n for n in ranked if n != b)
    if b is None and len(ranked) < 2:
        raise FigureError("a scatter needs two algorithms; this comparison has one")
    second = known_algorithm(b, ranked) if b is not None else next(n for n in ranked if n != first)
    if first == second:
        raise FigureError(f"a and b must be two different algorithms; got {first!r} twice")
    tasks = _tasks(comparison, first, second)
    means = _means(tasks, comparison.results.higher_is_better)
    with one_axes(ax, width, bounded(width, 0.98, 4.6)) as axes:
        _draw_tasks(axes, tasks, means)
        _draw_means(axes, means)
        _name_extremes(axes, means, name_data_sets)
        _furnish(axes, tasks, comparison, first, second)
        counts = means["better"].value_counts()
        note(
            axes,
            f"{label(first, 24)} better on {counts.get('a', 0)} data sets (circles), "
            f"{label(second, 24)} on {counts.get('b', 0)} (squares). "
            "Small: tasks, area by weight, tied to their data set.",
        )
        describe(axes, _words(comparison, tasks, means, first, second))
        return drawn_on(axes, ax)  # type: ignore[no-any-return]


def _tasks(comparison: Comparison, first: str, second: str) -> pd.DataFrame:
    scores = comparison.results.scores
    tasks = pd.DataFrame(
        {
            "x": scores[second].to_numpy(float),
            "y": scores[first].to_numpy(float),
            "data_set": np.asarray(comparison.results.clusters),
        }
    ).dropna()
    if tasks.empty:
        raise FigureError(f"{first!r} and {second!r} have no task in common")
    # Under missing="pairwise" the tasks both have share the data set's weight among themselves.
    tasks["weight"] = 1 / tasks.groupby("data_set")["x"].transform("size")
    return tasks


def _means(tasks: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    means = tasks.groupby("data_set", sort=False)[["x", "y"]].mean()
    ahead = (means["y"] - means["x"]).round(9) * (1 if higher_is_better else -1)
    means["better"] = np.select([ahead > 0, ahead < 0], ["a", "b"], "equal")
    means["ahead"] = ahead
    return means


def _draw_tasks(axes: Axes, tasks: pd.DataFrame, means: pd.DataFrame) -> None:
    if len(tasks) <= MOST_SPOKES:
        centre = means.loc[tasks["data_set"], ["x", "y"]].to_numpy()
        spokes = np.stack([tasks[["x", "y"]].to_numpy(), centre], axis=1)
        axes.add_collection(LineCollection(list(spokes), colors="#BBBBBB", lw=0.35, zorder=1))
    points(
        axes,
        tasks["x"].to_numpy(float),
        tasks["y"].to_numpy(float),
        tasks["weight"].to_numpy(float),
        largest=4.0,
        color="#8C8C8C",
        alpha=0.8,
        zorder=2,
    )


def _draw_means(axes: Axes, means: pd.DataFrame) -> None:
    for kind, (colour, marker) in _BETTER.items():
        part = means[means["better"] == kind]
        axes.plot(
            part["x"],
            part["y"],
            marker,
            markersize=4.6,
            color=colour,
            markeredgecolor="white",
            markeredgewidth=0.5,
            alpha=0.9,
            zorder=3,
        )


def _name_extremes(axes: Axes, means: pd.DataFrame, count: int) -> None:
    for side in (means["ahead"].nlargest(count), means["ahead"].nsmallest(count)):
        for name, ahead in side.items():
            if ahead == 0:
                continue
            point = means.loc[str(name)]
            above = point["y"] > point["x"]
            axes.annotate(
                label(name, 18),
                (point["x"], point["y"]),
                xytext=(-4, 2) if above else (4, -2),
                textcoords="offset points",
                ha="right" if above else "left",
                va="bottom" if above else "top",
                fontsize="small",
                color=INK,
                zorder=5,
            )


def _furnish(
    axes: Axes, tasks: pd.DataFrame, comparison: Comparison, first: str, second: str
) -> None:
    values: Any = tasks[["x", "y"]].to_numpy()
    low, high = float(values.min()), float(values.max())
    pad = 0.04 * (high - low) or 0.05
    axes.set(xlim=(low - pad, high + pad), ylim=(low - pad, high + pad), aspect="equal")
    axes.axline((low, low), slope=1, color=INK, lw=0.7, ls=(0, (4, 2)), zorder=0)
    score = score_label(comparison)
    axes.set_xlabel(f"{score} of {label(second, 24)}")
    axes.set_ylabel(f"{score} of {label(first, 24)}")


def _words(
    comparison: Comparison, tasks: pd.DataFrame, means: pd.DataFrame, first: str, second: str
) -> str:
    counts = means["better"].value_counts()
    best, worst = means["ahead"].idxmax(), means["ahead"].idxmin()
    return (
        f"Scatter plot of {clean(comparison.results.score_name)} of {clean(first)} against "
        f"{clean(second)} on {len(tasks)} tasks in {len(means)} data sets. By data set means, "
        f"{clean(first)} is better on {counts.get('a', 0)}, {clean(second)} on "
        f"{counts.get('b', 0)}, equal on {counts.get('equal', 0)}. {clean(first)} gains most on "
        f"{clean(best)} ({means['ahead'].max():+.3f}), {clean(second)} on {clean(worst)} "
        f"({-means['ahead'].min():+.3f})."
    )
