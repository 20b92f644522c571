"""What to do with tasks on which some algorithm has no score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import count, quote

if TYPE_CHECKING:
    from occstats.results.table import Results

__all__ = ["POLICIES", "resolve"]

Mask = npt.NDArray[np.bool_]

POLICIES = ("refuse", "complete", "pairwise")
_PAIRS_SHOWN = 12
_NOTES_SHOWN = 3


def resolve(results: Results, policy: str = "refuse") -> Results:
    """Apply a policy for missing cells and for traits on which sources disagree.

    Parameters
    ----------
    results : Results
        The table.
    policy : {"refuse", "complete", "pairwise"}
        ``refuse`` raises an error that lists the first missing cells. ``complete`` keeps the
        tasks on which every algorithm has a score and all sources agree on the traits.
        ``pairwise`` keeps every task that at least two algorithms have, so that each pair can
        use the tasks both have; the notes count them per pair. Disputed traits are NaN there.

    Returns
    -------
    Results
        A table fit for comparison, whose notes say what was dropped.

    Examples
    --------
    >>> import pandas as pd
    >>> from occstats import load_results
    >>> frame = pd.DataFrame({"dataset": ["a", "b"], "NND": [0.8, 0.9], "ALP": [0.7, None]})
    >>> kept = load_results(frame).resolve_missing("complete")
    >>> kept.n_tasks
    1
    >>> kept.notes[-1]
    "missing='complete': 1 of 2 tasks dropped, 1 of 2 data sets lost entirely."
    """
    if policy not in POLICIES:
        raise ResultsError(f"missing: {quote(policy)} is no policy; choose one of {POLICIES}")
    _check_several_algorithms(results)
    absent = results.scores.isna().to_numpy()
    disputed = _disputed_tasks(results)
    if not absent.any() and not disputed.any():
        return results
    if policy == "refuse":
        raise ResultsError(_refusal(results, absent, disputed))
    if policy == "complete":
        return _complete(results, absent, disputed)
    return _pairwise(results, absent)


def _check_several_algorithms(results: Results) -> None:
    if len(results.algorithms) < 2:
        raise ResultsError(
            f"{', '.join(results.sources) or 'results'}: only one algorithm"
            f" ({quote(results.algorithms[0])}), and a comparison needs two; add results of another"
            " one as a second source, for example lenz2021, or, if a column of the table names the"
            " algorithms, say which with algorithm=…"
        )


def _disputed_tasks(results: Results) -> Mask:
    if results.trait_conflicts is None or results.trait_conflicts.empty:
        return np.zeros(results.n_tasks, dtype=bool)
    of_task = pd.MultiIndex.from_frame(results.trait_conflicts[["dataset", "class"]])
    return np.asarray(results.scores.index.isin(of_task))


def _refusal(results: Results, absent: Mask, disputed: Mask) -> str:
    from occstats.results.table import show_task

    problems = []
    if absent.any():
        rows, columns = np.nonzero(absent)
        examples = "; ".join(
            f"{show_task(results.scores.index[row])}: {quote(results.algorithms[column])}"
            for row, column in zip(rows[:3].tolist(), columns[:3].tolist(), strict=True)
        )
        problems.append(
            f"{absent.sum():,} of {absent.size:,} cells have no score"
            f" (in {absent.any(axis=1).sum():,} of {results.n_tasks:,} tasks), first {examples}"
        )
    if disputed.any():
        first = results.scores.index[disputed][0]
        problems.append(
            f"the sources disagree on the traits of {count(disputed.sum(), 'task')}, first"
            f" {show_task(first)}"
        )
    problems += [note.rstrip(".") for note in results.notes if "count as missing" in note][
        :_NOTES_SHOWN
    ]
    whole = int((~absent.any(axis=1) & ~disputed).sum())
    worst = results.algorithms[int(absent.sum(axis=0).argmax())]
    remaining = np.delete(absent, results.algorithms.index(worst), 1)
    without = int((~remaining.any(axis=1) & ~disputed).sum())
    leave_out = (
        f", or leave out {quote(worst)}, which lacks most ({without:,} tasks would be whole)"
        if without > whole and len(results.algorithms) > 2
        else ""
    )
    complete = f"missing='complete' (the {whole:,} whole tasks) or " if whole else ""
    return (
        f"{', '.join(results.sources) or 'results'}: {'; '.join(problems)}; correct them, or choose"
        f" {complete}missing='pairwise' (for each pair the tasks both have){leave_out}"
    )


def _complete(results: Results, absent: Mask, disputed: Mask) -> Results:
    keep = ~absent.any(axis=1) & ~disputed
    if not keep.any():
        disputes = ", and undisputed traits" if disputed.any() else ""
        raise ResultsError(
            f"{', '.join(results.sources) or 'results'}: no task has a score of every algorithm"
            f"{disputes}, so missing='complete' leaves nothing; choose missing='pairwise' or fewer"
            " algorithms"
        )
    lost = results.n_clusters - results.scores.index[keep].get_level_values(0).nunique()
    entirely = f", {lost:,} of {results.n_clusters:,} data sets lost entirely" if lost else ""
    because = f" ({disputed.sum():,} of them for disputed traits)" if disputed.any() else ""
    return results.keep_tasks(
        keep,
        f"missing='complete': {(~keep).sum():,} of {results.n_tasks:,} tasks dropped"
        f"{because}{entirely}.",
    )


def _pairwise(results: Results, absent: Mask) -> Results:
    keep = (~absent).sum(axis=1) >= 2
    if not keep.any():
        raise ResultsError(
            f"{', '.join(results.sources) or 'results'}: no task has scores of two algorithms, so"
            " there is nothing to pair; check that the sources name data sets and classes alike"
        )
    notes = []
    if not keep.all():
        notes.append(
            f"missing='pairwise': {(~keep).sum():,} of {results.n_tasks:,} tasks dropped, because"
            " fewer than two algorithms have a score there."
        )
    kept = results.keep_tasks(keep)
    counts = kept.tasks_per_pair.to_numpy()
    first, second = np.triu_indices(len(counts), k=1)
    dropped = kept.n_tasks - counts[first, second]
    order = [int(i) for i in np.argsort(-dropped, kind="stable") if dropped[i]]
    if order:
        names = kept.algorithms
        shown = ", ".join(
            f"{quote(names[first[i]])}–{quote(names[second[i]])} {dropped[i]:,}"
            for i in order[:_PAIRS_SHOWN]
        )
        more = f" and {len(order) - _PAIRS_SHOWN} more pairs" if len(order) > _PAIRS_SHOWN else ""
        whole = int((~absent[keep].any(axis=1)).sum())
        notes.append(
            f"missing='pairwise': of {kept.n_tasks:,} tasks, {whole:,} have every algorithm;"
            f" tasks left out per pair: {shown}{more}."
        )
    if kept.trait_conflicts is not None and len(kept.trait_conflicts):
        notes.append("missing='pairwise': traits on which the sources disagree count as unknown.")
    return kept.keep_tasks(np.ones(kept.n_tasks, dtype=bool), *notes)
