"""Honest comparison of algorithms on benchmark tasks that come in clusters.

The door to the package; heavy libraries are imported by what needs them, when it is used.

>>> import occstats
>>> comparison = occstats.compare("lenz2021")  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from occstats.comparison import Comparison, compare
    from occstats.experiment import run_experiment
    from occstats.results import Results, load_results
    from occstats.tuning import tune

__version__ = "0.2.0"

# name → the module that defines it; looked up on first use
_LAZY = {
    "Comparison": "occstats.comparison",
    "compare": "occstats.comparison",
    "Results": "occstats.results",
    "load_results": "occstats.results",
    "run_experiment": "occstats.experiment",
    "tune": "occstats.tuning",
}

__all__ = [
    "Comparison",
    "Results",
    "__version__",
    "compare",
    "load_results",
    "run_experiment",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'occstats' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
