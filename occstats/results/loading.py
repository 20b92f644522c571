"""From any number of sources to one results table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.aliases import is_loss
from occstats.results.bundled import bundled_content, bundled_names
from occstats.results.cells import gather
from occstats.results.columns import Roles, find_roles, require
from occstats.results.delimited import read_delimited
from occstats.results.joining import ON_CLASH, join
from occstats.results.names import look_alikes, quote, quote_list
from occstats.results.raw import RawTable, from_frame
from occstats.results.reading import read_path
from occstats.results.safety import Limits
from occstats.results.shaping import UNEQUAL_FOLDS, shape
from occstats.results.table import Results

__all__ = ["Source", "load_results"]

Source = str | PathLike[str] | pd.DataFrame | Results


@dataclass(frozen=True)
class _Options:
    """What the user said about the sources."""

    columns: Mapping[str, str | None]
    algorithm_columns: list[str] | None
    traits: Sequence[str] | None
    metric: str | None
    score_name: str | None
    lower_is_better: bool | None
    unequal_folds: str
    decimal: str
    scale: float
    limits: Limits


def load_results(
    *sources: Source,
    cluster: str | None = None,
    task: str | None = None,
    algorithm: str | Sequence[str] | None = None,
    score: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    status: str | None = None,
    traits: Sequence[str] | None = None,
    metric: str | None = None,
    score_name: str | None = None,
    lower_is_better: bool | None = None,
    on_clash: str = "refuse",
    unequal_folds: str = "missing",
    decimal: str = ".",
    scale: float = 1.0,
    max_rows: int = Limits.rows,
) -> Results:
    """Load results of one or more sources into one table, joined by task.

    Parameters
    ----------
    *sources : path, name of bundled results, DataFrame or Results
        A Parquet file, a directory of Parquet shards, CSV or TSV (any usual delimiter, also
        gzipped), Feather, JSON lines; ``"lenz2021"``; a frame. In long form a row is the score of
        an algorithm on a task (and fold); in wide form a row is a task, and the algorithms are
        columns.
    cluster, task, algorithm, score, fold, repeat, status : str, optional
        The columns of the data set, the task in it, the algorithm, its score, the fold, the
        repeat or seed, and whether the row succeeded. Usual names are found by themselves. With
        several sources a name is used where it is present. ``algorithm`` may also be a list: the
        columns of a wide table that are algorithms.
    traits : sequence of str, optional
        Columns with properties of the tasks besides ``n``, ``m`` and ``sparsity``.
    metric : str, optional
        Where a column names the metric of each row: the one to keep.
    score_name : str, optional
        What the scores measure, where the column does not say it.
    lower_is_better : bool, optional
        Whether a lower score is better. If not given, higher is, and a score that is known as a
        loss (``rmse``, ``log_loss``) has to be decided.
    on_clash : {"refuse", "rename"}
        What to do if two sources have an algorithm of the same name.
    unequal_folds : {"missing", "common", "own"}
        If an algorithm lacks folds that others have on the same task: count the cell as missing,
        average the folds that all have, or average the folds that each has.
    decimal : str, default "."
        The decimal mark in text files.
    scale : float, default 1.0
        A factor for the scores: 0.01 turns per cent into fractions.
    max_rows : int
        The most rows that are read, checked before anything is unpacked.

    Returns
    -------
    Results
        The table. Missing cells are NaN; see :meth:`Results.resolve_missing`.

    Raises
    ------
    ResultsError
        If a source cannot be read or understood; the message names file, column, row and remedy.

    Notes
    -----
    The score of a cell is the mean over its folds, of the mean over repeats within a fold. A row
    whose status says that it failed, or whose score is not a number, makes its cell missing. A row
    with the status ``undefined`` (the measure does not exist there, as AUROC in a test part of one
    class) is passed over if other folds of the cell have a score.

    Examples
    --------
    >>> from occstats import load_results
    >>> load_results("lenz2021").algorithms
    ['NND', 'LNND', 'LOF', 'MD', 'SVM', 'IF', 'EIF', 'SAE', 'ALP']

    One's own method against published results, here on two tasks:

    >>> import pandas as pd
    >>> mine = pd.DataFrame(
    ...     {
    ...         "dataset": ["wine", "wine", "wine"],
    ...         "class": ["1", "2", "3"],
    ...         "model": ["mine", "mine", "mine"],
    ...         "auc": [0.99, 0.95, 1.0],
    ...     }
    ... )
    >>> both = load_results("lenz2021", mine)
    >>> both.resolve_missing("complete").scores[["ALP", "mine"]]
                     ALP  mine
    dataset class
    wine    1      0.996  0.99
            2      0.940  0.95
            3      0.997  1.00
    """
    if not sources:
        raise ResultsError(
            "sources: none given; name a results file, or bundled results such as 'lenz2021'"
        )
    _check_choice("on_clash", on_clash, ON_CLASH)
    _check_choice("unequal_folds", unequal_folds, UNEQUAL_FOLDS)
    if not (isinstance(scale, (int, float)) and math.isfinite(scale) and scale > 0):
        raise ResultsError(f"scale: must be a positive number, got {quote(scale)}")
    if decimal not in {".", ","}:
        raise ResultsError(f"decimal: must be '.' or ',', got {quote(decimal)}")
    named = {
        "cluster": cluster,
        "task": task,
        "algorithm": algorithm if isinstance(algorithm, str) else None,
        "score": score,
        "fold": fold,
        "repeat": repeat,
        "status": status,
    }
    options = _Options(
        columns=named,
        algorithm_columns=None if algorithm is None or isinstance(algorithm, str) else [*algorithm],
        traits=[traits] if isinstance(traits, str) else traits,
        metric=metric,
        score_name=score_name,
        lower_is_better=lower_is_better,
        unequal_folds=unequal_folds,
        decimal=decimal,
        scale=scale,
        limits=Limits(rows=max_rows),
    )
    opened = [_open(source, options.limits, number) for number, source in enumerate(sources, 1)]
    _check_asked([item for item in opened if isinstance(item, RawTable)], options)
    tables = [item if isinstance(item, Results) else _table(item, options) for item in opened]
    joined = join(tables, on_clash)
    return replace(joined, notes=(*joined.notes, *_look_alike_notes(joined)))


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ResultsError(f"{name}: {quote(value)} is not one of {', '.join(map(quote, choices))}")


def _open(source: Source, limits: Limits, number: int) -> RawTable | Results:
    """Open a source; bundled results come back as a finished table."""
    if isinstance(source, Results):
        return source
    if isinstance(source, pd.DataFrame):
        return from_frame(source, "frame" if number == 1 else f"frame {number}")
    try:
        path = fspath(source)
    except TypeError:
        raise ResultsError(
            f"sources: {quote(type(source).__name__)} cannot be read; give a path, a bundled"
            " name, a DataFrame or Results"
        ) from None
    if isinstance(source, str) and source in bundled_names():
        content, score_name = bundled_content(source)
        raw = read_delimited(content, source, limits)
        roles = find_roles(raw.columns, {}, None, raw.name)
        return shape(gather(raw, roles, score_name=score_name), raw)
    if not path:
        raise ResultsError("sources: the path is empty; name a results file or 'lenz2021'")
    return read_path(Path(path), limits)


def _check_asked(tables: Sequence[RawTable], options: _Options) -> None:
    """Refuse a column that was asked for and that no source has."""
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = ", ".join(table.name for table in tables) or "sources"
    asked = [(role, name) for role, name in options.columns.items() if name is not None]
    asked += [("algorithm", name) for name in options.algorithm_columns or ()]
    asked += [("trait", name) for name in options.traits or ()]
    for role, name in asked:
        require(columns, name, role, where)


def _table(raw: RawTable, options: _Options) -> Results:
    present = set(raw.columns)
    asked = {role: name for role, name in options.columns.items() if name in present}
    traits = [name for name in options.traits or () if name in present]
    chosen = [name for name in options.algorithm_columns or () if name in present] or None
    roles = _roles(raw, asked, traits, chosen)
    cells = gather(
        raw,
        roles,
        algorithm_columns=chosen,
        metric=options.metric,
        score_name=options.score_name,
        decimal=options.decimal,
        scale=options.scale,
        default_algorithm=Path(raw.name.strip("'\"")).name.split(".")[0] or "results",
    )
    lower = options.lower_is_better
    if lower is None and is_loss(cells.score_name):
        raise ResultsError(
            f"{raw.name}: the score {quote(cells.score_name)} is known as a loss; say whether lower"
            " is better with lower_is_better=True (or False)"
        )
    return shape(cells, raw, unequal_folds=options.unequal_folds, higher_is_better=not lower)


def _roles(
    raw: RawTable,
    asked: Mapping[str, str],
    traits: Sequence[str],
    algorithm_columns: Sequence[str] | None,
) -> Roles:
    if algorithm_columns is None:
        return find_roles(raw.columns, asked, traits, raw.name)
    others = [column for column in raw.columns if column not in algorithm_columns]
    found = find_roles(others, {r: n for r, n in asked.items() if r != "score"}, traits, raw.name)
    return replace(found, algorithm=None, score=None, status=None, metric=None, wide=True)


def _look_alike_notes(results: Results) -> list[str]:
    """Warn of names that only look the same; they stay different."""
    index = results.scores.index
    kinds: list[tuple[str, list[tuple[str, ...]]]] = [
        ("algorithms", look_alikes(results.algorithms)),
        ("data sets", look_alikes(index.get_level_values(0).unique())),
    ]
    tasks: Any = pd.Series(index.get_level_values(1)).groupby(index.get_level_values(0))
    in_cluster = [group for _, names in tasks for group in look_alikes(names)]
    kinds.append(("tasks", in_cluster))
    return [
        f"Names of {kind} that differ only by case, blanks, Unicode form or number style count as"
        f" different: {'; '.join(quote_list(group) for group in groups[:5])}"
        f"{f' and {len(groups) - 5} more' if len(groups) > 5 else ''}."
        for kind, groups in kinds
        if groups
    ]
