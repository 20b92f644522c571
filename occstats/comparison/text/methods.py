"""A methods section for a paper: the analysis under its settings, with references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from occstats import __version__
from occstats._format import count, listing, printable
from occstats.comparison import choices
from occstats.comparison.text.columns import QUANTITIES, IntervalKind
from occstats.comparison.text.references import REFERENCES, Reference
from occstats.results.aliases import score_word
from occstats.stats.cluster_means import FEW_CLUSTERS

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.results import Results

__all__ = ["MethodsText", "methods_text"]

#: A paragraph, or the items of a list.
Block = str | tuple[str, ...]

TERMS = {trait.term: trait.sentence for trait in choices.TRAITS.values()}
SIGNED_RANK = {
    "rgl": "the Rosner-Glynn-Lee clustered signed-rank test {rosner2006}",
    "ds": "the Datta-Satten clustered signed-rank test {datta2008}",
}


@dataclass(frozen=True)
class MethodsText:
    """Paragraphs and lists with places for citations, and the works they cite, in order.

    Attributes
    ----------
    templates : tuple
        Paragraphs (str) and lists (tuple of str). The first paragraph is short and suffices for a
        paper; the others give the details.
    references : tuple of Reference
        The works.
    """

    templates: tuple[Block, ...]
    references: tuple[Reference, ...]

    def blocks(
        self, cite: Callable[[Reference], str] = lambda work: f"({work.cited})"
    ) -> tuple[Block, ...]:
        """Return the paragraphs and lists with each work cited in the given way."""

        def cited(text: str) -> str:
            for work in self.references:
                text = text.replace(f"⟦{work.key}⟧", cite(work))
            return text

        return tuple(
            cited(block) if isinstance(block, str) else tuple(map(cited, block))
            for block in self.templates
        )

    def text(self) -> str:
        """Return the methods with authors and years, followed by the references."""
        works = tuple(reference.text for reference in self.references)
        return "\n\n".join(
            block if isinstance(block, str) else "\n".join(f"- {item}" for item in block)
            for block in (*self.blocks(), "References", works)
        )

    def bibtex(self) -> str:
        """Return the bibliography."""
        return "\n\n".join(work.bibtex() for work in self.references) + "\n"


def methods_text(comparison: Comparison) -> MethodsText:
    """Describe the analysis: in short, then in detail.

    Examples
    --------
    >>> from occstats import compare
    >>> methods = methods_text(compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100))
    >>> [reference.key for reference in methods.references][:2]
    ['rosner2006', 'canay2017']
    """
    blocks: list[Block] = [_short(comparison), _data(comparison)]
    if comparison.results.n_independent > 1:
        blocks += [" ".join(_decision(comparison)), *_intervals(comparison)]
    blocks.append(" ".join(_rest(comparison)))
    template = "\n".join(
        "\n".join(block) if isinstance(block, tuple) else block for block in blocks
    )
    cited = sorted(
        (key for key in REFERENCES if f"{{{key}}}" in template),
        key=lambda key: template.index(f"{{{key}}}"),
    )

    def marked(text: str) -> str:
        for key in cited:
            text = text.replace(f"{{{key}}}", f"⟦{key}⟧")
        return text

    return MethodsText(
        tuple(
            marked(block) if isinstance(block, str) else tuple(map(marked, block))
            for block in blocks
        ),
        tuple(REFERENCES[key] for key in cited),
    )


def _unit(results: Results) -> str:
    return "suite" if results.nested else "dataset"


def _over(text: str, unit: str) -> str:
    return text.replace("data set", "dataset").replace("dataset", unit)


def _compared(comparison: Comparison) -> str:
    results = comparison.results
    suites = f" in {count(results.n_independent, 'suite')}" if results.nested else ""
    return (
        f"We compared {len(results.algorithms)} algorithms by {score_word(results.score_name)} on "
        f"{count(results.n_tasks, 'task')} from {count(results.n_clusters, 'dataset')}{suites}."
    )


def _short(comparison: Comparison) -> str:
    """Describe the analysis in at most 90 words."""
    settings, results = comparison.settings, comparison.results
    if results.n_independent < 2:
        return (
            f"{_compared(comparison)} We report mean ranks; a single {_unit(results)} permits no "
            f"tests. {_software(comparison, 'Software: ')}"
        )
    what, estimate = "Mean differences over datasets", "mean differences"
    if settings.estimand == "typical":
        what, estimate = "Differences on a typical task", "Hodges-Lehmann shifts"
    corrected = _corrected(comparison, short=True)
    intervals = ""
    if "difference" in comparison.intervals:
        simultaneous = "simultaneous " if _simultaneous(comparison) else ""
        intervals = f" with {simultaneous}{_level(comparison)} confidence intervals"
    sentences = [
        _compared(comparison),
        f"{what} were tested {_sides(comparison)} (α = {settings.alpha:g}) with "
        f"{_test(comparison)}{corrected and f'; p-values were {corrected}'}.",
    ]
    if _estimated(comparison):
        sentences.append(f"We report {estimate}{intervals}.")
    if settings.margin is not None:
        sentences.append(f"Intervals within ±{settings.margin:g} showed equivalence.")
    if results.failed is not None:
        sentences.append("Failures ranked below every score.")
    return " ".join([*sentences, _software(comparison, "Software: ")])


def _estimated(comparison: Comparison) -> bool:
    """Whether differences were estimated, which takes too long for very many pairs."""
    return bool(comparison.pairwise["difference"].notna().any())


def _level(comparison: Comparison) -> str:
    return f"{100 * (1 - comparison.settings.alpha):g} %"


def _sides(comparison: Comparison) -> str:
    return choices.ALTERNATIVES[comparison.settings.alternative].phrase


def _several(comparison: Comparison) -> bool:
    return len(comparison.algorithms) > 2


def _student(comparison: Comparison) -> bool:
    """Whether means are compared by Student's t alone."""
    few = comparison.results.n_independent < FEW_CLUSTERS
    return few or comparison.settings.null == "asymptotic"


def _test(comparison: Comparison) -> str:
    """Name the test and its null distribution."""
    settings, unit = comparison.settings, _unit(comparison.results)
    if settings.estimand == "mean":
        if _student(comparison):
            return f"Student's t-test over {unit}s"
        return f"the bootstrap-t {{davison1997}}, using {_resamples(comparison)}"
    null = "the normal approximation"
    if settings.null == "flips":
        null = f"{_flips(comparison)} {{canay2017}}"
    return f"{_signed_rank(comparison)}, using {null}"


def _signed_rank(comparison: Comparison) -> str:
    results, test = comparison.results, comparison.settings.test
    if test == "rgl" and results.n_independent == results.n_tasks:
        return "the Wilcoxon signed-rank test {wilcoxon1945}"
    return SIGNED_RANK[test]


def _resamples(comparison: Comparison) -> str:
    number = comparison.meta["resamples_used"]
    return f"{number:,} resamples of whole {_unit(comparison.results)}s"


def _flips(comparison: Comparison) -> str:
    number = f"{comparison.meta['resamples_used']:,}"
    number = f"all {number}" if _all_flips(comparison) else f"{number} random"
    return f"{number} sign flips of whole {_unit(comparison.results)}s"


def _all_flips(comparison: Comparison) -> bool:
    """Whether all sign flips were listed; one half of them are the negatives of the others."""
    used, m = comparison.meta["resamples_used"], comparison.results.n_independent
    return comparison.settings.null == "flips" and bool(used == 2 ** (m - 1))


def _simultaneous(comparison: Comparison) -> str:
    """Name the tests that are corrected together; empty if there is one or no correction."""
    settings, size = comparison.settings, comparison.design.family_size
    if size <= 1:
        return ""
    if not _several(comparison):
        return "for both directions"
    return {
        "all": f"for all {size:,} {'pairs' if settings.alternative == 'two-sided' else 'tests'}",
        "control": f"for the {size:,} comparisons with {printable(str(settings.control))}",
        "row": f"for the {size:,} tests of each algorithm separately",
    }[str(settings.family)]


def _corrected(comparison: Comparison, *, short: bool = False) -> str:
    """Name the correction of the p-values; empty for a single test."""
    settings = comparison.settings
    if not _simultaneous(comparison):
        return "not corrected for multiple testing" if _several(comparison) else ""
    means = settings.correction == "max-t" and settings.estimand == "mean"
    bonferroni = means and _student(comparison)
    correction = choices.CORRECTIONS["bonferroni" if bonferroni else str(settings.correction)]
    method = correction.sentence
    if short:
        method = " ".join([f"the {correction.name} procedure", *re.findall(r"{\w+}", method)])
    if means:
        method = method.replace("westfall1993", "romano2005")
    return f"corrected {_simultaneous(comparison)} by {method}"


def _data(comparison: Comparison) -> str:
    settings, results = comparison.settings, comparison.results
    sentences = [_compared(comparison)]
    if results.nested:
        sentences.append(
            "Datasets of one suite, and their tasks, are not independent; each dataset had the "
            "same total weight, shared equally by its tasks, and suites were treated as "
            "independent."
        )
    elif results.n_clusters == results.n_tasks:
        sentences.append("Every dataset has a single task; tasks were treated as independent.")
    else:
        sentences.append(
            "Tasks from the same dataset are not independent; each dataset had the same total "
            "weight, shared equally by its tasks."
        )
    sentences.append(
        "Within each task the algorithms were ranked {demsar2006}, ties receiving the average rank."
    )
    missing = choices.chosen(choices.MISSING, settings.missing)
    if missing and missing.sentence:
        sentences.append(missing.sentence.strip())
    if results.failed is not None and results.failure_score is not None:
        sentences.append(f"In means a failure counted as {results.failure_score:g}.")
    return " ".join(sentences)


def _decision(comparison: Comparison) -> Iterator[str]:
    """Say what better means, and describe the test, its null hypothesis and its correction."""
    settings, results = comparison.settings, comparison.results
    typical = settings.estimand == "typical"
    max_t = settings.correction == "max-t" and _several(comparison)
    yield from _typical(comparison) if typical else _mean(comparison)
    if corrected := _corrected(comparison):
        row = settings.family == "row" and settings.correction != "none"
        caution = ", which does not control the error over all pairs together" if row else ""
        yield f"P-values were {corrected}{caution}."
    if max_t and typical:
        yield (
            "The p-value of a pair is the share of sign flips in which the largest absolute "
            "statistic of all tested pairs was at least as large as its own."
        )
    if settings.margin is not None:
        yield (
            "A pair was called equivalent if its confidence interval lay within "
            f"±{settings.margin:g}."
        )
    elif (comparison.pairwise["conclusion"] == "equivalent").any():
        yield "Pairs with equal scores on all tasks were called equivalent."
    if comparison.pairwise["reversed"].any():
        yield (
            f"Decided pairs are marked where the {'mean' if typical else 'typical'} difference has "
            "the opposite sign."
        )
    if results.n_clusters < results.n_tasks:
        test = "Wilcoxon signed-rank tests" if typical else "t-tests"
        holm = ", with Holm's correction {holm1979}" if max_t else ""
        yield (
            f"For comparison, the analysis was repeated with {test} that treat tasks as "
            f"independent{holm}."
        )


def _typical(comparison: Comparison) -> Iterator[str]:
    settings, results, unit = comparison.settings, comparison.results, _unit(comparison.results)
    several = _several(comparison)
    clusters = "" if results.n_independent == results.n_tasks else f" with {unit}s as clusters"
    yield (
        "An algorithm was called better than another if it scored higher on a typical task, that "
        "is, if the signed ranks of the score differences favoured it significantly "
        f"(p ≤ {settings.alpha:g})."
    )
    yield (
        f"{'Pairs were' if several else 'The pair was'} tested {_sides(comparison)} with "
        f"{_signed_rank(comparison)}{clusters}."
    )
    if settings.tie_tolerance:
        yield f"Differences were rounded to multiples of {settings.tie_tolerance:g} before ranking."
    yield (
        f"The null hypothesis was that under a change of sign of whole {unit}s the joint "
        "distribution of the differences is the same."
    )
    if settings.null == "asymptotic":
        yield "P-values came from the normal approximation."
        return
    common = ", the same for all pairs" if several else ""
    yield (
        f"P-values came from {_flips(comparison)} {{canay2017}}{common}, with the studentised "
        "statistic and its weights computed again for each flip."
    )
    if _estimated(comparison):
        yield (
            "Signs were flipped on the differences and on the differences centred at their "
            "estimated shifts, and the larger p-value was used."
        )
    if several:
        yield (
            "For several pairs this test is approximate and improves with the number of "
            f"{unit}s {{canay2017}}."
        )
    elif _all_flips(comparison):
        yield "As all sign flips were listed, the test is exact."


def _mean(comparison: Comparison) -> Iterator[str]:
    m, unit = comparison.results.n_independent, _unit(comparison.results)
    yield (
        "An algorithm was called better than another if its mean score, with equal weight for each "
        f"dataset, was significantly higher (p ≤ {comparison.settings.alpha:g})."
    )
    yield (
        f"The null hypothesis was a mean difference of zero in the population of {unit}s; tests "
        f"were {_sides(comparison)}."
    )
    if _student(comparison):
        few = m < FEW_CLUSTERS and comparison.settings.null != "asymptotic"
        because = f", as there were fewer than {FEW_CLUSTERS} {unit}s" if few else ""
        yield f"P-values came from Student's t-test over the means of {unit}s{because}."
    else:
        yield (
            f"P-values came from the bootstrap-t {{davison1997}} with {_resamples(comparison)} "
            f"{{field2007}}; none is smaller than that of Student's t with {m - 1} degrees of "
            "freedom."
        )
    yield (
        f"No method can exclude failures that affect fewer than about 3 in {m} {unit}s, as a "
        f"sample of {m} may contain none of them {{bahadur1956}}."
    )


def _intervals(comparison: Comparison) -> Iterator[Block]:
    """Describe the estimates, then list the kinds of intervals."""
    settings = comparison.settings
    estimate = "the mean over datasets of the mean over their tasks"
    if settings.estimand == "typical":
        estimate = "the Hodges-Lehmann shift {hodges1963} with the weights of the test"
    paragraph = f"Differences were estimated by {estimate}. " if _estimated(comparison) else ""
    kinds: dict[IntervalKind, list[str]] = {}
    for quantity, kind in comparison.intervals.items():
        sentence = kind.sentence
        if quantity == "difference":
            simultaneous = (
                _simultaneous(comparison) and f", simultaneous {_simultaneous(comparison)}"
            )
            sentence += f"{simultaneous}, in agreement with the p-values"
        elif "bootstrap" in kind.name:
            sentence += f", with {settings.n_resamples:,} resamples"
        kinds.setdefault(replace(kind, sentence=sentence), []).append(QUANTITIES[quantity])
    items = [f"{listing(names)}: {kind.sentence}" for kind, names in kinds.items()]
    if items:
        level = _level(comparison)
        yield f"{paragraph}Confidence intervals ({level}) were, each by itself unless noted:"
        yield (*(f"{item};" for item in items[:-1]), f"{items[-1]}.")
    elif paragraph:
        yield paragraph.strip()


def _rest(comparison: Comparison) -> Iterator[str]:
    """Describe what decides nothing, and the software."""
    settings, unit = comparison.settings, _unit(comparison.results)
    if comparison.binary is not None:
        yield (
            "As all scores are 0 or 1, shares of tasks were also compared, each task with equal "
            f"weight, with standard errors clustered by {unit} {{miller2024}} and by the clustered "
            "McNemar tests of Obuchowski {obuchowski1998}, Durkalski {durkalski2003}, and Eliasziw "
            "and Donner {eliasziw1991}."
        )
    several = comparison.results.n_independent > 1
    if several and comparison.pairwise["bayes_better"].notna().any():
        yield (
            "Posterior probabilities came from a Bayesian signed-rank comparison {benavoli2017} "
            f"with Dirichlet weights over {unit}s, a pseudo-observation of no difference with "
            f"weight {settings.prior_weight:g} as prior, and a region of practical equivalence of "
            f"±{settings.rope:g}."
        )
    if several and comparison.pairwise["difference_above"].notna().any():
        yield (
            "The posterior of the mean difference came from the Bayesian bootstrap of "
            f"{unit}s {{rubin1981}}."
        )
    agreement = choices.KENDALLS[settings.kendall].sentence
    yield f"The agreement between algorithms was measured {agreement}."
    names = TERMS | {"median_score": choices.MEDIANS[settings.median].sentence}
    terms = comparison.regression["term"].unique()
    if traits := [names.get(term, term) for term in terms if term != "intercept"]:
        inference = _over(choices.INFERENCES[settings.inference].sentence, unit)
        corrected = "not corrected"
        if settings.regression_corrected:
            corrected = "corrected by Holm's method over all algorithms and terms {holm1979}"
        yield (
            f"The rank of each algorithm on a task was regressed on {listing(traits)} by weighted "
            f"least squares, {inference}; p-values were {corrected}."
        )
    if settings.preset is not None:
        said = choices.PRESETS[settings.preset].said(settings.record())
        yield said.replace("Settings of", "The settings were those of", 1)
    yield _software(comparison)


def _software(comparison: Comparison, lead: str = "The analysis was made with ") -> str:
    settings, made = comparison.settings, comparison.settings.record()
    source = ""
    if settings.preset is not None:
        own = choices.PRESETS[settings.preset].settings
        followed = all(made[name] == value for name, value in own.items())
        source = ", with the settings of an earlier study {lenz2021}" if followed else ""
    return f"{lead}occstats {__version__}{choices.ENGINES[settings.engine].sentence}{source}."
