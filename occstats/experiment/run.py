"""Run an experiment: plan it, compute what is missing, and read its table."""

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from occstats._checks import check_choice, check_integer, check_keywords, check_number
from occstats._files import write_parquet
from occstats._format import count, printable, quote
from occstats.datasets import Source, fingerprint, open_source, select, spool
from occstats.errors import ArgumentError, DataError, ResultsError
from occstats.experiment.dispatch import execute
from occstats.experiment.estimators import (
    Descriptors,
    Recipe,
    SeedPolicy,
    make_recipes,
    plain,
)
from occstats.experiment.plan import (
    Key,
    Plan,
    configuration,
    estimated_seconds,
    make_plan,
)
from occstats.experiment.provenance import provenance
from occstats.experiment.store import FAILED, KEY, Store, keys_of
from occstats.experiment.tasks import N_FOLDS, Task, tasks_of
from occstats.experiment.worker import Rows, compute_shard, evaluate, kernel_users
from occstats.progress import bar_class, shown

# Starting a worker takes as long as a small run.
SECONDS_PER_WORKER = 3.0
MOST_FAILURES_SHOWN = 10

Data = str | Path | Sequence[str | Path] | Mapping[str, pd.DataFrame]
# Descriptor → dataset → parameters.
Parameters = Mapping[str, Mapping[str, Mapping[str, Any]]]


@check_keywords
def run_experiment(
    data: Data = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    descriptors: Descriptors | None = None,
    out: str | Path | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    parameters: Parameters | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    force: str | None = None,
    memory: float | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Evaluate data descriptors on the one-class tasks of datasets by five-fold cross-validation.

    Parameters
    ----------
    data : path, sequence of paths, mapping of name to DataFrame, or "builtin"
        A folder with one file per dataset, files, frames in memory, or the datasets that come
        with scikit-learn.
    datasets : iterable of str, optional
        Names or globs of the datasets to use; all by default.
    descriptors : iterable or mapping, optional
        Names among the nine, import paths such as ``"pyod.models.ecod:ECOD"``, or estimators such
        as ``LOF(k=5)``; a mapping is from the names in the results. All nine by default.
    out : path, optional
        A folder for the results, or a ``.parquet`` file; a temporary folder by default. Existing
        results are not computed again.
    label : str, default "class"
        The column with the class labels.
    timeout : float, optional
        Time limit of a fit in seconds; a fit that takes longer has the status ``timeout``.
    seed : int or "pinned:S", default "pinned:0"
        Derive the seed of each fit from an integer, or use S for every fit, as in the paper.
    parameters : mapping, optional
        Descriptor → dataset → parameters, such as the leave-one-dataset-out choices of a sweep.
    jobs : int, optional
        Largest number of worker processes, by default one per core; short runs use fewer.
    scheduler : str, optional
        Address of a Dask scheduler whose workers see the same files.
    shard : (int, int), optional
        Compute only the i-th of n parts of the work, for job arrays.
    force : {"failed", "all"}, optional
        Compute failed fits again, or all of them.
    memory : float, optional
        Memory limit of a worker in gigabytes; a fit that needs more fails. By default the available
        memory.
    progress : bool, optional
        Show a progress bar; by default on a terminal or in a notebook.

    Returns
    -------
    DataFrame
        One row per dataset, class, descriptor and fold: AUROC, seconds, traits, parameters, seed,
        status (``ok``, ``undefined``, ``failed``, ``timeout``) and the reason.

    Examples
    --------
    >>> table = run_experiment(datasets=["iris"], descriptors=["MD"], jobs=1)
    >>> table.groupby("class")["auroc"].mean().round(3).to_dict()
    {'setosa': 1.0, 'versicolor': 0.99, 'virginica': 0.962}
    """
    with folder_or_temporary(out) as place:
        experiment = prepare(
            data,
            out=place,
            descriptors=descriptors,
            parameters=parameters,
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
        return experiment.finish(place)


def prepare(
    data: Data = "builtin",
    *,
    out: str | Path,
    descriptors: Descriptors | None = None,
    parameters: Parameters | None = None,
    datasets: Iterable[str] | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
) -> "Experiment":
    """Check all arguments and return the experiment without computing anything.

    The parameters are those of `run_experiment`.
    """
    # The shards of a single file are kept beside it.
    folder = Path(f"{out}.shards") if _is_single_file(out) else Path(out)
    if _is_single_file(out) and Path(out).exists() and not _is_ours(Path(out)):
        raise DataError(f"{out}: exists and is not the table of a run; choose another folder")
    recipes = make_recipes(descriptors, by_dataset=parameters)
    return Experiment(
        recipes=tuple(recipes),
        store=Store(folder),
        sources=find_sources(data, folder, datasets=datasets, label=label),
        seed=SeedPolicy.parse(seed),
        timeout=timeout,
    )


def find_sources(
    data: Data, folder: Path, *, datasets: Iterable[str] | None, label: str
) -> tuple[Source, ...]:
    """Find the datasets; those in memory are written to the folder, where workers read them."""
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{quote(str(folder))} is a file, not a folder: choose another name")
    given: object = data
    frame = isinstance(given, pd.DataFrame | np.ndarray)
    if frame or not isinstance(given, str | os.PathLike | Iterable):
        raise ArgumentError(
            "data: expected a path, several paths, or a mapping of names to frames; got "
            f"{type(given).__name__}"
        )
    if isinstance(data, Mapping):
        return tuple(spool(data, folder / ".data", datasets=datasets, label=label))
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    for path in paths if folder.is_dir() else ():
        if os.path.isdir(path) and os.path.samefile(path, folder):
            raise DataError(f"out: {quote(str(path))} contains the data; choose another folder")
    return tuple(select(paths, datasets=datasets, label=label))


def folder_or_temporary(
    out: str | Path | None,
) -> contextlib.AbstractContextManager[str | Path]:
    """Return a context manager for the given place, or for a temporary folder."""
    if not isinstance(out, str | os.PathLike | None) or out == "":
        raise ArgumentError(f"out must be a path; got {out!r}")
    return TemporaryDirectory(prefix="occstats-") if out is None else contextlib.nullcontext(out)


def _is_single_file(out: str | Path) -> bool:
    return str(out).endswith(".parquet")


def _is_ours(file: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return b"occstats" in (pq.read_schema(file).metadata or {})
    except (OSError, pa.ArrowException):
        return False


@dataclass(frozen=True, eq=False)
class Experiment:
    """Descriptors, the datasets they run on, and the store of the results.

    Attributes
    ----------
    recipes : tuple of Recipe
        The descriptors.
    store : Store
        The folder of shards.
    sources : tuple of Source
        The datasets.
    seed : SeedPolicy
        The random state of every fit.
    timeout : float, optional
        Seconds that one fit may take.
    """

    recipes: tuple[Recipe, ...]
    store: Store
    sources: tuple[Source, ...]
    seed: SeedPolicy
    timeout: float | None = None
    # Dataset → number of classes too small to be targets; filled in together with the tasks.
    small_classes: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    # Its name in the progress bar.
    command: ClassVar[str] = "run"
    # From a unit, some of its recipes, and a failure of an earlier call to rows.
    evaluate: ClassVar[Rows] = staticmethod(evaluate)
    # Evaluate the descriptors of a unit in one call, to which the timeout applies.
    whole_units: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.timeout is not None:
            check_number("timeout", plain(self.timeout), above=0)

    @cached_property
    def tasks(self) -> list[tuple[Source, str, list[Task]]]:
        """Return each dataset with the fingerprint of its data and its one-class tasks."""
        found = []
        for source in self.sources:
            dataset = open_source(source)
            tasks = tasks_of(dataset)
            found.append((source, fingerprint(dataset), tasks))
            if len(tasks) < len(dataset.class_sizes):
                self.small_classes[source.name] = len(dataset.class_sizes) - len(tasks)
        return found

    @property
    def n_tasks(self) -> int:
        """Return the number of one-class tasks."""
        return sum(len(tasks) for _, _, tasks in self.tasks)

    @cached_property
    def plan(self) -> Plan:
        """Return all of the work, done or not."""
        isolated = self.timeout is not None
        return make_plan(self.tasks, self.groups(), self.seconds, seed=self.seed, isolated=isolated)

    def groups(self) -> list[tuple[Recipe, ...]]:
        """Group the descriptors that share a neighbour search; each other one is alone."""
        groups: dict[object, tuple[Recipe, ...]] = {}
        for recipe in sorted(self.recipes, key=lambda each: each.search is None):
            key = recipe if recipe.search is None else recipe.search
            groups[key] = (*groups.get(key, ()), recipe)
        return [*groups.values()]

    def seconds(self, task: Task, recipe: Any) -> float:
        """Estimate the time of one fold on one core."""
        return estimated_seconds(task, recipe)

    def described(self) -> dict[str, Any]:
        """Describe the descriptors for a dry run."""
        return {"descriptors": [recipe.name for recipe in self.recipes]}

    def begin(self) -> None:
        """Write what must exist before the first shard; nothing by default."""

    def remaining(self) -> Plan:
        """Return the work whose rows are not in the store yet."""
        present = self._present()
        shards = []
        for shard in self.plan.shards:
            units = []
            for unit in shard.units:
                missing = [r for r in unit.recipes if unit.key_of(r) not in present]
                units += [replace(unit, recipes=tuple(missing))] if missing else []
            if units:
                shards.append(replace(shard, units=tuple(units)))
        return Plan(tuple(shards))

    def _present(self) -> set[Key]:
        """Return the keys in the store; refuse rows of other code, parameters or seed.

        A descriptor must be the same throughout the folder, on any dataset.
        """
        now = self._metadata()
        wanted = {
            (source.name, recipe.name): configuration(data, recipe, source.name, self.seed)
            for source, data, _ in self.tasks
            for recipe in self.recipes
        }
        present: set[Key] = set()
        for then, rows in self.store.shards():
            for *key, stored in rows[[*KEY, "configuration"]].drop_duplicates().to_numpy():
                dataset, target, name, fold = key
                other = name in now["descriptors"] and (
                    then.get("seed") != now["seed"]
                    or then.get("descriptors", {}).get(name) != now["descriptors"][name]
                )
                if other or wanted.get((dataset, name), stored) != stored:
                    raise ResultsError(
                        f"{self.store.folder}: contains results of {name} on {dataset} made with "
                        "other data, code, parameters, grids or seed; choose another folder, or "
                        f"recompute them with force='all' and {dataset} among the datasets"
                    )
                present.add((dataset, target, name, int(fold)))
        return present

    def _metadata(self) -> dict[str, Any]:
        return {
            **provenance(),
            "seed": str(self.seed),
            "folds": N_FOLDS,
            "timeout": self.timeout,
            "threads": 1,
            # The hash covers the order of rows and columns, on which the folds depend.
            "datasets": {source.name: data for source, data, _ in self.tasks},
            # Without parameters that apply to a single dataset only.
            "descriptors": {recipe.name: recipe.fingerprint("") for recipe in self.recipes},
        }

    def forget(self, what: str) -> int:
        """Remove planned rows from the store, "failed" or "all", and return how many.

        A fold of a sweep is removed as a whole.
        """
        check_choice("force", what, ("failed", "all"))
        keys = {key for shard in self.plan.shards for key in shard.keys}
        if what == "failed":
            self._present()  # refuses other settings before anything is removed
            rows = self.store.read([*KEY, "status"])
            keys &= set(keys_of(rows[rows["status"].isin(FAILED)]))
        return self.store.forget(keys)

    def run(
        self,
        *,
        jobs: int | None = None,
        scheduler: str | None = None,
        shard: tuple[int, int] | None = None,
        force: str | None = None,
        memory: float | None = None,
        progress: bool | None = None,
    ) -> None:
        """Compute what is missing; an interrupted run is resumed by the next call.

        The parameters are those of `run_experiment`.
        """
        from occstats_descriptors.warm_up import missing_kernels

        if jobs is not None:
            check_integer("jobs", jobs)
        if shard is not None:
            pair = isinstance(shard, Sequence) and [type(each) for each in shard] == [int, int]
            if not (pair and 1 <= shard[0] <= shard[1]):
                raise ArgumentError(
                    f"shard={shard!r}: expected (i, n) with 1 ≤ i ≤ n, such as (3, 10)"
                )
        if memory is not None:
            check_number("memory", memory, above=0)
        if force is not None:
            self.forget(force)
        self.store.clean()
        remaining = self.remaining()
        if shard is not None:
            # Shares are cut from the whole plan, so that all jobs of an array agree on them.
            index, of = shard
            share = self.plan.shards[index - 1 :: of]
            mine = {key for planned in share for key in planned.keys}
            remaining = Plan(tuple(s for s in remaining.shards if mine.issuperset(s.keys)))
        self.begin()
        units = [unit for planned in remaining.shards for unit in planned.units]
        kernels = missing_kernels(*kernel_users(units))
        if kernels and shown(progress):
            print(f"Compiling (once; kept for later runs): {', '.join(kernels)}.", file=sys.stderr)
        limit = None if memory is None else memory * 1e9
        work = partial(
            compute_shard,
            evaluate=type(self).evaluate,
            whole_units=self.whole_units,
            store=self.store,
            timeout=self.timeout,
            description=self._metadata(),
        )
        # Estimates of third-party estimators are too rough to overrule a given number.
        most = jobs or os.cpu_count() or 1
        if jobs is None or not any(each.isolated for each in remaining.shards):
            most = max(1, min(most, int(remaining.cost / SECONDS_PER_WORKER)))
        finished = execute(
            remaining.shards,
            work,
            is_visible=lambda done: self.store.path_of(done.id).exists(),
            jobs=most,
            scheduler=scheduler,
            memory=limit,
            kernels=kernels,
        )
        # In estimated seconds, so that the remaining time is meaningful.
        layout = "{l_bar}{bar}| {elapsed} elapsed, about {remaining} left{postfix}"
        bar = bar_class()(
            total=remaining.cost,
            desc=self.command,
            leave=False,
            bar_format=layout,
            disable=not shown(progress),
        )
        with bar, contextlib.closing(finished):
            for done in finished:
                bar.set_postfix_str(done.dataset)
                bar.update(done.cost)
        if shard is None or not self.remaining().shards:
            self.store.compact()

    def table(self) -> pd.DataFrame:
        """Return the finished rows of this experiment, in the order of tasks and descriptors."""
        rows = self.store.read()
        if rows.empty:
            return rows
        keys = (
            (*task.key, recipe.name, fold)
            for _, _, tasks in self.tasks
            for task in tasks
            for recipe in self.recipes
            for fold in range(N_FOLDS)
        )
        order = {key: position for position, key in enumerate(keys)}
        rows.index = pd.Index([order.get(key, -1) for key in keys_of(rows)])
        return rows[rows.index >= 0].sort_index(kind="stable").reset_index(drop=True)

    def finish(self, out: str | Path) -> pd.DataFrame:
        """Return the table; write it where a single file is wanted and no row is missing."""
        table = self.table()
        if _is_single_file(out) and len(table) == self.plan.n_rows:
            write_parquet(table, out, {"occstats": json.dumps(self._metadata())})
        return table


def summarise(experiment: Experiment, table: pd.DataFrame) -> dict[str, Any]:
    """Count the planned and finished rows of an experiment, and list its failures.

    ``undefined`` counts fits on folds whose test part lacks target or other rows.
    """
    columns = [*KEY, "status", "error"]
    if table.empty:
        table = pd.DataFrame(columns=[*columns, "omitted_rows"])
    failed = table.loc[table["status"].isin(FAILED), columns]
    omitted = table.groupby("dataset", sort=False)["omitted_rows"].first()
    return {
        "n_datasets": len(experiment.tasks),
        "n_tasks": experiment.n_tasks,
        "n_descriptors": len(experiment.recipes),
        "planned": experiment.plan.n_rows,
        "done": len(table),
        "undefined": int((table["status"] == "undefined").sum()),
        "failures": [dict(zip(columns, row, strict=True)) for row in failed.to_numpy()],
        "omitted_rows": {str(k): int(v) for k, v in omitted.items() if v},
        "small_classes": dict(experiment.small_classes),
        "complete": len(table) == experiment.plan.n_rows,
    }


def summary_lines(summary: dict[str, Any]) -> list[str]:
    """Return a summary as lines of text."""
    lines = [
        f"{count(summary['n_tasks'], 'task')} from {count(summary['n_datasets'], 'dataset')}, "
        f"{count(summary['n_descriptors'], 'descriptor')}: {summary['done']} of "
        f"{summary['planned']} fits are done."
    ]
    for text, name in (
        ("Rows omitted because of missing values", "omitted_rows"),
        ("Classes with fewer than five rows, not used as targets", "small_classes"),
    ):
        if counts := [f"{printable(k)} {v}" for k, v in summary[name].items()]:
            lines.append(f"{text}: {', '.join(counts)}.")
    if number := summary["undefined"]:
        lines.append(f"Fits without AUROC, as the test part lacks target or other rows: {number}.")
    if failures := summary["failures"]:
        lines.append(f"{count(len(failures), 'fit')} failed:")
        alike = pd.DataFrame(failures).groupby(["descriptor", "error"], sort=False)
        for (descriptor, error), fits in list(alike)[:MOST_FAILURES_SHOWN]:
            where = "on {dataset}, class {class}, fold {fold}".format_map(fits.iloc[0])
            others = f" and {len(fits) - 1} others" if len(fits) > 1 else ""
            lines.append(f"  {printable(f'{descriptor} {where}{others}: {error}')}")
        if len(alike) > MOST_FAILURES_SHOWN:
            lines.append(f"  … and {len(alike) - MOST_FAILURES_SHOWN} more reasons")
        lines.append("Retry them with --force failed.")
    return lines
