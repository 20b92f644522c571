"""How numbers are written for people; other programs get them in full precision."""

import math
from collections.abc import Callable

__all__ = ["decimals", "integer", "p_value", "percent", "significant", "text"]

ABSENT = "–"
# The smallest p-value that is printed as a number, as is usual in papers.
SMALLEST_P = 0.0001


def p_value(p: float | None) -> str:
    """Two significant digits, and bounds beyond which digits mean nothing.

    Examples
    --------
    >>> [p_value(p) for p in (0.16713, 0.0501, 0.00071, 0.0000099, 1.7, 0.999, None)]
    ['0.17', '0.050', '0.00071', '< 0.0001', '≥ 1', '> 0.99', '–']
    """
    if p is None or math.isnan(p):
        return ABSENT
    if p < SMALLEST_P:
        return "< 0.0001"
    if p >= 1:
        return "≥ 1"
    return "> 0.99" if p >= 0.995 else f"{p:#.2g}"


def decimals(digits: int, *, signed: bool = False) -> Callable[[float | None], str]:
    """A writer of numbers with so many decimals.

    Examples
    --------
    >>> decimals(3)(0.81654), decimals(2, signed=True)(0.127), decimals(2)(float("nan"))
    ('0.817', '+0.13', '–')
    """

    def write(value: float | None) -> str:
        if value is None or math.isnan(value):
            return ABSENT
        shown = f"{value:{'+' if signed else ''}.{digits}f}"
        # A minus before nothing but zeros says something about rounding only.
        return shown.replace("-", "") if float(shown) == 0 else shown

    return write


def significant(digits: int) -> Callable[[float | None], str]:
    """A writer of numbers with so many significant digits.

    Examples
    --------
    >>> significant(3)(0.0123456), significant(3)(1234567.0)
    ('0.0123', '1.23e+06')
    """

    def write(value: float | None) -> str:
        return ABSENT if value is None or math.isnan(value) else f"{value:.{digits}g}"

    return write


def percent(value: float | None) -> str:
    """A share as a percentage.

    Examples
    --------
    >>> percent(0.382), percent(0.0004), percent(0.99995), percent(0.0)
    ('38 %', '< 1 %', '> 99 %', '0 %')
    """
    if value is None or math.isnan(value):
        return ABSENT
    if 0 < value < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= value < 1 else f"{100 * value:.0f} %"


def integer(value: float | None) -> str:
    """A count.

    Examples
    --------
    >>> integer(20000), integer(None)
    ('20,000', '–')
    """
    return ABSENT if value is None or math.isnan(value) else f"{int(value):,}"


def text(value: object) -> str:
    """A name as it is."""
    return (
        ABSENT if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)
    )
