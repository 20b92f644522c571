"""Results and settings of a comparison, prepared once for all of its parts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, did_you_mean, listing, minus_signs, printable, quote
from occstats.errors import ArgumentError, ResultsError
from occstats.results.aliases import score_word
from occstats.results.table import score_range
from occstats.stats._arrays import BoolArray, FloatArray
from occstats.stats.clusters import Clusters
from occstats.stats.mcnemar import is_binary
from occstats.stats.ranks import mean_ranks
from occstats.stats.sample import Sample

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.results import Results


#: Elementary steps (below a nanosecond) of all resamples of a statistic. The number of resamples
#: follows from them, and is at least `LEAST_RESAMPLES`.
STEPS, LEAST_RESAMPLES = 1e10, 999
#: Parts that would take more nanoseconds (half a minute) are left out.
LONGEST = 3e10
FEW_DATASETS = 10
#: The part of a name before its first separator or number.
STEM = re.compile(r"^([^\W\d_]{2,})(?=[\W\d_])")


@dataclass(frozen=True, eq=False)
class Study:
    """Results and settings of a comparison, with the quantities that its parts share."""

    #: The results, the best algorithm first; NaN remains only under ``pairwise``.
    results: Results
    settings: Settings
    #: Oriented scores, datasets, weights and differences.
    sample: Sample
    #: The same with failures as −∞, as ranks and signed ranks use them.
    tested: Sample
    #: The order of magnitude of the scores, 1 for scores from 0 to 1.
    scale: float = 1.0

    @property
    def algorithms(self) -> list[str]:
        """Return the algorithms, best first: by mean rank, or by mean score (estimand mean)."""
        return self.results.algorithms

    @property
    def compared(self) -> Sample:
        """Return the sample that the tests of the estimand use."""
        return self.tested if self.settings.estimand == "typical" else self.sample

    @property
    def control(self) -> int | None:
        """Return the column of the control, if there is one."""
        name = self.settings.control
        return None if name is None else self.algorithms.index(name)

    @property
    def n_clusters(self) -> int:
        """Return the number of independent units: datasets, or the suites that they come in."""
        return self.sample.clusters.independent.n_clusters

    @cached_property
    def unscored(self) -> BoolArray:
        """Return a mask of the algorithms with unscored failures, which have no mean."""
        results = self.results
        if results.failed is None or results.failure_score is not None:
            return np.zeros(len(self.algorithms), dtype=bool)
        return np.asarray(results.failed.to_numpy(dtype=bool).any(axis=0))

    @cached_property
    def complete_results(self) -> Results:
        """Return the results on the tasks that all algorithms have, where they can be ranked."""
        complete = self.sample.complete
        return self.results if complete.all() else self.results.keep_tasks(complete)

    @property
    def ranks(self) -> FloatArray:
        """Return the ranks within each task that all algorithms have."""
        return self.tested.complete_cases.ranks

    @cached_property
    def means(self) -> pd.DataFrame:
        """Return the mean rank and the mean score of each algorithm."""
        # In one layout, as the layout of a frame decides the last digit of the products.
        scores = np.ascontiguousarray(self.complete_results.scores, dtype=np.float64)
        weights = self.sample.complete_cases.clusters.weights
        return pd.DataFrame(
            {
                "algorithm": self.algorithms,
                "mean_rank": mean_ranks(self.ranks, weights),
                "mean_score": np.where(self.unscored, np.nan, weights @ scores),
            }
        )

    def ordered_pairs(self, matrices: Mapping[str, Any]) -> pd.DataFrame:
        """Return one row per ordered pair a ≠ b with the element [a, b] of each matrix."""
        return self._pairs(np.nonzero(~np.eye(len(self.algorithms), dtype=bool)), matrices)

    def unordered_pairs(self, matrices: Mapping[str, Any] | pd.DataFrame) -> pd.DataFrame:
        """Return one row per pair, a before b in the order of the algorithms.

        A vector has an element per pair, in this order.
        """
        return self._pairs(np.triu_indices(len(self.algorithms), 1), matrices)

    def _pairs(
        self, places: tuple[npt.NDArray[Any], ...], matrices: Mapping[str, Any] | pd.DataFrame
    ) -> pd.DataFrame:
        names = np.array(self.algorithms, dtype=object)
        columns = {
            name: matrix[places] if matrix.ndim == 2 else matrix
            for name, matrix in matrices.items()
        }
        return pd.DataFrame({"a": names[places[0]], "b": names[places[1]], **columns})

    def resamples(self, steps: float) -> int:
        """Return the number of resamples of a statistic that takes some steps for each."""
        return min(self.settings.n_resamples, max(LEAST_RESAMPLES, int(STEPS / max(1.0, steps))))

    @property
    def flips(self) -> int:
        """Return the number of resamples of the tests."""
        pairs = self.sample.n_pairs if self.control is None else len(self.algorithms) - 1
        return self.resamples(10.0 * pairs * (self.n_clusters + 100))

    @property
    def mean_resamples(self) -> int:
        """Return the number of resamples of means over datasets."""
        return self.resamples(100.0 * self.sample.n_clusters)

    @property
    def form_resamples(self) -> int:
        """Return the number of resamples of statistics that count pairs of tasks."""
        m, n = self.sample.n_clusters, self.sample.n_tasks
        return self.resamples(2.0 * self.sample.n_pairs * min(m**2, max(1_000_000, 128 * n)))

    @cached_property
    def left_out(self) -> list[str]:
        """Return the parts that would take too long for this size.

        The costs in nanoseconds (`benchmarks/compare_size.md` in the repository) depend on sizes
        and settings alone: the same comparison always has the same parts.
        """
        k, p = self.sample.n_algorithms, self.sample.n_pairs
        n, single = self.sample.n_tasks, self.settings.correction != "max-t"
        decision = (1_000.0 if single else 250.0) * p * self.flips
        costs = {
            "intervals of Kendall's τ": n**2 * k * (8 + 0.3 * k),
            "leaving out datasets": self.n_clusters * decision,
            "leaving out algorithms": k * decision,
        }
        return [part for part, cost in costs.items() if cost > LONGEST]

    @property
    def shared_prefix(self) -> str:
        """Return a hint if most names of datasets share a prefix with others, else nothing."""
        if self.results.dataset_hint:  # more specific
            return ""
        names = pd.Series(self.sample.clusters.labels).astype(str)
        stems = names.str.extract(STEM, expand=False)
        shared = stems.duplicated(keep=False) & stems.notna()
        if shared.mean() <= 0.5 or stems.nunique() < 2:
            return ""
        return (
            f"Many names share a prefix ({', '.join(map(printable, names[shared][:2]))}): if these "
            "form groups, pass dataset=… (their column) or dataset_from=… (a pattern in the names)."
        )

    @property
    def vacuous_margin(self) -> str:
        """Return a warning if the margin is at least the range of all scores, else nothing."""
        scores = self.results.scores.to_numpy(dtype=np.float64)
        low, high = np.nanmin(scores), np.nanmax(scores)
        if self.settings.margin is None or self.settings.margin < high - low:
            return ""
        return minus_signs(
            f"All scores lie in {low:.4g} … {high:.4g}, so every difference is within the "
            f"margin of {self.settings.margin:g}."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on the input and its size."""
        return (*self.results.notes, *self._notes())

    def _notes(self) -> Iterator[str]:
        settings, results, sample = self.settings, self.results, self.sample
        m, n = sample.n_clusters, sample.n_tasks
        if settings.preset is not None:
            yield settings.preset_note()
        if results.nested:
            yield (
                f"The datasets come in {self.n_clusters} suites: tests, intervals and "
                "leave-one-out treat suites, not datasets, as independent; each dataset keeps its "
                "weight."
            )
        elif results.suites is not None:
            yield "Every suite has one dataset, so grouping by suite changes nothing."
        if self.scale != 1:
            yield (
                f"The scores are on the order of {self.scale:g}: differences within "
                f"±{settings.rope:g} are practically equivalent, and those "
                f"within {settings.tie_tolerance:g} are ties."
            )
        if self.vacuous_margin:
            yield self.vacuous_margin
        if (kept := int(sample.complete.sum())) < n:
            yield (
                "Ranks, mean scores and all results except pairwise comparisons use only the "
                f"{kept:,} of {n:,} tasks that all algorithms have."
            )
        if self.n_clusters < 2:
            yield f"With a single {results.unit}, no intervals or tests are possible."
        elif self.n_clusters < FEW_DATASETS:
            yield (
                f"With {self.n_clusters} {results.unit}s intervals are rough, and posterior "
                "probabilities are overconfident."
            )
        if self.n_clusters == n > 2:
            yield f"Every dataset has one task. {self.shared_prefix}".strip()
        if self.left_out:
            yield (
                f"With {count(sample.n_pairs, 'pair')} of algorithms, {count(m, 'dataset')} and "
                f"{count(n, 'task')}, these parts were left out: {', '.join(self.left_out)}; "
                "to include more of them, pass fewer algorithms (algorithms=…)."
            )
        wanted = settings.n_resamples
        if self.form_resamples < wanted:
            yield f"Bayesian probabilities are based on {self.form_resamples:,} resamples."
        if self.mean_resamples < wanted:
            yield f"With {m:,} datasets, means are based on {self.mean_resamples:,} resamples."


def prepare(results: Results, settings: Settings) -> Study:
    """Select the algorithms and tasks, put the best first, and settle open settings."""
    results = _participants(results, settings)
    for name in ("margin", "rope", "tie_tolerance"):
        check_possible(name, getattr(settings, name), results)
    scale = score_scale(results)
    settings = settings.for_scores(binary=is_binary(results.scores), scale=scale)
    if settings.estimand == "mean" and results.failed is not None and results.failure_score is None:
        raise _no_failure_score(results)
    clusters, tolerance = clusters_of(results), settings.tie_tolerance
    sample = tested = Sample.of(results.oriented, clusters, tie_tolerance=tolerance)
    if results.failed is not None:
        tested = Sample(results.tested, clusters, tolerance)
    if not sample.complete.any():
        raise ResultsError(
            "no task has scores of all algorithms, so they cannot be ranked: "
            "choose fewer algorithms"
        )
    # Ties are sorted by name, whatever the order of the columns.
    weights = sample.complete_cases.clusters.weights
    if settings.estimand == "typical":
        means = mean_ranks(tested.complete_cases.ranks, weights).round(12)
    else:
        means = -(weights @ sample.complete_cases.scores / scale).round(12)
    order = sorted(range(len(means)), key=lambda a: (means[a], results.algorithms[a]))
    ordered = results.select([results.algorithms[a] for a in order])
    return Study(ordered, settings, sample.select(order), tested.select(order), scale)


def check_possible(name: str, difference: float | None, results: Results) -> None:
    """Raise an error for a difference that two scores of the measure cannot have."""
    low, high = score_range(results)
    if difference is not None and abs(difference) >= high - low:
        near = f" (did you mean {difference / 100:g}?)" * (abs(difference) < 100 * (high - low))
        bound = f"below {high - low:g}" if difference > 0 else f"above {low - high:g}"
        raise ArgumentError(
            f"{name} must be {bound}, because {score_word(results.score_name)} lies in "
            f"{minus_signs(f'{low:g}')} … {high:g}; got {difference:g}{near}"
        )


def _no_failure_score(results: Results) -> ResultsError:
    """Return the error for means over unscored failures, with its remedies."""
    scores = results.scores.to_numpy(dtype=np.float64)
    worst = float(np.nanmin(scores) if results.higher_is_better else np.nanmax(scores))
    example = "0" if results.higher_is_better and worst >= 0 else f"{worst!r}"
    policy = f"worst={example}"
    return ResultsError(
        f"means need a score for failed runs, and {quote(results.score_name)} has no known bound",
        {"missing": policy},
        [
            f"missing={policy!r} (or another SCORE after worst=)",
            "estimand='typical' (failures rank below every score)",
        ],
    )


def clusters_of(results: Results) -> Clusters:
    """Return the datasets of the tasks, nested in suites where some share one."""
    if results.suites is None or not results.nested:
        return Clusters.of(results.clusters)
    suites = [results.suites[name] for name in results.clusters]
    return Clusters.nested(suites, results.clusters)


def score_scale(results: Results) -> float:
    """Return the order of magnitude of the scores, a power of ten.

    It is 1 for scores within 0 … 1 (or −1 … 1), unless nearly all of them are tiny.
    """
    if results.bounds == (0.0, 1.0):
        return 1.0
    sizes = np.abs(results.scores.to_numpy(dtype=np.float64))
    sizes = sizes[(sizes > 0) & np.isfinite(sizes)]
    middle = float(np.median(sizes)) if len(sizes) else 1.0
    if middle >= 0.01 and sizes.max(initial=1.0) <= 1:
        return 1.0
    return float(f"1e{round(math.log10(middle))}")


def _participants(results: Results, settings: Settings) -> Results:
    if settings.algorithms is not None:
        results = results.select(settings.algorithms)
        if len(results.algorithms) < 2:
            raise ArgumentError(
                f"algorithms must name two or more; got only {results.algorithms[0]!r}"
            )
    control = settings.control
    if control is not None and control not in results.algorithms:
        raise ArgumentError(
            f"control must be one of {listing(results.algorithms, conjunction='or')}; "
            f"got {control!r}{did_you_mean(control, results.algorithms)}"
        )
    left = results.resolve_missing(str(settings.missing))
    if control is not None and control not in left.algorithms:
        raise ArgumentError(
            f"missing={settings.missing!r} drops the control {control!r}: set another "
            "policy, such as missing='complete'"
        )
    return left
