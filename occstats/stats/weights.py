"""A former name, until its last user has moved."""

from occstats.stats.clusters import cluster_weights

__all__ = ["cluster_weights"]
