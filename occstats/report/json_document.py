"""Write a comparison as one JSON document, for other programs."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

FRAMES = (
    "summary",
    "pairwise_full",
    "kendall",
    "regression",
    "complementary_pairs",
    "rank_frequencies",
    "strata",
    "diagnostics",
    "heterogeneity",
)
NONE: Mapping[str, str] = {}
SECTIONS = ("stability", "design", "classical", "gaps", "fold_tests", "binary")


def to_dict(comparison: Comparison, files: Mapping[str, str] = NONE) -> dict[str, Any]:
    """Return the document as plain Python values: dict, list, str, int, float, bool and None.

    A frame that ``files`` names is replaced by the path of its file and its number of rows.
    """
    document: dict[str, Any] = {
        "meta": plain(comparison.meta),
        "verdict": comparison.verdict,
        "rule": comparison.rule,
        "basis": comparison.basis,
        "methods": comparison.methods,
        "notes": list(comparison.notes),
    }
    for name in (*FRAMES, *SECTIONS):
        key = name.removesuffix("_full")
        document[key] = _part(key, getattr(comparison, name), files)
    return document


def to_json(
    comparison: Comparison, *, indent: int | None = None, files: Mapping[str, str] = NONE
) -> str:
    """Return the document as valid JSON: no NaN, no infinity, floats in full precision."""
    return dump(to_dict(comparison, files), indent)


def dump(document: Mapping[str, Any], indent: int | None = None) -> str:
    """Return plain values as valid JSON."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        document, indent=indent, separators=separators, ensure_ascii=False, allow_nan=False
    )
    # A lone surrogate in a name can be written in UTF-8 only as \udxxx.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _part(name: str, value: Any, files: Mapping[str, str]) -> Any:
    """Return the plain value of a key; of a frame in a file of its own, the name of the file."""
    if name in files and isinstance(value, pd.DataFrame):
        return {"rows": len(value), "file": files[name]}
    return plain(value, files)


def plain(value: Any, files: Mapping[str, str] = NONE) -> Any:
    """Turn frames into lists of rows, numpy values into Python ones, NaN and infinity into None.

    Examples
    --------
    >>> plain(pd.DataFrame({"a": ["x", "y"], "p": [0.5, float("nan")], "n": [1, 2]}))
    [{'a': 'x', 'p': 0.5, 'n': 1}, {'a': 'y', 'p': None, 'n': 2}]
    >>> plain({"spread": np.float64("inf"), "seen": (np.True_,)})
    {'spread': None, 'seen': [True]}
    """
    if value is None or value is pd.NA or isinstance(value, str | int):
        return None if value is pd.NA else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, pd.DataFrame):
        columns = [[plain(cell) for cell in value[name].tolist()] for name in value.columns]
        names = [str(name) for name in value.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in dataclasses.fields(value)]
        return {name: _part(name, getattr(value, name), files) for name in names}
    if isinstance(value, Mapping):
        return {str(key): _part(str(key), item, files) for key, item in value.items()}
    if isinstance(value, np.ndarray | pd.Series):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return value
