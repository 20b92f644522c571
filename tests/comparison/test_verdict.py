"""The verdict: one sentence on who leads, and one decision about each pair."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.text.verdict import (
    make_verdict,
    short_names,
    subject_rows,
    tally_sentence,
)

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021")


def test_the_verdict_on_the_paper(comparison):
    assert comparison.verdict.splitlines() == [
        "ALP has the best mean rank (3.51; mean AUROC 0.817).",
        "  typically better than     LOF, EIF, LNND, SAE",
        "  not distinguishable from  SVM, NND, MD, IF",
    ]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "14 of 36 pairs differ; 28 if one ignores that tasks share datasets (Holm)."),
        ({"correction": "holm"},
         "14 of 36 pairs differ; 28 if one ignores that tasks share datasets."),
        ({"preset": "paper"},
         "22 of 36 pairs differ; 31 if one ignores that tasks share datasets."),
        ({"control": "ALP", "preset": "paper"},
         "ALP differs from 7 of 8 algorithms; from 8 if one ignores that tasks share datasets."),
    ],
)  # fmt: skip
def test_the_tally_counts_unordered_pairs(settings, sentence):
    assert tally_sentence(occstats.compare("lenz2021", **settings)) == sentence


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"estimand": "mean"},
        {"margin": 0.03},
        {"control": "NND"},
        {"control": "NND", "margin": 0.05},
        {"correction": "holm"},
        {"correction": "none"},
        {"correction": "holm", "alternative": "less"},
        {"correction": "holm", "alternative": "greater", "control": "NND"},
        {"preset": "paper"},
    ],
    ids=str,
)
def test_relations_are_the_conclusions_of_the_frame(settings):
    comparison = occstats.compare("lenz2021", n_resamples=500, **settings)
    subject = settings.get("control", "ALP")
    rows = comparison.pairwise.query("a == @subject").set_index("b")["conclusion"]
    words = {"better": "better", "worse": "worse", "equivalent": "equivalent", "not": "undecided"}
    found = {}
    for label, names in make_verdict(comparison).relations:
        kind = next(kind for word, kind in words.items() if word in label)
        found |= dict.fromkeys(names, kind)
    assert found == rows.to_dict()
    assert make_verdict(comparison).sentences[0].startswith(subject)


@pytest.mark.parametrize("alternative", ["less", "greater"])
def test_one_sided_p_values_belong_to_the_conclusion(alternative):
    comparison = occstats.compare(
        "lenz2021", correction="holm", alternative=alternative, control="LOF", n_resamples=500
    )
    rows = subject_rows(comparison)
    decided = rows["conclusion"].isin(["better", "worse"])
    assert {"better", "worse"} <= set(rows["conclusion"])
    assert (rows["p"] <= 0.05).eq(decided).all()


def test_a_control_has_its_place():
    comparison = occstats.compare("lenz2021", control="NND", n_resamples=1000)
    assert comparison.verdict.startswith(
        "NND has mean rank 4.35 (mean AUROC 0.805), place 3 of 9; ALP leads with 3.51.\n"
        "  typically better than     "
    )
    assert "\n  typically worse than      ALP\n" in comparison.verdict


def test_the_mean_has_its_own_words():
    verdict = occstats.compare("lenz2021", estimand="mean").verdict
    assert verdict.splitlines() == [
        "ALP has the best mean AUROC (0.817).",
        "  better in mean AUROC than  LOF, LNND, SAE",
        "  not distinguishable from   SVM, MD, NND, IF, EIF",
    ]


def test_a_leader_by_rank_that_is_worse_is_said_first():
    verdict = make_verdict(occstats.compare(CASES / "inf2.csv"))
    assert verdict.sentences[0] == (
        "B is typically better than A, but A has the higher mean: the answer depends on the "
        "question."
    )
    assert verdict.sentences[1].startswith("A has the best mean rank (1.44; mean score 0.619)")
    assert verdict.sentences[2].endswith("; the mean difference is +0.018.")


def test_a_worse_leader_need_not_be_reversed():
    comparison = occstats.compare("lenz2021", n_resamples=200)
    frame = comparison.pairwise.copy()
    frame.loc[(frame["a"] == "ALP") & (frame["b"] == "SVM"), "conclusion"] = "worse"
    frame.loc[(frame["a"] == "SVM") & (frame["b"] == "ALP"), "conclusion"] = "better"
    changed = make_verdict(replace(comparison, pairwise=frame))
    assert changed.sentences[0] == (
        "SVM is typically better than ALP, although ALP has the best mean rank."
    )
    assert ("typically worse than", ["SVM"]) in changed.relations


def test_estimates_of_opposite_signs_are_said_first():
    typical = make_verdict(occstats.compare(CASES / "gate2.csv"))
    assert typical.sentences[0] == (
        "CAND is typically better than BASE, but BASE has the higher mean: the answer depends on "
        "the question."
    )
    mean = make_verdict(occstats.compare(CASES / "gate2.csv", estimand="mean", alpha=0.1))
    assert mean.sentences[0] == (
        "BASE is better in mean score than CAND, but CAND does better on a typical task: the "
        "answer depends on the question."
    )
    frame = 1 - pd.read_csv(CASES / "gate2.csv").set_index(["dataset", "task"])
    lower = occstats.compare(frame.reset_index(), lower_is_better=True, score_name="loss")
    assert "but BASE has the lower mean" in lower.verdict
    assert "The typical difference BASE − CAND is +0.010" in lower.verdict


def test_other_pairs_of_opposite_signs_are_said_first_too():
    frame = pd.read_csv(CASES / "gate2.csv")
    frame["NEW"] = frame["BASE"] + 0.1 + 0.001 * np.sin(np.arange(len(frame)))
    comparison = occstats.compare(frame, n_resamples=1000)
    first, second = make_verdict(comparison).sentences
    assert first.startswith("CAND is typically better than BASE, but BASE has the higher mean")
    assert second.startswith("NEW has the best mean rank")


def test_two_algorithms_have_sentences_only(comparison):
    two = occstats.compare("lenz2021", algorithms=["ALP", "LOF"])
    assert make_verdict(two).relations == ()
    assert two.verdict.splitlines() == [
        "ALP has the best mean rank (1.27; mean AUROC 0.817); LOF has 1.73 (0.803).",
        "ALP is typically better than LOF.",
        "The typical difference ALP − LOF is +0.010 (95 % CI +0.006 to +0.015; p < 0.001,",
        "clustered signed-rank test).",
    ]
    assert tally_sentence(two) == ""
    two = occstats.compare("lenz2021", algorithms=["ALP", "SVM"])
    assert "ALP is not distinguishable from SVM." in two.verdict
    assert tally_sentence(two).startswith("Ignoring that tasks share datasets, they would differ")


def test_no_verdict_calls_algorithms_tied():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"dataset": [f"d{i // 2}" for i in range(40)], "class": range(40)})
    for name in "abc":
        frame[name] = generator.random(40)
    verdict = occstats.compare(frame, n_resamples=100).verdict
    assert "  not distinguishable from  " in verdict
    assert "tied" not in verdict
    assert "significant" not in verdict


def test_common_prefixes_are_found_between_words():
    names = [f"random_forest_v{i}" for i in range(12)]
    assert short_names(names) == ({name: name[14:] for name in names}, "random_forest_")
    digits = [f"gradient-boosting-{i}" for i in range(3)]
    assert short_names(digits)[1] == "gradient-"
    assert short_names(["boosted_forest", "boosted_forest_2", "boosted_forest_3"])[1] == "boosted_"
    assert short_names(["ALP", "ALP2", "ALP3"]) == ({}, "")


def test_long_lists_are_cut():
    rng = np.random.default_rng(0)
    names = [f"algorithm number {position}" for position in range(30)]
    frame = pd.DataFrame(rng.normal(0, 0.1, (20, 30)) + np.linspace(1, 0, 30), columns=names)
    frame.insert(0, "dataset", [f"d{row}" for row in range(20)])
    lines = occstats.compare(frame, n_resamples=200).verdict.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 7
    assert " more" in lines[2]
