"""The report as one self-contained HTML page: no network, no foreign script, names stay text."""

from occstats.report.page.page import render

__all__ = ["render"]
