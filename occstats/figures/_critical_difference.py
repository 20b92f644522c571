"""Critical-difference diagram: mean ranks, and groups with no significant difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from occstats._checks import check_fraction
from occstats._format import listing
from occstats.comparison import Comparison
from occstats.errors import FigureError
from occstats.figures._base import (
    LINE_SPACING,
    ROWS,
    PairDecisions,
    Plot,
    by_mean_rank,
    pair_decisions,
    write_column,
)
from occstats.figures._labels import clean, measure
from occstats.figures._style import BLUE, FADED, ArtistOptions, Width, ink, paper

# With more stems or bars, algorithms are drawn as rows, and groups as columns. A smaller selection
# of groups that holds all pairs is drawn before that.
MOST_STEMS, MOST_BARS = 30, 20
# Up to this number a diagram is drawn even if some names have to be shortened.
ALWAYS = 15
# Inches: a vertical unit (at 8 points), the least distance of two stems, the space beside a name.
_UNIT, _APART, _SPACE = 0.165, 0.075, 0.04
# Vertical units: a row of bars, a line of a name, and where the stems have parted.
_BAR_STEP, _LINE, _PARTED = 0.42, 0.78, 0.55
BAR_WIDTH, BRIDGE_WIDTH = 2.4, 0.6
# Inches of the mean ranks beside the columns of groups, of a column, and of the narrowest one.
_RANKS, _COLUMN, _NARROWEST = 0.5, 0.12, 0.08

# Positions of the members in an order of algorithms, ascending.
Group = tuple[int, ...]


# -- figures --------------------------------------------------------------------------------------


def critical_difference(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw mean ranks on a scale, with a bar for each group with no significant difference.

    Each bar is one group of algorithms (its dots), as large as possible, in which every pair was
    tested and no pair differs significantly. Two algorithms without a common bar differ
    significantly, or were not tested. Pairwise tests need not follow the mean ranks: if an
    algorithm outside the group lies between two members, the bar has a gap. Demšar's diagram
    (2006) has no gaps because a single critical difference of mean ranks decides there; it
    assumes independent tasks, and the decision about two algorithms depends on all others
    (Benavoli et al. 2016).

    With a control, only pairs with it are tested: a single bar joins the control (a diamond) and
    the algorithms with no significant difference from it.

    More than 30 algorithms, more than 15 with names that do not fit the width, or more than 20
    groups are drawn as rows with a vertical bar for each group, or, if these do not fit either,
    with a line over the ranks that the tests leave open. The command line says so.

    Parameters
    ----------
    comparison : Comparison
        Its frames `summary` and `pairwise` are drawn.
    algorithms, labels, highlight : optional
        Algorithms to draw and their labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

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
    >>> axes = comparison.plot.critical_difference(width="ieee", highlight="ALP")
    """
    with Plot(ax, width, note) as plot:
        ranked = by_mean_rank(comparison)
        chosen = plot.algorithms(
            comparison, ROWS, algorithms, "rank", labels, highlight, ranked=ranked
        )
        names = [name for name in ranked if name in chosen]
        mean = comparison.summary.set_index("algorithm")["mean_rank"]
        return _draw_diagram(plot, pair_decisions(comparison, names), mean)


def critical_difference_from(
    ranks: Mapping[str, float] | pd.Series,
    p_values: pd.DataFrame | ArrayLike,
    *,
    alpha: float = 0.05,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw a critical-difference diagram from mean ranks and p-values of any other test.

    Parameters
    ----------
    ranks : Series or dict
        Mean rank of each algorithm.
    p_values : DataFrame or matrix
        Corrected p-value of every pair, as a symmetric matrix or one of its triangles; a missing
        one marks a pair without a test. A matrix without names has the order of `ranks`.
    alpha : float
        Pairs with a p-value of at most `alpha` differ significantly.
    labels, highlight : optional
        Labels of algorithms, and those to emphasise; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats import figures
    >>> ranks = {"forest": 1.4, "kernel": 1.9, "linear": 2.7}
    >>> p_values = np.array([[1, 0.21, 0.004], [0.21, 1, 0.03], [0.004, 0.03, 1]])
    >>> axes = figures.critical_difference_from(ranks, p_values)
    """
    if getattr(ranks, "ndim", 1) != 1:
        raise FigureError(
            "ranks must be one mean rank per algorithm; got a table; of a comparison, "
            'try: comparison.summary.set_index("algorithm")["mean_rank"]'
        )
    try:
        mean = pd.Series(ranks, dtype=float)
        given = p_values if isinstance(p_values, pd.DataFrame) else np.asarray(p_values)
        square = pd.DataFrame(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise FigureError(f"ranks and p_values must be numbers: {error}") from error
    mean.index = mean.index.map(str)
    if mean.index.has_duplicates or len(mean) < 2 or not np.isfinite(mean).all():
        raise FigureError("ranks must be the mean ranks of at least two different algorithms")
    check_fraction("alpha", alpha)
    if not isinstance(p_values, pd.DataFrame):
        if square.shape != (len(mean),) * 2:
            raise FigureError(
                f"p_values must be a {len(mean)} × {len(mean)} matrix; got shape {square.shape}"
            )
        square = square.set_axis(mean.index, axis=0).set_axis(mean.index, axis=1)
    square = square.rename(index=str, columns=str)
    names = [str(name) for name in mean.sort_values(kind="stable").index]
    found = dict.fromkeys([*square.index, *square.columns])
    if missing := [name for name in names if name not in found]:
        raise FigureError(
            f"p_values has no row or column named {listing(missing)}; it has {listing([*found])}"
        )
    p = square.reindex(index=names, columns=names).to_numpy()
    p = np.where(np.isnan(p), p.T, p)
    np.fill_diagonal(p, np.nan)
    if np.any((p < 0) | (p > 1) | (np.abs(p - p.T) > 1e-9)):
        raise FigureError(
            "p_values must lie between 0 and 1, and either be symmetric or leave one triangle empty"
            " (NaN)"
        )
    ahead = np.where(np.triu(np.ones_like(p, dtype=bool)), "better", "worse").astype(object)
    conclusion = np.where(p <= alpha, ahead, "undecided").astype(object)
    conclusion[np.isnan(p)] = None
    decisions = PairDecisions(
        tuple(names), conclusion, np.full(p.shape, np.nan), p, f"at α\u00a0=\u00a0{alpha:g}"
    )
    with Plot(ax, width, note) as plot:
        plot.style(names, labels, highlight)
        return _draw_diagram(plot, decisions, mean)


def _draw_diagram(plot: Plot, decisions: PairDecisions, mean_ranks: pd.Series) -> Axes:
    """Draw the diagram of some algorithms, or rows of them if these are easier to read."""
    names = [*decisions.names]
    mean = mean_ranks.loc[names].to_numpy(dtype=float)
    numbers = max(measure(f"{rank:.2f}", "small") for rank in mean) + 2 * _SPACE
    everyone = groups(decisions)
    if len(everyone) > MOST_BARS:
        everyone = covering_groups(everyone)
    # Short lines leave more room for the scale, if no name has to be cut for them.
    most = (plot.inches - _APART * (len(names) - 1)) / 2 - numbers - _SPACE
    for share in (0.22, 0.27):
        drawn = plot.labels(names, max(min(share * plot.inches, most), 0), lines=3)
        cut = sum("…" in text for text in drawn) > sum("…" in plot.called(name) for name in names)
        if not cut:
            break
    obstacles = {
        f"more than {MOST_STEMS} algorithms": len(names) > MOST_STEMS,
        f"more than {MOST_BARS} groups": len(everyone) > MOST_BARS,
        "the names are too long for a diagram of this width": cut and len(names) > ALWAYS,
    }
    if any(obstacles.values()):
        why = next(text for text, found in obstacles.items() if found)
        plot.notice(f"Drawn as rows: {why}.")
        return _draw_rows(plot, decisions, mean, everyone)
    widest = max(measure(text, "medium") for text in drawn)
    levels, depth = _levels(drawn, _PARTED + _BAR_STEP * len(everyone))
    # Everything vertical follows the size of the letters.
    scale = float(matplotlib.rcParams["font.size"]) / 8
    axes = plot.axes(0.55 + _UNIT * scale * depth)
    # Mean ranks fill only a part of the possible ranks.
    low, high = float(np.floor(mean.min() + 1e-9)), float(np.ceil(mean.max() - 1e-9))
    if high == low:
        low, high = max(low - 1, 1.0), min(high + 1, float(max(len(mean_ranks), 2)))
    # Narrow axes of the user keep a scale; names may then lie outside.
    side = min(widest + numbers + _SPACE, 0.36 * plot.inches)
    unit = (high - low) / (plot.inches - 2 * side)
    axes.set(xlim=(low - side * unit, high + side * unit), ylim=(depth, 0))
    # The upper spine is the scale.
    axes.grid(visible=False)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.spines["top"].set_bounds(low, high)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    most = max(int((high - low) / (0.22 * unit)), 1)
    ticks = MaxNLocator(most, integer=True, min_n_ticks=2).tick_values(low, high)
    axes.set_xticks([tick for tick in ticks if low <= tick <= high])
    if len(axes.get_xticks()) > 1 and high - low <= 12:
        axes.set_xticks(np.arange(2 * low, 2 * high + 1) / 2, minor=True)
    axes.set_xlabel("← better\u2002\u2002mean rank\u2002\u2002worse →")
    feet = _parted(mean, _APART * unit, low, high)
    # A stem joins each mean rank to its name, that of the better half on the left.
    for place, (name, rank, foot, level) in enumerate(zip(names, mean, feet, levels, strict=True)):
        left = place < (len(names) + 1) // 2
        outwards = -unit if left else unit
        end = (low if left else high) + outwards * (numbers + _SPACE)
        sides = ("right", "left") if left else ("left", "right")
        axes.plot(
            [rank, foot, foot, end],
            [0, 0.75 * _PARTED, level, level],
            color=plot.tint(name, ink()),
            lw=1.1 if plot.highlighted(name) else 0.7,
            solid_joinstyle="round",
            zorder=1,
        )
        outwards *= _SPACE
        beside: ArtistOptions = {"ha": sides[0], "va": "center", "linespacing": LINE_SPACING}
        text = axes.text(end + outwards, level, drawn[place], **beside)
        plot.emphasise([text], [name])
        number: ArtistOptions = {"ha": sides[1], "va": "bottom", "fontsize": "small"}
        axes.text(end - outwards, level - 0.04, f"{rank:.2f}", **number)
    dots: ArtistOptions = {"mec": BLUE, "mew": 0.9, "zorder": 5}
    for row, group in enumerate(everyone):
        members, level = feet[[*group]], _PARTED + _BAR_STEP * (row + 0.3)
        half = _APART * unit / 2
        gaps = [(feet[i + 1] - half, feet[j - 1] + half) for i, j in _gaps(group)]
        # NaN interrupts the line at each gap; a thin line shows that the bar goes on.
        inner = [x for first, last in gaps for x in (first, np.nan, last)]
        solid = [members[0], *inner, members[-1]]
        bar: ArtistOptions = {"lw": BAR_WIDTH, "solid_capstyle": "butt"}
        axes.plot(solid, [level] * len(solid), color=BLUE, zorder=2, **bar)
        for gap in gaps:
            axes.plot(gap, [level] * 2, color=BLUE, lw=BRIDGE_WIDTH, zorder=2)
        axes.plot(members, [level] * len(group), "o", ms=3.4, mfc=paper(), **dots)
        if decisions.control is not None:
            axes.plot(feet[decisions.control], level, "D", ms=4, mfc=BLUE, **dots)
    explanation = _explain(plot, decisions, everyone, "Bars join algorithms (dots) with")
    if any(_gaps(group) for group in everyone):
        explanation += " A gap in a bar marks an algorithm outside the group."
    plot.note(explanation)
    return plot.finish(axes, _alternative_text(decisions, everyone))


# -- groups ---------------------------------------------------------------------------------------


def groups(decisions: PairDecisions) -> list[Group]:
    """Return every largest group in which all pairs were tested and none differs significantly.

    These are the maximal cliques of two or more algorithms in the graph of all pairs that are
    equivalent or undecided. Two algorithms that share no group differ significantly, or were not
    tested. With a control, the only group is the control and those that do not differ from it.

    Examples
    --------
    >>> conclusion = np.array([
    ...     [None, "undecided", "better"],
    ...     ["undecided", None, "equivalent"],
    ...     ["worse", "equivalent", None],
    ... ], dtype=object)
    >>> numbers = np.full((3, 3), np.nan)
    >>> groups(PairDecisions(("a", "b", "c"), conclusion, numbers, numbers, ""))
    [(0, 1), (1, 2)]
    """
    alike = decisions.alike
    if decisions.control is not None:
        near = np.flatnonzero(alike[decisions.control]).tolist()
        return [tuple(sorted([decisions.control, *near]))] if near else []
    return [clique for clique in maximal_cliques(alike) if len(clique) > 1]


def covering_groups(everyone: list[Group]) -> list[Group]:
    """Return a small selection of groups that still holds every pair of each group.

    The selection is greedy: finding the smallest one is NP-hard.

    >>> covering_groups([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    [(0, 1, 2), (0, 1, 3), (0, 2, 3)]
    """
    candidates = sorted(everyone, key=lambda group: (-len(group), group))
    uncovered = {pair for group in everyone for pair in combinations(group, 2)}
    chosen = []
    while uncovered:
        best = max(
            candidates, key=lambda group: len(uncovered.intersection(combinations(group, 2)))
        )
        chosen.append(best)
        uncovered -= {*combinations(best, 2)}
    return sorted(chosen)


def maximal_cliques(adjacent: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """List the maximal cliques of a graph (Bron and Kerbosch 1973, with Tomita's pivot).

    Examples
    --------
    >>> maximal_cliques(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=bool))
    [(0, 1), (0, 2)]
    """
    neighbours = [set(np.flatnonzero(row).tolist()) for row in adjacent]

    def grow(members: set[int], open_: set[int], closed: set[int]) -> Iterator[set[int]]:
        if not open_ and not closed:
            yield members
            return
        pivot = max(open_ | closed, key=lambda vertex: len(neighbours[vertex] & open_))
        for vertex in sorted(open_ - neighbours[pivot]):
            near = neighbours[vertex]
            yield from grow(members | {vertex}, open_ & near, closed & near)
            open_ = open_ - {vertex}
            closed = closed | {vertex}

    everyone = set(range(len(neighbours)))
    return sorted(tuple(sorted(found)) for found in grow(set(), everyone, set()))


# -- diagram --------------------------------------------------------------------------------------


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
    # Isotonic regression pools adjacent violators; SciPy's takes longer to import than to draw.
    pools: list[list[float]] = []
    for value in mean - steps:
        pools.append([value])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    fit = np.concatenate([np.full(len(pool), np.mean(pool)) for pool in pools])
    # Clipping an isotonic fit gives the best fit within the bounds.
    return np.asarray(np.clip(fit, low, high - steps[-1]) + steps, dtype=float)


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


def _gaps(group: Group) -> list[tuple[int, int]]:
    """Return the neighbouring members with others between them.

    >>> _gaps((0, 1, 4, 5, 7))
    [(1, 4), (5, 7)]
    """
    return [(one, other) for one, other in pairwise(group) if other > one + 1]


# -- rows -----------------------------------------------------------------------------------------


def _draw_rows(
    plot: Plot, decisions: PairDecisions, mean: NDArray[np.float64], everyone: list[Group]
) -> Axes:
    """Draw algorithms as rows, and groups as columns if there is room for them."""
    names, columns = [*decisions.names], covering_groups(everyone)
    axes = plot.rows(names)
    # Names are part of a new figure's width, but lie outside the axes of the user.
    drawn = [text.get_text() for text in axes.get_yticklabels()]
    size = matplotlib.rcParams["ytick.labelsize"]
    side = 0.0 if axes is plot.given else 0.1 + max(measure(text, size) for text in drawn)
    room = plot.inches - side - _RANKS
    if len(columns) * _NARROWEST > room:
        return _draw_ranges(plot, axes, decisions, mean)
    count = max(len(columns), room / _COLUMN)
    ranks = _RANKS * count / room
    axes.set(xlim=(-0.5 - ranks, count - 0.5))
    inside: ArtistOptions = {"va": "center_baseline", "fontsize": "small", "in_layout": False}
    for place, rank in enumerate(mean):
        axes.axhline(place, color=FADED, lw=0.3, alpha=0.6, zorder=0)
        axes.text(-0.5 - 0.15 * ranks, place, f"{rank:.2f}", ha="right", **inside)
    for column, group in enumerate(columns):
        axes.plot([column] * 2, [group[0], group[-1]], color=BLUE, lw=BRIDGE_WIDTH, zorder=2)
        axes.plot([column] * len(group), group, "o", color=BLUE, markersize=3.4, zorder=5)
        if decisions.control is not None:
            axes.plot(column, decisions.control, "D", color=BLUE, markersize=4.5, zorder=5)
    axes.set_xticks([-0.5 - 0.5 * ranks], ["mean rank"])
    axes.xaxis.tick_top()
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    plot.note(_explain(plot, decisions, columns, "Each column has dots at algorithms with"))
    return plot.finish(axes, _alternative_text(decisions, columns))


def _draw_ranges(
    plot: Plot, axes: Axes, decisions: PairDecisions, mean: NDArray[np.float64]
) -> Axes:
    """Draw the mean rank of each row, and the ranks that the tests leave open."""
    better, worse = ((decisions.conclusion == word).sum(axis=1) for word in ("worse", "better"))
    rows = np.arange(len(mean))
    axes.hlines(rows, 1 + better, len(mean) - worse, color=BLUE, lw=1.4)
    axes.plot(mean, rows, "o", color=BLUE, mfc=paper(), ms=3.6, mew=0.9)
    write_column(axes, [f"{rank:.2f}" for rank in mean])
    axes.set_xlim(0.5, len(mean) + 0.5)
    plot.label_values(axes, "rank (1 = best)")
    plot.note(
        "Dots: mean ranks. Lines: ranks that the tests leave open, from the numbers of algorithms "
        f"that are significantly better and worse {decisions.basis}."
    )
    return plot.finish(axes, _alternative_text(decisions, groups(decisions)))


# -- note and alternative text --------------------------------------------------------------------


def _explain(plot: Plot, decisions: PairDecisions, everyone: list[Group], what: str) -> str:
    """Return the note: the meaning of a group, level and test, untested pairs."""
    tested, level = int(np.triu(decisions.tested, 1).sum()), decisions.basis
    if not tested:
        return "No pair was tested."
    if decisions.control is not None:
        control = plot.label(decisions.names[decisions.control])
        text = f"Dots: no significant difference from {control} (diamond)"
        text = text if everyone else f"All algorithms differ significantly from {control}"
        return f"{text} {level}. Other pairs were not tested."
    differ = "All tested pairs differ" if tested > 1 else "The two algorithms differ"
    text = f"{what} no significant difference" if everyone else f"{differ} significantly"
    untested = len(decisions.names) * (len(decisions.names) - 1) // 2 - tested
    return f"{text} {level}." + (f" Pairs without a test: {untested}." if untested else "")


def _alternative_text(decisions: PairDecisions, everyone: list[Group]) -> str:
    """Return the ranking and the groups in words."""
    names = [clean(name) for name in decisions.names]
    text = f"Critical-difference diagram. Best mean rank first: {listing(names, 20)}."
    joined = [listing([names[i] for i in group], 20) for group in everyone]
    if not decisions.tested.any():
        return f"{text} No pair was tested."
    if decisions.control is not None:
        near = [names[i] for i in (everyone or [()])[0] if i != decisions.control]
        which = listing(near, 20) or "none"
        text += f" No significant difference from {names[decisions.control]}: {which}."
    elif joined:
        more = f"; and {len(joined) - 12} more groups" if len(joined) > 12 else ""
        text += (
            f" Groups with no significant difference between any two members: "
            f"{'; '.join(joined[:12])}{more}."
        )
    else:
        text += " All tested pairs differ significantly."
    return text + f" Decided {decisions.basis}."
