"""What is to be swept (a descriptor, its metric, its grids), and the defaults that it has."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from occstats.errors import ArgumentError
from occstats.experiment.estimators import Recipe, make_recipes, plain, shares_search
from occstats.tuning.grids import PAPER, Axis, Value, check_names, with_grids, with_windows

__all__ = [
    "DEFAULT_DESCRIPTORS",
    "DEFAULT_METRICS",
    "SweepRecipe",
    "default_hyperparameters",
    "make_sweep_recipes",
    "paper_defaults",
]

DEFAULT_DESCRIPTORS = tuple(PAPER)
# The first is the descriptors' own; only sweeps with it carry the plain name.
DEFAULT_METRICS = ("manhattan", "euclidean")


@dataclass(frozen=True, eq=False)
class SweepRecipe(Recipe):
    """A descriptor and the grids of its hyperparameters.

    Attributes
    ----------
    axes : tuple of Axis
        One per hyperparameter.
    descriptor : str
        The name without the metric.
    metric : str or None
        The metric of a neighbour search, where there is one.
    """

    axes: tuple[Axis, ...] = ()
    descriptor: str = ""
    metric: str | None = None

    @property
    def search(self) -> tuple[str | None, str]:
        """What descriptors must have in common to share a neighbour search."""
        return self.metric, self.order

    @property
    def kind(self) -> str:
        """How it is computed: ``neighbours``, ``support vectors`` or ``refits``."""
        if shares_search(self.origin) and all(a.rule in {"count", "log"} for a in self.axes):
            return "neighbours"
        if self.origin.upper() == "SVM" and {a.parameter for a in self.axes} == {"nu", "c"}:
            return "support vectors"
        return "refits"

    def fingerprint(self, dataset: str) -> str:
        """Code, origin, metric and grids as text, for telling configurations apart."""
        axes = [(axis.name, axis.rule, axis.values) for axis in self.axes]
        return json.dumps([self.code, self.origin, self.order, self.metric, axes])


def make_sweep_recipes(
    descriptors: Iterable[str | Recipe] | None = None,
    *,
    metrics: Iterable[str] | None = None,
    grids: Mapping[str, Iterable[Value]] | None = None,
    windows: Mapping[str, int] | None = None,
) -> list[SweepRecipe]:
    """Turn names into sweeps; those of the paper by default.

    Examples
    --------
    >>> [recipe.name for recipe in make_sweep_recipes(["LOF", "SVM"])]
    ['LOF', 'LOF (euclidean)', 'SVM']
    """
    chosen = make_recipes(DEFAULT_DESCRIPTORS if descriptors is None else descriptors)
    given = {name: tuple(map(plain, values)) for name, values in (grids or {}).items()}
    origins = {recipe.name: recipe.origin for recipe in chosen}
    check_names(given, origins)
    metric_names = tuple(DEFAULT_METRICS if metrics is None else metrics)
    _check_metrics(metric_names)
    found = []
    for recipe in chosen:
        axes = with_grids(recipe.name, recipe.origin, given)
        axes = with_windows(recipe.name, axes, windows or {})
        of_metrics = metric_names if shares_search(recipe.origin) else (None,)
        found += [_with_metric(recipe, axes, metric) for metric in of_metrics]
    return found


def _with_metric(recipe: Recipe, axes: tuple[Axis, ...], metric: str | None) -> SweepRecipe:
    plain = metric is None or metric == DEFAULT_METRICS[0]
    return SweepRecipe(
        name=recipe.name if plain else f"{recipe.name} ({metric})",
        origin=recipe.origin,
        parameters={} if plain else {"metric": metric},
        order=recipe.order,
        code=recipe.code,
        axes=axes,
        descriptor=recipe.name,
        metric=metric,
    )


def _check_metrics(metrics: tuple[str, ...]) -> None:
    if not metrics or len(set(metrics)) < len(metrics):
        raise ArgumentError(f"--metric: expected distinct names, got {', '.join(metrics)!r}")
    for metric in metrics:
        if metric not in DEFAULT_METRICS:
            raise ArgumentError(
                f"--metric: expected {' or '.join(DEFAULT_METRICS)}, got {metric!r}"
            )


def default_hyperparameters() -> pd.DataFrame:
    """One row per descriptor and hyperparameter, with the default as the paper writes it.

    Examples
    --------
    >>> table = default_hyperparameters()
    >>> table[table["descriptor"] == "ALP"]["default"].tolist()
    ['5.5 log n', '6.0 log n']
    """
    from occstats_descriptors.registry import ENTRIES

    rows = [
        {"descriptor": name, "hyperparameter": tuned.name, "default": tuned.text}
        for name, entry in ENTRIES.items()
        for tuned in entry.hyperparameters
    ]
    return pd.DataFrame(rows, columns=["descriptor", "hyperparameter", "default"])


def paper_defaults(origin: str) -> dict[str, float]:
    """The defaults that the paper gives, and our descriptors have, as points of their grids.

    Examples
    --------
    >>> paper_defaults("ALP"), paper_defaults("MD")
    ({'a': 5.5, 'b': 6.0}, {})
    """
    from occstats_descriptors.registry import ENTRIES

    entry = ENTRIES.get(origin.upper())
    return dict(tuned.point for tuned in (entry.hyperparameters if entry is not None else ()))
