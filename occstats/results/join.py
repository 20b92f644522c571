"""Join results tables by task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import measure, measures_in, normalise
from occstats.results.table import Results, names_measure, show_task

_SHOWN = 3
# Traits agree up to this difference, because published tables are rounded.
_RELATIVE, _ABSOLUTE = 0.01, 0.005


def join(tables: Sequence[Results]) -> Results:
    """Join tables by task (outer join): scores that a table lacks are missing."""
    if len(tables) == 1:
        return tables[0]
    if any(table.failed is not None for table in tables):
        raise ResultsError(
            "sources: resolve_missing has already been applied to some of them; join the sources"
            " first, then call resolve_missing"
        )
    notes = [note for table in tables for note in table.notes]
    labels = [", ".join(table.sources) or "results" for table in tables]
    score_name = _join_score_names(tables, labels, notes)
    index = tables[0].scores.index
    index = index.append([table.scores.index for table in tables[1:]]).unique()
    scores = _union([table.scores for table in tables], index, labels)
    _check_tasks(tables, labels, index, notes)
    cvsd = [table.cvsd for table in tables if table.cvsd is not None]
    failures = [t.recorded_failures for t in tables if t.recorded_failures is not None]
    return Results(
        scores=scores,
        traits=_join_traits(tables, index, notes),
        score_name=score_name,
        higher_is_better=tables[0].higher_is_better,
        fold_scores=_join_folds(tables, index),
        cvsd=_union(cvsd, index).reindex(columns=scores.columns) if cvsd else None,
        suites=_join_suites(tables, labels, index, notes),
        notes=tuple(dict.fromkeys(notes)),
        sources=tuple(source for table in tables for source in table.sources),
        dataset_hint=tables[0].dataset_hint,
        read_as=tuple(line for table in tables for line in table.read_as),
        # Names of the first source take precedence.
        column_names={k: v for table in reversed(tables) for k, v in table.column_names.items()},
        recorded_failures=_union(failures, index).reindex(columns=scores.columns).eq(1)
        if failures
        else None,
    )


def _union(
    frames: Sequence[pd.DataFrame], index: pd.Index[Any], labels: Sequence[str] = ()
) -> pd.DataFrame:
    """Unite the cells of frames; the first takes precedence, unless they must be disjoint."""
    columns = frames[0].columns.append([frame.columns for frame in frames[1:]]).unique()
    united = pd.DataFrame(np.nan, index, columns)
    for i, frame in enumerate(each.astype(float) for each in frames):
        known = united.loc[frame.index, frame.columns]
        twice = frame.columns[(frame.notna() & known.notna()).any()]
        if labels and len(twice):
            raise ResultsError(
                f"{quote(labels[i])}: another source also has scores of"
                f" {quote_list(twice, limit=5)} on the same tasks; rename"
                f" {'it' if len(twice) == 1 else 'them'} in one of them, or name the algorithms"
                " after the files with algorithm='@file', score=…"
            )
        united.loc[frame.index, frame.columns] = known.where(known.notna(), frame)
    return united


def _join_suites(
    tables: Sequence[Results], labels: Sequence[str], index: pd.Index[Any], notes: list[str]
) -> dict[str, str] | None:
    """Unite the suites of all sources; a dataset without one is a separate suite."""
    suites: dict[str, str] = {}
    for table, label in zip(tables, labels, strict=True):
        for name, suite in (table.suites or {}).items():
            if suites.setdefault(name, suite) != suite:
                raise ResultsError(
                    f"{quote(label)}: the dataset {quote(name)} is in the suite {quote(suite)},"
                    f" but in {quote(suites[name])} in another source; use the same suite in all"
                )
    alone = {name: name for name in index.unique(0) if name not in suites}
    if suites and alone:
        shown = quote_list(alone, limit=5)
        notes.append(
            f"{count(len(alone), 'dataset')} without a suite, each a separate one: {shown}."
        )
    return suites | alone if suites else None


def _join_folds(tables: Sequence[Results], index: pd.Index[Any]) -> pd.DataFrame | None:
    """Join the folds; those without repeats get the repeat "" if others have repeats."""
    folds = [table.fold_scores for table in tables if table.fold_scores is not None]
    repeated = any(frame.columns.nlevels == 3 for frame in folds)
    for i, frame in enumerate(folds):
        if repeated and frame.columns.nlevels == 2:
            names = [(*name, "") for name in frame.columns]
            columns = pd.MultiIndex.from_tuples(names, names=["algorithm", "fold", "repeat"])
            folds[i] = frame.set_axis(columns, axis=1)
    return _union(folds, index) if folds else None


def _join_score_names(tables: Sequence[Results], labels: Sequence[str], notes: list[str]) -> str:
    """Return the common name of the scores; refuse different metrics, directions and units."""
    named = {t.score_name: t for t in reversed(tables) if names_measure(t.score_name)}
    known = {next(iter(measures_in(name)), normalise(name)) for name in named}
    bounded = any(found.per_cent for name in named if (found := measure(name)[0]) is not None)
    units = {bool((table.scores > 1).to_numpy().any()) for table in tables if bounded}
    ways = ["higher" if table.higher_is_better else "lower" for table in tables]
    for wrong, problem in (
        (len({*ways}) > 1, f"different directions ({', '.join(ways)} is better)"),
        (len(known) > 1, f"different metrics ({quote_list(reversed(named))})"),
        (len(units) > 1, f"{quote_list(named)} in 0 … 1 and in 0 … 100"),
    ):
        if wrong:
            raise ResultsError(
                f"{', '.join(map(quote, labels))}: the sources hold {problem}, which cannot be"
                " compared with each other; choose the column with score=…, declare them equal"
                " with score_name=…, or write them in one unit"
            )
    if not named:
        return tables[0].score_name
    *_, name = named
    unnamed = [
        label
        for label, table in zip(labels, tables, strict=True)
        if not names_measure(table.score_name)
    ]
    if unnamed:
        notes.append(f"The scores of {quote_list(unnamed)} are taken to be {quote(name)} as well.")
    return name


def _check_tasks(
    tables: Sequence[Results], labels: Sequence[str], index: pd.Index[Any], notes: list[str]
) -> None:
    """Refuse tables without a common task; note the tasks that a table lacks."""
    held = np.column_stack([index.isin(table.scores.index) for table in tables])
    names = [name for table in tables for name in table.algorithms]
    appended = {name for name in names if names.count(name) > 1}
    if not (held.sum(axis=1) > 1).any() and not appended:
        examples = [show_task(table.scores.index[0]) for table in tables]
        raise ResultsError(
            f"{', '.join(map(quote, labels))}: the sources have no task in common (such as"
            f" {', '.join(examples)}); use the same names of datasets and classes, or name their"
            " columns"
        )
    for label, table, here in zip(labels, tables, held.T, strict=True):
        lacking = [show_task(task) for task in index[~here][: _SHOWN + 1]]
        if lacking and not appended & {*table.algorithms}:
            more = f" and {(~here).sum() - _SHOWN:,} more" if len(lacking) > _SHOWN else ""
            notes.append(
                f"{quote(label)} lacks {(~here).sum():,} of {len(index):,} tasks, which count as"
                f" missing: {'; '.join(lacking[:_SHOWN])}{more}."
            )


def _join_traits(tables: Sequence[Results], index: pd.Index[Any], notes: list[str]) -> pd.DataFrame:
    """Unite the traits; those on which sources disagree are missing, and noted."""
    traits = _union([table.traits for table in tables], index)
    disputes = []
    for table in tables[1:]:
        rows, columns = table.traits.index, table.traits.columns
        theirs, ours = table.traits.to_numpy(float), traits.loc[rows, columns].to_numpy()
        unlike = np.abs(theirs - ours) > _ABSOLUTE + _RELATIVE * np.abs(ours)
        disputes += [
            f"{show_task(rows[i])}: {quote(columns[j])} ({ours[i, j]:g}, {theirs[i, j]:g})"
            for i, j in zip(*np.nonzero(unlike), strict=True)
        ]
        traits.loc[rows, columns] = np.where(unlike, np.nan, ours)
    if disputes:
        notes.append(
            f"The sources disagree on {len(disputes):,} traits of tasks, which count as unknown:"
            f" {'; '.join(disputes[:_SHOWN])}."
        )
    return traits
