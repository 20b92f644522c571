"""The declaration of a setting, and the types of the values that settings can have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, TypeVar

from occstats.comparison.choices import Named

__all__ = ["Option", "Options", "option"]

Default = TypeVar("Default")

Estimand = Literal["typical", "mean"]
Test = Literal["rgl", "ds"]
Null = Literal["flips", "bootstrap", "asymptotic"]
Alternative = Literal["two-sided", "greater", "less"]
Correction = Literal[
    "max-t",
    "holm",
    "hochberg",
    "bonferroni",
    "benjamini-hochberg",
    "benjamini-yekutieli",
    "none",
]
Preset = Literal["paper"]
Median = Literal["all", "others"]
Family = Literal["all", "control", "row"]
Engine = Literal["native", "clusrank", "rscript", "both"]
Kendall = Literal["product", "sum", "hyperbolic", "plain"]
Inference = Literal["cr1", "cr2", "hc3", "classical"]
Strata = Literal["width", "quantile"]


@dataclass(frozen=True)
class Option:
    """A setting, except for its type and default.

    Attributes
    ----------
    help : str
        One sentence, without its full stop.
    group : str
        Its heading in the help of the command line.
    label : str
        Its name in the report.
    choices : mapping of str to Named
        The values it can have; empty if it is a number or a name.
    check : callable, optional
        Refuses a wrong value: ``check(name, value)``.
    recorded : bool
        Whether ``meta`` and the report list its value.
    metavar : str, optional
        The placeholder of its value in the help of the command line.
    listed : bool
        Whether the command line takes several names, separated by commas.
    usual : str
        The default in words, where it depends on other settings or on the scores.
    """

    help: str
    group: str
    label: str = ""
    choices: Mapping[str, Named] = field(default_factory=dict)
    check: Callable[[str, Any], None] | None = None
    recorded: bool = True
    metavar: str | None = None
    listed: bool = False
    usual: str = ""


def option(default: Default, help: str, group: str, label: str = "", **details: Any) -> Default:
    """Return a field of `Settings` with the attributes of an `Option`."""
    return field(default=default, metadata=vars(Option(help, group, label, **details)))


class Options(TypedDict, total=False):
    """The settings as keyword arguments, for type checkers and editors."""

    preset: Preset | None
    estimand: Estimand | None
    test: Test
    correction: Correction | None
    family: Family | None
    alternative: Alternative
    null: Null | None
    control: str | None
    alpha: float
    engine: Engine
    algorithms: Sequence[str] | None
    missing: str
    tie_tolerance: float
    n_resamples: int
    rope: float
    margin: float | None
    prior_weight: float
    random_state: int
    deep: bool
    kendall: Kendall
    inference: Inference
    median: Median
    strata: Strata
    n_strata: int
