"""What to do with tasks on which some algorithm has no score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import count, near_names, quote, quote_list
from occstats.results.table import CLUSTER, FAILURES, NO_ALGORITHM, TASK, Results, show_task

__all__ = ["IMPUTE", "POLICIES", "best_policy", "resolve"]

Mask = npt.NDArray[np.bool_]

# Every policy, and what it does.
POLICIES = {
    "refuse": "raise an error that lists the first missing cells",
    "complete": "keep the tasks on which every algorithm has a score",
    "pairwise": "for each pair of algorithms use the tasks that both have",
    "drop-algorithms": "keep the algorithms that have a score on every task",
    "worst": "give a missing cell the worst score that another algorithm has on the task",
}
# Besides these: the score of a baseline in place of a missing one, ``impute=NAME``.
IMPUTE = "impute="
_PAIRS_SHOWN = 12
_NOTES_SHOWN = 3
_LONGEST_HEADER = 65_536
_MOST_SIBLINGS = 200


def resolve(results: Results, policy: str = "refuse") -> Results:
    """Apply a policy for missing cells and for traits on which sources disagree.

    Parameters
    ----------
    results : Results
        The table.
    policy : {"refuse", "complete", "pairwise", "drop-algorithms", "worst"} or "impute=NAME"
        ``refuse`` raises an error that lists the first missing cells. ``complete`` keeps the
        tasks on which every algorithm has a score and all sources agree on the traits.
        ``pairwise`` keeps every task that at least two algorithms have, so that each pair can
        use the tasks both have; the notes count them per pair. ``drop-algorithms`` keeps the
        algorithms that have a score on every task. ``worst`` gives a missing cell the worst score
        on its task, ``impute=NAME`` that of the algorithm of this name, as automlbenchmark does
        with its constant predictor. Disputed traits are NaN but under ``complete``.

    Returns
    -------
    Results
        A table fit for comparison, whose notes say what was dropped or filled in.

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
    >>> load_results(frame).resolve_missing("worst").scores["ALP"].tolist()
    [0.7, 0.9]
    """
    imputed = policy.startswith(IMPUTE)
    if policy not in POLICIES and not imputed:
        raise ResultsError(
            f"missing: {quote(policy)} is no policy; choose one of"
            f" {', '.join(map(repr, POLICIES))} or 'impute=NAME'"
        )
    _check_several_algorithms(results)
    absent = results.scores.isna().to_numpy()
    disputed = _disputed_tasks(results)
    if imputed and policy.removeprefix(IMPUTE) not in results.algorithms:
        name = policy.removeprefix(IMPUTE)
        raise ResultsError(
            f"missing: there is no algorithm {quote(name)} to impute from"
            f"{near_names(name, results.algorithms)}; choose from {quote_list(results.algorithms)}"
        )
    if not absent.any() and not disputed.any():
        return results
    if policy == "refuse":
        raise ResultsError(
            _refusal(results, absent, disputed), {"missing": best_policy(results) or "pairwise"}
        )
    if policy == "complete":
        return _complete(results, absent, disputed)
    if policy == "drop-algorithms":
        return _drop_algorithms(results, absent)
    if policy == "worst":
        return _fill(results, absent, policy)
    return _fill(results, absent, policy) if imputed else _pairwise(results, absent)


def best_policy(results: Results) -> str:
    """The policy that keeps most of the table and flatters no failure; none where it is whole.

    Examples
    --------
    >>> import pandas as pd
    >>> from occstats import load_results
    >>> best_policy(load_results(pd.DataFrame({"dataset": ["a", "b"], "A": [1, 2], "B": [3, 4]})))
    ''
    """
    absent = results.scores.isna().to_numpy()
    if len(results.algorithms) < 2 or not (absent.any() or _disputed_tasks(results).any()):
        return ""
    whole_tasks = int((~absent.any(axis=1)).sum())
    whole_algorithms = int((~absent.any(axis=0)).sum())
    kept = {
        "complete": whole_tasks * len(results.algorithms),
        "drop-algorithms": whole_algorithms * results.n_tasks if whole_algorithms > 1 else 0,
    }
    if whole_algorithms < 2 and any(note.endswith(FAILURES) for note in results.notes):
        return "worst"  # to drop the tasks on which some failed would flatter those
    best = max(kept, key=lambda policy: kept[policy])
    if 2 * kept[best] >= absent.size:
        return best
    return "pairwise" if whole_tasks else "worst"


def _source(results: Results) -> str:
    return ", ".join(results.sources) or "results"


def _check_several_algorithms(results: Results) -> None:
    if len(results.algorithms) < 2:
        others = _siblings(results.sources)
        because = [note for note in results.notes if note.endswith(NO_ALGORITHM)]
        if because:
            raise ResultsError(
                f"{because[0].removesuffix('.')}, and a comparison needs two"
                f" ({quote(results.algorithms[0])} is left); write numbers there, or add results of"
                " another one as a second source"
            )
        raise ResultsError(
            f"{_source(results)}: only one algorithm ({quote(results.algorithms[0])}), and a"
            " comparison needs two; add results of another one as a second source, for example"
            " lenz2021, or, if a column of the table names the algorithms, say which with"
            " algorithm=…",
            {"sources": others} if others else None,
        )


def _siblings(sources: Sequence[str]) -> list[str]:
    """Files beside the only source that begin with the same line: those of other algorithms."""
    path = Path(sources[0]) if len(sources) == 1 else Path()
    try:
        if not path.is_file():
            return []
        with path.open("rb") as stream:
            head = stream.readline(_LONGEST_HEADER)
        beside = [other for other in sorted(path.parent.iterdir()) if other.suffix == path.suffix]
        found = []
        for other in beside[:_MOST_SIBLINGS]:
            with other.open("rb") as stream:
                if other != path and stream.readline(_LONGEST_HEADER) == head:
                    found.append(str(other))
    except OSError:
        return []
    return found if path.suffix in {".csv", ".tsv", ".txt"} else []


def _disputed_tasks(results: Results) -> Mask:
    if results.trait_conflicts is None or results.trait_conflicts.empty:
        return np.zeros(results.n_tasks, dtype=bool)
    of_task = pd.MultiIndex.from_frame(results.trait_conflicts[[CLUSTER, TASK]])
    return np.asarray(results.scores.index.isin(of_task))


def _refusal(results: Results, absent: Mask, disputed: Mask) -> str:
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
    full = int((~absent.any(axis=0)).sum())
    worst = results.algorithms[int(absent.sum(axis=0).argmax())]
    remaining = np.delete(absent, results.algorithms.index(worst), 1)
    without = int((~remaining.any(axis=1) & ~disputed).sum())
    leave_out = (
        f", or leave out {quote(worst)}, which lacks most ({without:,} tasks would be whole)"
        if without > whole and len(results.algorithms) > 2
        else ""
    )
    ways = [f"missing='complete' (the {whole:,} whole tasks)"] if whole else []
    if 1 < full < len(results.algorithms):
        ways.append(f"missing='drop-algorithms' (the {full:,} whole algorithms)")
    ways += [
        "missing='pairwise' (for each pair the tasks both have)",
        "missing='worst' (the worst score of the task)",
        "missing='impute=NAME' (the score of a baseline)",
    ]
    return (
        f"{_source(results)}: {'; '.join(problems)}; correct them, or choose"
        f" {', '.join(ways[:-1])} or {ways[-1]}{leave_out}"
    )


def _complete(results: Results, absent: Mask, disputed: Mask) -> Results:
    keep = ~absent.any(axis=1) & ~disputed
    if not keep.any():
        disputes = ", and undisputed traits" if disputed.any() else ""
        raise ResultsError(
            f"{_source(results)}: no task has a score of every algorithm{disputes}, so"
            " missing='complete' leaves nothing",
            {"missing": best_policy(results)} if not disputed.any() else {"missing": "pairwise"},
        )
    lost = results.n_clusters - results.scores.index[keep].get_level_values(0).nunique()
    entirely = f", {lost:,} of {results.n_clusters:,} data sets lost entirely" if lost else ""
    because = f" ({disputed.sum():,} of them for disputed traits)" if disputed.any() else ""
    return results.keep_tasks(
        keep,
        f"missing='complete': {(~keep).sum():,} of {results.n_tasks:,} tasks dropped"
        f"{because}{entirely}.",
    )


def _drop_algorithms(results: Results, absent: Mask) -> Results:
    whole = [
        name for name, gaps in zip(results.algorithms, absent.T, strict=True) if not gaps.any()
    ]
    if len(whole) < 2:
        raise ResultsError(
            f"{_source(results)}: {count(len(whole), 'algorithm')} with a score on every task, so"
            " missing='drop-algorithms' leaves nothing to compare",
            {"missing": best_policy(results)},
        )
    dropped = [name for name in results.algorithms if name not in whole]
    note = (
        f"missing='drop-algorithms': {count(len(dropped), 'algorithm')} of"
        f" {len(results.algorithms):,} dropped, which lack a task: {quote_list(dropped, limit=5)}."
    )
    kept = results.select(whole)
    return replace(kept, notes=(*kept.notes, note)) if dropped else kept


def _fill(results: Results, absent: Mask, policy: str) -> Results:
    """Fill missing cells from the other scores of the task."""
    if policy == "worst":
        none = np.asarray(absent.all(axis=1))
        if none.all():
            raise ResultsError(f"{_source(results)}: no task has a score, so nothing is to compare")
        if none.any():
            note = f"missing='worst': {count(none.sum(), 'task')} without any score dropped."
            results, absent = results.keep_tasks(~none, note), absent[~none]
        worst = results.scores.min if results.higher_is_better else results.scores.max
        source, of = worst(axis=1).to_numpy(float), "the worst score of their task"
    else:
        name = policy.removeprefix(IMPUTE)
        source, of = results.scores[name].to_numpy(float), f"the score of {quote(name)}"
    lacking = np.isnan(source) & absent.any(axis=1)
    if lacking.any():
        first = show_task(results.scores.index[lacking][0])
        raise ResultsError(
            f"{_source(results)}: missing={quote(policy)} finds no score to fill in on"
            f" {count(lacking.sum(), 'task')}, first {first}",
            {"missing": "worst"},
        )
    filled = results.scores.copy()
    filled[:] = np.where(absent, source[:, None], results.scores.to_numpy(float))
    note = (
        f"missing={quote(policy)}: {count(absent.sum(), 'cell')} on"
        f" {count(absent.any(axis=1).sum(), 'task')} filled with {of}, of"
        f" {quote_list(results.missing['algorithm'].unique(), limit=5)}."
    )
    return replace(results, scores=filled, notes=(*results.notes, note))


def _pairwise(results: Results, absent: Mask) -> Results:
    keep = (~absent).sum(axis=1) >= 2
    if not keep.any():
        raise ResultsError(
            f"{_source(results)}: no task has scores of two algorithms, so there is nothing to"
            " pair; check that the sources name data sets and classes alike"
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
