"""Which column of a long table holds the score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    CORRECT,
    PARTS,
    TRAITS,
    is_spread,
    looks_like_trait,
    lower_is_better,
    measure,
    normalise,
    stands_beside,
)
from occstats.results.facts import Facts
from occstats.results.names import quote, quote_list
from occstats.results.numbers import looks_like_decimal_comma

__all__ = ["choose_score"]


def choose_score(facts: Facts, free: Sequence[str], found: dict[str, Any]) -> str:
    """Give the column of scores: known by name, or the only one with numbers."""
    usual = ALIASES["score"]
    known = [c for c in free if measure(c) in usual and len(facts.numbers(c).known)]
    if len(known) == 1:
        return known[0]
    if known:
        own = [c for c in known if normalise(c) == usual[0]]
        if len(own) == 1:
            return own[0]
        known.sort(key=lambda column: (usual.index(measure(column)), _is_of_validation(column)))
        rest = ""
    else:
        known = [
            c
            for c in free
            if facts.is_numeric(c)
            and not facts.is_flag(c)
            and (looks_like_trait(c) is not True or lower_is_better(c))
            and not _is_trait_alias(c)
            and not _is_of_spread(c)
        ]
        if len(known) == 1:
            return known[0]
        known.sort(key=_unusual)
        usually = ", ".join(usual[:6])
        rest = f" (found {quote_list(facts.raw.columns)}, expected one called {usually} …)"
    flags = [c for c in free if normalise(c) in CORRECT and facts.is_flag(c)]
    status = found["status"]
    if not known and not flags and status is not None and facts.is_flag(status):
        flags, found["status"] = [status], None
    if not known and len(flags) == 1:
        facts.take_flags(flags[0])
        return flags[0]
    commas = [c for c in free if any(map(looks_like_decimal_comma, facts.names(c)))]
    if not known and commas and facts.decimal == ".":
        raise ResultsError(
            f"{facts.raw.name}: no column holds the score: {quote(commas[0])} has decimal commas;"
            " say so",
            {"decimal": ","},
        )
    if not known:
        named = [c for c in free if measure(c) in usual]
        held = f"; {quote(named[0])} holds {quote(facts.names(named[0])[0])}" if named else ""
        raise ResultsError(
            f"{facts.raw.name}: no column holds the score: none has numbers in it{held}{rest}; say"
            " which with score=…"
        )
    raise ResultsError(
        f"{facts.raw.name}: the column of the score could be {quote_list(known)}{rest}; say which",
        {"score": known[0]},
    )


def _is_of_validation(column: str) -> bool:
    """Whether a score is of the part by which one chooses: what counts is that of the test."""
    return "validation" in map(PARTS.get, normalise(column).split("_"))


# What a solver is judged by after its time.
_ASIDE = frozenset(("residual", "gap", "violation", "violations"))


def _unusual(column: str) -> tuple[int, bool, bool]:
    """The order of columns: time and rank only where nothing else is, one fold after the mean."""
    aside = 2 if _ASIDE & set(normalise(column).split("_")) else int(bool(looks_like_trait(column)))
    return aside, _is_of_fold(column), lower_is_better(column) is None


def _is_of_fold(column: str) -> bool:
    return re.search(r"(fold|split|resample)_?\d", normalise(column)) is not None


def _is_of_spread(column: str) -> bool:
    beside = stands_beside(column)
    return beside is not None and is_spread(beside[1])


def _is_trait_alias(column: str) -> bool:
    return any(normalise(column) in aliases for aliases in TRAITS.values())
