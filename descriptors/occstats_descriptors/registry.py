"""Registry of the nine descriptors and their tuned hyperparameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from occstats_descriptors.alp import ALP
from occstats_descriptors.base import Descriptor, construct, did_you_mean
from occstats_descriptors.extended_isolation_forest import EIF
from occstats_descriptors.isolation_forest import IF
from occstats_descriptors.lnnd import LNND
from occstats_descriptors.lof import LOF
from occstats_descriptors.mahalanobis import MD
from occstats_descriptors.neighbours import NeighbourDescriptor
from occstats_descriptors.nnd import NND
from occstats_descriptors.shrink_autoencoder import SAE
from occstats_descriptors.sizes import Multiple
from occstats_descriptors.svm import SVM

__all__ = ["DESCRIPTORS", "ENTRIES", "Entry", "Hyperparameter", "make"]

Scales = Mapping[str, str]


@dataclass(frozen=True)
class Hyperparameter:
    """
    A tuned parameter of a constructor.

    The names of the grids that may be given for it are the keys of `scales`; its values are "count"
    (an integer), "log" (times log n), "dimension" (times m) or "fraction" (up to 1).
    """

    name: str
    default: Any
    scales: Scales

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


@dataclass(frozen=True)
class Entry:
    """A descriptor, and the scales of its tuned parameters (see `Hyperparameter`)."""

    kind: type[Descriptor]
    tuned: Mapping[str, Scales] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the abbreviation that the literature uses."""
        return self.kind.__name__

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """Return the tuned parameters."""
        defaults = inspect.signature(self.kind).parameters
        return tuple(
            Hyperparameter(name, defaults[name].default, scales)
            for name, scales in self.tuned.items()
        )

    @property
    def shares_neighbours(self) -> bool:
        """Return True if the descriptor can use a `NeighbourSearch` shared with others."""
        return issubclass(self.kind, NeighbourDescriptor)


_K = {"k": {"k": "count", "a": "log"}}
ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(NND, _K),
        Entry(LNND, _K),
        Entry(LOF, _K),
        Entry(MD),
        Entry(SVM, {"nu": {"nu": "fraction"}, "c": {"c": "dimension"}}),
        Entry(IF),
        Entry(EIF),
        Entry(SAE),
        Entry(ALP, _K | {"l": {"l": "count", "b": "log"}}),
    )
}
DESCRIPTORS: dict[str, type[Descriptor]] = {name: entry.kind for name, entry in ENTRIES.items()}


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
