"""Figures as SVG that can stand in a strict HTML page and be read aloud."""

from __future__ import annotations

import html
import io
import re
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase

from occstats.figures.canvas import alt_text, quiet_glyphs
from occstats.figures._style import FigureError
from occstats.figures._labels import clean

__all__ = ["OUTPUT", "root_figure", "svg_markup"]

# Text as text, and identifiers that do not change from run to run.
OUTPUT: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "occstats",
    "pdf.fonttype": 42,
}


def root_figure(drawn: FigureBase | Axes) -> Figure:
    """Return the figure that something drawn belongs to."""
    figure = drawn.get_figure(root=True) if isinstance(drawn, FigureBase | Axes) else None
    if not isinstance(figure, Figure):
        raise FigureError(f"this takes a Matplotlib figure or axes; got {type(drawn).__name__}")
    return figure


def svg_markup(
    drawn: FigureBase | Axes,
    *,
    title: str = "",
    identity: str = "",
    standalone: bool = False,
    dpi: float = 300,
) -> str:
    """Return a figure as SVG with a title and a description for screen readers.

    There is neither a style sheet nor a style attribute in it: it looks the same in a page whose
    Content-Security-Policy forbids both, and does not touch the looks of that page.

    Parameters
    ----------
    drawn : Figure or Axes
        What to write.
    title : str
        Short title, read before the alternative text.
    identity : str
        Prefix of all identifiers, so that several figures can stand in one HTML page.
    standalone : bool
        With the XML declaration, as a file needs it; without, to be put into HTML.
    dpi : float
        Dots per inch of parts that are drawn as an image.

    Examples
    --------
    >>> from occstats import figures
    >>> figures.svg_markup(figures.alp_diagram(), identity="alp")[:4]
    '<svg'
    """
    figure = root_figure(drawn)
    buffer = io.StringIO()
    with matplotlib.rc_context(OUTPUT), quiet_glyphs():
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, dpi=dpi)
    prologue, opening, rest = _opened(buffer.getvalue())
    prefix = re.sub(r"[^A-Za-z0-9_-]", "-", identity) + "-" if identity else ""
    opening, rest = _plain(opening, prefix), _plain(rest, prefix)
    named = _named(clean(title), alt_text(figure), prefix)
    head = opening[:-1] + _INHERITED + named[0] + ">"
    return (prologue if standalone else "") + head + named[1] + rest


def _opened(markup: str) -> tuple[str, str, str]:
    match = re.search(r"<svg\b[^>]*>", markup)
    assert match is not None
    return markup[: match.start()], match[0], markup[match.end() :]


def _named(title: str, words: str, prefix: str) -> tuple[str, str]:
    labels = []
    elements = ""
    if title:
        labels.append(f"{prefix}title")
        elements += f'\n <title id="{labels[-1]}">{html.escape(title)}</title>'
    if words:
        labels.append(f"{prefix}description")
        elements += f'\n <desc id="{labels[-1]}">{html.escape(words)}</desc>'
    reference = f' aria-labelledby="{" ".join(labels)}"' if labels else ""
    return f' role="img"{reference}', elements


# Tags only: a name drawn as text has its angle brackets escaped and cannot look like one.
_TAG = re.compile(r"<[^>]*>")
_REFERENCE = re.compile(r'(\bid="|href="#|url\(#)(?=[^"])')
_STYLE = re.compile(r'\sstyle="([^"]*)"')
_STYLE_SHEET = re.compile(r"<style\b[^>]*>[^<]*</style>\s*")
# What Matplotlib's style sheet says of all elements, said once at the root and inherited.
_INHERITED = ' stroke-linejoin="round" stroke-linecap="butt"'


def _plain(markup: str, prefix: str) -> str:
    def rewritten(tag: re.Match[str]) -> str:
        text = _STYLE.sub(lambda style: _attributes(style[1]), tag[0])
        return _REFERENCE.sub(rf"\g<1>{prefix}", text) if prefix else text

    return _TAG.sub(rewritten, _STYLE_SHEET.sub("", markup))


def _attributes(style: str) -> str:
    """Return a style attribute as the presentation attributes that mean the same."""
    pairs = (part.split(":", 1) for part in style.split(";") if ":" in part)
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)
