"""Registry of the nine descriptors and their tuned hyperparameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from occstats_descriptors.alp import ALP
from occstats_descriptors.base import Descriptor, construct, did_you_mean
from occstats_descriptors.extended_isolation_forest import EIF
from occstats_descriptors.isolation_forest import IF
from occstats_descriptors.lnnd import LNND
from occstats_descriptors.lof import LOF
from occstats_descriptors.mahalanobis import MD
from occstats_descriptors.nnd import NND
from occstats_descriptors.shrink_autoencoder import SAE
from occstats_descriptors.sizes import Multiple
from occstats_descriptors.svm import SVM

DESCRIPTORS: dict[str, type[Descriptor]] = {
    kind.__name__: kind for kind in (NND, LNND, LOF, MD, SVM, IF, EIF, SAE, ALP)
}
# Descriptor → tuned parameter → name of a grid → meaning of its values (see `Hyperparameter`).
_K = {"k": {"k": "count", "a": "log"}}
_TUNED: dict[str, dict[str, dict[str, str]]] = {
    "NND": _K,
    "LNND": _K,
    "LOF": _K,
    "SVM": {"nu": {"nu": "fraction"}, "c": {"c": "dimension"}},
    "ALP": _K | {"l": {"l": "count", "b": "log"}},
}


@dataclass(frozen=True)
class Hyperparameter:
    """
    A tuned parameter of a constructor.

    The names of the grids that may be given for it are the keys of `scales`; its values are "count"
    (an integer), "log" (times log n), "dimension" (times m) or "fraction" (up to 1).
    """

    name: str
    default: Any
    scales: Mapping[str, str]

    @property
    def text(self) -> str:
        """Return the default as the literature writes it."""
        if isinstance(self.default, Multiple):
            return self.default.text
        return f"{self.default:.2f}" if isinstance(self.default, float) else str(self.default)

    @property
    def point(self) -> tuple[str, float]:
        """Return the default as a point of a grid: the name of its scale and the value on it."""
        if not isinstance(self.default, Multiple):
            return next(iter(self.scales)), self.default
        names = {rule: name for name, rule in self.scales.items()}
        return names[self.default.rule], self.default.factor


def hyperparameters(name: str) -> list[Hyperparameter]:
    """
    Return the tuned parameters of a descriptor; none for a detector of another package.

    Examples
    --------
    >>> from occstats_descriptors.registry import hyperparameters
    >>> [(size.name, size.text, size.point) for size in hyperparameters("ALP")]
    [('k', '5.5 log n', ('a', 5.5)), ('l', '6.0 log n', ('b', 6.0))]
    """
    tuned = _TUNED.get(name.upper(), {})
    defaults = inspect.signature(DESCRIPTORS[name.upper()]).parameters if tuned else {}
    return [Hyperparameter(each, defaults[each].default, tuned[each]) for each in tuned]


def make(name: str, **parameters: Any) -> Any:
    """
    Make a descriptor from its name, or any outlier detector from its import path.

    Parameters
    ----------
    name : str
        One of `DESCRIPTORS`, in any case, or ``"package.module:Class"``, where the class may also
        be a function that returns a detector.
    **parameters
        Parameters of the constructor.

    Returns
    -------
    estimator
        An unfitted descriptor; for an import path, one whose scores are high for the target class.

    Examples
    --------
    >>> from occstats.descriptors import make
    >>> make("ALP", k=5)
    ALP(k=5)
    """
    if ":" in name:
        from occstats_descriptors.external import make_external

        return make_external(name, **parameters)
    if name.upper() not in DESCRIPTORS:
        raise ValueError(
            f"Unknown descriptor {name!r}{did_you_mean(name.upper(), DESCRIPTORS)}: choose among "
            f"{', '.join(DESCRIPTORS)}, or name a class by its import path, such as "
            "'pyod.models.ecod:ECOD'."
        )
    return construct(DESCRIPTORS[name.upper()], parameters)
