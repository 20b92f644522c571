"""Heat map of weighted Kendall's τ between algorithms (a figure of Lenz et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import MaxNLocator

from occstats.comparison import Comparison
from occstats.figures._base import Order, Plot, fence, kendall_square
from occstats.figures._labels import clean
from occstats.figures._matrix import draw_cells, matrix_axes, matrix_limit, numbers_fit, short
from occstats.figures._style import Width

_TAU = "weighted Kendall’s τ"


def kendall(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the weighted Kendall's τ of every pair of algorithms as a triangular heat map.

    A high τ means that two algorithms find the same tasks easy; pairs with a low τ complement
    each other. If there is room, τ is printed in the cells.

    Parameters
    ----------
    comparison : Comparison
        Its frame `kendall` is drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    References
    ----------
    Vigna, S. (2015). A weighted correlation index for rankings with ties. WWW '15, 1166–1176.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.kendall(width="ieee", order="similarity")
    """
    with Plot(ax, width, note) as plot:
        limit = matrix_limit(plot.inches)
        names = plot.algorithms(comparison, limit, algorithms, order, labels, highlight)
        tau = np.tril(kendall_square(comparison, names), -1)
        axes, cell = matrix_axes(plot, names, top=False)
        below = np.tril(np.isfinite(tau), -1)
        # Twentieths around the usual values, for colours that differ.
        least, most = fence(tau[below])
        high = min(np.ceil(20 * most) / 20, 1.0)
        low = min(np.floor(20 * least) / 20, high - 0.05)
        # Black numbers are legible on all of these.
        pale = ListedColormap(matplotlib.colormaps["Blues"](np.linspace(0, 0.6, 256)))
        colours = ScalarMappable(Normalize(low, high), pale)
        found = {(row, column): tau[row, column] for row, column in np.argwhere(below).tolist()}
        texts = {place: short(f"{value:.2f}") for place, value in found.items()}
        written = numbers_fit(texts.values(), cell)
        draw_cells(axes, colours.to_rgba(tau), texts, written=written)
        if len(names) > 3:
            bar = axes.figure.colorbar(
                colours, cax=axes.inset_axes((0.56, 0.9, 0.42, 0.045)), orientation="horizontal",
                extend=("neither", "min")[bool((tau[below] < low).any())], ticks=MaxNLocator(4),
            )  # fmt: skip
            bar.outline.set_linewidth(0.4)
            bar.ax.tick_params(length=1.5, pad=1.5, labelsize="small")
            bar.ax.set_title(_TAU, fontsize="small", pad=2)
        else:
            # No corner is free for the colour bar, and every τ is printed.
            axes.set_xlabel(_TAU, fontsize="small")
        text = f"Heat map of weighted Kendall's tau between {len(comparison.summary)} algorithms."
        ordered = sorted(found, key=lambda place: found[place])
        ends = ordered[:1] + ordered[-1:]
        for word, (row, column) in zip(("weakest", "strongest"), ends, strict=False):
            text += (
                f" The {word} agreement is {found[row, column]:.2f}, between "
                f"{clean(names[column])} and {clean(names[row])}."
            )
        return plot.finish(axes, text)
