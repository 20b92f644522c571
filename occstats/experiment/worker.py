"""Evaluate a shard: fit descriptors on folds and write the rows."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import starmap
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats import __version__
from occstats.datasets import Source, fingerprint, open_source
from occstats.errors import DataError, OccstatsError
from occstats.experiment.estimators import (
    Recipe,
    as_text,
    checked_scores,
    fit_and_score,
    is_of_distances,
    make_estimator,
    plain,
    shares_search,
)
from occstats.experiment.isolation import (
    CallTimeoutError,
    IsolationError,
    Worker,
    contained,
    reason_of,
)
from occstats.experiment.plan import Shard, Unit, configuration
from occstats.experiment.store import Store, typed
from occstats.experiment.tasks import (
    Fold,
    auroc,
    average_precision,
    make_folds,
    scale_by_interquartile_range,
    sparsity,
)

Array = NDArray[np.float64]
Rows = Callable[..., pd.DataFrame]


def compute_shard(
    shard: Shard,
    worker: Worker | None,
    *,
    evaluate: Rows,
    whole_units: bool,
    store: Store,
    timeout: float | None,
    description: Mapping[str, Any],
) -> None:
    """Evaluate all units of a shard and write its file.

    `evaluate` makes rows from a unit, some of its recipes and, where a call gave no result, its
    status and error. With `worker`, fits run in its process, which they may kill or change, and
    which is ended with the shard; the timeout needs one. With `whole_units`, all recipes of a unit
    are one call, to which the timeout applies.
    """
    from occstats_descriptors.warm_up import kernels_of, load

    # No fit waits for the compiler.
    for group in kernels_of(*kernel_users(shard.units)):
        with suppress(RuntimeError):  # it fails again in a fit, which reports it
            load(group)
    calls = [
        (unit, recipes)
        for unit in shard.units
        for recipes in ([unit.recipes] if whole_units else [(each,) for each in unit.recipes])
    ]
    frames = []
    with worker or nullcontext():
        answers: Iterable[Any] = starmap(evaluate, calls)
        if worker is not None:
            worker.close()  # not in a process that other shards have used
            answers = worker.answers(evaluate, calls, timeout=timeout)
        for call, answer in zip(calls, answers, strict=True):
            if isinstance(answer, OccstatsError):
                raise answer
            if isinstance(answer, Exception):
                late = isinstance(answer, CallTimeoutError)
                reason = str(answer) if isinstance(answer, IsolationError) else reason_of(answer)
                status = "timeout" if late else "failed"
                frames.append(evaluate(*call, {"status": status, "error": reason}))
            else:
                frames.append(answer)
    configurations = {
        recipe.name: configuration(unit.data_fingerprint, recipe, unit.task.dataset, unit.seed)
        for unit in shard.units
        for recipe in unit.recipes
    }
    # Column types are set once per shard: per fit they would take longer than most fits.
    table = pd.concat(frames, ignore_index=True)
    table = table.assign(configuration=table["descriptor"].map(configurations))
    store.write(shard.id, typed(table), description)


def evaluate(
    unit: Unit, recipes: Sequence[Recipe], failure: dict[str, str] | None = None
) -> pd.DataFrame:
    """Fit descriptors on the training targets of a fold and score its test rows.

    Any error in a descriptor becomes a row with the status ``failed`` and the reason. After a
    `failure` in an earlier call, nothing is fitted, and the rows have its status and error.
    """
    return pd.DataFrame([_evaluated(unit, recipe, failure) for recipe in recipes])


def _evaluated(unit: Unit, recipe: Recipe, failure: dict[str, str] | None) -> dict[str, Any]:
    data, seed = fold_data(unit), unit.seed_of(recipe)
    row = row_header(unit, recipe) | {"fit_seconds": np.nan, "query_seconds": np.nan}
    if failure is not None:
        return row | failure
    with contained(seed) as outcome:
        estimator = _estimator(unit, recipe)
        given = estimator.get_params(deep=False)
        row["parameters"] = json.dumps(given, default=lambda v: plain(v, as_text), sort_keys=True)
        if shares_search(recipe.origin):
            scores, *seconds = data.shared_search(unit, recipe, estimator).score(estimator)
        else:
            scores, *seconds = fit_and_score(estimator, data.train, data.test)
        row["fit_seconds"], row["query_seconds"] = seconds
    if outcome.reason is not None:
        return row | {"status": "failed", "error": outcome.reason}
    if data.undefined:
        return row | {"status": "undefined", "error": data.undefined}
    row["auroc"], row["average_precision"] = data.measures(recipe, scores)
    return row


def row_header(unit: Unit, recipe: Recipe) -> dict[str, Any]:
    """Return the columns of a row that do not depend on the outcome of the fit."""
    data = fold_data(unit)
    return {
        "dataset": unit.task.dataset,
        "class": unit.task.target,
        "descriptor": recipe.name,
        "fold": unit.fold,
        "auroc": np.nan,
        "average_precision": np.nan,
        "status": "ok",
        "error": None,
        "n": unit.task.n,
        "m": unit.task.m,
        "sparsity": data.sparsity,
        "omitted_rows": data.omitted_rows,
        "parameters": None,
        "seed": unit.seed_of(recipe),
        "version": __version__,
    }


def _estimator(unit: Unit, recipe: Recipe) -> Any:
    return make_estimator(recipe, unit.seed_of(recipe), dataset=unit.task.dataset, n=unit.task.n)


@dataclass(eq=False)
class FoldData:
    """The scaled rows of one fold of one task, and the neighbour searches on them."""

    train: Array
    test: Array
    is_target: NDArray[np.bool_]
    sparsity: float
    omitted_rows: int
    _searches: dict[tuple[Any, ...], "SharedSearch"] = field(default_factory=dict, repr=False)

    @property
    def undefined(self) -> str | None:
        """Return why there is no AUROC, or None where there is one."""
        if self.is_target.any() and not self.is_target.all():
            return None
        return f"the test part has no {'other' if self.is_target.any() else 'target'} rows"

    def measures(self, recipe: Recipe, scores: Array) -> tuple[float | None, float | None]:
        """Return AUROC and average precision of the scores of the test rows."""
        how = {"of_distances": is_of_distances(recipe.origin)}
        area = auroc(self.is_target, scores, **how)
        return area, average_precision(self.is_target, scores, **how)

    def shared_search(self, unit: Unit, recipe: Recipe, estimator: Any) -> "SharedSearch":
        """Return the neighbour search that an estimator shares with others of its unit."""
        key = estimator.metric, recipe.order
        if key not in self._searches:
            others = [_estimator(unit, r) for r in unit.recipes if r.order == recipe.order]
            sharing = [e for e in [estimator, *others] if e.metric == estimator.metric]
            self._searches[key] = SharedSearch(self.train, self.test, sharing, order=recipe.order)
        return self._searches[key]


def fold_data(unit: Unit) -> FoldData:
    """Return the scaled rows of a fold, cached until another fold is asked for."""
    return _fold_data(unit.source, unit.data_fingerprint, unit.task.target, unit.fold)


@lru_cache(maxsize=1)
def _fold_data(source: Source, data_fingerprint: str, target: str, fold: int) -> FoldData:
    dataset = open_source(source)
    if fingerprint(dataset) != data_fingerprint:
        raise DataError(f"{source.path or source.name}: the data changed during the experiment")
    is_target, share, folds = _task_rows(source, target)
    rows = folds[fold]
    train, test = scale_by_interquartile_range(dataset.X[rows.train], dataset.X[rows.test])
    return FoldData(train, test, is_target[rows.test], share, dataset.omitted_rows)


@lru_cache(maxsize=2)
def _task_rows(source: Source, target: str) -> tuple[NDArray[np.bool_], float, list[Fold]]:
    dataset = open_source(source)
    is_target = dataset.labels == target
    return is_target, sparsity(dataset.X[is_target]), make_folds(is_target)


class SharedSearch:
    """A neighbour search of one fold, run once at the largest size that its users need.

    All `estimators` have the same metric; `order` is that of equally distant neighbours.
    """

    def __init__(self, train: Array, test: Array, estimators: Sequence[Any], *, order: str) -> None:
        n, first = len(train), estimators[0]
        self._train, self._n_queries = train, len(test)
        self._search = make_search(train, metric=first.metric, order=order)
        started = time.perf_counter()
        largest = max(estimator.training_neighbours(n) for estimator in estimators)
        if largest:
            self._search.training(largest)
        trained = time.perf_counter()
        largest = max(estimator.query_neighbours(n) for estimator in estimators)
        self._near = self._search.query(test, largest)
        self._training_seconds = trained - started
        self._query_seconds = time.perf_counter() - trained

    def score(self, estimator: Any) -> tuple[Array, float, float]:
        """Fit an estimator and score the test rows; return scores, fit and query seconds.

        Timings include the shared search as if it were run for this estimator alone.
        """
        started = time.perf_counter()
        estimator.fit(self._train, neighbours=self._search)
        fitted = time.perf_counter()
        scores = checked_scores(estimator.score_neighbours(self._near), self._n_queries)
        scored = time.perf_counter()
        fit_seconds = fitted - started
        if estimator.training_neighbours(len(self._train)):
            fit_seconds += self._training_seconds
        return scores, fit_seconds, scored - fitted + self._query_seconds


def make_search(train: Array, *, metric: str, order: str) -> Any:
    """Make a neighbour search with the requested order of equally distant neighbours."""
    from occstats_descriptors.neighbours import Neighbours, NeighbourSearch

    if order == "index":
        return NeighbourSearch(train, metric=metric, n_jobs=1)

    class TreeOrderSearch(NeighbourSearch):
        """Ties in the order of scikit-learn's KD-tree; a self-query drops its first neighbour."""

        def _search(self, queries: Any, k: int, excluded: Any) -> Neighbours:
            from sklearn.neighbors import KDTree

            own = int(excluded[0] >= 0)
            tree = KDTree(self.X, leaf_size=30, metric=self.metric)
            distances, indices = tree.query(queries, k=k + own)
            return Neighbours(distances[:, own:], indices[:, own:])

    return TreeOrderSearch(train, metric=metric, n_jobs=1)


def kernel_users(units: Sequence[Unit]) -> tuple[set[str], set[tuple[int, int, int]]]:
    """Return the descriptors of some units, and the shapes of their data."""
    shapes = {(unit.task.n, unit.task.rows, unit.task.m) for unit in units}
    return {recipe.origin for unit in units for recipe in unit.recipes}, shapes
