"""The results table: the contract between what produces scores and what compares them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from occstats.results.load import load_results
    from occstats.results.table import Results

__all__ = ["Results", "load_results"]

# Loaded when used: the command line reads the options without pandas.
_HOME = {"Results": "occstats.results.table", "load_results": "occstats.results.load"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
