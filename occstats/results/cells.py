"""From a raw table and its roles to one record per cell: who, on what, in which fold, how well."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.aliases import ALIASES, GENERIC, normalise
from occstats.results.names import column_text, quote, quote_list
from occstats.results.numbers import check_range, column_scores, parse_numbers, wide_scores
from occstats.results.readers.raw import RawTable
from occstats.results.roles import Roles

__all__ = ["Cells", "gather"]

Names = npt.NDArray[np.object_]

_OK = frozenset(("ok", "success", "successful", "succeeded", "done", "finished", "completed"))
_UNDEFINED = frozenset(("undefined", "no_auroc", "no_score", "not_defined"))
_SUMMARY_ROWS = frozenset(
    ("average", "mean", "avg", "avg.", "median", "total", "average rank", "mean rank", "avg rank")
)

OK, UNDEFINED, FAILED = 0, 1, 2


@dataclass
class Cells:
    """Parallel arrays, one entry per score; ``row`` is the row of the source it stands in."""

    cluster: Names
    task: Names
    algorithm: Names
    score: npt.NDArray[np.float64]
    state: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]
    fold: Names | None
    repeat: Names | None
    traits: pd.DataFrame
    score_name: str
    notes: list[str] = field(default_factory=list)
    column_names: dict[str, str] = field(default_factory=dict)


def gather(
    raw: RawTable,
    roles: Roles,
    *,
    algorithm_columns: list[str] | None = None,
    metric: str | None = None,
    score_name: str | None = None,
    decimal: str = ".",
    scale: float = 1.0,
    default_algorithm: str = "algorithm",
) -> Cells:
    """Read the needed columns, check every cell, and bring long and wide form to one."""
    if raw.n_rows == 0:
        raise ResultsError(
            f"{raw.name}: the table has column names but no rows; was the run empty?"
        )
    notes: list[str] = []
    renamed = score_name is not None
    others = [c for c in raw.columns if c not in {*roles.keys, *roles.traits.values()}]
    in_rows = [c for c in (roles.score, roles.status, roles.metric) if c is not None]
    wanted = algorithm_columns or (others if roles.wide else [])
    frame = raw.read([*roles.keys, *in_rows, *roles.traits.values(), *wanted])
    rows = np.arange(raw.n_rows)
    if not roles.wide and metric_matters(roles):
        rows, found_name = _one_metric(raw, frame, roles, metric)
        score_name = score_name or found_name
        frame = frame.iloc[rows]
    elif metric is not None:
        raise ResultsError(
            f"{raw.name}: metric={quote(metric)} given, but no column names a metric"
        )
    cluster, task = _task_names(raw, frame, roles, rows, notes)
    fold = None if roles.fold is None else _names(raw, frame, roles.fold, rows)
    repeat = None if roles.repeat is None else _names(raw, frame, roles.repeat, rows)
    traits = _traits(raw, frame, roles, rows, decimal, notes)
    if roles.wide:
        names, values = wide_scores(raw, frame, wanted, rows, decimal, algorithm_columns, notes)
        labels = names
        is_score = len(names) == 1 and normalise(names[0]) in ALIASES["score"]
        if is_score and algorithm_columns is None:
            score_name, labels = score_name or names[0], [default_algorithm]
        score_name = score_name or "score"
        state = np.zeros(values.size, dtype=np.int8)
    else:
        assert roles.score is not None
        labels = [default_algorithm]
        score_name = score_name or roles.score
        state = _states(frame, roles)
        names = [roles.score]
        values = column_scores(raw, frame[roles.score], rows, decimal, counted=state == OK)[:, None]
    check_range(raw, values * scale, rows, score_name, scale, names)
    each = values.shape[1]
    if roles.algorithm is not None:
        algorithm = _names(raw, frame, roles.algorithm, rows)
    else:
        algorithm = np.tile(np.array(labels, dtype=object), len(frame))
    return Cells(
        cluster=np.repeat(cluster, each),
        task=np.repeat(task, each),
        algorithm=algorithm,
        score=values.ravel() * scale,
        state=state,
        row=np.repeat(rows, each),
        fold=None if fold is None else np.repeat(fold, each),
        repeat=None if repeat is None else np.repeat(repeat, each),
        traits=traits.iloc[np.repeat(np.arange(len(frame)), each)].reset_index(drop=True),
        score_name=score_name,
        notes=notes,
        column_names=_column_names(roles, renamed),
    )


def _column_names(roles: Roles, score_renamed: bool) -> dict[str, str]:
    """What the source calls its columns, but for a score that the user has called otherwise."""
    names = {
        role: getattr(roles, role)
        for role in ("cluster", "task", "algorithm", "fold", "status", "metric")
    }
    if not score_renamed:
        names["score"] = roles.score
    names |= {f"trait {name}": column for name, column in roles.traits.items()}
    return {role: name for role, name in names.items() if name is not None}


def metric_matters(roles: Roles) -> bool:
    """Whether the column of metrics says what the scores are: not if their column says it."""
    return roles.metric is not None and normalise(roles.score or "") in GENERIC


def _one_metric(
    raw: RawTable, frame: pd.DataFrame, roles: Roles, metric: str | None
) -> tuple[npt.NDArray[np.int64], str | None]:
    assert roles.metric is not None
    names = column_text(frame[roles.metric])
    found = list(dict.fromkeys(name for name in names if name is not None))
    if metric is not None:
        if metric not in found:
            raise ResultsError(
                f"{raw.name}, column {quote(roles.metric)}: no row has the metric {quote(metric)};"
                f" found {quote_list(found)}"
            )
        return np.flatnonzero(names == metric), metric
    if len(found) > 1:
        raise ResultsError(
            f"{raw.name}, column {quote(roles.metric)}: the scores are of {len(found)} metrics"
            f" ({quote_list(found, limit=6)}), which cannot be compared with each other; keep one"
            f" with metric={quote(found[0])}"
        )
    return np.arange(len(frame)), found[0] if found else None


def _names(raw: RawTable, frame: pd.DataFrame, column: str, rows: npt.NDArray[np.int64]) -> Names:
    names = column_text(frame[column])
    empty = np.flatnonzero(names == None)  # noqa: E711  elementwise
    if len(empty):
        raise ResultsError(
            f"{raw.row(rows[empty[0]])}, column {quote(column)}: no name there"
            f" ({len(empty):,} such rows); write the name (a name such as NA that pandas has made"
            " missing survives with read_csv(keep_default_na=False))"
        )
    return names


def _task_names(
    raw: RawTable,
    frame: pd.DataFrame,
    roles: Roles,
    rows: npt.NDArray[np.int64],
    notes: list[str],
) -> tuple[Names, Names]:
    if roles.cluster is None:
        assert roles.task is not None
        task = _names(raw, frame, roles.task, rows)
        notes.append(
            f"{raw.name}: no column of data sets, so each task ({quote(roles.task)}) counts as a"
            " data set of its own."
        )
        cluster = task
    else:
        cluster = _names(raw, frame, roles.cluster, rows)
        task = cluster if roles.task is None else _names(raw, frame, roles.task, rows)
    odd = [name for name in dict.fromkeys(cluster) if name.strip().casefold() in _SUMMARY_ROWS]
    if odd:
        notes.append(f"{raw.name}: {quote_list(odd)} looks like a summary row, but counts as data.")
    return cluster, task


def _traits(
    raw: RawTable,
    frame: pd.DataFrame,
    roles: Roles,
    rows: npt.NDArray[np.int64],
    decimal: str,
    notes: list[str],
) -> pd.DataFrame:
    traits: dict[str, npt.NDArray[np.float64]] = {}
    for name, column in roles.traits.items():
        numbers = parse_numbers(frame[column], decimal)
        wrong = numbers.wrong | np.isinf(numbers.values)
        if not wrong.any():
            traits[name] = numbers.values
            continue
        first = int(np.flatnonzero(wrong)[0])
        problem = (
            f"{raw.row(rows[first])}, column {quote(column)}: {quote(frame[column].iloc[first])} is"
            " not a finite number"
        )
        if column in roles.asked_traits:
            raise ResultsError(f"{problem}; write the trait as a number or leave the cell empty")
        notes.append(f"{problem}, so this column is not taken as a trait of the tasks.")
    return pd.DataFrame(traits, index=range(len(frame)))


def _states(frame: pd.DataFrame, roles: Roles) -> npt.NDArray[np.int8]:
    """Say of each row whether its score counts, is undefined there, or failed."""
    if roles.status is None:
        return np.zeros(len(frame), dtype=np.int8)
    codes, labels = pd.factorize(column_text(frame[roles.status]), use_na_sentinel=True)
    states = [
        OK if (word := normalise(label)) in _OK else UNDEFINED if word in _UNDEFINED else FAILED
        for label in labels
    ]
    # A row without a status is judged by its score alone.
    return np.array([*states, OK], dtype=np.int8)[codes]
