"""The plan of an experiment: units of work, packed into shards with deterministic ids."""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from occstats.datasets import Source
from occstats.experiment.estimators import Recipe, shares_search
from occstats.experiment.tasks import N_FOLDS, Task

__all__ = [
    "Plan",
    "Shard",
    "Unit",
    "configuration",
    "estimated_seconds",
    "pack",
    "plan_groups",
    "shard_identity",
]

# One shard is to take between these, in estimated seconds: long enough that writing it does not
# count, short enough that a killed worker loses little and all workers stay busy to the end.
SHORTEST_SHARD, LONGEST_SHARD = 0.5, 20.0
SHARDS_WANTED = 64


@dataclass(frozen=True, eq=False)
class Unit:
    """One fold of one task, with the descriptors that share its neighbour search."""

    task: Task
    fold: int
    recipes: tuple[Recipe, ...]
    cost: float

    @property
    def rows(self) -> list[tuple[str, str, str, int]]:
        """The keys of the rows that the unit yields."""
        return [(*self.task.key, recipe.name, self.fold) for recipe in self.recipes]


@dataclass(frozen=True, eq=False)
class Shard:
    """Units of one data set that one worker computes and writes as one file."""

    source: Source
    data_fingerprint: str
    units: tuple[Unit, ...]
    id: str

    @property
    def cost(self) -> float:
        """Estimated seconds."""
        return sum(unit.cost for unit in self.units)

    @property
    def rows(self) -> list[tuple[str, str, str, int]]:
        """The keys of the rows that the shard yields."""
        return [key for unit in self.units for key in unit.rows]


@dataclass(frozen=True, eq=False)
class Plan:
    """All shards of an experiment, largest first."""

    shards: tuple[Shard, ...]

    @property
    def cost(self) -> float:
        """Estimated seconds on one core."""
        return sum(shard.cost for shard in self.shards)

    @property
    def n_rows(self) -> int:
        """How many rows the finished table will have."""
        return sum(len(shard.rows) for shard in self.shards)

    def part(self, index: int, of: int) -> "Plan":
        """The share of one job in an array of jobs, numbered from 1."""
        return Plan(self.shards[index - 1 :: of])


def plan_groups(
    tasks: Sequence[tuple[Source, str, Sequence[Task]]],
    groups: Sequence[tuple[Recipe, ...]],
    seconds: Callable[[Task, Recipe], float],
    *,
    seed: str,
) -> Plan:
    """Plan the work: deterministic for a given command, largest shards first.

    Parameters
    ----------
    tasks : sequence of (source, data fingerprint, tasks)
        The data sets and their one-class tasks.
    groups : sequence of tuple of Recipe
        Descriptors that go together on every fold of every task.
    seconds : callable
        The estimated seconds of a descriptor on a fold of a task.
    seed : str
        The seed policy, part of every shard's identity.
    """
    units = {
        source: [
            Unit(task, fold, group, sum(seconds(task, recipe) for recipe in group))
            for group in groups
            for task in dataset_tasks
            for fold in range(N_FOLDS)
        ]
        for source, _, dataset_tasks in tasks
    }
    total = sum(unit.cost for of_dataset in units.values() for unit in of_dataset)
    limit = min(max(total / SHARDS_WANTED, SHORTEST_SHARD), LONGEST_SHARD)
    shards = [
        Shard(source, data_fingerprint, packed, shard_identity(packed, data_fingerprint, seed))
        for source, data_fingerprint, _ in tasks
        for packed in pack(units[source], limit)
    ]
    return Plan(tuple(sorted(shards, key=lambda shard: (-shard.cost, shard.id))))


def pack(units: Iterable[Unit], limit: float) -> Iterable[tuple[Unit, ...]]:
    """Put units together, in order, as long as they do not cost more than the limit."""
    packed: list[Unit] = []
    for unit in units:
        if packed and sum(u.cost for u in packed) + unit.cost > limit:
            yield tuple(packed)
            packed = []
        packed.append(unit)
    if packed:
        yield tuple(packed)


def shard_identity(units: Iterable[Unit], data_fingerprint: str, seed: str) -> str:
    """A short hash of all that determines the rows of a shard."""
    digest = hashlib.sha256(f"{data_fingerprint}\0{seed}\0{N_FOLDS}".encode())
    for unit in units:
        for recipe in unit.recipes:
            parts = [*unit.task.key, str(unit.fold), recipe.name]
            digest.update("\0".join([*parts, recipe.fingerprint(unit.task.dataset)]).encode())
    return digest.hexdigest()[:20]


def configuration(data_fingerprint: str, recipe: Recipe, dataset: str, seed: str) -> str:
    """A short hash of all that determines a score, besides the key of its row."""
    parts = [data_fingerprint, recipe.fingerprint(dataset), seed, str(N_FOLDS)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def estimated_seconds(task: Task, recipe: Recipe) -> float:
    """A rough guess of one fold's time on one core; only the balance of the shards hangs on it.

    The orders of growth are those of the algorithms, the constants were read off one machine.
    """
    n, queries, m = 0.8 * task.n, 0.2 * task.rows, task.m
    if shares_search(recipe.origin):
        # The search; above a few thousand points the engine prunes.
        return 0.004 + 1.2e-10 * m * n * (n + queries) + 2e-6 * queries * math.log(n + 1)
    known = {
        "MD": 0.002 + 2e-9 * (n + queries) * m**2 + 1e-9 * m**3,
        "SVM": 0.003 + 1e-9 * n**2 + 2e-10 * m * n * queries,
        "IF": 0.005 + 4e-4 * m + 4e-6 * queries,
        "EIF": 0.004 + 2.2e-6 * m * queries,
        "SAE": 0.07 + 2.5e-5 * min(n, 1000) * m + 6e-5 * m**2,
    }
    return known.get(recipe.origin.upper(), 0.1 + 1e-5 * (n + queries))
