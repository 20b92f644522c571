"""Sizes and widths that depend on the data, resolved in one place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from occstats_descriptors._parameters import positive_number

__all__ = [
    "DimensionMultiple",
    "LogMultiple",
    "Size",
    "Width",
    "dimension_multiple",
    "log_multiple",
    "resolve",
    "resolve_width",
]


@dataclass(frozen=True, repr=False)
class Multiple:
    """A multiple of something that the data say; prints as it was written, with its function."""

    factor: float

    rule: ClassVar[str]
    form: ClassVar[str]

    def __repr__(self) -> str:
        return f"{self.rule}_multiple({self.factor:g})"

    @property
    def text(self) -> str:
        """The rule as the literature writes it."""
        return self.form.format(self.factor)


class LogMultiple(Multiple):
    """The size a·log n, rounded to the nearest integer in [1, n − 1]; see `log_multiple`."""

    rule = "log"
    form = "{:.1f} log n"

    def __call__(self, n: int) -> int:
        """Resolve the size for `n` training rows."""
        return min(max(round(self.factor * math.log(n)), 1), max(n - 1, 1))


class DimensionMultiple(Multiple):
    """The kernel width c = c′·m; see `dimension_multiple`."""

    rule = "dimension"
    form = "{:.2f} m"

    def __call__(self, m: int) -> float:
        """Resolve the width for `m` attributes."""
        return self.factor * m


Size = int | LogMultiple | Callable[[int], int]
Width = float | DimensionMultiple | Callable[[int], float]


def log_multiple(factor: float) -> LogMultiple:
    r"""
    Make the size :math:`a \log n` of a neighbourhood, with n the number of training rows.

    The value is :math:`\min(\max(\lfloor a \log n \rceil, 1), n - 1)` with the natural logarithm,
    the form in which Lenz et al. (2021; see `ALP`) give the optimal sizes of LNND, LOF and ALP.

    Parameters
    ----------
    factor : float
        The factor a, positive and finite.

    Returns
    -------
    LogMultiple
        A frozen value that prints as it was written and can be called with n.

    Examples
    --------
    >>> from occstats_descriptors import log_multiple
    >>> size = log_multiple(5.5)
    >>> size
    log_multiple(5.5)
    >>> size(100)
    25
    >>> size(4)
    3
    """
    return LogMultiple(positive_number(factor, "The factor of log_multiple"))


def dimension_multiple(factor: float) -> DimensionMultiple:
    """
    Make the kernel width c = c′·m, with m the number of attributes.

    Parameters
    ----------
    factor : float
        The factor c′, positive and finite.

    Returns
    -------
    DimensionMultiple
        A frozen value that prints as it was written and can be called with m.

    Examples
    --------
    >>> from occstats_descriptors import dimension_multiple
    >>> width = dimension_multiple(0.25)
    >>> width
    dimension_multiple(0.25)
    >>> width(10)
    2.5
    """
    return DimensionMultiple(positive_number(factor, "The factor of dimension_multiple"))


def resolve(size: Size, n: int, *, name: str = "k", maximum: int | None = None) -> int:
    """
    Turn a size into a number of neighbours for `n` training rows.

    Parameters
    ----------
    size : int or callable
        An explicit number, which must lie in [1, `maximum`], or a rule such as `log_multiple(5.5)`
        that is called with n and clipped to [1, n − 1].
    n : int
        Number of training rows.
    name : str
        Name of the parameter, for the error message.
    maximum : int, optional
        Largest explicit number that the definition allows; n − 1 if not given.

    Returns
    -------
    int
        The number of neighbours.

    Examples
    --------
    >>> from occstats_descriptors.sizes import log_multiple, resolve
    >>> resolve(log_multiple(6.0), 200)
    32
    >>> resolve(3, 200)
    3
    """
    limit = n - 1 if maximum is None else maximum
    given: Any = size
    if not isinstance(given, bool) and isinstance(given, Integral):
        if not 1 <= int(given) <= limit:
            raise ValueError(
                f"{name} must be an integer in [1, {limit}] for data with n_samples = {n}, "
                f"got {name}={size}; give fewer neighbours or more rows."
            )
        return int(given)
    if callable(size):
        return min(max(round(size(n)), 1), max(n - 1, 1))
    raise TypeError(
        f"{name} must be an integer or a rule such as log_multiple(5.5), got {name}={size!r}."
    )


def resolve_width(c: Width, m: int) -> float:
    """Turn a width or a rule for it into a number, for `m` attributes."""
    return positive_number(c(m) if callable(c) else c, "c")
