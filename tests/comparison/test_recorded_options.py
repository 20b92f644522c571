"""Comparisons of random tables with random settings give what ``options.txt`` records.

See `tests.recorded` for the form of that file and how to record it again. A column of numbers is
recorded as its sum, the first weighted by 1, the second by 2 …
"""

import random
from collections import Counter

import pandas as pd
import pytest

import occstats
from occstats.errors import OccstatsError
from tests.comparison.synthetic import table
from tests.recorded import cases, check_case

OPTIONS = {
    "estimand": ["mean", "mean", "typical"],
    "test": ["ds"],
    "correction": ["holm", "hochberg", "bonferroni", "benjamini-hochberg", "none", "none"],
    "null": ["asymptotic", "asymptotic", "flips", "bootstrap"],
    "alternative": ["less", "greater", "greater"],
    "control": ["A1", "A2"],
    "family": ["row", "all"],
    "margin": [0.01, 0.05, 0.2],
    "alpha": [0.01, 0.1, 0.2],
    "inference": ["cr1"],
    "missing": ["worst", "pairwise", "worst=0", "impute=A0", "drop-algorithms"],
    "suite": ["suite"],
    "by": ["part"],
    "algorithms": [["A0", "A2"], ["A1", "A0", "A2"]],
    "preset": ["paper"],
    "n_resamples": [20, 300, 1000],
}
UNUSED = {"versions", "sources", "methods", "references", "answer", "verdict", "comparisons"}


@pytest.mark.parametrize("case", cases("options"))
def test_comparisons_are_as_recorded(case, tmp_path):
    def run(command):
        first, last = command.split("-")
        found = (compared(random.Random(seed)) for seed in range(int(first), int(last) + 1))
        return "\n\n".join(found)

    check_case("options", case, run, tmp_path)


def compared(rng):
    options = {"n_resamples": 100, "lower_is_better": rng.random() < 0.2, "missing": "complete"}
    for name, values in OPTIONS.items():
        if rng.random() < 0.15:
            options[name] = rng.choice(values)
    try:
        found = occstats.compare(random_table(rng), **options)
    except OccstatsError as error:
        return f"{options}\n{type(error).__name__}: {error}"
    methods = getattr(found, "methods", "").partition("\n\nReferences")[0]
    methods = methods.replace(occstats.__version__, "VERSION")
    lines = [str(options), str(found), methods, found.to_latex(), *shown("", found.to_dict())]
    return "\n".join(line for line in lines if line)


def random_table(rng):
    """Return scores with few or many datasets and algorithms, ties, missing cells and traits."""
    sizes = [rng.choice([1, 1, 2, 3, 5]) for _ in range(rng.choice([2, 3, 5, 6, 7, 9, 14]))]
    effects = [rng.choice([0, 0, 0.02, 0.1, 0.3]) for _ in range(rng.choice([2, 3, 3, 4, 5]))]
    score, folds, seed = rng.choice(["reward", "auroc"]), rng.choice([None, None, 3]), rng.random()
    data = table(sizes, effects, spread=seed / 10, score=score, folds=folds, seed=int(1e6 * seed))
    place = data["dataset"].str[1:].astype(int)
    data[score] = data[score].clip(0, 1).round(rng.choice([0, 1, 2, 2, 6]))
    if rng.random() < 0.4:
        data["n"] = 50 + 37 * (place % 4) + 10 * data["class"].str[1:].astype(int)
    if rng.random() < 0.4:
        failed = (data["algorithm"] == "A1") & (place % 4 == 1)
        data[score] = data[score].mask(failed | ((data["algorithm"] == "A2") & (place == 0)))
    part = (place % 3).astype(str).str.cat(["x"] * len(data))
    return data.assign(suite="s" + (place // 2).astype(str), part=part)


def shown(name, value):
    """Yield sentences and single values of a document, and what sums up each column."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in UNUSED:
                yield from shown(f"{name}.{key}" if name else key, item)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{name}: " + ", ".join(f"{key} {total(value, key)}" for key in value[0])
    else:
        yield f"{name}: {number(value) if isinstance(value, float) else value}"


def number(value):
    """Return a number with seven digits; near zero, other processors differ."""
    return f"{round(value, 9) + 0.0:.6e}"


def total(rows, key):
    column = pd.Series([row[key] for row in rows], dtype=object).dropna()
    if all(isinstance(value, float | int) for value in column):
        return number(sum(i * value for i, value in enumerate(column, 1)))
    return " ".join(f"{value} ({n})" for value, n in sorted(Counter(map(str, column)).items()))
