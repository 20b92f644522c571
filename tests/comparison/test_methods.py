"""The methods section and the explanations: right sentences under every setting."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.text.columns import EXPLANATIONS, explain
from occstats.comparison.text.methods import references
from occstats.report.bundle import methods_to_latex

MOST_WORDS = 90


def table(sizes, effects=(0.1, 0.0, 0.0), spread=0.05):
    rng = np.random.default_rng(0)
    rows = []
    for cluster, size in enumerate(sizes):
        for task in range(size):
            values = 0.5 + np.asarray(effects) + spread * rng.normal(size=len(effects))
            rows += [(f"d{cluster}", task, f"A{a}", value) for a, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["dataset", "task", "algorithm", "score"])


def compare(frame, **options):
    return occstats.compare(frame, n_resamples=200, progress=False, **options)


def short(found):
    return found.methods_text.blocks()[0]


def details(found):
    return found.methods.split("\n\n", 1)[1].partition("\n\nReferences")[0]


UNEQUAL = table([2, 3] * 10)
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


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_first_paragraph_is_short_and_complete(settings):
    found = compare(UNEQUAL, **settings)
    paragraph = short(found)
    assert len(paragraph.split()) <= MOST_WORDS
    assert found.methods.startswith(paragraph + "\n\n")
    assert "3 algorithms by score on 50 tasks from 20 datasets" in paragraph
    assert f"occstats {occstats.__version__}" in paragraph
    assert f"α = {found.settings.alpha:g}" in paragraph
    typical = found.settings.estimand == "typical"
    assert ("on a typical task" if typical else "Mean differences over datasets") in paragraph
    if found.settings.null != "asymptotic":
        assert ("200 random sign flips" if typical else "200 resamples") in paragraph
    assert ("confidence intervals" in paragraph) == found.settings.has_intervals


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_citation_is_a_reference_and_no_place_is_left(settings):
    methods = compare(UNEQUAL, **settings).methods_text
    text = methods.text()
    assert not re.search(r"[{}⟦⟧]|data set|None|nan", text.partition("\n\nReferences")[0])
    for work in methods.references:
        assert f"({work.cited})" in text
        assert work.text in text
    latex, bibliography = methods_to_latex(methods), methods.bibtex()
    cited = set(re.findall(r"\\cite\{(\w+)\}", latex))
    assert cited == {work.key for work in methods.references}
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.M))


def test_every_work_is_cited_somewhere():
    other = [{"test": "ds"}, {"kendall": "plain"}, {"inference": "hc3"}, {"engine": "native"}]
    frames = [
        (UNEQUAL, SETTINGS + other),
        (table([1] * 12), [{}]),
        (UNEQUAL.assign(score=(UNEQUAL["score"] > 0.55).astype(int)), [{}]),
    ]
    cited = {"jiang2020"}  # needs R
    for frame, chosen in frames:
        for settings in chosen:
            cited |= {work.key for work in compare(frame, **settings).methods_text.references}
    assert cited == set(references())


def test_the_null_hypothesis_and_the_flips_are_stated():
    text = details(compare(UNEQUAL))
    assert (
        "under a change of sign of whole datasets the joint distribution of the differences is the "
        "same" in text
    )
    assert "200 random sign flips of whole datasets (Canay, Romano and Shaikh, 2017)" in text
    assert "corrected for all 3 pairs by the single-step max-T procedure (Westfall and You" in text
    assert "Hodges-Lehmann shift (Hodges and Lehmann, 1963)" in text
    assert "(CR2) (Bell and McCaffrey, 2002)" in text


def test_means_name_what_they_cannot_exclude():
    text = details(compare(UNEQUAL, estimand="mean"))
    assert "bootstrap-t (Davison and Hinkley, 1997) with 200 resamples of whole datasets" in text
    assert "max-T procedure (Romano and Wolf, 2005)" in text
    assert "fewer than about 3 in 20 datasets" in text
    assert "(Bahadur and Savage, 1956)" in text
    few = compare(table([2] * 4), estimand="mean")
    assert "Student's t-test" in short(few)
    assert "by the Bonferroni correction" in details(few)
    assert "bootstrap" not in details(few).partition("Posterior")[0]


def test_exact_is_said_of_one_pair_with_all_flips_only():
    one = compare(table([2] * 8, (0.1, 0.0)))
    assert "all 128 sign flips of whole datasets" in short(one)
    assert "the test is exact" in details(one)
    for other in (
        compare(table([2] * 8)),
        compare(table([2] * 9, (0.1, 0.0))),
        compare(table([2] * 8, (0.1, 0.0)), null="asymptotic", correction="none"),
        compare(table([2] * 8, (0.1, 0.0)), estimand="mean"),
    ):
        assert "exact" not in other.methods


def test_one_pair_is_not_corrected():
    text = compare(table([2] * 8, (0.1, 0.0))).methods.partition("was regressed")[0]
    assert "corrected" not in text
    assert "all pairs" not in text
    one_sided = compare(table([2] * 8, (0.1, 0.0)), alternative="greater", correction="holm")
    assert "corrected for both directions by the Holm" in one_sided.methods


def test_rows_of_the_paper_do_not_control_the_error_over_all_pairs():
    text = compare(UNEQUAL, preset="paper").methods
    assert "for the 2 tests of each algorithm separately" in text
    assert "which does not control the error over all pairs together" in text
    assert "(Lenz, Peralta and Cornelis, 2021)" in text
    assert "except for test ds" in compare(UNEQUAL, preset="paper", test="ds").methods


def test_without_clusters_the_test_is_wilcoxons():
    text = compare(table([1] * 12)).methods
    assert "with the Wilcoxon signed-rank test (Wilcoxon, 1945)" in text
    assert "clusters" not in text
    assert "Datta-Satten" in compare(table([1] * 12), test="ds").methods


def test_failures_equivalence_and_reversal_are_described():
    frame = UNEQUAL.copy()
    frame.loc[::7, "score"] = np.nan
    worst = compare(frame, missing="worst=0")
    assert "Failures ranked below every score." in short(worst)
    assert "In means a failure counted as 0." in details(worst)
    assert "within ±0.05" in short(compare(UNEQUAL, margin=0.05))
    same = compare(UNEQUAL.assign(score=0.5))
    assert "Pairs with equal scores on all tasks were called equivalent." in details(same)


def test_differences_that_were_not_estimated_are_not_described():
    found = compare(UNEQUAL)
    frame = found.pairwise.assign(difference=np.nan, ci_low=np.nan, ci_high=np.nan)
    text = replace(found, pairwise=frame).methods
    assert "Hodges-Lehmann" not in text
    assert "centred" not in text
    assert "- mean ranks and mean scores: " in text


def test_one_dataset_has_no_tests():
    text = compare(table([5])).methods
    assert "Posterior" not in text
    assert "a single dataset permits no tests" in text
    assert "null hypothesis" not in text
    assert "Confidence intervals" not in text


def test_intervals_are_a_list_in_every_form():
    methods = compare(UNEQUAL).methods_text
    (items,) = (block for block in methods.blocks() if not isinstance(block, str))
    assert items[0].startswith("differences: all shifts that the sign-flip test did not reject")
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
    for name in found.__dataclass_fields__:
        part = getattr(found, name)
        if name in ("results", "settings", "ranks"):
            continue
        inner = getattr(part, "__dataclass_fields__", ())
        yield from ((name, part), *((each, getattr(part, each)) for each in inner))


def test_every_column_has_a_sentence_and_every_sentence_a_column():
    folds = pd.concat([UNEQUAL.assign(fold=fold) for fold in range(3)])
    folds["score"] += np.random.default_rng(1).normal(scale=0.01, size=len(folds))
    binary = UNEQUAL.assign(score=(UNEQUAL["score"] > 0.55).astype(int))
    names = set()
    for found in (
        compare(folds, deep=True),
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
    found = compare(UNEQUAL, **settings)
    assert f"(differences: {kind}" in found.explain("ci_low")
    assert "difference" not in compare(UNEQUAL, correction="holm").intervals
    assert explain("ci_low") == EXPLANATIONS["ci"]
