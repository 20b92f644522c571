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
import warnings
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from rich.cells import cell_len, set_cell_size

from occstats._format import printable

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Parts of a name end after spaces and punctuation, small ones also before capitals.
_BREAKS = " _-/.,:;+"
_PARTS = re.compile(r".+?(?:[\s_\-/.,:;+]+|$)")
_SMALL_PARTS = re.compile(r".+?(?:[\s_\-/.,:;+]+|(?<=[a-z0-9])(?=[A-Z])|$)")


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


def _longest(text: str, write: Callable[[int], str], fits: Callable[[str], bool]) -> str:
    """Return the longest result of `write`, from a number of columns of the text, that fits."""
    columns = range(1, cell_len(text) + 1)
    return write(bisect_left(columns, True, key=lambda kept: not fits(write(kept))))


def _without_middle(text: str, fits: Callable[[str], bool]) -> str:
    """Cut out as little of the middle as necessary: whole words, unless that leaves too little."""
    if fits(text):
        return text

    def cut(kept: int) -> str:
        tail = set_cell_size(text[::-1], kept * 2 // 5)[::-1].lstrip()
        # A combining mark whose letter was cut off would sit on the ellipsis.
        while tail and not cell_len(tail[0]):
            tail = tail[1:]
        return f"{set_cell_size(text, kept - kept * 2 // 5).rstrip()}…{tail}"

    parts, letters = _SMALL_PARTS.findall(text), _longest(text, cut, fits)

    def words(head: int, tail: int) -> str:
        return f"{''.join(parts[:head]).rstrip(_BREAKS)}…{''.join(parts[-tail:])}"

    head, tail = 1, 1
    # The end of a name often distinguishes it.
    while more := [
        (h, t)
        for h, t in ((head, tail + 1), (head + 1, tail))
        if h + t < len(parts) and fits(words(h, t))
    ]:
        head, tail = more[0]
    shown = words(head, tail)
    enough = len(parts) > 2 and fits(shown) and 2 * cell_len(shown) >= cell_len(letters)
    return shown if enough else letters


def label(name: object, limit: int = 40) -> str:
    r"""Return a name ready to be drawn: clean, without its middle if it is too wide, ``$`` escaped.

    CJK and emoji take two of the `limit` columns.

    >>> label("IsolationForest-seed-1", 12)
    'Isolation…1'
    """
    return escape(_without_middle(clean(name), lambda shown: cell_len(shown) <= limit))


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
            text = _longest(
                name,
                lambda kept: f"{set_cell_size(name, kept).rstrip()}…({number})",  # noqa: B023
                lambda shown: measure(shown, size) <= inches,
            )
        drawn.append(text)
    return drawn


def _placed(name: str, inches: float, size: str | float, lines: int) -> str:
    """Return the name whole, wrapped, or without its middle."""

    def fits(text: str) -> bool:
        return measure(text, size) <= inches

    if fits(name):
        return name
    if lines == 1:
        return _without_middle(name, fits)
    for parts in (_PARTS.findall(name), _SMALL_PARTS.findall(name)):
        wrapped = _wrapped(parts, inches, size)
        if wrapped.count("\n") >= lines or not fits(wrapped):
            continue
        # Lines of similar length: no "_001" alone below a long line.
        for share in (0.9, 0.8, 0.7, 0.6):
            narrower = _wrapped(parts, share * inches, size)
            if narrower.count("\n") > wrapped.count("\n"):
                break
            wrapped = narrower
        return wrapped
    # As much as fits of the first line and of the last.
    first, *_, last = [*wrapped.split("\n")] * 2
    head = f"{first.rstrip(_BREAKS)}…"
    if not fits(head):
        head = _longest(first, lambda kept: f"{set_cell_size(first, kept).rstrip()}…", fits)
    if not fits(last):
        last = _longest(last, lambda kept: set_cell_size(last[::-1], kept)[::-1].lstrip(), fits)
    return f"{head}\n{last}"


def _wrapped(parts: Sequence[str], inches: float, size: str | float) -> str:
    """Set parts of a name in lines."""
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
    return max(_width(line, font) for line in text.split("\n")) / 72


@lru_cache(maxsize=4096)
def _width(line: str, font: FontProperties) -> float:
    """Return a width in points."""
    with warnings.catch_warnings():
        # `save` warns of missing glyphs, once for all of them.
        warnings.filterwarnings("ignore", message="Glyph|Matplotlib currently does not support")
        # Matplotlib does not type this function.
        sizes: Any = text_to_path.get_text_width_height_descent
        return float(sizes(line, font, False)[0])


def wrap(text: str, inches: float, size: str | float) -> str:
    """Break prose into lines that fit a width.

    >>> wrap("one two three", 0.5, 8)
    'one two\\nthree'
    """
    # Adding the widths of words takes a fifth of the time of measuring lines.
    space, lines, used = measure(" ", size), [""], 0.0
    for word in text.split(" "):
        width = measure(word, size)
        if lines[-1] and used + space + width > inches:
            lines.append("")
        used = used + space + width if lines[-1] else width
        lines[-1] += f" {word}" if lines[-1] else word
    # In a PDF, a non-breaking space would need a second copy of the font.
    return "\n".join(lines).replace("\u00a0", " ")
