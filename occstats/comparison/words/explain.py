"""One sentence for every quantity, and of what kind each interval is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from occstats.stats.cluster_means import FEW_CLUSTERS

__all__ = ["EXPLANATIONS", "IntervalKind", "explain", "interval_kinds"]


@dataclass(frozen=True)
class IntervalKind:
    """How an interval was made: its name, what the methods say, whether data sets are resampled."""

    name: str
    sentence: str
    resampled: bool = True

    def over(self, unit: str) -> IntervalKind:
        """The same over what is independent: data sets, or suites of them."""
        name, sentence = (text.replace("data set", unit) for text in (self.name, self.sentence))
        return replace(self, name=name, sentence=sentence)


STUDENT = IntervalKind("Student's interval over data sets", "Student's over data sets", False)
STUDENTISED = IntervalKind("studentised cluster bootstrap", "studentised {davison1997}")
JACKKNIFE = IntervalKind(
    "jackknife over data sets, arcsine scale",
    "Student's with the jackknife over data sets {miller1974} on the arcsine scale",
    False,
)
WILSON = IntervalKind("Wilson's interval", "Wilson's {wilson1927}", False)
WILSON_BY_SUITE = IntervalKind(
    "Wilson's interval, with as many observations as suites of unequal sizes are worth",
    "Wilson's {wilson1927} with as many observations as suites of unequal sizes are worth",
    False,
)
INVERTED = IntervalKind(
    "inverted sign-flip test",
    "the values that the test flipping the signs of whole data sets does not reject",
    False,
)
# The quantities that have an interval, as the methods call them.
QUANTITIES = {
    "mean_rank": "mean ranks",
    "mean_score": "mean scores",
    "difference": "mean differences",
    "prob_improvement_task": "the probability of improvement on a task",
    "rank_biserial": "rank-biserial correlations",
    "tau": "τ",
    "prob_improvement_dataset": "the probability of improvement on a data set",
    "hodges_lehmann": "the Hodges-Lehmann shift {hodges1963}",
}


def interval_kinds(n_clusters: int, unit: str = "data set") -> dict[str, IntervalKind]:
    """Of what kind the interval of each quantity is, with so many data sets (or suites).

    Examples
    --------
    >>> interval_kinds(5)["mean_rank"].name, interval_kinds(50)["mean_rank"].name
    ("Student's interval over data sets", 'studentised cluster bootstrap')
    """
    means = STUDENT if n_clusters < FEW_CLUSTERS else STUDENTISED
    kinds = {
        **dict.fromkeys(("mean_rank", "mean_score", "difference"), means),
        "prob_improvement_task": JACKKNIFE,
        "rank_biserial": JACKKNIFE,
        "tau": JACKKNIFE,
        "prob_improvement_dataset": WILSON_BY_SUITE if unit == "suite" else WILSON,
        "hodges_lehmann": INVERTED,
    }
    return {quantity: kind.over(unit) for quantity, kind in kinds.items()}


EXPLANATIONS: dict[str, str] = {
    # summary
    "mean_rank": "The mean rank over data sets, 1 being the best; each data set weighs the same.",
    "mean_rank_ci": "A confidence interval of the mean rank over all data sets of this kind.",
    "mean_score": "The mean score over data sets; each data set weighs the same.",
    "mean_score_ci": "A confidence interval of the mean score over all data sets of this kind.",
    "cvsd": "The standard deviation of the score over cross-validation folds, averaged over tasks.",
    "prob_best": "How often it has the best mean rank of all when the data sets are weighted at "
    "random (Bayesian bootstrap); with few data sets too sure of itself.",
    "rank_low": "The best rank that it may have among all algorithms: one more than those that are "
    "significantly better.",
    "rank_high": "The worst rank that it may have: all but those that it is significantly better "
    "than.",
    # pairwise: tests
    "statistic": "The test statistic of the difference a minus b.",
    "z": "The test statistic in standard deviations; positive where a is better.",
    "p": "The probability of a statistic at least this extreme if a and b were equally good, so "
    "that each difference could as well have the opposite sign.",
    "p_adjusted": "The p-value corrected for the number of tests in its family, at most 1.",
    "p_adjusted_unclipped": "The p-value corrected for the number of tests in its family, not "
    "clipped: what is written ≥ 1 counts as 1.",
    "p_simultaneous": "The two-sided p-value corrected for all pairs together: how often the "
    "largest statistic of all pairs is at least this extreme when signs are flipped.",
    "p_not_worse": "The p-value of a not being worse than b by the margin or more.",
    "p_equivalent": "The p-value of a and b differing by less than the margin, corrected over the "
    "pairs.",
    "p_naive": "What the plain Wilcoxon test says that takes all tasks for independent.",
    "p_naive_adjusted": "The naive p-value, corrected as the p-values of the table are.",
    "icc": "How alike the tasks of one data set are: 0 not at all, 1 entirely.",
    "n_tasks": "The tasks that both algorithms have.",
    "n_clusters": "The data sets that these tasks come from, or the suites that these come in.",
    # pairwise: effect sizes
    "mean_difference": "By how much a scores better than b on average over data sets, all of "
    "which weigh the same.",
    "difference_ci": "A confidence interval of the mean difference over all data sets of this "
    "kind, for this pair alone.",
    "simultaneous_ci": "Confidence intervals of the mean differences that hold for all pairs "
    "together.",
    "hodges_lehmann": "The typical difference a minus b: the median of the means of all pairs of "
    "tasks, all of which weigh the same.",
    "hodges_lehmann_ci": "The differences that the sign-flip test over data sets does not reject.",
    "rank_biserial": "How one-sided the differences are, all tasks weighing the same: 1 if a wins "
    "always, −1 if b does, 0 if wins and losses balance by size.",
    "rank_biserial_ci": "A confidence interval of the rank-biserial correlation over all data sets "
    "of this kind.",
    "wins": "The share of tasks that a wins, each data set weighing the same.",
    "ties": "The share of tasks on which a and b tie, each data set weighing the same.",
    "losses": "The share of tasks that a loses, each data set weighing the same.",
    "prob_improvement_task": "The estimated probability that a is better than b on a new task of "
    "one of these data sets (a tie counts one half).",
    "prob_improvement_dataset": "The estimated probability that a is better than b on average over "
    "the tasks of a new data set (a tie counts one half).",
    # Bayesian
    "bayes_better": "Bayesian signed-rank comparison: the share of draws in which the mean of two "
    "tasks is most often above the region of practical equivalence.",
    "bayes_equivalent": "The share of draws in which it is most often within that region.",
    "bayes_worse": "The share of draws in which it is most often below that region.",
    "difference_above": "The posterior probability that the mean difference is above the region of "
    "practical equivalence (Bayesian bootstrap of data sets).",
    "difference_within": "The posterior probability that the mean difference is within it.",
    "difference_below": "The posterior probability that the mean difference is below it.",
    "fold_tests": "For each task by itself, the probabilities that a is better, equivalent or "
    "worse, from its folds (correlated t-test).",
    # Kendall
    "tau": "How similarly two algorithms order the tasks by difficulty: 1 the same, 0 unrelated, "
    "−1 reversed.",
    "tau_ci": "A confidence interval of τ over all data sets of this kind.",
    # diagnostics
    "design_effect": "The number of tasks divided by the effective number of tasks.",
    "effective_tasks": "The number of independent tasks that carry the same information, given the "
    "intraclass correlation; at least the number of datasets.",
    "misled": "Whether the naive test comes to another conclusion than the clustered one.",
    "naive_a_better": "Whether the naive test calls a significantly better than b.",
    "naive_b_better": "Whether the naive test calls b significantly better than a.",
    "a_better": "True if a is significantly better than b.",
    "b_better": "True if b is significantly better than a.",
    # stability
    "leave_one_dataset_out": "Which conclusions change if one data set had not been there.",
    "leave_one_algorithm_out": "Which conclusions change if one algorithm had not been compared.",
    "changes": "The conclusions that hang on a single data set or algorithm, with and without it.",
    "best": "The algorithm with the best mean rank without the one that is left out.",
    "best_changes": "Whether another algorithm has the best mean rank without the data set.",
    "conclusions_changed": "About how many pairs the conclusion changes without it.",
    "left_out": "Whether a data set (or suite) or an algorithm is left out.",
    "name": "What is left out.",
    "conclusion": "Whether a is better or worse than b by the rule of the comparison, or the pair "
    "is equivalent (within the margin) or undecided.",
    "conclusion_naive": "What the conclusion would be if all tasks were taken for independent.",
    "conclusion_without": "The conclusion about the pair without it.",
    "mean_difference_without": "The mean difference without the data set that moves it most.",
    "z_without": "The test statistic without that data set.",
    "influence": "The data set that moves the mean difference of a pair most, and by how much.",
    "datasets_that_change": "How many data sets could, each by its absence alone, change the "
    "conclusion about the pair.",
    # design
    "smallest_p": "The smallest p-value that so many data sets can give, however large the "
    "difference.",
    "minimal_detectable": "The smallest true mean difference that Student's test of means over a "
    "benchmark of this size finds in 80 % of cases.",
    "minimal_detectable_corrected": "The same at the strictest level of the multiple-test "
    "correction.",
    "detectable": "What differences a benchmark of this size can find.",
    "clusters_with_difference": "The data sets (or suites) on which the two algorithms differ at "
    "all.",
    "sd_between_datasets": "How much the difference varies from data set to data set (from suite "
    "to suite); divided by the root of their number it is the standard error.",
    "smallest_p_corrected": "The smallest p-value after the correction that conclusions rest on.",
    "data_sets_needed": "The fewest data sets with which that can be as small as α, if all of "
    "them agree.",
    "smallest_p_asymptotic": "The smallest p-value that the normal approximation can give.",
    "power": "How large a benchmark would have to be for each pair.",
    "better": "The direction that the power is computed for, or the probability of being better.",
    "equivalent": "The probability that the two are practically the same on the task.",
    "worse": "The probability of being worse by more than the region of practical equivalence.",
    "datasets_to_add": "How many more data sets that is than there are.",
    "tried_up_to": "The largest number of data sets that was tried.",
    "power_now": "How often a benchmark of this size would find the difference if the observed one "
    "were the true one; it says no more than the p-value.",
    "datasets_needed": "How many data sets (not tasks) would find the difference in 80 % of cases, "
    "if the observed data sets are typical.",
    # by task
    "term": "The regressor of the rank: a trait of the tasks, their median score (by default of "
    "all algorithms, as the median of the others is coupled with the rank), or the intercept.",
    "p_unadjusted": "The p-value before the correction for the number of tests (in the regression, "
    "Holm's over all algorithms and terms but the intercept; none with --preset paper).",
    "coefficient": "By how much the algorithm's rank grows where the term is larger by 1 and the "
    "others are the same.",
    "se": "The standard error of the coefficient, which lets tasks of one data set belong "
    "together unless `inference` says otherwise.",
    "ci": "A confidence interval of the coefficient, for this one alone.",
    "mean_best_score": "The mean over data sets of what the better of the two reaches on each "
    "task.",
    "rank": "A rank within a task, 1 being the best.",
    "frequency": "The share of tasks in which the algorithm has this rank, all data sets counting "
    "alike.",
    "stratum": "Tasks of like difficulty, by their median score; 1 are the hardest.",
    "low": "The median score from which on tasks belong to the stratum.",
    "high": "The median score up to which tasks belong to the stratum.",
    "icc_differences": "The intraclass correlation of the differences themselves, ties included.",
    "size_correlation": "Spearman's correlation, over data sets, of the number of tasks with the "
    "mean difference.",
    "size_p": "The two-sided p-value of that correlation.",
    # binary
    "binary": "Where all scores are 0 or 1: tests for right and wrong answers in clusters.",
    "share_difference": "By how much the share of tasks that a has right exceeds that of b, all "
    "tasks counting alike.",
    "share_difference_ci": "A confidence interval of that difference (jackknife over data sets, "
    "arcsine scale).",
    "standard_error": "The standard error of the difference, which lets tasks of one data set "
    "belong together.",
    "only_a": "The tasks that a has right and b wrong.",
    "only_b": "The tasks that b has right and a wrong.",
    "line": "The pair in one line to quote.",
    "p_obuchowski": "Obuchowski's clustered McNemar test, all tasks counting alike.",
    "p_durkalski": "Durkalski's clustered McNemar test, all data sets counting alike.",
    "p_eliasziw_donner": "Eliasziw and Donner's: McNemar's statistic divided by the design effect "
    "of the disagreements.",
    "p_mcnemar": "McNemar's test, which takes all tasks for independent.",
    "chi_squared_obuchowski": "Obuchowski's statistic.",
    "chi_squared_durkalski": "Durkalski's statistic.",
    "chi_squared_eliasziw_donner": "Eliasziw and Donner's statistic.",
    "chi_squared_mcnemar": "McNemar's statistic.",
    # classical
    "unit": "What the classical test takes for independent observations: tasks, or means of data "
    "sets or suites.",
    "n": "How many of these there are.",
    "chi_squared": "Friedman's statistic, corrected for ties.",
    "df": "Its degrees of freedom.",
    "df_between": "The first degrees of freedom of Iman and Davenport's F.",
    "df_within": "The second degrees of freedom of Iman and Davenport's F.",
    "p_iman_davenport": "The p-value of Iman and Davenport's F.",
    "valid": "Whether what the test takes for independent is taken for that here, too.",
    "assumption": "What the test takes for independent.",
    "mean_rank_difference": "The difference of the two algorithms' mean ranks, not weighted.",
    "friedman": "Friedman's test that all algorithms are equal; on tasks it wrongly takes them for "
    "independent, on data set means it is valid.",
    "iman_davenport": "Iman and Davenport's less conservative version of Friedman's test.",
    "nemenyi": "Nemenyi's test of every pair on mean ranks, corrected for all pairs.",
    "conover": "Conover's test of every pair on rank sums, with more power than Nemenyi's.",
    "critical_difference": "Mean ranks that differ by less do not differ significantly by "
    "Nemenyi's test.",
}


def explain(name: str, intervals: Mapping[str, IntervalKind] | None = None) -> str:
    """The sentence for a column or section; with the kinds of intervals, also how one was made.

    Examples
    --------
    >>> explain("mean_rank_ci_low") == EXPLANATIONS["mean_rank_ci"]
    True
    >>> explain("difference_ci", interval_kinds(5))
    "A confidence interval of the mean difference over all data sets of this kind, for this pair \
alone (Student's interval over data sets)."
    >>> explain("no such column")
    ''
    """
    if name.endswith(("_low", "_high")) and name not in EXPLANATIONS:
        name = name.removesuffix("_low").removesuffix("_high")
    quantity = name.removesuffix("_ci")
    family = next((test for test in ("nemenyi", "conover") if name.startswith(f"p_{test}")), name)
    sentence = EXPLANATIONS.get(family) or EXPLANATIONS.get(quantity, "")
    if quantity != name and intervals is not None and quantity in intervals:
        return f"{sentence.removesuffix('.')} ({intervals[quantity].name})."
    return sentence
