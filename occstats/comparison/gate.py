"""Judge a candidate by its baseline: one word, one line, one exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from occstats.comparison.decision import EQUIVALENT
from occstats.results.aliases import score_word
from occstats.text import count, minus_signs, p_equation, printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["EXIT_CODES", "Gate", "judge"]

EXIT_CODES = {"superior": 0, "non-inferior": 0, "inconclusive": 3, "inferior": 4}


@dataclass(frozen=True)
class Gate:
    """The outcome, and the lines that report it.

    Attributes
    ----------
    outcome : {"superior", "non-inferior", "inconclusive", "inferior"}
        The interval of the mean difference lies above 0; above minus the margin; neither; below 0.
    line : str
        The outcome with the mean difference, its confidence interval and p-value, in Markdown.
    caution : str
        What so many datasets cannot exclude.
    """

    outcome: str
    line: str
    caution: str

    @property
    def exit_code(self) -> int:
        """0 for a candidate that may pass, 3 if that is not known, 4 if it is worse."""
        return EXIT_CODES[self.outcome]


def judge(comparison: Comparison, candidate: str, baseline: str) -> Gate:
    """Judge a candidate by a comparison of mean scores with the baseline alone.

    The two-sided 1 − α interval of the mean difference decides, so that non-inferiority is tested
    one-sided at α/2, as ICH E9 recommends.

    Examples
    --------
    >>> from occstats import compare
    >>> found = compare(
    ...     "lenz2021", algorithms=["ALP", "SAE"], estimand="mean", n_resamples=500
    ... )
    >>> judge(found, "ALP", "SAE").outcome, judge(found, "SAE", "ALP").exit_code
    ('superior', 4)
    """
    pairs = comparison.pairwise
    row = pairs[(pairs["a"] == candidate) & (pairs["b"] == baseline)].iloc[0]
    margin, m = comparison.settings.margin, int(row["n_datasets"])
    outcome = _outcome(row, margin)
    caution = (
        f"A failure that hits up to {300 / m:.2g} % of all {comparison.results.unit}s (3/{m}) may "
        f"be in none of these {m}."
    )
    names = printable(candidate), printable(baseline)
    if row["conclusion"] == EQUIVALENT and row["difference"] == row["ci_low"] == row["ci_high"]:
        tasks = count(int(row["n_tasks"]), "task")
        line = f"**{outcome}**: {names[0]} has the same mean score as {names[1]} on all datasets"
        if row["ties"] == row["n_tasks"]:
            line = f"**{outcome}**: {names[0]} has the same scores as {names[1]} on all {tasks}"
        return Gate(outcome, f"{line}.", caution)
    return Gate(outcome, f"**{outcome}**: {_evidence(comparison, row, names)}", caution)


def _evidence(comparison: Comparison, row: Any, names: tuple[str, str]) -> str:
    difference, low, high, typical = (
        minus_signs(f"{row[name] + 0.0:+.3g}")
        for name in ("difference", "ci_low", "ci_high", "typical_difference")
    )
    settings = comparison.settings
    parts = [
        f"{100 * (1 - settings.alpha):g} % CI {low} to {high}",
        p_equation(row["p"], settings.alpha),
    ]
    if settings.margin is not None:
        parts.append(f"margin {settings.margin:g}")
    parts.append(comparison.results.evidence)
    score = score_word(comparison.results.score_name)
    line = f"{names[0]} − {names[1]} = {difference} mean {score} ({'; '.join(parts)})."
    if row["difference"] * row["typical_difference"] < 0:
        line += f" On a typical task the difference is {typical}."
    return line


def _outcome(row: Any, margin: float | None) -> str:
    """By the interval alone, so that the word and the numbers beside it agree."""
    low, high = row["ci_low"], row["ci_high"]
    if low > 0:
        return "superior"
    if low == high == 0 or (margin is not None and low > -margin):
        return "non-inferior"
    return "inferior" if high < 0 else "inconclusive"
