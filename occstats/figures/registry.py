"""Every figure by name: the only list of them, readable without importing Matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from occstats.figures.canvas import Drawing

__all__ = ["FIGURES", "FigureEntry"]

Source = Literal["comparison", "sweep", "times", "comparison and times", "nothing"]


@dataclass(frozen=True)
class FigureEntry:
    """Where a figure is drawn, what feeds it, and what it shows in one line."""

    name: str
    module: str
    feeds_on: Source
    shows: str

    @property
    def needs(self) -> tuple[str, ...]:
        """What has to be given, in the order of the function's parameters.

        >>> FIGURES["trade_off"].needs, FIGURES["alp_diagram"].needs
        (('comparison', 'times'), ())
        """
        return () if self.feeds_on == "nothing" else tuple(self.feeds_on.split(" and "))

    @property
    def caption(self) -> str:
        """What it shows, as a title.

        >>> FIGURES["strata"].caption
        'Mean rank by difficulty of the task'
        """
        return self.shows[:1].upper() + self.shows[1:]

    def function(self) -> Callable[..., Drawing]:
        """Import and return the function that draws the figure."""
        found: Callable[..., Drawing] = getattr(
            import_module(f"occstats.figures.{self.module}"), self.name
        )
        return found


# name, module, what feeds it, what it shows
_ENTRIES: tuple[tuple[str, str, Source, str], ...] = (
    ("ranks", "_ranks", "comparison", "how often each algorithm takes each rank"),
    ("mean_ranks", "_mean_ranks", "comparison", "mean ranks with confidence intervals"),
    (
        "critical_difference",
        "_critical_difference",
        "comparison",
        "mean ranks, with bars joining algorithms with no significant difference",
    ),
    ("rank_sets", "_rank_sets", "comparison", "ranks consistent with the decisions"),
    ("letters", "letter_display", "comparison", "groups with no significant difference"),
    (
        "pairwise",
        "_pairwise",
        "comparison",
        "difference, p-value and wins/ties/losses of every pair",
    ),
    ("kendall", "_kendall", "comparison", "weighted Kendall's tau of every pair"),
    ("strata", "_strata", "comparison", "mean rank by difficulty of the task"),
    ("distributions", "_distributions", "comparison", "scores of each algorithm"),
    ("profiles", "_profiles", "comparison", "share of tasks close to the best"),
    ("scatter", "_scatter", "comparison", "two algorithms task by task (the best two)"),
    ("regression", "_regression", "comparison", "effects of the tasks' traits on ranks"),
    (
        "trade_off",
        "_trade_off",
        "comparison and times",
        "score against run time, and who is on the Pareto front",
    ),
    ("sweep", "_sweep", "sweep", "mean score over the hyperparameters"),
    ("times", "_times", "times", "construction and query times over n"),
    ("alp_diagram", "_alp_diagram", "nothing", "how ALP scores a query"),
    ("alp_example", "_alp_example", "nothing", "ALP worked on a toy example"),
)
FIGURES: dict[str, FigureEntry] = {entry[0]: FigureEntry(*entry) for entry in _ENTRIES}
