"""The frozen result of a comparison: tidy frames, a verdict, a methods paragraph."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats.comparison.decision import Tally, tally
from occstats.comparison.settings import Settings
from occstats.errors import ArgumentError
from occstats.results import Results
from occstats.text import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from occstats.comparison.classical import Classical
    from occstats.comparison.design import Design
    from occstats.comparison.gaps import Gaps
    from occstats.comparison.stability import Stability
    from occstats.comparison.words.explain import IntervalKind
    from occstats.comparison.words.methods import MethodsText
    from occstats.figures import Plotter

__all__ = ["Comparison"]


# Columns of ``pairwise`` in version 0.2.
RENAMED_COLUMNS = {
    "p_adjusted": "p",
    "p_adjusted_unclipped": "p",
    "p_simultaneous": "p",
    "difference_ci_low": "ci_low",
    "difference_ci_high": "ci_high",
    "simultaneous_ci_low": "ci_low",
    "simultaneous_ci_high": "ci_high",
    "hodges_lehmann": "typical_difference",
    "p_naive": "p_ignoring_clusters",
    "p_naive_adjusted": "p_ignoring_clusters",
    "conclusion_naive": "conclusion_ignoring_clusters",
    "z": "statistic",
    "n_clusters": "n_datasets",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison:
    """Everything that `occstats.compare` found, as pandas frames and as words.

    A positive difference means that ``a`` is better than ``b``, whatever the orientation of the
    score. Rank 1 is best. Weighted means give each data set the same weight.

    Attributes
    ----------
    results, settings
        What was compared, and how.
    summary
        One row per algorithm, best first (by mean rank, or by mean score for the estimand mean):
        ``algorithm, mean_rank, mean_score, cvsd`` with intervals, the ranks consistent with the
        decisions (``rank_low`` to ``rank_high``) and the share of bootstrap resamples in which it
        comes first (``leads``).
    pairwise
        One row per ordered pair. ``difference`` (of a minus b), ``ci_low``, ``ci_high``, ``p``,
        ``conclusion`` (``a`` is ``better`` or ``worse``, the pair is ``equivalent`` or
        ``undecided``; None without a test) and ``reversed`` (the other estimate has the opposite
        sign) are one decision; ``p_unadjusted`` is the p-value before the correction. Then both
        estimates, ``typical_difference`` and ``mean_difference``, the analysis that ignores
        clusters, and effect sizes.
    rule, basis
        When a pair has a conclusion, as a sentence; the test that this rests on, as a phrase.
    ranks
        Tasks × algorithms.
    kendall, regression, complementary_pairs, rank_frequencies, strata, diagnostics
        Which algorithms succeed on the same tasks; what traits of a task a rank depends on; which
        two algorithms are best together; how often each is first, second …; ranks by difficulty;
        how strongly the tasks of a data set depend on each other.
    stability, design, classical
        Would the conclusions hold with a data set less; how large a benchmark they would need;
        the classical tests, which assume independent tasks.
    gaps
        Where results are missing: how many, and what other ways to treat them would conclude.
    fold_tests
        Where the results have folds: for each task, how sure one is that ``a`` is better there.
    binary
        Where all scores are 0 or 1: for each unordered pair, the difference with its clustered
        standard error, the clustered McNemar tests, and the ``line`` to quote; else None.
    notes
        What happened to the input, and cautions.
    meta
        Counts, settings and versions.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> comparison.summary[["algorithm", "mean_rank"]].head(2).round(2)
      algorithm  mean_rank
    0       ALP       3.51
    1       SVM       3.86
    >>> comparison.p_values.loc["ALP", "NND"].round(2)
    np.float64(0.16)
    """

    results: Results
    settings: Settings
    summary: pd.DataFrame
    pairwise: pd.DataFrame
    ranks: pd.DataFrame
    kendall: pd.DataFrame
    regression: pd.DataFrame
    complementary_pairs: pd.DataFrame
    rank_frequencies: pd.DataFrame
    strata: pd.DataFrame
    diagnostics: pd.DataFrame
    stability: Stability
    design: Design
    classical: Classical
    gaps: Gaps | None
    fold_tests: pd.DataFrame | None
    binary: pd.DataFrame | None
    rule: str
    basis: str
    notes: tuple[str, ...]
    meta: dict[str, Any]

    @cached_property
    def algorithms(self) -> list[str]:
        """The algorithms, best first."""
        return list(self.summary["algorithm"])

    @cached_property
    def tally(self) -> Tally:
        """How many unordered pairs were tested, and how many differ."""
        return tally(self.pairwise)

    @cached_property
    def verdict(self) -> str:
        """The answer in a few sentences."""
        from occstats.comparison.words.verdict import write_verdict

        return write_verdict(self)

    @cached_property
    def methods_text(self) -> MethodsText:
        """The methods paragraph with places for citations, and the works that it cites."""
        from occstats.comparison.words.methods import methods_text

        return methods_text(self)

    @cached_property
    def intervals(self) -> dict[str, IntervalKind]:
        """Of what kind the interval of each quantity is, for those that have one."""
        from occstats.comparison.words.explain import interval_kinds

        known = {
            str(column)
            for frame in (self.summary, self.pairwise, self.kendall)
            for column in frame.columns[frame.notna().any()]
        }
        unit = "suite" if self.results.nested else "dataset"
        kinds = interval_kinds(self.results.n_independent, unit, self.settings)
        limits = {name: f"{name}_ci_low" for name in kinds} | {"difference": "ci_low"}
        return {name: kind for name, kind in kinds.items() if limits[name] in known}

    def explain(self, column: str) -> str:
        """What a column or section means, in one sentence; empty if it speaks for itself."""
        from occstats.comparison.words.explain import explain

        return explain(column, self.intervals)

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper, followed by its references."""
        return self.methods_text.text()

    def matrix(self, column: str) -> pd.DataFrame:
        """One column of ``pairwise`` as a square, rows ``a``, columns ``b``, in summary order.

        Parameters
        ----------
        column
            A column of ``pairwise``, such as ``p`` or ``difference``.
        """
        if column in RENAMED_COLUMNS:
            raise ArgumentError(f"column {column!r} is called {RENAMED_COLUMNS[column]!r} now")
        values = [name for name in self.pairwise.columns if name not in ("a", "b")]
        if column not in values:
            raise ArgumentError(
                f"column must be one of {', '.join(values)}; got {column!r}"
                f"{did_you_mean(str(column), values)}"
            )
        square = self.pairwise.pivot(index="a", columns="b", values=column)
        return square.reindex(index=self.algorithms, columns=self.algorithms)

    @property
    def p_values(self) -> pd.DataFrame:
        """The p-values that decide, as a square, rows and columns best first."""
        return self.matrix("p")

    def to_latex(self) -> str:
        """Return the table of the comparison for a paper, in LaTeX (booktabs).

        Examples
        --------
        >>> import occstats
        >>> print(occstats.compare("lenz2021", n_resamples=100).to_latex()[:14])
        \\begin{table}
        """
        from occstats.report.paper_tables import comparison_latex

        return comparison_latex(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain Python values, with the keys of ``occstats compare --json``."""
        from occstats.comparison.document import to_dict

        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """The comparison as one JSON document; floats in full precision, null where undefined."""
        from occstats.comparison.document import to_json

        return to_json(self, indent=indent)

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the report, tables (CSV, Markdown, LaTeX), methods and JSON, atomically.

        Files of an earlier comparison are replaced only when all new ones are complete.
        """
        from occstats.report.writer import write

        return write(self, folder)

    @property
    def plot(self) -> Plotter:
        """The figures of this comparison: ``comparison.plot.ranks()``, ``.kendall()`` …"""
        from occstats.figures import Plotter

        return Plotter(self)

    def __repr__(self) -> str:
        from occstats.report.text import brief

        return brief(self)

    def _repr_html_(self) -> str:
        from occstats.report.fragment import to_html

        return to_html(self)

    @property
    def pairs(self) -> pd.DataFrame:
        """One row per pair, the better first: the columns of ``pairwise`` that people read.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", n_resamples=100)
        >>> comparison.pairs[["a", "b", "difference", "conclusion"]].head(2)
             a    b  difference conclusion
        0  ALP  SVM       0.002  undecided
        1  ALP  NND       0.007  undecided
        """
        from occstats.comparison.views import pairs

        return pairs(self)

    def where(self, condition: Any) -> Comparison:
        """Compare again on some of the tasks, with the same settings.

        Parameters
        ----------
        condition : str or mask
            A condition on the traits of a task, its data set and class, such as ``"n > 100"`` or
            ``"dataset != 'iris'"``; or a truth value for each task.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
        >>> comparison.where("n > 1000").results.n_tasks
        39
        """
        from occstats.comparison.views import where

        return where(self, condition)

    def add(self, *sources: Any, **options: Any) -> Comparison:
        """Compare again with further methods.

        Parameters
        ----------
        *sources
            Results as `occstats.compare` takes them, or a series of scores by task, whose name is
            the method's.
        **options
            Settings that replace those of this comparison, such as ``missing="complete"``, and
            how to read the sources: see `occstats.compare` and `occstats.load_results`.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
        >>> mine = (comparison.results.scores["ALP"] + 0.01).clip(upper=1).rename("MINE")
        >>> comparison.add(mine).algorithms
        ['MINE', 'SVM', 'ALP']
        """
        from occstats.comparison.views import add

        return add(self, *sources, **options)

    def pick(self) -> Any:
        """A widget for notebooks: choose two algorithms, see everything about the pair."""
        from occstats.report.widget import pair_picker

        return pair_picker(self)
