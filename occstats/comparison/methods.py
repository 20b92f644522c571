"""Moved to `occstats.comparison.words.methods`."""

from occstats.comparison.words.methods import MethodsText

__all__ = ["MethodsText"]
