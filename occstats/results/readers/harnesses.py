"""Read files of benchmark programs, and find readers of plug-ins.

A plug-in is a package with an entry point in the group ``occstats.readers`` that refers to a
:class:`Reader`, which can then be chosen by name with ``reader``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import did_you_mean, quote, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.aliases import is_index, lower_is_better, measure_of_file, normalise
from occstats.results.cells import reason_of
from occstats.results.readers.frames import FILE, RawTable, from_frame
from occstats.results.readers.limits import Limits

__all__ = ["GROUP", "Reader", "find_reader", "readers", "recognise"]

GROUP = "occstats.readers"


@dataclass(frozen=True)
class Reader:
    """Reader of the files of a program.

    Attributes
    ----------
    name : str
        Name of the reader.
    sentence : str
        What it reads, in a few words.
    read : callable
        Function ``read(paths, limits)`` from files or folders to raw tables. A frame in long form
        becomes one by :func:`occstats.results.readers.frames.from_frame`, whose
        ``suggested`` gives the roles of columns.
    adapt : callable, optional
        Function that adds suggestions to a table read as CSV or Parquet, or returns None if it is
        not of this program; so files are recognised without naming the reader.
    """

    name: str
    sentence: str
    read: Callable[[Sequence[Path], Limits], Iterable[RawTable]]
    adapt: Callable[[RawTable], RawTable | None] | None = None


def readers() -> dict[str, Reader]:
    """Return the readers by name: those built in, and those of plug-ins, which take precedence.

    Examples
    --------
    >>> sorted(readers())[:3]
    ['automlbenchmark', 'benchopt', 'helm']
    """
    from occstats.results.readers.language_models import READERS

    found = {reader.name: reader for reader in (*_TABULAR, *READERS)}
    for point in entry_points(group=GROUP):
        found[point.name] = _plug_in(point)
    return found


def _plug_in(point: EntryPoint) -> Reader:
    """Return a reader that loads the plug-in on use: listing must not run foreign code."""

    def read(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
        try:
            loaded = point.load()
        except Exception as error:
            raise ResultsError(
                f"reader: {quote(point.name)} of {point.value} cannot be loaded"
                f" ({reason_of(error)})"
            ) from error
        return list(loaded.read(paths, limits))

    return Reader(point.name, f"the plug-in {point.value}", read)


def find_reader(name: str) -> Reader:
    """Return the reader of this name, or raise an error that lists the names."""
    known = readers()
    if name not in known:
        raise ResultsError(
            f"reader: {quote(name)} is not known{did_you_mean(name, known)}; choose one of"
            f" {', '.join(sorted(known))}"
        )
    return known[name]


def recognise(raw: RawTable) -> RawTable:
    """Apply the reader of the program whose columns a table has, if any."""
    for reader in _TABULAR:
        adapted = reader.adapt(raw) if reader.adapt is not None else None
        if adapted is not None:
            return adapted
    return raw


def _tables(name: str, adapt: Callable[[RawTable], RawTable | None]) -> Any:
    """Return a function that reads one table of the program per file."""

    def read(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
        from occstats.results.readers import read_path

        for raw in (raw for path in paths for raw in read_path(path, limits)):
            adapted = adapt(raw)
            if adapted is None:
                raise ResultsError(
                    f"{raw.name}: missing columns expected by {name}; found"
                    f" {quote_list(raw.columns)}"
                )
            yield adapted

    return read


def _automlbenchmark(raw: RawTable) -> RawTable | None:
    """Adapt ``results.csv``: the result of a framework on a fold of a task; higher is better."""
    if not {"framework", "task", "fold", "result"} <= set(raw.columns):
        return None
    score = "score" if "score" in raw.columns else "result"
    negated = _losses_are_negated(raw, score)
    if negated is False:
        return None
    suggested: dict[str, Any] = {
        "dataset": "task",
        "algorithm": "framework",
        "fold": "fold",
        "score": score,
        "score_name": score,
    }
    if "constraint" in raw.columns and raw.frame["constraint"].nunique() > 1:
        named = raw.frame["framework"].astype(str) + " (" + raw.frame["constraint"].astype(str)
        raw = raw.add({"framework, constraint": named + ")"})
        suggested["algorithm"] = "framework, constraint"
    if negated is None:
        return replace(raw, suggested=suggested)
    note = (
        f"{raw.name}: results of automlbenchmark, in which higher is better (losses are negated)"
        " and measures differ between types of tasks, so mean scores are hard to interpret."
    )
    suggested["lower_is_better"] = False
    return replace(raw, suggested=suggested, mixed=True, notes=[*raw.notes, note])


def _losses_are_negated(raw: RawTable, score: str) -> bool | None:
    """Return True if the file shows that higher is better, False if not, None if it is unclear.

    Losses that are not negated cannot be compared with other scores.
    """

    def numbers(name: str) -> npt.NDArray[np.float64]:
        return pd.to_numeric(raw.frame[name], errors="coerce").to_numpy(float)

    values = numbers(score)
    losses = [name for name in ("logloss", "rmse", "mae") if name in raw.columns]
    named = raw.frame["metric"].astype(str) if "metric" in raw.columns else None
    positive = set() if named is None else set(named[values > 0])
    if any(map(lower_is_better, positive)) or any(
        ((values > 0) & (values == numbers(name))).any() for name in losses
    ):
        return False
    if (values < 0).any():
        return True
    if named is not None:
        return all(lower_is_better(name) is False for name in named.unique()) or None
    copies = [values == numbers(name) for name in ("auc", "acc") if name in raw.columns]
    known = ~np.isnan(values)
    return (bool(copies) and bool(np.any(copies, axis=0)[known].all())) or None


def _tsml(raw: RawTable) -> RawTable | None:
    """Adapt a file of one classifier, with datasets in rows and resamples in columns."""
    first, *others = [name for name in raw.columns if not is_index(name)] or [""]
    numbered = [name.strip() for name in others]
    if normalise(first).rstrip(":") not in {"resamples", "folds"} or len(others) < 2:
        return None
    if not all(name.isdigit() for name in numbered):
        return None
    frame = raw.frame[[first, *others]]
    long = frame.melt(id_vars=[first], var_name="resample", value_name="score")
    long = long.rename(columns={first: "dataset"})
    made = from_frame(long, raw.name)
    suggested = {"dataset": "dataset", "fold": "resample", "score": "score", "algorithm": FILE}
    measured = measure_of_file(raw.stem)
    if measured is not None:
        suggested["score_name"] = measured
    return replace(made, suggested=suggested)


# Measure that begins the third line of a file of predictions, by the number of cells of the line:
# regression and forecasting; otherwise, it is the accuracy of a classifier or clusterer.
_TSML_MEASURES = {8: "mse", 5: "mape"}


def _tsml_predictions(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    """Read tables of resamples, or ``Estimator/Predictions/Dataset/testResample0.csv``."""
    from occstats.results.readers import read_path

    files = [f for p in paths for f in (sorted(p.rglob("testRes*.csv")) if p.is_dir() else [p])]
    limits.check_rows(len(files), "sources")
    records = []
    for path in files:
        with path.open(encoding="utf-8", errors="replace") as stream:
            lines = [stream.readline() for _ in range(3)]
        head = lines[0].rstrip("\n").split(",")
        if not path.name.lower().startswith("testres") or len(head) < 4:
            adapted = _tsml(read_path(path, limits)[0])
            if adapted is None:
                raise ResultsError(
                    f"{show_path(path)}: is not a result of tsml or aeon: neither a table of"
                    " resamples (Resamples:,0,1,…) nor a file testResample0.csv"
                )
            yield adapted
            continue
        summary = lines[2].split(",")
        metric = _TSML_MEASURES.get(len(summary), "accuracy")
        try:
            value = float(summary[0])
        except ValueError:
            value = -1.0
        if value < 0:  # −1 means not computed
            raise ResultsError(f"{show_path(path)}: the third line does not begin with the score")
        records.append((head[0], head[1], head[3], metric, value))
    if records:
        frame = pd.DataFrame(
            records, columns=["dataset", "estimator", "resample", "metric", "value"]
        )
        yield from_frame(frame, show_path(paths[0]))


def _benchopt(raw: RawTable) -> RawTable | None:
    """Adapt convergence curves: keep the last point of each run of a solver on a dataset."""
    names = set(raw.columns)
    dataset = next((name for name in ("dataset_name", "data_name") if name in names), None)
    if not {"solver_name", "stop_val", "objective_name"} <= names or dataset is None:
        return None
    value = "objective_value" if "objective_value" in names else "objective_test_loss"
    if value not in names:
        return None
    repeat = [name for name in ("idx_rep",) if name in names]
    keys = [dataset, "objective_name", "solver_name", *repeat]
    frame = raw.frame[[*keys, "stop_val", value]]
    stop = pd.to_numeric(frame["stop_val"], errors="coerce").to_numpy(float)
    order = np.argsort(stop, kind="stable")
    last = frame.iloc[order].reset_index().drop_duplicates(keys, keep="last")["index"]
    keep = np.zeros(len(frame), dtype=bool)
    keep[last.to_numpy()] = True
    suggested: dict[str, Any] = {
        "dataset": dataset,
        "task": "objective_name",
        "algorithm": "solver_name",
        "score": value,
        "lower_is_better": True,
    }
    if repeat:
        suggested["repeat"] = repeat[0]
    note = f"{raw.name}: convergence curves of benchopt; only the last point of each run counts."
    return replace(raw.keep(keep), suggested=suggested, notes=[*raw.notes, note])


def _openml(raw: RawTable) -> RawTable | None:
    """Adapt evaluations as returned by ``openml.evaluations.list_evaluations``."""
    if not {"run_id", "task_id", "flow_name", "data_name", "function", "value"} <= set(raw.columns):
        return None
    suggested: dict[str, Any] = {
        "dataset": "data_name",
        "task": "task_id",
        "algorithm": "flow_name",
        "score": "value",
        "repeat": "run_id",
    }
    return replace(raw.add({"metric": raw.frame["function"]}), suggested=suggested)


_TABULAR = (
    Reader(
        "automlbenchmark",
        "results.csv of automlbenchmark",
        _tables("automlbenchmark", _automlbenchmark),
        _automlbenchmark,
    ),
    Reader("tsml", "results of tsml and aeon", _tsml_predictions, _tsml),
    Reader("benchopt", "Parquet files of benchopt", _tables("benchopt", _benchopt), _benchopt),
    Reader("openml", "evaluations of OpenML", _tables("OpenML", _openml), _openml),
)
