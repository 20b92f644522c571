"""Which algorithms may share a bar: groups in which no pair was found to differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison

__all__ = ["PairVerdicts", "bars", "maximal_cliques", "pair_verdicts"]


@dataclass(frozen=True)
class PairVerdicts:
    """For every unordered pair, in summary order: was it tested, and was it found to differ."""

    names: tuple[str, ...]
    tested: NDArray[np.bool_]
    differ: NDArray[np.bool_]


def pair_verdicts(comparison: Comparison, names: list[str]) -> PairVerdicts:
    """Read from the corrected p-values which pairs differ.

    A pair differs when the corrected p-value of either direction is below the level of the
    comparison; it counts as tested when at least one direction has a corrected p-value (with a
    control, only the pairs with the control have).
    """
    p = corrected_p(comparison.pairwise, names)
    smaller = np.fmin(p, p.T)
    tested = np.isfinite(smaller)
    np.fill_diagonal(tested, False)
    differ = tested & (np.nan_to_num(smaller, nan=1.0) <= comparison.settings.alpha)
    return PairVerdicts(tuple(names), tested, differ)


def corrected_p(pairwise: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Return the corrected p-values as a square, row tested against column."""
    table = pairwise.pivot(index="a", columns="b", values="p_adjusted")
    return table.reindex(index=names, columns=names).to_numpy(dtype=float)


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
