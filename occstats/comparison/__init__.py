"""Compare algorithms: decisions, effect sizes, robustness, and the text about them.

>>> from occstats.comparison import Settings
>>> Settings(test="ds").test
'ds'
"""

from occstats._lazy import attach

# The names are listed in the stub of this file.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
