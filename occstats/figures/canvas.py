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
from typing import Any, TypeAlias

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from PIL import Image

from occstats.figures._style import Preset, Theme, settings
from occstats.figures._labels import wrap

__all__ = [
    "Drawing",
    "Sheet",
    "alt_text",
    "axes_of",
    "describe",
    "quiet_glyphs",
    "width_of",
    "write_note",
]

# What every figure returns: the user's axes or (sub)figure, or the new figure.
Drawing: TypeAlias = FigureBase | Axes
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

    def __init__(self, chosen: Preset, height: float, theme: Theme = "house") -> None:
        self.preset = chosen
        self.settings = settings(chosen, theme)
        self._settled = False
        with matplotlib.rc_context(self.settings):
            super().__init__(figsize=(chosen.width, height), layout="constrained")

    def draw(self, renderer: Any) -> None:
        self._settle()
        with matplotlib.rc_context(self.settings), quiet_glyphs():
            super().draw(renderer)

    def savefig(self, fname: Any, **options: Any) -> None:
        self._settle()
        with matplotlib.rc_context(self.settings), quiet_glyphs():
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
            with matplotlib.rc_context(self.settings), quiet_glyphs():
                engine.execute(self)
                if any(axes.get_aspect() != "auto" for axes in axes_of(self)):
                    # The first run does not know how large a square will be.
                    engine.execute(self)
                # "none" would leave an engine that does nothing but have each figure drawn twice.
                self.set_layout_engine(None)
        finally:
            self.set_canvas(canvas)

    def _repr_html_(self) -> str:
        drawn, small = io.BytesIO(), io.BytesIO()
        self.savefig(drawn, format="png", dpi=160)
        # Notebooks keep every output: few colours and lossless WebP make a figure a fifth as large
        # and look the same.
        image = Image.open(drawn).convert("RGB").quantize(64, dither=Image.Dither.NONE)
        image.convert("RGB").save(small, format="webp", lossless=True, quality=100, method=6)
        data = base64.b64encode(small.getvalue()).decode("ascii")
        return (
            f'<img alt="{html.escape(alt_text(self))}" style="width:{self.preset.width * 1.6:.2f}in'
            f';max-width:100%;background:#fff" src="data:image/webp;base64,{data}">'
        )


def width_of(target: Drawing) -> float:
    """Return the width in inches of the figure, or of the part that the axes have."""
    root = target.get_figure(root=True)
    assert root is not None
    if isinstance(target, Axes):
        return float(target.get_position().width * root.get_figwidth())
    # Matplotlib's stubs do not know the box of a figure.
    box: Any = getattr(target, "bbox")  # noqa: B009
    return float(box.width / root.dpi)


def write_note(target: Drawing, text: str, height_given: bool) -> None:
    """Write small lines below: what was left out, what must not be misread, the key of names."""
    if not text:
        return
    size = max(float(matplotlib.rcParams["font.size"]) - 1.5, 6.0)
    if isinstance(target, Axes) and isinstance(target.get_figure(root=True), Sheet):
        # Of several panels each has its own note.
        target = target.get_figure(root=False) or target
    # Backends measure letters a little differently.
    room = 0.96 * width_of(target)
    lines = "\n".join(wrap(part, room, size) for part in text.splitlines())
    if isinstance(target, Axes):
        _below_labels(target, lines, size)
        return
    target.supxlabel(lines, x=0.01, ha="left", fontsize=size, linespacing=1.15)
    if isinstance(target, Sheet) and not height_given:
        # The picture keeps its size; the paper grows.
        taller = (lines.count("\n") + 1) * 1.2 * size / 72
        target.set_figheight(target.get_figheight() + taller)


def _below_labels(axes: Axes, lines: str, size: float) -> None:
    # Tied to the label of the axis, which is below all tick labels, wherever they end.
    below = axes.xaxis.label if axes.xaxis.get_label_position() == "bottom" else "axes fraction"
    axes.annotate(
        lines,
        (0, 0),
        xytext=(0, -4),
        xycoords=("axes fraction", below),
        textcoords="offset points",
        va="top",
        fontsize=size,
        linespacing=1.15,
        annotation_clip=False,
    )


def describe(target: Drawing, text: str) -> None:
    """Attach the alternative text that a screen reader speaks instead of the picture."""
    setattr(target, _ALT_TEXT, " ".join(text.split()))


def alt_text(drawn: Drawing) -> str:
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
    below: list[Drawing] = [*drawn.subfigs, *axes_of(drawn)]
    parts = [alt_text(part) for part in below]
    return " ".join(dict.fromkeys(part for part in parts if part))


def axes_of(figure: FigureBase) -> list[Axes]:
    """Return the axes of a figure in the order of their making."""
    # Matplotlib's stubs know `axes` only as that of an artist.
    untyped: Any = figure
    return list(untyped.axes)
