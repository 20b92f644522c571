"""Construction and query times over the number of training instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from numpy.typing import NDArray

from occstats.errors import FigureError
from occstats.figures._base import (
    COLOURED,
    Plot,
    choose_algorithms,
    format_logarithms,
    require_columns,
)
from occstats.figures._labels import clean
from occstats.figures._style import ArtistOptions, Palette, Width

_PANELS = {"fit_seconds": "construction time (s)", "query_seconds": "query time (s)"}


def times(
    frame: pd.DataFrame,
    *,
    algorithms: int | Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    palette: Palette | None = None,
    figure: FigureBase | None = None,
    width: Width = "page",
    note: bool = True,
) -> NDArray[Any]:
    r"""Draw construction and query times over :math:`n`, both axes logarithmic.

    Lines join the means over repetitions, bands reach from the fastest to the slowest. A time of
    order :math:`n^c` is a straight line of slope :math:`c`; the dotted guide has slope 1.

    Parameters
    ----------
    frame : DataFrame
        One row per measurement: ``descriptor`` (text), ``n`` (number of training instances),
        ``fit_seconds``, ``query_seconds`` and, optionally, ``repetition`` and ``n_queries``.
        ``query_seconds`` is the time of the whole batch; with ``n_queries`` it is divided by it
        and shown per query. Missing times (failed, out of memory) are left out of the line.
    algorithms, labels, highlight, palette : optional
        Algorithms to draw, their order, labels and colours; see `occstats.figures`.
    figure, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Returns
    -------
    ndarray of Axes
        One for each panel.

    Examples
    --------
    >>> import pandas as pd
    >>> from occstats import figures
    >>> frame = pd.DataFrame({"descriptor": "NND", "n": [64, 128], "repetition": 0,
    ...                       "fit_seconds": [0.001, 0.002], "query_seconds": [0.01, 0.02]})
    >>> axes = figures.times(frame)
    """
    with Plot(figure, width, note) as plot:
        require_columns(frame, ("descriptor", "n", *_PANELS), "times")
        table = _per_query(frame)
        everyone = [str(name) for name in dict.fromkeys(table["descriptor"])]
        names = choose_algorithms(algorithms, everyone, COLOURED)
        plot.style(everyone, labels, highlight, palette)
        if isinstance(algorithms, int | None) and len(names) < len(everyone):
            text = f"The first {len(names)} of {len(everyone)} descriptors."
            plot.note(text, notice=True)
        narrow = plot.inches < 4.5
        rows, columns = (2, 1) if narrow else (1, 2)
        whole, panels = plot.subplots(4.5 if narrow else 3.0, rows, columns, sharex=True)
        for axes, (column, text) in zip(panels, _PANELS.items(), strict=True):
            _panel(axes, plot, table, column, names)
            per_query = column == "query_seconds" and "n_queries" in frame
            axes.set_ylabel("query time per instance (s)" if per_query else text)
            if not narrow or column == "query_seconds":
                axes.set_xlabel("training instances n")
        for axes in panels:
            format_logarithms(axes.xaxis)
            format_logarithms(axes.yaxis)
            axes.grid()
        plot.legend(whole, names)
        return plot.finish_panels(panels, _alternative_text(table, names))


def _per_query(frame: pd.DataFrame) -> pd.DataFrame:
    table = frame.copy()
    table["descriptor"] = table["descriptor"].astype(str)
    for column in ("n", *_PANELS, *({"n_queries"} & set(frame.columns))):
        table[column] = pd.to_numeric(table[column], errors="coerce")
    if "n_queries" in table:
        table["query_seconds"] = table["query_seconds"] / table["n_queries"]
    # A logarithmic axis cannot show the zeros of a coarse clock.
    table[list(_PANELS)] = table[list(_PANELS)].where(table[list(_PANELS)] > 0)
    table = table[table["n"] > 0]
    if table[list(_PANELS)].isna().all(axis=None):
        raise FigureError(
            "times has no positive fit_seconds or query_seconds to draw: measure some first "
            "(occstats time)"
        )
    return table


def _panel(axes: Axes, plot: Plot, table: pd.DataFrame, column: str, names: list[str]) -> None:
    for name in names:
        look, rows = plot.look(name), table[table["descriptor"] == name].dropna(subset=[column])
        if rows.empty:
            continue
        found = rows.groupby("n")[column].agg(["min", "mean", "max"])
        style: ArtistOptions = {"marker": look.marker, "ls": look.linestyle, "ms": 3.2, "mew": 0}
        axes.plot(found.index, found["mean"], color=look.color, lw=1.0, **style)
        band: ArtistOptions = {"color": look.color, "alpha": 0.18, "lw": 0}
        axes.fill_between(found.index, found["min"], found["max"], **band)
    drawn = table[table["descriptor"].isin(names)]
    ends = drawn["n"].agg(["min", "max"]).to_numpy(float)
    if drawn[column].notna().any() and ends[0] < ends[1]:
        guide = drawn[column].max() * ends / ends[1]
        axes.plot(ends, guide, color="#999999", lw=0.7, ls=":", zorder=0)
        text: ArtistOptions = {"fontsize": "small", "color": "#777777"}
        axes.annotate("∝ n", (ends[0], guide[0]), (0, 4), textcoords="offset points", **text)


def _alternative_text(table: pd.DataFrame, names: list[str]) -> str:
    largest = table["n"].max()
    at = table[table["n"] == largest].groupby("descriptor")[list(_PANELS)].mean().reindex(names)
    text = (
        f"Construction and query times of {len(names)} descriptors over training sets of "
        f"{table['n'].min():,.0f} to {largest:,.0f} instances, on logarithmic axes."
    )
    for column, word in (("fit_seconds", "construct"), ("query_seconds", "query")):
        seconds = at[column].dropna()
        if len(seconds):
            text += (
                f" At the largest size the fastest to {word} is {clean(seconds.idxmin())} "
                f"({_seconds(seconds.min())}), the slowest {clean(seconds.idxmax())} "
                f"({_seconds(seconds.max())})."
            )
    return text


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
