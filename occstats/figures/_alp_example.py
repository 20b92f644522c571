"""Worked example of average localised proximity (figure and tables of Lenz et al. 2021)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from numpy.typing import NDArray

from occstats.figures._base import Plot
from occstats.figures._style import ArtistOptions, Width, ink, paper

# The paper prints the neighbours and Manhattan distances of this example, not its coordinates.
# These integers reproduce every entry of its table, with every other training instance further.
TRAINING = np.array(
    [(2, 11), (1, 11), (0, 11), (0, 10), (12, 2), (23, 5), (11, 7), (18, 1), (18, 6), (15, 8)],
    dtype=float,
)
QUERIES = np.array([(3, 14), (19, 12)], dtype=float)
K, LOCAL = 3, 2
_CENTRED: ArtistOptions = {"ha": "center", "va": "center", "fontsize": "small"}
_QUERY_LOOKS = (("#D55E00", "s"), ("#009E73", "^"))


def work_example() -> dict[str, NDArray[Any]]:
    """Compute ALP of the queries from its definition, with every intermediate value (queries × k).

    Examples
    --------
    The paper's values:

    >>> found = work_example()
    >>> found["distances"].astype(int).tolist()
    [[4, 5, 6], [7, 8, 11]]
    >>> found["local distances"].round(2).tolist()
    [[1.0, 1.67, 2.67], [5.0, 5.0, 7.0]]
    >>> found["scores"].round(2).tolist()
    [0.27, 0.4]
    """
    k, local = K, LOCAL
    weights_k, weights_l = (2 * np.arange(n, 0, -1) / (n * (n + 1)) for n in (k, local))
    among = np.abs(TRAINING[:, None] - TRAINING).sum(axis=-1)
    np.fill_diagonal(among, np.inf)
    own = np.sort(among, axis=1)[:, :k]
    to_training = np.abs(QUERIES[:, None] - TRAINING).sum(axis=-1)
    order = np.argsort(to_training, axis=1, kind="stable")
    distances = np.take_along_axis(to_training, order[:, :k], axis=1)
    local_distances = np.einsum("j,qji->qi", weights_l, own[order[:, :local]])
    proximities = local_distances / (local_distances + distances)
    return {
        "neighbours": order[:, :k],
        "distances": distances,
        "local distances": local_distances,
        "localised proximities": proximities,
        "scores": -np.sort(-proximities, axis=1) @ weights_k,
    }


def alp_example(
    *,
    figure: FigureBase | None = None,
    width: Width = "column",
    note: bool = True,
) -> NDArray[Any]:
    """Draw a worked example: two queries, their neighbours and the computation of their scores.

    The first query is nearer to the training instances than the second, but scores lower: its
    neighbours are close together, so its distance is large for its neighbourhood.

    Parameters
    ----------
    figure, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Returns
    -------
    ndarray of Axes
        One for each panel.

    References
    ----------
    Lenz, O. U., Peralta, D. & Cornelis, C. (2021). Average Localised Proximity: a new data
    descriptor with good default one-class classification performance. Pattern Recognition, 118.

    Examples
    --------
    >>> from occstats import figures
    >>> axes = figures.alp_example(width="elsevier")
    """
    with Plot(figure, width, note) as plot:
        tall = min(1.02 * plot.inches, 4.4)
        _, panels = plot.subplots(tall, 2, 1, height_ratios=(15, 6.2))
        found = work_example()
        _draw_points(panels[0], found)
        _write_table(panels[1], found)
        near = [", ".join(f"{value:g}" for value in row) for row in found["distances"]]
        first, second = found["scores"]
        return plot.finish_panels(
            panels,
            f"Worked example of average localised proximity with k = {K} and l = {LOCAL}: "
            f"{len(TRAINING)} training instances and two queries. Query y1 lies at distances "
            f"{near[0]} from a dense group and scores {first:.2f}; query y2 lies at distances "
            f"{near[1]} from a loose group and scores {second:.2f}.",
        )


def _draw_points(axes: Axes, found: dict[str, NDArray[Any]]) -> None:
    axes.scatter(TRAINING[:, 0], TRAINING[:, 1], s=16, color="#0072B2", zorder=3)
    for place, (x, y) in enumerate(TRAINING, start=1):
        # In the dense group two labels are beside their points.
        beside = place in (3, 4)
        offset, ha, va = ((-4, 0), "right", "center") if beside else ((0, -3.5), "center", "top")
        text = f"$x_{{{place}}}$"
        axes.annotate(text, (x, y), offset, textcoords="offset points", ha=ha, va=va, zorder=4)
    box = {"facecolor": paper(), "edgecolor": "none", "pad": 0.4}
    for place, query in enumerate(QUERIES):
        colour, marker = _QUERY_LOOKS[place]
        axes.plot(*query, marker=marker, color=colour, markersize=6, zorder=3, ls="none")
        axes.annotate(
            f"$y_{place + 1}$", query, xytext=(5, 3), textcoords="offset points", color=ink()
        )
        for point, distance in zip(
            TRAINING[found["neighbours"][place]], found["distances"][place], strict=True
        ):
            axes.plot(*np.stack([query, point]).T, color=colour, lw=0.7, ls=(0, (3, 1.5)), zorder=2)
            # Near the training instances, the lines of a query are furthest apart.
            x, y = 0.42 * query + 0.58 * point
            axes.text(x, y, f"{distance:g}", color=ink(), zorder=2.5, bbox=box, **_CENTRED)
    axes.set(xlim=(-2.2, 24.6), ylim=(-0.8, 15.4), aspect="equal")
    axes.set_xticks(np.arange(0, 25, 4))
    axes.set_yticks(np.arange(0, 16, 4))
    axes.set_xticks(np.arange(-2, 25), minor=True)
    axes.set_yticks(np.arange(0, 16), minor=True)
    axes.grid(which="both", lw=0.3)
    axes.tick_params(which="both", length=0, labelsize="small")
    axes.spines[:].set_visible(False)


def _write_table(axes: Axes, found: dict[str, NDArray[Any]]) -> None:
    axes.axis("off")
    heads = ["", *(f"${name}_{i}$" for name in ("d", "D", "lp") for i in (1, 2, 3)), "ALP"]
    rows = [
        [
            f"$y_{place + 1}$",
            *(f"{value:g}" for value in found["distances"][place]),
            *(f"{value:.2f}" for value in found["local distances"][place]),
            *(f"{value:.2f}" for value in found["localised proximities"][place]),
            f"{found['scores'][place]:.2f}",
        ]
        for place in range(len(QUERIES))
    ]
    places = [0.04, 0.12, 0.185, 0.25, 0.35, 0.45, 0.55, 0.66, 0.76, 0.86, 0.965]
    axes.set(xlim=(0, 1), ylim=(3.1, -0.6))
    for level, row in enumerate([heads, *rows]):
        for x, text in zip(places, row, strict=True):
            size, weight = "small" if level else "medium", "bold" if x == places[-1] else "normal"
            axes.text(x, level, text, **{**_CENTRED, "fontsize": size}, weight=weight)
    for height, thickness in ((-0.5, 0.8), (0.5, 0.5), (2.5, 0.8)):
        axes.plot([0, 1], [height, height], color=ink(), lw=thickness, clip_on=False)
