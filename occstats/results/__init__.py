"""The results table: the contract between what produces scores and what compares them."""

from occstats.results.loading import load_results
from occstats.results.table import Results

__all__ = ["Results", "load_results"]
