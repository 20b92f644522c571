"""The pipeline of a comparison, from a results table to its frames."""

from __future__ import annotations

import inspect
import os
import platform
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd
import scipy
from threadpoolctl import threadpool_limits

from occstats import __version__
from occstats._format import did_you_mean
from occstats.comparison import task_effects
from occstats.comparison.binary import binary_frame
from occstats.comparison.classical import classical_tests
from occstats.comparison.comparison import Comparison
from occstats.comparison.decision import Decision, decide
from occstats.comparison.design import study_design
from occstats.comparison.effects import diagnostics_frame, effects_frame, kendall_frame
from occstats.comparison.option import Options
from occstats.comparison.robustness import study_gaps, study_stability
from occstats.comparison.settings import OPTIONS, REPLACED, Settings, document_settings
from occstats.comparison.study import Study, prepare
from occstats.comparison.summary import summary_frame
from occstats.errors import ArgumentError
from occstats.results import Results, load_results
from occstats.results.options import document as document_reading
from occstats.results.options import parameters as reading_parameters

__all__ = ["compare"]

Source = str | os.PathLike[str] | pd.DataFrame | Results
RECORDED_PACKAGES = (np, scipy, pd)


class Arguments(Options, total=False):
    """The settings, and the options for reading the results."""

    cluster: str | Sequence[str] | None
    task: str | None
    algorithm: str | Sequence[str] | None
    score: str | None
    fold: str | None
    repeat: str | None
    status: str | None
    transpose: bool
    where: Sequence[str]
    duplicates: str
    format: str | None
    sheet: str | None
    traits: Sequence[str] | None
    metric: str | None
    score_name: str | None
    lower_is_better: bool | None
    on_clash: str
    unequal_folds: str
    encoding: str | None
    header_rows: int
    fill_down: bool
    decimal: str
    scale: float
    max_rows: int


def compare(
    results: Source | Sequence[Source],
    *,
    progress: bool | None = None,
    **options: Unpack[Arguments],
) -> Comparison:
    """Compare algorithms on tasks that come in clusters (datasets).

    Parameters
    ----------
    results : path, name of bundled results, DataFrame, `Results`, or a list of these
        Several are joined by task.
    progress : bool, optional
        Show a progress bar for slow parts; by default on a terminal and in a notebook.
    <settings>
    {options}

    Returns
    -------
    Comparison
        Frames, a verdict in words and a methods paragraph.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> print(comparison.verdict.splitlines()[0])
    ALP has the best mean rank (3.51; mean AUROC 0.817).
    """
    settings = {**OPTIONS, **REPLACED}
    chosen = {name: value for name, value in options.items() if name in settings}
    reading = {name: value for name, value in options.items() if name not in settings}
    checked = Settings.of(**chosen)
    return compare_with(_load(results, reading), checked, progress=progress)


def _signature() -> inspect.Signature:
    """Return the signature that editors show: every setting and reading option."""
    own = inspect.signature(compare).parameters
    kinds = inspect.signature(Settings).parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    chosen = [kinds[name].replace(kind=keyword) for name in OPTIONS]
    return inspect.Signature(
        [own["results"], own["progress"], *chosen, *reading_parameters()],
        return_annotation=Comparison,
    )


document_settings(compare)
compare.__doc__ = (compare.__doc__ or "").replace("{options}", inspect.cleandoc(document_reading()))
compare.__signature__ = _signature()  # type: ignore[attr-defined]


def compare_with(
    results: Results, settings: Settings, *, progress: bool | None = None
) -> Comparison:
    """Compare with settings that are already checked."""
    # The products are small: one thread is as fast as several, does not wait on a busy machine,
    # and always gives the same last digits.
    with threadpool_limits(1, user_api="blas"):
        return _compare(results, prepare(results, settings), progress)


def _compare(given: Results, study: Study, progress: bool | None) -> Comparison:
    decision = decide(study)
    pairwise = decision.frame().merge(effects_frame(study), on=["a", "b"])
    regression, regression_notes = task_effects.regression_frame(study)
    return Comparison(
        results=study.results,
        settings=study.settings,
        rule=decision.rule,
        basis=decision.basis,
        summary=summary_frame(study, decision),
        pairwise=pairwise,
        ranks=task_effects.rank_frame(study),
        kendall=kendall_frame(study),
        regression=regression,
        complementary_pairs=task_effects.complementary_frame(study),
        rank_frequencies=task_effects.frequency_frame(study),
        strata=task_effects.strata_frame(study),
        diagnostics=diagnostics_frame(study),
        stability=study_stability(study, decision),
        design=study_design(study, decision, progress=progress),
        classical=classical_tests(study),
        gaps=study_gaps(given, study, pairwise),
        fold_tests=task_effects.fold_frame(study),
        binary=binary_frame(study),
        notes=(*study.notes, *regression_notes, *decision.notes),
        meta=_record(study, decision),
    )


def _record(study: Study, decision: Decision) -> dict[str, Any]:
    """Return counts, settings and versions for the record."""
    results = study.results
    return {
        "algorithms": results.algorithms,
        "tasks": results.n_tasks,
        "clusters": results.n_clusters,
        "suites": results.n_suites,
        "score": results.score_name,
        "higher_is_better": results.higher_is_better,
        "sources": list(results.sources),
        **study.settings.record(),
        "engine": decision.backend,
        "resamples_used": decision.tests.n_resamples,
        "versions": {
            "occstats": __version__,
            "python": platform.python_version(),
            **{package.__name__: package.__version__ for package in RECORDED_PACKAGES},
        },
    }


def _load(results: Any, reading: dict[str, Any]) -> Results:
    known = inspect.signature(load_results).parameters
    unknown = [name for name in reading if name not in known]
    if unknown:
        raise TypeError(
            f"compare() got an unexpected keyword argument {unknown[0]!r}"
            f"{did_you_mean(unknown[0], ['progress', *OPTIONS, *known])}"
        )
    if isinstance(results, Results) and not reading:
        return results
    sources = list(results) if isinstance(results, list | tuple) else [results]
    if not sources:
        raise ArgumentError("results must hold at least one table; got an empty list")
    return load_results(*sources, **reading)
