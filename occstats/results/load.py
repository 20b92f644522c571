"""From any number of sources to one results table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.aliases import is_loss
from occstats.results.cells import gather
from occstats.results.join import join
from occstats.results.names import look_alikes, near_names, quote, quote_list
from occstats.results.options import Reading, document, parameters
from occstats.results.readers import read_path
from occstats.results.readers.bundled import bundled_content, bundled_names
from occstats.results.readers.delimited import read_delimited
from occstats.results.readers.raw import RawTable, from_frame
from occstats.results.readers.safety import Limits
from occstats.results.roles import Roles, find_roles, require
from occstats.results.shape import shape
from occstats.results.table import Results

__all__ = ["Source", "load_results"]

Source = str | PathLike[str] | pd.DataFrame | Results


def load_results(*sources: Source, **options: Any) -> Results:
    """Load results of one or more sources into one table, joined by task.

    Parameters
    ----------
    *sources : path, name of bundled results, DataFrame or Results
        A Parquet file, a directory of Parquet shards, CSV or TSV (any usual delimiter, also
        gzipped), Feather, JSON lines; ``"lenz2021"``; a frame. In long form a row is the score of
        an algorithm on a task (and fold); in wide form a row is a task, and the algorithms are
        columns.
    {options}

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
    known = [parameter.name for parameter in parameters()]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TypeError(
            f"load_results() got an unexpected keyword argument {unknown[0]!r}"
            f"{near_names(unknown[0], known)}"
        )
    reading = Reading(**options)
    opened = [
        _open(source, Limits(reading.max_rows), number) for number, source in enumerate(sources, 1)
    ]
    _check_asked([item for item in opened if isinstance(item, RawTable)], reading)
    tables = [item if isinstance(item, Results) else _table(item, reading) for item in opened]
    joined = join(tables, reading.on_clash)
    return replace(joined, notes=(*joined.notes, *_look_alike_notes(joined)))


load_results.__doc__ = (load_results.__doc__ or "").replace("{options}", document())
load_results.__signature__ = signature(load_results).replace(  # type: ignore[attr-defined]
    parameters=[signature(load_results).parameters["sources"], *parameters()]
)


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
        cells = gather(raw, roles, score_name=score_name)
        cells.column_names["algorithm"] = "descriptor"  # as a run writes them
        return shape(cells, raw)
    if not path:
        raise ResultsError("sources: the path is empty; name a results file or 'lenz2021'")
    return read_path(Path(path), limits)


def _check_asked(tables: Sequence[RawTable], reading: Reading) -> None:
    """Refuse a column that was asked for and that no source has."""
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = ", ".join(table.name for table in tables) or "sources"
    asked = [(role, name) for role, name in reading.columns.items()]
    asked += [("algorithm", name) for name in reading.algorithm_columns or ()]
    asked += [("trait", name) for name in reading.traits or ()]
    for role, name in asked:
        require(columns, name, role, where)


def _table(raw: RawTable, reading: Reading) -> Results:
    present = set(raw.columns)
    asked = {role: name for role, name in reading.columns.items() if name in present}
    traits = [name for name in reading.traits or () if name in present]
    chosen = [name for name in reading.algorithm_columns or () if name in present] or None
    roles = _roles(raw, asked, traits, chosen)
    cells = gather(
        raw,
        roles,
        algorithm_columns=chosen,
        metric=reading.metric,
        score_name=reading.score_name,
        decimal=reading.decimal,
        scale=reading.scale,
        default_algorithm=Path(raw.name.strip("'\"")).name.split(".")[0] or "results",
    )
    lower = reading.lower_is_better
    if lower is None and is_loss(cells.score_name):
        raise ResultsError(
            f"{raw.name}: the score {quote(cells.score_name)} is known as a loss; say whether lower"
            " is better with lower_is_better=True (or False)"
        )
    return shape(cells, raw, unequal_folds=reading.unequal_folds, higher_is_better=not lower)


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
