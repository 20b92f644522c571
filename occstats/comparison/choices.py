"""What can be chosen: each choice with its names in the help, the verdict and the methods.

Nothing here computes; the command line reads it for its help, which must cost no heavy import.
"""

from dataclasses import dataclass

__all__ = [
    "ALTERNATIVES",
    "CORRECTIONS",
    "ENGINES",
    "FAMILIES",
    "INFERENCES",
    "KENDALLS",
    "MISSING",
    "NULLS",
    "STRATA",
    "TESTS",
    "Choice",
    "Test",
]


@dataclass(frozen=True)
class Choice:
    """One value of a setting.

    Attributes
    ----------
    help : str
        What it is, for the documentation.
    phrase : str
        What the verdict and the captions call it.
    sentence : str
        What the methods say, with the keys of the works it cites in braces.
    """

    help: str
    phrase: str = ""
    sentence: str = ""


@dataclass(frozen=True)
class Test(Choice):
    """A test of a pair of algorithms.

    Attributes
    ----------
    clustered : bool
        Whether it respects that tasks of one data set are not independent.
    in_clusrank : bool
        Whether R's clusrank has it.
    flips : str
        Whose signs flip under the null hypothesis.
    exact : bool
        Whether it has an exact null distribution.
    """

    # Not a test of pytest's, whatever its name.
    __test__ = False

    clustered: bool = True
    in_clusrank: bool = True
    flips: str = "whole data sets"
    exact: bool = True


TESTS: dict[str, Test] = {
    "rgl": Test(
        "the clustered signed-rank test of Rosner, Glynn and Lee",
        "clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee)",
        "the Rosner-Glynn-Lee clustered Wilcoxon signed-rank test {rosner2006} with data sets as "
        "clusters",
    ),
    "ds": Test(
        "the clustered signed-rank test of Datta and Satten",
        "clustered Wilcoxon signed-rank test (Datta-Satten)",
        "the Datta-Satten clustered signed-rank test {datta2008} with data sets as clusters, which "
        "stays valid when the size of a cluster is related to the outcome",
        exact=False,
    ),
    "dataset-means": Test(
        "the Wilcoxon signed-rank test on the mean difference per data set",
        "Wilcoxon signed-rank test on data set means",
        "the Wilcoxon signed-rank test {wilcoxon1945} on the mean difference per data set "
        "{demsar2006}",
        in_clusrank=False,
        flips="mean differences",
    ),
    "wilcoxon": Test(
        "the plain test, which ignores clusters, to show what that would have said",
        "plain Wilcoxon signed-rank test, which ignores clusters",
        "the Wilcoxon signed-rank test {wilcoxon1945}, which treats tasks of the same data set as "
        "independent and is too liberal where they are not",
        clustered=False,
        in_clusrank=False,
        flips="single tasks",
    ),
}
NULLS = {
    "asymptotic": Choice(
        "the normal approximation", "", "p-values follow from the normal approximation"
    ),
    "exact": Choice(
        "the distribution of the sum of signed ranks under all flips of signs",
        ", exact",
        "p-values follow from the exact distribution of the sum of signed ranks when the signs of "
        "{flips} are flipped",
    ),
    "permutation": Choice(
        "a sample of the flips",
        ", by sign flips",
        "p-values follow from {n_resamples} random flips of the signs of {flips}",
    ),
}
ALTERNATIVES = {
    "greater": Choice("the row's algorithm is better than the column's", "one-sided"),
    "less": Choice("it is worse", "one-sided"),
    "two-sided": Choice("either", "two-sided"),
}
CORRECTIONS = {
    "holm": Choice(
        "step-down, controls any false conclusion in the family",
        "Holm-corrected",
        "the Holm-Bonferroni procedure {holm1979}",
    ),
    "hochberg": Choice(
        "step-up, for positively dependent tests",
        "Hochberg-corrected",
        "the Hochberg procedure {hochberg1988}",
    ),
    "bonferroni": Choice(
        "each p-value times the number of tests",
        "Bonferroni-corrected",
        "the Bonferroni correction",
    ),
    "benjamini-hochberg": Choice(
        "the false discovery rate",
        "Benjamini-Hochberg-corrected",
        "the Benjamini-Hochberg procedure, which controls the false discovery rate {benjamini1995}",
    ),
    "benjamini-yekutieli": Choice(
        "the false discovery rate under any dependence",
        "Benjamini-Yekutieli-corrected",
        "the Benjamini-Yekutieli procedure, which controls the false discovery rate under any "
        "dependence {benjamini2001}",
    ),
    "none": Choice("no correction", "uncorrected"),
}
FAMILIES = {
    "row": Choice(
        "the tests of each algorithm against all others",
        " over the tests of each algorithm",
        "over the tests of each algorithm against all others; this does not control the error over "
        "all pairs together",
    ),
    "all": Choice("all tests", " over all pairs", "over all pairs"),
    "control": Choice(
        "the tests against one control",
        " over the tests against the control",
        "over the tests against {control}",
    ),
}
MISSING = {
    "refuse": Choice("there must be none"),
    "complete": Choice(
        "only tasks that all algorithms have",
        sentence="Tasks that some algorithm lacks were left out. ",
    ),
    "pairwise": Choice(
        "each pair uses the tasks that both have",
        sentence="A pair of algorithms was compared on the tasks that both have; ranks use the "
        "tasks that all have. ",
    ),
}
ENGINES = {
    "native": Choice("occstats itself"),
    "clusrank": Choice(
        "R's clusrank, embedded", sentence=", the tests with the R package clusrank {jiang2020}"
    ),
    "rscript": Choice(
        "R's clusrank, in a process of its own",
        sentence=", the tests with the R package clusrank {jiang2020}",
    ),
    "both": Choice(
        "natively, and reports the largest deviation from clusrank",
        sentence=", the tests checked against the R package clusrank {jiang2020}",
    ),
}
KENDALLS = {
    "product": Choice(
        "the product of the weights of the two tasks",
        sentence="by the weighted Kendall's τ {vigna2015}, a pair of tasks weighing as much as the "
        "product of their weights",
    ),
    "sum": Choice(
        "their sum",
        sentence="by the weighted Kendall's τ {vigna2015}, a pair of tasks weighing as much as the "
        "sum of their weights",
    ),
    "hyperbolic": Choice(
        "more for the tasks with the highest scores",
        sentence="by the weighted Kendall's τ {vigna2015} with hyperbolic weights, which emphasise "
        "the tasks with the highest scores",
    ),
    "plain": Choice("all the same (τ-b)", sentence="by Kendall's τ-b {kendall1945}"),
}
INFERENCES = {
    "cr1": Choice(
        "robust to clustering, with a small-sample factor",
        sentence="with standard errors robust to clustering by data set, a small-sample factor and "
        "the t distribution with one degree of freedom less than there are data sets {cameron2015}",
    ),
    "cr2": Choice(
        "bias-reduced, with Satterthwaite degrees of freedom",
        sentence="with bias-reduced standard errors robust to clustering by data set (CR2) and "
        "Satterthwaite degrees of freedom {pustejovsky2018}",
    ),
    "hc3": Choice(
        "robust to unequal variances only",
        sentence="with heteroscedasticity-consistent standard errors (HC3; {mackinnon1985})",
    ),
    "classical": Choice(
        "for independent tasks",
        sentence="with classical standard errors, which assume independent tasks",
    ),
}
STRATA = {
    "width": Choice("of equal width"),
    "quantile": Choice("with equally many tasks"),
}
