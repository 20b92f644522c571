"""Comparison of published numbers with one's own, task by task."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from occstats.report.like_with_like import compare_conclusions, markdown_table

__all__ = [
    "DISTANCES",
    "EQUAL",
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
