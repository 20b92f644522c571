"""The frozen result of a comparison: tidy frames, a verdict, a methods paragraph."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats.comparison.methods import MethodsText
from occstats.comparison.settings import Settings
from occstats.errors import ArgumentError
from occstats.names import did_you_mean
from occstats.results import Results

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Comparison"]


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
        One row per algorithm, best mean rank first: ``algorithm, mean_rank, mean_score, cvsd``
        with intervals and the posterior probability of being the best (``prob_best``).
    pairwise
        One row per ordered pair: the test of "``a`` is better than ``b``" (or the chosen
        alternative), its corrected p-value, and the size of the difference in several currencies.
    ranks
        Tasks × algorithms.
    kendall, regression, complementary_pairs, rank_frequencies, strata, diagnostics
        Which algorithms succeed on the same tasks; what traits of a task a rank depends on; which
        two algorithms are best together; how often each is first, second …; ranks by difficulty;
        how strongly the tasks of a data set depend on each other.
    stability, design, classical
        Would the conclusions hold with a data set less; how large a benchmark they would need;
        the classical tests, which assume independent tasks.
    fold_tests
        Where the results have folds: for each task, how sure one is that ``a`` is better there.
    verdict, methods, notes
        The answer in a few sentences, a paragraph for a paper, and what happened to the input.
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
    >>> comparison.matrix("p_adjusted").loc["ALP", "NND"].round(4)
    np.float64(0.0197)
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
    stability: Any = None
    design: Any = None
    classical: Any = None
    fold_tests: pd.DataFrame | None = None
    verdict: str = ""
    methods_text: MethodsText
    notes: tuple[str, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def algorithms(self) -> list[str]:
        """The algorithms, best mean rank first."""
        return list(self.summary["algorithm"])

    @property
    def methods(self) -> str:
        """A methods paragraph for a paper, followed by its references."""
        return self.methods_text.text()

    def matrix(self, column: str) -> pd.DataFrame:
        """One column of ``pairwise`` as a square, rows ``a``, columns ``b``, in summary order.

        Parameters
        ----------
        column
            A column of ``pairwise``, such as ``p_adjusted`` or ``mean_difference``.
        """
        values = [name for name in self.pairwise.columns if name not in ("a", "b")]
        if column not in values:
            raise ArgumentError(
                f"column must be one of {', '.join(values)}; got {column!r}"
                f"{did_you_mean(str(column), values)}"
            )
        square = self.pairwise.pivot(index="a", columns="b", values=column)
        return square.reindex(index=self.algorithms, columns=self.algorithms)

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
    def plot(self) -> Any:
        """The figures of this comparison: ``comparison.plot.ranks()``, ``.kendall()`` …"""
        from occstats.figures import Plotter

        return Plotter(self)

    def __repr__(self) -> str:
        from occstats.report.text import brief

        return brief(self)

    def _repr_html_(self) -> str:
        from occstats.report.fragment import to_html

        return to_html(self)
