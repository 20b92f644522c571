"""Write figures as files: reproducible bytes, text as text, alternative text inside."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase

from occstats._files import write_file
from occstats.figures.canvas import alt_text, quiet_glyphs
from occstats.figures.glyphs import missing_glyphs
from occstats.figures._style import FigureError
from occstats.figures.svg import OUTPUT, root_figure, svg_markup
from occstats.figures._labels import clean

__all__ = ["FORMATS", "MissingGlyphWarning", "check_formats", "save"]

FORMATS = ("pdf", "svg", "png", "pgf")


class MissingGlyphWarning(UserWarning):
    """Some letters of a name are in none of the installed fonts and appear as boxes."""

    def __init__(self, characters: Sequence[str]) -> None:
        self.characters = tuple(characters)
        shown = " ".join(characters[:8]) + (" …" if len(characters) > 8 else "")
        super().__init__(
            f"no installed font has {shown}: drawn as boxes in PDF and PNG (an SVG takes them from "
            "where it is shown); install a font that has them, such as Noto Sans CJK or Noto Emoji"
        )


def save(
    drawn: FigureBase | Axes,
    path: str | os.PathLike[str],
    *,
    formats: Sequence[str] | None = None,
    title: str | None = None,
    dpi: float = 300,
) -> list[Path]:
    """Write a figure at its final size, the same bytes every time.

    Text stays text (to be searched, copied and edited) in PDF and SVG; the alternative text is the
    ``<desc>`` of an SVG, the subject of a PDF and the description of a PNG. Each file is complete
    before it replaces an older one.

    Parameters
    ----------
    drawn : Figure or Axes
        What a function of this package returned, or any Matplotlib figure.
    path : path
        Where to write. Its suffix is the format, unless `formats` are given.
    formats : sequence of {"pdf", "svg", "png", "pgf"}, optional
        Write one file for each, `path` with that suffix. PGF needs LaTeX.
    title : str, optional
        Title in the file's metadata; by default the name of the file.
    dpi : float
        Dots per inch of a PNG, and of the shades of a large plane elsewhere.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> import tempfile
    >>> from occstats import figures
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = figures.save(figures.alp_diagram(), f"{folder}/alp", formats=["pdf", "svg"])
    ...     [file.name for file in files]
    ['alp.pdf', 'alp.svg']
    """
    figure = root_figure(drawn)
    target = Path(path)
    chosen = _formats(target, formats)
    if not 10 <= dpi <= 2400:
        raise FigureError(f"dpi must be between 10 and 2400; got {dpi!r}")
    # with_suffix would cut the end off a name such as "score.v2".
    stem = target.with_suffix("") if formats is None else target
    missing = missing_glyphs(figure) if {"pdf", "png"} & set(chosen) else []
    if missing:
        warnings.warn(MissingGlyphWarning(missing), stacklevel=2)
    written = []
    for kind in chosen:
        data = _rendered(figure, kind, title or stem.name, dpi)
        written.append(write_file(stem.parent / f"{stem.name}.{kind}", data))
    return written


def _formats(target: Path, formats: Sequence[str] | None) -> list[str]:
    if isinstance(formats, str):
        formats = formats.split(",")
    return check_formats([target.suffix] if formats is None else formats)


def check_formats(wanted: Sequence[str]) -> list[str]:
    """Return the formats without repeats, or say which there are.

    >>> check_formats(["PDF", ".svg", "pdf"])
    ['pdf', 'svg']
    """
    chosen = list(dict.fromkeys(kind.strip().lower().lstrip(".") for kind in wanted))
    for kind in chosen:
        if kind not in FORMATS:
            raise FigureError(f"format must be one of {', '.join(FORMATS)}; got {kind!r}")
    if not chosen:
        raise FigureError(f"no format was given: choose from {', '.join(FORMATS)}")
    if "pgf" in chosen:
        from occstats.figures.pgf import tex_engine

        tex_engine()  # before anything is drawn
    return chosen


def _rendered(figure: Figure, kind: str, title: str, dpi: float) -> bytes:
    if kind == "svg":
        return svg_markup(figure, title=title, standalone=True, dpi=dpi).encode("utf-8")
    if kind == "pgf":
        from occstats.figures.pgf import pgf_bytes

        return pgf_bytes(figure)
    words = alt_text(figure)
    metadata: dict[str, Any] = {"Title": clean(title)}
    if kind == "pdf":
        metadata |= {"Subject": words, "CreationDate": None}
    elif words:
        metadata["Description"] = words
    buffer = io.BytesIO()
    with matplotlib.rc_context(OUTPUT), quiet_glyphs():
        figure.savefig(buffer, format=kind, metadata=metadata, dpi=dpi)
    return buffer.getvalue()
