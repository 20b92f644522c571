"""The sweep of one fold of one task, as rows of the sweep's table."""

import itertools
import json
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.experiment.estimators import fit_and_score, is_of_distances, make_estimator
from occstats.experiment.evaluate import Fit, make_search
from occstats.experiment.isolation import contained
from occstats.experiment.tasks import Task, auroc
from occstats.tuning.grids import Value
from occstats.tuning.kernels import (
    Areas,
    advance_sums,
    local_factors,
    localised_proximities,
    reachability_sums,
)
from occstats.tuning.recipes import SweepRecipe

__all__ = ["NeighbourSweep", "combinations", "failed_sweep", "support_vector_areas", "sweep_fold"]

Matrix = NDArray[np.float64]
# A support vector problem of more distinct rows is solved at every fifth value of a long grid: the
# 2,116 points of the paper's grid would take half an hour a fold.
MOST_DISTINCT, COARSE_STEP = 36_000, 5


def sweep_fold(fit: Fit) -> pd.DataFrame:
    """Evaluate descriptors over all distinct parameter values on one fold.

    The recipes share one neighbour search where they have the same metric and need one.
    """
    swept = _FoldSweep(fit)
    return pd.concat([swept.rows(recipe) for recipe in fit.recipes], ignore_index=True)


def failed_sweep(fit: Fit, *, status: str, reason: str) -> pd.DataFrame:
    """The rows of sweeps that gave no answer."""
    none = {"status": status, "error": reason, "seconds": np.nan}
    return pd.concat([_frame(fit, recipe, none) for recipe in fit.recipes], ignore_index=True)


def combinations(recipe: SweepRecipe, task: Task) -> list[list[Value]]:
    """The distinct values of each parameter for a task, in the order of the grid."""
    return [list(dict.fromkeys(axis.resolved(task))) for axis in recipe.axes]


def _frame(fit: Fit, recipe: SweepRecipe, found: dict[str, Any]) -> pd.DataFrame:
    """A row for every combination of values, the last parameter varying fastest."""
    written = [
        [f"{json.dumps(axis.parameter)}: {json.dumps(value)}" for value in of_axis]
        for axis, of_axis in zip(recipe.axes, combinations(recipe, fit.task), strict=True)
    ]
    texts = ["{" + ", ".join(parts) + "}" for parts in itertools.product(*written)]
    return pd.DataFrame({**fit.facts(recipe), "parameters": texts, **found})


class _FoldSweep:
    """The sweeps of one fold, with the neighbour searches that they share."""

    def __init__(self, fit: Fit) -> None:
        self._fit = fit
        self._data = fit.data()
        # metric and order → the search and the seconds that it took
        self._searches: dict[tuple[str | None, str], tuple[NeighbourSweep, float]] = {}

    def rows(self, recipe: SweepRecipe) -> pd.DataFrame:
        """The rows of one descriptor."""
        if self._data.lacking:
            none = {"status": "undefined", "error": self._data.lacking, "seconds": 0.0}
            return _frame(self._fit, recipe, none)
        found: dict[str, Any] = {}
        with contained(self._fit.seed_of(recipe)) as outcome:
            # Each descriptor pays for the search that it shares, as if it were alone.
            search_seconds = self._search(recipe)[1] if recipe.kind == "neighbours" else 0.0
            started = time.perf_counter()
            found = self._areas(recipe)
            found["seconds"] = search_seconds + time.perf_counter() - started
        if outcome.reason is not None:
            found = {"status": "failed", "error": outcome.reason, "seconds": np.nan}
        return _frame(self._fit, recipe, found)

    def _areas(self, recipe: SweepRecipe) -> dict[str, Any]:
        values = combinations(recipe, self._fit.task)
        if recipe.kind == "refits":
            return self._refits(recipe, values)
        if recipe.kind == "neighbours":
            return {"auroc": self._search(recipe)[0].areas(recipe.origin, values).ravel()}
        data, names = self._data, [axis.parameter for axis in recipe.axes]
        by_name = {name: list(map(float, v)) for name, v in zip(names, values, strict=True)}
        areas = support_vector_areas(
            data.train, data.test, data.is_target, by_name["nu"], by_name["c"]
        )
        return {"auroc": (areas if names[0] == "nu" else areas.T).ravel()}

    def _search(self, swept: SweepRecipe) -> "tuple[NeighbourSweep, float]":
        if swept.search not in self._searches:
            started = time.perf_counter()
            largest = max(
                int(value)
                for recipe in self._fit.recipes
                if recipe.search == swept.search and recipe.kind == "neighbours"
                for of_axis in combinations(recipe, self._fit.task)
                for value in of_axis
            )
            search = NeighbourSweep(
                self._data.train,
                self._data.test,
                self._data.is_target,
                metric=str(swept.metric),
                order=swept.order,
                largest=largest,
            )
            self._searches[swept.search] = search, time.perf_counter() - started
        return self._searches[swept.search]

    def _refits(self, recipe: SweepRecipe, values: list[list[Value]]) -> dict[str, Any]:
        """Fit anew for every combination; one that fails says why, and the others go on."""
        data, seed = self._data, self._fit.seed_of(recipe)
        areas, errors = [], []
        for combination in itertools.product(*values):
            point = dict(zip([axis.parameter for axis in recipe.axes], combination, strict=True))
            area: float | None = None
            with contained(seed) as outcome:
                estimator = make_estimator(recipe, seed, n=self._fit.task.n, parameters=point)
                scores, *_ = fit_and_score(estimator, data.train, data.test)
                area = auroc(data.is_target, scores, of_distances=is_of_distances(recipe.origin))
            areas.append(np.nan if area is None else area)
            errors.append(outcome.reason)
        status = ["ok" if error is None else "failed" for error in errors]
        return {"auroc": areas, "status": status, "error": errors}


class NeighbourSweep:
    """AUROC of the neighbour-based descriptors on one fold, for any number of sizes.

    Memory is bounded by a few matrices of rows × largest size.

    Parameters
    ----------
    train, test : ndarray
        The scaled training targets and test rows.
    is_target : ndarray of bool
        The labels of the test rows; both kinds must be there.
    metric : str
        The metric.
    largest : int
        The largest number of neighbours that will be asked for, less than the training rows.
    order : {"index", "kd-tree"}
        The order of equally distant neighbours.
    """

    def __init__(
        self,
        train: Matrix,
        test: Matrix,
        is_target: NDArray[np.bool_],
        *,
        metric: str,
        largest: int,
        order: str = "index",
    ) -> None:
        search = make_search(train, metric=metric, order=order)
        self._training = search.training(largest)
        self._near = search.query(test, largest)
        self._areas = Areas(is_target)

    def areas(self, descriptor: str, sizes: Sequence[Sequence[Any]]) -> Matrix:
        """The AUROC for each k, or for each k (rows) and l (columns) in the case of ALP."""
        methods: dict[str, Any] = {
            "NND": self._nnd,
            "LNND": self._lnnd,
            "LOF": self._lof,
            "ALP": self._alp,
        }
        return np.asarray(methods[descriptor.upper()](*sizes))

    def _nnd(self, ks: Sequence[int]) -> Matrix:
        scores = 1 / (1 + self._near.distances[:, [k - 1 for k in ks]].T)
        return self._areas(scores)

    def _lnnd(self, ks: Sequence[int]) -> Matrix:
        from occstats_descriptors.neighbours import ratio

        found = np.empty(len(ks))
        for place, k in enumerate(ks):
            local = self._training.distances[self._near.indices[:, k - 1], k - 1]
            found[place] = self._areas(ratio(local, self._near.distances[:, k - 1])[None])[0]
        return found

    def _lof(self, ks: Sequence[int]) -> Matrix:
        largest = max(ks)
        near, training = _scaled(self._near.first(largest), self._training.first(largest))
        own = np.empty(near.shape)
        theirs = np.empty(training.shape)
        indices = self._near.indices
        reachability_sums(near, indices, training, own)
        reachability_sums(training, self._training.indices, training, theirs)
        scores = np.empty(near.shape[::-1])
        local_factors(own, indices, theirs, scores)
        return self._areas(scores[[k - 1 for k in ks]])

    def _alp(self, ks: Sequence[int], ls: Sequence[int]) -> Matrix:
        scales = max(ks)
        near, training = _scaled(self._near.first(scales), self._training.first(scales))
        sums, double_sums = np.zeros(near.shape), np.zeros(near.shape)
        scores = np.empty(near.shape[::-1])
        rows = np.array(ks) - 1
        all_rows = len(rows) == scales
        columns = {l: place for place, l in enumerate(ls)}  # noqa: E741 - the paper's name
        found = np.empty((len(ks), len(ls)))
        for l in range(1, max(ls) + 1):  # noqa: E741
            advance_sums(
                np.ascontiguousarray(self._near.indices[:, l - 1]), training, sums, double_sums
            )
            if l in columns:
                localised_proximities(near, double_sums, 2 / (l * (l + 1)), scores)
                found[:, columns[l]] = self._areas(scores if all_rows else scores[rows])
        return found


def _scaled(near: Any, training: Any) -> tuple[Matrix, Matrix]:
    """Both kinds of distances in a unit that keeps sums of them finite: ratios do not change."""
    largest = max(near.distances.max(), training.distances.max())
    scale = 2.0**-40 if largest > 2.0**980 else 1.0
    return (
        np.ascontiguousarray(near.distances) * scale,
        np.ascontiguousarray(training.distances) * scale,
    )


def support_vector_areas(
    train: Matrix,
    test: Matrix,
    is_target: NDArray[np.bool_],
    nus: Sequence[float],
    widths: Sequence[float],
) -> Matrix:
    """AUROC of SVM for each ν (rows) and kernel width c (columns).

    The distances of the training rows are computed once, the problem for a ν starts from the
    solution for the one before, and the test rows are scored for all ν in one product. Solutions
    are those of the descriptor to the solver's tolerance, not to the last bit. With more than
    36,000 distinct training rows and long grids, every fifth value of both is solved, and a cubic
    spline gives the others.

    Parameters
    ----------
    train, test : ndarray
        The scaled training targets and test rows.
    is_target : ndarray of bool
        The labels of the test rows; both kinds must be there.
    nus, widths : sequence of float
        The values of ν and of the kernel width c.
    """
    from occstats_descriptors.svm_grid import SupportVectorGrid

    areas = Areas(is_target, of_distances=False)
    with warnings.catch_warnings():
        # Where the tolerance is out of reach the best that was found counts, as in a fit.
        warnings.filterwarnings("ignore", message="The one-class support vector problem")
        grid = SupportVectorGrid(train, test)
        coarse = grid.n_distinct > MOST_DISTINCT and _is_long(nus) and _is_long(widths)
        some_nus, some_widths = (_spread(each) if coarse else each for each in (nus, widths))
        found = np.empty((len(some_nus), len(some_widths)))
        for place, width in enumerate(some_widths):
            found[:, place] = areas(grid.scores(some_nus, width).T)
    if not coarse:
        return found
    from scipy.interpolate import RectBivariateSpline

    spline = RectBivariateSpline(some_nus, some_widths, found)
    return np.asarray(np.clip(spline(nus, widths), 0.0, 1.0))


def _is_long(values: Sequence[float]) -> bool:
    """Whether a grid is long enough, and in order, to be interpolated."""
    ascending = all(low < high for low, high in itertools.pairwise(values))
    return ascending and len(values) > 3 * COARSE_STEP


def _spread(values: Sequence[float]) -> Sequence[float]:
    """Every fifth value, and the last."""
    return [*values[:-1:COARSE_STEP], values[-1]]
