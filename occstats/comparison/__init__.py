"""From a results table to an answer: who is better, how sure, by how much, on which tasks.

>>> from occstats.comparison import Settings
>>> Settings(test="ds").test
'ds'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from occstats.comparison.settings import Settings

if TYPE_CHECKING:
    from occstats.comparison.pipeline import compare
    from occstats.comparison.result import Comparison

# The command line reads the settings' choices for its help; that must not cost an import of pandas.
_LAZY = {
    "Comparison": "occstats.comparison.result",
    "compare": "occstats.comparison.pipeline",
}

__all__ = ["Comparison", "Settings", "compare"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'occstats.comparison' has no attribute {name!r}")
