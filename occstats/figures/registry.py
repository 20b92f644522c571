"""List of the figures, the accessor `comparison.plot`, and drawing several figures by name.

Nothing here imports Matplotlib before a figure is drawn.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

from occstats._checks import check_keywords
from occstats._files import write_folder
from occstats._format import did_you_mean
from occstats.errors import FigureError, ResultsError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from occstats.comparison import Comparison
    from occstats.figures._style import Drawn

__all__ = [
    "FIGURES",
    "DrawnFigure",
    "FigureEntry",
    "FigureError",
    "Plotter",
    "draw_figures",
    "read_frame",
    "wanted_figures",
]

# Options of figures of algorithms; draw_figures passes them only to the figures that take them.
_ALGORITHM_OPTIONS = ("algorithms", "order", "labels", "highlight", "palette")


@dataclass(frozen=True)
class FigureEntry:
    """Name, input and one-line description of a figure.

    `needs` are the first arguments of the function: "comparison", "times", "sweep", or none.
    """

    name: str
    needs: tuple[str, ...]
    shows: str

    @property
    def caption(self) -> str:
        """Return the description as a title.

        >>> FIGURES["strata"].caption
        'Mean rank by difficulty of the task'
        """
        return self.shows[:1].upper() + self.shows[1:]

    def function(self) -> Callable[..., Drawn]:
        """Import and return the function that draws the figure."""
        file = "pairwise" if self.name == "p_values" else self.name
        module = import_module(f"occstats.figures._{file}")
        function: Callable[..., Drawn] = getattr(module, self.name)
        return check_keywords(function)


_SHOWS = {
    "ranks": "frequency of each rank, by algorithm",
    "mean_ranks": "mean ranks with confidence intervals",
    "critical_difference": "mean ranks, and groups without a significant difference",
    "forest": "difference of one algorithm from each rival",
    "pairwise": "difference, p-value and wins/ties/losses of every pair",
    "p_values": "p-value of every pair",
    "kendall": "weighted Kendall's tau of every pair",
    "strata": "mean rank by difficulty of the task",
    "distributions": "scores of each algorithm",
    "profiles": "share of tasks close to the best",
    "scatter": "two algorithms task by task",
    "posterior": "posterior of the mean difference of a pair",
    "dataset_effects": "difference of two algorithms on each dataset",
    "regression": "effects of the tasks' traits on ranks",
    "trade_off": "score against run time, with the Pareto front",
    "sweep": "mean score over the hyperparameters",
    "times": "construction and query times over n",
    "alp_diagram": "how ALP scores a query",
    "alp_example": "ALP worked on a toy example",
}
# What figures need that are not drawn from a comparison alone.
_NEEDS: dict[str, tuple[str, ...]] = {
    "trade_off": ("comparison", "times"), "sweep": ("sweep",), "times": ("times",),
    "alp_diagram": (), "alp_example": (),
}  # fmt: skip
FIGURES: dict[str, FigureEntry] = {
    name: FigureEntry(name, _NEEDS.get(name, ("comparison",)), shows)
    for name, shows in _SHOWS.items()
}
_OF_COMPARISON = [name for name, entry in FIGURES.items() if "comparison" in entry.needs]


@dataclass(frozen=True, eq=False, repr=False)
class Plotter:
    """Draw the figures of a comparison: ``comparison.plot.ranks()``, ``.kendall(ax=axes)`` …

    Every figure in `occstats.figures.FIGURES` that needs a comparison is a method.

    Examples
    --------
    >>> import occstats
    >>> plot = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"]).plot
    >>> plot.mean_ranks().get_xlabel()
    'mean rank (1 = best)'
    """

    comparison: Comparison

    def __repr__(self) -> str:
        return f"<{len(_OF_COMPARISON)} figures of a comparison, such as {_OF_COMPARISON[0]}()>"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _OF_COMPARISON:
            raise AttributeError(
                f"a comparison has no figure {name!r}{did_you_mean(name, _OF_COMPARISON)}; "
                f"the figures are {', '.join(_OF_COMPARISON)}"
            )
        return MethodType(FIGURES[name].function(), self.comparison)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *_OF_COMPARISON])

    def save_all(
        self,
        folder: str | Path,
        *,
        formats: Sequence[str] = ("pdf",),
        force: bool = False,
        **options: Any,
    ) -> list[Path]:
        """Write every figure of the comparison into a folder and return the files.

        The `options` are those of `draw_figures`. A figure that the data do not allow is left out.
        With `force`, files of the same names that occstats did not write are replaced.
        """
        files: dict[str, bytes] = {}
        for drawn in draw_figures(self.comparison, **options):
            files |= drawn.files(formats)
        written = write_folder(folder, files.items(), force=force, keep=True)
        return [written / name for name in files]


@dataclass(frozen=True, eq=False)
class DrawnFigure:
    """A figure with its entry, or the reason why the data do not allow it."""

    entry: FigureEntry
    figure: Figure | None = None
    reason: str = ""
    # What was left out, or drawn in another way.
    notices: tuple[str, ...] = ()

    def files(self, formats: Sequence[str], dpi: float = 300) -> dict[str, bytes]:
        """Return the files of the figure; none if it was not drawn."""
        from occstats.figures._style import render

        if self.figure is None:
            return {}
        entry = self.entry
        return render(self.figure, entry.name, formats, title=entry.caption, dpi=dpi)


def wanted_figures(only: Sequence[str] | None, available: set[str]) -> list[FigureEntry]:
    """Return the figures asked for, or all that the available data allow.

    >>> [entry.name for entry in wanted_figures(None, {"times"})]
    ['times']
    """
    if not only:
        return [e for e in FIGURES.values() if e.needs and available.issuperset(e.needs)]
    entries = []
    for name in dict.fromkeys(only):
        key = name.strip().replace("-", "_").lower()
        if key not in FIGURES:
            # "cd" abbreviates critical_difference.
            initials = {"".join(part[0] for part in name.split("_")): name for name in FIGURES}
            near = did_you_mean(initials.get(key, key), FIGURES)
            raise FigureError(
                f"only: there is no figure {name!r}{near}; the figures are {', '.join(FIGURES)}"
            )
        for needed in FIGURES[key].needs:
            if needed not in available:
                source = "RESULTS" if needed == "comparison" else f"a table: pass {needed}=…"
                raise FigureError(f"figure {key!r} needs {source}")
        entries.append(FIGURES[key])
    return entries


def draw_figures(
    comparison: Comparison | None = None,
    *,
    sweep: pd.DataFrame | None = None,
    times: pd.DataFrame | None = None,
    only: Sequence[str] | None = None,
    title: str | None = None,
    height: float | None = None,
    **options: Any,
) -> Iterator[DrawnFigure]:
    """Draw figures one by one, to be saved: without pyplot, so that none stays open.

    Parameters
    ----------
    comparison, sweep, times
        What to draw from; see the functions of this package.
    only : sequence of str, optional
        Names of figures; by default all that the data allow. A figure asked for by name that
        cannot be drawn raises, as does a table that no figure can be drawn from; otherwise the
        reason is returned in place of the figure.
    title : str, optional
        Title of every figure.
    height : float, optional
        Height of every figure in inches; by default as needed.
    **options
        Options of all figures (`width`, `note`), and of figures of algorithms, for those that
        take them; see `occstats.figures`.

    Examples
    --------
    >>> [drawn.entry.name for drawn in draw_figures(only=["alp-diagram"])]
    ['alp_diagram']
    """
    from occstats.figures import _style
    from occstats.figures._base import without_pyplot
    from occstats.figures._labels import clean, escape

    if height is not None and not 0.5 <= height <= 40:
        raise FigureError(f"height must be between 0.5 and 40 inches; got {height!r}")
    sources = {"comparison": comparison, "sweep": sweep, "times": times}
    available = {name for name, value in sources.items() if value is not None}
    given = {name: value for name, value in options.items() if value is not None}
    # Refused even if none of the figures has colours of algorithms.
    _style.series_styles([], given.get("palette"))
    reasons: dict[str, str] = {}
    for entry in wanted_figures(only, available):
        function = entry.function()
        taken = inspect.signature(function).parameters
        own = {k: v for k, v in given.items() if k in taken or k not in _ALGORITHM_OPTIONS}
        try:
            with without_pyplot():
                drawn = function(*(sources[needed] for needed in entry.needs), **own)
        except FigureError as error:
            if only:
                raise
            reasons |= {name: str(error) for name in entry.needs if name not in reasons}
            yield DrawnFigure(entry, reason=str(error))
        else:
            available -= set(entry.needs)
            figure = _style.root_figure(drawn)
            if height is not None:
                figure.set_figheight(height)
            if title is not None:
                figure.suptitle(escape(clean(title)))
            yield DrawnFigure(entry, figure, notices=_style.recall(figure, "notices", ()))
    for name in available & reasons.keys() & {"sweep", "times"}:
        raise FigureError(f"the table of {name} cannot be drawn: {reasons[name]}")


def read_frame(path: str | Path, what: str) -> pd.DataFrame:
    """Read a tidy frame of run times or of a sweep from CSV or Parquet; names stay text."""
    import pandas as pd

    file = Path(path)
    inside = file / ("curves.csv" if what == "sweep" else "times.csv")
    if inside.is_file():
        raise FigureError(f"{what} takes a file, not a folder; try {str(inside)!r}")
    if file.suffix.lower() not in (".csv", ".parquet"):
        raise FigureError(f"{what} takes a .csv or .parquet file; got {str(path)!r}")
    if not file.is_file():
        raise ResultsError(f"{what}: there is no file {str(path)!r}")
    try:
        if file.suffix.lower() == ".parquet":
            return pd.read_parquet(file)
        text = {"descriptor": str, "metric": str}
        return pd.read_csv(file, dtype=text, keep_default_na=False, na_values=[""])
    except (ValueError, OSError, UnicodeError) as error:
        # pandas and pyarrow explain themselves in several lines.
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ResultsError(f"{what}: cannot read {str(path)!r}: {reason}") from error
