"""The verdict in words: who is best, whom it beats, whom not, on how much evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.comparison.pairs import BETTER, UNDECIDED, WORSE
from occstats.text import count, listing, p_value, printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["ROW_FAMILY_NOTE", "claims", "write_verdict"]

ROW_FAMILY_NOTE = (
    "Each row is one family of tests; per-row families do not control the error over the whole "
    "matrix."
)
FEW_CLUSTERS = 10


def claims(comparison: Comparison) -> pd.DataFrame:
    """The corrected p-value of each claim "row is better than column", whatever the alternative.

    With ``less`` the test of the reversed pair speaks for the claim, with ``two-sided`` only a
    difference in that direction does. NaN where there is no test.
    """
    p = comparison.matrix("p_adjusted")
    if comparison.settings.alternative == "less":
        return p.T
    if comparison.settings.alternative == "two-sided":
        better = comparison.matrix("z").fillna(comparison.matrix("mean_difference")) > 0
        return p.where(better | p.isna(), 1.0)
    return p


def write_verdict(comparison: Comparison) -> str:
    """A few sentences that a reader can repeat without being wrong."""
    sentences = [_leader(comparison)]
    if comparison.results.n_clusters < 2:
        sentences.append(
            "All tasks come from a single data set, so there are ranks but no p-values: one data "
            "set says nothing about others."
        )
        return " ".join(sentences)
    sentences += _significance(comparison)
    sentences += _caveats(comparison)
    return " ".join(sentences)


def _leader(comparison: Comparison) -> str:
    summary, results = comparison.summary, comparison.results
    best_rank = summary["mean_rank"].iloc[0]
    leaders = summary.loc[np.isclose(summary["mean_rank"], best_rank, rtol=0, atol=1e-12)]
    names = listing(leaders["algorithm"])
    counts = (
        f"{count(len(results.algorithms), 'algorithm')} on {count(results.n_tasks, 'task')} from "
        f"{count(results.n_clusters, 'data set')}"
    )
    verb = "has" if len(leaders) == 1 else "share"
    sentence = f"Of {counts}, {names} {verb} the best mean rank ({best_rank:.2f}"
    if len(leaders) == 1:
        sentence += f"; mean {printable(results.score_name)} {leaders['mean_score'].iloc[0]:.3g}"
    return sentence + ")" + _other_leader(comparison, set(leaders["algorithm"])) + "."


def _other_leader(comparison: Comparison, leaders: set[str]) -> str:
    summary, results = comparison.summary, comparison.results
    scores = summary["mean_score"] if results.higher_is_better else -summary["mean_score"]
    if scores.isna().all():
        return ""
    top = summary.loc[np.isclose(scores, scores.max(), rtol=0, atol=1e-12), "algorithm"]
    if leaders & set(top):
        return ""
    best = summary.loc[summary["algorithm"] == top.iloc[0], "mean_score"].iloc[0]
    return (
        f", but {printable(top.iloc[0])} has the best mean {printable(results.score_name)} "
        f"({best:.3g})"
    )


def _significance(comparison: Comparison) -> list[str]:
    settings = comparison.settings
    subject = settings.control or comparison.algorithms[0]
    others = [name for name in comparison.algorithms if name != subject]
    p = claims(comparison)
    forward = dict(zip(p.columns, p.loc[[subject]].to_numpy(float)[0], strict=True))
    rows = comparison.pairwise[comparison.pairwise["a"] == subject]
    conclusion = dict(zip(rows["b"], rows["conclusion"], strict=True))
    beaten, beaten_by, open_cases = (
        [name for name in others if conclusion[name] == word] for word in (BETTER, WORSE, UNDECIDED)
    )
    untested = [name for name in others if pd.isna(conclusion[name])]
    who = printable(subject)
    intro = f"By the {settings.test_in_words}, at α = {settings.alpha:g}"
    sentences = []
    if beaten:
        all_others = " all" if len(beaten) == len(others) > 1 else ""
        sentences.append(
            f"{intro}, {who} is significantly better than{all_others} {listing(beaten)}"
        )
    else:
        sentences.append(f"{intro}, {who} is not significantly better than any other algorithm")
    if open_cases and beaten:
        described = [_with_p(name, forward[name]) for name in open_cases]
        sentences[-1] += f", but not than {listing(described, conjunction='or')}"
    sentences[-1] += "."
    if beaten_by:
        sentences.append(f"It is significantly worse than {listing(beaten_by)}.")
    if untested:
        sentences.append(f"There is no test against {listing(untested)}.")
    return sentences


def _with_p(name: str, p: float) -> str:
    return name if np.isnan(p) else f"{name} (p {_relation(p)})"


def _relation(p: float) -> str:
    text = p_value(p)
    return text if text[0] in "<≥" else f"= {text}"


def _caveats(comparison: Comparison) -> list[str]:
    settings, results = comparison.settings, comparison.results
    caveats = []
    naive = _naive_caveat(comparison)
    if naive:
        caveats.append(naive)
    if results.n_clusters < FEW_CLUSTERS:
        caveats.append(_few_clusters_caveat(comparison))
    # Two algorithms have one test in either direction: nothing is left uncontrolled.
    several = len(comparison.algorithms) > 2
    if settings.correction != "none" and settings.family == "row" and several:
        caveats.append(
            "Not significant does not mean equal, and per-row correction does not control the "
            "error over the whole matrix."
        )
    else:
        caveats.append("Not significant does not mean equal.")
    return caveats


def _few_clusters_caveat(comparison: Comparison) -> str:
    """What so few data sets can show at all, and how far the p-values can be trusted."""
    settings, count = comparison.settings, comparison.results.n_clusters
    least = comparison.design.smallest_p_corrected
    if least > settings.alpha:
        corrected = "corrected " if comparison.design.family_size > 1 else ""
        return (
            f"With only {count} data sets no exact {corrected}p-value is below {least:.2g}: this "
            "benchmark cannot show a difference, so read the intervals."
        )
    if settings.null == "asymptotic":
        return (
            f"With only {count} data sets the normal approximation is rough: prefer the exact "
            "null, and read the intervals."
        )
    return f"There are only {count} data sets: read the intervals, too."


def _naive_caveat(comparison: Comparison) -> str:
    """How many pairs a test that ignores clusters would have called different, beside this one."""
    settings, results = comparison.settings, comparison.results
    if not settings.clustered:
        return (
            "This test takes tasks of one data set for independent, and calls too many differences "
            "significant where they are not."
        )
    if results.n_clusters == results.n_tasks:
        return ""
    counts = comparison.tally
    if counts.naive <= counts.different:
        return ""
    return (
        "A test that ignores that tasks of one data set belong together would have called "
        f"{counts.naive} of the {counts.tested} pairs different, this one {counts.different}."
    )
