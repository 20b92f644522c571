"""Diagram of average localised proximity (a figure of Lenz et al. 2021)."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from occstats.figures._base import Plot
from occstats.figures._style import ArtistOptions, Width, ink, paper

# name: (centre, width, height, caption, content); the axes are 100 × 100
_BOXES: dict[str, tuple[tuple[float, float], float, float, str, str]] = {
    "query": ((21, 89), 7, 7, "query instance", "$y$"),
    "neighbours": ((72, 86.5), 17, 17, "nearest neighbours",
        "$NN_1(y)$\n$NN_2(y)$\n$\\vdots$\n$NN_l(y)$"),
    "distances": ((21, 52), 37, 8, "", "$d_1(y),\\; d_2(y),\\; …,\\; d_k(y)$"),
    "neighbour_distances": ((72, 52), 54, 18, "",
        "$d_1(NN_1(y)),\\; …,\\; d_k(NN_1(y))$\n$d_1(NN_2(y)),\\; …,\\; d_k(NN_2(y))$\n"
        "$\\vdots$\n$d_1(NN_l(y)),\\; …,\\; d_k(NN_l(y))$"),
    "proximities": ((21, 20.5), 40, 8, "localised proximities",
        "$lp_1(y),\\; lp_2(y),\\; …,\\; lp_k(y)$"),
    "local_distances": ((75, 20.5), 42, 8, "local distances",
        "$D_1(y),\\; D_2(y),\\; …,\\; D_k(y)$"),
    "score": ((21, -8), 18, 8, "average localised proximity", "$ALP(y)$"),
}  # fmt: skip
# from, to, text, position of the text along the arrow
_ARROWS = (
    ("query", "neighbours", "$l$ nearest\nneighbours", 0.5),
    ("query", "distances", "$k$ nearest neighbour\ndistances", 0.5),
    ("neighbours", "neighbour_distances", "$k$ nearest neighbour\ndistances", 0.42),
    ("distances", "proximities", "", 0.5),
    ("neighbour_distances", "local_distances", "weighted average with $w^l$", 0.4),
    ("local_distances", "proximities", "", 0.5),
    ("proximities", "score", "ordered weighted\naverage with $w^k$", 0.4),
)


def alp_diagram(
    *,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    r"""Draw a diagram of average localised proximity.

    .. math:: D_i(y) = \sum_{j \le l} w^l_j\, d_i(NN_j(y)), \quad
              lp_i(y) = \frac{D_i(y)}{D_i(y) + d_i(y)}, \quad
              ALP(y) = \sum_{i \le k} w^k_i\, lp_{(i)}(y),

    with :math:`lp_{(i)}` the localised proximities from large to small.

    Parameters
    ----------
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    References
    ----------
    Lenz, O. U., Peralta, D. & Cornelis, C. (2021). Average Localised Proximity: a new data
    descriptor with good default one-class classification performance. Pattern Recognition, 118.

    Examples
    --------
    >>> from occstats import figures
    >>> axes = figures.alp_diagram(width="lncs")
    """
    with Plot(ax, width, note) as plot:
        axes = plot.axes(min(0.98 * plot.inches, 4.0))
        axes.set(xlim=(0, 100), ylim=(-14, 101))
        axes.axis("off")
        for box in _BOXES.values():
            _box(axes, *box)
        for start, end, words, place in _ARROWS:
            _arrow(axes, start, end, words, place)
        return plot.finish(axes, _ALTERNATIVE_TEXT)


_ALTERNATIVE_TEXT = (
    "Diagram of average localised proximity. From a query y go its k nearest neighbour distances, "
    "and its l nearest neighbours with their own k nearest neighbour distances. A weighted average "
    "of the latter gives k local distances; with the distances of y they give k localised "
    "proximities; an ordered weighted average of these is the average localised proximity of y."
)


def _box(
    axes: Axes, centre: tuple[float, float], width: float, height: float, caption: str, content: str
) -> None:
    x, y = centre
    corner = (x - width / 2, y - height / 2)
    axes.add_patch(Rectangle(corner, width, height, fc=paper(), ec=ink(), lw=0.6, zorder=2))
    axes.text(x, y, content, ha="center", va="center", fontsize="small", linespacing=1.3, zorder=3)
    if caption:
        top = y + height / 2 + 0.8
        hidden = {"facecolor": paper(), "edgecolor": "none", "pad": 0.6}
        axes.text(x, top, caption, ha="center", va="bottom", zorder=4, bbox=hidden)


def _edge(name: str, towards: str) -> tuple[float, float]:
    (x, y), width, height, caption, _ = _BOXES[name]
    other_x, other_y = _BOXES[towards][0]
    if abs(other_y - y) < 5:
        return (x + (width / 2 if other_x > x else -width / 2), (y + other_y) / 2)
    # Straight down or up; a caption above the box moves the end of an arrow from above.
    above = 6.0 if caption and other_y > y else 0.0
    return (x, y + (height / 2 + above if other_y > y else -height / 2))


def _arrow(axes: Axes, start: str, end: str, words: str, place: float) -> None:
    from_, to = _edge(start, end), _edge(end, start)
    if abs(from_[1] - to[1]) > 5:
        # Vertical arrows are drawn at the box that is further to the right.
        x = max(from_[0], to[0])
        from_, to = (x, from_[1]), (x, to[1])
    arrow = {"arrowstyle": "-|>", "color": ink(), "lw": 0.8, "shrinkA": 2, "shrinkB": 2}
    axes.annotate("", to, from_, arrowprops=arrow, zorder=1)
    x, y = (one + place * (other - one) for one, other in zip(from_, to, strict=True))
    style: ArtistOptions = {"ha": "center", "va": "center", "fontsize": "small", "color": ink()}
    hidden = {"facecolor": paper(), "edgecolor": "none", "pad": 1.0}
    axes.text(x, y, words, linespacing=1.1, bbox=hidden, zorder=2, **style)
