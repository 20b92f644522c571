"""Neighbourhood sizes and kernel widths that depend on the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from occstats_descriptors.base import positive_number


@dataclass(frozen=True, repr=False)
class Multiple:
    """Multiple of a property of the data; its representation is the call that makes it."""

    factor: float

    rule: ClassVar[str]
    form: ClassVar[str]

    def __post_init__(self) -> None:
        factor = positive_number(self.factor, f"The factor of {self.rule}_multiple")
        object.__setattr__(self, "factor", factor)

    def __repr__(self) -> str:
        return f"{self.rule}_multiple({self.factor:g})"

    @property
    def text(self) -> str:
        """Return the rule as the literature writes it."""
        return self.form.format(self.factor)


class LogMultiple(Multiple):
    r"""
    Size :math:`a \log n` of a neighbourhood, with n the number of training rows.

    The value is :math:`\min(\max(\lfloor a \log n \rceil, 1), n - 1)` with the natural logarithm,
    the form in which Lenz et al. (2021; see `ALP`) give the optimal sizes of LNND, LOF and ALP.

    Parameters
    ----------
    factor : float
        The factor a, positive and finite.

    Examples
    --------
    >>> from occstats.descriptors import log_multiple
    >>> size = log_multiple(5.5)
    >>> size
    log_multiple(5.5)
    >>> size(100)
    25
    >>> size(4)
    3
    """

    rule = "log"
    form = "{:.1f} log n"

    def __call__(self, n: int) -> int:
        """Return the size for `n` training rows."""
        return min(max(round(self.factor * math.log(n)), 1), max(n - 1, 1))


class DimensionMultiple(Multiple):
    """
    Kernel width c = c′·m, with m the number of attributes.

    Parameters
    ----------
    factor : float
        The factor c′, positive and finite.

    Examples
    --------
    >>> from occstats.descriptors import dimension_multiple
    >>> width = dimension_multiple(0.25)
    >>> width
    dimension_multiple(0.25)
    >>> width(10)
    2.5
    """

    rule = "dimension"
    form = "{:.2f} m"

    def __call__(self, m: int) -> float:
        """Return the width for `m` attributes."""
        return self.factor * m


log_multiple, dimension_multiple = LogMultiple, DimensionMultiple
Size = int | LogMultiple | Callable[[int], int]
Width = float | DimensionMultiple | Callable[[int], float]


def resolve(size: Size, n: int, *, name: str = "k", maximum: int | None = None) -> int:
    """
    Return the number of neighbours for `n` training rows.

    A rule such as `log_multiple(5.5)` is called with n and clipped to [1, n − 1]. A given number
    must be in [1, `maximum`], by default in [1, n − 1]; an error calls it `name`.
    """
    limit = n - 1 if maximum is None else maximum
    given: Any = size
    if not isinstance(given, bool) and isinstance(given, Integral):
        if not 1 <= int(given) <= limit:
            remedy = "; use fewer neighbours or more rows" if int(given) > limit else ""
            raise ValueError(
                f"{name} must be an integer in [1, {limit}] for data with n_samples = {n}, "
                f"got {name}={size}{remedy}."
            )
        return int(given)
    if callable(size):
        return min(max(round(size(n)), 1), max(n - 1, 1))
    raise TypeError(
        f"{name} must be an integer or a rule such as log_multiple(5.5), got {name}={size!r}."
    )
