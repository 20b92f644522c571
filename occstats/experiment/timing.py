"""Construction and query times of descriptors over growing training sets, as in the paper."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.errors import DataError
from occstats.experiment.folds import scale_by_interquartile_range
from occstats.experiment.recipes import Recipe, make_recipes
from occstats.experiment.timing_data import RowPool, generated_rows
from occstats.progress import track

__all__ = ["COLUMNS", "SIZES", "measure_times"]

SIZES = tuple(2**power for power in range(6, 14))
N_SAMPLES = 5
N_QUERIES = 1024
COLUMNS = (
    "descriptor", "n", "m", "repetition", "n_queries", "fit_seconds", "query_seconds", "status",
    "error",
)  # fmt: skip
# Enough rows to make every descriptor compile and import what it will need, also for large sets.
WARM_UP_ROWS = (64, 1024)


def measure_times(
    data: RowPool | None = None,
    *,
    descriptors: Iterable[str | Recipe] | None = None,
    sizes: Sequence[int] = SIZES,
    n_samples: int = N_SAMPLES,
    n_queries: int = N_QUERIES,
    limit: float | None = 60.0,
    seed: int = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Measure the seconds that descriptors take to be constructed and to score queries.

    Every descriptor gets the same samples and runs on one thread; the seconds are those of the
    processor, so that other work on the machine does not count. A descriptor runs before it is
    measured, so that neither imports nor compilation count.

    Parameters
    ----------
    data
        Rows to draw from; generated ones by default.
    descriptors
        Names among the nine, or import paths; all nine by default.
    sizes
        Numbers of training rows; the paper's figure has powers of two.
    n_samples
        How many samples are drawn of each size.
    n_queries
        How many further rows are scored, all at once.
    limit
        A descriptor that needs more seconds than this for a sample is not measured on larger ones;
        None for no limit.
    seed
        Seed of the samples, and of the descriptors that are random.
    progress
        Show a progress bar; by default where somebody watches.

    Returns
    -------
    DataFrame
        One row per descriptor, size and sample: ``descriptor, n, m, repetition, n_queries,
        fit_seconds, query_seconds, status, error``; ``query_seconds`` is the time of all queries
        together. The status is ``ok``, ``failed`` (with the error) or ``skipped`` (too slow).

    Examples
    --------
    >>> table = measure_times(descriptors=["NND"], sizes=[64], n_samples=1, n_queries=8)
    >>> table[["descriptor", "n", "m", "n_queries", "status"]].values.tolist()
    [['NND', 64, 28, 8, 'ok']]
    """
    recipes = make_recipes(descriptors)
    ordered = _checked(sizes, n_samples, n_queries, limit)
    pool = data if data is not None else generated_rows(ordered[-1] + n_queries, seed=seed)
    needed = ordered[-1] + n_queries
    if len(pool.rows) < needed:
        raise DataError(
            f"{pool.name}: has {len(pool.rows):,} rows; {ordered[-1]:,} training rows and "
            f"{n_queries:,} queries need {needed:,}: choose smaller sizes"
        )
    steps = [(n, repetition) for n in ordered for repetition in range(n_samples)]
    rows = list(_measure(pool, recipes, steps, n_queries, limit, seed, progress))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _checked(
    sizes: Sequence[int], n_samples: int, n_queries: int, limit: float | None
) -> list[int]:
    ordered = sorted(set(sizes))
    for name, value, least in (
        ("sizes", ordered[0] if ordered else 0, 5),
        ("samples", n_samples, 1),
        ("queries", n_queries, 1),
    ):
        if value < least:
            raise DataError(f"{name}: at least {least} is needed; got {value}")
    if limit is not None and not limit > 0:
        raise DataError(f"limit: expected a positive number of seconds; got {limit!r}")
    return ordered


def _measure(
    pool: RowPool,
    recipes: Sequence[Recipe],
    steps: Sequence[tuple[int, int]],
    n_queries: int,
    limit: float | None,
    seed: int,
    progress: bool | None,
) -> Iterator[dict[str, Any]]:
    from threadpoolctl import threadpool_limits

    slow: dict[str, int] = {}
    with threadpool_limits(1):
        _warm_up(pool, recipes, steps[-1][0], seed)
        for n, repetition in track(steps, "time", total=len(steps), progress=progress):
            generator = np.random.default_rng([seed, n, repetition])
            sample = pool.sample(n + n_queries, generator)
            train, queries = scale_by_interquartile_range(sample[:n], sample[n:])
            for recipe in recipes:
                row: dict[str, Any] = {
                    "descriptor": recipe.name,
                    "n": n,
                    "m": train.shape[1],
                    "repetition": repetition,
                    "n_queries": n_queries,
                    "fit_seconds": np.nan,
                    "query_seconds": np.nan,
                    "status": "ok",
                    "error": None,
                }
                if n > slow.get(recipe.name, n):
                    yield {**row, "status": "skipped"}
                    continue
                row |= _times(recipe, train, queries, seed)
                if limit is not None and row["fit_seconds"] + row["query_seconds"] > limit:
                    slow.setdefault(recipe.name, n)
                yield row


def _times(
    recipe: Recipe, train: NDArray[np.float64], queries: NDArray[np.float64], seed: int
) -> dict[str, Any]:
    try:
        estimator = _estimator(recipe, seed)
        started = time.process_time()
        estimator.fit(train)
        fitted = time.process_time()
        estimator.score_samples(queries)
        finished = time.process_time()
    except Exception as error:  # the descriptor may be anybody's code
        reason = " ".join(str(error).split())
        return {"status": "failed", "error": f"{type(error).__name__}: {reason}"[:500]}
    return {"fit_seconds": fitted - started, "query_seconds": finished - fitted}


def _estimator(recipe: Recipe, seed: int) -> Any:
    from occstats_descriptors.registry import make

    given = dict(recipe.parameters)
    estimator = make(recipe.origin, **given)
    settled = {"n_jobs": 1, "random_state": seed}
    return estimator.set_params(
        **{
            name: settled[name]
            for name in estimator.get_params(deep=False)
            if name in settled and name not in given
        }
    )


def _warm_up(pool: RowPool, recipes: Sequence[Recipe], largest: int, seed: int) -> None:
    for size in WARM_UP_ROWS:
        rows = pool.rows[: min(size, largest)]
        for recipe in recipes:
            _times(recipe, rows, rows[:8], seed)
