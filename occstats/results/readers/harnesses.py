"""Read files of benchmark programs, and find readers of plug-ins.

A plug-in is a package with an entry point in the group ``occstats.readers`` that refers to a
:class:`Reader`, which can then be chosen by name with ``reader``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

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
        # Loaded on use: listing must not run foreign code.
        read = partial(_read_plug_in, point)
        found[point.name] = Reader(point.name, f"the plug-in {point.value}", read)
    return found


def _read_plug_in(point: EntryPoint, paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    try:
        loaded = point.load()
    except Exception as error:
        raise ResultsError(
            f"reader: {quote(point.name)} of {point.value} cannot be loaded ({reason_of(error)})"
        ) from error
    return list(loaded.read(paths, limits))


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
    adapted = (reader.adapt(raw) for reader in _TABULAR if reader.adapt is not None)
    return next((table for table in adapted if table is not None), raw)


def _read_tables(
    name: str,
    adapt: Callable[[RawTable], RawTable | None],
    paths: Sequence[Path],
    limits: Limits,
) -> Iterable[RawTable]:
    """Read one table of the program per file."""
    from occstats.results.readers import read_path

    for raw in (raw for path in paths for raw in read_path(path, limits)):
        adapted = adapt(raw)
        if adapted is None:
            raise ResultsError(
                f"{raw.name}: missing columns expected by {name}; found {quote_list(raw.columns)}"
            )
        yield adapted


def _automlbenchmark(raw: RawTable) -> RawTable | None:
    """Adapt ``results.csv``: the result of a framework on a fold of a task; higher is better."""
    if not {"framework", "task", "fold", "result"} <= set(raw.columns):
        return None
    score = "score" if "score" in raw.columns else "result"
    negated = _losses_are_negated(raw, score)
    if negated is False:
        return None
    roles = {"dataset": "task", "algorithm": "framework", "fold": "fold"}
    suggested = {**roles, "score": score, "score_name": score}
    if "constraint" in raw.columns and raw.frame["constraint"].nunique() > 1:
        names = zip(raw.row_names("framework"), raw.row_names("constraint"), strict=True)
        raw = raw.add({"framework, constraint": [f"{name} ({limit})" for name, limit in names]})
        suggested["algorithm"] = "framework, constraint"
    if negated is None:
        return replace(raw, suggested=suggested)
    note = (
        f"{raw.name}: results of automlbenchmark, in which higher is better (losses are negated)"
        " and measures differ between types of tasks, so mean scores are hard to interpret."
    )
    told = suggested | {"lower_is_better": False}
    return replace(raw, suggested=told, mixed=True, notes=[*raw.notes, note])


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
    named = normalise(first).rstrip(":") in {"resamples", "folds"}
    if not named or len(others) < 2 or not all(name.strip().isdigit() for name in others):
        return None
    long = raw.frame[[first, *others]].melt(first, var_name="resample", value_name="score")
    suggested = {"dataset": "dataset", "fold": "resample", "score": "score", "algorithm": FILE}
    measured = measure_of_file(raw.stem)
    if measured is not None:
        suggested["score_name"] = measured
    return from_frame(long.rename(columns={first: "dataset"}), raw.name, suggested=suggested)


# Measure that begins the third line of a file of predictions, by the number of cells of the line:
# regression and forecasting; otherwise, it is the accuracy of a classifier or clusterer.
_TSML_MEASURES = {8: "mse", 5: "mape"}


def _tsml_predictions(paths: Sequence[Path], limits: Limits) -> Iterable[RawTable]:
    """Read tables of resamples, or ``Estimator/Predictions/Dataset/testResample0.csv``."""
    files = [f for p in paths for f in (sorted(p.rglob("testRes*.csv")) if p.is_dir() else [p])]
    limits.check("sources", rows=len(files))
    records = []
    for path in files:
        with path.open(encoding="utf-8", errors="replace") as stream:
            head, _, summary = [stream.readline().rstrip("\n").split(",") for _ in range(3)]
        if not path.name.lower().startswith("testres") or len(head) < 4:
            yield from _read_tables("tsml (Resamples:, 0, 1, …)", _tsml, [path], limits)
            continue
        try:
            value = float(summary[0])
        except ValueError:
            value = -1.0
        if value < 0:  # −1 means not computed
            raise ResultsError(f"{show_path(path)}: the third line does not begin with the score")
        metric = _TSML_MEASURES.get(len(summary), "accuracy")
        records.append((head[0], head[1], head[3], metric, value))
    if records:
        names = ["dataset", "estimator", "resample", "metric", "value"]
        yield from_frame(pd.DataFrame(records, columns=names), show_path(paths[0]))


def _benchopt(raw: RawTable) -> RawTable | None:
    """Adapt convergence curves: keep the last point of each run of a solver on a dataset."""
    names = set(raw.columns)
    dataset = next((name for name in ("dataset_name", "data_name") if name in names), "")
    value = "objective_value" if "objective_value" in names else "objective_test_loss"
    if not {"solver_name", "stop_val", "objective_name", dataset, value} <= names:
        return None
    roles = {"dataset": dataset, "task": "objective_name", "algorithm": "solver_name"}
    if "idx_rep" in names:
        roles["repeat"] = "idx_rep"
    stop = pd.to_numeric(raw.frame["stop_val"], errors="coerce").argsort(kind="stable")
    ordered = raw.frame[list(roles.values())].iloc[stop]
    last = ordered.index[~ordered.duplicated(keep="last")]
    note = f"{raw.name}: convergence curves of benchopt; only the last point of each run counts."
    kept = raw.keep(raw.frame.index.isin(last))
    told = roles | {"score": value, "lower_is_better": True}
    return replace(kept, suggested=told, notes=[*raw.notes, note])


def _openml(raw: RawTable) -> RawTable | None:
    """Adapt evaluations as returned by ``openml.evaluations.list_evaluations``."""
    if not {"run_id", "task_id", "flow_name", "data_name", "function", "value"} <= set(raw.columns):
        return None
    roles = {"dataset": "data_name", "task": "task_id", "algorithm": "flow_name"}
    told = roles | {"score": "value", "repeat": "run_id"}
    return replace(raw.add({"metric": raw.frame["function"].to_numpy()}), suggested=told)


_TABULAR = (
    Reader("tsml", "results of tsml and aeon", _tsml_predictions, _tsml),
    *(
        Reader(name, sentence, partial(_read_tables, name, adapt), adapt)
        for name, sentence, adapt in (
            ("automlbenchmark", "results.csv of automlbenchmark", _automlbenchmark),
            ("benchopt", "Parquet files of benchopt", _benchopt),
            ("openml", "evaluations of OpenML", _openml),
        )
    ),
)
