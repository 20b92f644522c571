"""One fit: a descriptor on one fold of one task, as a row of the results table."""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats import __version__
from occstats.datasets import Source, fingerprint, open_source
from occstats.errors import DataError
from occstats.experiment.auroc import auroc
from occstats.experiment.folds import (
    make_folds,
    scale_by_interquartile_range,
    smallest_training_part,
)
from occstats.experiment.recipes import Recipe
from occstats.experiment.sharing import SharedSearches, shares_search
from occstats.experiment.task_sizes import AtMost
from occstats.experiment.tasks import Task, sparsity

__all__ = ["FoldData", "evaluate", "failed_row", "fold_data", "import_descriptors"]


@dataclass(eq=False)
class FoldData:
    """The scaled rows of one fold of one task, and the neighbours that descriptors share."""

    train: NDArray[np.float64]
    test: NDArray[np.float64]
    is_target: NDArray[np.bool_]
    sparsity: float
    omitted_rows: int

    @cached_property
    def searches(self) -> SharedSearches:
        """The neighbour searches on these rows."""
        return SharedSearches(self.train, self.test)


@lru_cache(maxsize=2)
def _task_rows(source: Source, target: str) -> tuple[NDArray[np.bool_], float]:
    dataset = open_source(source)
    is_target = dataset.labels == target
    return is_target, sparsity(dataset.X[is_target])


@lru_cache(maxsize=1)
def fold_data(source: Source, data_fingerprint: str, target: str, fold: int) -> FoldData:
    """The rows of one fold, scaled; kept until another fold is asked for."""
    dataset = open_source(source)
    if fingerprint(dataset) != data_fingerprint:
        raise DataError(f"{source.path or source.name}: the data changed while the experiment ran")
    is_target, share = _task_rows(source, target)
    rows = make_folds(is_target)[fold]
    train, test = scale_by_interquartile_range(dataset.X[rows.train], dataset.X[rows.test])
    return FoldData(train, test, is_target[rows.test], share, dataset.omitted_rows)


def evaluate(
    source: Source,
    data_fingerprint: str,
    task: Task,
    fold: int,
    recipe: Recipe,
    seed: int,
    together: Sequence[Recipe] = (),
) -> dict[str, Any]:
    """Fit a descriptor on the training targets of a fold, score its test rows, compute the AUROC.

    Whatever goes wrong in the descriptor becomes a row with the status ``failed`` and the reason.
    The recipes of `together` take their neighbours from the same search.
    """
    from threadpoolctl import threadpool_limits

    data = fold_data(source, data_fingerprint, task.target, fold)
    row = _row(task, fold, recipe, seed, data)
    # One thread: scores are the same to the bit whatever the number of workers and cores.
    with threadpool_limits(1):
        try:
            estimator = _estimator(recipe, task, seed)
            row["parameters"] = _as_json(estimator.get_params(deep=False))
            if shares_search(recipe.origin):
                others = [_estimator(other, task, seed) for other in together]
                scores, fit_seconds, query_seconds = data.searches.fit_and_score(estimator, others)
            else:
                scores, fit_seconds, query_seconds = _fit_and_score(estimator, data)
            row |= {"fit_seconds": fit_seconds, "query_seconds": query_seconds}
            if not np.isfinite(scores).all():
                raise ValueError(f"{int((~np.isfinite(scores)).sum())} scores are not finite")
        except Exception as error:  # the descriptor may be anybody's code
            return {**row, "status": "failed", "error": _reason(error)}
    row["auroc"] = auroc(data.is_target, scores)
    if row["auroc"] is None:
        lacking = "target" if not data.is_target.any() else "other"
        return {**row, "status": "undefined", "error": f"the test part has no {lacking} rows"}
    return row


def _fit_and_score(estimator: Any, data: FoldData) -> tuple[NDArray[np.float64], float, float]:
    started = time.perf_counter()
    estimator.fit(data.train)
    fitted = time.perf_counter()
    scores = np.asarray(estimator.score_samples(data.test), dtype=np.float64)
    return scores, fitted - started, time.perf_counter() - fitted


def import_descriptors() -> None:
    """Import what every fit needs, so that no fit pays for it."""
    for module in ("occstats_descriptors.registry", "threadpoolctl"):
        import_module(module)


def failed_row(
    source: Source,
    data_fingerprint: str,
    task: Task,
    fold: int,
    recipe: Recipe,
    seed: int,
    *,
    status: str,
    reason: str,
) -> dict[str, Any]:
    """The row of a fit that gave no answer."""
    data = fold_data(source, data_fingerprint, task.target, fold)
    row = _row(task, fold, recipe, seed, data)
    return {**row, "status": status, "error": reason}


def _row(task: Task, fold: int, recipe: Recipe, seed: int, data: FoldData) -> dict[str, Any]:
    return {
        "dataset": task.dataset,
        "class": task.target,
        "descriptor": recipe.name,
        "fold": fold,
        "auroc": None,
        "status": "ok",
        "error": None,
        "n": task.n,
        "m": task.m,
        "sparsity": data.sparsity,
        "omitted_rows": data.omitted_rows,
        "parameters": None,
        "seed": seed,
        "fit_seconds": None,
        "query_seconds": None,
        "version": __version__,
    }


def _estimator(recipe: Recipe, task: Task, seed: int) -> Any:
    """The unfitted descriptor, with sizes and seed settled for this task."""
    from occstats_descriptors.registry import make
    from occstats_descriptors.sizes import LogMultiple

    given = recipe.parameters_for(task.dataset)
    estimator = make(recipe.origin, **given)
    settled: dict[str, Any] = {}
    # Deep: a detector from another package has its seed within the wrapper.
    for name, value in estimator.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if isinstance(value, LogMultiple):
            settled[name] = size_for_task(value.factor, task.n)
        elif isinstance(value, AtMost):
            settled[name] = value.for_task(task.n)
        elif last == "random_state" and last not in given:
            settled[name] = seed
        elif last == "n_jobs" and last not in given:
            settled[name] = 1  # the workers are the parallelism
    return estimator.set_params(**settled)


def size_for_task(factor: float, n: int) -> int:
    """The number of neighbours a·log n' that all five folds of a task share.

    n' is one less than the smallest training part of the folds: with it, and with one size for all
    folds, the paper's columns come out.

    Examples
    --------
    >>> size_for_task(3.4, 59), size_for_task(5.5, 5)
    (13, 3)
    """
    available = smallest_training_part(n) - 1
    return min(max(round(factor * math.log(available)), 1), available)


def _as_json(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, default=repr, sort_keys=True)


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500]
