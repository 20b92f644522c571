"""Forest plot: the difference of one algorithm from each of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from occstats._format import p_writer
from occstats.comparison import Comparison
from occstats.comparison.settings import ESTIMANDS
from occstats.comparison.text.verdict import difference_of, mostly_equal, subject_of
from occstats.errors import FigureError
from occstats.figures._base import (
    ROWS,
    Order,
    Plot,
    confidence_intervals,
    fence,
    known_algorithm,
    pair_decisions,
    score_label,
    write_column,
)
from occstats.figures._labels import clean
from occstats.figures._style import BLUE, FADED, ORANGE, Width, ink, paper

# Colour and marker of a row, by the conclusion about the algorithm.
_LOOKS = {"better": (BLUE, "o"), "worse": (ORANGE, "s"), "equivalent": ("#009E73", "D")}


def forest(
    comparison: Comparison,
    algorithm: str | None = None,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the difference of the leader or the control from each rival, with its interval and p.

    Estimates, simultaneous confidence intervals, p-values and conclusions are those of the
    decisions about pairs. To the right of zero, the algorithm is better than the rival of the row.
    The margin, if there is one, is shaded. An interval without a limit on one side leaves the
    axes; wins and losses replace the difference of a pair with many ties.

    Parameters
    ----------
    comparison : Comparison
        Its frames `pairwise` and `summary` are drawn.
    algorithm : str, optional
        The algorithm to compare with the others; by default the control or else the leader.
    algorithms, order, labels : optional
        Rivals to draw, their order and labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> axes = comparison.plot.forest()
    >>> axes.get_xlabel()
    'typical difference in AUROC, ALP − rival'
    """
    with Plot(ax, width, note) as plot:
        subject = algorithm or subject_of(comparison)
        known_algorithm(subject, comparison.algorithms)
        rivals = [name for name in comparison.algorithms if name != subject]
        if not rivals:
            raise FigureError("a forest plot needs two algorithms; this comparison has one")
        chosen = plot.algorithms(
            comparison, ROWS, algorithms, order, labels, ranked=[*rivals, subject]
        )
        names = [name for name in chosen if name != subject]
        decisions = pair_decisions(comparison, [subject, *names])
        pairs = comparison.pairwise_full
        rows = pairs[pairs["a"] == subject].set_index("b").loc[names]
        axes = plot.rows(names)
        _draw_rows(axes, comparison, rows)
        write_p = p_writer(comparison.settings)
        numbers = [write_p(p) if np.isfinite(p) else "" for p in decisions.p[0, 1:]]
        bold = decisions.differ[0, 1:].tolist()
        column = 0.0
        if decisions.tested.any():
            column = write_column(axes, numbers, "p", bold=bold)
        estimand = ESTIMANDS[comparison.settings.estimand or "typical"]
        sides = difference_of(comparison.results, plot.label(subject), "rival")
        text = f"{estimand} in {score_label(comparison)}, {sides}"
        plot.label_values(axes, text, beside=column)
        how = f"Decided {decisions.basis}." if decisions.tested.any() else "No pair was tested."
        plot.note(_note(comparison, rows, decisions.basis, plot.label(subject), how))
        return plot.finish(axes, _alternative_text(rows, subject, how))


def _draw_rows(axes: Axes, comparison: Comparison, rows: pd.DataFrame) -> None:
    margin = comparison.settings.margin
    if margin is not None:
        axes.axvspan(-margin, margin, color=FADED, alpha=0.3, lw=0, zorder=0)
    axes.axvline(0, color=ink(), lw=0.6, zorder=1)
    tied = mostly_equal(rows) & (comparison.settings.estimand == "typical")
    value = rows["difference"].where(~tied).to_numpy(dtype=float)
    ends = rows.reindex(columns=["ci_low", "ci_high"]).to_numpy(dtype=float)
    finite = [0.0, *value[np.isfinite(value)], *ends[~tied][np.isfinite(ends[~tied])]]
    low, high = fence([*finite, *([-margin, margin] if margin is not None else [])])
    low, high = min(low, 0.0), max(high, 0.0)
    pad = 0.05 * (high - low) or 0.01
    axes.set_xlim(low - pad, high + pad)
    # Limits that do not exist, or are infinite, lie beyond the axes.
    far = 10 * (high - low + pad)
    limits = np.clip(np.where(np.isfinite(ends), ends, [-far, far]), -far, far)
    for row, conclusion in enumerate(rows["conclusion"]):
        colour, marker = _LOOKS.get(str(conclusion), (ink(), "o"))
        if tied.iloc[row]:
            counts = rows[["wins", "losses"]].iloc[row]
            text = f"{counts['wins']:,.0f} wins : {counts['losses']:,.0f} losses"
            axes.text(0, row, text, ha="center", va="center", fontsize="small", color=colour)
        elif np.isfinite(value[row]):
            if not np.isnan(ends[row]).all():
                axes.plot(limits[row], [row] * 2, color=colour, lw=1.4, solid_capstyle="butt")
            filled = colour if str(conclusion) in _LOOKS else paper()
            axes.plot(value[row], row, marker, color=colour, ms=5, mfc=filled, mew=1.0, zorder=3)


def _note(
    comparison: Comparison, rows: pd.DataFrame, basis: str, subject: str, decided: str
) -> str:
    settings, found = comparison.settings, set(rows["conclusion"])
    kinds = [
        f"{shape} if {subject} is {kind}"
        for kind, shape in (("better", "circles"), ("worse", "squares"), ("equivalent", "diamonds"))
        if kind in found
    ]
    text = f"Filled {', '.join(kinds)}, {basis}." if kinds else decided
    if settings.has_intervals and rows[["ci_low", "ci_high"]].notna().any(axis=None):
        together = settings.correction != "none" and len(comparison.algorithms) > 2
        open_ended = np.isinf(rows[["ci_low", "ci_high"]].to_numpy(dtype=float)).any()
        text += f" Lines: {'simultaneous ' * together}{confidence_intervals(comparison)}"
        text += ", without a limit where they reach the edge." if open_ended else "."
    if settings.margin is not None:
        text += f" Shaded: within the margin ±{settings.margin:g}."
    return text


def _alternative_text(rows: pd.DataFrame, subject: str, decided: str) -> str:
    parts = [
        f"{clean(name)} {row['difference']:+.3g} ({row['conclusion'] or 'not tested'})"
        for name, row in rows.head(20).iterrows()
        if np.isfinite(row["difference"])
    ]
    return (
        f"Forest plot of the differences of {clean(subject)} from {len(rows)} rivals, positive if "
        f"{clean(subject)} is better: {', '.join(parts) or 'none is defined'}. {decided}"
    )
