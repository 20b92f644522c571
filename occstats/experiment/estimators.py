"""Specify, make, seed and fit estimators, for runs, sweeps and timings alike."""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats.errors import ArgumentError, DataError
from occstats.experiment.provenance import code_of
from occstats.experiment.tasks import AtMost, size_for_task

# The code that this process has loaded, even if its files change.
_loaded_code = cache(code_of)


@dataclass(frozen=True)
class SeedPolicy:
    """The random state of every fit.

    Parameters
    ----------
    value : int, default 0
        The seed.
    pinned : bool, default True
        Use the value itself for every fit, as in the paper; otherwise derive a seed for each fit
        from the value and the identity of task, fold and descriptor. Either way, scores depend
        neither on the order of the work nor on the number of workers.
    """

    value: int = 0
    pinned: bool = True

    @classmethod
    def parse(cls, text: "str | int | SeedPolicy") -> "SeedPolicy":
        """Read ``"pinned:0"`` (every fit gets 0) or ``"7"`` (each fit derives its own from 7)."""
        if isinstance(text, SeedPolicy):
            return text
        number = str(text).removeprefix("pinned:")
        if not (number.isascii() and number.isdecimal()) or int(number) >= 2**32:
            raise DataError(
                f"seed {text!r}: expected an integer from 0 to 4294967295 (each fit derives its "
                "own seed from it) or 'pinned:0' (every fit gets 0, as in the paper)"
            )
        return cls(int(number), pinned=str(text).startswith("pinned:"))

    def __str__(self) -> str:
        return f"pinned:{self.value}" if self.pinned else str(self.value)

    def seed_of(self, *identity: str | int) -> int:
        """Return the seed of the fit of this dataset, class, fold and descriptor."""
        if self.pinned:
            return self.value
        text = "\0".join(map(str, (self.value, *identity)))
        return int.from_bytes(sha256(text.encode()).digest()[:4], "little")


@dataclass(frozen=True, eq=False)
class Recipe:
    """A descriptor and its parameters.

    Attributes
    ----------
    name : str
        The name in the results table.
    origin : str
        A name among the nine, an import path (``pkg.mod:Class``), or a file (``mine.py:Class``).
    parameters : mapping
        Parameters that differ from the descriptor's defaults.
    by_dataset : mapping
        Dataset → parameters for it alone (leave-one-dataset-out choices).
    order : {"index", "kd-tree"}
        The order of equally distant neighbours: by index, or, as in the paper's experiment, as
        returned by scikit-learn's KD-tree.
    code : str
        The version or hash of the code behind the origin.
    """

    name: str
    origin: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_dataset: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    order: str = "index"
    code: str = ""

    @property
    def search(self) -> object:
        """Return what descriptors that share a neighbour search have in common; None without."""
        return "shared" if shares_search(self.origin) else None

    def parameters_for(self, dataset: str) -> dict[str, Any]:
        """Return the parameters for one dataset."""
        return {**self.parameters, **self.by_dataset.get(dataset, {})}

    def fingerprint(self, dataset: str) -> str:
        """Return code, origin and all parameters as text, to distinguish configurations."""
        parameters = sorted(self.parameters_for(dataset).items())
        given = {name: as_text(value) for name, value in parameters}
        return json.dumps([self.code, self.origin, self.order, given])


# Names, import paths, classes, estimators or recipes, which a mapping may rename.
Descriptors = Iterable[Any] | Mapping[str, Any]


def make_recipes(
    descriptors: Descriptors | None = None,
    *,
    by_dataset: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> list[Recipe]:
    """Turn names, import paths, files (``"mine.py:Class"``) and estimators into recipes.

    A text may be prefixed with a name for the results (``"mine=pkg.mod:Class"``), and a mapping is
    from such names; the default is the nine of the paper. `by_dataset` maps descriptor and dataset
    to parameters.

    Examples
    --------
    >>> [recipe.name for recipe in make_recipes(["NND", "OCSVM=sklearn.svm:OneClassSVM"])]
    ['NND', 'OCSVM']
    """
    from occstats_descriptors.registry import DESCRIPTORS

    given: Any = DESCRIPTORS if descriptors is None else descriptors
    if isinstance(given, str | Recipe) or hasattr(given, "fit"):
        given = [given]
    if not isinstance(given, Iterable):
        raise ArgumentError(f"descriptors must be names or estimators; got {given!r}")
    if isinstance(given, Mapping):
        recipes = [replace(_recipe(entry), name=name) for name, entry in given.items()]
    else:
        recipes = [_recipe(entry) for entry in given]
    names = [recipe.name for recipe in recipes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"two descriptors are called {twice[0]!r}; rename one, for example 'other={twice[0]}'"
        )
    if not recipes:
        raise DataError("no descriptors to run")
    choices: Any = {} if by_dataset is None else by_dataset
    try:
        _ = [dict(parameters) for sets in choices.values() for parameters in sets.values()]
    except (AttributeError, TypeError, ValueError):
        raise ArgumentError(
            "parameters: expected descriptor → dataset → parameters, such as "
            f"{{'ALP': {{'iris': {{'k': 3}}}}}}; got {by_dataset!r}"
        ) from None
    return [
        replace(r, code=code_of(r.origin), by_dataset=choices.get(r.name, r.by_dataset))
        for r in recipes
    ]


def _recipe(entry: Any) -> Recipe:
    """Make a recipe from a name, a class, or an estimator with its parameters."""
    from occstats_descriptors.registry import DESCRIPTORS

    if isinstance(entry, Recipe):
        return entry
    if isinstance(entry, str):
        return _parse(entry)
    kind = entry if isinstance(entry, type) else type(entry)
    if not hasattr(kind, "fit") or kind.__module__ == "__main__":
        raise ArgumentError(
            "descriptors: expected names such as 'MD', estimators such as MD(), or paths such as "
            f"'package.module:Class' or 'file.py:Class', got {entry!r}"
        )
    own = DESCRIPTORS.get(kind.__name__) is kind
    origin = kind.__name__ if own else f"{kind.__module__}:{kind.__qualname__}"
    if entry is kind or not hasattr(entry, "get_params"):
        return _parse(origin)
    usual = {name: as_text(each.default) for name, each in signature(kind).parameters.items()}
    parameters = entry.get_params(deep=False).items()
    changed = {name: value for name, value in parameters if as_text(value) != usual[name]}
    return Recipe(kind.__name__, origin, changed)


def _parse(text: str) -> Recipe:
    from occstats_descriptors.registry import DESCRIPTORS, make

    name, _, origin = text.rpartition("=")
    if origin.strip().upper() in DESCRIPTORS:
        origin = origin.strip().upper()
    if origin.endswith(".py"):
        raise DataError(f"descriptor {text!r}: name the class in the file: '{text}:Class'")
    try:
        make(origin)  # fail here rather than in a worker
    except (ValueError, ImportError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split()).removeprefix("Unknown descriptor ")
        named = reason.startswith(repr(origin))
        raise DataError(f"descriptor {reason if named else f'{text!r}: {reason}'}") from error
    return Recipe(name.strip() or origin.rpartition(":")[2].strip(), origin.strip())


def shares_search(origin: str) -> bool:
    """Return whether a descriptor can take its neighbours from a shared search."""
    from occstats_descriptors.neighbours import NeighbourDescriptor
    from occstats_descriptors.registry import DESCRIPTORS

    return issubclass(DESCRIPTORS.get(origin.upper(), object), NeighbourDescriptor)


def is_of_distances(origin: str) -> bool:
    """Return whether scores are computed from distances, which tie on integer data."""
    return shares_search(origin) or origin.upper() == "MD"


def make_estimator(
    recipe: Recipe,
    seed: int,
    *,
    dataset: str = "",
    n: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Make an unfitted descriptor with its seed, one thread, and its numbers of neighbours.

    The folds of a task with `n` target rows share one number of neighbours; without `n` the
    descriptor derives it from the rows it is fitted to. `parameters`, such as a point of a grid,
    are added to those of the recipe for the dataset, and take precedence over the seed.
    """
    from occstats_descriptors.registry import make
    from occstats_descriptors.sizes import LogMultiple

    if recipe.code and (loaded := _loaded_code(recipe.origin)) != recipe.code:
        raise DataError(
            f"{recipe.origin}: this process has the code {loaded}, but {recipe.code} was planned"
        )
    given = {**recipe.parameters_for(dataset), **(parameters or {})}
    estimator = make(recipe.origin, **given)
    settled: dict[str, Any] = {}
    # Deep: the seed of a detector from another package is a parameter inside its wrapper.
    for name, value in estimator.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if n is not None and isinstance(value, LogMultiple):
            settled[name] = size_for_task(value.factor, n)
        elif n is not None and isinstance(value, AtMost):
            settled[name] = value.for_task(n)
        elif last == "random_state" and last not in given:
            settled[name] = seed
        elif last == "n_jobs" and last not in given:
            settled[name] = 1  # parallelism comes from the workers
    return estimator.set_params(**settled)


def fit_and_score(
    estimator: Any,
    train: NDArray[np.float64],
    test: NDArray[np.float64],
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[NDArray[np.float64], float, float]:
    """Fit and score; return one finite score per test row, and the fit and query seconds.

    The estimator gets copies, which it may change.
    """
    own_train, own_test = train.copy(), test.copy()
    started = clock()
    estimator.fit(own_train)
    fitted = clock()
    scores = estimator.score_samples(own_test)
    finished = clock()
    return checked_scores(scores, len(test)), fitted - started, finished - fitted


def checked_scores(scores: Any, n: int) -> NDArray[np.float64]:
    """Return the scores as n finite numbers, or raise ValueError."""
    from occstats_descriptors.external import real_scores

    checked = real_scores(scores)
    if checked.shape != (n,):
        raise ValueError(f"scores have shape {checked.shape} for {n} rows")
    if not np.isfinite(checked).all():
        raise ValueError(f"{int((~np.isfinite(checked)).sum())} scores are not finite")
    return checked


def plain(value: Any, otherwise: Callable[[Any], Any] = lambda value: value) -> Any:
    """Convert a NumPy scalar to a Python number."""
    return value.item() if isinstance(value, np.generic) else otherwise(value)


def as_text(value: Any) -> str:
    """Return a value as text, without the address that an object has in this process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(plain(value)))
