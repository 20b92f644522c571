r"""PGF for LaTeX documents, with names that stay text.

Matplotlib's PGF backend hands plain text to LaTeX as it is: a dataset called ``50%`` would hide
the rest of its line, and one called ``\input{…}`` would read a file. Here every character that
means something to TeX is written as the command that prints it; only our own mathematics passes.
"""

from __future__ import annotations

import io
import shutil
from typing import Any

import matplotlib
from matplotlib.backends import backend_pgf
from matplotlib.figure import Figure

from occstats.errors import EngineError
from occstats.figures.canvas import quiet_glyphs
from occstats._format import TEX_COMMANDS as COMMANDS

__all__ = ["escape", "pgf_bytes", "tex_engine"]

# Beside what tables have: signs that only figures draw, and quotes, whose command needs T1 fonts.
_SPECIAL = {
    **COMMANDS,
    '"': r"\textquotedbl{}",
    "\u00a0": "~",
    "\u2009": r"\,",
    "’": "'",
    "∝": r"$\propto$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "▲": r"$\blacktriangle$",
    "·": r"\textperiodcentered{}",
    "\N{REPLACEMENT CHARACTER}": r"$\Box$",
}
_ENGINES = ("xelatex", "lualatex", "pdflatex")


def escape(text: str) -> str:
    r"""Return text that TeX prints as it is.

    pdfLaTeX stops at letters it was not prepared for; it gets boxes, other engines the letters.

    >>> escape("50% of $x_1$ & \\input{secrets}")
    '50\\% of \\$x\\_1\\$ \\& \\textbackslash{}input\\{secrets\\}'
    >>> escape("傍")
    '{\\ifdefined\\pdftexversion\\ensuremath{\\Box}\\else 傍\\fi}'
    """
    return "".join(_SPECIAL.get(character) or _letter(character) for character in text)


def _letter(character: str) -> str:
    if ord(character) < 0x100:
        return character
    return rf"{{\ifdefined\pdftexversion\ensuremath{{\Box}}\else {character}\fi}}"


def tex_engine() -> str:
    for name in _ENGINES:
        if shutil.which(name):
            return name
    raise EngineError(
        "format 'pgf' needs LaTeX, and none of xelatex, lualatex, pdflatex is on the PATH: install "
        "one (Debian: texlive-latex-recommended texlive-pictures) or choose pdf, svg or png"
    )


class _LiteralRenderer(backend_pgf.RendererPgf):
    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        literal = self._literal(s, ismath)
        super().draw_text(gc, x, y, literal, prop, angle, ismath, mtext)  # type: ignore[no-untyped-call]

    def get_text_width_height_descent(
        self, s: str, prop: Any, ismath: Any
    ) -> tuple[float, float, float]:
        literal = self._literal(s, ismath)
        found = super().get_text_width_height_descent(  # type: ignore[no-untyped-call]
            literal, prop, ismath
        )
        return (float(found[0]), float(found[1]), float(found[2]))

    def _literal(self, text: str, ismath: Any) -> str:
        return text if ismath else escape(text)


def pgf_bytes(figure: Figure) -> bytes:
    """Return the PGF picture of a figure, to be read with LaTeX's ``\\input``.

    Fonts are those of the document that reads it; the document needs ``\\usepackage{pgf}``.
    """
    engine = tex_engine()
    # amssymb has the box that stands for a character that cannot be printed.
    encoding = r"\usepackage[T1]{fontenc}" if engine == "pdflatex" else ""
    settings: dict[Any, Any] = {
        "pgf.texsystem": engine,
        "pgf.rcfonts": False,
        "pgf.preamble": rf"{encoding}\usepackage{{amssymb}}",
    }
    buffer = io.StringIO()
    with matplotlib.rc_context(settings), quiet_glyphs():
        _write(figure, buffer)
    return buffer.getvalue().encode("utf-8")


def _write(figure: Figure, buffer: io.StringIO) -> None:
    width, height = figure.get_size_inches()
    buffer.write(
        "%% Read with \\input; needs \\usepackage{pgf}, \\usepackage{amssymb} and T1 fonts.\n"
        "\\begingroup%\n\\makeatletter%\n\\providecommand{\\mathdefault}[1]{#1}%\n"
        "\\begin{pgfpicture}%\n"
        f"\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}%\n"
        "\\pgfusepath{use as bounding box}%\n"
    )
    renderer = _LiteralRenderer(figure, buffer)  # type: ignore[no-untyped-call]
    # A PGF picture cannot hold an image: what other formats rasterise is drawn as paths.
    images = [artist for artist in figure.findobj() if artist.get_rasterized()]
    for artist in images:
        artist.set_rasterized(False)
    try:
        figure.draw(renderer)
    finally:
        for artist in images:
            artist.set_rasterized(True)
    buffer.write("\\end{pgfpicture}%\n\\makeatother%\n\\endgroup%\n")
