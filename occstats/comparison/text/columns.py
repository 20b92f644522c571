"""One sentence for every quantity, and the kind of each confidence interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from occstats.stats.cluster_means import FEW_CLUSTERS

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings

__all__ = ["EXPLANATIONS", "IntervalKind", "explain", "interval_kinds"]


@dataclass(frozen=True)
class IntervalKind:
    """A kind of confidence interval: its name, and the phrase for the methods with citations."""

    name: str
    sentence: str

    def over(self, unit: str) -> IntervalKind:
        """Return the same kind with another independent unit: suites in place of datasets."""
        return replace(
            self,
            name=self.name.replace("dataset", unit),
            sentence=self.sentence.replace("dataset", unit),
        )


STUDENT = IntervalKind("Student's t over datasets", "Student's t over dataset means")
BOOTSTRAP_T = IntervalKind(
    "bootstrap-t over datasets",
    "bootstrap-t over datasets {davison1997}, never narrower than Student's t",
)
JACKKNIFE = IntervalKind(
    "jackknife over datasets, arcsine scale",
    "Student's t with the jackknife over datasets {miller1974}, on the arcsine scale",
)
WILSON = IntervalKind("Wilson's interval", "Wilson's interval {wilson1927}")
WILSON_BY_SUITE = IntervalKind(
    "Wilson's interval, with the effective number of suites",
    "Wilson's interval {wilson1927} with the effective number of suites of unequal sizes",
)
INVERTED_FLIPS = IntervalKind(
    "inverted sign-flip test", "all shifts that the sign-flip test did not reject"
)
INVERTED_NORMAL = IntervalKind(
    "inverted signed-rank test, normal approximation",
    "all shifts that the asymptotic test did not reject",
)
#: The quantities that have an interval, as the methods call them.
QUANTITIES = {
    "difference": "differences",
    "mean_rank": "mean ranks",
    "mean_score": "mean scores",
    "prob_improvement_task": "the probability of improvement on a task",
    "rank_biserial": "rank-biserial correlations",
    "tau": "Kendall's τ",
    "prob_improvement_dataset": "the probability of improvement on a dataset",
}


def interval_kinds(
    n_clusters: int, unit: str = "dataset", settings: Settings | None = None
) -> dict[str, IntervalKind]:
    """Return the kind of the interval of each quantity, given the number of independent units.

    Examples
    --------
    >>> interval_kinds(5)["mean_rank"].name, interval_kinds(50)["mean_rank"].name
    ("Student's t over datasets", 'bootstrap-t over datasets')
    """
    means = STUDENT if n_clusters < FEW_CLUSTERS else BOOTSTRAP_T
    kinds = {
        **dict.fromkeys(("mean_rank", "mean_score"), means),
        "prob_improvement_task": JACKKNIFE,
        "rank_biserial": JACKKNIFE,
        "tau": JACKKNIFE,
        "prob_improvement_dataset": WILSON_BY_SUITE if unit == "suite" else WILSON,
    }
    if settings is not None:
        asymptotic = settings.null == "asymptotic"
        by_ranks = INVERTED_NORMAL if asymptotic else INVERTED_FLIPS
        by_mean = STUDENT if asymptotic else means
        kinds = {"difference": by_ranks if settings.estimand == "typical" else by_mean, **kinds}
    return {quantity: kind.over(unit) for quantity, kind in kinds.items()}


EXPLANATIONS: dict[str, str] = {
    # summary
    "mean_rank": "The mean rank over datasets, 1 being the best; each dataset has equal weight.",
    "mean_rank_ci": "A confidence interval of the mean rank in the population of datasets.",
    "mean_score": "The mean score over datasets; each dataset has equal weight.",
    "mean_score_ci": "A confidence interval of the mean score in the population of datasets.",
    "cvsd": "The standard deviation of the score over cross-validation folds, averaged over tasks.",
    "leads": "The share of bootstrap resamples of the datasets in which it comes first; not "
    "corrected for choosing the leader, and not the probability of being the best.",
    "rank_low": "The best rank consistent with the decisions: one more than the number of "
    "algorithms that are better.",
    "rank_high": "The worst rank consistent with the decisions: all but the algorithms that it is "
    "better than.",
    # pairwise: the decision
    "difference": "The estimated difference a minus b that is tested: the typical or the mean "
    "difference, by the estimand; positive where a is better.",
    "ci": "A confidence interval of the difference, corrected like p; in the regression, of this "
    "coefficient alone.",
    "p": "The p-value after the correction for the number of tests; for a pair, the one that "
    "decides.",
    "conclusion": "Whether a is better or worse than b, or the pair is equivalent or undecided; "
    "empty if the pair was not tested.",
    "reversed": "Whether the pair is decided, but the other estimate (mean or typical difference) "
    "has the opposite sign.",
    "p_unadjusted": "The p-value before the correction for the number of tests.",
    "statistic": "The test statistic of the difference a minus b; positive where a is better.",
    "typical_difference": "The Hodges-Lehmann shift a minus b with the weights of the signed-rank "
    "test: the difference on a typical task.",
    "mean_difference": "The mean difference a minus b over datasets, each with equal weight.",
    "n_tasks": "The number of tasks: in pairs, of those that both algorithms have.",
    "n_datasets": "The number of datasets (or suites) of these tasks.",
    "p_ignoring_clusters": "The corrected p-value of the test that treats all tasks as "
    "independent.",
    "conclusion_ignoring_clusters": "The conclusion of the test that treats all tasks as "
    "independent.",
    # pairwise: effect sizes
    "rank_biserial": "The matched-pairs rank-biserial correlation, each task with equal weight: "
    "1 if a wins always, −1 if b does, 0 if wins and losses balance by size.",
    "rank_biserial_ci": "A confidence interval of the rank-biserial correlation in the population "
    "of datasets.",
    "wins": "The number of tasks on which a scores higher than b.",
    "ties": "The number of tasks on which a and b tie.",
    "losses": "The number of tasks on which a scores lower than b.",
    "prob_improvement_task": "The estimated probability that a is better than b on a new task of "
    "one of these datasets; a tie counts one half.",
    "prob_improvement_dataset": "The estimated probability that a is better than b on average over "
    "the tasks of a new dataset; a tie counts one half.",
    # Bayesian
    "bayes_better": "Bayesian signed-rank comparison: the share of posterior draws in which the "
    "mean of two tasks is most often above the region of practical equivalence.",
    "bayes_equivalent": "The share of posterior draws in which it is most often within that "
    "region.",
    "bayes_worse": "The share of posterior draws in which it is most often below that region.",
    "difference_above": "The posterior probability that the mean difference is above the region of "
    "practical equivalence (Bayesian bootstrap of datasets).",
    "difference_within": "The posterior probability that the mean difference is within it.",
    "difference_below": "The posterior probability that the mean difference is below it.",
    "fold_tests": "For each task by itself, the probabilities that a is better, equivalent or "
    "worse, from its folds (correlated t-test).",
    # Kendall
    "tau": "How similarly two algorithms order the tasks by difficulty: 1 the same, 0 unrelated, "
    "−1 reversed.",
    "tau_ci": "A confidence interval of τ in the population of datasets.",
    # diagnostics
    "icc": "The intraclass correlation of the signed ranks of tasks in one dataset: 0 none, "
    "1 complete.",
    "icc_differences": "The intraclass correlation of the differences themselves, ties included.",
    "design_effect": "The number of tasks divided by the effective number of tasks.",
    "effective_tasks": "The number of independent tasks that carry the same information, given the "
    "intraclass correlation; at least the number of datasets.",
    "size_correlation": "Spearman's correlation over datasets of the number of tasks with the mean "
    "difference.",
    "size_p": "The two-sided p-value of that correlation.",
    # stability
    "leave_one_dataset_out": "The conclusions that change without one dataset.",
    "leave_one_algorithm_out": "The conclusions that change without one algorithm.",
    "changes": "The conclusions that depend on a single dataset or algorithm, with and without it.",
    "best": "The first algorithm without the one that is left out, or under another policy.",
    "best_changes": "Whether another algorithm comes first without the dataset.",
    "conclusions_changed": "The number of pairs whose conclusion changes without it.",
    "left_out": "Whether a dataset (or suite) or an algorithm is left out.",
    "name": "The dataset, suite or algorithm that is left out.",
    "conclusion_without": "The conclusion about the pair without it.",
    "mean_difference_without": "The mean difference without the dataset that changes it most.",
    "statistic_without": "The test statistic without that dataset.",
    "influence": "The dataset that changes the mean difference of a pair most, and by how much.",
    "datasets_that_change": "The number of datasets each of which, left out, changes the "
    "conclusion about the pair.",
    # design
    "n_clusters": "The number of datasets, or of the suites that they come in.",
    "family_size": "The number of tests that are corrected together.",
    "wanted_power": "The power of the detectable differences and of the numbers of datasets.",
    "smallest_p": "The smallest p-value that this number of datasets can give, however large the "
    "difference.",
    "smallest_p_corrected": "The smallest p-value that is possible after the correction.",
    "smallest_p_asymptotic": "The smallest p-value that the normal approximation can give.",
    "detectable": "The differences that a benchmark of this size can detect.",
    "clusters_with_difference": "The number of datasets (or suites) on which the two algorithms "
    "differ at all.",
    "sd_between_datasets": "The standard deviation of the difference between datasets (or suites); "
    "divided by the root of their number it is the standard error.",
    "minimal_detectable": "The smallest true mean difference that Student's t-test over a "
    "benchmark of this size detects with a power of 80 %.",
    "minimal_detectable_corrected": "The same at the strictest level of the correction.",
    "power": "The size of benchmark that each pair would need.",
    "better": "The algorithm that the power is computed for, or the probability of being better.",
    "equivalent": "The probability that the two are practically equivalent on the task.",
    "worse": "The probability of being worse by more than the region of practical equivalence.",
    "power_now": "The power of a benchmark of this size if the observed difference were the true "
    "one; it says no more than the p-value.",
    "datasets_needed": "The number of datasets that are needed: in the design, for p ≤ α to be "
    "possible; in the power of a pair, to detect its observed difference with 80 % power.",
    "datasets_to_add": "The number of datasets that are needed in addition to those there are.",
    "tried_up_to": "The largest number of datasets that was tried.",
    # by task
    "term": "The regressor of the rank: a trait of the tasks, their median score (by default of "
    "all algorithms, as the median of the others is coupled with the rank), or the intercept.",
    "coefficient": "The change of the algorithm's rank per unit of the term, other terms equal.",
    "se": "The standard error of the coefficient, robust to clustering by dataset unless "
    "`inference` says otherwise.",
    "df": "The degrees of freedom.",
    "mean_best_score": "The mean over datasets of the better of the two scores on each task.",
    "rank": "A rank within a task, 1 being the best.",
    "frequency": "The share of tasks in which the algorithm has this rank, each dataset with equal "
    "weight.",
    "stratum": "A group of tasks of similar difficulty, by their median score; 1 is the hardest.",
    "low": "The smallest median score of the stratum.",
    "high": "The largest median score of the stratum.",
    # missing results
    "policy": "Another way to treat missing results.",
    "algorithms": "The algorithms, or their number.",
    "tasks": "The number of tasks.",
    "pairs": "The pairs of algorithms, or their number.",
    "changed_pairs": "The number of these pairs whose conclusion changes.",
    # binary
    "binary": "Tests for right and wrong answers in clusters, where all scores are 0 or 1.",
    "share_difference": "The share of tasks that a has right minus that of b, each task with equal "
    "weight.",
    "share_difference_ci": "A confidence interval of that difference (jackknife over datasets, "
    "arcsine scale).",
    "standard_error": "The standard error of the difference, robust to clustering by dataset.",
    "only_a": "The number of tasks that a has right and b wrong.",
    "only_b": "The number of tasks that b has right and a wrong.",
    "line": "The result for the pair in one line.",
    "p_obuchowski": "Obuchowski's clustered McNemar test, each task with equal weight.",
    "p_durkalski": "Durkalski's clustered McNemar test, each dataset with equal weight.",
    "p_eliasziw_donner": "Eliasziw and Donner's test: McNemar's statistic divided by the design "
    "effect of the disagreements.",
    "p_mcnemar": "McNemar's test, which treats all tasks as independent.",
    "chi_squared_obuchowski": "Obuchowski's statistic.",
    "chi_squared_durkalski": "Durkalski's statistic.",
    "chi_squared_eliasziw_donner": "Eliasziw and Donner's statistic.",
    "chi_squared_mcnemar": "McNemar's statistic.",
    # classical
    "unit": "The observations that the classical test treats as independent: tasks, or means of "
    "datasets or suites.",
    "n": "The number of these observations.",
    "chi_squared": "Friedman's statistic, corrected for ties.",
    "df_between": "The numerator degrees of freedom of Iman and Davenport's F.",
    "df_within": "The denominator degrees of freedom of Iman and Davenport's F.",
    "p_iman_davenport": "The p-value of Iman and Davenport's F.",
    "valid": "Whether the observations that the test treats as independent are so here.",
    "assumption": "The observations that the test assumes to be independent.",
    "mean_rank_difference": "The difference of the two algorithms' mean ranks, not weighted.",
    "friedman": "Friedman's test that all algorithms are equal, which assumes independent "
    "observations: dataset means may be, tasks of one dataset are not.",
    "iman_davenport": "Iman and Davenport's less conservative version of Friedman's test.",
    "nemenyi": "Nemenyi's test of every pair on mean ranks, corrected for all pairs.",
    "conover": "Conover's test of every pair on rank sums, with more power than Nemenyi's.",
    "critical_difference": "The smallest difference of mean ranks that is significant by Nemenyi's "
    "test.",
}


def explain(name: str, intervals: Mapping[str, IntervalKind] | None = None) -> str:
    """Return the sentence for a column or section; for an interval, also its kind if known.

    Examples
    --------
    >>> explain("mean_rank_ci_low") == EXPLANATIONS["mean_rank_ci"]
    True
    >>> explain("mean_rank_ci", interval_kinds(5))
    "A confidence interval of the mean rank in the population of datasets (Student's t over \
datasets)."
    >>> explain("no such column")
    ''
    """
    if name.endswith(("_low", "_high")) and name not in EXPLANATIONS:
        name = name.removesuffix("_low").removesuffix("_high")
    quantity = "difference" if name == "ci" else name.removesuffix("_ci")
    family = next((test for test in ("nemenyi", "conover") if name.startswith(f"p_{test}")), name)
    sentence = EXPLANATIONS.get(family) or EXPLANATIONS.get(quantity, "")
    if quantity != name and intervals is not None and quantity in intervals:
        which = "differences: " if name == "ci" else ""
        return f"{sentence.removesuffix('.')} ({which}{intervals[quantity].name})."
    return sentence
