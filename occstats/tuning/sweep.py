"""The finished sweep: defaults, curves, leave-one-dataset-out choices and results."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from occstats.errors import ResultsError
from occstats.experiment.estimators import Recipe
from occstats.experiment.run import Data, Options, folder_or_temporary, split_options
from occstats.tuning.experiment import prepare_sweep, read_description, read_rows
from occstats.tuning.grids import Value
from occstats.tuning.recipes import paper_defaults
from occstats.tuning.selection import Optimum, choices, find_optimum, results_with, smoothed
from occstats.tuning.table import GridMeans, expand

__all__ = ["Sweep", "read_sweep", "tune"]


@dataclass(frozen=True, eq=False)
class Sweep:
    """What a sweep found.

    Attributes
    ----------
    grids : list of GridMeans
        Per descriptor and metric, the mean AUROC of each data set over the grid.
    rows : DataFrame
        One row per task × fold × distinct parameter value.
    failures : int
        Rows without a score because a fit failed.
    notes : tuple of str
        What a reader must know: data sets that are missing, optima at an edge.
    """

    grids: list[GridMeans]
    rows: pd.DataFrame = field(repr=False)

    @cached_property
    def optima(self) -> dict[str, Optimum]:
        """Descriptor → its best hyperparameters over all data sets."""
        return {grid.recipe.name: find_optimum(grid) for grid in self.grids}

    @cached_property
    def choices(self) -> dict[str, dict[str, dict[str, Value]]]:
        """Descriptor → data set → grid values that are best on the other data sets."""
        return {grid.recipe.name: choices(grid) for grid in self.grids}

    @cached_property
    def defaults(self) -> pd.DataFrame:
        """One row per hyperparameter: the optimum, rounded, the paper's, flatness, interval."""
        rows = []
        for grid in self.grids:
            recipe, found = grid.recipe, self.optima[grid.recipe.name]
            # The paper publishes defaults for the Manhattan metric alone.
            published = recipe.metric in {None, "manhattan"}
            paper = paper_defaults(recipe.origin) if published else {}
            for axis in recipe.axes:
                low, high = found.flat[axis.name]
                interval = found.interval[axis.name]
                rows.append(
                    {
                        "descriptor": recipe.descriptor,
                        "metric": recipe.metric,
                        "hyperparameter": axis.name,
                        "optimum": found.values[axis.name],
                        "default": found.rounded[axis.name],
                        "paper": paper.get(axis.name, np.nan),
                        "flat_low": low,
                        "flat_high": high,
                        "ci_low": interval[0],
                        "ci_high": interval[1],
                        "score": found.score,
                        "score_default": found.score_rounded,
                        "at_edge": found.at_edge,
                        "n_datasets": found.n_datasets,
                    }
                )
        return pd.DataFrame(rows)

    @cached_property
    def curves(self) -> pd.DataFrame:
        """Mean score and smoothed mean over each grid, as `occstats.figures.sweep` takes it."""
        parts = []
        for grid in self.grids:
            axes = grid.recipe.axes
            if not all(axis.is_numeric for axis in axes):
                continue
            mesh = np.meshgrid(*[np.array(a.values, float) for a in axes], indexing="ij")
            overall = grid.overall
            columns: dict[str, Any] = {
                "descriptor": grid.recipe.descriptor,
                "metric": grid.recipe.metric,
                **{axis.name: values.ravel() for axis, values in zip(axes, mesh, strict=True)},
                "score": overall.ravel(),
                "smoothed": smoothed(overall, axes).ravel(),
            }
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    @cached_property
    def chosen(self) -> pd.DataFrame:
        """Mean score of each data set at its own chosen parameters, and what was chosen."""
        rows = []
        for grid in self.grids:
            for dataset, values in self.choices[grid.recipe.name].items():
                place = tuple(a.values.index(values[a.name]) for a in grid.recipe.axes)
                rows.append(
                    {
                        "descriptor": grid.recipe.name,
                        "dataset": dataset,
                        **values,
                        "auroc": grid.means[(grid.datasets.index(dataset), *place)],
                    }
                )
        return pd.DataFrame(rows)

    @cached_property
    def results(self) -> pd.DataFrame:
        """The leave-one-dataset-out results, one row per fold, as ``occstats compare`` takes it."""
        return results_with(self.rows, self.grids, self.choices)

    @property
    def results_by_metric(self) -> dict[str | None, pd.DataFrame]:
        """The results of the descriptors as they are, and of those with another metric (named)."""
        names: dict[str | None, list[str]] = {}
        for grid in self.grids:
            metric = grid.recipe.parameters.get("metric")
            names.setdefault(metric, []).append(grid.recipe.name)
        parts = {
            metric: self.results[self.results["descriptor"].isin(of_metric)]
            for metric, of_metric in names.items()
        }
        return {metric: rows for metric, rows in parts.items() if len(rows)}

    @property
    def failures(self) -> int:
        """Rows without a score because a fit failed."""
        return int((self.rows["status"] == "failed").sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know."""
        notes = []
        everywhere = set(self.rows["dataset"])
        for grid in self.grids:
            name = grid.recipe.name
            lacking = sorted(everywhere - set(grid.datasets))
            if lacking:
                notes.append(
                    f"{name}: swept on {len(grid.datasets)} of {len(everywhere)} data sets; "
                    f"without {', '.join(lacking[:8])}{' …' if len(lacking) > 8 else ''}."
                )
            if self.optima[name].at_edge:
                notes.append(
                    f"{name}: the optimum lies within half a window of an end of the grid, "
                    "where the rolling mean is one-sided; a wider grid may move it."
                )
        if self.failures:
            notes.append(f"{self.failures} fits failed; points without a score are never chosen.")
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Defaults, choices and notes as plain values."""
        defaults = self.defaults.astype(object).where(self.defaults.notna(), None)
        return {
            "defaults": defaults.to_dict("records"),
            "leave_one_dataset_out": self.choices,
            "notes": list(self.notes),
        }


def read_sweep(folder: str | Path) -> Sweep:
    """Read a sweep from its folder; of one that is still running, the data sets that are done.

    Parameters
    ----------
    folder : path
        The folder that ``occstats tune`` writes.
    """
    described = read_description(folder)
    rows = read_rows(folder)
    grids = [expand(rows, recipe, described.tasks) for recipe in described.recipes]
    swept = [grid for grid in grids if grid.datasets]
    if not swept:
        raise ResultsError(
            f"{folder}: no data set is swept completely yet; run the same 'occstats tune' again"
        )
    return Sweep(swept, rows)


def tune(
    data: Data = "builtin",
    *,
    descriptors: Iterable[str | Recipe] | None = None,
    metrics: Iterable[str] | None = None,
    grids: Mapping[str, Iterable[Value]] | None = None,
    windows: Mapping[str, int] | None = None,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> Sweep:
    r"""Evaluate descriptors over their hyperparameters, and find the best defaults.

    The AUROC of each task is averaged per data set, then over data sets, and smoothed by a centred
    rolling mean over the grid; the maximum is the default. For NND, LNND, LOF and ALP the whole
    grid of a fold costs one neighbour search and a few passes; SVM reuses the kernel of a width and
    starts each ν from the last; any other estimator is fitted anew for every combination.

    Parameters
    ----------
    data
        The data sets; as in `occstats.run_experiment`.
    descriptors : iterable of str, optional
        Names among the nine or import paths; by default NND, LNND, LOF, SVM and ALP.
    metrics : iterable of str, optional
        ``"manhattan"``, ``"euclidean"`` or, by default, both, for neighbour-based descriptors.
    grids : mapping, optional
        Name of a hyperparameter → values to try. ``k`` and ``l`` are numbers of neighbours, ``a``
        and ``b`` the factors of k = a·log n and l = b·log n, ``c`` the factor of c·m; with the name
        of a descriptor in front (``"LOF.a"``) the grid is for it alone. Others are parameters of
        the estimator. The paper's grids by default.
    windows : mapping, optional
        Name → odd width of the rolling mean in grid points; ``""`` for all.
    out : path, optional
        A folder for the sweep; a temporary one by default. What is there is not computed again.
    **options
        datasets, label, jobs, scheduler, shard, timeout, seed, force, memory and progress as in
        `occstats.run_experiment`; the time limit is that of one fold.

    Returns
    -------
    Sweep
        With ``defaults``, ``curves``, ``choices``, ``results`` and ``notes``.

    References
    ----------
    O. U. Lenz, D. Peralta, C. Cornelis (2021). Average Localised Proximity: A new data descriptor
    with good default one-class classification performance. Pattern Recognition 118, 107991.

    Examples
    --------
    >>> sweep = tune(datasets=["iris", "wine"], descriptors=["NND"], metrics=["manhattan"], jobs=1)
    >>> sweep.defaults[["descriptor", "hyperparameter", "optimum", "paper"]].values.tolist()
    [['NND', 'k', 6, 1]]
    """
    asked, how = split_options(options)
    own: dict[str, Any] = {"metrics": metrics, "grids": grids, "windows": windows}
    with folder_or_temporary(out) as place:
        experiment = prepare_sweep(data, out=place, descriptors=descriptors, **own, **asked)
        experiment.run(**how)
        return read_sweep(experiment.folder)
