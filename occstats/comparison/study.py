"""A study: results and settings, prepared once for every part of a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from occstats._format import did_you_mean, listing, quote
from occstats.comparison.budget import Affordable, affordable
from occstats.comparison.choices import PRESETS
from occstats.errors import ArgumentError, ResultsError
from occstats.stats.clusters import Clusters
from occstats.stats.mcnemar import is_binary
from occstats.stats.ranks import RankSummary, mean_ranks, rank_frequencies
from occstats.stats.sample import Sample

if TYPE_CHECKING:
    from occstats.comparison.option import Correction
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = ["Study", "clusters_of", "prepare"]


@dataclass(frozen=True, eq=False)
class Study:
    """Results and settings of a comparison, with what its parts derive from them.

    Attributes
    ----------
    results : Results
        The results, the best algorithm first; NaN remains only under ``pairwise``.
    settings : Settings
        The settings in force.
    sample : Sample
        Oriented scores, datasets, weights and differences.
    tested : Sample
        The same with failures as −∞, which signed ranks and ranks use.
    scale : float
        The order of magnitude of the scores, 1 for scores from 0 to 1.
    """

    results: Results
    settings: Settings
    sample: Sample
    tested: Sample
    scale: float = 1.0

    @property
    def algorithms(self) -> list[str]:
        """Return the algorithms, best first: by mean rank, or by mean score (estimand mean)."""
        return self.results.algorithms

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
    def unscored(self) -> npt.NDArray[np.bool_]:
        """Return which algorithms have failures without a score, and so no mean."""
        results = self.results
        if results.failed is None or results.failure_score is not None:
            return np.zeros(len(self.algorithms), dtype=bool)
        return np.asarray(results.failed.to_numpy(dtype=bool).any(axis=0))

    @cached_property
    def whole(self) -> Results:
        """Return the tasks that all algorithms have, on which they can be ranked."""
        complete = self.sample.complete
        return self.results if complete.all() else self.results.keep_tasks(complete)

    @cached_property
    def ranking(self) -> RankSummary:
        """Return the ranks within each task that all have, their means and frequencies."""
        ranks, weights = self.tested.whole.ranks, self.tested.whole.clusters.weights
        return RankSummary(ranks, mean_ranks(ranks, weights), rank_frequencies(ranks, weights))

    @cached_property
    def within(self) -> Affordable:
        """Return the parts that are computed at this size."""
        return affordable(self.sample, self.settings)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on the input, and on the tasks that all algorithms have."""
        kept, tasks = int(self.sample.complete.sum()), self.sample.n_tasks
        notes = list(self.results.notes)
        if self.settings.preset is not None:
            notes.append(PRESETS[self.settings.preset].said(self.settings.record()))
        if self.results.nested:
            notes.append(
                f"The datasets come in {self.n_clusters} suites: suites, not datasets, are treated "
                "as independent by tests, intervals and leaving out; each dataset keeps its weight."
            )
        elif self.results.suites is not None:
            notes.append("Every suite has one dataset, so that suites change nothing.")
        if self.scale != 1:
            notes.append(
                f"The scores are of the order of {self.scale:g}: differences within "
                f"±{self.settings.rope:g} are practically equivalent, within "
                f"{self.settings.tie_tolerance:g} they are ties."
            )
        if kept == tasks:
            return tuple(notes)
        return (
            *notes,
            f"Ranks, mean scores, regression and strata use the {kept:,} of {tasks:,} tasks that "
            "all algorithms have.",
        )


def prepare(results: Results, settings: Settings) -> Study:
    """Select the algorithms and tasks, put the best first, and settle open settings."""
    results = _participants(results, settings)
    scale = score_scale(results)
    settings = settings.for_scores(binary=is_binary(results.scores)).on_scale(scale)
    if settings.estimand == "mean" and results.failed is not None and results.failure_score is None:
        raise ArgumentError(_no_failure_score(results))
    clusters, tolerance = clusters_of(results), settings.tie_tolerance
    sample = tested = Sample.of(results.oriented, clusters, tie_tolerance=tolerance)
    if results.failed is not None:
        tested = Sample(results.tested, clusters, tolerance)
    if not sample.complete.any():
        raise ResultsError(
            "no task has a score of every algorithm, so they cannot be ranked: "
            "choose fewer algorithms"
        )
    # Ties are sorted by name, whatever the order of the columns.
    weights = sample.whole.clusters.weights
    if settings.estimand == "typical":
        means = mean_ranks(tested.whole.ranks, weights).round(12)
    else:
        means = -(weights @ sample.whole.scores / scale).round(12)
    order = sorted(range(len(means)), key=lambda a: (means[a], results.algorithms[a]))
    ordered = results.select([results.algorithms[a] for a in order])
    study = Study(ordered, settings, sample.select(order), tested.select(order), scale)
    if settings.null == "asymptotic" or study.within.flips > 0:
        return study
    # Everything follows the tests that the size permits.
    settings = replace(settings, correction=_without_resampling(settings), null="asymptotic")
    note = (
        f"With {sample.n_pairs:,} pairs and {study.n_clusters:,} {results.unit}s the tests are "
        "asymptotic: resampling would take too long."
    )
    ordered = replace(ordered, notes=(*ordered.notes, note))
    return replace(study, results=ordered, settings=settings)


def _without_resampling(settings: Settings) -> Correction:
    if settings.correction != "max-t":
        return settings.correction
    return "holm" if settings.margin is None else "bonferroni"  # which has intervals


def _no_failure_score(results: Results) -> str:
    """Return why means need a score for failures, and what to set."""
    scores = results.scores.to_numpy(dtype=np.float64)
    worst = float(np.nanmin(scores) if results.higher_is_better else np.nanmax(scores))
    example = "0" if results.higher_is_better and worst >= 0 else f"{worst!r}"
    return (
        f"means need a score for failed runs, and {quote(results.score_name)} has no known bound\n"
        f"try: missing='worst={example}' (or another SCORE after worst=)\n"
        "  or estimand='typical' (failures rank below every score)"
    )


def clusters_of(results: Results) -> Clusters:
    """Return the datasets of the tasks, and the suites that they come in, if some share one."""
    if results.suites is None or not results.nested:
        return Clusters.of(results.clusters)
    suites = [results.suites[name] for name in results.clusters]
    return Clusters.nested(suites, results.clusters)


def score_scale(results: Results) -> float:
    """Return the order of magnitude of the scores, a power of ten.

    It is 1 for scores within 0 … 1 (or −1 … 1), unless nearly all of them are tiny.

    Examples
    --------
    >>> from occstats import load_results
    >>> score_scale(load_results("lenz2021"))
    1.0
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
    if settings.control is not None and settings.control not in results.algorithms:
        raise ArgumentError(
            f"control must be one of {listing(results.algorithms, conjunction='or')}; "
            f"got {settings.control!r}{did_you_mean(settings.control, results.algorithms)}"
        )
    left = results.resolve_missing(settings.missing)
    if settings.control is not None and settings.control not in left.algorithms:
        raise ArgumentError(
            f"missing={settings.missing!r} drops the control {settings.control!r}: set another "
            "policy, such as missing='complete'"
        )
    return left
