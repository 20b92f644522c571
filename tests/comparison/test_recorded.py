"""Every number and sentence of whole comparisons, recorded in ``tests/reference/recorded``.

The statistics are compared with other software elsewhere; these records notice any change of a
number, a conclusion or a word. After an intended change, record again, and read the difference:

    python -m tests.comparison.test_recorded
"""

import dataclasses
import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.gate import judge
from occstats.comparison.heterogeneity import new_dataset_sentence
from occstats.comparison.study_plan import plan_study
from occstats.comparison.text.verdict import tally_sentence
from tests.comparison.synthetic import table
from tests.conftest import unbalanced_table

FOLDER = Path(__file__).parents[1] / "reference" / "recorded"
GIVEN = Path(__file__).parents[1] / "cases"
SENTENCES = ("verdict", "rule", "basis", "methods", "notes", "answer", "lines", "line")
# What depends on the machine.
LEFT_OUT = ("versions", "sources")


def with_suites():
    table = unbalanced_table()
    return table.assign(suite=table["dataset"].map(lambda name: f"s{int(name[1:]) // 2}"))


def right_or_wrong():
    table = unbalanced_table().drop_duplicates(["dataset", "class", "algorithm"])
    table = table.drop(columns=["fold", "repeat", "n", "m", "sparsity"])
    return table.assign(reward=(table["reward"] > 0.55).astype(int))


def with_failures():
    table = unbalanced_table()
    failed = (table["algorithm"] == "A1") & table["dataset"].isin(["d2", "d5"])
    return table.assign(reward=table["reward"].mask(failed))


def two_measures():
    table = with_suites()
    other = (table["reward"] * 7) % 1
    # A trait of two values.
    return table.assign(accuracy=other.round(2), sparsity=(table["n"] > 400) / 2)


def with_parts():
    """Return slices "x", "y" with the leaders turned round, one that is too small, and none."""
    data = table([2] * 20, (0.2, 0.1, 0.0, -0.02))
    number = data["dataset"].str[1:].astype(int)
    part = pd.Series(np.where(number % 2, "x", "y")).mask(number > 16, "few").mask(number == 0)
    turned = data["algorithm"].replace({"A0": "A2", "A2": "A0"})
    return data.assign(part=part, algorithm=data["algorithm"].mask(part == "y", turned))


MANY = partial(table, [2] * 12)
CASES = {
    "typical": (unbalanced_table, {}),
    "mean": (unbalanced_table, {"estimand": "mean", "margin": 0.06}),
    "datta-satten": (
        unbalanced_table,
        {"test": "ds", "correction": "holm", "null": "asymptotic", "lower_is_better": True},
    ),
    "paper": (unbalanced_table, {"preset": "paper"}),
    "control": (unbalanced_table, {"control": "A2", "correction": "bonferroni"}),
    "suites": (with_suites, {"suite": "suite"}),
    "suites-mean": (with_suites, {"suite": "suite", "estimand": "mean"}),
    "binary": (right_or_wrong, {}),
    "failures": (with_failures, {"missing": "worst"}),
    "failures-scored": (with_failures, {"missing": "worst=0", "estimand": "mean"}),
    "pairwise-deletion": (with_failures, {"missing": "pairwise", "test": "ds"}),
    "measures": (
        two_measures,
        {"score": ["reward", "accuracy"], "family": "measures", "suite": "suite"},
    ),
    "slices": (with_parts, {"by": "part"}),
    # Few datasets, one, and one task in each.
    "one": (partial(table, [5]), {}),
    "three": (partial(table, [2] * 3), {"preset": "paper", "null": "flips"}),
    "three-hochberg": (partial(table, [2] * 3), {"correction": "hochberg"}),
    "four": (partial(table, [2] * 4), {"correction": "holm", "null": "asymptotic"}),
    "five": (partial(table, [2] * 5, spread=0.002), {"margin": 0.05}),
    "nine": (partial(table, [2] * 9), {"correction": "holm", "null": "asymptotic"}),
    "unclustered": (partial(table, [1] * 12, (0.3, 0.0, 0.0)), {}),
    # Leaders: equal, shared, reversed.
    "equal": (lambda: MANY().assign(reward=0.8), {"score": "reward"}),
    "equal-mean": (
        lambda: MANY().assign(reward=lambda frame: frame["algorithm"].ne("A0") * 0.5),
        {"estimand": "mean", "alternative": "greater", "correction": "holm"},
    ),
    "shared": (partial(MANY, (0.3, 0.3, 0.0), spread=0.0), {}),
    "two": (partial(MANY, (0.3, 0.0), spread=0.001), {"alternative": "greater",
                                                     "correction": "none"}),
    "reversed": (lambda: GIVEN / "gate2.csv", {}),
    "reversed-mean": (lambda: GIVEN / "gate2.csv", {"estimand": "mean", "alpha": 0.1}),
    # Other corrections, scales and directions.
    "yekutieli": (MANY, {"correction": "benjamini-yekutieli", "alternative": "less"}),
    "student": (MANY, {"correction": "none", "estimand": "mean", "null": "asymptotic"}),
    "equivalent": (
        partial(MANY, (0.02, 0.0, 0.0), spread=0.002),
        {"margin": 0.05, "estimand": "typical", "test": "ds", "control": "A1"},
    ),
    "loss": (
        lambda: MANY((-0.1, 0.0, 0.0)).assign(reward=lambda frame: 1e4 * frame["reward"]),
        {"score_name": "rmse", "lower_is_better": True, "inference": "cr1"},
    ),
}  # fmt: skip


def compared(name):
    """Return a comparison as plain values, with sentences that are not in its document."""
    make, options = CASES[name]
    options = {"lower_is_better": False, "n_resamples": 300, **options}
    if isinstance(options.get("score"), list):
        del options["lower_is_better"]
    found = occstats.compare(make(), **options)
    if isinstance(found, occstats.Comparisons):
        return found.to_dict() | {"lines": [str(found), found.to_latex()]}
    pair = found.algorithms[:2]
    lines = [tally_sentence(found), new_dataset_sentence(found, *pair)]
    if found.settings.estimand == "mean" and found.settings.has_intervals:
        for names in (pair, pair[::-1]):
            gate = judge(found, *names)
            lines += [gate.outcome, gate.evidence, gate.caution]
    return found.to_dict() | {"lines": lines}


def planned():
    """Return plans from numbers, with a budget, and from pilots with and without several tasks."""
    numbers = {"sd_dataset": 0.05, "sd_task": 0.03, "difference": 0.02}
    pilots = unbalanced_table(), unbalanced_table().query("`class` == 'c0'")
    plans = [
        plan_study(**numbers, n_tasks=3, n_datasets=40, estimand="mean"),
        plan_study(**numbers, budget=60, dataset_cost=9),
        *(plan_study(pilot, candidate="A1", control="A0",
                     lower_is_better=False)
          for pilot in pilots),
    ]  # fmt: skip
    return {
        "lines": [line for plan in plans for line in plan.lines()],
        "plans": [
            {**dataclasses.asdict(plan), "curve": plan.curve.to_dict("list")} for plan in plans
        ],
    }


def document(name):
    found = planned() if name == "plan" else compared(name)
    return _plain(json.loads(json.dumps(found)))


def _plain(value):
    """Return columns of numbers as lists, and sentences without the version, by line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {key: [_plain(row[key]) for row in value] for key in value[0]}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in LEFT_OUT}
    if isinstance(value, str) and ("\n" in value or "occstats " in value):
        text = value.partition("\n\nReferences")[0].replace(occstats.__version__, "VERSION")
        return [line for line in text.split("\n") if line]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def differences(found, expected, where=""):
    """Yield the places where two documents differ by more than rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if list(found) != list(expected):
            yield f"{where}: {list(found)} instead of {list(expected)}"
        for key in expected.keys() & found.keys():
            yield from differences(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        for position, pair in enumerate(zip(found, expected, strict=True)):
            yield from differences(*pair, f"{where}[{position}]")
    elif isinstance(expected, float) and isinstance(found, float | int):
        if not np.isclose(found, expected, rtol=1e-7, atol=1e-9, equal_nan=True):
            yield f"{where}: {found} instead of {expected}"
    elif found != expected:
        yield f"{where}: {found} instead of {expected}"


@pytest.mark.parametrize("name", [*CASES, "plan"])
def test_every_number_and_sentence_is_as_recorded(name):
    expected = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert list(differences(document(name), expected)) == []


def written(found):
    """Return JSON with each section of numbers and each sentence on a line of its own."""
    sections = {
        key: json.dumps(value, indent=1 if key in SENTENCES else None, ensure_ascii=False)
        for key, value in found.items()
    }
    return (
        "{\n" + ",\n".join(f"{json.dumps(key)}: {text}" for key, text in sections.items()) + "\n}\n"
    )


if __name__ == "__main__":
    for each in [*CASES, "plan"]:
        (FOLDER / f"{each}.json").write_text(written(document(each)), encoding="utf-8")
