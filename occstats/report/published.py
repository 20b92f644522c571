"""Compare published scores and conclusions with one's own."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import decimals
from occstats.comparison.decision import BETTER
from occstats.report.markup import markdown_lines

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
        Tasks (dataset, class) × algorithms, without missing scores.

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
            "tasks": len(tasks),
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
    tasks = ours.index.intersection(theirs.index, sort=False)
    lines = ["# Published numbers and ours", "", *[f"- {note}" for note in notes], ""]
    lines += nearness_table(near)
    if tasks.get_level_values(0).nunique() > 1:
        for title, table in conclusions(comparisons(results, published)).items():
            lines += ["", f"## {title}", ""]
            lines += markdown_lines(list(table), table.to_numpy().tolist())
    lines += ["", "## Every task", "", "Ours / published; bold where the three decimals differ."]
    rows = []
    for task in tasks:
        pairs = zip(ours.loc[task, near.index], theirs.loc[task, near.index], strict=True)
        texts = [(f"{a:.3f} / {b:.3f}", abs(a - b) <= EQUAL) for a, b in pairs]
        rows.append([*map(str, task), *(text if equal else f"**{text}**" for text, equal in texts)])
    lines += ["", *markdown_lines(["dataset", "class", *near.index], rows)]
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
    return markdown_lines(
        ["algorithm", *shown.columns], [[k, *row] for k, *row in shown.itertuples()]
    )


def comparisons(ours: Any, published: pd.DataFrame) -> dict[str, Any]:
    """Compare our scores and the paper's by the paper's analysis.

    The paper's own digits are evaluated twice: on the tasks that we have, which compares like with
    like, and on all of its tasks, for comparison with what it prints.
    """
    from occstats.comparison import compare
    from occstats.results import load_results

    tasks = pd.MultiIndex.from_frame(published[["dataset", "class"]])
    same = published[tasks.isin(ours.scores.index)]
    return {
        OURS: compare(ours, preset="paper"),
        SAME: compare(load_results(same, score_name="auroc"), preset="paper"),
        WHOLE: compare(load_results(published, score_name="auroc"), preset="paper"),
    }


def conclusions(compared: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Tabulate the means and p-values of `comparisons` beside the paper's, by title."""
    return {
        "Ranks and means": _summary(compared),
        "Corrected one-sided p-values": _p_values(compared),
    }


def printed(name: str) -> pd.DataFrame:
    """Return a printed table: ``"summary"`` (table 4) or ``"p_values"`` (table 5)."""
    return pd.read_csv(str(files("occstats") / "data" / f"lenz2021_{name}.csv"), index_col=0)


def p_value(p: float) -> str:
    """Return a p-value as the paper prints it: two significant digits, and ≥ 1."""
    if np.isnan(p):
        return "–"
    if p < 0.0001:
        return "< 0.0001"
    return "≥ 1" if p >= 1 else f"{p:#.2g}"


def _summary(compared: dict[str, Any]) -> pd.DataFrame:
    frames = [each.summary.set_index("algorithm") for each in compared.values()]
    theirs = printed("summary")
    rows = [
        [
            name,
            *(f"{frame.loc[name, 'mean_rank']:.2f}" for frame in frames),
            f"{theirs.loc[name, 'rank']:.2f}",
            *(f"{frame.loc[name, 'mean_score']:.3f}" for frame in frames),
            f"{theirs.loc[name, 'auroc']:.3f}",
            decimals(4)(frames[0].loc[name, "cvsd"]),
            f"{theirs.loc[name, 'cvsd']:.4f}",
        ]
        for name in frames[0].index
    ]
    sources = [OURS, SAME, WHOLE, PRINTED]
    head = ["", *(f"{measure}: {source}" for measure in ("rank", "AUROC") for source in sources)]
    head += [f"CVSD: {OURS}", f"CVSD: {PRINTED}"]
    return pd.DataFrame(rows, columns=pd.Index(head))


def _p_values(compared: dict[str, Any]) -> pd.DataFrame:
    matrices = [each.p_values for each in compared.values()]
    ours, same = (compared[name].matrix("conclusion") == BETTER for name in (OURS, SAME))
    theirs: Any = printed("p_values").stack().dropna().items()
    rows = [
        [
            f"{better} > {worse}",
            *(p_value(matrix.loc[better, worse]) for matrix in matrices),
            str(p).replace("<", "< ").replace(">=", "≥ "),
            "" if ours.loc[better, worse] == same.loc[better, worse] else "differs",
        ]
        for (better, worse), p in theirs
    ]
    head = ["better", OURS, SAME, WHOLE, PRINTED, "on opposite sides of 0.05 on the same tasks"]
    return pd.DataFrame(rows, columns=pd.Index(head))
