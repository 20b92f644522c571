"""Find the best hyperparameters of a sweep, with confidence intervals.

A sweep gives the mean score of each dataset at each point of a grid. The best point is where the
smoothed mean over datasets is highest. Its confidence interval is from the cluster bootstrap: the
curve of each resample of datasets is smoothed again and its optimum located.

References
----------
.. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application, section 5.
.. [2] C. A. Field, A. H. Welsh (2007). Bootstrapping clustered data. JRSS B 69(3), 369-390.
"""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from occstats.errors import ResultsError
from occstats.experiment.tasks import N_FOLDS, Task
from occstats.stats._arrays import FloatArray
from occstats.stats.bootstrap import resample_counts
from occstats.stats.clusters import weighted_means
from occstats.tuning.grids import Axis, SweepRecipe, Value

# The loss of mean AUROC that defines the flat range around an optimum.
LOSS = 0.001
RESAMPLES = 10_000
CONFIDENCE = 0.95
# Elements of all resampled grids together; planes get fewer resamples than curves.
MOST_ELEMENTS = 20_000_000
# Elements of resampled curves in memory at a time.
BLOCK_ELEMENTS = 1_000_000

Choices = Mapping[str, Mapping[str, Mapping[str, Value]]]


def rolling_mean(values: ArrayLike, windows: Sequence[int]) -> FloatArray:
    r"""Compute the centred rolling mean over the last axes, with partial windows at the edges.

    .. math:: \bar f_i = \frac{1}{|W_i|} \sum_{j \in W_i} f_j, \qquad
        W_i = \{j : |i - j| \le h, \ 1 \le j \le g\}

    with window width 2h + 1, and likewise in two dimensions. At an edge the mean is over the
    points of the window that exist, without padding, so that no point of the grid is lost; the
    paper's optimum of k = 1 for NND implies this (with whole windows only, it could not be less
    than 2). Means at the edges are noisier and one-sided, so an optimum within half a window of an
    edge calls for a wider grid. Missing values are ignored.

    Parameters
    ----------
    values : array_like, (..., g1) or (..., g1, g2)
        Curves or planes.
    windows : sequence of int
        Odd widths, one for each of the last axes.

    Examples
    --------
    >>> rolling_mean([4.0, 1.0, 1.0, 4.0], [3]).round(9).tolist()
    [2.5, 2.0, 2.0, 2.5]
    >>> rolling_mean([[4.0, 1.0], [1.0, 0.0]], [3, 1]).round(9).tolist()
    [[2.5, 0.5], [2.5, 0.5]]
    """
    from scipy.ndimage import uniform_filter1d

    given = np.asarray(values, dtype=np.float64)
    known = np.isfinite(given)
    sums, counts = np.where(known, given, 0.0), known.astype(np.float64)
    for axis, window in zip(range(-len(windows), 0), windows, strict=True):
        # A window of twice the grid covers all of it from every point.
        width = min(window, 2 * given.shape[axis] - 1)
        if width > 1:
            sums = uniform_filter1d(sums, width, axis=axis, mode="constant")
            counts = uniform_filter1d(counts, width, axis=axis, mode="constant")
    # Both are divided by the window; the counts are the share of it that exists.
    with np.errstate(invalid="ignore"):
        return np.where(counts > 1e-9, sums / np.where(counts > 1e-9, counts, 1.0), np.nan)


@dataclass(frozen=True, eq=False)
class GridMeans:
    """Mean AUROC of each dataset (rows of `means`) at each point of a descriptor's grid.

    The mean is over the folds of a task, then over the tasks of the dataset; NaN where a task of
    the dataset has no score at that point.
    """

    recipe: SweepRecipe
    datasets: list[str]
    means: FloatArray

    @property
    def overall(self) -> FloatArray:
        """Return the mean over datasets, with equal weight for each."""
        return np.asarray(self.means.mean(axis=0))


def expand(
    rows: pd.DataFrame, recipe: SweepRecipe, tasks: Mapping[str, int] | None = None
) -> GridMeans:
    """Expand the distinct values of each task to the grid, and average over tasks.

    Many points of a grid give the same number of neighbours, which the rows contain only once. A
    fold without an AUROC (its test part lacks target or other rows) is ignored in the mean of its
    task; a failed fit leaves its dataset without a value at that point. Datasets without any value,
    or with fewer than their number of `tasks` or folds so far, are omitted.
    """
    mine = rows[rows["descriptor"] == recipe.name]
    if tasks is not None:
        folds = mine[["dataset", "class", "fold"]].drop_duplicates().groupby("dataset").size()
        planned = folds.index.map(lambda name: N_FOLDS * tasks.get(name, 0))
        mine = mine[mine["dataset"].isin(folds.index[folds == planned])]
    datasets: dict[str, list[FloatArray]] = {}
    for task, values in task_grids(mine, recipe):
        datasets.setdefault(task.dataset, []).append(values)
    shape = tuple(len(axis.values) for axis in recipe.axes)
    means = {name: np.mean(values, axis=0) for name, values in datasets.items()}
    means = {name: values for name, values in means.items() if not np.isnan(values).all()}
    found = np.array(list(means.values())) if means else np.empty((0, *shape))
    return GridMeans(recipe, list(means), found)


def task_grids(rows: pd.DataFrame, recipe: SweepRecipe) -> Iterator[tuple[Task, FloatArray]]:
    """Yield each task with its mean AUROC over folds at each point of a descriptor's grid."""
    rows = rows[rows["descriptor"] == recipe.name]
    codes, texts = pd.factorize(rows["parameters"])
    rows = rows.assign(_code=codes)
    settings: list[dict[str, Any]] = [json.loads(text) for text in texts]
    by_setting = {
        tuple(setting[axis.parameter] for axis in recipe.axes): code
        for code, setting in enumerate(settings)
        if setting.keys() == {axis.parameter for axis in recipe.axes}
    }
    score = np.full(len(texts), np.nan)
    for (dataset, target), of_task in rows.groupby(["dataset", "class"]):
        task = _task(dataset, target, of_task)
        defined = of_task[of_task["status"] != "undefined"]
        folds = max(int(defined["fold"].nunique()), 1)
        codes_here = defined["_code"].to_numpy()
        sums = np.bincount(codes_here, defined["auroc"].to_numpy(), minlength=len(texts))
        counts = np.bincount(codes_here, minlength=len(texts))
        # Folds differ, so a mean over some of them would not be comparable.
        score[:] = np.where(counts == folds, sums / folds, np.nan)
        # Look up the few distinct combinations, then expand them to the grid.
        distinct = recipe.distinct_values(task)
        table = np.array(
            [
                score[code] if (code := by_setting.get(key)) is not None else np.nan
                for key in itertools.product(*distinct)
            ]
        ).reshape([len(values) for values in distinct])
        places = [
            [values.index(value) for value in axis.resolved(task)]
            for axis, values in zip(recipe.axes, distinct, strict=True)
        ]
        yield task, table[np.ix_(*places)]


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best values of one descriptor's hyperparameters, each by its name.

    Attributes
    ----------
    values, rounded : dict
        The best value on the grid, and rounded as published.
    score, score_rounded : float
        The smoothed mean AUROC there; NaN where the rounded values are not on the grid.
    flat : dict
        Ends of the contiguous range around the best value, with the other hyperparameter at its
        best, in which the smoothed mean is at most 0.001 lower.
    interval : dict
        Bootstrap percentile interval of the best value; NaN with one dataset.
    at_edge : bool
        Whether a best value lies within half a window of an end of its grid that could be moved.
    """

    values: dict[str, Value]
    rounded: dict[str, Value]
    score: float
    score_rounded: float
    flat: dict[str, tuple[Value, Value]]
    interval: dict[str, tuple[float, float]]
    at_edge: bool
    n_datasets: int


def smoothed(means: FloatArray, axes: tuple[Axis, ...]) -> FloatArray:
    """Compute the rolling mean of grids (..., grid) with the windows of their axes.

    A point without a score remains missing.
    """
    surface = rolling_mean(means, [axis.window for axis in axes])
    return np.where(np.isnan(means), np.nan, surface)


def _highest(surface: FloatArray) -> tuple[int, ...]:
    """Return the position of the first maximum, ignoring missing values."""
    where = np.unravel_index(int(np.nanargmax(surface)), surface.shape)
    return tuple(int(place) for place in where)


def find_optimum(grid: GridMeans, *, n_resamples: int = RESAMPLES) -> Optimum:
    """Find the optimum of a sweep over all its datasets; large planes get fewer resamples."""
    axes = grid.recipe.axes
    surface = smoothed(grid.overall, axes)
    if np.isnan(surface).all():
        raise ResultsError(
            f"{grid.recipe.name}: no point of the grid has a score on every dataset; retry the "
            "failed fits with --force failed"
        )
    place = _highest(surface)
    values = {axis.name: axis.values[at] for axis, at in zip(axes, place, strict=True)}
    rounded = {axis.name: axis.rounded(values[axis.name]) for axis in axes}
    count = max(min(n_resamples, MOST_ELEMENTS // surface.size), 1)
    score_rounded = float("nan")
    if all(rounded[axis.name] in axis.values for axis in axes):
        at = tuple(axis.values.index(rounded[axis.name]) for axis in axes)
        score_rounded = float(surface[at])
    return Optimum(
        values=values,
        rounded=rounded,
        score=float(surface[place]),
        score_rounded=score_rounded,
        flat={
            axis.name: _flat_range(
                axis,
                np.moveaxis(surface, number, -1)[(*place[:number], *place[number + 1 :])],
                place[number],
            )
            for number, axis in enumerate(axes)
        },
        interval=_intervals(grid, count),
        at_edge=any(_near_an_end(axis, at) for axis, at in zip(axes, place, strict=True)),
        n_datasets=len(grid.datasets),
    )


def _flat_range(axis: Axis, curve: FloatArray, best: int) -> tuple[Value, Value]:
    """Return the ends of the range around the best place of a curve that loses at most `LOSS`."""
    lower = np.flatnonzero(~(curve >= curve[best] - LOSS))
    low = lower[lower < best].max(initial=-1) + 1
    high = lower[lower > best].min(initial=len(curve)) - 1
    return axis.values[low], axis.values[high]


def _near_an_end(axis: Axis, place: int) -> bool:
    """Return whether a wider grid may have a better value; below one neighbour it cannot."""
    half = axis.window // 2
    lowest = axis.rule == "count" and axis.values[0] == 1
    below = not lowest and place - half <= 0
    return axis.is_numeric and (below or place + half >= len(axis.values) - 1)


def _intervals(grid: GridMeans, n_resamples: int) -> dict[str, tuple[float, float]]:
    """Return the bootstrap percentile interval of the best value of each hyperparameter."""
    axes = grid.recipe.axes
    limits = {axis.name: (float("nan"), float("nan")) for axis in axes}
    if len(grid.datasets) < 2:
        return limits
    shape = grid.means.shape[1:]
    means = grid.means.reshape(len(grid.datasets), -1)
    unusable = np.isnan(means).any(axis=0)
    # Resamples of few datasets are often the same; curves of different ones come in blocks.
    resamples, times = np.unique(
        resample_counts(len(means), n_resamples, 0), axis=0, return_counts=True
    )
    won = np.zeros(means.shape[1])
    step = max(1, BLOCK_ELEMENTS // len(won))
    for start in range(0, len(resamples), step):
        curves = weighted_means(means, resamples[start : start + step])
        curves[:, unusable] = np.nan
        surfaces = smoothed(curves.reshape(-1, *shape), axes).reshape(curves.shape)
        best = np.nanargmax(surfaces, axis=1)
        won += np.bincount(best, times[start : start + step], minlength=len(won))
    shares = won.reshape(shape) / n_resamples
    for number, axis in enumerate(axes):
        if axis.is_numeric:
            others = tuple(other for other in range(len(axes)) if other != number)
            reached = np.cumsum(shares.sum(axis=others))
            tails = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2 - 1e-12
            low, high = np.minimum(np.searchsorted(reached, tails), len(reached) - 1)
            limits[axis.name] = float(axis.values[low]), float(axis.values[high])
    return limits


def choices(grid: GridMeans) -> dict[str, dict[str, Value]]:
    """Map each dataset to the grid values that maximise the smoothed mean over the others.

    The values are not rounded. With a single dataset nothing is chosen.
    """
    axes = grid.recipe.axes
    found: dict[str, dict[str, Value]] = {}
    if len(grid.datasets) < 2:
        return found
    total = grid.means.sum(axis=0)
    for number, dataset in enumerate(grid.datasets):
        others = (total - grid.means[number]) / (len(grid.datasets) - 1)
        if np.isnan(grid.means[number]).any():
            # Where only this dataset lacks a score, the difference of sums would be NaN.
            others = np.delete(grid.means, number, axis=0).mean(axis=0)
        if np.isnan(others).all():
            continue
        place = _highest(smoothed(others, axes))
        found[dataset] = {axis.name: axis.values[at] for axis, at in zip(axes, place, strict=True)}
    return found


def results_with(rows: pd.DataFrame, grids: Sequence[GridMeans], chosen: Choices) -> pd.DataFrame:
    """Return the results with the parameters chosen for each dataset, one row per fold."""
    columns = ["dataset", "class", "descriptor", "fold", "auroc", "average_precision", "status"]
    columns += ["n", "m", "sparsity", "parameters"]
    parts = [pd.DataFrame(columns=columns)]
    for recipe in (grid.recipe for grid in grids):
        mine = rows[rows["descriptor"] == recipe.name]
        for (dataset, target), of_task in mine.groupby(["dataset", "class"]):
            if values := chosen.get(recipe.name, {}).get(str(dataset)):
                task = _task(dataset, target, of_task)
                setting = {
                    axis.parameter: axis.resolved(task)[axis.values.index(values[axis.name])]
                    for axis in recipe.axes
                }
                found = of_task[of_task["parameters"] == json.dumps(setting)]
                parts.append(found.sort_values("fold")[columns])
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _task(dataset: Any, target: Any, rows: pd.DataFrame) -> Task:
    return Task(str(dataset), str(target), int(rows["n"].iloc[0]), int(rows["m"].iloc[0]), 0)
