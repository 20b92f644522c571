"""Statistics for the comparison of algorithms on tasks that come in clusters.

Every function is useful alone: arrays go in, a small frozen result comes out. Modules are loaded
when one of their names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from occstats.stats.bayes import (
        BayesianPairs,
        CorrelatedT,
        bayesian_signed_rank,
        correlated_t,
        probability_best,
    )
    from occstats.stats.binary import BinaryPairs, clustered_mcnemar
    from occstats.stats.bootstrap import BootstrapInterval, bootstrap_means, cluster_bootstrap
    from occstats.stats.classical import (
        FriedmanResult,
        conover,
        critical_difference,
        friedman,
        nemenyi,
    )
    from occstats.stats.clusters import cluster_weights
    from occstats.stats.complementary import ComplementaryPairs, complementary_pairs
    from occstats.stats.decisions import conclude
    from occstats.stats.diagnostics import ClusterDiagnostics, cluster_diagnostics
    from occstats.stats.differences import (
        Equivalence,
        difference_posterior,
        equivalence,
        simultaneous_intervals,
    )
    from occstats.stats.effect_sizes import PairEffects, pair_effects, rank_biserial
    from occstats.stats.estimands import WeightedTests, weighted_tests
    from occstats.stats.hodges_lehmann import (
        HodgesLehmannPairs,
        HodgesLehmannResult,
        hodges_lehmann_pairs,
        hodges_lehmann_shift,
    )
    from occstats.stats.kendall import kendall_matrix, kendall_tau
    from occstats.stats.kendall_intervals import kendall_jackknife
    from occstats.stats.leave_out import (
        LeaveOneAlgorithmOut,
        LeaveOneClusterOut,
        leave_one_algorithm_out,
        leave_one_cluster_out,
    )
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
    from occstats.stats.optimum import OptimumInterval, optimum_interval
    from occstats.stats.pareto import ParetoFront, pareto_front
    from occstats.stats.power import (
        DataSetsNeeded,
        data_sets_needed,
        minimal_detectable_difference,
        smallest_p,
    )
    from occstats.stats.ranks import (
        RankSummary,
        mean_ranks,
        rank_frequencies,
        summarise_ranks,
        task_ranks,
    )
    from occstats.stats.regression import Regression, trait_design, weighted_regression
    from occstats.stats.sample import Sample
    from occstats.stats.signed_rank import ClusteredWilcoxonResult, clustered_wilcoxon
    from occstats.stats.signed_rank_pairs import (
        PairwiseTests,
        cluster_means_pairs,
        clustered_wilcoxon_pairs,
        pairwise_tests,
        plain_wilcoxon_pairs,
    )
    from occstats.stats.simultaneous import MaxT, max_t
    from occstats.stats.specification import Specification, specify
    from occstats.stats.strata import Strata, rank_strata

# name → the module that defines it; a name that a module has, too, would be hidden by the module
_LAZY = {
    "BayesianPairs": "bayes",
    "CorrelatedT": "bayes",
    "bayesian_signed_rank": "bayes",
    "correlated_t": "bayes",
    "probability_best": "bayes",
    "BinaryPairs": "binary",
    "clustered_mcnemar": "binary",
    "BootstrapInterval": "bootstrap",
    "bootstrap_means": "bootstrap",
    "cluster_bootstrap": "bootstrap",
    "FriedmanResult": "classical",
    "conover": "classical",
    "critical_difference": "classical",
    "friedman": "classical",
    "nemenyi": "classical",
    "PairEffects": "effect_sizes",
    "pair_effects": "effect_sizes",
    "rank_biserial": "effect_sizes",
    "WeightedTests": "estimands",
    "weighted_tests": "estimands",
    "HodgesLehmannPairs": "hodges_lehmann",
    "HodgesLehmannResult": "hodges_lehmann",
    "hodges_lehmann_pairs": "hodges_lehmann",
    "hodges_lehmann_shift": "hodges_lehmann",
    "kendall_jackknife": "kendall_intervals",
    "conclude": "decisions",
    "Specification": "specification",
    "specify": "specification",
    "LeaveOneAlgorithmOut": "leave_out",
    "LeaveOneClusterOut": "leave_out",
    "leave_one_algorithm_out": "leave_out",
    "leave_one_cluster_out": "leave_out",
    "OptimumInterval": "optimum",
    "optimum_interval": "optimum",
    "ParetoFront": "pareto",
    "pareto_front": "pareto",
    "DataSetsNeeded": "power",
    "data_sets_needed": "power",
    "minimal_detectable_difference": "power",
    "smallest_p": "power",
    "cluster_means_pairs": "signed_rank_pairs",
    "plain_wilcoxon_pairs": "signed_rank_pairs",
    "ComplementaryPairs": "complementary",
    "complementary_pairs": "complementary",
    "ClusterDiagnostics": "diagnostics",
    "cluster_diagnostics": "diagnostics",
    "kendall_matrix": "kendall",
    "kendall_tau": "kendall",
    "Sample": "sample",
    "Regression": "regression",
    "trait_design": "regression",
    "weighted_regression": "regression",
    "Strata": "strata",
    "rank_strata": "strata",
    "Equivalence": "differences",
    "difference_posterior": "differences",
    "equivalence": "differences",
    "simultaneous_intervals": "differences",
    "MaxT": "simultaneous",
    "max_t": "simultaneous",
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
    "pairwise_tests": "signed_rank_pairs",
    "clustered_wilcoxon_pairs": "signed_rank_pairs",
    "cluster_weights": "clusters",
}

__all__ = [
    "AdjustedP",
    "BayesianPairs",
    "BinaryPairs",
    "BootstrapInterval",
    "ClusterDiagnostics",
    "ClusteredWilcoxonResult",
    "ComplementaryPairs",
    "CorrelatedT",
    "DataSetsNeeded",
    "Equivalence",
    "FriedmanResult",
    "HodgesLehmannPairs",
    "HodgesLehmannResult",
    "LeaveOneAlgorithmOut",
    "LeaveOneClusterOut",
    "MaxT",
    "OptimumInterval",
    "PairEffects",
    "PairwiseTests",
    "ParetoFront",
    "RankSummary",
    "Regression",
    "Sample",
    "Specification",
    "Strata",
    "WeightedTests",
    "adjust",
    "adjust_pairs",
    "bayesian_signed_rank",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "bootstrap_means",
    "cluster_bootstrap",
    "cluster_diagnostics",
    "cluster_means_pairs",
    "cluster_weights",
    "clustered_mcnemar",
    "clustered_wilcoxon",
    "clustered_wilcoxon_pairs",
    "complementary_pairs",
    "conclude",
    "conover",
    "correlated_t",
    "critical_difference",
    "data_sets_needed",
    "difference_posterior",
    "equivalence",
    "friedman",
    "hochberg",
    "hodges_lehmann_pairs",
    "hodges_lehmann_shift",
    "holm",
    "kendall_jackknife",
    "kendall_matrix",
    "kendall_tau",
    "leave_one_algorithm_out",
    "leave_one_cluster_out",
    "max_t",
    "mean_ranks",
    "minimal_detectable_difference",
    "nemenyi",
    "optimum_interval",
    "pair_effects",
    "pairwise_tests",
    "pareto_front",
    "plain_wilcoxon_pairs",
    "probability_best",
    "rank_biserial",
    "rank_frequencies",
    "rank_strata",
    "simultaneous_intervals",
    "smallest_p",
    "specify",
    "summarise_ranks",
    "task_ranks",
    "trait_design",
    "weighted_regression",
    "weighted_tests",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
