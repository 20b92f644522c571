"""Heat map of weighted Kendall's τ between algorithms (the paper's figure of correlations)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from occstats.figures.canvas import describe, drawn_on, note, one_axes, width_of
from occstats.figures.selection import most_that_fit
from occstats.figures.style import FigureError, Preset, bounded, preset
from occstats.figures.text import clean, labels

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison

__all__ = ["kendall"]

MOST_ALGORITHMS = 40
MOST_NUMBERS = 12


def kendall(
    comparison: Comparison,
    *,
    ax: Axes | None = None,
    width: str | float | Preset = "column",
    order: Literal["rank", "similarity"] = "rank",
) -> Figure | Axes:
    """Draw the weighted Kendall's τ of every pair of algorithms as a triangular heat map.

    High τ means that two algorithms find the same tasks easy; pairs with low τ complement each
    other. Dark is strong in colour and in grey, and the numbers stand in the cells.

    Parameters
    ----------
    comparison : Comparison
        Its frame `kendall` is drawn.
    ax : Axes, optional
        Axes to draw on; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.
    order : {"rank", "similarity"}
        By mean rank, or so that similar algorithms are neighbours (average linkage on 1 − τ).

    Returns
    -------
    Figure or Axes
        The new figure, or `ax`.

    References
    ----------
    Vigna, S. (2015). A weighted correlation index for rankings with ties. WWW '15, 1166–1176.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.kendall(width="ieee")
    """
    if order not in ("rank", "similarity"):
        raise FigureError(f"order must be 'rank' or 'similarity'; got {order!r}")
    ranked = list(comparison.summary["algorithm"])
    inches = preset(width).width if ax is None else width_of(ax)
    names = ranked[: most_that_fit(inches, MOST_ALGORITHMS)]
    table = comparison.kendall.pivot(index="a", columns="b", values="tau")
    table = table.reindex(index=names, columns=names)
    if order == "similarity":
        table = _by_similarity(table)
    tau = table.to_numpy(dtype=float)
    # Each pair is drawn once, below the diagonal; the frame may hold either half or both.
    tau = np.where(np.isnan(tau), tau.T, tau)
    with one_axes(ax, width, bounded(width, 0.86, 4.2)) as axes:
        _triangle(axes, tau, [str(name) for name in table.index])
        if len(names) < len(ranked):
            note(axes, f"The {len(names)} of {len(ranked)} algorithms with the best mean rank.")
        describe(axes, _words(tau, list(table.index), len(ranked)))
        return drawn_on(axes, ax)  # type: ignore[no-any-return]


def _by_similarity(table: pd.DataFrame) -> pd.DataFrame:
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    tau = table.to_numpy(dtype=float)
    tau = np.where(np.isnan(tau), tau.T, tau)
    distance = np.clip(1 - np.nan_to_num(tau, nan=0.0), 0, None)
    np.fill_diagonal(distance, 0)
    if len(distance) < 3:
        return table
    condensed = squareform(distance, checks=False)
    leaves = leaves_list(linkage(condensed, "average", optimal_ordering=True))
    return table.iloc[leaves, leaves]


def _triangle(axes: Axes, tau: np.ndarray, names: list[str]) -> None:
    count = len(names)
    shown = np.where(np.tri(count, k=-1, dtype=bool), tau, np.nan)[1:, :-1]
    low = np.floor(np.nanmin(shown) * 10) / 10 if np.isfinite(shown).any() else 0.0
    low = min(float(low), 0.9)
    mesh = axes.pcolormesh(
        np.ma.masked_invalid(shown), cmap="Blues", vmin=low, vmax=1, edgecolors="white", lw=0.6
    )
    axes.set(aspect="equal", xlim=(0, max(count - 1, 1)), ylim=(max(count - 1, 1), 0))
    drawn = labels(names, limit=14)
    places = np.arange(count - 1) + 0.5
    axes.set_yticks(places, drawn[1:])
    axes.set_xticks(places, drawn[:-1], rotation=90 if _long(drawn) else 0)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if count <= MOST_NUMBERS:
        middle = (low + 1) / 2
        for (row, column), value in np.ndenumerate(shown):
            if np.isfinite(value):
                axes.text(
                    column + 0.5,
                    row + 0.5,
                    f"{value:.2f}".replace("0.", ".").replace("-", "−"),
                    ha="center",
                    va="center",
                    fontsize="small",
                    color="white" if value > middle else "black",
                )
    # Three algorithms and fewer leave no corner free for the key.
    if count > 3:
        inset = axes.inset_axes((0.56, 0.9, 0.42, 0.045))
        bar = axes.figure.colorbar(mesh, cax=inset, orientation="horizontal")
    else:
        bar = axes.figure.colorbar(mesh, ax=axes, orientation="horizontal", shrink=0.6)
    bar.outline.set_linewidth(0.4)
    bar.locator = MaxNLocator(3)
    bar.ax.tick_params(length=1.5, pad=1.5, labelsize="small")
    bar.ax.set_title("weighted Kendall’s τ", fontsize="small", pad=2)


def _long(drawn: list[str]) -> bool:
    return len(drawn) > 12 or max(map(len, drawn), default=0) > 5


def _words(tau: np.ndarray, names: list[str], total: int) -> str:
    rows, columns = np.tril_indices(len(names), -1)
    values = tau[rows, columns]
    text = f"Heat map of weighted Kendall's tau between {total} algorithms."
    if not np.isfinite(values).any():
        return text
    high, low = int(np.nanargmax(values)), int(np.nanargmin(values))
    pair = [f"{clean(names[columns[i]])} and {clean(names[rows[i]])}" for i in (high, low)]
    return (
        f"{text} The strongest agreement is {values[high]:.2f}, between {pair[0]}; "
        f"the weakest is {values[low]:.2f}, between {pair[1]}."
    )
