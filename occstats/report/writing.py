"""Formats that depend on the comparison: decimals of its score, intervals in brackets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from occstats.text import word

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["blank_or", "interval", "score_digits", "shares"]


def interval(write: Callable[..., str]) -> Callable[[float, float], str]:
    """Two bounds in brackets."""

    def written(low: float, high: float) -> str:
        if math.isnan(low) or math.isnan(high):
            return word(None)
        return f"[{write(low)}, {write(high)}]"

    return written


def score_digits(comparison: Comparison) -> int:
    """Decimals for scores: three for scores up to 1, fewer for larger, more for smaller ones."""
    largest = np.nanmax(np.abs(comparison.results.scores.to_numpy(float)))
    return 3 if largest == 0 else int(np.clip(3 - np.ceil(np.log10(largest)), 0, 20))


def shares(*values: float) -> str:
    """Percentages of a whole, as one cell; rounded so that they add up to 100.

    Examples
    --------
    >>> shares(1 / 3, 1 / 3, 1 / 3), shares(0.508, 0.072, 0.42)
    ('34 / 33 / 33', '51 / 7 / 42')
    """
    if any(math.isnan(value) for value in values):
        return word(None)
    percentages = [math.floor(100 * value) for value in values]
    remainders = [100 * value - whole for value, whole in zip(values, percentages, strict=True)]
    missing = round(100 * sum(values)) - sum(percentages)
    for position in sorted(range(len(values)), key=lambda i: -remainders[i])[:missing]:
        percentages[position] += 1
    return " / ".join(map(str, percentages))


def blank_or(write: Callable[..., str]) -> Callable[[float], str]:
    """Nothing where there is no number, as in the empty half of a triangle."""

    def written(value: float) -> str:
        return "" if math.isnan(value) else write(value)

    return written
