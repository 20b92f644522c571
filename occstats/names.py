"""Names come from other people's files: how to show them, and how to guess what was meant."""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean", "listing", "printable"]

# Joiners build emoji; every other character of these classes moves the cursor, reorders or hides.
_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = {"\u200c", "\u200d"}


def printable(name: str) -> str:
    r"""The name with control characters, newlines and reordering marks made visible.

    Examples
    --------
    >>> print(printable("red\x1b[31m\nALP"))
    red\x1b[31m\nALP
    >>> printable("近傍 🦊") == "近傍 🦊"
    True
    """
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _INVISIBLE and character not in _JOINERS
        else character
        for character in name
    )


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A suggestion to append to an error message, or nothing.

    Examples
    --------
    >>> did_you_mean("alp", ["ALP", "SVM"])
    " (did you mean 'ALP'?)"
    >>> did_you_mean("forest", ["ALP", "SVM"])
    ''
    """
    by_folded = {candidate.casefold(): candidate for candidate in reversed(list(candidates))}
    close = get_close_matches(name.casefold(), by_folded, n=1)
    return f" (did you mean {by_folded[close[0]]!r}?)" if close else ""


def listing(names: Iterable[str], limit: int = 12, conjunction: str = "and") -> str:
    """The names as a phrase of a sentence, cut where there are too many to read.

    Examples
    --------
    >>> listing(["ALP", "SVM", "NND"])
    'ALP, SVM and NND'
    >>> listing(["a", "b", "c", "d"], limit=2)
    'a, b and 2 more'
    """
    shown = [printable(name) for name in names]
    if len(shown) > limit:
        shown = [*shown[:limit], f"{len(shown) - limit} more"]
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {conjunction} {shown[-1]}"
