"""Mean rank by difficulty of the task (the paper's figure of ranks by difficulty)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from occstats.figures.canvas import describe, drawn_on, note, one_axes
from occstats.figures.frames import records
from occstats.figures.selection import chosen_algorithms, score_label
from occstats.figures.style import Preset, bounded, series_styles
from occstats.figures.text import clean, labels

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison

__all__ = ["strata"]

MOST_ALGORITHMS = 6


def strata(
    comparison: Comparison,
    *,
    algorithms: Sequence[str] | None = None,
    ax: Axes | None = None,
    width: str | float | Preset = "column",
) -> Figure | Axes:
    """Draw the weighted mean rank of some algorithms in strata of the tasks' median score.

    Parameters
    ----------
    comparison : Comparison
        Its frame `strata` is drawn.
    algorithms : sequence of str, optional
        Which algorithms to draw; by default the six with the best mean rank.
    ax : Axes, optional
        Axes to draw on; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.

    Returns
    -------
    Figure or Axes

    Examples
    --------
    The selection of the paper:

    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> figure = comparison.plot.strata(algorithms=["ALP", "SVM", "LOF", "IF"])
    """
    ranked = [str(name) for name in comparison.summary["algorithm"]]
    names = chosen_algorithms(algorithms, ranked, MOST_ALGORITHMS)
    table = comparison.strata
    places = table.drop_duplicates("stratum").sort_values("low").reset_index(drop=True)
    means = table.pivot(index="stratum", columns="algorithm", values="mean_rank")
    means = means.reindex(index=places["stratum"], columns=names)
    with one_axes(ax, width, bounded(width, 0.78, 3.2)) as axes:
        _lines(axes, means, ranked)
        axes.set_xticks(np.arange(len(places)), _intervals(places))
        axes.set_xlabel(f"median {score_label(comparison)} of the task (hard → easy)")
        if not comparison.results.higher_is_better:
            axes.set_xlabel(f"median {score_label(comparison)} of the task")
        axes.set_ylabel("weighted mean rank (1 = best)")
        if algorithms is None and len(names) < len(ranked):
            note(axes, f"The best {len(names)} of {len(ranked)} algorithms.")
        describe(axes, _words(means, places))
        return drawn_on(axes, ax)  # type: ignore[no-any-return]


def _lines(axes: Axes, means: pd.DataFrame, ranked: list[str]) -> None:
    looks = series_styles(ranked)
    names = [str(name) for name in means.columns]
    for name, drawn in zip(names, labels(names, limit=14), strict=True):
        look = looks[name]
        axes.plot(
            np.arange(len(means)),
            means[name].to_numpy(float),
            color=look.color,
            marker=look.marker,
            linestyle=look.linestyle,
            label=drawn,
        )
    axes.invert_yaxis()
    axes.margins(x=0.06, y=0.08)
    axes.grid(axis="y")
    axes.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=3 if len(names) != 4 else 4,
    )


def _intervals(places: pd.DataFrame) -> list[str]:
    many = len(places) > 7
    return [
        f"{row.low:.2g}–{row.high:.2g}" + ("" if many else f"\n({row.n_tasks} tasks)")
        for row in records(places)
    ]


def _words(means: pd.DataFrame, places: pd.DataFrame) -> str:
    parts = []
    for (_, row), place in zip(means.iterrows(), records(places), strict=True):
        if row.notna().any():
            best = str(row.idxmin())
            parts.append(
                f"{place.low:.2g} to {place.high:.2g} ({place.n_tasks} tasks): "
                f"{clean(best)} with {row[best]:.2f}"
            )
    return (
        f"Lines of the weighted mean rank of {means.shape[1]} algorithms over strata of the task's "
        f"median score. Best in each stratum: {'; '.join(parts)}."
    )
