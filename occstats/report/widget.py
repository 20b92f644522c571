"""Show one pair of algorithms in a notebook with ipywidgets."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from occstats.errors import ArgumentError, OccstatsError
from occstats.report.pair_data import pair_data

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["pair_picker", "pair_to_html"]


def pair_picker(comparison: Comparison) -> Any:
    """Return two lists of algorithms and, below them, the results of the chosen pair."""
    try:
        import ipywidgets
    except ImportError:
        raise OccstatsError(
            "pick() needs ipywidgets, which is not installed; try: pip install ipywidgets"
        ) from None
    data = pair_data(comparison)
    if data is None:
        raise ArgumentError("pick() needs two or more datasets: with one there is no test")
    options = [(name, position) for position, name in enumerate(data["algorithms"])]
    first = ipywidgets.Dropdown(options=options, value=0, description="first")
    second = ipywidgets.Dropdown(options=options, value=1, description="second")
    shown = ipywidgets.HTML()

    def show(_: Any = None) -> None:
        shown.value = pair_to_html(data, first.value, second.value)

    for choice in (first, second):
        choice.observe(show, names="value")
    show()
    return ipywidgets.VBox([ipywidgets.HBox([first, second]), shown])


def pair_to_html(data: dict[str, Any], a: int, b: int) -> str:
    """Return the sentence about a pair and its measures; every name is escaped."""
    pair = data["pairs"].get(f"{a}-{b}")
    if pair is None:
        return "<p>Choose two different algorithms.</p>"
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left" title="{escape(measure["explanation"])}">'
        f"{escape(measure['label'])}</th><td>{escape(value)}</td><td>{escape(limits)}</td></tr>"
        for measure, (value, limits) in zip(data["measures"], pair["values"], strict=True)
    )
    return f"<p>{escape(pair['sentence'])}</p><table>{rows}</table>"
