"""Join results tables by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import ALIASES, AUROC, GENERIC, normalise
from occstats.results.table import CLUSTER, TASK, Results, show_task

__all__ = ["join"]

_SHOWN = 3


def join(tables: Sequence[Results], on_clash: str = "refuse") -> Results:
    """Join tables by task (outer join): scores that a table lacks are missing."""
    if len(tables) == 1:
        return tables[0]
    notes = [note for table in tables for note in table.notes]
    labels = _labels(tables)
    score_name = _same_score(tables, labels, notes)
    tables = _distinct_algorithms(tables, labels, on_clash, notes)
    index = tables[0].scores.index
    for table in tables[1:]:
        index = index.append(table.scores.index[~table.scores.index.isin(index)])
    _report_tasks(tables, labels, index, notes)
    traits, conflicts = _join_traits(tables, labels, index, notes)
    suites = _join_suites(tables, labels, index, notes)
    folds = _same_levels(
        [table.fold_scores.reindex(index) for table in tables if table.fold_scores is not None]
    )
    cvsd = [table.cvsd.reindex(index) for table in tables if table.cvsd is not None]
    scores = pd.concat([table.scores.reindex(index) for table in tables], axis=1)
    failed = _join_failures([table.failed for table in tables], tables, index)
    recorded = _join_failures([table.recorded_failures for table in tables], tables, index)
    return Results(
        scores=scores,
        traits=traits,
        score_name=score_name,
        higher_is_better=tables[0].higher_is_better,
        fold_scores=pd.concat(folds, axis=1) if folds else None,
        cvsd=pd.concat(cvsd, axis=1).reindex(columns=scores.columns) if cvsd else None,
        notes=tuple(dict.fromkeys(notes)),
        sources=tuple(source for table in tables for source in table.sources),
        trait_conflicts=conflicts,
        read_as=tuple(line for table in tables for line in table.read_as),
        suites=suites,
        # Names of the first source take precedence.
        column_names={k: v for table in reversed(tables) for k, v in table.column_names.items()},
        failed=failed,
        failure_score=_join_failure_scores(tables, labels),
        recorded_failures=recorded,
    )


def _join_failures(
    failures: Sequence[pd.DataFrame | None], tables: Sequence[Results], index: pd.Index[Any]
) -> pd.DataFrame | None:
    """Join the failures of all tables; a task that a table lacks is not a failure."""
    if all(frame is None for frame in failures):
        return None
    frames = [
        pd.DataFrame(False, index=index, columns=table.scores.columns)
        if frame is None
        else frame.reindex(index, fill_value=False)
        for frame, table in zip(failures, tables, strict=True)
    ]
    return pd.concat(frames, axis=1)


def _join_failure_scores(tables: Sequence[Results], labels: Sequence[str]) -> float | None:
    """Return the score of a failure, which must be the same in all tables with failures."""
    scores = {
        label: table.failure_score
        for label, table in zip(labels, tables, strict=True)
        if table.failed is not None
    }
    if len(set(scores.values())) > 1:
        shown = ", ".join(
            f"{quote(label)}: {'no score' if score is None else f'{score:g}'}"
            for label, score in scores.items()
        )
        raise ResultsError(
            f"failure_score: the sources represent failures by different scores ({shown}); join"
            " them first, then call resolve_missing"
        )
    return next(iter(scores.values()), None)


def _join_suites(
    tables: Sequence[Results], labels: Sequence[str], index: pd.Index[Any], notes: list[str]
) -> dict[str, str] | None:
    """Unite the suites of all sources; a dataset without one is a separate suite."""
    if all(table.suites is None for table in tables):
        return None
    suites: dict[str, str] = {}
    for table, label in zip(tables, labels, strict=True):
        for name, suite in (table.suites or {}).items():
            if suites.setdefault(name, suite) != suite:
                raise ResultsError(
                    f"{quote(label)}: the dataset {quote(name)} is in the suite {quote(suite)},"
                    f" but in {quote(suites[name])} in another source; use the same suite in all"
                    " sources"
                )
    alone = [name for name in index.unique(0) if name not in suites]
    if alone:
        notes.append(
            f"{count(len(alone), 'dataset')} without a suite, each a separate one:"
            f" {quote_list(alone, limit=5)}."
        )
    return suites | {name: name for name in alone}


def _same_levels(folds: list[pd.DataFrame]) -> list[pd.DataFrame]:
    """Give folds without repeats the repeat "" if other folds have repeats."""
    if len({frame.columns.nlevels for frame in folds}) < 2:
        return folds
    return [
        frame
        if frame.columns.nlevels == 3
        else frame.set_axis(
            pd.MultiIndex.from_tuples(
                [(*name, "") for name in frame.columns], names=["algorithm", "fold", "repeat"]
            ),
            axis=1,
        )
        for frame in folds
    ]


def _labels(tables: Sequence[Results]) -> list[str]:
    """Return a short, unique name of each table."""
    labels: list[str] = []
    for table in tables:
        names = table.sources or ("results",)
        label = "+".join(Path(name).name.split(".")[0] or name for name in names)
        number = 2
        unique = label
        while unique in labels:
            unique = f"{label} {number}"
            number += 1
        labels.append(unique)
    return labels


def _same_score(tables: Sequence[Results], labels: Sequence[str], notes: list[str]) -> str:
    if len({table.higher_is_better for table in tables}) > 1:
        ways = ", ".join(
            f"{label}: {'higher' if table.higher_is_better else 'lower'}"
            for label, table in zip(labels, tables, strict=True)
        )
        raise ResultsError(
            f"lower_is_better: the sources disagree on the better direction ({ways}); compare"
            " results of one metric"
        )
    known: dict[str, str] = {}
    for table in tables:
        name = normalise(table.score_name)
        if _says_what(name):
            known.setdefault("auroc" if name in AUROC else name, table.score_name)
    if len(known) > 1:
        raise ResultsError(
            f"{', '.join(map(quote, labels))}: the sources hold different metrics"
            f" ({quote_list(known.values())}), which cannot be compared with each other; choose the"
            " column with score=…, or declare them equal with score_name=…"
        )
    name = next(iter(known.values()), tables[0].score_name)
    unnamed = [
        label
        for label, table in zip(labels, tables, strict=True)
        if not _says_what(normalise(table.score_name))
    ]
    if known and unnamed:
        notes.append(f"The scores of {quote_list(unnamed)} are taken to be {quote(name)} as well.")
    return name


def _says_what(score_name: str) -> bool:
    return score_name in ALIASES["score"] and score_name not in GENERIC


def _distinct_algorithms(
    tables: Sequence[Results], labels: Sequence[str], on_clash: str, notes: list[str]
) -> list[Results]:
    owner: dict[str, str] = {}
    joined = []
    for table, label in zip(tables, labels, strict=True):
        clash = [name for name in table.algorithms if name in owner]
        if clash and on_clash == "refuse":
            raise ResultsError(
                f"{quote(label)}: {count(len(clash), 'algorithm')} ({quote_list(clash, limit=5)})"
                f" of the same name as in {quote(owner[clash[0]])}; rename them, or pass"
                " on_clash='rename' to append the name of the source"
            )
        names = {}
        for name in clash:
            new, number = f"{name} ({label})", 2
            while new in owner or new in table.algorithms:
                new, number = f"{name} ({label} {number})", number + 1
            names[name] = new
            notes.append(f"Renamed: {quote(name)} of {quote(label)} to {quote(new)}.")
        renamed = _rename(table, names) if names else table
        owner.update(dict.fromkeys(renamed.algorithms, label))
        joined.append(renamed)
    return joined


def _rename(table: Results, names: dict[str, str]) -> Results:
    folds = table.fold_scores
    return replace(
        table,
        scores=table.scores.rename(columns=names),
        fold_scores=None if folds is None else folds.rename(columns=names, level=0),
        cvsd=None if table.cvsd is None else table.cvsd.rename(columns=names),
        failed=None if table.failed is None else table.failed.rename(columns=names),
        recorded_failures=None
        if table.recorded_failures is None
        else table.recorded_failures.rename(columns=names),
    )


def _report_tasks(
    tables: Sequence[Results], labels: Sequence[str], index: pd.Index[Any], notes: list[str]
) -> None:
    held = np.column_stack([index.isin(table.scores.index) for table in tables])
    if not (held.sum(axis=1) > 1).any():
        examples = "; ".join(
            f"{quote(label)} has {show_task(table.scores.index[0])}"
            for label, table in zip(labels, tables, strict=True)
        )
        raise ResultsError(
            f"{', '.join(map(quote, labels))}: the sources have no task in common ({examples});"
            " use the same names of datasets and classes, or name their columns"
        )
    for i, label in enumerate(labels):
        lacking = index[~held[:, i]]
        if len(lacking):
            notes.append(
                f"{quote(label)} lacks {len(lacking):,} of {len(index):,} tasks, which count as"
                f" missing: {_some(lacking)}."
            )


def _some(tasks: pd.Index[Any]) -> str:
    shown = "; ".join(show_task(task) for task in tasks[:_SHOWN])
    return shown + (f" and {len(tasks) - _SHOWN:,} more" if len(tasks) > _SHOWN else "")


def _join_traits(
    tables: Sequence[Results], labels: Sequence[str], index: pd.Index[Any], notes: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Unite the traits; those on which sources disagree are missing and listed."""
    names = list(dict.fromkeys(name for table in tables for name in table.traits.columns))
    traits = pd.DataFrame(index=index)
    conflicts = [t.trait_conflicts for t in tables if t.trait_conflicts is not None]
    for name in names:
        owners = [
            (label, table.traits[name])
            for label, table in zip(labels, tables, strict=True)
            if name in table.traits.columns
        ]
        values = np.column_stack([column.reindex(index).to_numpy(float) for _, column in owners])
        # Published tables are rounded: values agree if they do at the coarsest precision.
        slack = 0.5 * 10.0 ** -min(_decimals(column.to_numpy(float)) for _, column in owners)
        known = pd.DataFrame(values)
        spread = (known.max(axis=1) - known.min(axis=1)).to_numpy()
        disputed = np.nan_to_num(spread) > slack * (1 + 1e-9)
        finest = max(range(len(owners)), key=lambda i: _decimals(owners[i][1].to_numpy(float)))
        order = [finest, *(i for i in range(len(owners)) if i != finest)]
        united = known[order].bfill(axis=1).iloc[:, 0].to_numpy(copy=True)
        united[disputed] = np.nan
        traits[name] = united
        if disputed.any():
            conflicts.append(
                pd.DataFrame(
                    {
                        CLUSTER: index.get_level_values(0)[disputed],
                        TASK: index.get_level_values(1)[disputed],
                        "trait": name,
                        "values": [
                            ", ".join(
                                f"{label}: {v:g}" for (label, _), v in zip(owners, row, strict=True)
                            )
                            for row in values[disputed]
                        ],
                    }
                )
            )
    united_conflicts = pd.concat(conflicts, ignore_index=True) if conflicts else None
    if united_conflicts is not None:
        shown = "; ".join(
            f"{show_task((row[CLUSTER], row[TASK]))}: {quote(row['trait'])} ({row['values']})"
            for _, row in united_conflicts.head(_SHOWN).iterrows()
        )
        notes.append(
            f"The sources disagree on {len(united_conflicts):,} traits of tasks, which count as"
            f" missing: {shown}."
        )
    return traits, united_conflicts


def _decimals(values: npt.NDArray[np.float64]) -> int:
    """Return the number of decimals of a column, at most 12."""
    finite = np.unique(values[np.isfinite(values)])
    for places in range(13):
        if np.array_equal(np.round(finite, places), finite):
            return places
    return 12
