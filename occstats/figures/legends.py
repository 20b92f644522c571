"""The key of series above axes or figure, in as many columns as their names leave room for."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D

from occstats.figures._base import Pen
from occstats.figures._labels import measure

__all__ = ["series_legend"]

_HANDLE = 0.48


def series_legend(
    target: Axes | FigureBase, pen: Pen, names: Sequence[str], values: Sequence[str] = ()
) -> None:
    """Say above the drawing which line, marker and colour is whose, and a value of each."""
    size = matplotlib.rcParams["legend.fontsize"]
    beside = [f"  {value}" for value in values] or [""] * len(names)
    room = pen.inches / 2 - _HANDLE - max(measure(text, size) for text in beside)
    drawn = pen.labels(names, room, size=size, lines=2)
    drawn = [text + value for text, value in zip(drawn, beside, strict=True)]
    widest = max(measure(line, size) for text in drawn for line in text.split("\n")) + _HANDLE
    columns = max(1, min(int(pen.inches / widest), len(names)))
    rows = -(-len(names) // columns)
    handles = [
        Line2D([], [], color=look.color, marker=look.marker, ls=look.linestyle, label=text)
        for look, text in zip(map(pen.look, names), drawn, strict=True)
    ]
    # As few columns as need no further row: three and three rather than four and two.
    columns = -(-len(names) // rows)
    if isinstance(target, Axes):
        target.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)
    else:
        target.legend(handles=handles, loc="outside upper center", ncols=columns)
