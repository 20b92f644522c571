"""Make the tables of a comparison, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import (
    blank_or,
    count,
    counts,
    decimals,
    integer,
    limits,
    p_value,
    p_writer,
    percent,
    printable,
    shares,
    word,
)
from occstats.comparison.choices import ESTIMANDS
from occstats.comparison.decision import BETTER, EQUIVALENT, WORSE
from occstats.comparison.text.verdict import (
    REVERSED,
    ROWS_ALONE,
    corrected_by_row,
    difference_digits,
    difference_of,
    headline,
    mostly_equal,
    score_digits,
    subject_of,
    subject_rows,
)
from occstats.report.formatted_table import PAIR, Column, Table, grid_table
from occstats.report.robustness_tables import robustness_tables
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = [
    "all_tables",
    "comparison_table",
    "interval_heading",
    "legend",
    "other_estimand",
    "paper_comparison",
    "paper_p_values",
    "paper_scores",
]

TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}
# Columns of ``pairwise`` in the table of the comparison.
PAIR_COLUMNS = ["difference", "ci_low", "ci_high", "p", "conclusion", "reversed"]
PAIR_COLUMNS += ["wins", "ties", "losses"]
FIRST_ROWS = 15
# Longer names are replaced in headings: by a role, or in a matrix for a paper by a number.
LONGEST_NAME = 12
LONGEST_HEADING = 6
# Traits in the order of the table of Lenz et al.: heading and decimals.
TRAITS = {"m": ("m", 0), "n": ("n", 0), "sparsity": ("s", 2)}


def all_tables(comparison: Comparison) -> list[Table]:
    """Return every table that the comparison has data for."""
    tested = comparison.results.n_independent > 1
    tables = [
        comparison_table(comparison),
        *([_p_values(comparison), _pairwise(comparison)] if tested else []),
        _summary(comparison),
        *([_effect_sizes(comparison)] if tested else []),
        _kendall(comparison),
        _complementary_pairs(comparison),
        _regression(comparison),
        _strata(comparison),
        _rank_frequencies(comparison),
        *robustness_tables(comparison),
        _scores(comparison),
        _ranks(comparison),
    ]
    return [table for table in tables if len(table)]


def comparison_table(comparison: Comparison) -> Table:
    """Return means, and differences from the leader or the control.

    Examples
    --------
    >>> import occstats
    >>> table = comparison_table(occstats.compare("lenz2021", n_resamples=1000))
    >>> table.headers[:4]
    ['algorithm', 'mean rank', 'mean AUROC', 'typical difference, ALP − it']
    >>> table.cells()[2][:4], table.cells()[4][-1]
    (['NND', '4.35', '0.805', '+0.007'], '*')
    """
    settings, rows = comparison.settings, subject_rows(comparison)
    frame = comparison.study.means.join(
        rows[[name for name in PAIR_COLUMNS if name in rows]], on="algorithm"
    )
    shown = frame.assign(own=frame["algorithm"] == subject_of(comparison))
    score = score_word(comparison.results.score_name)
    columns = [
        Column("algorithm", ("algorithm",), number=False),
        Column("mean rank", ("mean_rank",), decimals(2)),
        Column(f"mean {score}", ("mean_score",), decimals(score_digits(comparison))),
        *_subject_columns(comparison, shown),
    ]
    if settings.estimand != "typical":
        columns.pop(1)
    return Table(
        name="comparison",
        title="Comparison",
        explanation=f"{headline(comparison)}.",
        frame=frame,
        shown=shown,
        columns=tuple(columns),
        note=" ".join(legend(comparison)),
        terminal_rows=FIRST_ROWS,
    )


def _subject_columns(comparison: Comparison, shown: pd.DataFrame) -> Iterator[Column]:
    """Yield the columns on the pair of the subject and the algorithm of the row."""
    settings, others = comparison.settings, shown[~shown["own"]]
    yield from _size_columns(
        comparison,
        shown,
        difference_of(comparison, _heading_name(comparison), "it"),
        ESTIMANDS[str(settings.estimand)],
    )
    if others["conclusion"].isna().all():
        return
    write = p_writer(settings)
    yield Column("p", ("p", "own"), lambda p, own: "" if own else write(p))
    if not _can_conclude(comparison):
        return
    if _in_words(comparison):
        keys = ("conclusion", "reversed", "own")
        yield Column(
            "conclusion", keys, lambda *row: "" if row[2] else _conclusion(*row[:2]), number=False
        )
    elif others["conclusion"].isin((BETTER, WORSE)).any():
        yield Column("", ("conclusion", "reversed"), _star, number=False)


def _size_columns(
    comparison: Comparison, shown: pd.DataFrame, header: str, group: str = ""
) -> Iterator[Column]:
    """Yield the columns of the difference and its interval, as far as the pairs have them.

    Wins and losses replace the difference if more than a fifth of the differences are zero.
    The column ``own`` of ``shown`` is true in the row of the subject itself, which stays blank.
    """
    digits = difference_digits(comparison)
    write, brackets = decimals(digits, signed=True), limits(digits)
    shown["zeros"] = mostly_equal(shown) & (comparison.settings.estimand == "typical")
    others = shown[~shown["own"]]

    def difference(value: float, zeros: bool, own: bool) -> str:
        return "" if own or zeros else write(value)

    def limits_or_wins(*values: float) -> str:
        low, high, wins, losses, zeros, own = values
        if own:
            return ""
        return f"{wins:,.0f} wins : {losses:,.0f} losses" if zeros else brackets(low, high)

    def wins_and_losses(wins: float, losses: float, own: bool) -> str:
        return "" if own else f"{wins:,.0f} : {losses:,.0f}"

    if others["zeros"].all():
        yield Column("wins : losses", ("wins", "losses", "own"), wins_and_losses)
    elif np.isfinite(others["difference"]).any():
        yield Column(header, ("difference", "zeros", "own"), difference, group=group)
        if "ci_low" in others and np.isfinite(others[["ci_low", "ci_high"]].to_numpy()).any():
            keys = ("ci_low", "ci_high", "wins", "losses", "zeros", "own")
            yield Column(interval_heading(comparison), keys, limits_or_wins, group=group)


def interval_heading(comparison: Comparison) -> str:
    """Return the level of the intervals, and the pairs for which they are simultaneous."""
    settings, others = comparison.settings, len(comparison.algorithms) - 1
    if others == 1 or settings.correction == "none":
        return _level(comparison)
    return f"{_level(comparison)} ({'all' if settings.control is None else others} pairs)"


def _level(comparison: Comparison) -> str:
    return f"{100 * (1 - comparison.settings.alpha):g} % CI"


def _star(conclusion: str | None, opposite: bool) -> str:
    decided = conclusion in (BETTER, WORSE)
    return f"*{REVERSED if opposite is True else ''}" if decided else ""


def _conclusion(conclusion: str | None, opposite: bool) -> str:
    return f"{word(conclusion)} {REVERSED}" if opposite is True else word(conclusion)


def _in_words(comparison: Comparison) -> bool:
    """Return True if conclusions are written as words, of which there may be more than one."""
    return comparison.settings.control is not None or comparison.settings.margin is not None


def _can_conclude(comparison: Comparison) -> bool:
    return comparison.decision.possible or comparison.settings.margin is not None


def _heading_name(comparison: Comparison) -> str:
    """Return the name of the leader or the control, or its role if the name is long."""
    from rich.cells import cell_len

    name = printable(subject_of(comparison))
    if cell_len(name) <= LONGEST_NAME:
        return name
    return "leader" if comparison.settings.control is None else "control"


def legend(comparison: Comparison) -> Iterator[str]:
    """Yield the meanings of the marks and words in the table of the comparison."""
    settings, rows = comparison.settings, subject_rows(comparison)
    found = set(rows["conclusion"].dropna())
    if not found or not _can_conclude(comparison):
        return
    claim = f"p ≤ {settings.alpha:g}"
    if settings.alternative != "two-sided" and WORSE not in found:
        claim += f" for “{_heading_name(comparison)} is better”"
    decided = [kind for kind in (BETTER, WORSE) if kind in found]
    if not decided:
        yield f"p: {comparison.basis}."
    elif _in_words(comparison):
        yield f"{', '.join(decided)}: {claim}, {comparison.basis}."
    else:
        yield f"* {claim}, {comparison.basis}."
    if EQUIVALENT in found and settings.margin is not None:
        yield f"equivalent: {_level(comparison)} within ±{settings.margin:g}."
    if rows["reversed"].any():
        yield _reversed_note(comparison)


def _reversed_note(comparison: Comparison) -> str:
    return f"{REVERSED} the {other_estimand(comparison)} difference has the opposite sign."


def other_estimand(comparison: Comparison) -> str:
    """Return the estimand that does not enter the decision."""
    return "mean" if comparison.settings.estimand == "typical" else "typical"


def paper_comparison(comparison: Comparison) -> Table:
    """Return the table of the comparison with a title that stands alone in a paper."""
    results = comparison.results
    title = (
        f"Comparison of {len(comparison.algorithms)} algorithms by "
        f"{score_word(results.score_name)} on {count(results.n_tasks, 'task')} in "
        f"{count(results.n_clusters, 'dataset')}"
    )
    table, heading = comparison_table(comparison), interval_heading(comparison)
    columns = table.columns
    note, level = table.note, _level(comparison)
    if heading != level and heading in {column.header for column in columns}:
        # A narrow heading makes room for a larger font.
        columns = tuple(
            replace(column, header=level if column.header == heading else column.header)
            for column in columns
        )
        note = (
            f"{note} The confidence intervals hold for {heading.partition('(')[2][:-1]} together."
        )
    return replace(table, title=title, explanation="", columns=columns, note=note.strip())


# -- pairs -----------------------------------------------------------------------------------------


def _p_values(comparison: Comparison) -> Table:
    """Return the matrix of the deciding p-values, best first; decided pairs are bold."""
    settings, square = comparison.settings, comparison.p_values
    claim, claimed = "difference between row and column", [BETTER, WORSE]
    if settings.alternative != "two-sided":
        claim, claimed = "row better than column", [BETTER]
        # The test that the column is worse than the row makes the same claim.
        square = square.T if settings.alternative == "less" else square
    if settings.control is not None:
        square = square.loc[[settings.control]].drop(columns=settings.control)
    elif settings.alternative == "two-sided":
        square = _upper_triangle(square)
    found = comparison.matrix("conclusion").loc[square.index, square.columns]
    best = (found.isin(claimed) & square.notna()).to_numpy()
    return grid_table(
        [("algorithm", list(square.index), word)],
        square,
        blank_or(p_writer(settings)),
        best=best,
        name="p_values",
        title="p-values",
        explanation=f"{claim.capitalize()}: {comparison.basis}.",
        best_means=f"p ≤ {settings.alpha:g}." if best.any() else "",
        note=ROWS_ALONE if corrected_by_row(comparison) else "",
    )


def _upper_triangle(square: pd.DataFrame) -> pd.DataFrame:
    return square.where(np.triu(np.ones(square.shape, dtype=bool), k=1)).iloc[:-1, 1:]


def paper_p_values(comparison: Comparison) -> Table:
    """Return the matrix of the deciding p-values for a paper; long names are numbered."""
    table = _p_values(comparison)
    first, *others = table.columns
    table = replace(table, columns=(replace(first, header=""), *others))
    if table.shown is None or max(len(column.header) for column in others) <= LONGEST_HEADING:
        return table
    number = _numbers(comparison)
    rows = table.shown[first.keys[0]]
    rest = [column.header for column in others if column.header not in set(rows)]
    numbered = "".join(f" {number[name]}: {name}." for name in rest)
    return replace(
        table,
        columns=(table.columns[0], *(replace(c, header=number[c.header]) for c in others)),
        shown=table.shown.assign(**{first.keys[0]: [f"{number[name]} {name}" for name in rows]}),
        note=f"{table.note}{numbered}".strip(),
    )


def _numbers(comparison: Comparison) -> dict[str, str]:
    return {name: str(place) for place, name in enumerate(comparison.algorithms, start=1)}


def _pairs(comparison: Comparison) -> pd.DataFrame:
    """Return each pair once, the better mean first, or the control first.

    One-sided p-values are those of "a is better", or of "a is worse" if that was concluded.
    """
    frame, control = comparison.pairwise, comparison.settings.control
    alternative = comparison.settings.alternative
    if alternative != "two-sided":
        back = frame.set_index(["b", "a"])["p"].loc[pd.MultiIndex.from_frame(frame[["a", "b"]])]
        forward = (frame["conclusion"] != WORSE) == (alternative == "greater")
        frame = frame.assign(p=frame["p"].where(forward, back.to_numpy()))
    place = {name: position for position, name in enumerate(comparison.algorithms)}
    first, second = frame["a"].map(place), frame["b"].map(place)
    keep = first < second if control is None else frame["a"] == control
    order = np.lexsort((second[keep], first[keep]))
    return frame[keep].iloc[order].reset_index(drop=True).assign(own=False)


def _pairwise(comparison: Comparison) -> Table:
    settings, shown, other = comparison.settings, _pairs(comparison), other_estimand(comparison)
    score = score_word(comparison.results.score_name)
    signed = decimals(difference_digits(comparison), signed=True)
    return Table(
        name="pairwise",
        title="Pairwise comparisons",
        explanation=f"Difference in {score}, {difference_of(comparison, 'a', 'b')}, positive if "
        f"a is better; p-value and conclusion of the {comparison.basis}; and the {other} "
        "difference, which does not enter the decision.",
        frame=comparison.pairwise,
        columns=(
            *PAIR,
            *_size_columns(comparison, shown, ESTIMANDS[str(settings.estimand)]),
            Column("p", ("p",), p_writer(settings)),
            Column("a is", ("conclusion", "reversed"), _conclusion, number=False),
            Column(f"{other} difference", (f"{other}_difference",), signed),
        ),
        shown=shown,
        note=_reversed_note(comparison) if shown["reversed"].any() else "",
        terminal_rows=max(len(comparison.algorithms) - 1, 1),
    )


def _effect_sizes(comparison: Comparison) -> Table:
    shown = _pairs(comparison)
    columns = [
        *PAIR,
        Column("won / tied / lost", ("wins", "ties", "losses"), counts),
        Column("rank-biserial", ("rank_biserial",), decimals(2, signed=True)),
        Column("new task", ("prob_improvement_task",), percent),
        Column("new dataset", ("prob_improvement_dataset",), percent),
        Column(
            "above / within / below %",
            ("difference_above", "difference_within", "difference_below"),
            shares,
        ),
    ]
    return Table(
        name="effect_sizes",
        title="Effect sizes",
        explanation="Tasks won, tied and lost by a; rank-biserial correlation, each task with "
        "equal weight, from −1 (a always loses) to 1 (a always wins); estimated probability that a "
        "wins on a new task of these datasets, and on a new dataset; posterior probabilities that "
        f"the mean difference is above, within and below ±{comparison.settings.rope:g}. None of "
        "them enters the decision.",
        frame=shown[["a", "b", *(key for column in columns[2:] for key in column.keys)]],
        columns=tuple(columns),
        terminal_rows=max(len(comparison.algorithms) - 1, 1),
    )


def _kendall(comparison: Comparison) -> Table:
    names = comparison.algorithms
    square = comparison.kendall.pivot(index="a", columns="b", values="tau")
    square = square.reindex(index=names, columns=names)
    square = _upper_triangle(square.combine_first(square.T).reindex(index=names, columns=names))
    return grid_table(
        [("algorithm", list(square.index), word)],
        square,
        blank_or(decimals(2)),
        frame=comparison.kendall,
        name="kendall",
        title="Kendall's τ",
        explanation="1: the two algorithms order the tasks identically; 0: orders are unrelated.",
    )


def _complementary_pairs(comparison: Comparison) -> Table:
    score, write = score_word(comparison.results.score_name), decimals(score_digits(comparison))
    return Table(
        name="complementary_pairs",
        title="Complementary pairs",
        explanation="If the better of the two were chosen on every task: mean score, and mean rank "
        "among all pairs.",
        frame=comparison.complementary_pairs,
        columns=(
            *PAIR,
            Column(f"mean best {score}", ("mean_best_score",), write),
            Column("mean rank", ("mean_rank",), decimals(2)),
        ),
        terminal_rows=5,
    )


# -- algorithms ------------------------------------------------------------------------------------


def _summary(comparison: Comparison) -> Table:
    frame, level = comparison.summary, _level(comparison)
    digits, score = score_digits(comparison), score_word(comparison.results.score_name)
    columns = [
        Column("algorithm", ("algorithm",), number=False),
        Column("mean rank", ("mean_rank",), decimals(2)),
        Column(level, ("mean_rank_ci_low", "mean_rank_ci_high"), limits(2, signed=False)),
        Column(f"mean {score}", ("mean_score",), decimals(digits)),
        Column(level, ("mean_score_ci_low", "mean_score_ci_high"), limits(digits, signed=False)),
        Column("CVSD", ("cvsd",), decimals(digits + 1)),
        Column("rank range", ("rank_low", "rank_high"), _range),
        Column("leads", ("leads",), percent),
    ]
    if comparison.results.n_independent < 2:
        columns = [column for column in columns if column.header != "rank range"]
    present = tuple(
        column for column in columns if frame[list(column.keys)].notna().to_numpy().any()
    )
    explained = {
        level: "Intervals are for single algorithms and decide nothing about pairs.",
        "CVSD": "CVSD: standard deviation over folds, or the spread given with a score.",
        "rank range": "Rank range: ranks consistent with the decisions about pairs.",
        "leads": "Leads: share of bootstrap resamples in which it comes first; uncorrected.",
    }
    headers = {column.header for column in present}
    return Table(
        name="summary",
        title="Mean ranks and scores",
        explanation="Each dataset has equal weight; rank 1 is best.",
        frame=frame,
        columns=present,
        note=" ".join(words for header, words in explained.items() if header in headers),
    )


def _range(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _regression(comparison: Comparison) -> Table:
    frame = comparison.regression
    shown = pd.DataFrame({"algorithm": frame["algorithm"].unique()})
    columns = [Column("algorithm", ("algorithm",), number=False)]
    for term in frame["term"][frame["term"] != "intercept"].unique():
        rows = frame[frame["term"] == term].set_index("algorithm").reindex(shown["algorithm"])
        slope, p = f"coefficient of {term}", f"p of {term}"
        shown[slope], shown[p] = rows["coefficient"].to_numpy(), rows["p"].to_numpy()
        columns.append(Column(TERMS.get(term, term), (slope,), decimals(2, signed=True)))
        columns.append(Column("p", (p,), p_value))
    corrected = "not corrected"
    if comparison.settings.regression_corrected:
        corrected = "corrected by Holm's method over all algorithms and traits"
    return Table(
        name="regression",
        title="Regression of ranks on task traits",
        explanation="Change in rank per unit of a task trait; negative: better ranks where "
        f"the trait is high. p-values are {corrected}.",
        frame=frame,
        shown=shown,
        columns=tuple(columns),
    )


def _strata(comparison: Comparison) -> Table:
    frame = comparison.strata
    wide = frame.pivot(index="stratum", columns="algorithm", values="mean_rank")
    wide = wide.reindex(columns=[name for name in comparison.algorithms if name in wide.columns])
    bounds = frame.drop_duplicates("stratum").set_index("stratum").reindex(wide.index)
    write = decimals(score_digits(comparison))
    ends = zip(bounds["low"], bounds["high"], strict=True)
    return grid_table(
        [
            ("median score", [f"{write(low)} to {write(high)}" for low, high in ends], word),
            ("tasks", bounds["n_tasks"].tolist(), integer),
        ],
        wide,
        decimals(2),
        frame=frame,
        name="strata",
        title="Mean rank by difficulty",
        explanation="Tasks grouped by the median score of the algorithms.",
    )


def _rank_frequencies(comparison: Comparison) -> Table:
    frame = comparison.rank_frequencies
    wide = frame.pivot(index="algorithm", columns="rank", values="frequency")
    return grid_table(
        [("algorithm", comparison.algorithms, word)],
        wide.reindex(comparison.algorithms),
        percent,
        frame=frame,
        name="rank_frequencies",
        title="Rank frequencies",
        explanation="Share of tasks with each rank; each dataset has equal weight, ties are split.",
    )


# -- tasks -----------------------------------------------------------------------------------------


def _scores(comparison: Comparison) -> Table:
    results = comparison.results
    return grid_table(
        _task_columns(comparison, results.scores),
        scores := results.scores[comparison.algorithms],
        decimals(score_digits(comparison)),
        best=_best(comparison, scores, highest=results.higher_is_better),
        name="scores",
        title=f"Scores of all tasks ({score_word(results.score_name)})",
        explanation="The best score of each task is in bold.",
        terminal_rows=0,
    )


def _ranks(comparison: Comparison) -> Table:
    return grid_table(
        _task_columns(comparison, comparison.ranks),
        ranks := comparison.ranks[comparison.algorithms],
        decimals(1),
        best=_best(comparison, ranks, highest=False),
        name="ranks",
        title="Ranks of all tasks",
        explanation="Within each task; ties share the average rank.",
        terminal_rows=0,
    )


def paper_scores(comparison: Comparison) -> Table:
    """Return every score with the traits of its task for a paper; the best are bold."""
    results = comparison.results
    scores = results.scores[comparison.algorithms]
    dataset, task = _task_columns(comparison, scores)
    leading = [
        (heading, results.traits[trait].tolist(), _ungrouped(places))
        for trait, (heading, places) in TRAITS.items()
        if trait in results.traits
    ]
    leading.insert(int("m" in results.traits), (task[0].capitalize(), *task[1:]))
    number, note = _numbers(comparison), ""
    if max(map(len, number)) > LONGEST_NAME:
        note = " ".join(f"{place}: {name}." for name, place in number.items())
    return grid_table(
        [(dataset[0].capitalize(), *dataset[1:]), *leading],
        scores.rename(columns=number) if note else scores,
        decimals(score_digits(comparison)),
        best=_best(comparison, scores, highest=results.higher_is_better),
        name="scores",
        title=f"{score_word(results.score_name)} of every algorithm on every task",
        explanation="The best score of each task is in bold.",
        note=note,
        terminal_rows=0,
    )


def _task_columns(
    comparison: Comparison, frame: pd.DataFrame
) -> list[tuple[str, list[str], Callable[..., str]]]:
    """Return dataset and task of each row, under the names that the columns have in the source."""
    named, level = comparison.results.column_names, frame.index.get_level_values
    return [
        (printable(named.get("dataset", "dataset")), list(level(0)), word),
        (printable(named.get("task", "class")), list(level(1)), word),
    ]


def _ungrouped(places: int) -> Callable[..., str]:
    """Return a writer of numbers without thousands separators, as papers print sizes."""
    write = decimals(places) if places else integer
    return lambda value: write(value).replace(",", "")


def _best(comparison: Comparison, values: pd.DataFrame, *, highest: bool) -> np.ndarray:
    """Return where a value equals the best of its task, up to the tolerance of ties."""
    oriented = values.to_numpy(float) * (1 if highest else -1)
    top = np.where(np.isnan(oriented), -np.inf, oriented).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(top - oriented <= comparison.settings.tie_tolerance)
