"""One fit: a descriptor on one fold of one task, as a row of the results table."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats import __version__
from occstats.datasets import Source, fingerprint, open_source
from occstats.errors import DataError
from occstats.experiment.estimators import (
    Recipe,
    SeedPolicy,
    checked_scores,
    fit_and_score,
    is_of_distances,
    make_estimator,
    parameters_as_json,
    shares_search,
)
from occstats.experiment.isolation import contained
from occstats.experiment.tasks import (
    Fold,
    Task,
    auroc,
    make_folds,
    scale_by_interquartile_range,
    sparsity,
)

__all__ = [
    "Fit",
    "FoldData",
    "evaluate",
    "failed_row",
    "import_descriptors",
    "make_search",
    "prepare_process",
]


@dataclass(frozen=True, eq=False)
class Fit:
    """What is to be evaluated together: descriptors on one fold of one task.

    Attributes
    ----------
    source, data_fingerprint
        The data set, and the hash of the data that it must have.
    task, fold
        The task and the number of the fold.
    recipes : tuple of Recipe
        The descriptors that are evaluated.
    together : tuple of Recipe
        All descriptors that take their neighbours from the same search.
    policy : SeedPolicy
        The random state of every fit.
    """

    source: Source
    data_fingerprint: str
    task: Task
    fold: int
    recipes: tuple[Any, ...]
    together: tuple[Any, ...]
    policy: SeedPolicy

    def seed_of(self, recipe: Recipe) -> int:
        """The random state of one of the descriptors."""
        return self.policy.seed_of(*self.task.key, self.fold, recipe.name)

    def data(self) -> "FoldData":
        """The rows of the fold, scaled."""
        return _fold_data(self.source, self.data_fingerprint, self.task.target, self.fold)

    def facts(self, recipe: Recipe) -> dict[str, Any]:
        """What a row says of itself whatever comes out."""
        data = self.data()
        return {
            "dataset": self.task.dataset,
            "class": self.task.target,
            "descriptor": recipe.name,
            "fold": self.fold,
            "auroc": np.nan,
            "status": "ok",
            "error": None,
            "n": self.task.n,
            "m": self.task.m,
            "sparsity": data.sparsity,
            "omitted_rows": data.omitted_rows,
            "parameters": None,
            "seed": self.seed_of(recipe),
            "version": __version__,
        }


@dataclass(eq=False)
class FoldData:
    """The scaled rows of one fold of one task, and the neighbours that descriptors share."""

    train: NDArray[np.float64]
    test: NDArray[np.float64]
    is_target: NDArray[np.bool_]
    sparsity: float
    omitted_rows: int

    @cached_property
    def searches(self) -> "SharedSearches":
        """The neighbour searches on these rows."""
        return SharedSearches(self.train, self.test)

    @property
    def lacking(self) -> str | None:
        """Why there is no AUROC, where there is none."""
        if self.is_target.any() and not self.is_target.all():
            return None
        return f"the test part has no {'other' if self.is_target.any() else 'target'} rows"


@lru_cache(maxsize=2)
def _task_rows(source: Source, target: str) -> tuple[NDArray[np.bool_], float, list[Fold]]:
    dataset = open_source(source)
    is_target = dataset.labels == target
    return is_target, sparsity(dataset.X[is_target]), make_folds(is_target)


@lru_cache(maxsize=1)
def _fold_data(source: Source, data_fingerprint: str, target: str, fold: int) -> FoldData:
    """The rows of one fold, scaled; kept until another fold is asked for."""
    dataset = open_source(source)
    if fingerprint(dataset) != data_fingerprint:
        raise DataError(f"{source.path or source.name}: the data changed while the experiment ran")
    is_target, share, folds = _task_rows(source, target)
    rows = folds[fold]
    train, test = scale_by_interquartile_range(dataset.X[rows.train], dataset.X[rows.test])
    return FoldData(train, test, is_target[rows.test], share, dataset.omitted_rows)


def evaluate(fit: Fit) -> pd.DataFrame:
    """Fit descriptors on the training targets of a fold and score its test rows; a row for each.

    Whatever goes wrong in a descriptor becomes a row with the status ``failed`` and the reason.
    """
    return pd.DataFrame([_evaluated(fit, recipe) for recipe in fit.recipes])


def _evaluated(fit: Fit, recipe: Recipe) -> dict[str, Any]:
    data, seed = fit.data(), fit.seed_of(recipe)
    row = fit.facts(recipe) | {"fit_seconds": np.nan, "query_seconds": np.nan}
    with contained(seed) as outcome:
        estimator = _estimator(fit, recipe)
        row["parameters"] = parameters_as_json(estimator)
        if shares_search(recipe.origin):
            others = [_estimator(fit, r) for r in fit.together if r.order == recipe.order]
            scores, *seconds = data.searches.fit_and_score(estimator, others, recipe.order)
        else:
            scores, *seconds = fit_and_score(estimator, data.train, data.test)
        row["fit_seconds"], row["query_seconds"] = seconds
    if outcome.reason is not None:
        return row | {"status": "failed", "error": outcome.reason}
    if data.lacking:
        return row | {"status": "undefined", "error": data.lacking}
    area = auroc(data.is_target, scores, of_distances=is_of_distances(recipe.origin))
    return row | {"auroc": area}


def _estimator(fit: Fit, recipe: Recipe) -> Any:
    return make_estimator(recipe, fit.seed_of(recipe), dataset=fit.task.dataset, n=fit.task.n)


def failed_row(fit: Fit, *, status: str, reason: str) -> pd.DataFrame:
    """The rows of fits that gave no answer."""
    none = {"status": status, "error": reason, "fit_seconds": np.nan, "query_seconds": np.nan}
    return pd.DataFrame([fit.facts(recipe) | none for recipe in fit.recipes])


def import_descriptors() -> None:
    """Import what every fit needs, so that no fit pays for it."""
    for module in ("occstats_descriptors.registry", "threadpoolctl", "sklearn.model_selection"):
        import_module(module)


def prepare_process(
    descriptors: Iterable[str], shapes: Collection[tuple[int, int, int]], *others: object
) -> None:
    """Import what every fit needs, and load the kernels, so that copies of this process have them.

    The modules of further arguments are there once these arguments are.
    """
    from occstats_descriptors.warm_up import load_kernels

    import_descriptors()
    import_module("pyarrow.parquet")
    load_kernels(descriptors, shapes)


class SharedSearches:
    """The neighbour searches of one fold, each made once at the largest size that is needed.

    The seconds of a descriptor are those it would have needed alone, but for the size of the
    search: its own and those of the searches that it uses.
    """

    def __init__(self, train: NDArray[np.float64], test: NDArray[np.float64]) -> None:
        self._train = train
        self._test = test
        self._searches: dict[tuple[Any, ...], _Search] = {}

    def fit_and_score(
        self, descriptor: Any, together: Sequence[Any], order: str
    ) -> tuple[NDArray[np.float64], float, float]:
        """Fit one of the descriptors that share; return scores, fit seconds, query seconds."""
        metric = descriptor.metric, descriptor.p
        key = (*metric, order)
        if key not in self._searches:
            alike = [d for d in [descriptor, *together] if (d.metric, d.p) == metric]
            self._searches[key] = _Search(self._train, self._test, key, alike)
        search = self._searches[key]
        started = time.perf_counter()
        descriptor.fit(self._train, neighbours=search.search)
        fitted = time.perf_counter()
        scores = checked_scores(descriptor.score_neighbours(search.near), len(self._test))
        scored = time.perf_counter()
        needs_training = descriptor.training_neighbours(len(self._train)) > 0
        fit_seconds = fitted - started + (search.training_seconds if needs_training else 0.0)
        return scores, fit_seconds, scored - fitted + search.query_seconds


class _Search:
    def __init__(
        self,
        train: NDArray[np.float64],
        test: NDArray[np.float64],
        key: tuple[Any, ...],
        descriptors: Sequence[Any],
    ) -> None:
        n = len(train)
        metric, p, order = key
        self.search = make_search(train, metric=metric, p=p, order=order)
        started = time.perf_counter()
        largest = max(descriptor.training_neighbours(n) for descriptor in descriptors)
        if largest:
            self.search.training(largest)
        trained = time.perf_counter()
        largest = max(descriptor.query_neighbours(n) for descriptor in descriptors)
        self.near = self.search.query(test, largest)
        self.training_seconds = trained - started
        self.query_seconds = time.perf_counter() - trained


def make_search(train: NDArray[np.float64], *, metric: str, p: float = 2.0, order: str) -> Any:
    """The neighbour search that descriptors share, with ties in the order that is asked for.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [1.0], [3.0]])
    >>> make_search(rows, metric="manhattan", order="kd-tree").training(2).distances.tolist()
    [[1.0, 1.0], [0.0, 1.0], [0.0, 1.0], [2.0, 2.0]]
    """
    from occstats_descriptors.neighbours import Neighbours, NeighbourSearch

    if order == "index":
        return NeighbourSearch(train, metric=metric, p=p, n_jobs=1)

    class TreeOrderSearch(NeighbourSearch):
        """Ties as scikit-learn's KD-tree gives them; the first of a self-query is taken for it."""

        def _search(self, queries: Any, k: int, excluded: Any) -> Neighbours:
            from sklearn.neighbors import KDTree

            own = int(excluded[0] >= 0)
            tree = KDTree(self.X, leaf_size=30, metric=self.metric)
            distances, indices = tree.query(queries, k=k + own)
            return Neighbours(distances[:, own:], indices[:, own:])

    return TreeOrderSearch(train, metric=metric, p=p, n_jobs=1)
