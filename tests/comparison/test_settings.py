"""Settings: declared once, the same in signature, documentation and record; presets."""

import dataclasses
import inspect
from functools import partial
from typing import get_args, get_type_hints

import pytest

import occstats
from occstats.comparison import Settings
from occstats.comparison.option import Options
from occstats.comparison.pipeline import Arguments
from occstats.comparison.settings import OPTIONS
from occstats.errors import ArgumentError


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
    found = occstats.compare("lenz2021", preset="paper", test="ds", n_resamples=100)
    assert "Settings of Lenz et al. (2021), except for test ds." in found.notes
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
def test_keywords_of_version_0_2_are_answered_with_their_successors(options, answer):
    found = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
    for call in (partial(occstats.compare, "lenz2021"), partial(found.add, "lenz2021")):
        with pytest.raises(ArgumentError) as error:
            call(**options)
        assert answer in str(error.value)
    # What the answers name exists.
    assert occstats.stats.clustered_wilcoxon
    assert occstats.stats.pairwise_tests
    assert "p_ignoring_clusters" in found.pairwise


def test_settings_that_follow_from_changed_ones_are_determined_again():
    mine = (occstats.load_results("lenz2021").scores["ALP"] + 0.01).clip(upper=1).rename("MINE")
    found = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
    paper = found.add(mine, preset="paper").settings
    assert (paper.correction, paper.null, paper.rope) == ("holm", "asymptotic", 0.01)
    mean = found.add(mine, estimand="mean", margin=0.02).settings
    assert (mean.null, mean.margin, mean.rope) == ("bootstrap", 0.02, 0.02)
    control = found.add(mine, control="MINE")
    assert control.settings.family == "control"
    assert control.add(mine.rename("OTHER"), control=None).settings.family == "all"


def test_an_r_engine_implies_its_tests():
    for engine in ("clusrank", "rscript", "both"):
        found = Settings.of(engine=engine)
        chosen = (found.estimand, found.null, found.correction, found.family)
        assert chosen == ("typical", "asymptotic", "holm", "all")
    with pytest.raises(ArgumentError, match="or engine='native'"):
        Settings.of(engine="clusrank", estimand="mean")


def test_the_signature_and_documentation_have_every_setting():
    parameters = inspect.signature(occstats.compare).parameters
    for field in dataclasses.fields(Settings):
        # Also where the default is NaN: it follows the scale of the score.
        assert parameters[field.name].default is field.default, field.name
        for documented in (occstats.compare, Settings):
            assert f"\n{field.name} : " in documented.__doc__
            assert OPTIONS[field.name].help in documented.__doc__


def test_every_setting_is_declared_once():
    hints = get_type_hints(Settings)
    # Type checkers and editors see the same names, and the same values.
    assert list(Options.__annotations__) == list(OPTIONS)
    for name, option in OPTIONS.items():
        # A value may also be made of a choice and a name: impute=NAME.
        if option.choices and not any("=" in choice for choice in option.choices):
            literal = next((a for a in get_args(hints[name]) if get_args(a)), hints[name])
            assert get_args(literal) == tuple(option.choices)
        assert option.help
        assert option.label or not option.recorded
    reading = set(inspect.signature(occstats.load_results).parameters) - {"sources"}
    assert set(get_type_hints(Arguments)) == set(OPTIONS) | reading
    recorded = [name for name, option in OPTIONS.items() if option.recorded]
    assert set(recorded) <= set(occstats.compare("lenz2021", n_resamples=100).meta)


def test_a_misspelt_argument_is_guessed():
    with pytest.raises(TypeError, match=r"'alfa' \(did you mean 'alpha'\?\)"):
        occstats.compare("lenz2021", alfa=0.01)
