"""Which characters of a figure are in none of the fonts that draw it."""

from __future__ import annotations

import functools
from typing import Any

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.text import Text

__all__ = ["missing_glyphs"]


def missing_glyphs(figure: Figure) -> list[str]:
    """Return the characters, in order of appearance, that would be drawn as boxes.

    Examples
    --------
    >>> from occstats import figures
    >>> missing_glyphs(figures.alp_diagram())
    []
    """
    missing: dict[str, None] = {}
    for artist in figure.findobj(Text):
        text = artist.get_text() if isinstance(artist, Text) else ""
        if not text or text.isascii():
            continue
        covered = _covered(tuple(artist.get_fontfamily()))
        missing |= dict.fromkeys(c for c in text if ord(c) not in covered and c.isprintable())
    return list(missing)


@functools.cache
def _covered(families: tuple[str, ...]) -> frozenset[int]:
    found: set[int] = set()
    for family in families:
        try:
            path: Any = fontManager.findfont(
                FontProperties(family=[family]), fallback_to_default=False
            )
        except ValueError:
            continue
        found |= set(get_font(path).get_charmap())
    return frozenset(found)
