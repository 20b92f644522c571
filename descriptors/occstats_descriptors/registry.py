"""Name → class: the only list of the nine descriptors."""

from __future__ import annotations

from typing import Any

from occstats_descriptors.alp import ALP
from occstats_descriptors.base import Descriptor
from occstats_descriptors.extended_isolation_forest import EIF
from occstats_descriptors.isolation_forest import IF
from occstats_descriptors.lnnd import LNND
from occstats_descriptors.lof import LOF
from occstats_descriptors.mahalanobis import MD
from occstats_descriptors.nnd import NND
from occstats_descriptors.shrink_autoencoder import SAE
from occstats_descriptors.svm import SVM

__all__ = ["DESCRIPTORS", "make"]

DESCRIPTORS: dict[str, type[Descriptor]] = {
    kind.__name__: kind for kind in (NND, LNND, LOF, MD, SVM, IF, EIF, SAE, ALP)
}


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
