"""Every parameter is documented in the docstring of the function that takes it."""

import inspect
import re

import pytest

import occstats
from occstats import figures


def documented_parameters(function):
    """The names in the section Parameters of a docstring in the manner of numpydoc."""
    section = inspect.getdoc(function).split("Parameters\n----------\n")[1]
    section = re.split(r"\n\n\w+\n-+\n", section)[0]
    heads = re.findall(r"^([*\w][\w*, ]*?)(?: : .+)?\n(?=    \S)", section, flags=re.MULTILINE)
    return [name.strip() for head in heads for name in head.split(",")]


@pytest.mark.parametrize(
    "function",
    [
        occstats.compare,
        occstats.load_results,
        *(entry.function() for entry in figures.FIGURES.values()),
        *(
            getattr(figures.Plotter(None), name)
            for name, entry in figures.FIGURES.items()
            if "comparison" in entry.needs
        ),
    ],
    ids=lambda function: function.__qualname__,
)
def test_every_parameter_is_documented_where_it_is_taken(function):
    taken = [
        f"*{name}" if parameter.kind is parameter.VAR_POSITIONAL else name
        for name, parameter in inspect.signature(function).parameters.items()
    ]
    assert sorted(documented_parameters(function)) == sorted(taken)
    assert "{options}" not in inspect.getdoc(function)
