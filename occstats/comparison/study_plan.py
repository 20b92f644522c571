"""Plan a study: sources of variance, detectable difference, datasets needed, and a budget."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import optimize

from occstats._checks import check_choice, check_integer, check_number
from occstats._format import count, percent, printable
from occstats.comparison.study import check_possible
from occstats.errors import ArgumentError
from occstats.stats.power import mean_power
from occstats.stats.reml import variance_components

if TYPE_CHECKING:
    from occstats.results import Results


MOST_DATASETS = 20_000
#: Of differences and standard deviations, whose squares must be finite and above 0.
LARGEST = 1e100
# The curve goes from a quarter to four times the datasets needed.
CURVE = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
#: What a study is planned from; the defaults hold without a pilot.
QUANTITIES: dict[str, Any] = {
    "sd_dataset": None, "sd_task": 0.0, "sd_run": 0.0, "difference": None, "n_datasets": None,
    "n_tasks": 1, "n_runs": 1, "n_algorithms": 2, "estimand": "typical", "source": "assumed",
}  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """The power of a study under the rule that decides about pairs."""

    #: Standard deviations of the difference between datasets, tasks of a dataset, and runs (folds
    #: or seeds) of a task; where they come from; tasks per dataset and runs per task.
    sd_dataset: float
    sd_task: float
    sd_run: float
    source: str
    n_tasks: int
    n_runs: int
    #: The family of pairs (with a control, only those with it), its level, and the aim.
    n_algorithms: int
    control: bool
    estimand: str
    alpha: float
    wanted_power: float
    difference: float
    #: Infinity beyond `MOST_DATASETS`.
    datasets_needed: float
    #: Datasets of the study or pilot, if known; their power, and the difference that they show.
    n_datasets: int | None
    power: float | None
    detectable: float | None
    #: For a budget: datasets, tasks per dataset and runs per task with the largest power.
    split: dict[str, Any] | None
    curve: pd.DataFrame

    @property
    def n_tests(self) -> int:
        """Return the number of pairs that are corrected together."""
        k = self.n_algorithms
        return k - 1 if self.control else k * (k - 1) // 2

    @property
    def sentence(self) -> str:
        """Return the answer in one sentence."""
        needed = f"more than {MOST_DATASETS:,} datasets"
        if np.isfinite(self.datasets_needed):
            needed = count(int(self.datasets_needed), "dataset")
        corrected = f", corrected for {self.n_tests:,} pairs" if self.n_tests > 1 else ""
        return (
            f"To show a {self.estimand} difference of {self.difference:.3g} with "
            f"{100 * self.wanted_power:g} % power{corrected}, you need {needed} with "
            f"{count(self.n_tasks, 'task')} each."
        )

    def lines(self) -> list[str]:
        """Return the answer, and what it is based on."""
        components = {"datasets": self.sd_dataset, "tasks": self.sd_task, "runs": self.sd_run}
        total = sum(sd**2 for sd in components.values())
        parts = [f"{name} {sd:.3g} ({percent(sd**2 / total)})" for name, sd in components.items()]
        found = [
            self.sentence,
            f"Standard deviation of the difference (share of variance): {', '.join(parts)}; "
            f"{self.source}.",
        ]
        if self.n_datasets is not None and self.power is not None:
            found.append(
                f"With {count(self.n_datasets, 'dataset')} the power is {percent(self.power)}, "
                f"and the smallest difference with {100 * self.wanted_power:g} % power is "
                f"{self.detectable:.3g}."
            )
        if self.split is not None:
            sizes = [count(self.split[f"n_{unit}s"], unit) for unit in ("dataset", "task", "run")]
            found.append(
                f"The best split of the budget is {' × '.join(sizes)}, with a power of "
                f"{percent(self.split['power'])}."
            )
        return found


def pilot_components(results: Results, a: str, b: str) -> tuple[float, float, float]:
    """Return the standard deviations of a − b between datasets, tasks and runs, by REML."""
    difference = (results.scores[a] - results.scores[b]).dropna()
    datasets = difference.index.get_level_values(0)
    several = len(difference) > datasets.nunique()
    if datasets.nunique() < 2:
        raise ArgumentError("a pilot needs at least two datasets on which both algorithms ran")
    folds = results.fold_scores
    if folds is not None and {a, b} <= set(folds.columns.get_level_values(0)):
        one, other = (folds[[name]].droplevel(0, axis=1) for name in (a, b))
        runs = (one - other).T.melt(ignore_index=False).dropna(subset="value")
        levels = [runs.iloc[:, level] for level in ((0, 1) if several else (0,))]
        if runs.duplicated([*runs.columns[:2]]).any():
            between, *within, residual = (
                variance_components(runs["value"], *levels) ** 0.5
            ).tolist()
            return between, sum(within), residual
    if not several:
        return float(difference.std()), 0.0, 0.0
    between, residual = (variance_components(difference, datasets) ** 0.5).tolist()
    return between, residual, 0.0


def _pilot(
    results: Any,
    candidate: str | None,
    baseline: str | None,
    difference: float | None,
    **comparing: Any,
) -> dict[str, Any]:
    """Return what a pilot says about a pair: by default the control or the best, and the next."""
    from occstats.comparison.pipeline import compare

    comparison = compare(results, **comparing)
    names, table = comparison.algorithms, comparison.results
    check_possible("difference", difference, table)
    for option, name in (("candidate", candidate), ("baseline", baseline)):
        if name is not None:
            check_choice(option, name, names)
    first = [name for name in (comparing["control"], *names) if name and name != baseline]
    a = candidate or first[0]
    if a == baseline or len(names) < 2:
        raise ArgumentError("candidate and baseline must be two different algorithms of the pilot")
    control = comparing["control"]
    b = baseline or next(name for name in (control, *names) if name and name != a)
    if control and control not in {a, b}:
        raise ArgumentError(f"control must be {a} or {b}, the pair of the plan; got {control!r}")
    if table.nested:
        raise ArgumentError("a pilot with suites is not supported; leave out the suites")
    sds = pilot_components(table, a, b)
    folds = table.fold_scores
    runs = 1 if folds is None else folds.shape[1] // folds.columns.get_level_values(0).nunique()
    return {
        **dict(zip(("sd_dataset", "sd_task", "sd_run"), sds, strict=True)),
        "difference": abs(float(comparison.matrix("difference").loc[a, b])),
        "n_datasets": table.n_clusters,
        "n_tasks": max(1, round(table.n_tasks / table.n_clusters)),
        "n_runs": max(1, runs),
        "n_algorithms": len(names),
        "estimand": comparison.settings.estimand,
        "source": f"estimated from {a} − {b} in the pilot",
    }


def plan_study(
    results: Any = None,
    *,
    candidate: str | None = None,
    baseline: str | None = None,
    control: str | None = None,
    sd_dataset: float | None = None,
    sd_task: float | None = None,
    sd_run: float | None = None,
    difference: float | None = None,
    n_datasets: int | None = None,
    n_tasks: int | None = None,
    n_runs: int | None = None,
    n_algorithms: int | None = None,
    estimand: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    budget: float | None = None,
    dataset_cost: float = 0.0,
    **comparing: Any,
) -> Plan:
    """Plan a study from the standard deviations of a difference, or from a pilot (`results`).

    A pilot gives the default of every quantity from `sd_dataset` to `estimand`; without one,
    `sd_dataset` and `difference` are required. `comparing` are options of `compare` for the pilot.
    ``occstats plan --help`` describes the others.

    Examples
    --------
    >>> plan = plan_study(sd_dataset=0.05, sd_task=0.03, difference=0.01, n_tasks=3)
    >>> print(plan.sentence)
    To show a typical difference of 0.01 with 80 % power, you need 233 datasets with 3 tasks each.
    >>> plan = plan_study("lenz2021", algorithms=["ALP", "NND"], difference=0.01)
    >>> print(plan.sentence)
    To show a typical difference of 0.01 with 80 % power, you need 64 datasets with 5 tasks each.
    """
    given = {name: value for name, value in locals().items() if name in QUANTITIES}
    _check(given | {"alpha": alpha, "power": power, "budget": budget, "dataset_cost": dataset_cost})
    known = dict(QUANTITIES)
    if results is not None:
        comparing |= {"control": control, "estimand": estimand, "alpha": alpha}
        known = _pilot(results, candidate, baseline, difference, **comparing)
    known |= {name: value for name, value in given.items() if value is not None}
    for name in ("sd_dataset", "difference"):
        if known[name] is None:
            raise ArgumentError(
                f"{name}=… must be given, or results of a pilot from which it is estimated"
            )
    sds = [known[f"sd_{unit}"] for unit in ("dataset", "task", "run")]
    if max(sds) < 1 / LARGEST:
        raise ArgumentError("sd_dataset=… or sd_task=… or sd_run=… must be above 0; all are 0")
    if known["difference"] == 0:
        raise ArgumentError("difference must not be 0: no study can show it")

    def sd(tasks: int, runs: int) -> float:
        variance = sds[0] ** 2 + sds[1] ** 2 / tasks + sds[2] ** 2 / (tasks * runs)
        return float(np.sqrt(variance))

    power_of = partial(
        mean_power,
        alpha=alpha,
        n_algorithms=known["n_algorithms"],
        many_to_one=control is not None,
        estimand=known["estimand"],
    )
    of_difference = partial(power_of, known["difference"])
    spread, m = sd(known["n_tasks"], known["n_runs"]), known["n_datasets"]
    now: dict[str, float | None] = {"power": None, "detectable": None}
    if m is not None:
        detectable = _detectable(partial(power_of, n_clusters=m), spread, power)
        now = {"power": of_difference(spread, m), "detectable": detectable}
    # Power rises with the number of datasets.
    sizes = range(2, MOST_DATASETS + 1)
    place = bisect_left(sizes, power, key=partial(of_difference, spread))
    needed = float(sizes[place]) if place < len(sizes) else float("inf")
    drawn = np.unique(np.ceil(np.array(CURVE) * min(needed, MOST_DATASETS)).astype(int))
    drawn = drawn[drawn >= 2]
    powers = [of_difference(spread, int(size)) for size in drawn]
    return Plan(
        **known | {"source": printable(known["source"])} | now,
        control=control is not None,
        alpha=alpha,
        wanted_power=power,
        datasets_needed=needed,
        split=None if budget is None else _split(of_difference, sd, budget, dataset_cost),
        curve=pd.DataFrame({"n_datasets": drawn, "power": powers}),
    )


def _check(given: dict[str, Any]) -> None:
    """Raise an error about the first of these arguments that has a wrong value."""
    for name, value in given.items():
        if value is None:
            continue
        if name == "estimand":
            check_choice(name, value, ("typical", "mean"))
        elif name in ("alpha", "power"):
            check_number(name, value, above=0, below=0.5 if name == "alpha" else 1)
        elif name.startswith("n_"):
            check_integer(name, value, least=1 if name in ("n_tasks", "n_runs") else 2)
        elif name == "budget":
            check_number(name, value, above=0)
        else:
            check_number(name, value, least=-LARGEST if name == "difference" else 0)
            check_number(name, value, below=LARGEST)


def _detectable(power_of: Any, spread: float, power: float) -> float:
    """Return the difference with this power; infinity if there is none."""
    if power_of(100 * spread, spread) < power:
        return float("inf")
    return optimize.brentq(lambda size: power_of(size, spread) - power, 0.0, 100 * spread)


def _split(power_of: Any, sd: Any, budget: float, dataset_cost: float) -> dict[str, Any]:
    """Return the numbers of datasets, tasks and runs with the smallest standard error."""
    options = [
        (sd(tasks, runs) / np.sqrt(m), m, tasks, runs)
        for tasks in range(1, 51)
        for runs in range(1, 51)
        if (m := min(int(budget // (dataset_cost + tasks * runs)), MOST_DATASETS)) >= 2
    ]
    if not options:
        raise ArgumentError(
            f"budget must pay for two datasets, {2 * (dataset_cost + 1):g} runs; got {budget:g}"
        )
    _, m, tasks, runs = min(options)
    power = power_of(sd(tasks, runs), m)
    return {"n_datasets": m, "n_tasks": tasks, "n_runs": runs, "power": power}
