"""The settings of a comparison, each declared once.

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

from occstats._checks import check_choice, check_fraction, check_integer, check_number
from occstats.comparison.choices import (
    ALTERNATIVES,
    CORRECTIONS,
    ENGINES,
    ESTIMANDS,
    FAMILIES,
    INFERENCES,
    KENDALLS,
    MEDIANS,
    MISSING,
    NULLS,
    PRESETS,
    STRATA,
    TESTS,
    chosen,
)
from occstats.comparison.option import (
    Alternative,
    Correction,
    Engine,
    Estimand,
    Family,
    Inference,
    Kendall,
    Median,
    Null,
    Option,
    Preset,
    Strata,
    Test,
    option,
)
from occstats.errors import ArgumentError

__all__ = ["OPTIONS", "Option", "Settings", "document_settings"]


# Where the documentation of a class or function lists the settings.
PLACE = "<settings>"


# Not a number until the scores are known: the default follows from the scale of the score.
BY_SCALE = float("nan")
UNIT_ROPE, UNIT_TIE_TOLERANCE = 0.01, 1e-9


def not_negative(name: str, value: Any) -> None:
    """Refuse a negative number; NaN is the default by the scale of the score."""
    if not (isinstance(value, float) and math.isnan(value)):
        check_number(name, value, least=0)


def positive(name: str, value: float | None) -> None:
    """Refuse a number that is not above zero; None is no margin."""
    if value is not None:
        check_number(name, value, above=0)


# Options and values of version 0.2, and what replaces them.
REPLACED = {
    "rule": "was removed, as each pair has one decision: set correction=…, family=…, "
    "alternative=… and null=…, or preset='paper' for those of Lenz et al.",
    "confidence": "was removed, as intervals have the level 1 − α: set alpha=…",
    "null=permutation": "is called null='flips' now",
    "null=exact": "was removed: occstats.stats.clustered_wilcoxon computes the exact test",
    "test=wilcoxon": "was removed, as it ignores clusters: see the column p_ignoring_clusters, or "
    "occstats.stats.pairwise_tests",
    "test=dataset-means": "was removed: set estimand='mean', or see occstats.stats.pairwise_tests",
    "test=ds-weighted": "was removed: set estimand='mean' to give each dataset equal weight",
}
# The null distributions that an estimand can have, the default first.
_NULLS_OF: dict[Estimand, tuple[Null, Null]] = {
    "typical": ("flips", "asymptotic"),
    "mean": ("bootstrap", "asymptotic"),
}

TESTING, WHAT, DEPTH, TASKS = "Tests", "What is compared", "Uncertainty", "Tasks"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one comparison.

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
    occstats.errors.ArgumentError: test must be one of rgl, ds; got 'rlg' (did you mean 'rgl'?)
    """

    preset: Preset | None = option(
        None,
        "Predefined options; explicit options override them",
        TESTING,
        "preset",
        choices=PRESETS,
    )
    estimand: Estimand | None = option(
        None,
        "What better means",
        TESTING,
        "estimand",
        choices=ESTIMANDS,
        usual="typical; mean for 0/1 scores and with a margin",
    )
    test: Test = option(
        "rgl", "Clustered signed-rank test of the estimand typical", TESTING, "test", choices=TESTS
    )
    correction: Correction = option(
        "max-t",
        "Correction for the number of tests",
        TESTING,
        "correction",
        choices=CORRECTIONS,
        usual="max-t; holm with an R backend",
    )
    family: Family = option(
        "all",
        "Tests that are corrected together",
        TESTING,
        "family of tests",
        choices=FAMILIES,
        usual="all; control if there is a control",
    )
    alternative: Alternative = option(
        "two-sided",
        "Alternative hypothesis about (row, column)",
        TESTING,
        "alternative",
        choices=ALTERNATIVES,
    )
    null: Null | None = option(
        None,
        "Null distribution of the tests",
        TESTING,
        "null distribution",
        choices=NULLS,
        usual="flips, or bootstrap for the estimand mean; asymptotic with an R backend",
    )
    control: str | None = option(
        None,
        "Many-to-one comparison of this algorithm against all others",
        TESTING,
        "control",
        metavar="NAME",
    )
    alpha: float = option(
        0.05,
        "Significance level; confidence intervals have the level 1 − α",
        TESTING,
        "level α",
        check=check_fraction,
    )
    engine: Engine = option(
        "native",
        "Backend of the tests; all but native need R",
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
        "Resamples of datasets, for p-values and intervals",
        DEPTH,
        "resamples",
        check=partial(check_integer, least=100),
    )
    rope: float = option(
        BY_SCALE,
        "Half-width of the region of practical equivalence of the posteriors",
        DEPTH,
        "region of practical equivalence",
        check=not_negative,
        usual=f"the margin, or {UNIT_ROPE:g} of the scale of the score",
    )
    margin: float | None = option(
        None,
        "The smallest difference that would matter: pairs whose interval lies within ± this are "
        "equivalent",
        DEPTH,
        "margin of equivalence",
        check=positive,
        metavar="NUMBER",
    )
    prior_weight: float = option(
        1.0,
        "Weight of the Bayesian prior at no difference, in datasets",
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
        """Return the settings that a user's choices imply: a preset and a control fill in others.

        Examples
        --------
        >>> Settings.of(preset="paper").correction, Settings.of(control="SVM").family
        ('holm', 'control')
        """
        for name, value in chosen.items():
            answer = REPLACED.get(name) or REPLACED.get(f"{name}={value}")
            if answer:
                raise ArgumentError(f"{name}={value!r} {answer}")
        chosen = {name: value for name, value in chosen.items() if value is not None}
        implied: dict[str, Any] = {}
        if "preset" in chosen:
            check_choice("preset", chosen["preset"], PRESETS)
            implied |= PRESETS[chosen["preset"]].settings
        if "control" in chosen:
            implied["family"] = "control"
        if "margin" in chosen:
            implied["rope"] = chosen["margin"]
        engine = ENGINES.get(chosen.get("engine", "native"))
        if engine is not None and engine.needs_r:
            implied = {
                "correction": "holm",
                **implied,
                "null": "asymptotic",
                "estimand": "typical",
            }
        names = chosen.get("algorithms")
        if names is not None:
            chosen["algorithms"] = (names,) if isinstance(names, str) else tuple(names)
        return cls(**{**implied, **chosen})

    def __post_init__(self) -> None:
        for name, declared in OPTIONS.items():
            value = getattr(self, name)
            if declared.choices and value is not None and not chosen(declared.choices, str(value)):
                check_choice(name, value, declared.choices)
            if declared.check is not None:
                declared.check(name, value)
        self._check_combinations()

    def _check_combinations(self) -> None:
        if self.family == "control" and self.control is None:
            raise ArgumentError("family='control' needs an algorithm: set control=…")
        if self.control is not None and self.family != "control":
            raise ArgumentError(
                f"control={self.control!r} is a family of its own; got family={self.family!r}: "
                "leave family out"
            )
        if self.correction == "max-t":
            for name, allowed, why in (
                ("alternative", ("two-sided",), "is two-sided"),
                ("null", ("flips", "bootstrap", None), "resamples datasets"),
                ("family", ("all", "control"), "corrects over all pairs"),
            ):
                value = getattr(self, name)
                if value not in allowed:
                    raise ArgumentError(
                        f"correction='max-t' {why}; got {name}={value!r}: set correction='holm'"
                    )
        if self.family == "row" and self.alternative == "two-sided":
            raise ArgumentError(
                "family='row' asks what an algorithm is better than, which takes one-sided tests: "
                "set alternative='greater', or family='all'"
            )
        if self.margin is not None and not self.has_intervals:
            raise ArgumentError(
                f"margin={self.margin:g} needs confidence intervals; got "
                f"correction={self.correction!r} and alternative={self.alternative!r}: set "
                "correction='max-t' and alternative='two-sided'"
            )
        if self.estimand == "mean" and self.test != "rgl":
            raise ArgumentError(
                f"test={self.test!r} is a test of the estimand typical; got estimand='mean': set "
                "estimand='typical', or leave test out"
            )
        if self.estimand and self.null and self.null not in _NULLS_OF[self.estimand]:
            usual, other = _NULLS_OF[self.estimand]
            raise ArgumentError(
                f"estimand={self.estimand!r} has no null={self.null!r}: set null={usual!r} or "
                f"null={other!r}"
            )
        if ENGINES[self.engine].needs_r and (self.null, self.estimand) != ("asymptotic", "typical"):
            raise ArgumentError(
                f"engine={self.engine!r} computes asymptotic signed-rank tests; got "
                f"estimand={self.estimand!r} and null={self.null!r}: set estimand='typical' and "
                "null='asymptotic', or engine='native'"
            )

    @property
    def has_intervals(self) -> bool:
        """Whether confidence intervals belong to the tests."""
        corrected = self.correction in ("max-t", "bonferroni", "none")
        return corrected and self.alternative == "two-sided"

    @property
    def regression_corrected(self) -> bool:
        """Whether the p-values of the regression are corrected for their number."""
        return self.preset != "paper"

    def for_scores(self, *, binary: bool) -> Settings:
        """Return the settings with the estimand and null distribution that the scores call for.

        Examples
        --------
        >>> found = Settings().for_scores(binary=True)
        >>> found.estimand, found.null
        ('mean', 'bootstrap')
        """
        estimand = self.estimand
        if estimand is None:
            ranks = self.null == "flips" or self.test != "rgl"
            means = binary or self.margin is not None or self.null == "bootstrap"
            estimand = "mean" if means and not ranks else "typical"
        return replace(self, estimand=estimand, null=self.null or _NULLS_OF[estimand][0])

    def on_scale(self, scale: float) -> Settings:
        """Return the settings with the rope and the tie tolerance of a score's scale.

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
        """Return the settings for the record."""
        return {name: getattr(self, name) for name, item in OPTIONS.items() if item.recorded}


OPTIONS: dict[str, Option] = {item.name: Option(**item.metadata) for item in fields(Settings)}


def document_settings(target: Any) -> None:
    """Write every setting into the documentation of a class or function."""
    # There is no docstring under python -OO.
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
