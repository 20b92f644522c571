"""The results table: the contract between what produces scores and what compares them."""

import lazy_loader

# The names are listed in the stub beside this file.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
