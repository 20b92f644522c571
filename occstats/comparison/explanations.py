"""Moved to `occstats.comparison.words.explain`."""

from occstats.comparison.words.explain import EXPLANATIONS, explain

__all__ = ["EXPLANATIONS", "explain"]
