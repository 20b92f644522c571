"""The results table: the contract between what produces scores and what compares them."""

from occstats._lazy import attach

# The names are listed in the stub beside this file.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
