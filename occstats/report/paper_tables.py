"""The tables of a paper in the form that Lenz et al. (2021) gave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.errors import ArgumentError
from occstats.report.media import MEDIA, table_files
from occstats.report.pair_tables import p_value_table
from occstats.report.table import Column, Leading, Table, grid, with_headers
from occstats.report.writing import score_digits
from occstats.results.aliases import score_word
from occstats.text import decimals, did_you_mean, integer, word

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = [
    "defaults_table",
    "paper_files",
    "paper_p_values",
    "paper_scores",
    "paper_summary",
    "paper_tables",
]

# trait → its heading and its decimals, in the paper's order; the class stands between m and n
_TRAITS = {"m": ("m", 0), "n": ("n", 0), "sparsity": ("s", 2)}


def paper_tables(comparison: Comparison) -> list[Table]:
    """Summary, triangle of p-values, and all scores, in the paper's form.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", n_resamples=100)
    >>> [table.name for table in paper_tables(comparison)]
    ['paper_summary', 'paper_p_values', 'paper_scores']
    """
    tables = [paper_summary(comparison)]
    if comparison.results.n_independent > 1:
        tables.append(paper_p_values(comparison))
    return [*tables, paper_scores(comparison)]


def paper_files(comparison: Comparison) -> Iterator[tuple[str, str | bytes]]:
    """Each of the tables in every medium: path and content."""
    for table in paper_tables(comparison):
        groups = 2 if table.name == "paper_scores" else 0
        stem = f"paper/{table.name.removeprefix('paper_')}"
        yield from table_files(
            table, stem, suffixes=tuple(MEDIA), aligned=True, group_columns=groups
        )


def paper_summary(comparison: Comparison) -> Table:
    """Weighted mean rank, score and spread over folds, one row per algorithm."""
    frame = comparison.summary[["algorithm", "mean_rank", "mean_score", "cvsd"]]
    digits = score_digits(comparison)
    columns = [
        Column("Algorithm", ("algorithm",), word, number=False),
        Column("Rank", ("mean_rank",), decimals(2)),
        Column(score_word(comparison.results.score_name), ("mean_score",), decimals(digits)),
    ]
    spread = ""
    if frame["cvsd"].notna().any():
        columns.append(Column("CVSD", ("cvsd",), decimals(digits + 1)))
        spread = " and its standard deviation across cross-validation folds (CVSD)"
    return Table(
        name="paper_summary",
        title=f"Weighted mean rank and {score_word(comparison.results.score_name)}{spread}",
        explanation="",
        frame=frame,
        columns=tuple(columns),
    )


def paper_p_values(comparison: Comparison) -> Table:
    """The triangle of corrected p-values, its first column without a heading."""
    table = p_value_table(comparison)
    first, *rest = table.columns
    return replace(
        table,
        name="paper_p_values",
        columns=(replace(first, header=""), *rest),
        best=None,
        best_means="",
    )


def paper_scores(comparison: Comparison, *, order: Sequence[str] | None = None) -> Table:
    """Every score with the traits of its task, the best of each task in bold.

    Parameters
    ----------
    comparison
        The comparison.
    order
        The algorithms in the order of their columns; by default the best mean rank first.
    """
    results = comparison.results
    names = comparison.algorithms if order is None else list(order)
    unknown = [name for name in names if name not in results.scores.columns]
    if unknown:
        raise ArgumentError(
            f"order names {unknown[0]!r}, which was not compared"
            f"{did_you_mean(unknown[0], comparison.algorithms)}"
        )
    scores = results.scores[names]
    leading = [Leading("Dataset", list(scores.index.get_level_values(0)))]
    for trait, (heading, places) in _TRAITS.items():
        if trait in results.traits:
            values = results.traits[trait].tolist()
            write = decimals(places) if places else integer
            leading.append(Leading(heading, values, _plain(write), number=True))
    leading.insert(
        2 if "m" in results.traits else 1, Leading("Class", list(scores.index.get_level_values(1)))
    )
    shown, columns = grid(leading, scores, decimals(score_digits(comparison)))
    numbers = scores.to_numpy(float)
    oriented = numbers if results.higher_is_better else -numbers
    with np.errstate(invalid="ignore"):
        top = np.where(np.isnan(oriented), -np.inf, oriented).max(axis=1, keepdims=True)
        best = top - oriented <= comparison.settings.tie_tolerance
    return Table(
        name="paper_scores",
        title=f"{score_word(comparison.results.score_name)} of every algorithm on every task",
        explanation="The best of each task is bold.",
        frame=with_headers(shown, columns),
        shown=shown,
        columns=columns,
        best=pd.DataFrame(best, columns=[column.keys[0] for column in columns[len(leading) :]]),
        terminal_rows=0,
    )


def defaults_table(frame: pd.DataFrame) -> Table:
    """The default hyperparameter values of data descriptors.

    Parameters
    ----------
    frame
        ``descriptor``, ``hyperparameter`` and ``default``, such as
        `occstats.tuning.default_hyperparameters` or a sweep gives them.

    Examples
    --------
    >>> frame = pd.DataFrame({"descriptor": ["ALP", "ALP"], "hyperparameter": ["k", "l"],
    ...                       "default": ["5.5 log n", "6.0 log n"]})
    >>> defaults_table(frame).cells()
    [['ALP', 'k', '5.5 log n'], ['ALP', 'l', '6.0 log n']]
    """
    missing = [name for name in ("descriptor", "hyperparameter", "default") if name not in frame]
    if missing:
        raise ArgumentError(
            f"the table of defaults needs the column {missing[0]!r}; it has "
            f"{', '.join(map(str, frame.columns))}"
        )
    return Table(
        name="paper_defaults",
        title="Default hyperparameter values of data descriptors",
        explanation="n: size of the target class; m: number of attributes; k and l are rounded to "
        "the nearest integer from 1 to n − 1.",
        frame=frame,
        columns=(
            Column("Data descriptor", ("descriptor",), word, number=False),
            Column("Hyperparameter", ("hyperparameter",), word, number=False),
            Column("Default value", ("default",), word, number=False),
        ),
    )


def _plain(write: Callable[..., str]) -> Callable[..., str]:
    """Without thousands separators, which an aligned column of numbers does not take."""
    return lambda value: write(value).replace(",", "")
