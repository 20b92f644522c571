"""From a results table to an answer: who is better, how sure, by how much, on which tasks.

>>> from occstats.comparison import Settings
>>> Settings(test="ds").test
'ds'
"""

import lazy_loader

# The names are listed in the stub beside this file.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
