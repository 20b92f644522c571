"""The default hyperparameters of the nine descriptors, read from their signatures."""

import inspect
from typing import Any

import pandas as pd

from occstats_descriptors.registry import DESCRIPTORS
from occstats_descriptors.sizes import LogMultiple
from occstats_descriptors.svm import DimensionMultiple

__all__ = ["default_hyperparameters"]

# What the paper tunes; the rest of a signature (metric, threads, seed) is no matter of tuning.
_TUNED = ("k", "l", "nu", "c")


def default_hyperparameters() -> pd.DataFrame:
    """One row per descriptor and hyperparameter, with the default as the paper writes it.

    Examples
    --------
    >>> table = default_hyperparameters()
    >>> table[table["descriptor"] == "ALP"]["default"].tolist()
    ['5.5 log n', '6.0 log n']
    """
    rows = [
        {"descriptor": name, "hyperparameter": parameter.name, "default": _shown(parameter.default)}
        for name, descriptor in DESCRIPTORS.items()
        for parameter in inspect.signature(descriptor).parameters.values()
        if parameter.name in _TUNED
    ]
    return pd.DataFrame(rows, columns=["descriptor", "hyperparameter", "default"])


def _shown(value: Any) -> str:
    if isinstance(value, LogMultiple):
        return f"{value.factor:.1f} log n"
    if isinstance(value, DimensionMultiple):
        return f"{value.factor:.2f} m"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
