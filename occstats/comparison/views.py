"""The short table of pairs, and comparisons again: on some tasks, or with further methods."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ArgumentError

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["PAIR_COLUMNS", "add", "pairs", "where"]

# The main columns of ``pairwise``.
PAIR_COLUMNS = (
    "a", "b", "difference", "ci_low", "ci_high", "p", "conclusion", "reversed", "wins", "ties",
    "losses",
)  # fmt: skip


def pairs(comparison: Comparison) -> pd.DataFrame:
    """Return one row per pair, the better first, with the main columns of ``pairwise``."""
    frame = comparison.pairwise
    place = {name: position for position, name in enumerate(comparison.algorithms)}
    first, second = frame["a"].map(place), frame["b"].map(place)
    control = comparison.settings.control
    keep = first < second if control is None else frame["a"] == control
    order = np.lexsort((second[keep], first[keep]))
    columns = [name for name in PAIR_COLUMNS if name in frame]
    return frame.loc[keep, columns].iloc[order].reset_index(drop=True)


def where(comparison: Comparison, condition: Any) -> Comparison:
    """Compare again on some of the tasks."""
    from occstats.comparison.pipeline import compare_with

    results = comparison.results
    if isinstance(condition, str):
        keep = _fulfilling(comparison, condition)
        note = f"Only tasks where {condition}"
    else:
        keep = _mask(comparison, condition)
        note = "Only chosen tasks"
    if not keep.any():
        raise ArgumentError(f"where: no task of {results.n_tasks:,} is left by {quote(condition)}")
    note = f"{note}: {count(int(keep.sum()), 'task')} of {results.n_tasks:,}."
    settings = replace(comparison.settings, algorithms=None)  # the results have only those
    return compare_with(results.keep_tasks(keep, note), settings)


def _fulfilling(comparison: Comparison, condition: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    traits = comparison.results.traits
    known = [*map(str, traits.index.names), *map(str, traits.columns)]
    try:
        found = traits.eval(condition)
    except Exception as error:  # pandas raises whatever its parser or a column raises
        numbers = traits.select_dtypes("number").median()
        examples = [f"{name} > {median:g}" for name, median in numbers.items()]
        examples.append(f"{known[0]} != {traits.index[0][0]!r}")
        raise ArgumentError(
            f"where: {quote(condition)} is not a condition on {quote_list(known)} ({error}); "
            f'write, for example, "{examples[0]}"'
        ) from None
    return _mask(comparison, found)


def _mask(comparison: Comparison, mask: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    index = comparison.results.scores.index
    if isinstance(mask, pd.Series) and not mask.index.equals(index):
        mask = mask.reindex(index)
    keep = np.asarray(mask)
    if keep.shape != (len(index),) or keep.dtype != np.bool_:
        raise ArgumentError(
            f"where: the mask must be {len(index):,} truth values, one for each task; got "
            f"{keep.dtype} of shape {keep.shape}"
        )
    return keep


def add(comparison: Comparison, *sources: Any, **options: Any) -> Comparison:
    """Compare again with the methods of further results."""
    from occstats.comparison.choices import PRESETS
    from occstats.comparison.pipeline import compare_with
    from occstats.comparison.settings import OPTIONS, REPLACED, Settings
    from occstats.results import load_results

    if not sources:
        raise ArgumentError("add needs results: a file, a frame, or a series of scores by task")
    known = {**OPTIONS, **REPLACED}
    changed = {name: options.pop(name) for name in list(options) if name in known}
    given = {name: getattr(comparison.settings, name) for name in OPTIONS}
    # Settings that follow from a changed one are determined again.
    implied = {
        "preset": tuple(PRESETS["paper"].settings),
        "control": ("family",),
        "estimand": ("null",),
        "engine": ("null", "correction", "estimand"),
        "margin": ("rope",),
    }
    for name in ("algorithms", *(each for key in changed for each in implied.get(key, ()))):
        given.pop(name, None)
    settings = Settings.of(**{**given, **changed})
    tables = [source.to_frame() if isinstance(source, pd.Series) else source for source in sources]
    return compare_with(load_results(comparison.results, *tables, **options), settings)
