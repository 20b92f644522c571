"""Formats that depend on the comparison: decimals of its score, intervals in brackets."""

from __future__ import annotations

import math
from collections.abc import Callable

from occstats._format import ABSENT, decimals, p_writer, word
from occstats.comparison.text.verdict import difference_digits, score_digits

__all__ = [
    "blank_or",
    "difference_digits",
    "interval",
    "limits",
    "p_writer",
    "score_digits",
    "shares",
]


def interval(
    write: Callable[..., str], write_high: Callable[..., str] | None = None
) -> Callable[[float, float], str]:
    """Return a writer of two limits in brackets."""

    def written(low: float, high: float) -> str:
        if not (math.isfinite(low) or math.isfinite(high)):
            return ABSENT
        return f"[{write(low)}, {(write_high or write)(high)}]"

    return written


def limits(digits: int, *, signed: bool = True) -> Callable[[float, float], str]:
    """Return a writer of confidence limits, rounded outward where they are halves.

    Examples
    --------
    >>> limits(3)(-0.0075, 0.0225), limits(2, signed=False)(0.5, float("inf"))
    ('[-0.008, +0.023]', '[0.50, –]')
    """
    return interval(
        decimals(digits, signed=signed, ties="down"), decimals(digits, signed=signed, ties="up")
    )


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
