"""From a results table to its long form and to a file, which appears whole or not at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from occstats._files import write_file, write_parquet
from occstats.errors import OutputError
from occstats.results.aliases import ALIASES, GENERIC, normalise
from occstats.results.names import quote, show_path
from occstats.results.table import CLUSTER, TASK, Results

__all__ = ["long_form", "write"]


def long_form(results: Results) -> pd.DataFrame:
    """Give one row per task and algorithm, or per fold, under the names of the user's columns."""
    n_tasks, n_algorithms = results.scores.shape
    folds = results.fold_scores
    failed, recorded = _failures(results)
    if folds is None or set(folds.columns.get_level_values(0)) != set(results.algorithms):
        rows = np.repeat(np.arange(n_tasks), n_algorithms)
        columns = {"algorithm": np.tile(results.scores.columns.to_numpy(object), n_tasks)}
        score = np.where(failed, np.nan, results.scores.to_numpy()).ravel()
        status = None
        if recorded.any():
            absent = np.where(recorded.ravel(), "failed", "missing")
            status = np.where(np.isnan(score), absent, "ok")
    else:
        rows, columns, score, status = _fold_rows(results, folds, failed, recorded)
    named = results.column_names
    index = results.scores.index
    cluster, task = (index.get_level_values(level).to_numpy(object) for level in (0, 1))
    frame = pd.DataFrame(index=range(len(rows)))

    def add(name: str, values: Any) -> None:
        while name in frame:  # a user's column may be called as one of ours
            name += "_"
        frame[name] = values

    if results.suites is not None:
        suite = np.array([results.suites[name] for name in cluster], dtype=object)
        add(named.get("suite", "suite"), suite[rows])
    alike = bool((cluster == task).all())
    if "cluster" in named or not (alike and "task" in named):
        add(named.get("cluster", CLUSTER), cluster[rows])
    if "task" in named or not (alike and "cluster" in named):
        add(named.get("task", TASK), task[rows])
    for role, values in columns.items():
        add(named.get(role, role), values)
    known = normalise(results.score_name)
    says_what = known in ALIASES["score"] and known not in GENERIC
    column = named.get("score", results.score_name if says_what else "score")
    add(column, score)
    if normalise(column) in GENERIC and known not in GENERIC:
        add(named.get("metric", "metric"), results.score_name)
    if status is not None:
        add(named.get("status", "status"), status)
    for name in results.traits.columns:
        add(named.get(f"trait {name}", name), results.traits[name].to_numpy()[rows])
    return frame


def _failures(results: Results) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells whose score only represents a failure, and all cells that failed."""
    masks = [
        np.zeros(results.scores.shape, dtype=bool) if mask is None else mask.to_numpy(dtype=bool)
        for mask in (results.failed, results.recorded_failures)
    ]
    return masks[0], masks[0] | masks[1]


def _fold_rows(
    results: Results, folds: pd.DataFrame, failed: np.ndarray, recorded: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, np.ndarray | None]:
    values = folds.to_numpy()
    algorithm = results.scores.columns.get_indexer(folds.columns.get_level_values(0))
    absent = (np.isnan(results.scores.to_numpy()) | failed)[:, algorithm]
    without = np.where(recorded[:, algorithm], "failed", "missing")
    names = [
        folds.columns.get_level_values(level).to_numpy(object)
        for level in range(folds.columns.nlevels)
    ]
    runs = pd.DataFrame(dict(enumerate(names[1:])))  # the fold, and its repeat if there is one
    run = runs.groupby(list(runs.columns), sort=False).ngroup().to_numpy()
    # A fold that a task has for some algorithm is written for all, so that gaps stay visible.
    used = pd.DataFrame(~np.isnan(values)).T.groupby(run).transform("any").T.to_numpy(copy=True)
    used |= absent & ~used.any(axis=1, keepdims=True)
    rows, column = np.nonzero(used)
    score = values[rows, column]
    status = None
    if np.isnan(score).any():
        status = np.where(
            np.isnan(score),
            np.where(absent[rows, column], without[rows, column], "undefined"),
            "ok",
        )
    roles = zip(("algorithm", "fold", "repeat"), names, strict=False)
    columns = {role: labels[column] for role, labels in roles}
    return rows, columns, score, status


def _write_csv(frame: pd.DataFrame, path: Path, separator: str = ",") -> None:
    text = frame.select_dtypes(exclude="number")
    # pandas does not see that a lone carriage return ends a line to other readers.
    returns = any(text[name].str.contains("\r", regex=False).any() for name in text)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    write_file(path, frame.to_csv(index=False, sep=separator, quoting=quoting))


def _write_json(frame: pd.DataFrame, path: Path) -> None:
    columns = [
        frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame
    ]
    records = (dict(zip(frame.columns, row, strict=True)) for row in zip(*columns, strict=True))
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    write_file(path, "".join(f"{line}\n" for line in lines))


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    ".parquet": write_parquet,
    ".feather": lambda frame, path: write_file(path, frame.to_feather),
    ".csv": _write_csv,
    ".tsv": lambda frame, path: _write_csv(frame, path, "\t"),
    ".jsonl": _write_json,
}


def write(results: Results, path: str | os.PathLike[str]) -> None:
    """Write the long form in the format of the ending."""
    target = Path(path)
    writer = _WRITERS.get(target.suffix.lower())
    if writer is None:
        raise OutputError(
            f"{show_path(target)}: the ending {quote(target.suffix)} is not known; choose one of"
            f" {', '.join(_WRITERS)}"
        )
    writer(long_form(results), target)
