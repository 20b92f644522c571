"""Compare algorithms: decisions, effect sizes, robustness, and the text about them.

>>> from occstats.comparison import Settings
>>> Settings(test="ds").test
'ds'
"""

import lazy_loader

# The names are listed in the stub of this file.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
