"""A methods paragraph ready for a paper: what was done, under these settings, with references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from occstats import __version__
from occstats.comparison.choices import (
    ALTERNATIVES,
    CORRECTIONS,
    ENGINES,
    FAMILIES,
    INFERENCES,
    KENDALLS,
    MISSING,
    NULLS,
    TESTS,
    TRAITS,
)
from occstats.comparison.words.explain import QUANTITIES, IntervalKind
from occstats.comparison.words.references import REFERENCES, Reference
from occstats.text import listing

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison
    from occstats.comparison.settings import Settings

__all__ = ["MethodsText", "methods_text"]

TERMS = {trait.term: trait.sentence for trait in TRAITS.values()} | {
    "median_score": "the median score"
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
    sentences = [
        f"We compared {len(results.algorithms)} algorithms by their {results.score_name} on "
        f"{results.n_tasks} tasks from {results.n_clusters} data "
        f"{'set' if results.n_clusters == 1 else 'sets'}. "
        "Tasks from the same data set are not independent; each data set has the same total "
        "weight, shared equally by its tasks. "
        "Within each task the algorithms were ranked {demsar2006}, ties receiving the average "
        "rank. ",
        MISSING[settings.missing].sentence,
    ]
    if results.n_clusters > 1:
        sentences += [_test_sentence(settings), _correction_sentence(settings)]
        sentences.append(_interval_sentence(comparison))
    sentences.append(
        f"The agreement between algorithms was measured {KENDALLS[settings.kendall].sentence}. "
    )
    terms = comparison.regression["term"].unique()
    traits = [TERMS.get(term, term) for term in terms if term != "intercept"]
    if traits:
        sentences.append(
            f"The rank of each algorithm was regressed on {listing(traits)} of the task by "
            f"weighted least squares, {INFERENCES[settings.inference].sentence}. "
        )
    sentences.append(_software_sentence(settings))
    template = "".join(sentences).strip()
    for key in REFERENCES:
        template = template.replace("{" + key + "}", f"⟦{key}⟧")
    cited = sorted(
        (key for key in REFERENCES if f"⟦{key}⟧" in template),
        key=lambda key: template.index(f"⟦{key}⟧"),
    )
    return MethodsText(template, tuple(REFERENCES[key] for key in cited))


def _test_sentence(settings: Settings) -> str:
    test = TESTS[settings.test]
    null = NULLS[settings.null].sentence
    null = null.replace("{flips}", test.flips).replace("{n_resamples}", f"{settings.n_resamples:,}")
    ties = (
        f" Differences were rounded to multiples of {settings.tie_tolerance:g} before ranking."
        if settings.tie_tolerance
        else ""
    )
    sided = ALTERNATIVES[settings.alternative].phrase
    return (
        f"Pairs were compared with {test.sentence}; {null}.{ties} The tests are {sided} at level "
        f"α = {settings.alpha:g}. "
    )


def _correction_sentence(settings: Settings) -> str:
    if settings.correction == "none":
        return "P-values are not corrected for multiple testing. "
    family = FAMILIES[settings.family].sentence.replace("{control}", str(settings.control))
    return f"P-values were corrected by {CORRECTIONS[settings.correction].sentence} {family}. "


def _interval_sentence(comparison: Comparison) -> str:
    settings = comparison.settings
    kinds: dict[IntervalKind, list[str]] = {}
    for column, kind in comparison.intervals.items():
        kinds.setdefault(kind, []).append(QUANTITIES[column])
    described = [f"{kind.sentence} for {listing(names)}" for kind, names in kinds.items()]
    sentence = f"Intervals ({100 * settings.confidence:g} %) are {'; '.join(described)}. "
    if any(kind.resampled for kind in kinds):
        sentence += (
            f"The bootstrap draws {settings.n_resamples:,} resamples of whole data sets "
            "{field2007}. "
        )
    return (
        f"{sentence if kinds else ''}"
        "Posterior probabilities follow a Bayesian signed-rank "
        "comparison {benavoli2017} with Dirichlet weights over data sets, a pseudo-observation of "
        f"no difference with weight {settings.prior_weight:g} as prior, and a region of practical "
        f"equivalence of ±{settings.rope:g}. "
    )


def _software_sentence(settings: Settings) -> str:
    engine = ENGINES[settings.engine].sentence
    test = TESTS[settings.test]
    if settings.engine == "native" and test.in_r and settings.null == "asymptotic":
        engine = ", whose clustered tests agree with those of the R package clusrank {jiang2020}"
    return f"The analysis was made with occstats {__version__}{engine}."
