"""Widths of the usual venues, fonts, and colours that survive colour blindness and grey print."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from occstats.errors import OccstatsError

__all__ = [
    "BLUE",
    "COLOURS",
    "HATCHES",
    "ORANGE",
    "PRESETS",
    "FigureError",
    "Palette",
    "Preset",
    "SeriesStyle",
    "Theme",
    "bounded",
    "ink",
    "ink_on",
    "preset",
    "series_styles",
    "settings",
]

_MILLIMETRES = 25.4


Theme = Literal["house", "user"]
Palette = str | Sequence[str] | Mapping[str, str]


class FigureError(OccstatsError, ValueError):
    """A figure cannot be drawn or saved as asked; the message says why and what to do."""


@dataclass(frozen=True)
class Preset:
    """The final width of a figure in inches, and the letters that suit the pages around it."""

    width: float
    serif: bool = False
    font_size: float = 8.0


# Widths as the venues' author guides and document classes set them. A class with one column has the
# same width for both; every figure is made at its final size, so that 6 points stay 6 points.
PRESETS: dict[str, Preset] = {
    "column": Preset(3.5),
    "page": Preset(7.0),
    "elsevier": Preset(90 / _MILLIMETRES),
    "elsevier-wide": Preset(190 / _MILLIMETRES),
    "ieee": Preset(3.5, serif=True),
    "ieee-wide": Preset(7.16, serif=True),
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
_NARROWEST, _WIDEST = 2.0, 40.0


def preset(width: str | float | Preset) -> Preset:
    """Return the preset of a venue's name, or one for a width in inches, mm, cm or TeX points.

    Parameters
    ----------
    width : str, float or Preset
        A name in `PRESETS` (``"ieee"`` for one column, ``"ieee-wide"`` for two), a number of
        inches, or a length such as ``"90mm"``.

    Examples
    --------
    >>> preset("ieee-wide").width
    7.16
    >>> round(preset("90mm").width, 3)
    3.543
    """
    if isinstance(width, Preset):
        return width
    if isinstance(width, str) and width.strip().lower() in PRESETS:
        return PRESETS[width.strip().lower()]
    match = _LENGTH.fullmatch(str(width).strip())
    if match is None:
        names = ", ".join(PRESETS)
        raise FigureError(
            f"width must be a number of inches, a length such as '90mm', or one of {names}; "
            f"got {width!r}"
        )
    inches = float(match[1]) * _INCHES[match[2] or "in"]
    if not _NARROWEST <= inches <= _WIDEST:
        raise FigureError(
            f"width must be between {_NARROWEST:g} and {_WIDEST:g} inches; got {width!r}, "
            f"which is {inches:.3g} inches"
        )
    return Preset(inches)


def bounded(inches: float, ratio: float, most: float) -> float:
    """Return a height in inches: a share of the width, but no more than suits a page.

    >>> bounded(3.5, 0.8, 4.0), bounded(7.16, 0.8, 4.0)
    (2.8000000000000003, 4.0)
    """
    return min(inches * ratio, most)


# Okabe and Ito (2008), with the wine red of Tol (2021) for the yellow that vanishes on white paper,
# and his olive and brown, so that ten algorithms have ten hues.
BLUE, ORANGE = "#0072B2", "#D55E00"
_COLOURS = (
    BLUE, ORANGE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933",
    "#661100",
)  # fmt: skip
# How many series have a colour of their own: these, their lighter and their darker kin.
COLOURS = 3 * len(_COLOURS)
# Nine markers and 30 colours: 90 series before a pair repeats.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
# Matplotlib's pattern of dashes: an offset, and lengths of ink and gap.
Dashes = str | tuple[float, tuple[float, ...]]
_LINES: tuple[Dashes, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (8, 2)),
)
HATCHES = ("", "....", "////", "xxxx")
_INK = "#222222"


@dataclass(frozen=True)
class SeriesStyle:
    """What tells one series from the others, in colour and without."""

    color: str
    marker: str
    linestyle: Dashes

    @property
    def dashes(self) -> str | tuple[float, ...]:
        """The line as seaborn spells it: the lengths alone, none for a whole line."""
        return self.linestyle[1] if isinstance(self.linestyle, tuple) else ""


def series_styles(
    names: Iterable[str], palette: Palette | None = None, theme: Theme = "house"
) -> dict[str, SeriesStyle]:
    """Give each name a colour, a marker and a line, the same for the same order of names.

    Examples
    --------
    >>> series_styles(["ALP", "SVM"])["SVM"].marker
    's'
    >>> series_styles(["ALP", "SVM"], palette={"SVM": "red"})["SVM"].color
    '#ff0000'
    """
    everyone = list(names)
    looks = zip(
        _colours(everyone, palette, theme),
        itertools.cycle(_MARKERS),
        itertools.cycle(_LINES),
        strict=False,
    )
    return {name: SeriesStyle(*look) for name, look in zip(everyone, looks, strict=False)}


def _colours(names: list[str], palette: Palette | None, theme: Theme) -> list[str]:
    import matplotlib
    from matplotlib.colors import to_hex

    base = list(_house_colours())
    if theme == "user":
        base = matplotlib.rcParams["axes.prop_cycle"].by_key().get("color", base)
    own: Mapping[str, str] = palette if isinstance(palette, Mapping) else {}
    try:
        if palette is not None and not isinstance(palette, Mapping):
            import seaborn as sns

            # Names of palettes are seaborn's; of a list, the colours are taken in turn.
            named = isinstance(palette, str)
            base = sns.color_palette(palette, len(names) if named else None)
        cycle = zip(names, itertools.cycle(base), strict=False)
        return [to_hex(own.get(name, colour)) for name, colour in cycle]
    except (ValueError, TypeError) as error:
        raise FigureError(
            f"palette must be the name of a palette of seaborn such as 'deep', a list of colours, "
            f"or a dictionary from algorithm to colour; got {palette!r}"
        ) from error


@functools.cache
def _house_colours() -> tuple[str, ...]:
    """The ten colours, then their lighter and their darker kin: no two series look the same."""
    from matplotlib.colors import to_hex, to_rgb

    def mixed(colour: str, other: float) -> str:
        red, green, blue = (0.55 * part + 0.45 * other for part in to_rgb(colour))
        return to_hex((red, green, blue))

    rounds = [_COLOURS, *([mixed(c, shade) for c in _COLOURS] for shade in (1.0, 0.1))]
    return tuple(itertools.chain.from_iterable(rounds))


def ink() -> str:
    """Return the colour of letters and lines."""
    import matplotlib

    return str(matplotlib.rcParams["text.color"])


def ink_on(colour: Any) -> str:
    """Return black or white, whichever is easier to read on a colour (WCAG's contrast).

    >>> ink_on("#08306b"), ink_on("#6baed6")
    ('white', 'black')
    """
    from matplotlib.colors import to_rgb

    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Where (L + 0.05) / 0.05 and 1.05 / (L + 0.05) are equal.
    return "black" if luminance > 0.179 else "white"


# Letters that Matplotlib's own fonts lack come from the first of these that is installed.
_FALLBACK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Arial Unicode MS",
    "Noto Emoji",
    "Symbola",
    "DejaVu Sans",
)


@functools.cache
def _families(serif: bool) -> tuple[str, ...]:
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    generic = "serif" if serif else "sans-serif"
    return (generic, *(name for name in _FALLBACK_FONTS if name in installed))


# Settings of the interpreter rather than of a figure: never touched.
_ELSEWHERE = re.compile(
    r"backend.*|interactive|toolbar|timezone|webagg\..*|tk\..*|macosx\..*|docstring\..*|date\.epoch"
    r"|figure\.(max_open_warning|raise_window|hooks)|savefig\.directory|keymap\..*|animation\..*|pgf\..*"
)


@functools.cache
def _defaults() -> dict[Any, Any]:
    # A user's own style must not leak into our figures, nor may ours touch her backend.
    import matplotlib

    defaults = matplotlib.rcParamsDefault
    return {key: defaults[key] for key in defaults if not _ELSEWHERE.fullmatch(key)}


# Hinted letters are whole pixels wide: a name was up to a tenth wider or narrower from one
# resolution to the next, and what had room in the layout was cut when it was saved.
_UNHINTED = {"text.hinting": "no_hinting"}


def settings(chosen: Preset, theme: Theme) -> dict[Any, Any]:
    """Return the complete Matplotlib settings of a figure: the house style, or the user's own."""
    return _users() if theme == "user" else _house(chosen)


def _users() -> dict[Any, Any]:
    import matplotlib

    own = {key: matplotlib.rcParams[key] for key in _defaults()}
    families = own["font.family"]
    families = [families] if isinstance(families, str) else list(families)
    return {
        **own,
        "font.family": [*families, *_families(False)[1:]],
        "text.usetex": False,
        "figure.autolayout": False,
        "figure.constrained_layout.use": False,
        "savefig.bbox": None,
        **_UNHINTED,
    }


def _house(chosen: Preset) -> dict[Any, Any]:
    size = chosen.font_size
    small = size - 1.0
    return {
        **_defaults(),
        "font.family": list(_families(chosen.serif)),
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
        "font.serif": ["STIXGeneral", "Times New Roman", "Times", "DejaVu Serif"],
        "font.size": size,
        "mathtext.fontset": "stix" if chosen.serif else "dejavusans",
        "text.usetex": False,
        "text.color": _INK,
        "axes.edgecolor": _INK,
        "axes.labelcolor": _INK,
        "axes.labelsize": size,
        "axes.titlesize": size,
        "axes.titlepad": 3.0,
        "axes.labelpad": 2.5,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": "#D9D9D9",
        "grid.linewidth": 0.5,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "xtick.labelsize": small,
        "ytick.labelsize": small,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.minor.width": 0.4,
        "ytick.minor.width": 0.4,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "xtick.minor.size": 1.5,
        "ytick.minor.size": 1.5,
        "xtick.major.pad": 2.0,
        "ytick.major.pad": 2.0,
        "lines.linewidth": 1.2,
        "lines.markersize": 4.0,
        "patch.linewidth": 0.6,
        "hatch.linewidth": 0.5,
        "legend.fontsize": small,
        "legend.frameon": False,
        "legend.handlelength": 2.4,
        "legend.columnspacing": 1.2,
        "legend.borderaxespad": 0.2,
        "figure.constrained_layout.use": False,
        "figure.constrained_layout.h_pad": 0.02,
        "figure.constrained_layout.w_pad": 0.02,
        "figure.dpi": 150,
        "savefig.dpi": 300,
        "savefig.bbox": None,
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "occstats",
        **_UNHINTED,
    }
