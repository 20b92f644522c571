"""The chapters of the page: which question each answers, with which figures and tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from occstats.report.html.drawing import inline_svg
from occstats.report.html.views import TableView, table_view

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison
    from occstats.report.table import Table

__all__ = ["Drawing", "Section", "make_sections"]


@dataclass(frozen=True)
class Drawing:
    """A figure: its caption, the words that stand for it, and the SVG."""

    name: str
    caption: str
    markup: str = field(repr=False)


@dataclass(frozen=True)
class Section:
    """A chapter; `folded` tables are opened by the reader."""

    name: str
    title: str
    question: str
    figures: list[Drawing]
    tables: list[TableView]
    folded: list[TableView]

    @property
    def empty(self) -> bool:
        """Whether the comparison has nothing for it."""
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
        "Who is best",
        "Mean ranks and mean scores, every data set weighing the same, with confidence intervals "
        "over data sets of this kind.",
        ("mean_ranks", "critical_difference"),
        ("summary",),
    ),
    _Outline(
        "pairs",
        "Who beats whom, and by how much",
        "Every pair of algorithms: the test, corrected for the number of tests, and the size of "
        "the difference. Choose a p-value to see its pair in detail.",
        ("pairwise",),
        ("p_values", "pairwise", "binary"),
    ),
    _Outline(
        "tasks",
        "On which kind of task",
        "How often each rank is reached, how ranks change with the difficulty of a task, and what "
        "traits of a task they depend on.",
        ("ranks", "strata", "regression", "distributions"),
        ("strata", "regression", "rank_frequencies"),
        ("fold_tests",),
    ),
    _Outline(
        "together",
        "Who succeeds on the same tasks",
        "Algorithms that find the same tasks easy add little to each other; those that do not may "
        "be worth combining.",
        ("kendall", "scatter"),
        ("kendall", "complementary_pairs"),
    ),
    _Outline(
        "trust",
        "How far to trust it",
        "How much the data sets matter, whether the conclusions would hold without one of them, "
        "and what a benchmark of this size can show at all.",
        (),
        ("influence", "power", "detectable", "diagnostics"),
        ("changes", "leave_one_dataset_out", "leave_one_algorithm_out"),
    ),
    _Outline(
        "classical",
        "What referees ask for",
        "The classical tests take what they rank for independent: means may be, tasks that belong "
        "together are not.",
        (),
        ("friedman",),
        ("classical_pairs",),
    ),
    _Outline(
        "scores",
        "All scores and ranks",
        "Every task, the best algorithm in bold.",
        (),
        ("scores",),
        ("ranks",),
    ),
)


def make_sections(
    comparison: Comparison, tables: list[Table], pairs: dict[str, int]
) -> list[Section]:
    """Fill the chapters; what has no place of its own comes at the end."""
    views = {table.name: table_view(table, pairs) for table in tables}
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
            "more", "More", "Further results.", list(figures.values()), [], list(views.values())
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
        # All figures of a process share Matplotlib's names for markers and clips.
        markup = svg_markup(drawn.figure, title=caption)
        drawings.append(
            Drawing(drawn.entry.name, caption, inline_svg(markup, prefix=f"f{number}-"))
        )
    return drawings
