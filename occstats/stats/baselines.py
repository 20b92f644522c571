"""Former names, until their last user has moved."""

from occstats.stats.signed_rank_pairs import cluster_means_pairs, plain_wilcoxon_pairs

__all__ = ["cluster_means_pairs", "plain_wilcoxon_pairs"]
