"""What a comparison can afford at its size: one model of what every part costs.

The usual benchmark (tens of algorithms, hundreds of data sets, thousands of tasks) gets everything.
Of a larger one, what is always there (flips of signs, Kendall's τ) counts first, then intervals of
effect sizes, then the other parts from the cheapest on, as long as they stay within some seconds
together; the rest is left out unless depth is asked for, and a note says what it would take.
The costs are those of one processor (`benchmarks/compare_size.md` in the repository) and depend on
nothing but the sizes: the same results always have the same parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from occstats.stats.forms import DENSE_ELEMENTS, is_dense
from occstats.stats.kendall import by_definition
from occstats.text import count

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.stats.sample import Sample

__all__ = ["Affordable", "affordable"]

# Seconds for all parts that depend on the size.
BUDGET = 6.5
# Flips of signs × pairs × data sets for conclusions, and the least that these can rest on.
FLIPS_BUDGET = 3e8
LEAST_FLIPS = 999
# Multiplications of all quadratic forms together, and the least that is worth drawing.
FORMS_BUDGET = 1e10
LEAST_RESAMPLES = 500
# Elements of a matrix of data sets beyond which pairs of tasks are counted instead.
MANY_ELEMENTS = 1_000_000
# Resamples × data sets of a bootstrap of means.
MEANS_BUDGET = 1e8

NANOSECOND = 1e-9


@dataclass(frozen=True)
class Affordable:
    """Which parts are computed, and with how many resamples.

    Attributes
    ----------
    intervals, posterior, kendall, leave_out, without_algorithms, posthoc : bool
        The parts.
    flips : int
        Flips of signs that conclusions rest on; 0 where so few are no basis.
    resamples : int
        Resamples of means over data sets.
    form_resamples : int
        Resamples of what counts pairs of tasks.
    notes : tuple of str
        What is left out, what that would take, and where there are fewer resamples than asked for.
    """

    intervals: bool
    posterior: bool
    kendall: bool
    leave_out: bool
    without_algorithms: bool
    posthoc: bool
    flips: int
    resamples: int
    form_resamples: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Size:
    """What the costs depend on: tasks, algorithms, pairs, data sets, flips and resamples."""

    n: int
    k: int
    p: int
    m: int
    dense: bool
    shared: bool
    flips: int
    resamples: int
    form_resamples: int

    def always(self) -> float:
        """Seconds of what is never left out: flips of signs for all pairs, Kendall's τ."""
        flips = self.flips * (self.m * (10.0 + 2.0 * self.p) + 100.0 * self.p)
        few = by_definition(self.n, self.k)
        tau = 0.3 * (self.n * self.k) ** 2 if few else 40.0 * self.p * self.n * log2(self.n)
        return NANOSECOND * (flips + tau)

    def seconds(self) -> dict[str, float]:
        """What each part costs, by its name."""
        n, k, p, m = self.n, self.k, self.p, self.m
        form = 0.05 * m**2 if self.dense else 18.0 * n
        # All pairs at once, where no score is missing, or each by itself.
        kendall = n**2 * k * (8.0 + 0.3 * k) if self.shared else p * (6_500.0 * n + 4e6)
        work = {
            "intervals of effect sizes": self.resamples * (40.0 * m + (290.0 + m) * p),
            "Bayesian probabilities": 2.0
            * p
            * (self.form_resamples * form + 500.0 * n + 10.0 * m**2),
            "intervals of Kendall's τ": kendall,
            "leaving out data sets": p * (50.0 * m**2 + 600.0 * n) + m * (2e5 + 50.0 * k**2),
            "leaving out algorithms": k * (90.0 * k**2 + 60.0 * n * k),
            "post-hoc tests": 2 * p * 6e4,
        }
        return {part: NANOSECOND * nanoseconds for part, nanoseconds in work.items()}


def affordable(sample: Sample, settings: Settings) -> Affordable:
    """Decide by the size of the sample; everything when depth was asked for."""
    pairs, m, n = sample.n_pairs, sample.n_clusters, sample.n_tasks
    dense = is_dense(sample.clusters)
    least = min(LEAST_RESAMPLES, settings.n_resamples)
    form = min(m**2, max(MANY_ELEMENTS, DENSE_ELEMENTS * n))
    form_resamples = min(
        settings.n_resamples, max(least, int(FORMS_BUDGET / max(1, 2 * pairs * form)))
    )
    resamples = min(settings.n_resamples, max(least, int(MEANS_BUDGET / max(1, m))))
    tested = pairs if settings.control is None else sample.n_algorithms - 1
    flips = affordable_flips(tested, m, settings)
    k = sample.n_algorithms
    shared = bool(sample.complete.all()) and by_definition(n, k)
    size = Size(n, k, pairs, m, dense, shared, flips, resamples, form_resamples)
    costs = size.seconds()
    spent, missing = size.always(), {}
    first, *others = costs
    for part in (first, *sorted(others, key=costs.__getitem__)):
        seconds = costs[part]
        spent += seconds
        if spent > BUDGET and not settings.deep:
            missing[part] = seconds
            spent -= seconds
    intervals, posterior, kendall, leave_out, without_algorithms, posthoc = (
        part not in missing for part in costs
    )
    notes = []
    if missing:
        listed = ", ".join(f"{part} ({_duration(cost)})" for part, cost in missing.items())
        notes.append(
            f"With {count(pairs, 'pair')} of algorithms, {count(m, 'data set')} and "
            f"{count(n, 'task')}, these were left out for the time that they would take: {listed}; "
            "the deep analysis has them."
        )
    if form_resamples < settings.n_resamples and posterior:
        notes.append(f"Bayesian probabilities rest on {form_resamples:,} resamples.")
    if resamples < settings.n_resamples:
        notes.append(f"With {m:,} data sets, means rest on {resamples:,} resamples of them.")
    return Affordable(
        intervals=intervals,
        posterior=posterior,
        kendall=kendall,
        leave_out=leave_out,
        without_algorithms=without_algorithms,
        posthoc=posthoc,
        flips=flips,
        resamples=resamples,
        form_resamples=form_resamples,
        notes=tuple(notes),
    )


def affordable_flips(n_pairs: int, units: int, settings: Settings) -> int:
    """Flips of signs within the budget, which depth makes larger; 0 where these are too few."""
    budget = FLIPS_BUDGET * (10 if settings.deep else 1)
    flips = min(settings.n_resamples, int(budget / max(1, n_pairs * units)))
    return flips if flips >= min(LEAST_FLIPS, settings.n_resamples) else 0


def _duration(seconds: float) -> str:
    """About how long.

    Examples
    --------
    >>> _duration(7.3), _duration(200), _duration(20_000)
    ('about 7 s', 'about 3 min', 'about 6 h')
    """
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"about {seconds / length:,.0f} {unit}"
    return f"about {max(1.0, seconds):.0f} s"
