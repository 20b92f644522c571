"""Every number of whole comparisons, recorded in ``tests/reference/recorded``.

The statistics are compared with other software elsewhere; these records notice any change of a
number or a conclusion. ``python -m tests.comparison.test_recorded`` writes them again after a
deliberate change.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import occstats
from tests.conftest import unbalanced_table

FOLDER = Path(__file__).parents[1] / "reference" / "recorded"
# Sentences, which have tests of their own, and what depends on the version.
LEFT_OUT = ("verdict", "rule", "basis", "methods", "notes", "meta")


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
    table = unbalanced_table()
    other = (table["reward"] * 7) % 1
    return table.assign(accuracy=other.round(2))


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
    "pairwise-deletion": (with_failures, {"missing": "pairwise", "test": "ds"}),
    "measures": (two_measures, {"score": ["reward", "accuracy"], "family": "measures"}),
}


def numbers_of(name):
    """Return all frames and settings of a comparison as plain values, columns as lists."""
    make, options = CASES[name]
    options = {"lower_is_better": False, "n_resamples": 300, **options}
    if "score" in options:
        del options["lower_is_better"]
    return _columns(occstats.compare(make(), **options).to_dict())


def _columns(value):
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return {key: [_columns(row[key]) for row in value] for key in value[0]}
    if isinstance(value, dict):
        return {key: _columns(item) for key, item in value.items() if key not in LEFT_OUT}
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
        if not np.isclose(found, expected, rtol=1e-7, atol=1e-9):
            yield f"{where}: {found} instead of {expected}"
    elif found != expected:
        yield f"{where}: {found} instead of {expected}"


@pytest.mark.parametrize("name", CASES)
def test_every_number_is_as_recorded(name):
    expected = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(numbers_of(name)))
    assert list(differences(found, expected)) == []


if __name__ == "__main__":
    for each in CASES:
        text = json.dumps(numbers_of(each), separators=(",", ":"))
        (FOLDER / f"{each}.json").write_text(text + "\n", encoding="utf-8")
