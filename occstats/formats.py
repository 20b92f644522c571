"""Moved to `occstats.text`."""

from occstats.text import ABSENT, decimals, integer, p_value, percent, significant
from occstats.text import word as text

__all__ = ["ABSENT", "decimals", "integer", "p_value", "percent", "significant", "text"]
