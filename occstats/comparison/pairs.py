"""Conclusions about pairs: the one place that decides whether an algorithm is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.stats.decisions import conclude
from occstats.stats.multiplicity import AdjustedP, adjust_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from occstats.comparison.settings import Settings

__all__ = ["BETTER", "UNDECIDED", "WORSE", "Conclusion", "Rule", "Tally", "rule_of", "tally"]

Conclusion = Literal["better", "worse", "undecided"]
BETTER: Conclusion = "better"
WORSE: Conclusion = "worse"
UNDECIDED: Conclusion = "undecided"

Booleans = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rule:
    """When one algorithm is called better than another: the correction, the level, in words.

    Attributes
    ----------
    alternative, correction, family, alpha
        As in `Settings`.
    control : int or None
        The column of the control.
    sentence : str
        The rule in words.
    """

    alternative: str
    correction: str
    family: str
    control: int | None
    alpha: float
    sentence: str

    def adjust(self, p: FloatArray) -> AdjustedP:
        """The p-values of all ordered pairs, corrected."""
        return adjust_pairs(
            p, self.family, self.correction, self.control, alternative=self.alternative
        )

    def better(self, p: FloatArray, z: FloatArray, correction: str | None = None) -> Booleans:
        """The matrix "a is better than b", by this correction or another one."""
        return conclude(
            p,
            z,
            alternative=self.alternative,
            correction=correction or self.correction,
            family=self.family,
            control=self.control,
            alpha=self.alpha,
        )

    def conclusions(self, p: FloatArray, z: FloatArray) -> npt.NDArray[np.object_]:
        """The conclusion about a beside b, for all ordered pairs; None where there is no test."""
        return conclusions(self.better(p, z), ~np.isnan(self.adjust(p).clipped))


def rule_of(settings: Settings, algorithms: Sequence[str]) -> Rule:
    """The rule that the settings choose.

    Examples
    --------
    >>> from occstats.comparison import Settings
    >>> rule_of(Settings(correction="none"), ["ALP", "SVM"]).sentence
    'One algorithm is called better than another where the clustered Wilcoxon signed-rank test \
(Rosner-Glynn-Lee), one-sided, uncorrected, has p ≤ 0.05.'
    """
    from occstats.comparison.verdict import describe_test

    return Rule(
        alternative=settings.alternative,
        correction=settings.correction,
        family=settings.family,
        control=None if settings.control is None else list(algorithms).index(settings.control),
        alpha=settings.alpha,
        sentence="One algorithm is called better than another where the "
        f"{describe_test(settings)}, has p ≤ {settings.alpha:g}.",
    )


def conclusions(better: Booleans, tested: Booleans) -> npt.NDArray[np.object_]:
    """Words for the matrix "a is better than b".

    Examples
    --------
    >>> conclusions(np.array([[False, True], [False, False]]), ~np.eye(2, dtype=bool))
    array([[None, 'better'],
           ['worse', None]], dtype=object)
    """
    found = np.full(better.shape, None, dtype=object)
    found[tested | tested.T] = UNDECIDED
    # At a level beyond one half both directions can be significant: that decides nothing.
    found[better & ~better.T] = BETTER
    found[better.T & ~better] = WORSE
    return found


@dataclass(frozen=True)
class Tally:
    """How many unordered pairs were tested, and about how many there is a conclusion.

    Attributes
    ----------
    tested : int
        Pairs with a test.
    different : int
        Pairs of which one is better.
    naive : int
        The same by the test that takes all tasks for independent.
    """

    tested: int
    different: int
    naive: int


def tally(pairwise: pd.DataFrame) -> Tally:
    """Count the unordered pairs.

    Examples
    --------
    >>> tally(pd.DataFrame({"conclusion": ["better", "worse"], "conclusion_naive": "undecided"}))
    Tally(tested=1, different=1, naive=0)
    """
    # Each pair stands there in both orders, with the opposite conclusions.
    main, naive = pairwise["conclusion"], pairwise["conclusion_naive"]
    return Tally(
        tested=int(main.notna().sum()) // 2,
        different=int((main == BETTER).sum()),
        naive=int((naive == BETTER).sum()),
    )
