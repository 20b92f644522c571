"""The verdict: the leader, its relation to the other algorithms, and reservations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os.path import basename, commonprefix
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import (
    count,
    decimals,
    listing,
    minus_signs,
    p_equation,
    p_value,
    p_writer,
    printable,
    wrap,
)
from occstats.comparison.decision import BETTER, EQUIVALENT, UNDECIDED, WORSE
from occstats.comparison.study import FEW_DATASETS
from occstats.comparison.text.digits import mean_digits, rank_digits, usual_digits
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.results import Results


#: A list of algorithms takes at most this many lines.
LIST_LINES = 2
#: The mark of a decided pair whose other estimate has the opposite sign.
REVERSED = "†"
ROWS_ALONE = "Rows were corrected separately: the error rate over all pairs is not controlled."
#: Beyond this share of zero differences, wins and losses replace the typical difference.
MANY_ZEROS = 0.2
LONG_NAME, LONG_PREFIX = 16, 8
ALPHANUMERIC = ascii_letters + digits


@dataclass(frozen=True)
class Verdict:
    """The sentences of a verdict, the answer first, and reservations."""

    sentences: tuple[str, ...]
    #: Each relation of the leader (or the control) to others, and their names.
    relations: tuple[tuple[str, list[str]], ...] = ()
    remarks: tuple[str, ...] = ()

    def lines(self, width: int = 80) -> list[str]:
        """Return the verdict as lines of plain text; long lists of names are cut."""
        lines = [line for sentence in self.sentences for line in wrap(sentence, width)]
        indent = 4 + max((len(label) for label, _ in self.relations), default=0)
        for label, names in self.relations:
            named = _cut(names, LIST_LINES * max(width - indent, 10))
            head = f"  {label}".ljust(indent)
            lines += wrap(named, max(width, indent + 10), head, " " * indent)
        return lines + [line for sentence in self.remarks for line in wrap(sentence, width)]


def _cut(names: list[str], room: int) -> str:
    """Return as many names as there is room for, and the number of the others."""
    for kept in range(len(names), 0, -1):
        text = ", ".join(names[:kept])
        if kept < len(names):
            text += f" and {len(names) - kept} more"
        if len(text) <= room - 20:
            break
    return text


def headline(comparison: Comparison) -> str:
    """Return the sources, the numbers of algorithms, tasks and datasets, and the score."""
    results = comparison.study.results
    sources = ", ".join(printable(basename(source) or source) for source in results.sources)
    orientation = "higher" if results.higher_is_better else "lower"
    return (
        f"{f'{sources}: ' if sources else ''}{count(len(results.algorithms), 'algorithm')}, "
        f"{count(results.n_tasks, 'task')} in {results.evidence}, "
        f"{score_word(results.score_name)} ({orientation} is better)"
    )


def main_notes(comparison: Comparison) -> list[str]:
    """Return the notes on the data, the ranks and the p-values; others are about further tables."""
    return [
        note
        for note in (*comparison.study.notes, *comparison.decision.notes)
        if note in comparison.results.notes
        or note.startswith(("Ranks", "All scores"))
        or "p-value" in note
    ]


def subject_of(comparison: Comparison) -> str:
    """Return the algorithm that the verdict is about: the control, or else the leader."""
    return comparison.settings.control or comparison.algorithms[0]


def corrected_by_row(comparison: Comparison) -> bool:
    """Return whether the tests of each row are corrected by themselves."""
    settings = comparison.settings
    by_row = settings.family == "row" and settings.correction != "none"
    return by_row and len(comparison.algorithms) > 2


def difference_of(results: Results, a: str, b: str) -> str:
    """Return the difference that is positive where a is better, such as "a − b"."""
    return f"{a} − {b}" if results.higher_is_better else f"{b} − {a}"


def make_verdict(comparison: Comparison, *, shorten: bool = False) -> Verdict:
    """Name the leader and its relations; `shorten` leaves out a long prefix that names share."""
    names, prefix = short_names(comparison.algorithms) if shorten else ({}, "")
    writer = _Writer(comparison, names)
    remarks = list(writer.remarks())
    if prefix:
        remarks.append(f"Names are shown without their common prefix {prefix}.")
    return Verdict(tuple(writer.sentences()), tuple(writer.relations()), tuple(remarks))


def pair_sentences(comparison: Comparison, a: str) -> dict[str, str]:
    """Return the conclusion about an algorithm and each other one that is not better than it."""
    writer = _Writer(comparison, {}, a)
    return {
        b: f"{writer.relation(b)} {writer.size(b)}".strip()
        for b in writer.others
        if writer.conclusions[b] != WORSE
    }


def short_names(names: list[str]) -> tuple[dict[str, str], str]:
    """Return the names without a long common prefix, and the prefix.

    Examples
    --------
    >>> short_names(["boosted-forest-a", "boosted-forest-b", "boosted-forest-cd"])[1]
    'boosted-forest-'
    """
    prefix = commonprefix(names).rstrip(ALPHANUMERIC)  # noqa: RUF071  by characters
    if any(name.removeprefix(prefix).isdecimal() for name in names):
        prefix = prefix[:-1].rstrip(ALPHANUMERIC)
    if (
        len(names) < 3
        or len(prefix) < LONG_PREFIX
        or max(map(len, names)) < LONG_NAME
        or prefix in names
    ):
        return {}, ""
    return {name: name.removeprefix(prefix) for name in names}, printable(prefix)


def with_short_names(text: str, short: Mapping[str, str]) -> str:
    """Return a sentence with the names of `short_names`."""
    for name, called in short.items():
        text = text.replace(printable(name), printable(called))
    return text


def mostly_equal(pairs: Any) -> Any:
    """Return whether more than `MANY_ZEROS` of the differences of a pair are zero."""
    tasks = pairs["wins"] + pairs["ties"] + pairs["losses"]
    return pairs["ties"] > MANY_ZEROS * tasks


def wins_and_losses(wins: float, losses: float) -> tuple[str, str]:
    """Return the numbers of tasks won and lost, in words."""
    return count(int(wins), "win"), f"{losses:,.0f} loss{'es' * (losses != 1)}"


def difference_digits(comparison: Comparison) -> int:
    """Return decimals for differences: as usual for the scores, or more for narrow intervals."""
    if not comparison.settings.has_intervals:
        return mean_digits(comparison)
    rows = comparison.decision.row(subject_of(comparison))
    width = rows["ci_high"] - rows["ci_low"]
    width = width[(width > 0) & np.isfinite(width)]
    if width.empty:
        return mean_digits(comparison)
    return max(usual_digits(comparison), int(np.ceil(-np.log10(width.min()))))


def tally_sentence(comparison: Comparison) -> str:
    """Count the pairs that differ, and those that would if tasks were independent.

    Examples
    --------
    >>> import occstats
    >>> tally_sentence(occstats.compare("lenz2021", n_resamples=1000))
    '14 of 36 pairs differ; 28 if tasks are treated as independent (Holm).'
    """
    settings, results, counts = comparison.settings, comparison.study.results, comparison.tally
    if not counts.tested or not comparison.decision.possible:
        return ""
    alone = results.n_independent == results.n_tasks
    ignored = 0 if alone else counts.ignoring_clusters
    hint = comparison.study.shared_prefix if alone else ""
    if alone and not (hint or results.dataset_hint or "dataset" in results.column_names):
        hint = (
            "If tasks form groups, pass dataset=… (their column) or dataset_from=… (a pattern in"
            " the names)."
        )
    if len(comparison.algorithms) == 2:
        if ignored > counts.different:
            p = np.nanmin(comparison.decision.ignoring_clusters[0])
            return (
                f"The difference would be significant if tasks were independent ({p_equation(p)})."
            )
        return hint
    one = counts.different == 1
    sentence, again = f"{counts.different:,} of {counts.tested:,} pairs differ{'s' * one}", ""
    if settings.control is not None:
        sentence = (
            f"{printable(settings.control)} differs from {counts.different:,} of "
            f"{counts.tested:,} algorithms"
        )
        again = "from "
    if ignored > counts.different:
        by = " (Holm)" if settings.correction == "max-t" else ""
        sentence += f"; {again}{ignored:,} if tasks are treated as independent{by}"
    return f"{sentence}. {hint}".strip()


class _Writer:
    """The sentences about one comparison, with the names as they are shown."""

    def __init__(self, comparison: Comparison, names: dict[str, str], subject: str = "") -> None:
        self.comparison = comparison
        self.settings, self.results = comparison.settings, comparison.study.results
        self.names = names
        self.subject = subject or subject_of(comparison)
        self.score = score_word(self.results.score_name)
        self.typical = self.settings.estimand == "typical"
        self.places = difference_digits(comparison)
        self.possible = comparison.decision.possible
        self.rows = comparison.decision.row(self.subject)
        self.conclusions: dict[Any, Any] = self.rows["conclusion"].to_dict()
        self.others = [name for name in comparison.algorithms if name != self.subject]
        # Whether all algorithms have the same scores.
        decision = comparison.decision
        same = decision.identical | (decision.n_tasks == 0)
        self.same = bool((same | np.eye(len(same), dtype=bool)).all())

    def name(self, algorithm: str) -> str:
        return printable(self.names.get(algorithm, algorithm))

    def join(self, algorithms: list[str]) -> str:
        return listing(map(self.name, algorithms), limit=4)

    def found(self, *kinds: str) -> list[str]:
        """Return the algorithms to which the subject has one of these relations."""
        return [name for name in self.others if self.conclusions[name] in kinds]

    def sentences(self) -> Iterator[str]:
        depends = self.depends()
        beaten_by = [] if self.settings.control else self.found(WORSE)
        if depends:
            yield depends
        elif beaten_by:
            best = "mean rank" if self.typical else f"mean {self.score}"
            yield (
                f"{self.is_better(beaten_by, [self.subject])}, although "
                f"{self.name(self.subject)} has the best {best}."
            )
        yield self.leader()
        if len(self.others) == 1 and self.results.n_independent > 1:
            (other,) = self.others
            shown = self.possible or self.conclusions[other] != UNDECIDED
            if shown and not depends and not beaten_by and (relation := self.relation(other)):
                yield relation
            yield self.size(other)

    def relations(self) -> Iterator[tuple[str, list[str]]]:
        if len(self.others) == 1 or self.results.n_independent < 2 or self.same:
            return
        words = self.words()
        for kind in (BETTER, WORSE, EQUIVALENT, UNDECIDED):
            # With few datasets nothing but equivalence can be shown.
            if (self.possible or kind == EQUIVALENT) and (names := self.found(kind)):
                yield words[kind], [self.name(name) for name in names]
        untested = [self.name(name) for name in self.others if pd.isna(self.conclusions[name])]
        if self.possible and untested:
            yield "not tested against", untested

    def remarks(self) -> Iterator[str]:
        results, settings, decision = self.results, self.settings, self.comparison.decision
        m = count(results.n_independent, results.unit)
        several = len(self.others) > 1
        if results.n_independent < 2:
            yield (
                f"All tasks come from a single {results.unit}, so there are ranks but no p-values: "
                f"the results may not hold for other {results.unit}s."
            )
        elif self.same and several:
            yield "All algorithms have the same scores."
        elif not self.possible and not self.same:
            corrected = "corrected p-value" if several else "p-value"
            yield (
                f"With {m} this benchmark cannot show a difference at α = {settings.alpha:g}: no "
                f"{corrected} can be below {self.bound()}; at least "
                f"{count(decision.datasets_needed, results.unit)} are needed."
            )
        elif settings.null == "asymptotic" and results.n_independent < FEW_DATASETS:
            yield (
                f"With only {m} the asymptotic distribution is a rough approximation; the "
                "correction max-t does not need it."
            )
        if self.possible and results.n_independent > 1 and corrected_by_row(self.comparison):
            yield ROWS_ALONE

    def bound(self) -> str:
        """Return the smallest attainable p-value, rounded as in the table unless it is extreme."""
        p = self.comparison.decision.smallest_p
        return p_value(p, self.settings.alpha) if 0.001 <= p < 0.995 else f"{p:.2g}"

    def words(self) -> dict[str, str]:
        """Return the subject's relation to others, by the conclusion."""
        within = f" (±{self.settings.margin:g})" if self.settings.margin is not None else ""
        typically, mean = ("typically ", "") if self.typical else ("", f" in mean {self.score}")
        return {
            BETTER: f"{typically}better{mean} than",
            WORSE: f"{typically}worse{mean} than",
            EQUIVALENT: f"equivalent{within} to",
            UNDECIDED: "not distinguishable from",
        }

    def is_better(self, winners: list[str], losers: list[str]) -> str:
        verb = "is" if len(winners) == 1 else "are"
        return f"{self.join(winners)} {verb} {self.words()[BETTER]} {self.join(losers)}"

    def depends(self) -> str:
        """Return the sentence about decided pairs whose other estimate has the opposite sign."""
        rows = self.rows[self.rows["reversed"]]
        if len(rows):
            kind = rows["conclusion"].iloc[0]
            others = [name for name in self.found(kind) if self.rows.at[name, "reversed"]]
            pair = ([self.subject], others)
            winners, losers = pair if kind == BETTER else pair[::-1]
            more = len(rows) > len(others)
        else:
            decision, names = self.comparison.decision, self.comparison.algorithms
            pairs = np.argwhere(decision.reversed & decision.better)
            if not len(pairs):
                return ""
            winners, losers = [names[pairs[0, 0]]], [names[pairs[0, 1]]]
            more = len(pairs) > 1
        return self.contrast(winners, losers, " (also for other pairs)" if more else "")

    def contrast(self, winners: list[str], losers: list[str], also: str = "") -> str:
        """Return the sentence about winners whose other estimate favours the losers."""
        if self.typical:
            level = "higher" if self.results.higher_is_better else "lower"
            means = f"has the {level} mean" if len(losers) == 1 else f"have {level} means"
        else:
            means = f"{'does' if len(losers) == 1 else 'do'} better on a typical task"
        return (
            f"{self.is_better(winners, losers)}, but {self.join(losers)} {means}: the answer "
            f"depends on the question{also}."
        )

    def leader(self) -> str:
        """Name the best mean rank or mean score, and the place of the control."""
        summary = self.comparison.study.means.set_index("algorithm")
        values = summary["mean_rank" if self.typical else "mean_score"]
        kind = "mean rank" if self.typical else f"mean {self.score}"
        write = decimals(mean_digits(self.comparison))
        ranks = summary["mean_rank"].map(decimals(rank_digits(self.comparison)))
        means = summary["mean_score"].map(lambda value: minus_signs(write(value)))
        shown = ranks if self.typical else means
        scored = self.typical & summary["mean_score"].notna()
        leaders = list(summary.index[np.isclose(values, values.iloc[0], rtol=1e-12, atol=0)])
        first, who = leaders[0], self.subject
        if who not in leaders and len(self.others) > 1:
            mean = f" (mean {self.score} {means[who]})" if scored[who] else ""
            return (
                f"{self.name(who)} has {kind} {shown[who]}{mean}, place "
                f"{self.comparison.algorithms.index(who) + 1} of {len(summary)}; "
                f"{self.name(first)} leads with {shown[first]}."
            )
        if len(leaders) > 1:
            below = f" Below, {self.name(who)} is compared with each of the others."
            return (
                f"{self.join(leaders)} share the best {kind} ({shown[first]})."
                f"{below if len(self.others) > 1 and self.possible and not self.same else ''}"
            )
        mean = f"; mean {self.score} {means[first]}" if scored[first] else ""
        sentence = f"{self.name(first)} has the best {kind} ({shown[first]}{mean})"
        if len(self.others) > 1:
            return f"{sentence}{self.other_leader(summary, means)}."
        (other,) = summary.index[1:]
        mean = f" ({means[other]})" if scored[other] else ""
        return f"{sentence}; {self.name(other)} has {shown[other]}{mean}."

    def other_leader(self, summary: pd.DataFrame, means: pd.Series) -> str:
        """Name the best mean score if another algorithm has the best mean rank."""
        scores = summary["mean_score"] if self.results.higher_is_better else -summary["mean_score"]
        if not self.typical or scores.isna().any():
            return ""
        top = list(summary.index[np.isclose(scores, scores.max(), rtol=1e-12, atol=0)])
        if summary.index[0] in top or means[top[0]] == means.iloc[0]:
            return ""
        return f", but {self.name(top[0])} has the best mean {self.score} ({means[top[0]]})"

    def relation(self, other: str) -> str:
        """Return the conclusion about the subject and another algorithm as a sentence."""
        conclusion, row = self.conclusions[other], self.rows.loc[other]
        if row["ties"] == row["n_tasks"]:
            return ""
        if pd.isna(conclusion):
            return f"{self.join([self.subject, other])} were not tested against each other."
        if row["reversed"] and conclusion == BETTER:
            return self.contrast([self.subject], [other])
        return f"{self.name(self.subject)} is {self.words()[conclusion]} {self.name(other)}."

    def size(self, other: str) -> str:
        """Return the difference from another algorithm with its interval and p-value."""
        row: dict[Any, Any] = self.rows.loc[other].to_dict()
        who, n_tasks = (self.name(self.subject), self.name(other)), int(row["n_tasks"])
        if row["ties"] == n_tasks:
            same = f"the same scores on all {count(n_tasks, 'task')}"
            return f"{who[0]} and {who[1]} have {same if n_tasks else 'no task in common'}."
        places, parts = self.places, []
        write = decimals(places, signed=True)
        kinds = ("typical", "mean") if self.typical else ("mean", "typical")
        if (self.typical and mostly_equal(row)) or not np.isfinite(row["difference"]):
            wins, losses = wins_and_losses(row["wins"], row["losses"])
            size = f"{who[0]} has {wins} against {who[1]} and {losses}"
        else:
            pair = difference_of(self.results, *who)
            size = f"The {kinds[0]} difference {pair} is {write(row['difference'])}"
            if self.settings.has_intervals and np.isfinite([row["ci_low"], row["ci_high"]]).any():
                low = decimals(places, signed=True, ties="down")(row["ci_low"])
                high = decimals(places, signed=True, ties="up")(row["ci_high"])
                parts.append(f"{100 * (1 - self.settings.alpha):g} % CI {low} to {high}")
                if self.settings.margin is not None and row["conclusion"] != EQUIVALENT:
                    parts.append(f"margin {self.settings.margin:g}")
        if not pd.isna(row["p"]):
            one_sided = self.settings.alternative != "two-sided"
            claim = f" for “{who[0]} is better”" if one_sided else ""
            equation = p_equation(row["p"], p_writer(self.settings))
            parts.append(f"{equation}{claim}, {self.comparison.basis}")
        if parts:
            size += f" ({'; '.join(parts)})"
        if row["reversed"]:
            size += f"; the {kinds[1]} difference is {write(row[f'{kinds[1]}_difference'])}"
        return minus_signs(f"{size}.")
