"""A methods paragraph ready for a paper: what was done, under these settings, with references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from occstats import __version__
from occstats.comparison.references import REFERENCES, Reference
from occstats.comparison.settings import Settings
from occstats.stats.bootstrap import FEW_CLUSTERS
from occstats.text import listing

__all__ = ["MethodsText", "methods_text"]

TESTS = {
    "rgl": "the Rosner-Glynn-Lee clustered Wilcoxon signed-rank test {rosner2006} with data sets "
    "as clusters",
    "ds": "the Datta-Satten clustered signed-rank test {datta2008} with data sets as clusters, "
    "which stays valid when the size of a cluster is related to the outcome",
    "dataset-means": "the Wilcoxon signed-rank test {wilcoxon1945} on the mean difference per data "
    "set {demsar2006}",
    "wilcoxon": "the Wilcoxon signed-rank test {wilcoxon1945}, which treats tasks of the same data "
    "set as independent and is too liberal where they are not",
}
NULLS = {
    "asymptotic": "p-values follow from the normal approximation",
    "exact": "p-values follow from the exact distribution of the sum of signed ranks when the "
    "signs of whole data sets are flipped",
    "permutation": "p-values follow from {n_resamples:,} random flips of the signs of whole data "
    "sets",
}
# Without clusters the sign of a task, and with means the sign of a mean, is what flips.
PLAIN_NULLS = {
    "exact": "p-values follow from the exact null distribution",
    "permutation": "p-values follow from {n_resamples:,} random flips of signs",
}
CORRECTIONS = {
    "holm": "the Holm-Bonferroni procedure {holm1979}",
    "hochberg": "the Hochberg procedure {hochberg1988}",
    "bonferroni": "the Bonferroni correction",
    "benjamini-hochberg": "the Benjamini-Hochberg procedure, which controls the false discovery "
    "rate {benjamini1995}",
    "benjamini-yekutieli": "the Benjamini-Yekutieli procedure, which controls the false discovery "
    "rate under any dependence {benjamini2001}",
}
KENDALL = {
    "product": "by the weighted Kendall's τ {vigna2015}, a pair of tasks weighing as much as the "
    "product of their weights",
    "sum": "by the weighted Kendall's τ {vigna2015}, a pair of tasks weighing as much as the sum "
    "of their weights",
    "hyperbolic": "by the weighted Kendall's τ {vigna2015} with hyperbolic weights, which "
    "emphasise the tasks with the highest scores",
    "plain": "by Kendall's τ-b {kendall1945}",
}
INFERENCE = {
    "cr1": "with standard errors robust to clustering by data set, a small-sample factor and the "
    "t distribution with one degree of freedom less than there are data sets {cameron2015}",
    "cr2": "with bias-reduced standard errors robust to clustering by data set (CR2) and "
    "Satterthwaite degrees of freedom {pustejovsky2018}",
    "hc3": "with heteroscedasticity-consistent standard errors (HC3; {mackinnon1985})",
    "classical": "with classical standard errors, which assume independent tasks",
}
TERMS = {
    "log_n": "the logarithm of the number of records",
    "log_m": "the logarithm of the number of attributes",
    "sparsity": "the sparsity",
    "median_score": "the median score",
}
MISSING = {
    "complete": "Tasks that some algorithm lacks were left out. ",
    "pairwise": "A pair of algorithms was compared on the tasks that both have; ranks use the "
    "tasks that all have. ",
}


@dataclass(frozen=True)
class MethodsText:
    """The paragraph with places for citations, and the works it cites in order."""

    template: str
    references: tuple[Reference, ...]

    def text(self) -> str:
        """The paragraph with authors and years, followed by the references."""
        works = "\n".join(f"- {reference.text}" for reference in self.references)
        return f"{self.paragraph()}\n\nReferences\n{works}"

    def paragraph(self) -> str:
        """The paragraph alone."""
        return self.cited(lambda work: f"({work.cited})")

    def cited(self, cite: Callable[[Reference], str]) -> str:
        """The paragraph with each work cited in the given way."""
        text = self.template
        for work in self.references:
            text = text.replace(f"⟦{work.key}⟧", cite(work))
        return text

    def bibtex(self) -> str:
        """The bibliography."""
        return "\n\n".join(work.bibtex() for work in self.references) + "\n"


def methods_text(
    settings: Settings,
    *,
    n_algorithms: int,
    n_tasks: int,
    n_clusters: int,
    score_name: str,
    regression_terms: Sequence[str],
) -> MethodsText:
    """The paragraph for these settings and counts.

    Examples
    --------
    >>> methods = methods_text(
    ...     Settings(), n_algorithms=9, n_tasks=246, n_clusters=50, score_name="auroc",
    ...     regression_terms=("intercept", "log_n", "median_score"),
    ... )
    >>> [reference.key for reference in methods.references][:2]
    ['demsar2006', 'rosner2006']
    """
    sentences = [
        f"We compared {n_algorithms} algorithms by their {score_name} on {n_tasks} tasks from "
        f"{n_clusters} data {'set' if n_clusters == 1 else 'sets'}. "
        "Tasks from the same data set are not independent; each data set has the same total "
        "weight, shared equally by its tasks. "
        "Within each task the algorithms were ranked {demsar2006}, ties receiving the average "
        "rank. ",
        MISSING.get(settings.missing, ""),
    ]
    if n_clusters > 1:
        sentences += [_test_sentence(settings), _correction_sentence(settings)]
        sentences.append(_interval_sentence(settings, n_clusters))
    sentences.append(f"The agreement between algorithms was measured {KENDALL[settings.kendall]}. ")
    traits = [TERMS.get(term, term) for term in regression_terms if term != "intercept"]
    if traits:
        sentences.append(
            f"The rank of each algorithm was regressed on {listing(traits)} of the task by "
            f"weighted least squares, {INFERENCE[settings.inference]}. "
        )
    sentences.append(_software_sentence(settings))
    template = _mark("".join(sentences).strip(), settings)
    cited = sorted(
        (key for key in REFERENCES if f"⟦{key}⟧" in template),
        key=lambda key: template.index(f"⟦{key}⟧"),
    )
    return MethodsText(template, tuple(REFERENCES[key] for key in cited))


def _mark(text: str, settings: Settings) -> str:
    text = text.replace("{n_resamples:,}", f"{settings.n_resamples:,}")
    for key in REFERENCES:
        text = text.replace("{" + key + "}", f"⟦{key}⟧")
    return text


def _test_sentence(settings: Settings) -> str:
    sided = "two-sided" if settings.alternative == "two-sided" else "one-sided"
    nulls = NULLS if settings.test in ("rgl", "ds") else {**NULLS, **PLAIN_NULLS}
    ties = (
        f" Differences were rounded to multiples of {settings.tie_tolerance:g} before ranking."
        if settings.tie_tolerance
        else ""
    )
    return (
        f"Pairs were compared with {TESTS[settings.test]}; {nulls[settings.null]}.{ties} The "
        f"tests are {sided} at level α = {settings.alpha:g}. "
    )


def _correction_sentence(settings: Settings) -> str:
    if settings.correction == "none":
        return "P-values are not corrected for multiple testing. "
    family = {
        "row": "over the tests of each algorithm against all others; this does not control the "
        "error over all pairs together",
        "all": "over all pairs",
        "control": f"over the tests against {settings.control}",
    }[settings.family]
    return f"P-values were corrected by {CORRECTIONS[settings.correction]} {family}. "


def _interval_sentence(settings: Settings, n_clusters: int) -> str:
    means = "mean ranks, mean scores and mean differences"
    bootstrap = f"{settings.n_resamples:,} bootstrap resamples of whole data sets {{field2007}}"
    kinds = "BCa {efron1987} for the probability of improvement on a task, percentiles for "
    # Kendall's τ with hyperbolic weights has no interval.
    kinds += "rank-biserial correlations" + ("" if settings.kendall == "hyperbolic" else " and τ")
    if n_clusters < FEW_CLUSTERS:
        sources = f"are Student's over data sets for {means}, and come from {bootstrap} otherwise: "
    else:
        sources = f"come from {bootstrap}: studentised {{davison1997}} for {means}, "
    return (
        f"Intervals ({100 * settings.confidence:g} %) {sources}{kinds}; for the probability of "
        "improvement on a data set they are Wilson's {wilson1927}. "
        "The Hodges-Lehmann shift {hodges1963} and its interval invert the test that flips the "
        "signs of whole data sets. Posterior probabilities follow a Bayesian signed-rank "
        "comparison {benavoli2017} with Dirichlet weights over data sets, a pseudo-observation of "
        f"no difference with weight {settings.prior_weight:g} as prior, and a region of practical "
        f"equivalence of ±{settings.rope:g}. "
    )


def _software_sentence(settings: Settings) -> str:
    clustered = settings.test in ("rgl", "ds")
    same_as_clusrank = clustered and settings.null == "asymptotic" and settings.engine == "native"
    engine = {
        "native": ", whose clustered tests agree with those of the R package clusrank {jiang2020}"
        if same_as_clusrank
        else "",
        "clusrank": ", the tests with the R package clusrank {jiang2020}",
        "rscript": ", the tests with the R package clusrank {jiang2020}",
        "both": ", the tests checked against the R package clusrank {jiang2020}",
    }[settings.engine]
    return f"The analysis was made with occstats {__version__}{engine}."
