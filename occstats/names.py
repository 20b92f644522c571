"""Moved to `occstats.text`."""

from occstats.text import did_you_mean, listing, printable

__all__ = ["did_you_mean", "listing", "printable"]
