"""A letter display: algorithms that share a letter were not told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib
import numpy as np

from occstats.figures.cliques import (
    GROUPINGS,
    Grouping,
    PairVerdicts,
    bars,
    letter,
    pair_verdicts,
)
from occstats.figures.drawing import drawing
from occstats.figures.marks import row_height
from occstats.figures.options import SERIES
from occstats.figures.pen import Pen
from occstats.figures.style import BLUE
from occstats.figures.text import clean, measure
from occstats.text import listing

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["draw_letters", "group_note", "group_words", "letters"]

MOST_ALGORITHMS = 40
# Inches that a column of letters needs; narrower ones have dots. Inches of the mean ranks.
_LETTER, _RANKS = 0.085, 0.5


@drawing("ax", SERIES)
def letters(pen: Pen, comparison: Comparison, *, by: Grouping = "rule") -> None:
    """Draw a compact letter display: algorithms that share a letter were not told apart.

    Each column is a group of which every two were tested and none was found to differ; two
    algorithms without a common letter differ, or were not tested. Unlike bars, letters can show
    any result of tests of pairs, and of any number of algorithms. With `hue`, `palette` or
    `highlight` a square of its colour stands beside each name.

    Parameters
    ----------
    comparison : Comparison
        Its frames `summary` and `pairwise` are drawn.
    by : {"rule", "table", "naive", "nemenyi", "conover"}
        Which tests form the groups: those that the verdict rests on, the corrected p-values of
        the table, tests that take all tasks for independent, or Nemenyi's or Conover's tests of
        data set means.
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
    draw_letters(pen, comparison, pen.series(comparison, MOST_ALGORITHMS), by)


def draw_letters(pen: Pen, comparison: Comparison, names: list[str], by: Grouping = "rule") -> None:
    """Draw the letter display of some algorithms with a pen."""
    verdicts = pair_verdicts(comparison, names, by)
    groups = bars(verdicts)
    # As is usual, who differs from everyone has a letter of his own.
    shared = {member for group in groups for member in group}
    columns = sorted([*groups, *((i,) for i in range(len(names)) if i not in shared)])
    mean = comparison.summary.set_index("algorithm").loc[names, "mean_rank"]
    drawn = pen.row_names(names, roomy=len(names) <= 25)
    axes = pen.axes(0.35 + (row_height(drawn) if len(names) <= 25 else 0.15) * len(names))
    pen.write_rows(axes, names, drawn)
    count = max(len(columns), 6)
    # Names stand within our own paper, but outside of the user's axes.
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
            -0.5 - 0.2 * ranks, place, f"{mean[name]:.2f}", ha="right", va="center",
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
    sharing = "that share a letter" if written else "with a dot in one column"
    pen.note(group_note(comparison, verdicts, [sharing], by))
    pen.describe(group_words("Letter display", comparison, verdicts, groups))


def group_note(
    comparison: Comparison, verdicts: PairVerdicts, ways: Sequence[str], by: Grouping = "rule"
) -> str:
    """Say what bars and letters mean, and what they do not."""
    level = GROUPINGS[by].format(alpha=comparison.settings.alpha, unit=comparison.results.unit)
    parts = [
        f"Algorithms {' or '.join(ways)} do not differ {level}."
        if ways
        else f"All tested pairs differ {level}."
    ]
    untested = int(np.triu(~verdicts.tested, 1).sum())
    if untested:
        parts.append(f"Neither means anything for the {untested} pairs without a test.")
    return " ".join(parts)


def group_words(
    what: str, comparison: Comparison, verdicts: PairVerdicts, groups: list[tuple[int, ...]]
) -> str:
    """Return the groups as alternative text."""
    order = listing([clean(name) for name in verdicts.names], 20)
    text = f"{what}. Best mean rank first: {order}."
    joined = [listing([clean(verdicts.names[i]) for i in group], 20) for group in groups]
    if joined:
        text += f" No two of the following differ significantly: {'; '.join(joined[:12])}."
    else:
        text += " All tested pairs differ significantly."
    return text + f" Level {comparison.settings.alpha:g}, corrected p-values."
