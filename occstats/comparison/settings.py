"""What can be chosen in a comparison, each option declared once.

A field of `Settings` has its default, choices, check, help and label; the documentation of
`compare`, the options of the command line, the record in ``meta`` and the list of settings in the
report are made from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, TypedDict, TypeVar

from occstats.checks import check_choice, check_fraction, check_integer, check_number
from occstats.comparison.choices import (
    ALTERNATIVES,
    CORRECTIONS,
    ENGINES,
    FAMILIES,
    INFERENCES,
    KENDALLS,
    MISSING,
    NULLS,
    STRATA,
    TESTS,
    Named,
    chosen,
)
from occstats.errors import ArgumentError

__all__ = ["OPTIONS", "Option", "Options", "Settings", "document_settings"]

Test = Literal["rgl", "ds", "dataset-means", "wilcoxon"]
Null = Literal["asymptotic", "exact", "permutation"]
Alternative = Literal["greater", "less", "two-sided"]
Correction = Literal[
    "holm", "hochberg", "bonferroni", "benjamini-hochberg", "benjamini-yekutieli", "none"
]
Family = Literal["row", "all", "control"]
Engine = Literal["native", "clusrank", "rscript", "both"]
Kendall = Literal["product", "sum", "hyperbolic", "plain"]
Inference = Literal["cr1", "cr2", "hc3", "classical"]
Strata = Literal["width", "quantile"]

Default = TypeVar("Default")
# Where the documentation of a class or function lists the settings.
PLACE = "<settings>"


@dataclass(frozen=True)
class Option:
    """What is known of a setting besides its type.

    Attributes
    ----------
    help : str
        One sentence, without its full stop.
    group : str
        The heading under which the command line lists it.
    label : str
        Its name in the report.
    choices : mapping of str to Named
        The values it can have; empty if it is a number or a name.
    check : callable, optional
        Refuses a wrong value: ``check(name, value)``.
    recorded : bool
        Whether ``meta`` and the report say what was chosen.
    metavar : str, optional
        What stands for the value in the help of the command line.
    listed : bool
        Whether the command line takes several names, separated by commas.
    """

    help: str
    group: str
    label: str = ""
    choices: Mapping[str, Named] = field(default_factory=dict)
    check: Callable[[str, Any], None] | None = None
    recorded: bool = True
    metavar: str | None = None
    listed: bool = False


def option(default: Default, help: str, group: str, label: str = "", **details: Any) -> Default:
    """A field of `Settings`, with the attributes of an `Option`."""
    return field(default=default, metadata=vars(Option(help, group, label, **details)))


not_negative = partial(check_number, least=0)

TESTING, WHAT, DEPTH, TASKS = "Tests", "What is compared", "Uncertainty", "Tasks"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The choices of one comparison; the defaults are those of Lenz et al. (2021).

    Parameters
    ----------
    <settings>

    Examples
    --------
    >>> Settings(alpha=0.01).alpha
    0.01
    >>> Settings(test="rlg")
    Traceback (most recent call last):
    ...
    occstats.errors.ArgumentError: test must be one of rgl, ds, dataset-means, \
wilcoxon; got 'rlg' (did you mean 'rgl'?)
    """

    test: Test = option("rgl", "The test of a pair of algorithms", TESTING, "test", choices=TESTS)
    null: Null = option(
        "asymptotic", "Where the p-value comes from", TESTING, "null distribution", choices=NULLS
    )
    alternative: Alternative = option(
        "greater",
        "What the test of (row, column) is about",
        TESTING,
        "alternative",
        choices=ALTERNATIVES,
    )
    correction: Correction = option(
        "holm", "Correction for multiple tests", TESTING, "correction", choices=CORRECTIONS
    )
    family: Family = option(
        "row", "Which tests are corrected together", TESTING, "family of tests", choices=FAMILIES
    )
    control: str | None = option(
        None,
        "Compare this algorithm with all others (implies the family control)",
        TESTING,
        "control",
        metavar="NAME",
    )
    alpha: float = option(
        0.05,
        "Level at which a corrected p-value decides about a pair",
        TESTING,
        "level α",
        check=check_fraction,
    )
    engine: Engine = option(
        "native",
        "Who computes the tests; all but native need R",
        TESTING,
        choices=ENGINES,
        recorded=False,
    )
    algorithms: tuple[str, ...] | None = option(
        None,
        "Compare only these, and rank only these against each other",
        WHAT,
        recorded=False,
        metavar="A,B,C",
        listed=True,
    )
    missing: str = option(
        "refuse",
        "What to do about tasks that some algorithm lacks",
        WHAT,
        "missing cells",
        choices=MISSING,
    )
    tie_tolerance: float = option(
        1e-9,
        "Differences are rounded to multiples of this before they are ranked, so that 0.3 − 0.2 "
        "and 0.2 − 0.1 tie; 0 ranks the raw floats",
        WHAT,
        "tie tolerance",
        check=not_negative,
    )
    n_resamples: int = option(
        10_000,
        "Resamples of data sets for intervals and permutations",
        DEPTH,
        "resamples",
        check=partial(check_integer, least=100),
    )
    confidence: float = option(
        0.95, "Level of the intervals", DEPTH, "confidence", check=check_fraction
    )
    rope: float = option(
        0.01,
        "Half-width of the region of practical equivalence",
        DEPTH,
        "region of practical equivalence",
        check=not_negative,
    )
    prior_weight: float = option(
        1.0,
        "Weight of the Bayesian prior at no difference, in data sets",
        DEPTH,
        "weight of the prior",
        check=not_negative,
    )
    random_state: int = option(
        0,
        "Seed of everything that is random",
        DEPTH,
        "random state",
        check=partial(check_integer, least=0),
    )
    deep: bool = option(
        False, "Also power and the specification table, which take longer", DEPTH, "deep analysis"
    )
    kendall: Kendall = option(
        "product",
        "Weight of a pair of tasks in Kendall's τ",
        TASKS,
        "weights of Kendall's τ",
        choices=KENDALLS,
    )
    inference: Inference = option(
        "cr1",
        "Standard errors of the regression of ranks on traits",
        TASKS,
        "inference of the regression",
        choices=INFERENCES,
    )
    strata: Strata = option(
        "width",
        "Strata of difficulty (the task's median score)",
        TASKS,
        "strata of difficulty",
        choices=STRATA,
    )
    n_strata: int = option(5, "Number of strata", TASKS, "number of strata", check=check_integer)

    @classmethod
    def of(cls, **chosen: Any) -> Settings:
        """Settings as a user gives them: a control implies its family, one name is a list."""
        if chosen.get("control") is not None:
            chosen.setdefault("family", "control")
        names = chosen.get("algorithms")
        if names is not None:
            chosen["algorithms"] = (names,) if isinstance(names, str) else tuple(names)
        return cls(**chosen)

    def __post_init__(self) -> None:
        for name, declared in OPTIONS.items():
            value = getattr(self, name)
            if declared.choices and chosen(declared.choices, str(value)) is None:
                check_choice(name, value, declared.choices)
            if declared.check is not None:
                declared.check(name, getattr(self, name))
        self._check_combinations()

    def _check_combinations(self) -> None:
        if self.family == "control" and self.control is None:
            raise ArgumentError(
                "family 'control' needs the name of the control: set control to an algorithm"
            )
        if self.control is not None and self.family != "control":
            raise ArgumentError(
                f"control is {self.control!r} but family is {self.family!r}: "
                "a control needs family 'control'"
            )
        if self.null not in TESTS[self.test].nulls:
            raise ArgumentError(
                f"test {self.test!r} has no {self.null} null distribution: use null 'permutation' "
                f"(or test 'rgl' with null {self.null!r})"
            )
        if self.engine != "native" and not TESTS[self.test].in_r:
            raise ArgumentError(
                f"engine {self.engine!r} computes only tests 'rgl' and 'ds'; got test "
                f"{self.test!r}: use engine 'native'"
            )

    @property
    def clustered(self) -> bool:
        """Whether the test respects that tasks of one data set are not independent."""
        return TESTS[self.test].clustered

    @property
    def test_in_words(self) -> str:
        """The test, its side and its correction as a phrase.

        Examples
        --------
        >>> Settings().test_in_words
        'clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee), one-sided, Holm-corrected over \
the tests of each algorithm'
        """
        null = "" if self.null == "asymptotic" else f", {NULLS[self.null].name}"
        corrected = "uncorrected"
        if self.correction != "none":
            name, family = CORRECTIONS[self.correction].name, FAMILIES[self.family].phrase
            corrected = f"{name}-corrected {family}"
        sided = ALTERNATIVES[self.alternative].phrase
        return f"{TESTS[self.test].name}{null}, {sided}, {corrected}"

    def record(self) -> dict[str, Any]:
        """What was chosen, for the record."""
        return {name: getattr(self, name) for name, item in OPTIONS.items() if item.recorded}


OPTIONS: dict[str, Option] = {item.name: Option(**item.metadata) for item in fields(Settings)}


class Options(TypedDict, total=False):
    """The settings as keyword arguments, for type checkers and editors."""

    test: Test
    null: Null
    alternative: Alternative
    correction: Correction
    family: Family
    control: str | None
    alpha: float
    engine: Engine
    algorithms: Sequence[str] | None
    missing: str
    tie_tolerance: float
    n_resamples: int
    confidence: float
    rope: float
    prior_weight: float
    random_state: int
    deep: bool
    kendall: Kendall
    inference: Inference
    strata: Strata
    n_strata: int


def document_settings(target: Any) -> None:
    """Write every setting into the documentation of a class or function, where it has a place."""
    # Without docstrings (python -OO) there is nothing to write into.
    if target.__doc__:
        target.__doc__ = inspect.cleandoc(target.__doc__).replace(PLACE, _parameters())


def _parameters() -> str:
    lines = []
    for field_ in fields(Settings):
        item = OPTIONS[field_.name]
        kind = "{" + ", ".join(map(repr, item.choices)) + "}, " if item.choices else ""
        meanings = "; ".join(
            f"``{value}``, {choice.name}" for value, choice in item.choices.items()
        )
        lines.append(f"{field_.name} : {kind}default {field_.default!r}")
        lines.append(f"    {item.help}{': ' if meanings else ''}{meanings}.")
    return "\n".join(lines)


document_settings(Settings)
