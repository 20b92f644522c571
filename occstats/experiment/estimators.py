"""What is fitted, and the one way to make, seed, limit and fit it: for runs, sweeps and times."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats.errors import DataError
from occstats.experiment.provenance import code_of
from occstats.experiment.tasks import AtMost, size_for_task

__all__ = [
    "Recipe",
    "SeedPolicy",
    "fit_and_score",
    "is_of_distances",
    "make_estimator",
    "make_recipes",
    "parameters_as_json",
    "plain",
    "shares_search",
]


@dataclass(frozen=True)
class SeedPolicy:
    """The random state of every fit.

    Parameters
    ----------
    value : int, default 0
        The seed.
    pinned : bool, default True
        Whether every fit gets the value itself, as in the paper's experiment; otherwise each gets
        a seed of its own, derived from the value and the identity of task, fold and descriptor.
        Either way neither the order of the work nor the number of workers changes a score.

    Examples
    --------
    >>> SeedPolicy().seed_of("wine", "1", 0, "IF")
    0
    >>> policy = SeedPolicy.parse("7")
    >>> policy, policy.seed_of("wine", "1", 0, "IF") == policy.seed_of("wine", "1", 1, "IF")
    (SeedPolicy(value=7, pinned=False), False)
    """

    value: int = 0
    pinned: bool = True

    @classmethod
    def parse(cls, text: "str | int | SeedPolicy") -> "SeedPolicy":
        """Read ``"pinned:0"`` (every fit gets 0) or ``"7"`` (each fit derives its own from 7)."""
        if isinstance(text, SeedPolicy):
            return text
        number = str(text).removeprefix("pinned:")
        if not number.isdigit() or int(number) >= 2**32:
            raise DataError(
                f"seed {text!r}: expected an integer from 0 to 4294967295 (each fit derives its "
                "own seed from it) or 'pinned:0' (every fit gets 0, as in the paper)"
            )
        return cls(int(number), pinned=str(text).startswith("pinned:"))

    def __str__(self) -> str:
        return f"pinned:{self.value}" if self.pinned else str(self.value)

    def seed_of(self, *identity: str | int) -> int:
        """The seed of the fit with this data set, class, fold and descriptor."""
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
        A name among the nine, or an import path (``pkg.mod:Class``).
    parameters : mapping
        Parameters that differ from the descriptor's defaults.
    by_dataset : mapping
        Data set → parameters that hold for it alone (leave-one-dataset-out choices).
    order : {"index", "kd-tree"}
        Which of equally distant neighbours comes first: the one with the lower index, or, as in the
        paper's experiment, the one that scikit-learn's KD-tree happens to give.
    code : str
        The version or hash of the code behind the origin.
    """

    name: str
    origin: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    by_dataset: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    order: str = "index"
    code: str = ""

    def parameters_for(self, dataset: str) -> dict[str, Any]:
        """The parameters for one data set."""
        return {**self.parameters, **self.by_dataset.get(dataset, {})}

    def fingerprint(self, dataset: str) -> str:
        """Code, origin and all parameters as text, for telling configurations apart."""
        parameters = sorted(self.parameters_for(dataset).items())
        given = {name: repr(plain(value)) for name, value in parameters}
        return json.dumps([self.code, self.origin, self.order, given])


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
        replace(r, code=code_of(r.origin), by_dataset=choices.get(r.name, r.by_dataset))
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


def shares_search(origin: str) -> bool:
    """Whether a descriptor of this origin can take its neighbours from a shared search.

    Examples
    --------
    >>> shares_search("ALP"), shares_search("MD"), shares_search("sklearn.svm:OneClassSVM")
    (True, False, False)
    """
    from occstats_descriptors.registry import ENTRIES

    entry = ENTRIES.get(origin.upper())
    return entry is not None and entry.shares_neighbours


def is_of_distances(origin: str) -> bool:
    """Whether the scores of a descriptor are made of distances, which tie on integer data.

    Examples
    --------
    >>> [name for name in ("NND", "MD", "SVM", "IF", "sklearn.svm:OneClassSVM") if
    ...  is_of_distances(name)]
    ['NND', 'MD']
    """
    return shares_search(origin) or origin.upper() == "MD"


def make_estimator(
    recipe: Recipe,
    seed: int,
    *,
    dataset: str = "",
    n: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Make an unfitted descriptor with its seed, one thread, and sizes settled.

    Parameters
    ----------
    recipe : Recipe
        The descriptor.
    seed : int
        Its random state, where it has one and the recipe does not say another.
    dataset : str, optional
        Whose own parameters are to be used.
    n : int, optional
        Target rows of the task, whose folds share one number of neighbours; without it the
        descriptor settles sizes from the rows that it is fitted to.
    parameters : mapping, optional
        Further parameters, such as a point of a grid.

    Examples
    --------
    >>> make_estimator(Recipe("IF", "IF"), 7).get_params()["random_state"]
    7
    >>> make_estimator(Recipe("LOF", "LOF"), 7, n=59)
    LOF(k=10, n_jobs=1)
    """
    from occstats_descriptors.registry import make
    from occstats_descriptors.sizes import LogMultiple

    if recipe.code and _loaded_code(recipe.origin) != recipe.code:
        raise DataError(f"the code of {recipe.origin} changed while the experiment ran")
    given = {**recipe.parameters_for(dataset), **(parameters or {})}
    estimator = make(recipe.origin, **given)
    settled: dict[str, Any] = {}
    # Deep: a detector from another package has its seed within the wrapper.
    for name, value in estimator.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if n is not None and isinstance(value, LogMultiple):
            settled[name] = size_for_task(value.factor, n)
        elif n is not None and isinstance(value, AtMost):
            settled[name] = value.for_task(n)
        elif last == "random_state" and last not in given:
            settled[name] = seed
        elif last == "n_jobs" and last not in given:
            settled[name] = 1  # the workers are the parallelism
    return estimator.set_params(**settled)


@cache
def _loaded_code(origin: str) -> str:
    """The code that this process has, asked for when it is first used."""
    return code_of(origin)


def fit_and_score(
    estimator: Any,
    train: NDArray[np.float64],
    test: NDArray[np.float64],
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[NDArray[np.float64], float, float]:
    """Fit and score; return one finite score per test row, and the seconds of fit and scoring."""
    started = clock()
    estimator.fit(train)
    fitted = clock()
    scores = estimator.score_samples(test)
    finished = clock()
    return checked_scores(scores, len(test)), fitted - started, finished - fitted


def checked_scores(scores: Any, n: int) -> NDArray[np.float64]:
    """The scores as n finite numbers; whatever else they are is an error."""
    checked = np.asarray(scores, dtype=np.float64)
    if checked.shape != (n,):
        raise ValueError(f"scores of the shape {checked.shape} for {n} rows")
    if not np.isfinite(checked).all():
        raise ValueError(f"{int((~np.isfinite(checked)).sum())} scores are not finite")
    return checked


def parameters_as_json(estimator: Any) -> str:
    """The parameters of an estimator, for its row."""
    return json.dumps(
        estimator.get_params(deep=False), default=lambda v: plain(v, repr), sort_keys=True
    )


def plain(value: Any, otherwise: Callable[[Any], Any] = lambda value: value) -> Any:
    """NumPy's numbers as Python's, which print as what they are."""
    return value.item() if isinstance(value, np.generic) else otherwise(value)
