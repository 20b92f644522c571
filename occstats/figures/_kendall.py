"""Heat map of weighted Kendall's τ between algorithms (the paper's figure of correlations)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.ticker import MaxNLocator

from occstats.figures.drawing import drawing
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import fence, kendall_square, matrix_label_room, most_that_fit
from occstats.figures._style import FigureError, ink_on
from occstats.figures._labels import clean, measure

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["kendall"]

MOST_ALGORITHMS = 40
MOST_NUMBERS = 12


@drawing("ax", [name for name in SERIES if name not in ("hue", "palette")])
def kendall(pen: Pen, comparison: Comparison, *, cmap: str | Colormap = "Blues") -> None:
    """Draw the weighted Kendall's τ of every pair of algorithms as a triangular heat map.

    High τ means that two algorithms find the same tasks easy; pairs with low τ complement each
    other. Dark is strong in colour and in grey, and the numbers stand in the cells.

    Parameters
    ----------
    comparison : Comparison
        Its frame `kendall` is drawn.
    cmap : str or Colormap
        The colour map of the cells, which are coloured by τ and not by algorithm.
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
    side = matrix_label_room(pen.inches)
    drawn = pen.labels(names, side, size="small", lines=2 if len(names) <= MOST_NUMBERS else 1)
    room = max(measure(line, "small") for text in drawn for line in text.split("\n"))
    # As wide as the paper, unless the cells would be larger than anyone needs.
    cells = min(pen.inches - room - 0.15, max(3.4, len(names) * 8.5 / 72))
    upright = len(names) > 12 or max(len(text) for text in drawn) > 5
    axes = pen.axes(cells + (room if upright else 0.15) + 0.15)
    _triangle(axes, pen, tau, names, _colour_map(cmap))
    _write_names(axes, pen, names, drawn, upright)
    pen.describe(_words(tau, names, len(comparison.summary)))


def _colour_map(wanted: str | Colormap) -> Colormap:
    try:
        return matplotlib.colormaps.get_cmap(wanted)
    except (ValueError, TypeError) as error:
        raise FigureError(
            f"cmap must be the name of a colour map of Matplotlib such as 'Greens'; got {wanted!r}"
        ) from error


def _triangle(axes: Axes, pen: Pen, tau: np.ndarray, names: list[str], colours: Colormap) -> None:
    count = len(names)
    # Every pair is drawn once, below the diagonal.
    shown = np.where(np.tri(count, k=-1, dtype=bool), tau, np.nan)[1:, :-1]
    least = float(np.nanmin(shown)) if np.isfinite(shown).any() else 0.0
    low = min(float(np.floor(fence(shown)[0] * 10) / 10), 0.9)
    # Three algorithms and fewer leave no corner free for the key of colours.
    inset = axes.inset_axes((0.56, 0.9, 0.42, 0.045)) if count > 3 else None
    sns.heatmap(
        shown if shown.size else np.full((1, 1), np.nan),
        mask=~np.isfinite(shown) if shown.size else None,
        cmap=colours,
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
    bar = mesh.colorbar
    assert bar is not None
    bar.outline.set_linewidth(0.4)
    bar.locator = MaxNLocator(3)
    bar.ax.tick_params(length=1.5, pad=1.5, labelsize="small")
    bar.ax.set_title("weighted Kendall’s τ", fontsize="small", pad=2)


def _write_names(axes: Axes, pen: Pen, names: list[str], drawn: list[str], upright: bool) -> None:
    places = np.arange(len(names) - 1) + 0.5
    axes.set_yticks(places, drawn[1:], rotation=0)
    axes.set_xticks(places, drawn[:-1], rotation=90 if upright else 0)
    pen.emphasise(axes.get_yticklabels(), names[1:])
    pen.emphasise(axes.get_xticklabels(), names[:-1])
    axes.tick_params(length=0)


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
