"""Heat map of weighted Kendall's τ between algorithms (a figure of Lenz et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from occstats.comparison import Comparison
from occstats.errors import FigureError
from occstats.figures._base import Order, Plot, fence, kendall_square, matrix_limit
from occstats.figures._labels import clean
from occstats.figures._style import Width, ink_on, paper

MOST_NUMBERS = 12
_TAU = "weighted Kendall’s τ"


def kendall(
    comparison: Comparison,
    *,
    cmap: str | Colormap = "Blues",
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool | None = None,
) -> Axes:
    """Draw the weighted Kendall's τ of every pair of algorithms as a triangular heat map.

    A high τ means that two algorithms find the same tasks easy; pairs with a low τ complement
    each other. Up to twelve algorithms, τ is printed in the cells.

    Parameters
    ----------
    comparison : Comparison
        Its frame `kendall` is drawn.
    cmap : str or Colormap
        The colour map of the cells, which are coloured by τ and not by algorithm.
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
        tau = kendall_square(comparison, names)
        rows, columns, cell, bottom, angle = plot.matrix_labels(names)
        # The name of the first column explains its number above the first row.
        first = int(rows != columns)
        few = len(names) <= 3
        axes = plot.axes(cell * (len(names) - 1 + first) + bottom + (0.25 if few else 0.1))
        _draw_triangle(axes, tau, _colour_map(cmap))
        places = np.arange(len(names) - 1) + 0.5
        axes.set(xlim=(0, len(names) - 1), ylim=(len(names) - 1, -first), aspect="equal")
        axes.set_yticks([*[-0.5] * first, *places], rows[1 - first :], fontsize="small")
        axes.set_xticks(places, columns[:-1], rotation=angle, fontsize="small")
        plot.emphasise(axes.get_yticklabels(), names[1 - first :])
        plot.emphasise(axes.get_xticklabels(), names[:-1])
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        if few:
            # No corner is free for the colour bar, and every τ is printed.
            axes.set_xlabel(_TAU, fontsize="small")
        return plot.finish(axes, _alternative_text(tau, names, len(comparison.summary)))


def _colour_map(wanted: str | Colormap) -> Colormap:
    try:
        return matplotlib.colormaps.get_cmap(wanted)
    except (ValueError, TypeError) as error:
        raise FigureError(
            f"cmap must be the name of a colour map of Matplotlib such as 'Greens'; got {wanted!r}"
        ) from error


def _draw_triangle(axes: Axes, tau: NDArray[np.float64], colours: Colormap) -> None:
    """Draw every pair once, below the diagonal."""
    count = len(tau)
    shown = np.where(np.tri(count, k=-1, dtype=bool), tau, np.nan)[1:, :-1]
    if not shown.size:
        return
    low = min(float(np.floor(fence(shown)[0] * 10) / 10), 0.9)
    numbers = np.array([f"{tau:.2f}".replace("0.", ".").replace("-", "−") for tau in shown.flat])
    extend = "min" if (shown < low).any() else "neither"
    sns.heatmap(
        shown, mask=np.isnan(shown), cmap=colours, vmin=low, vmax=1, linewidths=0.6,
        linecolor=paper(), annot=numbers.reshape(shown.shape) if count <= MOST_NUMBERS else False,
        fmt="", annot_kws={"fontsize": "small", "in_layout": False}, ax=axes,
        xticklabels=False, yticklabels=False, cbar=count > 3,
        cbar_ax=axes.inset_axes((0.56, 0.9, 0.42, 0.045)) if count > 3 else None,
        cbar_kws={"orientation": "horizontal", "extend": extend, "ticks": MaxNLocator(3)},
    )  # fmt: skip
    mesh = axes.collections[0]
    for text in axes.texts:
        column, row = text.get_position()
        text.set_color(ink_on(mesh.to_rgba(shown[int(row), int(column)])))
    if count > 3:
        bar = mesh.colorbar
        assert bar is not None
        bar.outline.set_linewidth(0.4)
        bar.ax.tick_params(length=1.5, pad=1.5, labelsize="small")
        bar.ax.set_title(_TAU, fontsize="small", pad=2)


def _alternative_text(tau: np.ndarray, names: list[str], total: int) -> str:
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
