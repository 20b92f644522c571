"""What is to be run: a descriptor's name, where it comes from, and its parameters."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from occstats.errors import DataError

__all__ = ["Recipe", "make_recipes"]


@dataclass(frozen=True, eq=False)
class Recipe:
    """A descriptor and its parameters.

    Attributes
    ----------
    name : str
        The name in the results table.
    origin : str
        A name among the nine, or an import path (``pkg.mod:Class``).
    parameters : mapping
        Parameters that differ from the descriptor's defaults.
    by_dataset : mapping
        Data set → parameters that hold for it alone (leave-one-dataset-out choices).
    """

    name: str
    origin: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_dataset: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def parameters_for(self, dataset: str) -> dict[str, Any]:
        """The parameters for one data set."""
        return {**self.parameters, **self.by_dataset.get(dataset, {})}

    def fingerprint(self, dataset: str) -> str:
        """The origin and all parameters as text, for telling configurations apart."""
        parameters = {
            name: repr(value) for name, value in sorted(self.parameters_for(dataset).items())
        }
        return json.dumps([self.origin, parameters])


def make_recipes(
    descriptors: Iterable[str | Recipe] | None = None,
    *,
    by_dataset: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> list[Recipe]:
    """Turn names and import paths into recipes; the nine of the paper by default.

    Parameters
    ----------
    descriptors : iterable of str or Recipe, optional
        Names among the nine, or import paths; a name for the results may stand in front
        (``"mine=pkg.mod:Class"``).
    by_dataset : mapping, optional
        Descriptor → data set → parameters.

    Examples
    --------
    >>> [recipe.name for recipe in make_recipes(["NND", "OCSVM=sklearn.svm:OneClassSVM"])]
    ['NND', 'OCSVM']
    """
    from occstats_descriptors.registry import DESCRIPTORS

    chosen = list(descriptors) if descriptors is not None else list(DESCRIPTORS)
    recipes = [entry if isinstance(entry, Recipe) else _parse(entry) for entry in chosen]
    names = [recipe.name for recipe in recipes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"two descriptors are called {twice[0]!r}; give one another name, "
            f"for example 'other={twice[0]}'"
        )
    if not recipes:
        raise DataError("no descriptors to run")
    choices = by_dataset or {}
    return [
        Recipe(r.name, r.origin, r.parameters, choices[r.name]) if r.name in choices else r
        for r in recipes
    ]


def _parse(text: str) -> Recipe:
    from occstats_descriptors.registry import make

    name, equals, origin = text.partition("=")
    if not equals:
        origin = text
        name = text.rpartition(":")[2]
    try:
        make(origin)  # refuse now, not in a worker
    except (ValueError, ImportError, AttributeError, TypeError) as error:
        raise DataError(f"descriptor {text!r}: {' '.join(str(error).split())}") from error
    return Recipe(name.strip(), origin.strip())
