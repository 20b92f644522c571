r"""Names of algorithms and data sets as labels: literal, short enough, and still distinct.

Matplotlib reads ``$…$`` as mathematics and raises on a stray ``$``; XML has no control characters;
a name of 300 characters leaves no room for the data. Everything a user named passes through here.

>>> label("cost_in_$ and \\alpha^2")
'cost_in_\\$ and \\alpha^2'
>>> labels(["short", "a name that is much too long for its axis"], limit=16)
['short', 'a name th…s axis']
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from occstats.text import printable

__all__ = ["clean", "display_width", "label", "labels", "shorten", "wrap"]

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def clean(name: object) -> str:
    r"""Return the name on one line, with a visible sign for every character that cannot be drawn.

    >>> print(clean("two\nlines\x00"))
    two\nlines\x00
    """
    # XML has no place for the last two code points of a plane either.
    return "".join(
        _REPLACEMENT if ord(character) & 0xFFFE == 0xFFFE else character
        for character in printable(str(name))
    )


def display_width(text: str) -> int:
    """Count columns: two for a wide (CJK, emoji) character, none for one that combines."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if _continues(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _continues(character: str) -> bool:
    return unicodedata.category(character) in {"Mn", "Me", "Cf"}


def shorten(text: str, limit: int) -> str:
    """Cut the middle out of a text wider than `limit` columns; start and end tell names apart.

    >>> shorten("IsolationForest-seed-1", 12)
    'Isolati…ed-1'
    """
    if display_width(text) <= limit:
        return text
    room = max(limit - 1, 1)
    tail_room = room * 2 // 5
    head = _take(text, room - tail_room)
    tail = _take(text[::-1], tail_room)[::-1] if tail_room else ""
    # A mark whose letter was cut off would sit on the ellipsis.
    while tail and _continues(tail[0]):
        tail = tail[1:]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _take(text: Iterable[str], room: int) -> str:
    taken: list[str] = []
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        taken.append(character)
    return "".join(taken)


def label(name: object, limit: int = 40) -> str:
    r"""Return one name ready to be drawn: clean, at most `limit` wide, its ``$`` escaped."""
    return _escape(shorten(clean(name), limit))


def labels(names: Sequence[object], limit: int = 40) -> list[str]:
    """Return the names ready to be drawn, numbered where shortening made two of them equal.

    >>> labels(["x" * 50 + "a" + "x" * 50, "x" * 50 + "b" + "x" * 50], limit=8)
    ['xxxxx…xx', 'xxx…x (2)']
    """
    seen: set[str] = set()
    drawn = []
    for name in names:
        whole = clean(name)
        text, number = shorten(whole, limit), 1
        while text in seen:
            number += 1
            suffix = f" ({number})"
            text = shorten(whole, max(limit - len(suffix) + 1, 3)) + suffix
        seen.add(text)
        drawn.append(_escape(text))
    return drawn


def _escape(text: str) -> str:
    return text.replace("$", r"\$")


def wrap(text: str, width_inches: float, font_size: float) -> str:
    """Break prose into lines that fit a width, by the mean width of a letter.

    >>> wrap("one two three", 0.5, 8)
    'one two\\nthree'
    """
    columns = max(int(width_inches * 72 / (0.56 * font_size)), 8)
    return textwrap.fill(text, columns)
