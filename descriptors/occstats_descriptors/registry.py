"""Name → class: the only list of the nine descriptors."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from occstats_descriptors.base import Descriptor

__all__ = ["DESCRIPTORS", "make"]

_PLACES = {
    "NND": "nnd",
    "LNND": "lnnd",
    "LOF": "lof",
    "MD": "mahalanobis",
    "SVM": "svm",
    "IF": "isolation_forest",
    "EIF": "extended_isolation_forest",
    "SAE": "shrink_autoencoder",
    "ALP": "alp",
}


def _found() -> dict[str, type[Descriptor]]:
    found = {}
    for name, place in _PLACES.items():
        try:
            found[name] = getattr(import_module(f"occstats_descriptors.{place}"), name)
        except ModuleNotFoundError:
            continue
    return found


DESCRIPTORS: dict[str, type[Descriptor]] = _found()


def make(name: str, **parameters: Any) -> Any:
    """
    Make a descriptor from its name, or any outlier detector from its import path.

    Parameters
    ----------
    name : str
        One of `DESCRIPTORS`, in any case, or ``"package.module:Class"``.
    **parameters
        Parameters of the constructor.

    Returns
    -------
    estimator
        An unfitted descriptor; for an import path, one whose scores are high for the target class.

    Examples
    --------
    >>> from occstats_descriptors import make
    >>> make("ALP", k=5)
    ALP(k=5)
    """
    if ":" in name:
        from occstats_descriptors.external import make_external

        return make_external(name, **parameters)
    if name.upper() not in DESCRIPTORS:
        raise ValueError(
            f"Unknown descriptor {name!r}: choose among {', '.join(DESCRIPTORS)}, "
            "or name a class by its import path, such as 'pyod.models.ecod:ECOD'."
        )
    return DESCRIPTORS[name.upper()](**parameters)
