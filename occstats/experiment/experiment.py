"""An experiment: its plan, what of it is done, and its table."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from occstats._files import write_parquet
from occstats.datasets import Source, fingerprint, open_source
from occstats.errors import ArgumentError, ResultsError
from occstats.experiment.engine import compute
from occstats.experiment.estimators import Recipe, SeedPolicy, shares_search
from occstats.experiment.evaluate import evaluate, failed_row
from occstats.experiment.plan import (
    Plan,
    Shard,
    configuration,
    estimated_seconds,
    plan_groups,
    shard_identity,
)
from occstats.experiment.provenance import provenance
from occstats.experiment.store import KEY, Store, keys_of
from occstats.experiment.tasks import N_FOLDS, Task, tasks_of
from occstats.experiment.worker import work_on_shard
from occstats.progress import bar_class, shown, track
from occstats.workers import side_by_side

__all__ = ["Experiment", "is_single_file"]

SECONDS_WORTH_A_WORKER = 3.0


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
            raise ArgumentError(f"force={what!r}: expected 'failed' or 'all'")
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
        if remaining.shards:
            shapes = [(t.n, t.rows, t.m) for *_, tasks in self.tasks for t in tasks]
            compile_ahead([recipe.origin for recipe in self.recipes], shapes, jobs, progress)
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
                jobs=jobs or workers_worth(remaining.cost),
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
        """The keys that are there; a fold of a sweep is written whole or not at all.

        A descriptor is one thing in all of the folder: rows of other code, parameters or seed are
        refused, on whatever data set they are.
        """
        now = self._metadata()
        wanted = {
            (source.name, recipe.name): configuration(data, recipe, source.name, str(self.seed))
            for source, data, _ in self.tasks
            for recipe in self.recipes
        }
        present: set[tuple[str, str, str, int]] = set()
        for then, rows in self.store.shards():
            for *key, made_with in rows[[*KEY, "configuration"]].drop_duplicates().to_numpy():
                dataset, target, name, fold = key
                other = name in now["descriptors"] and (
                    then.get("seed") != now["seed"]
                    or then.get("descriptors", {}).get(name) != now["descriptors"][name]
                )
                if other or wanted.get((dataset, name), made_with) != made_with:
                    raise ResultsError(
                        f"{self.store.folder}: holds results of {name} on {dataset} that were made "
                        "with other data, code, parameters, grids or seed; choose another --out, "
                        f"or compute them anew with --force all, {dataset} among the data sets"
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
            # In the order of rows and columns, on which the folds depend.
            "datasets": {source.name: data for source, data, _ in self.tasks},
            # Without what holds for a single data set only.
            "descriptors": {recipe.name: recipe.fingerprint("") for recipe in self.recipes},
        }


def workers_worth(seconds: float) -> int:
    """How many workers pay for some seconds of work: starting one takes as long as a small run.

    Examples
    --------
    >>> workers_worth(2.0)
    1
    """
    return max(1, min(os.cpu_count() or 1, int(seconds / SECONDS_WORTH_A_WORKER)))


def compile_ahead(
    descriptors: list[str],
    shapes: list[tuple[int, int, int]],
    jobs: int | None,
    progress: bool | None,
) -> None:
    """Compile what the descriptors need and no earlier run has, side by side, and say so."""
    from occstats_descriptors.warm_up import compile_kernels, missing_kernels

    missing = missing_kernels(descriptors, shapes)
    if missing:
        if shown(progress):
            print(f"Compiling once, kept for the next runs: {', '.join(missing)}.", file=sys.stderr)
        how = None if jobs == 1 else side_by_side
        ready = compile_kernels(descriptors, shapes, n_jobs=jobs, again=False, side_by_side=how)
        # What cannot be compiled fails where it is used, and is said there.
        with suppress(RuntimeError):
            for _ in track(ready, "compiling", total=len(missing), progress=progress):
                pass


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
