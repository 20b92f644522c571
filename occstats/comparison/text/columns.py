"""One sentence for every quantity, and the kind of each confidence interval."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from occstats.stats.cluster_means import FEW_CLUSTERS

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings

__all__ = ["EXPLANATIONS", "IntervalKind", "explain", "interval_kinds"]


@dataclass(frozen=True)
class IntervalKind:
    """A kind of confidence interval: its name, and the phrase for the methods with citations."""

    name: str
    sentence: str

    def over(self, unit: str) -> IntervalKind:
        """Return the same kind with another independent unit: suites in place of datasets."""
        return IntervalKind(
            self.name.replace("dataset", unit), self.sentence.replace("dataset", unit)
        )


STUDENT = IntervalKind("Student's t over datasets", "Student's t over dataset means")
BOOTSTRAP_T = IntervalKind(
    "bootstrap-t over datasets",
    "bootstrap-t over datasets {davison1997}, never narrower than Student's t",
)
JACKKNIFE = IntervalKind(
    "jackknife over datasets, arcsine scale",
    "Student's t with the jackknife over datasets {miller1974}, on the arcsine scale",
)
WILSON = IntervalKind("Wilson's interval", "Wilson's interval {wilson1927}")
WILSON_BY_SUITE = IntervalKind(
    "Wilson's interval, with the effective number of suites",
    "Wilson's interval {wilson1927} with the effective number of suites of unequal sizes",
)
INVERTED_FLIPS = IntervalKind(
    "inverted sign-flip test", "all shifts that the sign-flip test did not reject"
)
INVERTED_NORMAL = IntervalKind(
    "inverted signed-rank test, normal approximation",
    "all shifts that the asymptotic test did not reject",
)
#: The quantities that have an interval, as the methods call them.
QUANTITIES = {
    "difference": "differences",
    "mean_rank": "mean ranks",
    "mean_score": "mean scores",
    "prob_improvement_task": "the probability of improvement on a task",
    "rank_biserial": "rank-biserial correlations",
    "tau": "Kendall's τ",
    "prob_improvement_dataset": "the probability of improvement on a dataset",
}


def interval_kinds(
    n_clusters: int, unit: str = "dataset", settings: Settings | None = None
) -> dict[str, IntervalKind]:
    """Return the kind of the interval of each quantity, given the number of independent units.

    Examples
    --------
    >>> interval_kinds(5)["mean_rank"].name, interval_kinds(50)["mean_rank"].name
    ("Student's t over datasets", 'bootstrap-t over datasets')
    """
    means = STUDENT if n_clusters < FEW_CLUSTERS else BOOTSTRAP_T
    kinds = {
        **dict.fromkeys(("mean_rank", "mean_score"), means),
        "prob_improvement_task": JACKKNIFE,
        "rank_biserial": JACKKNIFE,
        "tau": JACKKNIFE,
        "prob_improvement_dataset": WILSON_BY_SUITE if unit == "suite" else WILSON,
    }
    if settings is not None:
        asymptotic = settings.null == "asymptotic"
        by_ranks = INVERTED_NORMAL if asymptotic else INVERTED_FLIPS
        by_mean = STUDENT if asymptotic else means
        kinds = {"difference": by_ranks if settings.estimand == "typical" else by_mean, **kinds}
    return {quantity: kind.over(unit) for quantity, kind in kinds.items()}


#: The sentence for each column and section.
EXPLANATIONS: dict[str, str] = tomllib.loads(
    files(__package__).joinpath("columns.toml").read_text("utf-8")
)


def explain(name: str, intervals: Mapping[str, IntervalKind] | None = None) -> str:
    """Return the sentence for a column or section; for an interval, also its kind if known.

    Examples
    --------
    >>> explain("mean_rank_ci_low") == EXPLANATIONS["mean_rank_ci"]
    True
    >>> explain("mean_rank_ci", interval_kinds(5))
    "A confidence interval of the mean rank in the population of datasets (Student's t over \
datasets)."
    >>> explain("no such column")
    ''
    """
    if name.endswith(("_low", "_high")) and name not in EXPLANATIONS:
        name = name.removesuffix("_low").removesuffix("_high")
    quantity = "difference" if name == "ci" else name.removesuffix("_ci")
    family = next((test for test in ("nemenyi", "conover") if name.startswith(f"p_{test}")), name)
    sentence = EXPLANATIONS.get(family) or EXPLANATIONS.get(quantity, "")
    if quantity != name and intervals is not None and quantity in intervals:
        which = "differences: " if name == "ci" else ""
        return f"{sentence.removesuffix('.')} ({which}{intervals[quantity].name})."
    return sentence
