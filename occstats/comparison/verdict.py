"""Moved to `occstats.comparison.words.verdict`."""

from occstats.comparison.settings import Settings
from occstats.comparison.words.verdict import ROW_FAMILY_NOTE, claims

__all__ = ["ROW_FAMILY_NOTE", "claims", "describe_test"]


def describe_test(settings: Settings) -> str:
    """The test, its side and its correction as a phrase."""
    return settings.test_in_words
