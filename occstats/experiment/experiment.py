"""An experiment: its plan, what of it is done, and its table."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.datasets import Source, fingerprint, open_source
from occstats.errors import ResultsError
from occstats.experiment.engine import compute
from occstats.experiment.folds import N_FOLDS
from occstats.experiment.plan import Plan, Shard, configuration, make_plan, shard_identity
from occstats.experiment.provenance import provenance
from occstats.experiment.recipes import Recipe
from occstats.experiment.seeds import SeedPolicy
from occstats.experiment.sharing import shares_search
from occstats.experiment.store import Store, write_parquet
from occstats.experiment.tasks import Task, tasks_of
from occstats.experiment.work import work_on_shard
from occstats.progress import bar_class, shown

__all__ = ["KEY", "Experiment", "is_single_file"]

KEY = ["dataset", "class", "descriptor", "fold"]


@dataclass(frozen=True, eq=False)
class Experiment:
    """Which descriptors run on which tasks, and where the results go.

    Attributes
    ----------
    sources : tuple of Source
        The data sets.
    recipes : tuple of Recipe
        The descriptors.
    store : Store
        Where the shards are.
    seed : SeedPolicy
        The random state of every fit.
    timeout : float, optional
        Seconds that one fit may take.
    """

    sources: tuple[Source, ...]
    recipes: tuple[Recipe, ...]
    store: Store
    seed: SeedPolicy
    timeout: float | None = None
    # data set → classes too small to be targets, known once the tasks are
    small_classes: dict[str, int] = field(default_factory=dict, init=False, repr=False)

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
        return make_plan(
            self.tasks,
            self.recipes,
            shares_search=lambda recipe: shares_search(recipe.origin),
            seed=str(self.seed),
        )

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
            Only the rows without a result, or all rows of this experiment.
        """
        planned = {key for shard in self.plan.shards for key in shard.rows}
        forgotten = 0
        for shard_id in sorted(self.store.shard_ids()):
            rows = self.store.read_shard(shard_id)
            drop = [key in planned for key in _keys(rows)]
            if what == "failed":
                without_result = rows["status"].isin(["failed", "timeout"])
                drop = [a and b for a, b in zip(drop, without_result, strict=True)]
            if not any(drop):
                continue
            forgotten += sum(drop)
            kept = rows[[not dropped for dropped in drop]]
            if len(kept):
                self.store.write(shard_id, kept, self.store.metadata(shard_id))
            else:
                self.store.remove(shard_id)
        return forgotten

    def run(
        self,
        *,
        jobs: int | None = None,
        scheduler: str | None = None,
        part: tuple[int, int] | None = None,
        progress: bool | None = None,
    ) -> None:
        """Compute what is missing; interrupted at any moment, the next call goes on."""
        self.store.clean()
        remaining = self.remaining()
        if part is not None:
            # Shares are cut from the whole plan, so that all jobs of an array agree on them.
            mine = {key for shard in self.plan.part(*part).shards for key in shard.rows}
            remaining = Plan(tuple(s for s in remaining.shards if set(s.rows) <= mine))
        work = partial(
            self._work_on_shard(),
            store=self.store,
            seed=self.seed,
            timeout=self.timeout,
            metadata={"occstats": json.dumps(self._metadata())},
        )
        finished = compute(
            remaining.shards, work, jobs=jobs or os.cpu_count() or 1, scheduler=scheduler
        )
        for _ in _with_remaining_time(finished, remaining, progress):
            pass

    def _work_on_shard(self) -> Callable[..., None]:
        """The function that computes and writes a shard."""
        return work_on_shard

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
        positions = pd.Series([order.get(key, -1) for key in _keys(rows)], index=rows.index)
        rows = rows[positions >= 0].assign(_position=positions[positions >= 0])
        # Two drivers may have computed the same row; it is the same row.
        rows = rows.sort_values("_position", kind="stable").drop_duplicates(KEY)
        return rows.drop(columns="_position").reset_index(drop=True)

    def finish(self, out: str | Path) -> pd.DataFrame:
        """Read the table; where one file is wanted and all rows are there, write it."""
        table = self.table()
        if is_single_file(out) and len(table) == self.plan.n_rows:
            write_parquet(table, Path(out), {"occstats": json.dumps(self._metadata())})
        return table

    def _present(self) -> set[tuple[str, str, str, int]]:
        rows = self.store.read(columns=[*KEY, "configuration"])
        if rows.empty:
            return set()
        wanted = {
            (source.name, recipe.name): configuration(data, recipe, source.name, str(self.seed))
            for source, data, _ in self.tasks
            for recipe in self.recipes
        }
        present = set()
        for key, made_with in zip(_keys(rows), rows["configuration"], strict=True):
            expected = wanted.get((key[0], key[2]))
            if expected is not None and expected != made_with:
                raise ResultsError(
                    f"{self.store.folder}: holds results of {key[2]} on {key[0]} that were made "
                    "with other data, parameters or seed; choose another --out, or compute them "
                    "anew with --force all"
                )
            present.add(key)
        return present

    def _metadata(self) -> dict[str, Any]:
        return {
            **provenance(),
            "seed": str(self.seed),
            "folds": N_FOLDS,
            "timeout": self.timeout,
            "threads": 1,
            "descriptors": {r.name: [r.origin, repr(dict(r.parameters))] for r in self.recipes},
        }


def is_single_file(out: str | Path) -> bool:
    """Whether the results are to be one file in the end."""
    return str(out).endswith(".parquet")


def _keys(rows: pd.DataFrame) -> list[tuple[str, str, str, int]]:
    return list(zip(*(rows[column] for column in KEY), strict=True))


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
