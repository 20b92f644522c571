"""Compact letter display: no two algorithms that share a letter differ significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib

from occstats.figures.cliques import (
    covering_groups,
    describe_groups,
    explain_groups,
    groups,
    letter,
)
from occstats.figures.drawing import drawing
from occstats.figures.frames import pair_decisions
from occstats.figures.marks import row_height
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import by_mean_rank
from occstats.figures._style import BLUE
from occstats.figures._labels import measure

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["draw_letters", "letters"]

MOST_ALGORITHMS = 40
# Inches that a column of letters needs; narrower ones have dots. Inches of the mean ranks.
_LETTER, _RANKS = 0.085, 0.5


@drawing("ax", SERIES)
def letters(pen: Pen, comparison: Comparison) -> None:
    """Draw a compact letter display of the groups with no significant difference.

    Each letter is a group of algorithms in which every pair was tested and no pair differs
    significantly. Two algorithms without a common letter differ significantly, or were not tested.
    There are as few letters as a greedy search finds. With `hue`, `palette` or `highlight`, a
    square in its colour precedes each mean rank.

    Parameters
    ----------
    comparison : Comparison
        Its frames `summary` and `pairwise` are drawn.
    {options}

    References
    ----------
    Piepho, H.-P. (2004). An algorithm for a letter-based representation of all-pairwise
    comparisons. Journal of Computational and Graphical Statistics, 13(2), 456–466.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.letters()
    """
    ranked = by_mean_rank(comparison)
    draw_letters(pen, comparison, pen.series(comparison, MOST_ALGORITHMS, ranked=ranked))


def draw_letters(pen: Pen, comparison: Comparison, names: list[str]) -> None:
    """Draw the letter display of the named algorithms."""
    decisions = pair_decisions(comparison, names)
    lettered = covering_groups(groups(decisions))
    # By convention, an algorithm that differs from all others has a letter of its own.
    shared = {member for group in lettered for member in group}
    columns = sorted([*lettered, *((i,) for i in range(len(names)) if i not in shared)])
    mean = comparison.summary.set_index("algorithm").loc[names, "mean_rank"]
    drawn = pen.row_names(names, roomy=len(names) <= 25)
    axes = pen.axes(0.35 + (row_height(drawn) if len(names) <= 25 else 0.15) * len(names))
    pen.write_rows(axes, names, drawn)
    count = max(len(columns), 6)
    # Names are part of a new figure's width, but lie outside the axes of the user.
    side = 0.0 if axes is pen.given else 0.1 + max(
        measure(line, matplotlib.rcParams["ytick.labelsize"])
        for text in drawn for line in text.split("\n")
    )  # fmt: skip
    column_width = (pen.inches - side - _RANKS) / count
    ranks = _RANKS / column_width
    axes.set(xlim=(-0.5 - ranks, count - 0.5), ylim=(len(names) - 0.4, -0.8))
    for place, name in enumerate(names):
        axes.axhline(place, color=pen.faded, lw=0.3, alpha=0.6, zorder=0)
        axes.text(
            -0.5 - 0.2 * ranks, place, f"{mean[name]:.2f}", ha="right", va="center_baseline",
            fontsize="small",
        )  # fmt: skip
        if pen.coloured:
            axes.plot(-0.5 - 0.92 * ranks, place, "s", markersize=4, color=pen.look(name).color)
    written = column_width >= _LETTER
    for column, group in enumerate(columns):
        axes.plot([column] * 2, [group[0], group[-1]], color=BLUE, lw=0.6, alpha=0.5, zorder=1)
        for member in group:
            axes.plot(
                column, member, "o", markersize=7 if written else 3,
                color=pen.paper if written else BLUE, markeredgewidth=0, zorder=2,
            )  # fmt: skip
            if written:
                axes.text(
                    column, member, letter(column), ha="center", va="center_baseline",
                    fontsize="small", fontweight="bold", color=BLUE, zorder=3,
                )  # fmt: skip
    axes.set_xticks([-0.5 - 0.5 * ranks], ["mean\nrank"])
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    shared_by = "that share a letter" if written else "with a dot in the same column"
    meaning = f"No significant difference between algorithms {shared_by}"
    pen.note(explain_groups(comparison, decisions, lettered, meaning))
    pen.describe(describe_groups("Letter display", comparison, decisions, lettered))
