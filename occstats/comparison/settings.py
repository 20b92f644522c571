"""The settings of a comparison: their types, the checks, and what one implies for another.

:func:`occstats.compare` describes them. The command line reads this module for its help, which
must not import a heavy library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from occstats._checks import check_choice, check_fraction, check_integer, check_number
from occstats.errors import ArgumentError

Preset = Literal["paper"]
Estimand = Literal["typical", "mean"]
Test = Literal["rgl", "ds"]
Correction = Literal[
    "max-t",
    "holm",
    "hochberg",
    "bonferroni",
    "benjamini-hochberg",
    "benjamini-yekutieli",
    "none",
]
Family = Literal["all", "control", "row", "measures"]
Alternative = Literal["two-sided", "greater", "less"]
Null = Literal["flips", "bootstrap", "asymptotic"]
Engine = Literal["native", "rpy2", "rscript", "both"]
Inference = Literal["cr1", "cr2"]

CHOICES: dict[str, tuple[str, ...]] = {
    "preset": get_args(Preset),
    "estimand": get_args(Estimand),
    "test": get_args(Test),
    "correction": get_args(Correction),
    "family": get_args(Family),
    "alternative": get_args(Alternative),
    "null": get_args(Null),
    "engine": get_args(Engine),
    "inference": get_args(Inference),
}
#: The names of the estimands in prose.
ESTIMANDS = {"typical": "typical difference", "mean": "mean difference"}
#: The settings of Lenz et al. (2021).
PAPER: dict[str, str | float] = {
    "estimand": "typical",
    "test": "rgl",
    "null": "asymptotic",
    "alternative": "greater",
    "correction": "holm",
    "family": "row",
    "tie_tolerance": 1e-9,
    "rope": 0.01,
    "inference": "cr1",
}
# The settings in ``meta``, with their names in the report.
LABELS = {
    "preset": "preset",
    "estimand": "estimand",
    "test": "test",
    "correction": "correction",
    "family": "family of tests",
    "alternative": "alternative",
    "null": "null distribution",
    "control": "control",
    "alpha": "level α",
    "missing": "missing cells",
    "tie_tolerance": "tie tolerance",
    "n_resamples": "resamples",
    "rope": "region of practical equivalence",
    "margin": "margin of equivalence",
    "random_state": "random state",
    "inference": "inference of the regression",
}
# The null distributions of an estimand, the default first.
_NULLS_OF: dict[Estimand, tuple[Null, Null]] = {
    "typical": ("flips", "asymptotic"),
    "mean": ("bootstrap", "asymptotic"),
}
# Defaults for scores in 0 … 1; they are proportional to the scale of the score.
_ON_UNIT_SCALE = {"rope": 0.01, "tie_tolerance": 1e-9}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of one comparison; :func:`occstats.compare` describes them.

    `rope` and `tie_tolerance` are NaN until the scale of the score is known; `explicit` names the
    settings that do not follow from others.

    Examples
    --------
    >>> Settings(alpha=0.01).alpha
    0.01
    >>> Settings(test="rlg")
    Traceback (most recent call last):
    ...
    occstats.errors.ArgumentError: test must be one of rgl, ds; got 'rlg' (did you mean 'rgl'?)
    """

    preset: Preset | None = None
    estimand: Estimand | None = None
    test: Test = "rgl"
    correction: Correction = "max-t"
    family: Family = "all"
    alternative: Alternative = "two-sided"
    null: Null | None = None
    control: str | None = None
    alpha: float = 0.05
    engine: Engine = "native"
    algorithms: tuple[str, ...] | None = None
    missing: str = "refuse"
    tie_tolerance: float = math.nan
    n_resamples: int = 10_000
    rope: float = math.nan
    margin: float | None = None
    random_state: int = 0
    inference: Inference = "cr2"
    explicit: tuple[str, ...] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, **given: Any) -> Settings:
        """Return the settings that explicit ones imply; None means not given.

        Examples
        --------
        >>> Settings.of(preset="paper").correction, Settings.of(control="SVM").family
        ('holm', 'control')
        """
        given = {name: value for name, value in given.items() if value is not None}
        implied: dict[str, Any] = {}
        if "preset" in given:
            check_choice("preset", given["preset"], CHOICES["preset"])
            implied |= PAPER
        if "control" in given:
            implied["family"] = "control"
        if "margin" in given:
            implied["rope"] = given["margin"]
        if given.get("engine") in ("rpy2", "rscript", "both"):
            implied = {"correction": "holm"} | implied
            implied |= {"null": "asymptotic", "estimand": "typical"}
        names = given.get("algorithms")
        if names is not None:
            if not isinstance(names, Iterable):
                raise ArgumentError(f"algorithms must be a list of names; got {names!r}")
            given["algorithms"] = (names,) if isinstance(names, str) else tuple(names)
        return cls(**implied | given, explicit=tuple(given))

    def __post_init__(self) -> None:
        if self.explicit is None:  # compared by identity, because NaN differs from itself
            held = {item.name: (getattr(self, item.name), item.default) for item in fields(self)}
            changed = tuple(name for name, (value, default) in held.items() if value is not default)
            object.__setattr__(self, "explicit", changed)
        for name, choices in CHOICES.items():
            if getattr(self, name) is not None:
                check_choice(name, getattr(self, name), choices)
        if not isinstance(self.control, str | None):
            raise ArgumentError(f"control must be the name of one algorithm; got {self.control!r}")
        check_fraction("alpha", self.alpha)
        # A number from 0.5 on is probably a confidence level.
        check_number("alpha", self.alpha, above=0, below=0.5)
        check_integer("n_resamples", self.n_resamples, least=100)
        check_integer("random_state", self.random_state, least=0)
        if self.margin is not None:
            check_number("margin", self.margin, above=0)
        for name in _ON_UNIT_SCALE:
            value = getattr(self, name)
            if not (isinstance(value, float) and math.isnan(value)):
                check_number(name, value, least=0)
        self._check_combinations()

    def _check_combinations(self) -> None:
        if self.family == "measures":
            raise ArgumentError("family='measures' needs two or more scores")
        if self.family == "control" and self.control is None:
            raise ArgumentError("family='control' needs an algorithm: set control=…")
        if self.control is not None and self.family != "control":
            raise ArgumentError(
                f"control={self.control!r} implies family='control'; got family={self.family!r}: "
                "leave family out"
            )
        if self.family == "row" and self.alternative == "two-sided":
            other = " and correction='holm'" if self.correction == "max-t" else ""
            raise ArgumentError(
                "family='row' needs one-sided tests (an algorithm is better than others): "
                f"set alternative='greater'{other}, or family='all'"
            )
        if self.correction == "max-t":
            for name, allowed, why in (
                ("alternative", ("two-sided",), "is two-sided"),
                ("null", ("flips", "bootstrap", None), "resamples datasets"),
                ("family", ("all", "control"), "corrects over all pairs"),
            ):
                value = getattr(self, name)
                if value not in allowed:
                    given = self.preset is None or name in (self.explicit or ())
                    origin = "got" if given else f"preset={self.preset!r} sets"
                    raise ArgumentError(
                        f"correction='max-t' {why}; {origin} {name}={value!r}: set "
                        "correction='holm'"
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
        in_r = (self.null, self.estimand) == ("asymptotic", "typical")
        if self.engine != "native" and not in_r:
            raise ArgumentError(
                f"engine={self.engine!r} computes asymptotic signed-rank tests; got "
                f"estimand={self.estimand!r} and null={self.null!r}: set estimand='typical' and "
                "null='asymptotic', or engine='native'"
            )

    @property
    def has_intervals(self) -> bool:
        """Return True if confidence intervals belong to the tests."""
        corrected = self.correction in ("max-t", "bonferroni", "none")
        return corrected and self.alternative == "two-sided"

    @property
    def regression_corrected(self) -> bool:
        """Return True if the p-values of the regression are corrected for their number."""
        return self.preset != "paper"

    def for_scores(self, *, binary: bool, scale: float = 1.0) -> Settings:
        """Return the settings with the defaults for the scores and their scale.

        Examples
        --------
        >>> found = Settings().for_scores(binary=True)
        >>> found.estimand, found.null, found.rope
        ('mean', 'bootstrap', 0.01)
        """
        estimand = self.estimand
        if estimand is None:
            ranks = self.null == "flips" or self.test != "rgl"
            means = binary or self.margin is not None or self.null == "bootstrap"
            estimand = "mean" if means and not ranks else "typical"
        scaled: dict[str, Any] = {
            name: scale * unit
            for name, unit in _ON_UNIT_SCALE.items()
            if math.isnan(getattr(self, name))
        }
        null = self.null or _NULLS_OF[estimand][0]
        return replace(self, estimand=estimand, null=null, **scaled)

    @property
    def as_published(self) -> bool:
        """Return True if these are the settings of the paper, chosen by its preset."""
        return self.preset is not None and not self._unlike_the_paper()

    def _unlike_the_paper(self) -> list[str]:
        changed = [name for name, own in PAPER.items() if getattr(self, name) != own]
        return [f"{name} {getattr(self, name)}" for name in changed]

    def preset_note(self) -> str:
        """Return a note on the preset in force, and on the settings that differ from it.

        Examples
        --------
        >>> Settings.of(preset="paper", test="ds", tie_tolerance=1e-9).preset_note()
        'Settings of Lenz et al. (2021), except for test ds.'
        """
        if self.preset is None:
            return ""
        if others := self._unlike_the_paper():
            return f"Settings of Lenz et al. (2021), except for {', '.join(others)}."
        return (
            "Settings of Lenz et al. (2021): one-sided tests with Holm's correction within each "
            "row, which does not control the error rate over all pairs."
        )

    def record(self) -> dict[str, Any]:
        """Return the settings for ``meta``."""
        return {name: getattr(self, name) for name in LABELS}


SETTINGS = tuple(item.name for item in fields(Settings) if item.name != "explicit")
