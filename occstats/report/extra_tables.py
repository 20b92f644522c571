"""Tables of what stands behind the answer: dependence in data sets, stability, design, classics."""

from __future__ import annotations
from typing import TYPE_CHECKING
from occstats.report.table import Table

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison


def extra_tables(comparison: Comparison) -> list[Table]:
    return []
