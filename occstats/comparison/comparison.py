"""The result of a comparison: frames, a verdict and a methods paragraph."""

from __future__ import annotations

import os
import platform
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import scipy
from threadpoolctl import threadpool_limits

from occstats import __version__
from occstats._checks import check_keywords
from occstats._format import count, did_you_mean, listing, quote, quote_list
from occstats.comparison import quantities
from occstats.comparison.decision import BETTER, Decision
from occstats.comparison.heterogeneity import heterogeneity_frame
from occstats.comparison.robustness import Gaps, Stability, study_gaps, study_stability
from occstats.comparison.settings import SETTINGS, Settings
from occstats.errors import ArgumentError
from occstats.results import Results
from occstats.results.table import TASK
from occstats.stats.complementary import complementary_pairs
from occstats.stats.diagnostics import cluster_diagnostics
from occstats.stats.friedman import Classical, classical_tests
from occstats.stats.ranks import rank_frequencies

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from occstats.comparison.study import Study
    from occstats.comparison.text.columns import IntervalKind
    from occstats.comparison.text.methods import MethodsText
    from occstats.figures import Plotter


Value = TypeVar("Value")
RECORDED_PACKAGES = (np, scipy, pd)
COPY_ON_WRITE = int(pd.__version__.partition(".")[0]) >= 3

#: The columns of ``pairwise``.
PAIR_COLUMNS = [
    "a", "b", "difference", "ci_low", "ci_high", "p", "conclusion", "reversed", "wins", "ties",
    "losses",
]  # fmt: skip


def main_pairs(
    frame: pd.DataFrame, algorithms: list[str], control: str | None, columns: list[str]
) -> pd.DataFrame:
    """Return each pair once, the better first, or those of the control, in the order of ranks."""
    place = {name: position for position, name in enumerate(algorithms)}
    first, second = frame["a"].map(place), frame["b"].map(place)
    keep = first < second if control is None else frame["a"] == control
    order = np.lexsort((second[keep], first[keep]))
    known = [name for name in columns if name in frame]
    return frame.loc[keep, known].iloc[order].reset_index(drop=True)


def _near(column: str, known: Sequence[str]) -> str:
    """Return the column that is probably meant; ``p`` is the p-value after the correction."""
    corrected = column.casefold() in ("p_adjusted", "p_corrected", "p_simultaneous")
    return did_you_mean("p" if corrected else column, known)


class Tally(NamedTuple):
    """Numbers of unordered pairs: tested, different, and different if tasks were independent."""

    tested: int
    different: int
    ignoring_clusters: int


class cached_copy(cached_property[Value]):  # noqa: N801  a decorator
    """A property that is computed once; each access returns a copy.

    Matrix products use one thread, which is as fast as several for their sizes, does not wait on a
    busy machine, and always gives the same last digits.
    """

    def __get__(self, comparison: Any, owner: Any = None) -> Value:  # type: ignore[override]
        if comparison is None:
            return self  # type: ignore[return-value]
        name = str(self.attrname)
        if name not in vars(comparison):
            with threadpool_limits(1, user_api="blas"):
                vars(comparison)[name] = self.func(comparison)
        found: Value = vars(comparison)[name]
        return deepcopy(found)

    def __set__(self, comparison: Any, value: Any) -> None:
        raise AttributeError(f"{self.attrname} cannot be set")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison:
    """The result of `occstats.compare`, as pandas frames and in words.

    A positive difference means that ``a`` is better than ``b``, whatever the orientation of the
    score. Rank 1 is best. Means give each dataset equal weight. All pairs are decided together.
    Each frame is computed on first use; changing it does not affect the comparison.

    The answer is in ``verdict``, ``summary`` (one row per algorithm), ``pairwise`` (one row per
    pair) and ``p_values``; ``pairwise_full`` has all columns of each ordered pair, ``plot`` the
    figures, and ``methods`` a paragraph for a paper.

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

    decision: Decision
    given: Results

    @property
    def study(self) -> Study:
        """Return the results and settings with the quantities that the parts share."""
        return self.decision.study

    @property
    def results(self) -> Results:
        """Return the compared results; their frames are copies."""
        found = copy(self.study.results)
        for name, value in vars(found).items():
            if isinstance(value, pd.DataFrame):
                vars(found)[name] = value.copy(deep=not COPY_ON_WRITE)
        return found

    @property
    def settings(self) -> Settings:
        """Return the settings used."""
        return self.study.settings

    @property
    def algorithms(self) -> list[str]:
        """Return the algorithms, best first: by mean rank, or by mean score (estimand mean)."""
        return self.study.algorithms

    @property
    def rule(self) -> str:
        """Return the rule for calling an algorithm better, as a sentence."""
        return self.decision.rule

    @property
    def basis(self) -> str:
        """Return the test behind the rule, as a phrase."""
        return self.decision.basis

    @cached_copy
    def summary(self) -> pd.DataFrame:
        """Return one row per algorithm, best first.

        Mean rank, mean score and spread over folds (``cvsd``) with intervals; the ranks consistent
        with the decisions (``rank_low`` to ``rank_high``); and the share of bootstrap resamples in
        which the algorithm comes first (``leads``).
        """
        return quantities.summary_frame(self.study, self.decision)

    @property
    def pairwise(self) -> pd.DataFrame:
        """Return one row per pair, the better first, or per pair with the control.

        ``difference`` (positive if ``a`` is better), ``ci_low``, ``ci_high``, ``p``,
        ``conclusion`` (``a`` is ``better`` or ``worse``, the pair is ``equivalent`` or
        ``undecided``; None without a test) and ``reversed`` (the pair is decided, but the other
        estimate has the opposite sign) form one decision; ``wins``, ``ties`` and ``losses`` count
        tasks.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", n_resamples=100)
        >>> comparison.pairwise[["a", "b", "difference", "conclusion"]].head(2)
             a    b  difference conclusion
        0  ALP  SVM       0.002  undecided
        1  ALP  NND       0.007  undecided
        """
        return main_pairs(self.pairwise_full, self.algorithms, self.settings.control, PAIR_COLUMNS)

    @cached_copy
    def pairwise_full(self) -> pd.DataFrame:
        """Return one row per ordered pair, with all columns.

        Besides those of ``pairwise``: ``p_unadjusted``, the p-value before the correction; both
        estimates, ``typical_difference`` and ``mean_difference``; the analysis that ignores
        clusters; and effect sizes. ``explain`` describes each column, and ``matrix`` returns one
        as a matrix.
        """
        return self.decision.frame().merge(quantities.effects_frame(self.study), on=["a", "b"])

    @cached_copy
    def ranks(self) -> pd.DataFrame:
        """Return the ranks, tasks × algorithms."""
        index = self.study.complete_results.scores.index
        return pd.DataFrame(self.study.ranks, index=index, columns=self.algorithms)

    @cached_copy
    def kendall(self) -> pd.DataFrame:
        """Return the rank correlations of the scores."""
        return quantities.kendall_frame(self.study)

    @cached_copy
    def regression(self) -> pd.DataFrame:
        """Return the regression of ranks on traits of the tasks."""
        return quantities.regression_frame(self.study)

    @cached_copy
    def complementary_pairs(self) -> pd.DataFrame:
        """Return pairs of algorithms by the mean of the better of their scores on each task."""
        found, names = complementary_pairs(self.study.sample.complete_cases), self.algorithms
        best = found["mean_best_score"] * (1.0 if self.results.higher_is_better else -1.0)
        pairs = {side: found[side].map(dict(enumerate(names))) for side in ("a", "b")}
        return found.assign(**pairs, mean_best_score=best)

    @cached_copy
    def rank_frequencies(self) -> pd.DataFrame:
        """Return the share of tasks on which each algorithm has each rank."""
        k, weights = len(self.algorithms), self.study.sample.complete_cases.clusters.weights
        return pd.DataFrame(
            {
                "algorithm": np.repeat(np.array(self.algorithms, dtype=object), k),
                "rank": np.tile(np.arange(1, k + 1), k),
                "frequency": rank_frequencies(self.study.ranks, weights).ravel(),
            }
        )

    @cached_copy
    def strata(self) -> pd.DataFrame:
        """Return the mean ranks by difficulty."""
        return quantities.strata_frame(self.study)

    @cached_copy
    def diagnostics(self) -> pd.DataFrame:
        """Return the correlation of tasks within datasets."""
        return self.study.unordered_pairs(cluster_diagnostics(self.study.sample))

    @cached_copy
    def stability(self) -> Stability:
        """Return the conclusions without each dataset and each algorithm."""
        return study_stability(self.study, self.decision)

    @cached_copy
    def design(self) -> quantities.Design:
        """Return the detectable differences and the datasets needed."""
        return quantities.study_design(self.decision)

    @cached_copy
    def classical(self) -> Classical:
        """Return the classical tests, which treat tasks as independent."""
        return classical_tests(self.study.sample, self.algorithms, alpha=self.settings.alpha)

    @cached_copy
    def gaps(self) -> Gaps | None:
        """Return the missing results, and the conclusions under other policies; None if none."""
        return study_gaps(self.given, self.decision)

    @cached_copy
    def fold_tests(self) -> pd.DataFrame | None:
        """Return the probability that ``a`` is better on each task; None without folds."""
        return quantities.fold_frame(self.study)

    @cached_copy
    def binary(self) -> pd.DataFrame | None:
        """Return the clustered McNemar tests of 0/1 scores; None for others."""
        return quantities.binary_frame(self.study)

    @cached_copy
    def notes(self) -> tuple[str, ...]:
        """Return the notes on the input, and cautions."""
        # Those on a regression are in the note of its table.
        regression = self.regression.attrs["notes"] if self.regression.empty else ()
        return (*self.study.notes, *regression, *self.decision.notes)

    @cached_copy
    def meta(self) -> dict[str, Any]:
        """Return counts, settings and versions for the record."""
        results, decision = self.results, self.decision
        return {
            "algorithms": results.algorithms,
            "tasks": results.n_tasks,
            "clusters": results.n_clusters,
            "suites": results.n_suites,
            "score": results.score_name,
            "higher_is_better": results.higher_is_better,
            "sources": list(results.sources),
            **self.settings.record(),
            "engine": decision.engine,
            "resamples_used": decision.tests.n_resamples,
            "versions": {
                "occstats": __version__,
                "python": platform.python_version(),
                **{package.__name__: package.__version__ for package in RECORDED_PACKAGES},
            },
        }

    @cached_copy
    def tally(self) -> Tally:
        """Return the numbers of unordered pairs that were tested and that differ."""
        tested = self.decision.tested
        _, naive = self.decision.ignoring_clusters
        return Tally(
            tested=int(tested.sum()) // 2,
            different=int(self.decision.better.sum()),
            ignoring_clusters=int(((naive == BETTER) & tested).sum()),
        )

    @cached_copy
    def heterogeneity(self) -> pd.DataFrame:
        """Return the variation of each difference over datasets, and the prediction for a new one.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", n_resamples=100)
        >>> comparison.heterogeneity[["a", "b", "prob_better"]].head(2).round(2)
             a    b  prob_better
        0  ALP  SVM         0.53
        1  ALP  NND         0.68
        """
        return heterogeneity_frame(self.study)

    @cached_copy
    def verdict(self) -> str:
        """Return the answer in a few sentences."""
        from occstats.comparison.text.verdict import make_verdict

        return "\n".join(make_verdict(self, shorten=True).lines())

    @cached_copy
    def methods_text(self) -> MethodsText:
        """Return the methods paragraph with its citations, and the cited works."""
        from occstats.comparison.text.methods import methods_text

        return methods_text(self)

    @cached_copy
    def intervals(self) -> dict[str, IntervalKind]:
        """Return the kind of confidence interval of each quantity that has one."""
        from occstats.comparison.text.columns import interval_kinds

        known = {
            str(column)
            for frame in (self.summary, self.pairwise_full, self.kendall)
            for column in frame.columns[frame.notna().any()]
        }
        results = self.results
        kinds = interval_kinds(results.n_independent, results.unit, self.settings)
        limits = {name: f"{name}_ci_low" for name in kinds} | {"difference": "ci_low"}
        return {name: kind for name, kind in kinds.items() if limits[name] in known}

    def explain(self, column: str) -> str:
        """Explain a column or section in one sentence; empty if it is self-explanatory.

        Examples
        --------
        >>> import occstats
        >>> occstats.compare("lenz2021", n_resamples=100).explain("mean_rnak")
        "There is no column 'mean_rnak' (did you mean 'mean_rank'?)."
        """
        from occstats.comparison.text.columns import EXPLANATIONS, explain

        sentence = explain(str(column), self.intervals)
        columns = [*self.summary.columns, *self.pairwise_full.columns]
        if sentence or column in columns or column in type(self).__dict__:
            return sentence
        near = _near(str(column), [*EXPLANATIONS, *map(str, columns)])
        return f"There is no column {column!r}{near or '; see comparison.pairwise_full.columns'}."

    @property
    def methods(self) -> str:
        """Return a methods paragraph for a paper, followed by its references."""
        return self.methods_text.text()

    def matrix(self, column: str) -> pd.DataFrame:
        """Return a column of ``pairwise_full`` as a matrix, rows ``a``, columns ``b``, best first.

        Parameters
        ----------
        column
            A column of ``pairwise_full``, such as ``p`` or ``difference``.
        """
        values = [name for name in self.pairwise_full.columns if name not in ("a", "b")]
        if column not in values:
            raise ArgumentError(
                f"column must be one of {listing(values, conjunction='or')}; got {column!r}"
                f"{_near(str(column), values)}"
            )
        square = self.pairwise_full.pivot(index="a", columns="b", values=column)
        return square.reindex(index=self.algorithms, columns=self.algorithms)

    @property
    def p_values(self) -> pd.DataFrame:
        """Return the deciding p-values as a matrix, rows and columns best first."""
        return self.matrix("p")

    @check_keywords
    def to_latex(self, table: str = "comparison", *, caption: str = "", label: str = "") -> str:
        r"""Return a table for a paper, in LaTeX (booktabs).

        Parameters
        ----------
        table : {"comparison", "p_values", "scores"}
            The comparison with the leader or control, the p-values of all pairs, or all scores.
        caption : str, optional
            LaTeX code for the beginning of the caption; by default, a title. An explanation of the
            marks follows.
        label : str, optional
            Name by which the paper refers to the table; by default ``tab:comparison``,
            ``tab:p-values`` or ``tab:scores``.

        Returns
        -------
        str
            The table, equal to the file of the same name that ``write`` creates.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", n_resamples=100)
        >>> latex = comparison.to_latex(caption=r"Nine detectors~\cite{lenz}.", label="tab:nine")
        >>> print(*latex.splitlines()[3:5], sep="\n")
        \caption{Nine detectors~\cite{lenz}. * p $\leq$ 0.05, ...}
        \label{tab:nine}
        """
        from occstats.report.bundle import paper_table

        return paper_table(self, table, caption, label)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, with the keys of ``occstats compare --json``."""
        from occstats.report.json_document import to_dict

        return to_dict(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return one JSON document; floats in full precision, null where undefined."""
        from occstats.report.json_document import to_json

        return to_json(self, indent=indent)

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the report, its tables, the methods with references, and the JSON document.

        Files of an earlier comparison are replaced only when all new ones are complete; other files
        of the same names are replaced only with `force`.
        """
        from occstats.report.bundle import write

        return write(self, folder, force=force)

    @property
    def plot(self) -> Plotter:
        """Return the figures of this comparison: ``comparison.plot.ranks()``, ``.kendall()`` …"""
        from occstats.figures import Plotter

        return Plotter(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or hasattr(type(self), name):
            return object.__getattribute__(self, name)  # raises the error of a property
        near = {"scores": "results.scores", "best": "algorithms[0]", "pairs": "pairwise"}
        known = [each for each in dir(self) if not each.startswith("_")]
        hint = f" (see .{near[name]})" if name in near else did_you_mean(name, known)
        raise AttributeError(f"a Comparison has no attribute {name!r}{hint}")

    def __repr__(self) -> str:
        from occstats.comparison.text.verdict import headline

        return f"<Comparison of {headline(self)}>"

    def __str__(self) -> str:
        from occstats.report.terminal import brief

        return brief(self)

    def _repr_html_(self) -> str:
        from occstats.report.notebook import to_html

        return to_html(self)

    def _repr_latex_(self) -> str:
        from occstats.report.notebook import to_latex

        return to_latex(self)

    def where(self, condition: Any = None, **values: Any) -> Comparison:
        """Compare again on some of the tasks, with the same settings.

        Parameters
        ----------
        condition : str or mask, optional
            A condition on the traits of a task, its dataset and its name, such as ``"n > 100"``;
            or a boolean for each task.
        **values
            Values to keep, one or a list: ``dataset=["iris", "wine"]``.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
        >>> comparison.where("n > 1000").results.n_tasks
        39
        >>> comparison.where(dataset="iris").results.n_tasks
        3
        """
        from occstats.comparison.pipeline import compare_with

        traits = self.results.traits.rename_axis(index={TASK: "task"})
        known = [*map(str, traits.index.names), *map(str, traits.columns)]
        n, mask, conditions = self.results.n_tasks, condition, []
        if condition is None:
            mask = np.ones(n, dtype=bool)
        elif isinstance(condition, str):
            conditions = [condition]
            try:
                mask = traits.eval(condition)
            except Exception as error:  # pandas raises whatever its parser or a column raises
                reason = str(error).replace(" (<unknown>, line 1)", "")
                raise ArgumentError(
                    f"where: {quote(condition)} is not a condition on {quote_list(known)} "
                    f'({reason}); write, for example, "dataset != {traits.index[0][0]!r}"'
                ) from None
        elif isinstance(condition, pd.Series):
            mask = condition.reindex(self.results.scores.index)
        keep = np.asarray(mask)
        if callable(condition):
            raise ArgumentError('where: a function is no condition; write it as text: "n > 100"')
        if keep.shape != (n,) or keep.dtype != np.bool_:
            raise ArgumentError(
                f"where: the mask must be {n:,} booleans, one per task; got "
                f"{f'{keep.dtype} of shape {keep.shape}' if keep.shape else quote(condition)}"
            )
        for name, value in values.items():
            if name not in known:
                raise ArgumentError(
                    f"where: there is no column {quote(name)}{did_you_mean(name, known)}; "
                    f"there are {quote_list(known)}"
                )
            level = name in traits.index.names
            column = traits.index.get_level_values(name) if level else traits[name]
            wanted = list(value) if pd.api.types.is_list_like(value) else [value]
            for each in wanted:
                if not (column == each).any():
                    near = did_you_mean(str(each), map(str, column.unique()))
                    raise ArgumentError(f"where: no task has {name} {each!r}{near}")
            keep = keep & column.isin(wanted)
            conditions.append(f"{name} is {quote_list(wanted)}")
        tasks = f"tasks where {' and '.join(conditions)}" if conditions else "chosen tasks"
        if not keep.any():
            raise ArgumentError(f"where: there are no {tasks} among {n:,}")
        note = f"Only {tasks}: {count(int(keep.sum()), 'task')} of {n:,}."
        settings = replace(self.settings, algorithms=None)  # the results have only those
        return compare_with(self.results.keep_tasks(np.asarray(keep), note), settings)

    def add(self, *sources: Any, **options: Any) -> Comparison:
        """Compare again with further methods.

        Parameters
        ----------
        *sources
            Results as accepted by `occstats.compare`, or a series of scores by task with the name
            of the method.
        **options
            Settings that replace those of this comparison, such as ``missing="complete"``, and
            options for reading the sources: see `occstats.compare` and `occstats.load_results`.

        Examples
        --------
        >>> import occstats
        >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
        >>> mine = (comparison.results.scores["ALP"] + 0.01).clip(upper=1).rename("MINE")
        >>> comparison.add(mine).algorithms
        ['MINE', 'SVM', 'ALP']
        """
        from occstats.comparison.pipeline import compare_with
        from occstats.results import load_results

        if not sources:
            raise ArgumentError("add needs results: a file, a frame, or a series of scores by task")
        changed = {name: options.pop(name) for name in list(options) if name in SETTINGS}
        given = {name: getattr(self.settings, name) for name in self.settings.explicit or ()}
        settings = Settings.of(**{**given, "algorithms": None, **changed})
        # A series of scores by task does not say what was measured.
        of_series = {"lower_is_better": not self.results.higher_is_better, **options}
        tables = [
            load_results(source.to_frame(), algorithms=[str(source.name)], **of_series)
            if isinstance(source, pd.Series)
            else source
            for source in sources
        ]
        if all(isinstance(source, pd.Series) for source in sources):
            options = {}
        return compare_with(load_results(self.results, *tables, **options), settings)
