"""Tables found in public repositories after the reading code was finished, and what it did."""

from __future__ import annotations


def page() -> str:
    """Return the section of the page on published tables."""
    return ""
