"""The same figure of several comparisons, side by side: metrics, suites, seeds."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib

from occstats._checks import check_choice
from occstats.figures.canvas import Drawing, Sheet, alt_text, describe
from occstats.figures.registry import FIGURES
from occstats.figures._style import FigureError, Preset, preset
from occstats.figures.svg import root_figure

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["side_by_side"]

_OFFERED = [name for name, entry in FIGURES.items() if entry.feeds_on == "comparison"]


def side_by_side(
    comparisons: Mapping[str, Comparison],
    name: str,
    *,
    columns: int | None = None,
    width: str | float | Preset = "page",
    height: float | None = None,
    **options: Any,
) -> Drawing:
    """Draw one figure of several comparisons beside each other, each under its title.

    Parameters
    ----------
    comparisons : dict of str to Comparison
        What stands above each panel, and the comparison: of several metrics, suites, years.
    name : str
        Which figure of a comparison, such as ``"critical_difference"``.
    columns : int, optional
        Panels in a row; by default all.
    width : str, float or Preset
        Width of the whole.
    height : float, optional
        Height of the whole in inches; by default what the highest panel of each row needs.
    **options
        Options of the figure.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import occstats
    >>> results = occstats.load_results("lenz2021")
    >>> several = {
    ...     "all": occstats.compare(results, n_resamples=100),
    ...     "four": occstats.compare(results, algorithms=["ALP", "SVM", "IF", "MD"],
    ...                              n_resamples=100),
    ... }
    >>> figure = occstats.figures.side_by_side(several, "mean_ranks")
    >>> len(figure.subfigs)
    2
    """
    check_choice("name", name, _OFFERED)
    if not comparisons:
        raise FigureError("side_by_side needs at least one comparison; got none")
    function = FIGURES[name].function()
    whole = preset(width)
    across = min(len(comparisons), columns or len(comparisons))
    part = whole.width / across
    alone = [
        root_figure(function(comparison, **{**options, "width": part, "title": title}))
        for title, comparison in comparisons.items()
    ]
    # The paper that each needs by itself is what it gets.
    rows = [alone[start : start + across] for start in range(0, len(alone), across)]
    heights = [max(float(figure.get_figheight()) for figure in row) for row in rows]
    sheet = Sheet(whole, height or sum(heights))
    places = sheet.subfigures(len(rows), across, squeeze=False, height_ratios=heights).ravel()
    on_axes = "ax" in inspect.signature(function).parameters
    with matplotlib.rc_context(sheet.settings):
        for place, (title, comparison) in zip(places, comparisons.items(), strict=False):
            where = {"ax": place.add_subplot()} if on_axes else {"figure": place}
            function(comparison, **{**options, **where, "title": title})
    words = zip(comparisons, map(alt_text, alone), strict=True)
    describe(sheet, " ".join(f"{title}: {text}" for title, text in words))
    return sheet
