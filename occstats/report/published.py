"""Compare published scores and conclusions with one's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import decimals
from occstats.comparison.decision import BETTER

__all__ = [
    "DISTANCES",
    "EQUAL",
    "compare_conclusions",
    "markdown_table",
    "nearness",
    "nearness_table",
    "published_page",
    "published_table",
    "scores_of",
]

# Half a unit of the third decimal, and rounding errors.
EQUAL = 0.0005 + 1e-9
DISTANCES = {
    "equal to 3 decimals": EQUAL,
    "within 0.005": 0.005 + 1e-9,
    "within 0.02": 0.02 + 1e-9,
}
OURS, SAME, WHOLE, PRINTED = "ours", "paper, same tasks", "paper, all tasks", "printed"


def nearness(ours: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Count the tasks on which two tables agree, with means and mean ranks of each algorithm.

    Both are ranked over the same tasks and algorithms; each dataset has equal weight.

    Parameters
    ----------
    ours, published : DataFrame
        Tasks (dataset, class) × algorithms; compared where both have a score.

    Examples
    --------
    >>> tasks = pd.MultiIndex.from_tuples([("iris", "a"), ("iris", "b")], names=["d", "c"])
    >>> ours = pd.DataFrame({"X": [0.9, 0.8], "Y": [0.7, 0.95]}, index=tasks)
    >>> near = nearness(ours, ours + np.array([[0.0, 0.004], [0.0004, 0.01]]))
    >>> near.iloc[:, :4].values.tolist()
    [[2, 2, 2, 2], [2, 0, 1, 2]]
    """
    from occstats.stats import cluster_weights, task_ranks

    names = [name for name in published.columns if name in ours.columns]
    tasks = ours.index.intersection(published.index, sort=False)
    both = ours.loc[tasks, names], published.loc[tasks, names]
    weights = cluster_weights(tasks.get_level_values(0).to_numpy())
    ranks = [task_ranks(frame.to_numpy(dtype=float), tie_tolerance=1e-9) for frame in both]
    rows = {}
    for place, name in enumerate(names):
        distance = (both[0][name] - both[1][name]).abs()
        rows[name] = {
            "tasks": int(distance.notna().sum()),
            **{label: int(distance.le(limit).sum()) for label, limit in DISTANCES.items()},
            "mean": float(weights @ both[0][name].to_numpy(dtype=float)),
            "published mean": float(weights @ both[1][name].to_numpy(dtype=float)),
            "mean rank": float(weights @ ranks[0][:, place]),
            "published mean rank": float(weights @ ranks[1][:, place]),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def published_page(results: Any, published: pd.DataFrame, *, notes: list[str]) -> str:
    """Return a page in Markdown that compares every number of `published_table` with ours."""
    ours, theirs = results.scores, scores_of(published)
    near = nearness(ours, theirs)
    lines = ["# Published numbers and ours", "", *[f"- {note}" for note in notes], ""]
    lines += [*nearness_table(near), ""]
    tasks = ours.index.intersection(theirs.index, sort=False)
    if tasks.get_level_values(0).nunique() > 1:
        lines += compare_conclusions(results, published)
    lines += ["## Every task", "", "Ours / published; bold where the three decimals differ.", ""]
    rows = []
    for task in tasks:
        cells = [_side_by_side(ours.loc[task, name], theirs.loc[task, name]) for name in near.index]
        rows.append([*map(str, task), *cells])
    lines += markdown_table(["dataset", "class", *near.index], rows)
    return "\n".join(lines) + "\n"


def published_table() -> pd.DataFrame:
    """Return the paper's table: dataset, class, traits and a column for each descriptor."""
    file = files("occstats") / "data" / "lenz2021.csv"
    return pd.read_csv(str(file), dtype={"class": str})


def scores_of(published: pd.DataFrame) -> pd.DataFrame:
    """Return the scores alone: tasks × algorithms."""
    return published.set_index(["dataset", "class"]).drop(columns=["n", "m", "sparsity"])


def nearness_table(near: pd.DataFrame) -> list[str]:
    """Return the result of `nearness` in Markdown."""
    shown = near.astype(object)
    for name in near.columns[4:]:
        shown[name] = near[name].map("{:.3f}".format)
    return markdown_table(
        ["algorithm", *shown.columns], [[k, *row] for k, *row in shown.itertuples()]
    )


def _side_by_side(ours: float, published: float) -> str:
    text = f"{ours:.3f} / {published:.3f}"
    return text if np.abs(ours - published) <= EQUAL else f"**{text}**"


def compare_conclusions(ours: Any, published: pd.DataFrame) -> list[str]:
    """Compare every conclusion of the paper with the same conclusion from our scores.

    The paper's own digits are evaluated twice: on the tasks that we have, which compares like with
    like, and on all of its tasks, for comparison with what it prints.
    """
    from occstats.comparison import compare
    from occstats.results import load_results

    tasks = pd.MultiIndex.from_frame(published[["dataset", "class"]])
    same = published[tasks.isin(ours.scores.index)]
    compared = {
        OURS: compare(ours, preset="paper"),
        SAME: compare(load_results(same), preset="paper"),
        WHOLE: compare(load_results(published), preset="paper"),
    }
    counts = [f"{name}: {each.results.n_tasks}" for name, each in compared.items()]
    return [
        "## What follows from the tables",
        "",
        f"All settings are those of the paper. Tasks: {', '.join(counts)}.",
        "",
        *_summary(compared),
        *_p_values(compared),
        *_tau(compared),
        *_regression(compared),
        *_pairs(compared),
        *_strata(compared),
        *_frequencies(compared),
    ]


def markdown_table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return the lines of a table in Markdown.

    Examples
    --------
    >>> markdown_table(["a", "b"], [[1, "x|y"]])
    ['| a | b |', '| --- | --- |', '| 1 | x\\\\|y |']
    """

    def line(cells: Sequence[object]) -> str:
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(head), line(["---"] * len(head)), *map(line, rows)]


def _printed(name: str) -> pd.DataFrame:
    return pd.read_csv(str(files("occstats") / "data" / f"lenz2021_{name}.csv"), index_col=0)


def _summary(compared: dict[str, Any]) -> list[str]:
    frames = [each.summary.set_index("algorithm") for each in compared.values()]
    printed = _printed("summary")
    rows = [
        [
            name,
            *(f"{frame.loc[name, 'mean_rank']:.2f}" for frame in frames),
            f"{printed.loc[name, 'rank']:.2f}",
            *(f"{frame.loc[name, 'mean_score']:.3f}" for frame in frames),
            f"{printed.loc[name, 'auroc']:.3f}",
            decimals(4)(frames[0].loc[name, "cvsd"]),
            f"{printed.loc[name, 'cvsd']:.4f}",
        ]
        for name in frames[0].index
    ]
    others = [SAME, WHOLE, PRINTED]
    head = ["", f"rank: {OURS}", *others, f"AUROC: {OURS}", *others, "CVSD: ours", PRINTED]
    return _titled("Ranks and means", head, rows)


def _p_values(compared: dict[str, Any]) -> list[str]:
    matrices = [each.p_values for each in compared.values()]
    ours, same = (compared[name].matrix("conclusion") == BETTER for name in (OURS, SAME))
    printed: Any = _printed("p_values").stack().dropna().items()
    rows = [
        [
            f"{better} > {worse}",
            *(_p_value(matrix.loc[better, worse]) for matrix in matrices),
            str(p).replace("<", "< ").replace(">=", "≥ "),
            "" if ours.loc[better, worse] == same.loc[better, worse] else "differs",
        ]
        for (better, worse), p in printed
    ]
    head = ["better", OURS, SAME, WHOLE, PRINTED, "on opposite sides of 0.05 on the same tasks"]
    return _titled("Corrected one-sided p-values", head, rows)


def _tau(compared: dict[str, Any]) -> list[str]:
    frames = [
        # The order of a pair may differ.
        each.kendall.assign(pair=each.kendall[["a", "b"]].apply(sorted, axis=1).map(" – ".join))
        for each in compared.values()
    ]
    rows = _keyed(frames, ["pair"], lambda row: decimals(3)(row["tau"]))
    return _titled("Weighted Kendall's τ", ["pair", *compared], rows)


def _regression(compared: dict[str, Any]) -> list[str]:
    frames = [each.regression.query("term != 'intercept'") for each in compared.values()]
    rows = _keyed(
        frames,
        ["algorithm", "term"],
        lambda row: f"{decimals(2)(row['coefficient'])} ({_p_value(row['p'])})",
    )
    title = "Ranks explained by traits: coefficient (p); a lower rank is better"
    return _titled(title, ["", "trait", *compared], rows)


def _pairs(compared: dict[str, Any]) -> list[str]:
    best = [
        [f"{a} + {b}" for a, b in each.complementary_pairs.head(5)[["a", "b"]].to_numpy()]
        for each in compared.values()
    ]
    rows = [[place + 1, *names] for place, names in enumerate(zip(*best, strict=True))]
    return _titled("The five best pairs, by the better of the two scores", ["", *compared], rows)


def _strata(compared: dict[str, Any]) -> list[str]:
    frames = [each.strata for each in compared.values()]
    rows = _keyed(frames, ["stratum", "algorithm"], lambda row: f"{row['mean_rank']:.2f}")
    bounds = frames[0].set_index("stratum")[["low", "high"]].drop_duplicates()
    rows = [["{:.2f} – {:.2f}".format(*bounds.loc[stratum]), *others] for stratum, *others in rows]
    title = "Mean rank by the median score of a task (the limits are ours)"
    return _titled(title, ["median", "", *compared], rows)


def _frequencies(compared: dict[str, Any]) -> list[str]:
    frames = [
        each.rank_frequencies.groupby("algorithm", sort=False)["frequency"]
        .agg(["first", "last"])
        .reset_index()
        for each in compared.values()
    ]
    rows = _keyed(frames, ["algorithm"], lambda row: f"{row['first']:.0%} / {row['last']:.0%}")
    return _titled("Share of tasks ranked first / last", ["", *compared], rows)


def _keyed(
    frames: list[pd.DataFrame], keys: list[str], write: Callable[[Any], str]
) -> list[list[Any]]:
    """Return one row for each key of the first frame, with the cells of all frames."""
    cells = [
        {tuple(row[key] for key in keys): write(row) for row in frame.to_dict("records")}
        for frame in frames
    ]
    return [[*key, *(found.get(key, "–") for found in cells)] for key in cells[0]]


def _titled(title: str, head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    return [f"### {title}", "", *markdown_table(head, rows), ""]


def _p_value(p: float) -> str:
    """Return a p-value as the paper prints it: two significant digits, and ≥ 1."""
    if math.isnan(p):
        return "–"
    if p < 0.0001:
        return "< 0.0001"
    return "≥ 1" if p >= 1 else f"{p:#.2g}"
