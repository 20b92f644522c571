"""Load results from one or more sources into one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain, takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._checks import check_keywords
from occstats._format import count, did_you_mean, quote, quote_list
from occstats.errors import ArgumentError, ResultsError
from occstats.results.aliases import NAMES, is_time, lower_is_better, measure, normalise
from occstats.results.ask import (
    UnclearTableError,
    group_pattern,
    merge_options,
    numbered_columns,
)
from occstats.results.conditions import keep_rows, require_column
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
from occstats.results.readers.harnesses import recognise
from occstats.results.readers.limits import Limits, SeveralTablesError
from occstats.results.reading import MOST_ROWS, OF_SEVERAL, Decimal, Reading
from occstats.results.reshape import reshape
from occstats.results.roles import Roles, find_roles
from occstats.results.table import Results

Source = str | PathLike[str] | pd.DataFrame | Results | Any
# Options that also apply to bundled results, whose columns are known.
_OF_ANY_TABLE = {
    "algorithms", "where", "table", "encoding", "header_rows", "decimal", "max_rows",
}  # fmt: skip


@check_keywords
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
    table: int | str | None = None,
    traits: str | Sequence[str] = (),
    metric: str | None = None,
    score_name: str | None = None,
    lower_is_better: bool | None = None,
    encoding: str | None = None,
    header_rows: int = 1,
    decimal: Decimal = ".",
    max_rows: int = MOST_ROWS,
    datasets: Sequence[str] | None = None,
    cluster: str | Sequence[str] | None = None,
) -> Results:
    """Load results from one or more sources into one table, joined by task.

    Parameters
    ----------
    *sources : path, name of bundled results, DataFrame, mapping, array or Results
        A Parquet file, a directory of Parquet shards, CSV or TSV (any usual delimiter, also
        gzipped), JSON lines; ``"lenz2021"``; a frame; a mapping from algorithms to their
        scores, or an array whose columns are `algorithms`. In long form a row is the score of an
        algorithm on a task (and fold); in wide form a row is a task, and the algorithms are
        columns.
    dataset : str or sequence of str, optional
        Column with the dataset of a task; ``"@file"`` uses the file name, ``"@row"`` makes each row
        a dataset; the names in several columns are joined with " / ". By default, a column named
        dataset or data.
    suite : str, optional
        Column with the suite of a dataset, if datasets are related.
    task : str or sequence of str, optional
        Column with the task within its dataset; ``"@row"`` makes each row a task, if algorithms
        are columns. Several columns of text, or beside a `score`, are joined with " / "; otherwise
        they are the tasks of a leaderboard. By default, a column named task, problem, instance and
        the like.
    algorithm : str or sequence of str, optional
        Column with the algorithm; ``"@file"`` uses the file name; the names in several columns are
        joined with " / ". By default, a column named algorithm, model, method and the like.
    algorithms : sequence of str, optional
        Algorithms to keep; in a wide table, their columns; the names of the columns of an array.
    score : str, optional
        Column with the score (long form). By default, the only column of numbers, if it is named
        after a known measure.
    fold : str, optional
        Column with the cross-validation fold; scores are averaged over folds. By default fold,
        cv_fold, outer_fold or resample.
    repeat : str, optional
        Column with the repeat or seed; scores are averaged over repeats; ``"@file"`` if the files
        are repeats, ``"@row"`` if rows of the same task are. By default repeat, seed and the like.
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
    table : int or str, optional
        Number, counted from 1, or name of the table in a Markdown or JSON file or of the sheet of
        an Excel workbook; needed if there are several.
    traits : str or sequence of str, optional
        Columns with properties of the tasks. By default n_samples, n_features, n_classes and names
        that begin with #.
    metric : str, optional
        Metric to keep, if a column names the metric of each row.
    score_name : str, optional
        Name of the measure, if the column does not give it.
    lower_is_better : bool, optional
        Orientation of the score. By default known from the name of the measure, otherwise required.
    encoding : str, optional
        Encoding of text files, such as ``cp1252``. By default UTF-8, or UTF-16 with a byte-order
        mark.
    header_rows : int, default 1
        Header rows of text files and workbooks; the names of several rows are joined.
    decimal : {'.', ','}, default '.'
        Decimal mark of text files.
    max_rows : int, default 2,000,000
        Largest number of rows; larger files are refused before they are unpacked.
    datasets : sequence of str, optional
        Dataset of each row of a mapping or an array; by default, each row is a separate dataset.
    cluster : str or sequence of str, optional
        Synonym of `dataset`.

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
    sources, reading = _check_call(sources, {n: v for n, v in locals().items() if n != "sources"})
    try:
        return _load(sources, reading)[0]
    except MemoryError:
        raise ResultsError(
            "sources: not enough memory; leave out columns and rows that are not needed"
        ) from None
    except SeveralTablesError as error:
        told = reading.told
        error.templates = [
            {name: blank for name, blank in form.items() if name == "table" or name not in told}
            for form in error.templates
        ]
        raise
    except ResultsError as error:
        if not error.retry:
            raise
        raise _try_options(sources, reading, error) from None


def _check_call(
    sources: Sequence[Source], options: Mapping[str, Any]
) -> tuple[tuple[Source, ...], Reading]:
    """Check the sources and options of a call, and return frames for scores, and the options."""
    given = dict(options)
    cluster, datasets = given.pop("cluster", None), given.pop("datasets", None)
    if not sources:
        raise ResultsError(
            "sources: none given; pass a results file, or bundled results such as 'lenz2021'"
        )
    dataset = given.get("dataset")
    if cluster is not None and dataset not in (None, cluster):
        raise ResultsError(
            f"cluster: {cluster!r} is a synonym of dataset, which is {dataset!r}; pass one of them"
        )
    given["dataset"] = dataset if cluster is None else cluster
    if datasets is not None and not any(isinstance(s, Mapping | np.ndarray) for s in sources):
        raise ResultsError(
            "datasets: gives the datasets of a mapping or an array, but the sources are tables;"
            " name their column with dataset=…"
        )
    frames = tuple(
        frame_of_scores(source, datasets, given.get("algorithms", ()))
        if isinstance(source, Mapping | np.ndarray)
        else source
        for source in sources
    )
    if not isinstance(names := given["dataset"], str | None):
        for source, frame in zip(sources, frames, strict=True):
            if frame is source or not isinstance(frame, pd.DataFrame):
                continue
            if len(names) == len(frame) and not {*names} <= {*frame}:
                raise ResultsError(
                    "dataset: names columns; pass the datasets of the rows as datasets=…"
                )
    return frames, Reading(**given)


def load_by(
    sources: Sequence[Source], by: str, **options: Any
) -> tuple[Results, npt.NDArray[np.object_]]:
    """Load results, and the value of a column for each task; None where it is empty.

    The column is a trait, of numbers or names, or the suite; `options` are those of `load_results`.
    """
    sources, reading = _check_call(sources, options)
    for role, names in NAMES.items():
        if by == getattr(reading, role, None) or (by != reading.suite and normalise(by) in names):
            raise ArgumentError(f"by={by!r} is the {role}; pass a trait of the tasks")
    results, labels = _load(sources, replace(reading, ignore=[*reading.ignore, by]), by)
    if len(labels):
        labels = labels[~labels.index.duplicated()].reindex(results.scores.index)
        return results, labels.where(labels.notna(), None).to_numpy(object)
    if by in results.traits:
        numbers = results.traits[by]
        labels = numbers.map("{:.15g}".format).where(numbers.notna(), None)
        return results, labels.to_numpy(object)
    if results.suites is not None and by in {"suite", results.column_names.get("suite")}:
        return results, np.array([results.suites[name] for name in results.clusters], object)
    raise ArgumentError(f"by={by!r} is not a trait of the tasks; pass another column")


# Bundled results of AUROC; those of our runs have average precision, too. The last is an example
# of a user's own method: scikit-learn's LOF with its defaults on 25 datasets.
_BUNDLED = ("lenz2021", "reproduction", "reproduction_defaults", "mine")
_BUNDLED_SCORES = ("auroc", "average_precision")


def bundled_names() -> list[str]:
    """Return the names of the available bundled results.

    >>> "lenz2021" in bundled_names()
    True
    """
    return [name for name in _BUNDLED if _bundled_file(name).is_file()]


def _bundled_file(name: str) -> Traversable:
    return files("occstats") / "data" / f"{name}.csv"


# -- sources ---------------------------------------------------------------------------------------


def _open_sources(sources: Sequence[Source], reading: Reading) -> list[RawTable | Results]:
    """Open all sources, each with a label if there are several."""
    limits = Limits(reading.max_rows)
    opened: list[RawTable | Results] = []
    for number, source in enumerate(sources, 1):
        name = "frame" if number == 1 else f"frame {number}"
        opened += [
            recognise(item.split_index())
            if isinstance(item, RawTable) and not item.suggested
            else item
            for item in _open(source, reading, limits, name)
        ]
    tables = [item for item in opened if isinstance(item, RawTable) and not item.fixed]
    if len(tables) > 1:
        stems = [table.stem for table in tables]
        if len({*stems}) < len(stems):
            stems = [
                table.name.strip("'\"").removesuffix(Path(table.name).suffix) for table in tables
            ]
        labels = _shorten_names(stems)
        named = {id(t): replace(t, label=name) for t, name in zip(tables, labels, strict=True)}
        opened = [named.get(id(item), item) for item in opened]
    return opened


def _open(
    source: Source, reading: Reading, limits: Limits, name: str
) -> Sequence[RawTable | Results]:
    if isinstance(source, Results | RawTable):
        return [source]
    if isinstance(source, pd.DataFrame):
        return [from_frame(source, name)]
    if hasattr(source, "__arrow_c_stream__"):
        return [from_arrow(source, name, limits)]
    if not isinstance(source, str | PathLike) or isinstance(fspath(source), bytes):
        remedy = "pass a path, a bundled name, a frame (of pandas, Polars or any exporter of an"
        remedy += " Arrow stream) or Results"
        if hasattr(source, "collect"):
            remedy = "pass the result of its .collect()"
        raise ResultsError(f"sources: {quote(type(source).__name__)} cannot be read; {remedy}")
    if isinstance(source, str) and source in bundled_names():
        raw = read_delimited(_bundled_file(source).read_bytes(), source, limits)
        known = {"score": "auroc"} if "auroc" in raw.columns else {"score_name": "auroc"}
        if reading.score == "average_precision" and reading.score in raw.columns:
            known = {"score": reading.score}
        return [replace(raw, suggested=known, fixed=True)]
    if not fspath(source):
        raise ResultsError("sources: the path is empty; name a results file or 'lenz2021'")
    return read_path(Path(source), limits, reading)


def _shorten_names(stems: Sequence[str]) -> list[str]:
    """Return the parts of names in which they differ.

    >>> _shorten_names(["ucr_HC2_acc", "ucr_MR_Hydra_acc"])
    ['HC2', 'MR_Hydra']
    """

    def unshared(lists: Sequence[list[str]]) -> list[list[str]]:
        shared = takewhile(lambda parts: len({*parts}) == 1, zip(*lists, strict=False))
        first = len(list(shared))
        return [parts[first:][::-1] for parts in lists]

    words = unshared(unshared([re.split(r"([_\s./]+)", stem) for stem in stems]))
    return ["".join(word).strip("_. /") for word in words]


def _load(
    sources: Sequence[Source], reading: Reading, by: str | None = None
) -> tuple[Results, pd.Series[Any]]:
    """Return the joined sources, and the names in the column `by` for each task."""
    opened = _open_sources(sources, reading)
    alone = len(opened) == 1
    if alone and isinstance(opened[0], RawTable) and not opened[0].fixed:
        reading = _by_number(opened[0], reading)
    opened = keep_rows(opened, reading, by)
    given = replace(reading, ignore=[column for column in reading.ignore if column != by])
    unused = [n for n in given.told if n not in _OF_ANY_TABLE and getattr(given, n)]
    unused = [n for n in unused if n != "score" or given.score not in _BUNDLED_SCORES]
    if unused and all(isinstance(item, RawTable) and item.fixed for item in opened):
        raise ResultsError(f"{unused[0]}: does not apply to bundled results; leave it out")
    tables: list[Results] = []
    labels = [pd.Series(dtype=object)]
    for item in opened:
        if isinstance(item, Results):
            tables.append(item)
            continue
        try:
            table, named = _make_table(item, reading, alone, by)
        except UnclearTableError as error:
            if {*error.template} != {"lower_is_better"} or not tables:
                raise
            # Scores without a measure are of the measure of the sources before it.
            name = reading.score_name or tables[0].score_name
            lower = not tables[0].higher_is_better
            way = None if lower_is_better(name) == lower else lower  # the name tells it
            known = replace(reading, score_name=name, lower_is_better=way)
            table, named = _make_table(item, known, alone, by)
        tables.append(table)
        labels += [] if named is None else [named]
    joined = join(tables)
    if unknown := [name for name in reading.algorithms if name not in joined.algorithms]:
        names = dict.fromkeys(joined.algorithms)
        for item, table in zip(opened, tables, strict=True):
            # Those of a wide table are all its columns of numbers.
            if isinstance(item, RawTable) and "algorithm" not in table.column_names:
                held = {*table.column_names.values()}
                names |= {c: None for c in item.columns if item.is_numeric(c) and c not in held}
        raise ResultsError(
            f"algorithms: there is no {quote_list(unknown)} in the results"
            f"{did_you_mean(unknown[0], [*names])}; choose from {quote_list(names)}"
        )
    joined = joined.select(reading.algorithms) if reading.algorithms else joined
    return joined, pd.concat(labels)


def _by_number(raw: RawTable, reading: Reading) -> Reading:
    """Return the options with names for the numbers of columns, which the messages show."""
    told: dict[str, Any] = {}
    for name, column in reading.all_columns:
        found = numbered_columns(raw.columns, column)
        several = name in OF_SEVERAL or not found[1:]
        told.setdefault(name, []).extend(found if several else [column])
    if not any(normalise(c) in NAMES["algorithm"] for c in [*raw.columns, *told]):
        # Otherwise they are values in a column.
        parts = (numbered_columns(raw.columns, name) for name in reading.algorithms)
        told["algorithms"] = [*chain.from_iterable(parts)]
    return replace(reading, **{n: c[0] if len(c) == 1 else c for n, c in told.items()})


def _try_options(sources: Sequence[Source], reading: Reading, first: ResultsError) -> ResultsError:
    """Return an error that names options only if they were tried, or what is unclear then."""
    try:
        table = _load(sources, Reading(**merge_options(vars(reading), first.retry)))[0]
    except UnclearTableError as later:
        plain = re.sub(rf"^{re.escape(later.raw.name)}[:,] ", "", first.problem)
        problems = [*getattr(first, "problems", [plain]), *later.problems]
        templates = [merge_options(first.retry, template) for template in later.templates or [{}]]
        return UnclearTableError(later.raw, problems, templates, later.found, later.questions)
    except ResultsError as later:
        then = str(later).removeprefix(f"{first.problem.partition(': ')[0]}: ")
        return ResultsError(f"{first.problem} (then: {then})")
    told = reading.algorithms or None not in map(lower_is_better, table.algorithms)
    # The upper of two names may be tasks.
    if "header_rows" in first.retry and not told:
        first.retry = {}
    elif table.scores.isna().to_numpy().any():
        first.retry["missing"] = "POLICY"
    return first


# -- one source ------------------------------------------------------------------------------------


def _make_table(
    raw: RawTable, reading: Reading, alone: bool, by: str | None
) -> tuple[Results, pd.Series[Any] | None]:
    """Assign roles to the columns of a source, and make the table and the names in `by`."""
    reading = Reading(**raw.suggested) if raw.fixed else reading.suggested(raw.suggested)
    raw = replace(raw, decimal=reading.decimal)
    if raw.n_rows == 0:
        raise ResultsError(
            f"{raw.name}: the table has column names but no rows; the run may have been empty"
        )
    raw, roles, keys = find_roles(*_join_columns(raw, reading), alone=alone)
    results = reshape(raw, roles, reading, keys, alone=alone)
    labels = None
    if by in raw.columns:
        if roles.across == "task":
            raise ArgumentError(f"by={by!r} needs tasks in rows; in this table they are columns")
        every = pd.DataFrame({"task": keys.task[:, 0], "name": raw.row_names(by)})
        found = every.drop_duplicates()
        if found["task"].duplicated().any():
            raise ArgumentError(
                f"by={by!r} varies within tasks; every row of a task must have one value"
            )
        labels = pd.Series(found["name"].to_numpy(object), index=keys.tasks[found["task"]])
    if raw.fixed:  # bundled, with the names that a run writes
        names = {**results.column_names, "algorithm": "descriptor"}
        return replace(results, column_names=names), labels
    hint, note = _hint_at_datasets(results, raw, roles, reading)
    line = _describe_reading(results, roles, raw, reading)
    notes = (*results.notes, *note)
    return replace(results, read_as=(line,), dataset_hint=hint, notes=notes), labels


# Text such as 87.9 [70.4] or 0.39/0.61, but not a version as 1.2.3.
_RESULT = re.compile(r"\W*\d*\.\d+(?![.\w])[\W\d]*")


def _task_of_scores(raw: RawTable, reading: Reading) -> Reading:
    """Take a column of scores told as the task for the only task; refuse other results as names.

    Names that are fractions, as levels of noise, recur beside another score that was told.
    """
    for role in ("dataset", "task"):
        column = getattr(reading, role)
        if not isinstance(column, str) or column not in raw.columns:
            continue
        codes, names = raw.codes(column)
        told, alone = reading.score == column, reading.score is None and raw.is_numeric(column)
        if raw.is_numeric(column):
            recur = codes.min() >= 0 and np.bincount(codes).min() > 1
            scores = raw.is_fractional(column) or lower_is_better(column) is not None
            scores = scores and not (recur and (role == "dataset" or reading.score is not None))
        else:
            scores = 2 * sum(_RESULT.fullmatch(name) is not None for name in names) > len(names)
        if role == "task" and reading.dataset is None and (told or (scores and alone)):
            return replace(reading, task=[column], score=None)
        if told or scores:
            raise ResultsError(
                f"{raw.name}: {quote(column)} contains results such as {quote(names[-1])},"
                f" not names of {role}s; pass a column with one number per cell as score=…"
            )
    return reading


def _holds_scores(raw: RawTable, column: str) -> bool:
    """Return True for numbers, and for fractions among a few cells of text."""
    numbers = raw.numbers(column)
    mostly = not numbers.whole and len(numbers.known) > int(numbers.wrong.sum())
    return mostly or raw.is_numeric(column)


def _join_columns(raw: RawTable, reading: Reading) -> tuple[RawTable, Reading]:
    """Join the names in several columns of one role; columns of numbers may be tasks."""
    made: dict[str, pd.Series] = {}
    roles: dict[str, Any] = {}
    dropped: list[str] = []
    reading = _task_of_scores(raw, reading)
    for role in ("algorithm", "dataset", "task"):
        told = getattr(reading, role)
        if isinstance(told, str | None):
            continue
        columns = list(dict.fromkeys(told))
        wide = role == "task" and reading.score is None
        if wide and any(c not in raw.columns or _holds_scores(raw, c) for c in columns):
            continue
        for column in columns:
            require_column(raw.columns, column, role, raw.name)
        rows = zip(*(raw.row_names(column) for column in columns), strict=True)
        names = [" / ".join(str(part).strip() for part in row if part is not None) for row in rows]
        roles[role] = " / ".join(columns)
        made[roles[role]] = pd.Series(names, dtype=object)
        dropped += columns
    if made:
        reading = replace(reading, **roles)
        named = {*reading.columns.values(), *reading.traits}
        raw = raw.add(made, drop=[column for column in dropped if column not in named])
    return raw, reading


def _hint_at_datasets(
    results: Results, raw: RawTable, roles: Roles, reading: Reading
) -> tuple[dict[str, Any], list[str]]:
    """Return the option for a dataset that may have been overlooked, and a note on it."""
    grouped = reading.dataset_from or reading.suite or raw.suggested
    if results.n_clusters < results.n_tasks or grouped:
        return {}, []
    task: Any = roles.task or roles.dataset
    found = group_pattern([str(name) for name in results.scores.index.unique(1)])
    # In a column named as the dataset, a pattern is the more likely, and of several columns none.
    by_name = found is not None and normalise(task or "") in NAMES["dataset"]
    columns = []
    if not (task is None or by_name or roles.across == "task" or task in {FILE, ROW}):
        columns = [c for c in roles.unused if raw.groups(c, task) and not is_time(c)]
        known = {*raw.columns, *results.algorithms}  # the names of winners are no datasets
        columns = [c for c in columns if not {*raw.names(c)} <= known]
    n_groups = len(raw.names(columns[0])) if columns else 0
    joined = [c for c in (reading.dataset, reading.task) if not isinstance(c, str | None) and c[1:]]
    if joined and not columns and roles.across != "task":  # the first of them may be the dataset
        first, *others = joined[0]
        groups = {str(name).split(" / ")[0] for name in results.scores.index.unique(1)}
        if 1 < len(groups) < results.n_tasks:
            columns, n_groups = [first], len(groups)
            task = others if others[1:] else others[0]
    if task is not None and len(columns) == 1:
        hint = {"dataset": columns[0], "task": task}
        how = f"{quote(columns[0])} groups the {results.n_tasks:,} tasks into {n_groups:,}"
    elif found is not None:
        hint = {"dataset_from": found[0]}
        how = (
            f"The names of the {results.n_tasks:,} tasks begin with {len(found[1]):,} common parts"
            f" ({quote_list(found[1], limit=2)})"
        )
    else:
        return {}, []
    options = ", ".join(f"{name}={value!r}" for name, value in hint.items())
    return hint, [f"{how}. Are these the datasets? try: {options}."]


def _describe_reading(results: Results, roles: Roles, raw: RawTable, reading: Reading) -> str:
    """Return a line with the role of each column, and the columns that are not used."""
    sizes = {
        "suite": results.n_suites,
        "dataset": results.n_clusters,
        "task": results.n_tasks,
        "algorithm": len(results.algorithms),
    }
    held = {role: getattr(roles, role) for role in (*sizes, "fold", "repeat", "status")}
    if reading.dataset_from is not None:
        held |= {"dataset": None, "task": roles.task or roles.dataset}
    of_column = {FILE: "the file", ROW: "the row", "": "the unnamed column"}
    parts = [
        f"{role} = {of_column.get(column) or quote(column)}"
        f"{f' ({sizes[role]:,})' if role in sizes else ''}"
        for role, column in held.items()
        if column is not None
    ]
    if roles.across:
        ends = map(
            quote,
            roles.columns if len(roles.columns) < 4 else roles.columns[:: len(roles.columns) - 1],
        )
        between = ", " if len(roles.columns) < 4 else " … "
        parts.append(
            f"{roles.across}s = {count(len(roles.columns), 'column')} ({between.join(ends)})"
        )
    if reading.dataset_from is not None:
        parts.append(f"dataset = {quote(reading.dataset_from)} in task ({results.n_clusters:,})")
    shown = roles.score_name if roles.score is None else quote(roles.score)
    of = "" if roles.score in {None, results.score_name} else f" ({results.score_name})"
    part = " on validation data" if measure(roles.score or roles.score_name)[1] == "val" else ""
    way = "higher" if results.higher_is_better else "lower"
    parts.append(f"score = {shown}{of}{part}, {way} is better")
    traits = [] if roles.across == "task" else list(roles.traits.values())
    if traits:
        parts.append(f"traits = {', '.join(map(quote, traits))}")
    # The columns of our own runs are known.
    left = [] if raw.suggested.get("algorithm") == "descriptor" else [*roles.unused]
    left += [column for column in reading.ignore if column in raw.columns]
    left += [column for column in roles.traits.values() if column not in traits]
    unused = f"; not used: {quote_list(left, limit=8)}" if left else ""
    return f"{raw.name} read as: {', '.join(parts)}{unused}"
