"""Prepare the data of the page's scripts: decisions about pairs in words, and the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import (
    counts,
    decimals,
    integer,
    limits,
    minus_signs,
    p_value,
    p_writer,
    percent,
    printable,
)
from occstats.comparison.decision import BETTER
from occstats.comparison.heterogeneity import new_dataset_sentences
from occstats.comparison.study import LEAST_RESAMPLES, STEPS
from occstats.comparison.text.columns import explain
from occstats.comparison.text.digits import mean_digits
from occstats.comparison.text.verdict import (
    difference_digits,
    difference_of,
    mostly_equal,
    pair_sentences,
    short_names,
    subject_of,
    with_short_names,
)
from occstats.report.tables import interval_heading, other_estimand
from occstats.results.aliases import score_word
from occstats.stats._arrays import cluster_codes

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

# Each pair takes half a kilobyte of the page.
MOST_ALGORITHMS = 30
MOST_SCORES = 200_000
# Beyond this, recomputing takes too long in a browser.
MOST_EXACT_SCORES = 40_000


def _measures(comparison: Comparison, rows: pd.DataFrame) -> list[tuple[str, str, list[list[str]]]]:
    """Return label, explanation, and value and interval by row of each measure of a pair.

    Only the deciding difference has an interval: others could contradict the decision.
    """
    settings, digits = comparison.settings, difference_digits(comparison)
    signed, other = decimals(digits, signed=True), other_estimand(comparison)
    claim = "" if settings.alternative == "two-sided" else " (a better than b)"
    measures: list[tuple[str, str, Any, tuple[str, ...]]] = [
        ("conclusion about a", "Better or worse than b, equivalent to it, or undecided.",
         _conclusion, ("conclusion", "reversed")),
        (f"{settings.estimand} difference", explain(f"{settings.estimand}_difference"),
         signed, ("difference",)),
        (f"p{claim}", f"{comparison.basis[0].upper()}{comparison.basis[1:]}.",
         p_writer(settings), ("p",)),
        (f"p before the correction{claim}", "", p_value, ("p_unadjusted",)),
        (f"{other} difference", "", signed, (f"{other}_difference",)),
        ("tasks won / tied / lost", "Numbers of tasks on which a is better, equal and worse.",
         counts, ("wins", "ties", "losses")),
        ("rank-biserial correlation", "", decimals(2, signed=True), ("rank_biserial",)),
        ("probability of improvement on a task", "", percent, ("prob_improvement_task",)),
        ("share of datasets won", "", percent, ("prob_improvement_dataset",)),
        ("tasks", "", integer, ("n_tasks",)),
        ("datasets", "", integer, ("n_datasets",)),
    ]  # fmt: skip
    if comparison.design.family_size == 1:
        measures = [measure for measure in measures if measure[3] != ("p_unadjusted",)]
    found = []
    for label, explanation, write, keys in measures:
        if not set(keys) <= set(rows):
            continue
        cells = [write(*values) for values in zip(*(rows[key] for key in keys), strict=True)]
        intervals = [""] * len(cells)
        if keys == ("difference",) and settings.has_intervals:
            intervals = list(map(limits(digits), rows["ci_low"], rows["ci_high"]))
        texts = [[*map(minus_signs, pair)] for pair in zip(cells, intervals, strict=True)]
        found.append((label, explanation or explain(keys[0]), texts))
    return found


def _conclusion(conclusion: str | None, is_reversed: bool) -> str:
    if pd.isna(conclusion):
        return "not tested"
    return f"{conclusion}; the two estimates have opposite signs" if is_reversed else conclusion


def pair_data(comparison: Comparison) -> dict[str, Any] | None:
    """Return what the page's scripts show about pairs, as plain values; None without tests."""
    short, _ = short_names(comparison.algorithms)
    names = comparison.algorithms[:MOST_ALGORITHMS]
    if comparison.results.n_independent < 2 or len(names) < 2:
        return None
    position = {name: index for index, name in enumerate(names)}
    rows = _rows(comparison)
    measures = _measures(comparison, rows)
    predictions = new_dataset_sentences(comparison, names)
    sentences = {
        (a, b): f"{sentence} {predictions.get((a, b), '')}".rstrip()
        for a in names
        for b, sentence in pair_sentences(comparison, a).items()
    }
    changed = _changes(comparison)
    pairs: dict[str, dict[str, Any]] = {}
    for row, (a, b) in enumerate(zip(rows["a"], rows["b"], strict=True)):
        pair = pairs[f"{position[a]}-{position[b]}"] = {
            "values": [texts[row] for _, _, texts in measures],
            "sentence": with_short_names(sentences.get((a, b)) or sentences[b, a], short),
        }
        if frozenset((a, b)) in changed:
            pair["changedWithout"] = changed[frozenset((a, b))]
    return {
        "algorithms": [printable(short.get(name, name)) for name in names],
        "subject": position.get(subject_of(comparison), 0),
        "measures": [{"label": label, "explanation": text} for label, text, _ in measures],
        "pairs": pairs,
        "level": interval_heading(comparison),
        "digits": mean_digits(comparison),
        "difference": difference_of(comparison.results, "a", "b"),
        "score": score_word(comparison.results.score_name),
        "higherIsBetter": comparison.results.higher_is_better,
        **_scores(comparison, names),
        "whatIf": None if why_no_what_if(comparison) else _what_if(comparison),
    }


def _rows(comparison: Comparison) -> pd.DataFrame:
    """Return the pairs of the view; one-sided p-values are those of "a better than b"."""
    settings, rows = comparison.settings, comparison.pairwise_full
    names = comparison.algorithms[:MOST_ALGORITHMS]
    rows = rows[rows["a"].isin(names) & rows["b"].isin(names)].copy()
    if settings.alternative == "less":
        columns = ["p", "p_unadjusted"]
        back = comparison.pairwise_full.set_index(["b", "a"])[columns]
        rows[columns] = back.loc[pd.MultiIndex.from_frame(rows[["a", "b"]])].to_numpy()
    # With many ties, wins and losses are more informative than a shift.
    shifts = ["typical_difference"]
    if settings.estimand == "typical":
        shifts += [name for name in ("difference", "ci_low", "ci_high") if name in rows]
    rows.loc[mostly_equal(rows) & (rows["wins"] + rows["losses"] > 0), shifts] = np.nan
    return rows


def _changes(comparison: Comparison) -> dict[frozenset[str], list[str]]:
    """Return the datasets whose removal changes the conclusion about a pair."""
    changes = comparison.stability.changes
    if changes is None:
        return {}
    pairs = changes[changes["left_out"] == "dataset"].groupby(["a", "b"])["name"]
    return {frozenset(map(str, pair)): [*map(printable, names.map(str))] for pair, names in pairs}


def _scores(comparison: Comparison, names: list[str]) -> dict[str, Any]:
    """Return the scores by task; none if they would make the page too large."""
    results = comparison.results
    scores = results.scores[names]
    if scores.size > MOST_SCORES:
        return {"datasets": [], "tasks": [], "scores": [], "failed": []}
    codes, datasets = cluster_codes(results.clusters)
    labels = [printable(str(label)) for label in scores.index.get_level_values(1)]
    # Six digits suffice to draw a point, but not for ties and ranks.
    exact = scores.size <= MOST_EXACT_SCORES
    numbers = [
        [None if np.isnan(value) else value if exact else float(f"{value:.6g}") for value in row]
        for row in scores.to_numpy(float).tolist()
    ]
    failed = [] if results.failed is None else np.argwhere(results.failed[names]).tolist()
    return {
        "datasets": [printable(str(name)) for name in datasets],
        "tasks": [[int(code), label] for code, label in zip(codes, labels, strict=True)],
        "scores": numbers,
        "failed": failed,
    }


def why_no_what_if(comparison: Comparison) -> str:
    """Return the reason why the page cannot recompute the comparison; empty if it can."""
    settings, results = comparison.settings, comparison.results
    procedure = (settings.estimand, settings.test, settings.correction, settings.null)
    if procedure != ("typical", "rgl", "max-t", "flips"):
        return (
            "The page can recompute only the default procedure (clustered signed-rank test, sign "
            f"flips, max-T); this comparison uses the {comparison.basis}."
        )
    if results.nested:
        return "The page cannot recompute a comparison of datasets in suites."
    if comparison.decision.together:
        return "The page cannot recompute several comparisons that are corrected together."
    n_algorithms = len(comparison.algorithms)
    too_large = n_algorithms > MOST_ALGORITHMS or results.scores.size > MOST_EXACT_SCORES
    if too_large or comparison.pairwise_full["difference"].isna().all():
        return (
            f"Recomputing {n_algorithms:,} algorithms on {results.n_tasks:,} tasks would take too "
            "long in a browser."
        )
    return ""


def _what_if(comparison: Comparison) -> dict[str, Any]:
    """Return what the page needs to repeat the tests with the same random signs."""
    settings = comparison.settings
    generator = np.random.PCG64(settings.random_state).state["state"]
    control = settings.control
    p, conclusion = (comparison.matrix(column).to_numpy() for column in ("p", "conclusion"))
    return {
        "decided": {
            "p": [[None if pd.isna(value) else value for value in row] for row in p.tolist()],
            "better": (conclusion == BETTER).tolist(),
        },
        "alpha": settings.alpha,
        "control": None if control is None else comparison.algorithms.index(control),
        "tolerance": settings.tie_tolerance,
        "flips": settings.n_resamples,
        "steps": STEPS,
        "least": min(LEAST_RESAMPLES, settings.n_resamples),
        # Numbers in JavaScript have 53 bits.
        "generator": {"state": hex(generator["state"]), "increment": hex(generator["inc"])},
    }
