from .bayes import (
    BayesianPairs as BayesianPairs,
    bayesian_signed_rank as bayesian_signed_rank,
    correlated_t as correlated_t,
    probability_best as probability_best,
)
from .bootstrap import (
    BootstrapInterval as BootstrapInterval,
    bootstrap_means as bootstrap_means,
    cluster_bootstrap as cluster_bootstrap,
)
from .clusters import cluster_weights as cluster_weights
from .complementary import complementary_pairs as complementary_pairs
from .corrections import (
    adjust as adjust,
    adjust_pairs as adjust_pairs,
)
from .diagnostics import cluster_diagnostics as cluster_diagnostics
from .effect_sizes import (
    PairEffects as PairEffects,
    pair_effects as pair_effects,
)
from .friedman import (
    FriedmanResult as FriedmanResult,
    critical_difference as critical_difference,
    friedman as friedman,
    nemenyi as nemenyi,
)
from .kendall import (
    kendall_jackknife as kendall_jackknife,
    kendall_matrix as kendall_matrix,
)
from .max_t import (
    PairTests as PairTests,
    typical_shifts as typical_shifts,
    typical_tests as typical_tests,
)
from .mcnemar import clustered_mcnemar as clustered_mcnemar
from .means import (
    difference_posterior as difference_posterior,
    mean_differences as mean_differences,
    mean_tests as mean_tests,
)
from .pareto import pareto_front as pareto_front
from .power import (
    mean_power as mean_power,
    minimal_detectable_difference as minimal_detectable_difference,
    smallest_p as smallest_p,
)
from .meta_analysis import (
    cluster_effects as cluster_effects,
    random_effects as random_effects,
)
from .ranks import (
    mean_ranks as mean_ranks,
    rank_frequencies as rank_frequencies,
    rank_strata as rank_strata,
    task_ranks as task_ranks,
)
from .regression import weighted_regression as weighted_regression
from .sample import Sample as Sample
from .signed_rank.pairwise import (
    ClusteredWilcoxonResult as ClusteredWilcoxonResult,
    PairwiseTests as PairwiseTests,
    clustered_wilcoxon as clustered_wilcoxon,
    pairwise_tests as pairwise_tests,
)
from .reml import variance_components as variance_components
