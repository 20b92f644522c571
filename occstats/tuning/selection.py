"""The best hyperparameters of a sweep, and for each data set those that are best on the others."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.errors import ResultsError
from occstats.experiment.tasks import Task
from occstats.tuning.grids import Axis, Value
from occstats.tuning.table import GridMeans, rolling_mean

__all__ = [
    "Optimum",
    "best_point",
    "choices",
    "find_optimum",
    "flat_range",
    "leave_one_out_parameters",
    "results_with",
    "smoothed",
]

# "How far one can go before losing this."
LOSS = 0.001
RESAMPLES = 10_000
# Elements of all resampled grids together; planes get fewer resamples than curves.
MOST_ELEMENTS = 20_000_000


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best values of one descriptor's hyperparameters.

    Attributes
    ----------
    values, rounded : dict
        Name of the hyperparameter → the best value on the grid, and rounded as published.
    score : float
        The smoothed mean AUROC there.
    score_rounded : float
        The smoothed mean AUROC at the rounded values, where they are on the grid, else NaN.
    flat : dict
        Name → lowest and highest value, next to the best without a gap and the other
        hyperparameter at its best, at which the smoothed mean is at most 0.001 lower.
    flat_share : float
        The share of the grid whose smoothed mean is at most 0.001 below the highest.
    interval : dict
        Name → percentile interval of the best value when data sets are resampled; NaN with one.
    at_edge : bool
        Whether a best value lies within half a window of an end of its grid that could be moved.
    n_datasets : int
        How many data sets the mean is over.
    """

    values: dict[str, Value]
    rounded: dict[str, Value]
    score: float
    score_rounded: float
    flat: dict[str, tuple[Value, Value]]
    flat_share: float
    interval: dict[str, tuple[float, float]]
    at_edge: bool
    n_datasets: int
    n_resamples: int = field(default=0, repr=False)


def smoothed(means: NDArray[np.float64], axes: tuple[Axis, ...]) -> NDArray[np.float64]:
    """The rolling mean of grids (..., grid) with the windows of their axes.

    A point without a score stays without: its neighbours do not make it eligible.
    """
    surface = rolling_mean(means, [axis.window for axis in axes])
    return np.where(np.isnan(means), np.nan, surface)


def best_point(surface: NDArray[np.float64]) -> tuple[int, ...]:
    """Where a grid is highest; the first of equals, and never where it is missing.

    Examples
    --------
    >>> best_point(np.array([0.1, np.nan, 0.3, 0.3]))
    (2,)
    """
    where = np.unravel_index(int(np.nanargmax(surface)), surface.shape)
    return tuple(int(place) for place in where)


def find_optimum(
    grid: GridMeans,
    *,
    confidence: float = 0.95,
    n_resamples: int = RESAMPLES,
    random_state: int = 0,
) -> Optimum:
    """The optimum of a sweep over all its data sets.

    Parameters
    ----------
    grid : GridMeans
        The mean scores of the data sets.
    confidence, n_resamples, random_state
        Of the cluster-bootstrap interval; large planes get fewer resamples.
    """
    axes = grid.recipe.axes
    surface = smoothed(grid.overall, axes)
    place = best_point(surface)
    values = {axis.name: axis.values[at] for axis, at in zip(axes, place, strict=True)}
    rounded = {axis.name: axis.rounded(values[axis.name]) for axis in axes}
    count = max(min(n_resamples, MOST_ELEMENTS // surface.size), 1)
    near = surface >= surface[place] - LOSS
    return Optimum(
        values=values,
        rounded=rounded,
        score=float(surface[place]),
        score_rounded=_value_at(surface, axes, rounded),
        flat={
            axis.name: flat_range(axis, _line(surface, place, number), place[number])
            for number, axis in enumerate(axes)
        },
        flat_share=float(near.mean()),
        interval=_intervals(grid, confidence, count, random_state),
        at_edge=any(_near_an_end(axis, at) for axis, at in zip(axes, place, strict=True)),
        n_datasets=len(grid.datasets),
        n_resamples=count,
    )


def flat_range(
    axis: Axis, curve: NDArray[np.float64], place: int, *, loss: float = LOSS
) -> tuple[Value, Value]:
    """How far one can go from the best value, either way, before losing more than `loss`.

    Examples
    --------
    >>> axis = Axis("k", "k", "count", (1, 2, 3, 4, 5))
    >>> flat_range(axis, np.array([0.8, 0.7, 0.7995, 0.8, 0.7991]), 3)
    (3, 5)
    """
    good = curve >= curve[place] - loss
    low = high = place
    while low > 0 and good[low - 1]:
        low -= 1
    while high < len(good) - 1 and good[high + 1]:
        high += 1
    return axis.values[low], axis.values[high]


def _near_an_end(axis: Axis, place: int) -> bool:
    """Whether a wider grid might have had a better value; fewer than one neighbour it cannot."""
    half = axis.window // 2
    lowest = axis.rule == "count" and axis.values[0] == 1
    below = not lowest and place - half <= 0
    return axis.is_numeric and (below or place + half >= len(axis.values) - 1)


def _line(surface: NDArray[np.float64], place: tuple[int, ...], number: int) -> NDArray[np.float64]:
    index: list[Any] = list(place)
    index[number] = slice(None)
    return np.asarray(surface[tuple(index)])


def _value_at(
    surface: NDArray[np.float64], axes: tuple[Axis, ...], values: dict[str, Value]
) -> float:
    if any(values[axis.name] not in axis.values for axis in axes):
        return float("nan")
    return float(surface[tuple(axis.values.index(values[axis.name]) for axis in axes)])


def _intervals(
    grid: GridMeans, confidence: float, n_resamples: int, random_state: int
) -> dict[str, tuple[float, float]]:
    """Percentile limits of each hyperparameter's best value; the data sets are resampled."""
    from occstats.tuning.optimum import optimum_interval

    axes = grid.recipe.axes
    shape = grid.means.shape[1:]
    flat_means = grid.means.reshape(len(grid.datasets), -1)
    usable: NDArray[np.bool_] = np.asarray(np.isfinite(flat_means).all(axis=0))

    def smoother(curves: NDArray[np.float64]) -> NDArray[np.float64]:
        whole = np.full((len(curves), len(usable)), np.nan)
        whole[:, usable] = curves
        smooth = smoothed(whole.reshape(len(curves), *shape), axes)
        return np.asarray(smooth.reshape(len(curves), -1)[:, usable])

    found = optimum_interval(
        np.arange(int(usable.sum())),
        flat_means[:, usable],
        smoother=smoother,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    nan = float("nan")
    if len(grid.datasets) < 2:
        return {axis.name: (nan, nan) for axis in axes}
    won = np.zeros(len(usable))
    won[usable] = found.probability
    shares: NDArray[np.float64] = won.reshape(shape)
    limits = {}
    for number, axis in enumerate(axes):
        others = tuple(other for other in range(len(axes)) if other != number)
        reached = np.cumsum(shares.sum(axis=others))
        low = int(np.searchsorted(reached, (1 - confidence) / 2))
        high = int(np.searchsorted(reached, (1 + confidence) / 2 - 1e-12))
        ends = (axis.values[min(low, len(reached) - 1)], axis.values[min(high, len(reached) - 1)])
        limits[axis.name] = (float(ends[0]), float(ends[1])) if axis.is_numeric else (nan, nan)
    return limits


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
    from occstats.tuning.sweep import read_sweep

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
