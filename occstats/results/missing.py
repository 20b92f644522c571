"""Policies for cells without a score."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from occstats._format import count, did_you_mean, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.table import Results, as_mask, observed_scores, show_task

Mask = npt.NDArray[np.bool_]

# In addition, ``impute=NAME`` fills in the score of a baseline, and ``worst=SCORE`` sets the score
# that represents a failure in means.
POLICIES = ("refuse", "complete", "pairwise", "drop-algorithms", "worst")
_SHOWN = 5  # items listed in a message


def resolve(results: Results, policy: str = "refuse") -> Results:
    """Apply a policy for missing cells.

    Parameters
    ----------
    results : Results
        The table.
    policy : str, default "refuse"
        One of ``refuse``, ``complete``, ``pairwise``, ``drop-algorithms``, ``worst``,
        ``worst=SCORE`` and ``impute=NAME``.
        ``refuse`` raises an error that lists the first missing cells. ``complete`` keeps the
        tasks on which every algorithm has a score.
        ``pairwise`` keeps every task that at least two algorithms have, so that each pair can
        use the tasks both have. ``drop-algorithms`` keeps the algorithms that have a score on
        every task. ``worst`` counts a missing cell as a failure, which ranks below every score
        (:attr:`Results.failed`, :attr:`Results.tested`). In means ``SCORE`` represents a failure,
        or else the worst possible score of the measure; if neither is known, algorithms with
        failures have no mean. ``impute=NAME`` takes the score of the algorithm of this name, as
        automlbenchmark does with its constant predictor.

    Returns
    -------
    Results
        A table fit for comparison, whose notes say what was dropped or filled in.

    Examples
    --------
    >>> import pandas as pd
    >>> from occstats import load_results
    >>> frame = pd.DataFrame({"dataset": ["a", "b"], "NND": [0.8, 0.9], "ALP": [0.7, None]})
    >>> kept = load_results(frame, lower_is_better=False).resolve_missing("complete")
    >>> kept.n_tasks
    1
    >>> kept.notes[-1]
    "missing='complete': 1 of 2 tasks dropped, 1 of 2 datasets lost entirely."
    >>> failing = load_results(frame, score_name="auroc").resolve_missing("worst")
    >>> failing.tested.tolist(), failing.failure_score
    ([[0.8, 0.7], [0.9, -inf]], 0.0)
    """
    name, given, value = policy.partition("=")
    if policy not in POLICIES and not (given and name in {"impute", "worst"}):
        raise ResultsError(
            f"missing: {quote(policy)} is not a policy{did_you_mean(policy, POLICIES)}; choose one"
            f" of {', '.join(map(repr, POLICIES))}, 'worst=SCORE' or 'impute=NAME'"
        )
    if len(results.algorithms) < 2:
        raise ResultsError(
            f"{_source(results)}: only one algorithm ({quote(results.algorithms[0])}), and a"
            " comparison needs two; add the results of another one as a second source, or name the"
            " column of algorithms with algorithm=…",
        )
    if name == "impute" and value not in results.algorithms:
        raise ResultsError(
            f"missing: there is no algorithm {quote(value)} to impute from"
            f"{did_you_mean(value, results.algorithms)}; choose from"
            f" {quote_list(results.algorithms)}"
        )
    failure_score = _failure_score(results, policy) if name == "worst" else None
    absent = results.scores.isna().to_numpy()
    rescored = results.failed is not None and failure_score not in (None, results.failure_score)
    if not absent.any() and not rescored:
        return results
    if policy == "refuse":
        raise _refusal(results, absent)
    if name == "worst":
        return _count_as_failures(results, policy, failure_score)
    if name == "impute":
        return _impute(results, absent, value)
    if policy == "drop-algorithms":
        return _drop_algorithms(results)
    return _keep_tasks(results, absent, policy)


# -- proposals -------------------------------------------------------------------------------------


def best_policy(results: Results) -> str:
    """Return the policy to propose, or an empty string.

    It is ``worst`` if the sources record a failure in every missing cell, and otherwise the policy
    that keeps most of the table. It is empty if nothing is missing, or if every policy that makes
    no assumption about the missing cells leaves too little to compare.
    """
    absent = results.scores.isna().to_numpy()
    if len(results.algorithms) < 2 or not absent.any():
        return ""
    if not (absent & ~as_mask(results.recorded_failures, results.scores)).any():
        return "worst"  # dropping the tasks on which an algorithm failed would flatter it
    whole_tasks, whole_algorithms = ((~absent.any(axis=axis)).sum() for axis in (1, 0))
    if whole_tasks and len(results.sources) > 1:
        return "complete"  # dropping algorithms may leave only those of one source
    kept = {
        "complete": whole_tasks * len(results.algorithms),
        "drop-algorithms": whole_algorithms * results.n_tasks if whole_algorithms > 1 else 0,
    }
    best = max(kept, key=lambda policy: kept[policy])
    if 2 * kept[best] >= absent.size:
        return best
    if whole_tasks:
        return "pairwise"
    return best if kept[best] else ""  # ranks require complete tasks


def choices(results: Results) -> list[tuple[dict[str, Any], str]]:
    """Return the options that can be applied to the missing cells, the best first, and why."""
    absent = results.scores.isna().to_numpy()
    whole, full = (int((~absent.any(axis=axis)).sum()) for axis in (1, 0))
    failures = int((absent & as_mask(results.recorded_failures, results.scores)).sum())
    recorded = f"; {failures:,} of {absent.sum():,} recorded" if failures < absent.sum() else ""
    unbounded = not isfinite(_worst_bound(results))
    offers = (
        ("complete", whole, f"{count(whole, 'task')} that all algorithms have"),
        (
            "drop-algorithms",
            1 < full < absent.shape[1],
            f"{full:,} algorithms that have all tasks",
        ),
        # Ranks require complete tasks.
        ("pairwise", whole, "for each pair, the tasks that both have"),
        ("worst", failures, f"failures rank below every score{recorded}"),
        ("worst=SCORE", failures and unbounded, "the same; SCORE represents a failure in means"),
        ("impute=NAME", full and absent.any(), "the score of a baseline"),
    )
    offered: list[tuple[dict[str, Any], str]] = [
        ({"missing": policy}, text) for policy, possible, text in offers if possible
    ]
    best = best_policy(results)
    offered.sort(key=lambda offer: not (best and offer[0]["missing"].startswith(best)))
    part, n_tasks = _largest_part(results, absent)
    if best in {"", "pairwise"} and n_tasks and len(part) < len(results.algorithms):
        stays = f"{count(len(part), 'algorithm')} and {count(n_tasks, 'task')} stay"
        others = [offer for offer in offered if offer[0]["missing"] != "complete"]
        offered = [({"algorithms": part, "missing": "complete"}, stays), *others]
    return offered


def _largest_part(results: Results, absent: Mask) -> tuple[list[str], int]:
    """Return the algorithms with most scores that share tasks, and the number of these tasks.

    Algorithms are added in the order of their numbers of scores; the part with most cells counts.
    """
    order = np.argsort(absent.sum(axis=0), kind="stable")
    n_shared = (~np.logical_or.accumulate(absent[:, order], axis=1)).sum(axis=0)
    sizes = n_shared * np.arange(1, len(order) + 1)
    n_kept = len(sizes) - int(sizes[:0:-1].argmax())  # of equal parts, that with more algorithms
    return [results.algorithms[i] for i in sorted(order[:n_kept])], int(n_shared[n_kept - 1])


def _source(results: Results) -> str:
    shown = ", ".join(results.sources[:3]) or "results"
    return f"{shown} and {len(results.sources) - 3:,} more" if results.sources[3:] else shown


def _refusal(results: Results, absent: Mask) -> ResultsError:
    """Describe what is missing and list the options, the best one first."""
    first_cells = results.missing.head(3).itertuples(index=False, name=None)
    examples = "; ".join(f"{show_task(cell)}: {quote(cell[2])}" for cell in first_cells)
    source = _source(results)
    problem = (
        f"{source}: {absent.sum():,} of {absent.size:,} cells have no score"
        f" (in {absent.any(axis=1).sum():,} of {results.n_tasks:,} tasks), first {examples}"
    )
    offered = choices(results)
    options = [
        f"{', '.join(f'{name}={value!r}' for name, value in offer.items())} ({text})"
        for offer, text in offered
    ]
    retry = offered[0][0] if offered else {}
    retry = retry if best_policy(results) or "algorithms" in retry else {}
    options = options or ["use algorithms that share tasks under the same names"]
    return ResultsError(problem, retry, options)


def _unfit(results: Results, policy: str, why: str) -> ResultsError:
    """Return the error of a policy that cannot be applied, with a better one if any."""
    best = best_policy(results)
    return ResultsError(
        f"{_source(results)}: missing={quote(policy)} {why}", {"missing": best} if best else None
    )


# -- policies --------------------------------------------------------------------------------------


def _keep_tasks(results: Results, absent: Mask, policy: str) -> Results:
    """Keep the tasks that every algorithm has, or, to compare pairs, at least two of them."""
    pairs = policy == "pairwise"
    keep: Mask = (~absent).sum(axis=1) >= (2 if pairs else absent.shape[1])
    if not keep.any():
        several = "two algorithms" if pairs else "every algorithm"
        raise _unfit(results, policy, f"leaves nothing: no task has a score of {several}")
    notes = []
    if not keep.all():
        lost = results.n_clusters - results.scores.index[keep].get_level_values(0).nunique()
        why = f", {lost:,} of {results.n_clusters:,} datasets lost entirely" if lost else ""
        why = ", because fewer than two algorithms have a score there" if pairs else why
        notes = [
            f"missing={policy!r}: {(~keep).sum():,} of {results.n_tasks:,} tasks dropped{why}."
        ]
    if pairs:
        present = (~absent[keep]).astype(np.int64)
        shared = (present.T @ present)[np.triu_indices(present.shape[1], k=1)]
        notes.append(
            f"missing='pairwise': {present.all(axis=1).sum():,} of {count(len(present), 'task')}"
            f" have every algorithm; pairs share {shared.min():,} to {shared.max():,} tasks."
        )
    return results.keep_tasks(keep, *notes)


def _drop_algorithms(results: Results) -> Results:
    complete = list(results.scores.columns[results.scores.notna().all()])
    if len(complete) < 2:
        few = f"{count(len(complete), 'algorithm')} with a score on every task"
        raise _unfit(results, "drop-algorithms", f"leaves nothing to compare: {few}")
    dropped = [name for name in results.algorithms if name not in complete]
    note = (
        f"missing='drop-algorithms': {count(len(dropped), 'algorithm')} of"
        f" {len(results.algorithms):,} dropped, which lack a task: {quote_list(dropped, limit=5)}."
    )
    kept = results.select(complete)
    return replace(kept, notes=(*kept.notes, note))


def _worst_bound(results: Results) -> float:
    """Return the worst possible score of the measure, infinite if unknown."""
    low, high = results.bounds
    return low if results.higher_is_better else high


def _failure_score(results: Results, policy: str) -> float | None:
    """Return the score that represents a failure in means, if it is given or known."""
    bound = _worst_bound(results)
    if policy == "worst":
        if results.failed is not None:  # resolved before
            return results.failure_score
        return bound if isfinite(bound) else None
    text = policy.removeprefix("worst=")
    try:
        score = float(text)
    except ValueError:
        score = np.nan
    worse = -1.0 if results.higher_is_better else 1.0
    least = np.nanmax(worse * observed_scores(results), initial=-np.inf)
    if not isfinite(score) or worse * score < least or worse * score > worse * bound:
        ends = f"{worse * least:g}" + (f" … {bound:g}" if isfinite(bound) else " or worse")
        raise ResultsError(
            f"missing: {quote(policy)} needs the score of a failure after 'worst=', at least as"
            f" bad as every score and within the range of the measure ({ends}); got {quote(text)}"
        )
    return score


def _count_as_failures(results: Results, policy: str, failure_score: float | None) -> Results:
    """Mark the missing cells as failures, with a finite score for descriptions."""
    scores = observed_scores(results)
    failed = results.scores.isna() | np.isnan(scores)
    n_failed = int(failed.to_numpy().sum())
    if n_failed == failed.size:
        raise ResultsError(
            f"{_source(results)}: no cell has a score, so there is nothing to compare"
        )
    worst = np.nanmin(scores) if results.higher_is_better else np.nanmax(scores)
    counts = failed.sum().sort_values(ascending=False, kind="stable")
    named = [f"{quote(name)} {n:,}" for name, n in counts[counts > 0].items()]
    more = f" and {len(named) - _SHOWN:,} more" if named[_SHOWN:] else ""
    recorded = int((failed & as_mask(results.recorded_failures, failed)).to_numpy().sum())
    means = "no score; missing='worst=SCORE' would give them one"
    if failure_score is not None:
        means = f"the score {failure_score:g}"
    note = (
        f"missing={quote(policy)}: {count(n_failed, 'cell')} on"
        f" {count(failed.any(axis=1).sum(), 'task')} count as failures, which rank below every"
        f" score: {', '.join(named[:_SHOWN])}{more}. In means they have {means}."
    )
    if tied := int(failed.all(axis=1).sum()):
        note += f" On {count(tied, 'task')} every algorithm failed, which is a tie."
    if recorded < n_failed:
        note += f" The sources record {recorded or 'none'} of these failures."
    filled = results.scores.mask(failed, worst if failure_score is None else failure_score)
    return replace(
        results,
        scores=filled,
        failed=failed,
        failure_score=failure_score,
        notes=(*results.notes, note),
    )


def _impute(results: Results, absent: Mask, baseline: str) -> Results:
    """Fill missing cells with the scores of a baseline."""
    policy = f"impute={baseline}"
    substitute = results.scores[baseline]
    lacking = substitute.isna().to_numpy() & absent.any(axis=1)
    if lacking.any():
        first = show_task(results.scores.index[lacking][0])
        n_tasks = count(lacking.sum(), "task")
        raise _unfit(results, policy, f"finds no score to fill in on {n_tasks}, first {first}")
    note = (
        f"missing={quote(policy)}: {count(absent.sum(), 'cell')} on"
        f" {count(absent.any(axis=1).sum(), 'task')} filled with the score of {quote(baseline)}, of"
        f" {quote_list(results.missing['algorithm'].unique(), limit=5)}."
    )
    filled = results.scores.mask(absent, substitute, axis=0)
    return replace(results, scores=filled, notes=(*results.notes, note))
