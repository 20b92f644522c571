"""Settings: presets, implied settings, and names of version 0.2."""

from functools import partial

import pytest

import occstats
from occstats.comparison import Settings
from occstats.comparison.choices import PRESETS
from occstats.comparison.settings import CHOICES, LABELS, SETTINGS
from occstats.errors import ArgumentError


@pytest.fixture(scope="module")
def two():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)


def test_explicit_options_override_the_preset():
    paper = Settings.of(preset="paper")
    chosen = (paper.estimand, paper.correction, paper.family, paper.alternative, paper.null)
    assert chosen == ("typical", "holm", "row", "greater", "asymptotic")
    assert not paper.has_intervals
    other = Settings.of(preset="paper", inference="hc3", alternative="two-sided", family="all")
    assert (other.inference, other.alternative, other.correction) == ("hc3", "two-sided", "holm")
    assert Settings.of(preset="paper", control="ALP").family == "control"
    with pytest.raises(ArgumentError, match="preset must be one of paper"):
        Settings.of(preset="papr")
    options = {"algorithms": ["ALP", "SVM"], "n_resamples": 100}
    # Also the values that are the defaults without the preset.
    found = occstats.compare("lenz2021", preset="paper", test="ds", inference="cr2", **options)
    note = "Settings of Lenz et al. (2021), except for test ds, inference cr2."
    assert note in found.notes
    assert found.meta["preset"] == "paper"


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"rule": "tests"}, "rule='tests' was removed, as each pair has one decision: set "),
        ({"confidence": 0.9}, "confidence=0.9 was removed, as intervals have the level 1 − α"),
        ({"null": "permutation"}, "null='permutation' is called null='flips' now"),
        ({"null": "exact"}, "occstats.stats.clustered_wilcoxon computes the exact test"),
        ({"test": "wilcoxon"}, "see the column p_ignoring_clusters"),
        ({"test": "dataset-means"}, "set estimand='mean'"),
        ({"test": "ds-weighted"}, "set estimand='mean' to give each dataset equal weight"),
    ],
)
def test_keywords_of_version_0_2_are_answered_with_their_successors(two, options, answer):
    for call in (partial(occstats.compare, "lenz2021"), partial(two.add, "lenz2021")):
        with pytest.raises(ArgumentError) as error:
            call(**options)
        assert answer in str(error.value)
    # The answers name what exists.
    assert occstats.stats.clustered_wilcoxon
    assert occstats.stats.pairwise_tests
    assert "p_ignoring_clusters" in two.pairwise


def test_settings_that_follow_from_changed_ones_are_determined_again(two):
    mine = (occstats.load_results("lenz2021").scores["ALP"] + 0.01).clip(upper=1).rename("MINE")
    paper = two.add(mine, preset="paper").settings
    assert (paper.correction, paper.null, paper.rope) == ("holm", "asymptotic", 0.01)
    mean = two.add(mine, estimand="mean", margin=0.02).settings
    assert (mean.null, mean.margin, mean.rope) == ("bootstrap", 0.02, 0.02)
    control = two.add(mine, control="MINE")
    assert control.settings.family == "control"
    assert control.add(mine.rename("OTHER"), control=None).settings.family == "all"


def test_an_r_engine_implies_its_tests():
    for engine in ("rpy2", "rscript", "both"):
        found = Settings.of(engine=engine)
        chosen = (found.estimand, found.null, found.correction, found.family)
        assert chosen == ("typical", "asymptotic", "holm", "all")
    with pytest.raises(ArgumentError, match="or engine='native'"):
        Settings.of(engine="rpy2", estimand="mean")


def test_settings_are_recorded(two):
    assert set(LABELS) == set(SETTINGS) - {"engine", "algorithms"}
    assert set(LABELS) <= set(two.meta)
    assert set(PRESETS) == set(CHOICES["preset"])
    assert Settings(**PRESETS["paper"].settings).record()["family"] == "row"


def test_misspelt_arguments_are_guessed():
    with pytest.raises(TypeError, match=r"'alfa' \(did you mean 'alpha'\?\)"):
        occstats.compare("lenz2021", alfa=0.01)
    with pytest.raises(TypeError, match=r"'scor' \(did you mean 'score'\?\)"):
        occstats.compare("lenz2021", scor="auroc")
