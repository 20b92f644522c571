"""Groups of algorithms with no significant difference between any two of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from occstats._format import listing
from occstats.figures.frames import PairDecisions, significance
from occstats.figures._labels import clean

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = [
    "Group",
    "covering_groups",
    "describe_groups",
    "explain_groups",
    "groups",
    "letter",
    "maximal_cliques",
    "packed",
]

# The places of the members in an order of algorithms, ascending.
Group = tuple[int, ...]


def groups(decisions: PairDecisions) -> list[Group]:
    """Return every largest group in which all pairs were tested and none differs significantly.

    These are the maximal cliques of two or more algorithms in the graph of all pairs that are
    equivalent or undecided. Two algorithms that share no group differ significantly, or were not
    tested.

    Examples
    --------
    >>> conclusion = np.array([
    ...     [None, "undecided", "better"],
    ...     ["undecided", None, "equivalent"],
    ...     ["worse", "equivalent", None],
    ... ], dtype=object)
    >>> numbers = np.full((3, 3), np.nan)
    >>> groups(PairDecisions(("a", "b", "c"), conclusion, numbers, numbers))
    [(0, 1), (1, 2)]
    """
    return [clique for clique in maximal_cliques(decisions.alike) if len(clique) > 1]


def covering_groups(everyone: list[Group]) -> list[Group]:
    """Return a small selection of groups that still holds every pair of each group.

    A letter display needs no more columns than these. The selection is greedy: finding the
    smallest one is NP-hard.

    >>> covering_groups([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    [(0, 1, 2), (0, 1, 3), (0, 2, 3)]
    """
    candidates = sorted(everyone, key=lambda group: (-len(group), group))
    uncovered = {pair for group in everyone for pair in _pairs(group)}
    chosen = []
    while uncovered:
        best = max(candidates, key=lambda group: len(uncovered & _pairs(group)))
        chosen.append(best)
        uncovered -= _pairs(best)
    return sorted(chosen)


def _pairs(group: Group) -> set[tuple[int, int]]:
    return {(i, j) for place, i in enumerate(group) for j in group[place + 1 :]}


def packed(everyone: list[Group]) -> list[int]:
    """Return the row of each group, such that a place is free between two bars of one row.

    >>> packed([(0, 1), (1, 2), (2, 3), (3, 4)])
    [0, 1, 2, 0]
    """
    ends: list[int] = []
    rows = []
    for group in everyone:
        row = next((place for place, end in enumerate(ends) if end + 1 < group[0]), len(ends))
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


def explain_groups(
    comparison: Comparison, decisions: PairDecisions, everyone: list[Group], meaning: str
) -> str:
    """Return the note below a figure: what a group means, by which test, and its limits.

    Parameters
    ----------
    comparison
        Names the level and the test.
    decisions, everyone
        The decisions about all pairs, and the groups that follow from them.
    meaning
        What a group in the figure means, as a sentence without its full stop.
    """
    tested = int(np.triu(decisions.tested, 1).sum())
    if not tested:
        return "No pair was tested."
    level = significance(comparison)
    differ = "All tested pairs differ" if tested > 1 else "The two algorithms differ"
    sentences = [f"{meaning} {level}." if everyone else f"{differ} significantly {level}."]
    untested = len(decisions.names) * (len(decisions.names) - 1) // 2 - tested
    if untested:
        sentences.append(f"Pairs without a test: {untested}.")
    return " ".join(sentences)


def describe_groups(
    figure: str, comparison: Comparison, decisions: PairDecisions, everyone: list[Group]
) -> str:
    """Return the alternative text of a figure of groups."""
    names = [clean(name) for name in decisions.names]
    text = f"{figure}. Best mean rank first: {listing(names, 20)}."
    joined = [listing([names[i] for i in group], 20) for group in everyone]
    if joined:
        more = f"; and {len(joined) - 12} more groups" if len(joined) > 12 else ""
        text += (
            f" Groups with no significant difference between any two members: "
            f"{'; '.join(joined[:12])}{more}."
        )
    elif decisions.tested.any():
        text += " All tested pairs differ significantly."
    else:
        return f"{text} No pair was tested."
    return text + f" Decided {significance(comparison)}."
