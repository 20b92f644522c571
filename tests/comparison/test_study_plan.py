"""Planning a study: power, detectable differences, budgets, pilots and the command."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from statsmodels.stats.power import TTestPower

from occstats.cli import main
from occstats.comparison.study_plan import pilot_components, plan_study
from occstats.errors import ArgumentError
from occstats.results import load_results
from occstats.stats import mean_power


def run(*arguments):
    return CliRunner().invoke(main, ["plan", *map(str, arguments)])


def test_the_power_of_two_algorithms_is_that_of_the_t_test():
    for d, m in ((0.3, 60), (0.2, 200)):
        # One side only: showing the wrong direction is no power.
        expected = TTestPower().power(d, m, 0.025, alternative="larger")
        assert mean_power(d, 1.0, m) == pytest.approx(expected, abs=1e-9)
    # With few datasets the bootstrap-t is stricter than the t-test.
    expected = TTestPower().power(1.0, 10, 0.025, alternative="larger")
    assert expected - 0.15 < mean_power(1.0, 1.0, 10) < expected
    assert mean_power(9.0, 1.0, 5, estimand="typical") == 0  # 2^-4 > 0.05
    assert mean_power(0.5, 1.0, 34, n_algorithms=4) < mean_power(0.5, 1.0, 34)


def test_detectable_difference_and_datasets_needed_agree():
    plan = plan_study(sd_dataset=0.05, sd_task=0.03, difference=0.02, n_tasks=3, n_datasets=40)
    back = plan_study(sd_dataset=0.05, sd_task=0.03, difference=plan.detectable, n_tasks=3)
    assert back.datasets_needed == 40
    curve = plan.curve.set_index("n_datasets")["power"]
    assert curve[plan.datasets_needed] >= 0.8
    assert curve.is_monotonic_increasing
    # Variances of 25 and 9 are shares of 74 and 26 %.
    assert "datasets 0.05 (74 %), tasks 0.03 (26 %), runs 0 (0 %)" in " ".join(plan.lines())


def test_the_budget_buys_datasets_first_unless_they_cost():
    options = {"sd_dataset": 0.05, "sd_task": 0.05, "difference": 0.02, "budget": 300}
    free, dear = plan_study(**options).split, plan_study(**options, dataset_cost=9).split
    assert (free["n_datasets"], free["n_tasks"], free["n_runs"]) == (300, 1, 1)
    # The cost 9 and equal variances: three tasks, the root of 9.
    assert (dear["n_datasets"], dear["n_tasks"]) == (25, 3)


def test_components_of_a_pilot_with_folds():
    rng = np.random.default_rng(0)
    index = [(d, t, f) for d in range(40) for t in range(4) for f in range(5)]
    effects = {key: rng.normal(0, sd) for sd, keys in (
        (0.05, {(d,) for d, *_ in index}), (0.03, {i[:2] for i in index}), (0.02, index),
    ) for key in sorted(keys)}  # fmt: skip
    rows = [
        (f"d{i[0]}", i[1], i[2], name, 0.5 + (name == "A") * sum(effects[i[:n]] for n in (1, 2, 3)))
        for i in index
        for name in "AB"
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "task", "fold", "algorithm", "reward"])
    found = pilot_components(load_results(frame), "A", "B")
    assert found == pytest.approx((0.05, 0.03, 0.02), rel=0.25)


def test_components_of_a_pilot_with_one_task_per_dataset():
    frame = pd.DataFrame({"dataset": list("abcd"), "A": [0.5, 0.7, 0.6, 0.9], "B": 0.5})
    results = load_results(frame, algorithms=["A", "B"], lower_is_better=False)
    spread = np.std([0.0, 0.2, 0.1, 0.4], ddof=1)
    assert pilot_components(results, "A", "B") == pytest.approx((spread, 0, 0))


@pytest.mark.parametrize(("difference", "bound"), [(5, "below 1"), (-5, "above -1")])
def test_refuses_a_difference_beyond_the_range(difference, bound):
    with pytest.raises(ArgumentError, match=f"must be {bound}, because AUROC"):
        plan_study("lenz2021", difference=difference, n_resamples=100)


def test_refuses_a_pilot_of_suites():
    frame = load_results("lenz2021").to_frame()
    frame["suite"] = frame["dataset"].str[0]
    with pytest.raises(ArgumentError, match="suites"):
        plan_study(frame, suite="suite")
