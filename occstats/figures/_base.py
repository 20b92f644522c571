"""What a figure draws with: names, looks, labels, paper and note, as the user asked for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D
from matplotlib.text import Text

from occstats.figures.canvas import Drawing, Sheet, describe, width_of, write_note
from occstats.figures.options import Options
from occstats.figures.selection import chosen_algorithms, known_algorithm, ordered, told_apart
from occstats.figures._style import FigureError, SeriesStyle, ink, preset, series_styles
from occstats.figures._labels import clean, escape, fitted, label

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["Pen"]

_FADED = "#B5B5B5"


class Pen:
    """Hands a figure its names, looks, labels and paper, and finishes it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.preset = preset(options.width)
        given: Drawing | None = options.ax if options.ax is not None else options.figure
        self.given = given
        self.inches = self.preset.width if given is None else width_of(given)
        self._target: Drawing | None = given
        self._looks: dict[str, SeriesStyle] = {}
        self._everyone: list[str] = []
        self._notes: list[str] = []
        self._key: dict[str, str] = {}
        self._words = ""

    # -- names and looks --------------------------------------------------------------------------

    def series(
        self,
        comparison: Comparison,
        limit: int,
        first: Sequence[str] = (),
        why: str = "The best",
        *,
        ranked: Sequence[str] | None = None,
    ) -> list[str]:
        """Return the algorithms to draw, in order; at most about `limit` unless they were named.

        Those named `first` go before the best of the others; the note says `why`. Best first is
        the order of the summary table unless `ranked` has another one.
        """
        table = [str(name) for name in comparison.summary["algorithm"]]
        ranked = table if ranked is None else ranked
        options = self.options
        preferred = [*first, *(name for name in ranked if name not in first)]
        chosen = chosen_algorithms(options.algorithms, preferred, limit, options.show)
        if options.algorithms is None and len(chosen) < len(table):
            self.note(f"{why} {len(chosen)} of {len(table)} algorithms.")
        # An algorithm looks the same in every figure, so that the table's order decides.
        self.name(told_apart(table, chosen))
        return ordered(
            comparison, chosen, options.order, ranked if options.algorithms is None else chosen
        )

    def name(self, everyone: Sequence[str]) -> None:
        """Give everyone a look, whether drawn or not: the same look in every selection."""
        options = self.options
        self._everyone = list(everyone)
        for option in ("labels", "hue", "highlight"):
            named = getattr(options, option) or ()
            for name in [named] if isinstance(named, str) else named:
                known_algorithm(name, self._everyone, option)
        families = [self._family(name) for name in everyone]
        for key in options.palette if isinstance(options.palette, Mapping) else ():
            known_algorithm(key, [*dict.fromkeys(families)], "palette:")
        looks = series_styles(dict.fromkeys(families), options.palette, options.theme)
        own = series_styles(everyone, None, options.theme)
        self._looks = {
            name: SeriesStyle(
                self._colour(name, looks[family]), own[name].marker, own[name].linestyle
            )
            for name, family in zip(everyone, families, strict=True)
        }

    def _family(self, name: str) -> str:
        return name if self.options.hue is None else str(self.options.hue.get(name, "other"))

    def _colour(self, name: str, look: SeriesStyle) -> str:
        return look.color if self.highlighted(name) in (None, True) else _FADED

    def highlighted(self, name: str) -> bool | None:
        """Whether a name is to stand out; None where none is."""
        wanted = self.options.highlight
        if wanted is None:
            return None
        return name in ([wanted] if isinstance(wanted, str) else wanted)

    def look(self, name: str) -> SeriesStyle:
        """Return the colour, marker and line of an algorithm."""
        return self._looks[name]

    def plain_look(self, name: str) -> SeriesStyle:
        """Return one look for all algorithms, unless the user asked for colours."""
        return self._looks[name if self.coloured else self._everyone[0]]

    @property
    def coloured(self) -> bool:
        """Whether the user asked for colours that tell algorithms apart."""
        options = self.options
        return any(asked is not None for asked in (options.hue, options.palette, options.highlight))

    @property
    def ink(self) -> str:
        """The colour of letters and lines."""
        return ink()

    @property
    def paper(self) -> str:
        """The colour behind the picture."""
        return str(matplotlib.rcParams["axes.facecolor"])

    @property
    def faded(self) -> str:
        """The colour of what stands back."""
        return _FADED

    # -- labels -----------------------------------------------------------------------------------

    def called(self, name: str) -> str:
        """Return what the user calls an algorithm, not yet ready to be drawn."""
        return str((self.options.labels or {}).get(name, name))

    def label(self, name: str, limit: int = 24) -> str:
        """Return one name ready to be drawn in the middle of a text."""
        return label(self.called(name), limit)

    def labels(
        self, names: Sequence[str], inches: float, *, lines: int = 1, size: str | float = "medium"
    ) -> list[str]:
        """Return labels that fit: whole, wrapped, shortened, or numbered with a key in the note."""
        drawn, key = fitted(
            [clean(self.called(name)) for name in names], inches, size=size, lines=lines,
            known=self._key,
        )  # fmt: skip
        self._key |= key
        return [escape(text) for text in drawn]

    def row_names(self, names: Sequence[str], *, roomy: bool) -> list[str]:
        """Return names for the left of rows: two fifths of the width, two lines where roomy."""
        size = matplotlib.rcParams["ytick.labelsize"]
        return self.labels(names, 0.4 * self.inches, lines=2 if roomy else 1, size=size)

    def write_rows(self, axes: Axes, names: Sequence[str], drawn: Sequence[str]) -> None:
        """Write the names at the left of their rows."""
        axes.set_yticks(range(len(names)), drawn, linespacing=1.1)
        self.emphasise(axes.get_yticklabels(), names)

    def emphasise(self, texts: Sequence[Text], names: Sequence[str]) -> None:
        """Print the names that stand out in bold."""
        for text, name in zip(texts, names, strict=True):
            if self.highlighted(name):
                text.set_fontweight("bold")

    # -- paper ------------------------------------------------------------------------------------

    def axes(self, height: float) -> Axes:
        """Return the user's axes, or the only axes of a new sheet so many inches high."""
        if isinstance(self.given, Axes):
            return self.given
        return self.sheet(height).add_subplot()

    def sheet(self, height: float) -> FigureBase:
        """Return the user's figure or subfigure, or a new sheet so many inches high."""
        if isinstance(self.given, FigureBase):
            return self.given
        asked = self.options.height
        if asked is not None and not 0.5 <= asked <= 40:
            raise FigureError(f"height must be between 0.5 and 40 inches; got {asked!r}")
        sheet = Sheet(self.preset, height if asked is None else asked, self.options.theme)
        self._target = sheet
        return sheet

    def note(self, text: str) -> None:
        """Add a sentence to the note below the figure."""
        self._notes.append(text)

    def describe(self, text: str) -> None:
        """Set the alternative text."""
        self._words = text

    def finish(self) -> Drawing:
        """Write title, key of colours, note and alternative text, and return the drawing."""
        target = self._target
        assert target is not None
        if self.options.title is not None:
            title = escape(clean(self.options.title))
            target.set_title(title) if isinstance(target, Axes) else target.suptitle(title)
        if self.options.hue is not None:
            self._families_key(target)
        key = "  ".join(f"{number}\u00a0{escape(name)}" for number, name in self._key.items())
        lines = [" ".join(self._notes) if self.options.note else "", key]
        write_note(
            target, "\n".join(filter(None, lines)), height_given=self.options.height is not None
        )
        describe(target, self._words)
        return target

    def _families_key(self, target: Drawing) -> None:
        families = {
            self._family(name): self._looks[name].color for name in reversed(self._everyone)
        }
        handles = [
            Line2D([], [], ls="", marker="s", color=colour, label=label(family, 24))
            for family, colour in reversed(families.items())
        ]
        columns = min(len(handles), 3)
        if isinstance(target, Axes):
            kept = target.get_legend()
            target.legend(handles=handles, loc="best", fontsize="small")
            if kept is not None:
                target.add_artist(kept)
        else:
            target.legend(handles=handles, loc="outside upper center", ncols=columns)
