"""From the rows of a sweep to smoothed means over the whole grid."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from occstats.experiment.tasks import N_FOLDS, Task
from occstats.tuning.recipes import SweepRecipe

__all__ = ["GridMeans", "expand", "rolling_mean", "task_grids"]


def rolling_mean(values: ArrayLike, windows: Sequence[int]) -> NDArray[np.float64]:
    r"""Centred rolling mean over the last axes, with partial windows at the edges.

    .. math:: \bar f_i = \frac{1}{|W_i|} \sum_{j \in W_i} f_j, \qquad
        W_i = \{j : |i - j| \le h, \ 1 \le j \le g\}

    with window width 2h + 1, and likewise in two dimensions. At an edge the mean is over those
    points of the window that exist: nothing is padded or mirrored, and no point of the grid is
    lost, which is what the paper's optimum of k = 1 for NND shows (with whole windows alone it
    could be no less than 2). A mean of fewer points is noisier, and one-sided where the curve
    slopes; so an optimum within half a window of an edge deserves a wider grid. Missing values are
    left out of the means.

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
        # Wider than twice the grid is as wide as the whole grid.
        width = min(window, 2 * given.shape[axis] - 1)
        if width > 1:
            sums = uniform_filter1d(sums, width, axis=axis, mode="constant")
            counts = uniform_filter1d(counts, width, axis=axis, mode="constant")
    # The filters divide both alike; what is left of the counts is the share of the window.
    with np.errstate(invalid="ignore"):
        return np.where(counts > 1e-9, sums / np.where(counts > 1e-9, counts, 1.0), np.nan)


@dataclass(frozen=True, eq=False)
class GridMeans:
    """The mean AUROC of each data set at each point of a descriptor's grid.

    Attributes
    ----------
    recipe : SweepRecipe
        The descriptor and its grids.
    datasets : list of str
        The data sets.
    means : ndarray, data sets × grid
        Mean over the folds of a task, then over the tasks of the data set; NaN where a task of the
        data set has no score at that point.
    """

    recipe: SweepRecipe
    datasets: list[str]
    means: NDArray[np.float64]

    @property
    def overall(self) -> NDArray[np.float64]:
        """The mean over data sets, each counting the same."""
        return np.asarray(self.means.mean(axis=0))


def expand(
    rows: pd.DataFrame, recipe: SweepRecipe, tasks: Mapping[str, int] | None = None
) -> GridMeans:
    """Expand the distinct values of each task to the grid, and average over tasks.

    Many points of a grid come to the same number of neighbours: the rows hold each once.
    A fold without an AUROC (its test part lacks a kind of rows) is left out of its task's mean;
    a fit that failed leaves its data set without a value there. Data sets without any value, or
    with fewer than their number of `tasks` or folds so far, are not among those returned.
    """
    mine = rows[rows["descriptor"] == recipe.name]
    if tasks is not None:
        mine = mine[mine["dataset"].isin(_complete(mine, tasks))]
    datasets: dict[str, list[NDArray[np.float64]]] = {}
    for task, values in task_grids(mine, recipe):
        datasets.setdefault(task.dataset, []).append(values)
    shape = tuple(len(axis.values) for axis in recipe.axes)
    means = [np.mean(tasks, axis=0) for tasks in datasets.values()]
    return GridMeans(recipe, list(datasets), np.array(means) if means else np.empty((0, *shape)))


def _complete(rows: pd.DataFrame, tasks: Mapping[str, int]) -> list[str]:
    """The data sets of which every fold of every task is there."""
    folds = rows[["dataset", "class", "fold"]].drop_duplicates()
    counts = folds.groupby("dataset", observed=True).size()
    return [
        str(name) for name, count in counts.items() if count == N_FOLDS * tasks.get(str(name), 0)
    ]


def task_grids(
    rows: pd.DataFrame, recipe: SweepRecipe
) -> Iterator[tuple[Task, NDArray[np.float64]]]:
    """Each task of a descriptor with its mean AUROC over folds at each point of the grid."""
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
        task = Task(
            str(dataset), str(target), int(of_task["n"].iloc[0]), int(of_task["m"].iloc[0]), 0
        )
        defined = of_task[of_task["status"] != "undefined"]
        folds = max(int(defined["fold"].nunique()), 1)
        codes_here = defined["_code"].to_numpy()
        sums = np.bincount(codes_here, defined["auroc"].to_numpy(), minlength=len(texts))
        counts = np.bincount(codes_here, minlength=len(texts))
        # A combination that some fold lacks has no mean: folds differ, and so would the means.
        score[:] = np.where(counts == folds, sums / folds, np.nan)
        # Each axis has few distinct values, the grid many combinations of them.
        distinct = [list(dict.fromkeys(axis.resolved(task))) for axis in recipe.axes]
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
