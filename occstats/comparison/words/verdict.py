"""The verdict in words: who is best, whom it beats, by how much, on how much evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.comparison.choices import TESTS
from occstats.comparison.pairs import BETTER, EQUIVALENT, UNDECIDED, WORSE
from occstats.results.aliases import score_word
from occstats.text import count, decimals, listing, minus_signs, p_value, printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["ROW_FAMILY_NOTE", "claims", "write_verdict"]

ROW_FAMILY_NOTE = (
    "Each row is one family of tests, which does not control the error over the whole matrix."
)
FEW_CLUSTERS = 10


def claims(comparison: Comparison) -> pd.DataFrame:
    """The corrected p-value of each claim "row is better than column", by the rule in force.

    With ``less`` the test of the reversed pair speaks for the claim, with two-sided tests only a
    difference in that direction does. NaN where there is no test.
    """
    simultaneous = comparison.settings.rule == "max-t"
    p = comparison.matrix("p_simultaneous" if simultaneous else "p_adjusted")
    if not simultaneous and comparison.settings.alternative == "less":
        return p.T
    if simultaneous or comparison.settings.alternative == "two-sided":
        better = comparison.matrix("z").fillna(comparison.matrix("mean_difference")) > 0
        return p.where(better | p.isna(), 1.0)
    return p


def write_verdict(comparison: Comparison) -> str:
    """Four sentences that a reader can repeat without being wrong, then the cautions."""
    sentences = [_leader(comparison)]
    design, settings, results = comparison.design, comparison.settings, comparison.results
    if results.n_independent < 2:
        sentences.append(
            f"All tasks come from a single {results.unit}, so there are ranks but no p-values: one "
            f"{results.unit} says nothing about others."
        )
    elif comparison.pairwise["ties"].gt(1 - 1e-9).all():
        sentences.append("All of them have the same scores: nothing tells them apart.")
    elif design.smallest_p_corrected > settings.alpha:
        sentences.append(
            f"With {count(results.n_independent, results.unit)} this benchmark cannot show a "
            f"difference at α = {settings.alpha:g}: no corrected p-value can be below "
            f"{design.smallest_p_corrected:.2g}, and it takes at least "
            f"{count(design.data_sets_needed, results.unit)} to get one."
        )
        if same := _others(comparison)[EQUIVALENT]:
            sentences.append(
                f"It does show that {printable(_subject(comparison))} is equivalent to "
                f"{listing(same)} to within ±{settings.margin:g}."
            )
    else:
        sentences += [
            _conclusions(comparison),
            _size(comparison),
            _basis(comparison),
            _caution(comparison),
        ]
    sentences.append(_gaps(comparison))
    return " ".join(sentence for sentence in sentences if sentence)


def _mean(value: float) -> str:
    """A mean score with three digits."""
    return minus_signs(decimals(_digits(value, 3))(value))


def _leader(comparison: Comparison) -> str:
    summary, results = comparison.summary, comparison.results
    best_rank = summary["mean_rank"].iloc[0]
    leaders = summary.loc[np.isclose(summary["mean_rank"], best_rank, rtol=0, atol=1e-12)]
    names = listing(leaders["algorithm"])
    counts = (
        f"{count(len(results.algorithms), 'algorithm')} on {count(results.n_tasks, 'task')} from "
        f"{results.evidence}"
    )
    verb = "has" if len(leaders) == 1 else "share"
    sentence = f"Of {counts}, {names} {verb} the best mean rank ({best_rank:.2f}"
    if len(leaders) == 1:
        mean = _mean(leaders["mean_score"].iloc[0])
        sentence += f"; mean {score_word(results.score_name)} {mean}"
    return sentence + ")" + _other_leader(comparison, set(leaders["algorithm"])) + "."


def _other_leader(comparison: Comparison, leaders: set[str]) -> str:
    summary, results = comparison.summary, comparison.results
    scores = summary["mean_score"] if results.higher_is_better else -summary["mean_score"]
    if scores.isna().all():
        return ""
    top = summary.loc[np.isclose(scores, scores.max(), rtol=1e-12, atol=0), "algorithm"]
    if leaders & set(top):
        return ""
    best = summary.loc[summary["algorithm"] == top.iloc[0], "mean_score"].iloc[0]
    return (
        f", but {printable(top.iloc[0])} has the best mean {score_word(results.score_name)} "
        f"({_mean(best)})"
    )


def _subject(comparison: Comparison) -> str:
    """Whom the verdict is about."""
    return comparison.settings.control or comparison.algorithms[0]


def _others(comparison: Comparison) -> dict[str | None, list[str]]:
    """The others by the conclusion about the subject beside them; None where there is no test."""
    subject, found = _subject(comparison), comparison.matrix("conclusion")
    absent, others = found.isna(), [name for name in comparison.algorithms if name != subject]
    return {
        None: [name for name in others if absent.at[subject, name]],
        **{
            kind: [name for name in others if found.at[subject, name] == kind]
            for kind in (BETTER, WORSE, EQUIVALENT, UNDECIDED)
        },
    }


def _conclusions(comparison: Comparison) -> str:
    """Whom the best (or the control) is better than, and who is tied with it."""
    settings, subject, found = comparison.settings, _subject(comparison), _others(comparison)
    untested, beaten, beaten_by, same, open_cases = found.values()
    who, others = printable(subject), len(comparison.algorithms) - 1
    if len(untested) == others:
        return f"There is no test of {who} against {listing(untested)}; the notes say why."
    if len(open_cases) == others == 1:
        both = listing(_with_p(comparison, subject, open_cases))
        return f"{who} is not significantly better or worse than {both}."
    parts = [
        f"{relation} {listing(names)}"
        for relation, names in (
            ("significantly better than", beaten),
            ("significantly worse than", beaten_by),
            ("equivalent to", same),
        )
        if names
    ]
    said = " and ".join(parts) or "not significantly better than any other algorithm"
    within = f" to within ±{settings.margin:g}" if same else ""
    sentence, tied = f"{who} is {said}{within}", ""
    if settings.control is None:
        tied, first = _tied(comparison, subject)
        open_cases = [name for name in open_cases if name not in first]
    if open_cases and parts:
        sentence += f"; undecided: {listing(_with_p(comparison, subject, open_cases))}"
    sentence += tied
    if untested:
        sentence += f"; there is no test against {listing(untested)}"
    return sentence + "."


def _tied(comparison: Comparison, subject: str) -> tuple[str, list[str]]:
    """Those that no other is better than, where they are several."""
    found = comparison.matrix("conclusion")
    first = [name for name in comparison.algorithms if not (found.loc[name] == WORSE).any()]
    if len(first) < 2:
        return "", first
    if len(first) == len(comparison.algorithms) > 2:
        whole = found.isna().to_numpy().sum() == len(first)
        return ": no two of them differ significantly" if whole else "", first
    others = [name for name in first if name != subject]
    lead = [printable(subject)] if subject in first else []
    named = listing([*lead, *_with_p(comparison, subject, others)])
    return f"; statistically tied for first: {named}", first


def _with_p(comparison: Comparison, subject: str, names: list[str]) -> list[str]:
    """Names with the p-value of their difference from the subject."""
    p = claims(comparison)
    two_sided = comparison.settings.rule == "max-t"
    described = []
    for name in names:
        forward = float(p.loc[[subject], name].iloc[0])
        backward = float(p.loc[[name], subject].iloc[0])
        value = min(forward, backward) if two_sided else forward
        shown = printable(name)
        described.append(shown if np.isnan(value) else f"{shown} (p {_relation(value)})")
    return described


def _relation(p: float) -> str:
    text = p_value(min(p, 1.0))
    return text if text[0] in "<>" else f"= {text}"


def _size(comparison: Comparison) -> str:
    """The difference from the next best, in the score's own name, with its interval."""
    settings, results = comparison.settings, comparison.results
    subject = _subject(comparison)
    other = next(name for name in comparison.algorithms if name != subject)
    rows = comparison.pairwise
    row = rows[(rows["a"] == subject) & (rows["b"] == other)].iloc[0]
    estimate, low, high = (
        float(row[name])
        for name in ("mean_difference", "simultaneous_ci_low", "simultaneous_ci_high")
    )
    if np.isnan(estimate):
        return ""
    who, label = printable(other), score_word(results.score_name)
    if estimate == low == high == 0:
        return f"On every data set its mean {label} is that of {who}."
    digits = _digits(high - low if high > low else estimate, 2)

    def show(value: float) -> str:
        return minus_signs(decimals(digits, signed=True)(value))

    # A positive difference is an advantage, whether the score is to be high or low.
    sentence = f"Its advantage over {who} in mean {label} is {show(estimate)}"
    if estimate < 0:
        low, high = -high, -low
        sentence = f"It trails {who} in mean {label} by {decimals(digits)(-estimate)}"
    if not np.isnan(low):
        level = f"{100 * settings.confidence:g} %"
        sentence += f" ({level} interval {show(low)} to {show(high)}"
        if len(comparison.algorithms) > 2:
            pairs = f" with {printable(subject)}" if settings.control else ""
            sentence += f", for all pairs{pairs} together"
        least, most = results.bounds
        sentence += ", which is all that is possible)" if high - low >= 2 * (most - least) else ")"
        if low < 0 < high and row["conclusion"] in (BETTER, WORSE):
            sentence += "; what decides are signed ranks, not this mean"
    return sentence + "."


def _digits(size: float, significant: int) -> int:
    """Decimals that show so many digits of a number."""
    if not np.isfinite(size) or size == 0:
        return significant
    return max(0, significant - 1 - int(np.floor(np.log10(abs(size)))))


def _basis(comparison: Comparison) -> str:
    """What the conclusions rest on, and what that does not control."""
    settings, found = comparison.settings, set(comparison.pairwise["conclusion"])
    if not found & {BETTER, EQUIVALENT, UNDECIDED}:
        return ""
    sentence = f"This rests on the {comparison.basis}, at α = {settings.alpha:g}"
    if settings.rule == "tests" and (settings.family == "row" or settings.correction == "none"):
        if len(comparison.algorithms) > 2:
            sentence += ", which does not control the error over all pairs"
        elif settings.alternative != "two-sided":
            sentence += " in either direction alone"
    if EQUIVALENT in found:
        sentence += f"; equivalence on two one-sided tests at ±{settings.margin:g}"
    if UNDECIDED in found:
        sentence += "; what is not significant need not be equal"
    return sentence + "."


def _gaps(comparison: Comparison) -> str:
    """How many results are missing, what was done, and whether anything else would change it."""
    gaps = comparison.gaps
    if gaps is None:
        return ""
    sentence = (
        f"{gaps.cells:,} of {gaps.of:,} results are missing (--missing "
        f"{comparison.settings.missing})"
    )
    best = comparison.algorithms[0]
    same, other = [], []
    columns = ["policy", "best", "pairs", "changed_pairs"]
    for policy, front, pairs, changed in gaps.policies[columns].itertuples(index=False):
        changes = []
        if changed:
            changes.append(f"decides {changed} of {count(pairs, 'pair')} otherwise")
        if front != best:
            changes.append(f"has {printable(front)} in front")
        if changes:
            other.append(f"{policy} {' and '.join(changes)}")
        else:
            same.append(policy)
    parts = [f"{listing(same)} would conclude the same"] if same else []
    return f"{sentence}{'; ' if parts or other else ''}{'; '.join([*parts, *other])}."


def _caution(comparison: Comparison) -> str:
    """The most important reservation, in one sentence."""
    settings, results = comparison.settings, comparison.results
    if (
        results.n_independent < FEW_CLUSTERS
        and settings.rule == "tests"
        and (settings.null == "asymptotic")
    ):
        return (
            f"With only {count(results.n_independent, results.unit)} the normal approximation of "
            "these tests is rough: the rule max-t and the null permutation do without it."
        )
    if not settings.clustered:
        return (
            f"This test takes tasks of one {results.unit} for independent, and calls too many "
            "differences significant where they are not."
        )
    if results.n_independent == results.n_tasks:
        return (
            f"Every data set has one task, so this is {TESTS[settings.test].without_clusters}: if "
            "some tasks belong together, name the column that says which (--cluster)."
        )
    counts = comparison.tally
    if counts.naive <= counts.different or comparison.gaps is not None:
        return ""
    called = f"{counts.naive} of the {counts.tested} pairs different, this one {counts.different}"
    if counts.tested == 1:
        called = "them different"
    return (
        f"A test that ignores that tasks of one {results.unit} belong together would have called "
        f"{called}."
    )
