"""The parts of a comparison that its size permits, by one model of their costs.

The usual benchmark (tens of algorithms, hundreds of datasets, thousands of tasks) has all of them.
A larger one always has the tests and Kendall's τ, then the typical differences, then the other
parts from the cheapest on, as long as they take a few seconds together; a note lists what is left
out, which ``deep`` includes. The costs are those of one processor (`benchmarks/compare_size.md` in
the repository) and depend on the sizes alone, so that the same results always have the same parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from occstats._format import count
from occstats.stats.forms import DENSE_ELEMENTS, is_dense
from occstats.stats.kendall import by_definition

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.stats.sample import Sample

__all__ = ["Affordable", "affordable"]

# Seconds for all parts that depend on the size.
BUDGET = 6.5
# Resamples × pairs × datasets of the tests, and the fewest resamples that are enough for them.
FLIPS_BUDGET = {"typical": 3e8, "mean": 9e8}
LEAST_FLIPS = 999
# Multiplications of all quadratic forms together, and the fewest resamples of them.
FORMS_BUDGET = 1e10
LEAST_RESAMPLES = 500
# Elements of a matrix of datasets beyond which pairs of tasks are counted instead.
MANY_ELEMENTS = 1_000_000
# Resamples × datasets of a bootstrap of means.
MEANS_BUDGET = 1e8

NANOSECOND = 1e-9
# The parts of `Affordable`, in the order of their costs in `Size.seconds`.
PARTS = (
    "shifts",
    "mean_posterior",
    "posterior",
    "kendall",
    "leave_out",
    "without_algorithms",
    "posthoc",
)


@dataclass(frozen=True)
class Affordable:
    """The parts that are computed, and their numbers of resamples.

    Attributes
    ----------
    shifts, mean_posterior, posterior, kendall, leave_out, without_algorithms, posthoc : bool
        The parts.
    flips : int
        Sign flips or resamples of the tests; 0 where the permitted number is too small.
    resamples : int
        Resamples of means over datasets.
    form_resamples : int
        Resamples of statistics that count pairs of tasks.
    notes : tuple of str
        The parts that are left out, with their costs, and reduced numbers of resamples.
    """

    shifts: bool
    mean_posterior: bool
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
    """The numbers of tasks, algorithms, pairs, tested pairs, datasets and resamples."""

    n: int
    k: int
    p: int
    tested: int
    m: int
    dense: bool
    shared: bool
    intervals: bool
    flips: int
    resamples: int
    form_resamples: int

    def always(self) -> float:
        """Return the seconds of the parts that are never left out: tests and Kendall's τ."""
        flips = self.flips * (self.m * (10.0 + 2.0 * self.tested) + 100.0 * self.tested)
        few = by_definition(self.n, self.k)
        tau = 0.3 * (self.n * self.k) ** 2 if few else 40.0 * self.p * self.n * log2(self.n)
        return NANOSECOND * (flips + tau)

    def seconds(self) -> dict[str, float]:
        """Return the cost of each part, by its name."""
        n, k, p, m = self.n, self.k, self.p, self.m
        form = 0.05 * m**2 if self.dense else 18.0 * n
        # All pairs at once, where no score is missing, or each by itself.
        kendall = n**2 * k * (8.0 + 0.3 * k) if self.shared else p * (6_500.0 * n + 4e6)
        work = {
            "typical differences": n * self.tested * (1_300.0 if self.intervals else 650.0),
            "posterior of mean differences": self.resamples * (20.0 * m + (10.0 + 0.3 * m) * p),
            "Bayesian probabilities": 2.0
            * p
            * (self.form_resamples * form + 500.0 * n + 10.0 * m**2),
            "intervals of Kendall's τ": kendall,
            "leaving out datasets": p * (50.0 * m**2 + 600.0 * n) + m * (2e5 + 50.0 * k**2),
            "leaving out algorithms": k * (90.0 * k**2 + 60.0 * n * k),
            "post-hoc tests": 2 * p * 6e4,
        }
        return {part: NANOSECOND * nanoseconds for part, nanoseconds in work.items()}


def affordable(sample: Sample, settings: Settings) -> Affordable:
    """Return the parts for the size of a sample; all of them where ``deep`` is set."""
    pairs, k, m, n = sample.n_pairs, sample.n_algorithms, sample.n_clusters, sample.n_tasks
    least = min(LEAST_RESAMPLES, settings.n_resamples)
    form = min(m**2, max(MANY_ELEMENTS, DENSE_ELEMENTS * n))
    form_resamples = min(
        settings.n_resamples, max(least, int(FORMS_BUDGET / max(1, 2 * pairs * form)))
    )
    resamples = min(settings.n_resamples, max(least, int(MEANS_BUDGET / max(1, m))))
    tested = pairs if settings.control is None else k - 1
    flips = affordable_flips(tested, m, settings)
    size = Size(
        n=n,
        k=k,
        p=pairs,
        tested=tested,
        m=m,
        dense=is_dense(sample.clusters),
        shared=bool(sample.complete.all()) and by_definition(n, k),
        intervals=settings.estimand != "mean" and settings.has_intervals and flips > 0,
        flips=flips,
        resamples=resamples,
        form_resamples=form_resamples,
    )
    costs = size.seconds()
    spent, missing = 0.0, {}
    first, *others = costs
    for part in (first, *sorted(others, key=costs.__getitem__)):
        if spent + costs[part] > BUDGET and not settings.deep:
            missing[part] = costs[part]
        else:
            spent += costs[part]
        # The estimates come before everything else.
        spent += size.always() if part == first else 0.0
    included = dict(zip(PARTS, (part not in missing for part in costs), strict=True))
    notes = []
    if missing:
        listed = ", ".join(f"{part} ({_duration(cost)})" for part, cost in missing.items())
        notes.append(
            f"With {count(pairs, 'pair')} of algorithms, {count(m, 'dataset')} and "
            f"{count(n, 'task')}, these parts were left out to save time: {listed}; the deep "
            "analysis (deep=True, --deep) includes them."
        )
    if form_resamples < settings.n_resamples and "Bayesian probabilities" not in missing:
        notes.append(f"Bayesian probabilities rest on {form_resamples:,} resamples.")
    if resamples < settings.n_resamples:
        notes.append(f"With {m:,} datasets, means rest on {resamples:,} resamples of them.")
    return Affordable(
        **included,
        flips=flips,
        resamples=resamples,
        form_resamples=form_resamples,
        notes=tuple(notes),
    )


def affordable_flips(n_pairs: int, units: int, settings: Settings) -> int:
    """Return the resamples of the tests within the budget; 0 where these are too few."""
    budget = FLIPS_BUDGET[settings.estimand or "typical"] * (10 if settings.deep else 1)
    flips = min(settings.n_resamples, int(budget / max(1, n_pairs * units)))
    return flips if flips >= min(LEAST_FLIPS, settings.n_resamples) else 0


def _duration(seconds: float) -> str:
    """Return a rough duration in words.

    Examples
    --------
    >>> _duration(7.3), _duration(200), _duration(20_000)
    ('about 7 s', 'about 3 min', 'about 6 h')
    """
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"about {seconds / length:,.0f} {unit}"
    return f"about {max(1.0, seconds):.0f} s"
