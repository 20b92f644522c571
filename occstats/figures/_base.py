"""The common parts of figures: algorithms and their labels, axes, notes, marks and decisions.

A figure opens a `Plot` with its options, selects its algorithms, asks for axes and draws on them::

    with Plot(ax, width, note) as plot:
        names = plot.algorithms(comparison, ROWS, algorithms, order, labels, highlight)
        axes = plot.rows(names)
        ...
        return plot.finish(axes, "Alternative text.")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal, Self, TypeAlias

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.figure import Figure, FigureBase
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
from numpy.typing import ArrayLike, NDArray

from occstats._checks import check_choice, check_integer
from occstats._format import did_you_mean, listing, minus_signs
from occstats.comparison import Comparison
from occstats.comparison.text.verdict import short_names, subject_of
from occstats.errors import FigureError
from occstats.figures._labels import clean, escape, fitted, label, measure, wrap
from occstats.figures._style import (
    BLUE,
    FADED,
    Palette,
    SeriesStyle,
    Width,
    preset,
    recall,
    remember,
    root_figure,
    series_styles,
    settings,
)
from occstats.results.aliases import score_word

Order: TypeAlias = Literal["rank", "name", "similarity"] | Sequence[str]

# At most this many algorithms are drawn by default: one row or panel each, or told apart by colour
# and marker (the paper has nine).
ROWS, COLOURED = 30, 9
# The distance of lines would otherwise depend on the font.
LINE_SPACING = 1.1

_PYPLOT: ContextVar[bool] = ContextVar("pyplot", default=True)


@contextmanager
def without_pyplot() -> Iterator[None]:
    """Make new figures without pyplot: files need neither a display nor an open figure."""
    token = _PYPLOT.set(False)
    try:
        yield
    finally:
        _PYPLOT.reset(token)


class Plot:
    """Draw one figure in its style: select algorithms, make axes, add the note.

    `where` is the user's axes or figure, drawn on under the user's settings, or None for a new
    figure; the other parameters are documented in `occstats.figures`.
    """

    def __init__(self, where: Axes | FigureBase | None, width: Width, note: bool = True) -> None:
        if where is not None and not isinstance(where, Axes | FigureBase):
            raise FigureError(
                "ax must be Matplotlib axes, and figure a Matplotlib figure or subfigure; "
                f"got {where!r}"
            )
        chosen = preset(width)
        self.given = where
        self.inches = chosen.width
        if where is not None:
            # Matplotlib's stubs do not know the box of a figure.
            given: Any = where
            self.inches = float(given.bbox.width / root_figure(where).dpi)
        # Even in the user's style, TeX must not interpret names.
        self._settings: dict[Any, Any] = {"text.usetex": False}
        if where is None:
            self._settings = settings(chosen)
        self._context = matplotlib.rc_context(self._settings)
        # In a figure of the user, a note would cover neighbouring axes.
        self._shows_note = note and where is None
        self._new: Figure | None = None
        self._notes: list[str] = []
        self._notices: list[str] = []
        self._looks: dict[str, SeriesStyle] = {}
        self._called: dict[str, str] = {}
        self._highlight: Sequence[str] | None = None

    def __enter__(self) -> Self:
        if self.given is None and _PYPLOT.get():
            import matplotlib.pyplot as plt

            # Load the backend here: that of a notebook changes settings, which the context of
            # ours would undo.
            plt.draw_if_interactive()  # type: ignore[no-untyped-call]
        self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)

    # -- algorithms --------------------------------------------------------------------------------

    def algorithms(
        self,
        comparison: Comparison,
        limit: int,
        algorithms: int | Sequence[str] | None,
        order: Order = "rank",
        labels: Mapping[str, str] | None = None,
        highlight: str | Sequence[str] | None = None,
        palette: Palette | None = None,
        *,
        ranked: Sequence[str] | None = None,
        why: str = "The best",
    ) -> list[str]:
        """Return the algorithms to draw, in order: at most `limit` unless the user chose.

        `ranked` replaces the order of the summary table, and `why` explains the choice.
        """
        table = comparison.algorithms
        ranked = table if ranked is None else ranked
        chosen = choose_algorithms(algorithms, ranked, limit)
        named = not isinstance(algorithms, int | None)
        if not named and len(chosen) < len(table):
            self.note(f"{why} {len(chosen)} of {len(table)} algorithms.", notice=True)
        # The order of the table decides, so that an algorithm looks the same in every figure;
        # there are 30 colours.
        alike = set(chosen) <= set(table[:30])
        everyone = table if alike else [*chosen, *(name for name in table if name not in chosen)]
        self.style(everyone, labels, highlight, palette)
        return _ordered(comparison, chosen, order)

    def style(
        self,
        everyone: Sequence[str],
        labels: Mapping[str, str] | None = None,
        highlight: str | Sequence[str] | None = None,
        palette: Palette | None = None,
    ) -> None:
        """Assign label, colour, marker and line to all algorithms, drawn or not."""
        chosen = [highlight] if isinstance(highlight, str) else highlight
        coloured = palette if isinstance(palette, Mapping) else None
        for option, named in (("labels", labels), ("highlight", chosen), ("palette", coloured)):
            for name in named or ():
                known_algorithm(name, everyone, option)
        short, prefix = short_names([*everyone])
        if prefix and labels is None:
            self.note(f"Names without their common prefix {escape(clean(prefix))}.")
        self._called = {**(short if labels is None else {}), **(labels or {})}
        self._highlight = chosen
        self._looks = series_styles(everyone, palette)

    def highlighted(self, name: str) -> bool | None:
        """Tell whether an algorithm is highlighted; None if none is."""
        return None if self._highlight is None else name in self._highlight

    def tint(self, name: str, colour: str = BLUE) -> str:
        """Return a colour that is the same for all algorithms, grey if others are highlighted."""
        return FADED if self.highlighted(name) is False else colour

    def look(self, name: str) -> SeriesStyle:
        """Return the colour, marker and line of an algorithm."""
        look = self._looks[name]
        return replace(look, color=self.tint(name, look.color))

    # -- labels ------------------------------------------------------------------------------------

    def called(self, name: str) -> str:
        """Return the label of an algorithm, neither shortened nor escaped."""
        return clean(self._called.get(name, name))

    def label(self, name: str, inches: float | None = None) -> str:
        """Return a name for one line of a text: whole if it fits, by default, most of the width."""
        return self.labels([name], inches or 0.9 * self.inches)[0]

    def labels(
        self, names: Sequence[str], inches: float, *, lines: int = 1, size: str | float = "medium"
    ) -> list[str]:
        """Return distinct labels that fit: whole, wrapped, or without their middle."""
        called = [self.called(name) for name in names]
        return [escape(text) for text in fitted(called, inches, size=size, lines=lines)]

    def row_labels(self, names: Sequence[str], *, lines: int) -> list[str]:
        """Return labels for rows, which may take two fifths of the width."""
        size = matplotlib.rcParams["ytick.labelsize"]
        if isinstance(self.given, Axes):
            height = self.given.bbox.height / root_figure(self.given).dpi
            line = LINE_SPACING * FontProperties(size=size).get_size_in_points() / 72
            lines = max(min(lines, int(0.9 * height / len(names) / line)), 1)
        return self.labels(names, 0.4 * self.inches, lines=lines, size=size)

    def label_rows(self, axes: Axes, names: Sequence[str], drawn: Sequence[str]) -> None:
        """Write the labels at the left of their rows, the first at the top, with a grid."""
        axes.set_yticks(range(len(names)), drawn, linespacing=LINE_SPACING)
        self.emphasise(axes.get_yticklabels(), names)
        format_rows(axes, len(names))

    def emphasise(self, texts: Sequence[Text], names: Sequence[str]) -> None:
        """Print highlighted names in bold."""
        for text, name in zip(texts, names, strict=True):
            if self.highlighted(name):
                text.set_fontweight("bold")

    def legend(
        self,
        target: Axes | FigureBase,
        names: Sequence[str],
        values: Sequence[str] = (),
        *,
        markers: bool = True,
        lines: bool = True,
    ) -> None:
        """Draw a legend above axes or figure, in as many columns as the names allow."""
        size, handle = matplotlib.rcParams["legend.fontsize"], 0.48
        suffixes = [f"  {value}" for value in values] or [""] * len(names)
        room = self.inches / 2 - handle - max(measure(text, size) for text in suffixes)
        drawn = self.labels(names, room, size=size, lines=2)
        drawn = [text + suffix for text, suffix in zip(drawn, suffixes, strict=True)]
        widest = max(measure(text, size) for text in drawn) + handle
        columns = max(1, min(int(self.inches / widest), len(names)))
        # As few columns as need no further row: three and three rather than four and two.
        columns = -(-len(names) // -(-len(names) // columns))
        rows = -(-len(names) // columns)
        handles = []
        for name, text in zip(names, drawn, strict=True):
            look = self.look(name)
            marker, line = look.marker if markers else "", look.linestyle if lines else ""
            handles.append(Line2D([], [], color=look.color, label=text, marker=marker, ls=line))
        place: dict[str, Any] = {"loc": "outside upper center"}
        if isinstance(target, Axes):
            place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
        legend = target.legend(handles=handles, ncols=columns, **place)
        for entry in legend.get_texts():
            entry.set_linespacing(LINE_SPACING)
        # The tallest column; the axes keep their size.
        heights = [1.3 * (text.count("\n") + 1) + 0.3 for text in drawn]
        self._grow(max(sum(heights[i : i + rows]) for i in range(0, len(heights), rows)) / 10)

    # -- axes --------------------------------------------------------------------------------------

    def axes(self, height: float) -> Axes:
        """Return the user's axes, or the only axes of a new figure of this height in inches."""
        if isinstance(self.given, Axes):
            return self.given
        return self.subplots(height, 1, 1)[1][0]

    def rows(self, names: Sequence[str]) -> Axes:
        """Return axes with a labelled row for each name."""
        many = len(names) > 25
        drawn = self.row_labels(names, lines=1 if many else 2)
        row = 0.23 if any("\n" in text for text in drawn) else 0.196
        axes = self.axes(0.45 + (0.16 if many else row) * len(names))
        self.label_rows(axes, names, drawn)
        return axes

    def subplots(
        self, height: float, rows: int, columns: int, **options: Any
    ) -> tuple[FigureBase, list[Axes]]:
        """Return the figure of this height in inches, and a grid of axes on it, row by row."""
        figure = self.figure(height)
        panels = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
        for axes in panels:
            keep_tick_style(axes)
        return figure, panels

    def panel_each(self, names: Sequence[str], xlabel: str, ylabel: str) -> list[Axes]:
        """Return one small panel per name under its title, all with the same scales."""
        columns = min(3 if self.inches < 4.5 else 5, len(names))
        rows = -(-len(names) // columns)
        size = matplotlib.rcParams["xtick.labelsize"]
        titles = self.labels(names, 0.84 * self.inches / columns, size=size, lines=3)
        # The tallest titles, and no figure taller than a page.
        height = min(0.84 + 0.11 * max(text.count("\n") + 1 for text in titles), 8.4 / rows)
        whole, panels = self.subplots(rows * height + 0.28, rows, columns, sharex=True, sharey=True)
        for axes in panels[len(names) :]:
            axes.remove()
        panels = panels[: len(names)]
        for axes, text in zip(panels, titles, strict=True):
            # Where Matplotlib would place it after measuring all ticks several times.
            axes.set_title(text, y=1.0, fontsize=size, linespacing=LINE_SPACING)
        self.emphasise([axes.title for axes in panels], names)
        # The last panel of a shortened column shows the ticks of the removed one.
        for axes in panels[-columns:]:
            axes.tick_params(labelbottom=True)
        # Below the middle panel, or between the middle two.
        middle, even = divmod(len(names) - (rows - 1) * columns - 1, 2)
        panels[(rows - 1) * columns + middle].set_xlabel(xlabel, x=1.05 if even else 0.5)
        whole.supylabel(ylabel, fontsize="medium")
        return panels

    def figure(self, height: float) -> FigureBase:
        """Return the user's figure or subfigure, or a new figure of this height in inches."""
        if isinstance(self.given, FigureBase):
            return self.given
        if self.given is not None:
            raise FigureError("figure must be a Matplotlib figure or subfigure; got axes")
        make: Callable[..., Figure] = Figure
        if _PYPLOT.get():
            from matplotlib.pyplot import figure as make
        self._new = make(figsize=(self.inches, height), layout="constrained")
        remember(self._new, settings=self._settings)
        return self._new

    def label_values(
        self, axes: Axes, text: str, share: float = 0.5, *, beside: float = 0.0
    ) -> None:
        """Label the horizontal axis, and give it as many ticks as fit a share of the width.

        `beside` is the width in inches of a column at the right of the axes.
        """
        size, room = matplotlib.rcParams["axes.labelsize"], 0.95 * self.inches - beside
        for joint in (", ", " − "):
            if measure(text, size) > room:
                text = text.replace(joint, f"{joint.rstrip()}\n", 1)
        lines = "\n".join(wrap(line, room, size) for line in text.split("\n"))
        # A text wider than the axes ends with them, so that it stays in the figure.
        wide = measure(lines, size) > share * self.inches
        axes.set_xlabel(lines, loc="right" if wide else "center", linespacing=LINE_SPACING)
        self._grow(0.13 * lines.count("\n"))
        limit_ticks(axes, share * self.inches)

    # -- note and alternative text -----------------------------------------------------------------

    def note(self, text: str, *, notice: bool = False) -> None:
        """Add a sentence to the note below the figure; the command line prints a notice."""
        self._notes.append(text)
        if notice:
            self.notice(text)

    def notice(self, text: str) -> None:
        """Have the command line tell how the figure was drawn."""
        self._notices.append(text)

    def finish(self, axes: Axes, alternative: str) -> Axes:
        """Write the note, attach the alternative text, and return the axes."""
        figure, text = root_figure(axes), " ".join(self._notes)
        notices = (*recall(figure, "notices", ()), *self._notices)
        remember(figure, notices=notices, note=text.replace(r"\$", "$"))
        remember(axes, alternative=minus_signs(" ".join(alternative.split())))
        if self._shows_note and text:
            size = max(float(matplotlib.rcParams["font.size"]) - 1.5, 6.0)
            # Backends measure letters a little differently.
            lines = wrap(text, 0.95 * self.inches, size)
            figure.supxlabel(lines, x=0.01, ha="left", fontsize=size, linespacing=1.15)
            self._grow((lines.count("\n") + 1) * 1.2 * size / 72)
        return axes

    def _grow(self, inches: float) -> None:
        """Make a new figure taller for what is beside the axes, which keep their size."""
        if self._new is not None:
            self._new.set_figheight(self._new.get_figheight() + inches)

    def finish_panels(self, panels: Sequence[Axes], alternative: str) -> NDArray[Any]:
        """Write the note, attach the alternative text, and return the axes as an array."""
        self.finish(panels[0], alternative)
        return np.array(panels, dtype=object)


def keep_tick_style(axes: Axes) -> None:
    """Fix the style of ticks, most of which Matplotlib makes only when it draws."""
    if not _PYPLOT.get():
        # `save` draws under the settings of the figure.
        return
    # Matplotlib's stubs allow only literal names of settings.
    current: Any = matplotlib.rcParams
    names = {"length": "size", "width": "width", "pad": "pad"}
    for axis, which in product("xy", ("major", "minor")):
        style = {option: current[f"{axis}tick.{which}.{name}"] for option, name in names.items()}
        axes.tick_params(axis=axis, which=which, **style)  # type: ignore[arg-type]


# -- selection and order of algorithms -------------------------------------------------------------


def known_algorithm(name: str, known: Sequence[str], option: str = "algorithm") -> str:
    """Return the name of a compared algorithm, or raise with the names that there are."""
    if name not in known:
        raise FigureError(
            f"{option} {name!r} is unknown{did_you_mean(str(name), known)}; "
            f"there are {listing(known)}"
        )
    return name


def chosen_pair(comparison: Comparison, a: str | None, b: str | None) -> tuple[str, str]:
    """Return two different algorithms, by default the control or the best, and the best other."""
    subject = subject_of(comparison)
    ranked = [subject, *(name for name in comparison.algorithms if name != subject)]
    if len(ranked) < 2:
        raise FigureError("a figure of a pair needs two algorithms; this comparison has one")
    first = known_algorithm(a, ranked) if a is not None else next(n for n in ranked if n != b)
    second = known_algorithm(b, ranked) if b is not None else next(n for n in ranked if n != first)
    if first == second:
        raise FigureError(f"a and b must be two different algorithms; got {first!r} twice")
    return first, second


def by_mean_rank(comparison: Comparison) -> list[str]:
    """Return the algorithms sorted by mean rank, whatever the table is sorted by."""
    table = comparison.summary.sort_values("mean_rank", kind="stable")
    return [str(name) for name in table["algorithm"]]


def choose_algorithms(
    wanted: int | Sequence[str] | None, ranked: Sequence[str], limit: int
) -> list[str]:
    """Return the algorithms asked for, or the first of the ranked ones that remain legible.

    >>> len(choose_algorithms(None, range(25), 30)), len(choose_algorithms(None, range(40), 30))
    (25, 30)
    """
    if isinstance(wanted, int | None):
        if wanted is not None:
            check_integer("algorithms", wanted, least=1)
        return list(ranked[: wanted or limit])
    if isinstance(wanted, str):
        raise FigureError(
            f"algorithms must be a number or a list of names; got the text {wanted!r}"
        )
    chosen = [known_algorithm(name, ranked) for name in dict.fromkeys(wanted)]
    if not chosen:
        raise FigureError("algorithms must name at least one algorithm; got an empty list")
    return chosen


def _ordered(comparison: Comparison, names: list[str], order: Order) -> list[str]:
    if not isinstance(order, str):
        first = [known_algorithm(name, comparison.algorithms, "order:") for name in order]
        return [*(n for n in first if n in names), *(n for n in names if n not in first)]
    check_choice("order", order, ("rank", "name", "similarity"))
    if order == "name":
        return sorted(names, key=str.casefold)
    if order == "similarity" and len(names) > 2:
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        distance = np.clip(1 - np.nan_to_num(kendall_square(comparison, names), nan=0.0), 0, None)
        np.fill_diagonal(distance, 0)
        tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
        return [names[leaf] for leaf in leaves_list(tree)]
    return names


def kendall_square(comparison: Comparison, names: list[str]) -> NDArray[np.float64]:
    """Return Kendall's τ of every pair as a full square; the frame may hold one half or both."""
    table = comparison.kendall.pivot(index="a", columns="b", values="tau")
    tau = table.reindex(index=names, columns=names).to_numpy(dtype=float)
    return np.where(np.isnan(tau), tau.T, tau)


# -- ranges and sizes ------------------------------------------------------------------------------


def fence(values: ArrayLike) -> tuple[float, float]:
    """Return the range of an axis: the extremes, without a few values that are far off.

    Far off is beyond five times the distance from the median that holds nine tenths of the
    values: one diverged run must not flatten all others.

    >>> fence([1.0, 2.0, 3.0])
    (1.0, 3.0)
    >>> fence([*range(20), 10_000])
    (0.0, 19.0)
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if not len(finite):
        return 0.0, 1.0
    middle = float(np.median(finite))
    reach = 5 * float(np.quantile(np.abs(finite - middle), 0.9, method="lower"))
    if reach == 0:
        return float(finite.min()), float(finite.max())
    near = finite[np.abs(finite - middle) <= reach]
    return float(near.min()), float(near.max())


def density(
    x: NDArray[np.float64], values: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return a Gaussian kernel density at `x`, with Scott's bandwidth.

    Equals `scipy.stats.gaussian_kde`, whose import takes longer than drawing ten figures.

    >>> density(np.array([0.0]), np.array([-1.0, 1.0])).round(4).tolist()
    [0.233]
    """
    share = np.ones(len(values)) if weights is None else weights
    share = share / share.sum()
    effective = 1 / np.sum(share**2)
    variance = np.sum(share * (values - share @ values) ** 2) / (1 - np.sum(share**2))
    bandwidth = np.sqrt(variance) * effective**-0.2
    kernel = np.exp(-0.5 * ((x[:, None] - values) / bandwidth) ** 2)
    return np.asarray(kernel @ share / (bandwidth * np.sqrt(2 * np.pi)), dtype=float)


def limit_ticks(axes: Axes, inches: float, most: int = 6) -> None:
    """Set at most as many ticks of the horizontal axis as their labels fit a width."""
    size, (low, high) = matplotlib.rcParams["xtick.labelsize"], axes.get_xlim()
    for count in range(most, 0, -1):
        ticks = MaxNLocator(count, steps=[1, 2, 2.5, 3, 4, 5, 10]).tick_values(low, high)
        texts = axes.xaxis.get_major_formatter().format_ticks([*ticks])
        shown = [tick for tick in ticks if low <= tick <= high]
        # Labels need space on both sides.
        room = inches * (ticks[1] - ticks[0]) / (high - low)
        if 1.3 * max(measure(text, size) for text in texts) <= room:
            break
    else:
        # Two ticks are the least; zero, between them, has a line.
        shown = shown[:: max(len(shown) - 1, 1)]
    axes.set_xticks(shown)


def format_logarithms(axis: XAxis | YAxis) -> None:
    """Make an axis logarithmic, with several labelled ticks in less than two decades."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10))))
    axis.set_minor_formatter(NullFormatter())
    low, high = axis.get_view_interval()
    if high < 100 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))


def format_rows(axes: Axes, count: int) -> None:
    """Format axes with one row for each algorithm: the first at the top, a grid for the values."""
    axes.set_ylim(count - 0.5, -0.7)
    axes.grid(axis="x")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def write_column(
    axes: Axes, cells: Sequence[str], heading: str = "", *, bold: Sequence[bool] = ()
) -> float:
    """Write a text for each row in a column at the right of the axes; return its inches."""
    # Points from the axes to the right end of the texts.
    right = 72 * max(measure(cell, "small") for cell in cells) + (6 if any(bold) else 5)
    at_end: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"), "textcoords": "offset points",
        "ha": "right", "va": "center_baseline", "fontsize": "small",
    }  # fmt: skip
    weights = ["bold" if strong else "normal" for strong in bold] or ["normal"] * len(cells)
    for place, (cell, weight) in enumerate(zip(cells, weights, strict=True)):
        axes.annotate(cell, (1.0, place), (right, 0), weight=weight, **at_end)
    if heading:
        axes.annotate(heading, (1.0, -0.85), (right, 0), annotation_clip=False, **at_end)
    return right / 72


# -- marks -----------------------------------------------------------------------------------------


def draw_points(
    axes: Axes,
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    largest: float,
    **options: Any,
) -> None:
    """Draw points whose area is proportional to their column ``weight``, in eight steps.

    Points of one step share a shape, which makes an SVG a tenth as large.
    """
    steps = np.ceil(8 * np.sqrt(table["weight"] / table["weight"].max()))
    for step, part in table.groupby(steps.to_numpy(float)):
        size = (float(str(step)) / 8 * largest) ** 2
        axes.scatter(part[x], part[y], s=size, c=part["colour"], linewidths=0, **options)


def draw_intervals(
    axes: Axes,
    table: pd.DataFrame,
    columns: tuple[str, str, str],
    looks: Sequence[tuple[str, str]],
    *,
    size: float = 5.0,
) -> None:
    """Draw an estimate and its interval (three columns) for each row in a colour and marker."""
    numbers = table[list(columns)].to_numpy(dtype=float)
    for row, ((colour, marker), (value, low, high)) in enumerate(zip(looks, numbers, strict=True)):
        axes.plot([low, high], [row] * 2, color=colour, lw=1.4, solid_capstyle="butt")
        axes.plot(value, row, marker, color=colour, ms=size, mew=0.8)


# -- what comparisons and frames say ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairDecisions:
    """The decision about every pair of some algorithms, as squares in their order.

    A `conclusion` compares the row with the column ("better", "worse", "equivalent", "undecided",
    or None if the pair was not tested), and a `difference` is positive if the row is better.
    `basis` names the level and the test.
    """

    names: tuple[str, ...]
    conclusion: NDArray[np.object_]
    difference: NDArray[np.float64]
    p: NDArray[np.float64]
    basis: str

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Mark the pairs that were tested."""
        return np.asarray(pd.notna(self.conclusion), dtype=bool)

    @property
    def control(self) -> int | None:
        """Return the place of the algorithm that is in every tested pair of three or more."""
        pairs = self.tested.sum(axis=1)
        inside = np.flatnonzero(2 * pairs == pairs.sum())
        return int(inside[0]) if len(self.names) > 2 and pairs.any() and len(inside) else None

    @property
    def differ(self) -> NDArray[np.bool_]:
        """Mark the pairs with a significant difference."""
        return np.isin(self.conclusion.astype(str), ["better", "worse"])

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Mark the tested pairs with no significant difference."""
        return self.tested & ~self.differ


def pair_decisions(comparison: Comparison, names: list[str]) -> PairDecisions:
    """Return the decisions about all pairs of some algorithms; figures read pairs only here."""
    conclusion, p, difference = (
        comparison.matrix(column).loc[names, names].to_numpy()
        for column in ("conclusion", "p", "difference")
    )
    # Where one-sided tests found the column better, the p-value is that of this claim.
    p = np.where((conclusion == "worse") != (comparison.settings.alternative == "less"), p.T, p)
    basis = f"at α\u00a0=\u00a0{comparison.settings.alpha:g} by the {comparison.basis}"
    return PairDecisions(tuple(names), conclusion, difference, p, basis)


def confidence_intervals(comparison: Comparison) -> str:
    """Return the name of the intervals with their level: 95 % confidence intervals."""
    return f"{100 * (1 - comparison.settings.alpha):.4g}\u00a0% confidence intervals"


def score_label(comparison: Comparison) -> str:
    """Return the name of the score as written in prose: AUROC, accuracy."""
    return label(score_word(str(comparison.results.score_name)), 30)


def require_columns(frame: pd.DataFrame, needed: Iterable[str], what: str) -> None:
    """Refuse a frame that lacks a column or has no rows."""
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        raise FigureError(
            f"{what} lacks the column{'s' * (len(missing) > 1)} {listing(missing)}; "
            f"found {listing(map(str, frame.columns)) or 'none'}"
        )
    if not len(frame):
        raise FigureError(f"{what} has no rows: there is nothing to draw")
