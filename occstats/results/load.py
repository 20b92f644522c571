"""Load results from one or more sources into one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, did_you_mean, quote, quote_list
from occstats.errors import ArgumentError, ResultsError
from occstats.results.aliases import measure
from occstats.results.ask import UnclearTableError, group_pattern
from occstats.results.cells import column_text, look_alikes
from occstats.results.join import join
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
from occstats.results.table import DATASET, TASK, Results

__all__ = ["Source", "bundled_names", "load_by", "load_results"]

Source = str | PathLike[str] | pd.DataFrame | Results | Any
_OPTIONS = frozenset(field.name for field in fields(Reading))


def load_results(
    *sources: Source,
    dataset: str | Sequence[str] | None = None,
    suite: str | None = None,
    task: str | Sequence[str] | None = None,
    algorithm: str | Sequence[str] | None = None,
    algorithms: Sequence[str] = (),
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
        a dataset. By default, a column named dataset or data.
    suite : str, optional
        Column with the suite of a dataset, if datasets are related.
    task : str or sequence of str, optional
        Column with the task within its dataset; several columns are the tasks of a leaderboard. By
        default, a column named task, problem, instance and the like.
    algorithm : str or sequence of str, optional
        Column with the algorithm; the names in several columns are joined with " / ". By default,
        a column named algorithm, model, method and the like.
    algorithms : sequence of str, optional
        Algorithms to keep; in a wide table, their columns.
    score : str, optional
        Column with the score (long form). By default, the only column of numbers, if it is named
        after a known measure.
    fold : str, optional
        Column with the cross-validation fold; scores are averaged over folds. By default fold,
        cv_fold, outer_fold or resample.
    repeat : str, optional
        Column with the repeat or seed; scores are averaged over repeats; ``"@file"`` if the files
        are repeats. By default repeat, seed and the like.
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
        Columns with properties of the tasks. By default n_samples, n_features, n_classes and names
        that begin with #.
    metric : str, optional
        Metric to keep, if a column names the metric of each row.
    score_name : str, optional
        Name of the measure, if the column does not give it.
    lower_is_better : bool, optional
        Orientation of the score. By default known from the name of the measure, otherwise required.
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
    told = {name: value for name, value in locals().items() if name in _OPTIONS}
    told["dataset"] = cluster if dataset is None else dataset
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
    reading = Reading(**told)
    try:
        return _load(sources, reading)
    except MemoryError:
        raise ResultsError(
            "sources: not enough memory; leave out columns and rows that are not needed"
        ) from None


def load_by(
    sources: Sequence[Source], by: str, **options: Any
) -> tuple[Results, npt.NDArray[np.object_]]:
    """Load results, and the value of a column for each task; None where it is empty.

    The column is a trait, of numbers or names, or the suite; `options` are those of `load_results`.
    """
    opening = ("reader", "sheet", "table", "encoding", "header_rows", "max_rows")
    opened = _open_sources(sources, Reading(**{n: options[n] for n in opening if n in options}))
    held = [item for item in opened if isinstance(item, RawTable) and by in item.columns]
    known = [column for item in opened if isinstance(item, RawTable) for column in item.columns]
    if not held or by in {options.get(role) for role in ("suite", "dataset", "cluster")}:
        results = load_results(*opened, **options)
        if by in results.traits:
            numbers = results.traits[by]
            return results, numbers.map("{:.15g}".format).where(numbers.notna(), None).to_numpy(
                object
            )
        if results.suites is not None and by in {"suite", results.column_names.get("suite")}:
            return results, np.array([results.suites[name] for name in results.clusters], object)
        known = list(dict.fromkeys([*known, *map(str, results.traits)]))
        if by in known:
            raise ArgumentError(f"by={by!r} is the dataset; name a trait of the tasks")
        require(known, by, "by", ", ".join(results.sources))
    texts = [column_text(item.frame[by]) for item in held]
    names = list(dict.fromkeys(name for text in texts for name in text if name is not None))
    numbers_of = {name: float(number) for number, name in enumerate(names)} | {None: np.nan}
    coded = {
        id(item): item.add({by: [numbers_of[name] for name in text]})
        for item, text in zip(held, texts, strict=True)
    }
    opened = [coded.get(id(item), item) for item in opened]
    traits = options.pop("traits", ())
    traits = [traits] if isinstance(traits, str) else [*traits]
    try:
        results = load_results(*opened, traits=[*dict.fromkeys([*traits, by])], **options)
    except ResultsError:
        roles = load_results(*sources, traits=traits, **options).column_names
        role = next((role for role, column in roles.items() if column == by), None)
        if role is None:
            raise
        raise ArgumentError(f"by={by!r} is the {role}; name a trait of the tasks") from None
    trait = next((n for n in results.traits if results.column_names.get(f"trait {n}") == by), by)
    if trait not in results.traits:
        raise ArgumentError(f"by={by!r} needs tasks in rows; in this table they are columns")
    codes = results.traits[trait].to_numpy()
    if any(f"the trait {quote(trait)} varies within" in note for note in results.notes):
        raise ArgumentError(
            f"by={by!r} varies within tasks; every row of a task must have one value"
        )
    labels = np.array([None if np.isnan(code) else names[int(code)] for code in codes], object)
    return replace(results, traits=results.traits.drop(columns=trait)), labels


# Bundled results of AUROC; those of our runs have average precision, too. The last is an example
# of a user's own method: scikit-learn's LOF with its defaults on 25 datasets.
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
    if isinstance(source, Results | RawTable):
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
        known = {"score_name": "auroc"}
        if reading.score == "average_precision" and reading.score in raw.columns:
            known = {"score": reading.score}
        return [replace(raw, suggested=known, fixed=True)]
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
        if error.retry and not _works(sources, reading, error.retry):
            error.retry = {}
        raise
    _check_told([item for item in opened if isinstance(item, RawTable)], reading)
    alone = len(opened) == 1
    tables: list[Results] = []
    for item in opened:
        tables.append(
            item if isinstance(item, Results) else _table_beside(tables, item, reading, alone)
        )
    joined = join(tables, reading.on_clash)
    if reading.algorithms:
        joined = joined.select(reading.algorithms)
    return replace(joined, notes=(*joined.notes, *_look_alike_notes(joined)))


def _table_beside(
    tables: Sequence[Results], raw: RawTable, reading: Reading, alone: bool
) -> Results:
    """Read one source; scores without a measure are of the measure of the sources before it."""
    try:
        return _table(raw, reading, alone)
    except UnclearTableError as error:
        if {*error.template} != {"lower_is_better"} or not tables:
            raise
    name = reading.score_name or tables[0].score_name
    lower = not tables[0].higher_is_better
    return _table(raw, replace(reading, score_name=name, lower_is_better=lower), alone)


def _works(sources: Sequence[Source], reading: Reading, retry: Mapping[str, Any]) -> bool:
    """Return True if the sources can be read with further options."""
    try:
        _load(sources, replace(reading, **retry))
    except ResultsError:
        return False
    return True


def _check_told(tables: Sequence[RawTable], reading: Reading) -> None:
    """Refuse a column named by the user that no source has."""
    tables = [table.split_index() for table in tables]
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    where = ", ".join(table.name for table in tables) or "sources"
    told = [(role, name) for role, name in reading.columns.items() if name not in {FILE, ROW}]
    told += [("trait", name) for name in reading.traits]
    told += [("ignore", name) for name in reading.ignore]
    told += [("task", name) for name in reading.task_columns]
    if not isinstance(reading.algorithm, str | None):
        told += [("algorithm", name) for name in reading.algorithm]
    for condition in reading.where:
        parts = condition.split("=")
        heads = ["=".join(parts[:i]) for i in range(1, len(parts))]
        if not any(head in columns or head.removesuffix("!") in columns for head in heads):
            name = heads[0].removesuffix("!") if heads else condition
            raise ResultsError(
                f"where: {quote(condition)} must be COLUMN=VALUE or COLUMN!=VALUE, but no source"
                f" has such a column{did_you_mean(name, columns)}; found {quote_list(columns)}"
            )
    for role, name in told:
        require(columns, name, role, where)


def _table(raw: RawTable, reading: Reading, alone: bool) -> Results:
    """Read one source; an error names options only if they were tried successfully."""
    if raw.fixed:  # bundled
        table = _understand(raw, Reading(**raw.suggested), alone)
        names = {**table.column_names, "algorithm": "descriptor"}  # as a run writes them
        return replace(table, column_names=names, read_as=())
    known = dict(raw.suggested)
    if "cluster" in known:  # as plug-ins may call it
        known["dataset"] = known.pop("cluster")
    reading = reading.suggested(known)
    try:
        return _understand(raw, reading, alone)
    except ResultsError as error:
        if not error.retry:
            raise
        first = error
    try:
        table = _understand(raw, replace(reading, **_merged(vars(reading), first.retry)), alone)
    except UnclearTableError as later:
        problems = [*(getattr(first, "problems", None) or [str(first.problem)]), *later.problems]
        template = {**first.retry, **_merged(first.retry, later.template)}
        raise UnclearTableError(later.raw, problems, template, later.found) from None
    except ResultsError as later:
        raise ResultsError(f"{first.problem} (then: {later})") from None
    if len(table.algorithms) < 2:  # nothing is left to compare
        first.retry = {}
        raise first
    if table.scores.isna().to_numpy().any():
        first.retry = {**first.retry, "missing": "POLICY"}
    raise first


def _merged(given: Mapping[str, Any], retry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options to change; repeatable options are extended."""
    repeated = [name for name in ("traits", "where", "ignore") if isinstance(retry.get(name), list)]
    return {
        **retry,
        **{name: list(dict.fromkeys([*given.get(name, ()), *retry[name]])) for name in repeated},
    }


def _understand(raw: RawTable, reading: Reading, alone: bool) -> Results:
    """Assign roles to the columns, and make the table."""
    raw = raw.split_index()
    for condition in reading.where:
        raw = _kept(raw, condition)
    if raw.n_rows == 0:
        raise ResultsError(
            f"{raw.name}: the table has column names but no rows; the run may have been empty"
        )
    if not isinstance(reading.algorithm, str | None):
        raw, reading = _join_algorithms(raw, reading)
    raw = replace(raw, decimal=reading.decimal, fill_down=reading.fill_down)
    roles = find_roles(raw, reading, alone=alone)
    results = reshape(raw, roles, reading, alone=alone)
    hint, note = _hint(results, raw, roles, reading)
    return replace(
        results,
        read_as=(_read_as(results, roles, raw, reading),),
        dataset_hint=hint,
        notes=(*results.notes, *note),
    )


def _join_algorithms(raw: RawTable, reading: Reading) -> tuple[RawTable, Reading]:
    """Join the names in several columns of algorithms."""
    assert reading.algorithm is not None
    columns = list(dict.fromkeys(reading.algorithm))
    for column in columns:
        require(raw.columns, column, "algorithm", raw.name)
    parts = [raw.row_names(column) for column in columns]
    names = [
        " / ".join(str(part) for part in row if part is not None)
        for row in zip(*parts, strict=True)
    ]
    joined = " / ".join(columns)
    raw = raw.add({joined: pd.Series(names, dtype=object)}, drop=columns)
    return raw, replace(reading, algorithm=joined)


def _hint(
    results: Results, raw: RawTable, roles: Roles, reading: Reading
) -> tuple[dict[str, str], list[str]]:
    """Return the option for a dataset that may have been overlooked, and a note on it."""
    told = {name for name, value in vars(reading).items() if value}
    if results.n_clusters < results.n_tasks or {"dataset_from", "suite"} & told or raw.suggested:
        return {}, []
    task = roles.task or roles.dataset
    if task is not None and roles.across != "task" and task not in {FILE, ROW}:
        for column in roles.unused:
            n_values = len(raw.names(column))
            if (
                1 < n_values < results.n_tasks
                and not raw.is_numeric(column)
                and raw.determines(task, column)
            ):
                return {"dataset": column, "task": task}, [
                    f"{quote(column)} ({n_values:,} values, constant within tasks) is not used. Is"
                    f" it the dataset? try: dataset={quote(column)}, task={quote(task)}."
                ]
    names = [str(name) for name in results.scores.index.unique(1)]
    found = group_pattern(names)
    if found is None:
        return {}, []
    pattern, groups = found
    return {"dataset_from": pattern}, [
        f"The names of the {len(names):,} tasks begin with {len(groups):,} common parts"
        f" ({quote_list(groups, limit=2)}). Are these the datasets? try:"
        f" dataset_from={pattern!r}."
    ]


def _kept(raw: RawTable, condition: str) -> RawTable:
    """Keep the rows with ``column=value`` or ``column!=value``, if the column exists."""
    for cut in (i for i, letter in enumerate(condition) if letter == "="):
        column, value = condition[:cut], condition[cut + 1 :]
        differs = column not in raw.columns and column[-1:] == "!"
        column = column[:-1] if differs else column
        if column in raw.columns:
            codes, found = raw.codes(column)
            if value not in found:
                raise ResultsError(
                    f"{raw.name}, column {quote(column)}: no row has {quote(value)}"
                    f"{did_you_mean(value, found)}; found {quote_list(found)}"
                )
            return raw.keep((codes == list(found).index(value)) != differs)
    return raw


def _read_as(results: Results, roles: Roles, raw: RawTable, reading: Reading) -> str:
    """Return a line with the role of each column, and the columns that are not used."""
    parts = []
    if roles.across == "task":
        parts.append(f"algorithm = {quote(roles.algorithm)} ({len(results.algorithms):,})")
        parts.append(f"tasks = {_span(list(roles.columns))}")
    else:
        if roles.suite is not None:
            parts.append(f"suite = {_column(roles.suite)} ({results.n_suites:,})")
        if roles.dataset is not None and reading.dataset_from is None:
            parts.append(f"dataset = {_column(roles.dataset)} ({results.n_clusters:,})")
        task = roles.task if reading.dataset_from is None else roles.task or roles.dataset
        if task is not None:
            parts.append(f"task = {_column(task)} ({results.n_tasks:,})")
        if roles.across:
            parts.append(f"algorithms = {_span(list(roles.columns))}")
        elif roles.algorithm is not None:
            parts.append(f"algorithm = {_column(roles.algorithm)} ({len(results.algorithms):,})")
    if reading.dataset_from is not None:
        parts.append(f"dataset = {quote(reading.dataset_from)} in task ({results.n_clusters:,})")
    parts += [
        f"{role} = {_column(getattr(roles, role))}"
        for role in ("fold", "repeat", "status")
        if getattr(roles, role) is not None
    ]
    shown = roles.score_name if roles.score is None else quote(roles.score)
    of = "" if roles.score in {None, results.score_name} else f" ({results.score_name})"
    part = " on validation data" if measure(roles.score or roles.score_name)[1] == "val" else ""
    way = "higher" if results.higher_is_better else "lower"
    parts.append(f"score = {shown}{of}{part}, {way} is better")
    traits = [quote(column) for column in roles.traits.values()]
    if traits and roles.across != "task":
        parts.append(f"traits = {', '.join(traits)}")
    left = [*roles.unused, *(c for c in reading.ignore if c in raw.columns)]
    left += roles.traits.values() if roles.across == "task" else ()
    ends = [f"not used: {quote_list(left, limit=8)}"] if left else []
    if raw.unverified:
        ends.append("without a checksum, so that damage may go unnoticed")
    return f"{raw.name} read as: {'; '.join([', '.join(parts), *ends])}"


def _column(name: str) -> str:
    special = {FILE: "the file", ROW: "the row", "": "the unnamed column"}
    return special.get(name) or quote(name)


def _span(names: Sequence[str]) -> str:
    if len(names) < 4:
        return f"{count(len(names), 'column')} ({', '.join(map(quote, names))})"
    return f"{len(names):,} columns ({quote(names[0])} … {quote(names[-1])})"


def _look_alike_notes(results: Results) -> list[str]:
    """Note names that differ only in form and are treated as different."""
    index = results.scores.index
    kinds: list[tuple[str, list[tuple[str, ...]]]] = [
        ("algorithms", look_alikes(results.algorithms)),
        ("datasets", look_alikes(index.unique(0))),
    ]
    if look_alikes(index.unique(1)):
        tasks = index.to_frame(index=False).groupby(DATASET, sort=False)[TASK]
        kinds.append(("tasks", [group for _, names in tasks for group in look_alikes(names)]))
    return [
        f"Names of {kind} that differ only by case, whitespace, Unicode form or number style count"
        f" as different: {'; '.join(quote_list(group) for group in groups[:5])}"
        f"{f' and {len(groups) - 5} more' if len(groups) > 5 else ''}."
        for kind, groups in kinds
        if groups
    ]
