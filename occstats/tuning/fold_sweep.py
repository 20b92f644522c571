"""Evaluate all grid points of descriptors on one fold.

For neighbour-based descriptors the whole grid costs one neighbour search and a few passes; SVM
reuses the kernel matrix of a width; other estimators are refitted for every point.
"""

import itertools
import json
import time
import warnings
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.experiment.estimators import fit_and_score, make_estimator
from occstats.experiment.isolation import contained
from occstats.experiment.plan import Unit
from occstats.experiment.worker import fold_data, make_search, row_header
from occstats.tuning.grids import SweepRecipe, Value
from occstats_descriptors._kernels.jit import compiled

Array = NDArray[Any]
Matrix = NDArray[np.float64]

# With more distinct rows, SVM is solved at every fifth value of a long grid: the 2,116 points of
# the paper's grid would take half an hour a fold.
MOST_DISTINCT, COARSE_STEP = 36_000, 5


def sweep_fold(
    unit: Unit, recipes: Sequence[SweepRecipe], failure: dict[str, str] | None = None
) -> pd.DataFrame:
    """Evaluate descriptors, which share a neighbour search, at all distinct parameter values.

    After a `failure` in an earlier call, the rows have its status and error.
    """
    data = fold_data(unit)

    @cache
    def search() -> tuple[NeighbourSweep, float]:
        """Search for all descriptors; return the seconds, which count for each of them."""
        started = time.perf_counter()
        swept = (values for recipe in recipes for values in recipe.distinct_values(unit.task))
        sweep = NeighbourSweep(
            data.train,
            data.test,
            data.is_target,
            metric=str(recipes[0].metric),
            order=recipes[0].order,
            largest=max(int(value) for values in swept for value in values),
        )
        return sweep, time.perf_counter() - started

    def measured(recipe: SweepRecipe) -> dict[str, Any]:
        values = recipe.distinct_values(unit.task)
        if recipe.kind == "refits":
            return _refit(unit, recipe, values)
        if recipe.kind == "neighbours":
            return _measures(search()[0].measures(recipe.origin, values))
        names = [axis.parameter for axis in recipe.axes]
        by_name = {name: list(map(float, v)) for name, v in zip(names, values, strict=True)}
        found = support_vector_measures(
            data.train, data.test, data.is_target, by_name["nu"], by_name["c"]
        )
        return _measures(found if names[0] == "nu" else found.swapaxes(0, 1))

    parts = []
    for recipe in recipes:
        found: dict[str, Any] = {"status": "undefined", "error": data.undefined, "seconds": 0.0}
        if failure is not None:
            found = failure | {"seconds": np.nan}
        elif not data.undefined:
            with contained(unit.seed_of(recipe)) as outcome:
                search_seconds = search()[1] if recipe.kind == "neighbours" else 0.0
                started = time.perf_counter()
                found = measured(recipe)
                found["seconds"] = search_seconds + time.perf_counter() - started
            if outcome.reason is not None:
                found = {"status": "failed", "error": outcome.reason, "seconds": np.nan}
        parts.append(_frame(unit, recipe, found))
    return pd.concat(parts, ignore_index=True)


def _measures(found: Matrix) -> dict[str, Any]:
    """Return columns from an array whose last axis is AUROC and average precision."""
    return {"auroc": found[..., 0].ravel(), "average_precision": found[..., 1].ravel()}


def _frame(unit: Unit, recipe: SweepRecipe, found: dict[str, Any]) -> pd.DataFrame:
    """Make a row for every combination of values, with the last parameter varying fastest."""
    written = [
        [f"{json.dumps(axis.parameter)}: {json.dumps(value)}" for value in values]
        for axis, values in zip(recipe.axes, recipe.distinct_values(unit.task), strict=True)
    ]
    texts = ["{" + ", ".join(parts) + "}" for parts in itertools.product(*written)]
    return pd.DataFrame({**row_header(unit, recipe), "parameters": texts, **found})


def _refit(unit: Unit, recipe: SweepRecipe, values: list[list[Value]]) -> dict[str, Any]:
    """Refit for every combination of values; a failed fit is recorded with its reason."""
    data, seed = fold_data(unit), unit.seed_of(recipe)
    measures, errors = [], []
    for combination in itertools.product(*values):
        point = dict(zip([axis.parameter for axis in recipe.axes], combination, strict=True))
        found: tuple[float | None, float | None] = (None, None)
        with contained(seed) as outcome:
            estimator = make_estimator(recipe, seed, n=unit.task.n, parameters=point)
            scores, *_ = fit_and_score(estimator, data.train, data.test)
            found = data.measures(recipe, scores)
        measures.append(found)
        errors.append(outcome.reason)
    status = ["ok" if error is None else "failed" for error in errors]
    return {**_measures(np.array(measures, dtype=float)), "status": status, "error": errors}


class NeighbourSweep:
    """AUROC and average precision of neighbour-based descriptors on one fold for many sizes.

    The test part has at least one row of each kind; `largest` is less than the number of training
    rows. Memory is bounded by a few matrices of rows × largest size.
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
        self._measures = Measures(is_target)

    def measures(self, descriptor: str, sizes: Sequence[Sequence[Any]]) -> Matrix:
        """Return both measures (last axis) for each k, or for each k and l of ALP."""
        return np.asarray(getattr(self, f"_{descriptor.lower()}")(*sizes))

    def _nnd(self, ks: Sequence[int]) -> Matrix:
        scores = 1 / (1 + self._near.distances[:, [k - 1 for k in ks]].T)
        return self._measures(scores)

    def _lnnd(self, ks: Sequence[int]) -> Matrix:
        from occstats_descriptors.neighbours import ratio

        found = np.empty((len(ks), 2))
        for place, k in enumerate(ks):
            local = self._training.distances[self._near.indices[:, k - 1], k - 1]
            found[place] = self._measures(ratio(local, self._near.distances[:, k - 1])[None])[0]
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
        return self._measures(scores[[k - 1 for k in ks]])

    def _alp(self, ks: Sequence[int], ls: Sequence[int]) -> Matrix:
        scales = max(ks)
        near, training = _scaled(self._near.first(scales), self._training.first(scales))
        sums, double_sums = np.zeros(near.shape), np.zeros(near.shape)
        scores = np.empty(near.shape[::-1])
        rows = np.array(ks) - 1
        all_rows = len(rows) == scales
        columns = {l: place for place, l in enumerate(ls)}  # noqa: E741 - the paper's name
        found = np.empty((len(ks), len(ls), 2))
        for l in range(1, max(ls) + 1):  # noqa: E741
            advance_sums(
                np.ascontiguousarray(self._near.indices[:, l - 1]), training, sums, double_sums
            )
            if l in columns:
                localised_proximities(near, double_sums, 2 / (l * (l + 1)), scores)
                found[:, columns[l]] = self._measures(scores if all_rows else scores[rows])
        return found


def _scaled(near: Any, training: Any) -> tuple[Matrix, Matrix]:
    """Scale both kinds of distances so that their sums stay finite; ratios do not change."""
    largest = max(near.distances.max(), training.distances.max())
    scale = 2.0**-40 if largest > 2.0**980 else 1.0
    return (
        np.ascontiguousarray(near.distances) * scale,
        np.ascontiguousarray(training.distances) * scale,
    )


def support_vector_measures(
    train: Matrix,
    test: Matrix,
    is_target: NDArray[np.bool_],
    nus: Sequence[float],
    widths: Sequence[float],
) -> Matrix:
    """Return AUROC and average precision (last axis) of SVM for each ν and kernel width c.

    Distances are computed once, the problem for each ν starts from the solution for the previous
    one, and the test rows are scored for all ν in one product. Solutions agree with those of the
    descriptor to the solver's tolerance. With more than 36,000 distinct training rows and long
    grids, every fifth value of both is solved and the others are interpolated by a cubic spline.
    """
    from occstats_descriptors.svm_grid import SupportVectorGrid

    measures = Measures(is_target, of_distances=False)
    with warnings.catch_warnings():
        # Without convergence the best solution found is used, as in a fit.
        warnings.filterwarnings("ignore", message="The one-class support vector problem")
        grid = SupportVectorGrid(train, test)
        coarse = grid.n_distinct > MOST_DISTINCT and all(
            len(values) > 3 * COARSE_STEP and list(values) == sorted(values)
            for values in (nus, widths)
        )
        some_nus, some_widths = (
            [*values[:-1:COARSE_STEP], values[-1]] if coarse else values for values in (nus, widths)
        )
        found = np.empty((len(some_nus), len(some_widths), 2))
        for place, width in enumerate(some_widths):
            found[:, place] = measures(grid.scores(some_nus, width).T)
    if not coarse:
        return found
    from scipy.interpolate import RectBivariateSpline

    splines = [RectBivariateSpline(some_nus, some_widths, found[..., i]) for i in range(2)]
    between = np.stack([spline(nus, widths) for spline in splines], axis=-1)
    return np.asarray(np.clip(between, 0.0, 1.0))


# --- compiled kernels


@compiled
def reachability_sums(near_d: Array, near_i: Array, training_d: Array, out: Array) -> None:
    """Sum the reachability distances of each row to its k neighbours, for every k (columns)."""
    largest = near_d.shape[1]
    for row in range(near_d.shape[0]):
        sums = out[row]
        sums[:] = 0.0
        for i in range(largest):
            distance = near_d[row, i]
            reach = training_d[near_i[row, i]]
            for k in range(i, largest):
                sums[k] += distance if distance > reach[k] else reach[k]


@compiled
def local_factors(own: Array, near_i: Array, training: Array, out: Array) -> None:
    """Score rows by their local outlier factor for every k (rows of `out`).

    `own` and `training` are the sums of reachability distances of the rows and of the training
    rows; both sums of a ratio have as many terms.
    """
    largest = own.shape[1]
    factors = np.empty(largest)
    for row in range(own.shape[0]):
        factors[:] = 0.0
        mine = own[row]
        for j in range(largest):
            theirs = training[near_i[row, j]]
            for k in range(j, largest):
                ratio = mine[k] / theirs[k]
                factors[k] += 1.0 if np.isnan(ratio) else ratio
        for k in range(largest):
            out[k, row] = 1.0 / (1.0 + factors[k] / (k + 1))


@compiled
def advance_sums(indices: Array, training_d: Array, sums: Array, double_sums: Array) -> None:
    """Add one more neighbour to the sums and the sums of sums of each row.

    After l neighbours the double sum at scale i is (l + 1 − j) d_i(NN_j) summed over j ≤ l: the
    local distance with linear weights, up to a constant factor.
    """
    largest = sums.shape[1]
    for row in range(len(indices)):
        distances = training_d[indices[row]]
        for i in range(largest):
            sums[row, i] += distances[i]
            double_sums[row, i] += sums[row, i]


# Sums may be reordered, which allows vector instructions.
@partial(compiled, fastmath={"reassoc", "nsz"})
def localised_proximities(near_d: Array, double_sums: Array, scale: float, out: Array) -> None:
    """Compute the average localised proximity for every k (rows of `out`) and one l.

    With linear weights the ordered weighted average has the numerator Σ_{i≤j≤k} max(lp_i, lp_j):
    the r-th largest proximity is the larger one in k + 1 − r of the pairs. Each further scale adds
    its maxima with all earlier ones, so that no sorting is needed.
    """
    largest = near_d.shape[1]
    proximities = np.empty(largest)
    for row in range(near_d.shape[0]):
        for i in range(largest):
            local = double_sums[row, i] * scale
            distance = near_d[row, i]
            total = local + distance
            proximities[i] = local / total if total > 0.0 else 0.5
        numerator = 0.0
        for k in range(largest):
            newest = proximities[k]
            added = newest
            for i in range(k):
                other = proximities[i]
                added += other if other > newest else newest
            numerator += added
            out[k, row] = numerator / ((k + 1) * (k + 2) / 2)


# Scores per block, which should fit into the cache.
BLOCK = 1 << 18


class Measures:
    """AUROC and average precision of many score vectors on the rows of one test part.

    Scores of distances are rounded to 12 significant digits, as in `auroc`. The last bit of each
    double is replaced by the label, so that sorting integers orders the scores together with the
    labels. `is_target` has a row of each kind.

    Examples
    --------
    >>> measures = Measures(np.array([True, True, False, False]))
    >>> measures(np.array([[0.9, 0.1 + 0.2, 0.3, 0.1], [0.1, 0.2, 0.3, 0.4]])).round(3).tolist()
    [[0.875, 0.833], [0.0, 0.417]]
    """

    def __init__(self, is_target: NDArray[np.bool_], *, of_distances: bool = True) -> None:
        self._of_distances = of_distances
        self._labels = is_target.astype(np.int64)
        self._positives = int(is_target.sum())

    def __call__(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return AUROC and average precision of each row of a matrix of non-negative scores."""
        found = np.empty((len(scores), 2))
        step = max(1, BLOCK // len(self._labels))
        for start in range(0, len(scores), step):
            values = np.array(scores[start : start + step], dtype=np.float64, order="C")
            if self._of_distances:
                round_to_twelve_digits(values.reshape(-1))
            keys = values.view(np.int64)
            keys &= ~1
            keys |= self._labels
            keys.sort(axis=1)
            measure_ordered(keys, self._positives, found[start : start + step])
        return found


@compiled
def round_to_twelve_digits(values: NDArray[Any]) -> None:
    """Round to 12 significant digits in place; zero stays zero."""
    for position in range(len(values)):
        value = values[position]
        if value > 0.0:
            scale = 1e11
            while value * scale < 1e11 and scale < 1e300:
                scale *= 10.0
            values[position] = np.rint(value * scale) / scale
        else:
            values[position] = 0.0


@compiled
def measure_ordered(keys: NDArray[Any], positives: int, out: NDArray[Any]) -> None:
    """Write AUROC, with ties as one half, and average precision of rows in increasing order."""
    n = keys.shape[1]
    negatives = n - positives
    for row in range(len(keys)):
        lower_targets = 0
        lower_others = 0
        pairs = 0
        precisions = 0.0
        position = 0
        while position < n:
            score = keys[row, position] >> 1
            targets = 0
            others = 0
            while position < n and keys[row, position] >> 1 == score:
                label = keys[row, position] & 1
                targets += label
                others += 1 - label
                position += 1
            pairs += targets * (2 * lower_others + others)
            above = positives - lower_targets
            precisions += targets * (above / (above + negatives - lower_others))
            lower_targets += targets
            lower_others += others
        out[row, 0] = pairs / (2.0 * positives * negatives)
        out[row, 1] = precisions / positives
