"""A methods section for a paper: the analysis under its settings, with references."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined

from occstats import __version__
from occstats._format import count, listing
from occstats.comparison.text.columns import QUANTITIES, TRAITS
from occstats.comparison.text.verdict import corrected_by_row
from occstats.results.aliases import score_word
from occstats.stats.clusters import FEW_CLUSTERS
from occstats.stats.corrections import CORRECTIONS
from occstats.stats.signed_rank import TESTS

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison


#: A paragraph, or the items of a list.
Block = str | tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """A cited work."""

    key: str
    #: Its entry in the bibliography.
    bibtex: str
    #: Its citation in the text: authors and year.
    cited: str
    #: Its entry in a list of references.
    text: str


@cache
def references() -> dict[str, Reference]:
    """Return the works of ``references.bib``, by their keys."""
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
    """Describe the analysis: in short, then in detail."""
    template = files(__package__).joinpath("methods.jinja").read_text("utf-8")
    environment = Environment(undefined=StrictUndefined)
    text = environment.from_string(template).render(_facts(comparison))
    blocks: list[Block] = []
    for block in re.split("^¶$", text, flags=re.M):
        first, *items = (" ".join(item.split()) for item in re.split("^- ", block, flags=re.M))
        blocks += [tuple(items) if items else first] if items or first else []
    keys = dict.fromkeys(re.findall(r"\{(\w+)\}", text))
    known = references()
    return MethodsText(tuple(blocks), tuple(known[key] for key in keys if key in known))


def _facts(comparison: Comparison) -> dict[str, Any]:
    """Return the numbers, phrases and conditions of the template."""
    settings, results = comparison.settings, comparison.results
    m, pairs = results.n_independent, comparison.pairwise_full
    unit = results.unit
    typical, asymptotic = settings.estimand == "typical", settings.null == "asymptotic"
    several = len(comparison.algorithms) > 2
    # Means of few units, and asymptotic ones, are compared by Student's t alone.
    student = m < FEW_CLUSTERS or asymptotic
    used = comparison.decision.tests.n_resamples
    # Half of the sign flips suffice: the others are their negatives.
    all_flips = settings.null == "flips" and bool(used == 2 ** (m - 1))
    together = comparison.decision.family
    known = pairs.notna().any()
    terms = [term for term in comparison.regression["term"].unique() if term != "intercept"]
    kinds: dict[str, list[str]] = {}
    for quantity, kind in comparison.intervals.items():
        sentence = kind.sentence
        if quantity == "difference":
            sentence += f"{together and f', simultaneous {together}'}, consistent with the p-values"
        elif "bootstrap" in kind.name:
            sentence += f", with {settings.n_resamples:,} resamples"
        kinds.setdefault(sentence, []).append(QUANTITIES[quantity])
    if not typical:
        test = f"the bootstrap-t {{davison1997}}, using {used:,} resamples of whole {unit}s"
        if student:
            test = f"Student's t-test over {unit}s"
    else:
        test = TESTS[settings.test].sentence
        if settings.test == "rgl" and m == results.n_tasks:
            test = "the Wilcoxon signed-rank test {wilcoxon1945}"
        flips = f"all {2 * used:,}" if all_flips else f"{used:,} random"
        null = f"{flips} sign flips of whole {unit}s {{canay2017}}"
        test += f", using {'the normal approximation' if asymptotic else null}"
    return {
        "n_algorithms": len(results.algorithms),
        "score": score_word(results.score_name),
        "tasks": count(results.n_tasks, "task"),
        "datasets": count(results.n_clusters, "dataset"),
        "suites": f" in {count(m, 'suite')}" if results.nested else "",
        "m": m,
        "unit": unit,
        "few": FEW_CLUSTERS,
        "nested": results.nested,
        "singletons": results.n_clusters == results.n_tasks,
        "typical": typical,
        "asymptotic": asymptotic,
        "student": student,
        "several": several,
        "all_flips": all_flips,
        "test": test,
        "sides": "two-sided" if settings.alternative == "two-sided" else "one-sided",
        "alpha": f"{settings.alpha:g}",
        "level": f"{100 * (1 - settings.alpha):g} %",
        "together": together,
        "corrected": _corrected(comparison, together, student=student),
        "max_t": settings.correction == "max-t",
        "by_row": corrected_by_row(comparison),
        # A single dataset permits no tests and no estimates of typical differences.
        "estimated": bool(pairs["difference"].notna().any()),
        "intervals": comparison.intervals,
        "items": [f"{listing(names)}: {sentence}" for sentence, names in kinds.items()],
        "equivalent": bool((pairs["conclusion"] == "equivalent").any()),
        "reversed": bool(pairs["reversed"].any()),
        "margin": "" if settings.margin is None else f"{settings.margin:g}",
        "rope": f"{settings.rope:g}",
        "tie_tolerance": f"{settings.tie_tolerance:g}" if settings.tie_tolerance else "",
        "missing": settings.missing.partition("=")[0],
        "failed": results.failed is not None,
        "failure_score": results.failure_score if results.failed is not None else None,
        "binary": comparison.binary is not None,
        "posterior": m > 1 and known["bayes_better"],
        "mean_posterior": known["difference_above"],
        "traits": listing([TRAITS.get(term, term) for term in terms]),
        "kendall": bool(comparison.kendall["tau"].notna().any()),
        "inference": settings.inference,
        "regression_corrected": settings.regression_corrected,
        "preset": settings.preset_note().replace("Settings of", "The settings were those of", 1),
        "version": __version__,
        "engine": settings.engine,
        "as_published": settings.as_published,
    }


def _corrected(comparison: Comparison, together: str, *, student: bool) -> str:
    """Name the correction of the p-values; empty for a single test."""
    correction = str(comparison.settings.correction)
    if not together:
        several = len(comparison.algorithms) > 2
        return "not corrected for multiple testing" if several else ""
    means = correction == "max-t" and comparison.settings.estimand == "mean"
    chosen = CORRECTIONS["bonferroni" if means and student else correction]
    citation = chosen.citation
    if means:
        citation = citation.replace("westfall1993", "romano2005")
    return f"corrected {together} by the {chosen.name} procedure {citation}".strip()
