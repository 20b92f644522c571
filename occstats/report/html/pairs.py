"""What the view of a pair needs: sentences and numbers written here, scores to draw there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats.comparison.cost import FLIPS_BUDGET, LEAST_FLIPS
from occstats.comparison.pairs import BETTER
from occstats.comparison.words.explain import explain
from occstats.comparison.words.verdict import claims
from occstats.report.writing import interval, score_digits, shares
from occstats.results.aliases import score_word
from occstats.stats.arrays import cluster_codes
from occstats.text import decimals, integer, minus_signs, p_value, percent, printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["MOST_ALGORITHMS", "pair_data"]

# Each pair costs half a kilobyte of the page; beyond this the tables serve better.
MOST_ALGORITHMS = 30
MOST_SCORES = 200_000
# More than that is no longer computed while one looks on.
MOST_EXACT_SCORES = 40_000


@dataclass(frozen=True)
class Measure:
    """A line of the view: a name, the columns of ``pairwise`` it is written from, and how."""

    label: str
    keys: tuple[str, ...]
    write: Callable[..., str]
    limits: tuple[str, str] | None = None
    explained: str = ""


def measures(comparison: Comparison) -> list[Measure]:
    """Every measure that the comparison has for its pairs."""
    settings = comparison.settings
    signed = decimals(score_digits(comparison) + 1, signed=True)
    corrected = settings.correction != "none"
    every = [
        Measure("p-value for all pairs together", ("p_simultaneous",), p_value),
        Measure("corrected p-value of the table" if corrected else "p-value",
                ("p_adjusted_unclipped",), p_value,
                explained="p_adjusted_unclipped" if corrected else "p"),
        Measure("p-value, not corrected", ("p",), p_value),
        Measure("z statistic", ("z",), decimals(2, signed=True), explained="z"),
        Measure("what the naive test says (corrected p)", ("p_naive_adjusted",), p_value),
        Measure("mean difference", ("mean_difference",), signed,
                ("difference_ci_low", "difference_ci_high")),
        Measure("mean difference, all pairs together", ("mean_difference",), signed,
                ("simultaneous_ci_low", "simultaneous_ci_high"), explained="simultaneous_ci"),
        Measure("Hodges-Lehmann shift", ("hodges_lehmann",), signed,
                ("hodges_lehmann_ci_low", "hodges_lehmann_ci_high")),
        Measure("rank-biserial correlation", ("rank_biserial",), decimals(2, signed=True),
                ("rank_biserial_ci_low", "rank_biserial_ci_high")),
        Measure("tasks won / tied / lost, %", ("wins", "ties", "losses"), shares),
        Measure("chance to win on a new task", ("prob_improvement_task",), percent,
                ("prob_improvement_task_ci_low", "prob_improvement_task_ci_high")),
        Measure("chance to win on a new data set", ("prob_improvement_dataset",), percent,
                ("prob_improvement_dataset_ci_low", "prob_improvement_dataset_ci_high")),
        Measure(f"posterior of the difference: above / within ±{settings.rope:g} / below, %",
                ("difference_above", "difference_within", "difference_below"), shares),
        Measure(f"signed-rank shares: better / within ±{settings.rope:g} / worse, %",
                ("bayes_better", "bayes_equivalent", "bayes_worse"), shares),
        Measure(f"not worse by {settings.margin} or more: p", ("p_not_worse",), p_value),
        Measure(f"equivalent to within ±{settings.margin}: p", ("p_equivalent",), p_value),
        Measure("intraclass correlation", ("icc",), decimals(2)),
        Measure("tasks compared", ("n_tasks",), integer),
        Measure(f"{comparison.results.unit}s compared", ("n_clusters",), integer),
    ]  # fmt: skip
    present = comparison.pairwise.columns
    return [measure for measure in every if set(measure.keys) <= set(present)]


def pair_data(comparison: Comparison) -> dict[str, Any] | None:
    """Everything the page's script shows about pairs, as plain values; None without tests."""
    names = comparison.algorithms[:MOST_ALGORITHMS]
    if comparison.results.n_independent < 2 or len(names) < 2:
        return None
    position = {name: index for index, name in enumerate(names)}
    rows = comparison.pairwise
    rows = rows[rows["a"].isin(names) & rows["b"].isin(names)]
    lines = measures(comparison)
    written = [_written(rows, measure) for measure in lines]
    sentences = _sentences(comparison, rows)
    pairs = {
        f"{position[a]}-{position[b]}": {"sentence": sentence, "values": list(values)}
        for a, b, sentence, *values in zip(rows["a"], rows["b"], sentences, *written, strict=True)
    }
    _add_changes(comparison, pairs, position)
    return {
        "algorithms": [printable(name) for name in names],
        "measures": [
            {"label": line.label, "explanation": explain(line.explained or line.keys[0])}
            for line in lines
        ],
        "pairs": pairs,
        "level": f"{100 * comparison.settings.confidence:g} %",
        "digits": score_digits(comparison),
        "score": score_word(comparison.results.score_name),
        "higherIsBetter": comparison.results.higher_is_better,
        **_scores(comparison, names),
        "whatIf": _what_if(comparison, len(names)),
    }


def _written(rows: pd.DataFrame, measure: Measure) -> list[list[str]]:
    values = (rows[key].tolist() for key in measure.keys)
    cells = [measure.write(*row) for row in zip(*values, strict=True)]
    if measure.limits is None or not set(measure.limits) <= set(rows.columns):
        return [[minus_signs(cell), ""] for cell in cells]
    low, high = (rows[key].tolist() for key in measure.limits)
    brackets = map(interval(measure.write), low, high)
    return [
        [minus_signs(cell), minus_signs(bracket)]
        for cell, bracket in zip(cells, brackets, strict=True)
    ]


def _sentences(comparison: Comparison, rows: pd.DataFrame) -> list[str]:
    proven, conclusions = claims(comparison), comparison.matrix("conclusion")
    return [
        _sentence(comparison, proven, conclusions, a, b, difference)
        for a, b, difference in zip(rows["a"], rows["b"], rows["mean_difference"], strict=True)
    ]


def _sentence(
    comparison: Comparison,
    proven: pd.DataFrame,
    conclusions: pd.DataFrame,
    a: str,
    b: str,
    difference: float,
) -> str:
    score, alpha = score_word(comparison.results.score_name), comparison.settings.alpha
    if np.isnan(difference):
        return f"{printable(a)} and {printable(b)} have no task in common."
    if difference == 0:
        return f"{printable(a)} and {printable(b)} have the same mean {score} over data sets."
    better, other = (a, b) if difference > 0 else (b, a)
    size = decimals(score_digits(comparison) + 1)(abs(difference))
    lead = (
        f"On average over data sets {printable(better)} is better than {printable(other)} by "
        f"{size} {score}"
    )
    p = float(proven.at[better, other])  # type: ignore[arg-type]
    if np.isnan(p):
        return f"{lead}; this pair was not tested."
    written = p_value(p)
    # No line breaks within the equation.
    equation = (f"p {written}" if written[0] in "<>≥" else f"p = {written}").replace(" ", "\u00a0")
    if conclusions.at[better, other] == BETTER:
        return f"{lead}; that is significant ({equation}, α = {alpha:g})."
    return (
        f"{lead}; that is not significant ({equation}, α = {alpha:g}), which does not mean that "
        "they are equal."
    )


def _add_changes(
    comparison: Comparison, pairs: dict[str, dict[str, Any]], position: dict[str, int]
) -> None:
    """The data sets without which a pair would get another conclusion."""
    changes = comparison.stability.changes
    if changes is None or not len(changes):
        return
    changes = changes[changes["left_out"] == "dataset"]
    for name, a, b in zip(changes["name"], changes["a"], changes["b"], strict=True):
        if a in position and b in position:
            for one, other in ((a, b), (b, a)):
                pair = pairs.get(f"{position[one]}-{position[other]}")
                if pair is not None:
                    pair.setdefault("changedWithout", []).append(printable(str(name)))


def _scores(comparison: Comparison, names: list[str]) -> dict[str, Any]:
    """Scores by task for drawing; nothing where they would make the page unwieldy."""
    scores = comparison.results.scores[names]
    if scores.size > MOST_SCORES:
        return {"datasets": [], "tasks": [], "scores": []}
    codes, datasets = cluster_codes(comparison.results.clusters)
    labels = [printable(str(label)) for label in scores.index.get_level_values(1)]
    # Six digits draw a point; ties and ranks need them all.
    exact = scores.size <= MOST_EXACT_SCORES
    numbers = [
        [None if np.isnan(value) else value if exact else float(f"{value:.6g}") for value in row]
        for row in scores.to_numpy(float).tolist()
    ]
    return {
        "datasets": [printable(str(name)) for name in datasets],
        "tasks": [[int(code), label] for code, label in zip(codes, labels, strict=True)],
        "scores": numbers,
    }


def _what_if(comparison: Comparison, n_algorithms: int) -> dict[str, Any] | None:
    """What the page needs to test a part of the table as Python does.

    None where it is too large, or data sets come in suites, which the page knows nothing of.
    The state of the random generator stands for the flips of signs.
    """
    settings, results = comparison.settings, comparison.results
    n_pairs = n_algorithms * (n_algorithms - 1) // 2
    affordable = FLIPS_BUDGET // (n_pairs * results.n_clusters)
    too_large = affordable < LEAST_FLIPS or results.n_tasks * n_algorithms > MOST_EXACT_SCORES
    if too_large or results.nested:
        return None
    generator = np.random.PCG64(settings.random_state).state["state"]
    return {
        "alpha": settings.alpha,
        "family": "all" if settings.rule == "max-t" else "row",
        "tolerance": settings.tie_tolerance,
        "flips": settings.n_resamples,
        "budget": FLIPS_BUDGET,
        # JavaScript's numbers hold 53 bits.
        "generator": {"state": hex(generator["state"]), "increment": hex(generator["inc"])},
    }
