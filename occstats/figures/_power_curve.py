"""The power of a planned study by its number of datasets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from occstats.errors import FigureError
from occstats.figures._base import Plot, without_pyplot
from occstats.figures._style import BLUE, check_formats, ink, root_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from occstats.comparison.study_plan import Plan


def power_curve(plan: Plan, *, ax: Axes | None = None) -> Axes:
    """Draw the power over the number of datasets, with the number that suffices.

    Parameters
    ----------
    plan : Plan
        Its `curve` is drawn.
    ax : Axes, optional
        Axes to draw on; by default those of a new figure.
    """
    with Plot(ax, "column", None, "house", None, True) as plot:
        axes = plot.axes(0.7 * plot.inches)
        axes.plot(plan.curve["n_datasets"], plan.curve["power"], "o-", color=BLUE, markersize=4)
        axes.axhline(plan.wanted_power, color=ink(), lw=0.7, ls=(0, (4, 2)))
        if np.isfinite(plan.datasets_needed):
            axes.axvline(plan.datasets_needed, color=ink(), lw=0.7, ls=(0, (4, 2)))
        axes.set(xlabel="datasets", ylabel="power", ylim=(0, 1.02))
        plot.note(plan.sentence)
        return plot.finish(f"Curve of the power over the number of datasets. {plan.sentence}")


def draw_power_curve(plan: Plan, path: str) -> None:
    """Write the figure to a file whose suffix gives its type."""
    file = Path(path)
    kinds = check_formats([file.suffix.removeprefix(".")])
    if not file.parent.is_dir():
        raise FigureError(f"power_curve: there is no folder {str(file.parent)!r}")
    with without_pyplot():
        figure = root_figure(power_curve(plan))
    save(figure, file.with_suffix(""), formats=kinds, title="Power")
