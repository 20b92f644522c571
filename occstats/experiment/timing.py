"""Measure construction and query times over growing training sets, as in the paper."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats._checks import check_integer, check_number
from occstats.errors import DataError
from occstats.experiment.estimators import (
    Descriptors,
    Recipe,
    fit_and_score,
    make_estimator,
    make_recipes,
)
from occstats.experiment.isolation import contained
from occstats.experiment.tasks import scale_by_interquartile_range
from occstats.progress import track

SIZES = tuple(2**power for power in range(6, 14))
N_SAMPLES = 5
N_QUERIES = 1024
COLUMNS = (
    "descriptor", "n", "m", "repetition", "n_queries", "fit_seconds", "query_seconds", "status",
    "error",
)  # fmt: skip
TIMES = ("fit_seconds", "query_seconds")
# As many as the higgs dataset has.
GENERATED_ATTRIBUTES = 28
# Samples are drawn from the first rows of a file; higgs has eleven million.
MOST_ROWS = 1_000_000
# Generated rows per row of the largest sample, so that samples differ.
POOL_FACTOR = 4


class RowPool(NamedTuple):
    """Named rows from which samples are drawn."""

    rows: NDArray[np.float64]
    name: str


def generated_rows(n: int, n_attributes: int = GENERATED_ATTRIBUTES, seed: int = 0) -> RowPool:
    """Generate rows of a mixture of Gaussian clouds of different sizes and shapes."""
    generator = np.random.default_rng(seed)
    n_rows, n_clouds = POOL_FACTOR * n, 8
    centres = 4 * generator.normal(size=(n_clouds, n_attributes))
    shapes = generator.normal(size=(n_clouds, n_attributes, n_attributes)) / np.sqrt(n_attributes)
    cloud = generator.integers(n_clouds, size=n_rows)
    rows = generator.normal(size=(n_rows, n_attributes))
    for number in range(n_clouds):
        rows[cloud == number] = rows[cloud == number] @ shapes[number] + centres[number]
    return RowPool(rows, "generated")


def rows_of_file(path: str | Path, *, label: str | None = None) -> RowPool:
    """Read the numeric attributes of a ``.csv``, ``.csv.gz`` or ``.parquet`` file.

    `label` is a column to exclude, such as the class; columns without a header are numbered from 0.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"data: no such file: {str(path)!r}")
    try:
        frame = _read(path)
    except (ValueError, OSError, UnicodeError, EOFError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"data: cannot read {str(path)!r}: {reason}") from error
    frame.columns = frame.columns.map(str)
    if label is not None:
        if label not in frame.columns:
            columns = ", ".join(frame.columns[:12])
            raise DataError(f"data: {str(path)!r} has no column {label!r}; it has {columns}")
        frame = frame.drop(columns=label)
    numbers = frame.select_dtypes("number").dropna()
    if not numbers.shape[1] or not len(numbers):
        raise DataError(f"data: {str(path)!r} has no rows of numbers")
    return RowPool(np.ascontiguousarray(numbers, dtype=np.float64), path.name)


def _read(path: Path) -> pd.DataFrame:
    name = path.name.lower()
    if name.endswith(".parquet"):
        return pd.read_parquet(path).head(MOST_ROWS)
    if not name.endswith((".csv", ".csv.gz")):
        raise ValueError("expected .csv, .csv.gz or .parquet")
    first = pd.read_csv(path, header=None, nrows=1)
    all_numbers = first.shape[1] == first.select_dtypes("number").shape[1]
    return pd.read_csv(path, header=None if all_numbers else 0, nrows=MOST_ROWS)


def measure_times(
    data: RowPool | None = None,
    *,
    descriptors: Descriptors | None = None,
    sizes: Sequence[int] = SIZES,
    n_samples: int = N_SAMPLES,
    n_queries: int = N_QUERIES,
    limit: float | None = 60.0,
    seed: int = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Measure the seconds that descriptors take for construction and for scoring queries.

    All descriptors get the same samples and run on one thread. CPU time is measured, so that other
    work on the machine does not count, after a warm-up that excludes imports and compilation.

    Parameters
    ----------
    data
        Rows to draw from; generated ones by default.
    descriptors
        Names among the nine, or import paths; all nine by default.
    sizes
        Numbers of training rows; the paper's figure has powers of two.
    n_samples
        Number of samples of each size.
    n_queries
        Number of further rows, which are scored in one call.
    limit
        A descriptor that takes more seconds than this on a sample is not measured on larger ones;
        None for no limit.
    seed
        Seed of the samples, and of the descriptors that are random.
    progress
        Show a progress bar; by default on a terminal or in a notebook.

    Returns
    -------
    DataFrame
        One row per descriptor, size and sample: ``descriptor, n, m, repetition, n_queries,
        fit_seconds, query_seconds, status, error``; ``query_seconds`` is the time of all
        queries together. The status is ``ok``, ``failed`` (with the error) or ``skipped``.

    Examples
    --------
    >>> table = measure_times(descriptors=["NND"], sizes=[64], n_samples=1, n_queries=8)
    >>> table[["descriptor", "n", "m", "n_queries", "status"]].values.tolist()
    [['NND', 64, 28, 8, 'ok']]
    """
    recipes = make_recipes(descriptors)
    ordered = sorted(set(sizes))
    check_integer("sizes", ordered[0] if ordered else 0, least=5)
    check_integer("n_samples", n_samples)
    check_integer("n_queries", n_queries)
    if limit is not None:
        check_number("limit", limit, above=0)
    needed = ordered[-1] + n_queries
    pool = data if data is not None else generated_rows(needed, seed=seed)
    if len(pool.rows) < needed:
        raise DataError(
            f"{pool.name}: has {len(pool.rows):,} rows; {ordered[-1]:,} training rows and "
            f"{n_queries:,} queries need {needed:,}: choose smaller sizes, or fewer queries"
        )
    # Every descriptor compiles and imports what it needs for few and for many pairs of rows.
    for size, number in ((64, 8), (1024, max(64, n_queries))):
        rows = pool.rows[: min(size, ordered[-1])]
        for recipe in recipes:
            _times(recipe, rows, pool.rows[:number], seed)
    steps = [(n, repetition) for n in ordered for repetition in range(n_samples)]
    slow: dict[str, int] = {}
    measured = []
    for n, repetition in track(steps, "time", total=len(steps), progress=progress):
        generator = np.random.default_rng([seed, n, repetition])
        drawn = pool.rows[generator.choice(len(pool.rows), size=n + n_queries, replace=False)]
        train, queries = scale_by_interquartile_range(drawn[:n], drawn[n:])
        for recipe in recipes:
            found: dict[str, Any] = {"status": "skipped", "error": None}
            if n <= slow.get(recipe.name, n):
                found = _times(recipe, train, queries, seed)
            if limit is not None and sum(found.get(each, 0.0) for each in TIMES) > limit:
                slow.setdefault(recipe.name, n)
            identity = (recipe.name, n, train.shape[1], repetition, n_queries)
            measured.append(dict(zip(COLUMNS, identity, strict=False)) | found)
    return pd.DataFrame(measured, columns=list(COLUMNS)).astype(dict.fromkeys(TIMES, float))


def _times(
    recipe: Recipe, train: NDArray[np.float64], queries: NDArray[np.float64], seed: int
) -> dict[str, Any]:
    seconds: list[float] = []
    with contained(seed) as outcome:
        estimator = make_estimator(recipe, seed)
        _, *seconds = fit_and_score(estimator, train, queries, clock=time.process_time)
    if outcome.reason is not None:
        return {"status": "failed", "error": outcome.reason}
    return {**dict(zip(TIMES, seconds, strict=True)), "status": "ok", "error": None}
