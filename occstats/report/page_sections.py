"""The sections of the page with their figures and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from occstats.report.page_drawing import inline_svg
from occstats.report.page_views import TableView, table_view

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.report.formatted_table import Table

__all__ = ["Drawing", "Section", "make_sections"]


@dataclass(frozen=True)
class Drawing:
    """A figure: its name, caption and SVG."""

    name: str
    caption: str
    markup: str = field(repr=False)


@dataclass(frozen=True)
class Section:
    """A section; `folded` tables are closed until the reader opens them."""

    name: str
    title: str
    question: str
    figures: list[Drawing]
    tables: list[TableView]
    folded: list[TableView]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.figures or self.tables or self.folded)


@dataclass(frozen=True)
class _Outline:
    name: str
    title: str
    question: str
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()


_OUTLINE = (
    _Outline(
        "summary",
        "Mean ranks and mean scores",
        "Each dataset has equal weight. Intervals of single means are not corrected and do not "
        "decide about pairs.",
        ("mean_ranks", "critical_difference"),
        ("summary",),
    ),
    _Outline(
        "pairs",
        "All pairs",
        "Every pair of algorithms: p-values and the size of the difference. Select a p-value to "
        "see its pair in detail.",
        ("pairwise",),
        ("p_values", "pairwise", "binary"),
        ("effect_sizes",),
    ),
    _Outline(
        "tasks",
        "Ranks by kind of task",
        "How often each rank is reached, how ranks change with the difficulty of a task, and which "
        "traits of a task they depend on.",
        ("ranks", "strata", "regression", "distributions"),
        ("strata", "regression", "rank_frequencies"),
        ("fold_tests",),
    ),
    _Outline(
        "together",
        "Similar and complementary algorithms",
        "Algorithms that succeed on the same tasks add little to each other; those that do not may "
        "be worth combining.",
        ("kendall", "scatter"),
        ("kendall", "complementary_pairs"),
    ),
    _Outline(
        "trust",
        "Robustness",
        "How strongly tasks of a dataset depend on each other, whether the conclusions hold "
        "without one dataset, and which differences a benchmark of this size can detect.",
        (),
        ("influence", "power", "detectable", "diagnostics"),
        ("changes", "leave_one_dataset_out", "leave_one_algorithm_out"),
    ),
    _Outline(
        "classical",
        "Classical tests",
        "Friedman's test and its post-hoc tests treat what they rank as independent: dataset means "
        "may be, tasks that share a dataset are not.",
        (),
        ("friedman",),
        ("classical_pairs",),
    ),
    _Outline(
        "scores",
        "Scores and ranks of all tasks",
        "The best algorithm of each task is in bold.",
        (),
        ("scores",),
        ("ranks",),
    ),
)


def make_sections(
    comparison: Comparison, tables: list[Table], pairs: dict[str, int]
) -> list[Section]:
    """Return the sections; figures and tables without a section of their own come last."""
    views = {t.name: table_view(t, pairs) for t in tables if t.name != "comparison"}
    figures = {drawing.name: drawing for drawing in _draw(comparison)}
    sections = []
    for outline in _OUTLINE:
        sections.append(
            Section(
                outline.name,
                outline.title,
                outline.question,
                [figures.pop(name) for name in outline.figures if name in figures],
                [views.pop(name) for name in outline.tables if name in views],
                [views.pop(name) for name in outline.folded if name in views],
            )
        )
    sections.append(
        Section(
            "more",
            "Further results",
            "Additional figures and tables.",
            list(figures.values()),
            [],
            list(views.values()),
        )
    )
    return [section for section in sections if not section.empty]


def _draw(comparison: Comparison) -> list[Drawing]:
    from occstats.figures import svg_markup
    from occstats.figures.batch import draw_figures

    drawings = []
    for number, drawn in enumerate(draw_figures(comparison)):
        if drawn.figure is None:
            continue
        caption = drawn.entry.caption
        # Matplotlib gives markers and clips of all figures the same names.
        markup = svg_markup(drawn.figure, title=caption)
        drawings.append(
            Drawing(drawn.entry.name, caption, inline_svg(markup, prefix=f"f{number}-"))
        )
    return drawings
