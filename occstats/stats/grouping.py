"""Former names, until their last user has moved."""

from numpy.typing import ArrayLike

from occstats.stats.arrays import FloatArray
from occstats.stats.clusters import Clusters
from occstats.stats.pairs import antisymmetric, mirror, upper_pairs
from occstats.stats.sample import Sample

__all__ = ["antisymmetric", "group", "mirror", "pair_differences", "upper_pairs"]

group = Clusters.of


def pair_differences(
    scores: ArrayLike, tie_tolerance: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Differences of all pairs, as they are and in units of the tolerance."""
    table = Sample.of(scores, range(len(scores)), tie_tolerance=tie_tolerance)  # type: ignore[arg-type]
    return table.differences, table.grid
