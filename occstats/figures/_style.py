"""Sizes, colours and style of figures, and saving them with reproducible bytes."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import re
import string
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure, FigureBase
from numpy.typing import NDArray

from occstats._files import write_file
from occstats._format import did_you_mean
from occstats.errors import FigureError
from occstats.figures._labels import clean

# -- sizes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preset:
    """Final width of a figure in inches, and a typeface that suits the text around it."""

    width: float
    serif: bool = False
    font_size: float = 8.0


# Options of Matplotlib's artists that several calls share.
ArtistOptions: TypeAlias = dict[str, Any]
Palette: TypeAlias = str | Sequence[str] | Mapping[str, str]
Width: TypeAlias = str | float | Preset
# What a figure function returns, or a figure of the user.
Drawn: TypeAlias = Axes | FigureBase | NDArray[Any]

_MILLIMETRES = 25.4
# Widths from the venues' author guides and document classes. Figures are made at their final size,
# so that 6 points stay 6 points; classes with one column have the same width twice.
PRESETS: dict[str, Preset] = {
    "column": Preset(3.5),
    "page": Preset(7.0),
    "elsevier": Preset(90 / _MILLIMETRES),
    "elsevier-wide": Preset(190 / _MILLIMETRES),
    "ieee": Preset(252 / 72.27, serif=True),
    "ieee-wide": Preset(516 / 72.27, serif=True),
    "lncs": Preset(122 / _MILLIMETRES, serif=True),
    "lncs-wide": Preset(122 / _MILLIMETRES, serif=True),
    "springer": Preset(84 / _MILLIMETRES),
    "springer-wide": Preset(174 / _MILLIMETRES),
    "neurips": Preset(5.5, serif=True),
    "neurips-wide": Preset(5.5, serif=True),
    "acm": Preset(3.33, serif=True),
    "acm-wide": Preset(7.0, serif=True),
}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(in|mm|cm|pt)?", re.ASCII)
_INCHES = {"in": 1.0, "mm": 1 / _MILLIMETRES, "cm": 10 / _MILLIMETRES, "pt": 1 / 72.27}


def preset(width: Width) -> Preset:
    """Return the preset of a venue, or one for a width in inches, mm, cm or TeX points.

    >>> round(preset("ieee-wide").width, 3)
    7.14
    >>> round(preset("90mm").width, 3)
    3.543
    """
    if isinstance(width, Preset):
        return width
    if isinstance(width, str) and width.strip().lower() in PRESETS:
        return PRESETS[width.strip().lower()]
    match = _LENGTH.fullmatch(str(width).strip())
    if match is None:
        raise FigureError(
            "width must be a number of inches, a length such as '90mm', or one of "
            f"{', '.join(PRESETS)}; got {width!r}{did_you_mean(str(width), PRESETS)}"
        )
    inches = float(match[1]) * _INCHES[match[2] or "in"]
    if not 2 <= inches <= 40:
        converted = f", which is {inches:.3g} inches" if match[2] else ""
        raise FigureError(f"width must be between 2 and 40 inches; got {width!r}{converted}")
    return Preset(inches)


# -- colours ---------------------------------------------------------------------------------------

# Okabe and Ito (2008), with the wine red of Tol (2021) for the yellow that vanishes on white paper,
# and his olive and brown, so that ten algorithms have ten hues.
BLUE, ORANGE, FADED = "#0072B2", "#D55E00", "#B5B5B5"
_HUES = (
    BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933",
    "#661100",
)  # fmt: skip
# Pale and dark shades of the hues follow them.
_SHADES: Any = [
    0.55 * np.array(to_rgb(hue)) + 0.45 * shade for shade in (1.0, 0.1) for hue in _HUES
]
_COLOURS = (*_HUES, *map(to_hex, _SHADES))
# Nine markers and 30 colours: 90 series before a combination repeats.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
# Matplotlib's dash pattern: an offset, and the lengths of dashes and gaps.
Dashes: TypeAlias = str | tuple[float, tuple[float, ...]]
_LINES: tuple[Dashes, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2)),
)


@dataclass(frozen=True)
class SeriesStyle:
    """Colour, marker and line of a series, distinct in colour and in grey-scale print."""

    color: str
    marker: str
    linestyle: Dashes = "-"


def series_styles(names: Iterable[str], palette: Palette | None = None) -> dict[str, SeriesStyle]:
    """Assign a colour, a marker and a line to each name.

    Examples
    --------
    >>> series_styles(["ALP", "SVM"])["SVM"].marker
    's'
    >>> series_styles(["ALP", "SVM"], palette={"SVM": "red"})["SVM"].color
    '#ff0000'
    """
    everyone = list(names)
    base: Any = _COLOURS
    own: dict[str, str] = {}
    try:
        if isinstance(palette, Mapping):
            own = {name: to_hex(colour) for name, colour in palette.items()}
        elif palette is not None:
            import seaborn as sns

            # A named palette has as many colours as needed; those of a list are cycled.
            n_colours = max(len(everyone), 1) if isinstance(palette, str) else None
            base = sns.color_palette(palette, n_colours)
    except (ValueError, TypeError) as error:
        known = ["deep", "muted", "pastel", "bright", "dark", "colorblind", *matplotlib.colormaps]
        near = did_you_mean(palette, known) if isinstance(palette, str) else ""
        raise FigureError(
            "palette must be the name of a seaborn palette such as 'deep', a list of colours, "
            f"or a dictionary from algorithm to colour; got {palette!r}{near}"
        ) from error
    cycles = (itertools.cycle(values) for values in (base, _MARKERS, _LINES))
    return {
        name: SeriesStyle(own.get(name, to_hex(colour)), marker, line)
        for name, colour, marker, line in zip(everyone, *cycles, strict=False)
    }


def ink() -> str:
    """Return the colour of text and lines."""
    return str(matplotlib.rcParams["text.color"])


def paper() -> str:
    """Return the colour of the background."""
    return str(matplotlib.rcParams["axes.facecolor"])


def ink_on(colour: Any) -> str:
    """Return black or white, whichever has more contrast with a colour (WCAG 2.1).

    >>> ink_on("#08306b"), ink_on("#6baed6")
    ('white', 'black')
    """
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Where (L + 0.05) / 0.05 and 1.05 / (L + 0.05) are equal.
    return "black" if luminance > 0.179 else "white"


# -- style -----------------------------------------------------------------------------------------

# Fonts for letters that Matplotlib's own fonts lack, as far as they are installed.
_FALLBACK_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Source Han Sans SC",
    "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "PingFang SC", "Hiragino Sans", "Microsoft YaHei",
    "Yu Gothic", "Arial Unicode MS", "Noto Emoji", "Symbola", "DejaVu Sans",
)  # fmt: skip
# Settings of the interpreter rather than of a figure.
_INTERPRETER = re.compile(
    r"backend.*|interactive|toolbar|timezone|webagg\..*|tk\..*|macosx\..*|docstring\..*|date\.epoch"
    r"|figure\.(max_open_warning|raise_window|hooks)|savefig\.directory|keymap\..*|animation\..*|pgf\..*"
)
# Text stays text, letters have the same width at every resolution, and bytes are reproducible.
_ALWAYS: dict[Any, Any] = {
    "text.usetex": False,
    "text.hinting": "no_hinting",
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
    "savefig.bbox": None,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "occstats",
}


@functools.cache
def settings(chosen: Preset) -> dict[Any, Any]:
    """Return the complete Matplotlib settings of a new figure: its defaults in the house style."""
    defaults: Any = matplotlib.rcParamsDefault
    house = Path(__file__).with_name("house.mplstyle")
    size, small = chosen.font_size, chosen.font_size - 1.0
    # Matplotlib's own fonts first: they are found under any settings.
    families = ["STIXGeneral", "serif"] if chosen.serif else ["DejaVu Sans", "sans-serif"]
    installed = {font.name for font in font_manager.fontManager.ttflist}
    families += [name for name in _FALLBACK_FONTS if name in installed and name not in families]
    return {
        **{key: defaults[key] for key in defaults if not _INTERPRETER.fullmatch(key)},
        **matplotlib.rc_params_from_file(house, use_default_template=False),
        "font.family": families,
        "mathtext.fontset": "stix" if chosen.serif else "dejavusans",
        **dict.fromkeys(("font.size", "axes.labelsize", "axes.titlesize"), size),
        **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), small),
        **_ALWAYS,
    }


# -- what a figure carries, and its alternative text -----------------------------------------------


def remember(target: Axes | FigureBase, **values: Any) -> None:
    """Attach to axes or a figure what `save`, the report and the command line need later."""
    for name, value in values.items():
        setattr(target, f"_occstats_{name}", value)


def recall(target: object, name: str, default: Any) -> Any:
    """Return what was attached to axes or a figure."""
    return getattr(target, f"_occstats_{name}", default)


def note_of(figure: Figure) -> str:
    """Return the note of a figure, whether or not it is drawn."""
    return str(recall(figure, "note", ""))


def alt_text(drawn: Drawn) -> str:
    """Return the alternative text of a figure, written from its data.

    Parameters
    ----------
    drawn : Axes, array of Axes, Figure or SubFigure
        The return value of a figure function, or a figure in which it drew; the texts of
        several of our axes follow each other. Empty for other figures.

    Examples
    --------
    >>> from occstats import figures
    >>> figures.alt_text(figures.alp_diagram())[:37]
    'Diagram of average localised proximit'
    """
    if not isinstance(drawn, np.ndarray | Axes | FigureBase):
        raise FigureError(f"alt_text takes a figure or axes; got {type(drawn).__name__}")
    if isinstance(drawn, np.ndarray):
        return alt_text(drawn.flat[0])
    if isinstance(drawn, Axes):
        return str(recall(drawn, "alternative", ""))
    inside: list[Axes | FigureBase] = [*drawn.subfigs, *axes_of(drawn)]
    parts = [alt_text(part) for part in inside]
    return " ".join(dict.fromkeys(part for part in parts if part))


def axes_of(figure: FigureBase) -> list[Axes]:
    """Return the axes of a figure."""
    # Matplotlib's stubs know `axes` only as that of an artist.
    untyped: Any = figure
    return list(untyped.axes)


# -- saving ----------------------------------------------------------------------------------------

FORMATS = ("pdf", "svg", "png")
_SVG = "{http://www.w3.org/2000/svg}"
ElementTree.register_namespace("", _SVG[1:-1])
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
# With the ligatures that Matplotlib sets since 3.11.
_USUAL = string.printable[:95] + "\u2002\u2009–−’…←→≤≥±×▲ατﬀﬁﬂﬃﬄ"
_MISSING_GLYPH = re.compile(r"Glyph (\d+) .*missing from")


class MissingGlyphWarning(UserWarning):
    """Some letters of a name are in no installed font and appear as boxes."""

    def __init__(self, characters: Sequence[str]) -> None:
        self.characters = tuple(characters)
        shown = " ".join(characters[:8]) + (" …" if len(characters) > 8 else "")
        super().__init__(
            f"no installed font has {shown}: drawn as boxes in PDF and PNG (an SVG uses the fonts "
            "of its viewer); install a font that has them, such as Noto Sans CJK or Noto Emoji"
        )


def save(
    drawn: Drawn,
    path: str | os.PathLike[str],
    *,
    formats: Sequence[str] | None = None,
    title: str | None = None,
    dpi: float = 300,
) -> list[Path]:
    """Write a figure at its final size, byte-for-byte reproducible, and return the files.

    Text stays text (searchable, editable) in PDF and SVG; title and alternative text are in the
    metadata. Each file is complete before it replaces an older one.

    Parameters
    ----------
    drawn : Axes, array of Axes or Figure
        The return value of a figure function, or any Matplotlib figure.
    path : path
        Where to write. Its suffix is the format, unless `formats` are given.
    formats : sequence of {"pdf", "svg", "png"}, optional
        Write one file for each, `path` with that suffix.
    title : str, optional
        Title in the metadata; by default the name of the file.
    dpi : float
        Dots per inch of a PNG, and of rasterised parts of a PDF or SVG.

    Examples
    --------
    >>> import tempfile
    >>> from occstats import figures
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = figures.save(figures.alp_diagram(), f"{folder}/alp", formats=["pdf", "svg"])
    ...     [file.name for file in files]
    ['alp.pdf', 'alp.svg']
    """
    target = Path(path)
    if isinstance(formats, str):
        formats = formats.split(",")
    if formats is None and not target.suffix:
        raise FigureError(f"path needs a suffix (.pdf, .svg, .png) or `formats`; got {str(path)!r}")
    # with_suffix would cut the end off a name such as "score.v2".
    stem = target.with_suffix("") if formats is None else target
    files = render(
        drawn, stem.name, [target.suffix] if formats is None else formats, title=title, dpi=dpi
    )
    return [write_file(stem.parent / name, data) for name, data in files.items()]


def render(
    drawn: Drawn, name: str, formats: Sequence[str], *, title: str | None = None, dpi: float = 300
) -> dict[str, bytes]:
    """Return the files of a figure: name with suffix, and content."""
    figure, chosen = root_figure(drawn), check_formats(formats)
    if not 10 <= dpi <= 2400:
        raise FigureError(f"dpi must be between 10 and 2400; got {dpi!r}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        files = {f"{name}.{kind}": _render(figure, kind, title or name, dpi) for kind in chosen}
    missing = []
    for warning in caught:
        text = str(warning.message)
        if match := _MISSING_GLYPH.search(text):
            missing.append(chr(int(match[1])))
        elif not text.startswith("Matplotlib currently does not support"):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    if missing and chosen != ["svg"]:
        warnings.warn(MissingGlyphWarning(list(dict.fromkeys(missing))), stacklevel=2)
    return files


def check_formats(wanted: Sequence[str]) -> list[str]:
    """Return the formats in lower case and without repeats.

    >>> check_formats(["PDF", ".svg", "pdf"])
    ['pdf', 'svg']
    """
    chosen = list(dict.fromkeys(kind.strip().lower().lstrip(".") for kind in wanted))
    for kind in chosen:
        if kind not in FORMATS:
            near = did_you_mean(kind, FORMATS)
            raise FigureError(f"formats must be among {', '.join(FORMATS)}; got {kind!r}{near}")
    if not chosen:
        raise FigureError(f"no format was given: choose from {', '.join(FORMATS)}")
    return chosen


def svg_markup(drawn: Drawn, *, title: str = "", identity: str = "") -> str:
    """Return a figure as SVG to embed in HTML, with a description for screen readers.

    Styles become presentation attributes, which a strict Content-Security-Policy allows, and
    `identity` prefixes all identifiers, which must be unique in a page.

    Examples
    --------
    >>> from occstats import figures
    >>> figures.svg_markup(figures.alp_diagram(), identity="alp")[:4]
    '<svg'
    """
    figure = root_figure(drawn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = ElementTree.fromstring(_render(figure, "svg", "", 300))
    prefix = re.sub(r"[^A-Za-z0-9_-]", "-", identity) + "-" if identity else ""
    for element in list(root.iter()):
        for child in [child for child in element if child.tag.endswith(("}style", "}metadata"))]:
            element.remove(child)
        declarations = element.attrib.pop("style", "").split(";")
        pairs = (part.split(":", 1) for part in declarations if ":" in part)
        element.attrib.update((name.strip(), value.strip()) for name, value in pairs)
        for name, value in element.attrib.items():
            # Not every "#" is a reference: colours begin with one, too.
            reference = r"^#" if name.endswith("href") else r"url\(#"
            element.set(name, re.sub(reference, rf"\g<0>{prefix}", value))
        if "id" in element.attrib:
            element.set("id", prefix + element.attrib["id"])
    # Matplotlib's style sheet, inherited from the root.
    root.attrib.update({"stroke-linejoin": "round", "stroke-linecap": "butt", "role": "img"})
    texts = {"title": clean(title), "desc": alt_text(figure)}
    texts = {name: text for name, text in texts.items() if text}
    root.set("aria-labelledby", " ".join(prefix + name for name in texts))
    for place, (name, text) in enumerate(texts.items()):
        element = ElementTree.Element(f"{_SVG}{name}", id=prefix + name)
        element.text = text
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode")


def root_figure(drawn: Drawn) -> Figure:
    """Return the figure that something drawn belongs to."""
    first = drawn.flat[0] if isinstance(drawn, np.ndarray) else drawn
    figure = first.get_figure(root=True) if isinstance(first, FigureBase | Axes) else None
    if not isinstance(figure, Figure):
        raise FigureError(f"save takes a Matplotlib figure or axes; got {type(drawn).__name__}")
    return figure


def _render(figure: Figure, kind: str, title: str, dpi: float) -> bytes:
    metadata: dict[str, Any] = {"Title": clean(title)} if title else {}
    alternative = alt_text(figure)
    if alternative:
        metadata["Subject" if kind == "pdf" else "Description"] = alternative
    # Neither the date nor the version of Matplotlib may change the bytes.
    unset = {"pdf": ("CreationDate",), "svg": ("Date", "Creator")}
    metadata |= dict.fromkeys(unset.get(kind, ()))
    buffer = io.BytesIO()
    # A figure of ours is drawn under the settings that it was made with.
    own = recall(figure, "settings", None)
    with matplotlib.rc_context({**(own or {}), **_ALWAYS}):
        if own is not None:
            _fix_layout(figure)
        with _shared_fonts() if kind == "pdf" else contextlib.nullcontext():
            figure.savefig(buffer, format=kind, metadata=metadata, dpi=dpi)
    return buffer.getvalue()


@contextlib.contextmanager
def _shared_fonts() -> Iterator[None]:
    """Embed one subset of a font, which holds the usual letters, in all PDFs.

    Making a subset for each PDF would take a sixth of the time of drawing it.
    """
    from matplotlib.backends import _backend_pdf_ps  # slow, and needed for PDF alone

    # Untyped, because the arguments depend on the version of Matplotlib.
    backend: Any = _backend_pdf_ps
    make, write = backend.get_glyphs_subset, backend.font_as_file

    def shared(file: Any, used: Any) -> Any:
        # Characters in Matplotlib 3.10, numbers of glyphs in later versions.
        usual: Any = _USUAL
        if not isinstance(used, str):
            usual = map(font_manager.get_font(file).get_char_index, map(ord, _USUAL))
        return contextlib.nullcontext(_subset(make, write, file, frozenset(usual).union(used)))

    backend.get_glyphs_subset = shared
    backend.font_as_file = lambda font: io.BytesIO(font.occstats_bytes)
    try:
        yield
    finally:
        backend.get_glyphs_subset, backend.font_as_file = make, write


@functools.lru_cache(maxsize=16)
def _subset(make: Any, write: Any, file: Any, wanted: frozenset[Any]) -> Any:
    from fontTools import subset  # type: ignore[import-untyped]

    load, letters = subset.load_font, sorted(wanted)

    def load_outlines(path: Any, options: Any) -> Any:
        # Matplotlib has placed the letters: layout tables and hints are of no use, and slow.
        options.drop_tables += ["GSUB", "GPOS", "GDEF", "kern"]
        options.hinting = False
        return load(path, options)

    subset.load_font = load_outlines
    try:
        with make(file, "".join(letters) if isinstance(letters[0], str) else letters) as found:
            font = getattr(found, "font", found)
            font.occstats_bytes = write(font).getvalue()
    finally:
        subset.load_font = load
    return found


def _fix_layout(figure: Figure) -> None:
    """Run the layout once, with Agg's letter widths.

    Each run starts from the last and moves things by a hair, and every format measures letters a
    little differently: without this, bytes would depend on what was saved before.
    """
    engine, canvas = figure.get_layout_engine(), figure.canvas
    if engine is None:
        return
    FigureCanvasAgg(figure)
    engine.execute(figure)
    if any(axes.get_aspect() != "auto" for axes in axes_of(figure)):
        # The first run does not know the size of axes with a fixed aspect.
        engine.execute(figure)
    figure.set_layout_engine(None)
    figure.set_canvas(canvas)
