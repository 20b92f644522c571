"""The only list of the nine descriptors, and what each says of itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from occstats_descriptors._documentation import references, summary
from occstats_descriptors.alp import ALP
from occstats_descriptors.base import Descriptor
from occstats_descriptors.extended_isolation_forest import EIF
from occstats_descriptors.isolation_forest import IF
from occstats_descriptors.lnnd import LNND
from occstats_descriptors.lof import LOF
from occstats_descriptors.mahalanobis import MD
from occstats_descriptors.neighbour_descriptor import NeighbourDescriptor
from occstats_descriptors.nnd import NND
from occstats_descriptors.shrink_autoencoder import SAE
from occstats_descriptors.sizes import Multiple
from occstats_descriptors.svm import SVM

__all__ = ["DESCRIPTORS", "ENTRIES", "Entry", "Hyperparameter", "make"]


@dataclasses.dataclass(frozen=True)
class Hyperparameter:
    """
    A parameter that is tuned.

    Attributes
    ----------
    name : str
        The parameter of the constructor.
    meaning : str
        What it means, in a sentence.
    default : object
        Its default.
    scales : mapping
        The names in which a grid of it may be given → how a value of the grid becomes the
        parameter: "count", "log" (times log n), "dimension" (times m) or "fraction".
    """

    name: str
    meaning: str
    default: Any
    scales: Mapping[str, str]

    @property
    def text(self) -> str:
        """The default as the literature writes it."""
        if isinstance(self.default, Multiple):
            return self.default.text
        return f"{self.default:.2f}" if isinstance(self.default, float) else str(self.default)

    @property
    def point(self) -> tuple[str, float]:
        """The default as a point of a grid: the name of its scale, and the value on it."""
        if not isinstance(self.default, Multiple):
            return next(iter(self.scales)), self.default
        names = {rule: name for name, rule in self.scales.items()}
        return names[self.default.rule], self.default.factor


@dataclasses.dataclass(frozen=True)
class Entry:
    """
    What there is to know of a descriptor, read off its class.

    Attributes
    ----------
    name : str
        The abbreviation of the literature.
    kind : type
        The class.

    Examples
    --------
    >>> from occstats_descriptors.registry import ENTRIES
    >>> alp = ENTRIES["ALP"]
    >>> alp.title
    'Average localised proximity'
    >>> [(size.name, size.text, size.point) for size in alp.hyperparameters]
    [('k', '5.5 log n', ('a', 5.5)), ('l', '6.0 log n', ('b', 6.0))]
    >>> [entry.name for entry in ENTRIES.values() if entry.is_random]
    ['IF', 'EIF', 'SAE']
    """

    name: str
    kind: type[Descriptor]

    @property
    def title(self) -> str:
        """The name in full."""
        return summary(self.kind)[0]

    @property
    def sentence(self) -> str:
        """What the score is made of."""
        return summary(self.kind)[1]

    @property
    def citations(self) -> tuple[str, ...]:
        """Where the descriptor was published, the first publication first."""
        return references(self.kind)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """The parameters that are tuned."""
        return tuple(
            Hyperparameter(field.name, field.metadata["meaning"], field.default, scales)
            for field in dataclasses.fields(self.kind)
            if (scales := field.metadata["scales"])
        )

    @property
    def is_random(self) -> bool:
        """Whether a seed has an effect."""
        return "random_state" in {field.name for field in dataclasses.fields(self.kind)}

    @property
    def shares_neighbours(self) -> bool:
        """Whether it can take its neighbours from a `NeighbourSearch` shared with others."""
        return issubclass(self.kind, NeighbourDescriptor)


ENTRIES: dict[str, Entry] = {
    kind.__name__: Entry(kind.__name__, kind)
    for kind in (NND, LNND, LOF, MD, SVM, IF, EIF, SAE, ALP)
}
DESCRIPTORS: dict[str, type[Descriptor]] = {name: entry.kind for name, entry in ENTRIES.items()}


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
