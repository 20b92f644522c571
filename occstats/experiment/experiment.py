"""An experiment: what a user asks for, its plan, what of it is done, and its table."""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypedDict, Unpack

import pandas as pd

from occstats.datasets import Source, fingerprint, open_source, select, spool
from occstats.errors import DataError, ResultsError
from occstats.experiment.engine import compute
from occstats.experiment.estimators import Recipe, SeedPolicy, make_recipes, shares_search
from occstats.experiment.evaluate import evaluate, failed_row
from occstats.experiment.plan import (
    Plan,
    Shard,
    configuration,
    estimated_seconds,
    plan_groups,
    shard_identity,
)
from occstats.experiment.protocol import N_FOLDS, Task, tasks_of
from occstats.experiment.provenance import provenance
from occstats.experiment.store import KEY, Store, keys_of
from occstats.experiment.work import work_on_shard
from occstats.files import write_parquet
from occstats.progress import bar_class, shown

__all__ = ["Asked", "Data", "Experiment", "is_single_file", "prepare", "run_experiment"]

Data = str | Path | Sequence[str | Path] | Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False)
class Experiment:
    """Which descriptors run on which tasks, and where the results go.

    Attributes
    ----------
    recipes : tuple of Recipe
        The descriptors.
    store : Store
        Where the shards are.
    sources : tuple of Source
        The data sets.
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
    # data set → classes too small to be targets, known once the tasks are
    small_classes: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    # How a fit becomes rows, and what its rows are when it gives no answer.
    evaluate: ClassVar[Callable[..., pd.DataFrame]] = staticmethod(evaluate)
    failed: ClassVar[Callable[..., pd.DataFrame]] = staticmethod(failed_row)
    # Whether the descriptors of a unit are evaluated in one call, to which a time limit applies.
    at_once: ClassVar[bool] = False

    @cached_property
    def tasks(self) -> list[tuple[Source, str, list[Task]]]:
        """Each data set with the fingerprint of its data and its one-class tasks."""
        found = []
        for source in self.sources:
            dataset = open_source(source)
            found.append((source, fingerprint(dataset), tasks_of(dataset)))
            small = len(dataset.class_sizes) - len(found[-1][2])
            if small:
                self.small_classes[source.name] = small
        return found

    @cached_property
    def plan(self) -> Plan:
        """All of the work, done or not."""
        return plan_groups(self.tasks, self.groups(), self.seconds, seed=str(self.seed))

    def groups(self) -> list[tuple[Recipe, ...]]:
        """The descriptors that share a neighbour search, and each other one alone."""
        together = tuple(recipe for recipe in self.recipes if shares_search(recipe.origin))
        alone = [(recipe,) for recipe in self.recipes if not shares_search(recipe.origin)]
        return [group for group in [together, *alone] if group]

    def seconds(self, task: Task, recipe: Any) -> float:
        """A rough guess of one fold's time on one core."""
        return estimated_seconds(task, recipe)

    def remaining(self) -> Plan:
        """The work whose rows are not in the store yet."""
        present = self._present()
        shards = []
        for shard in self.plan.shards:
            units = tuple(
                replace(unit, recipes=recipes)
                for unit in shard.units
                if (
                    recipes := tuple(
                        recipe
                        for recipe, key in zip(unit.recipes, unit.rows, strict=True)
                        if key not in present
                    )
                )
            )
            if units:
                identity = shard_identity(units, shard.data_fingerprint, str(self.seed))
                shards.append(replace(shard, units=units, id=identity))
        return Plan(tuple(shards))

    def forget(self, what: str) -> int:
        """Remove planned rows from the store, so that they are computed anew; return how many.

        Parameters
        ----------
        what : {"failed", "all"}
            Only the folds in which a fit gave no result, or all of this experiment. A fold of a
            sweep goes as a whole.
        """
        if what not in {"failed", "all"}:
            raise DataError(f"force={what!r}: expected 'failed' or 'all'")
        keys = {key for shard in self.plan.shards for key in shard.rows}
        if what == "failed":
            self._present()  # refuses other settings before anything is removed
            rows = self.store.read([*KEY, "status"])
            keys &= set(keys_of(rows[rows["status"].isin(["failed", "timeout"])]))
        return self.store.forget(keys)

    def run(
        self,
        *,
        jobs: int | None = None,
        scheduler: str | None = None,
        part: tuple[int, int] | None = None,
        force: str | None = None,
        memory: float | None = None,
        progress: bool | None = None,
    ) -> list[str]:
        """Compute what is missing; interrupted at any moment, the next call goes on.

        Returns who else was writing to the same folder.
        """
        if force is not None:
            self.forget(force)
        self.store.clean()
        remaining = self.remaining()
        if part is not None:
            # Shares are cut from the whole plan, so that all jobs of an array agree on them.
            mine = {key for shard in self.plan.part(*part).shards for key in shard.rows}
            remaining = Plan(tuple(s for s in remaining.shards if set(s.rows) <= mine))
        self.begin()
        work = partial(
            work_on_shard,
            evaluate=type(self).evaluate,
            failed=type(self).failed,
            at_once=self.at_once,
            store=self.store,
            seed=self.seed,
            timeout=self.timeout,
            metadata={"occstats": json.dumps(self._metadata())},
        )
        with self.store.writing() as others:
            finished = compute(
                remaining.shards,
                work,
                is_there=lambda shard: self.store.path_of(shard.id).exists(),
                jobs=jobs or os.cpu_count() or 1,
                scheduler=scheduler,
                memory=None if memory is None else memory * 1e9,
            )
            for _ in _with_remaining_time(finished, remaining, progress):
                pass
        return others

    def described(self) -> dict[str, Any]:
        """What is asked for, as plain values."""
        return {"descriptors": [recipe.name for recipe in self.recipes]}

    def begin(self) -> None:
        """Called when all is checked, before anything is computed."""

    def table(self) -> pd.DataFrame:
        """The rows of this experiment that are there, in the order of the plan's tasks."""
        rows = self.store.read()
        if rows.empty:
            return rows
        order = {
            key: position
            for position, key in enumerate(
                (*task.key, recipe.name, fold)
                for _, _, tasks in self.tasks
                for task in tasks
                for recipe in self.recipes
                for fold in range(N_FOLDS)
            )
        }
        positions = pd.Series([order.get(key, -1) for key in keys_of(rows)], index=rows.index)
        rows = rows[positions >= 0].assign(_position=positions[positions >= 0])
        rows = rows.sort_values("_position", kind="stable")
        return rows.drop(columns="_position").reset_index(drop=True)

    def finish(self, out: str | Path) -> pd.DataFrame:
        """Read the table; where one file is wanted and all rows are there, write it."""
        table = self.table()
        if is_single_file(out) and len(table) == self.plan.n_rows:
            write_parquet(table, out, {"occstats": json.dumps(self._metadata())})
        return table

    def _present(self) -> set[tuple[str, str, str, int]]:
        """The keys that are there; a fold of a sweep is written whole or not at all."""
        wanted = {
            (source.name, recipe.name): configuration(data, recipe, source.name, str(self.seed))
            for source, data, _ in self.tasks
            for recipe in self.recipes
        }
        rows = self.store.read(columns=[*KEY, "configuration"]).drop_duplicates()
        for key, made_with in zip(keys_of(rows), rows["configuration"], strict=True):
            if wanted.get((key[0], key[2]), made_with) != made_with:
                raise ResultsError(
                    f"{self.store.folder}: holds results of {key[2]} on {key[0]} that were made "
                    "with other data, code, parameters, grids or seed; choose another --out, or "
                    "compute them anew with --force all"
                )
        return set(keys_of(rows))

    def _metadata(self) -> dict[str, Any]:
        return {
            **provenance(),
            "seed": str(self.seed),
            "folds": N_FOLDS,
            "timeout": self.timeout,
            "threads": 1,
            "descriptors": {r.name: [r.origin, repr(dict(r.parameters))] for r in self.recipes},
        }


def run_experiment(
    data: Data = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    descriptors: Iterable[str | Recipe] | None = None,
    out: str | Path | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
    parameters: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    force: str | None = None,
    memory: float | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Run data descriptors on the one-class tasks of data sets, with five-fold cross-validation.

    Parameters
    ----------
    data : path, sequence of paths, mapping of name to DataFrame, or "builtin"
        A folder with one file per data set, files, frames in memory, or the data sets that come
        with scikit-learn.
    datasets : iterable of str, optional
        Names or globs of the data sets to use; all by default.
    descriptors : iterable of str, optional
        Names among the nine, or import paths such as ``"pyod.models.ecod:ECOD"``; all nine by
        default.
    out : path, optional
        A folder for the results, or a ``.parquet`` file; a temporary folder by default. What is
        already there is not computed again.
    label : str, default "class"
        The column with the class labels.
    timeout : float, optional
        Seconds that one fit may take; one that takes longer is a row with status ``timeout``.
    seed : int or "pinned:S", default "pinned:0"
        Seeds derived per fit from an integer, or one for all fits as in the paper.
    parameters : mapping, optional
        Descriptor → data set → parameters, such as a sweep's leave-one-dataset-out choices.
    jobs : int, optional
        Worker processes; as many as there are cores by default.
    scheduler : str, optional
        Address of a dask scheduler whose workers see the same files.
    shard : (int, int), optional
        Compute only the i-th of n shares of the work, for job arrays.
    force : {"failed", "all"}, optional
        Compute rows anew that are already there.
    memory : float, optional
        Gigabytes that a worker may use; a fit that needs more fails. By default what there is.
    progress : bool, optional
        Show a progress bar; by default where somebody watches.

    Returns
    -------
    DataFrame
        One row per data set, class, descriptor and fold: AUROC, seconds, traits, parameters, seed,
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
            part=shard,
            force=force,
            memory=memory,
            progress=progress,
        )
        return experiment.finish(place)


class Asked(TypedDict, total=False):
    """What a user may say of every experiment; see `run_experiment`."""

    datasets: Iterable[str] | None
    label: str
    timeout: float | None
    seed: str | int | SeedPolicy


def prepare(
    data: Data = "builtin",
    *,
    out: str | Path,
    descriptors: Iterable[str | Recipe] | None = None,
    parameters: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
    **asked: Unpack[Asked],
) -> Experiment:
    """Check everything that a user asks for, and plan it; nothing is computed yet."""
    # The shards of a single file stand beside it.
    folder = Path(f"{out}.shards") if is_single_file(out) else Path(out)
    recipes = make_recipes(descriptors, by_dataset=parameters)
    return Experiment(tuple(recipes), Store(folder), **checked(data, folder, **asked))


def checked(
    data: Data,
    folder: Path,
    *,
    datasets: Iterable[str] | None = None,
    label: str = "class",
    timeout: float | None = None,
    seed: str | int | SeedPolicy = "pinned:0",
) -> dict[str, Any]:
    """What a user says of every experiment, as its attributes."""
    policy = SeedPolicy.parse(seed)
    if timeout is not None and not timeout > 0:
        raise DataError(f"timeout={timeout!r}: expected a positive number of seconds")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: exists and is no folder; choose another --out")
    if isinstance(data, Mapping):  # what exists only in memory is put where workers can read it
        sources = spool(data, folder / ".data", label=label)
    else:
        sources = select(data, datasets=datasets, label=label)
    return {"sources": tuple(sources), "seed": policy, "timeout": timeout}


@contextlib.contextmanager
def folder_or_temporary(out: str | Path | None) -> Iterator[str | Path]:
    """Where results go: the place that was asked for, or one that is gone afterwards."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="occstats-") as temporary:
        yield temporary


def is_single_file(out: str | Path) -> bool:
    """Whether the results are to be one file in the end."""
    return str(out).endswith(".parquet")


def _with_remaining_time(
    finished: Iterator[Shard], plan: Plan, progress: bool | None
) -> Iterator[Shard]:
    """Draw a bar in estimated seconds of work, so that its remaining time means something."""
    if not shown(progress):
        yield from finished
        return
    layout = "{l_bar}{bar}| {elapsed} elapsed, about {remaining} left{postfix}"
    with bar_class()(total=plan.cost, desc="run", leave=False, bar_format=layout) as bar:
        for shard in finished:
            bar.set_postfix_str(shard.source.name)
            bar.update(shard.cost)
            yield shard
