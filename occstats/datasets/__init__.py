"""Datasets from files and from scikit-learn, and the catalogue of the paper's fifty."""

from occstats.datasets.dataset import Dataset, data_files, from_frame, read_dataset
from occstats.datasets.sources import (
    BUILTIN,
    Source,
    fingerprint,
    load_builtin,
    open_source,
    select,
    spool,
)

__all__ = [
    "BUILTIN",
    "Dataset",
    "Source",
    "data_files",
    "fingerprint",
    "from_frame",
    "load_builtin",
    "open_source",
    "read_dataset",
    "select",
    "spool",
]
