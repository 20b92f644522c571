"""From a results table to its long form and to a file, which appears whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from occstats.errors import OutputError
from occstats.results.aliases import ALIASES, GENERIC, normalise
from occstats.results.names import quote, show_path

if TYPE_CHECKING:
    from occstats.results.table import Results

__all__ = ["long_form", "write"]


def long_form(results: Results) -> pd.DataFrame:
    """Give one row per task and algorithm, or per fold where there are folds."""
    n_tasks, n_algorithms = results.scores.shape
    folds = results.fold_scores
    if folds is None or set(folds.columns.get_level_values(0)) != set(results.algorithms):
        rows = np.repeat(np.arange(n_tasks), n_algorithms)
        columns = {"descriptor": np.tile(results.scores.columns.to_numpy(object), n_tasks)}
        score = results.scores.to_numpy().ravel()
        status = None
    else:
        rows, columns, score, status = _fold_rows(results, folds)
    index = results.scores.index
    frame = pd.DataFrame(
        {
            "dataset": index.get_level_values(0).to_numpy(object)[rows],
            "class": index.get_level_values(1).to_numpy(object)[rows],
            **columns,
        }
    )
    known = normalise(results.score_name)
    if known in ALIASES["score"] and known not in GENERIC:
        frame[results.score_name] = score
    else:
        frame["score"] = score
        if known not in GENERIC:
            frame["metric"] = results.score_name
    if status is not None:
        frame["status"] = status
    for name in results.traits.columns:
        frame[name] = results.traits[name].to_numpy()[rows]
    return frame


def _fold_rows(
    results: Results, folds: pd.DataFrame
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, np.ndarray | None]:
    values = folds.to_numpy()
    algorithm = results.scores.columns.get_indexer(folds.columns.get_level_values(0))
    absent = np.isnan(results.scores.to_numpy())[:, algorithm]
    fold_names = folds.columns.get_level_values(1).to_numpy(object)
    # A fold that a task has for some algorithm is written for all, so that gaps stay visible.
    used = (
        pd.DataFrame(~np.isnan(values)).T.groupby(fold_names).transform("any").T.to_numpy(copy=True)
    )
    used |= absent & ~used.any(axis=1, keepdims=True)
    rows, column = np.nonzero(used)
    score = values[rows, column]
    status = None
    if np.isnan(score).any():
        status = np.where(
            np.isnan(score), np.where(absent[rows, column], "failed", "undefined"), "ok"
        )
    columns = {
        "descriptor": folds.columns.get_level_values(0).to_numpy(object)[column],
        "fold": fold_names[column],
    }
    return rows, columns, score, status


def _write_parquet(frame: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, path, compression="zstd", write_page_checksum=True)


def _write_csv(frame: pd.DataFrame, path: Path, separator: str = ",") -> None:
    text = frame.select_dtypes(exclude="number")
    # pandas does not see that a lone carriage return ends a line to other readers.
    returns = any(text[name].str.contains("\r", regex=False).any() for name in text)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    frame.to_csv(path, index=False, sep=separator, quoting=quoting)


def _write_json(frame: pd.DataFrame, path: Path) -> None:
    columns = [
        frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame
    ]
    with path.open("w", encoding="utf-8") as stream:
        for values in zip(*columns, strict=True):
            record = dict(zip(frame.columns, values, strict=True))
            stream.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".parquet": _write_parquet,
    ".feather": lambda frame, path: frame.to_feather(path),
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
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=target.suffix)
        os.close(handle)
        writer(long_form(results), Path(temporary))
        with open(temporary, "rb") as stream:
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OutputError(
            f"{show_path(target)}: cannot be written ({error.strerror or error}); what was there is"
            " untouched"
        ) from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
