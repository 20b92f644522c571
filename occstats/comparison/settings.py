"""What can be chosen in a comparison, each option declared once.

A field of `Settings` has its default, choices, check, help and label; the documentation of
`compare`, the options of the command line, the record in ``meta`` and the list of settings in the
report are made from it.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from occstats.checks import check_choice, check_fraction, check_integer, check_number
from occstats.comparison.choices import (
    ALTERNATIVES,
    CORRECTIONS,
    ENGINES,
    FAMILIES,
    INFERENCES,
    KENDALLS,
    MEDIANS,
    MISSING,
    NULLS,
    PRESETS,
    RULES,
    STRATA,
    TESTS,
    chosen,
)
from occstats.comparison.option import (
    Alternative,
    Correction,
    Engine,
    Family,
    Inference,
    Kendall,
    Median,
    Null,
    Option,
    Preset,
    Rule,
    Strata,
    Test,
    option,
)
from occstats.errors import ArgumentError

__all__ = ["OPTIONS", "Option", "Settings", "document_settings"]


# Where the documentation of a class or function lists the settings.
PLACE = "<settings>"


# Not a number until the scores are known: the scale of the score decides.
BY_SCALE = float("nan")
UNIT_ROPE, UNIT_TIE_TOLERANCE = 0.01, 1e-9


def not_negative(name: str, value: Any) -> None:
    """Refuse a negative number; not a number stands for "as the scale of the score has it"."""
    if not (isinstance(value, float) and math.isnan(value)):
        check_number(name, value, least=0)


def positive(name: str, value: float | None) -> None:
    """Refuse a number that is not above zero; None is none."""
    if value is not None:
        check_number(name, value, above=0)


TESTING, WHAT, DEPTH, TASKS = "Tests", "What is compared", "Uncertainty", "Tasks"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The choices of one comparison.

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
    occstats.errors.ArgumentError: test must be one of rgl, ds, \
dataset-means, wilcoxon; got 'rlg' (did you mean 'rgl'?)
    """

    preset: Preset | None = option(
        None,
        "Choices that belong together; an option given beside it wins",
        TESTING,
        "preset",
        choices=PRESETS,
    )
    rule: Rule = option(
        "max-t", "What the conclusions about pairs rest on", TESTING, "rule", choices=RULES
    )
    test: Test = option("rgl", "The test of a pair of algorithms", TESTING, "test", choices=TESTS)
    null: Null = option(
        "asymptotic",
        "Where the p-values of the tables come from",
        TESTING,
        "null distribution",
        choices=NULLS,
    )
    alternative: Alternative = option(
        "greater",
        "What the test of (row, column) in the tables is about",
        TESTING,
        "alternative",
        choices=ALTERNATIVES,
    )
    correction: Correction = option(
        "holm",
        "Correction of the tests in the tables",
        TESTING,
        "correction",
        choices=CORRECTIONS,
    )
    family: Family = option(
        "row",
        "Which tests in the tables are corrected together",
        TESTING,
        "family of tests",
        choices=FAMILIES,
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
        BY_SCALE,
        "Differences are rounded to multiples of this before they are ranked, so that 0.3 − 0.2 "
        "and 0.2 − 0.1 tie; 0 ranks the raw floats",
        WHAT,
        "tie tolerance",
        check=not_negative,
        usual=f"{UNIT_TIE_TOLERANCE:g} of the scale of the score, which is 1 for scores in 0 … 1",
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
        BY_SCALE,
        "Half-width of the region of practical equivalence, in the posteriors; given alone, also "
        "the margin",
        DEPTH,
        "region of practical equivalence",
        check=not_negative,
        usual=f"{UNIT_ROPE:g} of the scale of the score",
    )
    margin: float | None = option(
        None,
        "The difference that would matter: test which pairs differ by less (equivalence) and who "
        "is not worse by as much (non-inferiority); given alone, also the rope",
        DEPTH,
        "margin of equivalence",
        check=positive,
        metavar="NUMBER",
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
        False, "Also compute the power of every pair, which takes longer", DEPTH, "deep analysis"
    )
    kendall: Kendall = option(
        "product",
        "Weight of a pair of tasks in Kendall's τ",
        TASKS,
        "weights of Kendall's τ",
        choices=KENDALLS,
    )
    inference: Inference = option(
        "cr2",
        "Standard errors of the regression of ranks on traits",
        TASKS,
        "inference of the regression",
        choices=INFERENCES,
    )
    median: Median = option(
        "all",
        "Algorithms whose median score measures the difficulty of a task in the regression",
        TASKS,
        "median score in the regression",
        choices=MEDIANS,
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
        """Settings as a user gives them: a preset fills in, a control implies its family."""
        # Both say which difference would matter: given alone, one of them stands for the other.
        rope, margin = chosen.get("rope"), chosen.get("margin")
        if rope is not None and margin is None and rope > 0:
            chosen["margin"] = rope
        elif margin is not None and rope is None:
            chosen["rope"] = margin
        preset = chosen.get("preset")
        if preset is not None:
            check_choice("preset", preset, PRESETS)
            chosen = {**PRESETS[preset].settings, **chosen}
            if chosen.get("control") is not None and chosen["family"] == "row":
                chosen["family"] = "control"
        if chosen.get("control") is not None:
            chosen.setdefault("family", "control")
        for name in ("rope", "tie_tolerance"):
            if name in chosen and chosen[name] is None:
                del chosen[name]
        names = chosen.get("algorithms")
        if names is not None:
            chosen["algorithms"] = (names,) if isinstance(names, str) else tuple(names)
        return cls(**chosen)

    def __post_init__(self) -> None:
        for name, declared in OPTIONS.items():
            value = getattr(self, name)
            unset = name == "preset" and value is None
            if declared.choices and not unset and chosen(declared.choices, str(value)) is None:
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
        if ENGINES[self.engine].needs_r and not TESTS[self.test].in_r:
            raise ArgumentError(
                f"engine {self.engine!r} computes only tests 'rgl' and 'ds'; got test "
                f"{self.test!r}: use engine 'native'"
            )

    @property
    def deciding_p(self) -> str:
        """The column of ``pairwise`` whose p-values the conclusions rest on, not clipped at 1."""
        return "p_simultaneous" if self.rule == "max-t" else "p_adjusted_unclipped"

    @property
    def clustered(self) -> bool:
        """Whether the test respects that tasks of one data set are not independent."""
        return TESTS[self.test].clustered

    @property
    def regression_corrected(self) -> bool:
        """True unless the preset reproduces the paper, whose regression table is uncorrected."""
        return self.preset != "paper"

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

    def on_scale(self, scale: float) -> Settings:
        """The settings with the region of equivalence and the tie tolerance of a score's scale.

        Examples
        --------
        >>> Settings().on_scale(1.0).rope, Settings(rope=0.5).on_scale(1000.0).rope
        (0.01, 0.5)
        """
        usual = {"rope": UNIT_ROPE, "tie_tolerance": UNIT_TIE_TOLERANCE}
        open_ = {
            name: scale * unit for name, unit in usual.items() if math.isnan(getattr(self, name))
        }
        return replace(self, **open_)  # type: ignore[arg-type]

    def record(self) -> dict[str, Any]:
        """What was chosen, for the record."""
        return {name: getattr(self, name) for name, item in OPTIONS.items() if item.recorded}


OPTIONS: dict[str, Option] = {item.name: Option(**item.metadata) for item in fields(Settings)}


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
        lines.append(f"{field_.name} : {kind}default {item.usual or repr(field_.default)}")
        lines.append(f"    {item.help}{': ' if meanings else ''}{meanings}.")
    return "\n".join(lines)


document_settings(Settings)
