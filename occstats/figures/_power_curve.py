"""The power of a planned study by its number of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from occstats.figures._base import Plot
from occstats.figures._style import BLUE, Width, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from occstats.comparison.study_plan import Plan


def power_curve(
    plan: Plan, *, ax: Axes | None = None, width: Width = "column", note: bool = True
) -> Axes:
    """Draw the power over the number of datasets, with the number that suffices.

    It is not in `FIGURES`, which are drawn from results or measurements: a plan comes before them.

    Parameters
    ----------
    plan : Plan
        Its `curve` is drawn.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> from occstats import figures
    >>> from occstats.comparison.study_plan import plan_study
    >>> plan = plan_study(sd_dataset=0.05, difference=0.02)
    >>> figures.power_curve(plan).get_ylabel()
    'power'
    """
    with Plot(ax, width, note) as plot:
        axes = plot.axes(0.7 * plot.inches)
        axes.plot(plan.curve["n_datasets"], plan.curve["power"], "o-", color=BLUE, markersize=4)
        axes.axhline(plan.wanted_power, color=ink(), lw=0.7, ls=(0, (4, 2)))
        if np.isfinite(plan.datasets_needed):
            axes.axvline(plan.datasets_needed, color=ink(), lw=0.7, ls=(0, (4, 2)))
        axes.set(xlabel="datasets", ylabel="power", ylim=(0, 1.02))
        plot.note(plan.sentence)
        return plot.finish(axes, f"Curve of the power over the number of datasets. {plan.sentence}")
