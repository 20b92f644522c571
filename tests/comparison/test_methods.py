"""The methods section and the sentences of columns, under every setting."""

import functools
import re

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.text.columns import EXPLANATIONS, explain
from occstats.comparison.text.methods import references
from occstats.report.bundle import methods_to_latex
from occstats.report.json_document import FRAMES, SECTIONS
from tests.comparison.synthetic import compare, table

MOST_WORDS = 90


def short(found):
    return found.methods_text.blocks()[0]


UNEQUAL = table([2, 3] * 10, (0.1, 0.0, 0.0))
SETTINGS = [
    {},
    {"estimand": "mean"},
    {"preset": "paper"},
    {"preset": "paper", "test": "ds"},
    {"control": "A1"},
    {"control": "A1", "estimand": "mean"},
    {"margin": 0.05},
    {"margin": 0.05, "estimand": "typical", "test": "ds", "control": "A1"},
    {"correction": "holm"},
    {"correction": "hochberg", "null": "asymptotic"},
    {"correction": "bonferroni"},
    {"correction": "benjamini-hochberg", "estimand": "mean"},
    {"correction": "benjamini-yekutieli", "alternative": "less"},
    {"correction": "none"},
    {"correction": "none", "estimand": "mean", "null": "asymptotic"},
]


@functools.cache
def _unequal(items):
    return compare(UNEQUAL, **dict(items))


def unequal(**settings):
    return _unequal(tuple(sorted(settings.items())))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_first_paragraph_is_short_and_complete(settings):
    found = unequal(**settings)
    paragraph = short(found)
    assert len(paragraph.split()) <= MOST_WORDS
    assert found.methods.startswith(paragraph + "\n\n")
    assert "3 algorithms by reward on 50 tasks from 20 datasets" in paragraph
    assert f"occstats {occstats.__version__}" in paragraph
    assert f"α = {found.settings.alpha:g}" in paragraph
    typical = found.settings.estimand == "typical"
    assert ("on a typical task" if typical else "Mean differences over datasets") in paragraph
    if found.settings.null != "asymptotic":
        assert ("200 random sign flips" if typical else "200 resamples") in paragraph
    assert ("confidence intervals" in paragraph) == found.settings.has_intervals


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_citation_is_a_reference_and_no_place_is_left(settings):
    methods = unequal(**settings).methods_text
    text = methods.text()
    assert not re.search(r"[{}]|data set|None|nan", text.partition("\n\nReferences")[0])
    for work in methods.references:
        assert f"({work.cited})" in text
        assert work.text in text
    latex, bibliography = methods_to_latex(methods), methods.bibtex()
    cited = set(re.findall(r"\\cite\{(\w+)\}", latex))
    assert cited == {work.key for work in methods.references}
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))


def test_every_work_is_cited_somewhere():
    other = [{"test": "ds"}, {"inference": "hc3"}]
    binary = UNEQUAL.assign(reward=(UNEQUAL["reward"] > 0.55).astype(int))
    found = [unequal(**settings) for settings in SETTINGS + other]
    found += [compare(table([1] * 12)), compare(binary)]
    cited = {work.key for each in found for work in each.methods_text.references}
    assert cited | {"jiang2020"} == set(references())  # which needs R


def test_references_are_read_from_the_bibliography():
    works = references()
    assert works["holm1979"].text == (
        "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6(2), 65–70."
    )
    assert works["jiang2020"].cited == "Jiang et al., 2020"
    assert works["miller2024"].text.endswith("evaluations. arXiv:2411.00640.")
    assert "Business & Economic" in works["pustejovsky2018"].text
    assert r"Business \& Economic" in works["pustejovsky2018"].bibtex
    for key, work in works.items():
        assert work.bibtex.startswith("@")
        assert work.bibtex.count("{") == work.bibtex.count("}")
        assert not re.search(r"[{}\\]", work.text + work.cited), key


PAIR = table([2] * 8, (0.1, 0.0))
NO_SCORE = UNEQUAL.assign(reward=UNEQUAL["reward"].where(UNEQUAL.index % 7 > 0))
# Table, settings, and what the methods of this comparison claim, and what they do not.
CLAIMS = [
    (UNEQUAL, {}, ["invariant to sign changes of whole da", "(Canay, Romano and Shaikh, 2017)",
                   "corrected for all 3 pairs by the max-T procedure (Westfall and Young, 1993)",
                   "Hodges-Lehmann shift", "(CR2) (Bell and McCaffrey, 2002)"], ["exact"]),
    (UNEQUAL, {"estimand": "mean"},
     ["bootstrap-t (Davison and Hinkley, 1997), using 200 resamples of whole datasets",
      "max-T procedure (Romano and Wolf, 2005)", "fewer than about 3 in 20 datasets"], ["exact"]),
    (table([2] * 4), {"estimand": "mean"}, ["Student's t-test", "by the Bonferroni procedure"],
     ["using 200 resamples"]),
    (table([2] * 6), {"estimand": "mean"}, ["bootstrap-t", "max-T procedure"], ["Student's t-t"]),
    (table([2] * 2), {}, ["Posterior probabilities"], []),
    (PAIR, {}, ["all 128 sign flips of whole datasets", "the test is exact"], ["all pairs"]),
    (table([2] * 9, (0.1, 0.0)), {}, ["200 random sign flips"], ["exact"]),
    (PAIR, {"null": "asymptotic", "correction": "none"}, [], ["exact"]),
    (PAIR, {"alternative": "greater", "correction": "holm"},
     ["corrected for both directions by the Holm"], []),
    (UNEQUAL, {"preset": "paper"}, ["for the 2 tests of each algorithm separately",
                                    "does not control the error over all pairs together"], []),
    (UNEQUAL, {"preset": "paper", "test": "ds"}, ["except for test ds"], []),
    (table([1] * 12), {}, ["with the Wilcoxon signed-rank test (Wilcoxon, 1945)"], ["clusters"]),
    (table([1] * 12), {"test": "ds"}, ["Datta-Satten"], []),
    (NO_SCORE, {"missing": "worst=0"},
     ["Failures ranked below every score.", "Failures counted as 0 in means."], []),
    (UNEQUAL, {"margin": 0.05}, ["within ±0.05"], []),
    (UNEQUAL.assign(reward=0.5), {"score": "reward"},
     ["Pairs with equal scores on all tasks were called equivalent."], []),
    (table([5]), {}, ["a single dataset permits no tests"],
     ["Posterior", "null hypothesis", "Confidence intervals"]),
    (table([2, 2, 2]), {}, ["mean ranks and mean scores: Student's t over dataset means;",
                            "regressed on the median score of all algorithms"], []),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "settings", "claimed", "absent"), CLAIMS)
def test_methods_claim_what_was_done(frame, settings, claimed, absent):
    text = (unequal if frame is UNEQUAL else functools.partial(compare, frame))(**settings).methods
    assert [words for words in claimed if words not in text] == []
    assert [words for words in absent if words in text] == []


def test_intervals_are_a_list_in_every_form():
    methods = unequal().methods_text
    (items,) = (block for block in methods.blocks() if not isinstance(block, str))
    assert items[0].startswith("differences: inversion of the sign-flip test")
    assert items[-1].endswith(".")
    assert f"\n- {items[0]}\n" in methods.text()
    latex = methods_to_latex(methods)
    assert latex.count(r"\item ") == len(items)
    assert "~\\cite{" in latex


def test_names_in_the_methods_are_escaped():
    frame = UNEQUAL.replace({"algorithm": {"A1": r"\input{x}"}})
    latex = methods_to_latex(compare(frame, control=r"\input{x}").methods_text)
    assert r"\textbackslash{}input\{x\}" in latex


def frames_of(found):
    for name in (*FRAMES, *SECTIONS):
        part = getattr(found, name)
        inner = getattr(part, "__dataclass_fields__", ())
        yield from ((name, part), *((each, getattr(part, each)) for each in inner))


def test_every_column_has_a_sentence_and_every_sentence_a_column():
    folds = pd.concat([UNEQUAL.assign(fold=fold) for fold in range(3)])
    folds["reward"] += np.random.default_rng(1).normal(scale=0.01, size=len(folds))
    binary = UNEQUAL.assign(reward=(UNEQUAL["reward"] > 0.55).astype(int))
    names = set()
    for found in (
        compare(folds),
        compare(binary),
        compare(UNEQUAL.iloc[:-1], missing="pairwise"),
    ):
        for name, part in frames_of(found):
            names.add(name)
            if isinstance(part, pd.DataFrame):
                unexplained = {column for column in part.columns if not found.explain(column)}
                assert unexplained <= {"a", "b", "algorithm", "dataset", "class"}, name
                names |= set(part.columns)
    stems = {re.sub(r"(_low|_high)$", "", name) for name in names} | names
    stems |= {stem.removesuffix("_ci") for stem in stems}
    assert set(EXPLANATIONS) - stems == {"conover", "nemenyi"}  # beginnings of names


def test_sentences_are_sentences():
    for sentence in EXPLANATIONS.values():
        assert sentence.endswith(".")
        assert "data set" not in sentence
        assert ". " not in sentence
        assert len(sentence) < 200


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, "inverted sign-flip test"),
        ({"null": "asymptotic", "correction": "none"}, "inverted signed-rank test"),
        ({"estimand": "mean"}, "bootstrap-t over datasets"),
        ({"estimand": "mean", "null": "asymptotic", "correction": "none"}, "Student's t over"),
    ],
)
def test_the_interval_of_a_difference_names_its_kind(settings, kind):
    found = unequal(**settings)
    assert f"(differences: {kind}" in found.explain("ci_low")
    assert "difference" not in unequal(correction="holm").intervals
    assert explain("ci_low") == EXPLANATIONS["ci"]
