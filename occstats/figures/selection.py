"""Which algorithms a figure shows, in which order, and how far its axes reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from occstats._checks import check_choice, check_integer
from occstats._format import did_you_mean, listing
from occstats.figures.options import Order
from occstats.figures._style import COLOURS, FigureError
from occstats.figures._labels import label
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = [
    "by_mean_rank",
    "chosen_algorithms",
    "fence",
    "kendall_square",
    "known_algorithm",
    "matrix_label_room",
    "most_that_fit",
    "ordered",
    "score_label",
    "told_apart",
]


def known_algorithm(name: str, known: Sequence[str], option: str = "algorithm") -> str:
    """Return the name if it was compared, or say which were."""
    if name not in known:
        raise FigureError(
            f"{option} {name!r} is not in this comparison{did_you_mean(str(name), known)}; "
            f"there are {listing(known)}"
        )
    return name


def by_mean_rank(comparison: Comparison) -> list[str]:
    """Return the algorithms in the order of their mean ranks, whatever the table is sorted by."""
    table = comparison.summary.sort_values("mean_rank", kind="stable")
    return [str(name) for name in table["algorithm"]]


def chosen_algorithms(
    wanted: Sequence[str] | None, ranked: Sequence[str], limit: int, show: int | None = None
) -> list[str]:
    """Return the algorithms asked for, or the first of the ranked ones, as many as can be read.

    None is left out unless a fifth would be: 20 of 21 says less than all 21.

    >>> len(chosen_algorithms(None, range(25), 20)), len(chosen_algorithms(None, range(26), 20))
    (25, 20)
    """
    if wanted is None:
        if show is not None:
            check_integer("show", show, least=1)
            return list(ranked[:show])
        return list(ranked if len(ranked) <= 1.25 * limit else ranked[:limit])
    if isinstance(wanted, str):
        raise FigureError(f"algorithms must be a list of names; got the text {wanted!r}")
    chosen = [known_algorithm(name, ranked) for name in dict.fromkeys(wanted)]
    if not chosen:
        raise FigureError("algorithms must name at least one algorithm; got an empty list")
    return chosen[:show]


def told_apart(ranked: Sequence[str], drawn: Sequence[str]) -> list[str]:
    """Return an order in which looks are handed out: by rank, but no colour twice in a drawing.

    >>> many = [f"a{place}" for place in range(40)]
    >>> order = told_apart(many, ["a0", "a30"])
    >>> order.index("a0"), order.index("a30"), sorted(order) == sorted(many)
    (0, 1, True)
    """
    order = list(ranked)
    free = (place for place, name in enumerate(ranked[:COLOURS]) if name not in drawn)
    for name in drawn:
        far = order.index(name)
        if far >= COLOURS and (near := next(free, None)) is not None:
            order[near], order[far] = name, order[near]
    return order


def ordered(
    comparison: Comparison, names: list[str], order: Order, ranked: Sequence[str]
) -> list[str]:
    """Return names in the order asked for, by default in that of `ranked`."""
    if not isinstance(order, str):
        first = [known_algorithm(name, comparison.algorithms, "order:") for name in order]
        return [*(n for n in first if n in names), *(n for n in names if n not in first)]
    check_choice("order", order, ("rank", "name", "similarity"))
    if order == "name":
        return sorted(names, key=str.casefold)
    if order == "similarity":
        return _by_similarity(comparison, names)
    return [name for name in ranked if name in names]


def _by_similarity(comparison: Comparison, names: list[str]) -> list[str]:
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(names) < 3:
        return names
    tau = kendall_square(comparison, names)
    distance = np.clip(1 - np.nan_to_num(tau, nan=0.0), 0, None)
    np.fill_diagonal(distance, 0)
    condensed = squareform(distance, checks=False)
    return [
        names[leaf] for leaf in leaves_list(linkage(condensed, "average", optimal_ordering=True))
    ]


def kendall_square(comparison: Comparison, names: list[str]) -> np.ndarray:
    """Return τ of every two names as a full square; the frame may hold either half or both."""
    table = comparison.kendall.pivot(index="a", columns="b", values="tau")
    tau = table.reindex(index=names, columns=names).to_numpy(dtype=float)
    return np.where(np.isnan(tau), tau.T, tau)


def matrix_label_room(inches: float) -> float:
    """Return the inches that the names beside and above a matrix may take.

    >>> matrix_label_room(3.0), matrix_label_room(7.0)
    (0.8999999999999999, 1.5)
    """
    return min(0.3 * inches, 1.5)


def most_that_fit(inches: float, most: int) -> int:
    """Return how many rows of labels fit a matrix of a width, at most `most`.

    >>> most_that_fit(3.5, 40), most_that_fit(7.0, 40)
    (19, 40)
    """
    # Eight points and a half a row, and some air at the sides.
    return max(min(most, int((inches - matrix_label_room(inches) - 0.15) * 72 / 8.5)), 2)


def fence(values: ArrayLike) -> tuple[float, float]:
    """Return how far an axis should reach: to the extremes, or short of a few that are far off.

    Far off is beyond five times the distance from the median that holds nine tenths of the rest:
    a diverged run must not flatten all others.

    >>> fence([1.0, 2.0, 3.0])
    (1.0, 3.0)
    >>> fence([*range(20), 10_000])
    (0.0, 19.0)
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if not len(finite):
        return 0.0, 1.0
    middle = float(np.median(finite))
    reach = 5 * float(np.quantile(np.abs(finite - middle), 0.9, method="lower"))
    if reach == 0:
        return float(finite.min()), float(finite.max())
    near = finite[np.abs(finite - middle) <= reach]
    return float(near.min()), float(near.max())


def score_label(comparison: Comparison) -> str:
    """Return the name of the score as it is written in prose: AUROC, accuracy."""
    return label(score_word(str(comparison.results.score_name)), 30)
