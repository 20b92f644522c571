"""The pipeline of a comparison, from a results table to its frames."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from typing import Any, overload

import pandas as pd
from threadpoolctl import threadpool_limits

from occstats._checks import check_names
from occstats.comparison.comparison import Comparison
from occstats.comparison.decision import decide
from occstats.comparison.families import (
    Comparisons,
    compare_family,
    load_measures,
    slices_of,
)
from occstats.comparison.settings import (
    SETTINGS,
    Alternative,
    Correction,
    Engine,
    Estimand,
    Family,
    Inference,
    Null,
    Preset,
    Settings,
    Test,
)
from occstats.comparison.study import prepare
from occstats.errors import ArgumentError, ResultsError
from occstats.results import Results, load_results
from occstats.results.load import load_by

Source = str | os.PathLike[str] | pd.DataFrame | Results


@overload
def compare(
    *results: Source | Sequence[Source],
    preset: Preset | None = None,
    estimand: Estimand | None = None,
    test: Test = "rgl",
    correction: Correction | None = None,
    family: Family | None = None,
    alternative: Alternative | None = None,
    null: Null | None = None,
    control: str | None = None,
    alpha: float = 0.05,
    engine: Engine = "native",
    algorithms: Sequence[str] | None = None,
    missing: str = "refuse",
    tie_tolerance: float | None = None,
    n_resamples: int = 10_000,
    rope: float | None = None,
    margin: float | None = None,
    random_state: int = 0,
    inference: Inference | None = None,
    by: None = None,
    score: str | None = None,
    **reading: Any,
) -> Comparison: ...


@overload
def compare(
    *results: Source | Sequence[Source], score: list[str], **options: Any
) -> Comparisons: ...


@overload
def compare(*results: Source | Sequence[Source], by: str, **options: Any) -> Comparisons: ...


def compare(
    *results: Source | Sequence[Source],
    preset: Preset | None = None,
    estimand: Estimand | None = None,
    test: Test = "rgl",
    correction: Correction | None = None,
    family: Family | None = None,
    alternative: Alternative | None = None,
    null: Null | None = None,
    control: str | None = None,
    alpha: float = 0.05,
    engine: Engine = "native",
    algorithms: Sequence[str] | None = None,
    missing: str = "refuse",
    tie_tolerance: float | None = None,
    n_resamples: int = 10_000,
    rope: float | None = None,
    margin: float | None = None,
    random_state: int = 0,
    inference: Inference | None = None,
    by: str | None = None,
    **reading: Any,
) -> Comparison | Comparisons:
    """Compare algorithms on tasks grouped in clusters (datasets).

    Parameters
    ----------
    *results : path, name of bundled results, DataFrame, `Results`, or a list of these
        Several are joined by task.
    preset : {'paper'}, optional
        Predefined settings, which explicit ones override; ``'paper'`` uses those of Lenz et al.
        (2021).
    estimand : {'typical', 'mean'}, optional
        Quantity compared: ``'typical'``, the difference of scores on a typical task
        (signed ranks); ``'mean'``, the difference of mean scores, with equal weight for each
        dataset (bootstrap-t). The default is ``'typical'``, and ``'mean'`` for 0/1 scores or with
        a margin.
    test : {'rgl', 'ds'}, default 'rgl'
        Clustered signed-rank test of the estimand ``'typical'``: Rosner, Glynn and Lee, or Datta
        and Satten.
    correction : {'max-t', 'holm', 'hochberg', 'bonferroni', 'benjamini-hochberg', \
'benjamini-yekutieli', 'none'}, optional
        Correction for multiple testing. The default (None) is ``'max-t'``, or ``'holm'`` if R
        computes the tests. ``'none'`` leaves the p-values uncorrected.
    family : {'all', 'control', 'row', 'measures'}, optional
        Tests corrected together: all pairs, the comparisons with the control, or the
        one-sided tests of each algorithm against all others. The default is ``'all'``, and
        ``'control'`` with a control. ``'measures'`` also corrects over several measures.
    alternative : {'two-sided', 'greater', 'less'}, optional
        Alternative hypothesis about the first algorithm of a pair. The default is ``'two-sided'``.
    null : {'flips', 'bootstrap', 'asymptotic'}, optional
        Null distribution: cluster sign flips (for the estimand ``'typical'``), a bootstrap of
        datasets (for ``'mean'``), or the normal or t distribution. The default follows from the
        estimand, and is ``'asymptotic'`` if R computes the tests.
    control : str, optional
        Baseline of a many-to-one comparison.
    alpha : float, default 0.05
        Significance level; confidence intervals have level ``1 - alpha``.
    engine : {'native', 'rpy2', 'rscript', 'both'}, default 'native'
        Engine of the tests: this package; R's clusrank, embedded or as a process; or this
        package, checked against clusrank. All but ``'native'`` need R.
    algorithms : sequence of str, optional
        Algorithms to compare and to rank against each other. The default is all.
    missing : str, default 'refuse'
        Treatment of missing scores: ``'refuse'``; ``'complete'``, only tasks that all algorithms
        have; ``'pairwise'``, for each pair the tasks that both have; ``'drop-algorithms'``, only
        algorithms that have all tasks; ``'worst'``, a failure, which ranks below every score;
        ``'worst=SCORE'``, a failure that has this score in means; ``'impute=NAME'``, the score of
        the algorithm NAME.
    tie_tolerance : float, optional
        Differences are rounded to multiples of this before ranking, so that 0.3 − 0.2 and
        0.2 − 0.1 tie; 0 ranks the raw floats. The default is 1e-9 of the scale of the score, which
        is 1 for scores in 0 … 1.
    n_resamples : int, default 10,000
        Resamples of datasets, for p-values and confidence intervals.
    rope : float, optional
        Half-width of the region of practical equivalence of the posteriors. The default is the
        margin, or 0.01 of the scale of the score.
    margin : float, optional
        Smallest difference that matters: undecided pairs whose confidence interval lies within ±
        the margin are equivalent.
    random_state : int, default 0
        Seed of all random numbers.
    inference : {'cr1', 'cr2'}, optional
        Standard errors of the regression of ranks on traits: cluster-robust with a small-sample
        factor; or bias-reduced, with Satterthwaite degrees of freedom. The default is ``'cr2'``.
    by : str, optional
        Column whose values are slices, such as a language: the algorithms are compared within each
        slice, corrected over all slices.
    **reading
        Options of :func:`occstats.load_results`, such as ``dataset``, ``algorithm``, ``score`` and
        ``lower_is_better``. A list of scores (or of metrics) compares the algorithms by each of
        these measures; `lower_is_better` then applies to measures of unknown direction.

    Returns
    -------
    Comparison
        Frames, a verdict in words and a methods paragraph; or, with several measures or slices,
        :class:`~occstats.comparison.Comparisons`, which holds one for each.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> print(comparison.verdict.splitlines()[0])
    ALP has the best mean rank (3.51; mean AUROC 0.817).
    """
    given = {name: value for name, value in locals().items() if name in SETTINGS}
    measures = [name for name in ("score", "metric") if isinstance(reading.get(name), list | tuple)]
    joint = family == "measures"
    if joint and measures:
        given["family"] = None
    settings = Settings.of(**given)
    sources = _sources(results, reading)
    made = len(sources) == 1 and isinstance(sources[0], Results)
    if algorithms is not None and not made:
        reading["algorithms"] = algorithms  # in a wide table, their columns
    if not isinstance(by, str | None):
        raise ArgumentError(f"by must be the name of one column; got {by!r}")
    if by is not None:
        if measures:
            name, (first, *_) = measures[0], reading[measures[0]]
            problem = f"by={by!r} compares slices by one measure; got {len(reading[name])}"
            raise ResultsError(problem, {name: first})
        parts, notes = slices_of(*load_by(sources, by, **reading), by)
        return compare_family(parts, settings, kind="slice", joint=True, by=by, notes=notes)
    if measures:
        parts = load_measures(sources, measures[0], reading)
        return compare_family(parts, settings, kind="measure", joint=joint)
    if made and not reading:
        return compare_with(sources[0], settings)
    return compare_with(load_results(*sources, **reading), settings)


def compare_with(results: Results, settings: Settings) -> Comparison:
    """Compare with settings that are already checked."""
    # One thread, as in `Comparison`.
    with threadpool_limits(1, user_api="blas"):
        decision = decide(prepare(results, settings))
    return Comparison(decision=decision, given=results)


def _sources(results: Sequence[Any], reading: dict[str, Any]) -> list[Any]:
    known = inspect.signature(load_results).parameters
    check_names("compare", reading, ["by", *SETTINGS, *known])
    sources: list[Any] = []
    for each in results:
        sources += each if isinstance(each, list | tuple) else [each]
    if not sources:
        raise ArgumentError("compare needs at least one table: a file, a frame or a name")
    return sources
