"""Statistical comparison of algorithms on benchmark tasks that come in clusters.

`compare` compares algorithms, `load_results` reads results tables, `run_experiment` and `tune`
evaluate one-class classifiers.

>>> import occstats
>>> comparison = occstats.compare("lenz2021")  # doctest: +SKIP
"""

from occstats._lazy import attach

# The names are listed in the stub beside this file.
__getattr__, __dir__, __all__ = attach(__name__, __file__)

__version__ = "0.4.0"
__all__ += ["__version__"]
