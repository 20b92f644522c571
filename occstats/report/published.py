"""Compare published scores and conclusions with one's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

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
    """Count for each algorithm the tasks on which two tables agree; give means and mean ranks.

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
    """Return a page in Markdown that compares every published number with ours.

    Parameters
    ----------
    results : Results
        Our scores.
    published : DataFrame
        The published table: dataset, class, traits and a column for each algorithm.
    notes : list of str
        How ours were made.
    """
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

    Parameters
    ----------
    ours : Results
        Our scores of the paper's tasks, or of some.
    published : DataFrame
        The paper's table: dataset, class, traits and a column for each algorithm.

    Returns
    -------
    list of str
        Lines of Markdown.
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
    frames = {name: each.summary.set_index("algorithm") for name, each in compared.items()}
    printed = _printed("summary")
    rows = []
    for algorithm in frames[OURS].index:
        published = printed.loc[algorithm]
        rows.append(
            [
                algorithm,
                *(f"{frame.loc[algorithm, 'mean_rank']:.2f}" for frame in frames.values()),
                f"{published['rank']:.2f}",
                *(f"{frame.loc[algorithm, 'mean_score']:.3f}" for frame in frames.values()),
                f"{published['auroc']:.3f}",
                _decimals(frames[OURS].loc[algorithm, "cvsd"], 4),
                f"{published['cvsd']:.4f}",
            ]
        )
    sources = [OURS, SAME, WHOLE, PRINTED]
    head = ["", *(f"rank: {sources[0]}", *sources[1:]), *(f"AUROC: {sources[0]}", *sources[1:])]
    return _titled("Ranks and means", [*head, "CVSD: ours", PRINTED], rows)


def _p_values(compared: dict[str, Any]) -> list[str]:
    matrices = [each.p_values for each in compared.values()]
    decided = [compared[name].matrix("conclusion") == BETTER for name in (OURS, SAME)]
    printed = _printed("p_values")
    rows = []
    for better in printed.index:
        for worse in printed.columns:
            if pd.notna(printed.loc[better, worse]):
                same = decided[0].loc[better, worse] == decided[1].loc[better, worse]
                rows.append(
                    [
                        f"{better} > {worse}",
                        *(_p_value(matrix.loc[better, worse]) for matrix in matrices),
                        _as_printed(str(printed.loc[better, worse])),
                        "" if same else "differs",
                    ]
                )
    head = ["better", OURS, SAME, WHOLE, PRINTED, "on two sides of 0.05 on the same tasks"]
    return _titled("Corrected one-sided p-values", head, rows)


def _tau(compared: dict[str, Any]) -> list[str]:
    values = {name: _by_pair(each.kendall, "tau") for name, each in compared.items()}
    rows = [
        [" – ".join(pair), *(_decimals(of.get(pair), 3) for of in values.values())]
        for pair in values[OURS]
    ]
    return _titled("Weighted Kendall's τ", ["pair", *compared], rows)


def _by_pair(frame: pd.DataFrame, column: str) -> dict[tuple[str, str], float]:
    return {
        (min(a, b), max(a, b)): value
        for a, b, value in frame[["a", "b", column]].itertuples(index=False)
    }


def _regression(compared: dict[str, Any]) -> list[str]:
    frames = [each.regression.set_index(["algorithm", "term"]) for each in compared.values()]
    rows = []
    for key in frames[0].index:
        if key[1] != "intercept":
            cells = [f"{_decimals(f.loc[key, 'coefficient'], 2)} ({_p_value(f.loc[key, 'p'])})"
                     if key in f.index else "–" for f in frames]  # fmt: skip
            rows.append([*key, *cells])
    title = "Ranks explained by traits: coefficient (p); a lower rank is a better one"
    return _titled(title, ["", "trait", *compared], rows)


def _pairs(compared: dict[str, Any]) -> list[str]:
    best = [
        [f"{a} + {b}" for a, b in each.complementary_pairs.head(5)[["a", "b"]].to_numpy()]
        for each in compared.values()
    ]
    rows = [[place + 1, *names] for place, names in enumerate(zip(*best, strict=True))]
    return _titled("The five best pairs, by the better of the two scores", ["", *compared], rows)


def _strata(compared: dict[str, Any]) -> list[str]:
    rows = []
    frames = [each.strata.set_index(["stratum", "algorithm"]) for each in compared.values()]
    for key in frames[0].index:
        cells = [f"{f.loc[key, 'mean_rank']:.2f}" if key in f.index else "–" for f in frames]
        rows.append([f"{frames[0].loc[key, 'low']:.2f} – {frames[0].loc[key, 'high']:.2f}",
                     key[1], *cells])  # fmt: skip
    title = "Mean rank by the median score of a task (the limits are ours)"
    return _titled(title, ["median", "", *compared], rows)


def _frequencies(compared: dict[str, Any]) -> list[str]:
    rows = []
    frames = [each.rank_frequencies.set_index(["algorithm", "rank"]) for each in compared.values()]
    for algorithm in dict.fromkeys(frames[0].index.get_level_values(0)):
        of = [frame.loc[algorithm, "frequency"] for frame in frames]
        ends = [f"{frequency.iloc[0]:.0%} / {frequency.iloc[-1]:.0%}" for frequency in of]
        rows.append([algorithm, *ends])
    return _titled("How often first / last", ["", *compared], rows)


def _titled(title: str, head: Sequence[object], rows: Sequence[Sequence[object]]) -> list[str]:
    return [f"### {title}", "", *markdown_table(head, rows), ""]


def _decimals(value: float | None, digits: int) -> str:
    return "–" if value is None or pd.isna(value) else f"{value:.{digits}f}"


def _p_value(p: float) -> str:
    """Write a p-value as the paper does: two significant digits, 1 and more as ≥ 1."""
    if math.isnan(p):
        return "–"
    if p < 0.0001:
        return "< 0.0001"
    return "≥ 1" if p >= 1 else f"{p:#.2g}"


def _as_printed(text: str) -> str:
    return text.replace("<", "< ").replace(">=", "≥ ")
