"""Frequencies of the ranks of each algorithm (a figure of Lenz et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from occstats.comparison import Comparison
from occstats.figures._base import ROWS, Order, Plot
from occstats.figures._labels import clean, measure
from occstats.figures._matrix import draw_rectangles
from occstats.figures._style import ORANGE, ArtistOptions, Width, ink, paper

# With more bars, neighbouring ranks share one.
MOST_BARS = 30


def ranks(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    figure: FigureBase | None = None,
    width: Width = "column",
    note: bool = True,
) -> NDArray[Any]:
    r"""Draw the weighted frequency of each rank, one small panel per algorithm.

    The frequency of rank :math:`r` is :math:`\sum_t w_t f_{tr}`, where a task in which
    :math:`g` algorithms tie gives each of them :math:`f_{tr} = 1/g` at each rank they share, and
    every dataset has the same total weight. The triangle marks the mean rank. With more
    than 30 algorithms, neighbouring ranks share a bar.

    Parameters
    ----------
    comparison : Comparison
        Its frames `rank_frequencies` and `summary` are drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    figure, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Returns
    -------
    ndarray of Axes
        One for each panel.

    References
    ----------
    Lenz, O. U., Peralta, D. & Cornelis, C. (2021). Average Localised Proximity: a new data
    descriptor with good default one-class classification performance. Pattern Recognition, 118.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.ranks(width="elsevier")
    >>> len(axes)
    3
    """
    with Plot(figure, width, note) as plot:
        names = plot.algorithms(comparison, ROWS, algorithms, order, labels, highlight)
        total = len(comparison.summary)
        table = comparison.rank_frequencies.pivot(
            index="algorithm", columns="rank", values="frequency"
        ).reindex(names)
        mean = comparison.summary.set_index("algorithm")["mean_rank"]
        panels = plot.panel_each(names, "rank (1 = best, ▲ mean)", "frequency")
        together = math.ceil(total / MOST_BARS)
        if together > 1:
            plot.note(f"Each bar covers {together} ranks.")
        frequency = np.add.reduceat(table.to_numpy(float), np.arange(0, total, together), axis=1)
        # A seventh of a panel's width is between the panels.
        size = matplotlib.rcParams["xtick.labelsize"]
        across = min(len(names), 3 if plot.inches < 4.5 else 5)
        room = 6 / 7 * plot.inches / across / (1.45 * measure(str(total), size))
        ticks = min(max(int(room), 1), 5)
        for axes, name, bars in zip(panels, names, frequency, strict=True):
            _panel(axes, bars, together, total, plot.tint(name), mean[name], ticks)
        panels[0].set_ylim(0, max(1.08 * float(np.nanmax(frequency)), 0.05))
        alternative = _alternative_text(table.to_numpy(float), names, total)
        return plot.finish_panels(panels, alternative)


def _panel(
    axes: Axes, bars: np.ndarray, together: int, count: int, colour: str, mean: float, ticks: int
) -> None:
    middles = np.arange(len(bars)) * together + (together + 1) / 2
    edge: ArtistOptions = {"edgecolors": "none" if count > 15 else ink(), "linewidths": 0.4}
    width = 0.82 * together
    draw_rectangles(axes, middles - width / 2, 0, width, bars, facecolors=colour, **edge)
    marker: ArtistOptions = {"markersize": 5.5, "markeredgecolor": paper(), "markeredgewidth": 0.5}
    axes.plot(mean, 0, "^", color=ORANGE, clip_on=False, zorder=5, **marker)
    axes.set_xlim(0.4, count + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(min(count, ticks), integer=True, min_n_ticks=2))
    if count <= 9:
        axes.set_xticks(np.arange(1, count + 1, 1 if count <= 5 else 2))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(axis="y")


def _alternative_text(frequency: np.ndarray, names: list[str], total: int) -> str:
    first, last = int(np.nanargmax(frequency[:, 0])), int(np.nanargmax(frequency[:, -1]))
    return (
        f"Bar charts of how often each of {total} algorithms takes each rank, datasets weighted "
        f"equally. {clean(names[first])} is most often first ({frequency[first, 0]:.0%}), "
        f"{clean(names[last])} most often last ({frequency[last, -1]:.0%})."
    )
