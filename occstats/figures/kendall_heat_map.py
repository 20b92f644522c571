"""Heat map of weighted Kendall's τ between algorithms (the paper's figure of correlations)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from occstats.figures.drawing import drawing
from occstats.figures.options import SERIES
from occstats.figures.pen import Pen
from occstats.figures.selection import fence, kendall_square, most_that_fit
from occstats.figures.style import bounded, ink_on
from occstats.figures.text import clean

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["kendall"]

MOST_ALGORITHMS = 40
MOST_NUMBERS = 12


@drawing("ax", [name for name in SERIES if name != "hue"])
def kendall(pen: Pen, comparison: Comparison) -> None:
    """Draw the weighted Kendall's τ of every pair of algorithms as a triangular heat map.

    High τ means that two algorithms find the same tasks easy; pairs with low τ complement each
    other. Dark is strong in colour and in grey, and the numbers stand in the cells. `palette` is
    the name of a colour map.

    Parameters
    ----------
    comparison : Comparison
        Its frame `kendall` is drawn.
    {options}

    References
    ----------
    Vigna, S. (2015). A weighted correlation index for rankings with ties. WWW '15, 1166–1176.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.kendall(width="ieee", order="similarity")
    """
    names = pen.series(comparison, most_that_fit(pen.inches, MOST_ALGORITHMS))
    tau = kendall_square(comparison, names)
    axes = pen.axes(bounded(pen.inches, 0.86, 4.2))
    _triangle(axes, pen, tau, names)
    pen.describe(_words(tau, names, len(comparison.summary)))


def _triangle(axes: Axes, pen: Pen, tau: np.ndarray, names: list[str]) -> None:
    count = len(names)
    # Every pair is drawn once, below the diagonal.
    shown = np.where(np.tri(count, k=-1, dtype=bool), tau, np.nan)[1:, :-1]
    least = float(np.nanmin(shown)) if np.isfinite(shown).any() else 0.0
    low = min(float(np.floor(fence(shown)[0] * 10) / 10), 0.9)
    # Three algorithms and fewer leave no corner free for the key of colours.
    inset = axes.inset_axes((0.56, 0.9, 0.42, 0.045)) if count > 3 else None
    palette = pen.options.palette
    sns.heatmap(
        shown if shown.size else np.full((1, 1), np.nan),
        mask=~np.isfinite(shown) if shown.size else None,
        cmap=palette if isinstance(palette, str) else "Blues",
        vmin=low,
        vmax=1,
        linewidths=0.6,
        linecolor=pen.paper,
        square=True,
        annot=_numbers(shown) if count <= MOST_NUMBERS else False,
        fmt="",
        annot_kws={"fontsize": "small"},
        cbar_ax=inset,
        cbar_kws={
            "orientation": "horizontal",
            "extend": "min" if least < low else "neither",
            **({} if inset is not None else {"shrink": 0.6}),
        },
        xticklabels=False,
        yticklabels=False,
        ax=axes,
    )
    mesh = axes.collections[0]
    for text in axes.texts:
        column, row = text.get_position()
        text.set_color(ink_on(mesh.to_rgba(shown[int(row), int(column)])))
    side = 0.3 * pen.inches
    vertical = count > 12 or max(len(pen.called(name)) for name in names) > 5
    places = np.arange(count - 1) + 0.5
    drawn = pen.labels(names, side, size="small", lines=2 if count <= MOST_NUMBERS else 1)
    axes.set_yticks(places, drawn[1:], rotation=0)
    axes.set_xticks(places, drawn[:-1], rotation=90 if vertical else 0)
    pen.emphasise(axes.get_yticklabels(), names[1:])
    pen.emphasise(axes.get_xticklabels(), names[:-1])
    axes.tick_params(length=0)
    bar = mesh.colorbar
    assert bar is not None
    bar.outline.set_linewidth(0.4)
    bar.locator = MaxNLocator(3)
    bar.ax.tick_params(length=1.5, pad=1.5, labelsize="small")
    bar.ax.set_title("weighted Kendall’s τ", fontsize="small", pad=2)


def _numbers(shown: np.ndarray) -> np.ndarray:
    written = [f"{value:.2f}".replace("0.", ".").replace("-", "−") for value in shown.flat]
    return np.array(written, dtype=object).reshape(shown.shape)


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
