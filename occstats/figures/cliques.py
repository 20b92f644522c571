"""Which algorithms may share a bar: groups in which no pair was found to differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.checks import check_choice
from occstats.comparison.classical import ON_TASKS
from occstats.comparison.pairs import BETTER, WORSE
from occstats.figures.style import FigureError

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = [
    "GROUPINGS",
    "Grouping",
    "PairVerdicts",
    "bars",
    "contiguous",
    "letter",
    "maximal_cliques",
    "nemenyi_scale",
    "packed",
    "pair_verdicts",
]

Grouping = Literal["rule", "table", "naive", "nemenyi", "conover"]
# What may decide which algorithms are alike, and how a note says it.
GROUPINGS: dict[str, str] = {
    "rule": "at corrected p\u00a0≤\u00a0{alpha:g}",
    "table": "by the corrected p-values of the table, p\u00a0≤\u00a0{alpha:g}",
    "naive": "at p\u00a0≤\u00a0{alpha:g} by tests that take all tasks for independent",
    "nemenyi": "at p\u00a0≤\u00a0{alpha:g} by Nemenyi's test of {unit} means",
    "conover": "at p\u00a0≤\u00a0{alpha:g} by Conover's test of {unit} means (Holm)",
}
_COLUMNS = {
    "table": "p_adjusted",
    "naive": "p_naive_adjusted",
    "nemenyi": "p_nemenyi",
    "conover": "p_conover_holm",
}


@dataclass(frozen=True)
class PairVerdicts:
    """For every unordered pair, in summary order: was it tested, and was it found to differ."""

    names: tuple[str, ...]
    tested: NDArray[np.bool_]
    differ: NDArray[np.bool_]


def pair_verdicts(comparison: Comparison, names: list[str], by: Grouping = "rule") -> PairVerdicts:
    """Read which pairs were tested, and which differ: by the rule of the comparison, or another."""
    check_choice("by", by, GROUPINGS)
    if by == "rule":
        conclusions = comparison.matrix("conclusion").loc[names, names]
        tested, differ = conclusions.notna(), conclusions.isin([BETTER, WORSE])
    else:
        p = _p_values(comparison, by).reindex(index=names, columns=names)
        # A one-sided test of either direction may have found the difference.
        tested, found = p.notna(), p <= comparison.settings.alpha
        tested, differ = tested | tested.T, found | found.T
    return PairVerdicts(tuple(names), tested.to_numpy(), differ.to_numpy())


def _p_values(comparison: Comparison, by: Grouping) -> pd.DataFrame:
    column = _COLUMNS[by]
    if by in ("nemenyi", "conover"):
        return _classical(comparison, by).pivot(index="a", columns="b", values=column)
    if column not in comparison.pairwise.columns:
        raise FigureError(f"by={by!r} needs {column} in comparison.pairwise, which has none")
    return comparison.matrix(column)


def _classical(comparison: Comparison, by: Grouping) -> pd.DataFrame:
    pairs = comparison.classical.pairs
    if not len(pairs):
        raise FigureError(f"by={by!r}: the comparison is too large for the classical tests")
    return pairs[pairs["unit"] != ON_TASKS]


def nemenyi_scale(comparison: Comparison, names: list[str]) -> tuple[pd.Series, float]:
    """Return the mean ranks that Nemenyi compares, and the difference that is critical.

    They are unweighted ranks of data set (or suite) means; a mean rank is the middle of all ranks
    plus the mean of its differences to all.
    """
    pairs = _classical(comparison, "nemenyi")
    there = pairs.pivot(index="a", columns="b", values="mean_rank_difference")
    everyone = comparison.algorithms
    upper = there.reindex(index=everyone, columns=everyone).to_numpy(dtype=float)
    square = np.where(np.isnan(upper), np.nan_to_num(-upper.T), upper)
    k = len(everyone)
    means = pd.Series((k + 1) / 2 + square.sum(axis=1) / k, index=everyone)
    tests = comparison.classical.friedman
    critical = tests.loc[tests["unit"] != ON_TASKS, "critical_difference"]
    return means.loc[names], float(critical.iloc[0])


def bars(verdicts: PairVerdicts) -> list[tuple[int, ...]]:
    """Return groups that cover every tested pair without a difference, as few as a greedy finds.

    Each group is a maximal clique: *all* of its pairs were tested and none differs. Every pair
    that is in no group either differs or was not tested.

    Examples
    --------
    >>> tested = ~np.eye(3, dtype=bool)
    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> bars(PairVerdicts(("a", "b", "c"), tested, differ))
    [(0, 1), (1, 2)]
    """
    alike = verdicts.tested & ~verdicts.differ
    cliques = sorted(
        (clique for clique in maximal_cliques(alike) if len(clique) > 1),
        key=lambda clique: (-len(clique), clique),
    )
    open_pairs = {(i, j) for i, j in np.argwhere(np.triu(alike, 1)).tolist()}
    chosen = []
    while open_pairs:
        best = max(cliques, key=lambda clique: len(open_pairs & _pairs(clique)))
        chosen.append(best)
        open_pairs -= _pairs(best)
    return sorted(chosen)


def contiguous(group: tuple[int, ...]) -> bool:
    """Whether a bar over a group covers no one else.

    >>> contiguous((2, 3, 4)), contiguous((2, 4))
    (True, False)
    """
    return group[-1] - group[0] == len(group) - 1


def packed(groups: list[tuple[int, ...]]) -> list[int]:
    """Return a row for each group, as few rows as keep two bars of one row apart.

    >>> packed([(0, 1), (1, 2), (2, 3), (4, 5)])
    [0, 1, 0, 0]
    """
    ends: list[int] = []
    rows = []
    for group in groups:
        row = next((place for place, end in enumerate(ends) if end < group[0]), len(ends))
        ends[row : row + 1] = [group[-1]]
        rows.append(row)
    return rows


def letter(number: int) -> str:
    """Return a, b, …, z, aa, ab, ….

    >>> letter(0), letter(25), letter(26), letter(52)
    ('a', 'z', 'aa', 'ba')
    """
    text = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        text = chr(ord("a") + place) + text
    return text


def _pairs(clique: tuple[int, ...]) -> set[tuple[int, int]]:
    return {(i, j) for place, i in enumerate(clique) for j in clique[place + 1 :]}


def maximal_cliques(adjacent: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """List the maximal cliques of a graph (Bron and Kerbosch 1973, with Tomita's pivot).

    Examples
    --------
    >>> maximal_cliques(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool))
    [(0, 1), (0, 2)]
    """
    neighbours = [set(np.flatnonzero(row).tolist()) for row in adjacent]

    def grow(members: set[int], open_: set[int], closed: set[int]) -> Iterator[set[int]]:
        if not open_ and not closed:
            yield members
            return
        pivot = max(open_ | closed, key=lambda vertex: len(neighbours[vertex] & open_))
        for vertex in sorted(open_ - neighbours[pivot]):
            near = neighbours[vertex]
            yield from grow(members | {vertex}, open_ & near, closed & near)
            open_ = open_ - {vertex}
            closed = closed | {vertex}

    everyone = set(range(len(neighbours)))
    return sorted(tuple(sorted(found)) for found in grow(set(), everyone, set()))
