"""A methods paragraph ready for a paper: what was done, under these settings, with references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from occstats import __version__
from occstats.comparison import choices
from occstats.comparison.words.explain import QUANTITIES, STUDENT, STUDENTISED, IntervalKind
from occstats.comparison.words.references import REFERENCES, Reference
from occstats.results.aliases import score_word
from occstats.stats.tests.null import can_list
from occstats.text import listing

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = ["MethodsText", "methods_text"]

TERMS = {trait.term: trait.sentence for trait in choices.TRAITS.values()}


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


def methods_text(comparison: Comparison) -> MethodsText:
    """The paragraph for what was compared, and how.

    Examples
    --------
    >>> from occstats import compare
    >>> methods = methods_text(compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100))
    >>> [reference.key for reference in methods.references][:2]
    ['demsar2006', 'rosner2006']
    """
    settings, results = comparison.settings, comparison.results
    missing = choices.chosen(choices.MISSING, settings.missing)
    sentences = [
        f"We compared {len(results.algorithms)} algorithms by their "
        f"{score_word(results.score_name)} on {results.n_tasks} tasks from "
        f"{results.evidence}. {_dependence(results, settings)}"
        "Within each task the algorithms were ranked {demsar2006}, ties receiving the average "
        "rank. ",
        missing.sentence if missing else "",
    ]
    if results.n_independent > 1:
        sentences += [_test_sentence(settings, results.unit), _correction_sentence(comparison)]
        sentences += [_rule_sentence(comparison), _equivalence_sentence(comparison)]
        sentences += [_interval_sentence(comparison), _binary_sentence(comparison)]
    agreement = choices.KENDALLS[settings.kendall].sentence
    sentences.append(f"The agreement between algorithms was measured {agreement}. ")
    terms = comparison.regression["term"].unique()
    names = TERMS | {"median_score": choices.MEDIANS[settings.median].sentence}
    traits = [names.get(term, term) for term in terms if term != "intercept"]
    if traits:
        inference = choices.INFERENCES[settings.inference].sentence
        sentences.append(
            f"The rank of each algorithm on a task was regressed on {listing(traits)} by weighted "
            f"least squares, {inference.replace('data set', results.unit)}; p-values were "
            f"{_regression_correction(settings)}. "
        )
    if settings.preset is not None:
        sentences.append(f"{choices.PRESETS[settings.preset].said(settings.record())} ")
    sentences.append(_software_sentence(settings))
    template = "".join(sentences).strip()
    for key in REFERENCES:
        template = template.replace("{" + key + "}", f"⟦{key}⟧")
    cited = sorted(
        (key for key in REFERENCES if f"⟦{key}⟧" in template),
        key=lambda key: template.index(f"⟦{key}⟧"),
    )
    return MethodsText(template, tuple(REFERENCES[key] for key in cited))


def _dependence(results: Results, settings: Settings) -> str:
    if results.nested:
        return (
            "Data sets of one suite, and their tasks, are not independent; each data set has the "
            "same total weight, shared equally by its tasks, and suites were taken for "
            "independent. "
        )
    if results.n_clusters == results.n_tasks:
        return (
            "Every data set has a single task, so that tasks were taken for independent and the "
            f"clustered test is {choices.TESTS[settings.test].without_clusters}. "
        )
    return (
        "Tasks from the same data set are not independent; each data set has the same total "
        "weight, shared equally by its tasks. "
    )


def _regression_correction(settings: Settings) -> str:
    if settings.regression_corrected:
        return "corrected by Holm's method over all algorithms and terms {holm1979}"
    return "not corrected"


def _rule_sentence(comparison: Comparison) -> str:
    settings = comparison.settings
    if settings.rule == "tests":
        return choices.RULES["tests"].sentence
    if "Holm" in comparison.basis:
        return (
            f"An algorithm is called better than another by the {comparison.basis} {{holm1979}}. "
        )
    results = comparison.results
    m = results.n_independent if settings.clustered else results.n_tasks
    listed = f"in all {2 ** (m - 1):,} ways" if can_list(m, settings.n_resamples) else "at random"
    if len(results.algorithms) == 2:
        return (
            "One algorithm is called better than the other by the two-sided test that flips the "
            f"signs of {_flips(settings, results.unit)} {listed}. "
        )
    family = choices.FAMILIES["all" if settings.control is None else "control"].phrase
    sentence = choices.RULES["max-t"].sentence.replace("{correction}", f"corrected {family}")
    units = _flips(settings, results.unit)
    sentence = sentence.replace("{units}", units).replace("{flips}", listed)
    return f"{sentence}. The ranks that an algorithm may have follow from these {{mogstad2024}}. "


def _equivalence_sentence(comparison: Comparison) -> str:
    settings, one_pair = comparison.settings, len(comparison.algorithms) == 2
    if settings.margin is None:
        return ""
    corrected = "" if one_pair else ", with Holm's correction over the pairs {holm1979}"
    return (
        f"A pair is called equivalent where two one-sided tests at ±{settings.margin:g} "
        f"{{schuirmann1987}} reject{corrected}. "
    )


def _flips(settings: Settings, unit: str) -> str:
    """Whose signs flip under the null hypothesis."""
    test = choices.TESTS[settings.test]
    return f"whole {unit}s" if test.clustered and unit != "data set" else test.flips


def _test_sentence(settings: Settings, unit: str) -> str:
    test = choices.TESTS[settings.test]
    null = choices.NULLS[settings.null].sentence.replace("{flips}", _flips(settings, unit))
    null = null.replace("{n_resamples}", f"{settings.n_resamples:,}")
    sentence = test.sentence.replace("data set", unit)
    if settings.test == "dataset-means" and unit != "data set":
        sentence = (
            "the Rosner-Glynn-Lee clustered Wilcoxon signed-rank test {rosner2006} on the mean "
            f"difference per data set, with {unit}s as clusters"
        )
    ties = (
        f" Differences were rounded to multiples of {settings.tie_tolerance:g} before ranking."
        if settings.tie_tolerance
        else ""
    )
    sided = choices.ALTERNATIVES[settings.alternative].phrase
    return (
        f"Pairs were compared with {sentence}; {null}.{ties} The tests are {sided} at level "
        f"α = {settings.alpha:g}. "
    )


def _correction_sentence(comparison: Comparison) -> str:
    settings = comparison.settings
    if settings.correction == "none":
        return "P-values are not corrected for multiple testing. "
    if len(comparison.algorithms) == 2 and settings.family != "all":
        return ""
    family = choices.FAMILIES[settings.family].sentence.replace("{control}", str(settings.control))
    return (
        f"P-values were corrected by {choices.CORRECTIONS[settings.correction].sentence} {family}. "
    )


def _interval_sentence(comparison: Comparison) -> str:
    settings, unit = comparison.settings, comparison.results.unit
    kinds: dict[IntervalKind, list[str]] = {}
    for column, kind in comparison.intervals.items():
        kinds.setdefault(kind, []).append(QUANTITIES[column])
    described = [f"{kind.sentence} for {listing(names)}" for kind, names in kinds.items()]
    sentence = f"Intervals ({100 * settings.confidence:g} %) are {'; '.join(described)}. "
    if any(kind.resampled for kind in kinds):
        sentence += (
            f"The bootstrap draws {settings.n_resamples:,} resamples of whole {unit}s {{field2007}}"
        )
        sentence += (
            "; studentised limits are at least as far away as Student's. "
            if STUDENTISED in kinds
            else ". "
        )
    return (
        f"{sentence if kinds else ''}{_simultaneous_sentence(comparison)}"
        "Posterior probabilities follow a Bayesian signed-rank "
        f"comparison {{benavoli2017}} with Dirichlet weights over {unit}s, a pseudo-observation of "
        f"no difference with weight {settings.prior_weight:g} as prior, and a region of practical "
        f"equivalence of ±{settings.rope:g}; those of the mean difference itself are its shares "
        "above, within and below that region over such weights {rubin1981}. "
    )


def _simultaneous_sentence(comparison: Comparison) -> str:
    """How the intervals of all mean differences together are made, where there are several."""
    known = comparison.pairwise["simultaneous_ci_low"].notna().any()
    if len(comparison.algorithms) == 2 or not known:
        return ""
    few = comparison.intervals["difference"].name == STUDENT.over(comparison.results.unit).name
    multiple = (
        "Student's with Bonferroni's correction"
        if few
        else "the quantile of the largest studentised difference of all pairs over the resamples "
        "{beran1988}"
    )
    return (
        "Intervals of the mean differences of all pairs together use one multiple of their "
        f"standard errors: {multiple}. "
    )


def _binary_sentence(comparison: Comparison) -> str:
    if comparison.binary is None:
        return ""
    return (
        "Since all scores are 0 or 1, shares of tasks were also compared, all tasks counting "
        f"alike, with standard errors clustered by {comparison.results.unit} {{miller2024}} and "
        "by the clustered McNemar tests: Obuchowski's {obuchowski1998}, Durkalski's "
        "{durkalski2003}, and Eliasziw and Donner's {eliasziw1991}. "
    )


def _software_sentence(settings: Settings) -> str:
    engine = choices.ENGINES[settings.engine].sentence
    test = choices.TESTS[settings.test]
    if settings.engine == "native" and test.in_r and settings.null == "asymptotic":
        engine = ", whose clustered tests agree with those of the R package clusrank {jiang2020}"
    return f"The analysis was made with occstats {__version__}{engine}."
