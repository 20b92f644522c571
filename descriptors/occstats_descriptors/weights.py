"""Weights of averages over neighbours and scales."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Weights", "equal", "linear", "resolve_weights"]

Vector = NDArray[np.float64]
Weights = str | Callable[[int], ArrayLike] | ArrayLike


def linear(length: int) -> Vector:
    r"""
    Make the linearly decreasing weights :math:`\frac{p}{p(p+1)/2}, \frac{p-1}{p(p+1)/2}, \dots`.

    >>> linear(3) * 6
    array([3., 2., 1.])
    """
    return np.arange(length, 0, -1) / (length * (length + 1) / 2)


def equal(length: int) -> Vector:
    r"""
    Make the equal weights :math:`\frac{1}{p}`.

    >>> equal(4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    return np.full(length, 1 / length)


_NAMED = {"linear": linear, "equal": equal}


def resolve_weights(weights: Weights, length: int, *, name: str = "weights") -> Vector:
    """
    Turn a choice of weights into a vector, and check that it is one of the definition.

    Parameters
    ----------
    weights : {"linear", "equal"}, callable or array-like
        A name, a function of the length, or the weights themselves.
    length : int
        Number of weights wanted.
    name : str
        Name of the parameter, for the error message.

    Returns
    -------
    ndarray of shape (length,)
        Weights in [0, 1] that do not increase and sum to 1.

    Examples
    --------
    >>> from occstats_descriptors.weights import resolve_weights
    >>> resolve_weights("equal", 2)
    array([0.5, 0.5])
    >>> resolve_weights([0.75, 0.25], 2)
    array([0.75, 0.25])
    """
    if isinstance(weights, str):
        if weights not in _NAMED:
            raise ValueError(
                f"{name} must be one of {', '.join(_NAMED)}, a function of the length "
                f"or a vector, got {weights!r}."
            )
        return _NAMED[weights](length)
    given = weights(length) if callable(weights) else weights
    vector = np.array(given, dtype=np.float64)
    if vector.shape != (length,):
        raise ValueError(f"{name} must have the length {length}, got the shape {vector.shape}.")
    # written so that NaN fails
    valid = bool((vector >= 0).all()) and abs(vector.sum() - 1) < 1e-9
    if not valid or bool((np.diff(vector) > 1e-12).any()):
        raise ValueError(
            f"{name} must be in [0, 1], not increase, and sum to 1, got {vector.tolist()}."
        )
    return vector
