r"""Labels from arbitrary names: literal, short enough, and distinct.

Matplotlib reads ``$…$`` as mathematics and raises on a stray ``$``; XML has no control characters;
a name of 300 characters leaves no room for the data. Every name from a table passes through here.

>>> label("cost_in_$ and \\alpha^2")
'cost_in_\\$ and \\alpha^2'
>>> fitted(["short", "a name for two lines"], 0.9, size=8, lines=2)
['short', 'a name for\ntwo lines']
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from rich.cells import cell_len, set_cell_size

from occstats._format import printable

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def clean(name: object) -> str:
    r"""Return a name on one line, with invisible characters written as escapes.

    >>> print(clean("two\nlines\x00"))
    two\nlines\x00
    """
    # XML does not allow the last two code points of a plane.
    return "".join(
        _REPLACEMENT if ord(character) & 0xFFFE == 0xFFFE else character
        for character in printable(str(name))
    )


def shorten(text: str, limit: int) -> str:
    """Cut the middle out of a text wider than `limit` columns (CJK and emoji take two).

    >>> shorten("IsolationForest-seed-1", 12)
    'Isolati…ed-1'
    """
    if cell_len(text) <= limit:
        return text
    room = max(limit - 1, 1)
    tail_room = room * 2 // 5
    head = set_cell_size(text, room - tail_room)
    tail = set_cell_size(text[::-1], tail_room)[::-1].lstrip()
    # A combining mark whose letter was cut off would sit on the ellipsis.
    while tail and not cell_len(tail[0]):
        tail = tail[1:]
    return f"{head.rstrip()}…{tail}"


def label(name: object, limit: int = 40) -> str:
    r"""Return a name ready to be drawn: clean, at most `limit` columns wide, ``$`` escaped."""
    return escape(shorten(clean(name), limit))


def escape(text: str) -> str:
    """Escape a text so that Matplotlib does not read it as mathematics."""
    return text.replace("$", r"\$")


def fitted(names: Sequence[str], inches: float, *, size: str | float, lines: int = 1) -> list[str]:
    """Return distinct labels that fit a width: whole, wrapped, or without their middle.

    Parameters
    ----------
    names
        Distinct and clean names.
    inches
        Width available to a label.
    size
        Font size, as Matplotlib takes it.
    lines
        Maximum number of lines of a label.

    Examples
    --------
    >>> fitted(["short", "x" * 90, "x" * 91], 0.9, size=8)
    ['short', 'xxxxxxx…xxxx', 'xxxxxxxxx…(2)']
    """
    drawn: list[str] = []
    for name in names:
        text, number = _placed(name, inches, size, lines), 1
        while text in drawn:
            number += 1
            text = _cut(name, inches - measure(f"…({number})", size), size, head=True)
            text += f"…({number})"
        drawn.append(text)
    return drawn


def _placed(name: str, inches: float, size: str | float, lines: int) -> str:
    """Return the name whole, wrapped, or without its middle."""
    if measure(name, size) <= inches:
        return name
    if lines == 1:
        return _cut(name, inches, size)
    wrapped = _wrapped(name, inches, size)
    if wrapped.count("\n") < lines and measure(wrapped, size) <= inches:
        # Lines of similar length: no "_001" alone below a long line.
        for share in (0.9, 0.8, 0.7, 0.6):
            narrower = _wrapped(name, share * inches, size)
            if narrower.count("\n") > wrapped.count("\n"):
                break
            wrapped = narrower
        return wrapped
    head = _cut(name, inches - measure("…", size), size, head=True)
    tail = _cut(name[::-1], inches, size, head=True)[::-1]
    return f"{head}…\n{tail}"


def _cut(name: str, inches: float, size: str | float, *, head: bool = False) -> str:
    """Return the longest shortened name, or its longest beginning, that fits a width."""
    share = max(inches, 0) / max(measure(name, size), 1e-9)
    for limit in range(min(int(cell_len(name) * share) + 3, cell_len(name)), 2, -1):
        text = set_cell_size(name, limit).rstrip() if head else shorten(name, limit)
        if measure(text, size) <= inches:
            return text
    return "" if head else "…"


def _wrapped(name: str, inches: float, size: str | float) -> str:
    """Break a name at spaces, at punctuation between words, and before capitals inside words."""
    parts = re.findall(r".+?(?:[\s_\-/.,:;+]+|(?<=[a-z0-9])(?=[A-Z])|$)", name)
    lines = [""]
    for part in parts:
        if lines[-1] and measure(lines[-1] + part.rstrip(), size) > inches:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def measure(text: str, size: str | float) -> float:
    """Return the width in inches of the widest line in the font of the current settings.

    >>> 0.5 < measure("ten letters", 8) < 0.8
    True
    """
    font = FontProperties(family=matplotlib.rcParams["font.family"], size=size)
    with warnings.catch_warnings():
        # `save` warns of missing glyphs, once for all of them.
        warnings.filterwarnings("ignore", message="Glyph|Matplotlib currently does not support")
        # Matplotlib does not type this function.
        sizes: Any = text_to_path.get_text_width_height_descent
        return max(float(sizes(line, font, False)[0]) for line in text.split("\n")) / 72


def abreast(text: str, inches: float, size: str | float) -> int:
    """Return how many texts of this width fit side by side, with space between them.

    >>> abreast("240", 0.85, 7), abreast("9", 0.85, 7)
    (3, 9)
    """
    return max(int(inches / (1.45 * measure(text, size))), 1)


def wrap(text: str, width_inches: float, font_size: float) -> str:
    """Break prose into lines that fit a width, estimated from the mean width of a letter.

    >>> wrap("one two three", 0.5, 8)
    'one two\\nthree'
    """
    columns = max(int(width_inches * 72 / (0.56 * font_size)), 8)
    # In a PDF, a non-breaking space would need a second copy of the font.
    return textwrap.fill(text, columns, break_on_hyphens=False).replace("\u00a0", " ")
