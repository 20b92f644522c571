"""A methods section for a paper: the analysis under its settings, with references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from occstats import __version__
from occstats._format import count, listing, printable
from occstats.backends import ENGINES
from occstats.comparison import choices
from occstats.comparison.text.columns import QUANTITIES
from occstats.results.aliases import score_word
from occstats.stats.clusters import FEW_CLUSTERS
from occstats.stats.corrections import CORRECTIONS
from occstats.stats.signed_rank import TESTS

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["MethodsText", "Reference", "methods_text", "references"]

#: A paragraph, or the items of a list.
Block = str | tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """A cited work.

    Attributes
    ----------
    key : str
        Its key in the bibliography.
    bibtex : str
        Its entry in the bibliography.
    cited : str
        Its citation in the text: authors and year.
    text : str
        Its entry in a list of references.
    """

    key: str
    bibtex: str
    cited: str
    text: str


@cache
def references() -> dict[str, Reference]:
    """Return the works of ``references.bib``, by their keys.

    Examples
    --------
    >>> references()["rosner2006"].cited
    'Rosner, Glynn and Lee, 2006'
    """
    entries = files(__package__).joinpath("references.bib").read_text("utf-8").strip()
    works = {}
    for entry in entries.split("\n\n"):
        key = entry[entry.index("{") + 1 : entry.index(",")]
        found = dict(re.findall(r"^  (\w+) = \{+(.*?)\}+,?$", entry, re.MULTILINE))
        found = {
            name: value.replace("--", "–").replace(r"\&", "&") for name, value in found.items()
        }
        authors = found["author"].split(" and ")
        names = [author.partition(",")[0] for author in authors]
        cited = listing(names) if len(names) < 4 else f"{names[0]} et al."
        number = f"({found['number']})" if "number" in found else ""
        place = {
            "article": "{journal} {volume}" + number + ", {pages}",
            "book": "{publisher}",
            "inproceedings": "{booktitle}, {pages}",
            "misc": "arXiv:{eprint}",
        }[entry[1 : entry.index("{")]].format_map(found)
        text = f"{', '.join(authors)} ({found['year']}). {found['title']}. {place}."
        works[key] = Reference(key, entry, f"{cited}, {found['year']}", text)
    return works


@dataclass(frozen=True)
class MethodsText:
    """Paragraphs and lists with places for citations, and the works they cite, in order.

    Attributes
    ----------
    templates : tuple
        Paragraphs (str) and lists (tuple of str), with keys of works in braces. The first paragraph
        is short and suffices for a paper; the others give the details.
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
                text = text.replace(f"{{{work.key}}}", cite(work))
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
        return "\n\n".join(work.bibtex for work in self.references) + "\n"


def methods_text(comparison: Comparison) -> MethodsText:
    """Describe the analysis: in short, then in detail.

    Examples
    --------
    >>> from occstats import compare
    >>> methods = methods_text(compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100))
    >>> [reference.key for reference in methods.references][:2]
    ['rosner2006', 'canay2017']
    """
    writer = _Writer(comparison)
    blocks: list[Block] = [writer.short(), writer.data()]
    if comparison.results.n_independent > 1:
        blocks += [" ".join(writer.decision()), *writer.interval_blocks()]
    blocks.append(" ".join(writer.rest()))
    text = "\n".join(block if isinstance(block, str) else "\n".join(block) for block in blocks)
    keys = dict.fromkeys(re.findall(r"\{(\w+)\}", text))
    known = references()
    return MethodsText(tuple(blocks), tuple(known[key] for key in keys if key in known))


class _Writer:
    """The sentences about one comparison, with keys of the cited works in braces."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.settings, self.results = comparison.settings, comparison.results
        self.m = self.results.n_independent
        self.unit = "suite" if self.results.nested else "dataset"
        self.typical = self.settings.estimand == "typical"
        self.asymptotic = self.settings.null == "asymptotic"
        self.several = len(comparison.algorithms) > 2
        self.level = f"{100 * (1 - self.settings.alpha):g} %"
        self.sides = choices.ALTERNATIVES[self.settings.alternative]
        # A single dataset permits no tests and no estimates of typical differences.
        self.estimated = bool(comparison.pairwise["difference"].notna().any())
        # Means of few units, and asymptotic ones, are compared by Student's t alone.
        self.student = self.m < FEW_CLUSTERS or self.asymptotic
        used = comparison.meta["resamples_used"]
        # One half of all sign flips are the negatives of the others.
        self.all_flips = self.settings.null == "flips" and bool(used == 2 ** (self.m - 1))
        number = f"all {used:,}" if self.all_flips else f"{used:,} random"
        self.flips = f"{number} sign flips of whole {self.unit}s {{canay2017}}"
        self.resamples = f"{used:,} resamples of whole {self.unit}s"

    def compared(self) -> str:
        results = self.results
        suites = f" in {count(self.m, 'suite')}" if results.nested else ""
        return (
            f"We compared {len(results.algorithms)} algorithms by {score_word(results.score_name)} "
            f"on {count(results.n_tasks, 'task')} from {count(results.n_clusters, 'dataset')}"
            f"{suites}."
        )

    def short(self) -> str:
        """Describe the analysis in at most 90 words."""
        if self.m < 2:
            return (
                f"{self.compared()} We report mean ranks; a single {self.unit} permits no tests. "
                f"{self.software()}"
            )
        what, estimate = "Mean differences over datasets", "mean differences"
        if self.typical:
            what, estimate = "Differences on a typical task", "Hodges-Lehmann shifts"
        corrected = self.corrected()
        sentences = [
            self.compared(),
            f"{what} were tested {self.sides} (α = {self.settings.alpha:g}) with "
            f"{self.test()}{corrected and f'; p-values were {corrected}'}.",
        ]
        if self.estimated:
            intervals = ""
            if "difference" in self.comparison.intervals:
                simultaneous = "simultaneous " if self.together() else ""
                intervals = f" with {simultaneous}{self.level} confidence intervals"
            sentences.append(f"We report {estimate}{intervals}.")
        if self.settings.margin is not None:
            sentences.append(f"Intervals within ±{self.settings.margin:g} showed equivalence.")
        if self.results.failed is not None:
            sentences.append("Failures ranked below every score.")
        return " ".join([*sentences, self.software()])

    def signed_rank(self) -> str:
        if self.settings.test == "rgl" and self.m == self.results.n_tasks:
            return "the Wilcoxon signed-rank test {wilcoxon1945}"
        return TESTS[self.settings.test].sentence

    def test(self) -> str:
        """Name the test and its null distribution."""
        if self.typical:
            null = "the normal approximation" if self.asymptotic else self.flips
            return f"{self.signed_rank()}, using {null}"
        if self.student:
            return f"Student's t-test over {self.unit}s"
        return f"the bootstrap-t {{davison1997}}, using {self.resamples}"

    def together(self) -> str:
        """Name the tests that are corrected together; empty if there is one or no correction."""
        settings, size = self.settings, self.comparison.design.family_size
        if size <= 1:
            return ""
        if not self.several:
            return "for both directions"
        tests = "pairs" if settings.alternative == "two-sided" else "tests"
        of = self.comparison.decision.together
        return {
            "all": f"for all {size:,} {tests}{of}",
            "control": f"for the {size:,} comparisons with {printable(str(settings.control))}{of}",
            "row": f"for the {size:,} tests of each algorithm separately",
        }[str(settings.family)]

    def corrected(self) -> str:
        """Name the correction of the p-values; empty for a single test."""
        if not self.together():
            return "not corrected for multiple testing" if self.several else ""
        means = self.settings.correction == "max-t" and not self.typical
        name = "bonferroni" if means and self.student else str(self.settings.correction)
        keys = " ".join(re.findall(r"{\w+}", CORRECTIONS[name].sentence))
        if means:
            keys = keys.replace("westfall1993", "romano2005")
        return (
            f"corrected {self.together()} by the {CORRECTIONS[name].name} procedure {keys}".strip()
        )

    def data(self) -> str:
        results, sentences = self.results, []
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
            "Within each task the algorithms were ranked {demsar2006}, ties receiving the average "
            "rank."
        )
        missing = choices.chosen(choices.MISSING, self.settings.missing)
        if missing:
            sentences.append(missing.strip())
        if results.failed is not None and results.failure_score is not None:
            sentences.append(f"Failures counted as {results.failure_score:g} in means.")
        return " ".join(sentences)

    def decision(self) -> Iterator[str]:
        """Define better, and give the null hypothesis and details of the test."""
        settings, pairs = self.settings, self.comparison.pairwise
        yield from self.typical_test() if self.typical else self.mean_test()
        if settings.family == "row" and settings.correction != "none" and self.several:
            yield "The correction does not control the error over all pairs together."
        if settings.margin is not None:
            yield (
                "A pair was called equivalent if its confidence interval lay within "
                f"±{settings.margin:g}."
            )
        elif (pairs["conclusion"] == "equivalent").any():
            yield "Pairs with equal scores on all tasks were called equivalent."
        if pairs["reversed"].any():
            yield (
                f"Decided pairs are marked where the {'mean' if self.typical else 'typical'} "
                "difference has the opposite sign."
            )
        if self.results.n_clusters < self.results.n_tasks:
            test = "Wilcoxon signed-rank tests" if self.typical else "t-tests"
            holm = ", with Holm's correction {holm1979}" if settings.correction == "max-t" else ""
            yield (
                f"For comparison, the number of significant pairs is also given for {test} that "
                f"treat tasks as independent{holm if self.several else ''}."
            )

    def typical_test(self) -> Iterator[str]:
        settings, unit = self.settings, self.unit
        yield (
            "An algorithm was called better than another if the signed ranks of the score "
            f"differences favoured it significantly (p ≤ {settings.alpha:g})."
        )
        if settings.tie_tolerance:
            yield f"Differences were rounded to multiples of {settings.tie_tolerance:g}."
        yield (
            "The null hypothesis was that the joint distribution of the differences is invariant "
            f"to sign changes of whole {unit}s."
        )
        if self.asymptotic:
            return
        centred = ""
        if self.estimated:
            centred = (
                ", both for the differences and for the differences centred at their estimated "
                "shifts, and the larger p-value was used"
            )
        yield f"The statistic and its weights were recomputed for each flip{centred}."
        if self.several:
            yield (
                "For several pairs this test is approximate and improves with the number of "
                f"{unit}s {{canay2017}}."
            )
        elif self.all_flips:
            yield "As all sign flips were enumerated, the test is exact."

    def mean_test(self) -> Iterator[str]:
        m, unit = self.m, self.unit
        yield (
            "An algorithm was called better than another if its mean score, with equal weight for "
            f"each dataset, was significantly higher (p ≤ {self.settings.alpha:g}); the null "
            f"hypothesis was a mean difference of zero in the population of {unit}s."
        )
        if not self.student:
            yield (
                f"Whole {unit}s were resampled {{field2007}}; no p-value is smaller than that of "
                f"Student's t with {m - 1} degrees of freedom."
            )
        elif not self.asymptotic:
            yield f"Student's t was used, as there were fewer than {FEW_CLUSTERS} {unit}s."
        yield (
            f"No method can exclude failures that affect fewer than about 3 in {m} {unit}s, as a "
            f"sample of {m} may contain none of them {{bahadur1956}}."
        )

    def interval_blocks(self) -> Iterator[Block]:
        """Describe the estimates, then list the kinds of intervals."""
        estimate = "the mean over datasets of the mean over their tasks"
        if self.typical:
            estimate = "the Hodges-Lehmann shift {hodges1963} with the weights of the test"
        paragraph = f"Differences were estimated by {estimate}. " if self.estimated else ""
        kinds: dict[str, list[str]] = {}
        for quantity, kind in self.comparison.intervals.items():
            sentence = kind.sentence
            if quantity == "difference":
                together = self.together()
                simultaneous = together and f", simultaneous {together}"
                sentence += f"{simultaneous}, consistent with the p-values"
            elif "bootstrap" in kind.name:
                sentence += f", with {self.settings.n_resamples:,} resamples"
            kinds.setdefault(sentence, []).append(QUANTITIES[quantity])
        items = [f"{listing(names)}: {sentence}" for sentence, names in kinds.items()]
        if items:
            yield f"{paragraph}Confidence intervals ({self.level}, pointwise unless noted):"
            yield (*(f"{item};" for item in items[:-1]), f"{items[-1]}.")
        elif paragraph:
            yield paragraph.strip()

    def rest(self) -> Iterator[str]:
        """Describe the parts that decide nothing, and the software."""
        comparison, settings, unit = self.comparison, self.settings, self.unit
        if comparison.binary is not None:
            yield (
                "Because all scores are 0 or 1, shares of tasks were also compared, each task with "
                f"equal weight, with standard errors clustered by {unit} {{miller2024}} and by the "
                "clustered McNemar tests of Obuchowski {obuchowski1998}, Durkalski "
                "{durkalski2003}, and Eliasziw and Donner {eliasziw1991}."
            )
        known = comparison.pairwise.notna().any()
        if self.m > 1 and known["bayes_better"]:
            means = ""
            if known["difference_above"]:
                means = "; those of mean differences, from the Bayesian bootstrap {rubin1981}"
            yield (
                "Posterior probabilities are from the Bayesian signed-rank comparison "
                f"{{benavoli2017}} with Dirichlet weights over {unit}s, prior weight 1 at no "
                f"difference and a region of practical equivalence of ±{settings.rope:g}{means}."
            )
        yield (
            "Agreement was measured by the weighted Kendall's τ {vigna2015}, with the products of "
            "the weights of tasks."
        )
        names = dict(choices.TRAITS.values())
        names["median_score"] = "the median score of all algorithms"
        terms = comparison.regression["term"].unique()
        if traits := [names.get(term, term) for term in terms if term != "intercept"]:
            inference = choices.INFERENCES[settings.inference].replace("dataset", unit)
            corrected = "not corrected"
            if settings.regression_corrected:
                corrected = "corrected by Holm's method over all algorithms and terms {holm1979}"
            yield (
                f"Ranks were regressed on {listing(traits)} by weighted least squares, "
                f"{inference}; p-values were {corrected}."
            )
        if settings.preset is not None:
            said = choices.paper_settings(settings.record())
            yield said.replace("Settings of", "The settings were those of", 1)

    def software(self) -> str:
        settings, made = self.settings, self.settings.record()
        source = ""
        if settings.preset and all(made[name] == own for name, own in choices.PAPER.items()):
            source = ", with the settings of an earlier study {lenz2021}"
        return f"Software: occstats {__version__}{ENGINES[settings.engine].sentence}{source}."
