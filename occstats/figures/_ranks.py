"""How often each algorithm takes each rank (the paper's figure of rank frequencies)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from occstats.figures.drawing import drawing
from occstats.figures.marks import unnamed
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures._style import BLUE, ORANGE
from occstats.figures._labels import abreast, clean

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["ranks"]

MOST_PANELS = 20
# More bars in a panel would be spikes; neighbouring ranks share one.
MOST_BARS = 30


@drawing("figure", SERIES)
def ranks(pen: Pen, comparison: Comparison) -> None:
    r"""Draw the weighted frequency of each rank, one small panel per algorithm.

    The frequency of rank :math:`r` is :math:`\sum_t w_t f_{tr}`, where a task in which
    :math:`g` algorithms tie gives each of them :math:`f_{tr} = 1/g` at each rank they share, and
    every dataset has the same total weight. The triangle marks the mean rank. Of more than 30
    algorithms neighbouring ranks share a bar.

    Parameters
    ----------
    comparison : Comparison
        Its frames `rank_frequencies` and `summary` are drawn.
    {options}

    References
    ----------
    Lenz, O. U., Peralta, D. & Cornelis, C. (2021). Average Localised Proximity: a new data
    descriptor with good default one-class classification performance. Pattern Recognition, 118.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.ranks(width="elsevier")
    >>> len(figure.axes)
    3
    """
    names = pen.series(comparison, MOST_PANELS)
    total = len(comparison.summary)
    table = comparison.rank_frequencies.pivot(
        index="algorithm", columns="rank", values="frequency"
    ).reindex(names)
    mean = comparison.summary.set_index("algorithm")["mean_rank"]
    columns = _columns(len(names), pen.inches)
    rows = math.ceil(len(names) / columns)
    titles = pen.labels(names, 0.82 * pen.inches / columns, lines=2)
    height = rows * (0.95 if not any("\n" in title for title in titles) else 1.06)
    sheet = pen.sheet(height + 0.28)
    panels = list(sheet.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
    together = math.ceil(total / MOST_BARS)
    if together > 1:
        pen.note(f"Every bar is {together} ranks.")
    frequency = np.add.reduceat(table.to_numpy(float), np.arange(0, total, together), axis=1)
    # A seventh of a panel's width is between the panels.
    ticks = min(
        abreast(str(total), 6 / 7 * pen.inches / columns, matplotlib.rcParams["xtick.labelsize"]), 5
    )
    for axes, name, bars, title in zip(panels, names, frequency, titles, strict=False):
        plain = pen.options.highlight is None and pen.options.hue is None
        colour = BLUE if plain and pen.options.palette is None else pen.look(name).color
        _panel(axes, pen, bars, together, total, colour, mean[name], ticks)
        axes.set_title(title)
        pen.emphasise([axes.title], [name])
    panels[0].set_ylim(0, max(1.08 * float(np.nanmax(frequency)), 0.05))
    _trim(panels, len(names), columns)
    sheet.supylabel("frequency", fontsize="medium")
    _name_ranks(panels[(rows - 1) * columns : len(names)] or panels[:1])
    pen.describe(_words(table.to_numpy(float), names, total))


def _columns(count: int, inches: float) -> int:
    return max(1, min(3 if inches < 4.5 else 5, count))


def _name_ranks(bottom: list[Axes]) -> None:
    bottom[(len(bottom) - 1) // 2].set_xlabel("rank (1 = best, ▲ mean)")


def _panel(
    axes: Axes,
    pen: Pen,
    bars: np.ndarray,
    together: int,
    count: int,
    colour: str,
    mean: float,
    ticks: int,
) -> None:
    with unnamed(axes):
        sns.barplot(
            x=np.arange(len(bars)) * together + (together + 1) / 2,
            y=bars,
            native_scale=True,
            width=0.82,
            color=colour,
            saturation=1,
            edgecolor="none" if count > 15 else pen.ink,
            linewidth=0.4,
            errorbar=None,
            ax=axes,
        )
    axes.plot(
        mean,
        0,
        marker="^",
        color=ORANGE,
        markeredgecolor=pen.paper,
        markeredgewidth=0.5,
        markersize=5.5,
        clip_on=False,
        zorder=5,
    )
    axes.set_xlim(0.4, count + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(min(count, ticks), integer=True, min_n_ticks=2))
    if count <= 9:
        axes.set_xticks(np.arange(1, count + 1, 1 if count <= 5 else 2))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.grid(axis="y")


def _trim(panels: list[Axes], used: int, columns: int) -> None:
    for axes in panels[used:]:
        axes.remove()
    # The last panel of a shortened column shows the ticks that the removed one would have shown.
    for axes in panels[max(used - columns, 0) : used]:
        axes.tick_params(labelbottom=True)


def _words(frequency: np.ndarray, names: list[str], total: int) -> str:
    if not len(names):
        return "Bar charts of rank frequencies, without algorithms."
    first, last = int(np.nanargmax(frequency[:, 0])), int(np.nanargmax(frequency[:, -1]))
    return (
        f"Bar charts of how often each of {total} algorithms takes each rank, datasets weighted "
        f"equally. {clean(names[first])} is most often first ({frequency[first, 0]:.0%}), "
        f"{clean(names[last])} most often last ({frequency[last, -1]:.0%})."
    )
