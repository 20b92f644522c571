"""Tables about tasks: ranks by difficulty, rank frequencies, all scores and ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import decimals, integer, percent
from occstats.report.formatted_table import Leading, Table, grid, with_headers
from occstats.report.writing import score_digits
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["frequency_table", "rank_table", "score_table", "strata_table"]


def strata_table(comparison: Comparison) -> Table:
    """Return the mean ranks by difficulty, one row per stratum."""
    frame = comparison.strata
    wide = frame.pivot(index="stratum", columns="algorithm", values="mean_rank")
    wide = wide.reindex(columns=[name for name in comparison.algorithms if name in wide.columns])
    bounds = frame.drop_duplicates("stratum").set_index("stratum").reindex(wide.index)
    write = decimals(score_digits(comparison))
    ranges = [
        f"{write(low)} to {write(high)}"
        for low, high in zip(bounds["low"], bounds["high"], strict=True)
    ]
    shown, columns = grid(
        [
            Leading("median score", ranges),
            Leading("tasks", bounds["n_tasks"].tolist(), integer, number=True),
        ],
        wide,
        decimals(2),
    )
    return Table(
        name="strata",
        title="Mean rank by difficulty",
        explanation="Tasks grouped by the median score of the algorithms.",
        frame=frame,
        shown=shown,
        columns=columns,
    )


def frequency_table(comparison: Comparison) -> Table:
    """Return how often each algorithm has each rank."""
    frame = comparison.rank_frequencies
    wide = frame.pivot(index="algorithm", columns="rank", values="frequency")
    wide = wide.reindex(comparison.algorithms)
    shown, columns = grid([Leading("algorithm", list(wide.index))], wide, percent)
    return Table(
        name="rank_frequencies",
        title="Rank frequencies",
        explanation="Share of tasks with each rank; each dataset has equal weight, ties are split.",
        frame=frame,
        shown=shown,
        columns=columns,
    )


def score_table(comparison: Comparison) -> Table:
    """Return every score, the best of each task in bold."""
    return _task_table(
        comparison,
        comparison.results.scores,
        name="scores",
        title=f"All scores ({score_word(comparison.results.score_name)})",
        explanation="The best of each task is bold.",
        write=decimals(score_digits(comparison)),
        highest=comparison.results.higher_is_better,
    )


def rank_table(comparison: Comparison) -> Table:
    """Return every rank."""
    return _task_table(
        comparison,
        comparison.ranks,
        name="ranks",
        title="All ranks",
        explanation="Within each task; ties share the average rank.",
        write=decimals(1),
        highest=False,
    )


def _task_table(
    comparison: Comparison,
    values: pd.DataFrame,
    *,
    name: str,
    title: str,
    explanation: str,
    write: Callable[..., str],
    highest: bool,
) -> Table:
    ordered = values[comparison.algorithms]
    shown, columns = grid(
        [
            Leading("dataset", list(ordered.index.get_level_values(0))),
            Leading("class", list(ordered.index.get_level_values(1))),
        ],
        ordered,
        write,
    )
    numbers = ordered.to_numpy(float)
    best = np.nanmax(numbers, axis=1) if highest else np.nanmin(numbers, axis=1)
    close = np.abs(numbers - best[:, None]) <= comparison.settings.tie_tolerance
    return Table(
        name=name,
        title=title,
        explanation=explanation,
        frame=with_headers(shown, columns),
        shown=shown,
        columns=columns,
        best=pd.DataFrame(close, columns=[column.keys[0] for column in columns[2:]]),
        terminal_rows=0,
    )
