"""The sweep as an experiment: the same store, engines and resumption as a run."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
import pandas as pd

from occstats._files import write_file
from occstats.datasets import open_source
from occstats.errors import ResultsError
from occstats.experiment.estimators import Recipe
from occstats.experiment.experiment import Experiment
from occstats.experiment.plan import estimated_seconds
from occstats.experiment.run import Asked, Data, checked
from occstats.experiment.store import KEY, Store
from occstats.experiment.tasks import Task
from occstats.tuning.fold import COARSE_STEP, MOST_DISTINCT, combinations, failed_sweep, sweep_fold
from occstats.tuning.grids import Axis, Value
from occstats.tuning.recipes import SweepRecipe, make_sweep_recipes

__all__ = ["SweepExperiment", "prepare_sweep", "read_description", "read_rows", "shards_of"]

DESCRIPTION = "sweep.json"
# From this size of a class on, an estimate looks how many of its rows are distinct.
MANY_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class SweepExperiment(Experiment):
    """Which descriptors are swept on which tasks, and where the sweep goes.

    Attributes
    ----------
    folder : Path
        The folder of the sweep.
    """

    folder: Path = Path()
    evaluate: ClassVar[Callable[..., pd.DataFrame]] = staticmethod(sweep_fold)
    failed: ClassVar[Callable[..., pd.DataFrame]] = staticmethod(failed_sweep)
    at_once: ClassVar[bool] = True

    @property
    def sweeps(self) -> tuple[SweepRecipe, ...]:
        """The recipes, as what they are."""
        return tuple(recipe for recipe in self.recipes if isinstance(recipe, SweepRecipe))

    def groups(self) -> list[tuple[Recipe, ...]]:
        """The descriptors with the same neighbour search, and each other one alone."""
        alone: list[tuple[Recipe, ...]] = [(r,) for r in self.sweeps if r.kind != "neighbours"]
        fast = [recipe for recipe in self.sweeps if recipe.kind == "neighbours"]
        searches = dict.fromkeys(recipe.search for recipe in fast)
        return [tuple(r for r in fast if r.search == search) for search in searches] + alone

    def seconds(self, task: Task, recipe: SweepRecipe) -> float:
        """A rough guess of one fold's time on one core."""
        n, queries = 0.8 * task.n, 0.2 * task.rows
        sizes = [len(values) for values in combinations(recipe, task)]
        count = math.prod(sizes)
        if recipe.kind == "neighbours":
            sorting = 3e-8 * count * queries
            pairs = 1e-10 * queries * max(sizes) ** 2 * (sizes[-1] if len(sizes) > 1 else 5)
            return 0.01 + 1e-6 * count + estimated_seconds(task, recipe) + sorting + pairs
        if recipe.kind == "support vectors":
            # Equal rows are one row of the problem.
            share = self._distinct_shares.get(task.key, 1.0)
            n, queries = share * n, share * queries
            if n > MOST_DISTINCT:
                sizes = [1 + (size - 1) // COARSE_STEP for size in sizes]
                count = math.prod(sizes)
            kernels = 2e-9 * sizes[-1] * n * queries
            solving = 1e-10 * n * (1.7 * n + 4 * min(n, 2000) + queries)
            return 0.02 + kernels + count * (1e-4 + solving)
        return count * estimated_seconds(task, recipe)

    @cached_property
    def _distinct_shares(self) -> dict[tuple[str, str], float]:
        """Task → the share of distinct rows in its target class, where there are many rows."""
        shares = {}
        for source, _, tasks in self.tasks:
            for task in tasks:
                if task.n > MANY_ROWS:
                    dataset = open_source(source)
                    rows = dataset.X[dataset.labels == task.target]
                    shares[task.key] = len(np.unique(rows, axis=0)) / len(rows)
        return shares

    def described(self) -> dict[str, Any]:
        """The sizes of the grids."""
        sizes = {recipe.name: [len(axis.values) for axis in recipe.axes] for recipe in self.sweeps}
        return {"sweeps": sizes}

    def begin(self) -> None:
        """Write what is swept beside the shards, so that the sweep can be read without the data.

        Grids of descriptors that an earlier command swept into the same folder stay.
        """
        earlier = _read_if_there(self.folder)
        known = {recipe.name: recipe for recipe in earlier.recipes}
        known |= {recipe.name: recipe for recipe in self.sweeps}
        counts = {source.name: len(tasks) for source, _, tasks in self.tasks}
        written = {
            "recipes": [
                {**asdict(recipe), "axes": [asdict(axis) for axis in recipe.axes]}
                for recipe in known.values()
            ],
            "tasks": {**earlier.tasks, **counts},
        }
        write_file(self.folder / DESCRIPTION, json.dumps(written, indent=1))


def prepare_sweep(
    data: Data = "builtin",
    *,
    out: str | Path,
    descriptors: Iterable[str | Recipe] | None = None,
    metrics: Iterable[str] | None = None,
    grids: Mapping[str, Iterable[Value]] | None = None,
    windows: Mapping[str, int] | None = None,
    **asked: Unpack[Asked],
) -> SweepExperiment:
    """Check everything that a user asks for, and plan it; nothing is computed yet."""
    folder = Path(out).absolute()
    recipes = make_sweep_recipes(descriptors, metrics=metrics, grids=grids, windows=windows)
    attributes = checked(data, folder, **asked)
    return SweepExperiment(tuple(recipes), Store(shards_of(folder)), **attributes, folder=folder)


def shards_of(folder: str | Path) -> Path:
    """Where the shards of a sweep lie."""
    return Path(folder) / "shards"


@dataclass(frozen=True, eq=False)
class Description:
    """What was swept into a folder: the descriptors, and data set → number of its tasks."""

    recipes: list[SweepRecipe]
    tasks: dict[str, int]


def read_description(folder: str | Path) -> Description:
    """What was swept into a folder."""
    found = _read_if_there(Path(folder))
    if not found.recipes:
        raise ResultsError(
            f"{folder}: holds no sweep ({DESCRIPTION} is missing); make one with "
            f"'occstats tune --out {folder}'"
        )
    return found


def _read_if_there(folder: Path) -> Description:
    path = folder / DESCRIPTION
    if not path.is_file():
        return Description([], {})
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        recipes = [
            SweepRecipe(**{**recipe, "axes": tuple(map(_read_axis, recipe["axes"]))})
            for recipe in written["recipes"]
        ]
        return Description(recipes, {str(k): int(v) for k, v in written["tasks"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultsError(
            f"{path}: not the description of a sweep ({' '.join(str(error).split())[:100]})"
        ) from error


def _read_axis(written: dict[str, Any]) -> Axis:
    return Axis(**{**written, "values": tuple(written["values"])})


def read_rows(folder: str | Path) -> pd.DataFrame:
    """The rows of a sweep that selection needs."""
    store = Store(shards_of(folder))
    columns = [*KEY, "parameters", "auroc", "n", "m", "sparsity", "status"]
    return store.read(columns=columns)
