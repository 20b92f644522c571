"""Settings: declared once, the same in signature, documentation and record; presets."""

import dataclasses
import inspect
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import occstats
from occstats.comparison import Settings
from occstats.comparison.option import Options
from occstats.comparison.pipeline import Arguments
from occstats.comparison.settings import OPTIONS
from occstats.errors import ArgumentError

REFERENCE = Path(__file__).parent / "reference"


def test_the_preset_is_the_paper_and_an_option_beside_it_wins():
    paper = occstats.compare("lenz2021", preset="paper", n_resamples=100)
    assert "better than NND, MD, LOF, IF, EIF, LNND and SAE" in paper.verdict
    assert "statistically tied for first: ALP and SVM (p = 0.17)" in paper.verdict
    assert "one-sided, Holm-corrected over the tests of each algorithm" in paper.verdict
    assert sum("choices are those of Lenz et al. (2021)" in note for note in paper.notes) == 1
    chosen = paper.meta
    assert (chosen["preset"], chosen["rule"], chosen["inference"]) == ("paper", "tests", "cr1")
    other = Settings.of(preset="paper", inference="hc3", alternative="two-sided")
    assert (other.inference, other.alternative, other.rule) == ("hc3", "two-sided", "tests")
    with pytest.raises(ArgumentError, match="preset must be one of paper"):
        Settings.of(preset="papr")


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
        if option.choices and not any(choice.endswith("=NAME") for choice in option.choices):
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
