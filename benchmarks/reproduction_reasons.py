"""Reasons why tasks differ from the paper's digits, as far as sweep and data can tell."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.datasets import Dataset
from occstats.report.published import EQUAL
from occstats.tuning import Sweep
from occstats.tuning.optimum import GridMeans, task_grids

PROVEN, LIKELY, UNKNOWN = "proven", "likely", "unknown"
RANDOM = ("EIF", "SAE")
# A grid point with all digits is a proof if its probability by chance is smaller than this.
CHANCE = 0.01


class Reasons:
    """Reasons for the differences between a table and the paper's.

    Parameters
    ----------
    ours, paper : DataFrame
        Tasks × descriptors.
    sweep : Sweep
        Sweep that the parameters were chosen from.
    datasets : dict
        Name → dataset.
    ties : DataFrame
        Record of ``ties.py``.
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
        self._unrounded = ties.set_index(["dataset", "class", "descriptor"])["unrounded"]
        self._equal = (ours - paper).abs() <= EQUAL

    def rows(self) -> Iterator[list[str]]:
        """Yield descriptor, task, both scores, the reason and how well it is established."""
        for name in self._ours:
            if name in RANDOM:
                continue
            for key in self._equal.index[~self._equal[name]]:
                numbers = [f"{frame.loc[key, name]:.3f}" for frame in (self._ours, self._paper)]
                yield [name, *key, *numbers, *self._reason(name, key)]

    def _reason(self, name: str, key: tuple[str, str]) -> tuple[str, str]:
        dataset = key[0]
        # MD has neither parameters nor relevant ties: if it differs, the data do.
        if not self._equal.loc[dataset, "MD"].all():
            return (
                "different order of rows or copy: MD, without parameters, differs too",
                LIKELY,
            )
        unrounded = self._unrounded.get((*key, name), np.nan)
        if abs(unrounded - self._paper.loc[key, name]) <= EQUAL:
            return "ties: the unrounded scores give the paper's digits", PROVEN
        if name in self._by_task:
            found = self._other_parameters(name, key)
            if found is not None:
                return found
        if _is_integer(self._datasets[dataset]) and name not in ("SVM", "IF"):
            return "integer attributes: the order among equidistant neighbours matters", LIKELY
        if name in self._by_task:
            return "no point of the grid gives the digits", UNKNOWN
        if name == "IF":
            return "different random stream or data", UNKNOWN
        return "not found", UNKNOWN

    def _other_parameters(self, name: str, key: tuple[str, str]) -> tuple[str, str] | None:
        """Find a point of the grid with the paper's digits, for all classes or for this one."""
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
            chance = chance_of_a_hit([by_task[task] for task in classes])
            return (
                f"other parameters: {point} gives the digits of all {len(classes)} classes",
                PROVEN if chance < CHANCE else LIKELY,
            )
        if hits[key].any():
            return f"other parameters: {self._nearest(grid, dataset, hits[key])} gives it", LIKELY
        return None

    def _nearest(self, grid: GridMeans, dataset: str, hits: NDArray[np.bool_]) -> str:
        """Describe the point nearest to the chosen one, in steps of the grid."""
        axes, chosen = grid.recipe.axes, self._choices[grid.recipe.name][dataset]
        place = np.array([axis.values.index(chosen[axis.name]) for axis in axes])
        points = np.argwhere(hits)
        nearest = points[np.abs(points - place).sum(axis=1).argmin()]
        pairs = [
            f"{axis.name} = {axis.values[at]:g} for {chosen[axis.name]:g}"
            for axis, at in zip(axes, nearest, strict=True)
        ]
        return ", ".join(pairs)


def chance_of_a_hit(grids: list[NDArray[np.float64]]) -> float:
    """Return the probability that some grid point has the digits of all classes by chance.

    Digits are assumed to be uniform within the ranges of the classes over the grid.
    """
    digits = np.round(1000 * np.array([grid.ravel() for grid in grids]))
    distinct = np.unique(digits, axis=1).shape[1]
    return float(distinct / np.prod(digits.max(axis=1) - digits.min(axis=1) + 1))


def _is_integer(dataset: Dataset) -> bool:
    return bool((np.round(dataset.X) == dataset.X).all())
