"""Load results from one or more sources into one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import count, did_you_mean, quote, quote_list
from occstats.errors import ArgumentError, ResultsError
from occstats.results.cells import ParsedTable, column_text, look_alikes
from occstats.results.join import join
from occstats.results.missing import best_policy
from occstats.results.readers import read_path
from occstats.results.readers.delimited import read_delimited
from occstats.results.readers.frames import (
    FILE,
    ROW,
    RawTable,
    frame_of_scores,
    from_arrow,
    from_frame,
)
from occstats.results.readers.harnesses import find_reader, recognise
from occstats.results.readers.limits import Limits, check_exists
from occstats.results.reading import (
    MOST_ROWS,
    Decimal,
    Duplicates,
    OnClash,
    Reading,
    UnequalFolds,
)
from occstats.results.reshape import reshape
from occstats.results.roles import Roles, find_roles, require
from occstats.results.table import Results

__all__ = ["Source", "bundled_names", "load_results"]

Source = str | PathLike[str] | pd.DataFrame | Results | Any

# An error names options that help, which are tried up to this many times.
_MOST_RETRIES = 6


def load_results(
    *sources: Source,
    dataset: str | Sequence[str] | None = None,
    suite: str | None = None,
    task: str | None = None,
    algorithm: str | Sequence[str] | None = None,
    score: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    status: str | None = None,
    transpose: bool = False,
    dataset_from: str | None = None,
    algorithm_from: str | None = None,
    ignore: str | Sequence[str] = (),
    where: str | Sequence[str] = (),
    duplicates: Duplicates = "refuse",
    reader: str | None = None,
    sheet: str | None = None,
    table: int | None = None,
    traits: str | Sequence[str] = (),
    metric: str | None = None,
    score_name: str | None = None,
    lower_is_better: bool | None = None,
    on_clash: OnClash = "refuse",
    unequal_folds: UnequalFolds = "missing",
    encoding: str | None = None,
    header_rows: int = 1,
    fill_down: bool = False,
    decimal: Decimal = ".",
    scale: float = 1.0,
    max_rows: int = MOST_ROWS,
    datasets: Sequence[str] | None = None,
    cluster: str | Sequence[str] | None = None,
    format: None = None,
) -> Results:
    """Load results from one or more sources into one table, joined by task.

    Parameters
    ----------
    *sources : path, name of bundled results, DataFrame, mapping or Results
        A Parquet file, a directory of Parquet shards, CSV or TSV (any usual delimiter, also
        gzipped), Feather, JSON lines; ``"lenz2021"``; a frame. In long form a row is the score of
        an algorithm on a task (and fold); in wide form a row is a task, and the algorithms are
        columns.
    dataset : str, optional
        Column with the dataset of a task; ``"@file"`` uses the file name, ``"@row"`` makes each row
        a dataset. By default found by name (dataset, …).
    suite : str, optional
        Column with the suite of a dataset, if datasets are related.
    task : str, optional
        Column with the task within its dataset. By default found by name (class, task, …).
    algorithm : str or sequence of str, optional
        Column with the algorithm (long form), or the columns of the algorithms (wide form). By
        default found by name (descriptor, algorithm, model, …).
    score : str, optional
        Column with the score (long form). By default found by name (auroc, score, accuracy, …).
    fold : str, optional
        Column with the cross-validation fold; scores are averaged over folds.
    repeat : str, optional
        Column with the repeat or seed; scores are averaged over repeats.
    status : str, optional
        Column with the status of a run; scores of failed runs are missing.
    transpose : bool, default False
        Rows are algorithms and columns are tasks, as in a leaderboard.
    dataset_from : str, optional
        Regular expression for the dataset in the name of a task; its first group, if it has one.
    algorithm_from : str, optional
        Regular expression for the algorithm in the name of a column, file or task.
    ignore : str or sequence of str, optional
        Columns to leave out, such as an average over the others.
    where : str or sequence of str, optional
        Conditions ``"COLUMN=VALUE"`` or ``"COLUMN!=VALUE"`` on the rows to keep.
    duplicates : {'refuse', 'average'}, default 'refuse'
        Treatment of rows with the same dataset, task, algorithm and fold; ``'average'`` treats
        them as repeats.
    reader : str, optional
        Program that wrote the files: ``automlbenchmark``, ``tsml``, ``benchopt``, ``openml``,
        ``lm-eval``, ``inspect``, ``helm``, ``mteb``, or a plug-in. By default detected if
        unambiguous.
    sheet : str, optional
        Sheet of an Excel workbook; needed if there are several.
    table : int, optional
        Number of the table in a file with several tables, counted from 1.
    traits : str or sequence of str, optional
        Columns with traits of the tasks. By default n, m and sparsity, if present.
    metric : str, optional
        Metric to keep, if a column names the metric of each row.
    score_name : str, optional
        Name of the measure, if the column does not give it.
    lower_is_better : bool, optional
        Orientation of the score. By default inferred from its name, otherwise higher is better.
    on_clash : {'refuse', 'rename'}, default 'refuse'
        Treatment of algorithms with the same name in two sources; ``'rename'`` appends the source.
    unequal_folds : {'missing', 'common', 'own'}, default 'missing'
        Score of an algorithm without some of the folds of a task: missing, the mean over the folds
        that all algorithms have, or the mean over its own folds.
    encoding : str, optional
        Encoding of text files, such as ``cp1252``. By default UTF-8, or UTF-16 with a byte-order
        mark.
    header_rows : int, default 1
        Header rows of text files and workbooks; the names of several rows are joined.
    fill_down : bool, default False
        Fill empty names from the row above, as in merged cells.
    decimal : {'.', ','}, default '.'
        Decimal mark of text files.
    scale : float, default 1.0
        Factor to multiply the scores by; 0.01 turns percentages into fractions.
    max_rows : int, default 2,000,000
        Largest number of rows; larger files are refused before they are unpacked.
    datasets : sequence of str, optional
        Dataset of each score, if the scores are given as a mapping by algorithm.
    cluster : str or sequence of str, optional
        Synonym of `dataset`; two columns are the suite and the dataset.
    format : None
        Former name of `reader`; any other value raises an error.

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
    The score of a cell is the mean over folds of the mean over repeats within a fold. A cell is
    missing if a row has a failed status or no numeric score. Rows
    with the status ``undefined`` (the measure does not exist there, as AUROC in a test fold of one
    class) are ignored if other folds of the cell have a score.

    Examples
    --------
    >>> from occstats import load_results
    >>> load_results("lenz2021").algorithms
    ['NND', 'LNND', 'LOF', 'MD', 'SVM', 'IF', 'EIF', 'SAE', 'ALP']

    Compare a new method with published results, here on three tasks:

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
    if format is not None:
        raise ArgumentError(f"format={format!r} was renamed: set reader={format!r}")
    sources = tuple(
        frame_of_scores(source, datasets) if isinstance(source, Mapping | np.ndarray) else source
        for source in sources
    )
    reading = Reading(
        dataset=cluster if dataset is None else dataset,
        suite=suite,
        task=task,
        algorithm=algorithm,
        score=score,
        fold=fold,
        repeat=repeat,
        status=status,
        transpose=transpose,
        dataset_from=dataset_from,
        algorithm_from=algorithm_from,
        ignore=ignore,
        where=where,
        duplicates=duplicates,
        reader=reader,
        sheet=sheet,
        table=table,
        traits=traits,
        metric=metric,
        score_name=score_name,
        lower_is_better=lower_is_better,
        on_clash=on_clash,
        unequal_folds=unequal_folds,
        encoding=encoding,
        header_rows=header_rows,
        fill_down=fill_down,
        decimal=decimal,
        scale=scale,
        max_rows=max_rows,
    )
    try:
        return _load(sources, reading)
    except MemoryError:
        raise ResultsError(
            "sources: not enough memory; leave out columns and rows that are not needed"
        ) from None


# Bundled results, all of AUROC. The last is an example of a user's own method: scikit-learn's LOF
# with its defaults on 25 datasets.
_BUNDLED = ("lenz2021", "reproduction", "reproduction_defaults", "mine")


def bundled_names() -> list[str]:
    """Return the names of the available bundled results.

    >>> "lenz2021" in bundled_names()
    True
    """
    return [name for name in _BUNDLED if _bundled_file(name).is_file()]


def _bundled_file(name: str) -> Traversable:
    return files("occstats") / "data" / f"{name}.csv"


def _open_sources(sources: Sequence[Source], reading: Reading) -> list[RawTable | Results]:
    """Open all sources; files of a named reader are one source together."""
    limits = Limits(reading.max_rows)
    if reading.reader is not None:
        reader = find_reader(reading.reader)
        paths = [Path(source) for source in sources if not _is_held(source)]  # type: ignore[arg-type]
        others = [source for source in sources if _is_held(source)]
        for path in paths:
            check_exists(path)
        opened: list[RawTable | Results] = list(reader.read(paths, limits)) if paths else []
    else:
        opened, others = [], list(sources)
    for number, source in enumerate(others, 1):
        opened += _open(source, reading, limits, number)
    return _labelled(opened)


def _is_held(source: Source) -> bool:
    """Return True for a table in memory or a bundled one, False for a path."""
    return (
        source in bundled_names() if isinstance(source, str) else not isinstance(source, PathLike)
    )


def _open(
    source: Source, reading: Reading, limits: Limits, number: int
) -> Sequence[RawTable | Results]:
    if isinstance(source, Results):
        return [source]
    name = "frame" if number == 1 else f"frame {number}"
    if isinstance(source, pd.DataFrame):
        return [from_frame(source, name)]
    if hasattr(source, "__arrow_c_stream__"):
        return [from_arrow(source, name, limits)]
    try:
        path = fspath(source)
    except TypeError:
        remedy = (
            "pass the result of its .collect()"
            if hasattr(source, "collect")
            else "pass a path, a bundled name, a frame (of pandas, Polars or any exporter of"
            " an Arrow stream) or Results"
        )
        raise ResultsError(
            f"sources: {quote(type(source).__name__)} cannot be read; {remedy}"
        ) from None
    if isinstance(source, str) and source in bundled_names():
        raw = read_delimited(_bundled_file(source).read_bytes(), source, limits)
        return [replace(raw, suggested={"score_name": "auroc"}, fixed=True)]
    if not path:
        raise ResultsError("sources: the path is empty; name a results file or 'lenz2021'")
    return [recognise(raw) for raw in read_path(Path(path), limits, reading)]


def _labelled(opened: list[RawTable | Results]) -> list[RawTable | Results]:
    """Label files by the part of their names in which they differ."""
    tables = [item for item in opened if isinstance(item, RawTable) and not item.fixed]
    if len(tables) < 2:
        return opened

    def common(lists: Sequence[Sequence[str]]) -> int:
        together = takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False))
        return len(list(together))

    words = [re.split(r"([_\s.]+)", table.stem) for table in tables]
    before = common(words)
    after = common([word[before:][::-1] for word in words])
    labels = ["".join(word[before : len(word) - after]).strip("_. ") for word in words]
    labelled = {
        id(table): replace(table, label=label) for table, label in zip(tables, labels, strict=True)
    }
    return [labelled.get(id(item), item) for item in opened]


def _load(sources: Sequence[Source], reading: Reading) -> Results:
    try:
        opened = _open_sources(sources, reading)
    except ResultsError as error:
        if not error.retry:
            raise
        raise _with_more(error, sources, reading) from None
    _check_asked([item for item in opened if isinstance(item, RawTable)], reading)
    tables = [item if isinstance(item, Results) else _table(item, reading) for item in opened]
    joined = join(tables, reading.on_clash)
    return replace(joined, notes=(*joined.notes, *_look_alike_notes(joined)))


def _with_more(error: ResultsError, sources: Sequence[Source], reading: Reading) -> ResultsError:
    """Add the further options that reading the table requires to an error on opening it."""
    proposed = replace(reading, **error.retry)
    if proposed == reading:
        return ResultsError(error.problem)
    try:
        policy = best_policy(_load(sources, proposed))
    except ResultsError as later:
        if not later.retry:
            return ResultsError(f"{error.problem} (then: {later})")
        return ResultsError(error.problem, {**error.retry, **later.retry})
    return ResultsError(error.problem, {**error.retry, **({"missing": policy} if policy else {})})


def _check_asked(tables: Sequence[RawTable], reading: Reading) -> None:
    """Refuse a column named by the user that no source has."""
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = ", ".join(table.name for table in tables) or "sources"
    asked = list(reading.columns.items())
    asked += [("algorithm", name) for name in reading.algorithm_columns or ()]
    asked += [("trait", name) for name in reading.traits]
    indexed = any(table.split_index() is not table for table in tables)
    for condition in reading.where:
        parts = condition.split("=")
        heads = ["=".join(parts[:i]) for i in range(1, len(parts))]
        if not any(head in columns or head.removesuffix("!") in columns for head in heads):
            raise ResultsError(
                f"where: {quote(condition)} must be COLUMN=VALUE or COLUMN!=VALUE, but no"
                f" source has such a column; found {quote_list(columns)}"
            )
    for role, name in asked:
        if name not in {FILE, ROW} and not indexed:
            require(columns, name, role, where)


def _table(raw: RawTable, reading: Reading) -> Results:
    """Read one source, or raise an error with options that were tried successfully."""
    if raw.fixed:  # bundled
        table = _understand(raw, Reading(**raw.suggested))
        names = {**table.column_names, "algorithm": "descriptor"}  # as a run writes them
        return replace(table, column_names=names, read_as=())
    known = dict(raw.suggested)
    if "cluster" in known:  # as plug-ins may call it
        known["dataset"] = known.pop("cluster")
    reading = reading.suggested(known)
    try:
        return _understand(raw, reading)
    except ResultsError as error:
        if not error.retry:
            raise
        problem, retry = error.problem, error.retry
    for _ in range(_MOST_RETRIES):
        try:
            table = _understand(raw, replace(reading, **_merged(vars(reading), retry)))
        except ResultsError as error:
            if not error.retry or error.retry.items() <= retry.items():
                raise ResultsError(f"{problem} (then: {error})") from None
            retry |= _merged(retry, error.retry)
        else:
            if len(table.algorithms) < 2 and "algorithm" in retry:
                raise ResultsError(problem)  # a suggestion must leave something to compare
            policy = best_policy(table)
            raise ResultsError(problem, retry | ({"missing": policy} if policy else {})) from None
    raise ResultsError(problem, retry)


def _merged(given: Mapping[str, Any], retry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options to change; repeatable options are extended."""
    repeated = [name for name in ("traits", "where") if name in retry]
    return {**retry, **{name: [*given.get(name, ()), *retry[name]] for name in repeated}}


def _understand(raw: RawTable, reading: Reading) -> Results:
    """Assign roles to the columns, and make the table."""
    for condition in reading.where:
        raw = _kept(raw, condition)
    split = raw.split_index()
    raw = split if split is raw else _without_empty_rows(split)
    if {FILE, ROW} & set(reading.columns.values()):
        raw = raw.with_origin()
    parsed = ParsedTable(raw, reading.decimal, fill_down=reading.fill_down)
    if raw.n_rows == 0:
        raise ResultsError(
            f"{raw.name}: the table has column names but no rows; the run may have been empty"
        )
    roles = find_roles(parsed, reading)
    results = reshape(parsed, roles, reading)
    return replace(results, read_as=(_read_as(results, roles, raw),))


def _without_empty_rows(raw: RawTable) -> RawTable:
    """Drop rows of an index without scores, which were planned but not run."""
    others = [name for name in raw.columns if name not in raw.index]
    parsed = ParsedTable(raw, ".")
    filled = np.zeros(raw.n_rows, dtype=bool)
    for name in others:
        filled |= ~np.isnan(parsed.numbers(name).values) | parsed.numbers(name).wrong
    if filled.all() or not filled.any():
        return raw
    note = f"{raw.name}: {count((~filled).sum(), 'row')} without any score skipped."
    return replace(raw.keep(filled), notes=[*raw.notes, note])


def _kept(raw: RawTable, condition: str) -> RawTable:
    """Keep the rows with ``column=value`` or ``column!=value``, if the column exists."""
    for cut in (i for i, letter in enumerate(condition) if letter == "="):
        column, value = condition[:cut], condition[cut + 1 :]
        differs = column not in raw.columns and column[-1:] == "!"
        column = column[:-1] if differs else column
        if column in raw.columns:
            names = column_text(raw.read([column])[column])
            if not (names == value).any():
                found = list(dict.fromkeys(name for name in names if name is not None))
                raise ResultsError(
                    f"{raw.name}, column {quote(column)}: no row has {quote(value)}"
                    f"{did_you_mean(value, found)}; found {quote_list(found)}"
                )
            return raw.keep((names == value) != differs)
    return raw


def _read_as(results: Results, roles: Roles, raw: RawTable) -> str:
    """Return a line with the role of each column."""
    parts = []
    if roles.across == "task":
        parts.append(f"algorithm = {quote(roles.algorithm)} ({len(results.algorithms):,})")
        parts.append(f"tasks = {_span(list(roles.columns))}")
    else:
        if roles.suite is not None:
            parts.append(f"suite = {_column(roles.suite)} ({results.n_suites:,})")
        if roles.cluster is not None:
            parts.append(f"dataset = {_column(roles.cluster)} ({results.n_clusters:,})")
        if roles.task is not None:
            parts.append(f"task = {_column(roles.task)} ({results.n_tasks:,})")
        if roles.across:
            parts.append(f"algorithms = {_span(results.algorithms)}")
        elif roles.algorithm is not None:
            parts.append(f"algorithm = {quote(roles.algorithm)} ({len(results.algorithms):,})")
    parts += [
        f"{role} = {quote(getattr(roles, role))}"
        for role in ("fold", "repeat", "status")
        if getattr(roles, role) is not None
    ]
    column = roles.score if roles.score is not None else results.score_name
    of = "" if column == results.score_name else f" ({results.score_name})"
    shown = quote(column) if roles.score is not None else column
    way = "higher" if results.higher_is_better else "lower"
    parts.append(f"score = {shown}{of}, {way} is better")
    traits = [quote(column) for column in roles.traits.values()]
    if traits and roles.across != "task":
        parts.append(f"traits = {', '.join(traits)}")
    numeric = [name for name, why in roles.left_out.items() if why not in {"text", "empty"}]
    text = [name for name, why in roles.left_out.items() if why in {"text", "empty"}]
    left = [
        f"{count(len(names), kind)} left out: {quote_list(names, limit=8)}"
        for names, kind in ((numeric, "numeric column"), (text, "text column"))
        if names
    ]
    if raw.unverified:
        left.append("without a checksum, so that damage may go unnoticed")
    return f"{raw.name} read as: {'; '.join([', '.join(parts), *left])}"


def _column(name: str) -> str:
    return quote(name) if name else "the unnamed column"


def _span(names: Sequence[str]) -> str:
    if len(names) < 4:
        return f"{count(len(names), 'column')} ({', '.join(map(quote, names))})"
    return f"{len(names):,} columns ({quote(names[0])} … {quote(names[-1])})"


def _look_alike_notes(results: Results) -> list[str]:
    """Note names that differ only in form and are treated as different."""
    index = results.scores.index
    kinds: list[tuple[str, list[tuple[str, ...]]]] = [
        ("algorithms", look_alikes(results.algorithms)),
        ("datasets", look_alikes(index.get_level_values(0).unique())),
    ]
    # As objects, because iterating over Arrow text is slow.
    names_of_tasks = pd.Series(index.get_level_values(1).to_numpy(dtype=object), dtype=object)
    if look_alikes(names_of_tasks.unique()):
        tasks: Any = names_of_tasks.groupby(index.get_level_values(0))
        kinds.append(("tasks", [group for _, names in tasks for group in look_alikes(names)]))
    return [
        f"Names of {kind} that differ only by case, whitespace, Unicode form or number style count"
        f" as different: {'; '.join(quote_list(group) for group in groups[:5])}"
        f"{f' and {len(groups) - 5} more' if len(groups) > 5 else ''}."
        for kind, groups in kinds
        if groups
    ]
