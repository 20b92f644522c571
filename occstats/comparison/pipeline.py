"""The pipeline of a comparison: from a results table to all answers, stage by stage."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd

from occstats.comparison import stages
from occstats.comparison.methods import methods_text
from occstats.comparison.result import Comparison
from occstats.comparison.settings import (
    Alternative,
    Correction,
    Engine,
    Family,
    Inference,
    Kendall,
    Missing,
    Null,
    Settings,
    Strata,
    Test,
)
from occstats.comparison.testing import ordered_pairs, run_tests
from occstats.comparison.traits import regress
from occstats.comparison.verdict import write_verdict
from occstats.errors import ArgumentError, ResultsError
from occstats.names import did_you_mean, listing
from occstats.results import Results, load_results

__all__ = ["compare"]

Source = str | os.PathLike[str] | pd.DataFrame | Results


def compare(
    results: Source | Sequence[Source],
    *,
    test: Test = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "greater",
    correction: Correction = "holm",
    family: Family = "row",
    control: str | None = None,
    alpha: float = 0.05,
    algorithms: Sequence[str] | None = None,
    missing: Missing = "refuse",
    tie_tolerance: float = 1e-9,
    engine: Engine = "native",
    kendall: Kendall = "product",
    inference: Inference = "cr1",
    strata: Strata = "width",
    n_strata: int = 5,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    rope: float = 0.01,
    prior_weight: float = 1.0,
    random_state: int = 0,
    deep: bool = False,
    progress: bool | None = None,
    **reading: Any,
) -> Comparison:
    """Compare algorithms on tasks that come in clusters (data sets).

    Parameters
    ----------
    results
        A path, the name of bundled results (``"lenz2021"``), a DataFrame, a `Results`, or a list
        of these, which are joined by task.
    test, null, alternative, correction, family, control, alpha, algorithms, missing, \
tie_tolerance, engine, kendall, inference, strata, n_strata, n_resamples, confidence, rope, \
prior_weight, random_state, deep
        See `occstats.comparison.Settings`; the defaults are those of Lenz et al. (2021).
        Naming a ``control`` implies ``family="control"``.
    progress
        Show a progress bar for what takes long; by default on a terminal and in a notebook.
    **reading
        How to read the results (``cluster``, ``task``, ``algorithm``, ``score``, ``fold``,
        ``repeat``, ``traits``, ``lower_is_better``, ``on_clash``): see `occstats.load_results`.

    Returns
    -------
    Comparison
        Frames, a verdict in words and a methods paragraph.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> print(comparison.verdict.split(". ")[0])
    Of 9 algorithms on 246 tasks from 50 data sets, ALP has the best mean rank (3.51; mean auroc \
0.817)
    """
    settings = Settings(
        test=test,
        null=null,
        alternative=alternative,
        correction=correction,
        family="control" if control is not None and family == "row" else family,
        control=control,
        alpha=alpha,
        algorithms=_names(algorithms),
        missing=missing,
        tie_tolerance=tie_tolerance,
        engine=engine,
        kendall=kendall,
        inference=inference,
        strata=strata,
        n_strata=n_strata,
        n_resamples=n_resamples,
        confidence=confidence,
        rope=rope,
        prior_weight=prior_weight,
        random_state=random_state,
        deep=deep,
    )
    return compare_with(_load(results, reading), settings, progress=progress)


def compare_with(
    results: Results, settings: Settings, *, progress: bool | None = None
) -> Comparison:
    """Compare under settings that are already checked."""
    # The products are small: one thread is as fast as several, never waits for a busy machine, and
    # gives the same last digits whatever the number of threads.
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        return _compare_with(results, settings, progress)


def _compare_with(results: Results, settings: Settings, progress: bool | None) -> Comparison:
    # Which algorithms and tasks take part.
    results = _participants(results, settings)
    whole, notes = _whole_tasks(results)

    # Who is better, task by task and on average; from here on the best comes first everywhere.
    order = stages.best_first(whole, settings)
    results, whole = results.select(order), whole.select(order)
    ranking = stages.rank(whole, settings)
    summary = stages.summarise(whole, ranking)

    # Is that more than chance, given that the tasks of a data set belong together?
    testable = results.n_clusters > 1
    found = run_tests(results, settings)
    pairwise = ordered_pairs(results, found)
    diagnostics = stages.diagnose(results, settings)
    kendall = stages.kendall(results, settings)

    # On which kind of task, and together with whom?
    regression, regression_notes = regress(whole, ranking, settings)
    comparison = Comparison(
        results=results,
        settings=settings,
        summary=summary,
        pairwise=pairwise,
        ranks=stages.rank_frame(whole, ranking),
        kendall=kendall,
        regression=regression,
        complementary_pairs=stages.complement(whole, settings),
        rank_frequencies=stages.frequencies(whole, ranking),
        strata=stages.stratify(whole, ranking, settings),
        diagnostics=diagnostics,
        notes=(*results.notes, *notes, *regression_notes, *(found.notes if testable else ())),
        meta=stages.describe(results, settings, found.engine),
        methods_text=methods_text(
            settings,
            n_algorithms=len(results.algorithms),
            n_tasks=results.n_tasks,
            n_clusters=results.n_clusters,
            score_name=results.score_name,
            regression_terms=tuple(regression["term"].unique()),
        ),
    )

    # How much better, how sure, and would it hold?
    comparison = stages.add_uncertainty(comparison, found, progress)
    return replace(comparison, verdict=write_verdict(comparison))


def _names(algorithms: Sequence[str] | str | None) -> tuple[str, ...] | None:
    if algorithms is None:
        return None
    return (algorithms,) if isinstance(algorithms, str) else tuple(algorithms)


def _load(results: Any, reading: dict[str, Any]) -> Results:
    unknown = [name for name in reading if name not in signature(load_results).parameters]
    if unknown:
        choices = [*signature(compare).parameters, *signature(load_results).parameters]
        raise TypeError(
            f"compare() got an unexpected keyword argument {unknown[0]!r}"
            f"{did_you_mean(unknown[0], choices)}"
        )
    if isinstance(results, Results) and not reading:
        return results
    sources = list(results) if isinstance(results, list | tuple) else [results]
    if not sources:
        raise ArgumentError("results must hold at least one table; got an empty list")
    return load_results(*sources, **reading)


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
    return results.resolve_missing(settings.missing)


def _whole_tasks(results: Results) -> tuple[Results, tuple[str, ...]]:
    """The tasks that all algorithms have: only there can they be ranked against each other."""
    whole = np.asarray(~np.isnan(results.oriented).any(axis=1))
    if whole.all():
        return results, ()
    if not whole.any():
        raise ResultsError(
            "no task has a score of every algorithm, so they cannot be ranked: "
            "choose fewer algorithms"
        )
    note = (
        f"Ranks, mean scores, regression and strata use the {int(whole.sum()):,} of "
        f"{results.n_tasks:,} tasks that all algorithms have."
    )
    return results.keep_tasks(whole), (note,)
