"""Which algorithms a figure shows, and what its score is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from occstats.figures.style import FigureError
from occstats.figures.text import label
from occstats.text import did_you_mean, listing

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["chosen_algorithms", "known_algorithm", "most_that_fit", "score_label"]

_ACRONYMS = {"auroc", "auc", "auprc", "rmse", "mae", "mse", "mcc", "f1"}


def known_algorithm(name: str, known: Sequence[str]) -> str:
    """Return the name if it was compared, or say which were."""
    if name not in known:
        raise FigureError(
            f"algorithm {name!r} is not in this comparison{did_you_mean(str(name), known)}; "
            f"there are {listing(known)}"
        )
    return name


def chosen_algorithms(wanted: Sequence[str] | None, ranked: Sequence[str], most: int) -> list[str]:
    """Return the algorithms asked for, or the first `most` of the ranked ones.

    >>> chosen_algorithms(None, ["a", "b", "c"], 2)
    ['a', 'b']
    """
    if wanted is None:
        return list(ranked[:most])
    if isinstance(wanted, str):
        raise FigureError(f"algorithms must be a list of names; got the text {wanted!r}")
    chosen = [known_algorithm(name, ranked) for name in dict.fromkeys(wanted)]
    if not chosen:
        raise FigureError("algorithms must name at least one algorithm; got an empty list")
    return chosen


def most_that_fit(inches: float, most: int) -> int:
    """Return how many rows of labels fit a square of a width, at most `most`.

    >>> most_that_fit(3.5, 40), most_that_fit(7.0, 40)
    (23, 40)
    """
    # Eight tenths of an inch for the labels, eight points a row.
    return max(min(most, int((inches - 0.8) * 72 / 8.2)), 2)


def score_label(comparison: Comparison) -> str:
    """Return the name of the score as it is written in prose: AUROC, accuracy."""
    name = str(comparison.results.score_name)
    return name.upper() if name.lower() in _ACRONYMS else label(name, 30)
