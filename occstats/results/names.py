"""Names stay text for ever: how cells become names, how names are shown, which look alike."""

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import count, printable, quote, quote_list, show_path

__all__ = [
    "as_text",
    "column_text",
    "count",
    "look_alikes",
    "near_names",
    "quote",
    "quote_list",
    "show_path",
    "without_markup",
]

_LONGEST_NUMBER = 400
# Lines of ASCII without blanks or controls that are no number, or a whole number in one style.
_PLAIN_LINES = re.compile(r"(?:(?:[A-Za-z][!-~]*|0|[1-9][0-9]{0,14})(?:\n|\Z))*")
# Names in leaderboards are links, and the best stand out.
_WRAPPED = re.compile(
    r"\s*<(a|b|i|u|em|strong|span|font|code|small|p|div)\b([^>]*)>(.*)</\1>\s*", re.I | re.S
)
_BOLD = re.compile(r"\s*(\*\*|__)([^*_].*[^*_]|[^*_])\1\s*")
_LINK = re.compile(r"\s*\[([^\[\]]+)\]\((?:\w+://)?(?:[^/()]*/)?([^()]*?)/?\)\s*")
_LINKED = re.compile(r"href\s*=\s*[\"'](?:\w+://)?(?:[^/\"']*/)?([^\"']*?)/?[\"']", re.I)
_CONTROLS = {
    code: None for code in range(128) if not chr(code).isprintable() and not chr(code).isspace()
}


def reason_of(error: BaseException) -> str:
    """What a library says of an error, short and without what moves the cursor.

    >>> reason_of(ValueError("bad\\n  \\x07thing"))
    'bad \\\\x07thing'
    """
    return printable(" ".join(str(error).split()))[:120]


def as_text(value: Any) -> str | None:
    """Turn one cell into the name it stands for, or None where there is none.

    >>> as_text("001"), as_text(7), as_text(7.0), as_text(True), as_text(float("nan"))
    ('001', '7', '7', 'True', None)
    """
    if isinstance(value, str):
        return str(value) or None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="backslashreplace") or None
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return None
        # Integers that met a missing value were made floats by pandas; they are still integers.
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    return str(value)


def column_text(column: pd.Series) -> np.ndarray:
    """Turn a column of any type into names: an object array of str, None where there is none."""
    if column.dtype == object:
        # No shortcut by distinct values: to pandas, True, 1 and 1.0 are one and the same.
        return np.array([_encodable(as_text(value)) for value in column] + [None], dtype=object)[
            :-1
        ]
    codes, distinct = pd.factorize(column, use_na_sentinel=True)
    values = np.asarray(distinct, dtype=object)
    if pd.api.types.infer_dtype(values) == "string" and "".join(values).isascii():
        names = [value or None for value in values]
    else:
        names = [_encodable(as_text(value)) for value in values]
    return np.array([*names, None], dtype=object)[codes]


def _encodable(name: str | None) -> str | None:
    """Escape lone surrogates, which no file can hold."""
    if name is None or name.isascii():
        return name
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")


def _folded(name: str) -> Hashable:
    """Reduce a name to what is left without case, blanks, Unicode form and number style."""
    if name.isascii():  # by far the most, and quick even for long names
        folded = " ".join(name.translate(_CONTROLS).casefold().split())
    else:
        visible = (c for c in name if unicodedata.category(c) not in {"Cf", "Cc"} or c.isspace())
        folded = " ".join(unicodedata.normalize("NFKC", "".join(visible)).casefold().split())
    if len(folded) > _LONGEST_NUMBER:
        return folded
    try:
        number = float(folded)
    except ValueError:
        return folded
    return number if math.isfinite(number) else folded


def _are_apart(names: list[str]) -> bool:
    """Whether plain names differ by more than case, found for all of them at once."""
    lines = "\n".join(names)
    if _PLAIN_LINES.fullmatch(lines) is None or lines.count("\n") >= len(names):
        return False
    return len(set(lines.lower().split("\n"))) == len(set(names))


def look_alikes(
    names: Iterable[str], fold: Callable[[str], Hashable] = _folded
) -> list[tuple[str, ...]]:
    """Group the names that differ only by case, blanks, Unicode form or number style.

    >>> look_alikes(["Iris", "iris ", "wine", "1", "01"])
    [('Iris', 'iris '), ('1', '01')]
    """
    names = list(names)
    if fold is _folded and _are_apart(names):
        return []
    groups: dict[Hashable, dict[str, None]] = {}
    for name in names:
        groups.setdefault(fold(name), {})[name] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]


def without_markup(names: np.ndarray) -> np.ndarray:
    """Take links and markup off names; where they become one, what is linked tells them apart.

    The array is given back as it is where there is none, or where names would still become one.

    >>> without_markup(np.array(["<b>SVM</b>", "**RF**", "[X](https://a.b/x)"], dtype=object))
    array(['SVM', 'RF', 'X'], dtype=object)
    """
    distinct = list(dict.fromkeys(names))
    bare = {name: _unwrapped(name) for name in distinct}
    if all(bare[name] == name for name in distinct):
        return names
    times = Counter(bare.values())
    for name in distinct:
        linked = _LINKED.search(name)
        target = linked[1] if linked else link[2] if (link := _LINK.fullmatch(name)) else None
        if times[bare[name]] > 1 and target is not None:
            bare[name] = f"{bare[name]} ({target})"
    if len(set(bare.values())) < len(distinct):
        return names
    return np.array([bare[name] for name in names], dtype=object)


def _unwrapped(name: str) -> str:
    if name[:1].isalnum() and name[-1:].isalnum():  # by far the most
        return name
    while (found := _WRAPPED.fullmatch(name)) is not None and found[3].strip():
        name = found[3].strip()
    if (bold := _BOLD.fullmatch(name)) is not None:
        name = bold[2]
    link = _LINK.fullmatch(name)
    return name if link is None else link[1].strip()


def near_names(name: str, candidates: Iterable[str]) -> str:
    """Say which candidates come near a name: a clause for a message, empty if none does.

    >>> near_names("lenz2012", ["lenz2021", "mine.csv"])
    " (did you mean 'lenz2021'?)"
    """
    by_folded: dict[str, list[str]] = {}
    for candidate in candidates:
        by_folded.setdefault(candidate.casefold(), []).append(candidate)
    near = get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)
    found = [candidate for key in near for candidate in by_folded[key]]
    return f" (did you mean {quote_list(found, limit=3)}?)" if found else ""
