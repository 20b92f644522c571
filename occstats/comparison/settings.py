"""What can be chosen in a comparison: every choice, its default, and its check, in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from occstats.errors import ArgumentError
from occstats.text import did_you_mean

__all__ = ["CHOICES", "Settings"]

Test = Literal["rgl", "ds", "dataset-means", "wilcoxon"]
Null = Literal["asymptotic", "exact", "permutation"]
Alternative = Literal["greater", "less", "two-sided"]
Correction = Literal[
    "holm", "hochberg", "bonferroni", "benjamini-hochberg", "benjamini-yekutieli", "none"
]
Family = Literal["row", "all", "control"]
Missing = Literal["refuse", "complete", "pairwise"]
Engine = Literal["native", "clusrank", "rscript", "both"]
Kendall = Literal["product", "sum", "hyperbolic", "plain"]
Inference = Literal["cr1", "cr2", "hc3", "classical"]
Strata = Literal["width", "quantile"]

CHOICES: dict[str, tuple[str, ...]] = {
    "test": get_args(Test),
    "null": get_args(Null),
    "alternative": get_args(Alternative),
    "correction": get_args(Correction),
    "family": get_args(Family),
    "missing": get_args(Missing),
    "engine": get_args(Engine),
    "kendall": get_args(Kendall),
    "inference": get_args(Inference),
    "strata": get_args(Strata),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The choices of one comparison; the defaults are those of Lenz et al. (2021).

    Parameters
    ----------
    test
        ``rgl`` (Rosner-Glynn-Lee) and ``ds`` (Datta-Satten) take clusters into account;
        ``dataset-means`` is the Wilcoxon signed-rank test on the mean difference per data set;
        ``wilcoxon`` ignores clusters and is there to show what that would have said.
    null
        Where the p-value comes from: the normal approximation, the exact distribution under
        flipped signs of whole clusters, or a sample of that distribution.
    alternative
        ``greater``: the row's algorithm is better than the column's.
    correction, family, control
        The correction for multiple tests, and over which tests: those of one algorithm against all
        others (``row``), all tests (``all``), or those against one ``control``.
    alpha
        The level at which the verdict calls a corrected p-value significant.
    algorithms
        Compare only these (and rank only these against each other).
    missing
        What to do about tasks that some algorithm lacks.
    tie_tolerance
        Differences are rounded to multiples of this before they are ranked, so that
        0.3 − 0.2 and 0.2 − 0.1 tie; 0 ranks the raw floating-point numbers.
    engine
        ``native``; R's clusrank embedded (``clusrank``) or in a process of its own (``rscript``);
        or ``both``, which computes natively and reports the largest deviation from clusrank.
    kendall
        The weight of a pair of tasks in Kendall's τ.
    inference
        The standard errors of the regression.
    strata, n_strata
        Strata of difficulty (the task's median score) of equal width or with equal numbers of
        tasks.
    n_resamples, confidence, random_state
        Resamples of data sets, level of the intervals, and the seed of everything that is random.
    rope, prior_weight
        Of the Bayesian comparison: half-width of the region of practical equivalence, and the
        weight of the pseudo-observation at zero that is its prior, in data sets.
    deep
        Also what costs more than a second or two: power, and the specification table.

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

    test: Test = "rgl"
    null: Null = "asymptotic"
    alternative: Alternative = "greater"
    correction: Correction = "holm"
    family: Family = "row"
    control: str | None = None
    alpha: float = 0.05
    algorithms: tuple[str, ...] | None = None
    missing: Missing = "refuse"
    tie_tolerance: float = 1e-9
    engine: Engine = "native"
    kendall: Kendall = "product"
    inference: Inference = "cr1"
    strata: Strata = "width"
    n_strata: int = 5
    n_resamples: int = 10_000
    confidence: float = 0.95
    rope: float = 0.01
    prior_weight: float = 1.0
    random_state: int = 0
    deep: bool = False

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            _check_choice(name, getattr(self, name), allowed)
        _check_number("alpha", self.alpha, "between 0 and 1", lambda value: 0 < value < 1)
        _check_number("confidence", self.confidence, "between 0 and 1", lambda value: 0 < value < 1)
        _check_number("tie_tolerance", self.tie_tolerance, "0 or more", lambda value: value >= 0)
        _check_number("rope", self.rope, "0 or more", lambda value: value >= 0)
        _check_number("prior_weight", self.prior_weight, "0 or more", lambda value: value >= 0)
        _check_integer("n_resamples", self.n_resamples, 100)
        _check_integer("n_strata", self.n_strata, 1)
        _check_integer("random_state", self.random_state, 0)
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
        if self.test == "ds" and self.null == "exact":
            raise ArgumentError(
                "test 'ds' has no exact null distribution: use null 'permutation' "
                "(or test 'rgl' with null 'exact')"
            )
        if self.engine != "native" and self.test not in ("rgl", "ds"):
            raise ArgumentError(
                f"engine {self.engine!r} computes only tests 'rgl' and 'ds'; got test "
                f"{self.test!r}: use engine 'native'"
            )

    @property
    def clustered(self) -> bool:
        """Whether the test respects that tasks of one data set are not independent."""
        return self.test != "wilcoxon"


def _check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ArgumentError(
            f"{name} must be one of {', '.join(allowed)}; got {value!r}"
            f"{did_you_mean(str(value), allowed)}"
        )


def _check_number(name: str, value: Any, rule: str, valid: Any) -> None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} must be a number {rule}; got {value!r}") from None
    if not (math.isfinite(number) and valid(number)):
        raise ArgumentError(f"{name} must be {rule}; got {value!r}")


def _check_integer(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise ArgumentError(f"{name} must be an integer of at least {least}; got {value!r}")
