"""Find the best hyperparameters of a sweep, with confidence intervals.

A sweep gives the mean score of each dataset at each point of a grid. The best point is where the
smoothed mean over datasets is highest. Its confidence interval is from the cluster bootstrap: the
curve of each resample of datasets is smoothed again and its optimum located.

References
----------
.. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application, section 5.
.. [2] C. A. Field, A. H. Welsh (2007). Bootstrapping clustered data. JRSS B 69(3), 369-390.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from occstats.errors import ResultsError
from occstats.experiment.tasks import N_FOLDS, Task
from occstats.stats._arrays import FloatArray
from occstats.stats.bootstrap import Counts
from occstats.stats.clusters import weighted_means
from occstats.tuning.grids import SweepRecipe, Value

# The loss of mean AUROC that defines the flat range around an optimum.
LOSS = 0.001
RESAMPLES = 10_000
CONFIDENCE = 0.95
# Elements of all resampled grids together; planes get fewer resamples than curves.
MOST_ELEMENTS = 20_000_000
# Elements of resampled curves in memory at a time.
BLOCK_ELEMENTS = 1_000_000
RESULT_COLUMNS = [
    "dataset", "class", "descriptor", "fold", "auroc", "average_precision", "status", "n", "m",
    "sparsity", "parameters",
]  # fmt: skip


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

    @cached_property
    def surface(self) -> FloatArray:
        """Return the smoothed mean over datasets."""
        return self.smoothed(self.overall)

    def smoothed(self, means: FloatArray) -> FloatArray:
        """Compute the rolling mean of grids (..., grid); a point without a score stays missing."""
        surface = rolling_mean(means, [axis.window for axis in self.recipe.axes])
        return np.where(np.isnan(means), np.nan, surface)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """Return the position of the optimum, the first maximum of the smoothed mean."""
        if np.isnan(self.surface).all():
            raise ResultsError(
                f"{self.recipe.name}: no point of the grid has a score on every dataset; retry the "
                "failed fits with --force failed"
            )
        return _highest(self.surface)

    @property
    def at_edge(self) -> bool:
        """Return whether a wider grid may have a better value.

        That is so within half a window of an end of a grid, but not below one neighbour.
        """
        for axis, at in zip(self.recipe.axes, self.best, strict=True):
            half = axis.window // 2
            lowest = axis.rule == "count" and axis.values[0] == 1
            below = not lowest and at - half <= 0
            if axis.is_numeric and (below or at + half >= len(axis.values) - 1):
                return True
        return False

    def defaults(self, *, n_resamples: int = RESAMPLES) -> list[dict[str, Any]]:
        """Return a record of the best value of each hyperparameter.

        ``optimum`` is the value on the grid and ``default`` the same rounded as published;
        ``score`` and ``score_default`` are the smoothed means there, NaN where the rounded values
        are not on the grid. ``flat_low`` and ``flat_high`` are the ends of the contiguous range,
        with the other hyperparameter at its best, in which the smoothed mean is at most 0.001
        lower; ``ci_low`` and ``ci_high`` the bootstrap percentile interval, NaN with one dataset.
        """
        from occstats_descriptors.registry import hyperparameters

        recipe, surface = self.recipe, self.surface
        values = self.values_at(self.best)
        rounded = {axis.name: axis.rounded(values[axis.name]) for axis in recipe.axes}
        score_default = np.nan
        if all(rounded[axis.name] in axis.values for axis in recipe.axes):
            score_default = surface[
                tuple(axis.values.index(rounded[axis.name]) for axis in recipe.axes)
            ]
        # The paper publishes defaults for the Manhattan metric alone.
        published = recipe.metric in {None, "manhattan"}
        paper = dict(t.point for t in hyperparameters(recipe.origin)) if published else {}
        shares = self._bootstrap_shares(n_resamples)
        rows = []
        for number, axis in enumerate(recipe.axes):
            at = self.best[number]
            curve = np.moveaxis(surface, number, -1)[
                (*self.best[:number], *self.best[number + 1 :])
            ]
            lower = np.flatnonzero(~(curve >= curve[at] - LOSS))
            ends: tuple[Any, Any] = (np.nan, np.nan)
            if shares is not None and axis.is_numeric:
                others = tuple(other for other in range(surface.ndim) if other != number)
                reached = np.cumsum(shares.sum(axis=others))
                tails = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2 - 1e-12
                places = np.minimum(np.searchsorted(reached, tails), len(reached) - 1)
                ends = (float(axis.values[places[0]]), float(axis.values[places[1]]))
            rows.append(
                {
                    "descriptor": recipe.descriptor,
                    "metric": recipe.metric,
                    "hyperparameter": axis.name,
                    "optimum": values[axis.name],
                    "default": rounded[axis.name],
                    "paper": paper.get(axis.name, np.nan),
                    "flat_low": axis.values[lower[lower < at].max(initial=-1) + 1],
                    "flat_high": axis.values[lower[lower > at].min(initial=len(curve)) - 1],
                    "ci_low": ends[0],
                    "ci_high": ends[1],
                    "score": float(surface[self.best]),
                    "score_default": float(score_default),
                    "at_edge": self.at_edge,
                    "n_datasets": len(self.datasets),
                }
            )
        return rows

    def values_at(self, place: Sequence[int]) -> dict[str, Value]:
        """Return the values of the hyperparameters at a position of the grid."""
        pairs = zip(self.recipe.axes, place, strict=True)
        return {axis.name: axis.values[at] for axis, at in pairs}

    def _bootstrap_shares(self, n_resamples: int) -> FloatArray | None:
        """Return the share of resamples of datasets whose optimum is at each point of the grid.

        Large planes get fewer resamples; with one dataset there are none.
        """
        if len(self.datasets) < 2:
            return None
        means = self.means.reshape(len(self.datasets), -1)
        unusable = np.isnan(means).any(axis=0)
        count = max(min(n_resamples, MOST_ELEMENTS // means.shape[1]), 1)
        # Resamples of few datasets are often the same; curves of different ones come in blocks.
        drawn = Counts.of(len(means), count, 0).array()
        resamples, times = np.unique(drawn, axis=0, return_counts=True)
        won = np.zeros(means.shape[1])
        step = max(1, BLOCK_ELEMENTS // len(won))
        for start in range(0, len(resamples), step):
            curves = weighted_means(means, resamples[start : start + step])
            curves[:, unusable] = np.nan
            surfaces = self.smoothed(curves.reshape(-1, *self.surface.shape))
            best = np.nanargmax(surfaces.reshape(curves.shape), axis=1)
            won += np.bincount(best, times[start : start + step], minlength=len(won))
        return won.reshape(self.surface.shape) / count

    @cached_property
    def choices(self) -> dict[str, dict[str, Value]]:
        """Map each dataset to the grid values that maximise the smoothed mean over the others.

        The values are not rounded. With a single dataset nothing is chosen.
        """
        return {dataset: self.values_at(place) for dataset, place in self._chosen_places.items()}

    @cached_property
    def _chosen_places(self) -> dict[str, tuple[int, ...]]:
        places: dict[str, tuple[int, ...]] = {}
        total, n_others = self.means.sum(axis=0), len(self.datasets) - 1
        for number, dataset in enumerate(self.datasets if n_others else ()):
            others = (total - self.means[number]) / n_others
            if np.isnan(self.means[number]).any():
                # Where only this dataset lacks a score, the difference of sums would be NaN.
                others = np.delete(self.means, number, axis=0).mean(axis=0)
            if not np.isnan(others).all():
                places[dataset] = _highest(self.smoothed(others))
        return places

    def chosen(self) -> list[dict[str, Any]]:
        """Return a record of the choice for each dataset, and of its mean score with it."""
        return [
            {
                "descriptor": self.recipe.name,
                "dataset": dataset,
                **self.values_at(place),
                "auroc": self.means[(self.datasets.index(dataset), *place)],
            }
            for dataset, place in self._chosen_places.items()
        ]

    def results(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a sweep with the parameters chosen for each dataset, one per fold."""
        places = self._chosen_places
        parts = [pd.DataFrame(columns=RESULT_COLUMNS)]
        for task, folds in task_folds(rows, self.recipe):
            if task.dataset in places:
                positions = self.recipe.positions(task)
                at = [axis[i] for axis, i in zip(positions, places[task.dataset], strict=True)]
                row = np.ravel_multi_index(at, [axis.max() + 1 for axis in positions])
                parts += [fold.iloc[[int(row)]][RESULT_COLUMNS] for fold in folds]
        return pd.concat(parts[1:] or parts, ignore_index=True)

    def curve(self) -> pd.DataFrame:
        """Return mean and smoothed mean over the grid; empty if it is not of numbers."""
        axes = self.recipe.axes
        if not all(axis.is_numeric for axis in axes):
            return pd.DataFrame()
        mesh = np.meshgrid(*[np.array(axis.values, float) for axis in axes], indexing="ij")
        columns: dict[str, Any] = {
            "descriptor": self.recipe.descriptor,
            "metric": self.recipe.metric,
            **{axis.name: values.ravel() for axis, values in zip(axes, mesh, strict=True)},
            "score": self.overall.ravel(),
            "smoothed": self.surface.ravel(),
        }
        return pd.DataFrame(columns)


def _highest(surface: FloatArray) -> tuple[int, ...]:
    """Return the position of the first maximum, ignoring missing values."""
    where = np.unravel_index(int(np.nanargmax(surface)), surface.shape)
    return tuple(int(place) for place in where)


def expand(
    rows: pd.DataFrame, recipe: SweepRecipe, tasks: Mapping[str, int] | None = None
) -> GridMeans:
    """Expand the distinct values of each task to the grid, and average over tasks.

    A failed fit leaves its dataset without a value at that point. Datasets without any value, or
    with fewer than their number of `tasks` or folds so far, are omitted.
    """
    if tasks is not None:
        mine = rows[rows["descriptor"] == recipe.name]
        folds = mine[["dataset", "class", "fold"]].drop_duplicates().groupby("dataset").size()
        planned = folds.index.map(lambda name: N_FOLDS * tasks.get(name, 0))
        rows = mine[mine["dataset"].isin(folds.index[folds == planned])]
    datasets: dict[str, list[FloatArray]] = {}
    for task, values in task_grids(rows, recipe):
        datasets.setdefault(task.dataset, []).append(values)
    means = {name: np.mean(values, axis=0) for name, values in datasets.items()}
    means = {name: values for name, values in means.items() if not np.isnan(values).all()}
    shape = tuple(len(axis.values) for axis in recipe.axes)
    found = np.array(list(means.values())) if means else np.empty((0, *shape))
    return GridMeans(recipe, list(means), found)


def task_grids(rows: pd.DataFrame, recipe: SweepRecipe) -> Iterator[tuple[Task, FloatArray]]:
    """Yield each task with its mean AUROC over folds at each point of a descriptor's grid.

    A fold without an AUROC (its test part lacks target or other rows) is ignored.
    """
    for task, folds in task_folds(rows, recipe):
        positions = recipe.positions(task)
        shape = [axis.max() + 1 for axis in positions]
        defined = [fold["auroc"] for fold in folds if fold["status"].iloc[0] != "undefined"]
        mean = np.mean(defined, axis=0) if defined else np.full(np.prod(shape), np.nan)
        yield task, mean.reshape(shape)[np.ix_(*positions)]


def task_folds(
    rows: pd.DataFrame, recipe: SweepRecipe
) -> Iterator[tuple[Task, list[pd.DataFrame]]]:
    """Yield each task with the rows of its folds: all combinations of distinct values, in order."""
    mine = rows[rows["descriptor"] == recipe.name]
    for (dataset, target), of_task in mine.groupby(["dataset", "class"]):
        n, m = int(of_task["n"].iloc[0]), int(of_task["m"].iloc[0])
        folds = [fold for _, fold in of_task.groupby("fold")]
        yield Task(str(dataset), str(target), n, m, 0), folds
