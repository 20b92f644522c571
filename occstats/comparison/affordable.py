"""What a comparison computes at once, and what waits until depth is asked for.

The usual benchmark (tens of algorithms, hundreds of data sets, thousands of tasks) gets everything.
Beyond these limits a part would take minutes: it is then left out, and a note says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = ["Affordable", "affordable"]

MANY_PAIRS = 2_000
MANY_CLUSTERS = 1_000
# Tasks × pairs of the shifts, each of which ranks all tasks some hundred times.
MANY_RANKINGS = 300_000
# Squared tasks × pairs of Kendall's τ.
MANY_CONCORDANCES = 5e8
# Multiplications of leaving out each data set in turn.
MANY_LEFT_OUT = 2e10
# Multiplications of all quadratic forms together, and the least that is worth drawing.
FORMS_BUDGET = 1e10
LEAST_RESAMPLES = 500


@dataclass(frozen=True)
class Affordable:
    """Which parts are computed, and with how many resamples."""

    intervals: bool
    posterior: bool
    shifts: bool
    kendall: bool
    leave_out: bool
    posthoc: bool
    form_resamples: int
    notes: tuple[str, ...]


def affordable(results: Results, settings: Settings) -> Affordable:
    """Decide by the size of the results; everything when depth was asked for."""
    k, m, n = len(results.algorithms), results.n_clusters, results.n_tasks
    pairs = k * (k - 1) // 2
    few = settings.deep or pairs <= MANY_PAIRS
    parts = {
        "intervals of effect sizes": few,
        "Bayesian probabilities and intervals of rank-biserial correlations": few
        and (settings.deep or m <= MANY_CLUSTERS),
        "Hodges-Lehmann shifts": few and (settings.deep or n * pairs <= MANY_RANKINGS),
        "intervals of Kendall's τ": few
        and (settings.deep or (n**2 * pairs <= MANY_CONCORDANCES and m <= MANY_CLUSTERS)),
        "leaving out data sets": few and (settings.deep or pairs * m**2 * n <= MANY_LEFT_OUT),
        "post-hoc tests": few,
    }
    intervals, posterior, shifts, kendall, leave_out, posthoc = parts.values()
    within_budget = int(FORMS_BUDGET / max(1, 2 * pairs * m**2))
    resamples = min(settings.n_resamples, max(LEAST_RESAMPLES, within_budget))
    notes = []
    missing = [name for name, present in parts.items() if not present]
    if missing:
        notes.append(
            f"With {pairs:,} pairs of algorithms, {m:,} data sets and {n:,} tasks, these were left "
            f"out: {', '.join(missing)}; the deep analysis has them."
        )
    if resamples < settings.n_resamples and posterior:
        notes.append(
            f"Rank-biserial correlations, Kendall's τ and Bayesian probabilities rest on "
            f"{resamples:,} resamples."
        )
    return Affordable(
        intervals=intervals,
        posterior=posterior,
        shifts=shifts,
        kendall=kendall,
        leave_out=leave_out,
        posthoc=posthoc,
        # Without the posterior there are too many data sets for any form.
        form_resamples=resamples if posterior else 0,
        notes=tuple(notes),
    )
