"""Two algorithms against each other, task by task, with the weights of tasks and datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from occstats._format import count
from occstats.figures.drawing import drawing
from occstats.figures.marks import points
from occstats.figures._base import Pen
from occstats.figures.selection import fence, known_algorithm, score_label
from occstats.figures._style import BLUE, ORANGE, FigureError, bounded
from occstats.figures._labels import clean, label

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["scatter"]

MOST_SPOKES = 3000
_BETTER = {"a": (BLUE, "o"), "b": (ORANGE, "s"), "equal": ("#7F7F7F", "D")}


@drawing("ax", ("labels",))
def scatter(
    pen: Pen,
    comparison: Comparison,
    a: str | None = None,
    b: str | None = None,
    *,
    name_data_sets: int = 2,
) -> None:
    """Draw the scores of two algorithms on every task, and the mean of every dataset.

    Small grey points are tasks, their area proportional to their weight; a thin spoke ties each
    to the mean of its dataset. Larger symbols are the datasets, all of the same weight: circles
    where `a` is better, squares where `b` is. The datasets furthest from the diagonal are named.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    a, b : str, optional
        The algorithms on the vertical and on the horizontal axis; by default the best two.
    name_data_sets : int
        How many datasets to name on either side of the diagonal.
    {options}

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
    pen.name(ranked)
    axes = pen.axes(bounded(pen.inches, 0.98, 4.6))
    _draw_tasks(axes, tasks, means)
    _draw_means(axes, pen, means)
    _furnish(axes, pen, tasks)
    _name_extremes(axes, pen, means, name_data_sets)
    score = score_label(comparison)
    axes.set_xlabel(f"{score} of {pen.label(second, 28)}")
    axes.set_ylabel(f"{score} of {pen.label(first, 28)}")
    counts = means["better"].value_counts()
    pen.note(
        f"{pen.label(first)} better on {counts.get('a', 0)} datasets (circles), "
        f"{pen.label(second)} on {counts.get('b', 0)} (squares). "
        "Small: tasks, area by weight, tied to their dataset."
    )
    pen.describe(_words(comparison, tasks, means, first, second))


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
    # Under missing="pairwise" the tasks both have share the dataset's weight among themselves.
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
        tasks["x"],
        tasks["y"],
        tasks["weight"],
        largest=4.0,
        colours="#8C8C8C",
        alpha=0.8,
        zorder=2,
    )


def _draw_means(axes: Axes, pen: Pen, means: pd.DataFrame) -> None:
    for kind, (colour, marker) in _BETTER.items():
        part = means[means["better"] == kind]
        axes.plot(
            part["x"],
            part["y"],
            marker,
            markersize=4.6,
            color=colour,
            markeredgecolor=pen.paper,
            markeredgewidth=0.5,
            alpha=0.9,
            zorder=3,
        )


def _name_extremes(axes: Axes, pen: Pen, means: pd.DataFrame, count: int) -> None:
    left, right = axes.get_xlim()
    # About nine tenths of the width are the picture.
    points_a_unit = 0.9 * 72 * pen.inches / (right - left)
    size = 1.2 * float(matplotlib.rcParams["font.size"])
    for side in (means["ahead"].nlargest(count), means["ahead"].nsmallest(count)):
        extreme = means.loc[side.index[side != 0]].sort_values("y", ascending=False)
        lowest = np.inf
        for name, point in extreme.iterrows():
            above = point["y"] > point["x"]
            # A name stands where it belongs, or below the one above it.
            height = point["y"] * points_a_unit
            lowest = min(height, lowest - size)
            axes.annotate(
                label(name, 18),
                (point["x"], point["y"]),
                xytext=(-4, 2 + lowest - height) if above else (4, -2 + lowest - height),
                textcoords="offset points",
                ha="right" if above else "left",
                va="bottom" if above else "top",
                fontsize="small",
                color=pen.ink,
                zorder=5,
            )


def _furnish(axes: Axes, pen: Pen, tasks: pd.DataFrame) -> None:
    values = tasks[["x", "y"]].to_numpy(dtype=float)
    low, high = fence(values)
    beyond = int(((values < low) | (values > high)).any(axis=1).sum())
    if beyond:
        pen.note(f"{count(beyond, 'task')} beyond the axes.")
    pad = 0.04 * (high - low) or 0.05
    axes.set(xlim=(low - pad, high + pad), ylim=(low - pad, high + pad), aspect="equal")
    axes.axline((low, low), slope=1, color=pen.ink, lw=0.7, ls=(0, (4, 2)), zorder=0)


def _words(
    comparison: Comparison, tasks: pd.DataFrame, means: pd.DataFrame, first: str, second: str
) -> str:
    counts = means["better"].value_counts()
    best, worst = means["ahead"].idxmax(), means["ahead"].idxmin()
    return (
        f"Scatter plot of {clean(comparison.results.score_name)} of {clean(first)} against "
        f"{clean(second)} on {len(tasks)} tasks in {len(means)} datasets. By dataset means, "
        f"{clean(first)} is better on {counts.get('a', 0)}, {clean(second)} on "
        f"{counts.get('b', 0)}, equal on {counts.get('equal', 0)}. {clean(first)} gains most on "
        f"{clean(best)} ({means['ahead'].max():+.3f}), {clean(second)} on {clean(worst)} "
        f"({-means['ahead'].min():+.3f})."
    )
