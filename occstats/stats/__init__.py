"""Statistics for the comparison of algorithms on tasks that come in clusters.

Every function can be used on its own: it takes arrays and returns a small frozen result.
Modules are loaded when one of their names is first used.
"""

from occstats._lazy import attach

# The stub next to this file lists the names.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
