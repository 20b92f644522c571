"""Former names, until their last user has moved."""

import numpy as np
from numpy.typing import ArrayLike

from occstats.checks import check_choice
from occstats.stats.arrays import FloatArray, as_vector
from occstats.stats.clusters import Clusters
from occstats.stats.tests.null import tail
from occstats.stats.tests.registry import TESTS

__all__ = ["resampled_z", "tail"]


def resampled_z(
    x: ArrayLike,
    clusters: ArrayLike,
    counts: ArrayLike,
    *,
    test: str = "rgl",
    tie_tolerance: float = 0.0,
) -> FloatArray:
    """Z of a test for every row of cluster multiplicities."""
    check_choice("test", test, TESTS)
    values = as_vector("x", x, allow_nan=True)
    sample = TESTS[test].engine.single(values, Clusters.of(clusters, len(values)), tie_tolerance)
    return sample.resampled(0, np.asarray(counts, dtype=float))
