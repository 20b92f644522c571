"""The sheet a figure is drawn on: its own settings, no global state, and its alternative text.

Figures are plain `matplotlib.figure.Figure` objects made without pyplot, so that no figure stays
open behind the user's back. They draw under their own settings wherever they are drawn later.
"""

from __future__ import annotations

import base64
import html
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from PIL import Image

from occstats.figures.style import Preset, preset, rc
from occstats.figures.text import wrap

__all__ = [
    "Sheet",
    "alt_text",
    "axes_of",
    "describe",
    "drawn_on",
    "note",
    "one_axes",
    "quiet_glyphs",
    "whole_figure",
    "width_of",
]

_ALT_TEXT = "_occstats_alt_text"


@contextmanager
def quiet_glyphs() -> Iterator[None]:
    """Keep Matplotlib from warning once per glyph and draw; `saving` warns once, in words."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from", category=Warning)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        yield


class Sheet(Figure):
    """A figure that draws and saves under its own settings and shows itself in a notebook.

    The layout is found when the figure is first drawn, and then stays: to have it adapt to
    something added later, call ``figure.set_layout_engine("constrained")``.
    """

    def __init__(self, chosen: Preset, height: float) -> None:
        self.preset = chosen
        self._settled = False
        with matplotlib.rc_context(rc(chosen)):
            super().__init__(figsize=(chosen.width, height), layout="constrained")

    def draw(self, renderer: Any) -> None:
        self._settle()
        with matplotlib.rc_context(rc(self.preset)), quiet_glyphs():
            super().draw(renderer)

    def savefig(self, fname: Any, **options: Any) -> None:
        self._settle()
        with matplotlib.rc_context(rc(self.preset)), quiet_glyphs():
            super().savefig(fname, **options)

    def _settle(self) -> None:
        # Each run of the layout starts from the last and moves things by a hair, and every format
        # measures letters a little differently: one run, always with the same letters, makes the
        # bytes independent of what was drawn before.
        if self._settled:
            return
        self._settled = True
        engine, canvas = self.get_layout_engine(), self.canvas
        if engine is None:
            return
        FigureCanvasAgg(self)
        try:
            with matplotlib.rc_context(rc(self.preset)), quiet_glyphs():
                engine.execute(self)
        finally:
            self.set_canvas(canvas)
        self.set_layout_engine("none")

    def _repr_html_(self) -> str:
        drawn, small = io.BytesIO(), io.BytesIO()
        self.savefig(drawn, format="png", dpi=200)
        # Notebooks keep every output; a palette makes a figure a third as large and looks the same.
        image = Image.open(drawn).convert("RGB").quantize(96, dither=Image.Dither.NONE)
        image.save(small, format="png", optimize=True)
        data = base64.b64encode(small.getvalue()).decode("ascii")
        return (
            f'<img alt="{html.escape(alt_text(self))}" style="width:{self.preset.width * 1.6:.2f}in'
            f';max-width:100%;background:#fff" src="data:image/png;base64,{data}">'
        )


@contextmanager
def one_axes(ax: Axes | None, width: str | float | Preset, height: float) -> Iterator[Axes]:
    """Open the user's axes, or the only axes of a new sheet `height` inches high."""
    if ax is not None:
        with matplotlib.rc_context({"text.usetex": False}), quiet_glyphs():
            yield ax
        return
    chosen = preset(width)
    sheet = Sheet(chosen, height)
    with matplotlib.rc_context(rc(chosen)), quiet_glyphs():
        yield sheet.add_subplot()


@contextmanager
def whole_figure(
    figure: FigureBase | None, width: str | float | Preset, height: float
) -> Iterator[FigureBase]:
    """Open the user's figure or subfigure, or a new sheet `height` inches high."""
    if figure is not None:
        with matplotlib.rc_context({"text.usetex": False}), quiet_glyphs():
            yield figure
        return
    chosen = preset(width)
    sheet = Sheet(chosen, height)
    with matplotlib.rc_context(rc(chosen)), quiet_glyphs():
        yield sheet


def width_of(target: Axes | FigureBase) -> float:
    """Return the width in inches of the figure, or of the part that the axes have."""
    root = target.get_figure(root=True)
    assert root is not None
    if isinstance(target, Axes):
        return float(target.get_position().width * root.get_figwidth())
    part: Any = target
    return float(part.bbox.width / root.dpi)


def note(target: Axes | FigureBase, text: str) -> None:
    """Write a small note below: what was left out, or what must not be misread."""
    if not text:
        return
    size = max(float(matplotlib.rcParams["font.size"]) - 1.5, 6.0)
    if isinstance(target, Axes) and isinstance(target.get_figure(), Sheet):
        target = target.get_figure()  # type: ignore[assignment]
    lines = wrap(text, width_of(target), size)
    if isinstance(target, Axes):
        target.annotate(
            lines,
            (0, 0),
            xytext=(0, -2.6 * float(matplotlib.rcParams["font.size"]) - 8),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=size,
        )
    else:
        target.supxlabel(lines, x=0.01, ha="left", fontsize=size, linespacing=1.15)


def describe(target: Axes | FigureBase, text: str) -> None:
    """Attach the alternative text that a screen reader speaks instead of the picture."""
    setattr(target, _ALT_TEXT, " ".join(text.split()))


def alt_text(drawn: Axes | FigureBase) -> str:
    """Return the alternative text of a figure or axes drawn by this package, from its data.

    A figure of one's own with several of our axes gets their texts one after the other;
    an empty string means that nothing in it came from here.

    Examples
    --------
    >>> from occstats import figures
    >>> figures.alt_text(figures.alp_diagram())[:37]
    'Diagram of average localised proximit'
    """
    own = getattr(drawn, _ALT_TEXT, "")
    if own or isinstance(drawn, Axes):
        return str(own)
    below: list[Axes | FigureBase] = [*drawn.subfigs, *axes_of(drawn)]
    parts = [alt_text(part) for part in below]
    return " ".join(dict.fromkeys(part for part in parts if part))


def axes_of(figure: FigureBase) -> list[Axes]:
    """Return the axes of a figure in the order of their making."""
    # Matplotlib's stubs know `axes` only as that of an artist.
    untyped: Any = figure
    return list(untyped.axes)


def drawn_on(target: Axes | FigureBase, given: Axes | FigureBase | None) -> Any:
    """Return what the user gave, or the new figure: the return value of every figure."""
    return given if given is not None else target.get_figure(root=True)
