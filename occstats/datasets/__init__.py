"""Datasets from files and from scikit-learn, and the catalogue of the paper's fifty."""

from occstats.datasets.dataset import (
    BUILTIN,
    Dataset,
    Source,
    data_files,
    fingerprint,
    from_frame,
    load_builtin,
    open_source,
    read_dataset,
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
