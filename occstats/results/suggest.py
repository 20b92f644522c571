"""Near names for what was not found."""

from collections.abc import Iterable
from difflib import get_close_matches

from occstats.results.names import quote_list

__all__ = ["near_names"]


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
