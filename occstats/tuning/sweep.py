"""Sweep descriptors over their hyperparameters, and report the best defaults."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from occstats._checks import check_keywords
from occstats._files import write_file
from occstats._format import count
from occstats.errors import ResultsError
from occstats.experiment.estimators import Descriptors, SeedPolicy
from occstats.experiment.plan import estimated_seconds
from occstats.experiment.run import Data, Experiment, find_sources, folder_or_temporary
from occstats.experiment.store import FAILED, KEY, Store
from occstats.experiment.tasks import Task
from occstats.experiment.worker import Rows
from occstats.tuning.fold_sweep import COARSE_STEP, MOST_DISTINCT, sweep_fold
from occstats.tuning.grids import Axis, SweepRecipe, Value, make_sweep_recipes
from occstats.tuning.optimum import RESULT_COLUMNS, GridMeans, expand

DESCRIPTION = "sweep.json"


@check_keywords
def tune(
    data: Data = "builtin",
    *,
    descriptors: Descriptors | None = None,
    metrics: Iterable[str] | None = None,
    grids: Mapping[str, Iterable[Value]] | None = None,
    windows: Mapping[str, int] | None = None,
    out: str | Path | None = None,
    datasets: Iterable[str] | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    jobs: int | None = None,
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    force: str | None = None,
    memory: float | None = None,
    progress: bool | None = None,
) -> "Sweep":
    r"""Evaluate descriptors over their hyperparameters, and find the best defaults.

    The AUROC of each task is averaged per dataset, then over datasets, and smoothed by a centred
    rolling mean over the grid; the maximum is the default. For NND, LNND, LOF and ALP the whole
    grid of a fold costs one neighbour search and a few passes; SVM reuses the kernel matrix of a
    width and starts each ν from the last; any other estimator is refitted for every combination.

    Parameters
    ----------
    data
        The datasets; as in `occstats.run_experiment`.
    descriptors : iterable or mapping, optional
        As in `occstats.run_experiment`; by default NND, LNND, LOF, SVM and ALP.
    metrics : iterable of str, optional
        ``"manhattan"``, ``"euclidean"`` or, by default, both, for neighbour-based descriptors.
    grids : mapping, optional
        Name of a hyperparameter → values to try. ``k`` and ``l`` are numbers of neighbours, ``a``
        and ``b`` the factors of k = a·log n and l = b·log n, ``c`` the factor of c·m; prefixed with
        the name of a descriptor (``"LOF.a"``) the grid is for it alone. Others are parameters of
        the estimator. The paper's grids by default.
    windows : mapping, optional
        Name → odd width of the rolling mean in grid points; ``""`` for all.
    out : path, optional
        A folder for the sweep; a temporary one by default. Existing rows are not computed again.
    datasets, label, seed, jobs, scheduler, shard, force, memory, progress
        As in `occstats.run_experiment`.
    timeout : float, optional
        Seconds that one fold may take.

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
    with folder_or_temporary(out) as place:
        experiment = prepare_sweep(
            data,
            out=place,
            descriptors=descriptors,
            metrics=metrics,
            grids=grids,
            windows=windows,
            datasets=datasets,
            label=label,
            timeout=timeout,
            seed=seed,
        )
        experiment.run(
            jobs=jobs,
            scheduler=scheduler,
            shard=shard,
            force=force,
            memory=memory,
            progress=progress,
        )
        return read_sweep(experiment.folder)


def prepare_sweep(
    data: Data = "builtin",
    *,
    out: str | Path,
    descriptors: Descriptors | None = None,
    metrics: Iterable[str] | None = None,
    grids: Mapping[str, Iterable[Value]] | None = None,
    windows: Mapping[str, int] | None = None,
    datasets: Iterable[str] | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
) -> "SweepExperiment":
    """Check all arguments and return the experiment without computing anything.

    The parameters are those of `tune`.
    """
    folder = Path(out).absolute()
    recipes = make_sweep_recipes(descriptors, metrics=metrics, grids=grids, windows=windows)
    return SweepExperiment(
        recipes=tuple(recipes),
        store=Store(shards_of(folder)),
        sources=find_sources(data, folder, datasets=datasets, label=label),
        seed=SeedPolicy.parse(seed),
        timeout=timeout,
    )


def shards_of(folder: str | Path) -> Path:
    """Return the folder of the shards of a sweep."""
    return Path(folder) / "shards"


@dataclass(frozen=True, eq=False)
class SweepExperiment(Experiment):
    """A sweep as an experiment, with the same store, workers and resumption as a run."""

    recipes: tuple[SweepRecipe, ...]

    command: ClassVar[str] = "tune"
    evaluate: ClassVar[Rows] = staticmethod(sweep_fold)
    whole_units: ClassVar[bool] = True

    @property
    def folder(self) -> Path:
        """Return the folder of the sweep."""
        return self.store.folder.parent

    def seconds(self, task: Task, recipe: SweepRecipe) -> float:
        """Estimate the time of one fold on one core."""
        n, queries = 0.8 * task.n, 0.2 * task.rows
        sizes = [len(values) for values in recipe.distinct_values(task)]
        points = math.prod(sizes)
        if recipe.kind == "neighbours":
            sorting = 3e-8 * points * queries
            pairs = 1e-10 * queries * max(sizes) ** 2 * (sizes[-1] if len(sizes) > 1 else 5)
            return 0.01 + 1e-6 * points + estimated_seconds(task, recipe) + sorting + pairs
        if recipe.kind == "support vectors":
            if n > MOST_DISTINCT:
                sizes = [1 + (size - 1) // COARSE_STEP for size in sizes]
                points = math.prod(sizes)
            kernels = 2e-9 * sizes[-1] * n * queries
            solving = 1e-10 * n * (1.7 * n + 4 * min(n, 2000) + queries)
            return 0.02 + kernels + points * (1e-4 + solving)
        return points * estimated_seconds(task, recipe)

    def described(self) -> dict[str, Any]:
        """Return the sizes of the grids, for a dry run."""
        sizes = {recipe.name: [len(axis.values) for axis in recipe.axes] for recipe in self.recipes}
        return {"sweeps": sizes}

    def begin(self) -> None:
        """Write the grids beside the shards, so that the sweep can be read without the data.

        Grids of descriptors from earlier commands in the same folder are kept.
        """
        recipes, tasks = _read_description(self.folder)
        known = {recipe.name: recipe for recipe in [*recipes, *self.recipes]}
        written = {
            "recipes": [asdict(recipe) for recipe in known.values()],
            "tasks": {**tasks, **{source.name: len(tasks) for source, _, tasks in self.tasks}},
        }
        write_file(self.folder / DESCRIPTION, json.dumps(written, indent=1))


def _read_description(folder: Path) -> tuple[list[SweepRecipe], dict[str, int]]:
    """Read the descriptors of a sweep, and dataset → number of tasks; empty without a sweep."""
    path = folder / DESCRIPTION
    if not path.is_file():
        return [], {}
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        recipes = []
        for recipe in written["recipes"]:
            axes = [Axis(**{**axis, "values": tuple(axis["values"])}) for axis in recipe["axes"]]
            recipes.append(SweepRecipe(**{**recipe, "axes": tuple(axes)}))
        return recipes, {str(k): int(v) for k, v in written["tasks"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultsError(
            f"{path}: not the description of a sweep ({' '.join(str(error).split())[:100]})"
        ) from error


@dataclass(frozen=True, eq=False)
class Sweep:
    """The results of a sweep.

    Attributes
    ----------
    grids : list of GridMeans
        The mean AUROC of each dataset over the grid, per descriptor and metric.
    rows : DataFrame
        One row per task × fold × distinct parameter value.
    failures : int
        Rows without a score because a fit failed.
    notes : tuple of str
        Cautions: missing datasets, optima at an edge of the grid, failures.
    """

    grids: list[GridMeans]
    rows: pd.DataFrame = field(repr=False)

    @cached_property
    def choices(self) -> dict[str, dict[str, dict[str, Value]]]:
        """Map descriptor and dataset to the grid values that are best on the other datasets."""
        return {grid.recipe.name: grid.choices for grid in self.grids}

    @cached_property
    def defaults(self) -> pd.DataFrame:
        """Return optimum, default, published default and intervals of each hyperparameter."""
        return pd.DataFrame([record for grid in self.grids for record in grid.defaults()])

    @cached_property
    def curves(self) -> pd.DataFrame:
        """Return mean and smoothed mean over each grid, as `occstats.figures.sweep` expects."""
        parts = [curve for grid in self.grids if len(curve := grid.curve())]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    @cached_property
    def chosen(self) -> pd.DataFrame:
        """Return the parameters chosen for each dataset, and its mean score with them."""
        return pd.DataFrame([record for grid in self.grids for record in grid.chosen()])

    @cached_property
    def results_by_metric(self) -> dict[str | None, pd.DataFrame]:
        """Split the results by metric; None is the default metric."""
        parts: dict[str | None, list[pd.DataFrame]] = {}
        for grid in self.grids:
            if len(results := grid.results(self.rows)):
                parts.setdefault(grid.recipe.parameters.get("metric"), []).append(results)
        return {metric: pd.concat(of, ignore_index=True) for metric, of in parts.items()}

    @cached_property
    def results(self) -> pd.DataFrame:
        """Return the leave-one-dataset-out results, one row per fold, for `occstats.compare`."""
        parts = list(self.results_by_metric.values())
        return pd.concat(parts or [pd.DataFrame(columns=RESULT_COLUMNS)], ignore_index=True)

    @property
    def failures(self) -> int:
        """Return the number of rows of failed fits."""
        return int(self.rows["status"].isin(FAILED).sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """Return cautions for the reader."""
        notes = []
        everywhere = set(self.rows["dataset"])
        for grid in self.grids:
            name = grid.recipe.name
            lacking = sorted(everywhere - set(grid.datasets))
            if lacking:
                notes.append(
                    f"{name}: swept on {len(grid.datasets)} of {len(everywhere)} datasets; "
                    f"missing {', '.join(lacking[:8])}{' …' if len(lacking) > 8 else ''}."
                )
            if grid.at_edge:
                notes.append(
                    f"{name}: the optimum is within half a window of an end of the grid, where "
                    "the rolling mean is one-sided; a wider grid may change it."
                )
        if self.failures:
            failed = count(self.failures, "fit")
            notes.append(f"{failed} failed; points without a score are never chosen.")
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Return defaults, choices and notes as plain values."""
        defaults = self.defaults.astype(object).where(self.defaults.notna(), None)
        return {
            "defaults": defaults.to_dict("records"),
            "leave_one_dataset_out": self.choices,
            "notes": list(self.notes),
        }


def read_sweep(folder: str | Path) -> Sweep:
    """Read a sweep from its folder; of an unfinished sweep, only the finished datasets.

    Parameters
    ----------
    folder : path
        The folder that ``occstats tune`` writes.
    """
    recipes, tasks = _read_description(Path(folder))
    if not recipes:
        raise ResultsError(
            f"{folder}: contains no sweep ({DESCRIPTION} is missing); make one with "
            f"'occstats tune --out {folder}'"
        )
    columns = [*KEY, "parameters", "auroc", "average_precision", "n", "m", "sparsity", "status"]
    rows = Store(shards_of(folder)).read(columns=columns)
    grids = [expand(rows, recipe, tasks) for recipe in recipes]
    swept = [grid for grid in grids if grid.datasets]
    if not swept:
        problem = "no dataset is finished yet; run the same 'occstats tune' again"
        if len(rows) and rows["status"].isin(FAILED).all():
            problem = (
                "all fits failed or exceeded their time; retry them with --force failed, or with a "
                "longer --timeout"
            )
        raise ResultsError(f"{folder}: {problem}")
    return Sweep(swept, rows)


def leave_one_out_parameters(sweep: str | Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Map descriptor and dataset to the parameters that are best on the other datasets.

    Parameters
    ----------
    sweep : path
        The folder that ``occstats tune`` wrote.

    Returns
    -------
    dict
        For ``occstats.run_experiment(parameters=…)``.
    """
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
            f"{sweep}: choosing parameters on the other datasets needs a sweep of at least two"
        )
    return by_descriptor
