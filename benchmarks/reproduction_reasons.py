"""Why a task differs from the paper's digits, as far as the sweep and the data can tell."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.datasets import Dataset
from occstats.report.published import EQUAL
from occstats.tuning import Sweep
from occstats.tuning.table import GridMeans, task_grids

PROVEN, LIKELY, UNKNOWN = "proven", "likely", "unknown"
RANDOM = ("EIF", "SAE")


class Reasons:
    """Reasons for the differences of a table from the paper's.

    Parameters
    ----------
    ours, paper : DataFrame
        Tasks × descriptors.
    sweep : Sweep
        The sweep that the parameters were chosen from.
    datasets : dict
        Name → data set.
    ties : DataFrame
        What ``ties.py`` recorded.
    """

    def __init__(
        self,
        ours: pd.DataFrame,
        paper: pd.DataFrame,
        sweep: Sweep,
        datasets: dict[str, Dataset],
        ties: pd.DataFrame,
    ) -> None:
        self._ours, self._paper = ours, paper
        self._datasets = datasets
        self._grids = {grid.recipe.name: grid for grid in sweep.grids}
        self._choices = sweep.choices
        self._by_task = {
            name: {task.key: values for task, values in task_grids(sweep.rows, grid.recipe)}
            for name, grid in self._grids.items()
        }
        self._unrounded = ties.set_index(["dataset", "class", "descriptor"])["as they are"]
        self._equal = (ours - paper).abs() <= EQUAL

    def rows(self) -> Iterator[list[str]]:
        """Descriptor, task, both numbers, the reason, how it was established."""
        for name in self._ours:
            if name in RANDOM:
                continue
            for key in self._equal.index[~self._equal[name]]:
                numbers = [f"{frame.loc[key, name]:.3f}" for frame in (self._ours, self._paper)]
                yield [name, *key, *numbers, *self._reason(name, key)]

    def _reason(self, name: str, key: tuple[str, str]) -> tuple[str, str]:
        dataset = key[0]
        # MD has neither parameters nor ties that matter: where it differs, the data do.
        if not self._equal.loc[dataset, "MD"].all():
            return "another order of rows, or copy: MD, which has no choices, differs too", LIKELY
        unrounded = self._unrounded.get((*key, name), np.nan)
        if abs(unrounded - self._paper.loc[key, name]) <= EQUAL:
            return "ties: the scores as computed, not rounded, give the paper's digits", PROVEN
        if name in self._by_task:
            found = self._other_parameters(name, key)
            if found is not None:
                return found
        if _is_integer(self._datasets[dataset]) and name not in ("SVM", "IF"):
            return "integer attributes: the order among equal distances decides", LIKELY
        if name in self._by_task:
            return "no point of the grid gives the digits", UNKNOWN
        if name == "IF":
            return "another random stream or other data", UNKNOWN
        return "not found", UNKNOWN

    def _other_parameters(self, name: str, key: tuple[str, str]) -> tuple[str, str] | None:
        """A point of the grid that gives the paper's digits, for all classes or for this one."""
        dataset = key[0]
        grid, by_task = self._grids[name], self._by_task[name]
        if key not in by_task or dataset not in self._choices[name]:
            return None
        classes = [task for task in by_task if task[0] == dataset]
        hits = {
            task: np.abs(by_task[task] - self._paper.loc[task, name]) <= EQUAL for task in classes
        }
        everywhere = np.logical_and.reduce(list(hits.values()))
        if everywhere.any() and len(classes) > 1:
            point = self._nearest(grid, dataset, everywhere)
            return f"other parameters: {point} gives all {len(classes)} classes' digits", PROVEN
        if hits[key].any():
            return f"other parameters: {self._nearest(grid, dataset, hits[key])} gives it", LIKELY
        return None

    def _nearest(self, grid: GridMeans, dataset: str, hits: NDArray[np.bool_]) -> str:
        """The point nearest to the one that was chosen, in steps of the grid."""
        axes, chosen = grid.recipe.axes, self._choices[grid.recipe.name][dataset]
        place = np.array([axis.values.index(chosen[axis.name]) for axis in axes])
        points = np.argwhere(hits)
        nearest = points[np.abs(points - place).sum(axis=1).argmin()]
        pairs = [
            f"{axis.name} = {axis.values[at]:g} for {chosen[axis.name]:g}"
            for axis, at in zip(axes, nearest, strict=True)
        ]
        return ", ".join(pairs)


def _is_integer(dataset: Dataset) -> bool:
    return bool((np.round(dataset.X) == dataset.X).all())
