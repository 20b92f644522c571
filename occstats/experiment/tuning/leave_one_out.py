"""Leave-one-dataset-out: for each data set, the parameters that are best on the others."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from occstats.errors import ResultsError
from occstats.experiment.tasks import Task
from occstats.experiment.tuning.grids import Value
from occstats.experiment.tuning.selection import best_point, smoothed
from occstats.experiment.tuning.table import GridMeans

__all__ = ["choices", "leave_one_out_parameters", "results_with"]

Choices = Mapping[str, Mapping[str, Mapping[str, Value]]]


def choices(grid: GridMeans) -> dict[str, dict[str, Value]]:
    """Data set → the grid values that maximise the smoothed mean over all other data sets.

    Rounding is for publication; here the optimum itself is taken. With a single data set there are
    no others, and nothing is chosen.
    """
    axes = grid.recipe.axes
    found: dict[str, dict[str, Value]] = {}
    if len(grid.datasets) < 2:
        return found
    total = grid.means.sum(axis=0)
    for number, dataset in enumerate(grid.datasets):
        others = (total - grid.means[number]) / (len(grid.datasets) - 1)
        if np.isnan(grid.means[number]).any():
            # NaN − NaN: where only this data set lacks a score, the others have one.
            others = np.delete(grid.means, number, axis=0).mean(axis=0)
        if np.isnan(others).all():
            continue
        place = best_point(smoothed(others, axes))
        found[dataset] = {axis.name: axis.values[at] for axis, at in zip(axes, place, strict=True)}
    return found


def results_with(rows: pd.DataFrame, grids: Sequence[GridMeans], chosen: Choices) -> pd.DataFrame:
    """The results table with the parameters chosen for each data set, one row per fold.

    Parameters
    ----------
    rows : DataFrame
        The rows of the sweep.
    grids : sequence of GridMeans
        The descriptors.
    chosen : mapping
        Descriptor → data set → grid values.
    """
    columns = ["dataset", "class", "descriptor", "fold", "auroc", "status", "n", "m", "sparsity"]
    parts = []
    for grid in grids:
        recipe = grid.recipe
        mine = rows[rows["descriptor"] == recipe.name]
        traits = mine.drop_duplicates(["dataset", "class"])
        wanted = []
        for dataset, target, n, m in traits[["dataset", "class", "n", "m"]].itertuples(index=False):
            values = chosen.get(recipe.name, {}).get(dataset)
            if values is None:
                continue
            task = Task(dataset, target, int(n), int(m), 0)
            setting = {
                axis.parameter: axis.resolved(task)[axis.values.index(values[axis.name])]
                for axis in recipe.axes
            }
            wanted.append((dataset, target, json.dumps(setting)))
        keys = pd.DataFrame(wanted, columns=["dataset", "class", "parameters"])
        found = mine.merge(keys, on=["dataset", "class", "parameters"])
        parts.append(found.sort_values(["dataset", "class", "fold"]))
    if not parts:
        return pd.DataFrame(columns=[*columns, "parameters"])
    return pd.concat(parts, ignore_index=True)[[*columns, "parameters"]]


def leave_one_out_parameters(sweep: str | Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Descriptor → data set → parameters that were best on the other data sets of a sweep.

    Parameters
    ----------
    sweep : path
        The folder that ``occstats tune`` wrote.

    Returns
    -------
    dict
        Ready for ``occstats.run_experiment(parameters=…)``.
    """
    from occstats.experiment.tuning.sweep import read_sweep

    found = read_sweep(sweep)
    by_descriptor = {
        grid.recipe.name: {
            dataset: {
                **grid.recipe.parameters,
                **{axis.parameter: axis.setting(values[axis.name]) for axis in grid.recipe.axes},
            }
            for dataset, values in found.choices.get(grid.recipe.name, {}).items()
        }
        for grid in found.grids
    }
    if not any(by_descriptor.values()):
        raise ResultsError(
            f"{sweep}: leaving one data set out needs a sweep of at least two data sets"
        )
    return by_descriptor
