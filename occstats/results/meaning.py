"""What the scores measure, whether less of it is better, and where they must lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    GENERIC,
    is_bounded,
    is_optimum,
    is_statistic,
    lower_is_better,
    measure,
    name_from_file,
    normalise,
)
from occstats.results.names import count, quote
from occstats.results.options import Reading
from occstats.results.readers.raw import FILE, RawTable
from occstats.results.roles import Roles
from occstats.results.wide import are_ranks

__all__ = ["check_range", "is_one_measure", "meaning"]

Floats = npt.NDArray[np.float64]

# What is usually made small, and those who make it small: no more than a guess at what to type.
_MINIMISED = frozenset(("objective", "cost", "energy", "f", "fval", "fx", "fun", "value"))
_OPTIMISERS = frozenset(("optimizer", "optimiser", "solver", "heuristic"))


def meaning(
    raw: RawTable, roles: Roles, reading: Reading, score_name: str | None, values: Floats
) -> tuple[str, bool]:
    """What the scores measure, and whether less of it is better."""
    named = score_name or roles.score_name
    if named is None and (not roles.across or is_one_measure(roles)):
        named = roles.score if not roles.across else roles.columns[0]
    uncertain = None
    if named is None or measure(named) in GENERIC:
        of_file, uncertain = name_from_file(raw.stem)
        if of_file is uncertain is None:
            of_file, uncertain = name_from_file(raw.caption)
        outside = values[~np.isnan(values)]
        fits = not len(outside) or (outside.min() >= 0 and outside.max() <= 1)
        if named is None and are_ranks(values) and roles.across == "algorithm":
            named, uncertain = "rank", None
        elif named is None and of_file is not None and (fits or not is_bounded(of_file)):
            named = of_file
        elif of_file is not None and named is not None and lower_is_better(of_file):
            uncertain = of_file
        # Beside the best that is known stand costs or gains.
        uncertain = uncertain or next(filter(is_optimum, roles.left_out), None)
    named = named or "score"
    lower = reading.lower_is_better
    if lower is not None:
        return named, lower
    lower = lower_is_better(named)
    known = values[~np.isnan(values)]
    if lower and len(known) and (known <= 0).all() and (known < 0).any():
        raise ResultsError(
            f"{raw.name}: {quote(named)} is known as a loss, but all its values are negative; say"
            " which is better with lower_is_better=True or lower_is_better=False",
            {"lower_is_better": False},
        )
    if lower is None and (uncertain or measure(named) not in GENERIC):
        minimised = uncertain is not None or bool(set(normalise(named).split("_")) & _MINIMISED)
        # Programs are timed so: a list of them, each with mean, stddev, min and max.
        minimised |= is_statistic(named) and roles.cluster == FILE
        optimised = normalise(roles.algorithm or "").split("_")[0] in _OPTIMISERS
        raise ResultsError(
            f"{raw.name}: the name {quote(uncertain or named)} leaves open whether more or less of"
            " the score is better; say which with lower_is_better=True or lower_is_better=False",
            {"lower_is_better": minimised or optimised},
        )
    return named, bool(lower)


def is_one_measure(roles: Roles) -> bool:
    """Whether the only column of scores is called by the measure: it is one algorithm's."""
    return len(roles.columns) == 1 and measure(roles.columns[0]) in ALIASES["score"]


def check_range(
    raw: RawTable,
    values: Floats,
    rows: npt.NDArray[np.int64],
    score_name: str,
    scale: float,
    names: Sequence[str],
) -> None:
    if not is_bounded(score_name):
        return
    slack = 1e-9
    outside = (values < -slack) | (values > 1 + slack)
    if not outside.any():
        return
    first, column = (int(i) for i in np.argwhere(outside)[0])
    lowest, highest = np.nanmin(values), np.nanmax(values)
    per_cent = scale == 1.0 and lowest >= 0 and 1.5 < highest <= 100
    remedy = (
        "these look like per cent: divide by 100"
        if per_cent
        else "correct them, or call the score by another name with score_name=…"
    )
    raise ResultsError(
        f"{raw.row(rows[first])}, column {quote(names[column])}: {values[first, column]:g} lies"
        f" outside [0, 1], where {quote(score_name)} must be"
        f" ({count(outside.sum(), 'such cell')}, from {lowest:g} to"
        f" {highest:g}); {remedy}",
        {"scale": 0.01} if per_cent else None,
    )
