"""Tables for a paper, in LaTeX: the comparison, the p-values of all pairs, and all scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import count, decimals, did_you_mean, integer
from occstats.errors import ArgumentError
from occstats.report.markup import table_to_latex
from occstats.report.pair_tables import p_value_table
from occstats.report.formatted_table import Leading, Table, grid, with_headers
from occstats.report.tables import comparison_table
from occstats.report.writing import score_digits
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["comparison_latex", "paper_files", "paper_p_values", "paper_scores"]

# trait → its heading and its decimals, in the order of Lenz et al.; the class is between m and n
_TRAITS = {"m": ("m", 0), "n": ("n", 0), "sparsity": ("s", 2)}
# Longer names are replaced by numbers at the head of a column.
LONGEST_HEADING = 6


def paper_files(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the path and content of each table.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", n_resamples=100)
    >>> [path for path, _ in paper_files(comparison)]
    ['paper/comparison.tex', 'paper/p_values.tex', 'paper/scores.tex']
    """
    yield "paper/comparison.tex", comparison_latex(comparison)
    several = len(comparison.algorithms) > 2 and comparison.settings.control is None
    if several and comparison.results.n_independent > 1:
        yield "paper/p_values.tex", table_to_latex(paper_p_values(comparison).capped())
    scores = paper_scores(comparison).capped("tables/scores.csv")
    yield "paper/scores.tex", table_to_latex(scores, aligned=True, group_columns=2)


def comparison_latex(comparison: Comparison) -> str:
    """Return the table of the comparison in LaTeX (booktabs).

    Examples
    --------
    >>> import occstats
    >>> latex = comparison_latex(occstats.compare("lenz2021", n_resamples=100))
    >>> "NND & 4.35 & 0.805 & +0.007 & " in latex
    True
    """
    results = comparison.results
    table = replace(
        comparison_table(comparison),
        title=f"Comparison of {len(comparison.algorithms)} algorithms by "
        f"{score_word(results.score_name)} on {count(results.n_tasks, 'task')} in "
        f"{count(results.n_clusters, 'dataset')}",
        explanation="",
    )
    return table_to_latex(table.capped())


def paper_p_values(comparison: Comparison) -> Table:
    """Return the matrix of the p-values that decide; long names are numbered."""
    table = p_value_table(comparison)
    first, *others = table.columns
    table = replace(table, columns=(replace(first, header=""), *others))
    if table.shown is None or max(len(column.header) for column in others) <= LONGEST_HEADING:
        return table
    number = {name: str(place) for place, name in enumerate(comparison.algorithms, start=1)}
    rows = table.shown[first.keys[0]]
    rest = [column.header for column in others if column.header not in set(rows)]
    legend = "".join(f" {number[name]}: {name}." for name in rest)
    return replace(
        table,
        columns=(table.columns[0], *(replace(c, header=number[c.header]) for c in others)),
        shown=table.shown.assign(**{first.keys[0]: [f"{number[name]} {name}" for name in rows]}),
        note=f"{table.note}{legend}".strip(),
    )


def paper_scores(comparison: Comparison, *, order: Sequence[str] | None = None) -> Table:
    """Return every score with the traits of its task, the best of each task in bold.

    Parameters
    ----------
    comparison
        The comparison.
    order
        The algorithms in the order of their columns; by default best first.
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


def _plain(write: Callable[..., str]) -> Callable[..., str]:
    """Return a writer without thousands separators, which siunitx does not read."""
    return lambda value: write(value).replace(",", "")
