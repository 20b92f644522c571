"""Conclusions of several comparisons: a heat map of algorithms by measures or slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import seaborn as sns
from matplotlib.colors import ListedColormap

from occstats._format import minus_signs
from occstats.comparison.decision import BETTER, EQUIVALENT, UNDECIDED, WORSE
from occstats.figures._base import Plot
from occstats.figures._labels import clean, label, measure
from occstats.figures._style import BLUE, FADED, ORANGE, paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from occstats.comparison.families import Comparisons

KINDS = (BETTER, WORSE, EQUIVALENT, UNDECIDED)


def conclusions(family: Comparisons, *, ax: Axes | None = None) -> Axes:
    """Draw the conclusion about the subject and each other algorithm, for each member.

    Parameters
    ----------
    family : Comparisons
        Its members are the columns; the cells hold the differences.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.

    Examples
    --------
    >>> import occstats
    >>> data = occstats.load_results("lenz2021").to_frame().assign(
    ...     accuracy=lambda frame: frame["auroc"].round(1)
    ... )
    >>> found = occstats.compare(data, score=["auroc", "accuracy"], n_resamples=100)
    >>> axes = found.plot()
    """
    names, subject = [str(name) for name in family.cells.index], clean(family.subject)
    kinds = np.full(family.cells.shape, KINDS.index(UNDECIDED))
    for column, member in enumerate(family.members.values()):
        if family.subject in member.algorithms and member.decision.possible:
            found = member.decision.row(family.subject)["conclusion"]
            for row, name in enumerate(names):
                if name in member.algorithms and found[name] in KINDS:  # else it has no test
                    kinds[row, column] = KINDS.index(found[name])
    numbers = family.cells.map(lambda cell: minus_signs(cell.strip().rstrip("*=")))
    headings = [label(heading, 24) for heading in family.cells]
    with Plot(ax, "column") as plot:
        room = plot.inches * 0.75 / len(headings)
        turned = max(measure(text, "small") for text in headings) > 0.95 * room
        axes = plot.axes(0.22 * len(names) + (1.0 if turned else 0.4))
        sns.heatmap(
            kinds, cmap=ListedColormap([BLUE, ORANGE, FADED, paper()]), vmin=0, vmax=3, cbar=False,
            annot=numbers.to_numpy(), fmt="", annot_kws={"fontsize": "x-small"}, ax=axes,
            linewidths=0.5, linecolor=FADED, xticklabels=headings,
            yticklabels=plot.row_labels(names, lines=1),
        )  # fmt: skip
        axes.tick_params(length=0, labelsize="small", rotation=0)
        if turned:
            axes.set_xticks(axes.get_xticks(), headings, rotation=35, ha="right")
        plot.note(
            f"Blue: {label(subject)} is better; orange: worse; grey: equivalent; white: undecided. "
            f"Numbers: difference from {label(subject)}."
        )
        answer = " ".join(family.lines())
        return plot.finish(axes, f"Grid of conclusions by {family.kind} about {subject}. {answer}")
