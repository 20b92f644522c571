"""The sweep of one fold of one task, as rows of the sweep's table."""

import itertools
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from occstats import __version__
from occstats.datasets import Source
from occstats.experiment.auroc import auroc
from occstats.experiment.evaluate import FoldData, fold_data
from occstats.experiment.tasks import Task
from occstats.experiment.tuning.grids import Value
from occstats.experiment.tuning.recipes import SweepRecipe

__all__ = ["combinations", "failed_sweep", "sweep_fold"]


def sweep_fold(
    source: Source,
    data_fingerprint: str,
    task: Task,
    fold: int,
    recipes: Sequence[SweepRecipe],
    seed: int,
) -> list[pd.DataFrame]:
    """Evaluate descriptors over all distinct parameter values on one fold, a frame for each.

    The recipes share one neighbour search where they have the same metric and need one.
    """
    from threadpoolctl import threadpool_limits

    data = fold_data(source, data_fingerprint, task.target, fold)
    with threadpool_limits(1):
        return list(_sweeps(data, task, fold, recipes, seed))


def combinations(recipe: SweepRecipe, task: Task) -> list[list[Value]]:
    """The distinct values of each parameter for a task, in the order of the grid."""
    return [list(dict.fromkeys(axis.resolved(task))) for axis in recipe.axes]


def parameter_texts(recipe: SweepRecipe, values: Sequence[Sequence[Value]]) -> list[str]:
    """Every combination of values as JSON, the last parameter varying fastest."""
    written = [
        [f"{json.dumps(axis.parameter)}: {json.dumps(value)}" for value in of_axis]
        for axis, of_axis in zip(recipe.axes, values, strict=True)
    ]
    return ["{" + ", ".join(parts) + "}" for parts in itertools.product(*written)]


def failed_sweep(
    source: Source,
    data_fingerprint: str,
    task: Task,
    fold: int,
    recipes: Sequence[SweepRecipe],
    seed: int,
    *,
    reason: str,
) -> list[pd.DataFrame]:
    """The rows of sweeps that gave no answer."""
    data = fold_data(source, data_fingerprint, task.target, fold)
    frames = []
    for recipe in recipes:
        texts = parameter_texts(recipe, combinations(recipe, task))
        missing = np.full(len(texts), np.nan)
        frame = _frame(data, task, fold, recipe, seed, texts, missing)
        frames.append(frame.assign(status="failed", error=reason, seconds=np.nan))
    return frames


def _sweeps(
    data: FoldData, task: Task, fold: int, recipes: Sequence[SweepRecipe], seed: int
) -> Any:
    searches: dict[str | None, Any] = {}
    search_seconds: dict[str | None, float] = {}
    for recipe in recipes:
        values = combinations(recipe, task)
        texts = parameter_texts(recipe, values)
        started = time.perf_counter()
        errors: list[Any] = [None] * len(texts)
        if not data.is_target.any() or data.is_target.all():
            lacking = "target" if not data.is_target.any() else "other"
            frame = _frame(data, task, fold, recipe, seed, texts, np.full(len(texts), np.nan))
            reason = f"the test part has no {lacking} rows"
            yield frame.assign(status="undefined", error=reason, seconds=0.0)
            continue
        try:
            if recipe.kind == "neighbours":
                if recipe.metric not in searches:
                    alike = [other for other in recipes if other.metric == recipe.metric]
                    searches[recipe.metric] = _search(data, task, recipe.metric, alike)
                    search_seconds[recipe.metric] = time.perf_counter() - started
                    started = time.perf_counter()
                areas = searches[recipe.metric].areas(recipe.origin, values).ravel()
            elif recipe.kind == "support vectors":
                areas = _support_vectors(data, recipe, values)
            else:
                areas, errors = _refits(data, task, recipe, seed)
        except Exception as error:  # a row with its reason, never a crash
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
            areas, errors = np.full(len(texts), np.nan), [reason] * len(texts)
        seconds = time.perf_counter() - started + search_seconds.get(recipe.metric, 0.0)
        frame = _frame(data, task, fold, recipe, seed, texts, areas)
        status = ["ok" if error is None else "failed" for error in errors]
        yield frame.assign(status=status, error=errors, seconds=seconds)


def _search(data: FoldData, task: Task, metric: str | None, recipes: Sequence[SweepRecipe]) -> Any:
    from occstats.experiment.tuning.neighbour_sweep import NeighbourSweep

    largest = max(
        int(value)
        for recipe in recipes
        if recipe.kind == "neighbours"
        for of_axis in combinations(recipe, task)
        for value in of_axis
    )
    return NeighbourSweep(
        data.train, data.test, data.is_target, metric=str(metric), largest=largest
    )


def _support_vectors(data: FoldData, recipe: SweepRecipe, values: Sequence[Sequence[Value]]) -> Any:
    from occstats.experiment.tuning.support_vector_sweep import support_vector_areas

    by_parameter = {
        axis.parameter: [float(value) for value in of_axis]
        for axis, of_axis in zip(recipe.axes, values, strict=True)
    }
    areas = support_vector_areas(
        data.train, data.test, data.is_target, by_parameter["nu"], by_parameter["c"]
    )
    return (areas if recipe.axes[0].parameter == "nu" else areas.T).ravel()


def _refits(data: FoldData, task: Task, recipe: SweepRecipe, seed: int) -> tuple[Any, list[Any]]:
    """Fit anew for every combination; one that fails says why, and the others go on."""
    from occstats_descriptors.registry import make

    areas: list[Any] = []
    errors: list[Any] = []
    for combination in itertools.product(*combinations(recipe, task)):
        parameters = dict(zip([a.parameter for a in recipe.axes], combination, strict=True))
        try:
            estimator = make(recipe.origin, **{**recipe.parameters, **parameters})
            given = estimator.get_params()
            seeded = [name for name in given if name.split("__")[-1] == "random_state"]
            estimator.set_params(**{name: seed for name in seeded if given[name] is None})
            scores = np.asarray(estimator.fit(data.train).score_samples(data.test), dtype=float)
            if not np.isfinite(scores).all():
                raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are not finite")
            areas.append(auroc(data.is_target, scores))
            errors.append(None)
        except Exception as error:  # the descriptor may be anybody's code
            areas.append(np.nan)
            errors.append(f"{type(error).__name__}: {' '.join(str(error).split())}"[:500])
    return np.array(areas, dtype=float), errors


def _frame(
    data: FoldData,
    task: Task,
    fold: int,
    recipe: SweepRecipe,
    seed: int,
    texts: list[str],
    areas: Any,
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "dataset": task.dataset,
            "class": task.target,
            "descriptor": recipe.name,
            "fold": fold,
            "parameters": texts,
            "auroc": areas,
            "n": task.n,
            "m": task.m,
            "sparsity": data.sparsity,
            "omitted_rows": data.omitted_rows,
            "seed": seed,
            "version": __version__,
        }
    )
