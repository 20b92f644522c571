"""Conclusions of several comparisons: a grid of algorithms by measures or slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle

from occstats._format import minus_signs
from occstats.comparison.decision import BETTER, EQUIVALENT, UNDECIDED, WORSE
from occstats.figures._base import Plot
from occstats.figures._labels import clean, label, measure
from occstats.figures._style import BLUE, FADED, ORANGE, ArtistOptions, ink_on, paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from occstats.comparison.families import Comparisons

COLOURS = {BETTER: BLUE, WORSE: ORANGE, EQUIVALENT: FADED}


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
    rows = family.cells.reset_index().to_numpy().tolist()
    subject = clean(family.subject)
    headings = [label(heading, 24) for heading in family.cells]
    with Plot(ax, "column") as plot:
        room = plot.inches * 0.75 / len(headings)
        turned = max(measure(text, "small") for text in headings) > 0.95 * room
        axes = plot.axes(0.22 * len(rows) + (1.0 if turned else 0.4))
        for y, (name, *cells) in enumerate(rows):
            for x, (cell, member) in enumerate(zip(cells, family.members.values(), strict=True)):
                kind = UNDECIDED
                if {name, family.subject} <= {*member.algorithms} and member.decision.possible:
                    kind = member.decision.row(family.subject)["conclusion"][name]
                colour = COLOURS.get(kind, paper())
                axes.add_patch(
                    Rectangle(
                        (x, y), 1, 1, facecolor=colour, edgecolor=FADED, lw=0.5, clip_on=False
                    )
                )
                axes.text(
                    *(x + 0.5, y + 0.5, minus_signs(cell.strip().rstrip("*="))),
                    ha="center", va="center", fontsize="x-small", color=ink_on(colour),
                )  # fmt: skip
        axes.set(xlim=(0, len(headings)), ylim=(len(rows), 0))
        places = [x + 0.5 for x in range(len(headings))]
        turn: ArtistOptions = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(places, headings, fontsize="small", **turn if turned else {})
        labels = [label(name, 24) for name, *_ in rows]
        axes.set_yticks([y + 0.5 for y in range(len(rows))], labels, fontsize="small")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        plot.note(
            f"Blue: {label(subject)} is better; orange: worse; grey: equivalent; white: undecided. "
            f"Numbers: difference from {label(subject)}."
        )
        answer = " ".join(family.lines())
        return plot.finish(axes, f"Grid of conclusions by {family.kind} about {subject}. {answer}")
