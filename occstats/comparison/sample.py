"""What is compared, prepared once: every part of a comparison takes the same study."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from occstats.comparison.choices import PRESETS
from occstats.comparison.cost import Affordable, affordable
from occstats.errors import ArgumentError, ResultsError
from occstats.stats.binary import is_binary
from occstats.stats.clusters import Clusters
from occstats.stats.ranks import RankSummary, mean_ranks, rank_frequencies
from occstats.stats.sample import Sample
from occstats.text import did_you_mean, listing

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = ["Study", "clusters_of", "prepare"]


@dataclass(frozen=True, eq=False)
class Study:
    """Results, settings, and what all parts of a comparison derive from them.

    Attributes
    ----------
    results : Results
        What is compared, the best first; NaN remains only under ``pairwise``.
    settings : Settings
        How.
    sample : Sample
        Oriented scores, datasets, weights and differences.
    tested : Sample
        The same with failures as −∞, which signed ranks and ranks use.
    scale : float
        What 1 is to a score from 0 to 1.
    """

    results: Results
    settings: Settings
    sample: Sample
    tested: Sample
    scale: float = 1.0

    @property
    def algorithms(self) -> list[str]:
        """The algorithms, best first: by mean rank, or by mean score for the estimand mean."""
        return self.results.algorithms

    @property
    def control(self) -> int | None:
        """The column of the control, if there is one."""
        name = self.settings.control
        return None if name is None else self.algorithms.index(name)

    @property
    def n_clusters(self) -> int:
        """The number of data sets, or of the suites that they come in: of what is independent."""
        return self.sample.clusters.independent.n_clusters

    @cached_property
    def whole(self) -> Results:
        """The tasks that all algorithms have: only there can they be ranked."""
        complete = self.sample.complete
        return self.results if complete.all() else self.results.keep_tasks(complete)

    @cached_property
    def ranking(self) -> RankSummary:
        """Ranks within each whole task, their weighted means and frequencies."""
        ranks, weights = self.tested.whole.ranks, self.tested.whole.clusters.weights
        return RankSummary(ranks, mean_ranks(ranks, weights), rank_frequencies(ranks, weights))

    @cached_property
    def within(self) -> Affordable:
        """What is computed at this size."""
        return affordable(self.sample, self.settings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened to the input, and which tasks are whole."""
        kept, tasks = int(self.sample.complete.sum()), self.sample.n_tasks
        notes = list(self.results.notes)
        if self.settings.preset is not None:
            notes.append(PRESETS[self.settings.preset].said(self.settings.record()))
        if self.results.nested:
            notes.append(
                f"The data sets come in {self.n_clusters} suites: each data set counts as it would "
                "without them, but suites, not data sets, are taken for independent; where tests, "
                "intervals and leaving out speak of clusters, these are suites."
            )
        elif self.results.suites is not None:
            notes.append("Every suite has one data set, so that naming suites changes nothing.")
        if self.scale != 1:
            notes.append(
                f"The scores are of the order of {self.scale:g}: differences within "
                f"±{self.settings.rope:g} count as practically the same, within "
                f"{self.settings.tie_tolerance:g} as ties."
            )
        if self.settings.null == "asymptotic" and self.within.flips == 0:
            notes.append(
                f"With {self.sample.n_pairs:,} pairs and {self.n_clusters:,} {self.results.unit}s "
                "the p-values are asymptotic, not those of sign flips."
            )
        if kept == tasks:
            return tuple(notes)
        return (
            *notes,
            f"Ranks, mean scores, regression and strata use the {kept:,} of {tasks:,} tasks that "
            "all algorithms have.",
        )


def prepare(results: Results, settings: Settings) -> Study:
    """Choose the algorithms and tasks that take part, and put the best first."""
    results = _participants(results, settings)
    scale = score_scale(results)
    settings = settings.for_scores(binary=is_binary(results.scores)).on_scale(scale)
    if settings.estimand == "mean" and results.failed is not None and results.failure_score is None:
        raise ArgumentError(
            f"the estimand mean needs a score for failed runs, and {results.score_name} has no "
            "known bound: set missing to 'worst=SCORE', such as 'worst=0', or estimand to 'typical'"
        )
    clusters, tolerance = clusters_of(results), settings.tie_tolerance
    sample = tested = Sample.of(results.oriented, clusters, tie_tolerance=tolerance)
    if results.failed is not None:
        tested = Sample(results.tested, clusters, tolerance)
    if not sample.complete.any():
        raise ResultsError(
            "no task has a score of every algorithm, so they cannot be ranked: "
            "choose fewer algorithms"
        )
    # Equal means go by name, whatever the order of the columns.
    weights = sample.whole.clusters.weights
    if settings.estimand == "typical":
        means = mean_ranks(tested.whole.ranks, weights).round(12)
    else:
        means = -(weights @ sample.whole.scores / scale).round(12)
    order = sorted(range(len(means)), key=lambda a: (means[a], results.algorithms[a]))
    ordered = results.select([results.algorithms[a] for a in order])
    study = Study(ordered, settings, sample.select(order), tested.select(order), scale)
    if settings.null == "flips" and study.within.flips == 0:
        # Too many pairs for flips: everything follows the test that is affordable.
        settings = replace(
            settings, null="asymptotic", correction=_affordable_correction(settings.correction)
        )
        return replace(study, settings=settings)
    return study


def _affordable_correction(correction: str | None) -> Any:
    return "holm" if correction == "max-t" else correction


def clusters_of(results: Results) -> Clusters:
    """The data sets of the tasks, and the suites that they come in, if some share one."""
    if results.suites is None or not results.nested:
        return Clusters.of(results.clusters)
    suites = [results.suites[name] for name in results.clusters]
    return Clusters.nested(suites, results.clusters)


def score_scale(results: Results) -> float:
    """What 1 is to a score from 0 to 1: a power of ten near the median absolute score.

    Scores within 0 … 1 (or −1 … 1) have the scale 1, unless nearly all of them are tiny.

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
            f"control must be there when missing results are dealt with; missing "
            f"{settings.missing!r} drops {settings.control!r}: choose another policy, such as "
            "'complete'"
        )
    return left
