"""Two algorithms against each other, task by task, with the weights of tasks and datasets."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from occstats._checks import check_integer
from occstats._format import count
from occstats.comparison import Comparison
from occstats.errors import FigureError
from occstats.figures._base import Plot, chosen_pair, draw_points, fence, score_label
from occstats.figures._labels import clean, label
from occstats.figures._style import BLUE, ORANGE, ArtistOptions, Width, ink, paper

MOST_SPOKES = 3000
_BETTER = {"a": (BLUE, "o"), "b": (ORANGE, "s"), "equal": ("#7F7F7F", "D")}


def scatter(
    comparison: Comparison,
    a: str | None = None,
    b: str | None = None,
    *,
    name_datasets: int = 2,
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the scores of two algorithms on every task, and the mean of every dataset.

    Small grey points are tasks, with an area proportional to their weight; a thin line joins each
    to the mean of its dataset. Larger symbols are datasets: circles where `a` is better, squares
    where `b` is. The datasets furthest from the diagonal are labelled.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    a, b : str, optional
        The algorithms on the vertical and the horizontal axis; by default the best two, or
        the control and its best rival.
    name_datasets : int
        How many datasets to label on either side of the diagonal.
    labels : optional
        Labels to write instead of names; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.scatter("ALP", "LOF")
    """
    with Plot(ax, width, note) as plot:
        check_integer("name_datasets", name_datasets, least=0)
        first, second = chosen_pair(comparison, a, b)
        tasks = _tasks(comparison, first, second)
        means = _means(tasks, comparison.results.higher_is_better)
        plot.style(comparison.algorithms, labels)
        tall = min(0.98 * plot.inches, 4.6)
        axes = plot.axes(tall)
        _draw_tasks(axes, tasks, means)
        edge: ArtistOptions = {"markeredgecolor": paper(), "markeredgewidth": 0.5, "alpha": 0.9}
        for kind, (colour, marker) in _BETTER.items():
            part = means[means["better"] == kind]
            axes.plot(part["x"], part["y"], marker, markersize=4.6, color=colour, zorder=3, **edge)
        _limit(axes, plot, tasks)
        _name_extremes(axes, plot, means, name_datasets)
        score = score_label(comparison)
        room = 0.76 * tall
        axes.set_xlabel(f"{score} of {plot.label(second, room)}")
        axes.set_ylabel(f"{score} of {plot.label(first, room)}")
        counts = means["better"].value_counts()
        plot.note(
            f"{plot.label(first)} is better on {counts.get('a', 0)} datasets (circles), "
            f"{plot.label(second)} on {counts.get('b', 0)} (squares). "
            "Small points: tasks, area by weight, joined to their dataset."
        )
        return plot.finish(axes, _alternative_text(comparison, tasks, means, first, second))


def _tasks(comparison: Comparison, first: str, second: str) -> pd.DataFrame:
    scores = comparison.results.scores
    tasks = scores[[second, first]].astype(float).set_axis(["x", "y"], axis=1)
    tasks["dataset"] = np.asarray(comparison.results.clusters)
    tasks = tasks.reset_index(drop=True).dropna()
    if tasks.empty:
        raise FigureError(f"{first!r} and {second!r} have no task in common")
    # With missing="pairwise", the common tasks share the weight of their dataset.
    tasks["weight"] = 1 / tasks.groupby("dataset")["x"].transform("size")
    return tasks


def _means(tasks: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    means = tasks.groupby("dataset", sort=False)[["x", "y"]].mean()
    ahead = (means["y"] - means["x"]).round(9) * (1 if higher_is_better else -1)
    means["better"] = np.select([ahead > 0, ahead < 0], ["a", "b"], "equal")
    means["ahead"] = ahead
    return means


def _draw_tasks(axes: Axes, tasks: pd.DataFrame, means: pd.DataFrame) -> None:
    if len(tasks) <= MOST_SPOKES:
        centre = means.loc[tasks["dataset"], ["x", "y"]].to_numpy()
        spokes = np.stack([tasks[["x", "y"]].to_numpy(), centre], axis=1)
        axes.add_collection(LineCollection(list(spokes), colors="#BBBBBB", lw=0.35, zorder=1))
    grey = tasks.assign(colour="#8C8C8C")
    draw_points(axes, grey, "x", "y", largest=4.0, alpha=0.8, zorder=2)


def _name_extremes(axes: Axes, plot: Plot, means: pd.DataFrame, count: int) -> None:
    left, right = axes.get_xlim()
    # The axes take about nine tenths of the width.
    points_a_unit = 0.9 * 72 * plot.inches / (right - left)
    size = 1.2 * float(matplotlib.rcParams["font.size"])
    ahead = means["ahead"]
    for side in (ahead[ahead > 0].nlargest(count), ahead[ahead < 0].nsmallest(count)):
        extreme = means.loc[side.index].sort_values("y", ascending=False)
        lowest = np.inf
        for name, point in extreme.iterrows():
            above = point["y"] > point["x"]
            # A name is at its point, or below the name above it.
            height = point["y"] * points_a_unit
            lowest = min(height, lowest - size)
            x, y, ha, va = (-4, 2, "right", "bottom") if above else (4, -2, "left", "top")
            axes.annotate(
                label(name, 18), (point["x"], point["y"]), (x, y + lowest - height),
                textcoords="offset points", ha=ha, va=va, fontsize="small", color=ink(), zorder=5,
                bbox={"facecolor": paper(), "alpha": 0.75, "lw": 0, "pad": 0.3},
            )  # fmt: skip


def _limit(axes: Axes, plot: Plot, tasks: pd.DataFrame) -> None:
    values = tasks[["x", "y"]].to_numpy(dtype=float)
    low, high = fence(values)
    beyond = int(((values < low) | (values > high)).any(axis=1).sum())
    if beyond:
        plot.note(f"{count(beyond, 'task')} beyond the axes.")
    pad = 0.04 * (high - low) or 0.05
    axes.set(xlim=(low - pad, high + pad), ylim=(low - pad, high + pad), aspect="equal")
    axes.axline((low, low), slope=1, color=ink(), lw=0.7, ls=(0, (4, 2)), zorder=0)


def _alternative_text(
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
