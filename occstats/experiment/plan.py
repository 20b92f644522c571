"""Plan an experiment: units of work, packed into shards with deterministic ids."""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from occstats.datasets import Source
from occstats.experiment.estimators import Recipe, SeedPolicy, shares_search
from occstats.experiment.tasks import N_FOLDS, Task

# Bounds on the estimated seconds of a shard: long enough that writing its file does not matter,
# short enough that a killed worker loses little and all workers stay busy until the end.
SHORTEST_SHARD, LONGEST_SHARD = 0.5, 20.0
SHARDS_WANTED = 64
# Each isolated shard starts a process.
SHORTEST_ISOLATED = 10.0

# Dataset, class, descriptor and fold, which identify a row.
Key = tuple[str, str, str, int]


@dataclass(frozen=True, eq=False)
class Unit:
    """One fold of one task, with the descriptors that share its neighbour search.

    The data must have the given fingerprint. The cost is in estimated seconds.
    """

    source: Source
    data_fingerprint: str
    task: Task
    fold: int
    recipes: tuple[Any, ...]
    seed: SeedPolicy
    cost: float = 0.0

    def key_of(self, recipe: Recipe) -> Key:
        """Return the key of the row of one of the descriptors."""
        return *self.task.key, recipe.name, self.fold

    def seed_of(self, recipe: Recipe) -> int:
        """Return the random state of one of the descriptors."""
        return self.seed.seed_of(*self.task.key, self.fold, recipe.name)


@dataclass(frozen=True, eq=False)
class Shard:
    """Units of one dataset that one worker computes and writes as one file.

    The fits of an `isolated` shard run in a process of their own: those of a third-party estimator,
    or with a timeout.
    """

    units: tuple[Unit, ...]
    isolated: bool = False

    @cached_property
    def id(self) -> str:
        """Return a short hash of everything that determines the rows."""
        first = self.units[0]
        digest = hashlib.sha256(f"{first.data_fingerprint}\0{first.seed}\0{N_FOLDS}".encode())
        for unit in self.units:
            for recipe in unit.recipes:
                parts = [*unit.task.key, str(unit.fold), recipe.name]
                digest.update("\0".join([*parts, recipe.fingerprint(unit.task.dataset)]).encode())
        return digest.hexdigest()[:20]

    @property
    def dataset(self) -> str:
        """Return the name of the dataset."""
        return self.units[0].source.name

    @property
    def cost(self) -> float:
        """Return the estimated seconds."""
        return sum(unit.cost for unit in self.units)

    @property
    def keys(self) -> list[Key]:
        """Return the keys of the rows of this shard."""
        return [unit.key_of(recipe) for unit in self.units for recipe in unit.recipes]


@dataclass(frozen=True, eq=False)
class Plan:
    """The shards of an experiment, largest first."""

    shards: tuple[Shard, ...]

    @property
    def cost(self) -> float:
        """Return the estimated seconds on one core."""
        return sum(shard.cost for shard in self.shards)

    @property
    def n_rows(self) -> int:
        """Return the number of rows of the finished table."""
        return sum(len(shard.keys) for shard in self.shards)


def make_plan(
    tasks: Sequence[tuple[Source, str, Sequence[Task]]],
    groups: Sequence[tuple[Recipe, ...]],
    seconds: Callable[[Task, Any], float],
    *,
    seed: SeedPolicy,
    isolated: bool = False,
) -> Plan:
    """Pack folds into shards, deterministically and largest first.

    Each group of descriptors is evaluated together on every fold of every task, in the estimated
    `seconds` of each.
    """
    units = [
        [
            Unit(source, data, task, fold, group, seed, sum(seconds(task, each) for each in group))
            for group in groups
            for task in of_dataset
            for fold in range(N_FOLDS)
        ]
        for source, data, of_dataset in tasks
    ]
    total = sum(unit.cost for of_dataset in units for unit in of_dataset)
    limit = min(max(total / SHARDS_WANTED, SHORTEST_SHARD), LONGEST_SHARD)
    shards = [shard for of_dataset in units for shard in _pack(of_dataset, limit, isolated)]
    return Plan(tuple(sorted(shards, key=lambda shard: (-shard.cost, shard.id))))


def _pack(units: Iterable[Unit], limit: float, isolated: bool) -> Iterable[Shard]:
    # A third-party estimator shares its process, and therefore its shards, with no other.
    for name, group in groupby(units, key=_third_party_name):
        alone = isolated or bool(name)
        most = max(limit, SHORTEST_ISOLATED) if alone else limit
        packed: list[Unit] = []
        for unit in group:
            if packed and sum(u.cost for u in packed) + unit.cost > most:
                yield Shard(tuple(packed), alone)
                packed = []
            packed.append(unit)
        yield Shard(tuple(packed), alone)


def _third_party_name(unit: Unit) -> str:
    """Return the name of the estimator of another package; empty for our descriptors."""
    return str(next((r.name for r in unit.recipes if ":" in r.origin), ""))


def configuration(data_fingerprint: str, recipe: Recipe, dataset: str, seed: SeedPolicy) -> str:
    """Return a short hash of everything that determines a score, apart from the key of its row."""
    parts = [data_fingerprint, recipe.fingerprint(dataset), str(seed), str(N_FOLDS)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def estimated_seconds(task: Task, recipe: Recipe) -> float:
    """Estimate the time of one fold on one core, for balancing shards.

    The orders of growth are those of the algorithms; the constants were measured on one machine.
    """
    n, queries, m = 0.8 * task.n, 0.2 * task.rows, task.m
    if shares_search(recipe.origin):
        # The neighbour search, which prunes above a few thousand points.
        return 0.004 + 1.2e-10 * m * n * (n + queries) + 2e-6 * queries * math.log(n + 1)
    known = {
        "MD": 0.002 + 2e-9 * (n + queries) * m**2 + 1e-9 * m**3,
        "SVM": 0.003 + 1e-9 * n**2 + 2e-10 * m * n * queries,
        "IF": 0.005 + 4e-4 * m + 4e-6 * queries,
        "EIF": 0.004 + 2.2e-6 * m * queries,
        "SAE": 0.07 + 2.5e-5 * min(n, 1000) * m + 6e-5 * m**2,
    }
    return known.get(recipe.origin.upper(), 0.1 + 1e-5 * (n + queries))
