"""Critical-difference diagram: mean ranks, and a bar for each group with no difference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, MultipleLocator
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from occstats.figures.cliques import Group, describe_groups, explain_groups, groups, packed
from occstats.figures.drawing import drawing
from occstats.figures.frames import pair_decisions
from occstats.figures.letter_display import draw_letters
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import by_mean_rank
from occstats.figures._style import BLUE
from occstats.figures._labels import clean, fitted, measure

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["critical_difference"]

MOST_ALGORITHMS = 40
# Beyond these a letter display is easier to read, and it fits a page.
MOST_STEMS, MOST_ROWS = 30, 40
# Up to this number a diagram is drawn even if some names have to be abbreviated.
ALWAYS = 15
# Inches: a vertical unit (at 8 points), the least distance of two stems, the space beside a name.
_UNIT, _APART, _SPACE = 0.165, 0.075, 0.04
# Vertical units: a row of bars, a line of a name, and where the stems have parted.
_BAR_STEP, _LINE, _PARTED = 0.42, 0.78, 0.55
BAR_WIDTH, BRIDGE_WIDTH = 2.4, 0.6


@drawing("ax", [name for name in SERIES if name != "order"])
def critical_difference(pen: Pen, comparison: Comparison) -> None:
    """Draw mean ranks on a scale, with a bar for each group with no significant difference.

    Each bar is one group of algorithms (its dots), as large as possible, in which every pair was
    tested and no pair differs significantly. Two algorithms without a common bar differ
    significantly, or were not tested. Tests of pairs say more than the mean ranks: where an
    algorithm outside the group lies between two members, the bar has a gap. Demšar's diagram
    (2006) has no gaps because a single critical difference of mean ranks decides there; it
    assumes independent tasks, and the decision about two algorithms depends on all others
    (Benavoli et al. 2016).

    More than 30 algorithms, or more than 15 with names that do not fit the width, are drawn as a
    letter display (`letters`), and the note says so.

    Parameters
    ----------
    comparison : Comparison
        Its frames `summary` and `pairwise` are drawn.
    {options}

    References
    ----------
    Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of
    Machine Learning Research, 7, 1–30.
    Benavoli, A., Corani, G. & Mangili, F. (2016). Should we really use post-hoc tests based on
    mean-ranks? Journal of Machine Learning Research, 17, 1–10.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> figure = comparison.plot.critical_difference(width="ieee", highlight="ALP")
    """
    ranked = by_mean_rank(comparison)
    chosen = pen.series(comparison, MOST_ALGORITHMS, ranked=ranked)
    names = [name for name in ranked if name in chosen]
    decisions = pair_decisions(comparison, names)
    mean = comparison.summary.set_index("algorithm").loc[names, "mean_rank"].to_numpy(dtype=float)
    numbers = max(measure(f"{rank:.2f}", "small") for rank in mean) + 2 * _SPACE
    room = min(0.27 * pen.inches, (pen.inches - _APART * (len(names) - 1)) / 2 - numbers - _SPACE)
    everyone = groups(decisions) if len(names) <= MOST_STEMS else []
    rows = packed(everyone)
    instead = _obstacle(pen, names, room, max(rows, default=-1) + 1)
    if instead:
        pen.note(f"Drawn as a letter display: {instead}.")
        draw_letters(pen, comparison, names)
        return
    drawn = pen.labels(names, room, lines=3)
    widest = max(measure(line, "medium") for text in drawn for line in text.split("\n"))
    top = _PARTED + _BAR_STEP * (max(rows, default=-1) + 1)
    levels, depth = _levels(drawn, top)
    # Everything vertical follows the size of the letters.
    scale = float(matplotlib.rcParams["font.size"]) / 8
    axes = pen.axes(0.55 + _UNIT * scale * depth)
    low, high = _bounds(mean, len(comparison.summary))
    # Narrow axes of the user keep a scale; names may then lie outside.
    side = min(widest + numbers + _SPACE, 0.36 * pen.inches)
    _scale(axes, pen, (low, high), depth, side)
    unit = (high - low) / (pen.inches - 2 * side)
    layout = _Layout(
        mean=mean,
        feet=_parted(mean, _APART * unit, low, high),
        levels=levels,
        ends=(low - unit * (numbers + _SPACE), high + unit * (numbers + _SPACE)),
        unit=unit,
    )
    for place, name in enumerate(names):
        _stem(axes, pen, layout, place, name)
        _label(axes, pen, layout, place, name, drawn[place])
    for row, group in zip(rows, everyone, strict=True):
        _bar(axes, pen, layout, group, _PARTED + _BAR_STEP * (row + 0.3))
    meaning = "Bars join algorithms (dots) with no significant difference"
    note = explain_groups(comparison, decisions, everyone, meaning)
    if any(_gaps(group) for group in everyone):
        note += " A gap in a bar marks an algorithm outside the group."
    pen.note(note)
    pen.describe(describe_groups("Critical-difference diagram", comparison, decisions, everyone))


@dataclass(frozen=True)
class _Layout:
    """Positions of the algorithms: mean ranks, feet of the stems, heights of the names.

    `ends` is where horizontal lines end on the left and right, `unit` an inch of the scale.
    """

    mean: NDArray[np.float64]
    feet: NDArray[np.float64]
    levels: list[float]
    ends: tuple[float, float]
    unit: float

    def left(self, place: int) -> bool:
        """Tell whether the name is on the left: that of the better half is."""
        return place < (len(self.mean) + 1) // 2


def _obstacle(pen: Pen, names: list[str], room: float, n_rows: int) -> str:
    """Return why a diagram would not be legible, or an empty text."""
    if len(names) > MOST_STEMS:
        return f"more than {MOST_STEMS} algorithms"
    if n_rows > MOST_ROWS:
        return f"the groups need more than {MOST_ROWS} rows of bars"
    if len(names) > ALWAYS:
        called = [clean(pen.called(name)) for name in names]
        if room <= 0 or fitted(called, room, size="medium", lines=3)[1]:
            return "the names are too long for a diagram of this width"
    return ""


def _bounds(mean: NDArray[np.float64], total: int) -> tuple[float, float]:
    """Return the ends of the scale: mean ranks fill only a part of the possible ranks."""
    low, high = float(np.floor(mean.min())), float(np.ceil(mean.max()))
    if high == low:
        low, high = max(low - 1, 1.0), min(high + 1, float(max(total, 2)))
    return low, high


def _parted(
    mean: NDArray[np.float64], apart: float, low: float, high: float
) -> NDArray[np.float64]:
    """Return positions closest to the mean ranks (least squares), a distance apart, in bounds.

    >>> _parted(np.array([1.0, 3.0, 3.0]), 0.5, 1.0, 4.0).tolist()
    [1.0, 2.75, 3.25]
    >>> _parted(np.array([1.0, 1.0, 3.0]), 0.5, 1.0, 4.0).tolist()
    [1.0, 1.5, 3.0]
    """
    steps = min(apart, (high - low) / max(len(mean) - 1, 1)) * np.arange(len(mean))
    # Clipping an isotonic fit gives the best fit within the bounds.
    fit = np.clip(isotonic_regression(mean - steps).x, low, high - steps[-1])
    return np.asarray(fit + steps, dtype=float)


def _levels(drawn: list[str], top: float) -> tuple[list[float], float]:
    """Return the heights of the names below `top`, the outer ones first, and where they end.

    >>> _levels(["a", "two\\nlines", "c"], 1.0)
    ([1.39, 2.56, 1.39], 3.34)
    """
    last = len(drawn) - 1
    levels = [0.0] * len(drawn)
    for row in range(len(drawn) // 2 + len(drawn) % 2):
        height = _LINE * (1 + max(drawn[row].count("\n"), drawn[last - row].count("\n")))
        levels[row] = levels[last - row] = round(top + height / 2, 6)
        top += height
    return levels, round(top, 6)


def _scale(axes: Axes, pen: Pen, bounds: tuple[float, float], depth: float, side: float) -> None:
    low, high = bounds
    width = pen.inches - 2 * side
    margin = side / width * (high - low)
    axes.set(xlim=(low - margin, high + margin), ylim=(depth, 0))
    axes.grid(visible=False)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.spines["top"].set_bounds(low, high)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    most = max(int(width / 0.22), 1)
    ticks = MaxNLocator(most, integer=True, min_n_ticks=2).tick_values(low, high)
    axes.set_xticks([tick for tick in ticks if low <= tick <= high])
    if len(axes.get_xticks()) > 1 and high - low <= 12:
        halves = MultipleLocator(0.5).tick_values(low, high)
        axes.set_xticks([half for half in halves if low <= half <= high], minor=True)
    axes.set_xlabel("← better\u2002\u2002weighted mean rank\u2002\u2002worse →")


def _stem(axes: Axes, pen: Pen, layout: _Layout, place: int, name: str) -> None:
    foot, level = layout.feet[place], layout.levels[place]
    axes.plot(
        [layout.mean[place], foot, foot, layout.ends[0 if layout.left(place) else 1]],
        [0, 0.75 * _PARTED, level, level],
        color=pen.look(name).color if pen.coloured else pen.ink,
        lw=1.1 if pen.highlighted(name) else 0.7,
        solid_joinstyle="round",
        zorder=1,
    )


def _label(axes: Axes, pen: Pen, layout: _Layout, place: int, name: str, text: str) -> None:
    level, left = layout.levels[place], layout.left(place)
    end, outwards = (layout.ends[0], -1) if left else (layout.ends[1], 1)
    space = outwards * _SPACE * layout.unit
    sides = ("right", "left") if left else ("left", "right")
    written = axes.text(end + space, level, text, ha=sides[0], va="center")
    pen.emphasise([written], [name])
    axes.text(
        end - space,
        level - 0.04,
        f"{layout.mean[place]:.2f}",
        ha=sides[1],
        va="bottom",
        fontsize="small",
    )


def _gaps(group: Group) -> list[tuple[int, int]]:
    """Return the neighbouring members with others between them.

    >>> _gaps((0, 1, 4, 5, 7))
    [(1, 4), (5, 7)]
    """
    return [(one, other) for one, other in pairwise(group) if other > one + 1]


def _bar(axes: Axes, pen: Pen, layout: _Layout, group: Group, level: float) -> None:
    feet = layout.feet
    half = 0.5 * _APART * layout.unit
    gaps = [(feet[one + 1] - half, feet[other - 1] + half) for one, other in _gaps(group)]
    # NaN lifts the pen at each gap; a thin line shows that the bar goes on.
    solid = [feet[group[0]], *(x for low, high in gaps for x in (low, np.nan, high))]
    solid.append(feet[group[-1]])
    levels = np.full(len(solid), level)
    axes.plot(solid, levels, color=BLUE, lw=BAR_WIDTH, solid_capstyle="butt", zorder=2)
    for gap in gaps:
        axes.plot(gap, [level] * 2, color=BLUE, lw=BRIDGE_WIDTH, zorder=2)
    axes.plot(
        feet[list(group)],
        np.full(len(group), level),
        linestyle="none",
        marker="o",
        markersize=3.4,
        markerfacecolor=pen.paper,
        markeredgecolor=BLUE,
        markeredgewidth=0.9,
        zorder=5,
    )
