"""Statistics for the comparison of algorithms on tasks that come in clusters.

Every function is useful alone: arrays go in, a small frozen result comes out. Modules are loaded
when one of their names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from occstats.stats.baselines import cluster_means_pairs, plain_wilcoxon_pairs
    from occstats.stats.complementary import ComplementaryPairs, complementary_pairs
    from occstats.stats.diagnostics import ClusterDiagnostics, cluster_diagnostics
    from occstats.stats.kendall import kendall_matrix, kendall_tau
    from occstats.stats.multiplicity import (
        AdjustedP,
        adjust,
        adjust_pairs,
        benjamini_hochberg,
        benjamini_yekutieli,
        bonferroni,
        hochberg,
        holm,
    )
    from occstats.stats.ranks import (
        RankSummary,
        mean_ranks,
        rank_frequencies,
        summarise_ranks,
        task_ranks,
    )
    from occstats.stats.regression import Regression, trait_design, weighted_regression
    from occstats.stats.signed_rank import ClusteredWilcoxonResult, clustered_wilcoxon
    from occstats.stats.signed_rank_pairs import PairwiseTests, clustered_wilcoxon_pairs
    from occstats.stats.strata import Strata, rank_strata
    from occstats.stats.weights import cluster_weights

# name → the module that defines it
_LAZY = {
    "cluster_means_pairs": "baselines",
    "plain_wilcoxon_pairs": "baselines",
    "ComplementaryPairs": "complementary",
    "complementary_pairs": "complementary",
    "ClusterDiagnostics": "diagnostics",
    "cluster_diagnostics": "diagnostics",
    "kendall_matrix": "kendall",
    "kendall_tau": "kendall",
    "Regression": "regression",
    "trait_design": "regression",
    "weighted_regression": "regression",
    "Strata": "strata",
    "rank_strata": "strata",
    "AdjustedP": "multiplicity",
    "adjust": "multiplicity",
    "adjust_pairs": "multiplicity",
    "benjamini_hochberg": "multiplicity",
    "benjamini_yekutieli": "multiplicity",
    "bonferroni": "multiplicity",
    "hochberg": "multiplicity",
    "holm": "multiplicity",
    "RankSummary": "ranks",
    "mean_ranks": "ranks",
    "rank_frequencies": "ranks",
    "summarise_ranks": "ranks",
    "task_ranks": "ranks",
    "ClusteredWilcoxonResult": "signed_rank",
    "clustered_wilcoxon": "signed_rank",
    "PairwiseTests": "signed_rank_pairs",
    "clustered_wilcoxon_pairs": "signed_rank_pairs",
    "cluster_weights": "weights",
}

__all__ = [
    "AdjustedP",
    "ClusterDiagnostics",
    "ClusteredWilcoxonResult",
    "ComplementaryPairs",
    "PairwiseTests",
    "RankSummary",
    "Regression",
    "Strata",
    "adjust",
    "adjust_pairs",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "cluster_diagnostics",
    "cluster_means_pairs",
    "cluster_weights",
    "clustered_wilcoxon",
    "clustered_wilcoxon_pairs",
    "complementary_pairs",
    "hochberg",
    "holm",
    "kendall_matrix",
    "kendall_tau",
    "mean_ranks",
    "plain_wilcoxon_pairs",
    "rank_frequencies",
    "rank_strata",
    "summarise_ranks",
    "task_ranks",
    "trait_design",
    "weighted_regression",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
