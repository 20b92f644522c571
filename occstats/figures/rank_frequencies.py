"""How often each algorithm takes each rank (the paper's figure of rank frequencies)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.ticker import MaxNLocator, PercentFormatter

from occstats.figures.canvas import describe, drawn_on, note, whole_figure
from occstats.figures.style import INK, Preset, preset
from occstats.figures.text import clean, labels

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["ranks"]

MOST_PANELS = 20


def ranks(
    comparison: Comparison,
    *,
    figure: FigureBase | None = None,
    width: str | float | Preset = "column",
) -> FigureBase:
    r"""Draw the weighted frequency of each rank, one small panel per algorithm.

    The frequency of rank :math:`r` is :math:`\sum_t w_t f_{tr}`, where a task in which
    :math:`g` algorithms tie gives each of them :math:`f_{tr} = 1/g` at each rank they share, and
    every data set has the same total weight. The triangle marks the mean rank.

    Parameters
    ----------
    comparison : Comparison
        Its frames `rank_frequencies` and `summary` are drawn.
    figure : Figure or SubFigure, optional
        Where to draw; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.

    Returns
    -------
    Figure or SubFigure

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
    ranked = list(comparison.summary["algorithm"])
    names = ranked[:MOST_PANELS]
    table = comparison.rank_frequencies.pivot(
        index="algorithm", columns="rank", values="frequency"
    ).reindex(names)
    mean = comparison.summary.set_index("algorithm")["mean_rank"]
    columns = _columns(len(names), preset(width).width)
    rows = math.ceil(len(names) / columns)
    # Titles may be as wide as a panel: four fifths of its share, at six tenths of a size a letter.
    titles = labels(names, limit=int(0.8 * preset(width).width / columns * 72 / (0.6 * 8)))
    with whole_figure(figure, width, 0.95 * rows + 0.28) as sheet:
        grid = sheet.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        panels = list(grid.flat)
        for axes, name, title in zip(panels, names, titles, strict=False):
            _panel(axes, table.loc[name].to_numpy(float), table.columns.to_numpy(), mean[name])
            axes.set_title(title)
        panels[0].set_ylim(0, max(1.08 * float(np.nanmax(table.to_numpy(float))), 0.05))
        _trim(panels, len(names), columns)
        sheet.supylabel("frequency", fontsize="medium")
        sheet.supxlabel("rank (1 = best, ▲ mean)", fontsize="medium")
        if len(names) < len(ranked):
            note(
                sheet,
                f"Rank (1 = best, ▲ mean). The best {len(names)} of {len(ranked)} algorithms.",
            )
        describe(sheet, _words(table.to_numpy(float), names, len(ranked)))
        return drawn_on(sheet, figure)  # type: ignore[no-any-return]


def _columns(count: int, inches: float) -> int:
    return max(1, min(3 if inches < 4.5 else 5, count))


def _panel(axes: Axes, frequency: np.ndarray, rank: np.ndarray, mean: float) -> None:
    many = len(rank) > 15
    axes.bar(
        rank, frequency, width=0.82, color="#0072B2", edgecolor="none" if many else INK, lw=0.4
    )
    axes.plot(
        mean,
        0,
        marker="^",
        color="#D55E00",
        markeredgecolor="white",
        markeredgewidth=0.5,
        markersize=5.5,
        clip_on=False,
        zorder=5,
    )
    axes.set_xlim(0.4, len(rank) + 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(min(len(rank), 5), integer=True, min_n_ticks=2))
    if len(rank) <= 9:
        axes.set_xticks(np.arange(1, len(rank) + 1, 1 if len(rank) <= 5 else 2))
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
        f"Bar charts of how often each of {total} algorithms takes each rank, data sets weighted "
        f"equally. {clean(names[first])} is most often first ({frequency[first, 0]:.0%}), "
        f"{clean(names[last])} most often last ({frequency[last, -1]:.0%})."
    )
