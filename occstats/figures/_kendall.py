"""Heat map of weighted Kendall's τ between algorithms (a figure of Lenz et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.ticker import MaxNLocator

from occstats.comparison import Comparison
from occstats.errors import FigureError
from occstats.figures._base import (
    Order,
    Plot,
    fence,
    kendall_square,
    matrix_limit,
)
from occstats.figures._labels import clean
from occstats.figures._style import Theme, Width, ink_on, paper

MOST_NUMBERS = 12


def kendall(
    comparison: Comparison,
    *,
    cmap: str | Colormap = "Blues",
    algorithms: Sequence[str] | None = None,
    order: Order = "rank",
    show: int | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    height: float | None = None,
    theme: Theme = "house",
    title: str | None = None,
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
    algorithms, order, show, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, height, theme, title, note : optional
        Where to draw, size, style, title and note; see `occstats.figures`.

    References
    ----------
    Vigna, S. (2015). A weighted correlation index for rankings with ties. WWW '15, 1166–1176.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.kendall(width="ieee", order="similarity")
    """
    with Plot(ax, width, height, theme, title, note) as plot:
        limit = matrix_limit(plot.inches)
        names = plot.algorithms(comparison, limit, algorithms, order, show, labels, highlight)
        tau = kendall_square(comparison, names)
        rows, columns, cell, bottom, angle = plot.matrix_labels(names)
        # The name of the first column explains its number above the first row.
        first = int(rows != columns)
        axes = plot.axes(
            cell * (len(names) - 1 + first) + bottom + (0.1 if len(names) > 3 else 0.5)
        )
        _triangle(axes, tau, names, _colour_map(cmap))
        places = np.arange(len(names) - 1) + 0.5
        axes.set_ylim(len(names) - 1, -first)
        axes.set_yticks([*[-0.5] * first, *places], rows[1 - first :], rotation=0, fontsize="small")
        axes.set_xticks(places, columns[:-1], rotation=angle, fontsize="small")
        plot.emphasise(axes.get_yticklabels(), names[1 - first :])
        plot.emphasise(axes.get_xticklabels(), names[:-1])
        axes.tick_params(length=0)
        return plot.finish(_alternative_text(tau, names, len(comparison.summary)))


def _colour_map(wanted: str | Colormap) -> Colormap:
    try:
        return matplotlib.colormaps.get_cmap(wanted)
    except (ValueError, TypeError) as error:
        raise FigureError(
            f"cmap must be the name of a colour map of Matplotlib such as 'Greens'; got {wanted!r}"
        ) from error


def _triangle(axes: Axes, tau: np.ndarray, names: list[str], colours: Colormap) -> None:
    count = len(names)
    # Every pair is drawn once, below the diagonal.
    shown = np.where(np.tri(count, k=-1, dtype=bool), tau, np.nan)[1:, :-1]
    least = float(np.nanmin(shown)) if np.isfinite(shown).any() else 0.0
    low = min(float(np.floor(fence(shown)[0] * 10) / 10), 0.9)
    # Three algorithms or fewer leave no corner free for the colour bar.
    inset = axes.inset_axes((0.56, 0.9, 0.42, 0.045)) if count > 3 else None
    bar_options = {"orientation": "horizontal", "extend": "min" if least < low else "neither"}
    sns.heatmap(
        shown if shown.size else np.full((1, 1), np.nan),
        mask=~np.isfinite(shown) if shown.size else None,
        cmap=colours, vmin=low, vmax=1, linewidths=0.6, linecolor=paper(), square=True,
        annot=_numbers(shown) if count <= MOST_NUMBERS else False,
        fmt="", annot_kws={"fontsize": "small"}, xticklabels=False, yticklabels=False, ax=axes,
        cbar_ax=inset, cbar_kws=bar_options | ({} if inset is not None else {"shrink": 0.6}),
    )  # fmt: skip
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


def _numbers(shown: np.ndarray) -> np.ndarray:
    written = [f"{value:.2f}".replace("0.", ".").replace("-", "−") for value in shown.flat]
    return np.array(written, dtype=object).reshape(shown.shape)


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
