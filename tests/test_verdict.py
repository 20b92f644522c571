"""What the verdict and the methods say of the paper's table."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import occstats

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021")


@pytest.mark.parametrize(
    ("settings", "counts"),
    [
        ({"preset": "paper"}, "31 of the 36 pairs different, this one 22"),
        ({"rule": "tests", "alternative": "two-sided", "family": "all"},
         "28 of the 36 pairs different, this one 14"),
        ({}, "28 of the 36 pairs different, this one 1"),
        ({"control": "ALP", "preset": "paper"}, "8 of the 8 pairs different, this one 7"),
        ({"control": "ALP"}, "8 of the 8 pairs different, this one 5"),
    ],
)  # fmt: skip
def test_the_verdict_counts_unordered_pairs(settings, counts):
    assert counts in occstats.compare("lenz2021", n_resamples=200, **settings).verdict


def test_verdict_says_who_beats_whom(comparison):
    verdict = comparison.verdict
    assert verdict.startswith(
        "Of 9 algorithms on 246 tasks from 50 data sets, ALP has the best mean rank (3.51; "
        "mean AUROC 0.817)."
    )
    assert "ALP is significantly better than LOF, EIF, LNND and SAE; statistically tied" in verdict
    assert "tied for first: ALP, SVM (p = 0.8" in verdict
    # The interval is that of the frame, for all pairs together.
    row = comparison.pairwise.query("a == 'ALP' and b == 'SVM'").iloc[0]
    low, high = f"−{-row['simultaneous_ci_low']:.3f}", f"+{row['simultaneous_ci_high']:.3f}"
    assert f"+0.003 (95 % interval {low} to {high}, for all pairs together)" in verdict
    assert "28 of the 36 pairs different, this one 14" in verdict
    assert "two-sided, corrected over all pairs by max-T, at α = 0.05" in verdict
    assert len(re.findall(r"\.(?= [A-Z]|$)", verdict)) == 5


def test_verdict_about_a_control():
    comparison = occstats.compare("lenz2021", control="NND", n_resamples=1000)
    assert comparison.settings.family == "control"
    assert "NND is significantly better than" in comparison.verdict
    assert "and significantly worse than ALP; undecided: " in comparison.verdict
    for column in ("p_adjusted", "p_simultaneous", "conclusion"):
        tested = comparison.pairwise.dropna(subset=[column])
        assert ((tested["a"] == "NND") | (tested["b"] == "NND")).all()
        assert len(tested) == 16


@pytest.mark.parametrize("alternative", ["less", "two-sided"])
def test_the_verdict_does_not_turn_around_with_the_alternative(alternative):
    verdict = occstats.compare(
        "lenz2021", alternative=alternative, family="all", rule="tests", n_resamples=100
    ).verdict
    assert "ALP is significantly better than" in verdict
    assert "significantly worse" not in verdict


def test_nobody_is_called_better_without_evidence():
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"dataset": [f"d{i // 2}" for i in range(40)], "class": range(40)})
    for name in "abc":
        frame[name] = generator.random(40)
    verdict = occstats.compare(frame, n_resamples=100).verdict
    assert "is not significantly better than any other algorithm" in verdict


def test_methods_paragraph_follows_the_settings():
    default = occstats.compare("lenz2021", n_resamples=200)
    assert "Rosner, Glynn and Lee, 2006" in default.methods
    assert "Holm, 1979" in default.methods
    assert "References" in default.methods
    changed = occstats.compare(
        "lenz2021", test="ds", null="permutation", n_resamples=300, correction="hochberg",
        family="all", kendall="plain", inference="cr2", alternative="two-sided",
    ).methods  # fmt: skip
    for phrase in ("Datta and Satten, 2008", "no more than 300", "Hochberg, 1988", "over all pairs",
                   "Kendall, 1945", "Pustejovsky and Tipton, 2018", "two-sided"):  # fmt: skip
        assert phrase in changed
    assert "Rosner" not in changed
    assert "⟦" not in changed + default.methods
    assert "{" not in changed + default.methods
