"""Make the tables of a comparison, in reading order."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import (
    ABSENT,
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
    same_decimals,
    shares,
    word,
)
from occstats.comparison.comparison import main_pairs
from occstats.comparison.decision import BETTER, EQUIVALENT, WORSE
from occstats.comparison.heterogeneity import new_dataset_sentence
from occstats.comparison.settings import ESTIMANDS
from occstats.comparison.text.digits import mean_digits, rank_digits, score_digits
from occstats.comparison.text.verdict import (
    REVERSED,
    ROWS_ALONE,
    corrected_by_row,
    difference_digits,
    difference_of,
    headline,
    mostly_equal,
    short_names,
    subject_of,
    wins_and_losses,
    with_short_names,
)
from occstats.report.formatted_table import (
    PAIR,
    Column,
    Table,
    frame_table,
    grid_table,
    plain_table,
    truth,
)
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

TEXTS = tomllib.loads(files(__package__).joinpath("report.toml").read_text("utf-8"))
TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}
# Columns of ``pairwise`` in the table of the comparison.
PAIR_COLUMNS = ["difference", "ci_low", "ci_high", "p", "conclusion", "reversed"]
PAIR_COLUMNS += ["wins", "ties", "losses"]
FRIEDMAN = ("chi_squared", "iman_davenport")
FIRST_ROWS = 15
ROUNDED_BEST = "The best score of each task and all scores that round to it are in bold."
# Longer names are replaced by a role in headings.
LONGEST_NAME = 12
# Traits in the order of the table of Lenz et al.: heading and writer. Papers print sizes without
# thousands separators.
SIZE = "{:.0f}".format
TRAITS = {"m": ("m", SIZE), "n": ("n", SIZE), "sparsity": ("s", decimals(2))}


def all_tables(comparison: Comparison) -> list[Table]:
    """Return every table that the comparison has data for."""
    results, names = comparison.results, comparison.algorithms
    # A single dataset says nothing about variation between datasets.
    tested = results.n_independent > 1
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
        *(_robustness(comparison) if tested else []),
        *_classical(comparison),
        *_missing(comparison),
        _task_table(comparison, results.scores[names], score_digits(comparison),
                    highest=results.higher_is_better, **_described(comparison, "scores")),
        _task_table(comparison, comparison.ranks[names], 1,
                    highest=False, **_described(comparison, "ranks")),
    ]  # fmt: skip
    return [table for table in tables if len(table)]


def _described(comparison: Comparison, name: str, **said: Any) -> dict[str, Any]:
    """Return the name, title, explanation and note of a table."""
    values = {
        "unit": comparison.results.unit,
        "score": score_word(comparison.results.score_name),
        "basis": comparison.basis,
        "rope": comparison.settings.rope,
        **said,
    }
    texts = TEXTS["tables"][name]
    return {"name": name, **{part: text.format_map(values) for part, text in texts.items()}}


def comparison_table(comparison: Comparison) -> Table:
    """Return means, and differences from the leader or the control."""
    rows = comparison.decision.row(subject_of(comparison))
    frame = comparison.study.means.join(
        rows[[name for name in PAIR_COLUMNS if name in rows]], on="algorithm"
    )
    shown = frame.assign(own=frame["algorithm"] == subject_of(comparison))
    score, digits = score_word(comparison.results.score_name), mean_digits(comparison)
    settings, name = comparison.settings, heading_name(comparison)
    header, write_rank = (
        difference_of(comparison.results, name, "it"),
        decimals(rank_digits(comparison)),
    )
    columns = [*_size_columns(comparison, shown, header, ESTIMANDS[str(settings.estimand)])]
    found, keys = {*shown["conclusion"][~shown["own"]].dropna()}, ("conclusion", "reversed")
    if found:
        columns.append(_for_others("p", ("p",), p_writer(settings)))
    if found and _can_conclude(comparison) and _in_words(comparison):
        columns.append(_for_others(f"{name} is", keys, _conclusion, number=False))
    elif found & {BETTER, WORSE} and _can_conclude(comparison):
        columns.append(Column("", keys, _star, number=False))
    return frame_table(
        frame,
        Column("algorithm", ("algorithm",), number=False),
        *([("mean rank", "mean_rank", write_rank)] if settings.estimand == "typical" else []),
        Column(f"mean {score}", ("mean_score",), decimals(digits)),
        *columns,
        **_described(comparison, "comparison", headline=headline(comparison)),
        shown=shown,
        note=" ".join(legend(comparison)),
        terminal_rows=FIRST_ROWS,
    )


def _for_others(
    header: str, keys: tuple[str, ...], write: Callable[..., str], **fields: Any
) -> Column:
    """Return a column that stays blank where the column ``own`` is true."""
    return Column(
        header, (*keys, "own"), lambda *row: "" if row[-1] else write(*row[:-1]), **fields
    )


def _size_columns(
    comparison: Comparison, shown: pd.DataFrame, header: str, group: str = ""
) -> Iterator[Column]:
    """Yield the columns of the difference and its interval, as far as the pairs have them.

    Wins and losses replace the difference if more than a fifth of the differences are zero.
    """
    digits = difference_digits(comparison)
    write, brackets = decimals(digits, signed=True), limits(digits)
    shown["zeros"] = mostly_equal(shown) & (comparison.settings.estimand == "typical")
    others = shown[~shown["own"]]
    bounded = np.isfinite(others.filter(["ci_low", "ci_high"]).to_numpy(dtype=float)).any()

    def tally(wins: float, losses: float) -> str:
        return " : ".join(wins_and_losses(wins, losses))

    def difference(value: float, wins: float, losses: float, zeros: bool) -> str:
        return write(value) if not zeros else "" if bounded else tally(wins, losses)

    def interval(low: float, high: float, wins: float, losses: float, zeros: bool) -> str:
        return tally(wins, losses) if zeros else brackets(low, high)

    counted = ("wins", "losses", "zeros")
    if others["zeros"].all():
        yield _for_others("wins : losses", counted[:2], "{:,.0f} : {:,.0f}".format)
    elif np.isfinite(others["difference"]).any():
        yield _for_others(header, ("difference", *counted), difference, group=group)
        if bounded:
            keys = ("ci_low", "ci_high", *counted)
            yield _for_others(interval_heading(comparison), keys, interval, group=group)


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


def heading_name(comparison: Comparison) -> str:
    """Return the name of the leader or the control, or its role if the name is long."""
    from rich.cells import cell_len

    name = printable(subject_of(comparison))
    if cell_len(name) <= LONGEST_NAME:
        return name
    return "leader" if comparison.settings.control is None else "control"


def legend(comparison: Comparison) -> Iterator[str]:
    """Yield the meanings of the marks and words in the table of the comparison."""
    settings, rows = comparison.settings, comparison.decision.row(subject_of(comparison))
    found = set(rows["conclusion"].dropna())
    if found and _can_conclude(comparison):
        claim = f"p ≤ {settings.alpha:g}"
        if settings.alternative != "two-sided" and WORSE not in found:
            claim += f" for “{heading_name(comparison)} is better”"
        decided = ", ".join(kind for kind in (BETTER, WORSE) if kind in found)
        mark = f"{decided}:" if _in_words(comparison) else "*"
        yield f"{mark} {claim}, {comparison.basis}." if decided else f"p: {comparison.basis}."
        if settings.margin is not None:
            rule = f"{_level(comparison)} within ±{settings.margin:g}"
            yield f"equivalent: {rule}." if EQUIVALENT in found else f"equivalent ({rule}): none."
    yield from _pair_notes(comparison, rows)


def _pair_notes(comparison: Comparison, rows: pd.DataFrame) -> Iterator[str]:
    """Yield the meanings of the marks on pairs and their intervals."""
    if rows["reversed"].any():
        yield f"{REVERSED} the {other_estimand(comparison)} difference has the opposite sign."
    shifts = rows[~(mostly_equal(rows) & (comparison.settings.estimand == "typical"))]
    finite = np.isfinite(shifts.filter(["ci_low", "ci_high"]).to_numpy(dtype=float))
    if finite.any() and not finite.all():
        yield f"{ABSENT} no finite limit at this confidence level."
    elif comparison.settings.has_intervals and _can_conclude(comparison) and not finite.any():
        yield "No confidence interval has a finite limit at this confidence level."


def other_estimand(comparison: Comparison) -> str:
    """Return the estimand that does not enter the decision."""
    return "mean" if comparison.settings.estimand == "typical" else "typical"


def paper_comparison(comparison: Comparison) -> Table:
    """Return the table of the comparison with a title that stands alone in a paper."""
    results, table = comparison.results, comparison_table(comparison)
    heading, level, note = interval_heading(comparison), _level(comparison), table.note
    # A narrow heading makes room for a larger font.
    columns = tuple(replace(c, header=level) if c.header == heading else c for c in table.columns)
    if columns != table.columns:
        note += f" The confidence intervals hold for {heading.partition('(')[2][:-1]} together."
    direction = "" if results.higher_is_better else " (lower is better)"
    title = (
        f"Comparison of {len(comparison.algorithms)} algorithms by "
        f"{score_word(results.score_name)}{direction} on {count(results.n_tasks, 'task')} in "
        f"{count(results.n_clusters, 'dataset')}"
    )
    names, prefix = short_names(comparison.algorithms)
    if prefix and table.shown is not None:
        note = with_short_names(note, names)
        note += f" Names are shown without their common prefix {prefix}."
        shown = table.shown.assign(algorithm=table.shown["algorithm"].map(names))
        table = replace(table, shown=shown)
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
        **_described(comparison, "p_values", claim=claim.capitalize()),
        best_means=f"p ≤ {settings.alpha:g}." if best.any() else "",
        note=ROWS_ALONE if corrected_by_row(comparison) else "",
    )


def _upper_triangle(square: pd.DataFrame) -> pd.DataFrame:
    return square.where(np.triu(np.ones(square.shape, dtype=bool), k=1)).iloc[:-1, 1:]


def paper_p_values(comparison: Comparison, *, numbered: str = "") -> Table:
    """Return the matrix of the deciding p-values for a paper.

    Numbers may replace the names of the columns, or those of rows and columns.
    """
    table = _p_values(comparison)
    first, *others = table.columns
    table = replace(table, columns=(replace(first, header=""), *others))
    if table.shown is None or not numbered:
        return table
    number = _numbers(comparison)
    rows = list(table.shown[first.keys[0]])
    if numbered == "columns":
        rest = [column.header for column in others if column.header not in set(rows)]
        explained = " ".join(f"Column {number[name]}: {name}." for name in rest)
        written = [f"{number[name]} {name}" for name in rows]
    else:
        explained, written = _names(number), [number[name] for name in rows]
    return replace(
        table,
        columns=(table.columns[0], *(replace(c, header=number[c.header]) for c in others)),
        shown=table.shown.assign(**{first.keys[0]: written}),
        note=f"{table.note} {explained}".strip(),
    )


def _numbers(comparison: Comparison) -> dict[str, str]:
    return {name: str(place) for place, name in enumerate(comparison.algorithms, start=1)}


def _names(numbers: dict[str, str]) -> str:
    return " ".join(f"{place}: {name}." for name, place in numbers.items())


def _pairs(comparison: Comparison) -> pd.DataFrame:
    """Return each pair once, the better mean first, or the control first."""
    claims = comparison.study.ordered_pairs({"p": comparison.decision.claimed_p})
    frame = comparison.pairwise_full.assign(p=claims["p"], own=False)
    return main_pairs(frame, comparison.algorithms, comparison.settings.control, [*frame])


def _pair_table(
    comparison: Comparison, described: dict[str, Any], frame: pd.DataFrame, *specs: Any, **more: Any
) -> Table:
    """Return a table of pairs; a terminal shows as many as the best algorithm has."""
    rows = max(len(comparison.algorithms) - 1, 1)
    return frame_table(frame, *PAIR, *specs, terminal_rows=rows, **described, **more)


def _pairwise(comparison: Comparison) -> Table:
    settings, shown, other = comparison.settings, _pairs(comparison), other_estimand(comparison)
    signed = decimals(difference_digits(comparison), signed=True)
    said = {"difference": difference_of(comparison.results, "a", "b"), "other": other}
    return _pair_table(
        comparison,
        _described(comparison, "pairwise", **said),
        comparison.pairwise_full,
        *_size_columns(comparison, shown, ESTIMANDS[str(settings.estimand)]),
        Column("p", ("p",), p_writer(settings)),
        Column("a is", ("conclusion", "reversed"), _conclusion, number=False),
        Column(f"{other} difference", (f"{other}_difference",), signed),
        shown=shown,
        note=" ".join(_pair_notes(comparison, shown)),
    )


def _effect_sizes(comparison: Comparison) -> Table:
    shown = _pairs(comparison)
    specs = (
        ("won / tied / lost", "wins", "ties", "losses", counts),
        ("rank-biserial", "rank_biserial", decimals(2, signed=True)),
        ("won, by task", "prob_improvement_task", percent),
        ("won, by dataset", "prob_improvement_dataset", percent),
        (
            "above / within / below %",
            *("difference_above", "difference_within", "difference_below"),
            shares,
        ),
    )
    return _pair_table(
        comparison,
        _described(comparison, "effect_sizes"),
        shown[[*PAIR, *(key for _, *keys, _ in specs for key in keys)]],
        *specs,
    )


def _kendall(comparison: Comparison) -> Table:
    names = comparison.algorithms
    square = comparison.kendall.pivot(index="a", columns="b", values="tau")
    square = square.combine_first(square.T).reindex(index=names, columns=names)
    square = _upper_triangle(square)
    return grid_table(
        [("algorithm", list(square.index), word)],
        square,
        blank_or(decimals(2)),
        frame=comparison.kendall,
        **_described(comparison, "kendall"),
    )


def _complementary_pairs(comparison: Comparison) -> Table:
    score, digits = score_word(comparison.results.score_name), mean_digits(comparison)
    return frame_table(
        comparison.complementary_pairs,
        *PAIR,
        (f"mean best {score}", "mean_best_score", decimals(digits)),
        ("mean rank", "mean_rank", decimals(2)),
        **_described(comparison, "complementary_pairs"),
        terminal_rows=5,
    )


# -- algorithms ------------------------------------------------------------------------------------


def _summary(comparison: Comparison) -> Table:
    level, several = _level(comparison), comparison.results.n_independent > 1
    digits, score = mean_digits(comparison), score_word(comparison.results.score_name)
    places = rank_digits(comparison)
    table = frame_table(
        comparison.summary,
        "algorithm",
        ("mean rank", "mean_rank", decimals(places)),
        (level, "mean_rank_ci_low", "mean_rank_ci_high", limits(places, signed=False)),
        (f"mean {score}", "mean_score", decimals(digits)),
        (level, "mean_score_ci_low", "mean_score_ci_high", limits(digits, signed=False)),
        ("CVSD", "cvsd", decimals(digits + 1)),
        *([("rank range", "rank_low", "rank_high", _range)] if several else []),
        ("leads", "leads", percent),
        **_described(comparison, "summary"),
    )
    explained = {
        level: "Each interval is for one algorithm; do not use the intervals to compare two.",
        "CVSD": "CVSD: standard deviation over folds, or the spread given with a score.",
        "rank range": "Rank range: ranks consistent with the pairwise conclusions.",
        "leads": "Leads: share of bootstrap resamples in which it ranks first (uncorrected).",
    }
    headers = {column.header for column in table.columns}
    notes = [words for header, words in explained.items() if header in headers]
    return replace(table, note=" ".join(notes))


def _range(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _regression(comparison: Comparison) -> Table:
    frame = comparison.regression
    shown = pd.DataFrame({"algorithm": frame["algorithm"].unique()})
    specs: list[Any] = ["algorithm"]
    for term in frame["term"][frame["term"] != "intercept"].unique():
        rows = frame[frame["term"] == term].set_index("algorithm").reindex(shown["algorithm"])
        slope, p = f"coefficient of {term}", f"p of {term}"
        shown[slope], shown[p] = rows["coefficient"].to_numpy(), rows["p"].to_numpy()
        specs.append((TERMS.get(term, term), slope, decimals(2, signed=True)))
        specs.append(("p", p, p_value))
    corrected = "not corrected"
    if comparison.settings.regression_corrected:
        corrected = "corrected by Holm's method over all algorithms and traits"
    return frame_table(
        frame,
        *specs,
        **_described(comparison, "regression", corrected=corrected),
        shown=shown,
        note=" ".join(frame.attrs["notes"]),
    )


def _strata(comparison: Comparison) -> Table:
    frame = comparison.strata
    wide = frame.pivot(index="stratum", columns="algorithm", values="mean_rank")
    wide = wide.reindex(columns=[name for name in comparison.algorithms if name in wide.columns])
    bounds = frame.drop_duplicates("stratum").set_index("stratum").reindex(wide.index)
    write = decimals(mean_digits(comparison))
    ends = zip(bounds["low"], bounds["high"], strict=True)
    return grid_table(
        [
            ("median score", [f"{write(low)} to {write(high)}" for low, high in ends], word),
            ("tasks", bounds["n_tasks"].tolist(), integer),
        ],
        wide,
        decimals(2),
        frame=frame,
        **_described(comparison, "strata"),
    )


def _rank_frequencies(comparison: Comparison) -> Table:
    frame = comparison.rank_frequencies
    wide = frame.pivot(index="algorithm", columns="rank", values="frequency")
    return grid_table(
        [("algorithm", comparison.algorithms, word)],
        wide.reindex(comparison.algorithms),
        percent,
        frame=frame,
        **_described(comparison, "rank_frequencies"),
    )


# -- robustness ------------------------------------------------------------------------------------


def _robustness(comparison: Comparison) -> Iterator[Table]:
    """Yield the tables on dependence, new datasets, single datasets, power and 0/1 scores."""
    unit, write = comparison.results.unit, p_writer(comparison.settings)
    digits, level = difference_digits(comparison), _level(comparison)
    tests = comparison.pairwise_full[[*PAIR, "p", "p_ignoring_clusters"]]
    yield _pair_table(
        comparison,
        _described(comparison, "diagnostics"),
        comparison.diagnostics,
        ("ICC", "icc", decimals(2)),
        ("design effect", "design_effect", decimals(2)),
        ("effective tasks", "effective_tasks", integer),
        ("size p", "size_p", p_value),
        ("p", "p", write),
        (f"p ignoring {unit}s", "p_ignoring_clusters", write),
        shown=comparison.diagnostics.merge(tests, on=list(PAIR), how="left"),
    )
    subject = subject_of(comparison)
    rival = next(name for name in comparison.algorithms if name != subject)
    yield _pair_table(
        comparison,
        _described(comparison, "heterogeneity"),
        comparison.heterogeneity,
        ("τ", "heterogeneity_sd", decimals(digits)),
        ("I²", "i_squared", percent),
        (
            level.replace("CI", "prediction interval"),
            *("prediction_low", "prediction_high"),
            limits(digits),
        ),
        ("P(a better)", "prob_better", decimals(2)),
        (level, "prob_better_ci_low", "prob_better_ci_high", limits(2, signed=False)),
        note=new_dataset_sentence(comparison, subject, rival),
    )
    yield from _stability(comparison)
    yield _detectable(comparison)
    if comparison.binary is not None:
        yield _pair_table(
            comparison,
            _described(comparison, "binary"),
            comparison.binary,
            ("difference", "share_difference", decimals(3, signed=True)),
            ("SE", "standard_error", decimals(3)),
            (level, "share_difference_ci_low", "share_difference_ci_high", limits(3)),
            ("Obuchowski p", "p_obuchowski", p_value),
            ("Durkalski p", "p_durkalski", p_value),
            ("Eliasziw-Donner p", "p_eliasziw_donner", p_value),
            ("design effect", "design_effect", decimals(2)),
            ("detectable", "minimal_detectable", decimals(3)),
        )


def _stability(comparison: Comparison) -> Iterator[Table]:
    section, unit = comparison.stability, comparison.results.unit
    signed = decimals(mean_digits(comparison), signed=True)
    if section.influence is not None:
        yield _pair_table(
            comparison,
            _described(comparison, "influence"),
            section.influence,
            ("mean difference", "mean_difference", signed),
            (f"most influential {unit}", "dataset", word),
            ("without it", "mean_difference_without", signed),
            ("changes", "datasets_that_change", integer),
        )
    for name in ("changes", "leave_one_dataset_out", "leave_one_algorithm_out"):
        frame = getattr(section, name)
        if frame is not None:
            yield plain_table(frame, **_described(comparison, name))


def _detectable(comparison: Comparison) -> Table:
    section, digits = comparison.design, mean_digits(comparison)
    power = 100 * section.wanted_power
    return _pair_table(
        comparison,
        _described(comparison, "detectable", n=section.n_clusters, power=power),
        section.detectable,
        ("observed", "mean_difference", decimals(digits, signed=True)),
        ("detectable", "minimal_detectable", decimals(digits)),
        ("detectable, corrected", "minimal_detectable_corrected", decimals(digits)),
    )


def _classical(comparison: Comparison) -> Iterator[Table]:
    section = comparison.classical
    # Without several tasks, the frame has no columns.
    writers = {key: same_decimals(section.friedman.get(key, ())) for key in FRIEDMAN}
    yield frame_table(
        section.friedman,
        ("on", "unit", word),
        ("n", "n", integer),
        ("χ²", "chi_squared", writers["chi_squared"]),
        ("p", "p", p_value),
        ("F", "iman_davenport", writers["iman_davenport"]),
        ("p of F", "p_iman_davenport", p_value),
        ("critical difference", "critical_difference", decimals(2)),
        ("independent units", "valid", truth),
        **_described(comparison, "friedman"),
    )
    yield plain_table(section.pairs, **_described(comparison, "classical_pairs"))


def _missing(comparison: Comparison) -> Iterator[Table]:
    gaps = comparison.gaps
    if gaps is not None:
        said = {"cells": gaps.cells, "of": gaps.of, "policy": comparison.settings.missing}
        yield frame_table(
            gaps.policies,
            "policy",
            ("algorithms", "algorithms", integer),
            ("tasks", "tasks", integer),
            ("leader", "best", word),
            ("pairs", "pairs", integer),
            ("other conclusions", "changed_pairs", integer),
            **_described(comparison, "missing", **said),
        )
    if comparison.fold_tests is not None:
        yield plain_table(comparison.fold_tests, **_described(comparison, "fold_tests"))


# -- tasks -----------------------------------------------------------------------------------------


# Heading, cells and writer of a column before a grid.
Leading = tuple[str, list[Any], Callable[..., str]]


def _task_table(
    comparison: Comparison,
    values: pd.DataFrame,
    digits: int,
    *,
    highest: bool,
    leading: list[Leading] | None = None,
    **fields: Any,
) -> Table:
    """Return a grid of tasks and algorithms; the best of each task, as printed, are bold."""
    oriented = values.to_numpy(float) * (1 if highest else -1)
    oriented = np.where(np.isnan(oriented), -np.inf, oriented)
    places = oriented.argmax(axis=1)
    with np.errstate(invalid="ignore"):
        tied = oriented.max(axis=1, keepdims=True) - oriented <= comparison.settings.tie_tolerance
    write = decimals(digits)
    cells = values.map(write).to_numpy()
    alike = (cells == cells[np.arange(len(cells)), places][:, None]) & np.isfinite(oriented)
    if (alike & ~tied).any():
        fields["explanation"] = ROUNDED_BEST
    leading = leading or _task_columns(comparison, values)
    return grid_table(leading, values, write, best=tied | alike, terminal_rows=0, **fields)


def _task_columns(comparison: Comparison, frame: pd.DataFrame) -> list[Leading]:
    """Return dataset and task of each row under their names in the source, or one if alike."""
    named, levels = comparison.results.column_names, frame.index.get_level_values
    dataset, task = list(levels(0)), list(levels(1))
    if dataset == task:
        name = named.get("dataset") or named.get("task", "dataset")
        return [(printable(name), dataset, word)]
    return [
        (printable(named.get("dataset", "dataset")), dataset, word),
        (printable(named.get("task", "task")), task, word),
    ]


def paper_scores(comparison: Comparison, *, numbered: bool = False) -> Table:
    """Return every score with the traits of its task for a paper; the best are bold."""
    results, scores = comparison.results, comparison.results.scores[comparison.algorithms]
    dataset, *task = [
        (header.capitalize(), cells, write)
        for header, cells, write in _task_columns(comparison, scores)
    ]
    traits = {
        trait: (heading, results.traits[trait].tolist(), write)
        for trait, (heading, write) in TRAITS.items()
        if trait in results.traits
    }
    first = [traits.pop("m")] if "m" in traits else []
    numbers, note = _numbers(comparison), ""
    if numbered:
        scores = scores.rename(columns=numbers)
        note = _names(numbers)
    return _task_table(
        comparison,
        scores,
        score_digits(comparison),
        leading=[dataset, *first, *task, *traits.values()],
        highest=results.higher_is_better,
        name="scores",
        title=f"Scores ({score_word(results.score_name)}) of every algorithm on every task",
        explanation=TEXTS["tables"]["scores"]["explanation"],
        note=note,
    )
