"""A critical-difference diagram whose bars come from the corrected clustered tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from occstats.figures.canvas import describe, drawn_on, note, one_axes, width_of
from occstats.figures.cliques import PairVerdicts, bars, pair_verdicts
from occstats.figures.style import INK, Preset
from occstats.figures.text import clean, display_width, labels
from occstats.text import listing

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["critical_difference"]

MOST_ALGORITHMS = 20
_BAR_STEP, _LABEL_STEP = 0.42, 0.72


def critical_difference(
    comparison: Comparison, *, ax: Axes | None = None, width: str | float | Preset = "column"
) -> Figure | Axes:
    """Draw mean ranks on a line and join the algorithms that the tests do not tell apart.

    In the classical diagram one critical distance decides, for independent tasks. Here a bar
    joins algorithms (its dots) when *every* pair of them was tested and none of the corrected
    clustered p-values, in either direction, is below the level. Tests of pairs know more than
    mean ranks, so a bar may have to pass over an algorithm that differs from one of its members:
    there the bar is broken and starred, and the note says which tests it would contradict.

    Parameters
    ----------
    comparison : Comparison
        Its frames `summary` and `pairwise` are drawn.
    ax : Axes, optional
        Axes to draw on; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.

    Returns
    -------
    Figure or Axes

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
    >>> figure = comparison.plot.critical_difference(width="ieee")
    """
    everyone = comparison.summary
    table = everyone.head(MOST_ALGORITHMS)
    names = [str(name) for name in table["algorithm"]]
    verdicts = pair_verdicts(comparison, names)
    groups = bars(verdicts)
    denied = [_contradictions(verdicts, group) for group in groups]
    contradictions = [
        (names[i], names[j]) for i, j in sorted({pair for pairs in denied for pair in pairs})
    ]
    depth = _BAR_STEP * len(groups) + _LABEL_STEP * ((len(names) + 1) // 2)
    with one_axes(ax, width, 0.9 + 0.165 * depth) as axes:
        mean = table["mean_rank"].to_numpy(dtype=float)
        drawn = labels(names, limit=12)
        room = _room(axes, drawn)
        _scale(axes, mean, depth, len(everyone), room)
        _stems(axes, mean, drawn, _BAR_STEP * (len(groups) + 0.3), room)
        for row, group in enumerate(groups):
            _bar(axes, mean, group, _BAR_STEP * (row + 0.75), starred=bool(denied[row]))
        note(axes, _note(comparison, verdicts, contradictions, len(everyone)))
        describe(axes, _words(comparison, verdicts, groups, contradictions))
        return drawn_on(axes, ax)  # type: ignore[no-any-return]


def _contradictions(verdicts: PairVerdicts, group: tuple[int, ...]) -> list[tuple[int, int]]:
    """Pairs found to differ although the unbroken bar of a group would lie over both."""
    return sorted(
        (min(member, passed), max(member, passed))
        for passed in range(group[0], group[-1])
        if passed not in group
        for member in group
        if verdicts.differ[member, passed]
    )


def _room(axes: Axes, drawn: list[str]) -> float:
    """Share of the width that the longest name needs on either side."""
    letters = max(map(display_width, drawn), default=1)
    points = letters * 0.62 * float(matplotlib.rcParams["font.size"])
    return min(0.03 + points / (72 * width_of(axes)), 0.25)


def _scale(axes: Axes, mean: np.ndarray, depth: float, total: int, room: float) -> None:
    # Mean ranks fill only a part of the possible ranks: show that part.
    low, high = float(np.floor(mean.min())), float(np.ceil(mean.max()))
    if high == low:
        low, high = max(low - 1, 1.0), min(high + 1, float(max(total, 2)))
    side = room + 0.085
    margin = side / (1 - 2 * side) * (high - low)
    axes.set(xlim=(low - margin, high + margin), ylim=(depth + 0.25, -0.95))
    axes.axis("off")
    axes.plot([low, high], [0, 0], color=INK, lw=0.8, solid_capstyle="butt")
    most = max(int((1 - 2 * side) * width_of(axes) / 0.22), 1)
    step = max(1, int(np.ceil((high - low) / most)))
    for tick in np.arange(low, high + 0.5, step):
        axes.plot([tick, tick], [0, -0.16], color=INK, lw=0.8)
        axes.text(tick, -0.24, f"{tick:g}", ha="center", va="bottom", fontsize="small")
    for half in np.arange(low, high, step) + step / 2:
        if half < high:
            axes.plot([half, half], [0, -0.09], color=INK, lw=0.6)


def _stems(axes: Axes, mean: np.ndarray, drawn: list[str], top: float, room: float) -> None:
    left, right = axes.get_xlim()
    better = (len(drawn) + 1) // 2
    gap = 0.012 * (right - left)
    inner = room * (right - left)
    for place, (rank, text) in enumerate(zip(mean, drawn, strict=True)):
        on_left = place < better
        row = place if on_left else len(drawn) - 1 - place
        level = top + _LABEL_STEP * (row + 0.5)
        end = left + inner if on_left else right - inner
        # A stem never has to run back past its own rank.
        end = min(end, rank) if on_left else max(end, rank)
        axes.plot([rank, rank, end], [0, level, level], color=INK, lw=0.7, zorder=1)
        axes.text(
            end - gap if on_left else end + gap,
            level,
            text,
            ha="right" if on_left else "left",
            va="center",
        )
        axes.text(
            end + gap if on_left else end - gap,
            level - 0.06,
            f"{rank:.2f}",
            ha="left" if on_left else "right",
            va="bottom",
            fontsize="small",
            color="#555555",
        )


def _bar(
    axes: Axes, mean: np.ndarray, group: tuple[int, ...], level: float, *, starred: bool
) -> None:
    members = mean[list(group)]
    left, right = axes.get_xlim()
    overhang = 0.006 * (right - left)
    axes.plot(
        [members[0] - overhang, members[-1] + overhang],
        [level, level],
        color="#0072B2",
        lw=2.6,
        solid_capstyle="round",
        zorder=2,
    )
    for passed in range(group[0], group[-1]):
        # An algorithm of the same mean rank as a member cannot be stepped over on the line.
        if passed not in group and np.abs(members - mean[passed]).min() > 1e-9:
            nearest = float(np.abs(members - mean[passed]).min())
            half = min(0.014 * (right - left), 0.6 * nearest)
            axes.plot(
                [mean[passed] - half, mean[passed] + half],
                [level, level],
                color="white",
                lw=3.6,
                solid_capstyle="butt",
                zorder=3,
            )
            axes.plot([mean[passed]] * 2, [level - 0.2, level + 0.2], color=INK, lw=0.7, zorder=4)
    if starred:
        axes.annotate(
            "*",
            (members[-1], level),
            xytext=(4, -1.5),
            textcoords="offset points",
            va="center",
            zorder=6,
        )
    axes.plot(
        members,
        np.full(len(members), level),
        linestyle="none",
        marker="o",
        markersize=3.6,
        markerfacecolor="white",
        markeredgecolor="#0072B2",
        markeredgewidth=0.9,
        zorder=5,
    )


def _note(
    comparison: Comparison,
    verdicts: PairVerdicts,
    contradictions: list[tuple[str, str]],
    total: int,
) -> str:
    alpha = comparison.settings.alpha
    parts = [
        f"Bars join algorithms (dots) of which no two differ at corrected p\u00a0≤\u00a0{alpha:g}."
    ]
    if contradictions:
        pairs = [f"{clean(a)}–{clean(b)}" for a, b in contradictions]
        parts.append(
            "*\u00a0Passes over an algorithm: read as unbroken, it would contradict the test of "
            f"{listing(pairs, 4)}."
        )
    untested = int(np.triu(~verdicts.tested, 1).sum())
    if untested:
        parts.append(f"No bar means nothing for the {untested} pairs without a test.")
    if len(verdicts.names) < total:
        parts.append(f"The best {len(verdicts.names)} of {total} algorithms.")
    return " ".join(parts).replace("$", r"\$")


def _words(
    comparison: Comparison,
    verdicts: PairVerdicts,
    groups: list[tuple[int, ...]],
    contradictions: list[tuple[str, str]],
) -> str:
    order = listing([clean(name) for name in verdicts.names], 20)
    text = f"Critical-difference diagram. Best mean rank first: {order}."
    joined = [listing([clean(verdicts.names[i]) for i in group], 20) for group in groups]
    if joined:
        text += " No two of the following differ significantly: " + "; ".join(joined) + "."
    else:
        text += " All tested pairs differ significantly."
    if contradictions:
        pairs = listing([f"{clean(a)} and {clean(b)}" for a, b in contradictions], 8)
        text += f" Some bars pass over an algorithm that differs from a member: {pairs}."
    return text + f" Level {comparison.settings.alpha:g}, corrected p-values."
