"""Non-inferiority gate: outcome, evidence and exit code of a candidate and its baseline."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from occstats._format import decimals, minus_signs, p_equation, p_writer, printable
from occstats.comparison.text.verdict import difference_digits, difference_of, main_notes
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison


EXIT_CODES = {"superior": 0, "non-inferior": 0, "inconclusive": 3, "inferior": 4}


@dataclass(frozen=True)
class Gate:
    """The outcome (a key of `EXIT_CODES`), and the sentences that report it."""

    outcome: str
    evidence: str
    #: The failures that this number of datasets cannot exclude.
    caution: str
    #: What `compare` notes on the data and the p-values, too.
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """Return 0 if the candidate passes, 3 if that is inconclusive, 4 if it is inferior."""
        return EXIT_CODES[self.outcome]


def judge(comparison: Comparison, candidate: str, baseline: str) -> Gate:
    """Test a candidate by comparing its mean score with the baseline's.

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
    pairs = comparison.pairwise_full
    row = pairs[(pairs["a"] == candidate) & (pairs["b"] == baseline)].iloc[0]
    names = printable(candidate), printable(baseline)
    if row["ties"] == row["n_tasks"]:
        outcome = "non-inferior"
        evidence = f"{names[0]} has the same scores as {names[1]} ({comparison.results.evidence})."
    else:
        low, high, margin = row["ci_low"], row["ci_high"], comparison.settings.margin
        outcome = "inferior" if high < 0 else "inconclusive"
        if low == high == 0 or (margin is not None and low > -margin):
            outcome = "non-inferior"
        if low > 0:
            outcome = "superior"
        evidence = _evidence(comparison, row, names)
    # A failure with this share is absent from m datasets with probability 0.05.
    m, unit = int(row["n_datasets"]), comparison.results.unit
    caution = (
        f"A failure that affects fewer than about {100 * (1 - 0.05 ** (1 / m)):.2g} % of all "
        f"{unit}s can easily be absent from a sample of {m}."
    )
    return Gate(outcome, evidence, caution, tuple(main_notes(comparison)))


def _evidence(comparison: Comparison, row: Any, names: tuple[str, str]) -> str:
    settings, results = comparison.settings, comparison.results
    # A further digit than in tables, and those of the margin.
    margin = Decimal(f"{settings.margin or 0:g}").as_tuple().exponent
    places = max(difference_digits(comparison) + 1, -int(margin))
    difference, low, high, typical = (
        minus_signs(decimals(places, signed=True)(row[name]))
        for name in ("difference", "ci_low", "ci_high", "typical_difference")
    )
    level = f"{100 * (1 - settings.alpha):g} % CI"
    interval = f"{level} {low} to {high}"
    if np.isinf([row["ci_low"], row["ci_high"]]).all():
        interval = f"no finite {level}"
    parts = [f"{interval}; {p_equation(row['p'], p_writer(settings))}", results.evidence]
    if np.isnan(row["ci_low"]):
        parts[0] = "too few for a confidence interval"
    if settings.margin is not None:
        parts.insert(1, f"margin {decimals(places)(settings.margin)}")
    line = (
        f"The difference in {settings.estimand} {score_word(results.score_name)} "
        f"({'higher' if results.higher_is_better else 'lower'} is better), "
        f"{difference_of(results, *names)}, is {difference} ({'; '.join(parts)})."
    )
    if row["mean_difference"] * row["typical_difference"] < 0:
        better, worse = names if row["typical_difference"] > 0 else names[::-1]
        line += (
            f" {better} is typically better than {worse} (typical difference {typical}), but "
            f"{worse} has the {'higher' if results.higher_is_better else 'lower'} mean: the answer "
            "depends on the question."
        )
    return line
