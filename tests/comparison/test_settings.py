"""Settings: presets, implied settings, and combinations."""

import pytest

import occstats
from occstats.comparison import Settings
from occstats.comparison.settings import LABELS, PAPER, SETTINGS


@pytest.fixture(scope="module")
def two():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)


def test_explicit_options_override_the_preset():
    paper = Settings.of(preset="paper")
    chosen = (paper.estimand, paper.correction, paper.family, paper.alternative, paper.null)
    assert chosen == ("typical", "holm", "row", "greater", "asymptotic")
    assert not paper.has_intervals
    other = Settings.of(preset="paper", inference="cr2", alternative="two-sided", family="all")
    assert (other.inference, other.alternative, other.correction) == ("cr2", "two-sided", "holm")
    assert Settings.of(preset="paper", control="ALP").family == "control"
    options = {"algorithms": ["ALP", "SVM"], "n_resamples": 100}
    # Also the values that are the defaults without the preset.
    found = occstats.compare("lenz2021", preset="paper", test="ds", inference="cr2", **options)
    note = "Settings of Lenz et al. (2021), except for test ds, inference cr2."
    assert note in found.notes
    assert found.meta["preset"] == "paper"


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


def test_settings_are_recorded(two):
    assert set(LABELS) == set(SETTINGS) - {"engine", "algorithms"}
    assert set(LABELS) <= set(two.meta)
    assert Settings(**PAPER).record()["family"] == "row"
