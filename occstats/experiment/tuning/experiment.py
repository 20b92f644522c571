"""The sweep as an experiment: the same store, engines and resumption as a run."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.datasets import select, spool
from occstats.errors import DataError, OutputError, ResultsError
from occstats.experiment.experiment import KEY, Experiment
from occstats.experiment.plan import Plan, configuration
from occstats.experiment.run import Data
from occstats.experiment.seeds import SeedPolicy
from occstats.experiment.store import Store
from occstats.experiment.tuning.grids import Axis, Value
from occstats.experiment.tuning.plan import make_sweep_plan
from occstats.experiment.tuning.recipes import SweepRecipe, make_sweep_recipes
from occstats.experiment.tuning.work import work_on_sweep

__all__ = ["SweepExperiment", "prepare_sweep", "read_description", "read_rows", "shards_of"]

DESCRIPTION = "sweep.json"


@dataclass(frozen=True, eq=False)
class SweepExperiment(Experiment):
    """Which descriptors are swept on which tasks, and where the sweep goes.

    Attributes
    ----------
    folder : Path
        The folder of the sweep.
    """

    folder: Path = Path()

    @property
    def sweeps(self) -> tuple[SweepRecipe, ...]:
        """The recipes, as what they are."""
        return tuple(recipe for recipe in self.recipes if isinstance(recipe, SweepRecipe))

    @cached_property
    def plan(self) -> Plan:
        """All of the work, done or not."""
        return make_sweep_plan(self.tasks, self.sweeps, seed=str(self.seed))

    def describe(self) -> None:
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
        path = self.folder / DESCRIPTION
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(".tmp")
            beside.write_text(json.dumps(written, indent=1), encoding="utf-8")
            beside.replace(path)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from error

    def forget(self, what: str) -> int:
        """Remove planned folds from the store, so that they are swept anew; return how many rows.

        Parameters
        ----------
        what : {"failed", "all"}
            Only the folds in which a fit failed, or all of this sweep. A fold goes as a whole.
        """
        if what == "failed":
            self._present()  # refuses a sweep with other grids before anything is removed
        planned = {key for shard in self.plan.shards for key in shard.rows}
        forgotten = 0
        for shard_id in sorted(self.store.shard_ids()):
            rows = self.store.read_shard(shard_id)
            failed = rows["status"] == "failed"
            keys = rows[KEY] if what == "all" else rows.loc[failed, KEY]
            dropped = planned & set(keys.drop_duplicates().itertuples(index=False, name=None))
            if not dropped:
                continue
            of_rows = rows[KEY].itertuples(index=False, name=None)
            kept = rows[[key not in dropped for key in of_rows]]
            forgotten += len(rows) - len(kept)
            if len(kept):
                self.store.write(shard_id, kept, self.store.metadata(shard_id))
            else:
                self.store.remove(shard_id)
        return forgotten

    def _work_on_shard(self) -> Callable[..., None]:
        return work_on_sweep

    def _present(self) -> set[tuple[str, str, str, int]]:
        """What is there; a fold of a sweep is written whole or not at all."""
        wanted = {
            (source.name, recipe.name): configuration(data, recipe, source.name, str(self.seed))
            for source, data, _ in self.tasks
            for recipe in self.recipes
        }
        present = set()
        for shard_id in self.store.shard_ids():
            rows = self.store.read_shard(shard_id, [*KEY, "configuration"]).drop_duplicates()
            for *key, made_with in rows.itertuples(index=False):
                expected = wanted.get((key[0], key[2]))
                if expected is not None and expected != made_with:
                    raise ResultsError(
                        f"{self.folder}: holds a sweep of {key[2]} on {key[0]} with other data, "
                        "grids or seed; choose another --out, or sweep anew with --force all"
                    )
                present.add((key[0], key[1], key[2], key[3]))
        return present


def prepare_sweep(
    data: Data = "builtin",
    *,
    out: str | Path,
    datasets: Iterable[str] | None = None,
    descriptors: Iterable[str] | None = None,
    metrics: Iterable[str] | None = None,
    grids: Mapping[str, Iterable[Value]] | None = None,
    windows: Mapping[str, int] | None = None,
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    label: str = "class",
) -> SweepExperiment:
    """Check everything that a user asks for, and plan it; nothing is computed yet."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: exists and is no folder; choose another --out")
    recipes = make_sweep_recipes(descriptors, metrics=metrics, grids=grids, windows=windows)
    if isinstance(data, Mapping):
        sources = spool(data, folder / ".data", label=label)
    else:
        sources = select(data, datasets=datasets, label=label)
    return SweepExperiment(
        tuple(sources),
        tuple(recipes),
        Store(shards_of(folder)),
        SeedPolicy.parse(seed),
        timeout,
        folder=folder,
    )


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
    rows = store.read(columns=columns)
    # Two drivers may have computed the same fold; it is the same fold.
    return rows.drop_duplicates([*KEY, "parameters"], ignore_index=True)
