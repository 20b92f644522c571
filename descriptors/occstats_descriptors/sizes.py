"""Neighbourhood sizes that depend on the number of training rows, resolved in one place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

__all__ = ["LogMultiple", "Size", "log_multiple", "resolve"]


@dataclass(frozen=True, repr=False)
class LogMultiple:
    """The size a·log n, rounded to the nearest integer in [1, n − 1]; see `log_multiple`."""

    factor: float

    def __call__(self, n: int) -> int:
        """Resolve the size for `n` training rows."""
        return min(max(round(self.factor * math.log(n)), 1), max(n - 1, 1))

    def __repr__(self) -> str:
        return f"log_multiple({self.factor:g})"


Size = int | LogMultiple | Callable[[int], int]


def log_multiple(factor: float) -> LogMultiple:
    r"""
    Make the size :math:`a \log n` of a neighbourhood, with n the number of training rows.

    The value is :math:`\min(\max(\lfloor a \log n \rceil, 1), n - 1)` with the natural logarithm,
    the form in which Lenz et al. (2021) give the optimal sizes of LNND, LOF and ALP.

    Parameters
    ----------
    factor : float
        The factor a, positive and finite.

    Returns
    -------
    LogMultiple
        A frozen value that prints as it was written and can be called with n.

    References
    ----------
    O. U. Lenz, D. Peralta, C. Cornelis (2021). Average Localised Proximity: A new data descriptor
    with good default one-class classification performance. Pattern Recognition 118, 107991.

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
    given: Any = factor
    if isinstance(given, bool) or not isinstance(given, Real):
        raise TypeError(f"The factor of log_multiple must be a number, got {given!r}.")
    if not (math.isfinite(factor) and factor > 0):
        raise ValueError(f"The factor of log_multiple must be positive and finite, got {factor!r}.")
    return LogMultiple(float(factor))


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
