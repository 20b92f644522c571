"""The work of a sweep: units, their estimated costs, and shards of them."""

import math
from collections.abc import Sequence

from occstats.datasets import Source
from occstats.experiment.plan import Plan, estimated_seconds, plan_groups
from occstats.experiment.tasks import Task
from occstats.experiment.tuning.fold import combinations
from occstats.experiment.tuning.recipes import SweepRecipe

__all__ = ["make_sweep_plan"]


def make_sweep_plan(
    tasks: Sequence[tuple[Source, str, Sequence[Task]]],
    recipes: Sequence[SweepRecipe],
    *,
    seed: str,
) -> Plan:
    """Plan the sweep: descriptors with the same neighbour search together, largest shards first."""
    return plan_groups(tasks, _groups(recipes), _seconds, seed=seed)


def _groups(recipes: Sequence[SweepRecipe]) -> list[tuple[SweepRecipe, ...]]:
    alone = [(recipe,) for recipe in recipes if recipe.kind != "neighbours"]
    fast = [recipe for recipe in recipes if recipe.kind == "neighbours"]
    metrics = dict.fromkeys(recipe.metric for recipe in fast)
    return [tuple(r for r in fast if r.metric == metric) for metric in metrics] + alone


def _seconds(task: Task, group: Sequence[SweepRecipe]) -> float:
    return sum(_seconds_of(task, recipe) for recipe in group)


def _seconds_of(task: Task, recipe: SweepRecipe) -> float:
    """A rough guess of one fold's time; only the balance of the shards hangs on it."""
    n, queries = 0.8 * task.n, 0.2 * task.rows
    sizes = [len(values) for values in combinations(recipe, task)]
    count = math.prod(sizes)
    if recipe.kind == "neighbours":
        sorting = 3e-8 * count * queries
        pairs = 1e-10 * queries * max(sizes) ** 2 * (sizes[-1] if len(sizes) > 1 else 5)
        return 0.01 + 1e-6 * count + estimated_seconds(task, recipe) + sorting + pairs
    if recipe.kind == "support vectors":
        kernels = 2e-9 * sizes[-1] * n * (n + queries)
        return 0.02 + kernels + count * (1e-4 + 1.5e-9 * n**2)
    return count * estimated_seconds(task, recipe)
