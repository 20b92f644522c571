"""One sentence for every quantity, and the kind of each confidence interval."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from occstats.stats.clusters import FEW_CLUSTERS

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings


TEXTS = tomllib.loads(files(__package__).joinpath("columns.toml").read_text("utf-8"))
#: The sentence for each column and section.
EXPLANATIONS: dict[str, str] = TEXTS["columns"]
#: The quantities that have an interval, as the methods call them.
QUANTITIES: dict[str, str] = TEXTS["quantities"]
#: The terms of the regression, as the methods call them.
TRAITS: dict[str, str] = TEXTS["traits"]


class IntervalKind(NamedTuple):
    """A kind of confidence interval: its name, and the phrase for the methods with citations."""

    name: str
    sentence: str


def interval_kinds(
    n_clusters: int, unit: str = "dataset", settings: Settings | None = None
) -> dict[str, IntervalKind]:
    """Return the kind of the interval of each quantity, given the number of independent units."""
    means = "student" if n_clusters < FEW_CLUSTERS else "bootstrap_t"
    keys = {
        "mean_rank": means,
        "mean_score": means,
        "prob_improvement_task": "jackknife",
        "rank_biserial": "jackknife",
        "tau": "jackknife",
        "prob_improvement_dataset": "wilson_by_suite" if unit == "suite" else "wilson",
    }
    if settings is not None:
        asymptotic = settings.null == "asymptotic"
        if settings.estimand == "typical":
            difference = "inverted_normal" if asymptotic else "inverted_flips"
        else:
            difference = "student" if asymptotic else means
        keys = {"difference": difference, **keys}
    return {
        quantity: IntervalKind(
            *(
                TEXTS["intervals"][key][text].replace("dataset", unit)
                for text in IntervalKind._fields
            )
        )
        for quantity, key in keys.items()
    }


def explain(name: str, intervals: Mapping[str, IntervalKind] | None = None) -> str:
    """Return the sentence for a column or section; for an interval, also its kind if known.

    Examples
    --------
    >>> explain("mean_rank_ci_low") == EXPLANATIONS["mean_rank_ci"]
    True
    >>> explain("mean_rank_ci", interval_kinds(5))
    "A confidence interval for the mean rank in the population of datasets (Student's t over \
datasets)."
    >>> explain("no such column")
    ''
    """
    if name.endswith(("_low", "_high")) and name not in EXPLANATIONS:
        name = name.removesuffix("_low").removesuffix("_high")
    quantity = "difference" if name == "ci" else name.removesuffix("_ci")
    sentence = EXPLANATIONS.get(name) or EXPLANATIONS.get(quantity, "")
    if quantity != name and intervals is not None and quantity in intervals:
        which = "differences: " if name == "ci" else ""
        return f"{sentence.removesuffix('.')} ({which}{intervals[quantity].name})."
    return sentence
