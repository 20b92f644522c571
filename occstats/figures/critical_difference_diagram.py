"""A critical-difference diagram whose bars come from the corrected clustered tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, MultipleLocator
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from occstats.figures.cliques import (
    Grouping,
    bars,
    contiguous,
    letter,
    nemenyi_scale,
    packed,
    pair_verdicts,
)
from occstats.figures.drawing import drawing
from occstats.figures.letter_display import draw_letters, group_note, group_words
from occstats.figures.options import SERIES
from occstats.figures.pen import Pen
from occstats.figures.style import BLUE
from occstats.figures.text import measure

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["critical_difference"]

MOST_ALGORITHMS = 40
MOST_STEMS = 15
_BAR_STEP, _LABEL_STEP = 0.42, 0.72
# Inches between neighbouring stems, and how far below the scale they have parted.
_APART, _PARTED = 0.07, 0.55
# Room below the names for the bar of a critical difference.
_CRITICAL = 1.2


@drawing("ax", [name for name in SERIES if name != "order"])
def critical_difference(pen: Pen, comparison: Comparison, *, by: Grouping = "rule") -> None:
    """Draw mean ranks on a line and join the algorithms that the tests do not tell apart.

    In the classical diagram one critical distance decides, for independent tasks. Here a bar
    joins algorithms (its dots) when *every* pair of them was tested and none was found to differ
    by the corrected clustered tests. Stems part where mean ranks nearly coincide, so that each
    bar ends at its last member. Tests of pairs know more than mean ranks: a group that would have
    to pass over an algorithm that is not in it has a letter beside its members instead of a bar.
    More than 15 algorithms are drawn as a letter display (`letters`).

    Parameters
    ----------
    comparison : Comparison
        Its frames `summary` and `pairwise` are drawn.
    by : {"rule", "table", "naive", "nemenyi", "conover"}
        Which tests form the groups: those that the verdict rests on, the corrected p-values of
        the table, tests that take all tasks for independent, or Nemenyi's or Conover's tests of
        data set means. With ``"nemenyi"`` the scale has the mean ranks that this test compares,
        and a bar above it is the critical difference.
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
    chosen = pen.series(comparison, MOST_ALGORITHMS)
    names = [name for name in comparison.algorithms if name in chosen]
    if len(names) > MOST_STEMS:
        draw_letters(pen, comparison, names, by)
        return
    ranks = comparison.summary.set_index("algorithm")["mean_rank"].loc[names]
    critical = None
    if by == "nemenyi":
        ranks, critical = nemenyi_scale(comparison, names)
        # The best on data set means need not be the best on tasks.
        ranks = ranks.sort_values(kind="stable")
        names = [str(name) for name in ranks.index]
    verdicts = pair_verdicts(comparison, names, by)
    groups = bars(verdicts)
    barred = [group for group in groups if contiguous(group)]
    lettered = [group for group in groups if not contiguous(group)]
    rows = packed(barred)
    drawn = pen.labels(names, 0.27 * pen.inches, lines=2)
    # Two lines need twice the height of one.
    step = _LABEL_STEP * (2 if any("\n" in text for text in drawn) else 1)
    top = _PARTED + _BAR_STEP * (max(rows, default=-1) + 1)
    depth = top + step * ((len(names) + 1) // 2) + (_CRITICAL if critical is not None else 0)
    axes = pen.axes(0.55 + 0.165 * depth)
    mean = ranks.to_numpy(dtype=float)
    room = max(measure(line, "medium") for text in drawn for line in text.split("\n"))
    means = f"mean rank of {comparison.results.unit} means"
    kind = "weighted mean rank" if critical is None else means
    _scale(axes, pen, mean, depth, len(comparison.summary), room, kind)
    places = _parted(mean, _APART * _unit(axes, pen))
    letters = [
        "".join(letter(n) for n, group in enumerate(lettered) if i in group)
        for i in range(len(names))
    ]
    for place in range(len(names)):
        _stem(axes, pen, names, place, mean[place], places[place], (top, step), room)
    _label(axes, pen, names, drawn, letters, mean, (top, step), room)
    for row, group in zip(rows, barred, strict=True):
        _bar(axes, pen, places[list(group)], _PARTED + _BAR_STEP * (row + 0.3))
    if critical is not None:
        _critical_bar(axes, pen, mean, critical)
        pen.note(f"CD: Nemenyi's critical difference, {critical:.2f}.")
    ways = [(barred, "joined by a bar (dots)"), (lettered, "that share a letter")]
    pen.note(group_note(comparison, verdicts, [way for used, way in ways if used], by))
    pen.describe(group_words("Critical-difference diagram", comparison, verdicts, groups))


def _critical_bar(axes: Axes, pen: Pen, mean: NDArray[np.float64], critical: float) -> None:
    """A bar of the length of the critical difference, below the best end of the scale."""
    start = float(np.floor(mean.min()))
    ends = [start, start + critical]
    level = axes.get_ylim()[0] - 0.25
    axes.plot(ends, [level] * 2, color=pen.ink, lw=1.6, marker="|", markersize=5)
    axes.text(
        float(np.mean(ends)), level - 0.2, f"CD = {critical:.2f}", ha="center", va="bottom",
        fontsize="small",
    )  # fmt: skip


def _unit(axes: Axes, pen: Pen) -> float:
    """How much of the axis is an inch."""
    left, right = axes.get_xlim()
    return (right - left) / pen.inches


def _parted(mean: NDArray[np.float64], apart: float) -> NDArray[np.float64]:
    """Where stems stand: nearest to the mean ranks (least squares) yet a distance apart.

    >>> _parted(np.array([1.0, 3.0, 3.0]), 0.5).tolist()
    [1.0, 2.75, 3.25]
    """
    steps = apart * np.arange(len(mean))
    return np.asarray(isotonic_regression(mean - steps).x + steps, dtype=float)


def _scale(
    axes: Axes,
    pen: Pen,
    mean: NDArray[np.float64],
    depth: float,
    total: int,
    room: float,
    kind: str,
) -> None:
    # Mean ranks fill only a part of the possible ranks: show that part.
    low, high = float(np.floor(mean.min())), float(np.ceil(mean.max()))
    if high == low:
        low, high = max(low - 1, 1.0), min(high + 1, float(max(total, 2)))
    # Outside the scale there is place for the names and for the ranks beside them.
    side = min((room + 0.32) / pen.inches, 0.36)
    margin = side / (1 - 2 * side) * (high - low)
    axes.set(xlim=(low - margin, high + margin), ylim=(depth, 0))
    axes.grid(visible=False)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.spines["top"].set_bounds(low, high)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    most = max(int((1 - 2 * side) * pen.inches / 0.22), 1)
    ticks = MaxNLocator(most, integer=True, min_n_ticks=2).tick_values(low, high)
    axes.set_xticks([tick for tick in ticks if low <= tick <= high])
    if len(axes.get_xticks()) > 1 and high - low <= 12:
        halves = MultipleLocator(0.5).tick_values(low, high)
        axes.set_xticks([half for half in halves if low <= half <= high], minor=True)
    axes.set_xlabel(f"← better\u2002\u2002{kind}\u2002\u2002worse →")


def _side(
    axes: Axes, pen: Pen, count: int, place: int, steps: tuple[float, float], room: float
) -> tuple[bool, float, float]:
    """On which side the name of an algorithm stands, at which height, and where."""
    top, step = steps
    left, right = axes.get_xlim()
    on_left = place < (count + 1) // 2
    row = place if on_left else count - 1 - place
    inner = (room + 0.04) * _unit(axes, pen)
    return on_left, top + step * (row + 0.5), left + inner if on_left else right - inner


def _stem(
    axes: Axes,
    pen: Pen,
    names: list[str],
    place: int,
    rank: float,
    foot: float,
    steps: tuple[float, float],
    room: float,
) -> None:
    _, level, end = _side(axes, pen, len(names), place, steps, room)
    name = names[place]
    axes.plot(
        [rank, foot, foot, end],
        [0, 0.75 * _PARTED, level, level],
        color=_colour(pen, name),
        lw=1.1 if pen.highlighted(name) else 0.7,
        solid_joinstyle="round",
        zorder=1,
    )


def _colour(pen: Pen, name: str) -> str:
    return pen.look(name).color if pen.coloured else pen.ink


def _label(
    axes: Axes,
    pen: Pen,
    names: list[str],
    drawn: list[str],
    letters: list[str],
    mean: NDArray[np.float64],
    steps: tuple[float, float],
    room: float,
) -> None:
    unit = _unit(axes, pen)
    for place, name in enumerate(names):
        left, level, end = _side(axes, pen, len(names), place, steps, room)
        out, align = (-1, "right") if left else (1, "left")
        text = axes.text(end + 0.04 * out * unit, level, drawn[place], ha=align, va="center")
        pen.emphasise([text], [name])
        number = f"{mean[place]:.2f}"
        beside = "left" if left else "right"
        texts = [axes.text(end - 0.04 * out * unit, level - 0.04, number)]
        if letters[place]:
            away = end - (0.08 + measure(number, "small")) * out * unit
            texts.append(axes.text(away, level - 0.04, letters[place], color=BLUE, weight="bold"))
        for text in texts:
            text.set(va="bottom", ha=beside, fontsize="small")


def _bar(axes: Axes, pen: Pen, members: NDArray[np.float64], level: float) -> None:
    overhang = 0.015 * _unit(axes, pen)
    axes.plot(
        [members[0] - overhang, members[-1] + overhang],
        [level, level],
        color=BLUE,
        lw=2.4,
        solid_capstyle="butt",
        zorder=2,
    )
    axes.plot(
        members,
        np.full(len(members), level),
        linestyle="none",
        marker="o",
        markersize=3.4,
        markerfacecolor=pen.paper,
        markeredgecolor=BLUE,
        markeredgewidth=0.9,
        zorder=5,
    )
