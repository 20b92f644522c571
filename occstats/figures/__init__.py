"""Camera-ready figures of a comparison, of a tuning sweep and of run times.

Each figure is a function: a comparison (or a tidy frame) in, a Matplotlib figure out.

>>> from occstats import figures
>>> sorted(figures.FIGURES)[:3]
['alp_diagram', 'alp_example', 'critical_difference']

`comparison.plot` offers those of a comparison as methods; `save` writes any of them as PDF, SVG,
PNG or PGF with reproducible bytes and alternative text. Matplotlib is imported when first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from occstats.figures.registry import FIGURES, FigureEntry

if TYPE_CHECKING:
    from occstats.figures.accessor import Plotter
    from occstats.figures.alp_scheme import alp_diagram
    from occstats.figures.alp_worked_example import alp_example
    from occstats.figures.canvas import alt_text
    from occstats.figures.critical_difference_diagram import critical_difference
    from occstats.figures.difficulty_strata import strata
    from occstats.figures.hyperparameter_sweep import sweep
    from occstats.figures.kendall_heat_map import kendall
    from occstats.figures.mean_rank_intervals import mean_ranks
    from occstats.figures.paired_scatter import scatter
    from occstats.figures.pairwise_matrix import pairwise
    from occstats.figures.rank_frequencies import ranks
    from occstats.figures.regression_forest import regression
    from occstats.figures.run_times import times
    from occstats.figures.saving import save
    from occstats.figures.score_distributions import distributions
    from occstats.figures.style import PRESETS, FigureError
    from occstats.figures.svg import svg_markup

__all__ = [
    "FIGURES",
    "PRESETS",
    "FigureEntry",
    "FigureError",
    "Plotter",
    "alp_diagram",
    "alp_example",
    "alt_text",
    "critical_difference",
    "distributions",
    "kendall",
    "mean_ranks",
    "pairwise",
    "ranks",
    "regression",
    "save",
    "scatter",
    "strata",
    "svg_markup",
    "sweep",
    "times",
]

_ELSEWHERE = {
    "Plotter": "accessor",
    "alt_text": "canvas",
    "save": "saving",
    "svg_markup": "svg",
    "PRESETS": "style",
    "FigureError": "style",
}


def __getattr__(name: str) -> Any:
    if name in FIGURES:
        return FIGURES[name].function()
    if name in _ELSEWHERE:
        return getattr(import_module(f"occstats.figures.{_ELSEWHERE[name]}"), name)
    raise AttributeError(f"module 'occstats.figures' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
