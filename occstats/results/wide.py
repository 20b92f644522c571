"""Separate the columns and rows of scores of a wide table from traits and summaries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from occstats._format import quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import (
    GENERIC,
    PARTS,
    companion_of,
    is_spread,
    is_summary,
    looks_like_trait,
    lower_is_better,
    measure,
    normalise,
)
from occstats.results.cells import ParsedTable, looks_like_decimal_comma

__all__ = [
    "WideColumns",
    "are_counts",
    "are_ranks",
    "measure_of",
    "split_columns",
    "tasks_among",
]

Floats = npt.NDArray[np.float64]

_COUNTERS = {"", "index", "unnamed_0", "id", "row"}
# Share of rows that must agree for a column to count as a summary of the others.
_MOST = 0.9
# Words for measures that also begin names of methods.
_METHOD_WORDS = {"time", "map", "rank", "ce", "gap", "cost", "loss", "return", "exact", "error"}


@dataclass
class WideColumns:
    """Columns of scores, what they measure, and the columns left out, with the reason."""

    scores: list[str]
    score_name: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)


def split_columns(parsed: ParsedTable, candidates: Sequence[str], *, what: str) -> WideColumns:
    """Separate the columns of scores from traits, summaries, counters and text.

    ``what`` is "algorithms" or "tasks". Ambiguous columns are refused, with the suggestion to
    declare them as traits.
    """
    left_out: dict[str, str] = {}
    for name in candidates:
        numbers = parsed.numbers(name)
        if not len(numbers.known) and not np.isinf(numbers.values).any():
            commas = any(map(looks_like_decimal_comma, parsed.names(name)))
            if not commas:
                left_out[name] = "text" if numbers.wrong.any() else "empty"
        elif normalise(name) in _COUNTERS and _counts(numbers.values):
            left_out[name] = "row number"
    left = [name for name in candidates if name not in left_out]
    _check_parts(parsed, left, what)
    _check_pairs(parsed, left_out, left)
    score_name = _common_measure(parsed, left, what)
    doubtful = [name for name in left if what == "tasks" and measure(name) in GENERIC]
    if score_name is not None:
        for name in left:
            if is_summary(name) or (score_name not in _words(name) and looks_like_trait(name)):
                left_out[name] = "trait"
            elif score_name not in _words(name):
                doubtful.append(name)
        left = [name for name in left if name not in left_out]
    called = {form for name in left for form in (normalise(name), measure(name))}
    beside = {name: found for name in left if (found := companion_of(name)) and found[0] in called}
    times = Counter(word for _, word in beside.values())
    for name, (_, word) in beside.items():
        # A single SVM-rank may be a method; one for each algorithm is not.
        if is_spread(word) or times[word] > 1:
            left_out[name] = "spread"
        else:
            doubtful.append(name)
    left = [name for name in left if name not in left_out]
    by_name = {name: looks_like_trait(name) for name in left}
    plain = [name for name in left if by_name[name] is False and not is_summary(name)]
    values = {name: parsed.numbers(name).values for name in left}
    if len(plain) >= 2:
        for name, misfit in zip(plain, _misfits([values[name] for name in plain]), strict=True):
            if misfit == "flag":
                left_out[name] = "trait"
            elif misfit:
                doubtful.append(name)
    others = [values[name] for name in plain if name not in left_out and name not in doubtful]
    for name in left:
        if by_name[name]:
            left_out[name] = "trait"
        elif is_summary(name):
            if _sums_up(values[name], others):
                left_out[name] = "summary"
            else:
                doubtful.append(name)
        elif by_name[name] is None and others and _is_apart(values[name], others):
            left_out[name] = "trait"
    scores = [name for name in left if name not in left_out]
    odd = set(doubtful)
    doubtful = [name for name in scores if name in odd]
    sure = [name for name in scores if name not in odd]
    if doubtful and sure:
        raise ResultsError(
            f"{parsed.raw.name}: {quote_list(doubtful)} may or may not be {what}: their names or"
            f" values differ from those of {quote_list(sure, limit=4)}; if not, declare them as"
            " traits (properties of tasks); if so, name all columns with algorithm=…",
            {"traits": doubtful},
        )
    score_name = score_name or (measure_of(scores) if scores else None)
    words = (word for name in scores for word in re.split(r"[\W_]+", name))
    spelt = next((word for word in words if word.casefold() == score_name), None)
    return WideColumns(scores, spelt or score_name, left_out)


# A unit of time after a name tells what was measured.
_IN_SECONDS = re.compile(r"\s*[(\[](?:s|ms|secs?|µs|us|min)[)\]]\s*$", re.IGNORECASE)


def _word_list(name: str) -> list[str]:
    return normalise(_IN_SECONDS.sub(" seconds", name)).split("_")


def _words(name: str) -> set[str]:
    return set(_word_list(name))


def _counts(values: Floats) -> bool:
    return len(values) > 0 and np.array_equal(values - values[0], np.arange(len(values)))


def _check_parts(parsed: ParsedTable, names: Sequence[str], what: str) -> None:
    """Refuse training next to test scores, as in ``C4.5 Tra``, ``C4.5 Tst``."""
    ends: dict[str, list[str]] = {}
    for name in names:
        last = _word_list(name)[-1]
        if last in PARTS and len(_word_list(name)) > 1:
            ends.setdefault(PARTS[last], []).append(name)
    rests = [{"_".join(_word_list(name)[:-1]) for name in held} for held in ends.values()]
    if len(ends) > 1 and all(rest == rests[0] for rest in rests):
        raise ResultsError(
            f"{parsed.raw.name}: there are columns of training and of test scores"
            f" ({', '.join(ends)}), which cannot be compared with each other; choose one kind",
            _chosen(ends.get("test") or next(iter(ends.values())), what),
        )


def _check_pairs(parsed: ParsedTable, left_out: dict[str, str], scores: Sequence[str]) -> None:
    """Refuse columns with two numbers per cell, such as accuracy and F1."""
    pairs = [
        name
        for name, why in left_out.items()
        if why == "text" and all(_PAIR.fullmatch(cell or "1/1") for cell in parsed.names(name))
    ]
    if pairs:
        cell = next(cell for cell in parsed.names(pairs[0]) if cell is not None)
        raise ResultsError(
            f"{parsed.raw.name}: {quote_list(pairs)} have two numbers per cell ({quote(cell)});"
            " keep one of them, or leave these columns out",
            {"traits": pairs} if scores else None,
        )


def _chosen(columns: Sequence[str], what: str) -> dict[str, object]:
    """Return the options that choose these columns as scores."""
    return {"algorithm": list(columns), **({"transpose": True} if what == "tasks" else {})}


def _common_measure(parsed: ParsedTable, names: Sequence[str], what: str) -> str | None:
    """Return the measure in nearly all names, as in ``AMI WER``, ``Tedlium WER``."""
    known = Counter(word for name in names for word in _measures_in(name))
    several = [word for word, times in known.items() if times >= max(2, len(names) / 3)]
    ends = {word: [name for name in names if word in _words(name)] for word in several}
    if len(several) > 1:
        rests = [{_without_measures(name) for name in ends[word]} for word in several]
        if all(rest == rests[0] for rest in rests):
            raise ResultsError(
                f"{parsed.raw.name}: the columns hold {len(several)} measures"
                f" ({', '.join(several)}), which cannot be compared with each other; choose one",
                _chosen(ends[several[0]], what),
            )
    ways = {lower_is_better(word) for word in several}
    if ways == {True, False}:
        raise ResultsError(
            f"{parsed.raw.name}: higher is better in some columns, lower in others"
            f" ({', '.join(several)}); choose the columns of one measure",
            _chosen(ends[several[0]], what),
        )
    return next((word for word in several if known[word] >= 0.6 * len(names)), None)


def _measures_in(name: str) -> set[str]:
    """Return the measures that a name begins or ends with; Time-CNN and MAP-SVM have none."""
    words = _word_list(name)
    if len(words) < 2:
        return set()
    first = {words[0]} - _METHOD_WORDS
    return {word for word in first | {words[-1]} if lower_is_better(word) is not None}


def measure_of(names: Sequence[str]) -> str | None:
    """Return the measure that all names contain.

    >>> measure_of(["SVM rmse", "RF rmse"]), measure_of(["SVM", "RF"]) is None
    ('rmse', True)
    """
    return next(iter(set.intersection(*map(_measures_in, names))), None)


def _without_measures(name: str) -> str:
    return "_".join(part for part in _word_list(name) if lower_is_better(part) is None)


def _sums_up(values: Floats, others: Sequence[Floats]) -> bool:
    """Return True if a column is the mean, median or extreme of the others, up to rounding."""
    if len(others) < 2:
        return False
    table = np.column_stack(others)
    rows = ~np.isnan(table).any(axis=1) & ~np.isnan(values)
    if not rows.any():
        return False
    table, values = table[rows], values[rows]
    slack = 0.006 * max(1.0, float(np.median(np.abs(table))))
    return any(
        (np.abs(values - summary) <= slack).mean() >= _MOST
        for summary in (
            *(table.mean(axis=1), np.median(table, axis=1), table.max(axis=1), table.min(axis=1)),
        )
    )


def _misfits(columns: Sequence[Floats]) -> list[str]:
    """Classify each column as a flag among fractions, as unlike the others, or as fitting ("")."""
    found = []
    known = [column[np.isfinite(column)] for column in columns]
    fractions = [float((part % 1 != 0).mean()) if len(part) else 0.0 for part in known]
    order = np.array([np.median(np.abs(part)) if len(part) else 0.0 for part in known])
    for i, part in enumerate(known):
        others = np.delete(np.array(fractions), i)
        whole = len(part) > 0 and fractions[i] == 0.0 and np.median(others) > 0.5
        if whole and len(part) >= 8 and set(np.unique(part)) == {0.0, 1.0}:
            found.append("flag")
        elif whole and len(np.unique(part)) > 1 and len(part) >= 5 and order[i] > 1:
            found.append("whole")
        else:
            found.append("")
    if len(columns) > 2:
        typical = float(np.median(order))
        for i, part in enumerate(known):
            # Sizes and times differ by orders of magnitude; scores of one measure do not.
            far = len(part) and typical > 0 and order[i] > 30 * typical
            if (
                far
                and not found[i]
                and np.mean([order[j] < 10 * typical for j in range(len(known))]) > 0.5
            ):
                found[i] = "far"
            # Fractions of 1 do not belong among percentages.
            rest = [other for j, other in enumerate(known) if j != i and len(other)]
            if len(part) and _is_share(part) and all(np.median(other) > 1.5 for other in rest):
                found[i] = found[i] or "share"
    return found


def _is_share(values: Floats) -> bool:
    return bool(values.min() >= 0 and values.max() <= 1 and (values % 1 != 0).all())


def _is_apart(values: Floats, others: Sequence[Floats]) -> bool:
    """Return True if most values lie outside the range of the others."""
    pooled = np.concatenate([column[np.isfinite(column)] for column in others])
    known = values[np.isfinite(values)]
    if not len(pooled) or not len(known):
        return False
    low, high = float(pooled.min()), float(pooled.max())
    inside = (known >= low) & (known <= high)
    return bool(inside.mean() < 0.5)


def are_ranks(table: Floats) -> bool:
    """Return True if each row holds the ranks of its columns.

    >>> are_ranks(np.array([[1.0, 3.0, 2.0], [2.0, 1.0, 3.0], [1.5, 1.5, 3.0]]))
    True
    >>> are_ranks(np.array([[5.0, 3.0, 4.0], [4.0, 4.0, 1.0]]))
    False
    """
    n_columns = table.shape[1]
    present = ~np.isnan(table)
    counts = present.sum(axis=1)
    rows = counts >= 2
    if n_columns < 3 or rows.sum() < 2 or np.isinf(table).any():
        return False
    table, present, counts = table[rows], present[rows], counts[rows]
    filled = np.where(present, table, 1.0)
    if (filled < 1).any() or (filled > n_columns).any() or ((filled * 2) % 1 != 0).any():
        return False
    sums = np.where(present, table, 0.0).sum(axis=1)
    full = counts * (counts + 1) / 2
    # If ties share the better rank, some sums are smaller.
    return bool((sums == full).mean() >= 0.5 and (sums <= full).all())


# Rows that summarise the others: by name alone, or if their values agree.
_COUNTED_ROWS = frozenset(
    (
        *("average_rank", "mean_rank", "avg_rank", "rank", "ranks", "average_ranks", "wins"),
        *("number_of_wins", "wins_ties_losses", "win_tie_loss", "w_t_l", "rank_avg", "n_wins"),
    )
)
_COUNTED = re.compile(r"\s*\d+\s*/\s*\d+(\s*/\s*\d+)?\s*")
_SUMMARY_ROWS = frozenset(
    ("average", "mean", "avg", "median", "total", "sum", "overall", "std", "grand_total")
)
_BEGINS_SUMMARY = re.compile(r"\W*(average|avg|mean|median|overall|(grand[\W_]+)?total)\b", re.I)
# Two numbers, such as accuracy and F1; 3/0/9 are wins, ties and losses.
_PAIR = re.compile(r"\s*\d+(\.\d+)?\s*/\s*\d+(\.\d+)?\s*")


def _called(words: frozenset[str], names: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    """Return which names are, once normalised, among some words."""
    # There may be a million names, so that one search over all of them comes first.
    somewhere = re.compile("|".join(word.replace("_", r"[\W_]+") for word in words), re.IGNORECASE)
    if somewhere.search("\n".join(filter(None, set(names)))) is None:
        return np.zeros(len(names), dtype=bool)
    return np.array([normalise(name or "") in words for name in names], dtype=bool)


def are_counts(
    parsed: ParsedTable, column: str, rows: npt.NDArray[np.int64], notes: list[str]
) -> npt.NDArray[np.bool_]:
    """Return which rows of a wide table count wins, ties and losses, as 3/0/9."""
    names = parsed.names(column)[rows]
    found = _called(_COUNTED_ROWS, names)
    for i in np.flatnonzero(found):
        cells = parsed.frame.iloc[rows[i]]
        found[i] = any(isinstance(cell, str) and _COUNTED.fullmatch(cell) for cell in cells)
    if found.any():
        left_out = quote_list(list(names[found]))
        notes.append(f"{parsed.raw.name}: excluded rows of counts: {left_out}.")
    return found


def tasks_among(
    parsed: ParsedTable, column: str, rows: npt.NDArray[np.int64], values: Floats, notes: list[str]
) -> npt.NDArray[np.bool_]:
    """Return which rows of a wide table are tasks rather than summaries of the others."""
    keep = np.ones(len(rows), dtype=bool)
    names = parsed.names(column)[rows]
    suspects = _called(_SUMMARY_ROWS | _COUNTED_ROWS, names)
    for place in range(len(names) - 1, -1, -1):  # at the end, further words may follow
        suspects[place] |= bool(_BEGINS_SUMMARY.match(names[place] or ""))
        if not suspects[place]:
            break
    if not suspects.any() or suspects.all():
        return keep
    others = values[~suspects]
    with np.errstate(all="ignore"):
        means = [np.nanmean(others, 0), np.nanmedian(others, 0), np.nansum(others, 0)]
        means.append(np.nanstd(others, 0))
    for i in np.flatnonzero(suspects):
        shown = parsed.names(column)[rows[i]]
        close = any(np.allclose(values[i], mean, rtol=0.01, equal_nan=True) for mean in means)
        if normalise(shown) not in _COUNTED_ROWS and not close:
            raise ResultsError(
                f"{parsed.raw.row(rows[i])}: {quote(shown)} looks like a summary of the other"
                " rows, but its values are not; leave it out, or rename it if it is a task",
                {"where": [f"{column}!={shown}"]},
            )
        keep[i] = False
    left_out = [parsed.names(column)[row] for row in rows[~keep]]
    notes.append(f"{parsed.raw.name}: excluded summary rows: {quote_list(left_out)}.")
    return keep
