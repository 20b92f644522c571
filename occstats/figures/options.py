"""The options that figures share: each declared once, for signatures, documentation and use."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from occstats.figures._style import Palette, Preset, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

__all__ = ["SERIES", "SHEET", "Options", "documentation", "parameters"]

Order = Literal["rank", "name", "similarity"] | Sequence[str]


def _says(kind: str, text: str) -> dict[str, str]:
    return {"kind": kind, "text": text}


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a user may ask of a figure beside what it shows."""

    algorithms: Sequence[str] | None = field(
        default=None,
        metadata=_says(
            "sequence of str, optional",
            "Which algorithms to draw; by default the best, as many as can be read.",
        ),
    )
    order: Order = field(
        default="rank",
        metadata=_says(
            '{"rank", "name", "similarity"} or sequence of str',
            "Order of the algorithms: best first, by name, by similarity (average linkage on 1 − "
            "Kendall's τ), or the listed ones first and then the others, best first.",
        ),
    )
    show: int | None = field(
        default=None,
        metadata=_says(
            "int, optional",
            "How many algorithms to draw at most. By default as many as can be read; none is left "
            "out unless a fifth would be, and the note says how many were.",
        ),
    )
    labels: Mapping[str, str] | None = field(
        default=None,
        metadata=_says("dict, optional", "What to write instead of the name of an algorithm."),
    )
    highlight: str | Sequence[str] | None = field(
        default=None,
        metadata=_says(
            "str or sequence of str, optional", "Algorithms that stand out; the others are grey."
        ),
    )
    hue: Mapping[str, str] | None = field(
        default=None,
        metadata=_says(
            "dict, optional",
            "The family of each algorithm; algorithms of one family share a colour.",
        ),
    )
    palette: Palette | None = field(
        default=None,
        metadata=_says(
            "str, sequence or dict, optional",
            "Colours: the name of a palette of seaborn, a list, or one for each name.",
        ),
    )
    ax: Axes | None = field(
        default=None,
        metadata=_says("Axes, optional", "Axes to draw on, in the style they were made in."),
    )
    figure: FigureBase | None = field(
        default=None,
        metadata=_says("Figure or SubFigure, optional", "Where to draw; by default a new figure."),
    )
    width: str | float | Preset = field(
        default="column",
        metadata=_says(
            "str, float or Preset",
            'Width of a new figure: a venue\'s preset (``"ieee"``, ``"ieee-wide"`` …), a number of '
            'inches, or a length such as ``"90mm"``.',
        ),
    )
    height: float | None = field(
        default=None,
        metadata=_says(
            "float, optional", "Height of a new figure in inches; by default what it needs."
        ),
    )
    theme: Theme = field(
        default="house",
        metadata=_says(
            '{"house", "user"}',
            "The house style, with the same bytes for the same input, or the user's own: settings "
            "and palette of Matplotlib as ``seaborn.set_theme`` or a style sheet left them.",
        ),
    )
    title: str | None = field(default=None, metadata=_says("str, optional", "Title of the figure."))
    note: bool = field(
        default=True, metadata=_says("bool", "Whether to write the note below the figure.")
    )


# What every figure takes, and what a figure of algorithms takes beside it.
SHEET = ("width", "height", "theme", "title", "note")
SERIES = ("algorithms", "order", "show", "labels", "highlight", "hue", "palette")


def parameters(names: Iterable[str], defaults: Mapping[str, Any]) -> list[inspect.Parameter]:
    """Return the options as keyword-only parameters of a signature."""
    declared = {item.name: item for item in fields(Options)}
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults.get(name, declared[name].default),
            annotation=declared[name].type,
        )
        for name in names
    ]


def documentation(names: Iterable[str]) -> str:
    """Return the options as numpydoc documents parameters.

    >>> print(documentation(["title"]))
    title : str, optional
        Title of the figure.
    """
    declared = {item.name: item.metadata for item in fields(Options)}
    return "\n".join(
        f"{name} : {declared[name]['kind']}\n"
        + textwrap.fill(
            declared[name]["text"], 92, initial_indent=" " * 4, subsequent_indent=" " * 4
        )
        for name in names
    )
