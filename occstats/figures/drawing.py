"""The decorator that makes a figure of a function: shared options, settings, documentation."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import matplotlib

from occstats._checks import check_choice
from occstats.figures.canvas import Drawing, quiet_glyphs
from occstats.figures.options import SHEET, Options, documentation, parameters
from occstats.figures._base import Pen
from occstats.figures._style import settings

__all__ = ["drawing"]

_RETURNS = {
    "ax": "Figure or Axes\n    `ax`, or a new figure at its final size.",
    "figure": "Figure or SubFigure\n    `figure`, or a new one at its final size.",
}


def drawing(
    where: Literal["ax", "figure"], *shared: Sequence[str], **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., Drawing]]:
    """Make a figure of a function that draws with a `Pen`, its first parameter.

    The figure takes what the function takes after the pen, and the options that figures share.
    ``{options}`` in the docstring becomes their documentation and that of what is returned.

    Parameters
    ----------
    where
        Whether the figure has one axes (``"ax"``) or several (``"figure"``): on what a user may
        have it drawn.
    *shared
        Names of shared options (`occstats.figures.options`) beside those that all figures have.
    **defaults
        Shared options whose default is another.
    """
    names = [name for group in shared for name in group] + [where, *SHEET]

    def decorate(draw: Callable[..., None]) -> Callable[..., Drawing]:
        own = list(inspect.signature(draw).parameters.values())[1:]
        signature = inspect.Signature(
            [*own, *parameters(names, defaults)], return_annotation=Drawing
        )

        @functools.wraps(draw)
        def figure(*arguments: Any, **options: Any) -> Drawing:
            given = signature.bind(*arguments, **options)
            chosen = {name: given.arguments.pop(name) for name in names if name in given.arguments}
            asked = Options(**{**defaults, **chosen})
            check_choice("theme", asked.theme, ("house", "user"))
            pen = Pen(asked)
            # On paper of the user's, her settings hold, but for TeX, which would read our names.
            style = settings(pen.preset, asked.theme) if pen.given is None else _LITERAL
            with matplotlib.rc_context(style), quiet_glyphs():
                draw(pen, *given.args, **given.kwargs)
                return pen.finish()

        figure.__signature__ = signature  # type: ignore[attr-defined]
        figure.__doc__ = _documented(draw, where, names)
        return figure

    return decorate


_LITERAL: dict[Any, Any] = {"text.usetex": False}


def _documented(draw: Callable[..., None], where: str, names: Sequence[str]) -> str | None:
    if draw.__doc__ is None:  # python -OO
        return None
    text = f"{documentation(names)}\n\nReturns\n-------\n{_RETURNS[where]}"
    return re.sub(r"^\{options\}$", lambda _: text, inspect.cleandoc(draw.__doc__), flags=re.M)
