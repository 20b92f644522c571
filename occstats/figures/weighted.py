"""Weighted quantiles, densities and points for drawing."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

__all__ = ["density", "points", "quantiles"]


def quantiles(values: ArrayLike, weights: ArrayLike, at: ArrayLike) -> NDArray[np.float64]:
    """Return weighted quantiles: the smallest value whose cumulative weight reaches each share.

    >>> quantiles([1.0, 2.0, 3.0], [1, 1, 2], [0.5, 1.0]).tolist()
    [2.0, 3.0]
    """
    return np.asarray(
        np.quantile(
            np.asarray(values, dtype=float),
            np.asarray(at, dtype=float),
            weights=np.asarray(weights, dtype=float),
            method="inverted_cdf",
        ),
        dtype=float,
    )


def density(
    values: NDArray[np.float64], weights: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a weighted Gaussian kernel density, or zeros where the values do not vary.

    >>> density(np.array([1.0, 1.0]), np.ones(2), np.array([1.0])).tolist()
    [0.0]
    """
    from scipy.stats import gaussian_kde

    if len(values) < 2 or np.ptp(values) < 1e-12:
        return np.zeros(len(at))
    return np.asarray(gaussian_kde(values, weights=weights)(at), dtype=float)


def points(
    axes: Axes,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    largest: float,
    **options: Any,
) -> None:
    """Draw points whose area follows their weight, in eight steps.

    Points of one step share a marker, which makes an SVG a tenth as large as points of any size.
    """
    diameter = largest * np.sqrt(weights / weights.max())
    step = largest / 8
    for size in np.unique(np.maximum(np.round(diameter / step), 1)):
        here = np.maximum(np.round(diameter / step), 1) == size
        axes.plot(x[here], y[here], "o", markersize=size * step, markeredgewidth=0, **options)
