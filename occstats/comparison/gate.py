"""Is a candidate good enough beside a baseline: one word, one line, one exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from occstats.comparison.pairs import BETTER, WORSE
from occstats.results.aliases import score_word
from occstats.text import count, minus_signs, p_value, printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["EXIT_CODES", "Gate", "judge"]

EXIT_CODES = {"superior": 0, "non-inferior": 0, "inconclusive": 3, "inferior": 4}


@dataclass(frozen=True)
class Gate:
    """The outcome, and the line that reports it.

    Attributes
    ----------
    outcome : {"superior", "non-inferior", "inconclusive", "inferior"}
        Better than the baseline; not worse by the margin or more; neither; worse.
    line : str
        The outcome with difference, clustered standard error, interval, p-value, design effect and
        detectable difference, in Markdown.
    """

    outcome: str
    line: str

    @property
    def exit_code(self) -> int:
        """0 for a candidate that may pass, 3 if that is not known, 4 if it is worse."""
        return EXIT_CODES[self.outcome]


def judge(comparison: Comparison, candidate: str, baseline: str) -> Gate:
    """Judge a candidate by a comparison of it with the baseline alone.

    Examples
    --------
    >>> from occstats import compare
    >>> found = compare("lenz2021", algorithms=["ALP", "SAE"], n_resamples=500)
    >>> judge(found, "ALP", "SAE").outcome, judge(found, "SAE", "ALP").exit_code
    ('superior', 4)
    """
    pairs, reach = comparison.pairwise, comparison.design.detectable
    row = pairs[(pairs["a"] == candidate) & (pairs["b"] == baseline)].iloc[0]
    outcome = _outcome(row, comparison.settings.alpha)
    results, m = comparison.results, int(reach["n_clusters"].iloc[0])
    level = f"{100 * comparison.settings.confidence:g} %"
    p = p_value(row["p_simultaneous"])
    difference, low, high = (
        minus_signs(f"{row[name]:+.3g}")
        for name in ("mean_difference", "difference_ci_low", "difference_ci_high")
    )
    parts = [
        f"SE {reach['standard_error'].iloc[0]:.3g}",
        f"{level} interval {low} to {high}",
        f"p {p}" if p.startswith("<") else f"p = {p}",
        f"design effect {comparison.diagnostics['design_effect'].iloc[0]:.2g}",
        f"detectable ±{reach['minimal_detectable'].iloc[0]:.3g}",
    ]
    if comparison.settings.margin is not None:
        parts.append(f"margin {comparison.settings.margin:g}")
    score = score_word(results.score_name)
    evidence = results.evidence if results.nested else count(m, "data set")
    return Gate(
        outcome,
        f"**{outcome}**: {printable(candidate)} beside {printable(baseline)}: "
        f"{difference} {score} ({'; '.join(parts)}; {evidence})",
    )


def _outcome(row: Any, alpha: float) -> str:
    if row["conclusion"] == BETTER:
        return "superior"
    if row.get("p_not_worse", 1.0) <= alpha:
        return "non-inferior"
    return "inferior" if row["conclusion"] == WORSE else "inconclusive"
