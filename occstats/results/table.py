"""The results table: one row per task, one column per algorithm, tasks grouped in datasets."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._files import write_file, write_parquet
from occstats._format import count, did_you_mean, quote, quote_list, show_path
from occstats.errors import OutputError, ResultsError
from occstats.results.aliases import GENERIC, measure, normalise

DATASET = "dataset"
TASK = "class"
# Parts of a table shown in a notebook.
_ROWS_SHOWN, _COLUMNS_SHOWN, _NOTES_SHOWN = 10, 20, 8


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    r"""Scores of algorithms on tasks grouped in clusters (datasets).

    Created by :func:`load_results` from files or frames.

    Attributes
    ----------
    scores : DataFrame
        One row per task, one column per algorithm, in the score's own direction; NaN where an
        algorithm has no result. The index has the levels ``dataset`` and ``class``, both text.
    traits : DataFrame
        Properties of the tasks (``n``, ``m``, ``sparsity``, others), same index; may have no
        column.
    score_name : str
        Name of the measure.
    higher_is_better : bool
        Whether higher scores are better.
    fold_scores : DataFrame or None
        The scores per fold, columns (algorithm, fold), or (algorithm, fold, repeat) where folds
        were repeated; None if the input had no folds.
    cvsd : DataFrame or None
        The standard deviation (``ddof=1``) over the folds, one column per algorithm. With
        repeats, it is taken within each repeat and then averaged.
    notes : tuple of str
        Notes on averaged, excluded, renamed or suspicious data.
    sources : tuple of str
        Files or other sources of the scores.
    column_names : mapping of str to str
        Names of the columns in the source, by role (``dataset``, ``task``, ``algorithm``,
        ``score``, ``fold``, ``status``, ``metric``, ``trait n`` …), which :meth:`to_frame` uses.
    read_as : tuple of str
        For each source, a line with the role of each column.
    suites : mapping of str to str, or None
        The suite of each dataset; None if all datasets are independent.
    failed : DataFrame of bool or None
        The cells that count as failures, same shape as ``scores``; None if there are none. Set
        by ``resolve_missing("worst")``. A failure ranks below every score (see ``tested``), and
        ``scores`` holds a number for it.
    failure_score : float or None
        The score that represents a failure in means: that of ``resolve_missing("worst=SCORE")`` or
        the worst possible score of the measure; None if neither is known.
    recorded_failures : DataFrame of bool or None
        The cells without a score whose run failed according to the source: a status, NaN, TIMEOUT
        and the like. Same shape as ``scores``; None if there are none. Empty cells and absent
        rows are not included.
    dataset_hint : mapping of str to str
        Options of :func:`load_results` that would group tasks that were read as independent
        datasets; empty if nothing suggests a grouping.

    Notes
    -----
    Each dataset has the same total weight, shared equally by its tasks:
    :math:`w_t = 1 / (G \cdot |\{\text{tasks in the dataset of } t\}|)` for G datasets, also if they
    are grouped in suites.

    Examples
    --------
    >>> from occstats import load_results
    >>> results = load_results("lenz2021")
    >>> results.n_tasks, results.n_clusters, len(results.algorithms)
    (246, 50, 9)
    >>> results.scores.loc[("iris", "Iris-virginica"), "ALP"]
    np.float64(0.956)
    """

    scores: pd.DataFrame
    traits: pd.DataFrame
    score_name: str
    higher_is_better: bool = True
    fold_scores: pd.DataFrame | None = None
    cvsd: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    column_names: Mapping[str, str] = field(default_factory=dict)
    read_as: tuple[str, ...] = ()
    suites: Mapping[str, str] | None = None
    failed: pd.DataFrame | None = None
    failure_score: float | None = None
    recorded_failures: pd.DataFrame | None = None
    dataset_hint: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        index = self.scores.index
        if index.nlevels != 2:
            raise ResultsError(
                f"scores: the index must have two levels (dataset, task), got {index.nlevels}"
            )
        for what, labels in (("task", index), ("algorithm", self.scores.columns)):
            if not labels.is_unique:
                twice = labels[labels.duplicated()][0]
                shown = show_task(twice) if what == "task" else quote(twice)
                raise ResultsError(f"scores: duplicate {what} {shown}")
        for name in ("traits", "fold_scores", "cvsd", "failed", "recorded_failures"):
            frame = getattr(self, name)
            if frame is not None and not frame.index.equals(index):
                raise ResultsError(
                    f"{name}: the rows must be the tasks of scores, in the same order"
                )
            masks = frame is not None and name.endswith(("failed", "failures"))
            if masks and list(frame.columns) != self.algorithms:
                raise ResultsError(f"{name}: the columns must be those of scores, in this order")
        without = set() if self.suites is None else set(index.unique(0)) - set(self.suites)
        if without:
            raise ResultsError(
                f"suites: {quote_list(sorted(without), limit=5)} must have a suite, like the others"
            )

    @property
    def algorithms(self) -> list[str]:
        """Return the names of the algorithms, in the order of the table."""
        return list(self.scores.columns)

    @property
    def clusters(self) -> npt.NDArray[np.object_]:
        """Return the dataset of each task."""
        return self.scores.index.get_level_values(0).to_numpy(dtype=object)

    @property
    def n_tasks(self) -> int:
        """Return the number of tasks."""
        return len(self.scores)

    @property
    def n_clusters(self) -> int:
        """Return the number of datasets."""
        index: Any = self.scores.index
        return len(np.unique(index.codes[0]))

    @property
    def n_suites(self) -> int | None:
        """Return the number of suites, None if datasets are not grouped in suites."""
        if self.suites is None:
            return None
        return len({self.suites[name] for name in self.scores.index.unique(0)})

    @property
    def nested(self) -> bool:
        """Return True if some datasets share a suite, so that only the suites are independent."""
        return self.suites is not None and self.n_suites != self.n_clusters

    @property
    def n_independent(self) -> int:
        """Return the number of independent units: suites if nested, else datasets."""
        return self.n_suites or 0 if self.nested else self.n_clusters

    @property
    def unit(self) -> str:
        """Return the word for the independent unit: "suite" or "dataset"."""
        return "suite" if self.nested else "dataset"

    @property
    def evidence(self) -> str:
        """Return the number of datasets, and of suites if nested, as a phrase.

        Examples
        --------
        >>> from occstats import load_results
        >>> load_results("lenz2021").evidence
        '50 datasets'
        """
        suites = f" in {count(self.n_independent, 'suite')}" if self.nested else ""
        return f"{count(self.n_clusters, 'dataset')}{suites}"

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """Return the weight of each task: equal per dataset, with sum 1."""
        codes, labels = pd.factorize(self.clusters)
        tasks_in_cluster = np.bincount(codes, minlength=len(labels))
        return np.asarray(1.0 / (tasks_in_cluster[codes] * max(len(labels), 1)), dtype=np.float64)

    @property
    def oriented(self) -> npt.NDArray[np.float64]:
        """Return the scores as an array in which higher is better, negated if necessary."""
        values = self.scores.to_numpy(dtype=np.float64, copy=True)
        return values if self.higher_is_better else -values

    @property
    def tested(self) -> npt.NDArray[np.float64]:
        """Return the scores as tests rank them: higher is better, and a failure is −∞.

        Examples
        --------
        >>> import pandas as pd
        >>> from occstats import load_results
        >>> frame = pd.DataFrame({"dataset": ["a", "b"], "A": [0.8, 0.9], "B": [0.7, None]})
        >>> load_results(frame, lower_is_better=False).resolve_missing("worst").tested.tolist()
        [[0.8, 0.7], [0.9, -inf]]
        """
        return np.where(as_mask(self.failed, self.scores), -np.inf, self.oriented)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the range of the measure: (0, 1) if bounded, else infinite.

        >>> from occstats import load_results
        >>> load_results("lenz2021").bounds
        (0.0, 1.0)
        """
        known = score_range(self)
        return known if known == (0.0, 1.0) else (-np.inf, np.inf)

    @property
    def missing(self) -> pd.DataFrame:
        """Return the cells without a score, one row each: dataset, class, algorithm."""
        rows, columns = np.nonzero(self.scores.isna().to_numpy())
        index = self.scores.index
        return pd.DataFrame(
            {
                DATASET: index.get_level_values(0)[rows],
                TASK: index.get_level_values(1)[rows],
                "algorithm": self.scores.columns[columns],
            }
        )

    def select(self, algorithms: Sequence[str]) -> Results:
        """Keep these algorithms, in this order.

        Examples
        --------
        >>> from occstats import load_results
        >>> load_results("lenz2021").select(["SVM", "ALP"]).algorithms
        ['SVM', 'ALP']
        """
        wanted = [algorithms] if isinstance(algorithms, str) else list(algorithms)
        unknown = [name for name in wanted if name not in self.scores.columns]
        if unknown:
            raise ResultsError(
                f"algorithms: there is no {quote_list(unknown)} in the results"
                f"{did_you_mean(unknown[0], self.algorithms)}; choose from"
                f" {quote_list(self.algorithms)}"
            )
        repeated = sorted({name for name in wanted if wanted.count(name) > 1})
        if repeated or not wanted:
            problem = f"{quote_list(repeated)} named twice" if repeated else "none given"
            raise ResultsError(f"algorithms: {problem}; name each algorithm once")
        folds = self.fold_scores
        if folds is not None:  # in a joined table, only some algorithms may have folds
            names = folds.columns.get_level_values(0)
            present = [name for name in wanted if name in names]
            folds = folds[present] if present else None
        return replace(self, fold_scores=folds, **self._part(slice(None), wanted))

    def keep_tasks(self, keep: npt.NDArray[np.bool_], *notes: str) -> Results:
        """Keep the tasks where ``keep`` is true, and add notes."""
        return replace(
            self,
            traits=self.traits.loc[keep],
            fold_scores=None if self.fold_scores is None else self.fold_scores.loc[keep],
            notes=(*self.notes, *notes),
            **self._part(keep, slice(None)),
        )

    def _part(self, rows: Any, columns: Any) -> dict[str, Any]:
        """Return a part of all frames with a column per algorithm; None if no failure is left."""
        names = ("scores", "cvsd", "failed", "recorded_failures")
        frames = {name: frame for name in names if (frame := getattr(self, name)) is not None}
        part: dict[str, Any] = {n: frame.loc[rows, columns] for n, frame in frames.items()}
        none_left = [n for n in names[2:] if n in part and not part[n].to_numpy().any()]
        return part | dict.fromkeys(none_left)

    def resolve_missing(self, policy: str = "refuse") -> Results:
        """Apply a policy for missing cells; see :func:`occstats.results.missing.resolve`."""
        from occstats.results.missing import resolve

        return resolve(self, policy)

    def to_frame(self) -> pd.DataFrame:
        """Return the table in long form, one row per task and algorithm (and fold).

        Columns have the names of the source.

        Examples
        --------
        >>> from occstats import load_results
        >>> load_results("lenz2021").to_frame().head(2)
                dataset class descriptor  auroc    m     n  sparsity
        0  appendicitis     0        NND  0.741  7.0  85.0      0.05
        1  appendicitis     0       LNND  0.644  7.0  85.0      0.05
        """
        rows, keys, score, status = _long_form(self)
        named = self.column_names
        cluster = self.clusters
        task = self.scores.index.get_level_values(1).to_numpy(object)
        frame = pd.DataFrame(index=range(len(rows)))

        def add(name: str, values: Any) -> None:
            while name in frame:  # avoid a clash with a column of the source
                name += "_"
            frame[name] = values

        if self.suites is not None:
            suite = np.array([self.suites[name] for name in cluster], dtype=object)
            add(named.get("suite", "suite"), suite[rows])
        alike = bool((cluster == task).all())
        if "dataset" in named or not (alike and "task" in named):
            add(named.get("dataset", DATASET), cluster[rows])
        if "task" in named or not (alike and "dataset" in named):
            add(named.get("task", TASK), task[rows])
        for role, values in keys.items():
            add(named.get(role, role), values)
        column = named.get("score", self.score_name if names_measure(self.score_name) else "score")
        add(column, score)
        if normalise(column) in GENERIC and normalise(self.score_name) not in GENERIC:
            add(named.get("metric", "metric"), self.score_name)
        if status is not None:
            add(named.get("status", "status"), status)
        for name in self.traits.columns:
            add(named.get(f"trait {name}", name), self.traits[name].to_numpy()[rows])
        return frame

    def write(self, path: str | PathLike[str]) -> None:
        """Write the long form to a .parquet or .csv file.

        The file is written atomically. Names are written unchanged.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from occstats import load_results
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "results.parquet"
        >>> load_results("lenz2021").write(path)
        >>> load_results(path).n_tasks
        246
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in {".parquet", ".csv"}:
            raise OutputError(
                f"{show_path(target)}: the file type {quote(target.suffix)} is not supported;"
                " choose .parquet or .csv"
            )
        write = write_parquet if suffix == ".parquet" else _write_csv
        write(self.to_frame(), target)

    def __repr__(self) -> str:
        return f"<{self._headline()}: {quote_list(self.algorithms)}>"

    def _repr_html_(self) -> str:
        scores = self.scores.head(_ROWS_SHOWN)
        failed = as_mask(self.failed, self.scores)[:_ROWS_SHOWN]
        shown = scores.map("{:.4g}".format).mask(scores.isna(), "–").mask(failed, "failed")
        table = shown.reset_index().to_html(index=False, border=0, max_cols=_COLUMNS_SHOWN)
        part = f" (first {_ROWS_SHOWN} tasks)" if self.n_tasks > _ROWS_SHOWN else ""
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes[:_NOTES_SHOWN])
        return (
            f"<div><p><strong>{escape(self._headline())}</strong>{part}</p>{table}"
            f"<ul>{notes}</ul></div>"
        )

    def _headline(self) -> str:
        absent = self.scores.isna().to_numpy().sum()
        cells = f", {absent:,} missing" if absent else ""
        if self.failed is not None:
            cells += f", {self.failed.to_numpy().sum():,} failed"
        direction = "" if self.higher_is_better else " (lower is better)"
        return (
            f"Results: {quote(self.score_name)[1:-1]}{direction} of"
            f" {count(len(self.algorithms), 'algorithm')} on {count(self.n_tasks, 'task')} of"
            f" {self.evidence}{cells}"
        )


def as_mask(failures: pd.DataFrame | None, scores: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return a table of failures as an array of the shape of the scores; None has no failure."""
    if failures is None:
        return np.zeros(scores.shape, dtype=bool)
    return failures.to_numpy(dtype=bool)


def observed_scores(results: Results) -> npt.NDArray[np.float64]:
    """Return the scores, with NaN in place of those that represent failures."""
    scores = results.scores.to_numpy(dtype=np.float64)
    return np.where(as_mask(results.failed, results.scores), np.nan, scores)


def score_range(results: Results) -> tuple[float, float]:
    """Return the range of the measure on the scale of the scores; infinite if unknown.

    Examples
    --------
    >>> frame = pd.DataFrame({"dataset": ["a", "b"], "A": [80, 90], "B": [70, 75]})
    >>> from occstats import load_results
    >>> score_range(load_results(frame, score_name="accuracy"))
    (0.0, 100.0)
    """
    listed, scores = measure(results.score_name)[0], observed_scores(results)
    if listed is None:
        return -np.inf, np.inf
    high = 100.0 if listed.per_cent and (scores > 1).any() else listed.high
    outside = ((scores < listed.low) | (scores > high)).any()
    return (-np.inf, np.inf) if outside else (listed.low, high)


# End of a note on failed runs.
FAILURES = "such cells count as missing."


def show_task(task: Any) -> str:
    """Return the name of a task for a message; a task that is its dataset is named once."""
    return quote(task[0]) if task[0] == task[1] else f"{quote(task[0])} / {quote(task[1])}"


def names_measure(score_name: str) -> bool:
    """Return True if a name tells what was measured, as auroc does and score does not."""
    return measure(score_name)[0] is not None


def _long_form(
    results: Results,
) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray, np.ndarray | None]:
    """Return the row of the task, the keys, the score and the status of each cell or fold."""
    folds = results.fold_scores
    values = observed_scores(results)
    labels = [results.scores.columns.to_numpy(object)]
    absent, used = np.isnan(values), np.ones(values.shape, dtype=bool)
    failed = as_mask(results.failed, results.scores)
    failed = failed | as_mask(results.recorded_failures, results.scores)
    # In a joined table, only some algorithms may have folds.
    if folds is not None and set(folds.columns.get_level_values(0)) == set(results.algorithms):
        values = folds.to_numpy()
        levels = range(folds.columns.nlevels)  # algorithm, fold, and repeat if there is one
        labels = [folds.columns.get_level_values(level).to_numpy(object) for level in levels]
        algorithm = results.scores.columns.get_indexer(folds.columns.get_level_values(0))
        absent, failed = absent[:, algorithm], failed[:, algorithm]
        # A fold that any algorithm has on a task is written for all, so that missing ones show.
        run = pd.MultiIndex.from_arrays(labels[1:]).factorize()[0]
        held = pd.DataFrame(~np.isnan(values)).T.groupby(run).transform("any").T.to_numpy(bool)
        used = held | (absent & ~held.any(axis=1, keepdims=True))
    rows, cells = np.nonzero(used)
    score = values[rows, cells]
    keys = {
        role: names[cells]
        for role, names in zip(("algorithm", "fold", "repeat"), labels, strict=False)
    }
    if not np.isnan(score).any():
        return rows, keys, score, None
    without = np.select([failed, absent], ["failed", "missing"], "undefined")[rows, cells]
    return rows, keys, score, np.where(np.isnan(score), without, "ok")


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    text = frame.select_dtypes(exclude="number")
    # pandas does not quote a lone carriage return, which ends a line for other readers.
    returns = any(text[name].str.contains("\r", regex=False).any() for name in text)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    write_file(path, frame.to_csv(index=False, quoting=quoting))
